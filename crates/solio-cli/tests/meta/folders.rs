//! Folders among the inputs, whatever they are called.

use crate::hostile_names::tiff;
use crate::ran::run as solio;

#[test]
fn a_folder_named_like_a_photo_is_a_folder() {
    let dir = tempfile::tempdir().unwrap();
    for folder in ["x.jpg", "x.jpg/y.tif", "plain"] {
        std::fs::create_dir(dir.path().join(folder)).unwrap();
    }
    let files =
        ["a.tif", "x.jpg/b.tif", "x.jpg/c.tif", "x.jpg/y.tif/d.tif", "plain/e.tif", "z.tif"];
    for (n, file) in files.iter().enumerate() {
        std::fs::write(dir.path().join(file), tiff(n as u8 + 1)).unwrap();
    }
    let read = |words: &[&str], form: &str| {
        let start = ["meta", "-n", "-f", "Orientation", form];
        let ran = solio(dir.path(), &[&start, words].concat(), b"").fine();
        let all: Vec<serde_json::Value> = match form {
            "--jsonl" => ran.json(),
            _ => serde_json::from_str(ran.text()).unwrap(),
        };
        let line = |file: &serde_json::Value| {
            (file["SourceFile"].as_str().unwrap().to_owned(), file["IFD0:Orientation"].to_string())
        };
        all.iter().map(line).collect::<Vec<_>>()
    };
    let wanted = |all: &[usize]| {
        all.iter().map(|&n| (files[n].to_owned(), (n + 1).to_string())).collect::<Vec<_>>()
    };
    for form in ["--json", "--jsonl"] {
        let some = read(&["a.tif", "x.jpg", "plain", "z.tif"], form);
        assert_eq!(some, wanted(&[0, 1, 2, 4, 5]), "{form}");
        assert_eq!(read(&["x.jpg"], form), wanted(&[1, 2]), "{form}");
        let all = read(&["-r", "a.tif", "x.jpg", "plain", "z.tif"], form);
        assert_eq!(all, wanted(&[0, 1, 2, 3, 4, 5]), "{form}");
    }
    let csv = solio(dir.path(), &["meta", "--csv", "-f", "Orientation", "x.jpg", "a.tif"], b"");
    assert_eq!(csv.fine().text().lines().count(), 4);
}

// Windows has no sockets among its files.
#[cfg(unix)]
#[test]
fn what_is_no_file_in_a_folder_is_passed_over() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("a.tif"), tiff(1)).unwrap();
    // As a pipe, which would be waited for.
    let _socket = std::os::unix::net::UnixListener::bind(dir.path().join("b.tif")).unwrap();
    for args in [&["."][..], &["-r", "."]] {
        let ran = solio(dir.path(), &[&["meta", "--jsonl"], args].concat(), b"").fine();
        assert_eq!(ran.json().len(), 1, "{}", ran.text());
    }
}
