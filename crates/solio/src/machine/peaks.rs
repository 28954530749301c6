//! The machine's peaks as `solio light` measured them, kept for later runs.
//!
//! One file in the user's cache folder holds an entry for each file system that was measured, with
//! the machine's name and its kernel's version: the peaks of another machine or kernel, as a home
//! folder on a network brings them, are not this one's.
//!
//! ```json
//! {"solio": "light 1", "check": "…", "kept": [{"host": …, "kernel": …, "medium": …, "peaks": […]}]}
//! ```
//!
//! `check` is a hash of the text of `kept`: a damaged figure is no figure.

use crate::machine::measure::{COPY, READ_COLD, READ_DIRECT, READ_WARM, WRITE};
use crate::{Peak, write_bytes};
use serde_json::{Value, json};
use solio_base::{Error, ErrorKind, Limits, Result, Work};
use solio_io::mount;
use solio_measure::{Light, unix_s};
use std::path::{Path, PathBuf};

const FORMAT: &str = "light 1";
/// The file is smaller than this.
const MOST_BYTES: u64 = 1 << 20;
/// File systems that are kept; the one measured longest ago goes first.
const MOST_ENTRIES: usize = 64;

/// The peaks of one file system, as they were measured.
///
/// ```
/// use solio::Peak;
/// # let folder = tempfile::tempdir().unwrap();
/// # // SAFETY: this process has no other thread yet.
/// # unsafe { std::env::set_var("XDG_CACHE_HOME", folder.path()) };
/// let copy = Peak { name: "copy memory".into(), threads: 1, mb_s: Some(9000.0), why_not: None };
/// solio::keep_peaks(folder.path(), 1 << 20, &[copy.clone()])?;
/// let kept = solio::kept_peaks(folder.path()).peaks.expect("they were kept");
/// assert_eq!((kept.peaks, kept.scratch_bytes), (vec![copy], 1 << 20));
/// // How old the figures are.
/// assert!(solio::unix_s() - kept.unix_s < 3600);
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct KeptPeaks {
    /// The machine's name.
    pub host: String,
    /// Its kernel's version.
    pub kernel: String,
    /// The file system: kind, source, device or mount point.
    pub medium: String,
    /// The folder that was asked for.
    pub folder: String,
    /// When it was measured: seconds since 1970.
    pub unix_s: u64,
    /// Bytes of the scratch file.
    pub scratch_bytes: u64,
    /// What was measured.
    pub peaks: Vec<Peak>,
}

/// What [`kept_peaks`] found.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # // SAFETY: this process has no other thread yet.
/// # unsafe { std::env::set_var("XDG_CACHE_HOME", folder.path()) };
/// # let file = solio::keep_peaks(folder.path(), 1 << 20, &[])?;
/// // A file that was damaged is as good as none, and it is told why.
/// solio::write_bytes(&file, b"{ \"solio\": \"light 1\"")?;
/// let kept = solio::kept_peaks(folder.path());
/// assert_eq!(kept.peaks, None);
/// assert!(kept.note.unwrap().contains("passed over"));
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Kept {
    /// The peaks of the file system in question; `None` where it was not measured.
    pub peaks: Option<KeptPeaks>,
    /// Why the file was passed over, if it was.
    pub note: Option<String>,
}

/// Keeps the peaks of the file system below `folder` in the place of the ones kept before; gives
/// the file that holds them.
///
/// ```no_run
/// let folder = std::path::Path::new("/data");
/// let peaks = solio::measure_machine(folder, 256 << 20, 2, &solio::Work::default())?;
/// let file = solio::keep_peaks(folder, 256 << 20, &peaks)?;
/// assert!(file.ends_with("solio/light.json"));
/// # Ok::<(), solio::Error>(())
/// ```
///
/// # Errors
/// Where there is no cache folder, or where it cannot be written to.
pub fn keep_peaks(folder: &Path, scratch_bytes: u64, peaks: &[Peak]) -> Result<PathBuf> {
    let path = file()
        .ok_or_else(|| Error::argument("none of XDG_CACHE_HOME, HOME and LOCALAPPDATA is set"))?;
    let (host, kernel, medium) =
        place(folder).ok_or_else(|| Error::argument("the system does not name the file system"))?;
    let new = KeptPeaks {
        host,
        kernel,
        medium,
        folder: solio_base::names::canonical(folder)
            .unwrap_or_else(|_| folder.into())
            .display()
            .to_string(),
        unix_s: unix_s(),
        scratch_bytes,
        peaks: peaks.to_vec(),
    };
    // What is damaged is replaced.
    let mut all = load(&path).unwrap_or_default();
    all.retain(|old| !old.is_of(&new.host, &new.kernel, &new.medium));
    all.push(new);
    all.sort_by_key(|kept| kept.unix_s);
    all.drain(..all.len().saturating_sub(MOST_ENTRIES));
    solio_io::make_folder_of(&path)?;
    write_bytes(&path, text_of(&all).as_bytes())?;
    Ok(path)
}

