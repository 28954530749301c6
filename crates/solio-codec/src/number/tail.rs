//! Unchecked stores into the spare capacity of a vector.

/// How far beyond its own text a store may reach: the widest store is 64 bytes.
const SLACK: usize = 64;

/// A separator (or a row's end and the next row's start) as one word, so that it costs one store.
#[derive(Clone, Copy)]
pub(super) struct ShortSeparator {
    pub(super) word: u64,
    pub(super) len: usize,
}

impl ShortSeparator {
    /// `None` when the text is longer than a word.
    pub(super) fn new(text: &[u8]) -> Option<ShortSeparator> {
        if text.len() > 8 {
            return None;
        }
        let mut word = [0; 8];
        word[..text.len()].copy_from_slice(text);
        Some(ShortSeparator { word: u64::from_le_bytes(word), len: text.len() })
    }
}

/// The end of a vector being written. Between two calls of [`TextTail::reserve`] (or since
/// [`TextTail::new`]) the text written must not exceed the room asked for; each store may reach
/// `SLACK` bytes beyond it. Text counts only after [`TextTail::finish`].
pub(super) struct TextTail<'a> {
    out: &'a mut Vec<u8>,
    at: *mut u8,
    /// Where the room asked for ends; checked in debug builds.
    end: *mut u8,
}

impl<'a> TextTail<'a> {
    #[inline(always)]
    pub(super) fn new(out: &'a mut Vec<u8>, room: usize) -> Self {
        out.reserve(room + SLACK);
        let at = out.as_mut_ptr().wrapping_add(out.len());
        TextTail { out, at, end: at.wrapping_add(room) }
    }

    /// Makes what was written part of the vector.
    #[inline(always)]
    fn commit(&mut self) {
        let len = self.at as usize - self.out.as_ptr() as usize;
        debug_assert!(self.at <= self.end && len <= self.out.capacity());
        // SAFETY: every byte up to `at` was written (each store's length covers its advance), and
        // by the contract of the stores `at` is within the capacity.
        unsafe { self.out.set_len(len) }
    }

    /// Room for that much text from here on.
    #[inline(always)]
    pub(super) fn reserve(&mut self, room: usize) {
        self.commit();
        self.out.reserve(room + SLACK);
        self.at = self.out.as_mut_ptr().wrapping_add(self.out.len());
        self.end = self.at.wrapping_add(room);
    }

    /// Lets `write` append by safe means, then reserves anew. By value, so that the tail stays in
    /// registers elsewhere.
    #[cold]
    #[inline(never)]
    pub(super) fn aside(mut self, room: usize, write: impl FnOnce(&mut Vec<u8>)) -> Self {
        self.commit();
        write(self.out);
        TextTail::new(self.out, room)
    }

    pub(super) fn finish(mut self) {
        self.commit();
    }

    /// Where the next byte goes.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub(super) fn pointer(&self) -> *mut u8 {
        debug_assert!(self.at <= self.end);
        self.at
    }

    /// Counts `len` bytes that were stored at [`TextTail::pointer`].
    ///
    /// # Safety
    /// They were stored, and the text since the last reserve stays within its room.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub(super) unsafe fn advance(&mut self, len: usize) {
        // SAFETY: the caller promises room for it.
        self.at = unsafe { self.at.add(len) };
    }

    /// Writes the first `len` bytes of `word` (least significant first).
    ///
    /// # Safety
    /// `len <= 8`, and the text since the last reserve stays within its room.
    #[inline(always)]
    pub(super) unsafe fn word(&mut self, word: u64, len: usize) {
        debug_assert!(len <= 8 && self.at <= self.end);
        // SAFETY: 8 bytes fit into the slack beyond the room; the caller promises the advance.
        unsafe {
            self.at.cast::<u64>().write_unaligned(word.to_le());
            self.at = self.at.add(len);
        }
    }

    /// Writes the first `len` bytes of `word` (least significant first).
    ///
    /// # Safety
    /// `len <= 16`, and the text since the last reserve stays within its room.
    #[inline(always)]
    pub(super) unsafe fn wide(&mut self, word: u128, len: usize) {
        debug_assert!(len <= 16 && self.at <= self.end);
        // SAFETY: 16 bytes fit into the slack beyond the room; the caller promises the advance.
        unsafe {
            self.at.cast::<u128>().write_unaligned(word.to_le());
            self.at = self.at.add(len);
        }
    }

    /// Writes the first `len` bytes of `word` (least significant first); with `WIDE`, the one at `place` is
    /// `extra`.
    ///
    /// # Safety
    /// `len <= 17` and `place <= 16`, and the text since the last reserve stays within its room.
    #[inline(always)]
    pub(super) unsafe fn digits<const WIDE: bool>(
        &mut self,
        word: u128,
        extra: u8,
        place: usize,
        len: usize,
    ) {
        debug_assert!(len <= 17 && place <= 16 && self.at <= self.end);
        // SAFETY: 17 bytes fit into the slack beyond the room; the caller promises the advance.
        unsafe {
            self.at.cast::<u128>().write_unaligned(word.to_le());
            if WIDE {
                self.at.add(place).write(extra);
            }
            self.at = self.at.add(len);
        }
    }

    /// # Safety
    /// The text since the last reserve stays within its room.
    #[inline(always)]
    pub(super) unsafe fn slice(&mut self, text: &[u8]) {
        // SAFETY: the caller promises room; the vector is borrowed mutably, so `text` is elsewhere.
        unsafe {
            self.at.copy_from_nonoverlapping(text.as_ptr(), text.len());
            self.at = self.at.add(text.len());
        }
    }
}
