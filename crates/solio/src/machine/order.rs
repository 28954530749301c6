//! The order in which the files of a folder are read: what it costs to know it, and what it brings, on the medium that
//! is there and on a disk that turns.

use solio_base::{Error, Result, Work};
use solio_io::held::drop_from_cache;
use solio_io::order::seek::{Cost, ULTRASTAR_HC310};
use solio_io::order::{Layout, Order, OrderOptions, Read, plan};
use solio_measure::{Middle, Stopwatch};
use std::path::{Path, PathBuf};

/// How many files have so many fragments: at the end of each range.
const FRAGMENTS: [u32; 6] = [0, 1, 2, 4, 16, u32::MAX];

/// An order and what it came to.
///
/// ```
/// let order = solio::OrderTime::default();
/// assert!(order.name.is_empty() && order.model.seeks == 0);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OrderTime {
    /// `directory`, `name`, `inode`, `physical` or `fragments first`.
    pub name: &'static str,
    /// Seconds of asking where files lie, cold as the folder was found, and of sorting.
    pub ask_s: f64,
    /// See `ask_s`.
    pub sort_s: f64,
    /// Seconds of reading all files, cold, run by run.
    pub read_s: Vec<f64>,
    /// The same on a disk of 7,200 turns a minute, by its published model.
    pub model: Cost,
}

impl OrderTime {
    /// The reading with its interval.
    ///
    /// ```
    /// let order = solio::OrderTime { read_s: vec![3.0, 1.0, 2.0], ..Default::default() };
    /// assert_eq!(order.read().median, 2.0);
    /// ```
    pub fn read(&self) -> Middle {
        Middle::of(&self.read_s)
    }
}

/// What the orders of a folder came to.
///
/// ```
/// let study = solio::OrderStudy::default();
/// assert_eq!((study.files, study.orders.len()), (0, 0));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OrderStudy {
    /// Files, and their bytes.
    pub files: usize,
    /// See `files`.
    pub bytes: u64,
    /// Bytes that the file system says where they lie.
    pub placed_bytes: u64,
    /// Files by their number of fragments: from, to, how many.
    pub fragments: Vec<(u32, u32, usize)>,
    /// The disk of the model.
    pub drive: &'static str,
    /// The orders; the first is that of the directories.
    pub orders: Vec<OrderTime>,
    /// Whether the medium gave up its pages when told to.
    pub is_cold: bool,
}

/// Reads all files below a folder in each order, cold, in so many turns.
///
/// ```no_run
/// let study = solio::study_order("shots".as_ref(), 3, &Default::default(), |_| ())?;
/// for order in &study.orders {
///     println!("{}: {:.3} s, modelled {:.1} s", order.name, order.read().median, order.model.total_s());
/// }
/// # Ok::<(), solio::Error>(())
/// ```
///
/// # Errors
/// When the folder cannot be listed, has no files, or one of them cannot be read; `Cancelled`.
pub fn study_order(
    folder: &Path,
    rounds: usize,
    work: &Work,
    mut each: impl FnMut(&str),
) -> Result<OrderStudy> {
    let mut files = Vec::new();
    listed(folder, work, &mut files)?;
    if files.is_empty() {
        return Err(Error::argument("there are no files").at_path(folder));
    }
    let reads: Vec<Read<'_>> = files.iter().map(|path| Read { path, range: None }).collect();
    let watch = Stopwatch::start();
    let layout = Layout::of(&reads, work)?;
    let positions_s = watch.wall_s();
    let places: Vec<(u32, u64)> = (0..reads.len()).map(|n| layout.place(n)).collect();
    let given: Vec<usize> = (0..reads.len()).collect();
    let sorted = |key: &dyn Fn(usize) -> (u32, u64)| {
        let watch = Stopwatch::start();
        let mut order = given.clone();
        order.sort_by_key(|n| key(*n));
        (order, watch.wall_s())
    };
    let (physical, physical_s) = sorted(&|n| (0, places[n].1));
    let (fragments_first, fragments_s) = sorted(&|n| places[n]);
    let mut orders = vec![("directory", given.clone(), 0.0, 0.0)];
    for (name, order) in [("name", Order::Name), ("inode", Order::Inode)] {
        let watch = Stopwatch::start();
        let planned = plan(&reads, OrderOptions { order, ..OrderOptions::default() }, work)?;
        // Asking and sorting are one there; by name there is nothing to ask.
        let took_s = watch.wall_s();
        let (ask_s, sort_s) = if order == Order::Name { (0.0, took_s) } else { (took_s, 0.0) };
        orders.push((name, planned.order, ask_s, sort_s));
    }
    orders.push(("physical", physical, positions_s, physical_s));
    orders.push(("fragments first", fragments_first, positions_s, fragments_s));
    let mut times: Vec<OrderTime> = orders
        .iter()
        .map(|(name, order, ask_s, sort_s)| OrderTime {
            name,
            ask_s: *ask_s,
            sort_s: *sort_s,
            read_s: Vec::new(),
            model: layout.cost(order, &ULTRASTAR_HC310),
        })
        .collect();
    let (mut bytes, mut buffer, mut is_cold) = (0, Vec::new(), true);
    for round in 0..rounds.max(1) {
        let mut turn: Vec<usize> = (0..orders.len()).collect();
        if round % 2 == 1 {
            turn.reverse();
        }
        for number in turn {
            let (name, order, ..) = &orders[number];
            each(name);
            for path in &files {
                drop_from_cache(path)?;
            }
            let (watch, before) = (Stopwatch::start(), solio_measure::fetched_bytes());
            bytes = 0;
            for read in order {
                work.cancel.check()?;
                solio_io::probe::read_plain(&files[*read], &mut buffer)?;
                bytes += buffer.len() as u64;
            }
            times[number].read_s.push(watch.wall_s());
            // What did not come from a medium was in the cache, or the system does not tell.
            is_cold &= (solio_measure::fetched_bytes() - before) * 10 >= bytes * 9;
        }
    }
    Ok(OrderStudy {
        files: files.len(),
        bytes,
        placed_bytes: layout.bytes(),
        fragments: histogram(&places),
        drive: ULTRASTAR_HC310.name,
        orders: times,
        is_cold,
    })
}

