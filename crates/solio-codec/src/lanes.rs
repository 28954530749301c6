//! Eight floats side by side, for loops that compilers do not turn into vectors by themselves.
//!
//! A job is written once, over [`Lanes`]; [`run`] runs it with the registers that this machine has
//! (AVX2, NEON), or with plain arrays. All give the same bits: there are no fused operations, and
//! minimum and maximum say what they do with NaN.

#[cfg(target_arch = "aarch64")]
mod neon;

use solio_base::cpu::{Tier, tier};

/// Eight floats in memory, as a register takes them at once.
///
/// ```
/// use solio_codec::lanes::Eight;
/// // 20 floats, in groups as registers take them; the last one is filled up with zeros.
/// let floats: Vec<f32> = (1..=20).map(|i| i as f32).collect();
/// let mut groups = vec![Eight::default(); floats.len().div_ceil(8)];
/// for (group, floats) in groups.iter_mut().zip(floats.chunks(8)) {
///     group.0[..floats.len()].copy_from_slice(floats);
/// }
/// assert_eq!(groups[2].0, [17.0, 18.0, 19.0, 20.0, 0.0, 0.0, 0.0, 0.0]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(32))]
pub struct Eight(pub [f32; 8]);

/// Operations on eight floats. A value of the type is the proof that the machine has them.
///
/// ```
/// use solio_codec::lanes::{Lanes, ScalarLanes};
/// /// a + (b − a) t, of eight at once.
/// fn between<L: Lanes>(lanes: L, a: L::Floats, b: L::Floats, t: f32) -> L::Floats {
///     lanes.add(a, lanes.mul(lanes.sub(b, a), lanes.splat(t)))
/// }
/// assert_eq!(between(ScalarLanes, [2.0; 8], [4.0; 8], 0.25), [2.5; 8]);
/// ```
pub trait Lanes: Copy {
    /// Eight floats.
    type Floats: Copy;
    /// From memory.
    ///
    /// ```
    /// use solio_codec::lanes::{Eight, Lanes, ScalarLanes};
    /// let heights = Eight([0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0]);
    /// assert_eq!(ScalarLanes.least(ScalarLanes.load(&heights)), 0.5);
    /// ```
    fn load(self, from: &Eight) -> Self::Floats;
    /// To memory.
    ///
    /// ```
    /// use solio_codec::lanes::{Eight, Lanes, ScalarLanes};
    /// let mut row = [Eight([1.0; 8]), Eight([2.0; 8])];
    /// for eight in &mut row {
    ///     *eight = ScalarLanes.store(ScalarLanes.mul(ScalarLanes.load(eight), ScalarLanes.splat(10.0)));
    /// }
    /// assert_eq!(row, [Eight([10.0; 8]), Eight([20.0; 8])]);
    /// ```
    fn store(self, x: Self::Floats) -> Eight;
    /// The same eight times.
    ///
    /// ```
    /// use solio_codec::lanes::{Lanes, ScalarLanes};
    /// // One plane against eight boxes.
    /// let far_sides = [0.0, 1.0, 2.0, 3.0, 0.0, 1.0, 2.0, 1.5];
    /// assert_eq!(ScalarLanes.at_most(ScalarLanes.splat(1.5), far_sides), 0b1100_1100);
    /// ```
    fn splat(self, x: f32) -> Self::Floats;
    /// a + b
    ///
    /// ```
    /// use solio_codec::lanes::{Lanes, ScalarLanes};
    /// let x = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0];
    /// assert_eq!(ScalarLanes.add(x, ScalarLanes.splat(0.5))[7], 8.5);
    /// ```
    fn add(self, a: Self::Floats, b: Self::Floats) -> Self::Floats;
    /// a − b
    ///
    /// ```
    /// use solio_codec::lanes::{Lanes, ScalarLanes};
    /// // Widths of eight boxes; infinity less itself is no number.
    /// let (min, max) = ([f32::INFINITY; 8], [3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, f32::INFINITY]);
    /// let widths = ScalarLanes.sub(max, min);
    /// assert!(widths[0] == f32::NEG_INFINITY && widths[7].is_nan());
    /// ```
    fn sub(self, a: Self::Floats, b: Self::Floats) -> Self::Floats;
    /// a · b
    ///
    /// ```
    /// use solio_codec::lanes::{Lanes, ScalarLanes};
    /// // Rounded before anything is added: no fused operation, on no machine.
    /// let (third, ninth) = (1.0f32 / 3.0, 1.0f32 / 9.0);
    /// let square = ScalarLanes.mul([third; 8], [third; 8]);
    /// let rest = ScalarLanes.sub(square, [ninth; 8])[0];
    /// assert_eq!(rest, third * third - ninth);
    /// ```
    fn mul(self, a: Self::Floats, b: Self::Floats) -> Self::Floats;
    /// a where a < b, else b: b where one is NaN.
    ///
    /// ```
    /// use solio_codec::lanes::{Lanes, ScalarLanes};
    /// // The smallest so far comes second: then what is no number leaves it as it is.
    /// let so_far = [2.0; 8];
    /// assert_eq!(ScalarLanes.min([f32::NAN; 8], so_far), so_far);
    /// assert!(ScalarLanes.min(so_far, [f32::NAN; 8])[0].is_nan());
    /// ```
    fn min(self, a: Self::Floats, b: Self::Floats) -> Self::Floats;
    /// a where a > b, else b: b where one is NaN.
    ///
    /// ```
    /// use solio_codec::lanes::{Lanes, ScalarLanes};
    /// // Nothing negative, and nothing that is no number.
    /// let x = [-1.0, 0.5, f32::NAN, 2.0, -0.5, 1.0, f32::NEG_INFINITY, 3.0];
    /// let held = ScalarLanes.max(x, ScalarLanes.splat(0.0));
    /// assert_eq!(held, [0.0, 0.5, 0.0, 2.0, 0.0, 1.0, 0.0, 3.0]);
    /// ```
    fn max(self, a: Self::Floats, b: Self::Floats) -> Self::Floats;
    /// Without the sign.
    ///
    /// ```
    /// use solio_codec::lanes::{Lanes, ScalarLanes};
    /// let sizes = ScalarLanes.abs([-0.0, -1.5, 2.0, 0.0, f32::NEG_INFINITY, -3.0, 4.0, 5.0]);
    /// assert_eq!(sizes[..5], [0.0, 1.5, 2.0, 0.0, f32::INFINITY]);
    /// // Also of zero.
    /// assert!(sizes[0].is_sign_positive());
    /// ```
    fn abs(self, x: Self::Floats) -> Self::Floats;
    /// Bit i is set where a ≤ b.
    ///
    /// ```
    /// use solio_codec::lanes::{Lanes, ScalarLanes};
    /// // How many of eight rays meet something before they have gone 10.
    /// let met = [3.0, 10.0, 11.0, f32::INFINITY, f32::NAN, 9.5, 20.0, 0.0];
    /// assert_eq!(ScalarLanes.at_most(met, ScalarLanes.splat(10.0)).count_ones(), 4);
    /// ```
    fn at_most(self, a: Self::Floats, b: Self::Floats) -> u32;
    /// `then` where a < b, else `otherwise` (also where one is NaN).
    ///
    /// ```
    /// use solio_codec::lanes::{Lanes, ScalarLanes};
    /// // Straight below a bound, as the curve of sRGB is; 1 elsewhere.
    /// let (x, bound) = ([0.25, 0.75, f32::NAN, 0.5, 0.0, 0.0, 0.0, 0.0], ScalarLanes.splat(0.5));
    /// let y = ScalarLanes.where_less(x, bound, ScalarLanes.mul(x, ScalarLanes.splat(2.0)), ScalarLanes.splat(1.0));
    /// assert_eq!(y[..4], [0.5, 1.0, 1.0, 1.0]);
    /// ```
    fn where_less(
        self,
        a: Self::Floats,
        b: Self::Floats,
        then: Self::Floats,
        otherwise: Self::Floats,
    ) -> Self::Floats;
    /// Lanes 4, 5, 6, 7, 0, 1, 2, 3.
    ///
    /// ```
    /// use solio_codec::lanes::{Lanes, ScalarLanes};
    /// // The sums of four pairs, twice.
    /// let x = [1.0, 2.0, 3.0, 4.0, 10.0, 20.0, 30.0, 40.0];
    /// let sums = ScalarLanes.add(x, ScalarLanes.swap_halves(x));
    /// assert_eq!(sums, [11.0, 22.0, 33.0, 44.0, 11.0, 22.0, 33.0, 44.0]);
    /// ```
    fn swap_halves(self, x: Self::Floats) -> Self::Floats;
    /// Lanes 1, 2, 0, 3 of each half.
    ///
    /// ```
    /// use solio_codec::lanes::{Lanes, ScalarLanes};
    /// // Two cross products: x × y is z, and y × z is x.
    /// let a = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0];
    /// let b = [0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    /// let [c, d] = [ScalarLanes.mul(a, ScalarLanes.cycle(b)), ScalarLanes.mul(ScalarLanes.cycle(a), b)];
    /// let product = ScalarLanes.cycle(ScalarLanes.sub(c, d));
    /// assert_eq!(product, [0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
    /// ```
    fn cycle(self, x: Self::Floats) -> Self::Floats;
    /// `first`, then lanes 0 to 6.
    ///
    /// ```
    /// use solio_codec::lanes::{Lanes, ScalarLanes};
    /// // Differences along a row; 10 was the last number of the group before.
    /// let x = [11.0, 13.0, 13.0, 14.0, 14.0, 14.0, 20.0, 21.0];
    /// let steps = ScalarLanes.sub(x, ScalarLanes.shift_in(x, 10.0));
    /// assert_eq!(steps, [1.0, 2.0, 0.0, 1.0, 0.0, 0.0, 6.0, 1.0]);
    /// ```
    fn shift_in(self, x: Self::Floats, first: f32) -> Self::Floats;
    /// Column i holds element i of each row.
    ///
    /// ```
    /// use solio_codec::lanes::{Lanes, ScalarLanes};
    /// // Points with a weight: all x, all y, all z and all weights.
    /// let points: [[f32; 4]; 8] = std::array::from_fn(|i| [i as f32, 2.0, 3.0, 0.5]);
    /// let [x, y, _, weight] = ScalarLanes.columns(std::array::from_fn(|i| &points[i]));
    /// assert_eq!(x, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
    /// assert_eq!((y, weight), ([2.0; 8], [0.5; 8]));
    /// ```
    fn columns(self, rows: [&[f32; 4]; 8]) -> [Self::Floats; 4];
    /// The other way round.
    ///
    /// ```
    /// use solio_codec::lanes::{Lanes, ScalarLanes};
    /// // Four channels of eight pixels become pixels.
    /// let [red, green, blue, alpha] = [0.1, 0.2, 0.3, 1.0].map(|x| ScalarLanes.splat(x));
    /// let pixels = ScalarLanes.rows([red, green, blue, alpha]);
    /// assert_eq!(pixels, [[0.1, 0.2, 0.3, 1.0]; 8]);
    /// ```
    fn rows(self, columns: [Self::Floats; 4]) -> [[f32; 4]; 8];
    /// Whole numbers towards zero; each lane must lie in −2^31 .. 2^31.
    ///
    /// ```
    /// use solio_codec::lanes::{Lanes, ScalarLanes};
    /// let x = [1.9, -1.9, 0.5, -0.0, 255.0, 1e9, -1e9, 2.0];
    /// assert_eq!(ScalarLanes.whole(x), [1, -1, 0, 0, 255, 1_000_000_000, -1_000_000_000, 2]);
    /// ```
    fn whole(self, x: Self::Floats) -> [i32; 8];
    /// The smallest lane; any number where one is NaN.
    ///
    /// ```
    /// use solio_codec::lanes::{Lanes, ScalarLanes};
    /// // The nearest of eight distances.
    /// assert_eq!(ScalarLanes.least([8.0, 3.0, 5.0, 2.5, 9.0, 4.0, 7.0, f32::INFINITY]), 2.5);
    /// ```
    fn least(self, x: Self::Floats) -> f32;
}

