//! A run of bytes of any kind: as it is, one byte, a prefix code, or a frame of zstd.
//!
//! ```text
//! u8         how: 0 as they are, 1 all the same, 2 a prefix code, 3 zstd
//! u32        bytes that follow
//! bytes
//! ```

use super::cursor::FieldCursor;
use super::huffman;
use crate::compress::lacks_memory;
use zstd::bulk::{Compressor, Decompressor};

const AS_THEY_ARE: u8 = 0;
const ALL_THE_SAME: u8 = 1;
const PREFIX_CODE: u8 = 2;
const ZSTD: u8 = 3;

/// What a prefix code must save to be worth its time, and what zstd must save beyond it: one in
/// so many bytes.
pub(super) const WORTH_A_CODE: usize = 50;
const WORTH_ZSTD: usize = 8;
/// A prefix code takes a bit at least for a byte. Where it comes near that, one byte in so many, most
/// bytes are the same, and zstd takes less.
const ALMOST_ALL_THE_SAME: usize = 5;

/// What packs bytes; keep one per thread.
pub(super) struct BytePacker {
    zstd: Compressor<'static>,
    found: Vec<u8>,
    /// That zstd got no memory, once it has happened.
    pub(super) failed: Option<std::io::Error>,
}

impl BytePacker {
    /// With a level of zstd.
    pub(super) fn new(level: i32) -> std::io::Result<BytePacker> {
        let mut zstd = Compressor::new(level)?;
        zstd.include_checksum(false)?;
        zstd.include_contentsize(false)?;
        Ok(BytePacker { zstd, found: Vec::new(), failed: None })
    }

    /// Appends `bytes`. With `repeats`, zstd is tried too: it finds what
    /// occurs again.
    pub(super) fn pack(&mut self, bytes: &[u8], repeats: bool, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend([AS_THEY_ARE, 0, 0, 0, 0]);
        let counts = huffman::count(bytes);
        if counts.iter().filter(|count| **count > 0).count() <= 1 {
            out[start] = ALL_THE_SAME;
            out.extend(bytes.first());
        } else {
            let (lengths, planned) = huffman::plan(&counts);
            let most = bytes.len() - bytes.len() / WORTH_A_CODE;
            let repeats = repeats || planned < bytes.len() / ALMOST_ALL_THE_SAME;
            if repeats && self.repeats(bytes, planned.min(bytes.len())) {
                out[start] = ZSTD;
                out.extend_from_slice(&self.found);
            } else if planned < most {
                out[start] = PREFIX_CODE;
                huffman::encode(bytes, &lengths, out);
            } else {
                out.extend_from_slice(bytes);
            }
        }
        let size = (out.len() - start - 5) as u32;
        out[start + 1..start + 5].copy_from_slice(&size.to_le_bytes());
    }

    /// Whether zstd makes so much less of the bytes that it is worth its time.
    fn repeats(&mut self, bytes: &[u8], planned: usize) -> bool {
        let most = planned - planned / WORTH_ZSTD;
        self.found.resize(most, 0);
        // Where there is not enough room it saves too little.
        match self.zstd.compress_to_buffer(bytes, &mut self.found[..]) {
            Ok(size) => {
                self.found.truncate(size);
                true
            }
            Err(error) => {
                if lacks_memory(&error) {
                    self.failed = Some(error);
                }
                false
            }
        }
    }

    /// How many bytes zstd makes of these.
    pub(super) fn zstd_size(&mut self, bytes: &[u8]) -> usize {
        match self.repeats(bytes, bytes.len()) {
            true => self.found.len(),
            false => bytes.len(),
        }
    }
}

/// What unpacks bytes; keep one per thread.
#[derive(Default)]
pub(super) struct ByteUnpacker {
    zstd: Option<Decompressor<'static>>,
    /// That zstd got no memory, once it has happened.
    pub(super) failed: Option<std::io::Error>,
    tables: huffman::HuffmanDecodeTables,
}

impl ByteUnpacker {
    /// Fills `to` with what [`BytePacker::pack`] appended where the cursor is; `None` where that
    /// cannot be.
    pub(super) fn unpack(&mut self, from: &mut FieldCursor, to: &mut [u8]) -> Option<()> {
        let how = from.u8()?;
        let size = from.u32()? as usize;
        let bytes = from.bytes(size)?;
        match how {
            AS_THEY_ARE if size == to.len() => to.copy_from_slice(bytes),
            ALL_THE_SAME if to.is_empty() && size == 0 => {}
            ALL_THE_SAME if size == 1 => to.fill(bytes[0]),
            PREFIX_CODE => huffman::decode(bytes, &mut self.tables, to)?,
            ZSTD => {
                let made = self.unpack_zstd(bytes, to);
                let made = made.map_err(|e| self.failed = Some(e).filter(lacks_memory)).ok()?;
                (made == to.len()).then_some(())?;
            }
            _ => return None,
        }
        Some(())
    }

    fn unpack_zstd(&mut self, bytes: &[u8], to: &mut [u8]) -> std::io::Result<usize> {
        if self.zstd.is_none() {
            self.zstd = Some(Decompressor::new()?);
        }
        self.zstd.as_mut().expect("made above").decompress_to_buffer(bytes, to)
    }
}
