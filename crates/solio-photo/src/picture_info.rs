//! Text in JPEG's APP12, as cameras wrote it before EXIF: lines of `Name=value`.

use crate::gather::Gather;
use crate::rule::{Named, TagRule};
use crate::value::{Value, lossy};
use solio_container::ByteView;

const GROUP: &str = "PictureInfo";

/// Reads a segment that holds such a text.
pub(crate) fn read(body: ByteView<'_>, gather: &mut Gather<'_>) {
    let bytes = body.all(1 << 16).unwrap_or_default();
    let text = lossy(&bytes);
    let Some(start) = text.find("[picture info]") else { return };
    for line in text[start..].lines() {
        let Some((name, value)) = line.split_once('=') else { continue };
        let value = value.trim_matches(['\0', ' ', '\r']);
        line_of(name.trim(), value, gather);
        if gather.is_full() {
            return;
        }
    }
}

fn line_of(name: &str, value: &str, gather: &mut Gather<'_>) {
    let text = || Value::text(value);
    let switch = TagRule::Words { words: "0:Off|1:On", hex: false };
    match name {
        "TimeDate" => {
            // Either seconds since 1970 or a date as EXIF writes it.
            let seconds = value.parse::<i64>().map(Value::int);
            let rule = if seconds.is_ok() { Named::UnixDate } else { Named::Date };
            let value = seconds.unwrap_or_else(|_| text());
            gather.put(GROUP, "DateTimeOriginal", value, TagRule::Named(rule));
        }
        "Shutter" => {
            let seconds = Value::Floats(vec![crate::number::leading(value) / 1e6]);
            gather.put(GROUP, "ExposureTime", seconds, TagRule::Named(Named::ExposureTime));
        }
        "Fno" | "FNumber" => {
            let number = value.trim_start_matches(['F', 'f']);
            gather.put(GROUP, "FNumber", Value::text(number), TagRule::Named(Named::FNumber));
        }
        "Flash" => gather.put(GROUP, "Flash", text(), switch),
        "Macro" => gather.put(GROUP, "Macro", text(), switch),
        "ImageSize" => gather.put(GROUP, "ImageSize", text(), TagRule::Named(Named::DashedSize)),
        "Type" => gather.put(GROUP, "CameraType", text(), TagRule::Plain),
        "Serial#" => gather.put(GROUP, "SerialNumber", text(), TagRule::Plain),
        _ => {
            let mut letters = name.chars().filter(char::is_ascii_alphanumeric);
            let mut tag: String =
                letters.next().map(|c| c.to_ascii_uppercase()).into_iter().collect();
            tag.extend(letters);
            if tag.len() == 1 {
                tag.insert_str(0, "Tag");
            }
            if !tag.is_empty() {
                gather.put(GROUP, tag, text(), TagRule::Plain);
            }
        }
    }
}
