//! ZSTD: differences along the row, the bytes of each sample apart, as one Zstandard frame.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | "zstd-exr" of sorts: 8248453963162350458 |
//! | 4 | format: 1 or 2 |
//! | 4 | flags: 1 for differences, in format 2 only |
//! | 8 | bytes of the frame |
//! | | the frame |
//!
//! The frame holds up to two segments, each with its length in 8 bytes before it: all rows of
//! 16-bit samples, then all rows of 32-bit ones; a segment without bytes is left out. The rows of
//! a segment are in the order of the chunk. Of a segment come first the lowest bytes of all its
//! samples, then the next ones. All numbers are little-endian.
//!
//! Deep samples and their counts are written without differences, in format 1.
//!
//! Per core beside the reference's C library at level 5 and one row a chunk (MB/s of pixels;
//! photographs in halves, the same in floats, render passes in floats; 2048 columns):
//!
//! | | write | read | ratio |
//! |---|---|---|---|
//! | reference | 143–221, 210, 337 | 842–1,139, 1,880, 2,674 | 2.27–2.76, 1.95, 7.8 |
//! | one row, level 5 (the same bytes) | 0.93 × | 0.92 to 1.14 × | the same |
//! | one row, level 1 | 2.7 to 3.1 × | 0.96 to 1.2 × | 2.21–2.72, 1.93, 7.5 |
//! | tiles of 8 rows, level 1 | 3.0 to 3.4 × | 1.2 to 1.7 × | 2.28–2.81, 1.97, 17.5 |
//!
//! Most of reading is zstd itself.

use std::cell::RefCell;

use ::zstd::bulk::{Compressor, Decompressor};
use solio_base::{Error, Result};
use solio_codec::planes;

use super::layout;
use crate::Block;

/// What a chunk begins with, unless it is stored as it is.
const MAGIC: u64 = 8_248_453_963_162_350_458;

/// Bytes before the frame.
const HEAD: usize = 24;

/// The flag for differences.
const DIFFERENCES: u32 = 1;

/// The reference's level where nobody asks for another.
pub(crate) const DEFAULT_LEVEL: i32 = 5;

/// Samples of one channel side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    /// How many there are.
    pub(crate) samples: usize,
    /// Bytes of each: 2 or 4.
    pub(crate) bytes: usize,
}

