//! ExifTool's command line, answered by Solio: the same protocol, options and output, for what is sure
//! to be the same; the rest goes to a real ExifTool, kept open behind.
//!
//! ```text
//! arguments, lines ─► command ─► options ─► files ─► tags in ExifTool's order ─► what is asked for ─► text
//!                                   └──────────┴───────────── not sure ─► the real ExifTool ─► text
//! ```
//! A command, or of those that print file by file a file, is answered by one of the two alone.

mod condition;
mod dates;
mod expand;
mod lines;
mod listing;
mod mwg;
mod options;
mod order;
mod real;
mod request;
mod select;
mod show;
mod sure;
mod template;
#[cfg(test)]
mod tests;
mod words;

use crate::photo::metadata::Reader;
use crate::photo::value_bytes;
use expand::FileArgument;
use listing::Listing;
use options::{Form, Options, Parsed};
use order::Modules;
use request::{Request, RequestKind};
use show::{NotSure, Piece};
use solio_base::names::OsStringBytes;
use solio_base::{Error, Limits, Result, Work};
use solio_photo::{Fields, Gap, Tag};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};

/// How the drop-in finds the real ExifTool.
///
/// ```
/// use solio::{DropIn, DropInOptions};
/// // Nothing is handed on: what Solio does not answer itself is an error.
/// let mut drop_in = DropIn::new(DropInOptions { real: Some("".into()), ..Default::default() });
/// let (mut out, mut err) = (Vec::new(), Vec::new());
/// let status = drop_in.run(["-ver".into()], &mut &b""[..], &mut out, &mut err)?;
/// assert_eq!((status, &out[..]), (0, &b"13.58\n"[..]));
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct DropInOptions {
    /// The program; empty: none. `None`: the first that is found beside this one, in `PATH` and in the
    /// usual places.
    pub real: Option<PathBuf>,
    /// Answer also where ExifTool may say something else, instead of asking it; for those who have none,
    /// and to find out what differs.
    pub always: bool,
    /// This process was started by another drop-in, which took it for the real one.
    pub within: bool,
}

impl DropInOptions {
    /// As the environment variables SOLIO_EXIFTOOL (the program), SOLIO_EXIFTOOL_ALWAYS (not empty: answer
    /// also what may differ) and SOLIO_EXIFTOOL_WITHIN (set by this program for those that it starts)
    /// have it.
    pub fn from_environment() -> Self {
        DropInOptions {
            real: std::env::var_os("SOLIO_EXIFTOOL").map(PathBuf::from),
            always: std::env::var_os("SOLIO_EXIFTOOL_ALWAYS")
                .is_some_and(|value| !value.is_empty()),
            within: std::env::var_os(real::MARK).is_some(),
        }
    }
}

/// How many files and commands were answered by whom.
///
/// ```
/// let stats = solio::DropInStats::default();
/// assert_eq!((stats.native_files, stats.handed_files), (0, 0));
/// ```
#[derive(Clone, Debug, Default)]
pub struct DropInStats {
    /// Commands that Solio answered alone.
    pub native_commands: u64,
    /// Commands of which ExifTool answered all or some.
    pub handed_commands: u64,
    /// Files that Solio answered for.
    pub native_files: u64,
    /// Files that ExifTool was asked about, one by one.
    pub handed_files: u64,
    /// Why commands and files were handed on, and how often.
    pub reasons: BTreeMap<String, u64>,
}

/// ExifTool's command line.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("a.jpg");
/// # let tiff = b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0";
/// # let mut jpeg = b"\xff\xd8\xff\xe1\0\x22Exif\0\0".to_vec();
/// # jpeg.extend_from_slice(tiff);
/// # jpeg.extend_from_slice(b"\xff\xd9");
/// # solio::write_bytes(&path, &jpeg)?;
/// use solio::{DropIn, DropInOptions};
/// let mut drop_in = DropIn::new(DropInOptions { real: Some("".into()), ..Default::default() });
/// // A program that keeps it open writes lines.
/// let lines = format!("-s3\n-Orientation\n{}\n-execute7\n-stay_open\nFalse\n", path.display());
/// let (mut out, mut err) = (Vec::new(), Vec::new());
/// let arguments = ["-stay_open", "True", "-@", "-"].map(Into::into);
/// drop_in.run(arguments, &mut lines.as_bytes(), &mut out, &mut err)?;
/// assert_eq!(out, b"Rotate 90 CW\n{ready7}\n");
/// # Ok::<(), solio::Error>(())
/// ```
pub struct DropIn {
    options: DropInOptions,
    real: Option<real::Real>,
    program: Option<PathBuf>,
    /// Arguments before the lines: options of the first command.
    first: Vec<Vec<u8>>,
    modules: Modules,
    /// Whether a command used the module MWG; ExifTool keeps it.
    mwg: bool,
    reader: Reader,
    work: Work,
    stats: DropInStats,
    /// The last status that was not 0.
    status: u8,
}

