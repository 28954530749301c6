//! Reading Huffman code.
//!
//! - One look-up of the next 12 bits gives up to two symbols, or the length of a code of up to 24
//!   bits and where its symbol is: the symbol may come late, the next code does not wait for it.
//!   Runs, longer codes and the few beginnings that codes of different lengths share go the slow
//!   way.
//! - 56 bits are taken in at once, so that four look-ups need no check in between.

use solio_base::{Error, Result};

use super::{FEWEST_OF_MANY, HEAD, LONGEST, MANY_ZEROS, SYMBOLS, TWO_ZEROS};

/// Bits of a look-up.
const LOOK: usize = 12;

/// Memory for [`decode`].
#[derive(Default)]
pub(crate) struct HuffmanDecoder {
    /// `symbol << 8 | length` of those that have a code.
    lengths: Vec<u32>,
    /// Symbols from the lowest code up, so from the longest.
    sorted: Vec<u32>,
    /// For the next 12 bits: see [`entry`].
    table: Vec<u64>,
    single: Vec<u32>,
    /// The shortest length of a code.
    shortest: usize,
}

/// Bits of the longest code that a look-up tells.
const LONG: usize = 24;

/// Codes of one length.
#[derive(Clone, Copy, Default)]
struct LengthClass {
    /// The first one, moved up to the highest bit.
    first: u64,
    /// Where its symbol is in `sorted`.
    start: usize,
}

/// Unpacks exactly as many symbols as `out` takes.
pub(crate) fn decode(decoder: &mut HuffmanDecoder, input: &[u8], out: &mut [u16]) -> Result<()> {
    if out.is_empty() {
        return Ok(());
    }
    let Some(head) = input.first_chunk::<HEAD>() else {
        let message =
            format!("Huffman data need {HEAD} bytes for their head; {} are there", input.len());
        return Err(Error::corrupt(message).at_offset(0));
    };
    let number = |place: usize| {
        let bytes = [head[place], head[place + 1], head[place + 2], head[place + 3]];
        u32::from_le_bytes(bytes) as usize
    };
    let (low, run, bits) = (number(0), number(4), number(12));
    if low >= SYMBOLS || run >= SYMBOLS {
        let message = format!("Huffman symbols {low} to {run}; the largest possible is 65536");
        return Err(Error::corrupt(message).at_offset(0));
    }
    let table = read_lengths(&input[HEAD..], low, run, &mut decoder.lengths)?;
    let start = HEAD + table;
    let bytes = bits.div_ceil(8);
    let Some(data) = input[start..].get(..bytes) else {
        let message =
            format!("Huffman data should have {bytes} bytes; {} are left", input.len() - start);
        return Err(Error::corrupt(message).at_offset(start as u64));
    };
    let classes = decoder.sort()?;
    decoder.fill_table(&classes, run as u32);
    let mut bits_in = HuffmanBitReader { input: data, at: 0, held: 0, count: 0 };
    let result = decoder.symbols(&classes, run as u32, &mut bits_in, out);
    let used = bits_in.used();
    match result {
        Ok(()) if used == bits as u64 => Ok(()),
        Ok(()) => Err(format!("Huffman data have {bits} bits, of which {used} were expected")),
        Err(what) => Err(what.to_owned()),
    }
    .map_err(|message| Error::corrupt(message).at_offset(start as u64 + used / 8))
}

/// Lengths of the codes of `low` to `high`; says how many bytes they took.
fn read_lengths(input: &[u8], low: usize, high: usize, lengths: &mut Vec<u32>) -> Result<usize> {
    lengths.clear();
    let mut symbol = low;
    let mut bits = HuffmanBitReader { input, at: 0, held: 0, count: 0 };
    let fail = |what: &str, bits: &HuffmanBitReader| {
        Err(Error::corrupt(format!("Huffman table {what}"))
            .at_offset(HEAD as u64 + bits.used() / 8))
    };
    while symbol <= high {
        bits.fill();
        let symbols = match bits.take(6) {
            0 => 1,
            MANY_ZEROS => bits.take(8) as usize + FEWEST_OF_MANY,
            code @ TWO_ZEROS.. => (code - TWO_ZEROS) as usize + 2,
            length => {
                lengths.push((symbol as u32) << 8 | length as u32);
                1
            }
        };
        symbol += symbols;
        if bits.used() > input.len() as u64 * 8 {
            return fail("ends early", &bits);
        }
        if symbol > high + 1 {
            return fail("has lengths of more symbols than it says", &bits);
        }
    }
    Ok(bits.used().div_ceil(8) as usize)
}

