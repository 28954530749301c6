//! gzip and zstd, in memory.

use crate::border::{Failure, Outcome, call, slice, slice_mut, solio_error};
use solio_base::{Error, Limits};
use solio_codec::compress::{ChunkCompressor, Compression, StreamDecoder};

/// gzip.
pub const SOLIO_GZIP: u32 = 1;
/// zstd.
pub const SOLIO_ZSTD: u32 = 2;

/// Unpacks `length` bytes of gzip or zstd, told apart by content, into the caller's memory. `made`,
/// which may be null, gets how many bytes there are. What does not fit into `to_bytes` is
/// `SOLIO_LIMIT`.
///
/// # Safety
/// As the head of the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn solio_inflate(
    from: *const u8,
    length: u64,
    to: *mut u8,
    to_bytes: u64,
    made: *mut u64,
    error: *mut solio_error,
) -> i32 {
    // SAFETY: as the caller promises.
    unsafe {
        call(error, || {
            let packed = slice("the packed bytes", from, length)?;
            let room = slice_mut("the memory", to, to_bytes)?;
            let count = inflate(packed, room)?;
            if !made.is_null() {
                made.write(count as u64);
            }
            Ok(())
        })
    }
}

fn inflate(packed: &[u8], room: &mut [u8]) -> Outcome<usize> {
    let compression = Compression::of_head(packed);
    if compression == Compression::None {
        return Err(Error::unsupported("this is neither gzip nor zstd").at_offset(0).into());
    }
    let mut decoder = StreamDecoder::new(compression, packed, &Limits::default())?;
    let count = decoder.read(room)?;
    if count == room.len() && decoder.read(&mut [0])? > 0 {
        let text = format!("more than {} bytes come out", room.len());
        return Err(Error::limit(text).into());
    }
    Ok(count)
}

/// Packs `length` bytes into the caller's memory: one member of gzip, or one frame of zstd. `method`
/// is `SOLIO_GZIP` (level 0 to 12) or `SOLIO_ZSTD` (level -7 to 22); level -100 is the usual one.
/// `made` gets the bytes; what does not fit is `SOLIO_LIMIT`. `solio_deflate_bound` tells how much is
/// enough.
///
/// # Safety
/// As the head of the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn solio_deflate(
    method: u32,
    level: i32,
    from: *const u8,
    length: u64,
    to: *mut u8,
    to_bytes: u64,
    made: *mut u64,
    error: *mut solio_error,
) -> i32 {
    // SAFETY: as the caller promises.
    unsafe {
        call(error, || {
            let bytes = slice("the bytes", from, length)?;
            let room = slice_mut("the memory", to, to_bytes)?;
            let level = (level != SOLIO_USUAL_LEVEL).then_some(level);
            let mut packed = Vec::new();
            let bound = bound(length);
            packed.try_reserve_exact(bound as usize).map_err(|_| Failure::memory(bound))?;
            ChunkCompressor::new(compression(method)?, level)?.compress(bytes, &mut packed)?;
            let Some(room) = room.get_mut(..packed.len()) else {
                let text = format!("{} bytes do not fit into {to_bytes}", packed.len());
                return Err(Error::limit(text).into());
            };
            room.copy_from_slice(&packed);
            crate::border::put("the number of bytes", made, packed.len() as u64)
        })
    }
}

/// The usual level of `solio_deflate`.
pub const SOLIO_USUAL_LEVEL: i32 = -100;

fn compression(method: u32) -> Outcome<Compression> {
    match method {
        SOLIO_GZIP => Ok(Compression::Gzip),
        SOLIO_ZSTD => Ok(Compression::Zstd),
        other => Err(Failure::argument(format!("there is no method {other}"))),
    }
}

fn bound(length: u64) -> u64 {
    length.saturating_add(length / 100).saturating_add(1024)
}

/// Bytes that `length` bytes take at most, packed by any method.
#[unsafe(no_mangle)]
pub extern "C" fn solio_deflate_bound(length: u64) -> u64 {
    bound(length)
}
