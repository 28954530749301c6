//! Whether a change does what was meant, and nothing else: all tags before and after.

use super::dates::{DateEdit, WallTime, changed_text};
use super::{PhotoEdit, PlannedEdit};
use crate::{Metadata, Tag};
use solio_base::{Error, Result};

/// What a tag is for an edit.
#[derive(Clone, Copy, PartialEq)]
enum Fate {
    /// It reads as before.
    Kept,
    /// It reads as this text.
    Date,
    Offset,
    Fraction,
    Gone,
    Turn,
    /// It is made of others.
    Follows,
}

/// The tags that change or go.
///
/// # Errors
/// `Unsupported` where something is not as it should be.
pub(crate) fn verify(before: &Metadata, after: &Metadata, edit: &PhotoEdit) -> Result<Vec<String>> {
    let mut changed: Vec<String> = Vec::new();
    // Canon's raw says the time of the place in its film headers, too.
    let is_of_place = before
        .tags
        .iter()
        .any(|tag| tag.group == "File" && tag.name == "FileType" && tag.number().plain() == "CR3");
    let name = |tag: &Tag| format!("{}:{}", tag.group, tag.name);
    let is_own = |tag: &&Tag| fate(tag, edit) != Fate::Follows;
    let mut now = after.tags.iter().filter(is_own);
    for old in before.tags.iter().filter(is_own) {
        if fate(old, edit) == Fate::Gone {
            changed.push(name(old));
            continue;
        }
        let new = now.next().filter(|new| new.group == old.group && new.name == old.name);
        let Some(new) = new else { return Err(lost(&name(old))) };
        let (was, is) = (old.number().plain(), new.number().plain());
        let wanted = wanted(old, edit, is_of_place);
        // Of a date that was none, either may be right: where there was room for one, it is set.
        let is_set = match edit.date {
            Some(DateEdit::Set { wall, .. }) if fate(old, edit) == Fate::Date => {
                WallTime::read(was.as_bytes()).is_none() && (is == wall.exif() || is == was)
            }
            _ => false,
        };
        if is != wanted && !is_set {
            return Err(if wanted == was { lost(&name(old)) } else { cannot(&name(old)) });
        }
        if was != is && !changed.contains(&name(old)) {
            changed.push(name(old));
        }
    }
    if let Some(more) = now.next() {
        return Err(match fate(more, edit) {
            Fate::Gone => cannot(&name(more)),
            _ => lost(&name(more)),
        });
    }
    if after.warnings != before.warnings {
        return Err(lost("a warning"));
    }
    let has = |wanted: &dyn Fn(Fate) -> bool| before.tags.iter().any(|tag| wanted(fate(tag, edit)));
    if edit.date.is_some() && !has(&|fate| fate == Fate::Date) {
        return Err(Error::unsupported("it has no date that could be changed"));
    }
    if edit.orientation.is_some() && !has(&|fate| fate == Fate::Turn) {
        return Err(no_turn());
    }
    Ok(changed)
}

/// What there is to say where no byte would change.
pub(crate) fn unchanged(before: &Metadata, edit: &PhotoEdit) -> Result<PlannedEdit> {
    verify(before, before, edit).map(|_| PlannedEdit::default())
}

fn lost(name: &str) -> Error {
    Error::unsupported(format!("the change would reach {name}, which must stay as it is"))
        .hint("the file is built in an unusual way; exiftool may be able to write it anew")
}

fn cannot(name: &str) -> Error {
    Error::unsupported(format!("{name} cannot be changed without moving other bytes"))
        .hint("exiftool can write the file anew")
}

fn no_turn() -> Error {
    Error::unsupported("it has no tag Orientation, and there is no room for one")
        .hint("exiftool -Orientation# can write the file anew")
}

