//! SPZ of all versions, whole and broken.

use super::*;
use crate::model::Scene;
use crate::splats::tests::{ball, columns, differences};
use crate::splats::{ANTIALIASED, SplatReadOptions};
use solio_base::{Error, ErrorKind, Limits, Result, Work};
use solio_codec::compress::{Compression, StreamDecoder};

fn write(scene: &Scene<'_>, version: u8) -> Vec<u8> {
    let mut bytes = Vec::new();
    let options = SpzWriteOptions { version, ..SpzWriteOptions::default() };
    encode_spz(scene, &options, &Work::serial(), &mut bytes).unwrap();
    unpacked(bytes)
}

/// What the reader gets: gzip is taken off before.
fn unpacked(bytes: Vec<u8>) -> Vec<u8> {
    let packing = Compression::of_head(&bytes);
    let mut decoder = StreamDecoder::new(packing, &bytes[..], &Limits::default()).unwrap();
    let mut out = vec![0; 1 << 22];
    let got = decoder.read(&mut out).unwrap();
    out.truncate(got);
    out
}

fn read(bytes: &[u8]) -> Result<Scene<'static>> {
    decode_spz(&bytes, &SplatReadOptions::default(), &Work::serial())
}

#[test]
fn all_versions_keep_what_their_bytes_hold() {
    for version in 2..=4 {
        for degree in 0..=4 {
            let scene = ball(600, degree);
            let bytes = write(&scene, version);
            let back = read(&bytes).unwrap();
            let after = columns(&back);
            assert_eq!(after.degree(), degree);
            let found = differences(&columns(&scene), &after);
            let turn = if version == 2 { 0.2 } else { 0.004 };
            // Half a step of each.
            let color = 0.5 / 255.0 / 0.15 + 1e-5;
            let bounds = [0.5 / 4096.0, 0.5 / 16.0 + 1e-5, turn, 0.002, color, 0.5 / 128.0 + 1e-6];
            let is_within = found.iter().zip(bounds).all(|(found, bound)| *found <= bound);
            assert!(is_within, "version {version}, degree {degree}: {found:?}, {bounds:?}");
            // Once more nothing is lost, but a step of rotations.
            let again = differences(&after, &columns(&read(&write(&back, version)).unwrap()));
            assert!(again[2] <= turn, "{again:?}");
            assert_eq!([again[0], again[1], again[5]], [0.0; 3]);
            let options = SpzWriteOptions { version, ..SpzWriteOptions::default() };
            let told = spz_losses(&back, &options).unwrap();
            assert!(told.iter().all(|loss| loss.what == "rotations"), "{told}");
            assert!(spz_losses(&scene, &options).unwrap().iter().count() >= 5);
        }
    }
}

#[test]
fn fewer_bits_of_harmonics_are_told_of_with_the_option() {
    let scene = ball(100, 1);
    let options = SpzWriteOptions { harmonic_bits: 4, ..SpzWriteOptions::default() };
    let losses = spz_losses(&scene, &options).unwrap();
    let told = losses.iter().find(|loss| loss.what == "harmonics").unwrap();
    assert_eq!(told.option, Some("harmonic_bits"));
    let mut bytes = Vec::new();
    encode_spz(&scene, &options, &Work::serial(), &mut bytes).unwrap();
    let off = differences(&columns(&scene), &columns(&read(&bytes).unwrap()))[5];
    assert!(off > 0.02 && off <= 0.5 / 8.0 + 0.005, "{off}");
    assert!(told.reason.contains(&format!("by {off:.4} at most")), "{}", told.reason);
}

#[test]
fn the_header_and_its_flag_are_kept() {
    let mut scene = ball(3, 2);
    scene.comments.push(ANTIALIASED.into());
    for version in [3, 4] {
        let bytes = write(&scene, version);
        let header = decode_spz_header(&bytes).unwrap();
        let found = (header.version, header.splats, header.degree, header.antialiased);
        assert_eq!(found, (version.into(), 3, 2, true));
        assert_eq!(read(&bytes).unwrap().comments, [ANTIALIASED]);
        assert!(
            !spz_losses(&scene, &Default::default()).unwrap().iter().any(|l| l.what == "comments")
        );
    }
}

