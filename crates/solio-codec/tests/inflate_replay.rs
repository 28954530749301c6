//! Replays the body of the fuzz target of zlib streams over made-up ones, and over what fuzzing has
//! left.
#![allow(clippy::disallowed_methods)] // tests read their own files

#[path = "../../../fuzz/bodies/inflate.rs"]
mod bodies;
#[path = "../../../fuzz/bodies/kept.rs"]
mod kept;

#[test]
fn inflate_replays() {
    for seed in 0..3000u32 {
        let mut x = seed.wrapping_mul(2_654_435_761) | 1;
        let mut bytes: Vec<u8> = (0..seed % 300)
            .map(|_| {
                x ^= x << 13;
                x ^= x >> 17;
                x ^= x << 5;
                (x >> 24) as u8
            })
            .collect();
        // A last block, with fixed codes or with its own, or a stored one.
        if let Some(first) = bytes.get_mut(3) {
            *first = *first & !7 | [3, 5, 5, 1][(seed % 4) as usize];
        }
        bodies::inflate(&bytes);
    }
    kept::kept("inflate").iter().for_each(|(_, bytes)| bodies::inflate(bytes));
}
