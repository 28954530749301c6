//! Reading: part by part, each into its columns.

use super::bytes::decode_part;
use super::frame::{FrameFlips, USUAL};
use super::header::{STREAMS, SpzHeader};
use crate::model::Scene;
use crate::odd::tolerate;
use crate::spans::DECODE;
use crate::splats::columns::SplatColumns;
use crate::splats::{ANTIALIASED, SplatReadOptions};
use solio_base::{Error, Limits, Result, Source, Work};
use solio_codec::compress::{Compression, StreamDecoder};
use std::io::Read;

/// Bytes that are decoded at once, more or less: whole splats.
const BLOCK: usize = 1 << 20;
/// The highest ratio that Niantic's reader accepts of zstd: a file that claims more is malformed.
const BEST_RATIO: u64 = 1024;
/// The extension that tells other axes, of Adobe.
const AXES: u32 = 0xadbe_0003;
/// Records of vendors are looked through up to here.
const MOST_EXTENSIONS: usize = 16 << 20;

/// Reads an SPZ file that is unpacked, if it was gzip: one mesh, with the attributes of a 3DGS PLY. Axes
/// become those of a PLY.
///
/// ```
/// use solio_base::Work;
/// use solio_mesh::splats::{decode_splat, spz};
/// let mut record = [0; 32];
/// record[4..8].copy_from_slice(&2.5_f32.to_le_bytes()); // y
/// record[28] = 255; // not turned
/// let scene = decode_splat(&&record[..], &Default::default(), &Work::serial())?;
/// let mut file = Vec::new();
/// spz::encode_spz(&scene, &Default::default(), &Work::serial(), &mut file)?;
/// let back = spz::decode_spz(&file, &Default::default(), &Work::serial())?;
/// assert_eq!(back.meshes[0].positions.get(0), [0.0, 2.5, 0.0]);
/// # Ok::<(), solio_base::Error>(())
/// ```
///
/// # Errors
/// `Corrupt` with the place, `Unsupported` for other versions and axes, `Limit`, and those of `source`.
pub fn decode_spz(
    source: &dyn Source,
    options: &SplatReadOptions,
    work: &Work,
) -> Result<Scene<'static>> {
    let _span = DECODE.begin();
    let header = super::decode_spz_header(source)?;
    let limits = &options.limits;
    let (count, widths) = (u64::from(header.splats), header.widths());
    let width = widths.iter().sum::<usize>() as u64;
    limits.check_elements("splats", count).map_err(|e| e.at_offset(8))?;
    let bytes = count.saturating_mul(4 * width);
    limits.check_bytes("the splats", bytes).map_err(|e| e.at_offset(8))?;
    if let Some(bytes) = source.len_bytes() {
        let ratio = if header.version < STREAMS { 1 } else { BEST_RATIO };
        let room = bytes.saturating_mul(ratio);
        if count * width.min(if ratio == 1 { width } else { 9 }) > room {
            let message =
                format!("the file says it has {count} splats, and {bytes} bytes hold fewer");
            return Err(Error::corrupt(message).at_offset(8));
        }
    }
    let mut columns = SplatColumns::of_degree(usize::from(header.degree), 0);
    let extensions = match header.version < STREAMS {
        true => read_stream(source, &header, &mut columns, work)?,
        false => read_streams(source, &header, &mut columns, limits, work)?,
    };
    let mut warnings = Vec::new();
    let flips = axes_of(extensions, options.strict, &mut warnings)?;
    flips.turn(&mut columns);
    let comments = header.antialiased.then(|| ANTIALIASED.to_owned());
    let mut scene = columns.into_scene();
    (scene.comments, scene.warnings) = (comments.into_iter().collect(), warnings);
    Ok(scene)
}

