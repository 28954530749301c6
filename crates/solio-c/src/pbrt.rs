//! pbrt's text as events, one directive each, pulled by the caller.

use crate::border::{
    self, Failure, Outcome, SOLIO_END, SOLIO_OK, Sized0, call, fill, hand_out, solio_error,
};
use crate::handle::{Opaque, opaque};
use crate::job::{solio_work, work_and_limits};
use crate::mesh_array::{SOLIO_F32, SOLIO_I32};
use solio_base::{Error, Limits, Result, Source, Work};
use solio_scene::pbrt::{
    Parameter, ParameterType, ReadOptions, Statement, Statements, Values, read_statements,
};
use std::ffi::c_char;
use std::iter::Peekable;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

/// Some lines, and what they say.
struct Lines {
    text: Vec<u8>,
    offset: u64,
    lines_before: u64,
    statements: Statements,
    problems: Peekable<std::vec::IntoIter<Error>>,
    /// How far lines were counted: the byte, and line ends before it.
    counted: (usize, u64),
}

impl Lines {
    /// Line and column of a byte of the file, from 1 on. Bytes are asked for in rising order.
    fn place(&mut self, at: u64) -> (u64, u64) {
        let at = usize::try_from(at.saturating_sub(self.offset)).unwrap_or(usize::MAX);
        let at = at.min(self.text.len());
        let (from, ends) = self.counted;
        let newlines = |bytes: &[u8]| bytes.iter().filter(|&&byte| byte == b'\n').count() as u64;
        let ends = ends + newlines(&self.text[from.min(at)..at]);
        let start = self.text[..at].iter().rposition(|&byte| byte == b'\n').map_or(0, |i| i + 1);
        self.counted = (at.max(from), ends);
        (self.lines_before + ends + 1, (at - start) as u64 + 1)
    }
}

/// A text that is being read.
pub struct PbrtState {
    path: PathBuf,
    lines: Option<Receiver<Result<Lines>>>,
    reader: Option<JoinHandle<()>>,
    now: Option<Lines>,
    /// The next statement of these lines.
    statement: usize,
}

opaque!(
    /// A text of pbrt that is being read, by a thread of its own that runs a little ahead. Free it with
    /// `solio_pbrt_free`.
    solio_pbrt,
    PbrtState,
    b"solpbrt\0",
    "solio_pbrt"
);

/// The values are float.
pub const SOLIO_PBRT_FLOATS: u32 = SOLIO_F32;
/// The values are int32_t.
pub const SOLIO_PBRT_INTEGERS: u32 = SOLIO_I32;
/// The values are int32_t, 0 or 1.
pub const SOLIO_PBRT_BOOLS: u32 = 20;
/// The values are strings; `solio_pbrt_string` gives each.
pub const SOLIO_PBRT_STRINGS: u32 = 21;

/// Values of a directive or a parameter.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct solio_pbrt_values {
    /// The first; null for strings.
    pub data: *const u8,
    /// How many.
    pub count: u64,
    /// One of `SOLIO_PBRT_FLOATS` to `SOLIO_PBRT_STRINGS`.
    pub kind: u32,
    /// Zero.
    pub reserved: u32,
}

/// A directive. All pointers are there until the next event is asked for.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct solio_pbrt_event {
    /// `sizeof(solio_pbrt_event)`.
    pub size: u64,
    /// Its name, such as `Shape`, without a zero at its end.
    pub name: *const c_char,
    /// Bytes of the name.
    pub name_length: u64,
    /// Its numbers (`Transform`, `LookAt`) or strings (`Shape "trianglemesh"`, `Include "a.pbrt"`).
    pub values: solio_pbrt_values,
    /// Parameters; `solio_pbrt_parameter_at` gives each.
    pub parameters: u64,
    /// The byte in the file where it begins.
    pub offset: u64,
    /// Its line, from 1 on.
    pub line: u64,
    /// Its column, from 1 on, in bytes.
    pub column: u64,
}

// SAFETY: numbers and pointers, after the size.
unsafe impl Sized0 for solio_pbrt_event {}

/// A parameter. All pointers are there until the next event is asked for.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct solio_pbrt_parameter {
    /// `sizeof(solio_pbrt_parameter)`.
    pub size: u64,
    /// The type as version 4 calls it, such as `point3`, without a zero at its end.
    pub kind: *const c_char,
    /// Bytes of the type.
    pub kind_length: u64,
    /// The name, without a zero at its end.
    pub name: *const c_char,
    /// Bytes of the name.
    pub name_length: u64,
    /// The values.
    pub values: solio_pbrt_values,
    /// The byte in the file where it is declared.
    pub offset: u64,
}

