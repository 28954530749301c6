//! Replays the fuzz bodies of colours and gradients: over seeds, cut off and changed, and over what
//! fuzzing has found.
#![allow(clippy::disallowed_methods)] // a test reads its own files

#[path = "../../../fuzz/bodies/color.rs"]
mod color_body;
#[path = "../../../fuzz/bodies/gradient.rs"]
mod gradient_body;
#[path = "../../../fuzz/bodies/kept.rs"]
mod kept;

use solio_color::gradient::formats::{GradientFormat, GradientWriteOptions, write};
use solio_color::gradient::{Gradient, Mode, parse_stops, presets::STUDY};
use solio_color::{Color, Space};
use std::path::PathBuf;

/// What a fuzz target does with its bytes.
type FuzzBody = fn(&[u8]);

/// A name, a body, and the inputs it starts from.
fn targets() -> [(&'static str, FuzzBody, Vec<Vec<u8>>); 2] {
    [
        ("color", color_body::color, color_seeds()),
        ("gradient", gradient_body::gradient, gradient_seeds()),
    ]
}

/// Each function and each space of `color()`, and a few lists of stops.
fn color_seeds() -> Vec<Vec<u8>> {
    let mut seeds: Vec<String> = [
        "RebeccaPurple",
        "#f80",
        "#12aB0080",
        "rgba(100%, 0%, 20%, 50%)",
        "rgb(300 -5 51 / 2)",
        "hsla(120, 10%, 7%, .5)",
        "hsl(1.2e2 none 7%/none)",
        "hwb(0.5turn 7% 20%)",
        "lab(50% 100% -50%)",
        "lch(120 50%/**/100grad)",
        "oklab(50% 50% .1)",
        "oklch(0.1 0.2 3rad / 5%)",
        "red, white 30%, 60%, blue",
        "hsl(0deg 1% 2%) 10% 20%, #000, rgb(1, 2, 3) 1",
    ]
    .map(str::to_owned)
    .into();
    for space in Space::ALL {
        let [a, b, c] = space.ranges().map(|[low, high]| 1.5 * high - low);
        seeds.push(Color::new(space, [a, b, c]).with_alpha(0.25).to_css());
    }
    seeds.into_iter().map(String::into_bytes).collect()
}

/// A gradient with many stops and one with alpha in every format.
fn gradient_seeds() -> Vec<Vec<u8>> {
    let options = GradientWriteOptions { fit: true, samples: 8, tolerance: 8.0 };
    let clear = Gradient {
        colors: parse_stops("red, rgb(0 0 255 / 0) 30%, lime").expect("they are right"),
        ..Gradient::default()
    };
    let mut seeds = Vec::new();
    for (choice, format) in GradientFormat::ALL.into_iter().enumerate() {
        for gradient in [STUDY[4].gradient(Mode::default()), clear.clone()] {
            let written = write(&[gradient], format, options).expect("it can be written");
            seeds.push([&[choice as u8][..], &written.bytes].concat());
        }
    }
    seeds
}

/// With `SOLIO_SEEDS=FOLDER` the seeds of each target are written there, into a folder of its name.
#[test]
fn seeds_are_written() {
    let Some(folder) = std::env::var_os("SOLIO_SEEDS").map(PathBuf::from) else { return };
    for (name, _, seeds) in targets() {
        let folder = folder.join(name);
        std::fs::create_dir_all(&folder).unwrap();
        for (n, bytes) in seeds.iter().enumerate() {
            std::fs::write(folder.join(n.to_string()), bytes).unwrap();
        }
    }
}

#[test]
fn changed_seeds_do_no_harm() {
    let mut state = 1_u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % below
    };
    for (_, body, seeds) in targets() {
        for seed in seeds {
            body(&seed);
            for _ in 0..40 {
                let mut changed = seed.clone();
                for _ in 0..=random(3) {
                    let at = random(changed.len() - 1) + 1;
                    match random(3) {
                        0 => changed[at] = random(256) as u8,
                        1 => changed[at] = seed[random(seed.len() - 1) + 1],
                        _ => changed.truncate(at + 1),
                    }
                }
                body(&changed);
            }
        }
    }
}

#[test]
fn what_fuzzing_found_does_no_harm() {
    for (name, body, _) in targets() {
        kept::kept(name).iter().for_each(|(_, bytes)| body(bytes));
    }
}
