//! Results that are made before they are asked for, in their order and in bounded memory.

use solio_base::{Cancel, Error, Result, Work, lock, ordered};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// Results of numbered jobs, made ahead by threads of their own. Dropping it cancels the [`Work`]
/// that it was started with, which should be its own.
///
/// ```
/// use solio::{Ahead, AheadOptions, MeshReadOptions, Work};
/// use std::time::Duration;
/// let frames = ["v 0 0 0\n", "v 0 0 1\nv 0 0 2\n", "v 0 0 3\n"];
/// let room = AheadOptions { results: 2, bytes: 1 << 30 };
/// let read = move |i: usize, work: &Work| {
///     solio::read_mesh_bytes(frames[i].as_bytes(), &MeshReadOptions::default(), work)
/// };
/// let mut ahead =
///     Ahead::start(frames.len(), room, &Work::default(), move |i| frames[i].len() as u64, read)?;
/// let mut vertices = Vec::new();
/// while ahead.left() > 0 {
///     // Where none came in time, a window is drawn, and asks again.
///     let Some(frame) = ahead.next_within(Duration::from_millis(16)) else { continue };
///     vertices.push(solio::MeshInfo::of(&frame?).vertices);
/// }
/// assert_eq!(vertices, [1, 2, 1]);
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Debug)]
pub struct Ahead<T> {
    results: Receiver<(u64, Result<T>)>,
    left: usize,
    room: Arc<Room>,
    cancel: Cancel,
    thread: Option<JoinHandle<()>>,
}

/// How far [`Ahead`] may go.
///
/// ```
/// use solio::{Ahead, AheadOptions, Work};
/// use std::sync::atomic::{AtomicUsize, Ordering};
/// use std::{sync::Arc, time::Duration};
/// let made = Arc::new(AtomicUsize::new(0));
/// let count = Arc::clone(&made);
/// let job = move |_, _: &Work| Ok(count.fetch_add(1, Ordering::SeqCst));
/// // Frames of 40 MB, of which no more than 100 MB are to lie in memory: two.
/// let room = AheadOptions { results: 8, bytes: 100_000_000 };
/// let mut frames = Ahead::start(50, room, &Work::default(), |_| 40_000_000, job)?;
/// frames.next_within(Duration::from_secs(60)).unwrap()?;
/// // The one that was taken, and two that are under way or wait.
/// assert!((1..=3).contains(&made.load(Ordering::SeqCst)));
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AheadOptions {
    /// Most results that are under way or wait to be taken; at least 1.
    pub results: usize,
    /// Most bytes of them, as far as they are known; one result is always under way.
    pub bytes: u64,
}

/// What is under way or waits.
#[derive(Debug)]
struct Room {
    most: AheadOptions,
    taken: Mutex<AheadOptions>,
    moved: Condvar,
}

