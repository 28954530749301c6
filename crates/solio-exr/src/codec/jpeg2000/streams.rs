//! The three streams of a code block, without what is stuffed into them.
//!
//! Magnitudes and signs go forward from the block's start, the words of quads backward from its end, the
//! events of quads that are mostly zero forward into them. After bytes that could make a marker fewer bits of a
//! byte count. Those are taken out first, eight bytes at a time: then bits are read from anywhere at once.

/// Bits without gaps, first bit lowest, and room behind them.
pub(super) struct Bits<const N: usize>(Box<[u8]>);

impl<const N: usize> Default for Bits<N> {
    fn default() -> Self {
        Bits(vec![0; N + 8].into())
    }
}

impl<const N: usize> Bits<N> {
    /// The place of all bits, as [`bits_at`] takes it.
    #[inline(always)]
    pub(super) fn words(&self) -> &[u8] {
        const { assert!(N.is_power_of_two()) };
        &self.0[..N + 8]
    }
}

/// The bits from `at` on, 57 of them; `bits` is [`Bits::words`] of `N`.
#[inline(always)]
pub(super) fn bits_at<const N: usize>(bits: &[u8], at: usize) -> u64 {
    let start = (at / 8) & (N - 1);
    let eight = bits[start..].first_chunk().map_or(0, |eight| u64::from_le_bytes(*eight));
    eight >> (at % 8)
}

const LOW: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// Whether a byte of `word` is 0.
#[inline(always)]
fn has_zero(word: u64) -> bool {
    word.wrapping_sub(LOW) & !word & HIGH != 0
}

/// Takes bits and writes them without gaps.
struct Packer<'b> {
    out: &'b mut [u8],
    at: usize,
    bits: u64,
    count: u32,
}

impl Packer<'_> {
    #[inline(always)]
    fn put(&mut self, bits: u64, count: u32) {
        self.bits |= bits << self.count;
        let after = self.count + count;
        if after >= 64 {
            self.flush();
            // What did not fit; all of it did where the count was 0.
            self.bits = if self.count == 0 { 0 } else { bits >> (64 - self.count) };
        }
        self.count = after % 64;
    }

    #[inline(always)]
    fn flush(&mut self) {
        if let Some(to) = self.out[self.at..].first_chunk_mut() {
            *to = self.bits.to_le_bytes();
            self.at += 8;
        }
    }

    /// Byte by byte; whether the last one was ff.
    fn put_forward(&mut self, bytes: &[u8], mut after_ff: bool) -> bool {
        for byte in bytes {
            let count = if after_ff { 7 } else { 8 };
            self.put(u64::from(byte & (0xff >> (8 - count))), count);
            after_ff = *byte == 0xff;
        }
        after_ff
    }

    /// Byte by byte from the last one, after the byte `before`.
    fn put_backward(&mut self, bytes: &[u8], mut before: u8) {
        for byte in bytes.iter().rev() {
            let count = if before > 0x8f && byte & 0x7f == 0x7f { 7 } else { 8 };
            self.put(u64::from(byte & (0xff >> (8 - count))), count);
            before = *byte;
        }
    }

    /// Ends with a few bytes of `fill`; how many bits there were.
    fn finish(mut self, fill: u8) -> usize {
        let bits = self.at * 8 + self.count as usize;
        self.bits |= if fill == 0 { 0 } else { u64::MAX << self.count };
        self.flush();
        let end = (self.at + 16).min(self.out.len());
        self.out[self.at.min(end)..end].fill(fill);
        bits
    }
}

impl<const N: usize> Bits<N> {
    fn packer(&mut self) -> Packer<'_> {
        Packer { out: &mut self.0, at: 0, bits: 0, count: 0 }
    }

    /// Magnitudes and signs: seven bits after a byte ff; behind the end are some ones. How many bits there are.
    #[inline(always)]
    pub(super) fn fill_forward(&mut self, data: &[u8]) -> usize {
        // No block has more.
        let data = &data[..data.len().min(N - 16)];
        let mut packer = self.packer();
        let (words, rest) = data.as_chunks::<8>();
        let mut after_ff = false;
        for word in words {
            let bits = u64::from_le_bytes(*word);
            if after_ff || has_zero(!bits) {
                after_ff = packer.put_forward(word, after_ff);
            } else {
                packer.put(bits, 64);
            }
        }
        packer.put_forward(rest, after_ff);
        packer.finish(0xff)
    }

    /// Words of quads: from the last byte backward, half of which is part of the length; seven bits after
    /// bytes above 8f where they are ones; behind the end are some zeros. How many bits there are.
    #[inline(always)]
    pub(super) fn fill_backward(&mut self, data: &[u8]) -> usize {
        let mut packer = self.packer();
        let Some((last, data)) = data.split_last() else { return packer.finish(0) };
        let data = &data[data.len() - data.len().min(N - 16)..];
        let nibble = u64::from(last >> 4);
        let count = if nibble & 7 == 7 { 3 } else { 4 };
        packer.put(nibble & (0xf >> (4 - count)), count);
        let mut before = last | 0xf;
        let (rest, words) = data.as_rchunks::<8>();
        for word in words.iter().rev() {
            let bits = u64::from_be_bytes(*word);
            if has_zero(!bits & !HIGH) {
                packer.put_backward(word, before);
            } else {
                packer.put(bits, 64);
            }
            before = word[0];
        }
        packer.put_backward(rest, before);
        packer.finish(0)
    }
}

