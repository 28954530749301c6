//! The bytes of a section: packed and unpacked.
//!
//! Planes: the words of a row stand in columns. Each column becomes small whole numbers in its own
//! way ([`super::column`]), which are cut into four planes, of all lowest bytes, of all next ones,
//! and so on. A section is
//!
//! ```text
//! 6 u32 × columns     how the column is stored, exceptions, bytes of each of its planes
//! planes              as they are where that many bytes are rows; a byte that is all of them
//!                     where that is 1; else a frame of zstd
//! 2 u32 × exceptions  row, word; column after column
//! words               those that make no row
//! ```

use super::column::{self, Exception, Plane, Way};
use super::table::{Codec, Section, le_u32};
use super::{matrix, normal};
use zstd::bulk::{Compressor, Decompressor};
use zstd::zstd_safe::{CParameter, Strategy};

/// Up to here all ways are tried; longer sections are chosen for by a part of so many words.
const SAMPLE_WORDS: usize = 16 << 10;
/// Fewer words are not taken apart.
const LEAST_WORDS: usize = 64;
/// Bytes of what stands before the planes, of a column.
const COLUMN_HEAD: usize = 24;

/// How a section was packed: codec, columns.
pub(super) type SectionWay = (Codec, u32);

/// What packs; keep one per thread.
pub(super) struct Packer {
    /// Finds repetitions, and counts bytes.
    zstd: Option<Compressor<'static>>,
    /// Counts bytes alone: what it makes is unpacked up to twice as fast.
    counting: Option<Compressor<'static>>,
    words: Vec<u32>,
    columns: Vec<u32>,
    stored: Vec<u32>,
    planes: Vec<u8>,
}

impl Packer {
    /// With a level of zstd, or none at all: then nothing is packed.
    pub(super) fn new(level: Option<i32>) -> std::io::Result<Packer> {
        let start = |level: i32| {
            let mut zstd = Compressor::new(level)?;
            zstd.include_checksum(false)?;
            zstd.include_contentsize(false)?;
            Ok::<_, std::io::Error>(zstd)
        };
        let (mut zstd, mut counting) = (None, None);
        if let Some(level) = level {
            zstd = Some(start(level)?);
            // A table of 64 places finds next to no repetitions.
            let mut only = start(1)?;
            only.set_parameter(CParameter::Strategy(Strategy::ZSTD_fast))?;
            only.set_parameter(CParameter::WindowLog(17))?;
            only.set_parameter(CParameter::HashLog(6))?;
            only.set_parameter(CParameter::MinMatch(7))?;
            counting = Some(only);
        }
        Ok(Packer {
            zstd,
            counting,
            words: Vec::new(),
            columns: Vec::new(),
            stored: Vec::new(),
            planes: Vec::new(),
        })
    }

    /// Appends `plain`, packed if that makes it smaller. Words are taken apart in one of the ways
    /// of `columns`: none for bytes.
    pub(super) fn pack(
        &mut self,
        plain: &[u8],
        columns: &[u32],
        out: &mut Vec<u8>,
    ) -> std::io::Result<SectionWay> {
        let start = out.len();
        if self.zstd.is_none() || plain.is_empty() {
            out.extend_from_slice(plain);
            return Ok((Codec::None, 0));
        }
        let (words, _) = plain.as_chunks::<4>();
        let mut way = (Codec::Zstd, 0);
        if !columns.is_empty() && words.len() >= LEAST_WORDS {
            let mut taken = std::mem::take(&mut self.words);
            taken.clear();
            taken.extend(words.iter().map(|word| u32::from_le_bytes(*word)));
            way = self.words(&taken, columns, out)?;
            self.words = taken;
        }
        if way.0 == Codec::Zstd || words.len() <= SAMPLE_WORDS {
            let other = out.len();
            zstd(&mut self.zstd, plain, out)?;
            let (first, second) = (other - start, out.len() - other);
            if way.0 == Codec::Zstd || second < first {
                out.drain(start..other);
                way = (Codec::Zstd, 0);
            } else {
                out.truncate(other);
            }
        }
        if out.len() - start >= plain.len() {
            out.truncate(start);
            out.extend_from_slice(plain);
            way = (Codec::None, 0);
        }
        Ok(way)
    }

