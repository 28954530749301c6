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
//! Why it is fast:
//!
//! * Level 1: photographs and renders are as small as with the reference's level 5 once chunks
//!   have several rows, and several rows also make up for the time that a frame takes to begin.
//! * Matches of 7 bytes and more: photographs became 0.7 % smaller, and were packed 1.07 and unpacked
//!   1.1 times as fast as with matches of 6.
//! * The lower bytes of halves are noise, the upper ones are not: each kind comes into blocks of
//!   its own, with a code of its own. In a tile of 8 rows of a photograph that made files 4 to 7 %
//!   smaller and their blocks up to 1.6 times as fast to unpack. Of 32-bit samples the blocks of
//!   noise are stored as they are either way, and a cut cost time.
//! * Bytes are put together right where the samples go, 16 or 8 numbers at a time.
//!
//! Per core beside the reference's C library, which packs a row a chunk at level 5 (MB/s of pixels,
//! memory to memory, whole files of 2048 columns; two photographs in halves, one in floats, render
//! passes in floats):
//!
//! | | candle | desk | desk in floats | passes |
//! |---|---|---|---|---|
//! | write, ours / reference | 472 / 151 | 630 / 214 | 697 / 217 | 1,657 / 338 |
//! | read, our file by us / theirs by them | 1,190 / 803 | 2,058 / 1,034 | 1,724 / 1,593 | 3,228 / 1,904 |
//! | read, their file by us | 825 | 1,138 | 1,802 | 2,818 |
//! | ratio, ours / reference | 2.38 / 2.26 | 3.03 / 2.75 | 1.99 / 1.95 | 18.0 / 7.7 |
//!
//! Of a row a chunk zstd itself takes most of the time of both.

use std::cell::RefCell;

use ::zstd::zstd_safe::{self, CCtx, CParameter, DCtx, InBuffer, OutBuffer};
use ::zstd::zstd_safe::{ResetDirective, SafeResult, zstd_sys::ZSTD_EndDirective};
use solio_base::{Error, Result};
use solio_codec::compress::lacks_memory;
use solio_codec::planes;

use super::layout;
use crate::Block;

/// What a chunk begins with, unless it is stored as it is.
const MAGIC: u64 = 8_248_453_963_162_350_458;

/// Bytes before the frame.
const HEAD: usize = 24;

/// The flag for differences.
const DIFFERENCES: u32 = 1;

/// The levels; 0 is none of them. Those below are faster and pack less.
pub(crate) const LEVELS: std::ops::RangeInclusive<f32> = -7.0..=22.0;

/// The level where nobody asks for another.
const DEFAULT_LEVEL: i32 = 1;

/// The shortest matches that level 1 looks for; it looks for those of 6 bytes in chunks of up to
/// 256 KiB. 0 is what a level has.
const LONG_MATCHES: u32 = 7;

/// The reference's level where nobody asks for another.
const REFERENCE_LEVEL: i32 = 5;

/// Samples of one channel side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SampleRow {
    /// How many there are.
    pub(crate) samples: usize,
    /// Bytes of each: 2 or 4.
    pub(crate) bytes: usize,
}

thread_local! {
    static COMPRESSOR: RefCell<Option<(i32, CCtx<'static>)>> = const { RefCell::new(None) };
    static DECOMPRESSOR: RefCell<Option<DCtx<'static>>> = const { RefCell::new(None) };
}

/// How hard, and into which frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ZstdEffort {
    /// Of zstd.
    pub(crate) level: i32,
    /// The lower and the upper bytes of halves come into blocks of their own. Not what the
    /// reference writes, but what it reads.
    pub(crate) cut: bool,
}

impl ZstdEffort {
    /// What the level that somebody asked for means.
    pub(crate) fn new(level: Option<f32>, compat: bool) -> Result<ZstdEffort> {
        if let Some(level) = level.filter(|level| !LEVELS.contains(level) || *level == 0.0) {
            let words = format!("zstd has levels -7 to -1 and 1 to 22, not {level}");
            return Err(Error::argument(words));
        }
        let without = if compat { REFERENCE_LEVEL } else { DEFAULT_LEVEL };
        Ok(ZstdEffort { level: level.map_or(without, |level| level as i32), cut: !compat })
    }
}

