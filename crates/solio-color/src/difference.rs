//! How different two colours look.

use crate::cam16::{Cam16, Viewing};
use crate::{Color, Space, convert};
use solio_base::named_enum;
use std::sync::LazyLock;

named_enum! {
    /// A measure of the difference between two colours; alpha does not count.
    #[derive(Default, Hash)]
    pub enum Difference {
        /// CIEDE2000 in Lab under D50 (CIE 142; Sharma, Wu and Dalal, 2005), all weights 1. About 1 is
        /// just noticed.
        #[default]
        Ciede2000 = "ciede2000",
        /// The distance in CAM16-UCS (Li and others, 2017): white D65, L_A 64/π · 0.2 cd/m² (a screen
        /// at 64 lux in a grey world), Y_b 20, average surround.
        Cam16Ucs = "cam16-ucs",
        /// The distance in Oklab. About 0.02 is just noticed.
        Ok = "ok",
    }

    /// `ciede2000`, `cam16-ucs`, `ok`.
    pub fn name;

    /// From its name.
    pub fn of_name;
}

impl Difference {
    /// Between two colours; what is missing counts as 0.
    pub fn between(self, a: &Color, b: &Color) -> f64 {
        let lab = |color: &Color| convert(color.components, color.space, Space::Lab);
        match self {
            Difference::Ciede2000 => ciede2000(lab(a), lab(b)),
            Difference::Cam16Ucs => distance(cam16_ucs(a), cam16_ucs(b)),
            Difference::Ok => distance_ok(a, b),
        }
    }
}

/// J', a', b' of CAM16-UCS, under the light that [`Difference::Cam16Ucs`] names.
pub fn cam16_ucs(color: &Color) -> [f64; 3] {
    static MODEL: LazyLock<Cam16> = LazyLock::new(|| {
        Cam16::new(&Viewing {
            white: convert([100.0; 3], Space::SrgbLinear, Space::XyzD65),
            adapting_luminance: 64.0 / std::f64::consts::PI * 0.2,
            background: 20.0,
        })
    });
    let xyz = convert(color.components, color.space, Space::XyzD65);
    MODEL.appearance(xyz.map(|c| 100.0 * c)).ucs()
}

pub(crate) fn distance_ok(a: &Color, b: &Color) -> f64 {
    let ok = |color: &Color| convert(color.components, color.space, Space::Oklab);
    distance(ok(a), ok(b))
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|i| (a[i] - b[i]).powi(2)).sum::<f64>().sqrt()
}

