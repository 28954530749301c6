//! `-use MWG`: composites that say in one place what EXIF, IPTC and XMP say, by the rules of the
//! Metadata Working Group. Here for files of which only EXIF says anything.

use super::show::NotSure;
use solio_photo::{Tag, Value};

/// Their group; that of family 0 is `Composite`.
pub(super) const GROUP: &str = "MWG";

/// Adds them.
pub(super) fn add(tags: &mut Vec<Tag>) -> Result<(), NotSure> {
    let other = tags.iter().find(|tag| {
        tag.group.starts_with("IPTC") || tag.group.starts_with("XMP") || tag.group == "Photoshop"
    });
    if let Some(other) = other {
        return Err(format!("-use MWG with {}", other.group));
    }
    let find = |group: &str, name: &str| {
        tags.iter()
            .find(|tag| tag.group == group && tag.name == name)
            .map(|tag| (tag.number(), tag.text()))
    };
    let composite = |name: &str| find("Composite", name);
    // Some writers have what belongs to one directory of EXIF in the other.
    let exif = |name: &str| find("IFD0", name).or_else(|| find("ExifIFD", name));
    let mut made: Vec<(&'static str, (Value, Value))> = Vec::new();
    let mut put = |name: &'static str, value: Option<(Value, Value)>| {
        let value = value.filter(|(_, text)| !text.plain().trim().is_empty());
        made.extend(value.map(|value| (name, value)));
    };
    put("Copyright", exif("Copyright"));
    put("CreateDate", composite("SubSecCreateDate").or_else(|| exif("CreateDate")));
    put("Creator", exif("Artist"));
    put(
        "DateTimeOriginal",
        composite("SubSecDateTimeOriginal").or_else(|| exif("DateTimeOriginal")),
    );
    put("Description", exif("ImageDescription"));
    put("ModifyDate", composite("SubSecModifyDate").or_else(|| exif("ModifyDate")));
    put("Orientation", exif("Orientation"));
    let is_empty = |(_, (_, text)): &(&str, (Value, Value))| {
        text.plain().bytes().all(|b| matches!(b, b' ' | b':'))
    };
    if made.iter().any(is_empty) {
        return Err("-use MWG with an empty date".into());
    }
    // Several makers of a picture stand in one text.
    let artist = tags.iter().find(|tag| tag.group == "IFD0" && tag.name == "Artist");
    if artist
        .is_some_and(|tag| tag.text().plain().contains(';') || tag.text().plain().contains('"'))
    {
        return Err("-use MWG with several artists".into());
    }
    let twice = |name: &str| {
        tags.iter().filter(|tag| tag.name == name && !tag.group.starts_with("IFD1")).count() > 1
    };
    if ["Copyright", "Artist", "ImageDescription", "ModifyDate", "CreateDate", "DateTimeOriginal"]
        .iter()
        .any(|n| twice(n))
    {
        return Err("-use MWG with a tag that stands twice".into());
    }
    for (name, (number, text)) in made {
        tags.push(Tag::stated(GROUP, name, number, text));
    }
    Ok(())
}
