//! The command as people and scripts meet it: what it prints where, what it leaves on the disk,
//! and how it exits.

#![allow(clippy::disallowed_methods)] // tests read and write their own files

mod ran;

use ran::{has, names, run as solio};
use std::process::{Command, Stdio};
use tempfile::TempDir;

const TRIANGLE: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
const BROKEN: &str = "v 0 0 0\nv 1 0 x\nf 1 2 2\n";

/// A folder with `tri.obj` and `bad.obj`.
fn folder() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("tri.obj"), TRIANGLE).unwrap();
    std::fs::write(dir.path().join("bad.obj"), BROKEN).unwrap();
    dir
}

/// A header of one channel, as the reference writes it.
fn exr_header() -> Vec<u8> {
    let mut bytes = b"\x76\x2f\x31\x01\x02\0\0\0".to_vec();
    let mut attribute = |name: &str, kind: &str, value: &[u8]| {
        bytes.extend_from_slice(format!("{name}\0{kind}\0").as_bytes());
        bytes.extend_from_slice(&(value.len() as u32).to_le_bytes());
        bytes.extend_from_slice(value);
    };
    let window = [0, 0, 6, 4].map(i32::to_le_bytes).concat();
    let channel = [&b"R\0"[..], &[1, 0, 0, 0], &[0; 4], &[1, 0, 0, 0, 1, 0, 0, 0], &[0]].concat();
    attribute("channels", "chlist", &channel);
    attribute("compression", "compression", &[3]);
    attribute("dataWindow", "box2i", &window);
    attribute("displayWindow", "box2i", &window);
    attribute("owner", "string", b"\xa9 me");
    bytes.push(0);
    bytes
}

#[test]
fn info_shows_the_header_of_an_image() {
    let dir = folder();
    std::fs::write(dir.path().join("a.exr"), exr_header()).unwrap();
    let ran = solio(dir.path(), &["info", "a.exr"], b"");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let expected = "a.exr\n  channels (chlist):\n      R, 16-bit floating-point, sampling 1 1\n  \
                    compression (compression): zip\n  dataWindow (box2i): (0 0) - (6 4)\n  \
                    displayWindow (box2i): (0 0) - (6 4)\n  owner (string): \"© me\"\n";
    assert_eq!(ran.text(), expected);
    let ran = solio(dir.path(), &["info", "--json", "a.exr", "tri.obj"], b"");
    let json = ran.json();
    assert_eq!(json.len(), 2);
    assert_eq!(json[0]["parts"][0]["channels"][0]["type"], "float16");
    assert_eq!(
        json[0]["parts"][0]["attributes"]["dataWindow"],
        serde_json::json!([[0, 0], [6, 4]])
    );
    std::fs::write(dir.path().join("b.exr"), &exr_header()[..50]).unwrap();
    let ran = solio(dir.path(), &["info", "b.exr"], b"");
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("b.exr: byte 50: the data ends"), "{}", ran.err);
}

#[test]
fn without_arguments_it_teaches() {
    let dir = folder();
    let ran = solio(dir.path(), &[], b"");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    assert!(ran.text().contains("solio convert model.obj -o model.ply"));
    assert!(ran.text().lines().all(|line| line.chars().count() <= 80), "{}", ran.text());
}

#[test]
fn usage_errors_exit_with_2() {
    let dir = folder();
    for args in [
        &["frobnicate"][..],
        &["convert", "tri.obj"],
        &["convert", "tri.obj", "-o", "a.ply", "--digits", "18"],
        &["convert", "tri.obj", "-o", "a.ply", "--mem", "much"],
        &["info"],
    ] {
        let ran = solio(dir.path(), args, b"");
        assert_eq!(ran.code, 2, "{args:?}: {}", ran.err);
        assert!(ran.out.is_empty() && !ran.err.is_empty(), "{args:?}");
    }
    assert_eq!(names(dir.path()), ["bad.obj", "tri.obj"]);
}

#[test]
fn a_conversion_is_silent_in_a_pipe() {
    let dir = folder();
    let ran = solio(dir.path(), &["convert", "tri.obj", "-o", "tri.stl"], b"");
    assert_eq!((ran.code, ran.text(), ran.err.as_str()), (0, "", ""));
    let stl = std::fs::read(dir.path().join("tri.stl")).unwrap();
    assert_eq!(stl.len(), 84 + 50);
    assert_eq!(stl[80..84], [1, 0, 0, 0]);
}

