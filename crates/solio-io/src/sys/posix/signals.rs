//! Signals of POSIX.

use std::ffi::CStr;
use std::ptr;

/// How a process is told to end.
pub(crate) type EndSignal = i32;

/// Calls `told` when SIGINT, SIGTERM or SIGHUP comes, with the signal. A SIGHUP that is ignored from the
/// start, as below `nohup`, stays so.
///
/// # Safety
/// `told` only does what a handler of signals may: set atomics, make system calls that POSIX allows
/// there, and end the process; no allocation, no lock.
pub(crate) unsafe fn catch_signals(
    told: impl Fn(EndSignal) + Sync + Send + Clone + 'static,
) -> std::io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        if signal == SIGHUP && is_ignored(signal) {
            continue;
        }
        let told = told.clone();
        // SAFETY: the caller's word.
        unsafe { signal_hook::low_level::register(signal, move || told(signal)) }?;
    }
    Ok(())
}

/// Calls `told` when SIGABRT comes.
///
/// # Safety
/// As for [`catch_signals`].
pub(crate) unsafe fn catch_abort(
    told: impl Fn(EndSignal) + Sync + Send + 'static,
) -> std::io::Result<()> {
    use signal_hook::consts::SIGABRT;
    // SAFETY: the caller's word.
    unsafe { signal_hook::low_level::register(SIGABRT, move || told(SIGABRT)) }.map(drop)
}

/// Ends the process as `signal` does where nobody hears it.
pub(crate) fn end_by(signal: EndSignal) {
    let _ = signal_hook::low_level::emulate_default_handler(signal);
}

/// Removes a file, in a handler of signals, too.
pub(crate) fn remove_name(name: &CStr) {
    let _ = rustix::fs::unlink(name);
}

/// Whether nothing happens where `signal` comes.
fn is_ignored(signal: i32) -> bool {
    let mut present = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: no new action is given, and there is room for the present one; zeros are one, too.
    unsafe {
        libc::sigaction(signal, ptr::null(), present.as_mut_ptr()) == 0
            && present.assume_init().sa_sigaction == libc::SIG_IGN
    }
}
