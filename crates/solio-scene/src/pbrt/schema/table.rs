//! The table of all classes, from its text.

use super::Version;
use crate::pbrt::{Directive, ParameterType};
use std::collections::HashMap;
use std::sync::OnceLock;

const TEXT: &str = include_str!("classes.txt");

/// The versions that know a class or a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Versions {
    pub(super) v3: bool,
    pub(super) v4: bool,
}

impl Versions {
    const BOTH: Versions = Versions { v3: true, v4: true };

    pub(super) fn has(self, version: Version) -> bool {
        match version {
            Version::V3 => self.v3,
            Version::V4 => self.v4,
        }
    }

    fn of_word(word: &str) -> Option<Versions> {
        match word {
            "v3" => Some(Versions { v3: true, v4: false }),
            "v4" => Some(Versions { v3: false, v4: true }),
            _ => None,
        }
    }
}

/// What a parameter may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ParameterKind {
    /// This type alone.
    Of(ParameterType),
    /// A spectrum; colours have components from 0 to 1.
    Albedo,
    /// A spectrum of light; colours have no negative components.
    Light,
    /// Any other spectrum; colours have no negative components.
    Any,
}

impl ParameterKind {
    fn of_word(word: &str) -> Option<ParameterKind> {
        match word {
            "albedo" => Some(ParameterKind::Albedo),
            "light" => Some(ParameterKind::Light),
            "any" => Some(ParameterKind::Any),
            _ => ParameterType::of_word(word.as_bytes()).map(ParameterKind::Of),
        }
    }

    /// Whether a parameter of this type fits.
    pub(super) fn takes(self, kind: ParameterType) -> bool {
        use ParameterType::*;
        match self {
            ParameterKind::Of(own) => own == kind,
            _ => matches!(kind, Rgb | Spectrum | Blackbody | Xyz),
        }
    }

    /// As messages and the table in the documents say it.
    pub(super) fn name(self) -> &'static str {
        match self {
            ParameterKind::Of(kind) => kind.name(),
            ParameterKind::Albedo | ParameterKind::Light | ParameterKind::Any => "spectrum",
        }
    }
}

/// How many values of its type a parameter has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueCount {
    Exactly(usize),
    MultipleOf(usize),
    /// One and more.
    Many,
}

/// What a string names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StringMeaning {
    Nothing,
    /// A file that is read.
    File,
    /// A file that is written.
    Output,
}

/// The values that are known.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum KnownValues {
    All,
    /// These strings; with `others`, others too. What ends in "..." is the beginning of a string.
    Strings {
        strings: Vec<&'static str>,
        others: bool,
    },
    /// Numbers from the first to the second.
    Range(f64, f64),
}

/// A parameter that a class takes.
#[derive(Clone, Debug)]
pub(super) struct ParameterRow {
    pub(super) name: &'static str,
    pub(super) kinds: Vec<ParameterKind>,
    pub(super) count: ValueCount,
    /// `needed`, `-` or a value.
    pub(super) default: &'static str,
    pub(super) known: KnownValues,
    pub(super) versions: Versions,
    pub(super) names: StringMeaning,
    /// What to write instead in version 4; empty where there is nothing to say.
    pub(super) instead: &'static str,
}

impl ParameterRow {
    pub(super) fn is_needed(&self) -> bool {
        self.default == "needed"
    }
}

/// A class of a directive.
#[derive(Clone, Debug)]
pub(super) struct DirectiveClass {
    pub(super) directive: Directive,
    /// Of a texture with its type in front: `float.imagemap`.
    pub(super) name: &'static str,
    pub(super) versions: Versions,
    /// What to write instead in version 4; empty where there is nothing to say.
    pub(super) instead: &'static str,
    pub(super) rows: Vec<ParameterRow>,
}

impl DirectiveClass {
    /// The parameter of this name, of this version.
    pub(super) fn row(&self, name: &[u8], version: Version) -> Option<&ParameterRow> {
        self.rows.iter().find(|row| row.name.as_bytes() == name && row.versions.has(version))
    }
}

/// All classes.
pub(super) struct SchemaTable {
    /// In the order of the text.
    pub(super) classes: Vec<DirectiveClass>,
    places: HashMap<(Directive, &'static str), usize>,
}

impl SchemaTable {
    /// The class of a directive, of whatever version.
    pub(super) fn class(&self, directive: Directive, name: &str) -> Option<&DirectiveClass> {
        self.places.get(&(directive, name)).map(|place| &self.classes[*place])
    }

    /// The classes of a directive.
    pub(super) fn classes_of(&self, directive: Directive) -> impl Iterator<Item = &DirectiveClass> {
        self.classes.iter().filter(move |class| class.directive == directive)
    }
}

/// The table; its text is taken apart at the first call.
pub(super) fn table() -> &'static SchemaTable {
    static TABLE: OnceLock<SchemaTable> = OnceLock::new();
    TABLE.get_or_init(|| parse(TEXT).expect("classes.txt has no mistake, as a test says"))
}

