//! `solio meta` as people run it.

#![allow(clippy::disallowed_methods, clippy::print_stdout)] // tests read and write their own files

mod binary;
mod exiftool;
mod folders;
#[path = "../../../solio/tests/hostile_names/mod.rs"]
mod hostile_names;
mod names;
#[path = "../ran/mod.rs"]
mod ran;
