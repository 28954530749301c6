//! Files that the tests make themselves: what real photos seldom have.

/// Names and contents.
pub(crate) fn files() -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    for (n, bytes) in webps().into_iter().enumerate() {
        all.push((format!("made{n:02}.webp"), bytes));
    }
    for (n, bytes) in pngs().into_iter().enumerate() {
        all.push((format!("made{n:02}.png"), bytes));
    }
    for (n, bytes) in geo().into_iter().chain(gps()).enumerate() {
        all.push((format!("made{n:02}.tif"), bytes));
    }
    all
}

fn riff(chunks: &[(&[u8; 4], Vec<u8>)]) -> Vec<u8> {
    let mut body = b"WEBP".to_vec();
    for (name, data) in chunks {
        body.extend(*name);
        body.extend((data.len() as u32).to_le_bytes());
        body.extend(data);
        body.extend(vec![0; data.len() & 1]);
    }
    [&b"RIFF"[..], &(body.len() as u32).to_le_bytes(), &body].concat()
}

/// Pictures of WebP: every version and scale of the lossy kind, lossless ones, animations.
fn webps() -> Vec<Vec<u8>> {
    let lossy = |version: u8, scale: u16| {
        let mut data = vec![version << 1, 0, 0, 0x9d, 0x01, 0x2a];
        data.extend((100 | scale << 14).to_le_bytes());
        data.extend((50 | (3 - scale) << 14).to_le_bytes());
        data.extend([0; 6]);
        (b"VP8 ", data)
    };
    let lossless = |alpha: u32| {
        let bits = 99 | 49 << 14 | alpha << 28;
        (b"VP8L", [&[0x2f][..], &u32::to_le_bytes(bits), &[0; 5]].concat())
    };
    let extended = |flags: u8| (b"VP8X", vec![flags, 0, 0, 0, 99, 0, 0, 49, 0, 0]);
    let mut all = Vec::new();
    for n in 0..4 {
        all.push(riff(&[lossy(n, u16::from(n))]));
        all.push(riff(&[extended(1 << n), lossy(n, u16::from(3 - n))]));
        let anim = (b"ANIM", vec![1, 2, 3, 4, n, 0]);
        all.push(riff(&[extended(6), anim.clone(), lossy(n, 0)]));
        all.push(riff(&[extended(2 | n << 4), anim]));
    }
    for alpha in 0..2 {
        all.push(riff(&[lossless(alpha)]));
        all.push(riff(&[extended(0x10), lossless(alpha)]));
    }
    all
}

fn png(chunks: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
    let mut all = b"\x89PNG\r\n\x1a\n".to_vec();
    let head: (&[u8; 4], &[u8]) = (b"IHDR", b"\0\0\0\x04\0\0\0\x04\x08\x02\0\0\0");
    for (name, data) in [&[head], chunks, &[(b"IEND", &b""[..])]].concat() {
        all.extend((data.len() as u32).to_be_bytes());
        all.extend(name);
        all.extend(data);
        let sum = crc(&[&name[..], data].concat());
        all.extend(sum.to_be_bytes());
    }
    all
}

/// The checksum of PNG's chunks.
fn crc(bytes: &[u8]) -> u32 {
    let step = |sum: u32, byte: &u8| {
        let low = (sum ^ u32::from(*byte)) & 0xff;
        let low = (0..8).fold(low, |low, _| low >> 1 ^ (0xedb8_8320 & (low & 1).wrapping_neg()));
        sum >> 8 ^ low
    };
    !bytes.iter().fold(u32::MAX, step)
}

/// PNG's rare chunks and its texts.
fn pngs() -> Vec<Vec<u8>> {
    let chunks: [(&[u8; 4], &[u8]); 14] = [
        (b"acTL", b"\0\0\0\x02\0\0\0\0"),
        (b"oFFs", b"\0\0\0\x05\0\0\0\x06\x01"),
        (b"sCAL", b"\x01\x31.5\x002.5"),
        (b"sTER", b"\x01"),
        (b"vpAg", b"\0\0\0\x05\0\0\0\x06\x01"),
        (b"cICP", b"\x09\x10\0\x01"),
        (b"gIFg", b"\0\0\0\x01"),
        (b"tIME", b"\x07\xe4\x01\x02\x03\x04\x05"),
        (b"tEXt", b"Creation Time\0Sat, 01 Feb 2020 12:00:00 GMT"),
        (b"tEXt", b"date:create\x002020-01-02T03:04:05+00:00"),
        (b"tEXt", b"create-date\x002020-01-02T03:04:05Z"),
        (b"iTXt", b"Title\0\0\0de\0Titel\0abc"),
        (b"tEXt", b"My own KEY\0x"),
        (b"eXIf", b"none"),
    ];
    let tiff = b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0";
    let digits: String = tiff.iter().map(|byte| format!("{byte:02x}")).collect();
    let raw = format!("Raw profile type exif\0\nexif\n      26\n{digits}\n").into_bytes();
    let broken = b"Raw profile type iptc\0nothing";
    vec![png(&chunks), png(&[(b"tEXt", &raw)]), png(&[(b"tEXt", broken), (b"eXIf", tiff)])]
}

