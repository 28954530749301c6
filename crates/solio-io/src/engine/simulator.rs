//! The real core under a made-up system and a clock of its own: every request ends exactly once,
//! as all of its bytes, a typed error, or cancelled; what was reported as written is there, whenever
//! the machine stops. A seed says all that happens.

use super::batch::BatchState;
use super::core::{AfterOpen, Core, Flight, NextWork, answer};
use super::deferred;
use super::handles::Handle;
use super::pool::{BlockPool, Landing};
use super::request::{Done, Priority, Request};
use super::scheduler::Tuning;
use super::transfer::{Transfer, TransferStep};
use crate::sys::Errno;
use crate::token_bucket::TokenBucket;
use solio_base::{Cancel, Error, ErrorKind};
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

/// What is wrong with a file.
#[derive(Clone, Copy, Debug, PartialEq)]
enum SimulatedFault {
    None,
    Missing,
    Forbidden,
    Folder,
    /// A read that reaches this byte fails.
    BadSector(u64),
    /// It ends here by the time it is read.
    CutTo(u64),
    /// The medium has no room for this byte and all after it.
    Full(u64),
}

struct SimulatedFile {
    bytes: u64,
    fault: SimulatedFault,
    /// What was written to it, by offset.
    written: Vec<Option<u8>>,
}

/// No file is longer.
const MOST_BYTES: u64 = 60_000;

impl SimulatedFile {
    fn byte(index: usize, offset: u64) -> u8 {
        ((offset ^ (index as u64) << 7).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8
    }
}

struct SimulatorRandom(u64);

impl SimulatorRandom {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
}

/// A flight that the system has not answered.
struct Pending {
    due_ns: u64,
    flight: Flight,
    piece: Option<Transfer>,
    /// Its file is opened, read and closed in one go.
    linked: bool,
}

struct Sent {
    state: Arc<BatchState>,
    files: Vec<usize>,
    token: Cancel,
    answers: Vec<Option<Done>>,
    cancelled: HashSet<usize>,
    alone: Vec<SimulatedDirect>,
    dropped: bool,
}

/// Requests that a receiver has taken to itself.
struct SimulatedDirect {
    left: std::ops::Range<u32>,
    ended: usize,
    plain: Vec<u32>,
}

struct Simulation {
    pool: Arc<BlockPool>,
    random: SimulatorRandom,
    core: Core,
    files: Vec<SimulatedFile>,
    now_ns: u64,
    pending: Vec<Pending>,
    sent: Vec<Sent>,
    /// Batch and index of requests of which the system was asked for bytes.
    touched: HashSet<(usize, usize)>,
}

impl Simulation {
    fn new(seed: u64, pool: &Arc<BlockPool>) -> Self {
        let mut random = SimulatorRandom(seed);
        let tuning = Tuning {
            piece_bytes: 4096 << random.below(3),
            flying_bytes: 16_384 << random.below(5),
            narrow_piece_bytes: 4096,
            narrow_flying_bytes: 8192 << random.below(3),
            linger_ns: random.below(3) * 1_000_000,
            ageing_ns: 1 + random.below(3_000_000),
            memory_bytes: 70_000 + random.below(400_000),
            open_files: 1 + random.below(8) as usize,
        };
        let width = 1 + random.below(8) as usize;
        let mut core = Core::new(tuning, width, pool.clone());
        if random.one_in(8) {
            core.scheduler.bytes_rate = Some(TokenBucket::new(1_000_000 + random.below(1 << 30)));
        }
        if random.one_in(8) {
            core.scheduler.operations_rate = Some(TokenBucket::new(1000 + random.below(100_000)));
        }
        let files = (0..1 + random.below(6)).map(|_| {
            let bytes = match random.below(4) {
                0 => 0,
                1 => random.below(100),
                _ => random.below(MOST_BYTES),
            };
            let fault = match random.below(13) {
                0 => SimulatedFault::Missing,
                1 => SimulatedFault::Forbidden,
                2 => SimulatedFault::Folder,
                3 => SimulatedFault::BadSector(random.below(bytes + 1)),
                4 => SimulatedFault::CutTo(random.below(bytes + 1)),
                5 => SimulatedFault::Full(random.below(MOST_BYTES)),
                _ => SimulatedFault::None,
            };
            SimulatedFile { bytes, fault, written: vec![None; 2 * MOST_BYTES as usize] }
        });
        let files = files.collect();
        core.enough_readers = 1 + random.below(3) as usize;
        Simulation {
            pool: pool.clone(),
            random,
            core,
            files,
            now_ns: 0,
            pending: Vec::new(),
            sent: Vec::new(),
            touched: HashSet::new(),
        }
    }

