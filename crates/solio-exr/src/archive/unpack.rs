//! Chunks of a file of arrays to the file that was packed.

use super::detail::{ChunkRun, EntryDetail, FilePiece};
use super::pack::compress;
use super::plan::style;
use super::run::{Laid, MOST_RATIO, run_bytes};
use crate::chunk::{Leader, leader_bytes};
use crate::codec;
use crate::cursor::HeaderCursor;
use crate::header::shape::Shape;
use crate::header::{self, Header};
use solio_base::{Error, Limits, Result};
use solio_codec::array::ArrayDecoder;
use solio_codec::array::file::TableEntry;

/// The least bytes of a chunk of a file.
const LEAST_CHUNK: u64 = 8;

/// A file of a file of arrays: what its description says.
pub struct Archived {
    /// What the table says.
    pub detail: EntryDetail,
    /// Its header; empty where the file is kept whole.
    pub header: Header,
    shapes: Vec<Shape>,
    multipart: bool,
}

/// How the chunks of the file are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compressed {
    /// As they were.
    Own,
    /// Not at all, which every method allows: for who reads them next.
    Not,
}

/// Where the chunks of the file come to lie.
pub struct OffsetTables {
    tables: Vec<Vec<u64>>,
    next: u64,
}

/// What unpacks; keep one per thread.
#[derive(Default)]
pub struct ExrUnpacker {
    decoder: ArrayDecoder,
    planes: Vec<u8>,
    raw: Vec<u8>,
    packed: Vec<u8>,
    scratch: codec::CodecScratch,
    /// Part, number and bytes of the chunks of the last piece.
    chunks: Vec<(usize, u64, u64)>,
}

impl Archived {
    /// Of an entry of kind `Exr`.
    ///
    /// # Errors
    /// `Corrupt` where its description contradicts itself or the chunks that there are.
    pub fn new(entry: &TableEntry, limits: &Limits) -> Result<Archived> {
        let at = entry.chunks.first().map_or(0, |chunk| chunk.offset);
        let detail = EntryDetail::decode(&entry.detail).map_err(|e| e.at_offset(at))?;
        limits.check_bytes("the file", detail.file_bytes)?;
        let mut made =
            Archived { detail, header: Header::default(), shapes: Vec::new(), multipart: false };
        let bad = |what: &str| Error::corrupt(format!("{:?}: {what}", entry.name)).at_offset(at);
        if made.detail.pieces.len() != entry.chunks.len() {
            return Err(bad("its chunks are not those of its description"));
        }
        if made.detail.whole {
            let all = made.detail.head.is_empty()
                && made.detail.file_bytes == entry.packed_bytes()
                && made.detail.pieces.iter().all(|piece| *piece == FilePiece::Kept);
            return if all { Ok(made) } else { Err(bad("it is not whole")) };
        }
        let placed = header::decode_placed(&made.detail.head, limits)?;
        if placed.end != made.detail.head.len() as u64 {
            return Err(bad("more follows behind its header"));
        }
        made.multipart = placed.header.is_multipart();
        let shapes = placed.header.parts.iter().map(header::Part::shape);
        made.shapes = shapes.collect::<Result<_>>()?;
        made.header = placed.header;
        let (mut possible, mut samples) = (0u64, 0u64);
        for (piece, chunk) in made.detail.pieces.iter().zip(&entry.chunks) {
            let bytes = u64::from(chunk.bytes);
            possible = possible.saturating_add(match piece {
                FilePiece::Kept => bytes / LEAST_CHUNK,
                FilePiece::Packed(run) => {
                    let area = made.area(run).ok_or_else(|| bad("a run is none"))?;
                    if area > MOST_RATIO * bytes || style(run.style).is_none() {
                        return Err(bad("a run is none"));
                    }
                    samples = samples.saturating_add(area);
                    run.chunks
                }
            });
        }
        limits.check_bytes("the file", samples)?;
        let chunks = made.shapes.iter().map(|shape| shape.chunks).fold(0, u64::saturating_add);
        if chunks > possible {
            return Err(bad("some chunks are missing"));
        }
        Ok(made)
    }

    /// Bytes of the samples of a run.
    fn area(&self, run: &ChunkRun) -> Option<u64> {
        let shape = self.shapes.get(usize::try_from(run.part).ok()?)?;
        run_bytes(shape, run)
    }

    /// What comes before the first piece; the table is zeros.
    pub fn start(&self) -> Vec<u8> {
        let entries: u64 = self.shapes.iter().map(|shape| shape.chunks).sum();
        let mut start = self.detail.head.clone();
        start.resize(start.len() + 8 * entries as usize, 0);
        start
    }

