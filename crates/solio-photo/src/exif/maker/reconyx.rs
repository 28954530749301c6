//! Reconyx HyperFire: numbers of 16 bits (little-endian) at fixed places, no directory.
//!
//! Source: the maker's own description, as metadata-extractor (Apache-2.0) follows it.

use crate::gather::Gather;
use crate::rule::{Named, TagRule};
use crate::value::Value;
use solio_container::ByteView;

const GROUP: &str = "Reconyx";

/// Reads a note.
pub(super) fn read(body: ByteView<'_>, gather: &mut Gather<'_>) {
    if !gather.fields.wants_group(GROUP) || body.len() < 130 {
        return;
    }
    let word = |at: u64| body.le16(at).unwrap_or(0);
    let words = |words| TagRule::Words { words, hex: false };
    gather.put(GROUP, "MakerNoteVersion", Value::int(word(0)), TagRule::Named(Named::Hex));
    let firmware = [2, 4, 6].map(|at| i64::from(word(at)));
    let dotted = TagRule::Named(Named::Dotted);
    gather.put(GROUP, "FirmwareVersion", Value::Ints(firmware.to_vec()), dotted);
    // Year, month and day are spelt in hexadecimal digits.
    let (year, day) = (word(8), word(10));
    gather.text(GROUP, "FirmwareDate", format!("{year:04x}:{:02x}:{:02x}", day >> 8, day & 0xff));
    let trigger = char::from(word(12) as u8).to_string();
    let triggers = words("C:CodeLoc Not Entered|E:External Sensor|M:Motion Detection|T:Time Lapse");
    gather.put(GROUP, "TriggerMode", Value::Text(trigger), triggers);
    let sequence = Value::Ints(vec![i64::from(word(14)), i64::from(word(16))]);
    gather.put(GROUP, "Sequence", sequence, TagRule::Named(Named::SpacedOf));
    gather.int(GROUP, "EventNumber", i64::from(word(18)) << 16 | i64::from(word(20)));
    let [second, minute, hour, month, day, year] = [22, 24, 26, 28, 30, 32].map(word);
    let date = format!("{year:04}:{month:02}:{day:02} {hour:02}:{minute:02}:{second:02}");
    gather.text(GROUP, "DateTimeOriginal", date);
    let phases = words(
        "0:New|1:New Crescent|2:First Quarter|3:Waxing Gibbous|4:Full|5:Waning Gibbous|\
         6:Last Quarter|7:Old Crescent",
    );
    gather.put(GROUP, "MoonPhase", Value::int(word(36)), phases);
    let fahrenheit = Value::int(word(38) as i16);
    gather.put(
        GROUP,
        "AmbientTemperatureFahrenheit",
        fahrenheit,
        TagRule::Named(Named::Fahrenheit),
    );
    let celsius = Value::int(word(40) as i16);
    gather.put(GROUP, "AmbientTemperature", celsius, TagRule::Named(Named::Celsius));
    let serial = body.get(42, 28).unwrap_or_default();
    gather.text(GROUP, "SerialNumber", crate::text::utf16(&serial, false));
    gather.int(GROUP, "Contrast", word(72));
    gather.int(GROUP, "Brightness", word(74));
    gather.int(GROUP, "Sharpness", word(76));
    gather.int(GROUP, "Saturation", word(78));
    gather.put(GROUP, "InfraredIlluminator", Value::int(word(80)), words("0:Off|1:On"));
    gather.int(GROUP, "MotionSensitivity", word(82));
    let volts = Value::Floats(vec![f64::from(word(84)) / 1000.0]);
    gather.put(GROUP, "BatteryVoltage", volts, TagRule::Named(Named::Volts));
    let label = body.get(86, 44).unwrap_or_default();
    let label = crate::value::lossy(&label);
    gather.text(GROUP, "UserLabel", crate::text::before_zero(&label));
}
