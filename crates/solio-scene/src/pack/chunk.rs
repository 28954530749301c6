//! The bytes of a section: packed and unpacked.
//!
//! Planes: the words of a row stand in columns; each column, or the differences down it, is cut
//! into four planes, of all lowest bytes, of all next ones, and so on. A section is
//!
//! ```text
//! u32 × 4 columns     bytes of each plane
//! planes              as they are where that many bytes are rows; a byte that is all of them
//!                     where that is 1; else a frame of zstd
//! words               those that make no row
//! ```

use super::table::{Codec, Section, le_u32};
use super::{matrix, normal};
use solio_codec::planes::{join_words, split_words};
use zstd::bulk::{Compressor, Decompressor};

/// A word as it lies in the file.
pub(super) type Word = [u8; 4];

/// Up to here all ways are tried; longer sections are chosen for by a part of so many words.
const SAMPLE_WORDS: usize = 16 << 10;
/// Fewer words are not taken apart.
const LEAST_WORDS: usize = 64;

/// How a section was packed: codec, columns, differences.
pub(super) type Way = (Codec, u32, u32);

/// What packs; keep one per thread.
pub(super) struct Packer {
    zstd: Option<Compressor<'static>>,
    column: Vec<Word>,
    planes: Vec<u8>,
}

impl Packer {
    /// With a level of zstd, or none at all: then nothing is packed.
    pub(super) fn new(level: Option<i32>) -> std::io::Result<Packer> {
        let zstd = match level {
            Some(level) => {
                let mut zstd = Compressor::new(level)?;
                zstd.include_checksum(false)?;
                zstd.include_contentsize(false)?;
                Some(zstd)
            }
            None => None,
        };
        Ok(Packer { zstd, column: Vec::new(), planes: Vec::new() })
    }

    /// Appends `plain`, packed if that makes it smaller. Words are taken apart in one of the ways
    /// of `columns`: none for bytes.
    pub(super) fn pack(
        &mut self,
        plain: &[u8],
        columns: &[u32],
        out: &mut Vec<u8>,
    ) -> std::io::Result<Way> {
        let start = out.len();
        if self.zstd.is_none() || plain.is_empty() {
            out.extend_from_slice(plain);
            return Ok((Codec::None, 0, 0));
        }
        let (words, _) = plain.as_chunks::<4>();
        let mut way = (Codec::Zstd, 0, 0);
        if !columns.is_empty() && words.len() >= LEAST_WORDS {
            way = self.planes_or_matrices(words, columns, out)?;
        }
        if way.0 == Codec::Zstd || words.len() <= SAMPLE_WORDS {
            let other = out.len();
            self.zstd(plain, out)?;
            let (first, second) = (other - start, out.len() - other);
            if way.0 == Codec::Zstd || second < first {
                out.drain(start..other);
                way = (Codec::Zstd, 0, 0);
            } else {
                out.truncate(other);
            }
        }
        if out.len() - start >= plain.len() {
            out.truncate(start);
            out.extend_from_slice(plain);
            way = (Codec::None, 0, 0);
        }
        Ok(way)
    }

    fn zstd(&mut self, plain: &[u8], out: &mut Vec<u8>) -> std::io::Result<()> {
        let zstd = self.zstd.as_mut().expect("asked for only where there is a level");
        let start = out.len();
        out.resize(start + zstd::zstd_safe::compress_bound(plain.len()), 0);
        let made = zstd.compress_to_buffer(plain, &mut out[start..])?;
        out.truncate(start + made);
        Ok(())
    }

    fn planes_or_matrices(
        &mut self,
        words: &[Word],
        columns: &[u32],
        out: &mut Vec<u8>,
    ) -> std::io::Result<Way> {
        let (columns, differences, cost) = best(words, columns);
        let whole = words.len().is_multiple_of(columns as usize);
        let predicted = match columns as usize {
            matrix::NUMBERS if whole => Some((Codec::Matrices, matrix::differences(words))),
            normal::NUMBERS if whole => Some((Codec::Normals, normal::differences(words))),
            _ => None,
        };
        if let Some((codec, rest)) = predicted {
            let (_, rest_differences, rest_cost) = best(&rest, &[columns]);
            if rest_cost < cost {
                self.planes(&rest, columns, rest_differences, out)?;
                return Ok((codec, columns, rest_differences));
            }
        }
        self.planes(words, columns, differences, out)?;
        Ok((Codec::Planes, columns, differences))
    }

