//! What codes are by a colour profile, and how they become light with the primaries of sRGB.
//!
//! ICC profiles are read by the crate `moxcms`. Those of three curves and a matrix, which nearly all
//! pictures have, are evaluated here, so that colours outside of sRGB stay what they are (negative);
//! those with tables go through the crate, which cuts them. Numbers of primaries and curves are those of
//! Rec. ITU-T H.273.

use image::{DynamicImage, ImageBuffer, Pixel};
use moxcms::{
    ColorProfile, DataColorSpace, Layout, ProfileText, RenderingIntent, ToneReprCurve,
    TransformF32Executor, TransformOptions,
};
use solio_base::{Error, Result};
use solio_color::{Primaries, srgb};
use solio_exr::model::{Plane, Samples};
use solio_exr::{Channel, PixelType};
use std::sync::Arc;

/// Light of the white of paper and of titles, in candelas a square metre (ITU-R BT.2408): it becomes 1.
const WHITE_NITS: f64 = 203.0;
/// The peak of the screen that HLG is shown on (ITU-R BT.2100).
const HLG_PEAK_NITS: f64 = 1000.0;
/// How far curves and matrices may be off sRGB's and count as it: profiles round their numbers.
const NEAR: f64 = 3e-3;
/// Values that a curve is tried with.
const TRIED: u16 = 64;

/// How codes become light with the primaries of sRGB.
pub(crate) struct Profile {
    /// What says so, for people: `ICC profile "Display P3"`.
    pub(crate) said: String,
    /// Light is not limited by a white: the picture is not finished.
    pub(crate) is_light: bool,
    how: How,
}

enum How {
    /// A curve for each colour, then, of HLG, what its screens do, then other primaries.
    Curves { curves: [Curve; 3], luminance: Option<[f32; 3]>, matrix: Option<[[f32; 3]; 3]> },
    /// Greys have one.
    Grey(Curve),
    /// Tables of three dimensions.
    Table(Arc<TransformF32Executor>),
}

/// From a code, 0 to 1, to light.
type Curve = Arc<dyn Fn(f32) -> f32 + Send + Sync>;

/// What a profile is found to be.
pub(crate) enum IccMeaning {
    /// Nothing else than sRGB.
    Srgb,
    /// A way to light.
    Profile(Profile),
    /// Nothing that we can apply: what it is.
    Unknown(String),
}

/// By the bytes of an ICC profile, for pixels that are greys or colours.
pub(crate) fn of_icc(bytes: &[u8], is_grey: bool) -> IccMeaning {
    let Ok(profile) = ColorProfile::new_from_slice(bytes) else {
        return IccMeaning::Unknown("ICC profile".to_owned());
    };
    let said = match name(&profile) {
        Some(name) => format!("ICC profile {name:?}"),
        None => "ICC profile".to_owned(),
    };
    if let Some(cicp) = profile.cicp.filter(|_| profile.color_space == DataColorSpace::Rgb) {
        let numbers = [cicp.color_primaries as u8, cicp.transfer_characteristics as u8];
        // Of others the curves and the matrix say enough.
        if matches!(numbers[1], 16 | 18)
            && let Some(found) = of_numbers(numbers, [1.0, 0.0], said.clone())
        {
            return IccMeaning::Profile(found);
        }
    }
    let made = match (profile.color_space, is_grey) {
        (DataColorSpace::Gray, true) => profile.gray_trc.as_ref().and_then(curve).map(How::Grey),
        (DataColorSpace::Rgb, false) if profile.is_matrix_shaper() && !has_table(&profile) => {
            shaper(&profile)
        }
        (DataColorSpace::Rgb, false) => table(&profile),
        _ => None,
    };
    let Some(how) = made else { return IccMeaning::Unknown(said) };
    let profile = Profile { said, is_light: false, how };
    if profile.is_srgb() { IccMeaning::Srgb } else { IccMeaning::Profile(profile) }
}

