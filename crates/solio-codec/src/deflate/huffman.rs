//! Prefix codes of bounded length (RFC 1951, section 3.2.2).

/// The code of a symbol: its bits in the order of the stream, and above [`LENGTH_AT`] how many.
pub(crate) type PrefixCode = u32;

pub(crate) const LENGTH_AT: u32 = 16;

/// Lengths of the codes of symbols that occur `counts` times, none above `longest`; 0 for those
/// that do not occur. Two symbols have a code at least: some readers want that.
///
/// Huffman's lengths, by two queues; those that are too long are cut, and the shortest codes pay
/// for it (Kraft's sum is kept).
pub(crate) fn lengths(counts: &[u32], longest: u32, lengths: &mut [u8]) {
    lengths.fill(0);
    // Count above, symbol below: sorting is by count.
    let mut leaves = [0u64; 288];
    let mut used = 0;
    for (symbol, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        leaves[used] = u64::from(count) << 16 | symbol as u64;
        used += 1;
    }
    if used < 2 {
        let only = if used == 1 { (leaves[0] & 0xffff) as usize } else { 0 };
        lengths[only] = 1;
        lengths[if only == 0 { 1 } else { 0 }] = 1;
        return;
    }
    let leaves = &mut leaves[..used];
    leaves.sort_unstable();

    // Inner nodes come in the order of their weight. `parent[i]` of leaf i, then of inner nodes.
    let mut weight = [0u64; 288];
    let mut parent = [0u16; 2 * 288];
    let (mut leaf, mut inner) = (0, 0);
    for made in 0..used - 1 {
        let mut sum = 0;
        for _ in 0..2 {
            let from_leaf = leaf < used && (inner >= made || leaves[leaf] >> 16 <= weight[inner]);
            if from_leaf {
                sum += leaves[leaf] >> 16;
                parent[leaf] = made as u16;
                leaf += 1;
            } else {
                sum += weight[inner];
                parent[288 + inner] = made as u16;
                inner += 1;
            }
        }
        weight[made] = sum;
    }
    let mut depth = [0u8; 288];
    for node in (0..used - 2).rev() {
        depth[node] = depth[usize::from(parent[288 + node])] + 1;
    }
    let mut of_length = [0u32; 64];
    for (i, leaf) in leaves.iter().enumerate() {
        let length = (u32::from(depth[usize::from(parent[i])]) + 1).min(longest);
        lengths[(leaf & 0xffff) as usize] = length as u8;
        of_length[length as usize] += 1;
    }
    shorten(&mut of_length, longest);
    // The rarest symbols get the longest codes.
    let mut rarest = leaves.iter();
    for length in (1..=longest).rev() {
        for leaf in rarest.by_ref().take(of_length[length as usize] as usize) {
            lengths[(leaf & 0xffff) as usize] = length as u8;
        }
    }
}

/// Makes room where cut codes take more than there is, and uses up what is left over.
fn shorten(of_length: &mut [u32; 64], longest: u32) {
    let whole = 1u64 << longest;
    let taken = |of_length: &[u32; 64]| {
        (1..=longest).map(|l| u64::from(of_length[l as usize]) << (longest - l)).sum::<u64>()
    };
    let mut sum = taken(of_length);
    while sum > whole {
        // A code becomes one bit longer: the longest of those that may.
        let from = (1..longest).rev().find(|l| of_length[*l as usize] > 0);
        let from = from.expect("288 symbols fit into codes of 9 bits and more");
        of_length[from as usize] -= 1;
        of_length[from as usize + 1] += 1;
        sum -= 1 << (longest - from - 1);
    }
    while sum < whole {
        let gain = |l: u32| 1u64 << (longest - l);
        let from = (2..=longest).find(|l| of_length[*l as usize] > 0 && gain(*l) <= whole - sum);
        let Some(from) = from else { break };
        of_length[from as usize] -= 1;
        of_length[from as usize - 1] += 1;
        sum += gain(from);
    }
}

/// The codes of these lengths.
pub(crate) fn codes(lengths: &[u8], codes: &mut [PrefixCode]) {
    let mut of_length = [0u32; 16];
    for &length in lengths {
        of_length[usize::from(length)] += 1;
    }
    of_length[0] = 0;
    let mut next = [0u32; 16];
    for length in 1..16 {
        next[length] = (next[length - 1] + of_length[length - 1]) << 1;
    }
    for (code, &length) in codes.iter_mut().zip(lengths) {
        *code = 0;
        if length > 0 {
            let number = &mut next[usize::from(length)];
            let bits = (*number as u16).reverse_bits() >> (16 - length);
            *code = u32::from(bits) | u32::from(length) << LENGTH_AT;
            *number += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn codes_are_complete_and_not_too_long(
            counts in prop::collection::vec(0u32..1 << 20, 2..286),
            few in 0..4u32,
            longest in 9..16u32,
        ) {
            // Skewed as much as counts can be.
            let counts: Vec<u32> = counts.iter().map(|c| c >> (c % (few * 5 + 1))).collect();
            let mut of = vec![0; counts.len()];
            lengths(&counts, longest, &mut of);
            let used = counts.iter().filter(|c| **c > 0).count();
            prop_assert!(of.iter().all(|l| u32::from(*l) <= longest));
            prop_assert!(counts.iter().zip(&of).all(|(c, l)| *c == 0 || *l > 0));
            prop_assert_eq!(of.iter().filter(|l| **l > 0).count(), used.max(2));
            let sum: u32 = of.iter().filter(|l| **l > 0).map(|l| 1 << (15 - l)).sum();
            prop_assert_eq!(sum, 1 << 15);
            // A more frequent symbol never has a longer code.
            for (a, la) in counts.iter().zip(&of) {
                for (b, lb) in counts.iter().zip(&of) {
                    prop_assert!(*b == 0 || a <= b || la <= lb || *la == 0, "{a} {la} {b} {lb}");
                }
            }
        }
    }

    #[test]
    fn fibonacci_counts_are_cut() {
        let (mut a, mut b) = (1u32, 1u32);
        let counts: Vec<u32> = (0..40)
            .map(|_| {
                (a, b) = (b, a + b);
                a
            })
            .collect();
        let mut of = vec![0; 40];
        lengths(&counts, 12, &mut of);
        assert_eq!(of.iter().map(|l| 1u32 << (12 - l)).sum::<u32>(), 1 << 12);
        let mut made = vec![0; 40];
        codes(&of, &mut made);
        // No code is the start of another one.
        for (i, a) in made.iter().enumerate() {
            for b in &made[i + 1..] {
                let length = (a >> LENGTH_AT).min(b >> LENGTH_AT);
                assert_ne!(a & ((1 << length) - 1), b & ((1 << length) - 1));
            }
        }
    }
}
