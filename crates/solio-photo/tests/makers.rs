//! Maker notes put together here: of makers whose photos are rare, and damaged ones of all.

mod notes;

use notes::{directory, photo, read, short, text, words};

fn samsung() -> Vec<u8> {
    let entries = |at: usize, from: usize| {
        let version = (0x0001, 7, 4, b"0100".to_vec());
        let fraction = [5u32.to_le_bytes(), 10u32.to_le_bytes()].concat();
        let entries = [version, text(0xa001, "NX100_FW"), (0xa018, 5, 1, fraction)];
        directory(at, from, &entries)
    };
    photo("SAMSUNG\0", "NX100\0", move |at| entries(at, 0))
}

fn olympus() -> Vec<u8> {
    photo("OLYMPUS IMAGING CORP.\0", "E-M1\0", |_| {
        let mut note = b"OLYMPUS\0II\x03\0".to_vec();
        let settings = 12 + 2 + 12 * 2 + 4;
        let pointer = (0x2020, 13, 1, (settings as u32).to_le_bytes().to_vec());
        note.extend(directory(12, 0, &[short(0x0202, 1), pointer]));
        let drive = [1u16, 2, 0, 0, 0].map(u16::to_le_bytes).concat();
        note.extend(directory(settings, 0, &[short(0x0200, 3), (0x0600, 3, 5, drive)]));
        note
    })
}

fn pentax() -> Vec<u8> {
    photo("PENTAX Corporation\0", "PENTAX K10D\0", |at| {
        let mut note = b"AOC\0II".to_vec();
        let entries = [
            (0x0006, 7, 4, vec![7, 0xd7, 4, 28]),
            (0x0007, 7, 3, vec![17, 47, 59]),
            (0x005d, 7, 4, vec![0xe9, 7, 0xc0, 0x3f]),
            (0x0206, 7, 14, vec![104, 108, 32, 64, 0, 128, 1, 0, 0, 108, 108, 148, 0, 0]),
        ];
        note.extend(directory(at + 6, 0, &entries));
        note
    })
}

fn casio() -> Vec<u8> {
    photo("CASIO\0", "QV-8000SX\0", |at| directory(at, 0, &[short(1, 4), short(7, 129)]))
}

fn dji() -> Vec<u8> {
    let speed = |id, speed: f32| (id, 11, 1, speed.to_le_bytes().to_vec());
    photo("DJI\0", "FC300S\0", move |at| directory(at, 0, &[speed(3, 1.5), speed(4, -0.25)]))
}

fn ricoh() -> Vec<u8> {
    photo("RICOH\0", "RDC-5300\0", |_| b"Rv0103;Rg1C;Bg18;Ll0:\0".to_vec())
}

fn kodak() -> Vec<u8> {
    photo("EASTMAN KODAK COMPANY\0", "DX4900\0", |_| {
        let mut note = b"KDK INFODX4900  ".to_vec();
        note.extend([3, 1, 0, 1, 9, 0x90, 6, 0x60, 7, 0xd2, 5, 1, 10, 22, 28, 62]);
        note.resize(8 + 108, 0);
        note
    })
}

/// A packed list of one number: the time since a phone was switched on.
fn apple() -> Vec<u8> {
    photo("Apple\0", "iPhone\0", |_| {
        let mut list = b"bplist00\xd1\x01\x02\x55value\x10\x2a".to_vec();
        let places = list.len() as u64;
        list.extend([8, 11, 17, 0, 0, 0, 0, 0, 0, 1, 1]);
        for number in [3, 0, places] {
            list.extend(number.to_be_bytes());
        }
        let mut note = b"Apple iOS\0\0\x01II".to_vec();
        note.extend(directory(14, 0, &[(3, 7, list.len() as u32, list)]));
        note
    })
}

fn fujifilm() -> Vec<u8> {
    photo("FUJIFILM\0", "X-T3\0", |_| {
        let mut note = b"FUJIFILM\x0c\0\0\0".to_vec();
        let focus = (0x102d, 4, 1, 0x4011u32.to_le_bytes().to_vec());
        note.extend(directory(12, 0, &[short(0x102b, 0x21), focus]));
        note
    })
}

fn panasonic() -> Vec<u8> {
    photo("Panasonic\0", "DMC-FT4\0", |at| {
        let mut note = b"Panasonic\0\0\0".to_vec();
        let faces = [1u16, 10, 20, 30, 40].map(u16::to_le_bytes).concat();
        note.extend(directory(at + 12, 0, &[(0x004e, 7, 10, faces), text(0x0065, "A day\0")]));
        note
    })
}

/// A raw file whose main directory has numbers of its own.
fn raw_of_panasonic() -> Vec<u8> {
    let mut bytes = b"IIU\0\x08\0\0\0".to_vec();
    let light = [1u16, 10, 573, 256, 416].map(u16::to_le_bytes).concat();
    let entries = [short(0x0002, 3724), (0x0027, 7, 10, light), text(0x010f, "Panasonic\0")];
    bytes.extend(directory(8, 0, &entries));
    bytes
}