    /// Words as planes, in the best way that is found.
    fn words(
        &mut self,
        words: &[u32],
        columns: &[u32],
        out: &mut Vec<u8>,
    ) -> std::io::Result<SectionWay> {
        let mut best: Option<(Codec, u32, Vec<Way>, u64)> = None;
        let mut rest = None;
        for &width in columns {
            if words.len() < width as usize {
                continue;
            }
            let (ways, cost) = self.ways(words, width as usize);
            if best.as_ref().is_none_or(|best| cost < best.3) {
                best = Some((Codec::Planes, width, ways, cost));
            }
            let whole = words.len().is_multiple_of(width as usize);
            let predicted = match width as usize {
                matrix::NUMBERS if whole => Some((Codec::Matrices, matrix::differences(words))),
                normal::NUMBERS if whole => Some((Codec::Normals, normal::differences(words))),
                _ => None,
            };
            if let Some((codec, differences)) = predicted {
                let (ways, cost) = self.ways(&differences, width as usize);
                if best.as_ref().is_none_or(|best| cost < best.3) {
                    best = Some((codec, width, ways, cost));
                    rest = Some(differences);
                }
            }
        }
        let Some((codec, width, ways, _)) = best else { return Ok((Codec::Zstd, 0)) };
        let words = match &rest {
            Some(rest) if codec != Codec::Planes => rest,
            _ => words,
        };
        self.planes(words, &ways, out)?;
        Ok((codec, width))
    }

    /// Takes rows apart: column after column.
    fn columns(&mut self, words: &[u32], width: usize) -> usize {
        let rows = words.len() / width;
        self.columns.clear();
        for column in 0..width {
            let of_rows = words[..rows * width].iter().skip(column).step_by(width);
            self.columns.extend(of_rows);
        }
        rows
    }

    /// The best ways for so many columns, and about how many bits a word needs then, 256 times:
    /// of a part of the words.
    fn ways(&mut self, words: &[u32], width: usize) -> (Vec<Way>, u64) {
        let rows = (words.len() / width).min(SAMPLE_WORDS / width).max(1);
        let first = (words.len() / width).saturating_sub(rows) / 2;
        let rows = self.columns(&words[first * width..][..rows * width], width);
        let mut digits: Vec<Option<u8>> =
            self.columns.chunks_exact(rows).map(column::digits_of).collect();
        // Coordinates that stand beside each other have the same digits: they can be told by those.
        for column in 0..width {
            let along = digits.iter().skip(column % 3).step_by(3);
            if width >= 6 && along.clone().all(Option::is_some) {
                digits[column] = along.copied().max().flatten();
            }
        }
        let mut ways = Vec::with_capacity(width);
        let (mut cost, mut others) = (0, Vec::new());
        for (column, digits) in digits.into_iter().enumerate() {
            let (way, bits) = self.best_of(rows, column, None);
            let (mut best, mut least) = (way, bits);
            if digits.is_some() {
                let at = column * rows..(column + 1) * rows;
                let plain = self.columns[at.clone()].to_vec();
                others.clear();
                column::to_whole(&mut self.columns[at.clone()], digits, &mut others);
                let (way, bits) = self.best_of(rows, column, digits);
                let bits = bits + 256 * 64 * others.len() as u64;
                match bits < least {
                    true => (best, least) = (way, bits),
                    false => self.columns[at].copy_from_slice(&plain),
                }
            }
            ways.push(best);
            cost += least;
        }
        (ways, cost / (rows * width) as u64)
    }

    /// The best prediction for a column of whole numbers, and its cost.
    fn best_of(&mut self, rows: usize, column: usize, digits: Option<u8>) -> (Way, u64) {
        let mut best = (Way::default(), u64::MAX);
        for prediction in column::predictions(column) {
            let way = Way { digits, prediction };
            column::differences(&self.columns, rows, column, way, &mut self.stored);
            let cost = cost_of(&self.stored);
            if cost < best.1 {
                best = (way, cost);
            }
        }
        best
    }