/// Work to be done by [`run`].
///
/// ```
/// use solio_codec::lanes::{Eight, LaneJob, Lanes, run};
/// struct Sum<'a>(&'a [Eight]);
/// impl LaneJob for Sum<'_> {
///     type Output = Eight;
///     #[inline(always)]
///     fn run<L: Lanes>(self, lanes: L) -> Eight {
///         let add = |sum, x| lanes.add(sum, lanes.load(x));
///         lanes.store(self.0.iter().fold(lanes.splat(0.0), add))
///     }
/// }
/// assert_eq!(run(Sum(&[Eight([0.5; 8]); 10])), Eight([5.0; 8]));
/// ```
pub trait LaneJob {
    /// What it gives.
    type Output;
    /// Does it. Mark it `#[inline(always)]`, and all that it calls: only what is inlined is compiled
    /// for the registers of `lanes`.
    ///
    /// ```
    /// # use solio_codec::lanes::{LaneJob, Lanes, ScalarLanes, run};
    /// struct Inverse([[f32; 4]; 8]);
    /// impl LaneJob for Inverse {
    ///     type Output = [[f32; 4]; 8];
    ///     #[inline(always)]
    ///     fn run<L: Lanes>(self, lanes: L) -> [[f32; 4]; 8] {
    ///         let columns = lanes.columns(std::array::from_fn(|i| &self.0[i]));
    ///         lanes.rows(columns.map(|column| lanes.sub(lanes.splat(0.0), column)))
    ///     }
    /// }
    /// let rows = [[0.1, -0.2, 1e30, 4.0]; 8];
    /// // As a test asks for it: the machine's registers and plain arrays give the same.
    /// assert_eq!(run(Inverse(rows)), Inverse(rows).run(ScalarLanes));
    /// ```
    fn run<L: Lanes>(self, lanes: L) -> Self::Output;
}