    /// For the places of the chunks.
    pub fn tables(&self) -> OffsetTables {
        let tables = self.shapes.iter().map(|shape| vec![0; shape.chunks as usize]);
        OffsetTables { tables: tables.collect(), next: self.start().len() as u64 }
    }
}

impl OffsetTables {
    /// The chunks that come next: part, number, bytes.
    pub fn add(&mut self, chunks: &[(usize, u64, u64)]) -> Result<()> {
        for &(part, index, bytes) in chunks {
            let place = self.tables.get_mut(part).and_then(|table| table.get_mut(index as usize));
            match place {
                Some(place) if *place == 0 => *place = self.next,
                _ => {
                    return Err(Error::corrupt(format!(
                        "chunk {index} of part {part} comes twice"
                    )));
                }
            }
            self.next += bytes;
        }
        Ok(())
    }

    /// The bytes of the tables.
    ///
    /// # Errors
    /// `Corrupt` where chunks are missing.
    pub fn finish(&self) -> Result<Vec<u8>> {
        if self.tables.iter().flatten().any(|place| *place == 0) {
            return Err(Error::corrupt("chunks of the file are missing"));
        }
        Ok(self.tables.iter().flatten().flat_map(|place| place.to_le_bytes()).collect())
    }

    /// Bytes of the file so far.
    pub fn file_bytes(&self) -> u64 {
        self.next
    }
}

impl ExrUnpacker {
    /// The chunks of the last piece: part, number, bytes.
    pub fn chunks(&self) -> &[(usize, u64, u64)] {
        &self.chunks
    }

    /// Unpacks piece `index`, whose chunk is `packed`; `out` becomes its bytes in the file.
    ///
    /// # Errors
    /// `Corrupt` where `packed` is not such a piece.
    pub fn unpack(
        &mut self,
        archived: &Archived,
        index: usize,
        packed: &[u8],
        compressed: Compressed,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        out.clear();
        self.chunks.clear();
        match archived.detail.pieces.get(index) {
            Some(FilePiece::Packed(run)) => self.run(archived, run, packed, compressed, out),
            Some(FilePiece::Kept) => {
                out.extend_from_slice(packed);
                if archived.detail.whole { Ok(()) } else { self.kept(archived, packed) }
            }
            None => Err(Error::argument(format!("the file has no piece {index}"))),
        }
    }

    fn run(
        &mut self,
        archived: &Archived,
        run: &ChunkRun,
        packed: &[u8],
        compressed: Compressed,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let bad = || Error::corrupt("a run of chunks is none");
        let (part, shape) = (run.part as usize, &archived.shapes[run.part as usize]);
        let laid = Laid::new(shape, run).ok_or_else(bad)?;
        let style = style(run.style).ok_or_else(bad)?;
        let planes = codec::room(&mut self.planes, laid.bytes);
        self.decoder.decode(packed, &laid.planes, planes)?;
        for &chunk in &laid.chunks {
            let leader = Leader::of_chunk(shape, part, chunk);
            let start = out.len();
            let data = match compressed {
                Compressed::Own => {
                    let buffers = (&mut self.raw, &mut self.scratch);
                    let method = shape.compression;
                    compress(method, style, &laid, chunk, planes, buffers, &mut self.packed)?;
                    &self.packed
                }
                Compressed::Not => {
                    self.raw.clear();
                    laid.places(chunk).gather(planes, &mut self.raw);
                    &self.raw
                }
            };
            let leader = Leader { data: data.len() as u64, ..leader };
            leader.encode(shape.kind, archived.multipart, out);
            out.extend_from_slice(data);
            self.chunks.push((part, chunk, (out.len() - start) as u64));
        }
        Ok(())
    }

    /// Looks up which chunks these are.
    fn kept(&mut self, archived: &Archived, bytes: &[u8]) -> Result<()> {
        let mut at = 0;
        while at < bytes.len() {
            let bad = || Error::corrupt("a chunk of the file is none").at_offset(at as u64);
            let rest = &bytes[at..];
            let part = match archived.multipart {
                true => u32::from_le_bytes(*rest.first_chunk().ok_or_else(bad)?) as usize,
                false => 0,
            };
            let shape = archived.shapes.get(part).ok_or_else(bad)?;
            let mut cursor = HeaderCursor::new(rest, at as u64);
            let leader = Leader::decode(&mut cursor, shape.kind, archived.multipart)?;
            let chunk = leader.chunk(shape).ok_or_else(bad)?;
            let size = (leader_bytes(shape.kind, archived.multipart) as u64)
                .saturating_add(leader.counts)
                .saturating_add(leader.data);
            if size > rest.len() as u64 {
                return Err(bad());
            }
            self.chunks.push((part, chunk, size));
            at += size as usize;
        }
        Ok(())
    }
}
