//! Side-by-side decompression of files whose parts stand alone and say where they end.
//!
//! * A zstd file of several frames: the block headers tell where a frame ends.
//! * A gzip file written by [`ChunkCompressor`](super::ChunkCompressor): each member carries its
//!   own length in an extra field `SL` of the header. Gzip itself does not say it.
//!
//! ```text
//! 1f 8b 08 06  MTIME(4) XFL OS  08 00  'S' 'L' 04 00  length(4) of the whole member  CRC16
//! ```
//! Whatever else comes (a frame of a gigabyte, a member of another writer, padding, rubbish) is
//! left to the streaming [`Decoder`], which also words all errors.

use super::{Compression, Decoder};
use solio_base::{Error, Limits, Result};
use std::io::{Chain, Cursor, Read};

/// Largest packed or plain part that is worth holding whole.
const PART_BYTES: usize = 16 << 20;
const STEP_BYTES: usize = 1 << 20;

/// The header of a gzip member that says its length, up to that length.
const SIZED: [u8; 16] = [0x1f, 0x8b, 8, 6, 0, 0, 0, 0, 0, 255, 8, 0, b'S', b'L', 4, 0];

/// Bytes of a [`sized_header`].
pub(super) const SIZED_BYTES: usize = SIZED.len() + 4 + 2;

/// The header of a gzip member of `length` bytes. Its checksum keeps a broken length from being
/// believed; readers that know nothing of it skip it.
pub(super) fn sized_header(length: u32) -> [u8; SIZED_BYTES] {
    let mut header = [0; SIZED_BYTES];
    header[..16].copy_from_slice(&SIZED);
    header[16..20].copy_from_slice(&length.to_le_bytes());
    let crc = libdeflater::crc32(&header[..20]) as u16;
    header[20..].copy_from_slice(&crc.to_le_bytes());
    header
}

/// Cuts a compressed stream into [`Part`]s.
pub struct Splitter<R> {
    compression: Compression,
    reader: R,
    buffer: Vec<u8>,
    start: usize,
    /// Offset in the file of `buffer[start]`.
    offset: u64,
    parts: u64,
}

/// What [`Splitter::next`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// The part is filled.
    Part,
    /// The rest is for [`Splitter::into_rest`].
    Rest,
    /// The file is at its end.
    End,
}

/// A part on its own, with its buffers, which are reused.
#[derive(Default)]
pub struct Part {
    compression: Option<Compression>,
    offset: u64,
    packed: Vec<u8>,
    plain_bytes: usize,
    inflate: Option<libdeflater::Decompressor>,
    zstd: Option<zstd::bulk::Decompressor<'static>>,
    /// What [`Part::decode`] made.
    pub plain: Vec<u8>,
}

impl<R: Read> Splitter<R> {
    /// A splitter of `compression` over `reader`.
    pub fn new(compression: Compression, reader: R) -> Self {
        Splitter { compression, reader, buffer: Vec::new(), start: 0, offset: 0, parts: 0 }
    }

    /// Moves the next part into `part`.
    pub fn next(&mut self, part: &mut Part) -> Result<Next> {
        let found = match self.compression {
            Compression::None => None,
            Compression::Gzip => self.find_member()?,
            Compression::Zstd => self.find_frame()?,
        };
        let Some((packed, plain)) = found else {
            let ended = self.parts > 0 && self.at_hand().is_empty();
            return Ok(if ended { Next::End } else { Next::Rest });
        };
        part.compression = Some(self.compression);
        part.offset = self.offset;
        part.plain_bytes = plain;
        part.packed.clear();
        part.packed.extend_from_slice(&self.at_hand()[..packed]);
        self.start += packed;
        self.offset += packed as u64;
        self.parts += 1;
        Ok(Next::Part)
    }

    /// A streaming decoder of everything that was not yet taken; `produced` bytes came before.
    pub fn into_rest(
        mut self,
        limits: &Limits,
        produced: u64,
    ) -> Result<Decoder<Chain<Cursor<Vec<u8>>, R>>> {
        self.buffer.drain(..self.start);
        let reader = Cursor::new(self.buffer).chain(self.reader);
        let decoder = Decoder::new(self.compression, reader, limits)?;
        Ok(decoder.resume(self.offset, produced, self.parts > 0))
    }

