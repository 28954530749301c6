//! Number text, one core: each kernel against a copy of the text that it makes or reads.
//!
//! A copy into a reused buffer is the least that any writer of that text can do.

use crate::turns::BenchTurns;
use serde_json::{Value, json};
use solio::{Digits, cpu};
use solio_codec::lines;
use solio_codec::number::{format, parse};
use std::fmt::Display;
use std::hint::black_box;
use std::str::FromStr;

/// Rows whose text stays in the second-level cache, as a chunk of a file does.
const ROWS: usize = 4096;

/// Rows of a whole large mesh, beyond every cache.
const MANY_ROWS: usize = 2_000_000;

/// Runs a kernel once into a buffer; returns whether the answer was right.
type KernelRun = Box<dyn FnMut(&mut Vec<u8>) -> bool>;

struct KernelCase {
    name: &'static str,
    numbers: usize,
    /// The text by the plain road of std, which the kernel must equal.
    text: Vec<u8>,
    run: KernelRun,
}

/// Measures every kernel on the CPU tier in force; the times are of one number.
///
/// # Panics
/// When a kernel's answer differs from std's.
pub(crate) fn measure(rounds: usize) -> impl Iterator<Item = Value> {
    cases().into_iter().map(move |KernelCase { name, numbers, text, mut run }| {
        let mut out = Vec::with_capacity(2 * text.len() + 4096);
        let mut kernel = || assert!(run(&mut out), "{name}: the answer differs from std's");
        let mut to = vec![0u8; text.len()];
        let mut copy = || black_box(&mut to).copy_from_slice(black_box(&text));
        let turns = BenchTurns::of_kernels(rounds, numbers, &mut kernel, &mut copy);
        let answer = format!("{} bytes as std", text.len());
        let more = json!({ "tier": cpu::tier().name(), "answer": answer });
        turns.row(name, "a copy of the text", more)
    })
}

fn cases() -> Vec<KernelCase> {
    let positions = rows(ROWS, |x| x * 20.0 - 10.0);
    let doubles: Vec<[f64; 3]> =
        positions.iter().map(|row| row.map(|x| f64::from(x) * 1000.0 + 500_000.123)).collect();
    let unit = rows(ROWS, |x| x * 2.0 - 1.0);
    let mut cases = vec![
        rows_case("write f32, 6 digits", Digits::Fixed(6), positions.clone()),
        rows_case(
            "write f32, 6 digits, 61 MB",
            Digits::Fixed(6),
            rows(MANY_ROWS, |x| x * 20.0 - 10.0),
        ),
        rows_case("write f32, 4 digits", Digits::Fixed(4), unit),
        rows_case("write f32, shortest", Digits::Shortest, positions.clone()),
    ];
    for (name, digits) in
        [("write f64, 6 digits", Digits::Fixed(6)), ("write f64, shortest", Digits::Shortest)]
    {
        let (rows, doubles) = (&doubles, doubles.clone());
        let fill = move |out: &mut Vec<u8>| {
            format::rows_f64(out, b"v ", digits, black_box(&doubles));
        };
        cases.push(writer(name, 3 * ROWS, text_of(name, digits, rows, &fill), fill));
    }
    cases.push(faces_case());
    cases.push(parse_case(&positions));
    if matches!(cpu::tier(), cpu::Tier::Avx2 | cpu::Tier::Avx512) {
        let along_a_curve: Vec<[f32; 3]> = (0..ROWS)
            .map(|i| i as f32 * 0.003)
            .map(|a| [8.0 * a.sin(), 6.0 * (1.3 * a).cos(), 3.0 * (0.7 * a).sin()])
            .collect();
        if takes_rows() {
            cases.push(read_rows_case("read v x y z, neighbours", &along_a_curve));
            cases.push(read_rows_case("read v x y z, random", &positions));
        }
        cases.push(read_faces_case());
    }
    cases
}

