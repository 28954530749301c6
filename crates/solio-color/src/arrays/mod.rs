//! Colours of whole arrays, a block that stays in the cache at a time.

mod block;
mod kernel;
mod sample;

use crate::Space;
use crate::convert::{Operation, between};
use crate::transfer::{Matrix, product};
use block::PixelBlock;
use kernel::{BLOCK, PixelStage};
pub use sample::Sample;
use solio_base::{Error, Result};

/// The way from one colour space to another for arrays, in `f32`.
///
/// The curves of sRGB, Display P3 and Rec. 2020, matrices and Oklab run on as many pixels at once
/// as the machine's registers hold; hues, Lab, Adobe RGB and ProPhoto go through the reference
/// ([`crate::convert`]) one by one. Either way the results are those of the reference to
/// 2⁻¹⁶ of the range, mostly 2⁻²¹, and the same bits on every machine.
///
/// ```
/// use solio_color::{Space, arrays::Conversion};
/// // Light, as OpenEXR holds it, to the codes of a screen.
/// let to_screen = Conversion::new(Space::SrgbLinear, Space::Srgb);
/// let mut codes = [0_u8; 6];
/// to_screen.run(&[0.18_f32, 0.18, 0.18, 1.0, 0.0, 4.0], &mut codes, 3)?;
/// assert_eq!(codes, [118, 118, 118, 255, 0, 255]);
/// # Ok::<(), solio_base::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Conversion {
    operations: Vec<Operation>,
    stages: Vec<PixelStage>,
}

impl Conversion {
    /// From `from` to `to`.
    ///
    /// ```
    /// use solio_color::{Space, arrays::Conversion};
    /// let mut pixel = [1.0_f32, 0.0, 0.0];
    /// Conversion::new(Space::Srgb, Space::Oklch).run_in_place(&mut pixel, 3)?;
    /// assert_eq!(pixel[2].round(), 29.0); // the hue of red, in degrees
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    pub fn new(from: Space, to: Space) -> Conversion {
        Conversion::of(between(from, to).collect())
    }

    /// From the first of `spaces` to the second and so on to the last, at once.
    ///
    /// ```
    /// use solio_color::{Space, arrays::Conversion};
    /// // What codes of eight bits lose by a stay in Oklab: nothing.
    /// let there_and_back = Conversion::through(&[Space::Srgb, Space::Oklab, Space::Srgb]);
    /// let mut codes = [13_u8, 115, 51];
    /// there_and_back.run_in_place(&mut codes, 3)?;
    /// assert_eq!(codes, [13, 115, 51]);
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    pub fn through(spaces: &[Space]) -> Conversion {
        Conversion::of(spaces.windows(2).flat_map(|pair| between(pair[0], pair[1])).collect())
    }

    fn of(operations: Vec<Operation>) -> Conversion {
        let mut stages = Vec::new();
        // Matrices that follow each other are multiplied before they are rounded.
        let mut matrix: Option<Matrix> = None;
        for &operation in &operations {
            let stage = match operation {
                Operation::Matrix(m) => {
                    matrix = Some(matrix.map_or(*m, |before| product(m, &before)));
                    continue;
                }
                Operation::Cube => PixelStage::Cube,
                Operation::CubeRoot => PixelStage::CubeRoot,
                Operation::DecodeSrgb => PixelStage::DecodeSrgb,
                Operation::EncodeSrgb => PixelStage::EncodeSrgb,
                Operation::Power(2.4) => PixelStage::Decode24,
                Operation::Power(exponent) if exponent == 1.0 / 2.4 => PixelStage::Encode24,
                Operation::Power(_) | Operation::Other(_) => PixelStage::Reference(operation),
            };
            stages.extend(matrix.take().map(|m| PixelStage::Matrix(narrow(&m))));
            stages.push(stage);
        }
        stages.extend(matrix.map(|m| PixelStage::Matrix(narrow(&m))));
        Conversion { operations, stages }
    }

