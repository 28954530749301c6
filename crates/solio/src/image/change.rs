//! Changes of the pixels of an image between reading and writing it.

use crate::Input;
use solio_base::{Limits, Result, Work};
use solio_exr::header::{LevelMode, Rounding, Tiles};
use solio_exr::model::Image;
use solio_exr::{Layout, WriteOptions};
use solio_image::{ResizeOptions, ResizeSize, flatten, mipmap, resize, resized_bytes, select_view};

/// Columns and rows of the tiles of levels, as textures usually have them.
const TILE: u32 = 64;

/// What is done with the pixels of an image, in this order.
///
/// ```
/// use solio::{ImageChanges, ImageConvertOptions, ResizeOptions, convert_image};
/// # let folder = tempfile::tempdir().unwrap();
/// # let [path, small] = ["a.exr", "small.exr"].map(|name| folder.path().join(name));
/// # let work = solio::Work::default();
/// # let map = solio::color::gradient::colormap("magma").unwrap();
/// # solio::write_image(&solio::gradient_image(&map, [8, 4])?, &path, &Default::default(), &work)?;
/// let resize = Some(ResizeOptions::new("50%".parse()?));
/// let changes = ImageChanges { resize, ..ImageChanges::default() };
/// let options = ImageConvertOptions { changes, ..ImageConvertOptions::default() };
/// assert_eq!(convert_image(&path, &small, &options, &work)?.size, [4, 2]);
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImageChanges {
    /// Of several views this one: its parts, or its channels, whose names lose it.
    pub view: Option<String>,
    /// Deep parts become flat.
    pub flatten: bool,
    /// Another size.
    pub resize: Option<ResizeOptions>,
    /// Tiles, and levels of detail made anew. Tiles have the size that the layout of writing names, else
    /// 64 pixels.
    pub mipmap: bool,
}

impl ImageChanges {
    /// Whether there is anything to do.
    pub(crate) fn are_some(&self) -> bool {
        *self != ImageChanges::default()
    }

    /// Whether the full size alone is of use.
    pub(crate) fn need_one_level(&self) -> bool {
        self.flatten || self.resize.is_some() || self.mipmap
    }

    /// About how many bytes of pixels are made of those of `input`.
    pub(crate) fn bytes_made_of(&self, pixels: u64, input: &Input, work: &Work) -> u64 {
        let Some(options) = &self.resize else {
            // Levels have a third of the pixels; those on the way are full floats.
            return if self.mipmap { pixels } else { 0 };
        };
        match input.exr_header(work) {
            // Sizes that are none are refused where they are asked for.
            Ok(header) => resized_bytes(&header.parts, options.size).unwrap_or(0),
            Err(_) => match options.size {
                ResizeSize::Factors([x, y]) => (pixels as f64 * x * y) as u64,
                // Samples of 32 bits.
                ResizeSize::Pixels(x, y) => {
                    let sides = [x.or(y), y.or(x)].map(|side| u64::from(side.unwrap_or(0)));
                    16 * sides[0].saturating_mul(sides[1])
                }
            },
        }
    }

    /// Changes `image`; adds what there is to say to `notes`. With `straight` colours are not multiplied
    /// by alpha.
    pub(crate) fn apply(
        &self,
        image: &mut Image<'_>,
        straight: bool,
        notes: &mut Vec<String>,
        (write, limits): (&WriteOptions, &Limits),
        work: &Work,
    ) -> Result<()> {
        if let Some(view) = &self.view {
            notes.extend(select_view(image, view)?);
        }
        if self.flatten {
            flatten(image, limits, work)?;
        }
        if let Some(options) = &self.resize {
            // What is transparent must not tint what is beside it.
            if straight {
                solio_image::edit::multiply_by_alpha(image);
            }
            notes.extend(resize(image, options, limits, work)?);
            if straight {
                solio_image::edit::divide_by_alpha(image);
            }
        }
        if self.mipmap {
            mipmap(image, self.tile(write), limits, work)?;
        }
        Ok(())
    }

    /// The layout of OpenEXR with the levels that were made.
    pub(crate) fn layout(&self, write: &WriteOptions) -> WriteOptions {
        if !self.mipmap {
            return *write;
        }
        let [width, height] = self.tile(write);
        let (levels, rounding) = (LevelMode::Mipmap, Rounding::Down);
        let tiles = Tiles { width, height, levels, rounding };
        WriteOptions { layout: Layout::Tiles(tiles), ..*write }
    }

    fn tile(&self, write: &WriteOptions) -> [u32; 2] {
        match write.layout {
            Layout::Tiles(tiles) => [tiles.width, tiles.height],
            _ => [TILE; 2],
        }
    }
}
