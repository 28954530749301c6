//! The `moov` box: a movie's and its tracks' heads, and what users and cameras wrote.
//!
//! ISO/IEC 14496-12, chapter 8; QuickTime File Format, "Movie Atoms".

use super::bmff::{self, boxes};
use super::languages::{self, Texts};
use crate::gather::Gather;
use crate::record::read_container;
use crate::rule::{Named, TagRule};
use crate::value::{Value, lossy};
use solio_container::{ByteView, ContainerChunk};
use std::borrow::Cow;

const GROUP: &str = "QuickTime";

/// Where boxes are read: the group that their tags get, and how deep they lie.
struct MovieWalk {
    group: Cow<'static, str>,
    depth: u8,
    /// Units of a second, of the movie and of the track's media.
    scale: u32,
    media_scale: u32,
    /// What the track holds.
    handler: [u8; 4],
    tracks: u32,
    /// How dates are shown.
    date: TagRule,
}

/// Reads a movie's boxes.
pub(super) fn read(body: ByteView<'_>, gather: &mut Gather<'_>) {
    let mut place = MovieWalk {
        group: Cow::Borrowed(GROUP),
        depth: 0,
        scale: 0,
        media_scale: 0,
        handler: [0; 4],
        tracks: 0,
        date: TagRule::Named(Named::MacDate),
    };
    walk(body, &mut place, gather);
}

fn walk(body: ByteView<'_>, place: &mut MovieWalk, gather: &mut Gather<'_>) {
    if bmff::too_deep(place.depth) {
        return;
    }
    place.depth += 1;
    for ContainerChunk { kind, body: part, .. } in boxes(body, 0) {
        match &kind {
            b"mvhd" => movie_head(part, place, gather),
            b"trak" => {
                place.tracks += 1;
                let outer = std::mem::replace(
                    &mut place.group,
                    Cow::Owned(format!("Track{}", place.tracks)),
                );
                place.handler = [0; 4];
                walk(part, place, gather);
                place.group = outer;
            }
            b"tkhd" => track_head(part, place, gather),
            b"mdia" | b"minf" | b"stbl" | b"dinf" => walk(part, place, gather),
            b"udta" => {
                let track = Some(&*place.group).filter(|group| group.starts_with("Track"));
                super::user_data::read(part, track, gather);
            }
            b"tapt" => apertures(part, place, gather),
            b"mdhd" => media_head(part, place, gather),
            b"hdlr" => {
                // The first one of a track says what the track holds; a second one, how it is kept.
                if let (true, Some(kind)) = (place.handler == [0; 4], part.array::<4>(8)) {
                    place.handler = kind;
                }
                handler(place.group.clone(), part, gather);
            }
            b"vmhd" => read_container("video_header", part, place.group.clone(), gather),
            b"smhd" => read_container("sound_header", part, place.group.clone(), gather),
            b"stsd" => descriptions(part, place, gather),
            b"stts" => frame_rate(part, place, gather),
            b"meta" => meta(part, None, gather),
            b"uuid" => {
                if bmff::is_canon(part) {
                    place.date = TagRule::Named(Named::MacDateUtc);
                }
                bmff::identified(part, gather);
            }
            _ => {}
        }
        if gather.is_full() {
            break;
        }
    }
    place.depth -= 1;
}

/// Fields after version and flags whose width depends on the version.
fn dates(part: ByteView<'_>) -> Option<(i64, i64, u64)> {
    Some(if part.u8(0)? == 1 {
        (part.be64(4)? as i64, part.be64(12)? as i64, 20)
    } else {
        (i64::from(part.be32(4)?), i64::from(part.be32(8)?), 12)
    })
}

fn span(part: ByteView<'_>, at: u64) -> Option<(u64, u64)> {
    if part.u8(0)? == 1 {
        Some((part.be64(at)?, at + 8))
    } else {
        Some((u64::from(part.be32(at)?), at + 4))
    }
}

fn length(units: u64, scale: u32) -> Value {
    if scale == 0 {
        Value::int(units as i64)
    } else {
        Value::Floats(vec![units as f64 / f64::from(scale)])
    }
}

/// 16.16 and 8.8 numbers as they are printed.
fn fixed(value: u32) -> Value {
    Value::Floats(vec![f64::from(value as i32) / 65536.0])
}

