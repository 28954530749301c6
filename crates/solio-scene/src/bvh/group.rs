//! Triangles into blocks of up to eight, along the curve.
//!
//! Where to cut the row is found out exactly: of all ways to cut it into runs of one to eight, the
//! one with the least sum of surfaces, each with a share for the node above it (dynamic
//! programming, as Karras and Aila do for the splits of treelets). Rows are cut in windows, so that all stays
//! in the caches.

use super::block::Block;
use super::build::Item;
use crate::bounds::missing_vertex;
use solio_base::{Result, memory};
use solio_codec::lanes::{self, Eight, Job, Lanes};

/// Triangles looked at together: their vertices take 75 kB.
const WINDOW: usize = 1024;

/// What a block costs beside its own surface, in mean surfaces of eight neighbours.
const ABOVE: f32 = 0.3;

/// Triangles whose memory is asked for beforehand.
const AHEAD: usize = 12;

/// A mesh, as arrays.
#[derive(Clone, Copy)]
pub(super) struct Mesh<'a> {
    pub(super) positions: &'a [[f32; 3]],
    pub(super) triangles: &'a [[u32; 3]],
}

impl Mesh<'_> {
    /// The vertices of a triangle.
    #[inline(always)]
    pub(super) fn corners(&self, triangle: u32) -> Result<[[f32; 3]; 3]> {
        let [a, b, c] = self.triangles[triangle as usize];
        let at = |vertex: u32| self.positions.get(vertex as usize);
        match (at(a), at(b), at(c)) {
            (Some(a), Some(b), Some(c)) => Ok([*a, *b, *c]),
            _ => Err(self.missing(triangle)),
        }
    }

    /// Asks for the memory of the triangle `ahead` places further on and, as its indices are there
    /// by then, of the vertices of the one half as far.
    #[inline(always)]
    pub(super) fn prefetch(&self, number: impl Fn(usize) -> Option<u32>) {
        if let Some(number) = number(2 * AHEAD) {
            lanes::prefetch(self.triangles, number as usize);
        }
        if let Some([a, b, c]) = number(AHEAD).and_then(|i| self.triangles.get(i as usize)) {
            lanes::prefetch(self.positions, *a as usize);
            lanes::prefetch(self.positions, *b as usize);
            lanes::prefetch(self.positions, *c as usize);
        }
    }

    #[cold]
    fn missing(&self, triangle: u32) -> solio_base::Error {
        let count = self.positions.len();
        let beyond = self.triangles[triangle as usize].into_iter().find(|v| *v as usize >= count);
        missing_vertex(triangle as usize, beyond.unwrap_or_default(), count)
    }
}

/// Blocks of the triangles whose numbers are the lower halves of `keys`, and an item for each
/// block.
pub(super) fn blocks(mesh: Mesh, keys: &[u64]) -> (Vec<Block>, Vec<Item>) {
    // Runs of eight would be an eighth of the triangles; most are shorter.
    let count = keys.len() / 5 + 1;
    let mut grouped =
        Grouped { blocks: memory::with_capacity(count), items: memory::with_capacity(count) };
    let mut window = Box::new(Window::default());
    for keys in keys.chunks(WINDOW) {
        lanes::run(OneWindow { mesh, keys, window: &mut window, grouped: &mut grouped });
    }
    (grouped.blocks, grouped.items)
}

struct Grouped {
    blocks: Vec<Block>,
    items: Vec<Item>,
}

/// What is known of the triangles of a window; room for a last group of eight.
struct Window {
    /// x, y, z and nothing of each vertex.
    rows: [[[f32; 4]; 3]; WINDOW],
    /// −min x, y, z and max x, y, z of each triangle.
    bounds: [[Eight; WINDOW / 8]; 6],
    /// The length of the last run of the best way to cut what ends here.
    length: [u8; WINDOW],
}

impl Default for Window {
    fn default() -> Window {
        Window {
            rows: [[[0.0; 4]; 3]; WINDOW],
            bounds: [[Eight([0.0; 8]); WINDOW / 8]; 6],
            length: [0; WINDOW],
        }
    }
}

struct OneWindow<'a> {
    mesh: Mesh<'a>,
    keys: &'a [u64],
    window: &'a mut Window,
    grouped: &'a mut Grouped,
}

impl Job for OneWindow<'_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let OneWindow { mesh, keys, window, grouped } = self;
        gather(lanes, mesh, keys, window);
        cut(lanes, keys.len(), window);
        // Backwards, as the best way is found.
        let mut end = keys.len();
        let first = grouped.blocks.len();
        while end > 0 {
            let begin = end - usize::from(window.length[end - 1]).clamp(1, end);
            let number = grouped.blocks.len() as u32;
            let (block, item) = block(lanes, keys, window, begin, end, number);
            grouped.blocks.push(block);
            grouped.items.push(item);
            end = begin;
        }
        debug_assert!(grouped.blocks.len() > first);
    }
}

