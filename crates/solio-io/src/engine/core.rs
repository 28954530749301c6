//! The engine without threads and without a system: requests in, pieces out, answers in, results
//! out. A write is a request whose file is open and whose memory is there from the start. The backends drive it under a lock; the simulator drives it with a clock of its own.

use super::batch::BatchState;
use super::deferred::{Alike, Later};
use super::handles::Handle;
use super::pool::{BlockPool, Buffer, Landing};
use super::request::{Done, Packing, Priority, Request, at};
use super::scheduler::{Grant, Next, SMALL, ScheduledRequest, Scheduler, Tuning, UNKNOWN};
use solio_base::{Error, ErrorKind, Result};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// A piece on its way, with all that reading it needs.
pub(crate) struct Flight {
    pub(crate) grant: Grant,
    pub(crate) batch: Arc<BatchState>,
    pub(crate) index: usize,
    /// `None` until the file is open.
    pub(crate) landing: Option<Arc<Landing>>,
    pub(crate) file: Option<Arc<Handle>>,
    /// Whether direct I/O can read into its memory.
    pub(crate) aligned: bool,
}

impl Flight {
    pub(crate) fn request(&self) -> &Request {
        &self.batch.requests[self.index]
    }

    pub(crate) fn is_write(&self) -> bool {
        self.batch.to.is_some()
    }
}

/// The answer of [`Core::next`].
pub(crate) enum NextWork {
    Fly(Flight),
    Wait(u64),
    Nothing,
}

/// What follows an opened file.
pub(crate) enum AfterOpen {
    /// Read the flight's piece.
    Read(Flight),
    /// No memory yet, or the request has ended: nothing more to do for this flight.
    Over,
}

/// A request whose bytes are all there, packed: unpack them, then [`Core::unpacked`].
pub(crate) struct PackedResult {
    slot: u32,
    job: PendingRequest,
    pub(crate) bytes: Buffer,
}

impl PackedResult {
    pub(crate) fn request(&self) -> &Request {
        &self.job.batch.requests[self.job.index]
    }
}

/// A request that has not ended.
struct PendingRequest {
    batch: Arc<BatchState>,
    index: usize,
    into: Option<Vec<u8>>,
    landing: Option<Arc<Landing>>,
    file: Option<Arc<Handle>>,
    submitted_ns: Option<u64>,
    failed: Option<Error>,
}

/// See the head of the file.
pub(crate) struct Core {
    pub(crate) scheduler: Scheduler,
    /// By the scheduler's slot.
    jobs: Vec<Option<PendingRequest>>,
    /// By the number of a batch: its requests that do not stand in the queue yet.
    later: Vec<Option<Later>>,
    /// With so many receivers that read by themselves, a batch leaves nothing to others.
    pub(crate) enough_readers: usize,
    pub(crate) pool: Arc<BlockPool>,
    /// Batches with results whose receivers sleep on until there are more.
    sleepers: Vec<Arc<BatchState>>,
    /// See [`Core::break_down`].
    broken: bool,
}

impl Core {
    pub(crate) fn new(tuning: Tuning, width: usize, pool: Arc<BlockPool>) -> Self {
        Core {
            scheduler: Scheduler::new(tuning, width),
            jobs: Vec::new(),
            later: Vec::new(),
            enough_readers: usize::MAX,
            pool,
            sleepers: Vec::new(),
            broken: false,
        }
    }

    /// Queues request `index` of a batch. `into` is the caller's memory for it.
    pub(crate) fn add(
        &mut self,
        batch: &Arc<BatchState>,
        index: usize,
        into: Option<Vec<u8>>,
        device: u16,
        now_ns: u64,
    ) {
        let request = &batch.requests[index];
        let (landing, into) = match (&batch.to, into) {
            (Some(_), Some(bytes)) => (Some(Arc::new(Landing::whole(bytes, request.offset))), None),
            (_, into) => (None, into),
        };
        // No file reaches the last numbers: such a range is refused when its file is open.
        let offset = request.offset.min(UNKNOWN - 1);
        let end = match request.length {
            Some(length) => offset.saturating_add(length).min(UNKNOWN - 1),
            None => UNKNOWN,
        };
        let deadline = request.deadline.map(|d| batch.queued_ns + d.as_nanos() as u64);
        let entry = ScheduledRequest {
            batch: batch.number,
            level: request.priority as u8,
            device,
            offset,
            end,
            deadline_ns: deadline,
        };
        let job = PendingRequest {
            batch: batch.clone(),
            index,
            into,
            landing,
            file: batch.to.clone(),
            submitted_ns: None,
            failed: None,
        };
        if self.broken {
            return give_up(job, Err(panicked()), now_ns);
        }
        let slot = self.scheduler.add(entry, now_ns);
        batch.places[index].set_slot(slot);
        let slot = slot as usize;
        if slot == self.jobs.len() {
            self.jobs.push(Some(job));
        } else {
            self.jobs[slot] = Some(job);
        }
    }