/// Bits of a block as they come; what has to be stuffed into them comes last.
pub(super) struct BitPutter {
    bytes: Box<[u8]>,
    at: usize,
    bits: u64,
    count: u32,
}

/// Room for the bits of any block.
const PUT_ROOM: usize = 32 << 10;

impl Default for BitPutter {
    fn default() -> Self {
        BitPutter { bytes: vec![0; PUT_ROOM + 8].into(), at: 0, bits: 0, count: 0 }
    }
}

impl BitPutter {
    pub(super) fn start(&mut self) {
        (self.at, self.bits, self.count) = (0, 0, 0);
    }

    /// Up to 56 bits; those above are 0.
    #[inline(always)]
    pub(super) fn put(&mut self, bits: u64, count: u32) {
        self.bits |= bits << self.count;
        let count = self.count + count;
        let bytes = &mut self.bytes[..PUT_ROOM + 8];
        if let Some(to) = bytes[self.at & (PUT_ROOM - 1)..].first_chunk_mut() {
            *to = self.bits.to_le_bytes();
        }
        self.at += count as usize / 8;
        self.bits >>= count & 56;
        self.count = count & 7;
    }

    /// All bits so far: the bytes, and how many bits.
    fn all(&mut self) -> (&[u8], usize) {
        let end = self.at * 8 + self.count as usize;
        self.put(0, 56);
        (&self.bytes[..PUT_ROOM + 8], end)
    }

    /// Appends the bytes of magnitudes: seven bits after a byte ff, ones at the end.
    #[inline(always)]
    pub(super) fn stuff_forward(&mut self, out: &mut Vec<u8>) {
        let (bytes, end) = self.all();
        let (mut at, mut after_ff) = (0, false);
        loop {
            let bits = bits_at::<PUT_ROOM>(bytes, at);
            if !after_ff && end - at >= 56 && !has_zero(!(bits & u64::MAX >> 8)) {
                out.extend_from_slice(&bits.to_le_bytes()[..7]);
                at += 56;
                continue;
            }
            let count = if after_ff { 7 } else { 8 };
            let left = end - at;
            if left < count {
                // Readers see ones behind the end, so that a byte of them need not be there.
                let byte = (bits & ((1 << left) - 1) | ((1 << count) - 1) >> left << left) as u8;
                if left > 0 && byte != 0xff {
                    out.push(byte);
                } else if left == 0 && after_ff {
                    out.pop();
                }
                return;
            }
            let byte = (bits & ((1 << count) - 1)) as u8;
            out.push(byte);
            after_ff = byte == 0xff;
            at += count;
        }
    }

    /// The bytes of words, the last byte of the block first, which is for its length; and what does not
    /// fill a byte: bits and how many.
    #[inline(always)]
    pub(super) fn stuff_backward(&mut self, out: &mut Vec<u8>) -> (u32, u32) {
        out.clear();
        out.push(0xff);
        let (bytes, end) = self.all();
        let (mut at, mut above) = (0, true);
        loop {
            let bits = bits_at::<PUT_ROOM>(bytes, at);
            let left = end - at;
            if left >= 56 && !has_zero(!(bits & u64::MAX >> 8) & !HIGH) {
                let bytes = bits.to_le_bytes();
                out.extend_from_slice(&bytes[..7]);
                above = bytes[6] > 0x8f;
                at += 56;
            } else if above && left >= 7 && bits & 0x7f == 0x7f {
                out.push(0x7f);
                above = false;
                at += 7;
            } else if left >= 8 {
                out.push(bits as u8);
                above = bits as u8 > 0x8f;
                at += 8;
            } else {
                return ((bits & ((1 << left) - 1)) as u32, left as u32);
            }
        }
    }
}

/// By state: how many bits say the length of a run.
pub(super) const RUN_BITS: [u32; 13] = [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 5];

/// The events (MEL): runs of zeros, of lengths that adapt.
pub(super) struct Events<'d> {
    data: &'d [u8],
    at: usize,
    byte: u8,
    left: u32,
    state: usize,
    /// Zeros that are still to come.
    zeros: u32,
    /// Whether a one comes behind them.
    one: bool,
}

impl<'d> Events<'d> {
    /// Of the bytes up to the last but one of a block, half of which counts.
    #[inline(always)]
    pub(super) fn new(data: &'d [u8]) -> Self {
        Events { data, at: 0, byte: 0, left: 0, state: 0, zeros: 0, one: false }
    }

    #[inline(always)]
    fn bit(&mut self) -> u32 {
        if self.left == 0 {
            self.left = if self.byte == 0xff { 7 } else { 8 };
            let byte = self.data.get(self.at).copied().unwrap_or(0xff);
            self.byte = if self.at + 1 == self.data.len() { byte | 0xf } else { byte };
            self.at += 1;
        }
        self.left -= 1;
        u32::from(self.byte >> self.left & 1)
    }

    /// The next event.
    #[inline(always)]
    pub(super) fn next(&mut self) -> bool {
        if self.zeros == 0 && !self.one {
            self.run();
        }
        if self.zeros > 0 {
            self.zeros -= 1;
            return false;
        }
        self.one = false;
        true
    }

    fn run(&mut self) {
        let bits = RUN_BITS[self.state];
        if self.bit() == 1 {
            self.zeros = 1 << bits;
            self.state = (self.state + 1).min(12);
        } else {
            self.zeros = (0..bits).fold(0, |zeros, _| zeros << 1 | self.bit());
            self.one = true;
            self.state = self.state.saturating_sub(1);
        }
    }
}
