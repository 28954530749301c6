//! Images in memory: a plane of samples a channel.

use crate::header::{self, Box2i};
use crate::{Channel, PixelType};
use half::f16;
use solio_base::{Error, Result};
use std::borrow::Cow;

/// The parts of a file.
///
/// ```
/// use solio_base::Work;
/// use solio_exr::header::{Box2i, Part};
/// use solio_exr::model::{FlatLevel, Image, ImagePart, Pixels, Plane, Samples};
/// use solio_exr::{Channel, Compression, PixelType, decode_exr, encode_exr};
///
/// let channel = Channel::new("Z", PixelType::Float);
/// let window = Box2i::of_size(2, 1);
/// let header = Part::new(window, Compression::Zip, vec![channel.clone()]);
/// let planes = vec![Plane { channel, samples: Samples::Float(vec![1.5, 2.5].into()) }];
/// let pixels = Pixels::Flat(vec![FlatLevel { x: 0, y: 0, window, planes }]);
/// let image = Image { parts: vec![ImagePart { header, pixels }], ..Image::default() };
///
/// let mut file = Vec::new();
/// encode_exr(&image, &Default::default(), &mut file, &Work::serial())?;
/// let read = decode_exr(&file, &Default::default(), &Work::serial())?;
/// assert_eq!(read.parts[0].pixels, image.parts[0].pixels);
/// # Ok::<(), solio_base::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Image<'a> {
    /// At least one.
    pub parts: Vec<ImagePart<'a>>,
    /// Chunks that were missing or damaged, and whose samples are zero; see
    /// [`ReadOptions::partial`](crate::ReadOptions::partial).
    pub missing: Vec<MissingChunk>,
}

/// A chunk that could not be read.
///
/// ```
/// # use solio_base::Work;
/// # use solio_exr::header::{Box2i, Part};
/// # use solio_exr::model::{FlatLevel, Image, ImagePart, Pixels, Plane, Samples};
/// # use solio_exr::{Channel, Compression, PixelType, ReadOptions, decode_exr, encode_exr};
/// # let channel = Channel::new("Y", PixelType::Float);
/// # let window = Box2i::of_size(2, 3);
/// # let header = Part::new(window, Compression::None, vec![channel.clone()]);
/// # let planes = vec![Plane { channel, samples: Samples::Float(vec![0.5; 6].into()) }];
/// # let pixels = Pixels::Flat(vec![FlatLevel { x: 0, y: 0, window, planes }]);
/// # let image = Image { parts: vec![ImagePart { header, pixels }], ..Image::default() };
/// # let mut file = Vec::new();
/// # encode_exr(&image, &Default::default(), &mut file, &Work::serial())?;
/// file.truncate(file.len() - 4); // of three rows, the last is not all there
/// assert!(decode_exr(&file, &ReadOptions::default(), &Work::serial()).is_err());
/// let options = ReadOptions { partial: true, ..ReadOptions::default() };
/// let missing = decode_exr(&file, &options, &Work::serial())?.missing;
/// assert_eq!((missing.len(), missing[0].part, missing[0].chunk), (1, 0, 2));
/// assert_eq!(missing[0].window, Box2i { min: [0, 2], max: [1, 2] });
/// # Ok::<(), solio_base::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingChunk {
    /// The part in the file.
    pub part: usize,
    /// The number of the chunk in its part.
    pub chunk: u64,
    /// The level that it is of: how often the width and the height were halved.
    pub level: [u32; 2],
    /// Its pixels, in the coordinates of that level.
    pub window: Box2i,
    /// Why, with its place in the file.
    pub message: String,
}

/// A part: attributes and pixels.
///
/// ```
/// use solio_exr::header::{Box2i, Part, Value};
/// use solio_exr::model::{ImagePart, Pixels};
/// use solio_exr::Compression;
/// let header = Part::new(Box2i::of_size(8, 8), Compression::Piz, Vec::new());
/// let mut part = ImagePart { header, pixels: Pixels::Flat(Vec::new()) };
/// part.header.set("name", Value::Text("left".into())); // what several parts need
/// assert_eq!(part.header.name().unwrap().to_string(), "left");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ImagePart<'a> {
    /// The attributes. Channels, data window and tiles are those of the pixels that are here.
    pub header: header::Part,
    /// The pixels.
    pub pixels: Pixels<'a>,
}