fn matrix(part: ByteView<'_>, at: u64) -> Value {
    let number = |i: u64| {
        let value = f64::from(part.be32(at + 4 * i).unwrap_or(0) as i32);
        // The third column has 30 bits behind its point.
        if i % 3 == 2 { value / f64::from(1 << 30) } else { value / 65536.0 }
    };
    Value::Floats((0..9).map(number).collect())
}

fn movie_head(part: ByteView<'_>, place: &mut MovieWalk, gather: &mut Gather<'_>) {
    let date = place.date;
    let seconds = TagRule::Named(Named::Seconds);
    let Some((created, modified, at)) = dates(part) else { return };
    gather.int(GROUP, "MovieHeaderVersion", part.u8(0).unwrap_or(0));
    gather.put(GROUP, "CreateDate", Value::int(created), date);
    gather.put(GROUP, "ModifyDate", Value::int(modified), date);
    let Some(scale) = part.be32(at) else { return };
    place.scale = scale;
    gather.int(GROUP, "TimeScale", scale);
    let Some((units, at)) = span(part, at + 4) else { return };
    gather.put(GROUP, "Duration", length(units, scale), seconds);
    let (Some(rate), Some(volume)) = (part.be32(at), part.be16(at + 4)) else { return };
    gather.put(GROUP, "PreferredRate", fixed(rate), TagRule::Plain);
    let volume = Value::Floats(vec![f64::from(volume as i16) / 256.0]);
    gather.put(GROUP, "PreferredVolume", volume, TagRule::Named(Named::Percent));
    if part.len() < at + 76 {
        return;
    }
    gather.put(GROUP, "MatrixStructure", matrix(part, at + 16), TagRule::Plain);
    const TIMES: [&str; 6] = [
        "PreviewTime",
        "PreviewDuration",
        "PosterTime",
        "SelectionTime",
        "SelectionDuration",
        "CurrentTime",
    ];
    for (n, name) in TIMES.into_iter().enumerate() {
        let units = part.be32(at + 52 + 4 * n as u64).unwrap_or(0);
        gather.put(GROUP, name, length(u64::from(units), scale), seconds);
    }
    if let Some(next) = part.be32(at + 76) {
        gather.int(GROUP, "NextTrackID", next);
    }
}

fn track_head(part: ByteView<'_>, place: &MovieWalk, gather: &mut Gather<'_>) {
    let group = || place.group.clone();
    let date = place.date;
    let Some((created, modified, at)) = dates(part) else { return };
    gather.int(group(), "TrackHeaderVersion", part.u8(0).unwrap_or(0));
    gather.put(group(), "TrackCreateDate", Value::int(created), date);
    gather.put(group(), "TrackModifyDate", Value::int(modified), date);
    let Some(id) = part.be32(at) else { return };
    gather.int(group(), "TrackID", id);
    let Some((units, at)) = span(part, at + 8) else { return };
    let seconds = TagRule::Named(Named::Seconds);
    gather.put(group(), "TrackDuration", length(units, place.scale), seconds);
    if part.len() < at + 60 {
        return;
    }
    gather.int(group(), "TrackLayer", part.be16(at + 8).unwrap_or(0) as i16);
    let volume = f64::from(part.be16(at + 12).unwrap_or(0) as i16) / 256.0;
    let percent = TagRule::Named(Named::Percent);
    gather.put(group(), "TrackVolume", Value::Floats(vec![volume]), percent);
    gather.put(group(), "MatrixStructure", matrix(part, at + 16), TagRule::Plain);
    let size = |at: u64| part.be32(at).unwrap_or(0) >> 16;
    let (width, height) = (size(at + 52), size(at + 56));
    if width > 0 && height > 0 {
        gather.int(group(), "ImageWidth", width);
        gather.int(group(), "ImageHeight", height);
    }
}

fn media_head(part: ByteView<'_>, place: &mut MovieWalk, gather: &mut Gather<'_>) {
    let group = || place.group.clone();
    let date = place.date;
    let Some((created, modified, at)) = dates(part) else { return };
    gather.int(group(), "MediaHeaderVersion", part.u8(0).unwrap_or(0));
    gather.put(group(), "MediaCreateDate", Value::int(created), date);
    gather.put(group(), "MediaModifyDate", Value::int(modified), date);
    let Some(scale) = part.be32(at) else { return };
    gather.int(group(), "MediaTimeScale", scale);
    let Some((units, at)) = span(part, at + 4) else { return };
    gather.put(group(), "MediaDuration", length(units, scale), TagRule::Named(Named::Seconds));
    if let Some(code) = part.be16(at).and_then(languages::name) {
        gather.text(group(), "MediaLanguageCode", code.into_owned());
    }
    place.media_scale = scale;
}