/// Sharma, Wu and Dalal, "The CIEDE2000 Color-Difference Formula: Implementation Notes,
/// Supplementary Test Data, and Mathematical Observations", 2005, equations 2 to 22.
fn ciede2000(first: [f64; 3], second: [f64; 3]) -> f64 {
    let chroma = |[_, a, b]: [f64; 3]| a.hypot(b);
    let weight = |chroma: f64| {
        let power = chroma.powi(7);
        (power / (power + 25f64.powi(7))).sqrt()
    };
    let stretch = 1.5 - 0.5 * weight((chroma(first) + chroma(second)) / 2.0);
    let polar = |[lightness, a, b]: [f64; 3]| {
        let a = a * stretch;
        (lightness, a.hypot(b), b.atan2(a).to_degrees().rem_euclid(360.0))
    };
    let ((l1, c1, h1), (l2, c2, h2)) = (polar(first), polar(second));
    let grey = c1 * c2 == 0.0;
    let turn = match h2 - h1 {
        _ if grey => 0.0,
        turn if turn > 180.0 => turn - 360.0,
        turn if turn < -180.0 => turn + 360.0,
        turn => turn,
    };
    let sin = |degrees: f64| degrees.to_radians().sin();
    let cos = |degrees: f64| degrees.to_radians().cos();
    let (dl, dc, dh) = (l2 - l1, c2 - c1, 2.0 * (c1 * c2).sqrt() * sin(turn / 2.0));
    let (l, c) = ((l1 + l2) / 2.0, (c1 + c2) / 2.0);
    let h = match h1 + h2 {
        sum if grey => sum,
        sum if (h1 - h2).abs() <= 180.0 => sum / 2.0,
        sum if sum < 360.0 => (sum + 360.0) / 2.0,
        sum => (sum - 360.0) / 2.0,
    };
    let t = 1.0 - 0.17 * cos(h - 30.0) + 0.24 * cos(2.0 * h) + 0.32 * cos(3.0 * h + 6.0)
        - 0.20 * cos(4.0 * h - 63.0);
    let rotation = 30.0 * (-((h - 275.0) / 25.0).powi(2)).exp();
    let off = (l - 50.0).powi(2);
    let (sl, sc, sh) =
        (1.0 + 0.015 * off / (20.0 + off).sqrt(), 1.0 + 0.045 * c, 1.0 + 0.015 * c * t);
    let rt = -sin(2.0 * rotation) * 2.0 * weight(c);
    let (dl, dc, dh) = (dl / sl, dc / sc, dh / sh);
    (dl * dl + dc * dc + dh * dh + rt * dc * dh).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sharma, Wu and Dalal, 2005, table 1: two colours in Lab and their difference.
    const SHARMA: [([f64; 3], [f64; 3], f64); 34] = [
        ([50.0, 2.6772, -79.7751], [50.0, 0.0, -82.7485], 2.0425),
        ([50.0, 3.1571, -77.2803], [50.0, 0.0, -82.7485], 2.8615),
        ([50.0, 2.8361, -74.0200], [50.0, 0.0, -82.7485], 3.4412),
        ([50.0, -1.3802, -84.2814], [50.0, 0.0, -82.7485], 1.0000),
        ([50.0, -1.1848, -84.8006], [50.0, 0.0, -82.7485], 1.0000),
        ([50.0, -0.9009, -85.5211], [50.0, 0.0, -82.7485], 1.0000),
        ([50.0, 0.0, 0.0], [50.0, -1.0, 2.0], 2.3669),
        ([50.0, -1.0, 2.0], [50.0, 0.0, 0.0], 2.3669),
        ([50.0, 2.4900, -0.0010], [50.0, -2.4900, 0.0009], 7.1792),
        ([50.0, 2.4900, -0.0010], [50.0, -2.4900, 0.0010], 7.1792),
        ([50.0, 2.4900, -0.0010], [50.0, -2.4900, 0.0011], 7.2195),
        ([50.0, 2.4900, -0.0010], [50.0, -2.4900, 0.0012], 7.2195),
        ([50.0, -0.0010, 2.4900], [50.0, 0.0009, -2.4900], 4.8045),
        ([50.0, -0.0010, 2.4900], [50.0, 0.0010, -2.4900], 4.8045),
        ([50.0, -0.0010, 2.4900], [50.0, 0.0011, -2.4900], 4.7461),
        ([50.0, 2.5, 0.0], [50.0, 0.0, -2.5], 4.3065),
        ([50.0, 2.5, 0.0], [73.0, 25.0, -18.0], 27.1492),
        ([50.0, 2.5, 0.0], [61.0, -5.0, 29.0], 22.8977),
        ([50.0, 2.5, 0.0], [56.0, -27.0, -3.0], 31.9030),
        ([50.0, 2.5, 0.0], [58.0, 24.0, 15.0], 19.4535),
        ([50.0, 2.5, 0.0], [50.0, 3.1736, 0.5854], 1.0000),
        ([50.0, 2.5, 0.0], [50.0, 3.2972, 0.0], 1.0000),
        ([50.0, 2.5, 0.0], [50.0, 1.8634, 0.5757], 1.0000),
        ([50.0, 2.5, 0.0], [50.0, 3.2592, 0.3350], 1.0000),
        ([60.2574, -34.0099, 36.2677], [60.4626, -34.1751, 39.4387], 1.2644),
        ([63.0109, -31.0961, -5.8663], [62.8187, -29.7946, -4.0864], 1.2630),
        ([61.2901, 3.7196, -5.3901], [61.4292, 2.2480, -4.9620], 1.8731),
        ([35.0831, -44.1164, 3.7933], [35.0232, -40.0716, 1.5901], 1.8645),
        ([22.7233, 20.0904, -46.6940], [23.0331, 14.9730, -42.5619], 2.0373),
        ([36.4612, 47.8580, 18.3852], [36.2715, 50.5065, 21.2231], 1.4146),
        ([90.8027, -2.0831, 1.4410], [91.1528, -1.6435, 0.0447], 1.4441),
        ([90.9257, -0.5406, -0.9208], [88.6381, -0.8985, -0.7239], 1.5381),
        ([6.7747, -0.2908, -2.4247], [5.8714, -0.0985, -2.2286], 0.6377),
        ([2.0776, 0.0795, -1.1350], [0.9033, -0.0636, -0.5514], 0.9082),
    ];

    #[test]
    fn the_pairs_of_sharma() {
        for (a, b, expected) in SHARMA {
            let (a, b) = (Color::new(Space::Lab, a), Color::new(Space::Lab, b));
            let found = Difference::Ciede2000.between(&a, &b);
            assert!((found - expected).abs() < 1e-4, "{a:?} {b:?}: {found}, not {expected}");
            assert!((Difference::Ciede2000.between(&b, &a) - expected).abs() < 1e-4);
        }
    }

    #[test]
    fn white_is_100_and_the_same_differs_by_nothing() {
        let white = cam16_ucs(&Color::from_rgb8([255; 3]));
        assert!((white[0] - 100.0).abs() < 1e-9 && white[1].hypot(white[2]) < 2.5, "{white:?}");
        let color = Color::from_rgb8([10, 200, 90]);
        for method in Difference::ALL {
            assert_eq!(method.between(&color, &color), 0.0);
            assert_eq!(Difference::of_name(method.name()), Some(method));
            let black = Color::from_rgb8([0; 3]);
            assert!(method.between(&color, &black) > 0.1);
        }
    }
}
