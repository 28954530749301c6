//! Gradients in the files of other programs.
//!
//! All is done on bytes in memory. Readers take any bytes and give gradients or an error with its
//! place; writers say what the format could not hold. `docs/formats/gradients.md` has a section
//! for each format.

mod css;
mod ggr;
mod json;
mod segments;
mod straight;
mod text;
mod unity;

use super::{Easing, Gradient};
use solio_base::{Error, Result};

/// Most stops that are read from or written to one file.
pub const MAX_STOPS: usize = 1_000_000;

/// A file format of gradients.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GradientFormat {
    /// CSS Images 4: `linear-gradient(in oklab, red, blue)` and its kin, or a list of stops.
    Css,
    /// GIMP's gradients.
    Ggr,
    /// Unity's serialised gradients, in YAML: 8 colour and 8 alpha keys.
    Unity,
    /// Everything that Solio's gradients have.
    Json,
}

impl GradientFormat {
    /// All of them.
    pub const ALL: [GradientFormat; 4] =
        [GradientFormat::Css, GradientFormat::Ggr, GradientFormat::Unity, GradientFormat::Json];

    /// A short name, which is the usual extension where there is one.
    pub fn name(self) -> &'static str {
        match self {
            GradientFormat::Css => "css",
            GradientFormat::Ggr => "ggr",
            GradientFormat::Unity => "unity",
            GradientFormat::Json => "json",
        }
    }

    /// From its name, in letters of either case.
    pub fn of_name(name: &str) -> Option<GradientFormat> {
        GradientFormat::ALL.into_iter().find(|format| format.name().eq_ignore_ascii_case(name))
    }

    /// Extensions of its files, without the dot; the first is the usual one.
    pub fn extensions(self) -> &'static [&'static str] {
        match self {
            GradientFormat::Css => &["css"],
            GradientFormat::Ggr => &["ggr"],
            GradientFormat::Unity => &["gradients", "asset", "unity", "prefab"],
            GradientFormat::Json => &["json"],
        }
    }

    /// From the extension of a file, with or without its dot, in letters of either case.
    pub fn of_extension(extension: &str) -> Option<GradientFormat> {
        let extension = extension.strip_prefix('.').unwrap_or(extension);
        GradientFormat::ALL.into_iter().find(|format| {
            format.extensions().iter().any(|known| known.eq_ignore_ascii_case(extension))
        })
    }

    /// What bytes look like; `None` where they look like none of them.
    pub fn detect(bytes: &[u8]) -> Option<GradientFormat> {
        let text = text::beginning(bytes);
        let lower = text.to_ascii_lowercase();
        let start = lower.trim_start();
        if text.starts_with("GIMP Gradient") {
            Some(GradientFormat::Ggr)
        } else if start.starts_with(['{', '[']) && !start.starts_with("[gd_") {
            Some(GradientFormat::Json)
        } else if lower.contains("ctime0:") || lower.contains("m_numcolorkeys:") {
            Some(GradientFormat::Unity)
        } else if lower.contains("gradient(") || css::is_list(&text) {
            Some(GradientFormat::Css)
        } else {
            None
        }
    }
}

/// How gradients are written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GradientWriteOptions {
    /// How far an approximation by more stops may be off, in codes of eight bits; default a half.
    pub tolerance: f64,
    /// Whether Unity's format, which has 8 keys, may be written by the nearest 8; default no,
    /// and then what does not fit is an error.
    pub fit: bool,
}

impl Default for GradientWriteOptions {
    fn default() -> GradientWriteOptions {
        GradientWriteOptions { tolerance: 0.5, fit: false }
    }
}

/// A file of gradients.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// What is in the file.
    pub bytes: Vec<u8>,
    /// What the format could not hold, each loss once, in plain words; empty where nothing is lost.
    pub notes: Vec<String>,
}

/// Gradients from the bytes of a file.
///
/// # Errors
///
/// Where the bytes are not of this format, with line and column or the byte; where it is something
/// that Solio does not do; where there is no gradient in them; past [`MAX_STOPS`].
pub fn read(bytes: &[u8], format: GradientFormat) -> Result<Vec<Gradient>> {
    let gradients = match format {
        GradientFormat::Css => css::read(&text::text(bytes)?)?,
        GradientFormat::Ggr => vec![ggr::read(&text::text(bytes)?)?],
        GradientFormat::Unity => unity::read(&text::text(bytes)?)?,
        GradientFormat::Json => json::read(&text::text(bytes)?)?,
    };
    if gradients.is_empty() {
        return Err(Error::syntax(format!("no gradient in this {} text", format.name())));
    }
    Ok(gradients)
}

