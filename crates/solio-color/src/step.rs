//! The way from one colour space to another: which operations, in which order.
//!
//! Each space has one parent, up to XYZ under D65; a way climbs to the first space that both share
//! and descends from there. Only between linear sRGB and Oklab there is a shorter way.

use crate::Space;
use crate::convert::{self as c, Matrix, Vector};
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
