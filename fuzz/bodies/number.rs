//! Numbers as text and back, against std, on every tier that the machine has.

use solio_base::cpu::{Tier, available};
use solio_codec::lines::{self, FaceArrays, LineReader};
use solio_codec::number::Digits;
use solio_codec::number::format::{CornerIndices, face_rows_on, rows_f32_on, rows_f64_on};
use solio_codec::number::parse;
use std::cell::RefCell;
use std::fmt::Write;

/// The first byte says which check the others go through.
pub(crate) fn number(bytes: &[u8]) {
    let Some((&what, rest)) = bytes.split_first() else { return };
    match what % 6 {
        0 => parse_floats(rest),
        1 => parse_integers(rest),
        2 => format_f32(rest),
        3 => format_f64(rest),
        4 => format_faces(rest),
        _ => read_lines(rest),
    }
}

/// The length of the longest float at the start of `text`, after C's `strtod`, decimal only.
fn float_len(text: &[u8]) -> Option<usize> {
    let digits = |from: usize| text[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let sign = usize::from(matches!(text.first(), Some(b'+' | b'-')));
    let word = |w: &[u8]| text[sign..].get(..w.len()).is_some_and(|t| t.eq_ignore_ascii_case(w));
    if word(b"infinity") {
        return Some(sign + 8);
    }
    if word(b"inf") || word(b"nan") {
        return Some(sign + 3);
    }
    let before = digits(sign);
    let mut at = sign + before;
    let mut after = 0;
    if text.get(at) == Some(&b'.') {
        after = digits(at + 1);
        at += 1 + after;
    }
    if before + after == 0 {
        return None;
    }
    if matches!(text.get(at), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(text.get(at + 1), Some(b'+' | b'-')));
        let exponent = digits(at + 1 + sign);
        if exponent > 0 {
            at += 1 + sign + exponent;
        }
    }
    Some(at)
}

fn parse_floats(text: &[u8]) {
    let wanted = float_len(text).map(|len| {
        let word = std::str::from_utf8(&text[..len]).expect("ASCII");
        (word.parse::<f32>().expect("a float"), word.parse::<f64>().expect("a float"), len)
    });
    let single = parse::f32_prefix(text);
    let double = parse::f64_prefix(text);
    match (wanted, single, double) {
        (None, None, None) => {}
        (Some((a, b, len)), Some((single, n)), Some((double, m))) => {
            assert_eq!((len, len), (n, m), "length of {:?}", String::from_utf8_lossy(text));
            assert!(single.to_bits() == a.to_bits() || a.is_nan() && single.is_nan());
            assert!(double.to_bits() == b.to_bits() || b.is_nan() && double.is_nan());
        }
        other => panic!("{other:?} for {:?}", String::from_utf8_lossy(text)),
    }
}

fn parse_integers(text: &[u8]) {
    let len = text.iter().take_while(|b| b.is_ascii_digit()).count();
    let word = std::str::from_utf8(&text[..len]).expect("ASCII");
    assert_eq!(parse::u64_prefix(text), word.parse().ok().map(|n| (n, len)));
    let sign = usize::from(matches!(text.first(), Some(b'+' | b'-')));
    let len = sign + text[sign..].iter().take_while(|b| b.is_ascii_digit()).count();
    let word = std::str::from_utf8(&text[..len]).expect("ASCII");
    assert_eq!(parse::i64_prefix(text), word.parse().ok().map(|n| (n, len)));
}

thread_local! {
    static TIERS: Vec<Tier> = available();
    static READERS: RefCell<Vec<LineReader>> =
        RefCell::new(available().into_iter().map(LineReader::on).collect());
}

/// The digits that a byte asks for.
fn digits(byte: u8) -> Digits {
    match byte % 19 {
        18 => Digits::Shortest,
        n => Digits::Fixed(n),
    }
}

