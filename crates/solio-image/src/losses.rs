//! What an image format cannot hold of an image.

use crate::edit::matching;
pub use crate::lossy::{is_lossy, of_compression};
use solio_base::{Limits, Loss, Losses};
use solio_exr::header::{Box2i, Header, Part, Value};
use solio_exr::model::{ImagePart, Pixels};
use solio_kinds::ImageFormat;
use solio_photo::{Fields, ReadOptions, decode_metadata};

/// Attributes that say how pixels are stored: every format has its own.
const OF_STORAGE: [&str; 12] = [
    "channels",
    "chunkCount",
    "compression",
    "dataWindow",
    "displayWindow",
    "lineOrder",
    "maxSamplesPerPixel",
    "screenWindowCenter",
    "screenWindowWidth",
    "tiles",
    "type",
    "version",
];

/// Whether an attribute says how pixels are stored.
pub(crate) fn is_of_storage(name: &str) -> bool {
    OF_STORAGE.contains(&name)
}

/// Adds what a picture of `format` lacks of the header and the samples of the part that it shows;
/// `window` are the pixels that it has.
pub(crate) fn of_part(
    losses: &mut Losses,
    part: &ImagePart<'_>,
    format: ImageFormat,
    window: &Box2i,
) {
    let name = format.as_str().to_uppercase();
    if let Some(Value::Float(ratio)) = part.header.get("pixelAspectRatio")
        && *ratio != 1.0
        && *ratio > 0.0
    {
        let (times, how) = if *ratio > 1.0 { (*ratio, "narrow") } else { (1.0 / *ratio, "wide") };
        let reason = format!("{name} has square pixels: the picture is {times} times too {how}");
        losses.add(Loss::new("pixel_aspect", reason));
    }
    let others = part.header.attributes.iter().filter(|attribute| {
        let name = attribute.name.as_str();
        !OF_STORAGE.contains(&name) && !["chromaticities", "pixelAspectRatio"].contains(&name)
    });
    for attribute in others {
        let loss = Loss::new("attributes", format!("{name} gets no attributes"));
        losses.add(loss.count(1, "attribute").example(attribute.name.as_str()));
    }
    let (data, deep) = match &part.pixels {
        Pixels::Flat(levels) => (levels.first().map(|level| level.window), None),
        Pixels::Deep(levels) => {
            let first = levels.first();
            let most = first.map(|level| level.counts.iter().map(|&n| u64::from(n)).sum::<u64>());
            (first.map(|level| level.window), most)
        }
    };
    if let Some(samples) = deep {
        let reason = format!("{name} has one sample a pixel: deep ones are laid over each other");
        losses.add(Loss::new("deep_samples", reason).count(samples, "sample"));
    }
    let Some(data) = data else { return };
    let area = |window: &Box2i| window.width().saturating_mul(window.height());
    let outside = area(&data) - data.intersection(window).map_or(0, |common| area(&common));
    if outside > 0 {
        let reason = "pixels outside the display window are left out";
        losses.add(Loss::new("overscan", reason).count(outside, "pixel").kept_by("frame"));
    }
}

/// Adds the levels that are not read.
pub fn of_levels(losses: &mut Losses, parts: &[&Part], what: &str) {
    let levels = parts.iter().filter_map(|part| part.shape().ok()).map(|shape| shape.levels.len());
    let more: usize = levels.map(|levels| levels.saturating_sub(1)).sum();
    if more > 0 {
        let loss = Loss::new("levels", format!("{what} has the full resolution only"));
        losses.add(loss.count(more as u64, "level"));
    }
}

/// Adds the parts and the channels that a picture does not show, where nobody chose among them.
pub fn of_choice(
    losses: &mut Losses,
    header: &Header,
    (shown, names): (usize, &[String]),
    described: &str,
    format: ImageFormat,
) {
    let name = format.as_str().to_uppercase();
    let part_name = |i: usize| header.parts[i].name().map(|name| name.to_string());
    let of = match part_name(shown) {
        Some(part) => format!("{name} shows {described} of part {part}"),
        None => format!("{name} shows {described}"),
    };
    for i in (0..header.parts.len()).filter(|&i| i != shown) {
        let loss = Loss::new("parts", of.clone()).count(1, "part");
        losses.add(loss.example(part_name(i).unwrap_or_else(|| i.to_string())));
    }
    let all = matching(&header.parts[shown], "*");
    for channel in all.filter(|channel| !names.contains(&channel.name)) {
        let loss = Loss::new("channels", of.clone()).count(1, "channel");
        losses.add(loss.example(&*channel.name));
    }
}

/// Groups of tags that say how pixels are stored, or that follow from others.
const GROUPS_OF_STORAGE: [&str; 9] =
    ["File", "System", "Composite", "ExifTool", "JFIF", "APP14", "Adobe", "PNG-pHYs", "HDR"];

/// Tags of the same kind, in groups that have others, too.
const TAGS_OF_STORAGE: [&str; 32] = [
    "BackgroundColor",
    "BitDepth",
    "BitsPerSample",
    "ColorType",
    "Compression",
    "ExtraSamples",
    "FillOrder",
    "Filter",
    "Gamma",
    "ImageHeight",
    "ImageWidth",
    "Interlace",
    "Orientation",
    "Palette",
    "PhotometricInterpretation",
    "PixelUnits",
    "PixelsPerUnitX",
    "PixelsPerUnitY",
    "PlanarConfiguration",
    "Predictor",
    "ResolutionUnit",
    "RowsPerStrip",
    "SRGBRendering",
    "SampleFormat",
    "SamplesPerPixel",
    "SignificantBits",
    "StripByteCounts",
    "StripOffsets",
    "SubfileType",
    "Transparency",
    "XResolution",
    "YResolution",
];

/// Adds the metadata of a picture: no conversion takes it along.
pub fn of_metadata(losses: &mut Losses, bytes: &[u8], format: ImageFormat, limits: &Limits) {
    let extension = format.extension().to_owned();
    let options = ReadOptions { fields: Fields::all(), extension, limits: *limits };
    // What cannot be read is no metadata that could be kept.
    let Ok(metadata) = decode_metadata(&bytes, &options) else { return };
    for tag in &metadata.tags {
        let is_profile = tag.group.starts_with("ICC");
        let is_storage = GROUPS_OF_STORAGE.contains(&&*tag.group)
            || TAGS_OF_STORAGE.contains(&&*tag.name)
            || is_profile;
        if !is_storage {
            let loss = Loss::new("metadata", "metadata is not taken along").count(1, "tag");
            losses.add(loss.example(format!("{}:{}", tag.group, tag.name)));
        }
    }
}
