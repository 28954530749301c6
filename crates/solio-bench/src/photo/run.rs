//! One way to read the files: a command, run as people run it, from its start to its end.

use solio::{Error, ErrorKind, Result, Stopwatch, Usage, children_cpu_s};
use std::ffi::OsString;
use std::process::{Command, Stdio};

/// A command that reads all files.
pub(super) struct PhotoReader {
    pub(super) name: String,
    program: OsString,
    arguments: Vec<OsString>,
}

/// What a run took.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ReaderResult {
    pub(super) usage: Usage,
    /// Bytes that it read, where the system tells.
    pub(super) read_bytes: Option<u64>,
}

impl PhotoReader {
    pub(super) fn new(
        name: impl Into<String>,
        program: impl Into<OsString>,
        arguments: impl IntoIterator<Item = impl Into<OsString>>,
    ) -> PhotoReader {
        let arguments = arguments.into_iter().map(Into::into).collect();
        PhotoReader { name: name.into(), program: program.into(), arguments }
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).stdin(Stdio::null()).stderr(Stdio::null());
        command
    }

    fn failed(&self, e: std::io::Error) -> Error {
        Error::io("start", e).at_path(&self.program)
    }

    /// Runs it; what it prints is thrown away.
    pub(super) fn run(&self) -> Result<ReaderResult> {
        let (cpu_s, watch) = (children_cpu_s(), Stopwatch::start());
        let mut child = self.command().stdout(Stdio::null()).spawn().map_err(|e| self.failed(e))?;
        let ended = solio_io::cgroup::wait_and_count(&mut child);
        let wall_s = watch.wall_s();
        let (status, counts) = ended.map_err(|e| self.failed(e))?;
        // Files that cannot be read are part of the work: a list of them may make it fail.
        if status.code().is_none_or(|code| code > 1) {
            let message = format!("{} failed ({status})", self.name);
            return Err(Error::new(ErrorKind::Io, message));
        }
        let usage = Usage { wall_s, cpu_s: children_cpu_s() - cpu_s };
        Ok(ReaderResult { usage, read_bytes: counts.map(|counts| counts.from_files) })
    }

    /// What it prints.
    pub(super) fn output(&self) -> Result<Vec<u8>> {
        Ok(self.command().output().map_err(|e| self.failed(e))?.stdout)
    }
}