/// Rows of three floats on every tier against std.
macro_rules! format_floats {
    ($name:ident, $float:ty, $bytes:literal, $rows:ident) => {
        fn $name(bytes: &[u8]) {
            let Some((&how, rest)) = bytes.split_first() else { return };
            let digits = digits(how);
            let values: Vec<$float> =
                rest.as_chunks::<$bytes>().0.iter().map(|&b| <$float>::from_le_bytes(b)).collect();
            let (rows, _) = values.as_chunks::<3>();
            let mut first: Option<Vec<u8>> = None;
            TIERS.with(|tiers| {
                for &tier in tiers {
                    let mut out = Vec::new();
                    $rows(tier, &mut out, b"v ", digits, rows);
                    if let Some(first) = &first {
                        assert_eq!(&out, first, "{} {digits:?} {rows:?}", tier.name());
                    } else {
                        first = Some(out);
                    }
                }
            });
            let text = String::from_utf8(first.expect("a tier")).expect("ASCII");
            let mut lines = text.lines();
            for row in rows {
                let line = lines.next().expect("a line a row").strip_prefix("v ").expect("prefix");
                let mut words = line.split(' ');
                for value in row {
                    let word = words.next().expect("a word a value");
                    if value.is_nan() {
                        assert_eq!(word, if value.is_sign_negative() { "-nan" } else { "nan" });
                        continue;
                    }
                    match digits {
                        Digits::Fixed(n) => assert_eq!(word, format!("{value:.*}", n as usize)),
                        Digits::Shortest => {
                            let back: $float = word.parse().expect("a float");
                            assert_eq!(back.to_bits(), value.to_bits(), "{word} for {value:?}");
                            let (ours, std) =
                                (significant(word), significant(&format!("{value:e}")));
                            // Where two are equally near, ours is the even one, std's the upper.
                            assert!(ours == std || is_even_twin(&ours, &std), "{ours} {std}");
                        }
                    }
                }
                assert_eq!(words.next(), None);
            }
            assert_eq!(lines.next(), None);
        }
    };
}

format_floats!(format_f32, f32, 4, rows_f32_on);
format_floats!(format_f64, f64, 8, rows_f64_on);

/// The digits of a number without zeros around them: not its sign, point and exponent.
fn significant(word: &str) -> String {
    let mantissa = word.split('e').next().unwrap_or_default();
    let digits: String = mantissa.chars().filter(|c| c.is_ascii_alphanumeric()).collect();
    digits.trim_matches('0').into()
}

/// Whether two texts of digits differ by one in the last place, and the first is even.
fn is_even_twin(ours: &str, std: &str) -> bool {
    let number = |digits: &str| digits.parse::<u64>().unwrap_or(0);
    ours.len() == std.len() && ours.ends_with(['0', '2', '4', '6', '8']) && {
        number(ours).abs_diff(number(std)) == 1
    }
}

