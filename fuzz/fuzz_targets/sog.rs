#![no_main]

#[path = "../bodies/mod.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(init: bodies::init(), |bytes: &[u8]| bodies::sog(bytes));