#[test]
fn data_passes_through_pipes() {
    let dir = folder();
    let args = ["convert", "-", "-o", "-", "--format", "ply"];
    let ran = solio(dir.path(), &args, TRIANGLE.as_bytes());
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    assert!(ran.out.starts_with(b"ply\n"));
    let back = solio(dir.path(), &["info", "--json", "-"], &ran.out);
    let info = &back.json()[0];
    assert_eq!((back.code, &info["format"], &info["vertices"]), (0, &"ply".into(), &3.into()));
}

#[test]
fn a_bad_file_is_told_with_its_place_and_the_rest_is_done() {
    let dir = folder();
    let args = ["convert", "bad.obj", "tri.obj", "none.obj", "-o", "out", "--format", "ply"];
    let ran = solio(dir.path(), &args, b"");
    assert_eq!(ran.code, 1);
    assert_eq!(names(&dir.path().join("out")), ["tri.ply"]);
    let lines: Vec<&str> = ran.err.lines().filter(|l| !l.starts_with("  hint: ")).collect();
    assert!(lines[0].starts_with("solio: bad.obj:2:7: `x` is not a number"), "{lines:?}");
    assert!(lines[1].starts_with("solio: none.obj: cannot open: "), "{lines:?}");
    assert_eq!(lines[2], "solio: 2 of 3 inputs failed");
    assert!(ran.out.is_empty());
}

#[test]
fn a_failed_conversion_leaves_the_old_file_and_nothing_else() {
    let dir = folder();
    std::fs::write(dir.path().join("keep.ply"), "old").unwrap();
    let ran = solio(dir.path(), &["convert", "bad.obj", "-o", "keep.ply"], b"");
    assert_eq!(ran.code, 1);
    assert_eq!(std::fs::read(dir.path().join("keep.ply")).unwrap(), b"old");
    assert_eq!(names(dir.path()), ["bad.obj", "keep.ply", "tri.obj"]);
}

#[test]
fn a_dry_run_writes_nothing() {
    let dir = folder();
    let ran = solio(dir.path(), &["convert", "-n", "tri.obj", "-o", "tri.ply"], b"");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(names(dir.path()), ["bad.obj", "tri.obj"]);
}

#[test]
fn lists_of_names_come_by_line_or_by_zero_byte() {
    let dir = folder();
    if solio_io::check_new_name("two\nlines.obj".as_ref()).is_err() {
        return; // no name on Windows
    }
    std::fs::write(dir.path().join("two\nlines.obj"), TRIANGLE).unwrap();
    let args = ["info", "--json", "--files-from", "-"];
    let ran = solio(dir.path(), &args, b"tri.obj\n");
    assert_eq!((ran.code, ran.json().len()), (0, 1));
    let ran = solio(dir.path(), &[&args[..], &["-0"]].concat(), b"tri.obj\0two\nlines.obj\0");
    let found = ran.json();
    assert_eq!((ran.code, found.len()), (0, 2));
    assert_eq!(found[1]["path"], "two\nlines.obj");
}

#[test]
fn statistics_count_each_byte_once() {
    let dir = folder();
    let args = ["convert", "tri.obj", "-o", "tri.stl", "--json", "--stats"];
    let ran = solio(dir.path(), &args, b"");
    let facts = &ran.json()[0];
    assert_eq!(facts["read_bytes"], TRIANGLE.len());
    assert_eq!(facts["written_bytes"], 84 + 50);
    assert!(ran.err.contains("peak memory"), "{}", ran.err);
}

#[test]
fn compressed_files_are_known_by_content() {
    let dir = folder();
    for ending in ["gz", "zst"] {
        let packed = format!("tri.ply.{ending}");
        assert_eq!(solio(dir.path(), &["convert", "tri.obj", "-o", &packed], b"").code, 0);
        std::fs::rename(dir.path().join(&packed), dir.path().join("packed")).unwrap();
        let ran = solio(dir.path(), &["info", "--json", "packed"], b"");
        assert_eq!(ran.json()[0]["faces"], 1, "{ending}: {}", ran.err);
    }
}

