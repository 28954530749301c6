//! Head, table and tail of the file.

use super::MARK;
use solio_base::{Error, Result, Source};
use std::collections::BTreeMap;
use std::ops::Range;

/// The version that is written and read.
const VERSION: u32 = 3;
/// Bytes of the head, the tail, and an entry of the table; sections begin at multiples of it.
pub(super) const ALIGN: u64 = 64;
/// A section takes up at least this part of what it says, so that what a reader allocates is
/// bounded by the file.
pub(super) const MOST_RATIO: u64 = 256;

/// How the bytes of a section are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SectionCodec {
    /// As they are: to be used in place.
    None = 0,
    /// One frame of zstd.
    Zstd = 1,
    /// Words of rows, column after column, by the codec of arrays.
    Columns = 2,
    /// Matrices as differences from predicted ones, then as columns.
    Matrices = 3,
    /// Normals with their third numbers as differences from predicted ones, then as columns.
    Normals = 4,
}

macro_rules! kinds {
    ($($name:ident = $number:literal, $words:literal, $about:literal;)*) => {
        /// What a section holds.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum SectionKind { $(#[doc = $about] $name = $number,)* }

        impl SectionKind {
            fn of_number(number: u32) -> Option<SectionKind> {
                match number { $($number => Some(SectionKind::$name),)* _ => None }
            }

            /// Words of a record; 0 for bytes.
            pub fn words(self) -> usize {
                match self { $(SectionKind::$name => $words,)* }
            }
        }
    };
}

kinds! {
    Head = 1, 0, "Version, counts, camera and what else there is once.";
    Names = 2, 0, "Names and paths, one after the other.";
    Files = 3, 5, "Files.";
    Matrices = 4, 16, "Matrices of all but instances.";
    Options = 5, 7, "Options.";
    Attributes = 6, 7, "What `Attribute` gave.";
    Shapes = 7, 14, "Shapes.";
    Objects = 8, 5, "Objects.";
    Materials = 9, 9, "Materials.";
    Textures = 10, 10, "Textures.";
    Media = 11, 10, "Media.";
    Lights = 12, 10, "Lights.";
    AreaLights = 13, 7, "What lets shapes shine.";
    NamedFiles = 14, 1, "Files that are no text.";
    InstanceRuns = 16, 2, "Objects of instances, and how many follow one another.";
    InstanceObjects = 17, 1, "Objects of instances, one each.";
    InstanceMatrices = 18, 12, "Matrices of instances.";
    InstanceMoving = 19, 13, "Instances that move, with their second matrices.";
    Parameters = 24, 5, "Parameters.";
    Floats = 25, 1, "Numbers of parameters.";
    Integers = 26, 1, "Whole numbers and truth values of parameters.";
    Strings = 27, 2, "Where strings are in the text.";
    Text = 28, 0, "Bytes of names and strings.";
    SortedFloats = 29, 1, "Numbers of parameters by what they mean: in place of those in order.";
    Places = 32, 5, "Places of entities in the text.";
    FilePlaces = 33, 5, "Where files were asked for.";
    InstancePlaces = 34, 2, "Where instances begin in their file.";
    InstanceFiles = 35, 2, "Which files instances stand in.";
    ParameterPlaces = 36, 2, "Where parameters begin in their file.";
    Problems = 40, 11, "What is wrong, and warnings.";
    ProblemText = 41, 0, "Words of problems.";
    Meshes = 48, 10, "Meshes of files.";
    MeshNames = 49, 0, "Names of files of meshes.";
    MeshPositions = 50, 3, "Vertices of a mesh.";
    MeshNormals = 51, 3, "Normals of a mesh.";
    MeshUvs = 52, 2, "Texture coordinates of a mesh.";
    MeshCorners = 53, 1, "Vertices of the corners of a mesh.";
    MeshFaces = 54, 1, "Where the corners of faces begin.";
    MeshFaceIndices = 55, 1, "Numbers of faces.";
}

/// An entry of the table: some of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section {
    /// What it holds.
    pub kind: SectionKind,
    /// Which of that kind.
    pub number: u32,
    /// Where it begins in the file; a multiple of 64.
    pub offset: u64,
    /// Its bytes in the file, without what fills up to the next one.
    pub stored_bytes: u64,
    /// Its bytes when unpacked.
    pub plain_bytes: u64,
    /// How it is stored.
    pub codec: SectionCodec,
    /// Words of a row, for columns.
    pub columns: u32,
    /// CRC-32 of its bytes and of what fills up.
    pub crc: u32,
}

