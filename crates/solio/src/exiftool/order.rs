//! The order in which ExifTool makes composites: by module and name, but one that is made of others
//! waits while one of these may still come. Which there are depends on the modules that were needed
//! for this file or one before it, so a session remembers them.

use super::mwg;
use solio_photo::Tag;
use std::sync::OnceLock;

/// Modules that bring composites of their own.
const MODULES: [&str; 11] = [
    "Apple",
    "Canon",
    "Kodak",
    "MWG",
    "Nikon",
    "Olympus",
    "Panasonic",
    "Ricoh",
    "Samsung",
    "Sony",
    "XMP",
];

/// Modules that are there from the start.
const ALWAYS: [&str; 4] = ["Exif", "GPS", "IPTC", "MPF"];

/// The composites of photos, sorted.
const KEYS: [&str; 74] = [
    "Apple-RunTimeSincePowerUp",
    "Canon-ConditionalFEC",
    "Canon-DigitalZoom",
    "Canon-DriveMode",
    "Canon-FileNumber",
    "Canon-FlashType",
    "Canon-ISO",
    "Canon-Lens",
    "Canon-Lens35efl",
    "Canon-OriginalDecisionData",
    "Canon-RedEyeReduction",
    "Canon-ShootingMode",
    "Canon-ShutterCurtainHack",
    "Canon-WB_RGGBLevels",
    "Exif-Aperture",
    "Exif-BlueBalance",
    "Exif-CFAPattern",
    "Exif-CircleOfConfusion",
    "Exif-DOF",
    "Exif-DateTimeOriginal",
    "Exif-FOV",
    "Exif-FocalLength35efl",
    "Exif-GPSPosition",
    "Exif-HyperfocalDistance",
    "Exif-ImageSize",
    "Exif-JpgFromRaw",
    "Exif-LensID",
    "Exif-LightValue",
    "Exif-Megapixels",
    "Exif-OtherImage",
    "Exif-PreviewImage",
    "Exif-PreviewImageSize",
    "Exif-RedBalance",
    "Exif-ScaleFactor35efl",
    "Exif-ShutterSpeed",
    "Exif-SubSecCreateDate",
    "Exif-SubSecDateTimeOriginal",
    "Exif-SubSecModifyDate",
    "Exif-ThumbnailImage",
    "GPS-GPSAltitude",
    "GPS-GPSDateTime",
    "GPS-GPSDestLatitude",
    "GPS-GPSDestLongitude",
    "GPS-GPSLatitude",
    "GPS-GPSLongitude",
    "IPTC-DateTimeCreated",
    "IPTC-DigitalCreationDateTime",
    "Kodak-DateCreated",
    "Kodak-WB_RGBLevels",
    "MPF-MPImage",
    "MWG-Copyright",
    "MWG-CreateDate",
    "MWG-Creator",
    "MWG-DateTimeOriginal",
    "MWG-Description",
    "MWG-ModifyDate",
    "MWG-Orientation",
    "Nikon-AutoFocus",
    "Nikon-ContrastDetectAF",
    "Nikon-LensID",
    "Nikon-LensSpec",
    "Nikon-PhaseDetectAF",
    "Olympus-ExtenderStatus",
    "Olympus-LensType",
    "Panasonic-AdvancedSceneMode",
    "Ricoh-LensID",
    "Samsung-WB_RGGBLevels",
    "Sony-FocusDistance2",
    "XMP-Flash",
    "XMP-GPSDestLatitudeRef",
    "XMP-GPSDestLongitudeRef",
    "XMP-GPSLatitudeRef",
    "XMP-GPSLongitudeRef",
    "XMP-LensID",
];

/// What a composite waits for.
fn inputs(key: &str) -> &'static [&'static str] {
    match key {
        "Canon-Lens35efl" | "Exif-CircleOfConfusion" | "Exif-FOV" | "Exif-FocalLength35efl" => {
            &["ScaleFactor35efl", "Lens"]
        }
        "Exif-DOF" | "Exif-HyperfocalDistance" => &["Aperture", "CircleOfConfusion"],
        "Exif-LightValue" => &["Aperture", "ShutterSpeed", "ISO"],
        "Exif-ScaleFactor35efl" => &["DigitalZoom"],
        "Exif-GPSPosition" => &["GPSLatitude", "GPSLongitude"],
        "Exif-Megapixels" => &["ImageSize"],
        "Exif-BlueBalance" | "Exif-RedBalance" => &["WB_RGGBLevels", "WB_RGBLevels"],
        "Exif-LensID" => &["LensType"],
        "XMP-Flash" => &["Megapixels"],
        _ if key.starts_with("MWG-") => &["Megapixels"],
        _ => &[],
    }
}