/// The peaks kept for the file system of `path`, which need not exist yet.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # // SAFETY: this process has no other thread yet.
/// # unsafe { std::env::set_var("XDG_CACHE_HOME", folder.path()) };
/// // Nothing was measured here yet: `solio light` does it, or `solio::measure_machine`.
/// let kept = solio::kept_peaks(folder.path());
/// assert_eq!((kept.peaks, kept.note), (None, None));
/// ```
pub fn kept_peaks(path: &Path) -> Kept {
    let Some(file) = file() else { return Kept::default() };
    match load(&file) {
        Ok(all) => {
            let place = place(path);
            let is_it = |kept: &KeptPeaks| {
                place
                    .as_ref()
                    .is_some_and(|(host, kernel, medium)| kept.is_of(host, kernel, medium))
            };
            Kept { peaks: all.into_iter().rev().find(is_it), note: None }
        }
        Err(error) => {
            let note = format!("the kept peaks are passed over: {}", error.at_path(&file));
            Kept { peaks: None, note: Some(note) }
        }
    }
}

impl KeptPeaks {
    fn is_of(&self, host: &str, kernel: &str, medium: &str) -> bool {
        (self.host.as_str(), self.kernel.as_str(), self.medium.as_str()) == (host, kernel, medium)
    }

    /// The limits that these peaks set to a job on `cores` threads; `None` where one of them could
    /// not be measured.
    ///
    /// ```
    /// use solio::{Job, Peak};
    /// # let folder = tempfile::tempdir().unwrap();
    /// # // SAFETY: this process has no other thread yet.
    /// # unsafe { std::env::set_var("XDG_CACHE_HOME", folder.path()) };
    /// let peak = |name: &'static str, mb_s| Peak {
    ///     name: name.into(),
    ///     threads: 1,
    ///     mb_s: Some(mb_s),
    ///     why_not: None,
    /// };
    /// let [write, read] = [peak("write, page cache", 2000.0), peak("read, warm", 5000.0)];
    /// solio::keep_peaks(folder.path(), 1 << 20, &[write, read, peak("copy memory", 9000.0)])?;
    /// let kept = solio::kept_peaks(folder.path()).peaks.expect("they were kept");
    /// let light = kept.light(8).expect("all of them are there");
    /// // No disk can be faster than this.
    /// let job = Job { written_bytes: 400_000_000, ..Job::default() };
    /// assert_eq!(light.bound_s(&job), 0.2);
    /// # Ok::<(), solio::Error>(())
    /// ```
    pub fn light(&self, cores: usize) -> Option<Light> {
        Some(Light {
            write_mb_s: self.best(&[WRITE])?,
            read_mb_s: self.best(&[READ_WARM])?,
            disk_mb_s: self.best(&[READ_COLD, READ_DIRECT]),
            memcpy_mb_s: self.best(&[COPY])?,
            cores,
        })
    }

    /// The highest of the peaks with these names.
    fn best(&self, names: &[&str]) -> Option<f64> {
        let named = self.peaks.iter().filter(|peak| names.contains(&&*peak.name));
        named.filter_map(|peak| peak.mb_s).max_by(f64::total_cmp)
    }
}

/// `$XDG_CACHE_HOME/solio/light.json`, or below `~/.cache`, or where Windows has such; the standard wants whole
/// paths.
fn file() -> Option<PathBuf> {
    let folder = |name: &str| {
        std::env::var_os(name).map(PathBuf::from).filter(|folder| folder.is_absolute())
    };
    let home = || folder("HOME").map(|home| home.join(".cache"));
    let cache = folder("XDG_CACHE_HOME").or_else(|| folder("LOCALAPPDATA")).or_else(home);
    cache.map(|cache| solio_base::names::slashed(cache.join("solio").join("light.json")))
}

/// Machine, kernel and file system.
fn place(path: &Path) -> Option<(String, String, String)> {
    let (host, kernel) = mount::machine();
    Some((host, kernel, mount::name(path)?))
}

/// All that the file holds; nothing where there is none.
fn load(path: &Path) -> Result<Vec<KeptPeaks>> {
    let Ok(meta) = std::fs::metadata(path) else { return Ok(Vec::new()) };
    // Opening a pipe would wait for its writer.
    if !meta.is_file() {
        return Err(Error::new(ErrorKind::Io, "this is not a regular file"));
    }
    let limits = Limits { bytes: MOST_BYTES, ..Limits::default() };
    let text = solio_io::read_whole(path, &limits, &Work::default())?;
    parsed(&text).ok_or_else(|| Error::corrupt("it is damaged, or another program's"))
}

fn text_of(all: &[KeptPeaks]) -> String {
    let kept = Value::from(all.iter().map(entry_json).collect::<Vec<_>>());
    let check = hash(&kept.to_string());
    format!("{}\n", json!({ "solio": FORMAT, "check": check, "kept": kept }))
}