/// A file of version 1, which has halves, written down by hand.
#[test]
fn halves_and_axes_are_read() {
    let mut bytes = b"NGSP\x01\0\0\0\x01\0\0\0\x01\x0c\0\0".to_vec();
    // 1, 2 and −3 in a file's axes.
    for half in [0x3c00_u16, 0x4000, 0xc200] {
        bytes.extend_from_slice(&half.to_le_bytes());
    }
    // Alpha, colour, sizes e^-2 and e^0, a turn about y, harmonics of 1/128 on.
    bytes.extend_from_slice(&[255, 255, 128, 0, 128, 128, 160, 128, 217, 128]);
    bytes.extend(129..138);
    let scene = read(&bytes).unwrap();
    assert_eq!(scene.meshes[0].positions.get(0), [1.0, -2.0, 3.0]);
    let all = columns(&scene);
    assert_eq!(all.scales.each_ref().map(|scale| scale[0]), [-2.0, -2.0, 0.0]);
    let [w, x, y, z] = all.turns.each_ref().map(|part| part[0]);
    // 217 is 0.702; y and z point the other way.
    assert!((y + 0.702).abs() < 1e-3 && (w - 0.712).abs() < 1e-2, "{y} {w}");
    assert!(x.abs() < 0.01 && z.abs() < 0.01);
    // The parts along y and z change their signs, that along x does not; red, green, blue take turns.
    let found: Vec<f32> = all.rest.iter().map(|column| column[0] * 128.0).collect();
    assert_eq!(found, [-1.0, -4.0, 7.0, -2.0, -5.0, 8.0, -3.0, -6.0, 9.0]);
}

/// A turn by 180° about x is what negates y and z: the harmonics must be those of the turned view.
#[test]
fn harmonics_turn_with_their_axes() {
    // The real harmonics without their factors, in the order of the format.
    let basis = |[x, y, z]: [f64; 3]| {
        let (xx, yy, zz) = (x * x, y * y, z * z);
        [
            y,
            z,
            x,
            x * y,
            y * z,
            2.0 * zz - xx - yy,
            x * z,
            xx - yy,
            y * (3.0 * xx - yy),
            x * y * z,
            y * (4.0 * zz - xx - yy),
            z * (2.0 * zz - 3.0 * xx - 3.0 * yy),
            x * (4.0 * zz - xx - yy),
            z * (xx - yy),
            x * (xx - 3.0 * yy),
            x * y * (xx - yy),
            y * z * (3.0 * xx - yy),
            x * y * (7.0 * zz - 1.0),
            y * z * (7.0 * zz - 3.0),
            zz * (35.0 * zz - 30.0) + 3.0,
            x * z * (7.0 * zz - 3.0),
            (xx - yy) * (7.0 * zz - 1.0),
            x * z * (xx - 3.0 * yy),
            xx * (xx - 3.0 * yy) - yy * (3.0 * xx - yy),
        ]
    };
    for number in 1..=8 {
        let flips = FrameFlips::of_number(number).unwrap();
        let view = [0.36, 0.48, 0.8];
        let ([x, y, z], _) = flips.signs();
        let turned = [f64::from(x) * view[0], f64::from(y) * view[1], f64::from(z) * view[2]];
        for (k, (a, b)) in basis(view).into_iter().zip(basis(turned)).enumerate() {
            let sign = if flips.negates(k) { -1.0 } else { 1.0 };
            assert!((a - sign * b).abs() < 1e-12, "axes {number}, harmonic {k}: {a} {b}");
        }
    }
    assert_eq!(FrameFlips::of_number(4), Some(USUAL));
    assert_eq!(FrameFlips::of_number(6), Some(FrameFlips([false; 3])));
    assert_eq!(FrameFlips::of_number(9), None);
}

#[test]
fn records_of_vendors_tell_axes_or_are_told_of() {
    let scene = ball(4, 1);
    for version in [3, 4] {
        let plain = write(&scene, version);
        let with = |record: &[u8]| {
            let mut bytes = plain.clone();
            bytes[14] |= 2;
            if version == 3 {
                bytes.extend_from_slice(record);
            } else {
                bytes[16] += record.len() as u8;
                bytes.splice(32..32, record.iter().copied());
            }
            bytes
        };
        let axes = |number: u8| {
            [&0xadbe_0003_u32.to_le_bytes()[..], &[4, 0, 0, 0, number, 0, 0, 0]].concat()
        };
        let usual = read(&with(&axes(4))).unwrap();
        assert_eq!((&usual.meshes, usual.warnings.len()), (&read(&plain).unwrap().meshes, 0));
        // Those of a PLY: nothing turns.
        let ply = columns(&read(&with(&axes(6))).unwrap());
        let own = columns(&usual);
        assert_eq!(ply.positions[0][1], -own.positions[0][1]);
        assert_eq!(ply.positions[0][0], own.positions[0][0]);
        assert_eq!(read(&with(&axes(9))).unwrap_err().kind(), ErrorKind::Unsupported);
        let other = with(&[1, 0, 0, 1, 2, 0, 0, 0, 9, 9]);
        let found = read(&other).unwrap();
        let place = if version == 3 { plain.len() } else { 32 };
        let said = format!("byte {place}: the record 0x01000001 of a vendor is not read");
        assert_eq!(found.warnings, [said]);
        let strict = SplatReadOptions { strict: true, ..SplatReadOptions::default() };
        assert!(decode_spz(&other, &strict, &Work::serial()).is_err());
        assert_eq!(read(&with(&[1, 2, 3])).unwrap().warnings.len(), 1);
    }
}

