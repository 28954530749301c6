//! Ranges of a source, read when they are needed and at most once.

use solio_base::{Error, Result, Source};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};

/// How many bytes are read at the start of a file, and how many a later read takes at least.
#[derive(Clone, Copy, Debug)]
pub struct ReadSteps {
    /// The first read.
    pub head: usize,
    /// Each later one.
    pub next: usize,
}

/// A source with the parts of it that have been read: its head, and the last block after it.
pub struct SourceCache<'a> {
    source: &'a dyn Source,
    len: u64,
    steps: ReadSteps,
    /// The head is kept; of later blocks only the last one is.
    head: Cow<'a, [u8]>,
    block: RefCell<CachedBlock>,
    left: Cell<u64>,
    reads: Cell<u64>,
    failed: RefCell<Option<Error>>,
}

#[derive(Default)]
struct CachedBlock {
    at: u64,
    bytes: Vec<u8>,
}

impl<'a> SourceCache<'a> {
    /// Reads the head of a source of `len` bytes, unless the source knows it already; `most` bounds what
    /// is read in all.
    ///
    /// # Errors
    /// Those of `source`.
    pub fn new(source: &'a dyn Source, len: u64, steps: ReadSteps, most: u64) -> Result<Self> {
        let mut head = Cow::Borrowed(source.head());
        if head.is_empty() {
            let mut first = vec![0; (steps.head as u64).min(len) as usize];
            let got = source.read_at(0, &mut first)?;
            first.truncate(got);
            head = Cow::Owned(first);
        }
        let got = if source.as_bytes().is_some() { 0 } else { head.len() as u64 };
        Ok(SourceCache {
            source,
            len,
            steps,
            head,
            block: RefCell::default(),
            left: Cell::new(most.saturating_sub(got)),
            reads: Cell::new(got),
            failed: RefCell::new(None),
        })
    }

    /// How many bytes have been asked of the source.
    pub fn bytes_read(&self) -> u64 {
        self.reads.get()
    }

    /// The first error of the source, if there was one; to a view such bytes are missing.
    pub fn into_error(self) -> Option<Error> {
        self.failed.into_inner()
    }

    fn get(&self, at: u64, len: usize) -> Option<Cow<'_, [u8]>> {
        let end = at.checked_add(len as u64)?;
        if end <= self.head.len() as u64 {
            return Some(Cow::Borrowed(&self.head[at as usize..end as usize]));
        }
        self.with(at, len, |_| ())?;
        let mut block = self.block.borrow_mut();
        if len > self.steps.next && (block.at, block.bytes.len()) == (at, len) {
            // Read for this alone; what is large is not copied.
            return Some(Cow::Owned(std::mem::take(&mut block.bytes)));
        }
        let from = (at - block.at) as usize;
        Some(Cow::Owned(block.bytes[from..from + len].to_vec()))
    }

    /// Shows `len` bytes at `at` to `see`, reading them first where they are not there yet.
    fn with<R>(&self, at: u64, len: usize, see: impl FnOnce(&[u8]) -> R) -> Option<R> {
        let end = at.checked_add(len as u64).filter(|end| *end <= self.len)?;
        if end <= self.head.len() as u64 {
            return Some(see(&self.head[at as usize..end as usize]));
        }
        let mut block = self.block.borrow_mut();
        if at < block.at || end > block.at + block.bytes.len() as u64 {
            let want = (len.max(self.steps.next) as u64).min(self.len - at);
            self.left.set(self.left.get().checked_sub(want)?);
            block.at = at;
            if block.bytes.capacity() < want as usize {
                block.bytes = vec![0; want as usize];
            } else {
                block.bytes.resize(want as usize, 0);
            }
            self.reads.set(self.reads.get() + want);
            match self.source.read_at(at, &mut block.bytes) {
                Ok(got) => block.bytes.truncate(got),
                Err(e) => {
                    block.bytes.clear();
                    self.failed.borrow_mut().get_or_insert(e);
                    return None;
                }
            }
        }
        let from = (at - block.at) as usize;
        block.bytes.get(from..from + len).map(see)
    }
}

/// A part of a source, or bytes in memory, addressed from its own start.
///
/// ```
/// use solio_container::ByteView;
/// let view = ByteView::memory(b"RIFF\x04\0\0\0WEBP");
/// assert_eq!((view.le32(4), view.part(8, 4).array(0)), (Some(4), Some(*b"WEBP")));
/// // What lies past the end is missing.
/// assert_eq!((view.part(8, 9).len(), view.u8(12)), (4, None));
/// let error = view.take::<8>(8, "the chunk header").unwrap_err();
/// assert_eq!(error.message(), "the file ends 4 bytes early, inside the chunk header");
/// ```
#[derive(Clone, Copy)]
pub struct ByteView<'a> {
    inner: ViewBytes<'a>,
    start: u64,
    len: u64,
    /// How many bytes at the start of the part are missing.
    gap: u64,
}

