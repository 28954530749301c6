//! Signals in the middle: SIGINT and SIGTERM leave nothing, SIGABRT next to nothing, SIGKILL nothing
//! that is torn.

use crate::folder::{Files, files, inputs, is_complete, is_temporary, set};
use crate::nth::{Case, Stage};
use crate::strace;
use std::collections::BTreeSet;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const CASES: [Case; 5] = [
    Case::new(&["convert", "-j1", "in.obj", "-o", "out.obj"]),
    Case::new(&["convert", "-j1", "--durable", "in.obj", "-o", "out.ply.zst"]),
    Case::new(&["convert", "-j1", "-z", "none", "in.exr", "-o", "out.exr"]),
    Case::new(&["set", "owner=somebody", "in.exr"]),
    Case::new(&["cat", "-j1", "--null", "in.obj", "--trace", "t.json", "--report", "r.html"]),
];

/// The output that a temporary name is for: `.out.obj.solio-0a1b2c.tmp` is for `out.obj`.
fn meant(temporary: &str) -> &str {
    let name = temporary.strip_prefix('.').unwrap();
    name.rsplit_once(".solio-").unwrap().0
}

#[test]
fn sigkill_at_every_call_leaves_whole_files() {
    if !strace::is_here() {
        return;
    }
    for (case, named) in CASES.iter().flat_map(|case| [(case, false), (case, true)]) {
        let stage = Stage::new(case, true, named);
        let mut left = BTreeSet::new();
        for call in &stage.calls {
            let ran = stage.fault_at(call, "signal=KILL");
            let what = format!("{:?}, killed at {}", case.args, call.text);
            assert_eq!(ran.code, 128 + 9, "{what}: {}", ran.err);
            let now = files(stage.path());
            stage.old_outputs(&now, &what);
            stage.nothing_else(&now, &what, true);
            for (name, bytes) in now.iter().filter(|(name, _)| is_temporary(name)) {
                left.insert(call.name.clone());
                let output = meant(name);
                let whole = Some(bytes) == stage.before.get(output)
                    || is_complete(output, bytes, &stage.after[output]);
                assert!(whole || named, "{what}: {name} is torn");
            }
        }
        // Without a name until the end: only between the last three calls is there one.
        let between: Vec<&str> = left.iter().map(String::as_str).collect();
        assert!(named || between.iter().all(|c| ["renameat2", "unlink"].contains(c)), "{left:?}");
    }
}

#[test]
fn sigint_and_sigterm_at_every_call_leave_nothing_else() {
    if !strace::is_here() {
        return;
    }
    for (case, named) in CASES.iter().flat_map(|case| [(case, false), (case, true)]) {
        let stage = Stage::new(case, true, named);
        let mut stopped = 0;
        for (call, signal) in stage.calls.iter().flat_map(|c| [(c, "INT"), (c, "TERM")]) {
            let ran = stage.fault_at(call, &format!("signal={signal}"));
            let what = format!("{:?}, SIG{signal} at {}: {}", case.args, call.text, ran.err);
            let now = files(stage.path());
            let old = stage.old_outputs(&now, &what);
            stage.nothing_else(&now, &what, false);
            match ran.code {
                130 => stopped += 1,
                0 => assert!(old.is_empty(), "{what}: lacks {old:?}"),
                code => panic!("{what}: exit code {code}"),
            }
        }
        assert!(stopped > 0 || case.args[0] == "cat", "{:?} does not stop", case.args);
    }
}

#[test]
fn sigabrt_at_every_call_leaves_at_most_what_that_call_made() {
    if !strace::is_here() {
        return;
    }
    for named in [false, true] {
        let stage = Stage::new(&CASES[0], true, named);
        for call in &stage.calls {
            let ran = stage.fault_at(call, "signal=ABRT");
            let what = format!("{:?}, aborted at {}", CASES[0].args, call.text);
            assert_eq!(ran.code, 128 + 6, "{what}: {}", ran.err);
            let now = files(stage.path());
            stage.old_outputs(&now, &what);
            stage.nothing_else(&now, &what, ["openat", "linkat"].contains(&call.name.as_str()));
        }
    }
}

/// Two meshes become the same file by turns, killed at random times: what is there is the one
/// or the other.
fn kill_at_random(kills: u32, seed: u64) {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (inputs(30_000), inputs(20_000));
    let mut set_up = Files::new();
    set_up.insert("in.mtl".into(), a["in.mtl"].clone());
    set_up.insert("a.obj".into(), a["in.obj"].clone());
    set_up.insert("b.obj".into(), b["in.obj"].clone());
    set(dir.path(), &set_up);
    for output in ["out.obj", "out.ply.zst"] {
        let mut whole = Vec::new();
        let mut usual = Duration::MAX;
        for input in ["a.obj", "b.obj"] {
            let start = Instant::now();
            assert!(convert(dir.path(), input, output, false).wait().unwrap().success());
            usual = usual.min(start.elapsed());
            whole.push(std::fs::read(dir.path().join(output)).unwrap());
        }
        let mut random = seed;
        let mut killed = 0;
        for kill in 0..kills {
            // xorshift
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let after = usual.mul_f64((random >> 40) as f64 / (1 << 24) as f64 * 1.1);
            let named = kill % 2 == 1;
            let mut child =
                convert(dir.path(), ["a.obj", "b.obj"][kill as usize / 2 % 2], output, named);
            // Now and then one comes to its end, so that the old file changes.
            if kill % 9 != 8 {
                std::thread::sleep(after);
                let _ = child.kill();
            }
            let status = child.wait().unwrap();
            let what = format!("seed {seed}, kill {kill} of {output} after {after:?}, {status}");
            assert!(status.success() || status.signal() == Some(9), "{what}");
            let now = files(dir.path());
            killed += u32::from(status.signal().is_some());
            let whole_now = whole.iter().any(|whole| now.get(output) == Some(whole));
            assert!(whole_now, "{what}: {output} is torn");
            for (name, bytes) in now.iter().filter(|(name, _)| is_temporary(name)) {
                let whole = meant(name) != output || whole.contains(bytes);
                assert!(named || whole, "{what}: {name} is torn");
                std::fs::remove_file(dir.path().join(name)).unwrap();
            }
            let known = ["a.obj", "b.obj", "in.mtl", "out.mtl", "out.obj", "out.ply.zst"];
            let other = now.keys().find(|n| !known.contains(&n.as_str()) && !is_temporary(n));
            assert_eq!(other, None, "{what}");
        }
        assert!(killed > 0, "no kill came in time");
    }
}

fn convert(dir: &Path, input: &str, output: &str, named_temporaries: bool) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_solio"));
    command.args(["convert", input, "-o", output]).current_dir(dir);
    if named_temporaries {
        command.env("SOLIO_NO_TMPFILE", "1");
    }
    command.stdin(Stdio::null()).spawn().unwrap()
}

#[test]
fn sigkill_at_random_times_leaves_the_old_file_or_the_new_one() {
    kill_at_random(40, 0x5eed_0001);
}

#[test]
#[ignore = "slow: thousands of conversions"]
fn sigkill_at_thousands_of_random_times() {
    for seed in 1..=10 {
        kill_at_random(300, 0x5eed_1000 + seed);
    }
}
