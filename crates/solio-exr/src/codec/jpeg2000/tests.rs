//! Whole chunks: the reference's, ours, and damaged ones.

use solio_base::{ErrorKind, Result};
use solio_codec::samples::half_to_float;

use super::{Jpeg2000Reader, Jpeg2000Writer, check, decode, encode};
use crate::codec::samples::{CONTENTS, ChunkCase, ChunkContent, channel_sets};
use crate::{Block, Channel, Compression, PixelType};

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
    let byte = |pair: &[u8; 2]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    digits.as_chunks().0.iter().map(byte).collect()
}

fn unpack(method: Compression, block: &Block<'_>, packed: &[u8]) -> Result<Vec<u8>> {
    let mut raw = Vec::new();
    decode(method, block, packed, &mut raw, &mut Jpeg2000Reader::default()).map(<[u8]>::to_vec)
}

fn pack(method: Compression, quality: f32, case: &ChunkCase) -> Vec<u8> {
    let (mut out, mut writer) = (Vec::new(), Jpeg2000Writer::default());
    encode(method, quality, &case.block(), &case.raw, &mut out, &mut writer).unwrap();
    out
}

#[test]
fn the_references_chunk_is_read() {
    let channels = channels(&["Y"]);
    let block = Block { channels: &channels, x: 0..40, y: 0..24 };
    let mut expected = vec![0xbe00u16; 40 * 24];
    expected[2 * 40 + 3] = 0x4000;
    expected[7 * 40 + 5] = 0xb400;
    let expected: Vec<u8> = expected.iter().flat_map(|v| v.to_le_bytes()).collect();
    assert!(unpack(Compression::Htj2k256, &block, &reference()).unwrap() == expected);
}

#[test]
fn chunks_without_loss_come_back() {
    let mut stored = 0;
    for content in CONTENTS {
        for channels in channel_sets() {
            for (x, y) in [(0..4, 0..4), (-8..32, 4..8), (0..200, -4..60), (4..8, 0..256)] {
                let case = ChunkCase::new(content, &channels, x, y);
                let packed = pack(Compression::Htj2k256, 0.0, &case);
                if packed == case.raw {
                    stored += 1;
                    continue;
                }
                check(Compression::Htj2k256, &case.block(), &packed).unwrap();
                let again = unpack(Compression::Htj2k256, &case.block(), &packed);
                assert!(again.unwrap() == case.raw, "{case}");
            }
        }
    }
    // Chunks without channels.
    assert_eq!(stored, 24);
}

/// A chunk of a smooth colour, and what is not one.
fn color(names: &[&str], pixel_type: PixelType) -> ChunkCase {
    let channels: Vec<Channel> = names.iter().map(|name| Channel::new(*name, pixel_type)).collect();
    ChunkCase::new(ChunkContent::Smooth, &channels, 0..53, 0..70)
}

/// The largest error of the samples of `case`, which are halves or floats.
fn error(case: &ChunkCase, again: &[u8]) -> f32 {
    let number = |bytes: &[u8]| match *bytes {
        [a, b] => half_to_float(u16::from_le_bytes([a, b])),
        [a, b, c, d] => f32::from_le_bytes([a, b, c, d]),
        _ => unreachable!("a sample has two bytes or four"),
    };
    let bytes = case.channels[0].pixel_type.bytes();
    let pairs = case.raw.chunks(bytes).zip(again.chunks(bytes));
    pairs.map(|(a, b)| (number(a) - number(b)).abs()).fold(0.0, f32::max)
}

#[test]
fn colours_with_loss_come_back_near() {
    for pixel_type in [PixelType::Half, PixelType::Float] {
        let case = color(&["B", "G", "R"], pixel_type);
        let mut sizes = Vec::new();
        for (quality, most) in [(50.0, 0.2), (96.0, 0.1), (110.0, 0.02), (150.0, 0.001)] {
            let packed = pack(Compression::Lj2k, quality, &case);
            let again = unpack(Compression::Lj2k, &case.block(), &packed).unwrap();
            let error = error(&case, &again);
            let some = error > 0.0 || quality > 110.0;
            assert!(some && error <= most, "{pixel_type:?} at {quality}: {error}");
            sizes.push(packed.len());
        }
        assert!(sizes.is_sorted(), "{sizes:?}");
    }
}