/// By the four numbers of `cICP`; `None` for those that are not known.
pub(crate) fn of_cicp([primaries, curve, _, full]: [u8; 4], bits: u8) -> Option<Profile> {
    // Codes of a narrow range have room below black and above white (BT.2100, table 9).
    let most = if bits > 8 { 65535.0 } else { 255.0 };
    let step = if bits > 8 { 256.0 } else { 1.0 };
    let range = if full == 1 { [1.0, 0.0] } else { [most / (219.0 * step), 16.0 / 219.0] };
    let named = |known: &[(u8, &str)], number: u8| {
        let found = known.iter().find(|(one, _)| *one == number);
        found.map_or_else(|| number.to_string(), |(_, name)| (*name).to_owned())
    };
    let primaries_known =
        [(1, "BT.709"), (9, "BT.2020"), (11, "DCI-P3"), (12, "Display P3"), (22, "EBU")];
    let curves_known = [(1, "BT.709"), (8, "linear"), (13, "sRGB"), (16, "PQ"), (18, "HLG")];
    let said =
        format!("cICP ({}, {})", named(&primaries_known, primaries), named(&curves_known, curve));
    of_numbers([primaries, curve], range, said)
}

/// By a power, and by primaries where there are others than sRGB's: `gAMA` and `cHRM` of a PNG.
pub(crate) fn of_power(gamma: Option<f64>, primaries: Option<Primaries>) -> Option<Profile> {
    let curve: Curve = match gamma {
        Some(gamma) => {
            let power = 1.0 / gamma;
            power.is_normal().then(|| of(move |code| code.max(0.0).powf(power)))?
        }
        None => Arc::new(srgb::to_linear),
    };
    let said = match (gamma, primaries) {
        (Some(gamma), None) => format!("gAMA of {gamma}"),
        (Some(gamma), Some(_)) => format!("gAMA of {gamma} and cHRM"),
        (None, _) => "cHRM".to_owned(),
    };
    let matrix = primaries.and_then(|primaries| primaries.to(&Primaries::SRGB));
    let how = How::Curves { curves: [(); 3].map(|()| curve.clone()), luminance: None, matrix };
    Some(Profile { said, is_light: false, how })
}

/// `range` is what codes are multiplied by, and what is taken off then.
fn of_numbers([primaries, curve]: [u8; 2], range: [f64; 2], said: String) -> Option<Profile> {
    let primaries = primaries_of(primaries)?;
    let is_light = matches!(curve, 16 | 18);
    let is_hlg = curve == 18;
    let curve = curve_of(curve)?;
    let [factor, offset] = range;
    let curve = of(move |code| curve(code * factor - offset));
    let luminance = is_hlg.then(|| primaries.luminance()).flatten();
    let matrix = primaries.to(&Primaries::SRGB);
    let how = How::Curves { curves: [(); 3].map(|()| curve.clone()), luminance, matrix };
    Some(Profile { said, is_light, how })
}

fn of(curve: impl Fn(f64) -> f64 + Send + Sync + 'static) -> Curve {
    Arc::new(move |code| {
        let light = curve(f64::from(code)) as f32;
        if light.is_finite() { light } else { 0.0 }
    })
}

/// H.273, table 2.
fn primaries_of(number: u8) -> Option<Primaries> {
    const D65: [f32; 2] = [0.3127, 0.329];
    const C: [f32; 2] = [0.31, 0.316];
    let (rgb, white) = match number {
        1 => return Some(Primaries::SRGB),
        4 => ([[0.67, 0.33], [0.21, 0.71], [0.14, 0.08]], C),
        5 => ([[0.64, 0.33], [0.29, 0.6], [0.15, 0.06]], D65),
        6 | 7 => ([[0.63, 0.34], [0.31, 0.595], [0.155, 0.07]], D65),
        8 => ([[0.681, 0.319], [0.243, 0.692], [0.145, 0.049]], C),
        9 => ([[0.708, 0.292], [0.17, 0.797], [0.131, 0.046]], D65),
        11 => ([[0.68, 0.32], [0.265, 0.69], [0.15, 0.06]], [0.314, 0.351]),
        12 => ([[0.68, 0.32], [0.265, 0.69], [0.15, 0.06]], D65),
        22 => ([[0.63, 0.34], [0.295, 0.605], [0.155, 0.077]], D65),
        _ => return None,
    };
    Some(Primaries { rgb, white })
}

