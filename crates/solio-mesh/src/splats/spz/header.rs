//! The header.

use crate::splats::columns::COEFFICIENTS;
use solio_base::{Error, Result, Source};
use solio_kinds::FileKind;

/// Bytes of the header of versions before 4, and since.
pub(super) const HEADER_BYTES: [usize; 2] = [16, 32];
/// The version of which each part is a stream of its own.
pub(super) const STREAMS: u32 = 4;
/// Flags: splats are to be drawn as Mip-Splatting does; there are records of vendors.
const ANTIALIASED: u8 = 1;
const EXTENSIONS: u8 = 2;

/// What a file says of itself.
///
/// ```
/// use solio_mesh::splats::spz::decode_spz_header;
/// let bytes = [&b"NGSP"[..], &[3, 0, 0, 0, 7, 0, 0, 0, 2, 12, 1, 0]].concat();
/// let header = decode_spz_header(&bytes)?;
/// assert_eq!((header.version, header.splats, header.degree, header.antialiased), (3, 7, 2, true));
/// # Ok::<(), solio_base::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpzHeader {
    /// 1 to 4.
    pub version: u32,
    /// How many splats.
    pub splats: u32,
    /// The degree of the harmonics, 0 to 4.
    pub degree: u8,
    /// Bits of places behind the point.
    pub fraction_bits: u8,
    /// Whether the splats were trained to be drawn as Mip-Splatting does.
    pub antialiased: bool,
    /// Whether there are records of vendors.
    pub has_extensions: bool,
    /// Streams of version 4.
    pub(super) streams: u8,
    /// Where their table begins.
    pub(super) table: u32,
}

/// Reads the header of an SPZ file that is unpacked, if it was gzip.
///
/// # Errors
/// `Corrupt` for what is not an SPZ or cut off, `Unsupported` for other versions.
pub fn decode_spz_header(source: &dyn Source) -> Result<SpzHeader> {
    let mut bytes = [0; HEADER_BYTES[1]];
    // What follows the older header is read on its own: a stream does not go back.
    let (start, more) = bytes.split_at_mut(HEADER_BYTES[0]);
    let mut got = source.read_at(0, start)?;
    let is_longer =
        start.get(4..8) == Some(&STREAMS.to_le_bytes()) && FileKind::Spz.is_at_start(start);
    if is_longer && got == start.len() {
        got += source.read_at(got as u64, more)?;
    }
    SpzHeader::of(&bytes[..got])
}

impl SpzHeader {
    pub(super) fn of(bytes: &[u8]) -> Result<SpzHeader> {
        if !FileKind::Spz.is_at_start(bytes) {
            let error = Error::corrupt("an SPZ file begins with NGSP").at_offset(0);
            return Err(error.hint("versions 1 to 3 are gzip: this is what comes out of it"));
        }
        let short =
            || Error::corrupt("the file ends inside its header").at_offset(bytes.len() as u64);
        let word = |at: usize| {
            let word = bytes.get(at..at + 4).and_then(|word| word.try_into().ok());
            word.map(u32::from_le_bytes).ok_or_else(short)
        };
        let version = word(4)?;
        if !(1..=STREAMS).contains(&version) {
            let message = format!("SPZ of version {version}; versions 1 to 4 are read");
            return Err(Error::unsupported(message).at_offset(4));
        }
        let byte = |at: usize| bytes.get(at).copied().ok_or_else(short);
        let header = SpzHeader {
            version,
            splats: word(8)?,
            degree: byte(12)?,
            fraction_bits: byte(13)?,
            antialiased: byte(14)? & ANTIALIASED != 0,
            has_extensions: byte(14)? & EXTENSIONS != 0,
            streams: byte(15)?,
            table: if version < STREAMS { 0 } else { word(16)? },
        };
        if version == STREAMS && bytes.len() < HEADER_BYTES[1] {
            return Err(short());
        }
        if usize::from(header.degree) >= COEFFICIENTS.len() {
            let message = format!("harmonics of degree {}; there are 0 to 4", header.degree);
            return Err(Error::corrupt(message).at_offset(12));
        }
        if header.fraction_bits > 30 {
            let message = format!("{} bits behind the point of 24", header.fraction_bits);
            return Err(Error::corrupt(message).at_offset(13));
        }
        Ok(header)
    }

    /// Bytes of the header itself.
    pub(super) fn bytes(&self) -> usize {
        HEADER_BYTES[usize::from(self.version >= STREAMS)]
    }

    /// The header as a file has it.
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut out = FileKind::Spz.mark().to_vec();
        out.extend_from_slice(&self.version.to_le_bytes());
        out.extend_from_slice(&self.splats.to_le_bytes());
        let flags = if self.antialiased { ANTIALIASED } else { 0 };
        out.extend_from_slice(&[self.degree, self.fraction_bits, flags, self.streams]);
        if self.version >= STREAMS {
            out.extend_from_slice(&self.table.to_le_bytes());
            out.resize(HEADER_BYTES[1], 0);
        }
        out
    }

    /// Bytes of a splat in each part, in the order of the file; parts of which there are none have 0.
    pub(super) fn widths(&self) -> [usize; 6] {
        let place = if self.version == 1 { 6 } else { 9 };
        let turn = if self.version < 3 { 3 } else { 4 };
        [place, 1, 3, 3, turn, 3 * COEFFICIENTS[usize::from(self.degree)]]
    }
}