    fn submit(&mut self) {
        let token = Cancel::default();
        if self.random.one_in(4) {
            return self.submit_alike(token);
        }
        let count = self.random.below(6) as usize;
        let to = self.random.one_in(4).then(|| Arc::new(Handle::simulated(0)));
        let mut files: Vec<usize> =
            (0..count).map(|_| self.random.below(self.files.len() as u64) as usize).collect();
        if let (Some(_), Some(&first)) = (&to, files.first()) {
            files.fill(first);
        }
        let request = |&f: &usize| self.request(f, to.is_some(), &token);
        let mut requests: Vec<Request> = files.iter().map(request).collect();
        let mut into: Vec<_> = requests.iter_mut().map(|r| r.into.take()).collect();
        let number = self.core.scheduler.add_batch();
        let state = Arc::new(BatchState::new(number, requests, to, self.now_ns));
        for (index, &file) in files.iter().enumerate() {
            let size = self.files[file].bytes as usize;
            let memory = self.random.one_in(10).then(|| vec![0; size + 10]);
            let memory = into[index].take().or(memory);
            let device = self.random.below(2) as u16;
            self.core.add(&state, index, memory, device, self.now_ns);
        }
        let answers = files.iter().map(|_| None).collect();
        let cancelled = HashSet::new();
        let alone = Vec::new();
        self.sent.push(Sent { state, files, token, answers, cancelled, alone, dropped: false });
    }

    /// A batch of which only a part stands in the queue.
    fn submit_alike(&mut self, token: Cancel) {
        let count = 1 + self.random.below(60) as usize;
        let files: Vec<usize> =
            (0..count).map(|_| self.random.below(self.files.len() as u64) as usize).collect();
        let priority = Priority::ALL[self.random.below(6) as usize];
        let whole = self.random.below(4) > 0;
        let request = |&file: &usize| {
            let request = self.request(file, false, &token).priority(priority);
            let (offset, length) = if whole { (0, None) } else { (request.offset, request.length) };
            Request { deadline: None, offset, length, ..request }
        };
        let requests: Vec<Request> = files.iter().map(request).collect();
        let alike = deferred::alike(&requests, &vec![1; count]).expect("made so");
        let number = self.core.scheduler.add_batch();
        let state = Arc::new(BatchState::new(number, requests, None, self.now_ns));
        self.core.add_alike(&state, alike, self.now_ns);
        let answers = files.iter().map(|_| None).collect();
        let (cancelled, alone) = (HashSet::new(), Vec::new());
        self.sent.push(Sent { state, files, token, answers, cancelled, alone, dropped: false });
    }

    /// A receiver reads by itself: takes something, reads some of it, or gives the rest back.
    fn alone(&mut self, b: usize) {
        let number = self.sent[b].state.number;
        if self.sent[b].alone.is_empty() || self.random.one_in(4) {
            if let Some(left) = self.core.begin_alone(number) {
                self.sent[b].alone.push(SimulatedDirect { left, ended: 0, plain: Vec::new() });
            }
            return;
        }
        if self.random.one_in(4) {
            return self.end_alone(b);
        }
        for _ in 0..self.random.below(20) {
            self.read_alone(b);
        }
    }

