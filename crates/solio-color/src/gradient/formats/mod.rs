//! Gradients in the files of other programs.
//!
//! All is done on bytes in memory. Readers take any bytes and give gradients or an error with its
//! place; writers say what the format could not hold. `docs/formats/gradients.md` has a section
//! for each format.

mod cpt;
mod css;
mod css_vars;
mod cube;
mod ggr;
mod godot;
mod grd;
mod json;
mod segments;
mod straight;
mod svg;
mod svg_styles;
mod text;
mod unity;

use super::{Easing, Gradient};
use solio_base::{Error, Result};
use solio_kinds::FileType;

/// Most stops that are read from or written to one file.
pub const MAX_STOPS: usize = 1_000_000;
/// Most gradients of a file that are told to be wrong.
const MAX_PROBLEMS: usize = 1000;

pub use solio_kinds::GradientFormat;

/// What bytes look like; `None` where they look like none of them.
///
/// ```
/// use solio_color::gradient::formats::{GradientFormat, detect as of};
/// assert_eq!(of(b"GIMP Gradient\nName: Sky\n"), Some(GradientFormat::Ggr));
/// assert_eq!(of(b"black, white 30%"), Some(GradientFormat::Css)); // a list of stops
/// assert_eq!(of(b"\x89PNG\r\n\x1a\n"), None);
/// ```
pub fn detect(bytes: &[u8]) -> Option<GradientFormat> {
    let text = text::beginning(bytes);
    let lower = text.to_ascii_lowercase();
    let start = lower.trim_start();
    let contains = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let marked = [bytes, text.as_bytes(), start.as_bytes()]
        .into_iter()
        .find_map(|start| GradientFormat::of_kind(FileType::of_magic(start)?.kind));
    if marked.is_some() {
        marked
    } else if start.starts_with(['{', '[']) {
        Some(GradientFormat::Json)
    } else if contains(&["ctime0:", "m_numcolorkeys:"]) {
        Some(GradientFormat::Unity)
    } else if contains(&["<lineargradient", "<radialgradient", "<svg"]) {
        Some(GradientFormat::Svg)
    } else if contains(&["lut_1d_size", "lut_3d_size"]) {
        Some(GradientFormat::Cube)
    } else if contains(&["gradient("]) || css::is_list(&text) {
        Some(GradientFormat::Css)
    } else if contains(&["color_model"]) || cpt::is_table(&text) {
        Some(GradientFormat::Cpt)
    } else {
        None
    }
}

/// How gradients are written.
///
/// ```
/// use solio_color::gradient::formats::{GradientFormat, GradientWriteOptions, write};
/// use solio_color::gradient::presets::Preset;
/// let heat = Preset::of_name("heat").unwrap().gradient(Default::default());
/// let options = GradientWriteOptions { samples: 16, ..Default::default() };
/// let table = write(&[heat], GradientFormat::Cube, options)?.bytes;
/// assert!(String::from_utf8_lossy(&table).contains("LUT_1D_SIZE 16\n"));
/// # Ok::<(), solio_base::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GradientWriteOptions {
    /// How far an approximation by more stops may be off, in codes of eight bits; default a half.
    pub tolerance: f64,
    /// Whether Unity's format, which has 8 keys, may be written by the nearest 8; default no,
    /// and then what does not fit is an error.
    pub fit: bool,
    /// How many samples a `.cube` file gets, 2 to 65536; default 1024.
    pub samples: usize,
}

impl Default for GradientWriteOptions {
    fn default() -> GradientWriteOptions {
        GradientWriteOptions { tolerance: 0.5, fit: false, samples: 1024 }
    }
}

/// A file of gradients.
///
/// ```
/// use solio_color::gradient::{Gradient, formats, formats::GradientFormat, parse_stops};
/// let colors = parse_stops("navy, white, maroon")?;
/// let map = Gradient { colors, domain: Some([-40.0, 40.0]), ..Gradient::default() };
/// let written = formats::write(&[map], GradientFormat::Svg, Default::default())?;
/// assert!(written.notes.iter().any(|note| note.contains("values that 0 and 1 stand for")));
/// # Ok::<(), solio_base::Error>(())
/// ```
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
///
/// ```
/// use solio_color::gradient::formats::{GradientFormat, read};
/// let gradients = read(b"red, lime 25%, blue", GradientFormat::Css)?;
/// let places: Vec<f64> = gradients[0].colors.iter().map(|stop| stop.position).collect();
/// assert_eq!(places, [0.0, 0.25, 1.0]);
/// assert!(read(b"red, blurple", GradientFormat::Css).is_err());
/// # Ok::<(), solio_base::Error>(())
/// ```
pub fn read(bytes: &[u8], format: GradientFormat) -> Result<Vec<Gradient>> {
    let FoundGradients { gradients, problems } = read_each(bytes, format)?;
    problems.into_iter().next().map_or(Ok(gradients), Err)
}

