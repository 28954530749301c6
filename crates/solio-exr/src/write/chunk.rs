//! What chunks of flat and deep parts have in common.

use crate::codec;

/// What all chunks of a part have in common.
#[derive(Clone, Copy)]
pub(super) struct PartStyle {
    /// How hard chunks are packed.
    pub(super) pack: codec::PackStyle,
    /// Whether a chunk names its part.
    pub(super) multipart: bool,
}

/// What a thread keeps from chunk to chunk.
#[derive(Default)]
pub(super) struct WriteBuffers {
    pub(super) raw: Vec<u8>,
    pub(super) scratch: codec::CodecScratch,
}

/// Puts `raw` itself where what it was packed to, from `start` on, is not smaller.
pub(crate) fn keep_smaller(raw: &[u8], start: usize, out: &mut Vec<u8>) {
    if out.len() - start >= raw.len() {
        out.truncate(start);
        out.extend_from_slice(raw);
    }
}
