//! Other attributes for an image, and nothing else: its pixels are copied as they lie.

use crate::{Input, ToInput, Written, part_number};
use solio_base::{Error, Limits, Result, Sink, Source, Work};
use solio_exr::header::{
    Header, Part, Value, check_attribute, is_shared, is_typed, likely_type, standard_type, typed,
};
use solio_io::SinkOptions;
use solio_measure::SpanName;
use std::path::Path;

static SET: SpanName = SpanName::new("set attributes");

/// Attributes that say how the pixels lie, and why they stay.
const FIXED: [(&str, &str); 9] = [
    ("channels", "the pixels in the file are those of these channels"),
    ("chunkCount", "it counts the chunks of the file"),
    ("compression", "the pixels in the file are compressed so"),
    ("dataWindow", "the pixels in the file are those of this window"),
    ("lineOrder", "the chunks in the file lie in this order"),
    ("maxSamplesPerPixel", "it follows from the pixels in the file"),
    ("tiles", "the pixels in the file are cut so"),
    ("type", "the pixels in the file are stored so"),
    ("version", "it is that of the format of deep data"),
];

/// Attributes that every part has to have.
const NEEDED: [&str; 4] =
    ["displayWindow", "pixelAspectRatio", "screenWindowCenter", "screenWindowWidth"];

/// A change of one attribute.
///
/// ```
/// use solio::{Edit, SetOptions};
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("a.exr");
/// # let work = solio::Work::default();
/// # let gradient = solio::color::gradient::colormap("viridis").unwrap();
/// # let image = solio::gradient_image(&gradient, [4, 2])?;
/// # solio::write_image(&image, &path, &Default::default(), &work)?;
/// // Nobody may say how the pixels lie but the pixels.
/// let edits = vec![Edit::parse("compression=none")?];
/// let options = SetOptions { edits, ..SetOptions::default() };
/// let error = solio::set_attributes(&path, &path, &options, &work).unwrap_err();
/// assert_eq!(error.hint_text(), Some("`solio convert` writes the pixels anew"));
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Edit {
    name: String,
    /// The type that was asked for.
    type_name: Option<String>,
    /// The value as it was typed; `None` removes the attribute.
    value: Option<String>,
}

impl Edit {
    /// From `name=value` or `name:type=value`; `name=` removes the attribute.
    ///
    /// ```
    /// use solio::Edit;
    /// assert!(Edit::parse("owner=me").is_ok());
    /// assert!(Edit::parse("scale:v2f=1,2").is_ok());
    /// assert!(Edit::parse("owner").is_err());
    /// ```
    pub fn parse(text: &str) -> Result<Edit> {
        let wrong = || Error::argument(format!("{text:?} is not name=value"));
        let (key, value) = text.split_once('=').ok_or_else(wrong)?;
        // Names may have colons themselves: `exif:Make`.
        let (name, type_name) = match key.rsplit_once(':') {
            Some((name, kind)) if is_typed(kind) => (name, Some(kind.to_owned())),
            _ => (key, None),
        };
        if name.is_empty() {
            return Err(wrong());
        }
        let removed = value.is_empty() && type_name.is_none();
        let value = (!removed).then(|| value.to_owned());
        Ok(Edit { name: name.to_owned(), type_name, value })
    }

    /// Removes the attribute `name`.
    ///
    /// ```
    /// use solio::Edit;
    /// assert_eq!(Edit::delete("owner"), Edit::parse("owner=")?);
    /// // A name that has an equals sign in it, no text can tell.
    /// assert_ne!(Edit::delete("a=b"), Edit::parse("a=b")?);
    /// # Ok::<(), solio::Error>(())
    /// ```
    pub fn delete(name: &str) -> Edit {
        Edit { name: name.to_owned(), type_name: None, value: None }
    }

