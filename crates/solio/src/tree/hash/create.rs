//! A folder gets a new generation of its history, and so do those within that have their own.

use super::history::History;
use super::tree::{Folder, Tree, look};
use super::{FileState, Finding, HashJob, Hashed, hash_files};
use solio_base::{Error, ErrorKind, Result, Work};
use solio_catalog::mhl::{
    self, Action, CHAIN, ChainLink, Content, Creator, ENDING, Entry, FOLDER, FileHash,
    FolderDigest, FolderHash, FolderHasher, Manifest, Reference, encode_chain, encode_manifest,
};
use solio_codec::digest::{Algorithm, Digest};
use solio_io::order::Order;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a generation is made of.
///
/// ```
/// use solio::catalog::mhl::{Author, Creator};
/// use solio::digest::Algorithm;
/// use solio::{MhlOptions, create_mhl, write_bytes};
/// # let folder = tempfile::tempdir().unwrap();
/// # let reel = folder.path();
/// # write_bytes(&reel.join("A001.mov"), b"a clip")?;
/// # write_bytes(&reel.join("A001.tmp"), b"half a clip")?;
/// let author = Author { name: Some("Kim".into()), role: Some("DIT".into()), ..Author::default() };
/// let options = MhlOptions {
///     algorithms: vec![Algorithm::Xxh128, Algorithm::Md5],
///     ignore: vec!["*.tmp".into()],
///     creator: Creator { authors: vec![author], ..Creator::default() },
///     ..MhlOptions::default()
/// };
/// let created = create_mhl(reel, &options, &Default::default())?;
/// assert_eq!(created.files, 1);
/// let manifest = std::fs::read_to_string(&created.manifests[0]).unwrap();
/// assert!(manifest.contains("<md5 ") && manifest.contains("Kim"));
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct MhlOptions {
    /// Those of [`mhl::ALGORITHMS`]; XXH128 where there is none.
    pub algorithms: Vec<Algorithm>,
    /// Patterns, as those of git, of what is left out from now on.
    pub ignore: Vec<String>,
    /// People, location and comment; the rest is filled in.
    pub creator: Creator,
    /// In which order files are read.
    pub order: Order,
}

/// A generation that was made.
///
/// ```
/// use solio::{FileState, create_mhl, write_bytes};
/// # let folder = tempfile::tempdir().unwrap();
/// # let reel = folder.path();
/// # let (options, work) = Default::default();
/// write_bytes(&reel.join("A001.mov"), b"a clip")?;
/// create_mhl(reel, &options, &work)?;
/// // A clip more, and one that is not what it was.
/// write_bytes(&reel.join("A001.mov"), b"a clap")?;
/// write_bytes(&reel.join("A002.mov"), b"another clip")?;
/// let second = create_mhl(reel, &options, &work)?;
/// assert_eq!((second.generation, second.original, second.verified), (2, 1, 0));
/// assert!(matches!(second.problems[0].state, FileState::Changed { .. }));
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct MhlCreated {
    /// The manifests, those of folders within first.
    pub manifests: Vec<PathBuf>,
    /// The number of the generation of the folder itself.
    pub generation: u64,
    /// Files that were read.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Files that no generation knew.
    pub original: u64,
    /// Files that are what they were.
    pub verified: u64,
    /// What is wrong: files that changed (recorded as failed), are missing, or cannot be read; and
    /// manifests of histories within that are not those that were referred to.
    pub problems: Vec<Finding>,
}

