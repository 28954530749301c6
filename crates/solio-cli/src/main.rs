//! The program `solio`.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(solio_cli::run(std::env::args_os()))
}
