//! Rows of calls that fuzzing has kept, and others by chance.
#![allow(clippy::disallowed_methods)]

#[path = "../../../fuzz/bodies/c_calls.rs"]
mod c_calls;
#[path = "../../../fuzz/bodies/kept.rs"]
mod kept;

#[test]
fn calls_in_any_order_give_codes() {
    for (_, bytes) in kept::kept("c_calls") {
        c_calls::c_calls(&bytes);
    }
    let mut random = 0x9e37_79b9u32;
    for _ in 0..400 {
        let bytes: Vec<u8> = (0..200)
            .map(|_| {
                random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (random >> 24) as u8
            })
            .collect();
        c_calls::c_calls(&bytes);
    }
}
