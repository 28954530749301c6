//! Names of files to sequences.

use super::name::{Numbered, numbered};
use super::{Padding, frames_text};
use foldhash::HashMap;

/// What is left of a folder's names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Collapsed<'n> {
    /// Names that are alone: without a number, or the only one of their kind.
    pub files: Vec<&'n [u8]>,
    /// The others, by name.
    pub sequences: Vec<Sequence>,
}

/// Files whose names differ in their number alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sequence {
    /// The name up to the number.
    pub before: Vec<u8>,
    /// The rest of the name.
    pub after: Vec<u8>,
    /// How many digits.
    pub padding: Padding,
    /// The frames that are there, rising, each once.
    pub frames: Vec<i64>,
    /// Other files of these names are more, and have another number of digits.
    pub odd_padding: bool,
    /// Frames that are also among those others: `a.1.exr` beside `a.0001.exr`.
    pub doubles: Vec<i64>,
}

impl Sequence {
    /// How far it is from frame to frame: 2 where every other was rendered. 1 where there are too few
    /// frames to tell.
    pub fn step(&self) -> i64 {
        let [_, _, _, ..] = self.frames[..] else { return 1 };
        let gaps = self.frames.windows(2).map(|pair| pair[1] - pair[0]);
        gaps.fold(0, greatest_common_divisor).max(1)
    }

    /// How many frames there are from the first to the last one.
    pub fn expected(&self) -> u64 {
        match &self.frames[..] {
            [] => 0,
            _ if self.is_udim() => self.frames.len() as u64,
            [first, .., last] => first.abs_diff(*last) / self.step().unsigned_abs() + 1,
            [_] => 1,
        }
    }

    /// The frames between the first and the last one that are not there, in ranges with the step of
    /// the sequence: `1042,1067`. Tiles miss none.
    pub fn missing(&self) -> String {
        let step = self.step();
        let mut text = String::new();
        if self.is_udim() {
            return text;
        }
        for pair in self.frames.windows(2) {
            let (first, last) = (pair[0] + step, pair[1] - step);
            let comma = if text.is_empty() { "" } else { "," };
            match (last - first) / step {
                _ if last < first => {}
                0 => text += &format!("{comma}{first}"),
                _ if step == 1 => text += &format!("{comma}{first}-{last}"),
                1 => text += &format!("{comma}{first},{last}"),
                _ => text += &format!("{comma}{first}-{last}x{step}"),
            }
        }
        text
    }

    /// Whether the numbers look like those of texture tiles, of which holes say nothing: from 1001 to
    /// 1999 with gaps, every row of ten from its first column on, and none complete. (Frames that a
    /// farm renders in tens leave complete rows.)
    pub fn is_udim(&self) -> bool {
        let frames = &self.frames;
        let (Some(&first), Some(&last)) = (frames.first(), frames.last()) else { return false };
        let gaps = || frames.windows(2).filter(|pair| pair[1] - pair[0] > 1);
        let starts_row = |frame: i64| frame % 10 == 1;
        let mut rows = frames.chunk_by(|a, b| b - a == 1 && !starts_row(*b));
        (1001..=1999).contains(&first)
            && last <= 1999
            && gaps().next().is_some()
            && starts_row(first)
            && gaps().all(|pair| starts_row(pair[1]))
            && rows.all(|row| row.len() < 10)
            && rows_are_not_steps(frames)
    }

    /// From the first to the last frame: `1001-1100`, `1-99x2`.
    pub fn range(&self) -> String {
        match (&self.frames[..], self.step()) {
            ([first, .., last], 1) => format!("{first}-{last}"),
            ([first, .., last], step) => format!("{first}-{last}x{step}"),
            _ => frames_text(&self.frames),
        }
    }

    /// The name of a frame's file.
    pub fn name(&self, frame: i64) -> Vec<u8> {
        [&self.before[..], self.padding.number(frame).as_bytes(), &self.after[..]].concat()
    }

    /// The name with these frames, as [the grammar](super) writes it.
    pub fn pattern(&self, frames: &str) -> Vec<u8> {
        let udim = self.is_udim();
        let padding = Padding { udim, ..self.padding }.text();
        [&self.before[..], frames.as_bytes(), padding.as_bytes(), &self.after[..]].concat()
    }
}

/// 1001, 1011, 1021 is every tenth frame.
fn rows_are_not_steps(frames: &[i64]) -> bool {
    frames.windows(2).any(|pair| pair[1] - pair[0] == 1)
}

fn greatest_common_divisor(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

/// Files whose names differ in their number alone.
struct NamesOfSequence<'n> {
    /// The first one's name.
    name: &'n [u8],
    of: Numbered<'n>,
    files: Vec<FrameFile>,
}

