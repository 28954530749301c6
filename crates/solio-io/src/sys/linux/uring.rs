//! The io_uring backend: one thread keeps many opens and reads under way in one ring.
//!
//! * It asks the core for pieces as the other threads do. Files are opened in the ring and read in
//!   the ring; ranges of files that are kept open only read. Closing is left to the handle.
//! * A small file that is likely not in the page cache is opened, read and closed by linked
//!   entries that are handed over together (`link.rs`).

use super::linked_read::{LINKS, Link, LinkEnd, NEEDS, StatFlight, StatOutcome};
use super::registered::Registered;
use crate::engine::core::Flight;
use crate::engine::handles::Handle;
use crate::engine::pool::ALIGN;
use crate::engine::read::widened;
use crate::engine::threads::{EngineShared, TakenFlight};
use crate::engine::transfer::{Transfer, TransferStep};
use io_uring::{IoUring, Probe, opcode, squeue, types};
use solio_base::Result;
use solio_measure::SpanName;
use std::ffi::CString;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

/// Many reads are under way at once here: only the time without any answer is a span.
static WAIT: SpanName = SpanName::new("wait for the ring");

/// Pieces that a ring has under way at most.
pub(crate) const DEPTH: usize = 64;
/// While something is under way, the ring looks this often for pieces that came meanwhile.
const LOOK_NS: u32 = 500_000;

/// A ring and what it can do.
pub(crate) struct UringQueue {
    ring: IoUring,
    /// Whether it can open, read and close a file by linked entries.
    links: bool,
    registered: Registered,
}

