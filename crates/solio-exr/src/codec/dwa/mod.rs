//! DWAA and DWAB: a cosine transform for colours, run lengths for alpha, deflate for the rest.
//!
//! | bytes | what |
//! |---|---|
//! | 11 × 8 | version (2); of what is only deflated: bytes, packed bytes; packed bytes of frequencies, of first frequencies, of run lengths; bytes of run lengths, and of what they stand for; how many frequencies, first frequencies; 0 for Huffman code, 1 for deflate |
//! | | from version 2 on, the [rules](rules) |
//! | | only deflated: channel by channel, row by row |
//! | | frequencies, but for the first of each block, in blocks' zig-zag order; 0xff00 + n stands for n zeros, 0xff00 for all the rest of the block; Huffman code or deflate |
//! | | first frequencies, channel by channel in each set; byte filter, deflate |
//! | | run lengths: channel by channel all first bytes, then all second ones; deflate |
//!
//! Sets of red, green and blue come first and go through a matrix; the other channels follow in
//! their order. Before the transform, halves go through a curve unless the channel is linear;
//! floats become halves. Blocks at the edges mirror what there is. A NaN in a linear channel makes
//! its block NaN, always the same one: some of them would read as zeros.

//!
//! Per core beside the reference's C library (MB/s of pixels; photographs in halves, 2048 columns,
//! level 45): DWAA writes 84–142 and reads 398–700, 1.2 and 0.7 to 0.9 times as fast.

mod quantize;
mod rules;
mod transform;

use std::cell::RefCell;

use solio_base::{Error, Result};
use solio_codec::halves;
use solio_codec::samples::{float_to_half, half_to_float};

use self::quantize::{NAN, Tolerances};
use self::rules::{ChannelSchemes, Scheme};
use self::transform::{CURVES, DctBlock, ZIGZAG};
use super::layout::{self, ChannelLane};
use super::{deflate, huffman, rle};
use crate::{Block, PixelType};

/// The reference's level where nobody asks for another.
pub(crate) const DEFAULT_LEVEL: f32 = 45.0;

/// Numbers before the rules.
const NUMBERS: usize = 11;

/// The effort for all but first frequencies.
const DEFLATE_LEVEL: u8 = 9;

/// Half a zero run's code; the number of zeros follows in the low byte.
const ZEROS: u16 = 0xff00;

/// Memory that a thread keeps.
#[derive(Default)]
struct DwaScratch {
    frequencies: Vec<u16>,
    firsts: Vec<u16>,
    bytes: Vec<u8>,
    other_bytes: Vec<u8>,
    encoder: huffman::HuffmanEncoder,
    decoder: huffman::HuffmanDecoder,
}

thread_local! {
    static SCRATCH: RefCell<DwaScratch> = RefCell::default();
}

/// What the transform handles together: three colours or one channel.
fn groups(plan: &ChannelSchemes) -> Vec<Vec<usize>> {
    let in_set = |c: &usize| plan.colours.iter().flatten().any(|other| other == c);
    let single = (0..plan.schemes.len())
        .filter(|c| plan.schemes[*c] == Scheme::Lossy && !in_set(c))
        .map(|c| vec![c]);
    plan.colours.iter().map(|set| set.to_vec()).chain(single).collect()
}

/// Blocks of a channel, across and down.
fn blocks(lane: &ChannelLane) -> (usize, usize) {
    (lane.samples.div_ceil(8), lane.rows.len().div_ceil(8))
}

/// Bytes of all channels with this scheme.
fn bytes_of(plan: &ChannelSchemes, lanes: &[ChannelLane], scheme: Scheme) -> usize {
    lanes.iter().filter(|l| plan.schemes[l.channel] == scheme).map(ChannelLane::bytes).sum()
}

