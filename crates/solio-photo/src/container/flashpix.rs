//! FlashPix' streams in APP2 of JPEG: a list of what there is, then parts of each.
//!
//! ```text
//! "FPXR\0" · version (1) · 1: list · count (2), each: length (4), filling (1), name in UTF-16, of
//!                                    storages (length 0xffffffff) their class (16)
//! "FPXR\0" · version (1) · 2: part of a stream · its number (2) · offset (4) · bytes
//! ```
//! Exif 2.1 (JEIDA-49-1998), chapter on audio files and extensions; FlashPix 1.0.1; property sets:
//! MS-OLEPS.

use crate::gather::Gather;
use crate::rule::Named;
use crate::table;
use crate::text::utf16;
use crate::value::{Value, binary_text, lossy};
use solio_container::ByteView;

const GROUP: &str = "FlashPix";
/// Most streams of a file.
const MOST_STREAMS: u16 = 256;
/// Most properties of a set, and numbers of one.
const MOST_PROPERTIES: u32 = 1024;
/// In front of each stream's content: byte order, versions, class.
const HEAD: usize = 28;

/// The streams of a file.
#[derive(Default)]
pub(super) struct FlashpixStreams(Vec<FlashpixStream>);

struct FlashpixStream {
    name: String,
    bytes: Vec<u8>,
}

impl FlashpixStreams {
    /// Takes in a segment, without "FPXR\0"; `keep` says whether so many more bytes may be kept.
    pub(super) fn add(&mut self, body: ByteView<'_>, keep: impl FnOnce(usize) -> bool) {
        match body.u8(1) {
            Some(1) => self.list(body),
            Some(2) => {
                let (Some(number), Some(at)) = (body.be16(2), body.be32(4)) else { return };
                let Some(stream) = self.0.get_mut(usize::from(number)) else { return };
                // Parts come in order.
                if let Some(part) = body.from(8).all(1 << 16).filter(|part| keep(part.len()))
                    && at as usize == stream.bytes.len()
                {
                    stream.bytes.extend_from_slice(&part);
                }
            }
            _ => {}
        }
    }

    fn list(&mut self, body: ByteView<'_>) {
        let Some(bytes) = body.all(1 << 16) else { return };
        let count = body.be16(2).unwrap_or(0).min(MOST_STREAMS);
        let mut at = 4;
        for _ in 0..count {
            let Some(head) = bytes.get(at..at + 5) else { return };
            let name: Vec<u8> = bytes[at + 5..]
                .chunks_exact(2)
                .take_while(|unit| **unit != [0, 0])
                .flatten()
                .copied()
                .collect();
            at += 5 + name.len() + 2;
            if head[..4] == [0xff; 4] {
                at += 16;
            }
            self.0.push(FlashpixStream { name: utf16(&name, false), bytes: Vec::new() });
        }
    }

    /// Reads the streams that are known, when all segments were seen.
    pub(super) fn finish(&self, gather: &mut Gather<'_>) {
        for stream in self.0.iter().filter(|stream| stream.bytes.len() > HEAD) {
            let name = stream.name.rsplit('/').next().unwrap_or_default();
            let name = name.trim_start_matches(char::is_control);
            let shown = match name {
                "Extension List" | "Audio Info" => {
                    properties(&stream.bytes, gather);
                    continue;
                }
                _ if name.starts_with("Screen Nail") => "ScreenNail",
                _ if name.starts_with("Audio Stream") => "AudioStream",
                _ => continue,
            };
            let bytes = (stream.bytes.len() - HEAD) as u64;
            gather.text(GROUP, shown, binary_text(bytes));
        }
    }
}

/// A set of properties: behind the head the set's name (16) and place (4); there its length (4),
/// count (4), and for each property number (4) and place within the set (4).
fn properties(bytes: &[u8], gather: &mut Gather<'_>) {
    let all = ByteView::memory(bytes);
    let Some(start) = all.le32(HEAD as u64 + 16) else { return };
    let set = all.from(u64::from(start));
    let count = set.le32(4).unwrap_or(0).min(MOST_PROPERTIES);
    for n in 0..u64::from(count) {
        let (Some(number), Some(at)) = (set.le32(8 + 8 * n), set.le32(12 + 8 * n)) else { return };
        // Those of the extensions have the extension's number above them, from 1 on.
        let kind = match number {
            0x0001_0000..0x1000_0000 => number & 0xffff | 0x0001_0000,
            other => other,
        };
        let Some(row) = table::FLASHPIX.get().row(kind) else { continue };
        if let Some(value) = property(set.from(u64::from(at))) {
            gather.put(GROUP, row.name, value, row.rule);
        }
    }
}

/// A property: its type (4), of vectors the count (4), then the value.
fn property(view: ByteView<'_>) -> Option<Value> {
    let kind = view.le32(0)?;
    if kind & 0x1000 == 0 {
        return one(kind, view.from(4)).map(|(value, _)| value);
    }
    let count = view.le32(4)?.min(MOST_PROPERTIES);
    let (mut at, mut all) = (8, Vec::new());
    for _ in 0..count {
        let Some((value, bytes)) = one(kind & 0xfff, view.from(at)) else { break };
        all.push(value);
        at += bytes;
    }
    if all.len() > 1 { Some(Value::List(all)) } else { all.pop() }
}