#[test]
fn threads_and_tiers_write_the_same_bytes() {
    let dir = folder();
    let mut text = String::new();
    for i in 0..60_000 {
        text +=
            &format!("v {} {} {}\n", f64::from(i) / 7.0, -f64::from(i) / 3.0, 1e-7 * f64::from(i));
    }
    for i in 1..59_999 {
        text += &format!("f {} {} {}\n", i, i + 1, i + 2);
    }
    std::fs::write(dir.path().join("big.obj"), text).unwrap();
    let mut outputs = Vec::new();
    for (threads, tier) in [("1", "scalar"), ("1", "avx2"), ("2", "avx512"), ("5", "scalar")] {
        let status = Command::new(env!("CARGO_BIN_EXE_solio"))
            .args(["convert", "big.obj", "-o", "out.obj", "-j", threads])
            .env("SOLIO_CPU", tier)
            .current_dir(dir.path())
            .stderr(Stdio::null()) // a tier that this machine lacks is told
            .status()
            .unwrap();
        assert!(status.success());
        outputs.push(std::fs::read(dir.path().join("out.obj")).unwrap());
    }
    assert!(outputs[0].len() > 1 << 20);
    assert!(outputs.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn cat_gives_all_bytes_in_order_and_goes_on_past_bad_files() {
    let dir = folder();
    let big: Vec<u8> = (0..20_000_000u32).map(|i| (i / 3) as u8).collect();
    std::fs::create_dir(dir.path().join("sub")).unwrap();
    std::fs::write(dir.path().join("sub/big"), &big).unwrap();
    for backend in ["auto", "uring", "threads", "mmap"] {
        let args = ["cat", "--backend", backend, "tri.obj", "missing", "sub", "bad.obj"];
        let ran = solio(dir.path(), &args, b"");
        assert_eq!(ran.code, 1);
        assert!(ran.err.contains("missing") && ran.err.lines().count() == 2, "{}", ran.err);
        let wanted = [TRIANGLE.as_bytes(), &big, BROKEN.as_bytes()].concat();
        assert!(ran.out == wanted, "{backend}");
    }
    let ran = solio(dir.path(), &["read", "--null", "--json", "--stats", "."], b"");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(ran.json()[0]["files"], 3);
    assert_eq!(ran.json()[0]["bytes"], 20_000_000 + TRIANGLE.len() + BROKEN.len());
    assert!(ran.err.starts_with("3 files, 20"), "{}", ran.err);
    assert_eq!(solio(dir.path(), &["cat", "--files-from", "-"], b"").code, 3);
    // Less memory than a piece of a file takes.
    std::fs::write(dir.path().join("some"), &big[..40_000]).unwrap();
    let ran = solio(dir.path(), &["cat", "--mem", "32K", "some"], b"");
    assert!(ran.code == 0 && ran.out == big[..40_000], "{}", ran.err);
    // Files that the system makes have no size, nor have pipes.
    if !std::path::Path::new("/proc/version").exists() || !has("mkfifo") {
        return;
    }
    let ran = solio(dir.path(), &["cat", "/proc/version"], b"");
    assert!(ran.code == 0 && ran.out == std::fs::read("/proc/version").unwrap(), "{}", ran.err);
    let pipe = dir.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let writer = std::thread::spawn(move || std::fs::write(pipe, "piped").unwrap());
    let ran = solio(dir.path(), &["cat", "tri.obj", "pipe"], b"");
    assert!(ran.code == 0 && ran.out == [TRIANGLE, "piped"].concat().as_bytes(), "{}", ran.err);
    writer.join().unwrap();
}

#[test]
fn cat_takes_standard_input_in_its_turn() {
    let dir = folder();
    let input: Vec<u8> = b"\x1f\x8bas it comes".iter().copied().cycle().take(3_000_000).collect();
    let few = &input[..30_000]; // both pipes hold it
    let ran = solio(dir.path(), &["cat", "tri.obj", "-", "bad.obj"], few);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    assert!(ran.out == [TRIANGLE.as_bytes(), few, BROKEN.as_bytes()].concat());
    // What is named there is not read: lists come by --files-from.
    assert_eq!(solio(dir.path(), &["cat", "-"], b"tri.obj\n").out, b"tri.obj\n");
    let ran = solio(dir.path(), &["read", "--null", "--json", "--stats", "-", "tri.obj"], &input);
    let line = &ran.json()[0];
    assert_eq!((&line["files"], &line["bytes"]), (&2.into(), &(3_000_000 + TRIANGLE.len()).into()));
    std::fs::write(dir.path().join("-"), "a file of this name").unwrap();
    assert_eq!(solio(dir.path(), &["cat", "-"], b"").out, b"");
    assert_eq!(solio(dir.path(), &["cat", "./-"], b"").out, b"a file of this name");
    let ran = solio(dir.path(), &["cat", "-0", "--files-from", "-"], b"bad.obj\0./-\0");
    assert!(ran.out == [BROKEN.as_bytes(), b"a file of this name"].concat());
}

#[test]
fn a_study_runs_the_command_at_each_bandwidth() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("data"), vec![7; 300_000]).unwrap();
    let solio_itself = env!("CARGO_BIN_EXE_solio");
    let study =
        ["study", "--how", "bucket", "--json", "--bandwidths", "1M,100M", "-o", "page.html", "--"];
    let command = [solio_itself, "hash", "data"];
    let ran = solio(dir.path(), &[&study[..], &command].concat(), b"");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let curve = ran.json()[0]["curves"][0].clone();
    let points = curve["points"].as_array().unwrap().clone();
    let bandwidths: Vec<_> = points.iter().map(|p| p["bandwidth"].as_u64()).collect();
    assert_eq!(bandwidths, [None, Some(100_000_000), Some(1_000_000)]);
    assert!(points.iter().all(|p| p["read_bytes"].as_u64() >= Some(300_000)));
    // Three turns of each, and no byte of the file that was not waited for: 0.3 s for 300 kB at 1 MB/s. What
    // the system reads of the program itself is not held.
    let walls = |p: &serde_json::Value| p["walls"].as_array().unwrap().len();
    assert!(points.iter().all(|p| walls(p) == 3) && curve["same"].is_array(), "{curve}");
    assert!(
        points[2]["low_s"].as_f64() >= Some(0.29) && points[2]["of_bytes"].as_f64() <= Some(1.1)
    );
    let page = std::fs::read_to_string(dir.path().join("page.html")).unwrap();
    assert!(page.contains("\"bandwidth\":100000000") && !page.contains("/*DATA*/"));
    assert!(page.len() < 400_000);
    assert_eq!(solio(dir.path(), &["study", "--how", "bucket", "--", "false"], b"").code, 1);
}