/// A directory of TIFF at `at`: number, type, count and value of each entry.
fn directory(at: usize, entries: &[(u16, u16, u32, Vec<u8>)]) -> Vec<u8> {
    let mut head = (entries.len() as u16).to_le_bytes().to_vec();
    let mut data = Vec::new();
    for (id, kind, count, value) in entries {
        head.extend(id.to_le_bytes());
        head.extend(kind.to_le_bytes());
        head.extend(count.to_le_bytes());
        if value.len() <= 4 {
            head.extend([&value[..], &[0; 4]].concat()[..4].iter());
        } else {
            let place = at + 2 + 12 * entries.len() + 4 + data.len();
            head.extend((place as u32).to_le_bytes());
            data.extend(value);
            data.extend(vec![0; value.len() & 1]);
        }
    }
    [head, vec![0; 4], data].concat()
}

fn tiff(entries: &[(u16, u16, u32, Vec<u8>)]) -> Vec<u8> {
    [b"II*\0\x08\0\0\0".to_vec(), directory(8, entries)].concat()
}

/// Keys of GeoTIFF, some with codes that have names.
fn geo() -> Vec<Vec<u8>> {
    const KEYS: u16 = 0x87af;
    let codes: [&[(u16, u16)]; 4] = [
        &[(1024, 1), (1025, 1), (2048, 4326), (2050, 6326), (2051, 8901), (2054, 9102)],
        &[(1024, 2), (1025, 2), (2048, 4269), (2052, 9001), (2056, 7030), (2060, 9105)],
        &[(1024, 3), (3072, 32633), (3074, 16033), (3075, 1), (3076, 9001), (4096, 5101)],
        &[(1024, 9), (3072, 26917), (3074, 10101), (3075, 8), (3076, 9003), (4099, 32767)],
    ];
    let file = |codes: &[(u16, u16)]| {
        let mut keys = vec![[1, 1, 0, codes.len() as u16 + 3]];
        keys.extend(codes.iter().map(|(key, code)| [*key, 0, 1, *code]));
        keys.extend([[2057, 0x87b0, 1, 0], [3073, 0x87b1, 4, 0], [3088, 0x87b0, 1, 1]]);
        let words: Vec<u8> = keys.as_flattened().iter().flat_map(|w| w.to_le_bytes()).collect();
        let numbers: Vec<u8> =
            [6_378_137.0f64, -1.25e-7].iter().flat_map(|n| n.to_le_bytes()).collect();
        tiff(&[
            (KEYS, 3, words.len() as u32 / 2, words),
            (0x87b0, 12, 2, numbers),
            (0x87b1, 2, 6, b"abc|d\0".to_vec()),
        ])
    };
    codes.map(file).to_vec()
}

/// Places on Earth and what belongs to them.
fn gps() -> Vec<Vec<u8>> {
    let ratios = |list: &[(u32, u32)]| -> Vec<u8> {
        list.iter().flat_map(|(a, b)| [a.to_le_bytes(), b.to_le_bytes()].concat()).collect()
    };
    let text = |id: u16, text: &[u8]| (id, 2, text.len() as u32, text.to_vec());
    let place = |south: &[u8], east: &[u8]| {
        vec![
            text(1, south),
            (2, 5, 3, ratios(&[(12, 1), (34, 1), (567, 10)])),
            text(3, east),
            (4, 5, 3, ratios(&[(120, 1), (305_678, 10_000), (0, 1)])),
        ]
    };
    let time = |seconds, date: &[u8]| {
        vec![(7, 5, 3, ratios(&[(12, 1), (34, 1), seconds])), text(0x1d, date)]
    };
    let rest = |letter: &[u8], altitude: u8| {
        vec![
            (5, 1, 1, vec![altitude]),
            (6, 5, 1, ratios(&[(1234, 7)])),
            text(0x0c, letter),
            (0x0d, 5, 1, ratios(&[(1, 3)])),
            text(0x10, b"T\0"),
            (0x11, 5, 1, ratios(&[(1234, 100)])),
            (0x1b, 7, 11, b"ASCII\0\0\0GPS".to_vec()),
            (0x1e, 3, 1, vec![1, 0]),
        ]
    };
    let directories = [
        place(b"N\0", b"W\0"),
        place(b"S\0", b"E\0"),
        time((37, 3), b"2020:01:02\0"),
        time((1, 3), b"20200102\0"),
        time((5, 2), b"2020-01-02\0"),
        rest(b"K\0", 0),
        rest(b"M\0", 1),
    ];
    let whole = |entries: &Vec<(u16, u16, u32, Vec<u8>)>| {
        let first = tiff(&[(0x8825, 4, 1, vec![26, 0, 0, 0])]);
        [first, directory(26, entries)].concat()
    };
    directories.iter().map(whole).collect()
}
