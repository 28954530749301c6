//! The io_uring backend: one thread keeps many opens and reads under way in one ring.
//!
//! It asks the core for pieces as the other threads do. Files are opened in the ring and read in
//! the ring; ranges of files that are kept open only read. Closing is left to the handle.

use super::core::Flight;
use super::handles::Handle;
use super::piece::{Piece, Step};
use super::read::widened;
use super::shared::Shared;
use io_uring::{IoUring, Probe, opcode, squeue, types};
use solio_base::Result;
use solio_measure::SpanName;
use std::ffi::CString;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;

/// Many reads are under way at once here: only the time without any answer is a span.
static WAIT: SpanName = SpanName::new("wait for the ring");

/// Entries of a ring: pieces that it has under way at most.
pub(crate) const DEPTH: usize = 64;
/// While something is under way, the ring looks this often for pieces that came meanwhile.
const LOOK_NS: u32 = 500_000;

/// A ring, where the system has one with the operations that it needs; else why not.
pub(crate) fn ring() -> std::result::Result<IoUring, String> {
    let mut ring =
        IoUring::new(DEPTH as u32).map_err(|e| format!("the system refuses io_uring: {e}"))?;
    let mut probe = Probe::new();
    ring.submitter()
        .register_probe(&mut probe)
        .map_err(|e| format!("io_uring does not say what it can do: {e}"))?;
    let needed = [opcode::OpenAt::CODE, opcode::Read::CODE];
    if !needed.iter().all(|&code| probe.is_supported(code)) {
        return Err("this system's io_uring cannot open and read files".into());
    }
    if !ring.params().is_feature_ext_arg() {
        return Err("this system's io_uring cannot wait for a time".into());
    }
    try_out(&mut ring).map_err(|e| format!("the system refuses to use io_uring: {e}"))?;
    Ok(ring)
}

/// A system may give a ring and then forbid to use it.
fn try_out(ring: &mut IoUring) -> std::io::Result<()> {
    // SAFETY: an entry that does nothing points to nothing.
    unsafe { ring.submission().push(&opcode::Nop::new().build()) }.expect("the ring is empty");
    loop {
        match ring.submit_and_wait(1) {
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
            Ok(_) => break,
        }
    }
    ring.completion().for_each(drop);
    Ok(())
}

/// What the ring does for a flight.
enum Stage {
    /// The path lives as long as the system may look at it.
    Open {
        flight: Flight,
        _path: CString,
    },
    Read {
        flight: Flight,
        piece: Piece,
        before: usize,
    },
}

/// A ring's thread.
pub(crate) struct Driver {
    ring: IoUring,
    /// By the number that a completion carries.
    stages: Vec<Option<Stage>>,
    free: Vec<usize>,
}

impl Driver {
    pub(crate) fn new(ring: IoUring) -> Self {
        Driver { ring, stages: (0..DEPTH).map(|_| None).collect(), free: (0..DEPTH).collect() }
    }

    fn flying(&self) -> usize {
        DEPTH - self.free.len()
    }

    /// Serves the engine until it closes.
    pub(crate) fn serve(mut self, shared: &Arc<Shared>) {
        let mut open = true;
        while open || self.flying() > 0 {
            while open && !self.free.is_empty() {
                // With nothing under way there is time to wait for work.
                match shared.take(self.flying() == 0) {
                    Ok(Some(flight)) => self.start(shared, flight),
                    Ok(None) => break,
                    Err(super::shared::Closing) => open = false,
                }
            }
            if self.flying() > 0 {
                self.wait();
                self.finish(shared);
            }
        }
    }

    fn start(&mut self, shared: &Arc<Shared>, flight: Flight) {
        let whole = flight.request().length.is_none();
        if flight.file.is_some() {
            self.read(shared, flight);
        } else if let (true, Ok(path)) =
            (whole, CString::new(flight.request().path.as_os_str().as_bytes()))
        {
            let flags = libc::O_RDONLY | libc::O_CLOEXEC | libc::O_NONBLOCK;
            let entry = opcode::OpenAt::new(types::Fd(libc::AT_FDCWD), path.as_ptr()).flags(flags);
            self.push(entry.build(), Stage::Open { flight, _path: path });
        } else {
            self.open(shared, flight);
        }
    }

