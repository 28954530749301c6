//! The files of a batch: on which device they are, under which inode, in which pieces.
//!
//! Calls are few. Where many files lie in one folder, its listing gives their inode numbers, and
//! the folder its device; otherwise it is one `stat` a file. Positions are asked for in the order
//! of inodes, because that is how file systems lay out what they answer from.

use super::Read;
use super::extents::{self, Extent};
use crate::sys::{self, CWD, Errno, Mode, OFlags};
use solio_base::{Result, Work};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

/// Files of one folder from which on it is listed.
const MANY: usize = 16;
/// A listing gives up after so many entries for each one that is wanted.
const TOO_MANY: usize = 64;
/// Inode numbers are called free at up to one call for so many files.
const CALLS: usize = 4;

/// What is known of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileLocation {
    /// Not looked at by itself; its folder is on this device.
    Folder { device: u64 },
    /// A regular file.
    Here { device: u64, inode: Option<u64> },
    /// Not there, not a regular file, or not for us to read.
    Bad,
}

/// A file, once however many reads it has.
pub(super) struct BatchFile<'a> {
    pub(super) path: &'a Path,
    pub(super) known: FileLocation,
    /// Its pieces, once asked for; `None` where the file system does not tell.
    pub(super) extents: Option<Vec<Extent>>,
}

/// All files of a batch.
#[derive(Default)]
pub(super) struct BatchFiles<'a> {
    all: Vec<BatchFile<'a>>,
    /// For each read its file.
    of_reads: Vec<usize>,
    /// Devices whose file systems do not tell where files lie.
    silent: HashSet<u64>,
    /// Calls to come for each device, if all of its inodes are wanted.
    calls: BTreeMap<u64, usize>,
}