fn parsed(text: &[u8]) -> Option<Vec<KeptPeaks>> {
    let whole: Value = serde_json::from_slice(text).ok()?;
    let kept = whole.get("kept")?;
    if whole.get("solio")? != FORMAT || *whole.get("check")? != hash(&kept.to_string()) {
        return None;
    }
    kept.as_array()?.iter().map(entry).collect()
}

/// Rates are whole bytes a second: they stay the same from text to number and back.
fn entry_json(kept: &KeptPeaks) -> Value {
    let peaks = kept.peaks.iter().map(|peak| {
        json!({
            "name": peak.name,
            "threads": peak.threads,
            "bytes_s": peak.mb_s.map(|rate| (rate * 1e6).max(1.0) as u64),
            "why_not": peak.why_not,
        })
    });
    json!({
        "host": kept.host,
        "kernel": kept.kernel,
        "medium": kept.medium,
        "folder": kept.folder,
        "unix_s": kept.unix_s,
        "scratch_bytes": kept.scratch_bytes,
        "peaks": peaks.collect::<Vec<_>>(),
    })
}

fn entry(value: &Value) -> Option<KeptPeaks> {
    let text = |name: &str| Some(value.get(name)?.as_str()?.to_owned());
    let number = |name: &str| value.get(name)?.as_u64();
    Some(KeptPeaks {
        host: text("host")?,
        kernel: text("kernel")?,
        medium: text("medium")?,
        folder: text("folder")?,
        unix_s: number("unix_s")?,
        scratch_bytes: number("scratch_bytes")?,
        peaks: value.get("peaks")?.as_array()?.iter().map(peak).collect::<Option<_>>()?,
    })
}

fn peak(value: &Value) -> Option<Peak> {
    let mb_s = match value.get("bytes_s")? {
        Value::Null => None,
        rate => Some(rate.as_u64().filter(|rate| *rate > 0)? as f64 / 1e6),
    };
    let why_not = value.get("why_not")?.as_str().map(|why| why.to_owned().into());
    Some(Peak {
        name: value.get("name")?.as_str()?.to_owned().into(),
        threads: value.get("threads")?.as_u64()?.try_into().ok()?,
        mb_s,
        why_not,
    })
}

/// FNV-1a: any change of a single byte changes it.
fn hash(text: &str) -> String {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    format!("{:016x}", text.bytes().fold(0xcbf2_9ce4_8422_2325, step))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Vec<KeptPeaks> {
        let peak = |name: &'static str, threads, mb_s: Option<f64>| Peak {
            name: name.into(),
            threads,
            mb_s,
            why_not: mb_s.is_none().then(|| "a \"reason\"".into()),
        };
        let peaks = vec![
            peak(WRITE, 1, Some(2000.5)),
            peak(READ_WARM, 1, Some(8000.0)),
            peak(READ_WARM, 2, Some(9000.25)),
            peak(READ_COLD, 1, None),
            peak(COPY, 1, Some(1e4)),
        ];
        let kept = KeptPeaks {
            host: "host".into(),
            kernel: "6.1 é".into(),
            medium: "ext4 /dev/vda 254:0".into(),
            folder: "/a b".into(),
            unix_s: 1_795_000_000,
            scratch_bytes: 1 << 28,
            peaks,
        };
        vec![kept.clone(), KeptPeaks { host: "other".into(), peaks: Vec::new(), ..kept }]
    }

    #[test]
    fn what_was_kept_comes_back() {
        let all = example();
        assert_eq!(parsed(text_of(&all).as_bytes()), Some(all.clone()));
        let light = all[0].light(2).unwrap();
        assert_eq!((light.read_mb_s, light.disk_mb_s, light.cores), (9000.25, None, 2));
        assert_eq!(all[1].light(2), None);
        assert_eq!(parsed(text_of(&[]).as_bytes()), Some(Vec::new()));
    }

    #[test]
    fn damaged_and_foreign_files_are_none() {
        let all = example();
        let text = text_of(&all).into_bytes();
        for end in 0..text.len() - 1 {
            assert_eq!(parsed(&text[..end]), None, "prefix of {end}");
        }
        for bit in 0..text.len() * 8 {
            let mut flipped = text.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            // Nothing, or what stood there: never another figure.
            assert!(parsed(&flipped).is_none_or(|found| found == all), "bit {bit}");
        }
        let deep = "[".repeat(1 << 16);
        for foreign in ["{}", "[]", "null", "{\"solio\":\"light 1\",\"kept\":3,\"check\":1}", &deep]
        {
            assert_eq!(parsed(foreign.as_bytes()), None);
        }
        let odd = json!([{"host": 1}]);
        let odd = json!({ "solio": FORMAT, "check": hash(&odd.to_string()), "kept": odd });
        assert_eq!(parsed(odd.to_string().as_bytes()), None);
    }
}
