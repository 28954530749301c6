//! Number text against std, on every tier.

use proptest::prelude::*;
use solio_base::cpu::available;
use solio_codec::number::Digits;
use solio_codec::number::format::{
    CornerIndices, face_rows_on, push_f32, push_f64, push_i64, push_u32, rows_f32_on, rows_f64_on,
};
use std::fmt::Write;

/// `%.Nf` of C for a finite value by std.
macro_rules! fixed {
    ($v:expr, $n:expr) => {
        match $v {
            v if v.is_nan() => if v.is_sign_negative() { "-nan" } else { "nan" }.to_string(),
            v => format!("{:.*}", $n as usize, v),
        }
    };
}

fn floats_f32() -> Vec<f32> {
    let mut values = vec![
        0.0,
        -0.0,
        0.5,
        1.5,
        2.5,
        -2.5,
        0.125,
        0.375,
        0.000_000_5,
        0.999_999_5,
        9.999_999,
        99.999_999,
        99.999_99,
        100.0,
        999_999.94,
        16_777_216.0,
        16_777_215.0,
        1e15,
        9.99e14,
        1.000_000_1e15,
        1e16,
        1e18,
        9.2e18,
        9.3e18,
        1e19,
        1e30,
        f32::MAX,
        f32::MIN,
        f32::MIN_POSITIVE,
        f32::from_bits(1),
        f32::from_bits(0x7f_ffff),
        f32::NAN,
        -f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        -0.000_000_4,
        33_554_432.0,
        4_503_599_600_000_000.0,
    ];
    for e in -45..39 {
        let power: f32 = format!("1e{e}").parse().unwrap();
        for d in -3i32..=3 {
            values.push(f32::from_bits(power.to_bits().saturating_add_signed(d)));
        }
    }
    // Ties at every digit: odd multiples of 2^-k.
    for k in 0..24 {
        for m in [1, 3, 5, 7, 9, 25, 12_345, 99_999] {
            values.push(m as f32 / (1 << k) as f32);
        }
    }
    for i in 0..3000u32 {
        values.push(f32::from_bits(i.wrapping_mul(0x9e37_79b9)));
        values.push((i.wrapping_mul(0x9e37_79b9) as f32 / u32::MAX as f32 - 0.5) * 4.0);
        values.push((i.wrapping_mul(0x9e37_79b9) as f32 / u32::MAX as f32 - 0.5) * 4e4);
    }
    values
}

fn floats_f64() -> Vec<f64> {
    let mut values: Vec<f64> = floats_f32().into_iter().map(f64::from).collect();
    for e in -324..309 {
        let power: f64 = format!("1e{e}").parse().unwrap();
        for d in -3i64..=3 {
            values.push(f64::from_bits(power.to_bits().saturating_add_signed(d)));
        }
    }
    for i in 0..3000u64 {
        let r = i.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        values.push(f64::from_bits(r));
        let unit = r as f64 / u64::MAX as f64;
        values.extend([unit, unit * 180.0 - 90.0, 4e5 + unit * 1e5, unit * 1e7, unit * 1e12]);
        // Decimals near ties.
        values.push((r % 1_000_000) as f64 / 1e6 + 0.000_000_5);
    }
    values
}

/// All values in rows of `N`, each row on its own and all at once, on every tier.
macro_rules! check_rows {
    ($rows:ident, $n:literal, $prefix:expr, $digits:expr, $values:expr, $expect:expr) => {
        for tier in available() {
            let rows: Vec<[_; $n]> =
                $values.chunks_exact($n).map(|c| c.try_into().unwrap()).collect();
            let mut want = String::from("before");
            for row in &rows {
                want.push_str($prefix);
                let text: Vec<String> = row.iter().map(|&v| $expect(v)).collect();
                want.push_str(&text.join(" "));
                want.push('\n');
            }
            let mut got = b"before".to_vec();
            $rows(tier, &mut got, $prefix.as_bytes(), $digits, &rows);
            let got = String::from_utf8(got).unwrap();
            for (i, (g, w)) in got.lines().zip(want.lines()).enumerate() {
                assert_eq!(g, w, "row {i} of {} on {tier:?}: {:?}", $n, rows[i]);
            }
            assert_eq!(got.len(), want.len());
        }
    };
}

