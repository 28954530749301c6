//! The small pictures that photos carry within them.

use crate::photo::metadata::read_metadata;
use crate::photo::value_bytes::bytes_at;
use crate::{Input, ToInput};
use image::codecs::jpeg::JpegDecoder;
use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder, RgbImage};
use solio_base::{Error, Limits, Result, Source, Work};
use solio_container::{ContainerHeader, container_header};
use solio_kinds::FileKind;
use solio_photo::{Fields, Value};
use std::io::Cursor;

/// Tags whose bytes are a JPEG file.
const PICTURES: [&str; 9] = [
    "ThumbnailImage",
    "PreviewImage",
    "JpgFromRaw",
    "JpgFromRaw2",
    "OtherImage",
    "PhotoshopThumbnail",
    "MPImage2",
    "MPImage3",
    "CoverArt",
];

/// A picture within a photo, as JPEG.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # let (work, [png, jpg, photo]) = (
/// #     solio::Work::default(),
/// #     ["a.png", "a.jpg", "photo.tif"].map(|name| folder.path().join(name)),
/// # );
/// # let map = solio::color::gradient::colormap("magma").unwrap();
/// # solio::write_bytes(&png, &solio::gradient_strips(&[map], [32, 16])?.to_png()?)?;
/// # solio::convert_image(&png, &jpg, &Default::default(), &work)?;
/// # let jpeg = std::fs::read(&jpg).unwrap();
/// # let bytes = [
/// #     &b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\x1a\0\0\0"[..],
/// #     b"\x02\0\x01\x02\x04\0\x01\0\0\0\x38\0\0\0\x02\x02\x04\0\x01\0\0\0",
/// #     &(jpeg.len() as u32).to_le_bytes(), &[0; 4], &jpeg,
/// # ];
/// # solio::write_bytes(&photo, &bytes.concat())?;
/// // A photo that was taken upright, with a small picture of 32 × 16 pixels within.
/// let found = solio::thumbnail(&photo, 32, &Default::default(), &work)?;
/// let picture = found.expect("the photo has a picture");
/// assert_eq!(picture.tag, "IFD1:ThumbnailImage");
/// assert_eq!((picture.width, picture.height, picture.orientation), (32, 16, 6));
/// // A JPEG file of its own, as it lies in the photo.
/// solio::write_bytes(&folder.path().join("small.jpg"), &picture.jpeg)?;
/// # assert_eq!(picture.jpeg, jpeg);
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct EmbeddedPicture {
    /// The tag that holds it: `IFD1:ThumbnailImage`.
    pub tag: String,
    /// The bytes of a JPEG file.
    pub jpeg: Vec<u8>,
    /// Columns, as stored.
    pub width: u32,
    /// Rows, as stored.
    pub height: u32,
    /// How the photo is to be turned: 1 to 8, as Exif (CIPA DC-008, 4.6.5.1.1) has it.
    pub orientation: u8,
}

/// The smallest picture within the file at `path` whose longer side has `size` pixels or more, or
/// else the largest; `None` where the file has none.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # let (work, [png, jpg, photo]) = (
/// #     solio::Work::default(),
/// #     ["a.png", "a.jpg", "photo.tif"].map(|name| folder.path().join(name)),
/// # );
/// # let map = solio::color::gradient::colormap("magma").unwrap();
/// # solio::write_bytes(&png, &solio::gradient_strips(&[map], [160, 120])?.to_png()?)?;
/// # solio::convert_image(&png, &jpg, &Default::default(), &work)?;
/// # let jpeg = std::fs::read(&jpg).unwrap();
/// # let bytes = [
/// #     &b"II*\0\x08\0\0\0\0\0\x0e\0\0\0"[..],
/// #     b"\x02\0\x01\x02\x04\0\x01\0\0\0\x2c\0\0\0\x02\x02\x04\0\x01\0\0\0",
/// #     &(jpeg.len() as u32).to_le_bytes(), &[0; 4], &jpeg,
/// # ];
/// # solio::write_bytes(&photo, &bytes.concat())?;
/// use solio::{Limits, Work, thumbnail};
/// // It is smaller than asked for; nothing in the photo is larger.
/// let found = thumbnail(&photo, 1024, &Limits::default(), &Work::default())?.unwrap();
/// assert_eq!((found.width, found.height), (160, 120));
/// // A JPEG without anything within: the file itself is no picture of its own.
/// assert!(thumbnail(&jpg, 100, &Limits::default(), &Work::default())?.is_none());
/// # Ok::<(), solio::Error>(())
/// ```
pub fn thumbnail(
    input: &(impl ToInput + ?Sized),
    size: u32,
    limits: &Limits,
    work: &Work,
) -> Result<Option<EmbeddedPicture>> {
    let fields = Fields::of(PICTURES.iter().copied().chain(["Orientation"]));
    let input = input.to_input(limits, work)?;
    let path = input.path();
    let metadata = read_metadata(&*input, &fields, limits, work)?;
    let orientation = metadata.get("Orientation").and_then(|tag| tag.number().integer(0));
    let orientation = orientation.and_then(|v| u8::try_from(v).ok());
    let orientation = orientation.filter(|v| (1..=8).contains(v)).unwrap_or(1);
    let mut places = Vec::new();
    for tag in &metadata.tags {
        if let Value::Binary { at, bytes } = tag.value {
            places.push((bytes, at, format!("{}:{}", tag.group, tag.name)));
        }
    }
    places.sort();
    let source = &*input.source(work)?;
    let mut largest: Option<EmbeddedPicture> = None;
    for (bytes, at, tag) in places {
        let Some(jpeg) = range(source, at, bytes, limits).map_err(|e| e.at_path(path))? else {
            continue;
        };
        let header = container_header(FileKind::Jpeg, &jpeg)?;
        let Some(ContainerHeader { width, height, .. }) = header else { continue };
        let picture = EmbeddedPicture { tag, jpeg, width, height, orientation };
        if width.max(height) >= size {
            return Ok(Some(picture));
        }
        let side = |p: &EmbeddedPicture| p.width.max(p.height);
        if largest.as_ref().is_none_or(|largest| side(largest) < side(&picture)) {
            largest = Some(picture);
        }
    }
    Ok(largest)
}

