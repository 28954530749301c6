//! Photoshop's descriptors: trees of named values, big endian.

use solio_base::{Error, Result};

/// Objects and lists within each other.
const MOST_DEPTH: usize = 32;

/// A value and the byte at which it begins.
pub(super) struct DescriptorItem {
    pub(super) at: usize,
    pub(super) value: DescriptorValue,
}

pub(super) enum DescriptorValue {
    /// Its class and fields.
    Object(String, Vec<(String, DescriptorItem)>),
    List(Vec<DescriptorItem>),
    Text(String),
    Number(f64),
    /// Something that gradients do not need.
    Other,
}

impl DescriptorItem {
    pub(super) fn field(&self, name: &str) -> Option<&DescriptorItem> {
        let DescriptorValue::Object(_, fields) = &self.value else { return None };
        fields.iter().find(|(key, _)| key == name).map(|(_, item)| item)
    }

    pub(super) fn list(&self) -> Option<&[DescriptorItem]> {
        if let DescriptorValue::List(items) = &self.value { Some(items) } else { None }
    }

    pub(super) fn text(&self) -> Option<&str> {
        if let DescriptorValue::Text(text) = &self.value { Some(text) } else { None }
    }

    pub(super) fn number(&self) -> Option<f64> {
        if let DescriptorValue::Number(number) = self.value { Some(number) } else { None }
    }
}

/// Bytes and how far they are read.
pub(super) struct DescriptorCursor<'b> {
    bytes: &'b [u8],
    at: usize,
    depth: usize,
}

impl<'b> DescriptorCursor<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> DescriptorCursor<'b> {
        DescriptorCursor { bytes, at: 0, depth: 0 }
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn error_at(&self, at: usize, message: impl Into<String>) -> Error {
        Error::corrupt(message).at_offset(at as u64)
    }

    pub(super) fn take(&mut self, count: usize, what: &str) -> Result<&'b [u8]> {
        let rest = &self.bytes[self.at..];
        let Some(taken) = rest.get(..count) else {
            return Err(self.error_at(self.at, format!("the file ends before {what}")));
        };
        self.at += count;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self, what: &str) -> Result<[u8; N]> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N, what)?);
        Ok(array)
    }

    pub(super) fn u8(&mut self, what: &str) -> Result<u8> {
        Ok(self.array::<1>(what)?[0])
    }

    pub(super) fn u16(&mut self, what: &str) -> Result<u16> {
        Ok(u16::from_be_bytes(self.array(what)?))
    }

    pub(super) fn u32(&mut self, what: &str) -> Result<u32> {
        Ok(u32::from_be_bytes(self.array(what)?))
    }

    fn f64(&mut self) -> Result<f64> {
        Ok(f64::from_be_bytes(self.array("a number")?))
    }

    /// Four letters, or as many as said.
    fn id(&mut self) -> Result<String> {
        let length = self.u32("the length of a name")? as usize;
        let bytes = self.take(if length == 0 { 4 } else { length }, "a name")?;
        Ok(bytes.iter().map(|&byte| char::from(byte)).collect())
    }

    fn unicode(&mut self) -> Result<String> {
        let count = self.u32("the length of a text")? as usize;
        let (pairs, _) = self.take(count.saturating_mul(2), "a text")?.as_chunks::<2>();
        let units: Vec<u16> = pairs.iter().map(|pair| u16::from_be_bytes(*pair)).collect();
        Ok(String::from_utf16_lossy(&units).trim_end_matches('\0').to_owned())
    }

    /// An object: its name, class and fields.
    pub(super) fn descriptor(&mut self) -> Result<DescriptorItem> {
        let at = self.at;
        self.unicode()?;
        let class = self.id()?;
        let count = self.u32("the number of fields")?;
        let mut fields = Vec::new();
        for _ in 0..count {
            let key = self.id()?;
            fields.push((key, self.value()?));
        }
        Ok(DescriptorItem { at, value: DescriptorValue::Object(class, fields) })
    }

    fn value(&mut self) -> Result<DescriptorItem> {
        let at = self.at;
        let kind = self.array::<4>("the sort of a value")?;
        if self.depth == MOST_DEPTH {
            return Err(Error::limit(format!("more than {MOST_DEPTH} objects within each other"))
                .at_offset(at as u64));
        }
        self.depth += 1;
        let value = match &kind {
            b"Objc" | b"GlbO" => self.descriptor()?.value,
            b"VlLs" => {
                let count = self.u32("the length of a list")?;
                let mut items = Vec::new();
                for _ in 0..count {
                    items.push(self.value()?);
                }
                DescriptorValue::List(items)
            }
            b"TEXT" => DescriptorValue::Text(self.unicode()?),
            b"enum" => {
                self.id()?;
                DescriptorValue::Text(self.id()?)
            }
            b"long" => DescriptorValue::Number(f64::from(self.u32("a number")? as i32)),
            b"doub" => DescriptorValue::Number(self.f64()?),
            b"UntF" => {
                self.take(4, "a unit")?;
                DescriptorValue::Number(self.f64()?)
            }
            b"comp" => {
                self.take(8, "a number")?;
                DescriptorValue::Other
            }
            b"bool" => {
                self.take(1, "a truth value")?;
                DescriptorValue::Other
            }
            b"tdta" | b"alis" => {
                let length = self.u32("the length of data")? as usize;
                self.take(length, "data")?;
                DescriptorValue::Other
            }
            b"type" | b"GlbC" => {
                self.unicode()?;
                self.id()?;
                DescriptorValue::Other
            }
            _ => {
                let name = kind.escape_ascii().to_string();
                return Err(self.error_at(at, format!("\"{name}\" is no known sort of value")));
            }
        };
        self.depth -= 1;
        Ok(DescriptorItem { at, value })
    }
}

/// A name of four letters.
pub(super) fn id(out: &mut Vec<u8>, name: &str) {
    out.extend([0; 4]);
    out.extend(name.as_bytes());
}

/// The name of a field and the sort of its value.
pub(super) fn key(out: &mut Vec<u8>, name: &str, kind: &[u8; 4]) {
    id(out, name);
    out.extend(kind);
}

pub(super) fn text(out: &mut Vec<u8>, text: &str) {
    let units: Vec<u16> = text.encode_utf16().chain([0]).collect();
    out.extend((units.len() as u32).to_be_bytes());
    out.extend(units.into_iter().flat_map(u16::to_be_bytes));
}

/// The beginning of an object: an empty name, its class, how many fields follow.
pub(super) fn head(out: &mut Vec<u8>, class: &str, fields: u32) {
    text(out, "");
    id(out, class);
    out.extend(fields.to_be_bytes());
}

pub(super) fn number(out: &mut Vec<u8>, name: &str, value: f64) {
    key(out, name, b"doub");
    out.extend(value.to_be_bytes());
}

pub(super) fn whole(out: &mut Vec<u8>, name: &str, value: i32) {
    key(out, name, b"long");
    out.extend(value.to_be_bytes());
}