/// Nikon's note with one setting, flash sync speed, and where contrast found what is sharp.
fn nikon(model: &str, contrast: u8) -> Vec<u8> {
    photo("NIKON CORPORATION\0", model, |_| {
        let mut settings = vec![0; 24];
        settings[20..24].copy_from_slice(&1u32.to_le_bytes());
        settings.extend([0x47, 0, 0, 3, 2, 0, 0, 0]);
        let mut focus = b"0101".to_vec();
        focus.push(contrast);
        focus.resize(84, 0);
        focus[70..72].copy_from_slice(&8256u16.to_le_bytes());
        let block = |id, bytes: Vec<u8>| (id, 7, bytes.len() as u32, bytes);
        let tiff = directory(8, 0, &[block(0x4e, settings), block(0xb7, focus)]);
        [b"Nikon\0\x02\x11\0\0II*\0\x08\0\0\0", &tiff[..]].concat()
    })
}

#[test]
fn settings_are_those_of_the_camera() {
    // One number means other things to other cameras: to the D6 1/250 s, to the D850 nothing.
    for (model, speed) in [("NIKON Z 6\0", "1/200 s"), ("NIKON D850\0", ""), ("NIKON D6\0", "")] {
        assert_eq!(words(&nikon(model, 1), "NikonSettings:FlashSyncSpeed"), speed, "{model}");
        assert_eq!(words(&nikon(model, 1), "Nikon:AFImageWidth"), "8256");
        assert_eq!(words(&nikon(model, 1), "Nikon:ContrastDetectAFInFocus"), "No");
        assert_eq!(words(&nikon(model, 0), "Nikon:AFImageWidth"), "");
        assert_eq!(words(&nikon(model, 0), "Nikon:ContrastDetectAFInFocus"), "");
        assert_eq!(words(&nikon(model, 0), "Nikon:AFDetectionMethod"), "Phase Detect");
    }
}

fn all() -> [Vec<u8>; 12] {
    [
        nikon("NIKON Z 6\0", 1),
        samsung(),
        olympus(),
        pentax(),
        casio(),
        dji(),
        ricoh(),
        kodak(),
        apple(),
        fujifilm(),
        panasonic(),
        raw_of_panasonic(),
    ]
}

#[test]
fn notes_of_makers() {
    for (file, tag, want) in [
        (samsung(), "Samsung:FirmwareName", "NX100_FW"),
        (samsung(), "Samsung:ExposureTime", "0.5"),
        (olympus(), "Olympus:ExposureMode", "Aperture-priority AE"),
        (olympus(), "Olympus:DriveMode", "Continuous Shooting, Shot 2"),
        (olympus(), "Olympus:Macro", "On"),
        (pentax(), "Pentax:ShutterCount", "220"),
        (pentax(), "Pentax:AEAperture", "5.7"),
        (pentax(), "Pentax:AEExposureTime", "1/21"),
        (casio(), "Casio:RecordingMode", "Portrait"),
        (casio(), "Casio:WhiteBalance", "Manual"),
        (dji(), "DJI:SpeedX", "+1.50"),
        (dji(), "DJI:SpeedY", "-0.25"),
        (ricoh(), "Ricoh:FirmwareVersion", "1.03"),
        (kodak(), "Kodak:KodakImageWidth", "2448"),
        (kodak(), "Kodak:TimeCreated", "10:22:28.62"),
        (apple(), "Apple:RunTimeValue", "42"),
        (fujifilm(), "FujiFilm:AF-SPriority", "Release"),
        (fujifilm(), "FujiFilm:PreAF", "On"),
        (fujifilm(), "FujiFilm:AFAreaPointSize", "4"),
        (panasonic(), "Panasonic:Face1Position", "10 20 30 40"),
        (panasonic(), "Panasonic:Title", "A day"),
        (raw_of_panasonic(), "IFD0:SensorWidth", "3724"),
        (raw_of_panasonic(), "IFD0:Make", "Panasonic"),
        (raw_of_panasonic(), "PanasonicRaw:WBType1", "Cloudy"),
    ] {
        assert_eq!(words(&file, tag), want, "{tag}");
    }
}

#[test]
fn damaged_notes_are_read_without_harm() {
    for file in all() {
        for end in 0..file.len() {
            let _ = read(&file[..end]);
        }
        for at in 0..file.len() {
            for byte in [0, 1, 0x7f, 0xff, file[at] ^ 0x80] {
                let mut wrong = file.clone();
                wrong[at] = byte;
                if let Some(metadata) = read(&wrong) {
                    for tag in &metadata.tags {
                        let _ = (tag.number(), tag.text());
                    }
                }
            }
        }
    }
}
