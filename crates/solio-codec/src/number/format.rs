//! Rows of numbers to lines of text.

use super::Digits;
use std::io::Write;

/// Appends `value` to `out`. NaN and infinities become `nan`, `inf`, `-inf`.
pub fn push_f32(out: &mut Vec<u8>, digits: Digits, value: f32) {
    if !value.is_finite() {
        return push_non_finite(out, value.is_nan(), value.is_sign_negative());
    }
    match digits {
        Digits::Fixed(n) => write!(out, "{:.*}", n as usize, value),
        Digits::Shortest => write!(out, "{value}"),
    }
    .expect("writing to a vector");
}

/// Appends `value` to `out`. NaN and infinities become `nan`, `inf`, `-inf`.
pub fn push_f64(out: &mut Vec<u8>, digits: Digits, value: f64) {
    if !value.is_finite() {
        return push_non_finite(out, value.is_nan(), value.is_sign_negative());
    }
    match digits {
        Digits::Fixed(n) => write!(out, "{:.*}", n as usize, value),
        Digits::Shortest => write!(out, "{value}"),
    }
    .expect("writing to a vector");
}

fn push_non_finite(out: &mut Vec<u8>, nan: bool, negative: bool) {
    out.extend_from_slice(match (nan, negative) {
        (true, false) => b"nan",
        (true, true) => b"-nan",
        (false, false) => b"inf",
        (false, true) => b"-inf",
    });
}

/// Appends `value` in decimal.
pub fn push_u32(out: &mut Vec<u8>, value: u32) {
    write!(out, "{value}").expect("writing to a vector");
}

/// Appends `value` in decimal.
pub fn push_i64(out: &mut Vec<u8>, value: i64) {
    write!(out, "{value}").expect("writing to a vector");
}

/// For each row of `N` floats appends `prefix`, the values separated by single spaces, and `\n`:
/// `rows_f32(out, b"v ", Digits::Fixed(6), &positions)`.
pub fn rows_f32<const N: usize>(
    out: &mut Vec<u8>,
    prefix: &[u8],
    digits: Digits,
    rows: &[[f32; N]],
) {
    for row in rows {
        out.extend_from_slice(prefix);
        for (i, &v) in row.iter().enumerate() {
            if i > 0 {
                out.push(b' ');
            }
            push_f32(out, digits, v);
        }
        out.push(b'\n');
    }
}

/// [`rows_f32`] for doubles.
pub fn rows_f64<const N: usize>(
    out: &mut Vec<u8>,
    prefix: &[u8],
    digits: Digits,
    rows: &[[f64; N]],
) {
    for row in rows {
        out.extend_from_slice(prefix);
        for (i, &v) in row.iter().enumerate() {
            if i > 0 {
                out.push(b' ');
            }
            push_f64(out, digits, v);
        }
        out.push(b'\n');
    }
}

/// Index arrays of the corners of some faces, as OBJ writes them.
///
/// All present arrays have the same length, one entry per corner. A value `u32::MAX` in `uvs` or
/// `normals` means *none for this corner*. The bases are added to every index (OBJ counts from 1).
#[derive(Clone, Copy, Debug)]
pub struct Corners<'a> {
    /// Vertex of each corner.
    pub vertices: &'a [u32],
    /// UV of each corner.
    pub uvs: Option<&'a [u32]>,
    /// Normal of each corner.
    pub normals: Option<&'a [u32]>,
    /// Added to each vertex index.
    pub vertex_base: u64,
    /// Added to each UV index.
    pub uv_base: u64,
    /// Added to each normal index.
    pub normal_base: u64,
}

/// Appends the lines `f a/b/c …` of the faces whose corners lie between consecutive `offsets`
/// (so `offsets.len() - 1` faces; offsets index into the arrays of `corners`).
///
/// With `flip` the order of the corners is reversed, the first one staying first.
///
/// # Panics
/// When an offset lies outside the arrays or offsets fall.
pub fn face_rows(out: &mut Vec<u8>, offsets: &[u32], corners: &Corners<'_>, flip: bool) {
    for pair in offsets.windows(2) {
        let (start, end) = (pair[0] as usize, pair[1] as usize);
        out.push(b'f');
        for k in 0..end - start {
            let i = if flip && k > 0 { end - k } else { start + k };
            out.push(b' ');
            push_corner(out, corners, i);
        }
        out.push(b'\n');
    }
}

fn push_corner(out: &mut Vec<u8>, c: &Corners<'_>, i: usize) {
    let of = |array: Option<&[u32]>, base: u64| {
        array.map(|a| a[i]).filter(|&v| v != u32::MAX).map(|v| v as u64 + base)
    };
    push_i64(out, (c.vertices[i] as u64 + c.vertex_base) as i64);
    match (of(c.uvs, c.uv_base), of(c.normals, c.normal_base)) {
        (None, None) => {}
        (Some(uv), None) => {
            out.push(b'/');
            push_i64(out, uv as i64);
        }
        (None, Some(normal)) => {
            out.extend_from_slice(b"//");
            push_i64(out, normal as i64);
        }
        (Some(uv), Some(normal)) => {
            out.push(b'/');
            push_i64(out, uv as i64);
            out.push(b'/');
            push_i64(out, normal as i64);
        }
    }
}
