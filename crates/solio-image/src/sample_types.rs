//! Images with all their channels in one type.

use crate::choice::SingleFlat;
use solio_base::{Error, Result, Source, Work};
use solio_exr::header::{Part, Value};
use solio_exr::model::{FlatLevel, Image, ImagePart, Pixels, Plane, Samples};
use solio_exr::{Channel, IntoOptions, PixelType, RasterMut, ReadOptions, SamplesMut};

/// Reads a file as [`solio_exr::decode_exr`] does; all samples are converted to `pixel_type`, as
/// [`RasterMut`] says: of a single flat part as they are stored, else in a second step.
///
/// ```
/// use solio_exr::{PixelType, ReadOptions, WriteOptions, encode_exr};
/// # use solio_exr::model::Pixels;
/// # let map = solio_color::gradient::colormap("magma").unwrap();
/// # let image = solio_image::gradient_image(&map, [8, 4])?;
/// # let (mut bytes, work) = (Vec::new(), solio_base::Work::default());
/// // The bytes of a file in memory, with samples of 32 bits, as half.
/// encode_exr(&image, &WriteOptions::default(), &mut bytes, &work)?;
/// let image = solio_image::decode_image_as(&bytes, &ReadOptions::default(), PixelType::Half, &work)?;
/// let Pixels::Flat(levels) = &image.parts[0].pixels else { panic!() };
/// assert!(levels[0].planes.iter().all(|plane| plane.samples.pixel_type() == PixelType::Half));
/// // The header says so, too.
/// assert_eq!(image.parts[0].header.shape()?.channels[0].pixel_type, PixelType::Half);
/// # Ok::<(), solio_base::Error>(())
/// ```
pub fn decode_image_as(
    source: &dyn Source,
    options: &ReadOptions,
    pixel_type: PixelType,
    work: &Work,
) -> Result<Image<'static>> {
    // A stream's header could not be read twice.
    let single = if source.is_sequential() {
        None
    } else {
        let header = solio_exr::decode_header(source, &options.limits)?;
        SingleFlat::of(&header, options)
    };
    match single {
        Some(single) => read_flat(source, options, &single, pixel_type, work),
        None => {
            let mut image = solio_exr::decode_exr(source, options, work)?;
            image.parts.iter_mut().try_for_each(|part| convert_part(part, pixel_type))?;
            Ok(image)
        }
    }
}

fn read_flat(
    source: &dyn Source,
    options: &ReadOptions,
    single: &SingleFlat,
    pixel_type: PixelType,
    work: &Work,
) -> Result<Image<'static>> {
    let width = single.window.width();
    let count = width.saturating_mul(single.window.height());
    let bytes = count.saturating_mul((single.channels.len() * pixel_type.bytes()) as u64);
    options.limits.check_bytes("the image", bytes)?;
    let count =
        usize::try_from(count).map_err(|_| Error::limit("the image does not fit into memory"))?;
    let mut planes = Vec::new();
    for channel in &single.channels {
        let channel = Channel { pixel_type, ..channel.clone() };
        planes.push(Plane { channel, samples: Samples::zeros(pixel_type, count)? });
    }
    planes.sort_by(|a, b| a.channel.by_name(&b.channel));
    let rasters = planes.iter_mut().map(|plane| RasterMut {
        channels: vec![plane.channel.name.clone()],
        samples: match &mut plane.samples {
            Samples::Uint(values) => SamplesMut::Uint(values.to_mut()),
            Samples::Half(values) => SamplesMut::Half(values.to_mut()),
            Samples::Float(values) => SamplesMut::Float(values.to_mut()),
        },
        row_stride: width as usize,
        pixel_stride: 0,
    });
    let into = IntoOptions {
        part: single.part,
        level: single.level,
        window: options.window,
        partial: options.partial,
        limits: options.limits,
        fresh: true,
        ..IntoOptions::default()
    };
    let read = solio_exr::decode_exr_into(source, &into, rasters.collect(), work)?;
    let (x, y) = single.level;
    let pixels = Pixels::Flat(vec![FlatLevel { x, y, window: read.window, planes }]);
    let mut header = read.header;
    set_types(&mut header, pixel_type);
    Ok(Image { parts: vec![ImagePart { header, pixels }], missing: read.missing })
}

/// The channels of `part` are of the type `pixel_type`.
fn set_types(part: &mut Part, pixel_type: PixelType) {
    let channels = part.channels().iter().map(|c| Channel { pixel_type, ..c.clone() });
    let channels = channels.collect();
    part.set("channels", Value::Channels(channels));
}

fn convert_part(part: &mut ImagePart<'static>, pixel_type: PixelType) -> Result<()> {
    set_types(&mut part.header, pixel_type);
    let planes: Vec<&mut Plane<'static>> = match &mut part.pixels {
        Pixels::Flat(levels) => levels.iter_mut().flat_map(|level| &mut level.planes).collect(),
        Pixels::Deep(levels) => levels.iter_mut().flat_map(|level| &mut level.planes).collect(),
    };
    for plane in planes {
        if plane.channel.pixel_type != pixel_type {
            plane.samples = plane.samples.converted(pixel_type)?;
            plane.channel.pixel_type = pixel_type;
        }
    }
    Ok(())
}
