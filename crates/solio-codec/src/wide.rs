//! Plain loops, compiled for the vectors that this machine has.
//!
//! The baseline of x86-64 has registers of four floats and no rounding; a loop over an array of
//! points ran 3× faster as a clone for AVX-512. That of AArch64 has all of NEON and needs no clones.
//! Clones give the same bits: the compiler neither fuses nor reorders float operations.

#[cfg(target_arch = "x86_64")]
use solio_base::cpu::{Tier, tier};

/// A loop to run by [`wide`].
///
/// ```
/// use solio_codec::wide::{Wide, wide};
/// struct Darken<'a>(&'a mut [f32], f32);
/// impl Wide for Darken<'_> {
///     type Output = ();
///     #[inline(always)]
///     fn run(self) {
///         self.0.iter_mut().for_each(|x| *x *= self.1);
///     }
/// }
/// let mut row = [0.5; 100];
/// wide(Darken(&mut row, 0.5));
/// assert_eq!(row, [0.25; 100]);
/// ```
pub trait Wide {
    /// What it gives.
    type Output;
    /// Runs it. Mark it `#[inline(always)]`, and all that it calls: only what is inlined becomes
    /// part of the clones.
    ///
    /// ```
    /// use solio_codec::wide::{Wide, wide};
    /// struct Largest<'a>(&'a [u16]);
    /// impl Wide for Largest<'_> {
    ///     type Output = Option<u16>;
    ///     #[inline(always)]
    ///     fn run(self) -> Option<u16> {
    ///         self.0.iter().copied().max()
    ///     }
    /// }
    /// let depths = [7, 65_535, 3];
    /// // Called by itself it is the plain loop, which a test compares with.
    /// assert_eq!(wide(Largest(&depths)), Largest(&depths).run());
    /// ```
    fn run(self) -> Self::Output;
}

/// Runs `job` with the clone for this machine's tier ([`solio_base::cpu::tier`]).
///
/// ```
/// use solio_codec::wide::{Wide, wide};
/// /// Rows of sRGB bytes to the sum of each channel.
/// struct Sums<'a>(&'a [[u8; 3]]);
/// impl Wide for Sums<'_> {
///     type Output = [u32; 3];
///     #[inline(always)]
///     fn run(self) -> [u32; 3] {
///         let sum = |channel: usize| self.0.iter().map(|pixel| u32::from(pixel[channel])).sum();
///         [sum(0), sum(1), sum(2)]
///     }
/// }
/// assert_eq!(wide(Sums(&[[255, 10, 0]; 1000])), [255_000, 10_000, 0]);
/// ```
#[inline]
pub fn wide<J: Wide>(job: J) -> J::Output {
    #[cfg(target_arch = "x86_64")]
    match tier() {
        // SAFETY: a tier is never one that the machine lacks.
        Tier::Avx512 => return unsafe { avx512(job) },
        // SAFETY: as above.
        Tier::Avx2 => return unsafe { avx2(job) },
        _ => {}
    }
    job.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx512ifma")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,fma")]
fn avx512<J: Wide>(job: J) -> J::Output {
    job.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,fma")]
fn avx2<J: Wide>(job: J) -> J::Output {
    job.run()
}

/// A float as a whole number, cut off; 0 of less than 0 and of NaN, at most 2³¹ − 128.
///
/// Rust's conversion looks at every number by itself; of this, compilers make vectors.
///
/// ```
/// use solio_codec::wide::whole;
/// // A place in a table of 256, whatever the number is.
/// let place = |x: f32| whole(x * 255.0 + 0.5).min(255);
/// assert_eq!([0.5, 1.0, -3.0, f32::NAN, f32::INFINITY].map(place), [128, 255, 0, 0, 255]);
/// ```
#[inline(always)]
pub fn whole(value: f32) -> u32 {
    /// The last below 2³¹.
    const MOST: f32 = 2_147_483_520.0;
    // Comparisons that NaN fails leave 0.
    let held = if value > 0.0 { value } else { 0.0 };
    let held = if held < MOST { held } else { MOST };
    // SAFETY: it is from 0 to what an `i32` holds.
    unsafe { held.to_int_unchecked::<i32>() as u32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Multiplications before additions, which a fused operation would round otherwise.
    struct Scale<'a>(&'a [f32], &'a mut [f32]);

    impl Wide for Scale<'_> {
        type Output = f32;
        #[inline(always)]
        fn run(self) -> f32 {
            for (from, to) in self.0.iter().zip(&mut *self.1) {
                *to = (from * 1.1 + 0.7 * from * from).sqrt() / 3.3;
            }
            self.1.iter().sum()
        }
    }

    #[test]
    fn clones_give_the_same_bits() {
        let from: Vec<f32> = (0..1003).map(|i| i as f32 * 0.37).collect();
        let (mut plain, mut cloned) = (vec![0.0; from.len()], vec![0.0; from.len()]);
        let (a, b) = (Scale(&from, &mut plain).run(), wide(Scale(&from, &mut cloned)));
        assert_eq!((a.to_bits(), plain), (b.to_bits(), cloned));
    }

    #[test]
    fn whole_numbers_are_cut_off() {
        let most = 2_147_483_520;
        let floats = [0.0, -0.0, 0.999_999_9, 1.0, 255.5, 16_777_217.0, 2_147_483_500.0, -1.5];
        assert_eq!(floats.map(whole), [0, 0, 0, 1, 255, 16_777_216, most, 0]);
        let outside = [f32::NAN, f32::NEG_INFINITY, f32::INFINITY, 2.2e9, 1e-40];
        assert_eq!(outside.map(whole), [0, 0, most, most, 0]);
    }
}
