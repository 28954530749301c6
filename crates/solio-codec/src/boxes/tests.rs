//! The exact box in whole numbers: every float is a multiple of 2^-149, every product of two a
//! multiple of 2^-298.

use num_bigint::BigInt;
use proptest::prelude::*;

use super::*;

/// x · 2^149
fn exact(x: f32) -> BigInt {
    let bits = x.to_bits();
    let (exponent, fraction) = (bits >> 23 & 0xff, bits & 0x7f_ffff);
    assert!(exponent < 255, "{x} is no number");
    let magnitude = match exponent {
        0 => BigInt::from(fraction),
        _ => BigInt::from(fraction | 0x80_0000) << (exponent - 1),
    };
    if x.is_sign_negative() { -magnitude } else { magnitude }
}

/// The exact corners' smallest and largest coordinate of each axis, times 2^298.
fn exact_bounds(object: &Box3, transform: &Transform) -> [[BigInt; 2]; 3] {
    std::array::from_fn(|axis| {
        let row = &transform[4 * axis..][..4];
        let corner = |at: usize| {
            let mut sum = exact(row[3]) << 149;
            for (j, m) in row[..3].iter().enumerate() {
                let x = if at >> j & 1 == 0 { object.min[j] } else { object.max[j] };
                sum += exact(*m) * exact(x);
            }
            sum
        };
        let corners: Vec<BigInt> = (0..8).map(corner).collect();
        [corners.iter().min().unwrap().clone(), corners.iter().max().unwrap().clone()]
    })
}

/// Asserts that the exact box is inside, and that the slack is what the head of the file says.
fn check(object: &Box3, transform: &Transform) {
    let got = CentredBox::of(object).transformed(transform);
    for (axis, [low, high]) in exact_bounds(object, transform).into_iter().enumerate() {
        let (min, max) = (got.min[axis], got.max[axis]);
        if min == f32::NEG_INFINITY {
            assert_eq!(max, f32::INFINITY);
            continue;
        }
        let (min, max) = (exact(min) << 149, exact(max) << 149);
        assert!(min <= low, "{object:?} under {transform:?}, axis {axis}: {got:?}");
        assert!(max >= high, "{object:?} under {transform:?}, axis {axis}: {got:?}");
        // 40u (A + E) + 2^-98 (1 + Σ |m|), with |c| + e taken as at most three times the largest.
        let row = &transform[4 * axis..][..4];
        let mut reach = exact(row[3].abs()) << 149;
        let mut tiny = BigInt::from(1) << 200;
        for (j, m) in row[..3].iter().enumerate() {
            let far = object.min[j].abs().max(object.max[j].abs());
            reach += exact(m.abs()) * exact(far) * 3;
            tiny += exact(m.abs()) << 51;
        }
        let slack = ((reach * 40) >> 24) + tiny;
        assert!(low - min <= slack, "{object:?} under {transform:?}, axis {axis}: {got:?}");
        assert!(max - high <= slack, "{object:?} under {transform:?}, axis {axis}: {got:?}");
    }
}

/// Numbers of every size, or of about one, zeros among them.
fn number() -> impl Strategy<Value = f32> {
    let finite = prop::num::f32::POSITIVE | prop::num::f32::NEGATIVE | prop::num::f32::SUBNORMAL;
    prop_oneof![
        3 => finite | prop::num::f32::NORMAL | prop::num::f32::ZERO,
        6 => -10.0f32..10.0,
        1 => prop::sample::select(vec![0.0, -0.0, 1.0, -1.0, f32::MAX, f32::MIN, 1e-38, 16_777_217.0]),
    ]
    .prop_filter("a number", |x| x.is_finite())
}

fn object() -> impl Strategy<Value = Box3> {
    (prop::array::uniform3(number()), prop::array::uniform3(number())).prop_map(|(a, b)| Box3 {
        min: std::array::from_fn(|i| a[i].min(b[i])),
        max: std::array::from_fn(|i| a[i].max(b[i])),
    })
}

