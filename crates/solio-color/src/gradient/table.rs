//! Codes of eight bits for many values, exactly those of [`Sampler::at`].
//!
//! From 0 to 1 the codes change at some thousand places. A value's rank among these is its colour's
//! place in a list. A value's place has an upper half, the number of a cell, and a lower half, how
//! far within. A cell holds the rank at its start, and 2¹⁶ less the lower half of the place where
//! the next colour begins: added to the lower half of a value, that carries into the rank. So a
//! colour takes an addition and no jump (of values that look random, every second jump would be a
//! wrong guess). The few cells that this does not suit say so, and a search goes on from there.

use super::Sampler;
use solio_codec::copy::fetch;
use solio_codec::wide::{Wide, whole, wide};

/// Cells from 0 to 1, each of which has 2¹⁶ places.
const CELLS: u32 = 1 << 13;
/// Near 0 floats lie closer together: up to here, a cell is cut into [`FINER`].
const NEAR_END: f32 = 1.0 / 32.0;
const FINER: u32 = 16;
/// More cells than without [`FINER`].
const MORE: u32 = (FINER - 1) * CELLS / 32;
/// The cell from 1 on; then those of less than 0 and of NaN.
const LAST: u32 = CELLS + MORE;
const BELOW: u32 = LAST + 1;
const NAN: u32 = LAST + 2;
/// More than 1, all of which is one place.
const BEYOND: f32 = 1.0_f32.next_up();

/// As many as halves of a place can name: no cell and no rank needs a check.
const HALF: usize = 1 << 16;
/// From here on a cell is no sum: it has several changes, its change lies within a place, or its
/// rank is too large. The lower half is the rank from which to search, or less.
const SEARCH: u32 = 0xfffe << 16;
/// A cell in which colours may come back: only the sampler knows.
const UNSURE: u32 = 0xffff << 16;
/// Ranks from here on are too large for a sum.
const MOST: usize = (SEARCH >> 16) as usize;

/// Red, green, blue and alpha in eight bits for values, made ready to be looked up.
///
/// A table takes some milliseconds to make; it pays from about 20,000 values on.
#[derive(Clone, Debug)]
pub struct Table8 {
    sampler: Sampler,
    cells: Box<[u32; HALF]>,
    /// Where colours begin, as bits (floats that are not negative have their order), in order.
    /// First those of what lies outside, which begin nowhere, and the one at 0.
    changes: Vec<u32>,
    /// Bytes as words, [`HALF`] or more.
    colors: Vec<u32>,
}

/// The ranks of colours of less than 0 and of NaN come first.
const OUTSIDE: usize = 2;

impl Table8 {
    /// Of a gradient.
    pub fn new(sampler: Sampler) -> Table8 {
        let mut changes = ColorChanges::new(&sampler);
        let edges = sampler.edges();
        // Parts within which colours may come back.
        let mut unsure = Vec::new();
        for part in 0..PARTS {
            let [start, end] = [part, part + 1].map(|part| part as f32 / PARTS as f32);
            if !changes.part(&edges, [start, end]) {
                unsure.push([start, end.next_down()].map(|end| place(end) >> 16));
            }
        }
        for at in [1.0, BEYOND] {
            changes.at(at);
        }
        let mut cells = cells(&changes.found);
        for [first, last] in unsure {
            cells[first as usize..=last as usize].fill(UNSURE);
        }
        let (changes, found): (Vec<u32>, Vec<u32>) = changes.found.into_iter().unzip();
        // Zeros from the system take no memory until they are written.
        let mut colors = vec![0; found.len().max(HALF)];
        colors[..found.len()].copy_from_slice(&found);
        Table8 { sampler, cells, changes, colors }
    }

    /// The colour at `at`, as [`Sampler::codes_at`] has it.
    #[inline]
    pub fn at(&self, at: f32) -> [u8; 4] {
        self.near().color(place(at), || at)
    }

