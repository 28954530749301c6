//! Asynchronous reading: many requests at once, with priorities.

use crate::border::{
    self, Failure, Outcome, SOLIO_CANCELLED, SOLIO_END, SOLIO_OK, SOLIO_TIMEOUT, Sized0, call,
    fill, given, hand_out, slice, solio_error,
};
use crate::handle::{Opaque, opaque};
use solio_io::engine::{
    Batch, BatchControl, Buffer, Done, Engine, EngineOptions, Packing, Priority, Request,
};
use std::ffi::c_char;
use std::sync::Mutex;
use std::time::Duration;

opaque!(
    /// An engine: threads and memory that read for everybody who has it. All its functions but
    /// `solio_engine_free` may be called at any time, from any thread. Free it with
    /// `solio_engine_free`; batches may outlive it.
    solio_engine,
    Engine,
    b"soleng\0\0",
    "solio_engine"
);

/// A batch: waiting is one thread's, steering everybody's.
pub struct BatchHandle {
    waiting: Mutex<Batch>,
    control: BatchControl,
    /// The caller's memory of each request.
    into: Vec<IntoMemory>,
}

#[derive(Clone, Copy)]
struct IntoMemory {
    start: *mut u8,
    bytes: u64,
}

// SAFETY: the caller lends the memory until the request has ended, to whichever thread waits.
unsafe impl Send for IntoMemory {}
// SAFETY: it is written to by the one thread that waits, under the lock.
unsafe impl Sync for IntoMemory {}

opaque!(
    /// Requests that were submitted together, and their results as they come. All functions but
    /// `solio_batch_free` may be called at any time, from any thread. Free it with
    /// `solio_batch_free`, which cancels what has not ended.
    solio_batch,
    BatchHandle,
    b"solbatch",
    "solio_batch"
);

/// The bytes of one result.
pub struct ResultBytes {
    /// The caller has a pointer into it.
    _buffer: Buffer,
}

opaque!(
    /// Memory with the bytes of a result. Free it with `solio_bytes_free`: until then it counts in the
    /// caller's hands, not in the engine's budget.
    solio_bytes,
    ResultBytes,
    b"solbytes",
    "solio_bytes"
);

/// Whenever nothing else is to be done.
pub const SOLIO_PRIORITY_MINIMUM: i32 = -3;
/// Behind ordinary work.
pub const SOLIO_PRIORITY_LOW: i32 = -2;
/// A little behind ordinary work.
pub const SOLIO_PRIORITY_BELOW_NORMAL: i32 = -1;
/// Ordinary work.
pub const SOLIO_PRIORITY_NORMAL: i32 = 0;
/// Somebody waits for it.
pub const SOLIO_PRIORITY_HIGH: i32 = 1;
/// Somebody waits for it now.
pub const SOLIO_PRIORITY_MAXIMUM: i32 = 2;

fn priority(number: i32) -> Outcome<Priority> {
    Ok(match number {
        SOLIO_PRIORITY_MINIMUM => Priority::Minimum,
        SOLIO_PRIORITY_LOW => Priority::Low,
        SOLIO_PRIORITY_BELOW_NORMAL => Priority::BelowNormal,
        SOLIO_PRIORITY_NORMAL => Priority::Normal,
        SOLIO_PRIORITY_HIGH => Priority::High,
        SOLIO_PRIORITY_MAXIMUM => Priority::Maximum,
        other => return Err(Failure::argument(format!("priority {other}: -3 to 2"))),
    })
}

/// The bytes come as they are on the disk.
pub const SOLIO_PACKING_NONE: u32 = 0;
/// gzip and zstd are recognized by their first bytes and unpacked.
pub const SOLIO_PACKING_DETECT: u32 = 1;
/// gzip, unpacked.
pub const SOLIO_PACKING_GZIP: u32 = 2;
/// zlib, unpacked.
pub const SOLIO_PACKING_ZLIB: u32 = 3;
/// zstd, unpacked.
pub const SOLIO_PACKING_ZSTD: u32 = 4;

/// How an engine may use the machine. Zeros are the usual values.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct solio_engine_options {
    /// `sizeof(solio_engine_options)`.
    pub size: u64,
    /// Most threads that wait for the medium at once.
    pub threads: u32,
    /// Zero.
    pub reserved: u32,
    /// Bytes of results under way or not taken yet; 0 is 512 MiB.
    pub memory_bytes: u64,
    /// Most bytes a second; 0 is no limit.
    pub bytes_per_second: u64,
    /// Most reads a second; 0 is no limit.
    pub operations_per_second: u64,
}

// SAFETY: numbers, after the size.
unsafe impl Sized0 for solio_engine_options {}

