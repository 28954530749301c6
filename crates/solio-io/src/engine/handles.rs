//! Open files, and those kept open for the next range of the same file.

use super::path_keys::{Folds, PathNames};
use crate::sys::{self, AsFd, BorrowedFd, Mode, OFlags, OwnedFd, Residency, residency};
use crate::{io_error, long_path};
use siphasher::sip128::{Hasher128, SipHasher13};
use solio_base::{Error, ErrorKind, Result, lock, named_enum};
use std::collections::{HashMap, VecDeque};
use std::fs::File;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// An open regular file.
#[derive(Debug)]
pub(crate) struct Handle {
    file: Option<File>,
    pub(crate) bytes: u64,
    /// Device and inode: whether a path still means this file.
    identity: (u64, u64),
    /// Whether its reads go past the page cache.
    direct: AtomicBool,
    /// Whether that tells what the page cache has of the file.
    looked_at: bool,
}

/// Whether reads of a file go past the page cache.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bypass {
    pub(crate) direct: Direct,
    /// Of smaller files `Direct::Auto` takes it for granted that the page cache has them.
    pub(crate) ask_from: u64,
}

named_enum! {
    /// When reads go past the page cache.
    #[derive(Default)]
    pub enum Direct {
        /// For what is not in the page cache.
        #[default]
        Auto = "auto",
        /// Never: what is read stays in the page cache for the next reader.
        Never = "never",
        /// Always, where the file system can.
        Always = "always",
    }

    /// The name that `--direct` takes.
    pub fn name;
}

impl Handle {
    /// Opens a file, with one `open`, one `fstat` and, for `Direct::Auto`, one `cachestat`.
    pub(crate) fn open(path: &Path, bypass: Bypass) -> Result<Self> {
        // Opening a pipe would wait for its writer.
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let open =
            |folder: BorrowedFd<'_>, path: &Path| sys::openat(folder, path, flags, Mode::empty());
        let file = long_path::at(path, open).map_err(|e| io_error("open", e.into(), path))?;
        Handle::of(file, path, bypass)
    }

    /// The file at `path`, which has just been opened.
    pub(crate) fn of(file: OwnedFd, path: &Path, bypass: Bypass) -> Result<Self> {
        let stat = sys::fstat(&file).map_err(|e| io_error("read", e.into(), path))?;
        let kind = sys::FileType::from_raw_mode(stat.st_mode);
        if !kind.is_file() {
            let message = if kind.is_dir() {
                "cannot read: this is a directory"
            } else {
                "cannot read: this is not a regular file"
            };
            return Err(Error::new(ErrorKind::Io, message).at_path(path));
        }
        let bytes = stat.st_size as u64;
        let looked_at = bypass.direct != Direct::Auto || bytes >= bypass.ask_from;
        let cold = match bypass.direct {
            Direct::Never => false,
            Direct::Always => true,
            Direct::Auto => looked_at && residency(file.as_fd(), 0, bytes) == Residency::Cold,
        };
        let direct = cold && sys::set_direct(&file, true);
        Ok(Handle {
            file: Some(file.into()),
            bytes,
            identity: (sys::device_of(&stat), stat.st_ino),
            direct: AtomicBool::new(direct),
            looked_at,
        })
    }

    /// A file that this process makes.
    pub(crate) fn new_file(file: File) -> Self {
        Handle {
            file: Some(file),
            bytes: 0,
            identity: (0, 0),
            direct: AtomicBool::new(false),
            looked_at: false,
        }
    }

    /// A file that the simulator has made up.
    #[cfg(test)]
    pub(crate) fn simulated(bytes: u64) -> Self {
        Handle {
            file: None,
            bytes,
            identity: (0, 0),
            direct: AtomicBool::new(false),
            looked_at: true,
        }
    }

    pub(crate) fn file(&self) -> &File {
        self.file.as_ref().expect("only the simulator has files without a descriptor")
    }

    pub(crate) fn is_direct(&self) -> bool {
        self.direct.load(Ordering::Relaxed)
    }

    pub(crate) fn was_looked_at(&self) -> bool {
        self.looked_at
    }

    /// The file system takes the flag but not the reads.
    pub(crate) fn stop_direct(&self) {
        sys::set_direct(self.file(), false);
        self.direct.store(false, Ordering::Relaxed);
    }
}

/// Keeps files open of which ranges were read, within a bound, the least recently used last.
///
/// The key is a 128-bit hash of the path, folded where the medium folds, with a seed of the
/// process; a hit counts only if the whole (folded) path is the same and still means the same file.
pub(crate) struct Handles {
    cache: Mutex<Cache>,
    names: PathNames,
    seed: (u64, u64),
}

/// A file that is kept open.
struct KeptHandle {
    /// Its path, folded where the medium folds.
    name: Box<[u8]>,
    handle: Arc<Handle>,
    used: u64,
}

struct Cache {
    known: HashMap<u128, KeptHandle>,
    /// Keys with the time of their use; those that were used again later are passed over.
    uses: VecDeque<(u128, u64)>,
    time: u64,
    most: usize,
}

impl Handles {
    pub(crate) fn new(most: usize) -> Self {
        Handles::with(most, sys::folds)
    }

    /// With an answer of which folders fold.
    fn with(most: usize, folds: Folds) -> Self {
        let random = RandomState::new();
        Handles {
            cache: Mutex::new(Cache {
                known: HashMap::new(),
                uses: VecDeque::new(),
                time: 0,
                most,
            }),
            names: PathNames::new(folds),
            seed: (random.hash_one(0), random.hash_one(1)),
        }
    }

