//! What the fuzz target of gradients does with its bytes: the first chooses the format. What was
//! read must be written in every format and be read from there again.

use solio_color::Space;
use solio_color::gradient::Gradient;
use solio_color::gradient::formats::{GradientFormat, GradientWriteOptions, detect, read, write};

pub(crate) fn gradient(bytes: &[u8]) {
    let Some((choice, bytes)) = bytes.split_first() else { return };
    let format = GradientFormat::ALL[usize::from(*choice) % GradientFormat::ALL.len()];
    let _ = detect(bytes);
    let Ok(mut found) = read(bytes, format) else { return };
    found.truncate(2);
    // Long ones take long, and all of this is tried with short ones.
    if found.iter().any(|gradient| gradient.colors.len() + gradient.alphas.len() > 64) {
        return;
    }
    for gradient in found.chunks(1) {
        // Colours a million times as bright as white would take as many stops.
        let tolerance = 16.0 * brightest(&gradient[0]).clamp(1.0, 1e9);
        let options = GradientWriteOptions { tolerance, fit: true, samples: 16 };
        for format in GradientFormat::ALL {
            // JSON holds everything; what others hold they can read.
            match write(gradient, format, options) {
                Ok(written) => {
                    let back = read(&written.bytes, format);
                    let back = back.unwrap_or_else(|error| panic!("{}: {error}", format.as_str()));
                    if format == GradientFormat::Json {
                        assert_eq!(back, gradient);
                    }
                }
                Err(error) => assert!(format != GradientFormat::Json, "{error}"),
            }
        }
    }
}

/// The largest code of sRGB at a stop, where white is 1.
fn brightest(gradient: &Gradient) -> f64 {
    let codes = gradient.colors.iter().flat_map(|stop| stop.color.to(Space::Srgb).components);
    codes.fold(1.0, |most, code| most.max(code.abs()))
}