/// Where output goes.
struct Streams<'s> {
    out: &'s mut dyn Write,
    err: &'s mut dyn Write,
}

impl Streams<'_> {
    fn out(&mut self, bytes: &[u8]) -> Result<()> {
        self.out.write_all(bytes).map_err(closed)
    }

    /// Nobody may read this.
    fn err(&mut self, bytes: &[u8]) {
        let _ = self.err.write_all(bytes);
    }

    fn flush(&mut self) -> Result<()> {
        let _ = self.err.flush();
        self.out.flush().map_err(closed)
    }
}

/// Nobody reads what is printed.
fn closed(e: std::io::Error) -> Error {
    Error::io("print", e)
}

/// What the arguments of the start ask for.
enum Start {
    /// Commands come by lines.
    Open {
        common: Vec<Vec<u8>>,
    },
    Done,
}

impl DropIn {
    /// One that has read nothing yet.
    pub fn new(options: DropInOptions) -> Self {
        DropIn {
            options,
            real: None,
            program: None,
            first: Vec::new(),
            modules: Modules::default(),
            mwg: false,
            reader: Reader::default(),
            work: Work::default(),
            stats: DropInStats::default(),
            status: 0,
        }
    }

    /// Who answered so far.
    pub fn stats(&self) -> &DropInStats {
        &self.stats
    }

    /// Runs the command line `arguments` (without the program's name) and, with `-stay_open`, the
    /// commands in `input`, as ExifTool does; gives the exit status.
    ///
    /// # Errors
    /// Where `out` takes nothing any more.
    pub fn run(
        &mut self,
        arguments: impl IntoIterator<Item = OsString>,
        input: &mut dyn BufRead,
        out: &mut dyn Write,
        err: &mut dyn Write,
    ) -> Result<u8> {
        let streams = &mut Streams { out, err };
        if self.options.within {
            // Whoever asks takes this for the real one.
            streams.out(real::REFUSAL)?;
            streams.err(b"Error: this is Solio and not ExifTool itself\n");
            streams.flush()?;
            return Ok(1);
        }
        let arguments = arguments.into_iter().map(|argument| real::bytes(&argument)).collect();
        match self.start(arguments, streams)? {
            Start::Done => {}
            Start::Open { common } => self.serve(&common, input, streams)?,
        }
        streams.flush()?;
        Ok(self.status)
    }

    /// Runs what the command line itself asks for.
    fn start(&mut self, arguments: Vec<Vec<u8>>, streams: &mut Streams<'_>) -> Result<Start> {
        let all = arguments.clone();
        let mut arguments = arguments.into_iter();
        let (mut pending, mut common) = (Vec::new(), Vec::new());
        let (mut open, mut lines) = (false, false);
        let mut commands = Vec::new();
        while let Some(argument) = arguments.next() {
            match argument.to_ascii_lowercase().as_slice() {
                b"-stay_open" => {
                    let flag = arguments.next().unwrap_or_default().to_ascii_lowercase();
                    open = flag == b"true" || flag == b"1";
                }
                b"-@" => {
                    let name = arguments.next().unwrap_or_default();
                    if open && name == b"-" {
                        lines = true;
                    } else if open || name == b"-" {
                        return self.alone(&all, "-stay_open with a file", streams);
                    } else {
                        match expand::argument_file(&name) {
                            Ok(more) => pending.extend(more),
                            Err(_) => {
                                let name = String::from_utf8_lossy(&name).into_owned();
                                streams.err(format!("Error opening arg file {name}\n").as_bytes());
                                self.status = 1;
                                return Ok(Start::Done);
                            }
                        }
                    }
                }
                b"-common_args" => common.extend(arguments.by_ref()),
                b"-config" => return self.alone(&all, "-config", streams),
                _ => pending.push(argument),
            }
        }
        while let Some(at) = pending.iter().position(|argument| execute(argument).is_some()) {
            let behind = pending.split_off(at + 1);
            pending.pop();
            commands.push(std::mem::replace(&mut pending, behind));
        }
        if lines {
            // Options before the lines are those of the first command.
            for mut command in commands {
                command.extend(common.iter().cloned());
                self.command(&command, streams)?;
            }
            self.first = pending;
            return Ok(Start::Open { common });
        }
        if !pending.is_empty() || commands.is_empty() {
            commands.push(pending);
        }
        for mut command in commands {
            command.extend(common.iter().cloned());
            self.command(&command, streams)?;
        }
        Ok(Start::Done)
    }

