//! Head, table and tail of the file.

use super::MARK;
use crate::array::cursor::FieldCursor;
use solio_base::{Error, Limits, Result, Source};

/// The version that is written and read.
const VERSION: u32 = 1;
/// Bytes of the head.
pub(super) const HEAD: u64 = 16;
/// Bytes of the tail.
pub(super) const TAIL: u64 = 40;
/// A packed table says at most so many times as much, so that what a reader allocates is bounded
/// by the file.
pub(super) const MOST_RATIO: u64 = 256;
/// An entry has at least so many bytes.
const LEAST_ENTRY: usize = 2 + 1 + 4 + 8 + 4;
/// Level of zstd for the table.
const LEVEL: i32 = 9;

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// An array of samples.
    Array,
    /// An OpenEXR file.
    Exr,
    /// What this version does not know.
    Other(u8),
}

impl Kind {
    fn number(self) -> u8 {
        match self {
            Kind::Array => 1,
            Kind::Exr => 2,
            Kind::Other(number) => number,
        }
    }

    fn of_number(number: u8) -> Kind {
        match number {
            1 => Kind::Array,
            2 => Kind::Exr,
            other => Kind::Other(other),
        }
    }
}

/// Where a chunk lies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChunkLocation {
    /// Its first byte in the file.
    pub offset: u64,
    /// Its bytes.
    pub bytes: u32,
    /// Their CRC-32 (that of zlib).
    pub crc: u32,
}

/// Something in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableEntry {
    /// What it is called; no two have the same name.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// What its kind says about it.
    pub detail: Vec<u8>,
    /// Its chunks, in order; they lie one after the other.
    pub chunks: Vec<ChunkLocation>,
}

impl TableEntry {
    /// Bytes of its chunks.
    pub fn packed_bytes(&self) -> u64 {
        self.chunks.iter().map(|chunk| u64::from(chunk.bytes)).sum()
    }

    /// Appends it to a table.
    pub(super) fn encode(&self, out: &mut Vec<u8>) -> Result<()> {
        let too_long =
            |what: &str| Error::argument(format!("{what} of {:?} is too long", self.name));
        let name = u16::try_from(self.name.len()).map_err(|_| too_long("the name"))?;
        let detail = u32::try_from(self.detail.len()).map_err(|_| too_long("the description"))?;
        let count = u32::try_from(self.chunks.len()).map_err(|_| too_long("the list of chunks"))?;
        out.extend_from_slice(&name.to_le_bytes());
        out.extend_from_slice(self.name.as_bytes());
        out.push(self.kind.number());
        out.extend_from_slice(&detail.to_le_bytes());
        out.extend_from_slice(&self.detail);
        let first = self.chunks.first().map_or(HEAD, |chunk| chunk.offset);
        out.extend_from_slice(&first.to_le_bytes());
        out.extend_from_slice(&count.to_le_bytes());
        self.chunks.iter().for_each(|chunk| out.extend_from_slice(&chunk.bytes.to_le_bytes()));
        self.chunks.iter().for_each(|chunk| out.extend_from_slice(&chunk.crc.to_le_bytes()));
        Ok(())
    }

