//! Chunks of all kinds of planes, there and back.

use super::*;
use proptest::prelude::*;

fn plane(element: Element, width: usize, rows: usize) -> SamplePlane {
    let step = element.bytes();
    SamplePlane { element, width, rows, start: 0, step, row_step: width * step }
}

fn there_and_back(bytes: &[u8], planes: &[SamplePlane]) -> Vec<u8> {
    let mut sizes = Vec::new();
    let mut first = Vec::new();
    for effort in [Effort::Fast, Effort::Thorough, Effort::Max] {
        let mut packed = Vec::new();
        ArrayEncoder::new(effort).unwrap().encode(bytes, planes, &mut packed).unwrap();
        let mut back = vec![0; bytes.len()];
        ArrayDecoder::default().decode(&packed, planes, &mut back).unwrap();
        assert!(back == bytes, "{effort:?}");
        // More effort never makes it larger.
        assert!(sizes.iter().take(1).all(|fast| packed.len() <= *fast), "{effort:?}");
        sizes.push(packed.len());
        if effort == Effort::Fast {
            first = packed;
        }
    }
    first
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_plane_comes_back(
        noise in prop::collection::vec(any::<u8>(), 0..6000), width in 1..90usize, mask: u8, slope: u8,
    ) {
        for element in Element::ALL {
            let rows = noise.len() / (width * element.bytes());
            let plane = plane(element, width, rows);
            let count = width * rows * element.bytes();
            let bytes: Vec<u8> = noise[..count].iter().enumerate()
                .map(|(i, n)| (n & mask).wrapping_add((i as u8).wrapping_mul(slope)))
                .collect();
            there_and_back(&bytes, &[plane]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn components_side_by_side_come_back(
        noise in prop::collection::vec(any::<u8>(), 0..4000), width in 1..40usize, mask: u8,
    ) {
        for element in Element::ALL {
            for components in 1..=5 {
                let size = element.bytes();
                let step = components * size;
                let rows = noise.len() / (width * step);
                let planes: Vec<SamplePlane> = (0..components).map(|i| SamplePlane {
                    start: i * size, step, row_step: width * step, ..plane(element, width, rows)
                }).collect();
                let bytes: Vec<u8> =
                    noise[..width * step * rows].iter().map(|n| n & mask).collect();
                there_and_back(&bytes, &planes);
            }
        }
    }
}

/// A gentle slope of halves with an opaque plane and one that follows another.
fn small() -> (Vec<u8>, Vec<SamplePlane>) {
    let (width, rows) = (40, 30);
    let sample = |plane: usize, x: usize, y: usize| match plane {
        0 => 0x3c00,
        plane => (0x3000 + 9 * x * plane + 5 * y + (x * y * 7 + x) % 11 * plane) as u16,
    };
    let mut bytes = Vec::new();
    for y in 0..rows {
        for plane in 0..4 {
            bytes.extend((0..width).flat_map(|x| sample(plane, x, y).to_le_bytes()));
        }
    }
    let plane = |i| SamplePlane {
        element: Element::Half,
        width,
        rows,
        start: 2 * width * i,
        step: 2,
        row_step: 8 * width,
    };
    (bytes, (0..4).map(plane).collect())
}

#[test]
fn rows_of_several_planes_come_back() {
    let (bytes, planes) = small();
    there_and_back(&bytes, &planes);
}

#[test]
fn damaged_chunks_are_refused_or_decoded() {
    let (bytes, planes) = small();
    for effort in [Effort::Fast, Effort::Thorough, Effort::Max] {
        let mut packed = Vec::new();
        ArrayEncoder::new(effort).unwrap().encode(&bytes, &planes, &mut packed).unwrap();
        let mut decoder = ArrayDecoder::default();
        let mut to = vec![0; bytes.len()];
        for length in 0..packed.len() {
            let error = decoder.decode(&packed[..length], &planes, &mut to).unwrap_err();
            assert!(error.offset().is_some_and(|at| at <= length as u64), "{error}");
        }
        packed.push(0);
        assert!(decoder.decode(&packed, &planes, &mut to).is_err());
        packed.pop();
        // A checksum is the file's affair; here nothing may panic, or take memory for counts
        // that are not true.
        for bit in (0..packed.len() * 8).step_by(3) {
            let mut bad = packed.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            let _ = decoder.decode(&bad, &planes, &mut to);
        }
        for at in 0..packed.len() - 3 {
            let mut bad = packed.clone();
            bad[at..at + 4].fill(0xff);
            let _ = decoder.decode(&bad, &planes, &mut to);
        }
    }
}

#[test]
fn planes_that_do_not_fit_are_refused() {
    let (bytes, planes) = small();
    let bad = |change: &dyn Fn(&mut SamplePlane)| {
        let mut planes = planes.clone();
        change(&mut planes[3]);
        let made =
            ArrayEncoder::new(Effort::Fast).unwrap().encode(&bytes, &planes, &mut Vec::new());
        made.unwrap_err().to_string()
    };
    assert_eq!(bad(&|p| p.rows += 1), "plane 3 reaches beyond 9600 bytes");
    assert_eq!(bad(&|p| p.row_step = usize::MAX), "plane 3 reaches beyond 9600 bytes");
    assert_eq!(bad(&|p| p.step = 1), "samples of plane 3 overlap");
    assert_eq!(bad(&|p| p.width = usize::MAX), "plane 3 is too large for a chunk");
}

proptest! {
    #[test]
    fn anything_is_decoded_or_refused(
        noise in prop::collection::vec(any::<u8>(), 0..300), methods: [u8; 4], by: [u8; 4],
    ) {
        let (bytes, planes) = small();
        let mut packed = Vec::new();
        for (method, by) in methods.iter().zip(by) {
            packed.extend([by & 0x83, method % 6, 0xff, 0xff]);
            packed.extend((noise.len() as u32).to_le_bytes());
        }
        (0..4).for_each(|_| packed.extend_from_slice(&noise));
        let _ = ArrayDecoder::default().decode(&packed, &planes, &mut vec![0; bytes.len()]);
    }
}
