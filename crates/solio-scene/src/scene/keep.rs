//! Keeping the values of entities beyond their piece of text.
//!
//! A piece that is mostly values (meshes, curves) gives its arrays away as they are; of others the
//! few values that are needed are copied, and their memory serves the next piece.

use crate::pbrt::{Directive, Parameter, Span, Statement, Statements, Values};
use solio_base::{Error, Result};

/// Fewer values are copied in any case.
const LEAST_TAKEN: usize = 4096;
/// So many values are put together before others are begun.
const MOST_TOGETHER: usize = 16 << 20;

/// All that is kept.
#[derive(Default)]
pub(super) struct KeptStatements {
    pub(super) all: Vec<Statements>,
    /// Which of them takes copies.
    copies: Option<usize>,
}

/// How the values of a piece are kept.
#[derive(Clone, Copy)]
pub(super) enum Keeping {
    /// Its arrays become those of this number.
    Whole(u32),
    /// What is needed is copied.
    Copies,
}

impl KeptStatements {
    /// How the values of `piece` should be kept.
    pub(super) fn keeping(&self, piece: &Statements) -> Keeping {
        let all = piece.floats.len() + piece.integers.len();
        let shapes = piece.statements.iter().filter(|s| s.directive == Directive::Shape);
        let parameters = shapes.flat_map(|s| &piece.parameters[s.parameters.range()]);
        let numbers = parameters.map(|p| match p.values {
            Values::Floats(span) | Values::Integers(span) | Values::Bools(span) => span.count(),
            Values::Strings(_) => 0,
        });
        if all >= LEAST_TAKEN && 2 * numbers.sum::<usize>() > all {
            Keeping::Whole(self.all.len() as u32)
        } else {
            Keeping::Copies
        }
    }

    /// Takes the arrays of a piece as those of a number that [`Self::keeping`] gave.
    pub(super) fn put(&mut self, number: u32, mut piece: Statements) {
        piece.statements = Vec::new();
        piece.comments = Vec::new();
        piece.problems = Vec::new();
        piece.shrink();
        self.all[number as usize] = piece;
    }

    /// Keeps `class` and the parameters of a statement: where they are then.
    pub(super) fn keep(
        &mut self,
        keeping: Keeping,
        piece: &Statements,
        statement: &Statement,
        class: Span,
    ) -> Result<(u32, Span, Span)> {
        if let Keeping::Whole(number) = keeping {
            return Ok((number, class, statement.parameters));
        }
        let (number, to) = self.copies();
        let class = to.keep_text(piece.text(class))?;
        let start = to.parameters.len();
        for parameter in &piece.parameters[statement.parameters.range()] {
            let name = to.keep_text(piece.text(parameter.name))?;
            let values = to.keep_values(piece, parameter.values)?;
            to.parameters.push(Parameter { name, values, ..*parameter });
        }
        Ok((number, class, span(start, to.parameters.len())?))
    }

    /// Puts other names into the strings of parameters that were copied: the parameter, the string in
    /// it, and the name.
    pub(super) fn rename(
        &mut self,
        kept: u32,
        parameters: Span,
        names: &[(usize, usize, &[u8])],
    ) -> Result<()> {
        for (parameter, string, name) in names {
            let to = &mut self.all[kept as usize];
            if let Values::Strings(span) = to.parameters[parameters.range()][*parameter].values {
                let name = to.keep_text(name)?;
                to.strings[span.range()][*string] = name;
            }
        }
        Ok(())
    }

    fn copies(&mut self) -> (u32, &mut Statements) {
        let room = self.copies.filter(|i| {
            let to = &self.all[*i];
            to.floats.len() + to.integers.len() + to.text.len() < MOST_TOGETHER
        });
        let i = room.unwrap_or_else(|| {
            self.all.push(Statements::default());
            self.all.len() - 1
        });
        self.copies = Some(i);
        (i as u32, &mut self.all[i])
    }
}

impl Statements {
    fn shrink(&mut self) {
        self.parameters.shrink_to_fit();
        self.floats.shrink_to_fit();
        self.integers.shrink_to_fit();
        self.strings.shrink_to_fit();
        self.text.shrink_to_fit();
    }

    pub(super) fn keep_text(&mut self, text: &[u8]) -> Result<Span> {
        let start = self.text.len();
        self.text.extend_from_slice(text);
        span(start, self.text.len())
    }

    pub(super) fn keep_values(&mut self, from: &Statements, values: Values) -> Result<Values> {
        let keep_integers = |to: &mut Vec<i32>, span_of: Span| {
            let start = to.len();
            to.extend_from_slice(&from.integers[span_of.range()]);
            span(start, to.len())
        };
        Ok(match values {
            Values::Floats(of) => {
                let start = self.floats.len();
                self.floats.extend_from_slice(&from.floats[of.range()]);
                Values::Floats(span(start, self.floats.len())?)
            }
            Values::Integers(of) => Values::Integers(keep_integers(&mut self.integers, of)?),
            Values::Bools(of) => Values::Bools(keep_integers(&mut self.integers, of)?),
            Values::Strings(of) => {
                let start = self.strings.len();
                for string in &from.strings[of.range()] {
                    let kept = self.keep_text(from.text(*string))?;
                    self.strings.push(kept);
                }
                Values::Strings(span(start, self.strings.len())?)
            }
        })
    }
}

fn span(start: usize, end: usize) -> Result<Span> {
    match (u32::try_from(start), u32::try_from(end)) {
        (Ok(start), Ok(end)) => Ok(Span { start, end }),
        _ => Err(Error::limit("the parameters of a piece of the scene have 4 G values and more")),
    }
}
