//! Walks trees: every folder is listed once, and what is in it is handed out in pieces to all
//! threads.
//!
//! * Folders are read by `getdents64` into memory that is used again; the kind of an entry comes
//!   with its name, so nothing is asked a second time.
//! * Entries are looked at and opened relative to their folder, which the system has looked up once.
//! * The folder found last is read next: what waits stays as small as the tree is deep.
//! * A large folder is cut into pieces, so that one of 50,000 files keeps all threads busy. Each
//!   piece is in the order of inodes, in which file systems store what they have to say about files.

use crate::filter::{Filter, FilterPlace, IGNORE_FILE, MOST_IGNORE_BYTES};
use crate::head_reader::{HeadReader, HeadSource};
pub use crate::status::{EntryKind, Status, change_and_mode, status_of, status_of_name};
use crate::status::{kind, status};
use crate::sys::{
    self, AsFd, AtFlags, BorrowedFd, Errno, FileType, Mode, OFlags, OwnedFd, SysResult,
};
use crate::{io_error, long_path};
use solio_base::names::{self, OsStrBytes, OsStringBytes};
use solio_base::{Cancel, Error, Result, Work, lock, threads};
use solio_measure::SpanName;
use std::collections::HashSet;
use std::ffi::{CStr, OsStr, OsString};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

static LIST: SpanName = SpanName::new("list folder");

/// Entries that a thread takes at a time.
const PIECE: usize = 512;

/// Deeper folders are no trees, but a file system that has no end.
const DEEPEST: usize = 65_536;

/// How files are opened: a pipe does not make the walk wait, a terminal does not become its own.
const READ_ONLY: OFlags =
    OFlags::RDONLY.union(OFlags::CLOEXEC).union(OFlags::NONBLOCK).union(OFlags::NOCTTY);

/// How to walk.
///
/// ```
/// use solio_base::Cancel;
/// use solio_io::walk::WalkOptions;
/// let cancel = Cancel::default();
/// // One folder on four threads, until somebody has seen enough.
/// let options = WalkOptions { threads: 4, flat: true, cancel: cancel.clone(), ..Default::default() };
/// cancel.cancel();
/// assert!(options.cancel.is_cancelled() && !options.follow && !options.one_file_system);
/// ```
#[derive(Clone, Debug, Default)]
pub struct WalkOptions {
    /// Threads; 0 is one.
    pub threads: usize,
    /// Links to folders are entered, each folder once however many ways lead to it.
    pub follow: bool,
    /// Folders of other file systems are not entered.
    pub one_file_system: bool,
    /// Folders below the given ones are not entered.
    pub flat: bool,
    /// Folders that are not entered: paths as the walk makes them, of a root and the names below it.
    pub skip: HashSet<PathBuf>,
    /// What is left out.
    pub filter: Filter,
    /// The folders that its patterns begin at, where a walk begins below them; else its roots.
    pub bases: Vec<PathBuf>,
    /// Asked before every piece.
    pub cancel: Cancel,
}

impl WalkOptions {
    /// Everything below, on the threads of `work`, until it is cancelled.
    ///
    /// ```
    /// use solio_base::Work;
    /// use solio_io::walk::WalkOptions;
    /// let work = Work::serial();
    /// let options = WalkOptions { follow: true, ..WalkOptions::of(&work) };
    /// work.cancel.cancel();
    /// assert!(options.threads == 1 && options.cancel.is_cancelled());
    /// ```
    pub fn of(work: &Work) -> WalkOptions {
        WalkOptions { threads: work.threads, cancel: work.cancel.clone(), ..WalkOptions::default() }
    }
}

/// One name in a folder.
///
/// ```
/// use solio_io::walk::{Listing, Visit, WalkOptions, walk};
/// # use {solio_base::{Error, Result}, std::path::Path};
/// # struct Look<F>(F);
/// # impl<F: Fn(&Listing) -> Result<()> + Sync> Visit for Look<F> {
/// #     type Folder = (); type Local = ();
/// #     fn folder(&self, _: &mut (), listing: &Listing) -> Result<()> { self.0(listing) }
/// #     fn entries(&self, _: &mut (), _: &Listing, _: &(), _: &[u32]) -> Result<()> { Ok(()) }
/// #     fn left(&self, _: &mut (), _: &Listing, _: ()) -> Result<()> { Ok(()) }
/// #     fn failed(&self, _: &Path, error: Error) { panic!("{error}") }
/// # }
/// # let folder = tempfile::tempdir().unwrap();
/// # let shots = folder.path().to_owned();
/// # solio_io::probe::write_plain(&shots.join("a.exr"), b"pixels")?;
/// # std::fs::hard_link(shots.join("a.exr"), shots.join("b.exr")).unwrap();
/// // Two names of one file.
/// let look = Look(|listing: &Listing| {
///     let [a, b] = listing.entries() else { panic!("two names") };
///     assert_eq!((a.inode, a.kind), (b.inode, b.kind));
///     assert_ne!(listing.name(a), listing.name(b));
///     Ok(())
/// });
/// walk(&[shots], &WalkOptions::default(), &look)?;
/// # Ok::<(), solio_base::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct FolderEntry {
    start: u32,
    len: u32,
    /// The number of its inode; of a mounted folder that of what it hides.
    pub inode: u64,
    /// What it is; with [`WalkOptions::follow`] what a link leads to.
    pub kind: EntryKind,
}

