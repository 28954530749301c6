//! A file that appears at its path whole or not at all.
//!
//! Why it is made this way (338 MB on ext4, page cache, one thread; numbers from one run):
//!
//! * On Linux the new file has **no name** until it is complete (`O_TMPFILE`), so that not even
//!   SIGKILL leaves a part of one. Elsewhere it is `.NAME.solio-XXXXXX.tmp` beside the target,
//!   removed on error, panic and signal ([`crate::signals`]).
//! * A new target is linked directly. An existing one is **exchanged** with the complete file,
//!   and the old one, now under the temporary name, is unlinked: 0.01–0.07 s. SIGKILL between
//!   these calls leaves a whole file under that name; Linux has no single call for them. `rename` onto it
//!   takes 0.20 s more, because ext4 then starts writing everything back at once, as it does on
//!   `O_TRUNC` (0.10 s). What that would guard against, loss of power within seconds, is what
//!   `durable` is for.
//! * Symbolic links stay, their target is replaced; an existing file keeps its mode and owner.

use crate::engine::Handle;
use crate::sys;
use crate::{io_error, signals};
use solio_base::{Error, Result};
use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// A file under construction. Dropping it leaves the target as it was.
pub(crate) struct AtomicFile {
    pub(crate) file: Arc<Handle>,
    /// The target behind symbolic links.
    target: PathBuf,
    /// The name of the unfinished file, where it has one.
    temporary: Option<signals::Temporary>,
}

impl AtomicFile {
    /// Starts a file that is to appear at `path`.
    pub(crate) fn create(path: &Path) -> Result<Self> {
        let target = follow_links(path)?;
        crate::at_path(sys::check_new_name(&target), path)?;
        let old = std::fs::metadata(&target).ok();
        if old.is_some() {
            sys::may_write(&target).map_err(|e| io_error("replace", e, path))?;
        }
        let (file, temporary) = match sys::unnamed_file(folder(&target)) {
            Some(file) => (file, None),
            None => {
                let (file, temporary) = named(&target).map_err(|e| io_error("create", e, path))?;
                (file, Some(temporary))
            }
        };
        if let Some(old) = old {
            sys::keep_owner(&file, &old);
        }
        let file = Arc::new(Handle::new_file(file));
        Ok(AtomicFile { file, target, temporary })
    }

    /// Waits until the disk has the bytes of all files: at the same time, so that the journal and
    /// the disk's own cache are flushed for many together.
    pub(crate) fn sync_all(files: &[&AtomicFile]) -> Result<()> {
        const AT_ONCE: usize = 8;
        let next = AtomicUsize::new(0);
        let sync = || {
            while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                let synced = file.file.file().sync_all();
                synced.map_err(|e| io_error("sync", e, &file.target))?;
            }
            Ok(())
        };
        std::thread::scope(|scope| {
            let others = files.len().min(AT_ONCE).saturating_sub(1);
            // Where no more threads are to be had, fewer do it.
            let start = |_| std::thread::Builder::new().spawn_scoped(scope, sync).ok();
            let others: Vec<_> = (0..others).filter_map(start).collect();
            let own = sync();
            let others = others.into_iter().map(|other| other.join().expect("it cannot panic"));
            others.fold(own, Result::and)
        })
    }

    /// Puts the file in place.
    pub(crate) fn commit(mut self) -> Result<()> {
        self.put_in_place().map_err(|e| io_error("put in place", e, &self.target))
    }

    /// Gives the file its name, where nothing has that; else nothing of it is left.
    pub(crate) fn commit_new(mut self) -> std::io::Result<()> {
        let Some(temporary) = self.temporary.take() else { return self.link(&self.target) };
        sys::rename_new(temporary.path(), &self.target)?;
        temporary.forget();
        Ok(())
    }

    /// The folder that the file appears in.
    pub(crate) fn folder(&self) -> &Path {
        folder(&self.target)
    }

    fn put_in_place(&mut self) -> std::io::Result<()> {
        if self.temporary.is_none() {
            match self.link(&self.target) {
                Err(e) if e.kind() == ErrorKind::AlreadyExists => {}
                ended => return ended,
            }
            if let Some(ended) = sys::name_over(self.file.file(), &self.target) {
                return ended;
            }
            self.temporary = Some(at_new_name(&self.target, |name| self.link(name))?.1);
        }
        let temporary = self.temporary.take().expect("set above");
        if !sys::exchange(temporary.path(), &self.target) {
            std::fs::rename(temporary.path(), &self.target)?;
            temporary.forget();
        }
        // After an exchange the temporary name holds the old file: it is dropped here, which
        // unlinks it.
        Ok(())
    }

    /// Gives the unnamed file a name.
    fn link(&self, name: &Path) -> std::io::Result<()> {
        sys::name_file(self.file.file(), name)
    }
}

/// Waits until the disk has the names in a folder.
///
/// # Errors
/// `Io` where the folder is not there or the disk fails.
pub fn sync_folder(folder: &Path) -> Result<()> {
    let hint = "the new files are in place, but may not outlast a loss of power";
    let synced = sys::sync_folder(folder);
    synced.map_err(|e| Error::io("sync the folder", e).at_path(folder).hint(hint))
}

fn folder(target: &Path) -> &Path {
    match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// The file that `path` means, through any symbolic links, whether it exists or not.
fn follow_links(path: &Path) -> Result<PathBuf> {
    let mut target = path.to_owned();
    for _ in 0..40 {
        match std::fs::read_link(&target) {
            Ok(next) => target = folder(&target).join(next),
            Err(_) => return Ok(target),
        }
    }
    Err(Error::new(solio_base::ErrorKind::Io, "too many symbolic links").at_path(path))
}

fn named(target: &Path) -> std::io::Result<(File, signals::Temporary)> {
    at_new_name(target, sys::new_file)
}

/// Has `make` make a file under a temporary name that nothing has yet.
fn at_new_name<T>(
    target: &Path,
    make: impl Fn(&Path) -> std::io::Result<T>,
) -> std::io::Result<(T, signals::Temporary)> {
    loop {
        match signals::Temporary::make(temporary_name(target), &make) {
            Err(e) if e.kind() == ErrorKind::AlreadyExists => {}
            made => return made,
        }
    }
}

/// `.NAME.solio-XXXXXX.tmp` beside the target; another one at each call.
fn temporary_name(target: &Path) -> PathBuf {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    // Never the same twice in a process, and different processes start far apart; whoever meets
    // a name that exists asks again.
    let seed = u64::from(std::process::id()) << 32 | COUNT.fetch_add(1, Ordering::Relaxed);
    let mixed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mut name = std::ffi::OsString::from(".");
    // Keep within the 255 bytes of a file name: the tag below needs 18.
    let stem = target.file_name().unwrap_or_default().to_string_lossy();
    name.push(stem.chars().take(50).collect::<String>());
    name.push(format!(".solio-{:06x}.tmp", mixed >> 40));
    folder(target).join(name)
}
