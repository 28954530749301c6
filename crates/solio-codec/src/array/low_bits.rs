//! The lowest bits of 16-bit numbers, as many of each, put together with the bytes above them.
//!
//! Noise has no shorter form than its bits, so the lowest ones are stored as they are: of 256
//! numbers at a time, sixteen streams side by side, number `16 r + lane` in stream `lane`.
//!
//! Why it is fast: all lanes of a register are shifted alike, by a count that is known when the
//! loop is compiled. The layout is that of Afroozeh and Boncz, "The FastLanes Compression Layout"
//! (2023), with registers of 16 lanes.

use super::word::Word;
use crate::wide::{Wide, wide};

/// Numbers that are stored together.
pub(super) const BLOCK: usize = 256;
const LANES: usize = 16;
const ROWS: usize = BLOCK / LANES;
/// No more of the lowest bits are stored apart.
pub(super) const MOST: u32 = 12;
/// The byte of numbers whose upper part is not below it; they are stored elsewhere.
pub(super) const ESCAPE: u8 = 255;

/// Bytes that `count` numbers take with so many bits each.
pub(super) fn packed_bytes(count: usize, bits: u32) -> usize {
    count.div_ceil(BLOCK) * ROWS * 2 * bits as usize
}

/// Appends the lowest `bits` of all numbers to `out`, the parts above them to `uppers`, and the
/// numbers whose parts are too large to `escaped`.
pub(super) fn split(
    values: &[u16],
    bits: u32,
    uppers: &mut Vec<u8>,
    escaped: &mut Vec<u16>,
    out: &mut Vec<u8>,
) {
    for block in values.chunks(BLOCK) {
        let mut padded = [0; BLOCK];
        padded[..block.len()].copy_from_slice(block);
        let mut upper = [0; BLOCK];
        let mut packed = [[0; LANES]; MOST as usize];
        wide(Split { values: &padded, bits, uppers: &mut upper, packed: &mut packed });
        uppers.extend_from_slice(&upper[..block.len()]);
        if upper.contains(&ESCAPE) {
            let parts = upper.iter().zip(block);
            escaped.extend(parts.filter(|(part, _)| **part == ESCAPE).map(|(_, value)| *value));
        }
        let packed = packed[..bits as usize].as_flattened();
        out.extend(packed.iter().flat_map(|word| word.to_le_bytes()));
    }
}

struct Split<'a> {
    values: &'a [u16; BLOCK],
    bits: u32,
    uppers: &'a mut [u8; BLOCK],
    packed: &'a mut [[u16; LANES]; MOST as usize],
}

impl Wide for Split<'_> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Split { values, bits, uppers, packed } = self;
        for (upper, value) in uppers.iter_mut().zip(values) {
            *upper = (value >> bits).min(u16::from(ESCAPE)) as u8;
        }
        let mask = (1u16 << bits) - 1;
        for (row, values) in values.as_chunks::<LANES>().0.iter().enumerate() {
            let (word, shift) = (row * bits as usize / 16, row as u32 * bits % 16);
            if bits == 0 {
                break;
            }
            for lane in 0..LANES {
                packed[word][lane] |= (values[lane] & mask) << shift;
            }
            if shift + bits > 16 {
                for lane in 0..LANES {
                    packed[word + 1][lane] |= (values[lane] & mask) >> (16 - shift);
                }
            }
        }
    }
}

/// Fills `to` with the differences that [`split`] was given zigzagged. `uppers` are as many as
/// `to`, `packed` has [`packed_bytes`]; `None` where the escaped numbers are too few or too many.
pub(super) fn join(
    uppers: &[u8],
    packed: &[u8],
    bits: u32,
    mut escaped: impl Iterator<Item = u16>,
    to: &mut [u16],
) -> Option<()> {
    wide(Join { uppers, packed, bits, to: &mut *to });
    for (uppers, to) in uppers.chunks(BLOCK).zip(to.chunks_mut(BLOCK)) {
        if uppers.contains(&ESCAPE) {
            for (_, to) in uppers.iter().zip(to).filter(|(upper, _)| **upper == ESCAPE) {
                *to = escaped.next()?.unzigzag();
            }
        }
    }
    escaped.next().is_none().then_some(())
}

