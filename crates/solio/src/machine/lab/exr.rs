//! OpenEXR's own methods as codecs of the lab: they see the whole array and cut it themselves.

use solio_base::{Error, Result, Work};
use solio_codec::filter::{FilterChain, FilterShape};
use solio_exr::header::{Box2i, Part};
use solio_exr::model::{FlatLevel, Image, ImagePart, Pixels, Plane, Samples};
use solio_exr::{
    Channel, Compression, IntoOptions, Layout as ExrLayout, PixelType, RasterMut, SamplesMut,
    WriteOptions, decode_exr_into, encode_exr,
};
use solio_lab::codec::Codec;
use solio_lab::plan::{Plan, Trial};
use solio_lab::{Array, ChunkSize, Config, Layout, ValueType};
use std::borrow::Cow;
use std::rc::Rc;

/// The methods to try on `array`: none where OpenEXR has no such numbers.
pub(super) fn trials(array: &Array, full: bool) -> Result<Plan> {
    let Some(image) = image_of(array)? else { return Ok(Vec::new()) };
    let image = Rc::new(image);
    let channels: Rc<[String]> = array.channels.as_slice().into();
    let half = array.value == ValueType::F16;
    let mut methods: Vec<(Compression, Option<i32>, bool)> = vec![
        (Compression::None, None, false),
        (Compression::Rle, None, false),
        (Compression::Zips, None, false),
        (Compression::Zip, None, false),
        (Compression::Zip, Some(4), true),
        (Compression::Piz, None, false),
        (Compression::Zstd, None, false),
        (Compression::Zstd, Some(5), true),
    ];
    if half {
        methods.push((Compression::Pxr24, None, false));
    }
    if full {
        methods.extend((1..=9).map(|level| (Compression::Zip, Some(level), false)));
        methods.extend([1, 3, 9, 15].map(|level| (Compression::Zstd, Some(level), false)));
    }
    let trial = |(compression, level, compat): (Compression, Option<i32>, bool)| {
        let as_reference = if compat { " as the reference" } else { "" };
        let codec = format!("OpenEXR {}{as_reference}", compression.name());
        let config = Config { filter: "own".into(), codec, level, chunk: ChunkSize::Own };
        let options = WriteOptions {
            compression: Some(compression),
            level: level.map(|level| level as f32),
            layout: ExrLayout::Auto,
            compat,
            ..WriteOptions::default()
        };
        let (image, channels) = (Rc::clone(&image), Rc::clone(&channels));
        let make = Box::new(move || -> Result<Box<dyn Codec>> {
            Ok(Box::new(Exr::new(Rc::clone(&image), &channels, options)?))
        });
        Trial { config, chain: FilterChain::default(), make }
    };
    Ok(methods.into_iter().map(trial).collect())
}

/// The array as an image of one part.
fn image_of(array: &Array) -> Result<Option<Image<'static>>> {
    let Layout::Rows { width, rows } = array.layout else { return Ok(None) };
    let pixel_type = match array.value {
        ValueType::F16 => PixelType::Half,
        ValueType::F32 => PixelType::Float,
        ValueType::U32 => PixelType::Uint,
        _ => return Ok(None),
    };
    let size = [width, rows].map(u32::try_from);
    let [Ok(wide), Ok(high)] = size else { return Ok(None) };
    let row = width * array.value.bytes();
    let mut planes = Vec::new();
    for (index, name) in array.channels.iter().enumerate() {
        let lines = array.bytes.chunks_exact(row).skip(index).step_by(array.channels.len());
        let mut bytes = Vec::with_capacity(rows * row);
        lines.for_each(|line| bytes.extend_from_slice(line));
        let samples = match pixel_type {
            PixelType::Half => Samples::Half(Cow::Owned(bytemuck::pod_collect_to_vec(&bytes))),
            PixelType::Float => Samples::Float(Cow::Owned(bytemuck::pod_collect_to_vec(&bytes))),
            PixelType::Uint => Samples::Uint(Cow::Owned(bytemuck::pod_collect_to_vec(&bytes))),
        };
        let name = name.clone();
        let channel = Channel::new(name, pixel_type);
        planes.push(Plane { channel, samples });
    }
    // A file has its channels by name, each once.
    planes.sort_by(|a, b| a.channel.name.cmp(&b.channel.name));
    if planes.windows(2).any(|pair| pair[0].channel.name == pair[1].channel.name) {
        return Ok(None);
    }
    let window = Box2i::of_size(wide, high);
    let channels = planes.iter().map(|plane| plane.channel.clone()).collect();
    let header = Part::new(window, Compression::Zip, channels);
    let pixels = Pixels::Flat(vec![FlatLevel { x: 0, y: 0, window, planes }]);
    Ok(Some(Image { parts: vec![ImagePart { header, pixels }], missing: Vec::new() }))
}

