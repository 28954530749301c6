//! Names of lenses by number.

use crate::value::Value;
use std::sync::OnceLock;

/// A list of numbers and names, parsed at its first use.
pub(super) struct Lenses {
    text: &'static str,
    names: OnceLock<Vec<(&'static str, &'static str)>>,
}

impl Lenses {
    pub(super) const fn new(text: &'static str) -> Self {
        Lenses { text, names: OnceLock::new() }
    }

    /// The name for `key`, as the list spells it.
    pub(super) fn name(&self, key: &str) -> Option<&'static str> {
        let names = self.names.get_or_init(|| {
            let lines = self.text.lines().filter(|line| !line.starts_with('#'));
            let mut names: Vec<_> = lines.filter_map(|line| line.split_once('\t')).collect();
            names.sort_unstable();
            names
        });
        let found = names.binary_search_by_key(&key, |(key, _)| key).ok()?;
        Some(names[found].1)
    }

    /// The name for a value, or that it is unknown.
    pub(super) fn word(&self, value: &Value) -> Value {
        let key = value.plain();
        Value::Text(self.name(&key).map_or_else(|| format!("Unknown ({key})"), str::to_owned))
    }
}
