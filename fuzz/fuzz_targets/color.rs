#![no_main]

#[path = "../bodies/color.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bodies::color(bytes));
