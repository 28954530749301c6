//! Source files: who may open files, read clocks, print, be unsafe; size, marks, line ends.

use solio_tidy::{File, files, report};
use std::collections::BTreeMap;

/// Breaches of "only `crates` say any of `words`" in product code.
fn only(crates: &[&str], words: &[&str]) -> Vec<String> {
    let mut breaches = Vec::new();
    for file in files().iter().filter(|f| f.is_product_rust()) {
        if file.crate_name().is_some_and(|name| crates.contains(&name)) {
            continue;
        }
        for (n, line) in file.code_lines() {
            for word in words.iter().filter(|word| contains_word(line, word)) {
                breaches.push(format!("{}:{n}: {word}", file.path));
            }
        }
    }
    breaches
}

/// Whether `word` stands in `line` without a letter, digit or `_` around it.
fn contains_word(line: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word)
        .any(|(at, _)| !line[..at].ends_with(part) && !line[at + word.len()..].starts_with(part))
}

#[test]
fn only_solio_io_opens_files() {
    let words = ["File::open", "File::create", "fs::read", "fs::write", "OpenOptions"];
    let mut breaches = only(&["solio-io"], &words);
    // The kernel's figures about this process are a clock of sorts.
    breaches.retain(|b| !b.starts_with("crates/solio-measure/src/sys/"));
    report("only solio-io opens files:", &breaches);
}

#[test]
fn a_type_name_stands_for_few_types() {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in files().iter().filter(|f| f.is_product_rust()) {
        for (n, line) in file.code_lines() {
            if let Some(name) = declared(line) {
                places.entry(name.to_owned()).or_default().push(format!("{}:{n}", file.path));
            }
        }
    }
    places.retain(|_, places| places.len() > 4);
    let breaches: Vec<String> =
        places.iter().map(|(name, places)| format!("{name}: {}", places.join(", "))).collect();
    report("a name stands for four types at most:", &breaches);
}

/// The type that a line at the margin declares.
fn declared(line: &str) -> Option<&str> {
    let public = line.strip_prefix("pub").map(|rest| {
        rest.strip_prefix('(').and_then(|rest| rest.split_once(')')).map_or(rest, |(_, rest)| rest)
    });
    let (word, rest) = public.unwrap_or(line).trim_start().split_once(' ')?;
    let is_type = ["struct", "enum", "trait", "union", "type"].contains(&word);
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    (is_type && !line.starts_with(' ')).then(|| &rest[..end])
}

#[test]
fn declarations_are_found() {
    assert_eq!(declared("pub(crate) struct Slot<T> {"), Some("Slot"));
    assert_eq!(declared("enum Kind {"), Some("Kind"));
    assert_eq!((declared("    struct Inner;"), declared("fn f() {}")), (None, None));
}

#[test]
fn only_the_sys_rooms_ask_which_system_this_is() {
    let words = ["target_os", "cfg(unix)", "cfg(windows)", "cfg!(unix)", "cfg!(windows)"];
    let own = ["std::os::unix", "std::os::windows", "std::os::fd", "windows_sys::", "rustix::"];
    let mut breaches = only(&[], &[&words[..], &own].concat());
    breaches.retain(|b| !b.contains("/src/sys/"));
    report("which system this is, is asked outside of `sys`:", &breaches);
}

#[test]
fn only_solio_measure_reads_clocks() {
    let words = ["Instant::now", "SystemTime::now", "clock_gettime", "getrusage"];
    report("only solio-measure reads clocks:", &only(&["solio-measure"], &words));
}

#[test]
fn only_the_faces_print() {
    let faces = ["solio-bench", "solio-cli", "solio-python"];
    let mut breaches = only(&faces, &["println!", "eprintln!", "print!", "eprint!"]);
    // A file named `-` is standard output.
    breaches.extend(only(&[&faces[..], &["solio-io"]].concat(), &["io::stdout", "io::stderr"]));
    report("only the faces print:", &breaches);
}

