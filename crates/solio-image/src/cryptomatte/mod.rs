//! Channels whose numbers are names: Cryptomatte ("Cryptomatte Specification", version 1.2.0), and
//! numbers of objects stored as floats. Rounded by one bit, they name something else.

mod matte;

pub use matte::{Cryptomatte, MatteChoice, find, id_of_name, is_channel, list, parse_manifest};
pub(crate) use matte::{of_layer, only};
use solio_exr::header::{Attribute, Part, Text, Value};

/// Where the attributes of a matte begin: `cryptomatte/<key>/name`.
const PREFIX: &str = "cryptomatte/";
/// Digits of a key.
const KEY_DIGITS: usize = 7;
/// Parts of channel names that say that the values are numbers of things.
const IDS: [&str; 14] = [
    "id",
    "ids",
    "assetid",
    "elementid",
    "indexma",
    "indexob",
    "instanceid",
    "materialid",
    "matid",
    "meshid",
    "nodeid",
    "objectid",
    "particleid",
    "primid",
];

/// A matte that the attributes of a part describe.
struct Matte {
    key: String,
    name: String,
}

/// Whether the values of this channel of `part` are ids, by its name or by what Cryptomatte's
/// attributes say.
///
/// ```
/// use solio_exr::header::{Box2i, Part, Value};
/// use solio_exr::{Channel, Compression, PixelType};
/// let channels = ["crypto00.R", "Z"].map(|name| Channel::new(name, PixelType::Float));
/// let mut part = Part::new(Box2i::of_size(1, 1), Compression::Zip, channels.into());
/// part.set("cryptomatte/bda530a/name", Value::Text("crypto".into()));
/// assert!(solio_image::is_id(&part, "crypto00.R") && solio_image::is_id(&part, "ViewLayer.IndexOB.X"));
/// assert!(!solio_image::is_id(&part, "Z") && !solio_image::is_id(&part, "crypto.R"));
/// ```
pub fn is_id(part: &Part, channel: &str) -> bool {
    is_matte(part, channel) || is_number(channel)
}

/// Whether the values are the ids, or the coverage, of Cryptomatte.
pub(crate) fn is_matte(part: &Part, channel: &str) -> bool {
    let is_ranked = layer(channel).is_some();
    let of_name = is_ranked && channel.to_ascii_lowercase().contains("crypto");
    of_name || is_ranked && mattes(part).iter().any(|matte| rest_of(matte, channel).is_some())
}

fn is_number(channel: &str) -> bool {
    let mut words = channel.split('.');
    words.any(|word| {
        let word: String = word.chars().filter(|c| c.is_ascii_alphanumeric()).collect();
        IDS.contains(&word.to_ascii_lowercase().as_str())
    })
}

/// The layer of a channel, where it is one of those with ranks: it ends with two digits.
fn layer(channel: &str) -> Option<&str> {
    let (layer, _) = channel.rsplit_once('.')?;
    let digits = layer.bytes().rev().take_while(u8::is_ascii_digit).count();
    (digits >= 2).then_some(layer)
}

/// What follows the name of a matte in that of a channel.
fn rest_of<'c>(matte: &Matte, channel: &'c str) -> Option<&'c str> {
    channel.strip_prefix(matte.name.as_str()).filter(|rest| !rest.is_empty())
}

fn mattes(part: &Part) -> Vec<Matte> {
    let matte = |attribute: &Attribute| {
        let key = attribute.name.strip_prefix(PREFIX)?.strip_suffix("/name")?;
        let Value::Text(name) = &attribute.value else { return None };
        let name = name.to_string();
        (!name.is_empty()).then(|| Matte { key: key.to_owned(), name })
    };
    part.attributes.iter().filter_map(matte).collect()
}

/// Lets the names, keys and attributes of Cryptomattes follow their channels, which were renamed from the
/// first to the second name of `renamed` (all channels of the part). Says what was done, and which
/// mattes lost channels. To be called by whoever renames channels or layers.
///
/// ```
/// use solio_exr::header::{Box2i, Part, Value};
/// use solio_exr::Compression;
/// let mut part = Part::new(Box2i::of_size(1, 1), Compression::Zip, Vec::new());
/// part.set("cryptomatte/f834d0a/name", Value::Text("crypto_object".into()));
/// let renamed = [("crypto_object00.R".to_owned(), "hero.crypto00.R".to_owned())];
/// let notes = solio_image::cryptomatte::follow(&mut part, &renamed);
/// assert!(notes[0].contains("is called \"hero.crypto\""));
/// assert!(part.get("cryptomatte/f834d0a/name").is_none());
/// ```
pub fn follow(part: &mut Part, renamed: &[(String, String)]) -> Vec<String> {
    let mut notes = Vec::new();
    for matte in mattes(part) {
        let mut of_matte: Vec<_> =
            renamed.iter().filter(|(old, _)| rest_of(&matte, old).is_some()).collect();
        // Those with ranks are the matte; the one without is a picture of it.
        if of_matte.iter().any(|(old, _)| layer(old).is_some()) {
            of_matte.retain(|(old, _)| layer(old).is_some());
        }
        if of_matte.iter().all(|(old, new)| old == new) {
            continue;
        }
        let name = |(old, new): &&(String, String)| {
            new.strip_suffix(rest_of(&matte, old)?)
                .filter(|name| !name.is_empty())
                .map(str::to_owned)
        };
        let names: Option<Vec<String>> = of_matte.iter().map(name).collect();
        let new = names.and_then(|mut names| {
            names.dedup();
            names.pop().filter(|_| names.is_empty())
        });
        let Some(new) = new else {
            notes.push(format!(
                "the Cryptomatte {:?} loses channels that got other names: its name stays",
                matte.name
            ));
            continue;
        };
        let key = key_of(&new);
        let taken = key != matte.key && part.get(&format!("{PREFIX}{key}/name")).is_some();
        if taken {
            notes.push(format!("there are two Cryptomattes {new:?} now: the name of one stays"));
            continue;
        }
        move_attributes(part, &matte.key, &key, &new);
        notes.push(format!(
            "the Cryptomatte {:?} is called {new:?}, with the key {key}",
            matte.name
        ));
    }
    notes
}

