//! Photos and films made for tests: small files that say when they were taken.

#![allow(dead_code)] // each test binary uses some of it

/// What a photo says.
#[derive(Clone, Default)]
pub(crate) struct Says<'s> {
    /// `2023:01:02 03:04:05`.
    pub(crate) original: Option<&'s str>,
    pub(crate) subsec: Option<&'s str>,
    pub(crate) offset: Option<&'s str>,
    /// Date and time in UTC: `2023:01:02`, hours, minutes, seconds.
    pub(crate) gps: Option<(&'s str, [u32; 3])>,
    /// That it was taken at a place.
    pub(crate) is_placed: bool,
    pub(crate) model: Option<&'s str>,
    pub(crate) orientation: Option<u16>,
    /// What the parts of a Live Photo have in common.
    pub(crate) content: Option<&'s str>,
    /// Bytes that make it differ from others.
    pub(crate) pixels: u64,
}

type Entry = (u16, u16, u32, Vec<u8>);

fn ascii(tag: u16, text: &str) -> Entry {
    let bytes = [text.as_bytes(), b"\0"].concat();
    (tag, 2, bytes.len() as u32, bytes)
}

fn rationals(tag: u16, numbers: &[u32]) -> Entry {
    let bytes = numbers.iter().flat_map(|n| [n.to_le_bytes(), 1u32.to_le_bytes()].concat());
    (tag, 5, numbers.len() as u32, bytes.collect())
}

/// A directory that lies at `at`, with what it has no room for behind it.
fn directory(mut entries: Vec<Entry>, at: usize) -> Vec<u8> {
    entries.sort_by_key(|entry| entry.0);
    let mut bytes = (entries.len() as u16).to_le_bytes().to_vec();
    let mut data = Vec::new();
    let start = at + 2 + 12 * entries.len() + 4;
    for (tag, kind, count, value) in entries {
        bytes.extend(tag.to_le_bytes());
        bytes.extend(kind.to_le_bytes());
        bytes.extend(count.to_le_bytes());
        if value.len() <= 4 {
            bytes.extend(&value);
            bytes.extend(vec![0; 4 - value.len()]);
        } else {
            bytes.extend(((start + data.len()) as u32).to_le_bytes());
            data.extend(&value);
            if value.len() % 2 == 1 {
                data.push(0);
            }
        }
    }
    bytes.extend([0; 4]);
    bytes.extend(data);
    bytes
}

/// An Apple maker note with an identifier, in its own byte order.
fn apple_note(content: &str) -> Vec<u8> {
    let mut note = b"Apple iOS\0\0\x01MM".to_vec();
    note.extend(1u16.to_be_bytes());
    let text = [content.as_bytes(), b"\0"].concat();
    note.extend(0x0011u16.to_be_bytes());
    note.extend(2u16.to_be_bytes());
    note.extend((text.len() as u32).to_be_bytes());
    note.extend((14u32 + 2 + 12 + 4).to_be_bytes());
    note.extend([0; 4]);
    note.extend(text);
    note
}

