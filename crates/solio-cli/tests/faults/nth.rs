//! The first, second, third… call that writes fails, of every command that writes.

use crate::folder::{Files, files, inputs, is_complete, is_temporary, set};
use crate::strace::{self, Call, Traced};
use std::collections::BTreeSet;
use std::path::Path;

/// A command and what it may bear.
pub(crate) struct Case {
    pub(crate) args: &'static [&'static str],
    /// Quads of the input.
    pub(crate) quads: usize,
    /// Calls whose failure need not end the command: it has another way, or does without.
    bears: &'static [&'static str],
    /// Its files belong together: as long as bytes are written, none of them appears.
    together: bool,
    /// A word that errors have instead of the name of an output.
    about: &'static str,
}

/// Without unnamed files there are named ones; without an exchange there is `rename`; a file
/// that may not be given its predecessor's owner or mode has its writer's.
const ALWAYS_BEARS: [&str; 5] = ["openat", "renameat2", "fchown", "fchmod", "unlink"];

impl Case {
    pub(crate) const fn new(args: &'static [&'static str]) -> Case {
        Case { args, quads: 400, bears: &[], together: false, about: "" }
    }

    const fn bears(self, bears: &'static [&'static str]) -> Case {
        Case { bears, ..self }
    }

    const fn together(self) -> Case {
        Case { together: true, ..self }
    }

    fn may_bear(&self, call: &str) -> bool {
        ALWAYS_BEARS.contains(&call) || self.bears.contains(&call)
    }

    const fn about(self, about: &'static str) -> Case {
        Case { about, ..self }
    }
}

/// What one case needs, and what it makes when nothing goes wrong.
pub(crate) struct Stage {
    dir: tempfile::TempDir,
    args: &'static [&'static str],
    named_temporaries: bool,
    pub(crate) before: Files,
    pub(crate) after: Files,
    /// The calls that write, of the run without faults.
    pub(crate) calls: BTreeSet<Call>,
}

