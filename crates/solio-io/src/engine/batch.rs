//! One call's requests, and their results as they come.

use super::deferred::SlotNumber;
use super::handles::Handle;
use super::receiver_reads::DirectRequests;
use super::request::{Done, Priority, Request};
use super::threads::Owner;
use solio_base::{Error, lock, unlock};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

/// Results that make a sleeping receiver wake up: waking costs as much as reading a small file.
const WAKE_AT: usize = 8;

/// What engine and receiver share.
pub(crate) struct BatchState {
    /// Its name in the scheduler.
    pub(crate) number: u32,
    pub(crate) requests: Vec<Request>,
    /// The open file that they write to, each its own memory; `None` where they read.
    pub(crate) to: Option<Arc<Handle>>,
    pub(crate) queued_ns: u64,
    /// Of each request.
    pub(crate) places: Vec<SlotNumber>,
    /// Nobody waits for the results any more. Set and read under the engine's lock.
    pub(crate) abandoned: AtomicBool,
    arrived: Mutex<Arrived>,
    wake: Condvar,
}

#[derive(Default)]
struct Arrived {
    done: Vec<(Done, u64)>,
    /// Requests that have not arrived.
    missing: usize,
    sleeping: bool,
}

impl BatchState {
    pub(crate) fn new(
        number: u32,
        requests: Vec<Request>,
        to: Option<Arc<Handle>>,
        queued_ns: u64,
    ) -> Self {
        let arrived = Arrived { missing: requests.len(), ..Arrived::default() };
        BatchState {
            places: requests.iter().map(|_| SlotNumber::later()).collect(),
            number,
            requests,
            to,
            queued_ns,
            abandoned: AtomicBool::new(false),
            arrived: Mutex::new(arrived),
            wake: Condvar::new(),
        }
    }

    fn arrived(&self) -> MutexGuard<'_, Arrived> {
        lock(&self.arrived)
    }

    /// A result, and the bytes of the budget that it holds. Returns whether its receiver sleeps
    /// on: then [`BatchState::wake`] is owed before the engine itself has nothing to do.
    pub(crate) fn deliver(&self, done: Done, held: u64) -> bool {
        let mut arrived = self.arrived();
        arrived.done.push((done, held));
        arrived.missing -= 1;
        let few = arrived.missing < 2 * WAKE_AT;
        if arrived.sleeping && (few || arrived.done.len() >= WAKE_AT) {
            arrived.sleeping = false;
            self.wake.notify_all();
        }
        arrived.sleeping && arrived.done.len() == 1
    }

    /// Wakes the receivers.
    pub(crate) fn wake(&self) {
        let mut arrived = self.arrived();
        if arrived.sleeping && !arrived.done.is_empty() {
            arrived.sleeping = false;
            self.wake.notify_all();
        }
    }

    /// So many requests have ended whose results a receiver has already.
    pub(crate) fn ended(&self, count: usize) {
        let mut arrived = self.arrived();
        arrived.missing -= count;
        if arrived.sleeping && arrived.missing == 0 {
            arrived.sleeping = false;
            self.wake.notify_all();
        }
    }

    /// Requests that have not ended.
    pub(crate) fn missing(&self) -> usize {
        self.arrived().missing
    }

    /// Everything that has arrived; waits for something unless all has, or the time is over.
    pub(crate) fn take(&self, patience: Option<Duration>) -> Vec<(Done, u64)> {
        self.take_some(patience, usize::MAX)
    }

    /// The same, at most so many.
    fn take_some(&self, patience: Option<Duration>, most: usize) -> Vec<(Done, u64)> {
        let mut arrived = self.arrived();
        let mut waited = patience == Some(Duration::ZERO);
        while arrived.done.is_empty() && arrived.missing > 0 && !waited {
            arrived.sleeping = true;
            match patience {
                None => {
                    arrived = self.wake.wait(arrived).unwrap_or_else(PoisonError::into_inner);
                }
                Some(time) => {
                    let woken = self.wake.wait_timeout(arrived, time);
                    let (guard, timeout) = woken.unwrap_or_else(PoisonError::into_inner);
                    (arrived, waited) = (guard, timeout.timed_out());
                }
            }
        }
        if arrived.done.len() > most {
            return arrived.done.drain(..most).collect();
        }
        // Other receivers may sleep on; they are woken with the next results.
        std::mem::take(&mut arrived.done)
    }
}

