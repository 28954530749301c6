//! Gradients in files of other programs.

use crate::ToInput;
use solio_base::{Error, Limits, Loss, Losses, Result, Work};
use solio_color::gradient::Gradient;
use solio_color::gradient::formats::{self, FoundGradients, GradientFormat, GradientWriteOptions};
use std::path::Path;

/// Reads the gradients of a file; its format is found by its content, else by its name.
///
/// ```
/// use solio::{Limits, Work, read_gradients, write_bytes};
/// # let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("sky.css");
/// write_bytes(&path, b"linear-gradient(in oklab, midnightblue, coral 80%, gold)")?;
/// let gradients = read_gradients(&path, &Limits::default(), &Work::default())?;
/// let sky = &gradients[0];
/// assert_eq!((&*sky.name, sky.mode.name().as_str()), ("sky", "oklab"));
/// assert_eq!(sky.colors[1].position, 0.8);
/// # Ok::<(), solio::Error>(())
/// ```
///
/// # Errors
///
/// Where the file cannot be read, is of no known format, or not right: with line and column or the
/// byte. [`read_each_gradient`] goes past those that are not right.
pub fn read_gradients(
    input: &(impl ToInput + ?Sized),
    limits: &Limits,
    work: &Work,
) -> Result<Vec<Gradient>> {
    let FoundGradients { gradients, problems } = read_each_gradient(input, limits, work)?;
    problems.into_iter().next().map_or(Ok(gradients), Err)
}

/// [`read_gradients`] past those that are not right, each of which is told.
///
/// ```
/// use solio::{Limits, Work, read_each_gradient, write_bytes};
/// # let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("two.css");
/// write_bytes(&path, b"a { --a: linear-gradient(red, bleu); --b: linear-gradient(red, blue) }")?;
/// let found = read_each_gradient(&path, &Limits::default(), &Work::default())?;
/// assert_eq!((&*found.gradients[0].name, found.problems[0].line()), ("b", Some(1)));
/// # Ok::<(), solio::Error>(())
/// ```
///
/// # Errors
///
/// Where the file cannot be read, is of no known format, or not right as a whole.
pub fn read_each_gradient(
    input: &(impl ToInput + ?Sized),
    limits: &Limits,
    work: &Work,
) -> Result<FoundGradients> {
    let input = input.to_input(limits, work)?;
    let (path, bytes) = (input.path(), input.bytes(work)?);
    let format = formats::detect(&bytes)
        .or_else(|| GradientFormat::of_name(path))
        .ok_or_else(|| input.wrong("a gradient file").hint(known()))?;
    let mut found = formats::read_each(&bytes, format).map_err(|e| e.at_path(path))?;
    let problems = std::mem::take(&mut found.problems);
    found.problems = problems.into_iter().map(|error| error.at_path(path)).collect();
    if let ([gradient], true, Some(stem)) =
        (&mut found.gradients[..], found.problems.is_empty(), path.file_stem())
        && gradient.name.is_empty()
    {
        gradient.name = stem.to_string_lossy().into_owned();
    }
    Ok(found)
}

/// Writes gradients to a file, in the format of its name. Returns what the format cannot hold.
///
/// ```
/// use solio::color::gradient::formats::GradientWriteOptions;
/// use solio::color::gradient::{Mode, presets::Preset};
/// use solio::write_gradients;
/// # let folder = tempfile::tempdir().unwrap();
/// # let [css, json] = ["heat.css", "heat.json"].map(|name| folder.path().join(name));
/// let heat = [Preset::of_name("heat").unwrap().gradient(Mode::Smooth)];
/// let options = GradientWriteOptions::default();
/// // JSON holds all of it; CSS gets a spline by more stops, and that is told.
/// assert!(write_gradients(&heat, &json, options)?.is_empty());
/// assert_eq!(write_gradients(&heat, &css, options)?.iter().count(), 1);
/// # Ok::<(), solio::Error>(())
/// ```
///
/// # Errors
///
/// Where the name is of no known format, where the format cannot hold them, or the file cannot be
/// written; then the old file stays.
pub fn write_gradients(
    gradients: &[Gradient],
    path: &Path,
    options: GradientWriteOptions,
) -> Result<Losses> {
    let format = GradientFormat::of_name(path).ok_or_else(|| {
        Error::argument("cannot write a gradient with this extension").at_path(path).hint(known())
    })?;
    let written = formats::write(gradients, format, options).map_err(|e| e.at_path(path))?;
    crate::write_bytes(path, &written.bytes)?;
    Ok(written.notes.into_iter().map(|note| Loss::new("gradient", note)).collect())
}

fn known() -> String {
    let kinds = GradientFormat::ALL.map(GradientFormat::kind);
    let extensions: Vec<&str> = kinds.iter().flat_map(|kind| kind.extensions()).copied().collect();
    format!("supported: .{}", extensions.join(", ."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use solio_color::gradient::Mode;
    use solio_color::gradient::presets::STUDY;

    #[test]
    fn what_is_written_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let heat = [STUDY[5].gradient(Mode::Smooth)];
        let path = folder.path().join("a.json");
        let options = GradientWriteOptions::default();
        assert!(write_gradients(&heat, &path, options).unwrap().is_empty());
        let work = Work::default();
        assert_eq!(read_gradients(&path, &Limits::default(), &work).unwrap(), heat);
        // Another name: the content counts.
        let other = folder.path().join("a.txt");
        std::fs::copy(&path, &other).unwrap();
        assert_eq!(read_gradients(&other, &Limits::default(), &work).unwrap(), heat);
        let css = folder.path().join("a.css");
        let notes = write_gradients(&heat, &css, options).unwrap();
        assert!(!notes.is_empty(), "a spline is more than CSS has");
        let error = write_gradients(&heat, &folder.path().join("a.doc"), options);
        assert!(error.unwrap_err().to_string().contains(".css"));
    }

    #[test]
    fn what_is_no_gradient_is_told_with_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.css");
        crate::write_bytes(&path, b"linear-gradient(red, bleu)").unwrap();
        let error = read_gradients(&path, &Limits::default(), &Work::default()).unwrap_err();
        assert!(error.path().is_some() && error.line().is_some(), "{error}");
        let other = folder.path().join("x");
        crate::write_bytes(&other, &[7, 200, 3]).unwrap();
        assert!(read_gradients(&other, &Limits::default(), &Work::default()).is_err());
    }
}
