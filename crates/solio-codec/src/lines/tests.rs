use super::*;
use crate::number::parse::f32_prefix;
use proptest::prelude::*;
use solio_base::cpu::available;

fn padded(text: &str) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize(bytes.len() + PAD, b'7');
    bytes
}

/// Tiers that have a kernel.
fn tiers() -> Vec<Tier> {
    let has = |tier: &Tier| matches!(tier, Tier::Avx2 | Tier::Avx512 | Tier::Neon);
    available().into_iter().filter(has).collect()
}

/// Tiers that take rows.
fn row_tiers() -> Vec<Tier> {
    let one = |&tier: &Tier| rows(tier, "v 1.0 2.0 3.0\n").1 > 0;
    available().into_iter().filter(one).collect()
}

/// What [`rows`] takes, said plainly.
fn plain_rows(text: &str) -> (Vec<[f32; 3]>, usize) {
    let (mut out, mut used) = (Vec::new(), 0);
    for line in text.split_inclusive('\n') {
        let number = |word: &str| {
            let digits = word.strip_prefix('-').unwrap_or(word);
            let (whole, part) = digits.split_once('.')?;
            let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
            (digits(whole)
                && digits(part)
                && whole.len() <= 8
                && (whole.len() + part.len() <= 8 || part.len() <= 7))
                .then(|| f32_prefix(word.as_bytes()).unwrap().0)
        };
        let row = line.strip_suffix('\n').and_then(|line| {
            let line = line.strip_suffix('\r').unwrap_or(line);
            let words = line.strip_prefix("v ")?.trim_start_matches(' ').split(' ');
            let row: Option<Vec<f32>> = words.map(number).collect();
            <[f32; 3]>::try_from(row?).ok()
        });
        let Some(row) = row else { break };
        out.push(row);
        used += line.len();
    }
    (out, used)
}

/// Rows that were taken and the bytes used.
fn rows(tier: Tier, text: &str) -> (Vec<[f32; 3]>, usize) {
    let mut out = Vec::new();
    let used = LineReader::on(tier).rows(&padded(text), 0, text.len(), b"v ", &mut out);
    (out, used)
}

/// Vertices, UVs, normals and ends that were taken, and the bytes used.
type FaceColumns = (Vec<u32>, Vec<u32>, Vec<u32>, Vec<u32>, usize);

fn faces(tier: Tier, text: &str) -> FaceColumns {
    let (mut vertices, mut uvs, mut normals, mut ends) = Default::default();
    let mut out = FaceArrays {
        vertices: &mut vertices,
        uvs: &mut uvs,
        normals: &mut normals,
        ends: &mut ends,
    };
    let used = LineReader::on(tier).faces(&padded(text), 0, text.len(), &mut out);
    (vertices, uvs, normals, ends, used)
}

#[test]
fn takes_plain_lines_and_nothing_else() {
    for tier in row_tiers() {
        let text = "v 0.439019 -0.159939 0.756944\nv -0.0 -12345678.1234567 0.5\r\nv  1. 0.1 0.2\n";
        let (got, used) = rows(tier, text);
        assert_eq!(got, [[0.439019, -0.159939, 0.756944], [-0.0, -12345678.1234567, 0.5]]);
        assert!(got[1][0].is_sign_negative());
        assert_eq!(&text[used..], "v  1. 0.1 0.2\n");
        for odd in [
            "v 1 2 3\n",
            "v 1.0 2.0\n",
            "v 1.0 2.0 3.0 4.0\n",
            "v 1.0 2.0 3.0e1\n",
            "v 1.0 2.0 3.-1\n",
            "v 1.0 2.0 3.123456789\n",
            "v 1.0 2-1.0 3.0\n",
            "v 1.0 2.0 3.0 \n",
            "v 1.0 2.0 3.0 # c\n",
            "v 1.0 2.0 nan\n",
            "v1 1.0 2.0 3.0\n",
            "v 1.0 2.0 3.0",
            "v 1.0 2.0 3.0\r9\n",
            "v 1.0 2.0 .\n",
            "v 1.0 2.0 .5\n",
            "v 1.0 2.0 123456789.0\n",
            "v 1.0 2.0 3.0.0\n",
            "v 1.0 2.0 --3.0\n",
            "v 1.0 2.0 3\u{a0}4\n",
            "v 1.0 2.0\u{a0}3.0\n",
        ] {
            assert_eq!(rows(tier, odd), (vec![], 0), "{odd}");
        }
    }
    for tier in tiers() {
        let text = "f 1/2/3 4/5/6 7/8/9\nf 1/2/3 4/5/6 7/8/9\nf 1//3 4//6 7//9 10//12\nf 1 2 3\n";
        let (vertices, uvs, normals, ends, used) = faces(tier, text);
        assert_eq!(vertices, [0, 3, 6, 0, 3, 6, 0, 3, 6, 9, 0, 1, 2]);
        assert_eq!(uvs, [1, 4, 7, 1, 4, 7]);
        assert_eq!(normals, [2, 5, 8, 2, 5, 8, 2, 5, 8, 11]);
        assert_eq!((ends, used), (vec![3, 6, 10, 13], text.len()));
        for odd in [
            "f 1 2\n",
            "f 1 2 0\n",
            "f 1/0/1 1/1/1 1/1/1\n",
            "f 1//1 1/0/1 1//1\n",
            "f 1/1/1 1//1 1/1/1\n",
            "f -1 -2 -3\n",
            "f 1 2 3 \n",
            "f 1/1 2/2 3\n",
            "f 1/ 2/ 3/\n",
            "f 1 2 123456789\n",
            "f 1 2 3.0\n",
            "f 1 2 3 # c\n",
            "f 1 2 3",
            "f 1/1/1/1 2/2/2/2 3/3/3/3\n",
            "f1 1 2 3\n",
        ] {
            assert_eq!(faces(tier, odd).4, 0, "{odd}");
        }
    }
}

