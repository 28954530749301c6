//! What a call may use, and how far it is: threads, memory, limits; cancelling and progress from
//! another thread.

use crate::border::{Outcome, Sized0, call, fill, given, hand_out, solio_error};
use crate::handle::{Opaque, opaque};
use solio_base::{Cancel, Limits, Progress, Work};

/// What can be cancelled and looked at while a call works.
pub struct JobState {
    cancel: Cancel,
    progress: Progress,
}

opaque!(
    /// Cancels calls, and says how far they are. All its functions may be called at any time, from any
    /// thread.
    solio_job,
    JobState,
    b"solijob\0",
    "solio_job"
);

/// How a call may use the machine. Zeros are the usual values.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct solio_work {
    /// `sizeof(solio_work)`.
    pub size: u64,
    /// Threads that compute at once; 0 is one for each core that the process may use. Results never
    /// depend on it.
    pub threads: u32,
    /// Zero.
    pub reserved: u32,
    /// Bytes that may be held beside input and result; 0 is an eighth of the machine's memory.
    pub memory_bytes: u64,
    /// Most bytes that a file may unpack or decode to; 0 is 1 TiB. More is `SOLIO_LIMIT`.
    pub limit_bytes: u64,
    /// Most elements of one kind that a file may have; 0 is 2^32 - 2. More is `SOLIO_LIMIT`.
    pub limit_elements: u64,
    /// Cancels the call and counts what it does; may be null. It must outlive the call.
    pub job: *const solio_job,
}

// SAFETY: numbers and a pointer, after the size.
unsafe impl Sized0 for solio_work {}

/// Bytes and files that have gone by.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct solio_progress {
    /// `sizeof(solio_progress)`.
    pub size: u64,
    /// Bytes read so far.
    pub read_bytes: u64,
    /// Bytes that will be read, as far as that is known.
    pub read_total_bytes: u64,
    /// Bytes written so far.
    pub written_bytes: u64,
    /// Files done.
    pub files: u64,
}

// SAFETY: numbers, after the size.
unsafe impl Sized0 for solio_progress {}

/// # Safety
/// `work` is null, or as `solio_work` says.
pub(crate) unsafe fn work_and_limits(work: *const solio_work) -> Outcome<(Work, Limits)> {
    // SAFETY: as the caller promises.
    let asked = unsafe { given("solio_work", work) }?;
    let mut work = Work::default();
    if asked.threads > 0 {
        work.threads = asked.threads as usize;
    }
    if asked.memory_bytes > 0 {
        work.memory_bytes = asked.memory_bytes;
    }
    let mut limits = Limits::default();
    if asked.limit_bytes > 0 {
        limits.bytes = asked.limit_bytes;
    }
    if asked.limit_elements > 0 {
        limits.elements = asked.limit_elements.min(limits.elements);
    }
    if !asked.job.is_null() {
        // SAFETY: a job outlives the calls that it is given to.
        let job = unsafe { solio_job::held(asked.job) }?.shared();
        work.cancel = job.cancel.clone();
        work.progress = job.progress.clone();
    }
    Ok((work, limits))
}

/// Makes a job. Free it with `solio_job_free`.
///
/// # Safety
/// As the head of the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn solio_job_new(job: *mut *mut solio_job, error: *mut solio_error) -> i32 {
    // SAFETY: as the caller promises.
    unsafe {
        call(error, || {
            let state = JobState { cancel: Cancel::default(), progress: Progress::default() };
            hand_out(job, state)
        })
    }
}

/// Cancels all calls that were given this job, those under way and later ones: they end soon, with
/// `SOLIO_CANCELLED`. What was being written is as if it had not been begun.
///
/// # Safety
/// As the head of the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn solio_job_cancel(job: *const solio_job, error: *mut solio_error) -> i32 {
    // SAFETY: as the caller promises.
    unsafe {
        call(error, || {
            solio_job::held(job)?.shared().cancel.cancel();
            Ok(())
        })
    }
}

/// How far the calls are that were given this job.
///
/// # Safety
/// As the head of the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn solio_job_progress(
    job: *const solio_job,
    progress: *mut solio_progress,
    error: *mut solio_error,
) -> i32 {
    // SAFETY: as the caller promises.
    unsafe {
        call(error, || {
            let now = solio_job::held(job)?.shared().progress.now();
            let counts = solio_progress {
                size: 0,
                read_bytes: now.read_bytes,
                read_total_bytes: now.read_total_bytes,
                written_bytes: now.written_bytes,
                files: now.files,
            };
            fill("solio_progress", progress, &counts)
        })
    }
}

/// Frees a job; null is nothing to do. No call that was given it may be under way.
///
/// # Safety
/// As the head of the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn solio_job_free(job: *mut solio_job) -> i32 {
    // SAFETY: as the caller promises.
    unsafe { call(std::ptr::null_mut(), || solio_job::free(job)) }
}
