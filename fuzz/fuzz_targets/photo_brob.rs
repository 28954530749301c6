#![no_main]

#[path = "../bodies/photo.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(init: bodies::init(), |bytes: &[u8]| {
    bodies::container("brob", bytes);
});
