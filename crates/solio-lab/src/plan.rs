//! Which filters, codecs, levels and sizes of chunks are tried on an array.

use crate::array::Array;
use crate::chunk::ChunkSize;
use crate::codec::{Codec, Method, Then};
use crate::results::Config;
use solio_base::Result;
use solio_codec::array::Effort;
use solio_codec::filter::{FilterChain, FilterShape, FilterStep};

/// Makes a codec anew.
pub type MakeCodec = Box<dyn Fn() -> Result<Box<dyn Codec>>>;

/// One thing to try.
///
/// ```
/// use solio_codec::filter::{FilterChain, FilterStep};
/// use solio_lab::{ChunkSize, Config, MeasureOptions, ValueType, codec::Method, plan::Trial};
/// # let numbers: Vec<u8> = (0..5000_u16).flat_map(|i| i.to_ne_bytes()).collect();
/// # let array = solio_lab::npy::decode_raw(&numbers, &"u16,1,5000".parse().unwrap())?;
/// // One of our own: differences, and zstd after them.
/// let mine = || {
///     let chain = FilterChain(vec![FilterStep::Delta, FilterStep::Zigzag]);
///     let (codec, level, chunk) = ("zstd".into(), Some(3), ChunkSize::Whole);
///     let config = Config { filter: chain.name(), codec, level, chunk };
///     Trial { config, chain, make: Box::new(|| Method::Zstd(3).codec(ValueType::U16)) }
/// };
/// let options = MeasureOptions { seconds: 0.0, rounds: (1, 1) };
/// let plan = |_: &_| Ok(vec![mine()]);
/// let results = solio_lab::measure(vec![array], plan, &options, &Default::default(), |_| ())?;
/// assert!(results.cells[0].ratio() > 100.0);
/// # Ok::<(), solio_base::Error>(())
/// ```
pub struct Trial {
    /// What it is called.
    pub config: Config,
    /// The filter.
    pub chain: FilterChain,
    /// The codec behind it.
    pub make: MakeCodec,
}

/// Things to try on one array.
pub type Plan = Vec<Trial>;

/// The chunk that all is compared at; OpenEXR's ZIP has it, too.
pub const USUAL: ChunkSize = ChunkSize::Lines(16);
const SIZES: [ChunkSize; 4] = [ChunkSize::Lines(1), USUAL, ChunkSize::Lines(64), ChunkSize::Whole];

/// What is tried: enough for the statements in about a minute, or with `full` everything.
///
/// ```
/// use solio_lab::{npy::decode_raw, plan::plan};
/// let image = decode_raw(&[0; 2 * 64 * 64], &"f16,1,64x64".parse().unwrap())?;
/// let (usual, all) = (plan(&image, false), plan(&image, true));
/// assert!(usual.len() > 20 && all.len() > 5 * usual.len());
/// // What OpenEXR does is always among them.
/// assert!(usual.iter().any(|trial| trial.config.title() == "EXR → zlib 4, 16 lines"));
/// # Ok::<(), solio_base::Error>(())
/// ```
pub fn plan(array: &Array, full: bool) -> Plan {
    let filters = Filters::of(array);
    let mut plan = PlannedArray { array, trials: Vec::new() };
    if full {
        everything(&mut plan, &filters)
    } else {
        usual(&mut plan, &filters)
    }
    plan.trials
}

fn usual(plan: &mut PlannedArray<'_>, filters: &Filters) {
    for filter in &filters.all {
        plan.add(filter, Method::Zstd(1), USUAL);
    }
    let many = [
        Method::Zlib(4),
        Method::Zlib(6),
        Method::ZlibRs(4),
        Method::Libdeflate(4),
        Method::Libdeflate(6),
        Method::Zstd(-5),
        Method::Zstd(3),
        Method::Zstd(16),
        Method::Lz4,
        Method::Lz4Hc(9),
    ];
    for method in many {
        plan.add(&filters.exr, method, USUAL);
    }
    for method in [Method::Zstd(3), Method::Libdeflate(4), Method::Lz4] {
        plan.add(&filters.none, method, USUAL);
        plan.add(&filters.best, method, USUAL);
    }
    plan.add_numbers(filters, &[8], &[2], &[Effort::Fast, Effort::Max], USUAL);
    for size in SIZES {
        plan.add(&filters.exr, Method::Zlib(4), size);
        plan.add(&filters.exr, Method::Zstd(1), size);
        plan.add(&filters.exr, Method::Zstd(3), size);
        plan.add(&filters.best, Method::Zstd(1), size);
        plan.add(&filters.none, Method::Solio(Effort::Fast), size);
    }
}

