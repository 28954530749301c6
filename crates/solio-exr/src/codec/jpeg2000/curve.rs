//! The curve of samples that lose something: logarithmic for what is bright, as DWA has it, in a table of points.
//!
//! A sample, turned round where it is negative, goes from 0 to 1. The table says for some places of the curved
//! scale, at equal distances, where it lies on that of samples; between them the line is straight.

use std::sync::LazyLock;

use super::decode::{turn, turn_wide};
use super::markers::{ComponentCoding, SampleCurve};
use half::f16;

/// Points for halves, and for floats.
const HALF_POINTS: usize = 513;
const FLOAT_POINTS: usize = 257;
/// The largest half.
pub(super) const HALF_MAX: f64 = 65504.0;

/// The exponent of the curve below 1, as the reference has it.
const GAMMA: f64 = 2.2f32 as f64;
const INVERSE_GAMMA: f64 = (1.0f32 / 2.2f32) as f64;

/// The curve: a root up to 1, a logarithm behind it.
pub(super) fn to_curved(x: f64) -> f64 {
    let size = x.abs();
    let curved = if size <= 1.0 { size.powf(INVERSE_GAMMA) } else { size.ln() / GAMMA + 1.0 };
    curved.copysign(x)
}

/// Its inverse.
fn to_linear(x: f64) -> f64 {
    let size = x.abs();
    let linear = if size <= 1.0 { size.powf(GAMMA) } else { (GAMMA * (size - 1.0)).exp() };
    linear.copysign(x)
}

/// The table that is written for samples up to `largest`.
pub(super) fn points(depth: u32, largest: f64) -> SampleCurve {
    let count = if depth == 16 { HALF_POINTS } else { FLOAT_POINTS };
    let most = f64::from(i32::MAX >> (32 - depth));
    let scale = most / to_curved(largest);
    let step = 2.0 * most / (count - 1) as f64;
    let point = |i: usize| {
        let linear = to_linear((i as f64 * step - most) / scale) as f32;
        let bits =
            if depth == 16 { f16::from_f32(linear).to_bits().into() } else { linear.to_bits() };
        let whole = 2f64.powi(depth as i32);
        let place = f64::from(risen(bits, depth)) / whole + 0.5;
        (place * (whole - 1.0)).round() as u32
    };
    SampleCurve::Points((0..count).map(point).collect(), depth)
}

/// The bits of a float as a number that rises as it does.
fn risen(bits: u32, depth: u32) -> i32 {
    if depth == 16 {
        let bits = bits as u16 as i16;
        i32::from(bits ^ turn(bits))
    } else {
        let bits = bits as i32;
        bits ^ turn_wide(bits)
    }
}

/// How the floats of a component become samples.
#[derive(Clone, Debug)]
pub(super) enum PointCurve {
    /// Rounded.
    Straight,
    /// Through the points of the header.
    Points(Vec<f64>),
    /// Through the curve itself, which versions before 3.5.2 did not write down.
    Old,
}

/// By how much a sample of old files is larger than its curved value.
const OLD_HALF: f64 = 5424.23808866629;
const OLD_FLOAT: f64 = 51961246.180338;

impl PointCurve {
    /// That of a component.
    pub(super) fn of(coding: &ComponentCoding, is_old_lossy: bool) -> PointCurve {
        match &coding.curve {
            SampleCurve::Points(points, bits) => {
                let whole = 2f64.powi(*bits as i32);
                PointCurve::Points(points.iter().map(|p| f64::from(*p) / whole).collect())
            }
            _ if is_old_lossy && !coding.reversible => PointCurve::Old,
            _ => PointCurve::Straight,
        }
    }

    /// A sample as its bits, of a coefficient from -0.5 to 0.5.
    #[inline(always)]
    pub(super) fn sample(&self, x: f32, coding: &ComponentCoding) -> u32 {
        let depth = coding.depth;
        let whole = (1u64 << depth) as f64;
        let place = match self {
            PointCurve::Straight => f64::from(x),
            PointCurve::Points(points) => {
                let place = (f64::from(x) + 0.5).clamp(0.0, 1.0) * (points.len() - 1) as f64;
                let index = (place as usize).min(points.len() - 2);
                let [from, to] = [points[index], points[index + 1]];
                from + (place - index as f64) * (to - from) - 0.5
            }
            PointCurve::Old => return old_sample(f64::from(x) * whole, depth),
        };
        // NaN becomes 0, what is too large the largest value.
        let most = whole / 2.0;
        let number = (place * whole).round().clamp(-most, most - 1.0) as i32;
        if coding.curve == SampleCurve::Plain { number as u32 } else { unrisen(number, depth) }
    }

    /// The other way round, of a table.
    pub(super) fn place(points: &[f64], bits: u32, depth: u32) -> f32 {
        let whole = (1u64 << depth) as f64;
        let place = f64::from(risen(bits, depth)) / whole + 0.5;
        // The first point that is larger; there is one at each end that is not.
        let next = points.partition_point(|point| *point <= place).clamp(1, points.len() - 1);
        let [from, to] = [points[next - 1], points[next]];
        let part = ((place - from) / (to - from)).clamp(0.0, 1.0);
        (((next - 1) as f64 + part) / (points.len() - 1) as f64 - 0.5) as f32
    }
}

/// Undoes `risen`: it is its own inverse.
#[inline(always)]
fn unrisen(number: i32, depth: u32) -> u32 {
    if depth == 16 {
        let bits = number as i16;
        (bits ^ turn(bits)) as u16 as u32
    } else {
        (number ^ turn_wide(number)) as u32
    }
}

/// A sample of a file of versions before 3.5.2.
fn old_sample(x: f64, depth: u32) -> u32 {
    let most = f64::from(i32::MAX >> (32 - depth));
    let number = x.round().clamp(-most, most);
    if depth == 16 {
        return f16::from_f32(to_linear(number / OLD_HALF) as f32).to_bits().into();
    }
    let most = f64::from(f32::MAX);
    (to_linear(number / OLD_FLOAT).clamp(-most, most) as f32).to_bits()
}

/// The places of all halves on the curve that is written for them.
pub(super) fn half_places() -> &'static [f32] {
    static PLACES: LazyLock<Vec<f32>> = LazyLock::new(|| {
        let SampleCurve::Points(points, bits) = points(16, HALF_MAX) else { return Vec::new() };
        let whole = (1u64 << bits) as f64;
        let points: Vec<f64> = points.iter().map(|p| f64::from(*p) / whole).collect();
        (0..1 << 16).map(|half| PointCurve::place(&points, half, 16)).collect()
    });
    &PLACES
}
