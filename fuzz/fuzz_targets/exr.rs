#![no_main]

#[path = "../bodies/exr.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(init: bodies::init(), |bytes: &[u8]| bodies::file(bytes));
