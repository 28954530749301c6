//! Reading OpenEXR: the header, and pixels into the caller's memory.

use crate::border::{
    self, Failure, Outcome, Sized0, call, fill, given, hand_out, slice, solio_error,
};
use crate::handle::{Opaque, opaque};
use crate::job::{solio_work, work_and_limits};
use crate::mesh_array::{SOLIO_F16, SOLIO_F32, SOLIO_U32};
use half::f16;
use solio_base::Limits;
use solio_exr::header::{Box2i, Header, Part};
use solio_exr::{IntoOptions, PixelType, RasterMut, SamplesMut, decode_exr_into, decode_header};
use solio_io::OpenedSource;
use std::ffi::c_char;
use std::ops::Range;
use std::path::PathBuf;

/// An open file and its header.
pub struct ImageState {
    path: PathBuf,
    opened: OpenedSource,
    header: Header,
    limits: Limits,
}

opaque!(
    /// An open image. Free it with `solio_image_free`, which closes the file.
    solio_image,
    ImageState,
    b"solimag\0",
    "solio_image"
);

/// Pixels: both ends belong to it, as in OpenEXR.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct solio_window {
    /// Lowest column.
    pub min_x: i32,
    /// Lowest row.
    pub min_y: i32,
    /// Highest column.
    pub max_x: i32,
    /// Highest row.
    pub max_y: i32,
}

impl From<Box2i> for solio_window {
    fn from(window: Box2i) -> Self {
        let Box2i { min: [min_x, min_y], max: [max_x, max_y] } = window;
        solio_window { min_x, min_y, max_x, max_y }
    }
}

impl From<solio_window> for Box2i {
    fn from(window: solio_window) -> Self {
        Box2i { min: [window.min_x, window.min_y], max: [window.max_x, window.max_y] }
    }
}

/// A part of an image.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct solio_part {
    /// `sizeof(solio_part)`.
    pub size: u64,
    /// The pixels that there are.
    pub data_window: solio_window,
    /// The pixels of the whole picture.
    pub display_window: solio_window,
    /// The name, UTF-8 or whatever the file has, without a zero at its end; null where it has none.
    pub name: *const c_char,
    /// Bytes of the name.
    pub name_length: u64,
    /// The method of compression, with a zero at its end, such as `zip`.
    pub compression: *const c_char,
    /// Channels.
    pub channels: u32,
    /// 1 where it is stored in tiles, else 0.
    pub is_tiled: u32,
    /// 1 where pixels have any number of samples, else 0; `solio_image_read` reads none of those.
    pub is_deep: u32,
    /// Zero.
    pub reserved: u32,
}

// SAFETY: numbers and pointers, after the size.
unsafe impl Sized0 for solio_part {}

/// A channel of a part.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct solio_channel {
    /// `sizeof(solio_channel)`.
    pub size: u64,
    /// The full name, without a zero at its end.
    pub name: *const c_char,
    /// Bytes of the name.
    pub name_length: u64,
    /// `SOLIO_F16`, `SOLIO_F32` or `SOLIO_U32`.
    pub kind: u32,
    /// It has samples in every so many columns.
    pub x_sampling: u32,
    /// It has samples in every so many rows.
    pub y_sampling: u32,
    /// Zero.
    pub reserved: u32,
}

// SAFETY: numbers and a pointer, after the size.
unsafe impl Sized0 for solio_channel {}

/// Where a channel's samples go, or come from: the sample at column `x` and row `y` of the window, both
/// from 0 on, is at `start + x × x_stride + y × y_stride`.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct solio_slice {
    /// The channel's full name, UTF-8 with a zero at its end.
    pub name: *const c_char,
    /// The sample at the top left of the window.
    pub start: *mut u8,
    /// Bytes from a sample to the one right of it; 0 is that of samples side by side.
    pub x_stride: i64,
    /// Bytes from a sample to the one below it, which may be negative; 0 is that of rows one directly
    /// after the other.
    pub y_stride: i64,
    /// `SOLIO_F16`, `SOLIO_F32` or `SOLIO_U32`; samples of another kind are converted.
    pub kind: u32,
    /// 1 where a part that lacks the channel gives `fill`, 0 where that is an error.
    pub may_lack: u32,
    /// See `may_lack`; one for all slices of a call, the first that has `may_lack` counts.
    pub fill: f32,
    /// Zero.
    pub reserved: u32,
}