    /// Runs commands that come by lines until they end.
    fn serve(
        &mut self,
        common: &[Vec<u8>],
        input: &mut dyn BufRead,
        streams: &mut Streams<'_>,
    ) -> Result<()> {
        let mut pending = std::mem::take(&mut self.first);
        let mut line = Vec::new();
        let mut closes = false;
        loop {
            line.clear();
            // Who cannot be read from any more has ended.
            let ended = !matches!(read_line(input, &mut line), Ok(got) if got > 0);
            if ended {
                break;
            }
            let Some(argument) = lines::argument(&line) else { continue };
            if closes {
                if matches!(argument.to_ascii_lowercase().as_slice(), b"false" | b"0") {
                    break;
                }
                closes = false;
                continue;
            }
            if argument.eq_ignore_ascii_case(b"-stay_open") {
                closes = true;
                continue;
            }
            let Some(number) = execute(&argument) else {
                if pending.len() < MOST_ARGUMENTS {
                    pending.push(argument);
                }
                continue;
            };
            let mut command = std::mem::take(&mut pending);
            let is_empty = command.is_empty();
            command.extend(common.iter().cloned());
            let quiet = if is_empty { false } else { self.command(&command, streams)? };
            let _ = streams.err.flush();
            if !quiet || !number.is_empty() {
                let end = if cfg!(windows) { "\r\n" } else { "\n" };
                streams.out(format!("{{ready{number}}}{end}").as_bytes())?;
            }
            streams.flush()?;
        }
        if !pending.is_empty() {
            pending.extend(common.iter().cloned());
            self.command(&pending, streams)?;
        }
        Ok(())
    }

    /// Runs one command; says whether it was quiet.
    fn command(&mut self, arguments: &[Vec<u8>], streams: &mut Streams<'_>) -> Result<bool> {
        let quiet = arguments
            .iter()
            .any(|argument| argument == b"-q" || argument.eq_ignore_ascii_case(b"-quiet"));
        let mut echoes = Vec::new();
        let parsed = options::parse(arguments, |stream, text| echoes.push((stream, text.to_vec())));
        self.mwg |= matches!(&parsed, Parsed::Own(options) if options.mwg);
        let done = match parsed {
            Parsed::Handed(why) => Err(why),
            Parsed::Own(options) => self.own(&options, arguments, &echoes, streams)?,
        };
        let status = match done {
            Ok(status) => status,
            Err(why) => {
                self.stats.handed_commands += 1;
                self.hand_on(arguments, &why, streams)?
            }
        };
        if status != 0 {
            self.status = status;
        }
        Ok(quiet)
    }

    /// Answers a command, or says why not.
    fn own(
        &mut self,
        options: &Options,
        arguments: &[Vec<u8>],
        echoes: &[(u8, Vec<u8>)],
        streams: &mut Streams<'_>,
    ) -> Result<std::result::Result<u8, NotSure>> {
        let mut status = 0;
        let mut printed = Printed::default();
        if options.version {
            printed.out = format!("{}\n", listing::VERSION).into_bytes();
        } else if options.files.is_empty() {
            if !options.requests.is_empty()
                || !options.echo_after.is_empty()
                || arguments.is_empty()
                || echoes.is_empty()
            {
                return Ok(Err("no file is named".into()));
            }
        } else {
            match self.files(options, arguments)? {
                Err(why) => return Ok(Err(why)),
                Ok((found, of_files)) => (printed, status) = (found, of_files),
            }
        }
        for (stream, text) in echoes {
            let line = [text, &b"\n"[..]].concat();
            if *stream == 1 { streams.out(&line)? } else { streams.err(&line) }
        }
        streams.err(&printed.err);
        streams.out(&printed.out)?;
        for (stream, text) in &options.echo_after {
            let line = with_status(text, status);
            if *stream == 3 { streams.out(&line)? } else { streams.err(&line) }
        }
        match printed.handed {
            true => self.stats.handed_commands += 1,
            false => self.stats.native_commands += 1,
        }
        Ok(Ok(status))
    }

