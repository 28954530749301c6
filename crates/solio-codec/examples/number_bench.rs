//! Nanoseconds per number of each kernel and tier, beside std and a copy of the same text.
//!
//! Short samples, all candidates in turn, medians; every sample's text is compared with the plain
//! twin's first. `cargo run --release -p solio-codec --example number_bench`
#![allow(clippy::type_complexity, clippy::disallowed_methods, clippy::print_stdout)]

use solio_base::cpu::available;
use solio_codec::number::Digits;
use solio_codec::number::format::{Corners, face_rows_on, rows_f32_on, rows_f64_on};
use solio_codec::number::parse::{f32_prefix, f64_prefix, u32_prefix};
use std::hint::black_box;
use std::io::Write;
use std::time::Instant;

const ROWS: usize = 8192;
const SAMPLES: usize = 61;

type Candidate<'a> = (String, Box<dyn FnMut(&mut Vec<u8>) + 'a>);

/// Runs all candidates in turn; the first one gives the text that all must equal.
fn measure(title: &str, values: usize, mut candidates: Vec<Candidate<'_>>) {
    let mut want = Vec::new();
    candidates[0].1(&mut want);
    let copy = want.clone();
    candidates.push(("copy".into(), Box::new(move |out| out.extend_from_slice(black_box(&copy)))));
    let mut times = vec![Vec::new(); candidates.len()];
    let mut out = Vec::with_capacity(2 * want.len() + (1 << 20));
    for _ in 0..SAMPLES {
        for ((name, run), times) in candidates.iter_mut().zip(&mut times) {
            out.clear();
            let start = Instant::now();
            run(&mut out);
            times.push(start.elapsed().as_nanos() as f64 / values as f64);
            assert!(out == want, "{title}: {name} differs");
        }
    }
    print!("{title:<24}");
    for ((name, _), times) in candidates.iter().zip(&mut times) {
        times.sort_by(f64::total_cmp);
        print!(" {name} {:.2}", times[times.len() / 2]);
    }
    println!("  ({} bytes)", want.len());
}

/// Values spread evenly between -1/2 and 1/2, times `scale`.
fn spread(i: usize, scale: f64) -> f64 {
    let bits = (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 11;
    (bits as f64 / (1u64 << 53) as f64 - 0.5) * scale
}

fn floats(title: &str, digits: Digits, scale: f64) {
    let rows: Vec<[f32; 3]> =
        (0..ROWS).map(|i| [0, 1, 2].map(|k| spread(3 * i + k, scale) as f32)).collect();
    let rows = &rows;
    let mut all: Vec<Candidate<'_>> = Vec::new();
    for tier in available() {
        let run = move |out: &mut Vec<u8>| rows_f32_on(tier, out, b"v ", digits, rows);
        all.push((tier.name().into(), Box::new(run)));
    }
    if let Digits::Fixed(n) = digits {
        let n = n as usize;
        let run = move |out: &mut Vec<u8>| {
            for [x, y, z] in rows {
                writeln!(out, "v {x:.n$} {y:.n$} {z:.n$}").unwrap();
            }
        };
        all.push(("std".into(), Box::new(run)));
    }
    measure(title, 3 * ROWS, all);
}

fn doubles(title: &str, digits: Digits, scale: f64) {
    let rows: Vec<[f64; 3]> =
        (0..ROWS).map(|i| [0, 1, 2].map(|k| spread(3 * i + k, scale))).collect();
    let rows = &rows;
    let mut all: Vec<Candidate<'_>> = Vec::new();
    for tier in available() {
        let run = move |out: &mut Vec<u8>| rows_f64_on(tier, out, b"v ", digits, rows);
        all.push((tier.name().into(), Box::new(run)));
    }
    if let Digits::Fixed(n) = digits {
        let n = n as usize;
        let run = move |out: &mut Vec<u8>| {
            for [x, y, z] in rows {
                writeln!(out, "v {x:.n$} {y:.n$} {z:.n$}").unwrap();
            }
        };
        all.push(("std".into(), Box::new(run)));
    }
    measure(title, 3 * ROWS, all);
}

fn faces(title: &str, corners_of_a_face: usize, first: u32, parts: usize) {
    let count = ROWS * corners_of_a_face;
    let offsets: Vec<u32> = (0..=ROWS).map(|i| (i * corners_of_a_face) as u32).collect();
    let index = |k: usize| -> Vec<u32> {
        (0..count).map(|i| first + (i / 3 * k + i * i % 700) as u32).collect()
    };
    let (v, t, n) = (index(1), index(2), index(3));
    let corners = Corners {
        vertices: &v,
        uvs: (parts > 1).then_some(&t),
        normals: (parts > 2).then_some(&n),
        vertex_base: 1,
        uv_base: 1,
        normal_base: 1,
    };
    let (corners, offsets) = (&corners, &offsets);
    let mut all: Vec<Candidate<'_>> = Vec::new();
    for tier in available() {
        let run = move |out: &mut Vec<u8>| face_rows_on(tier, out, offsets, corners, false);
        all.push((tier.name().into(), Box::new(run)));
    }
    measure(title, count * parts, all);
}

/// Parses numbers each followed by a space; `write` writes the bits so that the results compare.
fn parse(title: &str, text: &[u8], values: usize, all: Vec<(&str, fn(&[u8]) -> (u64, usize))>) {
    let candidates = all
        .into_iter()
        .map(|(name, read)| -> Candidate<'_> {
            let run = move |out: &mut Vec<u8>| {
                let (mut at, mut sum) = (0, 0u64);
                while at < text.len() {
                    let (bits, len) = read(&text[at..]);
                    sum = sum.wrapping_mul(31).wrapping_add(bits);
                    at += len + 1;
                }
                out.extend_from_slice(&sum.to_le_bytes());
            };
            (name.into(), Box::new(run))
        })
        .collect();
    measure(title, values, candidates);
}

