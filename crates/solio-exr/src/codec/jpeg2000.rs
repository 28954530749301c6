//! HTJ2K: high-throughput JPEG 2000 without loss, of half samples; reading only.
//!
//! | bytes | what |
//! |---|---|
//! | 2 | `HT` |
//! | 4 | bytes of the next two fields |
//! | 2 | number of channels |
//! | 2 each | the channel that each component of the codestream is |
//! | | a JPEG 2000 codestream |
//!
//! These numbers are big-endian. In the codestream a half is a signed number of 16 bits; a marker
//! segment of part 2 (NLT, type 3) says that negative ones are turned round, so that numbers rise
//! as halves do. The library knows neither signs nor NLT: it sees unsigned numbers, which are the
//! same code, and what concerns both is taken out of its header.
//!
//! It computes in 32-bit floats, which hold what becomes of 16 bits in five levels of the wavelet
//! and the colour transform; of 32 bits they do not, so that those are refused.

use std::panic::catch_unwind;

use dicom_toolkit_jpeg2000::{DecodeSettings, Image};
use solio_base::{Error, Result};

use super::layout::{self, ChannelLane};
use crate::{Block, PixelType};

/// Start of a codestream, and of its parts.
const START: [u8; 2] = [0xff, 0x4f];
const SIZE: [u8; 2] = [0xff, 0x51];
const CODING: [u8; 2] = [0xff, 0x52];
const LENGTHS: [u8; 2] = [0xff, 0x55];
const COMMENT: [u8; 2] = [0xff, 0x64];
const NONLINEAR: [u8; 2] = [0xff, 0x76];
const TILE: [u8; 2] = [0xff, 0x90];

/// Depth and sign of a component, as SIZ and NLT have them.
const SIGNED_16: u8 = 0x8f;
const UNSIGNED_16: u8 = 0x0f;

/// NLT: negative numbers are turned round.
const TURNED: u8 = 3;

/// The reference writes five levels and one layer.
const MOST_LEVELS: u8 = 5;
const MOST_LAYERS: u16 = 32;

/// How many channels the library takes for colours.
const CHANNELS: [usize; 3] = [1, 3, 4];

/// What the components are: lanes of the same size.
struct ComponentLanes {
    lanes: Vec<ChannelLane>,
    width: usize,
    height: usize,
}

impl ComponentLanes {
    /// Refuses what the library has no numbers for.
    fn new(block: &Block<'_>) -> Result<ComponentLanes> {
        if !is_read(block.channels) {
            let message = "htj2k is only supported for 1, 3 or 4 channels of halves";
            return Err(Error::unsupported(message));
        }
        let lanes = layout::lanes(block);
        let (width, height) = lanes.first().map_or((0, 0), |l| (l.samples, l.rows.len()));
        Ok(ComponentLanes { lanes, width, height })
    }
}

/// Whether the library has numbers for these channels.
pub(super) fn is_read(channels: &[crate::Channel]) -> bool {
    let half =
        |c: &crate::Channel| (c.pixel_type, c.x_sampling, c.y_sampling) == (PixelType::Half, 1, 1);
    channels.iter().all(half) && CHANNELS.contains(&channels.len())
}

/// Unpacks a chunk.
pub(super) fn decode(block: &Block<'_>, input: &[u8], out: &mut [u8]) -> Result<()> {
    let planes = ComponentLanes::new(block)?;
    if out.is_empty() {
        return Ok(());
    }
    let (map, at) = read_map(input, planes.lanes.len())?;
    let place = |e: Error| {
        let offset = at as u64 + e.offset().unwrap_or(0);
        e.at_offset(offset)
    };
    let stream = Codestream::read(&input[at..], &planes).map_err(place)?;
    let damaged = || Error::corrupt("JPEG 2000 data are damaged").at_offset(at as u64);
    let bitmap = catch_unwind(|| {
        let image = Image::new(&stream.bytes, &DecodeSettings::default()).ok()?;
        image.decode_native().ok()
    });
    let bitmap = bitmap.ok().flatten().ok_or_else(damaged)?;
    let components = map.len();
    if bitmap.bit_depth != 16 || bitmap.data.len() != out.len() {
        return Err(damaged());
    }
    let pixels = bitmap.data.as_chunks::<2>().0;
    for (component, channel) in map.iter().enumerate() {
        let lane = &planes.lanes[*channel];
        let turned = stream.turned[component];
        for (row, start) in pixels.chunks_exact(planes.width * components).zip(&lane.rows) {
            let to = out[*start..][..lane.row_bytes].as_chunks_mut::<2>().0;
            for (to, from) in to.iter_mut().zip(row.iter().skip(component).step_by(components)) {
                let number = u16::from_le_bytes(*from) ^ 0x8000;
                let bits = if turned { turn(number) } else { number };
                *to = bits.to_le_bytes();
            }
        }
    }
    Ok(())
}

