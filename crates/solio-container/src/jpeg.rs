//! JPEG: segments, each with a marker and, except a few, a length; then the packed pixels
//! (ITU-T T.81, annex B).

use crate::cursor::{ViewCursor, damaged};
use crate::{ByteView, ColorModel, ContainerHeader, ContainerReport, boxes};
use solio_base::{Error, Result};

/// Pictures behind each other; cameras write three.
const MOST_PICTURES: usize = 64;
/// Most bytes between segments that readers of damaged files pass over.
const MOST_SKIPPED: u64 = 1 << 20;
/// Bytes of packed pixels that are searched at once.
const WIDE: u64 = 64 << 10;

const START: u8 = 0xd8;
const END: u8 = 0xd9;
const SCAN: u8 = 0xda;
/// The marker of comments.
pub const COMMENT: u8 = 0xfe;

/// A segment, or a marker that stands alone.
#[derive(Clone, Copy)]
pub struct JpegSegment<'a> {
    /// The second byte of its marker.
    pub marker: u8,
    /// Where it starts.
    pub at: u64,
    /// How many bytes that belong to nothing lie between the segment before and this one.
    pub skipped: u64,
    /// Where its content starts.
    pub start: u64,
    /// How many bytes of content its header promises; 0 for markers alone.
    pub len: u64,
    /// Its content, as far as the file has it.
    pub body: ByteView<'a>,
}

impl JpegSegment<'_> {
    /// The number of an application segment: 1 for APP1.
    pub fn application(&self) -> Option<u8> {
        self.marker.checked_sub(0xe0).filter(|number| *number < 16)
    }

    /// Where the next one starts, if nothing lies between.
    pub fn end(&self) -> u64 {
        self.start + self.len
    }

    /// The frame header, if it is one: all of C0 to CF except three, and F7 of JPEG-LS.
    pub fn frame(&self) -> Option<ContainerHeader> {
        let is_frame =
            matches!(self.marker, 0xc0..=0xcf | 0xf7) && !matches!(self.marker, 0xc4 | 0xc8 | 0xcc);
        let [bits, h1, h0, w1, w0, components] = self.body.array(0).filter(|_| is_frame)?;
        Some(ContainerHeader {
            width: u16::from_be_bytes([w1, w0]).into(),
            height: u16::from_be_bytes([h1, h0]).into(),
            bits: bits.into(),
            channels: components.into(),
            color: match components {
                1 => ColorModel::Grey,
                3 => ColorModel::YCbCr,
                4 => ColorModel::Cmyk,
                _ => ColorModel::Unknown,
            },
            ..ContainerHeader::default()
        })
    }
}

/// The segments of a picture up to the marker that ends it; packed pixels are passed over when the
/// segment behind them is asked for. After an error nothing follows.
///
/// ```
/// use solio_container::{ByteView, jpeg::JpegSegments};
/// let file = b"\xff\xd8\xff\xe0\0\x07JFIF\0\xff\xd9";
/// let markers = JpegSegments::new(ByteView::memory(file), 2).map(|segment| segment.unwrap().marker);
/// assert_eq!(markers.collect::<Vec<u8>>(), [0xe0, 0xd9]);
/// ```
pub struct JpegSegments<'a> {
    file: ViewCursor<'a>,
    last: u8,
}

impl<'a> JpegSegments<'a> {
    /// Those that follow from `at`, behind the marker that starts the picture.
    pub fn new(view: ByteView<'a>, at: u64) -> Self {
        JpegSegments { file: ViewCursor::new(view, at), last: START }
    }

    /// Where the next segment is looked for.
    pub fn at(&self) -> u64 {
        self.file.at
    }