/// H.273, table 3. Codes of television are those of its screens (ITU-R BT.1886), as `solio_color` has
/// them, and not those of its cameras.
fn curve_of(number: u8) -> Option<fn(f64) -> f64> {
    Some(match number {
        1 | 6 | 14 | 15 => |code| code.max(0.0).powf(2.4),
        4 => |code| code.max(0.0).powf(2.2),
        5 => |code| code.max(0.0).powf(2.8),
        8 => |code| code,
        13 => |code| f64::from(srgb::to_linear(code as f32)),
        16 => |code| pq(code) / WHITE_NITS,
        17 => |code| code.max(0.0).powf(2.6) * 52.37 / 48.0,
        18 => hlg,
        _ => return None,
    })
}

/// Candelas a square metre (ITU-R BT.2100, table 4).
fn pq(code: f64) -> f64 {
    const M1: f64 = 2610.0 / 16384.0;
    const M2: f64 = 2523.0 / 4096.0 * 128.0;
    const C1: f64 = 3424.0 / 4096.0;
    const C2: f64 = 2413.0 / 4096.0 * 32.0;
    const C3: f64 = 2392.0 / 4096.0 * 32.0;
    let power = code.clamp(0.0, 1.0).powf(1.0 / M2);
    10000.0 * ((power - C1).max(0.0) / (C2 - C3 * power)).powf(1.0 / M1)
}

/// The light of the scene, of at most 1 (ITU-R BT.2100, table 5).
fn hlg(code: f64) -> f64 {
    const A: f64 = 0.178_832_77;
    const B: f64 = 1.0 - 4.0 * A;
    let c = 0.5 - A * (4.0 * A).ln();
    let code = code.max(0.0);
    if code <= 0.5 { code * code / 3.0 } else { (((code - c) / A).exp() + B) / 12.0 }
}

/// What a profile calls itself.
fn name(profile: &ColorProfile) -> Option<String> {
    let name = match profile.description.as_ref()? {
        ProfileText::PlainString(text) => text.clone(),
        ProfileText::Localizable(all) => all.first()?.value.clone(),
        ProfileText::Description(text) => text.ascii_string.clone(),
    };
    let name = name.trim_matches(|c: char| c == '\0' || c.is_whitespace()).to_owned();
    let is_short = name.chars().count() <= 80;
    (!name.is_empty() && is_short).then_some(name)
}

fn has_table(profile: &ColorProfile) -> bool {
    profile.lut_a_to_b_colorimetric.is_some() || profile.lut_a_to_b_perceptual.is_some()
}

fn shaper(profile: &ColorProfile) -> Option<How> {
    let curves = [&profile.red_trc, &profile.green_trc, &profile.blue_trc];
    let [Some(r), Some(g), Some(b)] = curves.map(|one| one.as_ref().and_then(curve)) else {
        return None;
    };
    let matrix = profile.transform_matrix(&ColorProfile::new_srgb()).v;
    let is_sound = matrix.iter().flatten().all(|value| value.is_finite() && value.abs() < 100.0);
    let matrix = matrix.map(|row| row.map(|value| value as f32));
    is_sound.then_some(How::Curves { curves: [r, g, b], luminance: None, matrix: Some(matrix) })
}

/// A curve of a profile.
fn curve(curve: &ToneReprCurve) -> Option<Curve> {
    if let ToneReprCurve::Lut(table) = curve
        && let [power] = table[..]
    {
        // Eight bits before the point, eight behind.
        let power = f64::from(power) / 256.0;
        return Some(of(move |code| code.max(0.0).powf(power)));
    }
    if let ToneReprCurve::Parametric(values) = curve
        && (values.is_empty() || values.iter().any(|value| !value.is_finite()))
    {
        return None;
    }
    let made = curve.make_linear_evaluator().ok()?;
    Some(of(move |code| f64::from(made.evaluate_value(code as f32))))
}

