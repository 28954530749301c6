//! SuperSplat's packed PLY, written: splats in an order in which neighbours lie side by side, in chunks of
//! 256, each number between bounds of its chunk (PlayCanvas, `write-compressed-ply.ts`).

use super::columns::{COEFFICIENTS, SplatColumns, alpha_of, channel_of};
use super::measure::{lacks, measure};
use super::unpack::{BOUNDS, CHUNK, WORDS, unpack};
use crate::model::{Attribute, Mesh, Scene, Values};
use crate::ply::{PlyWriteOptions, header};
use crate::spans::PREPARE;
use solio_base::{Error, Losses, Result, Sink, Work};
use std::fmt::Write;

const NAME: &str = "packed PLY";
/// Readers know harmonics up to this degree.
const MOST_DEGREE: usize = 3;
/// The logarithms of sizes that bounds take.
const SCALES: [f32; 2] = [-20.0, 20.0];
/// Chunks that are written at once.
const ROWS: usize = 128;

/// A file's numbers.
struct PackedSplats {
    /// The splat of each place.
    order: Vec<u32>,
    bounds: Vec<[f32; 18]>,
    words: Vec<[u32; 4]>,
    /// The bytes of the harmonics, all of a splat side by side.
    harmonics: Vec<u8>,
    /// How many of a splat.
    width: usize,
}

/// Writes the splats of a scene as SuperSplat packs them. Of `options` the comments count.
///
/// # Errors
/// `Unsupported` where the scene has no splats, and what `sink` fails with.
pub(crate) fn encode_packed_splats(
    scene: &Scene<'_>,
    options: &PlyWriteOptions,
    work: &Work,
    sink: &mut dyn Sink,
) -> Result<()> {
    let plain = PlyWriteOptions::default();
    let axes = |o: &PlyWriteOptions| (o.forward_axis, o.up_axis);
    if options.format != plain.format || axes(options) != options.source_axes {
        let message = "packed splats are binary, least byte first, and keep their axes";
        return Err(Error::argument(message));
    }
    if options.global_scale != 1.0 {
        return Err(Error::argument("packed splats are not scaled"));
    }
    let prepare = PREPARE.begin();
    let packed = PackedSplats::of(&SplatColumns::of_scene(scene, NAME)?);
    drop(prepare);
    let head = header(&[], scene, options)?;
    sink.write_bytes(work, packed.header(&head).as_bytes())?;
    let (chunks, count) = (packed.bounds.len(), packed.words.len());
    sink.write_chunks(work, chunks.div_ceil(ROWS), &|i, out| {
        let bounds = &packed.bounds[i * ROWS..chunks.min((i + 1) * ROWS)];
        bounds.as_flattened().iter().for_each(|v| out.extend_from_slice(&v.to_le_bytes()));
        Ok(())
    })?;
    let rows = ROWS * CHUNK;
    sink.write_chunks(work, count.div_ceil(rows), &|i, out| {
        let words = &packed.words[i * rows..count.min((i + 1) * rows)];
        words.as_flattened().iter().for_each(|v| out.extend_from_slice(&v.to_le_bytes()));
        Ok(())
    })?;
    let bytes = packed.harmonics.chunks(1 << 20);
    sink.write_chunks(work, bytes.len(), &|i, out| {
        let start = i << 20;
        let end = packed.harmonics.len().min(start + (1 << 20));
        out.extend_from_slice(&packed.harmonics[start..end]);
        Ok(())
    })
}

/// What such a file cannot hold of a scene, and how far off the rest is.
///
/// # Errors
/// `Unsupported` where the scene has no splats.
pub(crate) fn packed_splat_losses(scene: &Scene<'_>) -> Result<Losses> {
    let _span = PREPARE.begin();
    let columns = SplatColumns::of_scene(scene, NAME)?;
    let mut losses = Losses::default();
    lacks(&mut losses, scene, NAME);
    let packed = PackedSplats::of(&columns);
    let before = columns.in_order(&packed.order);
    let mut mesh = packed.into_mesh();
    unpack(&mut mesh);
    if let Some(after) = SplatColumns::of_mesh(&mesh) {
        measure(&mut losses, NAME, &before, &after, None);
    }
    Ok(losses)
}

