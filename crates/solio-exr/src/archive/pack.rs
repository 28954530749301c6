//! Pieces of a file to chunks of a file of arrays.

use super::detail::{ChunkRun, FilePiece};
use super::plan::{ExrPacking, PlannedPiece, style, styles};
use super::run::{Laid, MOST_RATIO};
use crate::chunk::leader_bytes;
use crate::codec::{self, UnpackedRows};
use crate::read::is_stored;
use crate::write::keep_smaller;
use crate::{Compression, Shape};
use solio_base::{Error, ErrorKind, Result, Source};
use solio_codec::array::{ArrayDecoder, ArrayEncoder, Effort};

/// What packs; keep one per thread.
#[derive(Default)]
pub struct ExrPacker {
    encoder: Option<(Effort, ArrayEncoder)>,
    decoder: ArrayDecoder,
    file: Vec<u8>,
    planes: Vec<u8>,
    again: Vec<u8>,
    raw: Vec<u8>,
    scratch: codec::CodecScratch,
    ahead: codec::InflatedAhead,
}

/// What became of a piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackedPiece {
    /// How it is kept.
    pub piece: FilePiece,
    /// CRC-32 and size of its bytes in the file.
    pub sum: (u32, u64),
    /// Why it could not be unpacked: something is wrong with the file.
    pub damage: Option<String>,
}

impl ExrPacker {
    /// Packs piece `index` of a file; `out` becomes the chunk.
    ///
    /// # Errors
    /// `Io` where the file cannot be read. What is wrong with its pixels is none: then they are
    /// kept as they lie.
    pub fn pack(
        &mut self,
        packing: &ExrPacking,
        index: usize,
        source: &dyn Source,
        out: &mut Vec<u8>,
    ) -> Result<PackedPiece> {
        out.clear();
        let planned = &packing.pieces[index];
        let range = planned.bytes.clone();
        let mut file = std::mem::take(&mut self.file);
        let bytes = match source.as_bytes() {
            Some(all) => all.get(range.start as usize..range.end as usize).ok_or_else(ended)?,
            None => {
                file.resize((range.end - range.start) as usize, 0);
                source.read_exact_at(range.start, &mut file, "a chunk")?;
                &file[..]
            }
        };
        let sum = (crc32fast::hash(bytes), bytes.len() as u64);
        let packed = match planned.run {
            Some(run) => self.run(packing, planned, run, bytes, out),
            None => Ok(None),
        };
        let (piece, damage) = match packed {
            Ok(Some(run)) if out.len() < bytes.len() => (FilePiece::Packed(run), None),
            Ok(_) => (FilePiece::Kept, None),
            Err(error) if error.kind() == ErrorKind::Io => return Err(error),
            Err(error) => (FilePiece::Kept, Some(error.message().to_owned())),
        };
        if piece == FilePiece::Kept {
            out.clear();
            out.extend_from_slice(bytes);
        }
        self.file = file;
        Ok(PackedPiece { piece, sum, damage })
    }

