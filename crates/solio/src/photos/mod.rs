//! Photos, sorted by date: found, dated, paired, placed, then moved, and back again.
//!
//! ```text
//! files ─► what each says ─► groups ─► dates ─► places ─► journal ─► steps
//! ```

pub(crate) mod edit;
mod names;
mod pairs;
mod places;
pub(crate) mod plan;
pub(crate) mod run;
mod takeout;
pub(crate) mod template;
pub(crate) mod times;
pub(crate) mod zone;