/// Up to the next space.
fn word(text: &[u8]) -> &str {
    let end = text.iter().position(|&b| b == b' ').unwrap_or(text.len());
    std::str::from_utf8(&text[..end]).unwrap()
}

fn parsers() {
    for (title, scale, digits) in [
        ("parse f32 0.439019", 2.0, 6),
        ("parse f32 1234.5678", 20_000.0, 4),
        ("parse f32 9 digits", 2.0, 9),
    ] {
        let mut text = Vec::new();
        for i in 0..3 * ROWS {
            write!(text, "{:.digits$} ", spread(i, scale)).unwrap();
        }
        parse(
            title,
            &text,
            3 * ROWS,
            vec![
                ("solio", |t| f32_prefix(t).map(|(v, n)| (v.to_bits().into(), n)).unwrap()),
                ("fast-float2", |t| {
                    fast_float2::parse_partial::<f32, _>(t)
                        .map(|(v, n)| (v.to_bits().into(), n))
                        .unwrap()
                }),
                ("std", |t| {
                    let w = word(t);
                    (w.parse::<f32>().unwrap().to_bits().into(), w.len())
                }),
            ],
        );
    }
    let mut text = Vec::new();
    for i in 0..3 * ROWS {
        write!(text, "{:.6} ", spread(i, 360.0)).unwrap();
    }
    parse(
        "parse f64 123.456789",
        &text,
        3 * ROWS,
        vec![
            ("solio", |t| f64_prefix(t).map(|(v, n)| (v.to_bits(), n)).unwrap()),
            ("fast-float2", |t| {
                fast_float2::parse_partial::<f64, _>(t).map(|(v, n)| (v.to_bits(), n)).unwrap()
            }),
        ],
    );
    for (title, modulus) in [("parse u32 6 digits", 900_000), ("parse u32 1-3 digits", 900)] {
        let mut text = Vec::new();
        for i in 0..3 * ROWS {
            write!(text, "{} ", i * i % modulus).unwrap();
        }
        parse(
            title,
            &text,
            3 * ROWS,
            vec![
                ("solio", |t| u32_prefix(t).map(|(v, n)| (v.into(), n)).unwrap()),
                ("std", |t| {
                    let w = word(t);
                    (w.parse::<u32>().unwrap().into(), w.len())
                }),
            ],
        );
    }
}

fn main() {
    floats("f32 fixed 6, near 1", Digits::Fixed(6), 3.0);
    floats("f32 fixed 6, near 1000", Digits::Fixed(6), 3000.0);
    floats("f32 fixed 4, near 1", Digits::Fixed(4), 2.0);
    floats("f32 fixed 9", Digits::Fixed(9), 3.0);
    floats("f32 shortest", Digits::Shortest, 3.0);
    doubles("f64 fixed 6, near 1", Digits::Fixed(6), 3.0);
    doubles("f64 fixed 3, georef.", Digits::Fixed(3), 6e6);
    doubles("f64 fixed 9, degrees", Digits::Fixed(9), 360.0);
    doubles("f64 shortest", Digits::Shortest, 3.0);
    faces("quads a/b/c, 7 digits", 4, 1_500_000, 3);
    faces("quads a/b/c, mixed", 4, 0, 3);
    faces("triangles a/b", 3, 60_000, 2);
    faces("triangles a", 3, 60_000, 1);
    parsers();
}
