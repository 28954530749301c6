//! What is measured: classes of images, each cut so that one sample stays short.

use crate::files::all_below;
use solio::image::header::{Box2i, Part};
use solio::image::model::{FlatLevel, Image, ImagePart, Pixels, Plane, Samples};
use solio::image::{Compression, PixelType, RasterMut, ReadOptions, SamplesMut, WriteOptions};
use solio::{Error, ImageWriteOptions, Limits, Result, Work};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// Of a larger image the middle rows are measured, so many bytes of them.
const MOST_BYTES: u64 = 16 << 20;

/// Images of one kind.
pub(super) struct ImageClass {
    pub(super) name: String,
    pub(super) images: Vec<PlainImage>,
}

/// An image with nothing but its pixels.
pub(super) struct PlainImage {
    pub(super) image: Image<'static>,
    /// Where it lies uncompressed, for the peers.
    pub(super) path: PathBuf,
    /// The sum of its pixels.
    pub(super) sum: u64,
}

impl ImageClass {
    /// From a file, or from all files of a folder; puts what the peers need into `folder`.
    pub(super) fn load(path: &Path, folder: &Path, work: &Work) -> Result<ImageClass> {
        let mut files = all_below(&[path.to_owned()], work)?;
        files.sort();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().replace('-', " ");
        let images = files.iter().map(|file| cut(file, work)).collect::<Result<_>>()?;
        ImageClass::new(name, images, folder, work)
    }

    /// An image that is made up: waves with noise.
    pub(super) fn made_up(folder: &Path, work: &Work) -> Result<ImageClass> {
        let (width, height) = (1024, 512);
        let window = Box2i { min: [0, 0], max: [width - 1, height - 1] };
        let channels =
            ["A", "B", "G", "R"].map(|name| solio::image::Channel::new(name, PixelType::Half));
        let planes = channels.into_iter().zip(1..).map(|(channel, seed)| {
            let values = (0..width * height).map(|i| {
                let (x, y) = ((i % width) as f32, (i / width) as f32);
                let noise = (i as u32 * seed).wrapping_mul(0x9e37_79b1) >> 22;
                let wave = (x * 0.011 * seed as f32).sin() + (y * 0.017).cos();
                half::f16::from_f32(1.5 + 0.5 * wave + noise as f32 * 2e-5)
            });
            Plane { channel, samples: Samples::Half(Cow::Owned(values.collect())) }
        });
        let image = flat(window, planes.collect());
        ImageClass::new("made up".into(), vec![image], folder, work)
    }

    fn new(
        name: String,
        images: Vec<Image<'static>>,
        folder: &Path,
        work: &Work,
    ) -> Result<ImageClass> {
        let plain = |(i, image): (usize, Image<'static>)| {
            let path = folder.join(format!("{} {i}.exr", name));
            solio::write_image(&image, &path, &options(Compression::None), work)?;
            let sum = sum(&image)?;
            Ok(PlainImage { image, path, sum })
        };
        let images = images.into_iter().enumerate().map(plain).collect::<Result<_>>()?;
        Ok(ImageClass { name, images })
    }

    /// Memory for the pixels of each image.
    pub(super) fn memory(&self) -> Vec<Image<'static>> {
        self.images.iter().map(|plain| plain.image.clone()).collect()
    }

    /// Bytes of pixels.
    pub(super) fn bytes(&self) -> usize {
        let planes = self.images.iter().flat_map(|plain| planes(&plain.image));
        planes.flatten().map(|plane| plane.samples.as_bytes().len()).sum()
    }
}

/// What the method alone says.
pub(super) fn options(compression: Compression) -> ImageWriteOptions {
    let exr = WriteOptions { compression: Some(compression), ..WriteOptions::default() };
    ImageWriteOptions { exr, ..ImageWriteOptions::default() }
}

/// The planes of an image of one flat part.
pub(super) fn planes<'i>(image: &'i Image<'_>) -> Result<&'i [Plane<'i>]> {
    match image.parts.first().map(|part| &part.pixels) {
        Some(Pixels::Flat(levels)) if !levels.is_empty() => Ok(&levels[0].planes),
        _ => Err(Error::unsupported("only flat images are measured")),
    }
}

