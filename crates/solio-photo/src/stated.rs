//! Tags of formats that other crates read: the same rules word them, and the same composites are
//! made of them.

use crate::gather::Gather;
use crate::rule::TagRule;
use crate::{Fields, Metadata, Value, composite};

/// What a file of another crate's format says, as far as it is known.
pub struct Stated<'f> {
    gather: Gather<'f>,
}

impl<'f> Stated<'f> {
    /// Nothing yet; of what comes, `fields` are kept.
    pub fn new(fields: &'f Fields) -> Self {
        Stated { gather: Gather::new(fields) }
    }

    /// What the file is.
    pub fn kind(&mut self, name: &'static str, extension: &'static str, mime: &'static str) {
        self.gather.text("File", "FileType", name);
        self.put_as("File", "FileTypeExtension", Value::text(extension), "lower");
        self.gather.text("File", "MIMEType", mime);
    }

    /// Whether a tag of this name would be kept.
    pub fn wants(&self, group: &str, name: &str) -> bool {
        self.gather.wants(group, name)
    }

    /// A value that is shown as it is.
    pub fn put(&mut self, group: &str, name: impl Into<String>, value: Value) {
        self.gather.put(group.to_owned(), name.into(), value, TagRule::Plain);
    }

    /// A value that is shown by a rule, named as in the tables of this crate; an unknown rule
    /// shows it as it is.
    pub fn put_as(
        &mut self,
        group: &str,
        name: impl Into<String>,
        value: Value,
        rule: &'static str,
    ) {
        let rule = TagRule::parse(rule).unwrap_or(TagRule::Plain);
        self.gather.put(group.to_owned(), name.into(), value, rule);
    }

    /// A number and how it reads.
    pub fn put_both(&mut self, group: &str, name: &str, number: Value, text: Value) {
        let both = Value::List(vec![number, text]);
        self.gather.put(group.to_owned(), name.to_owned(), both, TagRule::Both);
    }

    /// Something is wrong, but not with everything.
    pub fn warn(&mut self, what: impl Into<String>) {
        self.gather.warn(what);
    }

    /// All of it, with what follows from it; `bytes_read` of the file were needed.
    pub fn finish(mut self, bytes_read: u64) -> Metadata {
        composite::compute(&mut self.gather);
        let Gather { mut tags, warnings, gaps, fields, .. } = self.gather;
        tags.retain(|tag| fields.asks(&tag.group, &tag.name));
        Metadata { tags, warnings, bytes_read, gaps }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn composites_follow_and_only_what_is_asked_for_stays() {
        let fields = Fields::of(["ImageSize", "OpenEXR:ExposureTime"]);
        let mut stated = Stated::new(&fields);
        stated.kind("EXR", "EXR", "image/x-exr");
        stated.put("File", "ImageWidth", Value::int(64));
        stated.put("File", "ImageHeight", Value::int(32));
        stated.put_as("OpenEXR", "ExposureTime", Value::Floats(vec![0.004]), "exposure_time");
        stated.put("OpenEXR", "Owner", Value::text("nobody asks"));
        let metadata = stated.finish(7);
        let shown: Vec<String> = metadata.tags.iter().map(|tag| tag.text().plain()).collect();
        assert_eq!(shown, ["1/250", "64x32"]);
        assert_eq!(metadata.bytes_read, 7);
    }
}
