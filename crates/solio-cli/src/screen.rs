//! Where text goes: data to standard output, everything else to standard error. Colours are
//! stripped where they are not wanted (a pipe, `NO_COLOR`, a dumb terminal).

use crate::table::{BAD, HINT};
use solio::Error;
use std::io::{ErrorKind, Write};
use std::path::Path;

/// Prints data. A reader that went away (`solio info … | head`) is no error.
pub(crate) fn print(text: &str) {
    let mut out = anstream::stdout().lock();
    let result = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    match result {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => std::process::exit(0),
        Err(error) => complain(&format!("standard output: {error}")),
        Ok(()) => {}
    }
}

/// Prints a message for the person, on standard error.
pub(crate) fn say(text: &str) {
    // Nothing can be done about a standard error that is closed.
    let _ = writeln!(anstream::stderr().lock(), "{text}");
}

/// Prints `solio: message`; further lines (`  hint: …`) keep their indent.
pub(crate) fn complain(message: &str) {
    let mut lines = message.lines();
    let mut text = format!("{BAD}solio{BAD:#}: {}", lines.next().unwrap_or_default());
    for line in lines {
        text.push_str(&format!("\n{HINT}{line}{HINT:#}"));
    }
    say(&text);
}

/// Prints an error of the engine, about `path` unless the error names a place itself.
pub(crate) fn complain_about(path: &Path, error: Error) {
    complain(&error.at_path(path).to_string());
}

/// An error as JSON.
pub(crate) fn error_json(error: &Error) -> serde_json::Value {
    serde_json::json!({
        "kind": error.kind().name(),
        "message": error.message(),
        "path": error.path().map(|p| p.to_string_lossy()),
        "offset": error.offset(),
        "line": error.line(),
        "column": error.column(),
        "hint": error.hint_text(),
    })
}
