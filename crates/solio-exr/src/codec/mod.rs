//! The compressions: one module a method, each with a `decode` and an `encode` of one chunk.
//!
//! Both sides see the chunk as [`Block`](crate::Block) lays it out. A chunk that does not shrink
//! is stored as it is, in every method; the container does that, not the methods.

mod b44;
mod deflate;
mod dwa;
mod huffman;
mod jpeg2000;
mod layout;
mod piz;
mod pxr24;
mod rle;
#[cfg(test)]
mod samples;
mod zip;
mod zstd;

use crate::block::{Block, Channel, DeepBlock};
use solio_base::{Error, Result, named_enum};
use solio_codec::{halves, inflate};

pub(crate) use zip::InflatedAhead;

/// How many chunks of a method are best unpacked side by side, by [`InflatedAhead`].
pub(crate) fn side_by_side(compression: Compression) -> usize {
    match compression {
        Compression::Zips | Compression::Zip => inflate::SIDE_BY_SIDE,
        _ => 1,
    }
}

/// What a thread keeps from chunk to chunk.
#[derive(Default)]
pub(crate) struct CodecScratch {
    /// Bytes between the byte filter and what packs them.
    filtered: Vec<u8>,
    piz: piz::PizUnpacker,
    jpeg2000: jpeg2000::Jpeg2000Reader,
    jpeg2000_writer: jpeg2000::Jpeg2000Writer,
}

/// `bytes` bytes of `buffer`, which grows as needed; what they are is left open.
pub(crate) fn room(buffer: &mut Vec<u8>, bytes: usize) -> &mut [u8] {
    if buffer.len() < bytes {
        buffer.resize(bytes, 0);
    }
    &mut buffer[..bytes]
}

/// The rows of a chunk as far as it is unpacked; the last step is made where they go.
pub(crate) enum UnpackedRows<'b> {
    /// There they are.
    Plain(&'b [u8]),
    /// Filtered.
    Filtered(halves::Merger<'b>),
    /// The bytes of each sample are apart.
    Apart(zstd::Joiner<'b>),
    /// As ranks of values.
    Ranked(piz::Ranked<'b>),
}

impl<'b> UnpackedRows<'b> {
    /// Fills `to` with the next row, which is one of channel `index`.
    pub(crate) fn fill(&mut self, to: &mut [u8], index: usize, channel: &Channel) {
        match self {
            UnpackedRows::Plain(rows) => {
                let (row, rest) = rows.split_at(to.len());
                to.copy_from_slice(row);
                *rows = rest;
            }
            UnpackedRows::Filtered(merger) => merger.fill(to),
            UnpackedRows::Apart(joiner) => joiner.fill(to, channel.pixel_type.bytes()),
            UnpackedRows::Ranked(ranked) => ranked.fill(index, to),
        }
    }

    /// Steps over the next row, which has `row` bytes and is one of channel `index`.
    pub(crate) fn skip(&mut self, row: usize, index: usize, channel: &Channel) {
        match self {
            UnpackedRows::Plain(rows) => *rows = &rows[row..],
            UnpackedRows::Filtered(merger) => merger.skip(row),
            UnpackedRows::Apart(joiner) => joiner.skip(row, channel.pixel_type.bytes()),
            UnpackedRows::Ranked(ranked) => ranked.skip(index, row),
        }
    }

    /// The next `bytes` bytes, where they are there already.
    pub(crate) fn plain(&mut self, bytes: usize) -> Option<&'b [u8]> {
        let UnpackedRows::Plain(rows) = self else { return None };
        let (taken, rest) = rows.split_at(bytes);
        *rows = rest;
        Some(taken)
    }
}

/// What a chunk of a method shows of itself before it is unpacked: of JPEG 2000 its channels, its header and
/// its packets.
pub(crate) fn check_structure(
    compression: Compression,
    block: &Block<'_>,
    input: &[u8],
) -> Result<()> {
    match compression {
        _ if input.len() as u64 == block.bytes() => Ok(()),
        Compression::Htj2k256 | Compression::Htj2k32 | Compression::Lj2k => {
            jpeg2000::check(compression, block, input)
        }
        _ => Ok(()),
    }
}

/// Whether [`check_structure`] looks at anything.
pub(crate) fn has_structure(compression: Compression) -> bool {
    use Compression::{Htj2k32, Htj2k256, Lj2k};
    matches!(compression, Htj2k256 | Htj2k32 | Lj2k)
}

/// Unpacks one chunk, of which fewer than its bytes are in `input`.
pub(crate) fn unpack<'b>(
    compression: Compression,
    block: &Block<'_>,
    input: &[u8],
    raw: &'b mut Vec<u8>,
    scratch: &'b mut CodecScratch,
) -> Result<UnpackedRows<'b>> {
    let bytes = block.bytes() as usize;
    let filtered = &mut scratch.filtered;
    Ok(match compression {
        Compression::Zstd => UnpackedRows::Apart(zstd::unpack(block, input, filtered)?),
        Compression::Rle | Compression::Zips | Compression::Zip => {
            UnpackedRows::Filtered(merger(compression, input, bytes, filtered)?)
        }
        Compression::Piz => UnpackedRows::Ranked(piz::unpack(block, input, &mut scratch.piz)?),
        Compression::Htj2k256 | Compression::Htj2k32 | Compression::Lj2k => {
            let out = jpeg2000::decode(compression, block, input, raw, &mut scratch.jpeg2000)?;
            UnpackedRows::Plain(out)
        }
        other => {
            let out = room(raw, bytes);
            match other {
                Compression::Pxr24 => pxr24::decode(block, input, out)?,
                Compression::B44 | Compression::B44a => b44::decode(block, input, out)?,
                Compression::Dwaa | Compression::Dwab => dwa::decode(block, input, out)?,
                other => return Err(not_packed(other, input.len(), bytes)),
            }
            UnpackedRows::Plain(out)
        }
    })
}

