//! What a study found: curves of seconds over bandwidth, their bounds, and where they cross.

use super::StudyVariant;
use super::run::{Hold, StudyRun};
use crate::machine::crossing::crossings;
use solio_measure::{Middle, ProcessSample};

/// A wider interval than this share of the median says little.
const WIDE: f64 = 0.1;

/// One bandwidth and what the command took there.
///
/// ```
/// use solio::StudyPoint;
/// let point = StudyPoint { walls: vec![1.0, 1.5, 1.02], ..StudyPoint::default() };
/// // Noise of half a second: whoever reads this must know.
/// assert!(point.wall().median == 1.02 && point.is_doubtful());
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StudyPoint {
    /// Bytes a second; `None` is without a limit.
    pub bandwidth: Option<u64>,
    /// Seconds on the wall clock, run by run.
    pub walls: Vec<f64>,
    /// Median CPU seconds.
    pub cpu_s: f64,
    /// Bytes that the command read, where the system says so.
    pub read_bytes: Option<u64>,
    /// The run in the middle over time.
    pub samples: Vec<ProcessSample>,
}

impl StudyPoint {
    /// The median with its interval.
    ///
    /// ```
    /// let point = solio::StudyPoint { walls: vec![3.0, 1.0, 2.0], ..Default::default() };
    /// assert_eq!((point.wall().low, point.wall().median, point.wall().high), (1.0, 2.0, 3.0));
    /// ```
    pub fn wall(&self) -> Middle {
        Middle::of(&self.walls)
    }

    /// Whether one run alone, or noise, makes this a guess.
    ///
    /// ```
    /// let point = |walls: &[f64]| solio::StudyPoint { walls: walls.into(), ..Default::default() };
    /// assert!(point(&[1.0]).is_doubtful() && !point(&[1.0, 1.02, 1.01]).is_doubtful());
    /// ```
    pub fn is_doubtful(&self) -> bool {
        self.walls.len() < 2 || self.wall().spread() > WIDE
    }

    fn of(bandwidth: Option<u64>, runs: &[StudyRun]) -> StudyPoint {
        let all = |get: fn(&StudyRun) -> f64| runs.iter().map(get).collect::<Vec<_>>();
        let walls = all(|run| run.wall_s);
        let middle = Middle::of(&walls).median;
        let nearest = |a: &&StudyRun, b: &&StudyRun| {
            (a.wall_s - middle).abs().total_cmp(&(b.wall_s - middle).abs())
        };
        StudyPoint {
            bandwidth,
            cpu_s: Middle::of(&all(|run| run.cpu_s)).median,
            read_bytes: runs.iter().filter_map(|run| run.read_bytes).max(),
            samples: runs.iter().min_by(nearest).map(|run| run.samples.clone()).unwrap_or_default(),
            walls,
        }
    }
}

/// One command of a study.
///
/// ```
/// use solio::{StudyCurve, StudyPoint};
/// let points = [(None, 2.0), (Some(500_000_000), 2.5), (Some(100_000_000), 10.0)];
/// let points = points.map(|(bandwidth, wall_s)| StudyPoint {
///     bandwidth,
///     walls: vec![wall_s; 3],
///     ..StudyPoint::default()
/// });
/// let bytes = Some(1_000_000_000);
/// let curve = StudyCurve { points: points.into(), bytes, ..StudyCurve::default() };
/// // A disk that reads more than 500 MB/s hardly helps.
/// assert_eq!((curve.free_s(), curve.knee()), (2.0, Some(500e6)));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StudyCurve {
    /// What it is called.
    pub name: String,
    /// The command, word by word.
    pub command: Vec<String>,
    /// Without a limit first, then from the fastest to the slowest.
    pub points: Vec<StudyPoint>,
    /// The second free run of each turn over the first one.
    pub same: Middle,
    /// A free run whose calls are asked about, over a free one: what holding costs by itself.
    pub burden: Option<Middle>,
    /// Bytes that it reads, where the system says so.
    pub bytes: Option<u64>,
    /// Files that it reads, where the system says so.
    pub files: Option<usize>,
}

