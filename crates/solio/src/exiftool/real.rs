//! The real ExifTool behind Solio: found, kept open, asked what Solio does not answer.

use solio_base::names::{OsStrBytes, OsStringBytes};
use solio_base::{Error, Result};
use solio_io::child::start_tied;
use std::ffi::{OsStr, OsString};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

/// Tells a process that Solio started it: whoever finds it set asks no other.
pub(super) const MARK: &str = "SOLIO_EXIFTOOL_WITHIN";
/// What Solio answers to a start with that mark, so that it is never taken for the real one.
pub(super) const REFUSAL: &[u8] = b"solio\n";

/// Places beside those of PATH.
const PLACES: [&str; 7] = [
    "/usr/bin/exiftool",
    "/usr/local/bin/exiftool",
    "/opt/homebrew/bin/exiftool",
    "/opt/local/bin/exiftool",
    "/usr/bin/vendor_perl/exiftool",
    "/usr/lib/perl5/vendor_perl/bin/exiftool",
    "/usr/share/exiftool/exiftool",
];

/// How long it may take to start.
const START: Duration = Duration::from_secs(15);

/// No end of waiting.
const FOREVER: Duration = Duration::from_secs(1 << 30);

/// What it says.
enum Said {
    Out(Vec<u8>),
    Err(Vec<u8>),
    OutEnded,
    ErrEnded,
}

/// A process that waits for commands.
pub(super) struct Real {
    child: Child,
    to: ChildStdin,
    said: Receiver<Said>,
    number: u64,
    /// How long it may say nothing.
    patience: Duration,
    out: Vec<u8>,
    err: Vec<u8>,
    ended: u8,
}

/// What came of a command: what is left of both streams, which were passed on as they came.
pub(super) struct Answer {
    /// The exit status.
    pub(super) status: u8,
}