fn table(profile: &ColorProfile) -> Option<How> {
    let mut light = ColorProfile::new_srgb();
    let line = || Some(ToneReprCurve::Lut(Vec::new()));
    (light.red_trc, light.green_trc, light.blue_trc, light.cicp) = (line(), line(), line(), None);
    // A profile without a table for the first is read by the other, as other programs do.
    let intents = [RenderingIntent::RelativeColorimetric, RenderingIntent::Perceptual];
    intents.into_iter().find_map(|rendering_intent| {
        let options = TransformOptions { rendering_intent, ..TransformOptions::default() };
        let made = profile.create_transform_f32(Layout::Rgb, &light, Layout::Rgb, options);
        made.ok().map(How::Table)
    })
}

impl Profile {
    /// Light of a colour.
    fn light(&self, codes: [f32; 3]) -> [f32; 3] {
        match &self.how {
            How::Curves { curves, luminance, matrix } => {
                let light = [0, 1, 2].map(|i| curves[i](codes[i]));
                finish(light, luminance.as_ref(), matrix.as_ref())
            }
            How::Grey(curve) => [curve(codes[0]); 3],
            How::Table(table) => {
                let mut light = [0.0; 3];
                // Refused are other numbers of values.
                let _ = table.transform(&codes, &mut light);
                light
            }
        }
    }

    /// Whether it says nothing else than that codes are sRGB.
    fn is_srgb(&self) -> bool {
        (0..=TRIED).all(|step| {
            let code = f32::from(step) / f32::from(TRIED);
            [[code; 3], [code, 0.0, 0.0], [0.0, code, 0.0], [0.0, 0.0, code]].iter().all(|codes| {
                let is_grey = matches!(self.how, How::Grey(_));
                let near = |(light, code): (f32, &f32)| {
                    f64::from((light - srgb::to_linear(*code)).abs()) < NEAR
                };
                let mut pairs = self.light(*codes).into_iter().zip(codes);
                is_grey && codes[1] != codes[0] || pairs.all(near)
            })
        })
    }

    /// Whether codes are light, but for primaries.
    fn is_linear(&self) -> bool {
        let curves = match &self.how {
            How::Curves { curves, luminance: None, .. } => &curves[..],
            How::Grey(curve) => std::slice::from_ref(curve),
            _ => return false,
        };
        (0..=TRIED).all(|step| {
            let code = f32::from(step) / f32::from(TRIED);
            curves.iter().all(|curve| (curve(code) - code).abs() < 1e-4)
        })
    }