/// Unpacks a chunk as far as its bytes are those of numbers, still apart.
pub(crate) fn unpack<'b>(
    block: &Block<'_>,
    input: &[u8],
    inner: &'b mut Vec<u8>,
) -> Result<Joiner<'b>> {
    unpack_segments(&Segments::of_block(block), input, inner)
}

/// Appends a packed chunk.
pub(crate) fn encode(
    block: &Block<'_>,
    effort: ZstdEffort,
    raw: &[u8],
    out: &mut Vec<u8>,
    inner: &mut Vec<u8>,
) -> Result<()> {
    encode_rows(&rows(block), effort, true, raw, out, inner)
}

/// The rows of a chunk without depth.
fn rows(block: &Block) -> Vec<SampleRow> {
    let row = |(c, samples): (usize, usize)| SampleRow {
        samples,
        bytes: block.channels[c].pixel_type.bytes(),
    };
    layout::rows(block).map(row).collect()
}

/// Unpacks a chunk of rows that follow each other: each channel's samples of a row of deep pixels,
/// or the row's counts.
pub(crate) fn decode_rows(
    rows: &[SampleRow],
    input: &[u8],
    out: &mut [u8],
    inner: &mut Vec<u8>,
) -> Result<()> {
    let mut joiner = unpack_segments(&Segments::of(rows), input, inner)?;
    let mut rest = out;
    for row in rows {
        let (to, more) = std::mem::take(&mut rest).split_at_mut(row.samples * row.bytes);
        joiner.fill(to, row.bytes);
        rest = more;
    }
    Ok(())
}

fn unpack_segments<'b>(
    segments: &Segments,
    input: &[u8],
    inner: &'b mut Vec<u8>,
) -> Result<Joiner<'b>> {
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
    let inner = super::room(inner, segments.inner_bytes());
    let damaged = |what: String| Err(Error::corrupt(what).at_offset(HEAD as u64));
    let result = DECOMPRESSOR.with_borrow_mut(|decompressor| {
        decompressor.get_or_insert_with(DCtx::create).decompress(&mut inner[..], frame)
    });
    match result {
        Ok(bytes) if bytes == inner.len() => {}
        Ok(bytes) => {
            return damaged(format!("ZSTD data hold {bytes} bytes of {}", inner.len()));
        }
        Err(code) => {
            let error = std::io::Error::other(zstd_safe::get_error_name(code));
            return match lacks_memory(&error) {
                true => Err(Error::io("decompress with zstd", error)),
                false => damaged(format!("ZSTD data are damaged ({error})")),
            };
        }
    }
    let [halves, words] = segments.split(inner);
    for (bytes, segment) in [(segments.halves, &halves), (segments.words, &words)] {
        let length = segment.0.first_chunk().map(|l| u64::from_le_bytes(*l));
        if length.is_some_and(|length| length != bytes as u64) {
            return damaged(format!("ZSTD data have a segment that is not of {bytes} bytes"));
        }
    }
    Ok(Joiner::new(halves.1, words.1, differences))
}

/// Appends a packed chunk of rows.
pub(crate) fn encode_rows(
    rows: &[SampleRow],
    effort: ZstdEffort,
    differences: bool,
    raw: &[u8],
    out: &mut Vec<u8>,
    inner: &mut Vec<u8>,
) -> Result<()> {
    let segments = Segments::of(rows);
    let inner = super::room(inner, segments.inner_bytes());
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
    out.extend_from_slice(&[0; 8]);
    let cuts = if effort.cut { segments.cuts() } else { Vec::new() };
    pack(inner, &cuts, effort.level, out).map_err(|code| {
        let error = std::io::Error::other(zstd_safe::get_error_name(code));
        Error::io("compress with zstd", error)
    })?;
    let bytes = (out.len() - start - HEAD) as u64;
    out[start + 16..][..8].copy_from_slice(&bytes.to_le_bytes());
    Ok(())
}