/// Fetches vertices and finds the bounds.
#[inline(always)]
fn gather<L: Lanes>(lanes: L, mesh: Mesh, keys: &[u64], window: &mut Window) {
    for (i, (rows, key)) in window.rows.iter_mut().zip(keys).enumerate() {
        mesh.prefetch(|ahead| keys.get(i + ahead).map(|key| *key as u32));
        // Every triangle was fetched before, so none is missing.
        let Ok(corners) = mesh.corners(*key as u32) else { continue };
        *rows = corners.map(|[x, y, z]| [x, y, z, 0.0]);
    }
    let zero = lanes.splat(0.0);
    for (group, rows) in window.rows.as_chunks::<8>().0.iter().enumerate() {
        if 8 * group >= keys.len() {
            break;
        }
        let (a, b, c) = (corner(lanes, rows, 0), corner(lanes, rows, 1), corner(lanes, rows, 2));
        for axis in 0..3 {
            let min = lanes.min(lanes.min(a[axis], b[axis]), c[axis]);
            let max = lanes.max(lanes.max(a[axis], b[axis]), c[axis]);
            window.bounds[axis][group] = lanes.store(lanes.sub(zero, min));
            window.bounds[axis + 3][group] = lanes.store(max);
        }
    }
}

/// x, y, z of one vertex of eight triangles.
#[inline(always)]
fn corner<L: Lanes>(lanes: L, rows: &[[[f32; 4]; 3]; 8], vertex: usize) -> [L::Floats; 4] {
    lanes.columns([
        &rows[0][vertex],
        &rows[1][vertex],
        &rows[2][vertex],
        &rows[3][vertex],
        &rows[4][vertex],
        &rows[5][vertex],
        &rows[6][vertex],
        &rows[7][vertex],
    ])
}

/// Half the surface of eight boxes.
#[inline(always)]
fn areas<L: Lanes>(lanes: L, bounds: &[L::Floats; 6]) -> L::Floats {
    let x = lanes.add(bounds[0], bounds[3]);
    let y = lanes.add(bounds[1], bounds[4]);
    let z = lanes.add(bounds[2], bounds[5]);
    lanes.add(lanes.add(lanes.mul(x, y), lanes.mul(y, z)), lanes.mul(z, x))
}

/// Finds the best way to cut the first `count` triangles.
#[inline(always)]
fn cut<L: Lanes>(lanes: L, count: usize, window: &mut Window) {
    let above = ABOVE * mean_area(count, window);
    let infinite = lanes.splat(f32::INFINITY);
    // Lane k: the bounds of the last k + 1 triangles, and the least cost of all before them.
    let mut last = [lanes.splat(f32::NEG_INFINITY); 6];
    let mut before = infinite;
    let mut least = 0.0;
    for i in 0..count {
        for (last, bounds) in last.iter_mut().zip(&window.bounds) {
            let x = bounds[i / 8].0[i % 8];
            *last = lanes.max(lanes.shift_in(*last, x), lanes.splat(x));
        }
        before = lanes.shift_in(before, least + above);
        let cost = lanes.add(areas(lanes, &last), before);
        let cost = lanes.min(cost, infinite);
        least = lanes.least(cost);
        let best = lanes.at_most(cost, lanes.splat(least)).trailing_zeros();
        window.length[i] = best as u8 + 1;
    }
}

/// The mean surface of eight neighbours.
#[inline(always)]
fn mean_area(count: usize, window: &Window) -> f32 {
    let groups = count / 8;
    let mut sum = 0.0;
    for group in 0..groups {
        let mut all = [f32::NEG_INFINITY; 6];
        for (side, all) in all.iter_mut().enumerate() {
            for x in window.bounds[side][group].0 {
                *all = if x > *all { x } else { *all };
            }
        }
        let [x, y, z] = [0, 1, 2].map(|i: usize| all[i] + all[i + 3]);
        sum += x * y + y * z + z * x;
    }
    if groups == 0 { 0.0 } else { sum / groups as f32 }
}

/// The block of a run, and its item.
#[inline(always)]
fn block<L: Lanes>(
    lanes: L,
    keys: &[u64],
    window: &Window,
    begin: usize,
    end: usize,
    number: u32,
) -> (Block, Item) {
    const MISSING: [f32; 4] = [f32::NAN; 4];
    let mut block = Block::EMPTY;
    for (number, key) in block.numbers.iter_mut().zip(&keys[begin..end]) {
        *number = *key as u32;
    }
    let rows = &window.rows[begin..end];
    for vertex in 0..3 {
        let row = |i: usize| rows.get(i).map_or(&MISSING, |rows| &rows[vertex]);
        let [x, y, z, _] =
            lanes.columns([row(0), row(1), row(2), row(3), row(4), row(5), row(6), row(7)]);
        block.vertices[vertex] = [lanes.store(x), lanes.store(y), lanes.store(z)];
    }
    let mut all = [f32::NEG_INFINITY; 6];
    for (side, all) in all.iter_mut().enumerate() {
        for i in begin..end {
            let x = window.bounds[side][i / 8].0[i % 8];
            *all = if x > *all { x } else { *all };
        }
    }
    let [a, b, c, d, e, f] = all;
    (block, Item::new([-a, -b, -c], [d, e, f], number))
}

/// Blocks of the ranges `leaves` of `items`.
pub(super) fn leaves(mesh: Mesh, items: &[Item], leaves: &[(u32, u32)]) -> Vec<Block> {
    let mut blocks = memory::with_capacity(leaves.len());
    for &(begin, count) in leaves {
        let numbers = &items[begin as usize..];
        let mut block = Block::EMPTY;
        for (i, item) in items[begin as usize..][..count as usize].iter().enumerate() {
            mesh.prefetch(|ahead| numbers.get(i + ahead).map(Item::number));
            let number = item.number();
            let Ok(corners) = mesh.corners(number) else { continue };
            block.numbers[i] = number;
            for (vertex, corner) in corners.iter().enumerate() {
                for (axis, x) in corner.iter().enumerate() {
                    block.vertices[vertex][axis].0[i] = *x;
                }
            }
        }
        blocks.push(block);
    }
    blocks
}
