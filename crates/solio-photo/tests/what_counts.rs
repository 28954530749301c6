//! Of several statements of one name the right one counts, whether all are read or that one alone;
//! and what lies in several places is read as a whole.

use solio_photo::{Fields, Gap, JsonOptions, Metadata, ReadOptions, Value, decode_metadata, json};

/// An entry of a directory: number, type, count, value or place.
fn entry(id: u16, kind: u16, count: u32, value: [u8; 4]) -> Vec<u8> {
    [&id.to_le_bytes()[..], &kind.to_le_bytes(), &count.to_le_bytes(), &value].concat()
}

/// A TIFF structure of one directory and what is behind that.
fn tiff(entries: &[Vec<u8>], behind: &[u8]) -> Vec<u8> {
    let count = (entries.len() as u16).to_le_bytes();
    [b"II*\0\x08\0\0\0", &count[..], &entries.concat(), &[0; 4], behind].concat()
}

/// Width and height 4000 and 3000; 33.5° south, 70.25° west, 5.5 m below the sea.
fn stale_and_south() -> Vec<u8> {
    let gps = 8 + 2 + 12 * 3 + 4;
    let number = |n: u32| n.to_le_bytes();
    let values = gps + 2 + 12 * 6 + 4;
    let place = [
        entry(1, 2, 2, *b"S\0\0\0"),
        entry(2, 5, 3, number(values)),
        entry(3, 2, 2, *b"W\0\0\0"),
        entry(4, 5, 3, number(values + 24)),
        entry(5, 1, 1, [1, 0, 0, 0]),
        entry(6, 5, 1, number(values + 48)),
    ];
    let mut behind = [&[6, 0][..], &place.concat(), &[0; 4]].concat();
    for part in [33, 1, 30, 1, 0, 1, 70, 1, 15, 1, 0, 1, 11, 2] {
        behind.extend(number(part));
    }
    let wide = entry(0x100, 3, 1, [0xa0, 0x0f, 0, 0]);
    let high = entry(0x101, 3, 1, [0xb8, 0x0b, 0, 0]);
    tiff(&[wide, high, entry(0x8825, 4, 1, number(gps))], &behind)
}