/// Opens the OpenEXR at `path` and reads its header. `work` may be null.
///
/// # Safety
/// As the head of the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn solio_image_open(
    path: *const c_char,
    path_length: u64,
    work: *const solio_work,
    image: *mut *mut solio_image,
    error: *mut solio_error,
) -> i32 {
    // SAFETY: as the caller promises.
    unsafe {
        call(error, || {
            let path = border::path(path, path_length)?;
            let (work, limits) = work_and_limits(work)?;
            let opened = solio_io::open(&path, &limits, &work)?;
            let header = decode_header(&*opened.source, &limits).map_err(|e| e.at_path(&path))?;
            hand_out(image, ImageState { path, opened, header, limits })
        })
    }
}

/// How many parts an image has.
///
/// # Safety
/// As the head of the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn solio_image_parts(
    image: *const solio_image,
    parts: *mut u64,
    error: *mut solio_error,
) -> i32 {
    // SAFETY: as the caller promises.
    unsafe {
        call(error, || {
            let taken = solio_image::take(image)?;
            border::put("the number", parts, taken.header.parts.len() as u64)
        })
    }
}

fn part_of(state: &ImageState, number: u32) -> Outcome<&Part> {
    state.header.parts.get(number as usize).ok_or_else(|| {
        let there = state.header.parts.len();
        Failure::argument(format!("there is no part {number}; the file has {there}"))
    })
}

/// A part, by its number from 0 on. All pointers are there as long as the image.
///
/// # Safety
/// As the head of the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn solio_image_part(
    image: *const solio_image,
    number: u32,
    part: *mut solio_part,
    error: *mut solio_error,
) -> i32 {
    // SAFETY: as the caller promises.
    unsafe {
        call(error, || {
            let taken = solio_image::take(image)?;
            let found = part_of(&taken, number)?;
            let shape = found.shape()?;
            let name = found.name();
            let told = solio_part {
                size: 0,
                data_window: shape.data_window.into(),
                display_window: found.display_window().unwrap_or(shape.data_window).into(),
                name: name.map_or(std::ptr::null(), |name| name.0.as_ptr().cast()),
                name_length: name.map_or(0, |name| name.0.len() as u64),
                compression: zero_ended(shape.compression),
                channels: found.channels().len() as u32,
                is_tiled: shape.kind.is_tiled().into(),
                is_deep: shape.kind.is_deep().into(),
                reserved: 0,
            };
            fill("solio_part", part, &told)
        })
    }
}

/// Names of methods with a zero at the end.
fn zero_ended(compression: solio_exr::Compression) -> *const c_char {
    let text = crate::image_write::METHODS.iter().find(|(_, method)| *method == compression);
    text.map_or(std::ptr::null(), |(name, _)| name.as_ptr())
}

/// A channel of a part, both by their numbers from 0 on. The name is there as long as the image.
///
/// # Safety
/// As the head of the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn solio_image_channel(
    image: *const solio_image,
    part: u32,
    number: u32,
    channel: *mut solio_channel,
    error: *mut solio_error,
) -> i32 {
    // SAFETY: as the caller promises.
    unsafe {
        call(error, || {
            let taken = solio_image::take(image)?;
            let found = part_of(&taken, part)?.channels().get(number as usize);
            let found =
                found.ok_or_else(|| Failure::argument(format!("there is no channel {number}")))?;
            let told = solio_channel {
                size: 0,
                name: found.name.as_ptr().cast(),
                name_length: found.name.len() as u64,
                kind: kind(found.pixel_type),
                x_sampling: found.x_sampling as u32,
                y_sampling: found.y_sampling as u32,
                reserved: 0,
            };
            fill("solio_channel", channel, &told)
        })
    }
}

fn kind(pixel_type: PixelType) -> u32 {
    match pixel_type {
        PixelType::Half => SOLIO_F16,
        PixelType::Float => SOLIO_F32,
        PixelType::Uint => SOLIO_U32,
    }
}

