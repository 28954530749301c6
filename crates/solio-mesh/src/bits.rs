//! A set of numbers, one bit each, that knows how many members lie before each number.

use std::ops::Range;

/// Numbers in a block; how many members lie before each block is kept.
pub(crate) const BLOCK: usize = 1 << 15;
const WORDS: usize = BLOCK / 64;

/// A set of numbers below a count. It takes an eighth of a byte for each.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct RankedBits {
    words: Vec<u64>,
    /// Members before each block, as far as [`RankedBits::count_blocks`] has come; then all of them.
    before: Vec<u32>,
}

impl RankedBits {
    /// The empty set, for numbers below `count`.
    pub(crate) fn new(count: usize) -> RankedBits {
        RankedBits { words: vec![0; count.div_ceil(64)], before: vec![0] }
    }

    /// What a set for numbers below `count` takes.
    pub(crate) fn bytes(count: usize) -> u64 {
        count.div_ceil(64) as u64 * 8 + count.div_ceil(BLOCK) as u64 * 4
    }

    pub(crate) fn insert(&mut self, number: usize) {
        self.words[number / 64] |= 1 << (number % 64);
    }

    /// The words of each block, to fill them in parallel.
    pub(crate) fn blocks_mut(&mut self) -> std::slice::ChunksMut<'_, u64> {
        self.words.chunks_mut(WORDS)
    }

    /// Turns members into others and others into members.
    pub(crate) fn invert(&mut self, count: usize) {
        self.words.iter_mut().for_each(|word| *word = !*word);
        if let (Some(last), used @ 1..) = (self.words.last_mut(), count % 64) {
            *last &= (1 << used) - 1;
        }
    }

    /// Counts the members of the blocks up to number `end`, for [`RankedBits::before`]; it goes on where
    /// it stopped, so members of blocks that are counted must not change.
    pub(crate) fn count_blocks(&mut self, end: usize) {
        let blocks = self.words[..end.div_ceil(64)].chunks(WORDS);
        for block in blocks.skip(self.before.len() - 1) {
            let members: u32 = block.iter().map(|word| word.count_ones()).sum();
            self.before.push(self.before[self.before.len() - 1] + members);
        }
    }

    /// Members in all blocks that are counted.
    pub(crate) fn count(&self) -> u32 {
        self.before[self.before.len() - 1]
    }

    /// Number of blocks.
    pub(crate) fn blocks(&self) -> usize {
        self.words.len().div_ceil(WORDS)
    }

    /// Members before a block.
    pub(crate) fn before_block(&self, block: usize) -> u32 {
        self.before[block]
    }

    /// Members before `number`.
    pub(crate) fn before(&self, number: usize) -> u32 {
        let block = number / BLOCK;
        let whole = self.words[block * WORDS..number / 64].iter().map(|word| word.count_ones());
        let part = self.words[number / 64] & ((1 << (number % 64)) - 1);
        self.before[block] + whole.sum::<u32>() + part.count_ones()
    }

    /// The numbers of a block.
    pub(crate) fn range(&self, block: usize) -> Range<usize> {
        block * BLOCK..((block + 1) * BLOCK).min(64 * self.words.len())
    }

    /// The members in a block, rising.
    pub(crate) fn members(&self, block: usize) -> impl Iterator<Item = u32> {
        let words = &self.words[block * WORDS..self.words.len().min((block + 1) * WORDS)];
        words.iter().enumerate().flat_map(move |(i, &word)| {
            let first = (block * BLOCK + 64 * i) as u32;
            let mut left = word;
            std::iter::from_fn(move || {
                let bit = left.trailing_zeros();
                left &= left.wrapping_sub(1);
                (bit < 64).then_some(first + bit)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_counted_and_listed() {
        for count in [0, 1, 63, 64, 65, BLOCK, 2 * BLOCK + 77] {
            let of: std::collections::BTreeSet<usize> =
                (0..count).filter(|i| i % 7 == 3 || i % 64 == 63).collect();
            let mut bits = RankedBits::new(count);
            of.iter().for_each(|&i| bits.insert(i));
            bits.count_blocks(count / BLOCK * BLOCK);
            bits.count_blocks(count);
            assert_eq!(bits.count() as usize, of.len());
            let listed = (0..bits.blocks()).flat_map(|b| bits.members(b)).map(|i| i as usize);
            assert!(listed.eq(of.iter().copied()));
            for (rank, &i) in of.iter().enumerate() {
                assert_eq!(bits.before(i) as usize, rank);
            }
            bits.invert(count);
            let rest: Vec<u32> = (0..bits.blocks()).flat_map(|b| bits.members(b)).collect();
            let others = (0..count as u32).filter(|&i| !of.contains(&(i as usize)));
            assert!(rest.iter().copied().eq(others), "{count}");
        }
    }
}
