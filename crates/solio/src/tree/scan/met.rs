//! A file that was met, beside what the catalogue knows.

use super::places::VolumeHere;
use super::row::{number, set_status};
use solio_base::Result;
use solio_base::names::OsStrBytes;
use solio_catalog::look;
use solio_catalog::row::{Cell, Cells, Level, Row, column};
use solio_catalog::store::{Known, KnownFile};
use solio_codec::compress::Compression;
use solio_io::walk::{self, EntryKind, Status};
use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

/// A file that was met.
pub(super) struct Met<'m> {
    pub(super) folder: &'m Arc<[u8]>,
    pub(super) name: &'m [u8],
    pub(super) known: Option<&'m KnownFile>,
    pub(super) status: Status,
    pub(super) kind: EntryKind,
    /// Where it lies.
    pub(super) volume: VolumeHere,
}

impl<'m> Met<'m> {
    /// An object of a store.
    #[cfg(feature = "objects")]
    pub(super) fn object(
        folder: &'m Arc<[u8]>,
        name: &'m [u8],
        known: Option<&'m KnownFile>,
        status: Status,
    ) -> Met<'m> {
        Met { folder, name, known, status, kind: EntryKind::File, volume: None }
    }

    /// The number of its volume.
    pub(super) fn volume(&self) -> Option<i64> {
        self.volume.map(|(id, _)| id)
    }

    /// Sets what the system says of it now, whatever else is known of it.
    pub(super) fn set_status(&self, cells: &mut Cells) {
        set_status(cells, &self.status);
        cells.set(column::VOLUME, self.volume().map_or(Cell::Null, Cell::Integer));
    }

    /// Whether of a file that is as before something else is not: nothing that is in it.
    pub(super) fn is_restated(&self) -> bool {
        self.known.is_some_and(|known| {
            known.changed_ns != self.status.changed_ns || known.volume != self.volume()
        })
    }

    /// Whether size, times and inode are what they were: of time of birth and time of change what is told.
    pub(super) fn is_as_before(&self) -> bool {
        let Status { size, modified_ns, inode, born_ns, changed_ns, .. } = self.status;
        self.known.is_some_and(|known| {
            let is_born_then = known.born_ns.zip(born_ns).is_none_or(|(then, now)| then == now);
            let is_told = self.volume.is_none_or(|(_, tells_changes)| tells_changes);
            let changed = known.changed_ns.zip(changed_ns).filter(|_| is_told);
            is_born_then
                && changed.is_none_or(|(then, now)| then == now)
                && (known.size, known.modified_ns, known.inode) == (size, modified_ns, inode)
        })
    }

    /// A file that is as before, and of which more was asked now: what was known stays known.
    pub(super) fn complete(&self, known: &Known, cells: &mut Cells) -> Result<()> {
        // Of a file that could not be read, only that is known.
        let known_before = self.known.filter(|file| file.level != Level::default());
        let (Some(file), Some(level)) = (known_before, cells.integer(column::LEVEL)) else {
            return Ok(());
        };
        let Some((before, _)) = known.row(self.folder, self.name)? else { return Ok(()) };
        let level = look::join(cells, &before, Level(level as u32), file.level, |_| true);
        cells.set_integer(column::LEVEL, level.0);
        Ok(())
    }

    /// A file that was looked at again, though it seemed to be as before, must be as before. Where its
    /// hash says that it is, what was known stays known, too.
    pub(super) fn compare(&self, known: &Known, cells: &mut Cells) -> Result<()> {
        let Some((before, _)) = known.row(self.folder, self.name)? else { return Ok(()) };
        let hashes = before.text(column::XXH128).zip(cells.text(column::XXH128));
        match hashes {
            Some((before, now)) if before == now => self.complete(known, cells),
            Some((before, _)) => {
                let words = format!(
                    "the content has changed, though size and time have not (xxh128 was {before})"
                );
                let mut all = look::problems(cells);
                all.push(words);
                look::set_problems(cells, &all);
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// What is known of the file under another name: of one with its inode, size, time, and time of
    /// birth. Where nobody tells that time, another file may have taken the inode of one that is gone.
    pub(super) fn renamed(&self, known: &Known, wanted: Level) -> Result<Option<Renamed>> {
        let Status { size, modified_ns, inode, .. } = self.status;
        if let Some((cells, thumbnail)) =
            known.excluded(self.folder, self.name, size, modified_ns, inode)?
        {
            let level = Level(cells.integer(column::LEVEL).unwrap_or(0) as u32);
            let from = (Arc::clone(self.folder), self.name.into());
            let is_enough = level.covers(wanted);
            let (is_gone, is_of_its_kind) = (false, true);
            let back = Renamed { from, cells, thumbnail, is_gone, is_of_its_kind, is_enough };
            return Ok(Some(back));
        }
        let Some(born_ns) = self.status.born_ns else { return Ok(None) };
        let mut found = None;
        for (folder, name) in known.same_inode(inode, size, modified_ns, born_ns, self.volume())? {
            let Some((cells, thumbnail)) = known.row(&folder, &name)? else { continue };
            let level = Level(cells.integer(column::LEVEL).unwrap_or(0) as u32);
            // What kind it is depends on the name; whether a problem is one, and all of a scene, on the
            // place, too.
            let is_elsewhere = folder[..] != self.folder[..] && crate::is_scene(path(self.name));
            let is_of_its_kind = ending(&name) == ending(self.name) && !is_elsewhere;
            let is_enough =
                level.covers(wanted) && cells.text(column::PROBLEMS).is_none() && is_of_its_kind;
            if found.is_some() && !is_enough {
                continue;
            }
            let old = solio_catalog::row::path_of(&folder, &name);
            let is_gone = walk::status_of(path(&old)).is_err();
            let from = (folder.into(), name.into());
            found = Some(Renamed { from, cells, thumbnail, is_gone, is_of_its_kind, is_enough });
            if is_enough {
                break;
            }
        }
        Ok(found)
    }

    /// The row of the file with these values.
    pub(super) fn row(&self, cells: Cells) -> Row {
        let mut row = Row { folder: Arc::clone(self.folder), name: self.name.into(), cells };
        self.set_status(&mut row.cells);
        number(&mut row);
        row
    }
}

fn path(bytes: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(bytes))
}

/// What the end of a name says about the content: the extension, of packed files the one before, too.
fn ending(name: &[u8]) -> (Compression, Option<Vec<u8>>) {
    let compression = Compression::of_name(&String::from_utf8_lossy(name));
    let plain = path(&name[..name.len() - compression.extension().len()]);
    (compression, plain.extension().map(|end| end.as_bytes().to_ascii_lowercase()))
}

/// A file that is known under another name.
pub(super) struct Renamed {
    /// Its folder and name there.
    pub(super) from: (Arc<[u8]>, Box<[u8]>),
    pub(super) cells: Cells,
    pub(super) thumbnail: Option<Vec<u8>>,
    /// The other name is no more; else it is a second one of the same file.
    pub(super) is_gone: bool,
    /// Both names say the same of the content; else only what the bytes alone decide holds.
    pub(super) is_of_its_kind: bool,
    /// All of it holds under this name, too, and no more was asked for.
    pub(super) is_enough: bool,
}

impl Renamed {
    /// The hash, where it is known.
    pub(super) fn hash(&self) -> Option<&str> {
        self.cells.text(column::XXH128)
    }

    /// What holds under the new name, too, stays known of a file that was looked at under it.
    pub(super) fn complete(&self, cells: &mut Cells) {
        // Of a file that could not be read, only that is known.
        let Some(level) = cells.integer(column::LEVEL) else { return };
        let mut level = Level(level as u32);
        let mut before = Level(self.cells.integer(column::LEVEL).unwrap_or(0) as u32);
        let only_head = |level: Level| level.without(Level::LOOKS).with(Level::HEAD);
        // Problems there may be others, or none, here: they stay until a look for them.
        let has_problems = self.cells.text(column::PROBLEMS).is_some();
        let is_looked_for = has_problems && level.without(only_head(level)) != Level::default();
        if is_looked_for {
            before = only_head(before);
        }
        if self.is_of_its_kind && before != Level::default() {
            let is_of_the_name = |place| place == column::SEQUENCE || place == column::FRAME;
            level = look::join(cells, &self.cells, level, before, |place| !is_of_the_name(place));
        }
        if has_problems && !is_looked_for {
            level = only_head(level);
        }
        if let Some(hash) = self.hash() {
            cells.set_text(column::XXH128, hash);
            level = level.with(Level::HASHED);
        }
        if self.thumbnail.is_some() {
            level = level.with(Level::THUMBNAIL);
        }
        cells.set_integer(column::LEVEL, level.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_tell_what_may_be_in_a_file() {
        let same = |a: &str, b: &str| ending(a.as_bytes()) == ending(b.as_bytes());
        for (a, b) in [("a.exr", "b.EXR"), ("a.1.obj.gz", "b.obj.GZ"), ("a", "b"), (".a", "b")] {
            assert!(same(a, b), "{a} {b}");
        }
        for (a, b) in
            [("a.exr", "a.jpg"), ("a.obj", "a.obj.gz"), ("a.obj.gz", "a.ply.gz"), ("a", "a.exr")]
        {
            assert!(!same(a, b), "{a} {b}");
        }
    }
}