fn writer(
    name: &'static str,
    numbers: usize,
    text: Vec<u8>,
    fill: impl Fn(&mut Vec<u8>) + 'static,
) -> KernelCase {
    let expected = text.clone();
    let run = move |out: &mut Vec<u8>| {
        out.clear();
        fill(out);
        // Length always, content now and then: comparing it would cost as much as a copy.
        out.len() == expected.len() && out.last() == expected.last()
    };
    let mut once = Vec::new();
    let mut run: KernelRun = Box::new(run);
    assert!(run(&mut once) && once == text, "{name}: not the text that std calls right");
    KernelCase { name, numbers, text, run }
}

fn rows_case(name: &'static str, digits: Digits, rows: Vec<[f32; 3]>) -> KernelCase {
    let numbers = 3 * rows.len();
    let given = rows.clone();
    let fill = move |out: &mut Vec<u8>| {
        format::rows_f32(out, b"v ", digits, black_box(&given));
    };
    writer(name, numbers, text_of(name, digits, &rows, &fill), fill)
}

/// Faces with their text.
struct FaceText {
    offsets: Vec<u32>,
    vertices: Vec<u32>,
    uvs: Vec<u32>,
    normals: Vec<u32>,
    text: Vec<u8>,
}

fn faces() -> FaceText {
    let offsets: Vec<u32> = (0..=ROWS as u32).map(|i| 4 * i).collect();
    let vertices: Vec<u32> =
        (0..4 * ROWS as u32).map(|i| i.wrapping_mul(2_654_435_761) % 2_000_000).collect();
    let uvs: Vec<u32> = vertices.iter().map(|v| v / 2 + 7).collect();
    let normals: Vec<u32> = vertices.iter().map(|v| v / 3 + 1).collect();
    let mut text = String::new();
    for face in 0..ROWS {
        text.push('f');
        for c in 4 * face..4 * face + 4 {
            text += &format!(" {}/{}/{}", vertices[c] + 1, uvs[c] + 1, normals[c] + 1);
        }
        text.push('\n');
    }
    FaceText { offsets, vertices, uvs, normals, text: text.into_bytes() }
}

fn faces_case() -> KernelCase {
    let FaceText { offsets, vertices, uvs, normals, text } = faces();
    writer("write f v/vt/vn", 12 * ROWS, text, move |out| {
        let corners = format::CornerIndices {
            vertices: &vertices,
            uvs: Some(&uvs),
            normals: Some(&normals),
            vertex_base: 1,
            uv_base: 1,
            normal_base: 1,
        };
        format::face_rows(out, black_box(&offsets), &corners, false);
    })
}

/// Whether there is a kernel for lines of floats on this machine.
fn takes_rows() -> bool {
    let (input, len) = padded(b"v 1.0 2.0 3.0\n");
    lines::LineReader::default().rows::<3>(&input, 0, len, b"v ", &mut Vec::new()) == len
}

/// Lines `v x y z` by the kernel that reads runs of equal lines.
fn read_rows_case(name: &'static str, rows: &[[f32; 3]]) -> KernelCase {
    let text = fixed_rows(b"v ", 6, rows);
    let numbers = 3 * rows.len();
    let expected: Vec<[f32; 3]> =
        rows.iter().map(|row| row.map(|v| format!("{v:.6}").parse().unwrap_or(f32::NAN))).collect();
    let (mut reader, mut got) = (lines::LineReader::default(), Vec::new());
    let (input, len) = padded(&text);
    let mut first = true;
    let run = Box::new(move |_: &mut Vec<u8>| {
        got.clear();
        let end = reader.rows::<3>(black_box(&input), 0, len, b"v ", &mut got);
        // All of it the first time only: comparing floats costs as much as some kernels.
        let right = if std::mem::take(&mut first) { got == expected } else { true };
        right && end == len && got.last() == expected.last()
    });
    KernelCase { name, numbers, text, run }
}