#[test]
fn a_study_has_a_curve_for_each_variant_and_number_of_threads() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("data"), vec![7; 100_000]).unwrap();
    let own = env!("CARGO_BIN_EXE_solio");
    let study = ["study", "--how", "bucket", "--json", "--bandwidths", "1M", "--rounds", "1"];
    let variant = format!("null={own} read --null data -j {{threads}}");
    let more = ["--threads", "1,2", "--variant", &variant, "--", own, "hash", "data"];
    let ran = solio(dir.path(), &[&study[..], &more].concat(), b"").fine();
    let curves = ran.json()[0]["curves"].as_array().unwrap().clone();
    let names: Vec<_> = curves.iter().map(|curve| curve["name"].as_str().unwrap()).collect();
    assert_eq!(names[1..], ["null, 1 thread", "null, 2 threads"]);
    let command = curves[2]["command"].as_array().unwrap();
    assert_eq!(command[command.len() - 1], "2");
    // One run tells nothing for sure.
    assert_eq!(curves[0]["points"][0]["doubtful"], true);
    for wrong in [
        &["--threads", "2", "--", "true"][..],
        &["--", "true", "{threads}"],
        &["--variant", "true"],
        &["--variant", "a='", "--", "true"],
    ] {
        let ran = solio(dir.path(), &[&study[..], wrong].concat(), b"");
        assert!(ran.code == 2 && ran.err.contains("hint: "), "{}", ran.err);
    }
}