/// The pixels of a part.
///
/// ```
/// use solio_exr::model::{FlatLevel, Pixels};
/// # use solio_exr::header::Box2i;
/// let window = Box2i::of_size(4, 4);
/// let pixels = Pixels::Flat(vec![FlatLevel { x: 0, y: 0, window, planes: Vec::new() }]);
/// let levels = match &pixels {
///     Pixels::Flat(levels) => levels.len(),
///     Pixels::Deep(levels) => levels.len(),
/// };
/// assert_eq!(levels, 1);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Pixels<'a> {
    /// One sample a pixel and channel; a level each, the full size first.
    Flat(Vec<FlatLevel<'a>>),
    /// Any number of samples a pixel.
    Deep(Vec<DeepLevel<'a>>),
}

/// A level of a flat part.
///
/// ```
/// use solio_base::Work;
/// use solio_exr::header::{Box2i, LevelMode, Part, Rounding, Tiles, Value};
/// use solio_exr::model::{FlatLevel, Image, ImagePart, Pixels};
/// # use solio_exr::model::{Plane, Samples};
/// # use solio_exr::{Channel, Compression, PixelType, encode_exr};
/// # let channel = Channel::new("Y", PixelType::Half);
/// # let mut header = Part::new(Box2i::of_size(4, 2), Compression::Zip, vec![channel.clone()]);
/// let (levels, rounding) = (LevelMode::Mipmap, Rounding::Down);
/// let tiles = Tiles { width: 32, height: 32, levels, rounding };
/// header.set("tiles", Value::Tiles(tiles));
/// // Each level halves both sides, down to a pixel.
/// let mut levels = Vec::new();
/// for (i, [width, height]) in (0..).zip([[4, 2], [2, 1], [1, 1]]) {
///     let samples = Samples::zeros(PixelType::Half, (width * height) as usize)?;
///     let planes = vec![Plane { channel: channel.clone(), samples }];
///     levels.push(FlatLevel { x: i, y: i, window: Box2i::of_size(width, height), planes });
/// }
/// let mut write = |levels| {
///     let part = ImagePart { header: header.clone(), pixels: Pixels::Flat(levels) };
///     let image = Image { parts: vec![part], ..Image::default() };
///     encode_exr(&image, &Default::default(), &mut Vec::new(), &Work::serial())
/// };
/// assert!(write(levels.clone()).is_ok());
/// levels.pop();
/// assert!(write(levels).is_err());
/// # Ok::<(), solio_base::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct FlatLevel<'a> {
    /// How often the width was halved.
    pub x: u32,
    /// How often the height was halved.
    pub y: u32,
    /// Which pixels these are.
    pub window: Box2i,
    /// A plane a channel, sorted by name.
    pub planes: Vec<Plane<'a>>,
}

/// A level of a deep part.
///
/// ```
/// use solio_base::Work;
/// use solio_exr::header::{Box2i, Part, Value};
/// use solio_exr::model::{DeepLevel, Image, ImagePart, Pixels, Plane, Samples};
/// # use solio_exr::{Channel, Compression, PixelType, decode_exr, encode_exr};
/// # let channel = Channel::new("Z", PixelType::Float);
/// // Of two pixels the first sees nothing, the second three surfaces.
/// let window = Box2i::of_size(2, 1);
/// let samples = Samples::Float(vec![1.0, 4.0, 9.0].into());
/// let planes = vec![Plane { channel: channel.clone(), samples }];
/// let level = DeepLevel { x: 0, y: 0, window, counts: vec![0, 3].into(), planes };
/// let mut header = Part::new(window, Compression::Zips, vec![channel]);
/// header.set("type", Value::Text("deepscanline".into()));
/// let part = ImagePart { header, pixels: Pixels::Deep(vec![level]) };
/// let image = Image { parts: vec![part], ..Image::default() };
/// let mut file = Vec::new();
/// encode_exr(&image, &Default::default(), &mut file, &Work::serial())?;
/// let read = decode_exr(&file, &Default::default(), &Work::serial())?;
/// assert_eq!(read.parts[0].pixels, image.parts[0].pixels);
/// # Ok::<(), solio_base::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct DeepLevel<'a> {
    /// How often the width was halved.
    pub x: u32,
    /// How often the height was halved.
    pub y: u32,
    /// Which pixels these are.
    pub window: Box2i,
    /// How many samples each pixel has, row by row.
    pub counts: Cow<'a, [u32]>,
    /// The samples a channel, sorted by name: all of the first pixel, all of the second, …
    pub planes: Vec<Plane<'a>>,
}

/// The samples of a channel.
///
/// ```
/// use solio_exr::{Channel, PixelType, model::{Plane, Samples}};
/// let channel = Channel { x_sampling: 2, y_sampling: 2, ..Channel::new("RY", PixelType::Half) };
/// // Of 8 by 4 pixels, every second column of every second row.
/// let plane = Plane { channel, samples: Samples::zeros(PixelType::Half, 8)? };
/// let per_row = 8 / plane.channel.x_sampling as usize;
/// assert_eq!(plane.samples.len() / per_row, 2);
/// # Ok::<(), solio_base::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Plane<'a> {
    /// The channel.
    pub channel: Channel,
    /// Its samples, row by row; fewer than pixels where the channel is subsampled.
    pub samples: Samples<'a>,
}