    /// The planes of a picture, of light that is multiplied by alpha; `None` where floats that are light
    /// have a curve. `associated`: codes were multiplied by alpha; `is_code`: floats are codes.
    ///
    /// # Errors
    /// `Unsupported` for kinds of pixels that no picture format has.
    pub(super) fn planes(
        &self,
        picture: &DynamicImage,
        (associated, is_code): (bool, bool),
    ) -> Result<Option<Vec<Plane<'static>>>> {
        use DynamicImage as Image;
        let planes = match picture {
            Image::ImageLuma8(p) => self.of_integers(p, 255, associated),
            Image::ImageLumaA8(p) => self.of_integers(p, 255, associated),
            Image::ImageRgb8(p) => self.of_integers(p, 255, associated),
            Image::ImageRgba8(p) => self.of_integers(p, 255, associated),
            Image::ImageLuma16(p) => self.of_integers(p, 65535, associated),
            Image::ImageLumaA16(p) => self.of_integers(p, 65535, associated),
            Image::ImageRgb16(p) => self.of_integers(p, 65535, associated),
            Image::ImageRgba16(p) => self.of_integers(p, 65535, associated),
            Image::ImageRgb32F(_) | Image::ImageRgba32F(_) if !is_code && !self.is_linear() => {
                return Ok(None);
            }
            Image::ImageRgb32F(p) => self.of_floats(p, associated),
            Image::ImageRgba32F(p) => self.of_floats(p, associated),
            other => {
                let message = format!("pixels of the kind {:?} are unknown", other.color());
                return Err(Error::unsupported(message));
            }
        };
        Ok(Some(planes))
    }

    /// Codes have tables, unless they were multiplied by alpha.
    fn of_integers<P>(
        &self,
        picture: &ImageBuffer<P, Vec<P::Subpixel>>,
        most: u16,
        associated: bool,
    ) -> Vec<Plane<'static>>
    where
        P: Pixel,
        P::Subpixel: Into<u32>,
    {
        let value = |code: P::Subpixel| -> f32 { code.into() as f32 / f32::from(most) };
        let channels = usize::from(P::CHANNEL_COUNT);
        let has_alpha = channels.is_multiple_of(2);
        let place = |i: usize| if channels < 3 { 0 } else { i };
        let alpha =
            |pixel: &[P::Subpixel]| if has_alpha { value(pixel[channels - 1]) } else { 1.0 };
        let tables: Vec<Vec<f32>> = match &self.how {
            How::Curves { curves, .. } => curves.iter().map(|one| table_of(one, most)).collect(),
            How::Grey(curve) => vec![table_of(curve, most)],
            How::Table(_) => Vec::new(),
        };
        let (luminance, matrix) = match &self.how {
            How::Curves { luminance, matrix, .. } => (luminance.as_ref(), matrix.as_ref()),
            _ => (None, None),
        };
        if tables.is_empty() || associated && has_alpha {
            return collect(channels, picture.as_raw(), |pixel| {
                let codes = [0, 1, 2].map(|i| value(pixel[place(i)]));
                self.multiplied(codes, alpha(pixel), associated)
            });
        }
        collect(channels, picture.as_raw(), |pixel| {
            let light = [0, 1, 2].map(|i| {
                let code: u32 = pixel[place(i)].into();
                let table = tables.get(i).unwrap_or(&tables[0]);
                table.get(code as usize).copied().unwrap_or_default()
            });
            let [r, g, b] = finish(light, luminance, matrix);
            let alpha = alpha(pixel);
            [r * alpha, g * alpha, b * alpha, alpha]
        })
    }

    fn of_floats<P>(
        &self,
        picture: &ImageBuffer<P, Vec<f32>>,
        associated: bool,
    ) -> Vec<Plane<'static>>
    where
        P: Pixel<Subpixel = f32>,
    {
        let channels = usize::from(P::CHANNEL_COUNT);
        let alpha = |pixel: &[f32]| if channels == 4 { pixel[3] } else { 1.0 };
        // Curves end where codes do, and light goes on.
        if let (How::Curves { luminance, matrix, .. }, true) = (&self.how, self.is_linear()) {
            return collect(channels, picture.as_raw(), |pixel| {
                let alpha = alpha(pixel);
                let [r, g, b] =
                    finish([pixel[0], pixel[1], pixel[2]], luminance.as_ref(), matrix.as_ref());
                let factor = if associated { 1.0 } else { alpha };
                [r * factor, g * factor, b * factor, alpha]
            });
        }
        collect(channels, picture.as_raw(), |pixel| {
            self.multiplied([pixel[0], pixel[1], pixel[2]], alpha(pixel), associated)
        })
    }

    /// Light of codes that may have been multiplied by alpha, multiplied by alpha, and alpha.
    fn multiplied(&self, codes: [f32; 3], alpha: f32, associated: bool) -> [f32; 4] {
        // Light without alpha, such as that of a flame, is divided by nothing.
        let is_flame = associated && alpha == 0.0;
        let whole = if associated && !is_flame { alpha } else { 1.0 };
        let light = self.light(codes.map(|code| code / whole));
        let [r, g, b] = light.map(|light| if is_flame { light } else { light * alpha });
        [r, g, b, alpha]
    }
}

