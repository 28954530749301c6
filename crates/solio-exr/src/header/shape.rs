//! Where the pixels of a part lie: channels, levels, chunks.
//!
//! Scanlines are seen as tiles as wide as the image. The chunk table counts level by level
//! (all widths of a height before the next height), within a level row by row of tiles, whatever
//! the order of the chunks themselves. ("The OpenEXR File Layout", component four; "Technical
//! Introduction to OpenEXR", "Tiles".)

use super::{Box2i, Kind, LevelMode, LineOrder, Rounding, Tiles};
use crate::{Block, Channel, Compression};
use solio_base::Error;
use std::ops::Range;

/// Coordinates stay below half of what fits, as in the reference, so that sizes fit too.
const FARTHEST: i32 = i32::MAX / 2;

/// The most channels of a part.
const MOST_CHANNELS: usize = i16::MAX as usize;

/// One level of detail of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level {
    /// How often the width was halved.
    pub x: u32,
    /// How often the height was halved.
    pub y: u32,
    /// Its pixels: from the corner of the data window on.
    pub window: Box2i,
    /// Tiles side by side.
    pub across: u64,
    /// Tiles one below the other.
    pub down: u64,
    /// Number of its first chunk.
    pub first_chunk: u64,
}

/// Where a chunk lies in its part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ChunkPlace {
    /// Index into [`Shape::levels`].
    pub(crate) level: usize,
    /// Which tile, counted from the left and from the top.
    pub(crate) tile: [u64; 2],
    /// Its pixels.
    pub(crate) window: Box2i,
}

/// What the attributes of a part say about its pixels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// How the pixels are stored.
    pub kind: Kind,
    /// The channels, in the order in which chunks have them: sorted by name.
    pub channels: Vec<Channel>,
    /// How chunks are compressed.
    pub compression: Compression,
    /// The pixels that there are.
    pub data_window: Box2i,
    /// In which order chunks follow each other.
    pub line_order: LineOrder,
    /// The levels, in the order of the chunk table; a part without tiles has one.
    pub levels: Vec<Level>,
    /// Columns and rows of a chunk.
    pub chunk_size: [u64; 2],
    /// How many chunks there are.
    pub chunks: u64,
}

impl Shape {
    /// Checked sizes; an error names the attribute that is wrong.
    pub(crate) fn new(
        kind: Kind,
        mut channels: Vec<Channel>,
        compression: Compression,
        data_window: Box2i,
        line_order: LineOrder,
        tiles: Option<Tiles>,
    ) -> Result<Shape, (&'static str, Error)> {
        check_window(&data_window).map_err(|e| ("dataWindow", e))?;
        channels.sort_by(Channel::by_name);
        check_channels(&channels, kind, &data_window).map_err(|e| ("channels", e))?;
        let deep_too = [Compression::None, Compression::Rle, Compression::Zips, Compression::Zstd];
        if kind.is_deep() && !deep_too.contains(&compression) {
            let message = format!("deep data cannot be compressed as {}", compression.name());
            return Err(("compression", Error::corrupt(message)));
        }
        if let Some(tiles) = &tiles {
            check_tiles(tiles).map_err(|e| ("tiles", e))?;
        }
        let chunk_size = match &tiles {
            Some(tiles) => [u64::from(tiles.width), u64::from(tiles.height)],
            None => [data_window.width(), compression.chunk_rows() as u64],
        };
        let mut chunks = 0;
        let mut levels = Vec::new();
        for (x, y) in level_numbers(&data_window, tiles.as_ref()) {
            let rounding = tiles.map_or(Rounding::Down, |tiles| tiles.rounding);
            let width = level_size(data_window.width(), x, rounding);
            let height = level_size(data_window.height(), y, rounding);
            let [left, top] = data_window.min;
            let max = [left + (width - 1) as i32, top + (height - 1) as i32];
            let window = Box2i { min: data_window.min, max };
            let across = width.div_ceil(chunk_size[0]);
            let down = height.div_ceil(chunk_size[1]);
            levels.push(Level { x, y, window, across, down, first_chunk: chunks });
            // More than a file can hold is refused where its table is looked for.
            chunks = u64::saturating_add(chunks, across * down);
        }
        let shape = Shape {
            kind,
            channels,
            compression,
            data_window,
            line_order,
            levels,
            chunk_size,
            chunks,
        };
        Ok(shape)
    }

    /// Where chunk `index` lies; `index` is less than [`Shape::chunks`].
    // Inlined: a place that is handed over in memory is waited for behind all samples before it.
    #[inline(always)]
    pub(crate) fn place(&self, index: u64) -> ChunkPlace {
        let level = self.levels.partition_point(|level| level.first_chunk <= index) - 1;
        let of = &self.levels[level];
        let within = index - of.first_chunk;
        let tile = [within % of.across, within / of.across];
        ChunkPlace { level, tile, window: self.window_of(of, tile) }
    }

