//! The header that is written, and that image and header agree.

use super::options::{Layout, Shared, WriteOptions};
use crate::Compression;
use crate::header::shape::Shape;
use crate::header::{self, Box2i, Header, Kind, LevelMode, LineOrder, Rounding, Value};
use crate::model::{DeepLevel, FlatLevel, Image, ImagePart, Pixels, Plane};
use solio_base::{Error, Result};

/// The header of a file with this image, and the shape of each part.
pub(super) fn plan(image: &Image<'_>, options: &WriteOptions) -> Result<(Header, Vec<Shape>)> {
    let multipart = image.parts.len() > 1;
    let mut header = Header { multipart, ..Header::default() };
    let mut shapes = Vec::new();
    for (index, part) in image.parts.iter().enumerate() {
        let (mut attributes, shape) =
            plan_part(index, part, multipart, options).map_err(|e| of_part(index, e))?;
        if multipart && header.parts.iter().any(|other| other.name() == attributes.name()) {
            let name = attributes.name().cloned().unwrap_or_default();
            return Err(Error::argument(format!("two parts are called {name:?}")));
        }
        if let Some(first) = header.parts.first() {
            share(first, &mut attributes, options.shared).map_err(|name| {
                let message = format!("part {index}: {name:?} differs from that of part 0");
                Error::argument(message).hint("all parts of a file share it")
            })?;
        }
        header.parts.push(attributes);
        shapes.push(shape);
    }
    Ok((header, shapes))
}

/// The error, with the part that it is about.
fn of_part(index: usize, e: Error) -> Error {
    let error = Error::argument(format!("part {index}: {}", e.message()));
    match e.hint_text() {
        Some(hint) => error.hint(hint),
        None => error,
    }
}

/// Makes sure that a part has what all have alike; names what it may not have.
fn share(
    first: &header::Part,
    part: &mut header::Part,
    shared: Shared,
) -> Result<(), &'static str> {
    let differing: Vec<&'static str> = header::differing(first, part).collect();
    for name in differing {
        match (shared, first.get(name)) {
            (Shared::OfFirst, Some(value)) => part.set(name, value.clone()),
            (Shared::OfFirst, None) => part.remove(name),
            (Shared::Refuse, _) => return Err(name),
        }
    }
    Ok(())
}

fn plan_part(
    index: usize,
    part: &ImagePart<'_>,
    multipart: bool,
    options: &WriteOptions,
) -> Result<(header::Part, Shape)> {
    let mut header = part.header.clone();
    let deep = matches!(part.pixels, Pixels::Deep(_));
    if let Some(compression) = options.compression {
        header.set("compression", Value::Compression(compression));
    }
    if let Some(order) = options.line_order {
        header.set("lineOrder", Value::LineOrder(order));
    }
    for attribute in &header.attributes {
        header::check_attribute(&attribute.name, &attribute.value)
            .map_err(|e| e.hint("no other program opens such a file"))?;
    }
    // The header does not say anything else than what is done.
    if let Some(level) = options.level
        && header.is_dwa()
        && header.get(DWA_LEVEL).is_some()
    {
        header.set(DWA_LEVEL, Value::Float(level));
    }
    match options.layout {
        Layout::Auto if !options.compat => header.set_rows_of_zstd(),
        Layout::Auto | Layout::Keep => {}
        Layout::Scanlines => {
            header.set_tiles(None, deep);
            let random = Value::LineOrder(LineOrder::Random);
            if options.line_order.is_none() && header.get("lineOrder") == Some(&random) {
                header.set("lineOrder", Value::LineOrder(LineOrder::Increasing));
            }
        }
        Layout::Tiles(tiles) => header.set_tiles(Some(tiles), deep),
    }
    let kind = header.kind();
    if kind.is_deep() != deep {
        let message = format!("the header says {}, the pixels do not", kind.name());
        return Err(Error::argument(message));
    }
    if multipart && header.name().is_none() {
        header.set("name", Value::Text(format!("part{index}").as_str().into()));
    }
    if multipart || deep || header.get("type").is_some() {
        header.set("type", Value::Text(kind.name().into()));
    }
    if let Pixels::Deep(levels) = &part.pixels {
        let most = levels.iter().flat_map(|level| level.counts.iter()).max().copied();
        let most = i32::try_from(most.unwrap_or(0)).unwrap_or(i32::MAX);
        header.set("maxSamplesPerPixel", Value::Int(most));
        header.set("version", Value::Int(1));
    }
    let shape = header.shape()?;
    if multipart || deep || header.get("chunkCount").is_some() {
        let chunks = i32::try_from(shape.chunks);
        let chunks = chunks.map_err(|_| Error::argument("more than 2^31 - 1 chunks"))?;
        header.set("chunkCount", Value::Int(chunks));
    }
    if shape.line_order == LineOrder::Random && !kind.is_tiled() {
        return Err(Error::argument("only tiles can come in any order"));
    }
    check(part, &shape)?;
    Ok((header, shape))
}