/// Unpacks a chunk.
pub(crate) fn decode(block: &Block, input: &[u8], out: &mut [u8]) -> Result<()> {
    let chunk = DwaChunk::read(block, input)?;
    let lanes = layout::lanes(block);
    SCRATCH.with_borrow_mut(|scratch| {
        chunk.unknown(&lanes, scratch, out)?;
        chunk.frequencies(&lanes, scratch)?;
        chunk.run_lengths(&lanes, scratch, out)?;
        let mut rest = Frequencies { all: &scratch.frequencies, firsts: &scratch.firsts };
        for group in groups(&chunk.plan) {
            let lanes: Vec<&ChannelLane> = group.iter().map(|c| &lanes[*c]).collect();
            match lanes[..] {
                [lane] => unpack_group(block, [lane], &mut rest, out),
                [r, g, b] => unpack_group(block, [r, g, b], &mut rest, out),
                _ => unreachable!("groups have one channel or three"),
            }
            .map_err(|what| Error::corrupt(what).at_offset(chunk.parts[1].0 as u64))?;
        }
        Ok(())
    })
}

/// The numbers of a chunk and where its parts lie.
struct DwaChunk<'a> {
    input: &'a [u8],
    plan: ChannelSchemes,
    /// Start and length: only deflated, frequencies, first frequencies, run lengths.
    parts: [(usize, usize); 4],
    unknown_bytes: u64,
    run_bytes: u64,
    raw_bytes: u64,
    frequencies: u64,
    firsts: u64,
    deflated: bool,
}

impl<'a> DwaChunk<'a> {
    fn read(block: &Block, input: &'a [u8]) -> Result<DwaChunk<'a>> {
        let numbers = input.as_chunks::<8>().0;
        let Some(numbers) = numbers.first_chunk::<NUMBERS>() else {
            let message =
                format!("DWA data need 88 bytes for their head; {} are there", input.len());
            return Err(Error::corrupt(message).at_offset(0));
        };
        let [version, unknown_bytes, a, b, c, d, run_bytes, raw_bytes, frequencies, firsts, how] =
            numbers.map(u64::from_le_bytes);
        let (plan, mut at) = match version {
            0 | 1 => (ChannelSchemes::old(block), 8 * NUMBERS),
            2 => ChannelSchemes::read(block, input, 8 * NUMBERS)?,
            _ => return Err(Error::corrupt(format!("DWA data of version {version}")).at_offset(0)),
        };
        let mut parts = [(0, 0); 4];
        for (part, length) in parts.iter_mut().zip([a, b, c, d]) {
            let left = input.len() - at;
            if length > left as u64 {
                let message =
                    format!("DWA data should have a part of {length} bytes; {left} are left");
                return Err(Error::corrupt(message).at_offset(at as u64));
            }
            *part = (at, length as usize);
            at += length as usize;
        }
        if how > 1 {
            return Err(
                Error::corrupt(format!("DWA frequencies packed in way {how}")).at_offset(80)
            );
        }
        let deflated = how == 1;
        Ok(DwaChunk {
            input,
            plan,
            parts,
            unknown_bytes,
            run_bytes,
            raw_bytes,
            frequencies,
            firsts,
            deflated,
        })
    }

    fn part(&self, part: usize) -> &'a [u8] {
        let (start, length) = self.parts[part];
        &self.input[start..start + length]
    }

    /// Unpacks a part's deflated bytes.
    fn inflate(&self, part: usize, out: &mut [u8]) -> Result<()> {
        let place = self.parts[part].0 as u64;
        deflate::unpack(self.part(part), out).map_err(|error| error.at_offset(place))
    }

    /// Refuses other numbers than the channels need.
    fn expect(&self, what: &str, found: u64, expected: usize, number: u64) -> Result<()> {
        if found == expected as u64 {
            return Ok(());
        }
        let message = format!("DWA data say {found} {what}; {expected} are expected");
        Err(Error::corrupt(message).at_offset(8 * number))
    }

