//! Memory that is about to be filled: huge pages make first touch about 3× cheaper.

use std::collections::TryReserveError;

const HUGE: usize = 2 << 20;

/// What an allocator may put before and behind a block of its own pages.
const SLACK: usize = 64;

/// Asks the kernel for huge pages under the *spare and used* capacity of `values`. Only a hint:
/// does nothing for small vectors and where the system has none.
pub fn advise_huge<T>(values: &mut Vec<T>) {
    let bytes = values.capacity() * size_of::<T>();
    if bytes < 2 * HUGE {
        return;
    }
    #[cfg(target_os = "linux")]
    {
        // Whole pages, so that the mapping stays in one piece, which the kernel can grow in place
        // or move without a copy.
        let page = rustix::param::page_size();
        let start = values.as_mut_ptr() as usize / page * page;
        let end = (values.as_ptr() as usize + bytes).next_multiple_of(page);
        // SAFETY: the pages hold the vector's own allocation, and MADV_HUGEPAGE changes neither
        // contents nor validity of memory, whatever else is there. Failure is harmless.
        let _ = unsafe {
            rustix::mm::madvise(
                start as *mut core::ffi::c_void,
                end - start,
                rustix::mm::Advice::LinuxHugepage,
            )
        };
    }
}

/// An empty vector with room for `count` values, on huge pages where large.
pub fn with_capacity<T>(count: usize) -> Vec<T> {
    let mut values = Vec::with_capacity(whole::<T>(count));
    advise_huge(&mut values);
    values
}

/// Makes room for `more` values beside those of `values`, on huge pages where large.
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

#[cfg(test)]
mod tests {
    use super::*;

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
