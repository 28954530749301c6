//! Colours of whole arrays, by all threads at once.

use solio_base::{Result, Work, lock, threads, unlock};
use solio_color::arrays::{Conversion, Sample};
use solio_color::gradient::{Floats, Table8, check_range};
use std::sync::Mutex;

/// Pixels that a thread takes at a time: enough that asking costs nothing beside them.
const BAND: usize = 1 << 15;

/// [`Conversion::run`] by all threads of `work`.
///
/// ```
/// use solio::color::{Space, arrays::Conversion};
/// use solio::{Work, convert_colors};
/// // Codes of eight bits to light: half way on the screen is a fifth of it.
/// let to_light = Conversion::new(Space::Srgb, Space::SrgbLinear);
/// let codes: [u8; 6] = [255, 128, 0, 0, 0, 0];
/// let mut light = [0.0_f32; 6];
/// convert_colors(&to_light, &codes, &mut light, 3, &Work::default())?;
/// assert!((light[0] - 1.0).abs() < 1e-4);
/// assert!((light[1] - 0.2159).abs() < 1e-4);
/// # Ok::<(), solio::Error>(())
/// ```
///
/// # Errors
///
/// As [`Conversion::run`], and where the work is cancelled.
pub fn convert_colors<A: Sample, B: Sample>(
    conversion: &Conversion,
    from: &[A],
    to: &mut [B],
    channels: usize,
    work: &Work,
) -> Result<()> {
    // Shapes that cannot be are told before anything is done.
    if from.len() != to.len() || channels == 0 || !from.len().is_multiple_of(channels) {
        return conversion.run(from, to, channels);
    }
    let band = BAND * channels;
    let jobs = from.chunks(band).zip(to.chunks_mut(band));
    all(jobs, work, |(from, to)| conversion.run(from, to, channels))
}

/// [`Conversion::run_in_place`] by all threads of `work`.
///
/// ```
/// use solio::color::{Space, arrays::Conversion};
/// use solio::{Work, convert_colors_in_place};
/// // A render in ACEScg, with alpha, for a screen.
/// let to_screen = Conversion::new(Space::AcesCg, Space::Srgb);
/// let mut pixels: Vec<f32> = [0.18, 0.18, 0.18, 0.5].repeat(1000);
/// convert_colors_in_place(&to_screen, &mut pixels, 4, &Work::default())?;
/// let [r, g, b, alpha] = [pixels[0], pixels[1], pixels[2], pixels[3]];
/// assert!((r - 0.4614).abs() < 1e-3 && (r - g).abs() < 1e-3 && (g - b).abs() < 1e-3);
/// assert_eq!(alpha, 0.5);
/// # Ok::<(), solio::Error>(())
/// ```
///
/// # Errors
///
/// As [`convert_colors`].
pub fn convert_colors_in_place<A: Sample>(
    conversion: &Conversion,
    pixels: &mut [A],
    channels: usize,
    work: &Work,
) -> Result<()> {
    if channels == 0 || !pixels.len().is_multiple_of(channels) {
        return conversion.run_in_place(pixels, channels);
    }
    let jobs = pixels.chunks_mut(BAND * channels);
    all(jobs, work, |pixels| conversion.run_in_place(pixels, channels))
}

/// [`Conversion::run_exact`] by all threads of `work`.
///
/// ```
/// use solio::color::{Space, arrays::Conversion};
/// use solio::{Work, convert_colors_exactly};
/// let work = Work::default();
/// let [to, back] = [(Space::Srgb, Space::Lab), (Space::Lab, Space::Srgb)];
/// let orange = [1.0, 0.5, 0.0];
/// let mut color = [0.0; 3];
/// convert_colors_exactly(&Conversion::new(to.0, to.1), Some(&orange), &mut color, 3, &work)?;
/// assert!((color[0] - 67.8).abs() < 0.1);
/// // In place.
/// convert_colors_exactly(&Conversion::new(back.0, back.1), None, &mut color, 3, &work)?;
/// assert!(color.iter().zip(&orange).all(|(a, b)| (a - b).abs() < 1e-9));
/// # Ok::<(), solio::Error>(())
/// ```
///
/// # Errors
///
/// As [`convert_colors`].
pub fn convert_colors_exactly(
    conversion: &Conversion,
    from: Option<&[f64]>,
    to: &mut [f64],
    channels: usize,
    work: &Work,
) -> Result<()> {
    let fits = from.is_none_or(|from| from.len() == to.len());
    if !fits || channels == 0 || !to.len().is_multiple_of(channels) {
        return conversion.run_exact(from, to, channels);
    }
    let band = BAND * channels;
    let part = |i: usize, length: usize| from.map(|from| &from[i * band..][..length]);
    let jobs = to.chunks_mut(band).enumerate();
    all(jobs, work, |(i, to)| conversion.run_exact(part(i, to.len()), to, channels))
}

/// [`Table8::apply`] by all threads of `work`.
///
/// ```
/// use solio::color::gradient::{Table8, colormap};
/// use solio::{Work, apply_gradient};
/// let table = Table8::new(colormap("viridis").unwrap().sampler());
/// let heights = [200.0, 1200.0, 9000.0, f32::NAN];
/// let mut colors = [[0; 4]; 4];
/// apply_gradient(&table, &heights, [200.0, 1200.0], &mut colors, &Work::default())?;
/// // What lies above has the colour of the end; what is not a number is clear.
/// assert_eq!(colors[0], [68, 1, 84, 255]);
/// assert_eq!(colors[1..3], [[253, 231, 37, 255]; 2]);
/// assert_eq!(colors[3], [0; 4]);
/// # Ok::<(), solio::Error>(())
/// ```
///
/// # Errors
///
/// As [`check_range`], and where the work is cancelled.
pub fn apply_gradient<const CHANNELS: usize>(
    table: &Table8,
    values: &[f32],
    range: [f32; 2],
    colors: &mut [[u8; CHANNELS]],
    work: &Work,
) -> Result<()> {
    check_range(range)?;
    let jobs = values.chunks(BAND).zip(colors.chunks_mut(BAND));
    all(jobs, work, |(values, colors)| {
        table.apply(values, range, colors);
        Ok(())
    })
}

