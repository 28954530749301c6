//! Gradients: the native half of `solio.color.Gradient`.

use crate::color::{GivenColor, borrow, give, named};
use crate::color_arrays::{readable, unknown, work, writable};
use crate::errors::{ArgumentOf, raise};
use crate::run::run;
use pyo3::prelude::*;
use solio::color::Difference;
use solio::color::gradient::formats::GradientWriteOptions;
use solio::color::gradient::presets::Preset;
use solio::color::gradient::{
    AlphaStop, ColorStop, Floats, Gradient as Model, Keys, Mode, Ramp, Table8, check_range,
    colormap, non_uniformity, parse_stops,
};
use solio::{Error, Limits, Result, Work};
use std::path::PathBuf;
use std::sync::OnceLock;

/// Below so many values a table of all colours costs more than it saves.
const FEW: usize = 20_000;

/// Samples of [`Gradient::non_uniformity`]: it takes a second, which Ctrl-C has to wait.
const MOST_SAMPLES: usize = 1 << 20;

/// Values of [`Gradient::sample`] between two looks for Ctrl-C.
const SAMPLED_AT_ONCE: usize = 1 << 16;

/// `solio.color.Gradient` without its Python face.
#[pyclass(frozen, module = "solio._solio", name = "Gradient")]
pub(crate) struct Gradient {
    model: Model,
    table: OnceLock<Table8>,
    floats: OnceLock<Floats>,
}

impl Gradient {
    fn of(model: Model) -> Gradient {
        Gradient { model, table: OnceLock::new(), floats: OnceLock::new() }
    }

    fn table(&self) -> &Table8 {
        self.table.get_or_init(|| Table8::new(self.model.sampler()))
    }
}

fn mode(name: &str) -> Result<Mode> {
    let hint = "one of srgb, linear, oklab, oklch, \"oklch longer\", …, smooth, fixed, hold";
    let unknown = || Error::argument(format!("no mode is called {name:?}")).hint(hint);
    Mode::of_name(name).ok_or_else(unknown)
}

#[pymethods]
impl Gradient {
    /// From the text of stops, or from colours at places; `alphas` are places and values.
    #[new]
    fn new(
        py: Python<'_>,
        text: Option<&str>,
        stops: Vec<(f64, GivenColor)>,
        alphas: Vec<(f64, f64)>,
        within: &str,
        keys: &str,
    ) -> PyResult<Self> {
        let made = || {
            let mut colors = text.map_or(Ok(Vec::new()), parse_stops)?;
            for (position, color) in &stops {
                let (position, color) = (*position, borrow(color)?);
                colors.push(ColorStop { position, color, to_next: Ramp::default() });
            }
            let keys =
                named("kind of key", keys, Keys::of_name(keys), ["srgb", "linear"].into_iter());
            let alpha = |(position, alpha)| AlphaStop { position, alpha, to_next: Ramp::default() };
            Ok(Model {
                name: text.unwrap_or_default().to_owned(),
                colors,
                alphas: alphas.into_iter().map(alpha).collect(),
                mode: mode(within)?,
                keys: keys?,
                ..Model::default()
            })
        };
        made().map(Gradient::of).map_err(|e| raise(py, &e))
    }

    /// A colour map, or a gradient of the study, blended as `within` says.
    #[staticmethod]
    fn named(py: Python<'_>, name: &str, within: Option<&str>) -> PyResult<Self> {
        let found = || {
            let given = within.map(mode).transpose()?;
            if let Some(mut map) = colormap(name) {
                map.mode = given.unwrap_or(map.mode);
                return Ok(map);
            }
            let preset = Preset::of_name(name).map(|p| p.gradient(given.unwrap_or_default()));
            let unknown = || Error::argument(format!("no gradient is called {name:?}"));
            preset.ok_or_else(|| unknown().hint("solio gradient --list prints all names"))
        };
        found().map(Gradient::of).map_err(|e| raise(py, &e))
    }

    /// All gradients of a file that are right, and what is wrong with the others.
    #[staticmethod]
    fn read(py: Python<'_>, path: PathBuf) -> PyResult<(Vec<Self>, Vec<PyErr>)> {
        let work = Work::default();
        let found =
            run(py, &work.cancel, || solio::read_each_gradient(&path, &Limits::default(), &work))?;
        let problems = found.problems.iter().map(|problem| raise(py, problem)).collect();
        Ok((found.gradients.into_iter().map(Gradient::of).collect(), problems))
    }

