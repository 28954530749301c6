//! One ExifTool process that stays open: arguments go in by lines, an answer comes out for each
//! request, framed by markers that carry the request's number.
//!
//! Two threads pass on what it prints, so that waiting can end: a process that does not answer in
//! time, ends, or answers something else is killed, and the pool starts another one.

use solio_base::{Cancel, Error, Result};
use solio_io::child::start_tied;
use solio_measure::Stopwatch;
use std::ffi::OsStr;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

/// Longest answer about one file.
const MOST_ANSWER: usize = 256 << 20;
/// Most of what it complains about that is kept.
const MOST_COMPLAINT: usize = 64 << 10;
/// How long a wait lasts before it looks whether the work was cancelled.
const PATIENCE: Duration = Duration::from_millis(50);
/// How long an answer without content waits for the complaint that explains it.
const COMPLAINT_S: f64 = 1.0;

/// A running process.
pub(super) struct Process {
    child: Child,
    to: Option<ChildStdin>,
    said: Receiver<Said>,
    /// The number of the last request.
    number: u64,
    /// Bytes of standard output that belong to no answer yet, and what stands on standard error.
    out: Vec<u8>,
    complaint: Vec<u8>,
    out_ended: bool,
}

enum Said {
    Out(Vec<u8>),
    OutEnded,
    Complaint(Vec<u8>),
}

/// What came of a request.
pub(super) struct Answer {
    pub(super) text: Vec<u8>,
    /// What it complained about meanwhile.
    pub(super) complaint: String,
}

impl Process {
    /// Starts the program with `arguments`; it reads from `input`.
    pub(super) fn start<S: AsRef<OsStr>>(
        program: &Path,
        arguments: impl IntoIterator<Item = S>,
        input: Stdio,
    ) -> Result<Process> {
        let mut command = Command::new(program);
        command.args(arguments).stdin(input).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = start_tied(command).map_err(|e| cannot_start(program, e))?;
        let (send, said) = sync_channel(16);
        let to = child.stdin.take();
        let out = child.stdout.take().map(|out| pass_on(out, send.clone(), Said::Out, true));
        let err = child.stderr.take().map(|err| pass_on(err, send, Said::Complaint, false));
        let mut process = Process {
            child,
            to,
            said,
            number: 0,
            out: Vec::new(),
            complaint: Vec::new(),
            out_ended: false,
        };
        match (out, err) {
            (Some(Ok(())), Some(Ok(()))) => Ok(process),
            (out, err) => {
                process.kill();
                let failed = [out, err].into_iter().flatten().find_map(std::result::Result::err);
                let failed = failed.unwrap_or_else(|| std::io::ErrorKind::BrokenPipe.into());
                Err(Error::io("start a thread", failed))
            }
        }
    }

    /// Whether it has not ended.
    pub(super) fn is_alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Asks by lines; `lines` holds one argument each. An error means that the process is of no
    /// use any more.
    pub(super) fn ask(&mut self, lines: &[u8], seconds: f64, cancel: &Cancel) -> Result<Answer> {
        self.number += 1;
        let number = self.number;
        let mark = format!("{{ready{number}}}\n").into_bytes();
        let mut request = lines.to_vec();
        request.extend_from_slice(b"-echo4\n");
        request.extend_from_slice(&mark);
        request.extend_from_slice(format!("-execute{number}\n").as_bytes());
        let to = self.to.as_mut().ok_or_else(|| Error::unsupported("ExifTool has ended"))?;
        to.write_all(&request)
            .and_then(|()| to.flush())
            .map_err(|e| Error::io("ask ExifTool", e))?;
        let watch = Stopwatch::start();
        while ends_with_line(&self.out, &mark).is_none() {
            self.wait(&watch, seconds, cancel)?;
            if let Some(other) = other_mark(&self.out, &mark) {
                let what = format!("ExifTool answered {other} where {number} was asked");
                return Err(Error::corrupt(what));
            }
            if self.out_ended {
                // Why comes by another pipe.
                let watch = Stopwatch::start();
                while self.wait(&watch, COMPLAINT_S, cancel).is_ok() {}
                return Err(self.ended());
            }
        }
        let end = ends_with_line(&self.out, &mark).unwrap_or(0);
        let mut text = std::mem::take(&mut self.out);
        text.truncate(end);
        if let Some(other) = other_mark(&text, &mark) {
            return Err(Error::corrupt(format!(
                "ExifTool answered {other} where {number} was asked"
            )));
        }
        if text.is_empty() {
            let watch = Stopwatch::start();
            while find(&self.complaint, &mark).is_none() && watch.wall_s() < COMPLAINT_S {
                if self.wait(&watch, COMPLAINT_S, cancel).is_err() {
                    break;
                }
            }
        }
        Ok(Answer { text, complaint: self.complaint_before(&mark) })
    }

