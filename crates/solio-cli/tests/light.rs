//! `solio light` and what other commands make of the peaks that it keeps.

#![allow(clippy::disallowed_methods)] // tests read and write their own files
use serde_json::Value;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

const TRIANGLE: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

/// A folder with `work/tri.obj`, beside which `cache` may come to be.
fn folder() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("work")).unwrap();
    std::fs::write(dir.path().join("work/tri.obj"), TRIANGLE).unwrap();
    dir
}

/// Exit code, standard output, standard error.
fn solio(dir: &Path, args: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_solio"))
        .args(args)
        .current_dir(dir.join("work"))
        .env("XDG_CACHE_HOME", dir.join("cache"))
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}: {text}"))
}

const MEASURE: [&str; 7] = ["light", "--json", "--size", "4M", "--rounds", "1", "-j2"];

#[test]
fn light_measures_every_peak_and_keeps_it() {
    let dir = folder();
    let dir = dir.path();
    let (code, out, err) = solio(dir, &MEASURE);
    assert_eq!(code, 0, "{err}");
    let line = json(&out);
    let peaks = line["peaks"].as_array().unwrap();
    for name in ["write, page cache", "read, warm", "read, cold", "copy memory", "compress zstd"] {
        let mut peaks = peaks.iter().filter(|peak| peak["name"] == name).peekable();
        assert!(peaks.peek().is_some(), "{name}");
        // A figure, or the reason why there is none.
        assert!(
            peaks.all(|p| p["mb_s"].as_f64().is_some_and(|r| r > 0.0) || p["why_not"].is_string()),
            "{name}: {out}"
        );
    }
    assert!(peaks.len() >= 12);
    let left: Vec<_> = std::fs::read_dir(dir.join("work")).unwrap().collect();
    assert_eq!(left.len(), 1, "the scratch file is gone");
    let kept = solio::names::slashed(dir.join("cache/solio/light.json"));
    assert_eq!(line["kept"], kept.to_str().unwrap());

    // Kept to the byte a second.
    let (code, out, _) = solio(dir, &["light", "--last", "--json", "no-such-folder/file"]);
    let last = json(&out);
    assert_eq!((code, &last["scratch_bytes"]), (0, &line["scratch_bytes"]));
    for (kept, peak) in last["peaks"].as_array().unwrap().iter().zip(peaks) {
        assert_eq!((&kept["name"], &kept["threads"]), (&peak["name"], &peak["threads"]));
        let rate = |p: &Value| p["mb_s"].as_f64().unwrap_or(-1.0);
        assert!((rate(kept) - rate(peak)).abs() < 1e-5, "{kept} {peak}");
    }
    let (_, table, _) = solio(dir, &["light", "--last"]);
    assert!(table.contains("measured just now in ") && table.contains("copy memory"), "{table}");

    // Measured again, it takes the place of what was kept.
    assert_eq!(solio(dir, &MEASURE).0, 0);
    let kept = json(&std::fs::read_to_string(dir.join("cache/solio/light.json")).unwrap());
    assert_eq!(kept["kept"].as_array().unwrap().len(), 1);
    assert_eq!(solio(dir, &["light", "none"]).0, 2);
    for useless in [["--size", "4M"], ["--rounds", "2"]] {
        assert_eq!(solio(dir, &[&["light", "--last"][..], &useless].concat()).0, 2);
    }
}

