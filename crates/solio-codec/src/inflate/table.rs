//! Tables that turn the next bits of a stream into what they stand for (RFC 1951, section 3.2).

/// Bits that a look into a table takes; both tables take as many.
pub(super) const BITS: u32 = 11;
/// The first entry of distances.
pub(super) const DISTANCES_AT: usize = 1 << BITS;
/// Entries of both tables, and then of what longer codes need: second tables of 2 to 16 entries
/// for codes with the same first 11 bits. Each has one code of every length up to its own at
/// least, so 288 and 32 symbols have not many of them: see the test.
pub(super) const ENTRIES: usize = 4 << BITS;
const PRE_BITS: u32 = 7;
const PRE_ENTRIES: usize = 1 << PRE_BITS;
const MOST_BITS: usize = 15;

pub(super) const LITERALS: usize = 288;
pub(super) const DISTANCES: usize = 32;

/// What some bits stand for.
///
/// Bits 0 to 5: how many of the stream's bits that takes. Bits 8 to 11: how many of those are the
/// code's; the others are added to the number, bits 16 to 30. Of a literal that is its byte, and
/// bit 31 is set.
pub(super) type DecodeEntry = u32;

pub(super) const LITERAL: DecodeEntry = 1 << 31;
/// A length: a distance comes next. It is also the place of that table, in bytes.
pub(super) const LENGTH: DecodeEntry = (DISTANCES_AT * size_of::<DecodeEntry>()) as DecodeEntry;
/// Needs more than its bits: one of the next three.
pub(super) const SPECIAL: DecodeEntry = 1 << 6;
/// The end of a block.
pub(super) const END: DecodeEntry = 1 << 7;
/// Leads to a second table: its first place is the number, and bits 8 to 11 say how many bits it
/// takes.
pub(super) const SECOND: DecodeEntry = 1 << 14;
/// Of the others, three entries of which one is no distance take 56 bits at most.
const LONGEST: u32 = 20;
pub(super) const CODE_AT: u32 = 8;
pub(super) const VALUE_AT: u32 = 16;

/// The tables of a block.
pub(super) struct InflateTables {
    pub(super) entries: Box<[DecodeEntry; ENTRIES]>,
    pre: [DecodeEntry; PRE_ENTRIES],
}

impl InflateTables {
    pub(super) fn new() -> Self {
        InflateTables { entries: Box::new([0; ENTRIES]), pre: [0; PRE_ENTRIES] }
    }

    /// Of the code for code lengths. `None`: the lengths are not those of a code.
    pub(super) fn set_pre(&mut self, lengths: &[u8; 19]) -> Option<()> {
        build(lengths, PRE_BITS, &mut self.pre, 0, 0, |symbol| (symbol as u32) << VALUE_AT)?;
        Some(())
    }

    #[inline]
    pub(super) fn pre(&self, bits: u64) -> DecodeEntry {
        self.pre[bits as usize % PRE_ENTRIES]
    }

    /// Of a block. `None`: the lengths are not those of codes.
    pub(super) fn set(&mut self, literals: &[u8], distances: &[u8]) -> Option<()> {
        let (table, more) = (&mut self.entries[..], 2 * DISTANCES_AT);
        let more = build(literals, BITS, table, 0, more, |symbol| LITERAL_VALUES[symbol])?;
        build(distances, BITS, table, DISTANCES_AT, more, |symbol| DISTANCE_VALUES[symbol])?;
        Some(())
    }

    /// Of a block with the fixed codes.
    pub(super) fn set_fixed(&mut self) {
        let length = |symbol| match symbol {
            0..144 => 8,
            144..256 => 9,
            256..280 => 7,
            _ => 8,
        };
        let literals: [u8; LITERALS] = std::array::from_fn(length);
        self.set(&literals, &[5; DISTANCES]).expect("the fixed codes are codes");
    }
}

const fn literal_values() -> [DecodeEntry; LITERALS] {
    let mut values = [0; LITERALS];
    let mut symbol = 0;
    while symbol < 256 {
        values[symbol] = (symbol as u32) << VALUE_AT | LITERAL;
        symbol += 1;
    }
    values[256] = SPECIAL | END;
    let (mut base, mut symbol) = (3, 257);
    while symbol < 285 {
        let group = (symbol as u32 - 257) / 4;
        let more = if group > 0 { group - 1 } else { 0 };
        values[symbol] = base << VALUE_AT | LENGTH | more;
        base += 1 << more;
        symbol += 1;
    }
    // The last two are of no length that the format knows; they are taken as 258, too.
    while symbol < LITERALS {
        values[symbol] = 258 << VALUE_AT | LENGTH;
        symbol += 1;
    }
    values
}

const fn distance_values() -> [DecodeEntry; DISTANCES] {
    let mut values = [0; DISTANCES];
    let (mut base, mut symbol) = (1, 0);
    while symbol < 30 {
        let group = symbol as u32 / 2;
        let more = if group > 0 { group - 1 } else { 0 };
        values[symbol] = base << VALUE_AT | more;
        base += 1 << more;
        symbol += 1;
    }
    while symbol < DISTANCES {
        values[symbol] = values[29];
        symbol += 1;
    }
    values
}

