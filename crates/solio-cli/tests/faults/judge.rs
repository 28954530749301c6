//! What holds of every command, whatever the system refused it: the exit code is honest, each output
//! is the old file or the new one, nothing else stands there, and it ends without a panic.

use crate::commands::{Files, Place, SAME, SAME_FILES, files, words, words_on};
use crate::folder::{is_complete, is_temporary};
use std::collections::BTreeMap;

/// One command line, and what it leaves when nothing goes wrong.
pub(crate) struct Stage {
    pub(crate) line: &'static str,
    pub(crate) place: Place,
    /// Inputs, and old files where it writes.
    before: Files,
    /// Outputs by name: those that are removed have no bytes.
    after: BTreeMap<String, Option<Vec<u8>>>,
    printed: Vec<u8>,
}

/// How a run ended.
pub(crate) struct Ended {
    /// The exit code; 128 and the signal's number where that ended it.
    pub(crate) code: i32,
    pub(crate) out: Vec<u8>,
    pub(crate) err: String,
    /// Whether a file could not be removed.
    pub(crate) stuck: bool,
}

impl Stage {
    pub(crate) fn new(line: &'static str) -> Stage {
        let place = Place::new();
        let run = || {
            let output = place.run(&words_on(line, 1), &[]);
            let why = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{line}: {why}");
            let mut after = place.changed(&place.inputs);
            after.retain(|name, _| !name.starts_with("cache/"));
            (output.stdout, after)
        };
        let (printed, after) = run();
        // Old files to lose: at every second line, and not where another scan would go on from them.
        let mut before = place.inputs.clone();
        if line.len().is_multiple_of(2) && !line.starts_with("scan") {
            // An old buffer that the old document does not name is kept, and the new one is numbered.
            for name in after.keys().filter(|name| !name.ends_with(".bin")) {
                before.entry(name.clone()).or_insert_with(|| format!("old {name}\n").into_bytes());
            }
        }
        Stage { line, place, before, after, printed }
    }

    /// The words of the line.
    pub(crate) fn words(&self) -> Vec<String> {
        words_on(self.line, 1)
    }

    /// Makes all files be as before.
    pub(crate) fn reset(&self) {
        self.place.restore(&self.before);
    }

    /// Panics where `ended` breaks the promise; `what` says what was refused.
    pub(crate) fn judge(&self, ended: &Ended, what: &str) {
        let what = format!("{}: {what}: exit code {}, {}", self.line, ended.code, ended.err);
        // Dependencies that are written in C have callers that panic where they get no memory; the
        // reader of Parquet makes an error of it, and where unwinding gets no memory the process aborts.
        // So does the standard library where a thread that has just begun gets none.
        let others = ["/registry/src/", "failed to allocate an alternative stack"];
        let is_others = others.iter().any(|words| ended.err.contains(words));
        let of_others = [1, 101, 134].contains(&ended.code) && is_others;
        assert!(!ended.err.contains("panicked") || of_others, "{what}");
        let now = files(self.place.path());
        let mut lacking = Vec::new();
        for (name, new) in &self.after {
            let there = Self::find(&now, name);
            let is_old = there == self.before.get(name);
            let is_new = match (there, new) {
                (Some(there), Some(new)) => self.is_whole(name, there, new),
                (there, new) => there.is_none() && new.is_none(),
            };
            // Some go on past a file that cannot be read, name it, and exit with 1.
            let without = ended.code == 1
                && GOES_ON.iter().any(|command| self.line.starts_with(command))
                && there.is_some_and(|there| has_its_end(name, there));
            // The demo makes each of its files several times over.
            let between = there.is_none() && self.line.starts_with("demo");
            // A catalogue keeps what it has; what that is good for is asked below.
            assert!(
                is_old || is_new || without || between || is_live(name),
                "{what}: {name} is torn"
            );
            if !is_new {
                lacking.push(name);
            }
        }
        for name in now.keys().filter(|name| !name.starts_with("cache/")) {
            let known = self.before.contains_key(name) || self.after.keys().any(|n| alike(n, name));
            // A kill, and that is what an abort is, leaves what the next run removes.
            let known = known || ended.code == 134 && name.contains("/.ascmhl.solio-first.tmp/");
            // An old file that could not be removed once the new one stood in its place, or what the
            // demo compares with.
            let old = ended.stuck && (is_temporary(name) || name.ends_with("/plain"));
            assert!(known || old || is_live(name), "{what}: leaves {name}");
        }
        for (name, bytes) in self.before.iter().filter(|(name, _)| !self.after.contains_key(*name))
        {
            assert!(now.get(name) == Some(bytes), "{what}: changes {name}");
        }
        if ended.code == 0 {
            assert!(lacking.is_empty(), "{what}: says that all is well and lacks {lacking:?}");
            if SAME.contains(&self.line) {
                let (out, printed) = (lossy(&ended.out), lossy(&self.printed));
                assert!(out == printed, "{what}: says that all is well and prints something else");
            }
        } else if !ended.stuck {
            self.goes_on(&what);
        }
    }