#[test]
fn fixed_f32_equals_std_on_every_tier() {
    let values = floats_f32();
    for n in 0..=17u8 {
        let expect = |v: f32| fixed!(v, n);
        check_rows!(rows_f32_on, 3, "v ", Digits::Fixed(n), values, expect);
        for &v in &values {
            let mut got = Vec::new();
            push_f32(&mut got, Digits::Fixed(n), v);
            assert_eq!(got, expect(v).as_bytes(), "{v:e} with {n} digits");
        }
    }
}

#[test]
fn fixed_f64_equals_std_on_every_tier() {
    let values = floats_f64();
    for n in 0..=17u8 {
        let expect = |v: f64| fixed!(v, n);
        check_rows!(rows_f64_on, 3, "v ", Digits::Fixed(n), values, expect);
        for &v in &values {
            let mut got = Vec::new();
            push_f64(&mut got, Digits::Fixed(n), v);
            assert_eq!(got, expect(v).as_bytes(), "{v:e} with {n} digits");
        }
    }
}

#[test]
fn rows_of_any_width_with_any_prefix() {
    let values: Vec<f32> = (0..997).map(|i| (i as f32 - 300.0) * 0.37).collect();
    let doubles: Vec<f64> = values.iter().map(|&v| f64::from(v) * 1.1).collect();
    for prefix in ["", "v ", "vn ", "vt ", "  vertex ", "      a prefix of some length: "] {
        for n in [0u8, 4, 6, 9] {
            let (f, d) = (|v: f32| fixed!(v, n), |v: f64| fixed!(v, n));
            check_rows!(rows_f32_on, 1, prefix, Digits::Fixed(n), values, f);
            check_rows!(rows_f32_on, 2, prefix, Digits::Fixed(n), values, f);
            check_rows!(rows_f32_on, 3, prefix, Digits::Fixed(n), values, f);
            check_rows!(rows_f32_on, 4, prefix, Digits::Fixed(n), values, f);
            check_rows!(rows_f32_on, 5, prefix, Digits::Fixed(n), values, f);
            check_rows!(rows_f32_on, 6, prefix, Digits::Fixed(n), values, f);
            check_rows!(rows_f64_on, 1, prefix, Digits::Fixed(n), doubles, d);
            check_rows!(rows_f64_on, 2, prefix, Digits::Fixed(n), doubles, d);
            check_rows!(rows_f64_on, 3, prefix, Digits::Fixed(n), doubles, d);
            check_rows!(rows_f64_on, 7, prefix, Digits::Fixed(n), doubles, d);
        }
    }
    for tier in available() {
        for count in 0..40 {
            let rows: Vec<[f32; 3]> = (0..count).map(|i| [i as f32, -0.0, 12_345.678]).collect();
            let want: String =
                (0..count).map(|i| format!("vn {i}.0000 -0.0000 12345.6777\n")).collect();
            let mut got = Vec::new();
            rows_f32_on(tier, &mut got, b"vn ", Digits::Fixed(4), &rows);
            assert_eq!(String::from_utf8(got).unwrap(), want);
        }
    }
}

#[test]
fn non_finite_values_are_named() {
    let rows = [[f32::NAN, -f32::NAN, f32::INFINITY], [1.0, f32::NEG_INFINITY, 1e20]];
    for tier in available() {
        let mut out = Vec::new();
        rows_f32_on(tier, &mut out, b"v ", Digits::Fixed(1), &rows);
        assert_eq!(out, b"v nan -nan inf\nv 1.0 -inf 100000002004087734272.0\n");
        let mut out = Vec::new();
        rows_f32_on(tier, &mut out, b"v ", Digits::Shortest, &rows);
        assert_eq!(out, b"v nan -nan inf\nv 1 -inf 1e20\n");
    }
}