    fn planes(&mut self, words: &[u32], ways: &[Way], out: &mut Vec<u8>) -> std::io::Result<()> {
        let width = ways.len();
        let rows = self.columns(words, width);
        let head_at = out.len();
        out.resize(head_at + COLUMN_HEAD * width, 0);
        let mut others: Vec<Exception> = Vec::new();
        let mut planes = std::mem::take(&mut self.planes);
        planes.resize(4 * rows, 0);
        for (column, &way) in ways.iter().enumerate() {
            let before = others.len();
            let numbers = &mut self.columns[column * rows..][..rows];
            column::to_whole(numbers, way.digits, &mut others);
            let mut head = [way.word(), (others.len() - before) as u32, 0, 0, 0, 0];
            column::differences(&self.columns, rows, column, way, &mut self.stored);
            split(&self.stored, &mut planes);
            for (size, plane) in head[2..].iter_mut().zip(planes.chunks_exact(rows.max(1))) {
                let start = out.len();
                self.plane(plane, out)?;
                *size = (out.len() - start) as u32;
            }
            let head_at = head_at + COLUMN_HEAD * column;
            let head = head.map(u32::to_le_bytes);
            out[head_at..head_at + COLUMN_HEAD].copy_from_slice(head.as_flattened());
        }
        self.planes = planes;
        for (row, word) in others {
            out.extend_from_slice(&row.to_le_bytes());
            out.extend_from_slice(&word.to_le_bytes());
        }
        out.extend(words[rows * width..].iter().flat_map(|word| word.to_le_bytes()));
        Ok(())
    }

    fn plane(&mut self, plane: &[u8], out: &mut Vec<u8>) -> std::io::Result<()> {
        if plane.iter().all(|byte| *byte == plane[0]) {
            out.push(plane[0]);
            return Ok(());
        }
        let start = out.len();
        zstd(&mut self.zstd, plane, out)?;
        let found = out.len();
        zstd(&mut self.counting, plane, out)?;
        let counted = out.len() - found;
        // What is saved by repetitions alone must be worth the time of unpacking it.
        if counted <= (found - start) + (found - start) / 4 {
            out.drain(start..found);
        } else {
            out.truncate(found);
        }
        // The same for a little that is saved at all.
        let most = plane.len() - plane.len() / 32;
        if out.len() - start >= most || out.len() - start == 1 {
            out.truncate(start);
            out.extend_from_slice(plane);
        }
        Ok(())
    }
}

fn zstd(
    zstd: &mut Option<Compressor<'static>>,
    plain: &[u8],
    out: &mut Vec<u8>,
) -> std::io::Result<()> {
    let zstd = zstd.as_mut().expect("asked for only where there is a level");
    let start = out.len();
    out.resize(start + zstd::zstd_safe::compress_bound(plain.len()), 0);
    let made = zstd.compress_to_buffer(plain, &mut out[start..])?;
    out.truncate(start + made);
    Ok(())
}

/// The bytes of words in four planes.
fn split(words: &[u32], planes: &mut [u8]) {
    let [a, b, c, d] = four(planes, words.len());
    for ((((word, a), b), c), d) in words.iter().zip(a).zip(b).zip(c).zip(d) {
        [*a, *b, *c, *d] = word.to_le_bytes();
    }
}

fn four(planes: &mut [u8], rows: usize) -> [&mut [u8]; 4] {
    let (ab, cd) = planes.split_at_mut(2 * rows);
    let ((a, b), (c, d)) = (ab.split_at_mut(rows), cd.split_at_mut(rows));
    [a, b, c, d]
}

/// About how many bits the planes of some words need, 256 times. In whole numbers, so that it is
/// the same on every machine.
fn cost_of(values: &[u32]) -> u64 {
    let mut counts = [[0u32; 256]; 4];
    let all = values.len() as u32;
    for value in values {
        for (counts, byte) in counts.iter_mut().zip(value.to_le_bytes()) {
            counts[usize::from(byte)] += 1;
        }
    }
    let used = counts.iter().flatten().filter(|count| **count > 0);
    used.map(|count| u64::from(*count) * (logarithm(all) - logarithm(*count))).sum()
}

/// About 256 times the binary logarithm.
fn logarithm(value: u32) -> u64 {
    let whole = value.max(1).ilog2();
    let fraction = (u64::from(value.max(1)) << 8 >> whole) - 256;
    256 * u64::from(whole) + fraction
}

