//! Codes of eight bits for many values, exactly those of [`Sampler::at`].
//!
//! From 0 to 1 the codes change at some thousand places. A value's rank among these is its colour's
//! place in a list. Each part of 0 to 1 has a cell that knows the rank at its start and up to three
//! places within, so that counting takes no jump: of values that look random every second one would
//! be a wrong guess.

use super::Sampler;
use solio_codec::wide::{Wide, wide};

/// Cells of a table, with those for what lies outside. They take 64 KiB.
const CELLS: usize = 1 << 12;
/// Parts of 0 to 1, of which the first and the last are halves; the last one's cell is that of more
/// than 1, too. Those that follow are for less than 0 and for NaN.
const PARTS: usize = CELLS - 3;
const BELOW: u32 = PARTS as u32 + 1;
const NAN: u32 = PARTS as u32 + 2;

#[derive(Clone, Copy, Debug)]
#[repr(C, align(16))]
struct Cell {
    /// Of the first colour; [`MANY`] or [`UNSURE`].
    rank: u32,
    /// From where on the next colours count, as bits: floats that are not negative have their order.
    changes: [u32; 3],
}

/// The rank of cells with more changes. No colour has it.
const MANY: u32 = u32::MAX;
/// The rank of cells in which colours may come back: only the sampler knows.
const UNSURE: u32 = u32::MAX - 1;
/// No float that has a place is as large.
const NEVER: u32 = u32::MAX;

impl Cell {
    fn of(rank: u32) -> Cell {
        Cell { rank, changes: [NEVER; 3] }
    }

    /// Takes in one more change.
    fn also(&mut self, change: u32) {
        match self.changes.iter_mut().find(|place| **place == NEVER) {
            // Cells without a rank have no changes.
            _ if self.rank >= UNSURE => {}
            Some(place) => *place = change,
            None => *self = Cell::of(MANY),
        }
    }

    /// The rank of a place within.
    #[inline(always)]
    fn rank(&self, bits: u32) -> u32 {
        let [a, b, c] = self.changes.map(|change| u32::from(bits >= change));
        self.rank + a + b + c
    }
}

/// Red, green, blue and alpha in eight bits for values, made ready to be looked up.
///
/// A table takes some milliseconds to make; it pays from about 20,000 values on.
#[derive(Clone, Debug)]
pub struct Table8 {
    sampler: Sampler,
    /// All of them: an index within needs no check.
    cells: Box<[Cell; CELLS]>,
    /// The places of all changes, as bits, in order; the first is 0.
    changes: Vec<u32>,
    /// From each change on; then the colours of what lies outside. As bytes of words.
    colors: Vec<u32>,
}

impl Table8 {
    /// Of a gradient.
    pub fn new(sampler: Sampler) -> Table8 {
        let edges = sampler.edges();
        let mut cells = Vec::with_capacity(CELLS);
        let mut changes = Changes { sampler: &sampler, found: vec![(0, exact(&sampler, 0.0))] };
        let after_1 = 1_f32.next_up();
        let mut start = 0.0;
        for part in 0..=PARTS as u32 {
            let end = if part < PARTS as u32 { start_of(part + 1) } else { after_1 };
            cells.push(changes.cell(&edges, [start, end]));
            start = end;
        }
        changes.found.push((after_1.to_bits(), exact(&sampler, f32::INFINITY)));
        cells[PARTS].also(after_1.to_bits());
        let (changes, mut colors): (Vec<u32>, Vec<u32>) = changes.found.into_iter().unzip();
        for at in [f32::NEG_INFINITY, f32::NAN] {
            cells.push(Cell::of(colors.len() as u32));
            colors.push(exact(&sampler, at));
        }
        let cells = cells.try_into().expect("there are as many as cells");
        Table8 { sampler, cells, changes, colors }
    }

    /// The colour at `at`, as [`Sampler::codes_at`] has it.
    #[inline]
    pub fn at(&self, at: f32) -> [u8; 4] {
        let (bits, cell) = place(at);
        self.found(bits, cell)
    }

    #[inline(always)]
    fn found(&self, bits: u32, cell: u32) -> [u8; 4] {
        let rank = self.cells[cell as usize & (CELLS - 1)].rank(bits);
        let color = self.colors.get(rank as usize).copied();
        color.unwrap_or_else(|| self.sought(bits, rank)).to_ne_bytes()
    }

    #[cold]
    fn sought(&self, bits: u32, rank: u32) -> u32 {
        match rank {
            MANY => self.colors[self.changes.partition_point(|&change| change <= bits).max(1) - 1],
            _ => exact(&self.sampler, f32::from_bits(bits)),
        }
    }

