//! Tables of the code of quads, made of the rows of the standard.

use std::sync::LazyLock;

use super::vlc_rows;

/// The code of one kind of rows of quads.
pub(super) struct QuadCode {
    /// By context (3 bits) and the next 7 bits: a [`quad`].
    pub(super) decode: [u32; 1024],
    /// By context, rho and the samples with the largest exponent (4 bits each): code word (from bit 8), its
    /// length (from bit 4) and e_k; 0 where there is none.
    pub(super) encode: [u16; 2048],
}

/// Fields of an entry of [`QuadCode::decode`]: the length of the word, where shifts look for it (6 bits); which
/// samples are not 0 (rho), those of which the highest bit is known, and that bit (4 bits each); whether a number
/// follows; what the next quad has to its left, as part of an index (3 bits from bit 23).
pub(super) mod quad {
    pub(in super::super) fn rho(entry: u32) -> u32 {
        entry >> 6 & 15
    }
    pub(in super::super) fn known(entry: u32) -> u32 {
        entry >> 10 & 15
    }
    pub(in super::super) fn ones(entry: u32) -> u32 {
        entry >> 14 & 15
    }
    pub(in super::super) fn exceeds(entry: u32) -> u32 {
        entry >> 18 & 1
    }
    pub(in super::super) fn length(entry: u32) -> u32 {
        entry & 0x3f
    }
    /// Shifted by 7.
    pub(in super::super) fn next_context(entry: u32) -> u32 {
        entry >> 16 & 0x380
    }
}

/// All tables of the block coder.
pub(super) struct Codes {
    /// Of the first row of quads.
    pub(super) first: QuadCode,
    /// Of the other rows.
    pub(super) others: QuadCode,
    /// By which of two quads have a number (see [`read_excesses`]) and the next 10 bits: bits, and both
    /// numbers from bits 8 and 16. 0 bits for none, [`LONG`] where there are more than 10.
    pub(super) excesses: [u32; 5 << 10],
    /// By two numbers below 32: the bits of both, and from bit 16 how many.
    pub(super) pairs: [u32; 1 << 10],
}

/// The code takes more bits than the table looks at.
pub(super) const LONG: u32 = 0xff;

static CODES: LazyLock<Box<Codes>> = LazyLock::new(|| {
    let mut excesses = [0; 5 << 10];
    for (index, entry) in excesses.iter_mut().enumerate() {
        let (bits, numbers) = read_excesses(index as u32 >> 10, index as u64 & 0x3ff);
        *entry = if bits > 10 { LONG } else { bits | numbers[0] << 8 | numbers[1] << 16 };
    }
    let mut pairs = [0; 1 << 10];
    for (index, entry) in pairs.iter_mut().enumerate() {
        let (bits, count) = put_together([index as u32 >> 5, index as u32 & 31].map(excess));
        *entry = bits as u32 | count << 16;
    }
    let first = code(&vlc_rows::FIRST, |rho| rho >> 1 | rho & 1);
    let others = code(&vlc_rows::OTHERS, |rho| (rho >> 2 | rho >> 3) << 1 & 2);
    Box::new(Codes { first, others, excesses, pairs })
});

/// The tables, made once.
pub(super) fn codes() -> &'static Codes {
    &CODES
}

struct CodeRow {
    context: u32,
    rho: u32,
    exceeds: u32,
    known: u32,
    ones: u32,
    word: u32,
    length: u32,
}

fn code(rows: &[u32], next_context: fn(u32) -> u32) -> QuadCode {
    let row = |bits: &u32| CodeRow {
        context: bits >> 23,
        rho: bits >> 19 & 15,
        exceeds: bits >> 18 & 1,
        known: bits >> 14 & 15,
        ones: bits >> 10 & 15,
        word: bits >> 3 & 127,
        length: bits & 7,
    };
    let rows: Vec<CodeRow> = rows.iter().map(row).collect();
    let mut decode = [0; 1024];
    for row in &rows {
        let samples = row.rho << 6 | row.known << 10 | row.ones << 14 | row.exceeds << 18;
        let entry = row.length | samples | next_context(row.rho) << 23;
        for rest in 0..1 << (7 - row.length) {
            decode[(row.context << 7 | rest << row.length | row.word) as usize] = entry;
        }
    }
    let mut encode = [0; 2048];
    for (index, entry) in encode.iter_mut().enumerate() {
        let [context, rho, largest] = [index >> 8, index >> 4 & 15, index & 15].map(|x| x as u32);
        if largest & !rho != 0 {
            continue;
        }
        // The row that tells most; the last of those, as the reference has it.
        let fits = |row: &&CodeRow| {
            (row.context, row.rho, row.exceeds) == (context, rho, u32::from(largest != 0))
                && largest & row.known == row.ones
        };
        let best = rows.iter().filter(fits).max_by_key(|row| row.known.count_ones());
        *entry = best.map_or(0, |row| (row.word << 8 | row.length << 4 | row.known) as u16);
    }
    QuadCode { decode, encode }
}