    /// Everything that a process says which was asked by its arguments alone.
    pub(super) fn all(mut self, seconds: f64, cancel: &Cancel) -> Result<Answer> {
        let watch = Stopwatch::start();
        while !self.out_ended {
            self.wait(&watch, seconds, cancel)?;
        }
        // The complaint ends with the process.
        while watch.wall_s() < seconds && self.wait(&watch, seconds, cancel).is_ok() {}
        let complaint = String::from_utf8_lossy(&self.complaint).into_owned();
        Ok(Answer { text: std::mem::take(&mut self.out), complaint })
    }

    /// Waits until it says something more; an error where it does not in time.
    fn wait(&mut self, watch: &Stopwatch, seconds: f64, cancel: &Cancel) -> Result<()> {
        loop {
            cancel.check()?;
            match self.said.recv_timeout(PATIENCE) {
                Ok(Said::Out(bytes)) => self.out.extend_from_slice(&bytes),
                Ok(Said::OutEnded) => self.out_ended = true,
                Ok(Said::Complaint(bytes)) => {
                    self.complaint.extend_from_slice(&bytes);
                    let over = self.complaint.len().saturating_sub(MOST_COMPLAINT);
                    self.complaint.drain(..over);
                }
                Err(RecvTimeoutError::Timeout) if watch.wall_s() < seconds => continue,
                Err(RecvTimeoutError::Timeout) => {
                    return Err(Error::limit(format!(
                        "ExifTool did not answer within {seconds} s"
                    )));
                }
                Err(RecvTimeoutError::Disconnected) => return Err(self.ended()),
            }
            if self.out.len() > MOST_ANSWER {
                return Err(Error::limit("ExifTool's answer does not end"));
            }
            if watch.wall_s() > seconds {
                return Err(Error::limit(format!("ExifTool did not answer within {seconds} s")));
            }
            return Ok(());
        }
    }

    fn ended(&self) -> Error {
        let complaint = String::from_utf8_lossy(&self.complaint);
        let mut lines = complaint.lines().filter(|line| !line.starts_with("{ready"));
        let why = lines.next_back().map(|line| format!(": {line}")).unwrap_or_default();
        Error::unsupported(format!("ExifTool ended while it read this file{why}"))
    }

    /// What it complained about since the request before.
    fn complaint_before(&self, mark: &[u8]) -> String {
        let end = find(&self.complaint, mark).unwrap_or(self.complaint.len());
        let text = String::from_utf8_lossy(&self.complaint[..end]);
        let since = text.lines().rev().take_while(|line| !line.starts_with("{ready"));
        let mut lines: Vec<&str> = since.collect();
        lines.reverse();
        lines.join("\n")
    }

    fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Process {
    /// It only reads: there is nothing that it must bring to an end.
    fn drop(&mut self) {
        self.kill();
    }
}

/// A thread that passes on what comes out of a pipe.
fn pass_on(
    mut from: impl Read + Send + 'static,
    to: SyncSender<Said>,
    said: fn(Vec<u8>) -> Said,
    tells_end: bool,
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
        if tells_end {
            let _ = to.send(Said::OutEnded);
        }
    };
    std::thread::Builder::new().name("exiftool".into()).spawn(run).map(drop)
}

/// Where the text before `mark` ends, if `mark` is its last line.
fn ends_with_line(text: &[u8], mark: &[u8]) -> Option<usize> {
    let start = text.len().checked_sub(mark.len())?;
    let line = start == 0 || text[start - 1] == b'\n';
    (line && &text[start..] == mark).then_some(start)
}

/// The mark of another request as the last line.
fn other_mark(text: &[u8], mark: &[u8]) -> Option<String> {
    let line = text.strip_suffix(b"\n")?;
    let start = line.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
    let line = &line[start..];
    (line.starts_with(b"{ready") && line != &mark[..mark.len() - 1])
        .then(|| String::from_utf8_lossy(line).into_owned())
}

fn find(text: &[u8], word: &[u8]) -> Option<usize> {
    text.windows(word.len()).position(|part| part == word)
}

fn cannot_start(program: &Path, e: std::io::Error) -> Error {
    let missing = e.kind() == std::io::ErrorKind::NotFound;
    let error = Error::io("start ExifTool", e).at_path(program);
    if missing {
        return error.hint(
            "it is the package libimage-exiftool-perl of Debian and Ubuntu, perl-Image-ExifTool of \
             Fedora, exiftool of Homebrew; or name the program with --exiftool or SOLIO_EXIFTOOL",
        );
    }
    error
}
