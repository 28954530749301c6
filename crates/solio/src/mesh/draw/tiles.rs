//! Ellipses become pixels: square tiles of the picture, each from the front to the back until nothing shines
//! through any more.

use super::project::{Flat, LEAST_ALPHA};
use rayon::prelude::*;
use solio_base::{Result, Work};
use solio_codec::wide::{Wide, wide};
use solio_color::srgb::to_linear;
use solio_scene::preview::Picture;

/// Rows and columns of a tile.
const SIDE: usize = 16;
const PIXELS: usize = SIDE * SIDE;
/// Splats after which a tile is looked at whether it is finished.
const OFTEN: usize = 32;
/// No splat hides all behind it.
const MOST_ALPHA: f32 = 0.99;
/// Entries of all tiles' lists at a time: memory is bounded, however large the splats are.
const MOST_ENTRIES: usize = 8 << 20;

/// A tile, under way.
struct Tile {
    /// What shines through.
    through: [f32; PIXELS],
    color: [[f32; PIXELS]; 3],
    depth: [f32; PIXELS],
    is_finished: bool,
}

/// Draws ellipses in this order.
pub(super) fn draw(flats: &[Flat], order: &[u32], size: u32, work: &Work) -> Result<Picture> {
    let across = (size as usize).div_ceil(SIDE);
    let new = || Tile {
        through: [1.0; PIXELS],
        color: [[0.0; PIXELS]; 3],
        depth: [f32::INFINITY; PIXELS],
        is_finished: false,
    };
    let mut tiles: Vec<Tile> = (0..across * across).map(|_| new()).collect();
    let mut rest = order;
    while !rest.is_empty() {
        work.cancel.check()?;
        let (taken, lists) = lists(flats, rest, across, &tiles);
        rest = &rest[taken..];
        tiles.par_iter_mut().enumerate().for_each(|(number, tile)| {
            let list = &lists.entries[lists.starts[number]..lists.starts[number + 1]];
            let corner = [number % across * SIDE, number / across * SIDE].map(|at| at as f32);
            wide(DrawTile { tile, flats, list, corner });
        });
        if tiles.iter().all(|tile| tile.is_finished) {
            break;
        }
    }
    Ok(picture(&tiles, size as usize, across))
}

/// The splats of each tile, in order.
struct TileLists {
    starts: Vec<usize>,
    entries: Vec<u32>,
}

/// The lists of as many splats as there is room for, and how many these are.
fn lists(flats: &[Flat], order: &[u32], across: usize, tiles: &[Tile]) -> (usize, TileLists) {
    let span = |flat: &Flat, axis: usize| {
        let at = |v: f32| (v / SIDE as f32).clamp(0.0, across as f32);
        let low = at(flat.middle[axis] - flat.reach[axis]) as usize;
        low..at(flat.middle[axis] + flat.reach[axis]).ceil() as usize
    };
    let each = |flat: &Flat, each: &mut dyn FnMut(usize)| {
        for row in span(flat, 1) {
            for column in span(flat, 0) {
                let number = row * across + column;
                if !tiles[number].is_finished {
                    each(number);
                }
            }
        }
    };
    let mut starts = vec![0_usize; tiles.len() + 1];
    let (mut taken, mut all) = (0, 0);
    for &i in order {
        each(&flats[i as usize], &mut |number| {
            starts[number + 1] += 1;
            all += 1;
        });
        taken += 1;
        if all > MOST_ENTRIES {
            break;
        }
    }
    for number in 0..tiles.len() {
        starts[number + 1] += starts[number];
    }
    let mut ends = starts.clone();
    let mut entries = vec![0; all];
    for &i in &order[..taken] {
        each(&flats[i as usize], &mut |number| {
            entries[ends[number]] = i;
            ends[number] += 1;
        });
    }
    (taken, TileLists { starts, entries })
}

/// A tile gets the splats of its list.
struct DrawTile<'a> {
    tile: &'a mut Tile,
    flats: &'a [Flat],
    list: &'a [u32],
    corner: [f32; 2],
}