/// A ring, where the system has one with the operations that it needs; else why not.
pub(crate) fn ring() -> std::result::Result<UringQueue, String> {
    let mut ring = IoUring::new((LINKS * DEPTH) as u32)
        .map_err(|e| format!("the system refuses io_uring: {e}"))?;
    let mut probe = Probe::new();
    ring.submitter()
        .register_probe(&mut probe)
        .map_err(|e| format!("io_uring does not say what it can do: {e}"))?;
    let can = |codes: &[u8]| codes.iter().all(|&code| probe.is_supported(code));
    if !can(&[opcode::OpenAt::CODE, opcode::Read::CODE]) {
        return Err("this system's io_uring cannot open and read files".into());
    }
    if !ring.params().is_feature_ext_arg() {
        return Err("this system's io_uring cannot wait for a time".into());
    }
    try_out(&mut ring).map_err(|e| format!("the system refuses to use io_uring: {e}"))?;
    // A place for each file; refused where the process may have fewer files open.
    let links = can(&NEEDS)
        && ring.params().is_feature_linked_file()
        && ring.submitter().register_files_sparse(DEPTH as u32).is_ok();
    let registered = Registered::new(&ring, links && can(&[opcode::ReadFixed::CODE]));
    Ok(UringQueue { ring, links, registered })
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

/// What the ring does for a flight. What the system may look at, or write to, lives here.
enum UringOp {
    Open { flight: Flight, _path: CString },
    Read { flight: Flight, piece: Transfer, before: usize },
    Asked(StatFlight),
    Linked(Link),
}

/// A ring's thread.
pub(crate) struct Driver {
    ring: IoUring,
    links: bool,
    registered: Registered,
    /// By the number that a completion carries.
    stages: Vec<Option<UringOp>>,
    free: Vec<usize>,
    /// Where reads behind the end of files go, of which nothing is to come.
    beyond: Box<Beyond>,
}

/// A block as direct reads need it.
#[repr(align(4096))]
struct Beyond(#[allow(dead_code)] [u8; ALIGN]);

impl Driver {
    pub(crate) fn new(UringQueue { ring, links, registered }: UringQueue) -> Self {
        let stages = (0..DEPTH).map(|_| None).collect();
        let beyond = Box::new(Beyond([0; ALIGN]));
        Driver { ring, links, registered, stages, free: (0..DEPTH).collect(), beyond }
    }

    fn flying(&self) -> usize {
        DEPTH - self.free.len()
    }

    /// Serves the engine, beginning with `first`, until the engine has no more for a ring.
    pub(crate) fn serve(&mut self, shared: &Arc<EngineShared>, first: TakenFlight) {
        self.start(shared, first);
        let mut open = true;
        while open || self.flying() > 0 {
            while open && !self.free.is_empty() {
                // With nothing under way there is time to wait for work.
                match shared.take(self.flying() == 0) {
                    Ok(Some(taken)) => self.start(shared, taken),
                    Ok(None) => break,
                    Err(crate::engine::threads::NoMore) => open = false,
                }
            }
            if self.flying() > 0 {
                self.wait();
                self.finish(shared);
            }
        }
    }

    fn start(&mut self, shared: &Arc<EngineShared>, TakenFlight { flight, link }: TakenFlight) {
        let whole = flight.request().length.is_none();
        if flight.file.is_some() {
            return self.read(shared, flight);
        }
        let path = CString::new(flight.request().path.as_os_str().as_bytes());
        let (true, Ok(path)) = (whole, path) else { return self.open(shared, flight) };
        if link && self.links {
            let mut asked = StatFlight::new(flight, path);
            let entry = asked.entry();
            return self.push(&[entry], UringOp::Asked(asked));
        }
        let flags = libc::O_RDONLY | libc::O_CLOEXEC | libc::O_NONBLOCK;
        let entry = opcode::OpenAt::new(types::Fd(libc::AT_FDCWD), path.as_ptr()).flags(flags);
        self.push(&[entry.build()], UringOp::Open { flight, _path: path });
    }

    /// Opens a file outside of the ring.
    fn open(&mut self, shared: &Arc<EngineShared>, flight: Flight) {
        let file = shared.open(&flight);
        if let Some(flight) = shared.opened(flight, file) {
            self.read(shared, flight);
        }
    }

    /// The size of a file was asked for.
    fn seen(&mut self, shared: &Arc<EngineShared>, seen: StatOutcome) {
        match seen {
            StatOutcome::Small { flight, path, bytes } => {
                let Some(flight) = shared.sized(flight, bytes) else { return };
                let place = *self.free.last().expect("that of the question is free");
                let landing = flight.landing.as_ref().expect("its size is known");
                let known = self.registered.place(&self.ring, landing);
                if known.is_some() {
                    shared.counts.registered.fetch_add(1, Relaxed);
                }
                let mut link = Link::new(flight, path);
                let entries = link.entries(place, known, (&raw mut *self.beyond).cast());
                self.push(&entries, UringOp::Linked(link));
            }
            StatOutcome::None { flight, error } => drop(shared.opened(flight, Err(error))),
            StatOutcome::Other { flight } => self.open(shared, flight),
        }
    }

    /// A file was opened, read and closed, or not.
    fn linked(&mut self, shared: &Arc<EngineShared>, end: LinkEnd) {
        match end {
            LinkEnd::Whole { flight } => shared.arrived(flight),
            LinkEnd::NotOpened { flight, error } => drop(shared.opened(flight, Err(error))),
            LinkEnd::Unclear { flight } => self.open(shared, shared.unsure(flight)),
        }
    }

    fn read(&mut self, shared: &Arc<EngineShared>, flight: Flight) {
        let piece = Transfer::new(flight.grant.offset, flight.grant.length);
        let step = piece.step();
        self.go_on(shared, flight, piece, step);
    }

    fn go_on(
        &mut self,
        shared: &Arc<EngineShared>,
        flight: Flight,
        piece: Transfer,
        step: TransferStep,
    ) {
        let result = match step {
            TransferStep::Full => Ok(()),
            TransferStep::Failed(e) => Err(e),
            TransferStep::Read { offset, length } => {
                let handle = flight.file.as_ref().expect("it is open");
                let landing = flight.landing.as_ref().expect("it is open");
                let (start, before, length) = widened(handle, landing, offset, length);
                // SAFETY: the piece is this flight's; the stage keeps the landing alive until the
                // system has answered.
                let window = unsafe { landing.window(start, length) };
                let file = types::Fd(handle.file().as_raw_fd());
                let entry = opcode::Read::new(file, window.as_mut_ptr(), window.len() as u32);
                let entry = entry.offset(start).build();
                return self.push(&[entry], UringOp::Read { flight, piece, before });
            }
        };
        shared.ended(flight, result);
    }

    /// Queues the entries of a stage; each completion names its place and which of them it is of.
    fn push(&mut self, entries: &[squeue::Entry], stage: UringOp) {
        let place = self.free.pop().expect("asked for only with room");
        self.stages[place] = Some(stage);
        let entries: Vec<squeue::Entry> = entries
            .iter()
            .cloned()
            .enumerate()
            .map(|(part, entry)| entry.user_data((part << 32 | place) as u64))
            .collect();
        // SAFETY: what the entries point to is kept by the stage until their completion.
        let pushed = unsafe { self.ring.submission().push_multiple(&entries) };
        pushed.expect("the ring has as many entries as all places need");
    }

    /// Hands all entries to the system, and waits for completions, but not for long. With many
    /// files under way it waits for a few at once: each waking costs as much as reading one.
    fn wait(&mut self) {
        let time = types::Timespec::new().nsec(LOOK_NS);
        let until = types::SubmitArgs::new().timespec(&time);
        // Interrupted, out of time, busy: the completions say how far it came.
        let _span = WAIT.begin();
        let _ = self.ring.submitter().submit_with_args((self.flying() / 4).max(1), &until);
    }

    fn finish(&mut self, shared: &Arc<EngineShared>) {
        let answers: Vec<(u64, i32)> =
            self.ring.completion().map(|entry| (entry.user_data(), entry.result())).collect();
        for (name, answer) in answers {
            let (part, place) = ((name >> 32) as usize, name as u32 as usize);
            let stage = self.stages[place].as_mut().expect("its entries are not all answered");
            if let UringOp::Linked(link) = stage
                && !link.answer(part, answer)
            {
                continue; // the others follow
            }
            let stage = self.stages[place].take().expect("just seen");
            self.free.push(place);
            match stage {
                UringOp::Open { flight, .. } => self.opened(shared, flight, result(answer)),
                UringOp::Read { flight, piece, before } => {
                    self.answered(shared, flight, piece, before, result(answer));
                }
                UringOp::Asked(asked) => self.seen(shared, asked.seen(answer)),
                UringOp::Linked(link) => self.linked(shared, link.end()),
            }
        }
    }

    fn opened(
        &mut self,
        shared: &Arc<EngineShared>,
        flight: Flight,
        answer: std::io::Result<usize>,
    ) {
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
        shared: &Arc<EngineShared>,
        flight: Flight,
        mut piece: Transfer,
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

/// An answer of the system.
fn result(answer: i32) -> std::io::Result<usize> {
    match answer {
        0.. => Ok(answer as usize),
        code => Err(std::io::Error::from_raw_os_error(-code)),
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // Only when its thread panics is anything under way. The system may still write to the
        // memory of these stages: nobody gets it again.
        std::mem::take(&mut self.stages).into_iter().flatten().for_each(std::mem::forget);
    }
}
