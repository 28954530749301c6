//! CPU tiers: which SIMD kernels may run here. Chosen once, at run time.
//!
//! `SOLIO_CPU=scalar|sse2|avx2|avx512|neon` forces a tier (never one that the machine lacks).

use solio_kinds::named_enum;
use std::sync::OnceLock;

named_enum! {
    /// A level of SIMD support; a later one includes the earlier ones of the same architecture.
    ///
    /// ```
    /// use solio_base::cpu::Tier;
    /// // A kernel for AVX2 also serves machines that have more.
    /// assert!(Tier::Avx512 >= Tier::Avx2);
    /// assert!(Tier::Sse2 < Tier::Avx2);
    /// ```
    #[derive(PartialOrd, Ord, Hash)]
    pub enum Tier {
        /// Plain code.
        Scalar = "scalar",
        /// x86-64 baseline.
        Sse2 = "sse2",
        /// AVX2, BMI2, FMA.
        Avx2 = "avx2",
        /// AVX-512 F, BW, DQ, VL, VBMI, VBMI2, IFMA.
        Avx512 = "avx512",
        /// AArch64 baseline.
        Neon = "neon",
    }

    /// The name that `SOLIO_CPU` takes.
    ///
    /// ```
    /// use solio_base::cpu::{Tier, available};
    /// assert_eq!(Tier::Avx512.name(), "avx512");
    /// // What `SOLIO_CPU` is set to, one after the other, to try all kernels of this machine.
    /// let names: Vec<&str> = available().into_iter().map(Tier::name).collect();
    /// assert_eq!(names[0], "scalar");
    /// ```
    pub fn name;
}

/// The tiers that this machine has, lowest first. Tests run a kernel on each of them.
///
/// ```
/// use solio_base::cpu::{Tier, available};
/// let tiers = available();
/// assert_eq!(tiers[0], Tier::Scalar);
/// assert!(tiers.is_sorted());
/// ```
pub fn available() -> Vec<Tier> {
    #[allow(unused_mut)]
    let mut tiers = vec![Tier::Scalar];
    #[cfg(target_arch = "x86_64")]
    {
        tiers.push(Tier::Sse2);
        let avx2 = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt")
            && is_x86_feature_detected!("fma");
        if avx2 {
            tiers.push(Tier::Avx2);
        }
        if avx2
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512vbmi")
            && is_x86_feature_detected!("avx512vbmi2")
            && is_x86_feature_detected!("avx512ifma")
        {
            tiers.push(Tier::Avx512);
        }
    }
    #[cfg(target_arch = "aarch64")]
    tiers.push(Tier::Neon);
    tiers
}

/// The tier in force: the best available, or what `SOLIO_CPU` asks for if the machine has it
/// (otherwise the best one below it).
///
/// ```
/// use solio_base::cpu::{available, tier};
/// // Never one that the machine lacks, also where `SOLIO_CPU` asks for it.
/// assert!(available().contains(&tier()));
/// ```
pub fn tier() -> Tier {
    static TIER: OnceLock<Tier> = OnceLock::new();
    *TIER.get_or_init(|| {
        let available = available();
        let best = *available.last().expect("scalar is always there");
        match std::env::var("SOLIO_CPU") {
            Ok(name) => choose(&name, &available).unwrap_or(best),
            Err(_) => best,
        }
    })
}

/// Whether AMD made this processor.
///
/// ```
/// use solio_base::cpu::{Tier, available, is_amd};
/// // They make x86-64 only.
/// assert!(!is_amd() || available().contains(&Tier::Sse2));
/// ```
pub fn is_amd() -> bool {
    static IS_AMD: OnceLock<bool> = OnceLock::new();
    *IS_AMD.get_or_init(|| {
        #[cfg(target_arch = "x86_64")]
        {
            let maker = std::arch::x86_64::__cpuid(0);
            let name = [maker.ebx, maker.edx, maker.ecx].map(u32::to_le_bytes);
            name.as_flattened() == b"AuthenticAMD"
        }
        #[cfg(not(target_arch = "x86_64"))]
        false
    })
}

fn choose(name: &str, available: &[Tier]) -> Option<Tier> {
    let all = [Tier::Scalar, Tier::Sse2, Tier::Avx2, Tier::Avx512, Tier::Neon];
    let wanted = all.into_iter().find(|t| t.name() == name)?;
    available.iter().copied().rfind(|t| *t <= wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_tier_falls_to_the_one_below() {
        let have = [Tier::Scalar, Tier::Sse2, Tier::Avx2];
        assert_eq!(choose("avx512", &have), Some(Tier::Avx2));
        assert_eq!(choose("scalar", &have), Some(Tier::Scalar));
        assert_eq!(choose("mmx", &have), None);
    }
}
