//! Warnings of a scene for people: each message once.

use super::Scene;
use std::collections::HashMap;

/// Messages that are told.
const MOST: usize = 10;

impl Scene {
    /// [`Scene::warnings`] in words: of those with the same message the first, and how many there
    /// are; ten at most.
    ///
    /// ```
    /// # use solio_base::{Error, Work};
    /// # use solio_scene::scene::{NoFiles, SceneOptions, read_scene};
    /// # use std::path::Path;
    /// let text = b"WorldBegin\nObjectBegin \"lamp\"\nAreaLightSource \"diffuse\"\n\
    ///     Shape \"sphere\"\nShape \"disk\"\nObjectEnd\n";
    /// # let options = SceneOptions::default();
    /// # let work = Work::serial();
    /// let scene = read_scene(&&text[..], Path::new("a.pbrt"), &NoFiles, &options, &work)?;
    /// let [note] = &scene.notes()[..] else { panic!("one message") };
    /// assert!(note.starts_with("a.pbrt:4:1: area lights in objects do not shine"));
    /// assert!(note.ends_with("(and 1 more)"));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn notes(&self) -> Vec<String> {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        let mut first = Vec::new();
        for warning in &self.warnings {
            let count = counts.entry(warning.message()).or_default();
            if *count == 0 {
                first.push(warning);
            }
            *count += 1;
        }
        let told = first.iter().take(MOST).map(|warning| match counts[warning.message()] {
            1 => warning.to_string(),
            count => format!("{warning} (and {} more)", count - 1),
        });
        let mut notes: Vec<String> = told.collect();
        if first.len() > MOST {
            notes.push(format!("and {} more; solio check lists all", first.len() - MOST));
        }
        notes
    }
}
