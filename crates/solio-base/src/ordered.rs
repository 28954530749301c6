//! The ordered pipeline: read in order, compute in parallel, deliver in order, in bounded memory.
//!
//! Every parallel reader and writer of Solio is one call of [`run`]:
//!
//! * `next` takes the next job from the input, one at a time, in order;
//! * `map` works on jobs, on all threads at once;
//! * `commit` receives the jobs, one at a time, in the order of `next`.
//!
//! Every thread does what is to be done next. One of them takes jobs from the input until there are
//! enough for all that wait, and one more for the next that comes; then it works on one itself. So
//! the input stands still only where it is not the slowest part, also when taking a job is much work,
//! such as unpacking it.
//!
//! A job lives in a slot of a fixed set, and its buffers are reused (fresh memory costs more than
//! the work). The slot count bounds the memory. The first error *in the order of the input* is
//! the one returned, whatever the threads did: results do not depend on their number.

use crate::threads::{self, beside};
use crate::{Cancel, Error, Result, Work};
use solio_measure::{SpanName, lock, unlock};
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A thread had nothing to do: all slots were under way, or another takes the next job from the
/// input.
static WAIT: SpanName = SpanName::new("wait");

/// Jobs from the input that lie ready beside those for threads that wait: one for the thread that
/// takes them, and one for the next that comes.
const FILLED_AHEAD: usize = 2;

/// Runs the pipeline with at most `window` jobs under way.
///
/// `next` fills a slot and returns `false` at the end of the input. The slots start as
/// `S::default()` and come back as the last job left them.
///
/// ```
/// use solio_base::{Error, Work, ordered};
/// let mut lines = ["1", "2", "x", "y", "5"].into_iter();
/// let mut numbers = Vec::new();
/// let result = ordered::run::<(&str, u32)>(
///     &Work::default(),
///     4,
///     |(line, _)| Ok(lines.next().map(|next| *line = next).is_some()),
///     |(line, number)| {
///         *number = line.parse().map_err(|_| Error::syntax(format!("{line} is no number")))?;
///         Ok(())
///     },
///     |(_, number)| Ok(numbers.push(*number)),
/// );
/// // On any number of threads: all before the first error, and that error.
/// assert_eq!(numbers, [1, 2]);
/// assert_eq!(result.unwrap_err().message(), "x is no number");
/// ```
pub fn run<S: Default + Send>(
    work: &Work,
    window: usize,
    next: impl FnMut(&mut S) -> Result<bool> + Send,
    map: impl Fn(&mut S) -> Result<()> + Sync,
    commit: impl FnMut(&mut S) -> Result<()> + Send,
) -> Result<()> {
    run_in(&mut Vec::new(), work, window, next, map, commit)
}

/// [`run`] in `slots` of an earlier run, which leaves those there that came back to it. Where they
/// are fewer than `window`, more start as `S::default()`.
///
/// ```
/// use solio_base::{Work, ordered};
/// // Frame after frame, each of four chunks: their buffers are made once.
/// let (work, mut buffers, mut made) = (Work::serial(), Vec::<Vec<u8>>::new(), 0);
/// for frame in 0..3 {
///     let mut chunks = 0..4;
///     let next = |buffer: &mut Vec<u8>| {
///         made += usize::from(buffer.capacity() == 0);
///         buffer.resize(1000, frame);
///         Ok(chunks.next().is_some())
///     };
///     ordered::run_in(&mut buffers, &work, 2, next, |_| Ok(()), |_| Ok(()))?;
/// }
/// assert_eq!(made, 1);
/// # Ok::<(), solio_base::Error>(())
/// ```
pub fn run_in<S: Default + Send>(
    slots: &mut Vec<S>,
    work: &Work,
    window: usize,
    mut next: impl FnMut(&mut S) -> Result<bool> + Send,
    map: impl Fn(&mut S) -> Result<()> + Sync,
    mut commit: impl FnMut(&mut S) -> Result<()> + Send,
) -> Result<()> {
    let threads = work.threads.min(window).max(1);
    if threads == 1 {
        let mut slot = slots.pop().unwrap_or_default();
        while next(&mut slot)? {
            work.cancel.check()?;
            map(&mut slot)?;
            commit(&mut slot)?;
        }
        slots.push(slot);
        return Ok(());
    }
    // Those that were used lie at the end, from where they are taken.
    let mut free: Vec<S> = (slots.len()..window).map(|_| S::default()).collect();
    free.append(slots);
    let pipeline = Pipeline {
        line: Mutex::new(SlotQueues { free, ..SlotQueues::default() }),
        moved: Condvar::new(),
        input: Mutex::new(next),
        map,
        output: Mutex::new(commit),
        cancel: &work.cancel,
    };
    beside(threads - 1, &|| pipeline.work(), || pipeline.work());
    let line = unlock(pipeline.line);
    *slots = line.free;
    line.failed.map_or(Ok(()), Err)
}