    fn planes(
        &mut self,
        words: &[Word],
        columns: u32,
        differences: u32,
        out: &mut Vec<u8>,
    ) -> std::io::Result<()> {
        let columns = columns as usize;
        let rows = words.len() / columns;
        let sizes_at = out.len();
        out.resize(sizes_at + 16 * columns, 0);
        let mut planes = std::mem::take(&mut self.planes);
        planes.resize(4 * rows, 0);
        for column in 0..columns {
            let values = match columns {
                1 => words,
                _ => {
                    let values = words[..rows * columns].iter().skip(column).step_by(columns);
                    self.column.clear();
                    self.column.extend(values);
                    &self.column
                }
            };
            split_words(values, differences >> column & 1 != 0, four(&mut planes, rows));
            for (i, plane) in planes.chunks_exact(rows.max(1)).enumerate() {
                let start = out.len();
                self.plane(plane, out)?;
                let at = sizes_at + 16 * column + 4 * i;
                let size = (out.len() - start) as u32;
                out[at..at + 4].copy_from_slice(&size.to_le_bytes());
            }
        }
        self.planes = planes;
        out.extend_from_slice(words[rows * columns..].as_flattened());
        Ok(())
    }

    fn plane(&mut self, plane: &[u8], out: &mut Vec<u8>) -> std::io::Result<()> {
        if plane.iter().all(|byte| *byte == plane[0]) {
            out.push(plane[0]);
            return Ok(());
        }
        let start = out.len();
        self.zstd(plane, out)?;
        // A little that is saved is not worth the time of unpacking it.
        let most = plane.len() - plane.len() / 32;
        if out.len() - start >= most || out.len() - start == 1 {
            out.truncate(start);
            out.extend_from_slice(plane);
        }
        Ok(())
    }
}

fn four(planes: &mut [u8], rows: usize) -> [&mut [u8]; 4] {
    let (ab, cd) = planes.split_at_mut(2 * rows);
    let ((a, b), (c, d)) = (ab.split_at_mut(rows), cd.split_at_mut(rows));
    [a, b, c, d]
}

/// The best of these numbers of columns for a part of the words, which of them are differences
/// then, and about how many bits a word needs, 256 times.
fn best(words: &[Word], columns: &[u32]) -> (u32, u32, u64) {
    let mut best = (1, 0, u64::MAX);
    for columns in columns {
        let width = *columns as usize;
        let rows = (words.len() / width).min(SAMPLE_WORDS / width).max(1);
        let first = (words.len() / width).saturating_sub(rows) / 2;
        let sample = &words[first * width..][..(rows * width).min(words.len())];
        let (mut differences, mut cost) = (0, 0);
        for column in 0..width {
            let values = sample.iter().skip(column).step_by(width).map(|w| u32::from_le_bytes(*w));
            let plain = cost_of(values.clone());
            let mut before = 0;
            let apart = cost_of(
                values.map(|value| value.wrapping_sub(std::mem::replace(&mut before, value))),
            );
            if apart < plain {
                differences |= 1 << column;
            }
            cost += apart.min(plain);
        }
        let cost = cost / (rows * width) as u64;
        if cost < best.2 {
            best = (*columns, differences, cost);
        }
    }
    best
}

