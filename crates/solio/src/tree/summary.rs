//! What a file of any kind holds, in a few facts: of images and photos size, sample type, channels,
//! profile and orientation; of gradients their stops; of catalogues their rows.

use crate::{Input, ToInput, read_each_gradient};
use solio_base::{Cancel, Error, Limits, Result, Work};
use solio_catalog::store::{Answer, Query};
use solio_container::hdr::HdrHeader;
use solio_container::{ByteView, container_header};
use solio_kinds::{Ability, Family, FileKind, FileType};
use solio_photo::{Fields, Metadata, Tag};

/// Names under which metadata have a fact, the best first.
const WIDTH: &[&str] = &["ImageWidth", "ExifImageWidth", "SourceImageWidth"];
const HEIGHT: &[&str] = &["ImageHeight", "ExifImageHeight", "SourceImageHeight"];
const BITS: &[&str] = &["BitDepth", "BitsPerSample", "ImagePixelDepth", "BitsPerComponent"];
const COUNT: &[&str] = &["SamplesPerPixel", "ColorComponents", "NumChannels"];
/// Facts that are shown as they are.
const SHOWN: [(&str, &[&str]); 9] = [
    ("compression", &["Compression"]),
    ("profile", &["ProfileDescription", "ICCProfileName"]),
    ("orientation", &["Orientation"]),
    ("frames", &["FrameCount", "AnimationFrames"]),
    ("duration", &["Duration", "MediaDuration"]),
    ("date", &["DateTimeOriginal", "CreateDate"]),
    ("camera", &["Model"]),
    ("lens", &["LensModel", "LensID"]),
    ("title", &["Title", "ImageDescription"]),
];

/// The value of a fact.
#[derive(Clone, Debug, PartialEq)]
pub enum FactValue {
    /// A number.
    Integer(i64),
    /// Words.
    Text(String),
    /// Several of them.
    List(Vec<String>),
}

/// What a file is, and what it holds.
///
/// ```
/// use solio::{FactValue, summarize};
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("a.png");
/// # let map = solio::color::gradient::colormap("magma").unwrap();
/// # solio::write_bytes(&path, &solio::gradient_strips(&[map], [160, 120])?.to_png()?)?;
/// let summary = summarize(&path, &Default::default(), &Default::default())?;
/// assert_eq!((summary.file_type.name(), summary.get("width")), ("png", Some(&FactValue::Integer(160))));
/// assert_eq!(summary.get("type"), Some(&FactValue::Text("uint8".into())));
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct FileSummary {
    /// What it is.
    pub file_type: FileType,
    /// Bytes on the disk, where that is known.
    pub file_bytes: Option<u64>,
    /// Names and values, in the order in which they are shown: `width`, `height`, `type`, …
    pub facts: Vec<(&'static str, FactValue)>,
}

impl FileSummary {
    /// The fact of this name.
    pub fn get(&self, name: &str) -> Option<&FactValue> {
        self.facts.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    fn put(&mut self, name: &'static str, value: Option<FactValue>) {
        self.facts.extend(value.map(|value| (name, value)));
    }
}

/// Sums up an image, a photo, a movie, a gradient file or a catalogue. Meshes, scenes, OpenEXR images
/// and archives have more to tell: [`info`](crate::info), [`scene_info`](crate::scene_info),
/// [`image_header`](crate::image_header), [`Archive`](crate::Archive).
///
/// # Errors
/// `Unsupported` for other kinds; those of the readers.
pub fn summarize(
    input: &(impl ToInput + ?Sized),
    limits: &Limits,
    work: &Work,
) -> Result<FileSummary> {
    let input = input.to_input(limits, work)?;
    let (file_type, file_bytes) = (input.file_type(), input.file_bytes());
    let mut summary = FileSummary { file_type, file_bytes, facts: Vec::new() };
    let kind = input.kind_or_named();
    match kind.family() {
        Family::Gradient => of_gradients(&input, work, &mut summary)?,
        Family::Catalogue if kind.can(Ability::Info) => of_catalogue(&input, &mut summary)?,
        Family::Image if kind == FileKind::Hdr => of_hdr(&input, &mut summary),
        Family::Image | Family::Photo if kind.can(Ability::Info) && kind != FileKind::Exr => {
            of_photo(&input, limits, work, &mut summary)?;
        }
        _ => return Err(input.wrong("an image, a photo, a gradient file or a catalogue")),
    }
    Ok(summary)
}

fn of_photo(input: &Input, limits: &Limits, work: &Work, summary: &mut FileSummary) -> Result<()> {
    let measures = [WIDTH, HEIGHT, BITS, COUNT];
    let names = measures.into_iter().chain(SHOWN.map(|(_, names)| names)).flatten();
    let fields = Fields::of(names.copied().chain([
        "SRGBRendering",
        "ColorPrimaries",
        "TransferCharacteristics",
    ]));
    let metadata = crate::read_metadata(input, &fields, limits, work)?;
    // What the structure tells is exact; metadata may be that of another image.
    let header = container_header(input.kind(), &*input.source(work)?).ok().flatten();
    let is_read = input.kind().can(Ability::Read);
    if is_read && header.is_none() && number(&metadata, WIDTH).is_none() {
        return Err(Error::corrupt("the header of the image is incomplete")
            .hint("solio check says where the file ends"));
    }
    let header = header.unwrap_or_default();
    let of = |value: u32| (value > 0).then_some(i64::from(value));
    let width = of(header.width).or_else(|| number(&metadata, WIDTH));
    let height = of(header.height).or_else(|| number(&metadata, HEIGHT));
    if let (Some(width), Some(height)) = (width, height) {
        summary.put("width", Some(FactValue::Integer(width)));
        summary.put("height", Some(FactValue::Integer(height)));
    }
    let bits = of(header.bits.into()).or_else(|| number(&metadata, BITS));
    let sample = header.sample.name();
    summary.put("type", bits.map(|bits| FactValue::Text(format!("{sample}{bits}"))));
    let count = of(header.channels.into()).or_else(|| number(&metadata, COUNT));
    let channels = match (header.color.name(), count) {
        (Some(color), Some(count)) => Some(format!("{color} ({count})")),
        (color, count) => color.map(str::to_owned).or(count.map(|count| count.to_string())),
    };
    summary.put("channels", channels.map(FactValue::Text));
    for (name, tags) in SHOWN {
        let text = tag(&metadata, tags).map(|tag| tag.text().plain().trim().to_owned());
        summary.put(name, text.filter(|text| !text.is_empty()).map(FactValue::Text));
    }
    if summary.get("profile").is_none() {
        let is_srgb = metadata.get("SRGBRendering").is_some();
        let profile = if is_srgb { Some("sRGB") } else { header.has_profile.then_some("ICC") };
        summary.put("profile", profile.map(|profile| FactValue::Text(profile.into())));
    }
    // What counts before a profile.
    let said = |name| tag(&metadata, &[name]).map(|tag| tag.text().plain().trim().to_owned());
    if let (FileKind::Png, Some(primaries), Some(curve)) =
        (input.kind(), said("ColorPrimaries"), said("TransferCharacteristics"))
    {
        summary.put("colors", Some(FactValue::Text(format!("{primaries}, {curve}"))));
    }
    Ok(())
}

fn tag<'m>(metadata: &'m Metadata, names: &[&str]) -> Option<&'m Tag> {
    // A second directory is that of a thumbnail.
    let of_picture =
        |name: &&str| metadata.tags.iter().find(|tag| tag.name == **name && tag.group != "IFD1");
    names.iter().find_map(of_picture)
}