/// A slot with its number in the input, and what went wrong with it.
struct NumberedSlot<S> {
    number: u64,
    slot: S,
    error: Option<Error>,
}

/// Where the jobs are that no thread works on.
#[derive(Default)]
struct SlotQueues<S> {
    free: Vec<S>,
    /// From the input.
    filled: VecDeque<NumberedSlot<S>>,
    /// A thread takes one from the input.
    filling: bool,
    /// Jobs that were taken from the input; no more are when it has ended.
    taken: u64,
    ended: bool,
    /// Worked on, waiting for their turn: the first place is that of `turn`.
    ready: VecDeque<Option<NumberedSlot<S>>>,
    turn: u64,
    committing: bool,
    /// Threads that wait, and the core of the thread that woke one last.
    waiting: usize,
    waker_core: usize,
    stop: bool,
    failed: Option<Error>,
}

impl<S> SlotQueues<S> {
    /// Wakes a thread that waits, as there is something to do.
    fn wake_one(&mut self, moved: &Condvar) {
        if self.waiting > 0 {
            self.waker_core = threads::core();
            moved.notify_one();
        }
    }
}

struct Pipeline<'w, S, N, M, C> {
    line: Mutex<SlotQueues<S>>,
    /// There is something to do, or nothing any more.
    moved: Condvar,
    input: Mutex<N>,
    map: M,
    output: Mutex<C>,
    cancel: &'w Cancel,
}

impl<S, N, M, C> Pipeline<'_, S, N, M, C>
where
    N: FnMut(&mut S) -> Result<bool>,
    M: Fn(&mut S) -> Result<()>,
    C: FnMut(&mut S) -> Result<()>,
{
    /// What each thread does.
    fn work(&self) {
        let _guard = StopOnPanic { line: &self.line, moved: &self.moved };
        while let Some(mut job) = self.job() {
            if job.error.is_none() {
                job.error = (self.map)(&mut job.slot).err();
            }
            self.commit(job);
        }
    }

    /// The next job to work on; `None` when there is none any more.
    fn job(&self) -> Option<NumberedSlot<S>> {
        let mut line = lock(&self.line);
        while !line.stop {
            let enough = line.filled.len() >= line.waiting + FILLED_AHEAD;
            if !line.filling
                && !line.ended
                && !enough
                && let Some(slot) = line.free.pop()
            {
                line.filling = true;
                drop(line);
                line = self.fill(slot);
                line.filling = false;
                line.wake_one(&self.moved);
            } else if let Some(job) = line.filled.pop_front() {
                return Some(job);
            } else if line.ended {
                return None;
            } else {
                line = self.wait(line);
            }
        }
        None
    }

    /// Takes a job from the input.
    fn fill(&self, mut slot: S) -> MutexGuard<'_, SlotQueues<S>> {
        let result = self.cancel.check().and_then(|()| lock(&self.input)(&mut slot));
        let mut line = lock(&self.line);
        line.ended = !matches!(result, Ok(true));
        if line.ended {
            self.moved.notify_all();
        }
        if let Ok(false) = result {
            line.free.push(slot);
            return line;
        }
        let number = line.taken;
        line.taken += 1;
        line.filled.push_back(NumberedSlot { number, slot, error: result.err() });
        line
    }

    fn wait<'l>(
        &'l self,
        mut line: MutexGuard<'l, SlotQueues<S>>,
    ) -> MutexGuard<'l, SlotQueues<S>> {
        let _span = WAIT.begin();
        line.waiting += 1;
        line = self.moved.wait(line).unwrap_or_else(PoisonError::into_inner);
        line.waiting -= 1;
        let core = line.waker_core;
        if threads::core() == core {
            drop(line);
            threads::leave(core);
            line = lock(&self.line);
        }
        line
    }

    /// Delivers `job`, and those behind it that wait for their turn.
    fn commit(&self, job: NumberedSlot<S>) {
        let mut line = lock(&self.line);
        let place = (job.number - line.turn) as usize;
        if line.ready.len() <= place {
            line.ready.resize_with(place + 1, || None);
        }
        line.ready[place] = Some(job);
        if line.committing {
            return; // the thread that holds the turn takes it along
        }
        line.committing = true;
        loop {
            let Some(mut job) = line.ready.front_mut().and_then(Option::take) else { break };
            drop(line);
            let result = match job.error {
                Some(error) => Err(error),
                None => lock(&self.output)(&mut job.slot),
            };
            line = lock(&self.line);
            if let Err(error) = result {
                line.failed = Some(error);
                line.stop = true;
                self.moved.notify_all();
                return;
            }
            line.turn += 1;
            line.ready.pop_front();
            line.free.push(job.slot);
            line.wake_one(&self.moved);
        }
        line.committing = false;
    }
}

