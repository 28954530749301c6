//! What each class takes: the parameters with their types, counts, defaults and values, of
//! versions 4 and 3; and what in a statement does not fit.
//!
//! The table is `classes.txt`; `docs/formats/pbrt.md` shows it. Checks look at one statement at a
//! time: what lies between statements, such as names that nobody defined, is the scene's to say.

mod check;
mod describe;
mod files;
mod fit;
mod idle;
mod known_names;
mod rules;
mod table;
#[cfg(test)]
mod tests;
mod version;

pub use check::{Checker, Problem, Severity, check};
pub use describe::describe;
pub use files::{NamedFile, files};
pub(crate) use fit::{Fit, fit_of, texture_of_floats};
pub(crate) use idle::{Others, idle};
pub(crate) use known_names::is_spectrum as is_known_spectrum;
pub use version::VersionMarks;

/// A version of pbrt.
///
/// ```
/// use solio_scene::pbrt::{parse, schema::{Version, check}};
/// let statements = parse(b"Material \"matte\" \"rgb Kd\" [ 0.5 0.5 0.5 ]", 0);
/// let problems = |version| check(&statements, &statements.statements[0], version).len();
/// assert_eq!(problems(Version::V3), 0);
/// assert!(problems(Version::V4) > 0); // there it is `diffuse`
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Version {
    /// pbrt-v3, of the third edition of the book.
    V3,
    /// pbrt-v4, of the fourth edition of the book.
    V4,
}

impl Version {
    /// `3` or `4`.
    ///
    /// ```
    /// use solio_scene::pbrt::schema::Version;
    /// let peer = |version: Version| format!("pbrt-v{}", version.number());
    /// assert_eq!(peer(Version::V3), "pbrt-v3");
    /// ```
    pub fn number(self) -> u32 {
        match self {
            Version::V3 => 3,
            Version::V4 => 4,
        }
    }
}