    /// The colours of `values`, of which `range` gives those at 0 and at 1: red, green, blue and,
    /// where `CHANNELS` is 4, alpha. There are as many colours as values.
    pub fn apply<const CHANNELS: usize>(
        &self,
        values: &[f32],
        range: [f32; 2],
        colors: &mut [[u8; CHANNELS]],
    ) {
        let mut block = Block { places: [0; BLOCK], cells: [0; BLOCK] };
        for (values, colors) in values.chunks(BLOCK).zip(colors.chunks_mut(BLOCK)) {
            wide(Places { values, range, block: &mut block });
            let places = block.places.iter().zip(&block.cells);
            for ((&bits, &cell), color) in places.zip(colors) {
                color.copy_from_slice(&self.found(bits, cell)[..CHANNELS]);
            }
        }
    }
}

/// Values whose places are found at once.
const BLOCK: usize = 256;

struct Block {
    /// As bits.
    places: [u32; BLOCK],
    cells: [u32; BLOCK],
}

struct Places<'a> {
    values: &'a [f32],
    range: [f32; 2],
    block: &'a mut Block,
}

impl Wide for Places<'_> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Places { values, range, block: Block { places, cells } } = self;
        let scale = 1.0 / (range[1] - range[0]);
        for ((value, bits), cell) in values.iter().zip(places).zip(cells) {
            (*bits, *cell) = place((value - range[0]) * scale);
        }
    }
}

/// A place as bits, and its cell. What has no place has the bits 0.
#[inline(always)]
fn place(at: f32) -> (u32, u32) {
    /// Floats from here to twice as much are 1 apart: adding it leaves whole numbers.
    const WHOLE: f32 = (1 << 23) as f32;
    let scaled = at * PARTS as f32;
    let part = if scaled < PARTS as f32 { scaled } else { PARTS as f32 };
    let part = (part + WHOLE).to_bits() & (CELLS as u32 - 1);
    // Of -0 this makes 0.
    let bits = (at + 0.0).to_bits();
    let (bits, cell) = if at >= 0.0 { (bits, part) } else { (0, BELOW) };
    (bits, if at.is_nan() { NAN } else { cell })
}

/// The least place of a part: products and sums are rounded, which does not turn their order round.
fn start_of(part: u32) -> f32 {
    let mut at = (part as f32 - 0.5).max(0.0) / PARTS as f32;
    while place(at).1 >= part && at > 0.0 {
        at = at.next_down();
    }
    while place(at).1 < part {
        at = at.next_up();
    }
    at
}

fn exact(sampler: &Sampler, at: f32) -> u32 {
    u32::from_ne_bytes(sampler.codes_at(f64::from(at)))
}

/// The places where colours change, as bits, and the colours from there on.
struct Changes<'s> {
    sampler: &'s Sampler,
    found: Vec<(u32, u32)>,
}

impl Changes<'_> {
    /// Finds those from `start` to just below `end`, which follows on what was found.
    fn cell(&mut self, edges: &[f64], [start, end]: [f32; 2]) -> Cell {
        let before = self.found.len();
        let mut is_sure = true;
        let mut first = start;
        let next = edges.partition_point(|&edge| edge <= f64::from(start));
        let within = edges[next..].iter().map(|&edge| float_from(edge));
        for end in within.take_while(|&edge| edge < end).chain([end]).filter(|&end| end > start) {
            let ends = [first, end.next_down()];
            is_sure &= !turns(self.sampler, ends) && self.find(ends);
            first = end;
        }
        let inside = &self.found[before..];
        if !is_sure {
            Cell::of(UNSURE)
        } else if inside.len() > 3 {
            Cell::of(MANY)
        } else {
            let mut cell = Cell::of(before as u32 - 1);
            inside.iter().for_each(|change| cell.also(change.0));
            cell
        }
    }

    /// Finds those from `first` to `last`, both included, between which colours do not come back.
    /// Gives `false` where there are far too many for that.
    fn find(&mut self, [first, last]: [f32; 2]) -> bool {
        let [mut at, last] = [first, last].map(f32::to_bits);
        let color_at = |bits: u32| exact(self.sampler, f32::from_bits(bits));
        let (mut color, end) = (color_at(at), color_at(last));
        if self.found.last().is_none_or(|before| before.1 != color) {
            self.found.push((at, color));
        }
        for _ in 0..MOST_CHANGES {
            if color == end {
                return true;
            }
            let (mut low, mut high) = (at, last);
            while high - low > 1 {
                let middle = u32::midpoint(low, high);
                *(if color_at(middle) == color { &mut low } else { &mut high }) = middle;
            }
            (at, color) = (high, color_at(high));
            self.found.push((at, color));
        }
        color == end
    }
}

/// Four components change 255 times on their way.
const MOST_CHANGES: usize = 4 * 255;

/// The least float from `edge` on.
fn float_from(edge: f64) -> f32 {
    let near = edge as f32;
    if f64::from(near) < edge { near.next_up() } else { near }
}