/// One read.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct solio_request {
    /// The file: UTF-8, or bytes as the system has them.
    pub path: *const c_char,
    /// Bytes of the path.
    pub path_length: u64,
    /// The first byte to read.
    pub offset: u64,
    /// Bytes to read; `UINT64_MAX` is to the end of the file.
    pub length: u64,
    /// The caller's memory for the result, or null for memory of the engine's. It stays the caller's, and
    /// is written to when the result is taken.
    pub into: *mut u8,
    /// Bytes of `into`; a larger result is `SOLIO_LIMIT`.
    pub into_bytes: u64,
    /// Comes back with the result.
    pub tag: u64,
    /// Nanoseconds from now: among requests of one priority the earliest deadline goes first; 0 is none.
    pub deadline_ns: u64,
    /// One of `SOLIO_PRIORITY_…`.
    pub priority: i32,
    /// One of `SOLIO_PACKING_…`.
    pub packing: u32,
}

/// How a request ended.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct solio_result {
    /// `sizeof(solio_result)`.
    pub size: u64,
    /// Its place among the requests, from 0 on.
    pub index: u64,
    /// The request's.
    pub tag: u64,
    /// The bytes: in the caller's memory, or in that of `bytes`.
    pub data: *const u8,
    /// How many.
    pub length: u64,
    /// What holds `data`, to be freed with `solio_bytes_free`; null where the caller's memory does.
    pub bytes: *mut solio_bytes,
    /// Nanoseconds from the call to the end.
    pub total_ns: u64,
    /// `SOLIO_OK`, `SOLIO_CANCELLED`, or why it failed; the text is in the call's `error`.
    pub code: i32,
    /// 1 where it ended after its deadline.
    pub is_late: u32,
}

// SAFETY: numbers and pointers, after the size.
unsafe impl Sized0 for solio_result {}

/// Makes an engine. `options` may be null.
///
/// # Safety
/// As the head of the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn solio_engine_new(
    options: *const solio_engine_options,
    engine: *mut *mut solio_engine,
    error: *mut solio_error,
) -> i32 {
    // SAFETY: as the caller promises.
    unsafe {
        call(error, || {
            let asked = given("solio_engine_options", options)?;
            let mut options = EngineOptions::default();
            if asked.threads > 0 {
                options.threads = asked.threads as usize;
            }
            if asked.memory_bytes > 0 {
                options.memory_bytes = asked.memory_bytes;
            }
            options.bytes_per_second = Some(asked.bytes_per_second).filter(|rate| *rate > 0);
            options.operations_per_second =
                Some(asked.operations_per_second).filter(|rate| *rate > 0);
            hand_out(engine, Engine::new(options)?)
        })
    }
}

/// Frees an engine; null is nothing to do. Batches that were not freed go on.
///
/// # Safety
/// As the head of the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn solio_engine_free(engine: *mut solio_engine) -> i32 {
    // SAFETY: as the caller promises.
    unsafe { call(std::ptr::null_mut(), || solio_engine::free(engine)) }
}

/// # Safety
/// As `solio_request` says.
unsafe fn request(asked: &solio_request) -> Outcome<Request> {
    // SAFETY: as the caller promises.
    let path = unsafe { border::path(asked.path, asked.path_length) }?;
    let length = (asked.length != u64::MAX).then_some(asked.length);
    let packing = match asked.packing {
        SOLIO_PACKING_NONE => Packing::None,
        SOLIO_PACKING_DETECT => Packing::Detect,
        SOLIO_PACKING_GZIP => Packing::Gzip,
        SOLIO_PACKING_ZLIB => Packing::Zlib,
        SOLIO_PACKING_ZSTD => Packing::Zstd,
        other => return Err(Failure::argument(format!("there is no packing {other}"))),
    };
    let most = match (asked.into.is_null(), packing) {
        (false, Packing::None) => asked.into_bytes,
        _ => u64::MAX,
    };
    let deadline = (asked.deadline_ns > 0).then(|| Duration::from_nanos(asked.deadline_ns));
    Ok(Request {
        offset: asked.offset,
        length,
        at_most: most,
        packing,
        priority: priority(asked.priority)?,
        tag: asked.tag,
        deadline,
        ..Request::file(path)
    })
}

/// Submits requests, and returns at once. The results are taken from `batch`.
///
/// # Safety
/// As the head of the header says. Memory to read into belongs to the batch until the request's result
/// was taken, or the batch freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn solio_engine_submit(
    engine: *const solio_engine,
    requests: *const solio_request,
    count: u64,
    batch: *mut *mut solio_batch,
    error: *mut solio_error,
) -> i32 {
    // SAFETY: as the caller promises.
    unsafe {
        call(error, || {
            let engine = solio_engine::held(engine)?.shared();
            let asked = slice("the requests", requests, count)?;
            let all = asked.iter().map(|asked| request(asked)).collect::<Outcome<Vec<_>>>()?;
            let into = asked.iter().map(|a| IntoMemory { start: a.into, bytes: a.into_bytes });
            let into = into.collect();
            let waiting = engine.read(all);
            let control = waiting.control();
            hand_out(batch, BatchHandle { waiting: Mutex::new(waiting), control, into })
        })
    }
}

