//! What an index array leaves out.

use solio_base::{Error, Result};

/// The numbers below `count` that `indices` does not hold, rising: loose edges, say, from the
/// edges of all corners.
///
/// # Errors
/// `Argument` when an index is not below `count`.
///
/// ```
/// assert_eq!(solio_mesh::unused(5, &[3, 0, 3])?, [1, 2, 4]);
/// assert!(solio_mesh::unused(3, &[3]).is_err());
/// # Ok::<(), solio_base::Error>(())
/// ```
pub fn unused(count: usize, indices: &[u32]) -> Result<Vec<u32>> {
    if u32::try_from(count).is_err() {
        return Err(Error::argument("more than 2^32 elements"));
    }
    let mut used = solio_base::memory::with_capacity::<u8>(count);
    used.resize(count, 0);
    for &index in indices {
        match used.get_mut(index as usize) {
            Some(flag) => *flag = 1,
            None => return Err(Error::argument(format!("index {index} of {count} elements"))),
        }
    }
    // Blocks in which all are used, the common case, are passed over as vectors.
    let mut left = Vec::new();
    for (block, flags) in used.chunks(BLOCK).enumerate() {
        if flags.iter().fold(1, |all, flag| all & flag) == 1 {
            continue;
        }
        let start = block * BLOCK;
        let zeros = flags.iter().zip(start..).filter(|(flag, _)| **flag == 0);
        left.extend(zeros.map(|(_, i)| i as u32));
    }
    Ok(left)
}

const BLOCK: usize = 4096;
