//! Case folding: names that differ only in case get the same folded form.
//!
//! * [`fold_path`] folds UTF-8 by Unicode's *simple* case folding (statuses C and S of
//!   [CaseFolding.txt](https://www.unicode.org/Public/16.0.0/ucd/CaseFolding.txt), one character to
//!   one character, no locale), for names on media that fold case.
//! * [`fold_ue4`] folds 16-bit codes exactly as Unreal Engine 4's `ToLower` does, for names in its
//!   packages.
//!
//! A folded name is a key to look under, not proof of identity: file systems differ in what they
//! fold (NTFS maps to upper case by a table of its own, ext4 and APFS normalise too), so whoever
//! finds something under a key still compares what it stands for.

#[cfg(target_arch = "aarch64")]
mod ascii_neon;
#[cfg(target_arch = "x86_64")]
mod ascii_x86;
mod path;
#[cfg(test)]
mod tests;
mod ue4;
#[cfg(target_arch = "x86_64")]
mod ue4_x86;

pub use path::{fold_path, fold_path_on};
pub use ue4::{fold_ue4, fold_ue4_branchy, fold_ue4_on, fold_ue4_table, lower_ue4};
