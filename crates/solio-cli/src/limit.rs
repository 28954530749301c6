//! How close a run came to the machine's limit: in words, as JSON, and what to do where the limit
//! is not known.

use crate::light::advice;
use crate::output_path::is_standard;
use crate::screen;
use crate::table::{figures, seconds, some};
use serde_json::{Value, json};
use solio::{Job, Kept, Light, Shares, Summary, Work};
use std::path::Path;

/// The machine's limit for runs that read from one place and write to another.
#[derive(Clone, Debug, Default)]
pub(crate) struct Limit {
    pub(crate) light: Option<Light>,
    /// What to do where it is not known.
    pub(crate) advice: Option<String>,
}

impl Limit {
    /// By the peaks that `solio light` kept for the file systems of the two places, and all cores that this
    /// process may use: fewer threads make no share larger.
    pub(crate) fn between(input: &Path, output: &Path, work: &Work) -> Limit {
        let cores = cores(work);
        let mut lights = [None; 2];
        for (light, path) in lights.iter_mut().zip([input, output]) {
            let Kept { peaks, note } = solio::kept_peaks(path);
            *light = peaks.and_then(|peaks| peaks.light(cores));
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

    /// Both shares in words, or what to do where the peaks are not known.
    pub(crate) fn words(&self, job: &Job, wall_s: f64) -> Option<String> {
        let words = self.light.map(|light| words(&light, job, wall_s));
        words.or_else(|| self.advice.clone())
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

    /// Both shares, where the peaks are known.
    pub(crate) fn shares(&self, job: &Job, wall_s: f64) -> Option<Shares> {
        self.light.map(|light| light.shares(job, wall_s))
    }

    /// Adds `achieved`, `cores`, `wrong_peaks`, `binding` and `bound_s` to the JSON of a run; null where not
    /// known.
    pub(crate) fn add_to(&self, line: &mut Value, job: &Job, wall_s: f64) {
        let bound = self.light.map(|light| light.bound(job));
        add_shares(line, self.shares(job, wall_s));
        line["binding"] = bound.map(|bound| bound.binding()).into();
        line["bound_s"] = bound.map_or(Value::Null, |bound| bound.limits().into_iter().collect());
    }
}

/// Adds `achieved`, `cores` and `wrong_peaks`.
pub(crate) fn add_shares(line: &mut Value, shares: Option<Shares>) {
    line["achieved"] = shares.as_ref().map(|shares| shares.bytes).into();
    line["cores"] = shares.as_ref().map(|shares| shares.cores).into();
    line["wrong_peaks"] = shares.map_or(Value::Null, |shares| json!(shares.wrong_peaks));
}

/// Cores that this process may use; where the system does not tell, one for each thread.
pub(crate) fn cores(work: &Work) -> usize {
    std::thread::available_parallelism().map_or(work.threads, usize::from)
}

/// `12.3 %`, and where that is more than all: `163 %!`.
pub(crate) fn percent(share: f64) -> String {
    let more = if share > 1.0 { "!" } else { "" };
    format!("{} %{more}", figures(100.0 * share))
}

/// `12.3 % of the machine's limit: write binds with 0.061 s (read 0.03 s, …); 45 % of 2 cores`, and which peak
/// was wrong where a share is above 100 %.
fn words(light: &Light, job: &Job, wall_s: f64) -> String {
    let (bound, shares) = (light.bound(job), light.shares(job, wall_s));
    let binding = bound.binding();
    let others = bound.limits().into_iter().filter(|(name, _)| *name != binding && *name != "cpu");
    let others: Vec<String> =
        others.map(|(name, least_s)| format!("{name} {}", seconds(least_s))).collect();
    format!(
        "{} of the machine's limit: {binding} binds with {} ({}); {} of {}{}",
        percent(shares.bytes),
        seconds(bound.seconds()),
        others.join(", "),
        percent(shares.cores),
        some(light.cores as u64, "core"),
        wrong_peaks(&shares),
    )
}

/// Which measured peaks a run went past; nothing where there is none.
fn wrong_peaks(shares: &Shares) -> String {
    let wrong = shares.wrong_peaks.iter().map(|wrong| {
        let (seen, measured) = (figures(wrong.seen), figures(wrong.measured));
        match wrong.peak {
            "cpu" => format!("{seen} cores were busy where {measured} were counted"),
            peak => format!("{peak} ran at {seen} MB/s where {measured} MB/s had been measured"),
        }
    });
    let wrong: Vec<String> = wrong.collect();
    if wrong.is_empty() {
        return String::new();
    }
    format!("; over 100 % because {}: run `solio light` again", wrong.join(", and "))
}

/// The folder to name to a person: of a file, the one it lies in.
fn folder(path: &Path) -> &Path {
    let folder = if path.is_dir() { Some(path) } else { path.parent() };
    folder.filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIGHT: Light = Light {
        read_mb_s: 2000.0,
        disk_mb_s: None,
        write_mb_s: 1000.0,
        memcpy_mb_s: 1e4,
        cores: 2,
    };

    #[test]
    fn both_shares_are_said_and_computing_is_no_limit() {
        // 95 % of the cores were busy: that is not 95 % of the limit.
        let job = Job { read_bytes: 200_000_000, cpu_s: 1.9, ..Job::default() };
        let said = words(&LIGHT, &job, 1.0);
        assert!(
            said.starts_with("10.0 % of the machine's limit: read binds with 0.100 s ("),
            "{said}"
        );
        assert!(said.ends_with("; 95.0 % of 2 cores") && !said.contains("CPU"), "{said}");
    }

    #[test]
    fn more_than_all_names_the_wrong_peak() {
        let job = Job { written_bytes: 1_630_000_000, ..Job::default() };
        let said = words(&LIGHT, &job, 1.0);
        assert!(said.starts_with("163 %! of the machine's limit: write binds"), "{said}");
        let why = "over 100 % because write ran at 1630 MB/s where 1000 MB/s had been measured";
        assert!(said.contains(why), "{said}");
    }
}