    /// What is printed of the files of a command.
    fn files(
        &mut self,
        options: &Options,
        arguments: &[Vec<u8>],
    ) -> Result<std::result::Result<(Printed, u8), NotSure>> {
        let mut named = Vec::new();
        for tag in options.template.iter().flat_map(template::Template::tags) {
            named.extend(Request::parse(tag));
        }
        let mut of_conditions = Vec::new();
        options.conditions.iter().for_each(|condition| condition.tags(&mut of_conditions));
        named.extend(of_conditions.iter().filter_map(|tag| Request::parse(tag)));
        let found = match expand::files(options) {
            Ok(found) => found,
            Err(why) => return Ok(Err(why)),
        };
        let several = found.files.len() > 1 || found.folders > 0;
        let names_each = options.requests.iter().all(|r| r.kind == RequestKind::One);
        if options.form == Form::Csv && several && (options.requests.is_empty() || !names_each) {
            return Ok(Err("-csv of all tags of several files".into()));
        }
        let mut counts = Counts { folders: found.folders, ..Counts::default() };
        let many = found.files.len() > 1 || found.folders > 0;
        let mut printed = Printed::default();
        let mut rows = Vec::new();
        let mut first = true;
        for file in &found.files {
            let FileArgument { name, path } = file;
            let shown_name = String::from_utf8_lossy(name).replace('\u{fffd}', "?");
            if !path.exists() {
                printed.err.extend(format!("Error: File not found - {shown_name}\n").into_bytes());
                counts.unread += 1;
                continue;
            }
            let piece = match self.file(path, &shown_name, options, &named) {
                Ok(None) => {
                    counts.failed += 1;
                    continue;
                }
                Ok(Some(piece)) => {
                    self.stats.native_files += 1;
                    piece
                }
                Err(why) if options.can_be_handed_by_file() => {
                    match self.file_of_real(name, &why, options, arguments, &mut printed)? {
                        Handed::Nothing(status) => {
                            match status {
                                2 => counts.failed += 1,
                                _ => counts.unread += 1,
                            }
                            continue;
                        }
                        Handed::Piece(piece, status) => {
                            if status == 1 {
                                counts.errors += 1;
                            }
                            piece
                        }
                        Handed::Impossible => return Ok(Err(why)),
                    }
                }
                Err(why) => return Ok(Err(why)),
            };
            counts.read += 1;
            for warning in &piece.warnings {
                printed.err.extend_from_slice(warning.as_bytes());
            }
            let has_header = matches!(options.form, Form::Text | Form::Tabs) && many;
            if has_header && options.quiet == 0 {
                printed.out.extend(format!("======== {shown_name}\n").into_bytes());
            }
            if options.form == Form::Json {
                printed.out.extend_from_slice(if first { b"[" } else { b",\n" });
            } else if options.form == Form::Xml && first {
                printed.out.extend_from_slice(XML_START);
            }
            first = false;
            printed.out.extend_from_slice(&piece.text);
            if options.form == Form::Csv {
                rows.push(piece.cells);
            }
        }
        match options.form {
            Form::Json if !first => printed.out.extend_from_slice(b"]\n"),
            Form::Xml if !first => printed.out.extend_from_slice(b"</rdf:RDF>\n"),
            Form::Csv if rows.is_empty() => return Ok(Err("-csv of no file".into())),
            // The order of columns that not all files have is ExifTool's own.
            Form::Csv if !show::have_same_columns(&rows) => {
                return Ok(Err("-csv of files with different tags".into()));
            }
            Form::Csv => printed.out.extend(show::csv_lines(&rows).into_bytes()),
            _ => {}
        }
        let summary = counts.summary(many);
        if options.quiet == 0 {
            match options.form {
                Form::Text | Form::Tabs => printed.out.extend(summary.into_bytes()),
                Form::Table | Form::Bytes => {}
                _ => printed.err.extend(summary.into_bytes()),
            }
        }
        Ok(Ok((printed, counts.status())))
    }