/// Appends `inner` as a frame, in which a block ends at each of `cuts`.
fn pack(inner: &[u8], cuts: &[usize], level: i32, out: &mut Vec<u8>) -> SafeResult {
    COMPRESSOR.with_borrow_mut(|compressor| {
        let (its_level, context) = compressor.get_or_insert_with(|| (i32::MIN, CCtx::create()));
        if *its_level != level {
            context.set_parameter(CParameter::CompressionLevel(level))?;
            let shortest = if level == DEFAULT_LEVEL { LONG_MATCHES } else { 0 };
            context.set_parameter(CParameter::MinMatch(shortest))?;
            *its_level = level;
        }
        let start = out.len();
        // Each cut may cost the head of a block, and a few bytes for what was not yet put out.
        let bound = zstd_safe::compress_bound(inner.len()) + 64 * cuts.len();
        out.reserve(bound);
        context.reset(ResetDirective::SessionOnly)?;
        context.set_pledged_src_size(Some(inner.len() as u64))?;
        let mut to = OutBuffer::around_pos(out, start);
        let mut from = 0;
        for end in cuts.iter().copied().chain([inner.len()]) {
            let step = match end == inner.len() {
                true => ZSTD_EndDirective::ZSTD_e_end,
                false => ZSTD_EndDirective::ZSTD_e_flush,
            };
            let mut bytes = InBuffer::around(&inner[from..end]);
            while context.compress_stream2(&mut to, &mut bytes, step)? > 0 {}
            from = end;
        }
        Ok(to.pos() - start)
    })
}

/// The bytes of numbers, apart, and how many numbers were taken. The bounds of the bytes stay as
/// they are: bounds that were just stored would be waited for behind all samples before them.
#[derive(Debug)]
pub(crate) struct Joiner<'a> {
    halves: [&'a [u8]; 2],
    words: [&'a [u8]; 4],
    taken: [usize; 2],
    differences: bool,
}

impl<'a> Joiner<'a> {
    fn new(halves: &'a [u8], words: &'a [u8], differences: bool) -> Joiner<'a> {
        let halves = halves.split_at(halves.len() / 2);
        let plane = words.len() / 4;
        let words = std::array::from_fn(|i| &words[i * plane..(i + 1) * plane]);
        Joiner { halves: halves.into(), words, taken: [0; 2], differences }
    }

    /// Fills `to` with the next row, of samples of `bytes` bytes.
    pub(crate) fn fill(&mut self, to: &mut [u8], bytes: usize) {
        let [halves, words] = self.taken;
        if bytes == 2 {
            let [low, high] = &self.halves;
            let planes = [&low[halves..], &high[halves..]];
            planes::join_halves(planes, self.differences, to.as_chunks_mut().0);
        } else {
            let [a, b, c, d] = &self.words;
            let planes = [&a[words..], &b[words..], &c[words..], &d[words..]];
            planes::join_words(planes, self.differences, to.as_chunks_mut().0);
        }
        self.skip(to.len(), bytes);
    }

    /// Steps over the next row of `row` bytes.
    pub(crate) fn skip(&mut self, row: usize, bytes: usize) {
        self.taken[usize::from(bytes != 2)] += row / bytes;
    }
}

/// Bytes of the two segments.
struct Segments {
    halves: usize,
    words: usize,
}

impl Segments {
    fn of(rows: &[SampleRow]) -> Segments {
        let sum = |bytes| rows.iter().filter(|r| r.bytes == bytes).map(|r| r.samples * bytes).sum();
        Segments { halves: sum(2), words: sum(4) }
    }

    fn of_block(block: &Block<'_>) -> Segments {
        let sum = |bytes| {
            let channels = block.channels.iter().filter(|c| c.pixel_type.bytes() == bytes);
            channels.map(|c| block.row_samples(c) * block.rows(c) * bytes).sum()
        };
        Segments { halves: sum(2), words: sum(4) }
    }