/// That the pixels are those that the header promises.
fn check(part: &ImagePart<'_>, shape: &Shape) -> Result<()> {
    let levels: Vec<(u32, u32, Box2i)> = match &part.pixels {
        Pixels::Flat(levels) => levels.iter().map(|l| (l.x, l.y, l.window)).collect(),
        Pixels::Deep(levels) => levels.iter().map(|l| (l.x, l.y, l.window)).collect(),
    };
    if levels.len() != shape.levels.len() {
        let message = format!(
            "the header needs {} levels of detail; there are {}",
            shape.levels.len(),
            levels.len()
        );
        return Err(Error::argument(message));
    }
    for (level, (x, y, window)) in shape.levels.iter().zip(levels) {
        let same_size =
            [window.width(), window.height()] == [level.window.width(), level.window.height()];
        let single = shape.levels.len() == 1;
        if !same_size || !single && (level.x, level.y) != (x, y) {
            let message = format!(
                "level {x}, {y} with pixels {window} is not level {}, {} with {}",
                level.x, level.y, level.window
            );
            return Err(Error::argument(message));
        }
    }
    match &part.pixels {
        Pixels::Flat(levels) => levels
            .iter()
            .zip(&shape.levels)
            .try_for_each(|(flat, level)| check_flat(flat, shape, &level.window)),
        Pixels::Deep(levels) => levels.iter().try_for_each(|deep| check_deep(deep, shape)),
    }
}

fn check_flat(flat: &FlatLevel<'_>, shape: &Shape, window: &Box2i) -> Result<()> {
    let block = shape.block(window);
    check_planes(&flat.planes, shape, |channel| {
        block.row_samples(channel) as u64 * block.rows(channel) as u64
    })
}

fn check_deep(deep: &DeepLevel<'_>, shape: &Shape) -> Result<()> {
    let pixels = deep.window.width() * deep.window.height();
    if deep.counts.len() as u64 != pixels {
        let message = format!("{} counts for {pixels} pixels", deep.counts.len());
        return Err(Error::argument(message));
    }
    let samples = deep.counts.iter().map(|count| u64::from(*count)).sum();
    check_planes(&deep.planes, shape, |_| samples)
}

fn check_planes(
    planes: &[Plane<'_>],
    shape: &Shape,
    samples: impl Fn(&crate::Channel) -> u64,
) -> Result<()> {
    let same = planes.iter().map(|plane| &plane.channel).eq(&shape.channels);
    if !same {
        let message = "the planes are not the channels of the header, sorted by name";
        return Err(Error::argument(message));
    }
    for plane in planes {
        let (name, there) = (&plane.channel.name, plane.samples.len() as u64);
        if plane.samples.pixel_type() != plane.channel.pixel_type {
            let message = format!("the samples of {name:?} are not of the type of the channel");
            return Err(Error::argument(message));
        }
        let needed = samples(&plane.channel);
        if there != needed {
            let message = format!("channel {name:?} has {there} samples; {needed} are needed");
            return Err(Error::argument(message));
        }
    }
    Ok(())
}

/// The chunks of a part in the order in which they are written.
pub(super) fn order(shape: &Shape) -> Vec<u64> {
    if shape.line_order != LineOrder::Decreasing {
        return (0..shape.chunks).collect();
    }
    let rows = shape.levels.iter().flat_map(|level| {
        let rows = (0..level.down).rev();
        rows.flat_map(move |row| {
            let first = level.first_chunk + row * level.across;
            first..first + level.across
        })
    });
    rows.collect()
}

/// Pixels of a tile of whole rows, in bytes: what fills the largest block of Zstandard with the
/// lower bytes of halves, and another with the upper ones.
const TILE_BYTES: u64 = 256 << 10;

/// Rows of a tile at least, so that what one row has in common with the next is found.
const TILE_ROWS: u64 = 8;

/// Bytes of a tile at most.
const MOST_TILE_BYTES: u64 = 8 << 20;

/// The attribute that says with how much loss a part is packed as DWA.
const DWA_LEVEL: &str = "dwaCompressionLevel";

impl header::Part {
    fn is_dwa(&self) -> bool {
        use Compression::{Dwaa, Dwab};
        matches!(self.get("compression"), Some(Value::Compression(Dwaa | Dwab)))
    }

    /// The loss of DWA, where the part is packed so and has a word on it.
    pub(super) fn dwa_level(&self) -> Option<f32> {
        match self.get(DWA_LEVEL) {
            Some(Value::Float(level)) if self.is_dwa() => {
                Some(*level).filter(|level| level.is_finite() && *level >= 0.0)
            }
            _ => None,
        }
    }

    /// Cuts scanlines that are packed with ZSTD into tiles of some rows.
    fn set_rows_of_zstd(&mut self) {
        let Ok(shape) = self.shape() else { return };
        let subsampled =
            |channel: &crate::Channel| (channel.x_sampling, channel.y_sampling) != (1, 1);
        if shape.kind != Kind::Scanline
            || shape.compression != Compression::Zstd
            || shape.channels.iter().any(subsampled)
        {
            return;
        }
        let (width, height) = (shape.data_window.width(), shape.data_window.height());
        let row = shape.block(&shape.place(0).window).bytes().max(1);
        let rows = (TILE_BYTES / row).max(TILE_ROWS).min(MOST_TILE_BYTES / row).min(height);
        let (Ok(width), Ok(rows)) = (u32::try_from(width), u32::try_from(rows)) else { return };
        if rows > 1 {
            let (levels, rounding) = (LevelMode::One, Rounding::Down);
            self.set_tiles(Some(header::Tiles { width, height: rows, levels, rounding }), false);
        }
    }

    /// Cuts the part into tiles, or into scanlines.
    fn set_tiles(&mut self, tiles: Option<header::Tiles>, deep: bool) {
        let kind = match (tiles, deep) {
            (None, false) => Kind::Scanline,
            (Some(_), false) => Kind::Tiled,
            (None, true) => Kind::DeepScanline,
            (Some(_), true) => Kind::DeepTiled,
        };
        match tiles {
            Some(tiles) => self.set("tiles", Value::Tiles(tiles)),
            None => self.remove("tiles"),
        }
        self.set_kind(kind);
    }
}