/// Digits without notation: sign, significant digits, exponent of the first.
fn significant(text: &str) -> (bool, String, i32) {
    let (negative, text) = text.strip_prefix('-').map_or((false, text), |t| (true, t));
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{whole}{part}");
    let zeros = all.len() - all.trim_start_matches('0').len();
    let exponent = exponent.parse::<i32>().unwrap() + whole.len() as i32 - zeros as i32;
    let digits = all.trim_matches('0').to_string();
    (negative, digits.clone(), if digits.is_empty() { 0 } else { exponent })
}

/// Panics unless `got` is the shortest text of a value: the digits of std or, where the value lies
/// exactly between two candidates (std then takes the upper one), the even one of them.
fn check_shortest(got: &str, std: &str, exact: &str) {
    let (got, std, exact) = (significant(got), significant(std), significant(exact));
    if got != std {
        assert_eq!((got.0, got.2), (std.0, std.2));
        assert_eq!(exact.1, format!("{}5", got.1), "{std:?}");
        assert!(matches!(got.1.as_bytes().last(), Some(b'0' | b'2' | b'4' | b'6' | b'8')));
    }
}

#[test]
fn shortest_has_the_digits_of_std_and_reads_back() {
    for v in floats_f32().into_iter().filter(|v| v.is_finite()) {
        let mut got = Vec::new();
        push_f32(&mut got, Digits::Shortest, v);
        let got = String::from_utf8(got).unwrap();
        check_shortest(&got, &format!("{v:e}"), &format!("{v:.40e}"));
        assert_eq!(got.parse::<f32>().unwrap().to_bits(), v.to_bits());
        assert!(got.len() <= 16 && !got.ends_with('.') && !got.ends_with(".0"), "{got}");
    }
    for v in floats_f64().into_iter().filter(|v| v.is_finite()) {
        let mut got = Vec::new();
        push_f64(&mut got, Digits::Shortest, v);
        let got = String::from_utf8(got).unwrap();
        check_shortest(&got, &format!("{v:e}"), &format!("{v:.40e}"));
        assert_eq!(got.parse::<f64>().unwrap().to_bits(), v.to_bits());
    }
}

/// The shortest text as the crate zmij has it, in our notation.
fn zmij<F: zmij::Float>(value: F) -> String {
    let mut buffer = zmij::Buffer::new();
    let text = buffer.format_finite(value).replace("e+", "e");
    text.strip_suffix(".0").unwrap_or(&text).to_string()
}

#[test]
fn shortest_equals_zmij_on_every_tier() {
    let mut values = floats_f32();
    // Each exponent: the ends of its fractions, and some between.
    for exponent in 0..255u32 {
        for fraction in [0, 1, 2, 3, 0x2a_aaaa, 0x40_0000, 0x7f_fffe, 0x7f_ffff] {
            values.push(f32::from_bits(exponent << 23 | fraction));
        }
    }
    values.retain(|v| v.is_finite());
    check_rows!(rows_f32_on, 1, "", Digits::Shortest, values, zmij);
    check_rows!(rows_f32_on, 3, "v ", Digits::Shortest, values, zmij);
    check_rows!(rows_f32_on, 3, "  a long prefix ", Digits::Shortest, values, zmij);
    // By size, so that four together are of one.
    values.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
    check_rows!(rows_f32_on, 5, "vn ", Digits::Shortest, values, zmij);

    let mut values = floats_f64();
    for exponent in 0..2047u64 {
        for fraction in [0, 1, 2, 3, 0x5_5555_5555_5555, (1 << 52) - 2, (1 << 52) - 1] {
            values.push(f64::from_bits(exponent << 52 | fraction));
        }
    }
    // In the middle of two decimals of 17 digits, and near it.
    for i in 0..20_000u64 {
        let odd = i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 11 | 1;
        let bits = i % 50;
        values.push((odd >> (i % 30) | 1) as f64 / (1u64 << bits) as f64);
        values.push(f64::from((odd >> 29) as u32 as f32) / 65_536.0);
    }
    values.retain(|v| v.is_finite());
    check_rows!(rows_f64_on, 1, "", Digits::Shortest, values, zmij);
    check_rows!(rows_f64_on, 3, "v ", Digits::Shortest, values, zmij);
    values.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
    check_rows!(rows_f64_on, 2, "vt ", Digits::Shortest, values, zmij);
}