    fn key(&self, name: &[u8]) -> u128 {
        let mut hasher = SipHasher13::new_with_keys(self.seed.0, self.seed.1);
        hasher.write(name);
        hasher.finish128().as_u128()
    }

    /// The file at `path`; `keep` says whether more of it will be asked for later.
    pub(crate) fn open(&self, path: &Path, bypass: Bypass, keep: bool) -> Result<Arc<Handle>> {
        if !keep {
            return Ok(Arc::new(Handle::open(path, bypass)?));
        }
        let name = self.names.of(path);
        let key = self.key(&name);
        if let Some(handle) = self.find(key, &name) {
            let same = sys::stat(path).is_ok_and(|s| {
                (sys::device_of(&s), s.st_ino) == handle.identity
                    && s.st_size as u64 == handle.bytes
            });
            if same && !(handle.is_direct() && bypass.direct == Direct::Never) {
                return Ok(handle);
            }
        }
        let handle = Arc::new(Handle::open(path, bypass)?);
        lock(&self.cache).add(key, &name, handle.clone());
        Ok(handle)
    }

    fn find(&self, key: u128, name: &[u8]) -> Option<Arc<Handle>> {
        let mut cache = lock(&self.cache);
        cache.time += 1;
        let time = cache.time;
        let known = cache.known.get_mut(&key).filter(|known| *known.name == *name)?;
        known.used = time;
        let handle = known.handle.clone();
        cache.uses.push_back((key, time));
        cache.shrink();
        Some(handle)
    }

    /// Closes all that nobody reads from: the process has no descriptors left.
    pub(crate) fn clear(&self) {
        let mut cache = lock(&self.cache);
        cache.known.clear();
        cache.uses.clear();
    }
}

impl Cache {
    fn add(&mut self, key: u128, name: &[u8], handle: Arc<Handle>) {
        self.time += 1;
        self.known.insert(key, KeptHandle { name: name.into(), handle, used: self.time });
        self.uses.push_back((key, self.time));
        self.shrink();
    }

    fn shrink(&mut self) {
        while self.known.len() > self.most || self.uses.len() > 4 * self.most + 4 {
            let Some((key, time)) = self.uses.pop_front() else { return };
            match self.known.get(&key) {
                Some(known) if known.used == time => {
                    if self.known.len() > self.most {
                        self.known.remove(&key);
                    } else {
                        self.uses.push_back((key, time));
                        return;
                    }
                }
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEVER: Bypass = Bypass { direct: Direct::Never, ask_from: 1 };

    #[test]
    fn keeps_few_files_open_and_sees_a_replaced_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = |i: usize| folder.path().join(format!("{i}"));
        for i in 0..50 {
            crate::probe::write_plain(&path(i), &vec![1; i + 1]).unwrap();
        }
        let handles = Handles::new(4);
        for round in 0..3 {
            for i in 0..50 {
                assert_eq!(handles.open(&path(i), NEVER, true).unwrap().bytes, i as u64 + 1);
                assert_eq!(handles.open(&path(0), NEVER, true).unwrap().bytes, 1);
                assert!(handles.cache.lock().unwrap().known.len() <= 4, "{round}");
                assert!(handles.cache.lock().unwrap().uses.len() <= 20, "{round}");
            }
        }
        let first = handles.open(&path(0), NEVER, true).unwrap();
        assert!(Arc::ptr_eq(&first, &handles.open(&path(0), NEVER, true).unwrap()));
        std::fs::rename(path(7), path(0)).unwrap();
        assert_eq!(handles.open(&path(0), NEVER, true).unwrap().bytes, 8);
        let error = handles.open(folder.path(), NEVER, true).err().unwrap();
        assert!(error.to_string().contains("directory"), "{error}");
    }

    #[test]
    fn where_the_medium_folds_both_spellings_share_a_handle() {
        let folder = tempfile::tempdir().unwrap();
        let (upper, lower) = (folder.path().join("\u{c4}.OBJ"), folder.path().join("\u{e4}.obj"));
        crate::probe::write_plain(&upper, b"one").unwrap();
        // What a medium that folds would do: both names mean one file.
        if std::fs::hard_link(&upper, &lower).is_err() {
            return; // this one does: there is only one name
        }
        let opened = |handles: &Handles, path| handles.open(path, NEVER, true).unwrap();
        let handles = Handles::with(4, |_| Some(true));
        let first = opened(&handles, &upper);
        assert!(Arc::ptr_eq(&first, &opened(&handles, &lower)));
        assert_eq!(handles.cache.lock().unwrap().known.len(), 1);
        // A medium that was thought to fold but does not: the other file is another file.
        std::fs::remove_file(&lower).unwrap();
        crate::probe::write_plain(&lower, b"other").unwrap();
        assert_eq!(opened(&handles, &lower).bytes, 5);
        assert_eq!(opened(&handles, &upper).bytes, 3);
        let plain = Handles::with(4, |_| Some(false));
        assert!(!Arc::ptr_eq(&opened(&plain, &upper), &opened(&plain, &lower)));
        assert_eq!(plain.cache.lock().unwrap().known.len(), 2);
    }

    #[test]
    fn a_hash_alone_is_no_hit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        crate::probe::write_plain(&path, b"one").unwrap();
        let handles = Handles::with(4, |_| Some(true));
        handles.open(&path, NEVER, true).unwrap();
        let key = *handles.cache.lock().unwrap().known.keys().next().unwrap();
        assert!(handles.find(key, b"another path with the same hash").is_none());
    }
}
