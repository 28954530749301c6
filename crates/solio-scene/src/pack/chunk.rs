//! The bytes of a section: packed and unpacked.
//!
//! Words stand in rows of some columns. Each column becomes whole numbers near what is expected of
//! them, in its own way ([`super::column`]), and the codec of arrays makes a chunk of all of them, a
//! plane each. A section is
//!
//! ```text
//! 2 u32 × columns     how the column is stored, exceptions
//! u32                 bytes of the chunk
//! chunk
//! 2 u32 × exceptions  row, word; column after column
//! words               those that make no row
//! ```

use super::column::{self, ColumnCoding, ColumnPrediction, Exception, WordForm};
use super::table::{Section, SectionCodec, le_u32};
use super::{matrix, normal};
use bytemuck::{cast_slice, cast_slice_mut};
use solio_base::{Error, Result};
use solio_codec::array::{
    ArrayDecoder, ArrayEncoder, Effort, Element, SamplePlane, bits_of_numbers,
};
use solio_codec::compress::lacks_memory;
use zstd::bulk::{Compressor, Decompressor};

/// Up to here all ways are tried; longer sections are chosen for by a part of so many words.
const SAMPLE_WORDS: usize = 16 << 10;
/// Fewer words are not taken apart.
const LEAST_WORDS: usize = 64;
/// Bytes of what stands before the chunk, of a column.
const COLUMN_HEAD: usize = 8;
/// Columns at most.
const MOST_COLUMNS: usize = 32;
/// What predicting matrices and normals must save to be worth its time: one bit in so many.
const WORTH_PREDICTING: u64 = 32;
/// Bits of a column without its numbers: its heads, and the tables of its codes, about.
const COLUMN_BITS: u64 = 1200;
/// Bits of an exception.
const EXCEPTION_BITS: u64 = 64;

/// How a section was packed: codec, columns.
pub(super) type SectionWay = (SectionCodec, u32);

/// What packs; keep one per thread.
pub(super) struct PackEncoder {
    /// None: nothing is packed.
    coders: Option<Coders>,
    words: Vec<u32>,
    columns: Vec<u32>,
    stored: Vec<u32>,
}

/// Of words in columns, and of anything.
struct Coders {
    arrays: ArrayEncoder,
    zstd: Compressor<'static>,
}

impl Coders {
    fn new(effort: Effort) -> Result<Coders> {
        let level = match effort {
            Effort::Fast => 3,
            Effort::Thorough => 9,
            Effort::Max => 19,
        };
        let start = || {
            let mut zstd = Compressor::new(level)?;
            zstd.include_checksum(false)?;
            zstd.include_contentsize(false)?;
            Ok(zstd)
        };
        let zstd = start().map_err(|error| Error::io("start zstd", error))?;
        Ok(Coders { arrays: ArrayEncoder::new(effort)?, zstd })
    }
}

impl PackEncoder {
    /// With so much effort, or none at all: then nothing is packed.
    ///
    /// # Errors
    /// `Io` where zstd gets no memory.
    pub(super) fn new(effort: Option<Effort>) -> Result<PackEncoder> {
        let coders = effort.map(Coders::new).transpose()?;
        Ok(PackEncoder { coders, words: Vec::new(), columns: Vec::new(), stored: Vec::new() })
    }

    /// Appends `plain`, packed if that makes it smaller. Words are taken apart in one of the ways
    /// of `columns`: none for bytes.
    pub(super) fn pack(
        &mut self,
        plain: &[u8],
        columns: &[u32],
        out: &mut Vec<u8>,
    ) -> Result<SectionWay> {
        let start = out.len();
        let Some(mut coders) = self.coders.take_if(|_| !plain.is_empty()) else {
            out.extend_from_slice(plain);
            return Ok((SectionCodec::None, 0));
        };
        let (words, _) = plain.as_chunks::<4>();
        let mut way = (SectionCodec::Zstd, 0);
        if !columns.is_empty() && words.len() >= LEAST_WORDS {
            let mut taken = std::mem::take(&mut self.words);
            taken.clear();
            taken.extend(words.iter().map(|word| u32::from_le_bytes(*word)));
            way = self.words(&taken, columns, &mut coders.arrays, out)?;
            self.words = taken;
        }
        if way.0 == SectionCodec::Zstd || words.len() <= SAMPLE_WORDS {
            let other = out.len();
            zstd(&mut coders.zstd, plain, out)?;
            let (first, second) = (other - start, out.len() - other);
            if way.0 == SectionCodec::Zstd || second < first {
                out.drain(start..other);
                way = (SectionCodec::Zstd, 0);
            } else {
                out.truncate(other);
            }
        }
        if out.len() - start >= plain.len() {
            out.truncate(start);
            out.extend_from_slice(plain);
            way = (SectionCodec::None, 0);
        }
        self.coders = Some(coders);
        Ok(way)
    }

