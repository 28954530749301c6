//! Names of XMP: groups from namespaces, tags from paths of properties.

use crate::metadata::Tag;
use crate::rule::{Named, TagRule};
use foldhash::{HashMap, HashSet, HashSetExt};
use std::sync::OnceLock;

/// One line of a table: what a property is called, and its rule.
pub(super) struct KnownProperty {
    pub(super) name: &'static str,
    pub(super) rule: TagRule,
}

/// Addresses and groups of the namespaces that are known.
fn namespaces() -> impl Iterator<Item = (&'static str, &'static str)> {
    let text = include_str!("../../tables/xmp_namespaces.tsv");
    text.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once('\t'))
}

/// The group of a namespace's address.
pub(super) fn group_of(address: &str) -> Option<&'static str> {
    static GROUPS: OnceLock<HashMap<&'static str, &'static str>> = OnceLock::new();
    GROUPS.get_or_init(|| namespaces().collect()).get(address).copied()
}

/// How the tags' group is shown, `XMP-dc`, where it is of a namespace that is known; repeated
/// fields of those make lists.
pub(super) fn shown_group(group: &str) -> Option<&'static str> {
    static GROUPS: OnceLock<HashMap<&'static str, String>> = OnceLock::new();
    let shown = |(_, group)| (group, format!("XMP-{group}"));
    GROUPS.get_or_init(|| namespaces().map(shown).collect()).get(group).map(String::as_str)
}

/// What the table says of a path such as `exif:PixelXDimension` or `xmpMM:History/When`.
pub(super) fn known(path: &str) -> Option<&'static KnownProperty> {
    static KNOWN: OnceLock<HashMap<&'static str, KnownProperty>> = OnceLock::new();
    let parse = || {
        let text = include_str!("../../tables/xmp.tsv");
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let line = |line: &'static str| {
            let mut columns = line.split('\t');
            let (path, name) = (columns.next()?, columns.next()?);
            let rule = TagRule::parse(columns.next().unwrap_or("-"))?;
            Some((path, KnownProperty { name, rule }))
        };
        lines.filter_map(line).collect()
    };
    KNOWN.get_or_init(parse).get(path)
}

/// A property that no table has: its path's parts, each with a capital; of parts that are all
/// capitals, each word has one.
pub(super) fn plain_name(parts: &[&str]) -> String {
    let mut name = String::new();
    for part in parts {
        let capitals = !part.bytes().any(|b| b.is_ascii_lowercase());
        let letters = part.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
        let mut start = true;
        for letter in letters {
            match (start, capitals) {
                (true, _) => name.push(letter.to_ascii_uppercase()),
                (false, true) => name.push(letter.to_ascii_lowercase()),
                (false, false) => name.push(letter),
            }
            start = false;
            if capitals && letter == '_' {
                name.pop();
                start = true;
            }
        }
    }
    if name.len() < 2 || name.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
        name.insert_str(0, "Tag");
    }
    name
}

/// Dates and fractions as text are given as the other groups give them.
pub(super) fn tidy(text: &str, rule: TagRule, group: &str) -> String {
    if rule == TagRule::Named(Named::Date) {
        return date(text);
    }
    let bytes = text.as_bytes();
    if bytes.len() >= 16 && bytes[10] == b'T' && bytes[4] == b'-' {
        return date(text);
    }
    let numbers = rule == TagRule::Named(Named::Meters)
        || !matches!(group, "dc" | "photoshop" | "xmp" | "xmpMM" | "iptcCore" | "iptcExt" | "plus");
    if numbers && text.contains('/') && text.len() < 200 {
        let parts: Option<Vec<String>> = text.split(' ').map(fraction).collect();
        if let Some(parts) = parts {
            return parts.join(" ");
        }
    }
    text.to_owned()
}