/// A frame's file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct FrameFile {
    width: u32,
    /// After those with zeros in front, which tell the padding.
    unpadded: bool,
    frame: i64,
}

/// Finds the sequences among the names of a folder's files.
///
/// Where digits differ in number, those with zeros in front say how many they are, as with fileseq:
/// `a.08` is none of `a.009`, but `a.100` follows both `a.099` and `a.99`.
pub fn collapse<'n>(names: impl IntoIterator<Item = &'n [u8]>) -> Collapsed<'n> {
    let mut collapsed = Collapsed::default();
    let mut index: HashMap<(&[u8], &[u8]), usize> = HashMap::default();
    let mut groups: Vec<NamesOfSequence<'n>> = Vec::new();
    let mut last = 0;
    for name in names {
        let Some(number) = numbered(name) else {
            collapsed.files.push(name);
            continue;
        };
        // Names mostly come in their order: the same group as that of the last one.
        let key = (number.before, number.after);
        let same = groups.get(last).is_some_and(|group| (group.of.before, group.of.after) == key);
        if !same {
            last = *index.entry(key).or_insert(groups.len());
            if last == groups.len() {
                groups.push(NamesOfSequence { name, of: number, files: Vec::new() });
            }
        }
        groups[last].files.push(found(&number));
    }
    for group in groups {
        match group.files.len() {
            1 => collapsed.files.push(group.name),
            _ => divide(&group.of, group.files, &mut collapsed),
        }
    }
    collapsed.files.sort_unstable();
    let key = |s: &'_ Sequence| (s.before.clone(), s.after.clone(), s.padding.width);
    collapsed.sequences.sort_by_cached_key(key);
    collapsed
}

fn found(number: &Numbered<'_>) -> FrameFile {
    let digits = number.digits.strip_prefix(b"-").unwrap_or(number.digits);
    let unpadded = digits[0] != b'0' || digits.len() == 1;
    FrameFile { width: number.digits.len() as u32, unpadded, frame: number.frame }
}