#[test]
fn runs_are_judged_by_the_kept_peaks() {
    let dir = folder();
    let dir = dir.path();
    let record = ["--stats", "--json", "--trace", "run.json", "--report", "run.html"];
    let convert = [&["convert", "tri.obj", "-o", "tri.ply"][..], &record].concat();
    let info = [&["info", "tri.obj"][..], &record].concat();
    let read = [&["read", "--null", "tri.obj"][..], &record].concat();
    let summary = || {
        let trace = std::fs::read_to_string(dir.join("work/run.json")).unwrap();
        json(&trace)["otherData"].clone()
    };
    let advice = "how close to the machine's limit: run `solio light . ";
    for command in [&convert, &read] {
        let (code, out, err) = solio(dir, command);
        assert_eq!(code, 0, "{err}");
        assert!(err.contains(advice.trim_end()), "{err}");
        assert!(json(&out)["achieved"].is_null() && json(&out)["bound_s"].is_null(), "{out}");
        assert!(summary()["light"].is_null() && summary()["bound"].is_null());
        assert!(summary()["advice"].as_str().unwrap().contains("solio light ."));
    }
    let (code, _, err) = solio(dir, &info);
    assert!(code == 0 && err.contains("1 file, ") && err.contains(advice.trim_end()), "{err}");
    let (code, _, err) = solio(dir, &["light", "--last"]);
    assert!(code == 3 && err.contains("no peaks are kept"), "{err}");

    assert_eq!(solio(dir, &MEASURE).0, 0);
    let kept = json(&solio(dir, &["light", "--last", "--json"]).1);
    let best = |name: &str| {
        let named = kept["peaks"].as_array().unwrap().iter().filter(|peak| peak["name"] == name);
        named.filter_map(|peak| peak["mb_s"].as_f64()).fold(0.0, f64::max)
    };
    for command in [&convert, &read] {
        let (code, out, err) = solio(dir, command);
        assert_eq!(code, 0, "{err}");
        assert!(err.contains(" % of the machine's limit: "), "{err}");
        let line = json(&out);
        let least = |name: &str| line["bound_s"][name].as_f64().unwrap();
        // The bound is that of the bytes: what was computed is another share.
        let bound = ["read", "disk", "write", "memory"].map(least);
        let bound = bound.into_iter().fold(0.0, f64::max);
        assert!(line["achieved"].as_f64().unwrap() > 0.0 && bound > 0.0, "{line}");
        assert_eq!(least(line["binding"].as_str().unwrap()), bound, "{line}");
        assert!(line["cores"].as_f64().unwrap() > 0.0 && line["wrong_peaks"].is_array(), "{line}");
        assert!(err.contains(" % of ") && err.contains(" core"), "{err}");
        // Reading a number from JSON may miss its last bit.
        let read_s = TRIANGLE.len() as f64 / (best("read, warm") * 1e6);
        assert!((least("read") / read_s - 1.0).abs() < 1e-12, "{line}");
        let summary = summary();
        assert_eq!(summary["light"]["read_mb_s"], best("read, warm"));
        assert_eq!(summary["bound"]["binding"], line["binding"]);
        for share in ["achieved", "cores", "wrong_peaks"] {
            assert_eq!(summary["bound"][share], line[share]);
        }
        assert!(summary["advice"].is_null());
    }
    let (code, _, err) = solio(dir, &info);
    assert!(code == 0 && err.contains(" % of the machine's limit: "), "{err}");
    assert_eq!(summary()["read_bytes"], TRIANGLE.len());
    assert!(summary()["bound"]["achieved"].as_f64() > Some(0.0));
}

#[test]
fn a_damaged_file_is_passed_over_and_replaced() {
    let dir = folder();
    let dir = dir.path();
    let file = dir.join("cache/solio/light.json");
    assert_eq!(solio(dir, &MEASURE).0, 0);
    let good = std::fs::read_to_string(&file).unwrap();
    let wrong_figure = good.replacen("\"bytes_s\":", "\"bytes_s\":1", 1);
    let bomb = vec![b' '; 3 << 20];
    for bad in
        [&good.as_bytes()[..good.len() / 2], wrong_figure.as_bytes(), b"{}", b"\0\xff", &bomb]
    {
        std::fs::write(&file, bad).unwrap();
        let (code, _, err) = solio(dir, &["convert", "tri.obj", "-o", "tri.ply", "--stats"]);
        assert_eq!(code, 0, "{err}");
        assert!(
            err.contains("the kept peaks are passed over: ") && err.contains("run `solio light")
        );
        // Without a need for them nobody looks.
        assert_eq!(solio(dir, &["convert", "tri.obj", "-o", "tri.ply"]).2, "");
    }
    std::fs::remove_file(&file).unwrap();
    std::fs::create_dir(&file).unwrap();
    let (code, _, err) = solio(dir, &["read", "--null", "--stats", "tri.obj"]);
    assert!(code == 0 && err.contains("not a regular file"), "{err}");
    // What cannot be kept is measured and printed all the same.
    let (code, out, err) = solio(dir, &MEASURE);
    assert!(code == 0 && err.contains("could not be kept"), "{err}");
    assert!(json(&out)["kept"].is_null() && json(&out)["peaks"].is_array());
    std::fs::remove_dir(&file).unwrap();
    std::fs::write(&file, "{}").unwrap();
    assert_eq!(solio(dir, &MEASURE).0, 0);
    assert_eq!(solio(dir, &["light", "--last"]).0, 0);
}