impl Wide for DrawTile<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let DrawTile { tile, flats, list, corner } = self;
        for some in list.chunks(OFTEN) {
            if tile.is_finished {
                return;
            }
            for &i in some {
                add(tile, &flats[i as usize], corner);
            }
            let most =
                tile.through.iter().fold(0.0_f32, |most, t| if *t > most { *t } else { most });
            tile.is_finished = most < LEAST_ALPHA;
        }
    }
}

/// Two to a power of −16 to 0, to one part in 10⁶.
#[inline(always)]
fn power_of_two(exponent: f32) -> f32 {
    /// Added and taken away again, it rounds to whole numbers.
    const ROUNDER: f32 = 12_582_912.0;
    let exponent = if exponent > -126.0 { exponent } else { -126.0 };
    let rounded = exponent + ROUNDER;
    let rest = exponent - (rounded - ROUNDER);
    let whole = f32::from_bits(rounded.to_bits().wrapping_add(127) << 23);
    // The series of 2^x = e^(x ln 2), within half a step.
    let series = 1.0
        + rest
            * (std::f32::consts::LN_2
                + rest
                    * (0.240_226_5
                        + rest * (0.055_504_11 + rest * (0.009_618_13 + rest * 0.001_333_36))));
    whole * series
}

#[inline(always)]
fn add(tile: &mut Tile, flat: &Flat, corner: [f32; 2]) {
    let side = SIDE as f32;
    let start = [flat.middle[0] - corner[0], flat.middle[1] - corner[1]];
    let [a, b, c] = flat.exponent;
    // The exponent at which nothing is seen any more.
    let end = (LEAST_ALPHA / flat.alpha).log2();
    let rows = (start[1] - flat.reach[1] - 0.5).clamp(0.0, side) as usize
        ..((start[1] + flat.reach[1] + 0.5).clamp(0.0, side) as usize);
    let [red, green, blue] = flat.color;
    for row in rows {
        let y = row as f32 + 0.5 - start[1];
        // Where the row crosses the ellipse: a x² + b x y + c y² = end.
        let inside = b * b * y * y - 4.0 * a * (c * y * y - end);
        if inside <= 0.0 {
            continue;
        }
        let (middle, half) = (-b * y / (2.0 * a), inside.sqrt() / (-2.0 * a));
        let first = (start[0] + middle - half - 0.5).ceil().clamp(0.0, side) as usize;
        let last = (start[0] + middle + half + 0.5).floor().clamp(0.0, side) as usize;
        if first >= last {
            continue;
        }
        let range = row * SIDE + first..row * SIDE + last;
        let through = &mut tile.through[range.clone()];
        let [reds, greens, blues] = &mut tile.color;
        let (reds, greens) = (&mut reds[range.clone()], &mut greens[range.clone()]);
        let (blues, depths) = (&mut blues[range.clone()], &mut tile.depth[range]);
        let (slope, level) = (b * y, c * y * y);
        for i in 0..through.len() {
            let x = (first + i) as f32 + 0.5 - start[0];
            let alpha = flat.alpha * power_of_two((a * x + slope) * x + level);
            let alpha = if alpha < MOST_ALPHA { alpha } else { MOST_ALPHA };
            let before = through[i];
            let part = alpha * before;
            let after = before - part;
            through[i] = after;
            reds[i] += part * red;
            greens[i] += part * green;
            blues[i] += part * blue;
            // Half of what is behind is hidden here.
            let is_here = (before >= 0.5) & (after < 0.5);
            depths[i] = if is_here { flat.depth } else { depths[i] };
        }
    }
}

