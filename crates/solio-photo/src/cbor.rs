//! CBOR: numbers, text, bytes, lists and maps, each with its length in front (RFC 8949).

use crate::gather::Gather;
use crate::rule::TagRule;
use crate::text_tree::{MOST_DEPTH, name, put, shown};
use crate::value::{Value, binary_text, lossy};

/// Reads what `bytes` hold.
pub(crate) fn read(bytes: &[u8], gather: &mut Gather<'_>) {
    let first = gather.tags.len();
    let mut parser = CborParser { rest: bytes, first, gather };
    let _ = parser.value("", 0);
}

struct CborParser<'b, 'g, 'f> {
    rest: &'b [u8],
    /// Where this block's tags start.
    first: usize,
    gather: &'g mut Gather<'f>,
}

impl CborParser<'_, '_, '_> {
    /// Major type, the five bits after it, and the number that they stand for.
    fn head(&mut self) -> Option<(u8, u8, u64)> {
        let (head, rest) = self.rest.split_first()?;
        let (major, bits) = (head >> 5, head & 31);
        let bytes = match bits {
            24..=27 => 1 << (bits - 24),
            28..=30 => return None,
            _ => 0,
        };
        let (number, rest) = rest.split_at_checked(bytes)?;
        self.rest = rest;
        let number = match bytes {
            0 => u64::from(bits),
            _ => number.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte)),
        };
        Some((major, bits, number))
    }

    /// Text or bytes of this length, or in pieces up to a mark.
    fn string(&mut self, bits: u8, length: u64) -> Option<Vec<u8>> {
        if bits != 31 {
            let (text, rest) = self.rest.split_at_checked(usize::try_from(length).ok()?)?;
            self.rest = rest;
            return Some(text.to_vec());
        }
        let mut all = Vec::new();
        while *self.rest.first()? != 0xff {
            let (_, bits, length) = self.head().filter(|head| head.1 != 31)?;
            all.extend(self.string(bits, length)?);
        }
        self.rest = &self.rest[1..];
        Some(all)
    }

    fn value(&mut self, path: &str, depth: u8) -> Option<()> {
        if depth > MOST_DEPTH || self.gather.is_full() || path.len() > 1 << 10 {
            return None;
        }
        let (major, bits, number) = self.head()?;
        let value = match major {
            0 => Value::Text(number.to_string()),
            1 => Value::Text((-1 - i128::from(number)).to_string()),
            2 => Value::Text(binary_text(self.string(bits, number)?.len() as u64)),
            3 => Value::Text(lossy(&self.string(bits, number)?)),
            4 => return self.list(path, bits, number, depth),
            5 => return self.map(path, bits, number, depth),
            // What kind of value follows matters less than the value.
            6 => return self.value(path, depth + 1),
            _ => Value::Text(match bits {
                20 => "false".into(),
                21 => "true".into(),
                22 => "null".into(),
                23 => "undef".into(),
                25 => crate::number::plain(half(number as u16)),
                26 => crate::number::plain(f64::from(f32::from_bits(number as u32))),
                27 => crate::number::plain(f64::from_bits(number)),
                _ => number.to_string(),
            }),
        };
        put("CBOR", &shown(path), value, TagRule::Plain, self.first, self.gather);
        Some(())
    }

    /// Whether there is one more of `count` elements, after `done` of them.
    fn more(&mut self, bits: u8, count: u64, done: u64) -> Option<bool> {
        if bits != 31 {
            return Some(done < count);
        }
        let more = *self.rest.first()? != 0xff;
        if !more {
            self.rest = &self.rest[1..];
        }
        Some(more)
    }

    fn list(&mut self, path: &str, bits: u8, count: u64, depth: u8) -> Option<()> {
        let mut done = 0;
        while self.more(bits, count, done)? {
            // Only the elements of the outermost list have nothing to be named after.
            let item = format!("Item{done}");
            self.value(if path.is_empty() { &item } else { path }, depth + 1)?;
            done += 1;
        }
        Some(())
    }

    fn map(&mut self, path: &str, bits: u8, count: u64, depth: u8) -> Option<()> {
        let mut done = 0;
        while self.more(bits, count, done)? {
            let (major, bits, number) = self.head()?;
            let key = match major {
                0 => number.to_string(),
                1 => format!("-{}", u128::from(number) + 1),
                2 | 3 => lossy(&self.string(bits, number)?),
                _ => return None,
            };
            let key = key.strip_prefix("dc:").unwrap_or(&key);
            self.value(&name(path, key), depth + 1)?;
            done += 1;
        }
        Some(())
    }
}

/// A number of 16 bits: sign, five bits of exponent, ten of fraction.
fn half(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 0x3ff));
    let value = match exponent {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + fraction) * 2f64.powi(exponent - 25),
    };
    if bits & 0x8000 == 0 { value } else { -value }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Fields;

    #[test]
    fn maps_become_names() {
        // {"a": [1, {"b": -5}], "name": "x", "h": h'0102', "f": 1.5, "s": (_ "p", "q")}
        let bytes = b"\xa5\x61a\x82\x01\xa1\x61b\x24\x64name\x61x\x61h\x42\x01\x02\
            \x61f\xf9\x3e\x00\x61s\x7f\x61p\x61q\xff";
        let fields = Fields::all();
        let mut gather = Gather::new(&fields);
        read(bytes, &mut gather);
        let shown: Vec<String> =
            gather.tags.iter().map(|t| format!("{}={}", t.name, t.text().plain())).collect();
        let hidden = binary_text(2);
        let hash = format!("TagH={hidden}");
        assert_eq!(shown, ["TagA=1", "AB=-5", "Name=x", &hash, "TagF=1.5", "TagS=pq"]);
        for end in 0..bytes.len() {
            read(&bytes[..end], &mut Gather::new(&fields));
        }
        read(&[0x81; 10_000], &mut Gather::new(&fields));
        read(b"\x9b\xff\xff\xff\xff\xff\xff\xff\xff\x01", &mut Gather::new(&fields));
    }
}