#[test]
fn unsafe_stays_in_its_rooms() {
    let rooms = ["solio-base", "solio-c", "solio-io", "solio-codec", "solio-python"];
    let mut breaches = only(&rooms, &["unsafe"]);
    // The laboratory talks to libraries in C in one place.
    let glue = "crates/solio-lab/src/codec/native.rs";
    // The figures of Windows come by calls.
    let calls = "crates/solio-measure/src/sys/windows.rs";
    let heads = ["src/lib.rs", "src/main.rs", glue, calls];
    let may = |b: &String| heads.iter().any(|end| b.contains(end));
    breaches.retain(|b| !may(b));
    for file in files() {
        let head = file.path.ends_with("src/lib.rs") || file.path.ends_with("src/main.rs");
        let Some(name) = file.crate_name().filter(|_| head) else { continue };
        let lint = match name {
            "solio-lab" | "solio-measure" => "#![deny(unsafe_code)]",
            _ => "#![forbid(unsafe_code)]",
        };
        if !rooms.contains(&name) && !file.text.contains(lint) {
            breaches.push(format!("{}:1: lacks {lint}", file.path));
        }
    }
    report("unsafe code outside its rooms:", &breaches);
}

#[test]
fn every_file_has_one_job() {
    // A longer file is one algorithm or one table, and its head says why it is long.
    let mut breaches = Vec::new();
    for file in files() {
        let code = [".rs", ".py", ".pyi", ".sh"].iter().any(|e| file.path.ends_with(e));
        let lines = file.text.lines().count();
        let head = file.text.lines().take(30).any(|line| line.contains("This file is long"));
        if code && lines > 1000 && !head {
            breaches.push(format!("{}:1: {lines} lines", file.path));
        }
    }
    report(
        "files past 1,000 lines that do not say \"This file is long …\" at their head:",
        &breaches,
    );
}

#[test]
fn nothing_is_left_for_later() {
    let marks = ["TODO", "FIXME", "XXX", "todo!", "unimplemented!", "dbg!"];
    let mut breaches = Vec::new();
    for file in files().iter().filter(|f| is_code(f)) {
        for (n, line) in file.lines() {
            for mark in marks.iter().filter(|mark| contains_word(line, mark)) {
                breaches.push(format!("{}:{n}: {mark}", file.path));
            }
            // Slow tests may be left to `make test-slow`; nothing else is switched off.
            let ignored = line.trim_start().starts_with("#[ignore");
            if ignored && !line.contains("#[ignore = \"slow: ") {
                breaches.push(format!("{}:{n}: say #[ignore = \"slow: why\"]", file.path));
            }
        }
    }
    report("left for later:", &breaches);
}

#[test]
fn nothing_names_a_machine() {
    let words =
        ["/work/", "/root/", "/home/", "/tmp/w/", "/Users/", "\u{43}laude", "\u{41}nthropic"];
    let mut breaches = Vec::new();
    for file in files().iter().filter(|f| !f.path.starts_with("crates/solio-tidy/")) {
        for (n, line) in file.lines() {
            for word in words.iter().filter(|word| line.contains(*word)) {
                breaches.push(format!("{}:{n}: {word}", file.path));
            }
        }
    }
    report("paths and names that mean something on one machine only:", &breaches);
}

#[test]
fn text_files_end_with_one_newline() {
    let mut breaches = Vec::new();
    for file in files().iter().filter(|f| is_code(f) || is_prose(f)) {
        if !file.text.is_empty() && (!file.text.ends_with('\n') || file.text.ends_with("\n\n")) {
            breaches.push(format!("{}: does not end with one newline", file.path));
        }
        for (n, line) in file.lines() {
            if line.ends_with([' ', '\t', '\r']) {
                breaches.push(format!("{}:{n}: white space at the end", file.path));
            }
        }
    }
    report("white space:", &breaches);
}

fn is_code(file: &File) -> bool {
    let ends = [".rs", ".py", ".pyi", ".toml", ".sh", "Makefile", ".ci/run", ".ci/step"];
    ends.iter().any(|end| file.path.ends_with(end)) && !file.path.starts_with("crates/solio-tidy/")
}

fn is_prose(file: &File) -> bool {
    file.path.ends_with(".md") || file.path.starts_with("LICENSE")
}