impl StudyCurve {
    pub(super) fn of(
        variant: &StudyVariant,
        plan: &[(Option<u64>, Hold)],
        runs: &[Vec<StudyRun>],
        again: usize,
    ) -> StudyCurve {
        let walls = |place: usize| runs[place].iter().map(|run| run.wall_s).collect::<Vec<_>>();
        let free = walls(0);
        let points: Vec<_> = plan
            .iter()
            .zip(runs)
            .map(|((bandwidth, _), runs)| StudyPoint::of(*bandwidth, runs))
            .collect();
        StudyCurve {
            name: variant.name.clone(),
            command: variant
                .command
                .iter()
                .map(|word| word.to_string_lossy().into_owned())
                .collect(),
            bytes: points.iter().filter_map(|point| point.read_bytes).max(),
            points,
            same: Middle::of_ratios(&walls(again), &free),
            burden: runs.get(again + 1).map(|_| Middle::of_ratios(&walls(again + 1), &free)),
            files: None,
        }
    }

    /// Median seconds without a limit.
    ///
    /// ```
    /// use solio::{StudyCurve, StudyPoint};
    /// let points = vec![StudyPoint { walls: vec![0.5, 0.25, 0.3], ..StudyPoint::default() }];
    /// assert_eq!(StudyCurve { points, ..StudyCurve::default() }.free_s(), 0.3);
    /// ```
    pub fn free_s(&self) -> f64 {
        self.points.first().map_or(f64::NAN, |point| point.wall().median)
    }

    /// The least seconds at a point, by the two bounds: the bytes over the bandwidth, and the CPU time over all
    /// cores. The first is `None` without a limit, and where the system does not say what was read.
    ///
    /// ```
    /// use solio::{StudyCurve, StudyPoint};
    /// let point = StudyPoint { bandwidth: Some(100), cpu_s: 4.0, ..StudyPoint::default() };
    /// let curve = StudyCurve { bytes: Some(1000), ..StudyCurve::default() };
    /// assert_eq!(curve.bounds_s(&point, 2), (Some(10.0), 2.0));
    /// ```
    pub fn bounds_s(&self, point: &StudyPoint, cores: usize) -> (Option<f64>, f64) {
        let bytes = point.read_bytes.filter(|_| point.bandwidth.is_some()).or(self.bytes);
        let bytes_s = bytes.zip(point.bandwidth).map(|(bytes, rate)| bytes as f64 / rate as f64);
        (bytes_s, point.cpu_s / cores.max(1) as f64)
    }

    /// The bandwidth below which the bytes alone take longer than the free run: a faster disk gains little.
    /// `None` where the system does not say what was read.
    ///
    /// ```
    /// use solio::{StudyCurve, StudyPoint};
    /// let points = vec![StudyPoint { walls: vec![0.5], ..StudyPoint::default() }];
    /// let curve = StudyCurve { points, bytes: Some(100_000_000), ..StudyCurve::default() };
    /// assert_eq!(curve.knee(), Some(200e6));
    /// ```
    pub fn knee(&self) -> Option<f64> {
        Some(self.bytes? as f64 / self.free_s().max(1e-9))
    }

    /// The bandwidth and the seconds at which a tenth is lost against the free run, on straight lines between the
    /// points over logarithms; `None` where the fastest point has lost it already, or the slowest has not.
    ///
    /// ```
    /// use solio::{StudyCurve, StudyPoint};
    /// let point = |bandwidth, wall_s| StudyPoint { bandwidth, walls: vec![wall_s], ..Default::default() };
    /// let points = vec![point(None, 1.0), point(Some(400), 1.0), point(Some(100), 4.0)];
    /// let (bandwidth, seconds) = StudyCurve { points, ..Default::default() }.tenth_lost().unwrap();
    /// assert!((bandwidth * 1.1 - 400.0).abs() < 1e-6 && (seconds - 1.1).abs() < 1e-9);
    /// ```
    pub fn tenth_lost(&self) -> Option<(f64, f64)> {
        let lost_s = 1.1 * self.free_s();
        let held = self.points.iter().filter_map(|p| Some((p.bandwidth? as f64, p.wall().median)));
        let held: Vec<_> = held.collect();
        let pair = held.windows(2).find(|pair| pair[0].1 < lost_s && pair[1].1 >= lost_s)?;
        let share = (lost_s / pair[0].1).ln() / (pair[1].1 / pair[0].1).ln();
        Some((pair[0].0 * (pair[1].0 / pair[0].0).powf(share), lost_s))
    }
}