impl HuffmanDecoder {
    /// Sorts the symbols by their codes.
    fn sort(&mut self) -> Result<[LengthClass; LONGEST + 2]> {
        let mut counts = [0usize; LONGEST + 1];
        for entry in &self.lengths {
            counts[*entry as usize & 255] += 1;
        }
        let mut classes = [LengthClass::default(); LONGEST + 2];
        let (mut first, mut start) = (0u64, 0);
        for length in (1..=LONGEST).rev() {
            classes[length] = LengthClass { first: first << (64 - length), start };
            let next = first + counts[length] as u64;
            start += counts[length];
            // The codes fill all bits: whatever comes is some symbol.
            if !next.is_multiple_of(2) && length > 1 || next > 1 << length {
                return Err(Error::corrupt("Huffman table has lengths that make no code")
                    .at_offset(HEAD as u64));
            }
            first = next / 2;
        }
        if first != 1 {
            return Err(Error::corrupt("Huffman table has lengths that make no code")
                .at_offset(HEAD as u64));
        }
        self.shortest = counts[1..].iter().position(|c| *c > 0).map_or(LONGEST, |l| l + 1);
        let mut places = classes.map(|class| class.start);
        self.sorted.clear();
        self.sorted.resize(start, 0);
        for entry in &self.lengths {
            let place = &mut places[*entry as usize & 255];
            self.sorted[*place] = entry >> 8;
            *place += 1;
        }
        Ok(classes)
    }

    /// Fills the table of look-ups.
    fn fill_table(&mut self, classes: &[LengthClass; LONGEST + 2], run: u32) {
        let single = &mut self.single;
        single.clear();
        single.resize(1 << LOOK, 0);
        let mut last = self.sorted.len();
        for (length, class) in classes.iter().enumerate().take(LOOK + 1).skip(self.shortest) {
            let mut at = (class.first >> (64 - LOOK)) as usize;
            let step = 1 << (LOOK - length);
            for symbol in &self.sorted[class.start..last] {
                let value = if *symbol == run { 0 } else { *symbol << 8 | length as u32 };
                single[at..at + step].fill(value);
                at += step;
            }
            last = class.start;
        }
        self.table.clear();
        self.table.extend((0..1usize << LOOK).map(|bits| {
            let first = single[bits];
            let length = first as usize & 255;
            let second = single[bits << length & ((1 << LOOK) - 1)];
            entry(first, second)
        }));
        self.fill_long(classes);
    }

    /// Fills those look-ups that begin one length of longer codes.
    fn fill_long(&mut self, classes: &[LengthClass; LONGEST + 2]) {
        let fewest = self.shortest.max(LOOK + 1);
        let short =
            if self.shortest > LOOK { 1 << LOOK } else { classes[LOOK].first >> (64 - LOOK) };
        let mut length = LONGEST;
        for prefix in 0..short {
            let (start, end) = (prefix << (64 - LOOK), prefix << (64 - LOOK) | u64::MAX >> LOOK);
            while length > fewest && classes[length - 1].first <= start {
                length -= 1;
            }
            let alike = length == fewest || classes[length - 1].first > end;
            if alike && length <= LONG {
                let class = &classes[length];
                let place = class.start as u64 + ((start - class.first) >> (64 - length));
                self.table[prefix as usize] = place << 16 | length as u64;
            }
        }
    }

    /// The symbol whose code of this length these bits begin with.
    fn symbol(&self, class: &LengthClass, length: usize, bits: u64) -> u32 {
        self.sorted[class.start + ((bits - class.first) >> (64 - length)) as usize]
    }