#[test]
fn shortest_picks_the_notation() {
    let cases: [(f32, &str); 12] = [
        (0.0, "0"),
        (-0.0, "-0"),
        (1.0, "1"),
        (-0.25, "-0.25"),
        (1e-6, "0.000001"),
        (1e-7, "1e-7"),
        (1.5e-9, "1.5e-9"),
        (1e12, "1000000000000"),
        (1e13, "1e13"),
        (123_456_789.0, "123456790"),
        (-2.5e20, "-2.5e20"),
        (0.1, "0.1"),
    ];
    for (v, want) in cases {
        let mut got = Vec::new();
        push_f32(&mut got, Digits::Shortest, v);
        assert_eq!(String::from_utf8(got).unwrap(), want);
    }
    let cases: [(f64, &str); 6] = [
        (0.1, "0.1"),
        (1e-5, "0.00001"),
        (1e-6, "1e-6"),
        (1e15, "1000000000000000"),
        (1e16, "1e16"),
        (1.25e-300, "1.25e-300"),
    ];
    for (v, want) in cases {
        let mut got = Vec::new();
        push_f64(&mut got, Digits::Shortest, v);
        assert_eq!(String::from_utf8(got).unwrap(), want);
    }
}

#[test]
fn integers_equal_std() {
    let mut values = vec![0u64, u64::MAX, u64::MAX >> 1];
    for i in 0..20 {
        let p = 10u64.pow(i);
        values.extend([p - 1, p, p + 1]);
    }
    for v in values {
        let mut got = Vec::new();
        push_u32(&mut got, v as u32);
        push_i64(&mut got, v as i64);
        push_i64(&mut got, (v as i64).wrapping_neg());
        let want = format!("{}{}{}", v as u32, v as i64, (v as i64).wrapping_neg());
        assert_eq!(String::from_utf8(got).unwrap(), want);
    }
}

fn expected_faces(offsets: &[u32], c: &CornerIndices<'_>, flip: bool) -> String {
    let mut want = String::new();
    for pair in offsets.windows(2) {
        let mut order: Vec<usize> = (pair[0] as usize..pair[1] as usize).collect();
        if flip && !order.is_empty() {
            order[1..].reverse();
        }
        want.push('f');
        for i in order {
            let of = |a: Option<&[u32]>, base: u64| {
                a.map(|a| a[i]).filter(|&v| v != u32::MAX).map(|v| u64::from(v) + base)
            };
            write!(want, " {}", u64::from(c.vertices[i]) + c.vertex_base).unwrap();
            match (of(c.uvs, c.uv_base), of(c.normals, c.normal_base)) {
                (None, None) => {}
                (Some(t), None) => write!(want, "/{t}").unwrap(),
                (None, Some(n)) => write!(want, "//{n}").unwrap(),
                (Some(t), Some(n)) => write!(want, "/{t}/{n}").unwrap(),
            }
        }
        want.push('\n');
    }
    want
}

fn check_faces(sizes: &[usize], seed: u64, magnitude: u32, none: bool, base: u64, parts: u8) {
    let mut offsets = vec![0u32];
    for s in sizes {
        offsets.push(offsets.last().unwrap() + *s as u32);
    }
    let count = *offsets.last().unwrap() as usize;
    let mut state = seed | 1;
    let mut next = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u32
    };
    let mut array = |optional: bool| -> Vec<u32> {
        (0..count)
            .map(|_| match next() % 7 {
                0 if optional && none => u32::MAX,
                1 => next() % 10,
                _ => next() % magnitude,
            })
            .collect()
    };
    let (vertices, uvs, normals) = (array(false), array(true), array(true));
    let corners = CornerIndices {
        vertices: &vertices,
        uvs: (parts & 1 != 0).then_some(&uvs),
        normals: (parts & 2 != 0).then_some(&normals),
        vertex_base: base,
        uv_base: base + 1,
        normal_base: 1,
    };
    for flip in [false, true] {
        let want = expected_faces(&offsets, &corners, flip);
        for tier in available() {
            let mut got = b"x".to_vec();
            face_rows_on(tier, &mut got, &offsets, &corners, flip);
            assert_eq!(String::from_utf8(got).unwrap()[1..], want, "{tier:?} flip {flip}");
        }
    }
}

