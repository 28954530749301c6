//! `solio exiftool`, as programs run it: under its own name and as `exiftool`; beside ExifTool where that is
//! installed.

use crate::hostile_names::tiff;
use crate::ran::run as solio;
use std::path::Path;
use std::process::{Command, Output};

/// A JPEG around the TIFF structure of a turned photo.
fn photo(folder: &Path) {
    let tiff = tiff(6);
    let mut jpeg = b"\xff\xd8\xff\xe1".to_vec();
    jpeg.extend_from_slice(&(tiff.len() as u16 + 8).to_be_bytes());
    jpeg.extend_from_slice(b"Exif\0\0");
    jpeg.extend_from_slice(&tiff);
    jpeg.extend_from_slice(b"\xff\xd9");
    std::fs::write(folder.join("a.jpg"), jpeg).unwrap();
}

#[test]
fn commands_by_lines() {
    let dir = tempfile::tempdir().unwrap();
    photo(dir.path());
    let lines =
        b"-s3\n-Orientation\na.jpg\n-execute1\n-T\n-Orientation#\n-FileSize#\na.jpg\n-execute2\n";
    let ran =
        solio(dir.path(), &["exiftool", "--stats", "-stay_open", "True", "-@", "-"], lines).fine();
    let size = std::fs::metadata(dir.path().join("a.jpg")).unwrap().len();
    assert_eq!(ran.text(), format!("Rotate 90 CW\n{{ready1}}\n6\t{size}\n{{ready2}}\n"));
    assert!(
        ran.err.contains("2 commands and 2 files answered by Solio, 0 commands handed"),
        "{}",
        ran.err
    );
}

#[cfg(unix)]
fn as_exiftool(folder: &Path, args: &[&str]) -> Output {
    let link = folder.join("exiftool");
    let _ = std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_solio"), &link);
    let stats = folder.join("stats.json");
    let mut command = Command::new(link);
    command
        .args(args)
        .current_dir(folder)
        .env("SOLIO_EXIFTOOL", "")
        .env("SOLIO_EXIFTOOL_STATS", stats);
    command.output().unwrap()
}

#[cfg(unix)]
#[test]
fn a_program_of_its_name_is_it() {
    let dir = tempfile::tempdir().unwrap();
    photo(dir.path());
    let ran = as_exiftool(dir.path(), &["-j", "-Orientation", "a.jpg"]);
    let want = "[{\n  \"SourceFile\": \"a.jpg\",\n  \"Orientation\": \"Rotate 90 CW\"\n}]\n";
    assert_eq!((String::from_utf8_lossy(&ran.stdout), ran.status.code()), (want.into(), Some(0)));
    assert!(ran.stderr.is_empty());
    let stats: serde_json::Value =
        serde_json::from_slice(&std::fs::read(dir.path().join("stats.json")).unwrap()).unwrap();
    assert_eq!(
        (&stats["schema"], &stats["native_files"]),
        (&"solio/exiftool-stats/1".into(), &1.into())
    );
    // Without ExifTool what is left to it is an error.
    let ran = as_exiftool(dir.path(), &["-Artist=me", "a.jpg"]);
    assert_eq!(ran.status.code(), Some(1));
    assert!(
        String::from_utf8_lossy(&ran.stderr)
            .starts_with("Error: solio leaves this to ExifTool (-Artist=me)")
    );
}

#[cfg(unix)]
#[test]
fn it_says_what_exiftool_says() {
    let Ok(version) = Command::new("exiftool").arg("-ver").output() else {
        println!("skipped: exiftool is not installed");
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    photo(dir.path());
    let is_same = version.stdout == b"13.58\n";
    for args in [
        &["-j", "-Orientation", "-FileType", "-Make"][..],
        &["-G1", "-FileSize", "-Orientation"],
        &["-S", "-f", "-NoSuchTag", "-Orientation#"],
        &["-X", "-IFD0:all"],
        &["-csv", "-Orientation", "-MIMEType"],
        &["-if", "$Orientation# == 6", "-p", "${FileName}: $Orientation"],
        &["-j", "--FileAccessDate", "-all"],
    ] {
        let names_version = args.contains(&"-all") || args.contains(&"-X");
        if names_version && !is_same {
            continue;
        }
        let args = [args, &["a.jpg"]].concat();
        let theirs = Command::new("exiftool").args(&args).current_dir(dir.path()).output().unwrap();
        let ours = as_exiftool(dir.path(), &args);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert_eq!(text(&ours.stdout), text(&theirs.stdout), "{args:?}");
        assert_eq!(text(&ours.stderr), text(&theirs.stderr), "{args:?}");
        assert_eq!(ours.status.code(), theirs.status.code(), "{args:?}");
    }
}
