//! Packets as they are written: the other side of `packets.rs`.

use super::geometry::{ComponentGrid, packets};
use super::packets::BlockPlace;

/// The bits of a packet's header: after a byte ff come seven.
struct HeaderBitWriter<'o> {
    out: &'o mut Vec<u8>,
    byte: u8,
    left: u32,
}

impl HeaderBitWriter<'_> {
    fn bit(&mut self, bit: u32) {
        self.left -= 1;
        self.byte |= (bit as u8) << self.left;
        if self.left == 0 {
            self.out.push(self.byte);
            self.left = if self.byte == 0xff { 7 } else { 8 };
            self.byte = 0;
        }
    }

    fn bits(&mut self, bits: u32, count: u32) {
        (0..count).rev().for_each(|i| self.bit(bits >> i & 1));
    }

    /// The last byte; a header never ends with ff.
    fn finish(self) {
        if self.left < 8 {
            self.out.push(self.byte);
        }
    }
}

/// A tree of minima, to tell numbers of blocks.
struct TagTreeWriter {
    /// Of each level: where it starts, its width.
    levels: Vec<(usize, usize)>,
    /// The number, and whether it has been told.
    nodes: Vec<(u32, bool)>,
}

impl TagTreeWriter {
    fn new(numbers: impl Iterator<Item = u32>, width: usize, height: usize) -> TagTreeWriter {
        let mut nodes: Vec<(u32, bool)> = numbers.map(|number| (number, false)).collect();
        let mut levels = vec![(0, width)];
        let mut size = [width, height];
        while size[0] * size[1] > 1 {
            let (start, width) = levels[levels.len() - 1];
            let [columns, rows] = size.map(|of| of.div_ceil(2));
            for (y, x) in (0..rows).flat_map(|y| (0..columns).map(move |x| (y, x))) {
                let below = |dy: usize, dx: usize| {
                    let [x, y] = [2 * x + dx, 2 * y + dy];
                    if x < size[0] && y < size[1] {
                        nodes[start + y * width + x].0
                    } else {
                        u32::MAX
                    }
                };
                let least = below(0, 0).min(below(0, 1)).min(below(1, 0).min(below(1, 1)));
                nodes.push((least, false));
            }
            levels.push((start + size[0] * size[1], columns));
            size = [columns, rows];
        }
        TagTreeWriter { levels, nodes }
    }

    /// Tells the number at `x`, `y`, up to whether it reaches `most`.
    fn write(&mut self, [x, y]: [usize; 2], most: u32, bits: &mut HeaderBitWriter<'_>) {
        let mut least = 0;
        for (level, (start, width)) in self.levels.iter().enumerate().rev() {
            let (number, told) = &mut self.nodes[start + (y >> level) * width + (x >> level)];
            if !*told {
                (least..(*number).min(most)).for_each(|_| bits.bit(0));
                if *number < most {
                    bits.bit(1);
                }
                *told = true;
            }
            least = *number;
            if least >= most {
                return;
            }
        }
    }
}

/// Appends all packets; the lengths of those of each resolution. `bytes` holds what the blocks of all
/// components are.
pub(super) fn write_packets(
    grids: &[(ComponentGrid, [usize; 2])],
    blocks: &[Vec<BlockPlace>],
    bytes: &[u8],
    out: &mut Vec<u8>,
) -> Vec<usize> {
    let mut lengths = Vec::new();
    for packet in packets(grids) {
        lengths.resize(packet.resolution + 1, 0);
        let start = out.len();
        let grid = &grids[packet.component].0;
        let blocks = &blocks[packet.component];
        let bands = || {
            grid.resolutions[packet.resolution].bands.iter().map(|band| {
                let [columns, rows] = band.blocks_of(packet.precinct, grid.block_bits);
                let places = rows.clone().map(move |row| band.blocks + row * band.across);
                let columns_of = columns.clone();
                let all: Vec<BlockPlace> = places
                    .flat_map(|first| columns_of.clone().map(move |column| first + column))
                    .map(|index| blocks[index])
                    .collect();
                (all, columns.len(), rows.len())
            })
        };
        let is_empty = bands().all(|(all, ..)| all.iter().all(|block| block.length == 0));
        let mut bits = HeaderBitWriter { out, byte: 0, left: 8 };
        bits.bit(u32::from(!is_empty));
        if !is_empty {
            bands().for_each(|(all, columns, rows)| write_band(&all, columns, rows, &mut bits));
        }
        bits.finish();
        for block in bands().flat_map(|(all, ..)| all) {
            out.extend_from_slice(&bytes[block.start as usize..][..usize::from(block.length)]);
        }
        lengths[packet.resolution] += out.len() - start;
    }
    lengths
}

