//! Spectra as colours: what the CIE 1931 standard observer sees of light and of surfaces.
//!
//! Sums go over the whole nanometres from 360 to 830, as those of *pbrt* version 4 do; colours are linear
//! light with the primaries of sRGB and nothing adapted. Light becomes a colour of luminance 1, a surface
//! is seen under D65.

mod named;
#[cfg(test)]
mod tests;

use crate::transfer::{Matrix, apply};
use solio_base::{Error, Result};
use solio_codec::number::parse::f32_prefix;
use std::borrow::Cow;
use std::sync::OnceLock;

/// The wavelengths that are seen, in nanometres.
const FIRST: u16 = 360;
const COUNT: usize = 471;
const OBSERVER: &str = include_str!("cie1931.txt");

/// XYZ to linear sRGB, for white as the sums over D65 give it (x 0.312727, y 0.329023).
const TO_SRGB: Matrix = [
    [3.240437356, -1.537130541, -0.498528824],
    [-0.969267498, 1.876013686, 0.041556080],
    [0.055643446, -0.204025970, 1.057225481],
];

/// How much of each wavelength there is.
///
/// ```
/// use solio_color::spectrum::Spectrum;
/// // A candle is orange; luminance is 1 whatever its strength.
/// let [r, g, b] = Spectrum::Blackbody(1900.0).light();
/// assert!(r > 2.0 && g < 0.8 && b < 0.1);
/// // What reflects long waves alone is red.
/// let red = Spectrum::pairs(&[400.0, 0.05, 580.0, 0.05, 600.0, 0.9, 700.0, 0.9])?;
/// let [r, g, b] = red.reflected();
/// assert!(r > 0.7 && g < 0.2 && b < 0.1);
/// # Ok::<(), solio_base::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Spectrum {
    /// The same everywhere.
    Constant(f32),
    /// Wavelengths in nanometres that rise, with values; lines between them.
    Lines {
        /// Nanometres.
        wavelengths: Cow<'static, [f32]>,
        /// As many values.
        values: Cow<'static, [f32]>,
        /// Whether the values at both ends go on; else there is nothing beyond them.
        holds_ends: bool,
    },
    /// That of a black body of so many kelvins, at most 1.
    Blackbody(f32),
}

impl Spectrum {
    /// Wavelengths and values in turn; nothing beyond the first and the last.
    ///
    /// # Errors
    /// Where there is no pair, a value too many, or wavelengths do not rise.
    ///
    /// ```
    /// use solio_color::spectrum::Spectrum;
    /// let half = Spectrum::pairs(&[400.0, 0.0, 600.0, 1.0])?;
    /// assert_eq!([half.at(500.0), half.at(600.0), half.at(601.0)], [0.5, 1.0, 0.0]);
    /// assert!(Spectrum::pairs(&[500.0, 1.0, 400.0, 1.0]).is_err());
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    pub fn pairs(interleaved: &[f32]) -> Result<Spectrum> {
        let (pairs, rest) = interleaved.as_chunks::<2>();
        if pairs.is_empty() || !rest.is_empty() {
            return Err(Error::syntax("a spectrum is made of pairs of wavelength and value"));
        }
        let rises = |pair: &&[[f32; 2]]| {
            pair[0][0].partial_cmp(&pair[1][0]) == Some(std::cmp::Ordering::Less)
        };
        if let Some(pair) = pairs.windows(2).find(|pair| !rises(pair)) {
            let [before, after] = [pair[0][0], pair[1][0]];
            let message = format!("the wavelengths of a spectrum rise: {after} follows {before}");
            return Err(Error::syntax(message));
        }
        let column = |i: usize| pairs.iter().map(|pair| pair[i]).collect::<Vec<_>>().into();
        Ok(Spectrum::Lines { wavelengths: column(0), values: column(1), holds_ends: false })
    }

    /// The text of a file: numbers apart by blanks, `#` and the rest of its line apart.
    ///
    /// # Errors
    /// Where something else stands there, or the numbers are no [`pairs`](Spectrum::pairs).
    ///
    /// ```
    /// use solio_color::spectrum::Spectrum;
    /// let lamp = Spectrum::parse(b"# measured\n400 0.1\n700 0.9\n")?;
    /// assert_eq!(lamp.at(550.0), 0.5);
    /// assert_eq!(Spectrum::parse(b"400 0.1\n700 red").unwrap_err().line(), Some(2));
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    pub fn parse(text: &[u8]) -> Result<Spectrum> {
        let mut numbers = Vec::new();
        for (line, words) in (1..).zip(text.split(|byte| *byte == b'\n')) {
            let words = words.split(|byte| *byte == b'#').next().unwrap_or_default();
            let words = words.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
            for word in words {
                let number = f32_prefix(word).filter(|(_, length)| *length == word.len());
                let Some((number, _)) = number else {
                    let word = String::from_utf8_lossy(&word[..word.len().min(40)]);
                    let message = format!("{word:?} is not a number of a spectrum");
                    return Err(Error::syntax(message).at_line(line, 1));
                };
                numbers.push(number);
            }
        }
        Spectrum::pairs(&numbers)
    }

    /// One that pbrt knows by name, such as `metal-Au-k` or `stdillum-D65`.
    ///
    /// ```
    /// use solio_color::spectrum::Spectrum;
    /// let crown = Spectrum::named("glass-BK7").expect("it is known");
    /// assert!((crown.at(587.6) - 1.5168).abs() < 1e-4);
    /// assert!(Spectrum::named("glass-BK8").is_none());
    /// ```
    pub fn named(name: &str) -> Option<Spectrum> {
        named::find(name)
    }

