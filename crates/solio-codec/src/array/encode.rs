//! Makes chunks.

use super::bytes::BytePacker;
use super::choose::{PlaneChoice, PredictionCost, best_of_ranks, choose};
use super::context::{self, Expect};
use super::method::MethodCosts;
use super::predict::{Prediction, differences};
use super::ranks::{self, RankedSamples};
use super::{Element, HEAD, NO_BASE, RANKED, ResidualMethod, SamplePlane, class, low_bits};
use crate::wide::{Wide, wide};
use crate::word::Word;
use solio_base::{Error, Result, named_enum};

named_enum! {
    /// How much is tried.
    #[derive(Default, PartialOrd, Ord, Hash)]
    pub enum Effort {
        /// Samples of each plane say what suits it.
        #[default]
        Fast = "fast",
        /// Everything that is read fast is tried; the smallest stays.
        Thorough = "thorough",
        /// Codes depend on what is around each sample: smallest for photographs, and read slowly.
        Max = "max",
    }

    /// The name that the command line and Python take.
    ///
    /// ```
    /// use solio_codec::array::Effort;
    /// assert_eq!(Effort::default().name(), "fast");
    /// ```
    pub fn name;

    /// That of this name.
    ///
    /// ```
    /// use solio_codec::array::Effort;
    /// assert_eq!(Effort::of_name("max"), Some(Effort::Max));
    /// assert_eq!(Effort::of_name("most"), None);
    /// ```
    pub fn of_name;
}

/// What ranks must save: one bit in so many.
const WORTH_RANKS: u64 = 24;
/// What they seem to save when they surely save something: one bit in so many.
const SURE: u64 = 8;

/// What makes chunks; keep one per thread.
pub struct ArrayEncoder {
    effort: Effort,
    packers: Packers,
    words: Vec<u64>,
    base: Vec<u64>,
    stored: Vec<u64>,
    parts: NumberParts,
    coded: context::Coded,
    ranks: ranks::RankTables,
}

/// A plane, those beside it, and where their samples lie.
#[derive(Clone, Copy)]
struct PlaneInput<'a> {
    bytes: &'a [u8],
    planes: &'a [SamplePlane],
    plane: &'a SamplePlane,
}

/// What packs bytes at once, and what takes its time.
struct Packers {
    fast: BytePacker,
    slow: BytePacker,
}

/// What numbers are taken apart into.
#[derive(Default)]
struct NumberParts {
    bytes: Vec<u8>,
    rest: Vec<u8>,
    escaped: Vec<u16>,
    best: Vec<u8>,
}

impl ArrayEncoder {
    /// # Errors
    /// `Io` where zstd gets no memory.
    pub fn new(effort: Effort) -> Result<ArrayEncoder> {
        let packer = |level| BytePacker::new(level).map_err(|error| Error::io("start zstd", error));
        let packers = Packers { fast: packer(1)?, slow: packer(3)? };
        let (words, base, stored) = Default::default();
        let (parts, coded, ranks) = Default::default();
        Ok(ArrayEncoder { effort, packers, words, base, stored, parts, coded, ranks })
    }

    /// Appends a chunk with the samples of `planes`, which lie in `bytes`.
    ///
    /// # Errors
    /// `Argument` where samples of a plane do not lie in `bytes`, where there are 65,535 planes or
    /// more, or a plane has 2³² bytes or more; `Io` where zstd gets no memory.
    pub fn encode(
        &mut self,
        bytes: &[u8],
        planes: &[SamplePlane],
        out: &mut Vec<u8>,
    ) -> Result<()> {
        check(planes, bytes.len())?;
        let start = out.len();
        out.resize(start + HEAD * planes.len(), 0);
        let choices = choose(bytes, planes);
        for (i, (plane, choice)) in planes.iter().zip(choices).enumerate() {
            let before = out.len();
            let input = PlaneInput { bytes, planes, plane };
            let (choice, method) = match plane.element {
                Element::U8 => self.plane::<u8>(input, choice, out),
                Element::U16 | Element::Half => self.plane::<u16>(input, choice, out),
                Element::U32 | Element::Float => self.plane::<u32>(input, choice, out),
                Element::Double => self.plane::<u64>(input, choice, out),
            };
            let size = (out.len() - before) as u32;
            let head = &mut out[start + HEAD * i..][..HEAD];
            head[0] = choice.prediction.code() | if choice.is_ranked { RANKED } else { 0 };
            head[1] = method as u8;
            head[2..4].copy_from_slice(&choice.code().to_le_bytes());
            head[4..].copy_from_slice(&size.to_le_bytes());
        }
        let Packers { fast, slow } = &mut self.packers;
        // What zstd did not make is whole, and yet not what it is with memory.
        match fast.failed.take().or(slow.failed.take()) {
            Some(error) => Err(Error::io("compress with zstd", error)),
            None => Ok(()),
        }
    }

