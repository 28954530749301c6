//! Tags of files that are no photos: what the head of an image, a mesh or a scene says.
//!
//! Only heads are read: the header of OpenEXR and PLY, of OBJ and pbrt what stands before the first
//! vertex and before the world, within the first 64 KiB.

mod exr;
mod mesh;
mod names;
mod pbrt;

use solio_base::{Limits, Result, Source};
use solio_kinds::FileKind;
use solio_photo::{Fields, Metadata, Stated};
use std::sync::atomic::{AtomicU64, Ordering};

/// Most that is read of a format without a header of known length.
const HEAD_BYTES: usize = 64 << 10;

/// Whether [`read`] reads the headers of this kind.
pub(crate) fn reads(kind: FileKind) -> bool {
    matches!(kind, FileKind::Exr | FileKind::Ply | FileKind::Obj | FileKind::Pbrt)
}

/// Reads the header of `source`, a file of a kind that [`reads`].
pub(crate) fn read(
    kind: FileKind,
    source: &dyn Source,
    fields: &Fields,
    limits: &Limits,
) -> Result<Metadata> {
    let source = Start::of(source)?;
    let mut stated = Stated::new(fields);
    match kind {
        FileKind::Exr => exr::read(&source, limits, &mut stated)?,
        FileKind::Ply => mesh::read_ply(&source, limits, &mut stated)?,
        FileKind::Obj => mesh::read_obj(&source.text()?, &mut stated),
        _ => pbrt::read(&source.text()?, &mut stated),
    }
    Ok(stated.finish(source.read.into_inner()))
}

/// A source that serves its start again, and counts what is read of it.
pub(crate) struct Start<'a> {
    source: &'a dyn Source,
    /// The start of a source that gives its bytes once.
    kept: Vec<u8>,
    read: AtomicU64,
}

impl<'a> Start<'a> {
    pub(crate) fn of(source: &'a dyn Source) -> Result<Self> {
        let mut kept = Vec::new();
        let known = source.head().len();
        if source.is_sequential() {
            kept.resize(HEAD_BYTES, 0);
            let got = source.read_at(0, &mut kept)?;
            kept.truncate(got);
        }
        let read = AtomicU64::new(known.max(kept.len()) as u64);
        Ok(Start { source, kept, read })
    }

    /// The first bytes.
    fn text(&self) -> Result<Vec<u8>> {
        if let Some(bytes) = self.as_bytes() {
            return Ok(bytes[..bytes.len().min(HEAD_BYTES)].to_vec());
        }
        let mut bytes = vec![0; HEAD_BYTES];
        let got = self.read_at(0, &mut bytes)?;
        bytes.truncate(got);
        Ok(bytes)
    }
}

impl Source for Start<'_> {
    fn len_bytes(&self) -> Option<u64> {
        self.source.len_bytes()
    }

    fn is_sequential(&self) -> bool {
        self.source.is_sequential()
    }

    fn as_bytes(&self) -> Option<&[u8]> {
        self.source.as_bytes()
    }

    fn head(&self) -> &[u8] {
        if self.kept.is_empty() { self.source.head() } else { &self.kept }
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize> {
        let head = self.head();
        let from = usize::try_from(offset).unwrap_or(usize::MAX).min(head.len());
        let known = buf.len().min(head.len() - from);
        buf[..known].copy_from_slice(&head[from..from + known]);
        if known == buf.len() {
            return Ok(known);
        }
        let more = self.source.read_at(offset + known as u64, &mut buf[known..])?;
        self.read.fetch_max(offset + (known + more) as u64, Ordering::Relaxed);
        Ok(known + more)
    }
}

#[cfg(test)]
mod tests;