    fn at_hand(&self) -> &[u8] {
        &self.buffer[self.start..]
    }

    /// Lengths, packed and plain, of the gzip member at hand, if it says them.
    fn find_member(&mut self) -> Result<Option<(usize, usize)>> {
        if !self.want(SIZED_BYTES)? {
            return Ok(None);
        }
        let length = le_u32(&self.at_hand()[SIZED.len()..]);
        let packed = length as usize;
        if !self.at_hand().starts_with(&sized_header(length))
            || !(SIZED_BYTES + 8..=PART_BYTES).contains(&packed)
            || !self.want(packed)?
        {
            return Ok(None);
        }
        let plain = le_u32(&self.at_hand()[packed - 4..]) as usize;
        Ok((plain <= PART_BYTES).then_some((packed, plain)))
    }

    fn find_frame(&mut self) -> Result<Option<(usize, usize)>> {
        if !self.want(4)? {
            return Ok(None);
        }
        loop {
            let bytes = self.at_hand();
            if let Ok(packed) = zstd::zstd_safe::find_frame_compressed_size(bytes) {
                let plain = zstd::zstd_safe::get_frame_content_size(bytes).ok().flatten();
                let plain = plain.and_then(|n| usize::try_from(n).ok());
                return Ok(plain.filter(|&n| n <= PART_BYTES).map(|plain| (packed, plain)));
            }
            // Incomplete or broken: a frame of a known small size is worth more bytes.
            let hopeless = match zstd::zstd_safe::get_frame_content_size(bytes) {
                Ok(Some(plain)) => plain > PART_BYTES as u64,
                Ok(None) | Err(_) => true,
            };
            if hopeless || bytes.len() > PART_BYTES + STEP_BYTES || !self.more()? {
                return Ok(None);
            }
        }
    }

    /// Whether `count` bytes can be had.
    fn want(&mut self, count: usize) -> Result<bool> {
        while self.at_hand().len() < count {
            if !self.more()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Reads on; `false` at the end of the file.
    fn more(&mut self) -> Result<bool> {
        if self.start >= STEP_BYTES || self.start == self.buffer.len() {
            self.buffer.drain(..self.start);
            self.start = 0;
        }
        let reader = self.reader.by_ref();
        let got = reader.take(STEP_BYTES as u64).read_to_end(&mut self.buffer);
        Ok(got.map_err(|e| Error::io("read", e))? > 0)
    }
}

impl Part {
    /// Makes [`Part::plain`].
    pub fn decode(&mut self) -> Result<()> {
        self.plain.resize(self.plain_bytes, 0);
        let got = match self.compression {
            Some(Compression::Gzip) => {
                let inflate = self.inflate.get_or_insert_with(libdeflater::Decompressor::new);
                inflate.gzip_decompress(&self.packed, &mut self.plain).ok()
            }
            Some(Compression::Zstd) => {
                let zstd = match &mut self.zstd {
                    Some(zstd) => zstd,
                    none => none.insert(
                        zstd::bulk::Decompressor::new().map_err(|e| Error::io("start zstd", e))?,
                    ),
                };
                zstd.decompress_to_buffer(&self.packed, &mut self.plain[..]).ok()
            }
            _ => None,
        };
        if got == Some(self.plain_bytes) { Ok(()) } else { self.decode_slowly() }
    }

    /// The streaming decoder's word on a part that the fast way refused.
    fn decode_slowly(&mut self) -> Result<()> {
        let limits = Limits { bytes: PART_BYTES as u64, ..Limits::default() };
        let compression = self.compression.unwrap_or(Compression::None);
        let decoder = Decoder::new(compression, self.packed.as_slice(), &limits)?;
        let mut decoder = decoder.resume(self.offset, 0, false);
        let mut got = 0;
        loop {
            self.plain.resize(got + STEP_BYTES, 0);
            let more = decoder.read(&mut self.plain[got..])?;
            got += more;
            if more < STEP_BYTES {
                self.plain.truncate(got);
                return Ok(());
            }
        }
    }
}

fn le_u32(bytes: &[u8]) -> u32 {
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}
