//! The lines `l` and `p`, and the statements of free-form curves and surfaces.

use super::faces;
use super::plan::ObjPart;
use super::values::ValueIndex;
use super::{ObjJob, Prepared};
use crate::model::NONE;
use solio_base::{Error, Result};
use solio_codec::number::format::{push_i64, push_u32};
use std::ops::Range;

/// Appends the `l` lines of the polylines `lines`.
pub(super) fn lines(mesh: &Prepared<'_>, lines: Range<usize>, out: &mut Vec<u8>) -> Result<()> {
    let m = mesh.mesh;
    let vertices = m.positions.len();
    let uv_count = m.uvs.as_ref().map_or(0, |uvs| uvs.values.len());
    let own = matches!(mesh.uvs, Some(ValueIndex::Own(_)));
    let uvs = if own { &m.line_uvs[..] } else { &[] };
    for line in lines {
        let places = m.line_offsets[line] as usize..m.line_offsets[line + 1] as usize;
        let Some(line_vertices) = m.line_vertices.get(places.clone()) else {
            return Err(Error::argument(format!(
                "mesh {}: the offsets of line {line} do not rise",
                mesh.number
            )));
        };
        out.push(b'l');
        for (&vertex, place) in line_vertices.iter().zip(places) {
            if vertex as usize >= vertices {
                return Err(Error::argument(format!(
                    "line {line} refers to vertex {vertex}; the mesh has {vertices} vertices"
                )));
            }
            out.push(b' ');
            push_i64(out, (u64::from(vertex) + mesh.vertex_base + 1) as i64);
            let uv = uvs.get(place).copied().unwrap_or(NONE);
            if uv != NONE {
                if uv as usize >= uv_count {
                    return Err(Error::argument(format!(
                        "line {line} refers to UV {uv}; there are {uv_count}"
                    )));
                }
                out.push(b'/');
                push_i64(out, (u64::from(uv) + mesh.uv_base + 1) as i64);
            }
        }
        out.push(b'\n');
    }
    Ok(())
}

/// Appends the `p` lines of `points`.
pub(super) fn points(mesh: &Prepared<'_>, points: Range<usize>, out: &mut Vec<u8>) -> Result<()> {
    let vertices = mesh.mesh.positions.len();
    for &vertex in &mesh.mesh.points[points] {
        if vertex as usize >= vertices {
            return Err(Error::argument(format!(
                "a point refers to vertex {vertex}; the mesh has {vertices} vertices"
            )));
        }
        out.extend_from_slice(b"p ");
        push_i64(out, (u64::from(vertex) + mesh.vertex_base + 1) as i64);
        out.push(b'\n');
    }
    Ok(())
}

/// Appends the `o` line (or the `g` line that stands for it).
pub(super) fn name(job: &ObjJob<'_>, part: &ObjPart<'_>, out: &mut Vec<u8>) {
    let Some(object) = part.object.filter(|o| !o.name.is_empty()) else { return };
    let grouped = job.options.export_object_groups;
    out.extend_from_slice(if grouped { b"g " } else { b"o " });
    out.extend_from_slice(job.name(&object.name).as_bytes());
    if grouped && !object.mesh_name.is_empty() {
        out.push(b'_');
        out.extend_from_slice(job.name(&object.mesh_name).as_bytes());
    }
    faces::end_line(out);
}

/// Appends the free-form statements; absolute indices move by what earlier meshes have written.
pub(super) fn freeform(mesh: &Prepared<'_>, out: &mut Vec<u8>) {
    let text = &mesh.mesh.freeform;
    let bases = [mesh.vertex_base, mesh.uv_base, mesh.normal_base];
    for line in text.split_inclusive(|&b| b == b'\n') {
        let words = || line.split(|b| b.is_ascii_whitespace()).filter(|w| !w.is_empty());
        // How many parameters come before the vertices.
        let skip = match words().next() {
            Some(b"curv") => 2,
            Some(b"surf") => 4,
            _ => usize::MAX,
        };
        if bases == [0; 3] || skip == usize::MAX {
            out.extend_from_slice(line);
        } else {
            for (i, word) in words().enumerate() {
                if i > 0 {
                    out.push(b' ');
                }
                if i <= skip { out.extend_from_slice(word) } else { moved(word, bases, out) }
            }
            if line.ends_with(b"\n") {
                out.push(b'\n');
            }
        }
    }
    if text.last().is_some_and(|&b| b != b'\n') {
        out.push(b'\n');
    }
}

/// Appends a corner `v/vt/vn` with its bases added; relative indices stay.
fn moved(corner: &[u8], bases: [u64; 3], out: &mut Vec<u8>) {
    for (i, (index, base)) in corner.split(|&b| b == b'/').zip(bases).enumerate() {
        if i > 0 {
            out.push(b'/');
        }
        match std::str::from_utf8(index).ok().and_then(|text| text.parse::<u32>().ok()) {
            Some(index) if u64::from(index) + base <= u64::from(u32::MAX) => {
                push_u32(out, (u64::from(index) + base) as u32);
            }
            _ => out.extend_from_slice(index),
        }
    }
}