/// A folder that has been listed.
///
/// ```
/// use solio_io::walk::{Listing, Visit, WalkOptions, walk};
/// # use {solio_base::{Error, Result}, std::path::Path};
/// # struct Look<F>(F);
/// # impl<F: Fn(&Listing) -> Result<()> + Sync> Visit for Look<F> {
/// #     type Folder = (); type Local = ();
/// #     fn folder(&self, _: &mut (), listing: &Listing) -> Result<()> { self.0(listing) }
/// #     fn entries(&self, _: &mut (), _: &Listing, _: &(), _: &[u32]) -> Result<()> { Ok(()) }
/// #     fn left(&self, _: &mut (), _: &Listing, _: ()) -> Result<()> { Ok(()) }
/// #     fn failed(&self, _: &Path, error: Error) { panic!("{error}") }
/// # }
/// # let folder = tempfile::tempdir().unwrap();
/// # let shots = folder.path().to_owned();
/// # std::fs::create_dir(shots.join("sc010")).unwrap();
/// # solio_io::probe::write_plain(&shots.join("sc010/a.exr"), b"pixels")?;
/// let seen = std::sync::Mutex::new(Vec::new());
/// let look = Look(|listing: &Listing| {
///     seen.lock().unwrap().push((listing.path.clone(), listing.entries().len()));
///     Ok(())
/// });
/// // The root as given, then what is below it.
/// walk(&[shots.clone()], &WalkOptions::default(), &look)?;
/// assert_eq!(*seen.lock().unwrap(), [(shots.clone(), 1), (shots.join("sc010"), 1)]);
/// # Ok::<(), solio_base::Error>(())
/// ```
#[derive(Debug)]
pub struct Listing {
    /// The path of the folder: a root as given, and the names below it.
    pub path: PathBuf,
    folder: OwnedFd,
    /// All names, NUL-separated.
    names: Vec<u8>,
    /// By name, byte by byte.
    entries: Vec<FolderEntry>,
    /// What the filter leaves out, by name, byte by byte.
    left_out: Vec<FolderEntry>,
    place: FilterPlace,
}

impl Listing {
    /// What [`WalkOptions::filter`] leaves out of it, by name, byte by byte.
    pub fn left_out(&self) -> &[FolderEntry] {
        &self.left_out
    }

    /// What is in it, by name, byte by byte.
    ///
    /// ```
    /// use solio_io::walk::{Listing, Visit, WalkOptions, walk};
    /// # use {solio_base::{Error, Result}, std::path::Path};
    /// # struct Look<F>(F);
    /// # impl<F: Fn(&Listing) -> Result<()> + Sync> Visit for Look<F> {
    /// #     type Folder = (); type Local = ();
    /// #     fn folder(&self, _: &mut (), listing: &Listing) -> Result<()> { self.0(listing) }
    /// #     fn entries(&self, _: &mut (), _: &Listing, _: &(), _: &[u32]) -> Result<()> { Ok(()) }
    /// #     fn left(&self, _: &mut (), _: &Listing, _: ()) -> Result<()> { Ok(()) }
    /// #     fn failed(&self, _: &Path, error: Error) { panic!("{error}") }
    /// # }
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let shots = folder.path().to_owned();
    /// # for name in ["b.exr", "a10.exr", "a9.exr"] {
    /// #     solio_io::probe::write_plain(&shots.join(name), b"pixels")?;
    /// # }
    /// let look = Look(|listing: &Listing| {
    ///     let names: Vec<_> = listing.entries().iter().map(|entry| listing.name(entry)).collect();
    ///     // Byte by byte: 1 stands before 9.
    ///     assert_eq!(names, ["a10.exr", "a9.exr", "b.exr"]);
    ///     Ok(())
    /// });
    /// walk(&[shots], &WalkOptions::default(), &look)?;
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    pub fn entries(&self) -> &[FolderEntry] {
        &self.entries
    }

    /// The name of an entry.
    ///
    /// ```
    /// use solio_io::walk::{Listing, Visit, WalkOptions, walk};
    /// # use {solio_base::{Error, Result}, std::path::Path};
    /// # struct Look<F>(F);
    /// # impl<F: Fn(&Listing) -> Result<()> + Sync> Visit for Look<F> {
    /// #     type Folder = (); type Local = ();
    /// #     fn folder(&self, _: &mut (), listing: &Listing) -> Result<()> { self.0(listing) }
    /// #     fn entries(&self, _: &mut (), _: &Listing, _: &(), _: &[u32]) -> Result<()> { Ok(()) }
    /// #     fn left(&self, _: &mut (), _: &Listing, _: ()) -> Result<()> { Ok(()) }
    /// #     fn failed(&self, _: &Path, error: Error) { panic!("{error}") }
    /// # }
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let shots = folder.path().to_owned();
    /// # use solio_base::names::OsStrBytes;
    /// # let name = std::ffi::OsStr::from_bytes(b"caf\xe9.exr");
    /// # let written = solio_io::probe::write_plain(&shots.join(name), b"pixels");
    /// # if written.is_err() { return Ok(()); } // A file system of text alone.
    /// // Names are bytes, not always text.
    /// let look = Look(|listing: &Listing| {
    ///     let name = listing.name(&listing.entries()[0]);
    ///     assert_eq!((name.as_bytes(), name.to_str()), (&b"caf\xe9.exr"[..], None));
    ///     Ok(())
    /// });
    /// walk(&[shots], &WalkOptions::default(), &look)?;
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    pub fn name(&self, entry: &FolderEntry) -> &OsStr {
        let start = entry.start as usize;
        OsStr::from_bytes(&self.names[start..start + entry.len as usize])
    }

