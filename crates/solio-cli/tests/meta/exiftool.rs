//! `solio meta --engine exiftool|both`, as people run it, with ExifTool where it is installed and
//! with programs that are none.

use crate::hostile_names::{names, tiff};
use crate::ran::run as solio;
use solio::names::OsStrBytes;
use std::ffi::OsStr;
use std::process::Command;

fn has_exiftool() -> bool {
    let there = Command::new("exiftool").arg("-ver").output().is_ok();
    if !there {
        println!("skipped: exiftool is not installed");
    }
    there
}

#[test]
fn every_hostile_name_has_its_own_result() {
    if !has_exiftool() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let names = names();
    let mut list = Vec::new();
    for (n, name) in names.iter().enumerate() {
        std::fs::write(dir.path().join(OsStr::from_bytes(name)), tiff(n as u8 + 1)).unwrap();
        list.extend_from_slice(name);
        list.push(0);
    }
    list.extend_from_slice(b"missing.tif\0");
    for engine in ["exiftool", "both"] {
        let words = ["meta", "--engine", engine, "-n", "-f", "Orientation", "--jsonl", "-0"];
        let words = [&words[..], &["--files-from", "-"]].concat();
        let ran = solio(dir.path(), &words, &list);
        assert_eq!(ran.code, 1, "{}", ran.err);
        let lines = ran.json();
        assert_eq!(lines.len(), 22);
        for (n, (line, name)) in lines.iter().zip(&names).enumerate() {
            assert_eq!(line["IFD0:Orientation"], n + 1, "{engine}: {line}");
            let plain = std::str::from_utf8(name).ok();
            assert_eq!(line["SourceFile"].as_str().filter(|_| plain.is_some()), plain);
            assert_eq!(line["SourceFileEncoded"].is_string(), plain.is_none());
        }
        assert!(lines[21]["Error"].as_str().unwrap().contains("cannot open"), "{}", lines[21]);
    }
}

#[test]
fn both_asks_for_what_is_not_covered_and_says_so() {
    if !has_exiftool() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("a.tif"), tiff(6)).unwrap();
    std::fs::write(dir.path().join("a.txt"), "some words\n").unwrap();
    std::fs::write(dir.path().join("a.bin"), [1, 2, 3]).unwrap();
    let words = ["meta", "--engine", "both", "--jsonl", "a.tif", "a.txt", "a.bin"];
    let ran = solio(dir.path(), &words, b"");
    assert_eq!(ran.code, 1);
    let lines = ran.json();
    assert_eq!(lines[0]["Origin"]["exiftool"], serde_json::json!([]));
    let native = lines[0]["Origin"]["native"].as_array().unwrap();
    assert!(native.contains(&"IFD0:Orientation".into()));
    assert_eq!(lines[1]["File:FileType"], "TXT");
    let theirs = lines[1]["Origin"]["exiftool"].as_array().unwrap();
    assert!(theirs.contains(&"File:FileType".into()));
    assert!(lines[2]["Error"].is_string() && lines[2].get("Origin").is_none(), "{}", lines[2]);
}

/// Answers each file with one tag, and keeps a list of what it was asked.
#[cfg(unix)]
const ONE_TAG: &str = r#"#!/bin/sh
while IFS= read -r line; do
    case "$line" in
    -execute*)
        echo '[{"SourceFile": "?", "Fake:Name": "theirs"}]'
        echo "{ready${line#-execute}}" >&2
        echo "{ready${line#-execute}}" ;;
    -Name) echo asked >> asked ;;
    esac
done
"#;

#[test]
#[cfg(unix)]
fn both_asks_for_a_field_that_was_not_found() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let program = dir.path().join("fake");
    std::fs::write(&program, ONE_TAG).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    // A file of which nothing is left unread.
    std::fs::write(dir.path().join("a.tif"), tiff(6)).unwrap();
    let meta = |fields: &str| {
        let words = ["meta", "--engine", "both", "--exiftool", "./fake", "--jsonl", "-f", fields];
        solio(dir.path(), &[&words[..], &["a.tif"]].concat(), b"").fine().json().remove(0)
    };
    let line = meta("Orientation");
    assert_eq!(line["IFD0:Orientation"], "Rotate 90 CW");
    assert!(!dir.path().join("asked").exists());
    let line = meta("Orientation,Name");
    assert_eq!(
        (&line["IFD0:Orientation"], &line["Fake:Name"]),
        (&"Rotate 90 CW".into(), &"theirs".into())
    );
    assert_eq!(line["Origin"]["exiftool"], serde_json::json!(["Fake:Name"]));
    assert!(dir.path().join("asked").exists());
}

#[test]
fn without_exiftool_it_says_how_to_get_it() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("a.tif"), tiff(6)).unwrap();
    let words = ["meta", "--engine", "both", "--exiftool", "/no/exiftool", "a.tif"];
    let ran = solio(dir.path(), &words, b"");
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("/no/exiftool: cannot start ExifTool"), "{}", ran.err);
    assert!(ran.err.contains("libimage-exiftool-perl"), "{}", ran.err);
    assert!(ran.out.is_empty());
}

#[test]
fn results_come_in_the_order_of_the_names_whatever_order_is_read_in() {
    let dir = tempfile::tempdir().unwrap();
    let names: Vec<String> = (0..70).map(|n| format!("{}.tif", (n * 37) % 70)).collect();
    for (n, name) in names.iter().enumerate() {
        std::fs::write(dir.path().join(name), tiff(n as u8)).unwrap();
    }
    for order in ["none", "name", "inode", "physical", "auto"] {
        let mut words = vec!["meta", "-n", "-f", "Orientation", "--jsonl", "--order", order];
        words.extend(names.iter().map(String::as_str));
        let lines = solio(dir.path(), &words, b"").fine().json();
        for (n, (line, name)) in lines.iter().zip(&names).enumerate() {
            assert_eq!(
                (&line["SourceFile"], &line["IFD0:Orientation"]),
                (&name.as_str().into(), &n.into())
            );
        }
        assert_eq!(lines.len(), names.len());
    }
}

#[test]
#[cfg(target_os = "linux")]
fn exiftool_does_not_outlive_a_killed_command() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let program = dir.path().join("fake");
    std::fs::write(&program, "#!/bin/sh\necho $$ > pid.new\nmv pid.new pid\nexec sleep 100\n")
        .unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::write(dir.path().join("a.tif"), tiff(6)).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_solio"))
        .args(["meta", "--engine", "exiftool", "--exiftool", "./fake", "a.tif"])
        .current_dir(dir.path())
        .spawn()
        .unwrap();
    let wait = |ready: &dyn Fn() -> bool| {
        let mut patience =
            (0..500).map(|_| std::thread::sleep(std::time::Duration::from_millis(20)));
        assert!(patience.any(|()| ready()));
    };
    let pid = dir.path().join("pid");
    wait(&|| pid.exists());
    let status = format!("/proc/{}/stat", std::fs::read_to_string(&pid).unwrap().trim());
    command.kill().unwrap();
    command.wait().unwrap();
    // Whoever inherits it may be slow to bury it.
    let is_gone = || std::fs::read_to_string(&status).map_or(true, |stat| stat.contains(") Z "));
    wait(&is_gone);
}
