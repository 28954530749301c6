//! Ranges of a source, read when they are needed and at most once.

use crate::Value;
use solio_base::{Result, Source};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};

/// Bytes read ahead at the start of a file, and how many a later read takes at least.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Steps {
    /// The first read.
    pub(crate) head: usize,
    /// Each later one.
    pub(crate) next: usize,
}

/// A source with the parts of it that have been read.
pub(crate) struct Bytes<'a> {
    source: &'a dyn Source,
    len: u64,
    steps: Steps,
    /// It stays; of later blocks the last one does.
    head: Cow<'a, [u8]>,
    block: RefCell<Block>,
    left: Cell<u64>,
    reads: Cell<u64>,
    failed: RefCell<Option<solio_base::Error>>,
}

#[derive(Default)]
struct Block {
    at: u64,
    bytes: Vec<u8>,
}

impl<'a> Bytes<'a> {
    /// `most` bounds what is read in all.
    pub(crate) fn new(source: &'a dyn Source, len: u64, steps: Steps, most: u64) -> Result<Self> {
        let mut head = Cow::Borrowed(source.head());
        if head.is_empty() {
            let mut first = vec![0; (steps.head as u64).min(len) as usize];
            let got = source.read_at(0, &mut first)?;
            first.truncate(got);
            head = Cow::Owned(first);
        }
        let got = if source.as_bytes().is_some() { 0 } else { head.len() as u64 };
        Ok(Bytes {
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
    pub(crate) fn bytes_read(&self) -> u64 {
        self.reads.get()
    }

    /// An error of the source, if there was one.
    pub(crate) fn into_error(self) -> Option<solio_base::Error> {
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

/// The place of data that lie nowhere in the file.
const NOWHERE: u64 = u64::MAX;

/// A part of a source, or bytes in memory, addressed from its own start.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    inner: Inner<'a>,
    start: u64,
    len: u64,
    /// How many bytes at the start of the part are not there.
    gap: u64,
}

#[derive(Clone, Copy)]
enum Inner<'a> {
    Source(&'a Bytes<'a>),
    Memory(&'a [u8]),
}

impl<'a> View<'a> {
    /// All of a source.
    pub(crate) fn of(bytes: &'a Bytes<'a>) -> Self {
        View { inner: Inner::Source(bytes), start: 0, len: bytes.len, gap: 0 }
    }

    /// Bytes in memory.
    pub(crate) fn memory(bytes: &'a [u8]) -> Self {
        View { inner: Inner::Memory(bytes), start: 0, len: bytes.len() as u64, gap: 0 }
    }

    /// How many bytes there are.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// Where this part starts in the file; `None` for bytes put together in memory.
    pub(crate) fn place(&self) -> Option<u64> {
        let start = self.start.checked_sub(self.gap);
        start.filter(|_| matches!(self.inner, Inner::Source(_)))
    }

    /// All of it as data: its place where it has one, else its bytes.
    pub(crate) fn data(&self) -> Value {
        match (self.place(), self.inner) {
            (None, Inner::Memory(_)) => self.kept(0, self.len),
            (at, _) => Value::Binary { at: at.unwrap_or(NOWHERE), bytes: self.len },
        }
    }

    /// `bytes` bytes of data that lie at `at` in the file; in bytes put together in memory, which
    /// have no place there, `at` counts from the start of this part.
    pub(crate) fn data_at(&self, at: u64, bytes: u64) -> Value {
        match self.inner {
            Inner::Source(_) => Value::Binary { at, bytes },
            Inner::Memory(_) => self.kept(at, bytes),
        }
    }

    fn kept(&self, at: u64, bytes: u64) -> Value {
        let found = usize::try_from(bytes).ok().and_then(|bytes| self.get(at, bytes));
        let none = Value::Binary { at: NOWHERE, bytes };
        found.map_or(none, |found| Value::Bytes(found.into_owned()))
    }

    /// The part at `at` of at most `len` bytes.
    pub(crate) fn part(&self, at: u64, len: u64) -> View<'a> {
        let at = at.min(self.len);
        let start = self.start + at.saturating_sub(self.gap);
        let gap = self.gap.saturating_sub(at);
        View { inner: self.inner, start, len: len.min(self.len - at), gap }
    }

    /// Everything from `at` on.
    pub(crate) fn from(&self, at: u64) -> View<'a> {
        self.part(at, u64::MAX)
    }

    /// This part behind `bytes` that are not there: for offsets that count from before it.
    pub(crate) fn behind(&self, bytes: u64) -> View<'a> {
        View { len: self.len.saturating_add(bytes), gap: self.gap.saturating_add(bytes), ..*self }
    }

    /// `len` bytes at `at`, or nothing where they are not all there.
    pub(crate) fn get(&self, at: u64, len: usize) -> Option<Cow<'a, [u8]>> {
        if at.checked_add(len as u64)? > self.len {
            return None;
        }
        let at = self.start + at.checked_sub(self.gap)?;
        match self.inner {
            Inner::Source(bytes) => bytes.get(at, len),
            Inner::Memory(bytes) => {
                let from = at as usize;
                bytes.get(from..from + len).map(Cow::Borrowed)
            }
        }
    }