    /// Queues all requests of a batch, which are alike.
    pub(crate) fn add_alike(&mut self, batch: &Arc<BatchState>, alike: Alike, now_ns: u64) {
        let number = batch.number as usize;
        if self.later.len() <= number {
            self.later.resize_with(number + 1, || None);
        }
        let later = Later::new(batch.clone(), alike);
        if self.broken {
            give_up_all(later, now_ns);
        } else {
            self.later[number] = Some(later);
            self.feed(batch.number, now_ns);
        }
    }

    fn later(&mut self, batch: u32) -> Option<&mut Later> {
        self.later.get_mut(batch as usize)?.as_mut()
    }

    /// Puts requests of a batch into the queue, if they are wanted there. Returns whether it did.
    fn feed(&mut self, batch: u32, now_ns: u64) -> bool {
        let enough = self.enough_readers;
        let mut some = false;
        while let Some(later) = self.later(batch).filter(|later| later.readers < enough)
            && let Some(index) = later.next()
        {
            later.queued += 1;
            let (state, device) = (later.batch.clone(), later.device());
            self.add(&state, index, None, device, now_ns);
            some = true;
        }
        some
    }

    /// The same for all batches of which nothing stands there.
    pub(crate) fn feed_all(&mut self, now_ns: u64) -> bool {
        let mut some = false;
        for number in 0..self.later.len() as u32 {
            let stands = self.scheduler.standing(number) > 0;
            if let Some(later) = self.later(number).filter(|_| !stands) {
                later.queued = 0;
                some |= self.feed(number, now_ns);
            }
        }
        some
    }

    /// Requests that have not been handed out.
    pub(crate) fn waiting(&self) -> usize {
        self.scheduler.waiting() + self.later.iter().flatten().map(Later::count).sum::<usize>()
    }

    /// Requests of a batch for a receiver to read by itself, unless somebody else waits.
    /// [`Core::end_alone`] follows.
    pub(crate) fn begin_alone(&mut self, batch: u32) -> Option<Range<u32>> {
        let waits = |later: &Later| later.batch.number != batch && later.count() > 0;
        let others = self.later.iter().flatten().any(waits);
        let others = others || self.scheduler.waiting() > self.scheduler.standing(batch);
        let may = !others && self.scheduler.may_read_alone(batch);
        let later = self.later(batch).filter(|_| may)?;
        let range = later.take()?;
        later.readers += 1;
        self.scheduler.hold(batch, SMALL);
        Some(range)
    }

    /// A receiver has read what it took, but for `left`; `plain` are to be read in the plain way.
    pub(crate) fn end_alone(
        &mut self,
        batch: &Arc<BatchState>,
        left: Range<u32>,
        plain: &[u32],
        now_ns: u64,
    ) {
        if self.broken {
            let rest = left.chain(plain.iter().copied());
            return give_up_all(Later::of(batch.clone(), rest), now_ns);
        }
        self.scheduler.release_memory(batch.number, SMALL);
        let later = self.later(batch.number).expect("kept as long as its batch");
        later.readers -= 1;
        later.give_back(left);
        let device = later.device();
        for &index in plain {
            if batch.places[index as usize].leave() {
                self.add(batch, index as usize, None, device, now_ns);
                self.later(batch.number).expect("just seen").queued += 1;
            }
        }
        self.feed(batch.number, now_ns);
    }

