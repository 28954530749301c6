//! The header of a codestream, and where the parts of its tile are.

use std::ops::Range;

use solio_base::{Error, Result};

/// Markers, by their second byte.
pub(super) mod marker {
    pub(in super::super) const START: u8 = 0x4f;
    pub(in super::super) const CAPABILITIES: u8 = 0x50;
    pub(in super::super) const SIZE: u8 = 0x51;
    pub(in super::super) const CODING: u8 = 0x52;
    pub(in super::super) const CODING_OF_COMPONENT: u8 = 0x53;
    pub(in super::super) const LENGTHS: u8 = 0x55;
    pub(in super::super) const QUANTIZATION: u8 = 0x5c;
    pub(in super::super) const QUANTIZATION_OF_COMPONENT: u8 = 0x5d;
    pub(in super::super) const COMMENT: u8 = 0x64;
    pub(in super::super) const NONLINEAR: u8 = 0x76;
    pub(in super::super) const TILE: u8 = 0x90;
    pub(in super::super) const DATA: u8 = 0x93;
    pub(in super::super) const END: u8 = 0xd9;
}

/// How the samples of a component are coded.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ComponentCoding {
    /// Bits of a sample.
    pub(super) depth: u32,
    pub(super) signed: bool,
    pub(super) sampling: [usize; 2],
    pub(super) levels: u32,
    /// Width and height of a code block, as powers of two.
    pub(super) block_bits: [u32; 2],
    /// 5/3 wavelet of whole numbers, not 9/7.
    pub(super) reversible: bool,
    pub(super) guard_bits: u32,
    /// Of each band: exponent, and mantissa where steps are given.
    pub(super) steps: Vec<(u32, Option<u32>)>,
    pub(super) curve: SampleCurve,
}

/// What samples become behind the wavelet.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum SampleCurve {
    /// Nothing else.
    #[default]
    Plain,
    /// Negative ones are turned round, as floats have them.
    Turned,
    /// Through a table of points, each of so many bits, and then turned round.
    Points(Vec<u32>, u32),
}

impl ComponentCoding {
    /// Bit planes of a band.
    pub(super) fn planes(&self, band: usize) -> u32 {
        let (exponent, _) = self.steps[band];
        (exponent + self.guard_bits).saturating_sub(1)
    }
}

/// A codestream: its header, and its data.
#[derive(Clone, Debug, Default)]
pub(super) struct Codestream {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) components: Vec<ComponentCoding>,
    /// The first three components are one colour.
    pub(super) color: bool,
    /// The packets, tile-part by tile-part.
    pub(super) parts: Vec<Range<usize>>,
}

fn corrupt(message: impl Into<String>, at: usize) -> Error {
    Error::corrupt(message).at_offset(at as u64)
}

fn unsupported(message: &str, at: usize) -> Error {
    Error::unsupported(format!("JPEG 2000: {message} is not supported")).at_offset(at as u64)
}

fn number<const N: usize>(data: &[u8], at: usize) -> Option<u32> {
    let bytes = data.get(at..)?.first_chunk::<N>()?;
    Some(bytes.iter().fold(0, |number, byte| number << 8 | u32::from(*byte)))
}

/// A segment: what stands behind its length, and where that is.
struct Segment<'d> {
    data: &'d [u8],
    at: usize,
}

impl Segment<'_> {
    fn short(&self) -> Error {
        corrupt("a segment of the JPEG 2000 header is too short", self.at)
    }
    fn byte(&self, at: usize) -> Result<u32> {
        number::<1>(self.data, at).ok_or_else(|| self.short())
    }
    fn two(&self, at: usize) -> Result<u32> {
        number::<2>(self.data, at).ok_or_else(|| self.short())
    }
    fn four(&self, at: usize) -> Result<u32> {
        number::<4>(self.data, at).ok_or_else(|| self.short())
    }
    /// The component that a segment is about, and where what it says starts.
    fn component(&self, components: usize) -> Result<(usize, usize)> {
        let (component, at) = if components < 257 { (self.byte(0)?, 1) } else { (self.two(0)?, 2) };
        if component as usize >= components {
            return Err(corrupt("a segment is about a component that is not there", self.at));
        }
        Ok((component as usize, at))
    }
}

/// Guard bits, and the steps of all bands.
type BandSteps = (u32, Vec<(u32, Option<u32>)>);

