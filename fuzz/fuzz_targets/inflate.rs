#![no_main]

#[path = "../bodies/inflate.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bodies::inflate(bytes));
