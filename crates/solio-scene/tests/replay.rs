//! Replays the body of the fuzz target over changed text and over what fuzzing has found.
#![allow(clippy::disallowed_methods)] // a test reads its own files

#[path = "../../../fuzz/bodies/pbrt.rs"]
mod bodies;
#[path = "../../../fuzz/bodies/kept.rs"]
mod kept;

const SCENE: &str = "LookAt 0 0 5  0 0 0  0 1 0 # eye\n\
    Transform [1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1]\n\
    ActiveTransform StartTime\n\
    Option \"bool forcediffuse\" true\n\
    MediumInterface \"fog\" \"\"\n\
    Texture \"checks\" \"spectrum\" \"checkerboard\"\n\
    \t\"float uscale\" [ 8 ] \"rgb tex1\" [ .1 -.2e1 1. ]# why\n\
    Shape \"trianglemesh\" \"point3 P\" [0 0 0 1 0 0 0 1 0]\n\
    \"integer indices\"[0 1 2]\"string alpha\"\"a \\\"b\\\"\"\n";

#[test]
fn the_body_holds() {
    bodies::init();
    let whole = SCENE.as_bytes();
    for end in 0..=whole.len() {
        bodies::pbrt(&whole[..end]);
        bodies::pbrt(&whole[end..]);
    }
    for bit in 0..8 * whole.len() {
        let mut bytes = whole.to_vec();
        bytes[bit / 8] ^= 1 << (bit % 8);
        bodies::pbrt(&bytes);
    }
    kept::kept("pbrt").iter().for_each(|(_, bytes)| bodies::pbrt(bytes));
}
