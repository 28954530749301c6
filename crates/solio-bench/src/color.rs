//! `solio-bench color`: arrays of colours on one core, each kernel beside a copy of the same bytes.

use crate::kernels::time;

use crate::KernelBenchArgs;
use crate::stats::{Ratio, median};
use serde_json::{Value, json};
use solio::color::Space;
use solio::color::arrays::{Conversion, Sample};
use solio::color::gradient::presets::Preset;
use solio::color::gradient::{Floats, Mode, Sampler, Table8};
use solio::{Result, cpu};
use solio_cli::table::{DIM, TextTable};
use solio_cli::{Outcome, schema, screen};
use std::hint::black_box;

/// A picture of one million pixels: beyond the cache of second level, as pictures are.
const PIXELS: usize = 1 << 20;
/// Values of a gradient that lie beyond all caches, 64 MiB of them: there the copy is the memory's.
const MANY_VALUES: usize = 1 << 24;
/// Pixels that go there and back before the next: they stay in the cache.
const CHUNK: usize = 1 << 12;

/// One kernel as measured.
struct ColorLine {
    work: &'static str,
    pixels: usize,
    /// Seconds for all pixels.
    seconds: f64,
    copy_seconds: f64,
    /// Kernel / copy.
    ratio: Ratio,
    /// Kernel / the same kernel.
    same: Ratio,
    /// Bytes read and written for a pixel.
    bytes: usize,
    answer: String,
}

/// Runs a kernel over all pixels, or a copy of as many bytes.
type ColorRun<'a> = &'a mut dyn FnMut();

pub(crate) fn run(args: &KernelBenchArgs) -> Result<Outcome> {
    let lines = measure(if args.quick { 7 } else { 41 })?;
    if args.json {
        lines.iter().for_each(|line| screen::print(&schema::line("bench/1", &[], as_json(line))));
    } else {
        screen::print(&as_table(&lines));
    }
    Ok(Outcome::Done)
}

fn measure(samples: usize) -> Result<Vec<ColorLine>> {
    let floats: Vec<f32> = noise(3 * PIXELS).map(|x| x as f32 / 65535.0).collect();
    let bytes: Vec<u8> = noise(3 * PIXELS).map(|x| (x >> 8) as u8).collect();
    let halves: Vec<half::f16> = floats.iter().map(|x| half::f16::from_f32(*x)).collect();
    let mut lines = Vec::new();
    converted("sRGB to Oklab, f32", &floats, &[Space::Srgb, Space::Oklab], samples, &mut lines)?;
    let back = [Space::Srgb, Space::Oklab, Space::Srgb];
    converted("sRGB to Oklab to sRGB, f32", &floats, &back, samples, &mut lines)?;
    converted("sRGB to Oklab to sRGB, f16", &halves, &back, samples, &mut lines)?;
    converted("sRGB to Oklab to sRGB, u8", &bytes, &back, samples, &mut lines)?;
    let curve = [Space::Srgb, Space::SrgbLinear];
    converted("sRGB to light, f32", &floats, &curve, samples, &mut lines)?;
    let wide = [Space::AcesCg, Space::Rec2020];
    converted("ACEScg to Rec. 2020, f32", &floats, &wide, samples, &mut lines)?;
    let values = &floats[..PIXELS];
    lines.push(applied("gradient, f32 to u8 RGBA", values, samples));
    let many: Vec<f32> = noise(MANY_VALUES).map(|x| x as f32 / 65535.0).collect();
    lines.push(applied("gradient, f32 to u8 RGBA, 64 MiB", &many, samples.min(9)));
    drop(many);
    lines.push(applied_floats(values, samples)?);
    Ok(lines)
}

/// From the first of `spaces` to the next, and so on, a chunk at a time: as a caller does it who
/// looks at what is between.
fn converted<T: Sample>(
    work: &'static str,
    from: &[T],
    spaces: &[Space],
    samples: usize,
    lines: &mut Vec<ColorLine>,
) -> Result<()> {
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
    let line = beside(work, 6 * size_of::<T>(), samples, &mut kernel, &mut plain);
    let same = first.iter().zip(&to).filter(|(a, b)| same_bits(**a, **b)).count();
    lines.push(ColorLine { answer: format!("{same} of {} numbers as before", from.len()), ..line });
    Ok(())
}

