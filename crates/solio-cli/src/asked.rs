//! Who asks: a person, who is answered on the standard streams, or a program in this process, which gets
//! what was found as data.

use crate::output_path::is_standard;
use crate::screen;
use solio::{Cancel, Error, Result};
use std::ffi::OsString;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a command found, for a program.
#[derive(Debug, Default)]
pub struct Answer {
    /// The exit code, as of [`crate::run`].
    pub code: u8,
    /// What the command prints on standard output.
    pub data: Vec<u8>,
    /// What it says on standard error, but for `errors`: warnings, losses, counts.
    pub notes: Vec<String>,
    /// What failed, in that order.
    pub errors: Vec<Error>,
}

/// The answer that is being made, and what stops the work for it.
static OPEN: Mutex<Option<(Answer, Cancel)>> = Mutex::new(None);
/// Whether there is one; cheap to ask.
static IS_OPEN: AtomicBool = AtomicBool::new(false);
/// Commands share the standard streams, and so take turns.
static TURN: Mutex<()> = Mutex::new(());

fn open() -> MutexGuard<'static, Option<(Answer, Cancel)>> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs the command with `arguments`, as [`crate::run`] does, and gives back what it would print.
/// `cancel` stops the work instead of signals. One command runs at a time; others wait for it.
///
/// ```
/// let words = ["solio", "info", "no-such-file.obj", "--json"].map(Into::into);
/// let answer = solio_cli::answer(words, &solio::Cancel::default());
/// assert_eq!((answer.code, answer.errors.len()), (1, 1));
/// ```
pub fn answer(arguments: impl IntoIterator<Item = OsString>, cancel: &Cancel) -> Answer {
    // What is open is closed by a panic, too.
    struct Open;
    impl Drop for Open {
        fn drop(&mut self) {
            IS_OPEN.store(false, Relaxed);
            *open() = None;
        }
    }
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    *open() = Some((Answer::default(), cancel.clone()));
    IS_OPEN.store(true, Relaxed);
    let _open = Open;
    let code = crate::run(arguments);
    let (answer, _) = open().take().unwrap_or_default();
    Answer { code, ..answer }
}

/// Whether a program asks.
pub(crate) fn by_program() -> bool {
    IS_OPEN.load(Relaxed)
}

/// Gives `add` the answer for a program; whether one asks.
pub(crate) fn tell_program(add: impl FnOnce(&mut Answer)) -> bool {
    if !by_program() {
        return false;
    }
    if let Some((answer, _)) = &mut *open() {
        add(answer);
    }
    true
}

/// What stops the work when whoever asks wants that: a signal, or the token of the program.
pub(crate) fn cancel() -> Result<Cancel> {
    if let Some((_, cancel)) = &*open() {
        return Ok(cancel.clone());
    }
    let cancel = Cancel::default();
    solio::cancel_on_signals(&cancel)?;
    Ok(cancel)
}

/// Refuses what writes past the answer, which `what` is; whether it did.
pub(crate) fn refuse_program(what: &str) -> bool {
    let error = || {
        Error::argument(format!("{what} writes to standard output as it goes"))
            .hint("start the command as a process of its own")
    };
    if by_program() {
        screen::complain_of(&error());
    }
    by_program()
}

/// Writes a whole file, or standard output, which is the answer where a program asks.
pub(crate) fn write_bytes(output: &Path, bytes: &[u8]) -> Result<()> {
    match is_standard(output) && tell_program(|answer| answer.data.extend_from_slice(bytes)) {
        true => Ok(()),
        false => solio::write_bytes(output, bytes),
    }
}
