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

/// What all lines read one by one give as rows of three, up to the first that is none: as the reader
/// that takes what is left over.
fn careful_rows(text: &str) -> (Vec<[f32; 3]>, usize) {
    let (mut out, mut used) = (Vec::new(), 0);
    for line in text.split_inclusive('\n') {
        let row = line.strip_suffix('\n').and_then(|line| {
            let line = line.strip_suffix('\r').unwrap_or(line);
            let words = line.strip_prefix("v ")?.split([' ', '\t']).filter(|word| !word.is_empty());
            let number = |word: &str| {
                let (value, bytes) = f32_prefix(word.as_bytes())?;
                (bytes == word.len()).then_some(value)
            };
            <[f32; 3]>::try_from(words.map(number).collect::<Option<Vec<f32>>>()?).ok()
        });
        let Some(row) = row else { break };
        out.push(row);
        used += line.len();
    }
    (out, used)
}

/// The bits of rows, which say more than their values.
fn bits(rows: &[[f32; 3]]) -> Vec<u32> {
    rows.as_flattened().iter().map(|value| value.to_bits()).collect()
}

/// Checks that a tier takes at least the plainest rows, and of all that it takes gives what reading one by
/// one gives.
fn check_rows(tier: Tier, text: &str) {
    let (got, used) = rows(tier, text);
    let (all, _) = careful_rows(text);
    assert!(got.len() <= all.len(), "{tier:?} {text:?}");
    assert_eq!(bits(&got), bits(&all[..got.len()]), "{tier:?} {text:?}");
    assert!(got.len() >= plain_rows(text).0.len(), "{tier:?} {text:?}");
    let lines: usize = text.split_inclusive('\n').take(got.len()).map(str::len).sum();
    assert_eq!(used, lines, "{tier:?} {text:?}");
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
        let text =
            "v 0.439019 -0.159939 0.756944\nv -0.0 -12345678.1234567 0.5\r\nv 1.0 2.0 3. # c\n";
        let (got, used) = rows(tier, text);
        assert_eq!(got, [[0.439019, -0.159939, 0.756944], [-0.0, -12345678.1234567, 0.5]]);
        assert!(got[1][0].is_sign_negative());
        assert_eq!(&text[used..], "v 1.0 2.0 3. # c\n");
        for odd in [
            "v 1.0 2.0\n",
            "v 1.0 2.0 3.0 4.0\n",
            "v 1.0 2.0 3.-1\n",
            "v 1.0 2-1.0 3.0\n",
            "v 1.0 2.0 3.0 # c\n",
            "v1 1.0 2.0 3.0\n",
            "v 1.0 2.0 3.0",
            "v 1.0 2.0 3.0\r9\n",
            "v 1.0 2.0 3.0\rx\n",
            "v 1.0 2.0 3.0e\rx\n",
            "v 1.0 2.0 .\n",
            "v 1.0 - 3.0\n",
            "v 1.0 -. 3.0\n",
            "v 1.0 2.0 -\n",
            "v 1.0 2.0 3.0.0\n",
            "v 1.0 2.0 --3.0\n",
            "v 1.0 2.0 3\u{a0}4\n",
            "v 1.0 2.0\u{a0}3.0\n",
            "v 1.0\u{b}2.0 3.0\n",
            "v 1.0 2.0 3.0\0\n",
            "v 1,0 2,0 3,0\n",
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

/// Every form of a number, at every place of the 64 bytes that are looked at together.
#[test]
fn all_forms_at_all_places() {
    let words = [
        "0",
        "-0",
        "5",
        "-7",
        "1.",
        "-1.",
        ".5",
        "-.5",
        "0.5",
        "-0.25",
        "12345.678901",
        "123456789012345",
        "1234567890123456",
        "0.1234567890123",
        "0.12345678901234",
        "-0.1234567890123456789",
        "16777217",
        "-16777219",
        "16777217.0",
        "33554433.00",
        "8388608.5",
        "8388609.5",
        "0.000000059604648",
        "1.00000005960464477539062",
        "1.0000000596",
        "9007199254740993",
        "00000000000000000000001",
        "1e-3",
        "-1.5E+10",
        "1e400",
        "-1e-400",
        "nan",
        "inf",
        "-Infinity",
        "+1.5",
        "99999999999999.9",
    ];
    for tier in row_tiers() {
        for word in words {
            for gap in [1, 2, 20, 28, 40, 57, 58, 59, 60, 61, 62, 63, 64, 65, 90] {
                let blanks = " ".repeat(gap);
                for (between, end) in
                    [(" ", "\n"), ("\t ", "\r\n"), (&*blanks, " \n"), (&*blanks, "\t\r\n")]
                {
                    check_rows(
                        tier,
                        &format!("v {word}{between}{word} {word}{end}v 1.0 2.0 {word}{end}"),
                    );
                    let blanks = &blanks[..gap.min(50)];
                    check_rows(
                        tier,
                        &format!("v{blanks}0.5{between}-{word} {word}{end}v 1.0 2.0 3.0\n"),
                    );
                }
            }
        }
    }
}

/// Indices of as many digits as there may be, and one more; few and many of them.
#[test]
fn longer_indices_are_taken_too() {
    for tier in tiers() {
        for digits in 1..9 {
            let index: u32 = "987654321"[..digits].parse().unwrap();
            for faces_before in [0, 1, 30, 900] {
                let before = "f 1//3 4//6 7//9\n".repeat(faces_before);
                let text =
                    format!("{before}f {index}//{index} 2//1 3//{index}\nf {index} 4 {index}\n");
                let (vertices, _, normals, ends, used) = faces(tier, &text);
                assert_eq!(used, text.len(), "{tier:?} {digits} {faces_before}");
                assert_eq!(
                    vertices[vertices.len() - 6..],
                    [index - 1, 1, 2, index - 1, 3, index - 1]
                );
                assert_eq!(
                    normals[3 * faces_before..3 * faces_before + 3],
                    [index - 1, 0, index - 1]
                );
                assert_eq!(ends.len(), faces_before + 2);
            }
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
        let text = "0.5 -1 255\n-.25 12345678 0 \r\n-0 3.1234567 7\n 1.  1e1\t3\nnan 123456789 007\n1 2 256\n";
        let (got, used) = cells(tier, text);
        let want = [0.5, -1.0, 255.0, -0.25, 12345678.0, 0.0, -0.0, 3.1234567, 7.0, 1.0, 10.0, 3.0];
        assert_eq!(got[..12], want);
        assert!(got[6].is_sign_negative() && got[12].is_nan());
        assert_eq!(got[13..], [123456789.0, 7.0]);
        assert_eq!(&text[used..], "1 2 256\n");
        for odd in [
            "1 2 3",
            "1 2\n",
            "1 2 3 4\n",
            "1 2 -3\n",
            "1 2 3.0\n",
            "1 2 1e1\n",
            "1 2 -\n",
            "1 2 256\n",
            "1 2 1000\n",
            "\n",
            ". 2 3\n",
            "- 2 3\n",
            "1 -.-2 3\n",
            "1 2 3\r \n",
            "1 2 3\r1\n",
            "1.2.3 4 5\n",
            "1 2 \n",
            "1-2 2 3\n",
        ] {
            assert_eq!(cells(tier, odd), (vec![], 0), "{odd:?}");
            // Also behind a line.
            assert_eq!(cells(tier, &format!("1 2 3\n{odd}")), (vec![1.0, 2.0, 3.0], 6), "{odd:?}");
        }
        // A line longer than what is looked at together, with numbers across its borders.
        let wide: Vec<String> = (0..40).map(|i| format!("{}.{i}", i * i * i)).collect();
        let text = padded(&format!("{0}\n{0}\r\n{0}\n", wide.join(" ")));
        let (mut out, line) = (Vec::new(), [CellType::Float; 40]);
        let end = text.len() - PAD;
        assert_eq!(LineReader::on(tier).cells(&text, 0, end, &line, 9999, &mut out), end);
        let expected: Vec<f32> = wide.iter().map(|word| word.parse().unwrap()).collect();
        assert_eq!(out, [&expected[..]; 3].concat());
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
    fn any_text_without_a_key_is_taken_alike_on_every_tier(text in "[0-9/. \\-e\r\n]{0,200}") {
        let bits = |(values, used): (Vec<f32>, usize)| {
            (values.iter().map(|value| value.to_bits()).collect::<Vec<_>>(), used)
        };
        let all: Vec<_> =
            tiers().iter().map(|&t| (bits(cells(t, &text)), lists(t, &text))).collect();
        for pair in all.windows(2) {
            prop_assert_eq!(&pair[0], &pair[1]);
        }
    }

    #[test]
    fn floats_equal_the_careful_parse(
        lines in prop::collection::vec(
            ("-?[0-9]{1,8}\\.[0-9]{1,7}", "-?[0-9]{0,9}\\.?[0-9]{1,9}", "-?[0-9]{1,20}\\.[0-9]{0,20}"), 1..300
        ),
        plain in prop::collection::vec("-?[0-9]\\.[0-9]{4,9}", 1..300),
        end in "\r?\n",
    ) {
        let mut text: String = lines.iter().map(|(x, y, z)| format!("v {x} {y} {z}{end}")).collect();
        text.extend(plain.iter().map(|x| format!("v {x} {x} {x}{end}")));
        // The reference is that of the language.
        let words = text.split_whitespace().filter(|word| *word != "v");
        let expected: Vec<u32> = words.map(|word| word.parse::<f32>().unwrap().to_bits()).collect();
        for tier in row_tiers() {
            let (got, used) = rows(tier, &text);
            prop_assert_eq!(used, text.len());
            prop_assert_eq!(&bits(&got), &expected);
        }
    }

    /// Numbers that lie at, or next to, the middle between two floats.
    #[test]
    fn middles_are_rounded_as_the_language_does(
        near in prop::collection::vec((0u32..0x4f00_0000, -2i32..3, 0usize..12), 3..90),
    ) {
        let mut text = String::new();
        for row in near.as_chunks::<3>().0 {
            text.push('v');
            for &(at, off, digits) in row {
                let at = f32::from_bits(at);
                let middle = (f64::from(at) + f64::from(f32::from_bits(at.to_bits() + 1))) / 2.0;
                let near = f64::from_bits(middle.to_bits().wrapping_add_signed(i64::from(off)));
                text += &format!(" {near:.digits$}");
            }
            text.push('\n');
        }
        let words = text.split_whitespace().filter(|word| *word != "v");
        let expected: Vec<u32> = words.map(|word| word.parse::<f32>().unwrap().to_bits()).collect();
        for tier in row_tiers() {
            let (got, used) = rows(tier, &text);
            prop_assert_eq!(used, text.len());
            prop_assert_eq!(&bits(&got), &expected);
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
    fn rows_are_at_least_those_that_are_plain(
        lines in prop::collection::vec("(v  ?-?[0-9]{1,9}\\.[0-9]{1,8} 0.5 [0-9.-]{3,8}\r?\n|[v0-9. \\-\r\n]{0,40})", 0..50)
    ) {
        let text: String = lines.concat();
        for tier in row_tiers() {
            check_rows(tier, &text);
        }
    }

    #[test]
    fn any_rows_are_right(
        lines in prop::collection::vec("v [ \t]{0,2}([-+0-9.eEn#\r]{1,12}[ \t]{1,2}){2}[0-9.-]{1,8}[ \t\r]{0,2}\n", 0..20)
    ) {
        for tier in row_tiers() {
            check_rows(tier, &lines.concat());
        }
    }
}

/// Lines of the forms `forms`, in which random digits stand for `#`, and perhaps a byte that is another.
fn lines_alike(forms: &[String], count: usize, seed: u64, odd: Option<(usize, char)>) -> String {
    let mut random = seed;
    let mut next = |below: usize| {
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % below
    };
    let mut text = String::new();
    for _ in 0..count {
        let form = &forms[next(forms.len())];
        text.extend(
            form.chars().map(|c| if c == '#' { char::from(b'0' + next(10) as u8) } else { c }),
        );
    }
    if let Some((at, with)) = odd {
        let at = at % text.len();
        text.replace_range(at..=at, with.encode_utf8(&mut [0; 4]));
    }
    text
}

/// The columns of plain faces, line by line.
fn careful_faces(text: &str) -> FaceColumns {
    let mut out = FaceColumns::default();
    for line in text.split_inclusive('\n') {
        let face = || {
            let body = line.strip_prefix("f ")?.strip_suffix('\n')?;
            let words = body.strip_suffix('\r').unwrap_or(body).split(' ');
            let index = |part: &str| {
                let is_plain =
                    (1..=8).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
                part.parse::<u32>()
                    .ok()
                    .filter(|index| is_plain && *index > 0)
                    .map(|index| index - 1)
            };
            let corner = |word: &str| {
                let parts: Vec<&str> = word.split('/').collect();
                Some(match &parts[..] {
                    [v] => (index(v)?, None, None),
                    [v, t] => (index(v)?, Some(index(t)?), None),
                    [v, "", n] => (index(v)?, None, Some(index(n)?)),
                    [v, t, n] => (index(v)?, Some(index(t)?), Some(index(n)?)),
                    _ => return None,
                })
            };
            let corners: Vec<_> = words.map(corner).collect::<Option<_>>()?;
            let form = |i: usize| (corners[i].1.is_some(), corners[i].2.is_some());
            (corners.len() > 2 && (0..corners.len()).all(|i| form(i) == form(0))).then_some(corners)
        };
        let Some(corners) = face() else { break };
        for (vertex, uv, normal) in corners {
            let place = out.0.len();
            for (column, index) in [(&mut out.1, uv), (&mut out.2, normal)] {
                if let Some(index) = index {
                    column.resize(place, NONE);
                    column.push(index);
                }
            }
            out.0.push(vertex);
        }
        out.3.push(out.0.len() as u32);
        out.4 += line.len();
    }
    out
}

proptest! {
    #[test]
    fn rows_that_look_alike(
        forms in prop::collection::vec("v (-?#{1,4}(\\.#{0,8})? ){2}-?#{1,2}\\.#{1,9}\r?\n", 1..5),
        (count, seed) in (1usize..300, 0u64..),
        odd in prop::option::of((0usize..20_000, "[0-9 ./\n\r\t:e-]")),
    ) {
        let odd = odd.map(|(at, with)| (at, with.chars().next().unwrap()));
        let text = lines_alike(&forms, count, seed, odd);
        for tier in row_tiers() {
            check_rows(tier, &text);
        }
    }

    #[test]
    fn faces_that_look_alike(
        forms in prop::collection::vec(
            "f (#{1,8}( #{1,8}){2,4}|#{1,7}/#{1,7}( #{1,8}/#{1,7}){2,3}|#{1,6}//#{1,6}( #{1,6}//#{1,6}){2,3}|\
            #{1,7}/#{1,7}/#{1,8}( #{1,7}/#{1,7}/#{1,8}){2,3})\r?\n", 1..5),
        (count, seed) in (1usize..300, 0u64..),
        odd in prop::option::of((0usize..20_000, "[0-9 ./\n\r\t:e-]")),
    ) {
        let odd = odd.map(|(at, with)| (at, with.chars().next().unwrap()));
        let text = lines_alike(&forms, count, seed, odd);
        let want = careful_faces(&text);
        for tier in tiers() {
            let got = faces(tier, &text);
            let corners = got.0.len();
            // What stands before an odd line may be left with it, and a tier leaves lines that are long or of
            // another form than those before to others.
            prop_assert!(got.4 <= want.4);
            prop_assert_eq!(&got.0, &want.0[..corners]);
            prop_assert_eq!(&got.1, &want.1[..corners.min(want.1.len())][..got.1.len()]);
            prop_assert_eq!(&got.2, &want.2[..corners.min(want.2.len())][..got.2.len()]);
            prop_assert_eq!(&got.3, &want.3[..got.3.len()]);
            prop_assert_eq!(text[..got.4].lines().count(), got.3.len());
        }
    }

    #[test]
    fn lists_that_look_alike(
        forms in prop::collection::vec("[1-9](( #{1,9}){1,3}|( #{1,3}){3,8}) ?\r?\n", 1..5),
        (count, seed) in (1usize..300, 0u64..),
        odd in prop::option::of((0usize..20_000, "[0-9 .\n\r\t:-]")),
    ) {
        // Of nearly all lines the count is right.
        let right = |form: &String| {
            let words = form.split_whitespace().count() - 1;
            format!("{words}{}", &form[1..])
        };
        let forms: Vec<_> = forms.iter().enumerate().map(|(i, f)| if i < 3 { right(f) } else { f.clone() }).collect();
        let odd = odd.map(|(at, with)| (at, with.chars().next().unwrap()));
        let text = lines_alike(&forms, count, seed, odd);
        let (mut values, mut counts, mut used) = (Vec::<u32>::new(), Vec::<u32>::new(), 0);
        for line in text.split_inclusive('\n') {
            let is_plain = |word: &&str| word.len() <= 8 && word.bytes().all(|b| b.is_ascii_digit());
            let body = line.trim_end_matches('\n');
            let body = body.strip_suffix('\r').unwrap_or(body).trim_end_matches([' ', '\t']);
            let words: Vec<&str> = body.split(' ').collect();
            let numbers: Option<Vec<u32>> =
                words.iter().map(|word| word.parse().ok().filter(|_| is_plain(word))).collect();
            match numbers.as_deref() {
                Some([count, rest @ ..]) if *count as usize == rest.len() && !rest.is_empty() && line.ends_with('\n') => {
                    counts.push(*count);
                    values.extend(rest);
                }
                _ => break,
            }
            used += line.len();
        }
        for tier in tiers() {
            let got = lists(tier, &text);
            prop_assert!(got.2 <= used && (got.2 == used || used < text.len()));
            prop_assert_eq!(&got.0, &values[..got.0.len()]);
            prop_assert_eq!(&got.1, &counts[..got.1.len()]);
            prop_assert_eq!(text[..got.2].lines().count(), got.1.len());
        }
    }
}