    fn read_alone(&mut self, b: usize) {
        let Some(index) = self.sent[b].alone[0].left.next() else { return };
        let (state, i) = (self.sent[b].state.clone(), index as usize);
        let (place, request) = (&state.places[i], &state.requests[i]);
        if !place.begin() {
            return;
        }
        if self.random.one_in(9) {
            self.cancel(b, i);
        }
        let file = &self.files[self.sent[b].files[i]];
        let cancelled = || Err(Error::cancelled());
        let submitted = request.cancel.as_ref().is_none_or(|c| !c.is_cancelled());
        let result = if !submitted {
            place.end();
            cancelled()
        } else if file.fault == SimulatedFault::None && file.bytes > 0 && !self.random.one_in(6) {
            let landing = Landing::new(&self.pool, 0, file.bytes as usize).unwrap();
            // SAFETY: the only window.
            let window = unsafe { landing.window(0, file.bytes as usize) };
            let byte = |at: usize| SimulatedFile::byte(self.sent[b].files[i], at as u64);
            window.iter_mut().enumerate().for_each(|(at, to)| *to = byte(at));
            if place.end() { Ok(landing.into_buffer()) } else { cancelled() }
        } else if place.put_back() {
            return self.sent[b].alone[0].plain.push(index);
        } else {
            place.end();
            cancelled()
        };
        if submitted {
            self.touched.insert((b, i));
        }
        let done = answer(&state, i, submitted.then_some(self.now_ns), result, self.now_ns);
        assert!(self.sent[b].answers[i].is_none(), "request {i} ended twice");
        self.sent[b].answers[i] = Some(done);
        self.sent[b].alone[0].ended += 1;
    }

    fn end_alone(&mut self, b: usize) {
        let SimulatedDirect { left, ended, plain } = self.sent[b].alone.swap_remove(0);
        let state = self.sent[b].state.clone();
        state.ended(ended);
        self.core.end_alone(&state, left, &plain, self.now_ns);
    }

    fn end_all_alone(&mut self, b: usize) {
        while !self.sent[b].alone.is_empty() {
            self.end_alone(b);
        }
    }

    fn request(&mut self, file: usize, writes: bool, token: &Cancel) -> Request {
        let r = &mut self.random;
        let bytes = self.files[file].bytes;
        let path = format!("file{file}");
        let request = if writes {
            let (offset, length) = (r.below(MOST_BYTES), r.below(MOST_BYTES));
            let bytes = (offset..offset + length).map(|at| SimulatedFile::byte(file, at)).collect();
            Request::range(path, offset, length).into_buffer(bytes)
        } else if r.one_in(3) {
            let offset = r.below(bytes + 1);
            let one_too_many = r.below(2);
            Request::range(path, offset, r.below(bytes - offset + 1 + one_too_many))
        } else {
            Request { offset: r.below(3).min(bytes), ..Request::file(path) }
        };
        let request = request.priority(Priority::ALL[r.below(6) as usize]).tag(r.next());
        let request = if r.one_in(4) {
            request.deadline(Duration::from_nanos(r.below(9_000_000)))
        } else {
            request
        };
        if r.one_in(2) { request.cancel(token.clone()) } else { request }
    }

    /// Hands out as many pieces as the core gives. Returns a time to look again.
    fn fly(&mut self) -> Option<u64> {
        loop {
            match self.core.next(self.now_ns) {
                NextWork::Nothing => return None,
                NextWork::Wait(ns) => return Some(self.now_ns + ns),
                NextWork::Fly(flight) => {
                    let sent = self.sent.iter().position(|s| Arc::ptr_eq(&s.state, &flight.batch));
                    self.touched.insert((sent.unwrap(), flight.index));
                    let due_ns = self.now_ns + 1 + self.random.below(1_000_000);
                    self.pending.push(Pending { due_ns, flight, piece: None, linked: false });
                }
            }
        }
    }

