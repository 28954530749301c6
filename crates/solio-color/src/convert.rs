//! From one colour space to another in `f64`, the reference that the fast kernels are held to:
//! which operations, in which order.
//!
//! Each space has one parent, up to XYZ under D65; a way climbs to the first space that both share
//! and descends from there. Only between linear sRGB and Oklab there is a shorter way.

use crate::Space;
use crate::transfer::{self as c, Matrix, Vector};
use Operation::{Cube, CubeRoot, DecodeSrgb, EncodeSrgb, Other, Power};

/// What is done to a colour on the way.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Operation {
    Matrix(&'static Matrix),
    Cube,
    CubeRoot,
    DecodeSrgb,
    EncodeSrgb,
    /// Mirrored below 0.
    Power(f64),
    Other(fn(Vector) -> Vector),
}

impl Operation {
    pub(crate) fn apply(self, v: Vector) -> Vector {
        match self {
            Operation::Matrix(m) => c::apply(m, v),
            Cube => v.map(|x| x * x * x),
            CubeRoot => v.map(f64::cbrt),
            DecodeSrgb => v.map(c::light_of_code),
            EncodeSrgb => v.map(c::code_of_light),
            Power(exponent) => v.map(|x| c::power(x, exponent)),
            Other(f) => f(v),
        }
    }
}

/// The same colour in another space.
///
/// Colours outside the range of the target are kept, not clipped; negative light goes through
/// mirrored curves. Hues come out in 0 to 360 and are 0 where there is none. Where a component is
/// not a number, all of another space are not.
pub fn convert(components: Vector, from: Space, to: Space) -> Vector {
    if from == to {
        return components;
    }
    if components.iter().any(|c| c.is_nan()) {
        return [f64::NAN; 3];
    }
    between(from, to).fold(components, |c, operation| operation.apply(c))
}

/// The operations from one space to another, in their order.
pub(crate) fn between(from: Space, to: Space) -> impl Iterator<Item = Operation> {
    let mut here = from;
    std::iter::from_fn(move || {
        let (operations, next) = step(here, to)?;
        here = next;
        Some(operations)
    })
    .flatten()
    .copied()
}

/// The next step on the way, and where it leads.
fn step(here: Space, to: Space) -> Option<(&'static [Operation], Space)> {
    if here == to {
        return None;
    }
    if !above(here, to) {
        return Some(match here {
            Space::SrgbLinear if above(Space::Oklab, to) => (&OKLAB_OF_SRGB, Space::Oklab),
            Space::Oklab if above(Space::SrgbLinear, to) => (&SRGB_OF_OKLAB, Space::SrgbLinear),
            _ => (climbing(here), parent(here)?),
        });
    }
    let mut next = to;
    while parent(next)? != here {
        next = parent(next)?;
    }
    Some((descending(next), next))
}

/// The space that `space` is defined by; `None` of XYZ under D65.
fn parent(space: Space) -> Option<Space> {
    Some(match space {
        Space::Hsl | Space::Hsv | Space::Hwb => Space::Srgb,
        Space::Srgb => Space::SrgbLinear,
        Space::DisplayP3 => Space::DisplayP3Linear,
        Space::Oklch => Space::Oklab,
        Space::Lch => Space::Lab,
        Space::Lab | Space::ProphotoRgb => Space::XyzD50,
        Space::XyzD65 => return None,
        _ => Space::XyzD65,
    })
}

/// Whether `space` is `other` or one that it is defined by.
fn above(space: Space, other: Space) -> bool {
    std::iter::successors(Some(other), |&at| parent(at)).any(|at| at == space)
}

const OKLAB_OF_SRGB: [Operation; 3] = [
    Operation::Matrix(&c::OTTOSSON_SRGB_TO_LMS),
    CubeRoot,
    Operation::Matrix(&c::OTTOSSON_LMS_TO_OKLAB),
];
const SRGB_OF_OKLAB: [Operation; 3] = [
    Operation::Matrix(&c::OTTOSSON_OKLAB_TO_LMS),
    Cube,
    Operation::Matrix(&c::OTTOSSON_LMS_TO_SRGB),
];