    /// The pixels of a tile of `level`.
    #[inline(always)]
    pub(crate) fn window_of(&self, level: &Level, tile: [u64; 2]) -> Box2i {
        let mut window = level.window;
        for (axis, (tile, size)) in tile.into_iter().zip(self.chunk_size).enumerate() {
            let start = i64::from(level.window.min[axis]) + (tile * size) as i64;
            let last = start + size as i64 - 1;
            window.min[axis] = start as i32;
            window.max[axis] = last.min(i64::from(level.window.max[axis])) as i32;
        }
        window
    }

    /// The chunk of tile `tile` of level `x`, `y`, where there is such a thing.
    pub(crate) fn chunk_of_tile(&self, tile: [i32; 2], x: i32, y: i32) -> Option<u64> {
        let [across, down] = [u64::try_from(tile[0]).ok()?, u64::try_from(tile[1]).ok()?];
        let level = self.levels.iter().find(|l| l.x as i32 == x && l.y as i32 == y)?;
        (across < level.across && down < level.down)
            .then(|| level.first_chunk + down * level.across + across)
    }

    /// The chunk of scanlines that starts at row `y`, where there is such a thing.
    pub(crate) fn chunk_of_row(&self, y: i32) -> Option<u64> {
        let row = u64::try_from(i64::from(y) - i64::from(self.data_window.min[1])).ok()?;
        let chunk = row / self.chunk_size[1];
        (row % self.chunk_size[1] == 0 && chunk < self.chunks).then_some(chunk)
    }

    /// Tiles of `level` that touch `window`, across and down.
    pub(crate) fn tiles_touching(&self, level: &Level, window: &Box2i) -> [Range<u64>; 2] {
        [0, 1].map(|axis| {
            let from = |at: i32| (i64::from(at) - i64::from(level.window.min[axis])) as u64;
            let size = self.chunk_size[axis];
            from(window.min[axis]) / size..from(window.max[axis]) / size + 1
        })
    }

    /// The pixels of a chunk as the codecs see them.
    pub(crate) fn block(&self, window: &Box2i) -> Block<'_> {
        Block { channels: &self.channels, x: columns(window), y: rows(window) }
    }
}

/// The columns of `window`.
pub(crate) fn columns(window: &Box2i) -> Range<i32> {
    window.min[0]..window.max[0] + 1
}

/// The rows of `window`.
pub(crate) fn rows(window: &Box2i) -> Range<i32> {
    window.min[1]..window.max[1] + 1
}

fn check_window(window: &Box2i) -> Result<(), Error> {
    let [left, top, right, bottom] = [window.min[0], window.min[1], window.max[0], window.max[1]];
    let shown = format!("({left}, {top}) to ({right}, {bottom})");
    if left > right || top > bottom {
        return Err(Error::corrupt(format!("the data window {shown} is empty")));
    }
    if left <= -FARTHEST || top <= -FARTHEST || right >= FARTHEST || bottom >= FARTHEST {
        return Err(Error::corrupt(format!("the data window {shown} is too large")));
    }
    Ok(())
}

fn check_channels(channels: &[Channel], kind: Kind, window: &Box2i) -> Result<(), Error> {
    if channels.is_empty() || channels.len() > MOST_CHANNELS {
        let message = format!("{} channels; there are 1 to {MOST_CHANNELS}", channels.len());
        return Err(Error::corrupt(message));
    }
    if let Some(twice) = channels.windows(2).find(|pair| pair[0].name == pair[1].name) {
        return Err(Error::corrupt(format!("two channels are called {:?}", twice[0].name)));
    }
    for channel in channels {
        let rates = [channel.x_sampling, channel.y_sampling];
        let shown =
            format!("channel {:?} with sampling rates {} × {}", channel.name, rates[0], rates[1]);
        if rates[0] < 1 || rates[1] < 1 {
            return Err(Error::corrupt(shown));
        }
        if rates != [1, 1] && kind != Kind::Scanline {
            return Err(Error::corrupt(format!("{shown} in tiles or deep data")));
        }
        let sizes = [window.width(), window.height()];
        let fits = |axis: usize| {
            window.min[axis] % rates[axis] == 0 && sizes[axis].is_multiple_of(rates[axis] as u64)
        };
        if !fits(0) || !fits(1) {
            let message = format!("{shown}, which do not divide the data window");
            return Err(Error::corrupt(message));
        }
    }
    Ok(())
}

fn check_tiles(tiles: &Tiles) -> Result<(), Error> {
    let largest = (i32::MAX / 4) as u32;
    if (1..=largest).contains(&tiles.width) && (1..=largest).contains(&tiles.height) {
        return Ok(());
    }
    Err(Error::corrupt(format!("tiles of {} × {} pixels", tiles.width, tiles.height)))
}