impl Stage {
    /// Sets the case up, with old files where it writes or without.
    pub(crate) fn new(case: &Case, old: bool, named_temporaries: bool) -> Stage {
        let dir = tempfile::tempdir().unwrap();
        let mut before = inputs(case.quads);
        set(dir.path(), &before);
        let mut stage = Stage {
            dir,
            args: case.args,
            named_temporaries,
            before: before.clone(),
            after: Files::new(),
            calls: BTreeSet::new(),
        };
        let ran = stage.run(None);
        assert_eq!(ran.code, 0, "{:?}: {}", case.args, ran.err);
        stage.after = files(stage.path());
        if old {
            for name in stage.after.keys() {
                before.entry(name.clone()).or_insert_with(|| format!("old {name}\n").into());
            }
            stage.before = before;
        }
        let ran = stage.run(None);
        assert_eq!(ran.code, 0, "{:?}: {}", case.args, ran.err);
        // A texture that lies there stays, and the new one gets a number.
        stage.after = files(stage.path());
        let here = stage.here();
        stage.calls = ran.calls.into_iter().filter(|c| c.writes(&here)).collect();
        stage
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    /// The folder's name as the system says it.
    fn here(&self) -> String {
        self.path().canonicalize().unwrap().to_str().unwrap().to_owned()
    }

    /// Runs the command on fresh files.
    pub(crate) fn run(&self, fault: Option<&str>) -> Traced {
        set(self.path(), &self.before);
        strace::solio(self.path(), self.args, self.named_temporaries, fault)
    }

    /// Runs the command with a fault at `call`.
    pub(crate) fn fault_at(&self, call: &Call, fault: &str) -> Traced {
        self.run(Some(&format!("{}:{fault}:when={}", call.name, call.nth)))
    }

    /// Whether an output is as it was, and whether it is new; one of them, or it is torn.
    pub(crate) fn old_and_new(&self, name: &str, now: &Files) -> (bool, bool) {
        let is_old = now.get(name) == self.before.get(name);
        let is_new = now.get(name).is_some_and(|now| is_complete(name, now, &self.after[name]));
        (is_old, is_new)
    }

    /// The outputs that are not new; panics where one is neither old nor new.
    pub(crate) fn old_outputs(&self, now: &Files, what: &str) -> Vec<&str> {
        self.outputs()
            .filter(|name| {
                let (is_old, is_new) = self.old_and_new(name, now);
                assert!(is_old || is_new, "{what}: {name} is torn");
                !is_new
            })
            .collect()
    }

    fn outputs(&self) -> impl Iterator<Item = &str> {
        let changed = |name: &&String| self.before.get(*name) != self.after.get(*name);
        self.after.keys().filter(changed).map(String::as_str)
    }

    /// Panics where a file stands that belongs neither to the old state nor to the new one.
    pub(crate) fn nothing_else(&self, now: &Files, what: &str, temporaries: bool) {
        for name in now.keys() {
            let known = self.before.contains_key(name) || self.after.contains_key(name);
            assert!(known || temporaries && is_temporary(name), "{what}: leaves {name}");
        }
        for (name, bytes) in &inputs_of(self) {
            assert!(now.get(name) == Some(bytes), "{what}: changes {name}");
        }
    }
}

/// Files that the command only reads.
fn inputs_of(stage: &Stage) -> Files {
    let same = stage.before.iter().filter(|(name, bytes)| stage.after.get(*name) == Some(bytes));
    same.map(|(name, bytes)| (name.clone(), bytes.clone())).collect()
}

/// Fails every call of the case that writes, once with each error.
fn fail_each(case: &Case, old: bool, named_temporaries: bool) -> usize {
    let stage = Stage::new(case, old, named_temporaries);
    assert!(!stage.calls.is_empty(), "{:?} writes nothing", case.args);
    let here = stage.here();
    let mut faults = 0;
    for call in stage.calls.iter().filter(|c| !c.name.starts_with("unlink")) {
        for error in ["ENOSPC", "EIO"] {
            let ran = stage.fault_at(call, &format!("error={error}"));
            let hit: Vec<&Call> =
                ran.calls.iter().filter(|c| c.was_hit() && c.writes(&here)).collect();
            faults += hit.len();
            let what = format!("{:?}, {error} at {hit:?}, {}", case.args, ran.err);
            let fatal = hit.iter().any(|c| !case.may_bear(&c.name));
            judge(&stage, case, &ran, fatal, &what);
            let bytes = hit.iter().any(|c| c.name == "pwrite64" || c.is_sync_of_file(&here));
            if case.together && bytes {
                assert!(files(stage.path()) == stage.before, "{what}: half of the files are new");
            }
        }
        if call.name.contains("write") {
            let ran = stage.fault_at(call, "error=EINTR");
            assert_eq!(ran.code, 0, "{:?}, interrupted at {call:?}: {}", case.args, ran.err);
            let now = files(stage.path());
            assert!(stage.old_outputs(&now, "interrupted").is_empty());
        }
    }
    // One call further there is nothing left to fail.
    let last = Call { nth: 60_000, ..stage.calls.iter().next().unwrap().clone() };
    let ran = stage.fault_at(&last, "error=EIO");
    judge(&stage, case, &ran, false, "untouched");
    assert_eq!(ran.code, 0);
    faults
}

fn judge(stage: &Stage, case: &Case, ran: &Traced, fatal: bool, what: &str) {
    let now = files(stage.path());
    let old = stage.old_outputs(&now, what);
    stage.nothing_else(&now, what, false);
    if ran.code == 0 {
        assert!(!fatal, "{what}: it says that all is well");
        assert!(old.is_empty() || case.bears.contains(&"outputs"), "{what}: lacks {old:?}");
        // The folder is named where it could not be made.
        let says = |name: &str| {
            let folder = name.rsplit_once('/').map(|(folder, _)| folder);
            [Some(name), folder].into_iter().flatten().any(|word| ran.err.contains(word))
        };
        assert!(old.iter().all(|name| says(name)), "{what}: does not say so");
        return;
    }
    assert_eq!(ran.code, 1, "{what}");
    let named = stage.outputs().any(|name| ran.err.contains(name));
    let about = !case.about.is_empty() && ran.err.contains(case.about);
    // Then all files are in place, and it is the folder that failed.
    let folder = old.is_empty() && ran.err.contains("cannot sync the folder");
    let printing = ran.err.contains("standard output");
    assert!(named || about || folder || printing, "{what}: names no file");
    assert!(ran.err.contains("os error "), "{what}: does not say why");
}

fn each_way(cases: &[Case]) {
    if !strace::is_here() {
        return;
    }
    for case in cases {
        for (old, named_temporaries) in [(true, false), (false, false), (true, true)] {
            assert!(fail_each(case, old, named_temporaries) > 0);
        }
    }
}

#[test]
fn conversions() {
    each_way(&[
        Case::new(&["convert", "-j1", "in.obj", "-o", "out.obj"]).together(),
        Case::new(&["convert", "-j1", "--durable", "in.obj", "-o", "out.obj"]).together(),
        Case::new(&["convert", "-j1", "--durable", "in.obj", "-o", "out.ply"]),
        Case::new(&["convert", "-j1", "in.obj", "-o", "out.stl"]),
    ]);
}

#[test]
fn compressed_conversions() {
    each_way(&[
        Case::new(&["convert", "-j1", "in.obj", "-o", "out.obj.gz"]),
        Case::new(&["convert", "-j2", "--durable", "in.obj", "-o", "out.ply.zst"]),
        Case { quads: 20_000, ..Case::new(&["convert", "-j2", "in.obj", "-o", "out.ply"]) },
    ]);
}

#[test]
fn images() {
    each_way(&[
        Case::new(&["convert", "-j1", "-z", "zip", "in.exr", "-o", "out.exr"]),
        Case::new(&["convert", "-j2", "--durable", "-z", "none", "in.exr", "-o", "out.exr"]),
        Case::new(&["set", "owner=somebody", "in.exr", "-o", "out.exr"]),
        Case::new(&["set", "owner=somebody", "in.exr"]),
    ]);
}

#[test]
fn conversions_to_several_files() {
    each_way(&[
        Case::new(&["convert", "-j1", "in.obj", "-o", "out/", "--format", "ply"]).about("out"),
        Case::new(&["convert", "-j1", "--use-batch", "in.obj", "-o", "out.stl"]),
        // A texture that cannot be copied is a warning.
        Case::new(&["convert", "-j1", "--path-mode", "copy", "in.obj", "-o", "out.obj"])
            .bears(&["outputs", "pwrite64", "linkat", "rename"]),
    ]);
}

#[test]
fn pictures() {
    each_way(&[
        Case::new(&["convert", "-j2", "--durable", "in.exr", "-o", "out.png"]),
        Case::new(&["preview", "-j1", "in.exr", "-o", "out.png"]),
    ]);
}

#[test]
fn recordings() {
    each_way(&[
        Case::new(&["convert", "-j1", "in.obj", "-o", "out.ply", "--report", "r.html"]),
        Case::new(&["cat", "-j1", "--null", "in.obj", "--trace", "t.json", "--report", "r.html"]),
    ]);
}

#[test]
fn pages_and_measurements() {
    each_way(&[
        Case::new(&[
            "study",
            "--how",
            "bucket",
            "--bandwidths",
            "1G",
            "-o",
            "page.html",
            "--",
            "true",
        ]),
        Case::new(&["man", "pages"]).about("pages"),
        // Peaks that cannot be kept are shown, and a warning.
        Case::new(&["light", "-j1", "--size", "4M", "--rounds", "1", "textures"])
            .about("textures")
            .bears(&["outputs", "mkdir", "pwrite64", "linkat", "rename"]),
    ]);
}

#[test]
fn what_is_printed() {
    each_way(&[
        Case::new(&["cat", "in.mtl", "textures/red.png"]),
        Case::new(&["info", "in.obj"]),
        Case::new(&["convert", "--json", "in.obj", "-o", "out.ply"]),
        Case::new(&["convert", "in.obj", "-o", "-", "--format", "ply"]).about("-: "),
        Case::new(&["completions", "bash"]),
    ]);
}

#[test]
#[ignore = "slow: hundreds of demos"]
fn the_demo() {
    if strace::is_here() {
        let demo = &["demo", "-j1", "--detail", "4", "--keep", "demo"];
        let faults = fail_each(&Case::new(demo).about("demo"), false, false);
        assert!(faults > 100);
    }
}