/// Turns negative numbers round.
fn turn(bits: u16) -> u16 {
    if bits & 0x8000 == 0 { bits } else { !bits | 0x8000 }
}

/// The channel of each component, and where the codestream starts.
fn read_map(input: &[u8], channels: usize) -> Result<(Vec<usize>, usize)> {
    let fail = |message: &str, at: u64| Error::corrupt(message).at_offset(at);
    let Some([b'H', b'T', a, b, c, d, e, f]) = input.first_chunk() else {
        return Err(fail("the chunk does not start as HTJ2K does", 0));
    };
    let length = u32::from_be_bytes([*a, *b, *c, *d]) as usize;
    let count = usize::from(u16::from_be_bytes([*e, *f]));
    if count != channels || length < 2 + 2 * count || length > input.len() - 6 {
        return Err(fail("the channel map of an HTJ2K chunk does not fit", 2));
    }
    let mut map = Vec::with_capacity(count);
    for entry in input[8..8 + 2 * count].as_chunks::<2>().0 {
        let channel = usize::from(u16::from_be_bytes(*entry));
        if channel >= channels || map.contains(&channel) {
            return Err(fail("the channel map of an HTJ2K chunk is damaged", 8));
        }
        map.push(channel);
    }
    Ok((map, 6 + length))
}

/// A codestream as the library knows them.
struct Codestream {
    bytes: Vec<u8>,
    /// Of each component, whether negative numbers are turned round.
    turned: Vec<bool>,
}

impl Codestream {
    /// Takes out what the library does not know, and refuses what does not belong to the chunk.
    fn read(input: &[u8], planes: &ComponentLanes) -> Result<Codestream> {
        let fail = |message: &str, at: usize| Err(Error::corrupt(message).at_offset(at as u64));
        if input.first_chunk() != Some(&START) {
            return fail("no JPEG 2000 codestream", 0);
        }
        let mut stream =
            Codestream { bytes: START.into(), turned: vec![false; planes.lanes.len()] };
        let mut at = 2;
        loop {
            let Some([a, b, c, d]) = input[at..].first_chunk() else {
                return fail("the header of the codestream ends early", at);
            };
            let marker = [*a, *b];
            if marker == TILE {
                break;
            }
            let end = at + 2 + usize::from(u16::from_be_bytes([*c, *d]));
            let Some(data) = input.get(at + 4..end) else {
                return fail("a segment of the codestream ends early", at);
            };
            if (at == 2) != (marker == SIZE) {
                return fail("the codestream does not start with its size", at);
            }
            let kept = stream.bytes.len();
            stream.bytes.extend_from_slice(&input[at..end]);
            let fits = match marker {
                SIZE => size_fits(&mut stream.bytes[kept + 4..], planes),
                CODING => coding_fits(data),
                NONLINEAR => stream.nonlinear(data),
                _ => true,
            };
            if !fits {
                return fail("the codestream is not one of the chunk", at);
            }
            if [LENGTHS, COMMENT, NONLINEAR].contains(&marker) {
                stream.bytes.truncate(kept);
            }
            at = end;
        }
        stream.bytes.extend_from_slice(&input[at..]);
        Ok(stream)
    }

    /// Notes which components are turned round.
    fn nonlinear(&mut self, data: &[u8]) -> bool {
        let &[a, b, SIGNED_16, TURNED] = data else { return false };
        match u16::from_be_bytes([a, b]) {
            0xffff => self.turned.fill(true),
            component => match self.turned.get_mut(usize::from(component)) {
                Some(turned) => *turned = true,
                None => return false,
            },
        }
        true
    }
}

