//! Bytes that replace as many others.

use solio_base::{Error, Result, Source};
use solio_container::ByteView;
use std::collections::BTreeMap;

/// Bytes at a place of a file, and what replaces them: as many.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    /// Where they start in the file.
    pub at: u64,
    /// What is there now.
    pub old: Vec<u8>,
    /// What comes there.
    pub new: Vec<u8>,
}

/// Patches that are collected.
#[derive(Default)]
pub(crate) struct Patches {
    by_place: BTreeMap<u64, Patch>,
    /// Two that contradict each other.
    clash: Option<u64>,
}

impl Patches {
    /// Has `new` replace as many bytes at `at` of `view`; nothing where they are not all there.
    pub(crate) fn put(&mut self, view: ByteView<'_>, at: u64, new: &[u8]) {
        let (Some(old), Some(start)) = (view.get(at, new.len()), view.place()) else { return };
        if *old == *new {
            return;
        }
        let patch = Patch { at: start + at, old: old.into_owned(), new: new.to_vec() };
        match self.by_place.get(&patch.at) {
            // Two entries may have one value.
            Some(other) if *other == patch => {}
            Some(other) => self.clash = Some(other.at),
            None => drop(self.by_place.insert(patch.at, patch)),
        }
    }

    /// In order.
    ///
    /// # Errors
    /// `Unsupported` where two have bytes in common and want others of them.
    pub(crate) fn finish(self) -> Result<Vec<Patch>> {
        let patches: Vec<Patch> = self.by_place.into_values().collect();
        let reaches = |pair: &[Patch]| pair[0].at + pair[0].new.len() as u64 > pair[1].at;
        let clash = patches.windows(2).find(|pair| reaches(pair)).map(|pair| pair[1].at);
        match self.clash.or(clash) {
            Some(at) => {
                let error = Error::unsupported("two of its values share bytes that would differ");
                Err(error.at_offset(at))
            }
            None => Ok(patches),
        }
    }
}

/// `bytes`, which start at `at` of a file, as they are with the patches.
///
/// ```
/// use solio_photo::{Patch, patched};
/// let patch = Patch { at: 3, old: b"lo".into(), new: b"p!".into() };
/// let mut bytes = b"ello".to_vec();
/// patched(&mut bytes, 1, &[patch]);
/// assert_eq!(bytes, b"elp!");
/// ```
pub fn patched(bytes: &mut [u8], at: u64, patches: &[Patch]) {
    let end = at + bytes.len() as u64;
    for patch in patches {
        let (start, stop) = (patch.at.max(at), (patch.at + patch.new.len() as u64).min(end));
        if start < stop {
            let from = &patch.new[(start - patch.at) as usize..(stop - patch.at) as usize];
            bytes[(start - at) as usize..(stop - at) as usize].copy_from_slice(from);
        }
    }
}

/// What two sets of patches do, the second to what the first has made.
pub(crate) fn joined<S: Source + ?Sized>(
    source: &S,
    first: &[Patch],
    second: &[Patch],
) -> Result<Vec<Patch>> {
    let end = |patch: &Patch| patch.at + patch.new.len() as u64;
    let mut spans: Vec<(u64, u64)> =
        first.iter().chain(second).map(|it| (it.at, end(it))).collect();
    spans.sort_unstable();
    let mut merged: Vec<(u64, u64)> = Vec::new();
    for (start, end) in spans {
        match merged.last_mut() {
            Some(last) if start < last.1 => last.1 = last.1.max(end),
            _ => merged.push((start, end)),
        }
    }
    let mut all = Vec::new();
    for (at, end) in merged {
        let mut old = vec![0; (end - at) as usize];
        source.read_exact_at(at, &mut old, "the values")?;
        let mut new = old.clone();
        patched(&mut new, at, first);
        patched(&mut new, at, second);
        if new != old {
            all.push(Patch { at, old, new });
        }
    }
    Ok(all)
}

/// A file as it will be.
pub(crate) struct PatchedSource<'s, S: ?Sized> {
    pub(crate) source: &'s S,
    pub(crate) patches: &'s [Patch],
}

impl<S: Source + ?Sized> Source for PatchedSource<'_, S> {
    fn len_bytes(&self) -> Option<u64> {
        self.source.len_bytes()
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize> {
        let got = self.source.read_at(offset, buf)?;
        patched(&mut buf[..got], offset, self.patches);
        Ok(got)
    }
}