    fn decode(cursor: &mut FieldCursor<'_>, end: u64) -> Result<TableEntry, &'static str> {
        const SHORT: &str = "the table ends inside an entry";
        let name_bytes = usize::from(u16::from_le_bytes(array(cursor).ok_or(SHORT)?));
        let name = cursor.bytes(name_bytes).ok_or(SHORT)?;
        let name = std::str::from_utf8(name).map_err(|_| "a name is not UTF-8")?.to_owned();
        let kind = Kind::of_number(cursor.u8().ok_or(SHORT)?);
        let detail_bytes = cursor.u32().ok_or(SHORT)? as usize;
        let detail = cursor.bytes(detail_bytes).ok_or(SHORT)?.to_vec();
        let mut offset = u64::from_le_bytes(array(cursor).ok_or(SHORT)?);
        let count = cursor.u32().ok_or(SHORT)? as usize;
        let words = count.checked_mul(4).ok_or(SHORT)?;
        let sizes = cursor.bytes(words).ok_or(SHORT)?.as_chunks::<4>().0;
        let sums = cursor.bytes(words).ok_or(SHORT)?.as_chunks::<4>().0;
        let mut chunks = Vec::with_capacity(count);
        if offset < HEAD {
            return Err("a chunk begins inside the head");
        }
        for (size, crc) in sizes.iter().zip(sums) {
            let bytes = u32::from_le_bytes(*size);
            chunks.push(ChunkLocation { offset, bytes, crc: u32::from_le_bytes(*crc) });
            offset = offset.saturating_add(u64::from(bytes));
            if offset > end {
                return Err("a chunk ends beyond the table");
            }
        }
        Ok(TableEntry { name, kind, detail, chunks })
    }
}

fn array<const N: usize>(cursor: &mut FieldCursor<'_>) -> Option<[u8; N]> {
    cursor.bytes(N)?.first_chunk().copied()
}

/// The first bytes of a file.
pub(super) fn head() -> [u8; HEAD as usize] {
    let mut head = [0; HEAD as usize];
    head[..8].copy_from_slice(&MARK);
    head[8..12].copy_from_slice(&VERSION.to_le_bytes());
    let crc = crc32fast::hash(&head[..12]);
    head[12..].copy_from_slice(&crc.to_le_bytes());
    head
}

/// Table and tail: `plain` is the entries, one after the other, `offset` where the table begins.
pub(super) fn end(count: u32, entries: &[u8], offset: u64) -> Result<Vec<u8>> {
    let mut plain = count.to_le_bytes().to_vec();
    plain.extend_from_slice(entries);
    let packed = zstd::bulk::compress(&plain, LEVEL).map_err(|e| Error::io("run zstd", e))?;
    let fits = packed.len() < plain.len() && plain.len() as u64 <= MOST_RATIO * packed.len() as u64;
    let sizes = [offset, if fits { packed.len() } else { plain.len() } as u64, plain.len() as u64];
    let mut out = if fits { packed } else { plain };
    let crc = crc32fast::hash(&out);
    let tail = out.len();
    sizes.iter().for_each(|size| out.extend_from_slice(&size.to_le_bytes()));
    out.extend_from_slice(&crc.to_le_bytes());
    let crc = crc32fast::hash(&out[tail..]);
    out.extend_from_slice(&crc.to_le_bytes());
    out.extend_from_slice(&MARK);
    Ok(out)
}

/// What the tail says.
struct FileTrailer {
    offset: u64,
    stored: u64,
    plain: u64,
    crc: u32,
}

fn tail(source: &dyn Source, length: u64, verify: bool) -> Result<FileTrailer> {
    let mut head = [0; HEAD as usize];
    let got = source.read_at(0, &mut head)?;
    if !super::is_array_file(&head[..got]) {
        let error = Error::corrupt("this is no file of arrays").at_offset(0);
        return Err(error.hint("solio pack makes them"));
    }
    let version = u32::from_le_bytes([head[8], head[9], head[10], head[11]]);
    if got == head.len() && version != VERSION {
        let message = format!("a file of arrays of version {version}; {VERSION} can be read");
        return Err(Error::unsupported(message).at_offset(8));
    }
    if length < HEAD + TAIL || got < head.len() {
        return Err(Error::corrupt("the file of arrays is cut off").at_offset(length));
    }
    if verify && head != self::head() {
        return Err(Error::corrupt("the head of the file of arrays is damaged").at_offset(0));
    }
    let start = length - TAIL;
    let mut tail = [0; TAIL as usize];
    source.read_exact_at(start, &mut tail, "the tail of the file of arrays")?;
    let u64_at = |at: usize| u64::from_le_bytes(*tail[at..].first_chunk().expect("eight bytes"));
    let u32_at = |at: usize| u32::from_le_bytes(*tail[at..].first_chunk().expect("four bytes"));
    if tail[32..] != MARK {
        let message =
            "the file of arrays does not end with its mark: it is cut off, or more follows";
        return Err(Error::corrupt(message).at_offset(start + 32));
    }
    if verify && u32_at(28) != crc32fast::hash(&tail[..28]) {
        return Err(Error::corrupt("the tail of the file of arrays is damaged").at_offset(start));
    }
    let found =
        FileTrailer { offset: u64_at(0), stored: u64_at(8), plain: u64_at(16), crc: u32_at(24) };
    if found.offset < HEAD || found.offset.checked_add(found.stored) != Some(start) {
        let message = "the table does not lie between the chunks and the tail";
        return Err(Error::corrupt(message).at_offset(start));
    }
    let possible = found.plain == found.stored
        || (found.plain > found.stored && found.plain <= found.stored.saturating_mul(MOST_RATIO));
    if !possible {
        let (stored, plain) = (found.stored, found.plain);
        let message = format!("{stored} bytes cannot hold a table of {plain}");
        return Err(Error::corrupt(message).at_offset(start + 8));
    }
    Ok(found)
}

/// Reads the table; with `verify` also its sums are checked.
pub(super) fn read(source: &dyn Source, verify: bool, limits: &Limits) -> Result<Vec<TableEntry>> {
    let length = match source.len_bytes() {
        Some(length) if !source.is_sequential() => length,
        _ => {
            let message = "a file of arrays is read from a file of known size, at any place";
            return Err(Error::argument(message));
        }
    };
    let tail = tail(source, length, verify)?;
    limits.check_bytes("the table", tail.plain)?;
    let damaged = |what: &str| Error::corrupt(what).at_offset(tail.offset);
    let mut stored = vec![0; tail.stored as usize];
    source.read_exact_at(tail.offset, &mut stored, "the table")?;
    if verify && crc32fast::hash(&stored) != tail.crc {
        return Err(damaged("the table of the file of arrays is damaged"));
    }
    let plain = if tail.plain == tail.stored {
        stored
    } else {
        let unpacked = zstd::bulk::decompress(&stored, tail.plain as usize);
        unpacked.ok().filter(|plain| plain.len() as u64 == tail.plain).ok_or_else(|| {
            damaged("the table of the file of arrays does not unpack to what the tail says")
        })?
    };
    let mut cursor = FieldCursor(&plain);
    let count = cursor.u32().ok_or_else(|| damaged("the table is empty"))?;
    if count as usize > cursor.0.len() / LEAST_ENTRY {
        return Err(damaged("the table has more entries than fit"));
    }
    limits.check_elements("entries", u64::from(count))?;
    let mut entries = Vec::with_capacity(count as usize);
    for _ in 0..count {
        entries.push(TableEntry::decode(&mut cursor, tail.offset).map_err(damaged)?);
    }
    if !cursor.0.is_empty() {
        return Err(damaged("more follows in the table than its entries"));
    }
    Ok(entries)
}