/// Whether a segment SIZ is that of these planes in one tile; makes its components unsigned.
fn size_fits(data: &mut [u8], planes: &ComponentLanes) -> bool {
    let Some((head, components)) = data.split_first_chunk_mut::<36>() else { return false };
    let numbers = head[2..34].as_chunks::<4>().0;
    let number = |i: usize| u32::from_be_bytes(numbers[i]) as usize;
    let (width, height) = (planes.width, planes.height);
    let one_tile = number(4) >= width && number(5) >= height;
    let at_zero = [2, 3, 6, 7].iter().all(|i| number(*i) == 0);
    let fits = (number(0), number(1)) == (width, height) && one_tile && at_zero;
    let (components, odd) = components.as_chunks_mut::<3>();
    let same = components.iter().all(|c| *c == [SIGNED_16, 1, 1]);
    components.iter_mut().for_each(|c| c[0] = UNSIGNED_16);
    let count = usize::from(u16::from_be_bytes([head[34], head[35]]));
    fits && same && odd.is_empty() && [count, components.len()] == [planes.lanes.len(); 2]
}

/// Whether a segment COD is like those of the reference: no precincts, few levels and layers.
fn coding_fits(data: &[u8]) -> bool {
    matches!(data, [style, _, a, b, _, levels, ..]
        if style & 1 == 0
            && *levels <= MOST_LEVELS
            && (1..=MOST_LAYERS).contains(&u16::from_be_bytes([*a, *b])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Channel;

    /// What OpenEXR 3.5.3 made of 40 × 24 pixels of -1.5, but for 2 in row 2, column 3, and -0.25
    /// in row 7, column 5.
    const REFERENCE: &str = "
        48540000000400010000ff4fff510029c20000000028000000180000000000000000000000280000
        0018000000000000000000018f0101ff50000800020000000aff52000c00020001000505034001ff
        5c00132088909090909090909090909090888888ff76000600008f03ff64001700014f70656e4a50
        482056657220302e33322e302eff550028006000000000001a00000000002a00000000002f000000
        00003a00000000004d00000000004cff90000a00000000001a0006ff93c0002a002ffa5cfe012234
        00ff90000a00000000002a0106ff93c00012c00013c00013006b0187740003eaf902817400dafc02
        877400ff90000a00000000002f0206ff93c000153000054400013097ac5530f00103340017a9f841
        23d17500b80c01817400ff90000a00000000003a0306ff93c00015d0000554000154e4548f380010
        05f0600e3093360038914d96600040bd960009921c04fe600c499500ff90000a00000000004d0406
        ff93c000168c00016ac00015c0e26a3feef621248098f07e001a2890b700c24e1a386c4712761a26
        7c323f830b703300be9900866d1a877d1a4e4f7f0e3890b600ff90000a00000000004c0506ff93c0
        002d380005a70000aeff3e00bdbff7c79f7ffc51fc53811c6a025b007fff77ff7edffb933ffd3ffc
        0660a503d27900ff7dff5eff7c7ffc1c1f24027800ffd9
    ";

    fn channels(names: &[&str]) -> Vec<Channel> {
        let channel = |name: &&str| Channel::new(*name, PixelType::Half);
        names.iter().map(channel).collect()
    }

    fn reference() -> Vec<u8> {
        let digits: Vec<u8> = REFERENCE.bytes().filter(|b| !b.is_ascii_whitespace()).collect();
        let byte =
            |pair: &[u8; 2]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
        digits.as_chunks().0.iter().map(byte).collect()
    }

    fn unpack(block: &Block<'_>, packed: &[u8]) -> Result<Vec<u8>> {
        let mut out = vec![0; block.bytes() as usize];
        decode(block, packed, &mut out).map(|()| out)
    }

    #[test]
    fn the_references_chunk_is_read() {
        let channels = channels(&["Y"]);
        let block = Block { channels: &channels, x: 0..40, y: 0..24 };
        let mut expected = vec![0xbe00u16; 40 * 24];
        expected[2 * 40 + 3] = 0x4000;
        expected[7 * 40 + 5] = 0xb400;
        let expected: Vec<u8> = expected.iter().flat_map(|v| v.to_le_bytes()).collect();
        assert!(unpack(&block, &reference()).unwrap() == expected);
    }

    #[test]
    fn damaged_chunks_are_errors_or_pixels() {
        let channels = channels(&["Y"]);
        let block = Block { channels: &channels, x: 0..40, y: 0..24 };
        let packed = reference();
        for length in 0..packed.len() - 3 {
            let _ = unpack(&block, &packed[..length]);
        }
        for bit in 0..8 * packed.len() {
            let mut other = packed.clone();
            other[bit / 8] ^= 1 << (bit % 8);
            if let Err(e) = unpack(&block, &other) {
                assert!(e.offset().is_some(), "{e}");
            }
        }
    }
}
