//! ExifTool's JSON as tags, in its order.

use serde_json::value::RawValue;
use solio_base::{Error, Result};
use solio_photo::{Metadata, Tag, Value};
use std::borrow::Cow;
use std::fmt;

/// The tags of the one file that `text` is about.
pub(super) fn metadata(text: &[u8], complaint: &str) -> Result<Metadata> {
    let text = String::from_utf8_lossy(text);
    if text.trim().is_empty() {
        return Err(no_answer(complaint));
    }
    let files: Vec<Members> = serde_json::from_str(&text)
        .map_err(|e| Error::corrupt(format!("ExifTool's answer is not what it should be: {e}")))?;
    let [Members(members)] = &files[..] else {
        let what = format!("ExifTool answered for {} files instead of one", files.len());
        return Err(Error::corrupt(what));
    };
    let mut metadata = Metadata::default();
    for (key, raw) in members {
        let (group, name) = key.split_once(':').unwrap_or(("ExifTool", key));
        match (group, name) {
            ("ExifTool", "SourceFile") => continue,
            ("ExifTool", "Error") => return Err(Error::unsupported(value(raw).plain())),
            ("ExifTool", "Warning") => metadata.warnings.push(value(raw).plain()),
            _ => {}
        }
        metadata.tags.push(Tag::foreign(group.to_owned(), name.to_owned(), value(raw)));
    }
    Ok(metadata)
}

/// An answer without content: what it complained about says why.
fn no_answer(complaint: &str) -> Error {
    let line =
        complaint.lines().find(|line| line.starts_with("Error")).or(complaint.lines().last());
    let why = line.map(|line| {
        let line = line.strip_prefix("Error: ").unwrap_or(line);
        // The name comes with the error.
        line.split_once(" - ").map_or(line, |(why, _)| why).to_owned()
    });
    Error::unsupported(match why {
        Some(why) => format!("ExifTool: {why}"),
        None => "ExifTool says nothing about this file".into(),
    })
}

/// A value; numbers keep their digits.
fn value(raw: &RawValue) -> Value {
    let text = raw.get();
    let parsed = match text.as_bytes().first() {
        Some(b'"') => serde_json::from_str(text).ok().map(Value::Text),
        Some(b'[') => {
            let list = serde_json::from_str::<Vec<&RawValue>>(text).ok();
            list.map(|list| Value::List(list.into_iter().map(value).collect()))
        }
        _ => None,
    };
    parsed.unwrap_or_else(|| Value::Text(text.to_owned()))
}

/// The members of an object, in order, also those whose names come twice.
struct Members<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de> serde::Deserialize<'de> for Members<'de> {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Members<'de>;

            fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
                to.write_str("an object for the file")
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(
                self,
                mut map: A,
            ) -> std::result::Result<Members<'de>, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry::<String, &'de RawValue>()? {
                    members.push((Cow::Owned(member.0), member.1));
                }
                Ok(Members(members))
            }
        }
        from.deserialize_map(Visitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_come_in_order_with_their_digits() {
        let text = br#"[{ "SourceFile": "a", "IFD0:Make": "Canon", "ExifIFD:FNumber": 5.60,
            "XMP-dc:Subject": ["a", 1], "File:Ok": true, "ExifTool:Warning": "odd" }]"#;
        let metadata = metadata(text, "").unwrap();
        let shown: Vec<String> = metadata.tags.iter().map(|t| t.text().plain()).collect();
        assert_eq!(shown, ["Canon", "5.60", "a, 1", "true", "odd"]);
        assert_eq!(metadata.warnings, ["odd"]);
        assert!(metadata.tags.iter().all(Tag::is_foreign));
        assert_eq!((&*metadata.tags[1].group, &*metadata.tags[1].name), ("ExifIFD", "FNumber"));
    }

    #[test]
    fn whatever_else_it_says_is_an_error() {
        let error = |text: &[u8], complaint| metadata(text, complaint).unwrap_err().to_string();
        assert!(error(b"", "").contains("says nothing"));
        assert_eq!(error(b"\n", "Error: File not found - a - b"), "ExifTool: File not found");
        assert!(error(b"[]", "").contains("for 0 files"));
        assert!(error(b"[{},{}]", "").contains("for 2 files"));
        assert!(error(b"[3]", "").contains("not what it should be"));
        assert!(error(b"garbage\xff", "").contains("not what it should be"));
        assert!(error(br#"[{"ExifTool:Error":"Unknown file type"}]"#, "").contains("Unknown file"));
    }
}
