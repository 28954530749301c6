//! Which channel is packed how: rules on the last part of its name and its type, which the chunk
//! itself carries from version 2 on.

use solio_base::{Error, Result};

use crate::{Block, Channel, PixelType};

/// How a channel is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scheme {
    /// Deflate.
    Unknown,
    /// Cosine transform.
    Lossy,
    /// Run lengths and deflate.
    Rle,
}

/// Channels whose names end so and that have this type are packed so.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ChannelRule {
    suffix: Vec<u8>,
    scheme: Scheme,
    pixel_type: PixelType,
    /// Place in a set of red, green and blue.
    colour: Option<usize>,
    any_case: bool,
}

/// The longest name of a rule.
const LONGEST_SUFFIX: usize = 128;

impl ChannelRule {
    fn matches(&self, channel: &Channel) -> bool {
        let name = channel.name.as_bytes();
        let suffix = &name[prefix(channel).len()..];
        self.pixel_type == channel.pixel_type
            && (suffix == self.suffix || self.any_case && suffix.eq_ignore_ascii_case(&self.suffix))
    }
}

/// The name up to its last point, with it.
fn prefix(channel: &Channel) -> &[u8] {
    let name = channel.name.as_bytes();
    &name[..name.iter().rposition(|byte| *byte == b'.').map_or(0, |point| point + 1)]
}

/// The names of colours with their places, of luminance and chroma, and of alpha.
fn rules(colours: &[(&str, Option<usize>)], alpha: &str, any_case: bool) -> Vec<ChannelRule> {
    let rule = |suffix: &str, scheme, pixel_type, colour| ChannelRule {
        suffix: suffix.into(),
        scheme,
        pixel_type,
        colour,
        any_case,
    };
    let lossy = colours.iter().flat_map(|(name, place)| {
        [PixelType::Half, PixelType::Float].map(|t| rule(name, Scheme::Lossy, t, *place))
    });
    let exact = [PixelType::Uint, PixelType::Half, PixelType::Float]
        .map(|t| rule(alpha, Scheme::Rle, t, None));
    lossy.chain(exact).collect()
}

/// The rules that are written.
fn own() -> Vec<ChannelRule> {
    let colours =
        [("R", Some(0)), ("G", Some(1)), ("B", Some(2)), ("Y", None), ("BY", None), ("RY", None)];
    rules(&colours, "A", false)
}

/// The rules of versions 0 and 1.
fn old() -> Vec<ChannelRule> {
    let [red, green, blue] = [Some(0), Some(1), Some(2)];
    let colours = [
        ("r", red),
        ("red", red),
        ("g", green),
        ("grn", green),
        ("green", green),
        ("b", blue),
        ("blu", blue),
        ("blue", blue),
        ("y", None),
        ("by", None),
        ("ry", None),
    ];
    rules(&colours, "a", true)
}

/// What the rules say about a chunk.
pub(super) struct ChannelSchemes {
    /// Of each channel.
    pub(super) schemes: Vec<Scheme>,
    /// Sets of red, green and blue that are packed together.
    pub(super) colours: Vec<[usize; 3]>,
}

impl ChannelSchemes {
    fn of(block: &Block, rules: &[ChannelRule]) -> ChannelSchemes {
        let mut schemes = vec![Scheme::Unknown; block.channels.len()];
        let mut sets: Vec<(&[u8], [Option<usize>; 3])> = Vec::new();
        for (index, channel) in block.channels.iter().enumerate() {
            let prefix = prefix(channel);
            let set = sets.iter().position(|(p, _)| *p == prefix).unwrap_or_else(|| {
                sets.push((prefix, [None; 3]));
                sets.len() - 1
            });
            for rule in rules.iter().filter(|rule| rule.matches(channel)) {
                schemes[index] = rule.scheme;
                if let Some(place) = rule.colour {
                    sets[set].1[place] = Some(index);
                }
            }
        }
        let alike = |a: usize, b: usize| {
            let [a, b] = [a, b].map(|c| &block.channels[c]);
            (a.x_sampling, a.y_sampling) == (b.x_sampling, b.y_sampling)
        };
        let colours = sets.iter().filter_map(|(_, set)| match *set {
            [Some(r), Some(g), Some(b)] if alike(r, g) && alike(r, b) => Some([r, g, b]),
            _ => None,
        });
        ChannelSchemes { colours: colours.collect(), schemes }
    }

    /// With the rules of versions 0 and 1.
    pub(super) fn old(block: &Block) -> ChannelSchemes {
        ChannelSchemes::of(block, &old())
    }

    /// Appends those rules that some channel follows, after their length; says what they mean.
    pub(super) fn write(block: &Block, out: &mut Vec<u8>) -> ChannelSchemes {
        let rules = own();
        let start = out.len();
        out.extend_from_slice(&[0; 2]);
        for rule in rules.iter().filter(|rule| block.channels.iter().any(|c| rule.matches(c))) {
            out.extend_from_slice(&rule.suffix);
            let colour = rule.colour.map_or(0, |place| place as u8 + 1);
            let scheme = rule.scheme as u8;
            let any_case = u8::from(rule.any_case);
            let flags = colour << 4 | scheme << 2 | any_case;
            out.extend_from_slice(&[0, flags, rule.pixel_type as u8]);
        }
        let length = (out.len() - start) as u16;
        out[start..][..2].copy_from_slice(&length.to_le_bytes());
        ChannelSchemes::of(block, &rules)
    }

    /// From the rules that a chunk has at `at`; says where they end.
    pub(super) fn read(block: &Block, input: &[u8], at: usize) -> Result<(ChannelSchemes, usize)> {
        let fail = |message: String, at: usize| Err(Error::corrupt(message).at_offset(at as u64));
        let Some(length) = input[at..].first_chunk().map(|l| usize::from(u16::from_le_bytes(*l)))
        else {
            return fail("DWA data end before their rules".into(), at);
        };
        let Some(mut rest) = input[at..].get(2..length) else {
            return fail(format!("DWA rules of {length} bytes; {} are left", input.len() - at), at);
        };
        let end = at + length;
        let mut rules = Vec::new();
        while !rest.is_empty() {
            let here = end - rest.len();
            let Some(name) = rest.iter().take(LONGEST_SUFFIX + 1).position(|byte| *byte == 0)
            else {
                return fail("DWA rule with a name that does not end".into(), here);
            };
            let [value, kind] = match rest[name + 1..].first_chunk() {
                Some(pair) => *pair,
                None => return fail("DWA rules end early".into(), here),
            };
            let scheme = match value >> 2 & 3 {
                0 => Scheme::Unknown,
                1 => Scheme::Lossy,
                2 => Scheme::Rle,
                other => return fail(format!("DWA rule for scheme {other}"), here),
            };
            let Some(pixel_type) = PixelType::of_number(kind.into()) else {
                return fail(format!("DWA rule for pixel type {kind}"), here);
            };
            let colour = match value >> 4 {
                place @ 0..=3 => usize::from(place).checked_sub(1),
                place => return fail(format!("DWA rule for colour {place}"), here),
            };
            let any_case = value & 1 != 0;
            rules.push(ChannelRule {
                suffix: rest[..name].into(),
                scheme,
                pixel_type,
                colour,
                any_case,
            });
            rest = &rest[name + 3..];
        }
        Ok((ChannelSchemes::of(block, &rules), end))
    }
}