/// What a track, or a list of metadata, holds.
pub(super) fn handler(
    group: impl Into<Cow<'static, str>>,
    part: ByteView<'_>,
    gather: &mut Gather<'_>,
) {
    let group = group.into();
    let (Some(class), Some(kind)) = (part.array::<4>(4), part.array::<4>(8)) else { return };
    // A track has a second handler for its data; the first tells what it is.
    if class != [0; 4] && gather.find(&group, "HandlerClass").is_none() {
        read_container("handler_class", part.from(4), group.clone(), gather);
    }
    // What a data handler handles is not what the track is about.
    if !matches!(&kind, b"alis" | b"url ") {
        read_container("handler_type", part.from(8), group.clone(), gather);
    }
    if part.be32(12) != Some(0) {
        read_container("handler_vendor", part.part(12, 4), group.clone(), gather);
    }
    let name = part.from(24).all(256).unwrap_or_default();
    let name = match &name[..] {
        // A length in front, as QuickTime has it.
        [len, text @ ..] if usize::from(*len) <= text.len() && !text.contains(&0) && *len > 0 => {
            lossy(&text[..usize::from(*len)])
        }
        text => crate::text::before_zero(&lossy(text)).to_owned(),
    };
    if !name.is_empty() {
        gather.text(group, "HandlerDescription", name);
    }
}

/// How the samples of a track are packed.
fn descriptions(part: ByteView<'_>, place: &MovieWalk, gather: &mut Gather<'_>) {
    let group = || place.group.clone();
    let Some(format) = part.array::<4>(12) else { return };
    let entry = part.from(16);
    match &place.handler {
        b"vide" => {
            gather.text(group(), "CompressorID", lossy(&format));
            if entry.be32(12) != Some(0) {
                read_container("video_vendor", entry.part(12, 4), group(), gather);
            }
            read_container("video_entry", entry, group(), gather);
            let name = entry.get(42, 32).unwrap_or_default();
            if let [len, text @ ..] = &name[..]
                && *len > 0
            {
                let text = &text[..usize::from(*len).min(text.len())];
                gather.text(group(), "CompressorName", lossy(text));
            }
            gather.int(group(), "BitDepth", entry.be16(74).unwrap_or(0));
            video_extensions(entry, place, gather);
        }
        b"soun" => {
            gather.text(group(), "AudioFormat", lossy(&format));
            read_container("sound_entry", entry, group(), gather);
        }
        _ => {}
    }
}

fn video_extensions(entry: ByteView<'_>, place: &MovieWalk, gather: &mut Gather<'_>) {
    for ContainerChunk { kind, body, .. } in boxes(entry, 78) {
        let group = || place.group.clone();
        match (&kind, body.be32(0), body.be32(4)) {
            (b"pasp", Some(across), Some(down)) => {
                gather.text(group(), "PixelAspectRatio", format!("{across}:{down}"));
            }
            (b"colr", ..) => bmff::color(group(), body, gather),
            (b"fiel", ..) => read_container("field_order", body, group(), gather),
            (b"btrt", ..) => read_container("bit_rate", body, group(), gather),
            _ => {}
        }
    }
}

/// How much of the pictures is meant to be seen.
fn apertures(part: ByteView<'_>, place: &MovieWalk, gather: &mut Gather<'_>) {
    for ContainerChunk { kind, body, .. } in boxes(part, 0) {
        let name = match &kind {
            b"clef" => "CleanApertureDimensions",
            b"prof" => "ProductionApertureDimensions",
            b"enof" => "EncodedPixelsDimensions",
            _ => continue,
        };
        if let (Some(width), Some(height)) = (body.be32(4), body.be32(8)) {
            let size = [width, height].map(|v| f64::from(v) / 65536.0);
            let rule = TagRule::Named(Named::Dimensions);
            gather.put(place.group.clone(), name, Value::Floats(size.to_vec()), rule);
        }
    }
}

