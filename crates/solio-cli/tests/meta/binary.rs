//! `solio meta -b`: the bytes of one value.

use crate::hostile_names::tiff;
use crate::ran::run as solio;

/// JPEG with a thumbnail in EXIF and a profile in two segments.
fn jpeg() -> Vec<u8> {
    let segment = |marker: u8, body: &[u8]| {
        [&[0xff, marker][..], &(body.len() as u16 + 2).to_be_bytes(), body].concat()
    };
    let mut exif = b"Exif\0\0II*\0\x08\0\0\0\0\0\x0e\0\0\0\x02\0".to_vec();
    exif.extend(b"\x01\x02\x04\0\x01\0\0\0\x2c\0\0\0\x02\x02\x04\0\x01\0\0\0\x05\0\0\0\0\0\0\0");
    exif.extend(b"\xff\xd8\xff\xd9!");
    let profile = profile();
    let part = |n: u8, bytes: &[u8]| [b"ICC_PROFILE\0", &[n, 2][..], bytes].concat();
    [
        b"\xff\xd8".to_vec(),
        segment(0xe1, &exif),
        segment(0xe2, &part(1, &profile[..70])),
        segment(0xe2, &part(2, &profile[70..])),
        b"\xff\xd9".to_vec(),
    ]
    .concat()
}

fn profile() -> Vec<u8> {
    let mut profile: Vec<u8> = (0..132).collect();
    profile[128..].fill(0);
    profile
}

#[test]
fn values_come_as_they_are() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("a.jpg"), jpeg()).unwrap();
    std::fs::write(dir.path().join("a.tif"), tiff(6)).unwrap();
    let value = |field, file| solio(dir.path(), &["meta", "-b", "-f", field, file], b"").fine().out;
    assert_eq!(value("ThumbnailImage", "a.jpg"), b"\xff\xd8\xff\xd9!");
    assert_eq!(value("IFD1:ThumbnailImage", "a.jpg"), b"\xff\xd8\xff\xd9!");
    assert_eq!(value("ICC_Profile", "a.jpg"), profile());
    // As a number: words are for people.
    assert_eq!(value("Orientation", "a.tif"), b"6");
}

#[test]
fn what_is_not_one_value_of_one_file_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("a.jpg"), jpeg()).unwrap();
    let end = jpeg().len() - 160;
    std::fs::write(dir.path().join("cut.jpg"), &jpeg()[..end]).unwrap();
    for (words, code, message) in [
        (&["-b", "-f", "PreviewImage", "a.jpg"][..], 1, "a.jpg: there is no PreviewImage"),
        (&["-b", "-f", "ThumbnailImage", "a.jpg", "cut.jpg"], 2, "one field of one file"),
        (&["-b", "-f", "ThumbnailImage,ICC_Profile", "a.jpg"], 2, "one field of one file"),
        (&["-b", "a.jpg"], 2, "--fields"),
        (&["-b", "--json", "-f", "ICC_Profile", "a.jpg"], 2, "cannot be used with"),
        (&["-b", "-f", "ICC_Profile", "--engine", "both", "a.jpg"], 2, "native engine"),
    ] {
        let ran = solio(dir.path(), &[&["meta"], words].concat(), b"");
        assert_eq!((ran.code, ran.out.len()), (code, 0), "{words:?}: {}", ran.err);
        assert!(ran.err.contains(message), "{words:?}: {}", ran.err);
    }
}
