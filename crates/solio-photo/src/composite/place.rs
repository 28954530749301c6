//! Where a picture or film was made: with signs, of EXIF, XMP or a film's own coordinates.

use super::{GROUP, as_printed, find, put};
use crate::gather::Gather;
use crate::metadata::Tag;
use crate::number::plain;
use crate::rule::{Named, TagRule};
use crate::value::Value;

pub(super) fn compute(gather: &mut Gather<'_>) {
    let coordinate = |name: &str, reference: &str, negative: char| {
        let value = gather.counting("GPS", name)?.number().number(0)?;
        let reference = gather.counting("GPS", reference)?.number().plain();
        let sign = if reference.to_ascii_uppercase().starts_with(negative) { -1.0 } else { 1.0 };
        (!reference.is_empty()).then_some(value * sign)
    };
    let film = film(gather);
    let of_film = |n: usize| film.get(n).copied();
    let made = [
        ("GPSLatitude", coordinate("GPSLatitude", "GPSLatitudeRef", 'S').or_else(|| of_film(0))),
        ("GPSLongitude", coordinate("GPSLongitude", "GPSLongitudeRef", 'W').or_else(|| of_film(1))),
        ("GPSDestLatitude", coordinate("GPSDestLatitude", "GPSDestLatitudeRef", 'S')),
        ("GPSDestLongitude", coordinate("GPSDestLongitude", "GPSDestLongitudeRef", 'W')),
    ];
    let side = |name, negative, positive| {
        let value = gather.counting("XMP-exif", name)?.number().number(0)?;
        Some(if value < 0.0 { negative } else { positive })
    };
    let sides = [
        ("GPSLatitudeRef", side("GPSLatitude", "S", "N"), "S:South|N:North"),
        ("GPSLongitudeRef", side("GPSLongitude", "W", "E"), "W:West|E:East"),
        ("GPSDestLatitudeRef", side("GPSDestLatitude", "S", "N"), "S:South|N:North"),
        ("GPSDestLongitudeRef", side("GPSDestLongitude", "W", "E"), "W:West|E:East"),
    ];
    for (name, value, words) in sides {
        if let Some(value) = value {
            gather.put(GROUP, name, Value::text(value), TagRule::Words { words, hex: false });
        }
    }
    for (name, value) in made {
        if let Some(value) = value {
            let latitude = name.ends_with("Latitude");
            put(gather, name, value, if latitude { Named::Latitude } else { Named::Longitude });
        }
    }
    position(gather);
    altitude(gather, of_film(2));
}

/// Latitude, longitude and, where it is known, altitude of a film.
fn film(gather: &Gather<'_>) -> Vec<f64> {
    let is_it = |tag: &&Tag| tag.name == "GPSCoordinates" && tag.family() == "QuickTime";
    let text = gather.tags.iter().rfind(is_it).map(|tag| tag.number().plain());
    let Some(text) = text else { return film_of_3gpp(gather) };
    text.split(' ').map(str::parse).collect::<Result<_, _>>().unwrap_or_default()
}

/// The same as 3GPP has it: `IptcHome Role=shooting Lat=-33.50000 Lon=-70.25000 Alt=12.50`.
fn film_of_3gpp(gather: &Gather<'_>) -> Vec<f64> {
    let tag = gather.counting("UserData", super::LOCATION);
    let text = tag.map(|tag| tag.number().plain()).unwrap_or_default();
    let number = |what| text.split(' ').find_map(|word| word.strip_prefix(what)?.parse().ok());
    ["Lat=", "Lon=", "Alt="].into_iter().map_while(number).collect()
}

/// Both coordinates that count, whoever tells them.
fn position(gather: &mut Gather<'_>) {
    let side = |name: &str, rule: Named| {
        let tag = find(gather, name)?;
        let degrees = tag.number().number(0).filter(|degrees| degrees.is_finite())?;
        // OpenEXR's angles have a sign.
        let words = match &*tag.group {
            "OpenEXR" => rule.text(&Value::Floats(vec![degrees])),
            _ => tag.text(),
        };
        Some((degrees, words.plain()))
    };
    let north = side("GPSLatitude", Named::Latitude);
    if let Some((north, east)) = north.zip(side("GPSLongitude", Named::Longitude)) {
        let numbers = Value::Floats(vec![north.0, east.0]);
        let words = Value::Text(format!("{}, {}", north.1, east.1));
        gather.put(GROUP, "GPSPosition", Value::List(vec![numbers, words]), TagRule::Both);
    }
}

/// The altitude with its sign: EXIF's, else that of XMP; `film`: a film's.
fn altitude(gather: &mut Gather<'_>, film: Option<f64>) {
    let of = |group: &str| {
        let value = gather.counting(group, "GPSAltitude")?.number().number(0)?;
        let reference = gather.counting(group, "GPSAltitudeRef")?;
        let below = matches!(reference.number().integer(0)?, 1 | 3);
        let words = reference.text().plain();
        let signed = if below { -value.abs() } else { value };
        let (shown, words) = match words.as_str() {
            "Above Sea Level" | "Below Sea Level" => (value, words.as_str()),
            _ if signed < 0.0 => (-signed, "Below Sea Level"),
            _ => (signed, "Above Sea Level"),
        };
        let words = format!("{} m {words}", plain((shown * 10.0).trunc() / 10.0));
        value.is_finite().then_some((signed, words))
    };
    let own = of("GPS").or_else(|| of("XMP-exif"));
    let film = film.filter(|_| own.is_none());
    let found =
        own.or_else(|| film.map(|metres| (metres.abs(), format!("{} m", plain(metres.abs())))));
    if let Some((metres, words)) = found {
        let both = vec![Value::Floats(vec![as_printed(metres)]), Value::Text(words)];
        gather.put(GROUP, "GPSAltitude", Value::List(both), TagRule::Both);
    }
    if let Some(metres) = film {
        let rule = TagRule::Words { words: "0:Above Sea Level|1:Below Sea Level", hex: false };
        gather.put(GROUP, "GPSAltitudeRef", Value::int(i64::from(metres < 0.0)), rule);
    }
}