/// The modules that were needed so far, a bit each.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Modules(u16);

impl Modules {
    /// Adds those that the groups of a file need.
    pub(super) fn add(&mut self, tags: &[Tag]) {
        let mut last = "";
        for tag in tags {
            // Tags of a group stand together.
            if tag.group != last {
                last = &tag.group;
                self.0 |= Modules::of(last);
            }
        }
    }

    /// Adds the module of a note of `make` from which nothing was read.
    pub(super) fn add_make(&mut self, make: &str) {
        let known = MODULES.iter().position(|module| {
            make.get(..module.len()).is_some_and(|start| start.eq_ignore_ascii_case(module))
        });
        self.0 |= known.map_or(0, |n| 1 << n);
    }

    /// The module that a group needs.
    fn of(group: &str) -> u16 {
        let known = MODULES.iter().position(|module| {
            group.strip_prefix(module).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        });
        known.map_or(0, |n| 1 << n)
    }
}

/// A composite's name and what it waits for, as numbers of names; the module that brings it.
struct Made {
    name: &'static str,
    bit: u128,
    inputs: u128,
    module: Module,
    is_mwg: bool,
}

#[derive(Clone, Copy)]
enum Module {
    Always,
    Numbered(u16),
    Missing,
}

/// [`KEYS`], as numbers.
fn made() -> &'static [Made] {
    static MADE: OnceLock<Vec<Made>> = OnceLock::new();
    MADE.get_or_init(|| {
        let mut names: Vec<&str> = Vec::new();
        let mut bit = |name: &'static str| {
            let place = names.iter().position(|known| *known == name);
            1 << place.unwrap_or_else(|| {
                names.push(name);
                names.len() - 1
            })
        };
        let one = |key: &&'static str| {
            let (module, name) = key.split_once('-').unwrap_or(("", key));
            let number = MODULES.iter().position(|known| *known == module);
            let module = match number {
                Some(n) => Module::Numbered(1 << n),
                None if ALWAYS.contains(&module) => Module::Always,
                None => Module::Missing,
            };
            let inputs = inputs(key).iter().fold(0, |all, input| all | bit(input));
            Made { name, bit: bit(name), inputs, module, is_mwg: key.starts_with("MWG-") }
        };
        KEYS.iter().map(one).collect()
    })
}

/// Whether `tag` is one that ExifTool makes of others.
pub(super) fn is_made(tag: &Tag, tags: &[Tag]) -> bool {
    if tag.group == "Composite" || tag.group == mwg::GROUP {
        return true;
    }
    let start = match &*tag.name {
        "ThumbnailImage" => "ThumbnailOffset",
        "PreviewImage" if tag.group.starts_with("MPImage") => return true,
        "PreviewImage" => "PreviewImageStart",
        "OtherImage" => "OtherImageStart",
        "JpgFromRaw" => "JpgFromRawStart",
        name => {
            let number = name.strip_prefix("MPImage").unwrap_or_default();
            return !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
        }
    };
    // Two tags frame it; where only the data stand in an entry, they are a tag as others are.
    tags.iter().any(|other| other.name == start && other.group == tag.group)
}

/// The name under which the order knows a tag.
fn known_name(tag: &Tag) -> &str {
    if tag.group.starts_with("MPImage") { "MPImage" } else { &tag.name }
}

