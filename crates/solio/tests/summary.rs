//! What is said of a file in a few facts: size, samples, channels, profile, orientation.

use solio::{FactValue, summarize};
use std::path::Path;

/// The facts of a file with these bytes.
fn facts(name: &str, bytes: &[u8]) -> Vec<(&'static str, String)> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    solio::write_bytes(&path, bytes).unwrap();
    of_path(&path)
}

fn of_path(path: &Path) -> Vec<(&'static str, String)> {
    let summary = summarize(path, &Default::default(), &Default::default()).unwrap();
    let text = |value: FactValue| match value {
        FactValue::Integer(number) => number.to_string(),
        FactValue::Text(text) => text,
        FactValue::List(all) => all.join("; "),
    };
    summary.facts.into_iter().map(|(name, value)| (name, text(value))).collect()
}

fn check(found: &[(&'static str, String)], expected: &[(&str, &str)]) {
    for (name, value) in expected {
        let fact = found.iter().find(|(known, _)| known == name);
        assert_eq!(fact.map(|(_, value)| value.as_str()), Some(*value), "{name} of {found:?}");
    }
}

/// A TIFF page of numbers of 16 bits, and behind it one of a thumbnail.
fn tiff(entries: &[(u16, u16)], thumbnail: &[(u16, u16)]) -> Vec<u8> {
    let page = |entries: &[(u16, u16)], next: u32| {
        let mut bytes = (entries.len() as u16).to_le_bytes().to_vec();
        for (tag, value) in entries {
            bytes.extend([*tag, 3, 1, 0, *value, 0].into_iter().flat_map(u16::to_le_bytes));
        }
        [bytes, next.to_le_bytes().to_vec()].concat()
    };
    let behind = 8 + 2 + 12 * entries.len() as u32 + 4;
    [b"II*\0\x08\0\0\0".to_vec(), page(entries, behind), page(thumbnail, 0)].concat()
}

fn segment(marker: u8, data: &[u8]) -> Vec<u8> {
    [&[0xff, marker][..], &(data.len() as u16 + 2).to_be_bytes(), data].concat()
}

#[test]
fn images_that_are_written_here_are_told_as_what_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let map = solio::color::gradient::colormap("magma").unwrap();
    let png = solio::gradient_strips(&[map], [24, 16]).unwrap().to_png().unwrap();
    solio::write_bytes(&at("a.png"), &png).unwrap();
    let size = [("width", "24"), ("height", "16")];
    for (name, bits, number, channels) in [
        ("b.png", Some(16), "uint16", "RGB (3)"),
        ("b.jpg", None, "uint8", "YCbCr (3)"),
        ("b.tif", None, "uint8", "RGB (3)"),
        ("c.tif", Some(32), "float32", "RGB (3)"),
        ("b.hdr", None, "float32 (shared exponent)", "RGB (3)"),
    ] {
        let picture = solio::PictureOptions { bits, ..Default::default() };
        let options = solio::ImageConvertOptions { picture, ..Default::default() };
        solio::convert_image(&at("a.png"), &at(name), &options, &Default::default()).unwrap();
        let found = of_path(&at(name));
        check(&found, &size);
        check(&found, &[("type", number), ("channels", channels)]);
    }
}

#[test]
fn a_thumbnail_says_nothing_about_the_picture() {
    // Width, height, bits, photometric interpretation; orientation; compression of the thumbnail.
    let page = [(0x100, 40), (0x101, 30), (0x102, 16), (0x106, 1), (0x112, 6)];
    let small = [(0x100, 4), (0x101, 3), (0x102, 8), (0x103, 6), (0x106, 2)];
    let found = facts("a.tif", &tiff(&page, &small));
    let size = [("width", "40"), ("height", "30"), ("type", "uint16"), ("channels", "grey (1)")];
    check(&found, &size);
    check(&found, &[("orientation", "Rotate 90 CW")]);
    assert!(!found.iter().any(|(name, _)| *name == "compression"), "{found:?}");
    let exif = [b"Exif\0\0".to_vec(), tiff(&page[4..], &small)].concat();
    let frame = [8, 0, 20, 0, 50, 1, 1, 0x11, 0];
    let jpeg = [b"\xff\xd8".to_vec(), segment(0xe1, &exif), segment(0xc0, &frame)].concat();
    let found = facts("a.jpg", &jpeg);
    let size = [("width", "50"), ("height", "20"), ("type", "uint8"), ("channels", "grey (1)")];
    check(&found, &size);
    check(&found, &[("orientation", "Rotate 90 CW")]);
    assert!(!found.iter().any(|(name, _)| *name == "compression"), "{found:?}");
}

#[test]
fn pictures_that_are_not_decoded_are_told_by_their_structure() {
    let psd = b"8BPS\0\x01\0\0\0\0\0\0\0\x04\0\0\0\x02\0\0\0\x03\0\x10\0\x04";
    let psd = [psd, &[0; 14][..]].concat();
    let found = facts("a.psd", &psd);
    check(&found, &[("width", "3"), ("height", "2"), ("type", "uint16"), ("channels", "CMYK (4)")]);
    let gif = b"GIF89a\x05\0\x04\0\x80\0\0\0\0\0\xff\xff\xff\x3b";
    check(&facts("a.gif", gif), &[("width", "5"), ("height", "4"), ("channels", "palette (1)")]);
    let webp = b"RIFF\x16\0\0\0WEBPVP8X\x0a\0\0\0\x30\0\0\0\x7f\x02\0\xdf\x01\0";
    let found = facts("a.webp", webp);
    check(
        &found,
        &[("width", "640"), ("height", "480"), ("type", "uint8"), ("channels", "RGB (4)")],
    );
    check(&found, &[("profile", "ICC")]);
}
