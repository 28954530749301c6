#![allow(clippy::print_stdout)] // says what it skips
use super::*;
use solio_io::probe::write_plain;

fn small(name: &str, content: &[u8]) -> Result<Thumbnail> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    write_plain(&path, content).unwrap();
    let options = ThumbnailOptions { size: 32, ..ThumbnailOptions::default() };
    thumbnail_of(&path, &options, &Work::default())
}

fn pixel(of: &Thumbnail, x: u32, y: u32) -> [u8; 3] {
    let at = 3 * (y * of.width + x) as usize;
    [of.pixels[at], of.pixels[at + 1], of.pixels[at + 2]]
}

#[test]
fn a_mesh_is_shaded_in_the_middle() {
    let cube = b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n\
        f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 3 4 8 7\nf 2 3 7 6\nf 1 5 8 4\n";
    let made = small("a.obj", cube).unwrap();
    assert_eq!((made.width, made.height, made.kind.as_str()), (32, 32, "obj"));
    assert_eq!((made.dimensions.as_str(), made.details.as_str()), ("6 faces", "8 vertices, Y up"));
    assert_eq!(pixel(&made, 0, 0), [DRAWN_GROUND; 3]);
    let [top, front] = [pixel(&made, 16, 9), pixel(&made, 14, 20)];
    assert!(top[0] > front[0] && front[0] > DRAWN_GROUND, "{top:?} {front:?}");
    // It touches the margin at the widest place, and goes not beyond.
    let is_ground = |x: u32, y: u32| pixel(&made, x, y) == [DRAWN_GROUND; 3];
    assert!(
        (0..32).all(|i| [(0, i), (31, i), (i, 0), (i, 31)].iter().all(|p| is_ground(p.0, p.1)))
    );
    let sides = |i: u32| [(2, i), (29, i), (i, 2), (i, 29)];
    assert!((0..32).any(|i| sides(i).iter().any(|p| !is_ground(p.0, p.1))));
}

/// Like the letter Г: a mast, and an arm at its top, to the right.
const LETTER: &str = "v 0 0 0\nv 1 0 0\nv 1 9 0\nv 0 9 0\nv 5 9 0\nv 5 8 0\nv 1 8 0\n";

#[test]
fn right_is_right_of_faces_and_points() {
    for faces in ["f 1 2 3 4\nf 3 5 6 7\n", ""] {
        let made = small("a.obj", format!("{LETTER}{faces}").as_bytes()).unwrap();
        let drawn = |x: u32, y: u32| pixel(&made, x, y) != [DRAWN_GROUND; 3];
        let columns = |rows: std::ops::Range<u32>| {
            let row = move |x| rows.clone().any(|y| drawn(x, y));
            (0..32).filter(move |x| row(*x)).collect::<Vec<u32>>()
        };
        let (top, foot) = (columns(0..16), columns(16..32));
        assert!(top.last() > foot.last(), "{top:?} {foot:?}");
        assert!(top[0].abs_diff(foot[0]) < 3, "{top:?} {foot:?}");
    }
}

#[test]
fn points_are_drawn_without_faces() {
    let made = small("a.obj", b"v 0 0 0\nv 1 1 1\nv nan 0 0\n").unwrap();
    assert_eq!(made.dimensions, "3 points");
    assert!(made.pixels.iter().any(|p| *p > 200));
    assert!(small("a.obj", b"o nothing\n").is_err());
}

