//! The head of a file: magic number, version and flags, the attributes of every part.
//!
//! ```text
//! 76 2f 31 01  vv ff ff ff        version 2, flags
//! { name 0  type 0  size  value }…  0        once a part
//! 0                                          after the parts of a multipart file
//! ```
//!
//! ("The OpenEXR File Layout", components one to three.) A [`Header`] keeps its attributes in the
//! order of the file, so that encoding it gives the same bytes; [`Shape`](crate::Shape) is what
//! they mean for the pixels.

mod part;
pub(crate) mod shape;
mod show;
#[cfg(test)]
mod tests;
mod typed;
mod validate;
mod value_bytes;
mod values;

pub use part::{Kind, Part};
pub use typed::{is_typed, likely_type, standard_type, typed};
pub use validate::{check_attribute, differing, is_shared};
pub use values::{
    Box2i, Chromaticities, KeyCode, LevelMode, LineOrder, Preview, Rounding, Text, Tiles, TimeCode,
    Value,
};

use crate::cursor::HeaderCursor;
use crate::name_bytes;
use solio_base::{Error, Limits, Result, Source};
use solio_kinds::FileKind;
use value_bytes::LONGEST_NAME;

/// The first four bytes of a file.
pub const MAGIC: [u8; 4] = match FileKind::Exr.mark().first_chunk() {
    Some(magic) => *magic,
    None => panic!("OpenEXR begins with four bytes"),
};

const VERSION: u32 = 2;
const TILED: u32 = 0x200;
const LONG_NAMES: u32 = 0x400;
const NON_IMAGE: u32 = 0x800;
const MULTIPART: u32 = 0x1000;

/// Most that is read at first; most headers are smaller.
const FIRST_BYTES: usize = 4096;

/// Room for so many attributes is made at first; most parts have fewer.
const USUAL_ATTRIBUTES: usize = 28;

/// An attribute: a name and a value.
///
/// ```
/// use solio_exr::header::{Attribute, Part, Value};
/// let camera = Attribute { name: "cameraModel".into(), value: Value::Text("ALEXA 35".into()) };
/// let mut part = Part::default();
/// part.attributes.push(camera.clone());
/// assert_eq!(part.get("cameraModel"), Some(&camera.value));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// Its name, at most 255 bytes. Bytes that are not UTF-8 are characters from U+EF80 on.
    pub name: String,
    /// Its value.
    pub value: Value,
}

/// The head of a file.
///
/// ```
/// use solio_exr::header::{Box2i, Part, Value, decode_header};
/// use solio_exr::{Channel, Compression, Header, PixelType};
/// let depth = Channel::new("Z", PixelType::Float);
/// let mut part = Part::new(Box2i::of_size(1920, 1080), Compression::Zip, vec![depth]);
/// part.set("owner", Value::Text("Studio".into()));
/// let mut bytes = Vec::new();
/// Header { parts: vec![part], ..Header::default() }.encode(&mut bytes)?;
/// let header = decode_header(&bytes, &Default::default())?;
/// assert_eq!(header.parts[0].get("owner"), Some(&Value::Text("Studio".into())));
/// # Ok::<(), solio_base::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Header {
    /// Whether the file is laid out for several parts; always where there are several.
    pub multipart: bool,
    /// Whether the file says that it has names of more than 31 bytes; always where it has.
    pub long_names: bool,
    /// The parts, at least one.
    pub parts: Vec<Part>,
}

/// A header, and where it ends.
#[derive(Clone, Debug)]
pub(crate) struct ParsedHeader {
    pub(crate) header: Header,
    /// Where the chunk tables start.
    pub(crate) end: u64,
}

/// Reads the head of a file, and nothing else.
///
/// ```
/// use solio_exr::decode_header;
/// # use solio_exr::header::{Box2i, Part};
/// # use solio_exr::{Channel, Compression, Header, PixelType};
/// # let channel = Channel::new("Y", PixelType::Half);
/// # let part = Part::new(Box2i::of_size(1920, 1080), Compression::Zip, vec![channel]);
/// # let mut file = Vec::new();
/// # Header { parts: vec![part], ..Header::default() }.encode(&mut file)?;
/// // `file` ends behind the header: the pixels are not looked at.
/// let shape = decode_header(&file, &Default::default())?.parts[0].shape()?;
/// assert_eq!((shape.data_window.width(), shape.chunks), (1920, 68));
/// file[0] = 0;
/// let error = decode_header(&file, &Default::default()).unwrap_err();
/// assert_eq!(error.offset(), Some(0));
/// # Ok::<(), solio_base::Error>(())
/// ```
pub fn decode_header(source: &dyn Source, limits: &Limits) -> Result<Header> {
    Ok(decode_placed(source, limits)?.header)
}

