//! Maker notes that programs have moved, or around which they wrote the other byte order.

mod notes;

use notes::{directory, photo, read, short, text, words};

/// The same directory with its numbers in the other byte order; only for such as `entries` has.
fn swapped(mut bytes: Vec<u8>, entries: usize) -> Vec<u8> {
    bytes[..2].reverse();
    for entry in bytes[2..2 + 12 * entries].chunks_exact_mut(12) {
        entry[..2].reverse();
        entry[2..4].reverse();
        entry[4..8].reverse();
        // What lies in the entry itself is one number of 16 bits here.
        let inline = entry[3] == 3;
        entry[8..if inline { 10 } else { 12 }].reverse();
    }
    bytes
}

#[test]
fn a_note_has_a_byte_order_of_its_own() {
    let entries = [short(0x001c, 0), text(0x0006, "Canon Elph\0"), text(0x0007, "Firmware 1\0")];
    let same = photo("Canon\0", "Canon X\0", |at| directory(at, 0, &entries));
    let other = photo("Canon\0", "Canon X\0", |at| swapped(directory(at, 0, &entries), 3));
    for file in [&same, &other] {
        assert_eq!(words(file, "Canon:CanonImageType"), "Canon Elph");
        assert_eq!(words(file, "Canon:CanonFirmwareVersion"), "Firmware 1");
    }
    assert_eq!(words(&same, "File:MakerNoteByteOrder"), "");
    assert_eq!(words(&other, "File:MakerNoteByteOrder"), "Big-endian (Motorola, MM)");
}

/// Canon's note with the foot that says where it was written; offsets count `from` bytes less.
fn canon(from: i64, foot: i64, space: usize) -> Vec<u8> {
    photo("Canon\0", "Canon X\0", move |at| {
        let entries = [text(0x0006, "Canon Elph\0\0"), text(0x0007, "Firmware 1\0\0")];
        let mut note = directory((at as i64 - from).max(0) as usize, 0, &entries);
        note.resize(note.len() + space, 0);
        note.extend(b"II*\0");
        note.extend(((at as i64 - foot) as u32).to_le_bytes());
        note
    })
}

#[test]
fn the_foot_of_canons_note_tells_where_it_was() {
    for (from, foot, space, what) in [
        (0, 0, 6, "where it was written"),
        (40, 40, 6, "moved back"),
        (-4214, -4214, 6, "moved forth"),
        (0, 40, 0, "moved with its offsets, but not its foot"),
    ] {
        let file = canon(from, foot, space);
        assert_eq!(words(&file, "Canon:CanonImageType"), "Canon Elph", "{what}");
        assert_eq!(words(&file, "Canon:CanonFirmwareVersion"), "Firmware 1", "{what}");
    }
    // A foot that is right: offsets are not.
    assert_ne!(words(&canon(40, 0, 6), "Canon:CanonImageType"), "Canon Elph");
}

/// A note of Casio's whose offsets are `off` too small, with `gap` bytes behind its directory.
fn casio(off: i64, gap: usize) -> Vec<u8> {
    photo("CASIO COMPUTER CO.,LTD\0", "EX-Z1\0", move |at| {
        let entries = [short(0x000d, 1), text(0x3006, "Berlin\0\0")];
        let start = ((at + 6) as i64 - off + gap as i64 - 4).max(0);
        let mut body = directory(start as usize, 0, &entries);
        let end = 2 + 12 * entries.len();
        body.splice(end..end + 4, vec![0; gap]);
        [b"QVC\0\0\0", &body[..]].concat()
    })
}

#[test]
fn offsets_are_moved_where_the_first_value_lies_elsewhere() {
    for (off, gap) in [(0, 4), (0, 16), (0, 2), (60, 4), (-1000, 4), (7, 4)] {
        let file = casio(off, gap);
        assert_eq!(words(&file, "Casio:FocusMode"), "Macro", "{off} {gap}");
        assert_eq!(words(&file, "Casio:HometownCity"), "Berlin", "{off} {gap}");
    }
}