#[derive(Default)]
struct Scratch {
    inner: Vec<u8>,
    compressor: Option<(i32, Compressor<'static>)>,
    decompressor: Option<Decompressor<'static>>,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// Unpacks a chunk.
pub(crate) fn decode(block: &Block, input: &[u8], out: &mut [u8]) -> Result<()> {
    decode_rows(&rows(block), input, out)
}

/// Appends a packed chunk, with a level of zstd.
pub(crate) fn encode(block: &Block, level: i32, raw: &[u8], out: &mut Vec<u8>) -> Result<()> {
    encode_rows(&rows(block), level, true, raw, out)
}

/// The rows of a chunk without depth.
fn rows(block: &Block) -> Vec<Row> {
    let row =
        |(c, samples): (usize, usize)| Row { samples, bytes: block.channels[c].pixel_type.bytes() };
    layout::rows(block).map(row).collect()
}

/// Unpacks a chunk of rows that follow each other; for deep ones, `rows` has each channel's samples
/// of a row of pixels, or the row's counts.
pub(crate) fn decode_rows(rows: &[Row], input: &[u8], out: &mut [u8]) -> Result<()> {
    let Some((head, frame)) = input.split_first_chunk::<HEAD>() else {
        let message =
            format!("ZSTD data need {HEAD} bytes for their head; {} are there", input.len());
        return Err(Error::corrupt(message).at_offset(0));
    };
    let number = |at: usize| u64::from_le_bytes(head[at..at + 8].try_into().expect("8 bytes"));
    let (format, flags) = (number(8) as u32, (number(8) >> 32) as u32);
    if number(0) != MAGIC {
        return Err(Error::corrupt("ZSTD data begin with another mark").at_offset(0));
    }
    let differences = match (format, flags) {
        (1 | 2, 0) => false,
        (2, DIFFERENCES) => true,
        _ => {
            let message = format!("ZSTD data of format {format} with flags {flags}");
            return Err(Error::corrupt(message).at_offset(8).hint("formats 1 and 2 are known"));
        }
    };
    if number(16) != frame.len() as u64 {
        let message = format!("ZSTD data say {} bytes of {}", number(16), frame.len());
        return Err(Error::corrupt(message).at_offset(16));
    }
    SCRATCH.with_borrow_mut(|scratch| {
        let segments = Segments::of(rows);
        let inner = &mut scratch.inner;
        inner.resize(segments.inner_bytes(), 0);
        let decompressor = match &mut scratch.decompressor {
            Some(decompressor) => decompressor,
            none => none.insert(Decompressor::new().map_err(|e| Error::io("start zstd", e))?),
        };
        let damaged = |what: String| Err(Error::corrupt(what).at_offset(HEAD as u64));
        match decompressor.decompress_to_buffer(frame, &mut inner[..]) {
            Ok(bytes) if bytes == inner.len() => {}
            Ok(bytes) => {
                return damaged(format!("ZSTD data hold {bytes} bytes of {}", inner.len()));
            }
            Err(error) => return damaged(format!("ZSTD data are damaged ({error})")),
        }
        let [halves, words] = segments.split(inner);
        for (bytes, segment) in [(segments.halves, &halves), (segments.words, &words)] {
            let length = segment.0.first_chunk().map(|l| u64::from_le_bytes(*l));
            if length.is_some_and(|length| length != bytes as u64) {
                return damaged(format!("ZSTD data have a segment that is not of {bytes} bytes"));
            }
        }
        join_rows(rows, [halves.1, words.1], differences, out);
        Ok(())
    })
}

/// Appends a packed chunk of rows.
pub(crate) fn encode_rows(
    rows: &[Row],
    level: i32,
    differences: bool,
    raw: &[u8],
    out: &mut Vec<u8>,
) -> Result<()> {
    SCRATCH.with_borrow_mut(|scratch| {
        let segments = Segments::of(rows);
        let inner = &mut scratch.inner;
        inner.resize(segments.inner_bytes(), 0);
        let [halves, words] = segments.split_mut(inner);
        for (bytes, length) in [(segments.halves, halves.0), (segments.words, words.0)] {
            if let Some(length) = length.first_chunk_mut() {
                *length = (bytes as u64).to_le_bytes();
            }
        }
        split_rows(rows, raw, differences, [halves.1, words.1]);

        let start = out.len();
        out.extend_from_slice(&MAGIC.to_le_bytes());
        let (format, flags) = if differences { (2u32, DIFFERENCES) } else { (1, 0) };
        out.extend_from_slice(&format.to_le_bytes());
        out.extend_from_slice(&flags.to_le_bytes());
        out.resize(start + HEAD + ::zstd::zstd_safe::compress_bound(inner.len()), 0);
        let fail = |e| Error::io("compress with zstd", e);
        let compressor = match &mut scratch.compressor {
            Some((its_level, compressor)) => {
                if *its_level != level {
                    compressor.set_compression_level(level).map_err(fail)?;
                    *its_level = level;
                }
                compressor
            }
            none => &mut none.insert((level, Compressor::new(level).map_err(fail)?)).1,
        };
        let bytes = compressor.compress_to_buffer(inner, &mut out[start + HEAD..]).map_err(fail)?;
        out.truncate(start + HEAD + bytes);
        out[start + 16..][..8].copy_from_slice(&(bytes as u64).to_le_bytes());
        Ok(())
    })
}

/// Bytes of the two segments.
struct Segments {
    halves: usize,
    words: usize,
}

impl Segments {
    fn of(rows: &[Row]) -> Segments {
        let sum = |bytes| rows.iter().filter(|r| r.bytes == bytes).map(|r| r.samples * bytes).sum();
        Segments { halves: sum(2), words: sum(4) }
    }

    /// Bytes of both with their lengths.
    fn inner_bytes(&self) -> usize {
        let with_length = |bytes: usize| if bytes > 0 { bytes + 8 } else { 0 };
        with_length(self.halves) + with_length(self.words)
    }

    /// Length and content of each.
    fn split<'a>(&self, inner: &'a [u8]) -> [(&'a [u8], &'a [u8]); 2] {
        let (halves, words) = inner.split_at(if self.halves > 0 { self.halves + 8 } else { 0 });
        [halves.split_at(halves.len().min(8)), words.split_at(words.len().min(8))]
    }

    /// The same, to be filled.
    fn split_mut<'a>(&self, inner: &'a mut [u8]) -> [(&'a mut [u8], &'a mut [u8]); 2] {
        let (halves, words) = inner.split_at_mut(if self.halves > 0 { self.halves + 8 } else { 0 });
        let (halves_at, words_at) = (halves.len().min(8), words.len().min(8));
        [halves.split_at_mut(halves_at), words.split_at_mut(words_at)]
    }
}