/// A JPEG of 16 by 8 pixels with these segments in front.
fn jpeg(segments: &[(u8, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = vec![0xff, 0xd8];
    let frame = (0xc0, vec![8, 0, 8, 0, 16, 1, 1, 0x11, 0]);
    for (marker, body) in segments.iter().chain([&frame]) {
        bytes.extend([0xff, *marker]);
        bytes.extend((body.len() as u16 + 2).to_be_bytes());
        bytes.extend(body);
    }
    bytes.extend([0xff, 0xda, 0, 2, 0xff, 0xd9]);
    bytes
}

fn exif(tiff: &[u8]) -> (u8, Vec<u8>) {
    (0xe1, [b"Exif\0\0", tiff].concat())
}

/// A packet of XMP with these properties.
fn packet(properties: &str) -> String {
    format!(
        "<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF \
         xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description \
         xmlns:dc='http://purl.org/dc/elements/1.1/' xmlns:exif='http://ns.adobe.com/exif/1.0/' \
         xmlns:xmpNote='http://ns.adobe.com/xmp/note/' {properties}/></rdf:RDF></x:xmpmeta>"
    )
}

fn xmp(properties: &str) -> (u8, Vec<u8>) {
    (0xe1, [b"http://ns.adobe.com/xap/1.0/\0", packet(properties).as_bytes()].concat())
}

fn read(bytes: &[u8], fields: Fields) -> Metadata {
    decode_metadata(bytes, &ReadOptions { fields, ..ReadOptions::default() }).unwrap()
}

/// The words of a field, read with all others; the same must come when it is read alone.
fn words(bytes: &[u8], field: &str) -> Option<String> {
    let of = |fields| read(bytes, fields).get(field).map(|tag| tag.text().plain());
    let words = of(Fields::all());
    assert_eq!(of(Fields::of([field])), words, "{field} alone");
    words
}

#[test]
fn positions_have_their_signs() {
    let photo = jpeg(&[exif(&stale_and_south())]);
    for (field, text) in [
        ("GPSLatitude", "33 deg 30' 0.00\" S"),
        ("gpslongitude", "70 deg 15' 0.00\" W"),
        ("GPSAltitude", "5.5 m Below Sea Level"),
        ("GPSPosition", "33 deg 30' 0.00\" S, 70 deg 15' 0.00\" W"),
        ("GPS:GPSLatitude", "33 deg 30' 0.00\""),
        ("EXIF:GPSAltitude", "5.5 m"),
    ] {
        assert_eq!(words(&photo, field).as_deref(), Some(text), "{field}");
    }
    let metadata = read(&photo, Fields::of(["GPSLatitude"]));
    assert_eq!(metadata.get("GPSLatitude").unwrap().number().plain(), "-33.5");
}

#[test]
fn the_picture_knows_its_size() {
    let photo = jpeg(&[exif(&stale_and_south())]);
    assert_eq!(words(&photo, "ImageWidth").as_deref(), Some("16"));
    assert_eq!(words(&photo, "ImageHeight").as_deref(), Some("8"));
    assert_eq!(words(&photo, "IFD0:ImageWidth").as_deref(), Some("4000"));
    // In a TIFF file the directory is what knows.
    assert_eq!(words(&stale_and_south(), "ImageWidth").as_deref(), Some("4000"));
}

#[test]
fn a_wildcard_stands_for_all_of_a_group() {
    let photo = jpeg(&[exif(&stale_and_south())]);
    let names = |fields: Fields| -> Vec<String> {
        let metadata = read(&photo, fields);
        metadata
            .tags
            .iter()
            .filter(|t| t.group == "Composite")
            .map(|t| t.name.to_string())
            .collect()
    };
    let all = names(Fields::all());
    assert!(all.contains(&"GPSPosition".to_owned()) && all.contains(&"ImageSize".to_owned()));
    assert_eq!(names(Fields::of(["Composite:*"])), all);
    assert_eq!(names(Fields::of(["composite:*"])), all);
    let metadata = read(&photo, Fields::of(["Composite:*"]));
    assert!(metadata.tags.iter().all(|tag| tag.group == "Composite"));
}

#[test]
fn packets_alone_tell_a_position() {
    let south = "exif:GPSLatitude='33,30.0S' exif:GPSLongitude='70,15.0W' \
                 exif:GPSAltitude='11/2' exif:GPSAltitudeRef='1'";
    let photo = jpeg(&[xmp(south)]);
    for (field, text) in [
        ("Composite:GPSPosition", "33 deg 30' 0.00\" S, 70 deg 15' 0.00\" W"),
        ("Composite:GPSAltitude", "5.5 m Below Sea Level"),
        ("GPSLatitude", "33 deg 30' 0.00\" S"),
    ] {
        assert_eq!(words(&photo, field).as_deref(), Some(text), "{field}");
    }
    let there = jpeg(&[xmp("exif:GPSDestLatitude='1,30.0S' exif:GPSDestLongitude='2,0.0E'")]);
    assert_eq!(words(&there, "Composite:GPSDestLatitudeRef").as_deref(), Some("South"));
    assert_eq!(words(&there, "GPSDestLongitudeRef").as_deref(), Some("East"));
    let nowhere = jpeg(&[xmp("exif:GPSLatitude='S' exif:GPSLongitude='abc'")]);
    assert_eq!(words(&nowhere, "GPSLatitude").as_deref(), Some(""));
    assert_eq!(words(&nowhere, "Composite:GPSPosition"), None);
    assert_eq!(words(&nowhere, "Composite:GPSLatitudeRef"), None);
}

fn boxed(name: &[u8; 4], body: &[u8]) -> Vec<u8> {
    [&(body.len() as u32 + 8).to_be_bytes()[..], name, body].concat()
}

#[test]
fn films_tell_a_position_in_other_places() {
    let film = |user_data: &[u8]| {
        let movie = boxed(b"moov", &boxed(b"udta", user_data));
        [boxed(b"ftyp", b"isom\0\0\0\0isom"), movie].concat()
    };
    // 3GPP: flags, language, name, role, longitude, latitude and altitude of 16.16, body, notes.
    let numbers = [-70.25, -33.5, 12.5].map(|n: f64| ((n * 65536.0) as i32).to_be_bytes());
    let place = [b"\0\0\0\0\x15\xc7Home\0\0", &numbers.concat()[..], b"earth\0notes\0"].concat();
    let of_3gpp = film(&boxed(b"loci", &place));
    let told = "Home Role=shooting Lat=-33.50000 Lon=-70.25000 Alt=12.50 Body=earth Notes=notes";
    for (field, text) in [
        ("UserData:LocationInformation", told),
        ("GPSPosition", "33 deg 30' 0.00\" S, 70 deg 15' 0.00\" W"),
        ("GPSLatitude", "33 deg 30' 0.00\" S"),
        ("GPSAltitude", "12.5 m"),
        ("GPSAltitudeRef", "Above Sea Level"),
    ] {
        assert_eq!(words(&of_3gpp, field).as_deref(), Some(text), "{field}");
    }
    for end in 0..place.len() {
        read(&film(&boxed(b"loci", &place[..end])), Fields::all());
    }
    let handler = [&[0; 8][..], b"mdir", &[0; 13]].concat();
    let text = [&[0, 0, 0, 1, 0, 0, 0, 0][..], b"+35.6586+139.7454/"].concat();
    let list = boxed(b"ilst", &boxed(b"\xa9xyz", &boxed(b"data", &text)));
    let meta = [&[0; 4][..], &boxed(b"hdlr", &handler), &list].concat();
    let of_list = film(&boxed(b"meta", &meta));
    for (field, text) in [
        ("ItemList:GPSCoordinates", "35 deg 39' 30.96\" N, 139 deg 44' 43.44\" E"),
        ("GPSPosition", "35 deg 39' 30.96\" N, 139 deg 44' 43.44\" E"),
    ] {
        assert_eq!(words(&of_list, field).as_deref(), Some(text), "{field}");
    }
}

#[test]
fn films_tell_a_position() {
    let text = b"+27.5916-082.4560-010.000/";
    let place = boxed(b"\xa9xyz", &[&[0, text.len() as u8, 0x15, 0xc7][..], text].concat());
    let mut head = vec![0; 100];
    head[4..8].copy_from_slice(&1_700_000_000u32.to_be_bytes());
    let parts = [boxed(b"mvhd", &head), boxed(b"udta", &place)];
    let film = [boxed(b"ftyp", b"isom\0\0\0\0isom"), boxed(b"moov", &parts.concat())].concat();
    for (field, text) in [
        (
            "UserData:GPSCoordinates",
            "27 deg 35' 29.76\" N, 82 deg 27' 21.60\" W, 10 m Below Sea Level",
        ),
        ("GPSLatitude", "27 deg 35' 29.76\" N"),
        ("Composite:GPSPosition", "27 deg 35' 29.76\" N, 82 deg 27' 21.60\" W"),
        ("GPSAltitude", "10 m"),
        ("GPSAltitudeRef", "Below Sea Level"),
        // Counted from 1970, as some programs do.
        ("CreateDate", "2023:11:14 22:13:20"),
    ] {
        assert_eq!(words(&film, field).as_deref(), Some(text), "{field}");
    }
}

#[test]
fn of_two_in_one_group_one_counts_everywhere() {
    let made_by = |name: &[u8; 4]| exif(&tiff(&[entry(0x10f, 2, 4, *name)], &[]));
    let comment = |text: &[u8]| (0xfe, text.to_vec());
    let photo = jpeg(&[
        made_by(b"One\0"),
        made_by(b"Two\0"),
        xmp("dc:format='one'"),
        xmp("dc:format='two'"),
        comment(b"one"),
        comment(b"two"),
    ]);
    let metadata = read(&photo, Fields::all());
    let mut printed = String::new();
    json(&metadata.tags, JsonOptions::default(), "\n", &mut printed);
    for (field, text) in [("IFD0:Make", "Two"), ("XMP-dc:Format", "two"), ("File:Comment", "one")] {
        let name = field.split_once(':').unwrap().1;
        assert_eq!(metadata.get(field).unwrap().text().plain(), text);
        assert_eq!(metadata.get(name).unwrap().text().plain(), text);
        assert!(printed.contains(&format!("\n\"{field}\": \"{text}\"")), "{printed}");
        let main = metadata.main_tags().into_iter().find(|tag| tag.name == name).unwrap();
        assert_eq!(main.text().plain(), text);
        let mut distinct = metadata.distinct_tags().into_iter().filter(|tag| tag.name == name);
        assert_eq!(distinct.next().unwrap().text().plain(), text);
        assert!(distinct.next().is_none(), "{field} once");
    }
}

#[test]
fn of_what_programs_append_the_first_counts() {
    // As tifffile writes it: the user's description, then its own; of other names the last.
    let number = |n: u32| n.to_le_bytes();
    let twice = tiff(
        &[
            entry(0x100, 3, 1, number(1)),
            entry(0x100, 3, 1, number(2)),
            entry(0x10e, 2, 4, *b"Cat\0"),
            entry(0x10e, 2, 4, *b"{1}\0"),
            entry(0x10f, 2, 4, *b"One\0"),
            entry(0x10f, 2, 4, *b"Two\0"),
            entry(0x112, 3, 1, number(6)),
            entry(0x112, 3, 1, number(3)),
        ],
        &[],
    );
    for (field, text) in [
        ("ImageDescription", "Cat"),
        ("IFD0:ImageDescription", "Cat"),
        ("Orientation", "Rotate 90 CW"),
        ("ImageWidth", "1"),
        ("Make", "Two"),
    ] {
        assert_eq!(words(&twice, field).as_deref(), Some(text), "{field}");
        let metadata = read(&twice, Fields::all());
        let name = field.rsplit(':').next().unwrap();
        let main = metadata.main_tags().into_iter().find(|tag| tag.name == name).unwrap();
        assert_eq!(main.text().plain(), text, "{field}");
    }
    let packets = |one: &str, two: &str| jpeg(&[xmp(one), xmp(two)]);
    let taken = packets(
        "exif:DateTimeOriginal='2001-01-01T00:00:00'",
        "exif:DateTimeOriginal='2002-01-01T00:00:00'",
    );
    assert_eq!(words(&taken, "DateTimeOriginal").as_deref(), Some("2001:01:01 00:00:00"));
    let source = packets("dc:source='1' dc:format='1'", "dc:source='2' dc:format='2'");
    assert_eq!(words(&source, "XMP-dc:Source").as_deref(), Some("1"));
    assert_eq!(words(&source, "XMP-dc:Format").as_deref(), Some("2"));
}

#[test]
fn profiles_are_read_whole_or_not_at_all() {
    // A head of 128 bytes, no tags; the class of the profile is in its first part.
    let mut profile = vec![0; 132];
    profile[..4].copy_from_slice(&132u32.to_be_bytes());
    profile[12..16].copy_from_slice(b"mntr");
    profile[36..40].copy_from_slice(b"acsp");
    profile[80..84].copy_from_slice(b"abcd");
    let part = |number: u8, count: u8, bytes: &[u8]| {
        (0xe2, [b"ICC_PROFILE\0", &[number, count][..], bytes].concat())
    };
    let (a, b, c) = (&profile[..40], &profile[40..90], &profile[90..]);
    let device = |parts: &[(u8, Vec<u8>)]| words(&jpeg(parts), "DeviceModel");
    let creator = |parts: &[(u8, Vec<u8>)]| words(&jpeg(parts), "ProfileCreator");
    for whole in [
        vec![part(3, 3, c), part(1, 3, a), part(2, 3, b)],
        vec![part(0, 1, &profile)],
        vec![part(1, 0, &profile)],
    ] {
        assert_eq!(creator(&whole).as_deref(), Some("abcd"));
        assert!(read(&jpeg(&whole), Fields::all()).warnings.is_empty());
    }
    for missing in [
        vec![part(1, 3, a), part(3, 3, c)],
        vec![part(2, 2, &profile)],
        vec![part(1, 3, a), part(2, 3, b)],
    ] {
        assert_eq!(device(&missing), None);
        assert_eq!(creator(&missing), None);
        let metadata = read(&jpeg(&missing), Fields::all());
        assert_eq!(metadata.warnings, ["JPEG: a part of the ICC profile is missing"]);
    }
}

/// EXIF with the maker's name and a thumbnail behind `gap` bytes.
fn long_exif(gap: usize) -> Vec<u8> {
    let number = |n: usize| (n as u32).to_le_bytes();
    let behind = 8 + 2 + 12 + 4;
    let mut long = tiff(&[entry(0x10f, 2, 6, number(gap))], &[]);
    // The directory of the thumbnail.
    let thumbnail = [entry(0x201, 4, 1, number(gap + 6)), entry(0x202, 4, 1, number(4))];
    long[behind - 4..].copy_from_slice(&number(behind));
    long.extend([&[2, 0][..], &thumbnail.concat(), &[0; 4]].concat());
    long.resize(gap, 0);
    long.extend(b"Maker\0\xff\xd8\xff\xd9");
    long
}

#[test]
fn exif_goes_on_in_the_next_segment() {
    let long = long_exif(70_000);
    // Segments need not be full.
    for at in [1_000, 60_000, 65_000] {
        let (first, second) = long.split_at(at);
        let rest: Vec<_> = second.chunks(40_000).map(exif).collect();
        let photo = jpeg(&[vec![exif(first)], rest].concat());
        assert_eq!(words(&photo, "Make").as_deref(), Some("Maker"), "{at}");
        for fields in [Fields::all(), Fields::of(["ThumbnailImage"]), Fields::of(["IFD1:*"])] {
            let metadata = read(&photo, fields);
            let thumbnail = &metadata.get("ThumbnailImage").unwrap().value;
            assert_eq!(thumbnail, &Value::Bytes(b"\xff\xd8\xff\xd9".to_vec()), "{at}");
            assert!(metadata.warnings.is_empty());
        }
    }
    let (first, _) = long.split_at(65_000);
    // A second structure is one of its own.
    let other = tiff(&[entry(0x110, 2, 4, *b"Cam\0")], &[]);
    let photo = jpeg(&[exif(first), exif(&other)]);
    assert_eq!(words(&photo, "Model").as_deref(), Some("Cam"));
    assert_eq!(words(&photo, "Make"), None);
}

#[test]
fn extended_packets_are_read_whole_or_not_at_all() {
    let long = packet("dc:source='extended'");
    let (first, second) = long.as_bytes().split_at(150);
    let part_of = |name: u8, at: usize, text: &[u8], len: usize| {
        let numbers = [(len as u32).to_be_bytes(), (at as u32).to_be_bytes()];
        let mark = b"http://ns.adobe.com/xmp/extension/\0";
        (0xe1, [&mark[..], &[name; 32], &numbers.concat(), text].concat())
    };
    let part = |at: usize, text: &[u8]| part_of(b'A', at, text, long.len());
    let main = || xmp(&format!("xmpNote:HasExtendedXMP='{}'", "A".repeat(32)));
    let whole = jpeg(&[main(), part(150, second), part(0, first)]);
    assert_eq!(words(&whole, "XMP-dc:Source").as_deref(), Some("extended"));
    for missing in [part(0, first), part(150, second)] {
        let metadata = read(&jpeg(&[main(), missing]), Fields::all());
        assert!(metadata.get("XMP-dc:Source").is_none());
        assert_eq!(metadata.warnings, ["JPEG: a part of the extended XMP is missing"]);
    }
    // Those that the main packet does not name are of another version of it.
    let old = packet("dc:source='old' dc:format='old'");
    for name in [b'0', b'Z'] {
        let stale = part_of(name, 0, old.as_bytes(), old.len());
        let own = part(0, long.as_bytes());
        let files = [
            (jpeg(&[main(), stale.clone(), own.clone()]), Some("extended")),
            (jpeg(&[main(), stale.clone()]), None),
            (jpeg(&[xmp("dc:title='main'"), stale.clone()]), None),
            (jpeg(&[stale, own, main()]), Some("extended")),
        ];
        for (file, source) in files {
            assert_eq!(words(&file, "XMP-dc:Source").as_deref(), source);
            assert_eq!(words(&file, "Format"), None);
        }
    }
}

#[test]
fn names_may_have_spaces_around_them() {
    let photo = jpeg(&[exif(&tiff(&[entry(0x110, 2, 4, *b"Cam\0")], &[]))]);
    let fields = Fields::of(["Make", " Model", " IFD0:Model "]);
    assert_eq!(fields.names(), ["Make", "Model", "IFD0:Model"]);
    assert_eq!(read(&photo, fields).get("Model").unwrap().text().plain(), "Cam");
}

#[test]
fn a_file_is_of_one_type() {
    let version = entry(0xc612, 1, 4, [1, 4, 0, 0]);
    let negative = tiff(&[version], &[]);
    for fields in [Fields::all(), Fields::of(["FileType", "MIMEType"]), Fields::of(["file:*"])] {
        let metadata = read(&negative, fields);
        assert_eq!(metadata.get("File:FileType").unwrap().text().plain(), "DNG");
        assert_eq!(metadata.get("File:MIMEType").unwrap().text().plain(), "image/x-adobe-dng");
    }
    let metadata = read(&negative, Fields::of(["File:*"]));
    assert!(metadata.tags.iter().all(|tag| tag.group == "File"));
}

#[test]
fn a_strip_that_is_a_preview_is_called_so() {
    // Compressed as JPEG, in one strip.
    let number = |n: u32| n.to_le_bytes();
    let strip = tiff(
        &[
            entry(0x103, 3, 1, number(7)),
            entry(0x111, 4, 1, number(8)),
            entry(0x117, 4, 1, number(4)),
            entry(0x8769, 4, 1, number(8 + 2 + 12 * 4 + 4)),
        ],
        &[0; 6],
    );
    assert_eq!(words(&strip, "StripOffsets"), None);
    assert_eq!(words(&strip, "StripByteCounts"), None);
    assert_eq!(words(&strip, "IFD0:StripOffsets"), None);
    assert_eq!(words(&strip, "PreviewImageStart").as_deref(), Some("8"));
    let plain = tiff(&[entry(0x103, 3, 1, number(1)), entry(0x111, 4, 1, number(8))], &[]);
    assert_eq!(words(&plain, "StripOffsets").as_deref(), Some("8"));
}

#[test]
fn the_lens_is_the_one_whose_name_tells_its_length() {
    let lens = |model: &str, lens: &str| {
        let names =
            "xmlns:aux='http://ns.adobe.com/exif/1.0/aux/' xmlns:exifEX='http://cipa.jp/exif/1.0/'";
        jpeg(&[xmp(&format!("{names} exifEX:LensModel='{model}' aux:Lens='{lens}'"))])
    };
    for (model, other, text) in [
        ("L", "24-70mm", Some("24-70mm")),
        ("50mm", "24-70mm", Some("50mm")),
        ("", "24-70mm", Some("24-70mm")),
        ("L", "M", None),
    ] {
        assert_eq!(words(&lens(model, other), "LensID").as_deref(), text, "{model} {other}");
    }
}

#[test]
fn thumbnails_of_packets_are_bytes() {
    let names = "xmlns:xmp='http://ns.adobe.com/xap/1.0/' \
                 xmlns:xmpGImg='http://ns.adobe.com/xap/1.0/g/img/' \
                 xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'";
    let packet = |image: &str| {
        let packet = format!(
            "<rdf:RDF {names}><rdf:Description><xmp:Thumbnails><rdf:Alt>\
             <rdf:li rdf:parseType='Resource'><xmpGImg:image>{image}</xmpGImg:image></rdf:li>\
             </rdf:Alt></xmp:Thumbnails></rdf:Description></rdf:RDF>"
        );
        jpeg(&[(0xe1, [b"http://ns.adobe.com/xap/1.0/\0", packet.as_bytes()].concat())])
    };
    for image in ["/9j/2Q==", "/9j/&#xA;2Q==\n", "/9j/2Q"] {
        let metadata = read(&packet(image), Fields::of(["ThumbnailImage"]));
        let tag = metadata.get("ThumbnailImage").unwrap();
        assert_eq!(tag.value, Value::Bytes(vec![0xff, 0xd8, 0xff, 0xd9]), "{image}");
        assert_eq!(tag.text().plain(), "(Binary data 4 bytes, use -b option to extract)");
    }
}

/// A HEIF file whose EXIF lies in several places: lengths of the parts, and how many bytes at the
/// file's end are missing.
fn heif(tiff: &[u8], lengths: &[usize], missing: usize) -> Vec<u8> {
    let item = [&[0; 4], tiff].concat();
    let kind = boxed(b"infe", b"\x02\0\0\0\0\x01\0\0Exif\0");
    let list = boxed(b"iinf", &[&[0, 0, 0, 0, 0, 1], &kind[..]].concat());
    let head = |start: usize| {
        let mut places = vec![0, 0, 0, 0, 0x44, 0, 0, 1, 0, 1, 0, 0, 0, lengths.len() as u8];
        let mut at = start;
        for length in lengths {
            places.extend((at as u32).to_be_bytes());
            places.extend((*length as u32).to_be_bytes());
            at += length;
        }
        let handler = boxed(b"hdlr", &[&[0; 8][..], b"pict", &[0; 13]].concat());
        let parts = [&[0; 4][..], &handler, &list, &boxed(b"iloc", &places)].concat();
        [boxed(b"ftyp", b"heic\0\0\0\0mif1heic"), boxed(b"meta", &parts)].concat()
    };
    let start = head(0).len() + 8;
    let mut file = [head(start), boxed(b"mdat", &item)].concat();
    file.truncate(file.len() - missing);
    file
}

#[test]
fn of_items_that_are_cut_off_the_rest_is_read() {
    let tiff = tiff(&[entry(0x10f, 2, 4, *b"One\0")], &[0; 40]);
    let whole = tiff.len() + 4;
    for (lengths, missing, warned) in [
        (&[whole][..], 0, false),
        (&[20, whole - 20], 0, false),
        (&[whole], 30, false),
        (&[20, whole - 20], 30, true),
    ] {
        let file = heif(&tiff, lengths, missing);
        assert_eq!(words(&file, "Make").as_deref(), Some("One"), "{lengths:?} {missing}");
        let warnings = read(&file, Fields::all()).warnings;
        let warning = "an item's parts lie past the end";
        assert_eq!(warnings.iter().any(|w| w == warning), warned, "{warnings:?}");
    }
}

/// A directory whose values all lie behind it, at offset 8 of a TIFF structure.
fn directory(values: &[(u16, u16, u32, &[u8])]) -> Vec<u8> {
    let mut behind = Vec::new();
    let start = 8 + 2 + 12 * values.len() + 4;
    let entries: Vec<Vec<u8>> = values
        .iter()
        .map(|(id, kind, count, bytes)| {
            let mut field = [0; 4];
            if bytes.len() <= 4 {
                field[..bytes.len()].copy_from_slice(bytes);
            } else {
                field = ((start + behind.len()) as u32).to_le_bytes();
                behind.extend_from_slice(bytes);
            }
            entry(*id, *kind, *count, field)
        })
        .collect();
    tiff(&entries, &behind)
}

#[test]
fn canons_raw_files_know_their_model_for_any_fields() {
    const UUID: [u8; 16] = *b"\x85\xc0\xb6\x87\x82\x0f\x11\xe0\x81\x11\xf4\xce\x46\x2b\x6a\x48";
    let main = directory(&[(0x110, 2, 16, b"Canon EOS-1D XX\0")]);
    // The record of the shot: its thirteenth number is a temperature, where the camera has one.
    let mut shot = vec![0; 68];
    (shot[0], shot[24]) = (68, 166);
    let note = directory(&[(4, 3, 34, &shot)]);
    let body = [&UUID[..], &boxed(b"CMT1", &main), &boxed(b"CMT3", &note)].concat();
    let film = [boxed(b"ftyp", b"crx \0\0\0\x01crx "), boxed(b"moov", &boxed(b"uuid", &body))];
    assert_eq!(words(&film.concat(), "CameraTemperature").as_deref(), Some("38 C"));
}

#[test]
fn composites_are_made_of_the_tags_that_count() {
    let twice = |id, first: u8, second: u8| {
        [entry(id, 3, 1, [first, 0, 0, 0]), entry(id, 3, 1, [second, 0, 0, 0])]
    };
    let file = tiff(&[twice(0x100, 64, 65), twice(0x101, 48, 49)].concat(), &[]);
    assert_eq!(words(&file, "ImageWidth").as_deref(), Some("64"));
    assert_eq!(words(&file, "ImageSize").as_deref(), Some("64x48"));
    // Two blocks of EXIF: the second one's position counts, and so do its signs.
    let mut north = stale_and_south();
    let at = north.windows(4).position(|part| part == b"S\0\0\0").unwrap();
    north[at] = b'N';
    let photo = jpeg(&[exif(&stale_and_south()), exif(&north)]);
    let position = read(&photo, Fields::all()).get("Composite:GPSLatitude").unwrap().text();
    assert_eq!(position.plain(), "33 deg 30' 0.00\" N");
}

#[test]
fn numbers_of_films_have_their_types() {
    let values: [(&str, u32, &[u8], &str); 9] = [
        ("com.neg32", 21, &[0xff, 0xff, 0xff, 0xfb], "-5"),
        ("com.neg16", 66, &[0xff, 0xfb], "-5"),
        ("com.neg8", 65, &[0xfb], "-5"),
        ("com.neg64", 74, &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfb], "-5"),
        ("com.u32", 77, &[0xff, 0xff, 0xff, 0xfb], "4294967291"),
        ("com.pt", 70, &[0x3f, 0x80, 0, 0, 0x40, 0, 0, 0], "1 2"),
        ("com.none", 0, b"abcd", "(Binary data 4 bytes, use -b option to extract)"),
        ("com.short", 0, &[0xff], "255"),
        ("com.u64", 78, &[0xff; 8], "18446744073709551615"),
    ];
    let mut keys = (values.len() as u64).to_be_bytes().to_vec();
    let mut list = Vec::new();
    for (n, (key, form, bytes, _)) in values.iter().enumerate() {
        keys.extend(boxed(b"mdta", key.as_bytes()));
        let data = [&form.to_be_bytes()[..], &[0; 4], bytes].concat();
        list.extend(boxed(&(n as u32 + 1).to_be_bytes(), &boxed(b"data", &data)));
    }
    let handler = boxed(b"hdlr", b"\0\0\0\0\0\0\0\0mdta\0\0\0\0\0\0\0\0\0\0\0\0\0");
    let meta = [handler, boxed(b"keys", &keys), boxed(b"ilst", &list)].concat();
    let film = [boxed(b"ftyp", b"qt  \0\0\0\0"), boxed(b"moov", &boxed(b"meta", &meta))].concat();
    let metadata = read(&film, Fields::all());
    let shown: Vec<String> =
        metadata.tags.iter().filter(|t| t.group == "Keys").map(|t| t.text().plain()).collect();
    let wanted: Vec<&str> = values.iter().map(|(.., text)| *text).collect();
    assert_eq!(shown, wanted);
}

#[test]
fn texts_of_films_have_their_languages() {
    let text = |kind: &[u8; 4], language: &[u8; 2], text: &[u8]| {
        boxed(kind, &[&[0; 4][..], language, text].concat())
    };
    let (english, german) = (b"\x15\xc7", b"\x10\xb5");
    let old = |language: &[u8; 2], text: &str| {
        [&(text.len() as u16).to_be_bytes()[..], language, text.as_bytes()].concat()
    };
    let data = [
        text(b"titl", english, b"T\0"),
        text(b"titl", german, "Ä\0".as_bytes()),
        text(b"cprt", english, b"\xfe\xff\0C\0\0"),
        text(b"rtng", b"MP", b"AAPG13\x15\xc7r\0"),
        text(b"kywd", english, b"\x02\x02k\0\x03ll\0"),
        text(b"yrrc", b"\x07\xe4", b""),
        boxed(b"\xa9cmt", &[old(english, "one"), old(german, "eins")].concat()),
        boxed(b"date", b"2020-01-02T03:04:05+01:00"),
    ];
    let film = [boxed(b"ftyp", b"3gp5\0\0\0\0"), boxed(b"moov", &boxed(b"udta", &data.concat()))];
    let film = film.concat();
    for (field, text) in [
        ("UserData:Title", "T"),
        ("UserData:Title-deu", "Ä"),
        ("Copyright", "C"),
        ("UserData:Rating", "Entity=MPAA Criteria=PG13 r"),
        ("UserData:Keywords", "k, ll"),
        ("UserData:Year", "2020"),
        ("UserData:Comment", "one"),
        ("UserData:Comment-deu", "eins"),
        ("UserData:DateTimeOriginal", "2020:01:02 03:04:05+01:00"),
    ] {
        assert_eq!(words(&film, field).as_deref(), Some(text), "{field}");
    }
}

#[test]
fn texts_of_films_in_other_languages_keep_the_main_one() {
    let old = |language: u16, text: &[u8]| {
        [&(text.len() as u16).to_be_bytes()[..], &language.to_be_bytes(), text].concat()
    };
    let (english, german) = (0x15c7, 0x10b5);
    let box_of = |kind: &[u8; 4], texts: &[Vec<u8>]| boxed(kind, &texts.concat());
    let data = [
        // Zeros behind it, the Macintosh's numbers, German alone, German first, no language at all.
        box_of(b"\xa9nam", &[old(english, b"Holiday"), vec![0; 8]]),
        box_of(b"\xa9xyz", &[old(english, b"+48.5-016.5/"), vec![0; 4]]),
        box_of(b"\xa9cmt", &[old(0, b"one"), old(2, b"eins"), old(1, b"un")]),
        box_of(b"\xa9des", &[old(german, b"allein")]),
        box_of(b"\xa9inf", &[old(german, b"eins"), old(english, b"one")]),
        box_of(b"\xa9wrt", &[old(english, b"\xfe\xff\0H\0i"), old(0x7fff, b"?"), old(0x400, b"!")]),
        box_of(b"\xa9alb", &[old(0, b""), old(130, b"ca")]),
        boxed(b"kywd", b"Holiday\0\0Beach\0"),
        boxed(b"name", b"Clip"),
    ];
    let data_of = |country: &[u8; 2], language: u16, text: &[u8]| {
        boxed(b"data", &[&[0, 0, 0, 1][..], country, &language.to_be_bytes(), text].concat())
    };
    let handler = |kind: &[u8; 4]| {
        boxed(b"hdlr", &[&[0; 8][..], kind, b"\0\0\0\0\0\0\0\0\0\0\0\0\0"].concat())
    };
    let titles = boxed(b"ilst", &boxed(b"\xa9nam", &data_of(&[0; 2], 0, b"of the track")));
    let list = [&[0; 4][..], &handler(b"mdir"), &titles].concat();
    let name = [boxed(b"name", b"Core Media Audio"), boxed(b"meta", &list)].concat();
    let track = boxed(b"trak", &boxed(b"udta", &name));
    // Keys: German, English; English of a country after that of none.
    let keys = [boxed(b"mdta", b"com.apple.quicktime.title"), boxed(b"mdta", b"com.a.color")];
    let keys = [&[0, 0, 0, 0, 0, 0, 0, 2][..], &keys.concat()].concat();
    let item = |number: u32, data: &[Vec<u8>]| boxed(&number.to_be_bytes(), &data.concat());
    let items = [
        item(1, &[data_of(&[0; 2], german, b"eins"), data_of(&[0; 2], english, b"one")]),
        item(2, &[data_of(&[0; 2], 1, b"color"), data_of(b"GB", english, b"colour")]),
    ];
    let list = [handler(b"mdta"), boxed(b"keys", &keys), boxed(b"ilst", &items.concat())].concat();
    let list = boxed(b"meta", &list);
    let movie = [boxed(b"udta", &data.concat()), list, track].concat();
    let film = [boxed(b"ftyp", b"qt  \0\0\0\0"), boxed(b"moov", &movie)].concat();
    for (field, text) in [
        ("UserData:Title", Some("Holiday")),
        ("UserData:GPSCoordinates", Some("48 deg 30' 0.00\" N, 16 deg 30' 0.00\" W")),
        ("UserData:Comment", Some("one")),
        ("UserData:Comment-de", Some("eins")),
        ("UserData:Comment-fr", Some("un")),
        ("UserData:Description", Some("allein")),
        ("UserData:Description-deu", Some("allein")),
        ("UserData:Information", Some("one")),
        ("UserData:Information-deu", Some("eins")),
        ("UserData:Keywords", Some("Holiday, Beach")),
        ("UserData:Composer", Some("Hi")),
        ("UserData:Composer-un", Some("?")),
        ("UserData:Composer-err", Some("!")),
        ("UserData:Album", Some("ca")),
        ("UserData:Album-ca", Some("ca")),
        ("UserData:Name", Some("Clip")),
        ("Track1:Track1Name", Some("Core Media Audio")),
        ("Track1:Track1Title", Some("of the track")),
        ("ItemList:Title", None),
        ("Keys:Title", Some("one")),
        ("Keys:Title-deu", Some("eins")),
        ("Title-deu", Some("eins")),
        ("Keys:AColor", Some("color")),
        ("Keys:AColor-und-GB", Some("colour")),
    ] {
        assert_eq!(words(&film, field).as_deref(), text, "{field}");
    }
    let all = read(&film, Fields::all());
    assert!(all.tags.iter().all(|tag| !tag.name.contains(|c: char| c.is_control() || c == '`')));
    assert_eq!(all.get("Name").map(|tag| tag.text().plain()).as_deref(), Some("Clip"));
}

/// A packet with this between its description's tags.
fn description(body: &str) -> Vec<u8> {
    let names = "xmlns:tiff='http://ns.adobe.com/tiff/1.0/' \
                 xmlns:exifEX='http://cipa.jp/exif/1.0/' xmlns:xmp='http://ns.adobe.com/xap/1.0/' \
                 xmlns:xmpGImg='http://ns.adobe.com/xap/1.0/g/img/' \
                 xmlns:GImage='http://ns.google.com/photos/1.0/image/'";
    let text = packet(names).replace("/></rdf", &format!(">{body}</rdf:Description></rdf"));
    [b"http://ns.adobe.com/xap/1.0/\0", text.as_bytes()].concat()
}

#[test]
fn lists_of_packets_that_stand_twice_are_not_run_together() {
    let list = |tag: &str, items: &[&str]| {
        let items: String = items.iter().map(|item| format!("<rdf:li>{item}</rdf:li>")).collect();
        format!("<{tag}><rdf:Seq>{items}</rdf:Seq></{tag}>").repeat(2)
    };
    let lens = list("exifEX:LensSpecification", &["24/1", "70/1", "28/10", "28/10"]);
    let body = lens + &list("tiff:YCbCrSubSampling", &["2", "1"]);
    let photo = jpeg(&[(0xe1, description(&body))]);
    assert_eq!(words(&photo, "XMP-exifEX:LensInfo").as_deref(), Some("24-70mm f/2.8"));
    assert_eq!(words(&photo, "XMP-tiff:YCbCrSubSampling").as_deref(), Some("YCbCr4:2:2 (2 1)"));
}

#[test]
fn pictures_in_packets_are_bytes() {
    let one = |bytes: &str| {
        format!("<rdf:li rdf:parseType='Resource'><xmpGImg:image>{bytes}</xmpGImg:image></rdf:li>")
    };
    let both = format!(
        "<xmp:Thumbnails><rdf:Alt>{}{}</rdf:Alt></xmp:Thumbnails><GImage:Data>YWJj</GImage:Data>",
        one("YWJjZGVm"),
        one("YWJj")
    );
    let photo = jpeg(&[(0xe1, description(&both))]);
    let metadata = read(&photo, Fields::all());
    let of = |name: &str| metadata.get(name).unwrap();
    let text = |bytes| format!("(Binary data {bytes} bytes, use -b option to extract)");
    let pair = format!("{}, {}", text(6), text(3));
    assert_eq!(of("XMP:ThumbnailImage").number().plain().replace(") (", "), ("), pair);
    assert_eq!(of("XMP-GImage:ImageData").text().plain(), text(3));
    assert_eq!(of("XMP-GImage:ImageData").value, Value::Bytes(b"abc".to_vec()));
}

#[test]
fn what_other_programs_write_is_read() {
    // Photoshop's resources behind one of ImageReady's.
    let resource = |mark: &[u8; 4], number: u16, data: &[u8]| {
        let head = [&mark[..], &number.to_be_bytes(), &[0; 2]].concat();
        [&head[..], &(data.len() as u32).to_be_bytes(), data].concat()
    };
    let title = b"\x1c\x02\x05\x00\x04Name\x00";
    for mark in [b"AgHg", b"MeSa"] {
        let run = [resource(mark, 0x0bb8, &[0; 4]), resource(b"8BIM", 0x0404, title)].concat();
        let photo = jpeg(&[(0xed, [b"Photoshop 3.0\0", &run[..]].concat())]);
        assert_eq!(words(&photo, "ObjectName").as_deref(), Some("Name"));
    }
    // A comment whose entry says that it is text.
    let photo = jpeg(&[exif(&directory(&[(0x9286, 2, 14, b"ASCII\0\0\0hello\0")]))]);
    assert_eq!(words(&photo, "UserComment").as_deref(), Some("hello"));
    // IPTC within EXIF, and as numbers whose bytes were turned around.
    let mut swapped = [&title[..], &[0; 2]].concat();
    swapped.chunks_exact_mut(4).for_each(<[u8]>::reverse);
    let within = directory(&[(0x83bb, 7, title.len() as u32, title)]);
    let numbers = directory(&[(0x83bb, 4, swapped.len() as u32 / 4, &swapped)]);
    for block in [within, numbers] {
        assert_eq!(words(&jpeg(&[exif(&block)]), "IPTC:ObjectName").as_deref(), Some("Name"));
        assert_eq!(words(&block, "IPTC:ObjectName").as_deref(), Some("Name"));
    }
    // That of EXIF is second to the proper one, whatever comes first; alone it gives its dates, too.
    let of = |name: &[u8]| {
        let date = b"\x1c\x02\x37\x00\x0820200102\x1c\x02\x3c\x00\x06030405";
        [&b"\x1c\x02\x05\x00"[..], &[name.len() as u8], name, date].concat()
    };
    let within = of(b"Exif");
    let within = exif(&directory(&[(0x83bb, 7, within.len() as u32, &within)]));
    let proper = [b"Photoshop 3.0\0", &resource(b"8BIM", 0x0404, &of(b"App13"))[..]].concat();
    let proper = (0xed, proper);
    for segments in [[within.clone(), proper.clone()], [proper, within.clone()]] {
        let photo = jpeg(&segments);
        assert_eq!(words(&photo, "ObjectName").as_deref(), Some("App13"));
        assert_eq!(words(&photo, "IPTC2:ObjectName").as_deref(), Some("Exif"));
        let all = read(&photo, Fields::all());
        assert_eq!(all.get("ObjectName").map(|tag| tag.text().plain()).as_deref(), Some("App13"));
    }
    let date = words(&jpeg(&[within]), "Composite:DateTimeCreated");
    assert_eq!(date.as_deref(), Some("2020:01:02 03:04:05"));
    // UTF-8 by its other name.
    let text = b"\x1c\x01\x5a\x00\x04\x1b%/G\x1c\x02\x05\x00\x03k\xc3\xa4";
    let photo = jpeg(&[exif(&directory(&[(0x83bb, 7, text.len() as u32, text)]))]);
    assert_eq!(words(&photo, "ObjectName").as_deref(), Some("kä"));
    // The times of a picture made of several: seven rationals, two counts, more rationals.
    let number = |n: u32| n.to_le_bytes();
    let mut times: Vec<u8> = (0..7).flat_map(|_| [number(1), number(8)].concat()).collect();
    times.extend([2, 0, 2, 0]);
    times.extend([number(1), number(20)].concat());
    let count = times.len() as u32;
    let photo = jpeg(&[exif(&directory(&[(0xa462, 7, count, &times)]))]);
    let words = words(&photo, "CompositeImageExposureTimes");
    assert_eq!(words.as_deref(), Some("1/8 1/8 1/8 1/8 1/8 1/8 1/8 2 2 1/20"));
}

#[test]
fn a_second_text_of_a_png_does_not_outdo_the_main_one() {
    let chunk = |kind: &[u8; 4], data: &[u8]| {
        [&(data.len() as u32).to_be_bytes()[..], kind, data, &[0; 4]].concat()
    };
    let file = [
        b"\x89PNG\r\n\x1a\n".to_vec(),
        chunk(b"IHDR", b"\0\0\0\x04\0\0\0\x04\x08\x02\0\0\0"),
        chunk(b"tEXt", b"Title\0main"),
        chunk(b"iTXt", b"Title\0\0\0x-default\0\0other"),
        chunk(b"IEND", b""),
    ];
    assert_eq!(words(&file.concat(), "Title").as_deref(), Some("main"));
    assert_eq!(words(&file.concat(), "PNG:Title-x-default").as_deref(), Some("other"));
}

#[test]
fn a_distance_within_the_lens_gives_no_depth_of_field() {
    let field = |thousandths: u32| {
        let rational = |above: u32, below: u32| [above.to_le_bytes(), below.to_le_bytes()].concat();
        let photo = jpeg(&[exif(&directory(&[
            (0x829d, 5, 1, &rational(4, 1)),
            (0x9206, 5, 1, &rational(thousandths, 1000)),
            (0x920a, 5, 1, &rational(35, 1)),
            (0xa405, 3, 1, &[35, 0]),
        ]))]);
        words(&photo, "DOF")
    };
    assert_eq!(field(2000).as_deref(), Some("0.80 m (1.68 - 2.48 m)"));
    assert_eq!(field(10), None);
}

#[test]
fn a_note_that_a_converter_packed_is_told() {
    let gaps = |data: &[u8]| {
        let file = directory(&[(0xc634, 7, data.len() as u32, data)]);
        read(&file, Fields::all()).gaps
    };
    assert_eq!(gaps(b"Adobe\0MakN\0\0\0\x06II\0\0\0\0"), [Gap::MakerNotes]);
    assert_eq!(gaps(b"other data of someone"), []);
}