/// The bytes of an SPZ that is part of another file, without gzip.
///
/// # Errors
/// `Limit`, and `Corrupt` where they cannot be unpacked.
pub(crate) fn unpacked(bytes: Vec<u8>, limits: &Limits) -> Result<Vec<u8>> {
    let packing = Compression::of_head(&bytes);
    if packing != Compression::Gzip {
        return Ok(bytes);
    }
    let mut decoder = StreamDecoder::new(packing, &bytes[..], limits)?;
    let (mut unpacked, mut got) = (Vec::new(), 0);
    loop {
        unpacked.resize(got + BLOCK, 0);
        match decoder.read(&mut unpacked[got..])? {
            0 => break,
            more => got += more,
        }
    }
    unpacked.truncate(got);
    Ok(unpacked)
}

/// Decodes one part, whose bytes `read` gives in turn.
fn read_part(
    part: usize,
    header: &SpzHeader,
    columns: &mut SplatColumns<'_>,
    work: &Work,
    mut read: impl FnMut(&mut [u8]) -> Result<()>,
) -> Result<()> {
    let width = header.widths()[part];
    let rows = BLOCK / width.max(1);
    let mut left = if width == 0 { 0 } else { header.splats as usize };
    let mut buffer = vec![0; rows.min(left) * width];
    while left > 0 {
        work.cancel.check()?;
        let rows = rows.min(left);
        read(&mut buffer[..rows * width])?;
        let how = [header.version, u32::from(header.fraction_bits)];
        decode_part(part, &buffer[..rows * width], how, columns);
        left -= rows;
    }
    Ok(())
}

const PARTS: [&str; 6] =
    ["the positions", "the alphas", "the colours", "the scales", "the rotations", "the harmonics"];

/// Versions 1 to 3: the parts follow each other, and the extensions them.
fn read_stream(
    source: &dyn Source,
    header: &SpzHeader,
    columns: &mut SplatColumns<'_>,
    work: &Work,
) -> Result<VendorRecords> {
    let mut at = header.bytes() as u64;
    for (part, what) in PARTS.into_iter().enumerate() {
        read_part(part, header, columns, work, |buffer| {
            source.read_exact_at(at, buffer, what)?;
            at += buffer.len() as u64;
            Ok(())
        })?;
    }
    if !header.has_extensions {
        return Ok(VendorRecords::default());
    }
    let mut extensions = Vec::new();
    let mut block = vec![0; 64 << 10];
    loop {
        let got = source.read_at(at + extensions.len() as u64, &mut block)?;
        extensions.extend_from_slice(&block[..got]);
        if got < block.len() || extensions.len() >= MOST_EXTENSIONS {
            return Ok(VendorRecords { start: at, bytes: extensions });
        }
    }
}

/// What vendors add, and where in the file it begins.
#[derive(Default)]
struct VendorRecords {
    start: u64,
    bytes: Vec<u8>,
}

/// A stretch of a source, for decoders.
struct SourceReader<'s> {
    source: &'s dyn Source,
    at: u64,
    end: u64,
}

impl Read for SourceReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let wanted = buffer.len().min(usize::try_from(self.end - self.at).unwrap_or(usize::MAX));
        let got = self.source.read_at(self.at, &mut buffer[..wanted]);
        let got = got.map_err(std::io::Error::other)?;
        self.at += got as u64;
        Ok(got)
    }
}

