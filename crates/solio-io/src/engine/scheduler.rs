//! Which piece of which request is read next. No clock, no lock, no I/O: whoever drives it says
//! what time it is, so that the simulator runs this very code.
//!
//! * **Strict priority with ageing.** The highest level that waits goes first. A level that got
//!   nothing for [`Tuning::ageing_ns`] gets one turn; so with `k` pieces before it at its level
//!   (all batches), a piece waits at most `(k + 1) · (ageing + 6 · longest piece)`.
//! * **Few bytes in flight.** What the system was asked for can neither be cancelled nor be
//!   overtaken, so a request is handed out in pieces, and only so many bytes per device at a
//!   time; far fewer for a level while a higher one is in use.
//! * **Turns between batches.** Within a level the batches take turns, and each is a queue.
//!   Requests with a deadline go before those without, the earliest first.
//! * **Memory.** A result counts from its first piece until its receiver takes it. A batch that
//!   holds nothing may always go, whatever others hold; so nobody waits for ever for memory that
//!   somebody else has filled.
//! * Fields of requests lie in arrays of their own, found by slot. Nothing here is searched:
//!   queueing, handing out and cancelling cost the same with ten requests and with a million.

use super::share::Share;
use crate::token_bucket::TokenBucket;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

const LEVELS: usize = super::Priority::COUNT;
/// The end of a request whose file has not been opened yet.
pub(crate) const UNKNOWN: u64 = u64::MAX;
/// What a piece of unknown length counts until its file is open.
const GUESS_BYTES: u64 = 64 << 10;
/// Files below this size are small: asking about them costs as much as a tenth of reading them.
pub(crate) const SMALL: u64 = 256 << 10;
/// Files below this size are tiny: reading them costs little beside asking for them.
const TINY: u64 = 16 << 10;

/// Sizes and times that the scheduler keeps to.
#[derive(Clone, Debug)]
pub(crate) struct Tuning {
    /// Most bytes of a piece, and of all pieces of a device in flight.
    pub(crate) piece_bytes: u64,
    pub(crate) flying_bytes: u64,
    /// The same for levels below one that was in use within `linger_ns`.
    pub(crate) narrow_piece_bytes: u64,
    pub(crate) narrow_flying_bytes: u64,
    pub(crate) linger_ns: u64,
    /// How long a level may get nothing while higher ones are served.
    pub(crate) ageing_ns: u64,
    /// Bytes of results under way or not taken yet.
    pub(crate) memory_bytes: u64,
    /// Requests with an open file.
    pub(crate) open_files: usize,
}

impl Default for Tuning {
    fn default() -> Self {
        Tuning {
            piece_bytes: 2 << 20,
            flying_bytes: 16 << 20,
            narrow_piece_bytes: 128 << 10,
            narrow_flying_bytes: 512 << 10,
            linger_ns: 250_000_000,
            ageing_ns: 50_000_000,
            memory_bytes: 512 << 20,
            open_files: 256,
        }
    }
}

/// A request as the scheduler sees it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ScheduledRequest {
    pub(crate) batch: u32,
    pub(crate) level: u8,
    pub(crate) device: u16,
    /// Bytes of the file: from, and up to; [`UNKNOWN`] until it is open.
    pub(crate) offset: u64,
    pub(crate) end: u64,
    pub(crate) deadline_ns: Option<u64>,
}

/// A piece to be read now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Grant {
    pub(crate) slot: u32,
    /// Whether the request had none before.
    pub(crate) first: bool,
    /// The end of the request is not known: open the file, then call [`Scheduler::learned`].
    pub(crate) unknown: bool,
    pub(crate) offset: u64,
    pub(crate) length: u64,
}

/// The answer of [`Scheduler::next`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    Grant(Grant),
    /// The rate is used up for so many nanoseconds.
    Wait(u64),
    /// Nothing waits, or all that waits needs something to end first.
    Nothing,
}

/// One level of one device.
#[derive(Debug, Default)]
struct DeviceLevel {
    /// Queues that have something waiting, in the order of their turns.
    turns: VecDeque<u32>,
    /// Requests with a deadline.
    due: BinaryHeap<Reverse<(u64, u32)>>,
    flying_bytes: u64,
    /// When it last got something, or began to wait.
    served_ns: u64,
    /// When it was last asked for something.
    used_ns: Option<u64>,
}

