//! One call's requests, and their results as they come.

use super::handles::Handle;
use super::request::{Done, Request};
use super::shared::Owner;
use solio_base::Error;
use std::sync::atomic::{AtomicBool, AtomicU32};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
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
    /// The slot of each request in the scheduler; it may belong to another one by now.
    pub(crate) slots: Vec<AtomicU32>,
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
            slots: requests.iter().map(|_| AtomicU32::new(u32::MAX)).collect(),
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
        self.arrived.lock().unwrap_or_else(PoisonError::into_inner)
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
            self.wake.notify_one();
        }
        arrived.sleeping && arrived.done.len() == 1
    }

    /// Wakes the receiver.
    pub(crate) fn wake(&self) {
        let mut arrived = self.arrived();
        if arrived.sleeping && !arrived.done.is_empty() {
            arrived.sleeping = false;
            self.wake.notify_one();
        }
    }

    /// Requests that have not ended.
    pub(crate) fn missing(&self) -> usize {
        self.arrived().missing
    }

    /// Everything that has arrived; waits for something unless all has, or the time is over.
    pub(crate) fn take(&self, patience: Option<Duration>) -> Vec<(Done, u64)> {
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
        arrived.sleeping = false;
        std::mem::take(&mut arrived.done)
    }
}

/// The results of one call, in the order in which they arrive: iterate, [`Batch::poll`] or
/// [`Batch::wait`]. Dropping it cancels what has not started.
///
/// A result counts in the engine's memory budget until it comes out of here; after that it is
/// the receiver's. When results are not taken, reading stops and waits.
pub struct Batch {
    state: Arc<BatchState>,
    owner: Arc<Owner>,
    /// Taken from the engine, to be handed out; the last one first.
    ready: Vec<Done>,
    left: usize,
    /// Whether the engine counts this receiver as a reader.
    helping: bool,
}

impl Batch {
    pub(crate) fn new(state: Arc<BatchState>, owner: Arc<Owner>) -> Self {
        let left = state.requests.len();
        Batch { state, owner, ready: Vec::new(), left, helping: false }
    }

    /// What was asked for.
    pub fn requests(&self) -> &[Request] {
        &self.state.requests
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

    /// Cancels all requests that have not ended. Those in the queue end at once as cancelled, and
    /// their bytes never move; the pieces of others that the system was asked for already are
    /// waited for, and the request ends as cancelled too.
    pub fn cancel(&self) {
        self.owner.0.cancel(&self.state, 0..self.state.requests.len());
    }

    /// [`Batch::cancel`] for one request. O(1).
    pub fn cancel_one(&self, index: usize) -> solio_base::Result<()> {
        if index >= self.state.requests.len() {
            let count = self.state.requests.len();
            return Err(Error::argument(format!("request {index} of a batch of {count}")));
        }
        self.owner.0.cancel(&self.state, index..index + 1);
        Ok(())
    }

    fn stop_helping(&mut self) {
        if std::mem::replace(&mut self.helping, false) {
            self.owner.0.stop_helping();
        }
    }

    fn next_within(&mut self, patience: Option<Duration>) -> Option<Done> {
        if self.ready.is_empty() && self.left > 0 {
            let mut taken = self.state.take(Some(Duration::ZERO));
            while taken.is_empty() && patience.is_none() && self.owner.0.help(&mut self.helping) {
                taken = self.state.take(Some(Duration::ZERO));
            }
            if taken.is_empty() && patience != Some(Duration::ZERO) {
                taken = self.state.take(patience);
            }
            self.owner.0.taken(self.state.number, &taken);
            self.ready = taken.into_iter().rev().map(|(done, _)| done).collect();
        }
        let done = self.ready.pop()?;
        self.left -= 1;
        if self.left == 0 {
            self.stop_helping();
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
        self.stop_helping();
        if self.left > 0 {
            self.cancel();
        }
        self.owner.0.abandon(&self.state);
    }
}
