use super::*;
use crate::{Channel, Compression, PixelType};

fn channel(name: &str) -> Channel {
    Channel::new(name, PixelType::Half)
}

fn part() -> Part {
    Part::new(Box2i::of_size(7, 5), Compression::Zip, vec![channel("G"), channel("R")])
}

/// One header of each make.
fn headers() -> Vec<Header> {
    let plain = Header { parts: vec![part()], ..Header::default() };
    let mut tiled = plain.clone();
    let tiles = Tiles { width: 4, height: 2, levels: LevelMode::Ripmap, rounding: Rounding::Up };
    tiled.parts[0].set("tiles", Value::Tiles(tiles));
    tiled.parts[0].set("mystery", Value::Opaque { type_name: "own".into(), data: vec![1, 2] });
    let mut parts = plain.clone();
    let mut deep = part();
    deep.set("compression", Value::Compression(Compression::Zips));
    deep.set("type", Value::Text("deepscanline".into()));
    deep.set("name", Value::Text("deep".into()));
    parts.parts.push(deep);
    parts.parts[0].set("type", Value::Text("scanlineimage".into()));
    parts.parts[0].set("name", Value::Text(Text(b"\xa9".to_vec())));
    let mut long = plain.clone();
    long.parts[0].set(&"n".repeat(32), Value::Double(0.5));
    vec![plain, tiled, parts, long]
}

fn bytes(header: &Header) -> Vec<u8> {
    let mut bytes = Vec::new();
    header.encode(&mut bytes).unwrap();
    bytes
}

fn decode(bytes: &[u8]) -> Result<Header> {
    decode_header(&bytes, &Limits::default())
}

/// A source that has its bytes elsewhere.
struct UnmappedHeader<'a>(&'a [u8]);

impl Source for UnmappedHeader<'_> {
    fn len_bytes(&self) -> Option<u64> {
        self.0.len_bytes()
    }
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize> {
        self.0.read_at(offset, buf)
    }
}

#[test]
fn headers_keep_their_bytes() {
    let flags = [0, TILED, NON_IMAGE | MULTIPART, LONG_NAMES];
    for (header, flags) in headers().iter().zip(flags) {
        let bytes = bytes(header);
        assert_eq!(bytes[..4], MAGIC);
        assert_eq!(bytes[4..8], (2 | flags).to_le_bytes());
        let again = decode(&bytes).unwrap();
        assert_eq!(again.parts.len(), header.parts.len());
        for (a, b) in again.parts.iter().zip(&header.parts) {
            assert_eq!(a.attributes, b.attributes);
            assert_eq!(a.shape().unwrap(), b.shape().unwrap());
        }
        assert_eq!(self::bytes(&again), bytes);
    }
}

#[test]
fn new_headers_have_the_bytes_of_the_reference() {
    // What OpenEXR 3.5.3 wrote for an image of 7 × 5 pixels with B, G and R.
    let reference: [&[u8]; 10] = [
        b"v/1\x01\x02\0\0\0",
        b"channels\0chlist\0\x37\0\0\0B\0\x01\0\0\0\0\0\0\0\x01\0\0\0\x01\0\0\0G\0\x01\0\0\0\0\0\0\0\x01\0\0\0\x01\0\0\0R\0\x01\0\0\0\0\0\0\0\x01\0\0\0\x01\0\0\0\0",
        b"compression\0compression\0\x01\0\0\0\x03",
        b"dataWindow\0box2i\0\x10\0\0\0\0\0\0\0\0\0\0\0\x06\0\0\0\x04\0\0\0",
        b"displayWindow\0box2i\0\x10\0\0\0\0\0\0\0\0\0\0\0\x06\0\0\0\x04\0\0\0",
        b"lineOrder\0lineOrder\0\x01\0\0\0\0",
        b"pixelAspectRatio\0float\0\x04\0\0\0\0\0\x80?",
        b"screenWindowCenter\0v2f\0\x08\0\0\0\0\0\0\0\0\0\0\0",
        b"screenWindowWidth\0float\0\x04\0\0\0\0\0\x80?",
        b"type\0string\0\x0d\0\0\0scanlineimage\0",
    ];
    let channels = ["B", "G", "R"].map(channel).to_vec();
    let mut part = Part::new(Box2i::of_size(7, 5), Compression::Zip, channels);
    part.set("type", Value::Text("scanlineimage".into()));
    let header = Header { parts: vec![part], ..Header::default() };
    assert_eq!(bytes(&header), reference.concat());
}

