//! What stands before the data of a chunk.
//!
//! ```text
//! [part]                          in files laid out for several parts
//! y                               scanlines: their first row
//! tile x, tile y, level x, level y  or tiles
//! size                            flat: of the data, 32 bits
//! size of counts, size of data, size of data unpacked    deep: 64 bits each
//! ```
//!
//! ("The OpenEXR File Layout", component five.)

use crate::cursor::HeaderCursor;
use crate::header::Kind;
use crate::header::shape::Shape;
use solio_base::{Error, Result};

/// Most bytes that a [`Leader`] has.
pub(crate) const MOST_BYTES: usize = 20 + 24;

/// What stands before the data of a chunk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Leader {
    /// The part; 0 in files of one.
    pub(crate) part: i32,
    /// The first row, or tile and level.
    pub(crate) place: [i32; 4],
    /// Bytes of the table of counts; deep data only.
    pub(crate) counts: u64,
    /// Bytes of the data.
    pub(crate) data: u64,
    /// Bytes of the data, unpacked; deep data only.
    pub(crate) unpacked: u64,
}

/// Bytes of a leader.
pub(crate) fn leader_bytes(kind: Kind, multipart: bool) -> usize {
    let place = if kind.is_tiled() { 16 } else { 4 };
    let sizes = if kind.is_deep() { 24 } else { 4 };
    usize::from(multipart) * 4 + place + sizes
}

impl Leader {
    /// Of a chunk of a part of this kind.
    pub(crate) fn decode(
        cursor: &mut HeaderCursor<'_>,
        kind: Kind,
        multipart: bool,
    ) -> Result<Leader> {
        let what = "the head of a chunk";
        let start = cursor.offset();
        let mut leader = Leader::default();
        if multipart {
            leader.part = cursor.i32(what)?;
        }
        let numbers = if kind.is_tiled() { 4 } else { 1 };
        for number in &mut leader.place[..numbers] {
            *number = cursor.i32(what)?;
        }
        if kind.is_deep() {
            leader.counts = cursor.u64(what)?;
            leader.data = cursor.u64(what)?;
            leader.unpacked = cursor.u64(what)?;
        } else {
            let size = cursor.i32(what)?;
            leader.data = u64::try_from(size)
                .map_err(|_| Error::corrupt(format!("{size} bytes of data")).at_offset(start))?;
        }
        Ok(leader)
    }

    /// Appends its bytes.
    pub(crate) fn encode(&self, kind: Kind, multipart: bool, out: &mut Vec<u8>) {
        let numbers = if kind.is_tiled() { 4 } else { 1 };
        let part = multipart.then_some(self.part);
        let ints = part.iter().chain(&self.place[..numbers]);
        ints.for_each(|number| out.extend_from_slice(&number.to_le_bytes()));
        if kind.is_deep() {
            let sizes = [self.counts, self.data, self.unpacked];
            sizes.iter().for_each(|size| out.extend_from_slice(&size.to_le_bytes()));
        } else {
            out.extend_from_slice(&(self.data as u32).to_le_bytes());
        }
    }

    /// The number of its chunk in a part of this shape, where it has one.
    pub(crate) fn chunk(&self, shape: &Shape) -> Option<u64> {
        let [a, b, x, y] = self.place;
        if shape.kind.is_tiled() {
            shape.chunk_of_tile([a, b], x, y)
        } else {
            shape.chunk_of_row(a)
        }
    }

    /// Of chunk `index` of a part of this shape, without sizes.
    pub(crate) fn of_chunk(shape: &Shape, part: usize, index: u64) -> Leader {
        let place = shape.place(index);
        let level = &shape.levels[place.level];
        let [across, down] = place.tile.map(|t| t as i32);
        let numbers = if shape.kind.is_tiled() {
            [across, down, level.x as i32, level.y as i32]
        } else {
            [place.window.min[1], 0, 0, 0]
        };
        Leader { part: part as i32, place: numbers, ..Leader::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaders_have_the_bytes_of_their_kind() {
        for kind in Kind::ALL {
            for multipart in [false, true] {
                let tiled = [5, 6, 1, 2];
                let place = if kind.is_tiled() { tiled } else { [-5, 0, 0, 0] };
                let [counts, unpacked] = if kind.is_deep() { [3, 9] } else { [0, 0] };
                let part = i32::from(multipart) * 4;
                let leader = Leader { part, place, counts, data: 7, unpacked };
                let mut bytes = Vec::new();
                leader.encode(kind, multipart, &mut bytes);
                assert_eq!(bytes.len(), leader_bytes(kind, multipart));
                assert!(bytes.len() <= MOST_BYTES);
                let mut cursor = HeaderCursor::new(&bytes, 0);
                assert_eq!(Leader::decode(&mut cursor, kind, multipart).unwrap(), leader);
                let mut short = HeaderCursor::new(&bytes[1..], 0);
                assert!(Leader::decode(&mut short, kind, multipart).is_err());
            }
        }
    }
}
