#![no_main]

#[path = "../bodies/picture.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bodies::icc(bytes));
