//! Where a file keeps what can be changed.

use crate::container::heif_items;
use solio_base::{Error, Result, Source};
use solio_container::tiff::{Tiff, tags};
use solio_container::{ByteView, ReadSteps, SourceCache, boxes, jpeg};
use solio_kinds::{FileKind, FileType};

/// Most bytes of one file that are read.
const MOST_READ: u64 = 256 << 20;
/// Most bytes of a packet of XMP.
const MOST_PACKET: u64 = 16 << 20;
/// Bytes behind a JPEG that are searched.
const MOST_TRAILER: u64 = 64 << 20;
const XMP_MARK: &[u8] = b"http://ns.adobe.com/xap/1.0/\0";

/// What the first directory of a block holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BlockRole {
    /// The picture; pointers lead on to the others.
    Main,
    /// EXIF's own.
    Exif,
    /// Where it was taken.
    Gps,
}

/// A block of EXIF.
pub(crate) struct ExifBlock<'a> {
    pub(crate) tiff: Tiff<'a>,
    pub(crate) role: BlockRole,
}

/// All of them.
#[derive(Default)]
pub(crate) struct Blocks<'a> {
    pub(crate) exif: Vec<ExifBlock<'a>>,
    /// Each with its text.
    pub(crate) xmp: Vec<(ByteView<'a>, Vec<u8>)>,
    /// The box `moov`.
    pub(crate) film: Option<ByteView<'a>>,
    pub(crate) is_heif: bool,
    /// Canon's films of one picture say the time of the place.
    pub(crate) is_canon: bool,
    trailer: Option<ByteView<'a>>,
}

/// Finds them, and has `each` use them.
///
/// # Errors
/// `Unsupported` for other formats; those of reading.
pub(crate) fn with<S: Source + ?Sized, T>(
    source: &S,
    extension: &str,
    each: impl FnOnce(&Blocks<'_>) -> T,
) -> Result<T> {
    let by_ref = crate::read::By(source);
    let len = source.len_bytes().filter(|_| !source.is_sequential());
    let len = len.ok_or_else(|| Error::unsupported("a stream cannot be changed in its place"))?;
    let steps = ReadSteps { head: 64 << 10, next: 16 << 10 };
    let cache = SourceCache::new(&by_ref, len, steps, MOST_READ)?;
    let found = each(&find(ByteView::of(&cache), extension)?);
    cache.into_error().map_or(Ok(found), Err)
}

fn find<'a>(view: ByteView<'a>, extension: &str) -> Result<Blocks<'a>> {
    let head = view.get(0, view.len().min(32) as usize).unwrap_or_default();
    let kind = FileType::of_head(&head, extension).map(|found| found.kind);
    let mut blocks = Blocks::default();
    match kind {
        Some(FileKind::Jpeg) => of_jpeg(view, &mut blocks),
        Some(FileKind::Tiff | FileKind::Raw) => of_tiff(view, &mut blocks),
        Some(FileKind::Heif) => {
            blocks.is_heif = true;
            of_heif(view, &mut blocks);
        }
        Some(FileKind::Movie) => {
            blocks.film = top_box(view, b"moov");
            blocks.put_uuid_packets(view);
        }
        Some(FileKind::Cr3) => {
            blocks.is_canon = true;
            blocks.film = top_box(view, b"moov");
            blocks.put_uuid_packets(view);
            of_canon(&mut blocks);
        }
        Some(FileKind::Xmp) => blocks.put_packet(view),
        kind => {
            let what = kind.map_or("this", |kind| kind.title());
            let error = Error::unsupported(format!("{what} is not written"));
            return Err(error.hint("JPEG, TIFF and raws like it, CR3, HEIC, MP4, MOV and XMP are"));
        }
    }
    Ok(blocks)
}

impl<'a> Blocks<'a> {
    fn put_exif(&mut self, view: ByteView<'a>, role: BlockRole) {
        self.exif.extend(Tiff::open(view, false).map(|tiff| ExifBlock { tiff, role }));
    }

    fn put_packet(&mut self, view: ByteView<'a>) {
        if view.place().is_some()
            && let Some(text) = view.all(MOST_PACKET)
        {
            self.xmp.push((view, text.into_owned()));
        }
    }

