//! Where text goes: data to standard output, everything else to standard error. Colours are
//! stripped where they are not wanted (a pipe, `NO_COLOR`, a dumb terminal).

use crate::asked;
use crate::table::{BAD, HINT};
use crate::terminal;
use crate::terminal_bar::beside;
use serde_json::{Map, Value};
use solio::Error;
use solio::catalog::sequence::NamePattern;
use solio::names::OsStrBytes;
use solio_io::terminal::{Printed, takes_escapes};
use std::borrow::Cow;
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Nothing more can be printed.
static CLOSED: AtomicBool = AtomicBool::new(false);
/// Data could not be printed, and somebody wanted it.
static LOST: AtomicBool = AtomicBool::new(false);

/// Prints data. A reader that went away (`solio info … | head`) is no error; he gets no more.
pub fn print(text: &str) {
    if asked::tell_program(|answer| answer.data.extend_from_slice(text.as_bytes())) || is_closed() {
        return;
    }
    let text = if terminal::is_out() { terminal::defused(text) } else { text.into() };
    // In one piece: a stream that strips colours as it goes writes a line at a time.
    print_bytes(coloured(&text).as_bytes());
}

/// `text`, without its colours where standard output wants none.
pub(crate) fn coloured(text: &str) -> Cow<'_, str> {
    if !has_colours() && text.contains('\x1b') {
        return terminal::plain(text);
    }
    text.into()
}

/// [`print`] of lines with names that may not be text.
pub(crate) fn print_lines(bytes: &[u8]) {
    match terminal::is_out() {
        true => print(&String::from_utf8_lossy(bytes)),
        false => print_bytes(bytes),
    }
}

/// [`print`] of bytes as they are.
pub(crate) fn print_bytes(bytes: &[u8]) {
    if asked::tell_program(|answer| answer.data.extend_from_slice(bytes)) || is_closed() {
        return;
    }
    let result = beside(|| {
        let mut out = std::io::stdout().lock();
        out.write_all(bytes).and_then(|()| out.flush())
    });
    if let Err(error) = result {
        CLOSED.store(true, Relaxed);
        if error.kind() != ErrorKind::BrokenPipe {
            LOST.store(true, Relaxed);
            complain(&format!("standard output: {error}"));
        }
    }
}

/// Whether standard output wants colours; asked once.
pub(crate) fn has_colours() -> bool {
    static CHOICE: OnceLock<bool> = OnceLock::new();
    let ask = || {
        anstream::AutoStream::choice(&std::io::stdout()) != anstream::ColorChoice::Never
            && takes_escapes(Printed::Out)
    };
    !asked::by_program() && *CHOICE.get_or_init(ask)
}

/// Whether printing more is in vain.
pub(crate) fn is_closed() -> bool {
    !asked::by_program() && CLOSED.load(Relaxed)
}

/// Whether data is missing on standard output: then the command has failed.
pub(crate) fn has_lost() -> bool {
    !asked::by_program() && LOST.load(Relaxed)
}

/// Prints a message for the person, on standard error.
pub fn say(text: &str) {
    if asked::tell_program(|answer| answer.notes.push(terminal::plain(text).into_owned())) {
        return;
    }
    let text = if terminal::is_err() { terminal::defused(text) } else { text.into() };
    // Nothing can be done about a standard error that is closed.
    let wants_colours = || {
        anstream::AutoStream::choice(&std::io::stderr()) != anstream::ColorChoice::Never
            && takes_escapes(Printed::Err)
    };
    let text =
        if text.contains('\x1b') && !wants_colours() { terminal::plain(&text) } else { text };
    let _ = beside(|| writeln!(std::io::stderr().lock(), "{text}"));
}

/// Prints `solio: message`; further lines (`  hint: …`) keep their indent.
pub fn complain(message: &str) {
    if asked::tell_program(|answer| answer.notes.push(message.to_owned())) {
        return;
    }
    let mut lines = message.lines();
    let mut text = format!("{BAD}solio{BAD:#}: {}", lines.next().unwrap_or_default());
    for line in lines {
        text.push_str(&format!("\n{HINT}{line}{HINT:#}"));
    }
    say(&text);
}