    fn c_name(&self, entry: &FolderEntry) -> &CStr {
        let start = entry.start as usize;
        CStr::from_bytes_with_nul(&self.names[start..=start + entry.len as usize])
            .expect("names were stored with their zero byte")
    }

    /// The path of an entry.
    ///
    /// ```
    /// use solio_io::walk::{EntryKind, Listing, Visit, WalkOptions, walk};
    /// # use {solio_base::{Error, Result}, std::path::Path};
    /// # struct Look<F>(F);
    /// # impl<F: Fn(&Listing) -> Result<()> + Sync> Visit for Look<F> {
    /// #     type Folder = (); type Local = ();
    /// #     fn folder(&self, _: &mut (), listing: &Listing) -> Result<()> { self.0(listing) }
    /// #     fn entries(&self, _: &mut (), _: &Listing, _: &(), _: &[u32]) -> Result<()> { Ok(()) }
    /// #     fn left(&self, _: &mut (), _: &Listing, _: ()) -> Result<()> { Ok(()) }
    /// #     fn failed(&self, _: &Path, error: Error) { panic!("{error}") }
    /// # }
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let shots = folder.path().to_owned();
    /// # std::fs::create_dir(shots.join("sc010")).unwrap();
    /// # solio_io::probe::write_plain(&shots.join("sc010/a.exr"), b"pixels")?;
    /// let found = std::sync::Mutex::new(Vec::new());
    /// let look = Look(|listing: &Listing| {
    ///     let files = listing.entries().iter().filter(|entry| entry.kind == EntryKind::File);
    ///     found.lock().unwrap().extend(files.map(|file| listing.path_of(file)));
    ///     Ok(())
    /// });
    /// walk(&[shots.clone()], &WalkOptions::default(), &look)?;
    /// assert_eq!(*found.lock().unwrap(), [shots.join("sc010/a.exr")]);
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    pub fn path_of(&self, entry: &FolderEntry) -> PathBuf {
        names::joined(&self.path, self.name(entry))
    }

    /// Size, time and inode of an entry; a link is followed only where it was on the walk.
    ///
    /// ```
    /// use solio_io::walk::{Listing, Visit, WalkOptions, walk};
    /// # use {solio_base::{Error, Result}, std::path::Path};
    /// # struct Look<F>(F);
    /// # impl<F: Fn(&Listing) -> Result<()> + Sync> Visit for Look<F> {
    /// #     type Folder = (); type Local = ();
    /// #     fn folder(&self, _: &mut (), listing: &Listing) -> Result<()> { self.0(listing) }
    /// #     fn entries(&self, _: &mut (), _: &Listing, _: &(), _: &[u32]) -> Result<()> { Ok(()) }
    /// #     fn left(&self, _: &mut (), _: &Listing, _: ()) -> Result<()> { Ok(()) }
    /// #     fn failed(&self, _: &Path, error: Error) { panic!("{error}") }
    /// # }
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let shots = folder.path().to_owned();
    /// # solio_io::probe::write_plain(&shots.join("a.exr"), b"pixels")?;
    /// # solio_io::probe::symlink("a.exr", shots.join("latest")).unwrap();
    /// let look = Look(|listing: &Listing| {
    ///     let [file, link] = listing.entries() else { panic!("two names") };
    ///     // Of the link, the bytes of the path that stands in it.
    ///     assert_eq!((listing.status(file)?.size, listing.status(link)?.size), (6, 5));
    ///     Ok(())
    /// });
    /// walk(&[shots], &WalkOptions::default(), &look)?;
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    pub fn status(&self, entry: &FolderEntry) -> Result<Status> {
        let flags = match entry.kind {
            EntryKind::Link => AtFlags::SYMLINK_NOFOLLOW,
            _ => AtFlags::empty(),
        };
        let found = sys::look_at(&self.folder, self.c_name(entry), flags);
        let found = found.map_err(|e| io_error("look at", e.into(), &self.path_of(entry)))?;
        Ok(found.0)
    }

    /// Where a link leads: the path that stands in it.
    ///
    /// # Errors
    /// `Io` where the entry is not a link, or not any more.
    pub fn target(&self, entry: &FolderEntry) -> Result<OsString> {
        let read = sys::readlinkat(&self.folder, self.c_name(entry), Vec::new());
        let read = read.map_err(|e| io_error("read the link", e.into(), &self.path_of(entry)))?;
        Ok(OsString::from_vec(read.into_bytes()))
    }