#[test]
fn gradients_of_files_are_blended_as_asked_and_cannot_speak_to_the_terminal() {
    let dir = folder();
    let json = r#"{"name": "a\u001b[2Jb", "colors": [
        {"position": 0, "color": "black", "mode": "hold"}, {"position": 1, "color": "white"}]}"#;
    std::fs::write(dir.path().join("a.json"), json).unwrap();
    let gradient = |args: &[&str]| solio(dir.path(), &[&["gradient"][..], args].concat(), b"");
    let ran = gradient(&["a.json", "--in", "srgb", "--json", "--samples", "3"]).fine();
    assert_eq!(ran.json()[0]["colors_srgb"][1], serde_json::json!([0.5, 0.5, 0.5, 1.0]));
    let ran = gradient(&["a.json", "--compare"]).fine();
    assert!(ran.text().starts_with("a.[2Jb\n"), "{:?}", ran.text());
    // One colour has no steps that could be uneven.
    let ran = gradient(&["red, red", "--compare"]).fine();
    assert!(ran.text().contains("non-uniformity – CAM16-UCS, – CIEDE2000"), "{}", ran.text());
    let ran = gradient(&["red, red", "--json"]).fine();
    assert!(ran.json()[0]["non_uniformity_ciede2000"].is_null());
    let ran = gradient(&["color(srgb 1e200 0 0), black", "--json"]);
    assert!(ran.code == 2 && ran.out.is_empty() && ran.err.contains("too large"), "{}", ran.err);
    for args in [
        &["--list", "--json"][..],
        &["red, lime", "--list"],
        &["red, lime", "--compare", "-o", "a.exr"],
    ] {
        assert_eq!(gradient(args).code, 2, "{args:?}");
    }
    let two = "a { --a: linear-gradient(red, bleu); --b: linear-gradient(red, blue) }";
    std::fs::write(dir.path().join("two.css"), two).unwrap();
    let ran = solio(dir.path(), &["preview", "two.css", "-o", "two.png"], b"");
    assert!(ran.err.contains("two.css: 50 % missing and left out (1 gradient)"), "{}", ran.err);
    assert!(ran.err.contains("the gradient \"a\"") && ran.code == 1, "{}", ran.err);
    assert!(dir.path().join("two.png").exists());
    assert_eq!(gradient(&["red, lime", "--compare", "-o", "a.png", "--size", "4000000"]).code, 1);
}

#[test]
fn many_files_are_read_with_few_descriptors() {
    if !has("sh") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    for i in 0..3000 {
        std::fs::write(dir.path().join(format!("{i}")), [7; 100]).unwrap();
    }
    let limited = "ulimit -n 64; exec \"$0\" read --null --json .";
    let output = Command::new("sh")
        .args(["-c", limited, env!("CARGO_BIN_EXE_solio")])
        .current_dir(dir.path())
        .output()
        .unwrap();
    let line: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&line["files"], &line["bytes"]), (&3000.into(), &300_000.into()));
    assert!(output.status.success());
}

#[test]
fn completions_and_manual_name_every_command() {
    let dir = folder();
    for shell in ["bash", "zsh", "fish"] {
        let ran = solio(dir.path(), &["completions", shell], b"");
        assert!(ran.code == 0 && ran.text().contains("convert"), "{shell}");
    }
    let ran = solio(dir.path(), &["man", "pages"], b"");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let pages = names(&dir.path().join("pages"));
    for command in ["convert", "info", "demo"] {
        assert!(pages.iter().any(|p| p.contains(command)), "{pages:?}");
    }
    // Examples stand line by line, apart from what is said behind them.
    let page = std::fs::read_to_string(dir.path().join("pages/solio-scan.1")).unwrap();
    let examples = page.split(".SH EXAMPLES").nth(1).unwrap();
    assert!(examples.starts_with("\n.nf\n  solio scan /mnt/show"), "{examples}");
    assert!(examples.contains("\n.fi\n.SH NOTES\nA scan that is stopped"), "{examples}");
    assert!(pages.contains(&"solio-help.1".to_owned()));
}

