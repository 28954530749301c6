//! Colours of a picture from sRGB to Oklab and back, as Solio does it and as the crate palette.
//!
//! palette goes there and back pixel by pixel, which spares it the way through memory; Solio goes
//! chunk by chunk, with the Oklab of a chunk in an array.

use crate::compared::{Case, compare};
use palette::{FromColor, IntoColor, LinSrgb, Oklab, Srgb};
use solio::color::Space;
use solio::color::arrays::{Conversion, Sample};
use std::hint::black_box;

const PIXELS: usize = 1 << 20;
const CHUNK: usize = 3 << 12;

/// Prints a row for each type.
pub fn print(quick: bool) {
    let rounds = if quick { 5 } else { 31 };
    let mut state = 1_u32;
    let mut noise = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state >> 16
    };
    let codes: Vec<u8> = (0..3 * PIXELS).map(|_| (noise() >> 8) as u8).collect();
    let floats: Vec<f32> = (0..3 * PIXELS).map(|_| noise() as f32 / 65535.0).collect();
    let (mut ours, mut theirs) = (vec![0.0_f32; 3 * PIXELS], vec![0.0_f32; 3 * PIXELS]);
    compare(
        &case("f32", rounds),
        &mut || {
            there_and_back(black_box(&floats), &mut ours);
            format!("{:.3}", ours.iter().map(|x| f64::from(*x)).sum::<f64>() / 1e3)
        },
        &mut || {
            let pixels = black_box(&floats).as_chunks::<3>().0;
            for (&[r, g, b], to) in pixels.iter().zip(theirs.as_chunks_mut::<3>().0) {
                let back: Srgb<f32> = Oklab::from_color(Srgb::new(r, g, b)).into_color();
                *to = [back.red, back.green, back.blue];
            }
            format!("{:.3}", theirs.iter().map(|x| f64::from(*x)).sum::<f64>() / 1e3)
        },
    );
    let near = ours.iter().zip(&theirs).all(|(a, b)| (a - b).abs() < 1e-4);
    assert!(near, "other colours");
    let (mut ours, mut theirs) = (vec![0_u8; 3 * PIXELS], vec![0_u8; 3 * PIXELS]);
    compare(
        &case("u8", rounds),
        &mut || {
            there_and_back(black_box(&codes), &mut ours);
            format!("{}", ours.iter().map(|x| u64::from(*x)).sum::<u64>())
        },
        &mut || {
            let pixels = black_box(&codes).as_chunks::<3>().0;
            for (&[r, g, b], to) in pixels.iter().zip(theirs.as_chunks_mut::<3>().0) {
                let lab = Oklab::from_color(Srgb::new(r, g, b).into_linear::<f32>());
                let light: LinSrgb<f32> = lab.into_color();
                let back: Srgb<u8> = Srgb::from_linear(light);
                *to = [back.red, back.green, back.blue];
            }
            format!("{}", theirs.iter().map(|x| u64::from(*x)).sum::<u64>())
        },
    );
    assert!(ours == codes && theirs == codes, "eight bits did not come back");
}

fn case(kind: &str, rounds: usize) -> Case<'static> {
    let work = format!("sRGB to Oklab to sRGB, {kind}, one thread");
    Case { work, peer: "palette", version: "0.7.7", rounds, repeat: 1 }
}

fn there_and_back<T: Sample>(from: &[T], to: &mut [T]) {
    let there = Conversion::new(Space::Srgb, Space::Oklab);
    let back = Conversion::new(Space::Oklab, Space::Srgb);
    let mut lab = vec![0.0_f32; CHUNK];
    for (from, to) in from.chunks(CHUNK).zip(to.chunks_mut(CHUNK)) {
        let lab = &mut lab[..from.len()];
        there.run(from, lab, 3).expect("whole pixels");
        back.run(lab, to, 3).expect("whole pixels");
    }
}
