//! What a target cannot hold, as values: every writer and converter returns them.

use crate::{Error, Result};
use std::borrow::Cow;
use std::fmt;

/// One kind of thing that a target cannot hold, or holds less exactly.
///
/// ```
/// use solio_base::Loss;
/// let loss = Loss::new("materials", "STL has no materials").count(3, "material").example("oak");
/// assert_eq!(loss.to_string(), "STL has no materials (3 materials, such as \"oak\")");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// What is lost: a name for programs that does not change, such as `materials`.
    pub what: &'static str,
    /// Why, in words for people.
    pub reason: Cow<'static, str>,
    /// How many are lost, and what one of them is called; `None` where nobody counted.
    pub amount: Option<(u64, &'static str)>,
    /// The name of one of them.
    pub example: Option<String>,
    /// The option that keeps it, as Python names it (`float_colors`); `None` where there is none.
    pub option: Option<&'static str>,
}

impl Loss {
    /// A loss without an amount, an example or an option.
    ///
    /// ```
    /// let loss = solio_base::Loss::new("normals", "STL computes its normals from the triangles");
    /// assert_eq!(loss.amount, None);
    /// ```
    pub fn new(what: &'static str, reason: impl Into<Cow<'static, str>>) -> Loss {
        Loss { what, reason: reason.into(), amount: None, example: None, option: None }
    }

    /// Says how many are lost; `unit` is the singular of what they are.
    ///
    /// ```
    /// let loss = solio_base::Loss::new("points", "PLY has no points").count(2, "point");
    /// assert_eq!(loss.to_string(), "PLY has no points (2 points)");
    /// ```
    pub fn count(mut self, count: u64, unit: &'static str) -> Loss {
        self.amount = Some((count, unit));
        self
    }

    /// Names one of them; a name that is empty is none.
    ///
    /// ```
    /// let loss = solio_base::Loss::new("groups", "PLY has no groups").example("");
    /// assert_eq!(loss.example, None);
    /// ```
    pub fn example(mut self, name: impl Into<String>) -> Loss {
        self.example = Some(name.into()).filter(|name| !name.is_empty());
        self
    }

    /// Names the option that keeps them.
    ///
    /// ```
    /// let loss = solio_base::Loss::new("color_depth", "PLY colours are bytes").kept_by("float_colors");
    /// assert_eq!(loss.sentence(|option| format!("--{option}")),
    ///     "PLY colours are bytes (--float_colors keeps them)");
    /// ```
    pub fn kept_by(mut self, option: &'static str) -> Loss {
        self.option = Some(option);
        self
    }

    /// A sentence for people; `option` says what the option is called where they read it.
    ///
    /// ```
    /// let loss = solio_base::Loss::new("digits", "numbers are rounded").kept_by("digits");
    /// let flag = |option: &str| format!("--{}", option.replace('_', "-"));
    /// assert_eq!(loss.sentence(flag), "numbers are rounded (--digits keeps them)");
    /// ```
    pub fn sentence(&self, option: impl Fn(&str) -> String) -> String {
        let example = self.example.as_ref();
        let amount = self.amount.map(|(count, unit)| match (count, example) {
            (1, Some(name)) => format!("1 {unit}, \"{name}\""),
            (_, Some(name)) => format!("{count} {}, such as \"{name}\"", plural(unit, count)),
            _ => format!("{count} {}", plural(unit, count)),
        });
        let amount = amount.or_else(|| example.map(|name| format!("such as \"{name}\"")));
        let keep = self.option.map(|name| format!("{} keeps them", option(name)));
        let more: Vec<String> = amount.into_iter().chain(keep).collect();
        match &more[..] {
            [] => self.reason.to_string(),
            more => format!("{} ({})", self.reason, more.join("; ")),
        }
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence(str::to_owned))
    }
}

fn plural(unit: &str, count: u64) -> Cow<'_, str> {
    match unit {
        unit if count == 1 => unit.into(),
        "vertex" => "vertices".into(),
        unit if unit.ends_with("sh") => format!("{unit}es").into(),
        unit => format!("{unit}s").into(),
    }
}

