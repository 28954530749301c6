//! Photoshop: a header, three sections with their lengths, then the pixels (Adobe Photoshop File
//! Formats Specification).

use crate::cursor::{ViewCursor, damaged};
use crate::{ByteView, ColorModel, ContainerHeader, ContainerReport, SampleKind};
use solio_base::Result;

/// The header of a file.
///
/// # Errors
/// `Corrupt` for a file that ends inside it.
pub fn header(view: ByteView<'_>) -> Result<ContainerHeader> {
    let head: [u8; 26] = view.take(0, "the head")?;
    let be16 = |at: usize| u16::from_be_bytes([head[at], head[at + 1]]);
    let be32 = |at: usize| u32::from(be16(at)) << 16 | u32::from(be16(at + 2));
    let (height, width, bits, channels) = (be32(14), be32(18), be16(22), be16(12));
    let color = match be16(24) {
        0 | 1 | 8 => ColorModel::Grey,
        2 => ColorModel::Palette,
        3 => ColorModel::Rgb,
        4 => ColorModel::Cmyk,
        9 => ColorModel::Lab,
        _ => ColorModel::Unknown,
    };
    let sample = if bits == 32 { SampleKind::Float } else { SampleKind::Uint };
    Ok(ContainerHeader { width, height, bits, channels, sample, color, has_profile: false })
}

/// Whether the file is a PSB, whose layers have lengths of eight bytes.
pub fn is_large(view: ByteView<'_>) -> bool {
    view.be16(4) == Some(2)
}

/// A section between the header and the pixels.
#[derive(Clone, Copy)]
pub struct PsdSection<'a> {
    /// What it holds: `the colours`, `the image resources` or `the layers`.
    pub what: &'static str,
    /// Where the next one starts.
    pub end: u64,
    /// Its content, as far as the file has it.
    pub body: ByteView<'a>,
}

/// The three sections: colours, image resources, layers; the pixels follow.
///
/// ```
/// use solio_container::{ByteView, psd};
/// let mut file = b"8BPS\0\x01\0\0\0\0\0\0\0\x01\0\0\0\x02\0\0\0\x03\0\x08\0\x01".to_vec();
/// file.extend(b"\0\0\0\0\0\0\0\x028B\0\0\0\0");
/// let view = ByteView::memory(&file);
/// let header = psd::header(view)?;
/// assert_eq!((header.width, header.height), (3, 2));
/// let lengths = psd::sections(view).map(|section| section.unwrap().body.len());
/// assert_eq!(lengths.collect::<Vec<_>>(), [0, 2, 0]);
/// # Ok::<(), solio_base::Error>(())
/// ```
pub fn sections(view: ByteView<'_>) -> impl Iterator<Item = Result<PsdSection<'_>>> {
    let mut file = ViewCursor::new(view, 26);
    ["the colours", "the image resources", "the layers"].into_iter().map(move |what| {
        let len = match what == "the layers" && is_large(view) {
            true => u64::from_be_bytes(file.take(what)?),
            false => file.be32(what)?,
        };
        let body = view.part(file.at, len);
        file.at = file.at.saturating_add(len);
        Ok(PsdSection { what, end: file.at, body })
    })
}

/// Checks the sections and the lengths of the pixels.
pub(crate) fn check(view: ByteView<'_>) -> Result<ContainerReport> {
    let header = header(view)?;
    let mut file = ViewCursor::new(view, 0);
    for section in sections(view) {
        let section = section?;
        view.reach(section.end, section.what)?;
        file.at = section.end;
    }
    let found = header.pixels();
    let mut report = ContainerReport { found, ..ContainerReport::default() };
    let rows = u64::from(header.channels) * u64::from(header.height);
    match file.be16("the pixels")? {
        0 => {
            let row = (u64::from(header.width) * u64::from(header.bits)).div_ceil(8);
            file.skip(rows.saturating_mul(row), "the pixels")?;
        }
        1 => pass_packed_rows(&mut file, rows, is_large(view))?,
        2 | 3 => {
            report.notes.push("the pixels are zipped, and were not looked at".into());
            return Ok(report);
        }
        other => {
            let message = format!("pixels are packed by no method that is known ({other})");
            return Err(damaged(message, file.at - 2));
        }
    }
    report.note_rest(view.from(file.at));
    Ok(report)
}

/// The lengths of all rows, then the rows.
fn pass_packed_rows(file: &mut ViewCursor<'_>, rows: u64, is_large: bool) -> Result<()> {
    const WHAT: &str = "the lengths of rows";
    let table = rows.saturating_mul(if is_large { 4 } else { 2 });
    file.view.reach(file.at.saturating_add(table), WHAT)?;
    let mut bytes = 0u64;
    for _ in 0..rows {
        bytes += if is_large { file.be32(WHAT)? } else { file.be16(WHAT)? };
    }
    file.skip(bytes, "the pixels")
}
