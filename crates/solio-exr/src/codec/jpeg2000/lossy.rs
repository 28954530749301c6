//! Components that lose something: floats from -0.5 to 0.5.

use super::coefficient::Coefficient;
use super::curve::{PointCurve, half_places};
use super::geometry::{Band, BandKind};
use super::lift97::{JoinedFloats, SplitFloats};
use super::markers::ComponentCoding;

/// How a coefficient and what is coded for it go together.
#[derive(Clone, Copy)]
pub(super) struct StepScale {
    factor: f32,
    /// The largest magnitude that the band has bits for.
    most: f32,
}

/// The step of a band, for samples of a range of 1.
fn step(coding: &ComponentCoding, band: &Band) -> f32 {
    let (exponent, mantissa) = coding.steps[band.index];
    let gain = match band.kind {
        BandKind::LowLow => 1.0,
        BandKind::HighLow | BandKind::LowHigh => 2.0,
        BandKind::HighHigh => 4.0,
    };
    gain * (1.0 + mantissa.unwrap_or(0) as f32 / 2048.0) / (1u64 << exponent) as f32
}

impl Coefficient for f32 {
    type Coded = u64;
    type Scale = StepScale;
    type Joined = JoinedFloats;
    type Split = SplitFloats;

    fn scale(coding: &ComponentCoding, band: &Band, shift: u32) -> StepScale {
        // What is decoded is twice the magnitude, and its middle.
        StepScale { factor: step(coding, band) / 2.0 * (1u64 << shift) as f32, most: 0.0 }
    }

    fn coded_scale(coding: &ComponentCoding, band: &Band) -> StepScale {
        let most = (1u64 << coding.planes(band.index)) - 1;
        StepScale { factor: 1.0 / step(coding, band), most: most as f32 }
    }

    #[inline(always)]
    fn decoded(coded: u64, scale: StepScale) -> f32 {
        let magnitude = (coded | 1) as i64 as f32 * scale.factor;
        match coded {
            0 => 0.0,
            _ if coded & 1 == 1 => -magnitude,
            _ => magnitude,
        }
    }

    #[inline(always)]
    fn coded(self, scale: StepScale) -> u64 {
        let magnitude = (self.abs() * scale.factor).min(scale.most) as u64;
        if magnitude == 0 { 0 } else { magnitude << 1 | u64::from(self < 0.0) }
    }

    #[inline(always)]
    fn join_color([luma, blue, red]: [&[f32]; 3], color: &mut [Vec<f32>; 3]) {
        let [r, g, b] = color.each_mut().map(|row| row.iter_mut());
        let to = r.zip(g).zip(b);
        for ((((r, g), b), luma), (blue, red)) in to.zip(luma).zip(blue.iter().zip(red)) {
            *r = luma + 1.402 * red;
            *g = luma - 0.344_136_3 * blue - 0.714_136_3 * red;
            *b = luma + 1.772 * blue;
        }
    }

    #[inline(always)]
    fn split_color(color: &mut [Vec<f32>; 3]) {
        let [r, g, b] = color.each_mut().map(|row| row.iter_mut());
        for ((r, g), b) in r.zip(g).zip(b) {
            let luma = 0.299 * *r + 0.587 * *g + 0.114 * *b;
            (*r, *g, *b) = (luma, (*b - luma) / 1.772, (*r - luma) / 1.402);
        }
    }

    #[inline(always)]
    fn store(row: &[f32], coding: &ComponentCoding, curve: &PointCurve, out: &mut [u8]) {
        if coding.depth == 16 {
            for (to, x) in out.as_chunks_mut().0.iter_mut().zip(row) {
                *to = (curve.sample(*x, coding) as u16).to_le_bytes();
            }
        } else {
            for (to, x) in out.as_chunks_mut().0.iter_mut().zip(row) {
                *to = curve.sample(*x, coding).to_le_bytes();
            }
        }
    }

    #[inline(always)]
    fn load(raw: &[u8], coding: &ComponentCoding, curve: &PointCurve, row: &mut [f32]) {
        if coding.depth == 16 {
            let places = half_places();
            for (to, half) in row.iter_mut().zip(raw.as_chunks().0) {
                *to = places[usize::from(u16::from_le_bytes(*half))];
            }
        } else if let PointCurve::Points(points) = curve {
            for (to, float) in row.iter_mut().zip(raw.as_chunks().0) {
                *to = PointCurve::place(points, u32::from_le_bytes(*float), 32);
            }
        }
    }
}
