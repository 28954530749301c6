//! The pool against a program that behaves badly, and against ExifTool where it is installed.

#[path = "../../../tests/hostile_names/mod.rs"]
mod hostile_names;

use super::*;
use solio_base::Result;
use solio_base::names::OsStrBytes;
use solio_io::probe::write_plain;
use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;

/// Answers as ExifTool does, with the name it was asked for; some names bring it down.
const FAKE: &str = r#"#!/bin/sh
answer() {
    case "$name" in
    *hang*) sleep 100 ;;
    *die*) echo "Can't go on" >&2; exit 3 ;;
    *endless*) while :; do echo 0123456789; done ;;
    *garbage*) echo "no JSON {at all" ;;
    *silent*) echo "Error: Odd file - $name" >&2 ;;
    *two*) echo '[{"A:B":1},{"A:B":2}]' ;;
    *early*) echo "{ready999}" ;;
    *unknown*) echo '[{"ExifTool:Error": "Unknown file type"}]' ;;
    *) printf '[{\n  "SourceFile": "?",\n  "Fake:Name": "%s",\n  "Fake:Process": %s\n}]\n' "${name##*/}" $$ ;;
    esac
}
if [ "$1" != "-stay_open" ]; then
    for name; do :; done
    answer
    exit
fi
while IFS= read -r line; do
    case "$line" in
    -execute*) answer; echo "{ready${line#-execute}}" >&2; echo "{ready${line#-execute}}" ;;
    -echo4) IFS= read -r line ;;
    *) name=$line ;;
    esac
done
"#;

struct Fake {
    folder: tempfile::TempDir,
    pool: ExifTool,
}

impl Fake {
    fn new() -> Fake {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("fake");
        write_plain(&program, FAKE.as_bytes()).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        let options = ExifToolOptions { program, timeout_s: 0.4, ..ExifToolOptions::default() };
        Fake { pool: ExifTool::new(options).unwrap(), folder }
    }

    fn read(&self, name: &[u8]) -> Result<Metadata> {
        let path = self.folder.path().join(OsStr::from_bytes(name));
        write_plain(&path, b"content").unwrap();
        self.pool.read(&path, &[], &Cancel::default())
    }

    fn value(&self, name: &[u8], tag: &str) -> String {
        self.read(name).unwrap().get(tag).unwrap().text().plain()
    }

    fn error(&self, name: &[u8]) -> String {
        self.read(name).unwrap_err().message().to_owned()
    }
}

#[test]
fn one_process_answers_for_many_files() {
    let fake = Fake::new();
    let process = fake.value(b"a.jpg", "Fake:Process");
    for name in [" space", "-dash", "#hash", "@at", "é", "tail "] {
        assert_eq!(fake.value(name.as_bytes(), "Fake:Name"), name);
        assert_eq!(fake.value(name.as_bytes(), "Fake:Process"), process);
    }
    // Lines cannot hold these.
    assert!(fake.value(b"caf\xe9", "Fake:Process") != process);
    assert!(fake.error(b"new\nline").contains("not what it should be"), "the fake quotes nothing");
}

#[test]
fn what_goes_wrong_costs_its_file_alone() {
    let fake = Fake::new();
    assert_eq!(fake.value(b"a.jpg", "Fake:Name"), "a.jpg");
    let wrong: [(&[u8], &str); 9] = [
        (b"hang", "did not answer within 0.4 s"),
        (b"hang\xff", "did not answer within 0.4 s"),
        (b"die", "ended while it read this file: Can't go on"),
        (b"endless", "did not answer within 0.4 s"),
        (b"garbage", "not what it should be"),
        (b"silent", "ExifTool: Odd file"),
        (b"two", "for 2 files"),
        (b"early", "answered {ready999} where"),
        (b"unknown", "Unknown file type"),
    ];
    for (name, message) in wrong {
        let said = fake.error(name);
        assert!(said.contains(message), "{name:?}: {said}");
        assert_eq!(fake.value(b"b.jpg", "Fake:Name"), "b.jpg");
    }
}

#[test]
fn what_is_no_exiftool_is_given_up() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing");
    let start = |program: &Path| {
        let program = program.to_owned();
        ExifTool::new(ExifToolOptions { program, timeout_s: 0.2, ..ExifToolOptions::default() })
    };
    let error = start(&missing).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Io);
    assert!(error.hint_text().unwrap().contains("libimage-exiftool-perl"));

    let pool = start(Path::new("/bin/cat")).unwrap();
    let error = || pool.read(folder.path(), &[], &Cancel::default()).unwrap_err().to_string();
    assert!(error().contains("directory"));
    let path = folder.path().join("a");
    write_plain(&path, b"content").unwrap();
    let error = || pool.read(&path, &[], &Cancel::default()).unwrap_err().to_string();
    let errors: Vec<String> = (0..5).map(|_| error()).collect();
    assert!(errors[0].contains("ExifTool"), "{errors:?}");
    assert!(errors[3].contains("does not answer as ExifTool does"), "{errors:?}");
}

#[test]
fn waiting_ends_when_the_work_is_cancelled() {
    let fake = Fake::new();
    let cancel = Cancel::default();
    cancel.cancel();
    let path = fake.folder.path().join("hang");
    write_plain(&path, b"").unwrap();
    assert_eq!(fake.pool.read(&path, &[], &cancel).unwrap_err().kind(), ErrorKind::Cancelled);
}

/// Names that programs stumble over, each with a picture of its own orientation.
#[test]
#[allow(clippy::print_stdout)]
fn exiftool_reads_files_of_all_names() {
    let options = ExifToolOptions { numbers: true, ..ExifToolOptions::default() };
    let Ok(pool) = ExifTool::new(options) else {
        println!("skipped: exiftool is not installed");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    for (n, name) in hostile_names::names().iter().enumerate() {
        let path = folder.path().join(OsStr::from_bytes(name));
        write_plain(&path, &hostile_names::tiff(n as u8 + 1)).unwrap();
        let fields = ["Orientation".to_owned()];
        let read = pool.read(&path, &fields, &Cancel::default());
        let read = read.unwrap_or_else(|e| panic!("{e}"));
        let shown: Vec<String> = read.tags.iter().map(|tag| tag.number().plain()).collect();
        assert_eq!(shown, [(n + 1).to_string()], "{path:?}");
    }
}
