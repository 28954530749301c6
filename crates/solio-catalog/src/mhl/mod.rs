//! ASC Media Hash List 2.0: what a folder held, generation after generation.
//!
//! A folder with a history has a folder `ascmhl` in it. Each generation is a manifest there, such as
//! `0002_A002R2EC_2020-01-17_143000Z.mhl`; `ascmhl_chain.xml` lists them with the C4 of each, so that
//! none is changed unnoticed. Folders within may have histories of their own, to which the outer
//! manifests refer.
//!
//! Specification: <https://theasc.com/society/ascmitc/asc-media-hash-list>, with the XML Schema
//! (`urn:ASC:MHL:v2.0`) and the reference tool of <https://github.com/ascmitc/mhl>.

mod chain;
mod folder;
mod read;
mod write;
mod xml;

pub use chain::{Chain, ChainLink, decode_chain, encode_chain};
pub use folder::{FolderDigest, FolderHasher};
pub use read::decode_manifest;
pub use write::{can_be_named, encode_manifest};

use solio_codec::digest::{Algorithm, Digest};

/// The folder of a history.
pub const FOLDER: &str = "ascmhl";
/// The file in it that lists the generations.
pub const CHAIN: &str = "ascmhl_chain.xml";
/// How names of manifests end.
pub const ENDING: &str = ".mhl";
/// What is not part of any history.
pub const IGNORED: [&str; 3] = [".DS_Store", "ascmhl", "ascmhl/"];
/// The algorithms that a manifest may hold, in the order of the schema.
pub const ALGORITHMS: [Algorithm; 6] = [
    Algorithm::C4,
    Algorithm::Md5,
    Algorithm::Sha1,
    Algorithm::Xxh128,
    Algorithm::Xxh3,
    Algorithm::Xxh64,
];

/// One generation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    /// Who wrote it.
    pub creator: Creator,
    /// `in-place`, `transfer` or `flatten`.
    pub process: String,
    /// Digests of the folder itself.
    pub root: Vec<FolderHash>,
    /// Patterns, as those of git, of what was left out.
    pub ignore: Vec<String>,
    /// Files and folders.
    pub entries: Vec<Entry>,
    /// Manifests of histories within.
    pub references: Vec<Reference>,
}

/// Who wrote a manifest, when and where.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Creator {
    /// ISO 8601.
    pub date: String,
    /// The machine.
    pub host: String,
    /// The program.
    pub tool: String,
    /// Its version.
    pub tool_version: Option<String>,
    /// People.
    pub authors: Vec<Author>,
    /// Where it was written.
    pub location: Option<String>,
    /// Whatever else there is to say.
    pub comment: Option<String>,
}

/// A person.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Author {
    /// The name.
    pub name: Option<String>,
    /// The role.
    pub role: Option<String>,
    /// The address of mail.
    pub email: Option<String>,
    /// The number of a telephone.
    pub phone: Option<String>,
}

/// A file or a folder, by its path from the folder of the history on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Parts are separated by `/`.
    pub path: String,
    /// The path that earlier generations call it by, where it was renamed.
    pub previous_path: Option<String>,
    /// When its content changed last, in ISO 8601.
    pub modified: Option<String>,
    /// What it is.
    pub content: Content,
}

/// What is known of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// A file.
    File {
        /// Bytes.
        size: Option<u64>,
        /// One or more digests.
        hashes: Vec<FileHash>,
    },
    /// A folder.
    Folder(Vec<FolderHash>),
}

impl Entry {
    /// The digests of a file; none of a folder.
    pub fn file_hashes(&self) -> &[FileHash] {
        match &self.content {
            Content::File { hashes, .. } => hashes,
            Content::Folder(_) => &[],
        }
    }
}

/// A digest of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileHash {
    /// The digest.
    pub digest: Digest,
    /// What it was to earlier generations.
    pub action: Option<Action>,
    /// When it was made, in ISO 8601.
    pub date: Option<String>,
}

/// The digests of a folder by one algorithm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderHash {
    /// The digests.
    pub digest: FolderDigest,
    /// When they were made, in ISO 8601.
    pub date: Option<String>,
}

/// What a digest was to earlier generations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// There was none for this file.
    Original,
    /// It agrees.
    Verified,
    /// It does not agree.
    Failed,
}

impl Action {
    /// As it stands in a manifest.
    pub fn name(self) -> &'static str {
        match self {
            Action::Original => "original",
            Action::Verified => "verified",
            Action::Failed => "failed",
        }
    }

    fn from_name(name: &str) -> Option<Action> {
        [Action::Original, Action::Verified, Action::Failed].into_iter().find(|a| a.name() == name)
    }
}

/// A manifest of a history within.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// Its path from the folder of the outer history on.
    pub path: String,
    /// The C4 of the manifest.
    pub digest: Digest,
}

#[cfg(test)]
mod tests;