/// Lines `f v/vt/vn …` by the kernel that reads runs of equal lines.
fn read_faces_case() -> KernelCase {
    let FaceText { offsets, vertices, uvs, normals, text } = faces();
    let mut reader = lines::LineReader::default();
    let (input, len) = padded(&text);
    let [mut v, mut t, mut n, mut ends] = [const { Vec::new() }; 4];
    let run = Box::new(move |_: &mut Vec<u8>| {
        for array in [&mut v, &mut t, &mut n, &mut ends] {
            array.clear();
        }
        let mut out =
            lines::FaceArrays { vertices: &mut v, uvs: &mut t, normals: &mut n, ends: &mut ends };
        let end = reader.faces(black_box(&input), 0, len, &mut out);
        end == len && v == vertices && t == uvs && n == normals && ends == offsets[1..]
    });
    KernelCase { name: "read f v/vt/vn", numbers: 12 * ROWS, text, run }
}

/// The text with what the line reader wants after it, and its own length.
fn padded(text: &[u8]) -> (Vec<u8>, usize) {
    let mut input = text.to_vec();
    input.resize(text.len() + lines::PAD, b'\n');
    (input, text.len())
}

fn parse_case(rows: &[[f32; 3]]) -> KernelCase {
    let text = fixed_rows(b"", 6, rows);
    let input = text.clone();
    let line: Vec<f32> = {
        let words = input.split(|b| b.is_ascii_whitespace()).filter(|w| !w.is_empty());
        words.map(|w| String::from_utf8_lossy(w).parse().unwrap_or(f32::NAN)).collect()
    };
    let expected: u64 = line.iter().map(|v| u64::from(v.to_bits())).sum();
    let run = Box::new(move |_: &mut Vec<u8>| {
        let (mut at, mut sum) = (0, 0u64);
        let input = black_box(&input[..]);
        while let Some((value, taken)) = parse::f32_prefix(&input[at..]) {
            sum += u64::from(value.to_bits());
            at += taken + 1;
        }
        sum == expected
    });
    KernelCase { name: "parse f32, one by one", numbers: 3 * rows.len(), text, run }
}

/// The right text of rows. Fixed digits: what std writes. Shortest: what `fill` writes, because
/// std knows no exponents and takes the upper of two equally near candidates; but only after std
/// has read every word back to the same value, and found none longer than its own.
fn text_of<T>(name: &str, digits: Digits, rows: &[[T; 3]], fill: &dyn Fn(&mut Vec<u8>)) -> Vec<u8>
where
    T: Copy + PartialEq + Display + FromStr,
{
    if let Digits::Fixed(digits) = digits {
        return fixed_rows(b"v ", digits, rows);
    }
    let mut text = Vec::new();
    fill(&mut text);
    let words = String::from_utf8_lossy(&text);
    let mut words = words.split_ascii_whitespace();
    for row in rows {
        assert_eq!(words.next(), Some("v"), "{name}");
        for value in row {
            let word = words.next().unwrap_or_default();
            assert!(word.parse::<T>().is_ok_and(|read| read == *value), "{name}: {word}");
            assert!(word.len() <= value.to_string().len(), "{name}: {word} is not the shortest");
        }
    }
    assert_eq!(words.next(), None, "{name}");
    text
}

/// Rows as std writes them.
fn fixed_rows<T: Display>(prefix: &[u8], digits: u8, rows: &[[T; 3]]) -> Vec<u8> {
    let mut out = Vec::new();
    for row in rows {
        out.extend_from_slice(prefix);
        let words: Vec<_> = row.iter().map(|v| format!("{v:.*}", usize::from(digits))).collect();
        out.extend_from_slice(words.join(" ").as_bytes());
        out.push(b'\n');
    }
    out
}

/// Rows of evenly spread numbers, always the same; `map` takes 0 to 1 to the range.
fn rows(count: usize, map: impl Fn(f32) -> f32) -> Vec<[f32; 3]> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        map((state >> 40) as f32 / (1u64 << 24) as f32)
    };
    (0..count).map(|_| [next(), next(), next()]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kernel_answers_as_std_does() {
        for mut case in cases() {
            assert!((case.run)(&mut Vec::new()), "{}", case.name);
        }
    }
}