    fn put_uuid_packets(&mut self, view: ByteView<'a>) {
        const XMP: [u8; 16] = [
            0xbe, 0x7a, 0xcf, 0xcb, 0x97, 0xa9, 0x42, 0xe8, 0x9c, 0x71, 0x99, 0x94, 0x91, 0xe3,
            0xaf, 0xac,
        ];
        let within = self.film.into_iter().flat_map(|film| boxes(film, 0));
        for found in boxes(view, 0).chain(within).map_while(Result::ok) {
            if &found.kind == b"uuid" && found.body.array::<16>(0) == Some(XMP) {
                self.put_packet(found.body.from(16));
            }
            // QuickTime keeps it among what users say.
            if &found.kind == b"udta" {
                for inner in
                    boxes(found.body, 0).map_while(Result::ok).filter(|it| &it.kind == b"XMP_")
                {
                    self.put_packet(inner.body);
                }
            }
        }
    }

    /// What is in the file that may say its place, and is not looked into.
    pub(crate) fn may_hide_places(&self) -> Option<&'static str> {
        let has = |view: ByteView<'_>, words: &[&[u8]], most: u64| {
            let bytes = view.part(0, view.len().min(most)).all(most).unwrap_or_default();
            words.iter().any(|word| memchr::memmem::find(&bytes, word).is_some())
        };
        if let Some(trailer) = self.trailer {
            if has(trailer, &[b"ftyp"], MOST_TRAILER) {
                return Some("a film behind the picture");
            }
            if has(trailer, &[b"Exif\0\0"], MOST_TRAILER) {
                return Some("further pictures behind the first one");
            }
        }
        let tracks: [&[u8]; 4] = [b"gpmd", b"camm", b"djmd", b"dbgi"];
        if self.film.is_some_and(|film| has(film, &tracks, MOST_TRAILER)) {
            return Some("a track of measurements");
        }
        let film = self.film.into_iter().flat_map(|film| boxes(film, 0)).map_while(Result::ok);
        let mut tracks = film.filter(|found| &found.kind == b"trak");
        tracks.any(|track| has(track.body, &[b"location."], 1 << 20)).then_some("a track of places")
    }
}

fn of_jpeg<'a>(view: ByteView<'a>, blocks: &mut Blocks<'a>) {
    for segment in jpeg::head(view).filter(|segment| segment.application() == Some(1)) {
        if segment.body.starts_with(b"Exif\0\0") {
            blocks.put_exif(segment.body.from(6), BlockRole::Main);
        } else if segment.body.starts_with(XMP_MARK) {
            blocks.put_packet(segment.body.from(XMP_MARK.len() as u64));
        }
    }
    let segments = jpeg::JpegSegments::new(view, 2).map_while(Result::ok);
    let end = segments.filter(|segment| segment.marker == 0xd9).map(|segment| segment.end()).next();
    blocks.trailer = end.map(|end| view.from(end)).filter(|trailer| !trailer.is_empty());
}

fn of_tiff<'a>(view: ByteView<'a>, blocks: &mut Blocks<'a>) {
    let Some(tiff) = Tiff::open(view, true) else { return };
    blocks.exif.push(ExifBlock { tiff, role: BlockRole::Main });
    let Some(directory) = tiff.directory(tiff.first) else { return };
    let Some(bytes) = directory.bytes() else { return };
    let entries =
        (0..directory.count.min(1 << 12) as usize).filter_map(|n| directory.entry(&bytes, n));
    for entry in entries.filter(|entry| entry.tag == tags::XMP) {
        blocks.put_packet(view.part(entry.at, entry.bytes()));
    }
}

fn of_heif<'a>(view: ByteView<'a>, blocks: &mut Blocks<'a>) {
    let Some(meta) = top_box(view, b"meta") else { return };
    let items = heif_items(view, meta);
    for part in items.exif {
        let skip = u64::from(part.be32(0).unwrap_or(0)).saturating_add(4);
        blocks.put_exif(part.from(skip), BlockRole::Main);
    }
    items.xmp.into_iter().for_each(|part| blocks.put_packet(part));
    // A sequence is a film, too.
    blocks.film = top_box(view, b"moov");
}

/// Canon's directories, each in a structure of its own.
fn of_canon(blocks: &mut Blocks<'_>) {
    let Some(film) = blocks.film else { return };
    for found in boxes(film, 0).map_while(Result::ok).filter(|found| &found.kind == b"uuid") {
        for part in boxes(found.body, 16).map_while(Result::ok) {
            match &part.kind {
                b"CMT1" => blocks.put_exif(part.body, BlockRole::Main),
                b"CMT2" => blocks.put_exif(part.body, BlockRole::Exif),
                b"CMT4" => blocks.put_exif(part.body, BlockRole::Gps),
                _ => {}
            }
        }
    }
}

fn top_box<'a>(view: ByteView<'a>, kind: &[u8; 4]) -> Option<ByteView<'a>> {
    boxes(view, 0).map_while(Result::ok).take(1 << 14).find(|it| &it.kind == kind).map(|it| it.body)
}
