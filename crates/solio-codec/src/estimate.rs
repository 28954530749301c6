//! The processor's own estimate of 1/√x, for formats whose writers are known to use it.

/// About 1/√x, to 12 bits on x86-64 (the last ones differ between makers) and exactly elsewhere.
///
/// ```
/// use solio_codec::estimate::inverse_root;
/// // To make a vector's length about 1: off by less than one in 2048.
/// let vector = [3.0f32, 0.0, 4.0];
/// let scale = inverse_root(vector.iter().map(|x| x * x).sum());
/// assert!((vector.map(|x| x * scale)[2] - 0.8).abs() < 0.8 / 2048.0);
/// ```
#[cfg(target_arch = "x86_64")]
#[inline]
pub fn inverse_root(x: f32) -> f32 {
    use std::arch::x86_64::{_mm_cvtss_f32, _mm_rsqrt_ss, _mm_set_ss};
    // SAFETY: SSE is part of every x86-64 processor.
    unsafe { _mm_cvtss_f32(_mm_rsqrt_ss(_mm_set_ss(x))) }
}

/// 1/√x.
#[cfg(not(target_arch = "x86_64"))]
#[inline]
pub fn inverse_root(x: f32) -> f32 {
    1.0 / x.sqrt()
}
