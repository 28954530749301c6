//! Every directory of a TIFF file, and where it says that bytes lie (TIFF 6.0; DNG; Exif 3.0).

use super::{Tiff, TiffEntry, tags};
use crate::cursor::damaged;
use crate::{ByteView, ColorModel, ContainerHeader, ContainerReport, SampleKind};
use solio_base::{Error, Result};
use std::collections::BTreeSet;

/// Directories of a file; films have a few thousand pages.
const MOST_DIRECTORIES: usize = 100_000;
/// Values of a list of places that are looked at.
const MOST_VALUES: u64 = 10_000_000;

/// Lists of places and of their lengths, and what lies there.
const PLACES: [(u16, u16, &str); 3] = [
    (tags::STRIP_OFFSETS, tags::STRIP_BYTE_COUNTS, "a strip"),
    (tags::TILE_OFFSETS, tags::TILE_BYTE_COUNTS, "a tile"),
    (tags::JPEG_INTERCHANGE_FORMAT, tags::JPEG_INTERCHANGE_FORMAT_LENGTH, "a preview"),
];

struct TiffPages<'a> {
    tiff: Tiff<'a>,
    /// Whether all that the directories point to has to be there.
    is_strict: bool,
    /// How far anything reaches.
    end: u64,
    /// Directories that were found, but not yet read.
    waiting: Vec<u64>,
    seen: BTreeSet<u64>,
    /// The largest picture is the one; the others are previews.
    largest: ContainerHeader,
}

/// Checks that all pixels and values lie within the file.
pub(crate) fn check(view: ByteView<'_>) -> Result<ContainerReport> {
    let pages = pages(view, true)?;
    let found = match pages.largest {
        ContainerHeader { width: 0, .. } => format!("{} directories", pages.seen.len()),
        largest => largest.pixels(),
    };
    let mut report = ContainerReport { found, ..ContainerReport::default() };
    // Makers keep things where no directory of the standard leads.
    if view.len() > pages.end.saturating_add(4096) {
        report.note_rest(view.from(pages.end));
    }
    Ok(report)
}

/// PhotometricInterpretation (TIFF 6.0; TIFF/EP and DNG 1.7 for what sensors see).
fn color_model(number: u64) -> ColorModel {
    match number {
        0 | 1 => ColorModel::Grey,
        2 => ColorModel::Rgb,
        3 => ColorModel::Palette,
        5 => ColorModel::Cmyk,
        6 => ColorModel::YCbCr,
        8..=10 => ColorModel::Lab,
        32803 => ColorModel::Cfa,
        34892 => ColorModel::LinearRaw,
        _ => ColorModel::Unknown,
    }
}

/// The largest picture of a file.
pub(crate) fn header(view: ByteView<'_>) -> Option<ContainerHeader> {
    pages(view, false).ok().map(|pages| pages.largest).filter(|header| header.width > 0)
}