    /// `None` where the pixels, or the bytes if they have to, would not come back.
    fn run(
        &mut self,
        packing: &ExrPacking,
        planned: &PlannedPiece,
        mut run: ChunkRun,
        bytes: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<Option<ChunkRun>> {
        let shape = &packing.shapes[run.part as usize];
        let Some(laid) = Laid::new(shape, &run) else { return Ok(None) };
        let head = leader_bytes(shape.kind, packing.multipart);
        let mut start = planned.bytes.start;
        let mut chunks = Vec::with_capacity(planned.ends.len());
        for end in &planned.ends {
            let base = planned.bytes.start;
            chunks.push(&bytes[(start - base) as usize + head..(*end - base) as usize]);
            start = *end;
        }
        self.unpack(shape, &laid, &chunks)?;
        if packing.options.exact {
            match styles(shape.compression).find_map(|style| self.is_same(&laid, &chunks, style)) {
                Some(style) => run.style = style,
                None => return Ok(None),
            }
        } else if shape.compression == Compression::Pxr24 && !self.stays(&laid)? {
            return Ok(None);
        }
        let effort = packing.options.effort;
        let encoder = match &mut self.encoder {
            Some((of, encoder)) if *of == effort => encoder,
            other => &mut other.insert((effort, ArrayEncoder::new(effort)?)).1,
        };
        let planes = &self.planes[..laid.bytes];
        encoder.encode(planes, &laid.planes, out)?;
        if laid.bytes as u64 > MOST_RATIO * out.len() as u64 {
            return Ok(None);
        }
        // Nothing is lost, even where the codec should be wrong.
        let again = codec::room(&mut self.again, laid.bytes);
        let same = self.decoder.decode(out, &laid.planes, again).is_ok() && again == planes;
        Ok(same.then_some(run))
    }

    /// Unpacks all chunks of a run to its planes.
    fn unpack(&mut self, shape: &Shape, laid: &Laid<'_>, chunks: &[&[u8]]) -> Result<()> {
        let planes = codec::room(&mut self.planes, laid.bytes);
        let size = |chunk: u64| shape.block(&shape.place(chunk).window).bytes();
        let at_once = codec::side_by_side(shape.compression);
        for (numbers, some) in laid.chunks.chunks(at_once).zip(chunks.chunks(at_once)) {
            let mut packed = Vec::with_capacity(some.len());
            for (&chunk, data) in numbers.iter().zip(some) {
                let bytes = size(chunk);
                if !is_stored(shape.compression, data, bytes, "pixels")? && at_once > 1 {
                    packed.push((chunk, *data, bytes as usize));
                }
            }
            self.ahead.unpack(&packed);
            for (&chunk, data) in numbers.iter().zip(some) {
                let places = laid.places(chunk);
                let rows = if let Some(merger) = self.ahead.get(chunk) {
                    UnpackedRows::Filtered(merger)
                } else if data.len() as u64 == places.block.bytes() {
                    UnpackedRows::Plain(data)
                } else {
                    let (raw, scratch) = (&mut self.raw, &mut self.scratch);
                    codec::unpack(shape.compression, &places.block, data, raw, scratch)?
                };
                places.scatter(rows, planes);
            }
        }
        Ok(())
    }

    /// The style, where compressing with it gives the bytes of all chunks.
    fn is_same(&mut self, laid: &Laid<'_>, chunks: &[&[u8]], number: u8) -> Option<u8> {
        let style = style(number)?;
        let (method, planes) = (laid.shape.compression, &self.planes[..laid.bytes]);
        let (raw, scratch, out) = (&mut self.raw, &mut self.scratch, &mut self.again);
        for (&chunk, data) in laid.chunks.iter().zip(chunks) {
            compress(method, style, laid, chunk, planes, (&mut *raw, &mut *scratch), out).ok()?;
            if out != data {
                return None;
            }
        }
        Some(number)
    }

    /// Whether the pixels are the same when they were compressed and unpacked once more.
    fn stays(&mut self, laid: &Laid<'_>) -> Result<bool> {
        let method = laid.shape.compression;
        let before = self.planes[..laid.bytes].to_vec();
        let mut chunks = Vec::with_capacity(laid.chunks.len());
        for &chunk in &laid.chunks {
            let mut data = Vec::new();
            let buffers = (&mut self.raw, &mut self.scratch);
            compress(
                method,
                codec::PackStyle::default(),
                laid,
                chunk,
                &before,
                buffers,
                &mut data,
            )?;
            chunks.push(data);
        }
        let chunks: Vec<&[u8]> = chunks.iter().map(|data| &data[..]).collect();
        self.unpack(laid.shape, laid, &chunks)?;
        Ok(self.planes[..laid.bytes] == before)
    }
}

/// Compresses a chunk of a run into `out`.
pub(super) fn compress(
    method: Compression,
    style: codec::PackStyle,
    laid: &Laid<'_>,
    chunk: u64,
    planes: &[u8],
    (raw, scratch): (&mut Vec<u8>, &mut codec::CodecScratch),
    out: &mut Vec<u8>,
) -> Result<()> {
    raw.clear();
    out.clear();
    let places = laid.places(chunk);
    let block = places.block.clone();
    places.gather(planes, raw);
    codec::encode(method, style, &block, raw, out, scratch)?;
    keep_smaller(raw, 0, out);
    Ok(())
}

fn ended() -> Error {
    Error::corrupt("the file has become shorter")
}
