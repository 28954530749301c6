//! Holding the reads of any command to a rate, or counting them, and taking files out of the page cache: for
//! studies of slower media.

use crate::{io_error, sys};
use solio_base::{Error, Result};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

/// What a command read from regular files, by its calls and its maps, with all that it started.
///
/// ```
/// use solio_io::held::HeldReads;
/// let files = vec![("a.exr".into(), 900), ("b.exr".into(), 100)];
/// let reads = HeldReads { bytes: 1000, mapped_bytes: 900, calls: 7, files };
/// // Most came by a map, whose pages are read when they are touched.
/// assert!(reads.mapped_bytes * 2 > reads.bytes);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HeldReads {
    /// All bytes; what was read twice counts twice.
    pub bytes: u64,
    /// Those of maps: whole, whatever was touched of them. Maps of code, and of files of the system, are not
    /// counted.
    pub mapped_bytes: u64,
    /// Calls that were asked about, those of pipes and terminals among them.
    pub calls: u64,
    /// Each file with its bytes, in the order of their first reads.
    pub files: Vec<(PathBuf, u64)>,
}

/// A command whose reads are held.
///
/// ```no_run
/// use std::process::Command;
/// let held = solio_io::held::start(Command::new("cat").arg("a.exr"), Some(50_000_000))?;
/// let (mut child, reads) = (held.child, held.reads);
/// assert!(child.wait()?.success());
/// println!("{} bytes", reads.finish().bytes);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct HeldChild {
    /// The process.
    pub child: Child,
    /// What answers for its reads.
    pub reads: Reads,
}

/// Answers for the reads of a command until it has ended.
pub struct Reads(sys::HeldProcess);

impl Reads {
    /// What was read; called when the command has ended. What it left running is held no more.
    ///
    /// ```no_run
    /// # use std::process::Command;
    /// let held = solio_io::held::start(&mut Command::new("true"), None)?;
    /// let mut child = held.child;
    /// child.wait()?;
    /// assert_eq!(held.reads.finish().mapped_bytes, 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn finish(self) -> HeldReads {
        self.0.finish()
    }
}

/// Starts `command` and holds its reads, with those of all that it starts, to so many bytes a second; without a
/// rate they are counted alone. Wants no rights: Linux asks this process before each of them. Programs that
/// get more rights by being started, such as `sudo`, do not get them.
///
/// ```no_run
/// use std::process::Command;
/// // Nothing is saved up: the first byte is held like the last.
/// let begun = std::time::Instant::now();
/// let mut held = solio_io::held::start(Command::new("cat").arg("2-MB-file"), Some(10_000_000))?;
/// held.child.wait()?;
/// assert!(begun.elapsed().as_secs_f64() >= 0.2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// `Unsupported` where the system has no such thing or refuses it; otherwise those of starting a command.
pub fn start(command: &mut Command, bytes_per_second: Option<u64>) -> Result<HeldChild> {
    let program = PathBuf::from(command.get_program());
    let started = sys::start_held(command, bytes_per_second);
    let (child, process) = started.map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound | std::io::ErrorKind::PermissionDenied => {
            io_error("start the command", e, &program)
        }
        _ => Error::unsupported(format!("this system does not let reads be held ({e})")),
    })?;
    Ok(HeldChild { child, reads: Reads(process) })
}

/// Takes a file out of the page cache, where the system can; what was not on its medium yet goes there first.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("a.exr");
/// # solio_io::probe::write_plain(&path, &[0; 5000])?;
/// // From here on the first read is a cold one.
/// solio_io::held::drop_from_cache(&path)?;
/// assert_eq!(std::fs::metadata(&path).unwrap().len(), 5000);
/// # Ok::<(), solio_base::Error>(())
/// ```
#[allow(clippy::disallowed_methods)] // nothing is read of it
pub fn drop_from_cache(path: &Path) -> Result<()> {
    let file = std::fs::File::open(path).map_err(|e| io_error("open", e, path))?;
    // What is to be written yet stays; where nothing is, this costs nothing.
    let _ = file.sync_data();
    sys::drop_from_cache(&file);
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::print_stdout)] // tests say what they skip
    use super::*;
    use std::process::Stdio;

    /// Bytes, a second, and seconds of a command that reads two files by shell.
    fn held(script: &str, rate: Option<u64>) -> Option<(HeldReads, f64)> {
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes) in [("a", 300_000), ("b", 100_000)] {
            crate::probe::write_plain(&folder.path().join(name), &vec![7; bytes]).unwrap();
        }
        let watch = solio_measure::Stopwatch::start();
        let mut command = Command::new("sh");
        command.args(["-c", script]).current_dir(folder.path()).stdout(Stdio::null());
        let mut held = match start(&mut command, rate) {
            Ok(held) => held,
            Err(error) => {
                println!("skipped: {error}");
                return None;
            }
        };
        assert!(held.child.wait().unwrap().success());
        let wall_s = watch.wall_s();
        Some((held.reads.finish(), wall_s))
    }

    fn bytes_of(reads: &HeldReads, name: &str) -> u64 {
        let is = |path: &Path| path.file_name().is_some_and(|last| last == name);
        reads.files.iter().filter(|(path, _)| is(path)).map(|(_, bytes)| bytes).sum()
    }

    #[test]
    fn any_command_is_held_from_its_first_byte_on() {
        // 400 kB at 1 MB/s, by two processes one after the other.
        let Some((reads, wall_s)) = held("cat a > /dev/null; cat b > /dev/null", Some(1_000_000))
        else {
            return;
        };
        assert_eq!((bytes_of(&reads, "a"), bytes_of(&reads, "b")), (300_000, 100_000));
        assert!(wall_s >= 0.4, "{wall_s}");
        assert!(reads.bytes as f64 / wall_s <= 1_000_000.0, "{reads:?} {wall_s}");
    }

    #[test]
    fn two_at_once_share_the_rate_and_pipes_are_free() {
        let script = "cat a > /dev/null & cat b | cat > /dev/null; wait";
        let Some((reads, wall_s)) = held(script, Some(2_000_000)) else { return };
        assert_eq!(bytes_of(&reads, "a") + bytes_of(&reads, "b"), 400_000);
        assert!(wall_s >= 0.2, "{wall_s}");
    }

    #[test]
    fn without_a_rate_reads_are_counted() {
        let Some((reads, _)) = held("head -c 1000 a; tail -c 10 b", None) else { return };
        assert!((1..=300_000).contains(&bytes_of(&reads, "a")), "{reads:?}");
        assert!(bytes_of(&reads, "b") > 0 && reads.calls > 0);
        let missing = start(&mut Command::new("/no/such/command"), None).err();
        assert!(missing.is_some_and(|error| error.to_string().contains("cannot start")));
    }
}
