//! Memory that is about to be filled: huge pages make first touch about 3× cheaper, and where a file
//! is read to matters up to 3.5×.

use crate::sys;
use std::collections::TryReserveError;

const HUGE: usize = 2 << 20;

/// What an allocator may put before and behind a block of its own pages.
const SLACK: usize = 64;

/// Asks the kernel for huge pages under the *spare and used* capacity of `values`. Only a hint:
/// does nothing for small vectors and where the system has none.
///
/// ```
/// use solio_base::memory::advise_huge;
/// let mut positions: Vec<[f32; 3]> = Vec::with_capacity(1_000_000);
/// let (place, room) = (positions.as_ptr(), positions.capacity());
/// // Before anything is put there: each first touch takes a page.
/// advise_huge(&mut positions);
/// positions.push([1.0, 2.0, 3.0]);
/// assert_eq!((positions.as_ptr(), positions.capacity()), (place, room));
/// ```
pub fn advise_huge<T>(values: &mut Vec<T>) {
    let bytes = values.capacity() * size_of::<T>();
    // SAFETY: the vector's own allocation.
    unsafe { advise_huge_at(values.as_mut_ptr().cast(), bytes) };
}

/// [`advise_huge`] for memory that is not a vector's.
///
/// # Safety
/// `bytes` bytes from `start` on are memory of this process.
pub unsafe fn advise_huge_at(start: *mut u8, bytes: usize) {
    if bytes >= 2 * HUGE {
        // SAFETY: as the caller promises.
        unsafe { sys::advise_huge(start, bytes) };
    }
}

/// An empty vector with room for `count` values, on huge pages where large.
///
/// ```
/// use solio_base::memory::with_capacity;
/// let positions: Vec<[f32; 3]> = with_capacity(1_000_000);
/// // Up to the end of a huge page.
/// assert!(positions.is_empty() && positions.capacity() > 1_000_000);
/// assert!(positions.capacity() < 1_200_000);
/// ```
pub fn with_capacity<T>(count: usize) -> Vec<T> {
    let mut values = Vec::with_capacity(whole::<T>(count));
    advise_huge(&mut values);
    values
}

/// Makes room for `more` values beside those of `values`, on huge pages where large.
///
/// ```
/// use solio_base::memory::try_reserve;
/// let mut samples = vec![0.5f32];
/// try_reserve(&mut samples, 1000)?;
/// assert!(samples.capacity() >= 1001);
/// // A count from a damaged file ends in an error and not the process.
/// assert!(try_reserve(&mut samples, usize::MAX / 4).is_err());
/// assert_eq!(samples, [0.5]);
/// # Ok::<(), std::collections::TryReserveError>(())
/// ```
pub fn try_reserve<T>(values: &mut Vec<T>, more: usize) -> Result<(), TryReserveError> {
    let count = whole::<T>(values.len().saturating_add(more));
    values.try_reserve_exact(count - values.len())?;
    advise_huge(values);
    Ok(())
}

/// At least `count`, and as many as fill huge pages: for a mapping of such a size the kernel
/// (since Linux 6.7) also chooses an address where a huge page starts.
fn whole<T>(count: usize) -> usize {
    let bytes = count.saturating_mul(size_of::<T>());
    if bytes < 2 * HUGE || bytes > isize::MAX as usize - HUGE {
        return count;
    }
    ((bytes + SLACK).next_multiple_of(HUGE) - SLACK) / size_of::<T>()
}

/// Hands free memory back to the system, where the allocator keeps some: for who measures how much
/// a piece of work takes. Does nothing where the allocator has no word for it.
///
/// ```
/// use solio_base::memory::give_back;
/// let (result, scratch) = (vec![7u8; 1000], vec![0u8; 1 << 20]);
/// drop(scratch);
/// give_back();
/// // Only what is free goes.
/// assert!(result.iter().all(|byte| *byte == 7));
/// ```
pub fn give_back() {
    sys::trim_heap();
}

/// Pages of this size are what [`copies_slowly`] is about, whatever the machine's are.
const PAGE: usize = 4096;

/// Whether copying large blocks from `from` on to `to` on, as a system copies out of its page
/// cache (`rep movsb`), is slow here: on Zen 3 a file of 40 MB came at 1.5 GB/s where `to` lies 1 to
/// 31 bytes behind `from` in their pages, and at 5.3 GB/s anywhere else. A file begins with a page,
/// and a large block of glibc's `malloc` 16 bytes behind one: plain reads meet this all the time.
/// See also glibc's bug 30994.
///
/// ```
/// use solio_base::{cpu::is_amd, memory::copies_slowly};
/// // From the start of a file to a block of `malloc`, and to one that starts with a page.
/// assert_eq!(copies_slowly(0, 0x7fff_0010), is_amd());
/// assert!(!copies_slowly(0, 0x7fff_0000));
/// // What lies 16 bytes into the file goes there as fast as anything.
/// assert!(!copies_slowly(16, 0x7fff_0010));
/// ```
pub fn copies_slowly(from: u64, to: usize) -> bool {
    is_near(from, to) && crate::cpu::is_amd()
}

fn is_near(from: u64, to: usize) -> bool {
    (1..32).contains(&(to.wrapping_sub(from as usize) % PAGE))
}

/// So far from a slow place is a fast one.
pub const CLEAR_BYTES: usize = 64;

/// A part of `buffer`, of `bytes` bytes, to which what a file has from `offset` on is copied fast;
/// the buffer grows as needed, and what it held is left there.
///
/// ```
/// use solio_base::memory::{copies_slowly, placed};
/// use std::io::Read;
/// let mut file = &b"ply\nformat ascii 1.0\n"[..];
/// let mut buffer = Vec::new();
/// let head = placed(&mut buffer, 4, 0);
/// assert!(!copies_slowly(0, head.as_ptr() as usize));
/// file.read_exact(head)?;
/// assert_eq!(head, b"ply\n");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn placed(buffer: &mut Vec<u8>, bytes: usize, offset: u64) -> &mut [u8] {
    let least = bytes + CLEAR_BYTES;
    if buffer.len() < least {
        buffer.resize(least, 0);
    }
    let start = if copies_slowly(offset, buffer.as_ptr() as usize) { CLEAR_BYTES } else { 0 };
    &mut buffer[start..start + bytes]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_never_a_slow_one() {
        let mut buffer = Vec::new();
        for offset in (0..5000).chain([u64::MAX - 3, u64::MAX]) {
            let place = placed(&mut buffer, 100, offset);
            assert_eq!(place.len(), 100);
            assert!(!copies_slowly(offset, place.as_ptr() as usize));
        }
        assert!(buffer.len() < 200);
        assert!(is_near(4096, 16) && is_near(8191, 0) && is_near(u64::MAX, 4096));
        assert!(!is_near(0, 0) && !is_near(0, 32) && !is_near(16, 0));
    }

    #[test]
    fn makes_room_for_what_was_asked() {
        for count in [0, 1, 349_525, 349_526, 1_000_000, 1_048_576] {
            let mut values: Vec<[f32; 3]> = with_capacity(count);
            assert!(values.capacity() >= count);
            values.resize(count / 2, [1.0; 3]);
            try_reserve(&mut values, 2 * count).unwrap();
            assert!(values.capacity() >= count / 2 + 2 * count);
            assert!(values.iter().all(|row| *row == [1.0; 3]));
        }
        let mut values: Vec<u64> = vec![1];
        assert!(try_reserve(&mut values, usize::MAX).is_err());
        assert!(try_reserve(&mut values, usize::MAX / 8).is_err());
    }
}
