//! The header of a codestream as it is written, and its tile-parts: the other side of `markers.rs`.

use super::markers::{ComponentCoding, SampleCurve, marker};

/// JPEG 2000 with the block coder of part 15.
const HIGH_THROUGHPUT: u16 = 0x4000;
/// And with what part 2 says of the curves of samples.
const WITH_CURVES: u16 = 0x8200;

/// Levels of the wavelet.
pub(super) const LEVELS: u32 = 5;

fn segment(marker: u8, out: &mut Vec<u8>, fill: impl FnOnce(&mut Vec<u8>)) {
    out.extend([0xff, marker]);
    let start = out.len();
    out.extend([0, 0]);
    fill(out);
    let length = (out.len() - start) as u16;
    out[start..start + 2].copy_from_slice(&length.to_be_bytes());
}

/// A component by its number, in as few bytes as the header has for all of them.
fn component(index: usize, count: usize, out: &mut Vec<u8>) {
    match count {
        ..257 => out.push(index as u8),
        _ => out.extend((index as u16).to_be_bytes()),
    }
}

/// Appends the header: what all components have in common once, the rest for each.
pub(super) fn write_header(
    size: [usize; 2],
    components: &[ComponentCoding],
    color: bool,
    out: &mut Vec<u8>,
) {
    let count = components.len();
    let curves = components.iter().any(|c| c.curve != SampleCurve::Plain);
    out.extend([0xff, marker::START]);
    segment(marker::SIZE, out, |out| {
        let capabilities = if curves { HIGH_THROUGHPUT | WITH_CURVES } else { HIGH_THROUGHPUT };
        out.extend(capabilities.to_be_bytes());
        // The image, then the one tile that it is.
        for [width, height] in [size, [0, 0], size, [0, 0]] {
            out.extend([width as u32, height as u32].into_iter().flat_map(u32::to_be_bytes));
        }
        out.extend((count as u16).to_be_bytes());
        for c in components {
            let depth = (c.depth - 1) as u8 | u8::from(c.signed) << 7;
            out.extend([depth, c.sampling[0] as u8, c.sampling[1] as u8]);
        }
    });
    segment(marker::CAPABILITIES, out, |out| {
        out.extend(0x0002_0000u32.to_be_bytes());
        out.extend(block_capabilities(components).to_be_bytes());
    });
    let first = &components[0];
    segment(marker::CODING, out, |out| {
        // Resolution by resolution; one layer.
        out.extend([0, 2, 0, 1, u8::from(color)]);
        out.extend(wavelet(first));
    });
    for (i, other) in components.iter().enumerate().skip(1) {
        if wavelet(other) != wavelet(first) {
            segment(marker::CODING_OF_COMPONENT, out, |out| {
                component(i, count, out);
                out.push(0);
                out.extend(wavelet(other));
            });
        }
    }
    segment(marker::QUANTIZATION, out, |out| quantization(first, out));
    for (i, other) in components.iter().enumerate().skip(1) {
        if (&other.steps, other.guard_bits) != (&first.steps, first.guard_bits) {
            segment(marker::QUANTIZATION_OF_COMPONENT, out, |out| {
                component(i, count, out);
                quantization(other, out);
            });
        }
    }
    for (i, c) in components.iter().enumerate() {
        let kind = match c.curve {
            SampleCurve::Plain => continue,
            SampleCurve::Turned => 3,
            SampleCurve::Points(..) => 4,
        };
        segment(marker::NONLINEAR, out, |out| {
            out.extend((i as u16).to_be_bytes());
            out.extend([(c.depth - 1) as u8 | u8::from(c.signed) << 7, kind]);
            if let SampleCurve::Points(points, bits) = &c.curve {
                out.extend((points.len() as u16 - 1).to_be_bytes());
                out.extend([0, u32::MAX].into_iter().flat_map(u32::to_be_bytes));
                out.push(*bits as u8);
                let bytes = *bits as usize / 8;
                out.extend(points.iter().flat_map(|p| p.to_be_bytes().into_iter().skip(4 - bytes)));
            }
        });
    }
}

fn wavelet(c: &ComponentCoding) -> [u8; 5] {
    let [x, y] = c.block_bits.map(|bits| bits as u8 - 2);
    [c.levels as u8, x, y, 0x40, u8::from(c.reversible)]
}

fn quantization(c: &ComponentCoding, out: &mut Vec<u8>) {
    out.push((c.guard_bits as u8) << 5 | if c.reversible { 0 } else { 2 });
    for (exponent, mantissa) in &c.steps {
        match mantissa {
            None => out.push((*exponent as u8) << 3),
            Some(mantissa) => {
                out.extend((*exponent as u16 * 2048 + *mantissa as u16).to_be_bytes())
            }
        }
    }
}

/// Which blocks there are (Ccap15): whether some lose something, and how many bits they have.
fn block_capabilities(components: &[ComponentCoding]) -> u16 {
    let lossy = components.iter().any(|c| !c.reversible);
    let bits_of = |c: &ComponentCoding| {
        let bits = |band: usize| match c.reversible {
            true => c.planes(band),
            // Counted without what the level adds.
            false => (c.steps[band].0 + c.guard_bits)
                .saturating_sub(c.levels - band.saturating_sub(1) as u32 / 3),
        };
        (0..c.steps.len()).map(bits).max().unwrap_or(0)
    };
    let bits = components.iter().map(bits_of).max().unwrap_or(0) as u16;
    let code = match bits {
        ..=8 => 0,
        9..28 => bits - 8,
        _ => 13 + bits / 4,
    };
    code | u16::from(lossy) << 5
}

/// Appends tile-parts, one a resolution, of `packets`, and the end.
pub(super) fn write_tile_parts(packets: &[u8], lengths: &[usize], out: &mut Vec<u8>) {
    /// Bytes of a tile-part before its packets.
    const BEFORE: usize = 14;
    segment(marker::LENGTHS, out, |out| {
        out.extend([0, 0x60]);
        for length in lengths {
            out.extend([0, 0]);
            out.extend(((length + BEFORE) as u32).to_be_bytes());
        }
    });
    let mut rest = packets;
    for (index, length) in lengths.iter().enumerate() {
        segment(marker::TILE, out, |out| {
            out.extend([0, 0]);
            out.extend(((length + BEFORE) as u32).to_be_bytes());
            out.extend([index as u8, lengths.len() as u8]);
        });
        out.extend([0xff, marker::DATA]);
        let (part, others) = rest.split_at(*length);
        out.extend_from_slice(part);
        rest = others;
    }
    out.extend([0xff, marker::END]);
}
