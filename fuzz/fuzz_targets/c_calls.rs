#![no_main]

#[path = "../bodies/c_calls.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bodies::c_calls(bytes));
