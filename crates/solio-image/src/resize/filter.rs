//! Filters: how much a sample counts at a distance.

use solio_base::named_enum;
use std::f64::consts::PI;

named_enum! {
    /// What a pixel is made of when an image gets another size. Widths are in pixels of the smaller of both
    /// images; names and widths are those of OpenImageIO.
    #[derive(Hash)]
    pub enum ResizeFilter {
        /// The mean of the pixels whose centres it covers.
        Box = "box",
        /// Linear interpolation.
        Triangle = "triangle",
        /// A Gaussian over 3 pixels: soft.
        Gaussian = "gaussian",
        /// A narrower one over 2 pixels.
        SharpGaussian = "sharp-gaussian",
        /// The cubic of Catmull and Rom.
        CatmullRom = "catmull-rom",
        /// The window of four terms of Harris, 1978, over 3 pixels: soft, without rings.
        BlackmanHarris = "blackman-harris",
        /// sin(πx) / πx, cut off at 2 pixels.
        Sinc = "sinc",
        /// The sinc of Lanczos with three lobes: sharp, with faint rings.
        Lanczos3 = "lanczos3",
        /// Mitchell and Netravali, "Reconstruction Filters in Computer Graphics", 1988, with B = C = 1/3.
        Mitchell = "mitchell",
        /// The cubic B-spline: softest.
        BSpline = "bspline",
        /// The cubic of Keys, 1981, with a = 0.
        Cubic = "cubic",
        /// With a = −1/2, as Catmull and Rom.
        Keys = "keys",
        /// With a = −3/4.
        Simon = "simon",
        /// With a = −1.
        Rifman = "rifman",
    }

    /// `lanczos3` and the like.
    pub fn name;
}

impl ResizeFilter {
    /// From its name; also `catrom`, `lanczos` and `b-spline`.
    pub fn of_name(name: &str) -> Option<ResizeFilter> {
        let name = match name {
            "catrom" => "catmull-rom",
            "lanczos" => "lanczos3",
            "b-spline" => "bspline",
            name => name,
        };
        ResizeFilter::ALL.into_iter().find(|filter| filter.name() == name)
    }

    /// Half of its width.
    pub(super) fn radius(self) -> f64 {
        match self {
            ResizeFilter::Box => 0.5,
            ResizeFilter::Triangle | ResizeFilter::SharpGaussian => 1.0,
            ResizeFilter::Gaussian | ResizeFilter::BlackmanHarris => 1.5,
            ResizeFilter::Lanczos3 => 3.0,
            _ => 2.0,
        }
    }

    /// The weight of a sample at this distance; sums of them are made 1 later.
    pub(super) fn weight(self, distance: f64) -> f64 {
        let x = distance.abs();
        let radius = self.radius();
        // Centres on the very edge belong to both sides, however their places were rounded.
        if x > radius + 1e-9 {
            return 0.0;
        }
        let part = x / radius;
        match self {
            ResizeFilter::Box => 1.0,
            ResizeFilter::Triangle => 1.0 - x,
            ResizeFilter::Gaussian if part < 1.0 => (-2.0 * part * part).exp(),
            ResizeFilter::SharpGaussian if part < 1.0 => (-4.0 * part * part).exp(),
            ResizeFilter::Gaussian | ResizeFilter::SharpGaussian => 0.0,
            ResizeFilter::BlackmanHarris => {
                let cosine = |times: f64| (times * PI * (part + 1.0)).cos();
                0.35875 - 0.48829 * cosine(1.0) + 0.14128 * cosine(2.0) - 0.01168 * cosine(3.0)
            }
            ResizeFilter::Sinc => sinc(x),
            ResizeFilter::Lanczos3 => sinc(x) * sinc(x / 3.0),
            ResizeFilter::Mitchell => mitchell_netravali(x, 1.0 / 3.0, 1.0 / 3.0),
            ResizeFilter::BSpline => mitchell_netravali(x, 1.0, 0.0),
            ResizeFilter::Cubic => keys(x, 0.0),
            ResizeFilter::CatmullRom | ResizeFilter::Keys => keys(x, -0.5),
            ResizeFilter::Simon => keys(x, -0.75),
            ResizeFilter::Rifman => keys(x, -1.0),
        }
    }
}

/// sin(πx) / πx.
fn sinc(x: f64) -> f64 {
    if x < 1e-4 { 1.0 } else { (PI * x).sin() / (PI * x) }
}

/// The family of cubics with the two parameters of the paper, from 0 to 2.
fn mitchell_netravali(x: f64, b: f64, c: f64) -> f64 {
    let [third, second, first, zeroth] = if x < 1.0 {
        [12.0 - 9.0 * b - 6.0 * c, -18.0 + 12.0 * b + 6.0 * c, 0.0, 6.0 - 2.0 * b]
    } else {
        [-b - 6.0 * c, 6.0 * b + 30.0 * c, -12.0 * b - 48.0 * c, 8.0 * b + 24.0 * c]
    };
    (((third * x + second) * x + first) * x + zeroth) / 6.0
}

/// The cubic convolution of Keys, from 0 to 2.
fn keys(x: f64, a: f64) -> f64 {
    if x < 1.0 {
        ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0
    } else {
        a * (((x - 5.0) * x + 8.0) * x - 4.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_have_names_and_end_at_their_radius() {
        for filter in ResizeFilter::ALL {
            assert_eq!(ResizeFilter::of_name(filter.name()), Some(filter));
            assert_eq!(filter.weight(filter.radius() + 1e-8), 0.0);
            assert!(filter.weight(0.0) > 0.5, "{filter:?}");
            assert_eq!(filter.weight(-0.3), filter.weight(0.3));
        }
        assert_eq!(ResizeFilter::of_name("lanczos"), Some(ResizeFilter::Lanczos3));
        assert_eq!(ResizeFilter::of_name("nearest"), None);
    }

    #[test]
    fn known_values_of_published_filters() {
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} {b}");
        // From the formulas of the papers, by hand.
        near(ResizeFilter::Mitchell.weight(0.0), 16.0 / 18.0);
        near(ResizeFilter::Mitchell.weight(1.0), 1.0 / 18.0);
        near(ResizeFilter::BSpline.weight(1.0), 1.0 / 6.0);
        near(ResizeFilter::CatmullRom.weight(0.5), 0.5625);
        near(ResizeFilter::CatmullRom.weight(1.5), -0.0625);
        near(ResizeFilter::BlackmanHarris.weight(0.0), 1.0);
        near(ResizeFilter::BlackmanHarris.weight(1.5), 0.00006);
        near(ResizeFilter::Lanczos3.weight(1.5), -0.135_094_911_523_117_03);
    }
}
