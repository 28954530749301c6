//! The header: what elements the file has, and how their properties lie.

use super::data::{Scalar, with_scalar};
use super::options::PlyFormat;
use super::wide::WideType;
use crate::TextEncoding;
use crate::head::SourceHead;
use crate::model::ScalarType;
use crate::text::{decode, told};
use solio_base::{Error, Limits, Result, Source};
use std::ops::RangeInclusive;

/// What the header says.
#[derive(Debug)]
pub struct PlyHeader {
    /// How values are written.
    pub format: PlyFormat,
    /// What follows the header, in this order.
    pub elements: Vec<PlyElement>,
    /// Texts of `comment` lines; those of `obj_info` start with that word.
    pub comments: Vec<String>,
    /// What is not as the specification wants it, and does no harm.
    pub warnings: Vec<String>,
    /// Where the data starts.
    pub data_at: u64,
    /// Lines up to and with `end_header`.
    pub(crate) lines: u64,
    /// What ends a line: `\n`, or `\r` in files of the old Mac OS.
    pub(crate) newline: u8,
}

/// An `element` line and its properties.
#[derive(Clone, Debug)]
pub struct PlyElement {
    /// `vertex`, `face`…
    pub name: String,
    /// How many records there are.
    pub count: u64,
    /// What a record consists of.
    pub properties: Vec<PlyProperty>,
}

/// A `property` line.
#[derive(Clone, Debug)]
pub struct PlyProperty {
    /// `x`, `vertex_indices`…
    pub name: String,
    /// The type of the value, or of those of the list.
    pub scalar: ScalarType,
    /// The type of the count, for lists.
    pub list: Option<ScalarType>,
    /// What the header says instead of the type, where PLY has no such type.
    pub(crate) wide: Option<WideType>,
    /// The same of the count.
    pub(crate) wide_count: Option<WideType>,
}

impl PlyProperty {
    /// Fewest bytes that a value can take.
    pub(crate) fn least_bytes(&self, format: PlyFormat) -> u64 {
        match format {
            PlyFormat::Ascii => 2, // a digit and what parts it from the next one
            _ => self.list.unwrap_or(self.scalar).size() as u64,
        }
    }
}

impl PlyElement {
    /// Fewest bytes that one record can take.
    pub(crate) fn least_bytes(&self, format: PlyFormat) -> u64 {
        self.properties.iter().map(|p| p.least_bytes(format)).sum()
    }

    /// The element called `vertex` of a list.
    pub(crate) fn find<'a>(elements: &'a [PlyElement], name: &str) -> Option<&'a PlyElement> {
        elements.iter().find(|e| e.name == name)
    }
}

impl ScalarType {
    /// The type's names in PLY headers, the old one first.
    const NAMES: [(&'static str, &'static str, ScalarType); 8] = [
        ("char", "int8", ScalarType::I8),
        ("uchar", "uint8", ScalarType::U8),
        ("short", "int16", ScalarType::I16),
        ("ushort", "uint16", ScalarType::U16),
        ("int", "int32", ScalarType::I32),
        ("uint", "uint32", ScalarType::U32),
        ("float", "float32", ScalarType::F32),
        ("double", "float64", ScalarType::F64),
    ];

    /// From a PLY header's word: `uchar`, `uint8`…
    pub fn from_name(name: &str) -> Option<ScalarType> {
        // As C and Rust call them.
        let name = match name {
            "ubyte" | "uint8_t" | "u8" => "uchar",
            "int8_t" | "i8" => "char",
            "int16_t" | "i16" => "short",
            "uint16_t" | "u16" => "ushort",
            "int32_t" | "i32" => "int",
            "uint32_t" | "u32" => "uint",
            "single" | "f32" => "float",
            "f64" => "double",
            name => name,
        };
        Self::NAMES.iter().find(|n| n.0 == name || n.1 == name).map(|n| n.2)
    }

