//! Reading: which of the two forms it is, then that form's reader.

use super::options::StlReadOptions;
use super::{ascii, binary, color};
use crate::head::SourceHead;
use crate::model::{Mesh, Positions, Scene};
use crate::odd::tolerate;
use crate::spans::ASSEMBLE;
use crate::text::precision::IN_A_STREAM;
use crate::text::{NameBytes, decode};
use solio_base::{Error, Result, Source, Work};
use std::collections::HashMap;
use std::fmt::Display;

/// Reads an STL file. The scene has one mesh; the solids of a text file are its objects.
///
/// # Errors
/// `Syntax` and `Corrupt` with the place, `Limit` for files that ask for more than
/// [`StlReadOptions::limits`], and what `source` fails with.
pub fn decode_stl(
    source: &dyn Source,
    options: &StlReadOptions,
    work: &Work,
) -> Result<Scene<'static>> {
    let mut head = SourceHead::new(source);
    head.look(4096)?;
    let mut warnings = Vec::new();
    let (mesh, comments) = if is_text(&head)? {
        (text(&head, options, work, &mut warnings)?, Vec::new())
    } else {
        let count = triangle_count(&head, options.strict, &mut warnings)?;
        let elements = count.unwrap_or(0);
        options.limits.check_elements("triangles", elements).map_err(|e| e.at_offset(80))?;
        let collected = binary::read(&head, count, options, work)?;
        let _span = ASSEMBLE.begin();
        let (mut mesh, words) = collected.finish();
        let triangles = mesh.face_offsets.len().saturating_sub(1);
        if let Some(count) = count.filter(|&count| (triangles as u64) < count) {
            let message = format!("the data ends in triangle {triangles} of {count}");
            let end = (binary::HEADER + triangles * binary::TRIANGLE) as u64;
            let error = Error::corrupt(message).at_offset(end);
            tolerate(error, options.strict || triangles == 0, &mut warnings)?;
        } else if count.is_none() && !mesh.face_offsets.is_empty() {
            unset(&(mesh.face_offsets.len() - 1), options.strict, &mut warnings)?;
        } else if let Some(count) = count.filter(|_| head.len_bytes().is_none()) {
            check_end(&head, count, options.strict, &mut warnings)?;
        }
        let header = &head.bytes()[..80];
        mesh.attributes = color::attributes(header, words);
        (mesh, header_text(header, options, &mut warnings).into_iter().collect())
    };
    Ok(Scene { meshes: vec![mesh], comments, warnings, ..Scene::default() })
}

/// What the header of a binary file says, where that is text.
fn header_text(
    header: &[u8],
    options: &StlReadOptions,
    warnings: &mut Vec<String>,
) -> Option<String> {
    let end = header.iter().rposition(|byte| !matches!(byte, 0 | b' ')).map_or(0, |last| last + 1);
    let bytes = &header[..end];
    // Colours of Magics are bytes of any value.
    if bytes.iter().any(u8::is_ascii_control) || color::is_magics(bytes) {
        return str::from_utf8(bytes)
            .ok()
            .filter(|text| !text.contains(char::is_control))
            .map(Into::into);
    }
    let (mut text, mut names) = (decode(bytes).0, NameBytes::default());
    names.note((), bytes, options.encoding);
    if let Some((_, told)) = names.settle(options.encoding, |(), name| text = name) {
        warnings.extend((!told.is_empty()).then_some(told));
    }
    (!text.is_empty() && !text.contains(|c: char| c.is_control() || c == '\u{fffd}'))
        .then_some(text)
}

/// Reads text, with doubles where it says more than floats hold.
fn text(
    head: &SourceHead<'_>,
    options: &StlReadOptions,
    work: &Work,
    warnings: &mut Vec<String>,
) -> Result<Mesh<'static>> {
    let start = head.bytes().strip_prefix(b"\xef\xbb\xbf").unwrap_or(head.bytes());
    if !start.trim_ascii_start().get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"solid")) {
        let error =
            Error::syntax("the text does not start with `solid`").at_offset(0).at_line(1, 1);
        tolerate(error, options.strict, warnings)?;
    }
    let (collector, mut odd, says_more) = ascii::read(head, options, work, None)?;
    if says_more && !head.is_sequential() {
        drop(collector);
        let apart = StlReadOptions { merge: false, ..options.clone() };
        let mut points = Vec::new();
        let (collector, mut odd, _) = ascii::read(head, &apart, work, Some(&mut points))?;
        warnings.append(&mut odd);
        let mut mesh = collector.finish().0;
        if options.merge {
            weld_f64(&mut mesh, &mut points);
        }
        mesh.positions = Positions::F64(points.into());
        return Ok(mesh);
    }
    if says_more {
        odd.push(IN_A_STREAM.into());
    }
    warnings.append(&mut odd);
    Ok(collector.finish().0)
}

