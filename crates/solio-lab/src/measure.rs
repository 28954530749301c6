//! Packs and unpacks with everything of a plan, checks that every bit comes back, and times it.
//!
//! All is done on one thread, into memory that is there, and its CPU time counts. The trials of an
//! array take turns, round after round, so that a machine that changes its pace does so for all.

use crate::array::Array;
use crate::chunk::{ChunkSize, Chunked, cut};
use crate::codec::Codec;
use crate::plan::{Plan, Trial};
use crate::results::{Cell, Interval, Refused, Results};
use solio_base::{Cancel, Result, memory};
use solio_codec::filter::FilterScratch;
use solio_measure::{PeakMemory, Stopwatch, thread_cpu_ns};
use std::collections::BTreeMap;

/// A sample takes at least so long; what is faster is done several times in a row.
const SAMPLE_NS: u64 = 400_000;
const MOST_REPEATS: u64 = 50;

/// How long all may take.
#[derive(Clone, Copy, Debug)]
pub struct MeasureOptions {
    /// Seconds for all arrays together; the rounds are as many as fit, within `rounds`.
    pub seconds: f64,
    /// The least and the most rounds, beside the first, which checks and warms up.
    pub rounds: (usize, usize),
}

impl Default for MeasureOptions {
    fn default() -> Self {
        MeasureOptions { seconds: 50.0, rounds: (3, 15) }
    }
}

/// How far it is.
#[derive(Clone, Copy, Debug)]
pub struct Measuring<'a> {
    /// From 0 to 1.
    pub done: f64,
    /// What is being worked on.
    pub array: &'a Array,
}