    /// All bytes, if they are no more than `most`; else the first `most`.
    pub(crate) fn all(&self, most: u64) -> Option<Cow<'a, [u8]>> {
        self.get(0, usize::try_from(self.len.min(most)).ok()?)
    }

    /// Shows `len` bytes at `at` to `see` without a copy of them.
    fn with<R>(&self, at: u64, len: usize, see: impl FnOnce(&[u8]) -> R) -> Option<R> {
        if at.checked_add(len as u64)? > self.len {
            return None;
        }
        let at = self.start + at.checked_sub(self.gap)?;
        match self.inner {
            Inner::Source(bytes) => bytes.with(at, len, see),
            Inner::Memory(bytes) => bytes.get(at as usize..at as usize + len).map(see),
        }
    }

    /// Whether this part starts with `mark`.
    pub(crate) fn starts_with(&self, mark: &[u8]) -> bool {
        self.with(0, mark.len(), |start| start == mark).unwrap_or(false)
    }

    /// Where the first `byte` is at or behind `at`, within `most` bytes.
    pub(crate) fn find(&self, byte: u8, at: u64, most: u64) -> Option<u64> {
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

    pub(crate) fn u8(&self, at: u64) -> Option<u8> {
        self.array(at).map(u8::from_be_bytes)
    }
    pub(crate) fn be16(&self, at: u64) -> Option<u16> {
        self.array(at).map(u16::from_be_bytes)
    }
    pub(crate) fn be32(&self, at: u64) -> Option<u32> {
        self.array(at).map(u32::from_be_bytes)
    }
    pub(crate) fn be64(&self, at: u64) -> Option<u64> {
        self.array(at).map(u64::from_be_bytes)
    }
    pub(crate) fn le16(&self, at: u64) -> Option<u16> {
        self.array(at).map(u16::from_le_bytes)
    }
    pub(crate) fn le32(&self, at: u64) -> Option<u32> {
        self.array(at).map(u32::from_le_bytes)
    }

    /// `N` bytes at `at`.
    pub(crate) fn array<const N: usize>(&self, at: u64) -> Option<[u8; N]> {
        self.with(at, N, |bytes| bytes.try_into().ok())?
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
        let bytes = Bytes::new(&source, 256, Steps { head: 16, next: 8 }, 4096).unwrap();
        let view = View::of(&bytes);
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
        let left = Bytes::new(&source, 256, Steps { head: 16, next: 8 }, 40).unwrap();
        assert!(View::of(&left).get(200, 40).is_none(), "past the budget");
        let later = View::memory(b"abcd").behind(10);
        assert_eq!(later.get(11, 2).unwrap()[..], *b"bc");
        assert_eq!(later.part(11, 3).part(1, 1).get(0, 1).unwrap()[..], *b"c");
        assert!(later.get(9, 2).is_none() && later.part(5, 7).get(4, 1).is_none());
        let part = View::memory(b"abcd").part(1, 2);
        assert_eq!(part.get(0, 2).unwrap()[..], *b"bc");
        assert_eq!(part.data(), Value::Bytes(b"bc".to_vec()));
        assert_eq!(part.data_at(1, 1), Value::Bytes(b"c".to_vec()));
        assert_eq!(part.data_at(1, 2), Value::Binary { at: NOWHERE, bytes: 2 });
        assert_eq!(view.part(7, 2).data(), Value::Binary { at: 7, bytes: 2 });
    }
}
