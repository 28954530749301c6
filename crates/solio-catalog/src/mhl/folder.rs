//! Digests of folders: one of what is in the files, and one of how they are called and arranged.

use solio_codec::digest::{Algorithm, Digest, Hasher};

/// The two digests of a folder, by the same algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FolderDigest {
    /// Of what is in the files below, whatever they are called.
    pub content: Digest,
    /// Of the names and where they lie, too.
    pub structure: Digest,
}

/// Takes what is in a folder, in any order.
pub struct FolderHasher {
    algorithm: Algorithm,
    contents: Vec<Digest>,
    structures: Vec<Digest>,
}

impl FolderHasher {
    /// Of an empty folder.
    pub fn new(algorithm: Algorithm) -> FolderHasher {
        FolderHasher { algorithm, contents: Vec::new(), structures: Vec::new() }
    }

    /// A file of this name is in it.
    pub fn add_file(&mut self, name: &[u8], digest: &Digest) {
        self.contents.push(*digest);
        self.structures.push(named(name, digest));
    }

    /// A folder of this name is in it.
    pub fn add_folder(&mut self, name: &[u8], digest: &FolderDigest) {
        self.contents.push(digest.content);
        self.structures.push(named(name, &digest.structure));
    }

    /// The digests of all that was added.
    pub fn finish(self) -> FolderDigest {
        FolderDigest {
            content: of_all(self.algorithm, self.contents),
            structure: of_all(self.algorithm, self.structures),
        }
    }
}

/// A name before what it names.
fn named(name: &[u8], digest: &Digest) -> Digest {
    let mut hasher = Hasher::new(digest.algorithm());
    hasher.update(name);
    hasher.update(digest.as_bytes());
    hasher.finish()
}

/// The order of the digests' bytes is that of their texts, which the reference sorts.
fn of_all(algorithm: Algorithm, mut digests: Vec<Digest>) -> Digest {
    digests.sort_unstable();
    let mut hasher = Hasher::new(algorithm);
    digests.iter().for_each(|digest| hasher.update(digest.as_bytes()));
    hasher.finish()
}
