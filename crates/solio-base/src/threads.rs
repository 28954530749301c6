//! Threads that are kept: one that has done its work waits a while for more.
//!
//! A new thread begins late: the system puts it behind the one that started it, on the same core,
//! and moves it only when its clock ticks, up to 4 ms later. A file of 2 MB is read by then. A
//! thread that waits is awake within 50 µs, and [`leave`] sees to it that this is on another core.

use crate::sys;
use crate::{Error, Result};
use solio_measure::lock;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A thread without work ends after this time.
const KEPT: Duration = Duration::from_secs(10);

type SharedJob = Box<dyn FnOnce() + Send>;

/// Threads without work, the one that had some last at the end.
struct Waiting {
    /// The process that they are threads of: a copy made by `fork` has none.
    process: u32,
    threads: Vec<(u64, Sender<SharedJob>)>,
}

static WAITING: Mutex<Waiting> = Mutex::new(Waiting { process: 0, threads: Vec::new() });

/// Threads that were started so far.
static STARTED: AtomicU64 = AtomicU64::new(0);

/// Those that wait in this process.
fn waiting() -> MutexGuard<'static, Waiting> {
    let mut waiting = lock(&WAITING);
    let process = std::process::id();
    if waiting.process != process {
        waiting.process = process;
        waiting.threads.clear();
    }
    waiting
}

/// Runs `job` on a thread beside this one.
///
/// # Errors
/// Where no thread waits, and the system starts no more.
///
/// ```
/// use std::sync::mpsc::channel;
/// let (sender, sums) = channel();
/// solio_base::threads::start(move || sender.send((1..=100).sum::<u32>()).unwrap())?;
/// assert_eq!(sums.recv(), Ok(5050));
/// # Ok::<(), solio_base::Error>(())
/// ```
pub fn start(job: impl FnOnce() + Send + 'static) -> Result<()> {
    let core = core();
    give(Box::new(move || {
        leave(core);
        job();
    }))
}

fn give(mut job: SharedJob) -> Result<()> {
    loop {
        let last = waiting().threads.pop();
        let Some((_, thread)) = last else { break };
        match thread.send(job) {
            Ok(()) => return Ok(()),
            Err(unsent) => job = unsent.0,
        }
    }
    let number = STARTED.fetch_add(1, Ordering::Relaxed) + 1;
    let thread = std::thread::Builder::new().name(format!("solio {number}"));
    let started = thread.spawn(move || serve(number, job));
    started.map(drop).map_err(|e| Error::io("start a thread", e))
}

/// What a thread does, beginning with `job`. A panic in one ends it.
fn serve(number: u64, mut job: SharedJob) {
    let (sender, jobs) = channel();
    loop {
        job();
        waiting().threads.push((number, sender.clone()));
        job = match jobs.recv_timeout(KEPT) {
            Ok(next) => next,
            Err(RecvTimeoutError::Timeout) => {
                let mut waiting = waiting();
                let before = waiting.threads.len();
                waiting.threads.retain(|(other, _)| *other != number);
                if waiting.threads.len() < before {
                    return;
                }
                drop(waiting);
                // It was chosen just now.
                match jobs.recv() {
                    Ok(next) => next,
                    Err(_) => return,
                }
            }
            Err(RecvTimeoutError::Disconnected) => return,
        };
    }
}

/// The core that this thread runs on.
///
/// ```
/// use solio_base::threads::core;
/// use std::sync::atomic::{AtomicUsize, Ordering};
/// // A counter for each core: threads seldom meet at one.
/// let counters = [const { AtomicUsize::new(0) }; 64];
/// counters[core() % 64].fetch_add(3, Ordering::Relaxed);
/// assert_eq!(counters.iter().map(|count| count.load(Ordering::Relaxed)).sum::<usize>(), 3);
/// ```
pub fn core() -> usize {
    sys::core()
}

/// Goes to another core, if there is one, when this thread is on `core`: that of the thread which
/// woke it and goes on there. Systems choose another core themselves; but some virtual machines put
/// a thread beside the one that wakes it, where the two take turns until the next tick. Once it is
/// elsewhere it is woken there.
///
/// ```
/// use solio_base::threads::{core, leave};
/// use std::thread::available_parallelism;
/// let cores = available_parallelism()?;
/// leave(core());
/// // It may come back: the cores that it may use are the same.
/// assert_eq!(available_parallelism()?, cores);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn leave(core: usize) {
    sys::leave(core);
}