    /// What is printed of one file; `None` where a condition does not hold.
    fn file(
        &mut self,
        path: &Path,
        name: &str,
        options: &Options,
        named: &[Request],
    ) -> std::result::Result<Option<Piece>, NotSure> {
        let read_options =
            crate::MetadataOptions { fields: Fields::all(), ..crate::MetadataOptions::default() };
        let mut read = self
            .reader
            .read(path, &read_options, &self.work)
            .map_err(|e| format!("a file that cannot be read: {}", e.message()))?;
        let mut tags = std::mem::take(&mut read.tags);
        if !tags.iter().any(|tag| tag.group == "System") {
            return Err("a file that the system does not describe".into());
        }
        self.modules.add(&tags);
        if read.gaps.contains(&Gap::MakerNotes) {
            let make = tags.iter().find(|tag| tag.group == "IFD0" && tag.name == "Make");
            self.modules.add_make(&make.map(|tag| tag.text().plain()).unwrap_or_default());
        }
        self.mwg |= options.mwg;
        if self.mwg && !options.mwg {
            return Err("MWG was used before".into());
        }
        if self.mwg {
            mwg::add(&mut tags)?;
            self.modules.add(&tags);
        }
        if !order::arrange(&mut tags, self.modules) && !self.options.always {
            return Err("a composite that is not known".into());
        }
        for tag in tags.iter_mut().take_while(|tag| tag.group == "System") {
            of_system(tag, options);
        }
        tags.insert(0, listing::of_program("ExifToolVersion", listing::VERSION));
        let listing = Listing::new(tags);
        if !self.options.always {
            sure::check(&listing, &read, options, named)?;
        }
        if !options.conditions.is_empty() && !show::holds(&listing, options)? {
            return Ok(None);
        }
        let bytes_of = |tag: &Tag| bytes_of(path, tag);
        show::show(&listing, options, name, &bytes_of).map(Some)
    }

