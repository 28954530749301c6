//! Where readers put what they find, within bounds.

use crate::metadata::{Gap, Tag, counting};
use crate::rule::TagRule;
use crate::{Fields, Value};
use solio_container::ByteView;
use std::borrow::Cow;

/// Most tags of one file; the richest real ones have some thousands.
const MOST_TAGS: usize = 1 << 14;
/// Most bytes that the values of one file may take in memory.
const MOST_BYTES: usize = 32 << 20;
/// Most warnings that are kept.
const MOST_WARNINGS: usize = 64;

/// How much had been found.
#[derive(Clone, Copy)]
pub(crate) struct Mark {
    tags: usize,
    warnings: usize,
    gaps: usize,
    iptc_groups: u16,
    bytes: usize,
}

/// What has been found so far.
pub(crate) struct Gather<'f> {
    pub(crate) fields: &'f Fields,
    pub(crate) tags: Vec<Tag>,
    pub(crate) warnings: Vec<String>,
    /// Which groups blocks of IPTC have taken; each has one of its own.
    pub(crate) iptc_groups: u16,
    /// The file has a place for IPTC that is not in its EXIF.
    pub(crate) has_place_for_iptc: bool,
    /// The picture is of one of Canon's cameras.
    pub(crate) of_canon: bool,
    /// The file is a film, or built like one.
    pub(crate) of_film: bool,
    pub(crate) gaps: Vec<Gap>,
    /// What reads a JPEG within another file.
    pub(crate) read_jpeg: fn(ByteView<'_>, &mut Gather<'_>),
    bytes: usize,
    /// Something lay past the end of the bytes that it should be in.
    cut: bool,
}

impl<'f> Gather<'f> {
    pub(crate) fn new(fields: &'f Fields) -> Self {
        Gather {
            fields,
            tags: Vec::new(),
            warnings: Vec::new(),
            gaps: Vec::new(),
            read_jpeg: |_, _| {},
            iptc_groups: 0,
            has_place_for_iptc: false,
            of_canon: false,
            of_film: false,
            bytes: 0,
            cut: false,
        }
    }

    /// Whether a tag of this name would be kept.
    pub(crate) fn wants(&self, group: &str, name: &str) -> bool {
        self.fields.wants(group, name)
    }

    /// Keeps a tag if it is wanted.
    pub(crate) fn put(
        &mut self,
        group: impl Into<Cow<'static, str>>,
        name: impl Into<Cow<'static, str>>,
        value: Value,
        rule: TagRule,
    ) {
        let (group, name) = (group.into(), name.into());
        if !self.fields.wants(&group, &name) {
            return;
        }
        self.bytes += size_of::<Tag>() + size(&value);
        if self.is_full() {
            return;
        }
        self.tags.push(Tag { group, name, value, rule, of_film: self.of_film });
    }

    /// Moves what stands behind the first `plain` tags, so many tags each, to the places that their
    /// entries have among those: directories lie where the entries that point to them do.
    pub(crate) fn move_to_places(&mut self, plain: usize, found: &[(usize, usize)]) {
        let moved: usize = found.iter().map(|(_, count)| count).sum();
        if moved == 0 || plain + moved != self.tags.len() {
            return;
        }
        let first = found.iter().map(|(place, _)| *place).min().unwrap_or(plain).min(plain);
        let mut inner: Vec<(usize, Vec<Tag>)> = Vec::with_capacity(found.len());
        for (place, count) in found.iter().rev() {
            let from = self.tags.len() - count;
            inner.push((*place, self.tags.split_off(from)));
        }
        inner.reverse();
        inner.sort_by_key(|(place, _)| *place);
        let behind = self.tags.split_off(first);
        let mut inner = inner.into_iter().peekable();
        for (n, tag) in behind.into_iter().enumerate() {
            while let Some((_, tags)) = inner.next_if(|(place, _)| *place <= first + n) {
                self.tags.extend(tags);
            }
            self.tags.push(tag);
        }
        inner.for_each(|(_, tags)| self.tags.extend(tags));
    }