/// How a tag must read afterwards.
fn wanted(tag: &Tag, edit: &PhotoEdit, is_of_place: bool) -> String {
    let old = tag.number().plain();
    match (fate(tag, edit), edit.date) {
        (Fate::Date, Some(date)) => {
            let is_film = tag.group == "QuickTime" || tag.group.starts_with("Track");
            date_text(&old, date, is_film, is_of_place).unwrap_or(old)
        }
        (Fate::Offset, Some(DateEdit::Set { offset_s: Some(offset_s), .. })) => {
            super::dates::offset_text(offset_s)
        }
        (Fate::Fraction, Some(DateEdit::Set { .. })) => {
            old.chars().map(|letter| if letter.is_ascii_digit() { '0' } else { letter }).collect()
        }
        (Fate::Turn, _) => edit.orientation.map_or(old, |turn| turn.to_string()),
        _ => old,
    }
}

/// How a date reads afterwards; `None` where it stays.
fn date_text(old: &str, date: DateEdit, is_film: bool, is_of_place: bool) -> Option<String> {
    if let (true, DateEdit::Set { wall, offset_s }) = (is_film, date) {
        let offset_s = if is_of_place { 0 } else { offset_s.unwrap_or(0) };
        return Some(wall.shifted(-i64::from(offset_s))?.exif());
    }
    if let DateEdit::Set { wall, .. } = date
        && old.len() == 19
        && WallTime::read(old.as_bytes()).is_none()
    {
        return Some(wall.exif());
    }
    // What is no date stays under a shift; what cannot take the change with as many letters is not written.
    WallTime::read(old.as_bytes())?;
    let new = changed_text(old.as_bytes(), date).and_then(|new| String::from_utf8(new).ok());
    Some(new.unwrap_or_else(|| "a date of another form".into()))
}

fn fate(tag: &Tag, edit: &PhotoEdit) -> Fate {
    let (group, name, family) = (&*tag.group, &*tag.name, tag.family());
    if group == "Composite" {
        let follows = edit.date.is_some() && name.contains("Date")
            || edit.remove_gps && name.contains("GPS")
            || edit.orientation.is_some() && name.contains("Rotation");
        return if follows { Fate::Follows } else { Fate::Kept };
    }
    let is_exif = ["IFD0", "ExifIFD"].contains(&group);
    if edit.date.is_some() {
        let is_date = match family {
            _ if is_exif => ["ModifyDate", "DateTimeOriginal", "CreateDate"].contains(&name),
            "XMP" => [
                ("XMP-exif", "DateTimeOriginal"),
                ("XMP-exif", "DateTimeDigitized"),
                ("XMP-xmp", "CreateDate"),
                ("XMP-xmp", "ModifyDate"),
                ("XMP-photoshop", "DateCreated"),
                ("XMP-tiff", "DateTime"),
            ]
            .contains(&(group, name)),
            _ => {
                let header = ["CreateDate", "ModifyDate"]
                    .map(|it| [it.to_owned(), format!("Track{it}"), format!("Media{it}")]);
                let is_header = header.iter().flatten().any(|it| it == name);
                is_header && (group == "QuickTime" || group.starts_with("Track"))
                    || group == "Keys" && name == "CreationDate"
            }
        };
        if is_date {
            return Fate::Date;
        }
        if is_exif && name.starts_with("OffsetTime") {
            return Fate::Offset;
        }
        if is_exif && name.starts_with("SubSecTime") {
            return Fate::Fraction;
        }
    }
    let is_place = group == "GPS"
        || family == "XMP" && name.starts_with("GPS")
        || ["GPSCoordinates", "LocationInformation"].contains(&name)
        || name.starts_with("GPS")
            && ["Keys", "UserData", "ItemList", "QuickTime"].contains(&group);
    if edit.remove_gps && is_place {
        return Fate::Gone;
    }
    if edit.orientation.is_some() && name == "Orientation" && ["IFD0", "XMP-tiff"].contains(&group)
    {
        return Fate::Turn;
    }
    Fate::Kept
}