/// Merges equal points of each object, as the welder of floats does: in first-seen order, NaN with
/// nothing.
fn weld_f64(mesh: &mut Mesh<'static>, points: &mut Vec<[f64; 3]>) {
    let mut corners = std::mem::take(&mut mesh.corner_vertices).into_owned();
    let mut ends: Vec<usize> = mesh.objects.iter().map(|o| o.vertices_end as usize).collect();
    ends.push(points.len());
    let mut merged = Vec::new();
    let mut start = 0;
    for (number, end) in ends.into_iter().enumerate() {
        let mut known = HashMap::new();
        for corner in start..end {
            let point = points[corner];
            // -0 + 0 is 0.
            let bits = point.map(|v| (v + 0.0).to_bits());
            let fresh = merged.len() as u32;
            let vertex = match point.iter().any(|v| v.is_nan()) {
                true => fresh,
                false => *known.entry(bits).or_insert(fresh),
            };
            if vertex == fresh {
                merged.push(point);
            }
            corners[corner] = vertex;
        }
        start = end;
        if let Some(object) = mesh.objects.get_mut(number) {
            object.vertices_end = merged.len() as u32;
        }
    }
    *points = merged;
    mesh.corner_vertices = corners.into();
}

/// Whether the file is text. Binary files may start with `solid` as well; one whose length fits
/// its count is binary, whatever it starts with.
fn is_text(head: &SourceHead<'_>) -> Result<bool> {
    let bytes = head.bytes();
    if bytes.is_empty() {
        return Err(Error::syntax("the file is empty").at_offset(0));
    }
    if let (Some(total), Some(count)) = (head.len_bytes(), count_word(bytes))
        && total == binary::HEADER as u64 + binary::TRIANGLE as u64 * count as u64
    {
        return Ok(false);
    }
    let start = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    let solid = start.len() >= 5 && start[..5].eq_ignore_ascii_case(b"solid");
    // The words of a text file stand in its first lines; binary numbers bring zeros.
    // Some leave the first line out.
    let solid = solid || start.len() >= 6 && start[..6].eq_ignore_ascii_case(b"facet ");
    let text = solid && memchr::memchr(0, bytes).is_none();
    if !text && bytes.len() < binary::HEADER {
        let message = "neither text (`solid …`) nor long enough for binary STL (84 bytes)";
        return Err(Error::syntax(message).at_offset(bytes.len() as u64));
    }
    Ok(text)
}

fn count_word(bytes: &[u8]) -> Option<u32> {
    let word = bytes.get(80..84)?;
    Some(u32::from_le_bytes(word.try_into().expect("four bytes")))
}

/// The number of triangles of a binary file; `None` where only reading to the end can tell.
fn triangle_count(
    head: &SourceHead<'_>,
    strict: bool,
    warnings: &mut Vec<String>,
) -> Result<Option<u64>> {
    let count = count_word(head.bytes()).map_or(0, u64::from);
    let Some(total) = head.len_bytes() else { return Ok((count > 0).then_some(count)) };
    let rest = total - binary::HEADER as u64;
    let need = count * binary::TRIANGLE as u64;
    if need > rest {
        let there = rest / binary::TRIANGLE as u64;
        let message =
            format!("{count} triangles need {need} bytes; the file has {rest} behind its header");
        // What is there is read, unless that is nothing, or text of another kind.
        let is_words =
            head.bytes().iter().all(|byte| matches!(byte, b'\t' | b'\n' | b'\r' | b' '..));
        let is_refused = strict || there == 0 || is_words;
        tolerate(Error::corrupt(message).at_offset(80), is_refused, warnings)?;
        return Ok(Some(there));
    }
    if need == rest {
        return Ok(Some(count));
    }
    let fits = rest / binary::TRIANGLE as u64;
    if count == 0 && rest.is_multiple_of(binary::TRIANGLE as u64) {
        unset(&fits, strict, warnings)?;
        return Ok(Some(fits));
    }
    let end = binary::HEADER as u64 + need;
    let message = format!("{} bytes behind the last triangle", rest - need);
    let error = Error::corrupt(message).at_offset(end);
    tolerate(error, strict || count == 0, warnings)?;
    Ok(Some(count))
}

/// Some writers to pipes leave the count 0.
fn unset(follow: &impl Display, strict: bool, warnings: &mut Vec<String>) -> Result<()> {
    let message = format!("the count of triangles is 0, but {follow} follow");
    let error = Error::corrupt(message).at_offset(80);
    tolerate(error, strict, warnings)
}

/// What [`triangle_count`] checks where the length is known, for a stream.
fn check_end(
    head: &SourceHead<'_>,
    count: u64,
    strict: bool,
    warnings: &mut Vec<String>,
) -> Result<()> {
    let end = binary::HEADER as u64 + count * binary::TRIANGLE as u64;
    if head.read_at(end, &mut [0])? == 0 {
        return Ok(());
    }
    let error = Error::corrupt("more bytes behind the last triangle").at_offset(end);
    tolerate(error, strict, warnings)
}
