//! Images: a path to planes, and planes to a path.

use crate::tree::check::promises_other;
use crate::{Input, ToInput, Written};
use solio_base::{Error, Limits, Result, Source, Work};
use solio_codec::compress::Compression;
use solio_exr::{
    Header, Image, IntoOptions, PixelType, RasterMut, ReadInto, ReadOptions, WriteOptions,
};
use solio_image::losses::of_compression;
use solio_io::{FileSink, SinkOptions};
use solio_kinds::FileKind;
use solio_measure::SpanName;
use std::path::Path;

static READ: SpanName = SpanName::new("read image");
static WRITE: SpanName = SpanName::new("write image");

/// How an image is written.
///
/// ```
/// use solio::image::{Layout, WriteOptions, header::Tiles};
/// use solio::{ImageWriteOptions, image_header, write_image};
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("beauty.exr");
/// # let work = solio::Work::default();
/// # let map = solio::color::gradient::colormap("magma").unwrap();
/// # let image = solio::gradient_image(&map, [100, 40])?;
/// // Tiles, safe on the disk before the next step begins.
/// let (levels, rounding) = Default::default();
/// let tiles = Tiles { width: 64, height: 64, levels, rounding };
/// let exr = WriteOptions { layout: Layout::Tiles(tiles), ..WriteOptions::default() };
/// write_image(&image, &path, &ImageWriteOptions { exr, durable: true }, &work)?;
/// let header = image_header(&path, &Default::default(), &work)?;
/// assert!(header.parts[0].kind().is_tiled());
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct ImageWriteOptions {
    /// What concerns OpenEXR.
    pub exr: WriteOptions,
    /// The file is on the disk, not only in the system's memory, when writing returns.
    pub durable: bool,
}

/// Refuses a name that promises another kind of file than OpenEXR.
///
/// ```
/// use solio::check_exr_name;
/// assert!(check_exr_name("a.exr".as_ref()).is_ok() && check_exr_name("a.tmp".as_ref()).is_ok());
/// for name in ["a.png", "a.tif", "a.obj", "a.pbrt", "a.exr.zst"] {
///     assert!(check_exr_name(name.as_ref()).is_err());
/// }
/// ```
///
/// # Errors
/// `Argument`, with the path.
pub fn check_exr_name(path: &Path) -> Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let packed = Compression::of_name(&name) != Compression::None;
    let other = packed || crate::is_scene(path) || promises_other(FileKind::Exr, path);
    if !other || solio_io::is_direct(path) {
        return Ok(());
    }
    let end = path.extension().unwrap_or_default().to_string_lossy();
    let message = format!("OpenEXR is written, but the name ends with .{end}");
    let hint = match crate::ImageFormat::of_name(path) {
        Some(_) => "solio convert makes other files of OpenEXR",
        None => "end it in .exr",
    };
    Err(Error::argument(message).at_path(path).hint(hint))
}

/// Reads the image file at `path`, or as much of it as `options` want; `-` is standard input.
///
/// ```
/// use solio::image::{ReadOptions, header::Box2i, model::Pixels};
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("beauty.exr");
/// # let work = solio::Work::default();
/// # let map = solio::color::gradient::colormap("magma").unwrap();
/// # let image = solio::gradient_image(&map, [64, 32])?;
/// # solio::write_image(&image, &path, &Default::default(), &work)?;
/// // The red of a window of 8 × 8 pixels.
/// let window = Some(Box2i { min: [0, 0], max: [7, 7] });
/// let channels = Some(vec!["R".into()]);
/// let options = ReadOptions { channels, window, ..ReadOptions::default() };
/// let image = solio::read_image(&path, &options, &work)?;
/// let Pixels::Flat(levels) = &image.parts[0].pixels else { panic!("it is no deep image") };
/// let plane = &levels[0].planes[0];
/// assert_eq!((&*plane.channel.name, plane.samples.len()), ("R", 64));
/// # Ok::<(), solio::Error>(())
/// ```
pub fn read_image(
    input: &(impl ToInput + ?Sized),
    options: &ReadOptions,
    work: &Work,
) -> Result<Image<'static>> {
    read_input(&*input.to_input(&options.limits, work)?, options, work)
}