/// The picture within a photo, upright, and the tag that holds it.
pub(crate) fn embedded_picture(
    input: &Input,
    size: u32,
    work: &Work,
) -> Result<(DynamicImage, String)> {
    let found = thumbnail(input, size, input.limits(), work)?;
    let found = found
        .ok_or_else(|| Error::unsupported("there is no picture within that could be shown"))?;
    Ok((found.upright()?.into(), found.tag))
}

/// The bytes at `at` if they start as JPEG does.
fn range(source: &dyn Source, at: u64, bytes: u64, limits: &Limits) -> Result<Option<Vec<u8>>> {
    // What starts a file is the photo itself.
    if at == 0 || bytes < 4 {
        return Ok(None);
    }
    let jpeg = bytes_at(source, at, bytes, limits)?;
    Ok(jpeg.filter(|jpeg| jpeg.starts_with(&[0xff, 0xd8, 0xff])))
}

impl EmbeddedPicture {
    /// The pixels, turned upright: columns, rows, and three bytes (red, green, blue) a pixel.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let (work, [png, jpg]) =
    /// #     (solio::Work::default(), ["a.png", "a.jpg"].map(|name| folder.path().join(name)));
    /// # let map = solio::color::gradient::colormap("magma").unwrap();
    /// # solio::write_bytes(&png, &solio::gradient_strips(&[map], [32, 16])?.to_png()?)?;
    /// # solio::convert_image(&png, &jpg, &Default::default(), &work)?;
    /// # let jpeg = std::fs::read(&jpg).unwrap();
    /// # let (tag, width, height) = ("IFD1:ThumbnailImage".into(), 32, 16);
    /// // 32 × 16 pixels, to be turned by a quarter to the right.
    /// let picture = solio::EmbeddedPicture { tag, jpeg, width, height, orientation: 6 };
    /// let (columns, rows, rgb) = picture.pixels()?;
    /// assert_eq!((columns, rows, rgb.len()), (16, 32, 16 * 32 * 3));
    /// // What was at the left, the dark end of the gradient, is at the top.
    /// assert!(rgb[0] < 50 && rgb[rgb.len() - 3] > 200);
    /// # Ok::<(), solio::Error>(())
    /// ```
    pub fn pixels(&self) -> Result<(u32, u32, Vec<u8>)> {
        let rgb = self.upright()?;
        Ok((rgb.width(), rgb.height(), rgb.into_raw()))
    }

    fn upright(&self) -> Result<RgbImage> {
        let wrong = |e: image::ImageError| Error::corrupt(format!("{}: {e}", self.tag));
        let mut decoder = JpegDecoder::new(Cursor::new(&self.jpeg)).map_err(wrong)?;
        decoder.set_limits(image::Limits::default()).map_err(wrong)?;
        let mut picture = DynamicImage::from_decoder(decoder).map_err(wrong)?;
        if let Some(orientation) = Orientation::from_exif(self.orientation) {
            picture.apply_orientation(orientation);
        }
        Ok(picture.into_rgb8())
    }
}