    /// Asks the real ExifTool about one file of a command.
    fn file_of_real(
        &mut self,
        name: &[u8],
        why: &str,
        options: &Options,
        arguments: &[Vec<u8>],
        printed: &mut Printed,
    ) -> Result<Handed> {
        let mut own = Vec::with_capacity(arguments.len());
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            if options.files.contains(argument) {
                continue;
            }
            if argument.to_ascii_lowercase().starts_with(b"-echo") {
                rest.next();
                continue;
            }
            own.push(argument.clone());
        }
        let protected = match name.first() {
            Some(b'-' | b'#' | b' ') => [b"./", name].concat(),
            _ => name.to_vec(),
        };
        if protected != name || !real::fit_lines(&own) || !real::fit_lines(&[name.to_vec()]) {
            return Ok(Handed::Impossible);
        }
        own.push(protected);
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let asked = self.ask(&own, &mut |stream, bytes| {
            if stream == 1 { out.extend_from_slice(bytes) } else { err.extend_from_slice(bytes) }
        });
        let status = match asked {
            Ok(status) => status,
            Err(_) => return Ok(Handed::Impossible),
        };
        self.count(why);
        self.stats.handed_files += 1;
        printed.handed = true;
        let counted = |line: &[u8]| line.starts_with(b"    ") && line.ends_with(b"\n");
        let is_summary =
            |line: &&[u8]| !(counted(line) && line.windows(6).any(|part| part == b" files"));
        let lines = err.split_inclusive(|b| *b == b'\n').filter(is_summary);
        lines.for_each(|line| printed.err.extend_from_slice(line));
        if status == 2 {
            return Ok(Handed::Nothing(2));
        }
        let text = match options.form {
            Form::Json => {
                let inner = out.strip_prefix(b"[").and_then(|out| out.strip_suffix(b"]\n"));
                match inner {
                    Some(inner) => inner.to_vec(),
                    None => return Ok(Handed::Nothing(status)),
                }
            }
            _ => out,
        };
        Ok(Handed::Piece(Piece { text, ..Piece::default() }, status))
    }

    /// Gives a command to the real ExifTool.
    fn hand_on(
        &mut self,
        arguments: &[Vec<u8>],
        why: &str,
        streams: &mut Streams<'_>,
    ) -> Result<u8> {
        self.count(why);
        if !real::fit_lines(arguments) {
            streams.flush()?;
            let program = match self.program() {
                Ok(program) => program,
                Err(e) => return Ok(nobody(why, &e, streams)),
            };
            let status = real::alone(&program, arguments);
            return Ok(status.unwrap_or_else(|e| nobody(why, &e, streams)));
        }
        let mut lost = None;
        let asked = self.ask(arguments, &mut |stream, bytes| {
            if stream == 1 {
                if let Err(e) = streams.out(bytes) {
                    lost = Some(e);
                }
            } else {
                streams.err(bytes);
            }
        });
        if let Some(e) = lost {
            return Err(e);
        }
        Ok(asked.unwrap_or_else(|e| nobody(why, &e, streams)))
    }

    /// Asks the real ExifTool, which is started where it does not run.
    fn ask(&mut self, arguments: &[Vec<u8>], each: &mut dyn FnMut(u8, &[u8])) -> Result<u8> {
        let mut said_something = false;
        for again in [true, false] {
            let fresh = self.real.is_none();
            if fresh {
                let programs = self.programs();
                let (real, program) = real::Real::start(&programs)?;
                (self.real, self.program) = (Some(real), Some(program));
            }
            let Some(real) = &mut self.real else { break };
            let answer = real.ask(arguments, &mut |stream, bytes| {
                said_something |= !bytes.is_empty();
                each(stream, bytes);
            });
            match answer {
                Ok(answer) => return Ok(answer.status),
                Err(e) => {
                    self.real = None;
                    // What only reads may be asked again; one that was idle may have been ended long ago.
                    if fresh || !again || said_something || writes(arguments) {
                        return Err(e);
                    }
                }
            }
        }
        Err(Error::unsupported("ExifTool ended before it answered"))
    }

    fn programs(&self) -> Vec<PathBuf> {
        match &self.options.real {
            Some(none) if none.as_os_str().is_empty() => Vec::new(),
            Some(named) => real::candidates(Some(named)),
            None => real::candidates(None),
        }
    }

    /// The program of the real ExifTool, known to be it.
    fn program(&mut self) -> Result<PathBuf> {
        if self.program.is_none() {
            let (real, program) = real::Real::start(&self.programs())?;
            (self.real, self.program) = (Some(real), Some(program));
        }
        self.program.clone().ok_or_else(|| Error::unsupported("no ExifTool was found"))
    }

    /// Gives all of the command line to a real ExifTool of its own.
    fn alone(
        &mut self,
        arguments: &[Vec<u8>],
        why: &str,
        streams: &mut Streams<'_>,
    ) -> Result<Start> {
        self.count(why);
        self.stats.handed_commands += 1;
        streams.flush()?;
        let run = self.program().and_then(|program| real::alone(&program, arguments));
        self.status = run.unwrap_or_else(|e| nobody(why, &e, streams));
        Ok(Start::Done)
    }

    fn count(&mut self, why: &str) {
        if self.stats.reasons.len() < MOST_REASONS || self.stats.reasons.contains_key(why) {
            *self.stats.reasons.entry(why.to_owned()).or_default() += 1;
        }
    }
}

/// Most arguments of one command.
const MOST_ARGUMENTS: usize = 1 << 20;
/// Longest line that is an argument.
const MOST_LINE: usize = 16 << 20;
/// Reasons that are told apart.
const MOST_REASONS: usize = 256;

const XML_START: &[u8] = b"<?xml version='1.0' encoding='UTF-8'?>\n\
    <rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>\n";

/// What is printed at once, when all of it is known.
#[derive(Default)]
struct Printed {
    out: Vec<u8>,
    err: Vec<u8>,
    /// ExifTool answered for some of it.
    handed: bool,
}

/// What the real ExifTool said of one file.
enum Handed {
    Piece(Piece, u8),
    /// Nothing is shown of it; the status says why.
    Nothing(u8),
    /// It cannot be asked so.
    Impossible,
}

/// What became of the files of a command.
#[derive(Default)]
struct Counts {
    folders: usize,
    read: usize,
    failed: usize,
    unread: usize,
    /// Files that were shown with an error.
    errors: usize,
}