static LITERAL_VALUES: [DecodeEntry; LITERALS] = literal_values();
static DISTANCE_VALUES: [DecodeEntry; DISTANCES] = distance_values();

/// `value`, of a code of so many bits.
#[inline]
fn entry(value: DecodeEntry, bits: u32) -> DecodeEntry {
    let entry = value + bits + (bits << CODE_AT);
    if entry & 63 > LONGEST { entry | SPECIAL } else { entry }
}

/// Fills `table` from `first` on, by `bits` bits; second tables come from `end` on, and the new end
/// is returned.
///
/// Codes must use up all there is, as others do not say what some bits mean; but one code of one
/// bit may be alone and then has both, and where there is none at all symbol 0 has them.
fn build(
    lengths: &[u8],
    bits: u32,
    table: &mut [DecodeEntry],
    first: usize,
    end: usize,
    value: impl Fn(usize) -> DecodeEntry,
) -> Option<usize> {
    let mut counts = [0u32; MOST_BITS + 1];
    lengths.iter().for_each(|length| counts[usize::from(*length)] += 1);
    let mut places = [0u32; MOST_BITS + 2];
    let mut used = 0u32;
    for length in 1..=MOST_BITS {
        places[length + 1] = places[length] + counts[length];
        used += counts[length] << (MOST_BITS - length);
    }
    let mut sorted = [0u16; LITERALS];
    for (symbol, length) in lengths.iter().enumerate().filter(|(_, length)| **length > 0) {
        let place = &mut places[usize::from(*length)];
        sorted[*place as usize] = symbol as u16;
        *place += 1;
    }
    if used < 1 << MOST_BITS {
        if used > 0 && (used != 1 << (MOST_BITS - 1) || counts[1] != 1) {
            return None;
        }
        table[first..][..1 << bits].fill(entry(value(usize::from(sorted[0])), 1));
        return Some(end);
    }
    if used > 1 << MOST_BITS {
        return None;
    }
    let mut symbols = sorted.iter().map(|symbol| value(usize::from(*symbol)));
    let code = fill(&counts, &mut symbols, bits, &mut table[first..]);
    Some(fill_second(&counts, &mut symbols, bits, table, first, end, code))
}

/// Fills the table of a code that uses up all there is, as far as codes have `bits` bits; returns
/// the next code. `values` are in the order of the codes.
fn fill(
    counts: &[u32; MOST_BITS + 1],
    values: &mut impl Iterator<Item = DecodeEntry>,
    bits: u32,
    table: &mut [DecodeEntry],
) -> usize {
    // The code, its first bit lowest, and how much of the table there is already.
    let mut code = 0;
    let mut size = 1;
    for length in 1..=bits {
        // What is there holds for both values of one more bit.
        table.copy_within(..size, size);
        size *= 2;
        for value in values.by_ref().take(counts[length as usize] as usize) {
            table[code] = entry(value, length);
            code = next(code, length);
        }
    }
    code
}

/// Fills the tables of the codes that are longer.
fn fill_second(
    counts: &[u32; MOST_BITS + 1],
    values: &mut impl Iterator<Item = DecodeEntry>,
    bits: u32,
    table: &mut [DecodeEntry],
    first: usize,
    mut end: usize,
    mut code: usize,
) -> usize {
    let mask = (1 << bits) - 1;
    let mut prefix = usize::MAX;
    let mut start = end;
    for length in bits + 1..=MOST_BITS as u32 {
        let count = counts[length as usize];
        for (i, value) in (0..count).zip(values.by_ref()) {
            if code & mask != prefix {
                prefix = code & mask;
                start = end;
                let more = second_bits(counts, bits, length, count - i);
                end += 1 << more;
                table[first + prefix] =
                    SPECIAL | SECOND | (start as u32) << VALUE_AT | more << CODE_AT | bits;
            }
            let entry = entry(value, length - bits);
            for at in (start + (code >> bits)..end).step_by(1 << (length - bits)) {
                table[at] = entry;
            }
            code = next(code, length);
        }
    }
    end
}

/// Bits of a second table that starts with a code of `length`, of which there are `left`.
fn second_bits(counts: &[u32; MOST_BITS + 1], bits: u32, length: u32, left: u32) -> u32 {
    let mut more = length - bits;
    let mut used = left;
    while used < 1 << more && ((bits + more) as usize) < MOST_BITS {
        more += 1;
        used = 2 * used + counts[(bits + more) as usize];
    }
    more
}

/// The code after `code`, which has its first bit lowest: the last zero becomes one, and the ones
/// after it zeros. After the last code: zero.
#[inline]
fn next(code: usize, length: u32) -> usize {
    let zeros = !code & ((1 << length) - 1);
    if zeros == 0 {
        return 0;
    }
    let bit = 1 << zeros.ilog2();
    code & (bit - 1) | bit
}
