//! Whole chunks: the reference's, and damaged ones.

use solio_base::Result;

use super::{Jpeg2000Reader, decode};
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

fn unpack(block: &Block<'_>, packed: &[u8]) -> Result<Vec<u8>> {
    let mut out = vec![0; block.bytes() as usize];
    decode(Compression::Htj2k256, block, packed, &mut out, &mut Jpeg2000Reader::default())
        .map(|()| out)
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
