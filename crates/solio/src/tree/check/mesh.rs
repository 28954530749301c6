//! Whether meshes are whole: binary ones by their counts, others by reading them.

use super::{FileCheck, odd, plural, problem};
use crate::mesh::gltf_files::FolderOf;
use crate::{Input, MeshReadOptions};
use solio_base::{Error, Limits, Result, Work};
use solio_codec::compress::Compression;
use solio_exr::CheckOptions;
use solio_kinds::FileKind;
use solio_mesh::gltf::{GltfReadOptions, check_gltf};
use solio_mesh::ply::{PlyCounts, check_ply};

/// Bytes of a binary STL before its triangles, and of one of these.
const STL_HEAD: u64 = 84;
const STL_TRIANGLE: u64 = 50;

pub(super) fn check(input: &Input, options: &CheckOptions, work: &Work) -> Result<FileCheck> {
    if matches!(input.kind_or_named(), FileKind::Gltf | FileKind::Glb) {
        return gltf(input, options, work);
    }
    let can_seek = input.compression() == Compression::None && !input.comes_once();
    if can_seek
        && !options.decode
        && let Some(check) = counted(input, work)?
    {
        return Ok(check);
    }
    let mut check = by_reading(input, &options.limits, work)?;
    // A text STL ends with a word.
    if can_seek && check.is_fine() && check.format != "stl" {
        check.odd.extend(odd::open_end(input, work)?);
    }
    Ok(check)
}

/// By the rules of glTF.
fn gltf(input: &Input, options: &CheckOptions, work: &Work) -> Result<FileCheck> {
    let format = input.kind_or_named().as_str();
    let mut check = FileCheck { format, ..FileCheck::default() };
    let source = input.whole(work)?;
    let files = FolderOf::file(input.path(), &options.limits, work);
    let reading = GltfReadOptions { limits: options.limits, ..GltfReadOptions::default() };
    match check_gltf(&*source, &files, &reading, work) {
        Ok(found) => {
            let counts = found.found.iter().map(|(count, what)| plural(*count, what));
            check.found = counts.collect::<Vec<_>>().join(", ");
            check.notes = found.notes;
            for error in found.problems {
                check.problems.push(problem(error, input.path())?);
            }
        }
        Err(e) => check.problems.push(problem(e, input.path())?),
    }
    Ok(check)
}

/// By the counts of the header; `None` for text.
fn counted(input: &Input, work: &Work) -> Result<Option<FileCheck>> {
    let Some(bytes) = input.file_bytes() else { return Ok(None) };
    let head = input.head();
    if input.kind() == FileKind::Ply {
        return counted_ply(input, work);
    }
    let is_text =
        head.trim_ascii_start().get(..5).is_some_and(|w| w.eq_ignore_ascii_case(b"solid"))
            && !head.contains(&0);
    if input.kind_or_named() != FileKind::Stl || is_text {
        return Ok(None);
    }
    let mut check = FileCheck { format: "stl", ..FileCheck::default() };
    let count =
        head.get(80..84).map(|count| u32::from_le_bytes([count[0], count[1], count[2], count[3]]));
    let cut = |message: String| problem(Error::corrupt(message).at_offset(bytes), input.path());
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

fn counted_ply(input: &Input, work: &Work) -> Result<Option<FileCheck>> {
    let mut check = FileCheck { format: "ply", ..FileCheck::default() };
    match check_ply(&*input.source(work)?, input.limits()) {
        Ok(None) => return Ok(None),
        Ok(Some(PlyCounts { elements, more_bytes })) => {
            let named = elements.iter().map(|(name, count)| plural(*count, name));
            check.found = named.collect::<Vec<_>>().join(", ");
            if more_bytes > 0 {
                check.notes.push(format!("{more_bytes} bytes follow the last record"));
            }
        }
        Err(e) => check.problems.push(problem(e, input.path())?),
    }
    Ok(Some(check))
}

/// By reading it.
fn by_reading(input: &Input, limits: &Limits, work: &Work) -> Result<FileCheck> {
    let options =
        MeshReadOptions { limits: *limits, skip_materials: true, ..MeshReadOptions::default() };
    let format = input.kind_or_named().as_str();
    let mut check = FileCheck { format, ..FileCheck::default() };
    match crate::mesh::info::info_of(input, &options, work) {
        Ok(info) => {
            let (vertices, faces) = (info.mesh.vertices as u64, info.mesh.faces as u64);
            check.format = info.format.as_str();
            check.found = format!("{}, {}", plural(vertices, "vertex"), plural(faces, "face"));
            check.notes = info.mesh.warnings;
            if let Some(splats) = info.mesh.splats {
                check.found = plural(splats.splats as u64, "splat");
                check.notes.extend(splats.odd());
            }
        }
        Err(e) => check.problems.push(problem(e, input.path())?),
    }
    Ok(check)
}
