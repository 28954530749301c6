//! What a file says about itself, as values of the catalogue.

use crate::Input;
use crate::photo::header_tags::{self, Start};
use crate::{MeshReadOptions, SceneReadOptions, ThumbnailOptions};
use serde_json::{Map, Value as Json};
use solio_base::{Error, ErrorKind, Limits, Result, Source, Work};
use solio_catalog::row::{Cells, Level, column};
use solio_codec::compress::Compression;
use solio_codec::digest::{Algorithm, Hasher};
use solio_container::container_header;
use solio_exr::CheckOptions;
use solio_kinds::{Ability, Family, FileKind, FileType, HEAD_BYTES};
use solio_mesh::ply::decode_ply_header;
use solio_photo::{Fields, Metadata, ReadOptions, Value, decode_metadata};
use std::ffi::OsStr;
use std::path::Path;

/// Of thumbnails.
const JPEG_QUALITY: u8 = 80;
/// Bytes that are hashed at a time.
const HASH_BYTES: usize = 256 << 10;

/// What the columns of the catalogue are made of.
const USUAL: [&str; 11] = [
    "ImageWidth",
    "ImageHeight",
    "ExifImageWidth",
    "ExifImageHeight",
    "Make",
    "Model",
    "DateTimeOriginal",
    "CreateDate",
    "Orientation",
    "GPSLatitude",
    "GPSLongitude",
];

/// Which tags are read: those of the columns, and those asked for.
///
/// ```
/// use solio::catalog::row::column;
/// use solio::{ScanFields, ScanOptions};
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("a.tif");
/// # let tiff = b"II*\0\x08\0\0\0\x01\0\x02\x01\x03\0\x01\0\0\0\x08\0\0\0\0\0\0\0";
/// # solio::write_bytes(&path, tiff)?;
/// // A tag that has no column of its own comes as JSON.
/// let mut facts = ScanOptions::default().facts;
/// facts.fields = ScanFields::new(&["BitsPerSample".to_owned()]);
/// solio::scan_files(&[path], &facts, &Default::default(), |row| {
///     assert_eq!(row.cells.text(column::TAGS), Some("{\"BitsPerSample\":8}"));
///     Ok(())
/// })?;
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ScanFields {
    read: Fields,
    asked: Vec<String>,
}

impl Default for ScanFields {
    fn default() -> Self {
        ScanFields::new(&[])
    }
}

impl ScanFields {
    /// With the fields `asked`, named as `solio meta` names them.
    ///
    /// ```
    /// use solio::catalog::row::Level;
    /// use solio::{ScanFields, ScanOptions};
    /// let level = |asked: &[String]| {
    ///     let mut facts = ScanOptions::default().facts;
    ///     facts.fields = ScanFields::new(asked);
    ///     facts.level()
    /// };
    /// // A scan that asks for another field looks at all files again.
    /// assert_eq!(level(&[]), Level::HEAD);
    /// assert!(!level(&["ISO".to_owned()]).covers(level(&["LensModel".to_owned()])));
    /// ```
    pub fn new(asked: &[String]) -> Self {
        let all = USUAL.iter().copied().chain(asked.iter().map(String::as_str));
        ScanFields { read: Fields::of(all), asked: asked.to_vec() }
    }

    /// The bits of a level that say which fields were asked for.
    fn level(&self) -> Level {
        if self.asked.is_empty() {
            return Level::default();
        }
        let names = self.asked.join("\0");
        Level((crc32fast::hash(names.as_bytes()) | 1 << 8) & Level::FIELDS.0)
    }
}

/// How far files are looked at.
///
/// ```
/// use solio::catalog::row::column;
/// use solio::{FileFacts, ScanOptions};
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("a.obj");
/// solio::write_bytes(&path, b"v 0 0 0\nv 1 0 0\nv 0 2 0\nf 1 2 3\n")?;
/// // Counts of a mesh, and the hash of its bytes.
/// let facts = FileFacts { deep: true, hash: true, ..ScanOptions::default().facts };
/// solio::scan_files(&[path], &facts, &Default::default(), |row| {
///     assert_eq!(row.cells.integer(column::FACES), Some(1));
///     assert_eq!(row.cells.text(column::XXH128).map(str::len), Some(32));
///     Ok(())
/// })?;
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct FileFacts {
    /// Which tags are read.
    pub fields: ScanFields,
    /// Meshes and scenes are read to their end, for counts and bounds.
    pub deep: bool,
    /// Files are checked for damage.
    pub check: bool,
    /// All content is hashed.
    pub hash: bool,
    /// A small picture is made of files that can be looked at, of at most so many columns and rows.
    pub thumbnail: Option<u32>,
    /// Bounds.
    pub limits: Limits,
}