/// The first quad of a pair has a number, the second, both.
pub(super) const BOTH: u32 = 3;
/// Both have one that is above 2, in the first row.
pub(super) const BOTH_ABOVE_2: u32 = 4;

/// Reads the numbers (U-VLC) of a pair of quads; how many bits they take.
///
/// A prefix of up to 3 bits for each, then a suffix for each, then what extends it. In the first row
/// [`BOTH`] is read by [`read_excesses_of_first`].
pub(super) fn read_excesses(which: u32, bits: u64) -> (u32, [u32; 2]) {
    let more = if which == BOTH_ABOVE_2 { 2 } else { 0 };
    let has = [which & 1 == 1 || which == BOTH_ABOVE_2, which & 2 == 2 || which == BOTH_ABOVE_2];
    let mut at = 0;
    let mut numbers = [0; 2];
    let mut suffixes = [0; 2];
    for i in 0..2 {
        if has[i] {
            let (prefix, suffix, base) = prefix(bits >> at);
            at += prefix;
            (suffixes[i], numbers[i]) = (suffix, base + more);
        }
    }
    at = read_suffixes(bits, at, suffixes, &mut numbers);
    (at, numbers)
}

/// The same for both of the first row, where one of them is not above 2.
pub(super) fn read_excesses_of_first(bits: u64) -> (u32, [u32; 2]) {
    let (length, suffix, base) = prefix(bits);
    if length < 3 {
        return read_excesses(BOTH, bits);
    }
    // Then it is the second one: 1 or 2.
    let mut numbers = [base, (bits >> 3 & 1) as u32 + 1];
    let at = read_suffixes(bits, 4, [suffix, 0], &mut numbers);
    (at, numbers)
}

fn read_suffixes(bits: u64, mut at: u32, suffixes: [u32; 2], numbers: &mut [u32; 2]) -> u32 {
    let mut extended = [false; 2];
    for i in 0..2 {
        let suffix = (bits >> at) as u32 & ((1 << suffixes[i]) - 1);
        at += suffixes[i];
        numbers[i] += suffix;
        extended[i] = suffix >= 28;
    }
    for i in 0..2 {
        if extended[i] {
            numbers[i] += 4 * ((bits >> at) as u32 & 15);
            at += 4;
        }
    }
    at
}

/// Length of a prefix, length of its suffix, the least number with it.
fn prefix(bits: u64) -> (u32, u32, u32) {
    match bits & 7 {
        0 => (3, 5, 5),
        4 => (3, 1, 3),
        2 | 6 => (2, 0, 2),
        _ => (1, 0, 1),
    }
}

/// A number as the bits of prefix, suffix and extension, each with its length.
pub(super) fn excess(number: u32) -> [(u32, u32); 3] {
    match number {
        0 => [(0, 0); 3],
        1 => [(1, 1), (0, 0), (0, 0)],
        2 => [(2, 2), (0, 0), (0, 0)],
        3 | 4 => [(4, 3), (number - 3, 1), (0, 0)],
        5..33 => [(0, 3), (number - 5, 5), (0, 0)],
        _ => [(0, 3), (28 + (number - 33) % 4, 5), ((number - 33) / 4, 4)],
    }
}

/// The parts of two numbers: prefixes, suffixes, extensions. Bits and how many.
pub(super) fn put_together([first, second]: [[(u32, u32); 3]; 2]) -> (u64, u32) {
    let (mut bits, mut at) = (0, 0);
    for (word, length) in (0..3).flat_map(|i| [first[i], second[i]]) {
        bits |= u64::from(word) << at;
        at += length;
    }
    (bits, at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_for_a_quad_is_read() {
        for code in [&codes().first, &codes().others] {
            for (index, entry) in code.encode.iter().enumerate() {
                let [context, rho, largest] = [index >> 8, index >> 4 & 15, index & 15];
                let possible = largest & !rho == 0 && (context != 0 || rho != 0);
                assert_eq!(*entry != 0, possible, "{context} {rho} {largest}");
                if *entry == 0 {
                    continue;
                }
                let read = code.decode[context << 7 | usize::from(entry >> 8)];
                assert_eq!(quad::length(read), u32::from(entry >> 4 & 7));
                assert_eq!(quad::rho(read) as usize, rho);
                assert_eq!(quad::known(read), u32::from(entry & 15));
                assert_eq!(quad::ones(read), u32::from(*entry) & 15 & largest as u32);
                assert_eq!(quad::exceeds(read) == 1, largest != 0);
            }
        }
    }

    #[test]
    fn what_is_written_for_numbers_is_read() {
        for a in 0..75 {
            for b in 0..75 {
                let (bits, at) = put_together([excess(a), excess(b)]);
                let which = u32::from(a > 0) | u32::from(b > 0) << 1;
                assert_eq!(read_excesses(which, bits), (at, [a, b]));
            }
        }
    }
}
