//! Packets: which code blocks are there, how many bits they lack, and where their bytes are.

use std::ops::Range;

use solio_base::{Error, Result};

use super::geometry::{ComponentGrid, Packet, packets};
use super::markers::Codestream;

/// A code block in the codestream; without bytes where all of it is 0.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BlockPlace {
    pub(super) start: u32,
    pub(super) length: u16,
    /// Bit planes that are not there.
    pub(super) missing: u8,
}

/// The bits of a packet's header: after a byte ff come seven.
struct HeaderBits<'d> {
    data: &'d [u8],
    at: usize,
    byte: u8,
    left: u32,
}

impl HeaderBits<'_> {
    fn bit(&mut self) -> Result<u32> {
        if self.left == 0 {
            self.left = if self.byte == 0xff { 7 } else { 8 };
            let early = || Error::corrupt("a packet ends early").at_offset(self.at as u64);
            self.byte = *self.data.get(self.at).ok_or_else(early)?;
            self.at += 1;
        }
        self.left -= 1;
        Ok(u32::from(self.byte >> self.left & 1))
    }

    fn bits(&mut self, count: u32) -> Result<u32> {
        (0..count).try_fold(0, |bits, _| Ok(bits << 1 | self.bit()?))
    }

    fn fail<T>(&self, message: &str) -> Result<T> {
        Err(Error::corrupt(message).at_offset(self.at as u64))
    }
}

/// Numbers of blocks, told in a tree of their minima.
struct TagTree {
    /// Of each level, from the blocks on, where it starts and its width.
    levels: Vec<(usize, usize)>,
    /// What is known: the number.
    nodes: Vec<Option<u32>>,
}

impl TagTree {
    fn new(width: usize, height: usize) -> TagTree {
        let (mut levels, mut nodes, mut size) = (Vec::new(), 0, [width, height]);
        loop {
            levels.push((nodes, size[0]));
            nodes += size[0] * size[1];
            if size[0] * size[1] <= 1 {
                break;
            }
            size = size.map(|of| of.div_ceil(2));
        }
        TagTree { levels, nodes: vec![None; nodes] }
    }

    /// The number at `x`, `y`; where it reaches `most` on the way, that.
    fn read(&mut self, [x, y]: [usize; 2], most: u32, bits: &mut HeaderBits<'_>) -> Result<u32> {
        let mut number = 0;
        for (level, (start, width)) in self.levels.iter().enumerate().rev() {
            let node = &mut self.nodes[start + (y >> level) * width + (x >> level)];
            number = match node {
                Some(number) => *number,
                None => {
                    while number < most && bits.bit()? == 0 {
                        number += 1;
                    }
                    *node = Some(number);
                    number
                }
            };
            if number >= most {
                return Ok(most);
            }
        }
        Ok(number)
    }
}

/// Reads all packets: the blocks of each component, in the order of its grid.
pub(super) fn read_packets(
    input: &[u8],
    stream: &Codestream,
    grids: &[(ComponentGrid, [usize; 2])],
) -> Result<Vec<Vec<BlockPlace>>> {
    let blocks = grids.iter().map(|(grid, _)| vec![BlockPlace::default(); grid.blocks]);
    let mut blocks: Vec<Vec<BlockPlace>> = blocks.collect();
    let mut parts = stream.parts.iter().cloned();
    let mut part = parts.next().unwrap_or(0..0);
    for packet in packets(grids) {
        while part.is_empty() {
            let early = || {
                let end = stream.parts.last().map_or(0, |part| part.end);
                Error::corrupt("packets are missing").at_offset(end as u64)
            };
            part = parts.next().ok_or_else(early)?;
        }
        let grid = &grids[packet.component].0;
        let planes = |band: usize| stream.components[packet.component].planes(band);
        let blocks = &mut blocks[packet.component];
        read_packet(input, &mut part, grid, packet, planes, blocks)?;
    }
    Ok(blocks)
}