/// Numbers that were taken of lines of two floats and a byte, and the bytes used.
fn cells(tier: Tier, text: &str) -> (Vec<f32>, usize) {
    let mut out = Vec::new();
    let line = [CellType::Float, CellType::Float, CellType::Byte];
    let used = LineReader::on(tier).cells(&padded(text), 0, text.len(), &line, 9999, &mut out);
    assert_eq!(out.len() % 3, 0);
    (out, used)
}

/// Values and counts that were taken, and the bytes used.
fn lists(tier: Tier, text: &str) -> (Vec<u32>, Vec<u32>, usize) {
    let (mut values, mut counts) = (Vec::new(), Vec::new());
    let used =
        LineReader::on(tier).lists(&padded(text), 0, text.len(), 9999, &mut values, &mut counts);
    (values, counts, used)
}

#[test]
fn takes_lines_without_a_key() {
    for tier in tiers() {
        let text = "0.5 -1 255\n-.25 12345678 0 \r\n-0 3.1234567 7\n1 2 256\n";
        let (got, used) = cells(tier, text);
        assert_eq!(got, [0.5, -1.0, 255.0, -0.25, 12345678.0, 0.0, -0.0, 3.1234567, 7.0]);
        assert!(got[6].is_sign_negative());
        assert_eq!(&text[used..], "1 2 256\n");
        for odd in [
            "1 2 3",
            "1 2\n",
            "1 2 3 4\n",
            "1 2 -3\n",
            "1 2 3.0\n",
            "1  2 3\n",
            " 1 2 3\n",
            "\n",
            "1. 2 3\n",
            ". 2 3\n",
            "- 2 3\n",
            "1 -.-2 3\n",
            "1e1 2 3\n",
            "123456789 2 3\n",
            "1 2 3\r \n",
            "1 2 3\r1\n",
            "1\t2 3\n",
            "1.2.3 4 5\n",
            "nan 2 3\n",
            "1 2 \n",
            "1-2 2 3\n",
        ] {
            assert_eq!(cells(tier, odd), (vec![], 0), "{odd:?}");
        }
        let text = "3 1 2 3\n4 0 9 8 7 \r\n1 99999999\n2 1 2\n3 1 2\n";
        let (values, counts, used) = lists(tier, text);
        assert_eq!(values, [1, 2, 3, 0, 9, 8, 7, 99_999_999, 1, 2]);
        assert_eq!((counts, &text[used..]), (vec![3, 4, 1, 2], "3 1 2\n"));
        for odd in
            ["3 1 2 3", "0\n", "3 1  2\n", "1 -1\n", "1 1.5\n", "2 1\n3\n", " 1 2\n", "1 2 3\n"]
        {
            assert_eq!(lists(tier, odd), (vec![], vec![], 0), "{odd:?}");
        }
        let (mut out, text) = (Vec::new(), padded("1\n2\n3\n"));
        let used = LineReader::on(tier).cells(&text, 0, 6, &[CellType::Float], 2, &mut out);
        assert_eq!((out, used), (vec![1.0, 2.0], 4));
    }
}