/// The bytes of a file with these gradients.
///
/// # Errors
///
/// Without gradients, or with several where the format holds one; where a gradient has no colours
/// or a number that is not finite; where it does not fit into Unity's 8 keys and
/// [`GradientWriteOptions::fit`] is not set.
pub fn write(
    gradients: &[Gradient],
    format: GradientFormat,
    options: GradientWriteOptions,
) -> Result<Written> {
    if gradients.is_empty() {
        return Err(Error::argument("no gradients to write"));
    }
    if options.tolerance.is_nan() || options.tolerance < 1e-3 {
        return Err(Error::argument("the tolerance is at least a thousandth of a code of 8 bits"));
    }
    gradients.iter().try_for_each(check)?;
    let mut notes = Notes::default();
    let one = || match gradients {
        [gradient] => Ok(gradient),
        _ => Err(Error::argument(format!(
            "{} gradients for a format that holds one a file ({})",
            gradients.len(),
            format.name()
        ))
        .hint("write them one by one, or as JSON or CSS")),
    };
    let bytes = match format {
        GradientFormat::Css => css::write(gradients, options, &mut notes),
        GradientFormat::Ggr => ggr::write(one()?, options, &mut notes),
        GradientFormat::Unity => unity::write(gradients, options, &mut notes)?,
        GradientFormat::Json => json::write(gradients),
    };
    Ok(Written { bytes: bytes.into(), notes: notes.0 })
}

/// Whether a gradient can be written at all.
fn check(gradient: &Gradient) -> Result<()> {
    let wrong = |what: &str| {
        let name = &gradient.name;
        Err(Error::argument(format!("the gradient \"{name}\" has {what}, which no format holds")))
    };
    if gradient.colors.is_empty() {
        return wrong("no colours");
    }
    if gradient.colors.len() + gradient.alphas.len() > MAX_STOPS {
        return wrong("more than a million stops");
    }
    let outside = gradient.outside;
    let others = [outside.below, outside.above, outside.nan];
    let colors = gradient.colors.iter().map(|stop| stop.color).chain(others.into_iter().flatten());
    let mut numbers: Vec<f64> =
        colors.flat_map(|c| [c.components.to_vec(), vec![c.alpha]].concat()).collect();
    numbers.extend(gradient.colors.iter().map(|stop| stop.position));
    numbers.extend(gradient.alphas.iter().flat_map(|stop| [stop.position, stop.alpha]));
    numbers.extend(gradient.domain.into_iter().flatten());
    let ramps = gradient.colors.iter().map(|stop| stop.to_next);
    for ramp in ramps.chain(gradient.alphas.iter().map(|stop| stop.to_next)) {
        numbers.push(ramp.midpoint);
        if Easing::of_name(&ramp.easing.name()) != Some(ramp.easing) {
            return wrong("a Bézier curve out of its range");
        }
    }
    if !numbers.iter().all(|number| number.is_finite()) {
        return wrong("a number that is not finite");
    }
    Ok(())
}

/// What was lost, each once.
#[derive(Default)]
struct Notes(Vec<String>);

impl Notes {
    fn add(&mut self, note: impl Into<String>) {
        let note = note.into();
        if !self.0.contains(&note) {
            self.0.push(note);
        }
    }

    /// What formats without data maps and names lose.
    fn of_model(&mut self, gradient: &Gradient, format: &str, holds: Holds) {
        let outside = gradient.outside;
        if !holds.outside
            && (outside.below.is_some() || outside.above.is_some() || outside.nan.is_some())
        {
            self.add(format!("{format} has no colours for what lies outside: they are left out"));
        }
        if !holds.domain && gradient.domain.is_some() {
            self.add(format!("{format} has no values that 0 and 1 stand for: they are left out"));
        }
        if !holds.name && !gradient.name.is_empty() {
            self.add(format!("{format} has no name of a gradient: it is left out"));
        }
    }
}

/// What a format has beside stops.
#[derive(Clone, Copy, Default)]
struct Holds {
    name: bool,
    outside: bool,
    domain: bool,
}

#[cfg(test)]
mod tests;
