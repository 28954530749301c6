//! Chunks of made-up pixels for the tests of all methods.

use std::fmt;
use std::ops::Range;

use solio_base::Result;
use solio_codec::samples::float_to_half;

use crate::{Block, Channel, PixelType};

/// A chunk and what it holds.
#[derive(Clone)]
pub(crate) struct ChunkCase {
    pub(crate) content: ChunkContent,
    pub(crate) channels: Vec<Channel>,
    pub(crate) x: Range<i32>,
    pub(crate) y: Range<i32>,
    pub(crate) raw: Vec<u8>,
}

/// What the pixels show.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ChunkContent {
    Smooth,
    Grainy,
    Noise,
    Constant,
    /// NaN, infinities, subnormals, both zeros, the largest numbers.
    Special,
    /// Few different values in runs.
    Runs,
}

pub(crate) const CONTENTS: [ChunkContent; 6] = [
    ChunkContent::Smooth,
    ChunkContent::Grainy,
    ChunkContent::Noise,
    ChunkContent::Constant,
    ChunkContent::Special,
    ChunkContent::Runs,
];

impl fmt::Display for ChunkCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {:?} x {:?}:", self.content, self.x, self.y)?;
        for c in &self.channels {
            let linear = if c.linear { " linear" } else { "" };
            write!(f, " {} {:?}{linear} {}x{}", c.name, c.pixel_type, c.x_sampling, c.y_sampling)?;
        }
        Ok(())
    }
}

impl ChunkCase {
    pub(crate) fn block(&self) -> Block<'_> {
        Block { channels: &self.channels, x: self.x.clone(), y: self.y.clone() }
    }

    pub(crate) fn new(
        content: ChunkContent,
        channels: &[Channel],
        x: Range<i32>,
        y: Range<i32>,
    ) -> ChunkCase {
        let mut case = ChunkCase { content, channels: channels.to_vec(), x, y, raw: Vec::new() };
        let mut random = SampleRandom(case.x.len() as u64 * 31 + case.y.len() as u64);
        let mut raw = Vec::new();
        for y in case.y.clone() {
            for (index, channel) in case.channels.iter().enumerate() {
                if y % channel.y_sampling != 0 {
                    continue;
                }
                for x in case.x.clone().filter(|x| x % channel.x_sampling == 0) {
                    sample(
                        content,
                        channel.pixel_type,
                        [x, y, index as i32],
                        &mut random,
                        &mut raw,
                    );
                }
            }
        }
        case.raw = raw;
        case
    }
}

fn sample(
    content: ChunkContent,
    kind: PixelType,
    [x, y, c]: [i32; 3],
    random: &mut SampleRandom,
    raw: &mut Vec<u8>,
) {
    let smooth = sine((x as f32 + 3.0 * c as f32) * 0.11) * 0.4 + cosine_of_row(y) * 0.3 + 0.8;
    let bits = match content {
        ChunkContent::Noise => random.next() as u32,
        ChunkContent::Special => SPECIAL[random.next() as usize % SPECIAL.len()],
        _ => 0,
    };
    let value = match content {
        ChunkContent::Grainy => smooth + (random.next() % 1000) as f32 * 1e-5,
        ChunkContent::Constant => 0.25 + c as f32,
        ChunkContent::Runs => ((x + y * 3) / 17 % 5) as f32 * 0.5,
        _ => smooth,
    };
    let from_bits = matches!(content, ChunkContent::Noise | ChunkContent::Special);
    match kind {
        PixelType::Uint if from_bits => raw.extend(bits.to_le_bytes()),
        PixelType::Uint => raw.extend(((value * 1000.0) as u32).to_le_bytes()),
        PixelType::Half if content == ChunkContent::Noise => {
            raw.extend((bits as u16).to_le_bytes())
        }
        PixelType::Half if from_bits => {
            raw.extend(((bits >> 16) as u16 | bits as u16).to_le_bytes())
        }
        PixelType::Half => raw.extend(float_to_half(value).to_le_bytes()),
        PixelType::Float if from_bits => raw.extend(bits.to_le_bytes()),
        PixelType::Float => raw.extend(value.to_le_bytes()),
    }
}

/// Rounded from more bits than any C library gets wrong: `f32::sin` differs in the last bit between systems,
/// and the references' digests are of one pattern.
fn sine(angle: f32) -> f32 {
    f64::from(angle).sin() as f32
}

/// As above; in these rows the pattern that the references packed is the second nearest number.
fn cosine_of_row(y: i32) -> f32 {
    let nearest = f64::from(y as f32 * 0.07).cos() as f32;
    match y.abs() {
        21 => nearest.next_up(),
        64 => nearest.next_down(),
        _ => nearest,
    }
}

/// Bits of floats, and in their upper or lower half of halves.
const SPECIAL: [u32; 16] = [
    0,
    0x8000_0000,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0x7f80_0001,
    0x7f7f_ffff,
    0xff7f_ffff,
    0x0000_0001,
    0x8000_0001,
    0x7c00_0000,
    0xfc00_0000,
    0x7bff_0000,
    0xfbff_0000,
    0x7e01_0000,
    0x3c00_0000,
];