fn everything(plan: &mut PlannedArray<'_>, filters: &Filters) {
    let all_levels = (1..=9)
        .flat_map(|level| [Method::Zlib(level), Method::ZlibRs(level)])
        .chain((1..=12).map(Method::Libdeflate))
        .chain((-5..=22).filter(|level| *level != 0).map(Method::Zstd))
        .chain([Method::Lz4])
        .chain((3..=12).map(Method::Lz4Hc));
    for method in all_levels {
        for filter in [&filters.none, &filters.exr, &filters.best] {
            plan.add(filter, method, USUAL);
        }
    }
    let some = [
        Method::Zlib(4),
        Method::Zlib(6),
        Method::Libdeflate(4),
        Method::Libdeflate(9),
        Method::Zstd(-5),
        Method::Zstd(1),
        Method::Zstd(3),
        Method::Zstd(9),
        Method::Zstd(16),
        Method::Lz4,
        Method::Lz4Hc(9),
    ];
    for method in some {
        for filter in &filters.all {
            plan.add(filter, method, USUAL);
        }
    }
    for size in SIZES {
        for filter in [&filters.none, &filters.exr, &filters.best, &filters.colors] {
            for method in [Method::Zlib(4), Method::Libdeflate(4), Method::Zstd(1), Method::Zstd(3)]
            {
                plan.add(filter, method, size);
            }
            plan.add(filter, Method::Lz4, size);
        }
        let efforts = [Effort::Fast, Effort::Thorough, Effort::Max];
        plan.add_numbers(filters, &[1, 4, 8, 12], &[0, 1, 2, 3], &efforts, size);
    }
}

/// The filters that do something to an array.
struct Filters {
    none: FilterChain,
    /// That of OpenEXR.
    exr: FilterChain,
    /// A guess at the best: clamped gradient on integers, or differences where there are no rows.
    best: FilterChain,
    /// The same after differences of colours; as `best` where there are no colours.
    colors: FilterChain,
    /// Differences of colours alone.
    apart: Option<FilterChain>,
    all: Vec<FilterChain>,
}

impl Filters {
    fn of(array: &Array) -> Filters {
        use FilterStep::{
            BitShuffle, ClampedGradient, Delta, Exr, Monotone, Paeth, Split, Up, Zigzag,
        };
        let chunked = crate::chunk::cut(array, USUAL);
        let bytes = array.value.bytes();
        let empty = FilterShape { bytes, planes: 1, rows: 1, channels: 1, width: 0 };
        let shape = chunked.chunks.first().map_or(empty, |(shape, _)| *shape);
        let rows = shape.rows > 1;
        // Bytes are apart already where values have one.
        let split = |mut steps: Vec<FilterStep>| {
            if bytes > 1 {
                steps.push(Split);
            }
            FilterChain(steps)
        };
        let before_bytes =
            |step: FilterStep| FilterChain(if bytes > 1 { vec![Split, step] } else { vec![step] });
        let guess = if rows { ClampedGradient } else { Delta };
        let best = split(vec![guess, Zigzag]);
        let rgb = array.rgb().map(FilterStep::Decorrelate);
        let colors = rgb.map_or(best.clone(), |rgb| split(vec![rgb, guess, Zigzag]));
        let mut all = vec![
            FilterChain(vec![]),
            FilterChain(vec![Exr]),
            split(vec![]),
            before_bytes(Delta),
            before_bytes(ClampedGradient),
            split(vec![Delta, Zigzag]),
            split(vec![Up, Zigzag]),
            split(vec![Paeth, Zigzag]),
            split(vec![ClampedGradient, Zigzag]),
            colors.clone(),
            FilterChain(vec![BitShuffle]),
            FilterChain(vec![guess, Zigzag, BitShuffle]),
        ];
        if array.value.is_float() {
            all.push(split(vec![Monotone, guess, Zigzag]));
        }
        if bytes == 4 {
            all.push(FilterChain(vec![FilterStep::SplitEvenOdd]));
            all.push(FilterChain(vec![FilterStep::SplitEvenOdd, Delta]));
        }
        let mut kept: Vec<FilterChain> = Vec::new();
        for chain in all {
            if chain.suits(shape) && !kept.contains(&chain) {
                kept.push(chain);
            }
        }
        let apart = rgb.map(|rgb| FilterChain(vec![rgb]));
        Filters {
            none: FilterChain(vec![]),
            exr: FilterChain(vec![Exr]),
            best,
            colors,
            apart,
            all: kept,
        }
    }
}

struct PlannedArray<'a> {
    array: &'a Array,
    trials: Plan,
}