    /// The symbols of the data.
    fn symbols(
        &self,
        classes: &[LengthClass; LONGEST + 2],
        run: u32,
        bits: &mut HuffmanBitReader,
        out: &mut [u16],
    ) -> Result<(), &'static str> {
        let mut at = 0;
        while at < out.len() {
            at += self.fast(run, bits, &mut out[at..]);
            if at < out.len() {
                at += self.slow(classes, run, bits, out, at)?;
            }
        }
        Ok(())
    }

    /// Codes of up to 24 bits, until another comes or little is left of input or output. Says how
    /// many symbols they gave.
    fn fast(&self, run: u32, bits: &mut HuffmanBitReader, out: &mut [u16]) -> usize {
        let table: &[u64; 1 << LOOK] = self.table.as_slice().try_into().expect("so many");
        let sorted = self.sorted.as_slice();
        let input = bits.input;
        // Of `count`, the lowest 6 bits count: whole entries are subtracted.
        let (mut next, mut held, mut count) = (bits.at, bits.held, u64::from(bits.count));
        let mut at = 0;
        'more: while let Some(window) = out.get_mut(at..).and_then(|o| o.first_chunk_mut::<8>()) {
            let Some(word) = input.get(next..).and_then(|rest| rest.first_chunk()) else { break };
            count &= 63;
            held |= u64::from_be_bytes(*word) >> count;
            next += (63 - count as usize) / 8;
            count |= 56;
            let mut given = 0;
            for _ in 0..4 {
                let entry = table[(held >> (64 - LOOK)) as usize];
                let length = entry & 63;
                if entry & 0x300 > 0 {
                    // Two are written; where there is but one, the next goes over the other.
                    window[given & 7] = (entry >> 16) as u16;
                    window[(given + 1) & 7] = (entry >> 32) as u16;
                    given += (entry >> 8) as usize & 3;
                    held = held.wrapping_shl(entry as u32);
                    count = count.wrapping_sub(entry);
                    continue;
                }
                count &= 63;
                if length > count {
                    break;
                }
                let more = (held << LOOK).checked_shr(64 + LOOK as u32 - length as u32);
                let place = (entry >> 16) + more.unwrap_or(0);
                let symbol = sorted.get(place as usize).copied().unwrap_or(run);
                if length == 0 || symbol == run {
                    at += given;
                    break 'more;
                }
                window[given & 7] = symbol as u16;
                given += 1;
                held <<= length;
                count -= length;
                if count < 3 * LOOK as u64 {
                    break;
                }
            }
            at += given;
        }
        (bits.at, bits.held, bits.count) = (next, held, count as u32 & 63);
        at
    }

    /// One code of any length, or a run. Says how many symbols it gave.
    fn slow(
        &self,
        classes: &[LengthClass; LONGEST + 2],
        run: u32,
        bits: &mut HuffmanBitReader,
        out: &mut [u16],
        at: usize,
    ) -> Result<usize, &'static str> {
        bits.fill_all();
        let length = (self.shortest..=LONGEST)
            .find(|l| classes[*l].first <= bits.held)
            .expect("a code fits");
        let class = classes[length];
        let symbol = self.symbol(&class, length, bits.held);
        bits.skip(length as u32);
        if bits.used() > bits.input.len() as u64 * 8 {
            return Err("Huffman data end early");
        }
        if symbol != run {
            out[at] = symbol as u16;
            return Ok(1);
        }
        bits.fill();
        let count = bits.take(8) as usize;
        let Some(before) = at.checked_sub(1) else {
            return Err("Huffman data begin with a run");
        };
        let last = out[before];
        match out[at..].get_mut(..count) {
            Some(run) if count > 0 => run.fill(last),
            Some(_) => return Err("Huffman data have an empty run"),
            None => return Err("Huffman data have a run beyond their end"),
        }
        Ok(count)
    }
}

/// In 8 bits the length of one or two codes, in 8 bits how many they are, in 16 bits each their
/// symbols. If there are none of them, the rest is where the first symbol of the longer codes is.
/// Length 0 means the slow way. Singles are `symbol << 8 | length`.
fn entry(first: u32, second: u32) -> u64 {
    if first == 0 {
        return 0;
    }
    let lengths = (first & 255) + (second & 255);
    let both = second != 0 && lengths <= LOOK as u32;
    let length = if both { lengths } else { first & 255 };
    let symbols = u64::from(first >> 8) | u64::from(second >> 8) << 16;
    u64::from(length) | (1 + u64::from(both)) << 8 | symbols << 16
}

/// Bits from the highest down; behind the end come zeros.
struct HuffmanBitReader<'a> {
    input: &'a [u8],
    /// The next byte; may pass the end.
    at: usize,
    /// The next bits, from the highest.
    held: u64,
    /// How many of them count; below those may be more of the following ones.
    count: u32,
}

impl HuffmanBitReader<'_> {
    /// At least 56 bits.
    #[inline(always)]
    fn fill(&mut self) {
        if let Some(word) = self.input.get(self.at..).and_then(|rest| rest.first_chunk()) {
            self.held |= u64::from_be_bytes(*word) >> self.count;
            self.at += (63 - self.count as usize) / 8;
            self.count |= 56;
        } else {
            self.fill_at_the_end();
        }
    }

    #[cold]
    fn fill_at_the_end(&mut self) {
        while self.count < 56 {
            let byte = self.input.get(self.at).copied().unwrap_or(0);
            self.held |= u64::from(byte) << (56 - self.count);
            self.at += 1;
            self.count += 8;
        }
    }

    /// As many bits as the longest code has; only the first 56 of them count.
    fn fill_all(&mut self) {
        self.fill();
        if self.count < 64 {
            let byte = self.input.get(self.at).copied().unwrap_or(0);
            self.held |= u64::from(byte) << 56 >> self.count;
        }
    }

    /// Drops bits.
    #[inline(always)]
    fn skip(&mut self, length: u32) {
        if length > self.count {
            return self.skip_far(length);
        }
        self.held <<= length;
        self.count -= length;
    }

    /// Drops more bits than counted: of the longest codes.
    #[cold]
    fn skip_far(&mut self, length: u32) {
        let used = self.used() + u64::from(length);
        *self = HuffmanBitReader { input: self.input, at: (used / 8) as usize, held: 0, count: 0 };
        self.fill();
        self.held <<= used % 8;
        self.count -= (used % 8) as u32;
    }

    /// At most 56 bits, of those taken in.
    #[inline(always)]
    fn take(&mut self, length: u32) -> u64 {
        let bits = self.held >> (64 - length);
        self.skip(length);
        bits
    }

    /// Bits taken so far.
    fn used(&self) -> u64 {
        self.at as u64 * 8 - u64::from(self.count)
    }
}