/// [`read_image`] of an input that is open already.
pub(crate) fn read_input(
    input: &Input,
    options: &ReadOptions,
    work: &Work,
) -> Result<Image<'static>> {
    let _span = READ.begin_labelled(&input.path().to_string_lossy());
    let image = solio_exr::decode_exr(&*source(input, options, work)?, options, work);
    image.map_err(|e: Error| e.at_path(input.path()))
}

fn source(input: &Input, options: &ReadOptions, work: &Work) -> Result<Box<dyn Source>> {
    let header = input.exr_header(work)?;
    // Channels are mostly those of a part or two of many.
    let of_parts = options.channels.is_some() && header.parts.len() > 1;
    // Who wants some of a file does not want all of it read ahead.
    match options.parts.is_some() || options.window.is_some() || of_parts {
        true => input.source(work),
        false => Ok(input.stream(work)?.source),
    }
}

/// [`read_image`], with all samples as `pixel_type`.
///
/// ```
/// use solio::image::{PixelType, model::{Pixels, Samples}};
/// use solio::{ImageWriteOptions, read_image, read_image_as, write_image};
/// # let folder = tempfile::tempdir().unwrap();
/// # let [float, half] = ["float.exr", "half.exr"].map(|name| folder.path().join(name));
/// # let work = solio::Work::default();
/// # let map = solio::color::gradient::colormap("magma").unwrap();
/// # write_image(&solio::gradient_image(&map, [64, 32])?, &float, &Default::default(), &work)?;
/// // The same image with half the bytes a sample.
/// let image = read_image_as(&float, &Default::default(), PixelType::Half, &work)?;
/// write_image(&image, &half, &ImageWriteOptions::default(), &work)?;
/// let again = read_image(&half, &Default::default(), &work)?;
/// let Pixels::Flat(levels) = &again.parts[0].pixels else { panic!() };
/// assert!(matches!(levels[0].planes[0].samples, Samples::Half(_)));
/// # Ok::<(), solio::Error>(())
/// ```
pub fn read_image_as(
    input: &(impl ToInput + ?Sized),
    options: &ReadOptions,
    pixel_type: PixelType,
    work: &Work,
) -> Result<Image<'static>> {
    let input = input.to_input(&options.limits, work)?;
    let path = input.path();
    let _span = READ.begin_labelled(&path.to_string_lossy());
    let source = source(&input, options, work)?;
    let image = crate::decode_image_as(&*source, options, pixel_type, work);
    image.map_err(|e: Error| e.at_path(path))
}

/// Reads the pixels of a flat part of the image file at `path` into the caller's memory; `-` is
/// standard input.
///
/// ```
/// use solio::Work;
/// use solio::image::{Channel, Compression, IntoOptions, PixelType, RasterMut, SamplesMut};
/// # use solio::image::{Image, header::{Box2i, Part}, model::*};
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("grey.exr");
/// # let window = Box2i { min: [0, 0], max: [1, 1] };
/// # let channel = Channel::new("Y", PixelType::Float);
/// # let header = Part::new(window, Compression::Zip, vec![channel.clone()]);
/// # let plane = Plane { channel, samples: Samples::Float(vec![0.25, 0.5, 0.75, 1.0].into()) };
/// # let level = FlatLevel { x: 0, y: 0, window, planes: vec![plane] };
/// # let parts = vec![ImagePart { header, pixels: Pixels::Flat(vec![level]) }];
/// # let image = Image { parts, missing: Vec::new() };
/// # solio::write_image(&image, &path, &Default::default(), &Work::default())?;
/// // A grey image of 2 × 2 pixels as RGBA, opaque where the file has no alpha.
/// let mut pixels = [0f32; 2 * 2 * 4];
/// let raster = RasterMut {
///     channels: ["Y", "Y", "Y", "A"].map(String::from).to_vec(),
///     samples: SamplesMut::Float(&mut pixels),
///     row_stride: 2 * 4,
///     pixel_stride: 0,
/// };
/// let options = IntoOptions { fill: Some(1.0), ..IntoOptions::default() };
/// solio::read_image_into(&path, &options, vec![raster], &Work::default())?;
/// assert_eq!(pixels[4..8], [0.5, 0.5, 0.5, 1.0]);
/// # Ok::<(), solio::Error>(())
/// ```
pub fn read_image_into(
    input: &(impl ToInput + ?Sized),
    options: &IntoOptions,
    rasters: Vec<RasterMut<'_>>,
    work: &Work,
) -> Result<ReadInto> {
    let input = input.to_input(&options.limits, work)?;
    let path = input.path();
    let _span = READ.begin_labelled(&path.to_string_lossy());
    input.exr_header(work)?;
    let read = solio_exr::decode_exr_into(&*input.source(work)?, options, rasters, work);
    read.map_err(|e: Error| e.at_path(path))
}

