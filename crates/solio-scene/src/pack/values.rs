//! The values of all entities, unpacked.

use super::fill::{FillRequests, native};
use super::read::PackReader;
use super::record::{self, whole};
use super::streams;
use super::table::SectionKind;
use crate::pbrt::{Span, Statements};
use solio_base::{Result, Work, ordered};

/// The arrays of [`Statements`] as they are in the file, but for numbers that are sorted: these are
/// put in their places when the parameters are known.
pub(super) struct StatementArrays {
    parameters: Vec<[u32; 5]>,
    places: Vec<[u32; 2]>,
    floats: Vec<f32>,
    integers: Vec<i32>,
    strings: Vec<[u32; 2]>,
    text: Vec<u8>,
    are_sorted: bool,
}

/// Memory for all of them, on all threads: what the allocator has had before it fills with zeros,
/// which takes a tenth of the time to read a scene.
pub(super) fn room(reader: &PackReader<'_>, work: &Work) -> Result<Vec<StatementArrays>> {
    let count = (0..).take_while(|number| reader.has(SectionKind::Parameters, *number)).count();
    let mut all = Vec::with_capacity(count);
    let mut numbers = 0..count as u32;
    ordered::run::<(u32, Option<StatementArrays>)>(
        work,
        work.window(2 << 20).min(count.max(1)),
        |(next, _)| Ok(numbers.next().map(|number| *next = number).is_some()),
        |(number, values)| {
            *values = Some(room_of(reader, *number)?);
            Ok(())
        },
        |(_, values)| {
            all.extend(values.take());
            Ok(())
        },
    )?;
    Ok(all)
}

fn room_of(reader: &PackReader<'_>, number: u32) -> Result<StatementArrays> {
    let are_sorted = reader.has(SectionKind::SortedFloats, number);
    let floats = if are_sorted { SectionKind::SortedFloats } else { SectionKind::Floats };
    Ok(StatementArrays {
        parameters: reader.room(SectionKind::Parameters, number)?,
        places: match reader.options.places {
            true => reader.room(SectionKind::ParameterPlaces, number)?,
            false => Vec::new(),
        },
        floats: reader.room(floats, number)?,
        integers: reader.room(SectionKind::Integers, number)?,
        strings: reader.room(SectionKind::Strings, number)?,
        text: reader.room(SectionKind::Text, number)?,
        are_sorted,
    })
}

/// Wants all but numbers that are sorted.
pub(super) fn want<'j>(
    values: &'j mut [StatementArrays],
    reader: &PackReader<'_>,
    wanted: &mut FillRequests<'j>,
) {
    for (number, values) in (0u32..).zip(values) {
        wanted.add(reader, SectionKind::Parameters, number, &mut values.parameters);
        if reader.options.places {
            wanted.add(reader, SectionKind::ParameterPlaces, number, &mut values.places);
        }
        if !values.are_sorted {
            wanted.add(reader, SectionKind::Floats, number, &mut values.floats);
        }
        wanted.add(reader, SectionKind::Integers, number, &mut values.integers);
        wanted.add(reader, SectionKind::Strings, number, &mut values.strings);
        wanted.add(reader, SectionKind::Text, number, &mut values.text);
    }
}

/// A thread's turn: what one entity of the file becomes.
#[derive(Default)]
struct EntitySlot {
    values: Option<StatementArrays>,
    made: Option<(Statements, Option<streams::SortRanges>)>,
}

/// What values become, on all threads; their numbers, where they are sorted, are filled in.
pub(super) fn statements(
    values: Vec<StatementArrays>,
    reader: &PackReader<'_>,
    work: &Work,
) -> Result<Vec<Statements>> {
    let mut all = Vec::with_capacity(values.len());
    let mut values = values.into_iter();
    let fault = |fault: record::RecordFault| reader.fault(SectionKind::Parameters, fault);
    ordered::run::<EntitySlot>(
        work,
        work.window(2 << 20).min(values.len().max(1)),
        |slot| {
            slot.values = values.next();
            Ok(slot.values.is_some())
        },
        |slot| {
            let Some(values) = slot.values.take() else { return Ok(()) };
            slot.made = Some(values.statements().map_err(fault)?);
            Ok(())
        },
        |slot| {
            all.extend(slot.made.take());
            Ok(())
        },
    )?;
    let mut wanted = FillRequests::default();
    for (number, (statements, parts)) in (0u32..).zip(&mut all) {
        if let Some(parts) = parts {
            let places = streams::places(&mut statements.floats, parts);
            wanted.add_parts(reader, SectionKind::SortedFloats, number, places);
        }
    }
    wanted.fill(reader, work)?;
    let statements = all.into_iter().map(|(mut statements, parts)| {
        if parts.is_some() {
            native(&mut statements.floats);
        }
        statements
    });
    Ok(statements.collect())
}

impl StatementArrays {
    /// With where numbers belong that are still to be filled in.
    fn statements(
        mut self,
    ) -> Result<(Statements, Option<streams::SortRanges>), record::RecordFault> {
        native(&mut self.parameters);
        native(&mut self.places);
        native(&mut self.integers);
        native(&mut self.strings);
        let mut parameters = Vec::with_capacity(self.parameters.len());
        for words in &self.parameters {
            parameters.push(record::parameter(words)?);
        }
        if !self.places.is_empty() {
            if self.places.len() != parameters.len() {
                return Err("places of parameters that are not as many as those");
            }
            for (parameter, place) in parameters.iter_mut().zip(&self.places) {
                parameter.at = whole(*place);
            }
        }
        let parts = match self.are_sorted {
            true => Some(streams::parts(&parameters, self.floats.len())),
            false => {
                native(&mut self.floats);
                None
            }
        };
        let strings = self.strings.iter().map(|[start, end]| Span { start: *start, end: *end });
        let statements = Statements {
            parameters,
            floats: self.floats,
            integers: self.integers,
            strings: strings.collect(),
            text: self.text,
            ..Statements::default()
        };
        super::check::values(&statements)?;
        Ok((statements, parts))
    }
}