/// Sums up the folder `root`, compares it with its history (ASC MHL), and writes the next generation
/// into its folder `ascmhl`. Each file is read once. What is wrong with files does not stop it.
///
/// ```
/// use solio::{create_mhl, write_bytes};
/// # let folder = tempfile::tempdir().unwrap();
/// # let reel = folder.path();
/// # let (options, work) = Default::default();
/// write_bytes(&reel.join("A001.mov"), b"a clip")?;
/// let first = create_mhl(reel, &options, &work)?;
/// assert_eq!((first.generation, first.files, first.original), (1, 1, 1));
/// assert!(first.manifests[0].starts_with(reel.join("ascmhl")));
/// // After a copy: the same files are read again, and held against the first generation.
/// let second = create_mhl(reel, &options, &work)?;
/// assert_eq!((second.generation, second.verified, second.problems.len()), (2, 1, 0));
/// # Ok::<(), solio::Error>(())
/// ```
///
/// # Errors
/// Where a history is damaged, or the generation cannot be written; `Cancelled`.
pub fn create_mhl(root: &Path, options: &MhlOptions, work: &Work) -> Result<MhlCreated> {
    if !solio_io::is_folder(root)? {
        return Err(Error::argument("a history is that of a folder; there is none").at_path(root));
    }
    let mut algorithms = options.algorithms.clone();
    if algorithms.is_empty() {
        algorithms.push(Algorithm::Xxh128);
    }
    if let Some(unknown) = algorithms.iter().find(|a| !mhl::ALGORITHMS.contains(a)) {
        let known = mhl::ALGORITHMS.map(Algorithm::name).join(", ");
        let message = format!("ASC MHL has no {}; it knows {known}", unknown.name());
        return Err(Error::argument(message));
    }
    // What a kill has left is not part of what the folder holds.
    let _ = std::fs::remove_dir_all(root.join(UNFINISHED));
    let mut tree = look(root, &options.ignore, work)?;
    let date = iso_date(solio_measure::unix_s() as i64);
    let mut created = MhlCreated::default();
    let files = hash_all(&tree, &algorithms, options.order, work)?;
    let mut making = Making { tree: &tree, date, algorithms, files, created: &mut created };
    let manifests = making.manifests(options);
    let missing = tree.missing().into_iter();
    let lost = tree.lost_references();
    created.problems.append(&mut tree.failed);
    created.problems.extend(missing.map(|path| Finding { path, state: FileState::Missing }));
    created.problems.extend(lost);
    write_all(&tree, manifests, work, &mut created)?;
    Ok(created)
}

/// `2020-01-16T09:15:00+00:00`
fn iso_date(unix_s: i64) -> String {
    let date = solio_photo::date_of_unix(unix_s);
    let (day, time) = date.split_once(' ').unwrap_or((&date, "00:00:00"));
    format!("{}T{time}+00:00", day.replace(':', "-"))
}

/// Reads all files, by the folder and the place in it.
fn hash_all(
    tree: &Tree,
    wanted: &[Algorithm],
    order: Order,
    work: &Work,
) -> Result<HashMap<PathBuf, Result<Hashed>>> {
    let plain: Arc<[Algorithm]> = wanted.into();
    let mut jobs = Vec::new();
    for folder in &tree.folders {
        let history = &tree.histories[folder.history];
        for file in &folder.files {
            let algorithms = match history.hashes(&file.name).next() {
                Some(_) => algorithms(history, &file.name, wanted).into(),
                None => plain.clone(),
            };
            jobs.push(HashJob { path: file.path.clone(), algorithms });
        }
    }
    let mut files = HashMap::with_capacity(jobs.len());
    hash_files(&jobs, order, work, |index, result| match result {
        Err(error) if error.kind() == ErrorKind::Cancelled => Err(error),
        result => {
            files.insert(jobs[index].path.clone(), result);
            Ok(true)
        }
    })?;
    Ok(files)
}

/// Those wanted, the ones that the history has first; where it has none of them, its first one, so
/// that what is new rests on what is known.
fn algorithms(history: &History, name: &str, wanted: &[Algorithm]) -> Vec<Algorithm> {
    let mut known: Vec<Algorithm> = Vec::new();
    for hash in history.hashes(name) {
        if !known.contains(&hash.digest.algorithm()) {
            known.push(hash.digest.algorithm());
        }
    }
    let first = known.first().copied();
    known.retain(|algorithm| wanted.contains(algorithm));
    if known.is_empty() {
        known.extend(first);
    }
    known.extend(wanted.iter().filter(|w| !known.contains(w)).copied().collect::<Vec<_>>());
    known
}

struct Making<'t> {
    tree: &'t Tree,
    date: String,
    algorithms: Vec<Algorithm>,
    files: HashMap<PathBuf, Result<Hashed>>,
    created: &'t mut MhlCreated,
}