impl FileFacts {
    /// The level of a file that was looked at like this.
    ///
    /// ```
    /// use solio::catalog::row::Level;
    /// use solio::{FileFacts, ScanOptions};
    /// let quick = ScanOptions::default().facts;
    /// let checked = FileFacts { check: true, ..quick.clone() };
    /// // Who has checked a file need not look at it once more.
    /// assert!(checked.level().covers(quick.level()));
    /// assert!(!quick.level().covers(Level::CHECKED));
    /// ```
    pub fn level(&self) -> Level {
        let mut level = Level::HEAD.with(self.fields.level());
        let steps = [
            (self.deep, Level::DEEP),
            (self.check, Level::CHECKED),
            (self.check && self.deep, Level::UNPACKED),
            (self.hash, Level::HASHED),
            (self.thumbnail.is_some(), Level::THUMBNAIL),
        ];
        for (wanted, step) in steps {
            level = if wanted { level.with(step) } else { level };
        }
        level
    }
}

/// Finds out what is known of the file at `path`, whose bytes are `source`. What is wrong with it is
/// among the values. What kind of file it is, the [`head`](Source::head) of `source` tells; `whole`
/// gives the open file where more is wanted: of packed files, and beyond headers and the hash.
///
/// ```
/// use solio::ScanOptions;
/// use solio::catalog::row::{Cells, column};
/// let ply = b"ply\nformat ascii 1.0\nelement vertex 8\nproperty float x\nend_header\n".to_vec();
/// let (facts, mut cells) = (ScanOptions::default().facts, Cells::default());
/// let whole = || solio::Input::of_bytes("a.ply".as_ref(), ply.clone(), &facts.limits);
/// solio::file_facts("a.ply".as_ref(), &ply, &whole, &facts, &Default::default(), &mut cells)?;
/// assert_eq!(cells.text(column::KIND), Some("ply"));
/// assert_eq!(cells.integer(column::VERTICES), Some(8));
/// # Ok::<(), solio::Error>(())
/// ```
///
/// # Errors
/// `Cancelled`, and where the system could not read the file: that says nothing about what is in it,
/// and another scan is to try again. Everything else becomes a problem of the file.
pub fn file_facts(
    path: &Path,
    source: &dyn Source,
    whole: &dyn Fn() -> Result<Input>,
    facts: &FileFacts,
    work: &Work,
    cells: &mut Cells,
) -> Result<Option<Vec<u8>>> {
    let mut problems = Vec::new();
    let head = source.head();
    let head = &head[..head.len().min(HEAD_BYTES)];
    let mut found = FileType::detect(head, Some(source.len_bytes().unwrap_or(0)), path);
    cells.set_text(column::KIND, found.name());
    let is_packed = matches!(found.kind, FileKind::Gzip | FileKind::Zstd);
    let wants_more = facts.deep || facts.check || facts.thumbnail.is_some();
    let input = if is_packed || wants_more { Some(whole()?) } else { None };
    let looked = match &input {
        Some(input) if is_packed => packed(input, &mut found, facts, work, cells),
        _ => look(path, source, found, facts, work, cells),
    };
    note(path, looked, &mut problems)?;
    if let Some(input) = &input {
        if facts.deep {
            note(path, deep(input, found.kind, facts, work, cells), &mut problems)?;
        }
        if facts.check {
            note(path, check(input, facts, work, &mut problems), &mut problems)?;
        }
    }
    if facts.hash {
        note(path, hash(source, work, cells), &mut problems)?;
    }
    problems.dedup();
    if !problems.is_empty() {
        cells.set_text(column::PROBLEMS, Json::from(problems).to_string());
    }
    let level = Level(cells.integer(column::LEVEL).unwrap_or(0) as u32).with(facts.level());
    cells.set_integer(column::LEVEL, level.0);
    input.map_or(Ok(None), |input| picture(&input, found, facts, work, cells))
}

