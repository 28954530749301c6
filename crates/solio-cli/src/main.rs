//! The program `solio`.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    let program = std::env::current_exe().unwrap_or_else(|_| "solio".into());
    ExitCode::from(solio_cli::run(program, std::env::args_os()))
}