/// Faces of up to eight corners on every tier against plain code.
fn format_faces(bytes: &[u8]) {
    let [how, rest @ ..] = bytes else { return };
    let (flip, has_uvs, has_normals) = (how & 1 > 0, how & 2 > 0, how & 4 > 0);
    let base = u64::from(how >> 3) * 0x1234_5678;
    let mut offsets = vec![0];
    let (mut vertices, mut uvs, mut normals) = (Vec::new(), Vec::new(), Vec::new());
    let (words, _) = rest.as_chunks::<4>();
    for &word in words {
        // Each word decides its own number of digits, whether it is an end, and what it lacks.
        let value = u32::from_le_bytes(word);
        let short = value >> (value & 31);
        vertices.push(short);
        uvs.push(if value & 64 > 0 { u32::MAX } else { short.rotate_left(7) });
        normals.push(if value & 128 > 0 { u32::MAX } else { short ^ 0x55 });
        if value & 0x300 == 0 || vertices.len() as u32 - offsets[offsets.len() - 1] == 8 {
            offsets.push(vertices.len() as u32);
        }
    }
    let corners = CornerIndices {
        vertices: &vertices,
        uvs: has_uvs.then_some(&uvs),
        normals: has_normals.then_some(&normals),
        vertex_base: base + 1,
        uv_base: 1,
        normal_base: base,
    };
    let mut wanted = String::new();
    for pair in offsets.windows(2) {
        let (start, end) = (pair[0] as usize, pair[1] as usize);
        wanted.push('f');
        for i in 0..end - start {
            let corner = if flip && i > 0 { end - i } else { start + i };
            let _ = write!(wanted, " {}", u64::from(vertices[corner]) + base + 1);
            let of = |has: bool, values: &[u32], base: u64| {
                let value = values[corner];
                (has && value != u32::MAX).then(|| (u64::from(value) + base).to_string())
            };
            match (of(has_uvs, &uvs, 1), of(has_normals, &normals, base)) {
                (None, None) => {}
                (Some(t), None) => wanted += &format!("/{t}"),
                (None, Some(n)) => wanted += &format!("//{n}"),
                (Some(t), Some(n)) => wanted += &format!("/{t}/{n}"),
            }
        }
        wanted.push('\n');
    }
    TIERS.with(|tiers| {
        for &tier in tiers {
            let mut out = Vec::new();
            face_rows_on(tier, &mut out, &offsets, &corners, flip);
            assert_eq!(String::from_utf8_lossy(&out), wanted, "{}", tier.name());
        }
    });
}

/// Whole lines: what a kernel takes must be what std reads there.
fn read_lines(text: &[u8]) {
    let mut padded = text.to_vec();
    padded.resize(text.len() + lines::PAD, b'7');
    READERS.with_borrow_mut(|readers| {
        for reader in readers {
            take_rows(reader, &padded, text.len());
            take_faces(reader, &padded, text.len());
        }
    });
}

fn take_rows(reader: &mut LineReader, padded: &[u8], len: usize) {
    let mut rows: Vec<[f32; 3]> = Vec::new();
    let used = reader.rows(padded, 0, len, b"v ", &mut rows);
    assert!(used <= len);
    let taken = std::str::from_utf8(&padded[..used]).expect("ASCII");
    let mut lines = taken.lines();
    for row in rows {
        let line = lines.next().expect("a line a row");
        let words = line.strip_prefix("v ").expect("the key").split_ascii_whitespace();
        let words: Vec<&str> = words.collect();
        assert_eq!(words.len(), 3, "{line}");
        for (word, value) in words.iter().zip(row) {
            let wanted: f32 = word.parse().expect("a float");
            assert_eq!(wanted.to_bits(), value.to_bits(), "{word}");
        }
    }
    assert_eq!(lines.next(), None);
}

fn take_faces(reader: &mut LineReader, padded: &[u8], len: usize) {
    let (mut vertices, mut uvs, mut normals, mut ends) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut arrays = FaceArrays {
        vertices: &mut vertices,
        uvs: &mut uvs,
        normals: &mut normals,
        ends: &mut ends,
    };
    let used = reader.faces(padded, 0, len, &mut arrays);
    assert!(used <= len);
    let taken = std::str::from_utf8(&padded[..used]).expect("ASCII");
    let mut corner = 0;
    let mut lines = taken.lines();
    for end in ends {
        let line = lines.next().expect("a line a face");
        for word in line.strip_prefix("f ").expect("the key").split_ascii_whitespace() {
            let mut parts = word.split('/');
            let mut next = |values: &[u32]| {
                let wanted = match parts.next() {
                    None | Some("") => u32::MAX,
                    Some(number) => number.parse::<u32>().expect("an index").wrapping_sub(1),
                };
                assert_eq!(values.get(corner).copied().unwrap_or(u32::MAX), wanted, "{line}");
            };
            next(&vertices);
            next(&uvs);
            next(&normals);
            corner += 1;
        }
        assert_eq!(corner, end as usize, "{line}");
    }
    assert_eq!(lines.next(), None);
    assert_eq!(corner, vertices.len());
}