    /// The next piece to read.
    pub(crate) fn next(&mut self, now_ns: u64) -> NextWork {
        if self.broken {
            return NextWork::Nothing;
        }
        loop {
            let grant = match self.scheduler.next(now_ns) {
                Next::Grant(grant) => grant,
                Next::Wait(ns) => {
                    self.wake_receivers();
                    return NextWork::Wait(ns);
                }
                Next::Nothing if self.feed_all(now_ns) => continue,
                Next::Nothing => {
                    self.wake_receivers();
                    return NextWork::Nothing;
                }
            };
            if grant.first {
                self.left_queue(grant.slot, now_ns);
            }
            let job = self.jobs[grant.slot as usize].as_mut().expect("granted requests live");
            let request = &job.batch.requests[job.index];
            #[cfg(test)]
            super::tests::trip(&request.path, "trips the core");
            if request.cancel.as_ref().is_some_and(|c| c.is_cancelled()) {
                job.failed.get_or_insert_with(Error::cancelled);
                self.scheduler.stop(grant.slot);
                self.land(grant, now_ns);
                continue;
            }
            job.submitted_ns.get_or_insert(now_ns);
            let flight = Flight {
                grant,
                batch: job.batch.clone(),
                index: job.index,
                landing: job.landing.clone(),
                file: job.file.clone(),
                aligned: job.into.is_none() && job.landing.as_ref().is_none_or(|l| l.is_aligned()),
            };
            if grant.first && !grant.unknown && !flight.is_write() {
                self.scheduler.small.add(false);
                self.scheduler.tiny.add(false);
            }
            return NextWork::Fly(flight);
        }
    }

    /// A request no longer stands in the queue: another one of its batch takes its place.
    fn left_queue(&mut self, slot: u32, now_ns: u64) {
        let batch = self.scheduler.batch_of(slot);
        if let Some(later) = self.later(batch) {
            later.queued = later.queued.saturating_sub(1);
            self.feed(batch, now_ns);
        }
    }

    /// Nothing more comes for the moment: what there is may be what everybody waits for.
    fn wake_receivers(&mut self) {
        self.sleepers.drain(..).for_each(|batch| batch.wake());
    }

    /// The file of a flight is open, or not.
    pub(crate) fn opened(
        &mut self,
        flight: Flight,
        file: Result<Arc<Handle>>,
        now_ns: u64,
    ) -> AfterOpen {
        let piece = self.scheduler.tuning.piece_bytes;
        self.ready(flight, file.map(|file| (file.bytes, Some(file))), piece, now_ns)
    }

    /// The file of a flight, which is not open, is said to have so many bytes. They are to be read
    /// as one piece; if that shows another length, [`Core::unsure`] follows.
    #[allow(dead_code)] // a ring asks it
    pub(crate) fn sized(&mut self, flight: Flight, bytes: u64, now_ns: u64) -> AfterOpen {
        self.ready(flight, Ok((bytes, None)), u64::MAX, now_ns)
    }

    /// The file of a flight is not what it was said to be: it is to be opened.
    #[allow(dead_code)] // a ring asks it
    pub(crate) fn unsure(&mut self, mut flight: Flight) -> Flight {
        if self.broken {
            return flight;
        }
        let job = self.jobs[flight.grant.slot as usize].as_mut().expect("a flight keeps it alive");
        (job.landing, flight.landing) = (None, None);
        flight.grant = self.scheduler.unlearned(flight.grant);
        flight
    }

    /// A file has so many bytes and may be open, or there is none.
    fn ready(
        &mut self,
        mut flight: Flight,
        file: Result<(u64, Option<Arc<Handle>>)>,
        piece: u64,
        now_ns: u64,
    ) -> AfterOpen {
        if self.broken {
            return AfterOpen::Over;
        }
        let job = self.jobs[flight.grant.slot as usize].as_mut().expect("a flight keeps it alive");
        let ready = match file {
            _ if job.failed.is_some() => Err(Error::cancelled()),
            Err(e) => Err(e),
            Ok((bytes, file)) => {
                let unknown = flight.grant.unknown;
                let end = if unknown { bytes } else { self.scheduler.end_of(flight.grant.slot) };
                let length = end.saturating_sub(flight.request().offset);
                let budget = self.scheduler.tuning.memory_bytes;
                if end > bytes {
                    Err(beyond(end, bytes))
                } else if length > flight.request().at_most {
                    let most = flight.request().at_most;
                    Err(Error::limit(format!("{length} bytes are to be read; at most {most} may")))
                } else if length > budget && job.into.is_none() && job.landing.is_none() {
                    Err(too_large(length, budget))
                } else if !unknown {
                    Ok((file, length))
                } else {
                    match self.scheduler.learned(flight.grant, end, piece) {
                        None => return AfterOpen::Over,
                        Some(grant) => {
                            flight.grant = grant;
                            Ok((file, length))
                        }
                    }
                }
            }
        };
        let ready = ready.and_then(|(file, length)| {
            if job.landing.is_none() {
                let (offset, length) = (flight.request().offset, length as usize);
                let landing = match job.into.take() {
                    Some(into) => Landing::caller(into, offset, length),
                    None => Landing::new(&self.pool, offset, length),
                };
                job.landing = Some(Arc::new(landing?));
            }
            Ok(file)
        });
        match ready {
            Ok(file) => {
                job.file = file.clone();
                flight.landing = job.landing.clone();
                flight.file = file;
                AfterOpen::Read(flight)
            }
            Err(e) => {
                self.landed(flight, Err(e), now_ns);
                AfterOpen::Over
            }
        }
    }