    /// Fills the channels that are only deflated.
    fn unknown(
        &self,
        lanes: &[ChannelLane],
        scratch: &mut DwaScratch,
        out: &mut [u8],
    ) -> Result<()> {
        let bytes = bytes_of(&self.plan, lanes, Scheme::Unknown);
        self.expect("bytes that are only deflated", self.unknown_bytes, bytes, 1)?;
        if bytes == 0 {
            return Ok(());
        }
        scratch.bytes.resize(bytes, 0);
        self.inflate(0, &mut scratch.bytes)?;
        let mut rest = &scratch.bytes[..];
        for lane in lanes.iter().filter(|l| self.plan.schemes[l.channel] == Scheme::Unknown) {
            for start in &lane.rows {
                let (row, more) = rest.split_at(lane.row_bytes);
                rest = more;
                out[*start..][..lane.row_bytes].copy_from_slice(row);
            }
        }
        Ok(())
    }

    /// Unpacks frequencies.
    fn frequencies(&self, lanes: &[ChannelLane], scratch: &mut DwaScratch) -> Result<()> {
        let lossy = lanes.iter().filter(|l| self.plan.schemes[l.channel] == Scheme::Lossy);
        let count: usize = lossy.map(|lane| blocks(lane).0 * blocks(lane).1).sum();
        self.expect("first frequencies", self.firsts, count, 9)?;
        if self.frequencies > 63 * count as u64 {
            let message =
                format!("DWA data say {} frequencies of {count} blocks", self.frequencies);
            return Err(Error::corrupt(message).at_offset(64));
        }
        scratch.frequencies.resize(self.frequencies as usize, 0);
        if self.deflated && !scratch.frequencies.is_empty() {
            scratch.bytes.resize(2 * scratch.frequencies.len(), 0);
            self.inflate(1, &mut scratch.bytes)?;
            for (to, from) in scratch.frequencies.iter_mut().zip(scratch.bytes.as_chunks().0) {
                *to = u16::from_le_bytes(*from);
            }
        } else {
            let place = self.parts[1].0 as u64;
            huffman::decode(&mut scratch.decoder, self.part(1), &mut scratch.frequencies).map_err(
                |e| Error::corrupt(e.message()).at_offset(place + e.offset().unwrap_or(0)),
            )?;
        }
        scratch.firsts.clear();
        if count > 0 {
            scratch.bytes.resize(2 * count, 0);
            self.inflate(2, &mut scratch.bytes)?;
            scratch.other_bytes.resize(2 * count, 0);
            halves::merge(&scratch.bytes, &mut scratch.other_bytes);
            let firsts = scratch.other_bytes.as_chunks().0.iter().map(|f| u16::from_le_bytes(*f));
            scratch.firsts.extend(firsts);
        }
        Ok(())
    }

    /// Fills the channels of run lengths.
    fn run_lengths(
        &self,
        lanes: &[ChannelLane],
        scratch: &mut DwaScratch,
        out: &mut [u8],
    ) -> Result<()> {
        let bytes = bytes_of(&self.plan, lanes, Scheme::Rle);
        self.expect("bytes in runs", self.raw_bytes, bytes, 7)?;
        if bytes == 0 {
            return Ok(());
        }
        // At worst each byte is a run of its own.
        if self.run_bytes > 2 * bytes as u64 {
            let message =
                format!("DWA data say {} bytes of run lengths for {bytes}", self.run_bytes);
            return Err(Error::corrupt(message).at_offset(48));
        }
        scratch.bytes.resize(self.run_bytes as usize, 0);
        self.inflate(3, &mut scratch.bytes)?;
        scratch.other_bytes.resize(bytes, 0);
        let place = self.parts[3].0 as u64;
        rle::expand(&scratch.bytes, &mut scratch.other_bytes).map_err(|e| e.at_offset(place))?;
        let mut rest = &scratch.other_bytes[..];
        for lane in lanes.iter().filter(|l| self.plan.schemes[l.channel] == Scheme::Rle) {
            let samples = lane.samples * lane.rows.len();
            for byte in 0..lane.row_bytes / lane.samples.max(1) {
                let (plane, more) = rest.split_at(samples);
                rest = more;
                for (start, plane) in lane.rows.iter().zip(plane.chunks_exact(lane.samples)) {
                    let row = &mut out[*start..][..lane.row_bytes];
                    let places = row[byte..].iter_mut().step_by(lane.row_bytes / lane.samples);
                    places.zip(plane).for_each(|(to, from)| *to = *from);
                }
            }
        }
        Ok(())
    }
}