/// Measures what `plan` says on each of `arrays`; `each` hears how far it is.
///
/// # Errors
/// When it is cancelled, or `plan` fails. What a codec cannot do is listed in the results.
pub fn measure(
    mut arrays: Vec<Array>,
    plan: impl Fn(&Array) -> Result<Plan>,
    options: &MeasureOptions,
    cancel: &Cancel,
    mut each: impl FnMut(Measuring<'_>),
) -> Result<Results> {
    let total: usize = arrays.iter().map(|array| array.bytes.len()).sum::<usize>().max(1);
    let mut results = Results { rounds: (usize::MAX, 0), ..Results::default() };
    let mut before = 0;
    for (index, array) in arrays.iter_mut().enumerate() {
        array.check()?;
        let share = array.bytes.len() as f64 / total as f64;
        let start = before as f64 / total as f64;
        let trials = plan(array)?;
        let mut runs = Runs::new(index, array, trials, &mut results);
        // A guess that turned out too low does not take back what was said.
        let mut furthest = 0f64;
        let mut say = |part: f64| {
            furthest = furthest.max(part);
            each(Measuring { done: start + share * furthest, array });
        };
        runs.measure(options, options.seconds * share, cancel, &mut say)?;
        runs.finish();
        before += array.bytes.len();
        array.bytes = Vec::new();
    }
    if results.rounds.0 == usize::MAX {
        results.rounds = (0, 0);
    }
    results.arrays = arrays;
    Ok(results)
}

/// A trial that works, and its samples.
struct TrialRun {
    trial: Trial,
    codec: Box<dyn Codec>,
    packed_bytes: u64,
    memory: [Option<u64>; 2],
    /// Packing and unpacking; how often each sample does it.
    repeats: [u64; 2],
    samples: [Vec<f64>; 2],
    first_ns: u64,
}

struct Runs<'r, 'a> {
    index: usize,
    array: &'a Array,
    results: &'r mut Results,
    waiting: Plan,
    runs: Vec<TrialRun>,
    buffers: TrialBuffers,
}

impl<'r, 'a> Runs<'r, 'a> {
    fn new(index: usize, array: &'a Array, waiting: Plan, results: &'r mut Results) -> Self {
        let buffers = TrialBuffers::new(array, &waiting);
        Runs { index, array, results, waiting, runs: Vec::new(), buffers }
    }

    fn measure(
        &mut self,
        options: &MeasureOptions,
        seconds: f64,
        cancel: &Cancel,
        say: &mut dyn FnMut(f64),
    ) -> Result<()> {
        let watch = Stopwatch::start();
        let spent_s = || watch.wall_s();
        let count = self.waiting.len().max(1) as f64;
        // The first round is about as long as two others: it takes memory and compares.
        let guess = 2.0 / (2.0 + options.rounds.0 as f64);
        for (i, trial) in std::mem::take(&mut self.waiting).into_iter().enumerate() {
            cancel.check()?;
            say(guess * i as f64 / count);
            let config = trial.config.clone();
            match self.buffers.first(trial) {
                Ok(run) => self.runs.push(run),
                Err(e) => {
                    let reason = e.message().to_owned();
                    self.results.refused.push(Refused { array: self.index, config, reason });
                }
            }
        }
        let first_s = spent_s();
        let mut round_s = self.runs.iter().map(|run| run.first_ns as f64 * 1e-9).sum::<f64>();
        let (least, most) = options.rounds;
        let mut rounds = 0;
        while rounds < most && (rounds < least || spent_s() + round_s <= seconds) {
            let start_s = spent_s();
            let planned =
                ((seconds - first_s) / round_s.max(1e-9)).clamp(least as f64, most as f64);
            for (i, run) in self.runs.iter_mut().enumerate() {
                cancel.check()?;
                let part = (rounds as f64 + i as f64 / count) / planned;
                say((guess + (1.0 - guess) * part).min(1.0));
                self.buffers.round(run)?;
            }
            rounds += 1;
            round_s = spent_s() - start_s;
        }
        let (fewest, longest) = self.results.rounds;
        self.results.rounds = (fewest.min(rounds), longest.max(rounds));
        Ok(())
    }

    fn finish(self) {
        for run in self.runs {
            let config = self.results.config(&run.trial.config);
            let [write_ns, read_ns] = run.samples.map(|samples| Interval::of(&samples));
            self.results.cells.push(Cell {
                array: self.index,
                config,
                raw_bytes: self.array.bytes.len() as u64,
                packed_bytes: run.packed_bytes,
                write_ns,
                read_ns,
                write_memory_bytes: run.memory[0],
                read_memory_bytes: run.memory[1],
            });
        }
    }
}

/// Memory that all trials of an array share.
struct TrialBuffers {
    chunked: BTreeMap<ChunkSize, Chunked>,
    scratch: FilterScratch,
    packed: Vec<u8>,
    /// Where each packed chunk ends.
    ends: Vec<usize>,
    out: Vec<u8>,
}

impl TrialBuffers {
    fn new(array: &Array, plan: &Plan) -> TrialBuffers {
        let mut chunked = BTreeMap::new();
        for trial in plan {
            let size = trial.config.chunk;
            chunked.entry(size).or_insert_with(|| cut(array, size));
        }
        let most = chunked.values().map(|cut| cut.chunks.len()).max().unwrap_or(0);
        TrialBuffers {
            chunked,
            scratch: FilterScratch::default(),
            packed: Vec::new(),
            ends: Vec::with_capacity(most),
            // Written to once, so that the system has given it.
            out: vec![0x55; array.bytes.len()],
        }
    }

    /// Checks a trial, and measures its memory.
    fn first(&mut self, trial: Trial) -> Result<TrialRun> {
        self.room(&trial, &mut *(trial.make)()?);
        let peak = PeakMemory::start(memory::give_back);
        let mut codec = (trial.make)()?;
        let start = thread_cpu_ns();
        self.pack(&trial, &mut *codec)?;
        let pack_ns = thread_cpu_ns() - start;
        let write_memory = peak.bytes();
        drop(codec);
        self.out.fill(0x55);
        let peak = PeakMemory::start(memory::give_back);
        let mut codec = (trial.make)()?;
        let start = thread_cpu_ns();
        let decoded = self.unpack(&trial, &mut *codec)?;
        let unpack_ns = thread_cpu_ns() - start;
        let read_memory = peak.bytes();
        if decoded {
            codec.show(&mut self.out);
        }
        if self.out != self.chunked[&trial.config.chunk].bytes {
            return Err(solio_base::Error::corrupt("it does not give back every bit"));
        }
        let packed_bytes = self.ends.last().copied().unwrap_or(0) as u64;
        let repeats = [pack_ns, unpack_ns].map(|ns| (SAMPLE_NS / ns.max(1)).clamp(1, MOST_REPEATS));
        let first_ns = pack_ns * repeats[0] + unpack_ns * repeats[1];
        let memory = [write_memory, read_memory];
        let samples = [Vec::new(), Vec::new()];
        Ok(TrialRun { trial, codec, packed_bytes, memory, repeats, samples, first_ns })
    }

    /// Makes room for all packed chunks, and for the filter.
    fn room(&mut self, trial: &Trial, codec: &mut dyn Codec) {
        let chunked = &self.chunked[&trial.config.chunk];
        let bound = |shape| codec.bound(&trial.chain.shape(shape));
        // The last chunk may need its bound behind others that did not shrink.
        let most = chunked.chunks.iter().map(|(shape, _)| *shape).map(bound).max().unwrap_or(0);
        let wanted = chunked.bytes.len() + most;
        if self.packed.len() < wanted {
            self.packed.resize(wanted, 0x55);
        }
        if let Some((shape, range)) = chunked.chunks.first() {
            trial.chain.apply(shape, &chunked.bytes[range.clone()], &mut self.scratch);
        }
    }

    fn round(&mut self, run: &mut TrialRun) -> Result<()> {
        let start = thread_cpu_ns();
        for _ in 0..run.repeats[0] {
            self.pack(&run.trial, &mut *run.codec)?;
        }
        let middle = thread_cpu_ns();
        for _ in 0..run.repeats[1] {
            self.unpack(&run.trial, &mut *run.codec)?;
        }
        let times = [middle - start, thread_cpu_ns() - middle];
        for ((samples, ns), repeats) in run.samples.iter_mut().zip(times).zip(run.repeats) {
            samples.push(ns.max(1) as f64 / repeats as f64);
        }
        Ok(())
    }

    /// All chunks of the array. One that does not shrink is kept as it is, as OpenEXR does it.
    fn pack(&mut self, trial: &Trial, codec: &mut dyn Codec) -> Result<()> {
        let chunked = &self.chunked[&trial.config.chunk];
        self.ends.clear();
        let mut end = 0;
        for (shape, range) in &chunked.chunks {
            let raw = &chunked.bytes[range.clone()];
            let filtered = trial.chain.apply(shape, raw, &mut self.scratch);
            let packed =
                codec.encode(&trial.chain.shape(*shape), filtered, &mut self.packed[end..])?;
            if packed < raw.len() {
                end += packed;
            } else {
                self.packed[end..][..raw.len()].copy_from_slice(raw);
                end += raw.len();
            }
            self.ends.push(end);
        }
        Ok(())
    }

    /// Undoes [`TrialBuffers::pack`]; whether the codec had anything to do.
    fn unpack(&mut self, trial: &Trial, codec: &mut dyn Codec) -> Result<bool> {
        let chunked = &self.chunked[&trial.config.chunk];
        let (mut start, mut decoded) = (0, false);
        for ((shape, range), end) in chunked.chunks.iter().zip(&self.ends) {
            let (packed, out) = (&self.packed[start..*end], &mut self.out[range.clone()]);
            start = *end;
            if packed.len() == out.len() {
                out.copy_from_slice(packed);
                continue;
            }
            decoded = true;
            if trial.chain.0.is_empty() {
                codec.decode(shape, packed, out)?;
            } else {
                let filtered = self.scratch.filtered(out.len());
                codec.decode(&trial.chain.shape(*shape), packed, filtered)?;
                trial.chain.undo_filtered(shape, &mut self.scratch, out);
            }
        }
        Ok(decoded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::{Kind, Layout, ValueType};
    use crate::plan::plan;
    use solio_codec::filter::{FilterChain, FilterShape};

    fn image() -> Array {
        let value = |i: usize| half::f16::from_f32(100.0 + (i as f32 * 0.02).sin() * 20.0);
        let bytes: Vec<u8> = (0..64 * 48 * 3).flat_map(|i| value(i).to_le_bytes()).collect();
        Array {
            file: "a.exr".into(),
            name: String::new(),
            kind: Kind::HalfColor,
            value: ValueType::F16,
            channels: ["B", "G", "R"].map(String::from).to_vec(),
            layout: Layout::Rows { width: 64, rows: 48 },
            whole_bytes: bytes.len() as u64,
            bytes,
        }
    }

    const QUICK: MeasureOptions = MeasureOptions { seconds: 0.0, rounds: (2, 2) };

    #[test]
    fn everything_is_measured_and_comes_back() {
        let mut last = 0.0;
        let results = measure(
            vec![image(), image()],
            |array| Ok(plan(array, false)),
            &QUICK,
            &Cancel::default(),
            |now| {
                assert!(now.done >= last && now.done <= 1.0, "{} after {last}", now.done);
                last = now.done;
            },
        )
        .unwrap();
        assert_eq!(results.refused, [], "nothing loses bits");
        assert_eq!(results.cells.len(), 2 * results.configs.len());
        assert_eq!(results.rounds, (2, 2));
        for cell in &results.cells {
            assert!(cell.ratio() >= 1.0 && cell.write_ns.median > 0.0 && cell.read_ns.median > 0.0);
        }
        let sum = |config| results.total(config, |array| array.kind == Kind::HalfColor).unwrap();
        assert!((0..results.configs.len()).all(|config| sum(config).ratio >= 1.0));
        let csv = results.to_csv();
        assert_eq!(csv.lines().count(), 1 + results.cells.len());
        assert_eq!(results.to_json()["cells"].as_array().unwrap().len(), results.cells.len());
    }

    /// Loses the lowest bit of every byte.
    struct Lossy;

    impl Codec for Lossy {
        fn bound(&mut self, shape: &FilterShape) -> usize {
            shape.size_bytes()
        }
        fn encode(&mut self, _: &FilterShape, from: &[u8], to: &mut [u8]) -> Result<usize> {
            to[..from.len() - 1].copy_from_slice(&from[1..]);
            Ok(from.len() - 1)
        }
        fn decode(&mut self, _: &FilterShape, from: &[u8], to: &mut [u8]) -> Result<()> {
            to[1..].copy_from_slice(from);
            Ok(())
        }
    }

    #[test]
    fn what_loses_bits_does_not_count() {
        let lossy = |_: &Array| {
            let config = crate::Config {
                filter: "none".into(),
                codec: "lossy".into(),
                level: None,
                chunk: ChunkSize::Lines(16),
            };
            let make = Box::new(|| -> Result<Box<dyn Codec>> { Ok(Box::new(Lossy)) });
            Ok(vec![Trial { config, chain: FilterChain::default(), make }])
        };
        let results = measure(vec![image()], lossy, &QUICK, &Cancel::default(), |_| ()).unwrap();
        assert!(results.cells.is_empty());
        assert_eq!(results.refused[0].reason, "it does not give back every bit");
    }

    #[test]
    fn it_can_be_cancelled() {
        let cancel = Cancel::default();
        cancel.cancel();
        let plan = |array: &Array| Ok(plan(array, false));
        assert!(measure(vec![image()], plan, &QUICK, &cancel, |_| ()).is_err());
    }
}
