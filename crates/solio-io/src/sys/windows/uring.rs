//! What Windows has in place of a ring: overlapped reads, many at once, whose ends come out of a completion
//! port.
//!
//! * One thread takes pieces from the core as that of a ring does, by the same priorities and within the
//!   same memory, and hands them to the system.
//! * Files are opened as the other threads open them: no call of the system opens without waiting. Reads
//!   go by a second handle of the file, which pieces that are under way share.
//! * A file that gives no second handle (some shares) is read here and now.

use super::files::{MOST_BYTES, SHARE, at};
use super::{Errno, owned, pread};
use crate::engine::core::Flight;
use crate::engine::handles::Handle;
use crate::engine::threads::{EngineShared, NoMore, TakenFlight};
use crate::engine::transfer::{Transfer, TransferStep};
use solio_measure::SpanName;
use std::cell::UnsafeCell;
use std::fs::File;
use std::os::windows::io::AsRawHandle;
use std::sync::Arc;
use windows_sys::Win32::Foundation::{
    ERROR_HANDLE_EOF, ERROR_IO_PENDING, GENERIC_READ, INVALID_HANDLE_VALUE,
};
use windows_sys::Win32::Storage::FileSystem as fs;
use windows_sys::Win32::System::IO::{
    CreateIoCompletionPort, GetOverlappedResult, GetQueuedCompletionStatusEx, OVERLAPPED,
    OVERLAPPED_ENTRY,
};

/// Many reads are under way at once here: only the time without any answer is a span.
static WAIT: SpanName = SpanName::new("wait for the port");

/// Pieces that a port has under way at most.
pub(crate) const DEPTH: usize = 64;
/// While something is under way, the port looks this often for pieces that came meanwhile.
const LOOK_MS: u32 = 1;

/// A completion port.
pub(crate) struct UringQueue {
    port: File,
}

/// A port, else why there is none.
pub(crate) fn ring() -> Result<UringQueue, String> {
    // SAFETY: a new port of no file yet, for one thread.
    let port = unsafe { CreateIoCompletionPort(INVALID_HANDLE_VALUE, core::ptr::null_mut(), 0, 1) };
    if port.is_null() {
        return Err(format!("no completion port: {}", std::io::Error::last_os_error()));
    }
    // SAFETY: just made, and nobody else's. As a `File` it is only closed.
    Ok(UringQueue { port: unsafe { owned(port) } })
}

/// A read that is under way. The system writes to the memory of its flight, and to its place in
/// [`Driver::places`].
struct OverlappedRead {
    flight: Flight,
    piece: Transfer,
    /// The second handle.
    twin: Arc<File>,
}

/// A port's thread.
pub(crate) struct Driver {
    port: File,
    reads: Vec<Option<OverlappedRead>>,
    /// What the system is told of each read, and tells.
    places: Box<[UnsafeCell<OVERLAPPED>]>,
    free: Vec<usize>,
}

impl Driver {
    pub(crate) fn new(UringQueue { port }: UringQueue) -> Self {
        let reads = (0..DEPTH).map(|_| None).collect();
        let places = (0..DEPTH).map(|_| UnsafeCell::new(OVERLAPPED::default())).collect();
        Driver { port, reads, places, free: (0..DEPTH).collect() }
    }

    fn flying(&self) -> usize {
        DEPTH - self.free.len()
    }

    /// Serves the engine, beginning with `first`, until the engine has no more for a ring.
    pub(crate) fn serve(&mut self, shared: &Arc<EngineShared>, first: TakenFlight) {
        self.start(shared, first.flight);
        let mut open = true;
        while open || self.flying() > 0 {
            while open && !self.free.is_empty() {
                // With nothing under way there is time to wait for work.
                match shared.take(self.flying() == 0) {
                    Ok(Some(taken)) => self.start(shared, taken.flight),
                    Ok(None) => break,
                    Err(NoMore) => open = false,
                }
            }
            if self.flying() > 0 {
                self.finish(shared);
            }
        }
    }

    fn start(&mut self, shared: &Arc<EngineShared>, flight: Flight) {
        let flight = match flight.file.is_some() {
            true => flight,
            false => {
                let file = shared.open(&flight);
                let Some(flight) = shared.opened(flight, file) else { return };
                flight
            }
        };
        let piece = Transfer::new(flight.grant.offset, flight.grant.length);
        let step = piece.step();
        let twin = self.twin(flight.file.as_ref().expect("it is open"));
        self.go_on(shared, (flight, piece, twin), step);
    }

    /// The second handle of a file; `None` where there is none to be had.
    fn twin(&self, handle: &Arc<Handle>) -> Option<Arc<File>> {
        let is_same = |read: &&OverlappedRead| {
            read.flight.file.as_ref().is_some_and(|file| Arc::ptr_eq(file, handle))
        };
        if let Some(read) = self.reads.iter().flatten().find(is_same) {
            return Some(Arc::clone(&read.twin));
        }
        let how = fs::FILE_FLAG_OVERLAPPED;
        // SAFETY: the handle is open.
        let twin =
            unsafe { fs::ReOpenFile(handle.file().as_raw_handle(), GENERIC_READ, SHARE, how) };
        if twin == INVALID_HANDLE_VALUE {
            return None;
        }
        // SAFETY: just opened, and nobody else's.
        let twin = unsafe { owned(twin) };
        // SAFETY: both handles are open.
        let joined = unsafe {
            CreateIoCompletionPort(twin.as_raw_handle(), self.port.as_raw_handle(), 0, 0)
        };
        (!joined.is_null()).then(|| Arc::new(twin))
    }