    /// Where the lower and the upper bytes of halves end.
    fn cuts(&self) -> Vec<usize> {
        let ends = [8 + self.halves / 2, 8 + self.halves];
        let ends = ends.into_iter().filter(|end| self.halves > 0 && *end < self.inner_bytes());
        ends.collect()
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

/// Fills the segments from the chunk.
fn split_rows(rows: &[SampleRow], raw: &[u8], differences: bool, [halves, words]: [&mut [u8]; 2]) {
    const PLANES: &str = "made for all rows";
    let (mut low, mut high) = halves.split_at_mut(halves.len() / 2);
    let (a, b) = words.split_at_mut(words.len() / 2);
    let ((mut a, mut b), (mut c, mut d)) =
        (a.split_at_mut(a.len() / 2), b.split_at_mut(b.len() / 2));
    let mut at = 0;
    for row in rows {
        let from = &raw[at..at + row.samples * row.bytes];
        at += from.len();
        if row.bytes == 2 {
            let bytes = [&mut low, &mut high]
                .map(|plane| plane.split_off_mut(..row.samples).expect(PLANES));
            planes::split_halves(from.as_chunks().0, differences, bytes);
        } else {
            let bytes = [&mut a, &mut b, &mut c, &mut d]
                .map(|plane| plane.split_off_mut(..row.samples).expect(PLANES));
            planes::split_words(from.as_chunks().0, differences, bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;

    const OURS: ZstdEffort = ZstdEffort { level: DEFAULT_LEVEL, cut: true };
    const REFERENCE: ZstdEffort = ZstdEffort { level: REFERENCE_LEVEL, cut: false };

    fn encode_ours(block: &Block<'_>, raw: &[u8], out: &mut Vec<u8>) -> Result<()> {
        encode(block, OURS, raw, out, &mut Vec::new())
    }

    fn encode_5(block: &Block<'_>, raw: &[u8], out: &mut Vec<u8>) -> Result<()> {
        encode(block, REFERENCE, raw, out, &mut Vec::new())
    }

    fn decode(block: &Block<'_>, input: &[u8], out: &mut [u8]) -> Result<()> {
        decode_rows(&rows(block), input, out, &mut Vec::new())
    }

    #[test]
    fn comes_back() {
        samples::each(|case| {
            for encode in [encode_ours, encode_5] {
                let packed = samples::pack(encode, &case);
                assert!(samples::unpack(decode, &case, &packed).unwrap() == case.raw, "{case}");
            }
            let rows = rows(&case.block());
            let (mut deep, mut back) = (Vec::new(), vec![0; case.raw.len()]);
            encode_rows(&rows, OURS, false, &case.raw, &mut deep, &mut Vec::new()).unwrap();
            decode_rows(&rows, &deep, &mut back, &mut Vec::new()).unwrap();
            assert!(back == case.raw, "{case}, without differences");
        });
    }

    #[test]
    fn levels_are_those_of_zstd() {
        assert_eq!(ZstdEffort::new(None, false).unwrap(), OURS);
        assert_eq!(ZstdEffort::new(None, true).unwrap(), REFERENCE);
        assert_eq!(ZstdEffort::new(Some(22.0), false).unwrap().level, 22);
        assert_eq!(ZstdEffort::new(Some(-7.0), false).unwrap().level, -7);
        for level in [0.0, -8.0, 23.0, f32::NAN] {
            assert!(ZstdEffort::new(Some(level), false).is_err());
        }
    }

    #[test]
    fn says_what_is_wrong() {
        let rows = [SampleRow { samples: 3, bytes: 2 }, SampleRow { samples: 2, bytes: 4 }];
        let mut packed = Vec::new();
        let inner = &mut Vec::new();
        encode_rows(&rows, REFERENCE, true, &[7; 14], &mut packed, inner).unwrap();
        let refuse = |place: usize, byte: u8| {
            let mut bent = packed.clone();
            bent[place] = byte;
            decode_rows(&rows, &bent, &mut [0; 14], &mut Vec::new()).unwrap_err().to_string()
        };
        assert_eq!(refuse(0, 1), "byte 0: ZSTD data begin with another mark");
        assert_eq!(
            refuse(8, 3),
            "byte 8: ZSTD data of format 3 with flags 1\n  hint: formats 1 and 2 are known"
        );
        let frame = packed.len() - 24;
        assert_eq!(refuse(16, 200), format!("byte 16: ZSTD data say 200 bytes of {frame}"));
        let other = [SampleRow { samples: 4, bytes: 2 }, SampleRow { samples: 2, bytes: 4 }];
        let error = decode_rows(&other, &packed, &mut [0; 16], &mut Vec::new()).unwrap_err();
        assert_eq!(error.to_string(), "byte 24: ZSTD data hold 30 bytes of 32");
    }

    #[test]
    fn broken_chunks_are_errors() {
        samples::broken(encode_ours, decode);
    }
}
