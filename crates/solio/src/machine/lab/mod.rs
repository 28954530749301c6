//! The compression lab: files become arrays, every filter and codec is tried on them.

mod exr;
mod load;
mod peers;

use peers::Peers;

use serde_json::{Value, json};
use solio_base::names::OsStrBytes;
use solio_base::{Error, Limits, Result, Work};
use solio_catalog::names::percent;
use solio_lab::npy::RawShape;
use solio_lab::plan::plan;
use solio_lab::{Array, MeasureOptions, Measuring, Results, Statement, measure, statements};
use std::path::PathBuf;

/// What is tried, on how much, for how long.
///
/// ```
/// use solio::{LabOptions, laboratory::MeasureOptions};
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("weights.raw");
/// # solio::write_bytes(&path, &[0; 64 * 4])?;
/// // 64 numbers of 32 bits without a head, each tried once.
/// let options = LabOptions {
///     raw: Some("f32,1,64".parse().unwrap()),
///     measure: MeasureOptions { seconds: 0.0, rounds: (1, 1) },
///     ..LabOptions::default()
/// };
/// let lab = solio::run_lab(&[path], &options, &solio::Work::default(), |_| ())?;
/// assert_eq!(lab.results.arrays[0].whole_bytes, 256);
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct LabOptions {
    /// Every filter, codec, level and size of chunks, on whole arrays.
    pub full: bool,
    /// Bytes of all arrays together, of each the middle; `None` is all.
    pub sample_bytes: Option<u64>,
    /// How long it may take.
    pub measure: MeasureOptions,
    /// What files are that have no head.
    pub raw: Option<RawShape>,
    /// A Python with peers, which are measured, too.
    pub python: Option<PathBuf>,
    /// What files may make us do.
    pub limits: Limits,
}

impl Default for LabOptions {
    fn default() -> Self {
        LabOptions {
            full: false,
            sample_bytes: Some(12 << 20),
            measure: MeasureOptions::default(),
            raw: None,
            python: None,
            limits: Limits::default(),
        }
    }
}

/// What came out.
///
/// ```
/// use solio::{LabOptions, laboratory::MeasureOptions};
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("a.obj");
/// solio::write_bytes(&path, b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")?;
/// let measure = MeasureOptions { seconds: 0.0, rounds: (1, 1) };
/// let options = LabOptions { measure, ..LabOptions::default() };
/// let lab = solio::run_lab(&[path], &options, &solio::Work::default(), |_| ())?;
/// // Positions and indices; what was tried on both adds up.
/// assert_eq!(lab.results.arrays.len(), 2);
/// let total = lab.results.total(lab.results.cells[0].config, |_| true);
/// assert!(total.is_some_and(|total| total.ratio > 0.0));
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Debug)]
pub struct Lab {
    /// All cells.
    pub results: Results,
    /// What was said in 2021, and what is true of it here.
    pub statements: Vec<Statement>,
    /// Files that could not be read, or had nothing to pack.
    pub failed: Vec<(PathBuf, Error)>,
    /// What else there is to say.
    pub notes: Vec<String>,
}

impl Lab {
    /// For programs and for the page.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let path = folder.path().join("a.txt");
    /// # solio::write_bytes(&path, b"no numbers")?;
    /// let lab = solio::run_lab(&[path], &Default::default(), &solio::Work::default(), |_| ())?;
    /// let json = lab.to_json();
    /// assert!(json["failed"][0]["path"].as_str().unwrap().ends_with("a.txt"));
    /// assert!(json["cells"].as_array().unwrap().is_empty());
    /// # Ok::<(), solio::Error>(())
    /// ```
    pub fn to_json(&self) -> Value {
        let mut value = self.results.to_json();
        let statements = self.statements.iter().map(Statement::to_json);
        value["statements"] = json!(statements.collect::<Vec<_>>());
        value["notes"] = json!(self.notes);
        let failed = |(path, error): &(PathBuf, Error)| {
            let mut line = json!({"path": path.to_string_lossy(), "message": error.message()});
            if path.to_str().is_none() {
                line["path_encoded"] = json!(percent(path.as_os_str().as_bytes()));
            }
            line
        };
        value["failed"] = json!(self.failed.iter().map(failed).collect::<Vec<_>>());
        value
    }
}