/// A value of a known type, and how many bytes it takes.
fn one(kind: u32, view: ByteView<'_>) -> Option<(Value, u64)> {
    Some(match kind {
        2 => (Value::int(view.le16(0)? as i16), 2),
        3 => (Value::int(view.le32(0)? as i32), 4),
        18 => (Value::int(view.le16(0)?), 2),
        19 => (Value::int(view.le32(0)?), 4),
        30 | 31 => {
            let wide = kind == 31;
            let bytes = u64::from(view.le32(0)?) << u8::from(wide);
            let text = view.part(4, bytes).all(1 << 16)?;
            let text = if wide { utf16(&text, false) } else { lossy(&text) };
            let text: String =
                text.trim_end_matches('\0').chars().filter(|c| *c != '\u{5}').collect();
            (Value::Text(text), 4 + ((bytes + 3) & !3))
        }
        64 => {
            // Tenths of microseconds since 1601.
            let [low, high] = [view.le32(0)?, view.le32(4)?].map(u64::from);
            let seconds = ((high << 32 | low) / 10_000_000) as i64 - 11_644_473_600;
            (Named::UnixDate.number(&Value::int(seconds)), 8)
        }
        72 => {
            let id = view.get(0, 16)?;
            let (a, b, c) = (view.le32(0)?, view.le16(4)?, view.le16(6)?);
            let hex = |bytes: &[u8]| bytes.iter().map(|b| format!("{b:02X}")).collect::<String>();
            let text = format!("{a:08X}-{b:04X}-{c:04X}-{}-{}", hex(&id[8..10]), hex(&id[10..]));
            (Value::Text(text), 16)
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Fields;

    fn wide(text: &str) -> Vec<u8> {
        text.encode_utf16().chain([0]).flat_map(u16::to_le_bytes).collect()
    }

    /// A list of two streams, an extension's list and a sound.
    fn streams() -> Vec<Vec<u8>> {
        let mut list = b"\0\x01\0\x02\0\0\0\x60\0".to_vec();
        list.extend(wide("/\u{5}Extension List"));
        list.extend(b"\0\0\0\x20\0");
        list.extend(wide("/Audio_1/Audio Stream 000000"));
        let mut set = vec![0; HEAD + 16];
        set.extend(48u32.to_le_bytes());
        let properties: [(u32, u32, &[u8]); 3] = [
            (0x1000_0000, 0x1012, b"\x02\0\0\0\x01\0\x02\0"),
            (0x0001_0003, 18, b"\x01\0\0\0"),
            (0x0001_0007, 31, b"\x02\0\0\0H\0\0\0"),
        ];
        let mut entries = Vec::new();
        let mut values = Vec::new();
        for (number, kind, value) in properties {
            let at = 8 + 8 * properties.len() + values.len();
            entries.extend(number.to_le_bytes());
            entries.extend((at as u32).to_le_bytes());
            values.extend(kind.to_le_bytes());
            values.extend(value);
        }
        set.extend(((8 + entries.len() + values.len()) as u32).to_le_bytes());
        set.extend((properties.len() as u32).to_le_bytes());
        set.extend(entries);
        set.extend(values);
        let part = |number: u8, at: u8, bytes: &[u8]| {
            [&[0, 2, 0, number, 0, 0, 0, at][..], bytes].concat()
        };
        vec![list, part(0, 0, &set[..40]), part(0, 40, &set[40..]), part(1, 0, &[7; 46])]
    }

    fn read(segments: &[Vec<u8>]) -> Vec<(String, String)> {
        let mut streams = FlashpixStreams::default();
        for segment in segments {
            streams.add(ByteView::memory(segment), |_| true);
        }
        let fields = Fields::all();
        let mut gather = Gather::new(&fields);
        streams.finish(&mut gather);
        gather.tags.iter().map(|t| (t.name.to_string(), t.text().plain())).collect()
    }

    #[test]
    fn properties_and_sounds() {
        let want = [
            ("UsedExtensionNumbers", "1, 2"),
            ("ExtensionPersistence", "Invalidated By Modification"),
            ("ExtensionDescription", "H"),
            ("AudioStream", "(Binary data 18 bytes, use -b option to extract)"),
        ];
        let want = want.map(|(name, text)| (name.to_owned(), text.to_owned()));
        assert_eq!(read(&streams()), want);
    }

    #[test]
    fn damaged_streams_end_quietly() {
        let segments = streams();
        for (n, segment) in segments.iter().enumerate() {
            for byte in 0..segment.len() {
                let mut segments = segments.clone();
                segments[n][byte] ^= 0xff;
                read(&segments);
                segments[n].truncate(byte);
                read(&segments);
            }
        }
    }
}