/// Runs `job` with the lanes for this machine's tier ([`tier`]).
///
/// ```
/// use solio_codec::lanes::{Eight, LaneJob, Lanes, run};
/// /// How many numbers lie in 0 to 1.
/// struct Inside<'a>(&'a [Eight]);
/// impl LaneJob for Inside<'_> {
///     type Output = u32;
///     #[inline(always)]
///     fn run<L: Lanes>(self, lanes: L) -> u32 {
///         let (zero, one) = (lanes.splat(0.0), lanes.splat(1.0));
///         let inside = |x| lanes.at_most(zero, x) & lanes.at_most(x, one);
///         self.0.iter().map(|x| inside(lanes.load(x)).count_ones()).sum()
///     }
/// }
/// assert_eq!(run(Inside(&[Eight([0.0, 0.5, 1.0, 1.5, -0.1, f32::NAN, 2.0, 0.9])])), 4);
/// ```
#[inline]
pub fn run<J: LaneJob>(job: J) -> J::Output {
    match tier() {
        // SAFETY: a tier is never one that the machine lacks, and both of these have AVX2.
        #[cfg(target_arch = "x86_64")]
        Tier::Avx2 | Tier::Avx512 => unsafe { run_avx2(job) },
        #[cfg(target_arch = "aarch64")]
        Tier::Neon => job.run(neon::Neon),
        _ => job.run(ScalarLanes),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,fma")]
fn run_avx2<J: LaneJob>(job: J) -> J::Output {
    job.run(avx2::Avx2::of_this_machine())
}

/// Asks for the memory of `values[index]`, which is soon to be read; nothing where there is none.
/// Worth it where the next places are known but lie anywhere.
///
/// ```
/// use solio_codec::lanes::prefetch;
/// let (values, places) = ([10, 20, 30, 40], [3, 0, 2]);
/// let mut sum = 0;
/// for (i, place) in places.iter().enumerate() {
///     // Two ahead. What lies nowhere is not asked for.
///     prefetch(&values, places.get(i + 2).copied().unwrap_or(usize::MAX));
///     sum += values[*place];
/// }
/// assert_eq!(sum, 80);
/// ```
#[inline(always)]
pub fn prefetch<T>(values: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(value) = values.get(index) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: SSE is part of x86-64, and a prefetch of any address changes no value.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (values, index);
}

/// Arrays, for every machine.
///
/// ```
/// use solio_codec::lanes::{Lanes, ScalarLanes};
/// // No instructions are needed, so a value of the type is always at hand.
/// assert_eq!(ScalarLanes.mul([3.0; 8], ScalarLanes.splat(0.5)), [1.5; 8]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ScalarLanes;

#[inline(always)]
fn each(f: impl Fn(usize) -> f32) -> [f32; 8] {
    [f(0), f(1), f(2), f(3), f(4), f(5), f(6), f(7)]
}

impl Lanes for ScalarLanes {
    type Floats = [f32; 8];
    #[inline(always)]
    fn load(self, from: &Eight) -> [f32; 8] {
        from.0
    }
    #[inline(always)]
    fn store(self, x: [f32; 8]) -> Eight {
        Eight(x)
    }
    #[inline(always)]
    fn splat(self, x: f32) -> [f32; 8] {
        [x; 8]
    }
    #[inline(always)]
    fn add(self, a: [f32; 8], b: [f32; 8]) -> [f32; 8] {
        each(|i| a[i] + b[i])
    }
    #[inline(always)]
    fn sub(self, a: [f32; 8], b: [f32; 8]) -> [f32; 8] {
        each(|i| a[i] - b[i])
    }
    #[inline(always)]
    fn mul(self, a: [f32; 8], b: [f32; 8]) -> [f32; 8] {
        each(|i| a[i] * b[i])
    }
    #[inline(always)]
    fn min(self, a: [f32; 8], b: [f32; 8]) -> [f32; 8] {
        each(|i| if a[i] < b[i] { a[i] } else { b[i] })
    }
    #[inline(always)]
    fn max(self, a: [f32; 8], b: [f32; 8]) -> [f32; 8] {
        each(|i| if a[i] > b[i] { a[i] } else { b[i] })
    }
    #[inline(always)]
    fn abs(self, x: [f32; 8]) -> [f32; 8] {
        each(|i| x[i].abs())
    }
    #[inline(always)]
    fn at_most(self, a: [f32; 8], b: [f32; 8]) -> u32 {
        let mut mask = 0;
        for i in 0..8 {
            mask |= u32::from(a[i] <= b[i]) << i;
        }
        mask
    }
    #[inline(always)]
    fn where_less(self, a: [f32; 8], b: [f32; 8], then: [f32; 8], otherwise: [f32; 8]) -> [f32; 8] {
        each(|i| if a[i] < b[i] { then[i] } else { otherwise[i] })
    }
    #[inline(always)]
    fn swap_halves(self, x: [f32; 8]) -> [f32; 8] {
        each(|i| x[i ^ 4])
    }
    #[inline(always)]
    fn cycle(self, x: [f32; 8]) -> [f32; 8] {
        [x[1], x[2], x[0], x[3], x[5], x[6], x[4], x[7]]
    }
    #[inline(always)]
    fn shift_in(self, x: [f32; 8], first: f32) -> [f32; 8] {
        [first, x[0], x[1], x[2], x[3], x[4], x[5], x[6]]
    }
    #[inline(always)]
    fn columns(self, rows: [&[f32; 4]; 8]) -> [[f32; 8]; 4] {
        [each(|i| rows[i][0]), each(|i| rows[i][1]), each(|i| rows[i][2]), each(|i| rows[i][3])]
    }
    #[inline(always)]
    fn rows(self, columns: [[f32; 8]; 4]) -> [[f32; 4]; 8] {
        std::array::from_fn(|i| [columns[0][i], columns[1][i], columns[2][i], columns[3][i]])
    }
    #[inline(always)]
    fn whole(self, x: [f32; 8]) -> [i32; 8] {
        x.map(|x| x as i32)
    }
    #[inline(always)]
    fn least(self, x: [f32; 8]) -> f32 {
        let four = [x[0].min(x[4]), x[1].min(x[5]), x[2].min(x[6]), x[3].min(x[7])];
        four[0].min(four[2]).min(four[1].min(four[3]))
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::{Eight, Lanes};
    use std::arch::x86_64::*;

    /// Registers of AVX2. Only code that runs with AVX2 can make one.
    #[derive(Clone, Copy, Debug)]
    pub(super) struct Avx2(());

    impl Avx2 {
        #[target_feature(enable = "avx2")]
        #[inline]
        pub(super) fn of_this_machine() -> Avx2 {
            Avx2(())
        }
    }

    impl Lanes for Avx2 {
        type Floats = __m256;
        #[inline(always)]
        fn load(self, from: &Eight) -> __m256 {
            // SAFETY: self proves that there is AVX2, here and in all that follow; `Eight` is
            // eight floats aligned as the load wants them.
            unsafe { _mm256_load_ps(from.0.as_ptr()) }
        }
        #[inline(always)]
        fn store(self, x: __m256) -> Eight {
            let mut to = Eight([0.0; 8]);
            // SAFETY: AVX2 is there, and room for eight aligned floats.
            unsafe { _mm256_store_ps(to.0.as_mut_ptr(), x) };
            to
        }
        #[inline(always)]
        fn splat(self, x: f32) -> __m256 {
            // SAFETY: AVX2 is there.
            unsafe { _mm256_set1_ps(x) }
        }
        #[inline(always)]
        fn add(self, a: __m256, b: __m256) -> __m256 {
            // SAFETY: AVX2 is there.
            unsafe { _mm256_add_ps(a, b) }
        }
        #[inline(always)]
        fn sub(self, a: __m256, b: __m256) -> __m256 {
            // SAFETY: AVX2 is there.
            unsafe { _mm256_sub_ps(a, b) }
        }
        #[inline(always)]
        fn mul(self, a: __m256, b: __m256) -> __m256 {
            // SAFETY: AVX2 is there.
            unsafe { _mm256_mul_ps(a, b) }
        }
        #[inline(always)]
        fn min(self, a: __m256, b: __m256) -> __m256 {
            // SAFETY: AVX2 is there.
            unsafe { _mm256_min_ps(a, b) }
        }
        #[inline(always)]
        fn max(self, a: __m256, b: __m256) -> __m256 {
            // SAFETY: AVX2 is there.
            unsafe { _mm256_max_ps(a, b) }
        }
        #[inline(always)]
        fn abs(self, x: __m256) -> __m256 {
            // SAFETY: AVX2 is there.
            unsafe { _mm256_andnot_ps(_mm256_set1_ps(-0.0), x) }
        }
        #[inline(always)]
        fn at_most(self, a: __m256, b: __m256) -> u32 {
            // SAFETY: AVX2 is there.
            unsafe { _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LE_OQ>(a, b)) as u32 }
        }
        #[inline(always)]
        fn where_less(self, a: __m256, b: __m256, then: __m256, otherwise: __m256) -> __m256 {
            // SAFETY: AVX2 is there.
            unsafe { _mm256_blendv_ps(otherwise, then, _mm256_cmp_ps::<_CMP_LT_OQ>(a, b)) }
        }
        #[inline(always)]
        fn swap_halves(self, x: __m256) -> __m256 {
            // SAFETY: AVX2 is there.
            unsafe { _mm256_permute2f128_ps::<0x01>(x, x) }
        }
        #[inline(always)]
        fn cycle(self, x: __m256) -> __m256 {
            // SAFETY: AVX2 is there.
            unsafe { _mm256_permute_ps::<0b11_00_10_01>(x) }
        }
        #[inline(always)]
        fn shift_in(self, x: __m256, first: f32) -> __m256 {
            // SAFETY: AVX2 is there.
            unsafe {
                let up = _mm256_permutevar8x32_ps(x, _mm256_setr_epi32(0, 0, 1, 2, 3, 4, 5, 6));
                _mm256_blend_ps::<1>(up, _mm256_set1_ps(first))
            }
        }
        #[inline(always)]
        fn columns(self, rows: [&[f32; 4]; 8]) -> [__m256; 4] {
            // SAFETY: AVX2 is there.
            unsafe {
                transposed(
                    both(rows[0], rows[4]),
                    both(rows[1], rows[5]),
                    both(rows[2], rows[6]),
                    both(rows[3], rows[7]),
                )
            }
        }
        #[inline(always)]
        fn rows(self, [a, b, c, d]: [__m256; 4]) -> [[f32; 4]; 8] {
            let mut rows = [[0.0; 4]; 8];
            // SAFETY: AVX2 is there, and each row has room for the four floats that are stored.
            unsafe {
                let both = transposed(a, b, c, d);
                for i in 0..4 {
                    _mm_storeu_ps(rows[i].as_mut_ptr(), _mm256_castps256_ps128(both[i]));
                    _mm_storeu_ps(rows[i + 4].as_mut_ptr(), _mm256_extractf128_ps::<1>(both[i]));
                }
            }
            rows
        }
        #[inline(always)]
        fn whole(self, x: __m256) -> [i32; 8] {
            let mut to = [0; 8];
            // SAFETY: AVX2 is there, and room for eight numbers.
            unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), _mm256_cvttps_epi32(x)) };
            to
        }
        #[inline(always)]
        fn least(self, x: __m256) -> f32 {
            // SAFETY: AVX2 is there.
            unsafe {
                let four = _mm_min_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps::<1>(x));
                let two = _mm_min_ps(four, _mm_movehl_ps(four, four));
                _mm_cvtss_f32(_mm_min_ss(two, _mm_movehdup_ps(two)))
            }
        }
    }

    /// Two rows, each in one half.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn both(low: &[f32; 4], high: &[f32; 4]) -> __m256 {
        // SAFETY: each row has the four floats that are loaded.
        let (low, high) = unsafe { (_mm_loadu_ps(low.as_ptr()), _mm_loadu_ps(high.as_ptr())) };
        _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(low), high)
    }

    /// Rows and columns of the four by four in each half change places.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn transposed(a: __m256, b: __m256, c: __m256, d: __m256) -> [__m256; 4] {
        let (ab, cd) = (_mm256_unpacklo_ps(a, b), _mm256_unpacklo_ps(c, d));
        let (ab_high, cd_high) = (_mm256_unpackhi_ps(a, b), _mm256_unpackhi_ps(c, d));
        [
            _mm256_shuffle_ps::<0b01_00_01_00>(ab, cd),
            _mm256_shuffle_ps::<0b11_10_11_10>(ab, cd),
            _mm256_shuffle_ps::<0b01_00_01_00>(ab_high, cd_high),
            _mm256_shuffle_ps::<0b11_10_11_10>(ab_high, cd_high),
        ]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Every operation once; the bits of all answers.
    struct EveryOperation([[f32; 8]; 4]);

    impl LaneJob for EveryOperation {
        type Output = Vec<u32>;
        #[inline(always)]
        fn run<L: Lanes>(self, lanes: L) -> Vec<u32> {
            let [a, b, c, d] = self.0.map(|x| lanes.load(&Eight(x)));
            let bounded = lanes.min(lanes.max(a, lanes.splat(-9e8)), lanes.splat(9e8));
            let mut all: Vec<u32> = lanes.whole(bounded).iter().map(|x| *x as u32).collect();
            all.push(lanes.at_most(a, b));
            if self.0[0].iter().all(|x| !x.is_nan()) {
                // Zeros are equal, whatever their sign.
                all.push((lanes.least(a) + 0.0).to_bits());
            }
            let rows = self.0.as_flattened().as_chunks::<4>().0;
            let columns = lanes.columns(std::array::from_fn(|i| &rows[i]));
            let given = [
                lanes.add(a, b),
                lanes.sub(a, b),
                lanes.mul(a, b),
                lanes.min(a, b),
                lanes.max(a, b),
                lanes.abs(a),
                lanes.where_less(a, b, c, d),
                lanes.swap_halves(a),
                lanes.cycle(a),
                lanes.shift_in(a, 4.5),
            ];
            for x in given.into_iter().chain(columns) {
                // NaN may have any sign and payload.
                all.extend(lanes.store(x).0.map(|x| if x.is_nan() { 1 } else { x.to_bits() }));
            }
            all.extend(lanes.rows([a, b, c, d]).as_flattened().iter().map(|x| x.to_bits()));
            all
        }
    }

    fn any_eight() -> impl Strategy<Value = [f32; 8]> {
        let odd = prop::sample::select(vec![0.0, -0.0, f32::INFINITY, f32::NAN, 1.0, f32::MIN]);
        prop::array::uniform8(prop_oneof![4 => prop::num::f32::ANY, 1 => odd])
    }

    proptest! {
        #[test]
        fn lanes_equal_their_plain_twin(x in prop::array::uniform4(any_eight())) {
            prop_assert_eq!(run(EveryOperation(x)), EveryOperation(x).run(ScalarLanes));
        }
    }

    #[test]
    fn plain_lanes_do_what_they_say() {
        let x: [f32; 8] = each(|i| i as f32);
        assert_eq!(ScalarLanes.swap_halves(x), [4.0, 5.0, 6.0, 7.0, 0.0, 1.0, 2.0, 3.0]);
        assert_eq!(ScalarLanes.shift_in(x, 9.0), [9.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(ScalarLanes.cycle(x), [1.0, 2.0, 0.0, 3.0, 5.0, 6.0, 4.0, 7.0]);
        assert_eq!(ScalarLanes.at_most(x, [3.0; 8]), 0b1111);
        assert_eq!(ScalarLanes.least([3.0, 4.0, 1.0, 8.0, 9.0, 3.0, 2.0, 5.0]), 1.0);
        assert_eq!(ScalarLanes.max([f32::NAN; 8], x), x);
        assert!(ScalarLanes.max(x, [f32::NAN; 8]).iter().all(|x| x.is_nan()));
        let rows: [[f32; 4]; 8] =
            std::array::from_fn(|i| [0.0, 1.0, 2.0, 3.0].map(|j| j + i as f32));
        let columns = ScalarLanes.columns(std::array::from_fn(|i| &rows[i]));
        assert_eq!(columns[2], x.map(|x| x + 2.0));
        assert_eq!(ScalarLanes.rows(columns), rows);
    }
}