impl DeviceLevel {
    fn waits(&self) -> bool {
        !self.turns.is_empty() || !self.due.is_empty()
    }
}

/// The requests of one batch at one level of one device.
#[derive(Debug)]
struct RequestQueue {
    level: u8,
    device: u16,
    slots: VecDeque<u32>,
}

/// What a batch has at the moment.
#[derive(Debug, Default)]
struct ScheduledBatch {
    /// Requests that count in `held_bytes`.
    held: u32,
    /// Its queues: few, as they are per level and device.
    queues: Vec<u32>,
}

/// See the head of the file.
#[derive(Debug, Default)]
pub(crate) struct Scheduler {
    pub(crate) tuning: Tuning,
    /// Pieces in flight at most; follows from the medium and from what is in the page cache.
    pub(crate) width: usize,
    /// How far reading runs ahead of the receivers.
    pub(crate) ahead: ResultsAhead,
    /// Small whole files among the requests that were begun.
    pub(crate) small: Share,
    /// Tiny ones.
    pub(crate) tiny: Share,
    pub(crate) bytes_rate: Option<TokenBucket>,
    pub(crate) operations_rate: Option<TokenBucket>,
    devices: Vec<[DeviceLevel; LEVELS]>,
    turn: usize,
    queues: Vec<RequestQueue>,
    free_queues: Vec<u32>,
    batches: Vec<ScheduledBatch>,
    free_batches: Vec<u32>,
    requests: Requests,
    flying: usize,
    open: usize,
    held_bytes: u64,
    held_results: usize,
    waiting: usize,
}

/// Bytes of results under way or not taken yet, or results where those are large; never more
/// than [`Tuning::memory_bytes`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct ResultsAhead {
    pub(crate) bytes: u64,
    pub(crate) results: usize,
}

impl Default for ResultsAhead {
    fn default() -> Self {
        ResultsAhead { bytes: u64::MAX, results: usize::MAX }
    }
}

/// The fields of all requests, by slot.
#[derive(Debug, Default)]
struct Requests {
    entry: Vec<ScheduledRequest>,
    queue: Vec<u32>,
    next: Vec<u64>,
    pieces: Vec<u32>,
    /// Bytes of its pieces in flight.
    flying: Vec<u64>,
    held: Vec<u64>,
    /// What the result may take while its end is unknown.
    guess: Vec<u64>,
    flags: Vec<u8>,
    free: Vec<u32>,
}

/// Stands in a queue.
const QUEUED: u8 = 1;
/// Had a piece and counts as an open file.
const OPEN: u8 = 2;
/// Gets no more pieces.
const STOPPED: u8 = 4;
/// The receiver has its answer.
const ENDED: u8 = 8;

impl Scheduler {
    pub(crate) fn new(tuning: Tuning, width: usize) -> Self {
        Scheduler { tuning, width, ..Scheduler::default() }
    }

    /// Pieces in flight.
    pub(crate) fn flying(&self) -> usize {
        self.flying
    }