#[test]
fn a_run_is_recorded_into_a_trace_and_a_page() {
    let dir = folder();
    let args = ["convert", "tri.obj", "bad.obj", "-o", "out", "--format", "ply", "--json"];
    let record = ["--trace", "run.json", "--report", "run.html", "--stats"];
    let ran = solio(dir.path(), &[&args[..], &record].concat(), b"");
    assert_eq!(ran.code, 1, "the page tells of what went well: {}", ran.err);
    let unknown = "  how close to the machine's limit: run `solio light . ";
    assert!(ran.err.contains(unknown.trim_end()), "{}", ran.err);
    let line = &ran.json()[0];
    assert_eq!((&line["files_moved"], &line["read_bytes"]), (&2.into(), &TRIANGLE.len().into()));
    let trace = std::fs::read(dir.path().join("run.json")).unwrap();
    let trace: serde_json::Value = serde_json::from_slice(&trace).unwrap();
    let summary = &trace["otherData"];
    assert_eq!(summary["read_bytes"], line["read_bytes"]);
    assert_eq!(summary["bound"]["binding"], line["binding"]);
    assert_eq!(summary["title"], "solio convert 2 files -o out");
    must_nest(trace["traceEvents"].as_array().unwrap());
    let page = std::fs::read_to_string(dir.path().join("run.html")).unwrap();
    assert!(page.starts_with("<!doctype html>") && page.len() < 400_000);
    assert!(page.contains(&summary["duration_ns"].to_string()));
}

/// The spans of a thread lie one within the other or one behind the other.
fn must_nest(events: &[serde_json::Value]) {
    let ns = |v: &serde_json::Value| (v.as_f64().unwrap() * 1000.0).round() as u64;
    let mut open: Vec<(u64, u64)> = Vec::new();
    let mut names = Vec::new();
    for event in events.iter().filter(|event| event["ph"] == "X") {
        let (thread, start) = (event["tid"].as_u64().unwrap(), ns(&event["ts"]));
        let end = start + ns(&event["dur"]);
        open.retain(|(other, until)| *other == thread && *until > start);
        assert!(open.last().is_none_or(|(_, until)| end <= *until), "{event}");
        open.push((thread, end));
        names.push(event["name"].as_str().unwrap());
    }
    for name in ["read mesh", "read chunk", "decode chunk", "write mesh", "write chunk", "commit"] {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
}

#[test]
fn a_recording_that_cannot_be_written_is_said() {
    let dir = folder();
    let args = ["convert", "tri.obj", "-o", "tri.ply", "--report", "none/run.html"];
    let ran = solio(dir.path(), &args, b"");
    assert_eq!((ran.code, ran.err.contains("none/run.html")), (1, true), "{}", ran.err);
    assert!(dir.path().join("tri.ply").exists());
}

#[test]
fn what_cannot_be_printed_is_a_failure() {
    if !has("sh") {
        return;
    }
    let dir = folder();
    for args in [
        "info tri.obj",
        "read tri.obj",
        "convert --json tri.obj -o a.ply",
        "--version",
        "convert --help",
        "man pages",
    ] {
        let run = format!("exec \"$0\" {args} > /dev/full");
        let output = Command::new("sh")
            .args(["-c", &run, env!("CARGO_BIN_EXE_solio")])
            .current_dir(dir.path())
            .output()
            .unwrap();
        let prints = !args.starts_with("man");
        assert_eq!(output.status.code(), Some(i32::from(prints)), "{args}");
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(err.contains("standard output"), prints, "{args}: {err}");
    }
}

#[test]
fn a_reader_that_goes_away_leaves_no_files_of_the_demo() {
    if !has("sh") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let output = Command::new("sh")
        .args(["-c", "\"$0\" demo --detail 4 | head -n 1", env!("CARGO_BIN_EXE_solio")])
        .env("TMPDIR", dir.path())
        .output()
        .unwrap();
    assert!(output.stdout.starts_with(b"a fluted trefoil knot"));
    assert_eq!(names(dir.path()), [""; 0]);
}

#[test]
fn pack_keeps_a_scene_in_one_file() {
    let dir = folder();
    let at = |name: &str| dir.path().join(name);
    let text = "WorldBegin\nShape \"plymesh\" \"string filename\" \"a.ply\"\nInclude \"b.pbrt\"\n";
    std::fs::write(at("s.pbrt"), text).unwrap();
    std::fs::write(at("b.pbrt"), "Shape \"sphere\"\n").unwrap();
    let convert = solio(dir.path(), &["convert", "tri.obj", "-o", "a.ply"], b"");
    assert_eq!(convert.code, 0, "{}", convert.err);
    let ran = solio(dir.path(), &["pack", "s.pbrt", "-o", "s.solio", "--json"], b"").fine();
    let json = &ran.json()[0];
    let file = std::fs::read(at("s.solio")).unwrap();
    assert!(file.starts_with(b"\x89solio\r\n"));
    assert_eq!(json["file_bytes"], file.len());
    assert_eq!((&json["meshes"], &json["text_bytes"]), (&1.into(), &(text.len() + 15).into()));
    let ran = solio(dir.path(), &["pack", "s.pbrt", "-o", "s.solio", "-l", "none", "-j1"], b"");
    assert!(ran.fine().text().starts_with("s.solio: "));

    // What is missing is told, and the rest is packed.
    std::fs::remove_file(at("a.ply")).unwrap();
    std::fs::remove_file(at("b.pbrt")).unwrap();
    let ran = solio(dir.path(), &["pack", "s.pbrt", "-o", "s.solio"], b"");
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("s.pbrt:3:1") && ran.err.contains("a.ply"), "{}", ran.err);
    assert_eq!(solio(dir.path(), &["pack", "absent.pbrt", "-o", "t.solio"], b"").code, 1);
    assert!(!at("t.solio").exists());
    let wrong = solio(dir.path(), &["pack", "s.pbrt", "-o", "t.solio", "--level", "99"], b"");
    assert_eq!(wrong.code, 2);
}