/// What COD and COC, QCD and QCC say.
#[derive(Clone, Default)]
struct HeaderNotes {
    coding: Vec<Option<WaveletCoding>>,
    steps: Vec<Option<BandSteps>>,
    main_coding: Option<WaveletCoding>,
    main_steps: Option<BandSteps>,
}

#[derive(Clone, Copy)]
struct WaveletCoding {
    levels: u32,
    block_bits: [u32; 2],
    reversible: bool,
}

impl Codestream {
    /// Reads the header of the codestream of `channels` components at `start`.
    pub(super) fn read(input: &[u8], start: usize, channels: usize) -> Result<Codestream> {
        if number::<2>(input, start) != Some(0xff00 | u32::from(marker::START)) {
            return Err(corrupt("the JPEG 2000 codestream has no start", start));
        }
        let mut stream = Codestream::default();
        let mut notes = HeaderNotes::default();
        let mut lengths = Vec::new();
        let mut at = start + 2;
        loop {
            let (marker, segment, next) = segment(input, at)?;
            if (at == start + 2) != (marker == marker::SIZE) {
                return Err(corrupt("the JPEG 2000 header does not start with its size", at));
            }
            match marker {
                marker::SIZE => stream.read_size(&segment, channels, &mut notes)?,
                marker::CODING => notes.main_coding = Some(stream.read_coding(&segment)?),
                marker::CODING_OF_COMPONENT => {
                    let (component, from) = segment.component(channels)?;
                    if segment.byte(from)? != 0 {
                        return Err(unsupported("precincts", segment.at));
                    }
                    notes.coding[component] = Some(wavelet(&segment, from + 1)?);
                }
                marker::QUANTIZATION => notes.main_steps = Some(steps(&segment, 0)?),
                marker::QUANTIZATION_OF_COMPONENT => {
                    let (component, from) = segment.component(channels)?;
                    notes.steps[component] = Some(steps(&segment, from)?);
                }
                marker::NONLINEAR => stream.read_curve(&segment)?,
                marker::LENGTHS => read_lengths(&segment, &mut lengths)?,
                marker::CAPABILITIES | marker::COMMENT => {}
                marker::TILE => break,
                _ => return Err(unsupported(&format!("the marker ff{marker:02x}"), at)),
            }
            at = next;
        }
        stream.settle(&notes, at)?;
        stream.read_parts(input, at, &lengths)?;
        Ok(stream)
    }

    fn read_size(
        &mut self,
        s: &Segment<'_>,
        channels: usize,
        notes: &mut HeaderNotes,
    ) -> Result<()> {
        let size = |i: usize| s.four(2 + 4 * i);
        let (width, height) = (size(0)?, size(1)?);
        if [size(2)?, size(3)?, size(6)?, size(7)?] != [0; 4]
            || size(4)? < width
            || size(5)? < height
        {
            return Err(unsupported("a codestream of several tiles", s.at));
        }
        if width == 0 || height == 0 {
            return Err(corrupt("the JPEG 2000 codestream has no pixels", s.at));
        }
        let count = s.two(34)? as usize;
        if count != channels {
            let message =
                format!("the JPEG 2000 codestream has {count} components, not {channels}");
            return Err(corrupt(message, s.at + 34));
        }
        if s.data.len() != 36 + 3 * count {
            return Err(s.short());
        }
        (self.width, self.height) = (width as usize, height as usize);
        for [depth, x, y] in s.data[36..].as_chunks().0 {
            let sampling = [usize::from(*x), usize::from(*y)];
            if sampling.contains(&0) {
                return Err(corrupt("a component has a sampling rate of 0", s.at + 36));
            }
            let (depth, signed) = (u32::from(depth & 0x7f) + 1, depth & 0x80 != 0);
            self.components.push(ComponentCoding { depth, signed, sampling, ..Default::default() });
        }
        notes.coding.resize(count, None);
        notes.steps.resize(count, None);
        Ok(())
    }

    fn read_coding(&mut self, s: &Segment<'_>) -> Result<WaveletCoding> {
        if s.byte(0)? & 1 != 0 {
            return Err(unsupported("a precinct size", s.at));
        }
        if s.byte(0)? != 0 {
            return Err(unsupported("a marker at each packet", s.at));
        }
        // In these orders a resolution comes after the other; one packet each, in most cases.
        if s.byte(1)? > 2 {
            return Err(unsupported("this order of packets", s.at + 1));
        }
        if s.two(2)? != 1 {
            return Err(unsupported("more than one layer", s.at + 2));
        }
        self.color = match s.byte(4)? {
            0 => false,
            1 if self.components.len() >= 3 => true,
            _ => return Err(unsupported("this colour transform", s.at + 4)),
        };
        wavelet(s, 5)
    }