proptest! {
    #[test]
    fn cells_equal_the_careful_parse(
        lines in prop::collection::vec(
            ("-?[0-9]{1,7}(\\.[0-9]{1,7})?", "-?[0-9]{0,3}\\.[0-9]{1,6}", 0u8..), 1..300
        )
    ) {
        let text: String = lines.iter().map(|(x, y, b)| format!("{x} {y} {b}\n")).collect();
        let careful = |w: &str| f32_prefix(w.as_bytes()).unwrap().0.to_bits();
        let expected: Vec<u32> = lines
            .iter()
            .flat_map(|(x, y, b)| [careful(x), careful(y), f32::from(*b).to_bits()])
            .collect();
        for tier in tiers() {
            let (got, used) = cells(tier, &text);
            prop_assert_eq!(used, text.len());
            prop_assert_eq!(got.iter().map(|v| v.to_bits()).collect::<Vec<_>>(), &expected[..]);
        }
    }

    #[test]
    fn any_text_without_a_key_is_taken_alike_on_every_tier(text in "[0-9/. \\-\r\n]{0,200}") {
        let all: Vec<_> = tiers().iter().map(|&t| (cells(t, &text), lists(t, &text))).collect();
        for pair in all.windows(2) {
            prop_assert_eq!(&pair[0], &pair[1]);
        }
    }

    #[test]
    fn floats_equal_the_careful_parse(
        lines in prop::collection::vec(
            ("-?[0-9]{1,8}\\.[0-9]{1,7}", "-?[0-9]\\.[0-9]{1,6}", "-?[0-9]{1,3}\\.[0-9]{1,4}"), 1..300
        )
    ) {
        let text: String = lines.iter().map(|(x, y, z)| format!("v {x} {y} {z}\n")).collect();
        let expected: Vec<[u32; 3]> = lines
            .iter()
            .map(|(x, y, z)| [x, y, z].map(|w| f32_prefix(w.as_bytes()).unwrap().0.to_bits()))
            .collect();
        for tier in row_tiers() {
            let (got, used) = rows(tier, &text);
            let got: Vec<[u32; 3]> = got.iter().map(|row| row.map(f32::to_bits)).collect();
            prop_assert_eq!(used, text.len());
            prop_assert_eq!(&got, &expected);
        }
    }

    #[test]
    fn indices_equal_what_was_written(
        corners in prop::collection::vec((1u32..99_999_999, 1u32..9999, 1u32..99), 3..400),
        sizes in prop::collection::vec(3usize..11, 1..200),
        parts in 1usize..4,
    ) {
        let mut at = 0;
        let mut text = String::new();
        let mut ends = Vec::new();
        for size in sizes {
            if at + size > corners.len() {
                break;
            }
            text.push('f');
            for (v, t, n) in &corners[at..at + size] {
                text.push_str(&match parts {
                    1 => format!(" {v}"),
                    2 => format!(" {v}/{t}"),
                    _ => format!(" {v}/{t}/{n}"),
                });
            }
            text.push('\n');
            at += size;
            ends.push(at as u32);
        }
        let column = |part: usize, f: fn(&(u32, u32, u32)) -> u32| -> Vec<u32> {
            corners[..if part < parts { at } else { 0 }].iter().map(|c| f(c) - 1).collect()
        };
        let expected =
            (column(0, |c| c.0), column(1, |c| c.1), column(2, |c| c.2), ends, text.len());
        for tier in tiers() {
            prop_assert_eq!(&faces(tier, &text), &expected);
        }
    }

    #[test]
    fn any_text_is_taken_alike_on_every_tier(text in "[vf0-9/. \\-\r\n]{0,200}") {
        let key = ["v ", "f "].map(|key| format!("{key}{text}"));
        let all: Vec<_> = tiers().iter().map(|&t| faces(t, &key[1])).collect();
        for pair in all.windows(2) {
            prop_assert_eq!(&pair[0], &pair[1]);
        }
    }

    #[test]
    fn rows_are_those_that_are_plain(
        lines in prop::collection::vec("(v  ?-?[0-9]{1,9}\\.[0-9]{1,8} 0.5 [0-9.-]{3,8}\r?\n|[v0-9. \\-\r\n]{0,40})", 0..50)
    ) {
        let bits = |r: (Vec<[f32; 3]>, usize)| (r.0.concat().iter().map(|x| x.to_bits()).collect::<Vec<_>>(), r.1);
        let text: String = lines.concat();
        let expected = bits(plain_rows(&text));
        for tier in row_tiers() {
            prop_assert_eq!(&bits(rows(tier, &text)), &expected);
        }
    }
}
