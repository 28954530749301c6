//! What the engine's threads share: the core under its lock, and how they wait for work.

use super::batch::BatchState;
use super::core::{AfterOpen, Core, Flight, NextWork, PackedResult, panicked};
use super::deferred;
use super::handles::{Bypass, Direct, Handle, Handles};
use super::pool::Buffer;
use super::receiver_reads::{DirectRequests, Tally};
use super::request::{Done, Packing, Priority, Request};
use super::scheduler::{ResultsAhead, SMALL};
use super::share::Share;
use super::{Backend, EngineOptions, read};
use crate::sys::uring;
use solio_base::{Error, Limits, Result, lock};
use solio_codec::compress::{Compression, StreamDecoder};
use solio_measure::{Counter, SpanName, Unit, now_ns};
use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// Requests that are queued under one lock: others get their turn in between.
const QUEUED_AT_ONCE: usize = 1024;
/// Milliseconds to wait for a file descriptor.
const OPEN_TRIES: usize = 1000;
/// Pieces that a thread takes and lands under one lock while bytes come from the page cache: then
/// the lock, and not the medium, is what others wait for.
pub(crate) const TOGETHER: usize = 2;
/// While all small files are in the page cache, or none is, of so many one is looked at.
const LOOKED_AT: usize = 8;

static OPEN: SpanName = SpanName::new("open file");
static READ: SpanName = SpanName::new("read chunk");
static WRITE: SpanName = SpanName::new("write chunk");
static UNPACK: SpanName = SpanName::new("decompress");
static QUEUED: Counter = Counter::level("requests queued", Unit::Count);
static IN_FLIGHT: Counter = Counter::level("bytes in flight", Unit::Bytes);

pub(crate) struct EngineShared {
    core: Mutex<Guarded>,
    work: Condvar,
    handles: Handles,
    devices: Mutex<DeviceNumbers>,
    pub(crate) options: EngineOptions,
    /// What moves the bytes: what was asked for, or threads in its place.
    backend: Backend,
    /// Why it is not the backend that was asked for.
    pub(crate) fallback: OnceLock<String>,
    pub(crate) counts: EngineCounters,
    /// [`Guarded::is_warm`], for those without the lock.
    warm: AtomicBool,
    opens: AtomicUsize,
}

struct Guarded {
    core: Core,
    /// Threads that wait for work, and those that start.
    idle: usize,
    /// Receivers that read themselves while nothing has arrived for them.
    helpers: usize,
    threads: Vec<JoinHandle<()>>,
    closing: bool,
    /// Pieces that came from the medium.
    cold: Share,
}

/// Ends the threads when neither the engine nor a batch needs them any more.
pub(crate) struct Owner(pub(crate) Arc<EngineShared>);

impl Drop for Owner {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// There is nothing more for a ring: the engine ends, or goes on in another way.
#[allow(dead_code)] // as above
pub(crate) struct NoMore;

/// A flight for a ring.
pub(crate) struct TakenFlight {
    pub(crate) flight: Flight,
    /// Whether its file is best opened, read and closed in one go.
    #[allow(dead_code)] // a ring asks it
    pub(crate) link: bool,
}

/// What an engine has done so far.
#[derive(Debug, Default)]
pub(crate) struct EngineCounters {
    pub(crate) bytes: AtomicU64,
    pub(crate) direct_bytes: AtomicU64,
    pub(crate) written_bytes: AtomicU64,
    pub(crate) pieces: AtomicU64,
    pub(crate) linked: AtomicU64,
    pub(crate) registered: AtomicU64,
}

/// The scheduler's numbers of devices, found by the folder of a file.
#[derive(Default)]
struct DeviceNumbers {
    numbers: HashMap<u64, u16>,
    folders: HashMap<PathBuf, u16>,
}

/// While it lives, its thread does work that others wait for: if it panics, all of that ends as an
/// error. (What opening, reading and unpacking panic at ends only their own request.)
struct Watch<'a> {
    shared: &'a EngineShared,
    panicked_before: bool,
}