fn same_bits<T: Sample>(a: T, b: T) -> bool {
    let (mut x, mut y) = ([0.0], [0.0]);
    T::to_floats(&[a], &mut x);
    T::to_floats(&[b], &mut y);
    x[0].to_bits() == y[0].to_bits()
}

/// A gradient over values, in eight bits.
fn applied(work: &'static str, values: &[f32], samples: usize) -> ColorLine {
    let sampler = rainbow();
    let table = Table8::new(sampler.clone());
    let mut colors = vec![[0_u8; 4]; values.len()];
    let mut copy = vec![0.0_f32; values.len()];
    let mut kernel = || table.apply(black_box(values), [0.0, 1.0], black_box(&mut colors));
    let mut plain = || black_box(&mut copy).copy_from_slice(black_box(values));
    let line = beside(work, 8, samples, &mut kernel, &mut plain);
    let exact = |(value, color): &(&f32, &[u8; 4])| sampler.codes_at(f64::from(**value)) == **color;
    let right = values.iter().zip(&colors).step_by(997).filter(exact).count();
    let looked = values.len().div_ceil(997);
    let answer = format!("{right} of {looked} colours exact");
    ColorLine { answer, pixels: values.len(), ..line }
}

/// A gradient over values, in floats.
fn applied_floats(values: &[f32], samples: usize) -> Result<ColorLine> {
    let floats = Floats::new(rainbow());
    let mut colors = vec![[0.0_f32; 4]; values.len()];
    let mut copy = colors.clone();
    let from = colors.clone();
    let mut failed = Ok(());
    let mut kernel = || failed = floats.apply(black_box(values), [0.0, 1.0], &mut colors);
    let mut plain = || black_box(&mut copy).copy_from_slice(black_box(&from));
    let line = beside("gradient, f32 to f32 RGBA", 20, samples, &mut kernel, &mut plain);
    failed?;
    Ok(ColorLine { answer: format!("last colour {:?}", colors[colors.len() - 1]), ..line })
}

fn rainbow() -> Sampler {
    let preset = Preset::of_name("rainbow").expect("it is a preset");
    preset.gradient(Mode::default()).sampler()
}

/// Kernel, copy, kernel again, many times.
fn beside(
    work: &'static str,
    bytes: usize,
    samples: usize,
    kernel: ColorRun<'_>,
    plain: ColorRun<'_>,
) -> ColorLine {
    let (mut ours, mut copy, mut again) = (Vec::new(), Vec::new(), Vec::new());
    for sample in 0..=samples {
        let taken = [time(1, kernel), time(1, plain), time(1, kernel)];
        // The first round warms up.
        if sample > 0 {
            ours.push(taken[0]);
            copy.push(taken[1]);
            again.push(taken[2]);
        }
    }
    ColorLine {
        work,
        pixels: PIXELS,
        seconds: median(&ours),
        copy_seconds: median(&copy),
        ratio: Ratio::of(&ours, &copy),
        same: Ratio::of(&ours, &again),
        bytes,
        answer: String::new(),
    }
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

impl ColorLine {
    fn millions_a_second(&self, seconds: f64) -> f64 {
        self.pixels as f64 / seconds / 1e6
    }
}

fn as_json(line: &ColorLine) -> Value {
    json!({
        "case": line.work,
        "peer": "a copy of the same bytes",
        "tier": cpu::tier().name(),
        "mpix_s": line.millions_a_second(line.seconds),
        "copy_mpix_s": line.millions_a_second(line.copy_seconds),
        "wall_s": line.seconds,
        "peer_wall_s": line.copy_seconds,
        "bytes_a_pixel": line.bytes,
        "ratio_wall": line.ratio.json(),
        "same_wall": line.same.json(),
        "quiet": line.same.is_quiet(),
        "answer": line.answer,
    })
}

fn as_table(lines: &[ColorLine]) -> String {
    let mut table = TextTable::new(&[
        "arrays of colours, one core",
        ">Mpix/s",
        ">a copy",
        ">of a copy",
        ">A/A",
    ]);
    for line in lines {
        table.row(vec![
            line.work.into(),
            format!("{:.1}", line.millions_a_second(line.seconds)),
            format!("{:.0}", line.millions_a_second(line.copy_seconds)),
            format!("{:.0} %", 100.0 / line.ratio.median),
            format!("{:.2}", line.same.median),
        ]);
    }
    let note = "A copy reads and writes as many bytes; of a copy: the share of its rate.";
    format!("{}{DIM}{note}{DIM:#}\n", table.render())
}
