//! What a file says about itself: tags with their groups.

use crate::Value;
use crate::groups::{family, in_group};
use crate::number::is_number;
use crate::precedence;
use crate::rule::TagRule;
use foldhash::{HashMap, HashMapExt};
use std::borrow::Cow;
use std::hash::{Hash, Hasher};

/// One statement of a file.
#[derive(Clone, Debug)]
pub struct Tag {
    /// Where it stands: `IFD0`, `ExifIFD`, `XMP-dc`, `Track1`.
    pub group: Cow<'static, str>,
    /// What it is called: `DateTimeOriginal`.
    pub name: Cow<'static, str>,
    /// What the file holds.
    pub value: Value,
    pub(crate) rule: TagRule,
    /// It is of a film, or of a file that is built like one.
    pub(crate) of_film: bool,
}

impl Tag {
    /// A statement that is not from the file's own metadata: its number, and how that reads.
    pub fn stated(
        group: impl Into<Cow<'static, str>>,
        name: impl Into<Cow<'static, str>>,
        number: Value,
        text: Value,
    ) -> Self {
        let value = Value::List(vec![number, text]);
        Tag { group: group.into(), name: name.into(), value, rule: TagRule::Both, of_film: false }
    }

    /// The value without its coding: what `-n` shows.
    pub fn number(&self) -> Value {
        self.rule.number(&self.value)
    }

    /// The value in words.
    pub fn text(&self) -> Value {
        self.rule.text(&self.value)
    }

    /// The value for a program: in words or as a number, but a number that is only spelt out
    /// (`2.8`) is one again. Text of the file stays text, digits or not.
    pub fn typed(&self, words: bool) -> Value {
        let value = if words { self.text() } else { self.number() };
        match value {
            Value::Text(text) if !matches!(self.value, Value::Text(_) | Value::List(_)) => {
                spelt(&text).unwrap_or(Value::Text(text))
            }
            other => other,
        }
    }

    /// A statement that another program read: `value` is shown as it is.
    pub fn foreign(
        group: impl Into<Cow<'static, str>>,
        name: impl Into<Cow<'static, str>>,
        value: Value,
    ) -> Self {
        Tag {
            group: group.into(),
            name: name.into(),
            value,
            rule: TagRule::Foreign,
            of_film: false,
        }
    }

    /// Whether another program read it.
    pub fn is_foreign(&self) -> bool {
        matches!(self.rule, TagRule::Foreign)
    }

    /// Whether this tag counts and not `other` of the same name, which was found before it.
    pub fn outdoes(&self, other: &Tag) -> bool {
        precedence::outdoes(self, other)
    }

    /// The wider group that this one belongs to: `EXIF` of `ExifIFD`, `XMP` of `XMP-dc`.
    pub fn family(&self) -> &str {
        family(&self.group)
    }
}

/// The number that all of `text` spells.
fn spelt(text: &str) -> Option<Value> {
    if !is_number(text) {
        return None;
    }
    match text.parse::<i64>() {
        Ok(whole) => Some(Value::Ints(vec![whole])),
        Err(_) => text.parse().ok().map(|fraction| Value::Floats(vec![fraction])),
    }
}

/// `2020:01:02 03:04:05` of seconds since 1970, in universal time.
pub fn date_of_unix(seconds: i64) -> String {
    crate::rule::Named::UnixDate.number(&Value::int(seconds)).plain()
}

/// All that was read of a file.
#[derive(Clone, Debug, Default)]
pub struct Metadata {
    /// In the order in which they were found; a name may come more than once.
    pub tags: Vec<Tag>,
    /// What was wrong with the file without making the rest unreadable.
    pub warnings: Vec<String>,
    /// How many bytes of the file were read.
    pub bytes_read: u64,
    /// What was seen and not read, or not all of it.
    pub gaps: Vec<Gap>,
}

/// What a file holds that is not read, or not all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Gap {
    /// A maker's note: no maker says all that is in his.
    MakerNotes,
    /// A format of which only the name is known.
    Format,
    /// Nothing is known to be missing, but the structure is not as it should be: an entry of no known
    /// type, an offset that leads out of the file or into a directory, bytes between segments, a moved
    /// note. Readers differ in what they make of it.
    Odd,
}

