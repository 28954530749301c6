//! Which lens it was: what the camera says, made more exact by what the picture says.

use super::{both, number, text, words};
use crate::gather::Gather;
use crate::metadata::Tag;
use crate::number::plain;
use crate::rule::TagRule;

const GROUP: &str = super::GROUP;

/// Adds the lens' reach and name.
pub(super) fn compute(gather: &mut Gather<'_>, scale: Option<f64>) {
    let canon = |name: &str| gather.counting("Canon", name)?.number().number(0);
    if let (Some(short), Some(long)) = (canon("MinFocalLength"), canon("MaxFocalLength")) {
        let range = range(short, long);
        gather.put(GROUP, "Lens", both(plain(short), &range), TagRule::Both);
        if let Some(scale) = scale {
            let film = self::range(short * scale, long * scale);
            let shown = format!("{range} (35 mm equivalent: {film})");
            let value = both(plain(short * scale), &shown);
            gather.put(GROUP, "Lens35efl", value, TagRule::Both);
        }
    }
    super::maker::lens_spec(gather);
    if let Some((id, name)) = id(gather) {
        gather.put(GROUP, "LensID", both(id, &name), TagRule::Both);
    }
}

fn range(short: f64, long: f64) -> String {
    if short == long { format!("{short:.1} mm") } else { format!("{short:.1} - {long:.1} mm") }
}

/// Number and name of the lens.
fn id(gather: &Gather<'_>) -> Option<(String, String)> {
    if let Some(found) = nikon(gather).or_else(|| nikon_of_packet(gather)) {
        return Some(found);
    }
    let kind = gather.tags.iter().find(|t| t.name == "LensType" && t.group != "Nikon");
    if let Some(kind) = kind.filter(|kind| !kind.number().plain().trim().is_empty()) {
        return Some((kind.number().plain(), name_of(kind, gather)));
    }
    let model = text(gather, "LensModel").filter(|model| !model.trim().is_empty());
    let lens = || {
        let packet = gather.tags.iter().find(|t| t.group == "XMP-aux" && t.name == "Lens")?;
        gather.counting("XMP-aux", "LensID").is_none().then(|| packet.number().plain())
    };
    // Names that tell nothing of the lens but its name are none to know it by.
    let named = |model: &String| names_length(model);
    let model = model.filter(named).or_else(|| lens().filter(named))?;
    // The aperture stands apart from the length.
    Some((model.clone(), model.replacen("mmF", "mm F", 1).replacen(" mm", "mm", 1)))
}

/// Whether a lens is called by its length or aperture: `50mm`, `50/F2`.
fn names_length(model: &str) -> bool {
    let has_aperture = |w: &[u8]| w[0].is_ascii_digit() && w.ends_with(b"/F");
    model.contains("mm") || model.as_bytes().windows(3).any(has_aperture)
}

/// Eight bytes of Nikon's notes tell its lenses apart.
fn nikon(gather: &Gather<'_>) -> Option<(String, String)> {
    const PARTS: [&str; 8] = [
        "LensIDNumber",
        "LensFStops",
        "MinFocalLength",
        "MaxFocalLength",
        "MaxApertureAtMinFocal",
        "MaxApertureAtMaxFocal",
        "MCUVersion",
        "LensType",
    ];
    let byte = |name: &str| gather.counting("Nikon", name)?.value.integer(0);
    let bytes: Option<Vec<String>> =
        PARTS.iter().map(|name| Some(format!("{:02X}", byte(name)? & 0xff))).collect();
    let mut bytes = bytes?;
    let id = bytes.join(" ");
    // Some lenses are known without their number of stops.
    bytes[1] = "00".into();
    for id in [&id, &bytes.join(" ")] {
        if let Some(name) = shared("nikon", id).next() {
            return Some((id.clone(), name.to_owned()));
        }
    }
    let name = format!("Unknown ({id})");
    Some((id, name))
}

