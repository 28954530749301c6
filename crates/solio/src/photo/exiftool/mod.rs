//! ExifTool as a second reader of metadata: a pool of its processes, each kept open.
//!
//! Starting Perl costs twenty times as much as reading a file; a process that stays open reads
//! them as fast as one run over all. Each request is for one file and its answer is matched by the
//! request's number, never by the name printed: names that are not valid UTF-8 are printed as something
//! else. Names that a list of arguments cannot hold go to a process of their own, as arguments.
//!
//! A process that hangs, dies or answers nonsense costs its file an error, and is replaced.

mod answer;
mod process;
mod request;
// What answers there is a script of the shell.
#[cfg(all(test, unix))]
mod tests;

pub(crate) use request::Ask;

use process::Process;
use solio_base::{Cancel, Error, ErrorKind, Result, lock};
use solio_photo::Metadata;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// So many failures in a row with processes that never answered: the program is not ExifTool.
const MOST_FAILURES: usize = 3;

/// How ExifTool is run.
///
/// ```
/// use solio::{ExifTool, ExifToolOptions};
/// // One that was unpacked by hand, and that may take no more than five seconds for a file.
/// let program = "/opt/none/exiftool".into();
/// let options = ExifToolOptions { program, timeout_s: 5.0, ..ExifToolOptions::default() };
/// // There is none here: the error has its path.
/// let error = ExifTool::new(options).err().unwrap();
/// assert!(error.is_missing());
/// assert_eq!(error.path().unwrap().to_str(), Some("/opt/none/exiftool"));
/// ```
#[derive(Clone, Debug)]
pub struct ExifToolOptions {
    /// The program.
    pub program: PathBuf,
    /// Numbers instead of words (`-n`).
    pub numbers: bool,
    /// How long a file may take.
    pub timeout_s: f64,
}

impl Default for ExifToolOptions {
    /// The program that the environment variable SOLIO_EXIFTOOL names, or `exiftool`.
    fn default() -> Self {
        let program = std::env::var_os("SOLIO_EXIFTOOL").filter(|name| !name.is_empty());
        let program = program.unwrap_or_else(|| OsString::from("exiftool")).into();
        ExifToolOptions { program, numbers: false, timeout_s: 60.0 }
    }
}

/// A pool of ExifTool processes; as many run as there are threads that ask.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("photo.tif");
/// # let tiff = b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0";
/// # solio::write_bytes(&path, tiff)?;
/// # let (limits, work) = (solio::Limits::default(), solio::Work::default());
/// use solio::photo::Fields;
/// use solio::{ExifTool, ExifToolOptions, read_metadata};
/// let ours = read_metadata(&path, &Fields::of(["Orientation"]), &limits, &work)?;
/// let words = ours.get("Orientation").unwrap().text().plain();
/// assert_eq!(words, "Rotate 90 CW");
/// // A second opinion, where ExifTool is installed.
/// if let Ok(exiftool) = ExifTool::new(ExifToolOptions::default()) {
///     let theirs = exiftool.read(&path, &["Orientation".into()], &work.cancel)?;
///     assert_eq!(theirs.get("Orientation").unwrap().text().plain(), words);
/// }
/// # Ok::<(), solio::Error>(())
/// ```
pub struct ExifTool {
    options: ExifToolOptions,
    idle: Mutex<Vec<Process>>,
    /// Files that failed since a process last answered.
    failures: AtomicUsize,
    ever_answered: AtomicUsize,
}

impl ExifTool {
    /// Starts the first process.
    ///
    /// ```
    /// use solio::{ExifTool, ExifToolOptions};
    /// match ExifTool::new(ExifToolOptions::default()) {
    ///     Ok(_) => println!("photos are read by ExifTool"),
    ///     // Its hint names the package to install.
    ///     Err(error) => assert!(error.hint_text().unwrap().contains("libimage-exiftool-perl")),
    /// }
    /// ```
    ///
    /// # Errors
    /// Where ExifTool is not installed, or cannot be started.
    pub fn new(options: ExifToolOptions) -> Result<Self> {
        let pool = ExifTool {
            options,
            idle: Mutex::default(),
            failures: AtomicUsize::new(0),
            ever_answered: AtomicUsize::new(0),
        };
        let first = pool.start()?;
        pool.put_back(first);
        Ok(pool)
    }

