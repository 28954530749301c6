//! What thermal cameras of FLIR keep in several segments of a JPEG: a file of their own, with a directory
//! of records.
//!
//! Numbers, places and names: ExifTool's pages of tag names. The directory: a mark of four letters, at 24
//! where the directory is, at 28 how many entries; of each entry, of 32 bytes, its kind (2 bytes), at 12
//! where the record is and at 16 how long.

use crate::camera::CameraModel;
use crate::gather::Gather;
use crate::record::{Around, read_record};
use crate::rule::{Named, TagRule};
use crate::table::CONTAINERS;
use crate::value::Value;
use solio_container::ByteView;
use std::borrow::Cow;

const GROUP: &str = "FLIR";
/// Most records that are looked at.
const MOST_RECORDS: u32 = 64;

/// Reads the file that the segments make together.
pub(super) fn read(view: ByteView<'_>, gather: &mut Gather<'_>) {
    if !view.starts_with(b"FFF\0") {
        return;
    }
    // The version tells the byte order.
    let big = view.be32(20).is_some_and(|version| (100..200).contains(&version));
    let number = |at: u64| if big { view.be32(at) } else { view.le32(at) };
    record("flir_header", view, big, gather);
    let (Some(directory), Some(count)) = (number(24), number(28)) else { return };
    for n in 0..u64::from(count.min(MOST_RECORDS)) {
        let entry = u64::from(directory) + 32 * n;
        let kind = if big { view.be16(entry) } else { view.le16(entry) };
        let (Some(kind), Some(at), Some(bytes)) = (kind, number(entry + 12), number(entry + 16))
        else {
            return;
        };
        let part = view.part(at.into(), bytes.into());
        // Records have a byte order of their own: their first number is small.
        let big = part.le16(0).is_some_and(|first| first >= 0x100);
        match kind {
            1 => picture(part, big, ["RawThermalImage", "flir_raw"], gather),
            14 => picture(part, big, ["EmbeddedImage", "flir_embedded"], gather),
            32 => camera(part, big, gather),
            34 => {
                record("flir_palette", part, big, gather);
                let colors = 3 * u64::from(part.u8(0).unwrap_or(0));
                let palette = part.part(112, colors);
                if palette.len() == colors && colors > 0 {
                    gather.put(GROUP, "Palette", palette.into(), TagRule::Binary);
                }
            }
            42 => record("flir_pip", part, big, gather),
            _ => {}
        }
    }
}

fn record(name: &str, part: ByteView<'_>, big: bool, gather: &mut Gather<'_>) {
    let group = Cow::Borrowed(GROUP);
    let around = Around { big, camera: CameraModel::NONE, ..Around::container(&group) };
    if let Some(table) = CONTAINERS.table(name) {
        read_record(part, table, &around, gather);
    }
}

fn camera(part: ByteView<'_>, big: bool, gather: &mut Gather<'_>) {
    record("flir_camera", part, big, gather);
    if let Some(date) = date(part.from(900), big) {
        gather.text(GROUP, "DateTimeOriginal", date);
    }
    // Wien's law, in micrometres.
    let planck = part.array::<4>(92).map(|bytes| match big {
        true => f32::from_be_bytes(bytes),
        false => f32::from_le_bytes(bytes),
    });
    if let Some(planck) = planck.filter(|number| number.is_finite() && *number > 0.0) {
        let peak = Value::Floats(vec![14387.6515 / f64::from(planck)]);
        gather.put(GROUP, "PeakSpectralSensitivity", peak, TagRule::Template("%.1f um"));
    }
}

/// Seconds since 1970, thousandths, and minutes by which the zone is west.
fn date(part: ByteView<'_>, big: bool) -> Option<String> {
    let (seconds, thousandths, west) = match big {
        true => (part.be32(0)?, part.be32(4)?, part.be16(8)?),
        false => (part.le32(0)?, part.le32(4)?, part.le16(8)?),
    };
    let east = -i64::from(west as i16);
    if seconds == 0 || east.abs() > 24 * 60 {
        return None;
    }
    let date = Named::UnixDate.number(&Value::int(i64::from(seconds) + 60 * east)).plain();
    let (sign, minutes) = (if east < 0 { '-' } else { '+' }, east.abs());
    let (hours, minutes) = (minutes / 60, minutes % 60);
    Some(format!("{date}.{:03}{sign}{hours:02}:{minutes:02}", (thousandths & 0xffff).min(999)))
}

/// A picture: its size, and behind 32 bytes a PNG or the numbers themselves.
fn picture(
    part: ByteView<'_>,
    big: bool,
    [name, table]: [&'static str; 2],
    gather: &mut Gather<'_>,
) {
    record(table, part, big, gather);
    let data = part.from(32);
    let kind = match data.array::<4>(0) {
        Some([0x89, b'P', b'N', b'G']) => "PNG",
        Some([0xff, 0xd8, 0xff, _]) => "JPG",
        Some(_) => "TIFF",
        None => return,
    };
    gather.text(GROUP, format!("{name}Type"), kind);
    gather.put(GROUP, name, data.into(), TagRule::Binary);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Fields;

    fn file() -> Vec<u8> {
        let mut file = vec![0; 64 + 32];
        file[..4].copy_from_slice(b"FFF\0");
        file[4..10].copy_from_slice(b"Camera");
        file[20..24].copy_from_slice(&101u32.to_be_bytes());
        file[24..28].copy_from_slice(&64u32.to_be_bytes());
        file[28..32].copy_from_slice(&1u32.to_be_bytes());
        file[64..66].copy_from_slice(&32u16.to_be_bytes());
        file[76..80].copy_from_slice(&96u32.to_be_bytes());
        file[80..84].copy_from_slice(&1200u32.to_be_bytes());
        let mut camera = vec![0; 1200];
        camera[0] = 2;
        camera[32..36].copy_from_slice(&0.95f32.to_le_bytes());
        camera[92..96].copy_from_slice(&1374.5f32.to_le_bytes());
        camera[212..219].copy_from_slice(b"FLIR_i7");
        camera[900..904].copy_from_slice(&1_328_966_228u32.to_le_bytes());
        camera[904..908].copy_from_slice(&253u32.to_le_bytes());
        camera[908..910].copy_from_slice(&(-60i16).to_le_bytes());
        file.extend(camera);
        file
    }

    #[test]
    fn records_of_a_camera() {
        let fields = Fields::all();
        let mut gather = Gather::new(&fields);
        read(ByteView::memory(&file()), &mut gather);
        let text = |name: &str| {
            gather.tags.iter().find(|tag| tag.name == name).map(|tag| tag.text().plain())
        };
        for (name, want) in [
            ("CreatorSoftware", "Camera"),
            ("Emissivity", "0.95"),
            ("CameraModel", "FLIR_i7"),
            ("PeakSpectralSensitivity", "10.5 um"),
            ("DateTimeOriginal", "2012:02:11 14:17:08.253+01:00"),
        ] {
            assert_eq!(text(name).as_deref(), Some(want), "{name}");
        }
    }

    #[test]
    fn files_that_are_cut_off() {
        let (file, fields) = (file(), Fields::all());
        for end in (0..file.len()).step_by(7) {
            read(ByteView::memory(&file[..end]), &mut Gather::new(&fields));
        }
        for at in 0..96 {
            for byte in [0, 1, 0x7f, 0xff] {
                let mut wrong = file.clone();
                wrong[at] = byte;
                read(ByteView::memory(&wrong), &mut Gather::new(&fields));
            }
        }
    }
}