    /// Opens a file and reads its first `bytes`; `size` is what [`Listing::status`] said. Shorter
    /// where the file is, also where it became so.
    ///
    /// ```
    /// use solio_io::walk::{Listing, Visit, WalkOptions, walk};
    /// # use {solio_base::{Error, Result}, std::path::Path};
    /// # struct Look<F>(F);
    /// # impl<F: Fn(&Listing) -> Result<()> + Sync> Visit for Look<F> {
    /// #     type Folder = (); type Local = ();
    /// #     fn folder(&self, _: &mut (), listing: &Listing) -> Result<()> { self.0(listing) }
    /// #     fn entries(&self, _: &mut (), _: &Listing, _: &(), _: &[u32]) -> Result<()> { Ok(()) }
    /// #     fn left(&self, _: &mut (), _: &Listing, _: ()) -> Result<()> { Ok(()) }
    /// #     fn failed(&self, _: &Path, error: Error) { panic!("{error}") }
    /// # }
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let shots = folder.path().to_owned();
    /// # let bytes = [b"\x76\x2f\x31\x01", &[0; 9_996][..]].concat();
    /// # solio_io::probe::write_plain(&shots.join("a.exr"), &bytes)?;
    /// use solio_base::Source;
    /// let look = Look(|listing: &Listing| {
    ///     let mut reader = solio_io::HeadReader::default();
    ///     for entry in listing.entries() {
    ///         let size = listing.status(entry)?.size;
    ///         let source = listing.open_head(entry, &mut reader, size, 4096)?;
    ///         assert!(source.head().starts_with(b"\x76\x2f\x31\x01"));
    ///         assert_eq!((source.head().len(), source.len_bytes()), (4096, Some(10_000)));
    ///     }
    ///     Ok(())
    /// });
    /// walk(&[shots], &WalkOptions::default(), &look)?;
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    pub fn open_head<'r>(
        &self,
        entry: &FolderEntry,
        reader: &'r mut HeadReader,
        size: u64,
        bytes: usize,
    ) -> Result<HeadSource<'r>> {
        let name = self.c_name(entry);
        let opened = sys::openat(&self.folder, name, READ_ONLY, Mode::empty());
        let opened = opened.map_err(|e| io_error("open", e.into(), &self.path_of(entry)))?;
        reader.start_of(opened, size, bytes).map_err(|e| e.at_path(self.path_of(entry)))
    }
}

/// Opens the file at `path` and reads its first `bytes`, as [`Listing::open_head`] does.
///
/// ```
/// use solio_base::Source;
/// use solio_io::walk::{open_head, status_of};
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("mesh.ply");
/// # solio_io::probe::write_plain(&path, b"ply\nformat ascii 1.0\n")?;
/// let (size, mut reader) = (status_of(&path)?.size, solio_io::HeadReader::default());
/// let source = open_head(&path, &mut reader, size, 3)?;
/// assert_eq!(source.head(), b"ply");
/// // What follows is read when it is asked for.
/// let mut rest = [0; 6];
/// source.read_at(4, &mut rest)?;
/// assert_eq!(&rest, b"format");
/// # Ok::<(), solio_base::Error>(())
/// ```
pub fn open_head<'r>(
    path: &Path,
    reader: &'r mut HeadReader,
    size: u64,
    bytes: usize,
) -> Result<HeadSource<'r>> {
    let opened =
        long_path::at(path, |folder, path| sys::openat(folder, path, READ_ONLY, Mode::empty()));
    let opened = opened.map_err(|e| io_error("open", e.into(), path))?;
    reader.start_of(opened, size, bytes).map_err(|e| e.at_path(path))
}

/// What is done on a walk; all of it on any thread.
///
/// ```
/// use solio_base::{Error, Result};
/// use solio_io::walk::{EntryKind, Listing, Visit, WalkOptions, walk};
/// use std::path::Path;
/// use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
///
/// /// Adds up the bytes of all files.
/// #[derive(Default)]
/// struct Sum(AtomicU64);
///
/// impl Visit for Sum {
///     type Folder = ();
///     type Local = ();
///     fn folder(&self, _: &mut (), _: &Listing) -> Result<()> { Ok(()) }
///     fn entries(&self, _: &mut (), listing: &Listing, _: &(), some: &[u32]) -> Result<()> {
///         for entry in some.iter().map(|&i| &listing.entries()[i as usize]) {
///             if entry.kind == EntryKind::File {
///                 self.0.fetch_add(listing.status(entry)?.size, Relaxed);
///             }
///         }
///         Ok(())
///     }
///     fn left(&self, _: &mut (), _: &Listing, _: ()) -> Result<()> { Ok(()) }
///     fn failed(&self, _: &Path, error: Error) { eprintln!("{error}") }
/// }
/// # let folder = tempfile::tempdir().unwrap();
/// # std::fs::create_dir(folder.path().join("sc010")).unwrap();
/// # for name in ["a.exr", "sc010/b.exr"] {
/// #     solio_io::probe::write_plain(&folder.path().join(name), b"pixels")?;
/// # }
/// let sum = Sum::default();
/// walk(&[folder.path().to_owned()], &WalkOptions { threads: 2, ..Default::default() }, &sum)?;
/// assert_eq!(sum.0.into_inner(), 12);
/// # Ok::<(), Error>(())
/// ```
pub trait Visit: Sync {
    /// What is known of a folder when its entries are looked at.
    type Folder: Send + Sync;
    /// What a thread keeps from one call to the next.
    type Local: Default;