    /// The colours of `values`, of which `range` gives those at 0 and at 1: red, green, blue and,
    /// where `CHANNELS` is 4, alpha. There are as many colours as values.
    pub fn apply<const CHANNELS: usize>(
        &self,
        values: &[f32],
        range: [f32; 2],
        colors: &mut [[u8; CHANNELS]],
    ) {
        const { assert!(CHANNELS == 3 || CHANNELS == 4, "colours have 3 channels, or 4 with alpha") };
        let codes = colors.as_flattened_mut();
        match CHANNELS {
            3 => self.apply_rgb(values, range, codes.as_chunks_mut().0),
            _ => self.apply_rgba(values, range, codes.as_chunks_mut().0),
        }
    }

    // Compiled once, here, with this crate's level of optimisation, not with that of who calls it.
    #[inline(never)]
    fn apply_rgb(&self, values: &[f32], range: [f32; 2], colors: &mut [[u8; 3]]) {
        self.fill(values, range, colors);
    }

    #[inline(never)]
    fn apply_rgba(&self, values: &[f32], range: [f32; 2], colors: &mut [[u8; 4]]) {
        self.fill(values, range, colors);
    }

    #[inline(always)]
    fn fill<const CHANNELS: usize>(
        &self,
        values: &[f32],
        range: [f32; 2],
        colors: &mut [[u8; CHANNELS]],
    ) {
        let near = self.near();
        let span = TableRange { start: range[0], width: range[1] - range[0] };
        let color = |place: u32, value: f32, to: &mut [u8; CHANNELS]| {
            to.copy_from_slice(&near.color(place, || span.at(value))[..CHANNELS]);
        };
        let mut places = [0; BLOCK];
        let blocks = values.chunks(BLOCK).zip(colors.chunks_mut(BLOCK));
        for (i, (block, colors)) in blocks.enumerate() {
            let ahead = values.get((i + AHEAD) * BLOCK..).unwrap_or_default();
            ahead.chunks(LINE).take(BLOCK / LINE).for_each(fetch);
            wide(FindEntries { values: block, span, places: &mut places });
            let whole = block.len() - block.len() % UNROLLED;
            let (first, rest) = colors.split_at_mut(whole);
            let first = first.as_chunks_mut::<UNROLLED>().0.iter_mut();
            let pairs = places.as_chunks::<UNROLLED>().0.iter().zip(block.as_chunks().0);
            for ((places, values), colors) in pairs.zip(first) {
                let values: &[f32; UNROLLED] = values;
                for i in 0..UNROLLED {
                    color(places[i], values[i], &mut colors[i]);
                }
            }
            let pairs = places[whole..].iter().zip(&block[whole..]);
            for ((place, value), to) in pairs.zip(rest) {
                color(*place, *value, to);
            }
        }
    }

    fn near(&self) -> Near<'_> {
        let colors = self.colors.first_chunk().expect("there are as many or more");
        Near { table: self, cells: &self.cells, colors }
    }

    /// The colour at a place whose cell is no sum.
    #[cold]
    fn sought(&self, cell: u32, at: f32) -> u32 {
        /// So many are looked at one by one.
        const FEW: usize = 8;
        if cell >= UNSURE {
            return exact(&self.sampler, at);
        }
        let rank = cell as usize % HALF;
        let later = &self.changes[rank + 1..];
        let is_reached = |change: &u32| f32::from_bits(*change) <= at;
        let more = match later.iter().take(FEW).take_while(|change| is_reached(change)).count() {
            FEW => later.partition_point(is_reached),
            more => more,
        };
        self.colors[rank + more]
    }
}

/// What is looked up for each value.
#[derive(Clone, Copy)]
struct Near<'t> {
    table: &'t Table8,
    cells: &'t [u32; HALF],
    colors: &'t [u32; HALF],
}

impl Near<'_> {
    /// The colour at `place`, which is that of `at`.
    #[inline(always)]
    fn color(self, place: u32, at: impl FnOnce() -> f32) -> [u8; 4] {
        let cell = self.cells[(place >> 16) as usize];
        let sum = cell + (place & 0xffff);
        let color = match sum < SEARCH {
            true => self.colors[(sum >> 16) as usize],
            false => self.table.sought(cell, at()),
        };
        color.to_ne_bytes()
    }
}