    /// A flight has ended: its bytes are in place, or not. Returns what is to be unpacked.
    pub(crate) fn landed(
        &mut self,
        flight: Flight,
        result: Result<()>,
        now_ns: u64,
    ) -> Option<PackedResult> {
        let Flight { grant, landing, file, .. } = flight;
        drop((landing, file));
        if self.broken {
            return None;
        }
        if let Err(e) = result {
            let job = self.jobs[grant.slot as usize].as_mut().expect("a flight keeps it alive");
            job.failed.get_or_insert(e);
            self.scheduler.stop(grant.slot);
        }
        self.land(grant, now_ns)
    }

    fn land(&mut self, grant: Grant, now_ns: u64) -> Option<PackedResult> {
        if !self.scheduler.landed(grant) {
            return None;
        }
        let mut job = self.jobs[grant.slot as usize].take().expect("it has not ended");
        if let Some(e) = job.failed.take() {
            self.end(grant.slot, job, Err(e), now_ns);
            return None;
        }
        let landing = job.landing.take().expect("all pieces were read");
        let bytes = Arc::into_inner(landing).expect("no flight is left").into_buffer();
        if job.batch.requests[job.index].packing == Packing::None {
            self.end(grant.slot, job, Ok(bytes), now_ns);
            return None;
        }
        Some(PackedResult { slot: grant.slot, job, bytes })
    }

    /// The bytes of a packed request, unpacked.
    pub(crate) fn unpacked(&mut self, packed: PackedResult, result: Result<Buffer>, now_ns: u64) {
        let PackedResult { slot, job, bytes } = packed;
        drop(bytes);
        if self.broken {
            return give_up(job, result, now_ns);
        }
        if let Ok(bytes) = &result {
            self.scheduler.recharge(slot, bytes.len() as u64);
        }
        self.end(slot, job, result, now_ns);
    }

    fn end(&mut self, slot: u32, job: PendingRequest, result: Result<Buffer>, now_ns: u64) {
        let PendingRequest { batch, index, submitted_ns, .. } = job;
        let abandoned = batch.abandoned.load(Ordering::Relaxed);
        let keeps = result.is_ok() && !abandoned;
        let held = self.scheduler.end(slot, keeps);
        let done = answer(&batch, index, submitted_ns, result, now_ns);
        self.deliver(&batch, done, if keeps { held } else { 0 });
        if abandoned && batch.missing() == 0 {
            self.remove_batch(batch.number);
        }
    }

    fn deliver(&mut self, batch: &Arc<BatchState>, done: Done, held: u64) {
        if batch.deliver(done, held) {
            self.sleepers.push(batch.clone());
        }
    }

    fn remove_batch(&mut self, batch: u32) {
        self.scheduler.remove_batch(batch);
        if let Some(later) = self.later.get_mut(batch as usize) {
            *later = None;
        }
    }

    /// A thread panicked, and what it was about to do nobody knows: all that has not ended ends
    /// now, and what is asked for later ends at once.
    pub(crate) fn break_down(&mut self, now_ns: u64) {
        self.broken = true;
        for job in std::mem::take(&mut self.jobs).into_iter().flatten() {
            give_up(job, Err(panicked()), now_ns);
        }
        std::mem::take(&mut self.later).into_iter().flatten().for_each(|l| give_up_all(l, now_ns));
    }