#[test]
fn far_and_close_places_get_other_fractions() {
    let scaled = |factor: f32| {
        let mut all = columns(&ball(50, 0));
        all.positions.to_mut().as_flattened_mut().iter_mut().for_each(|v| *v *= factor);
        all.into_scene()
    };
    for (factor, bits) in [(1.0, 12), (1000.0, 10), (1e-3, 19), (1e30, 0)] {
        let bytes = write(&scaled(factor), 4);
        assert_eq!(decode_spz_header(&bytes).unwrap().fraction_bits, bits, "{factor}");
    }
    let scene = scaled(1e-3);
    let found = differences(&columns(&scene), &columns(&read(&write(&scene, 3)).unwrap()));
    assert!(found[0] < 1e-6, "{found:?}");
    // What is beyond is cut, and told.
    let losses = spz_losses(&scaled(1e30), &SpzWriteOptions::default()).unwrap();
    assert!(losses.iter().any(|loss| loss.what == "positions"), "{losses}");
}

#[test]
fn no_beginning_of_a_file_is_taken_for_a_whole_one() {
    for version in 2..=4 {
        let bytes = write(&ball(5, 1), version);
        for end in 0..bytes.len() {
            let error: Error = read(&bytes[..end]).unwrap_err();
            assert!(error.offset().is_some(), "{version} {end}: {error}");
        }
    }
}

#[test]
fn changed_bits_are_read_or_refused() {
    for version in 2..=4 {
        let bytes = write(&ball(40, 2), version);
        for bit in (0..bytes.len() * 8).step_by(if bytes.len() > 2000 { 7 } else { 1 }) {
            let mut broken = bytes.clone();
            broken[bit / 8] ^= 1 << (bit % 8);
            if let Ok(scene) = read(&broken) {
                assert!(scene.meshes[0].positions.len() <= 40);
            }
        }
    }
}

#[test]
fn counts_are_not_believed_beyond_what_bytes_hold() {
    for version in [3_u8, 4] {
        let mut bytes = write(&ball(5, 0), version);
        bytes[8..12].copy_from_slice(&u32::MAX.to_le_bytes());
        let error = read(&bytes).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Corrupt | ErrorKind::Limit), "{error}");
        let limits = Limits { elements: 4, ..Limits::default() };
        let options = SplatReadOptions { limits, ..SplatReadOptions::default() };
        let error =
            decode_spz(&write(&ball(5, 0), version), &options, &Work::serial()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Limit);
    }
}

/// A few bytes that unpack to many: no more than the header's count, which the limits bound.
#[test]
fn streams_that_swell_are_bounded() {
    let zeros = vec![0; 9 << 20];
    let mut packer = solio_codec::compress::ChunkCompressor::new(Compression::Zstd, None).unwrap();
    let mut stream = Vec::new();
    packer.compress(&zeros, &mut stream).unwrap();
    let mut bytes = write(&ball(5, 0), 4);
    // The places of five splats are 45 bytes.
    let row = |packed: usize, plain: u64| [packed as u64, plain].map(u64::to_le_bytes).concat();
    let [old] = [0_u64; 1].map(|_| u64::from_le_bytes(bytes[32..40].try_into().unwrap()));
    let start = 32 + 16 * 5;
    bytes.splice(start..start + old as usize, stream.iter().copied());
    bytes[32..48].copy_from_slice(&row(stream.len(), 45));
    let error = read(&bytes).unwrap_err();
    assert!(error.message().contains("more bytes than the table says"), "{error}");
    let mut many = bytes.clone();
    many[8..12].copy_from_slice(&(1_u32 << 20).to_le_bytes());
    many[32..48].copy_from_slice(&row(stream.len(), 9 << 20));
    let limits = Limits { bytes: 1 << 20, ..Limits::default() };
    let options = SplatReadOptions { limits, ..SplatReadOptions::default() };
    assert_eq!(decode_spz(&many, &options, &Work::serial()).unwrap_err().kind(), ErrorKind::Limit);
}