    fn read_curve(&mut self, s: &Segment<'_>) -> Result<()> {
        let component = s.two(0)?;
        let [depth, kind] = [s.byte(2)?, s.byte(3)?];
        let curve = match kind {
            0 => SampleCurve::Plain,
            3 => SampleCurve::Turned,
            4 => points(s)?,
            _ => return Err(unsupported("this transform of samples", s.at + 3)),
        };
        let components = match component {
            0xffff => 0..self.components.len(),
            component => component as usize..component as usize + 1,
        };
        let Some(components) = self.components.get_mut(components) else {
            return Err(corrupt("a segment is about a component that is not there", s.at));
        };
        for component in components {
            if depth != (component.depth - 1) | u32::from(component.signed) << 7 {
                return Err(corrupt(
                    "a transform of samples has another depth than they",
                    s.at + 2,
                ));
            }
            component.curve = curve.clone();
        }
        Ok(())
    }

    /// Puts together what the segments say of each component.
    fn settle(&mut self, notes: &HeaderNotes, at: usize) -> Result<()> {
        for (i, component) in self.components.iter_mut().enumerate() {
            let coding = notes.coding[i].or(notes.main_coding);
            let steps = notes.steps[i].as_ref().or(notes.main_steps.as_ref());
            let (Some(coding), Some((guard_bits, steps))) = (coding, steps) else {
                return Err(corrupt("the JPEG 2000 header does not say how it is coded", at));
            };
            let bands = 1 + 3 * coding.levels as usize;
            let stepped =
                steps.iter().take(bands).filter(|(_, mantissa)| mantissa.is_some()).count();
            if steps.len() < bands || stepped != if coding.reversible { 0 } else { bands } {
                return Err(corrupt("the quantization does not fit the wavelet", at));
            }
            if coding.reversible && matches!(component.curve, SampleCurve::Points(..)) {
                return Err(corrupt("a table of points does not fit a lossless component", at));
            }
            (component.levels, component.block_bits) = (coding.levels, coding.block_bits);
            (component.reversible, component.guard_bits) = (coding.reversible, *guard_bits);
            component.steps = steps[..bands].to_vec();
        }
        if let (true, [first, others @ ..]) = (self.color, &self.components[..]) {
            let same = |c: &ComponentCoding| {
                (c.depth, c.signed, c.sampling, c.levels, c.reversible)
                    == (first.depth, first.signed, first.sampling, first.levels, first.reversible)
            };
            if !others[..2].iter().all(same) {
                return Err(corrupt("the components of a colour are not alike", at));
            }
        }
        Ok(())
    }

    /// Goes through the tile-parts, and holds them to the lengths in TLM, if it is there.
    fn read_parts(&mut self, input: &[u8], mut at: usize, lengths: &[u32]) -> Result<()> {
        loop {
            if number::<2>(input, at) == Some(0xff00 | u32::from(marker::END)) {
                break;
            }
            let start = at;
            let (marker, tile, mut next) = segment(input, at)?;
            if marker != marker::TILE || tile.data.len() != 8 {
                return Err(corrupt("a tile-part does not start here", at));
            }
            let (index, length, part) = (tile.two(0)?, tile.four(2)?, tile.byte(6)?);
            if index != 0 || part as usize != self.parts.len() {
                return Err(corrupt("a tile-part is out of order", at));
            }
            let end = match length {
                // Up to the end, the marker of which may be missing.
                0 => input.len() - if input.ends_with(&[0xff, marker::END]) { 2 } else { 0 },
                length => start + length as usize,
            };
            if lengths.get(self.parts.len()).is_some_and(|told| *told as usize != end - start) {
                return Err(corrupt("a tile-part has another length than TLM says", start));
            }
            loop {
                at = next;
                if number::<2>(input, at) == Some(0xff00 | u32::from(marker::DATA)) {
                    break;
                }
                let (marker, _, after) = segment(input, at)?;
                // Lengths of packets (PLT) and comments are passed over.
                if ![0x58, marker::COMMENT].contains(&marker) {
                    return Err(unsupported(&format!("the marker ff{marker:02x} in a tile"), at));
                }
                next = after;
            }
            if end < at + 2 || end > input.len() {
                return Err(corrupt("a tile-part does not end in the chunk", start));
            }
            self.parts.push(at + 2..end);
            at = end;
            if at == input.len() {
                break;
            }
        }
        if !lengths.is_empty() && lengths.len() != self.parts.len() {
            return Err(corrupt("there are other tile-parts than TLM says", at));
        }
        Ok(())
    }
}

