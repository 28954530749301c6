#![no_main]

#[path = "../bodies/gradient.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bodies::gradient(bytes));
