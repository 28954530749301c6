//! What the entry of a file says beside its chunks.

use solio_base::{Error, Result};

/// Not a header and chunks: the pieces are the whole file.
const WHOLE: u8 = 1;
/// The file comes back byte for byte.
const EXACT: u8 = 2;

/// Chunks of a part that were packed together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkRun {
    /// The part.
    pub part: u64,
    /// The first of them in the file.
    pub first: u64,
    /// How many there are.
    pub chunks: u64,
    /// Whether rows of chunks follow each other from the bottom to the top.
    pub upwards: bool,
    /// How they are compressed again: 0 as Solio does, 1 as OpenEXR does, from 2 on levels of ZIP.
    pub style: u8,
}

/// How a piece of a file is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilePiece {
    /// As it lies.
    Kept,
    /// By the codec of arrays.
    Packed(ChunkRun),
}

/// What the entry of a file says beside its chunks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EntryDetail {
    /// Whether the pieces are all of the file, and there is no header.
    pub whole: bool,
    /// Bytes of the file that was packed.
    pub file_bytes: u64,
    /// Its CRC-32, where it comes back byte for byte.
    pub crc: Option<u32>,
    /// From the first byte to the end of the headers.
    pub head: Vec<u8>,
    /// One a chunk of the entry, in the order of the file.
    pub pieces: Vec<FilePiece>,
}

impl EntryDetail {
    /// The bytes for the table.
    pub fn encode(&self) -> Vec<u8> {
        let flag = |set: bool, flag: u8| if set { flag } else { 0 };
        let mut out = vec![flag(self.whole, WHOLE) | flag(self.crc.is_some(), EXACT)];
        put(self.file_bytes, &mut out);
        out.extend(self.crc.iter().flat_map(|crc| crc.to_le_bytes()));
        put(self.head.len() as u64, &mut out);
        out.extend_from_slice(&self.head);
        put(self.pieces.len() as u64, &mut out);
        for piece in &self.pieces {
            match piece {
                FilePiece::Kept => out.push(0),
                FilePiece::Packed(run) => {
                    out.extend_from_slice(&[1 + u8::from(run.upwards), run.style]);
                    [run.part, run.first, run.chunks].iter().for_each(|n| put(*n, &mut out));
                }
            }
        }
        out
    }

    /// From the table.
    pub fn decode(bytes: &[u8]) -> Result<EntryDetail> {
        let mut rest = bytes;
        let detail = fields(&mut rest).filter(|_| rest.is_empty());
        detail.ok_or_else(|| Error::corrupt("the description of an OpenEXR file cannot be read"))
    }
}

fn fields(rest: &mut &[u8]) -> Option<EntryDetail> {
    let flags = byte(rest)?;
    if flags & !(WHOLE | EXACT) != 0 {
        return None;
    }
    let file_bytes = number(rest)?;
    let crc = match flags & EXACT != 0 {
        true => Some(u32::from_le_bytes(*bytes(rest, 4)?.first_chunk()?)),
        false => None,
    };
    let head = number(rest)?;
    let head = bytes(rest, head)?.to_vec();
    let count = number(rest)?;
    // Each has a byte at least.
    if count > rest.len() as u64 {
        return None;
    }
    let mut pieces = Vec::with_capacity(count as usize);
    for _ in 0..count {
        pieces.push(match byte(rest)? {
            0 => FilePiece::Kept,
            code @ 1..=2 => {
                let style = byte(rest)?;
                let (part, first, chunks) = (number(rest)?, number(rest)?, number(rest)?);
                FilePiece::Packed(ChunkRun { part, first, chunks, upwards: code == 2, style })
            }
            _ => return None,
        });
    }
    Some(EntryDetail { whole: flags & WHOLE != 0, file_bytes, crc, head, pieces })
}

/// Seven bits a byte, the lowest first; the highest bit says that more follow.
fn put(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn number(rest: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let byte = byte(rest)?;
        let bits = u64::from(byte & 0x7f);
        if shift == 63 && bits > 1 {
            return None;
        }
        number |= bits << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

fn byte(rest: &mut &[u8]) -> Option<u8> {
    bytes(rest, 1).map(|bytes| bytes[0])
}

fn bytes<'a>(rest: &mut &'a [u8], count: u64) -> Option<&'a [u8]> {
    let (taken, others) = rest.split_at_checked(usize::try_from(count).ok()?)?;
    *rest = others;
    Some(taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_come_back_and_broken_ones_are_refused() {
        let run = ChunkRun { part: 1, first: 300, chunks: u64::MAX, upwards: true, style: 8 };
        let detail = EntryDetail {
            whole: false,
            file_bytes: 1 << 40,
            crc: Some(77),
            head: vec![1, 2, 3],
            pieces: vec![FilePiece::Kept, FilePiece::Packed(run)],
        };
        let bytes = detail.encode();
        assert_eq!(EntryDetail::decode(&bytes).unwrap(), detail);
        for end in 0..bytes.len() {
            assert!(EntryDetail::decode(&bytes[..end]).is_err(), "{end}");
        }
        assert!(EntryDetail::decode(&[&bytes[..], &[0]].concat()).is_err());
        let huge = [&[0, 0, 0][..], &[255; 9], &[1]].concat();
        assert!(EntryDetail::decode(&huge).is_err());
        assert!(EntryDetail::decode(&[&huge[..12], &[2]].concat()).is_err());
        assert_eq!(
            EntryDetail::decode(&EntryDetail::default().encode()).unwrap(),
            EntryDetail::default()
        );
    }
}