/// Of several tags of one name in those groups where another source is better, and in unknown
/// ones, only the first counts; `before`: where the packet's tags start.
pub(super) fn keep_first(tags: &mut Vec<Tag>, before: usize) {
    let first = |tag: &Tag| {
        let group = tag.group.strip_prefix("XMP-").unwrap_or_default();
        match group {
            "exif" | "exifEX" | "tiff" | "aux" => true,
            "xmp" => matches!(&*tag.name, "CreateDate" | "ModifyDate"),
            other => shown_group(other).is_none(),
        }
    };
    let mut seen = HashSet::new();
    let mut twice = HashSet::new();
    for (n, tag) in tags.iter().enumerate().skip(before) {
        if first(tag) && !seen.insert((&*tag.group, &*tag.name)) {
            twice.insert(n);
        }
    }
    if !twice.is_empty() {
        let mut n = 0;
        tags.retain(|_| {
            n += 1;
            !twice.contains(&(n - 1))
        });
    }
}

/// `1/3` as 0.333333333333333.
fn fraction(text: &str) -> Option<String> {
    let (top, bottom) = text.split_once('/')?;
    let digits = |t: &str| !t.is_empty() && t.len() < 18 && t.bytes().all(|b| b.is_ascii_digit());
    if !digits(top.strip_prefix('-').unwrap_or(top)) || !digits(bottom) {
        return None;
    }
    let (top, bottom): (f64, f64) = (top.parse().ok()?, bottom.parse().ok()?);
    Some(match (top == 0.0, bottom == 0.0) {
        (true, true) => "undef".into(),
        (false, true) => "inf".into(),
        _ => crate::number::plain(top / bottom),
    })
}

/// `2020-01-02T03:04:05Z` as `2020:01:02 03:04:05Z`; parts may be missing.
fn date(text: &str) -> String {
    let (day, time) = match text.find(['T', ' ']) {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    };
    let numeric =
        !day.is_empty() && day.bytes().all(|b| b.is_ascii_digit() || b == b'-' || b == b':');
    if !numeric || day.starts_with('-') {
        // Damaged behind the year.
        let year = text.len() > 4 && text.bytes().take(4).all(|b| b.is_ascii_digit());
        return if year { text.replace('-', ":") } else { text.to_owned() };
    }
    let day = day.replace('-', ":");
    match time {
        Some(time) => format!("{day} {}", time.trim_start()),
        None => day,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_values() {
        assert_eq!(plain_name(&["directory", "item", "Mime"]), "DirectoryItemMime");
        assert_eq!(plain_name(&["q"]), "TagQ");
        assert_eq!(plain_name(&["RDF", "ABC_DEF", "ABc", "AB1", "l\u{e9}o"]), "RdfAbcDefABcAb1Lo");
        assert_eq!(date("2016-09-13?11:58-01"), "2016:09:13?11:58:01");
        assert_eq!(tidy("1/3", TagRule::Plain, "exif"), "0.333333333333333");
        assert_eq!(
            tidy("2020-01-02T03:04:05+01:00", TagRule::Plain, "foo"),
            "2020:01:02 03:04:05+01:00"
        );
        assert_eq!(tidy("2020-05", TagRule::Named(Named::Date), "xmp"), "2020:05");
        assert_eq!(tidy("and/or", TagRule::Plain, "foo"), "and/or");
        assert_eq!(group_of("http://purl.org/dc/elements/1.1/"), Some("dc"));
        assert_eq!(shown_group("dc"), Some("XMP-dc"));
    }

    #[test]
    fn every_line_of_the_tables_is_understood() {
        let lines = |text: &'static str| text.lines().filter(|l| !l.starts_with('#'));
        for line in lines(include_str!("../../tables/xmp.tsv")) {
            let columns: Vec<&str> = line.split('\t').collect();
            let known = known(columns[0]).unwrap_or_else(|| panic!("{line}"));
            assert_eq!(known.name, columns[1]);
        }
        for line in lines(include_str!("../../tables/xmp_namespaces.tsv")) {
            assert_eq!(line.split('\t').count(), 2, "{line}");
        }
    }
}