/// The picture: colours blend as they are displayed, and are handed on as light.
fn picture(tiles: &[Tile], side: usize, across: usize) -> Picture {
    let pixels = (0..side * side).map(|pixel| {
        let (row, column) = (pixel / side, pixel % side);
        let tile = &tiles[row / SIDE * across + column / SIDE];
        (tile, row % SIDE * SIDE + column % SIDE)
    });
    let alpha: Vec<f32> = pixels.clone().map(|(tile, at)| 1.0 - tile.through[at]).collect();
    let channel = |k: usize| {
        let value = |((tile, at), alpha): ((&Tile, usize), &f32)| {
            let blended: f32 = tile.color[k][at];
            if *alpha > 0.0 { to_linear((blended / alpha).min(1.0)) * alpha } else { 0.0 }
        };
        pixels.clone().zip(&alpha).map(value).collect::<Vec<f32>>()
    };
    let none = vec![0.0; alpha.len()];
    Picture {
        width: side as u32,
        height: side as u32,
        color: [channel(0), channel(1), channel(2)],
        depth: pixels.map(|(tile, at)| tile.depth[at]).collect(),
        normal: [none.clone(), none.clone(), none],
        instance: vec![0; alpha.len()],
        alpha,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_two_are_those_of_std() {
        for step in 0..40_000 {
            let exponent = -(step as f32) * 4e-4;
            let (found, wanted) = (power_of_two(exponent), exponent.exp2());
            assert!((found / wanted - 1.0).abs() < 4e-6, "{exponent}: {found} {wanted}");
        }
        assert!(power_of_two(-1e30) < 1e-37 && power_of_two(f32::NEG_INFINITY) < 1e-37);
    }

    /// An ellipse of these variances.
    fn flat(middle: [f32; 2], [xx, xy, yy]: [f32; 3], alpha: f32, depth: f32) -> Flat {
        let determinant = xx * yy - xy * xy;
        let half = -0.5 * std::f32::consts::LOG2_E / determinant;
        let end = 2.0 * (alpha / LEAST_ALPHA).ln();
        Flat {
            middle,
            exponent: [half * yy, -2.0 * half * xy, half * xx],
            reach: [(end * xx).sqrt(), (end * yy).sqrt()],
            alpha,
            color: [0.2 + depth / 10.0, 0.5, 0.9 - depth / 10.0],
            depth,
        }
    }

    /// Pixel by pixel, by the definition.
    fn by_hand(flats: &[Flat], x: usize, y: usize) -> ([f32; 3], f32) {
        let (mut through, mut color) = (1.0_f32, [0.0_f32; 3]);
        for flat in flats {
            let (x, y) = (x as f32 + 0.5 - flat.middle[0], y as f32 + 0.5 - flat.middle[1]);
            let [a, b, c] = flat.exponent;
            let alpha = flat.alpha * (a * x * x + b * x * y + c * y * y).exp2();
            if alpha >= LEAST_ALPHA {
                let alpha = alpha.min(MOST_ALPHA);
                (0..3).for_each(|k| color[k] += through * alpha * flat.color[k]);
                through *= 1.0 - alpha;
            }
        }
        (color, through)
    }

    #[test]
    fn tiles_blend_as_the_definition_says_on_any_number_of_threads() {
        let mut random = 3_u32;
        let mut next = || {
            random = random.wrapping_mul(0x9e37_79b1).rotate_left(13) ^ 0x5bd1;
            (random >> 8) as f32 / (1 << 24) as f32
        };
        let mut flats: Vec<Flat> = (0..80)
            .map(|i| {
                let (xx, yy) = (0.3 + 60.0 * next(), 0.3 + 60.0 * next());
                let xy = (2.0 * next() - 1.0) * 0.9 * (xx * yy).sqrt();
                let middle = [60.0 * next() - 5.0, 60.0 * next() - 5.0];
                flat(middle, [xx, xy, yy], 0.05 + 0.9 * next(), 1.0 + i as f32 / 20.0)
            })
            .collect();
        // A large one far outside, and one that hides nearly all.
        flats.push(flat([-300.0, 25.0], [9e4, 0.0, 9e4], 0.7, 9.0));
        flats.push(flat([25.0, 25.0], [1e6, 0.0, 1e6], 1.0, 9.5));
        let order: Vec<u32> = (0..flats.len() as u32).collect();
        let drawn = draw(&flats, &order, 50, &Work::serial()).unwrap();
        for y in 0..50 {
            for x in 0..50 {
                let (color, through) = by_hand(&flats, x, y);
                let at = y * 50 + x;
                assert!((drawn.alpha[at] - (1.0 - through)).abs() < 0.01, "{x} {y}");
                let light = to_linear(color[1] / (1.0 - through)) * (1.0 - through);
                assert!((drawn.color[1][at] - light).abs() < 0.01, "{x} {y}");
            }
        }
        let threads = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        let again = threads.install(|| draw(&flats, &order, 50, &Work::serial()).unwrap());
        assert!(again == drawn);
    }
}
