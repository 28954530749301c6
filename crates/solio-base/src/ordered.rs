//! The ordered pipeline: read in order, compute in parallel, deliver in order, in bounded memory.
//!
//! Every parallel reader and writer of Solio is one call of [`run`]:
//!
//! * `next` takes the next job from the input, one at a time, in order;
//! * `map` works on jobs, on all threads at once;
//! * `commit` receives the jobs, one at a time, in the order of `next`.
//!
//! A job lives in a slot of a fixed set, and its buffers are reused (fresh memory costs more than
//! the work). The slot count bounds the memory. The first error *in the order of the input* is
//! the one returned, whatever the threads did: results do not depend on their number.

use crate::{Error, Result, Work};
use solio_measure::SpanName;
use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A thread had nothing to do: all slots were under way, or another took its job from the input.
static WAIT: SpanName = SpanName::new("wait");

struct Line<S> {
    free: Vec<S>,
    ready: BTreeMap<u64, (S, Option<Error>)>,
    turn: u64,
    committing: bool,
    stop: bool,
    failed: Option<Error>,
}

/// Runs the pipeline with at most `window` jobs under way.
///
/// `next` fills a slot and returns `false` at the end of the input. The slots start as
/// `S::default()` and come back as the last job left them.
pub fn run<S: Default + Send>(
    work: &Work,
    window: usize,
    mut next: impl FnMut(&mut S) -> Result<bool> + Send,
    map: impl Fn(&mut S) -> Result<()> + Sync,
    mut commit: impl FnMut(&mut S) -> Result<()> + Send,
) -> Result<()> {
    let threads = work.threads.min(window).max(1);
    if threads == 1 {
        let mut slot = S::default();
        while next(&mut slot)? {
            work.cancel.check()?;
            map(&mut slot)?;
            commit(&mut slot)?;
        }
        return Ok(());
    }
    let line = Mutex::new(Line {
        free: (0..window).map(|_| S::default()).collect(),
        ready: BTreeMap::new(),
        turn: 0,
        committing: false,
        stop: false,
        failed: None,
    });
    let moved = Condvar::new();
    let input = Mutex::new((0u64, false, &mut next));
    let output = Mutex::new(&mut commit);

    let worker = || {
        // A panic in any closure must wake the others, or they would wait for ever.
        let _guard = StopOnPanic { line: &line, moved: &moved };
        loop {
            let waiting = WAIT.begin();
            let mut slot = {
                let mut l = lock(&line);
                loop {
                    if l.stop {
                        return;
                    }
                    if let Some(slot) = l.free.pop() {
                        break slot;
                    }
                    l = moved.wait(l).unwrap_or_else(PoisonError::into_inner);
                }
            };
            let (seq, mut error) = {
                let mut input = lock(&input);
                drop(waiting);
                let (seq, done, next) = &mut *input;
                if *done {
                    return;
                }
                let this = *seq;
                match work.cancel.check().and_then(|()| next(&mut slot)) {
                    Ok(true) => {
                        *seq += 1;
                        (this, None)
                    }
                    Ok(false) => {
                        *done = true;
                        return;
                    }
                    Err(e) => {
                        *done = true;
                        (this, Some(e))
                    }
                }
            };
            if error.is_none() {
                error = map(&mut slot).err();
            }
            let mut l = lock(&line);
            l.ready.insert(seq, (slot, error));
            if l.committing {
                continue; // the thread that holds the turn takes it along
            }
            l.committing = true;
            loop {
                let turn = l.turn;
                let Some((mut slot, error)) = l.ready.remove(&turn) else { break };
                drop(l);
                let result = match error {
                    Some(e) => Err(e),
                    None => lock(&output)(&mut slot),
                };
                l = lock(&line);
                if let Err(e) = result {
                    l.failed = Some(e);
                    l.stop = true;
                    moved.notify_all();
                    return;
                }
                l.turn += 1;
                l.free.push(slot);
                moved.notify_one();
            }
            l.committing = false;
        }
    };
    std::thread::scope(|scope| {
        for i in 1..threads {
            // Without one more thread the others do its work.
            let thread = std::thread::Builder::new().name(format!("worker {i}"));
            let _ = thread.spawn_scoped(scope, worker);
        }
        worker();
    });
    match line.into_inner().unwrap_or_else(PoisonError::into_inner).failed {
        Some(e) => Err(e),
        None => Ok(()),
    }
}

/// [`run`] over numbered chunks of bytes: `fill` makes chunk `i` in an empty buffer, `put`
/// receives the chunks in order, and may take one if it leaves another buffer in its place.
pub fn for_chunks(
    work: &Work,
    window: usize,
    chunks: usize,
    fill: &crate::stream::FillChunk<'_>,
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

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

struct StopOnPanic<'a, S> {
    line: &'a Mutex<Line<S>>,
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