fn move_attributes(part: &mut Part, old: &str, new: &str, name: &str) {
    let before = format!("{PREFIX}{old}/");
    let is_moved = |attribute: &Attribute| attribute.name.starts_with(&before);
    let moved: Vec<Attribute> =
        part.attributes.iter().filter(|attribute| is_moved(attribute)).cloned().collect();
    part.attributes.retain(|attribute| !is_moved(attribute));
    for Attribute { name: old, value } in moved {
        part.set(&format!("{PREFIX}{new}/{}", &old[before.len()..]), value);
    }
    part.set(&format!("{PREFIX}{new}/name"), Value::Text(Text::from(name)));
}

/// The key of a matte: the beginning of the hash of its name.
fn key_of(name: &str) -> String {
    let mut key = format!("{:08x}", murmur3(name.as_bytes()));
    key.truncate(KEY_DIGITS);
    key
}

/// `MurmurHash3_x86_32` of Austin Appleby, with the seed 0.
fn murmur3(bytes: &[u8]) -> u32 {
    let mixed =
        |block: u32| block.wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593);
    let (blocks, tail) = bytes.as_chunks::<4>();
    let mut hash = blocks.iter().fold(0_u32, |hash, block| {
        let hash = (hash ^ mixed(u32::from_le_bytes(*block))).rotate_left(13);
        hash.wrapping_mul(5).wrapping_add(0xe654_6b64)
    });
    let last = tail.iter().rev().fold(0_u32, |last, byte| last << 8 | u32::from(*byte));
    hash ^= mixed(last) ^ bytes.len() as u32;
    hash = (hash ^ hash >> 16).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ hash >> 13).wrapping_mul(0xc2b2_ae35);
    hash ^ hash >> 16
}

#[cfg(test)]
mod tests {
    use super::*;
    use solio_exr::Compression;
    use solio_exr::header::Box2i;

    #[test]
    fn keys_are_those_of_the_specification() {
        // Keys that Arnold and Blender write.
        assert_eq!(key_of("crypto_object"), "f834d0a");
        assert_eq!(key_of("ViewLayer.CryptoObject"), "542cafa");
        assert_eq!(murmur3(b""), 0);
        assert_eq!(murmur3(b"hello"), 0x248b_fa47);
    }

    fn part() -> Part {
        let mut part = Part::new(Box2i::of_size(1, 1), Compression::Zip, Vec::new());
        part.set("cryptomatte/f834d0a/name", Value::Text("crypto_object".into()));
        part.set("cryptomatte/f834d0a/manifest", Value::Text("{}".into()));
        part
    }

    fn pairs(all: &[(&str, &str)]) -> Vec<(String, String)> {
        all.iter().map(|(old, new)| ((*old).into(), (*new).into())).collect()
    }

    #[test]
    fn names_of_mattes_follow_their_channels() {
        let mut moved = part();
        let renamed = [
            ("crypto_object.r", "old.r"),
            ("crypto_object00.r", "hero.crypto00.r"),
            ("crypto_object01.a", "hero.crypto01.a"),
            ("R", "R"),
        ];
        let notes = follow(&mut moved, &pairs(&renamed));
        assert_eq!(notes.len(), 1, "{notes:?}");
        let key = key_of("hero.crypto");
        assert_eq!(
            moved.get(&format!("cryptomatte/{key}/name")),
            Some(&Value::Text("hero.crypto".into()))
        );
        assert!(moved.get(&format!("cryptomatte/{key}/manifest")).is_some());
        assert!(moved.attributes.iter().all(|a| !a.name.contains("f834d0a")));
        // Nothing to do.
        let mut same = part();
        assert!(
            follow(&mut same, &pairs(&[("crypto_object00.r", "crypto_object00.r")])).is_empty()
        );
        assert_eq!(same, part());
        // Some channels go elsewhere.
        let split = [("crypto_object00.r", "a00.r"), ("crypto_object01.r", "b01.r")];
        let notes = follow(&mut same, &pairs(&split));
        assert!(notes[0].contains("loses channels"), "{notes:?}");
        assert_eq!(same, part());
    }

    #[test]
    fn ids_are_told_by_attributes_and_names() {
        let part = part();
        let none = Part::new(Box2i::of_size(1, 1), Compression::Zip, Vec::new());
        for name in ["crypto_object00.r", "crypto_object02.A", "ViewLayer.CryptoAsset01.b"] {
            assert!(is_id(&part, name), "{name}");
        }
        assert!(is_id(&none, "uCryptoMaterial00.red"));
        for name in ["id", "objectId", "object_id.X", "ViewLayer.IndexOB.X", "left.primID"] {
            assert!(is_id(&none, name), "{name}");
        }
        for name in ["R", "Z", "crypto_object.r", "identity", "grid.R", "N.X"] {
            assert!(!is_id(&part, name), "{name}");
        }
    }
}