impl PackedSplats {
    fn of(columns: &SplatColumns<'_>) -> PackedSplats {
        let order = order_of(&columns.positions);
        let degree = columns.degree().min(MOST_DEGREE);
        let (own, kept) = (COEFFICIENTS[columns.degree()], COEFFICIENTS[degree]);
        let rest: Vec<&[f32]> = (0..3)
            .flat_map(|c| (0..kept).map(move |k| c * own + k))
            .map(|k| &*columns.rest[k])
            .collect();
        let mut packed = PackedSplats {
            bounds: Vec::with_capacity(order.len().div_ceil(CHUNK)),
            words: Vec::with_capacity(order.len()),
            harmonics: Vec::with_capacity(order.len() * rest.len()),
            width: rest.len(),
            order: Vec::new(),
        };
        for chunk in order.chunks(CHUNK) {
            packed.add(columns, chunk);
            for &i in chunk {
                let byte = |column: &&[f32]| harmonic(column[i as usize]);
                packed.harmonics.extend(rest.iter().map(byte));
            }
        }
        packed.order = order;
        packed
    }

    /// Adds a chunk of these splats.
    fn add(&mut self, columns: &SplatColumns<'_>, chunk: &[u32]) {
        let of = |i: u32| {
            let i = i as usize;
            let scales = SplatColumns::three(&columns.scales, i);
            let scales = scales.map(|v| v.clamp(SCALES[0], SCALES[1]));
            let colors = SplatColumns::three(&columns.colors, i).map(channel_of);
            [columns.positions[i], scales, colors]
        };
        let mut bounds = [[[0.0_f32; 3]; 2]; 3];
        for (n, [lows, highs]) in bounds.iter_mut().enumerate() {
            for (axis, (least, most)) in lows.iter_mut().zip(highs).enumerate() {
                let values = chunk.iter().map(|&i| of(i)[n][axis]).filter(|v| v.is_finite());
                let found = values.fold([f32::INFINITY, f32::NEG_INFINITY], |[low, high], v| {
                    [low.min(v), high.max(v)]
                });
                // None is a number.
                let [low, high] = if found[0] <= found[1] { found } else { [0.0; 2] };
                (*least, *most) = (low, high);
            }
        }
        // The least and greatest of places, sizes and colours, in this order.
        let mut all = [0.0; 18];
        all.copy_from_slice(bounds.as_flattened().as_flattened());
        self.bounds.push(all);
        for &i in chunk {
            let [place, scale, color] = of(i);
            let within = |n: usize, values: [f32; 3]| -> [f32; 3] {
                let [low, high] = bounds[n];
                std::array::from_fn(|k| match high[k] > low[k] {
                    true => (values[k] - low[k]) / (high[k] - low[k]),
                    false => 0.0,
                })
            };
            let [r, g, b] = within(2, color).map(|v| bits(v, 255));
            let alpha = bits(alpha_of(columns.opacity[i as usize]), 255);
            let color = r << 24 | g << 16 | b << 8 | alpha;
            let turn = turn_of(columns.turn(i as usize));
            self.words.push([three_of(within(0, place)), turn, three_of(within(1, scale)), color]);
        }
    }

    fn header(&self, head: &str) -> String {
        let mut text = head.strip_suffix("end_header\n").unwrap_or(head).to_owned();
        let mut element = |name: &str, count: usize, kind: &str, properties: &[String]| {
            let _ = writeln!(text, "element {name} {count}");
            properties.iter().for_each(|p| text.push_str(&format!("property {kind} {p}\n")));
        };
        element("chunk", self.bounds.len(), "float", &BOUNDS.map(String::from));
        element("vertex", self.words.len(), "uint", &WORDS.map(String::from));
        if self.width > 0 {
            let names: Vec<String> = (0..self.width).map(|k| format!("f_rest_{k}")).collect();
            element("sh", self.words.len(), "uchar", &names);
        }
        text.push_str("end_header\n");
        text
    }

    /// What a reader makes of it before it unpacks.
    fn into_mesh(self) -> Mesh<'static> {
        let attribute = |element: &str, name: &str, values| Attribute {
            element: element.into(),
            name: name.into(),
            values,
            list: None,
        };
        let mut attributes = Vec::new();
        for (k, name) in BOUNDS.iter().enumerate() {
            let values = Values::F32(self.bounds.iter().map(|bounds| bounds[k]).collect());
            attributes.push(attribute("chunk", name, values));
        }
        for (k, name) in WORDS.iter().enumerate() {
            let values = Values::U32(self.words.iter().map(|words| words[k]).collect());
            attributes.push(attribute("vertex", name, values));
        }
        for k in 0..self.width {
            let values =
                Values::U8(self.harmonics.iter().skip(k).step_by(self.width).copied().collect());
            attributes.push(attribute("sh", &format!("f_rest_{k}"), values));
        }
        Mesh { attributes, ..Mesh::default() }
    }
}