/// One who takes the results of a batch.
struct Receiver {
    state: Arc<BatchState>,
    owner: Arc<Owner>,
    /// Taken from the engine, to be handed out; the last one first.
    ready: Vec<Done>,
    /// Results that it takes at once, where there are others.
    most: usize,
    /// Requests that it has taken to itself.
    alone: Option<DirectRequests>,
    /// Whether the engine counts it as a reader.
    helping: bool,
}

impl Receiver {
    fn new(state: Arc<BatchState>, owner: Arc<Owner>, most: usize) -> Self {
        Receiver { state, owner, ready: Vec::new(), most, alone: None, helping: false }
    }

    /// The next result; `None` when there are none any more, or the time is over.
    fn next(&mut self, patience: Option<Duration>) -> Option<Done> {
        let shared = &self.owner.0;
        while self.ready.is_empty() {
            match (&mut self.alone, patience) {
                (Some(alone), None) => {
                    if let Some(done) = alone.next(&self.state) {
                        return Some(done);
                    }
                }
                (alone @ Some(_), _) => shared.end_alone(&self.state, alone),
                (None, _) => {}
            }
            let mut taken = self.state.take_some(Some(Duration::ZERO), self.most);
            if taken.is_empty() && patience.is_none() {
                let helping = &mut self.helping;
                if shared.begin_alone(&self.state, &mut self.alone, helping) || shared.help(helping)
                {
                    continue;
                }
            }
            if taken.is_empty() && patience != Some(Duration::ZERO) {
                taken = self.state.take_some(patience, self.most);
            }
            if taken.is_empty() {
                return None;
            }
            shared.taken(self.state.number, &taken);
            self.ready = taken.into_iter().rev().map(|(done, _)| done).collect();
        }
        self.ready.pop()
    }

    /// It takes no more.
    fn end(&mut self) {
        self.owner.0.end_alone(&self.state, &mut self.alone);
        if std::mem::replace(&mut self.helping, false) {
            self.owner.0.stop_helping();
        }
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.end();
    }
}

/// The results of one call, in the order in which they arrive: iterate, [`Batch::poll`] or
/// [`Batch::wait`]. Dropping it cancels what has not started.
///
/// A result counts in the engine's memory budget until it comes out of here; after that it is
/// the receiver's. When results are not taken, reading stops and waits.
pub struct Batch {
    receiver: Receiver,
    left: usize,
}

/// Steers a batch; what has ended stays as it is.
#[derive(Clone)]
pub struct BatchControl {
    state: Arc<BatchState>,
    owner: Arc<Owner>,
}

impl BatchControl {
    /// Cancels all requests that have not ended. Those in the queue end at once as cancelled, and
    /// their bytes never move; the pieces of others that the system was asked for already are
    /// waited for, and the request ends as cancelled too.
    pub fn cancel(&self) {
        self.owner.0.cancel(&self.state, 0..self.state.requests.len());
    }

    /// [`BatchControl::cancel`] for one request. O(1).
    pub fn cancel_one(&self, index: usize) -> solio_base::Result<()> {
        self.check_index(index)?;
        self.owner.0.cancel(&self.state, index..index + 1);
        Ok(())
    }

    /// Gives one request another priority; what of it is being read already keeps its own. Takes
    /// longer the more requests of its priority wait.
    ///
    /// ```
    /// use solio_io::engine::{Engine, Priority, Request};
    /// # let path = std::env::current_exe()?;
    /// let engine = Engine::new(Default::default())?;
    /// let batch = engine.read((0..100).map(|i| Request::range(&path, 8 * i, 8)));
    /// let control = batch.control();
    /// control.set_priority(99, Priority::Maximum)?; // somebody looks at it now
    /// assert!(control.set_priority(100, Priority::Maximum).is_err());
    /// assert!(batch.wait().into_iter().all(|done| done.result.is_ok()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_priority(&self, index: usize, priority: Priority) -> solio_base::Result<()> {
        self.check_index(index)?;
        self.owner.0.set_priority(&self.state, index, priority);
        Ok(())
    }

    fn check_index(&self, index: usize) -> solio_base::Result<()> {
        let count = self.state.requests.len();
        if index < count {
            return Ok(());
        }
        Err(Error::argument(format!("request {index} of a batch of {count}")))
    }
}

impl Batch {
    pub(crate) fn new(state: Arc<BatchState>, owner: Arc<Owner>) -> Self {
        let left = state.requests.len();
        Batch { receiver: Receiver::new(state, owner, usize::MAX), left }
    }

    /// What was asked for.
    pub fn requests(&self) -> &[Request] {
        &self.receiver.state.requests
    }