    /// The pixels of `from` into `to`, each of `channels` numbers (3, or 4 with alpha, which is
    /// passed on).
    ///
    /// # Errors
    ///
    /// Where `channels` is neither 3 nor 4, the lengths differ or are no multiple of it.
    ///
    /// ```
    /// use half::f16;
    /// use solio_color::{Space, arrays::Conversion};
    /// let conversion = Conversion::new(Space::Srgb, Space::SrgbLinear);
    /// let mut light = [f16::ZERO; 4];
    /// conversion.run(&[255_u8, 0, 0, 51], &mut light, 4)?;
    /// assert_eq!(light.map(f32::from), [1.0, 0.0, 0.0, 0.199_951_17]); // alpha is no light
    /// assert!(conversion.run(&[255_u8, 0], &mut light[..2], 2).is_err());
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    pub fn run<A: Sample, B: Sample>(
        &self,
        from: &[A],
        to: &mut [B],
        channels: usize,
    ) -> Result<()> {
        check(from.len(), channels)?;
        same_length(from.len(), to.len())?;
        let mut block = PixelBlock::default();
        let length = BLOCK * channels;
        for (from, to) in from.chunks(length).zip(to.chunks_mut(length)) {
            let stages = self.load(&mut block, from, channels);
            block.work(stages);
            B::store(&mut block, to, channels);
        }
        Ok(())
    }

    /// The same in place.
    ///
    /// # Errors
    ///
    /// As [`Conversion::run`].
    ///
    /// ```
    /// use solio_color::{Space, arrays::Conversion};
    /// // The red of Display P3 is more than sRGB has: floats say so, codes would be cut off.
    /// let mut red = [1.0_f32, 0.0, 0.0];
    /// Conversion::new(Space::DisplayP3, Space::Srgb).run_in_place(&mut red, 3)?;
    /// assert!(red[0] > 1.09 && red[1] < -0.22);
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    pub fn run_in_place<A: Sample>(&self, pixels: &mut [A], channels: usize) -> Result<()> {
        check(pixels.len(), channels)?;
        let mut block = PixelBlock::default();
        for pixels in pixels.chunks_mut(BLOCK * channels) {
            let stages = self.load(&mut block, pixels, channels);
            block.work(stages);
            A::store(&mut block, pixels, channels);
        }
        Ok(())
    }

    /// Takes in up to a block of pixels; gives the stages that are left to do.
    fn load<A: Sample>(
        &self,
        block: &mut PixelBlock,
        from: &[A],
        channels: usize,
    ) -> &[PixelStage] {
        let curve = channels == 3 && matches!(self.stages.first(), Some(PixelStage::DecodeSrgb));
        &self.stages[usize::from(A::load(block, from, channels, curve))..]
    }

    /// The same in `f64`, one pixel after the other, as [`crate::convert`] does it. `None` for
    /// `from` is in place.
    ///
    /// # Errors
    ///
    /// As [`Conversion::run`].
    ///
    /// ```
    /// use solio_color::{Space, arrays::Conversion, convert};
    /// let mut pixels = [0.0; 3];
    /// let conversion = Conversion::new(Space::Lab, Space::Srgb);
    /// conversion.run_exact(Some(&[50.0, 20.0, -30.0]), &mut pixels, 3)?;
    /// assert_eq!(pixels, convert([50.0, 20.0, -30.0], Space::Lab, Space::Srgb));
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    pub fn run_exact(&self, from: Option<&[f64]>, to: &mut [f64], channels: usize) -> Result<()> {
        check(to.len(), channels)?;
        if let Some(from) = from {
            same_length(from.len(), to.len())?;
            to.copy_from_slice(from);
        }
        for pixel in to.chunks_exact_mut(channels) {
            let start = [pixel[0], pixel[1], pixel[2]];
            let done = self.operations.iter().fold(start, |c, operation| operation.apply(c));
            pixel[..3].copy_from_slice(&done);
        }
        Ok(())
    }
}

fn same_length(from: usize, to: usize) -> Result<()> {
    if from == to {
        return Ok(());
    }
    let message = format!("{from} numbers do not fit into {to}");
    Err(Error::argument(message).hint("give an array of the same shape"))
}

fn check(numbers: usize, channels: usize) -> Result<()> {
    if !(3..=4).contains(&channels) {
        let message = format!("a colour has 3 or 4 channels, not {channels}");
        return Err(Error::argument(message).hint("give an array whose last axis is 3 or 4 long"));
    }
    if !numbers.is_multiple_of(channels) {
        let message = format!("{numbers} numbers are no whole pixels of {channels}");
        return Err(Error::argument(message));
    }
    Ok(())
}