    /// Cancels a request that has not ended. O(1).
    pub(crate) fn cancel(&mut self, batch: &Arc<BatchState>, index: usize, now_ns: u64) {
        if batch.places[index].cancel() {
            self.deliver(batch, answer(batch, index, None, Err(Error::cancelled()), now_ns), 0);
            return;
        }
        let slot = batch.places[index].slot();
        let Some(place) = self.jobs.get_mut(slot as usize) else { return };
        let Some(job) = place else { return };
        if !Arc::ptr_eq(&job.batch, batch) || job.index != index {
            return; // it has ended, and the slot is another one's
        }
        job.failed.get_or_insert_with(Error::cancelled);
        if self.scheduler.stop(slot) {
            let mut job = place.take().expect("just seen");
            let error = job.failed.take().expect("just set");
            self.end(slot, job, Err(error), now_ns);
            self.left_queue(slot, now_ns);
        }
    }

    /// Gives a request that has not ended another priority.
    pub(crate) fn set_priority(
        &mut self,
        batch: &Arc<BatchState>,
        index: usize,
        priority: Priority,
        now_ns: u64,
    ) {
        if batch.places[index].leave() {
            let Some(later) = self.later(batch.number) else { return };
            let device = later.device();
            self.add(batch, index, None, device, now_ns);
        }
        let slot = batch.places[index].slot();
        let job = self.jobs.get(slot as usize).and_then(Option::as_ref);
        if job.is_some_and(|job| Arc::ptr_eq(&job.batch, batch) && job.index == index) {
            self.scheduler.set_level(slot, priority as u8, now_ns);
        }
    }

    /// The receiver took these results.
    pub(crate) fn taken(&mut self, batch: u32, results: &[(Done, u64)]) {
        for (done, held) in results {
            if done.result.is_ok() && !self.broken {
                self.scheduler.release_memory(batch, *held);
            }
        }
    }

    /// The receiver is gone. Requests that have not ended were cancelled before.
    pub(crate) fn abandon(&mut self, batch: &Arc<BatchState>) {
        batch.abandoned.store(true, Ordering::Relaxed);
        let left = batch.take(Some(Duration::ZERO));
        self.taken(batch.number, &left);
        if batch.missing() == 0 && !self.broken {
            self.remove_batch(batch.number);
        }
    }

    /// Nothing waits, flies or is held.
    #[cfg(test)]
    pub(crate) fn is_empty(&self) -> bool {
        let s = &self.scheduler;
        let jobs = self.jobs.iter().all(Option::is_none);
        let later = self.later.iter().flatten().all(|later| later.count() == 0);
        jobs && later && s.flying() == 0 && s.waiting() == 0 && s.held_bytes() == 0
    }
}

/// Delivers what a request has come to, past the scheduler.
fn give_up(job: PendingRequest, result: Result<Buffer>, now_ns: u64) {
    let PendingRequest { batch, index, submitted_ns, .. } = job;
    batch.deliver(answer(&batch, index, submitted_ns, result, now_ns), 0);
    batch.wake();
}

/// The same for requests that the scheduler does not know.
fn give_up_all(mut later: Later, now_ns: u64) {
    while let Some(index) = later.any() {
        let batch = &later.batch;
        batch.deliver(answer(batch, index, None, Err(panicked()), now_ns), 0);
    }
    later.batch.wake();
}

/// How a request has ended.
pub(crate) fn answer(
    batch: &BatchState,
    index: usize,
    submitted_ns: Option<u64>,
    result: Result<Buffer>,
    now_ns: u64,
) -> Done {
    let request = &batch.requests[index];
    let since = |ns: u64| Duration::from_nanos(ns.saturating_sub(batch.queued_ns));
    let total = since(now_ns);
    let abandoned = batch.abandoned.load(Ordering::Relaxed);
    Done {
        index,
        tag: request.tag,
        result: if abandoned { Err(Error::cancelled()) } else { at(result, &request.path) },
        queued: since(submitted_ns.unwrap_or(now_ns)),
        total,
        submitted: submitted_ns.is_some(),
        late: request.deadline.is_some_and(|d| total > d),
    }
}

/// The error of what a thread was doing when it panicked.
pub(crate) fn panicked() -> Error {
    Error::new(ErrorKind::Io, "internal error: a thread that moves bytes panicked")
        .hint("this is a bug; please report what was printed")
}

fn too_large(needed: u64, budget: u64) -> Error {
    Error::limit(format!("{needed} bytes are to be read at once; the memory budget is {budget}"))
        .hint("read it in ranges, into memory of your own, or with a larger --mem")
}

fn beyond(end: u64, bytes: u64) -> Error {
    Error::corrupt(format!("the file has {bytes} bytes; the range to read ends at {end}"))
        .at_offset(bytes)
}