/// The planes of an image, to be filled.
pub(super) fn rasters<'i>(image: &'i mut Image<'static>) -> Result<Vec<RasterMut<'i>>> {
    planes(image)?; // it is flat
    let mut rasters = Vec::new();
    for part in &mut image.parts {
        let Pixels::Flat(levels) = &mut part.pixels else { continue };
        for level in levels {
            let rows = level.window.min[1]..=level.window.max[1];
            for plane in &mut level.planes {
                let step = plane.channel.y_sampling;
                let rows = rows.clone().filter(|y| y.rem_euclid(step) == 0).count();
                let row_stride = plane.samples.len() / rows.max(1);
                let samples = match &mut plane.samples {
                    Samples::Uint(values) => SamplesMut::Uint(values.to_mut()),
                    Samples::Half(values) => SamplesMut::Half(values.to_mut()),
                    Samples::Float(values) => SamplesMut::Float(values.to_mut()),
                };
                let channels = vec![plane.channel.name.clone()];
                rasters.push(RasterMut { channels, samples, row_stride, pixel_stride: 0 });
            }
        }
    }
    Ok(rasters)
}

/// The sum that every peer makes of the pixels.
pub(super) fn sum(image: &Image<'_>) -> Result<u64> {
    Ok(sum_of(planes(image)?.iter().map(|plane| plane.samples.as_bytes())))
}

/// Of the bytes of all planes: words, and words times their place.
fn sum_of<'p>(planes: impl Iterator<Item = &'p [u8]>) -> u64 {
    let mut all = 0u64;
    for plane in planes {
        let (words, rest) = plane.as_chunks::<4>();
        let mut last = [0; 4];
        last[..rest.len()].copy_from_slice(rest);
        let words = words.iter().chain([&last]).map(|word| u64::from(u32::from_le_bytes(*word)));
        let (a, b) = words.zip(1u64..).fold((0u64, 0u64), |(a, b), (word, place)| {
            (a.wrapping_add(word), b.wrapping_add(word.wrapping_mul(place)))
        });
        for part in [a, b] {
            all = all.wrapping_mul(1_000_003).wrapping_add(part);
        }
    }
    all
}

/// A file as one part at full size, without its attributes: the channels of all parts that cover
/// the same pixels.
fn cut(path: &Path, work: &Work) -> Result<Image<'static>> {
    let header = solio::image_header(path, &Limits::default(), work)?;
    let shapes = header.parts.iter().map(|part| part.shape().map_err(|e| e.at_path(path)));
    let shapes = shapes.collect::<Result<Vec<_>>>()?;
    let mut window = shapes[0].data_window;
    let alike = |i: &usize| !shapes[*i].kind.is_deep() && shapes[*i].data_window == window;
    let parts: Vec<usize> = (0..shapes.len()).filter(alike).collect();
    let channels = parts.iter().flat_map(|i| &shapes[*i].channels);
    let of_pixel = channels.map(|channel| channel.pixel_type.bytes() as u64);
    let bytes = of_pixel.sum::<u64>() * window.width() * window.height();
    if bytes > MOST_BYTES {
        let rows = (window.height() * MOST_BYTES / bytes).max(1) as i32;
        let top = window.min[1] + (window.height() as i32 - rows) / 2;
        window = Box2i { min: [window.min[0], top], max: [window.max[0], top + rows - 1] };
    }
    let wanted = ReadOptions { parts: Some(parts), window: Some(window), ..ReadOptions::default() };
    let image = solio::read_image(path, &wanted, work)?;
    let mut all: Vec<Plane<'static>> = Vec::new();
    for part in image.parts {
        if let Pixels::Flat(mut levels) = part.pixels {
            all.append(&mut levels.swap_remove(0).planes);
        }
    }
    all.sort_by(|a, b| a.channel.by_name(&b.channel));
    all.dedup_by(|a, b| a.channel.name == b.channel.name);
    Ok(flat(window, all))
}

/// An image of one part with nothing but these planes.
fn flat(window: Box2i, planes: Vec<Plane<'static>>) -> Image<'static> {
    let channels = planes.iter().map(|plane| plane.channel.clone()).collect();
    let header = Part::new(window, Compression::None, channels);
    let level = FlatLevel { x: 0, y: 0, window, planes };
    let part = ImagePart { header, pixels: Pixels::Flat(vec![level]) };
    Image { parts: vec![part], ..Image::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_sees_values_and_places() {
        let folder = tempfile::tempdir().expect("a folder");
        let class = ImageClass::made_up(folder.path(), &Work::serial()).expect("a class");
        let [plain] = &class.images[..] else { panic!("one image") };
        let again = solio::read_image(&plain.path, &ReadOptions::default(), &Work::serial());
        let mut again = again.expect("it was written");
        assert_eq!(sum(&again).expect("flat"), plain.sum);
        let Pixels::Flat(levels) = &mut again.parts[0].pixels else { panic!("flat") };
        let Samples::Half(samples) = &mut levels[0].planes[2].samples else { panic!("half") };
        samples.to_mut().swap(5, 6);
        assert_ne!(sum(&again).expect("flat"), plain.sum);
    }
}