/// All regular files below a folder, as its listings have them.
fn listed(folder: &Path, work: &Work, files: &mut Vec<PathBuf>) -> Result<()> {
    let failed = |e: std::io::Error| Error::io("list", e).at_path(folder);
    let mut folders = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        work.cancel.check()?;
        let entry = entry.map_err(failed)?;
        let kind = entry.file_type().map_err(failed)?;
        if kind.is_dir() {
            folders.push(entry.path());
        } else if kind.is_file() {
            files.push(entry.path());
        }
    }
    folders.iter().try_for_each(|folder| listed(folder, work, files))
}

fn histogram(places: &[(u32, u64)]) -> Vec<(u32, u32, usize)> {
    let mut from = 0;
    let mut rows = Vec::new();
    for to in FRAGMENTS {
        let count = places.iter().filter(|(fragments, _)| (from..=to).contains(fragments)).count();
        rows.push((from, to, count));
        from = to.saturating_add(1);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_orders_read_all_files() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("sub")).unwrap();
        for (n, name) in ["b", "a", "sub/c"].iter().enumerate() {
            solio_io::probe::write_plain(&folder.path().join(name), &vec![7; 5000 * (n + 1)])
                .unwrap();
        }
        let study = study_order(folder.path(), 2, &Work::default(), |_| ()).unwrap();
        assert_eq!((study.files, study.bytes), (3, 30_000));
        let names: Vec<_> = study.orders.iter().map(|order| order.name).collect();
        assert_eq!(names, ["directory", "name", "inode", "physical", "fragments first"]);
        assert!(study.orders.iter().all(|order| order.read_s.len() == 2));
        assert_eq!(study.fragments.iter().map(|row| row.2).sum::<usize>(), 3);
        // No order travels less than the physical one.
        let travel = |n: usize| study.orders[n].model.travel_bytes;
        assert!((0..5).all(|n| travel(3) <= travel(n)), "{:?}", study.orders);
        let empty = tempfile::tempdir().unwrap();
        assert!(study_order(empty.path(), 1, &Work::default(), |_| ()).is_err());
    }

    #[test]
    fn fragments_are_counted_in_ranges() {
        let rows = histogram(&[(0, 0), (1, 9), (1, 4), (3, 1), (17, 2)]);
        let counts: Vec<_> = rows.iter().map(|row| row.2).collect();
        assert_eq!(counts, [1, 2, 0, 1, 0, 1]);
        assert_eq!((rows[3].0, rows[5].0), (3, 17));
    }
}
