//! Where a file lies on its medium, as the file system tells.

use crate::sys;
use std::fs::File;
use std::io;
use std::ops::Range;

/// A run of a file's bytes that lies in one piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Offset in the file.
    pub logical: u64,
    /// Offset on the medium (on btrfs: in its own space of addresses, which has the same order).
    pub physical: u64,
    /// Length.
    pub bytes: u64,
}

/// More pieces than this are not asked for: so badly broken a file comes last anyway.
const MOST: usize = 1 << 16;

/// All pieces of a file that a read fetches from the medium, by offset in the file. What has no
/// place of its own is left out: holes, space that was never written, data not yet placed, and
/// data within the inode. The file's pages are not written out for this.
///
/// # Errors
/// `Unsupported` where the file system does not tell (tmpfs, overlays, networks); others of the
/// system.
pub fn extents(file: &File) -> io::Result<Vec<Extent>> {
    sys::extents(file, MOST)
}

/// The parts of `extents` that lie in `range`.
pub(super) fn within(extents: &[Extent], range: Range<u64>) -> impl Iterator<Item = Extent> + '_ {
    extents.iter().filter_map(move |extent| {
        let end = extent.logical.saturating_add(extent.bytes).min(range.end);
        let start = extent.logical.max(range.start);
        (start < end).then(|| Extent {
            logical: start,
            physical: extent.physical.saturating_add(start - extent.logical),
            bytes: end - start,
        })
    })
}

/// Position of the first piece, and the number of fragments: pieces that do not go on where the
/// one before ended.
pub(super) fn place(pieces: impl Iterator<Item = Extent>) -> (u32, u64) {
    let (mut fragments, mut first, mut end) = (0, 0, None);
    for piece in pieces {
        if end != Some(piece.physical) {
            fragments += 1;
        }
        if end.is_none() {
            first = piece.physical;
        }
        end = Some(piece.physical.saturating_add(piece.bytes));
    }
    (fragments, first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extent(logical: u64, physical: u64, bytes: u64) -> Extent {
        Extent { logical, physical, bytes }
    }

    #[test]
    fn pieces_that_touch_are_one_fragment() {
        let all = [extent(0, 1000, 10), extent(10, 1010, 10), extent(20, 500, 10)];
        assert_eq!(place(all.into_iter()), (2, 1000));
        assert_eq!(place(all[2..].iter().copied()), (1, 500));
        assert_eq!(place(std::iter::empty()), (0, 0));
    }

    #[test]
    fn a_range_cuts_pieces() {
        let all = [extent(0, 1000, 10), extent(20, 500, 10)];
        let cut = |range| within(&all, range).collect::<Vec<_>>();
        assert_eq!(cut(0..u64::MAX), all);
        assert_eq!(cut(5..25), [extent(5, 1005, 5), extent(20, 500, 5)]);
        assert_eq!(cut(10..20), []);
        assert_eq!(cut(29..30), [extent(29, 509, 1)]);
        assert_eq!(cut(7..7), []);
    }
}