fn pages(view: ByteView<'_>, is_strict: bool) -> Result<TiffPages<'_>> {
    let end = if view.len() < 8 { 8 } else { 16 };
    let tiff = Tiff::open(view, true).ok_or_else(|| view.cut(end, "the head"))?;
    if tiff.is_wide {
        view.reach(end, "the head")?;
    }
    let mut pages = TiffPages {
        tiff,
        is_strict,
        end: 0,
        waiting: vec![tiff.first],
        seen: BTreeSet::new(),
        largest: ContainerHeader::default(),
    };
    while let Some(at) = pages.waiting.pop() {
        if at == 0 || !pages.seen.insert(at) {
            continue;
        }
        if pages.seen.len() > MOST_DIRECTORIES {
            let message = format!("there are more than {MOST_DIRECTORIES} directories");
            return Err(Error::limit(message).at_offset(at));
        }
        match pages.directory(at) {
            Err(error) if is_strict => return Err(error),
            _ => {}
        }
    }
    if pages.seen.is_empty() {
        return Err(damaged("there is no directory", 4));
    }
    Ok(pages)
}

impl TiffPages<'_> {
    fn reach(&mut self, end: u64, what: &str) -> Result<()> {
        self.end = self.end.max(end);
        if self.is_strict { self.tiff.view.reach(end, what) } else { Ok(()) }
    }

    /// Looks at a directory, and keeps those that it leads to.
    fn directory(&mut self, at: u64) -> Result<()> {
        const WHAT: &str = "a directory";
        self.reach(at.saturating_add(2), WHAT)?;
        let view = self.tiff.view;
        let directory = self.tiff.directory(at);
        let directory = directory.ok_or_else(|| view.cut(at.saturating_add(8), WHAT))?;
        self.reach(directory.end(), WHAT)?;
        let bytes = directory.bytes().ok_or_else(|| view.cut(directory.end(), WHAT))?;
        let mut page = ContainerHeader { channels: 1, bits: 1, ..ContainerHeader::default() };
        let mut places = [None; 2 * PLACES.len()];
        let inline = self.tiff.offset_bytes() as u64;
        for entry in (0..directory.count as usize).filter_map(|n| directory.entry(&bytes, n)) {
            if entry.bytes() > inline {
                let what = format!("the values of tag {:#06x}", entry.tag);
                self.reach(entry.at.saturating_add(entry.bytes()), &what)?;
            }
            self.keep(entry, &mut page, &mut places);
        }
        // Some writers leave the link to the next one out where the file ends.
        self.waiting.extend(directory.next());
        if self.is_strict {
            self.pixels(&places)?;
        }
        let area = |page: &ContainerHeader| u64::from(page.width) * u64::from(page.height);
        if area(&page) > area(&self.largest) {
            self.largest = page;
        }
        Ok(())
    }

    fn keep(
        &mut self,
        entry: TiffEntry,
        page: &mut ContainerHeader,
        places: &mut [Option<TiffEntry>],
    ) {
        let number = |most| self.values(entry, most).next().unwrap_or(0);
        match entry.tag {
            tags::IMAGE_WIDTH => page.width = number(1) as u32,
            tags::IMAGE_LENGTH => page.height = number(1) as u32,
            tags::BITS_PER_SAMPLE => page.bits = number(1) as u16,
            tags::SAMPLES_PER_PIXEL => page.channels = number(1) as u16,
            tags::SAMPLE_FORMAT => {
                page.sample = match number(1) {
                    2 => SampleKind::Int,
                    3 => SampleKind::Float,
                    _ => SampleKind::Uint,
                }
            }
            tags::PHOTOMETRIC_INTERPRETATION => page.color = color_model(number(1)),
            tags::ICC_PROFILE => page.has_profile = true,
            tags::SUB_IFDS | tags::EXIF_IFD | tags::GPS_IFD | tags::INTEROP_IFD => {
                let below: Vec<u64> = self.values(entry, 1024).collect();
                self.waiting.extend(below);
            }
            tag => {
                let lists = PLACES.iter().flat_map(|(offsets, bytes, _)| [offsets, bytes]);
                if let Some((place, _)) = places.iter_mut().zip(lists).find(|(_, of)| **of == tag) {
                    *place = Some(entry);
                }
            }
        }
    }

    /// Whole numbers, at most `most`, as far as they are there.
    fn values(&self, entry: TiffEntry, most: u64) -> impl Iterator<Item = u64> {
        let (tiff, size) = (self.tiff, entry.field_type.size());
        (0..entry.count.min(most))
            .map_while(move |n| tiff.word(entry.at.saturating_add(n * size as u64), size))
    }

    /// That all pixels lie within the file.
    fn pixels(&mut self, places: &[Option<TiffEntry>]) -> Result<()> {
        for (pair, (.., what)) in places.chunks_exact(2).zip(PLACES) {
            let [Some(offsets), Some(bytes)] = pair else { continue };
            if offsets.count != bytes.count {
                continue;
            }
            let all = self.values(*offsets, MOST_VALUES).zip(self.values(*bytes, MOST_VALUES));
            let end = all.map(|(at, bytes)| at.saturating_add(bytes)).max().unwrap_or(0);
            self.reach(end, &format!("{what} of pixels"))?;
        }
        Ok(())
    }
}
