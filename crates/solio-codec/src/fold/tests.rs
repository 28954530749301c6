//! Every tier equals the rule; the Unicode folding equals another reading of Unicode's data.

use super::*;
use proptest::prelude::*;
use solio_base::cpu::{Tier, available};

type Fold16 = Box<dyn Fn(&mut Vec<u16>, &[u16])>;

/// All variants of the folding of 16-bit codes that run here.
fn variants() -> Vec<(String, Fold16)> {
    let mut all: Vec<(String, Fold16)> = vec![
        ("branchy".into(), Box::new(fold_ue4_branchy)),
        ("table".into(), Box::new(fold_ue4_table)),
        ("tier in force".into(), Box::new(fold_ue4)),
    ];
    for tier in available() {
        all.push((tier.name().into(), Box::new(move |out, codes| fold_ue4_on(tier, out, codes))));
    }
    all
}

/// The rule as it was written down for the engine, not as our code has it.
fn rule(code: u32) -> u32 {
    let letter = (65..=90).contains(&code) || ((192..=222).contains(&code) && code != 208);
    match code {
        _ if letter => code + 32,
        140 => 156,
        159 => 255,
        _ => code,
    }
}

#[test]
fn all_codes_follow_the_rule_in_every_variant() {
    let codes: Vec<u16> = (0..=u16::MAX).collect();
    let expected: Vec<u16> = (0..=0xffff).map(|code| rule(code) as u16).collect();
    for (name, fold) in variants() {
        let mut out = vec![7];
        fold(&mut out, &codes);
        assert_eq!(out[0], 7, "{name}: appends");
        assert_eq!(out[1..], expected, "{name}");
    }
    let changed = codes.iter().filter(|&&code| lower_ue4(code) != code).count();
    assert_eq!(changed, 26 + 30 + 2);
    assert_eq!([208, 223, 240, 247, 138, 142].map(lower_ue4), [208, 223, 240, 247, 138, 142]);
}

#[test]
fn every_alignment_and_length_of_tail() {
    // Every code that changes, and neighbours in all places of a vector.
    let codes: Vec<u16> = (0..700).map(|i: u16| i.wrapping_mul(37) % 300).collect();
    let expected: Vec<u16> = codes.iter().map(|&code| lower_ue4(code)).collect();
    for (name, fold) in variants() {
        for start in 0..64 {
            for len in (0..200).chain([255, 256, 257, 511, 600]) {
                let mut out = Vec::new();
                fold(&mut out, &codes[start..start + len]);
                assert_eq!(out, expected[start..start + len], "{name} {start} {len}");
            }
        }
    }
}

#[test]
fn unicode_folding_agrees_with_regex_syntax() {
    use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};
    let mut folded = Vec::new();
    for tier in available() {
        let mut members = 0;
        for character in '\0'..=char::MAX {
            let fold = fold_one(tier, character, &mut folded);
            // All characters that are equal but for case, by the tables of another crate.
            let mut class = ClassUnicode::new([ClassUnicodeRange::new(character, character)]);
            class.case_fold_simple();
            let mut equals = class.ranges().iter().flat_map(|range| range.start()..=range.end());
            assert!(equals.clone().any(|other| other == fold), "{character:?} → {fold:?}");
            let same = |other| fold_one(tier, other, &mut Vec::new()) == fold;
            assert!(equals.all(same), "{character:?} → {fold:?}");
            members += usize::from(fold != character);
        }
        assert_eq!(members, 1484, "mappings of status C and S in Unicode 16");
    }
}

fn fold_one(tier: Tier, character: char, out: &mut Vec<u8>) -> char {
    out.clear();
    fold_path_on(tier, out, character.encode_utf8(&mut [0; 4]).as_bytes());
    let text = std::str::from_utf8(out).expect("UTF-8 stays UTF-8");
    let mut characters = text.chars();
    let first = characters.next().expect("a character stays one");
    assert_eq!(characters.next(), None, "{character:?} becomes more than one");
    first
}

/// Folds on all tiers, which must agree; returns the one answer.
fn on_all_tiers(path: &[u8]) -> Vec<u8> {
    let (mut plain, mut in_force) = (Vec::new(), Vec::new());
    path::fold_characters(&mut plain, path);
    fold_path(&mut in_force, path);
    assert_eq!(in_force, plain);
    for tier in available() {
        let mut out = b"before".to_vec();
        fold_path_on(tier, &mut out, path);
        assert_eq!(out[..6], *b"before", "{} appends", tier.name());
        assert_eq!(out[6..], plain, "{}", tier.name());
    }
    plain
}

#[test]
fn characters_of_any_length_and_bytes_of_none() {
    assert_eq!(on_all_tiers("Straße/ΣΊΣΥΦΟΣ".as_bytes()), "straße/σίσυφοσ".as_bytes());
    assert_eq!(on_all_tiers("\u{212a}elvin Ⱥ".as_bytes()), "kelvin ⱥ".as_bytes());
    assert_eq!(on_all_tiers("𐐀A".as_bytes()), "𐐨a".as_bytes());
    // No locale: the dotted capital I has a full folding only, and stays.
    assert_eq!(on_all_tiers("İI".as_bytes()), "İi".as_bytes());
    // Half characters, surrogates, overlong forms.
    assert_eq!(
        on_all_tiers(b"A\xc3/\x84B\xed\xa0\x80\xc0\xc1Z"),
        b"a\xc3/\x84b\xed\xa0\x80\xc0\xc1z"
    );
    assert_eq!(on_all_tiers(b""), b"");
}

#[test]
fn a_character_at_every_place_of_every_length() {
    for len in 0..150 {
        let ascii: Vec<u8> = (0..len).map(|i| b"ABxyZ/_@[`{019"[i % 14]).collect();
        assert_eq!(on_all_tiers(&ascii), ascii.to_ascii_lowercase());
        for at in 0..=len {
            let text = [&ascii[..at], "Ä".as_bytes(), &ascii[at..]].concat();
            let lower = ascii.to_ascii_lowercase();
            assert_eq!(on_all_tiers(&text), [&lower[..at], "ä".as_bytes(), &lower[at..]].concat());
        }
    }
}

proptest! {
    #[test]
    fn random_codes(codes in prop::collection::vec(
        prop_oneof![0u16..256, any::<u16>(), 0x7f00u16..0x8100], 0..300))
    {
        let expected: Vec<u16> = codes.iter().map(|&code| rule(code.into()) as u16).collect();
        for (name, fold) in variants() {
            let mut out = Vec::new();
            fold(&mut out, &codes);
            prop_assert_eq!(&out, &expected, "{}", name);
        }
    }

    #[test]
    fn random_bytes(path in prop::collection::vec(any::<u8>(), 0..300)) {
        let once = on_all_tiers(&path);
        prop_assert_eq!(on_all_tiers(&once), once);
    }

    #[test]
    fn random_text(path in ".{0,100}|([A-Z/]{0,40}[ÄΩЖК]{0,3}){0,5}") {
        let once = on_all_tiers(path.as_bytes());
        prop_assert!(std::str::from_utf8(&once).is_ok());
        prop_assert_eq!(on_all_tiers(&once), once);
    }
}
