//! What lies below a folder, as its histories divide it.

use super::history::History;
use super::{FileState, Finding};
use crate::tree::read_files::is_file;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use solio_base::names::joined;
use solio_base::{Error, Result, Work, lock, unlock};
use solio_catalog::mhl::{self, ChainLink, FOLDER};
use solio_io::walk::{EntryKind, Listing, Visit, WalkOptions, walk};
use std::collections::{BTreeMap, HashSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// A folder with its histories, and all files in it that are not ignored.
pub(super) struct Tree {
    /// That of the folder itself first, then those within, outer ones before inner ones.
    pub(super) histories: Vec<History>,
    /// By history: that of the folder around it.
    pub(super) parents: Vec<Option<usize>>,
    /// By history: what it leaves out.
    matchers: Vec<Gitignore>,
    /// Each after those within it; the root comes last.
    pub(super) folders: Vec<Folder>,
    /// What cannot be recorded.
    pub(super) failed: Vec<Finding>,
}

/// A folder.
pub(super) struct Folder {
    pub(super) path: PathBuf,
    /// The history that it belongs to; where it is the root of one, that one.
    pub(super) history: usize,
    /// Its path within the history, `None` for its root.
    pub(super) name: Option<String>,
    /// Its files, by their names in it.
    pub(super) files: Vec<File>,
    /// Indices of the folders in it.
    pub(super) folders: Vec<usize>,
}

/// A file.
pub(super) struct File {
    pub(super) path: PathBuf,
    /// Its path within the history.
    pub(super) name: String,
}

/// Looks through the folder `root`; `ignore` are patterns beside those of its histories.
pub(super) fn look(root: &Path, ignore: &[String], work: &Work) -> Result<Tree> {
    let histories = vec![History::read(root, work)?];
    let patterns = [&histories[0].patterns()[..], ignore].concat();
    let (parents, matchers) = (vec![None], vec![matcher(root, &patterns)?]);
    let (folders, failed) = (Vec::new(), Vec::new());
    let tree = Tree { histories, parents, matchers, folders, failed };
    let mut look = Look { tree, open: vec![folder(root, 0, None)] };
    let mut waiting = vec![look.list(root, work)?.into_iter()];
    while let Some(found) = waiting.last_mut() {
        work.cancel.check()?;
        let Some((path, kind)) = found.next() else {
            waiting.pop();
            look.leave();
            continue;
        };
        if look.enter(&path, kind, work)? {
            waiting.push(look.list(&path, work)?.into_iter());
        }
    }
    Ok(look.tree)
}

/// What lies in one folder.
#[derive(Default)]
struct InFolder {
    found: Mutex<Vec<(PathBuf, EntryKind)>>,
    failed: Mutex<Vec<(PathBuf, Error)>>,
}

impl Visit for InFolder {
    type Folder = ();
    type Local = ();

    fn folder(&self, (): &mut (), listing: &Listing) -> Result<()> {
        let found = listing.entries().iter().map(|entry| (listing.path_of(entry), entry.kind));
        lock(&self.found).extend(found);
        Ok(())
    }

    fn failed(&self, path: &Path, error: Error) {
        lock(&self.failed).push((path.to_owned(), error));
    }
}

struct Look {
    tree: Tree,
    /// Folders from the root to the current one.
    open: Vec<Folder>,
}

impl Look {
    /// What is in a folder, by name; why there is no looking into it is noted.
    fn list(&mut self, path: &Path, work: &Work) -> Result<Vec<(PathBuf, EntryKind)>> {
        let folder = InFolder::default();
        let options = WalkOptions { flat: true, threads: 1, ..WalkOptions::of(work) };
        walk(&[path.to_owned()], &options, &folder)?;
        for (path, error) in unlock(folder.failed) {
            self.fail(&path, error);
        }
        Ok(unlock(folder.found))
    }

    /// The folder that was entered last is done.
    fn leave(&mut self) {
        let Some(folder) = self.open.pop() else { return };
        let index = self.tree.folders.len();
        self.tree.folders.push(folder);
        if let Some(outer) = self.open.last_mut() {
            outer.folders.push(index);
        }
    }

    /// Takes what was found; `true` for a folder that is looked into.
    fn enter(&mut self, path: &Path, kind: EntryKind, work: &Work) -> Result<bool> {
        let is_folder = kind == EntryKind::Folder;
        let Some(outer) = self.open.last() else { return Ok(false) };
        let outer = outer.history;
        if self.tree.is_ignored(path, is_folder, outer) {
            return Ok(false);
        }
        if !is_folder && !is_file(path, kind) {
            return Ok(false);
        }
        let name = match self.name(path, outer) {
            Ok(name) => name,
            Err(error) => return Ok(self.fail(path, error)),
        };
        if !is_folder {
            if let Some(folder) = self.open.last_mut() {
                folder.files.push(File { path: path.to_owned(), name });
            }
            return Ok(false);
        }
        let has_history = match solio_io::is_folder(&path.join(FOLDER)) {
            Ok(has_history) => has_history,
            // It may not be entered: the others are looked at all the same.
            Err(error) => return Ok(self.fail(path, error)),
        };
        if has_history {
            let history = History::read(path, work)?;
            self.tree.matchers.push(matcher(path, &history.patterns())?);
            self.tree.histories.push(history);
            self.tree.parents.push(Some(outer));
            self.open.push(folder(path, self.tree.histories.len() - 1, None));
        } else {
            self.open.push(folder(path, outer, Some(name)));
        }
        Ok(true)
    }

    /// Notes why something is left out.
    fn fail(&mut self, path: &Path, error: Error) -> bool {
        let (path, state) = (path.to_owned(), FileState::Failed(error));
        self.tree.failed.push(Finding { path, state });
        false
    }

    fn name(&self, path: &Path, history: usize) -> Result<String> {
        let root = &self.tree.histories[history].root;
        let name = path.strip_prefix(root).ok().and_then(Path::to_str);
        match name {
            Some(name) if mhl::can_be_named(name) => Ok(name.to_owned()),
            _ => Err(Error::unsupported("ASC MHL has no way to write this name")
                .at_path(path)
                .hint("names are text without control characters; rename it, or --exclude it")),
        }
    }
}

fn folder(path: &Path, history: usize, name: Option<String>) -> Folder {
    Folder { path: path.to_owned(), history, name, files: Vec::new(), folders: Vec::new() }
}

fn matcher(root: &Path, patterns: &[String]) -> Result<Gitignore> {
    let mut builder = GitignoreBuilder::new(root);
    let wrong = |e: ignore::Error| Error::argument(format!("pattern to ignore: {e}")).at_path(root);
    for pattern in patterns {
        builder.add_line(None, pattern).map_err(wrong)?;
    }
    builder.build().map_err(wrong)
}

impl Tree {
    /// A history and those around it.
    fn around(&self, history: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(history), |h| self.parents[*h])
    }

    /// By its history, or by one around that.
    fn is_ignored(&self, path: &Path, is_folder: bool, history: usize) -> bool {
        self.around(history).any(|h| self.matchers[h].matched(path, is_folder).is_ignore())
    }

    /// Whether a walk would not come to it: it is ignored, or a folder around it is.
    fn is_left_out(&self, path: &Path, is_folder: bool, history: usize) -> bool {
        self.around(history).any(|h| {
            let mut within = path.ancestors().take_while(|at| *at != self.histories[h].root);
            within.any(|at| self.matchers[h].matched(at, is_folder || at != path).is_ignore())
        })
    }

    /// Manifests of histories within that the histories around them refer to, and that are gone or not
    /// what they were. Where the folder itself is ignored now, nobody looks.
    pub(super) fn lost_references(&self) -> Vec<Finding> {
        let mut lost = BTreeMap::new();
        for (index, history) in self.histories.iter().enumerate() {
            for reference in history.generations.iter().flat_map(|it| &it.references) {
                let path = joined(&history.root, reference.path.as_ref());
                let Some(within) = path.ancestors().nth(2) else { continue };
                if self.is_left_out(within, true, index) || self.could_not_look(&path) {
                    continue;
                }
                let inner = self.histories.iter().find(|inner| inner.root == within);
                let links = inner.map_or(&[][..], |inner| &inner.chain.links);
                let is_it = |link: &&ChainLink| path.file_name() == Some(OsStr::new(&link.name));
                match links.iter().find(is_it).map(|link| link.digest) {
                    Some(found) if found == reference.digest => {}
                    Some(found) => {
                        let recorded = reference.digest;
                        lost.insert(path, FileState::Changed { recorded, found });
                    }
                    None => _ = lost.insert(path, FileState::Missing),
                }
            }
        }
        lost.into_iter().map(|(path, state)| Finding { path, state }).collect()
    }

    /// What the histories know and the tree has not, unless it is ignored now.
    pub(super) fn missing(&self) -> Vec<PathBuf> {
        let files = self.folders.iter().flat_map(|folder| &folder.files).map(|file| &file.path);
        let found: HashSet<&PathBuf> =
            self.folders.iter().map(|folder| &folder.path).chain(files).collect();
        let mut missing = Vec::new();
        for (index, history) in self.histories.iter().enumerate() {
            for (name, is_folder) in history.paths() {
                let path = joined(&history.root, name.as_ref());
                if !found.contains(&path) && !self.is_left_out(&path, is_folder, index) {
                    missing.push(path);
                }
            }
        }
        missing.retain(|path| !self.could_not_look(path));
        missing
    }

    /// Whether something on the way to `path` could not be looked at, which is told as such.
    fn could_not_look(&self, path: &Path) -> bool {
        self.failed.iter().any(|failed| path.starts_with(&failed.path))
    }
}
