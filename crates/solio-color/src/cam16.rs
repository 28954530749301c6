//! CAM16, a model of how colours appear, and its uniform space CAM16-UCS: Li, Li, Wang, Xu, Luo,
//! Cui, Melgosa, Brill and Pointer, "Comprehensive color solutions: CAM16, CAT16, and CAM16-UCS",
//! Color Research & Application 42, 2017.

use crate::transfer::{Vector, apply};

const M16: [Vector; 3] = [
    [0.401288, 0.650173, -0.051461],
    [-0.250268, 1.204414, 0.045854],
    [-0.002079, 0.048952, 0.953127],
];

/// Under which light a colour is seen; the surround is average (F 1, c 0.69, N_c 1).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Viewing {
    /// XYZ of the white, Y 100.
    pub(crate) white: Vector,
    /// L_A in cd/m².
    pub(crate) adapting_luminance: f64,
    /// Y_b, of the white's 100.
    pub(crate) background: f64,
}

/// What follows from the light alone.
pub(crate) struct Cam16 {
    scales: Vector,
    luminance_factor: f64,
    background_ratio: f64,
    induction: f64,
    white_response: f64,
}

/// Lightness J, colourfulness M, hue h in degrees.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Appearance {
    pub(crate) lightness: f64,
    pub(crate) colorfulness: f64,
    pub(crate) hue: f64,
}

impl Cam16 {
    pub(crate) fn new(viewing: &Viewing) -> Cam16 {
        let luminance = viewing.adapting_luminance;
        let k = 1.0 / (5.0 * luminance + 1.0);
        let k4 = k.powi(4);
        let luminance_factor = k4 * luminance + 0.1 * (1.0 - k4).powi(2) * (5.0 * luminance).cbrt();
        let degree = 1.0 - (1.0 / 3.6) * ((-luminance - 42.0) / 92.0).exp();
        let degree = degree.clamp(0.0, 1.0);
        let white = apply(&M16, viewing.white);
        let scales = white.map(|w| degree * viewing.white[1] / w + 1.0 - degree);
        let background_ratio = viewing.background / viewing.white[1];
        let induction = 0.725 * background_ratio.powf(-0.2);
        let mut cam =
            Cam16 { scales, luminance_factor, background_ratio, induction, white_response: 1.0 };
        cam.white_response = cam.response(cam.cones(viewing.white));
        cam
    }

    /// The three signals of the cones after adaptation, without the 0.1 of CIECAM02, which cancels.
    fn cones(&self, xyz: Vector) -> Vector {
        let rgb = apply(&M16, xyz);
        [0, 1, 2].map(|i| {
            let signal = self.scales[i] * rgb[i];
            let x = (self.luminance_factor * signal.abs() / 100.0).powf(0.42);
            (400.0 * x / (x + 27.13)).copysign(signal)
        })
    }

    fn response(&self, [r, g, b]: Vector) -> f64 {
        self.induction * (2.0 * r + g + b / 20.0)
    }

    /// How XYZ (white at Y 100) appears.
    pub(crate) fn appearance(&self, xyz: Vector) -> Appearance {
        const C: f64 = 0.69;
        let cones = self.cones(xyz);
        let [r, g, b] = cones;
        let red_green = r - 12.0 * g / 11.0 + b / 11.0;
        let yellow_blue = (r + g - 2.0 * b) / 9.0;
        let hue = yellow_blue.atan2(red_green);
        let eccentricity = 0.25 * ((hue + 2.0).cos() + 3.8);
        let t = 50_000.0 / 13.0 * self.induction * eccentricity * red_green.hypot(yellow_blue)
            / (r + g + 1.05 * b + 0.305);
        let exponent = C * (1.48 + self.background_ratio.sqrt());
        let lightness = 100.0 * power(self.response(cones) / self.white_response, exponent);
        let chroma = power(t, 0.9)
            * (1.64 - 0.29f64.powf(self.background_ratio)).powf(0.73)
            * power(lightness / 100.0, 0.5);
        Appearance {
            lightness,
            colorfulness: chroma * self.luminance_factor.powf(0.25),
            hue: hue.to_degrees().rem_euclid(360.0),
        }
    }
}

impl Appearance {
    /// J', a', b' of CAM16-UCS.
    pub(crate) fn ucs(&self) -> Vector {
        let lightness = 1.7 * self.lightness / (1.0 + 0.007 * self.lightness);
        let m = (0.0228 * self.colorfulness.abs()).ln_1p() / 0.0228;
        let (sin, cos) = self.hue.to_radians().sin_cos();
        let m = m.copysign(self.colorfulness);
        [lightness, m * cos, m * sin]
    }
}

/// A power, mirrored below 0.
fn power(value: f64, exponent: f64) -> f64 {
    value.abs().powf(exponent).copysign(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples that the package colour-science publishes for CAM16 (`XYZ_to_CAM16`), and for
    /// the uniform space (`JMh_CIECAM02_to_CAM02UCS`, whose formula and constants are the same).
    #[test]
    fn published_values() {
        let viewing =
            Viewing { white: [95.05, 100.0, 108.88], adapting_luminance: 318.31, background: 20.0 };
        let found = Cam16::new(&viewing).appearance([19.01, 20.0, 21.78]);
        assert!((found.lightness - 41.731_207_905).abs() < 1e-6, "{found:?}");
        assert!((found.colorfulness - 0.107_436_772).abs() < 1e-6, "{found:?}");
        assert!((found.hue - 217.067_959_767).abs() < 1e-5, "{found:?}");
        let published = Appearance {
            lightness: 41.731_091_13,
            colorfulness: 0.108_842_17,
            hue: 219.048_432_66,
        };
        let [j, a, b] = published.ucs();
        assert!((j - 54.904_331_34).abs() < 1e-7);
        assert!((a + 0.084_423_62).abs() < 1e-7 && (b + 0.068_483_14).abs() < 1e-7, "{a} {b}");
    }

    #[test]
    fn odd_light_does_no_harm() {
        let viewing =
            Viewing { white: [95.0, 100.0, 109.0], adapting_luminance: 4.0, background: 20.0 };
        let cam = Cam16::new(&viewing);
        assert_eq!(cam.appearance([0.0; 3]).ucs(), [0.0; 3]);
        for odd in [f64::NAN, f64::INFINITY, -1e308, -5.0] {
            let _ = cam.appearance([odd, 1.0, odd]).ucs();
        }
    }
}