    fn segment(&mut self, last: u8) -> Result<JpegSegment<'a>> {
        if last == SCAN {
            self.pass_pixels()?;
        }
        let (view, start) = (self.file.view, self.file.at);
        view.reach(start + 1, "the segments")?;
        let Some(at) = view.find(0xff, start, MOST_SKIPPED) else {
            return Err(no_marker(view, start));
        };
        // Bytes of 255 in front of a marker are filling.
        let mut marker = 0xff;
        self.file.at = at + 1;
        while marker == 0xff {
            [marker] = self.file.take("the segments")?;
        }
        let mut len = 0;
        if !matches!(marker, 0x00 | 0x01 | 0xd0..=END) {
            let length = self.file.be16("a segment")?.checked_sub(2);
            len = length.ok_or_else(|| damaged("a segment has less than its own length", start))?;
        }
        let (body, content) = (view.part(self.file.at, len), self.file.at);
        self.file.at += len;
        self.last = marker;
        Ok(JpegSegment { marker, at: start, skipped: at - start, start: content, len, body })
    }

    /// Passes over packed pixels, to the marker behind them.
    fn pass_pixels(&mut self) -> Result<()> {
        loop {
            let ViewCursor { view, at } = self.file;
            let part = self.file.rest().min(WIDE);
            let found = view.with(at, part as usize, |part| {
                // Markers in the pixels are only restarts; a 255 of theirs has a small byte behind.
                let is_marker = |next: &u8| *next >= 0xc0 && !matches!(next, 0xd0..=0xd7 | 0xff);
                let found = memchr::memchr_iter(0xff, part)
                    .find(|at| part.get(at + 1).is_some_and(is_marker));
                // A marker may be cut by the end of the part.
                let cut = part.len() > 1 && part.ends_with(&[0xff]);
                found.ok_or(part.len() - usize::from(cut))
            });
            match found {
                Some(Err(passed @ 1..)) => self.file.at += passed as u64,
                Some(Ok(passed)) => {
                    self.file.at += passed as u64;
                    return Ok(());
                }
                _ => {
                    let message =
                        "the file ends inside the pixels: the marker of their end is missing";
                    return Err(damaged(message, view.len()));
                }
            }
        }
    }
}

impl<'a> Iterator for JpegSegments<'a> {
    type Item = Result<JpegSegment<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        let last = std::mem::replace(&mut self.last, END);
        (last != END).then(|| self.segment(last))
    }
}

fn no_marker(view: ByteView<'_>, at: u64) -> Error {
    let byte = view.u8(at).unwrap_or(0);
    damaged(format!("a marker was expected, not the byte {byte:#04x}"), at)
}

/// The segments of a picture before its pixels, as far as they are there.
pub fn head(view: ByteView<'_>) -> impl Iterator<Item = JpegSegment<'_>> {
    let start = if view.u8(1) == Some(START) { 2 } else { 7 };
    let segments = JpegSegments::new(view, start).map_while(Result::ok);
    segments.take_while(|segment| !matches!(segment.marker, SCAN | END))
}

/// Checks pictures behind each other, and a film behind them.
pub(crate) fn check(view: ByteView<'_>) -> Result<ContainerReport> {
    let mut report = ContainerReport::default();
    let mut at = 0;
    for picture in 0..MOST_PICTURES {
        view.reach(at + 2, "the start of a picture")?;
        let mut segments = JpegSegments::new(view, at + 2);
        let frame = check_picture(view, &mut segments)?;
        if let (0, Some(frame)) = (picture, frame) {
            report.found = frame.pixels();
        }
        at = segments.at();
        let rest = view.from(at);
        // What follows is mostly another picture (CIPA DC-007), or a film.
        if rest.part(4, 4).starts_with(b"ftyp") && !rest.starts_with(&[0xff, START, 0xff]) {
            boxes::check_rest(view, at)?;
            break;
        }
        if !rest.starts_with(&[0xff, START, 0xff]) {
            report.note_rest(rest);
            break;
        }
    }
    Ok(report)
}

/// Checks a file of metadata as Exiv2 keeps it: segments without a picture.
pub(crate) fn check_exv(view: ByteView<'_>) -> Result<ContainerReport> {
    view.reach(7, "the head")?;
    let mut segments = JpegSegments::new(view, 7);
    check_picture(view, &mut segments)?;
    let found = "segments without a picture".into();
    let mut report = ContainerReport { found, ..ContainerReport::default() };
    report.note_rest(view.from(segments.at()));
    Ok(report)
}

fn check_picture(
    view: ByteView<'_>,
    segments: &mut JpegSegments<'_>,
) -> Result<Option<ContainerHeader>> {
    let mut frame = None;
    while let Some(segment) = segments.next() {
        let segment = segment?;
        let at = segment.at;
        if segment.skipped > 0 {
            return Err(no_marker(view, at));
        }
        view.reach(segment.end(), "a segment")?;
        frame = segment.frame().or(frame);
        match segment.marker {
            START => return Err(damaged("another picture starts inside this one", at)),
            SCAN if frame.is_none() => {
                let message = "pixels come before the header that says their size";
                return Err(damaged(message, at));
            }
            // Within packed pixels the end has no meaning: a file that ends so is whole.
            SCAN if view.tail() == [0xff, END] => {
                segments.file.at = view.len();
                break;
            }
            _ => {}
        }
    }
    Ok(frame)
}