    /// Does the next step of a flight, and all after it that need no waiting.
    fn go_on(
        &mut self,
        shared: &Arc<EngineShared>,
        (flight, mut piece, twin): (Flight, Transfer, Option<Arc<File>>),
        mut step: TransferStep,
    ) {
        let result = loop {
            let (offset, length) = match step {
                TransferStep::Full => break Ok(()),
                TransferStep::Failed(e) => break Err(e),
                TransferStep::Read { offset, length } => (offset, length.min(MOST_BYTES)),
            };
            let landing = flight.landing.as_ref().expect("it is open");
            // SAFETY: the piece is this flight's; the read keeps the landing alive until the system has
            // answered.
            let window = unsafe { landing.window(offset, length) };
            let answer = match &twin {
                None => {
                    let handle = flight.file.as_ref().expect("it is open");
                    pread(handle.file(), window, offset).map_err(Into::into)
                }
                Some(twin) => {
                    let place = *self.free.last().expect("asked for only with room");
                    let told = self.places[place].get();
                    // SAFETY: nothing is under way at this place; the window has so many bytes, and lives
                    // with the flight until the system has answered.
                    let begun = unsafe {
                        *told = at(offset);
                        fs::ReadFile(
                            twin.as_raw_handle(),
                            window.as_mut_ptr(),
                            window.len() as u32,
                            core::ptr::null_mut(),
                            told,
                        )
                    };
                    match (begun, Errno::last().raw_os_error() as u32) {
                        // Its end comes out of the port, also where it is there at once.
                        (1.., _) | (_, ERROR_IO_PENDING) => {
                            self.free.pop();
                            let twin = Arc::clone(twin);
                            self.reads[place] = Some(OverlappedRead { flight, piece, twin });
                            return;
                        }
                        (_, ERROR_HANDLE_EOF) => Ok(0),
                        (_, code) => Err(std::io::Error::from_raw_os_error(code as i32)),
                    }
                }
            };
            step = piece.answer(answer);
        };
        shared.ended(flight, result);
    }

    /// Waits for reads to end, but not for long.
    fn finish(&mut self, shared: &Arc<EngineShared>) {
        let (mut ended, mut count) = ([OVERLAPPED_ENTRY::default(); DEPTH], 0);
        let span = WAIT.begin();
        // SAFETY: the entries are there to be filled, as many as is said.
        let told = unsafe {
            GetQueuedCompletionStatusEx(
                self.port.as_raw_handle(),
                ended.as_mut_ptr(),
                DEPTH as u32,
                &mut count,
                LOOK_MS,
                0,
            )
        };
        drop(span);
        if told == 0 {
            return; // none has ended yet
        }
        for entry in &ended[..count as usize] {
            let place = self.places.iter().position(|place| place.get() == entry.lpOverlapped);
            let place = place.expect("the port knows reads of this thread alone");
            let OverlappedRead { flight, mut piece, twin } =
                self.reads[place].take().expect("a read ends once");
            self.free.push(place);
            let mut bytes = 0;
            // SAFETY: the read has ended; the handle is open.
            let done = unsafe {
                GetOverlappedResult(twin.as_raw_handle(), self.places[place].get(), &mut bytes, 0)
            };
            let answer = match (done, Errno::last().raw_os_error() as u32) {
                (1.., _) => Ok(bytes as usize),
                (_, ERROR_HANDLE_EOF) => Ok(0),
                (_, code) => Err(std::io::Error::from_raw_os_error(code as i32)),
            };
            let step = piece.answer(answer);
            self.go_on(shared, (flight, piece, Some(twin)), step);
        }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // Only when its thread panics is anything under way. The system may still write to the memory of
        // these reads, and to their places: nobody gets it again.
        if self.flying() > 0 {
            std::mem::take(&mut self.reads).into_iter().flatten().for_each(std::mem::forget);
            std::mem::forget(std::mem::take(&mut self.places));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::engine::{Backend, Engine, EngineOptions, Request};
    use crate::probe::write_plain;

    #[test]
    fn overlapped_reads_are_those_of_threads() {
        let folder = tempfile::tempdir().unwrap();
        let sizes = [0, 1, 4096, 70_001, 5 << 20, 9_000_001];
        let all: Vec<_> = (0..90)
            .map(|n| {
                let (path, size) = (folder.path().join(n.to_string()), sizes[n % sizes.len()]);
                let bytes: Vec<u8> = (0..size).map(|at| ((at * 31 + n * 7) >> 3) as u8).collect();
                write_plain(&path, &bytes).unwrap();
                (path, bytes)
            })
            .collect();
        let options = EngineOptions { backend: Backend::Uring, ..EngineOptions::default() };
        let engine = Engine::new(options).unwrap();
        let whole = engine.read(all.iter().map(|(path, _)| Request::file(path)));
        for done in whole {
            let (path, bytes) = &all[done.index];
            assert!(done.result.unwrap()[..] == bytes[..], "{path:?}");
        }
        let (path, bytes) = &all[5];
        let starts = (0..9_000_000u64).step_by(45_007);
        for done in engine.read(starts.map(|at| Request::range(path, at, 1000).tag(at))) {
            let at = done.tag as usize;
            assert!(done.result.unwrap()[..] == bytes[at..at + 1000], "{at}");
        }
        // Behind the end there is the same error as of threads, not a wait.
        let threads = EngineOptions { backend: Backend::Threads, ..EngineOptions::default() };
        let threads = Engine::new(threads).unwrap();
        let beyond = |engine: &Engine| {
            let mut done = engine.read([Request::range(path, 9_000_000, 10)]).wait();
            done.remove(0).result.unwrap_err().to_string()
        };
        assert_eq!(beyond(&engine), beyond(&threads));
        let stats = engine.stats();
        assert_eq!((stats.backend, stats.fallback), (Backend::Uring, None));
    }
}