/// A study's result.
///
/// ```
/// let study = solio::Study::default();
/// assert!(study.crossings().is_empty() && study.is_quiet());
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Study {
    /// What held the bandwidth.
    pub how: &'static str,
    /// Why it was taken.
    pub why: String,
    /// `warm` or `cold`.
    pub cache: &'static str,
    /// Turns.
    pub rounds: usize,
    /// Cores that the commands could use.
    pub cores: usize,
    /// The commands.
    pub curves: Vec<StudyCurve>,
}

impl Study {
    /// Whether the runs against themselves say that the machine was quiet enough to compare.
    ///
    /// ```
    /// use solio::{Study, StudyCurve};
    /// let same = solio::Middle { median: 1.2, low: 1.1, high: 1.3 };
    /// let study = Study { curves: vec![StudyCurve { same, ..Default::default() }], ..Default::default() };
    /// assert!(!study.is_quiet());
    /// ```
    pub fn is_quiet(&self) -> bool {
        self.curves.iter().all(|curve| curve.same.is_quiet())
    }

    /// Where two curves cross: their numbers, the bandwidth and the seconds.
    ///
    /// ```
    /// assert!(solio::Study::default().crossings().is_empty());
    /// ```
    pub fn crossings(&self) -> Vec<(usize, usize, f64, f64)> {
        let mut found = Vec::new();
        let of = |curve: &StudyCurve| -> (Vec<f64>, Vec<f64>) {
            let held = curve.points.iter().rev();
            let held = held.filter_map(|p| Some((p.bandwidth? as f64, p.wall().median)));
            held.unzip()
        };
        for (i, one) in self.curves.iter().enumerate() {
            for (k, other) in self.curves.iter().enumerate().skip(i + 1) {
                let ((bandwidths, a), (_, b)) = (of(one), of(other));
                let crossed = crossings(&bandwidths, &a, &b).into_iter();
                found.extend(crossed.map(|(bandwidth, seconds)| (i, k, bandwidth, seconds)));
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(seconds: &[f64]) -> StudyCurve {
        let bandwidths = [None, Some(1000), Some(100), Some(10)];
        let points = bandwidths.iter().zip(seconds).map(|(bandwidth, wall_s)| StudyPoint {
            bandwidth: *bandwidth,
            walls: vec![*wall_s; 3],
            ..StudyPoint::default()
        });
        StudyCurve { points: points.collect(), bytes: Some(400), ..StudyCurve::default() }
    }

    #[test]
    fn the_free_run_is_the_median_of_the_free_runs() {
        // A held run that came out faster by noise does not lower it.
        let found = curve(&[2.5, 2.0, 4.0, 41.0]);
        assert_eq!((found.free_s(), found.knee()), (2.5, Some(160.0)));
        let (bandwidth, seconds) = found.tenth_lost().unwrap();
        assert!((100.0..1000.0).contains(&bandwidth) && (seconds - 2.75).abs() < 1e-12);
        let unknown = StudyCurve { bytes: None, ..found };
        assert_eq!(unknown.knee(), None);
        // Lost from the fastest point on, or nowhere: no place is made up.
        assert_eq!(curve(&[1.0, 2.0, 3.0, 4.0]).tenth_lost(), None);
        assert_eq!(curve(&[1.0, 1.0, 1.0, 1.0]).tenth_lost(), None);
    }

    #[test]
    fn curves_cross_between_their_points() {
        let study = Study {
            curves: vec![curve(&[1.0, 1.0, 5.0, 50.0]), curve(&[2.0, 2.0, 2.5, 20.0])],
            ..Study::default()
        };
        let crossed = study.crossings();
        assert_eq!(crossed.len(), 1);
        assert!((100.0..1000.0).contains(&crossed[0].2), "{crossed:?}");
    }

    #[test]
    fn noise_is_said() {
        let point = |walls: &[f64]| StudyPoint { walls: walls.to_vec(), ..StudyPoint::default() };
        assert!(point(&[1.0]).is_doubtful() && point(&[1.0, 1.3]).is_doubtful());
        assert!(!point(&[1.0, 1.05]).is_doubtful());
    }

    #[test]
    fn the_run_in_the_middle_is_the_one_shown() {
        let run = |wall_s: f64, time_s: f64| StudyRun {
            wall_s,
            samples: vec![ProcessSample { time_s, ..ProcessSample::default() }],
            ..StudyRun::default()
        };
        let point = StudyPoint::of(None, &[run(9.0, 1.0), run(2.0, 2.0), run(1.0, 3.0)]);
        assert_eq!((point.wall().median, point.samples[0].time_s), (2.0, 2.0));
    }
}