/// All that a target cannot hold of what was given to it: one entry for each kind. Nothing is
/// dropped without one, except what an option switched off.
///
/// ```
/// use solio_base::{Loss, Losses};
/// let mut losses = Losses::default();
/// losses.add_some("lines", "STL has no lines", 0, "line"); // there are none
/// losses.add_some("points", "STL has no points", 7, "point");
/// assert!(losses.refuse().unwrap_err().message().contains("7 points"));
/// assert_eq!(losses.into_iter().map(|loss| loss.what).collect::<Vec<_>>(), ["points"]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Losses(Vec<Loss>);

impl Losses {
    /// Adds an entry. A second one of the same kind and reason adds its amount to the first.
    ///
    /// ```
    /// use solio_base::{Loss, Losses};
    /// let mut losses = Losses::default();
    /// for name in ["beauty", "depth"] {
    ///     losses.add(Loss::new("parts", "PNG has one part").count(1, "part").example(name));
    /// }
    /// assert_eq!(losses.to_string(), "PNG has one part (2 parts, such as \"beauty\")");
    /// ```
    pub fn add(&mut self, loss: Loss) {
        let same = |known: &&mut Loss| known.what == loss.what && known.reason == loss.reason;
        let Some(known) = self.0.iter_mut().find(same) else { return self.0.push(loss) };
        if let (Some((count, _)), Some((more, _))) = (&mut known.amount, loss.amount) {
            *count += more;
        }
        known.example = known.example.take().or(loss.example);
    }

    /// Adds an entry where `count` is not 0.
    ///
    /// ```
    /// let mut losses = solio_base::Losses::default();
    /// losses.add_some("polygons", "STL has triangles only", 0, "face");
    /// assert!(losses.is_empty());
    /// ```
    pub fn add_some(
        &mut self,
        what: &'static str,
        reason: &'static str,
        count: usize,
        unit: &'static str,
    ) {
        if count > 0 {
            self.add(Loss::new(what, reason).count(count as u64, unit));
        }
    }

    /// Whether nothing is lost.
    ///
    /// ```
    /// assert!(solio_base::Losses::default().is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The entries.
    ///
    /// ```
    /// assert_eq!(solio_base::Losses::default().iter().count(), 0);
    /// ```
    pub fn iter(&self) -> std::slice::Iter<'_, Loss> {
        self.0.iter()
    }

    /// Fails where something is lost: what `strict_loss` asks for, before anything is written.
    ///
    /// ```
    /// assert!(solio_base::Losses::default().refuse().is_ok());
    /// ```
    pub fn refuse(&self) -> Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        let message = format!("the output would lose data: {self}");
        Err(Error::unsupported(message).hint("without --strict-loss (strict_loss) it is written"))
    }
}

impl fmt::Display for Losses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all: Vec<String> = self.0.iter().map(Loss::to_string).collect();
        f.write_str(&all.join("; "))
    }
}

impl Extend<Loss> for Losses {
    fn extend<T: IntoIterator<Item = Loss>>(&mut self, losses: T) {
        losses.into_iter().for_each(|loss| self.add(loss));
    }
}

impl FromIterator<Loss> for Losses {
    fn from_iter<T: IntoIterator<Item = Loss>>(losses: T) -> Losses {
        let mut all = Losses::default();
        all.extend(losses);
        all
    }
}

impl IntoIterator for Losses {
    type Item = Loss;
    type IntoIter = std::vec::IntoIter<Loss>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'l> IntoIterator for &'l Losses {
    type Item = &'l Loss;
    type IntoIter = std::slice::Iter<'l, Loss>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_and_many_have_their_words() {
        let loss = |count| Loss::new("shared_vertices", "x").count(count, "vertex").to_string();
        assert_eq!(loss(1), "x (1 vertex)");
        assert_eq!(loss(2), "x (2 vertices)");
        assert_eq!(Loss::new("objects", "x").count(2, "mesh").to_string(), "x (2 meshes)");
        assert_eq!(
            Loss::new("objects", "x").count(1, "object").example("Cube").to_string(),
            "x (1 object, \"Cube\")"
        );
    }
}
