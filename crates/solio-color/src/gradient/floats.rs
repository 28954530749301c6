//! Colours for many values in `f32`.

use super::Sampler;
use super::sampler::Components;
use crate::Space;
use crate::arrays::Conversion;
use solio_base::Result;

/// Values whose colours are made at once.
const BLOCK: usize = 256;

/// A gradient made ready for arrays: colours are blended one by one, and brought to sRGB many at a
/// time.
#[derive(Clone, Debug)]
pub struct Floats {
    sampler: Sampler,
    /// Where most of the gradient is blended.
    space: Space,
    conversion: Conversion,
}

impl Floats {
    /// Of a gradient.
    pub fn new(sampler: Sampler) -> Floats {
        let space = sampler.main_space();
        Floats { conversion: Conversion::new(space, Space::Srgb), sampler, space }
    }

    /// The colours of `values`, of which `range` gives those at 0 and at 1, as [`Sampler::at`] has
    /// them to 2⁻¹⁶: codes of sRGB, not bounded, and alpha. There are as many colours as values.
    ///
    /// # Errors
    ///
    /// None; it hands on those of [`Conversion::run_in_place`].
    pub fn apply(&self, values: &[f32], range: [f32; 2], colors: &mut [[f32; 4]]) -> Result<()> {
        let width = range[1] - range[0];
        for (values, colors) in values.chunks(BLOCK).zip(colors.chunks_mut(BLOCK)) {
            for (value, color) in values.iter().zip(&mut *colors) {
                let at = f64::from((value - range[0]) / width);
                let Components { space, components, alpha } = self.sampler.components(at);
                let here = crate::convert(components, space, self.space);
                *color = [here[0], here[1], here[2], alpha].map(|x| x as f32);
            }
            self.conversion.run_in_place(colors.as_flattened_mut(), 4)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gradient::presets::STUDY;
    use crate::gradient::{Mode, parse_stops};

    #[test]
    fn it_is_the_sampler() {
        for mode in ["fixed", "srgb", "linear", "oklab", "oklch increasing", "lab", "hsv", "smooth"]
        {
            let mut gradient = STUDY[4].gradient(Mode::of_name(mode).unwrap());
            gradient.colors[2].to_next.mode = Mode::of_name("hsl longer");
            gradient.colors[3] = parse_stops("rgb(0 255 0 / .3) 50%").unwrap()[0];
            let sampler = gradient.sampler();
            let values: Vec<f32> = (-10..=1010).map(|i| i as f32 * 2.0).collect();
            let mut colors = vec![[0.0_f32; 4]; values.len()];
            Floats::new(sampler.clone()).apply(&values, [0.0, 2000.0], &mut colors).unwrap();
            for (value, found) in values.iter().zip(colors) {
                let want = sampler.at(f64::from(value / 2000.0));
                let off = found.iter().zip(want).map(|(a, b)| (f64::from(*a) - b).abs());
                assert!(off.fold(0.0, f64::max) < 3e-5, "{mode} {value}: {found:?}, not {want:?}");
            }
        }
    }
}
