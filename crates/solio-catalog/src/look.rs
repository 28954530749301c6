//! What two looks at one file found.

use crate::row::{Cell, Cells, Level, column};
use std::collections::HashSet;

/// The list of what is wrong with a file.
///
/// ```
/// use solio_catalog::{look, row::{Cells, column}};
/// let mut cells = Cells::default();
/// look::set_problems(&mut cells, &["line 3: cut off".to_owned()]);
/// assert_eq!(cells.text(column::PROBLEMS), Some("[\"line 3: cut off\"]"));
/// assert_eq!(look::problems(&cells), ["line 3: cut off"]);
/// ```
pub fn problems(cells: &Cells) -> Vec<String> {
    let list = cells.text(column::PROBLEMS).and_then(|list| serde_json::from_str(list).ok());
    list.unwrap_or_default()
}

/// Sets the list of what is wrong with a file.
pub fn set_problems(cells: &mut Cells, list: &[String]) {
    cells.set_text(column::PROBLEMS, serde_json::json!(list).to_string());
}

/// Puts what an earlier look found where one of this level found nothing, in the places that `holds`
/// says; what is known then.
///
/// ```
/// use solio_catalog::{look, row::{Cells, Level, column}};
/// let (mut now, mut before) = (Cells::default(), Cells::default());
/// before.set_integer(column::FACES, 12);
/// let (checked, deep) = (Level::HEAD.with(Level::CHECKED), Level::HEAD.with(Level::DEEP));
/// assert_eq!(look::join(&mut now, &before, checked, deep, |_| true), Level(7));
/// assert_eq!(now.integer(column::FACES), Some(12));
/// ```
pub fn join(
    cells: &mut Cells,
    before: &Cells,
    level: Level,
    earlier: Level,
    holds: impl Fn(usize) -> bool,
) -> Level {
    // A problem that a look as deep does not find again is none any more. Of what one finds that is not
    // as deep the other says more, unless they look for different things.
    let (mut all, found) = (problems(before), problems(cells));
    if !level.finds_problems_of(earlier) && !all.is_empty() {
        if !earlier.finds_problems_of(level) {
            all.extend(found);
            let mut told = HashSet::new();
            all.retain(|problem| told.insert(problem.clone()));
        }
        set_problems(cells, &all);
    }
    let has_fields = level.without(Level::FIELDS) != level;
    for (place, cell) in before.all().iter().enumerate() {
        let is_found_again = place == column::PROBLEMS || place == column::TAGS && has_fields;
        if cells.all()[place] == Cell::Null && holds(place) && !is_found_again {
            cells.set(place, cell.clone());
        }
    }
    level.after(earlier)
}