/// Unpacks the halves of `bytes` bytes, which are joined where they are wanted.
fn merger<'b>(
    compression: Compression,
    input: &[u8],
    bytes: usize,
    filtered: &'b mut Vec<u8>,
) -> Result<halves::Merger<'b>> {
    let filtered = room(filtered, bytes);
    match compression {
        Compression::Rle => rle::expand(input, filtered)?,
        _ => deflate::unpack(input, filtered)?,
    }
    Ok(halves::Merger::new(filtered))
}

/// The error for `input` bytes of a chunk of a method that has no decoder.
fn not_packed(compression: Compression, input: usize, bytes: usize) -> Error {
    match compression {
        Compression::None => Error::corrupt(format!("{input} bytes of samples, not {bytes}")),
        other => unsupported(other),
    }
}

/// How hard chunks are packed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct PackStyle {
    /// As the method counts; its default without one.
    pub(crate) level: Option<f32>,
    /// With the reference's defaults and bytes.
    pub(crate) compat: bool,
}

/// Packs one chunk: appends to `out`, perhaps more bytes than `raw` has.
pub(crate) fn encode(
    compression: Compression,
    style: PackStyle,
    block: &Block<'_>,
    raw: &[u8],
    out: &mut Vec<u8>,
    scratch: &mut CodecScratch,
) -> Result<()> {
    debug_assert_eq!(raw.len() as u64, block.bytes());
    let PackStyle { level, compat } = style;
    match compression {
        Compression::Piz => piz::encode(block, raw, out),
        Compression::Pxr24 => pxr24::encode(block, raw, out),
        Compression::B44 => b44::encode(block, false, raw, out),
        Compression::B44a => b44::encode(block, true, raw, out),
        Compression::Htj2k256 | Compression::Htj2k32 | Compression::Lj2k => {
            let quality = level.unwrap_or(jpeg2000::DEFAULT_QUALITY);
            let writer = &mut scratch.jpeg2000_writer;
            jpeg2000::encode(compression, quality, block, raw, out, writer)
        }
        Compression::Zstd => {
            let effort = zstd::ZstdEffort::new(level, compat)?;
            zstd::encode(block, effort, raw, out, &mut scratch.filtered)
        }
        Compression::Dwaa | Compression::Dwab => {
            dwa::encode(block, level.unwrap_or(dwa::DEFAULT_LEVEL), raw, out)
        }
        other => encode_bytes(other, style, raw, out, scratch),
    }
}

/// [`encode`] of the methods that see bytes.
fn encode_bytes(
    compression: Compression,
    style: PackStyle,
    raw: &[u8],
    out: &mut Vec<u8>,
    scratch: &mut CodecScratch,
) -> Result<()> {
    match compression {
        Compression::None => out.extend_from_slice(raw),
        Compression::Rle => rle::encode(raw, out, &mut scratch.filtered),
        Compression::Zips | Compression::Zip => {
            let level = if style.compat { style.level.or(Some(4.0)) } else { style.level };
            zip::encode(level, raw, out, &mut scratch.filtered)?;
        }
        other => return Err(unsupported(other)),
    }
    Ok(())
}

/// [`decode`] of the samples of a deep chunk, or of its counts.
pub(crate) fn decode_deep(
    compression: Compression,
    block: &DeepBlock<'_>,
    input: &[u8],
    out: &mut [u8],
    scratch: &mut CodecScratch,
) -> Result<()> {
    let filtered = &mut scratch.filtered;
    match compression {
        Compression::Zstd => zstd::decode_rows(&zstd_rows(block), input, out, filtered)?,
        Compression::Rle | Compression::Zips | Compression::Zip => {
            merger(compression, input, out.len(), filtered)?.fill(out);
        }
        other => return Err(not_packed(other, input.len(), out.len())),
    }
    Ok(())
}