#[test]
fn what_is_no_colour_keeps_its_bits() {
    let names: [&[&str]; 4] =
        [&["Y", "Z"], &["crypto00.B", "crypto00.G", "crypto00.R"], &["B", "G"], &["b.B", "G", "R"]];
    for names in names {
        let case = color(names, PixelType::Float);
        let packed = pack(Compression::Lj2k, 50.0, &case);
        assert!(packed.starts_with(b"HL"));
        assert!(
            unpack(Compression::Lj2k, &case.block(), &packed).unwrap() == case.raw,
            "{names:?}"
        );
        // The other methods do not start so.
        let refused = unpack(Compression::Htj2k32, &case.block(), &packed).unwrap_err();
        assert_eq!(refused.offset(), Some(0));
    }
    // Whole numbers called like a colour.
    let case = color(&["B", "G", "R"], PixelType::Uint);
    let packed = pack(Compression::Lj2k, 50.0, &case);
    assert!(unpack(Compression::Lj2k, &case.block(), &packed).unwrap() == case.raw);
}

#[test]
fn samples_that_are_no_numbers_do_not_harm_others() {
    for content in [ChunkContent::Special, ChunkContent::Noise] {
        for pixel_type in [PixelType::Half, PixelType::Float] {
            let channels = ["B", "G", "R"].map(|name| Channel::new(name, pixel_type));
            let case = ChunkCase::new(content, &channels, 0..64, 0..40);
            let packed = pack(Compression::Lj2k, 110.0, &case);
            unpack(Compression::Lj2k, &case.block(), &packed).unwrap();
        }
    }
}

/// Small chunks of all sorts, as they are written.
fn golden() -> Vec<(Compression, ChunkCase, Vec<u8>)> {
    let mut golden = Vec::new();
    for (method, names, pixel_type) in [
        (Compression::Htj2k256, &["Y"][..], PixelType::Half),
        (Compression::Htj2k32, &["A", "B", "G", "R"], PixelType::Float),
        (Compression::Lj2k, &["A", "B", "G", "R"], PixelType::Half),
    ] {
        let channels: Vec<Channel> =
            names.iter().map(|name| Channel::new(*name, pixel_type)).collect();
        let case = ChunkCase::new(ChunkContent::Runs, &channels, 0..20, 0..12);
        let packed = pack(method, 97.0, &case);
        golden.push((method, case, packed));
    }
    golden
}

#[test]
fn damaged_chunks_are_errors_or_pixels() {
    for (method, case, packed) in golden() {
        let block = case.block();
        for length in 0..packed.len() - 3 {
            let e = unpack(method, &block, &packed[..length]).unwrap_err();
            assert!(e.offset().is_some(), "{method:?}, {length} bytes: {e}");
        }
        let mut refused = 0;
        for bit in 0..8 * packed.len() {
            let mut other = packed.clone();
            other[bit / 8] ^= 1 << (bit % 8);
            let known = check(method, &block, &other);
            match unpack(method, &block, &other) {
                // What is known without unpacking is known then, too.
                Ok(_) => known.unwrap(),
                Err(e) => {
                    assert!(e.offset().is_some(), "{method:?}, bit {bit}: {e}");
                    refused += u32::from(known.is_err());
                }
            }
        }
        assert!(refused > 100, "{method:?}: {refused} are known to be damaged");
    }
}

/// The error that comes of `from`, found in a chunk, being `to`.
fn with(from: &[u8], to: &[u8]) -> (ErrorKind, String) {
    let (method, case, mut packed) = golden().swap_remove(2);
    let at = packed.windows(from.len()).position(|window| window == from).unwrap();
    packed.splice(at..at + from.len(), to.iter().copied());
    let e = check(method, &case.block(), &packed).expect_err(&format!("{from:x?} {to:x?}"));
    assert!(e.offset().is_some(), "{e}");
    (e.kind(), e.message().to_owned())
}

