//! Writing: the splats turn into a file's axes, then part by part.

use super::bytes::{decode_part, encode_part, fraction_bits};
use super::frame::USUAL;
use super::header::{STREAMS, SpzHeader};
use crate::model::Scene;
use crate::spans::PREPARE;
use crate::splats::ANTIALIASED;
use crate::splats::columns::SplatColumns;
use crate::splats::measure::{lacks, measure};
use solio_base::{Error, Losses, Result, Sink, Work};
use solio_codec::compress::{ChunkCompressor, Compression};

/// Level of zstd and gzip where none is said: files are read far more often than written.
const ZSTD_LEVEL: i32 = 12;
const GZIP_LEVEL: i32 = 6;

/// How an SPZ file is written.
#[derive(Clone, Debug)]
pub struct SpzWriteOptions {
    /// 2 to 4. Older viewers know 2 and 3.
    pub version: u8,
    /// Bits of each harmonic, 1 to 8. Fewer make smaller files: Niantic's program takes 5 for the first
    /// degree and 4 for the others.
    pub harmonic_bits: u8,
    /// Level of compression, gzip's (0 to 12) or zstd's (-7 to 22); `None` is the usual one.
    pub level: Option<i32>,
}

impl Default for SpzWriteOptions {
    fn default() -> Self {
        SpzWriteOptions { version: 4, harmonic_bits: 8, level: None }
    }
}

const NAME: &str = "SPZ";

/// All parts of a file, in its axes, before they are packed.
struct SpzParts<'a> {
    header: SpzHeader,
    columns: SplatColumns<'a>,
    harmonic_bits: u8,
}

/// Writes the splats of a scene as an SPZ file. A comment tells whether they are antialiased, as the
/// reader puts it down.
///
/// # Errors
/// `Unsupported` where the scene has no splats, `Argument` for a version that is not written, and what
/// `sink` fails with.
pub fn encode_spz(
    scene: &Scene<'_>,
    options: &SpzWriteOptions,
    work: &Work,
    sink: &mut dyn Sink,
) -> Result<()> {
    let prepare = PREPARE.begin();
    let mut parts = SpzParts::of(scene, options)?;
    drop(prepare);
    let widths = parts.header.widths().into_iter().enumerate();
    let used: Vec<usize> = widths.filter(|(_, width)| *width > 0).map(|(part, _)| part).collect();
    let is_whole = parts.header.version < STREAMS;
    let (packing, usual) = match is_whole {
        true => (Compression::Gzip, GZIP_LEVEL),
        false => (Compression::Zstd, ZSTD_LEVEL),
    };
    let mut packer = ChunkCompressor::new(packing, Some(options.level.unwrap_or(usual)))?;
    if is_whole {
        let mut bytes = parts.header.encode();
        used.iter().for_each(|part| parts.encode(*part, &mut bytes));
        let mut packed = Vec::new();
        packer.compress(&bytes, &mut packed)?;
        return write_all(sink, work, &packed);
    }
    let (mut table, mut streams) = (Vec::new(), Vec::new());
    for part in &used {
        work.cancel.check()?;
        let mut bytes = Vec::new();
        parts.encode(*part, &mut bytes);
        let before = streams.len();
        packer.compress(&bytes, &mut streams)?;
        let row = [streams.len() - before, bytes.len()].map(|bytes| (bytes as u64).to_le_bytes());
        table.extend_from_slice(row.as_flattened());
    }
    parts.header.streams = used.len() as u8;
    parts.header.table = parts.header.bytes() as u32;
    sink.write_bytes(work, &[parts.header.encode(), table].concat())?;
    write_all(sink, work, &streams)
}

/// Writes what lies in memory in chunks of a megabyte.
fn write_all(sink: &mut dyn Sink, work: &Work, bytes: &[u8]) -> Result<()> {
    let chunks: Vec<&[u8]> = bytes.chunks(1 << 20).collect();
    sink.write_chunks(work, chunks.len(), &|i, out| {
        out.extend_from_slice(chunks[i]);
        Ok(())
    })
}

/// What an SPZ cannot hold of a scene, and how far off the rest is.
///
/// # Errors
/// `Unsupported` where the scene has no splats, `Argument` for a version that is not written.
pub fn spz_losses(scene: &Scene<'_>, options: &SpzWriteOptions) -> Result<Losses> {
    let before = SplatColumns::of_scene(scene, NAME)?;
    let parts = SpzParts::of(scene, options)?;
    let mut losses = Losses::default();
    lacks(&mut losses, scene, NAME);
    let comments = scene.comments.iter().filter(|comment| *comment != ANTIALIASED).count();
    losses.add_some("comments", "SPZ has no comments", comments, "comment");
    let mut after = SplatColumns::of_degree(usize::from(parts.header.degree), before.count());
    let mut bytes = Vec::new();
    for part in 0..6 {
        bytes.clear();
        parts.encode(part, &mut bytes);
        if !bytes.is_empty() {
            decode_part(part, &bytes, parts.how(), &mut after);
        }
    }
    USUAL.turn(&mut after);
    measure(
        &mut losses,
        NAME,
        &before,
        &after,
        Some("harmonic_bits").filter(|_| options.harmonic_bits < 8),
    );
    Ok(losses)
}

impl<'a> SpzParts<'a> {
    fn of(scene: &'a Scene<'_>, options: &SpzWriteOptions) -> Result<SpzParts<'a>> {
        if !(2..=STREAMS).contains(&u32::from(options.version)) {
            let message = format!("SPZ of version {} is not written", options.version);
            return Err(Error::argument(message).hint("versions 2, 3 and 4 are"));
        }
        if !(1..=8).contains(&options.harmonic_bits) {
            let message = format!("harmonics of {} bits; there are 1 to 8", options.harmonic_bits);
            return Err(Error::argument(message));
        }
        let mut columns = SplatColumns::of_scene(scene, NAME)?;
        let Ok(splats) = u32::try_from(columns.count()) else {
            return Err(Error::limit("more than 4,294,967,295 splats"));
        };
        let header = SpzHeader {
            version: options.version.into(),
            splats,
            degree: columns.degree() as u8,
            fraction_bits: fraction_bits(&columns.positions),
            antialiased: scene.comments.iter().any(|comment| comment == ANTIALIASED),
            has_extensions: false,
            streams: 0,
            table: 0,
        };
        USUAL.turn(&mut columns);
        Ok(SpzParts { header, columns, harmonic_bits: options.harmonic_bits })
    }

    fn how(&self) -> [u32; 2] {
        [self.header.version, self.header.fraction_bits.into()]
    }

    /// Appends the bytes of a part.
    fn encode(&self, part: usize, out: &mut Vec<u8>) {
        out.reserve(self.columns.count() * self.header.widths()[part]);
        encode_part(
            part,
            &self.columns,
            0..self.columns.count(),
            self.how(),
            self.harmonic_bits,
            out,
        );
    }
}
