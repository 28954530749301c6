//! The few facts of a picture that every container's header has.

use crate::check::with_view;
use crate::gif::GifBlocks;
use crate::riff::webp_size;
use crate::{ByteView, boxes, hdr, jpeg, png, png_chunks, psd, riff_chunks, tiff};
use solio_base::{Result, Source, named_enum};
use solio_kinds::FileKind;

/// What a picture is, before it is decoded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContainerHeader {
    /// Columns, before any rotation that the metadata asks for.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Bits of a sample, or of an index into a palette; 0 where the header does not say.
    pub bits: u16,
    /// Samples of a pixel: 1 for grey and palettes; 0 where the header does not say.
    pub channels: u16,
    /// What numbers the samples are.
    pub sample: SampleKind,
    /// What the samples of a pixel are.
    pub color: ColorModel,
    /// Whether there is an ICC profile.
    pub has_profile: bool,
}

named_enum! {
    /// What numbers samples are.
    #[derive(Default)]
    pub enum SampleKind {
        /// Integers from 0 on.
        #[default]
        Uint = "uint",
        /// Integers with a sign.
        Int = "int",
        /// Floating point numbers.
        Float = "float",
    }

    /// As NumPy begins the names of its types: `uint`, `int`, `float`.
    pub fn name;
}

/// What the samples of a pixel are, alpha and further ones left aside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColorModel {
    /// The header does not say.
    #[default]
    Unknown,
    /// Light without colour.
    Grey,
    /// Indices into a palette.
    Palette,
    /// Red, green and blue.
    Rgb,
    /// Luma, and two differences of colour.
    YCbCr,
    /// Inks.
    Cmyk,
    /// CIE L*a*b*.
    Lab,
    /// CIE XYZ.
    Xyz,
    /// One colour a pixel, in a pattern: what a sensor behind filters sees.
    Cfa,
    /// What a sensor sees, every colour at every pixel (DNG).
    LinearRaw,
}

impl ColorModel {
    /// What people call it: `RGB`; `None` where it is unknown.
    ///
    /// ```
    /// use solio_container::ColorModel;
    /// assert_eq!(ColorModel::Palette.name(), Some("palette"));
    /// ```
    pub fn name(self) -> Option<&'static str> {
        Some(match self {
            ColorModel::Unknown => return None,
            ColorModel::Grey => "grey",
            ColorModel::Palette => "palette",
            ColorModel::Rgb => "RGB",
            ColorModel::YCbCr => "YCbCr",
            ColorModel::Cmyk => "CMYK",
            ColorModel::Lab => "CIELAB",
            ColorModel::Xyz => "XYZ",
            ColorModel::Cfa => "colour filter array",
            ColorModel::LinearRaw => "linear raw",
        })
    }
}

impl ContainerHeader {
    /// [`container_header`] of a file that `view` shows.
    pub fn of(kind: FileKind, view: ByteView<'_>) -> Option<ContainerHeader> {
        match kind {
            FileKind::Jpeg => of_jpeg(view),
            FileKind::Png => of_png(view),
            FileKind::Gif => GifBlocks::new(view).ok().map(|blocks| blocks.header),
            FileKind::Webp => of_webp(view),
            FileKind::Tiff | FileKind::Raw => tiff::header(view),
            FileKind::Psd => psd::header(view).ok(),
            FileKind::Heif => of_heif(view),
            FileKind::Jp2 => of_jp2(view),
            FileKind::Hdr => hdr::header(view),
            FileKind::Qoi => of_qoi(view),
            _ => None,
        }
    }

    /// `640 × 480 pixels`.
    pub(crate) fn pixels(&self) -> String {
        format!("{} × {} pixels", self.width, self.height)
    }
}

/// The header of a picture; `None` for kinds
/// that have no pixels, and for files whose header is not there. Of files with several pictures it is
/// that of the largest (TIFF, HEIF) or the first.
///
/// ```
/// use solio_container::container_header;
/// use solio_kinds::FileKind;
/// let file = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\x02\x80\0\0\x01\xe0\x08\x06\0\0\0sum.";
/// let header = container_header(FileKind::Png, &&file[..])?.unwrap();
/// assert_eq!((header.width, header.height), (640, 480));
/// assert_eq!((header.bits, header.channels, header.has_profile), (8, 4, false));
/// # Ok::<(), solio_base::Error>(())
/// ```
///
/// # Errors
/// Those of `source`.
pub fn container_header(kind: FileKind, source: &dyn Source) -> Result<Option<ContainerHeader>> {
    with_view(source, |view| ContainerHeader::of(kind, view).map(Ok))
}