impl Room {
    fn lock(&self) -> MutexGuard<'_, AheadOptions> {
        lock(&self.taken)
    }

    fn take(&self, bytes: u64, cancel: &Cancel) -> Result<()> {
        let mut taken = self.lock();
        loop {
            cancel.check()?;
            let fits = taken.results < self.most.results.max(1)
                && taken.bytes.saturating_add(bytes) <= self.most.bytes;
            if fits || taken.results == 0 {
                taken.results += 1;
                taken.bytes = taken.bytes.saturating_add(bytes);
                return Ok(());
            }
            taken = self.moved.wait(taken).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn give(&self, bytes: u64) {
        let mut taken = self.lock();
        taken.results -= 1;
        taken.bytes -= bytes.min(taken.bytes);
        drop(taken);
        self.moved.notify_all();
    }
}

/// One job on its way.
struct AheadSlot<T> {
    index: usize,
    bytes: u64,
    result: Option<Result<T>>,
}

impl<T> Default for AheadSlot<T> {
    fn default() -> Self {
        AheadSlot { index: 0, bytes: 0, result: None }
    }
}

impl<T: Send + 'static> Ahead<T> {
    /// Starts `count` jobs; `bytes` says how large the result of a job is going to be, `job` makes
    /// it, on as many threads as it is told. An error of one job stops no other.
    ///
    /// ```
    /// use solio::{Ahead, AheadOptions, Error, Work};
    /// use std::time::Duration;
    /// let names = ["1.exr", "2.tmp", "3.exr"];
    /// let job = move |i: usize, _: &Work| match names[i].ends_with(".exr") {
    ///     true => Ok(names[i]),
    ///     false => Err(Error::unsupported("no frame")),
    /// };
    /// let room = AheadOptions { results: 4, bytes: 1 << 20 };
    /// let mut ahead = Ahead::start(names.len(), room, &Work::default(), |_| 100, job)?;
    /// let taken = names.map(|_| ahead.next_within(Duration::from_secs(60)).unwrap().ok());
    /// assert_eq!(taken, [Some("1.exr"), None, Some("3.exr")]);
    /// # Ok::<(), solio::Error>(())
    /// ```
    pub fn start(
        count: usize,
        options: AheadOptions,
        work: &Work,
        bytes: impl Fn(usize) -> u64 + Send + 'static,
        job: impl Fn(usize, &Work) -> Result<T> + Send + Sync + 'static,
    ) -> Result<Ahead<T>> {
        let nothing = AheadOptions { results: 0, bytes: 0 };
        let room =
            Arc::new(Room { most: options, taken: Mutex::new(nothing), moved: Condvar::new() });
        let (sender, results) = channel();
        let cancel = work.cancel.clone();
        let (of_thread, work) = (Arc::clone(&room), work.clone());
        let thread = std::thread::Builder::new().name("ahead".into());
        let thread = thread.spawn(move || {
            run(count, &of_thread, &sender, &work, bytes, job);
        });
        let thread = thread.map_err(|e| Error::io("start a thread", e))?;
        Ok(Ahead { results, left: count, room, cancel, thread: Some(thread) })
    }
}

fn run<T: Send>(
    count: usize,
    room: &Room,
    sender: &Sender<(u64, Result<T>)>,
    work: &Work,
    bytes: impl Fn(usize) -> u64 + Send,
    job: impl Fn(usize, &Work) -> Result<T> + Sync,
) {
    // More than there are jobs would be memory for nothing.
    let most = room.most.results.min(count).max(1);
    let at_once = work.threads.min(most).max(1);
    let outer = Work { threads: at_once, ..work.clone() };
    let inner = Work { threads: (work.threads / at_once).max(1), ..work.clone() };
    let mut indices = 0..count;
    let result = ordered::run::<AheadSlot<T>>(
        &outer,
        most,
        move |slot| {
            let Some(index) = indices.next() else { return Ok(false) };
            let bytes = bytes(index);
            room.take(bytes, &work.cancel)?;
            *slot = AheadSlot { index, bytes, result: None };
            Ok(true)
        },
        |slot| {
            slot.result = Some(job(slot.index, &inner));
            Ok(())
        },
        |slot| {
            let result = slot.result.take().expect("the job was done");
            sender.send((slot.bytes, result)).map_err(|_| Error::cancelled())
        },
    );
    // The only errors are those of a cancelled run: the receiver finds out by itself.
    debug_assert!(result.is_ok() || work.cancel.is_cancelled());
}

impl<T> Ahead<T> {
    /// How many results have not been taken.
    ///
    /// ```
    /// # use solio::{Ahead, AheadOptions, Work};
    /// # use std::time::Duration;
    /// # let room = AheadOptions { results: 4, bytes: 1 << 20 };
    /// let mut frames = Ahead::start(2, room, &Work::default(), |_| 8, |frame, _| Ok(frame))?;
    /// assert_eq!(frames.left(), 2);
    /// frames.next_within(Duration::from_secs(60));
    /// assert_eq!(frames.left(), 1);
    /// # Ok::<(), solio::Error>(())
    /// ```
    pub fn left(&self) -> usize {
        self.left
    }