impl<'a> BatchFiles<'a> {
    /// Groups reads by file, and lists folders of which there are many files.
    pub(super) fn of(reads: &[Read<'a>], work: &Work) -> Result<BatchFiles<'a>> {
        let mut files = BatchFiles::default();
        let mut index = HashMap::with_capacity(reads.len());
        let mut folders: Vec<(&Path, Vec<usize>)> = Vec::new();
        let mut folder_index = HashMap::new();
        for read in reads {
            let next = files.all.len();
            let file = *index.entry(read.path).or_insert(next);
            files.of_reads.push(file);
            if file < next {
                continue;
            }
            files.all.push(BatchFile { path: read.path, known: FileLocation::Bad, extents: None });
            let Some(folder) = read.path.parent() else { continue };
            let next = folders.len();
            let at = *folder_index.entry(folder).or_insert(next);
            if at == next {
                folders.push((folder, Vec::new()));
            }
            folders[at].1.push(file);
        }
        for (folder, members) in folders {
            work.cancel.check()?;
            files.look_into(folder, &members, work)?;
        }
        Ok(files)
    }

    /// The file of a read.
    pub(super) fn of_read(&self, read: usize) -> &BatchFile<'a> {
        &self.all[self.of_reads[read]]
    }

    /// The devices of all reads, as often as they come.
    pub(super) fn devices(&self) -> impl Iterator<Item = u64> {
        self.of_reads.iter().filter_map(|&file| self.all[file].device())
    }

    /// Whether the inodes of a device's files cost next to no calls.
    pub(super) fn inodes_are_free(&self, device: u64) -> bool {
        let calls = self.calls.get(&device).copied().unwrap_or(0);
        let files = self.all.iter().filter(|file| file.device() == Some(device)).count();
        calls * CALLS <= files
    }

    /// Whether no file of a device could be asked where it lies.
    pub(super) fn lacks_extents(&self, device: u64) -> bool {
        self.silent.contains(&device)
    }

    fn look_into(&mut self, folder: &Path, members: &[usize], work: &Work) -> Result<()> {
        let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let Ok(meta) = fs::metadata(here) else { return Ok(()) };
        let device = sys::identity(here, &meta).0;
        for &member in members {
            self.all[member].known = FileLocation::Folder { device };
        }
        let mut calls = members.len();
        if members.len() >= MANY {
            let found = self.list(here, device, members, work)?;
            calls = 1 + members.len() - found;
        }
        *self.calls.entry(device).or_default() += calls;
        Ok(())
    }

    /// Takes inode numbers from the folder's listing; returns how many files were in it.
    fn list(
        &mut self,
        folder: &Path,
        device: u64,
        members: &[usize],
        work: &Work,
    ) -> Result<usize> {
        let Ok(entries) = fs::read_dir(folder) else { return Ok(0) };
        let mut wanted: HashMap<_, usize> = members
            .iter()
            .filter_map(|&member| Some((self.all[member].path.file_name()?, member)))
            .collect();
        let mut found = 0;
        for (i, entry) in entries.take(members.len() * TOO_MANY).enumerate() {
            if i % 1024 == 0 {
                work.cancel.check()?;
            }
            let Ok(entry) = entry else { break };
            let Some(member) = wanted.remove(&*entry.file_name()) else { continue };
            // A link has an inode of its own: those are looked up one by one.
            if entry.file_type().is_ok_and(|kind| kind.is_file()) {
                self.all[member].known =
                    FileLocation::Here { device, inode: sys::inode_of_entry(&entry) };
                found += 1;
            }
            if wanted.is_empty() {
                break;
            }
        }
        Ok(found)
    }

    /// Looks up the inodes, one by one, that are wanted and that no listing gave. Whatever is not
    /// wanted is taken to be there.
    pub(super) fn look_up(&mut self, wanted: impl Fn(u64) -> bool, work: &Work) -> Result<()> {
        for file in &mut self.all {
            let FileLocation::Folder { device } = file.known else { continue };
            if !wanted(device) {
                file.known = FileLocation::Here { device, inode: None };
                continue;
            }
            work.cancel.check()?;
            file.known = match fs::metadata(file.path) {
                // Behind a link there may be another device: it is sorted with those of the link.
                Ok(meta) if meta.is_file() => {
                    FileLocation::Here { device, inode: Some(sys::identity(file.path, &meta).1) }
                }
                _ => FileLocation::Bad,
            };
        }
        Ok(())
    }

    /// Asks where the wanted files lie, in the order of their inodes.
    pub(super) fn map(&mut self, wanted: impl Fn(u64) -> bool, work: &Work) -> Result<()> {
        let mut queue: Vec<(u64, u64, usize)> = Vec::new();
        for (i, file) in self.all.iter().enumerate() {
            if let FileLocation::Here { device, inode } = file.known
                && wanted(device)
            {
                queue.push((device, inode.unwrap_or(0), i));
            }
        }
        queue.sort_unstable();
        for (device, _, i) in queue {
            work.cancel.check()?;
            if self.silent.contains(&device) {
                continue;
            }
            let file = &mut self.all[i];
            match open(file.path).and_then(|opened| extents::extents(&opened)) {
                Ok(extents) => file.extents = Some(extents),
                Err(error) if says_nothing(&error) => {
                    self.silent.insert(device);
                }
                Err(_) => file.known = FileLocation::Bad,
            }
        }
        Ok(())
    }
}

impl BatchFile<'_> {
    fn device(&self) -> Option<u64> {
        match self.known {
            FileLocation::Folder { device } | FileLocation::Here { device, .. } => Some(device),
            FileLocation::Bad => None,
        }
    }
}

/// Whether this error of FIEMAP means that the file system does not have it.
fn says_nothing(error: &std::io::Error) -> bool {
    let codes = [Errno::OPNOTSUPP, Errno::NOTTY, Errno::NOSYS].map(Errno::raw_os_error);
    error.kind() == ErrorKind::Unsupported
        || error.raw_os_error().is_some_and(|code| codes.contains(&code))
}

/// Opens a file to ask about it, not to read it; a pipe in its place does not block.
fn open(path: &Path) -> std::io::Result<fs::File> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
    Ok(fs::File::from(sys::openat(CWD, path, flags, Mode::empty())?))
}