/// The segment at `at`: its marker, what it holds, where the next one is.
fn segment(input: &[u8], at: usize) -> Result<(u8, Segment<'_>, usize)> {
    let early = || corrupt("the JPEG 2000 header ends early", at);
    let [first, marker] = *input.get(at..).and_then(|rest| rest.first_chunk()).ok_or_else(early)?;
    if first != 0xff || marker < 0x4f {
        return Err(corrupt("a marker is missing in the JPEG 2000 header", at));
    }
    let length = number::<2>(input, at + 2).ok_or_else(early)? as usize;
    let next = at + 2 + length;
    let data = input.get(at + 4..next).ok_or_else(early)?;
    Ok((marker, Segment { data, at: at + 4 }, next))
}

fn wavelet(s: &Segment<'_>, at: usize) -> Result<WaveletCoding> {
    let levels = s.byte(at)?;
    let block_bits = [s.byte(at + 1)? + 2, s.byte(at + 2)? + 2];
    if levels > 32 || block_bits.iter().any(|bits| *bits > 10) || block_bits[0] + block_bits[1] > 12
    {
        return Err(corrupt("levels and code blocks are impossible", s.at + at));
    }
    // HT, perhaps with stripes that matter for passes that are not read.
    if ![0x40, 0x48].contains(&s.byte(at + 3)?) {
        return Err(unsupported("a block coder other than HT", s.at + at + 3));
    }
    let reversible = match s.byte(at + 4)? {
        0 => false,
        1 => true,
        _ => return Err(unsupported("this wavelet", s.at + at + 4)),
    };
    Ok(WaveletCoding { levels, block_bits, reversible })
}

fn steps(s: &Segment<'_>, at: usize) -> Result<BandSteps> {
    let style = s.byte(at)?;
    let data = &s.data[at + 1..];
    let steps = match style & 0x1f {
        0 => data.iter().map(|step| (u32::from(step >> 3), None)).collect(),
        2 => {
            let (steps, []) = data.as_chunks::<2>() else { return Err(s.short()) };
            let step = |step: &[u8; 2]| u32::from(u16::from_be_bytes(*step));
            steps.iter().map(step).map(|step| (step >> 11, Some(step & 0x7ff))).collect()
        }
        _ => return Err(unsupported("this quantization", s.at + at)),
    };
    Ok((style >> 5, steps))
}

fn points(s: &Segment<'_>) -> Result<SampleCurve> {
    let (count, low, high, bits) = (s.two(4)? as usize + 1, s.four(6)?, s.four(10)?, s.byte(14)?);
    if (low, high) != (0, u32::MAX) || !(2..=8192).contains(&count) {
        return Err(unsupported("this table of points", s.at + 4));
    }
    let data = &s.data[15..];
    let points: Vec<u32> = match bits {
        16 => data.as_chunks().0.iter().map(|p| u32::from(u16::from_be_bytes(*p))).collect(),
        32 => data.as_chunks().0.iter().map(|p| u32::from_be_bytes(*p)).collect(),
        _ => return Err(unsupported("this depth of points", s.at + 14)),
    };
    if points.len() != count || data.len() != count * bits as usize / 8 {
        return Err(s.short());
    }
    Ok(SampleCurve::Points(points, bits))
}

/// The lengths of tile-parts in TLM.
fn read_lengths(s: &Segment<'_>, lengths: &mut Vec<u32>) -> Result<()> {
    let style = s.byte(1)?;
    let index = match style >> 4 & 3 {
        bytes @ 0..3 => bytes as usize,
        _ => return Err(corrupt("TLM says nothing known", s.at + 1)),
    };
    let bytes = if style & 0x40 != 0 { 4 } else { 2 };
    let entries = &s.data[2..];
    if !entries.len().is_multiple_of(index + bytes) {
        return Err(s.short());
    }
    let length =
        |entry: &[u8]| entry[index..].iter().fold(0, |number, b| number << 8 | u32::from(*b));
    lengths.extend(entries.chunks_exact(index + bytes).map(length));
    Ok(())
}