/// What a packet's header says of the blocks of a band.
fn write_band(blocks: &[BlockPlace], columns: usize, rows: usize, bits: &mut HeaderBitWriter<'_>) {
    if blocks.is_empty() {
        return;
    }
    let absent = blocks.iter().map(|block| u32::from(block.length == 0));
    // What is absent lacks more bit planes than any other.
    let missing =
        |block: &BlockPlace| if block.length == 0 { u32::MAX } else { block.missing.into() };
    let mut included = TagTreeWriter::new(absent, columns, rows);
    let mut planes = TagTreeWriter::new(blocks.iter().map(missing), columns, rows);
    for (i, block) in blocks.iter().enumerate() {
        let place = [i % columns, i / columns];
        included.write(place, 1, bits);
        if block.length == 0 {
            continue;
        }
        planes.write(place, u32::MAX, bits);
        // One pass, and its length in 3 bits or more.
        bits.bit(0);
        let length = u32::from(block.length);
        let count = (32 - length.leading_zeros()).max(3);
        (3..count).for_each(|_| bits.bit(1));
        bits.bit(0);
        bits.bits(length, count);
    }
}

#[cfg(test)]
mod tests {
    use super::super::markers::{Codestream, ComponentCoding};
    use super::super::packets::read_packets;
    use super::*;

    #[test]
    fn packets_come_back() {
        for (width, height) in [(1, 1), (40, 24), (700, 300), (3, 900), (70_000, 5)] {
            let grids = [
                (ComponentGrid::new(width, height, 5, [7, 5]), [1, 1]),
                (ComponentGrid::new(width.div_ceil(2), height, 5, [6, 6]), [2, 1]),
            ];
            let mut bytes = Vec::new();
            let blocks: Vec<Vec<BlockPlace>> = grids
                .iter()
                .map(|(grid, _)| {
                    let block = |i: usize| {
                        let length = (i * 7919 % 5000) as u16 * u16::from(!i.is_multiple_of(3));
                        let length = if length < 2 { 0 } else { length };
                        let start = bytes.len() as u32;
                        bytes.extend((0..length).map(|j| (i as u16 * 31 + j) as u8));
                        BlockPlace { start, length, missing: (i % 11) as u8 }
                    };
                    (0..grid.blocks).map(block).collect()
                })
                .collect();
            let mut out = Vec::new();
            let lengths = write_packets(&grids, &blocks, &bytes, &mut out);
            let mut at = 0;
            let mut part = |length: &usize| {
                at += length;
                at - length..at
            };
            let parts = lengths.iter().map(&mut part).collect();
            let coding = ComponentCoding {
                steps: vec![(12, None); 16],
                guard_bits: 1,
                ..Default::default()
            };
            let stream = Codestream { components: vec![coding; 2], parts, ..Default::default() };
            let read = read_packets(&out, &stream, &grids).unwrap();
            for (read, written) in read.iter().flatten().zip(blocks.iter().flatten()) {
                assert_eq!(read.length, written.length);
                let of = |bytes: &[u8], block: &BlockPlace| {
                    bytes[block.start as usize..][..usize::from(block.length)].to_vec()
                };
                assert!(of(&out, read) == of(&bytes, written));
                assert!(read.length == 0 || read.missing == written.missing);
            }
        }
    }
}