#[test]
fn axes_follow_from_the_format_and_not_from_the_name() {
    let dir = folder();
    let ply = "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n\
               property float z\nend_header\n1 2 3\n";
    std::fs::write(dir.path().join("c.ply"), ply).unwrap();
    std::fs::write(dir.path().join("plain.dat"), ply).unwrap();
    for input in ["c.ply", "plain.dat", "-"] {
        let args =
            ["convert", input, "--up-axis=Y", "--forward-axis=-Z", "-o", "-", "--format=obj"];
        let ran = solio(dir.path(), &args, ply.as_bytes());
        assert_eq!((ran.code, ran.err.as_str()), (0, ""));
        assert!(ran.text().contains("v 1.000000 3.000000 -2.000000\n"), "{input}: {}", ran.text());
    }
}

#[test]
fn textures_of_a_mesh_from_a_pipe_keep_their_paths() {
    let dir = folder();
    let ply = "ply\nformat ascii 1.0\ncomment TextureFile tex/p.png\nelement vertex 3\n\
        property float x\nproperty float y\nproperty float z\nelement face 1\n\
        property list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
    std::fs::create_dir(dir.path().join("out")).unwrap();
    let ran = solio(dir.path(), &["convert", "-", "-o", "out/a.ply", "--ascii"], ply.as_bytes());
    assert_eq!((ran.code, &*ran.err), (0, ""));
    let text = std::fs::read_to_string(dir.path().join("out/a.ply")).unwrap();
    assert!(text.contains("comment TextureFile tex/p.png\n"), "{text}");
    let copy = ["convert", "-", "-o", "out/a.ply", "--path-mode=copy"];
    let ran = solio(dir.path(), &copy, ply.as_bytes());
    assert!(ran.code == 0 && ran.err.contains("textures are not copied"), "{}", ran.err);
}

#[test]
fn an_axis_alone_moves_the_other_and_a_wrong_one_is_a_wrong_command_line() {
    let dir = folder();
    let convert = |options: &[&str]| {
        let args = ["convert", "-", "-o", "-", "--format=obj", "--digits=shortest"];
        solio(dir.path(), &[&args[..], options].concat(), b"v 1 2 3\n")
    };
    for (options, point) in [
        // From an OBJ's -Z forward and Y up.
        (&["--up-axis=Z"][..], "v 1 -3 2\n"),
        (&["--up-axis=Z", "--forward-axis=Y"], "v 1 -3 2\n"),
        (&["--forward-axis=Y"], "v 1 -3 2\n"),
        (&["--source-up-axis=Z", "--up-axis=Y"], "v 1 3 -2\n"),
        (&["--global-scale=0.1"], "v 0.1 0.2 0.3\n"),
        (&["--global-scale=0.1", "--double"], "v 0.1 0.2 0.30000000000000004\n"),
    ] {
        let ran = convert(options);
        assert!(ran.code == 0 && ran.text().contains(point), "{options:?}: {}", ran.text());
    }
    for options in [
        &["--up-axis=Z", "--forward-axis=-Z"][..],
        &["--source-up-axis=X", "--source-forward-axis=X"],
        &["--global-scale=0"],
        &["--global-scale=-1"],
        &["--global-scale=nan"],
    ] {
        let ran = convert(options);
        assert!(ran.code == 2 && ran.out.is_empty(), "{options:?}: {}", ran.err);
    }
}

