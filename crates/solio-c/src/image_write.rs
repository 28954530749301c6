//! Writing OpenEXR from the caller's memory.

use crate::border::{self, Failure, Outcome, Sized0, call, given, slice, solio_error};
use crate::image::{Placed, solio_slice, solio_window};
use crate::job::{solio_work, work_and_limits};
use crate::mesh_write::{solio_written, tell};
use half::f16;
use solio::ImageWriteOptions;
use solio_exr::header::{Box2i, Part, Value};
use solio_exr::model::{FlatLevel, ImagePart, Pixels, Plane, Samples};
use solio_exr::{Channel, Compression, Image, PixelType};
use std::borrow::Cow;
use std::ffi::{CStr, c_char};

/// The methods of compression, as a header of OpenEXR names them.
pub(crate) const METHODS: &[(&CStr, Compression)] = &[
    (c"none", Compression::None),
    (c"rle", Compression::Rle),
    (c"zips", Compression::Zips),
    (c"zip", Compression::Zip),
    (c"piz", Compression::Piz),
    (c"pxr24", Compression::Pxr24),
    (c"b44", Compression::B44),
    (c"b44a", Compression::B44a),
    (c"dwaa", Compression::Dwaa),
    (c"dwab", Compression::Dwab),
    (c"htj2k256", Compression::Htj2k256),
    (c"htj2k32", Compression::Htj2k32),
    (c"lj2k", Compression::Lj2k),
    (c"zstd", Compression::Zstd),
];

/// What is written.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types)]
pub struct solio_image_write_options {
    /// `sizeof(solio_image_write_options)`.
    pub size: u64,
    /// The pixels that the slices have.
    pub data_window: solio_window,
    /// The pixels of the whole picture; where all four are zero, those of `data_window`.
    pub display_window: solio_window,
    /// `none`, `rle`, `zips`, `zip`, `piz`, `pxr24`, `b44`, `b44a`, `dwaa`, `dwab` or `zstd`, with a zero
    /// at its end; null is `zip`.
    pub compression: *const c_char,
    /// How hard; 0 is the usual way: ZIP 1 to 12, ZSTD -7 to 22, of DWA and LJ2K the quality.
    pub level: f32,
    /// 1 where the file is on the disk, not only in the system's memory, when writing returns.
    pub durable: u32,
    /// How the machine is used; may be null.
    pub work: *const solio_work,
}

// SAFETY: numbers and pointers, after the size.
unsafe impl Sized0 for solio_image_write_options {}

/// # Safety
/// Null, or text with a zero at its end.
unsafe fn method(name: *const c_char) -> Outcome<Compression> {
    if name.is_null() {
        return Ok(Compression::Zip);
    }
    // SAFETY: as the caller promises.
    let name = unsafe { CStr::from_ptr(name) };
    let found = METHODS.iter().find(|(known, _)| *known == name).map(|(_, method)| *method);
    found.ok_or_else(|| {
        Failure::argument(format!("there is no compression {:?}", name.to_string_lossy()))
    })
}

/// The samples of a slice, without a copy where they lie side by side.
///
/// # Safety
/// As `solio_slice` says.
unsafe fn samples<'a>(placed: &Placed, width: u64, height: u64) -> Outcome<Samples<'a>> {
    // SAFETY: as the caller promises.
    unsafe {
        Ok(match placed.kind {
            PixelType::Half => Samples::Half(plane::<f16>(placed, width, height)?),
            PixelType::Float => Samples::Float(plane::<f32>(placed, width, height)?),
            PixelType::Uint => Samples::Uint(plane::<u32>(placed, width, height)?),
        })
    }
}

/// # Safety
/// As `solio_slice` says; any bits are a `T`.
unsafe fn plane<'a, T: Copy>(placed: &Placed, width: u64, height: u64) -> Outcome<Cow<'a, [T]>>
where
    [T]: ToOwned<Owned = Vec<T>>,
{
    let bytes = size_of::<T>() as i64;
    let start = placed.start.cast::<T>();
    let is_plain = placed.x_stride == bytes && placed.y_stride == bytes * width as i64;
    if is_plain && start.is_aligned() {
        // SAFETY: as the caller promises.
        return Ok(unsafe { slice("the samples", start.cast_const(), width * height) }?.into());
    }
    let mut all = Vec::<T>::new();
    let count = usize::try_from(width * height).unwrap_or(usize::MAX);
    all.try_reserve_exact(count).map_err(|_| Failure::memory(width * height * bytes as u64))?;
    for y in 0..height as i64 {
        for x in 0..width as i64 {
            let place = y * placed.y_stride + x * placed.x_stride;
            // SAFETY: within what the strides reach.
            all.push(unsafe { placed.start.offset(place as isize).cast::<T>().read_unaligned() });
        }
    }
    Ok(all.into())
}

/// Writes an OpenEXR of one part, in scanlines. The file appears whole, or what was there before stays.
/// `written` may be null. A name that promises another kind of file is an error.
///
/// # Safety
/// As the head of the header says; the memory of a slice is all that its strides reach.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn solio_image_write(
    path: *const c_char,
    path_length: u64,
    options: *const solio_image_write_options,
    slices: *const solio_slice,
    slice_count: u64,
    written: *mut solio_written,
    error: *mut solio_error,
) -> i32 {
    // SAFETY: as the caller promises.
    unsafe {
        call(error, || {
            let path = border::path(path, path_length)?;
            solio::check_exr_name(&path)?;
            let asked = given("solio_image_write_options", options)?;
            let slices = slice("the slices", slices, slice_count)?;
            let (work, limits) = work_and_limits(asked.work)?;
            let window = Box2i::from(asked.data_window);
            let (width, height) = (window.width(), window.height());
            let pixels = width.checked_mul(height).filter(|pixels| *pixels > 0);
            let pixels =
                pixels.ok_or_else(|| Failure::argument("the data window has no pixels"))?;
            limits.check_elements("pixels", pixels)?;
            let mut planes = Vec::new();
            for slice in slices {
                let placed = Placed::of(slice, width)?;
                let channel = Channel::new(&*placed.name, placed.kind);
                planes.push(Plane { channel, samples: samples(&placed, width, height)? });
            }
            planes.sort_by(|a, b| a.channel.by_name(&b.channel));
            let channels = planes.iter().map(|plane| plane.channel.clone()).collect();
            let mut header = Part::new(window, method(asked.compression)?, channels);
            let display = Box2i::from(asked.display_window);
            if display != (Box2i { min: [0; 2], max: [0; 2] }) {
                header.set("displayWindow", Value::Box2i(display));
            }
            let level = FlatLevel { x: 0, y: 0, window, planes };
            let parts = vec![ImagePart { header, pixels: Pixels::Flat(vec![level]) }];
            let image = Image { parts, ..Image::default() };
            let mut options = ImageWriteOptions::default();
            options.exr.level = (asked.level != 0.0).then_some(asked.level);
            options.durable = asked.durable != 0;
            tell(written, &solio::write_image(&image, &path, &options, &work)?)
        })
    }
}