/// Programs that may be it, the likeliest first.
pub(super) fn candidates(named: Option<&Path>) -> Vec<PathBuf> {
    if let Some(named) = named {
        return vec![named.to_owned()];
    }
    let own = std::env::current_exe().ok();
    let mut found = Vec::new();
    // Somebody who puts Solio in the place of ExifTool may keep that beside it.
    let called = std::env::args_os().next().map(PathBuf::from);
    for program in [called, own.clone()].into_iter().flatten() {
        let folder = program.parent().unwrap_or(Path::new(""));
        found.extend(
            ["exiftool.real", "exiftool-real", "exiftool.pl"].map(|name| folder.join(name)),
        );
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let name = format!("exiftool{}", std::env::consts::EXE_SUFFIX);
    found.extend(std::env::split_paths(&path).map(|folder| folder.join(&name)));
    found.extend(PLACES.map(PathBuf::from));
    let own = own.and_then(|own| own.canonicalize().ok());
    let mut seen = Vec::new();
    found.retain(|path| {
        let Ok(whole) = path.canonicalize() else { return false };
        let is_new = whole.is_file() && Some(&whole) != own.as_ref() && !seen.contains(&whole);
        seen.push(whole);
        is_new
    });
    found
}

/// The command that runs `program`: a script that the system cannot start goes to Perl.
fn command(program: &Path) -> Command {
    let mut command = Command::new(program);
    let is_script = program.extension().is_some_and(|end| end == "pl");
    if is_script {
        command = Command::new("perl");
        command.arg(program);
    }
    command.env(MARK, "1");
    command
}

impl Real {
    /// Starts the first of `programs` that is ExifTool.
    pub(super) fn start(programs: &[PathBuf]) -> Result<(Real, PathBuf)> {
        let mut why = None;
        for program in programs {
            match Real::of(program) {
                Ok(real) => return Ok((real, program.clone())),
                Err(e) => why = why.or(Some(e)),
            }
        }
        Err(why.unwrap_or_else(|| {
            Error::unsupported("no ExifTool was found").hint(
                "install ExifTool (package libimage-exiftool-perl, perl-Image-ExifTool or exiftool), \
                 or set SOLIO_EXIFTOOL to its path",
            )
        }))
    }

    fn of(program: &Path) -> Result<Real> {
        let failed = |e| Error::io("start ExifTool", e).at_path(program);
        let mut command = command(program);
        command.args(["-stay_open", "True", "-@", "-"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = start_tied(command).map_err(failed)?;
        let (send, said) = sync_channel(64);
        let (to, out, err) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(to), Some(out), Some(err)) = (to, out, err) else {
            return Err(failed(std::io::ErrorKind::BrokenPipe.into()));
        };
        pass_on(out, send.clone(), Said::Out, || Said::OutEnded).map_err(failed)?;
        pass_on(err, send, Said::Err, || Said::ErrEnded).map_err(failed)?;
        let mut real = Real {
            child,
            to,
            said,
            number: 0,
            patience: START,
            out: Vec::new(),
            err: Vec::new(),
            ended: 0,
        };
        let mut version = Vec::new();
        real.patience = START;
        real.ask(&[b"-ver".to_vec()], &mut |_, bytes| version.extend_from_slice(bytes))
            .map_err(|e| Error::unsupported(e.message().to_owned()).at_path(program))?;
        let text = String::from_utf8_lossy(&version);
        if !text
            .trim()
            .split('.')
            .all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
        {
            return Err(Error::unsupported("this is not ExifTool").at_path(program));
        }
        real.patience = FOREVER;
        Ok(real)
    }

    /// Gives it the arguments of one command. What it prints goes to `each` as it comes: 1 for standard
    /// output, 2 for standard error. An error means that the process is of no use any more.
    pub(super) fn ask(
        &mut self,
        arguments: &[Vec<u8>],
        each: &mut dyn FnMut(u8, &[u8]),
    ) -> Result<Answer> {
        self.number += 1;
        let number = self.number;
        let mut lines = Vec::new();
        for argument in arguments {
            lines.extend_from_slice(argument);
            lines.push(b'\n');
        }
        let status_mark = format!("{{solio{number}=");
        lines.extend_from_slice(
            format!("-echo4\n{status_mark}${{status}}}}\n-execute{number}\n").as_bytes(),
        );
        self.to
            .write_all(&lines)
            .and_then(|()| self.to.flush())
            .map_err(|e| Error::io("ask ExifTool", e))?;
        let ready = format!("{{ready{number}}}\n").into_bytes();
        let (mut out_done, mut status) = (false, None);
        self.out.clear();
        self.err.clear();
        while !out_done || status.is_none() {
            match self.said.recv_timeout(self.patience) {
                Ok(Said::Out(bytes)) => self.out.extend_from_slice(&bytes),
                Ok(Said::Err(bytes)) => self.err.extend_from_slice(&bytes),
                Ok(Said::OutEnded | Said::ErrEnded) => self.ended += 1,
                Err(RecvTimeoutError::Timeout) if self.patience == FOREVER => {}
                Err(_) => self.ended = 2,
            }
            if let Some(text) = self.out.strip_suffix(&ready[..]) {
                each(1, text);
                out_done = true;
                self.out.clear();
            } else if self.out.len() > ready.len() {
                let sure = self.out.len() - ready.len();
                each(1, &self.out[..sure]);
                self.out.drain(..sure);
            }
            if let Some(at) = find(&self.err, status_mark.as_bytes())
                && self.err.ends_with(b"}\n")
            {
                let text = &self.err[at + status_mark.len()..];
                let digits = text.iter().take_while(|b| b.is_ascii_digit());
                status =
                    Some(digits.fold(0u8, |all, b| all.wrapping_mul(10).wrapping_add(b - b'0')));
                each(2, &self.err[..at]);
                self.err.clear();
            } else if self.err.len() > 1 << 16 {
                let sure = self.err.len() - status_mark.len() - 8;
                each(2, &self.err[..sure]);
                self.err.drain(..sure);
            }
            if self.ended >= 2 && !(out_done && status.is_some()) {
                return Err(Error::unsupported("ExifTool ended before it answered"));
            }
        }
        Ok(Answer { status: status.unwrap_or(0) })
    }
}

impl Drop for Real {
    fn drop(&mut self) {
        let _ = self.to.write_all(b"-stay_open\nFalse\n");
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs a command that lines cannot hold, in a process of its own; both streams are this process'.
pub(super) fn alone(program: &Path, arguments: &[Vec<u8>]) -> Result<u8> {
    let mut command = command(program);
    command.args(arguments.iter().map(|argument| OsString::from_vec(argument.clone())));
    let failed = |e| Error::io("start ExifTool", e).at_path(program);
    let mut child = start_tied(command).map_err(failed)?;
    let ended = child.wait().map_err(failed)?;
    Ok(ended.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}

/// Whether lines can hold the arguments.
pub(super) fn fit_lines(arguments: &[Vec<u8>]) -> bool {
    let plain = |argument: &Vec<u8>| {
        !argument.is_empty()
            && argument[0] != b'#'
            && !argument[0].is_ascii_whitespace()
            && !argument.contains(&b'\n')
            && !argument.ends_with(b"\r")
    };
    // Options that are for the start of a process, or change how lines are read.
    let starts = [&b"-config"[..], b"-stay_open", b"-@", b"-common_args"];
    let reads = |argument: &Vec<u8>| {
        argument == b"-" || starts.contains(&&argument.to_ascii_lowercase()[..])
    };
    arguments.iter().all(|argument| plain(argument) && !reads(argument))
}

/// A thread that passes on what comes out of a pipe.
fn pass_on(
    mut from: impl Read + Send + 'static,
    to: std::sync::mpsc::SyncSender<Said>,
    said: fn(Vec<u8>) -> Said,
    end: fn() -> Said,
) -> std::io::Result<()> {
    let run = move || {
        let mut buffer = vec![0; 64 << 10];
        loop {
            match from.read(&mut buffer) {
                Ok(0) => break,
                Ok(got) if to.send(said(buffer[..got].to_vec())).is_err() => return,
                Ok(_) => {}
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        let _ = to.send(end());
    };
    std::thread::Builder::new().name("exiftool".into()).spawn(run).map(drop)
}

fn find(text: &[u8], word: &[u8]) -> Option<usize> {
    text.windows(word.len()).position(|part| part == word)
}

/// The bytes of an argument.
pub(super) fn bytes(argument: &OsStr) -> Vec<u8> {
    argument.as_bytes().to_vec()
}
