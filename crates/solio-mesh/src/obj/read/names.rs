//! Names that repeat, and values that hold for all faces until the next one.

use std::collections::HashMap;

/// Names in order of first appearance.
#[derive(Default)]
pub(super) struct NameList {
    list: Vec<String>,
    known: HashMap<Vec<u8>, u32>,
}

impl NameList {
    pub(super) fn known(&self, words: &[u8]) -> Option<u32> {
        self.known.get(words).copied()
    }

    /// Adds a name under the bytes that the file has for it.
    pub(super) fn add(&mut self, words: &[u8], name: String) -> u32 {
        let number = self.list.len() as u32;
        self.list.push(name);
        self.known.insert(words.to_vec(), number);
        number
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// Name number `number` is `name`.
    pub(super) fn set(&mut self, number: usize, name: String) {
        self.list[number] = name;
    }

    pub(super) fn into_list(self) -> Vec<String> {
        self.list
    }
}

/// One value per face, given as changes.
pub(super) struct PerFace {
    values: Vec<u32>,
    default: u32,
    current: u32,
}

impl PerFace {
    pub(super) fn new(default: u32) -> Self {
        PerFace { values: Vec::new(), default, current: default }
    }

    /// Faces from number `face` on have `value`.
    pub(super) fn change(&mut self, face: usize, value: u32) {
        if value != self.current {
            // Nothing is stored as long as all faces have the default.
            self.values.resize(face, self.current);
            self.current = value;
        }
    }

    /// A value for each face, or none at all where all have the default.
    pub(super) fn finish(mut self, faces: usize) -> Vec<u32> {
        if self.current != self.default || !self.values.is_empty() {
            self.values.resize(faces, self.current);
        }
        if self.values.iter().all(|&value| value == self.default) {
            self.values.clear();
        }
        self.values
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_hold_until_the_next_change() {
        let mut values = PerFace::new(0);
        values.change(0, 0);
        values.change(2, 7);
        values.change(2, 8);
        values.change(3, 0);
        assert_eq!(values.finish(5), [0, 0, 8, 0, 0]);
        let mut values = PerFace::new(0);
        values.change(3, 1);
        assert!(values.finish(3).is_empty());
    }
}