    /// A folder was listed.
    ///
    /// ```
    /// # use solio_base::{Error, Result};
    /// # use solio_io::walk::{Listing, Visit, WalkOptions, walk};
    /// # use std::path::{Path, PathBuf};
    /// # struct Look(PathBuf);
    /// # impl Visit for Look {
    /// // What is found out once for a folder comes with all of its pieces.
    /// type Folder = bool;
    /// # type Local = ();
    /// fn folder(&self, _: &mut (), listing: &Listing) -> Result<bool> {
    ///     Ok(listing.path.ends_with("proxies"))
    /// }
    /// fn entries(&self, _: &mut (), listing: &Listing, proxies: &bool, _: &[u32]) -> Result<()> {
    ///     assert_eq!(*proxies, listing.path != self.0);
    ///     Ok(())
    /// }
    /// # fn left(&self, _: &mut (), _: &Listing, _: bool) -> Result<()> { Ok(()) }
    /// # fn failed(&self, _: &Path, error: Error) { panic!("{error}") }
    /// # }
    /// # let shots = tempfile::tempdir().unwrap();
    /// # std::fs::create_dir(shots.path().join("proxies")).unwrap();
    /// # for name in ["a.exr", "proxies/a.jpg"] {
    /// #     solio_io::probe::write_plain(&shots.path().join(name), b"pixels")?;
    /// # }
    /// # walk(&[shots.path().to_owned()], &WalkOptions::default(), &Look(shots.path().to_owned()))?;
    /// # Ok::<(), Error>(())
    /// ```
    fn folder(&self, local: &mut Self::Local, listing: &Listing) -> Result<Self::Folder>;

    /// Some of its entries: positions in [`Listing::entries`], by inode. All pieces of a folder
    /// come after it, and before [`Visit::left`].
    fn entries(
        &self,
        _local: &mut Self::Local,
        _listing: &Listing,
        _folder: &Self::Folder,
        _entries: &[u32],
    ) -> Result<()> {
        Ok(())
    }

    /// All entries of a folder have been looked at.
    ///
    /// ```
    /// # use solio_base::{Error, Result};
    /// # use solio_io::walk::{Listing, Visit, WalkOptions, walk};
    /// # use std::{path::Path, sync::atomic::{AtomicUsize, Ordering::Relaxed}};
    /// # struct Look;
    /// # impl Visit for Look {
    /// // How many are not looked at yet: what was known at first is handed back at the end.
    /// type Folder = AtomicUsize;
    /// # type Local = ();
    /// # fn folder(&self, _: &mut (), listing: &Listing) -> Result<AtomicUsize> {
    /// #     Ok(listing.entries().len().into())
    /// # }
    /// # fn entries(&self, _: &mut (), _: &Listing, open: &AtomicUsize, some: &[u32]) -> Result<()> {
    /// #     open.fetch_sub(some.len(), Relaxed);
    /// #     Ok(())
    /// # }
    /// fn left(&self, _: &mut (), _: &Listing, open: AtomicUsize) -> Result<()> {
    ///     assert_eq!(open.into_inner(), 0);
    ///     Ok(())
    /// }
    /// # fn failed(&self, _: &Path, error: Error) { panic!("{error}") }
    /// # }
    /// # let shots = tempfile::tempdir().unwrap();
    /// # for i in 0..600 {
    /// #     solio_io::probe::write_plain(&shots.path().join(format!("{i}.exr")), b"")?;
    /// # }
    /// # walk(&[shots.path().to_owned()], &WalkOptions { threads: 2, ..Default::default() }, &Look)?;
    /// # Ok::<(), Error>(())
    /// ```
    fn left(&self, _: &mut Self::Local, _: &Listing, _folder: Self::Folder) -> Result<()> {
        Ok(())
    }

    /// A folder could not be listed.
    ///
    /// ```
    /// # use solio_base::{Error, Result};
    /// # use solio_io::walk::{Listing, Visit, WalkOptions, walk};
    /// # use std::{path::{Path, PathBuf}, sync::Mutex};
    /// # #[derive(Default)]
    /// # struct Look { failed: Mutex<Vec<PathBuf>> }
    /// # impl Visit for Look {
    /// # type Folder = (); type Local = ();
    /// # fn folder(&self, _: &mut (), _: &Listing) -> Result<()> { Ok(()) }
    /// # fn entries(&self, _: &mut (), _: &Listing, _: &(), _: &[u32]) -> Result<()> { Ok(()) }
    /// # fn left(&self, _: &mut (), _: &Listing, _: ()) -> Result<()> { Ok(()) }
    /// fn failed(&self, path: &Path, error: Error) {
    ///     eprintln!("{error}");
    ///     self.failed.lock().unwrap().push(path.to_owned());
    /// }
    /// # }
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let [shots, gone] = ["shots", "gone"].map(|name| folder.path().join(name));
    /// # std::fs::create_dir(&shots).unwrap();
    /// // The walk goes on: it is the caller who knows what a lost folder means.
    /// let look = Look::default();
    /// walk(&[gone.clone(), shots], &WalkOptions::default(), &look)?;
    /// assert_eq!(look.failed.into_inner().unwrap(), [gone]);
    /// # Ok::<(), Error>(())
    /// ```
    fn failed(&self, path: &Path, error: Error);