/// The same eight bytes as one number, which is how packets have them.
fn nikon_of_packet(gather: &Gather<'_>) -> Option<(String, String)> {
    let number = gather.counting("XMP-aux", "LensID")?.number().plain();
    let bytes = number.parse::<i64>().ok().filter(|n| n.unsigned_abs() > 1 << 40)?.to_be_bytes();
    let id = bytes.map(|byte| format!("{byte:02X}")).join(" ");
    let name = shared("nikon", &id).next().map(str::to_owned);
    let name = name.unwrap_or_else(|| {
        let reach = gather.counting("XMP-aux", "LensInfo").map(words).unwrap_or_default();
        let reach = reach.split(' ').next().unwrap_or_default();
        format!("Unknown ({id}) {reach}").trim_end().to_owned()
    });
    Some((number, name))
}

/// The lenses that have this number.
fn shared(maker: &str, number: &str) -> impl Iterator<Item = &'static str> {
    include_str!("../../tables/lenses.tsv").lines().filter_map(move |line| {
        line.strip_prefix(maker)?.strip_prefix('\t')?.strip_prefix(number)?.strip_prefix('\t')
    })
}

/// The lens' name; of several with one number those that fit the picture.
fn name_of(kind: &Tag, gather: &Gather<'_>) -> String {
    let mut kind = kind;
    let mut maker = kind.group.to_lowercase();
    let none = |tag: &Tag| tag.number().integer(0) == Some(0xffff);
    if maker == "sony" && none(kind) {
        // The lens is none of the first mount's; two other places name it.
        let real = |name: &str| {
            gather.counting("Sony", name).filter(|t| t.number().number(0).is_some_and(|n| n > 0.0))
        };
        let own = real("LensType2").or_else(|| real("LensType3"));
        if own.is_some() {
            maker.push_str("_e");
        }
        kind = own.unwrap_or(kind);
    }
    let number = kind.number().plain();
    // Of Panasonic's the aperture stands behind the length.
    let name = words(kind).replacen("/F", "mm F", 1);
    let list: Vec<&str> = shared(&maker, &number).collect();
    if list.is_empty() {
        let missing = name == "n/a" || name.starts_with("Unknown");
        let range = focal_range(gather).filter(|_| missing);
        return range.map_or(name, |(short, long)| {
            let (short, long) = (short.trunc(), long.trunc());
            if short == long {
                format!("Unknown {short}mm")
            } else {
                format!("Unknown {short}-{long}mm")
            }
        });
    }
    let model = text(gather, "LensModel").unwrap_or_default();
    let mut best = fitting(&list, gather, &model);
    // Sony's lenses say what is written on them.
    if let Some(spec) = gather.counting("Sony", "LensSpec").map(words).filter(|_| best.len() > 1) {
        let written = |name: &&str| {
            let behind = name.split_once(&*spec).map(|(_, behind)| behind);
            behind.is_some_and(|behind| behind.is_empty() || behind.starts_with(" ("))
        };
        if best.iter().any(written) {
            best.retain(|name| written(name));
        }
    }
    if best.is_empty() { name } else { best.join(" or ") }
}

fn focal_range(gather: &Gather<'_>) -> Option<(f64, f64)> {
    let (short, long) = (number(gather, "MinFocalLength")?, number(gather, "MaxFocalLength")?);
    Some((short, long))
}

