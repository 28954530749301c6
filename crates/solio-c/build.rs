//! Gives the shared library its name for the loader: programs stay with it as long as the number of
//! the binary interface is the same.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let system = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    match system.as_str() {
        "windows" => {}
        "macos" => {
            println!("cargo:rustc-cdylib-link-arg=-Wl,-install_name,@rpath/libsolio_c.0.dylib");
        }
        _ => println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libsolio_c.so.0"),
    }
}