/// Version 4: extensions, a table of the streams, the streams.
fn read_streams(
    source: &dyn Source,
    header: &SpzHeader,
    columns: &mut SplatColumns<'_>,
    limits: &Limits,
    work: &Work,
) -> Result<VendorRecords> {
    let start = header.bytes() as u64;
    let table_at = u64::from(header.table);
    if table_at < start {
        return Err(Error::corrupt("the table of streams lies within the header").at_offset(16));
    }
    let mut extensions = Vec::new();
    if header.has_extensions {
        let bytes = (table_at - start).min(MOST_EXTENSIONS as u64);
        extensions.resize(source.len_bytes().map_or(bytes, |all| bytes.min(all)) as usize, 0);
        source.read_exact_at(start, &mut extensions, "the extensions")?;
    }
    let mut table = vec![[[0; 8]; 2]; usize::from(header.streams)];
    source.read_exact_at(
        table_at,
        table.as_flattened_mut().as_flattened_mut(),
        "the table of streams",
    )?;
    let widths = header.widths();
    // A part without bytes has no stream.
    let parts = (0..6).filter(|part| widths[*part] > 0 && header.splats > 0);
    if parts.clone().count() != table.len() {
        let (wanted, found) = (parts.count(), table.len());
        let message = format!("the table has {found} streams, and splats of this kind {wanted}");
        return Err(Error::corrupt(message).at_offset(15));
    }
    let mut at = table_at + 16 * table.len() as u64;
    for ((n, part), row) in parts.enumerate().zip(table) {
        let [packed, plain] = row.map(u64::from_le_bytes);
        let wanted = u64::from(header.splats) * widths[part] as u64;
        let row_at = table_at + 16 * n as u64;
        if plain != wanted {
            let message = format!("{} have {plain} bytes, and not {wanted}", PARTS[part]);
            return Err(Error::corrupt(message).at_offset(row_at + 8));
        }
        let Some(end) =
            at.checked_add(packed).filter(|end| source.len_bytes().is_none_or(|all| *end <= all))
        else {
            let message = format!("{} reach beyond the end of the file", PARTS[part]);
            return Err(Error::corrupt(message).at_offset(row_at));
        };
        let limits = Limits { bytes: wanted, ..*limits };
        let reader = SourceReader { source, at, end };
        let start = at;
        let inside = |e: Error| {
            // The decoder counts from the start of the stream.
            let place = start + e.offset().unwrap_or(0);
            e.at_offset(place)
        };
        let mut decoder = StreamDecoder::new(Compression::Zstd, reader, &limits)?;
        read_part(part, header, columns, work, |buffer| {
            let got = decoder.read(buffer).map_err(inside)?;
            if got < buffer.len() {
                let message = format!("{} end early", PARTS[part]);
                return Err(Error::corrupt(message).at_offset(start));
            }
            Ok(())
        })?;
        let mut more = [0];
        if !matches!(decoder.read(&mut more), Ok(0)) {
            let message = format!("{} have more bytes than the table says", PARTS[part]);
            return Err(Error::corrupt(message).at_offset(start));
        }
        at = end;
    }
    Ok(VendorRecords { start, bytes: extensions })
}

/// The axes that records of vendors tell. Other records are told of.
fn axes_of(records: VendorRecords, strict: bool, warnings: &mut Vec<String>) -> Result<FrameFlips> {
    let mut flips = USUAL;
    let mut rest = &records.bytes[..];
    while !rest.is_empty() {
        let place = records.start + (records.bytes.len() - rest.len()) as u64;
        let word = |at: usize| {
            let word = rest.get(at..at + 4).and_then(|word| word.try_into().ok());
            word.map(u32::from_le_bytes)
        };
        let record = word(0).zip(word(4)).and_then(|(kind, bytes)| {
            let end = 8_usize.checked_add(usize::try_from(bytes).ok()?)?;
            Some((kind, rest.get(8..end)?, end))
        });
        let Some((kind, payload, end)) = record else {
            let error = Error::corrupt("the file ends inside a record of a vendor");
            tolerate(error.at_offset(place), strict, warnings)?;
            return Ok(flips);
        };
        match (kind, payload.first_chunk().map(|word| u32::from_le_bytes(*word))) {
            (AXES, Some(number)) => {
                flips = FrameFlips::of_number(number).ok_or_else(|| {
                    let message = format!("axes number {number} exchange y and z");
                    let error = Error::unsupported(message).at_offset(place);
                    error.hint("only those that point the other way are read")
                })?;
            }
            _ => {
                let message = format!("the record {kind:#010x} of a vendor is not read");
                tolerate(Error::unsupported(message).at_offset(place), strict, warnings)?;
            }
        }
        rest = &rest[end..];
    }
    Ok(flips)
}
