//! A block of pixels: taken in as planes, worked on, given out.

use super::Sample;
use super::kernel::{BLOCK, ComponentPlane, PixelStage};
use solio_codec::wide::{Wide, wide};

/// Pixels as planes, and room for those that are no floats.
pub struct PixelBlock {
    planes: [ComponentPlane; 3],
    alpha: ComponentPlane,
    numbers: [f32; 4 * BLOCK],
}

impl Default for PixelBlock {
    fn default() -> PixelBlock {
        PixelBlock { planes: [[0.0; BLOCK]; 3], alpha: [0.0; BLOCK], numbers: [0.0; 4 * BLOCK] }
    }
}

impl PixelBlock {
    /// Does what the stages say to all pixels.
    pub(super) fn work(&mut self, stages: &[PixelStage]) {
        wide(RunStages { planes: &mut self.planes, stages });
    }
}

/// Takes in up to a block of pixels: as light, where that is asked for and done exactly.
pub(super) struct Load<'b, A> {
    pub(super) block: &'b mut PixelBlock,
    pub(super) from: &'b [A],
    pub(super) channels: usize,
    pub(super) as_light: bool,
}

impl<A: Sample> Wide for Load<'_, A> {
    type Output = bool;
    #[inline(always)]
    fn run(self) -> bool {
        let Load { block: PixelBlock { planes, alpha, numbers }, from, channels, as_light } = self;
        let numbers = &mut numbers[..from.len()];
        let mut is_light = false;
        let floats = match A::floats(from) {
            Some(floats) => floats,
            None => {
                is_light = as_light && A::to_light(from, numbers);
                if !is_light {
                    A::to_floats(from, numbers);
                }
                numbers
            }
        };
        match channels {
            3 => part::<3>(floats, planes, alpha),
            _ => part::<4>(floats, planes, alpha),
        }
        is_light
    }
}

struct RunStages<'b> {
    planes: &'b mut [ComponentPlane; 3],
    stages: &'b [PixelStage],
}

impl Wide for RunStages<'_> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        for stage in self.stages {
            stage.run(self.planes);
        }
    }
}

/// Gives out up to a block of pixels.
pub(super) struct StorePixels<'b, B> {
    pub(super) block: &'b mut PixelBlock,
    pub(super) to: &'b mut [B],
    pub(super) channels: usize,
}

impl<B: Sample> Wide for StorePixels<'_, B> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let StorePixels { block: PixelBlock { planes, alpha, numbers }, to, channels } = self;
        let weave = |floats: &mut [f32]| match channels {
            3 => interleave::<3>((planes, alpha), floats),
            _ => interleave::<4>((planes, alpha), floats),
        };
        if let Some(floats) = B::floats_mut(to) {
            weave(floats);
            return;
        }
        let numbers = &mut numbers[..to.len()];
        weave(numbers);
        B::of_floats(numbers, to);
    }
}

#[inline(always)]
fn part<const CHANNELS: usize>(
    floats: &[f32],
    [x, y, z]: &mut [ComponentPlane; 3],
    alpha: &mut ComponentPlane,
) {
    for (i, pixel) in floats.as_chunks::<CHANNELS>().0.iter().enumerate().take(BLOCK) {
        (x[i], y[i], z[i]) = (pixel[0], pixel[1], pixel[2]);
        if CHANNELS == 4 {
            alpha[i] = pixel[3];
        }
    }
}

#[inline(always)]
fn interleave<const CHANNELS: usize>(
    ([x, y, z], alpha): (&[ComponentPlane; 3], &ComponentPlane),
    to: &mut [f32],
) {
    for (i, pixel) in to.as_chunks_mut::<CHANNELS>().0.iter_mut().enumerate().take(BLOCK) {
        (pixel[0], pixel[1], pixel[2]) = (x[i], y[i], z[i]);
        if CHANNELS == 4 {
            pixel[3] = alpha[i];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Space;
    use crate::arrays::Conversion;
    use proptest::prelude::*;

    proptest! {
        /// Clones for vectors against the plain loop, any bits.
        #[test]
        fn all_tiers_give_the_same_bits(bits in proptest::collection::vec(any::<u32>(), 3..600)) {
            let from: Vec<f32> = bits.iter().map(|b| f32::from_bits(*b)).collect();
            for (a, b) in [(Space::Srgb, Space::Oklab), (Space::Oklab, Space::DisplayP3),
                           (Space::Rec2020, Space::AcesCg), (Space::XyzD50, Space::Rec2020)] {
                let stages = Conversion::new(a, b).stages;
                let mut plain = [[0.0; BLOCK]; 3];
                for (i, x) in from.iter().enumerate() {
                    plain[i % 3][i / 3] = *x;
                }
                let mut cloned = plain;
                RunStages { planes: &mut plain, stages: &stages }.run();
                wide(RunStages { planes: &mut cloned, stages: &stages });
                let (plain, cloned) = (plain.as_flattened(), cloned.as_flattened());
                let same = plain.iter().zip(cloned).all(|(a, b)| {
                    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
                });
                prop_assert!(same);
            }
        }
    }
}
