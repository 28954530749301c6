//! Reading one piece from an open file, or writing one to it, by the backends that block.

use super::Backend;
use super::core::Flight;
use super::handles::Handle;
use super::pool::{ALIGN, Landing};
use super::threads::EngineCounters;
use super::transfer::{Transfer, TransferStep};
use crate::sys;
use solio_base::Result;
use std::sync::atomic::Ordering::Relaxed;

/// Writes the piece of a flight, with `pwrite`.
pub(crate) fn write(flight: &Flight, counts: &EngineCounters) -> Result<()> {
    let handle = flight.file.as_ref().expect("writes come with an open file");
    let landing = flight.landing.as_ref().expect("writes come with their bytes");
    let grant = flight.grant;
    to_end(Transfer::write(grant.offset, grant.length), |offset, length| {
        // SAFETY: the piece is this flight's alone.
        let window = unsafe { landing.window(offset, length) };
        Ok(sys::pwrite(handle.file(), window, offset)?)
    })?;
    counts.written_bytes.fetch_add(grant.length, Relaxed);
    Ok(())
}

/// Moves a piece by calls that each take an offset and a length, and say how much they moved.
fn to_end(
    mut piece: Transfer,
    mut call: impl FnMut(u64, usize) -> std::io::Result<usize>,
) -> Result<()> {
    let mut step = piece.step();
    loop {
        match step {
            TransferStep::Full => return Ok(()),
            TransferStep::Failed(e) => return Err(e),
            TransferStep::Read { offset, length } => step = piece.answer(call(offset, length)),
        }
    }
}

/// Reads the piece of a flight whose file is open.
pub(crate) fn read(backend: Backend, flight: &Flight, counts: &EngineCounters) -> Result<()> {
    let handle = flight.file.as_ref().expect("opened before");
    let landing = flight.landing.as_ref().expect("opened before");
    let grant = flight.grant;
    if backend == Backend::Mmap && grant.length > 0 {
        // SAFETY: the piece is this flight's alone.
        let window = unsafe { landing.window(grant.offset, grant.length as usize) };
        if sys::read_mapped(handle.file(), grant.offset, window)? {
            counts.add(grant.length, false);
            return Ok(());
        }
        // The plain way says where it ends.
    }
    to_end(Transfer::new(grant.offset, grant.length), |offset, length| {
        pread(handle, landing, offset, length)
    })?;
    counts.add(grant.length, handle.is_direct());
    Ok(())
}

/// One `pread`.
fn pread(handle: &Handle, landing: &Landing, offset: u64, length: usize) -> std::io::Result<usize> {
    let (start, before, wide) = widened(handle, landing, offset, length);
    // SAFETY: the piece is this flight's; see `widened`.
    let window = unsafe { landing.window(start, wide) };
    match sys::pread(handle.file(), window, start) {
        Err(sys::Errno::INVAL) if handle.is_direct() => {
            handle.stop_direct();
            pread(handle, landing, offset, length)
        }
        answer => Ok(answer?.saturating_sub(before)),
    }
}

/// Offset and length of a read, and how much of it lies before what is wanted: direct reads begin
/// and end at multiples of [`ALIGN`]. A piece does so itself except where its request begins and
/// ends, and there the memory has room.
pub(crate) fn widened(
    handle: &Handle,
    landing: &Landing,
    offset: u64,
    length: usize,
) -> (u64, usize, usize) {
    if !(handle.is_direct() && landing.is_aligned()) {
        return (offset, 0, length);
    }
    let start = offset / ALIGN as u64 * ALIGN as u64;
    let before = (offset - start) as usize;
    (start, before, (before + length).next_multiple_of(ALIGN))
}
