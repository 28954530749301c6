//! Pixels that a file does not have: how many, and marks where they would be.

use solio_exr::Image;
use solio_exr::header::Box2i;
use solio_exr::model::{ImagePart, MissingChunk, Pixels};
use std::fmt;

/// The colours of the stripes, and how wide they are.
const STRIPES: [[u8; 3]; 2] = [[44, 44, 48], [214, 72, 88]];
const STRIPE_PIXELS: usize = 4;

/// What of a picture the file does not have, because it was not finished or is damaged.
///
/// ```
/// use solio_exr::header::Box2i;
/// use solio_exr::model::MissingChunk;
/// # let map = solio_color::gradient::colormap("magma").unwrap();
/// # let mut image = solio_image::gradient_image(&map, [8, 4])?;
/// // Reading with `partial` did not find the last row.
/// let window = Box2i { min: [0, 3], max: [7, 3] };
/// let message = "the file does not have it".to_owned();
/// image.missing = vec![MissingChunk { part: 0, chunk: 3, level: [0, 0], window, message }];
/// let preview = solio_image::preview(&image, &Default::default(), &Default::default())?;
/// let missing = preview.missing.unwrap();
/// assert_eq!((missing.pixels, missing.of_pixels), (8, 32));
/// assert_eq!(missing.to_string(), "25 % missing");
/// # Ok::<(), solio_base::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingPixels {
    /// Chunks that are missing or damaged; in a file of gradients, gradients.
    pub chunks: u64,
    /// Their pixels.
    pub pixels: u64,
    /// All pixels of the data window.
    pub of_pixels: u64,
    /// What is wrong with the first of these chunks.
    pub first: String,
}

impl MissingPixels {
    /// Of `gaps` in the part that is shown; `None` where there are none.
    pub(crate) fn of(
        image: &Image<'_>,
        part: &ImagePart<'_>,
        gaps: &[Box2i],
    ) -> Option<MissingPixels> {
        let first = image.missing.first()?.message.clone();
        let area = |window: &Box2i| window.width().saturating_mul(window.height());
        let (_, window) = level_of(part)?;
        let within = gaps.iter().filter_map(|gap| gap.intersection(&window));
        let pixels = within.map(|gap| area(&gap)).fold(0, u64::saturating_add);
        let chunks = gaps.len() as u64;
        (pixels > 0).then(|| MissingPixels { chunks, pixels, of_pixels: area(&window), first })
    }

    /// Whether nothing of the picture is there.
    pub fn is_all(&self) -> bool {
        self.pixels >= self.of_pixels
    }
}

/// `25 % missing`.
impl fmt::Display for MissingPixels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let share = self.pixels as f64 / self.of_pixels.max(1) as f64 * 100.0;
        match share {
            share if share < 0.1 => write!(f, "less than 0.1 % missing"),
            share if share < 10.0 => write!(f, "{share:.1} % missing"),
            // What is there is not rounded away.
            share if share < 100.0 => write!(f, "{:.0} % missing", share.floor()),
            _ => write!(f, "all missing"),
        }
    }
}

/// The pixels of the part with this number that could not be read, of its first level.
pub(crate) fn gaps_of(image: &Image<'_>, number: usize) -> Vec<Box2i> {
    let Some((level, _)) = image.parts.get(number).and_then(level_of) else { return Vec::new() };
    // Of one part that was chosen from a file with more the number is another.
    let is_only = image.parts.len() == 1;
    let is_here = |chunk: &&MissingChunk| chunk.level == level && (is_only || chunk.part == number);
    image.missing.iter().filter(is_here).map(|chunk| chunk.window).collect()
}

fn level_of(part: &ImagePart<'_>) -> Option<([u32; 2], Box2i)> {
    match &part.pixels {
        Pixels::Flat(levels) => levels.first().map(|level| ([level.x, level.y], level.window)),
        Pixels::Deep(levels) => levels.first().map(|level| ([level.x, level.y], level.window)),
    }
}

/// Draws stripes over every pixel of a picture of `window` that has something of the `gaps`.
pub(crate) fn hatch(
    pixels: &mut [u8],
    [width, height, channels]: [usize; 3],
    window: &Box2i,
    gaps: &[Box2i],
) {
    let size = [width, height];
    for gap in gaps.iter().filter_map(|gap| gap.intersection(window)) {
        let [columns, rows] = [0, 1].map(|axis| {
            let of = window.max[axis] as i128 - i128::from(window.min[axis]) + 1;
            let place =
                |at: i32| (i128::from(at) - i128::from(window.min[axis])) * size[axis] as i128;
            let end = (place(gap.max[axis]) + size[axis] as i128 + of - 1) / of;
            (place(gap.min[axis]) / of) as usize..(end as usize).min(size[axis])
        });
        for y in rows {
            let row = &mut pixels[y * width * channels..][..width * channels];
            for x in columns.clone() {
                let pixel = &mut row[x * channels..][..channels];
                pixel.fill(u8::MAX);
                pixel[..3].copy_from_slice(&STRIPES[(x + y) / STRIPE_PIXELS % 2]);
            }
        }
    }
}

/// Which samples of a plane of `window` lie in one of `gaps`.
pub(crate) fn mask(window: &Box2i, gaps: &[Box2i]) -> Vec<bool> {
    let across = window.width() as usize;
    let mut mask = vec![false; across * window.height() as usize];
    for gap in gaps.iter().filter_map(|gap| gap.intersection(window)) {
        let start = (i64::from(gap.min[0]) - i64::from(window.min[0])) as usize;
        for y in gap.min[1]..=gap.max[1] {
            let row = (i64::from(y) - i64::from(window.min[1])) as usize;
            mask[row * across + start..][..gap.width() as usize].fill(true);
        }
    }
    mask
}
