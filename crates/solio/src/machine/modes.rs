//! Ways to run ExifTool over files: what to know before starting one over a million.

use crate::photo::metadata::{MetadataOptions, read_metadata_files};
use solio_base::{Error, ErrorKind, Result, Work};
use solio_measure::{Middle, Stopwatch, children_cpu_s};
use solio_photo::Fields;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// The three dates that a library of photos is sorted by.
const DATES: [&str; 3] = ["-DateTimeOriginal", "-CreateDate", "-ModifyDate"];
/// Without an option, and with those that read less of a file.
const SPEEDS: [(&str, &[&str]); 3] =
    [("", &[]), (", -fast", &["-fast"]), (", -fast2", &["-fast2"])];

/// What is run, over what.
///
/// ```
/// let options = solio::ModeOptions::new(vec!["a.jpg".into()], "solio");
/// assert_eq!((options.rounds, options.exiftool.to_str()), (3, Some("exiftool")));
/// ```
#[derive(Clone, Debug)]
pub struct ModeOptions {
    /// The files.
    pub files: Vec<PathBuf>,
    /// ExifTool.
    pub exiftool: PathBuf,
    /// The command of Solio.
    pub solio: PathBuf,
    /// Turns.
    pub rounds: usize,
    /// Processes at once.
    pub together: usize,
}

impl ModeOptions {
    /// These files, by `exiftool` as it is found on PATH.
    ///
    /// ```
    /// assert!(solio::ModeOptions::new(Vec::new(), "solio").together >= 2);
    /// ```
    pub fn new(files: Vec<PathBuf>, solio: impl Into<PathBuf>) -> ModeOptions {
        let together = std::thread::available_parallelism().map_or(2, usize::from).max(2);
        ModeOptions { files, exiftool: "exiftool".into(), solio: solio.into(), rounds: 3, together }
    }
}

/// A way, and what it came to.
///
/// ```
/// let mode = solio::ModeTime { wall_s: vec![4.0, 2.0, 3.0], ..Default::default() };
/// assert_eq!(mode.wall().median, 3.0);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModeTime {
    /// What it is called.
    pub name: String,
    /// `all tags` or `three dates`.
    pub tags: &'static str,
    /// Programs that were started.
    pub processes: usize,
    /// Seconds, run by run.
    pub wall_s: Vec<f64>,
    /// CPU seconds, run by run.
    pub cpu_s: Vec<f64>,
    /// Files that it gave a result for; `None` of one that reads alone.
    pub results: Option<usize>,
    /// Those of them whose names are more than ASCII.
    pub unicode: usize,
}

impl ModeTime {
    /// The seconds with their interval.
    ///
    /// ```
    /// assert!(solio::ModeTime::default().wall().median.is_nan());
    /// ```
    pub fn wall(&self) -> Middle {
        Middle::of(&self.wall_s)
    }
}

/// What all ways came to.
///
/// ```
/// assert!(solio::ModeStudy::default().modes.is_empty());
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModeStudy {
    /// ExifTool's version.
    pub version: String,
    /// Files, those with names beyond ASCII among them, and their bytes.
    pub files: usize,
    /// See `files`.
    pub unicode: usize,
    /// See `files`.
    pub bytes: u64,
    /// For all tags, then for three dates; the first of each reads the files alone.
    pub modes: Vec<ModeTime>,
}