fn narrow(m: &Matrix) -> [[f32; 3]; 3] {
    m.map(|row| row.map(|x| x as f32))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convert;
    use half::f16;

    fn pixels(count: usize) -> Vec<f32> {
        let mut state = 1_u32;
        let mut one = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 24) as f32
        };
        (0..count * 3).map(|_| one()).collect()
    }

    /// Every pair of spaces, colours of sRGB, against the reference.
    #[test]
    fn it_is_the_reference_to_16_bits() {
        let codes = pixels(700);
        for from in Space::ALL {
            let exact: Vec<[f64; 3]> = codes
                .as_chunks::<3>()
                .0
                .iter()
                .map(|c| convert(c.map(f64::from), Space::Srgb, from))
                .collect();
            let numbers: Vec<f32> = exact.as_flattened().iter().map(|x| *x as f32).collect();
            for to in Space::ALL {
                let mut found = vec![0.0_f32; numbers.len()];
                Conversion::new(from, to).run(&numbers, &mut found, 3).unwrap();
                for (pixel, start) in
                    found.as_chunks::<3>().0.iter().zip(numbers.as_chunks::<3>().0)
                {
                    let want = convert(start.map(f64::from), from, to);
                    for i in 0..3 {
                        let mut off = (f64::from(pixel[i]) - want[i]).abs();
                        let range = match (to.hue_index(), to) {
                            // A hue turns fast near grey.
                            (Some(hue), _) if hue == i => {
                                off = off.min(360.0 - off);
                                360.0 * 100.0
                            }
                            (_, Space::Lab | Space::Lch) => 100.0,
                            // What is nearly black or white has a saturation of few digits.
                            (_, Space::Hsl | Space::Hsv) => 10.0,
                            _ => 1.0,
                        };
                        assert!(
                            off < range / 65536.0,
                            "{from:?} {to:?} {start:?}: {pixel:?}, not {want:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn channels_types_and_places_make_no_difference() {
        let colors = pixels(1000);
        let conversion = Conversion::new(Space::Srgb, Space::Oklab);
        let mut apart = vec![0.0; colors.len()];
        conversion.run(&colors, &mut apart, 3).unwrap();
        let mut same = colors.clone();
        conversion.run_in_place(&mut same, 3).unwrap();
        assert_eq!(apart, same);
        let mut four: Vec<f32> =
            colors.as_chunks::<3>().0.iter().flat_map(|&[r, g, b]| [r, g, b, r - g]).collect();
        conversion.run_in_place(&mut four, 4).unwrap();
        for (i, pixel) in four.as_chunks::<4>().0.iter().enumerate() {
            assert_eq!(pixel[..3], apart[3 * i..3 * i + 3]);
            assert_eq!(pixel[3], colors[3 * i] - colors[3 * i + 1]);
        }
        let halves: Vec<f16> = colors.iter().map(|x| f16::from_f32(*x)).collect();
        let floats: Vec<f32> = halves.iter().map(|x| x.to_f32()).collect();
        let (mut of_halves, mut of_floats) = (vec![f16::ZERO; 3000], vec![0.0_f32; 3000]);
        conversion.run(&halves, &mut of_halves, 3).unwrap();
        conversion.run(&floats, &mut of_floats, 3).unwrap();
        let rounded: Vec<f16> = of_floats.iter().map(|x| f16::from_f32(*x)).collect();
        assert_eq!(of_halves, rounded);
    }

    #[test]
    fn shapes_that_cannot_be_are_told() {
        let conversion = Conversion::new(Space::Srgb, Space::Oklab);
        assert!(conversion.run_in_place(&mut [0.0_f32; 4], 3).is_err());
        assert!(conversion.run_in_place(&mut [0.0_f32; 4], 2).is_err());
        assert!(conversion.run(&[0.0_f32; 3], &mut [0.0_f32; 6], 3).is_err());
        assert!(conversion.run_in_place::<u8>(&mut [], 4).is_ok());
    }

    /// All 2²⁴ colours of eight bits.
    #[test]
    fn eight_bits_survive_oklab() {
        let there = Conversion::new(Space::Srgb, Space::Oklab);
        let back = Conversion::new(Space::Oklab, Space::Srgb);
        let mut lab = vec![0.0_f32; 3 << 16];
        let mut again = vec![0_u8; 3 << 16];
        for red in 0..=255_u8 {
            let codes: Vec<u8> =
                (0..=255).flat_map(|g| (0..=255).flat_map(move |b| [red, g, b])).collect();
            there.run(&codes, &mut lab, 3).unwrap();
            back.run(&lab, &mut again, 3).unwrap();
            assert!(codes == again, "with red {red}");
        }
    }
}
