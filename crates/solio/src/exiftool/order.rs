//! The order in which ExifTool makes composites: by module and name, but one that is made of others
//! waits while one of these may still come. Which there are depends on the modules that were needed
//! for this file or one before it, so a session remembers them.

use solio_photo::Tag;
use std::collections::HashSet;

/// Modules that bring composites of their own.
const MODULES: [&str; 10] = [
    "Apple", "Canon", "Kodak", "Nikon", "Olympus", "Panasonic", "Ricoh", "Samsung", "Sony", "XMP",
];

/// Modules that are there from the start.
const ALWAYS: [&str; 4] = ["Exif", "GPS", "IPTC", "FlashPix"];

/// Pictures that two tags frame; ExifTool makes them as it makes composites.
const FRAMED: [&str; 4] = ["ThumbnailImage", "PreviewImage", "OtherImage", "JpgFromRaw"];

/// The composites of photos, sorted.
const KEYS: [&str; 66] = [
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
        _ => &[],
    }
}

/// The modules that were needed so far, a bit each.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Modules(u16);

impl Modules {
    /// Adds those that the groups of a file need.
    pub(super) fn add(&mut self, tags: &[Tag]) {
        for tag in tags {
            let group = tag.group.split('-').next().unwrap_or_default();
            if let Some(n) = MODULES.iter().position(|module| *module == group) {
                self.0 |= 1 << n;
            }
        }
    }

    fn has(self, key: &str) -> bool {
        let module = key.split('-').next().unwrap_or_default();
        let place = MODULES.iter().position(|known| *known == module);
        ALWAYS.contains(&module) || place.is_some_and(|n| self.0 >> n & 1 == 1)
    }
}

/// Whether `tag` is one that ExifTool makes of others.
fn is_made(tag: &Tag) -> bool {
    tag.group == "Composite"
        || FRAMED.contains(&&*tag.name) && (tag.group.starts_with("IFD") || tag.group == "SubIFD")
}

/// Puts the composites behind all others, in ExifTool's order. False where one is not known.
pub(super) fn arrange(tags: &mut Vec<Tag>, modules: Modules) -> bool {
    let (made, mut others): (Vec<Tag>, Vec<Tag>) = std::mem::take(tags).into_iter().partition(is_made);
    let mut made: Vec<Option<Tag>> = made.into_iter().map(Some).collect();
    let groups: HashSet<&str> =
        others.iter().map(|tag| tag.group.split('-').next().unwrap_or_default()).collect();
    let names: HashSet<&str> = others
        .iter()
        .filter(|tag| tag.group == "Canon")
        .map(|tag| &*tag.name)
        .collect();
    let zooms =
        ["DigitalZoom", "ZoomSourceWidth", "ZoomTargetWidth"].iter().all(|name| names.contains(name));
    let has_lens_id = others.iter().any(|tag| tag.group == "XMP-aux" && tag.name == "LensID");
    let can = |key: &str| match key.split_once('-') {
        Some(("XMP", "LensID")) => has_lens_id,
        Some(("Exif" | "IPTC", _)) => true,
        Some((module, _)) => groups.contains(module),
        None => false,
    };
    let mut keys: Vec<&str> = KEYS.into_iter().filter(|key| modules.has(key)).collect();
    let name_of = |key: &'static str| key.split_once('-').map_or(key, |(_, name)| name);
    let mut arranged = Vec::new();
    while !keys.is_empty() {
        let mut waiting: Vec<&str> = keys.iter().map(|key| name_of(key)).collect();
        let mut later = Vec::new();
        for key in &keys {
            let name = name_of(key);
            if inputs(key).iter().any(|input| waiting.contains(input)) {
                later.push(*key);
                continue;
            }
            let tried = name == "ScaleFactor35efl" || name == "DigitalZoom" && zooms;
            let place = made.iter().position(|tag| tag.as_ref().is_some_and(|t| t.name == name));
            let built = place.filter(|_| can(key)).and_then(|place| made[place].take());
            if tried || built.is_some() {
                waiting.retain(|other| *other != name);
            }
            arranged.extend(built);
        }
        if later.len() == keys.len() {
            break;
        }
        keys = later;
    }
    let all_known = made.iter().all(Option::is_none);
    others.append(&mut arranged);
    others.extend(made.into_iter().flatten());
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

    fn arranged(all: &[(&'static str, &'static str)], earlier: &[(&'static str, &'static str)]) -> Vec<String> {
        let mut modules = Modules::default();
        modules.add(&tags(earlier));
        let mut tags = tags(all);
        modules.add(&tags);
        assert!(arrange(&mut tags, modules));
        tags.iter().map(|tag| tag.name.to_string()).collect()
    }

    #[test]
    fn composites_wait_for_those_that_they_are_made_of() {
        let made = ["LightValue", "ShutterSpeed", "CircleOfConfusion", "ScaleFactor35efl", "Aperture"];
        let mut all = vec![("ExifIFD", "FNumber")];
        all.extend(made.map(|name| ("Composite", name)));
        let fresh =
            ["FNumber", "Aperture", "ScaleFactor35efl", "ShutterSpeed", "CircleOfConfusion", "LightValue"];
        assert_eq!(arranged(&all, &[]), fresh);
        // After one of Canon's files a zoom may come first.
        let after =
            ["FNumber", "Aperture", "ShutterSpeed", "LightValue", "ScaleFactor35efl", "CircleOfConfusion"];
        assert_eq!(arranged(&all, &[("Canon", "LensType")]), after);
    }

    #[test]
    fn all_keys_are_sorted() {
        assert!(KEYS.is_sorted());
    }
}
