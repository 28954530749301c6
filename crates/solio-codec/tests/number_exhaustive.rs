//! All 2^32 `f32`s; minutes each, so only on request:
//! `cargo test --release -p solio-codec -- --ignored exhaustive`

use solio_base::cpu::{available, tier};
use solio_codec::number::Digits;
use solio_codec::number::format::rows_f32_on;
use solio_codec::number::parse::f32_prefix;
use std::fmt::Write;
use std::sync::atomic::{AtomicU32, Ordering};

/// Bit patterns that a thread takes at a time: one per upper 12 bits.
const PART: u32 = 1 << 20;

/// Runs `check` with each part's first pattern on all cores.
fn all_parts(check: impl Fn(u32) + Sync) {
    let next = AtomicU32::new(0);
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let part = next.fetch_add(1, Ordering::Relaxed);
                    if part > u32::MAX / PART {
                        return;
                    }
                    check(part * PART);
                }
            });
        }
    });
}

/// A part's values without NaN and infinities.
fn values_of(first: u32) -> Vec<[f32; 1]> {
    (first..=first + (PART - 1))
        .map(|bits| [f32::from_bits(bits)])
        .filter(|[v]| v.is_finite())
        .collect()
}

/// On every tier.
fn fixed(digits: usize) {
    all_parts(|first| {
        let values = values_of(first);
        let mut want = String::new();
        for [v] in &values {
            // Whole numbers from 2^64 on by way of integers: std takes a microsecond for each as a
            // float, so that way is looked at for one in 64.
            if v.abs() >= 2f32.powi(64) && v.to_bits() % 64 != 0 {
                let sign = if *v < 0.0 { "-" } else { "" };
                writeln!(want, "{sign}{}.{:0<digits$}", v.abs() as u128, "").unwrap();
            } else {
                writeln!(want, "{v:.digits$}").unwrap();
            }
        }
        let mut got = Vec::with_capacity(want.len());
        for tier in available() {
            got.clear();
            rows_f32_on(tier, &mut got, b"", Digits::Fixed(digits as u8), &values);
            assert!(got == want.as_bytes(), "{tier:?} from bits {first:#x}");
        }
    });
}

#[test]
#[ignore = "slow: all 2^32 values"]
fn exhaustive_fixed_6() {
    fixed(6);
}

#[test]
#[ignore = "slow: all 2^32 values"]
fn exhaustive_fixed_4() {
    fixed(4);
}

/// The text of the crate zmij on every tier. The significant digits of std, except for values exactly between two candidates; reads back to the
/// same bits by ours and by std.
#[test]
#[ignore = "slow: all 2^32 values"]
fn exhaustive_shortest() {
    all_parts(|first| {
        let values = values_of(first);
        let mut text = Vec::new();
        rows_f32_on(tier(), &mut text, b"", Digits::Shortest, &values);
        let mut zmij = zmij::Buffer::new();
        let mut same = Vec::with_capacity(text.len());
        for [v] in &values {
            let other = zmij.format_finite(*v).replace("e+", "e");
            same.extend(other.strip_suffix(".0").unwrap_or(&other).bytes());
            same.push(b'\n');
        }
        for tier in available() {
            let mut text = Vec::with_capacity(same.len());
            rows_f32_on(tier, &mut text, b"", Digits::Shortest, &values);
            assert!(text == same, "{tier:?} from bits {first:#x}");
        }
        let mut std = String::new();
        let (mut a, mut b) = (Vec::new(), Vec::new());
        let mut rest = &text[..];
        for [v] in values {
            let (back, len) = f32_prefix(rest).expect("a number");
            assert_eq!(back.to_bits(), v.to_bits(), "ours");
            let line = std::str::from_utf8(&rest[..len]).unwrap();
            assert_eq!(rest[len], b'\n');
            rest = &rest[len + 1..];
            std.clear();
            write!(std, "{v:e}").unwrap();
            significant(line, &mut a);
            significant(&std, &mut b);
            if a != b {
                let exact = format!("{v:.60e}");
                let mut c = Vec::new();
                significant(&exact, &mut c);
                assert_eq!(c.split_last(), Some((&b'5', &a[..])), "{line} {std} {exact}");
                assert!(a.last().unwrap() % 2 == 0 && a.len() == b.len(), "{line} {std}");
                assert_eq!(line.parse::<f32>().unwrap().to_bits(), v.to_bits(), "std");
            }
        }
        assert!(rest.is_empty());
    });
}

/// The digits of a number without point, exponent, sign and outer zeros.
fn significant(text: &str, digits: &mut Vec<u8>) {
    digits.clear();
    let mantissa = text.split('e').next().unwrap_or(text);
    digits.extend(mantissa.bytes().filter(u8::is_ascii_digit).skip_while(|&b| b == b'0'));
    while digits.last() == Some(&b'0') {
        digits.pop();
    }
}