/// Values whose places are found at once.
const BLOCK: usize = 256;
/// How many blocks ahead values are fetched: processors by themselves do not look past the end of
/// a page.
const AHEAD: usize = 2;
/// Values of a line of the cache.
const LINE: usize = 16;
/// Values of a turn of the loop.
const UNROLLED: usize = 8;

/// Where values become places.
#[derive(Clone, Copy)]
struct TableRange {
    start: f32,
    width: f32,
}

impl TableRange {
    #[inline(always)]
    fn at(self, value: f32) -> f32 {
        // A product with the inverse would miss 1 at the end.
        (value - self.start) / self.width
    }
}

struct FindEntries<'a> {
    values: &'a [f32],
    span: TableRange,
    places: &'a mut [u32; BLOCK],
}

impl Wide for FindEntries<'_> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        for (value, to) in self.values.iter().zip(self.places) {
            *to = place(self.span.at(*value));
        }
    }
}

/// The place of a value from 0 to 1, or of what lies outside.
///
/// Where floats lie 2⁻³³ apart or more (from 2⁻¹⁰ on), each has a place of its own.
#[inline(always)]
fn place(at: f32) -> u32 {
    let is_near = at < NEAR_END;
    let held = if at > 0.0 { at } else { 0.0 };
    let held = if held < BEYOND { held } else { BEYOND };
    let scale = (CELLS << 16) as f32;
    let scaled = held * if is_near { scale * FINER as f32 } else { scale };
    let place = whole(scaled) + if is_near { 0 } else { MORE << 16 };
    let place = if at >= 0.0 { place } else { BELOW << 16 };
    if at.is_nan() { NAN << 16 } else { place }
}

/// The cells of these changes.
fn cells(changes: &[ColorChange]) -> Box<[u32; HALF]> {
    let mut cells = vec![0; HALF];
    let place_of = |bits: u32| place(f32::from_bits(bits));
    let mut next = OUTSIDE + 1;
    for cell in 0..=LAST {
        let is_in = |&&(bits, _): &&ColorChange| place_of(bits) >> 16 == cell;
        // A change at the start of a cell is before all of it.
        let starts = changes.get(next).is_some_and(|&(bits, _)| place_of(bits) == cell << 16);
        next += usize::from(starts);
        let within = changes[next..].iter().take_while(is_in).count();
        let rank = next - 1;
        let is_alone = |bits: u32| place_of(bits - 1) < place_of(bits);
        cells[cell as usize] = match within {
            0 if rank < MOST => (rank as u32) << 16,
            1 if rank < MOST - 1 && is_alone(changes[next].0) => {
                ((rank as u32) << 16) + HALF as u32 - place_of(changes[next].0) % HALF as u32
            }
            _ => SEARCH | rank.min(HALF - 1) as u32,
        };
        next += within;
    }
    for (rank, cell) in [BELOW, NAN].into_iter().enumerate() {
        cells[cell as usize] = (rank as u32) << 16;
    }
    cells.try_into().expect("as many as were made")
}

fn exact(sampler: &Sampler, at: f32) -> u32 {
    u32::from_ne_bytes(sampler.codes_at(f64::from(at)))
}

/// Where a colour begins, as bits, and the colour, as a word.
type ColorChange = (u32, u32);
/// Parts of 0 to 1 in which changes are sought.
const PARTS: u32 = 1 << 12;

struct ColorChanges<'s> {
    sampler: &'s Sampler,
    found: Vec<ColorChange>,
}