/// Runs `helper` on up to `count` threads beside this one, and `here` on this one. Returns when all
/// have ended; a thread that has not begun when `here` has ended does nothing.
///
/// # Panics
/// When `here` does, or `helper` on any thread.
///
/// ```
/// use solio_base::threads::beside;
/// use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
/// // Whoever is free takes the next number, so helpers that come late or never change nothing.
/// let (next, sum) = (AtomicUsize::new(0), AtomicUsize::new(0));
/// let work = || {
///     while let number @ 0..100 = next.fetch_add(1, Relaxed) {
///         sum.fetch_add(number, Relaxed);
///     }
/// };
/// beside(3, &work, work);
/// assert_eq!(sum.into_inner(), 4950);
/// ```
pub fn beside<T>(count: usize, helper: &(dyn Fn() + Sync), here: impl FnOnce() -> T) -> T {
    if count == 0 {
        return here();
    }
    let call = Arc::new(Call::default());
    let end = JobEnd(&call);
    for _ in 0..count {
        let (call, helper) = (Arc::clone(&call), Helper::new(helper));
        // Without one more thread the others do its work.
        let _ = start(move || call.help(&helper));
    }
    let result = here();
    drop(end);
    let panic = lock(&call.state).panic.take();
    if let Some(panic) = panic {
        resume_unwind(panic);
    }
    result
}

/// One call of [`beside`].
#[derive(Default)]
struct Call {
    state: Mutex<PoolState>,
    moved: Condvar,
}

#[derive(Default)]
struct PoolState {
    /// No thread begins any more.
    ended: bool,
    /// Threads that have begun and not ended.
    running: usize,
    panic: Option<Box<dyn Any + Send>>,
}

impl Call {
    fn help(&self, helper: &Helper) {
        {
            let mut state = lock(&self.state);
            if state.ended {
                return;
            }
            state.running += 1;
        }
        // SAFETY: `JobEnd` waits for this thread, which has just been counted, before the function ends
        // that borrows the helper.
        let helper = unsafe { &*helper.0 };
        let panic = catch_unwind(AssertUnwindSafe(helper)).err();
        let mut state = lock(&self.state);
        state.running -= 1;
        state.panic = state.panic.take().or(panic);
        self.moved.notify_all();
    }
}

/// Waits for all that have begun, also after a panic.
struct JobEnd<'c>(&'c Call);

impl Drop for JobEnd<'_> {
    fn drop(&mut self) {
        let mut state = lock(&self.0.state);
        state.ended = true;
        while state.running > 0 {
            state = self.0.moved.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// What [`beside`] was given, for threads that the borrow checker does not know to end before it.
struct Helper(*const (dyn Fn() + Sync));

// SAFETY: it points to what any thread may use.
unsafe impl Send for Helper {}

impl Helper {
    fn new<'h>(helper: &'h (dyn Fn() + Sync + 'h)) -> Self {
        let helper: *const (dyn Fn() + Sync + 'h) = helper;
        // SAFETY: the same pointer. Only `Call::help` follows it, while what it points to is there.
        Helper(unsafe {
            std::mem::transmute::<*const (dyn Fn() + Sync + 'h), *const (dyn Fn() + Sync)>(helper)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;
    use std::sync::mpsc::channel;

    #[test]
    fn a_thread_serves_one_job_after_the_other() {
        let (done, jobs) = channel();
        let mut threads = Vec::new();
        for _ in 0..50 {
            let done = done.clone();
            start(move || done.send(std::thread::current().id()).unwrap()).unwrap();
            threads.push(jobs.recv().unwrap());
        }
        threads.sort_by_key(|id| format!("{id:?}"));
        threads.dedup();
        // Others of the tests take some, and a thread may not wait yet when the next job comes.
        assert!(threads.len() < 50, "{}", threads.len());
    }

    #[test]
    fn all_that_begin_are_waited_for() {
        for count in [0, 1, 3] {
            for _ in 0..200 {
                let (begun, ended) = (AtomicUsize::new(0), AtomicUsize::new(0));
                let help = || {
                    begun.fetch_add(1, Ordering::Relaxed);
                    std::thread::yield_now();
                    ended.fetch_add(1, Ordering::Relaxed);
                };
                assert_eq!(beside(count, &help, || 7), 7);
                let (begun, ended) = (begun.into_inner(), ended.into_inner());
                assert!(begun == ended && begun <= count, "{begun} {ended} {count}");
            }
        }
    }

    #[test]
    fn calls_within_calls_end() {
        let all = AtomicUsize::new(0);
        let inner = || {
            beside(2, &|| _ = all.fetch_add(1, Ordering::Relaxed), || ());
        };
        beside(3, &inner, inner);
        assert!(all.into_inner() <= 8);
    }

    #[test]
    fn a_panic_of_a_helper_is_one_of_the_caller() {
        let result = catch_unwind(|| {
            let begun = AtomicUsize::new(0);
            let help = || {
                begun.store(1, Ordering::Relaxed);
                panic!("helper");
            };
            beside(1, &help, || {
                while begun.load(Ordering::Relaxed) == 0 {
                    std::thread::yield_now();
                }
            });
        });
        assert_eq!(result.unwrap_err().downcast_ref::<&str>(), Some(&"helper"));
    }
}