impl Section {
    /// Bytes up to the next section.
    pub(super) fn room(&self) -> u64 {
        room(self.stored_bytes, self.plain_bytes)
    }

    fn encode(&self, out: &mut Vec<u8>) {
        let start = out.len();
        for word in [self.kind as u32, self.number] {
            out.extend_from_slice(&word.to_le_bytes());
        }
        for value in [self.offset, self.stored_bytes, self.plain_bytes] {
            out.extend_from_slice(&value.to_le_bytes());
        }
        for word in [self.codec as u32, self.columns, 0, self.crc] {
            out.extend_from_slice(&word.to_le_bytes());
        }
        out.resize(start + ALIGN as usize, 0);
    }

    /// `None` for a kind that this version does not know.
    fn decode(entry: &[u8; 64]) -> Result<(Option<SectionKind>, Section), &'static str> {
        let word = |at: usize| le_u32(&entry[at..]);
        let codec = match word(32) {
            0 => SectionCodec::None,
            1 => SectionCodec::Zstd,
            2 => SectionCodec::Columns,
            3 => SectionCodec::Matrices,
            4 => SectionCodec::Normals,
            _ => return Err("a section is stored in a way that is not known"),
        };
        let kind = SectionKind::of_number(word(0));
        let section = Section {
            kind: kind.unwrap_or(SectionKind::Head),
            number: word(4),
            offset: le_u64(&entry[8..]),
            stored_bytes: le_u64(&entry[16..]),
            plain_bytes: le_u64(&entry[24..]),
            codec,
            columns: word(36),
            crc: word(44),
        };
        if codec == SectionCodec::None && section.stored_bytes != section.plain_bytes {
            return Err("a section that is not packed has two sizes");
        }
        let words = kind.map_or(0, SectionKind::words) as u64;
        if words > 0 && !section.plain_bytes.is_multiple_of(4 * words) {
            return Err("a section ends inside a record");
        }
        Ok((kind, section))
    }
}

pub(super) fn le_u32(bytes: &[u8]) -> u32 {
    u32::from_le_bytes(*bytes.first_chunk().expect("four bytes"))
}

pub(super) fn le_u64(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(*bytes.first_chunk().expect("eight bytes"))
}

/// What a section takes up in the file.
pub(super) fn room(stored: u64, plain: u64) -> u64 {
    let least = stored.max(plain / MOST_RATIO);
    least.checked_next_multiple_of(ALIGN).unwrap_or(u64::MAX)
}

/// The first 64 bytes.
pub(super) fn head() -> [u8; 64] {
    let mut head = [0; 64];
    head[..8].copy_from_slice(&MARK);
    head[8..12].copy_from_slice(&VERSION.to_le_bytes());
    seal(head)
}

/// With the check of the first 60 bytes in the last four.
fn seal(mut block: [u8; 64]) -> [u8; 64] {
    let crc = crc32fast::hash(&block[..60]);
    block[60..].copy_from_slice(&crc.to_le_bytes());
    block
}

/// Table and tail, behind sections that lie one after the other.
pub(super) fn end(sections: &[Section]) -> Vec<u8> {
    let mut out = Vec::with_capacity(64 * (sections.len() + 1));
    sections.iter().for_each(|section| section.encode(&mut out));
    let offset = sections.last().map_or(ALIGN, |last| last.offset + last.room());
    let mut tail = [0; 64];
    tail[..8].copy_from_slice(&offset.to_le_bytes());
    tail[8..16].copy_from_slice(&(sections.len() as u64).to_le_bytes());
    tail[16..20].copy_from_slice(&crc32fast::hash(&out).to_le_bytes());
    out.extend_from_slice(&seal(tail));
    out
}

/// The sections of a file, and which of them an array has.
pub(super) struct SectionTable {
    pub(super) sections: Vec<Section>,
    arrays: BTreeMap<(SectionKind, u32), Range<usize>>,
}