/// Fills the buffer of chunk `i`; see [`Sink::write_chunks`](crate::Sink::write_chunks).
pub type FillChunk<'a> = dyn Fn(usize, &mut Vec<u8>) -> Result<()> + Sync + 'a;

/// [`run`] over numbered chunks of bytes: `fill` makes chunk `i` in an empty buffer, `put`
/// receives the chunks in order, and may take one if it leaves another buffer in its place.
///
/// ```
/// use solio_base::{Work, ordered};
/// let mut file = Vec::new();
/// let fill = |i: usize, text: &mut Vec<u8>| Ok(text.extend(format!("v {i} 0 0\n").bytes()));
/// let put = |text: &mut Vec<u8>| Ok(file.extend_from_slice(text));
/// ordered::for_chunks(&Work::default(), 8, 3, &fill, put)?;
/// assert_eq!(file, b"v 0 0 0\nv 1 0 0\nv 2 0 0\n");
/// # Ok::<(), solio_base::Error>(())
/// ```
pub fn for_chunks(
    work: &Work,
    window: usize,
    chunks: usize,
    fill: &FillChunk<'_>,
    mut put: impl FnMut(&mut Vec<u8>) -> Result<()> + Send,
) -> Result<()> {
    let mut count = 0..chunks;
    run::<(usize, Vec<u8>)>(
        work,
        window.min(chunks.max(1)),
        |slot| {
            let Some(i) = count.next() else { return Ok(false) };
            slot.0 = i;
            Ok(true)
        },
        |slot| {
            slot.1.clear();
            fill(slot.0, &mut slot.1)
        },
        |slot| put(&mut slot.1),
    )
}

/// A panic in any closure must wake the other threads, or they would wait for ever.
struct StopOnPanic<'a, S> {
    line: &'a Mutex<SlotQueues<S>>,
    moved: &'a Condvar,
}

impl<S> Drop for StopOnPanic<'_, S> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            lock(self.line).stop = true;
            self.moved.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn squares(threads: usize, window: usize, fail_at: Option<usize>) -> (Result<()>, Vec<u8>) {
        let work = Work { threads, ..Work::default() };
        let mut out = Vec::new();
        let fill = |i: usize, b: &mut Vec<u8>| {
            if fail_at.is_some_and(|f| i >= f) {
                return Err(Error::corrupt(format!("chunk {i}")));
            }
            if i.is_multiple_of(7) {
                std::thread::yield_now();
            }
            b.extend_from_slice(format!("{} ", i * i).as_bytes());
            Ok(())
        };
        let result = for_chunks(&work, window, 500, &fill, |b| {
            out.extend_from_slice(b);
            Ok(())
        });
        (result, out)
    }

    #[test]
    fn order_is_kept_on_any_number_of_threads() {
        let (_, expected) = squares(1, 1, None);
        for threads in [2, 3, 8] {
            for window in [1, 2, 5, 64] {
                let (result, out) = squares(threads, window, None);
                result.unwrap();
                assert_eq!(out, expected);
            }
        }
    }

    #[test]
    fn the_first_error_in_input_order_is_returned() {
        for threads in [1, 2, 8] {
            let (result, out) = squares(threads, 16, Some(99));
            assert_eq!(result.unwrap_err().message(), "chunk 99");
            assert!(out.ends_with(b"9604 "));
        }
    }

    #[test]
    fn cancelling_stops() {
        for threads in [1, 4] {
            let work = Work { threads, ..Work::default() };
            work.cancel.cancel();
            let e = for_chunks(&work, 8, 1000, &|_, _| Ok(()), |_| Ok(())).unwrap_err();
            assert_eq!(e.kind(), crate::ErrorKind::Cancelled);
        }
    }

    #[test]
    #[should_panic]
    fn a_panic_in_a_worker_ends_the_run() {
        let work = Work { threads: 4, ..Work::default() };
        let _ = for_chunks(
            &work,
            8,
            1000,
            &|i, _| {
                assert_ne!(i, 50);
                Ok(())
            },
            |_| Ok(()),
        );
    }
}
