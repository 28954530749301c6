//! Lengths of the codes from how often each symbol occurs.

/// A symbol and how often it occurs: `count << 17 | symbol`, so that they sort as the code needs.
pub(super) type Weighted = u64;

/// Gives each of `leaves`, which it sorts, the depth in the tree of the Huffman code. At most
/// 65,537 leaves, of at most 2^46 occurrences in sum; at least two.
///
/// The two lightest trees are joined again and again; of equal weights the one with the lower
/// symbol goes first, where a joined tree has the symbol of its second part. Joined trees come out
/// in the order in which they are joined again, so that two queues do what a heap does elsewhere:
/// weights of joined trees never fall, and those of equal weight come from parts of equal weight.
pub(super) fn depths(
    leaves: &mut [Weighted],
    tree: &mut HuffmanTree,
    mut found: impl FnMut(u32, u8),
) {
    sort(leaves, &mut tree.sorted);
    let count = leaves.len();
    let (parents, joined) = (&mut tree.parents, &mut tree.joined);
    parents.clear();
    parents.resize(2 * count - 1, 0u32);
    joined.clear();
    let (mut next_leaf, mut next_joined) = (0, 0);
    for node in count..2 * count - 1 {
        let mut lightest = || {
            let leaf = leaves.get(next_leaf).copied().unwrap_or(Weighted::MAX);
            let tree = joined.get(next_joined).copied().unwrap_or(Weighted::MAX);
            let (place, weighted) = if leaf < tree {
                next_leaf += 1;
                (next_leaf - 1, leaf)
            } else {
                next_joined += 1;
                (count + next_joined - 1, tree)
            };
            parents[place] = node as u32;
            weighted
        };
        let (first, second) = (lightest(), lightest());
        joined.push((first >> 17 << 17) + second);
    }
    // From the root down; a parent comes after its children. Its place then holds its depth.
    parents[2 * count - 2] = 0;
    for node in (0..2 * count - 2).rev() {
        parents[node] = parents[parents[node] as usize] + 1;
        if let Some(leaf) = leaves.get(node) {
            found((leaf & 0x1_ffff) as u32, parents[node] as u8);
        }
    }
}

/// Memory for [`depths`].
#[derive(Default)]
pub(super) struct HuffmanTree {
    parents: Vec<u32>,
    joined: Vec<Weighted>,
    sorted: Vec<Weighted>,
}

/// Sorts leaves that are in the order of their symbols: by counting those with small counts,
/// where they are many.
fn sort(leaves: &mut [Weighted], sorted: &mut Vec<Weighted>) {
    const FEW: usize = 1024;
    if leaves.len() < FEW / 4 {
        leaves.sort_unstable();
        return;
    }
    let class = |leaf: Weighted| ((leaf >> 17) as usize).min(FEW - 1);
    let mut starts = [0; FEW];
    for leaf in leaves.iter() {
        starts[class(*leaf)] += 1;
    }
    let mut sum = 0;
    for start in &mut starts {
        sum += std::mem::replace(start, sum);
    }
    let many = starts[FEW - 1];
    sorted.clear();
    sorted.resize(leaves.len(), 0);
    for leaf in leaves.iter() {
        let place = &mut starts[class(*leaf)];
        sorted[*place] = *leaf;
        *place += 1;
    }
    sorted[many..].sort_unstable();
    leaves.copy_from_slice(sorted);
}