impl<'a> Watch<'a> {
    fn new(shared: &'a EngineShared) -> Self {
        Watch { shared, panicked_before: std::thread::panicking() }
    }
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() && !self.panicked_before {
            self.shared.lock().core.break_down(now_ns());
        }
    }
}

/// What panics here is an error of one request.
fn contained<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
    caught.unwrap_or_else(|_| Err(panicked()))
}

impl Guarded {
    fn is_warm(&self) -> bool {
        self.cold.is_none()
    }

    /// Whether all of late were small files that were not in the page cache.
    fn is_small_and_cold(&self) -> bool {
        self.cold.is_all() && self.core.scheduler.small.is_all()
    }

    fn working(&self) -> usize {
        self.threads.len() - self.idle
    }
}

impl EngineShared {
    pub(crate) fn new(
        options: EngineOptions,
        backend: Backend,
        fallback: OnceLock<String>,
        core: Core,
        handles: Handles,
    ) -> Arc<Self> {
        Arc::new(EngineShared {
            core: Mutex::new(Guarded {
                core,
                idle: 0,
                helpers: 0,
                threads: Vec::new(),
                closing: false,
                cold: Share::default(),
            }),
            work: Condvar::new(),
            handles,
            devices: Mutex::default(),
            options,
            backend,
            fallback,
            counts: EngineCounters::default(),
            warm: AtomicBool::new(true),
            opens: AtomicUsize::new(0),
        })
    }

    /// What moved the bytes so far.
    pub(crate) fn moved_by(&self) -> Backend {
        match self.backend {
            Backend::Uring if self.fallback.get().is_none() => Backend::Uring,
            Backend::Mmap => Backend::Mmap,
            _ => Backend::Threads,
        }
    }

    /// Whether threads are now to read by rings.
    ///
    /// `Backend::Auto` does so while half of the requests or more are tiny whole files, and as many
    /// of them are not in the page cache. Measured there, over 32 threads: 0.97 to 1.01 of
    /// the time and 0.89 to 0.95 of the CPU for files of 4 KiB, but 1.07 of the time and 1.09 of the
    /// CPU for such of 16 to 150 KB. For large cold
    /// files the two are equal, and from the page cache a ring takes 1.4 to 1.9 times as long; so
    /// there threads stay.
    fn by_ring(&self, guarded: &Guarded) -> bool {
        match self.backend {
            Backend::Uring => self.fallback.get().is_none(),
            Backend::Auto => {
                self.options.direct != Direct::Never
                    && self.fallback.get().is_none()
                    && guarded.cold.is_half()
                    && guarded.core.scheduler.tiny.is_half()
            }
            Backend::Threads | Backend::Mmap => false,
        }
    }

    /// Threads that may work at once. While bytes come from the page cache, a receiver that reads
    /// itself is one of the few: its results are still in its own cache when it looks at them.
    fn room(&self, guarded: &Guarded) -> usize {
        if self.by_ring(guarded) {
            Backend::Uring.threads(&self.options)
        } else if guarded.is_warm() {
            self.options.warm_threads.saturating_sub(guarded.helpers).max(1)
        } else {
            self.options.threads
        }
    }