    /// Appends a plane, predicted as it was chosen or better.
    fn plane<T: Word>(
        &mut self,
        input: PlaneInput,
        choice: PlaneChoice,
        out: &mut Vec<u8>,
    ) -> (PlaneChoice, ResidualMethod) {
        let PlaneInput { bytes, plane, .. } = input;
        let words = room::<T>(&mut self.words, plane.count());
        numbers(bytes, plane, words);
        // To rank takes longer than all else; of numbers without rows, as those of meshes, it is
        // often worth it.
        let is_fast = T::BYTES == 4 && plane.rows == 1 && ranks::recur(words);
        let is_tried = is_fast || self.effort != Effort::Fast;
        let ranks = if is_tried { ranks::rank(words, &mut self.ranks) } else { None };
        let ranked = ranks.as_ref().map(|ranks| {
            let PredictionCost { bits, prediction } = best_of_ranks(ranks, plane.width);
            PlaneChoice { prediction, base: None, is_ranked: true, bits }
        });
        let is_worth = |ranked: &PlaneChoice| ranked.bits + ranked.bits / WORTH_RANKS < choice.bits;
        let first = ranked.filter(|ranked| is_fast && is_worth(ranked)).unwrap_or(choice);
        // What is chosen fast comes first, so that nothing gets larger than that.
        let mut ways = vec![(first, self.effort)];
        let other = ranked.filter(|ranked| !first.is_ranked && is_worth(ranked));
        if let Some(ranked) = other.filter(|_| self.effort == Effort::Max) {
            let is_sure = ranked.bits + ranked.bits / SURE < choice.bits;
            ways[0].1 = if is_sure { Effort::Fast } else { Effort::Max };
            ways.push((ranked, Effort::Max));
        }
        // Above a single row there is nothing that codes could depend on.
        let has_one_row = self.effort == Effort::Max && plane.rows <= 1;
        if self.effort == Effort::Thorough || has_one_row {
            let mut bases = vec![(None, false)];
            bases.extend(choice.base.map(|base| (Some(base), false)));
            bases.extend(ranked.is_some().then_some((None, true)));
            for (base, is_ranked) in bases {
                let by = |prediction| PlaneChoice { prediction, base, is_ranked, bits: 0 };
                ways.extend(Prediction::ALL.map(|prediction| (by(prediction), Effort::Thorough)));
            }
        }
        let before = out.len();
        let ranks = ranks.as_ref();
        let mut best = (first, ResidualMethod::Zeros);
        let mut made = Vec::new();
        for (i, (choice, effort)) in ways.into_iter().enumerate() {
            if i == 0 {
                best.1 = self.predicted::<T>(input, choice, effort, ranks, out);
                continue;
            }
            made.clear();
            let method = self.predicted::<T>(input, choice, effort, ranks, &mut made);
            if made.len() < out.len() - before {
                out.truncate(before);
                out.extend_from_slice(&made);
                best = (choice, method);
            }
        }
        best
    }