impl ColorChanges<'_> {
    /// Those of less than 0, of NaN, and at 0.
    fn new(sampler: &Sampler) -> ColorChanges<'_> {
        let first = [f32::NEG_INFINITY, f32::NAN, 0.0];
        ColorChanges { sampler, found: first.map(|at| (0, exact(sampler, at))).to_vec() }
    }

    /// Takes in the colour at `at`, if it is another one than before.
    fn at(&mut self, at: f32) {
        let color = exact(self.sampler, at);
        if self.found.last().is_none_or(|before| before.1 != color) {
            self.found.push((at.to_bits(), color));
        }
    }

    /// Finds those from `start` to just below `end`, which follows on what was found. Gives `false`
    /// where colours may come back.
    fn part(&mut self, edges: &[f64], [start, end]: [f32; 2]) -> bool {
        let mut is_sure = true;
        let mut first = start;
        let next = edges.partition_point(|&edge| edge <= f64::from(start));
        let within = edges[next..].iter().map(|&edge| float_from(edge));
        for end in within.take_while(|&edge| edge < end).chain([end]) {
            // Edges nearer to each other than floats are become one.
            if end <= first {
                continue;
            }
            let ends = [first, end.next_down()];
            is_sure &= !turns(self.sampler, ends) && self.find(ends);
            first = end;
        }
        is_sure
    }

    /// Finds those from `first` to `last`, both included, between which colours do not come back.
    /// Gives `false` where there are far too many for that.
    fn find(&mut self, [first, last]: [f32; 2]) -> bool {
        let [mut at, last] = [first, last].map(f32::to_bits);
        let color_at = |bits: u32| exact(self.sampler, f32::from_bits(bits));
        let (mut color, end) = (color_at(at), color_at(last));
        self.at(f32::from_bits(at));
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
    use crate::gradient::{ColorStop, Floats, Gradient, Mode, Outside, Ramp, parse_stops};
    use proptest::prelude::*;

    fn noise(seed: u32) -> impl Iterator<Item = f32> {
        let mut state = seed;
        std::iter::repeat_with(move || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 24) as f32
        })
    }

    /// The least place of a cell.
    fn start_of(cell: u32) -> f32 {
        match cell.checked_sub(MORE) {
            Some(cell) if cell as f32 >= CELLS as f32 * NEAR_END => cell as f32 / CELLS as f32,
            _ => cell as f32 / (CELLS * FINER) as f32,
        }
    }

    #[test]
    fn places_keep_the_order() {
        for cell in 1..=LAST {
            let at = start_of(cell);
            assert_eq!(place(at), cell << 16, "{at:?}");
            assert!(place(at.next_down()) < cell << 16, "{at:?}");
        }
        let mut bits = 0;
        while bits < BEYOND.to_bits() {
            let [before, after] = [bits, bits + 1].map(|bits| place(f32::from_bits(bits)));
            assert!(before <= after && (bits < 0x3a80_0000 || before < after), "{bits:x}");
            bits += 1009;
        }
        let outside = [-0.0, -1e-45, f32::NEG_INFINITY, BEYOND, f32::INFINITY, f32::NAN];
        let beyond = (LAST << 16) + 64;
        assert_eq!(
            outside.map(place),
            [0, BELOW, BELOW, beyond, beyond, NAN]
                .map(|place| { if place == beyond { place } else { place << 16 } })
        );
    }

    proptest! {
        /// The clones and the plain loop find the same places.
        #[test]
        fn places_are_the_same_on_every_tier(
            values in proptest::collection::vec(proptest::num::f32::ANY, 1..BLOCK),
            start in -1.0_f32..1.0,
            width in -2.0_f32..2.0,
        ) {
            let span = TableRange { start, width };
            let [mut plain, mut cloned] = [[0; BLOCK]; 2];
            FindEntries { values: &values, span, places: &mut plain }.run();
            wide(FindEntries { values: &values, span, places: &mut cloned });
            prop_assert_eq!(plain, cloned);
        }
    }

    /// More changes than ranks of 16 bits, and many within one cell.
    #[test]
    fn no_gradient_has_too_many_changes() {
        let mut gradient = STUDY[0].gradient(Mode::of_name("srgb").unwrap());
        for (count, width) in [(270, 1.0), (20, 0.000_1)] {
            let stops: Vec<String> = (0..count)
                .map(|i| {
                    format!(
                        "{} {}%",
                        ["black", "white"][i % 2],
                        i as f64 * 100.0 / count as f64 * width
                    )
                })
                .collect();
            gradient.colors = parse_stops(&stops.join(", ")).unwrap();
            let sampler = gradient.sampler();
            let table = Table8::new(sampler.clone());
            assert!(table.changes.len() > HALF || width < 1.0);
            assert!(
                table.cells[..LAST as usize].iter().any(|cell| (SEARCH..UNSURE).contains(cell))
            );
            let values: Vec<f32> = noise(3).take(40_000).map(|at| at * width as f32).collect();
            let mut colors = vec![[0_u8; 4]; values.len()];
            table.apply(&values, [0.0, 1.0], &mut colors);
            for (at, color) in values.iter().zip(colors) {
                assert_eq!(color, sampler.codes_at(f64::from(*at)), "{at:?}");
            }
        }
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
            let starts = (1..=LAST).map(start_of);
            let changes = table.changes.iter().copied().map(f32::from_bits).chain(starts);
            let changes = changes.flat_map(|at| [at.next_down(), at]);
            for at in noise(7).take(30_000).chain(near).chain(changes) {
                let want = sampler.codes_at(f64::from(at));
                assert_eq!(table.at(at), want, "{} at {at:?}", gradient.name);
            }
        }
    }

    /// Two places that become the same float: there is nothing between them.
    #[test]
    fn edges_may_be_nearer_than_floats() {
        let grey = |i: usize| Color::from_rgb8([100 + (i % 2) as u8; 3]);
        let mut lists = vec![vec![0.0, 0.6, 0.600_000_000_000_000_1, 1.0]];
        for n in 2..20 {
            let part = |i: usize| i as f64 / n as f64;
            lists.push((0..n).flat_map(|i| [part(i) + part(1), part(i + 1)]).collect());
        }
        for mut places in lists {
            places.sort_by(f64::total_cmp);
            let to_next = Ramp::default();
            let stop =
                |(i, &position): (usize, &f64)| ColorStop { position, color: grey(i), to_next };
            let colors = places.iter().enumerate().map(stop).collect();
            let mode = Mode::of_name("srgb").unwrap();
            let sampler = Gradient { colors, mode, ..Gradient::default() }.sampler();
            let table = Table8::new(sampler.clone());
            for place in places.iter().map(|&place| place as f32) {
                for at in [place.next_down(), place, place.next_up()] {
                    assert_eq!(table.at(at), sampler.codes_at(f64::from(at)), "{places:?}: {at:?}");
                }
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
            assert!(table.cells.contains(&UNSURE), "{width}");
            for i in -12_000..12_000 {
                let place = (0.5 + f64::from(i) * width * 1e-4) as f32;
                let want = sampler.codes_at(f64::from(place));
                assert_eq!(table.at(place), want, "{width}: {place:?}");
            }
        }
    }

    /// In tables and in floats.
    #[test]
    fn ends_of_a_range_have_the_colors_of_the_ends() {
        let colors = parse_stops("red, lime 50%, blue").unwrap();
        let mode = Mode::of_name("hold").unwrap();
        let sampler = Gradient { colors, mode, ..Gradient::default() }.sampler();
        let (table, floats) = (Table8::new(sampler.clone()), Floats::new(sampler));
        for (start, width) in [(0.0, 1.0), (0.0, 0.1), (-7.0, 1.0), (100.0, -1.0)] {
            for end in (1..200).map(|i| start + width * i as f32) {
                let (mut codes, mut exact) = ([[0_u8; 3]; 2], [[0.0_f32; 4]; 2]);
                table.apply(&[start, end], [start, end], &mut codes);
                assert_eq!(codes, [[255, 0, 0], [0, 0, 255]], "{start} to {end}");
                floats.apply(&[start, end], [start, end], &mut exact).unwrap();
                assert!(exact[1][2] > 0.99, "{start} to {end}: {exact:?}");
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