    /// Run once more, with nothing in its way, it leaves what it should have left.
    fn goes_on(&self, what: &str) {
        if self.line.starts_with("set owner=me a.0001.exr") && !self.line.contains("-o") {
            return; // it changes its own input
        }
        let output = self.place.run(&self.words(), &[]);
        let why = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{what}: does not go on: {why}");
        let now = files(self.place.path());
        for (name, new) in self.after.iter().filter(|(name, _)| !is_live(name)) {
            let (Some(there), Some(new)) = (Self::find(&now, name), new) else {
                panic!("{what}: goes on without {name}");
            };
            assert!(self.is_whole(name, there, new), "{what}: goes on to another {name}");
        }
        let ask = |file: &str| {
            let ask = words(&format!("query {file} 'SELECT path, size, kind FROM files' --csv"));
            let text = String::from_utf8(self.place.run(&ask, &[]).stdout).unwrap();
            // Paths are absolute, and the inputs were made elsewhere.
            let names = text.lines().map(|line| line.split("/tree/").last().unwrap_or_default());
            names.map(str::to_owned).collect::<std::collections::BTreeSet<_>>()
        };
        if self.after.keys().any(|name| is_live(name)) {
            assert_eq!(ask("out.sqlite"), ask("in.sqlite"), "{what}: goes on to something else");
        }
    }

    /// The file that stands for `name`.
    fn find<'a>(now: &'a Files, name: &str) -> Option<&'a Vec<u8>> {
        now.get(name).or_else(|| now.iter().find(|(other, _)| alike(other, name)).map(|(_, b)| b))
    }

    fn is_whole(&self, name: &str, there: &[u8], new: &[u8]) -> bool {
        if SAME.contains(&self.line) || SAME_FILES.contains(&self.line) {
            return there == new;
        }
        match name.rsplit_once('.').map(|(_, end)| end) {
            Some("mhl") => there.ends_with(b"</hashlist>\n") || there.ends_with(b"</hashlist>"),
            Some("xml") => there.ends_with(b">\n") || there.ends_with(b">"),
            _ => is_live(name) || is_complete(name, there, new),
        }
    }
}

/// Commands of many inputs.
const GOES_ON: [&str; 8] = ["scan", "sheet", "pack", "check", "lab", "hash", "convert", "merge"];

/// Whether a file ends as one of its kind does.
fn has_its_end(name: &str, bytes: &[u8]) -> bool {
    let end: &[u8] = match name.rsplit_once('.').map_or("", |(_, end)| end) {
        "html" => b"</html>\n",
        "png" => b"IEND\xae\x42\x60\x82",
        "parquet" => b"PAR1",
        "mhl" | "xml" => b">",
        // Its table stands at the end and is found from there.
        "solio" => return bytes.starts_with(b"\x89array\r\n"),
        _ => return false,
    };
    bytes.trim_ascii_end().ends_with(end.trim_ascii_end())
}

/// Whether this is a catalogue that is written as the scan goes, or a file beside it.
fn is_live(name: &str) -> bool {
    name.starts_with("out.sqlite") || name.starts_with("out.parquet.scan")
}

/// Names that differ in digits alone, as histories are named by the time.
fn alike(a: &str, b: &str) -> bool {
    let plain = |name: &str| -> String {
        name.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect()
    };
    a == b || a.ends_with(".mhl") && plain(a) == plain(b)
}

/// Numbers that look random, the same for the same seed.
pub(crate) struct Lot(pub(crate) u64);

impl Lot {
    pub(crate) fn below(&mut self, most: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most.max(1)
    }
}

/// Text as a trace of it has it.
fn lossy(bytes: &[u8]) -> String {
    // What came through `from_utf8_lossy` already does not change by it again.
    String::from_utf8_lossy(bytes).into_owned()
}