/// An error as a problem of the file at `path`.
fn note(path: &Path, result: Result<()>, problems: &mut Vec<String>) -> Result<()> {
    // Errors of the system about other files are about what this one refers to.
    let own = |error: &Error| {
        error.os_error().is_some() && error.path().is_none_or(|other| other == path)
    };
    match result {
        Err(error) if error.kind() == ErrorKind::Cancelled || own(&error) => Err(error),
        Err(error) => {
            problems.push(sentence(&error));
            Ok(())
        }
        Ok(()) => Ok(()),
    }
}

/// An error without the path of the file, which stands in the same row.
pub(super) fn sentence(error: &Error) -> String {
    match (error.line(), error.offset()) {
        (Some(line), _) => format!("line {line}: {}", error.message()),
        (None, Some(offset)) => format!("byte {offset}: {}", error.message()),
        (None, None) => error.message().to_owned(),
    }
}

/// What is in a packed file: `found` becomes that.
fn packed(
    input: &Input,
    found: &mut FileType,
    facts: &FileFacts,
    work: &Work,
    cells: &mut Cells,
) -> Result<()> {
    if input.compression() == Compression::None {
        return Ok(());
    }
    let inner = input.file_type();
    // Of archives and the like only the outer kind is of use.
    if header_tags::reads(inner.kind)
        || matches!(inner.kind, FileKind::Stl | FileKind::Mtl | FileKind::Spz)
    {
        let opened = input.stream(&Work { memory_bytes: 0, ..work.clone() })?;
        let source = Start::of(&*opened.source)?;
        cells.set_text(column::KIND, inner.name());
        *found = inner;
        look(input.path(), &source, inner, facts, work, cells)?;
        cells.set_text(column::COMPRESSION, input.compression().as_str());
    }
    Ok(())
}

/// What the header of a file tells.
fn look(
    path: &Path,
    source: &dyn Source,
    found: FileType,
    facts: &FileFacts,
    work: &Work,
    cells: &mut Cells,
) -> Result<()> {
    work.cancel.check()?;
    let fields = &facts.fields;
    match found.kind {
        FileKind::Exr => exr(source, &facts.limits, cells),
        FileKind::Ply => ply(source, &facts.limits, cells),
        FileKind::Stl => {
            stl(source, cells);
            Ok(())
        }
        FileKind::Splat => {
            let splats = source.len_bytes().map(|bytes| bytes / 32);
            splats.into_iter().for_each(|count| cells.set_integer(column::VERTICES, count));
            Ok(())
        }
        FileKind::Spz => {
            let header = solio_mesh::splats::spz::decode_spz_header(source)?;
            cells.set_integer(column::VERTICES, header.splats);
            Ok(())
        }
        kind if header_tags::reads(kind) => {
            tags(header_tags::read(kind, source, &fields.read, &facts.limits)?, fields, cells)
        }
        kind if kind.can(Ability::Meta) => {
            let extension = path.extension().map(OsStr::to_string_lossy).unwrap_or_default();
            let options = ReadOptions {
                fields: fields.read.clone(),
                extension: extension.to_lowercase(),
                limits: facts.limits,
            };
            tags(decode_metadata(source, &options)?, fields, cells)
        }
        kind => {
            if let Some(header) = container_header(kind, source)? {
                cells.set_integer(column::WIDTH, header.width);
                cells.set_integer(column::HEIGHT, header.height);
            }
            Ok(())
        }
    }
}

fn exr(source: &dyn Source, limits: &Limits, cells: &mut Cells) -> Result<()> {
    let header = solio_exr::decode_header(source, limits)?;
    cells.set_integer(column::PARTS, header.parts.len());
    let window = header.parts.first().and_then(solio_exr::header::Part::display_window);
    if let Some(window) = window {
        cells.set_integer(column::WIDTH, window.width());
        cells.set_integer(column::HEIGHT, window.height());
    }
    let (mut channels, mut methods) = (Vec::new(), Vec::new());
    for part in &header.parts {
        let shape = part.shape()?;
        let method = shape.compression.name();
        if !methods.contains(&method) {
            methods.push(method);
        }
        let layer = part.name().filter(|_| header.parts.len() > 1);
        channels.extend(shape.channels.iter().map(|channel| match layer {
            Some(layer) => format!("{layer}.{}", channel.name),
            None => channel.name.clone(),
        }));
    }
    cells.set_text(column::CHANNELS, channels.join(","));
    cells.set_text(column::COMPRESSION, methods.join(","));
    Ok(())
}