    /// Words in columns, in the best way that is found.
    fn words(
        &mut self,
        words: &[u32],
        columns: &[u32],
        arrays: &mut ArrayEncoder,
        out: &mut Vec<u8>,
    ) -> Result<SectionWay> {
        let mut best: Option<(SectionCodec, u32, Vec<ColumnCoding>, u64)> = None;
        let mut rest = None;
        for &width in columns {
            if words.len() < width as usize {
                continue;
            }
            let (ways, cost) = self.ways(words, width as usize);
            if best.as_ref().is_none_or(|best| cost < best.3) {
                best = Some((SectionCodec::Columns, width, ways, cost));
            }
            let whole = words.len().is_multiple_of(width as usize);
            let predicted = match width as usize {
                matrix::NUMBERS if whole => {
                    Some((SectionCodec::Matrices, matrix::differences(words)))
                }
                normal::NUMBERS if whole => {
                    Some((SectionCodec::Normals, normal::differences(words)))
                }
                _ => None,
            };
            if let Some((codec, differences)) = predicted {
                let (ways, cost) = self.ways(&differences, width as usize);
                if best.as_ref().is_none_or(|best| cost + cost / WORTH_PREDICTING < best.3) {
                    best = Some((codec, width, ways, cost));
                    rest = Some(differences);
                }
            }
        }
        let Some((codec, width, ways, _)) = best else { return Ok((SectionCodec::Zstd, 0)) };
        let words = match &rest {
            Some(rest) if codec != SectionCodec::Columns => rest,
            _ => words,
        };
        self.rows(words, &ways, arrays, out)?;
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

    /// The best ways for so many columns, and about how many bits a word needs then, 1,024 times:
    /// of a part of the words.
    fn ways(&mut self, words: &[u32], width: usize) -> (Vec<ColumnCoding>, u64) {
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
        let mut cost = 0;
        for (column, digits) in digits.into_iter().enumerate() {
            let (way, bits) = self.best_of(rows, column, digits.map(WordForm::Decimals));
            ways.push(way);
            cost += bits;
        }
        // A column takes up some bytes however few rows there are.
        let of_columns = 1024 * COLUMN_BITS * width as u64 / (words.len() / width) as u64;
        (ways, (cost + of_columns) / width as u64)
    }

    /// The best way for a column, which becomes whole numbers so, and about how many bits a number
    /// needs then, 1,024 times.
    fn best_of(
        &mut self,
        rows: usize,
        column: usize,
        decimals: Option<WordForm>,
    ) -> (ColumnCoding, u64) {
        let at = column * rows..(column + 1) * rows;
        let words = self.columns[at.clone()].to_vec();
        let has_signs = words.iter().any(|word| word >> 31 == 1);
        let floats = has_signs.then_some(WordForm::Floats);
        let mut best = (ColumnCoding::default(), u64::MAX);
        let mut others = Vec::new();
        for numbers in [Some(WordForm::Bits), floats, decimals].into_iter().flatten() {
            self.columns[at.clone()].copy_from_slice(&words);
            others.clear();
            column::to_whole(&mut self.columns[at.clone()], numbers, &mut others);
            let beside = 1024 * EXCEPTION_BITS * others.len() as u64 / rows as u64;
            for prediction in column::predictions(column) {
                self.stored.resize(rows, 0);
                column::differences(&self.columns, rows, column, prediction, &mut self.stored);
                let is_predicted = prediction != ColumnPrediction::None;
                let cost = bits_of_numbers(&self.stored, is_predicted) + beside;
                if cost < best.1 {
                    best = (ColumnCoding { numbers, prediction }, cost);
                }
            }
        }
        self.columns[at.clone()].copy_from_slice(&words);
        others.clear();
        column::to_whole(&mut self.columns[at], best.0.numbers, &mut others);
        best
    }

    /// Appends rows, a column in each of some ways.
    fn rows(
        &mut self,
        words: &[u32],
        ways: &[ColumnCoding],
        arrays: &mut ArrayEncoder,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let width = ways.len();
        let rows = self.columns(words, width);
        let mut others: Vec<Exception> = Vec::new();
        self.stored.resize(rows * width, 0);
        for (column, &way) in ways.iter().enumerate() {
            let before = others.len();
            let at = column * rows..(column + 1) * rows;
            column::to_whole(&mut self.columns[at.clone()], way.numbers, &mut others);
            let to = &mut self.stored[at];
            column::differences(&self.columns, rows, column, way.prediction, to);
            out.extend_from_slice(&way.word().to_le_bytes());
            out.extend_from_slice(&((others.len() - before) as u32).to_le_bytes());
        }
        let size_at = out.len();
        out.extend_from_slice(&[0; 4]);
        little_endian(&mut self.stored);
        arrays.encode(cast_slice(&self.stored), &planes(width, rows)[..width], out)?;
        let size = (out.len() - size_at - 4) as u32;
        out[size_at..size_at + 4].copy_from_slice(&size.to_le_bytes());
        for (row, word) in others {
            out.extend_from_slice(&row.to_le_bytes());
            out.extend_from_slice(&word.to_le_bytes());
        }
        out.extend(words[rows * width..].iter().flat_map(|word| word.to_le_bytes()));
        Ok(())
    }
}

/// Planes of columns, one behind the other; the first ones count.
fn planes(width: usize, rows: usize) -> [SamplePlane; MOST_COLUMNS] {
    std::array::from_fn(|column| SamplePlane {
        element: Element::U32,
        width: rows,
        rows: 1,
        start: 4 * rows * column.min(width),
        step: 4,
        row_step: 4 * rows,
    })
}

/// Words with their lowest byte first, and back.
fn little_endian(words: &mut [u32]) {
    if cfg!(target_endian = "big") {
        words.iter_mut().for_each(|word| *word = word.swap_bytes());
    }
}

fn zstd(zstd: &mut Compressor<'static>, plain: &[u8], out: &mut Vec<u8>) -> Result<()> {
    let start = out.len();
    out.resize(start + zstd::zstd_safe::compress_bound(plain.len()), 0);
    let made = zstd.compress_to_buffer(plain, &mut out[start..]);
    let made = made.map_err(|error| Error::io("compress", error))?;
    out.truncate(start + made);
    Ok(())
}

/// What unpacks; keep one per thread.
#[derive(Default)]
pub(super) struct PackDecoder {
    zstd: Option<Decompressor<'static>>,
    arrays: ArrayDecoder,
    columns: Vec<u32>,
}

impl PackDecoder {
    /// Fills `plain` with what a section says; `stored` are its bytes.
    pub(super) fn unpack(
        &mut self,
        section: &Section,
        stored: &[u8],
        plain: &mut [u8],
    ) -> std::result::Result<(), &'static str> {
        match section.codec {
            SectionCodec::None => {
                if stored.len() != plain.len() {
                    return Err("a section that is not packed has two sizes");
                }
                plain.copy_from_slice(stored);
                Ok(())
            }
            SectionCodec::Zstd => unzstd(&mut self.zstd, stored, plain),
            SectionCodec::Columns => self.rows(section, stored, plain),
            SectionCodec::Matrices => {
                if section.columns as usize != matrix::NUMBERS || !plain.len().is_multiple_of(48) {
                    return Err("a section of matrices has rows of 12 numbers");
                }
                self.rows(section, stored, plain)
            }
            SectionCodec::Normals => {
                if section.columns as usize != normal::NUMBERS || !plain.len().is_multiple_of(12) {
                    return Err("a section of normals has rows of 3 numbers");
                }
                self.rows(section, stored, plain)
            }
        }
    }

