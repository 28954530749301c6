//! Histories of folders as they lie on the disk, and what their generations say of a path.

use solio_base::{Error, Limits, Result, Work};
use solio_catalog::mhl::{
    self, Action, CHAIN, Chain, Content, FOLDER, FileHash, Manifest, decode_chain, decode_manifest,
};
use solio_codec::digest::{Algorithm, Digest};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The history of a folder; empty before its first generation.
#[derive(Debug, Default)]
pub(super) struct History {
    /// The folder.
    pub(super) root: PathBuf,
    pub(super) chain: Chain,
    /// The first one first, as the chain has them.
    pub(super) generations: Vec<Manifest>,
    /// All that is said of a file: generation and entry, the first generation first.
    said: BTreeMap<String, Vec<(usize, usize)>>,
}

/// Whether `root` has a history.
///
/// ```
/// use solio::{MhlOptions, Work, create_mhl, has_mhl};
/// # let folder = tempfile::tempdir().unwrap();
/// # let reel = folder.path();
/// # solio::write_bytes(&reel.join("A001.mov"), b"a clip")?;
/// assert!(!has_mhl(reel));
/// create_mhl(reel, &MhlOptions::default(), &Work::default())?;
/// assert!(has_mhl(reel));
/// # Ok::<(), solio::Error>(())
/// ```
pub fn has_mhl(root: &Path) -> bool {
    root.join(FOLDER).is_dir()
}

impl History {
    /// Reads the history of the folder `root`; an empty one where there is none.
    ///
    /// # Errors
    /// Where a manifest is missing, not the one of the chain, or cannot be read.
    pub(super) fn read(root: &Path, work: &Work) -> Result<History> {
        let mut history = History { root: root.to_owned(), ..History::default() };
        let folder = root.join(FOLDER);
        if !solio_io::is_folder(&folder)? {
            return Ok(history);
        }
        let limits = Limits::default();
        let path = folder.join(CHAIN);
        let text = solio_io::read_whole(&path, &limits, work).map_err(|e| {
            e.hint("a folder ascmhl without a chain is no history; move it away to begin a new one")
        })?;
        history.chain = decode_chain(&text, &limits).map_err(|e| e.at_path(&path))?;
        for link in &history.chain.links {
            let path = folder.join(&link.name);
            let text = solio_io::read_whole(&path, &limits, work)?;
            if Digest::of(Algorithm::C4, &text) != link.digest {
                let error =
                    Error::corrupt(format!("the manifest is not the one that {CHAIN} lists"));
                let hint = "bring back the copy whose C4 is in the chain";
                return Err(error.at_path(&path).hint(hint));
            }
            let manifest = decode_manifest(&text, &limits).map_err(|e| e.at_path(&path))?;
            history.generations.push(manifest);
        }
        history.index();
        Ok(history)
    }

    /// What was renamed is found by its new path.
    fn index(&mut self) {
        let mut said: BTreeMap<String, Vec<(usize, usize)>> = BTreeMap::new();
        for (g, generation) in self.generations.iter().enumerate() {
            for (e, entry) in generation.entries.iter().enumerate() {
                let before = entry.previous_path.as_ref().and_then(|path| said.remove(path));
                let places = said.entry(entry.path.clone()).or_default();
                places.extend(before.unwrap_or_default());
                places.push((g, e));
            }
        }
        said.values_mut().for_each(|places| places.sort_unstable());
        self.said = said;
    }

    /// The number that the next generation gets.
    pub(super) fn next_number(&self) -> u64 {
        self.chain.links.iter().map(|link| link.number).max().unwrap_or(0) + 1
    }

    /// The patterns of the last generation, or those that every history begins with.
    pub(super) fn patterns(&self) -> Vec<String> {
        match self.generations.last() {
            Some(last) if !last.ignore.is_empty() => last.ignore.clone(),
            _ => mhl::IGNORED.map(str::to_owned).to_vec(),
        }
    }

    /// All files and folders that are known, by path, and whether each is a folder.
    pub(super) fn paths(&self) -> impl Iterator<Item = (&str, bool)> {
        let is_folder = |(g, e): &(usize, usize)| {
            matches!(self.generations[*g].entries[*e].content, Content::Folder(_))
        };
        self.said.iter().map(move |(path, said)| (&**path, said.last().is_some_and(is_folder)))
    }

    /// What is said of a file, the first generation first.
    pub(super) fn hashes<'h>(&'h self, path: &str) -> impl Iterator<Item = &'h FileHash> + use<'h> {
        let places = self.said.get(path).map(Vec::as_slice).unwrap_or_default();
        places.iter().flat_map(|(g, e)| match &self.generations[*g].entries[*e].content {
            Content::File { hashes, .. } => hashes.as_slice(),
            Content::Folder(_) => &[],
        })
    }

    /// The digest that all later ones are held against.
    pub(super) fn original(&self, path: &str) -> Option<&FileHash> {
        self.hashes(path).find(|hash| hash.action == Some(Action::Original))
    }

    /// The first digest of a file by `algorithm`.
    pub(super) fn first(&self, path: &str, algorithm: Algorithm) -> Option<Digest> {
        self.hashes(path).map(|hash| hash.digest).find(|digest| digest.algorithm() == algorithm)
    }
}
