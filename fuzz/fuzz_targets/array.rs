#![no_main]

#[path = "../bodies/array.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(init: bodies::init(), |bytes: &[u8]| {
    bodies::array(bytes);
});
