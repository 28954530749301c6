//! Signals, for commands: the first SIGINT, SIGTERM or SIGHUP cancels the work, which then takes
//! its temporary files along; a second one removes them on the spot and ends the process. So does
//! SIGABRT, by which a process ends that gets no memory. A SIGHUP that is ignored from the start, as
//! below `nohup`, stays so.
//!
//! SIGKILL cannot be handled. On Linux an unfinished file has no name, so even that leaves
//! nothing of it; where it has one (other systems, some network file systems), it stays.

use crate::sys;
use solio_base::names::OsStrBytes;
use solio_base::{Cancel, Error, Result};
use std::ffi::{CString, c_char};
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

/// Names of unfinished files. A fixed table of pointers, because a signal handler may neither
/// lock nor allocate. A file that finds no room is only not covered by the second signal.
static LIVE: [AtomicPtr<c_char>; 256] = [const { AtomicPtr::new(ptr::null_mut()) }; 256];

/// A name that must not outlive the work. Dropping removes the file.
pub(crate) struct Temporary {
    path: PathBuf,
    slot: Option<&'static AtomicPtr<c_char>>,
}

impl Temporary {
    /// Has `make` make a file at `path` and takes charge of it. What that needs is allocated before:
    /// a process that gets no memory is aborted on the spot.
    pub(crate) fn make<T>(
        path: PathBuf,
        make: impl FnOnce(&Path) -> std::io::Result<T>,
    ) -> std::io::Result<(T, Self)> {
        let name = CString::new(path.as_os_str().as_bytes())?;
        let made = make(&path)?;
        let raw = name.into_raw();
        let slot = LIVE.iter().find(|slot| {
            let (unset, set) = (ptr::null_mut(), raw);
            slot.compare_exchange(unset, set, Ordering::AcqRel, Ordering::Relaxed).is_ok()
        });
        if slot.is_none() {
            // SAFETY: `raw` came from `into_raw` above and nobody else has it.
            drop(unsafe { CString::from_raw(raw) });
        }
        Ok((made, Temporary { path, slot }))
    }

    /// The name.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The name is gone (renamed): nothing is to be removed.
    pub(crate) fn forget(mut self) {
        self.release();
        self.path = PathBuf::new();
    }

    fn release(&mut self) {
        if let Some(slot) = self.slot.take() {
            let raw = slot.swap(ptr::null_mut(), Ordering::AcqRel);
            if !raw.is_null() {
                // SAFETY: the slot held what `into_raw` gave; the swap made us its only owner.
                drop(unsafe { CString::from_raw(raw) });
            }
        }
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.path.as_os_str().is_empty() {
            let _ = std::fs::remove_file(&self.path);
        }
        self.release();
    }
}

/// From now on SIGINT, SIGTERM and SIGHUP cancel `cancel`, but not a SIGHUP that the process was started
/// to ignore; the second signal ends the process.
/// For commands only: a library must leave its host's signals alone. Only the first call counts.
///
/// ```
/// use signal_hook::{consts::SIGTERM, low_level::raise};
/// let work = solio_base::Work::default();
/// solio_io::signals::cancel_on_signals(&work.cancel)?;
/// raise(SIGTERM).unwrap();
/// // The process goes on, to the place where the work asks.
/// assert!(work.cancel.check().is_err());
/// # Ok::<(), solio_base::Error>(())
/// ```
pub fn cancel_on_signals(cancel: &Cancel) -> Result<()> {
    static DONE: AtomicBool = AtomicBool::new(false);
    if DONE.swap(true, Ordering::AcqRel) {
        return Ok(());
    }
    let failed = |e| Error::io("watch for signals", e);
    let cancel = cancel.clone();
    let told = move |signal| match cancel.is_cancelled() {
        false => cancel.cancel(),
        true => end(signal),
    };
    // SAFETY: the handler only reads and sets atomics, unlinks and ends the process: all of
    // it async-signal-safe (raw system calls, no allocation, no lock).
    unsafe { sys::catch_signals(told) }.map_err(failed)?;
    // SAFETY: as above.
    unsafe { sys::catch_abort(end) }.map_err(failed)?;
    Ok(())
}

/// Unlinks all unfinished files and ends the process as `signal` does where nobody hears it.
fn end(signal: sys::EndSignal) {
    for slot in &LIVE {
        let name = slot.swap(ptr::null_mut(), Ordering::AcqRel);
        if !name.is_null() {
            // SAFETY: names in the table are valid C strings, and the swap made us the only owner
            // of this one, which nobody frees any more.
            let name = unsafe { std::ffi::CStr::from_ptr(name) };
            sys::remove_name(name);
        }
    }
    sys::end_by(signal);
}