#[test]
fn colors_finer_than_bytes_are_told_of_and_kept_on_demand() {
    let dir = folder();
    let convert = |input: &str, more: &[&str]| {
        let args = ["convert", "-", "-o", "-", "--format=ply", "--ascii"];
        solio(dir.path(), &[&args[..], more].concat(), input.as_bytes())
    };
    let fine = "v 0 0 0 0.5 0.1 2.5\n";
    let ran = convert(fine, &[]);
    assert!(ran.err.contains("--float-colors"), "{}", ran.err);
    assert!(ran.text().contains("\n0 0 0 128 26 255 255\n"), "{}", ran.text());
    std::fs::write(dir.path().join("fine.obj"), fine).unwrap();
    let said = solio(dir.path(), &["convert", "fine.obj", "-o", "fine.ply", "--json"], b"").json();
    assert_eq!(said[0]["losses"].as_array().unwrap().len(), 1);
    let loss = &said[0]["losses"][0];
    assert_eq!((&loss["what"], &loss["option"]), (&"color_depth".into(), &"--float-colors".into()));
    let ran = convert(fine, &["--float-colors"]);
    assert_eq!(ran.err, "");
    assert!(ran.text().contains("\n0 0 0 0.5 0.1 2.5 1\n"), "{}", ran.text());
    // Bytes as OBJ has them, and no colours at all.
    assert_eq!(convert("v 0 0 0 0.5020 0.0039 1.0000\n", &[]).err, "");
    assert_eq!(convert(fine, &["--export-colors=none"]).err, "");
}

#[test]
fn what_would_be_lost_is_refused_on_demand() {
    let dir = folder();
    let quad = "o Tile\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n";
    std::fs::write(dir.path().join("quad.obj"), quad).unwrap();
    let ran = solio(dir.path(), &["convert", "quad.obj", "-o", "quad.stl"], b"");
    let told = "solio: note: quad.obj: STL has one mesh, and no objects (1 object, \"Tile\"; \
                --use-batch keeps them)\n\
                solio: note: quad.obj: STL has triangles: larger faces are cut (1 face)\n";
    assert_eq!((ran.code, ran.err.as_str()), (0, told));
    // Others go on.
    let strict = ["convert", "quad.obj", "tri.obj", "-o", "out", "--format=stl", "--strict-loss"];
    let ran = solio(dir.path(), &strict, b"");
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("larger faces are cut (1 face)"), "{}", ran.err);
    assert_eq!(names(&dir.path().join("out")), ["tri.stl"]);
    let ran = solio(dir.path(), &[&strict[..], &["--json"]].concat(), b"");
    let failed = &ran.json()[0];
    assert_eq!(
        (&failed["schema"], &failed["error"]["kind"]),
        (&"solio/failure/1".into(), &"unsupported".into())
    );
}

#[test]
fn standard_input_is_read_once() {
    let dir = folder();
    for (args, input) in [
        (&["hash", "--files-from", "-"][..], "-\n"),
        (&["hash", "--files-from", "-", "-"], "a.obj\n"),
    ] {
        let ran = solio(dir.path(), args, input.as_bytes());
        assert!(ran.code == 2 && ran.out.is_empty(), "{}", ran.err);
    }
}

#[test]
fn what_ends_a_command_is_an_object_too() {
    let dir = folder();
    for args in [
        &["unpack", "--json", "nix.solio", "-o", "u/"][..],
        &["pack", "--json", "nix.pbrt", "-o", "q.solio"],
        &["scan", ".", "--json", "-o", "nix/x.sqlite"],
        &["sheet", "tri.obj", "--json", "-o", "nix/a.html"],
    ] {
        let ran = solio(dir.path(), args, b"");
        let told: serde_json::Value = serde_json::from_slice(&ran.out).unwrap();
        assert_eq!(
            (ran.code, told["schema"].as_str()),
            (1, Some("solio/failure/1")),
            "{args:?}: {}",
            ran.err
        );
    }
}