    /// The next result; `None` where none came in time, or where all were taken.
    ///
    /// ```
    /// # use solio::{Ahead, AheadOptions, Work};
    /// # use std::sync::{Arc, Barrier};
    /// use std::time::Duration;
    /// # let room = AheadOptions { results: 4, bytes: 1 << 20 };
    /// # let gate = Arc::new(Barrier::new(2));
    /// # let slow = Arc::clone(&gate);
    /// # let job = move |_: usize, _: &Work| {
    /// #     slow.wait();
    /// #     Ok("a frame")
    /// # };
    /// let mut frames = Ahead::start(1, room, &Work::default(), |_| 8, job)?;
    /// // The job takes its time: who asks without patience goes on with something else.
    /// assert!(frames.next_within(Duration::ZERO).is_none());
    /// # gate.wait();
    /// assert_eq!(frames.next_within(Duration::from_secs(60)).unwrap()?, "a frame");
    /// // None is left.
    /// assert!(frames.next_within(Duration::from_secs(60)).is_none());
    /// # Ok::<(), solio::Error>(())
    /// ```
    pub fn next_within(&mut self, patience: Duration) -> Option<Result<T>> {
        if self.left == 0 {
            return None;
        }
        match self.results.recv_timeout(patience) {
            Ok((bytes, result)) => {
                self.left -= 1;
                self.room.give(bytes);
                Some(result)
            }
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => {
                self.left = 0;
                if let Some(Err(panic)) = self.thread.take().map(JoinHandle::join) {
                    std::panic::resume_unwind(panic);
                }
                Some(Err(Error::cancelled()))
            }
        }
    }
}

impl<T> Drop for Ahead<T> {
    fn drop(&mut self) {
        self.cancel.cancel();
        // A thread that waits for room must not miss it.
        drop(self.room.lock());
        self.room.moved.notify_all();
        if let Some(thread) = self.thread.take() {
            // Who drops the results does not want to hear of a panic any more.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    const LONG: Duration = Duration::from_secs(60);

    fn start(
        count: usize,
        options: AheadOptions,
        threads: usize,
        done: &Arc<AtomicUsize>,
    ) -> Ahead<usize> {
        let work = Work { threads, ..Work::default() };
        let done = Arc::clone(done);
        let job = move |i: usize, _: &Work| {
            done.fetch_add(1, Ordering::SeqCst);
            if i % 10 == 3 { Err(Error::corrupt(format!("job {i}"))) } else { Ok(i) }
        };
        Ahead::start(count, options, &work, |_| 10, job).unwrap()
    }

    #[test]
    fn results_come_in_order_and_errors_stop_nobody() {
        for (threads, results) in [(1, 1), (1, 4), (4, 1), (4, 8)] {
            let options = AheadOptions { results, bytes: 1000 };
            let mut ahead = start(50, options, threads, &Arc::default());
            for i in 0..50 {
                let result = ahead.next_within(LONG).unwrap();
                match i % 10 {
                    3 => assert_eq!(result.unwrap_err().message(), format!("job {i}")),
                    _ => assert_eq!(result.unwrap(), i),
                }
            }
            assert_eq!(ahead.left(), 0);
            assert!(ahead.next_within(LONG).is_none());
        }
    }

    #[test]
    fn no_more_is_made_than_there_is_room_for() {
        for (options, most) in [
            (AheadOptions { results: 3, bytes: 1000 }, 3),
            (AheadOptions { results: 9, bytes: 25 }, 2),
            (AheadOptions { results: 9, bytes: 1 }, 1),
        ] {
            let done = Arc::default();
            let mut ahead = start(40, options, 4, &done);
            for taken in 1..=20 {
                ahead.next_within(LONG).unwrap().ok();
                std::thread::sleep(Duration::from_millis(1));
                assert!(done.load(Ordering::SeqCst) <= taken + most);
            }
        }
    }

    #[test]
    fn room_for_any_number_takes_no_memory() {
        for results in [1_000_000_000, usize::MAX] {
            let options = AheadOptions { results, bytes: u64::MAX };
            let mut ahead = start(3, options, usize::MAX, &Arc::default());
            assert_eq!([0, 1, 2].map(|_| ahead.next_within(LONG).unwrap().unwrap()), [0, 1, 2]);
        }
    }

    #[test]
    fn dropping_stops_the_work() {
        let done = Arc::default();
        let options = AheadOptions { results: 2, bytes: 1000 };
        drop(start(1_000_000, options, 2, &done));
        assert!(done.load(Ordering::SeqCst) <= 2);
    }
}