pub(crate) fn decode_placed(source: &dyn Source, limits: &Limits) -> Result<ParsedHeader> {
    if let Some(bytes) = source.as_bytes() {
        return parse(bytes).map_err(|(e, _)| e);
    }
    if let Ok(placed) = parse(source.head()) {
        return Ok(placed);
    }
    let mut bytes = vec![0; FIRST_BYTES];
    let mut filled = source.read_at(0, &mut bytes)?;
    loop {
        let (error, wanted) = match parse(&bytes[..filled]) {
            Ok(placed) => return Ok(placed),
            Err(failed) => failed,
        };
        // Short data are read on; a file that ends there stays short.
        let Some(wanted) = wanted.filter(|_| filled == bytes.len()) else { return Err(error) };
        if source.len_bytes().is_some_and(|length| wanted as u64 > length) {
            return Err(error);
        }
        limits.check_bytes("the header", wanted as u64)?;
        bytes.resize(wanted.max(2 * filled), 0);
        filled += source.read_at(filled as u64, &mut bytes[filled..])?;
    }
}

/// Reads a header from the first bytes of a file; when they are too few, says how many it needs
/// at least.
fn parse(bytes: &[u8]) -> Result<ParsedHeader, (Error, Option<usize>)> {
    let mut cursor = HeaderCursor::new(bytes, 0);
    let parsed = parse_all(&mut cursor);
    parsed.map_err(|e| (e, cursor.wanted))
}

/// A sound picture of another format is no damaged file.
fn wrong_magic(magic: &[u8; 4]) -> Error {
    let message = "not an OpenEXR file: wrong magic number";
    match magic {
        b"\x89PNG"
        | [0xff, 0xd8, 0xff, _]
        | b"II*\0"
        | b"MM\0*"
        | b"II+\0"
        | b"MM\0+"
        | b"#?RA"
        | b"#?RG" => {
            let hint = "solio convert makes OpenEXR of other images";
            Error::unsupported(message).at_offset(0).hint(hint)
        }
        _ => Error::corrupt(message).at_offset(0),
    }
}

fn parse_all(cursor: &mut HeaderCursor<'_>) -> Result<ParsedHeader> {
    let magic: [u8; 4] = cursor.array("the magic number")?;
    if magic != MAGIC {
        return Err(wrong_magic(&magic));
    }
    let flags = cursor.u32("the version")?;
    let version = flags & 0xff;
    if version != VERSION {
        let message = format!("version {version} of the format; only 2 is known");
        return Err(Error::unsupported(message).at_offset(4));
    }
    let unknown = flags & !(0xff | TILED | LONG_NAMES | NON_IMAGE | MULTIPART);
    if unknown != 0 {
        let message = format!("flags {unknown:#x} of the file are unknown");
        return Err(Error::unsupported(message).at_offset(4));
    }
    let multipart = flags & MULTIPART != 0;
    if flags & TILED != 0 && flags & (NON_IMAGE | MULTIPART) != 0 {
        let message = "flags say a single tiled part, and also deep data or several parts";
        return Err(Error::corrupt(message).at_offset(4));
    }
    // Files without newer flags tell tiles from scanlines by one of them, whatever `type` says.
    let forced = match flags & (TILED | NON_IMAGE | MULTIPART) {
        0 => Some(Kind::Scanline),
        TILED => Some(Kind::Tiled),
        _ => None,
    };
    let mut parts = Vec::new();
    loop {
        let start = cursor.offset();
        let mut attributes = Vec::with_capacity(USUAL_ATTRIBUTES);
        let mut places = Vec::with_capacity(USUAL_ATTRIBUTES);
        while let Some((attribute, place)) = parse_attribute(cursor)? {
            attributes.push(attribute);
            places.push(place);
        }
        let nothing = attributes.is_empty();
        if nothing && multipart && !parts.is_empty() {
            break;
        }
        let part = Part { attributes, forced };
        if let Err((name, error)) = part.checked() {
            let of = part.attributes.iter().rposition(|attribute| attribute.name == name);
            let index = parts.len();
            let place = of.map_or(start, |i| places[i]);
            return Err(part::in_part(error, index, multipart).at_offset(place));
        }
        parts.push(part);
        if !multipart {
            break;
        }
    }
    let header = Header { multipart, long_names: flags & LONG_NAMES != 0, parts };
    Ok(ParsedHeader { header, end: cursor.offset() })
}

