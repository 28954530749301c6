//! Reading one piece from an open file, or writing one to it, by the backends that block.

use super::Backend;
use super::core::Flight;
use super::handles::Handle;
use super::pool::{ALIGN, Landing};
use super::threads::EngineCounters;
use super::transfer::{Transfer, TransferStep};
use solio_base::{Error, Result};
use std::sync::atomic::Ordering::Relaxed;

/// Writes the piece of a flight, with `pwrite`.
pub(crate) fn write(flight: &Flight, counts: &EngineCounters) -> Result<()> {
    let handle = flight.file.as_ref().expect("writes come with an open file");
    let landing = flight.landing.as_ref().expect("writes come with their bytes");
    let grant = flight.grant;
    to_end(Transfer::write(grant.offset, grant.length), |offset, length| {
        // SAFETY: the piece is this flight's alone.
        let window = unsafe { landing.window(offset, length) };
        Ok(rustix::io::pwrite(handle.file(), window, offset)?)
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
        copy_map(handle, landing, grant.offset, grant.length as usize)?;
        counts.add(grant.length, false);
        return Ok(());
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
    match rustix::io::pread(handle.file(), window, start) {
        Err(rustix::io::Errno::INVAL) if handle.is_direct() => {
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

/// Copies out of a memory map: what `SOLIO_IO=mmap` asks for, to compare.
///
/// Touching a page that a shrunk file no longer has would be a signal; asking for the pages first
/// (`MADV_POPULATE_READ`, Linux 5.14) makes it an error, but for the moment between the two.
#[cfg(target_os = "linux")]
fn copy_map(handle: &Handle, landing: &Landing, offset: u64, length: usize) -> Result<()> {
    use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap, munmap};
    let failed = |e: rustix::io::Errno| Error::io("map", e.into()).at_offset(offset);
    let start = offset / ALIGN as u64 * ALIGN as u64;
    let before = (offset - start) as usize;
    let size = rustix::fs::fstat(handle.file()).map_err(failed)?.st_size as u64;
    if size < offset + length as u64 {
        // The end is inside of the piece: the plain way says where.
        return to_end(Transfer::new(offset, length as u64), |offset, length| {
            pread(handle, landing, offset, length)
        });
    }
    let null = core::ptr::null_mut();
    // SAFETY: a new read-only mapping of a file that is open, at an address of the kernel's
    // choice.
    let map = unsafe {
        mmap(null, before + length, ProtFlags::READ, MapFlags::SHARED, handle.file(), start)
    };
    let map = map.map_err(failed)?;
    // SAFETY: the mapping was just made and is unmapped below; the pages are there (or the call
    // says that they are not); the window is this flight's alone.
    unsafe {
        let there = madvise(map, before + length, Advice::LinuxPopulateRead);
        if there.is_ok() {
            let bytes = core::slice::from_raw_parts(map.cast::<u8>().add(before), length);
            landing.window(offset, length).copy_from_slice(bytes);
        }
        let _ = munmap(map, before + length);
        there.map_err(failed)
    }
}

#[cfg(not(target_os = "linux"))]
fn copy_map(_: &Handle, _: &Landing, _: u64, _: usize) -> Result<()> {
    Err(Error::unsupported("memory maps are for Linux"))
}