#[test]
fn offsets_that_count_from_their_own_entries() {
    let file = photo("Asahi Optical Co.,Ltd\0", "PENTAX Optio 330\0", |_| {
        let entries = [text(0x0006, "Canon Elph\0\0"), text(0x0007, "Firmware 1\0\0")];
        // From the directory first, then each from its own entry.
        let mut note = directory(0, 2, &entries);
        let second = 2 + 12 + 8;
        let at = u32::from_le_bytes(note[second..second + 4].try_into().unwrap()) - 12;
        note[second..second + 4].copy_from_slice(&at.to_le_bytes());
        note
    });
    // Read as Canon's, whose table has such entries.
    let mut file = file;
    let at = file.windows(21).position(|part| part == b"Asahi Optical Co.,Ltd").unwrap();
    file[at..at + 21].copy_from_slice(b"Canon\0              \0");
    assert_eq!(words(&file, "Canon:CanonImageType"), "Canon Elph");
    assert_eq!(words(&file, "Canon:CanonFirmwareVersion"), "Firmware 1");
}

#[test]
fn heads_that_other_makers_use() {
    let note = |head: &'static [u8]| {
        move |at: usize| {
            let entries = [short(0x0202, 1), text(0x0207, "SX000\0\0\0")];
            [head, &directory(at + head.len(), 0, &entries)].concat()
        }
    };
    for (make, head) in [
        ("SEIKO EPSON CORP.\0", &b"EPSON\0\x01\0"[..]),
        ("CAMERA\0", b"CAMER\0\x02\0"),
        ("SONY\0", b"PREMI\0\x01\0"),
        ("SONY\0", b"SONY PI\0\0\0\0\0"),
        ("Minolta Co., Ltd.\0", b"MINOL\0\x01\0"),
    ] {
        let file = photo(make, "X\0", note(head));
        assert_eq!(words(&file, "Olympus:Macro"), "On", "{make}");
    }
    let leica = photo("LEICA\0", "D-LUX 4\0", |at| {
        let body = directory(at + 8, 0, &[text(0x0065, "A day\0")]);
        [b"LEICA\0\0\0", &body[..]].concat()
    });
    assert_eq!(words(&leica, "Panasonic:Title"), "A day");
}

#[test]
fn notes_of_jvc() {
    let file = photo("JVC\0", "GR-D231\0", |at| {
        let body = directory(at + 4, 0, &[text(0x0002, "CPU1 1.00\0"), short(0x0003, 2)]);
        [b"JVC ", &body[..]].concat()
    });
    assert_eq!(words(&file, "JVC:CPUVersions"), "CPU1 1.00");
    assert_eq!(words(&file, "JVC:Quality"), "Fine");
}

#[test]
fn numbers_that_nothing_can_have_are_left_out() {
    // Settings of 16 bits: the apertures are numbers 26 and 27.
    let settings = |aperture: i16| {
        let mut all = [0i16; 40];
        (all[0], all[26], all[27]) = (80, aperture, aperture);
        let bytes: Vec<u8> = all.iter().flat_map(|number| number.to_le_bytes()).collect();
        photo("Canon\0", "Canon DC50\0", move |at| {
            directory(at, 0, &[(0x0001, 3, 40, bytes.clone())])
        })
    };
    assert_eq!(words(&settings(96), "Canon:MinAperture"), "2.8");
    for absurd in [-32736, -1, 0] {
        assert_eq!(words(&settings(absurd), "Canon:MinAperture"), "", "{absurd}");
    }
    let distance = |number: u32| {
        photo("CASIO COMPUTER CO.,LTD\0", "EX-100\0", move |at| {
            let body = directory(at + 6, 0, &[(0x2022, 4, 1, number.to_le_bytes().to_vec())]);
            [b"QVC\0\0\0", &body[..]].concat()
        })
    };
    assert_eq!(words(&distance(1500), "Casio:ObjectDistance"), "1.5 m");
    for many in [0x2000_0000, u32::MAX] {
        assert_eq!(words(&distance(many), "Casio:ObjectDistance"), "inf");
    }
    assert!(read(&distance(0x2000_0000)).is_some_and(|all| all.get("DOF").is_none()));
}