impl Making<'_> {
    /// The manifests of all histories, by their index; references are still missing.
    fn manifests(&mut self, options: &MhlOptions) -> Vec<Manifest> {
        let creator = Creator {
            date: self.date.clone(),
            host: solio_io::host_name(),
            tool: "solio".into(),
            tool_version: Some(env!("CARGO_PKG_VERSION").into()),
            ..options.creator.clone()
        };
        let tree = self.tree;
        let manifest = |history: &History| Manifest {
            creator: creator.clone(),
            process: "in-place".into(),
            ignore: patterns(history, &options.ignore, history.root == tree.histories[0].root),
            ..Manifest::default()
        };
        let mut manifests: Vec<Manifest> = tree.histories.iter().map(manifest).collect();
        // By folder; none where something in it could not be read.
        let mut digests: Vec<Vec<FolderDigest>> = Vec::new();
        for folder in &tree.folders {
            let found = self.folder(folder, &digests, &mut manifests[folder.history].entries);
            self.record(folder, &found, &mut manifests);
            digests.push(found);
        }
        manifests
    }

    /// Records the files of a folder; gives its digests.
    fn folder(
        &mut self,
        folder: &Folder,
        below: &[Vec<FolderDigest>],
        entries: &mut Vec<Entry>,
    ) -> Vec<FolderDigest> {
        let mut hashers: Vec<FolderHasher> =
            self.algorithms.iter().map(|a| FolderHasher::new(*a)).collect();
        // Of what could not be looked at nobody knows the digest.
        let is_in_it = |failed: &Finding| {
            failed.path == folder.path || failed.path.parent() == Some(&*folder.path)
        };
        let mut whole = !self.tree.failed.iter().any(is_in_it);
        for file in &folder.files {
            let history = &self.tree.histories[folder.history];
            match self.files.remove(&file.path) {
                Some(Ok(hashed)) => {
                    let name = last(&file.path);
                    for (hasher, algorithm) in hashers.iter_mut().zip(&self.algorithms) {
                        let digest = hashed.digests.iter().find(|d| d.algorithm() == *algorithm);
                        digest.iter().for_each(|digest| hasher.add_file(name, digest));
                    }
                    entries.push(self.file(history, &file.name, &file.path, &hashed));
                }
                Some(Err(error)) => {
                    whole = false;
                    let (path, state) = (file.path.clone(), FileState::Failed(error));
                    self.created.problems.push(Finding { path, state });
                }
                None => whole = false,
            }
        }
        for index in &folder.folders {
            whole &= !below[*index].is_empty();
            let name = last(&self.tree.folders[*index].path);
            for (hasher, digest) in hashers.iter_mut().zip(&below[*index]) {
                hasher.add_folder(name, digest);
            }
        }
        if whole { hashers.into_iter().map(FolderHasher::finish).collect() } else { Vec::new() }
    }

    /// A digest by a new algorithm is recorded only where one by a known algorithm agrees.
    fn file(&mut self, history: &History, name: &str, path: &Path, hashed: &Hashed) -> Entry {
        self.created.files += 1;
        self.created.bytes += hashed.bytes;
        let is_original = history.original(name).is_none();
        self.created.original += u64::from(is_original);
        let mut failed = None;
        let mut hashes = Vec::new();
        for digest in &hashed.digests {
            let recorded = history.first(name, digest.algorithm());
            let action = match recorded {
                _ if is_original => Action::Original,
                Some(recorded) if recorded == *digest => Action::Verified,
                Some(recorded) => {
                    failed = Some(FileState::Changed { recorded, found: *digest });
                    Action::Failed
                }
                None if failed.is_some() => continue,
                None => Action::Verified,
            };
            let date = Some(self.date.clone());
            hashes.push(FileHash { digest: *digest, action: Some(action), date });
        }
        match failed {
            Some(state) => self.created.problems.push(Finding { path: path.to_owned(), state }),
            None => self.created.verified += u64::from(!is_original),
        }
        Entry {
            path: name.to_owned(),
            previous_path: None,
            modified: Some(iso_date(hashed.modified_ns.div_euclid(1_000_000_000))),
            content: Content::File { size: Some(hashed.bytes), hashes },
        }
    }

    /// Records a folder: in its history, and where it is the root of one, in the one around it.
    fn record(&self, folder: &Folder, digests: &[FolderDigest], manifests: &mut [Manifest]) {
        let date = Some(self.date.clone());
        let hash = |digest: &FolderDigest| FolderHash { digest: *digest, date: date.clone() };
        let hashes: Vec<FolderHash> = digests.iter().map(hash).collect();
        let (history, name) = match (&folder.name, self.tree.parents[folder.history]) {
            (Some(name), _) => (folder.history, name.clone()),
            (None, outer) => {
                manifests[folder.history].root = hashes.clone();
                let Some(outer) = outer else { return };
                let within = folder.path.strip_prefix(&self.tree.histories[outer].root);
                let Some(name) = within.ok().and_then(Path::to_str) else { return };
                (outer, name.to_owned())
            }
        };
        // The schema knows no folder without a digest.
        if hashes.is_empty() {
            return;
        }
        let modified = solio_io::walk::status_of(&folder.path).ok();
        let modified = modified.map(|s| iso_date(s.modified_ns.div_euclid(1_000_000_000)));
        let content = Content::Folder(hashes);
        manifests[history].entries.push(Entry {
            path: name,
            previous_path: None,
            modified,
            content,
        });
    }
}