/// What unpacks; keep one per thread.
#[derive(Default)]
pub(super) struct Unpacker {
    zstd: Option<Decompressor<'static>>,
    planes: Vec<u8>,
    columns: Vec<u32>,
}

impl Unpacker {
    /// Fills `plain` with what a section says; `stored` are its bytes.
    pub(super) fn unpack(
        &mut self,
        section: &Section,
        stored: &[u8],
        plain: &mut [u8],
    ) -> Result<(), &'static str> {
        match section.codec {
            Codec::None => {
                if stored.len() != plain.len() {
                    return Err("a section that is not packed has two sizes");
                }
                plain.copy_from_slice(stored);
                Ok(())
            }
            Codec::Zstd => unzstd(&mut self.zstd, stored, plain),
            Codec::Planes => self.planes(section, stored, plain),
            Codec::Matrices => {
                if section.columns as usize != matrix::NUMBERS || !plain.len().is_multiple_of(48) {
                    return Err("a section of matrices has rows of 12 numbers");
                }
                self.planes(section, stored, plain)
            }
            Codec::Normals => {
                if section.columns as usize != normal::NUMBERS || !plain.len().is_multiple_of(12) {
                    return Err("a section of normals has rows of 3 numbers");
                }
                self.planes(section, stored, plain)
            }
        }
    }

    fn planes(
        &mut self,
        section: &Section,
        stored: &[u8],
        plain: &mut [u8],
    ) -> Result<(), &'static str> {
        let (words, rest) = plain.as_chunks_mut::<4>();
        let width = section.columns as usize;
        if width == 0 || width > 32 || !rest.is_empty() {
            return Err("a section of planes has rows of 1 to 32 words");
        }
        let rows = words.len() / width;
        let Some((head, mut stored)) = stored.split_at_checked(COLUMN_HEAD * width) else {
            return Err("a section ends inside the sizes of its planes");
        };
        let heads = head.as_chunks::<COLUMN_HEAD>().0;
        self.columns.resize(rows * width, 0);
        self.planes.resize(4 * rows, 0);
        let mut ways = [Way::default(); 32];
        for (column, head) in heads.iter().enumerate() {
            let way = Way::of_word(le_u32(head), column);
            ways[column] = way.ok_or("a column is stored in a way that is not known")?;
            let mut planes = [Plane::Same(0); 4];
            let buffers = four(&mut self.planes, rows);
            for (i, buffer) in buffers.into_iter().enumerate() {
                let size = le_u32(&head[8 + 4 * i..]) as usize;
                let Some((plane, behind)) = stored.split_at_checked(size) else {
                    return Err("a section ends inside a plane");
                };
                stored = behind;
                planes[i] = if size == rows {
                    Plane::Each(plane)
                } else if size == 1 {
                    Plane::Same(plane[0])
                } else {
                    unzstd(&mut self.zstd, plane, buffer)?;
                    Plane::Each(buffer)
                };
            }
            column::restore(planes, &mut self.columns, rows, column, ways[column]);
        }
        for (column, head) in heads.iter().enumerate() {
            let numbers = &mut self.columns[column * rows..][..rows];
            column::to_words(numbers, ways[column].digits);
            let bytes = 8 * le_u32(&head[4..]) as usize;
            let Some((others, behind)) = stored.split_at_checked(bytes) else {
                return Err("a section ends inside its exceptions");
            };
            stored = behind;
            for other in others.as_chunks::<8>().0 {
                let number = numbers.get_mut(le_u32(other) as usize);
                *number.ok_or("an exception in no row")? = le_u32(&other[4..]);
            }
        }
        let behind = words[rows * width..].as_flattened_mut();
        if stored.len() != behind.len() {
            return Err("a section goes on behind its planes");
        }
        behind.copy_from_slice(stored);
        match section.codec {
            Codec::Matrices => matrix::restore(&mut self.columns, rows),
            Codec::Normals => normal::restore(&mut self.columns, rows),
            _ => {}
        }
        rows_of(&self.columns, width, &mut words[..rows * width]);
        Ok(())
    }
}