    /// A folder is not entered, as [`WalkOptions::filter`] leaves it out.
    fn left_out(&self, _path: &Path) {}
}

/// Walks the folders `roots` and all below them. What is no folder among them is reported to
/// [`Visit::failed`].
///
/// ```
/// use solio_base::{Error, Result};
/// use solio_io::walk::{Listing, Visit, WalkOptions, walk};
/// # use std::path::{Path, PathBuf};
/// # struct Look;
/// # impl Visit for Look {
/// # type Folder = (); type Local = ();
/// fn folder(&self, _: &mut (), listing: &Listing) -> Result<()> {
///     // The first error ends the walk, on all threads.
///     Err(Error::limit("seen enough").at_path(&listing.path))
/// }
/// # fn entries(&self, _: &mut (), _: &Listing, _: &(), _: &[u32]) -> Result<()> { Ok(()) }
/// # fn left(&self, _: &mut (), _: &Listing, _: ()) -> Result<()> { Ok(()) }
/// # fn failed(&self, _: &Path, error: Error) { panic!("{error}") }
/// # }
/// # let folder = tempfile::tempdir().unwrap();
/// # let shots = folder.path().to_owned();
/// let error = walk(&[shots.clone()], &WalkOptions::default(), &Look).unwrap_err();
/// assert_eq!((error.message(), error.path()), ("seen enough", Some(&*shots)));
/// ```
///
/// # Errors
/// The first of `visit`, and `Cancelled`; the walk ends with it.
pub fn walk<V: Visit>(roots: &[PathBuf], options: &WalkOptions, visit: &V) -> Result<()> {
    let walk =
        WalkRun { options, visit, state: Mutex::new(WalkState::default()), moved: Condvar::new() };
    let found = roots.iter().rev().filter_map(|path| walk.root(path));
    let found: Vec<_> = found.collect();
    walk.lock().folders.extend(found);
    threads::beside(options.threads.saturating_sub(1), &|| walk.run(), || walk.run());
    let failed = walk.lock().failed.take();
    failed.map_or(Ok(()), Err)
}

/// A folder to be listed.
struct FolderToList {
    path: PathBuf,
    depth: usize,
    /// That of its root, where the walk stays on it.
    device: Option<u64>,
    place: FilterPlace,
}

/// Some entries of a folder.
struct EntryBatch<F> {
    folder: Arc<ListedFolder<F>>,
    entries: Vec<u32>,
}

struct ListedFolder<F> {
    listing: Listing,
    known: F,
}

struct WalkState<F> {
    folders: Vec<FolderToList>,
    pieces: Vec<EntryBatch<F>>,
    /// Threads at work, which may find more.
    busy: usize,
    /// Threads that wait for more: where there are none, nobody is woken.
    waiting: usize,
    failed: Option<Error>,
    /// Folders entered, where links are followed.
    entered: HashSet<(u64, u64)>,
}

impl<F> Default for WalkState<F> {
    fn default() -> Self {
        let (folders, pieces) = (Vec::new(), Vec::new());
        WalkState { folders, pieces, busy: 0, waiting: 0, failed: None, entered: HashSet::new() }
    }
}

struct WalkRun<'a, V: Visit> {
    options: &'a WalkOptions,
    visit: &'a V,
    state: Mutex<WalkState<V::Folder>>,
    moved: Condvar,
}

enum WalkTask<F> {
    List(FolderToList),
    Look(EntryBatch<F>),
}

