//! Ordinary images: an input to pixels in linear light.

use crate::{Input, ToInput, Written};
use solio_base::{Limits, Result, Sink, Work};
use solio_image::{Decoded, StoredPicture, cut_error, decode, decode_stored, decoded_bytes};
use solio_io::SinkOptions;
use solio_kinds::ImageFormat;
use std::path::Path;

/// The image format of an input, by its content, or else by its name; `None` for all others.
pub(crate) fn format_of(input: &Input) -> Option<ImageFormat> {
    ImageFormat::of_kind(input.kind_or_named())
}

/// About how many bytes reading a picture takes that is not OpenEXR; `None` where it does not tell.
pub(crate) fn picture_bytes(input: &Input, format: ImageFormat, work: &Work) -> Option<u64> {
    if input.comes_once() || input.compression() != solio_codec::compress::Compression::None {
        return None;
    }
    // A file that cannot be read needs none, and says so where it is read.
    let Ok(source) = input.source(work) else { return Some(0) };
    let pixels = decoded_bytes(&*source, format)?;
    Some(pixels.saturating_add(input.file_bytes().unwrap_or(0)))
}

/// Reads a picture that is not OpenEXR.
pub(crate) fn read_picture(
    input: &Input,
    format: ImageFormat,
    raw: bool,
    work: &Work,
) -> Result<Decoded> {
    let bytes = input.bytes(work)?;
    decode(&bytes, format, raw, input.limits()).map_err(|e| e.at_path(input.path()))
}

/// Reads the picture at `input` (PNG, JPEG, TIFF, QOI, Radiance HDR) as it is stored, upright: codes of 8 or
/// 16 bits as they are, everything else as light.
///
/// ```
/// use solio::{CodeValues, StoredPicture};
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("map.png");
/// # let (limits, work) = (solio::Limits::default(), solio::Work::default());
/// # let map = solio::color::gradient::colormap("magma").unwrap();
/// # solio::write_bytes(&path, &solio::gradient_strips(&[map], [8, 4])?.to_png()?)?;
/// let StoredPicture::Codes(codes) = solio::read_stored_picture(&path, &limits, &work)? else {
///     panic!("PNG has codes")
/// };
/// assert_eq!((codes.size, codes.channels), ([8, 4], 3));
/// assert!(matches!(codes.values, CodeValues::U8(values) if values.len() == 8 * 4 * 3));
/// # Ok::<(), solio::Error>(())
/// ```
///
/// # Errors
/// Those of the system and of the decoder, with the path; `Unsupported` for other kinds of files.
pub fn read_stored_picture(
    input: &(impl ToInput + ?Sized),
    limits: &Limits,
    work: &Work,
) -> Result<StoredPicture> {
    let input = &*input.to_input(limits, work)?;
    let format = picture_format(input)?;
    let bytes = input.bytes(work)?;
    decode_stored(&bytes, format, limits).map_err(|e| e.at_path(input.path()))
}

/// Reads the picture at `input` as light with the primaries of sRGB, multiplied by alpha.
///
/// ```
/// # let (limits, work) = (solio::Limits::default(), solio::Work::default());
/// let hdr = b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 2\n\x80\x40\x20\x81\0\0\0\0";
/// let input = solio::Input::of_bytes("".as_ref(), hdr.to_vec(), &limits)?;
/// let read = solio::read_picture_light(&input, &limits, &work)?;
/// assert_eq!(read.image.parts[0].header.channels().len(), 3);
/// # Ok::<(), solio::Error>(())
/// ```
///
/// # Errors
/// As [`read_stored_picture`].
pub fn read_picture_light(
    input: &(impl ToInput + ?Sized),
    limits: &Limits,
    work: &Work,
) -> Result<Decoded> {
    let input = &*input.to_input(limits, work)?;
    let read = read_picture(input, picture_format(input)?, false, work)?;
    match read.is_cut {
        true => Err(cut_error(input.file_bytes().unwrap_or(0)).at_path(input.path())),
        false => Ok(read),
    }
}

fn picture_format(input: &Input) -> Result<ImageFormat> {
    let format = format_of(input).filter(|format| *format != ImageFormat::Exr);
    format.ok_or_else(|| input.wrong("a picture"))
}

/// Writes the bytes of a picture file to `path`, whole or not at all; `-` is standard output. With
/// `durable` they are on the disk when it returns.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("map.png");
/// # let map = solio::color::gradient::colormap("magma").unwrap();
/// let png = solio::gradient_strips(&[map], [8, 4])?.to_png()?;
/// let written = solio::write_picture(&png, &path, false, &solio::Work::default())?;
/// assert_eq!(written.file_bytes, png.len() as u64);
/// # Ok::<(), solio::Error>(())
/// ```
///
/// # Errors
/// Those of the system, with the path.
pub fn write_picture(bytes: &[u8], path: &Path, durable: bool, work: &Work) -> Result<Written> {
    const PIECE_BYTES: usize = 1 << 20;
    Written::one(path, &SinkOptions { durable, ..SinkOptions::default() }, work, |sink| {
        bytes.chunks(PIECE_BYTES).try_for_each(|piece| sink.write_bytes(work, piece))
    })
}
