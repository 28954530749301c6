//! The `.json` files that Google Takeout puts beside photos.
//!
//! `a.jpg` has `a.jpg.supplemental-metadata.json`, in older exports `a.jpg.json`; names are cut to 46 characters
//! before `.json`, wherever that falls, so that `a-very-….jpg.supplemental-m.json` is one as well. A number is
//! moved to the end: `a(1).jpg` has `a.jpg.supplemental-metadata(1).json`. What was edited there
//! (`a-edited.jpg`) has no file of its own.

use chrono::NaiveDateTime;
use serde::Deserialize;
use std::collections::HashMap;

/// Characters of a name that are kept.
const MOST_LETTERS: usize = 46;
/// What is put behind the name of a photo.
const MARK: &str = ".supplemental-metadata";
/// Bytes of such a file that are read.
pub(crate) const MOST_BYTES: u64 = 1 << 20;

/// What such a file says that counts here.
#[derive(Debug, PartialEq)]
pub(crate) struct TakeoutNote {
    pub(crate) title: String,
    /// In universal time.
    pub(crate) at: Option<NaiveDateTime>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TakeoutJson {
    title: Option<String>,
    photo_taken_time: Option<TakenTime>,
}

#[derive(Deserialize)]
struct TakenTime {
    timestamp: Option<String>,
}

/// What a `.json` says, if Takeout wrote it for a photo.
pub(crate) fn read_note(text: &[u8]) -> Option<TakeoutNote> {
    let json: TakeoutJson = serde_json::from_slice(text).ok()?;
    let taken = json.photo_taken_time?;
    let seconds = taken.timestamp.and_then(|text| text.trim().parse::<i64>().ok());
    let at = seconds.filter(|seconds| *seconds != 0).and_then(super::times::of_unix);
    Some(TakeoutNote { title: json.title.unwrap_or_default(), at })
}

/// Photos of a folder by what their `.json` may be called.
pub(crate) struct TakeoutNames<'n> {
    /// By the name without `.json` and number, and the number.
    by_base: HashMap<(String, u32), Vec<usize>>,
    names: Vec<(&'n str, usize)>,
}

impl<'n> TakeoutNames<'n> {
    /// Of the names of photos.
    pub(crate) fn new(names: impl Iterator<Item = (&'n str, usize)>) -> Self {
        let mut by_base = HashMap::<_, Vec<usize>>::new();
        let names: Vec<(&str, usize)> = names.collect();
        for (name, index) in &names {
            let (stem, extension) = split(name);
            let (stem, number) = without_number(stem);
            let whole = format!("{stem}{extension}");
            // Of some photos the extension is left out.
            for base in
                [format!("{whole}{MARK}"), whole, format!("{stem}{MARK}")].map(|it| cut(&it))
            {
                let same = by_base.entry((base.to_lowercase(), number)).or_default();
                if same.last() != Some(index) {
                    same.push(*index);
                }
            }
        }
        TakeoutNames { by_base, names }
    }

    /// The photo that a `.json` belongs to, by its name without `.json`, and what it says.
    pub(crate) fn photo_of(&self, base: &str, title: &str) -> Option<usize> {
        let (base, number) = without_number(base);
        // The number may stand before the mark, too: `a.jpg(1).supplemental-metadata`.
        let (inner, mark) = base.find(".s").map_or((base, ""), |at| base.split_at(at));
        let (base, number) = match (number, without_number(inner)) {
            (0, (inner, number)) if number > 0 && MARK.starts_with(mark) => {
                (format!("{inner}{mark}"), number)
            }
            _ => (base.to_owned(), number),
        };
        let key = (base.to_lowercase(), number);
        let found = self.by_base.get(&key).map(Vec::as_slice).unwrap_or_default();
        match found {
            [one] => return Some(*one),
            // Of names that were cut to the same, the title tells; a picture and its film are one.
            [first, ..] if self.have_one_stem(found) => return Some(*first),
            [_, ..] => return self.titled(found, title),
            [] => {}
        }
        // Cut elsewhere: what is there of the name, with a part of the mark.
        let starts = |name: &&(&str, usize)| {
            let (stem, extension) = split(name.0);
            let (stem, own) = without_number(stem);
            let whole = format!("{stem}{extension}{MARK}").to_lowercase();
            let least = stem.chars().count().min(MOST_LETTERS - 8);
            own == number && key.0.chars().count() >= least && whole.starts_with(&key.0)
        };
        let found: Vec<usize> = self.names.iter().filter(starts).map(|name| name.1).collect();
        match found[..] {
            [one] => Some(one),
            _ => self.titled(&found, title),
        }
    }

    /// Whether these differ in their extensions alone.
    fn have_one_stem(&self, among: &[usize]) -> bool {
        let mut stems =
            self.names.iter().filter(|name| among.contains(&name.1)).map(|it| split(it.0).0);
        stems.next().is_some_and(|first| stems.all(|stem| stem.eq_ignore_ascii_case(first)))
    }

    /// The one of these whose name the title is, or begins with it where that was cut.
    fn titled(&self, among: &[usize], title: &str) -> Option<usize> {
        let is_it = |name: &&(&str, usize)| {
            let (stem, extension) = split(name.0);
            let (stem, _) = without_number(stem);
            among.contains(&name.1)
                && (format!("{stem}{extension}").eq_ignore_ascii_case(title)
                    || stem.chars().count() >= MOST_LETTERS && title.starts_with(stem))
        };
        let mut found = self.names.iter().filter(is_it);
        let first = found.next()?.1;
        found.next().is_none().then_some(first)
    }
}

/// What Google's editor appends to names, in the languages that are known.
pub(crate) const EDITED: [&str; 14] = [
    "-edited",
    "-bearbeitet",
    "-modifié",
    "-edytowane",
    "-editado",
    "-editada",
    "-ha editado",
    "-modificato",
    "-bewerkt",
    "-redigerad",
    "-redigeret",
    "-muokattu",
    "-editat",
    "-編集済み",
];

/// The stem of the original, and what stood behind it, of `a-edited` and `a-edited(1)`.
pub(crate) fn original_of(stem: &str) -> Option<(String, &str)> {
    let (base, number) = without_number(stem);
    let lower = base.to_lowercase();
    let suffix = EDITED.iter().find(|suffix| lower.ends_with(*suffix))?;
    let at = base.len().checked_sub(suffix.len()).filter(|at| base.is_char_boundary(*at))?;
    let number = if number > 0 { &stem[base.len()..] } else { "" };
    Some((format!("{}{number}", &base[..at]), &base[at..]))
}

/// `a` and 1 of `a(1)`; 0 where there is none.
fn without_number(stem: &str) -> (&str, u32) {
    let number = || -> Option<(&str, u32)> {
        let (base, digits) = stem.strip_suffix(')')?.rsplit_once('(')?;
        let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
        let number = digits.parse().ok().filter(|number| is_number && *number > 0)?;
        Some((base, number)).filter(|(base, _)| !base.is_empty())
    };
    number().unwrap_or((stem, 0))
}

/// The first of a name that is kept.
fn cut(name: &str) -> String {
    name.chars().take(MOST_LETTERS).collect()
}

/// Stem and extension with its dot.
fn split(name: &str) -> (&str, &str) {
    match name.rfind('.').filter(|at| *at > 0) {
        Some(at) => name.split_at(at),
        None => (name, ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_json_finds_its_photo_whatever_was_cut() {
        let long = "a name that is so long that the export cuts it.jpg";
        let longer = "a name that is so long that the export cuts other.jpg";
        let kept = "exactly as long as what is kept of it by th.jpg";
        let names =
            ["a.jpg", "a(1).jpg", "a-edited.jpg", "b.HEIC", long, longer, kept, "a.png", "Ä é.jpg"];
        let photos = TakeoutNames::new(names.iter().enumerate().map(|(i, name)| (*name, i)));
        let found = |base: &str, title: &str| photos.photo_of(base, title).map(|i| names[i]);
        for (base, title, wanted) in [
            ("a.jpg", "", Some("a.jpg")),
            ("a.jpg.supplemental-metadata", "", Some("a.jpg")),
            ("a.jpg.supplemental-met", "", Some("a.jpg")),
            ("a.jpg.s", "", Some("a.jpg")),
            ("a.jpg(1)", "a.jpg", Some("a(1).jpg")),
            ("a.jpg.supplemental-metadata(1)", "a.jpg", Some("a(1).jpg")),
            ("a.jpg(1).supplemental-metadata", "a.jpg", Some("a(1).jpg")),
            ("a.jpg(2)", "a.jpg", None),
            ("b.heic.supplemental-metadata", "b.HEIC", Some("b.HEIC")),
            ("a name that is so long that the export cuts it", "", Some(long)),
            ("a name that is so long that the export cuts ot", "", Some(longer)),
            // Both names were cut to this: the title tells.
            ("a name that is so long that the export cuts", long, Some(long)),
            ("a name that is so long that the export cuts", longer, Some(longer)),
            ("a name that is so long that the export cuts", "another.jpg", None),
            ("exactly as long as what is kept of it by th.jp", "", Some(kept)),
            ("a.png.supplemental-metadata", "", Some("a.png")),
            ("ä é.jpg.supplemental-metadata", "", Some("Ä é.jpg")),
            ("b.supplemental-metadata", "b", Some("b.HEIC")),
            ("metadata", "Album", None),
            ("", "", None),
            ("(1)", "", None),
        ] {
            assert_eq!(found(base, title), wanted, "{base}");
        }
    }

    #[test]
    fn edited_photos_are_those_of_their_originals() {
        assert_eq!(original_of("a-edited"), Some(("a".into(), "-edited")));
        assert_eq!(original_of("a-bearbeitet(2)"), Some(("a(2)".into(), "-bearbeitet")));
        assert_eq!(original_of("a-MODIFIÉ"), Some(("a".into(), "-MODIFIÉ")));
        assert_eq!(original_of("edited"), None);
    }

    #[test]
    fn notes_are_read_or_are_none() {
        let note =
            read_note(br#"{"title":"a.jpg","photoTakenTime":{"timestamp":"1672574400"}}"#).unwrap();
        assert_eq!(note.at.unwrap().to_string(), "2023-01-01 12:00:00");
        // A note without a time, and times that are none.
        for bad in [
            "{}",
            r#"{"timestamp":"x"}"#,
            r#"{"timestamp":"99999999999999999"}"#,
            r#"{"timestamp":"0"}"#,
        ] {
            let text = format!(r#"{{"photoTakenTime":{bad}}}"#);
            assert_eq!(read_note(text.as_bytes()).unwrap().at, None, "{bad}");
        }
        for bad in ["", "[]", "{", r#"{"title":"Album"}"#, r#"{"photoTakenTime":3}"#, "null"] {
            assert_eq!(read_note(bad.as_bytes()), None, "{bad}");
        }
    }
}