    fn lock(&self) -> MutexGuard<'_, Guarded> {
        lock(&self.core)
    }

    /// Queues all requests of a batch, and sees to it that threads look at them.
    pub(crate) fn submit(self: &Arc<Self>, requests: Vec<Request>) -> Arc<BatchState> {
        self.queue(requests, None)
    }

    /// Queues a write and does it in this thread, unless something else comes first.
    pub(crate) fn write(self: &Arc<Self>, request: Request, to: Arc<Handle>) -> Done {
        let _watch = Watch::new(self);
        let batch = self.queue(vec![request], Some(to));
        let mut taken = batch.take(Some(Duration::ZERO));
        while taken.is_empty() {
            let mut guarded = self.lock();
            match guarded.core.next(now_ns()) {
                NextWork::Fly(flight) => {
                    let mut guarded = self.fly((flight, guarded));
                    // What this thread leaves behind is not forgotten.
                    self.call_for_help(&mut guarded);
                    taken = batch.take(Some(Duration::ZERO));
                }
                NextWork::Wait(ns) => {
                    drop(guarded);
                    taken = batch.take(Some(Duration::from_nanos(ns)));
                }
                NextWork::Nothing => {
                    self.call_for_help(&mut guarded);
                    drop(guarded);
                    taken = batch.take(None);
                }
            }
        }
        self.taken(batch.number, &taken);
        self.abandon(&batch);
        taken.pop().expect("it has just arrived").0
    }

    /// Queues requests. For writes nobody is called: the caller sees to them.
    fn queue(
        self: &Arc<Self>,
        mut requests: Vec<Request>,
        to: Option<Arc<Handle>>,
    ) -> Arc<BatchState> {
        let devices = self.devices_of(&requests);
        if requests.len() > deferred::QUEUED
            && let Some(alike) = deferred::alike(&requests, &devices)
        {
            let number = self.lock().core.scheduler.add_batch();
            let batch = Arc::new(BatchState::new(number, requests, to, now_ns()));
            let mut guarded = self.lock();
            guarded.core.add_alike(&batch, alike, batch.queued_ns);
            self.call_for_help(&mut guarded);
            return batch;
        }
        let mut into: Vec<_> = requests.iter_mut().map(|r| r.into.take()).collect();
        let number = self.lock().core.scheduler.add_batch();
        let batch = Arc::new(BatchState::new(number, requests, to, now_ns()));
        for start in (0..into.len()).step_by(QUEUED_AT_ONCE) {
            let end = into.len().min(start + QUEUED_AT_ONCE);
            let mut guarded = self.lock();
            let now = now_ns();
            for index in start..end {
                guarded.core.add(&batch, index, into[index].take(), devices[index], now);
            }
            if batch.to.is_none() {
                self.call_for_help(&mut guarded);
            }
        }
        batch
    }

    fn devices_of(&self, requests: &[Request]) -> Vec<u16> {
        let mut devices = lock(&self.devices);
        // The part of a path before its last name: most have that of the one before.
        let mut last: Option<(&[u8], u16)> = None;
        let mut numbers = Vec::with_capacity(requests.len());
        for request in requests {
            let path = request.path.as_os_str().as_encoded_bytes();
            let part = &path[..path.iter().rposition(|b| *b == b'/').unwrap_or(0)];
            let number = match last {
                Some((known, number)) if known == part => number,
                _ => {
                    let folder = request.path.parent().unwrap_or(Path::new(""));
                    let number = devices.folders.get(folder).copied();
                    number.unwrap_or_else(|| devices.add(folder))
                }
            };
            last = Some((part, number));
            numbers.push(number);
        }
        numbers
    }

    /// Wakes or starts one thread if there is work for it. It calls for the next one.
    fn call_for_help(self: &Arc<Self>, guarded: &mut Guarded) {
        let scheduler = &guarded.core.scheduler;
        if scheduler.waiting() == 0
            || scheduler.flying() >= scheduler.width
            || guarded.working() >= self.room(guarded)
        {
            return;
        }
        if guarded.idle > 0 {
            self.work.notify_one();
        } else if guarded.threads.len() < self.backend.threads(&self.options) {
            let shared = self.clone();
            let name = format!("solio io {}", guarded.threads.len());
            let serve = move || {
                shared.lock().idle -= 1;
                shared.serve();
            };
            // Without a further thread the work goes on with those that there are.
            if let Ok(thread) = std::thread::Builder::new().name(name).spawn(serve) {
                guarded.threads.push(thread);
                guarded.idle += 1;
            }
        }
    }

    /// What a thread of the engine does all its life.
    fn serve(self: &Arc<Self>) {
        let _watch = Watch::new(self);
        let mut driver = None;
        let mut guarded = self.lock();
        while let Some((flight, held)) = self.next_flight(guarded) {
            if flight.is_write() || !self.by_ring(&held) {
                guarded = self.fly((flight, held));
                continue;
            }
            let taken = self.for_ring(&held, flight);
            drop(held);
            match self.driver(&mut driver) {
                Some(driver) => driver.serve(self, taken),
                None => drop(self.fly((taken.flight, self.lock()))),
            }
            guarded = self.lock();
        }
    }

    /// A thread's ring. There may be none, though there was one when the engine was made: the
    /// statistics say so.
    fn driver<'d>(&self, driver: &'d mut Option<uring::Driver>) -> Option<&'d mut uring::Driver> {
        if driver.is_none() {
            match uring::ring() {
                Ok(ring) => *driver = Some(uring::Driver::new(ring)),
                Err(why) => _ = self.fallback.set(why),
            }
        }
        driver.as_mut()
    }

    /// How a ring is best to read a flight.
    fn for_ring(&self, guarded: &Guarded, flight: Flight) -> TakenFlight {
        let linkable = flight.grant.unknown && flight.grant.offset == 0 && flight.aligned;
        let link = linkable
            && self.options.direct != Direct::Never
            && guarded.is_small_and_cold()
            && !self.opens.fetch_add(1, Relaxed).is_multiple_of(LOOKED_AT);
        TakenFlight { flight, link }
    }

    /// Reads pieces in the thread of a receiver that would only wait. Returns whether there was
    /// one to read; `helping` is the receiver's mark that it is counted as a helper.
    pub(crate) fn help(self: &Arc<Self>, helping: &mut bool) -> bool {
        let _watch = Watch::new(self);
        let mut guarded = self.lock();
        if guarded.closing || !guarded.is_warm() || self.backend == Backend::Uring {
            return false;
        }
        if !std::mem::replace(helping, true) {
            guarded.helpers += 1;
        }
        let NextWork::Fly(flight) = guarded.core.next(now_ns()) else { return false };
        self.call_for_help(&mut guarded);
        drop(self.fly((flight, guarded)));
        true
    }

    /// Gives a receiver requests to read by itself: while files come from the page cache, and
    /// nobody else wants anything.
    pub(crate) fn begin_alone(
        self: &Arc<Self>,
        batch: &Arc<BatchState>,
        alone: &mut Option<DirectRequests>,
        helping: &mut bool,
    ) -> bool {
        let _watch = Watch::new(self);
        let mut guarded = self.lock();
        self.settle(&mut guarded, batch, alone);
        let plain = matches!(self.backend, Backend::Auto | Backend::Threads)
            && self.options.direct != Direct::Always;
        if !plain || guarded.closing || !guarded.is_warm() {
            return false;
        }
        let Some(range) = guarded.core.begin_alone(batch.number) else { return false };
        if !std::mem::replace(helping, true) {
            guarded.helpers += 1;
        }
        let pool = &guarded.core.pool;
        let asks = self.options.direct == Direct::Auto;
        let new = || DirectRequests::new(pool.clone(), self.options.memory_bytes, asks);
        alone.get_or_insert_with(new).begin(range);
        true
    }

    /// A receiver reads no more by itself.
    pub(crate) fn end_alone(
        self: &Arc<Self>,
        batch: &Arc<BatchState>,
        alone: &mut Option<DirectRequests>,
    ) {
        if alone.is_some() {
            let _watch = Watch::new(self);
            let mut guarded = self.lock();
            self.settle(&mut guarded, batch, alone);
        }
    }

    /// What a receiver has read by itself, and what it has not.
    fn settle(
        self: &Arc<Self>,
        guarded: &mut Guarded,
        batch: &Arc<BatchState>,
        alone: &mut Option<DirectRequests>,
    ) {
        let Some(mut alone) = alone.take() else { return };
        let (left, tally) = alone.end();
        let Tally { ended, pieces, bytes, plain, large, warm, cold } = tally;
        self.counts.bytes.fetch_add(bytes, Relaxed);
        self.counts.pieces.fetch_add(pieces, Relaxed);
        (0..warm).for_each(|_| self.adapt(guarded, false));
        (0..cold).for_each(|_| self.adapt(guarded, true));
        (0..pieces.min(4)).for_each(|_| guarded.core.scheduler.small.add(true));
        (0..large).for_each(|_| guarded.core.scheduler.small.add(false));
        batch.ended(ended);
        guarded.core.end_alone(batch, left, &plain, now_ns());
        self.call_for_help(guarded);
    }

    /// A receiver needs no more.
    pub(crate) fn stop_helping(&self) {
        self.lock().helpers -= 1;
    }

    /// Takes a few more pieces, opens their files where they are not open, and reads all.
    fn fly<'a>(
        self: &'a Arc<Self>,
        (first, mut guarded): (Flight, MutexGuard<'a, Guarded>),
    ) -> MutexGuard<'a, Guarded> {
        let mut flights = vec![first];
        if guarded.is_warm() {
            let now = now_ns();
            while flights.len() < TOGETHER
                && let NextWork::Fly(flight) = guarded.core.next(now)
            {
                flights.push(flight);
            }
        }
        drop(guarded);
        let (mut open, closed): (Vec<_>, Vec<_>) =
            flights.into_iter().partition(|flight| flight.file.is_some());
        let files: Vec<_> = closed.into_iter().map(|flight| (self.open(&flight), flight)).collect();
        if !files.is_empty() {
            let mut guarded = self.lock();
            let now = now_ns();
            for (file, flight) in files {
                if let AfterOpen::Read(flight) = guarded.core.opened(flight, file, now) {
                    open.push(flight);
                }
            }
            // A large file has further pieces now.
            self.call_for_help(&mut guarded);
        }
        let moved: Vec<_> = open
            .into_iter()
            .map(|flight| {
                let result = self.carry_out(&flight);
                (flight, result)
            })
            .collect();
        self.land(moved)
    }

    /// Reads or writes.
    fn carry_out(&self, flight: &Flight) -> Result<()> {
        let bytes = flight.grant.length;
        let is_write = flight.is_write();
        let _span = if is_write { &WRITE } else { &READ }.begin().bytes(bytes as usize);
        IN_FLIGHT.add(bytes as i64);
        let result = contained(|| match is_write {
            true => read::write(flight, &self.counts),
            false => read::read(self.backend, flight, &self.counts),
        });
        IN_FLIGHT.add(-(bytes as i64));
        result
    }

    /// The next piece, waiting for one; `None` when the engine closes.
    fn next_flight<'a>(
        self: &'a Arc<Self>,
        mut guarded: MutexGuard<'a, Guarded>,
    ) -> Option<(Flight, MutexGuard<'a, Guarded>)> {
        loop {
            QUEUED.set(guarded.core.waiting() as i64);
            if guarded.closing {
                return None;
            }
            let work = if guarded.working() > self.room(&guarded) {
                NextWork::Nothing // for this thread: those that may go on see to it
            } else {
                guarded.core.next(now_ns())
            };
            guarded = match work {
                NextWork::Fly(flight) => {
                    self.call_for_help(&mut guarded);
                    return Some((flight, guarded));
                }
                NextWork::Wait(ns) => {
                    let time = Duration::from_nanos(ns);
                    let woken = self.work.wait_timeout(guarded, time);
                    woken.unwrap_or_else(PoisonError::into_inner).0
                }
                NextWork::Nothing => {
                    guarded.idle += 1;
                    let woken = self.work.wait(guarded);
                    let mut guarded = woken.unwrap_or_else(PoisonError::into_inner);
                    guarded.idle -= 1;
                    guarded
                }
            };
        }
    }

    /// Whether a flight's file is to be read past the page cache.
    pub(crate) fn direct_of(&self, flight: &Flight) -> Bypass {
        let direct = if flight.aligned { self.options.direct } else { Direct::Never };
        let looks =
            !self.warm.load(Relaxed) || self.opens.fetch_add(1, Relaxed).is_multiple_of(LOOKED_AT);
        Bypass { direct, ask_from: if looks { 1 } else { SMALL } }
    }

    /// Opens a flight's file.
    pub(crate) fn open(&self, flight: &Flight) -> Result<Arc<Handle>> {
        let request = flight.request();
        let whole = request.length.is_none();
        let direct = self.direct_of(flight);
        let _span = OPEN.begin();
        let open = || {
            contained(|| {
                #[cfg(test)]
                super::tests::trip(&request.path, "trips");
                self.handles.open(&request.path, direct, !whole)
            })
        };
        let mut file = open();
        // The process may have opened more than when the engine counted: wait for some to close.
        for _ in 0..OPEN_TRIES {
            if !file.as_ref().is_err_and(no_descriptors) {
                break;
            }
            self.handles.clear();
            std::thread::sleep(Duration::from_millis(1));
            file = open();
        }
        file
    }

    /// A flight's file is open, or not; the flight to go on with, if any.
    #[allow(dead_code)] // a ring asks it
    pub(crate) fn opened(
        self: &Arc<Self>,
        flight: Flight,
        file: Result<Arc<Handle>>,
    ) -> Option<Flight> {
        let mut guarded = self.lock();
        match guarded.core.opened(flight, file, now_ns()) {
            AfterOpen::Read(flight) => {
                self.call_for_help(&mut guarded);
                Some(flight)
            }
            AfterOpen::Over => None,
        }
    }

    /// A flight's file is said to have so many bytes; the flight to go on with, if any.
    #[allow(dead_code)] // a ring asks it
    pub(crate) fn sized(&self, flight: Flight, bytes: u64) -> Option<Flight> {
        match self.lock().core.sized(flight, bytes, now_ns()) {
            AfterOpen::Read(flight) => Some(flight),
            AfterOpen::Over => None,
        }
    }

    /// A flight's file is not what it was said to be.
    #[allow(dead_code)] // a ring asks it
    pub(crate) fn unsure(&self, flight: Flight) -> Flight {
        self.lock().core.unsure(flight)
    }

    /// A flight's file was opened, read and closed in one go.
    #[allow(dead_code)] // a ring asks it
    pub(crate) fn arrived(&self, flight: Flight) {
        self.counts.add(flight.grant.length, true);
        self.counts.linked.fetch_add(1, Relaxed);
        drop(self.land(vec![(flight, Ok(()))]));
    }

    /// A flight of a ring has ended.
    #[allow(dead_code)] // a ring asks it
    pub(crate) fn ended(&self, flight: Flight, result: Result<()>) {
        if result.is_ok() {
            let direct = flight.file.as_ref().is_some_and(|f| f.is_direct());
            self.counts.add(flight.grant.length, direct);
        }
        drop(self.land(vec![(flight, result)]));
    }

    /// A piece for a ring to read; waits for one only if it may. What is to be written is written
    /// here: the ring would only hand the copying to another thread.
    #[allow(dead_code)] // a ring asks it
    pub(crate) fn take(
        self: &Arc<Self>,
        may_wait: bool,
    ) -> std::result::Result<Option<TakenFlight>, NoMore> {
        loop {
            match self.take_any(may_wait)? {
                Some(TakenFlight { flight, .. }) if flight.is_write() => {
                    let result = self.carry_out(&flight);
                    drop(self.land(vec![(flight, result)]));
                }
                taken => return Ok(taken),
            }
        }
    }

    #[allow(dead_code)] // a ring asks it
    fn take_any(
        self: &Arc<Self>,
        may_wait: bool,
    ) -> std::result::Result<Option<TakenFlight>, NoMore> {
        let mut guarded = self.lock();
        if guarded.closing || !self.by_ring(&guarded) {
            self.call_for_help(&mut guarded);
            return Err(NoMore);
        }
        if may_wait {
            let (flight, guarded) = self.next_flight(guarded).ok_or(NoMore)?;
            return Ok(Some(self.for_ring(&guarded, flight)));
        }
        match guarded.core.next(now_ns()) {
            NextWork::Fly(flight) => {
                self.call_for_help(&mut guarded);
                Ok(Some(self.for_ring(&guarded, flight)))
            }
            NextWork::Wait(_) | NextWork::Nothing => Ok(None),
        }
    }

    /// Flights have ended.
    fn land(&self, read: Vec<(Flight, Result<()>)>) -> MutexGuard<'_, Guarded> {
        let mut guarded = self.lock();
        let mut packed = Vec::new();
        let now = now_ns();
        for (flight, result) in read {
            if let Some(file) = flight.file.as_ref().filter(|file| file.was_looked_at()) {
                self.adapt(&mut guarded, file.is_direct());
            }
            packed.extend(guarded.core.landed(flight, result, now));
        }
        self.unpack(guarded, packed)
    }

    /// Unpacks what has arrived packed; without the lock.
    fn unpack<'a>(
        &'a self,
        mut guarded: MutexGuard<'a, Guarded>,
        packed: impl IntoIterator<Item = PackedResult>,
    ) -> MutexGuard<'a, Guarded> {
        for packed in packed {
            // The others go on meanwhile.
            self.work.notify_one();
            drop(guarded);
            let span = UNPACK.begin().bytes(packed.bytes.len());
            let result = contained(|| unpack(&packed));
            drop(span);
            guarded = self.lock();
            guarded.core.unpacked(packed, result, now_ns());
        }
        guarded
    }

    /// As many reads at once as suit the page cache, or the medium.
    fn adapt(&self, guarded: &mut Guarded, cold: bool) {
        guarded.cold.add(cold);
        let warm = guarded.is_warm();
        let backend = if self.by_ring(guarded) { Backend::Uring } else { self.backend };
        guarded.core.scheduler.width = backend.width(&self.options, warm);
        guarded.core.scheduler.ahead = ahead(&self.options, warm);
        guarded.core.enough_readers = enough_readers(&self.options, warm);
        self.warm.store(warm, Relaxed);
    }

    pub(crate) fn cancel(&self, batch: &Arc<BatchState>, indices: Range<usize>) {
        let mut start = indices.start;
        while start < indices.end {
            let end = indices.end.min(start + QUEUED_AT_ONCE);
            let mut guarded = self.lock();
            for index in start..end {
                guarded.core.cancel(batch, index, now_ns());
            }
            start = end;
        }
        self.work.notify_one();
    }

    pub(crate) fn set_priority(&self, batch: &Arc<BatchState>, index: usize, priority: Priority) {
        self.lock().core.set_priority(batch, index, priority, now_ns());
        self.work.notify_one();
    }

    pub(crate) fn taken(self: &Arc<Self>, batch: u32, results: &[(Done, u64)]) {
        if !results.is_empty() {
            let mut guarded = self.lock();
            guarded.core.taken(batch, results);
            self.call_for_help(&mut guarded);
        }
    }

    pub(crate) fn abandon(self: &Arc<Self>, batch: &Arc<BatchState>) {
        let mut guarded = self.lock();
        guarded.core.abandon(batch);
        self.call_for_help(&mut guarded);
    }

    /// Lets all threads end, after the pieces that they are reading.
    fn close(&self) {
        let threads = {
            let mut guarded = self.lock();
            guarded.closing = true;
            std::mem::take(&mut guarded.threads)
        };
        self.work.notify_all();
        for thread in threads {
            let _ = thread.join();
        }
    }
}