/// Runs all ways in turns; `each` hears of each before it begins.
///
/// ```no_run
/// let files = vec!["a.jpg".into(), "b.jpg".into()];
/// let options = solio::ModeOptions::new(files, "solio");
/// let study = solio::study_modes(&options, &Default::default(), |mode| println!("{mode}"))?;
/// assert!(study.modes.iter().all(|mode| mode.results.is_none_or(|results| results == 2)));
/// # Ok::<(), solio::Error>(())
/// ```
///
/// # Errors
/// When ExifTool cannot be started, or a file cannot be read; `Cancelled`.
pub fn study_modes(
    options: &ModeOptions,
    work: &Work,
    mut each: impl FnMut(&str),
) -> Result<ModeStudy> {
    let version = Command::new(&options.exiftool).arg("-ver").stdin(Stdio::null()).output();
    let failed = |e| Error::io("start ExifTool", e).at_path(&options.exiftool);
    let version = version.map_err(failed)?;
    let whole = |path: &PathBuf| {
        solio_base::names::canonical(path).map_err(|e| Error::io("find", e).at_path(path))
    };
    let files: Vec<PathBuf> = options.files.iter().map(whole).collect::<Result<_>>()?;
    if files.is_empty() {
        return Err(Error::argument("there are no files"));
    }
    let unicode = files.iter().filter(|path| !path.as_os_str().is_ascii()).count();
    let mut study = ModeStudy {
        version: String::from_utf8_lossy(&version.stdout).trim().to_owned(),
        files: files.len(),
        unicode,
        ..ModeStudy::default()
    };
    let runner = ModeRunner::new(options, files)?;
    for (tags, names) in [("all tags", &[][..]), ("three dates", &DATES[..])] {
        let first = study.modes.len();
        for round in 0..options.rounds.max(1) {
            for (place, mode) in runner.modes(names).into_iter().enumerate() {
                work.cancel.check()?;
                each(&format!("{tags}: {}", mode.name));
                let ran = runner.run(&mode, names, work)?;
                if round == 0 {
                    let name = mode.name.clone();
                    study.modes.push(ModeTime {
                        name,
                        tags,
                        processes: mode.processes,
                        ..ModeTime::default()
                    });
                }
                let time = &mut study.modes[first + place];
                time.wall_s.push(ran.wall_s);
                time.cpu_s.push(ran.cpu_s);
                time.results = ran.found.as_ref().map(|found| found.len());
                time.unicode = ran
                    .found
                    .map_or(0, |found| found.iter().filter(|name| !name.is_ascii()).count());
                study.bytes = study.bytes.max(ran.bytes);
            }
        }
    }
    Ok(study)
}

/// How a way goes through the files.
#[derive(Clone, Debug, PartialEq, Eq)]
enum ModeWalk {
    /// Reads them, and nothing else.
    Read,
    /// A process a file, so many at once.
    Each { together: usize },
    /// One process each for a part of the files, whose list it reads.
    Lists(Vec<PathBuf>),
    /// One process, which gets the list on its standard input.
    Stdin,
    /// The command of Solio with this engine.
    Command(&'static str),
    /// Solio's library in this process.
    Library,
}

struct ModePlan {
    name: String,
    options: Vec<OsString>,
    walk: ModeWalk,
    processes: usize,
}

/// What one way came to once.
struct ModeRun {
    wall_s: f64,
    cpu_s: f64,
    bytes: u64,
    /// Names of files that it gave a result for.
    found: Option<BTreeSet<String>>,
}

struct ModeRunner<'o> {
    options: &'o ModeOptions,
    files: Vec<PathBuf>,
    /// All names, one a line; the folder is there as long as they are.
    list: tempfile::NamedTempFile,
    parts: Vec<tempfile::NamedTempFile>,
}