/// The next attribute and its place; `None` at the end of the part.
fn parse_attribute(cursor: &mut HeaderCursor<'_>) -> Result<Option<(Attribute, u64)>> {
    let place = cursor.offset();
    let name = cursor.name(LONGEST_NAME, "the name of an attribute")?;
    if name.is_empty() {
        return Ok(None);
    }
    let type_name =
        cursor.name(LONGEST_NAME, format_args!("the type of the attribute {name:?}"))?;
    if type_name.is_empty() {
        let message = format!("the attribute {name:?} has no type");
        return Err(Error::corrupt(message).at_offset(place));
    }
    let size = cursor.i32(format_args!("the attribute {name:?}"))?;
    let size = usize::try_from(size).map_err(|_| {
        let message = format!("the attribute {name:?} has a size of {size} bytes");
        Error::corrupt(message).at_offset(place)
    })?;
    let data = cursor.take(size, format_args!("the attribute {name:?}"))?;
    let value = value_bytes::decode(&type_name, data);
    Ok(Some((Attribute { name: name.into_owned(), value }, place)))
}

impl Header {
    /// Appends the bytes of the header: magic number, flags, all attributes.
    ///
    /// ```
    /// use solio_exr::header::{Header, MAGIC, Part};
    /// let mut bytes = Vec::new();
    /// assert!(Header::default().encode(&mut bytes).is_err()); // without a part
    /// Header { parts: vec![Part::default()], ..Header::default() }.encode(&mut bytes)?;
    /// assert_eq!(bytes, [&MAGIC[..], &[2, 0, 0, 0], &[0]].concat()); // no attributes
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    pub fn encode(&self, out: &mut Vec<u8>) -> Result<()> {
        if self.parts.is_empty() {
            return Err(Error::argument("an OpenEXR file needs a part"));
        }
        out.extend_from_slice(&MAGIC);
        let flags_at = out.len();
        out.extend_from_slice(&[0; 4]);
        let multipart = self.is_multipart();
        for part in &self.parts {
            for attribute in &part.attributes {
                encode_attribute(attribute, out)?;
            }
            out.push(0);
        }
        if multipart {
            out.push(0);
        }
        let long = self.long_names || self.parts.iter().any(Part::has_long_names);
        let deep = self.parts.iter().any(|part| part.kind().is_deep());
        let tiled = !multipart && self.parts[0].kind() == Kind::Tiled;
        let flags = [(tiled, TILED), (long, LONG_NAMES), (deep, NON_IMAGE), (multipart, MULTIPART)];
        let flags = flags.iter().filter(|(on, _)| *on).fold(VERSION, |all, (_, flag)| all | flag);
        out[flags_at..flags_at + 4].copy_from_slice(&flags.to_le_bytes());
        Ok(())
    }

    /// Whether the file is laid out for several parts.
    ///
    /// ```
    /// use solio_exr::header::{Header, Part};
    /// let parts = |count| Header { parts: vec![Part::default(); count], ..Header::default() };
    /// assert!(!parts(1).is_multipart() && parts(2).is_multipart());
    /// assert!(Header { multipart: true, ..parts(1) }.is_multipart()); // laid out for more
    /// ```
    pub fn is_multipart(&self) -> bool {
        self.multipart || self.parts.len() > 1
    }
}

fn encode_attribute(attribute: &Attribute, out: &mut Vec<u8>) -> Result<()> {
    put_name(out, &attribute.name, "an attribute")?;
    put_name(out, attribute.value.type_name(), "the type of an attribute")?;
    let at = out.len();
    out.extend_from_slice(&[0; 4]);
    value_bytes::encode(&attribute.value, out)?;
    let bytes = size(out.len() - at - 4, &attribute.name)?;
    out[at..at + 4].copy_from_slice(&bytes.to_le_bytes());
    Ok(())
}

/// A length as the format stores it.
fn size(bytes: usize, what: &str) -> Result<i32> {
    i32::try_from(bytes)
        .map_err(|_| Error::argument(format!("{what} has {bytes} bytes; at most 2^31 - 1 fit")))
}

fn put_name(out: &mut Vec<u8>, name: &str, what: &str) -> Result<()> {
    let bytes = name_bytes::encode(name);
    if bytes.is_empty() || bytes.len() > LONGEST_NAME || bytes.contains(&0) {
        let message = format!("{name:?} cannot name {what}: 1 to 255 bytes, none of them zero");
        return Err(Error::argument(message));
    }
    out.extend_from_slice(&bytes);
    out.push(0);
    Ok(())
}
