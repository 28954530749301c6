//! What single makers' tags say together.

use super::{both, number, text, words};
use crate::gather::Gather;
use crate::metadata::Tag;
use crate::number::plain;
use crate::rule::{Named, TagRule, look_up};
use crate::value::Value;
use solio_container::tiff::tags;

const GROUP: &str = super::GROUP;

/// How many points of focus there are, by Nikon's number for how they lie.
const SCHEMAS: &str = "0:Off|1:On (51-point)|2:On (11-point)|3:On (39-point)|4:On (73-point)|5:On (5)|\
    6:On (105-point)|7:On (153-point)|9:On (105-point)";

/// Adds what the makers' tags allow.
pub(super) fn compute(gather: &mut Gather<'_>) {
    canon(gather);
    canon_flash(gather);
    let mut made = Vec::new();
    let of = |group: &str, name: &str| gather.counting(group, name);
    let [method, schema] = ["AFDetectionMethod", "FocusPointSchema"]
        .map(|name| of("Nikon", name).and_then(|tag| tag.number().integer(0)));
    let manual = of("Nikon", "FocusMode").map(|mode| mode.text().plain().starts_with("Manual"));
    let contrast = method.map(|method| if manual == Some(true) { 0 } else { method });
    let phase = method.zip(schema).map(|(method, schema)| if method == 1 { 0 } else { schema });
    let focused = match manual {
        Some(manual) => Some(!manual),
        None => phase.map(|phase| phase != 0 || contrast != Some(0)),
    };
    for (name, number, words) in
        [("ContrastDetectAF", contrast, "0:Off|1:On"), ("PhaseDetectAF", phase, SCHEMAS)]
    {
        if let Some(number) = number {
            let word = look_up(words, &number.to_string()).map(str::to_owned);
            let word = word.unwrap_or_else(|| format!("Unknown ({number})"));
            made.push((name, both(number, &word)));
        }
    }
    if let Some(on) = focused {
        made.push(("AutoFocus", both(i64::from(on), if on { "On" } else { "Off" })));
    }
    if let Some(distance) = sony_distance(gather) {
        made.push(("FocusDistance2", distance));
    }
    if let Some(status) = extender(gather) {
        let word = look_up("0:Not attached|1:Attached|2:Removed", &status.to_string());
        made.push(("ExtenderStatus", both(status, word.unwrap_or_default())));
    }
    if let Some(mode) = scene(gather) {
        made.push(("AdvancedSceneMode", mode));
    }
    if let (Some(year), Some(day)) = (of("Kodak", "YearCreated"), of("Kodak", "MonthDayCreated")) {
        let date = format!("{}:{}", year.number().plain(), day.number().plain());
        made.push(("DateCreated", both(date.clone(), &date)));
    }
    if let (Some(value), Some(scale)) = (of("Apple", "RunTimeValue"), of("Apple", "RunTimeScale"))
        && let (Some(value), Some(scale)) = (value.number().number(0), scale.number().number(0))
        && scale != 0.0
    {
        let seconds = value / scale;
        let clock = Named::Seconds.text(&Value::Floats(vec![seconds])).plain();
        made.push(("RunTimeSincePowerUp", both(plain(seconds), &clock)));
    }
    for (name, value) in made {
        gather.put(GROUP, name, value, TagRule::Both);
    }
}

/// Tags of Canon's own groups.
fn of_canon<'t>(gather: &'t Gather<'_>, name: &str) -> Option<&'t Tag> {
    gather.counting("Canon", name)
}

fn canon(gather: &mut Gather<'_>) {
    let number = |name: &str| of_canon(gather, name)?.number().number(0);
    let word = |name: &str| Some(of_canon(gather, name)?.text().plain());
    let mut made = Vec::new();
    let named = number("CameraISO").filter(|iso| *iso > 0.0);
    let computed = || Some(number("BaseISO").filter(|v| *v > 0.0)? * number("AutoISO")? / 100.0);
    if let Some(iso) = named.or_else(computed).filter(|iso| *iso > 0.0) {
        made.push(("ISO", both(plain(iso), &format!("{iso:.0}"))));
    }
    if let (Some(continuous), Some(timer)) = (number("ContinuousDrive"), number("SelfTimer")) {
        let (mode, word) = match (continuous != 0.0, timer != 0.0) {
            (true, _) => (0, "Continuous Shooting"),
            (_, true) => (1, "Self-timer Operation"),
            _ => (2, "Single-frame Shooting"),
        };
        made.push(("DriveMode", both(mode, word)));
    }
    if let (Some(mode), Some(easy)) = (number("CanonExposureMode"), number("EasyMode")) {
        let bulb = mode == 4.0 && number("BulbDuration").is_some_and(|d| d > 0.0);
        let (value, text) = match mode {
            _ if bulb => (7.0, Some("Bulb".into())),
            0.0 => (easy + 10.0, word("EasyMode")),
            mode => (mode, word("CanonExposureMode")),
        };
        made.push(("ShootingMode", both(plain(value), &text.unwrap_or_default())));
    }
    if let (Some(directory), Some(file)) = (number("DirectoryIndex"), number("FileIndex")) {
        // The number after 9999 is counted in the next folder.
        let (directory, file) =
            if file == 10_000.0 { (directory + 1.0, 1.0) } else { (directory, file) };
        let value = format!("{directory:03}{file:04}");
        made.push(("FileNumber", both(value, &format!("{directory:03}-{file:04}"))));
    }
    if let (Some(width), Some(height)) = (number("PreviewImageWidth"), number("PreviewImageHeight"))
    {
        let size = format!("{width}x{height}");
        made.push(("PreviewImageSize", both(size.clone(), &size)));
    }
    if let Some(levels) = canon_levels(gather) {
        made.push(("WB_RGGBLevels", both(levels.clone(), &levels)));
    }
    for (name, value) in made {
        gather.put(GROUP, name, value, TagRule::Both);
    }
}

