#![no_main]

#[path = "../bodies/exr.rs"]
mod bodies;

use solio_exr::Compression;

libfuzzer_sys::fuzz_target!(init: bodies::init(), |bytes: &[u8]| {
    bodies::chunk(Compression::Htj2k32, bytes);
});