    /// The value at a wavelength in nanometres.
    pub fn at(&self, nanometres: f32) -> f32 {
        match self {
            Spectrum::Constant(value) => *value,
            Spectrum::Blackbody(kelvins) => blackbody(nanometres, *kelvins),
            Spectrum::Lines { wavelengths, values, holds_ends } => {
                let after = wavelengths.partition_point(|known| *known <= nanometres);
                let end = |i: usize| if *holds_ends { values[i] } else { 0.0 };
                if after == 0 {
                    return if values.is_empty() { 0.0 } else { end(0) };
                }
                let (left, value) = (wavelengths[after - 1], values[after - 1]);
                match (wavelengths.get(after), values.get(after)) {
                    (Some(right), Some(next)) => {
                        let part = (nanometres - left) / (right - left);
                        (1.0 - part) * value + part * next
                    }
                    _ if left == nanometres => value,
                    _ => end(after - 1),
                }
            }
        }
    }

    /// The colour of a light with this spectrum, with luminance 1; parts may be negative. Black where
    /// nothing of it is seen.
    pub fn light(&self) -> [f32; 3] {
        light(|nanometres| self.at(nanometres))
    }

    /// The colour of a surface that reflects this part of each wavelength, from 0 to 1, under D65.
    pub fn reflected(&self) -> [f32; 3] {
        reflected(|nanometres| self.at(nanometres))
    }

    /// The mean over what is seen, by luminance: of a refractive index the one number that stands for it.
    pub fn mean(&self) -> f32 {
        let rows = observer();
        let sum: f64 = rows.iter().map(|row| row[1]).sum();
        let all = rows.iter().zip(wavelengths()).map(|(row, at)| row[1] * f64::from(self.at(at)));
        (all.sum::<f64>() / sum) as f32
    }
}

/// [`Spectrum::light`] of a function of the wavelength.
pub fn light(value: impl Fn(f32) -> f32) -> [f32; 3] {
    let xyz = sums(|at| f64::from(value(at)));
    let luminance = xyz[1];
    if !(luminance.is_finite() && luminance > 0.0) {
        return [0.0; 3];
    }
    color(xyz.map(|part| part / luminance))
}

/// [`Spectrum::reflected`] of a function of the wavelength.
///
/// ```
/// // What reflects everything is white.
/// let white = solio_color::spectrum::reflected(|_| 1.0);
/// assert!(white.iter().all(|part| (part - 1.0).abs() < 1e-4));
/// ```
pub fn reflected(value: impl Fn(f32) -> f32) -> [f32; 3] {
    let (daylight, luminance) = daylight();
    let part = |at: f32| f64::from(value(at).clamp(0.0, 1.0)) * daylight[at as usize - 360];
    let part = |at: f32| Some(part(at)).filter(|part| part.is_finite()).unwrap_or(0.0);
    color(sums(part).map(|sum| sum / luminance))
}

fn color(xyz: [f64; 3]) -> [f32; 3] {
    apply(&TO_SRGB, xyz).map(|part| part as f32)
}

fn wavelengths() -> impl Iterator<Item = f32> {
    (FIRST..FIRST + COUNT as u16).map(f32::from)
}

fn sums(value: impl Fn(f32) -> f64) -> [f64; 3] {
    let mut sums = [0.0; 3];
    for (row, at) in observer().iter().zip(wavelengths()) {
        let value = value(at);
        for (sum, part) in sums.iter_mut().zip(row) {
            *sum += part * value;
        }
    }
    sums
}

/// D65, wavelength by wavelength, and its luminance.
fn daylight() -> &'static ([f64; COUNT], f64) {
    static DAYLIGHT: OnceLock<([f64; COUNT], f64)> = OnceLock::new();
    DAYLIGHT.get_or_init(|| {
        let light = Spectrum::named("stdillum-D65").expect("in the table, as a test says");
        let mut all = [0.0; COUNT];
        for (to, at) in all.iter_mut().zip(wavelengths()) {
            *to = f64::from(light.at(at));
        }
        let luminance = observer().iter().zip(&all).map(|(row, light)| row[1] * light).sum();
        (all, luminance)
    })
}

/// The matching functions; their text is taken apart at the first call.
fn observer() -> &'static [[f64; 3]; COUNT] {
    static TABLE: OnceLock<[[f64; 3]; COUNT]> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut table = [[0.0; 3]; COUNT];
        let lines = OBSERVER.lines().filter(|line| !line.starts_with('#'));
        for (row, line) in table.iter_mut().zip(lines) {
            for (to, word) in row.iter_mut().zip(line.split(' ')) {
                *to = word.parse().expect("a number, as a test says");
            }
        }
        table
    })
}

/// Planck's law, as a part of its largest value (Wien's displacement law).
fn blackbody(nanometres: f32, kelvins: f32) -> f32 {
    const SECOND_CONSTANT: f64 = 6.626_069_57e-34 * 299_792_458.0 / 1.380_648_8e-23;
    const DISPLACEMENT: f64 = 2.897_772_1e-3;
    let kelvins = f64::from(kelvins);
    if !(kelvins > 0.0 && kelvins.is_finite()) {
        return 0.0;
    }
    let radiance =
        |metres: f64| metres.powi(-5) / ((SECOND_CONSTANT / (metres * kelvins)).exp() - 1.0);
    (radiance(f64::from(nanometres) * 1e-9) / radiance(DISPLACEMENT / kelvins)) as f32
}
