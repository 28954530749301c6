use super::*;
use solio_io::probe::write_plain;

const TRIANGLE: &[u8] = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

/// A name that means something in HTML, as far as the system has such.
fn odd_name() -> &'static str {
    let odd = "<a> & b.obj";
    if solio_io::check_new_name(odd.as_ref()).is_ok() { odd } else { "a & b.obj" }
}

/// A sequence, meshes, a file that is broken, and one that is nothing to look at.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::create_dir(path("in")).unwrap();
    for (name, content) in [
        (odd_name(), TRIANGLE),
        ("in/c.obj", TRIANGLE),
        ("bad.png", b"\x89PNG\r\n\x1a\n"),
        ("notes.txt", b"nothing to look at"),
    ] {
        write_plain(&path(name), content).unwrap();
    }
    for frame in [1, 2, 3, 5] {
        let picture = image::RgbImage::from_pixel(40, 20, image::Rgb([50 * frame, 0, 0]));
        let mut bytes = std::io::Cursor::new(Vec::new());
        picture.write_to(&mut bytes, image::ImageFormat::Png).unwrap();
        write_plain(&path(&format!("shot.{frame:04}.png")), bytes.get_ref()).unwrap();
    }
    folder
}

fn made(name: &str, threads: usize, options: &SheetOptions) -> (SheetDone, Vec<u8>) {
    let (folder, out) = (folder(), tempfile::tempdir().unwrap());
    let output = out.path().join(name);
    let work = Work { threads, ..Work::default() };
    let done = write_sheet(&[folder.path().to_owned()], &output, options, &work).unwrap();
    let bytes = solio_io::read_whole(&output, &Default::default(), &work).unwrap();
    (done, bytes)
}

#[test]
fn a_page_holds_a_cell_for_each_file_and_sequence() {
    let (done, page) = made("sheet.html", 2, &SheetOptions::default());
    assert_eq!((done.cells, done.passed_by, done.failed.len()), (4, 1, 1));
    assert!(done.failed[0].path().unwrap().ends_with("bad.png"));
    let page = String::from_utf8(page).unwrap();
    assert_eq!(page.matches("<figure").count(), 4);
    assert_eq!(page.matches("<figure class=\"bad\"").count(), 1);
    assert_eq!(page.matches("data:image/jpeg;base64,").count(), 3);
    assert_eq!(page.matches("<h2>").count(), 2);
    let shown = odd_name().replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    assert!(page.contains(&shown) && !page.contains("> & b") && !page.contains("a & b"));
    assert!(page.contains("shot.1-5#.png") && page.contains("4 frames, missing 4"), "{page:.9000}");
    assert!(
        !page.contains("<!--") && !page.contains("/*SIZE") && page.trim_end().ends_with("</html>")
    );
}

#[test]
fn a_picture_is_the_same_whatever_the_number_of_threads() {
    let mut options = SheetOptions { columns: Some(3), ..SheetOptions::default() };
    options.thumbnail.size = 64;
    options.thumbnail.preview.tone_map = Some(solio_color::ToneMap::None);
    let (done, one) = made("sheet.png", 1, &options);
    assert_eq!(done.cells, 4);
    assert_eq!(made("sheet.png", 4, &options).1, one);
    let picture = image::load_from_memory(&one).unwrap().into_rgb8();
    assert_eq!((picture.width(), picture.height()), (10 + 3 * 74, 10 + 2 * (64 + 5 + 45 + 10)));
    // The middle frame of the sequence, which is the third cell, and the two others below.
    let red = |x: u32, y: u32| picture.get_pixel(10 + 2 * 74 + x, 10 + y)[0];
    let top = (64 - (20 + 2 + 10)) / 2 + 3;
    assert_eq!([red(32, top), red(16, top + 22), red(48, top + 22)], [150, 50, 250]);
}

#[test]
fn a_sheet_does_not_show_itself() {
    let folder = folder();
    for name in ["sheet.png", "sheet.html"] {
        let output = folder.path().join(name);
        let counts = || {
            let paths = [folder.path().to_owned()];
            let done = write_sheet(&paths, &output, &SheetOptions::default(), &Work::default());
            let done = done.unwrap();
            (done.cells, done.passed_by, done.failed.len())
        };
        let first = counts();
        assert_eq!(counts(), first, "{name}");
        // Nor where it is named, by whatever name.
        let link = folder.path().join("link.png");
        if solio_io::probe::symlink(name, &link).is_err() {
            continue; // there are none
        }
        let (paths, options) = (std::slice::from_ref(&link), SheetOptions::default());
        let done = write_sheet(paths, &output, &options, &Work::default()).unwrap();
        assert_eq!(done.cells, 0, "{name}");
        std::fs::remove_file(&link).unwrap();
    }
}

#[test]
fn what_is_no_sheet_is_refused() {
    let folder = folder();
    let write = |name: &str, paths: &[PathBuf], work: &Work| {
        write_sheet(paths, &folder.path().join(name), &SheetOptions::default(), work)
    };
    let all = [folder.path().to_owned()];
    for paths in [&all[..], &[]] {
        let error = write("a.pdf", paths, &Work::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Argument);
    }
    let little = Work { memory_bytes: 1 << 20, ..Work::default() };
    assert_eq!(write("a.png", &all, &little).unwrap_err().kind(), ErrorKind::Limit);
    assert!(!folder.path().join("a.pdf").exists() && !folder.path().join("a.png").exists());
}