/// Where the lines that are read belong.
enum Under {
    Nothing,
    Group(&'static str),
    Class,
}

fn parse(text: &'static str) -> Result<SchemaTable, String> {
    let mut groups: HashMap<&'static str, Vec<ParameterRow>> = HashMap::new();
    let mut classes: Vec<DirectiveClass> = Vec::new();
    let mut under = Under::Nothing;
    for (i, line) in text.lines().enumerate() {
        let failed = |what: &str| format!("classes.txt:{}: {what}", i + 1);
        let (words, instead) = line.split_once("-> ").unwrap_or((line, ""));
        if words.starts_with('#') || words.trim().is_empty() {
            continue;
        }
        let indented = line.starts_with(' ');
        let words: Vec<&'static str> = words.split_whitespace().collect();
        if !indented {
            under = match words[..] {
                ["group", name] => {
                    groups.insert(name, Vec::new());
                    Under::Group(name)
                }
                [directive, name, ref rest @ ..] => {
                    classes.push(class(directive, name, rest, instead).ok_or(failed("a class"))?);
                    Under::Class
                }
                _ => return Err(failed("a class or a group")),
            };
            continue;
        }
        let rows = match words[..] {
            ["+", group] => groups.get(group).ok_or(failed("no such group"))?.clone(),
            _ => vec![row(&words, instead).ok_or(failed("a parameter"))?],
        };
        match under {
            Under::Group(name) => groups.entry(name).or_default().extend(rows),
            Under::Class => classes.last_mut().ok_or(failed("no class"))?.rows.extend(rows),
            Under::Nothing => return Err(failed("a parameter without a class")),
        }
    }
    for class in &mut classes {
        for row in &mut class.rows {
            row.versions.v3 &= class.versions.v3;
            row.versions.v4 &= class.versions.v4;
        }
        class.rows.retain(|row| row.versions.v3 || row.versions.v4);
    }
    let key = |(i, class): (usize, &DirectiveClass)| ((class.directive, class.name), i);
    let places = classes.iter().enumerate().map(key).collect();
    Ok(SchemaTable { classes, places })
}

fn class(
    directive: &str,
    name: &'static str,
    rest: &[&'static str],
    instead: &'static str,
) -> Option<DirectiveClass> {
    let directive = Directive::of_word(directive.as_bytes())?;
    let versions = match rest {
        [] => Versions::BOTH,
        [word] => Versions::of_word(word)?,
        _ => return None,
    };
    Some(DirectiveClass { directive, name, versions, instead, rows: Vec::new() })
}

fn row(words: &[&'static str], instead: &'static str) -> Option<ParameterRow> {
    let [name, kinds, count, default, rest @ ..] = words else { return None };
    let count = match count.strip_suffix('*') {
        _ if *count == "n" => ValueCount::Many,
        Some(count) => ValueCount::MultipleOf(count.parse().ok()?),
        None => ValueCount::Exactly(count.parse().ok()?),
    };
    let kinds = kinds.split(',').map(ParameterKind::of_word).collect::<Option<Vec<_>>>()?;
    let mut row = ParameterRow {
        name,
        kinds,
        count,
        default,
        known: KnownValues::All,
        versions: Versions::BOTH,
        names: StringMeaning::Nothing,
        instead,
    };
    for word in rest {
        match *word {
            "file" => row.names = StringMeaning::File,
            "output" => row.names = StringMeaning::Output,
            word if Versions::of_word(word).is_some() => {
                row.versions = Versions::of_word(word)?;
            }
            word => row.known = known(word)?,
        }
    }
    Some(row)
}

fn known(word: &'static str) -> Option<KnownValues> {
    let is_range = word.starts_with(|first: char| first == '-' || first.is_ascii_digit());
    if let Some((least, most)) = word.split_once("..").filter(|_| is_range) {
        let least = least.parse().ok()?;
        let most = if most.is_empty() { f64::INFINITY } else { most.parse().ok()? };
        return Some(KnownValues::Range(least, most));
    }
    let mut strings: Vec<_> = word.split('|').collect();
    let others = strings.last() == Some(&"...");
    strings.retain(|string| *string != "...");
    Some(KnownValues::Strings { strings, others })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_is_well_formed() {
        let table = parse(TEXT).expect("no mistake");
        assert_eq!(table.places.len(), table.classes.len(), "a class stands twice");
        for class in &table.classes {
            for (i, row) in class.rows.iter().enumerate() {
                let twice = class.rows[..i].iter().find(|other| {
                    let v3 = other.versions.v3 && row.versions.v3;
                    other.name == row.name && (v3 || other.versions.v4 && row.versions.v4)
                });
                assert!(
                    twice.is_none(),
                    "{} {}: {} twice",
                    class.directive.name(),
                    class.name,
                    row.name
                );
                let old = !row.versions.v4 && class.versions.v4;
                let said = !row.instead.is_empty()
                    || class.row(row.name.as_bytes(), Version::V4).is_some();
                assert!(!old || said, "{}: {} without what to write instead", class.name, row.name);
            }
            assert!(class.versions.v4 || !class.instead.is_empty(), "{}", class.name);
        }
    }

    #[test]
    fn mistakes_are_told() {
        for text in ["Shape", "Shap sphere", "    x float 1 1", "Shape a\n    x float", "group a b"]
        {
            assert!(parse(text).is_err(), "{text}");
        }
        assert!(parse("Shape a\n    x float z 1").is_err());
        assert!(parse("Shape a\n    + nothing").is_err());
    }
}
