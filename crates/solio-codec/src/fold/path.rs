//! Unicode's simple case folding of a path's bytes.
//!
//! - Paths are mostly ASCII: runs of it are lowered by vectors.
//! - Runs of other characters go through a table of Unicode 16 (2 KB, the crate `casefold`).

#[cfg(target_arch = "aarch64")]
use super::ascii_neon::kernel as vectors;
#[cfg(target_arch = "x86_64")]
use super::ascii_x86::kernel as vectors;
use crate::number::format::usable;
use casefold::simple_fold_char;
use solio_base::cpu::{Tier, tier};
use std::mem::MaybeUninit;
use std::sync::OnceLock;

/// Writes the ASCII that a text starts with, lowered, to the start of as many places as the text
/// has bytes; returns its length.
pub(super) type LowerBytes = fn(&[u8], &mut [MaybeUninit<u8>]) -> usize;

/// Appends `path` with every character folded; bytes that are not valid UTF-8 stay as they are.
///
/// The result may be longer or shorter: Ⱥ has two bytes and folds to one of three, the Kelvin sign
/// has three and folds to `k`. Folding twice changes nothing more.
///
/// ```
/// let mut key = Vec::new();
/// solio_codec::fold::fold_path(&mut key, b"Maps/\xff/\xc3\x84RGER.uasset");
/// assert_eq!(key, b"maps/\xff/\xc3\xa4rger.uasset");
/// ```
pub fn fold_path(out: &mut Vec<u8>, path: &[u8]) {
    static KERNEL: OnceLock<LowerBytes> = OnceLock::new();
    fold_runs(*KERNEL.get_or_init(|| kernel(tier())), out, path);
}

/// [`fold_path`] with the kernel of a tier (or of the best that this machine has below it).
pub fn fold_path_on(tier: Tier, out: &mut Vec<u8>, path: &[u8]) {
    fold_runs(kernel(tier), out, path);
}

fn kernel(tier: Tier) -> LowerBytes {
    vectors(usable(tier)).unwrap_or(lower_ascii)
}

/// There are kernels for x86-64 and AArch64 only.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn vectors(_: Tier) -> Option<LowerBytes> {
    None
}

/// Runs of ASCII, and runs of everything else.
fn fold_runs(lower_ascii: LowerBytes, out: &mut Vec<u8>, path: &[u8]) {
    let mut rest = path;
    loop {
        out.reserve(rest.len());
        let len = lower_ascii(rest, &mut out.spare_capacity_mut()[..rest.len()]);
        // SAFETY: so many bytes were written to the start of the spare capacity.
        unsafe { out.set_len(out.len() + len) };
        rest = &rest[len..];
        if rest.is_empty() {
            return;
        }
        // An ASCII byte is never part of a longer character, whatever is around it.
        let end = rest.iter().position(u8::is_ascii).unwrap_or(rest.len());
        fold_characters(out, &rest[..end]);
        rest = &rest[end..];
    }
}

/// The plain twin of the kernels.
fn lower_ascii(text: &[u8], to: &mut [MaybeUninit<u8>]) -> usize {
    const BLOCK: usize = 16;
    let mut len = 0;
    for (block, to) in text.chunks(BLOCK).zip(to.chunks_mut(BLOCK)) {
        let ascii = match block.is_ascii() {
            true => block.len(),
            false => block.iter().position(|byte| !byte.is_ascii()).unwrap_or(block.len()),
        };
        for (byte, to) in block[..ascii].iter().zip(to) {
            to.write(byte.to_ascii_lowercase());
        }
        len += ascii;
        if ascii < block.len() {
            break;
        }
    }
    len
}

/// Character by character: the plain twin of everything here.
pub(super) fn fold_characters(out: &mut Vec<u8>, text: &[u8]) {
    let mut utf8 = [0; 4];
    for chunk in text.utf8_chunks() {
        for character in chunk.valid().chars() {
            out.extend_from_slice(simple_fold_char(character).encode_utf8(&mut utf8).as_bytes());
        }
        out.extend_from_slice(chunk.invalid());
    }
}
