//! Colour maps for data: those of matplotlib and turbo, from the crate `colorous`.

use super::{Gradient, Mode};
use crate::{Color, Space};

/// Names of the maps. All but turbo are even in lightness; cividis looks the same to most people
/// who do not see red or green apart.
pub const COLORMAPS: [&str; 6] = ["viridis", "magma", "inferno", "plasma", "cividis", "turbo"];

/// The map of this name: the 256 colours of its table, blended in sRGB; clear where a value is not
/// a number.
pub fn colormap(name: &str) -> Option<Gradient> {
    let map = match name {
        "viridis" => colorous::VIRIDIS,
        "magma" => colorous::MAGMA,
        "inferno" => colorous::INFERNO,
        "plasma" => colorous::PLASMA,
        "cividis" => colorous::CIVIDIS,
        "turbo" => colorous::TURBO,
        _ => return None,
    };
    let color = |i| {
        let colorous::Color { r, g, b } = map.eval_rational(i, 256);
        Color::from_rgb8([r, g, b])
    };
    let colors: Vec<Color> = (0..256).map(color).collect();
    let gradient = Gradient::of_colors(&colors, Mode::in_space(Space::Srgb));
    Some(Gradient { name: name.to_owned(), ..gradient })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ends and a middle of matplotlib's tables (`_cm_listed.py`), in eight bits.
    #[test]
    fn they_are_those_of_matplotlib() {
        for (name, first, last) in [
            ("viridis", [68, 1, 84], [253, 231, 37]),
            ("magma", [0, 0, 4], [252, 253, 191]),
            ("inferno", [0, 0, 4], [252, 255, 164]),
            ("plasma", [13, 8, 135], [240, 249, 33]),
        ] {
            let sampler = colormap(name).unwrap().sampler();
            assert_eq!(sampler.codes_at(0.0)[..3], first, "{name}");
            assert_eq!(sampler.codes_at(1.0)[..3], last, "{name}");
        }
        let viridis = colormap("viridis").unwrap().sampler();
        let found = viridis.at(128.0 / 255.0);
        for (x, want) in found.into_iter().zip([0.127_568, 0.566_949, 0.550_556]) {
            assert!((x - want).abs() < 1.0 / 255.0, "{found:?}");
        }
    }

    #[test]
    fn all_names_are_known() {
        assert!(COLORMAPS.iter().all(|name| colormap(name).is_some_and(|g| g.name == *name)));
        assert!(colormap("jet").is_none());
    }
}