    /// Writes it to a file, in the format of its name; gives what that cannot hold.
    fn write(&self, py: Python<'_>, path: PathBuf, fit: bool) -> PyResult<Vec<String>> {
        let options = GradientWriteOptions { fit, ..GradientWriteOptions::default() };
        let all = std::slice::from_ref(&self.model);
        let losses = solio::write_gradients(all, &path, options).map_err(|e| raise(py, &e))?;
        Ok(losses.iter().map(ToString::to_string).collect())
    }

    #[getter]
    fn name(&self) -> &str {
        &self.model.name
    }

    #[getter]
    fn mode(&self) -> String {
        self.model.mode.name()
    }

    #[getter]
    fn keys(&self) -> &'static str {
        self.model.keys.name()
    }

    #[getter]
    fn stops(&self) -> Vec<(f64, GivenColor)> {
        self.model.colors.iter().map(|stop| (stop.position, give(&stop.color))).collect()
    }

    #[getter]
    fn alphas(&self) -> Vec<(f64, f64)> {
        self.model.alphas.iter().map(|stop| (stop.position, stop.alpha)).collect()
    }

    /// The coefficient of variation of the steps between `samples` colours.
    fn non_uniformity(
        &self,
        py: Python<'_>,
        method: &str,
        samples: ArgumentOf<usize>,
    ) -> PyResult<f64> {
        let (samples, work) = (samples.0, work(None));
        run(py, &work.cancel, || {
            let all = Difference::ALL.iter().map(|m| m.name());
            let measure = named("difference", method, Difference::of_name(method), all)?;
            if samples > MOST_SAMPLES {
                return Err(Error::argument(format!("{samples} samples; at most {MOST_SAMPLES}")));
            }
            Ok(non_uniformity(&self.model, measure, samples))
        })
    }

    /// Fills `out` (`float64`, four a value) with the colours at `values` (`float64`).
    fn sample(
        &self,
        py: Python<'_>,
        values: &Bound<'_, PyAny>,
        out: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let read = readable::<f64>(values).ok_or_else(|| unknown(py, values))?;
        let mut write = writable::<f64>(out).ok_or_else(|| unknown(py, out))?;
        let (values, colors) = (read.as_slice()?, write.as_slice_mut()?);
        let (sampler, colors) = (self.model.sampler(), colors.as_chunks_mut::<4>().0);
        let at_once = values.chunks(SAMPLED_AT_ONCE).zip(colors.chunks_mut(SAMPLED_AT_ONCE));
        for (values, colors) in at_once {
            py.detach(|| {
                for (value, color) in values.iter().zip(colors) {
                    *color = sampler.at(*value);
                }
            });
            py.check_signals()?;
        }
        Ok(())
    }

    /// Fills `out` (`uint8`, 3 or 4 a value, or `float32`, 4 a value) with the colours of `values`
    /// (`float32`), of which `range` gives those at 0 and 1.
    fn apply(
        &self,
        py: Python<'_>,
        values: &Bound<'_, PyAny>,
        range: [f32; 2],
        out: &Bound<'_, PyAny>,
        threads: Option<ArgumentOf<usize>>,
    ) -> PyResult<()> {
        let read = readable::<f32>(values).ok_or_else(|| unknown(py, values))?;
        let values = read.as_slice()?;
        let work = work(threads);
        if let Some(mut write) = writable::<f32>(out) {
            let colors = write.as_slice_mut()?.as_chunks_mut::<4>().0;
            let floats = self.floats.get_or_init(|| Floats::new(self.model.sampler()));
            return run(py, &work.cancel, || {
                solio::apply_gradient_floats(floats, values, range, colors, &work)
            });
        }
        let mut write = writable::<u8>(out).ok_or_else(|| unknown(py, out))?;
        let bytes = write.as_slice_mut()?;
        if values.len() < FEW && self.table.get().is_none() {
            check_range(range).map_err(|error| raise(py, &error))?;
            self.few(values, range, bytes);
            return Ok(());
        }
        run(py, &work.cancel, || {
            if bytes.len() == 3 * values.len() {
                let colors = bytes.as_chunks_mut::<3>().0;
                solio::apply_gradient(self.table(), values, range, colors, &work)
            } else {
                let colors = bytes.as_chunks_mut::<4>().0;
                solio::apply_gradient(self.table(), values, range, colors, &work)
            }
        })
    }
}

impl Gradient {
    /// What [`Table8::apply`] gives, without a table.
    fn few(&self, values: &[f32], range: [f32; 2], bytes: &mut [u8]) {
        let sampler = self.model.sampler();
        let width = range[1] - range[0];
        let channels = bytes.len().checked_div(values.len()).unwrap_or(4);
        for (value, color) in values.iter().zip(bytes.chunks_exact_mut(channels.max(1))) {
            let found = sampler.codes_at(f64::from((value - range[0]) / width));
            color.copy_from_slice(&found[..color.len()]);
        }
    }
}