impl Counts {
    fn summary(&self, many: bool) -> String {
        let mut text = String::new();
        let mut line = |count: usize, what: &str| text.push_str(&format!("{count:>5} {what}\n"));
        if self.folders > 0 {
            line(self.folders, "directories scanned");
        }
        if self.failed > 0 {
            line(self.failed, "files failed condition");
        }
        if many {
            line(self.read, "image files read");
            if self.unread > 0 {
                line(self.unread, "files could not be read");
            }
        }
        text
    }

    fn status(&self) -> u8 {
        match self {
            Counts { unread: 1.., .. } | Counts { errors: 1.., .. } => 1,
            Counts { failed: 1.., read: 0, .. } => 2,
            _ => 0,
        }
    }
}

/// A text with the status of the command in it.
fn with_status(text: &[u8], status: u8) -> Vec<u8> {
    let text = String::from_utf8_lossy(text);
    let mut line = text.replace("${status}", &status.to_string()).into_bytes();
    line.push(b'\n');
    line
}

/// The number behind `-execute`.
fn execute(argument: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(argument).ok()?;
    let (head, number) = text.split_at_checked(8)?;
    let is_it = head.eq_ignore_ascii_case("-execute") && number.bytes().all(|b| b.is_ascii_digit());
    is_it.then(|| number.to_owned())
}

/// Whether a command may change files.
fn writes(arguments: &[Vec<u8>]) -> bool {
    arguments.iter().any(|argument| {
        argument.starts_with(b"-")
            && (argument.contains(&b'=') || argument.contains(&b'<') || argument.contains(&b'>'))
            || [
                &b"-tagsfromfile"[..],
                b"-o",
                b"-out",
                b"-w",
                b"-geotag",
                b"-restore_original",
                b"-delete_original",
            ]
            .contains(&&argument.to_ascii_lowercase()[..])
    })
}

/// Says that nobody answers a command.
fn nobody(why: &str, e: &Error, streams: &mut Streams<'_>) -> u8 {
    let hint = e.hint_text().map(|hint| format!("; {hint}")).unwrap_or_default();
    let message = e.to_string();
    let first = message.lines().next().unwrap_or_default();
    streams
        .err(format!("Error: solio leaves this to ExifTool ({why}): {first}{hint}\n").as_bytes());
    1
}

/// A line with its end, no longer than lines may be; 0 bytes at the end of the input.
fn read_line(input: &mut dyn BufRead, line: &mut Vec<u8>) -> std::io::Result<usize> {
    let mut got = 0;
    loop {
        let (used, ends) = match input.fill_buf() {
            Ok([]) => return Ok(got),
            Ok(bytes) => {
                let end = bytes.iter().position(|b| *b == b'\n');
                let used = end.map_or(bytes.len(), |end| end + 1);
                if line.len() + used <= MOST_LINE {
                    line.extend_from_slice(&bytes[..used]);
                }
                (used, end.is_some())
            }
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(e) => return Err(e),
        };
        input.consume(used);
        got += used;
        if ends {
            return Ok(got);
        }
    }
}

/// Dates of the system as the clock on the wall shows them.
fn of_system(tag: &mut Tag, options: &Options) {
    if !tag.name.ends_with("Date") {
        return;
    }
    let text = tag.text().plain();
    let shown = match options.universal_time {
        true => text.strip_suffix("+00:00").map(|plain| format!("{plain}Z")),
        false => dates::local(&text),
    };
    if let Some(shown) = shown {
        let value = || solio_photo::Value::Text(shown.clone());
        *tag = Tag::stated(tag.group.clone(), tag.name.clone(), value(), value());
    }
}

/// The bytes of a tag that is only said to be there.
fn bytes_of(path: &Path, tag: &Tag) -> Option<Vec<u8>> {
    if let solio_photo::Value::Bytes(bytes) = &tag.value {
        return Some(bytes.clone());
    }
    let field = format!("{}:{}", tag.group, tag.name);
    value_bytes::metadata_bytes(path, &field, &Limits::default(), &Work::default()).ok()?
}

/// A path of the bytes of an argument.
fn path_of(name: &[u8]) -> PathBuf {
    PathBuf::from(OsString::from_vec(name.to_vec()))
}
