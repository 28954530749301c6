//! What stands before the codestream of a chunk: which channel each component is.

use solio_base::{Error, Result};

use crate::Channel;

/// Bytes before the channel map.
const FIXED: usize = 8;

/// What a chunk starts with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Magic {
    /// Without loss; of LJ2K, as versions before 3.5.2 wrote it.
    Plain,
    /// With loss.
    Lossy,
}

impl Magic {
    fn bytes(self) -> [u8; 2] {
        match self {
            Magic::Plain => *b"HT",
            Magic::Lossy => *b"HL",
        }
    }
}

/// The header of a chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ChunkHeader {
    pub(super) magic: Magic,
    /// The channel of each component.
    pub(super) map: Vec<usize>,
    /// Where the codestream starts.
    pub(super) end: usize,
}

impl ChunkHeader {
    /// Of a chunk of so many channels.
    pub(super) fn read(input: &[u8], channels: usize) -> Result<ChunkHeader> {
        let fail = |message: &str, at: u64| Err(Error::corrupt(message).at_offset(at));
        let Some([a, b, length @ .., c, d]) = input.first_chunk::<FIXED>() else {
            return fail("the chunk is too short for a JPEG 2000 header", 0);
        };
        let magic =
            [Magic::Plain, Magic::Lossy].into_iter().find(|magic| magic.bytes() == [*a, *b]);
        let Some(magic) = magic else {
            return fail("the chunk starts neither with HT nor with HL", 0);
        };
        let [length, count] = [
            length.iter().fold(0, |length, byte| length << 8 | u64::from(*byte)),
            u64::from(u16::from_be_bytes([*c, *d])),
        ];
        if count != channels as u64 || length < 2 + 2 * count || length > input.len() as u64 - 6 {
            return fail("the channel map of a JPEG 2000 chunk does not fit", 2);
        }
        let mut seen = vec![false; channels];
        let mut map = Vec::with_capacity(channels);
        for entry in input[FIXED..FIXED + 2 * channels].as_chunks().0 {
            let channel = usize::from(u16::from_be_bytes(*entry));
            match seen.get_mut(channel) {
                Some(seen @ false) => *seen = true,
                _ => return fail("the channel map of a JPEG 2000 chunk is damaged", FIXED as u64),
            }
            map.push(channel);
        }
        // What else there may be, of later versions, is passed over.
        Ok(ChunkHeader { magic, map, end: 6 + length as usize })
    }

    /// Appends the header.
    pub(super) fn write(magic: Magic, map: &[usize], out: &mut Vec<u8>) {
        out.extend(magic.bytes());
        out.extend((2 + 2 * map.len() as u32).to_be_bytes());
        let map = map.iter().map(|channel| *channel as u16);
        out.extend([map.len() as u16].into_iter().chain(map).flat_map(u16::to_be_bytes));
    }
}

/// The order in which channels become components, and whether the first three are a colour: red, green and
/// blue of one layer, with the same type and sampling.
pub(super) fn order(channels: &[Channel]) -> (Vec<usize>, bool) {
    let color = ["r g b", "red green blue"].iter().find_map(|names| color(channels, names));
    let Some(color) = color else { return ((0..channels.len()).collect(), false) };
    let others = (0..channels.len()).filter(|i| !color.contains(i));
    (color.into_iter().chain(others).collect(), true)
}

/// The channels with these names, in the layer where the first one of them is.
fn color(channels: &[Channel], names: &str) -> Option<[usize; 3]> {
    let names: Vec<&str> = names.split(' ').collect();
    let mut found = [None; 3];
    let mut layer = None;
    for (i, channel) in channels.iter().enumerate() {
        let (prefix, name) = match channel.name.rsplit_once('.') {
            Some((prefix, name)) => (prefix, name),
            None => ("", channel.name.as_str()),
        };
        if layer.is_some_and(|layer| layer != prefix) {
            continue;
        }
        let place = names.iter().position(|color| color.eq_ignore_ascii_case(name));
        if let Some(place) = place.filter(|place| found[*place].is_none()) {
            found[place] = Some(i);
            layer = Some(prefix);
        }
    }
    let [Some(red), Some(green), Some(blue)] = found else { return None };
    let alike = |i: usize| {
        let of =
            |i: usize| (channels[i].pixel_type, channels[i].x_sampling, channels[i].y_sampling);
        of(i) == of(red)
    };
    (alike(green) && alike(blue)).then_some([red, green, blue])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PixelType;

    fn channels(names: &[&str]) -> Vec<Channel> {
        names.iter().map(|name| Channel::new(*name, PixelType::Half)).collect()
    }

    #[test]
    fn colours_come_first() {
        let of = |names: &[&str]| order(&channels(names));
        assert_eq!(of(&["A", "B", "G", "R"]), (vec![3, 2, 1, 0], true));
        assert_eq!(of(&["a.Blue", "a.GREEN", "a.red", "a.z"]), (vec![2, 1, 0, 3], true));
        // The first layer counts, and only the first.
        assert_eq!(of(&["a.B", "a.G", "b.B", "b.G", "b.R"]), (vec![0, 1, 2, 3, 4], false));
        assert_eq!(of(&["MainB", "MainG", "MainR"]), (vec![0, 1, 2], false));
        // Short names before long ones; a name without a layer may start with a point.
        assert_eq!(of(&["B", "Blue", "G", "Green", "R", "Red"]).0, [4, 2, 0, 1, 3, 5]);
        let mut mixed = channels(&["B", "G", "R"]);
        mixed[1].pixel_type = PixelType::Float;
        assert_eq!(order(&mixed), (vec![0, 1, 2], false));
    }

    #[test]
    fn headers_are_read_as_written() {
        let mut bytes = Vec::new();
        ChunkHeader::write(Magic::Lossy, &[2, 0, 1], &mut bytes);
        assert_eq!(bytes, *b"HL\0\0\0\x08\0\x03\0\x02\0\0\0\x01");
        let header = ChunkHeader { magic: Magic::Lossy, map: vec![2, 0, 1], end: bytes.len() };
        assert_eq!(ChunkHeader::read(&bytes, 3).unwrap(), header);
        // More before the codestream than is known.
        bytes[5] += 3;
        assert!(ChunkHeader::read(&bytes, 3).is_err());
        bytes.extend([1, 2, 3]);
        assert_eq!(ChunkHeader::read(&bytes, 3).unwrap().end, bytes.len());
        // Another number of channels; a channel twice, one that is not there; a length that is none.
        assert!(ChunkHeader::read(&bytes, 2).is_err());
        for (at, byte) in [(9, 0), (9, 3), (2, 0xff), (5, 7)] {
            let mut damaged = bytes.clone();
            damaged[at] = byte;
            let offset = ChunkHeader::read(&damaged, 3).unwrap_err().offset();
            assert!(offset.is_some());
        }
        for length in 0..bytes.len() {
            assert!(ChunkHeader::read(&bytes[..length], 3).is_err());
        }
    }
}