/// Fills the chunk from the segments.
fn join_rows(rows: &[Row], [halves, words]: [&[u8]; 2], differences: bool, out: &mut [u8]) {
    let (low, high) = halves.split_at(halves.len() / 2);
    let plane = words.len() / 4;
    let bytes: [&[u8]; 4] = std::array::from_fn(|i| &words[i * plane..(i + 1) * plane]);
    let (mut at, mut half, mut word) = (0, 0, 0);
    for row in rows {
        let to = &mut out[at..at + row.samples * row.bytes];
        at += to.len();
        if row.bytes == 2 {
            let part = half..half + row.samples;
            half = part.end;
            let bytes = [&low[part.clone()], &high[part]];
            planes::join_halves(bytes, differences, to.as_chunks_mut().0);
        } else {
            let part = word..word + row.samples;
            word = part.end;
            let bytes = bytes.map(|plane| &plane[part.clone()]);
            planes::join_words(bytes, differences, to.as_chunks_mut().0);
        }
    }
}

/// Fills the segments from the chunk.
fn split_rows(rows: &[Row], raw: &[u8], differences: bool, [halves, words]: [&mut [u8]; 2]) {
    let (mut low, mut high) = halves.split_at_mut(halves.len() / 2);
    let (a, b) = words.split_at_mut(words.len() / 2);
    let ((mut a, mut b), (mut c, mut d)) =
        (a.split_at_mut(a.len() / 2), b.split_at_mut(b.len() / 2));
    let mut at = 0;
    for row in rows {
        let from = &raw[at..at + row.samples * row.bytes];
        at += from.len();
        if row.bytes == 2 {
            let bytes = [&mut low, &mut high].map(|plane| take(plane, row.samples));
            planes::split_halves(from.as_chunks().0, differences, bytes);
        } else {
            let bytes = [&mut a, &mut b, &mut c, &mut d].map(|plane| take(plane, row.samples));
            planes::split_words(from.as_chunks().0, differences, bytes);
        }
    }
}

/// The first `count` bytes; `plane` keeps the rest.
fn take<'a>(plane: &mut &'a mut [u8], count: usize) -> &'a mut [u8] {
    let (first, rest) = std::mem::take(plane).split_at_mut(count);
    *plane = rest;
    first
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;

    fn encode_5(block: &Block, raw: &[u8], out: &mut Vec<u8>) -> Result<()> {
        encode(block, DEFAULT_LEVEL, raw, out)
    }

    #[test]
    fn comes_back() {
        samples::each(|case| {
            let packed = samples::pack(encode_5, &case);
            assert!(samples::unpack(decode, &case, &packed).unwrap() == case.raw, "{case}");
            let rows = rows(&case.block());
            let (mut deep, mut back) = (Vec::new(), vec![0; case.raw.len()]);
            encode_rows(&rows, 1, false, &case.raw, &mut deep).unwrap();
            decode_rows(&rows, &deep, &mut back).unwrap();
            assert!(back == case.raw, "{case}, without differences");
        });
    }

    #[test]
    fn says_what_is_wrong() {
        let rows = [Row { samples: 3, bytes: 2 }, Row { samples: 2, bytes: 4 }];
        let mut packed = Vec::new();
        encode_rows(&rows, 5, true, &[7; 14], &mut packed).unwrap();
        let refuse = |place: usize, byte: u8| {
            let mut bent = packed.clone();
            bent[place] = byte;
            decode_rows(&rows, &bent, &mut [0; 14]).unwrap_err().to_string()
        };
        assert_eq!(refuse(0, 1), "byte 0: ZSTD data begin with another mark");
        assert_eq!(
            refuse(8, 3),
            "byte 8: ZSTD data of format 3 with flags 1\n  hint: formats 1 and 2 are known"
        );
        let frame = packed.len() - 24;
        assert_eq!(refuse(16, 200), format!("byte 16: ZSTD data say 200 bytes of {frame}"));
        let other = [Row { samples: 4, bytes: 2 }, Row { samples: 2, bytes: 4 }];
        let error = decode_rows(&other, &packed, &mut [0; 16]).unwrap_err();
        assert_eq!(error.to_string(), "byte 24: ZSTD data hold 30 bytes of 32");
    }

    #[test]
    fn broken_chunks_are_errors() {
        samples::broken(encode_5, decode);
    }
}
