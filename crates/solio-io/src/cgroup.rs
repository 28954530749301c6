//! Slowing the medium down for one command, by the system's own throttle, and counting what the
//! command read. Linux, and root for the throttle.

use crate::io_error;
use crate::sys;
use solio_base::{Error, Result};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// A control group whose members read at most so many bytes a second from one device.
///
/// ```no_run
/// use solio_io::cgroup::Throttle;
/// use std::process::Command;
/// # let shots = std::path::Path::new("/mnt/shots");
/// // The disk below the shots gives this command 100 MB/s.
/// let disk = Throttle::new(shots, Some(100_000_000))?;
/// let mut child = disk.start(Command::new("md5sum").arg(shots.join("a.exr")))?;
/// assert!(child.wait()?.success());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Throttle {
    group: PathBuf,
}

impl Throttle {
    /// A group for the device below `path`; without a `bandwidth` it limits nothing.
    ///
    /// ```
    /// use solio_io::cgroup::Throttle;
    /// # let folder = tempfile::tempdir().unwrap();
    /// let missing = folder.path().join("not-mounted");
    /// // The device is looked up first.
    /// let error = Throttle::new(&missing, None).err().unwrap();
    /// assert!(error.is_missing());
    /// assert_eq!(error.path(), Some(&*missing));
    /// ```
    pub fn new(path: &Path, bandwidth: Option<u64>) -> Result<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let stat = sys::stat(path).map_err(|e| io_error("look at", e.into(), path))?;
        sys::check_groups()?;
        let device = whole_disk(sys::device_of(&stat));
        let name = format!("solio-{}-{}", std::process::id(), COUNT.fetch_add(1, Relaxed));
        let first = Path::new("/sys/fs/cgroup/blkio");
        let second = Path::new("/sys/fs/cgroup");
        let (root, file, line) = if first.is_dir() {
            let line = bandwidth.map(|b| format!("{device} {b}"));
            (first, "blkio.throttle.read_bps_device", line)
        } else {
            (second, "io.max", bandwidth.map(|b| format!("{device} rbps={b}")))
        };
        if root == second {
            // Groups below have what the one above gives them; where it does not, setting fails.
            let _ = write(&root.join("cgroup.subtree_control"), "+io");
        }
        let group = root.join(name);
        std::fs::create_dir(&group).map_err(|e| {
            io_error("make a control group", e, &group)
                .hint("the system's throttle needs root; commands of Solio need none of it")
        })?;
        let throttle = Throttle { group };
        if let Some(line) = line {
            write(&throttle.group.join(file), &line)?;
        }
        Ok(throttle)
    }

    /// Starts a command inside the group.
    ///
    /// ```no_run
    /// use std::process::Command;
    /// # let disk = solio_io::cgroup::Throttle::new("/mnt".as_ref(), Some(50_000_000))?;
    /// // Both together read at most what the group may.
    /// let mut one = disk.start(Command::new("wc").arg("/mnt/a.exr"))?;
    /// let mut other = disk.start(Command::new("wc").arg("/mnt/b.exr"))?;
    /// assert!(one.wait()?.success() && other.wait()?.success());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn start(&self, command: &mut Command) -> std::io::Result<Child> {
        sys::start_in_group(command, self.group.join("cgroup.procs"))
    }

    /// Removes the group; a process that is left goes back to the group above.
    ///
    /// ```no_run
    /// # let shots = std::path::Path::new("/mnt/shots");
    /// // From slow to fast, each with a group of its own.
    /// for rate in [10_000_000, 100_000_000] {
    ///     let disk = solio_io::cgroup::Throttle::new(shots, Some(rate))?;
    ///     let mut child = disk.start(std::process::Command::new("ls").arg(shots))?;
    ///     assert!(child.wait()?.success());
    ///     disk.remove();
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn remove(self) {}
}

impl Drop for Throttle {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir(&self.group);
    }
}

#[allow(clippy::disallowed_methods)] // a knob of the system, not a file
fn write(path: &Path, line: &str) -> Result<()> {
    std::fs::write(path, line).map_err(|e| io_error("set", e, path))
}

/// `MAJOR:MINOR` of the disk that a device is a part of: only whole disks are throttled.
fn whole_disk(device: u64) -> String {
    let name = format!("{}:{}", sys::major(device), sys::minor(device));
    let folder = PathBuf::from(format!("/sys/dev/block/{name}"));
    if !folder.join("partition").exists() {
        return name;
    }
    let disk = std::fs::canonicalize(&folder).ok().and_then(|f| Some(f.parent()?.join("dev")));
    let disk = disk.and_then(|path| std::fs::read_to_string(path).ok());
    disk.map_or(name, |text| text.trim().to_owned())
}

/// Writes what is dirty and drops the system's page cache.
///
/// ```no_run
/// use solio_io::cgroup::empty_page_cache;
/// # let path = std::path::Path::new("/mnt/shots/a.exr");
/// // Cold, then warm.
/// empty_page_cache()?;
/// for _ in 0..2 {
///     let begun = std::time::Instant::now();
///     let status = solio_io::read_raw(path, &Default::default(), |_| Ok(()))?;
///     println!("{} bytes in {:?}", status.size, begun.elapsed());
/// }
/// # Ok::<(), solio_base::Error>(())
/// ```
pub fn empty_page_cache() -> Result<()> {
    sys::check_groups()?;
    sys::write_all_back();
    write(Path::new("/proc/sys/vm/drop_caches"), "3")
        .map_err(|e: Error| e.hint("only root may empty the page cache"))
}

/// Bytes that a process read.
///
/// ```
/// use solio_io::cgroup::ReadCounts;
/// let counts = ReadCounts { from_files: 80_000_000, from_medium: 20_000_000 };
/// let cached = 1.0 - counts.from_medium as f64 / counts.from_files as f64;
/// assert_eq!(cached, 0.75);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadCounts {
    /// By all its reads.
    pub from_files: u64,
    /// Those that the page cache did not have.
    pub from_medium: u64,
}

/// Waits for a process, and counts what it read: that is known until its end is taken note of.
///
/// ```
/// use std::process::{Command, Stdio};
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("mesh.obj");
/// solio_io::probe::write_plain(&path, &[b'\n'; 50_000])?;
/// let mut child = Command::new("wc").arg("-l").arg(&path).stdout(Stdio::null()).spawn()?;
/// let (status, counts) = solio_io::cgroup::wait_and_count(&mut child)?;
/// assert!(status.success());
/// // Not every system counts.
/// assert!(counts.is_none_or(|counts| counts.from_files >= 50_000));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn wait_and_count(child: &mut Child) -> std::io::Result<(ExitStatus, Option<ReadCounts>)> {
    let counts = sys::wait_for_counts(child)?;
    let counts = counts.map(|(from_files, from_medium)| ReadCounts { from_files, from_medium });
    Ok((child.wait()?, counts))
}