/// [`encode`] of the samples of a deep chunk, or of its counts.
pub(crate) fn encode_deep(
    compression: Compression,
    style: PackStyle,
    block: &DeepBlock<'_>,
    raw: &[u8],
    out: &mut Vec<u8>,
    scratch: &mut CodecScratch,
) -> Result<()> {
    match compression {
        Compression::Zstd => {
            let effort = zstd::ZstdEffort::new(style.level, true)?;
            let inner = &mut scratch.filtered;
            zstd::encode_rows(&zstd_rows(block), effort, false, raw, out, inner)
        }
        other => encode_bytes(other, style, raw, out, scratch),
    }
}

fn zstd_rows(block: &DeepBlock<'_>) -> Vec<zstd::SampleRow> {
    let bytes = || block.channels.iter().map(|channel| channel.pixel_type.bytes());
    let row = |samples: &u64| {
        let samples = *samples as usize;
        bytes().map(move |bytes| zstd::SampleRow { samples, bytes })
    };
    block.row_samples.iter().flat_map(row).collect()
}

fn unsupported(compression: Compression) -> Error {
    Error::unsupported(format!("the compression {} is not supported", compression.name()))
}

/// Most bytes that one byte of a chunk can stand for.
///
/// A header that promises more than the file can hold is refused before memory is taken. Run
/// lengths: 128 from two. Deflate: 258 bytes from two bits; PXR24 has three for four. PIZ: 256
/// values from nine bits. B44A: 32 bytes from three. Zstandard: 128 KiB from four. DWA: 256 from a
/// first frequency, deflated, and 10 bits for 256 blocks without others; of an alpha channel, run
/// lengths, deflated. JPEG 2000 has no bound that is worth knowing.
pub(crate) fn most_from_a_byte(compression: Compression) -> u64 {
    match compression {
        Compression::None => 1,
        Compression::Rle => 64,
        Compression::Zips | Compression::Zip => 1032,
        Compression::Pxr24 => 1376,
        Compression::Piz => 512,
        Compression::B44 | Compression::B44a => 11,
        Compression::Zstd => 1 << 15,
        Compression::Dwaa | Compression::Dwab => 1 << 17,
        _ => 1 << 20,
    }
}

named_enum! {
    /// How the chunks of a part are compressed, in the order of the numbers in files.
    ///
    /// ```
    /// use solio_exr::{Compression, ReadOptions, WriteOptions, decode_exr, encode_exr};
    /// # use solio_base::Work;
    /// # use solio_exr::header::{Box2i, Part};
    /// # use solio_exr::model::{FlatLevel, Image, ImagePart, Pixels, Plane, Samples};
    /// # use solio_exr::{Channel, PixelType};
    /// # let channel = Channel::new("Y", PixelType::Half);
    /// # let window = Box2i::of_size(64, 64);
    /// # let samples = Samples::zeros(PixelType::Half, 64 * 64)?;
    /// # let planes = vec![Plane { channel: channel.clone(), samples }];
    /// # let part = ImagePart {
    /// #     header: Part::new(window, Compression::None, vec![channel]),
    /// #     pixels: Pixels::Flat(vec![FlatLevel { x: 0, y: 0, window, planes }]),
    /// # };
    /// # let image = Image { parts: vec![part], missing: Vec::new() };
    /// let bytes = |compression| {
    ///     let options = WriteOptions { compression: Some(compression), ..WriteOptions::default() };
    ///     let mut file = Vec::new();
    ///     encode_exr(&image, &options, &mut file, &Work::serial()).map(|()| file.len())
    /// };
    /// // A plane of zeros: run lengths pack row by row, ZIP 16 rows at a time.
    /// assert!(bytes(Compression::Zip)? < bytes(Compression::Rle)?);
    /// assert!(bytes(Compression::Rle)? < bytes(Compression::None)?);
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    #[derive(Hash)]
    pub enum Compression {
        /// Not at all.
        None = "none",
        /// Run lengths of byte differences.
        Rle = "rle",
        /// Deflate, a scanline at a time.
        Zips = "zips",
        /// Deflate, 16 scanlines at a time.
        Zip = "zip",
        /// Wavelet and Huffman code.
        Piz = "piz",
        /// Deflate of differences; 32-bit numbers lose 8 bits.
        Pxr24 = "pxr24",
        /// 4 × 4 blocks of a fixed size; lossy.
        B44 = "b44",
        /// B44 with smaller blocks where all values are equal; lossy.
        B44a = "b44a",
        /// Discrete cosine transform, 32 scanlines at a time; lossy.
        Dwaa = "dwaa",
        /// Discrete cosine transform, 256 scanlines at a time; lossy.
        Dwab = "dwab",
        /// High-throughput JPEG 2000, 256 scanlines at a time.
        Htj2k256 = "htj2k256",
        /// High-throughput JPEG 2000, 32 scanlines at a time.
        Htj2k32 = "htj2k32",
        /// JPEG 2000 with loss for colours, 256 scanlines at a time.
        Lj2k = "lj2k",
        /// Zstandard.
        Zstd = "zstd",
    }

    /// Its name, as `exrheader` and people write it.
    ///
    /// ```
    /// use solio_exr::Compression;
    /// let of_name = |name: &str| Compression::ALL.into_iter().find(|c| c.name() == name);
    /// assert_eq!(of_name("dwaa"), Some(Compression::Dwaa));
    /// assert_eq!(of_name("lzw"), None);
    /// ```
    pub fn name;
}