impl Metadata {
    /// The tag that counts for `field` (`CreateDate`, `ExifIFD:CreateDate`, `XMP:CreateDate`).
    ///
    /// Of tags in several groups, what is known of the picture itself and composites (a position
    /// with its sign) come before EXIF's main directories, and those before XMP, thumbnails and
    /// others, except for what a maker's note says better (`WhiteBalance`); in films, and CR3, what
    /// QuickTime, XMP and EXIF say counts as it comes, the last of all; of several in one group the last, as a rule, but the first of comments, of what
    /// EXIF's directories say of the picture's look (`ImageDescription`, `Orientation`, sizes), and of
    /// the copies of EXIF in XMP.
    pub fn get(&self, field: &str) -> Option<&Tag> {
        let (group, name) = match field.split_once(':') {
            Some((group, name)) => (Some(group), name),
            None => (None, field),
        };
        let is_it = |tag: &&Tag| {
            tag.name.eq_ignore_ascii_case(name)
                && group.is_none_or(|group| in_group(&tag.group, group))
        };
        counting(self.tags.iter().filter(is_it))
    }

    /// Of each name in each group the tag that counts, where the name stands first.
    pub fn distinct_tags(&self) -> Vec<&Tag> {
        let mut places = HashMap::<(&str, &str), usize>::with_capacity(self.tags.len());
        let mut chosen = Vec::<&Tag>::with_capacity(self.tags.len());
        for tag in &self.tags {
            let place = *places.entry((&tag.group, &tag.name)).or_insert(chosen.len());
            match chosen.get(place) {
                None => chosen.push(tag),
                Some(other) if tag.outdoes(other) => chosen[place] = tag,
                Some(_) => {}
            }
        }
        chosen
    }

    /// Of each name the tag that counts, where the name stands first.
    pub fn main_tags(&self) -> Vec<&Tag> {
        let mut places = HashMap::<AnyCase<'_>, usize>::with_capacity(self.tags.len());
        // Of each name, in any case, the tag that counts and the spelling that came first.
        let mut best: Vec<(&Tag, &str)> = Vec::with_capacity(self.tags.len());
        let mut shown: Vec<usize> = Vec::with_capacity(self.tags.len());
        let mut respelt: Vec<&str> = Vec::new();
        for tag in &self.tags {
            let place = *places.entry(AnyCase(&tag.name)).or_insert(best.len());
            let Some((other, first)) = best.get_mut(place) else {
                best.push((tag, &tag.name));
                shown.push(place);
                continue;
            };
            if tag.outdoes(other) {
                *other = tag;
            }
            if *first != tag.name && !respelt.contains(&&*tag.name) {
                respelt.push(&tag.name);
                shown.push(place);
            }
        }
        shown.into_iter().map(|place| best[place].0).collect()
    }
}

/// A name whose letters may be large or small.
struct AnyCase<'n>(&'n str);

impl PartialEq for AnyCase<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.0.eq_ignore_ascii_case(other.0)
    }
}

impl Eq for AnyCase<'_> {}

impl Hash for AnyCase<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // One bit tells large letters from small; that other signs share a number costs little.
        let (words, rest) = self.0.as_bytes().as_chunks::<8>();
        words.iter().for_each(|word| state.write_u64(u64::from_le_bytes(*word) | LARGE));
        let last = rest.iter().fold(0, |word, byte| word << 8 | u64::from(*byte));
        state.write_u64(last | LARGE);
    }
}

/// The bit that small letters have, of eight bytes.
const LARGE: u64 = u64::from_ne_bytes([0x20; 8]);

/// Of tags of one name the one that counts.
pub(crate) fn counting<'t>(tags: impl Iterator<Item = &'t Tag>) -> Option<&'t Tag> {
    let mut best: Option<&Tag> = None;
    for tag in tags {
        if best.is_none_or(|best| tag.outdoes(best)) {
            best = Some(tag);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_each_name_the_tag_of_the_best_group_counts() {
        let tag = |group, name| Tag::foreign(group, name, Value::text(group));
        let tags = vec![tag("XMP-tiff", "Make"), tag("IFD1", "Size"), tag("IFD0", "make")];
        let metadata = Metadata { tags, ..Metadata::default() };
        let groups = |metadata: &Metadata| -> Vec<String> {
            metadata.main_tags().iter().map(|tag| tag.group.to_string()).collect()
        };
        assert_eq!(groups(&metadata), ["IFD0", "IFD1", "IFD0"]);
        let long = ["IFD1", "XMP-exif", "ExifIFD", "XMP-exif"];
        let spelt =
            ["DateTimeOriginal", "datetimeOriginal", "DATETIMEORIGINAL", "datetimeOriginal"];
        let tags = long.into_iter().zip(spelt).map(|(group, name)| tag(group, name)).collect();
        let spellings = Metadata { tags, ..Metadata::default() };
        assert_eq!(groups(&spellings), ["ExifIFD"; 3]);
        assert_eq!(metadata.get("Make").map(|tag| &*tag.group), Some("IFD0"));
    }
}
