//! A picture of where two images differ.

use super::HeatMap;
use crate::Preview;
use crate::rows;
use solio_base::{Error, Result, Work};
use solio_color::gradient::colormap;

/// Colours of the scale.
const STEPS: usize = 256;

/// The map as a picture: black up to `least`, then by magma from there to the greatest difference that is
/// finite, by the logarithm; white where only one image has a number.
///
/// ```
/// use solio_base::Work;
/// use solio_image::{HeatMap, heat_picture};
/// let window = solio_exr::header::Box2i::of_size(3, 1);
/// let map = HeatMap { window, values: vec![0.0, 0.5, f32::INFINITY] };
/// let picture = heat_picture(&map, 1e-6, &Work::serial())?;
/// assert_eq!((picture.width, picture.pixels[..3].to_vec()), (3, vec![0, 0, 0]));
/// assert_eq!(picture.pixels[6..], [255, 255, 255]);
/// # Ok::<(), solio_base::Error>(())
/// ```
///
/// # Errors
/// `Limit` for more columns or rows than a picture can have, and `Cancelled`.
pub fn heat_picture(map: &HeatMap, least: f64, work: &Work) -> Result<Preview> {
    let [width, height] = [map.window.width(), map.window.height()].map(u32::try_from);
    let (Ok(width), Ok(height)) = (width, height) else {
        return Err(Error::limit("more columns or rows than a picture can have"));
    };
    let finite = map.values.iter().filter(|value| value.is_finite());
    let greatest = f64::from(finite.fold(0.0f32, |most, value| most.max(*value)));
    let least = least.max(f64::from(f32::MIN_POSITIVE));
    let span = (greatest / least).ln();
    let sampler = colormap("magma").expect("it is one of the colour maps").sampler();
    // Its first eighth is as good as black.
    let color = |i: usize| {
        let [r, g, b, _] = sampler.codes_at(0.125 + 0.875 * i as f64 / (STEPS - 1) as f64);
        [r, g, b]
    };
    let colors: Vec<[u8; 3]> = (0..STEPS).map(color).collect();
    let of = |value: f32| {
        let value = f64::from(value);
        match () {
            () if value <= least => [0; 3],
            () if value.is_infinite() => [255; 3],
            () if span > 0.0 => colors[((value / least).ln() / span * (STEPS - 1) as f64) as usize],
            () => colors[STEPS - 1],
        }
    };
    let mut pixels = vec![[0u8; 3]; map.values.len()];
    let columns = width as usize;
    let fill = |y: usize, row: &mut [[u8; 3]], (): &mut ()| {
        row.iter_mut().zip(&map.values[y * columns..]).for_each(|(to, value)| *to = of(*value));
    };
    rows::fill(work, &mut pixels, columns, || (), fill)?;
    Ok(Preview {
        width,
        height,
        has_alpha: false,
        pixels: bytemuck::allocation::cast_vec(pixels),
        shown: "differences".to_owned(),
        missing: None,
    })
}