/// About how many bits the planes of some words need, 256 times. In whole numbers, so that it is
/// the same on every machine.
fn cost_of(values: impl Iterator<Item = u32>) -> u64 {
    let mut counts = [[0u32; 256]; 4];
    let mut all = 0u32;
    for value in values {
        for (counts, byte) in counts.iter_mut().zip(value.to_le_bytes()) {
            counts[usize::from(byte)] += 1;
        }
        all += 1;
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
    columns: Vec<Word>,
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
        let Some((sizes, mut stored)) = stored.split_at_checked(16 * width) else {
            return Err("a section ends inside the sizes of its planes");
        };
        self.columns.resize(if width == 1 { 0 } else { rows * width }, [0; 4]);
        self.planes.resize(4 * rows, 0);
        for column in 0..width {
            let mut planes: [&[u8]; 4] = [&[]; 4];
            let buffers = four(&mut self.planes, rows);
            for (i, buffer) in buffers.into_iter().enumerate() {
                let size = le_u32(&sizes[16 * column + 4 * i..]) as usize;
                let Some((plane, behind)) = stored.split_at_checked(size) else {
                    return Err("a section ends inside a plane");
                };
                stored = behind;
                planes[i] = if size == rows {
                    plane
                } else if size == 1 {
                    buffer.fill(plane[0]);
                    buffer
                } else {
                    unzstd(&mut self.zstd, plane, buffer)?;
                    buffer
                };
            }
            let to = match width {
                1 => &mut words[..rows],
                _ => &mut self.columns[column * rows..][..rows],
            };
            join_words(planes, section.differences >> column & 1 != 0, to);
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
fn rows_of(columns: &[Word], width: usize, to: &mut [Word]) {
    match width {
        1 => {}
        2 => rows_of_width::<2>(columns, to),
        3 => rows_of_width::<3>(columns, to),
        4 => rows_of_width::<4>(columns, to),
        12 => rows_of_width::<12>(columns, to),
        _ => {
            let rows = to.len() / width;
            for (i, row) in to.chunks_exact_mut(width).enumerate() {
                for (column, word) in row.iter_mut().enumerate() {
                    *word = columns[column * rows + i];
                }
            }
        }
    }
}

fn rows_of_width<const WIDTH: usize>(columns: &[Word], to: &mut [Word]) {
    let (rows, _) = to.as_chunks_mut::<WIDTH>();
    let count = rows.len();
    let columns: [&[Word]; WIDTH] = std::array::from_fn(|c| &columns[c * count..][..count]);
    for (i, row) in rows.iter_mut().enumerate() {
        *row = std::array::from_fn(|c| columns[c][i]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn there_and_back(words: &[Word], columns: &[u32]) -> (Codec, usize) {
        let mut packer = Packer::new(Some(3)).unwrap();
        let (mut out, plain) = (vec![7; 5], words.as_flattened());
        let (codec, columns, differences) = packer.pack(plain, columns, &mut out).unwrap();
        let section = Section {
            kind: super::super::Kind::Floats,
            number: 0,
            offset: 64,
            stored_bytes: out.len() as u64 - 5,
            plain_bytes: plain.len() as u64,
            codec,
            columns,
            differences,
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
        let words: Vec<Word> = grid.map(|value| value.to_le_bytes()).collect();
        let (codec, bytes) = there_and_back(&words, &[1, 2, 3, 4]);
        assert!(codec == Codec::Planes && bytes * 10 < 4 * words.len(), "{codec:?} {bytes}");
    }

    #[test]
    fn noise_stays_as_it_is() {
        let noise =
            (0..5000u32).map(|i| i.wrapping_mul(0x9e37_79b9).rotate_left(i).wrapping_mul(i | 1));
        let words: Vec<Word> = noise.map(u32::to_le_bytes).collect();
        assert_eq!(there_and_back(&words, &[1, 3]), (Codec::None, 20_000));
    }

    proptest! {
        #[test]
        fn words_come_back(
            words in prop::collection::vec(prop_oneof![any::<u32>(), 0u32..9, Just(0x3f80_0000)], 1..900),
            widths in prop::sample::subsequence(vec![1u32, 2, 3, 4, 5, 12, 16], 0..5),
        ) {
            let words: Vec<Word> = words.into_iter().map(u32::to_le_bytes).collect();
            there_and_back(&words, &widths);
        }
    }
}