/// Reads `paths`, packs and unpacks what is in them in every way, checks that every bit comes back,
/// and times it. `each` hears how far it is.
///
/// ```no_run
/// use solio::{LabOptions, Work};
/// let paths = ["beauty.exr".into(), "scan.ply".into()];
/// let lab = solio::run_lab(&paths, &LabOptions::default(), &Work::default(), |now| {
///     println!("{:3.0} % {}", 100.0 * now.done, now.array.title());
/// })?;
/// assert!(lab.failed.is_empty());
/// solio::write_bytes("lab.csv".as_ref(), lab.results.to_csv().as_bytes())?;
/// # Ok::<(), solio::Error>(())
/// ```
///
/// # Errors
/// When nothing could be read, or it is cancelled. Single bad files are listed in the result.
pub fn run_lab(
    paths: &[PathBuf],
    options: &LabOptions,
    work: &Work,
    each: impl FnMut(Measuring<'_>),
) -> Result<Lab> {
    let mut failed = Vec::new();
    let mut notes = Vec::new();
    let mut arrays = Vec::new();
    for path in paths {
        work.cancel.check()?;
        match load::read_arrays(path, options, work, &mut notes) {
            Ok(mut found) => {
                // No array gets more than all together do: the rest need not wait in memory for the
                // other files. What is kept in the end is the same.
                if let Some(sample_bytes) = options.sample_bytes {
                    found.iter_mut().for_each(|array| array.keep_middle(sample_bytes as usize));
                }
                arrays.extend(found);
            }
            Err(error) => failed.push((path.clone(), error.at_path(path))),
        }
    }
    let count = arrays.len();
    if count == 0 {
        return Ok(Lab { results: Results::default(), statements: Vec::new(), failed, notes });
    }
    if let Some(sample_bytes) = options.sample_bytes {
        keep_shares(&mut arrays, sample_bytes);
        let whole: u64 = arrays.iter().map(|array| array.whole_bytes).sum();
        let kept: usize = arrays.iter().map(|array| array.bytes.len()).sum();
        if (kept as u64) < whole {
            let [kept, whole] = [kept as f64 / 1e6, whole as f64 / 1e6];
            notes.push(format!(
                "the middle of {count} arrays was measured: {kept:.1} MB of {whole:.1} MB"
            ));
        }
    }
    let peers = Peers::run(options.python.as_deref(), &arrays, work)?;
    let trials = |array: &Array| {
        let mut trials = plan(array, options.full);
        trials.extend(exr::trials(array, options.full)?);
        Ok(trials)
    };
    let mut results = measure(arrays, trials, &options.measure, &work.cancel, each)?;
    peers.add_to(&mut results, &mut notes);
    if !solio_lab::codec::Method::HAS_ZFP {
        notes.push("this program was built without ZFP: cargo build --features zfp".into());
    }
    let statements = statements(&results);
    Ok(Lab { results, statements, failed, notes })
}

/// Leaves of each array the middle, so that all together have about `total` bytes.
fn keep_shares(arrays: &mut [Array], total: u64) {
    let sizes: Vec<u64> = arrays.iter().map(|array| array.bytes.len() as u64).collect();
    let share = shares(&sizes, total);
    arrays.iter_mut().for_each(|array| array.keep_middle(share as usize));
}

/// The most bytes of each array, so that all together have about `total`: small ones are whole.
fn shares(sizes: &[u64], total: u64) -> u64 {
    let mut sorted = sizes.to_vec();
    sorted.sort_unstable();
    let mut left = total;
    for (i, size) in sorted.iter().enumerate() {
        let each = left / (sorted.len() - i) as u64;
        if *size > each {
            return each.max(1);
        }
        left -= size;
    }
    u64::MAX >> 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_arrays_are_whole() {
        assert_eq!(shares(&[10, 1000, 1000], 500), 245);
        assert!(shares(&[10, 20], 500) > 1000);
        assert_eq!(shares(&[100; 4], 40), 10);
    }

    /// Images and lists of many sizes: cut as they come, they become what they become of the whole.
    #[test]
    fn to_cut_early_changes_nothing() {
        let raw = |shape: String| {
            let shape: RawShape = shape.parse().unwrap();
            let count = shape.size.0 * shape.size.1.unwrap_or(1);
            let bytes: Vec<u8> = (0..count as u32).map(|i| (i * i / 7) as u8).collect();
            solio_lab::npy::decode_raw(&bytes, &shape).unwrap()
        };
        let rows = [1, 30, 64, 100, 200, 331, 1000].map(|rows| raw(format!("u8,1,10x{rows}")));
        let lists = [1, 900, 1500, 2047, 2900, 7001].map(|count| raw(format!("u8,1,{count}")));
        let all: Vec<Array> = rows.into_iter().chain(lists).collect();
        for picked in (1_u32..1 << all.len()).step_by(37) {
            let some = all.iter().enumerate().filter(|(i, _)| picked >> *i & 1 == 1);
            let some: Vec<Array> = some.map(|(_, array)| array.clone()).collect();
            for total in [1, 500, 640, 1279, 1290, 2000, 2047, 2900, 5000, 20_000] {
                let (mut once, mut early) = (some.clone(), some.clone());
                keep_shares(&mut once, total);
                early.iter_mut().for_each(|array| array.keep_middle(total as usize));
                keep_shares(&mut early, total);
                assert_eq!(once, early, "{picked:b} of {total}");
            }
        }
    }
}