proptest! {
    #[test]
    fn faces_equal_std_on_every_tier(
        sizes in prop::collection::vec(0usize..9, 0..40),
        seed: u64,
        bits in 1u32..32,
        none: bool,
        base in prop::sample::select(vec![0u64, 1, 999, 9_999_990, 99_999_990, 1 << 40]),
        parts in 0u8..4,
    ) {
        check_faces(&sizes, seed, 1 << bits, none, base, parts);
    }

    #[test]
    fn random_shortest_f32_rows_equal_zmij(
        rows in prop::collection::vec(prop::array::uniform3(any::<u32>()), 3..40),
        shift in 0u32..4,
    ) {
        let values: Vec<f32> = rows
            .iter()
            .flatten()
            .map(|&b| if shift == 0 { f32::from_bits(b) } else { b as i32 as f32 / (1u32 << (8 * shift)) as f32 })
            .filter(|v| v.is_finite())
            .collect();
        check_rows!(rows_f32_on, 3, "v ", Digits::Shortest, values, zmij);
    }

    #[test]
    fn random_shortest_f64_rows_equal_zmij(
        rows in prop::collection::vec(prop::array::uniform3(any::<u64>()), 3..40),
        shift in 0u32..7,
        cut in 0u32..60,
    ) {
        let values: Vec<f64> = rows
            .iter()
            .flatten()
            .map(|&b| if shift == 0 { f64::from_bits(b) } else { (b as i64 >> cut) as f64 / 2f64.powi(9 * shift as i32) })
            .filter(|v| v.is_finite())
            .collect();
        check_rows!(rows_f64_on, 3, "vn ", Digits::Shortest, values, zmij);
    }

    #[test]
    fn random_f32_rows_equal_std(
        rows in prop::collection::vec(prop::array::uniform3(any::<u32>()), 1..40),
        shift in 0u32..4,
        n in 0u8..=17,
    ) {
        // Mostly near 1, sometimes all bit patterns.
        let values: Vec<f32> = rows
            .iter()
            .flatten()
            .map(|&b| if shift == 0 { f32::from_bits(b) } else { b as i32 as f32 / (1u32 << (8 * shift)) as f32 })
            .collect();
        check_rows!(rows_f32_on, 3, "v ", Digits::Fixed(n), values, |v: f32| fixed!(v, n));
    }

    #[test]
    fn random_f64_rows_equal_std(
        rows in prop::collection::vec(prop::array::uniform3(any::<u64>()), 1..40),
        shift in 0u32..7,
        n in 0u8..=17,
    ) {
        let values: Vec<f64> = rows
            .iter()
            .flatten()
            .map(|&b| if shift == 0 { f64::from_bits(b) } else { b as i64 as f64 / 2f64.powi(9 * shift as i32) })
            .collect();
        check_rows!(rows_f64_on, 3, "vn ", Digits::Fixed(n), values, |v: f64| fixed!(v, n));
    }
}

#[test]
fn quads_of_every_digit_count() {
    for bits in 1u32..32 {
        check_faces(&[4; 65], u64::from(bits), 1 << bits, false, 1, 3);
        check_faces(&[3; 65], u64::from(bits), 1 << bits, true, 1, 3);
    }
}

#[test]
#[should_panic(expected = "range")]
fn an_offset_beyond_the_corners_panics() {
    let corners = CornerIndices {
        vertices: &[1, 2, 3],
        uvs: None,
        normals: None,
        vertex_base: 0,
        uv_base: 0,
        normal_base: 0,
    };
    face_rows_on(solio_base::cpu::tier(), &mut Vec::new(), &[0, 4], &corners, false);
}