/// Files of one name by their padding.
fn divide(of: &Numbered<'_>, mut all: Vec<FrameFile>, to: &mut Collapsed<'_>) {
    all.sort_unstable();
    let mut groups: Vec<(u32, Vec<i64>)> = Vec::new();
    for FrameFile { width, unpadded, frame } in all {
        match groups.last_mut() {
            Some((of, frames)) if *of == width || unpadded => frames.push(frame),
            _ => groups.push((width, vec![frame])),
        }
    }
    for (_, frames) in &mut groups {
        frames.sort_unstable();
    }
    let most = (0..groups.len()).rev().max_by_key(|&i| groups[i].1.len()).unwrap_or(0);
    let usual = if groups.len() > 1 { groups[most].1.clone() } else { Vec::new() };
    for (i, (width, frames)) in groups.into_iter().enumerate() {
        let odd_padding = i != most;
        let is_double = |frame: &&i64| odd_padding && usual.binary_search(frame).is_ok();
        let doubles = frames.iter().filter(is_double).copied().collect();
        let padding = Padding::digits(width as usize);
        let (before, after) = (of.before.to_vec(), of.after.to_vec());
        to.sequences.push(Sequence { before, after, padding, frames, odd_padding, doubles });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(names: &[&str]) -> Vec<String> {
        let collapsed = collapse(names.iter().map(|name| name.as_bytes()));
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let files = collapsed.files.iter().map(|name| text(name));
        let sequences =
            collapsed.sequences.iter().map(|s| text(&s.pattern(&frames_text(&s.frames))));
        files.chain(sequences).collect()
    }

    /// Each row as fileseq 3.4.0 answers; a single one keeps its name.
    #[test]
    fn sequences_are_those_of_fileseq() {
        let all: [(&[&str], &[&str]); 15] = [
            (
                &["photo.004.jpg", "photo.08.jpg", "photo.009.jpg", "photo.015.jpg"],
                &["photo.8@@.jpg", "photo.4,9,15@@@.jpg"],
            ),
            (&["a.-01.exr", "a.000.exr", "a.001.exr"], &["a.-1-1@@@.exr"]),
            (&["bar.-001.exr", "bar.0000.exr", "bar.0001.exr"], &["bar.-1-1#.exr"]),
            (&["9.exr", "010.exr", "11.exr"], &["9,11@.exr", "10@@@.exr"]),
            (&["a.1.exr", "a.01.exr"], &["a.1@.exr", "a.1@@.exr"]),
            (&["a.001", "a.002"], &["a.001", "a.002"]),
            (&["a.0001.tar.gz", "a.0002.tar.gz"], &["a.1-2#.tar.gz"]),
            (&["x.1.2.exr", "x.1.3.exr"], &["x.1.2-3@.exr"]),
            (&["a.9.exr", "a.10.exr", "a.100.exr"], &["a.9-10,100@.exr"]),
            (&["a.0999.exr", "a.1000.exr", "a.10000.exr"], &["a.999-1000,10000#.exr"]),
            (&["a12", "a13"], &["a12-13@@"]),
            (&["12.exr", "13.exr"], &["12-13@@.exr"]),
            (&["1", "2"], &["1-2@"]),
            (&["a", "b.exr", "c.1.exr"], &["a", "b.exr", "c.1.exr"]),
            (
                &["seq.00.e", "seq.01.e", "seq.0000.e", "seq.0001.e", "seq.00000.e", "seq.00001.e"],
                &["seq.0-1@@.e", "seq.0-1#.e", "seq.0-1@@@@@.e"],
            ),
        ];
        for (names, wanted) in all {
            assert_eq!(told(names), wanted);
            let mut backwards = names.to_vec();
            backwards.reverse();
            assert_eq!(told(&backwards), wanted, "backwards");
        }
    }

    fn sequence(frames: &[i64]) -> Sequence {
        let padding = Padding::digits(4);
        let (before, after, frames) = (b"a.".to_vec(), b".exr".to_vec(), frames.to_vec());
        Sequence { before, after, padding, frames, odd_padding: false, doubles: Vec::new() }
    }

    #[test]
    fn holes_are_told_in_steps_of_the_sequence() {
        let of = |frames: &[i64]| {
            let s = sequence(frames);
            (s.range(), s.expected(), s.missing())
        };
        let told = |range: &str, expected, missing: &str| (range.into(), expected, missing.into());
        assert_eq!(of(&[1, 2, 3]), told("1-3", 3, ""));
        assert_eq!(of(&[1, 2, 4, 9]), told("1-9", 9, "3,5-8"));
        assert_eq!(of(&[1, 4]), told("1-4", 4, "2-3"));
        assert_eq!(of(&[1, 3, 5, 9]), told("1-9x2", 5, "7"));
        assert_eq!(of(&[1, 3, 9, 11]), told("1-11x2", 6, "5,7"));
        assert_eq!(of(&[1, 3, 11, 13]), told("1-13x2", 7, "5-9x2"));
        assert_eq!(of(&[-2, -1, 1]), told("-2-1", 4, "0"));
        assert_eq!(of(&[7]), told("7", 1, ""));
    }

    #[test]
    fn tiles_are_no_frames() {
        let tiles = |frames: &[i64]| sequence(frames).is_udim();
        assert!(tiles(&[1001, 1002, 1011, 1012, 1013]));
        assert!(tiles(&[1001, 1002, 1021]));
        assert!(!tiles(&[1001, 1002, 1003]), "nothing tells them from frames");
        assert!(!tiles(&[1001, 1002, 1012]), "a row without its first column");
        assert!(!tiles(&[1, 2, 11, 12]));
        assert!(!tiles(&[1001, 1011, 1021]), "every tenth frame");
        let farm: Vec<i64> = (1001..=1024).chain(1031..=1040).collect();
        assert!(!tiles(&farm), "a chunk of ten that ended early");
        let tiles = sequence(&[1001, 1002, 1011]);
        assert_eq!((tiles.expected(), tiles.missing()), (3, String::new()));
        assert_eq!(tiles.pattern("1001-1002,1011"), b"a.1001-1002,1011<UDIM>.exr");
    }

    #[test]
    fn odd_padding_and_doubles_are_told() {
        let names = ["a.0001.exr", "a.0002.exr", "a.0003.exr", "a.2.exr", "a.9.exr"];
        let found = collapse(names.map(str::as_bytes)).sequences;
        assert_eq!((found[0].padding.width, found[0].odd_padding), (1, true));
        assert_eq!((&found[0].frames[..], &found[0].doubles[..]), (&[2, 9][..], &[2][..]));
        assert_eq!((found[1].odd_padding, found[1].doubles.len()), (false, 0));
    }

    #[test]
    fn names_that_are_no_text() {
        let names = [&b"\xff.1.exr"[..], b"\xff.2.exr", b"\xfe.3.exr", b"", b"-", b"."];
        let found = collapse(names);
        assert_eq!((found.sequences.len(), found.files.len()), (1, 4));
        assert_eq!(found.sequences[0].name(2), b"\xff.2.exr");
    }
}
