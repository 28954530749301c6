//! Requests of a batch that are all alike: only the next few stand in the scheduler's queue, so that
//! queueing a batch costs next to nothing for each, and a receiver can read small files by itself.
//!
//! * Standing in the queue or here makes no difference to who goes first: within a level a batch is
//!   one queue, and while anything of it is here, something of it stands there.
//! * A receiver may take a few requests from here to itself while nobody else wants anything read:
//!   its own batch is what everybody waits for. Nothing of these is under way but the one that it
//!   reads at the moment, so they may be cancelled and given back.
//! * While as many receivers do so as there are threads to copy out of the page cache, nothing goes
//!   to the queue.

use super::batch::BatchState;
use super::request::{Packing, Request};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

/// Requests of such a batch in the scheduler's queue.
pub(crate) const QUEUED: usize = 16;
/// Most requests that a receiver takes to itself.
const TAKEN: u32 = 32;

/// What a request's place says while the scheduler does not know it.
const LATER: u32 = u32::MAX;
/// A receiver reads it.
const READING: u32 = u32::MAX - 1;
/// It was cancelled meanwhile.
const STOPPED: u32 = u32::MAX - 2;
const ENDED: u32 = u32::MAX - 3;

/// Where a request is: its slot in the scheduler, which may belong to another one by now, or none.
pub(crate) struct SlotNumber(AtomicU32);

impl SlotNumber {
    pub(crate) fn later() -> Self {
        SlotNumber(AtomicU32::new(LATER))
    }

    fn change(&self, from: u32, to: u32) -> bool {
        self.0.compare_exchange(from, to, Relaxed, Relaxed).is_ok()
    }

    pub(crate) fn slot(&self) -> u32 {
        self.0.load(Relaxed)
    }

    pub(crate) fn set_slot(&self, slot: u32) {
        self.0.store(slot, Relaxed);
    }

    /// It goes to the scheduler; `false` if it has ended.
    pub(crate) fn leave(&self) -> bool {
        self.change(LATER, ENDED)
    }

    /// A receiver begins to read it; `false` if it has ended.
    pub(crate) fn begin(&self) -> bool {
        self.change(LATER, READING)
    }

    /// It was read; `false` if it was cancelled meanwhile.
    pub(crate) fn end(&self) -> bool {
        self.0.swap(ENDED, Relaxed) == READING
    }

    /// It has to be read in another way; `false` if it was cancelled meanwhile.
    pub(crate) fn put_back(&self) -> bool {
        self.change(READING, LATER)
    }

    /// Cancels it; `true` if it ends with that. One that is being read ends when it was.
    pub(crate) fn cancel(&self) -> bool {
        let ends = self.leave();
        if !ends {
            self.change(READING, STOPPED);
        }
        ends
    }
}

/// The requests of one batch that are not in the queue.
pub(crate) struct Later {
    pub(crate) batch: Arc<BatchState>,
    alike: Alike,
    /// Their indices; the last range goes first.
    ranges: Vec<Range<u32>>,
    /// Those in the queue.
    pub(crate) queued: usize,
    /// Receivers that read by themselves.
    pub(crate) readers: usize,
}

/// What the requests of a batch have in common, if they may wait here.
#[derive(Clone, Copy)]
pub(crate) struct Alike {
    device: u16,
    /// Whether they are whole files: a receiver may read those by itself, if they are small.
    whole: bool,
}

/// See [`Alike`].
pub(crate) fn alike(requests: &[Request], devices: &[u16]) -> Option<Alike> {
    let (priority, device) = (requests.first()?.priority, *devices.first()?);
    let mut alike = Alike { device, whole: true };
    for (request, &its) in requests.iter().zip(devices) {
        let same = request.priority == priority && its == device;
        if !same || request.deadline.is_some() || request.into.is_some() {
            return None;
        }
        alike.whole &= request.length.is_none() && request.offset == 0;
        alike.whole &= request.packing == Packing::None;
    }
    Some(alike)
}

impl Later {
    pub(crate) fn new(batch: Arc<BatchState>, alike: Alike) -> Self {
        let all = 0..batch.requests.len() as u32;
        Later { batch, alike, ranges: vec![all], queued: 0, readers: 0 }
    }

    /// Some requests of a batch.
    pub(crate) fn of(batch: Arc<BatchState>, indices: impl Iterator<Item = u32>) -> Self {
        let ranges = indices.map(|index| index..index + 1).collect();
        let alike = Alike { device: 0, whole: false };
        Later { batch, alike, ranges, queued: 0, readers: 0 }
    }

    pub(crate) fn device(&self) -> u16 {
        self.alike.device
    }

    /// Requests that are here, those that were cancelled among them.
    pub(crate) fn count(&self) -> usize {
        self.ranges.iter().map(ExactSizeIterator::len).sum()
    }

    /// The next one that is to stand in the queue, if there are few.
    pub(crate) fn next(&mut self) -> Option<usize> {
        if self.queued >= QUEUED { None } else { self.any() }
    }

    /// The next one, wherever it is to go.
    pub(crate) fn any(&mut self) -> Option<usize> {
        loop {
            let range = self.ranges.last_mut()?;
            match range.next() {
                Some(index) if self.batch.places[index as usize].leave() => {
                    return Some(index as usize);
                }
                Some(_) => {}
                None => _ = self.ranges.pop(),
            }
        }
    }

    /// Requests for a receiver, fewer towards the end: all are to be ready at the same time.
    pub(crate) fn take(&mut self) -> Option<Range<u32>> {
        if !self.alike.whole {
            return None;
        }
        let most = (self.count() as u32).div_ceil(8).min(TAKEN);
        while self.ranges.last()?.is_empty() {
            self.ranges.pop();
        }
        let range = self.ranges.last_mut()?;
        let taken = range.start..range.end.min(range.start + most);
        range.start = taken.end;
        Some(taken)
    }

    /// What a receiver did not read.
    pub(crate) fn give_back(&mut self, range: Range<u32>) {
        if !range.is_empty() {
            self.ranges.push(range);
        }
    }
}
