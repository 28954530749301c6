//! Codes of eight bits for many values, exactly those of [`Sampler::at`].

use super::Sampler;
use solio_codec::wide::{Wide, wide};

/// Parts of 0 to 1 that are looked up at once. With 16384 of 12 bytes each they stay in the cache
/// of second level, and few of them hold more than one change.
const CELLS: usize = 1 << 14;

/// One change at most: below the threshold one colour, from it on another. NaN marks cells with
/// more of them.
#[derive(Clone, Copy, Debug)]
struct Cell {
    threshold: f32,
    /// Colours as the bytes of a word: which of two words is wanted needs no jump, and values
    /// that look random would make every second one a wrong guess.
    below: u32,
    above: u32,
}

impl Cell {
    fn new(threshold: f32, below: [u8; 4], above: [u8; 4]) -> Cell {
        let [below, above] = [below, above].map(u32::from_ne_bytes);
        Cell { threshold, below, above }
    }

    #[inline(always)]
    fn at(&self, at: f32) -> [u8; 4] {
        let mask = u32::from(at < self.threshold).wrapping_neg();
        ((self.below & mask) | (self.above & !mask)).to_ne_bytes()
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
    nan: [u8; 4],
}

impl Table8 {
    /// Of a gradient.
    pub fn new(sampler: Sampler) -> Table8 {
        let place = |i: usize| i as f32 / CELLS as f32;
        let edges = sampler.edges();
        let mut below = exact(&sampler, 0.0);
        let mut cells = Vec::with_capacity(CELLS);
        for i in 0..CELLS {
            let [start, end] = [place(i), place(i + 1)];
            let above = exact(&sampler, end);
            // Between the ends a colour only goes one way, but where the gradient has a turn.
            let next = edges.partition_point(|&edge| edge <= f64::from(start));
            let turns = edges.get(next).is_some_and(|&edge| edge < f64::from(end));
            cells.push(match turns {
                true => Cell::new(f32::NAN, below, above),
                false => cell(&sampler, [start, end], below, above),
            });
            below = above;
        }
        let nan = exact(&sampler, f32::NAN);
        let cells = cells.try_into().expect("there are as many as cells");
        Table8 { sampler, cells, nan }
    }

    /// The colour at `at`, as [`Sampler::codes_at`] has it.
    #[inline]
    pub fn at(&self, at: f32) -> [u8; 4] {
        if (0.0..1.0).contains(&at) {
            let cell = &self.cells[(at * CELLS as f32) as usize & (CELLS - 1)];
            if cell.threshold.is_nan() { exact(&self.sampler, at) } else { cell.at(at) }
        } else if at.is_nan() {
            self.nan
        } else {
            exact(&self.sampler, at)
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
        let mut block = Block { places: [0.0; BLOCK], cells: [0; BLOCK] };
        for (values, colors) in values.chunks(BLOCK).zip(colors.chunks_mut(BLOCK)) {
            wide(Places { values, range, block: &mut block });
            let places = block.places.iter().zip(&block.cells);
            for ((&at, &cell), color) in places.zip(colors) {
                let cell = &self.cells[cell as usize & (CELLS - 1)];
                let is_one = (0.0..1.0).contains(&at) & !cell.threshold.is_nan();
                let found = if is_one { cell.at(at) } else { self.at(at) };
                color.copy_from_slice(&found[..CHANNELS]);
            }
        }
    }
}

/// Values whose places are found at once.
const BLOCK: usize = 256;

struct Block {
    places: [f32; BLOCK],
    /// Where the place is within 0 to 1, its cell.
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
        for ((value, place), cell) in values.iter().zip(places).zip(cells) {
            *place = (value - range[0]) * scale;
            *cell = (*place * CELLS as f32) as i32 as u32;
        }
    }
}

fn exact(sampler: &Sampler, at: f32) -> [u8; 4] {
    sampler.codes_at(f64::from(at))
}

/// Finds the one change from `below` to `above`.
fn cell(sampler: &Sampler, [start, end]: [f32; 2], below: [u8; 4], above: [u8; 4]) -> Cell {
    let (mut low, mut high) = (start, end);
    if below == above {
        return Cell::new(end, below, above);
    }
    loop {
        // Floats that are not negative have the order of their bits.
        let middle = f32::from_bits(u32::midpoint(low.to_bits(), high.to_bits()));
        if middle == low {
            return Cell::new(high, below, above);
        }
        let found = exact(sampler, middle);
        if found == below {
            low = middle;
        } else if found == above {
            high = middle;
        } else {
            return Cell::new(f32::NAN, below, above);
        }
    }
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
            for at in noise(7).take(30_000).chain(near) {
                assert_eq!(table.at(at), exact(&sampler, at), "{} at {at:?}", gradient.name);
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
