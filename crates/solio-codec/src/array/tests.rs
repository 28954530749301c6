//! Chunks of all kinds of planes, there and back.

use super::*;
use proptest::prelude::*;

fn plane(element: Element, width: usize, rows: usize) -> Plane {
    let step = element.bytes();
    Plane { element, width, rows, start: 0, step, row_step: width * step }
}

fn there_and_back(bytes: &[u8], planes: &[Plane]) -> Vec<u8> {
    let mut sizes = Vec::new();
    let mut first = Vec::new();
    for effort in [Effort::Fast, Effort::Thorough, Effort::Max] {
        let mut packed = Vec::new();
        Encoder::new(effort).unwrap().encode(bytes, planes, &mut packed).unwrap();
        let mut back = vec![0; bytes.len()];
        Decoder::default().decode(&packed, planes, &mut back).unwrap();
        assert!(back == bytes, "{effort:?}");
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