struct Join<'a> {
    uppers: &'a [u8],
    packed: &'a [u8],
    bits: u32,
    to: &'a mut [u16],
}

impl Wide for Join<'_> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Join { uppers, packed, bits, to } = self;
        macro_rules! of_bits {
            ($($bits:literal)*) => { match bits {
                $($bits => blocks::<$bits>(uppers, packed, to),)*
                _ => unreachable!("no more than MOST"),
            }};
        }
        of_bits!(0 1 2 3 4 5 6 7 8 9 10 11 12);
    }
}

#[inline(always)]
fn blocks<const BITS: usize>(uppers: &[u8], packed: &[u8], to: &mut [u16]) {
    let size = ROWS * 2 * BITS;
    let mut words = [[0; LANES]; BITS];
    let (whole, rest) = to.as_chunks_mut::<BLOCK>();
    let (whole_uppers, rest_uppers) = uppers.as_chunks::<BLOCK>();
    for (i, (to, uppers)) in whole.iter_mut().zip(whole_uppers).enumerate() {
        load(&packed[i * size..][..size], &mut words);
        block(uppers, &words, to);
    }
    if !rest.is_empty() {
        load(&packed[whole.len() * size..][..size], &mut words);
        let (mut padded, mut last) = ([0; BLOCK], [0; BLOCK]);
        padded[..rest.len()].copy_from_slice(&rest_uppers[..rest.len()]);
        block(&padded, &words, &mut last);
        rest.copy_from_slice(&last[..rest.len()]);
    }
}

#[inline(always)]
fn load<const BITS: usize>(packed: &[u8], words: &mut [[u16; LANES]; BITS]) {
    for (word, bytes) in words.as_flattened_mut().iter_mut().zip(packed.as_chunks::<2>().0) {
        *word = u16::from_le_bytes(*bytes);
    }
}

#[inline(always)]
fn block<const BITS: usize>(
    uppers: &[u8; BLOCK],
    words: &[[u16; LANES]; BITS],
    to: &mut [u16; BLOCK],
) {
    let mask = (1u16 << BITS) - 1;
    for row in 0..ROWS {
        let (word, shift) = (row * BITS / 16, row * BITS % 16);
        let mut low = [0; LANES];
        if BITS > 0 {
            low = words[word].map(|word| word >> shift);
            if shift + BITS > 16 {
                let next = words[word + 1].map(|word| word << (16 - shift));
                low.iter_mut().zip(next).for_each(|(low, next)| *low |= next);
            }
        }
        let at = row * LANES;
        let parts = uppers[at..at + LANES].iter().zip(low);
        for (to, (upper, low)) in to[at..at + LANES].iter_mut().zip(parts) {
            *to = (u16::from(*upper) << BITS | low & mask).unzigzag();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn comes_back(
            noise in prop::collection::vec(any::<u16>(), 0..700), shift in 0..16u32, bits in 0..=MOST,
        ) {
            let values: Vec<u16> = noise.iter().map(|n| n >> shift).collect();
            let (mut uppers, mut escaped, mut packed) = (Vec::new(), Vec::new(), Vec::new());
            split(&values, bits, &mut uppers, &mut escaped, &mut packed);
            prop_assert_eq!(packed.len(), packed_bytes(values.len(), bits));
            let mut back = vec![0; values.len()];
            join(&uppers, &packed, bits, escaped.iter().copied(), &mut back).expect("just made");
            let differences: Vec<u16> = values.iter().map(|v| v.unzigzag()).collect();
            prop_assert_eq!(&back, &differences);
            if !escaped.is_empty() {
                let fewer = escaped[1..].iter().copied();
                prop_assert!(join(&uppers, &packed, bits, fewer, &mut back).is_none());
            }
            // The plain twin of the clones.
            let mut plain = vec![0; values.len()];
            Join { uppers: &uppers, packed: &packed, bits, to: &mut plain }.run();
            let mut cloned = vec![0; values.len()];
            wide(Join { uppers: &uppers, packed: &packed, bits, to: &mut cloned });
            prop_assert_eq!(plain, cloned);
        }
    }
}