fn any_transform() -> impl Strategy<Value = Transform> {
    let any = prop_oneof![
        9 => number().boxed(),
        1 => prop::sample::select(vec![f32::INFINITY, f32::NEG_INFINITY, f32::NAN]).boxed(),
    ];
    prop::collection::vec(any, 12).prop_map(|row| row.try_into().unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn the_exact_box_is_inside(
        object in object(),
        row in prop::collection::vec(number(), 12),
    ) {
        check(&object, &row.try_into().unwrap());
    }

    #[test]
    fn small_boxes_far_away_are_inside(
        at in prop::array::uniform3(-1e6f32..1e6),
        size in prop::array::uniform3(0.0f32..1e-2),
        row in prop::collection::vec(-2.0f32..2.0, 12),
    ) {
        let max = std::array::from_fn(|i| at[i] + size[i]);
        check(&Box3 { min: at, max }, &row.try_into().unwrap());
    }
}

/// The bits, NaN being one.
fn bits(boxes: &[Box3]) -> Vec<u32> {
    let all = boxes.iter().flat_map(|b| b.min.into_iter().chain(b.max));
    all.map(|x| if x.is_nan() { 1 } else { x.to_bits() }).collect()
}

proptest! {
    #[test]
    fn many_equal_one_by_one_on_every_tier(
        object in object(),
        transforms in prop::collection::vec(any_transform(), 0..40),
    ) {
        let object = CentredBox::of(&object);
        let one: Vec<Box3> = transforms.iter().map(|t| object.transformed(t)).collect();
        let mut boxes = vec![Box3::EMPTY; transforms.len()];
        boxes_of_instances(&object, &transforms, &mut boxes);
        prop_assert_eq!(bits(&boxes), bits(&one));
        boxes.fill(Box3::EMPTY);
        let job = Boxes { object: &object, transforms: &transforms, boxes: &mut boxes };
        job.run(lanes::ScalarLanes);
        prop_assert_eq!(bits(&boxes), bits(&one));
        // A bound is never NaN.
        prop_assert!(boxes.iter().all(|b| (0..3).all(|i| b.min[i] <= b.max[i])));
    }
}

#[test]
fn odd_boxes_stay_odd() {
    let turn = [0.0, 1.0, 0.0, 5.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    assert!(CentredBox::of(&Box3::EMPTY).transformed(&turn).is_empty());
    assert!(
        CentredBox::of(&Box3 { min: [f32::NAN; 3], max: [1.0; 3] }).transformed(&turn).is_empty()
    );
    assert_eq!(CentredBox::of(&Box3::ALL).transformed(&turn), Box3::ALL);
    let flat = Box3 { min: [-1.0, 2.0, 0.0], max: [1.0, 3.0, 0.0] };
    let turned = CentredBox::of(&flat).transformed(&turn);
    assert!(turned.contains(&Box3 { min: [7.0, -1.0, 0.0], max: [8.0, 1.0, 0.0] }));
    assert!(Box3 { min: [6.999, -1.001, -1e-20], max: [8.001, 1.001, 1e-20] }.contains(&turned));
    let far = [1e30; 12];
    assert_eq!(
        CentredBox::of(&Box3 { min: [-1e30; 3], max: [1e30; 3] }).transformed(&far),
        Box3::ALL
    );
}

#[test]
fn a_union_holds_both() {
    let a = Box3 { min: [0.0, 1.0, 2.0], max: [1.0, 1.0, 3.0] };
    let b = Box3 { min: [-1.0, 4.0, 2.5], max: [0.5, 4.0, 2.6] };
    let both = Box3 { min: [-1.0, 1.0, 2.0], max: [1.0, 4.0, 3.0] };
    assert_eq!(a.union(&b), both);
    assert_eq!(a.union(&Box3::EMPTY), a);
    assert_eq!(Box3 { min: [f32::NAN; 3], max: [0.0; 3] }.union(&a), a);
    assert!(Box3::EMPTY.union(&Box3::EMPTY).is_empty());
    assert!(both.contains(&a) && !a.contains(&both) && a.contains(&Box3::EMPTY));
}