// SAFETY: numbers and pointers, after the size.
unsafe impl Sized0 for solio_pbrt_parameter {}

/// Pieces that the thread runs ahead.
const AHEAD: usize = 4;

fn read(source: &dyn Source, limits: Limits, work: &Work, to: &SyncSender<Result<Lines>>) {
    let options = ReadOptions { limits, ..ReadOptions::default() };
    let done = read_statements(
        source,
        &options,
        work,
        |_| {},
        |piece| {
            let mut statements = std::mem::take(piece.statements);
            let problems = std::mem::take(&mut statements.problems).into_iter().peekable();
            let lines = Lines {
                text: piece.text.to_vec(),
                offset: piece.offset,
                lines_before: piece.lines_before,
                statements,
                problems,
                counted: (0, 0),
            };
            // Nobody wants more of it.
            to.send(Ok(lines)).map_err(|_| Error::cancelled())
        },
    );
    if let Err(error) = done {
        let _ = to.send(Err(error));
    }
}

/// Opens a file of pbrt's text, packed or not. What it includes or imports comes as events, and is the
/// caller's to open. `work` may be null.
///
/// # Safety
/// As the head of the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn solio_pbrt_open(
    path: *const c_char,
    path_length: u64,
    work: *const solio_work,
    pbrt: *mut *mut solio_pbrt,
    error: *mut solio_error,
) -> i32 {
    // SAFETY: as the caller promises.
    unsafe {
        call(error, || {
            let path = border::path(path, path_length)?;
            let (work, limits) = work_and_limits(work)?;
            let opened = solio_io::open(&path, &limits, &work)?;
            let (to, lines) = sync_channel(AHEAD);
            let body = move || {
                let at = to.clone();
                let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                    read(&*opened.source, limits, &work, &to);
                }));
                if result.is_err() {
                    let _ = at.send(Err(Error::corrupt("a fault in Solio while it was read")));
                }
            };
            let thread = std::thread::Builder::new().name("solio pbrt".into());
            let reader = thread.spawn(body).map_err(|e| Error::io("start a thread", e))?;
            let state = PbrtState {
                path,
                lines: Some(lines),
                reader: Some(reader),
                now: None,
                statement: 0,
            };
            hand_out(pbrt, state)
        })
    }
}

impl PbrtState {
    /// Goes to the next event; `false` at the end. Problems of the text come where they stand.
    fn advance(&mut self) -> Outcome<bool> {
        loop {
            if let Some(now) = &mut self.now {
                let statement = now.statements.statements.get(self.statement);
                let at = statement.map_or(u64::MAX, |statement| statement.at);
                let problem =
                    now.problems.next_if(|problem| problem.offset().is_none_or(|p| p < at));
                if let Some(problem) = problem {
                    let (line, column) = now.place(problem.offset().unwrap_or(now.offset));
                    return Err(problem.at_line(line, column).at_path(&self.path).into());
                }
                if statement.is_some() {
                    self.statement += 1;
                    return Ok(true);
                }
            }
            let Some(lines) = &self.lines else { return Ok(false) };
            match lines.recv() {
                Ok(Ok(next)) => {
                    self.statement = 0;
                    self.now = Some(next);
                }
                Ok(Err(error)) => {
                    self.end();
                    return Err(error.at_path(&self.path).into());
                }
                Err(_) => {
                    self.end();
                    return Ok(false);
                }
            }
        }
    }

    fn end(&mut self) {
        self.now = None;
        self.lines = None; // the thread ends with its next piece
        if let Some(reader) = self.reader.take() {
            let _ = reader.join();
        }
    }

    /// The event that `advance` went to.
    fn current(&self) -> Outcome<(&Lines, &Statement)> {
        let now = self.now.as_ref().filter(|_| self.statement > 0);
        let found =
            now.and_then(|now| Some((now, now.statements.statements.get(self.statement - 1)?)));
        found.ok_or_else(|| Failure::argument("there is no event"))
    }

    fn parameter(&self, index: u64) -> Outcome<(&Statements, &Parameter)> {
        let (lines, statement) = self.current()?;
        let all = &lines.statements.parameters[statement.parameters.range()];
        let found = usize::try_from(index).ok().and_then(|index| all.get(index));
        let found =
            found.ok_or_else(|| Failure::argument(format!("there is no parameter {index}")))?;
        Ok((&lines.statements, found))
    }
}

