use super::*;
use proptest::prelude::*;

const STEPS: [FilterStep; 12] = [
    FilterStep::Exr,
    FilterStep::Split,
    FilterStep::SplitEvenOdd,
    FilterStep::BitShuffle,
    FilterStep::Delta,
    FilterStep::Up,
    FilterStep::ClampedGradient,
    FilterStep::Paeth,
    FilterStep::Zigzag,
    FilterStep::Monotone,
    FilterStep::Decorrelate([2, 1, 0]),
    FilterStep::Decorrelate([0, 1, 2]),
];

fn there_and_back(chain: &FilterChain, shape: &FilterShape, raw: &[u8]) -> Vec<u8> {
    let mut scratch = FilterScratch::default();
    let filtered = chain.apply(shape, raw, &mut scratch).to_vec();
    let mut again = vec![0x55; raw.len()];
    chain.undo(shape, &filtered, &mut scratch, &mut again);
    assert_eq!(again, raw, "{} of {shape:?}", chain.name());
    filtered
}

fn shape_of(bytes: usize, rows: usize, channels: usize, width: usize) -> FilterShape {
    FilterShape { bytes, planes: 1, rows, channels, width }
}

proptest! {
    #[test]
    fn every_step_is_undone(
        noise in prop::collection::vec(any::<u8>(), 8 * 3 * 5 * 21),
        (width, rows, channels) in (0usize..21, 0usize..5, 3usize..4),
        (which, bytes, smooth, off) in (0..STEPS.len(), 0u32..4, any::<bool>(), 0usize..2),
    ) {
        let shape = shape_of(1 << bytes, rows, channels, width);
        let mut noise = noise;
        if smooth {
            noise.iter_mut().enumerate().for_each(|(i, byte)| *byte = (*byte % 8).wrapping_add(i as u8));
        }
        // An odd place in memory, too.
        let raw = &noise[off..off + shape.size_bytes().min(noise.len() - 1)];
        if raw.len() == shape.size_bytes() {
            there_and_back(&FilterChain(vec![STEPS[which]]), &shape, raw);
        }
    }

    #[test]
    fn every_chain_is_undone(
        noise in prop::collection::vec(any::<u8>(), 4 * 3 * 3 * 11),
        chain in prop::collection::vec(0..STEPS.len(), 0..5),
        (bytes, width) in (0u32..3, 1usize..12),
    ) {
        let shape = shape_of(1 << bytes, 3, 3, width);
        // What becomes one line of bytes has no colours any more.
        let mut steps: Vec<FilterStep> = Vec::new();
        for which in chain {
            let flat = steps.iter().any(|step| matches!(step, FilterStep::Exr | FilterStep::BitShuffle));
            if !(flat && matches!(STEPS[which], FilterStep::Decorrelate(_))) {
                steps.push(STEPS[which]);
            }
        }
        if noise.len() >= shape.size_bytes() {
            there_and_back(&FilterChain(steps), &shape, &noise[..shape.size_bytes()]);
        }
    }

    #[test]
    fn guesses_are_those_of_the_books(
        values in prop::collection::vec(any::<u16>(), 4 * 7), small in any::<bool>()
    ) {
        let values: Vec<u16> =
            values.into_iter().map(|v| if small { 30_000 + v % 50 } else { v }).collect();
        let shape = shape_of(2, 4, 1, 7);
        let raw: &[u8] = bytemuck::cast_slice(&values);
        let at = |x: usize, y: usize| i64::from(values[y * 7 + x]);
        // In numbers that cannot wrap around, as the standards word it.
        let med = |a: i64, b: i64, c: i64| {
            if c >= a.max(b) { a.min(b) } else if c <= a.min(b) { a.max(b) } else { a + b - c }
        };
        let paeth = |a: i64, b: i64, c: i64| {
            let p = a + b - c;
            let (pa, pb, pc) = ((p - a).abs(), (p - b).abs(), (p - c).abs());
            if pa <= pb && pa <= pc { a } else if pb <= pc { b } else { c }
        };
        for (step, guess) in [
            (FilterStep::ClampedGradient, &med as &dyn Fn(i64, i64, i64) -> i64),
            (FilterStep::Paeth, &paeth),
            (FilterStep::Delta, &|a, _, _| a),
            (FilterStep::Up, &|_, b, _| b),
        ] {
            let filtered = there_and_back(&FilterChain(vec![step]), &shape, raw);
            let filtered: Vec<u16> = bytemuck::pod_collect_to_vec(&filtered);
            for y in 0..4 {
                for x in 0..7 {
                    let expected = match (x, y) {
                        (0, 0) => 0,
                        (_, 0) => at(x - 1, 0),
                        (0, _) => at(0, y - 1),
                        _ => guess(at(x - 1, y), at(x, y - 1), at(x - 1, y - 1)),
                    };
                    let rest = (at(x, y) - expected) as u16;
                    prop_assert_eq!(filtered[y * 7 + x], rest, "{:?} {} {}", step, x, y);
                }
            }
        }
    }

    #[test]
    fn floats_rise_as_their_integers_do(a in any::<f32>(), b in any::<f32>()) {
        let shape = shape_of(4, 1, 1, 2);
        let raw = [a.to_le_bytes(), b.to_le_bytes()].concat();
        let filtered = there_and_back(&FilterChain(vec![FilterStep::Monotone]), &shape, &raw);
        let [x, y] = [&filtered[..4], &filtered[4..]].map(|v| u32::from_le_bytes(v.try_into().unwrap()));
        prop_assert_eq!(x.cmp(&y), a.total_cmp(&b));
    }
}