/// Whether a component may pass the threshold between two codes and come back between `first` and
/// `last`, where the gradient has no edge: a parabola through the ends and the middle turns there,
/// and a threshold is near.
fn turns(sampler: &Sampler, [first, last]: [f32; 2]) -> bool {
    let [first, last] = [first, last].map(f64::from);
    let [a, middle, b] = [first, f64::midpoint(first, last), last].map(|at| sampler.at(at));
    (0..4).any(|i| {
        let [a, middle, b] = [a[i], middle[i], b[i]].map(|x| x.clamp(0.0, 1.0) * 255.0 + 0.5);
        let (slope, bend) = (4.0 * middle - 3.0 * a - b, 2.0 * (a + b - 2.0 * middle));
        // A line has its summit nowhere: that is infinite or no number.
        let at = -slope / (2.0 * bend);
        let summit = a + slope * at / 2.0;
        let height = (summit - a).abs().min((summit - b).abs());
        (-0.2..=1.2).contains(&at) && (summit - summit.round()).abs() <= 2.0 * height + 1e-9
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Color;
    use crate::gradient::presets::STUDY;
    use crate::gradient::{Gradient, Mode, Outside, parse_stops};

    fn noise(seed: u32) -> impl Iterator<Item = f32> {
        let mut state = seed;
        std::iter::repeat_with(move || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 24) as f32
        })
    }

    #[test]
    fn it_is_the_sampler_bit_for_bit() {
        let mut gradients = Vec::new();
        for (preset, mode) in STUDY
            .iter()
            .zip(["srgb", "linear", "oklab", "oklch longer", "smooth"].into_iter().cycle())
        {
            gradients.push(preset.gradient(Mode::of_name(mode).unwrap()));
        }
        let edges = "rgb(0 0 0 / .2), red 33.33%, lime 33.33%, blue 33.335%, white 50%, 80%, black";
        for mode in ["fixed", "hold", "oklab"] {
            let colors = parse_stops(edges).unwrap();
            gradients.push(Gradient {
                colors,
                mode: Mode::of_name(mode).unwrap(),
                ..Gradient::default()
            });
        }
        for gradient in gradients {
            let sampler = gradient.sampler();
            let table = Table8::new(sampler.clone());
            let near = sampler.edges().into_iter().flat_map(|edge| {
                let edge = edge as f32;
                [edge.next_down(), edge, edge.next_up()]
            });
            // Where a cell or a colour changes, and beside it.
            let starts = (0..=PARTS as u32).map(start_of);
            let changes = table.changes.iter().copied().map(f32::from_bits).chain(starts);
            let changes = changes.flat_map(|at| [at.next_down(), at]);
            for at in noise(7).take(30_000).chain(near).chain(changes) {
                let want = sampler.codes_at(f64::from(at));
                assert_eq!(table.at(at), want, "{} at {at:?}", gradient.name);
            }
        }
    }

    /// All hues within a few cells: components turn round inside them.
    #[test]
    fn summits_are_exact() {
        for width in [0.0001, 0.001, 0.01] {
            let mut gradient = STUDY[0].gradient(Mode::of_name("oklch longer").unwrap());
            gradient.colors = parse_stops("oklch(0.6 0.1 20), oklch(0.6 0.1 30)").unwrap();
            let places = [0.5 - width, 0.5 + width];
            for (stop, place) in gradient.colors.iter_mut().zip(places) {
                stop.position = place;
            }
            let sampler = gradient.sampler();
            let table = Table8::new(sampler.clone());
            assert!(table.cells.iter().any(|cell| cell.rank == UNSURE), "{width}");
            for i in -12_000..12_000 {
                let place = (0.5 + f64::from(i) * width * 1e-4) as f32;
                let want = sampler.codes_at(f64::from(place));
                assert_eq!(table.at(place), want, "{width}: {place:?}");
            }
        }
    }

    #[test]
    fn what_lies_outside_is_as_the_gradient_says() {
        let mut gradient = STUDY[0].gradient(Mode::default());
        let color = |text| Some(Color::parse(text).unwrap());
        gradient.outside =
            Outside { below: color("red"), above: color("lime"), nan: color("blue") };
        let table = Table8::new(gradient.sampler());
        let values = [f32::NEG_INFINITY, -1e-30, -0.0, 1.0, 1.1, f32::INFINITY, f32::NAN];
        let mut colors = [[9_u8; 3]; 7];
        table.apply(&values, [0.0, 1.0], &mut colors);
        let [black, white] = [[0; 3], [255; 3]];
        let [red, lime, blue] = [[255, 0, 0], [0, 255, 0], [0, 0, 255]];
        assert_eq!(colors, [red, red, black, white, lime, lime, blue]);
        // A range without length has no place for any value but outside.
        table.apply(&[1.0, 2.0, 3.0], [2.0, 2.0], &mut colors[..3]);
        assert_eq!(colors[..3], [red, blue, lime]);
    }
}
