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

use solio_base::named_enum;
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
///
/// ```
/// use solio_catalog::mhl::{Creator, Manifest, decode_manifest, encode_manifest};
/// let creator = Creator { date: "2020-01-17T14:30:00Z".into(), ..Creator::default() };
/// let ignore = vec![".DS_Store".into()];
/// let process = "in-place".into();
/// let manifest = Manifest { creator, process, ignore, ..Manifest::default() };
/// let xml = encode_manifest(&manifest);
/// assert!(xml.contains("<pattern>.DS_Store</pattern>"));
/// assert_eq!(decode_manifest(xml.as_bytes(), &Default::default())?, manifest);
/// # Ok::<(), solio_base::Error>(())
/// ```
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
///
/// ```
/// use solio_catalog::mhl::{Creator, Manifest, encode_manifest};
/// let creator = Creator {
///     date: "2020-01-17T14:30:00Z".into(),
///     host: "cart-2".into(),
///     tool: "solio".into(),
///     tool_version: Some("0.1".into()),
///     ..Creator::default()
/// };
/// let xml = encode_manifest(&Manifest { creator, ..Manifest::default() });
/// assert!(xml.contains("<tool version=\"0.1\">solio</tool>"));
/// // What is not known is left out.
/// assert!(!xml.contains("<location>"));
/// ```
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
///
/// ```
/// use solio_catalog::mhl::{Author, Creator, Manifest, encode_manifest};
/// let author = Author {
///     name: Some("Kim & Lee".into()),
///     role: Some("DIT".into()),
///     ..Author::default()
/// };
/// let creator = Creator { authors: vec![author], ..Creator::default() };
/// let xml = encode_manifest(&Manifest { creator, ..Manifest::default() });
/// assert!(xml.contains("<author role=\"DIT\">Kim &amp; Lee</author>"));
/// ```
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
///
/// ```
/// use solio_catalog::mhl::{Content, Entry, Manifest, decode_manifest, encode_manifest};
/// // A clip that was called otherwise before.
/// let entry = Entry {
///     path: "Clips/A001.mov".into(),
///     previous_path: Some("Clips/untitled.mov".into()),
///     modified: None,
///     content: Content::File { size: Some(4), hashes: vec![] },
/// };
/// let manifest = Manifest { entries: vec![entry], ..Manifest::default() };
/// let xml = encode_manifest(&manifest);
/// assert_eq!(decode_manifest(xml.as_bytes(), &Default::default())?.entries, manifest.entries);
/// // A path out of the folder is refused.
/// let xml = xml.replace("Clips/A001.mov", "../A001.mov");
/// assert!(decode_manifest(xml.as_bytes(), &Default::default()).is_err());
/// # Ok::<(), solio_base::Error>(())
/// ```
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
///
/// ```
/// use solio_catalog::mhl::{Content, Entry};
/// # let entry = |path: &str, content| {
/// #     Entry { path: path.into(), previous_path: None, modified: None, content }
/// # };
/// let entries = [
///     entry("Clips", Content::Folder(vec![])),
///     entry("Clips/A001.mov", Content::File { size: Some(700), hashes: vec![] }),
///     entry("Clips/A002.mov", Content::File { size: Some(300), hashes: vec![] }),
/// ];
/// let size = |entry: &Entry| match entry.content {
///     Content::File { size, .. } => size,
///     Content::Folder(_) => None,
/// };
/// assert_eq!(entries.iter().filter_map(size).sum::<u64>(), 1_000);
/// ```
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
    ///
    /// ```
    /// use solio_catalog::mhl::{Content, Entry, FileHash};
    /// use solio_codec::digest::{Algorithm, Digest};
    /// let [md5, c4] = [Algorithm::Md5, Algorithm::C4].map(|algorithm| FileHash {
    ///     digest: Digest::of(algorithm, b"a clip"),
    ///     action: None,
    ///     date: None,
    /// });
    /// let content = Content::File { size: Some(6), hashes: vec![md5, c4] };
    /// let clip = Entry { path: "A001.mov".into(), previous_path: None, modified: None, content };
    /// // The fastest is enough to check it.
    /// let cheap = clip.file_hashes().iter().find(|hash| hash.digest.algorithm() == Algorithm::Md5);
    /// assert_eq!(cheap.unwrap().digest, Digest::of(Algorithm::Md5, b"a clip"));
    /// let folder = Entry { content: Content::Folder(vec![]), ..clip };
    /// assert!(folder.file_hashes().is_empty());
    /// ```
    pub fn file_hashes(&self) -> &[FileHash] {
        match &self.content {
            Content::File { hashes, .. } => hashes,
            Content::Folder(_) => &[],
        }
    }
}