/// [`Floats::apply`] by all threads of `work`.
///
/// ```
/// use solio::color::gradient::{Floats, Gradient, Mode, parse_stops};
/// use solio::{Work, apply_gradient_floats, color::Space};
/// let (colors, mode) = (parse_stops("black, white")?, Mode::in_space(Space::Srgb));
/// let grey = Floats::new(Gradient { colors, mode, ..Gradient::default() }.sampler());
/// let mut colors = [[0.0; 4]; 2];
/// apply_gradient_floats(&grey, &[2.0, 5.0], [1.0, 5.0], &mut colors, &Work::default())?;
/// // A quarter of the way, and its end.
/// let near = |a: [f32; 4], b: [f32; 4]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-4);
/// assert!(near(colors[0], [0.25, 0.25, 0.25, 1.0]) && near(colors[1], [1.0; 4]));
/// # Ok::<(), solio::Error>(())
/// ```
///
/// # Errors
///
/// As [`check_range`], and where the work is cancelled.
pub fn apply_gradient_floats(
    gradient: &Floats,
    values: &[f32],
    range: [f32; 2],
    colors: &mut [[f32; 4]],
    work: &Work,
) -> Result<()> {
    check_range(range)?;
    let jobs = values.chunks(BAND).zip(colors.chunks_mut(BAND));
    all(jobs, work, |(values, colors)| gradient.apply(values, range, colors))
}

/// Does each job once, by threads that take the next when they are done with one.
fn all<J: Send>(
    jobs: impl Iterator<Item = J> + Send,
    work: &Work,
    run: impl Fn(J) -> Result<()> + Sync,
) -> Result<()> {
    let jobs = Mutex::new(jobs);
    let failed = Mutex::new(Ok(()));
    let worker = || {
        loop {
            let next = lock(&jobs).next();
            let Some(job) = next else { return };
            if let Err(error) = work.cancel.check().and_then(|()| run(job)) {
                *lock(&failed) = Err(error);
                return;
            }
        }
    };
    threads::beside(work.threads.saturating_sub(1), &worker, worker);
    unlock(failed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use solio_color::Space;
    use solio_color::gradient::Mode;
    use solio_color::gradient::presets::STUDY;

    #[test]
    fn threads_make_no_difference() {
        let conversion = Conversion::new(Space::Srgb, Space::Oklab);
        let codes: Vec<u8> = (0..3 * 100_000_u32).map(|i| ((i * 7919) >> 3) as u8).collect();
        let run = |threads: usize| {
            let work = Work { threads, ..Work::default() };
            let mut lab = vec![0.0_f32; codes.len()];
            convert_colors(&conversion, &codes, &mut lab, 3, &work).unwrap();
            let mut placed: Vec<f32> = codes.iter().map(|c| f32::from(*c) / 255.0).collect();
            convert_colors_in_place(&conversion, &mut placed, 3, &work).unwrap();
            let wide: Vec<f64> = codes.iter().map(|c| f64::from(*c) / 255.0).collect();
            let mut exact = wide.clone();
            convert_colors_exactly(&conversion, Some(&wide), &mut exact, 3, &work).unwrap();
            let table = Table8::new(STUDY[4].gradient(Mode::default()).sampler());
            let mut colors = vec![[0_u8; 3]; lab.len()];
            apply_gradient(&table, &lab, [0.0, 1.0], &mut colors, &work).unwrap();
            (lab, placed, exact, colors)
        };
        let one = run(1);
        assert_eq!(one, run(3));
        let near = |a: &f32, b: &f64| (f64::from(*a) - b).abs() < 1e-5;
        assert!(one.0.iter().zip(&one.2).all(|(a, b)| near(a, b)));
        assert!(one.1.iter().zip(&one.2).all(|(a, b)| near(a, b)));
    }

    #[test]
    fn what_is_wrong_or_cancelled_is_told() {
        let conversion = Conversion::new(Space::Srgb, Space::Hsl);
        let work = Work::default();
        assert!(convert_colors(&conversion, &[0_u8; 3], &mut [0.0_f32; 4], 3, &work).is_err());
        assert!(convert_colors_in_place(&conversion, &mut [0.0_f32; 4], 0, &work).is_err());
        assert!(convert_colors_exactly(&conversion, None, &mut [0.0; 4], 3, &work).is_err());
        // A range whose width is no number.
        let sampler = STUDY[4].gradient(Mode::default()).sampler();
        let (table, floats) = (Table8::new(sampler.clone()), Floats::new(sampler));
        let eight = |range| apply_gradient(&table, &[0.0], range, &mut [[0; 4]], &work);
        let single = |range| apply_gradient_floats(&floats, &[0.0], range, &mut [[0.0; 4]], &work);
        for wrong in [[-3e38, 3e38], [f32::NAN, 1.0], [0.0, f32::INFINITY]] {
            assert!(eight(wrong).is_err() && single(wrong).is_err(), "{wrong:?}");
        }
        assert!(eight([-1e38, 1e38]).is_ok() && single([-1e38, 1e38]).is_ok());
        work.cancel.cancel();
        assert!(convert_colors_in_place(&conversion, &mut [0.0_f32; 6], 3, &work).is_err());
    }
}