fn number(metadata: &Metadata, names: &[&str]) -> Option<i64> {
    let value = tag(metadata, names)?.number();
    value.integer(0).or_else(|| value.plain().split_whitespace().next()?.parse().ok())
}

/// Three mantissas with one exponent.
fn of_hdr(input: &Input, summary: &mut FileSummary) {
    let Some(header) = HdrHeader::of(ByteView::memory(input.head())) else { return };
    let channels = if header.is_xyz { "XYZ (3)" } else { "RGB (3)" };
    let text = |text: &str| Some(FactValue::Text(text.to_owned()));
    summary.put("width", Some(FactValue::Integer(header.width.into())));
    summary.put("height", Some(FactValue::Integer(header.height.into())));
    summary.put("type", text("float32 (shared exponent)"));
    summary.put("channels", text(channels));
    summary.put("orientation", text(&header.order));
}

fn of_gradients(input: &Input, work: &Work, summary: &mut FileSummary) -> Result<()> {
    let found = read_each_gradient(input, input.limits(), work)?;
    let (gradients, problems) = (found.gradients, found.problems);
    summary.put("gradients", Some(FactValue::Integer(gradients.len() as i64)));
    if !problems.is_empty() {
        let told = problems.iter().map(|problem| problem.message().to_owned());
        summary.put("unread", Some(FactValue::List(told.collect())));
    }
    let each = gradients.iter().map(|gradient| {
        let stops = gradient.colors.len() + gradient.alphas.len();
        format!("{}: {stops} stops, {}", gradient.name, gradient.mode.name())
    });
    summary.put("names", Some(FactValue::List(each.collect())));
    Ok(())
}

fn of_catalogue(input: &Input, summary: &mut FileSummary) -> Result<()> {
    let query = Query::open(input.path(), &Cancel::default())?;
    let mut kinds = Vec::new();
    let (mut files, mut bytes) = (0, 0);
    query.ask("SELECT kind, files, bytes FROM kinds", |_, row| {
        if let Some([Answer::Text(kind), Answer::Integer(count), size]) = row.as_deref() {
            files += count;
            bytes += if let Answer::Integer(size) = size { *size } else { 0 };
            kinds.push(format!("{kind}: {count}"));
        }
        Ok(true)
    })?;
    summary.put("files", Some(FactValue::Integer(files)));
    summary.put("bytes", Some(FactValue::Integer(bytes)));
    summary.put("kinds", Some(FactValue::List(kinds)));
    Ok(())
}