/// The TIFF structure of an EXIF block, which is also a small TIFF of its own.
pub(crate) fn tiff(says: &Says<'_>) -> Vec<u8> {
    let mut exif = Vec::new();
    exif.extend(says.original.map(|date| ascii(0x9003, date)));
    exif.extend(says.original.map(|date| ascii(0x9004, date)));
    exif.extend(says.subsec.map(|digits| ascii(0x9291, digits)));
    exif.extend(says.offset.map(|offset| ascii(0x9011, offset)));
    if let Some(content) = says.content {
        let note = apple_note(content);
        exif.push((0x927c, 7, note.len() as u32, note));
    }
    let mut gps = Vec::new();
    if let Some((date, time)) = says.gps {
        gps.push(ascii(0x001d, date));
        gps.push(rationals(0x0007, &time));
    }
    if says.is_placed {
        gps.extend([
            ascii(1, "N"),
            rationals(2, &[52, 30, 0]),
            ascii(3, "E"),
            rationals(4, &[13, 24, 0]),
        ]);
    }
    let mut first = vec![ascii(0x010f, "Maker")];
    first.extend(says.model.map(|model| ascii(0x0110, model)));
    first.extend(says.original.map(|date| ascii(0x0132, date)));
    first.extend(says.orientation.map(|n| (0x0112, 3, 1, n.to_le_bytes().to_vec())));
    let pointer = |tag: u16, at: usize| (tag, 4, 1, (at as u32).to_le_bytes().to_vec());
    let has_exif = !exif.is_empty();
    let has_gps = !gps.is_empty();
    // Where the directories lie follows from how long the first one is.
    let with = |exif_at: usize, gps_at: usize| {
        let mut entries = first.clone();
        entries.extend(has_exif.then(|| pointer(0x8769, exif_at)));
        entries.extend(has_gps.then(|| pointer(0x8825, gps_at)));
        directory(entries, 8)
    };
    let exif_at = 8 + with(0, 0).len();
    let exif = if has_exif { directory(exif, exif_at) } else { Vec::new() };
    let gps_at = exif_at + exif.len();
    let gps = if has_gps { directory(gps, gps_at) } else { Vec::new() };
    let start = b"II*\0\x08\0\0\0".to_vec();
    [start, with(exif_at, gps_at), exif, gps].concat()
}

/// A segment of a JPEG.
fn segment(mark: u8, body: &[u8]) -> Vec<u8> {
    [&[0xff, mark][..], &(body.len() as u16 + 2).to_be_bytes(), body].concat()
}

/// A JPEG with EXIF, and bytes of no picture.
pub(crate) fn jpeg(says: &Says<'_>) -> Vec<u8> {
    let exif = segment(0xe1, &[b"Exif\0\0", &tiff(says)[..]].concat());
    let mut pixels = format!("pixels {} ", says.pixels).into_bytes().repeat(20);
    pixels.retain(|byte| *byte != 0xff);
    let size = segment(0xc0, &[8, 0, 8, 0, 8, 1, 1, 0x11, 0]);
    let scan = segment(0xda, &[1, 1, 0, 0, 63, 0]);
    [&[0xff, 0xd8][..], &exif, &size, &scan, &pixels, &[0xff, 0xd9]].concat()
}

fn atom(name: &[u8; 4], body: &[u8]) -> Vec<u8> {
    [&(body.len() as u32 + 8).to_be_bytes()[..], name, body].concat()
}

/// A QuickTime film with the header's time, in seconds since 1970, and keys as phones write them.
pub(crate) fn film(utc_s: u64, keys: &[(&str, &str)], pixels: u64) -> Vec<u8> {
    let time = ((utc_s + 2_082_844_800) as u32).to_be_bytes();
    let timed =
        |name: &[u8; 4], rest: &[u8]| atom(name, &[&[0, 0, 0, 0][..], &time, &time, rest].concat());
    let mvhd =
        timed(b"mvhd", &[&600u32.to_be_bytes()[..], &600u32.to_be_bytes(), &[0; 80]].concat());
    let tkhd = timed(b"tkhd", &[&1u32.to_be_bytes()[..], &[0; 68]].concat());
    let mdhd =
        timed(b"mdhd", &[&600u32.to_be_bytes()[..], &600u32.to_be_bytes(), &[0; 4]].concat());
    let track = atom(b"trak", &[tkhd, atom(b"mdia", &mdhd)].concat());
    let mut moov = [mvhd, track].concat();
    if !keys.is_empty() {
        let handler = atom(b"hdlr", &[&[0; 8][..], b"mdta", &[0; 13]].concat());
        let names: Vec<u8> =
            keys.iter().flat_map(|(name, _)| atom(b"mdta", name.as_bytes())).collect();
        let names = [&[0; 4][..], &(keys.len() as u32).to_be_bytes(), &names].concat();
        let values = keys.iter().zip(1u32..).flat_map(|((_, value), n)| {
            let data = atom(b"data", &[&[0, 0, 0, 1, 0, 0, 0, 0][..], value.as_bytes()].concat());
            atom(&n.to_be_bytes(), &data)
        });
        let values: Vec<u8> = values.collect();
        moov.extend(atom(
            b"meta",
            &[handler, atom(b"keys", &names), atom(b"ilst", &values)].concat(),
        ));
    }
    let pixels = format!("pixels {pixels} ").into_bytes().repeat(20);
    [atom(b"ftyp", b"qt  \0\0\0\0qt  "), atom(b"moov", &moov), atom(b"mdat", &pixels)].concat()
}