impl SectionTable {
    /// Reads and checks the table; with `verify` also its sums.
    pub(super) fn read(source: &dyn Source, verify: bool) -> Result<SectionTable> {
        let bytes = match source.len_bytes() {
            Some(bytes) if !source.is_sequential() => bytes,
            _ => {
                let message = "a packed scene is read from a file of known size, at any place";
                return Err(Error::argument(message).at_offset(0));
            }
        };
        let mut head = [0; 64];
        let got = source.read_at(0, &mut head)?;
        if !head[..got].starts_with(&MARK) {
            return Err(Error::corrupt("this is no packed scene").at_offset(0));
        }
        if bytes < 2 * ALIGN || !bytes.is_multiple_of(ALIGN) {
            let message = "the packed scene was cut off, or something follows it";
            return Err(Error::corrupt(message).at_offset(bytes));
        }
        let version = le_u32(&head[8..]);
        if version != VERSION {
            let message = format!("version {version} of packed scenes; {VERSION} is known");
            return Err(Error::unsupported(message).at_offset(8));
        }
        let sealed = |block: [u8; 64]| !verify || seal(block) == block;
        if !sealed(head) {
            return Err(Error::corrupt("the head of the packed scene is damaged").at_offset(0));
        }
        let mut tail = [0; 64];
        let tail_at = bytes - ALIGN;
        source.read_exact_at(tail_at, &mut tail, "the end of the packed scene")?;
        let (table_at, count) = (le_u64(&tail), le_u64(&tail[8..]));
        let fits = count.checked_mul(ALIGN).and_then(|all| table_at.checked_add(all));
        if !sealed(tail) || table_at < ALIGN || fits != Some(tail_at) {
            let message = "the packed scene was cut off, or its end is damaged";
            return Err(Error::corrupt(message).at_offset(tail_at));
        }
        let mut entries = vec![0; (tail_at - table_at) as usize];
        source.read_exact_at(table_at, &mut entries, "the table of the packed scene")?;
        if verify && crc32fast::hash(&entries) != le_u32(&tail[16..]) {
            let message = "the table of the packed scene is damaged";
            return Err(Error::corrupt(message).at_offset(table_at));
        }
        Self::of_entries(&entries, table_at)
    }

    fn of_entries(entries: &[u8], table_at: u64) -> Result<SectionTable> {
        let mut sections = Vec::with_capacity(entries.len() / 64);
        let mut arrays: BTreeMap<(SectionKind, u32), Range<usize>> = BTreeMap::new();
        let mut next = ALIGN;
        for (i, entry) in entries.as_chunks::<64>().0.iter().enumerate() {
            let place = table_at + 64 * i as u64;
            let (kind, section) =
                Section::decode(entry).map_err(|e| Error::corrupt(e).at_offset(place))?;
            let end = section.offset.checked_add(section.room());
            let end = end.filter(|end| section.offset == next && *end <= table_at);
            let Some(end) = end else {
                let message = "a section does not follow the one before it";
                return Err(Error::corrupt(message).at_offset(place));
            };
            next = end;
            if let Some(kind) = kind {
                let at = sections.len();
                let range = arrays.entry((kind, section.number)).or_insert(at..at);
                if range.end != at {
                    let message = "the sections of an array do not follow one another";
                    return Err(Error::corrupt(message).at_offset(place));
                }
                range.end += 1;
                sections.push(section);
            }
        }
        if next != table_at {
            let message = "the table does not follow the last section";
            return Err(Error::corrupt(message).at_offset(table_at));
        }
        Ok(SectionTable { sections, arrays })
    }

    /// The sections of an array.
    pub(super) fn array(&self, kind: SectionKind, number: u32) -> &[Section] {
        let range = self.arrays.get(&(kind, number)).cloned().unwrap_or(0..0);
        &self.sections[range]
    }

    /// Bytes of an array when unpacked: at most 256 times those of the file.
    pub(super) fn plain_bytes(&self, kind: SectionKind, number: u32) -> usize {
        self.array(kind, number).iter().map(|section| section.plain_bytes as usize).sum()
    }

    /// Records of an array.
    pub(super) fn count(&self, kind: SectionKind, number: u32) -> usize {
        self.plain_bytes(kind, number) / (4 * kind.words()).max(1)
    }

    /// Whether an array has a section, even an empty one.
    pub(super) fn has(&self, kind: SectionKind, number: u32) -> bool {
        self.arrays.contains_key(&(kind, number))
    }
}