pub(crate) fn pixel_type(kind: u32) -> Outcome<PixelType> {
    match kind {
        SOLIO_F16 => Ok(PixelType::Half),
        SOLIO_F32 => Ok(PixelType::Float),
        SOLIO_U32 => Ok(PixelType::Uint),
        other => Err(Failure::argument(format!("samples of kind {other}: F16, F32 or U32"))),
    }
}

/// A slice, looked through.
pub(crate) struct Placed {
    pub(crate) name: String,
    pub(crate) start: *mut u8,
    pub(crate) x_stride: i64,
    pub(crate) y_stride: i64,
    pub(crate) kind: PixelType,
}

impl Placed {
    /// # Safety
    /// As `solio_slice` says.
    pub(crate) unsafe fn of(slice: &solio_slice, width: u64) -> Outcome<Placed> {
        if slice.start.is_null() || slice.name.is_null() {
            let text = "a slice has no name, or no memory";
            return Err(Failure::new(border::SOLIO_HANDLE, text));
        }
        // SAFETY: as the caller promises.
        let name = unsafe { std::ffi::CStr::from_ptr(slice.name) }.to_str();
        let name = name.map_err(|e| Failure::argument(format!("the name of a channel: {e}")))?;
        let kind = pixel_type(slice.kind)?;
        let x_stride = if slice.x_stride == 0 { kind.bytes() as i64 } else { slice.x_stride };
        let row = i64::try_from(width).ok().and_then(|width| width.checked_mul(x_stride));
        let row = row.ok_or_else(|| Failure::argument("rows are too long"))?;
        let y_stride = if slice.y_stride == 0 { row } else { slice.y_stride };
        Ok(Placed { name: name.to_owned(), start: slice.start, x_stride, y_stride, kind })
    }

    /// Whether rows of this slice, taken for `channels` side by side, lie as a raster has them: samples
    /// at whole places, pixels and rows that follow each other.
    fn is_raster(&self, channels: usize, [columns, _]: [u64; 2]) -> bool {
        let bytes = self.kind.bytes() as i64;
        let whole = |stride: i64| stride > 0 && stride % bytes == 0;
        let row = (columns as i64 - 1).checked_mul(self.x_stride);
        let row = row.and_then(|row| row.checked_add(bytes * channels as i64));
        (self.start as usize).is_multiple_of(bytes as usize)
            && whole(self.x_stride)
            && whole(self.y_stride)
            && row.is_some_and(|row| self.y_stride >= row)
    }
}

/// Slices that lie side by side in each pixel, in the order of their places.
fn interleaved(slices: Vec<Placed>) -> Vec<Vec<Placed>> {
    let mut groups: Vec<Vec<Placed>> = Vec::new();
    let mut rest = slices;
    rest.sort_by_key(|slice| (slice.x_stride, slice.y_stride, slice.start as usize));
    for slice in rest {
        let bytes = slice.kind.bytes();
        match groups.last_mut() {
            Some(group)
                if group.len() as i64 * (bytes as i64) < slice.x_stride
                    && group[0].kind == slice.kind
                    && (group[0].x_stride, group[0].y_stride)
                        == (slice.x_stride, slice.y_stride)
                    && group[0].start as usize + group.len() * bytes == slice.start as usize =>
            {
                group.push(slice);
            }
            _ => groups.push(vec![slice]),
        }
    }
    groups
}

/// Rows that go through memory of our own at once: about so many bytes for each thread, which stay in the
/// processor's caches, and at most so many in all.
const BAND_BYTES: u64 = 1 << 20;
const MOST_BAND_BYTES: u64 = 32 << 20;

/// How an image is read.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct solio_image_read_options {
    /// `sizeof(solio_image_read_options)`.
    pub size: u64,
    /// The part, from 0 on.
    pub part: u32,
    /// How often the width was halved.
    pub level_x: u32,
    /// How often the height was halved.
    pub level_y: u32,
    /// 1 where chunks that are missing or damaged leave zeros, 0 where they are an error.
    pub partial: u32,
    /// Only these pixels, in the coordinates of the level, all of which the level has; null is all of
    /// the level.
    pub window: *const solio_window,
    /// How the machine is used; may be null.
    pub work: *const solio_work,
}

