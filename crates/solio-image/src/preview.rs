//! Previews: an image as a small picture of 8 bits, to be looked at.

use crate::choose::{Choice, Colors, choose, chosen_part};
use crate::cryptomatte::{self, MatteChoice};
use crate::look::{Look, place_in};
use crate::missing::{MissingPixels, gaps_of, hatch};
use crate::rows::fill;
use crate::view::{Buffers, Frame, View};
use solio_base::{Error, Limits, Result, Work};
use solio_color::ToneMap;
use solio_color::gradient::{Gradient, Table8};
use solio_exr::header::{Box2i, Header, Part, Value};
use solio_exr::{Image, Levels, ReadOptions};

/// What of an image is shown, and how.
///
/// ```
/// use solio_image::PreviewOptions;
/// # let gradient = solio_color::gradient::colormap("viridis").unwrap();
/// let image = solio_image::gradient_image(&gradient, [400, 200])?;
/// let options = PreviewOptions { most: Some([64, 64]), ..PreviewOptions::default() };
/// let preview = solio_image::preview(&image, &options, &Default::default())?;
/// // It fits, and keeps its shape.
/// assert_eq!((preview.width, preview.height), (64, 32));
/// # Ok::<(), solio_base::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PreviewOptions {
    /// Part, layer or channels.
    pub choice: Choice,
    /// Exposure in stops: each doubles the light.
    pub exposure: f32,
    /// How bright light becomes white. Without a word [`ToneMap::Neutral`], but [`ToneMap::None`] for
    /// finished pictures that are not made brighter: PNG, JPEG, TIFF of integers, and those within
    /// photos.
    pub tone_map: Option<ToneMap>,
    /// Most columns and rows; larger images are made smaller.
    pub most: Option<[u32; 2]>,
    /// Which pixels.
    pub frame: Frame,
    /// Of one channel alone: the colours of its values, from the lowest to the highest.
    pub colormap: Option<Gradient>,
    /// Of a Cryptomatte: the coverage by the things of these names, as
    /// [`find`](crate::cryptomatte::find) takes them; the layer of the choice is then that of the
    /// Cryptomatte. A layer that is a Cryptomatte is shown with a colour for each id, and so is one of
    /// an image that has nothing else.
    pub mattes: Vec<String>,
    /// Pixels whose chunks are missing or damaged stay black; without it they are hatched.
    pub partial: bool,
    /// What a file may make us do.
    pub limits: Limits,
}

impl PreviewOptions {
    /// The same for a picture that is not OpenEXR. The white of a finished one is that of paper: there
    /// is no light beyond it that would need room, unless the exposure makes some.
    pub fn for_picture(&self, is_finished: bool) -> PreviewOptions {
        let is_paper = is_finished && self.exposure <= 0.0;
        let tone_map = self.tone_map.or(is_paper.then_some(ToneMap::None));
        PreviewOptions { tone_map, ..self.clone() }
    }
}

/// A picture to be looked at: sRGB, 8 bits, alpha straight.
///
/// ```
/// # let gradient = solio_color::gradient::colormap("viridis").unwrap();
/// let image = solio_image::gradient_image(&gradient, [3, 2])?;
/// let preview = solio_image::preview(&image, &Default::default(), &Default::default())?;
/// // The pixel of the last column in the first row.
/// let channels = if preview.has_alpha { 4 } else { 3 };
/// let yellow = &preview.pixels[2 * channels..][..channels];
/// assert!(yellow[0] > 200 && yellow[1] > 200 && yellow[2] < 100, "{yellow:?}");
/// # Ok::<(), solio_base::Error>(())
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
    /// What of the picture the file does not have.
    pub missing: Option<MissingPixels>,
}

impl Preview {
    /// The picture as a PNG file.
    ///
    /// ```
    /// # let gradient = solio_color::gradient::colormap("viridis").unwrap();
    /// let strip = solio_image::gradient_strips(&[gradient], [256, 16])?;
    /// let png = strip.to_png()?;
    /// // Where a PNG file says its columns and rows.
    /// assert_eq!((&png[16..20], &png[20..24]), (&[0, 0, 1, 0][..], &[0, 0, 0, 16][..]));
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    pub fn to_png(&self) -> Result<Vec<u8>> {
        crate::png(&self.pixels, self.width, self.height, self.has_alpha)
    }
}