impl Drop for PbrtState {
    fn drop(&mut self) {
        self.end();
    }
}

fn values(statements: &Statements, values: Values) -> solio_pbrt_values {
    let (data, kind) = match values {
        Values::Floats(span) => {
            (statements.floats[span.range()].as_ptr().cast(), SOLIO_PBRT_FLOATS)
        }
        Values::Integers(span) => {
            (statements.integers[span.range()].as_ptr().cast(), SOLIO_PBRT_INTEGERS)
        }
        Values::Bools(span) => {
            (statements.integers[span.range()].as_ptr().cast(), SOLIO_PBRT_BOOLS)
        }
        Values::Strings(_) => (std::ptr::null(), SOLIO_PBRT_STRINGS),
    };
    solio_pbrt_values { data, count: values.count() as u64, kind, reserved: 0 }
}

/// The next directive. Returns `SOLIO_END` behind the last one. A fault of the text comes as an error
/// with its place, and the next call goes on behind it.
///
/// # Safety
/// As the head of the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn solio_pbrt_next(
    pbrt: *const solio_pbrt,
    event: *mut solio_pbrt_event,
    error: *mut solio_error,
) -> i32 {
    let mut code = SOLIO_OK;
    // SAFETY: as the caller promises.
    let called = unsafe {
        call(error, || {
            let mut taken = solio_pbrt::take(pbrt)?;
            fill("solio_pbrt_event", event, &border::zeroed::<solio_pbrt_event>())?;
            if !taken.advance()? {
                code = SOLIO_END;
                return Ok(());
            }
            let at = taken.current()?.1.at;
            let (line, column) = taken.now.as_mut().map_or((0, 0), |lines| lines.place(at));
            let (lines, statement) = taken.current()?;
            let name = statement.directive.name();
            let told = solio_pbrt_event {
                size: 0,
                name: name.as_ptr().cast(),
                name_length: name.len() as u64,
                values: values(&lines.statements, statement.values),
                parameters: statement.parameters.count() as u64,
                offset: statement.at,
                line,
                column,
            };
            fill("solio_pbrt_event", event, &told)
        })
    };
    if called == SOLIO_OK { code } else { called }
}

/// A parameter of the last event, by its number from 0 on.
///
/// # Safety
/// As the head of the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn solio_pbrt_parameter_at(
    pbrt: *const solio_pbrt,
    index: u64,
    parameter: *mut solio_pbrt_parameter,
    error: *mut solio_error,
) -> i32 {
    // SAFETY: as the caller promises.
    unsafe {
        call(error, || {
            let taken = solio_pbrt::take(pbrt)?;
            let (statements, found) = taken.parameter(index)?;
            let (kind, name) = (ParameterType::name(found.kind), statements.text(found.name));
            let told = solio_pbrt_parameter {
                size: 0,
                kind: kind.as_ptr().cast(),
                kind_length: kind.len() as u64,
                name: name.as_ptr().cast(),
                name_length: name.len() as u64,
                values: values(statements, found.values),
                offset: found.at,
            };
            fill("solio_pbrt_parameter", parameter, &told)
        })
    }
}

/// A string of the last event: of its parameter number `parameter`, or with `UINT64_MAX` of the
/// directive itself. Without a zero at its end; there until the next event is asked for.
///
/// # Safety
/// As the head of the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn solio_pbrt_string(
    pbrt: *const solio_pbrt,
    parameter: u64,
    index: u64,
    text: *mut *const c_char,
    length: *mut u64,
    error: *mut solio_error,
) -> i32 {
    // SAFETY: as the caller promises.
    unsafe {
        call(error, || {
            let taken = solio_pbrt::take(pbrt)?;
            let (statements, values) = match parameter {
                u64::MAX => {
                    let (lines, statement) = taken.current()?;
                    (&lines.statements, statement.values)
                }
                number => {
                    let (statements, found) = taken.parameter(number)?;
                    (statements, found.values)
                }
            };
            let found = usize::try_from(index).ok().and_then(|i| statements.string(values, i));
            let found =
                found.ok_or_else(|| Failure::argument(format!("there is no string {index}")))?;
            border::put("the text", text, found.as_ptr().cast())?;
            border::put("the length", length, found.len() as u64)
        })
    }
}

/// Frees the reader, also before the end; null is nothing to do.
///
/// # Safety
/// As the head of the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn solio_pbrt_free(pbrt: *mut solio_pbrt) -> i32 {
    // SAFETY: as the caller promises.
    unsafe { call(std::ptr::null_mut(), || solio_pbrt::free(pbrt)) }
}