/// A digest of a file.
///
/// ```
/// use solio_catalog::mhl::{Action, FileHash};
/// use solio_codec::digest::{Algorithm, Digest};
/// # let recorded = Digest::of(Algorithm::Xxh64, b"a clip");
/// // A file against what an earlier generation has of it.
/// let digest = Digest::of(Algorithm::Xxh64, b"a clap");
/// let action = if digest == recorded { Action::Verified } else { Action::Failed };
/// let hash = FileHash { digest, action: Some(action), date: None };
/// assert_eq!(hash.action, Some(Action::Failed));
/// ```
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
///
/// ```
/// use solio_catalog::mhl::{FolderHash, FolderHasher};
/// use solio_codec::digest::{Algorithm, Digest};
/// let folder = |name: &[u8]| {
///     let mut hasher = FolderHasher::new(Algorithm::C4);
///     hasher.add_file(name, &Digest::of(Algorithm::C4, b"a clip"));
///     FolderHash { digest: hasher.finish(), date: None }
/// };
/// let (before, after) = (folder(b"untitled.mov"), folder(b"A001.mov"));
/// // A file was renamed, none has changed.
/// assert_eq!(before.digest.content, after.digest.content);
/// assert_ne!(before.digest.structure, after.digest.structure);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderHash {
    /// The digests.
    pub digest: FolderDigest,
    /// When they were made, in ISO 8601.
    pub date: Option<String>,
}

named_enum! {
    /// What a digest was to earlier generations.
    ///
    /// ```
    /// use solio_catalog::mhl::{Action, decode_manifest};
    /// let xml = "<hashlist><hashes><hash><path>a</path>\
    ///     <xxh64 action=\"verified\">ef46db3751d8e999</xxh64></hash></hashes></hashlist>";
    /// let manifest = decode_manifest(xml.as_bytes(), &Default::default())?;
    /// let hashes = manifest.entries[0].file_hashes();
    /// assert_eq!(hashes[0].action, Some(Action::Verified));
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    pub enum Action {
        /// There was none for this file.
        Original = "original",
        /// It agrees.
        Verified = "verified",
        /// It does not agree.
        Failed = "failed",
    }

    /// As it stands in a manifest.
    ///
    /// ```
    /// use solio_catalog::mhl::Action;
    /// let names = [Action::Original, Action::Verified, Action::Failed].map(Action::name);
    /// assert_eq!(names, ["original", "verified", "failed"]);
    /// ```
    pub fn name;

    fn from_name;
}

/// A manifest of a history within.
///
/// ```
/// use solio_catalog::mhl::{Manifest, Reference, encode_manifest};
/// use solio_codec::digest::{Algorithm, Digest};
/// // The day's card was sealed already: its manifest is referred to, and cannot change unnoticed.
/// let inner = encode_manifest(&Manifest::default());
/// let reference = Reference {
///     path: "A002R2EC/ascmhl/0001_A002R2EC_2020-01-16_091500Z.mhl".into(),
///     digest: Digest::of(Algorithm::C4, inner.as_bytes()),
/// };
/// let c4 = format!("<c4>{}</c4>", reference.digest);
/// let outer = encode_manifest(&Manifest { references: vec![reference], ..Manifest::default() });
/// assert!(outer.contains(&c4));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// Its path from the folder of the outer history on.
    pub path: String,
    /// The C4 of the manifest.
    pub digest: Digest,
}

#[cfg(test)]
mod tests;
