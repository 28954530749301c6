//! The way in: a source, and what is wanted of it.

use crate::gather::Gather;
use crate::{Fields, Metadata, composite, container};
use solio_base::{Error, Limits, Result, Source};
use solio_container::{ByteView, SourceCache};

/// What to read.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// Which tags; those left out are skipped in the file too, where that saves reading.
    pub fields: Fields,
    /// The end of the file's name in small letters, without the dot: some formats differ in
    /// nothing else.
    pub extension: String,
    /// Bounds.
    pub limits: Limits,
}

/// Most bytes of one file that are read.
const MOST_READ: u64 = 256 << 20;

/// Reads what the file says about itself.
///
/// Errors are for files that cannot be read, are too large to be held (those that come as a
/// stream), or have no known format; what is wrong within a file goes to [`Metadata::warnings`].
pub fn decode_metadata<S: Source + ?Sized>(source: &S, options: &ReadOptions) -> Result<Metadata> {
    let by_ref = By(source);
    let Some(len) = source.len_bytes().filter(|_| !source.is_sequential()) else {
        let all = whole(source, options)?;
        return decode(&&all[..], all.len() as u64, options);
    };
    decode(&by_ref, len, options)
}

/// A source behind a reference, whatever its type.
pub(crate) struct By<'a, S: ?Sized>(pub(crate) &'a S);

impl<S: Source + ?Sized> Source for By<'_, S> {
    fn len_bytes(&self) -> Option<u64> {
        self.0.len_bytes()
    }
    fn as_bytes(&self) -> Option<&[u8]> {
        self.0.as_bytes()
    }
    fn head(&self) -> &[u8] {
        self.0.head()
    }
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize> {
        self.0.read_at(offset, buf)
    }
}

/// The content of a source that gives its bytes once, in order.
fn whole<S: Source + ?Sized>(source: &S, options: &ReadOptions) -> Result<Vec<u8>> {
    let most = options.limits.bytes.min(MOST_READ);
    let mut all = Vec::new();
    loop {
        let start = all.len();
        all.resize(start + (64 << 10), 0);
        let got = source.read_at(start as u64, &mut all[start..])?;
        all.truncate(start + got);
        if got < 64 << 10 {
            return Ok(all);
        }
        if all.len() as u64 > most {
            return Err(Error::limit(format!("the stream has more than {most} bytes")));
        }
    }
}

fn decode(source: &dyn Source, len: u64, options: &ReadOptions) -> Result<Metadata> {
    let bytes =
        SourceCache::new(source, len, options.fields.steps(), MOST_READ.min(options.limits.bytes))?;
    let mut gather = Gather::new(&options.fields);
    let known = container::read(ByteView::of(&bytes), &options.extension, &mut gather);
    composite::compute(&mut gather);
    let Gather { mut tags, warnings, gaps, .. } = gather;
    if !options.fields.is_all() {
        tags.retain(|tag| options.fields.asks(&tag.group, &tag.name));
    }
    let bytes_read = bytes.bytes_read();
    if let Some(error) = bytes.into_error() {
        return Err(error);
    }
    if !known && tags.is_empty() {
        let what = if len == 0 { "the file is empty" } else { "not a format with known metadata" };
        return Err(Error::unsupported(what));
    }
    Ok(Metadata { tags, warnings, bytes_read, gaps })
}
