//! Rows on their way past the caches: an image that is too large for them need not be fetched from
//! memory to be written to.

use crate::codec;
use solio_codec::copy::{self, Keep};

/// Rows that are copied at once: enough that waiting for them costs little, and few enough that
/// they stay in the cache until then.
const AT_ONCE: usize = 64 << 10;

/// Rows that are complete, but not yet where they go.
#[derive(Default)]
pub(crate) struct Past<'a> {
    /// Whether there are any such rows.
    is_used: bool,
    /// The rows one after the other.
    bytes: Vec<u8>,
    used: usize,
    /// Where they go.
    rows: Vec<&'a mut [u8]>,
}

impl<'a> Past<'a> {
    /// Rows go past the caches from now on, or not.
    pub(crate) fn set(&mut self, keep: Keep) {
        self.is_used = keep == Keep::Past;
    }

    /// Fills `to` with what `fill` makes, now or by the next [`flush`](Self::flush).
    pub(crate) fn fill(&mut self, to: &'a mut [u8], fill: impl FnOnce(&mut [u8])) {
        if !self.is_used {
            return fill(to);
        }
        if self.used + to.len() > AT_ONCE {
            self.flush();
        }
        let end = self.used + to.len();
        fill(&mut codec::room(&mut self.bytes, end)[self.used..]);
        self.used = end;
        self.rows.push(to);
    }

    /// Puts all rows where they go.
    pub(crate) fn flush(&mut self) {
        if self.rows.is_empty() {
            return;
        }
        let mut rest = &self.bytes[..];
        let from = self.rows.iter().map(|row| {
            let (from, more) = rest.split_at(row.len());
            rest = more;
            from
        });
        let from: Vec<&[u8]> = from.collect();
        copy::rows(&from, &mut self.rows, Keep::Past);
        self.rows.clear();
        self.used = 0;
    }
}