// SAFETY: numbers and pointers, after the size.
unsafe impl Sized0 for solio_image_read_options {}

/// Reads pixels into the caller's memory. A subsampled channel has so many fewer columns and rows.
/// Slices that lie as rows of whole pixels are filled without a copy, others by way of some rows at a
/// time. `missing`, which may be null, gets how many chunks were missing.
///
/// # Safety
/// As the head of the header says; the memory of a slice is all that its strides reach.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn solio_image_read(
    image: *const solio_image,
    options: *const solio_image_read_options,
    slices: *const solio_slice,
    slice_count: u64,
    missing: *mut u64,
    error: *mut solio_error,
) -> i32 {
    // SAFETY: as the caller promises.
    unsafe {
        call(error, || {
            let taken = solio_image::take(image)?;
            let asked = given("solio_image_read_options", options)?;
            let slices = slice("the slices", slices, slice_count)?;
            let (work, _) = work_and_limits(asked.work)?;
            let level = (asked.level_x, asked.level_y);
            let shape = part_of(&taken, asked.part)?.shape()?;
            let whole = shape.levels.iter().find(|found| (found.x, found.y) == level);
            let whole = whole
                .ok_or_else(|| Failure::argument(format!("there is no level {level:?}")))?
                .window;
            let window = match asked.window.is_null() {
                true => whole,
                false => asked.window.read().into(),
            };
            if window.intersection(&whole) != Some(window) {
                let text = format!("the level has {whole:?}, and not all of {window:?}");
                return Err(Failure::argument(text));
            }
            let fill = slices.iter().find(|slice| slice.may_lack != 0).map(|slice| slice.fill);
            let into = IntoOptions {
                part: asked.part as usize,
                level,
                window: Some(window),
                fill,
                fresh: false,
                partial: asked.partial != 0,
                limits: taken.limits,
            };
            let part = part_of(&taken, asked.part)?;
            let placed = slices.iter().map(|slice| {
                let mut placed = Placed::of(slice, window.width())?;
                if slice.y_stride == 0 {
                    placed.y_stride =
                        extent(part, &placed.name, window)[0] as i64 * placed.x_stride;
                }
                Ok(placed)
            });
            let lost = read(&taken, &into, placed.collect::<Outcome<_>>()?, &work)?;
            if !missing.is_null() {
                missing.write(lost);
            }
            Ok(())
        })
    }
}

/// Columns and rows of the samples that a channel has in `window`; one that the part lacks has all.
fn extent(part: &Part, name: &str, window: Box2i) -> [u64; 2] {
    let channel = part.channels().iter().find(|channel| channel.name == name);
    let rates = channel.map_or([1, 1], |channel| [channel.x_sampling, channel.y_sampling]);
    [0, 1].map(|axis| {
        let rate = i64::from(rates[axis].max(1));
        let before = (i64::from(window.min[axis]) - 1).div_euclid(rate);
        (i64::from(window.max[axis]).div_euclid(rate) - before) as u64
    })
}

/// Where the samples of a raster lie, from the first to the last.
fn memory_of(group: &[Placed], [columns, rows]: [u64; 2]) -> Range<usize> {
    let (first, start) = (&group[0], group[0].start as usize);
    if columns == 0 || rows == 0 {
        return start..start;
    }
    let rows = (rows as usize).saturating_sub(1).saturating_mul(first.y_stride as usize);
    let pixels = (columns as usize).saturating_sub(1).saturating_mul(first.x_stride as usize);
    let last = rows.saturating_add(pixels).saturating_add(group.len() * first.kind.bytes());
    start..start.saturating_add(last)
}

