//! A small picture of any file that can be looked at, and what its caption says.

use crate::image::any::{format_of, read_picture};
use crate::image::preview::{has_embedded, preview_input};
use crate::mesh::draw::up_of;
use crate::photo::embedded::embedded_picture;
use crate::tree::check::plural;
use crate::{
    ImageFormat, Input, MeshInfo, MeshReadOptions, PreviewOptions, SceneReadOptions, ToInput,
};
use solio_base::{Error, ErrorKind, Limits, Result, Work};
use solio_exr::Image;
use solio_exr::header::{Header, Value};
use solio_kinds::{Ability, Family, FileType};
use solio_mesh::axes::Axis;
use solio_scene::preview::RenderOptions as DrawOptions;
use std::path::Path;

/// Greys of the chessboard behind what can be seen through, and the side of a field in pixels.
const GROUNDS: [u8; 2] = [72, 92];
const FIELD: usize = 8;
/// The grey behind meshes, points and scenes.
const DRAWN_GROUND: u8 = 58;
/// Most rays a pixel of meshes and scenes are this number's square.
const SAMPLES: u32 = 3;

/// How a thumbnail is made.
///
/// ```
/// use solio::ThumbnailOptions;
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("a.exr");
/// # let work = solio::Work::default();
/// # let gradient = solio::color::gradient::colormap("viridis").unwrap();
/// # let image = solio::gradient_image(&gradient, [8, 4])?;
/// # solio::write_image(&image, &path, &Default::default(), &work)?;
/// // Brighter by two steps.
/// let mut bright = ThumbnailOptions::default();
/// bright.preview.exposure = 2.0;
/// let [usual, bright] = [ThumbnailOptions::default(), bright].map(|options| {
///     let small = solio::thumbnail_of(&path, &options, &work).unwrap();
///     small.pixels.iter().map(|value| u32::from(*value)).sum::<u32>()
/// });
/// assert!(bright > usual);
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ThumbnailOptions {
    /// Most columns and rows.
    pub size: u32,
    /// Which channels of images, and how light becomes colours; its size and limits are not used.
    pub preview: PreviewOptions,
    /// The axis of meshes that is up. `None` is that of custom: Y in OBJ, Z in the others.
    pub up: Option<Axis>,
    /// What a file may make us do.
    pub limits: Limits,
}

impl Default for ThumbnailOptions {
    fn default() -> Self {
        let (preview, limits) = (PreviewOptions::default(), Limits::default());
        ThumbnailOptions { size: 256, preview, up: None, limits }
    }
}

/// A small picture, sRGB, without alpha: what can be seen through lies on a chessboard.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("a.obj");
/// # solio::write_bytes(&path, b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")?;
/// let options = solio::ThumbnailOptions { size: 32, ..Default::default() };
/// let small = solio::thumbnail_of(&path, &options, &solio::Work::default())?;
/// // What stands below the picture.
/// let caption = format!("{}: {}, {}", small.kind, small.dimensions, small.details);
/// assert_eq!(caption, "obj: 1 face, 3 vertices, Y up");
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thumbnail {
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Red, green and blue, row by row from the top.
    pub pixels: Vec<u8>,
    /// What the file is: `exr`, `png`, `obj`, `pbrt`, …
    pub kind: String,
    /// What there is to say in a few words: `1920 × 1080`, `12,345 faces`.
    pub dimensions: String,
    /// More of it: channels and compression, vertices, where an embedded picture comes from.
    pub details: String,
    /// How much of the picture the file does not have: `25 % missing`.
    pub missing: Option<String>,
}

impl Thumbnail {
    /// As a JPEG file; `quality` is 1 to 100.
    ///
    /// ```
    /// use solio::Thumbnail;
    /// let grey = Thumbnail {
    ///     width: 2,
    ///     height: 1,
    ///     pixels: vec![128; 2 * 3],
    ///     kind: "png".into(),
    ///     dimensions: "2 × 1".into(),
    ///     details: String::new(),
    ///     missing: None,
    /// };
    /// assert!(grey.to_jpeg(85)?.starts_with(b"\xff\xd8\xff"));
    /// # Ok::<(), solio::Error>(())
    /// ```
    pub fn to_jpeg(&self, quality: u8) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut encoder = image::codecs::jpeg::JpegEncoder::new_with_quality(&mut bytes, quality);
        let encoded =
            encoder.encode(&self.pixels, self.width, self.height, image::ExtendedColorType::Rgb8);
        encoded.map_err(|e| Error::unsupported(format!("JPEG: {e}")))?;
        Ok(bytes)
    }
}

/// Whether [`thumbnail_of`] knows what to do with a file of this name.
///
/// ```
/// use solio::has_thumbnail;
/// assert!(has_thumbnail("a.EXR".as_ref()) && has_thumbnail("raw/a.nef".as_ref()));
/// assert!(!has_thumbnail("notes.txt".as_ref()));
/// ```
pub fn has_thumbnail(path: &Path) -> bool {
    FileType::of_path(path).is_some_and(|named| named.kind.can(Ability::Preview))
}