    /// The system answers the flight that is due first.
    fn answer(&mut self) {
        let first = (0..self.pending.len()).min_by_key(|&i| self.pending[i].due_ns).unwrap();
        let Pending { due_ns, mut flight, piece, linked } = self.pending.swap_remove(first);
        self.now_ns = self.now_ns.max(due_ns);
        let due_ns = self.now_ns + 1 + self.random.below(1_000_000);
        let file = self.file_of(&flight);
        if linked {
            return self.answer_linked(flight, file, due_ns);
        }
        let whole = flight.grant.unknown && flight.grant.offset == 0 && flight.aligned;
        if flight.file.is_none() && whole && self.random.one_in(2) {
            return self.ask_size(flight, file, due_ns);
        }
        if flight.file.is_none() {
            let opened = self.open(file);
            if let AfterOpen::Read(flight) = self.core.opened(flight, opened, self.now_ns) {
                self.pending.push(Pending { due_ns, flight, piece: None, linked: false });
            }
            return;
        }
        let writes = flight.is_write();
        let begin = if writes { Transfer::write } else { Transfer::new };
        let mut piece = piece.unwrap_or_else(|| begin(flight.grant.offset, flight.grant.length));
        let step = match piece.step() {
            TransferStep::Read { offset, length } if writes => {
                let answer = self.write(&mut flight, file, offset, length);
                piece.answer(answer)
            }
            TransferStep::Read { offset, length } => {
                let answer = self.read(&mut flight, file, offset, length);
                piece.answer(answer)
            }
            step => step,
        };
        let result = match step {
            TransferStep::Read { .. } => {
                self.pending.push(Pending { due_ns, flight, piece: Some(piece), linked: false });
                return;
            }
            TransferStep::Full => Ok(()),
            TransferStep::Failed(e) => Err(e),
        };
        assert!(self.core.landed(flight, result, self.now_ns).is_none());
    }

    /// As a ring does: the size first, which may be wrong by the time of the read.
    fn ask_size(&mut self, flight: Flight, file: usize, due_ns: u64) {
        let bytes = match (self.open(file), self.files[file].bytes) {
            (Err(e), _) => {
                self.core.opened(flight, Err(e), self.now_ns);
                return;
            }
            (Ok(_), bytes) if self.random.one_in(8) => bytes.saturating_sub(self.random.below(9)),
            (Ok(_), bytes) => bytes,
        };
        if let AfterOpen::Read(flight) = self.core.sized(flight, bytes, self.now_ns) {
            assert_eq!((flight.grant.length, flight.grant.unknown), (bytes, false));
            self.pending.push(Pending { due_ns, flight, piece: None, linked: true });
        }
    }

    fn answer_linked(&mut self, mut flight: Flight, file: usize, due_ns: u64) {
        let wanted = flight.grant.length;
        let answer = self.read(&mut flight, file, 0, wanted as usize);
        let same = wanted == self.files[file].bytes;
        if same && answer.is_ok_and(|read| read as u64 == wanted) {
            assert!(self.core.landed(flight, Ok(()), self.now_ns).is_none());
        } else {
            let flight = self.core.unsure(flight);
            self.pending.push(Pending { due_ns, flight, piece: None, linked: false });
        }
    }

    fn file_of(&self, flight: &Flight) -> usize {
        let name = flight.request().path.to_str().unwrap();
        name.strip_prefix("file").unwrap().parse().unwrap()
    }

    fn open(&mut self, file: usize) -> solio_base::Result<Arc<Handle>> {
        let error = |code: i32| Err(Error::io("open", std::io::Error::from_raw_os_error(code)));
        match self.files[file].fault {
            SimulatedFault::Missing => error(Errno::NOENT.raw_os_error()),
            SimulatedFault::Forbidden => error(Errno::ACCESS.raw_os_error()),
            SimulatedFault::Folder => error(Errno::ISDIR.raw_os_error()),
            _ => Ok(Arc::new(Handle::simulated(self.files[file].bytes))),
        }
    }

    /// How many of the bytes that it could move a call does: it may be interrupted, or fall short.
    fn moves(&mut self, length: usize) -> std::io::Result<usize> {
        if self.random.one_in(8) {
            return Err(std::io::ErrorKind::Interrupted.into());
        }
        if self.random.one_in(4) && length > 1 {
            return Ok(1 + self.random.below(length as u64 - 1) as usize);
        }
        Ok(length)
    }

    fn read(
        &mut self,
        flight: &mut Flight,
        file: usize,
        offset: u64,
        length: usize,
    ) -> std::io::Result<usize> {
        let SimulatedFile { bytes, fault, .. } = self.files[file];
        let end = match fault {
            SimulatedFault::CutTo(end) => end,
            _ => bytes,
        };
        let length = self.moves(length.min(end.saturating_sub(offset) as usize))?;
        if let SimulatedFault::BadSector(bad) = fault
            && (offset..offset + length as u64).contains(&bad)
        {
            return Err(std::io::Error::from_raw_os_error(Errno::IO.raw_os_error()));
        }
        // SAFETY: the piece is this flight's alone.
        let window = unsafe { flight.landing.as_ref().unwrap().window(offset, length) };
        for (i, byte) in window.iter_mut().enumerate() {
            *byte = SimulatedFile::byte(file, offset + i as u64);
        }
        Ok(length)
    }