    /// Results that have not been handed out.
    pub fn left(&self) -> usize {
        self.left
    }

    /// The next result if one has arrived. Never waits.
    pub fn poll(&mut self) -> Option<Done> {
        self.next_within(Some(Duration::ZERO))
    }

    /// The next result, waiting at most `patience` for it.
    pub fn wait_for(&mut self, patience: Duration) -> Option<Done> {
        self.next_within(Some(patience))
    }

    /// All results that are left, by their place in the batch.
    pub fn wait(mut self) -> Vec<Done> {
        let mut all: Vec<Done> = self.by_ref().collect();
        all.sort_unstable_by_key(|done| done.index);
        all
    }

    /// Gives all results that are left to `consume`, in up to `threads` threads at once. As long as
    /// small files come out of the page cache, each thread reads those itself that it then looks
    /// at: with a thread for each core that is the fastest way to read many.
    ///
    /// ```
    /// use solio_io::engine::{Engine, Request};
    /// use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    /// # let path = std::env::current_exe()?;
    /// let engine = Engine::new(Default::default())?;
    /// let bytes = AtomicUsize::new(0);
    /// engine.read([Request::file(&path)]).consume(2, |done| {
    ///     bytes.fetch_add(done.result.map_or(0, |bytes| bytes.len()), Relaxed);
    /// });
    /// assert_eq!(bytes.into_inner() as u64, std::fs::metadata(&path)?.len());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn consume(self, threads: usize, consume: impl Fn(Done) + Sync) {
        let never_fails = |_: &Request, done| -> Result<(), std::convert::Infallible> {
            consume(done);
            Ok(())
        };
        let _ = self.try_consume(threads, never_fails);
    }

    /// [`Batch::consume`] with the request of each result. The first error cancels what has not
    /// ended and is returned.
    ///
    /// # Errors
    /// That of `consume`.
    pub fn try_consume<E: Send>(
        mut self,
        threads: usize,
        consume: impl Fn(&Request, Done) -> Result<(), E> + Sync,
    ) -> Result<(), E> {
        let failed = OnceLock::new();
        let all = |receiver: &mut Receiver| {
            while failed.get().is_none()
                && let Some(done) = receiver.next(None)
            {
                let Receiver { state, owner, .. } = &*receiver;
                if let Err(e) = consume(&state.requests[done.index], done) {
                    let _ = failed.set(Mutex::new(e));
                    // Those who sleep get what was cancelled.
                    owner.0.cancel(state, 0..state.requests.len());
                }
            }
            receiver.end();
        };
        self.receiver.most = if threads > 1 { WAKE_AT } else { usize::MAX };
        std::thread::scope(|scope| {
            for i in 1..threads {
                let (state, owner) = (self.receiver.state.clone(), self.receiver.owner.clone());
                let one = || all(&mut Receiver::new(state, owner, WAKE_AT));
                let thread = std::thread::Builder::new().name(format!("solio receiver {i}"));
                // With fewer threads it takes longer.
                let _ = thread.spawn_scoped(scope, one);
            }
            all(&mut self.receiver);
        });
        match failed.into_inner() {
            Some(error) => Err(unlock(error)),
            None => {
                self.left = 0;
                Ok(())
            }
        }
    }

    /// See [`BatchControl::cancel`].
    pub fn cancel(&self) {
        self.control().cancel();
    }

    /// See [`BatchControl::cancel_one`].
    pub fn cancel_one(&self, index: usize) -> solio_base::Result<()> {
        self.control().cancel_one(index)
    }

    /// See [`BatchControl::set_priority`].
    pub fn set_priority(&self, index: usize, priority: Priority) -> solio_base::Result<()> {
        self.control().set_priority(index, priority)
    }

    /// Steers this batch from elsewhere, while somebody waits for its results.
    pub fn control(&self) -> BatchControl {
        let Receiver { state, owner, .. } = &self.receiver;
        BatchControl { state: state.clone(), owner: owner.clone() }
    }

    fn next_within(&mut self, patience: Option<Duration>) -> Option<Done> {
        if self.left == 0 {
            return None;
        }
        let done = self.receiver.next(patience)?;
        self.left -= 1;
        if self.left == 0 {
            self.receiver.end();
        }
        Some(done)
    }
}

impl Iterator for Batch {
    type Item = Done;

    fn next(&mut self) -> Option<Done> {
        self.next_within(None)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        self.receiver.end();
        if self.left > 0 {
            self.cancel();
        }
        self.receiver.owner.0.abandon(&self.receiver.state);
    }
}