fn ply(source: &dyn Source, limits: &Limits, cells: &mut Cells) -> Result<()> {
    let header = decode_ply_header(source, limits)?;
    for element in &header.elements {
        match element.name.as_str() {
            "vertex" => cells.set_integer(column::VERTICES, element.count),
            "face" | "tristrips" => cells.set_integer(column::FACES, element.count),
            _ => {}
        }
    }
    Ok(())
}

/// A binary STL says how many triangles it has.
fn stl(source: &dyn Source, cells: &mut Cells) {
    let (head, bytes) = (source.head(), source.len_bytes());
    if let Some(count) = head.get(80..84) {
        let count = u32::from_le_bytes([count[0], count[1], count[2], count[3]]);
        if bytes == Some(84 + 50 * u64::from(count)) {
            cells.set_integer(column::FACES, count);
        }
    }
}

/// Tags of photos, and of the heads of others.
fn tags(metadata: Metadata, fields: &ScanFields, cells: &mut Cells) -> Result<()> {
    size(&metadata, cells);
    for (name, place) in [("Make", column::MAKE), ("Model", column::MODEL)] {
        if let Some(tag) = metadata.get(name) {
            let text = tag.text().plain();
            if !text.trim().is_empty() {
                cells.set_text(place, text.trim());
            }
        }
    }
    let date = metadata.get("DateTimeOriginal").or_else(|| metadata.get("CreateDate"));
    if let Some(taken) = date.and_then(|tag| iso_date(&tag.number().plain())) {
        cells.set_text(column::TAKEN, taken);
    }
    if let Some(turn) = integer(&metadata, "Orientation").filter(|turn| (1..=8).contains(turn)) {
        cells.set_integer(column::ORIENTATION, turn);
    }
    place(&metadata, cells);
    asked(&metadata, &fields.asked, cells);
    Ok(())
}

fn number(metadata: &Metadata, name: &str) -> Option<f64> {
    let value = metadata.get(name)?.number();
    value.number(0).or_else(|| value.plain().trim().parse().ok())
}

fn integer(metadata: &Metadata, name: &str) -> Option<i64> {
    let value = metadata.get(name)?.number();
    value.integer(0).or_else(|| value.plain().trim().parse().ok())
}

fn size(metadata: &Metadata, cells: &mut Cells) {
    let sides = [("ImageWidth", "ImageHeight"), ("ExifImageWidth", "ExifImageHeight")];
    for (width, height) in sides {
        let both = (integer(metadata, width), integer(metadata, height));
        if let (Some(width @ 1..), Some(height @ 1..)) = both {
            cells.set_integer(column::WIDTH, width);
            cells.set_integer(column::HEIGHT, height);
            return;
        }
    }
}

/// Degrees with their signs, where both are there and lie on the globe.
fn place(metadata: &Metadata, cells: &mut Cells) {
    let of = |name: &str, most: f64| number(metadata, name).filter(|degrees| degrees.abs() <= most);
    if let (Some(north), Some(east)) = (of("GPSLatitude", 90.0), of("GPSLongitude", 180.0)) {
        cells.set_real(column::LATITUDE, north);
        cells.set_real(column::LONGITUDE, east);
    }
}

/// `2024:05:06 07:08:09.25+02:00` as `2024-05-06 07:08:09.25+02:00`; `None` for what is no date.
fn iso_date(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let digits = |range: std::ops::Range<usize>| {
        bytes.get(range).is_some_and(|part| part.iter().all(u8::is_ascii_digit))
    };
    let is_date = digits(0..4) && digits(5..7) && digits(8..10) && !text.starts_with("0000");
    if !is_date || !matches!((bytes[4], bytes[7]), (b':' | b'-', b':' | b'-')) {
        return None;
    }
    let rest = text[10..].replacen('T', " ", 1);
    Some(format!("{}-{}-{}{rest}", &text[..4], &text[5..7], &text[8..10]))
}

/// The fields asked for, as JSON.
fn asked(metadata: &Metadata, asked: &[String], cells: &mut Cells) {
    let mut object = Map::new();
    for field in asked {
        if let Some(tag) = metadata.get(field) {
            object.insert(field.clone(), json(&tag.text()));
        }
    }
    if !object.is_empty() {
        cells.set_text(column::TAGS, Json::from(object).to_string());
    }
}

fn json(value: &Value) -> Json {
    match value {
        Value::Ints(all) if all.len() == 1 => all[0].into(),
        Value::Floats(all) if all.len() == 1 => all[0].into(),
        Value::List(all) => all.iter().map(json).collect(),
        other => other.plain().into(),
    }
}