/// What the screens of HLG do (the system gamma of 1.2), then other primaries.
fn finish(
    mut light: [f32; 3],
    luminance: Option<&[f32; 3]>,
    matrix: Option<&[[f32; 3]; 3]>,
) -> [f32; 3] {
    if let Some(weights) = luminance {
        let y: f32 = weights.iter().zip(light).map(|(weight, light)| weight * light).sum();
        let gain = y.max(0.0).powf(0.2) * (HLG_PEAK_NITS / WHITE_NITS) as f32;
        light = light.map(|light| light * gain);
    }
    match matrix {
        Some(m) => m.map(|row| row[0] * light[0] + row[1] * light[1] + row[2] * light[2]),
        None => light,
    }
}

fn table_of(curve: &Curve, most: u16) -> Vec<f32> {
    (0..=most).map(|code| curve(f32::from(code) / f32::from(most))).collect()
}

/// Planes of the colours and of alpha that `light` makes of each pixel.
fn collect<T>(
    channels: usize,
    values: &[T],
    light: impl Fn(&[T]) -> [f32; 4],
) -> Vec<Plane<'static>> {
    let names: &[(&str, usize)] = match channels {
        1 => &[("Y", 0)],
        2 => &[("A", 3), ("Y", 0)],
        3 => &[("B", 2), ("G", 1), ("R", 0)],
        _ => &[("A", 3), ("B", 2), ("G", 1), ("R", 0)],
    };
    let room = values.len() / channels;
    let mut planes: Vec<Vec<f32>> = names.iter().map(|_| Vec::with_capacity(room)).collect();
    for pixel in values.chunks_exact(channels) {
        let light = light(pixel);
        for ((_, at), plane) in names.iter().zip(&mut planes) {
            plane.push(light[*at]);
        }
    }
    let plane = |((name, _), values): (&(&str, usize), Vec<f32>)| Plane {
        channel: Channel::new(*name, PixelType::Float),
        samples: Samples::Float(values.into()),
    };
    names.iter().zip(planes).map(plane).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(light: [f32; 3], expected: [f32; 3]) {
        let is_near =
            light.iter().zip(expected).all(|(a, b)| (a - b).abs() < 2e-3 * b.abs().max(1.0));
        assert!(is_near, "{light:?} is not {expected:?}");
    }

    fn found(profile: &ColorProfile, is_grey: bool) -> Profile {
        match of_icc(&profile.encode().unwrap(), is_grey) {
            IccMeaning::Profile(profile) => profile,
            IccMeaning::Srgb => panic!("it is not sRGB"),
            IccMeaning::Unknown(said) => panic!("{said} is known"),
        }
    }

    #[test]
    fn primaries_of_other_spaces_lie_outside_of_srgb() {
        // The published matrices of linear light, columns of red, green and blue.
        let p3 = found(&ColorProfile::new_display_p3(), false);
        assert_eq!((&*p3.said, p3.is_light), ("ICC profile \"Display P3\"", false));
        near(p3.light([1.0, 0.0, 0.0]), [1.2249, -0.0421, -0.0196]);
        near(p3.light([0.0, 1.0, 0.0]), [-0.2249, 1.0421, -0.0786]);
        near(p3.light([0.0, 0.0, 1.0]), [0.0, 0.0, 1.0983]);
        near(p3.light([0.5; 3]), [srgb::to_linear(0.5); 3]);
        let adobe = found(&ColorProfile::new_adobe_rgb(), false);
        near(adobe.light([1.0, 0.0, 0.0]), [1.3984, 0.0, 0.0]);
        near(adobe.light([0.0, 1.0, 0.0]), [-0.3984, 1.0, -0.0429]);
        near(adobe.light([0.5; 3]), [0.5_f32.powf(2.199); 3]);
        let numbers = of_cicp([12, 13, 0, 1], 8).unwrap();
        near(numbers.light([1.0, 0.0, 0.0]), [1.2249, -0.0421, -0.0196]);
    }

    #[test]
    fn srgb_is_known_by_what_it_does() {
        let profile = ColorProfile::new_srgb().encode().unwrap();
        assert!(matches!(of_icc(&profile, false), IccMeaning::Srgb));
        // One of greys is none of colours, and what is cut off is none at all.
        assert!(matches!(of_icc(&profile, true), IccMeaning::Unknown(_)));
        for end in [0, 4, 40, 127, profile.len() / 2] {
            assert!(!matches!(of_icc(&profile[..end], false), IccMeaning::Srgb), "{end}");
        }
        let grey = found(&ColorProfile::new_gray_with_gamma(1.8), true);
        near(grey.light([0.5; 3]), [0.5_f32.powf(1.8); 3]);
    }

    #[test]
    fn hdr_curves_are_those_of_bt_2100() {
        // Codes of PQ for 100, 203 and 10,000 candelas a square metre.
        for (code, nits) in [(0.508_078, 100.0), (0.580_689, 203.0), (1.0, 10_000.0), (0.0, 0.0)] {
            assert!((pq(code) - nits).abs() <= 1e-4 * nits, "{code}: {}", pq(code));
        }
        let pq = of_cicp([9, 16, 0, 1], 16).unwrap();
        near(pq.light([0.580_689; 3]), [1.0; 3]);
        assert!(pq.is_light);
        // BT.2408: white is three quarters of HLG.
        let hlg = of_cicp([9, 18, 0, 1], 16).unwrap();
        near(hlg.light([0.75; 3]), [1.0; 3]);
        near(hlg.light([1.0; 3]), [1000.0 / 203.0; 3]);
        assert!(
            (super::hlg(0.5) - 1.0 / 12.0).abs() < 1e-9 && (super::hlg(1.0) - 1.0).abs() < 1e-6
        );
        // A narrow range: 64 and 940 of 10 bits, as 16.
        let narrow = of_cicp([1, 13, 0, 0], 16).unwrap();
        near(narrow.light([4096.0 / 65535.0; 3]), [0.0; 3]);
        near(narrow.light([60160.0 / 65535.0; 3]), [1.0; 3]);
        assert!(of_cicp([9, 200, 0, 1], 8).is_none() && of_cicp([0, 13, 0, 1], 8).is_none());
    }

    #[test]
    fn alpha_is_multiplied_in_once() {
        let p3 = of_cicp([12, 13, 0, 1], 8).unwrap();
        let plane = |planes: &[Plane<'_>], name: &str| {
            let plane = planes.iter().find(|plane| plane.channel.name == name).unwrap();
            let Samples::Float(values) = &plane.samples else { panic!() };
            values[0]
        };
        let pixel = |values: [u8; 4]| {
            let buffer = ImageBuffer::from_raw(1, 1, values.to_vec()).unwrap();
            DynamicImage::ImageRgba8(buffer)
        };
        let straight = p3.planes(&pixel([255, 0, 0, 51]), (false, false)).unwrap().unwrap();
        let associated = p3.planes(&pixel([51, 0, 0, 51]), (true, false)).unwrap().unwrap();
        for planes in [straight, associated] {
            assert!((plane(&planes, "R") - 0.2 * 1.2249).abs() < 1e-3);
            assert_eq!(plane(&planes, "A"), 0.2);
        }
        // Floats are light: a curve is not for them, primaries are.
        let float =
            DynamicImage::ImageRgb32F(ImageBuffer::from_raw(1, 1, vec![4.0, 0.0, 0.0]).unwrap());
        assert!(p3.planes(&float, (false, false)).unwrap().is_none());
        let linear = of_cicp([12, 8, 0, 1], 8).unwrap();
        let planes = linear.planes(&float, (false, false)).unwrap().unwrap();
        assert!((plane(&planes, "R") - 4.0 * 1.2249).abs() < 1e-2);
    }
}
