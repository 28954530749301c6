//! Huffman code of 16-bit symbols, as PIZ and DWA use it.
//!
//! | bytes | what |
//! |---|---|
//! | 4 | smallest symbol that has a code |
//! | 4 | largest one: stands for a run |
//! | 4 | bytes of the table; readers take what it says itself |
//! | 4 | bits of the data |
//! | 4 | 0 |
//! | | table: the length of each symbol's code, 6 bits each; 59 to 62 stand for 2 to 5 symbols without a code, 63 and 8 more bits for 6 to 261 |
//! | | data |
//!
//! All numbers are little-endian, bits go from the highest down. Codes are canonical with the
//! longest ones lowest: of one length they count up with the symbols. A run is the code of its
//! symbol, the run's code and 8 bits that say how often to repeat.

mod decode;
mod encode;
mod lengths;

pub(super) use decode::{HuffmanDecoder, decode};
pub(super) use encode::{HuffmanEncoder, encode};

/// Symbols that may have a code: 2^16 and one for runs.
const SYMBOLS: usize = (1 << 16) + 1;

/// The longest code.
const LONGEST: usize = 58;

/// Bytes before the table.
const HEAD: usize = 20;

/// The 6 bits that stand for two symbols without a code.
const TWO_ZEROS: u64 = 59;

/// The 6 bits before a count of symbols without a code.
const MANY_ZEROS: u64 = 63;

/// What a count of 0 stands for.
const FEWEST_OF_MANY: usize = 6;

#[cfg(test)]
mod tests {
    use super::super::samples::SampleRandom;
    use super::*;

    fn round_trip(symbols: &[u16]) -> Vec<u8> {
        let mut packed = Vec::new();
        encode(&mut HuffmanEncoder::default(), symbols, &mut packed);
        let mut back = vec![0xa5a5; symbols.len()];
        decode(&mut HuffmanDecoder::default(), &packed, &mut back).unwrap();
        assert!(back == symbols);
        packed
    }

    #[test]
    fn comes_back() {
        let mut random = SampleRandom(1);
        round_trip(&[7]);
        round_trip(&[0, 65535]);
        round_trip(&[65535; 1000]);
        round_trip(&(0..=65535).collect::<Vec<u16>>());
        for bits in 1..=16 {
            for count in [2, 3, 255, 256, 257, 258, 5000] {
                let noise: Vec<u16> =
                    (0..count).map(|_| (random.next() >> (64 - bits)) as u16).collect();
                round_trip(&noise);
                let runs: Vec<u16> =
                    noise.iter().flat_map(|s| vec![*s; usize::from(*s % 300)]).collect();
                if !runs.is_empty() {
                    round_trip(&runs);
                }
            }
        }
    }

    /// Frequencies like Fibonacci's numbers give the longest codes.
    #[test]
    fn long_codes_come_back() {
        let (mut a, mut b) = (1usize, 1);
        let mut symbols = Vec::new();
        for symbol in 0..26u16 {
            symbols.extend(std::iter::repeat_n([symbol * 3, 40000], a).flatten());
            (a, b) = (b, a + b);
        }
        round_trip(&symbols);
    }

    #[test]
    fn says_what_is_wrong() {
        let packed = round_trip(&[1, 2, 3, 4, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5]);
        let refuse = |packed: &[u8], count: usize| {
            let error =
                decode(&mut HuffmanDecoder::default(), packed, &mut vec![0; count]).unwrap_err();
            (error.message().to_owned(), error.offset())
        };
        for length in 0..packed.len() {
            refuse(&packed[..length], 18);
        }
        assert_eq!(
            refuse(&packed[..3], 18).0,
            "Huffman data need 20 bytes for their head; 3 are there"
        );
        assert!(refuse(&packed, 19).0.contains("Huffman data"));
        assert!(refuse(&packed, 17).0.contains("Huffman data"));
        let mut high = packed.clone();
        high[2] = 9;
        assert_eq!(
            refuse(&high, 18).0,
            "Huffman symbols 589825 to 6; the largest possible is 65536"
        );
    }
}
