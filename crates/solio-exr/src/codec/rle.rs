//! RLE: the byte filter, then run lengths.
//!
//! A count from 0 up: the next byte, so many times and once more. A negative count: so many bytes
//! as they are.

use solio_base::{Error, Result};
use solio_codec::halves;

/// A byte that comes at least so often is a run.
const SHORTEST_RUN: usize = 3;
/// Most that one count stands for, when writing.
const LONGEST: usize = 127;

pub(super) fn encode(raw: &[u8], out: &mut Vec<u8>, filtered: &mut Vec<u8>) {
    filtered.resize(raw.len(), 0);
    halves::split(raw, filtered);
    shrink(filtered, out);
}

/// Fills `out` from run lengths.
pub(super) fn expand(mut input: &[u8], mut out: &mut [u8]) -> Result<()> {
    while let Some((&count, rest)) = input.split_first() {
        let count = count as i8;
        let (taken, bytes) = if count < 0 {
            (-i32::from(count) as usize, -i32::from(count))
        } else {
            (1, i32::from(count) + 1)
        };
        let bytes = bytes as usize;
        if taken > rest.len() || bytes > out.len() {
            let message = if taken > rest.len() {
                "run lengths end early"
            } else {
                "run lengths give more bytes than there are pixels"
            };
            return Err(Error::corrupt(message));
        }
        let (head, tail) = std::mem::take(&mut out).split_at_mut(bytes);
        if count < 0 {
            head.copy_from_slice(&rest[..taken]);
        } else {
            head.fill(rest[0]);
        }
        (input, out) = (&rest[taken..], tail);
    }
    if out.is_empty() {
        return Ok(());
    }
    Err(Error::corrupt(format!("run lengths end {} bytes early", out.len())))
}

/// Appends the run lengths of `bytes`.
pub(super) fn shrink(mut bytes: &[u8], out: &mut Vec<u8>) {
    while let Some(&first) = bytes.first() {
        let run = bytes.iter().take(LONGEST + 1).take_while(|&&b| b == first).count();
        if run >= SHORTEST_RUN {
            out.extend_from_slice(&[(run - 1) as u8, first]);
            bytes = &bytes[run..];
            continue;
        }
        // Until three equal ones come.
        let most = bytes.len().min(LONGEST);
        let mut plain = run;
        while plain < most
            && !bytes[plain..].first_chunk::<3>().is_some_and(|[a, b, c]| a == b && b == c)
        {
            plain += 1;
        }
        out.push((plain as i8).wrapping_neg() as u8);
        out.extend_from_slice(&bytes[..plain]);
        bytes = &bytes[plain..];
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Compression, merger};
    use super::*;

    fn decode(input: &[u8], out: &mut [u8], filtered: &mut Vec<u8>) -> Result<()> {
        merger(Compression::Rle, input, out.len(), filtered)?.fill(out);
        Ok(())
    }

    #[test]
    fn runs_and_plain_bytes() {
        let mut packed = Vec::new();
        shrink(b"aaaabcd", &mut packed);
        assert_eq!(packed, b"\x03a\xfdbcd");
        packed.clear();
        shrink(&[b"x".as_slice(), &[b'a'; 200], b"yz"].concat(), &mut packed);
        assert_eq!(packed, b"\xffx\x7fa\x47a\xfeyz");
        let mut out = [0; 203];
        expand(&packed, &mut out).unwrap();
        assert_eq!((out[0], out[1], out[200], out[202]), (b'x', b'a', b'a', b'z'));
    }

    #[test]
    fn there_and_back_and_damaged() {
        let mut scratch = Vec::new();
        for length in [0, 1, 2, 3, 127, 128, 129, 5000] {
            let raw: Vec<u8> = (0..length).map(|i: u32| (i * i / 700) as u8).collect();
            let mut packed = Vec::new();
            encode(&raw, &mut packed, &mut scratch);
            let mut again = vec![0; raw.len()];
            decode(&packed, &mut again, &mut scratch).unwrap();
            assert_eq!(again, raw);
            for end in 0..packed.len() {
                assert!(decode(&packed[..end], &mut again, &mut scratch).is_err());
            }
            if length > 0 {
                assert!(decode(&packed, &mut again[1..], &mut scratch).is_err());
            }
        }
    }
}