#[test]
fn the_picture_within_a_raw_photo_is_previewed_as_pictures_are() {
    let folder = tempfile::tempdir().unwrap();
    let [png, jpg, photo] = ["a.png", "a.jpg", "a.nef"].map(|name| folder.path().join(name));
    let map = solio_color::gradient::colormap("magma").unwrap();
    let strips = crate::gradient_strips(&[map], [32, 16]).unwrap();
    write_plain(&png, &strips.to_png().unwrap()).unwrap();
    crate::convert_image(&png, &jpg, &Default::default(), &Work::default()).unwrap();
    let jpeg = solio_io::read_whole(&jpg, &Limits::default(), &Work::default()).unwrap();
    // Two directories; the second has the place and the length of a JPEG file behind them.
    let bytes = [
        &b"II*\0\x08\0\0\0\0\0\x0e\0\0\0\x02\0\x01\x02\x04\0\x01\0\0\0\x2c\0\0\0"[..],
        b"\x02\x02\x04\0\x01\0\0\0",
        &(jpeg.len() as u32).to_le_bytes(),
        &[0; 4],
        &jpeg,
    ];
    write_plain(&photo, &bytes.concat()).unwrap();
    let made = |exposure, most| {
        let options = PreviewOptions { exposure, most, ..PreviewOptions::default() };
        crate::preview_file(&photo, &options, &Work::default()).unwrap()
    };
    let (usual, bright) = (made(0.0, None), made(2.0, None));
    assert_eq!((usual.width, usual.height), (32, 16));
    let sum = |of: &crate::Preview| of.pixels.iter().map(|p| u32::from(*p)).sum::<u32>();
    assert!(sum(&bright) > sum(&usual));
    let wide = made(0.0, Some([24, 12]));
    assert_eq!((wide.width, wide.height), (24, 12));
    // It is a finished picture.
    let mapped = |tone_map| {
        let options = PreviewOptions { tone_map: Some(tone_map), ..PreviewOptions::default() };
        crate::preview_file(&photo, &options, &Work::default()).unwrap()
    };
    assert!(mapped(crate::ToneMap::None) == usual);
    assert!(mapped(crate::ToneMap::Neutral) != usual);
}

#[test]
fn white_stays_white_unless_another_tone_mapping_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.png");
    write_plain(&path, &solio_image::png(&[255; 12], 2, 2, false).unwrap()).unwrap();
    let white = |tone_map| {
        let preview = PreviewOptions { tone_map, ..PreviewOptions::default() };
        let options = ThumbnailOptions { preview, ..ThumbnailOptions::default() };
        pixel(&thumbnail_of(&path, &options, &Work::default()).unwrap(), 0, 0)[0]
    };
    assert_eq!(white(None), 255);
    assert!(white(Some(crate::ToneMap::Neutral)) < 250);
}

#[test]
fn what_is_nothing_to_look_at_says_so() {
    let error = small("a.nef", b"II*\0\x08\0\0\0\0\0\0\0\0\0").unwrap_err();
    assert!(error.to_string().contains("no picture within"), "{error}");
    assert!(small("a.png", b"\x89PNG\r\n\x1a\n").is_err());
    assert!(small("a.exr", b"").is_err());
    assert!(has_thumbnail("A.OBJ.gz".as_ref()) && !has_thumbnail("a.txt".as_ref()));
}

#[test]
fn what_can_be_seen_through_lies_on_a_chessboard() {
    assert_eq!(on_ground(&[255, 0, 9, 255, 1, 2, 3, 0], 2, GROUNDS), [255, 0, 9, 72, 72, 72]);
    let row = on_ground(&[0; 4 * 16], 16, GROUNDS);
    assert_eq!((row[3 * 7], row[3 * 8]), (GROUNDS[0], GROUNDS[1]));
}

#[test]
fn real_files_of_every_kind() {
    let Some(data) = std::env::var_os("SOLIO_DATA") else {
        println!("skipped: SOLIO_DATA names no folder");
        return;
    };
    let (files, _) =
        crate::files_below(&[data.into()], &crate::Filter::default(), &Work::default()).unwrap();
    let options = ThumbnailOptions { size: 48, ..ThumbnailOptions::default() };
    let mut made = 0;
    // Some of the files are broken on purpose: an error is fine, a panic is not.
    for path in files.iter().filter(|path| has_thumbnail(path)).step_by(7) {
        let Ok(small) = thumbnail_of(path, &options, &Work::default()) else { continue };
        made += 1;
        assert!((1..=48).contains(&small.width) && (1..=48).contains(&small.height), "{path:?}");
        assert_eq!(small.pixels.len(), 3 * (small.width * small.height) as usize);
        assert!(!small.kind.is_empty() && !small.to_jpeg(85).unwrap().is_empty());
    }
    assert!(made > 20, "{made}");
}