impl<V: Visit> WalkRun<'_, V> {
    fn lock(&self) -> MutexGuard<'_, WalkState<V::Folder>> {
        lock(&self.state)
    }

    /// A root, unless the filter leaves it out.
    fn root(&self, path: &Path) -> Option<FolderToList> {
        let bases = self.options.bases.iter().filter(|base| path.starts_with(base));
        let base = bases.max_by_key(|base| base.as_os_str().len()).map_or(path, |base| base);
        let mut failed = |path: &Path, error| self.visit.failed(path, error);
        match self.options.filter.place_of(base, path, &mut failed) {
            Some(place) => {
                Some(FolderToList { path: path.to_owned(), depth: 0, device: None, place })
            }
            None => {
                self.visit.left_out(path);
                None
            }
        }
    }

    /// What every thread does.
    fn run(&self) {
        let mut local = V::Local::default();
        let mut buffer = Vec::new();
        while let Some(task) = self.next() {
            let ended = Busy(self);
            let done = match task {
                WalkTask::List(found) => self.list(&found, &mut buffer, &mut local),
                WalkTask::Look(piece) => self.look(piece, &mut local),
            };
            if let Err(error) = done {
                self.stop(error);
            }
            drop(ended);
        }
    }

    /// Nothing more is begun.
    fn stop(&self, error: Error) {
        let mut state = self.lock();
        state.failed.get_or_insert(error);
        state.folders.clear();
        state.pieces.clear();
    }

    /// Pieces first: while one waits its folder stays open.
    fn next(&self) -> Option<WalkTask<V::Folder>> {
        let mut state = self.lock();
        loop {
            if state.failed.is_some() {
                return None;
            }
            let task = match state.pieces.pop() {
                Some(piece) => Some(WalkTask::Look(piece)),
                None => state.folders.pop().map(WalkTask::List),
            };
            if task.is_some() {
                state.busy += 1;
                return task;
            }
            if state.busy == 0 {
                return None;
            }
            state.waiting += 1;
            state = self.moved.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.waiting -= 1;
        }
    }

    fn list(&self, found: &FolderToList, buffer: &mut Vec<u8>, local: &mut V::Local) -> Result<()> {
        self.options.cancel.check()?;
        let mut span = LIST.begin();
        let (listing, device) = match self.listing(found, buffer) {
            Ok(Some(listed)) => listed,
            Ok(None) => return Ok(()),
            Err(error) => {
                self.visit.failed(&found.path, error);
                return Ok(());
            }
        };
        span.set_bytes(listing.names.len());
        drop(span);
        let known = self.visit.folder(local, &listing)?;
        let below = self.below(found, &listing, device);
        let listed = ListedFolder { listing, known };
        let mut pieces = pieces(&listed.listing);
        // The last one is for this thread: a small folder goes through no queue.
        let Some(own) = pieces.pop() else {
            self.lock().folders.extend(below);
            return self.visit.left(local, &listed.listing, listed.known);
        };
        let folder = Arc::new(listed);
        let more = pieces.len() + below.len();
        let waiting = {
            let mut state = self.lock();
            state.folders.extend(below);
            let piece = |entries| EntryBatch { folder: Arc::clone(&folder), entries };
            state.pieces.extend(pieces.into_iter().map(piece));
            state.waiting
        };
        match more.min(waiting) {
            0 => {}
            1 => self.moved.notify_one(),
            _ => self.moved.notify_all(),
        }
        self.look(EntryBatch { folder, entries: own }, local)
    }

    fn look(&self, piece: EntryBatch<V::Folder>, local: &mut V::Local) -> Result<()> {
        self.options.cancel.check()?;
        let EntryBatch { folder, entries } = piece;
        let looked = self.visit.entries(local, &folder.listing, &folder.known, &entries);
        if let Err(error) = looked {
            // Before the folder is let go: nobody may think that all of it has been looked at.
            self.stop(error);
            return Ok(());
        }
        match Arc::into_inner(folder) {
            Some(ListedFolder { listing, known }) if self.lock().failed.is_none() => {
                self.visit.left(local, &listing, known)
            }
            _ => Ok(()),
        }
    }

    /// The folder's names, and the device where the walk stays on one; `None` for a folder that is
    /// not to be entered.
    fn listing(
        &self,
        found: &FolderToList,
        buffer: &mut Vec<u8>,
    ) -> Result<Option<(Listing, Option<u64>)>> {
        let FolderToList { path, depth, device, place } = found;
        let failed = |e: Errno| io_error("look into", e.into(), path);
        let mut flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        if !self.options.follow && *depth > 0 {
            flags |= OFlags::NOFOLLOW;
        }
        if *depth > DEEPEST {
            let error = Error::limit(format!("folders are nested deeper than {DEEPEST}"));
            return Err(error.at_path(path));
        }
        let opened =
            |above: BorrowedFd<'_>, path: &Path| sys::openat(above, path, flags, Mode::empty());
        let folder = long_path::at(path, opened).map_err(failed)?;
        let mut here = *device;
        let is_one = self.options.one_file_system || self.options.filter.is_of_one_file_system();
        if is_one || self.options.follow {
            let found = status(&sys::fstat(&folder).map_err(failed)?);
            if is_one && device.is_some_and(|root| root != found.device) {
                return Ok(None);
            }
            if self.options.follow && !self.lock().entered.insert((found.device, found.inode)) {
                return Ok(None);
            }
            here = here.or(is_one.then_some(found.device));
        }
        let mut found = FolderNames::default();
        sys::each_name(&folder, buffer, |name, inode, of| found.keep(name, inode, of))
            .map_err(failed)?;
        let FolderNames { names, mut entries } = found;
        for entry in &mut entries {
            entry.kind = self.kind(folder.as_fd(), &names, entry);
        }
        let name = |entry: &FolderEntry| {
            &names[entry.start as usize..entry.start as usize + entry.len as usize]
        };
        entries.sort_unstable_by(|a, b| name(a).cmp(name(b)));
        let (path, place, left_out) = (path.clone(), place.clone(), Vec::new());
        let mut listing = Listing { path, folder, names, entries, left_out, place };
        if !self.options.filter.is_none() {
            self.leave_out(&mut listing);
        }
        Ok(Some((listing, here)))
    }

    /// Takes out of a listing what the filter leaves out.
    fn leave_out(&self, listing: &mut Listing) {
        let filter = &self.options.filter;
        let mut heads = HeadReader::default();
        if filter.reads_ignore_files()
            && let Ok(at) = listing
                .entries
                .binary_search_by(|it| listing.name(it).as_bytes().cmp(IGNORE_FILE.as_bytes()))
            && listing.entries[at].kind != EntryKind::Folder
        {
            let (entry, mut place) = (listing.entries[at], std::mem::take(&mut listing.place));
            let path = listing.path_of(&entry);
            let read = listing.status(&entry).and_then(|status| {
                let most =
                    usize::try_from(status.size).unwrap_or(usize::MAX).min(MOST_IGNORE_BYTES);
                let head = listing.open_head(&entry, &mut heads, status.size, most)?;
                place.read(head.start(), &path)
            });
            if let Err(error) = read {
                self.visit.failed(&path, error);
            }
            listing.place = place;
        }
        let is_out = |entry: &FolderEntry, heads: &mut HeadReader| {
            let status = || listing.status(entry).ok();
            let start = |size, bytes| {
                let head = listing.open_head(entry, heads, size, bytes).ok()?;
                Some(head.start().to_vec())
            };
            filter.leaves_out(&listing.place, listing.name(entry), entry.kind, status, start)
        };
        let (left_out, entries) =
            listing.entries.iter().partition(|entry| is_out(entry, &mut heads));
        (listing.left_out, listing.entries) = (left_out, entries);
    }

    /// The kind of an entry, where the file system did not tell or a link is followed.
    fn kind(&self, folder: BorrowedFd<'_>, names: &[u8], entry: &FolderEntry) -> EntryKind {
        let known = entry.kind != EntryKind::Other;
        if known && !(self.options.follow && entry.kind == EntryKind::Link) {
            return entry.kind;
        }
        let start = entry.start as usize;
        let name = CStr::from_bytes_with_nul(&names[start..=start + entry.len as usize]);
        let flags = if self.options.follow { AtFlags::empty() } else { AtFlags::SYMLINK_NOFOLLOW };
        match name.map(|name| sys::statat(folder, name, flags)) {
            Ok(Ok(found)) => kind(FileType::from_raw_mode(found.st_mode)),
            // It leads nowhere.
            _ => entry.kind,
        }
    }

    /// The folders in a folder, the first one last: that is taken next.
    fn below(
        &self,
        found: &FolderToList,
        listing: &Listing,
        device: Option<u64>,
    ) -> Vec<FolderToList> {
        let is_folder = |e: &&FolderEntry| e.kind == EntryKind::Folder;
        let folders = listing.entries.iter().rev().filter(is_folder);
        let left_out = listing.left_out.iter().filter(is_folder);
        left_out.for_each(|entry| self.visit.left_out(&listing.path_of(entry)));
        if self.options.flat {
            return Vec::new();
        }
        if !self.options.filter.enters(&listing.place) {
            folders.for_each(|entry| self.visit.left_out(&listing.path_of(entry)));
            return Vec::new();
        }
        let is_filtered = !self.options.filter.is_none();
        let place =
            |name| if is_filtered { listing.place.below(name) } else { FilterPlace::default() };
        let below = |entry| FolderToList {
            path: listing.path_of(entry),
            depth: found.depth + 1,
            device,
            place: place(listing.name(entry)),
        };
        let is_entered = |below: &FolderToList| !self.options.skip.contains(&below.path);
        folders.map(below).filter(is_entered).collect()
    }
}