#[test]
fn bits_stand_side_by_side() {
    let values = [1u16, 2, 4, 8, 16, 32, 64, 0x8080, 77];
    let shape = shape_of(2, 1, 1, 9);
    let filtered = there_and_back(
        &FilterChain(vec![FilterStep::BitShuffle]),
        &shape,
        bytemuck::cast_slice(&values),
    );
    let mut expected = vec![1, 2, 4, 8, 16, 32, 64, 128];
    expected.extend([0, 0, 0, 0, 0, 0, 0, 128, 77, 0]);
    assert_eq!(filtered, expected);
}

#[test]
fn zigzag_makes_small_differences_small() {
    let values = [0u8, 255, 1, 254, 2, 128, 127];
    let filtered =
        there_and_back(&FilterChain(vec![FilterStep::Zigzag]), &shape_of(1, 1, 1, 7), &values);
    assert_eq!(filtered, [0, 1, 2, 3, 4, 255, 254]);
}

#[test]
fn lines_of_other_channels_are_no_neighbours() {
    // Two channels, one at 100, one at 200: nothing is left but where each starts.
    let values = [100u8, 100, 200, 200, 100, 100, 200, 200];
    let shape = shape_of(1, 2, 2, 2);
    for step in [FilterStep::ClampedGradient, FilterStep::Paeth, FilterStep::Up] {
        let filtered = there_and_back(&FilterChain(vec![step]), &shape, &values);
        assert_eq!(filtered, [100, 0, 200, 0, 0, 0, 0, 0], "{step:?}");
    }
}

#[test]
fn colours_are_told_apart() {
    // Blue, green, red, as OpenEXR sorts them.
    let values = [7u8, 10, 13];
    let chain = FilterChain(vec![FilterStep::Decorrelate([2, 1, 0])]);
    let shape = shape_of(1, 1, 3, 1);
    assert_eq!(there_and_back(&chain, &shape, &values), [253, 10, 3]);
    assert!(chain.suits(shape) && !chain.suits(shape_of(1, 1, 2, 1)));
}

#[test]
fn names_say_what_a_step_sees() {
    let name = |steps: &[FilterStep]| FilterChain(steps.to_vec()).name();
    assert_eq!(name(&[]), "none");
    assert_eq!(name(&[FilterStep::Split, FilterStep::ClampedGradient]), "split + MED bytes");
    assert_eq!(
        name(&[FilterStep::Delta, FilterStep::Zigzag, FilterStep::Split]),
        "delta integers + zigzag + split"
    );
    let shape = shape_of(4, 16, 3, 100);
    let even_odd = FilterChain(vec![FilterStep::SplitEvenOdd]).shape(shape);
    assert_eq!((even_odd.planes, even_odd.width, even_odd.bytes), (2, 200, 1));
    assert_eq!(even_odd.size_bytes(), shape.size_bytes());
}
