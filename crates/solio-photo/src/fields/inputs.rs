//! What composites are made of.

/// The group of composites.
pub(crate) const GROUP: &str = "Composite";
/// Where 3GPP's films were made.
pub(crate) const LOCATION: &str = "LocationInformation";

/// The composites, each with what it is made of.
fn all() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = include_str!("../../tables/composites.tsv").lines();
    lines.filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once('\t'))
}

/// What the composite `name` is made of; nothing for other tags.
pub(super) fn inputs(name: &str) -> impl Iterator<Item = &'static str> {
    let found = all().find(|(composite, _)| composite.eq_ignore_ascii_case(name));
    found.map_or("", |(_, inputs)| inputs).split_ascii_whitespace()
}

/// Which composites are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Composites {
    None,
    /// The most common fields where few are read.
    Dates,
    Any,
}

/// Which composites are among the tags that are asked for.
pub(super) fn of(asks: impl Fn(&str) -> bool) -> Composites {
    // Kodak's date is not one of the most common fields.
    let is_date = |name: &str| name.contains("Date") && name != "DateCreated";
    all().filter(|(name, _)| asks(name)).fold(Composites::None, |found, (name, _)| match found {
        Composites::Any => found,
        _ if is_date(name) => Composites::Dates,
        _ => Composites::Any,
    })
}