/// Counts a thread as at work until it is dropped, also by a panic.
struct Busy<'a, 'b, V: Visit>(&'a WalkRun<'b, V>);

impl<V: Visit> Drop for Busy<'_, '_, V> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        if std::thread::panicking() {
            state.failed.get_or_insert_with(Error::cancelled);
        }
        state.busy -= 1;
        let ends = (state.busy == 0 || state.failed.is_some()) && state.waiting > 0;
        drop(state);
        if ends {
            self.0.moved.notify_all();
        }
    }
}

/// The entries that are no folders, in pieces of nearly the same size, each by inode.
fn pieces(listing: &Listing) -> Vec<Vec<u32>> {
    let entries = &listing.entries;
    let mut all: Vec<u32> = (0u32..).take(entries.len()).collect();
    all.retain(|&i| entries[i as usize].kind != EntryKind::Folder);
    if all.is_empty() {
        return Vec::new();
    }
    all.sort_unstable_by_key(|&i| entries[i as usize].inode);
    let count = all.len().div_ceil(PIECE);
    let size = all.len().div_ceil(count);
    let ranges = (0..count).map(|n| n * size..((n + 1) * size).min(all.len()));
    ranges.filter(|range: &Range<usize>| !range.is_empty()).map(|r| all[r].to_vec()).collect()
}

/// The names in a folder, with the kinds that the file system tells.
#[derive(Default)]
struct FolderNames {
    names: Vec<u8>,
    entries: Vec<FolderEntry>,
}

impl FolderNames {
    /// Takes in a name, unless it is the folder itself or the one above it.
    fn keep(&mut self, name: &CStr, inode: u64, of: FileType) -> SysResult<()> {
        let name = name.to_bytes_with_nul();
        if matches!(name, b".\0" | b"..\0") {
            return Ok(());
        }
        let place = |at: usize| u32::try_from(at).map_err(|_| Errno::FBIG);
        let (start, len) = (place(self.names.len())?, place(name.len() - 1)?);
        self.names.extend_from_slice(name);
        self.entries.push(FolderEntry { start, len, inode, kind: kind(of) });
        Ok(())
    }
}

#[cfg(test)]
mod tests;
