//! Reads MTL: the material library beside an OBJ file.
//!
//! ```text
//! newmtl NAME            starts a material
//! KEY NUMBER…            a property: Ka Kd Ks Ke Tf Ns Ni d Tr illum sharpness Pr Pm Ps Pc Pcr …
//! KEY [-OPTION …] FILE   a texture map: map_* bump disp decal refl norm
//! ```

use super::mtl_keys::{KEYS, MtlValue};
use super::options::ObjReadOptions;
use super::read::{Token, Tokens, line_end, shown};
use crate::TextEncoding;
use crate::material::{Material, TextureMap};
use crate::text::{NameBytes, decode};
use encoding_rs::Encoding;
use solio_base::{Error, Result};
use solio_codec::number::parse;
use std::borrow::Cow;

/// Most warnings that are kept.
const MOST_WARNINGS: usize = 100;

/// Keys of texture maps beside `map_*`.
const MAPS: [&str; 5] = ["bump", "disp", "decal", "refl", "norm"];

/// Reads a material library: its materials, in order, and what a lenient reader passed over.
///
/// Fails on what is no MTL at all; a library without materials is none, if it is otherwise empty.
pub fn decode_mtl(bytes: &[u8], options: &ObjReadOptions) -> Result<(Vec<Material>, Vec<String>)> {
    let (text, skipped, told) = utf8(bytes, options.encoding);
    let mut reader = MtlReader {
        options,
        materials: Vec::new(),
        warnings: Vec::from_iter(told),
        transparency: Vec::new(),
        strays: None,
        place: MtlPlace { offset: skipped, line: 1 },
    };
    let mut rest: &[u8] = &text;
    while !rest.is_empty() {
        let (len, full) = line_end(rest);
        if full as u64 > options.limits.line_bytes {
            let message = format!("a line of more than {} bytes", options.limits.line_bytes);
            return Err(reader.placed(Error::limit(message), 0));
        }
        reader.statement(&rest[..len])?;
        reader.place.offset += full as u64;
        reader.place.line += 1;
        rest = &rest[full..];
    }
    reader.finish()
}

/// The text as UTF-8, the bytes of its mark, and what is said of a guess.
fn utf8(bytes: &[u8], asked: Option<TextEncoding>) -> (Cow<'_, [u8]>, u64, Option<String>) {
    match Encoding::for_bom(bytes) {
        Some((encoding, mark)) if encoding != encoding_rs::UTF_8 => {
            let (text, _) = encoding.decode_without_bom_handling(&bytes[mark..]);
            return (Cow::Owned(text.into_owned().into_bytes()), mark as u64, None);
        }
        Some((_, mark)) => return (Cow::Borrowed(&bytes[mark..]), mark as u64, None),
        None if bytes.is_ascii() => return (Cow::Borrowed(bytes), 0, None),
        None => {}
    }
    let mut lines = NameBytes::default();
    bytes.split(|&b| b == b'\n').for_each(|line| lines.note((), line, asked));
    match lines.settle(asked, |(), _| ()) {
        None => (Cow::Borrowed(bytes), 0, None),
        Some((encoding, told)) => {
            // In some encodings the bytes of a character may look like a blank or a backslash.
            let text = Cow::Owned(encoding.decode(bytes).into_bytes());
            (text, 0, (!told.is_empty()).then_some(told))
        }
    }
}

#[derive(Clone, Copy)]
struct MtlPlace {
    offset: u64,
    line: u64,
}

struct MtlReader<'a> {
    options: &'a ObjReadOptions,
    materials: Vec<Material>,
    warnings: Vec<String>,
    /// `Tr` of each material; `d` wins over it wherever it stands.
    transparency: Vec<Option<f32>>,
    /// The first statement before any `newmtl`.
    strays: Option<MtlPlace>,
    place: MtlPlace,
}

