//! Previews: an image as a small picture of 8 bits, to be looked at.

use crate::picture::{
    Buffers, Choice, Colors, Frame, ImageFormat, Look, View, choose, decode, fill, image_of,
    place_in,
};
use crate::thumbnail::{is_photo, within_photo};
use solio_base::{Error, ErrorKind, Limits, Result, Work};
use solio_color::ToneMap;
use solio_color::gradient::{Gradient, Table8};
use solio_exr::header::{Box2i, Header, Value};
use solio_exr::{Image, Levels, ReadOptions};
use std::path::Path;

/// What of an image is shown, and how.
///
/// ```
/// use solio::PreviewOptions;
/// # let gradient = solio::color::gradient::colormap("viridis").unwrap();
/// let image = solio::gradient_image(&gradient, [400, 200])?;
/// let options = PreviewOptions { most: Some([64, 64]), ..PreviewOptions::default() };
/// let preview = solio::preview(&image, &options, &Default::default())?;
/// // It fits, and keeps its shape.
/// assert_eq!((preview.width, preview.height), (64, 32));
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PreviewOptions {
    /// Part, layer or channels.
    pub choice: Choice,
    /// Exposure in stops: each doubles the light.
    pub exposure: f32,
    /// How bright light becomes white.
    pub tone_map: ToneMap,
    /// Most columns and rows; larger images are made smaller.
    pub most: Option<[u32; 2]>,
    /// Which pixels.
    pub frame: Frame,
    /// Of one channel alone: the colours of its values, from the lowest to the highest.
    pub colormap: Option<Gradient>,
    /// What a file may make us do.
    pub limits: Limits,
}

impl Default for PreviewOptions {
    fn default() -> Self {
        PreviewOptions {
            choice: Choice::default(),
            exposure: 0.0,
            tone_map: ToneMap::Neutral,
            most: None,
            frame: Frame::Display,
            colormap: None,
            limits: Limits::default(),
        }
    }
}

/// A picture to be looked at: sRGB, 8 bits, alpha straight.
///
/// ```
/// # let gradient = solio::color::gradient::colormap("viridis").unwrap();
/// let image = solio::gradient_image(&gradient, [3, 2])?;
/// let preview = solio::preview(&image, &Default::default(), &Default::default())?;
/// // The pixel of the last column in the first row.
/// let channels = if preview.has_alpha { 4 } else { 3 };
/// let yellow = &preview.pixels[2 * channels..][..channels];
/// assert!(yellow[0] > 200 && yellow[1] > 200 && yellow[2] < 100, "{yellow:?}");
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preview {
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Whether pixels have four bytes, red, green, blue and alpha, or only the first three.
    pub has_alpha: bool,
    /// Row by row from the top.
    pub pixels: Vec<u8>,
    /// What is shown: `R, G, B, A`.
    pub shown: String,
}

impl Preview {
    /// The picture as a PNG file.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let path = folder.path().join("viridis.png");
    /// # let gradient = solio::color::gradient::colormap("viridis").unwrap();
    /// let strip = solio::gradient_strips(&[gradient], [256, 16])?;
    /// solio::write_bytes(&path, &strip.to_png()?)?;
    /// let read = solio::preview_file(&path, &Default::default(), &Default::default())?;
    /// assert_eq!((read.width, read.height), (256, 16));
    /// # Ok::<(), solio::Error>(())
    /// ```
    pub fn to_png(&self) -> Result<Vec<u8>> {
        crate::picture::png(&self.pixels, self.width, self.height, self.has_alpha)
    }
}