/// The gradients of a file that holds several, and what is wrong with those that could not be read.
///
/// ```
/// use solio_color::gradient::formats::{GradientFormat, read_each};
/// let text = b":root { --sky: linear-gradient(navy, gold); --sea: linear-gradient(blurple, teal) }";
/// let found = read_each(text, GradientFormat::Css)?;
/// assert_eq!((found.gradients.len(), found.problems.len()), (1, 1));
/// assert!(found.problems[0].message().contains("\"sea\""));
/// # Ok::<(), solio_base::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct FoundGradients {
    /// Those that are sound, in the order of the file.
    pub gradients: Vec<Gradient>,
    /// Of each other one what is wrong with it: its name where it has one, and its place.
    pub problems: Vec<Error>,
}

impl FoundGradients {
    fn add(&mut self, found: Result<Gradient>) {
        match found {
            Ok(gradient) => self.gradients.push(gradient),
            Err(error) if self.problems.len() < MAX_PROBLEMS => self.problems.push(error),
            Err(_) => {}
        }
    }
}

/// Gradients from the bytes of a file, past those that are not right.
///
/// # Errors
///
/// Where the bytes are not of this format as a whole; where there is no gradient in them; past
/// [`MAX_STOPS`].
pub fn read_each(bytes: &[u8], format: GradientFormat) -> Result<FoundGradients> {
    let one = |gradient: Gradient| vec![Ok(gradient)];
    let all = match format {
        GradientFormat::Css => css::read(&text::text(bytes)?)?,
        GradientFormat::Ggr => one(ggr::read(&text::text(bytes)?)?),
        GradientFormat::Grd => grd::read(bytes)?,
        GradientFormat::Cpt => one(cpt::read(&text::text(bytes)?)?),
        GradientFormat::Cube => one(cube::read(&text::text(bytes)?)?),
        GradientFormat::Unity => unity::read(&text::text(bytes)?)?,
        GradientFormat::Godot => godot::read(&text::text(bytes)?)?,
        GradientFormat::Svg => svg::read(&text::text(bytes)?)?,
        GradientFormat::Json => json::read(&text::text(bytes)?)?,
    };
    if all.is_empty() {
        return Err(Error::syntax(format!("no gradient in this {} file", format.as_str())));
    }
    let mut found = FoundGradients::default();
    for gradient in all {
        found.add(gradient.and_then(|gradient| match check(&gradient) {
            Ok(()) => Ok(gradient),
            Err(error) => Err(Error::syntax(error.message())),
        }));
    }
    Ok(found)
}

/// A gradient that a file holds, or what is wrong with it.
type MaybeGradients = Vec<Result<Gradient>>;

/// What is wrong with a gradient, with its name.
fn named_error(name: &str, error: Error) -> Error {
    if name.is_empty() {
        return error;
    }
    let message = format!("the gradient \"{name}\": {}", error.message());
    let mut named = Error::new(error.kind(), message);
    if let Some(offset) = error.offset() {
        named = named.at_offset(offset);
    }
    if let Some(line) = error.line() {
        named = named.at_line(line, error.column().unwrap_or(1));
    }
    match error.hint_text() {
        Some(hint) => named.hint(hint),
        None => named,
    }
}

/// The bytes of a file with these gradients.
///
/// # Errors
///
/// Without gradients, or with several where the format holds one; where a gradient has no colours
/// or a number that is not finite; where it does not fit into Unity's 8 keys and
/// [`GradientWriteOptions::fit`] is not set; where a `.cube` file cannot have so many samples.
///
/// ```
/// use solio_color::gradient::{Mode, formats::{GradientFormat, read, write}, presets::Preset};
/// let rainbow = Preset::of_name("rainbow").unwrap().gradient(Mode::Smooth);
/// let file = write(&[rainbow.clone()], GradientFormat::Json, Default::default())?;
/// assert_eq!(read(&file.bytes, GradientFormat::Json)?, [rainbow]); // JSON has it all
/// # Ok::<(), solio_base::Error>(())
/// ```
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
    let mut notes = LossNotes::default();
    let one = || match gradients {
        [gradient] => Ok(gradient),
        _ => Err(Error::argument(format!(
            "{} gradients for a format that holds one a file ({})",
            gradients.len(),
            format.as_str()
        ))
        .hint("write them one by one, or as JSON or CSS")),
    };
    let text = match format {
        GradientFormat::Grd => {
            let bytes = grd::write(gradients, options, &mut notes);
            return Ok(Written { bytes, notes: notes.0 });
        }
        GradientFormat::Css => css::write(gradients, options, &mut notes),
        GradientFormat::Ggr => ggr::write(one()?, options, &mut notes),
        GradientFormat::Cpt => cpt::write(one()?, options, &mut notes),
        GradientFormat::Cube => cube::write(one()?, options, &mut notes)?,
        GradientFormat::Unity => unity::write(gradients, options, &mut notes)?,
        GradientFormat::Godot => godot::write(one()?, options, &mut notes),
        GradientFormat::Json => json::write(gradients),
        GradientFormat::Svg => svg::write(gradients, options, &mut notes),
    };
    Ok(Written { bytes: text.into(), notes: notes.0 })
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
struct LossNotes(Vec<String>);

impl LossNotes {
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

    /// What formats of parts lose where the last stop stands at the end of one of another colour:
    /// none begins there.
    fn of_end(&mut self, format: &str, last: [f64; 4], end: [f64; 4]) {
        if straight::distance(last, straight::clean(end)) > 0.01 {
            self.add(format!("{format} has no colour for the last place alone: it is left out"));
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
mod several_tests;
#[cfg(test)]
mod tests;