/// From a space to its parent.
fn climbing(space: Space) -> &'static [Operation] {
    match space {
        Space::Hsl => &[Other(c::srgb_of_hsl)],
        Space::Hsv => &[Other(c::srgb_of_hsv)],
        Space::Hwb => &[Other(c::srgb_of_hwb)],
        Space::Srgb | Space::DisplayP3 => &[DecodeSrgb],
        Space::Lch | Space::Oklch => &[Other(c::rectangular)],
        Space::Oklab => {
            &const { [Operation::Matrix(&c::OKLAB_TO_LMS), Cube, Operation::Matrix(&c::LMS_TO_XYZ)] }
        }
        Space::Lab => &[Other(c::xyz_of_lab)],
        Space::SrgbLinear => &const { [Operation::Matrix(&c::SRGB_TO_XYZ)] },
        Space::DisplayP3Linear => &const { [Operation::Matrix(&c::P3_TO_XYZ)] },
        Space::Rec2020 => &const { [Power(2.4), Operation::Matrix(&c::REC2020_TO_XYZ)] },
        Space::A98Rgb => &const { [Power(563.0 / 256.0), Operation::Matrix(&c::A98_TO_XYZ)] },
        Space::ProphotoRgb => {
            &const { [Other(c::light_of_prophoto), Operation::Matrix(&c::PROPHOTO_TO_XYZ)] }
        }
        Space::AcesCg => &const { [Operation::Matrix(&c::ACESCG_TO_XYZ)] },
        Space::XyzD50 => &const { [Operation::Matrix(&c::D50_TO_D65)] },
        Space::XyzD65 => &[],
    }
}

