//! The one error type. Decoders set the place in the bytes; the facade adds the path.

use solio_kinds::named_enum;
use std::fmt;
use std::path::{Path, PathBuf};

/// What systems call a file that is not there: `ENOENT`, and `ERROR_FILE_NOT_FOUND`.
const MISSING: i32 = 2;

/// `Result` with Solio's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

named_enum! {
    /// What sort of thing went wrong. Packed scenes have the places in this list.
    #[derive(Hash)]
    #[non_exhaustive]
    pub enum ErrorKind {
        /// The operating system refused: missing file, no space, no permission.
        Io = "io",
        /// Text that does not follow the format's grammar.
        Syntax = "syntax",
        /// Binary data that contradicts itself or ends early.
        Corrupt = "corrupt",
        /// Valid, but not something that Solio can do.
        Unsupported = "unsupported",
        /// A [`Limits`](crate::Limits) bound was passed.
        Limit = "limit",
        /// The caller asked for something impossible.
        Argument = "argument",
        /// The work was cancelled.
        Cancelled = "cancelled",
    }

    /// The lower-case name that `--json` and Python's `.kind` show.
    pub fn name;
}

/// An error with its place. One pointer wide, so that `Result` stays cheap in hot loops.
#[derive(Clone)]
pub struct Error(Box<ErrorDetails>);

#[derive(Clone)]
struct ErrorDetails {
    kind: ErrorKind,
    message: String,
    path: Option<PathBuf>,
    offset: Option<u64>,
    line: Option<u64>,
    column: Option<u64>,
    hint: Option<String>,
    os: Option<i32>,
}

impl Error {
    /// An error of `kind`; `message` says what was found and what was expected.
    #[cold]
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Error(Box::new(ErrorDetails {
            kind,
            message: message.into(),
            path: None,
            offset: None,
            line: None,
            column: None,
            hint: None,
            os: None,
        }))
    }

    /// [`ErrorKind::Syntax`].
    #[cold]
    pub fn syntax(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Syntax, message)
    }

    /// [`ErrorKind::Corrupt`].
    #[cold]
    pub fn corrupt(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Corrupt, message)
    }

    /// [`ErrorKind::Unsupported`].
    #[cold]
    pub fn unsupported(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Unsupported, message)
    }

    /// [`ErrorKind::Limit`].
    #[cold]
    pub fn limit(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Limit, message)
    }

    /// [`ErrorKind::Argument`].
    #[cold]
    pub fn argument(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Argument, message)
    }

    /// [`ErrorKind::Cancelled`].
    #[cold]
    pub fn cancelled() -> Self {
        Self::new(ErrorKind::Cancelled, "cancelled")
    }

    /// [`ErrorKind::Io`] from the operating system's error while doing `action` ("open", "write").
    #[cold]
    pub fn io(action: &str, source: std::io::Error) -> Self {
        // Readers over compressed streams pass our own errors through `std::io::Read`.
        if source.get_ref().is_some_and(|inner| inner.is::<Error>()) {
            let inner = source.into_inner().expect("get_ref was Some");
            return *inner.downcast::<Error>().expect("is::<Error>() was true");
        }
        let mut error = Self::new(ErrorKind::Io, format!("cannot {action}: {source}"));
        error.0.os = source.raw_os_error();
        error
    }

    /// [`ErrorKind::Io`] of what is not there, as the system tells it, while doing `action`.
    ///
    /// ```
    /// use solio_base::Error;
    ///
    /// assert!(Error::missing("open").is_missing());
    /// assert!(!Error::corrupt("zip data ends 113 bytes early").is_missing());
    /// ```
    #[cold]
    pub fn missing(action: &str) -> Self {
        Self::io(action, std::io::Error::from_raw_os_error(MISSING))
    }

    /// Sets the path, unless a deeper layer already did.
    pub fn at_path(mut self, path: impl AsRef<Path>) -> Self {
        self.0.path.get_or_insert_with(|| path.as_ref().to_owned());
        self
    }

    /// Sets the byte offset (0-based, in the uncompressed data), unless already set.
    pub fn at_offset(mut self, offset: u64) -> Self {
        self.0.offset.get_or_insert(offset);
        self
    }

    /// Sets line and column (both 1-based; column in bytes), unless already set.
    pub fn at_line(mut self, line: u64, column: u64) -> Self {
        self.0.line.get_or_insert(line);
        self.0.column.get_or_insert(column);
        self
    }

    /// Says what to do about it.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint.get_or_insert_with(|| hint.into());
        self
    }

    /// What sort of error this is.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }
    /// The message without place and hint.
    pub fn message(&self) -> &str {
        &self.0.message
    }
    /// The file, once the facade has added it.
    pub fn path(&self) -> Option<&Path> {
        self.0.path.as_deref()
    }
    /// Byte offset, 0-based.
    pub fn offset(&self) -> Option<u64> {
        self.0.offset
    }
    /// Line, 1-based; text formats only.
    pub fn line(&self) -> Option<u64> {
        self.0.line
    }
    /// Column in bytes, 1-based; text formats only.
    pub fn column(&self) -> Option<u64> {
        self.0.column
    }
    /// What to do about it.
    pub fn hint_text(&self) -> Option<&str> {
        self.0.hint.as_deref()
    }
    /// The operating system's error number, for [`ErrorKind::Io`].
    pub fn os_error(&self) -> Option<i32> {
        self.0.os
    }
    /// Whether the file, folder or object is not there.
    pub fn is_missing(&self) -> bool {
        let kind = |code| std::io::Error::from_raw_os_error(code).kind();
        self.0.os.is_some_and(|code| kind(code) == std::io::ErrorKind::NotFound)
    }
}