impl PlannedArray<'_> {
    fn add(&mut self, chain: &FilterChain, method: Method, chunk: ChunkSize) {
        self.push(chain, method, chunk, None);
    }

    /// Adds what suits and is not there yet.
    fn push(&mut self, chain: &FilterChain, method: Method, chunk: ChunkSize, then: Option<i32>) {
        let array = self.array;
        let rows = match (array.layout, chunk) {
            (crate::Layout::Elements { .. }, _) | (_, ChunkSize::Lines(1)) => 1,
            (crate::Layout::Rows { rows, .. }, _) => rows,
        };
        let channels = array.channels.len();
        let shape = FilterShape { bytes: array.value.bytes(), planes: 1, rows, channels, width: 2 };
        if !chain.suits(shape) || !method.suits(array.value, channels) {
            return;
        }
        let then_name = then.map_or(String::new(), |level| format!(" + zstd {level}"));
        let codec = format!("{}{then_name}", method.name());
        let config = Config { filter: chain.name(), codec, level: method.level(), chunk };
        if self.trials.iter().any(|trial| trial.config == config) {
            return;
        }
        let value = array.value;
        let make = Box::new(move || -> Result<Box<dyn Codec>> {
            let first = method.codec(value)?;
            match then {
                Some(level) => Ok(Box::new(Then::zstd(first, level)?)),
                None => Ok(first),
            }
        });
        self.trials.push(Trial { config, chain: chain.clone(), make });
    }

    /// Codecs that see numbers, alone and with zstd after them.
    fn add_numbers(
        &mut self,
        filters: &Filters,
        pco: &[i32],
        meshopt: &[i32],
        efforts: &[Effort],
        chunk: ChunkSize,
    ) {
        let none = &filters.none;
        for effort in efforts {
            self.add(none, Method::Solio(*effort), chunk);
        }
        for level in pco {
            self.add(none, Method::Pco(*level), chunk);
        }
        for level in meshopt {
            for chain in [Some(none), filters.apart.as_ref()].into_iter().flatten() {
                self.add(chain, Method::Meshopt(*level), chunk);
                self.push(chain, Method::Meshopt(*level), chunk, Some(1));
            }
        }
        #[cfg(feature = "zfp")]
        for method in [Method::ZfpFloat, Method::ZfpInteger] {
            self.add(none, method, chunk);
            self.push(none, method, chunk, Some(1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::{Kind, Layout, ValueType};

    fn array(value: ValueType, layout: Layout, channels: &[&str]) -> Array {
        let values = match layout {
            Layout::Rows { width, rows } => width * rows,
            Layout::Elements { count } => count,
        };
        let bytes = vec![0; values * channels.len() * value.bytes()];
        Array {
            file: String::new(),
            name: String::new(),
            kind: Kind::Numbers,
            value,
            channels: channels.iter().map(|name| (*name).to_owned()).collect(),
            layout,
            whole_bytes: bytes.len() as u64,
            bytes,
        }
    }

    #[test]
    fn nothing_is_tried_twice_or_in_vain() {
        let rows = Layout::Rows { width: 10, rows: 40 };
        for value in ValueType::ALL {
            for layout in [rows, Layout::Elements { count: 100 }] {
                for full in [false, true] {
                    let array = array(value, layout, &["B", "G", "R"]);
                    let plan = plan(&array, full);
                    assert!(plan.len() > 20, "{value:?} {layout:?}: {}", plan.len());
                    for (i, trial) in plan.iter().enumerate() {
                        assert!(plan[..i].iter().all(|other| other.config != trial.config));
                    }
                }
            }
        }
    }

    #[test]
    fn all_that_was_asked_for_is_tried() {
        let image = array(ValueType::F16, Layout::Rows { width: 10, rows: 40 }, &["B", "G", "R"]);
        let plan = plan(&image, true);
        let levels = |codec: &str| {
            let of = plan.iter().filter(|trial| trial.config.codec == codec);
            let mut levels: Vec<i32> = of.filter_map(|trial| trial.config.level).collect();
            levels.sort_unstable();
            levels.dedup();
            (levels.first().copied(), levels.last().copied(), levels.len())
        };
        assert_eq!(levels("zlib"), (Some(1), Some(9), 9));
        assert_eq!(levels("libdeflate"), (Some(1), Some(12), 12));
        assert_eq!(levels("zstd"), (Some(-5), Some(22), 27));
        assert_eq!(levels("lz4hc"), (Some(3), Some(12), 10));
        let filters: std::collections::BTreeSet<&str> =
            plan.iter().map(|trial| trial.config.filter.as_str()).collect();
        for filter in [
            "none",
            "EXR",
            "split",
            "split + delta bytes",
            "split + MED bytes",
            "delta integers + zigzag + split",
            "up integers + zigzag + split",
            "Paeth integers + zigzag + split",
            "MED integers + zigzag + split",
            "R−G B−G + MED integers + zigzag + split",
            "bit shuffle",
            "monotone + MED integers + zigzag + split",
        ] {
            assert!(filters.contains(filter), "{filter} is missing from {filters:?}");
        }
    }
}
