//! Tags of files that are no photos: what the head of an image, a mesh or a scene says.
//!
//! Only heads are read: the header of OpenEXR and PLY, of OBJ and pbrt what stands before the first
//! vertex and before the world, within the first 64 KiB.

mod exr;
mod mesh;
mod names;
mod pbrt;

use crate::Format;
use solio_base::{Limits, Result, Source};
use solio_codec::compress::Compression;
use solio_photo::{Fields, Metadata, Stated};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// Most that is read of a format without a header of known length.
const HEAD_BYTES: usize = 64 << 10;

/// A format with a head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HeadKind {
    Exr,
    Ply,
    Obj,
    Pbrt,
}

impl HeadKind {
    /// The kind of the file at `path` that starts with `head`; text has no other mark than its
    /// name.
    pub(crate) fn of(head: &[u8], path: &Path) -> Option<HeadKind> {
        match head {
            [0x76, 0x2f, 0x31, 0x01, ..] => return Some(HeadKind::Exr),
            [b'p', b'l', b'y', b'\n' | b'\r', ..] => return Some(HeadKind::Ply),
            // No text starts like this.
            [0 | 0x89 | 0xff, ..] | [b'I', b'I', ..] | [b'M', b'M', ..] => return None,
            _ => {}
        }
        let name = path.file_name()?.to_string_lossy();
        let plain = name.strip_suffix(Compression::of_name(&name).extension()).unwrap_or(&name);
        let (_, end) = plain.rsplit_once('.')?;
        if end.eq_ignore_ascii_case("pbrt") {
            return Some(HeadKind::Pbrt);
        }
        let obj = end.eq_ignore_ascii_case("obj");
        (obj && Format::of_content(head, None) == Some(Format::Obj)).then_some(HeadKind::Obj)
    }

    /// Reads the head of `source`.
    pub(crate) fn read(
        self,
        source: &dyn Source,
        fields: &Fields,
        limits: &Limits,
    ) -> Result<Metadata> {
        let source = Start::of(source)?;
        let mut stated = Stated::new(fields);
        match self {
            HeadKind::Exr => exr::read(&source, limits, &mut stated)?,
            HeadKind::Ply => mesh::read_ply(&source, limits, &mut stated)?,
            HeadKind::Obj => mesh::read_obj(&source.text()?, &mut stated),
            HeadKind::Pbrt => pbrt::read(&source.text()?, &mut stated),
        }
        Ok(stated.finish(source.read.into_inner()))
    }
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