    fn apply(&self, part: &mut Part, multipart: bool) -> Result<()> {
        let name = self.name.as_str();
        if let Some((_, why)) = FIXED.iter().find(|(fixed, _)| *fixed == name) {
            let error = Error::argument(format!("{name:?} cannot be set: {why}"));
            return Err(error.hint("`solio convert` writes the pixels anew"));
        }
        let Some(text) = &self.value else {
            if NEEDED.contains(&name) || name == "name" && multipart {
                let message = format!("{name:?} cannot be removed: every image has to have it");
                return Err(Error::argument(message));
            }
            part.remove(name);
            return Ok(());
        };
        let standard = standard_type(name);
        if let (Some(wanted), Some(standard)) = (&self.type_name, standard)
            && wanted != standard
        {
            let message = format!("{name:?} is of the type {standard}, not {wanted}");
            return Err(Error::argument(message));
        }
        let known = part.get(name).map(Value::type_name).or(standard);
        let kind = self.type_name.as_deref().or(known).unwrap_or_else(|| likely_type(text));
        let value = typed(kind, text).map_err(|e| {
            let error = Error::argument(format!("{name}: {}", e.message()));
            e.hint_text().map(str::to_owned).into_iter().fold(error, |e, hint| e.hint(hint))
        })?;
        check_value(name, &value)?;
        part.set(name, value);
        Ok(())
    }
}

/// That programs can do with the value what its name says.
fn check_value(name: &str, value: &Value) -> Result<()> {
    let fine = match (name, value) {
        ("screenWindowWidth", Value::Float(width)) => width.is_finite(),
        ("name", Value::Text(name)) => !name.0.is_empty(),
        _ => true,
    };
    if !fine {
        return Err(Error::argument(format!("{name} cannot be {value}")));
    }
    check_attribute(name, value)
}

/// How attributes are set.
///
/// ```
/// use solio::{Edit, SetOptions};
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("a.exr");
/// # let work = solio::Work::default();
/// # let gradient = solio::color::gradient::colormap("viridis").unwrap();
/// # let image = solio::gradient_image(&gradient, [4, 2])?;
/// # solio::write_image(&image, &path, &Default::default(), &work)?;
/// // One after the other: the last word counts.
/// let edits = ["take:int=1", "take=2"].map(Edit::parse).into_iter().collect::<Result<_, _>>()?;
/// let options = SetOptions { edits, ..SetOptions::default() };
/// solio::set_attributes(&path, &path, &options, &work)?;
/// let header = solio::image_header(&path, &Default::default(), &work)?;
/// assert_eq!(header.parts[0].get("take").map(ToString::to_string).as_deref(), Some("2"));
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct SetOptions {
    /// What is changed, in this order.
    pub edits: Vec<Edit>,
    /// The part, by number or name; without it every part.
    pub part: Option<String>,
    /// The file is on the disk, not only in the system's memory, when the call returns.
    pub durable: bool,
    /// What a file may make us do.
    pub limits: Limits,
}

/// Changes attributes of the OpenEXR file at `input` and writes it to `output`, which may be the
/// same file. That appears whole or not at all; the chunks of pixels are copied as they are. Where the
/// new header is as long as the old one, and all that differs lies in one block of 4096 bytes, only these
/// bytes are written, by one call, into the file as it lies there; not into one that has other names
/// (hard links), which may be copies that somebody keeps.
///
/// ```
/// use solio::image::header::Value;
/// use solio::{Edit, SetOptions};
/// # let folder = tempfile::tempdir().unwrap();
/// # let [path, output] = ["a.exr", "b.exr"].map(|name| folder.path().join(name));
/// # let work = solio::Work::default();
/// # let gradient = solio::color::gradient::colormap("viridis").unwrap();
/// # let image = solio::gradient_image(&gradient, [4, 2])?;
/// # solio::write_image(&image, &path, &Default::default(), &work)?;
/// let edits = vec![Edit::parse("owner=me")?];
/// let options = SetOptions { edits, ..SetOptions::default() };
/// solio::set_attributes(&path, &output, &options, &work)?;
/// let header = solio::image_header(&output, &Default::default(), &work)?;
/// assert_eq!(header.parts[0].get("owner"), Some(&Value::Text("me".into())));
/// # Ok::<(), solio::Error>(())
/// ```
pub fn set_attributes(
    input: &(impl ToInput + ?Sized),
    output: &Path,
    options: &SetOptions,
    work: &Work,
) -> Result<Written> {
    set_input(&*input.to_input(&options.limits, work)?, output, options, work)
}