impl MtlReader<'_> {
    fn placed(&self, error: Error, at: usize) -> Error {
        error.at_offset(self.place.offset + at as u64).at_line(self.place.line, at as u64 + 1)
    }

    fn complain(&mut self, at: usize, message: String) -> Result<()> {
        if self.options.strict {
            return Err(self.placed(Error::syntax(message), at));
        }
        if self.warnings.len() < MOST_WARNINGS {
            self.warnings.push(format!("{}:{}: {message}", self.place.line, at + 1));
        }
        Ok(())
    }

    fn text(&self, bytes: &[u8]) -> String {
        decode(bytes).0
    }

    fn statement(&mut self, line: &[u8]) -> Result<()> {
        let mut words = Tokens::new(line);
        let Some(key) = words.next() else { return Ok(()) };
        if key.text.eq_ignore_ascii_case(b"newmtl") {
            let rest = words.rest();
            if rest.text.is_empty() {
                self.complain(key.at, "`newmtl` without a name".into())?;
            }
            let name = self.text(rest.text);
            self.materials.push(Material { name, ..Material::default() });
            self.transparency.push(None);
            self.options.limits.check_elements("materials", self.materials.len() as u64)?;
            return Ok(());
        }
        if self.materials.is_empty() {
            self.strays.get_or_insert(self.place);
            return self.complain(key.at, format!("`{}` before any `newmtl`", shown(key.text)));
        }
        if self.property(key, words.clone())? {
            return Ok(());
        }
        let name = String::from_utf8_lossy(key.text).into_owned();
        let lower = name.to_ascii_lowercase();
        if MAPS.contains(&lower.as_str()) || (lower.starts_with("map_") && lower != "map_aat") {
            return self.map(name, key, words);
        }
        self.keep(line)
    }

    fn last(&mut self) -> &mut Material {
        self.materials.last_mut().expect("a statement belongs to a material")
    }

    fn keep(&mut self, line: &[u8]) -> Result<()> {
        let whole = Tokens::new(line).rest();
        let text = self.text(whole.text);
        self.last().other.push(text);
        Ok(())
    }

    /// Reads a property; `false` when the key is none.
    fn property(&mut self, key: Token<'_>, words: Tokens<'_>) -> Result<bool> {
        let is_key = |(name, _): &&(&str, MtlValue)| name.as_bytes().eq_ignore_ascii_case(key.text);
        let Some((_, slot)) = KEYS.iter().find(is_key) else { return Ok(false) };
        let most = if matches!(slot, MtlValue::Color(_)) { 3 } else { 1 };
        let mut numbers = Vec::with_capacity(3);
        for word in words.clone() {
            if numbers.len() == most {
                self.complain(word.at, format!("`{}` has too many numbers", shown(key.text)))?;
                break;
            }
            match parse::f32_prefix(word.text).filter(|&(_, used)| used == word.text.len()) {
                Some((number, _)) => numbers.push(number),
                // `Kd spectral FILE`, `Kd xyz 1 1 1` and `d -halo 0.5` are kept as they are.
                None if numbers.is_empty() && is_other_form(word.text) => return Ok(false),
                None => {
                    let message = format!("`{}` is not a number", shown(word.text));
                    self.complain(word.at, message)?;
                    return Ok(false);
                }
            }
        }
        let Some(&first) = numbers.first() else {
            self.complain(key.at, format!("`{}` without a number", shown(key.text)))?;
            return Ok(false);
        };
        match slot {
            MtlValue::Color(field) => {
                // Missing numbers are those before, as the specification says of `Ka r`.
                let g = numbers.get(1).copied().unwrap_or(first);
                let b = numbers.get(2).copied().unwrap_or(g);
                *field(self.last()) = Some([first, g, b]);
            }
            MtlValue::Number(field) => *field(self.last()) = Some(first),
            MtlValue::Illum => self.last().illum = Some(first as i32),
            MtlValue::Transparency => {
                *self.transparency.last_mut().expect("one per material") = Some(first);
            }
        }
        Ok(true)
    }

    fn map(&mut self, name: String, key: Token<'_>, words: Tokens<'_>) -> Result<()> {
        let mut map = TextureMap { key: name, ..TextureMap::default() };
        let mut rest = words;
        loop {
            let before = rest.clone();
            // A file name may start with `#`, as names may.
            let option = rest.next();
            let arguments = option.and_then(|option| option_arguments(option.text));
            let (Some(option), Some((least, most))) = (option, arguments) else {
                rest = before;
                break;
            };
            let arguments = self.arguments(&mut rest, least, most);
            let option = String::from_utf8_lossy(option.text).into_owned();
            map.options.push((option, arguments));
        }
        let path = rest.rest();
        if path.text.is_empty() {
            self.complain(key.at, format!("`{}` without a file name", shown(key.text)))?;
        }
        map.path = unquoted(&self.text(path.text)).to_owned();
        self.last().maps.push(map);
        Ok(())
    }

    /// Takes an option's arguments: `least` words, and up to `most` as long as they are numbers
    /// and something is left for the file name.
    fn arguments(&self, words: &mut Tokens<'_>, least: usize, most: usize) -> String {
        let mut taken: Vec<String> = Vec::with_capacity(most);
        while taken.len() < most {
            let mut ahead = words.clone();
            let Some(word) = ahead.next() else { break };
            let number = parse::f32_prefix(word.text).is_some_and(|(_, n)| n == word.text.len());
            let last = ahead.rest().text.is_empty();
            if taken.len() >= least && (!number || last) {
                break;
            }
            taken.push(String::from_utf8_lossy(word.text).into_owned());
            *words = ahead;
        }
        taken.join(" ")
    }

    fn finish(mut self) -> Result<(Vec<Material>, Vec<String>)> {
        if let (true, Some(place)) = (self.materials.is_empty(), self.strays) {
            let error = Error::syntax("no `newmtl`: this is no material library");
            return Err(error.at_offset(place.offset).at_line(place.line, 1));
        }
        for (material, transparency) in self.materials.iter_mut().zip(&self.transparency) {
            if material.opacity.is_none() {
                material.opacity = transparency.map(|t| 1.0 - t);
            }
        }
        Ok((self.materials, self.warnings))
    }
}

fn is_other_form(word: &[u8]) -> bool {
    matches!(word, b"spectral" | b"xyz" | b"-halo")
}

/// A name without the quotation marks that some programs put around it.
pub(in crate::obj) fn unquoted(name: &str) -> &str {
    let inner = name.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    inner.filter(|inner| !inner.contains('"')).map_or(name, str::trim_ascii)
}

/// How many arguments a texture option takes; `None` for what is no option.
fn option_arguments(word: &[u8]) -> Option<(usize, usize)> {
    Some(match word.to_ascii_lowercase().as_slice() {
        b"-o" | b"-s" | b"-t" => (1, 3),
        b"-mm" => (1, 2),
        b"-bm" | b"-boost" | b"-texres" | b"-clamp" | b"-blendu" | b"-blendv" | b"-cc"
        | b"-imfchan" | b"-type" => (1, 1),
        _ => return None,
    })
}