#[derive(Clone, Copy)]
enum ViewBytes<'a> {
    Source(&'a SourceCache<'a>),
    Memory(&'a [u8]),
}

impl<'a> ByteView<'a> {
    /// All of a source.
    pub fn of(bytes: &'a SourceCache<'a>) -> Self {
        ByteView { inner: ViewBytes::Source(bytes), start: 0, len: bytes.len, gap: 0 }
    }

    /// Bytes in memory.
    pub fn memory(bytes: &'a [u8]) -> Self {
        ByteView { inner: ViewBytes::Memory(bytes), start: 0, len: bytes.len() as u64, gap: 0 }
    }

    /// How many bytes the part has.
    #[inline]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether the part has no bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Where this part starts in the file; `None` for bytes put together in memory.
    pub fn place(&self) -> Option<u64> {
        let start = self.start.checked_sub(self.gap);
        start.filter(|_| !self.is_memory())
    }

    /// Whether the bytes were put together in memory, and have no place in a file.
    pub fn is_memory(&self) -> bool {
        matches!(self.inner, ViewBytes::Memory(_))
    }

    /// The part at `at` of at most `len` bytes.
    #[inline]
    pub fn part(&self, at: u64, len: u64) -> ByteView<'a> {
        let at = at.min(self.len);
        let start = self.start + at.saturating_sub(self.gap);
        let gap = self.gap.saturating_sub(at);
        ByteView { inner: self.inner, start, len: len.min(self.len - at), gap }
    }

    /// Everything from `at` on.
    #[inline]
    pub fn from(&self, at: u64) -> ByteView<'a> {
        self.part(at, u64::MAX)
    }

    /// This part behind `bytes` that are missing: for offsets that count from before it.
    pub fn behind(&self, bytes: u64) -> ByteView<'a> {
        ByteView {
            len: self.len.saturating_add(bytes),
            gap: self.gap.saturating_add(bytes),
            ..*self
        }
    }

    /// `len` bytes at `at`, or nothing where they are not all there.
    pub fn get(&self, at: u64, len: usize) -> Option<Cow<'a, [u8]>> {
        if at.checked_add(len as u64)? > self.len {
            return None;
        }
        let at = self.start + at.checked_sub(self.gap)?;
        match self.inner {
            ViewBytes::Source(bytes) => bytes.get(at, len),
            ViewBytes::Memory(bytes) => {
                let from = at as usize;
                bytes.get(from..from + len).map(Cow::Borrowed)
            }
        }
    }

    /// All bytes, if they are no more than `most`; else the first `most`.
    pub fn all(&self, most: u64) -> Option<Cow<'a, [u8]>> {
        self.get(0, usize::try_from(self.len.min(most)).ok()?)
    }

    /// Shows `len` bytes at `at` to `see` without a copy of them.
    pub(crate) fn with<R>(&self, at: u64, len: usize, see: impl FnOnce(&[u8]) -> R) -> Option<R> {
        if at.checked_add(len as u64)? > self.len {
            return None;
        }
        let at = self.start + at.checked_sub(self.gap)?;
        match self.inner {
            ViewBytes::Source(bytes) => bytes.with(at, len, see),
            ViewBytes::Memory(bytes) => bytes.get(at as usize..at as usize + len).map(see),
        }
    }

    /// Whether this part starts with `mark`.
    pub fn starts_with(&self, mark: &[u8]) -> bool {
        self.with(0, mark.len(), |start| start == mark).unwrap_or(false)
    }

    /// Where the first `byte` is at or behind `at`, within `most` bytes.
    pub fn find(&self, byte: u8, at: u64, most: u64) -> Option<u64> {
        let end = at.saturating_add(most).min(self.len);
        let mut at = at;
        while at < end {
            let len = (end - at).min(512);
            let found = self.with(at, len as usize, |bytes| memchr::memchr(byte, bytes))?;
            if let Some(found) = found {
                return Some(at + found as u64);
            }
            at += len;
        }
        None
    }

    /// The byte at `at`.
    #[inline]
    pub fn u8(&self, at: u64) -> Option<u8> {
        self.array(at).map(u8::from_be_bytes)
    }

    /// The big-endian number of two bytes at `at`.
    #[inline]
    pub fn be16(&self, at: u64) -> Option<u16> {
        self.array(at).map(u16::from_be_bytes)
    }

    /// The big-endian number of four bytes at `at`.
    #[inline]
    pub fn be32(&self, at: u64) -> Option<u32> {
        self.array(at).map(u32::from_be_bytes)
    }

    /// The big-endian number of eight bytes at `at`.
    #[inline]
    pub fn be64(&self, at: u64) -> Option<u64> {
        self.array(at).map(u64::from_be_bytes)
    }

    /// The little-endian number of two bytes at `at`.
    #[inline]
    pub fn le16(&self, at: u64) -> Option<u16> {
        self.array(at).map(u16::from_le_bytes)
    }

    /// The little-endian number of four bytes at `at`.
    #[inline]
    pub fn le32(&self, at: u64) -> Option<u32> {
        self.array(at).map(u32::from_le_bytes)
    }

    /// `N` bytes at `at`.
    pub fn array<const N: usize>(&self, at: u64) -> Option<[u8; N]> {
        self.with(at, N, |bytes| bytes.try_into().ok())?
    }

    /// `N` bytes at `at`, which belong to `what`.
    ///
    /// # Errors
    /// `Corrupt` where the part ends before them, with the place of its end.
    pub fn take<const N: usize>(&self, at: u64, what: &str) -> Result<[u8; N]> {
        self.array(at).ok_or_else(|| self.cut(at.saturating_add(N as u64), what))
    }

    /// Checks that the part reaches to `end`, where `what` ends.
    ///
    /// # Errors
    /// `Corrupt` where it does not, with the place of its end.
    pub fn reach(&self, end: u64, what: &str) -> Result<()> {
        if end > self.len { Err(self.cut(end, what)) } else { Ok(()) }
    }

    /// The error of a file that ends within `what`, which ends at `end`.
    pub(crate) fn cut(&self, end: u64, what: &str) -> Error {
        let early = end.saturating_sub(self.len);
        let bytes = if early == 1 { "1 byte" } else { &format!("{early} bytes") };
        Error::corrupt(format!("the file ends {bytes} early, inside {what}"))
            .at_offset(self.place().unwrap_or(0) + self.len)
    }

    /// The last bytes of the part; zeros where it has fewer.
    pub(crate) fn tail<const N: usize>(&self) -> [u8; N] {
        let at = self.len.checked_sub(N as u64);
        at.and_then(|at| self.array(at)).unwrap_or([0; N])
    }

    /// Whether nothing but zeros follows `at`, and more of them than a header that was cut can start
    /// with; of what is long the first 4,096 bytes decide.
    pub(crate) fn is_zero_from(&self, at: u64) -> bool {
        let bytes = self.len.saturating_sub(at).min(4096);
        bytes >= 4
            && self.with(at, bytes as usize, |part| part.iter().all(|b| *b == 0)) == Some(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Counting(Vec<u8>);
    impl Source for Counting {
        fn len_bytes(&self) -> Option<u64> {
            Some(self.0.len() as u64)
        }
        fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize> {
            self.0[..].read_at(offset, buf)
        }
    }

    #[test]
    fn parts_are_read_once_and_within_bounds() {
        let source = Counting((0..=255).collect());
        let bytes = SourceCache::new(&source, 256, ReadSteps { head: 16, next: 8 }, 4096).unwrap();
        let view = ByteView::of(&bytes);
        assert_eq!(view.get(4, 4).unwrap()[..], [4, 5, 6, 7]);
        assert_eq!(bytes.bytes_read(), 16);
        assert_eq!(view.get(30, 9).unwrap()[..], (30..39).collect::<Vec<u8>>()[..]);
        assert_eq!((view.u8(38), bytes.bytes_read()), (Some(38), 16 + 9 + 8));
        let part = view.part(100, 50);
        assert_eq!(part.get(0, 2).unwrap()[..], [100, 101]);
        assert_eq!(part.get(6, 2).unwrap()[..], [106, 107]);
        assert_eq!(bytes.bytes_read(), 16 + 9 + 8 + 8);
        assert!(part.get(49, 2).is_none());
        assert_eq!(view.find(7, 0, 8), Some(7));
        assert_eq!((view.find(7, 0, 7), view.find(7, 8, 250)), (None, None));
        assert!(view.from(3).starts_with(&[3, 4]) && !view.from(255).starts_with(&[255, 0]));
        let left = SourceCache::new(&source, 256, ReadSteps { head: 16, next: 8 }, 40).unwrap();
        assert!(ByteView::of(&left).get(200, 40).is_none(), "past the budget");
        let later = ByteView::memory(b"abcd").behind(10);
        assert_eq!(later.get(11, 2).unwrap()[..], *b"bc");
        assert_eq!(later.part(11, 3).part(1, 1).get(0, 1).unwrap()[..], *b"c");
        assert!(later.get(9, 2).is_none() && later.part(5, 7).get(4, 1).is_none());
    }
}
