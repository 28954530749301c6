//! Tells the command for which target, and by which compiler, it is built: `solio --version` says it.

use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let target = std::env::var("TARGET").unwrap_or_default();
    println!("cargo:rustc-env=SOLIO_TARGET={target}");
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(rustc).arg("--version").output();
    let version = version.map(|said| String::from_utf8_lossy(&said.stdout).trim().to_owned());
    println!("cargo:rustc-env=SOLIO_RUSTC={}", version.unwrap_or_default());
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|found| found == value);
    // A position-independent executable has 44,000 relocations to apply at every start (decision 0018).
    if is("CARGO_CFG_TARGET_OS", "linux")
        && is("CARGO_CFG_TARGET_ENV", "gnu")
        && is("PROFILE", "release")
    {
        println!("cargo:rustc-link-arg-bins=-no-pie");
    }
}
