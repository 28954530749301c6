//! Gradients from left to right.

use crate::Preview;
use crate::decode::of_planes;
use solio_base::{Error, Result};
use solio_color::gradient::{Floats, Gradient};
use solio_color::srgb;
use solio_exr::model::{Plane, Samples};
use solio_exr::{Channel, Image, PixelType};

/// Pixels between strips.
const GAP: usize = 8;
/// Most pixels of a picture.
const MOST: u64 = 1 << 28;

/// The gradients from left to right, one below the other, each of `size` (columns, rows): sRGB,
/// 8 bits, with straight alpha where one can be seen through.
///
/// The first column has the colour at 0 and the last that at 1.
///
/// ```
/// use solio_color::gradient::colormap;
/// let maps = ["viridis", "magma", "turbo"].map(|name| colormap(name).unwrap());
/// let strips = solio_image::gradient_strips(&maps, [256, 24])?;
/// // Three strips, and two gaps between them that can be seen through.
/// assert_eq!((strips.width, strips.height, strips.has_alpha), (256, 3 * 24 + 2 * 8, true));
/// assert_eq!(strips.pixels[..4], [68, 1, 84, 255]);
/// let png = strips.to_png()?;
/// assert!(png.starts_with(b"\x89PNG"));
/// # Ok::<(), solio_base::Error>(())
/// ```
///
/// # Errors
///
/// Where there are no gradients, no columns or rows, or more than 2²⁸ pixels.
pub fn gradient_strips(gradients: &[Gradient], size: [u32; 2]) -> Result<Preview> {
    let [width, height] = checked(gradients.len(), size)?;
    let total = gradients.len() * (height + GAP) - GAP;
    let mut pixels = vec![0_u8; 4 * width * total];
    let mut opaque = gradients.len() == 1;
    for (i, gradient) in gradients.iter().enumerate() {
        let sampler = gradient.sampler();
        let row: Vec<[u8; 4]> = places(width).map(|at| sampler.codes_at(at)).collect();
        opaque &= row.iter().all(|color| color[3] == 255);
        let start = 4 * width * i * (height + GAP);
        let strip = &mut pixels[start..][..4 * width * height];
        strip.chunks_exact_mut(4 * width).for_each(|line| line.copy_from_slice(row.as_flattened()));
    }
    if opaque {
        pixels = pixels.as_chunks::<4>().0.iter().flat_map(|&[r, g, b, _]| [r, g, b]).collect();
    }
    let shown = if opaque { "R, G, B" } else { "R, G, B, A" };
    Ok(Preview {
        width: width as u32,
        height: total as u32,
        has_alpha: !opaque,
        pixels,
        shown: shown.to_owned(),
        missing: None,
    })
}

/// The gradient from left to right as an image of `size` (columns, rows) for OpenEXR: linear light
/// with the primaries of sRGB, 32 bits, colours multiplied by alpha.
///
/// ```
/// use solio_color::gradient::{Gradient, parse_stops};
/// use solio_exr::model::{Pixels, Samples};
/// let colors = parse_stops("white, rgb(255 255 255 / 50%)")?;
/// let fade = Gradient { colors, ..Gradient::default() };
/// let image = solio_image::gradient_image(&fade, [3, 1])?;
/// let Pixels::Flat(levels) = &image.parts[0].pixels else { panic!() };
/// let [alpha, .., red] = &levels[0].planes[..] else { panic!() };
/// assert_eq!((&*alpha.channel.name, &*red.channel.name), ("A", "R"));
/// assert_eq!(alpha.samples, Samples::Float(vec![1.0, 0.75, 0.5].into()));
/// // Light that is multiplied by alpha.
/// let Samples::Float(light) = &red.samples else { panic!() };
/// assert!(light.iter().zip([1.0, 0.75, 0.5]).all(|(a, b)| (a - b).abs() < 1e-6));
/// # Ok::<(), solio_base::Error>(())
/// ```
///
/// # Errors
///
/// As [`gradient_strips`].
pub fn gradient_image(gradient: &Gradient, size: [u32; 2]) -> Result<Image<'static>> {
    let [width, height] = checked(1, size)?;
    let values: Vec<f32> = places(width).map(|at| at as f32).collect();
    let mut colors = vec![[0.0_f32; 4]; width];
    Floats::new(gradient.sampler()).apply(&values, [0.0, 1.0], &mut colors)?;
    let light = |color: &[f32; 4], i: usize| match i {
        3 => color[3],
        _ => srgb::to_linear(color[i]) * color[3],
    };
    let planes: Vec<Plane<'static>> = [("A", 3), ("B", 2), ("G", 1), ("R", 0)]
        .into_iter()
        .map(|(name, i)| {
            let row: Vec<f32> = colors.iter().map(|color| light(color, i)).collect();
            let channel = Channel::new(name, PixelType::Float);
            Plane { channel, samples: Samples::Float(row.repeat(height).into()) }
        })
        .collect();
    Ok(of_planes(size, planes))
}