    fn write(
        &mut self,
        flight: &mut Flight,
        file: usize,
        offset: u64,
        length: usize,
    ) -> std::io::Result<usize> {
        let mut length = self.moves(length)? as u64;
        match self.files[file].fault {
            SimulatedFault::Full(full) if offset >= full => {
                return Err(std::io::Error::from_raw_os_error(Errno::NOSPC.raw_os_error()));
            }
            SimulatedFault::Full(full) => length = length.min(full - offset),
            SimulatedFault::BadSector(bad) if (offset..offset + length).contains(&bad) => {
                return Err(std::io::Error::from_raw_os_error(Errno::IO.raw_os_error()));
            }
            _ => {}
        }
        // SAFETY: the piece is this flight's alone.
        let window = unsafe { flight.landing.as_ref().unwrap().window(offset, length as usize) };
        let written = &mut self.files[file].written[offset as usize..][..length as usize];
        written.iter_mut().zip(window).for_each(|(place, byte)| *place = Some(*byte));
        Ok(length as usize)
    }

    /// The caller does something, or nothing.
    fn caller(&mut self) {
        if self.sent.is_empty() {
            return;
        }
        let b = self.random.below(self.sent.len() as u64) as usize;
        if self.sent[b].dropped {
            return;
        }
        match self.random.below(12) {
            0 if !self.sent[b].files.is_empty() => {
                let index = self.random.below(self.sent[b].files.len() as u64) as usize;
                self.cancel(b, index);
            }
            1 if self.random.one_in(4) => self.sent[b].token.cancel(),
            2 if self.random.one_in(6) => {
                // As dropping a batch does.
                self.end_all_alone(b);
                (0..self.sent[b].files.len()).for_each(|index| self.cancel(b, index));
                self.collect(b);
                self.core.abandon(&self.sent[b].state);
                self.sent[b].dropped = true;
            }
            3..7 => self.collect(b),
            7..10 => self.alone(b),
            10 if !self.sent[b].files.is_empty() => {
                let index = self.random.below(self.sent[b].files.len() as u64) as usize;
                let priority = Priority::ALL[self.random.below(Priority::COUNT as u64) as usize];
                let state = self.sent[b].state.clone();
                self.core.set_priority(&state, index, priority, self.now_ns);
            }
            _ => {}
        }
    }

    fn cancel(&mut self, b: usize, index: usize) {
        if self.sent[b].answers[index].is_none() {
            self.sent[b].cancelled.insert(index);
        }
        let state = self.sent[b].state.clone();
        self.core.cancel(&state, index, self.now_ns);
    }

    fn collect(&mut self, b: usize) {
        let sent = &mut self.sent[b];
        let taken = sent.state.take(Some(Duration::ZERO));
        self.core.taken(sent.state.number, &taken);
        for (done, _) in taken {
            let index = done.index;
            assert!(sent.answers[index].is_none(), "request {index} ended twice");
            sent.answers[index] = Some(done);
        }
    }

    /// The machine stops: what was reported as written is there.
    fn check_written(&self) {
        for sent in &self.sent {
            for (index, answer) in sent.answers.iter().enumerate() {
                let request = &sent.state.requests[index];
                let ok = answer.as_ref().is_some_and(|done| done.result.is_ok());
                if !(ok && sent.state.to.is_some()) {
                    continue;
                }
                let file = sent.files[index];
                for at in request.offset..request.offset + request.length.unwrap() {
                    let there = self.files[file].written[at as usize];
                    assert_eq!(there, Some(SimulatedFile::byte(file, at)), "{at} of file {file}");
                }
            }
        }
    }