/// What is left of the frequencies.
struct Frequencies<'a> {
    all: &'a [u16],
    firsts: &'a [u16],
}

impl Frequencies<'_> {
    /// One block's, but for the first, at their places; says whether there are any but zeros.
    fn block(&mut self, values: &mut DctBlock) -> Result<bool, &'static str> {
        let (mut place, mut any) = (1, false);
        while place < 64 {
            let Some((value, rest)) = self.all.split_first() else {
                return Err("DWA frequencies end early");
            };
            self.all = rest;
            match value.checked_sub(ZEROS) {
                Some(0) => break,
                Some(zeros) => place += usize::from(zeros),
                None => {
                    values[usize::from(ZIGZAG[place])] = half_to_float(*value);
                    any = true;
                    place += 1;
                }
            }
        }
        Ok(any)
    }
}

/// Unpacks one channel or three.
fn unpack_group<const N: usize>(
    block: &Block,
    lanes: [&ChannelLane; N],
    rest: &mut Frequencies,
    out: &mut [u8],
) -> Result<(), &'static str> {
    let (across, down) = blocks(lanes[0]);
    let count = across * down;
    let (firsts, more) = rest.firsts.split_at(N * count);
    rest.firsts = more;
    let straight = N == 1 && block.channels[lanes[0].channel].linear;
    let light = (!straight).then_some(&*CURVES.light);
    for place in 0..count {
        let mut values = [[0f32; 64]; N];
        let mut flat = true;
        for (component, values) in values.iter_mut().enumerate() {
            let first = half_to_float(firsts[component * count + place]);
            if rest.block(values)? {
                values[0] = first;
                transform::inverse(values);
                flat = false;
            } else {
                values.fill(transform::inverse_flat(first));
            }
        }
        if let Ok(colours) = <&mut [DctBlock; 3]>::try_from(&mut values[..]) {
            transform::from_chroma(colours);
        }
        let (x, y) = (place % across * 8, place / across * 8);
        for (lane, values) in lanes.iter().zip(&values) {
            let pixel_type = block.channels[lane.channel].pixel_type;
            let mut halves = [0; 64];
            if flat {
                finish(&values[..1], light, &mut halves[..1]);
                halves = [halves[0]; 64];
            } else {
                finish(values, light, &mut halves);
            }
            for (start, row) in lane.rows[y..].iter().zip(halves.as_chunks::<8>().0) {
                let to = &mut out[*start..][..lane.row_bytes][x * pixel_type.bytes()..];
                store(pixel_type, row, to);
            }
        }
    }
    Ok(())
}

/// Values to halves, and these through a curve.
fn finish(values: &[f32], light: Option<&[u16; 1 << 16]>, halves: &mut [u16]) {
    for (half, value) in halves.iter_mut().zip(values) {
        *half = if value.is_nan() { NAN } else { float_to_half(*value) };
    }
    if let Some(light) = light {
        for half in halves {
            *half = light[usize::from(*half)];
        }
    }
}

/// Up to eight samples of a row.
fn store(pixel_type: PixelType, halves: &[u16; 8], to: &mut [u8]) {
    if pixel_type == PixelType::Half {
        for (to, half) in to.as_chunks_mut().0.iter_mut().zip(halves) {
            *to = half.to_le_bytes();
        }
    } else {
        for (to, half) in to.as_chunks_mut().0.iter_mut().zip(halves) {
            *to = half_to_float(*half).to_le_bytes();
        }
    }
}