impl<'o> ModeRunner<'o> {
    fn new(options: &'o ModeOptions, files: Vec<PathBuf>) -> Result<ModeRunner<'o>> {
        let list = listed(files.iter())?;
        let parts = (0..options.together)
            .map(|part| listed(files.iter().skip(part).step_by(options.together)))
            .collect::<Result<_>>()?;
        Ok(ModeRunner { options, files, list, parts })
    }

    fn modes(&self, names: &[&str]) -> Vec<ModePlan> {
        let (count, together) = (self.files.len(), self.options.together);
        let mode = |name: String, speed: &[&str], walk: ModeWalk, processes: usize| {
            let options = speed.iter().chain(names).map(OsString::from).collect();
            ModePlan { name, options, walk, processes }
        };
        let all = vec![self.list.path().to_owned()];
        let parts = self.parts.iter().map(|part| part.path().to_owned()).collect();
        let mut modes = vec![mode("reading alone".into(), &[], ModeWalk::Read, 0)];
        for (word, speed) in SPEEDS {
            modes.push(mode(
                format!("a process a file{word}"),
                speed,
                ModeWalk::Each { together: 1 },
                count,
            ));
        }
        for (word, speed) in SPEEDS {
            let name = format!("a process a file, {together} at once{word}");
            modes.push(mode(name, speed, ModeWalk::Each { together }, count));
        }
        for (word, speed) in SPEEDS {
            modes.push(mode(format!("names on standard input{word}"), speed, ModeWalk::Stdin, 1));
        }
        for (word, speed) in SPEEDS {
            modes.push(mode(
                format!("a list of all files{word}"),
                speed,
                ModeWalk::Lists(all.clone()),
                1,
            ));
        }
        modes.push(mode(
            format!("{together} processes, a list each"),
            &[],
            ModeWalk::Lists(parts),
            together,
        ));
        let kept = format!("{together} kept open (solio meta --engine exiftool)");
        modes.push(mode(kept, &[], ModeWalk::Command("exiftool"), together));
        modes.push(mode("solio meta".into(), &[], ModeWalk::Command("native"), 1));
        modes.push(mode("Solio in this process".into(), &[], ModeWalk::Library, 0));
        modes
    }

    fn run(&self, mode: &ModePlan, names: &[&str], work: &Work) -> Result<ModeRun> {
        let (cpu_s, own_s, watch) = (children_cpu_s(), solio_measure::cpu_s(), Stopwatch::start());
        let mut outputs = Vec::new();
        let (mut bytes, mut found) = (0, BTreeSet::new());
        match &mode.walk {
            ModeWalk::Read => {
                let mut buffer = Vec::new();
                for path in &self.files {
                    solio_io::probe::read_plain(path, &mut buffer)?;
                    bytes += buffer.len() as u64;
                }
            }
            ModeWalk::Each { together } => {
                let commands =
                    self.files.iter().map(|path| self.exiftool(mode, &[path.as_os_str()]));
                outputs = all(commands, *together, None)?;
            }
            ModeWalk::Lists(lists) => {
                let commands = lists
                    .iter()
                    .map(|list| self.exiftool(mode, &["-@".as_ref(), list.as_os_str()]));
                outputs = all(commands, lists.len(), None)?;
            }
            ModeWalk::Stdin => {
                let command = self.exiftool(mode, &["-@".as_ref(), "-".as_ref()]);
                outputs = all(std::iter::once(command), 1, Some(self.list.path()))?;
            }
            ModeWalk::Command(engine) => {
                outputs = all(std::iter::once(self.solio(engine, names)), 1, None)?
            }
            ModeWalk::Library => {
                let fields = names.iter().map(|name| name.trim_start_matches('-'));
                let fields = if names.is_empty() { Fields::default() } else { Fields::of(fields) };
                let wanted = MetadataOptions { fields, ..MetadataOptions::default() };
                let show = |path: &Path, read: Result<_>, name: &mut Option<String>| {
                    *name = read.is_ok().then(|| path.to_string_lossy().into_owned());
                };
                read_metadata_files(&self.files, &wanted, work, show, |names| {
                    found.extend(names.iter_mut().filter_map(Option::take));
                    Ok(())
                })?;
            }
        }
        let wall_s = watch.wall_s();
        let cpu_s = children_cpu_s() - cpu_s + solio_measure::cpu_s() - own_s;
        // Looked at when the clock has stopped.
        for output in &mut outputs {
            found.extend(sources(output)?);
        }
        let found = (mode.walk != ModeWalk::Read).then_some(found);
        Ok(ModeRun { wall_s, cpu_s, bytes, found })
    }

    fn exiftool(&self, mode: &ModePlan, last: &[&std::ffi::OsStr]) -> Command {
        let mut command = Command::new(&self.options.exiftool);
        command.arg("-j").args(&mode.options).args(last);
        command
    }

    fn solio(&self, engine: &str, names: &[&str]) -> Command {
        let mut command = Command::new(&self.options.solio);
        command.args(["meta", "--jsonl", "--engine", engine]);
        if engine == "exiftool" {
            command.arg("--exiftool").arg(&self.options.exiftool);
        }
        let fields: Vec<&str> = names.iter().map(|name| name.trim_start_matches('-')).collect();
        if !fields.is_empty() {
            command.args(["-f", &fields.join(",")]);
        }
        command.arg("--files-from").arg(self.list.path());
        command.args(["-j".to_owned(), self.options.together.to_string()]);
        command
    }
}

fn listed<'p>(files: impl Iterator<Item = &'p PathBuf>) -> Result<tempfile::NamedTempFile> {
    use solio_base::names::OsStrBytes;
    let failed = |e| Error::io("make a list of the files", e);
    let mut list = tempfile::NamedTempFile::new().map_err(failed)?;
    for path in files {
        list.write_all(path.as_os_str().as_bytes())
            .and_then(|()| list.write_all(b"\n"))
            .map_err(failed)?;
    }
    list.flush().map_err(failed)?;
    Ok(list)
}

