//! What JPEG XL has beside JPEG 2000's boxes: boxes packed with Brotli, and a codestream that starts
//! with the picture's size.
//!
//! ```text
//! brob: type of the box within (4) · its content, packed
//! codestream: ff 0a · bits, the lowest first: small (1) · height · ratio (3) · width, if that is 0
//! ```
//! ISO/IEC 18181-1 (SizeHeader), 18181-2 (boxes); RFC 7932 (Brotli).

use crate::gather::Gather;
use brotli_decompressor::Decompressor;
use solio_container::ByteView;
use std::io::Read;

/// Most packed boxes of a file, most packed bytes of all of them, and most that come of these: real
/// files have one of Exif, one of XMP and a few of JUMBF.
const MOST_BOXES: u32 = 8;
const MOST_PACKED: u64 = 2 << 20;
const MOST_UNPACKED: u64 = 4 << 20;
/// Bytes that are unpacked at a time.
const STEP: usize = 16 << 10;

/// What may still be unpacked of a file.
pub(super) struct BrotliRoom {
    boxes: u32,
    packed: u64,
    unpacked: u64,
}

impl Default for BrotliRoom {
    fn default() -> Self {
        BrotliRoom { boxes: MOST_BOXES, packed: MOST_PACKED, unpacked: MOST_UNPACKED }
    }
}

impl BrotliRoom {
    /// The type and the content of what is packed in `body`.
    pub(super) fn unpack(
        &mut self,
        body: ByteView<'_>,
        gather: &mut Gather<'_>,
    ) -> Option<([u8; 4], Vec<u8>)> {
        let kind = body.array::<4>(0)?;
        // Others hold no metadata; none may be packed twice.
        if !matches!(&kind, b"Exif" | b"xml " | b"jumb") {
            return None;
        }
        let packed = body.from(4);
        if self.boxes == 0 || packed.len() > self.packed {
            gather.warn("more is packed with Brotli than is unpacked");
            return None;
        }
        self.boxes -= 1;
        self.packed -= packed.len();
        let packed = packed.all(MOST_PACKED)?;
        let mut content = Vec::new();
        let mut reader = Decompressor::new(&packed[..], STEP).take(self.unpacked + 1);
        if reader.read_to_end(&mut content).is_err() {
            gather.warn(format!("the packed box {} is damaged", crate::value::lossy(&kind)));
            self.unpacked = self.unpacked.saturating_sub(content.len() as u64);
            return None;
        }
        match self.unpacked.checked_sub(content.len() as u64) {
            Some(left) => self.unpacked = left,
            None => {
                gather.warn("more is packed with Brotli than is unpacked");
                self.unpacked = 0;
                return None;
            }
        }
        Some((kind, content))
    }
}

/// The size that a codestream, or its first part, starts with.
pub(super) fn read_codestream(view: ByteView<'_>, gather: &mut Gather<'_>) {
    if view.array::<2>(0) != Some([0xff, 0x0a]) || gather.find("File", "ImageWidth").is_some() {
        return;
    }
    // The longest size has 1 + 32 + 3 + 32 bits.
    let head = view.part(2, 9).all(9).unwrap_or_default();
    if let Some((width, height)) = size(&head) {
        gather.int("File", "ImageWidth", width);
        gather.int("File", "ImageHeight", height);
    }
}

/// Bits, the lowest of each byte first.
struct JxlBits {
    bits: u128,
    left: u32,
}

impl JxlBits {
    fn take(&mut self, count: u32) -> Option<u32> {
        self.left = self.left.checked_sub(count)?;
        let value = self.bits & ((1 << count) - 1);
        self.bits >>= count;
        u32::try_from(value).ok()
    }

    /// Columns or rows.
    fn side(&mut self, small: bool) -> Option<u32> {
        if small {
            return Some((self.take(5)? + 1) * 8);
        }
        let count = [9, 13, 18, 30][self.take(2)? as usize];
        Some(self.take(count)? + 1)
    }
}