/// The levels of the white balance that was chosen.
fn canon_levels(gather: &Gather<'_>) -> Option<String> {
    const BY_BALANCE: [&str; 7] =
        ["Auto", "Daylight", "Cloudy", "Tungsten", "Fluorescent", "Flash", "Custom"];
    let balance = of_canon(gather, "WhiteBalance")?.number().integer(0)?;
    let levels =
        |name: &str| Some(of_canon(gather, &format!("WB_RGGBLevels{name}"))?.number().plain());
    levels("AsShot").or_else(|| match balance {
        8 => levels("Shade"),
        9 => levels("Kelvin"),
        other => levels(BY_BALANCE.get(usize::try_from(other).ok()?)?),
    })
}

/// What the bits of the flash change.
fn canon_flash(gather: &mut Gather<'_>) {
    let number = |name: &str| of_canon(gather, name)?.number().number(0);
    let Some(bits) = number("FlashBits").filter(|bits| *bits != 0.0) else { return };
    let mut made = Vec::new();
    let external = bits as i64 & 1 << 14 != 0;
    let kind = if external { "External" } else { "Built-In Flash" };
    made.push(("FlashType", both(i64::from(external), kind)));
    if let Some(mode) = number("CanonFlashMode") {
        let on = [3.0, 4.0, 6.0].contains(&mode);
        made.push(("RedEyeReduction", both(i64::from(on), if on { "On" } else { "Off" })));
    }
    if let Some(tag) = of_canon(gather, "FlashExposureComp") {
        made.push(("ConditionalFEC", both(tag.number().plain(), &tag.text().plain())));
    }
    let curtain = gather.tags.iter().find(|tag| tag.name == "ShutterCurtainSync");
    let curtain = curtain.and_then(|tag| tag.number().integer(0)).unwrap_or(0);
    let word = look_up("0:1st-curtain sync|1:2nd-curtain sync", &curtain.to_string());
    made.push(("ShutterCurtainHack", both(curtain, word.unwrap_or_default())));
    for (name, value) in made {
        gather.put(GROUP, name, value, TagRule::Both);
    }
}

fn sony_distance(gather: &Gather<'_>) -> Option<Value> {
    let position = gather.counting("Sony", "FocusPosition2")?.number().number(0)?;
    let film = number(gather, "FocalLengthIn35mmFormat").filter(|film| *film > 0.0)?;
    if position == 0.0 {
        return None;
    }
    if position >= 255.0 {
        return Some(both("inf", "inf"));
    }
    let metres = ((position / 16.0 - 5.0).exp2() + 1.0) * film / 1000.0;
    Some(both(plain(metres), &format!("{} m", crate::number::significant(metres, 4))))
}

/// Whether Olympus' extender is there: the camera knows only what it was last.
fn extender(gather: &Gather<'_>) -> Option<i64> {
    let extender = gather.counting("Olympus", "Extender")?.number().plain();
    let lens = gather.counting("Olympus", "LensType")?.text().plain();
    let widest = number(gather, "MaxAperture")?;
    let mut parts = extender.split(' ');
    let (first, second) = (parts.next()?, parts.next());
    Some(match second {
        None | Some("00" | "0") => 0,
        Some("04" | "4") if matches!(first, "0" | "00") => {
            let known = lens.split(" F").nth(1).map(crate::number::leading);
            match known {
                Some(known) if widest - known <= 0.2 => 2,
                _ => 1,
            }
        }
        Some(_) => 1,
    })
}

/// Panasonic's scene, with how it was chosen.
fn scene(gather: &Gather<'_>) -> Option<Value> {
    let of = |name| gather.counting("Panasonic", name);
    let (scene, kind) = (of("SceneMode")?, of("AdvancedSceneType")?.number());
    let model = text(gather, "Model")?;
    let word = scene.text().plain();
    let shown = match kind.integer(0)? {
        1 => word,
        5 => format!("{word} (intelligent auto)"),
        7 => format!("{word} (intelligent auto plus)"),
        other => format!("{word} ({other})"),
    };
    let value = format!("{model} {} {}", scene.number().plain(), kind.plain());
    Some(both(value, &shown))
}

/// The flash as XMP tells it, in the bits that EXIF has for it.
pub(super) fn flash_of_xmp(gather: &mut Gather<'_>) {
    let of = |name: &str| gather.counting("XMP-exif", name);
    let flag = |name| of(name).is_some_and(|t| t.value.plain().eq_ignore_ascii_case("true"));
    let number = |name| of(name).and_then(|t| t.number().integer(0)).unwrap_or(0);
    if of("FlashFired").is_none() && of("Flash").is_none() {
        return;
    }
    let value = i64::from(flag("FlashFired"))
        | (number("FlashReturn") & 3) << 1
        | (number("FlashMode") & 3) << 3
        | i64::from(flag("FlashFunction")) << 5
        | i64::from(flag("FlashRedEyeMode")) << 6;
    if let Some(row) = crate::table::EXIF.get().row(tags::FLASH.into()) {
        gather.put(GROUP, "Flash", Value::int(value), row.rule);
    }
}

/// Nikon's name of the lens with the letters of its kind.
pub(super) fn lens_spec(gather: &mut Gather<'_>) {
    let of = |name: &str| gather.counting("Nikon", name);
    let (Some(lens), Some(kind)) = (of("Lens"), of("LensType")) else { return };
    let number = format!("{} {}", lens.number().plain(), kind.number().plain());
    let shown = format!("{} {}", words(lens), words(kind));
    let value = both(number, &shown);
    gather.put(GROUP, "LensSpec", value, TagRule::Both);
}