/// A preview of `image`, or of what was read of it.
///
/// ```
/// use solio_exr::header::{Box2i, Part};
/// use solio_exr::model::{FlatLevel, ImagePart, Pixels, Plane, Samples};
/// use solio_exr::{Channel, Compression, Image, PixelType};
/// use solio_base::Work;
/// use solio_image::PreviewOptions;
/// let y = Channel::new("Y", PixelType::Float);
/// let window = Box2i::of_size(2, 1);
/// let header = Part::new(window, Compression::None, vec![y.clone()]);
/// let planes = vec![Plane { channel: y, samples: Samples::Float(vec![0.0, 0.18].into()) }];
/// let pixels = Pixels::Flat(vec![FlatLevel { x: 0, y: 0, window, planes }]);
/// let image = Image { parts: vec![ImagePart { header, pixels }], missing: Vec::new() };
/// let preview = solio_image::preview(&image, &PreviewOptions::default(), &Work::default())?;
/// assert_eq!((preview.width, preview.height, preview.has_alpha), (2, 1, false));
/// assert_eq!(preview.pixels[..3], [0, 0, 0]);
/// # Ok::<(), solio_base::Error>(())
/// ```
///
/// # Errors
/// `Argument`, where the image has nothing of the choice; `Limit`.
pub fn preview(image: &Image<'_>, options: &PreviewOptions, work: &Work) -> Result<Preview> {
    if options.mattes.is_empty() && options.choice.channels.is_some() {
        return shown(image, options, None, work);
    }
    let parts = image.parts.iter().map(|part| part.header.clone()).collect();
    let header = Header { parts, ..Header::default() };
    let Some(matte) = matte_of(&header, options)? else { return shown(image, options, None, work) };
    let made = match matte.ids() {
        [] => matte.colors(image, &options.limits)?,
        _ => matte.coverage(image, &options.limits)?,
    };
    let range = (!matte.ids().is_empty()).then_some([0.0, 1.0]);
    let options = PreviewOptions {
        choice: Choice::default(),
        mattes: Vec::new(),
        tone_map: options.tone_map.or(Some(ToneMap::None)),
        ..options.clone()
    };
    let preview = shown(&made, &options, range, work)?;
    Ok(Preview { shown: matte.describe(), ..preview })
}

/// The Cryptomatte that is asked for.
fn matte_of(header: &Header, options: &PreviewOptions) -> Result<Option<MatteChoice>> {
    let Choice { part, layer, channels } = &options.choice;
    if !options.mattes.is_empty() {
        return cryptomatte::find(header, *part, layer.as_deref(), &options.mattes).map(Some);
    }
    if channels.is_some() {
        return Ok(None);
    }
    Ok(match layer {
        Some(layer) => cryptomatte::of_layer(header, *part, layer),
        None => cryptomatte::only(header, *part),
    })
}

