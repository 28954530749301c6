#![no_main]

#[path = "../bodies/pack.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(init: bodies::init(), |bytes: &[u8]| {
    bodies::pack(bytes);
});