#[test]
fn a_long_header_is_read_in_pieces() {
    let mut header = headers().swap_remove(0);
    for size in [0, FIRST_BYTES, 20 * FIRST_BYTES] {
        let text = Text(vec![b'.'; size]);
        header.parts[0].set("comments", Value::Text(text));
        let mut bytes = bytes(&header);
        bytes.resize(bytes.len() + 99, 0xff);
        let placed = decode_placed(&UnmappedHeader(&bytes), &Limits::default()).unwrap();
        assert_eq!(placed.end, bytes.len() as u64 - 99);
        assert_eq!(placed.header.parts[0].attributes, header.parts[0].attributes);
    }
    let long = decode_placed(
        &UnmappedHeader(&bytes(&header)),
        &Limits { bytes: 9999, ..Limits::default() },
    );
    assert_eq!(long.unwrap_err().kind(), solio_base::ErrorKind::Limit);
}

#[test]
fn damage_is_refused_with_its_place() {
    for header in headers() {
        let bytes = bytes(&header);
        for end in 0..bytes.len() {
            let e = decode(&bytes[..end]).unwrap_err();
            assert!(e.offset().is_some_and(|offset| offset <= end as u64), "{end}: {e}");
        }
        for bit in 0..8 * bytes.len() {
            let mut broken = bytes.clone();
            broken[bit / 8] ^= 1 << (bit % 8);
            match decode(&broken) {
                Ok(header) => {
                    // The order of names is all that may change: nothing is lost.
                    assert!(self::bytes(&header).len() <= bytes.len());
                }
                Err(e) => assert!(e.offset().is_some(), "bit {bit}: {e}"),
            }
        }
    }
}

#[test]
fn errors_say_what_is_wrong() {
    let plain = headers().swap_remove(0);
    let with = |name: &str, value: Value| {
        let mut header = plain.clone();
        header.parts[0].set(name, value);
        decode(&bytes(&header)).unwrap_err().to_string()
    };
    let opaque = |type_name: &str, data: &[u8]| Value::Opaque {
        type_name: type_name.into(),
        data: data.to_vec(),
    };
    assert_eq!(
        with("compression", opaque("compression", &[99])),
        "byte 65: compression 99 is unknown"
    );
    assert_eq!(
        with("dataWindow", Value::Box2i(Box2i { min: [0, 0], max: [-1, 3] })),
        "byte 94: the data window (0, 0) to (-1, 3) is empty"
    );
    assert_eq!(
        with("channels", Value::Channels(vec![channel("R"), channel("R")])),
        "byte 8: two channels are called \"R\""
    );
    assert_eq!(
        with("channels", Value::Int(1)),
        "byte 8: the attribute \"channels\" is damaged or of another type"
    );
    let mut odd = channel("BY");
    odd.x_sampling = 2;
    assert_eq!(
        with("channels", Value::Channels(vec![odd])),
        "byte 8: channel \"BY\" with sampling rates 2 × 1, which do not divide the data window"
    );
    assert_eq!(
        decode(b"P6 1 1 255").unwrap_err().message(),
        "not an OpenEXR file: wrong magic number"
    );
    assert!(Header::default().encode(&mut Vec::new()).is_err());
}

#[test]
fn attributes_are_set_in_their_place() {
    let mut part = part();
    part.set("owner", Value::Text("me".into()));
    let names: Vec<_> = part.attributes.iter().map(|a| a.name.as_str()).collect();
    assert!(names.is_sorted() && names.contains(&"owner"));
    part.set("owner", Value::Text("you".into()));
    assert_eq!(part.get("owner"), Some(&Value::Text("you".into())));
    part.remove("owner");
    assert_eq!(part.get("owner"), None);
    assert_eq!(part.display_window(), Some(Box2i::of_size(7, 5)));
}