/// A small picture of the file at `path`: an image, tone-mapped; the picture within a raw photo; a
/// mesh or a point cloud, shaded; a pbrt scene as its camera sees it; a gradient as a strip. Of
/// images with levels of detail the one that is large enough is read.
///
/// ```no_run
/// let options = solio::ThumbnailOptions { size: 128, ..Default::default() };
/// let small = solio::thumbnail_of("beauty.exr", &options, &solio::Work::default())?;
/// assert!(small.width <= 128 && small.pixels.len() == 3 * (small.width * small.height) as usize);
/// # Ok::<(), solio::Error>(())
/// ```
///
/// # Errors
/// `Unsupported` for files that are nothing to look at; those of the format's reader.
pub fn thumbnail_of(
    input: &(impl ToInput + ?Sized),
    options: &ThumbnailOptions,
    work: &Work,
) -> Result<Thumbnail> {
    of_input(&*input.to_input(&options.limits, work)?, options, work)
}

/// [`thumbnail_of`] of an input that is open already.
pub(crate) fn of_input(
    input: &Input,
    options: &ThumbnailOptions,
    work: &Work,
) -> Result<Thumbnail> {
    let kind = input.kind_or_named();
    let made =
        match kind.family() {
            Family::Scene if kind.can(Ability::Preview) => of_scene(input, options, work),
            Family::Mesh => of_mesh(input, options, work),
            Family::Gradient => of_gradient(input, options, work),
            _ if has_embedded(input) => of_photo(input, options, work),
            _ => match format_of(input) {
                // Kinds of TIFF that only photos have.
                Some(ImageFormat::Tiff) => of_picture(input, ImageFormat::Tiff, options, work)
                    .or_else(|error| match error.kind() {
                        ErrorKind::Unsupported => of_photo(input, options, work).map_err(|_| error),
                        _ => Err(error),
                    }),
                Some(ImageFormat::Exr) => of_exr(input, options, work),
                Some(format) => of_picture(input, format, options, work),
                None => Err(input.wrong("something to look at")),
            },
        };
    made.map_err(|e| e.at_path(input.path()))
}

fn preview_options(options: &ThumbnailOptions) -> PreviewOptions {
    let most = Some([options.size; 2]);
    PreviewOptions { most, limits: options.limits, ..options.preview.clone() }
}

fn of_exr(input: &Input, options: &ThumbnailOptions, work: &Work) -> Result<Thumbnail> {
    let preview = preview_input(input, &preview_options(options), work)?;
    let header = input.exr_header(work)?;
    let mut small = of_preview(preview);
    small.kind = "exr".into();
    (small.dimensions, small.details) = facts_of_exr(header);
    Ok(small)
}

/// Of the first part; how many more there are.
fn facts_of_exr(header: &Header) -> (String, String) {
    let Some(part) = header.parts.first() else { return Default::default() };
    let dimensions =
        part.display_window().map_or(String::new(), |w| dimensions(w.width(), w.height()));
    let Ok(shape) = part.shape() else { return (dimensions, String::new()) };
    let names: Vec<&str> = shape.channels.iter().map(|channel| channel.name.as_str()).collect();
    let channels = match names.len() {
        0..=4 => names.join(" "),
        count => format!("{count} channels"),
    };
    let compression = shape.compression.name();
    let parts = match header.parts.len() {
        1 => String::new(),
        count => format!(", {count} parts"),
    };
    let aspect = match part.get("pixelAspectRatio") {
        Some(Value::Float(ratio)) if *ratio != 1.0 => format!(", pixel aspect {ratio}"),
        _ => String::new(),
    };
    (dimensions, format!("{channels}, {compression}{parts}{aspect}"))
}

fn of_picture(
    input: &Input,
    format: ImageFormat,
    options: &ThumbnailOptions,
    work: &Work,
) -> Result<Thumbnail> {
    let read = read_picture(input, format, false, work)?;
    let preview = options.preview.for_picture(read.is_finished);
    let options = ThumbnailOptions { preview, ..options.clone() };
    let mut small = of_image(&read.image, &options, work)?;
    small.kind = format.as_str().into();
    Ok(small)
}

/// Of an image that was read whole.
fn of_image(image: &Image<'_>, options: &ThumbnailOptions, work: &Work) -> Result<Thumbnail> {
    let preview = crate::preview(image, &preview_options(options), work)?;
    let mut small = of_preview(preview);
    if let Some(part) = image.parts.first() {
        let window = part.header.display_window();
        small.dimensions = window.map_or(String::new(), |w| dimensions(w.width(), w.height()));
    }
    Ok(small)
}

fn of_photo(input: &Input, options: &ThumbnailOptions, work: &Work) -> Result<Thumbnail> {
    let (large, tag) = embedded_picture(input, options.size, work)?;
    let (width, height) = (large.width(), large.height());
    let picture = large.thumbnail(options.size.min(width.max(1)), options.size.min(height.max(1)));
    let picture = picture.into_rgb8();
    Ok(Thumbnail {
        width: picture.width(),
        height: picture.height(),
        pixels: picture.into_raw(),
        kind: input.file_type().name().into(),
        dimensions: dimensions(width.into(), height.into()),
        details: format!("picture within: {tag}"),
        missing: None,
    })
}

