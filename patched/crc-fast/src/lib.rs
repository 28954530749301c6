//! What `object_store` asks of `crc-fast`: CRC-64/NVME, the checksum of objects that are written to
//! S3, which Solio does not do.
//!
//! The crate itself brings 0.7 MB of tables for a hundred other sums, which do not compress, and
//! exports 26 functions of C from every library that holds it, Python's module among them: see
//! `docs/decisions/`.

use crc::{CRC_64_NVME, Crc, Table};

static CRC: Crc<u64, Table<1>> = Crc::<u64, Table<1>>::new(&CRC_64_NVME);

/// The sums that are asked for.
///
/// ```
/// use crc_fast::{CrcAlgorithm, Digest};
/// // The check value of the catalogue of sums.
/// let mut digest = Digest::new(CrcAlgorithm::Crc64Nvme);
/// digest.update(b"123456789");
/// assert_eq!(digest.finalize(), 0xae8b_1486_0a79_9888);
/// ```
#[derive(Clone, Copy, Debug)]
pub enum CrcAlgorithm {
    /// CRC-64/NVME of the NVM Express specification.
    Crc64Nvme,
}

/// A sum over bytes that come in parts.
///
/// ```
/// use crc_fast::{CrcAlgorithm, Digest};
/// let object: Vec<u8> = (0..=255).collect();
/// let sum = |part_bytes| {
///     let mut digest = Digest::new(CrcAlgorithm::Crc64Nvme);
///     object.chunks(part_bytes).for_each(|part| digest.update(part));
///     digest.finalize()
/// };
/// assert_eq!(sum(7), sum(256)); // however they come
/// ```
#[derive(Clone)]
pub struct Digest(crc::Digest<'static, u64, Table<1>>);

impl std::fmt::Debug for Digest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Digest")
    }
}

impl Digest {
    /// Begins.
    ///
    /// ```
    /// use crc_fast::{CrcAlgorithm, Digest};
    /// assert_eq!(Digest::new(CrcAlgorithm::Crc64Nvme).finalize(), 0); // of no bytes
    /// ```
    pub fn new(algorithm: CrcAlgorithm) -> Self {
        match algorithm {
            CrcAlgorithm::Crc64Nvme => Digest(CRC.digest()),
        }
    }

    /// Takes in the next bytes.
    ///
    /// ```
    /// use crc_fast::{CrcAlgorithm, Digest};
    /// let mut digest = Digest::new(CrcAlgorithm::Crc64Nvme);
    /// digest.update(b"12345");
    /// let mut other = digest.clone(); // of an object that begins alike
    /// digest.update(b"6789");
    /// other.update(b"6780");
    /// assert_eq!(digest.finalize(), 0xae8b_1486_0a79_9888);
    /// assert_ne!(other.finalize(), digest.finalize());
    /// ```
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The sum of all bytes so far.
    ///
    /// ```
    /// use crc_fast::{CrcAlgorithm, Digest};
    /// let mut digest = Digest::new(CrcAlgorithm::Crc64Nvme);
    /// digest.update(b"a");
    /// let so_far = digest.finalize();
    /// digest.update(b"b"); // it goes on
    /// assert_ne!(digest.finalize(), so_far);
    /// ```
    pub fn finalize(&self) -> u64 {
        self.0.clone().finalize()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_value_of_the_catalogue_of_sums() {
        let mut digest = Digest::new(CrcAlgorithm::Crc64Nvme);
        digest.update(b"12345");
        digest.update(b"6789");
        assert_eq!(digest.finalize(), 0xae8b_1486_0a79_9888);
    }
}