fn of_jpeg(view: ByteView<'_>) -> Option<ContainerHeader> {
    let (mut has_profile, mut is_untransformed) = (false, false);
    let frame = jpeg::head(view).find_map(|segment| {
        // Adobe's segment says whether colours were transformed.
        is_untransformed |= segment.application() == Some(14)
            && segment.body.starts_with(b"Adobe")
            && segment.body.u8(11) == Some(0);
        has_profile |=
            segment.application() == Some(2) && segment.body.starts_with(b"ICC_PROFILE\0");
        segment.frame()
    })?;
    let color = match frame.color {
        ColorModel::YCbCr if is_untransformed => ColorModel::Rgb,
        color => color,
    };
    Some(ContainerHeader { color, has_profile, ..frame })
}

fn of_png(view: ByteView<'_>) -> Option<ContainerHeader> {
    let mut chunks = png_chunks(view).map_while(Result::ok);
    let header = png::header(chunks.next()?.body)?;
    let has_profile =
        chunks.take_while(|chunk| &chunk.kind != b"IDAT").any(|chunk| &chunk.kind == b"iCCP");
    Some(ContainerHeader { has_profile, ..header })
}

/// "The Quite OK Image Format", version 1.0.
fn of_qoi(view: ByteView<'_>) -> Option<ContainerHeader> {
    let (width, height, channels) = (view.be32(4)?, view.be32(8)?, view.u8(12)?.into());
    let (bits, color) = (8, ColorModel::Rgb);
    Some(ContainerHeader { width, height, bits, channels, color, ..Default::default() })
}

fn of_webp(view: ByteView<'_>) -> Option<ContainerHeader> {
    let chunk = riff_chunks(view, 12).next()?.ok()?;
    let (width, height) = webp_size(&chunk)?;
    let flags = if &chunk.kind == b"VP8X" { chunk.body.u8(0)? } else { 0 };
    let is_clear = flags & 0x10 != 0
        || &chunk.kind == b"VP8L" && chunk.body.u8(4).is_some_and(|bits| bits & 0x10 != 0);
    let (channels, has_profile) = (if is_clear { 4 } else { 3 }, flags & 0x20 != 0);
    let color = ColorModel::Rgb;
    Some(ContainerHeader {
        width,
        height,
        bits: 8,
        channels,
        color,
        has_profile,
        ..Default::default()
    })
}

/// The properties of the items: the largest extent is that of the picture, others are its tiles and
/// thumbnails (ISO/IEC 23008-12, 6.5).
fn of_heif(view: ByteView<'_>) -> Option<ContainerHeader> {
    let inner = |view, at, kind: &[u8; 4]| {
        boxes(view, at).map_while(Result::ok).find(|found| &found.kind == kind)
    };
    let meta = inner(view, 0, b"meta")?.body;
    let properties = inner(inner(meta, 4, b"iprp")?.body, 0, b"ipco")?.body;
    let mut header = ContainerHeader::default();
    for found in boxes(properties, 0).map_while(Result::ok) {
        let body = found.body;
        match &found.kind {
            b"ispe" => {
                let size = (body.be32(4)?, body.be32(8)?);
                (header.width, header.height) = size.max((header.width, header.height));
            }
            b"pixi" if header.channels < u16::from(body.u8(4)?) => {
                (header.channels, header.bits) = (body.u8(4)?.into(), body.u8(5)?.into());
            }
            b"colr" => header.has_profile |= matches!(&body.array(0)?, b"prof" | b"rICC"),
            _ => {}
        }
    }
    Some(header).filter(|header| header.width > 0)
}

fn of_jp2(view: ByteView<'_>) -> Option<ContainerHeader> {
    let mut outer = boxes(view, 0).map_while(Result::ok);
    let inner = outer.find(|found| &found.kind == b"jp2h")?.body;
    let mut header = ContainerHeader::default();
    for found in boxes(inner, 0).map_while(Result::ok) {
        let body = found.body;
        match &found.kind {
            b"ihdr" => {
                (header.height, header.width) = (body.be32(0)?, body.be32(4)?);
                (header.channels, header.bits) =
                    (body.be16(8)?, u16::from(body.u8(10)? & 0x7f) + 1);
            }
            b"colr" => {
                header.has_profile |= matches!(body.u8(0)?, 2 | 3);
                // Enumerated colour spaces (ISO/IEC 15444-1, table I.10).
                header.color = match (body.u8(0)?, body.be32(3)) {
                    (1, Some(16)) => ColorModel::Rgb,
                    (1, Some(17)) => ColorModel::Grey,
                    (1, Some(18)) => ColorModel::YCbCr,
                    _ => header.color,
                };
            }
            _ => {}
        }
    }
    Some(header).filter(|header| header.width > 0)
}

#[cfg(test)]
mod tests;