/// Reads the head of the image file at `path`, and nothing else.
///
/// ```
/// use solio::image::header::{Text, Value};
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("beauty.exr");
/// # let (limits, work) = (solio::Limits::default(), solio::Work::default());
/// # let map = solio::color::gradient::colormap("magma").unwrap();
/// # let mut image = solio::gradient_image(&map, [64, 32])?;
/// # image.parts[0].header.set("owner", Value::Text(Text::from("Kim")));
/// # solio::write_image(&image, &path, &Default::default(), &work)?;
/// let header = solio::image_header(&path, &limits, &work)?;
/// let part = &header.parts[0];
/// assert_eq!(part.get("owner"), Some(&Value::Text(Text::from("Kim"))));
/// assert_eq!(part.shape()?.data_window.width(), 64);
/// # Ok::<(), solio::Error>(())
/// ```
pub fn image_header(
    input: &(impl ToInput + ?Sized),
    limits: &Limits,
    work: &Work,
) -> Result<Header> {
    input.to_input(limits, work)?.exr_header(work).cloned()
}

/// Writes `image` to `path`; `-` is standard output. The file appears whole, or not at all. What a
/// compression with loss does to samples that it is not made for is counted.
///
/// ```
/// use solio::image::header::{Box2i, Part};
/// use solio::image::model::{FlatLevel, Image, ImagePart, Pixels, Plane, Samples};
/// use solio::image::{Channel, Compression, PixelType, ReadOptions};
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("depth.exr");
/// # let work = solio::Work::default();
/// // How far away things are, in 3 × 2 pixels.
/// let window = Box2i::of_size(3, 2);
/// let channel = Channel::new("Z", PixelType::Float);
/// let header = Part::new(window, Compression::Zip, vec![channel.clone()]);
/// let samples = Samples::Float(vec![1.0, 2.0, 3.0, 1.5, 2.5, 3.5].into());
/// let planes = vec![Plane { channel, samples }];
/// let pixels = Pixels::Flat(vec![FlatLevel { x: 0, y: 0, window, planes }]);
/// let image = Image { parts: vec![ImagePart { header, pixels }], ..Image::default() };
/// let written = solio::write_image(&image, &path, &Default::default(), &work)?;
/// assert_eq!(written.files.len(), 1);
/// let again = solio::read_image(&path, &ReadOptions::default(), &work)?;
/// assert_eq!(again.parts[0].pixels, image.parts[0].pixels);
/// # Ok::<(), solio::Error>(())
/// ```
pub fn write_image(
    image: &Image<'_>,
    path: &Path,
    options: &ImageWriteOptions,
    work: &Work,
) -> Result<Written> {
    let losses = of_compression(image, &options.exr, &Limits::default(), work);
    let losses = losses.map_err(|e| e.at_path(path))?;
    Ok(Written { losses, ..write_exr(image, path, options, work)? })
}

/// [`write_image`] for who knows what is lost.
pub(crate) fn write_exr(
    image: &Image<'_>,
    path: &Path,
    options: &ImageWriteOptions,
    work: &Work,
) -> Result<Written> {
    let _span = WRITE.begin_labelled(&path.to_string_lossy());
    let file = SinkOptions { durable: options.durable, ..SinkOptions::default() };
    let write = |sink: &mut FileSink| solio_exr::encode_exr(image, &options.exr, sink, work);
    Written::one(path, &file, work, |sink| write(sink).map(drop))
}