    fn rows(
        &mut self,
        section: &Section,
        stored: &[u8],
        plain: &mut [u8],
    ) -> std::result::Result<(), &'static str> {
        let (words, rest) = plain.as_chunks_mut::<4>();
        let width = section.columns as usize;
        if width == 0 || width > MOST_COLUMNS || !rest.is_empty() {
            return Err("a section of columns has rows of 1 to 32 words");
        }
        let rows = words.len() / width;
        let (heads, size, stored) = stored
            .split_at_checked(COLUMN_HEAD * width)
            .and_then(|(heads, rest)| {
                rest.split_at_checked(4).map(|(size, rest)| (heads, size, rest))
            })
            .ok_or("a section ends inside what it says of its columns")?;
        let heads = heads.as_chunks::<COLUMN_HEAD>().0;
        let (chunk, mut stored) = stored
            .split_at_checked(le_u32(size) as usize)
            .ok_or("a section ends inside the chunk of its columns")?;
        self.columns.resize(rows * width, 0);
        let planes = &planes(width, rows)[..width];
        let decoded = self.arrays.decode(chunk, planes, cast_slice_mut(&mut self.columns));
        decoded.map_err(|_| "the chunk of a section's columns is damaged")?;
        little_endian(&mut self.columns);
        let mut ways = [ColumnCoding::default(); MOST_COLUMNS];
        for (column, head) in heads.iter().enumerate() {
            let way = ColumnCoding::of_word(le_u32(head), column);
            ways[column] = way.ok_or("a column is stored in a way that is not known")?;
            column::restore(&mut self.columns, rows, column, ways[column].prediction);
        }
        for (column, head) in heads.iter().enumerate() {
            let numbers = &mut self.columns[column * rows..][..rows];
            column::to_words(numbers, ways[column].numbers);
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
            return Err("a section goes on behind its columns");
        }
        behind.copy_from_slice(stored);
        match section.codec {
            SectionCodec::Matrices => matrix::restore(&mut self.columns, rows),
            SectionCodec::Normals => normal::restore(&mut self.columns, rows),
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
) -> std::result::Result<(), &'static str> {
    if zstd.is_none() {
        *zstd = Decompressor::new().ok();
    }
    let zstd = zstd.as_mut().ok_or("zstd does not start")?;
    match zstd.decompress_to_buffer(from, to) {
        Ok(made) if made == to.len() => Ok(()),
        Ok(_) => Err("a frame of zstd has fewer bytes than its section says"),
        Err(error) if lacks_memory(&error) => Err("zstd gets no memory"),
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

    fn there_and_back(words: &[[u8; 4]], columns: &[u32]) -> (SectionCodec, usize) {
        let mut packer = PackEncoder::new(Some(Effort::Fast)).unwrap();
        let (mut out, plain) = (vec![7; 5], words.as_flattened());
        let (codec, columns) = packer.pack(plain, columns, &mut out).unwrap();
        let section = Section {
            kind: super::super::SectionKind::Floats,
            number: 0,
            offset: 64,
            stored_bytes: out.len() as u64 - 5,
            plain_bytes: plain.len() as u64,
            codec,
            columns,
            crc: 0,
        };
        let mut back = vec![0xaa; plain.len()];
        let mut unpacker = PackDecoder::default();
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
    fn grids_are_packed_as_columns_of_differences() {
        let grid = (0..20_000).flat_map(|i| [i as f32 * 0.25, (i % 100) as f32, 3.5]);
        let words: Vec<[u8; 4]> = grid.map(|value| value.to_le_bytes()).collect();
        let (codec, bytes) = there_and_back(&words, &[1, 2, 3, 4]);
        assert!(
            codec == SectionCodec::Columns && bytes * 10 < 4 * words.len(),
            "{codec:?} {bytes}"
        );
    }

    #[test]
    fn noise_stays_as_it_is() {
        let noise =
            (0..5000u32).map(|i| i.wrapping_mul(0x9e37_79b9).rotate_left(i).wrapping_mul(i | 1));
        let words: Vec<[u8; 4]> = noise.map(u32::to_le_bytes).collect();
        assert_eq!(there_and_back(&words, &[1, 3]), (SectionCodec::None, 20_000));
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