/// Takes the next result of a batch, and waits for it at most `wait_ns` nanoseconds: 0 does not wait,
/// `UINT64_MAX` waits until there is one. Returns `SOLIO_OK` with a result, whatever became of the
/// request (its `code` says that); `SOLIO_TIMEOUT` where none has come; `SOLIO_END` where all were
/// taken.
///
/// # Safety
/// As the head of the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn solio_batch_wait(
    batch: *const solio_batch,
    wait_ns: u64,
    result: *mut solio_result,
    error: *mut solio_error,
) -> i32 {
    let mut code = SOLIO_OK;
    // SAFETY: as the caller promises.
    let called = unsafe {
        call(error, || {
            let handle = solio_batch::held(batch)?.shared();
            let mut waiting = solio_base::lock(&handle.waiting);
            // The caller's structure has to be fit for the result before that is taken.
            fill("solio_result", result, &border::zeroed::<solio_result>())?;
            let done = match wait_ns {
                u64::MAX => waiting.next(),
                ns => waiting.wait_for(Duration::from_nanos(ns)),
            };
            let Some(done) = done else {
                code = if waiting.left() == 0 { SOLIO_END } else { SOLIO_TIMEOUT };
                return Ok(());
            };
            let (told, failed) = told(done, &handle.into);
            fill("solio_result", result, &told)?;
            failed.map_or(Ok(()), |failure| {
                border::note(error, &failure);
                Ok(())
            })
        })
    };
    if called == SOLIO_OK { code } else { called }
}

/// What the caller sees of a result, and why the request failed.
///
/// # Safety
/// As `solio_request` says of the memory to read into.
unsafe fn told(done: Done, into: &[IntoMemory]) -> (solio_result, Option<Failure>) {
    let mut told = border::zeroed::<solio_result>();
    told.index = done.index as u64;
    told.tag = done.tag;
    told.total_ns = done.total.as_nanos() as u64;
    told.is_late = done.late.into();
    let place = into[done.index];
    let buffer = match done.result {
        Ok(buffer) if !place.start.is_null() && buffer.len() as u64 > place.bytes => {
            let text = format!("{} bytes do not fit into {}", buffer.len(), place.bytes);
            Err(solio_base::Error::limit(text))
        }
        other => other,
    };
    match buffer {
        Err(error) => {
            let failure = Failure::from(error);
            told.code = failure.code();
            let failed = (told.code != SOLIO_CANCELLED).then_some(failure);
            return (told, failed);
        }
        Ok(buffer) if !place.start.is_null() => {
            // SAFETY: as the caller promises; it fits.
            unsafe { buffer.as_ptr().copy_to_nonoverlapping(place.start, buffer.len()) };
            told.data = place.start;
            told.length = buffer.len() as u64;
        }
        Ok(buffer) => {
            told.length = buffer.len() as u64;
            told.data = buffer.as_ptr();
            told.bytes = solio_bytes::new(ResultBytes { _buffer: buffer });
        }
    }
    (told, None)
}

/// Cancels a request, or with `UINT64_MAX` all of them; those that have ended stay as they are. Each
/// cancelled one still has a result.
///
/// # Safety
/// As the head of the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn solio_batch_cancel(
    batch: *const solio_batch,
    index: u64,
    error: *mut solio_error,
) -> i32 {
    // SAFETY: as the caller promises.
    unsafe {
        call(error, || {
            let control = &solio_batch::held(batch)?.shared().control;
            match index {
                u64::MAX => control.cancel(),
                index => control.cancel_one(usize::try_from(index).unwrap_or(usize::MAX))?,
            }
            Ok(())
        })
    }
}

/// Gives a request another priority, one of `SOLIO_PRIORITY_…`; one that has ended stays as it is.
///
/// # Safety
/// As the head of the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn solio_batch_set_priority(
    batch: *const solio_batch,
    index: u64,
    new_priority: i32,
    error: *mut solio_error,
) -> i32 {
    // SAFETY: as the caller promises.
    unsafe {
        call(error, || {
            let control = &solio_batch::held(batch)?.shared().control;
            let index = usize::try_from(index).unwrap_or(usize::MAX);
            Ok(control.set_priority(index, priority(new_priority)?)?)
        })
    }
}

/// Frees a batch, and cancels what has not ended; null is nothing to do. No other function may be
/// using it. Memory to read into is the caller's again.
///
/// # Safety
/// As the head of the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn solio_batch_free(batch: *mut solio_batch) -> i32 {
    // SAFETY: as the caller promises.
    unsafe { call(std::ptr::null_mut(), || solio_batch::free(batch)) }
}

/// Frees the bytes of a result; null is nothing to do.
///
/// # Safety
/// As the head of the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn solio_bytes_free(bytes: *mut solio_bytes) -> i32 {
    // SAFETY: as the caller promises.
    unsafe { call(std::ptr::null_mut(), || solio_bytes::free(bytes)) }
}