/// Samples in the type of their channel.
///
/// ```
/// use solio_exr::model::Samples;
/// // Borrowed from whoever renders; equal are the same bits.
/// let rendered = [0.5_f32, f32::NAN];
/// assert_eq!(Samples::Float((&rendered[..]).into()), Samples::Float(vec![0.5, f32::NAN].into()));
/// assert_ne!(Samples::Float(vec![0.0].into()), Samples::Float(vec![-0.0].into()));
/// ```
#[derive(Clone, Debug)]
pub enum Samples<'a> {
    /// 32-bit integers.
    Uint(Cow<'a, [u32]>),
    /// 16-bit floating point numbers.
    Half(Cow<'a, [f16]>),
    /// 32-bit floating point numbers.
    Float(Cow<'a, [f32]>),
}

impl PartialEq for Samples<'_> {
    /// By their bits: a NaN equals itself, and 0 is not −0.
    fn eq(&self, other: &Self) -> bool {
        self.pixel_type() == other.pixel_type() && self.as_bytes() == other.as_bytes()
    }
}

impl Samples<'static> {
    /// So many zeros. Memory is taken as it is written to.
    ///
    /// ```
    /// use solio_exr::{PixelType, model::Samples};
    /// let samples = Samples::zeros(PixelType::Float, 3)?;
    /// assert_eq!(samples, Samples::Float(vec![0.0; 3].into()));
    /// assert!(Samples::zeros(PixelType::Float, usize::MAX / 4).is_err()); // no memory for that
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    pub fn zeros(pixel_type: PixelType, count: usize) -> Result<Samples<'static>> {
        Ok(match pixel_type {
            PixelType::Uint => Samples::Uint(Cow::Owned(zeros(count)?)),
            PixelType::Half => Samples::Half(Cow::Owned(zeros(count)?)),
            PixelType::Float => Samples::Float(Cow::Owned(zeros(count)?)),
        })
    }

    /// The bytes, to be written to.
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        match self {
            Samples::Uint(values) => bytemuck::cast_slice_mut(values.to_mut().as_mut_slice()),
            Samples::Half(values) => bytemuck::cast_slice_mut(values.to_mut().as_mut_slice()),
            Samples::Float(values) => bytemuck::cast_slice_mut(values.to_mut().as_mut_slice()),
        }
    }
}

/// So many zeros. Memory is taken as it is written to.
pub(crate) fn zeros<T: bytemuck::Zeroable>(count: usize) -> Result<Vec<T>> {
    let mut values = bytemuck::allocation::try_zeroed_vec(count)
        .map_err(|()| Error::limit(format!("{count} samples do not fit into memory")))?;
    solio_base::memory::advise_huge(&mut values);
    Ok(values)
}

impl Samples<'_> {
    /// As samples of another type, converted as [`RasterMut`](crate::RasterMut) says.
    ///
    /// ```
    /// use solio_exr::{PixelType, model::Samples};
    /// let floats = Samples::Float(vec![0.5, -3.0, 1e9].into());
    /// let whole = floats.converted(PixelType::Uint)?;
    /// assert_eq!(whole, Samples::Uint(vec![0, 0, 1_000_000_000].into()));
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    pub fn converted(&self, pixel_type: PixelType) -> Result<Samples<'static>> {
        let mut samples = Samples::zeros(pixel_type, self.len())?;
        match self.pixel_type().conversion(pixel_type) {
            Some(conversion) => conversion.apply(self.as_bytes(), samples.bytes_mut()),
            None => samples.bytes_mut().copy_from_slice(self.as_bytes()),
        }
        Ok(samples)
    }

    /// How they are stored.
    ///
    /// ```
    /// use solio_exr::{PixelType, model::Samples};
    /// assert_eq!(Samples::Uint(vec![7, 8].into()).pixel_type(), PixelType::Uint);
    /// ```
    pub fn pixel_type(&self) -> PixelType {
        match self {
            Samples::Uint(_) => PixelType::Uint,
            Samples::Half(_) => PixelType::Half,
            Samples::Float(_) => PixelType::Float,
        }
    }

    /// How many there are.
    ///
    /// ```
    /// use solio_exr::model::Samples;
    /// let samples = Samples::Half(vec![half::f16::ONE; 12].into());
    /// assert_eq!((samples.len(), samples.as_bytes().len()), (12, 24));
    /// ```
    pub fn len(&self) -> usize {
        self.as_bytes().len() / self.pixel_type().bytes()
    }

    /// Whether there are none.
    ///
    /// ```
    /// use solio_exr::{PixelType, model::Samples};
    /// // A row in which a channel has no samples.
    /// assert!(Samples::zeros(PixelType::Half, 0)?.is_empty());
    /// assert!(!Samples::zeros(PixelType::Half, 1)?.is_empty());
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    pub fn is_empty(&self) -> bool {
        self.as_bytes().is_empty()
    }

    /// Their bytes, in the order of this machine.
    ///
    /// ```
    /// use solio_exr::model::Samples;
    /// let samples = Samples::Uint(vec![1, 0x0203].into());
    /// let bytes: Vec<u8> = [1_u32, 0x0203].iter().flat_map(|n| n.to_ne_bytes()).collect();
    /// assert_eq!(samples.as_bytes(), bytes);
    /// ```
    pub fn as_bytes(&self) -> &[u8] {
        match self {
            Samples::Uint(values) => bytemuck::cast_slice(values),
            Samples::Half(values) => bytemuck::cast_slice(values),
            Samples::Float(values) => bytemuck::cast_slice(values),
        }
    }
}
