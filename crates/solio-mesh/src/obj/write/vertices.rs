//! The lines `v`, `vn` and `vt`.

use super::extras::ObjExtras;
use super::plan::ObjPart;
use super::values::ValueIndex;
use super::{ObjJob, PartText};
use crate::merge::MergeValues;
use crate::model::{Positions, Uvs};
use crate::obj::NonFinite;
use crate::transform::{PointRows, point_f64};
use solio_base::{Error, Result};
use solio_codec::number::format::{rows_f32, rows_f64};
use solio_codec::wide::wide;
use std::ops::Range;

/// Rows that are made at a time; they stay in the first-level cache.
const BLOCK: usize = 1024;

impl PartText<'_> {
    /// Appends the `v` lines of `vertices`.
    pub(super) fn positions(self, vertices: Range<usize>, out: &mut Vec<u8>) -> Result<()> {
        let mut made = [[0.0f32; 3]; BLOCK];
        let mut made_f64 = [[0.0f64; 3]; BLOCK];
        for block in blocks(vertices) {
            let count = block.len();
            match &self.mesh.mesh.positions {
                Positions::F32(p) => {
                    let mut rows = &p[block.clone()];
                    if let Some(m) = &self.part.transform.position {
                        wide(PointRows { from: rows, matrix: m, to: &mut made[..count] });
                        rows = &made[..count];
                    }
                    check(self.job, self.part, "vertex", block.start, rows)?;
                    self.rows_with_extras(block, out, |range, prefix, out| {
                        rows_f32(out, prefix, self.job.options.position_digits, &rows[range]);
                    })?;
                }
                Positions::F64(p) => {
                    let mut rows = &p[block.clone()];
                    if let Some(m) = &self.part.transform.position_f64 {
                        made_f64
                            .iter_mut()
                            .zip(rows)
                            .for_each(|(to, &from)| *to = point_f64(from, m));
                        rows = &made_f64[..count];
                    }
                    check_f64(self.job, self.part, block.start, rows)?;
                    self.rows_with_extras(block, out, |range, prefix, out| {
                        rows_f64(out, prefix, self.job.options.position_digits, &rows[range]);
                    })?;
                }
            }
        }
        Ok(())
    }

    /// Writes the rows of `block` with `rows(range within the block, prefix, out)`, and the colour and
    /// the fourth coordinate of each vertex behind its position.
    fn rows_with_extras(
        self,
        block: Range<usize>,
        out: &mut Vec<u8>,
        rows: impl Fn(Range<usize>, &[u8], &mut Vec<u8>),
    ) -> Result<()> {
        let colors = self.mesh.mesh.colors.as_ref().filter(|_| self.job.options.export_colors);
        let weights = self.mesh.mesh.weights.as_deref();
        if colors.is_none() && weights.is_none() {
            rows(0..block.len(), b"v ", out);
            return Ok(());
        }
        let extras = ObjExtras::new(self, colors, weights);
        let (mut head, mut tail) = (Vec::new(), Vec::new());
        rows(0..block.len(), b"v ", &mut head);
        let mut start = block.start;
        while start < block.end {
            let kind = extras.of(start);
            let end = (start..block.end).find(|&v| extras.of(v) != kind).unwrap_or(block.end);
            extras.push(kind, start..end, &mut tail)?;
            start = end;
        }
        let mut tails = tail.split_inclusive(|&b| b == b'\n');
        for line in head.split(|&b| b == b'\n').take(block.len()) {
            out.extend_from_slice(line);
            out.extend_from_slice(tails.next().unwrap_or(b"\n"));
        }
        Ok(())
    }

    /// Appends the `vn` lines of normals that are written as they are.
    pub(super) fn own_normals(self, range: Range<usize>, out: &mut Vec<u8>) -> Result<()> {
        let values = self.mesh.normal_values.as_ref().expect("the mesh has normals");
        let mut made = Vec::new();
        for block in blocks(range) {
            let rows = values.slice(block.clone(), &mut made);
            check(self.job, self.part, "normal", block.start, rows)?;
            rows_f32(out, b"vn ", self.job.options.normal_digits, rows);
        }
        Ok(())
    }

    /// Appends the `vn` lines of the merged normals that first appear in `groups`.
    pub(super) fn merged_normals(self, groups: Range<usize>, out: &mut Vec<u8>) -> Result<()> {
        let values = self.mesh.normal_values.as_ref().expect("the mesh has normals");
        let make = |start, firsts: &[u16], to: &mut [_]| values.written(start, firsts, to);
        let Some(index) = &self.mesh.normals else { return Ok(()) };
        merged_rows(index, groups, make, |first, rows| {
            check(self.job, self.part, "normal", first, rows)?;
            rows_f32(out, b"vn ", self.job.options.normal_digits, rows);
            Ok(())
        })
    }

    /// Appends the `vt` lines of UVs that are written as they are.
    pub(super) fn own_uvs(self, range: Range<usize>, out: &mut Vec<u8>) -> Result<()> {
        let rows = &self.mesh.mesh.uvs.as_ref().expect("the mesh has UVs").values[range.clone()];
        check(self.job, self.part, "UV", range.start, rows)?;
        rows_f32(out, b"vt ", self.job.options.uv_digits, rows);
        Ok(())
    }

    /// Appends the `vt` lines of the merged UVs that first appear in `groups`.
    pub(super) fn merged_uvs(self, groups: Range<usize>, out: &mut Vec<u8>) -> Result<()> {
        if let Some(text) = &self.mesh.shared.uv_text {
            out.extend_from_slice(text);
            return Ok(());
        }
        let (Some(uvs), Some(index)) = (&self.mesh.mesh.uvs, &self.mesh.uvs) else { return Ok(()) };
        uv_rows(self.job, self.part, (uvs, index), groups, out)
    }
}