/// Where the middles of the columns lie, the first at 0 and the last at 1.
pub(super) fn places(width: usize) -> impl Iterator<Item = f64> {
    let last = (width.max(2) - 1) as f64;
    (0..width).map(move |x| x as f64 / last)
}

fn checked(count: usize, [width, height]: [u32; 2]) -> Result<[usize; 2]> {
    let [width, height] = [width as usize, height as usize];
    let strip = if height == 0 { 0 } else { height + GAP };
    check_pixels(width, count.saturating_mul(strip))?;
    Ok([width, height])
}

/// That a picture has columns and rows, and not more pixels than [`MOST`].
pub(super) fn check_pixels(width: usize, height: usize) -> Result<()> {
    if width == 0 || height == 0 {
        return Err(Error::argument("a picture needs a gradient, columns and rows"));
    }
    if (width as u64).saturating_mul(height as u64) > MOST {
        let message = format!("a picture of {width} × {height} is too many pixels");
        return Err(Error::limit(message).hint("make it smaller; 268 million pixels are the most"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use solio_color::gradient::presets::STUDY;
    use solio_color::gradient::{Mode, parse_stops};
    use solio_exr::model::Pixels;

    #[test]
    fn the_ends_are_the_ends() {
        let heat = STUDY[5].gradient(Mode::default());
        let strip = gradient_strips(std::slice::from_ref(&heat), [64, 2]).unwrap();
        assert_eq!((strip.width, strip.height, strip.has_alpha), (64, 2, false));
        assert_eq!(
            (strip.pixels[..3].to_vec(), strip.pixels[2 * 64 * 3 - 3..].to_vec()),
            (vec![0; 3], vec![255; 3])
        );
        let two = gradient_strips(&[heat.clone(), heat], [64, 2]).unwrap();
        assert_eq!((two.height, two.has_alpha), (12, true));
    }

    #[test]
    fn what_can_be_seen_through_has_alpha() {
        let colors = parse_stops("red, rgb(0 0 255 / 50%)").unwrap();
        let gradient = Gradient { colors, ..Gradient::default() };
        let strip = gradient_strips(std::slice::from_ref(&gradient), [3, 1]).unwrap();
        assert!(strip.has_alpha);
        assert_eq!(strip.pixels[8..], [0, 0, 255, 128]);
        let image = gradient_image(&gradient, [3, 1]).unwrap();
        let Pixels::Flat(levels) = &image.parts[0].pixels else { panic!() };
        let value = |plane: usize| match &levels[0].planes[plane].samples {
            Samples::Float(samples) => samples[2],
            _ => panic!(),
        };
        assert!(
            [value(0), value(1), value(2), value(3)]
                .iter()
                .zip([0.5, 0.5, 0.0, 0.0])
                .all(|(a, b)| (a - b).abs() < 1e-4)
        );
    }

    #[test]
    fn what_cannot_be_drawn_is_told() {
        let gradient = STUDY[0].gradient(Mode::default());
        assert!(gradient_strips(&[], [4, 4]).is_err());
        assert!(gradient_strips(std::slice::from_ref(&gradient), [0, 4]).is_err());
        assert!(gradient_strips(std::slice::from_ref(&gradient), [4, 0]).is_err());
        assert!(gradient_image(&gradient, [u32::MAX, u32::MAX]).is_err());
    }
}