/// Counts and bounds of what has to be read to its end.
fn deep(
    input: &Input,
    kind: FileKind,
    facts: &FileFacts,
    work: &Work,
    cells: &mut Cells,
) -> Result<()> {
    if kind.family() == Family::Mesh {
        let limits = facts.limits;
        let options = MeshReadOptions { limits, skip_materials: true, ..Default::default() };
        let info = crate::info(input, &options, work)?.mesh;
        cells.set_integer(column::VERTICES, info.vertices);
        cells.set_integer(column::FACES, info.faces);
        set_bounds(info.bounds, cells);
    } else if kind == FileKind::Pbrt {
        let options = SceneReadOptions { limits: facts.limits, ..Default::default() };
        let counts = crate::scene_info(input, &options, 0, work)?.counts;
        cells.set_integer(column::FACES, counts.all.instanced_primitives);
        set_bounds(crate::scene_bounds(input, &options, work)?, cells);
    }
    Ok(())
}

/// The least and the greatest corner.
fn set_bounds<T: Into<f64>>(bounds: Option<[[T; 3]; 2]>, cells: &mut Cells) {
    let corners = bounds.into_iter().flatten().flatten();
    for (place, value) in (column::MIN_X..=column::MAX_Z).zip(corners) {
        cells.set_real(place, value.into());
    }
}

/// What is damaged.
fn check(input: &Input, facts: &FileFacts, work: &Work, problems: &mut Vec<String>) -> Result<()> {
    let options = CheckOptions { decode: facts.deep, limits: facts.limits };
    let found = match crate::check_file(input, &options, work) {
        // What cannot be checked is not damaged.
        Err(error) if error.kind() == ErrorKind::Unsupported => return Ok(()),
        found => found?,
    };
    problems.extend(found.problems.iter().map(|problem| match problem.offset {
        // A line says more of a text than a byte.
        Some(offset) if !problem.message.starts_with("line ") => {
            format!("byte {offset}: {}", problem.message)
        }
        _ => problem.message.clone(),
    }));
    problems.extend(found.text_problems.iter().map(ToString::to_string));
    problems.extend(found.odd.iter().map(ToString::to_string));
    Ok(())
}

/// A small JPEG picture of a file that is known to be an image, a photo, a mesh or a scene. What
/// cannot be shown has none: the file's own problems say why.
fn picture(
    input: &Input,
    found: FileType,
    facts: &FileFacts,
    work: &Work,
    cells: &Cells,
) -> Result<Option<Vec<u8>>> {
    let Some(size) = facts.thumbnail else { return Ok(None) };
    let is_drawn = found.kind.family() == Family::Mesh || found.kind == FileKind::Pbrt;
    if !is_drawn && cells.integer(column::WIDTH).is_none() {
        return Ok(None);
    }
    let options = ThumbnailOptions { size, limits: facts.limits, ..ThumbnailOptions::default() };
    match crate::thumbnail_of(input, &options, work).and_then(|small| small.to_jpeg(JPEG_QUALITY)) {
        Err(error) if error.kind() == ErrorKind::Cancelled => Err(error),
        made => Ok(made.ok()),
    }
}

/// The hash of all content, read once more from its beginning.
fn hash(source: &dyn Source, work: &Work, cells: &mut Cells) -> Result<()> {
    let (mut hasher, mut buffer, mut at) = (Hasher::new(Algorithm::Xxh128), vec![0; HASH_BYTES], 0);
    loop {
        work.cancel.check()?;
        let got = source.read_at(at, &mut buffer)?;
        if got == 0 {
            break;
        }
        hasher.update(&buffer[..got]);
        at += got as u64;
    }
    cells.set_text(column::XXH128, hasher.finish().to_string());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_become_iso() {
        let of = |text| iso_date(text);
        assert_eq!(of("2024:05:06 07:08:09").as_deref(), Some("2024-05-06 07:08:09"));
        assert_eq!(of("2024-05-06T07:08:09Z").as_deref(), Some("2024-05-06 07:08:09Z"));
        assert_eq!(of("2024:05:06").as_deref(), Some("2024-05-06"));
        for none in ["", "    :  :     :  :  ", "0000:00:00 00:00:00", "yesterday", "20240506"] {
            assert_eq!(of(none), None, "{none}");
        }
    }
}