/// Frames by the length of each run of samples.
fn frame_rate(part: ByteView<'_>, place: &MovieWalk, gather: &mut Gather<'_>) {
    if &place.handler != b"vide" || place.media_scale == 0 {
        return;
    }
    let count = u64::from(part.be32(4).unwrap_or(0)).min(1 << 14);
    let (mut frames, mut units) = (0u64, 0u64);
    for n in 0..count {
        let (Some(run), Some(each)) = (part.be32(8 + 8 * n), part.be32(12 + 8 * n)) else { break };
        frames += u64::from(run);
        units = units.saturating_add(u64::from(run) * u64::from(each));
    }
    if frames > 0 && units > 0 {
        let rate = frames as f64 * f64::from(place.media_scale) / units as f64;
        let rule = TagRule::Named(Named::FrameRate);
        gather.put(place.group.clone(), "VideoFrameRate", Value::Floats(vec![rate]), rule);
    }
}

/// The group and the name of a tag; what tracks are called is not what the film is called.
pub(super) fn key_of(
    track: Option<&str>,
    group: &'static str,
    name: impl Into<Cow<'static, str>>,
) -> [Cow<'static, str>; 2] {
    let name = name.into();
    match track {
        Some(track) => [track.to_owned().into(), format!("{track}{name}").into()],
        None => [group.into(), name],
    }
}

/// Lists of metadata: iTunes' by four letters, Apple's by keys with names. `track`: of which one.
pub(super) fn meta(part: ByteView<'_>, track: Option<&str>, gather: &mut Gather<'_>) {
    let mut texts = Texts::default();
    let first = if part.array::<4>(4).is_some_and(|kind| &kind == b"hdlr") { 0 } else { 4 };
    let mut keys: Vec<String> = Vec::new();
    for ContainerChunk { kind, body, .. } in boxes(part, first) {
        match &kind {
            b"hdlr" => handler(
                track.map_or(GROUP.into(), |track| Cow::Owned(track.to_owned())),
                body,
                gather,
            ),
            b"keys" => {
                let count = body.be32(4).unwrap_or(0).min(1 << 10);
                let mut at = 8;
                for _ in 0..count {
                    let Some(len) = body.be32(at).filter(|len| *len >= 8) else { break };
                    let name = body.part(at + 8, u64::from(len) - 8).all(1 << 10);
                    keys.push(lossy(&name.unwrap_or_default()));
                    at += u64::from(len);
                }
            }
            b"ilst" => {
                for item in boxes(body, 0) {
                    list_item(&item.kind, item.body, &keys, track, &mut texts, gather);
                }
            }
            _ => {}
        }
    }
    texts.end(gather);
}

fn list_item(
    kind: &[u8; 4],
    content: ByteView<'_>,
    keys: &[String],
    track: Option<&str>,
    texts: &mut Texts,
    gather: &mut Gather<'_>,
) {
    if kind == b"----" {
        return super::itunes::read(content, gather);
    }
    let number = u32::from_be_bytes(*kind);
    let key = keys.get((number as usize).wrapping_sub(1));
    for ContainerChunk { kind, body, .. } in boxes(content, 0) {
        let (b"data", Some(form)) = (&kind, body.be32(0)) else { continue };
        let data = body.from(8);
        let language =
            languages::of_item(body.array(4).unwrap_or_default(), body.be16(6).unwrap_or(0));
        if let Some(key) = key {
            let (name, rule) = key_name(key);
            // Few bytes are a number; others are bytes of which nobody says what they are.
            let bytes = data.all(1 << 20).filter(|bytes| !matches!(bytes.len(), 1 | 2));
            let (value, rule) = match bytes.filter(|_| form & 0xff == 0 && rule == TagRule::Plain) {
                Some(bytes) => (Value::Bytes(bytes.into_owned()), TagRule::Binary),
                None => (data_value(form, data), rule),
            };
            texts.add(key_of(track, "Keys", name), language, value, rule, gather);
        } else if let Some(row) = crate::table::ITEM_LIST.get().row(number) {
            let value = match row.stored {
                Some("pair") => Value::Ints(vec![
                    i64::from(data.be16(2).unwrap_or(0)),
                    i64::from(data.be16(4).unwrap_or(0)),
                ]),
                _ => data_value(form, data),
            };
            texts.add(key_of(track, "ItemList", row.name), language, value, row.rule, gather);
        }
    }
}

