//! What a diffuse surface reflects through a coat.
//!
//! pbrt follows light between the coat and what is below it by random walks; other formats blend both
//! linearly. Both are made as bright as each other at normal incidence under an even sky. The figures are those
//! that pbrt-v4 gave, of grey surfaces under a coat of index 1.5; between them the part that is caught
//! again is interpolated, and other indices follow from the formula of a smooth coat.

/// α of the rows: `roughness` 0, 0.1 and 0.3.
const ALPHAS: [f32; 3] = [0.0, 0.316_227_77, 0.547_722_6];
/// What is below, and what is reflected in all.
const BASES: [f32; 4] = [0.2, 0.5, 0.8, 1.0];
const REFLECTED: [[f32; 4]; 3] =
    [[0.125, 0.304, 0.585, 0.865], [0.116, 0.268, 0.471, 0.647], [0.101, 0.230, 0.385, 0.507]];
/// F0 of the index 1.5.
const F0: f32 = 0.04;

/// What a surface that reflects `base` (0 to 1) reflects in all under a dielectric coat of this α and
/// index, at normal incidence from everywhere, as pbrt-v4 renders it.
///
/// ```
/// use solio_scene::look::coated_albedo;
/// assert!((coated_albedo(0.8, 0.0, 1.5) - 0.585).abs() < 1e-6);
/// assert!((coated_albedo(0.5, 0.1f32.sqrt(), 1.5) - 0.268).abs() < 1e-6);
/// ```
pub fn coated_albedo(base: f32, alpha: f32, ior: f32) -> f32 {
    let base = if base.is_nan() { 0.0 } else { base.clamp(0.0, 1.0) };
    let alpha = if alpha.is_nan() { 0.0 } else { alpha.clamp(0.0, ALPHAS[2]) };
    let row = usize::from(alpha > ALPHAS[1]);
    let part = (alpha - ALPHAS[row]) / (ALPHAS[row + 1] - ALPHAS[row]);
    let [low, high] = [row, row + 1].map(|row| base * gain(base, &REFLECTED[row]));
    let below = (1.0 - part) * low + part * high;
    let f0 = f0(ior);
    let ratio = smooth(base, ior) / smooth(base, 1.5);
    f0 + below * if ratio.is_finite() { ratio } else { 1.0 }
}

/// The base of a format that blends linearly, `f0 + (1 - f0) · base`, for what is reflected in all.
///
/// ```
/// use solio_scene::look::uncoated;
/// assert!((uncoated(0.585, 1.5) - (0.585 - 0.04) / 0.96).abs() < 1e-6);
/// ```
pub fn uncoated(albedo: f32, ior: f32) -> f32 {
    let f0 = f0(ior);
    ((albedo - f0) / (1.0 - f0)).clamp(0.0, 1.0)
}

fn f0(ior: f32) -> f32 {
    ((ior - 1.0) / (ior + 1.0)).powi(2)
}

/// What of the base comes out, as a part of it. Its reciprocal is close to a line in the base.
fn gain(base: f32, reflected: &[f32; 4]) -> f32 {
    let at = |i: usize| BASES[i] / (reflected[i] - F0);
    let i = BASES[1..3].iter().filter(|known| base > **known).count();
    let part = (base - BASES[i]) / (BASES[i + 1] - BASES[i]);
    1.0 / ((1.0 - part) * at(i) + part * at(i + 1))
}

/// What comes out of a base below a smooth coat, without the reflection of the coat, where nothing is lost:
/// Egan and Hilgeman's fit of what is reflected within.
fn smooth(base: f32, ior: f32) -> f32 {
    let inner = -1.4399 / (ior * ior) + 0.7099 / ior + 0.6681 + 0.0636 * ior;
    let inner = inner.clamp(0.0, 0.99);
    (1.0 - f0(ior)) * (1.0 - inner) / (1.0 - inner * base)
}