/// Prints an error of the engine, and what to do about it.
pub(crate) fn complain_of(error: &Error) {
    let with_advice = || match advice(error) {
        Some(hint) => error.clone().hint(hint),
        None => error.clone(),
    };
    if asked::tell_program(|answer| answer.errors.push(with_advice())) {
        return;
    }
    let hint = error.hint_text().or_else(|| advice(error));
    let text = error.to_string();
    let own = error.hint_text().and_then(|hint| text.strip_suffix(&format!("\n  hint: {hint}")));
    // What is said may have names in it; lines are ours.
    let shown = |text: &str| match terminal::is_err() {
        true => terminal::escaped(text).into_owned(),
        false => text.to_owned(),
    };
    match hint {
        Some(hint) => {
            complain(&format!("{}\n  hint: {}", shown(own.unwrap_or(&text)), shown(hint)))
        }
        None => complain(&shown(&text)),
    }
}

/// What to do about what the system says, where the error itself has no hint.
fn advice(error: &Error) -> Option<&'static str> {
    if error.hint_text().is_some() || error.kind() != solio::ErrorKind::Io {
        return None;
    }
    // Numbers of errors differ between systems.
    match error.os_error().map(|code| std::io::Error::from_raw_os_error(code).kind()) {
        Some(ErrorKind::NotFound) if error.message().starts_with("cannot create") => {
            Some("make the folder first, or end the output with / where it is to be one")
        }
        Some(ErrorKind::NotFound) if error.path().is_some_and(is_sequence) => {
            Some("no frame matches, if it is a pattern; solio ls lists a folder")
        }
        Some(ErrorKind::NotFound) => Some("check the name; solio ls lists a folder"),
        Some(ErrorKind::PermissionDenied) => Some("you may not do this here; ls -l tells who may"),
        Some(ErrorKind::StorageFull) => {
            Some("free some space or write elsewhere; nothing is left behind")
        }
        _ if error.path().is_some_and(Path::is_dir) => Some(
            "name the files in it; ls, check, meta, scan, dup, hash, sheet and read take folders",
        ),
        _ => None,
    }
}

/// Whether a name stands for the files of a sequence.
fn is_sequence(path: &Path) -> bool {
    let name = path.file_name().map(OsStrBytes::as_bytes);
    name.is_some_and(|name| NamePattern::of(name).is_some())
}

/// Says that `input` failed: for the person, and as a line of JSON for who reads that.
pub(crate) fn fail(input: &Path, error: Error, as_json: bool) {
    let error = error.at_path(input);
    if as_json && !asked::by_program() {
        print(&failure(input, &error));
    }
    complain_of(&error);
}

/// [`fail`] of what the error itself names.
pub(crate) fn fail_at_its_path(error: &Error, as_json: bool) {
    if as_json && !asked::by_program() {
        print(&failure(error.path().unwrap_or(Path::new("")), error));
    }
    complain_of(error);
}

/// What failed, as a line of JSON.
pub(crate) fn failure(path: &Path, error: &Error) -> String {
    let rest = serde_json::json!({ "error": error_json(error) });
    crate::schema::line("failure/1", &[("path", path)], rest)
}

/// An error as JSON.
pub(crate) fn error_json(error: &Error) -> Value {
    let mut object = Map::new();
    object.insert("kind".into(), error.kind().name().into());
    object.insert("message".into(), error.message().into());
    match error.path() {
        Some(path) => crate::json_paths::put(&mut object, "path", path),
        None => drop(object.insert("path".into(), Value::Null)),
    }
    let place = serde_json::json!({
        "offset": error.offset(),
        "line": error.line(),
        "column": error.column(),
        "hint": error.hint_text().or_else(|| advice(error)),
    });
    if let Value::Object(place) = place {
        object.extend(place);
    }
    object.into()
}