impl Compression {
    /// From its number in the file.
    ///
    /// ```
    /// use solio_exr::Compression;
    /// assert_eq!(Compression::of_number(3), Some(Compression::Zip));
    /// assert_eq!(Compression::of_number(99), None); // of a later version of the format
    /// ```
    pub fn of_number(number: u8) -> Option<Compression> {
        Compression::ALL.get(usize::from(number)).copied()
    }

    /// Its number in the file.
    ///
    /// ```
    /// use solio_exr::Compression;
    /// let numbers = [Compression::None, Compression::Piz, Compression::Dwab].map(|c| c.number());
    /// assert_eq!(numbers, [0, 4, 9]);
    /// ```
    pub fn number(self) -> u8 {
        self as u8
    }

    /// From a name, perhaps with a level behind a colon.
    ///
    /// ```
    /// use solio_exr::Compression;
    /// assert_eq!(Compression::with_level("zip:4")?, (Compression::Zip, Some(4.0)));
    /// assert_eq!(Compression::with_level("piz")?, (Compression::Piz, None));
    /// let error = Compression::with_level("piz:4").unwrap_err();
    /// assert_eq!(error.message(), "piz has no level");
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    ///
    /// # Errors
    /// `Argument` for other names, and for levels that the method does not have.
    pub fn with_level(text: &str) -> Result<(Compression, Option<f32>)> {
        let (name, level) = text.split_once(':').map_or((text, None), |(n, l)| (n, Some(l)));
        let lower = name.to_ascii_lowercase();
        let method = Compression::ALL.into_iter().find(|method| method.name() == lower);
        let method = method.ok_or_else(|| {
            let names: Vec<&str> = Compression::ALL.into_iter().map(Compression::name).collect();
            Error::argument(format!("use one of {}", names.join(", ")))
        })?;
        let Some(level) = level else { return Ok((method, None)) };
        let range = match method {
            Compression::Zip | Compression::Zips => 0.0..=12.0,
            Compression::Zstd => zstd::LEVELS,
            Compression::Dwaa | Compression::Dwab => 0.0..=1e6,
            Compression::Lj2k => 1.0..=150.0,
            _ => return Err(Error::argument(format!("{lower} has no level"))),
        };
        let whole = !matches!(method, Compression::Dwaa | Compression::Dwab | Compression::Lj2k);
        match level.parse::<f32>() {
            // What zstd calls level 0 is its default: nobody means that.
            Ok(level)
                if range.contains(&level)
                    && (!whole || level.fract() == 0.0)
                    && (method != Compression::Zstd || level != 0.0) =>
            {
                Ok((method, Some(level)))
            }
            _ => {
                let (least, most) = (range.start(), range.end());
                Err(Error::argument(format!("the level of {lower} is {least} to {most}")))
            }
        }
    }

    /// Scanlines in a chunk of a part without tiles.
    ///
    /// ```
    /// use solio_exr::Compression;
    /// let all = [Compression::Zips, Compression::Zip, Compression::Dwab];
    /// let chunks = all.map(|compression| 1080_u32.div_ceil(compression.chunk_rows() as u32));
    /// assert_eq!(chunks, [1080, 68, 5]);
    /// ```
    pub fn chunk_rows(self) -> i32 {
        match self {
            Compression::None | Compression::Rle | Compression::Zips | Compression::Zstd => 1,
            Compression::Zip | Compression::Pxr24 => 16,
            Compression::Piz
            | Compression::B44
            | Compression::B44a
            | Compression::Dwaa
            | Compression::Htj2k32 => 32,
            Compression::Dwab | Compression::Htj2k256 | Compression::Lj2k => 256,
        }
    }
}