impl fmt::Display for Error {
    /// `path:line:column: message (byte N)` and, on a second line, `  hint: …`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let e = &*self.0;
        if let Some(path) = &e.path {
            write!(f, "{}:", path.display())?;
        }
        if let (Some(line), Some(column)) = (e.line, e.column) {
            write!(f, "{line}:{column}:")?;
        }
        if e.path.is_some() || e.line.is_some() {
            f.write_str(" ")?;
        }
        match (e.line, e.offset) {
            (None, Some(offset)) => write!(f, "byte {offset}: {}", e.message)?,
            (Some(_), Some(offset)) => write!(f, "{} (byte {offset})", e.message)?,
            (_, None) => f.write_str(&e.message)?,
        }
        if let Some(hint) = &e.hint {
            write!(f, "\n  hint: {hint}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {self}", self.0.kind)
    }
}

impl std::error::Error for Error {}

impl From<Error> for std::io::Error {
    fn from(error: Error) -> Self {
        std::io::Error::other(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_the_place_as_editors_read_it() {
        let e = Error::syntax("face refers to vertex 0; indices start at 1")
            .at_offset(1048577)
            .at_line(32001, 7)
            .at_path("scene.obj")
            .hint("some exporters write 0-based indices; try --index-base 0");
        assert_eq!(
            e.to_string(),
            "scene.obj:32001:7: face refers to vertex 0; indices start at 1 (byte 1048577)\n  \
             hint: some exporters write 0-based indices; try --index-base 0"
        );
        let e = Error::corrupt("zip data ends 113 bytes early").at_offset(8000).at_path("a.exr");
        assert_eq!(e.to_string(), "a.exr: byte 8000: zip data ends 113 bytes early");
    }

    #[test]
    fn survives_a_trip_through_std_io() {
        let e: std::io::Error = Error::corrupt("bad block").at_offset(7).into();
        let e = Error::io("read", e);
        assert_eq!(e.kind(), ErrorKind::Corrupt);
        assert_eq!(e.offset(), Some(7));
    }

    #[test]
    fn the_deepest_place_wins() {
        let e = Error::corrupt("x").at_offset(1).at_offset(2).at_path("a").at_path("b");
        assert_eq!((e.offset(), e.path()), (Some(1), Some(Path::new("a"))));
    }
}