/// A small generator of numbers, the same ones each time.
pub(crate) struct SampleRandom(pub(crate) u64);

impl SampleRandom {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
}

/// A channel.
pub(crate) fn channel(name: &str, pixel_type: PixelType, linear: bool, sampling: i32) -> Channel {
    Channel { name: name.into(), pixel_type, linear, x_sampling: sampling, y_sampling: sampling }
}

/// Sets of channels: alone, mixed, subsampled, linear, none.
pub(crate) fn channel_sets() -> Vec<Vec<Channel>> {
    use PixelType::{Float, Half, Uint};
    let plain = |names: &[(&str, PixelType)]| -> Vec<Channel> {
        names.iter().map(|(n, t)| channel(n, *t, false, 1)).collect()
    };
    vec![
        plain(&[("Y", Half)]),
        plain(&[("Z", Float)]),
        plain(&[("id", Uint)]),
        plain(&[("A", Half), ("B", Half), ("G", Half), ("R", Half)]),
        plain(&[("A", Float), ("B", Float), ("G", Float), ("R", Float), ("Z", Float)]),
        plain(&[("A", Half), ("B", Float), ("G", Half), ("R", Float), ("id", Uint)]),
        vec![
            channel("BY", Half, false, 2),
            channel("RY", Half, false, 2),
            channel("Y", Half, false, 1),
            channel("depth", Float, false, 4),
        ],
        vec![channel("B", Half, true, 1), channel("lin.Y", Half, true, 1)],
        vec![channel("a.A", Uint, false, 2), channel("a.RY", Float, true, 1)],
        vec![],
    ]
}

/// Sizes of chunks, with odd ones and single pixels; the places divide by 4 for the subsampled.
pub(crate) const WINDOWS: [(Range<i32>, Range<i32>); 9] = [
    (0..1, 0..1),
    (0..7, 0..1),
    (-4..1, -8..8),
    (0..8, 0..32),
    (0..13, 64..81),
    (-12..57, -32..0),
    (4..70, 0..3),
    (0..64, 0..8),
    (0..33, 32..64),
];

/// Calls `check` with each case of the matrix.
pub(crate) fn each(mut check: impl FnMut(ChunkCase)) {
    for channels in channel_sets() {
        for (x, y) in WINDOWS {
            for content in CONTENTS {
                check(ChunkCase::new(content, &channels, x.clone(), y.clone()));
            }
        }
    }
}

type Encode = fn(&Block, &[u8], &mut Vec<u8>) -> Result<()>;
type DecodeChunk = fn(&Block, &[u8], &mut [u8]) -> Result<()>;

pub(crate) fn pack(encode: Encode, case: &ChunkCase) -> Vec<u8> {
    let mut packed = b"head".to_vec();
    encode(&case.block(), &case.raw, &mut packed).unwrap();
    assert_eq!(&packed[..4], b"head", "encoders append");
    packed.split_off(4)
}

pub(crate) fn unpack(decode: DecodeChunk, case: &ChunkCase, packed: &[u8]) -> Result<Vec<u8>> {
    let mut out = vec![0xa5; case.raw.len()];
    decode(&case.block(), packed, &mut out)?;
    Ok(out)
}

/// Chunks cut short, with bits turned over and with noise: errors or other pixels, no panic.
pub(crate) fn broken(encode: Encode, decode: DecodeChunk) {
    let mut random = SampleRandom(4);
    for channels in channel_sets() {
        for content in [ChunkContent::Grainy, ChunkContent::Runs] {
            let case = ChunkCase::new(content, &channels, 0..19, 0..12);
            let packed = pack(encode, &case);
            for length in 0..packed.len() {
                let _ = unpack(decode, &case, &packed[..length]);
            }
            for _ in 0..256.min(packed.len() * 8) {
                let mut bent = packed.clone();
                let bit = random.next() as usize % (8 * bent.len());
                bent[bit / 8] ^= 1 << (bit % 8);
                let _ = unpack(decode, &case, &bent);
                let byte = random.next() as usize % bent.len();
                bent[byte] = random.next() as u8;
                bent.extend_from_slice(&[0, 255]);
                let _ = unpack(decode, &case, &bent);
            }
        }
    }
}

/// A short name of bytes, for known answers (FNV-1a, 64 bits).
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// The hash of the packed chunks of all cases, or with `decode` of the pixels that they hold. The
/// known answers were taken when each chunk and its pixels equalled those of OpenEXR 3.5.3, whose
/// C library was given the same cases (those whose size divides by the sampling rates).
pub(crate) fn hash_of_all(encode: Encode, decode: Option<DecodeChunk>) -> u64 {
    let mut all = Vec::new();
    each(|case| {
        if !case.raw.is_empty() {
            let packed = pack(encode, &case);
            let pixels = decode.map(|decode| unpack(decode, &case, &packed).unwrap());
            all.extend(hash(&pixels.unwrap_or(packed)).to_le_bytes());
        }
    });
    hash(&all)
}
