//! The fuzz body on files that the writers make, whole, cut off and changed.

#[path = "../../../fuzz/bodies/gradient.rs"]
mod bodies;

use solio_color::gradient::formats::{GradientFormat, GradientWriteOptions, write};
use solio_color::gradient::{Gradient, Mode, parse_stops, presets::STUDY};

#[test]
fn changed_files_do_no_harm() {
    let options = GradientWriteOptions { fit: true, samples: 8, tolerance: 8.0 };
    let clear = Gradient {
        colors: parse_stops("red, rgb(0 0 255 / 0) 30%, lime").expect("they are right"),
        ..Gradient::default()
    };
    let mut state = 1_u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % below
    };
    for (choice, format) in GradientFormat::ALL.into_iter().enumerate() {
        for gradient in [STUDY[4].gradient(Mode::default()), clear.clone()] {
            let written = write(&[gradient], format, options).expect("it can be written");
            let file = [&[choice as u8][..], &written.bytes].concat();
            bodies::gradient(&file);
            for _ in 0..40 {
                let mut changed = file.clone();
                for _ in 0..=random(3) {
                    let at = random(changed.len() - 1) + 1;
                    match random(3) {
                        0 => changed[at] = random(256) as u8,
                        1 => changed[at] = file[random(file.len() - 1) + 1],
                        _ => changed.truncate(at + 1),
                    }
                }
                bodies::gradient(&changed);
            }
        }
    }
}