/// An XMP sidecar with a date.
pub(crate) fn xmp(date: &str) -> String {
    format!(
        "<?xpacket begin='' id='W5M0MpCehiHzreSzNTczkc9d'?>\n<x:xmpmeta xmlns:x='adobe:ns:meta/'>\
         <rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>\
         <rdf:Description rdf:about='' xmlns:photoshop='http://ns.adobe.com/photoshop/1.0/' \
         photoshop:DateCreated='{date}'/></rdf:RDF></x:xmpmeta>\n<?xpacket end='w'?>"
    )
}

/// What Takeout says of a photo.
pub(crate) fn note(title: &str, utc_s: u64) -> String {
    format!(
        r#"{{"title": "{title}", "photoTakenTime": {{"timestamp": "{utc_s}", "formatted": "x"}}}}"#
    )
}

/// A HEIC of no pixels with an EXIF item.
pub(crate) fn heic(says: &Says<'_>) -> Vec<u8> {
    let exif = [&[0, 0, 0, 6][..], b"Exif\0\0", &tiff(says)].concat();
    let full = |name: &[u8; 4], body: &[u8]| atom(name, &[&[0, 0, 0, 0][..], body].concat());
    let handler = full(b"hdlr", &[&[0; 4][..], b"pict", &[0; 13]].concat());
    let item = atom(b"infe", &[&[2, 0, 0, 0, 0, 1, 0, 0][..], b"Exif\0"].concat());
    let items = full(b"iinf", &[&[0, 1][..], &item].concat());
    let place = |at: u32| {
        let place = [&at.to_be_bytes()[..], &(exif.len() as u32).to_be_bytes()].concat();
        full(b"iloc", &[&[0x44, 0, 0, 1, 0, 1, 0, 0, 0, 1][..], &place].concat())
    };
    let meta = |at: u32| full(b"meta", &[handler.clone(), items.clone(), place(at)].concat());
    let brand = atom(b"ftyp", b"heic\0\0\0\0heicmif1");
    let at = (brand.len() + meta(0).len() + 8) as u32;
    [brand, meta(at), atom(b"mdat", &exif)].concat()
}

/// An XMP sidecar that says everything that can be changed.
pub(crate) fn full_xmp() -> Vec<u8> {
    b"<?xpacket begin='' id='W5M0MpCehiHzreSzNTczkc9d'?>\n<x:xmpmeta xmlns:x='adobe:ns:meta/'>\
      <rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description rdf:about='' \
      xmlns:photoshop='http://ns.adobe.com/photoshop/1.0/' xmlns:exif='http://ns.adobe.com/exif/1.0/' \
      xmlns:tiff='http://ns.adobe.com/tiff/1.0/' xmlns:dc='http://purl.org/dc/elements/1.1/' \
      photoshop:DateCreated='2023-01-02T12:00:00' exif:GPSLatitude='52,30.0N' tiff:Orientation='6'>\
      <exif:DateTimeOriginal>2023-01-02T12:00:00.25+01:00</exif:DateTimeOriginal>\
      <exif:GPSLongitude>13,24.0E</exif:GPSLongitude><dc:format>image/jpeg</dc:format>\
      </rdf:Description></rdf:RDF></x:xmpmeta>\n<?xpacket end='w'?>"
        .to_vec()
}
