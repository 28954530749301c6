#![no_main]

#[path = "../bodies/pbrt.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(init: bodies::init(), |bytes: &[u8]| {
    bodies::pbrt(bytes);
});