/// Runs all commands, at most so many at once; what each printed.
fn all(
    commands: impl Iterator<Item = Command>,
    together: usize,
    input: Option<&Path>,
) -> Result<Vec<std::fs::File>> {
    let failed = |e| Error::io("run ExifTool", e);
    let (mut running, mut outputs): (Vec<Child>, Vec<std::fs::File>) = (Vec::new(), Vec::new());
    let end = |mut child: Child| -> Result<()> {
        let status = child.wait().map_err(failed)?;
        // A file that it does not know makes it fail; what it printed is counted.
        if status.code().is_none_or(|code| code > 1) {
            return Err(Error::new(
                ErrorKind::Io,
                format!("a way of running ExifTool failed ({status})"),
            ));
        }
        Ok(())
    };
    for mut command in commands {
        if running.len() >= together.max(1) {
            end(running.remove(0))?;
        }
        let output = tempfile::tempfile().map_err(failed)?;
        command.stdin(input.map_or(Ok(Stdio::null()), solio_io::probe::input_of)?);
        command.stdout(output.try_clone().map_err(failed)?).stderr(Stdio::null());
        let program = PathBuf::from(command.get_program());
        running.push(command.spawn().map_err(|e| failed(e).at_path(program))?);
        outputs.push(output);
    }
    running.into_iter().try_for_each(end)?;
    Ok(outputs)
}

/// The files that JSON has a result of, and no error: a list of objects, or an object a line.
fn sources(output: &mut std::fs::File) -> Result<Vec<String>> {
    let mut text = String::new();
    output
        .rewind()
        .and_then(|()| output.read_to_string(&mut text))
        .map_err(|e| Error::io("read", e))?;
    let mut found = Vec::new();
    for value in serde_json::Deserializer::from_str(&text).into_iter::<serde_json::Value>() {
        let value = value.map_err(|e| Error::corrupt(format!("ExifTool printed no JSON: {e}")))?;
        let objects = match value {
            serde_json::Value::Array(objects) => objects,
            object => vec![object],
        };
        found.extend(
            objects
                .iter()
                .filter(|o| o["Error"].is_null())
                .filter_map(|o| o["SourceFile"].as_str().map(str::to_owned)),
        );
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods, clippy::print_stdout)] // writes a program of its own; says what it skips
    use super::*;

    /// Prints an object for each name that it gets, as ExifTool does.
    const TOOL: &str = r#"#!/bin/sh
[ "$1" = -ver ] && { echo 13.00; exit; }
list=; names=
while [ $# -gt 0 ]; do
  case "$1" in
    -@) list=$2; shift;;
    -*) ;;
    *) names="$names
$1";;
  esac
  shift
done
[ "$list" = - ] && names=$(cat)
[ -n "$list" ] && [ "$list" != - ] && names=$(cat "$list")
echo "["
echo "$names" | sed '/^$/d; s/.*/{"SourceFile": "&"},/; $s/,$//'
echo "]"
"#;

    #[test]
    fn every_way_gives_a_result_of_every_file() {
        let folder = tempfile::tempdir().unwrap();
        let tool = folder.path().join("exiftool");
        std::fs::write(&tool, TOOL).unwrap();
        if Command::new("chmod").args(["+x".as_ref(), tool.as_os_str()]).status().is_err() {
            return println!("skipped: there is no chmod");
        }
        let tiff = b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0";
        let files = ["a.tif", "b b.tif", "ä.tif"].map(|name| folder.path().join(name));
        files.iter().for_each(|path| std::fs::write(path, tiff).unwrap());
        // The command of Solio is not at hand here: ExifTool's stand-in ignores its options.
        let solio = folder.path().join("solio");
        std::fs::write(&solio, "#!/bin/sh\nfor last; do [ \"$before\" = --files-from ] && list=$last; before=$last; done\nexec \"$(dirname \"$0\")/exiftool\" -@ \"$list\"\n").unwrap();
        Command::new("chmod").args(["+x".as_ref(), solio.as_os_str()]).status().unwrap();
        let options =
            ModeOptions { exiftool: tool, rounds: 1, ..ModeOptions::new(files.to_vec(), solio) };
        let study = study_modes(&options, &Work::default(), |_| ()).unwrap();
        assert_eq!((study.version.as_str(), study.files, study.unicode), ("13.00", 3, 1));
        assert_eq!((study.modes.len(), study.bytes), (2 * 17, 3 * tiff.len() as u64));
        for mode in study.modes.iter().filter(|mode| mode.name != "reading alone") {
            assert_eq!((mode.results, mode.unicode), (Some(3), 1), "{}, {}", mode.tags, mode.name);
        }
        assert_eq!(study.modes[0].results, None);
        let none = ModeOptions { exiftool: "/no/exiftool".into(), ..options };
        assert!(
            study_modes(&none, &Work::default(), |_| ())
                .unwrap_err()
                .to_string()
                .contains("ExifTool")
        );
    }
}