/// To a space from its parent.
fn descending(space: Space) -> &'static [Operation] {
    match space {
        Space::Hsl => &[Other(c::hsl_of_srgb)],
        Space::Hsv => &[Other(c::hsv_of_srgb)],
        Space::Hwb => &[Other(c::hwb_of_srgb)],
        Space::Srgb | Space::DisplayP3 => &[EncodeSrgb],
        Space::Lch | Space::Oklch => &[Other(c::polar)],
        Space::Oklab => {
            &const { [Operation::Matrix(&c::XYZ_TO_LMS), CubeRoot, Operation::Matrix(&c::LMS_TO_OKLAB)] }
        }
        Space::Lab => &[Other(c::lab_of_xyz)],
        Space::SrgbLinear => &const { [Operation::Matrix(&c::XYZ_TO_SRGB)] },
        Space::DisplayP3Linear => &const { [Operation::Matrix(&c::XYZ_TO_P3)] },
        Space::Rec2020 => &const { [Operation::Matrix(&c::XYZ_TO_REC2020), Power(1.0 / 2.4)] },
        Space::A98Rgb => &const { [Operation::Matrix(&c::XYZ_TO_A98), Power(256.0 / 563.0)] },
        Space::ProphotoRgb => {
            &const { [Operation::Matrix(&c::XYZ_TO_PROPHOTO), Other(c::prophoto_of_light)] }
        }
        Space::AcesCg => &const { [Operation::Matrix(&c::XYZ_TO_ACESCG)] },
        Space::XyzD50 => &const { [Operation::Matrix(&c::D65_TO_D50)] },
        Space::XyzD65 => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Primaries;

    fn near(found: Vector, expected: Vector, tolerance: f64) {
        let all = found.iter().zip(expected).all(|(a, b)| (a - b).abs() <= tolerance);
        assert!(all, "{found:?} is not {expected:?}");
    }

    /// Figures in the text of CSS Color 4 and 5; some were made with whites of other digits.
    #[test]
    fn the_examples_of_css_color() {
        use Space::{DisplayP3, Lab, Lch, Oklch, Srgb, XyzD50, XyzD65};
        let hex = |v: u32| [16, 8, 0].map(|shift| f64::from(v >> shift & 255) / 255.0);
        near(convert(hex(0x0000ff), Srgb, Lab), [29.567, 68.298, -112.0294], 2e-2);
        near(convert(hex(0xffff00), Srgb, Lab), [97.607, -15.753, 93.388], 2e-2);
        near(convert(hex(0xcd853f), Srgb, Lch), [62.253, 54.011, 63.677], 2e-2);
        near(convert(hex(0xeee8aa), Srgb, Lch), [91.374, 31.406, 98.834], 2e-2);
        near(convert(hex(0x008080), Srgb, Lch), [47.9855, 31.6903, 196.4524], 2e-2);
        near(convert(hex(0x808000), Srgb, Lch), [52.1496, 56.8124, 99.5746], 2e-2);
        near(convert(hex(0x7654cd), Srgb, Lab), [44.36, 36.05, -58.99], 2e-2);
        near(convert(hex(0x7654cd), Srgb, XyzD50), [0.2005, 0.14089, 0.4472], 2e-4);
        near(convert(hex(0x7654cd), Srgb, XyzD65), [0.21661, 0.14602, 0.59452], 2e-4);
        near(convert([1.0; 3], Srgb, XyzD50), [0.9643, 1.0, 0.8251], 5e-5);
        near(convert([0.84, 0.19, 0.72], DisplayP3, Lab), [53.503, 82.672, -33.901], 2e-2);
        near(convert([0.76, 0.62, 0.03], Srgb, Lab), [66.927, 4.873, 68.622], 2e-2);
        near(convert([1.0, 1.0, 0.0], DisplayP3, Srgb), [1.0, 1.0, -0.3463], 5e-5);
        near(convert([1.0, 1.0, 0.0], DisplayP3, Oklch), [0.96476, 0.24503, 110.23], 5e-3);
        near(convert([0.0, 1.0, 0.0], DisplayP3, Srgb), [-0.5116, 1.01827, -0.3107], 5e-5);
        near(convert(hex(0x0000ff), Srgb, Oklch), [0.45201, 0.31321, 264.052], 1e-3);
    }

    /// Pairs of colours in the text of Ottosson's page (XYZ to Oklab, three digits).
    #[test]
    fn the_examples_of_ottosson() {
        let oklab = |xyz| convert(xyz, Space::XyzD65, Space::Oklab);
        near(oklab([0.950, 1.0, 1.089]), [1.0, 0.0, 0.0], 1e-3);
        near(oklab([1.0, 0.0, 0.0]), [0.450, 1.236, -0.019], 1e-3);
        near(oklab([0.0, 1.0, 0.0]), [0.922, -0.671, 0.263], 1e-3);
        near(oklab([0.0, 0.0, 1.0]), [0.153, -1.415, -0.449], 1e-3);
    }

    /// The two sets of Oklab's constants differ by less than a millionth.
    #[test]
    fn the_shorter_way_to_oklab_agrees() {
        for rgb in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.2, 0.5, 0.9], [1.0; 3]] {
            let shorter = convert(rgb, Space::SrgbLinear, Space::Oklab);
            near(
                convert(c::apply(&c::SRGB_TO_XYZ, rgb), Space::XyzD65, Space::Oklab),
                shorter,
                1e-6,
            );
            near(convert(shorter, Space::Oklab, Space::SrgbLinear), rgb, 1e-6);
        }
    }

    /// AP1 and the white of ACES as `primaries` adapts them, in `f32`.
    #[test]
    fn acescg_has_the_primaries_ap1() {
        let ap1 = Primaries {
            rgb: [[0.713, 0.293], [0.165, 0.83], [0.128, 0.044]],
            white: [0.32168, 0.33767],
        };
        let matrix = ap1.to(&Primaries::SRGB).unwrap();
        for i in 0..3 {
            let mut unit = [0.0; 3];
            unit[i] = 1.0;
            let column = [0, 1, 2].map(|j| f64::from(matrix[j][i]));
            near(convert(unit, Space::AcesCg, Space::SrgbLinear), column, 1e-5);
        }
        near(convert([1.0; 3], Space::AcesCg, Space::Srgb), [1.0; 3], 1e-6);
    }

    #[test]
    fn every_space_leads_to_every_other_and_back() {
        let colors = [[0.3, 0.6, 0.1], [0.9, 0.2, 0.7], [0.02, 0.01, 0.4], [1.3, -0.2, 0.4]];
        for color in colors {
            for a in Space::ALL {
                let there = convert(color, Space::Srgb, a);
                for b in Space::ALL {
                    let back = convert(convert(there, a, b), b, Space::Srgb);
                    near(back, color, 2e-6);
                }
            }
        }
    }

    #[test]
    fn no_number_stays_none_and_nothing_panics() {
        let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0, 1e308, -1e308, 5e-324];
        for from in Space::ALL {
            for to in Space::ALL {
                for a in odd {
                    for b in odd {
                        let found = convert([a, b, 0.5], from, to);
                        if from != to && (a.is_nan() || b.is_nan()) {
                            assert!(found.iter().all(|c| c.is_nan()));
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn grey_has_the_hue_0_and_hues_lie_within_a_turn() {
        assert_eq!(convert([0.5; 3], Space::Srgb, Space::Hsl), [0.0, 0.0, 0.5]);
        assert_eq!(convert([0.5; 3], Space::Srgb, Space::Hwb), [0.0, 0.5, 0.5]);
        assert_eq!(convert([-400.0, 1.0, 0.5], Space::Hsl, Space::Hsv)[0].round(), 320.0);
        assert_eq!(c::turn(-1e-300), 0.0);
        near(convert([40.0, 0.7, 0.8], Space::Hwb, Space::Srgb), [0.7 / 1.5; 3], 1e-15);
    }
}