fn last(path: &Path) -> &[u8] {
    path.file_name().unwrap_or_default().as_encoded_bytes()
}

/// Patterns that say where they hold belong to the folder that was named, others to all within.
fn patterns(history: &History, more: &[String], is_outermost: bool) -> Vec<String> {
    let mut patterns = history.patterns();
    for pattern in more {
        if (is_outermost || !pattern.contains('/')) && !patterns.contains(pattern) {
            patterns.push(pattern.clone());
        }
    }
    patterns
}

/// Writes histories within before those that refer to them.
fn write_all(
    tree: &Tree,
    mut manifests: Vec<Manifest>,
    work: &Work,
    created: &mut MhlCreated,
) -> Result<()> {
    for (index, history) in tree.histories.iter().enumerate().rev() {
        work.cancel.check()?;
        let manifest = std::mem::take(&mut manifests[index]);
        let number = history.next_number();
        let (path, digest) = write(history, number, &manifest)?;
        if let Some(outer) = tree.parents[index] {
            let within = path.strip_prefix(&tree.histories[outer].root).ok().and_then(Path::to_str);
            let path = within.unwrap_or_default().to_owned();
            // From the last one to the first.
            manifests[outer].references.insert(0, Reference { path, digest });
        }
        created.manifests.push(path);
        created.generation = number;
    }
    Ok(())
}

/// Where a folder's first generation is made, beside its folder `ascmhl`.
const UNFINISHED: &str = ".ascmhl.solio-first.tmp";

/// Writes a manifest, then the chain that lists it. The first time both appear at once: a manifest
/// without a chain would be taken for a damaged history.
fn write(history: &History, number: u64, manifest: &Manifest) -> Result<(PathBuf, Digest)> {
    let folder = solio_base::names::joined(&history.root, FOLDER.as_ref());
    if solio_io::is_folder(&folder)? {
        return write_into(&folder, history, number, manifest);
    }
    let unfinished = history.root.join(UNFINISHED);
    let made = || {
        std::fs::create_dir(&unfinished).map_err(|e| Error::io("make", e).at_path(&unfinished))?;
        let (path, digest) = write_into(&unfinished, history, number, manifest)?;
        std::fs::rename(&unfinished, &folder)
            .map_err(|e| Error::io("put in place", e).at_path(&folder))?;
        Ok((solio_base::names::joined(&folder, path.file_name().unwrap_or_default()), digest))
    };
    let written = made();
    if written.is_err() {
        let _ = std::fs::remove_dir_all(&unfinished);
    }
    written
}

fn write_into(
    folder: &Path,
    history: &History,
    number: u64,
    manifest: &Manifest,
) -> Result<(PathBuf, Digest)> {
    let whole = solio_base::names::canonical(&history.root)
        .map_err(|e| Error::io("find", e).at_path(folder))?;
    let name = whole.file_name().and_then(|name| name.to_str());
    let name = name.filter(|name| mhl::can_be_named(name)).unwrap_or("root");
    // `2020-01-16T09:15:00+00:00` becomes `2020-01-16_091500Z`.
    let date = manifest.creator.date.replace('T', "_").replace(':', "");
    let date = date.split('+').next().unwrap_or_default();
    let name = format!("{number:04}_{name}_{date}Z{ENDING}");
    let text = encode_manifest(manifest);
    let digest = Digest::of(Algorithm::C4, text.as_bytes());
    let path = solio_base::names::joined(folder, name.as_ref());
    crate::write_bytes(&path, text.as_bytes())?;
    let mut chain = history.chain.clone();
    chain.links.push(ChainLink { number, name, digest });
    let listed = crate::write_bytes(&folder.join(CHAIN), encode_chain(&chain).as_bytes());
    if let Err(error) = listed {
        // A generation that the chain does not list is none.
        let _ = std::fs::remove_file(&path);
        return Err(error);
    }
    Ok((path, digest))
}