/// Appends the `vt` lines of the merged `uvs` that first appear in `groups`.
pub(super) fn uv_rows(
    job: &ObjJob<'_>,
    part: &ObjPart<'_>,
    (uvs, index): (&Uvs<'_>, &ValueIndex<'_>),
    groups: Range<usize>,
    out: &mut Vec<u8>,
) -> Result<()> {
    let make = |start, firsts: &[u16], to: &mut [_]| {
        let values = &uvs.values[start..];
        to.iter_mut().zip(firsts).for_each(|(to, &f)| *to = values[f as usize]);
    };
    merged_rows(index, groups, make, |first, rows| {
        check(job, part, "UV", first, rows)?;
        rows_f32(out, b"vt ", job.options.uv_digits, rows);
        Ok(())
    })
}

/// Makes the values that first appear in `groups` with `make(start, firsts, out)`, and hands them
/// on in blocks.
fn merged_rows<const N: usize>(
    index: &ValueIndex<'_>,
    groups: Range<usize>,
    make: impl Fn(usize, &[u16], &mut [[f32; N]]),
    mut rows: impl FnMut(usize, &[[f32; N]]) -> Result<()>,
) -> Result<()> {
    let mut made = [[0.0f32; N]; BLOCK];
    for group in groups {
        let (start, firsts) = index.firsts(group);
        for firsts in firsts.chunks(BLOCK) {
            let made = &mut made[..firsts.len()];
            make(start, firsts, made);
            rows(start + firsts[0] as usize, made)?;
        }
    }
    Ok(())
}

fn blocks(range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    range.clone().step_by(BLOCK).map(move |start| start..range.end.min(start + BLOCK))
}

/// `Err` when a value is not finite and the options refuse that.
pub(super) fn check<const N: usize>(
    job: &ObjJob<'_>,
    part: &ObjPart<'_>,
    what: &str,
    first: usize,
    rows: &[[f32; N]],
) -> Result<()> {
    // The sum carries into the sign exactly where all bits of the exponent are set.
    let carry = |x: &f32| (x.to_bits() & 0x7fff_ffff) + 0x0080_0000;
    let carries = rows.as_flattened().iter().fold(0, |all, x| all | carry(x));
    if carries >> 31 == 0 || job.options.non_finite == NonFinite::Write {
        return Ok(());
    }
    let place = rows.iter().position(|row| row.iter().any(|x| !x.is_finite())).unwrap_or(0);
    Err(refuse(part, what, first + place, &rows[place]))
}

fn check_f64(job: &ObjJob<'_>, part: &ObjPart<'_>, first: usize, rows: &[[f64; 3]]) -> Result<()> {
    let finite = rows.as_flattened().iter().all(|x| x.is_finite());
    if finite || job.options.non_finite == NonFinite::Write {
        return Ok(());
    }
    let place = rows.iter().position(|row| row.iter().any(|x| !x.is_finite())).unwrap_or(0);
    Err(refuse(part, "vertex", first + place, &rows[place]))
}

#[cold]
fn refuse(part: &ObjPart<'_>, what: &str, number: usize, row: &[impl std::fmt::Display]) -> Error {
    let row: Vec<String> = row.iter().map(ToString::to_string).collect();
    Error::argument(format!("{}: {what} {number} is ({})", part.describe(), row.join(", ")))
        .hint("numbers that are not finite are written only when asked for: --allow-non-finite, non_finite")
}
