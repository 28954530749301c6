//! Gzip (RFC 1952): any number of members, each a header, a deflate stream and a trailer.
//!
//! ```text
//! 1f 8b 08 FLG MTIME(4) XFL OS  [XLEN(2) extra] [name 0] [comment 0] [CRC16]   header
//! deflate blocks                                                              RFC 1951
//! CRC32(4) ISIZE(4)            of the member; ISIZE is modulo 2^32            trailer
//! ```
//! Zero bytes behind the last member are padding (tapes); other bytes there are passed over, as
//! the `gzip` command does, and reported.

use super::input::{CompressedInput, corrupt_at};
use flate2::{Decompress, FlushDecompress, Status};
use solio_base::{Error, Result};
use std::cell::Cell;
use std::io::Read;

const HEADER_CRC: u8 = 2;
const EXTRA: u8 = 4;
const NAME: u8 = 8;
const COMMENT: u8 = 16;
const RESERVED: u8 = 0xe0;

thread_local! {
    /// The inflater of the last stream, for the next: to make one takes as long as to read the start of a
    /// small file.
    static SPARE: Cell<Option<Box<Decompress>>> = const { Cell::new(None) };
}

fn inflater() -> Box<Decompress> {
    Box::new(Decompress::new(false))
}

/// The state of one gzip stream.
pub(super) struct Gzip {
    /// Made for the first member where none was kept; reset before each.
    inflate: Option<Box<Decompress>>,
    crc: libdeflater::Crc,
    size: u32,
    state: GzipState,
    members: u64,
    pub(super) ignored_tail: Option<u64>,
}

#[derive(PartialEq)]
enum GzipState {
    Between,
    Inside,
    Done,
}

impl Default for Gzip {
    fn default() -> Self {
        Gzip {
            inflate: SPARE.try_with(Cell::take).ok().flatten(),
            crc: libdeflater::Crc::new(),
            size: 0,
            state: GzipState::Between,
            members: 0,
            ignored_tail: None,
        }
    }
}

impl Drop for Gzip {
    fn drop(&mut self) {
        let inflate = self.inflate.take();
        // Fails where the thread ends, when nothing is read after it.
        let _ = SPARE.try_with(|spare| spare.set(inflate));
    }
}

impl Gzip {
    /// Fills as much of `out` as the members hold.
    pub(super) fn read<R: Read>(
        &mut self,
        input: &mut CompressedInput<R>,
        out: &mut [u8],
    ) -> Result<usize> {
        let mut made = 0;
        while made < out.len() {
            match self.state {
                GzipState::Done => break,
                GzipState::Between => self.start_member(input)?,
                GzipState::Inside => made += self.inflate_some(input, &mut out[made..])?,
            }
        }
        Ok(made)
    }

    fn inflate_some<R: Read>(
        &mut self,
        input: &mut CompressedInput<R>,
        out: &mut [u8],
    ) -> Result<usize> {
        let at = input.position();
        let bytes = input.fill()?;
        let ended = bytes.is_empty();
        let inflate = self.inflate.get_or_insert_with(inflater);
        let (in_before, out_before) = (inflate.total_in(), inflate.total_out());
        let result = inflate.decompress(bytes, out, FlushDecompress::None);
        let taken = (inflate.total_in() - in_before) as usize;
        let given = (inflate.total_out() - out_before) as usize;
        input.take(taken);
        self.crc.update(&out[..given]);
        self.size = self.size.wrapping_add(given as u32);
        match result {
            Err(e) => Err(corrupt_at(at + taken as u64, "gzip", &e.to_string())),
            Ok(Status::StreamEnd) => {
                self.end_member(input)?;
                Ok(given)
            }
            Ok(_) if ended && given == 0 => Err(input.ends_early("gzip member")),
            Ok(_) => Ok(given),
        }
    }

    fn start_member<R: Read>(&mut self, input: &mut CompressedInput<R>) -> Result<()> {
        if self.members > 0 {
            while input.fill()?.first() == Some(&0) {
                input.take(1);
            }
        }
        let at = input.position();
        let Some(first) = input.byte()? else {
            self.state = GzipState::Done;
            if self.members == 0 {
                return Err(input.ends_early("gzip header"));
            }
            return Ok(());
        };
        if first != 0x1f || input.byte()? != Some(0x8b) {
            if self.members == 0 {
                return Err(corrupt_at(at, "gzip", "no gzip header"));
            }
            self.ignored_tail = Some(at);
            self.state = GzipState::Done;
            return Ok(());
        }
        self.skip_header(input, at)?;
        self.inflate.get_or_insert_with(inflater).reset(false);
        self.crc = libdeflater::Crc::new();
        self.size = 0;
        self.members += 1;
        self.state = GzipState::Inside;
        Ok(())
    }

    /// The header behind its two magic bytes. Nothing in it matters to the data.
    fn skip_header<R: Read>(&self, input: &mut CompressedInput<R>, at: u64) -> Result<()> {
        let mut fixed = [0; 8];
        for byte in &mut fixed {
            *byte = need(input)?;
        }
        let [method, flags, ..] = fixed;
        if method != 8 {
            let e = Error::unsupported(format!("gzip method {method}; only deflate (8) is known"));
            return Err(e.at_offset(at + 2));
        }
        if flags & RESERVED != 0 {
            return Err(corrupt_at(at + 3, "gzip", "reserved header flags are set"));
        }
        if flags & EXTRA != 0 {
            let length = u16::from_le_bytes([need(input)?, need(input)?]);
            for _ in 0..length {
                need(input)?;
            }
        }
        for flag in [NAME, COMMENT] {
            if flags & flag != 0 {
                while need(input)? != 0 {}
            }
        }
        if flags & HEADER_CRC != 0 {
            need(input)?;
            need(input)?;
        }
        Ok(())
    }

    fn end_member<R: Read>(&mut self, input: &mut CompressedInput<R>) -> Result<()> {
        let at = input.position();
        let mut trailer = [0; 8];
        for byte in &mut trailer {
            *byte = need(input)?;
        }
        let [a, b, c, d, e, f, g, h] = trailer;
        if u32::from_le_bytes([a, b, c, d]) != self.crc.sum() {
            return Err(corrupt_at(at, "gzip", "the checksum (CRC-32) differs"));
        }
        if u32::from_le_bytes([e, f, g, h]) != self.size {
            return Err(corrupt_at(at + 4, "gzip", "the stored size differs"));
        }
        self.state = GzipState::Between;
        Ok(())
    }
}

fn need<R: Read>(input: &mut CompressedInput<R>) -> Result<u8> {
    match input.byte()? {
        Some(byte) => Ok(byte),
        None => Err(input.ends_early("gzip member")),
    }
}
