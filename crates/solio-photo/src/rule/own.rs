//! Rules that belong to one maker and stand in its module.

use crate::value::Value;

/// A rule of a maker: `canon.ev`.
pub(crate) struct Own {
    /// What tables call it.
    pub(crate) name: &'static str,
    /// The value without its coding.
    pub(crate) number: fn(&Value) -> Value,
    /// That in words.
    pub(crate) text: fn(&Value) -> Value,
}

impl PartialEq for Own {
    fn eq(&self, other: &Own) -> bool {
        self.name == other.name
    }
}

impl Eq for Own {}

impl std::fmt::Debug for Own {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}