/// A preview of `image`, or of what was read of it.
///
/// ```
/// use solio::image::header::{Box2i, Part};
/// use solio::image::model::{FlatLevel, ImagePart, Pixels, Plane, Samples};
/// use solio::image::{Channel, Compression, Image, PixelType};
/// use solio::{PreviewOptions, Work};
/// let y = Channel {
///     name: "Y".into(),
///     pixel_type: PixelType::Float,
///     linear: false,
///     x_sampling: 1,
///     y_sampling: 1,
/// };
/// let window = Box2i::of_size(2, 1);
/// let header = Part::new(window, Compression::None, vec![y.clone()]);
/// let planes = vec![Plane { channel: y, samples: Samples::Float(vec![0.0, 0.18].into()) }];
/// let pixels = Pixels::Flat(vec![FlatLevel { x: 0, y: 0, window, planes }]);
/// let image = Image { parts: vec![ImagePart { header, pixels }], missing: Vec::new() };
/// let preview = solio::preview(&image, &PreviewOptions::default(), &Work::default())?;
/// assert_eq!((preview.width, preview.height, preview.has_alpha), (2, 1, false));
/// assert_eq!(preview.pixels[..3], [0, 0, 0]);
/// # Ok::<(), solio::Error>(())
/// ```
pub fn preview(image: &Image<'_>, options: &PreviewOptions, work: &Work) -> Result<Preview> {
    let parts = image.parts.iter().map(|part| part.header.clone()).collect();
    let chosen = choose(&Header { parts, ..Header::default() }, &options.choice)?;
    let part = &image.parts[chosen.part];
    let view = View::new(part, &chosen, options.frame, false, &options.limits)?;
    let one = matches!(chosen.colors, Colors::Value(_) | Colors::Grey(_));
    if options.colormap.is_some() && !one {
        let message = format!("a colour map is for one channel, not for {}", chosen.describe());
        return Err(Error::argument(message).hint("name the channel, as in --channels Z"));
    }
    let table = options.colormap.as_ref().map(|gradient| Table8::new(gradient.sampler()));
    let value = table.is_some() || matches!(chosen.colors, Colors::Value(_));
    let look = Look {
        gain: options.exposure.exp2(),
        tone_map: options.tone_map,
        straight: view.has_alpha(),
        range: value.then(|| view.range()).flatten(),
        ..Look::default()
    };
    let [width, height] = size(&view, options.most);
    let channels = if view.has_alpha() { 4 } else { 3 };
    let mut pixels = vec![0u8; width * height * channels];
    let scratch = || Scratch::new(&view, width);
    fill(work, &mut pixels, width * channels, scratch, |y, out, scratch| {
        if [width, height] == [view.width(), view.height()] {
            view.row(y, &mut scratch.out, &mut scratch.buffers);
        } else {
            average(&view, y, height, scratch);
        }
        match (&table, look.range) {
            (Some(table), Some(range)) => map(table, range, &scratch.out, channels, out),
            _ => look.store(&mut scratch.out, channels, out),
        }
    })?;
    let mut shown = chosen.describe();
    if let Some([low, high]) = look.range {
        shown += &match &options.colormap {
            Some(map) => format!(" from {low} to {high}, the start and the end of {}", map.name),
            None => format!(" from {low} (black) to {high} (white)"),
        };
    }
    let (width, height) = (width as u32, height as u32);
    Ok(Preview { width, height, has_alpha: view.has_alpha(), pixels, shown })
}

/// The colours of a row of values, each the first of its pixel; alpha is the image's and the map's.
fn map(table: &Table8, range: [f32; 2], row: &[f32], channels: usize, out: &mut [u8]) {
    for (pixel, out) in row.as_chunks::<4>().0.iter().zip(out.chunks_exact_mut(channels)) {
        let [r, g, b, a] = table.at(place_in(pixel[0], range));
        out[..3].copy_from_slice(&[r, g, b]);
        if let Some(alpha) = out.get_mut(3) {
            *alpha = (f32::from(a) * pixel[3].clamp(0.0, 1.0)).round() as u8;
        }
    }
}

/// A preview of the file at `path`: only the channels that are shown are read, and of an image with
/// levels of detail the one that is large enough. PNG, JPEG, TIFF and HDR are read whole. Of a raw
/// photo, HEIF or a movie the picture within is shown.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("a.hdr");
/// // Two pixels of Radiance HDR: one of light, one of none.
/// let bytes = b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 2\n\x80\x40\x20\x81\0\0\0\0";
/// solio::write_bytes(&path, bytes)?;
/// let preview = solio::preview_file(&path, &Default::default(), &Default::default())?;
/// assert_eq!((preview.width, preview.height, preview.shown.as_str()), (2, 1, "R, G, B"));
/// assert!(preview.pixels[0] > preview.pixels[1] && preview.pixels[3..] == [0; 3]);
/// # Ok::<(), solio::Error>(())
/// ```
pub fn preview_file(path: &Path, options: &PreviewOptions, work: &Work) -> Result<Preview> {
    if solio_io::is_direct(path) {
        // A pipe's bytes come once.
        let bytes = solio_io::read_whole(path, &options.limits, work)?;
        return preview_bytes(&bytes, options, work).map_err(|e| e.at_path(path));
    }
    if is_photo(path) {
        let size = options.most.map_or(u32::MAX, |[columns, rows]| columns.max(rows));
        let (within, _) =
            within_photo(path, size, &options.limits, work).map_err(|e| e.at_path(path))?;
        return preview(&image_of(within, false)?, options, work).map_err(|e| e.at_path(path));
    }
    let format = crate::any_image::format_of(path, &options.limits)?;
    if let Some(format) = format.filter(|format| *format != ImageFormat::Exr) {
        let read = crate::any_image::read_picture(path, format, false, &options.limits, work)?;
        return preview(&read.image, options, work).map_err(|e| e.at_path(path));
    }
    let header = crate::image_header(path, &options.limits, work);
    let header = header.map_err(|error| match (format, error.kind()) {
        (None, ErrorKind::Corrupt) => Error::unsupported(
            "neither content nor name tell a picture, a photo, a mesh or a scene",
        )
        .at_path(path),
        _ => error,
    })?;
    let read = |read: &ReadOptions| crate::read_image(path, read, work);
    preview_exr(&header, options, work, read).map_err(|e| e.at_path(path))
}