    /// Appends a plane, predicted as it was chosen.
    fn predicted<T: Word>(
        &mut self,
        input: PlaneInput,
        choice: PlaneChoice,
        effort: Effort,
        ranks: Option<&RankedSamples<T>>,
        out: &mut Vec<u8>,
    ) -> ResidualMethod {
        let PlaneInput { bytes, planes, plane } = input;
        let mut words: &[T] = room::<T>(&mut self.words, plane.count());
        if let Some(ranks) = ranks.filter(|_| choice.is_ranked) {
            ranks::encode(&ranks.values, &mut self.packers.fast, out);
            words = &ranks.ranks;
        } else if let Some(base) = choice.base {
            let other = room::<T>(&mut self.base, plane.count());
            numbers(bytes, &planes[base], other);
            wide(SubtractFrom { from: words, other });
            words = other;
        }
        let stored = room::<T>(&mut self.stored, plane.count());
        let mut above: &[T] = &[];
        let width = plane.width.max(1);
        for (row, to) in words.chunks_exact(width).zip(stored.chunks_exact_mut(width)) {
            differences(row, above, choice.prediction, to);
            above = row;
        }
        let start = out.len();
        let (method, costs) = store(stored, &mut self.packers.fast, &mut self.parts, out);
        let is_done = effort == Effort::Fast || method == ResidualMethod::Zeros;
        let Some(costs) = costs.filter(|_| !is_done) else { return method };
        let (mut best, mut others) = (method, Vec::new());
        if effort == Effort::Thorough {
            let low_bits = 0..if T::BYTES == 2 { low_bits::MOST + 1 } else { 0 };
            others.extend(low_bits.map(|bits| (ResidualMethod::LowBits, bits)));
            others.extend((T::BYTES < 8).then_some((ResidualMethod::Classes, 0)));
            others.push((ResidualMethod::Bytes, 0));
        } else if T::BYTES < 8 {
            let by = if prefers_mean(words, width) {
                ResidualMethod::Mean
            } else {
                ResidualMethod::Median
            };
            let expect = if by == ResidualMethod::Mean { Expect::Mean } else { Expect::Median };
            let made = &mut self.parts.best;
            made.clear();
            context::encode(words, width, expect, &mut self.coded, made);
            if made.len() < out.len() - start {
                out.truncate(start);
                out.extend_from_slice(made);
                best = by;
            }
        }
        others.extend(costs.repeats.then_some((method, costs.low_bits)));
        for (method, bits) in others {
            let mut made = std::mem::take(&mut self.parts.best);
            made.clear();
            let packer = &mut self.packers.slow;
            put(stored, method, bits, true, packer, &mut self.parts, &mut made);
            if made.len() < out.len() - start {
                out.truncate(start);
                out.extend_from_slice(&made);
                best = method;
            }
            self.parts.best = made;
        }
        best
    }
}

/// Whether samples of some rows are nearer to the mean of left and above than to the median.
fn prefers_mean<T: Word>(words: &[T], width: usize) -> bool {
    let (mut median, mut mean) = (0u64, 0u64);
    for pair in words.chunks(width).collect::<Vec<_>>().windows(2).step_by(7) {
        for (up, row) in pair[0].windows(2).zip(pair[1].windows(2)) {
            let bits = |expected: T| {
                let far = row[1].minus(expected).zigzag().to_u64() as u32;
                u64::from(class::of(far).0)
            };
            median += bits(context::median(row[0], up[1], up[0]));
            mean += bits(row[0].mean(up[1]));
        }
    }
    mean < median
}

pub(super) fn check(planes: &[SamplePlane], length: usize) -> Result<()> {
    if planes.len() >= usize::from(NO_BASE) {
        return Err(Error::argument(format!("a chunk of {} planes", planes.len())));
    }
    for (i, plane) in planes.iter().enumerate() {
        let bytes = plane.width.checked_mul(plane.rows).and_then(|n| n.checked_mul(16));
        if bytes.is_none_or(|bytes| bytes > u32::MAX as usize) {
            return Err(Error::argument(format!("plane {i} is too large for a chunk")));
        }
        if plane.step < plane.element.bytes() {
            return Err(Error::argument(format!("samples of plane {i} overlap")));
        }
        if !plane.is_within(length) {
            return Err(Error::argument(format!("plane {i} reaches beyond {length} bytes")));
        }
    }
    Ok(())
}

/// So many samples of memory that is used again.
pub(super) fn room<T: Word>(memory: &mut Vec<u64>, count: usize) -> &mut [T] {
    let needed = (count * T::BYTES).div_ceil(8);
    if memory.len() < needed {
        memory.resize(needed, 0);
    }
    &mut bytemuck::cast_slice_mut(memory)[..count]
}

/// The samples of a plane as whole numbers, row after row.
pub(super) fn numbers<T: Word>(bytes: &[u8], plane: &SamplePlane, to: &mut [T]) {
    for (y, to) in to.chunks_exact_mut(plane.width.max(1)).enumerate() {
        row_numbers(bytes, plane, y, 0, to);
    }
}

/// Those of a part of a row.
pub(super) fn row_numbers<T: Word>(
    bytes: &[u8],
    plane: &SamplePlane,
    y: usize,
    x: usize,
    to: &mut [T],
) {
    let from = &bytes[plane.start + y * plane.row_step + x * plane.step..];
    wide(LoadSamples { from, step: plane.step, is_float: plane.element.is_float(), to });
}

struct LoadSamples<'a, T> {
    from: &'a [u8],
    step: usize,
    is_float: bool,
    to: &'a mut [T],
}