fn size(head: &[u8]) -> Option<(u32, u32)> {
    let bits = head.iter().rev().fold(0, |all, byte| all << 8 | u128::from(*byte));
    let mut bits = JxlBits { bits, left: 8 * head.len() as u32 };
    let small = bits.take(1)? == 1;
    let height = bits.side(small)?;
    let of_height = |of: u64, to: u64| u32::try_from(u64::from(height) * of / to).ok();
    let width = match bits.take(3)? {
        0 => bits.side(small),
        1 => of_height(1, 1),
        2 => of_height(12, 10),
        3 => of_height(4, 3),
        4 => of_height(3, 2),
        5 => of_height(16, 9),
        6 => of_height(5, 4),
        _ => of_height(2, 1),
    };
    Some((width?, height))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Fields;

    #[test]
    fn sizes_of_codestreams() {
        for (bits, size) in [
            ("58098e01000000000000", (200, 300)),
            ("01020000000000000000", (16, 8)),
            ("ff010000000000000000", (512, 256)),
            ("3a9c0500000000000000", (8888, 5000)),
            ("fe9e2400e05b44000000", (70000, 300_000)),
            ("421f0200000000000000", (1201, 1001)),
            ("521f0300000000000000", (1337, 1003)),
            ("621f0400000000000000", (1507, 1005)),
            ("321f0600000000000000", (1248, 999)),
        ] {
            let byte = |at: usize| u8::from_str_radix(&bits[at..at + 2], 16).unwrap();
            let bytes: Vec<u8> = (0..bits.len()).step_by(2).map(byte).collect();
            assert_eq!(super::size(&bytes), Some(size));
        }
        assert_eq!(size(&[0xfe]), None);
    }

    /// Bytes as Brotli stores them without packing: in blocks of 64 KiB.
    fn stored(content: &[u8]) -> Vec<u8> {
        let mut out = vec![];
        // The window (one bit: 64 KiB), then a bit each block: not the last.
        let (mut bits, mut count) = (0u32, 1);
        for block in content.chunks(1 << 16) {
            // Not last, four nibbles, the length less one, stored.
            bits |= ((block.len() as u32 - 1) << 3 | 1 << 19) << count;
            count += 20;
            out.extend_from_slice(&bits.to_le_bytes()[..(count as usize).div_ceil(8)]);
            out.extend_from_slice(block);
            (bits, count) = (0, 0);
        }
        // Last, and empty.
        out.push((3 << count) as u8);
        out
    }

    fn unpack(room: &mut BrotliRoom, kind: &[u8; 4], packed: &[u8]) -> Option<usize> {
        let fields = Fields::all();
        let mut gather = Gather::new(&fields);
        let body = [kind, packed].concat();
        let unpacked = room.unpack(ByteView::memory(&body), &mut gather);
        assert_eq!(gather.warnings.is_empty(), unpacked.is_some() || kind == b"brob");
        unpacked.map(|(_, content)| content.len())
    }

    #[test]
    fn what_is_unpacked_is_bounded() {
        let mut room = BrotliRoom::default();
        assert_eq!(unpack(&mut room, b"xml ", &stored(&[7; 100_000])), Some(100_000));
        assert_eq!(unpack(&mut room, b"brob", &stored(b"packed twice")), None);
        assert_eq!(unpack(&mut room, b"xml ", &stored(b"cut")[..4]), None);
        assert_eq!(unpack(&mut room, b"Exif", b""), None);
        assert_eq!(unpack(&mut room, b"xml ", &stored(&[0; MOST_PACKED as usize])), None);
        for n in 0..8 {
            let unpacked = unpack(&mut room, b"jumb", &stored(b"small"));
            assert_eq!(unpacked, (n < 5).then_some(5));
        }
        let mut room = BrotliRoom { unpacked: 4, ..BrotliRoom::default() };
        assert_eq!(unpack(&mut room, b"xml ", &stored(b"five.")), None);
        assert_eq!(unpack(&mut room, b"xml ", &stored(b"x")), None);
    }
}