/// Reads the packet at the start of `part`, and steps over it.
fn read_packet(
    input: &[u8],
    part: &mut Range<usize>,
    grid: &ComponentGrid,
    packet: Packet,
    planes: impl Fn(usize) -> u32,
    blocks: &mut [BlockPlace],
) -> Result<()> {
    let mut bits = HeaderBits { data: &input[..part.end], at: part.start, byte: 0, left: 0 };
    let mut found = Vec::new();
    if bits.bit()? == 1 {
        for band in &grid.resolutions[packet.resolution].bands {
            let [columns, rows] = band.blocks_of(packet.precinct, grid.block_bits);
            let [mut included, mut missing] =
                [(); 2].map(|()| TagTree::new(columns.len(), rows.len()));
            let places =
                rows.clone().flat_map(|row| columns.clone().map(move |column| (column, row)));
            for (column, row) in places {
                let place = [column - columns.start, row - rows.start];
                if included.read(place, 1, &mut bits)? == 1 {
                    continue;
                }
                let planes = planes(band.index);
                let few = |missing: u32, bits: &HeaderBits<'_>| match missing < planes {
                    true => Ok(missing),
                    false => bits.fail("a code block lacks more bit planes than there are"),
                };
                let missing = few(missing.read(place, planes, &mut bits)?, &bits)?;
                let (length, skipped) = read_length(&mut bits)?;
                let missing = few(missing + skipped, &bits)?;
                let index = band.blocks + row * band.across + column;
                found.push(index);
                blocks[index] = BlockPlace { start: 0, length, missing: missing as u8 };
            }
        }
    }
    // A byte of ff has one behind it that is stuffed.
    let mut at = bits.at + usize::from(bits.byte == 0xff);
    for index in found {
        let block = &mut blocks[index];
        block.start = at as u32;
        at += usize::from(block.length);
        if at > part.end {
            return Err(Error::corrupt("a code block ends behind its packet").at_offset(at as u64));
        }
    }
    part.start = at.min(part.end);
    Ok(())
}

/// The length of a block's cleanup pass, and how many more bit planes are not there.
fn read_length(bits: &mut HeaderBits<'_>) -> Result<(u16, u32)> {
    let passes = match (bits.bit()?, ()) {
        (0, ()) => 1,
        _ if bits.bit()? == 0 => 2,
        _ => match bits.bits(2)? {
            3 => match bits.bits(5)? {
                31 => 37 + bits.bits(7)?,
                more => 6 + more,
            },
            more => 3 + more,
        },
    };
    // Three each of the passes before the last ones stand for nothing.
    let skipped = (passes - 1) / 3;
    if passes - 3 * skipped != 1 {
        let message = "JPEG 2000: SigProp and MagRef passes are not supported";
        return Err(Error::unsupported(message).at_offset(bits.at as u64));
    }
    let mut length_bits = 3;
    while bits.bit()? == 1 {
        length_bits += 1;
    }
    length_bits += (3 * skipped + 1).ilog2();
    if length_bits > 32 {
        return bits.fail("the length of a code block is too long");
    }
    match bits.bits(length_bits)? {
        length @ 2..=65534 => Ok((length as u16, skipped)),
        _ => bits.fail("a code block has an impossible length"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::jpeg2000::markers::ComponentCoding;
    use solio_base::ErrorKind;

    /// Reads one packet of one block, of 12 bit planes, made of these bits and `more` bytes.
    fn packet(bits: &str, more: usize) -> Result<BlockPlace> {
        let bits: Vec<u8> = bits.bytes().filter(|bit| *bit != b' ').map(|bit| bit - b'0').collect();
        let byte =
            |bits: &[u8]| bits.iter().enumerate().fold(0, |byte, (i, bit)| byte | bit << (7 - i));
        let mut input: Vec<u8> = bits.chunks(8).map(byte).collect();
        input.resize(input.len() + more, 0);
        let grids = [(ComponentGrid::new(20, 9, 0, [7, 5]), [1, 1])];
        let coding =
            ComponentCoding { steps: vec![(12, None)], guard_bits: 1, ..Default::default() };
        let parts = vec![0..input.len(); 1];
        let stream = Codestream { components: vec![coding], parts, ..Default::default() };
        Ok(read_packets(&input, &stream, &grids)?[0][0])
    }

    #[test]
    fn packets_say_what_they_may() {
        // There, included, 3 planes missing, one pass, 5 bytes.
        let block = packet("1 1 0001 0 0 101", 5).unwrap();
        assert_eq!((block.missing, block.length, block.start), (3, 5, 2));
        assert_eq!(packet("0", 0).unwrap().length, 0);
        assert_eq!(packet("1 0", 0).unwrap().length, 0);
        // Four passes are three that stand for nothing, and a plane less; the length has two bits more.
        let block = packet("1 1 0001 1101 0 00101", 5).unwrap();
        assert_eq!((block.missing, block.length), (4, 5));
        for (bits, more, message) in [
            ("1 1 0001 0 0 101", 4, "ends behind its packet"),
            ("1 1 0001 0 0 001", 9, "impossible length"),
            ("1 1 000000000000 1 0 0 101", 5, "more bit planes"),
            ("1 1 00000000000001 0 0 101", 5, "more bit planes"),
            ("1 1 0001 0 1111111111111111111111111111111111111111 0", 99, "too long"),
            ("1 1 0001 0 11111111", 0, "ends early"),
        ] {
            let e = packet(bits, more).unwrap_err();
            let place = e.offset().is_some() && e.kind() == ErrorKind::Corrupt;
            assert!(place && e.message().contains(message), "{bits}: {e}");
        }
        for passes in ["10", "1100"] {
            let e = packet(&format!("1 1 0001 {passes} 0 101 1111"), 20).unwrap_err();
            assert!(e.kind() == ErrorKind::Unsupported && e.message().contains("SigProp"), "{e}");
        }
    }
}