/// # Safety
/// As `solio_image_read`.
unsafe fn read(
    state: &ImageState,
    options: &IntoOptions,
    slices: Vec<Placed>,
    work: &solio_base::Work,
) -> Outcome<u64> {
    let window = options.window.expect("set by the caller");
    let groups = interleaved(slices);
    let part = part_of(state, options.part as u32)?;
    let extent_of = |group: &[Placed]| extent(part, &group[0].name, window);
    let is_raster = |group: &[Placed]| group[0].is_raster(group.len(), extent_of(group));
    let rasters = groups.iter().filter(|group| is_raster(group));
    let taken: Vec<_> = rasters.map(|group| memory_of(group, extent_of(group))).collect();
    // Of what lies in the gaps of another, each goes by way of memory of our own.
    let is_alone = |group: &[Placed]| {
        let own = memory_of(group, extent_of(group));
        let meet = |other: &&Range<usize>| other.start < own.end && own.start < other.end;
        taken.iter().filter(meet).count() == 1
    };
    let (plain, strewn): (Vec<_>, Vec<_>) =
        groups.into_iter().partition(|group| is_raster(group) && is_alone(group));
    let mut missing = 0;
    if !plain.is_empty() {
        let rasters = plain.iter().map(|group| {
            let first = &group[0];
            let bytes = first.kind.bytes();
            RasterMut {
                channels: group.iter().map(|slice| slice.name.clone()).collect(),
                // SAFETY: the caller's memory, for as far as its strides reach, and aligned.
                samples: unsafe {
                    samples(
                        first.kind,
                        first.start,
                        memory_of(group, extent_of(group)).len() / bytes,
                    )
                },
                row_stride: first.y_stride as usize / bytes,
                pixel_stride: first.x_stride as usize / bytes,
            }
        });
        let rasters = rasters.collect();
        let read = decode_exr_into(&*state.opened.source, options, rasters, work);
        missing += read.map_err(|e| e.at_path(&state.path))?.missing.len() as u64;
    }
    // SAFETY: as the caller promises.
    missing +=
        unsafe { read_strewn(state, options, strewn.into_iter().flatten().collect(), work) }?;
    Ok(missing)
}

/// # Safety
/// `count` samples from `start` on are the caller's to be written, and aligned.
unsafe fn samples<'a>(kind: PixelType, start: *mut u8, count: usize) -> SamplesMut<'a> {
    // SAFETY: as the caller promises.
    unsafe {
        match kind {
            PixelType::Half => {
                SamplesMut::Half(std::slice::from_raw_parts_mut(start.cast::<f16>(), count))
            }
            PixelType::Float => {
                SamplesMut::Float(std::slice::from_raw_parts_mut(start.cast::<f32>(), count))
            }
            PixelType::Uint => {
                SamplesMut::Uint(std::slice::from_raw_parts_mut(start.cast::<u32>(), count))
            }
        }
    }
}

