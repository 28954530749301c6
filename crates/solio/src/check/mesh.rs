//! Whether meshes are whole: binary ones by their counts, others by reading them.

use super::{File, FileCheck, odd, plural, problem};
use crate::{Format, MeshReadOptions};
use solio_base::{Error, Limits, Result, Work};
use solio_codec::compress::Compression;
use solio_exr::CheckOptions;
use solio_io::OpenedFile;
use solio_mesh::ply::{PlyCounts, check_ply};
use std::path::Path;

/// Bytes of a binary STL before its triangles, and of one of these.
const STL_HEAD: u64 = 84;
const STL_TRIANGLE: u64 = 50;

pub(super) fn check(
    path: &Path,
    file: Option<&File<'_>>,
    options: &CheckOptions,
    work: &Work,
) -> Result<FileCheck> {
    let plain = file.filter(|file| file.opened.compression == Compression::None);
    if let Some(file) = plain.filter(|_| !options.decode)
        && let Some(check) = counted(file, &options.limits)?
    {
        return Ok(check);
    }
    let opened = solio_io::open(path, &options.limits, work)?;
    let mut check = check_opened(path, opened, &options.limits, work)?;
    // A text of STL ends with a word.
    if let Some(file) = plain.filter(|_| check.is_fine() && check.format != "stl") {
        check.odd.extend(odd::open_end(file)?);
    }
    Ok(check)
}

/// By the counts of the header; `None` for text.
fn counted(file: &File<'_>, limits: &Limits) -> Result<Option<FileCheck>> {
    let Some(bytes) = file.opened.file_bytes else { return Ok(None) };
    if file.head.starts_with(b"ply") {
        return counted_ply(file, limits);
    }
    let by_content = Format::of_content(file.head, Some(bytes));
    let is_stl = by_content.or(Format::of_name(file.path)) == Some(Format::Stl);
    let is_text =
        file.head.trim_ascii_start().get(..5).is_some_and(|w| w.eq_ignore_ascii_case(b"solid"))
            && !file.head.contains(&0);
    if !is_stl || is_text {
        return Ok(None);
    }
    let mut check = FileCheck { format: "stl", ..FileCheck::default() };
    let count = file
        .head
        .get(80..84)
        .map(|count| u32::from_le_bytes([count[0], count[1], count[2], count[3]]));
    let cut = |message: String| problem(Error::corrupt(message).at_offset(bytes), file.path);
    match count {
        None => check
            .problems
            .push(cut(format!("the file ends {} bytes early, inside its head", STL_HEAD - bytes))?),
        Some(count) => {
            check.found = plural(count.into(), "triangle");
            let end = STL_HEAD + STL_TRIANGLE * u64::from(count);
            if bytes < end {
                let there = (bytes - STL_HEAD) / STL_TRIANGLE;
                check
                    .problems
                    .push(cut(format!("the file ends after {there} of {count} triangles"))?);
            } else if bytes > end {
                check.notes.push(format!("{} bytes follow the last triangle", bytes - end));
            }
        }
    }
    Ok(Some(check))
}

fn counted_ply(file: &File<'_>, limits: &Limits) -> Result<Option<FileCheck>> {
    let mut check = FileCheck { format: "ply", ..FileCheck::default() };
    match check_ply(file.source(), limits) {
        Ok(None) => return Ok(None),
        Ok(Some(PlyCounts { elements, more_bytes })) => {
            let named = elements.iter().map(|(name, count)| plural(*count, name));
            check.found = named.collect::<Vec<_>>().join(", ");
            if more_bytes > 0 {
                check.notes.push(format!("{more_bytes} bytes follow the last record"));
            }
        }
        Err(e) => check.problems.push(problem(e, file.path)?),
    }
    Ok(Some(check))
}

/// By reading it.
pub(super) fn check_opened(
    path: &Path,
    opened: OpenedFile,
    limits: &Limits,
    work: &Work,
) -> Result<FileCheck> {
    let options =
        MeshReadOptions { limits: *limits, skip_materials: true, ..MeshReadOptions::default() };
    let mut check = FileCheck {
        format: Format::of_name(path).map_or("mesh", Format::as_str),
        ..FileCheck::default()
    };
    match crate::info::info_of(path, opened, &options, work) {
        Ok(info) => {
            let (vertices, faces) = (info.mesh.vertices as u64, info.mesh.faces as u64);
            check.format = info.format.as_str();
            check.found = format!("{}, {}", plural(vertices, "vertex"), plural(faces, "face"));
            check.notes = info.mesh.warnings;
        }
        Err(e) => check.problems.push(problem(e, path)?),
    }
    Ok(check)
}