/// Appends a packed chunk; a higher `level` loses more.
pub(crate) fn encode(block: &Block, level: f32, raw: &[u8], out: &mut Vec<u8>) -> Result<()> {
    let lanes = layout::lanes(block);
    let start = out.len();
    out.resize(start + 8 * NUMBERS, 0);
    let plan = ChannelSchemes::write(block, out);
    SCRATCH.with_borrow_mut(|scratch| {
        let unknown = bytes_of(&plan, &lanes, Scheme::Unknown);
        let unknown_packed = measured(out, |out| {
            if unknown > 0 {
                gather(&plan, &lanes, Scheme::Unknown, raw, &mut scratch.bytes);
                deflate::pack(&scratch.bytes, DEFLATE_LEVEL, out);
            }
        });
        let tolerances = Tolerances::of_level(level);
        scratch.frequencies.clear();
        scratch.firsts.clear();
        for group in groups(&plan) {
            let lanes: Vec<&ChannelLane> = group.iter().map(|c| &lanes[*c]).collect();
            match lanes[..] {
                [lane] => pack_group(block, [lane], &tolerances, raw, scratch),
                [r, g, b] => pack_group(block, [r, g, b], &tolerances, raw, scratch),
                _ => unreachable!("groups have one channel or three"),
            }
        }
        let packed = measured(out, |out| {
            huffman::encode(&mut scratch.encoder, &scratch.frequencies, out);
        });
        let firsts_packed = measured(out, |out| {
            if !scratch.firsts.is_empty() {
                scratch.bytes.clear();
                scratch.bytes.extend(scratch.firsts.iter().flat_map(|f| f.to_le_bytes()));
                scratch.other_bytes.resize(scratch.bytes.len(), 0);
                halves::split(&scratch.bytes, &mut scratch.other_bytes);
                deflate::pack(&scratch.other_bytes, deflate::DEFAULT_LEVEL, out);
            }
        });
        let runs = bytes_of(&plan, &lanes, Scheme::Rle);
        scratch.other_bytes.clear();
        let runs_packed = measured(out, |out| {
            if runs > 0 {
                gather(&plan, &lanes, Scheme::Rle, raw, &mut scratch.bytes);
                rle::shrink(&scratch.bytes, &mut scratch.other_bytes);
                deflate::pack(&scratch.other_bytes, DEFLATE_LEVEL, out);
            }
        });
        let numbers = [
            2,
            unknown,
            unknown_packed,
            packed,
            firsts_packed,
            runs_packed,
            scratch.other_bytes.len(),
            runs,
            scratch.frequencies.len(),
            scratch.firsts.len(),
            0,
        ];
        for (to, number) in out[start..].as_chunks_mut::<8>().0.iter_mut().zip(numbers) {
            *to = (number as u64).to_le_bytes();
        }
        Ok(())
    })
}

/// How many bytes `append` appends.
fn measured(out: &mut Vec<u8>, append: impl FnOnce(&mut Vec<u8>)) -> usize {
    let before = out.len();
    append(out);
    out.len() - before
}

/// All samples of the channels with this scheme: row by row, or with run lengths byte by byte.
fn gather(
    plan: &ChannelSchemes,
    lanes: &[ChannelLane],
    scheme: Scheme,
    raw: &[u8],
    out: &mut Vec<u8>,
) {
    out.clear();
    for lane in lanes.iter().filter(|l| plan.schemes[l.channel] == scheme) {
        let rows = || lane.rows.iter().map(|start| &raw[*start..][..lane.row_bytes]);
        if scheme == Scheme::Unknown {
            rows().for_each(|row| out.extend_from_slice(row));
            continue;
        }
        let bytes = lane.row_bytes / lane.samples.max(1);
        for byte in 0..bytes {
            rows().for_each(|row| out.extend(row[byte..].iter().step_by(bytes)));
        }
    }
}