    /// The word that PLY headers usually have: `uchar`, `float`…
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|n| n.2 == self).expect("every type is listed").0
    }

    /// Bytes of a value.
    pub fn size(self) -> usize {
        with_scalar!(self, S => S::SIZE)
    }

    /// The whole numbers that a value may be.
    pub(crate) fn range(self) -> RangeInclusive<i64> {
        match self {
            ScalarType::F32 | ScalarType::F64 => i64::MIN..=i64::MAX,
            ScalarType::I8 | ScalarType::I16 | ScalarType::I32 => {
                let half = 1 << (8 * self.size() - 1);
                -half..=half - 1
            }
            _ => 0..=(1 << (8 * self.size())) - 1,
        }
    }

    /// Whether the type is a float.
    pub fn is_float(self) -> bool {
        matches!(self, ScalarType::F32 | ScalarType::F64)
    }
}

/// Reads the header of a file, and nothing else.
pub fn decode_ply_header(source: &dyn Source, limits: &Limits) -> Result<PlyHeader> {
    read_header(&mut SourceHead::new(source), false, None, limits)
}

/// Reads the header at the start of `head`, with names in `encoding`, or one that is likely where they are
/// not UTF-8.
pub(crate) fn read_header(
    head: &mut SourceHead<'_>,
    strict: bool,
    encoding: Option<TextEncoding>,
    limits: &Limits,
) -> Result<PlyHeader> {
    let (mut header, mut foreign) = (read_lines(head, strict, encoding, limits)?, Vec::new());
    if encoding.is_none() {
        let lines = head.bytes()[..header.data_at as usize].split(|byte| *byte == header.newline);
        foreign.extend(lines.filter(|line| str::from_utf8(line).is_err()).map(<[u8]>::to_vec));
    }
    if let Some(first) = foreign.first() {
        // All lines together tell more than one does.
        let guess = TextEncoding::guess(foreign.iter().map(Vec::as_slice));
        header = read_lines(head, strict, Some(guess), limits)?;
        header.warnings.push(told(guess, first.trim_ascii(), true));
    }
    Ok(header)
}

fn read_lines(
    head: &mut SourceHead<'_>,
    strict: bool,
    encoding: Option<TextEncoding>,
    limits: &Limits,
) -> Result<PlyHeader> {
    let all = head.look(4096)?;
    if all.is_empty() {
        return Err(Error::syntax("the file is empty; a PLY file starts with `ply`").at_offset(0));
    }
    // The mark that editors of Windows put before text.
    let start = all.strip_prefix(b"\xef\xbb\xbf").unwrap_or(all);
    let skipped = all.len() - start.len();
    if !start.starts_with(b"ply") || !start.get(3).is_none_or(|b| b.is_ascii_whitespace()) {
        return Err(Error::syntax("a PLY file starts with a line `ply`")
            .at_line(1, 1)
            .at_offset(0));
    }
    let first_end = start.iter().position(|&b| b == b'\n' || b == b'\r');
    let newline = match first_end {
        Some(i) if start[i] == b'\r' && start.get(i + 1) != Some(&b'\n') => b'\r',
        _ => b'\n',
    };
    let mut parser = HeaderParser {
        header: PlyHeader {
            format: PlyFormat::Ascii,
            elements: Vec::new(),
            comments: Vec::new(),
            warnings: Vec::new(),
            data_at: 0,
            lines: 0,
            newline,
        },
        declarations: 0,
        format_seen: false,
        strict,
        encoding,
        limits,
    };
    let mut at = skipped;
    loop {
        let end = line_end(head, at, newline, limits)?;
        let (line_stop, next) = match end {
            Some(i) => (i, i + 1),
            None => (head.bytes().len(), head.bytes().len()),
        };
        let line = head.bytes()[at..line_stop].to_vec();
        let line = line.strip_suffix(b"\r").unwrap_or(&line);
        parser.header.lines += 1;
        let place = (parser.header.lines, at as u64);
        let done = parser.line(line).map_err(|e| {
            let column = e.column().unwrap_or(1);
            e.at_offset(place.1 + column - 1).at_line(place.0, 1)
        })?;
        at = next;
        if done {
            break;
        }
        if end.is_none() {
            return Err(Error::syntax("the header has no line `end_header`")
                .at_offset(at as u64)
                .at_line(place.0, line.len() as u64 + 1));
        }
    }
    parser.header.data_at = at as u64;
    parser.finish()
}