    fn check(&self) {
        self.check_written();
        for (b, sent) in self.sent.iter().enumerate() {
            for (index, answer) in sent.answers.iter().enumerate() {
                let Some(done) = answer else {
                    assert!(sent.dropped, "request {index} never ended");
                    continue;
                };
                self.check_answer(b, sent, index, done);
            }
        }
        assert!(self.core.is_empty(), "something is left");
    }

    fn check_answer(&self, b: usize, sent: &Sent, index: usize, done: &Done) {
        let request = &sent.state.requests[index];
        let file = &self.files[sent.files[index]];
        let writes = sent.state.to.is_some();
        assert_eq!(done.tag, request.tag);
        assert_eq!(done.submitted, self.touched.contains(&(b, index)));
        let end = request.length.map_or(file.bytes.max(request.offset), |l| request.offset + l);
        match &done.result {
            Ok(bytes) => {
                assert_eq!(bytes.len() as u64, end - request.offset);
                let same = |(i, &byte)| {
                    byte == SimulatedFile::byte(sent.files[index], request.offset + i as u64)
                };
                assert!(bytes.iter().enumerate().all(same), "wrong bytes");
                let ok = match file.fault {
                    SimulatedFault::None => true,
                    SimulatedFault::BadSector(at) => !(request.offset..end).contains(&at),
                    SimulatedFault::Full(at) => !writes || at >= end || end == request.offset,
                    // The file that is written is open already.
                    _ if writes => true,
                    SimulatedFault::CutTo(at) => at >= end || end == request.offset,
                    _ => false,
                };
                let there = writes || end <= file.bytes;
                assert!(ok && there, "{:?} gave all bytes", file.fault);
            }
            Err(e) if e.kind() == ErrorKind::Cancelled => {
                assert!(sent.cancelled.contains(&index) || sent.token.is_cancelled());
            }
            Err(e) => {
                assert!(e.path().is_some(), "{e}");
                let beyond = end > file.bytes && !writes;
                assert!(file.fault != SimulatedFault::None || beyond, "{e}");
                if writes {
                    let all = [Errno::NOSPC, Errno::IO].map(|code| Some(code.raw_os_error()));
                    let known = all.contains(&e.os_error());
                    assert!(known && e.offset().is_some(), "{e}");
                }
            }
        }
    }
}

/// One schedule, from its seed.
fn run(seed: u64, pool: &Arc<BlockPool>) {
    let mut run = Simulation::new(seed, pool);
    let batches = 1 + run.random.below(5);
    let mut steps = 0;
    loop {
        if (run.sent.len() as u64) < batches && run.random.one_in(4) {
            run.submit();
        }
        run.caller();
        if run.random.one_in(2000) {
            return run.check_written();
        }
        let again = run.fly();
        if !run.pending.is_empty() {
            run.answer();
        } else if let Some(time) = again {
            run.now_ns = time;
        } else {
            (0..run.sent.len()).for_each(|b| {
                if !run.sent[b].dropped {
                    run.end_all_alone(b);
                    run.collect(b);
                }
            });
            // What was given back may be handed out now.
            let over = |s: &Sent| s.dropped || s.answers.iter().all(Option::is_some);
            if run.sent.len() as u64 == batches && run.sent.iter().all(over) {
                break;
            }
        }
        steps += 1;
        assert!(steps < 100_000, "it does not end");
    }
    run.check();
}

fn run_all(seeds: std::ops::Range<u64>) {
    let next = std::sync::atomic::AtomicU64::new(seeds.start);
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let pool = BlockPool::new(1 << 20);
                loop {
                    let seed = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    if seed >= seeds.end {
                        return;
                    }
                    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                        run(seed, &pool);
                    }));
                    assert!(
                        caught.is_ok(),
                        "seed {seed} failed, see above; SOLIO_SEED={seed} runs it"
                    );
                }
            });
        }
    });
}

#[test]
fn every_request_ends_once_in_100_000_schedules() {
    match std::env::var("SOLIO_SEED") {
        Ok(seed) => run(seed.parse().unwrap(), &BlockPool::new(1 << 20)),
        Err(_) => run_all(0..100_000),
    }
}

#[test]
#[ignore = "slow: a million schedules"]
fn every_request_ends_once_in_a_million_schedules() {
    run_all(100_000..1_100_000);
}