/// Transforms one channel or three.
fn pack_group<const N: usize>(
    block: &Block,
    lanes: [&ChannelLane; N],
    tolerances: &[Tolerances; 2],
    raw: &[u8],
    scratch: &mut DwaScratch,
) {
    let (across, down) = blocks(lanes[0]);
    let count = across * down;
    let straight = N == 1 && block.channels[lanes[0].channel].linear;
    let bent = (!straight).then_some(&*CURVES.bent);
    let firsts = scratch.firsts.len();
    scratch.firsts.resize(firsts + N * count, 0);
    for place in 0..count {
        let (x, y) = (place % across * 8, place / across * 8);
        let mut values = lanes.map(|lane| {
            let pixel_type = block.channels[lane.channel].pixel_type;
            std::array::from_fn(|i| {
                let column = mirrored(x + i % 8, lane.samples);
                let row = lane.rows[mirrored(y + i / 8, lane.rows.len())];
                let bits = load(pixel_type, &raw[row..][column * pixel_type.bytes()..]);
                half_to_float(bent.map_or(bits, |bent| bent[usize::from(bits)]))
            })
        });
        if let Ok(colours) = <&mut [DctBlock; 3]>::try_from(&mut values[..]) {
            transform::to_chroma(colours);
        }
        for (component, values) in values.iter_mut().enumerate() {
            transform::forward(values);
            let halves = quantize::quantize(values, &tolerances[component.min(1)]);
            scratch.firsts[firsts + component * count + place] = halves[0];
            put_block(&halves, &mut scratch.frequencies);
        }
    }
}

/// Where a place beyond the end mirrors.
fn mirrored(place: usize, length: usize) -> usize {
    if place < length { place } else { (2 * length - 1).checked_sub(place).unwrap_or(length - 1) }
}

/// One sample as a half.
fn load(pixel_type: PixelType, from: &[u8]) -> u16 {
    if pixel_type == PixelType::Half {
        return u16::from_le_bytes([from[0], from[1]]);
    }
    let number = f32::from_le_bytes([from[0], from[1], from[2], from[3]]);
    float_to_half(number.clamp(-65504.0, 65504.0))
}

/// All but the first frequency of a block, with counts of zeros.
fn put_block(halves: &[u16; 64], out: &mut Vec<u16>) {
    let mut rest = &halves[1..];
    while let Some(first) = rest.first() {
        let zeros = rest.iter().position(|half| *half != 0).unwrap_or(rest.len());
        match zeros {
            0 | 1 => out.push(*first),
            _ if zeros == rest.len() => out.push(ZEROS),
            _ => out.push(ZEROS | zeros as u16),
        }
        rest = &rest[zeros.max(1)..];
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::{self, ChunkContent};
    use super::*;

    fn encode_45(block: &Block, raw: &[u8], out: &mut Vec<u8>) -> Result<()> {
        encode(block, DEFAULT_LEVEL, raw, out)
    }

    #[test]
    fn smooth_pixels_stay_near() {
        samples::each(|case| {
            let packed = samples::pack(encode_45, &case);
            let back = samples::unpack(decode, &case, &packed).unwrap();
            let mut at = 0;
            for (channel, samples) in layout::rows(&case.block()) {
                let channel = &case.channels[channel];
                for _ in 0..samples {
                    let bytes = at..at + channel.pixel_type.bytes();
                    at = bytes.end;
                    if channel.pixel_type != PixelType::Half || case.content != ChunkContent::Smooth
                    {
                        continue;
                    }
                    let [a, b] = [&case.raw, &back]
                        .map(|raw| half_to_float(load(PixelType::Half, &raw[bytes.clone()])));
                    assert!((a - b).abs() < 0.02, "{case}: {a} became {b}");
                }
            }
        });
    }

    #[test]
    fn pixels_are_the_references() {
        assert_eq!(samples::hash_of_all(encode_45, Some(decode)), 0x29ed_c8dc_9edd_cce1);
    }

    #[test]
    fn broken_chunks_are_errors() {
        samples::broken(encode_45, decode);
    }
}
