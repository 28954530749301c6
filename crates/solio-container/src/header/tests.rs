//! The facts of small files made by hand.

use super::{ColorModel, ContainerHeader, SampleKind, container_header};
use crate::check::tests::{boxed, chunk, gif, jpeg, png, psd, riff, segment, tiff};
use solio_kinds::FileKind;

fn header(kind: &str, bytes: &[u8]) -> Option<(u32, u32, u16, u16, bool)> {
    let header = container_header(FileKind::of_name(kind).unwrap(), &bytes).unwrap()?;
    let ContainerHeader { width, height, bits, channels, has_profile, .. } = header;
    Some((width, height, bits, channels, has_profile))
}

#[test]
fn each_container_tells_size_depth_channels_and_profile() {
    assert_eq!(header("jpeg", &jpeg()), Some((640, 480, 8, 1, false)));
    let profile = segment(0xe2, b"ICC_PROFILE\0\x01\x01");
    let colored = [&[0xff, 0xd8][..], &profile, &jpeg()[2..]].concat();
    assert_eq!(header("jpeg", &colored), Some((640, 480, 8, 1, true)));
    assert_eq!(header("png", &png()), Some((2, 3, 8, 1, false)));
    let (start, rest) = (&png()[..33], &png()[33..]);
    let colored = [start, &chunk(b"iCCP", b"x\0\0"), rest].concat();
    assert_eq!(header("png", &colored), Some((2, 3, 8, 1, true)));
    assert_eq!(header("gif", &gif()), Some((5, 4, 1, 1, false)));
    assert_eq!(header("tiff", &tiff()), Some((10, 4, 1, 1, false)));
    assert_eq!(header("psd", &psd()), Some((3, 2, 8, 1, false)));
}

#[test]
fn each_kind_of_webp_has_its_size_elsewhere() {
    let webp = |kind: &[u8; 4], body: &[u8]| {
        let size = (body.len() as u32).to_le_bytes();
        [b"RIFF\0\0\0\0WEBP", &kind[..], &size, body].concat()
    };
    let extended = webp(b"VP8X", &[0x30, 0, 0, 0, 0x7f, 2, 0, 0xdf, 1, 0]);
    assert_eq!(header("webp", &extended), Some((640, 480, 8, 4, true)));
    let lossy = webp(b"VP8 ", &[0, 0, 0, 0x9d, 1, 0x2a, 0x80, 2, 0xe0, 0x41]);
    assert_eq!(header("webp", &lossy), Some((640, 480, 8, 3, false)));
    let bits = (639u32 | 479 << 14 | 1 << 28).to_le_bytes();
    let lossless = webp(b"VP8L", &[&[0x2f][..], &bits].concat());
    assert_eq!(header("webp", &lossless), Some((640, 480, 8, 4, false)));
    // A picture without its mark.
    assert_eq!(header("webp", &riff()), None);
}

#[test]
fn the_largest_of_the_extents_is_the_picture() {
    let extent =
        |width: u8, height: u8| boxed(b"ispe", &[0, 0, 0, 0, 0, 0, 0, width, 0, 0, 0, height]);
    let depth = boxed(b"pixi", &[0, 0, 0, 0, 3, 10, 10, 10]);
    let color = boxed(b"colr", b"prof");
    let all = [extent(9, 5), extent(200, 100), depth, color].concat();
    let properties = boxed(b"iprp", &boxed(b"ipco", &all));
    let meta = boxed(b"meta", &[&[0; 4][..], &properties].concat());
    let file = [boxed(b"ftyp", b"heic\0\0\0\0"), meta].concat();
    assert_eq!(header("heif", &file), Some((200, 100, 10, 3, true)));
    let inner = [boxed(b"ihdr", &[0, 0, 0, 4, 0, 0, 0, 6, 0, 3, 7, 7, 0, 0]), boxed(b"colr", &[2])];
    let file = boxed(b"jp2h", &inner.concat());
    assert_eq!(header("jp2", &file), Some((6, 4, 8, 3, true)));
}

#[test]
fn headers_that_are_cut_or_missing() {
    for (kind, bytes) in [("jpeg", jpeg()), ("png", png()), ("gif", gif()), ("psd", psd())] {
        for end in 0..bytes.len() {
            let found = header(kind, &bytes[..end]);
            assert!(found.is_none() || found == header(kind, &bytes), "{kind} cut at {end}");
        }
        assert_eq!(header(kind, &bytes[..12]), None);
    }
    for kind in ["tiff", "webp", "heif", "jp2", "mp4", "obj"] {
        assert_eq!(header(kind, b"none of these"), None);
    }
}

#[test]
fn each_container_tells_what_its_samples_are() {
    let color = |kind: &str, bytes: &[u8]| {
        let header = container_header(FileKind::of_name(kind).unwrap(), &bytes).unwrap().unwrap();
        (header.color, header.sample)
    };
    let integers = |color| (color, SampleKind::Uint);
    // A frame of three components is YCbCr, unless Adobe's segment says that nothing was changed.
    let frame = b"\0\x08\x01\xe0\x02\x80\x03\x01\x11\0\x02\x11\0\x03\x11\0";
    let picture = |adobe: &[u8]| [b"\xff\xd8", adobe, &segment(0xc0, &frame[1..])].concat();
    assert_eq!(color("jpeg", &picture(b"")), integers(ColorModel::YCbCr));
    let adobe = |transform| segment(0xee, &[b"Adobe\0\x64\0\0\0\0", &[transform][..]].concat());
    assert_eq!(color("jpeg", &picture(&adobe(1))), integers(ColorModel::YCbCr));
    assert_eq!(color("jpeg", &picture(&adobe(0))), integers(ColorModel::Rgb));
    assert_eq!(color("jpeg", &jpeg()), integers(ColorModel::Grey));
    assert_eq!(color("gif", &gif()), integers(ColorModel::Palette));
    // Width, height, PhotometricInterpretation and SampleFormat.
    let page = |photometric: u16, format: u16| {
        let entries = [(0x100, 4), (0x101, 3), (0x102, 32), (0x106, photometric), (0x153, format)];
        let mut bytes = b"II*\0\x08\0\0\0\x05\0".to_vec();
        for (tag, value) in entries {
            bytes.extend([tag, 3, 1, 0, value, 0].into_iter().flat_map(u16::to_le_bytes));
        }
        [bytes, vec![0; 4]].concat()
    };
    assert_eq!(color("tiff", &page(1, 1)), integers(ColorModel::Grey));
    assert_eq!(color("tiff", &page(2, 3)), (ColorModel::Rgb, SampleKind::Float));
    assert_eq!(color("tiff", &page(5, 2)), (ColorModel::Cmyk, SampleKind::Int));
    assert_eq!(color("tiff", &page(32803, 1)), integers(ColorModel::Cfa));
    let hdr = b"#?RADIANCE\nFORMAT=32-bit_rle_xyze\n\n-Y 3 +X 4\n";
    assert_eq!(color("hdr", hdr), (ColorModel::Xyz, SampleKind::Float));
    assert_eq!(header("hdr", hdr), Some((4, 3, 32, 3, false)));
    assert_eq!(header("hdr", b"#?RADIANCE\n\n-Y 3\n"), None);
}