/// The levels of a part, in the order of the chunk table.
fn level_numbers(window: &Box2i, tiles: Option<&Tiles>) -> Vec<(u32, u32)> {
    let Some(tiles) = tiles else { return vec![(0, 0)] };
    let count = |size: u64| match tiles.rounding {
        Rounding::Down => size.ilog2() + 1,
        Rounding::Up => size.next_power_of_two().ilog2() + 1,
    };
    let (width, height) = (window.width(), window.height());
    match tiles.levels {
        LevelMode::One => vec![(0, 0)],
        LevelMode::Mipmap => (0..count(width.max(height))).map(|level| (level, level)).collect(),
        LevelMode::Ripmap => {
            let across = move |y| (0..count(width)).map(move |x| (x, y));
            (0..count(height)).flat_map(across).collect()
        }
    }
}

/// A size that was halved `level` times, at least 1.
fn level_size(size: u64, level: u32, rounding: Rounding) -> u64 {
    let halved = match rounding {
        Rounding::Down => size >> level,
        Rounding::Up => size.div_ceil(1 << level),
    };
    halved.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PixelType;

    fn shape(window: Box2i, tiles: Option<Tiles>) -> Shape {
        let channel = |name: &str| Channel::new(name, PixelType::Half);
        let channels = vec![channel("R"), channel("A")];
        let kind = if tiles.is_some() { Kind::Tiled } else { Kind::Scanline };
        Shape::new(kind, channels, Compression::Zip, window, LineOrder::Increasing, tiles).unwrap()
    }

    #[test]
    fn scanlines_are_wide_tiles() {
        let window = Box2i { min: [-5, -20], max: [4, 20] };
        let shape = shape(window, None);
        assert_eq!((shape.chunks, shape.channels[0].name.as_str()), (3, "A"));
        let last = shape.place(2);
        assert_eq!(last.window, Box2i { min: [-5, 12], max: [4, 20] });
        assert_eq!(shape.chunk_of_row(12), Some(2));
        assert_eq!(shape.chunk_of_row(13), None);
        assert_eq!(shape.chunk_of_row(28), None);
        assert_eq!(shape.chunk_of_row(-36), None);
    }

    #[test]
    fn levels_halve_and_round() {
        let tiles = |levels, rounding| Tiles { width: 4, height: 3, levels, rounding };
        let window = Box2i { min: [1, 2], max: [10, 6] }; // 10 × 5
        let sizes = |levels, rounding| {
            let shape = shape(window, Some(tiles(levels, rounding)));
            let sizes = shape.levels.iter().map(|l| (l.window.width(), l.window.height()));
            (sizes.collect::<Vec<_>>(), shape.chunks)
        };
        let (down, chunks) = sizes(LevelMode::Mipmap, Rounding::Down);
        assert_eq!(down, [(10, 5), (5, 2), (2, 1), (1, 1)]);
        assert_eq!(chunks, 6 + 2 + 1 + 1);
        let (up, _) = sizes(LevelMode::Mipmap, Rounding::Up);
        assert_eq!(up, [(10, 5), (5, 3), (3, 2), (2, 1), (1, 1)]);
        let (ripmap, _) = sizes(LevelMode::Ripmap, Rounding::Down);
        assert_eq!(ripmap[..5], [(10, 5), (5, 5), (2, 5), (1, 5), (10, 2)]);
        assert_eq!(ripmap.len(), 4 * 3);
    }

    #[test]
    fn chunks_and_tiles_count_alike() {
        let tiles =
            Tiles { width: 4, height: 3, levels: LevelMode::Ripmap, rounding: Rounding::Up };
        let shape = shape(Box2i { min: [1, 2], max: [10, 6] }, Some(tiles));
        let mut pixels = vec![0; shape.levels.len()];
        for chunk in 0..shape.chunks {
            let place = shape.place(chunk);
            let level = &shape.levels[place.level];
            let tile = place.tile.map(|t| t as i32);
            assert_eq!(shape.chunk_of_tile(tile, level.x as i32, level.y as i32), Some(chunk));
            let [across, down] = shape.tiles_touching(level, &place.window);
            assert_eq!([across, down], place.tile.map(|t| t..t + 1));
            pixels[place.level] += place.window.width() * place.window.height();
        }
        for (level, counted) in shape.levels.iter().zip(pixels) {
            assert_eq!(level.window.width() * level.window.height(), counted);
        }
        assert_eq!(shape.chunk_of_tile([0, 0], 9, 0), None);
        assert_eq!(shape.chunk_of_tile([-1, 0], 0, 0), None);
        assert_eq!(shape.chunk_of_tile([3, 0], 0, 0), None);
    }
}