/// [`set_attributes`] of an input that is open already.
pub(crate) fn set_input(
    input: &Input,
    output: &Path,
    options: &SetOptions,
    work: &Work,
) -> Result<Written> {
    let path = input.path();
    let _span = SET.begin_labelled(&path.to_string_lossy());
    let source = input.plain_file()?;
    let edit = |header: &mut Header| edit(header, options);
    let made = solio_exr::rehead(source, &options.limits, edit).map_err(|e| e.at_path(path))?;
    if made.head.len() as u64 == made.rest && input.is_at(output) {
        let mut old = vec![0; made.head.len()];
        source.read_exact_at(0, &mut old, "the header").map_err(|e: Error| e.at_path(path))?;
        if solio_io::patch_start(output, &old, &made.head, options.durable)? {
            let file_bytes = input.file_bytes().unwrap_or(made.rest);
            let files = vec![(output.to_owned(), file_bytes)];
            return Ok(Written { files, file_bytes, raw_bytes: file_bytes, ..Written::default() });
        }
    }
    let file = SinkOptions { durable: options.durable, ..SinkOptions::default() };
    Written::one(output, &file, work, |sink| {
        sink.write_bytes(work, &made.head)?;
        sink.append(source, made.rest, work)
    })
}

fn edit(header: &mut Header, options: &SetOptions) -> Result<()> {
    let multipart = header.is_multipart();
    let parts = match &options.part {
        Some(name) => {
            let part = part_number(header, name)?;
            part..part + 1
        }
        None => 0..header.parts.len(),
    };
    let some = parts.len() < header.parts.len();
    for edit in &options.edits {
        if some && is_shared(&edit.name) {
            let message = format!("{:?} is the same in all parts of a file", edit.name);
            return Err(Error::argument(message).hint("set it without --part"));
        }
        for part in &mut header.parts[parts.clone()] {
            edit.apply(part, multipart)?;
        }
    }
    for (index, part) in header.parts.iter().enumerate().filter(|_| multipart) {
        if header.parts[..index].iter().any(|other| other.name() == part.name()) {
            let name = part.name().cloned().unwrap_or_default();
            let error = Error::argument(format!("two parts would be called {name:?}"));
            return Err(error.hint("choose one with --part"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use solio_exr::Compression;
    use solio_exr::header::Box2i;

    fn part() -> Part {
        Part::new(Box2i::of_size(2, 2), Compression::Zip, Vec::new())
    }

    #[test]
    fn types_come_from_the_wish_the_file_the_standard_or_the_value() {
        let mut part = part();
        part.set("mine", Value::Float(1.0));
        for text in
            ["mine=3", "owner=3", "other=3", "exif:Make=x", "scale:v2f=1,2", "fps:rational=25"]
        {
            Edit::parse(text).unwrap().apply(&mut part, false).unwrap();
        }
        assert_eq!(part.get("mine"), Some(&Value::Float(3.0)));
        assert_eq!(part.get("owner"), Some(&Value::Text("3".into())));
        assert_eq!(part.get("other"), Some(&Value::Int(3)));
        assert_eq!(part.get("exif:Make"), Some(&Value::Text("x".into())));
        assert_eq!(part.get("scale"), Some(&Value::V2f([1.0, 2.0])));
        assert_eq!(part.get("fps"), Some(&Value::Rational(25, 1)));
        for text in ["mine=", "owner="] {
            Edit::parse(text).unwrap().apply(&mut part, false).unwrap();
        }
        assert_eq!((part.get("mine"), part.get("owner")), (None, None));
        Edit::parse("owner:string=").unwrap().apply(&mut part, false).unwrap();
        assert_eq!(part.get("owner"), Some(&Value::Text("".into())));
        // The standard counts also where the file has another type.
        part.set("expTime", Value::Int(1));
        let wrong = Edit::parse("expTime:int=2").unwrap().apply(&mut part, false).unwrap_err();
        assert_eq!(wrong.message(), "\"expTime\" is of the type float, not int");
        Edit::parse("expTime:float=2").unwrap().apply(&mut part, false).unwrap();
        assert_eq!(part.get("expTime"), Some(&Value::Float(2.0)));
    }

    #[test]
    fn a_header_of_the_same_length_is_written_in_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let [path, link] = ["a.exr", "link.exr"].map(|name| folder.path().join(name));
        let work = Work::serial();
        let map = solio_color::gradient::colormap("viridis").unwrap();
        let image = crate::gradient_image(&map, [40, 30]).unwrap();
        crate::write_image(&image, &path, &Default::default(), &work).unwrap();
        let set = |text: &str| {
            let edits = vec![Edit::parse(text).unwrap()];
            let options = SetOptions { edits, ..SetOptions::default() };
            let inode = || solio_io::walk::status_of(&path).unwrap().inode;
            let before = inode();
            let written = set_attributes(&path, &path, &options, &work).unwrap();
            assert_eq!(written.file_bytes, std::fs::metadata(&path).unwrap().len());
            let header = crate::image_header(&path, &Limits::default(), &work).unwrap();
            let owner = header.parts[0].get("owner").map(ToString::to_string);
            let again = crate::read_image(&path, &Default::default(), &work).unwrap();
            assert_eq!(again.parts[0].pixels, image.parts[0].pixels);
            (owner.unwrap(), inode() == before)
        };
        // A new attribute makes the header longer, another value of its length does not.
        assert_eq!(set("owner=me!"), ("\"me!\"".into(), false));
        assert_eq!(set("owner=you"), ("\"you\"".into(), true));
        assert_eq!(set("owner=you"), ("\"you\"".into(), true));
        assert_eq!(set("owner=nobody"), ("\"nobody\"".into(), false));
        // Somebody keeps the old one.
        std::fs::hard_link(&path, &link).unwrap();
        assert_eq!(set("owner=kimkim"), ("\"kimkim\"".into(), false));
        let kept = crate::image_header(&link, &Limits::default(), &work).unwrap();
        assert_eq!(kept.parts[0].get("owner"), Some(&Value::Text("nobody".into())));
    }

    #[test]
    fn what_all_parts_share_is_set_in_all() {
        let mut header = Header { parts: vec![part(), part()], ..Header::default() };
        for (part, name) in header.parts.iter_mut().zip(["a", "b"]) {
            part.set("name", Value::Text(name.into()));
        }
        let mut set = |text: &str, part: Option<&str>| {
            let edits = vec![Edit::parse(text).unwrap()];
            let part = part.map(str::to_owned);
            edit(&mut header, &SetOptions { edits, part, ..SetOptions::default() })
        };
        let timecode = "timecode:timecode=10:59:58:07";
        for text in ["displayWindow=0 0 5 5", "pixelAspectRatio=2", timecode] {
            let message = set(text, Some("b")).unwrap_err().message().to_owned();
            assert!(message.ends_with("is the same in all parts of a file"), "{message}");
            set(text, None).unwrap();
        }
        // The standard attribute of this name is one that each part may have for itself.
        set("timeCode=10:59:58:07", Some("b")).unwrap();
        let [first, second] = [0, 1].map(|i| &header.parts[i]);
        assert_eq!(first.get("timecode"), second.get("timecode"));
        assert!(first.get("timeCode").is_none() && second.get("timeCode").is_some());
    }

    #[test]
    fn what_would_break_the_file_is_refused_with_a_reason() {
        let refused = |text: &str| {
            let edit = Edit::parse(text).unwrap();
            edit.apply(&mut part(), true).unwrap_err().message().to_owned()
        };
        for (name, why) in FIXED {
            assert_eq!(refused(&format!("{name}=1")), format!("{name:?} cannot be set: {why}"));
            assert_eq!(refused(&format!("{name}=")), format!("{name:?} cannot be set: {why}"));
        }
        assert!(refused("displayWindow=").contains("every image has to have it"));
        assert!(refused("name=").contains("every image has to have it"));
        assert!(refused("displayWindow=5 5 4 4").contains("cannot be"));
        assert!(refused("pixelAspectRatio=0").contains("cannot be 0"));
        for text in [
            "displayWindow=0 0 2000000000 10",
            "pixelAspectRatio=1e-7",
            "pixelAspectRatio=1e7",
            "pixelAspectRatio=1e-40",
            "screenWindowWidth=-1",
            "screenWindowWidth=inf",
            "keyCode=1 2 3 4 5 6 7",
        ] {
            assert!(refused(text).contains("cannot be "), "{text}");
        }
        assert!(refused("pixelAspectRatio:int=1").contains("of the type float"));
        assert!(refused("screenWindowCenter=1").contains("screenWindowCenter: "));
    }
}