/// [`preview_file`] of an OpenEXR, PNG, JPEG, TIFF or HDR image that lies in memory.
///
/// ```
/// use solio::{PreviewOptions, Work, preview_bytes};
/// let hdr = b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 2\n\x80\x40\x20\x81\0\0\0\0";
/// let preview = preview_bytes(hdr, &PreviewOptions::default(), &Work::default())?;
/// assert_eq!((preview.width, preview.height), (2, 1));
/// // What it is, the bytes alone tell.
/// assert!(preview_bytes(b"v 0 0 0", &PreviewOptions::default(), &Work::default()).is_err());
/// # Ok::<(), solio::Error>(())
/// ```
pub fn preview_bytes(bytes: &[u8], options: &PreviewOptions, work: &Work) -> Result<Preview> {
    match ImageFormat::of_content(bytes) {
        Some(ImageFormat::Exr) => {
            let header = solio_exr::decode_header(&bytes, &options.limits)?;
            let read = |read: &ReadOptions| solio_exr::decode_exr(&bytes, read, work);
            preview_exr(&header, options, work, read)
        }
        Some(format) => {
            let read = decode(bytes, format, false, &options.limits)?;
            preview(&read.image, options, work)
        }
        None => {
            let message = "from a pipe only OpenEXR, PNG, JPEG, TIFF and HDR are shown";
            Err(Error::unsupported(message).hint("write it to a file with its ending first"))
        }
    }
}

/// Of an image with this header, of which `read` reads what is shown.
fn preview_exr(
    header: &Header,
    options: &PreviewOptions,
    work: &Work,
    read: impl FnOnce(&ReadOptions) -> Result<Image<'static>>,
) -> Result<Preview> {
    let chosen = choose(header, &options.choice)?;
    let part = &header.parts[chosen.part];
    let wanted = ReadOptions {
        parts: Some(vec![chosen.part]),
        channels: Some(chosen.names(part)),
        levels: level(header, chosen.part, options)?,
        limits: options.limits,
        ..ReadOptions::default()
    };
    let image = read(&wanted)?;
    let choice = Choice { part: None, ..options.choice.clone() };
    // The display window is that of the full size.
    let frame = if wanted.levels == Levels::Full { options.frame } else { Frame::Data };
    preview(&image, &PreviewOptions { choice, frame, ..options.clone() }, work)
}

/// The smallest level that has as many pixels as are wanted.
fn level(header: &Header, part: usize, options: &PreviewOptions) -> Result<Levels> {
    let Some(most) = options.most else { return Ok(Levels::Full) };
    let part = &header.parts[part];
    let shape = part.shape()?;
    if part.get("displayWindow") != Some(&Value::Box2i(shape.data_window)) {
        return Ok(Levels::Full);
    }
    let enough = |window: &Box2i| {
        window.width() >= u64::from(most[0]) || window.height() >= u64::from(most[1])
    };
    let level = shape.levels.iter().rfind(|level| level.x == level.y && enough(&level.window));
    Ok(level.map_or(Levels::Full, |level| Levels::One(level.x, level.y)))
}

/// Columns and rows of the preview: never more than there are, in the shape of the picture.
fn size(view: &View<'_>, most: Option<[u32; 2]>) -> [usize; 2] {
    let whole = [view.width(), view.height()];
    let Some(most) = most else { return whole };
    let scale = |axis: usize| f64::from(most[axis].max(1)) / whole[axis] as f64;
    let scale = scale(0).min(scale(1)).min(1.0);
    whole.map(|size| ((size as f64 * scale).round() as usize).max(1))
}

/// What a thread keeps from row to row.
struct Scratch {
    buffers: Buffers,
    source: Vec<f32>,
    sum: Vec<f32>,
    out: Vec<f32>,
}

impl Scratch {
    fn new(view: &View<'_>, width: usize) -> Scratch {
        let source = 4 * view.width();
        Scratch {
            buffers: Buffers::default(),
            source: vec![0.0; source],
            sum: vec![0.0; source],
            out: vec![0.0; 4 * width],
        }
    }
}

