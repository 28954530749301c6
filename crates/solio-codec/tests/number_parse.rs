//! Numbers read from text against std.

use proptest::prelude::*;
use solio_codec::number::Digits;
use solio_codec::number::format::{push_f32, push_f64};
use solio_codec::number::parse::{f32_prefix, f64_prefix, i64_prefix, u64_prefix};

/// The longest start of a text that std reads.
fn longest<T: std::str::FromStr>(text: &[u8]) -> Option<(T, usize)> {
    (1..=text.len()).rev().find_map(|len| {
        let value = std::str::from_utf8(&text[..len]).ok()?.parse().ok()?;
        Some((value, len))
    })
}

/// Both floats of a text, alone and before other text.
fn check(text: &str) {
    for after in [
        "",
        " ",
        "\n",
        "/1 ",
        " 0.439019 0.25 1.0 -3.5\n",
        "\u{e9}tudes et autres textes",
        ", ",
        "                 ",
    ] {
        let all = format!("{text}{after}");
        let all = all.as_bytes();
        let bits =
            |r: Option<(f32, usize)>| r.map(|(v, n)| (if v.is_nan() { 1 } else { v.to_bits() }, n));
        assert_eq!(bits(f32_prefix(all)), bits(longest(all)), "f32 {text:?} before {after:?}");
        let bits =
            |r: Option<(f64, usize)>| r.map(|(v, n)| (if v.is_nan() { 1 } else { v.to_bits() }, n));
        assert_eq!(bits(f64_prefix(all)), bits(longest(all)), "f64 {text:?} before {after:?}");
    }
}

#[test]
fn every_notation_reads_as_in_std() {
    for text in [
        "0",
        "-0",
        "+0",
        "1",
        "-1",
        "+1",
        "1.",
        ".5",
        "-.5",
        "+.5",
        "-1.",
        ".",
        "-",
        "+",
        "",
        "-.",
        "+.",
        "1e5",
        "1E5",
        "1e+5",
        "1e-5",
        "1e",
        "1e+",
        "1e-",
        "1.e5",
        ".5e5",
        "1.5e",
        "1.5E-",
        "e5",
        ".e5",
        "nan",
        "NaN",
        "NAN",
        "-nan",
        "+nan",
        "inf",
        "Inf",
        "INF",
        "-inf",
        "+inf",
        "infinity",
        "Infinity",
        "-INFINITY",
        "infin",
        "in",
        "na",
        "n",
        "i",
        "0x10",
        "1_000",
        "1,5",
        "--1",
        "+-1",
        "-+1",
        "- 1",
        " 1",
        "1.2.3",
        "1..2",
        "0.439019",
        "-0.439019",
        "+0.439019",
        "12345678",
        "123456789",
        "1234567.",
        "12345678.",
        "1234567.1",
        "12345678.1",
        "1234567.12345678",
        "0.123456789",
        "0.12345678901234",
        "0.123456789012345",
        "0.1234567890123456",
        "0.123456789012345678901",
        "000000000000000000000001.5",
        "0000001.5",
        "0.0000000000000000000000001",
        "1e400",
        "1e-400",
        "3.4028235e38",
        "3.4028236e38",
        "1.17549435e-38",
        "1e-45",
        "4.9e-324",
        "2.2250738585072011e-308",
        "16777217",
        "16777217.0",
        "16777219.0",
        "16777216.99999999",
        "0.50000002980232239",
        "8388608.5",
        "8388609.5",
        "1.00000005960464477539",
        "1.00000017881393432617",
        "99999999",
        "9999999.9",
        "0.1e1",
        "0.100000e-2",
        "12.5e",
        "1234.5678e2",
        "0.12345678e1",
        "0.123456789e1",
        "é",
        "1é",
        "1.é",
        "1.5é",
        "0.123456é",
        "1\u{0}",
        "1:2",
        "1.5:",
    ] {
        check(text);
    }
}

#[test]
fn floats_between_singles_round_once() {
    // Decimals near the points between two singles, cut to some digits.
    for i in 0..20_000u32 {
        let single = f32::from_bits(0x3000_0000 + i.wrapping_mul(0x9e37_79b9) % 0x2000_0000);
        let next = f32::from_bits(single.to_bits() + 1);
        let between = (f64::from(single) + f64::from(next)) / 2.0;
        for n in 4..18 {
            let text = format!("{between:.n$} 1 2 3 4 5 6 7 8 9 0");
            let want: f32 = text.split(' ').next().unwrap().parse().unwrap();
            assert_eq!(f32_prefix(text.as_bytes()).unwrap().0.to_bits(), want.to_bits(), "{text}");
        }
    }
}

#[test]
fn integers_read_as_in_std() {
    for text in [
        "",
        "0",
        "7",
        "42",
        "123",
        "1234",
        "12345",
        "123456",
        "1234567",
        "12345678",
        "123456789",
        "4294967295",
        "4294967296",
        "18446744073709551615",
        "18446744073709551616",
        "00000000000000000000001",
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775808",
        "-9223372036854775809",
        "-1",
        "+1",
        "-",
        "+",
        "x",
        "1x",
        "/",
        "12/34",
        "1234567/1234567",
        "-12/",
        ":",
        "1:",
        "é",
        "1é",
    ] {
        for after in ["", " ", "/9 ", " 1234567 7654321\n", "\u{e9}", ":;"] {
            let all = format!("{text}{after}");
            let sign = usize::from(all.starts_with(['-', '+']));
            let end =
                all[sign..].find(|c: char| !c.is_ascii_digit()).map_or(all.len(), |n| n + sign);
            let (word, all) = (&all[..end], all.as_bytes());
            let unsigned = sign == 0;
            let want = |len| Some(len).filter(|_| unsigned);
            assert_eq!(
                u64_prefix(all),
                want(end).and_then(|n| Some((word.parse().ok()?, n))),
                "{word}"
            );
            assert_eq!(i64_prefix(all), word.parse().ok().map(|v| (v, end)), "{word}");
        }
    }
}

proptest! {
    #[test]
    fn decimals_read_as_in_std(
        text in "[-+]?[0-9]{0,9}(\\.[0-9]{0,9})?([eE][-+]?[0-9]{0,2})?[ /a-f\n]?",
    ) {
        check(&text);
    }

    #[test]
    fn long_decimals_read_as_in_std(text in "[-+]?[0-9]{0,25}(\\.[0-9]{0,25})?([eE][-+]?[0-9]{0,4})?") {
        check(&text);
    }

    #[test]
    fn any_bytes_read_as_in_std(text in "[-+.0-9eEinfaty \u{e9}\u{ff}:/]{0,24}") {
        check(&text);
    }

    #[test]
    fn what_was_written_reads_back(single: u32, double: u64) {
        let (single, double) = (f32::from_bits(single), f64::from_bits(double));
        let mut text = Vec::new();
        push_f32(&mut text, Digits::Shortest, single);
        let (back, len) = f32_prefix(&text).unwrap();
        prop_assert!(len == text.len() && (back.to_bits() == single.to_bits() || single.is_nan()));
        text.clear();
        push_f64(&mut text, Digits::Shortest, double);
        let (back, len) = f64_prefix(&text).unwrap();
        prop_assert!(len == text.len() && (back.to_bits() == double.to_bits() || double.is_nan()));
    }
}