/// Those of `list` whose length and aperture the picture can have been taken with.
fn fitting<'l>(list: &[&'l str], gather: &Gather<'_>, model: &str) -> Vec<&'l str> {
    let focal = number(gather, "FocalLength");
    let aperture = ["MaxAperture", "MaxApertureValue"].into_iter().find_map(|n| number(gather, n));
    let range = focal_range(gather).filter(|(short, _)| *short > 0.0);
    let fits = |name: &&&str| {
        let Some(reach) = LensReach::of(name) else { return false };
        let near = |a: f64, b: f64| (a - b).abs() < 0.5;
        let by_range =
            range.is_none_or(|(short, long)| near(reach.short, short) && near(reach.long, long));
        let by_focal = focal.is_none_or(|f| f > reach.short - 0.5 && f < reach.long + 0.5);
        by_range && by_focal
    };
    let mut found: Vec<&str> = list.iter().filter(fits).copied().collect();
    // Of these the ones whose widest aperture at this length is nearest to the picture's.
    if let Some(aperture) = aperture {
        const NEAR: f64 = 0.15;
        let away = |name: &str| {
            let reach = LensReach::of(name)?;
            Some((reach.widest_at(focal.unwrap_or(reach.short)) - aperture).abs())
        };
        let least = found.iter().filter_map(|name| away(name)).min_by(f64::total_cmp);
        let least = least.unwrap_or(0.0);
        found.retain(|name| away(name).is_none_or(|away| away <= least + NEAR));
    }
    // A name that the lens gives itself counts more than what was guessed.
    let bare = |name: &str| name.replace(' ', "").to_lowercase();
    let spelt = bare(model);
    let same: Vec<&str> = found.iter().filter(|n| bare(n).ends_with(&spelt)).copied().collect();
    if !spelt.is_empty() && !same.is_empty() {
        return same;
    }
    let maker = |name: &str| name.split(' ').next().unwrap_or_default().to_owned();
    let one_maker = found.iter().all(|name| maker(name) == maker(found[0]));
    let says = one_maker && model.contains(" F");
    let own = |name: &&&str| says && name.to_lowercase().contains(&model.to_lowercase());
    let named: Vec<&str> = found.iter().filter(own).copied().collect();
    match (named.is_empty(), found.is_empty()) {
        (false, _) => {
            named.into_iter().max_by_key(|n| std::cmp::Reverse(n.len())).into_iter().collect()
        }
        (true, false) => found,
        _ => Vec::new(),
    }
}

/// What a lens' name says of it: `28-70mm f/2.8-4`.
struct LensReach {
    short: f64,
    long: f64,
    wide: f64,
    narrow: f64,
}

impl LensReach {
    /// The widest aperture at a length: between the ends both go by factors.
    fn widest_at(&self, focal: f64) -> f64 {
        if self.short >= self.long || focal <= self.short || self.wide <= 0.0 {
            return self.wide;
        }
        let part = (focal / self.short).ln() / (self.long / self.short).ln();
        self.wide * (self.narrow / self.wide).powf(part.min(1.0))
    }

    fn of(name: &str) -> Option<LensReach> {
        let (before, after) = name.split_once("mm ")?;
        let length = before.rsplit(' ').next()?;
        let pair = |text: &str| {
            let (first, second) = text.split_once('-').unwrap_or((text, text));
            Some((crate::number::first(first)?, crate::number::first(second)?))
        };
        let (short, long) = pair(length)?;
        let light = after.trim_start_matches("f/").trim_start_matches('F');
        let (wide, narrow) = pair(light.split(' ').next()?).unwrap_or((0.0, 100.0));
        Some(LensReach { short, long, wide, narrow })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_length_and_aperture() {
        let reach = LensReach::of("Sigma AF 28-300mm F3.5-6.3 DL IF").unwrap();
        assert_eq!([reach.short, reach.long, reach.wide, reach.narrow], [28.0, 300.0, 3.5, 6.3]);
        let reach = LensReach::of("Canon EF 300mm f/2.8L USM").unwrap();
        assert_eq!([reach.short, reach.long, reach.wide, reach.narrow], [300.0, 300.0, 2.8, 2.8]);
        assert!(LensReach::of("Manual Lens No CPU").is_none());
        let lines = include_str!("../../tables/lenses.tsv").lines().filter(|l| !l.starts_with('#'));
        let names: Vec<&str> = lines.map(|line| line.split('\t').nth(2).unwrap_or("")).collect();
        let known = names.iter().filter(|name| LensReach::of(name).is_some()).count();
        assert!(known * 10 > names.len() * 9, "{known} of {}", names.len());
    }
}