    /// Requests that wait for a piece.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting
    }

    /// Requests of a batch that stand in queues.
    pub(crate) fn standing(&self, batch: u32) -> usize {
        let count = |queue: &u32| self.queues[*queue as usize].slots.len();
        self.batches.get(batch as usize).map_or(0, |batch| batch.queues.iter().map(count).sum())
    }

    pub(crate) fn batch_of(&self, slot: u32) -> u32 {
        self.requests.entry[slot as usize].batch
    }

    /// Whether a receiver of a batch may read small files by itself, one after the other.
    pub(crate) fn may_read_alone(&self, batch: u32) -> bool {
        let free = self.bytes_rate.is_none() && self.operations_rate.is_none();
        free && self.small.may_be_half() && self.has_memory(batch, SMALL)
    }

    /// The byte of the file at which a request ends.
    pub(crate) fn end_of(&self, slot: u32) -> u64 {
        self.requests.entry[slot as usize].end
    }

    /// Bytes of results under way or not taken yet.
    #[cfg(test)]
    pub(crate) fn held_bytes(&self) -> u64 {
        self.held_bytes
    }

    /// A new batch.
    pub(crate) fn add_batch(&mut self) -> u32 {
        self.free_batches.pop().unwrap_or_else(|| {
            self.batches.push(ScheduledBatch::default());
            self.batches.len() as u32 - 1
        })
    }

    /// All requests of the batch have ended and their memory was taken.
    pub(crate) fn remove_batch(&mut self, batch: u32) {
        debug_assert_eq!(self.batches[batch as usize].held, 0);
        for queue in std::mem::take(&mut self.batches[batch as usize].queues) {
            self.drop_stopped(queue);
            self.free_queues.push(queue);
        }
        self.free_batches.push(batch);
    }

    /// Forgets what is left in a queue: requests that were cancelled.
    fn drop_stopped(&mut self, queue: u32) {
        let RequestQueue { level, device, .. } = self.queues[queue as usize];
        for slot in std::mem::take(&mut self.queues[queue as usize].slots) {
            self.leave_queue(slot);
        }
        self.devices[device as usize][level as usize].turns.retain(|&q| q != queue);
    }

    /// Queues a request; its slot names it until it has ended.
    pub(crate) fn add(&mut self, entry: ScheduledRequest, now_ns: u64) -> u32 {
        let device = entry.device as usize;
        while self.devices.len() <= device {
            self.devices.push(Default::default());
        }
        let queue = self.queue_of(&entry);
        let slot = self.requests.add(entry, queue);
        let level = &mut self.devices[device][entry.level as usize];
        if !level.waits() {
            level.served_ns = now_ns;
        }
        level.used_ns = Some(now_ns);
        self.waiting += 1;
        match entry.deadline_ns {
            Some(deadline) => level.due.push(Reverse((deadline, slot))),
            None => self.stand(slot, false),
        }
        slot
    }

    fn queue_of(&mut self, entry: &ScheduledRequest) -> u32 {
        let known = &self.batches[entry.batch as usize].queues;
        let same = |q: &&u32| {
            let queue = &self.queues[**q as usize];
            (queue.level, queue.device) == (entry.level, entry.device)
        };
        if let Some(&queue) = known.iter().rev().find(same) {
            return queue;
        }
        let &ScheduledRequest { batch, level, device, .. } = entry;
        let new = RequestQueue { level, device, slots: VecDeque::new() };
        let queue = match self.free_queues.pop() {
            Some(free) => {
                self.queues[free as usize] = new;
                free
            }
            None => {
                self.queues.push(new);
                self.queues.len() as u32 - 1
            }
        };
        self.batches[batch as usize].queues.push(queue);
        queue
    }

    /// Puts a request at an end of its queue.
    fn stand(&mut self, slot: u32, front: bool) {
        let number = self.requests.queue[slot as usize];
        let queue = &mut self.queues[number as usize];
        if queue.slots.is_empty() {
            let level = &mut self.devices[queue.device as usize][queue.level as usize];
            level.turns.push_back(number);
        }
        if front {
            queue.slots.push_front(slot);
        } else {
            queue.slots.push_back(slot);
        }
    }

    /// Moves a request, and what of it is in flight, to another level: behind what waits there, or
    /// to the front where it was begun. Looks through the queue that it stands in.
    pub(crate) fn set_level(&mut self, slot: u32, new: u8, now_ns: u64) {
        let s = slot as usize;
        let old = self.requests.entry[s];
        if old.level == new || self.requests.has(slot, STOPPED) {
            return;
        }
        let stands = self.requests.has(slot, QUEUED);
        let number = self.requests.queue[s];
        let levels = &mut self.devices[old.device as usize];
        if stands {
            let queue = &mut self.queues[number as usize].slots;
            let level = &mut levels[old.level as usize];
            match queue.iter().position(|&other| other == slot) {
                Some(place) => {
                    queue.remove(place);
                    if queue.is_empty() {
                        level.turns.retain(|&other| other != number);
                    }
                }
                None => level.due.retain(|&Reverse((_, other))| other != slot),
            }
        }
        levels[old.level as usize].flying_bytes -= self.requests.flying[s];
        levels[new as usize].flying_bytes += self.requests.flying[s];
        if !levels[new as usize].waits() {
            levels[new as usize].served_ns = now_ns;
        }
        levels[new as usize].used_ns = Some(now_ns);
        let entry = ScheduledRequest { level: new, ..old };
        self.requests.entry[s] = entry;
        self.requests.queue[s] = self.queue_of(&entry);
        match old.deadline_ns.filter(|_| stands) {
            Some(deadline) => {
                self.devices[old.device as usize][new as usize].due.push(Reverse((deadline, slot)));
            }
            None if stands => self.stand(slot, self.requests.has(slot, OPEN)),
            None => {}
        }
    }

    /// What is to be read now.
    pub(crate) fn next(&mut self, now_ns: u64) -> Next {
        if self.waiting == 0 || self.flying >= self.width {
            return Next::Nothing;
        }
        let rates = [&mut self.bytes_rate, &mut self.operations_rate];
        let wait = rates.into_iter().flatten().map(|b| b.wait_ns(now_ns)).max();
        if let Some(wait @ 1..) = wait {
            return Next::Wait(wait);
        }
        for _ in 0..self.devices.len() {
            self.turn = (self.turn + 1) % self.devices.len();
            if let Some(grant) = self.next_of(self.turn, now_ns) {
                for (bucket, amount) in
                    [(&mut self.bytes_rate, grant.length), (&mut self.operations_rate, 1)]
                {
                    bucket.iter_mut().for_each(|b| b.take(amount));
                }
                return Next::Grant(grant);
            }
        }
        Next::Nothing
    }

    fn next_of(&mut self, device: usize, now_ns: u64) -> Option<Grant> {
        let levels = &self.devices[device];
        let highest = levels.iter().rposition(DeviceLevel::waits)?;
        let old = |l: &usize| now_ns.saturating_sub(levels[*l].served_ns) >= self.tuning.ageing_ns;
        let starved = (0..highest).filter(|&l| levels[l].waits()).filter(old);
        let starved = starved.min_by_key(|&l| levels[l].served_ns);
        starved
            .and_then(|level| self.next_at(device, level, now_ns))
            .or_else(|| self.next_at(device, highest, now_ns))
    }

    /// The next piece of a level, where the bytes in flight leave room for one.
    fn next_at(&mut self, device: usize, level: usize, now_ns: u64) -> Option<Grant> {
        let levels = &self.devices[device];
        let recent = |l: &DeviceLevel| {
            l.used_ns.is_some_and(|used| now_ns.saturating_sub(used) < self.tuning.linger_ns)
        };
        let narrow = levels[level + 1..].iter().any(recent);
        let (piece, most, flying) = if narrow {
            let below = levels[..=level].iter().map(|l| l.flying_bytes).sum::<u64>();
            (self.tuning.narrow_piece_bytes, self.tuning.narrow_flying_bytes, below)
        } else {
            let all = levels.iter().map(|l| l.flying_bytes).sum::<u64>();
            (self.tuning.piece_bytes, self.tuning.flying_bytes, all)
        };
        if flying > 0 && flying + GUESS_BYTES > most {
            return None;
        }
        let (slot, from) = self.candidate(device, level)?;
        let room = if flying == 0 { piece } else { piece.min(most - flying) };
        Some(self.grant(slot, from, room, now_ns))
    }

    /// The request whose turn it is, and the queue that it comes from: `None` for a deadline.
    fn candidate(&mut self, device: usize, level: usize) -> Option<(u32, Option<u32>)> {
        while let Some(&Reverse((_, slot))) = self.devices[device][level].due.peek() {
            if self.requests.has(slot, STOPPED) {
                self.devices[device][level].due.pop();
                self.leave_queue(slot);
            } else if self.may_go(slot) {
                return Some((slot, None));
            } else {
                break;
            }
        }
        for _ in 0..self.devices[device][level].turns.len() {
            let queue = self.devices[device][level].turns[0];
            while let Some(&slot) = self.queues[queue as usize].slots.front() {
                if !self.requests.has(slot, STOPPED) {
                    break;
                }
                self.queues[queue as usize].slots.pop_front();
                self.leave_queue(slot);
            }
            let turns = &mut self.devices[device][level].turns;
            match self.queues[queue as usize].slots.front() {
                None => _ = turns.pop_front(),
                Some(&slot) => {
                    turns.rotate_left(1);
                    if self.may_go(slot) {
                        return Some((slot, Some(queue)));
                    }
                }
            }
        }
        None
    }

    /// A stopped request is no longer in its queue.
    fn leave_queue(&mut self, slot: u32) {
        self.requests.flags[slot as usize] &= !QUEUED;
        self.free_when_over(slot);
    }

    /// Whether memory and files leave room for a request that has not begun.
    fn may_go(&self, slot: u32) -> bool {
        if self.requests.has(slot, OPEN) {
            return true;
        }
        let entry = &self.requests.entry[slot as usize];
        let bytes = match entry.end {
            UNKNOWN => self.requests.guess[slot as usize],
            end => end - entry.offset,
        };
        (self.open < self.tuning.open_files) && self.has_memory(entry.batch, bytes)
    }

    fn has_memory(&self, batch: u32, bytes: u64) -> bool {
        let held = self.held_bytes.saturating_add(bytes);
        let near = held <= self.ahead.bytes || self.held_results < self.ahead.results;
        held <= self.tuning.memory_bytes && near || self.batches[batch as usize].held == 0
    }

    fn grant(&mut self, slot: u32, from: Option<u32>, room: u64, now_ns: u64) -> Grant {
        let s = slot as usize;
        let entry = self.requests.entry[s];
        let first = !self.requests.has(slot, OPEN);
        let unknown = entry.end == UNKNOWN;
        let offset = self.requests.next[s];
        let length = if unknown { GUESS_BYTES } else { cut(offset, entry.end, room) };
        self.requests.next[s] = offset + length;
        if first {
            self.requests.flags[s] |= OPEN;
            self.open += 1;
            let bytes = if unknown { self.requests.guess[s] } else { entry.end - entry.offset };
            self.requests.held[s] = bytes;
            self.hold(entry.batch, bytes);
        }
        if unknown || offset + length == entry.end {
            // It comes back when its end is known.
            match from {
                None => _ = self.devices[entry.device as usize][entry.level as usize].due.pop(),
                Some(queue) => {
                    let queue = &mut self.queues[queue as usize].slots;
                    queue.pop_front();
                    if queue.is_empty() {
                        // Its turn went to the end of the ring just now.
                        self.devices[entry.device as usize][entry.level as usize].turns.pop_back();
                    }
                }
            }
            self.requests.flags[s] &= !QUEUED;
            self.waiting -= 1;
        }
        self.requests.pieces[s] += 1;
        self.requests.flying[s] += length;
        self.flying += 1;
        let level = &mut self.devices[entry.device as usize][entry.level as usize];
        level.flying_bytes += length;
        level.served_ns = now_ns;
        level.used_ns = Some(now_ns);
        Grant { slot, first, unknown, offset, length }
    }

    /// A result of a batch takes so many bytes; [`Scheduler::release_memory`] follows.
    pub(crate) fn hold(&mut self, batch: u32, bytes: u64) {
        self.held_bytes += bytes;
        self.held_results += 1;
        self.batches[batch as usize].held += 1;
    }

    /// The file of `grant`, which was not stopped, ends at `end`. The grant becomes what of it is
    /// to be read now, at most `most` bytes; `None` when there is no memory for the whole: then close the
    /// file, the request stands at the head of its queue again and the grant is over.
    pub(crate) fn learned(&mut self, grant: Grant, end: u64, most: u64) -> Option<Grant> {
        debug_assert!(grant.unknown && !self.requests.has(grant.slot, STOPPED));
        let s = grant.slot as usize;
        let entry = &mut self.requests.entry[s];
        entry.end = end.max(entry.offset);
        let entry = *entry;
        self.small.add(entry.end - entry.offset < SMALL);
        self.tiny.add(entry.end - entry.offset < TINY);
        self.release_memory(entry.batch, self.requests.held[s]);
        let bytes = entry.end - entry.offset;
        if !self.has_memory(entry.batch, bytes) {
            // It is opened again when there is memory for as much; by then it may be another.
            self.requests.guess[s] = bytes;
            self.requests.entry[s].end = UNKNOWN;
            self.requests.held[s] = 0;
            self.requests.next[s] = entry.offset;
            self.requests.flags[s] &= !OPEN;
            self.open -= 1;
            self.land(grant.slot, grant.length);
            self.stand_again(grant.slot);
            return None;
        }
        self.requests.held[s] = bytes;
        self.hold(entry.batch, bytes);
        let length = cut(entry.offset, entry.end, most);
        let level = &mut self.devices[entry.device as usize][entry.level as usize];
        level.flying_bytes = level.flying_bytes + length - grant.length;
        self.requests.flying[s] = self.requests.flying[s] + length - grant.length;
        self.settle(grant.length, length);
        self.requests.next[s] = entry.offset + length;
        if entry.offset + length < entry.end {
            self.stand_again(grant.slot);
        }
        Some(Grant { unknown: false, length, ..grant })
    }

    /// What was counted by a guess is now known.
    fn settle(&mut self, guessed: u64, length: u64) {
        if let Some(bucket) = &mut self.bytes_rate {
            bucket.give_back(guessed);
            bucket.take(length);
        }
    }

    /// [`Scheduler::learned`] no longer holds: the file has changed. The grant, which was for all
    /// of it, is one of unknown length again.
    #[allow(dead_code)] // a ring asks it
    pub(crate) fn unlearned(&mut self, grant: Grant) -> Grant {
        self.requests.entry[grant.slot as usize].end = UNKNOWN;
        Grant { unknown: true, ..grant }
    }

    fn stand_again(&mut self, slot: u32) {
        self.requests.flags[slot as usize] |= QUEUED;
        self.waiting += 1;
        self.stand(slot, true);
    }

    fn land(&mut self, slot: u32, length: u64) {
        let entry = &self.requests.entry[slot as usize];
        let level = &mut self.devices[entry.device as usize][entry.level as usize];
        level.flying_bytes -= length;
        self.flying -= 1;
        self.requests.pieces[slot as usize] -= 1;
        self.requests.flying[slot as usize] -= length;
    }

    /// A piece has ended, well or not. Returns whether the request has nothing left to do.
    pub(crate) fn landed(&mut self, grant: Grant) -> bool {
        self.land(grant.slot, grant.length);
        let s = grant.slot as usize;
        let all = self.requests.next[s] == self.requests.entry[s].end;
        self.requests.pieces[s] == 0 && (all || self.requests.has(grant.slot, STOPPED))
    }

    /// Hands out no more pieces of a request. Returns whether none is in flight either. O(1).
    pub(crate) fn stop(&mut self, slot: u32) -> bool {
        let flags = &mut self.requests.flags[slot as usize];
        if *flags & (QUEUED | STOPPED) == QUEUED {
            self.waiting -= 1;
        }
        *flags |= STOPPED;
        self.requests.pieces[slot as usize] == 0
    }

    /// The request has its answer; the slot may be used again. Returns the bytes that its result
    /// holds; without a result (`keeps` false) they are free at once.
    pub(crate) fn end(&mut self, slot: u32, keeps: bool) -> u64 {
        let s = slot as usize;
        let bytes = self.requests.held[s];
        let batch = self.requests.entry[s].batch;
        if self.requests.has(slot, OPEN) {
            self.open -= 1;
            if !keeps {
                self.release_memory(batch, bytes);
            }
        }
        self.requests.flags[s] |= ENDED | STOPPED;
        self.free_when_over(slot);
        bytes
    }

    /// A request's result takes so many bytes, now that it is unpacked.
    pub(crate) fn recharge(&mut self, slot: u32, bytes: u64) {
        let held = &mut self.requests.held[slot as usize];
        self.held_bytes = self.held_bytes - *held + bytes;
        *held = bytes;
    }

    /// The receiver took a result of so many bytes.
    pub(crate) fn release_memory(&mut self, batch: u32, bytes: u64) {
        self.held_bytes -= bytes;
        self.held_results -= 1;
        self.batches[batch as usize].held -= 1;
    }

    fn free_when_over(&mut self, slot: u32) {
        if self.requests.flags[slot as usize] & (ENDED | QUEUED) == ENDED {
            self.requests.free.push(slot);
        }
    }
}

/// The length of a piece from `offset` on: at most `room`, and all but the last end where direct
/// I/O can go on.
fn cut(offset: u64, end: u64, room: u64) -> u64 {
    if end - offset <= room {
        return end - offset;
    }
    ((offset + room) / super::pool::ALIGN as u64 * super::pool::ALIGN as u64 - offset).max(1)
}

impl Requests {
    fn add(&mut self, entry: ScheduledRequest, queue: u32) -> u32 {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.entry.push(ScheduledRequest::default());
            self.queue.push(0);
            self.next.push(0);
            self.pieces.push(0);
            self.flying.push(0);
            self.held.push(0);
            self.guess.push(0);
            self.flags.push(0);
            self.entry.len() as u32 - 1
        });
        let s = slot as usize;
        self.entry[s] = entry;
        self.queue[s] = queue;
        self.next[s] = entry.offset;
        self.pieces[s] = 0;
        self.flying[s] = 0;
        self.held[s] = 0;
        self.guess[s] = GUESS_BYTES;
        self.flags[s] = QUEUED;
        slot
    }

    fn has(&self, slot: u32, flag: u8) -> bool {
        self.flags[slot as usize] & flag != 0
    }
}