/// Puts the composites behind all others, in ExifTool's order. False where one is not known.
pub(super) fn arrange(tags: &mut Vec<Tag>, modules: Modules) -> bool {
    let is_composite: Vec<bool> = tags.iter().map(|tag| is_made(tag, tags)).collect();
    let mut which = is_composite.into_iter();
    let (found, mut others): (Vec<Tag>, Vec<Tag>) =
        std::mem::take(tags).into_iter().partition(|_| which.next() == Some(true));
    let mut found: Vec<Option<Tag>> = found.into_iter().map(Some).collect();
    let mut here = 0;
    let mut zooms = 0;
    let mut has_lens_id = false;
    let mut last = "";
    for tag in &others {
        if tag.group != last {
            last = &tag.group;
            here |= Modules::of(last);
        }
        match (&*tag.group, &*tag.name) {
            ("Canon", "DigitalZoom" | "ZoomSourceWidth" | "ZoomTargetWidth") => zooms += 1,
            ("XMP-aux", "LensID") => has_lens_id = true,
            _ => {}
        }
    }
    let has = |module: Module, of: u16| match module {
        Module::Always => true,
        Module::Numbered(bit) => of & bit != 0,
        Module::Missing => false,
    };
    let mut keys: Vec<&Made> = made().iter().filter(|key| has(key.module, modules.0)).collect();
    let mut arranged = Vec::with_capacity(found.len());
    while !keys.is_empty() {
        let mut waiting = keys.iter().fold(0, |all, key| all | key.bit);
        let mut later = Vec::new();
        for key in &keys {
            if key.inputs & waiting != 0 {
                later.push(*key);
                continue;
            }
            let tried = key.name == "ScaleFactor35efl" || key.name == "DigitalZoom" && zooms >= 3;
            let mut built = false;
            let is_xmp =
                matches!(key.module, Module::Numbered(bit) if bit == 1 << (MODULES.len() - 1));
            let here = here | if key.is_mwg { modules.0 } else { 0 };
            if has(key.module, here) && (!(is_xmp && key.name == "LensID") || has_lens_id) {
                for tag in &mut found {
                    let is_it = |tag: &Tag| {
                        known_name(tag) == key.name && (tag.group == mwg::GROUP) == key.is_mwg
                    };
                    if tag.as_ref().is_some_and(is_it) {
                        arranged.extend(tag.take());
                        built = true;
                        if key.name != "MPImage" {
                            break;
                        }
                    }
                }
            }
            if tried || built {
                waiting &= !key.bit;
            }
        }
        if later.len() == keys.len() {
            break;
        }
        keys = later;
    }
    let all_known = found.iter().all(Option::is_none);
    others.append(&mut arranged);
    others.extend(found.into_iter().flatten());
    *tags = others;
    all_known
}

#[cfg(test)]
mod tests {
    use super::*;
    use solio_photo::Value;

    fn tags(all: &[(&'static str, &'static str)]) -> Vec<Tag> {
        let text = || Value::Text(String::new());
        all.iter().map(|(group, name)| Tag::stated(*group, *name, text(), text())).collect()
    }

    fn arranged(
        all: &[(&'static str, &'static str)],
        earlier: &[(&'static str, &'static str)],
    ) -> Vec<String> {
        let mut modules = Modules::default();
        modules.add(&tags(earlier));
        let mut tags = tags(all);
        modules.add(&tags);
        assert!(arrange(&mut tags, modules));
        tags.iter().map(|tag| tag.name.to_string()).collect()
    }

    #[test]
    fn composites_wait_for_those_that_they_are_made_of() {
        let made =
            ["LightValue", "ShutterSpeed", "CircleOfConfusion", "ScaleFactor35efl", "Aperture"];
        let mut all = vec![("ExifIFD", "FNumber")];
        all.extend(made.map(|name| ("Composite", name)));
        let fresh = [
            "FNumber",
            "Aperture",
            "ScaleFactor35efl",
            "ShutterSpeed",
            "CircleOfConfusion",
            "LightValue",
        ];
        assert_eq!(arranged(&all, &[]), fresh);
        // After one of Canon's files a zoom may come first.
        let after = [
            "FNumber",
            "Aperture",
            "ShutterSpeed",
            "LightValue",
            "ScaleFactor35efl",
            "CircleOfConfusion",
        ];
        assert_eq!(arranged(&all, &[("Canon", "LensType")]), after);
    }

    #[test]
    fn all_keys_are_sorted() {
        assert!(KEYS.is_sorted());
    }
}