    /// All tags of the file at `path`, or those named. `-` is standard input.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let path = folder.path().join("photo.tif");
    /// # let tiff = b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0";
    /// # solio::write_bytes(&path, tiff)?;
    /// use solio::{Cancel, ExifTool, ExifToolOptions};
    /// let options = ExifToolOptions { numbers: true, ..ExifToolOptions::default() };
    /// // One for all files; threads share it.
    /// let exiftool = match ExifTool::new(options) {
    ///     Ok(exiftool) => exiftool,
    ///     Err(error) if error.is_missing() => return Ok(()),
    ///     Err(error) => return Err(error),
    /// };
    /// let metadata = exiftool.read(&path, &["IFD0:Orientation".into()], &Cancel::default())?;
    /// assert_eq!(metadata.get("Orientation").unwrap().number().integer(0), Some(6));
    /// # Ok::<(), solio::Error>(())
    /// ```
    pub fn read(&self, path: &Path, fields: &[String], cancel: &Cancel) -> Result<Metadata> {
        let ask = if fields.is_empty() { Ask::All } else { Ask::Fields(fields) };
        self.ask(path, ask, cancel)
    }

    /// What is asked of the file at `path`.
    pub(crate) fn ask(&self, path: &Path, ask: Ask<'_>, cancel: &Cancel) -> Result<Metadata> {
        self.answer(path, ask, cancel).map_err(|e| e.at_path(path))
    }

    fn answer(&self, path: &Path, ask: Ask<'_>, cancel: &Cancel) -> Result<Metadata> {
        let arguments = ask.arguments(self.options.numbers);
        if path.as_os_str() == solio_io::STANDARD {
            return self.alone(path.as_os_str().to_owned(), arguments, Stdio::inherit(), cancel);
        }
        // It would read all files of a folder, and calls by other names what cannot be read.
        let about = std::fs::metadata(path).map_err(|e| Error::io("open", e))?;
        if about.is_dir() {
            return Err(Error::new(ErrorKind::Io, "cannot open: this is a directory"));
        }
        let Some(lines) = request::lines(path, &arguments) else {
            return self.alone(request::protected(path), arguments, Stdio::null(), cancel);
        };
        if self.ever_answered.load(Relaxed) == 0 && self.failures.load(Relaxed) >= MOST_FAILURES {
            let program = self.options.program.display();
            return Err(Error::unsupported(format!("{program} does not answer as ExifTool does")));
        }
        let mut process = self.take()?;
        let answer = process.ask(&lines, self.options.timeout_s, cancel);
        match answer {
            Ok(answer) => {
                self.put_back(process);
                let read = answer::metadata(&answer.text, &answer.complaint);
                let nonsense = read.as_ref().is_err_and(|e| e.kind() == ErrorKind::Corrupt);
                _ = if nonsense { &self.failures } else { &self.ever_answered }
                    .fetch_add(1, Relaxed);
                read
            }
            // The process ends here; the next file gets another one.
            Err(e) => {
                self.failures.fetch_add(1, Relaxed);
                Err(e)
            }
        }
    }

    /// A process for one file, which is named by an argument.
    fn alone(
        &self,
        name: OsString,
        arguments: Vec<String>,
        input: Stdio,
        cancel: &Cancel,
    ) -> Result<Metadata> {
        let arguments = arguments.into_iter().map(OsString::from).chain([name]);
        let process = Process::start(&self.options.program, arguments, input)?;
        let answer = process.all(self.options.timeout_s, cancel)?;
        answer::metadata(&answer.text, &answer.complaint)
    }

    fn start(&self) -> Result<Process> {
        let arguments = ["-stay_open", "True", "-@", "-"];
        Process::start(&self.options.program, arguments, Stdio::piped())
    }

    /// A process that waits for a request; one that has ended meanwhile is not taken.
    fn take(&self) -> Result<Process> {
        let idle = || lock(&self.idle).pop();
        while let Some(mut process) = idle() {
            if process.is_alive() {
                return Ok(process);
            }
        }
        self.start()
    }

    fn put_back(&self, process: Process) {
        lock(&self.idle).push(process);
    }
}