/// Writes files into memory, and reads them into planes that are there.
struct Exr {
    image: Rc<Image<'static>>,
    options: WriteOptions,
    file: Vec<u8>,
    /// In the order of the array.
    planes: Vec<(String, Samples<'static>)>,
    width: usize,
    work: Work,
}

impl Exr {
    fn new(image: Rc<Image<'static>>, channels: &[String], options: WriteOptions) -> Result<Exr> {
        let level = level_of(&image)?;
        let width = level.window.width() as usize;
        let planes = channels.iter().map(|name| {
            let plane = level.planes.iter().find(|plane| plane.channel.name == *name);
            let plane = plane.ok_or_else(|| Error::argument("the image lacks a channel"))?;
            let samples = Samples::zeros(plane.samples.pixel_type(), plane.samples.len())?;
            Ok((name.clone(), samples))
        });
        let planes = planes.collect::<Result<Vec<_>>>()?;
        Ok(Exr { image, options, file: Vec::new(), planes, width, work: Work::serial() })
    }
}

fn level_of<'a>(image: &'a Image<'static>) -> Result<&'a FlatLevel<'static>> {
    match image.parts.first().map(|part| &part.pixels) {
        Some(Pixels::Flat(levels)) if !levels.is_empty() => Ok(&levels[0]),
        _ => Err(Error::argument("the image has no pixels")),
    }
}

impl Codec for Exr {
    fn bound(&mut self, shape: &FilterShape) -> usize {
        // Chunks that do not shrink are stored; heads and tables are small.
        shape.size_bytes() + shape.size_bytes() / 4 + (1 << 16)
    }

    fn encode(&mut self, _: &FilterShape, _: &[u8], to: &mut [u8]) -> Result<usize> {
        self.file.clear();
        encode_exr(&self.image, &self.options, &mut self.file, &self.work)?;
        let place = to.get_mut(..self.file.len());
        let place = place.ok_or_else(|| Error::limit("the file is larger than its pixels"))?;
        place.copy_from_slice(&self.file);
        Ok(self.file.len())
    }

    fn decode(&mut self, _: &FilterShape, from: &[u8], _: &mut [u8]) -> Result<()> {
        let rasters = self.planes.iter_mut().map(|(name, samples)| RasterMut {
            channels: vec![name.clone()],
            samples: match samples {
                Samples::Uint(values) => SamplesMut::Uint(values.to_mut()),
                Samples::Half(values) => SamplesMut::Half(values.to_mut()),
                Samples::Float(values) => SamplesMut::Float(values.to_mut()),
            },
            row_stride: self.width,
            pixel_stride: 0,
        });
        decode_exr_into(&from, &IntoOptions::default(), rasters.collect(), &self.work)?;
        Ok(())
    }

    fn show(&mut self, to: &mut [u8]) {
        let Some((_, first)) = self.planes.first() else { return };
        let row = self.width * first.pixel_type().bytes();
        let count = self.planes.len();
        for (number, line) in to.chunks_exact_mut(row).enumerate() {
            let bytes = self.planes[number % count].1.as_bytes();
            line.copy_from_slice(&bytes[number / count * row..][..row]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use half::f16;
    use solio_base::Cancel;
    use solio_lab::{Kind, MeasureOptions, measure};

    #[test]
    fn lossless_methods_give_back_every_bit() {
        for (value, channels, lossless) in [
            (ValueType::F16, ["B", "G", "R"], 9),
            (ValueType::F16, ["R", "G", "B"], 9),
            (ValueType::F32, ["R", "G", "B"], 8),
            (ValueType::U32, ["2", "10", "1"], 8),
            (ValueType::U32, ["R", "R", "B"], 0),
            (ValueType::U8, ["B", "G", "R"], 0),
        ] {
            let (width, rows) = (37, 50);
            let values = (0..width * rows * 3).flat_map(|i| {
                let number = 100.0 + (i as f32 * 0.01).sin();
                match value {
                    ValueType::F16 => f16::from_f32(number).to_le_bytes().to_vec(),
                    ValueType::F32 => number.to_le_bytes().to_vec(),
                    ValueType::U32 => (i as u32 / 9).to_le_bytes().to_vec(),
                    _ => vec![i as u8],
                }
            });
            let bytes: Vec<u8> = values.collect();
            let array = Array {
                file: "a".into(),
                name: String::new(),
                kind: Kind::Numbers,
                value,
                channels: channels.map(String::from).to_vec(),
                layout: Layout::Rows { width, rows },
                whole_bytes: bytes.len() as u64,
                bytes,
            };
            let options = MeasureOptions { seconds: 0.0, rounds: (1, 1) };
            let tried = |array: &Array| trials(array, false);
            let all = measure(vec![array], tried, &options, &Cancel::default(), |_| ()).unwrap();
            assert_eq!(all.cells.len(), lossless, "{value:?} {channels:?}: {:?}", all.refused);
            assert!(all.refused.is_empty());
        }
    }
}