/// The gradients of a file as strips, one below the other.
fn of_gradient(input: &Input, options: &ThumbnailOptions, work: &Work) -> Result<Thumbnail> {
    let mut found = crate::read_each_gradient(input, &options.limits, work)?;
    if found.gradients.is_empty() && !found.problems.is_empty() {
        return Err(found.problems.swap_remove(0));
    }
    let gradients = found.gradients;
    let [width, height] = [options.size, (options.size / 4).max(1)];
    let shown = &gradients[..gradients.len().min(height as usize)];
    let mut small = of_preview(crate::gradient_strips(shown, [width, height])?);
    small.kind = input.file_type().name().into();
    small.dimensions = plural(gradients.len() as u64, "gradient");
    Ok(small)
}

fn of_scene(input: &Input, options: &ThumbnailOptions, work: &Work) -> Result<Thumbnail> {
    let read = SceneReadOptions { limits: options.limits, ..SceneReadOptions::default() };
    let most = Some([options.size; 2]);
    let draw = DrawOptions { most, samples: SAMPLES, occlusion: 0, coarse: false };
    let drawn = crate::preview_scene(input, &read, &draw, work, |_| Ok(true))?;
    let mut small = of_drawn(&drawn.image, options, work)?;
    small.kind = input.kind_or_named().as_str().into();
    small.dimensions = plural(drawn.trees[0] as u64, "definition");
    small.details = match drawn.problems.len() as u64 {
        0 => String::new(),
        count => plural(count, "problem"),
    };
    Ok(small)
}

fn of_mesh(input: &Input, options: &ThumbnailOptions, work: &Work) -> Result<Thumbnail> {
    let read = MeshReadOptions { limits: options.limits, ..MeshReadOptions::default() };
    let (format, scene) = crate::read_mesh_and_format(input, &read, work)?;
    let info = MeshInfo::of(&scene);
    let draw = DrawOptions {
        most: Some([options.size; 2]),
        samples: SAMPLES,
        occlusion: 0,
        coarse: false,
    };
    let up = options.up.unwrap_or(up_of(format, &scene));
    let drawn = crate::mesh::draw::draw_mesh(scene, up, &draw, work, |_| Ok(true))?;
    let mut small = of_drawn(&drawn.image, options, work)?;
    small.kind = format.as_str().into();
    small.dimensions = match info.faces {
        0 => format!("{} points", grouped(info.vertices as u64)),
        1 => "1 face".into(),
        faces => format!("{} faces", grouped(faces as u64)),
    };
    small.details = format!("{} vertices, {up} up", grouped(info.vertices as u64));
    Ok(small)
}

/// A count as people write it.
///
/// ```
/// assert_eq!(solio::grouped(1_234_567), "1,234,567");
/// ```
pub fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Of a picture that was drawn, on a plain ground. Which channels of an image are wanted says nothing
/// of it.
fn of_drawn(image: &Image<'_>, options: &ThumbnailOptions, work: &Work) -> Result<Thumbnail> {
    let PreviewOptions { exposure, tone_map, .. } = options.preview;
    let most = Some([options.size; 2]);
    let plain = PreviewOptions { exposure, tone_map, most, ..PreviewOptions::default() };
    Ok(of_preview_on(crate::preview(image, &plain, work)?, [DRAWN_GROUND; 2]))
}

fn dimensions(width: u64, height: u64) -> String {
    format!("{width} × {height}")
}

/// Lays what can be seen through on a chessboard.
fn of_preview(preview: crate::Preview) -> Thumbnail {
    of_preview_on(preview, GROUNDS)
}

fn of_preview_on(preview: crate::Preview, grounds: [u8; 2]) -> Thumbnail {
    let crate::Preview { width, height, has_alpha, pixels, shown, missing } = preview;
    let pixels = if has_alpha { on_ground(&pixels, width as usize, grounds) } else { pixels };
    let (kind, dimensions) = (String::new(), String::new());
    let missing = missing.map(|missing| missing.to_string());
    Thumbnail { width, height, pixels, kind, dimensions, details: shown, missing }
}

fn on_ground(pixels: &[u8], width: usize, grounds: [u8; 2]) -> Vec<u8> {
    let mut out = Vec::with_capacity(pixels.len() / 4 * 3);
    for (i, [r, g, b, a]) in pixels.as_chunks::<4>().0.iter().enumerate() {
        let (x, y) = (i % width.max(1), i / width.max(1));
        let ground = u32::from(grounds[(x / FIELD + y / FIELD) % 2]);
        let alpha = u32::from(*a);
        let over = |c: &u8| ((u32::from(*c) * alpha + ground * (255 - alpha) + 127) / 255) as u8;
        out.extend([r, g, b].map(over));
    }
    out
}

#[cfg(test)]
mod tests;
