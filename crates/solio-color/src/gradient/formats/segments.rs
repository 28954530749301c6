//! Gradients as parts with two colours each, as GIMP and GMT have them.

use crate::Color;
use crate::gradient::{AlphaStop, ColorStop, Ramp};

/// From one place to another, with a colour at each end; alpha is that of the colours, blended by
/// itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct GradientSegment {
    pub(super) places: [f64; 2],
    pub(super) colors: [Color; 2],
    pub(super) ramp: Ramp,
}

/// Stops of the model: one where a part begins as the one before ended, else two.
pub(super) fn stops(parts: &[GradientSegment]) -> (Vec<ColorStop>, Vec<AlphaStop>) {
    let opaque = parts.iter().flat_map(|part| part.colors).all(|color| color.alpha == 1.0);
    let (mut colors, mut alphas): (Vec<ColorStop>, Vec<AlphaStop>) = (Vec::new(), Vec::new());
    for part in parts {
        let ends = [(0, part.ramp), (1, Ramp::default())];
        for (end, to_next) in ends {
            let (position, color) = (part.places[end], part.colors[end]);
            let alpha = color.alpha;
            let color = color.with_alpha(1.0);
            match colors.last_mut() {
                Some(last) if end == 0 && last.position == position && last.color == color => {
                    last.to_next = to_next;
                }
                _ => colors.push(ColorStop { position, color, to_next }),
            }
            if opaque {
                continue;
            }
            let to_next = Ramp { mode: None, ..to_next };
            match alphas.last_mut() {
                Some(last) if end == 0 && last.position == position && last.alpha == alpha => {
                    last.to_next = to_next;
                }
                _ => alphas.push(AlphaStop { position, alpha, to_next }),
            }
        }
    }
    (colors, alphas)
}