/// A harmonic from −4 to 4 as a byte; 0 of NaN.
fn harmonic(value: f32) -> u8 {
    let value = if value.is_nan() { 0.0 } else { value };
    ((value / 8.0 + 0.5) * 256.0) as u8
}

/// A number from 0 to 1 as one of `0..=most`; NaN becomes 0.
fn bits(value: f32, most: u32) -> u32 {
    (value.clamp(0.0, 1.0) * most as f32 + 0.5) as u32
}

/// Three numbers from 0 to 1 in 11, 10 and 11 bits.
fn three_of([x, y, z]: [f32; 3]) -> u32 {
    bits(x, 2047) << 21 | bits(y, 1023) << 11 | bits(z, 2047)
}

/// A quaternion without its largest part, which is positive.
fn turn_of(turn: [f32; 4]) -> u32 {
    let largest = (1..4).fold(0, |most, k| if turn[k].abs() > turn[most].abs() { k } else { most });
    let sign = if turn[largest] < 0.0 { -1.0 } else { 1.0 };
    let others = (0..4).filter(|k| *k != largest);
    others.fold(largest as u32, |word, k| {
        word << 10 | bits(sign * turn[k] * std::f32::consts::FRAC_1_SQRT_2 + 0.5, 1023)
    })
}

/// An order in which neighbours follow each other: by the bits of their places, those of the three axes
/// in turn.
pub(super) fn order_of(positions: &[[f32; 3]]) -> Vec<u32> {
    let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for position in positions {
        for k in (0..3).filter(|k| position[*k].is_finite()) {
            (low[k], high[k]) = (low[k].min(position[k]), high[k].max(position[k]));
        }
    }
    /// Of each axis.
    const BITS: u32 = 21;
    let most = f64::from((1 << BITS) - 1);
    let key = |position: &[f32; 3]| {
        (0..3).fold(0, |key, k| {
            let (start, size) = (f64::from(low[k]), f64::from(high[k]) - f64::from(low[k]));
            // From a float to an integer Rust cuts off, and NaN becomes 0.
            let at = ((f64::from(position[k]) - start) / size * most) as u64;
            key | spread(at.min(most as u64)) << k
        })
    };
    let mut keys: Vec<(u64, u32)> =
        positions.iter().enumerate().map(|(i, position)| (key(position), i as u32)).collect();
    keys.sort_unstable();
    keys.into_iter().map(|(_, i)| i).collect()
}

/// 21 bits, two zeros between each.
fn spread(bits: u64) -> u64 {
    let steps = [
        (32, 0x001f_0000_0000_ffff),
        (16, 0x001f_0000_ff00_00ff),
        (8, 0x100f_00f0_0f00_f00f),
        (4, 0x10c3_0c30_c30c_30c3),
        (2, 0x1249_2492_4924_9249),
    ];
    steps.iter().fold(bits, |bits, (shift, mask)| (bits | bits << shift) & mask)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_of_three_axes_take_turns() {
        assert_eq!([spread(1), spread(2), spread(3), spread(1 << 20)], [1, 8, 9, 1 << 60]);
        assert_eq!(spread((1 << 21) - 1), 0x1249_2492_4924_9249);
    }

    #[test]
    fn neighbours_follow_each_other() {
        // Two heaps, taken in turn; what has no place is first or last, and not lost.
        let at = |i: usize| [[0.0, 100.0][i % 2] + i as f32 * 0.01, 0.0, -1.0];
        let mut positions: Vec<[f32; 3]> = (0..600).map(at).collect();
        positions.push([f32::NAN, f32::INFINITY, 0.0]);
        let mut order = order_of(&positions);
        let switches = order.windows(2).filter(|w| w[0] % 2 != w[1] % 2).count();
        assert!(switches < 4, "{switches}");
        order.sort_unstable();
        assert!(order.iter().enumerate().all(|(i, &at)| at as usize == i));
    }
}