/// The index of the newline that ends the line starting at `at`; `None` at the end of the data.
fn line_end(
    head: &mut SourceHead<'_>,
    at: usize,
    newline: u8,
    limits: &Limits,
) -> Result<Option<usize>> {
    let mut searched = at;
    loop {
        let bytes = head.bytes();
        if let Some(i) = memchr::memchr(newline, &bytes[searched..]) {
            return Ok(Some(searched + i));
        }
        searched = bytes.len();
        if head.ended() {
            return Ok(None);
        }
        if (searched - at) as u64 > limits.line_bytes.min(1 << 20) {
            return Err(Error::syntax("a header line is longer than 1 MiB").at_offset(at as u64));
        }
        if searched as u64 > 64 << 20 {
            return Err(Error::limit("the header is longer than 64 MiB").at_offset(at as u64));
        }
        head.look(searched * 2)?;
    }
}

/// Most elements and properties of a file; real ones have some dozens.
const MOST_DECLARATIONS: usize = 4096;

struct HeaderParser<'a> {
    header: PlyHeader,
    declarations: usize,
    format_seen: bool,
    strict: bool,
    encoding: Option<TextEncoding>,
    limits: &'a Limits,
}

impl HeaderParser<'_> {
    /// Takes one line; `true` at `end_header`.
    fn line(&mut self, line: &[u8]) -> Result<bool> {
        let text = match self.encoding.filter(|_| !line.is_ascii()) {
            Some(encoding) => encoding.decode(line),
            None => decode(line).0,
        };
        let (key, rest) = split_word(&text);
        match key {
            "ply" if self.header.lines == 1 => {}
            "" => {
                if self.header.lines > 1 {
                    self.odd("an empty line in the header".into())?;
                }
            }
            "format" => self.format(rest)?,
            "comment" => self.header.comments.push(rest.to_string()),
            "obj_info" => self.header.comments.push(format!("obj_info {rest}")),
            "element" => self.element(rest)?,
            "property" => self.property(rest)?,
            "end_header" => return Ok(true),
            _ => {
                let shown = shown(key);
                if !self.format_seen {
                    return Err(Error::syntax(format!("`{shown}` where `format` was expected")));
                }
                self.odd(format!("unknown header word `{shown}`"))?;
            }
        }
        Ok(false)
    }

    fn format(&mut self, rest: &str) -> Result<()> {
        let (name, version) = split_word(rest);
        self.header.format = match name {
            "ascii" => PlyFormat::Ascii,
            "binary_little_endian" => PlyFormat::BinaryLittleEndian,
            "binary_big_endian" => PlyFormat::BinaryBigEndian,
            _ => {
                return Err(Error::syntax(format!(
                    "format `{}`; expected ascii, binary_little_endian or binary_big_endian",
                    shown(name)
                )));
            }
        };
        self.format_seen = true;
        if version.trim() != "1.0" {
            self.odd(format!("format version `{}`; expected 1.0", shown(version.trim())))?;
        }
        Ok(())
    }

    fn element(&mut self, rest: &str) -> Result<()> {
        let rest = rest.trim();
        let Some((name, count)) = rest.rsplit_once([' ', '\t']) else {
            return Err(Error::syntax("expected `element <name> <count>`"));
        };
        let count = count.parse::<u64>().map_err(|_| {
            Error::syntax(format!(
                "the count of element `{}` is `{}`",
                shown(name.trim()),
                shown(count)
            ))
        })?;
        self.limits.check_elements(name, count)?;
        let name = one_name(name)?;
        if self.header.elements.iter().any(|e| e.name == name) {
            return Err(Error::syntax(format!("a second element `{name}`")));
        }
        self.header.elements.push(PlyElement { name, count, properties: Vec::new() });
        self.declared()
    }

    fn property(&mut self, rest: &str) -> Result<()> {
        let (word, after) = split_word(rest);
        let mut wide_count = None;
        let (list, word, name) = if word == "list" {
            let (count, after) = split_word(after);
            let count = self.scalar(count, true)?;
            wide_count = count.1;
            let count = count.0;
            if count.is_float() {
                self.odd(format!("a list count of type {}", count.name()))?;
            }
            let (word, name) = split_word(after);
            (Some(count), word, name)
        } else {
            (None, word, after)
        };
        let (scalar, wide) = self.scalar(word, false)?;
        let name = one_name(name)?;
        if name.is_empty() {
            return Err(Error::syntax("a property without a name"));
        }
        let Some(element) = self.header.elements.last_mut() else {
            return Err(Error::syntax("a property before the first element"));
        };
        let twice = element.properties.iter().any(|p| p.name == name);
        let element_name = element.name.clone();
        element.properties.push(PlyProperty { name: name.clone(), scalar, list, wide, wide_count });
        if twice {
            self.odd(format!(
                "element `{element_name}` has two properties `{name}`; the first is kept"
            ))?;
        }
        self.declared()
    }

    /// Counts the elements and properties: their names are compared each with each.
    fn declared(&mut self) -> Result<()> {
        self.declarations += 1;
        if self.declarations <= MOST_DECLARATIONS {
            return Ok(());
        }
        Err(Error::limit(format!("more than {MOST_DECLARATIONS} elements and properties")))
    }

    /// The type that a word means, and whether it is one that PLY does not have.
    fn scalar(&mut self, word: &str, is_count: bool) -> Result<(ScalarType, Option<WideType>)> {
        if let Some(scalar) = ScalarType::from_name(word) {
            return Ok((scalar, None));
        }
        let Some(wide) = WideType::from_name(word) else {
            let error = Error::syntax(format!("unknown type `{}`", shown(word)));
            let known = "PLY knows char, uchar, short, ushort, int, uint, float and double";
            return Err(error.hint(known));
        };
        let scalar = wide.read_as(is_count);
        self.odd(format!("the type `{word}` is not one of PLY; read as {}", scalar.name()))?;
        Ok((scalar, Some(wide)))
    }

    /// Something that the specification does not allow, but that does no harm.
    fn odd(&mut self, message: String) -> Result<()> {
        if self.strict {
            return Err(Error::syntax(message));
        }
        self.header.warnings.push(format!("line {}: {message}", self.header.lines));
        Ok(())
    }

    fn finish(self) -> Result<PlyHeader> {
        if !self.format_seen {
            return Err(Error::syntax("the header has no `format` line")
                .at_offset(self.header.data_at)
                .at_line(self.header.lines, 1));
        }
        Ok(self.header)
    }
}

/// A name without the white space around it. Names may have blanks, but stay on one line.
fn one_name(name: &str) -> Result<String> {
    let name = name.trim();
    if name.contains(|c: char| c.is_control() && c != '\t') {
        return Err(Error::syntax(format!("control characters in the name `{}`", shown(name))));
    }
    Ok(name.into())
}

/// Text of the file within a message: short, and nothing that upsets a terminal.
fn shown(text: &str) -> String {
    let short = text.chars().take(40);
    short.map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// The first word, and what follows the white space after it.
fn split_word(text: &str) -> (&str, &str) {
    let text = text.trim_start_matches([' ', '\t']);
    match text.find([' ', '\t']) {
        Some(i) => (&text[..i], text[i + 1..].trim_end_matches([' ', '\t'])),
        None => (text, ""),
    }
}