/// `range`: the values that are black and white, where they are no light.
fn shown(
    image: &Image<'_>,
    options: &PreviewOptions,
    range: Option<[f32; 2]>,
    work: &Work,
) -> Result<Preview> {
    let (part, chosen) = chosen_part(image, &options.choice)?;
    let value =
        options.colormap.is_some() || range.is_some() || matches!(chosen.colors, Colors::Value(_));
    // No value is nothing that a range has.
    let nothing = if value { f32::NAN } else { 0.0 };
    let gaps = gaps_of(image, chosen.part);
    let view = View::new(part, &chosen, options.frame, false, nothing, &options.limits)?;
    let one = matches!(chosen.colors, Colors::Value(_) | Colors::Grey(_));
    if options.colormap.is_some() && !one {
        let message = format!("a colour map is for one channel, not for {}", chosen.describe());
        return Err(Error::argument(message).hint("name the channel, as in --channels Z"));
    }
    let table = options.colormap.as_ref().map(|gradient| Table8::new(gradient.sampler()));
    let look = Look {
        gain: options.exposure.exp2(),
        tone_map: options.tone_map.unwrap_or(ToneMap::Neutral),
        straight: view.has_alpha(),
        range: range.or_else(|| value.then(|| view.range(&gaps)).flatten()),
        ..Look::default()
    };
    let [width, height] = size(&view, pixel_aspect(&part.header), options.most);
    options.limits.check_bytes("the picture", (width as u64).saturating_mul(4 * height as u64))?;
    let channels = if view.has_alpha() { 4 } else { 3 };
    let mut pixels = vec![0u8; width * height * channels];
    let scratch = || Scratch::new(&view, width);
    fill(work, &mut pixels, width * channels, scratch, |y, out, scratch| {
        if [width, height] == [view.width(), view.height()] {
            view.row(y, &mut scratch.out, &mut scratch.buffers);
        } else {
            average(&view, y, height, look.range, scratch);
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
    let missing = MissingPixels::of(image, part, &gaps);
    if !options.partial {
        hatch(&mut pixels, [width, height, channels], &view.window, &gaps);
    }
    let (width, height) = (width as u32, height as u32);
    Ok(Preview { width, height, has_alpha: view.has_alpha(), pixels, shown, missing })
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

/// What of a file with this header a preview needs: the channels that are shown, and of an image with
/// levels of detail the one that is large enough. [`preview`] of what was read then has the part `0`.
///
/// # Errors
/// `Argument`, where the header has nothing of the choice.
pub fn preview_reads(header: &Header, options: &PreviewOptions) -> Result<ReadOptions> {
    if let Some(matte) = matte_of(header, options)? {
        // In smaller levels ids are mixed.
        return Ok(ReadOptions {
            parts: Some(vec![matte.matte.part]),
            channels: Some(matte.channels()),
            levels: Levels::Full,
            partial: true,
            limits: options.limits,
            ..ReadOptions::default()
        });
    }
    let chosen = choose(header, &options.choice)?;
    Ok(ReadOptions {
        parts: Some(vec![chosen.part]),
        channels: Some(chosen.names(&header.parts[chosen.part])),
        levels: level(header, chosen.part, options)?,
        // What is missing is marked.
        partial: true,
        limits: options.limits,
        ..ReadOptions::default()
    })
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

/// The width of a pixel in parts of its height, within reason.
fn pixel_aspect(header: &Part) -> f64 {
    match header.get("pixelAspectRatio") {
        Some(Value::Float(ratio)) if (0.01..=100.0).contains(ratio) => f64::from(*ratio),
        _ => 1.0,
    }
}

/// Columns and rows of the preview, whose pixels are square: never more than there are but for pixels
/// that are not, in the shape of the picture.
fn size(view: &View<'_>, aspect: f64, most: Option<[u32; 2]>) -> [usize; 2] {
    let whole =
        [view.width() as f64 * aspect.max(1.0), view.height() as f64 * (1.0 / aspect).max(1.0)];
    let scale = |most: [u32; 2]| {
        let of = |axis: usize| f64::from(most[axis].max(1)) / whole[axis];
        of(0).min(of(1)).min(1.0)
    };
    let scale = most.map_or(1.0, scale);
    whole.map(|size| ((size * scale).round() as usize).max(1))
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
/// multiplied by alpha, or of values of a range.
fn average(
    view: &View<'_>,
    y: usize,
    height: usize,
    range: Option<[f32; 2]>,
    scratch: &mut Scratch,
) {
    let Scratch { buffers, source, sum, out } = scratch;
    sum.fill(0.0);
    for (row, weight) in under(y, height, view.height()) {
        view.row(row, source, buffers);
        if let Some(range) = range {
            source.as_chunks_mut::<4>().0.iter_mut().for_each(|pixel| count(pixel, range));
        }
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
        if range.is_some() {
            let [total, there, _, alpha] = *out;
            // Where nothing was there this is no number either.
            let mean = total / there;
            *out = [mean, mean, mean, alpha];
        }
    }
}

/// Makes a pixel ready to be summed up: its value within the range, and 1 where it has one.
fn count([value, there, ..]: &mut [f32; 4], [low, high]: [f32; 2]) {
    let is_number = !value.is_nan();
    *value = if is_number { value.clamp(low, high) } else { 0.0 };
    *there = f32::from(is_number);
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
    use solio_exr::model::{DeepLevel, FlatLevel, ImagePart, Pixels, Plane, Samples};
    use solio_exr::{Channel, Compression, PixelType};

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
    fn all_codes_of_srgb_come_out_as_they_went_in() {
        // IEC 61966-2-1, in doubles.
        let light = |code: u32| {
            let value = f64::from(code) / 255.0;
            match value <= 0.04045 {
                true => value / 12.92,
                false => ((value + 0.055) / 1.055).powf(2.4),
            }
        };
        let window = Box2i::of_size(256, 1);
        for pixel_type in [PixelType::Float, PixelType::Half] {
            let values: Vec<f32> = (0..256).map(|code| light(code) as f32).collect();
            let samples = Samples::Float(values.into()).converted(pixel_type).unwrap();
            let plane = |name: &str| Plane {
                channel: Channel::new(name, pixel_type),
                samples: samples.clone(),
            };
            let planes = ["B", "G", "R"].map(plane).to_vec();
            let mut header = header(256, &planes);
            header.set("dataWindow", Value::Box2i(window));
            let pixels = Pixels::Flat(vec![FlatLevel { x: 0, y: 0, window, planes }]);
            let image = Image { parts: vec![ImagePart { header, pixels }], missing: Vec::new() };
            let options = PreviewOptions { tone_map: Some(ToneMap::None), ..Default::default() };
            let shown = preview(&image, &options, &Work::default()).unwrap();
            for (code, pixel) in shown.pixels.as_chunks::<3>().0.iter().enumerate() {
                assert_eq!(*pixel, [code as u8; 3], "{pixel_type:?}");
            }
        }
    }

    #[test]
    fn pixels_that_are_not_square_are_shown_so_that_circles_are_round() {
        let planes = vec![plane("Y", [0.0, 1.0, 0.25])];
        let made = |aspect: f32, most: Option<[u32; 2]>| {
            let mut header = header(3, &planes);
            header.set("pixelAspectRatio", Value::Float(aspect));
            let level =
                FlatLevel { x: 0, y: 0, window: Box2i::of_size(3, 1), planes: planes.clone() };
            let parts = vec![ImagePart { header, pixels: Pixels::Flat(vec![level]) }];
            let image = Image { parts, missing: Vec::new() };
            let options = PreviewOptions { most, ..PreviewOptions::default() };
            preview(&image, &options, &Work::default()).unwrap()
        };
        let (square, wide, high) = (made(1.0, None), made(2.0, None), made(0.5, None));
        assert_eq!((wide.width, wide.height), (6, 1));
        assert_eq!((high.width, high.height), (3, 2));
        for x in 0..6 {
            assert_eq!(wide.pixels[3 * x..][..3], square.pixels[x / 2 * 3..][..3]);
        }
        assert_eq!(high.pixels, [&square.pixels[..], &square.pixels].concat());
        let small = made(2.0, Some([2, 2]));
        assert_eq!((small.width, small.height), (2, 1));
        // What is no ratio is passed over.
        assert_eq!(made(0.0, None), square);
    }

    fn plane<const N: usize>(name: &str, values: [f32; N]) -> Plane<'static> {
        let channel = Channel::new(name, PixelType::Float);
        Plane { channel, samples: Samples::Float(values.to_vec().into()) }
    }

    fn header(width: u32, planes: &[Plane<'static>]) -> Part {
        let channels = planes.iter().map(|plane| plane.channel.clone()).collect();
        Part::new(Box2i::of_size(width, 1), Compression::None, channels)
    }

    /// A row of four pixels.
    fn image(planes: Vec<Plane<'static>>) -> Image<'static> {
        let (header, window) = (header(4, &planes), Box2i::of_size(4, 1));
        let pixels = Pixels::Flat(vec![FlatLevel { x: 0, y: 0, window, planes }]);
        Image { parts: vec![ImagePart { header, pixels }], missing: Vec::new() }
    }

    fn viridis() -> PreviewOptions {
        let colormap = solio_color::gradient::colormap("viridis");
        PreviewOptions { colormap, ..PreviewOptions::default() }
    }

    fn pixels(image: &Image<'_>, options: &PreviewOptions) -> Vec<[u8; 3]> {
        let shown = preview(image, options, &Work::default()).unwrap();
        assert!(!shown.has_alpha);
        shown.pixels.as_chunks::<3>().0.to_vec()
    }

    const LOW: [u8; 3] = [68, 1, 84];
    const HIGH: [u8; 3] = [253, 231, 37];
    const NONE: [u8; 3] = [0; 3];

    #[test]
    fn means_of_values_heed_only_what_is_one() {
        let half = PreviewOptions { most: Some([2, 1]), ..viridis() };
        let [inf, nan] = [f32::INFINITY, f32::NAN];
        for (values, expected) in [
            ([1.0, 1.0, 3.0, inf], [LOW, HIGH]),
            ([1.0, nan, nan, 3.0], [LOW, HIGH]),
            ([-inf, 1.0, 3.0, inf], [LOW, HIGH]),
            ([nan, nan, 1.0, 1.0], [NONE, LOW]),
        ] {
            assert_eq!(pixels(&image(vec![plane("Z", values)]), &half), expected, "{values:?}");
        }
        let grey = PreviewOptions { colormap: None, ..half };
        let far = image(vec![plane("Z", [1.0, inf, nan, 3.0])]);
        assert_eq!(pixels(&far, &grey), [[128; 3], [255; 3]]);
    }

    #[test]
    fn where_nothing_is_there_is_no_value() {
        let mut wide = image(vec![plane("Z", [1.0, 2.0, 3.0, 3.0])]);
        wide.parts[0].header.set("displayWindow", Value::Box2i(Box2i::of_size(6, 1)));
        let shown = pixels(&wide, &viridis());
        assert_eq!([shown[0], shown[3], shown[4], shown[5]], [LOW, HIGH, NONE, NONE]);
        let small = PreviewOptions { most: Some([2, 1]), ..viridis() };
        assert_eq!(pixels(&wide, &small)[1], HIGH);
    }

    /// A pixel with a near sample, green and half covered, and one behind it, red; and an empty one.
    fn deep() -> Image<'static> {
        let planes = vec![
            plane("A", [1.0, 0.5]),
            plane("B", [0.0; 2]),
            plane("G", [0.0, 0.5]),
            plane("R", [1.0, 0.0]),
            plane("Z", [9.0, 2.0]),
        ];
        let (mut header, window) = (header(2, &planes), Box2i::of_size(2, 1));
        header.set("type", Value::Text("deepscanline".into()));
        let level = DeepLevel { x: 0, y: 0, window, counts: vec![2, 0].into(), planes };
        let pixels = Pixels::Deep(vec![level]);
        Image { parts: vec![ImagePart { header, pixels }], missing: Vec::new() }
    }

    #[test]
    fn deep_samples_cover_each_other_whether_alpha_is_shown_or_not() {
        let shown = |names: &[&str], options: PreviewOptions| {
            let channels = Some(names.iter().map(|name| (*name).to_owned()).collect());
            let choice = Choice { channels, ..Choice::default() };
            pixels(&deep(), &PreviewOptions { choice, ..options })
        };
        let plain = || PreviewOptions { tone_map: Some(ToneMap::None), ..Default::default() };
        let half = solio_color::srgb::u8_of_light(0.5);
        assert_eq!(shown(&["R", "G", "B"], plain()), [[half, half, 0], NONE]);
        assert_eq!(shown(&["R"], plain()), [[half; 3], NONE]);
        // A distance is that of the nearest; where there is none it is no distance.
        assert_eq!(shown(&["Z"], viridis())[1], NONE);
        let shown = |names: &[&str]| {
            let channels = Some(names.iter().map(|name| (*name).to_owned()).collect());
            let choice = Choice { channels, ..Choice::default() };
            let options = PreviewOptions { choice, ..viridis() };
            preview(&deep(), &options, &Work::default()).unwrap().shown
        };
        assert!(shown(&["Z"]).contains("from 2 to 2"));
        assert!(shown(&["Z", "A"]).contains("from 2 to 2"));
    }

    #[test]
    fn a_level_has_no_display_window_of_its_own() {
        let mut small = image(vec![plane("Y", [0.5; 4])]);
        small.parts[0].header.set("displayWindow", Value::Box2i(Box2i::of_size(8, 2)));
        let size = |image: &Image<'_>| {
            let made = preview(image, &PreviewOptions::default(), &Work::default()).unwrap();
            (made.width, made.height)
        };
        assert_eq!(size(&small), (8, 2));
        let Pixels::Flat(levels) = &mut small.parts[0].pixels else { panic!() };
        (levels[0].x, levels[0].y) = (1, 1);
        assert_eq!(size(&small), (4, 1));
    }

    #[test]
    fn values_take_the_colours_of_a_map() {
        let options = viridis();
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