    /// Opens a file outside of the ring.
    fn open(&mut self, shared: &Arc<Shared>, flight: Flight) {
        let file = shared.open(&flight);
        if let Some(flight) = shared.opened(flight, file) {
            self.read(shared, flight);
        }
    }

    fn read(&mut self, shared: &Arc<Shared>, flight: Flight) {
        let piece = Piece::new(flight.grant.offset, flight.grant.length);
        let step = piece.step();
        self.go_on(shared, flight, piece, step);
    }

    fn go_on(&mut self, shared: &Arc<Shared>, flight: Flight, piece: Piece, step: Step) {
        let result = match step {
            Step::Full => Ok(()),
            Step::Failed(e) => Err(e),
            Step::Read { offset, length } => {
                let handle = flight.file.as_ref().expect("it is open");
                let landing = flight.landing.as_ref().expect("it is open");
                let (start, before, length) = widened(handle, landing, offset, length);
                // SAFETY: the piece is this flight's; the stage keeps the landing alive until the
                // system has answered.
                let window = unsafe { landing.window(start, length) };
                let file = types::Fd(handle.file().as_raw_fd());
                let entry = opcode::Read::new(file, window.as_mut_ptr(), window.len() as u32);
                let entry = entry.offset(start).build();
                return self.push(entry, Stage::Read { flight, piece, before });
            }
        };
        shared.ended(flight, result);
    }

    fn push(&mut self, entry: squeue::Entry, stage: Stage) {
        let place = self.free.pop().expect("asked for only with room");
        self.stages[place] = Some(stage);
        // SAFETY: what the entry points to is kept by the stage until its completion.
        let pushed = unsafe { self.ring.submission().push(&entry.user_data(place as u64)) };
        pushed.expect("the ring has as many entries as there are places");
    }

    /// Hands all entries to the system, and waits for a completion, but not for long.
    fn wait(&mut self) {
        let time = types::Timespec::new().nsec(LOOK_NS);
        let until = types::SubmitArgs::new().timespec(&time);
        // Interrupted, out of time, busy: the completions say how far it came.
        let _span = WAIT.begin();
        let _ = self.ring.submitter().submit_with_args(1, &until);
    }

    fn finish(&mut self, shared: &Arc<Shared>) {
        let answers: Vec<(u64, i32)> =
            self.ring.completion().map(|entry| (entry.user_data(), entry.result())).collect();
        for (place, answer) in answers {
            let place = place as usize;
            let stage = self.stages[place].take().expect("one completion for each entry");
            self.free.push(place);
            let answer = match answer {
                0.. => Ok(answer as usize),
                code => Err(std::io::Error::from_raw_os_error(-code)),
            };
            match stage {
                Stage::Open { flight, .. } => self.opened(shared, flight, answer),
                Stage::Read { flight, piece, before } => {
                    self.answered(shared, flight, piece, before, answer);
                }
            }
        }
    }

    fn opened(&mut self, shared: &Arc<Shared>, flight: Flight, answer: std::io::Result<usize>) {
        let path = &flight.request().path;
        let direct = shared.direct_of(&flight);
        let file: Result<Arc<Handle>> = match answer {
            Ok(number) => {
                // SAFETY: the system has just opened it for us alone.
                let file = unsafe { OwnedFd::from_raw_fd(number as i32) };
                Handle::of(file, path, direct).map(Arc::new)
            }
            Err(e) if matches!(e.raw_os_error(), Some(libc::EMFILE | libc::ENFILE)) => {
                // The way that waits for descriptors.
                return self.open(shared, flight);
            }
            Err(e) => Err(crate::io_error("open", e, path)),
        };
        if let Some(flight) = shared.opened(flight, file) {
            self.read(shared, flight);
        }
    }

    fn answered(
        &mut self,
        shared: &Arc<Shared>,
        flight: Flight,
        mut piece: Piece,
        before: usize,
        answer: std::io::Result<usize>,
    ) {
        let handle = flight.file.as_ref().expect("it is open");
        let step = match answer {
            Err(e) if e.raw_os_error() == Some(libc::EINVAL) && handle.is_direct() => {
                handle.stop_direct();
                piece.step()
            }
            Err(e) if e.raw_os_error() == Some(libc::EAGAIN) => piece.step(),
            answer => piece.answer(answer.map(|bytes| bytes.saturating_sub(before))),
        };
        self.go_on(shared, flight, piece, step);
    }
}
