//! `--version`: what runs here, for bug reports.

/// What can be built in, and whether it is.
const FEATURES: [(&str, bool); 3] = [
    ("lab", cfg!(feature = "lab")),
    ("objects", cfg!(feature = "objects")),
    ("zfp", cfg!(feature = "zfp")),
];

/// Version, features, CPU tier and target, a line each.
pub(crate) fn text() -> String {
    let names = |is_in: bool| {
        let names = FEATURES.iter().filter(|(_, here)| *here == is_in).map(|(name, _)| *name);
        Some(names.collect::<Vec<_>>().join(", ")).filter(|names| !names.is_empty())
    };
    let without = names(false).map_or(String::new(), |names| format!(" (without {names})"));
    let tiers: Vec<&str> = solio::cpu::available().iter().map(|tier| tier.name()).collect();
    format!(
        "{}\nfeatures: {}{without}\ncpu tier: {} (of {}; SOLIO_CPU chooses)\ntarget: {}, {}",
        env!("CARGO_PKG_VERSION"),
        names(true).unwrap_or_else(|| "none".into()),
        solio::cpu::tier().name(),
        tiers.join(", "),
        env!("SOLIO_TARGET"),
        env!("SOLIO_RUSTC"),
    )
}
