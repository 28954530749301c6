//! What a file says, in ExifTool's order: which tag of a name counts, and in which groups each is.

use solio_photo::{Tag, Value};
use std::borrow::Cow;
use std::collections::HashMap;

/// The version whose answers these are.
pub(super) const VERSION: &str = "13.58";

/// All tags of one file.
pub(super) struct Listing {
    pub(super) tags: Vec<Tag>,
    /// Of each tag its number among those of its name: 0 for the one that counts.
    pub(super) copies: Vec<u32>,
    /// Of each tag its group of family 0, where it is known.
    pub(super) origins: Vec<Option<&'static str>>,
}

impl Listing {
    pub(super) fn new(tags: Vec<Tag>) -> Self {
        let mut copies = vec![0; tags.len()];
        let mut main = HashMap::<&str, (usize, u32)>::with_capacity(tags.len());
        for (n, tag) in tags.iter().enumerate() {
            match main.get_mut(&*tag.name) {
                None => {
                    main.insert(&tag.name, (n, 0));
                }
                Some((counts, count)) => {
                    *count += 1;
                    let lesser = if tag.group == super::mwg::GROUP || tag.outdoes(&tags[*counts]) {
                        std::mem::replace(counts, n)
                    } else {
                        n
                    };
                    copies[lesser] = *count;
                    copies[*counts] = 0;
                }
            }
        }
        drop(main);
        let mut last: Option<(&str, Option<&'static str>)> = None;
        let origin_of = |tag| {
            let tag: &Tag = tag;
            match last {
                // Tags of a group stand together.
                Some((group, known)) if group == tag.group => known,
                _ => {
                    let known = origin(&tag.group);
                    last = Some((&tag.group, known));
                    known
                }
            }
        };
        let origins = tags.iter().map(origin_of).collect();
        Listing { tags, copies, origins }
    }
}

/// The group of family 0: where a group's metadata come from. `None`: not known.
pub(super) fn origin(group: &str) -> Option<&'static str> {
    const MAKERS: [&str; 28] = [
        "Apple",
        "Canon",
        "CanonCustom",
        "CanonRaw",
        "Casio",
        "DJI",
        "FLIR",
        "FujiFilm",
        "Google",
        "HP",
        "JVC",
        "Kodak",
        "Leica",
        "Minolta",
        "MinoltaRaw",
        "Motorola",
        "Nikon",
        "NikonCustom",
        "NikonSettings",
        "Nintendo",
        "Olympus",
        "Panasonic",
        "Pentax",
        "PreviewIFD",
        "Reconyx",
        "Ricoh",
        "Samsung",
        "Sanyo",
    ];
    const OTHERS: [(&str, &str); 25] = [
        ("ExifTool", "ExifTool"),
        ("System", "File"),
        ("File", "File"),
        ("Composite", "Composite"),
        ("MWG", "Composite"),
        ("JFIF", "JFIF"),
        ("JFXX", "JFIF"),
        ("IFD0", "EXIF"),
        ("IFD1", "EXIF"),
        ("ExifIFD", "EXIF"),
        ("GPS", "EXIF"),
        ("InteropIFD", "EXIF"),
        ("SubIFD", "EXIF"),
        ("SubIFD1", "EXIF"),
        ("IPTC", "IPTC"),
        ("Photoshop", "Photoshop"),
        ("PrintIM", "PrintIM"),
        ("Sigma", "MakerNotes"),
        ("Sony", "MakerNotes"),
        ("Adobe", "APP14"),
        ("FlashPix", "FlashPix"),
        ("PictureInfo", "APP12"),
        ("Ducky", "Ducky"),
        ("GoPro", "APP6"),
        ("PNG", "PNG"),
    ];
    if let Some((_, origin)) = OTHERS.iter().find(|(known, _)| *known == group) {
        return Some(origin);
    }
    match group {
        _ if MAKERS.contains(&group) => Some("MakerNotes"),
        _ if group.starts_with("XMP-") => Some("XMP"),
        _ if group.starts_with("ICC-") || group == "ICC_Profile" => Some("ICC_Profile"),
        _ if group.starts_with("MPF") || group.starts_with("MPImage") => Some("MPF"),
        _ => None,
    }
}

/// Whether `tag` is in the group `wanted`, in small letters, of family 0 or 1.
pub(super) fn is_in(tag: &Tag, wanted: &str) -> bool {
    tag.group.eq_ignore_ascii_case(wanted)
        || origin(&tag.group).is_some_and(|origin| origin.eq_ignore_ascii_case(wanted))
}

/// The names of the groups of `families`, as `-G` shows them.
pub(super) fn groups<'t>(tag: &'t Tag, copy: u32, families: &[u8]) -> Cow<'t, str> {
    let one = |family: u8| -> Cow<'t, str> {
        match family {
            0 => origin(&tag.group).map_or(Cow::Borrowed(&*tag.group), Cow::Borrowed),
            1 => Cow::Borrowed(&*tag.group),
            _ if copy == 0 => Cow::Borrowed(""),
            _ => Cow::Owned(format!("Copy{copy}")),
        }
    };
    if let [family] = families {
        return one(*family);
    }
    let mut shown: Vec<Cow<'t, str>> = Vec::new();
    for family in families {
        let group = one(*family);
        if !shown.contains(&group) && !group.is_empty() {
            shown.push(group);
        }
    }
    Cow::Owned(shown.join(":"))
}

/// A tag of the program itself.
pub(super) fn of_program(name: &'static str, text: &str) -> Tag {
    let value = || Value::Text(text.to_owned());
    Tag::stated("ExifTool", name, value(), value())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_name_one_tag_counts() {
        let tag = |group: &'static str| {
            Tag::stated(group, "Make", Value::Text(group.into()), Value::Text(group.into()))
        };
        let listing = Listing::new(vec![tag("IFD1"), tag("IFD0"), tag("XMP-tiff")]);
        assert_eq!(listing.copies, [1, 0, 2]);
        assert!(is_in(&listing.tags[1], "exif") && is_in(&listing.tags[2], "xmp"));
        assert_eq!(groups(&listing.tags[1], 0, &[0, 1]), "EXIF:IFD0");
        assert_eq!(groups(&tag("Composite"), 0, &[0, 1]), "Composite");
        assert_eq!(groups(&listing.tags[0], 1, &[4]), "Copy1");
    }
}