/// Well-known types of data: 1 text, 13 and 14 pictures, 21, 65 to 67 and 74
/// numbers with a sign, 22 and 75 to 78 without, 23 and 24 floats, 70 to 72 points, sizes and
/// rectangles of floats.
pub(super) fn data_value(form: u32, data: ByteView<'_>) -> Value {
    let bytes = if matches!(form & 0xff, 13 | 14 | 27) { None } else { data.all(1 << 20) };
    let Some(bytes) = bytes else {
        return data.into();
    };
    match (form & 0xff, bytes.len()) {
        (1, _) => Value::Text(lossy(&bytes)),
        (2, _) => Value::Text(crate::text::utf16(&bytes, true)),
        (23, 4) => crate::stored::decode(&bytes, solio_container::tiff::FieldType::Float, true),
        (24, 8) => crate::stored::decode(&bytes, solio_container::tiff::FieldType::Double, true),
        (70..=72, 8 | 16) => {
            crate::stored::decode(&bytes, solio_container::tiff::FieldType::Float, true)
        }
        (form, 1..=8) => {
            let sum = bytes.iter().fold(0i64, |sum, b| sum << 8 | i64::from(*b));
            let unused = 64 - 8 * bytes.len() as u32;
            let signed = matches!(form, 21 | 65..=67 | 74);
            match signed {
                true => Value::int(sum << unused >> unused),
                false if sum < 0 => Value::Text((sum as u64).to_string()),
                false => Value::int(sum),
            }
        }
        _ => Value::Text(lossy(&bytes)),
    }
}

/// `com.apple.quicktime.creationdate` as `CreationDate`, `com.android.version` as `AndroidVersion`.
fn key_name(key: &str) -> (String, TagRule) {
    let short = key.strip_prefix("com.").unwrap_or(key);
    let short = short.strip_prefix("apple.quicktime.").unwrap_or(short);
    let lines = include_str!("../../tables/movie_keys.tsv").lines();
    let mut rows = lines.filter_map(|line| line.split_once('\t'));
    let row = rows.find(|(known, _)| *known == short).and_then(|(_, row)| row.split_once('\t'));
    let rule = row.and_then(|(_, rule)| TagRule::parse(rule)).unwrap_or(TagRule::Plain);
    if let Some((name, _)) = row.filter(|(name, _)| *name != "-") {
        return (name.to_owned(), rule);
    }
    let (mut name, mut capital) = (String::new(), true);
    for letter in short.chars() {
        match letter {
            '.' | ' ' => capital = true,
            '_' => {
                if !name.ends_with(|last: char| last.is_ascii_lowercase()) {
                    name.push('_');
                }
                capital = true;
            }
            '-' | '0'..='9' | 'a'..='z' | 'A'..='Z' => {
                name.push(if capital { letter.to_ascii_uppercase() } else { letter });
                capital = false;
            }
            _ => {}
        }
    }
    (name, rule)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_phones() {
        for (key, name, stored, text) in [
            ("com.android.version", "AndroidVersion", "13", "13"),
            ("com.android.capture.fps", "AndroidCaptureFps", "30", "30"),
            ("com.apple.quicktime.rating.user", "UserRating", "3", "3"),
            ("com.apple.quicktime.collection.user", "UserCollection", "c", "c"),
            ("com.apple.quicktime.direction.facing", "CameraDirection", "12.5", "12.5"),
            ("com.apple.quicktime.location.role", "LocationRole", "0", "Shooting Location"),
            ("com.apple.quicktime.location.name", "LocationName", "Tokyo", "Tokyo"),
            (
                "com.apple.quicktime.location.accuracy.horizontal",
                "LocationAccuracyHorizontal",
                "4",
                "4",
            ),
            (
                "com.apple.quicktime.location.date",
                "LocationDate",
                "2023-05-06T07:08:09+0900",
                "2023:05:06 07:08:09+09:00",
            ),
            (
                "com.apple.quicktime.full-frame-rate-playback-intent",
                "Full-frame-rate-playback-intent",
                "1",
                "1",
            ),
            ("com.xiaomi.x", "XiaomiX", "x", "x"),
            ("samsung.android.utc_offset", "SamsungAndroidUtcOffset", "+0900", "+0900"),
        ] {
            let (found, rule) = key_name(key);
            assert_eq!(found, name);
            assert_eq!(rule.text(&Value::text(stored)).plain(), text, "{key}");
        }
    }
}