#[test]
fn headers_that_lie_are_told_apart() {
    use ErrorKind::{Corrupt, Unsupported};
    let size = |bytes: [u8; 8]| [&[0xff, 0x51, 0, 50, 0xc2, 0][..], &bytes].concat();
    let (width, height) = ([0, 0, 0, 33], [0, 0, 0, 33]);
    let right = size([width, height].concat().try_into().unwrap());
    for (from, to, kind, message) in [
        // Sizes other than those of the chunk, and padded ones.
        (&right[..], &size([0, 0, 0, 32, 0, 0, 0, 33])[..], Corrupt, "a component of 32 × 33"),
        (&right, &size([0, 0, 0, 0, 0, 0, 0, 33]), Corrupt, "no pixels"),
        (&right, &size([0xff; 8]), Unsupported, "several tiles"),
        // Components: their number, their type.
        (&[0, 4, 0x8f, 1, 1], &[0, 3, 0x8f, 1, 1], Corrupt, "3 components, not 4"),
        (&[0, 4, 0x8f, 1, 1], &[0, 4, 0x8f, 0, 1], Corrupt, "sampling rate of 0"),
        (&[0, 4, 0x8f, 1, 1], &[0, 4, 0x9f, 1, 1], Corrupt, "another depth"),
        // Layers, order, levels, sizes of blocks, coder.
        (&[0xff, 0x52, 0, 12, 0], &[0xff, 0x52, 0, 12, 1], Unsupported, "a precinct size"),
        (&[0xff, 0x52, 0, 12, 0, 2], &[0xff, 0x52, 0, 12, 0, 4], Unsupported, "order of packets"),
        (&[0, 2, 0, 1, 1, 5], &[0, 2, 0, 2, 1, 5], Unsupported, "more than one layer"),
        (&[0, 1, 1, 5, 5, 3], &[0, 1, 1, 33, 5, 3], Corrupt, "impossible"),
        (&[1, 5, 5, 3, 0x40], &[1, 5, 9, 9, 0x40], Corrupt, "impossible"),
        (&[1, 5, 5, 3, 0x40], &[1, 5, 5, 3, 0], Unsupported, "other than HT"),
        // COC and QCC of a component that is not there.
        (&[0xff, 0x53, 0, 9, 3], &[0xff, 0x53, 0, 9, 4], Corrupt, "not there"),
        (&[0xff, 0x5d, 0, 20, 3], &[0xff, 0x5d, 0, 20, 9], Corrupt, "not there"),
        // Steps that are too few, or of another kind than the wavelet.
        (
            &[0xff, 0x5d, 0, 20, 3, 0x20],
            &[0xff, 0x5d, 0, 20, 3, 0x22],
            Corrupt,
            "does not fit the wavelet",
        ),
        (
            &[0xff, 0x5d, 0, 20, 3, 0x20],
            &[0xff, 0x5d, 0, 19, 3, 0x20],
            Corrupt,
            "marker is missing",
        ),
        (&[5, 4, 4, 0x40, 1], &[5, 4, 4, 0x40, 0], Corrupt, "does not fit the wavelet"),
        // A curve of another depth, of too few points.
        (
            &[0xff, 0x76, 4, 19, 0, 0, 0x8f],
            &[0xff, 0x76, 4, 19, 0, 0, 0x0f],
            Corrupt,
            "another depth",
        ),
        (&[0x8f, 4, 2, 0], &[0x8f, 4, 2, 1], Corrupt, "too short"),
        // Lengths of tile-parts, and their order.
        (
            &[0xff, 0x55, 0, 40, 0, 0x60, 0, 0, 0, 0],
            &[0xff, 0x55, 0, 40, 0, 0x60, 0, 0, 0, 1],
            Corrupt,
            "TLM",
        ),
        (&[0xff, 0x90, 0, 10, 0, 0], &[0xff, 0x90, 0, 10, 0, 1], Corrupt, "out of order"),
        (&[0xff, 0x90, 0, 10], &[0xff, 0x90, 0, 12], Corrupt, "tile-part does not start"),
        (&[0xff, 0x93], &[0xff, 0x53], Corrupt, "ends early"),
    ] {
        let (found, told) = with(from, to);
        assert!(found == kind && told.contains(message), "{from:x?} {to:x?}: {found:?} {told}");
    }
}

#[test]
fn a_table_of_points_wants_a_component_with_loss() {
    use super::markers::{Codestream, ComponentCoding, SampleCurve};
    use super::write_markers::{write_header, write_tile_parts};
    let coding = ComponentCoding {
        depth: 16,
        signed: true,
        sampling: [1, 1],
        block_bits: [7, 5],
        reversible: true,
        guard_bits: 1,
        steps: vec![(17, None)],
        curve: SampleCurve::Turned,
        ..ComponentCoding::default()
    };
    let read = |coding: &ComponentCoding| {
        let mut bytes = Vec::new();
        write_header([9, 9], std::slice::from_ref(coding), false, &mut bytes);
        write_tile_parts(&[0], &[1], &mut bytes);
        Codestream::read(&bytes, 0, 1)
    };
    // What is written is read.
    assert_eq!(read(&coding).unwrap().components, std::slice::from_ref(&coding));
    let curve = SampleCurve::Points(vec![0, 1, 0xffff], 16);
    let coding = ComponentCoding { curve, ..coding };
    assert!(read(&coding).unwrap_err().message().contains("does not fit a lossless component"));
    let coding = ComponentCoding { reversible: false, steps: vec![(17, Some(3))], ..coding };
    assert_eq!(read(&coding).unwrap().components, [coding]);
}
