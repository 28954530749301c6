//! The benchmarks as people meet them: what they measure without any peer, and what they skip.

#![allow(clippy::disallowed_methods)] // tests read and write their own files

use std::path::Path;
use std::process::Command;

/// Runs `solio-bench ARGS` in `dir`: the exit code, standard output and standard error.
fn bench(dir: &Path, args: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_solio-bench"));
    command.args(args).current_dir(dir).env("XDG_CACHE_HOME", "/no-cache");
    let output = command.env_remove("CLICOLOR_FORCE").output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn images_are_measured_without_any_peer() {
    let dir = tempfile::tempdir().unwrap();
    let args = ["exr", "--quick", "--methods", "none", "--python", "nothing", "--json"];
    let (code, out, err) = bench(dir.path(), &args);
    assert_eq!(code, 0, "{err}");
    assert!(err.contains("OpenEXR (Python): skipped"), "{err}");
    assert_eq!(out.lines().count(), 5, "row by row; memory and file, write and read");
    for line in out.lines() {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(line["raw_bytes"], 4 << 20);
        assert!(line["ratio_cpu"][0].as_f64().unwrap() > 0.0, "{line}");
    }
}

#[test]
fn what_has_nothing_to_measure_is_skipped_and_told() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("empty")).unwrap();
    let (code, out, err) = bench(dir.path(), &["photo", "empty", "--json"]);
    assert_eq!((code, out.as_str()), (3, ""), "{err}");
    assert!(err.contains("name some"), "{err}");
    // The folder that is named is read, not the one of the environment.
    let args = ["all", "--only", "photo", "--photos", "empty", "-o", "page.html"];
    let (code, _, err) = bench(dir.path(), &args);
    assert_eq!(code, 3, "{err}");
    assert!(err.contains("photo: not measured: there are no inputs for it here"), "{err}");
    let page = std::fs::read_to_string(dir.path().join("page.html")).unwrap();
    assert!(page.contains("there are no inputs for it here"));
}

#[test]
fn help_and_wrong_words_name_this_program() {
    let dir = tempfile::tempdir().unwrap();
    let (code, out, _) = bench(dir.path(), &["help", "mesh"]);
    assert!(code == 0 && out.contains("Usage: solio-bench mesh"), "{out}");
    let (code, _, err) = bench(dir.path(), &["mesh", "--quik"]);
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("solio-bench help mesh lists all options"), "{err}");
}