impl<T: Word> Wide for LoadSamples<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let LoadSamples { from, step, is_float, to } = self;
        if step == T::BYTES {
            for (to, from) in to.iter_mut().zip(from.chunks_exact(T::BYTES)) {
                *to = T::of_bytes(from);
            }
        } else {
            // Of steps that are known nothing is to be checked at each sample.
            let done = match step {
                4 => strided::<T, 4>(from, to),
                6 => strided::<T, 6>(from, to),
                8 => strided::<T, 8>(from, to),
                12 => strided::<T, 12>(from, to),
                16 => strided::<T, 16>(from, to),
                _ => 0,
            };
            for (to, from) in to.iter_mut().zip(from.chunks(step)).skip(done) {
                *to = T::of_bytes(from);
            }
        }
        if is_float {
            to.iter_mut().for_each(|to| *to = to.ordered());
        }
    }
}

/// Samples so many bytes apart, as long as all of these are there: how many.
#[inline(always)]
fn strided<T: Word, const STEP: usize>(from: &[u8], to: &mut [T]) -> usize {
    let (pixels, _) = from.as_chunks::<STEP>();
    for (to, pixel) in to.iter_mut().zip(pixels) {
        *to = T::of_bytes(pixel);
    }
    pixels.len().min(to.len())
}

/// Makes of `other` what is left of `from` without it.
pub(super) struct SubtractFrom<'a, T> {
    pub(super) from: &'a [T],
    pub(super) other: &'a mut [T],
}

impl<T: Word> Wide for SubtractFrom<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        self.other.iter_mut().zip(self.from).for_each(|(other, from)| *other = from.minus(*other));
    }
}

/// Appends zigzagged differences by the method that suits them, which is told by the costs.
fn store<T: Word>(
    stored: &[T],
    packer: &mut BytePacker,
    parts: &mut NumberParts,
    out: &mut Vec<u8>,
) -> (ResidualMethod, Option<MethodCosts>) {
    let Some((first, others)) = stored.split_first() else { return (ResidualMethod::Zeros, None) };
    if others.iter().all(|value| *value == T::default()) {
        let at = out.len();
        out.resize(at + T::BYTES, 0);
        first.put(&mut out[at..]);
        return (ResidualMethod::Zeros, None);
    }
    let costs = MethodCosts::of(stored, packer);
    let method = costs.best();
    put(stored, method, costs.low_bits, costs.repeats, packer, parts, out);
    (method, Some(costs))
}

/// Appends zigzagged differences by a method.
fn put<T: Word>(
    stored: &[T],
    method: ResidualMethod,
    bits: u32,
    repeats: bool,
    packer: &mut BytePacker,
    parts: &mut NumberParts,
    out: &mut Vec<u8>,
) {
    parts.bytes.clear();
    parts.rest.clear();
    parts.escaped.clear();
    match method {
        ResidualMethod::Zeros | ResidualMethod::Median | ResidualMethod::Mean => {}
        ResidualMethod::LowBits => {
            let halves: &[u16] = bytemuck::cast_slice(stored);
            let NumberParts { bytes, rest, escaped, .. } = parts;
            low_bits::split(halves, bits, bytes, escaped, rest);
            out.push(bits as u8);
            out.extend((escaped.len() as u32).to_le_bytes());
            packer.pack(bytes, repeats, out);
            out.extend_from_slice(rest);
            out.extend(escaped.iter().flat_map(|value| value.to_le_bytes()));
        }
        ResidualMethod::Classes => {
            class::split(stored, &mut parts.bytes, &mut parts.rest);
            packer.pack(&parts.bytes, repeats, out);
            out.extend_from_slice(&parts.rest);
        }
        ResidualMethod::Bytes => {
            for byte in 0..T::BYTES {
                parts.bytes.resize(stored.len(), 0);
                byte_plane(stored, byte, &mut parts.bytes);
                packer.pack(&parts.bytes, repeats, out);
            }
        }
    }
}

/// Byte number `byte` of all numbers, the lowest first.
pub(super) fn byte_plane<T: Word>(stored: &[T], byte: usize, to: &mut [u8]) {
    wide(BytePlane { stored, shift: 8 * byte as u32, to });
}

struct BytePlane<'a, T> {
    stored: &'a [T],
    shift: u32,
    to: &'a mut [u8],
}

impl<T: Word> Wide for BytePlane<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        for (to, value) in self.to.iter_mut().zip(self.stored) {
            *to = (value.to_u64() >> self.shift) as u8;
        }
    }
}

impl PlaneChoice {
    fn code(&self) -> u16 {
        self.base.map_or(NO_BASE, |base| base as u16)
    }
}