fn unzstd(
    zstd: &mut Option<Decompressor<'static>>,
    from: &[u8],
    to: &mut [u8],
) -> Result<(), &'static str> {
    if zstd.is_none() {
        *zstd = Decompressor::new().ok();
    }
    let zstd = zstd.as_mut().ok_or("zstd does not start")?;
    match zstd.decompress_to_buffer(from, to) {
        Ok(made) if made == to.len() => Ok(()),
        Ok(_) => Err("a frame of zstd has fewer bytes than its section says"),
        Err(_) => Err("a frame of zstd is damaged"),
    }
}

/// Columns, one behind the other, to rows.
fn rows_of(columns: &[u32], width: usize, to: &mut [[u8; 4]]) {
    match width {
        1 => rows_of_width::<1>(columns, to),
        2 => rows_of_width::<2>(columns, to),
        3 => rows_of_width::<3>(columns, to),
        4 => rows_of_width::<4>(columns, to),
        5 => rows_of_width::<5>(columns, to),
        12 => rows_of_width::<12>(columns, to),
        14 => rows_of_width::<14>(columns, to),
        _ => {
            let rows = to.len() / width;
            for (i, row) in to.chunks_exact_mut(width).enumerate() {
                for (column, word) in row.iter_mut().enumerate() {
                    *word = columns[column * rows + i].to_le_bytes();
                }
            }
        }
    }
}

fn rows_of_width<const WIDTH: usize>(columns: &[u32], to: &mut [[u8; 4]]) {
    let (rows, _) = to.as_chunks_mut::<WIDTH>();
    let count = rows.len();
    let columns: [&[u32]; WIDTH] = std::array::from_fn(|c| &columns[c * count..][..count]);
    for (i, row) in rows.iter_mut().enumerate() {
        for (word, column) in row.iter_mut().zip(&columns) {
            *word = column[i].to_le_bytes();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn there_and_back(words: &[[u8; 4]], columns: &[u32]) -> (Codec, usize) {
        let mut packer = Packer::new(Some(3)).unwrap();
        let (mut out, plain) = (vec![7; 5], words.as_flattened());
        let (codec, columns) = packer.pack(plain, columns, &mut out).unwrap();
        let section = Section {
            kind: super::super::Kind::Floats,
            number: 0,
            offset: 64,
            stored_bytes: out.len() as u64 - 5,
            plain_bytes: plain.len() as u64,
            codec,
            columns,
            crc: 0,
        };
        let mut back = vec![0xaa; plain.len()];
        let mut unpacker = Unpacker::default();
        unpacker.unpack(&section, &out[5..], &mut back).unwrap();
        assert!(back == plain);
        // No part of it is enough, and none of these sizes can be believed.
        for end in [5, out.len() / 2, out.len() - 1] {
            let cut = &out[5..end.max(5)];
            assert!(
                cut.len() == out.len() - 5 || unpacker.unpack(&section, cut, &mut back).is_err()
            );
        }
        (codec, out.len() - 5)
    }

    #[test]
    fn grids_are_packed_as_planes_of_differences() {
        let grid = (0..20_000).flat_map(|i| [i as f32 * 0.25, (i % 100) as f32, 3.5]);
        let words: Vec<[u8; 4]> = grid.map(|value| value.to_le_bytes()).collect();
        let (codec, bytes) = there_and_back(&words, &[1, 2, 3, 4]);
        assert!(codec == Codec::Planes && bytes * 10 < 4 * words.len(), "{codec:?} {bytes}");
    }

    #[test]
    fn noise_stays_as_it_is() {
        let noise =
            (0..5000u32).map(|i| i.wrapping_mul(0x9e37_79b9).rotate_left(i).wrapping_mul(i | 1));
        let words: Vec<[u8; 4]> = noise.map(u32::to_le_bytes).collect();
        assert_eq!(there_and_back(&words, &[1, 3]), (Codec::None, 20_000));
    }

    proptest! {
        #[test]
        fn words_come_back(
            words in prop::collection::vec(prop_oneof![any::<u32>(), 0u32..9, Just(0x3f80_0000)], 1..900),
            widths in prop::sample::subsequence(vec![1u32, 2, 3, 4, 5, 12, 16], 0..5),
        ) {
            let words: Vec<[u8; 4]> = words.into_iter().map(u32::to_le_bytes).collect();
            there_and_back(&words, &widths);
        }
    }
}
