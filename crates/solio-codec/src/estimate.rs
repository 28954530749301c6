//! The processor's own estimate of 1/√x, for formats whose writers are known to use it.

/// About 1/√x, to 12 bits on x86-64 (the last ones differ between makers) and exactly elsewhere.
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
