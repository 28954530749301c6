//! How close a run came to the machine's limit: in words, as JSON, and what to do where the limit
//! is not known.

use crate::light::advice;
use crate::output_path::is_standard;
use crate::screen;
use crate::table::{figures, seconds};
use serde_json::Value;
use solio::{Bound, Job, Kept, Light, Summary, Work};
use std::path::Path;

/// The machine's limit for runs that read from one place and write to another.
#[derive(Clone, Debug, Default)]
pub(crate) struct Limit {
    pub(crate) light: Option<Light>,
    /// What to do where it is not known.
    pub(crate) advice: Option<String>,
}

impl Limit {
    /// By the peaks that `solio light` kept for the file systems of the two places.
    pub(crate) fn between(input: &Path, output: &Path, work: &Work) -> Limit {
        let mut lights = [None; 2];
        for (light, path) in lights.iter_mut().zip([input, output]) {
            let Kept { peaks, note } = solio::kept_peaks(path);
            *light = peaks.and_then(|peaks| peaks.light(work.threads));
            if light.is_some() {
                continue;
            }
            note.iter().for_each(|note| screen::complain(note));
            let advice = format!("how close to the machine's limit: {}", advice(folder(path)));
            return Limit { light: None, advice: Some(advice) };
        }
        let [Some(read), Some(write)] = lights else { return Limit::default() };
        Limit { light: Some(Light { write_mb_s: write.write_mb_s, ..read }), advice: None }
    }

    /// That of the file system of the first input; looked up only where it `is_wanted`.
    pub(crate) fn of_inputs(inputs: &[impl AsRef<Path>], is_wanted: bool, work: &Work) -> Limit {
        let mut inputs = inputs.iter().map(AsRef::as_ref).filter(|path| !is_standard(path));
        let first = inputs.next().filter(|_| is_wanted);
        first.map_or_else(Limit::default, |input| Limit::between(input, input, work))
    }

    /// The same between the file systems of the first input and of the output of a conversion. Standard
    /// input and output take the other's: whatever is behind them is hardly faster.
    pub(crate) fn of_conversion(input: Option<&Path>, output: &Path, work: &Work) -> Limit {
        let files = || input.into_iter().chain([output]).filter(|path| !is_standard(path));
        let first = files().next().unwrap_or(Path::new("."));
        Limit::between(first, files().next_back().unwrap_or(first), work)
    }

    /// `12.3 % of the machine's limit: write binds with 0.061 s (read 0.03 s, …)`, or what to do.
    pub(crate) fn words(&self, job: &Job, wall_s: f64) -> Option<String> {
        let bound = self.light.map(|light| words(&light.bound(job), wall_s));
        bound.or_else(|| self.advice.clone())
    }

    /// [`words`](Limit::words) as a further line; empty where there is nothing to say.
    pub(crate) fn line(&self, job: &Job, wall_s: f64) -> String {
        self.words(job, wall_s).map_or(String::new(), |words| format!("\n  {words}"))
    }

    /// What the trace and the page say of a run; tables and facts are the caller's to add.
    pub(crate) fn summary(&self, title: String, files: u64, job: Job, wall_s: f64) -> Summary {
        Summary {
            title,
            wall_s,
            job,
            files,
            light: self.light,
            advice: self.advice.clone(),
            ..Summary::default()
        }
    }

    /// Adds `achieved`, `binding` and `bound_s` to the JSON of a run; null where not known.
    pub(crate) fn add_to(&self, line: &mut Value, job: &Job, wall_s: f64) {
        let bound = self.light.map(|light| light.bound(job));
        line["achieved"] = self.light.map(|light| light.achieved(job, wall_s)).into();
        line["binding"] = bound.map(|bound| bound.binding()).into();
        line["bound_s"] = bound.map_or(Value::Null, |bound| bound.limits().into_iter().collect());
    }
}

fn words(bound: &Bound, wall_s: f64) -> String {
    let binding = bound.binding();
    let others = bound.limits().into_iter().filter(|(name, _)| *name != binding);
    let said = |name| if name == "cpu" { "CPU" } else { name };
    let others: Vec<String> =
        others.map(|(name, least_s)| format!("{} {}", said(name), seconds(least_s))).collect();
    format!(
        "{} % of the machine's limit: {} binds with {} ({})",
        figures(100.0 * bound.seconds() / wall_s.max(1e-9)),
        said(binding),
        seconds(bound.seconds()),
        others.join(", "),
    )
}

/// The folder to name to a person: of a file, the one it lies in.
fn folder(path: &Path) -> &Path {
    let folder = if path.is_dir() { Some(path) } else { path.parent() };
    folder.filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
