//! Holds the reads of another process to a rate, without any rights: the kernel asks this process before each
//! call that reads (seccomp's user notification, Linux 5.5, `man 2 seccomp_unotify`), and is answered when
//! the bytes may be there.
//!
//! The model is one medium: what is asked for first comes first, each call ends when its last byte is due, and
//! nothing is saved up. Other threads go on meanwhile. What a map brings in is paid for when it is made.

mod calls;
mod filter;

use crate::held::HeldReads;
use crate::token_bucket::ByteClock;
use calls::Asked;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

/// The other thread looks so often whether it is to end.
const LOOK_NS: i64 = 20_000_000;

/// A process whose reads are held, and the thread that answers.
pub(crate) struct HeldProcess {
    end: Arc<AtomicBool>,
    thread: Option<JoinHandle<HeldReads>>,
}

/// Starts `command` and holds its reads, and those of all that it starts, to `rate` bytes a second; without
/// one they are counted alone.
pub(crate) fn start_held(
    command: &mut Command,
    rate: Option<u64>,
) -> io::Result<(Child, HeldProcess)> {
    let program = filter::program().ok_or(io::ErrorKind::Unsupported)?;
    let (here, there) = UnixStream::pair()?;
    let inner = there.as_raw_fd();
    // SAFETY: between fork and exec the closure makes system calls, which are safe there, and neither
    // allocates nor takes a lock: the filter was made before. The socket lives until after `spawn`.
    unsafe { command.pre_exec(move || filter::install(&program, inner)) };
    let child = command.spawn()?;
    drop(there);
    let listener = filter::received(&here)?;
    filter::wake_at_once(&listener);
    let end = Arc::new(AtomicBool::new(false));
    let until = Arc::clone(&end);
    let thread = std::thread::Builder::new().name("solio holds reads".into());
    let thread = thread.spawn(move || Holder::new(listener, rate).run(&until))?;
    Ok((child, HeldProcess { end, thread: Some(thread) }))
}

impl HeldProcess {
    /// After the process has ended: what it read.
    pub(crate) fn finish(mut self) -> HeldReads {
        self.join().unwrap_or_default()
    }

    fn join(&mut self) -> Option<HeldReads> {
        self.end.store(true, Ordering::Relaxed);
        self.thread.take()?.join().ok()
    }
}

impl Drop for HeldProcess {
    fn drop(&mut self) {
        self.join();
    }
}

/// Answers the kernel's questions.
struct Holder {
    listener: OwnedFd,
    clock: Option<ByteClock>,
    /// When which call may go on.
    due: BinaryHeap<Reverse<(u64, u64)>>,
    reads: HeldReads,
    /// Where a file stands in the list, by device and inode.
    places: HashMap<(u64, u64), usize>,
}

impl Holder {
    fn new(listener: OwnedFd, rate: Option<u64>) -> Holder {
        let clock = rate.map(ByteClock::new);
        let (due, reads, places) = (BinaryHeap::new(), HeldReads::default(), HashMap::new());
        Holder { listener, clock, due, reads, places }
    }

    fn run(mut self, end: &AtomicBool) -> HeldReads {
        loop {
            let now = solio_measure::now_ns();
            while let Some(&Reverse((when, id))) = self.due.peek()
                && when <= now
            {
                self.due.pop();
                filter::go_on(&self.listener, id);
            }
            let wait = self.due.peek().map_or(i64::MAX, |Reverse((when, _))| (when - now) as i64);
            match filter::wait(&self.listener, wait.min(LOOK_NS)) {
                // Nobody is left whose calls are held.
                filter::Waited::Gone => return self.reads,
                filter::Waited::Asked => self.answer(),
                filter::Waited::Time if end.load(Ordering::Relaxed) && self.due.is_empty() => {
                    return self.reads;
                }
                filter::Waited::Time => {}
            }
        }
    }

    fn answer(&mut self) {
        let Some(call) = filter::asked(&self.listener) else { return };
        let asked = calls::of(&call);
        self.note(&asked);
        let when = match (&mut self.clock, &asked) {
            (Some(clock), Some(asked)) if asked.bytes > 0 => {
                clock.reserve(solio_measure::now_ns(), asked.bytes)
            }
            _ => return filter::go_on(&self.listener, call.id),
        };
        self.due.push(Reverse((when, call.id)));
    }

    fn note(&mut self, asked: &Option<Asked>) {
        self.reads.calls += 1;
        let Some(asked) = asked.as_ref().filter(|asked| asked.bytes > 0) else { return };
        self.reads.bytes += asked.bytes;
        if asked.is_map {
            self.reads.mapped_bytes += asked.bytes;
        }
        let place = *self.places.entry(asked.file).or_insert_with(|| {
            self.reads.files.push((calls::path_of(asked), 0));
            self.reads.files.len() - 1
        });
        self.reads.files[place].1 += asked.bytes;
    }
}
