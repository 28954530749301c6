//! Rules that belong to one maker and stand in its module.

use crate::value::Value;

/// A rule of a maker: `canon.ev`.
pub(crate) struct MakerRule {
    /// What tables call it.
    pub(crate) name: &'static str,
    /// The value without its coding.
    pub(crate) number: fn(&Value) -> Value,
    /// That in words.
    pub(crate) text: fn(&Value) -> Value,
}

impl PartialEq for MakerRule {
    fn eq(&self, other: &MakerRule) -> bool {
        self.name == other.name
    }
}

impl Eq for MakerRule {}

impl std::fmt::Debug for MakerRule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}