/// Row `y` of `height`: the mean of all pixels that lie under each of its own, of light that was
/// multiplied by alpha.
fn average(view: &View<'_>, y: usize, height: usize, scratch: &mut Scratch) {
    let Scratch { buffers, source, sum, out } = scratch;
    sum.fill(0.0);
    for (row, weight) in under(y, height, view.height()) {
        view.row(row, source, buffers);
        // One pixel that is not a number must not eat its neighbours.
        let finite = source.iter().map(|v| if v.is_finite() { *v } else { 0.0 });
        sum.iter_mut().zip(finite).for_each(|(sum, value)| *sum += weight * value);
    }
    let (pixels, _) = sum.as_chunks::<4>();
    let width = out.len() / 4;
    for (x, out) in out.as_chunks_mut::<4>().0.iter_mut().enumerate() {
        *out = [0.0; 4];
        for (column, weight) in under(x, width, pixels.len()) {
            out.iter_mut().zip(&pixels[column]).for_each(|(out, value)| *out += weight * value);
        }
    }
}

/// Which of `from` lie under number `at` of `to`, and with what share; the shares sum up to 1.
fn under(at: usize, to: usize, from: usize) -> impl Iterator<Item = (usize, f32)> {
    // In units of 1 / to, all ends are whole numbers.
    let (start, end) = (at * from, (at + 1) * from);
    (start / to..end.div_ceil(to)).map(move |i| {
        let common = end.min((i + 1) * to) - start.max(i * to);
        (i, common as f32 / from as f32)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_sum_up() {
        for (to, from) in [(1, 1), (3, 10), (7, 9), (5, 5), (1, 100)] {
            let mut all = vec![0.0; from];
            for at in 0..to {
                let sum: f32 = under(at, to, from).map(|(_, share)| share).sum();
                assert!((sum - 1.0).abs() < 1e-5, "{at} of {to} from {from}: {sum}");
                under(at, to, from).for_each(|(i, share)| all[i] += share);
            }
            let each = to as f32 / from as f32;
            assert!(all.iter().all(|share| (share - each).abs() < 1e-5), "{all:?}");
        }
    }

    #[test]
    fn values_take_the_colours_of_a_map() {
        use solio_exr::header::Part;
        use solio_exr::model::{FlatLevel, ImagePart, Pixels, Plane, Samples};
        use solio_exr::{Channel, Compression, PixelType};
        let plane = |name: &str, values: [f32; 4]| {
            let pixel_type = PixelType::Float;
            let channel = Channel {
                name: name.into(),
                pixel_type,
                linear: false,
                x_sampling: 1,
                y_sampling: 1,
            };
            Plane { channel, samples: Samples::Float(values.to_vec().into()) }
        };
        let image = |planes: Vec<Plane<'static>>| {
            let window = Box2i::of_size(4, 1);
            let channels = planes.iter().map(|plane| plane.channel.clone()).collect();
            let header = Part::new(window, Compression::None, channels);
            let pixels = Pixels::Flat(vec![FlatLevel { x: 0, y: 0, window, planes }]);
            Image { parts: vec![ImagePart { header, pixels }], missing: Vec::new() }
        };
        let colormap = solio_color::gradient::colormap("viridis");
        let options = PreviewOptions { colormap: colormap.clone(), ..PreviewOptions::default() };
        let depth = image(vec![plane("Z", [2.0, 6.0, f32::INFINITY, f32::NAN])]);
        let shown = preview(&depth, &options, &Work::default()).unwrap();
        assert_eq!(shown.pixels[..3], [68, 1, 84]);
        assert_eq!(shown.pixels[3..6], [253, 231, 37]);
        assert_eq!(shown.pixels[6..9], [253, 231, 37], "far away is as far as it goes");
        assert_eq!(shown.pixels[9..], [0; 3], "what is no number is black");
        assert!(shown.shown.contains("from 2 to 6, the start and the end of viridis"));
        // Ends whose difference no number can tell.
        let wide = image(vec![plane("Z", [-3e38, 0.0, 3e38, 3e38])]);
        let shown = preview(&wide, &options, &Work::default()).unwrap();
        assert_eq!([&shown.pixels[..3], &shown.pixels[6..9]], [[68, 1, 84], [253, 231, 37]]);
        let grey = preview(&wide, &PreviewOptions::default(), &Work::default()).unwrap();
        assert_eq!([grey.pixels[0], grey.pixels[3], grey.pixels[6]], [0, 128, 255]);
        let colors = ["B", "G", "R"].map(|name| plane(name, [0.5; 4])).to_vec();
        let error = preview(&image(colors), &options, &Work::default()).unwrap_err();
        assert!(error.to_string().contains("one channel"), "{error}");
    }
}
