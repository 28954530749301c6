//! `solio-bench color`: arrays of colours on one core, each kernel beside a copy of the same bytes.

use crate::KernelBenchArgs;
use crate::report::BenchReport;
use crate::turns::BenchTurns;
use serde_json::{Value, json};
use solio::color::Space;
use solio::color::arrays::{Conversion, Sample};
use solio::color::gradient::presets::Preset;
use solio::color::gradient::{Floats, Mode, Sampler, Table8};
use solio::{Result, cpu};
use solio_cli::Outcome;
use std::hint::black_box;

/// A picture of one million pixels: beyond the cache of second level, as pictures are.
const PIXELS: usize = 1 << 20;
/// Values of a gradient that lie beyond all caches, 64 MiB of them: there the copy is the memory's.
const MANY_VALUES: usize = 1 << 24;
/// Pixels that go there and back before the next: they stay in the cache.
const CHUNK: usize = 1 << 12;

pub(crate) fn run(args: &KernelBenchArgs) -> Result<Outcome> {
    let rounds = if args.quick { 7 } else { 41 };
    let mut report = BenchReport::new(args.json);
    let floats: Vec<f32> = noise(3 * PIXELS).map(|x| x as f32 / 65535.0).collect();
    let bytes: Vec<u8> = noise(3 * PIXELS).map(|x| (x >> 8) as u8).collect();
    let halves: Vec<half::f16> = floats.iter().map(|x| half::f16::from_f32(*x)).collect();
    let there = [Space::Srgb, Space::Oklab];
    report.add(converted("sRGB to Oklab, f32", &floats, &there, rounds)?);
    let back = [Space::Srgb, Space::Oklab, Space::Srgb];
    report.add(converted("sRGB to Oklab to sRGB, f32", &floats, &back, rounds)?);
    report.add(converted("sRGB to Oklab to sRGB, f16", &halves, &back, rounds)?);
    report.add(converted("sRGB to Oklab to sRGB, u8", &bytes, &back, rounds)?);
    let curve = [Space::Srgb, Space::SrgbLinear];
    report.add(converted("sRGB to light, f32", &floats, &curve, rounds)?);
    let wide = [Space::AcesCg, Space::Rec2020];
    report.add(converted("ACEScg to Rec. 2020, f32", &floats, &wide, rounds)?);
    let values = &floats[..PIXELS];
    report.add(applied("gradient, f32 to u8 RGBA", values, rounds));
    let many: Vec<f32> = noise(MANY_VALUES).map(|x| x as f32 / 65535.0).collect();
    report.add(applied("gradient, f32 to u8 RGBA, 64 MiB", &many, rounds.min(9)));
    drop(many);
    report.add(applied_floats(values, rounds)?);
    Ok(report.end("One core; a copy reads and writes as many bytes."))
}

/// From the first of `spaces` to the next, and so on, a chunk at a time: as a caller does it who
/// looks at what is between.
fn converted<T: Sample>(
    work: &'static str,
    from: &[T],
    spaces: &[Space],
    rounds: usize,
) -> Result<Value> {
    let steps: Vec<Conversion> =
        spaces.windows(2).map(|pair| Conversion::new(pair[0], pair[1])).collect();
    let mut to = vec![T::default(); from.len()];
    let mut between = vec![0.0_f32; 3 * CHUNK];
    let mut convert = |from: &[T], to: &mut [T]| -> Result<()> {
        for (from, to) in from.chunks(3 * CHUNK).zip(to.chunks_mut(3 * CHUNK)) {
            match &steps[..] {
                [only] => only.run(from, to, 3)?,
                [there, back] => {
                    let between = &mut between[..from.len()];
                    there.run(from, between, 3)?;
                    back.run(between, to, 3)?;
                }
                _ => unreachable!("one step or two"),
            }
        }
        Ok(())
    };
    convert(from, &mut to)?;
    let first = to.clone();
    let mut copy = to.clone();
    let mut kernel = || convert(black_box(from), &mut to).expect("it went well before");
    let mut plain = || black_box(&mut copy).copy_from_slice(black_box(from));
    let turns = BenchTurns::of_kernels(rounds, 1, &mut kernel, &mut plain);
    let same = first.iter().zip(&to).filter(|(a, b)| same_bits(**a, **b)).count();
    let answer = format!("{same} of {} numbers as before", from.len());
    Ok(row(&turns, work, PIXELS, 6 * size_of::<T>(), &answer))
}

fn same_bits<T: Sample>(a: T, b: T) -> bool {
    let (mut x, mut y) = ([0.0], [0.0]);
    T::to_floats(&[a], &mut x);
    T::to_floats(&[b], &mut y);
    x[0].to_bits() == y[0].to_bits()
}

/// A gradient over values, in eight bits.
fn applied(work: &'static str, values: &[f32], rounds: usize) -> Value {
    let sampler = rainbow();
    let table = Table8::new(sampler.clone());
    let mut colors = vec![[0_u8; 4]; values.len()];
    let mut copy = vec![0.0_f32; values.len()];
    let mut kernel = || table.apply(black_box(values), [0.0, 1.0], black_box(&mut colors));
    let mut plain = || black_box(&mut copy).copy_from_slice(black_box(values));
    let turns = BenchTurns::of_kernels(rounds, 1, &mut kernel, &mut plain);
    let exact = |(value, color): &(&f32, &[u8; 4])| sampler.codes_at(f64::from(**value)) == **color;
    let right = values.iter().zip(&colors).step_by(997).filter(exact).count();
    let looked = values.len().div_ceil(997);
    row(&turns, work, values.len(), 8, &format!("{right} of {looked} colours exact"))
}

/// A gradient over values, in floats.
fn applied_floats(values: &[f32], rounds: usize) -> Result<Value> {
    let floats = Floats::new(rainbow());
    let mut colors = vec![[0.0_f32; 4]; values.len()];
    let mut copy = colors.clone();
    let from = colors.clone();
    let mut failed = Ok(());
    let mut kernel = || failed = floats.apply(black_box(values), [0.0, 1.0], &mut colors);
    let mut plain = || black_box(&mut copy).copy_from_slice(black_box(&from));
    let turns = BenchTurns::of_kernels(rounds, 1, &mut kernel, &mut plain);
    failed?;
    let answer = format!("last colour {:?}", colors[colors.len() - 1]);
    Ok(row(&turns, "gradient, f32 to f32 RGBA", values.len(), 20, &answer))
}

fn rainbow() -> Sampler {
    let preset = Preset::of_name("rainbow").expect("it is a preset");
    preset.gradient(Mode::default()).sampler()
}

/// The row of a kernel that reads and writes so many bytes for a pixel.
fn row(turns: &BenchTurns, work: &str, pixels: usize, pixel_bytes: usize, answer: &str) -> Value {
    let (tier, bytes) = (cpu::tier().name(), pixels * pixel_bytes);
    let more = json!({ "tier": tier, "pixels": pixels, "bytes": bytes, "answer": answer });
    turns.row(work, "a copy of the same bytes", more)
}

/// Numbers of 16 bits that look random, the same each time.
fn noise(count: usize) -> impl Iterator<Item = u32> {
    let mut state = 1_u32;
    std::iter::repeat_with(move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state >> 16
    })
    .take(count)
}