/// Reads some rows at a time into memory of our own, and strews them.
///
/// # Safety
/// As `solio_image_read`.
unsafe fn read_strewn(
    state: &ImageState,
    options: &IntoOptions,
    slices: Vec<Placed>,
    work: &solio_base::Work,
) -> Outcome<u64> {
    if slices.is_empty() {
        return Ok(0);
    }
    let part = &state.header.parts[options.part];
    for channel in part.channels().iter().filter(|c| (c.x_sampling, c.y_sampling) != (1, 1)) {
        if slices.iter().any(|slice| slice.name == channel.name) {
            let text =
                format!("{} is subsampled: its samples have to lie side by side", channel.name);
            return Err(Failure::new(border::SOLIO_UNSUPPORTED, text));
        }
    }
    let window = options.window.expect("set by the caller");
    let width = window.width();
    let shape = part.shape()?;
    let level = shape.levels.iter().find(|level| (level.x, level.y) == options.level);
    let first_row = level.map_or(window.min[1], |level| level.window.min[1]);
    let row_bytes = width.saturating_mul(4 * slices.len() as u64).max(1);
    let most = (MOST_BAND_BYTES / row_bytes).max(1);
    // Whole chunks, so that none is decoded twice.
    let chunk_rows = shape.chunk_size[1].clamp(1, most);
    let wanted = BAND_BYTES.saturating_mul(work.threads as u64) / row_bytes;
    let rows = (wanted.clamp(chunk_rows, most) / chunk_rows * chunk_rows).min(window.height());
    let count = (rows * width) as usize;
    let mut planes = Vec::new();
    for _ in &slices {
        let mut plane = Vec::<u32>::new();
        plane.try_reserve_exact(count).map_err(|_| Failure::memory(4 * count as u64))?;
        plane.resize(count, 0);
        planes.push(plane);
    }
    let mut missing = 0;
    let mut top = i64::from(window.min[1]);
    while top <= i64::from(window.max[1]) {
        let into_chunk = (top - i64::from(first_row)).rem_euclid(chunk_rows as i64);
        let taken = (rows as i64 - into_chunk).max(1);
        let bottom = (top + taken - 1).min(i64::from(window.max[1]));
        let band = Box2i { min: [window.min[0], top as i32], max: [window.max[0], bottom as i32] };
        let height = (bottom - top + 1) as usize;
        let rasters = slices.iter().zip(&mut planes).map(|(slice, plane)| RasterMut {
            channels: vec![slice.name.clone()],
            // SAFETY: four bytes are enough for a sample of any kind, and aligned for it.
            samples: unsafe {
                samples(slice.kind, plane.as_mut_ptr().cast(), height * width as usize)
            },
            row_stride: width as usize,
            pixel_stride: 0,
        });
        let rasters = rasters.collect();
        let options = IntoOptions { window: Some(band), ..options.clone() };
        let read = decode_exr_into(&*state.opened.source, &options, rasters, work);
        missing += read.map_err(|e| e.at_path(&state.path))?.missing.len() as u64;
        let above = top - i64::from(window.min[1]);
        for (slice, plane) in slices.iter().zip(&planes) {
            for y in 0..height {
                let offset = (above + y as i64) * slice.y_stride;
                let from = plane.as_ptr().cast::<u8>();
                // SAFETY: rows within our plane, and within what the caller's strides reach.
                unsafe {
                    let from = from.add(y * width as usize * slice.kind.bytes());
                    let to = slice.start.offset(offset as isize);
                    match slice.kind {
                        PixelType::Half => strew::<u16>(from, to, width, slice.x_stride),
                        _ => strew::<u32>(from, to, width, slice.x_stride),
                    }
                }
            }
        }
        top = bottom + 1;
    }
    Ok(missing)
}

/// Samples side by side go to places that are `stride` bytes apart.
///
/// # Safety
/// `from` has `count` samples, and `to` room for them.
unsafe fn strew<T: Copy>(from: *const u8, to: *mut u8, count: u64, stride: i64) {
    for x in 0..count as usize {
        // SAFETY: as the caller promises.
        unsafe {
            let sample = from.cast::<T>().add(x).read();
            to.offset(x as isize * stride as isize).cast::<T>().write_unaligned(sample);
        }
    }
}

/// Closes and frees an image; null is nothing to do.
///
/// # Safety
/// As the head of the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn solio_image_free(image: *mut solio_image) -> i32 {
    // SAFETY: as the caller promises.
    unsafe { call(std::ptr::null_mut(), || solio_image::free(image)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use solio_exr::{Channel, Compression};

    #[test]
    fn subsampled_channels_have_their_own_columns_and_rows() {
        let mut chroma = Channel::new("BY", PixelType::Float);
        (chroma.x_sampling, chroma.y_sampling) = (2, 2);
        let channels = vec![chroma, Channel::new("Y", PixelType::Float)];
        let window = Box2i { min: [-3, 0], max: [3, 9] };
        let part = Part::new(window, Compression::None, channels);
        assert_eq!(extent(&part, "BY", window), [3, 5]);
        assert_eq!(extent(&part, "Y", window), [7, 10]);
        // Rows of samples side by side go straight to their places.
        let mut memory = [0f32; 15];
        let start = memory.as_mut_ptr().cast();
        let (kind, name) = (PixelType::Float, "BY".to_owned());
        let placed = Placed { name, start, x_stride: 4, y_stride: 12, kind };
        assert!(placed.is_raster(1, [3, 5]) && !placed.is_raster(1, [7, 10]));
        assert_eq!(memory_of(&[placed], [3, 5]).len(), size_of_val(&memory));
    }
}
