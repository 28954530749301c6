//! Single colours: the native functions of `solio.color`.

use crate::errors::raise;
use pyo3::prelude::*;
use solio::color::{Color, Difference, HueMethod, Interpolation, Missing, Space, mix};
use solio::{Error, Result};

/// Space, components and alpha; `None` is missing.
pub(crate) type GivenColor = (String, (Option<f64>, Option<f64>, Option<f64>), Option<f64>);

/// The value that `of_name` finds, or an error that lists `names`.
pub(crate) fn named<T>(
    what: &str,
    name: &str,
    found: Option<T>,
    names: impl Iterator<Item = &'static str>,
) -> Result<T> {
    found.ok_or_else(|| {
        let names = names.collect::<Vec<_>>().join(", ");
        Error::argument(format!("no {what} is called {name:?}")).hint(format!("one of {names}"))
    })
}

pub(crate) fn space(name: &str) -> Result<Space> {
    named("colour space", name, Space::of_name(name), Space::ALL.iter().map(|s| s.name()))
}

pub(crate) fn borrow((name, (a, b, c), alpha): &GivenColor) -> Result<Color> {
    let values = [*a, *b, *c, *alpha];
    let missing = (0..4).filter(|i| values[*i].is_none()).fold(Missing::NONE, Missing::with);
    let components = [*a, *b, *c].map(|value| value.unwrap_or(0.0));
    let color = Color::new(space(name)?, components).with_alpha(alpha.unwrap_or(0.0));
    Ok(color.with_missing(missing))
}

pub(crate) fn give(color: &Color) -> GivenColor {
    let [a, b, c] = color.components;
    let value = |i: usize, value: f64| (!color.missing.contains(i)).then_some(value);
    let alpha = value(Missing::ALPHA, color.alpha);
    (color.space.name().to_owned(), (value(0, a), value(1, b), value(2, c)), alpha)
}

/// The colour that a text of CSS Color 4 is.
#[pyfunction]
pub(crate) fn color_parse(py: Python<'_>, text: &str) -> PyResult<GivenColor> {
    Color::parse(text).map(|color| give(&color)).map_err(|e| raise(py, &e))
}

/// A colour as text of CSS Color 4.
#[pyfunction]
pub(crate) fn color_css(py: Python<'_>, color: GivenColor) -> PyResult<String> {
    borrow(&color).map(|color| color.to_css()).map_err(|e| raise(py, &e))
}

/// A colour in another space.
#[pyfunction]
pub(crate) fn color_to(py: Python<'_>, color: GivenColor, to: &str) -> PyResult<GivenColor> {
    let converted = || Ok(give(&borrow(&color)?.to(space(to)?)));
    converted().map_err(|e| raise(py, &e))
}

/// The colour at `t` between two, blended in space `within`, hues by method `hue`.
#[pyfunction]
pub(crate) fn color_mix(
    py: Python<'_>,
    a: GivenColor,
    b: GivenColor,
    t: f64,
    within: &str,
    hue: &str,
) -> PyResult<GivenColor> {
    let mixed = || {
        let methods = HueMethod::ALL.iter().map(|m| m.name());
        let hue = named("hue method", hue, HueMethod::of_name(hue), methods)?;
        let interpolation = Interpolation { space: space(within)?, hue };
        Ok(give(&mix(&borrow(&a)?, &borrow(&b)?, t, interpolation)))
    };
    mixed().map_err(|e| raise(py, &e))
}

/// A colour in another space, within what that can show.
#[pyfunction]
pub(crate) fn color_gamut_map(py: Python<'_>, color: GivenColor, to: &str) -> PyResult<GivenColor> {
    let mapped = || Ok(give(&borrow(&color)?.map_css(space(to)?)));
    mapped().map_err(|e| raise(py, &e))
}

/// How different two colours look.
#[pyfunction]
pub(crate) fn color_difference(
    py: Python<'_>,
    a: GivenColor,
    b: GivenColor,
    method: &str,
) -> PyResult<f64> {
    let found = || {
        let methods = Difference::ALL.iter().map(|m| m.name());
        let measure = named("difference", method, Difference::of_name(method), methods)?;
        Ok(measure.between(&borrow(&a)?, &borrow(&b)?))
    };
    found().map_err(|e| raise(py, &e))
}
