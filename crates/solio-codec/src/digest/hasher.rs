//! Digests of bytes that come in parts.

use super::{Algorithm, Digest};
use sha2::Digest as _;
use std::hash::Hasher as _;

/// Takes bytes in parts of any size.
pub struct Hasher {
    algorithm: Algorithm,
    state: HasherState,
}

/// Boxed where large: many may wait at once.
enum HasherState {
    Xxh128(Box<twox_hash::XxHash3_128>),
    Xxh3(Box<twox_hash::XxHash3_64>),
    Xxh64(twox_hash::XxHash64),
    Md5(Box<md5::Context>),
    Sha1(sha1::Sha1),
    Sha256(sha2::Sha256),
    Sha512(Box<sha2::Sha512>),
    Blake3(Box<blake3::Hasher>),
}

impl Hasher {
    /// Of no bytes so far.
    pub fn new(algorithm: Algorithm) -> Hasher {
        let state = match algorithm {
            Algorithm::Xxh128 => HasherState::Xxh128(Box::default()),
            Algorithm::Xxh3 => HasherState::Xxh3(Box::default()),
            Algorithm::Xxh64 => HasherState::Xxh64(twox_hash::XxHash64::with_seed(0)),
            Algorithm::Md5 => HasherState::Md5(Box::default()),
            Algorithm::Sha1 => HasherState::Sha1(sha1::Sha1::new()),
            Algorithm::Sha256 => HasherState::Sha256(sha2::Sha256::new()),
            Algorithm::Sha512 | Algorithm::C4 => HasherState::Sha512(Box::default()),
            Algorithm::Blake3 => HasherState::Blake3(Box::default()),
        };
        Hasher { algorithm, state }
    }

    /// Further bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        match &mut self.state {
            HasherState::Xxh128(state) => state.write(bytes),
            HasherState::Xxh3(state) => state.write(bytes),
            HasherState::Xxh64(state) => state.write(bytes),
            HasherState::Md5(state) => state.consume(bytes),
            HasherState::Sha1(state) => state.update(bytes),
            HasherState::Sha256(state) => state.update(bytes),
            HasherState::Sha512(state) => state.update(bytes),
            HasherState::Blake3(state) => {
                state.update(bytes);
            }
        }
    }

    /// The digest of all bytes so far.
    pub fn finish(self) -> Digest {
        let digest = |bytes: &[u8]| Digest::new(self.algorithm, bytes);
        match self.state {
            HasherState::Xxh128(state) => digest(&state.finish_128().to_be_bytes()),
            HasherState::Xxh3(state) => digest(&state.finish().to_be_bytes()),
            HasherState::Xxh64(state) => digest(&state.finish().to_be_bytes()),
            HasherState::Md5(state) => digest(&state.finalize().0),
            HasherState::Sha1(state) => digest(&state.finalize()),
            HasherState::Sha256(state) => digest(&state.finalize()),
            HasherState::Sha512(state) => digest(&state.finalize()),
            HasherState::Blake3(state) => digest(state.finalize().as_bytes()),
        }
    }
}