    /// Text without a rule.
    pub(crate) fn text(
        &mut self,
        group: impl Into<Cow<'static, str>>,
        name: impl Into<Cow<'static, str>>,
        text: impl Into<String>,
    ) {
        let (group, name) = (group.into(), name.into());
        if self.wants(&group, &name) {
            self.put(group, name, Value::Text(text.into()), TagRule::Plain);
        }
    }

    /// A whole number without a rule.
    pub(crate) fn int(
        &mut self,
        group: impl Into<Cow<'static, str>>,
        name: impl Into<Cow<'static, str>>,
        number: impl Into<i64>,
    ) {
        let (group, name) = (group.into(), name.into());
        if self.wants(&group, &name) {
            self.put(group, name, Value::int(number), TagRule::Plain);
        }
    }

    /// A whole block, as data by the name of its group.
    pub(crate) fn block(&mut self, group: &'static str, view: ByteView<'_>) {
        self.put(group, group, view.into(), TagRule::Binary);
    }

    /// Whether no more is taken.
    pub(crate) fn is_full(&self) -> bool {
        self.tags.len() >= MOST_TAGS || self.bytes > MOST_BYTES
    }

    /// What has been found up to now, to come back to; from here on it counts what is cut off.
    pub(crate) fn mark(&mut self) -> Mark {
        self.cut = false;
        Mark {
            tags: self.tags.len(),
            warnings: self.warnings.len(),
            gaps: self.gaps.len(),
            iptc_groups: self.iptc_groups,
            bytes: self.bytes,
        }
    }

    /// Forgets what was found since `mark`.
    pub(crate) fn back_to(&mut self, mark: Mark) {
        self.tags.truncate(mark.tags);
        self.warnings.truncate(mark.warnings);
        self.gaps.truncate(mark.gaps);
        self.iptc_groups = mark.iptc_groups;
        self.bytes = mark.bytes;
        self.cut = false;
    }

    /// Of what was found since `mark`, forgets what was known before.
    pub(crate) fn keep_new(&mut self, mark: Mark) {
        let more = self.tags.split_off(mark.tags);
        let known = |tag: &Tag| self.find(&tag.group, &tag.name).is_some();
        let more: Vec<Tag> = more.into_iter().filter(|tag| !known(tag)).collect();
        self.tags.extend(more);
    }

    /// Something lies past the end of the bytes that it should be in.
    pub(crate) fn cut_off(&mut self) {
        self.cut = true;
    }

    /// Whether something did since the last mark.
    pub(crate) fn is_cut(&self) -> bool {
        self.cut
    }

    /// Something is wrong, but not with everything.
    pub(crate) fn warn(&mut self, what: impl Into<String>) {
        if self.warnings.len() < MOST_WARNINGS {
            self.warnings.push(what.into());
        }
    }

    /// Something is there that is not read, or not whole.
    pub(crate) fn leave(&mut self, gap: Gap) {
        if !self.gaps.contains(&gap) {
            self.gaps.push(gap);
        }
    }

    /// Of the tags of this name in this group the one that counts.
    pub(crate) fn counting(&self, group: &str, name: &str) -> Option<&Tag> {
        counting(self.tags.iter().filter(|tag| tag.name == name && tag.group == group))
    }

    /// The first tag of this name in this group.
    pub(crate) fn find(&self, group: &str, name: &str) -> Option<&Tag> {
        self.tags.iter().find(|tag| tag.name == name && tag.group == group)
    }
}

fn size(value: &Value) -> usize {
    match value {
        Value::Text(text) => text.len(),
        Value::Bytes(bytes) => bytes.len(),
        Value::Ints(v) => v.len() * 8,
        Value::Floats(v) => v.len() * 8,
        Value::Rationals(v) => v.len() * 16,
        Value::Binary { .. } => 0,
        Value::List(list) => list.iter().map(|v| size(v) + size_of::<Value>()).sum(),
    }
}
