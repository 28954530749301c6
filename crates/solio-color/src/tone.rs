//! Tone mapping: light of any strength into 0 to 1, by published operators.

use solio_base::named_enum;

named_enum! {
    /// How light of any strength becomes light from 0 to 1. All work on linear light with the
    /// primaries of sRGB; none of them changes black.
    #[derive(Default, Hash)]
    pub enum ToneMap {
        /// What is brighter than 1 is 1.
        #[default]
        None = "none",
        /// x / (1 + x) of the luminance: Reinhard, Stark, Shirley and Ferwerda, "Photographic Tone
        /// Reproduction for Digital Images", 2002, equation 3.
        Reinhard = "reinhard",
        /// The filmic curve of Uncharted 2: John Hable, "Filmic Tonemapping Operators", 2010, with
        /// white at 11.2 and twice the exposure.
        Hable = "hable",
        /// A fit to the reference transform of ACES: Krzysztof Narkowicz, "ACES Filmic Tone Mapping
        /// Curve", 2016, with its 0.6 for the same exposure as ACES.
        Aces = "aces",
        /// Leaves colours below about 0.8 nearly as they are and keeps hues: Khronos, "PBR Neutral Tone
        /// Mapper", 2024.
        Neutral = "neutral",
    }

    /// `none`, `reinhard`, `hable`, `aces`, `neutral`.
    pub fn name;
}

impl ToneMap {
    /// From its name; `filmic` is that of Hable.
    pub fn of_name(name: &str) -> Option<ToneMap> {
        let name = if name == "filmic" { "hable" } else { name };
        ToneMap::ALL.into_iter().find(|map| map.name() == name)
    }

    /// Red, green and blue; what is negative or not a number becomes 0.
    pub fn apply(self, color: [f32; 3]) -> [f32; 3] {
        /// Stronger light than any sample in 16 bits; curves of larger numbers leave `f32`.
        const BRIGHTEST: f32 = 1e9;
        let color = color.map(|c| if c > 0.0 { c.min(BRIGHTEST) } else { 0.0 });
        let mapped = match self {
            ToneMap::None => color,
            ToneMap::Reinhard => {
                let [r, g, b] = color;
                let luminance = 0.2126 * r + 0.7152 * g + 0.0722 * b;
                color.map(|c| c / (1.0 + luminance))
            }
            ToneMap::Hable => {
                let white = hable(11.2);
                color.map(|c| hable(2.0 * c) / white)
            }
            ToneMap::Aces => color.map(|c| {
                let x = 0.6 * c;
                x * (2.51 * x + 0.03) / (x * (2.43 * x + 0.59) + 0.14)
            }),
            ToneMap::Neutral => neutral(color),
        };
        mapped.map(|c| c.clamp(0.0, 1.0))
    }
}

fn hable(x: f32) -> f32 {
    const SHOULDER: f32 = 0.15;
    const LINEAR: f32 = 0.5;
    const ANGLE: f32 = 0.1;
    const TOE: f32 = 0.2;
    const TOE_NUMERATOR: f32 = 0.02;
    const TOE_DENOMINATOR: f32 = 0.3;
    let top = x * (SHOULDER * x + ANGLE * LINEAR) + TOE * TOE_NUMERATOR;
    let bottom = x * (SHOULDER * x + LINEAR) + TOE * TOE_DENOMINATOR;
    // At 0 the difference is one of rounding.
    if x > 0.0 { top / bottom - TOE_NUMERATOR / TOE_DENOMINATOR } else { 0.0 }
}

fn neutral(color: [f32; 3]) -> [f32; 3] {
    const START: f32 = 0.8 - 0.04;
    const DESATURATION: f32 = 0.15;
    let least = color.into_iter().fold(f32::INFINITY, f32::min);
    let offset = if least < 0.08 { least - 6.25 * least * least } else { 0.04 };
    let color = color.map(|c| c - offset);
    let peak = color.into_iter().fold(0.0, f32::max);
    if peak < START {
        return color;
    }
    let rest = 1.0 - START;
    let new_peak = 1.0 - rest * rest / (peak + rest - START);
    let faded = 1.0 - 1.0 / (DESATURATION * (peak - new_peak) + 1.0);
    color.map(|c| c * (new_peak / peak) * (1.0 - faded) + new_peak * faded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_stay_within_bounds_and_rise() {
        for map in ToneMap::ALL {
            assert_eq!(ToneMap::of_name(map.name()), Some(map));
            assert_eq!(map.apply([0.0, -3.0, f32::NAN]), [0.0; 3], "{map:?}");
            let mut last = 0.0;
            for step in 0..2000 {
                let light = 1.02f32.powi(step - 1000);
                let [r, g, b] = map.apply([light; 3]);
                assert_eq!((r, g), (g, b), "{map:?} {light}");
                assert!((0.0..=1.0).contains(&r) && r >= last - 1e-6, "{map:?} {light}: {r}");
                last = r;
            }
            let brightest = map.apply([f32::INFINITY; 3]);
            assert!(brightest[0] > 0.99, "{map:?}: {brightest:?}");
        }
    }

    #[test]
    fn values_of_the_publications() {
        let near = |a: f32, b: f32| assert!((a - b).abs() < 1e-4, "{a} {b}");
        near(ToneMap::Reinhard.apply([1.0; 3])[0], 0.5);
        // White of the curve is white of the picture.
        near(ToneMap::Hable.apply([5.6; 3])[0], 1.0);
        near(
            ToneMap::Aces.apply([1.0; 3])[0],
            0.6 * (2.51 * 0.6 + 0.03) / (0.6 * (2.43 * 0.6 + 0.59) + 0.14),
        );
        // Of what is not too bright only the offset for reflections is taken.
        near(ToneMap::Neutral.apply([0.5; 3])[0], 0.46);
        assert_eq!(ToneMap::None.apply([0.25, 0.5, 2.0]), [0.25, 0.5, 1.0]);
    }
}
