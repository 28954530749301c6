//! What the system says about a file: how large, how old, and which one it is.

use crate::sys::{self, AtFlags, BorrowedFd, FileType};
use crate::{io_error, long_path};
use solio_base::Result;
use std::path::Path;

/// What an entry of a folder is.
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
/// # let place = |name| shots.join(name);
/// # std::fs::create_dir(place("cache")).unwrap();
/// # solio_io::probe::write_plain(&place("a.exr"), b"pixels")?;
/// # solio_io::probe::symlink("a.exr", place("latest.exr")).unwrap();
/// // A folder with `a.exr`, the folder `cache`, and the link `latest.exr` to the first.
/// let kinds = |follow, wanted: [EntryKind; 3]| {
///     let look = Look(|listing: &Listing| {
///         let found = listing.entries().iter().map(|entry| entry.kind);
///         assert_eq!(found.collect::<Vec<_>>(), wanted);
///         Ok(())
///     });
///     walk(&[shots.clone()], &WalkOptions { follow, flat: true, ..Default::default() }, &look)
/// };
/// kinds(false, [EntryKind::File, EntryKind::Folder, EntryKind::Link])?;
/// kinds(true, [EntryKind::File, EntryKind::Folder, EntryKind::File])?;
/// # Ok::<(), solio_base::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A plain file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link.
    Link,
    /// A pipe, a socket, a device.
    Other,
}

/// What the system says about a file.
///
/// ```
/// use solio_io::walk::status_of;
/// # let folder = tempfile::tempdir().unwrap();
/// # let [path, other] = ["a.exr", "b.exr"].map(|name| folder.path().join(name));
/// solio_io::probe::write_plain(&path, b"pixels")?;
/// std::fs::hard_link(&path, &other).unwrap();
/// let status = status_of(&path)?;
/// assert_eq!((status.size, status.links), (6, 2));
/// // Device and inode say that both names are one file.
/// assert_eq!(status, status_of(&other)?);
/// # Ok::<(), solio_base::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// Bytes.
    pub size: u64,
    /// When its content changed last, in nanoseconds since 1970.
    pub modified_ns: i64,
    /// When it was made, in nanoseconds since 1970; Linux says so on most file systems, not NFS 3.
    /// With the inode it tells a file that was renamed from one that took the number of another.
    pub born_ns: Option<i64>,
    /// The number of its inode.
    pub inode: u64,
    /// The device that it lies on.
    pub device: u64,
    /// Names that lead to it.
    pub links: u64,
    /// When content, size, owner, mode or links changed last, in nanoseconds since 1970: nobody can set
    /// it back. `None` where nobody says, as stores of objects.
    pub changed_ns: Option<i64>,
    /// Blocks of 512 bytes that it takes on the medium.
    pub blocks: u64,
    /// Type and permissions, as the system has them.
    pub mode: u32,
    /// The number of its owner.
    pub owner: u32,
    /// The number of its group.
    pub group: u32,
}

impl Status {
    /// Whether it is a file that has content of its own: not a folder, a link, a pipe or a device.
    pub fn is_file(&self) -> bool {
        FileType::from_raw_mode(self.mode as _) == FileType::RegularFile
    }

    /// Whether it is a folder.
    pub fn is_folder(&self) -> bool {
        FileType::from_raw_mode(self.mode as _) == FileType::Directory
    }
}

/// What the system says about the file at `path`; a link is followed.
///
/// ```
/// use solio_io::walk::status_of;
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = |name| folder.path().join(name);
/// solio_io::probe::write_plain(&path("v2.exr"), b"pixels")?;
/// solio_io::probe::symlink("v2.exr", path("latest")).unwrap();
/// solio_io::probe::symlink("v3.exr", path("next")).unwrap();
/// assert_eq!(status_of(&path("latest"))?.size, 6);
/// assert!(status_of(&path("next")).is_err_and(|error| error.is_missing()));
/// # Ok::<(), solio_base::Error>(())
/// ```
pub fn status_of(path: &Path) -> Result<Status> {
    let found = long_path::at(path, |folder, path| sys::look_at(folder, path, AtFlags::empty()));
    Ok(found.map_err(|e| io_error("look at", e.into(), path))?.0)
}

/// When a file changed last, in seconds since 1970, and its mode, of what the system has already said.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("a.exr");
/// solio_io::probe::write_plain(&path, b"pixels")?;
/// let about = std::fs::metadata(&path).unwrap();
/// let (changed, mode) = solio_io::walk::change_and_mode(&path, &about);
/// let status = solio_io::walk::status_of(&path)?;
/// assert_eq!((Some(changed), mode), (status.changed_ns.map(|ns| ns / 1_000_000_000), status.mode));
/// # Ok::<(), solio_base::Error>(())
/// ```
pub fn change_and_mode(path: &Path, found: &std::fs::Metadata) -> (i64, u32) {
    sys::change_and_mode(path, found)
}

/// What the system says about the name `path`, and what it is; a link is a link.
///
/// ```
/// use solio_io::walk::{EntryKind, status_of_name};
/// # let folder = tempfile::tempdir().unwrap();
/// let latest = folder.path().join("latest");
/// solio_io::probe::symlink("v3.exr", &latest).unwrap();
/// // That it leads nowhere does not matter.
/// let (status, kind) = status_of_name(&latest)?;
/// assert_eq!((kind, status.size), (EntryKind::Link, 6));
/// # Ok::<(), solio_base::Error>(())
/// ```
pub fn status_of_name(path: &Path) -> Result<(Status, EntryKind)> {
    let name =
        |folder: BorrowedFd<'_>, path: &Path| sys::look_at(folder, path, AtFlags::SYMLINK_NOFOLLOW);
    long_path::at(path, name).map_err(|e| io_error("look at", e.into(), path))
}

#[allow(clippy::unnecessary_cast)] // The types differ by system.
pub(crate) fn status(found: &sys::Stat) -> Status {
    Status {
        size: found.st_size as u64,
        modified_ns: nanoseconds(found.st_mtime as i64, found.st_mtime_nsec as i64),
        born_ns: None,
        inode: found.st_ino as u64,
        device: sys::device_of(found),
        links: found.st_nlink as u64,
        changed_ns: Some(nanoseconds(found.st_ctime as i64, found.st_ctime_nsec as i64)),
        blocks: found.st_blocks as u64,
        mode: found.st_mode as u32,
        owner: found.st_uid,
        group: found.st_gid,
    }
}

pub(crate) fn nanoseconds(seconds: i64, rest: i64) -> i64 {
    seconds.saturating_mul(1_000_000_000).saturating_add(rest)
}

pub(crate) fn kind(of: FileType) -> EntryKind {
    match of {
        FileType::RegularFile => EntryKind::File,
        FileType::Directory => EntryKind::Folder,
        FileType::Symlink => EntryKind::Link,
        _ => EntryKind::Other,
    }
}