/// Out of the page cache, reading does not run far ahead of the receivers: what they are given is
/// still in a cache then, and little memory goes round.
pub(crate) fn ahead(options: &EngineOptions, warm: bool) -> ResultsAhead {
    if warm {
        ResultsAhead { bytes: 1 << 20, results: 2 * TOGETHER * options.warm_threads }
    } else {
        ResultsAhead::default()
    }
}

/// With so many receivers that read by themselves, nobody else is to read for a batch.
pub(crate) fn enough_readers(options: &EngineOptions, warm: bool) -> usize {
    if warm { options.warm_threads } else { usize::MAX }
}

impl DeviceNumbers {
    fn add(&mut self, folder: &Path) -> u16 {
        let place = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let device = crate::sys::stat(place).map_or(0, |s| crate::sys::device_of(&s));
        let next = self.numbers.len().min(u16::MAX as usize) as u16;
        let number = *self.numbers.entry(device).or_insert(next);
        self.folders.insert(folder.to_owned(), number);
        number
    }
}

fn no_descriptors(e: &Error) -> bool {
    let codes = [crate::sys::Errno::MFILE, crate::sys::Errno::NFILE];
    codes.iter().any(|code| e.os_error() == Some(code.raw_os_error()))
}

fn unpack(packed: &PackedResult) -> Result<Buffer> {
    let request = packed.request();
    let compression = match request.packing {
        Packing::None => Compression::None,
        Packing::Gzip => Compression::Gzip,
        Packing::Zlib => {
            let most = request.unpacked.unwrap_or(Limits::default().bytes);
            return whole(solio_codec::compress::decode_zlib(&packed.bytes, most)?, request);
        }
        Packing::Zstd => Compression::Zstd,
        Packing::Detect => Compression::of_head(&packed.bytes[..packed.bytes.len().min(4)]),
    };
    let limits =
        Limits { bytes: request.unpacked.unwrap_or(Limits::default().bytes), ..Limits::default() };
    let mut decoder = StreamDecoder::new(compression, &packed.bytes[..], &limits)?;
    let known = request.unpacked.unwrap_or(0).min(64 * packed.bytes.len() as u64);
    let mut bytes = solio_base::memory::with_capacity(known as usize);
    loop {
        let start = bytes.len();
        let room = (bytes.capacity() - start).max(64 << 10);
        bytes.resize(start + room, 0);
        let got = decoder.read(&mut bytes[start..])?;
        bytes.truncate(start + got);
        if got == 0 {
            break;
        }
    }
    whole(bytes, request)
}

/// The unpacked bytes, if they are as many as the request says.
fn whole(bytes: Vec<u8>, request: &Request) -> Result<Buffer> {
    match request.unpacked {
        Some(wanted) if wanted != bytes.len() as u64 => {
            Err(Error::corrupt(format!("unpacks to {} bytes; {wanted} were expected", bytes.len())))
        }
        _ => Ok(Buffer::of(bytes)),
    }
}

/// The backend that `SOLIO_IO` names.
pub(crate) fn forced_backend() -> Result<Option<Backend>> {
    let Some(name) = std::env::var_os("SOLIO_IO") else { return Ok(None) };
    let name = name.to_string_lossy();
    match Backend::ALL.into_iter().find(|b| b.name() == name) {
        Some(backend) => Ok(Some(backend)),
        None => Err(Error::argument(format!("SOLIO_IO is {name:?}"))
            .hint("use auto, uring, threads or mmap")),
    }
}

impl EngineCounters {
    pub(crate) fn add(&self, bytes: u64, direct: bool) {
        self.bytes.fetch_add(bytes, Relaxed);
        self.pieces.fetch_add(1, Relaxed);
        if direct {
            self.direct_bytes.fetch_add(bytes, Relaxed);
        }
    }
}
