//! A system that refuses io_uring: the same bytes come by another way, and that is said.

use crate::{run, strace};
use std::process::Command;

#[test]
fn where_io_uring_is_refused_threads_give_the_same_bytes_and_say_so() {
    if !strace::is_here() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let big: Vec<u8> = (0..3_000_000u32).map(|i| (i / 5) as u8 % 100).collect();
    std::fs::write(dir.path().join("big"), &big).unwrap();
    std::fs::write(dir.path().join("small"), "no line end").unwrap();
    let wanted = [&big[..], b"no line end"].concat();
    let solio = env!("CARGO_BIN_EXE_solio");
    let cat = ["cat", "--stats", "--backend", "uring", "big", "small"];
    let allowed = run(dir.path(), solio, &cat);
    assert!(allowed.status.success() && allowed.stdout == wanted);
    for errno in ["EPERM", "ENOSYS", "ENOMEM"] {
        let fault = format!("io_uring_setup:error={errno}");
        let refused = strace::solio(dir.path(), &cat, false, Some(&fault));
        assert_eq!(refused.code, 0, "{errno}: {}", refused.err);
        assert!(refused.out.as_bytes() == wanted, "{errno}: other bytes");
        let hit = refused.calls.iter().filter(|c| c.was_hit()).count();
        assert!(hit > 0, "{errno}: nobody asked for a ring");
        let says = "by threads (the system refuses io_uring: ";
        assert!(refused.err.contains(says), "{errno}: {}", refused.err);
    }
    // What the environment forces is no reason to fail either; JSON says it too.
    let output = Command::new("strace")
        .args(["-f", "-qq", "-o", "/dev/null", "-e", "inject=io_uring_setup:error=EPERM", solio])
        .args(["cat", "--null", "--json", "--stats", "big", "small"])
        .env("SOLIO_IO", "uring")
        .current_dir(dir.path())
        .output()
        .unwrap();
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&json["backend"], &json["bytes"]), (&"threads".into(), &wanted.len().into()));
    let why = json["fallback"].as_str().unwrap();
    assert!(why.contains("refuses io_uring") && why.contains("not permitted"), "{why}");
    assert!(String::from_utf8_lossy(&output.stderr).contains(why));
}

#[test]
fn a_ring_that_may_not_be_used_is_replaced_and_interruptions_are_borne() {
    if !strace::is_here() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let text = "a line\n".repeat(100_000);
    std::fs::write(dir.path().join("a"), &text).unwrap();
    let cat = ["cat", "--stats", "--backend", "uring", "a"];
    let refused = strace::solio(dir.path(), &cat, false, Some("io_uring_enter:error=EPERM"));
    assert_eq!((refused.code, refused.out == text), (0, true), "{}", refused.err);
    assert!(refused.err.contains("by threads (the system refuses to use io_uring"));
    // Each thread's first call tries a ring out.
    for error in ["EINTR", "EAGAIN", "EBUSY"] {
        let fault = format!("io_uring_enter:error={error}:when=2..4");
        let ran = strace::solio(dir.path(), &cat, false, Some(&fault));
        assert_eq!((ran.code, ran.out == text), (0, true), "{error}: {}", ran.err);
        assert!(ran.err.contains("by uring\n"), "{error}: {}", ran.err);
        let hit = ran.calls.iter().filter(|c| c.was_hit()).count();
        assert!(hit > 0 || ran.calls.iter().all(|c| c.nth < 2), "{error}");
    }
}

/// Files that are read by linked entries, once some were read; and the arguments for it.
fn small_files(dir: &std::path::Path) -> (Vec<String>, String) {
    let mut words: Vec<String> =
        ["cat", "--order", "none", "--direct", "always", "--json", "--stats", "--null"]
            .map(String::from)
            .into();
    let mut all = 0;
    for i in 0..200 {
        let name = format!("{i:03}");
        std::fs::write(dir.join(&name), vec![b'x'; 40 * i]).unwrap();
        words.push(name);
        all += 40 * i;
    }
    (words, all.to_string())
}

#[test]
fn what_a_ring_may_not_register_it_does_without() {
    if !strace::is_here() {
        return;
    }
    // Beside the sources: a temporary folder in memory may not take direct reads.
    let dir = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
    let (words, bytes) = small_files(dir.path());
    let run = |backend: &str, fault: Option<&str>| {
        let mut args: Vec<&str> = words.iter().map(String::as_str).collect();
        args.extend(["--backend", backend]);
        let ran = strace::solio(dir.path(), &args, false, fault);
        assert_eq!(ran.code, 0, "{}", ran.err);
        let json: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!(json["bytes"].to_string(), bytes, "{backend} {fault:?}");
        (json["linked"].as_u64().unwrap(), json["registered"].as_u64().unwrap())
    };
    for backend in ["uring", "auto"] {
        let (linked, registered) = run(backend, None);
        if linked == 0 || registered == 0 {
            crate::skipped("linked entries or registered buffers: this system has none");
            return;
        }
        // A thread registers nothing but asks what the ring can do (1), a table of files (2) and
        // one of buffers (3); then it registers buffers.
        let refused = |from: usize| format!("io_uring_register:error=ENOMEM:when={from}+");
        assert!(run(backend, Some(&refused(4))).0 > 0, "linked, into ordinary memory");
        assert_eq!(run(backend, Some(&refused(4))).1, 0);
        assert_eq!(run(backend, Some(&refused(3))).1, 0);
        assert_eq!(run(backend, Some(&refused(2))), (0, 0), "no table of files");
    }
}
