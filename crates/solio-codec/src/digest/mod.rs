//! Digests of bytes: XXH64, XXH3, XXH128, MD5, SHA-1, SHA-256, SHA-512, C4 and BLAKE3.
//!
//! C4 (SMPTE ST 2114) is SHA-512 in base 58 behind the letters `c4`; all others are shown as
//! hexadecimal digits. Two cores of 2.6 GHz, GB/s each: XXH3 and XXH128 57, XXH64 14, SHA-1 1.9,
//! SHA-256 1.8, MD5 and SHA-512 0.6; many messages side by side, with AVX-512, MD5 4.4 and SHA-512 2.0.

use solio_base::named_enum;

mod blocks;
mod hasher;
mod side_by_side;
mod text;

pub use hasher::Hasher;
pub use side_by_side::{Messages, digest_side_by_side, pays_side_by_side};

named_enum! {
    /// How bytes are summed up.
    ///
    /// ```
    /// use solio_codec::digest::{Algorithm, Digest};
    /// // The same bytes as SHA-512; what differs is how they are shown.
    /// let [sha, c4] = [Algorithm::Sha512, Algorithm::C4].map(|a| Digest::of(a, b"frame"));
    /// assert_eq!(sha.as_bytes(), c4.as_bytes());
    /// assert!(c4.to_string().starts_with("c4") && c4.to_string().len() == 90);
    /// ```
    #[derive(PartialOrd, Ord, Hash)]
    pub enum Algorithm {
        /// XXH128, of the XXH3 family.
        Xxh128 = "xxh128",
        /// XXH3 of 64 bits.
        Xxh3 = "xxh3",
        /// XXH64.
        Xxh64 = "xxh64",
        /// MD5 (RFC 1321).
        Md5 = "md5",
        /// SHA-1 (FIPS 180-4).
        Sha1 = "sha1",
        /// SHA-256.
        Sha256 = "sha256",
        /// SHA-512.
        Sha512 = "sha512",
        /// SHA-512, shown as a C4 ID.
        C4 = "c4",
        /// BLAKE3, of 256 bits.
        Blake3 = "blake3",
    }

    /// Its name in options, in JSON and in ASC MHL.
    ///
    /// ```
    /// use solio_codec::digest::Algorithm;
    /// assert_eq!(Algorithm::Xxh128.name(), "xxh128");
    /// // Each is found again by it.
    /// assert!(Algorithm::ALL.iter().all(|a| Algorithm::from_name(a.name()) == Some(*a)));
    /// ```
    pub fn name;
}

impl Algorithm {
    /// The one of this name, in any case.
    ///
    /// ```
    /// use solio_codec::digest::Algorithm;
    /// assert_eq!(Algorithm::from_name("SHA256"), Some(Algorithm::Sha256));
    /// assert_eq!(Algorithm::from_name("sha-256"), None);
    /// ```
    pub fn from_name(name: &str) -> Option<Algorithm> {
        Algorithm::ALL.into_iter().find(|a| a.name().eq_ignore_ascii_case(name))
    }

    /// Bytes of a digest.
    ///
    /// ```
    /// use solio_codec::digest::{Algorithm, Digest};
    /// // Hexadecimal digits are twice as many.
    /// let text = Digest::of(Algorithm::Sha1, b"").to_string();
    /// assert_eq!(text.len(), 2 * Algorithm::Sha1.digest_bytes());
    /// ```
    pub fn digest_bytes(self) -> usize {
        match self {
            Algorithm::Xxh3 | Algorithm::Xxh64 => 8,
            Algorithm::Xxh128 | Algorithm::Md5 => 16,
            Algorithm::Sha1 => 20,
            Algorithm::Sha256 | Algorithm::Blake3 => 32,
            Algorithm::Sha512 | Algorithm::C4 => 64,
        }
    }
}

/// What an [`Algorithm`] makes of bytes; in the order in which its text is written.
///
/// ```
/// use solio_codec::digest::{Algorithm, Digest};
/// // Is this the file of which a list says so?
/// let listed = Digest::from_text(Algorithm::Md5, "900150983CD24FB0D6963F7D28E17F72").unwrap();
/// assert_eq!(listed, Digest::of(Algorithm::Md5, b"abc"));
/// assert_ne!(listed, Digest::of(Algorithm::Md5, b"abd"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest {
    algorithm: Algorithm,
    /// Zero behind the digest's own.
    bytes: [u8; 64],
}

impl Digest {
    /// The digest of `bytes`.
    ///
    /// ```
    /// use solio_codec::digest::{Algorithm, Digest};
    /// let digest = Digest::of(Algorithm::Sha1, b"abc");
    /// assert_eq!(digest.to_string(), "a9993e364706816aba3e25717850c26c9cd0d89d");
    /// ```
    pub fn of(algorithm: Algorithm, bytes: &[u8]) -> Digest {
        let mut hasher = Hasher::new(algorithm);
        hasher.update(bytes);
        hasher.finish()
    }

    /// From its bytes.
    pub(crate) fn new(algorithm: Algorithm, digest: &[u8]) -> Digest {
        let mut bytes = [0; 64];
        bytes[..digest.len()].copy_from_slice(digest);
        Digest { algorithm, bytes }
    }

    /// What made it.
    ///
    /// ```
    /// use solio_codec::digest::{Algorithm, Digest};
    /// let of_nothing = Digest::of(Algorithm::Xxh64, b"");
    /// assert_eq!(of_nothing.algorithm(), Algorithm::Xxh64);
    /// // It is part of what is compared and shown.
    /// assert_eq!(format!("{of_nothing:?}"), "xxh64:ef46db3751d8e999");
    /// assert_ne!(Digest::of(Algorithm::C4, b""), Digest::of(Algorithm::Sha512, b""));
    /// ```
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// Its bytes, the first one written first.
    ///
    /// ```
    /// use solio_codec::digest::{Algorithm, Digest};
    /// let digest = Digest::of(Algorithm::Xxh3, b"");
    /// assert_eq!(digest.as_bytes(), 0x2d06_8005_38d3_94c2u64.to_be_bytes());
    /// ```
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.algorithm.digest_bytes()]
    }
}

impl std::fmt::Debug for Digest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{self}", self.algorithm.name())
    }
}

#[cfg(test)]
mod tests;
