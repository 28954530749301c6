//! A peer: a program that reads and writes images when a line asks for it.
//!
//! `hello` gives its version, `memory` (it reads into memory that is there already), `fresh` (it
//! makes new memory) or `file` (it knows files only), and its methods; `forget` drops all
//! images, `image PATH` loads the next; `write INDEX METHOD THREADS memory|file PATH` and `read INDEX THREADS memory|file
//! PATH` answer with wall seconds, CPU seconds, and the bytes written or the sum of the pixels.

use solio::{Error, Result, Usage};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Speaks for the Python packages.
const PYTHON_PEER: &str = include_str!("peer.py");

/// Whether bytes lie in memory or in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PeerStorage {
    Memory,
    File,
}

impl PeerStorage {
    pub(super) fn name(self) -> &'static str {
        match self {
            PeerStorage::Memory => "memory",
            PeerStorage::File => "file",
        }
    }
}

/// A peer that runs.
pub(super) struct Peer {
    pub(super) name: String,
    pub(super) version: String,
    pub(super) in_memory: bool,
    /// It reads into memory that is there already.
    pub(super) prepared: bool,
    pub(super) methods: Vec<String>,
    child: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
}

/// What a peer took, and what it found.
pub(super) struct PeerResult {
    pub(super) usage: Usage,
    /// Bytes written, or the sum of the pixels.
    pub(super) found: u64,
}

impl Peer {
    /// Starts `command`, which is called `name`.
    pub(super) fn start(name: &str, command: &mut Command) -> Result<Peer> {
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let failed = |e| Error::io("start the peer", e);
        let mut child = child.spawn().map_err(failed)?;
        let (Some(to), Some(from)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Error::unsupported("the peer has no pipes"));
        };
        let from = BufReader::new(from);
        let mut peer = Peer {
            name: name.to_owned(),
            version: String::new(),
            in_memory: false,
            prepared: false,
            methods: Vec::new(),
            child,
            to: Some(to),
            from,
        };
        let hello = peer.ask("hello")?;
        let mut words = hello.split_whitespace();
        peer.version = words.next().unwrap_or_default().to_owned();
        let place = words.next();
        peer.in_memory = place != Some("file");
        peer.prepared = place == Some("memory");
        peer.methods = words.map(str::to_owned).collect();
        Ok(peer)
    }

    /// The peers of the Python at `python` that are installed there: a name and a peer, or why
    /// not.
    pub(super) fn of_python(python: &Path) -> Vec<(&'static str, Result<Peer>)> {
        let start = |(name, package): (&'static str, &str)| {
            let mut command = Command::new(python);
            (name, Peer::start(name, command.args(["-c", PYTHON_PEER, package])))
        };
        [("OpenEXR (Python)", "openexr"), ("OpenImageIO (Python)", "oiio")].map(start).into()
    }

    /// Drops all images.
    pub(super) fn forget(&mut self) -> Result<()> {
        self.ask("forget").map(drop)
    }

    /// Loads the next image.
    pub(super) fn image(&mut self, path: &Path) -> Result<u64> {
        let answer = self.ask(&format!("image {}", path.display()))?;
        answer.parse().map_err(|_| self.unclear(&answer))
    }

    /// Writes an image.
    pub(super) fn write(
        &mut self,
        index: usize,
        method: &str,
        threads: usize,
        place: PeerStorage,
        path: &Path,
    ) -> Result<PeerResult> {
        let (place, path) = (place.name(), path.display());
        self.work(&format!("write {index} {method} {threads} {place} {path}"))
    }

    /// Reads an image, whole or (`word` is `rows`) row by row.
    pub(super) fn read(
        &mut self,
        word: &str,
        index: usize,
        threads: usize,
        place: PeerStorage,
        path: &Path,
    ) -> Result<PeerResult> {
        let (place, path) = (place.name(), path.display());
        self.work(&format!("{word} {index} {threads} {place} {path}"))
    }

    fn work(&mut self, line: &str) -> Result<PeerResult> {
        let answer = self.ask(line)?;
        let words: Vec<&str> = answer.split_whitespace().collect();
        let parsed = || {
            let [wall_s, cpu_s, found] = words[..] else { return None };
            let usage = Usage { wall_s: wall_s.parse().ok()?, cpu_s: cpu_s.parse().ok()? };
            Some(PeerResult { usage, found: found.parse().ok()? })
        };
        parsed().ok_or_else(|| self.unclear(&answer))
    }

    fn ask(&mut self, line: &str) -> Result<String> {
        let failed = |e| Error::io("ask the peer", e);
        if let Some(to) = &mut self.to {
            writeln!(to, "{line}").and_then(|()| to.flush()).map_err(failed)?;
        }
        let mut answer = String::new();
        self.from.read_line(&mut answer).map_err(failed)?;
        let answer = answer.trim();
        if answer.is_empty() || answer.starts_with("error:") {
            let why = answer.trim_start_matches("error:").trim();
            let why = if why.is_empty() { "it ended" } else { why };
            return Err(Error::unsupported(format!("{}: {why}", self.name)));
        }
        Ok(answer.to_owned())
    }

    fn unclear(&self, answer: &str) -> Error {
        Error::unsupported(format!("{}: unclear answer {answer:?}", self.name))
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // A peer ends with its input.
        self.to = None;
        let _ = self.child.wait();
    }
}
