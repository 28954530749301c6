//! One comparison, whichever benchmark it comes from.

use serde_json::{Value, json};

/// A work of Solio's beside a peer's.
pub(crate) struct BenchRow {
    pub(crate) area: String,
    pub(crate) work: String,
    pub(crate) peer: String,
    peer_version: String,
    rounds: Option<u64>,
    pub(crate) ours_s: f64,
    pub(crate) peer_s: f64,
    /// The peer's time over ours: the median, and its interval of 95 %.
    pub(crate) times_faster: [f64; 3],
    /// The peer's CPU time over ours.
    pub(crate) times_less_cpu: Option<f64>,
    /// Ours over ours.
    pub(crate) same: Option<f64>,
    /// The last turns over the first ones.
    pub(crate) drift: Option<f64>,
    /// Bytes that the work reads or writes, where it says so.
    pub(crate) bytes: Option<f64>,
    /// Bytes that we wrote over those of the peer.
    pub(crate) size: Option<f64>,
    /// The least time that the machine needs, over ours.
    pub(crate) share: Option<f64>,
    /// The peer is no program but what must be done at least: copying, or reading the same bytes.
    is_bound: bool,
    answer: String,
}

/// Peers that are bounds.
const BOUNDS: [&str; 4] = ["plain", "a copy", "read()", "open and read"];

impl BenchRow {
    /// The row that a line of JSON holds; nothing of lines without a comparison.
    /// `copy_mb_s` is the rate at which memory copies.
    pub(crate) fn of_line(area: &str, line: &str, copy_mb_s: Option<f64>) -> Option<BenchRow> {
        let value: Value = serde_json::from_str(line).ok()?;
        // Of several ways to do a work, Solio's is the one in force; the others are there to compare.
        let is_ours = |way: &str| way.ends_with("in force");
        value["way"].as_str().is_none_or(is_ours).then(|| BenchRow::of(area, &value, copy_mb_s))?
    }

    /// The row that an object holds.
    pub(crate) fn of(area: &str, value: &Value, copy_mb_s: Option<f64>) -> Option<BenchRow> {
        let number = |names: &[&str]| names.iter().find_map(|name| value[*name].as_f64());
        let text = |names: &[&str]| {
            let found = names.iter().find_map(|name| value[*name].as_str());
            found.unwrap_or_default().to_owned()
        };
        let ratio = |name: &str| three(&value[name]).or(value[name].as_f64().map(|one| [one; 3]));
        let ours_s = number(&["ours_wall_s", "wall_s"])?;
        let times_faster = inverse(ratio("ratio_wall")?);
        let peer = text(&["peer"]);
        let is_bound = BOUNDS.iter().any(|bound| peer.starts_with(bound));
        let bytes = number(&["bytes", "raw_bytes", "ours_read_bytes"]);
        let copied_s = bytes.zip(copy_mb_s).map(|(bytes, rate)| bytes / (rate * 1e6));
        Some(BenchRow {
            area: area.to_owned(),
            work: work(&text(&["work", "case"]), &text(&["tier"]), &text(&["way"])),
            peer,
            peer_version: text(&["peer_version"]),
            rounds: value["rounds"].as_u64(),
            ours_s,
            peer_s: number(&["peer_wall_s"]).unwrap_or(ours_s * times_faster[0]),
            times_faster,
            times_less_cpu: ratio("ratio_cpu").map(|[middle, ..]| 1.0 / middle),
            same: ["same_cpu", "same_wall"].iter().find_map(|n| Some(three(&value[*n])?[0])),
            drift: number(&["drift_cpu", "drift_wall"]),
            bytes,
            size: number(&["ratio_bytes"]),
            share: if is_bound { Some(times_faster[0]) } else { copied_s.map(|s| s / ours_s) },
            is_bound,
            answer: text(&["answer"]),
        })
    }

    /// `OpenEXR (C++) 3.5.3`
    pub(crate) fn peer_and_version(&self) -> String {
        format!("{} {}", self.peer, self.peer_version).trim_end().to_owned()
    }

    pub(crate) fn json(&self) -> Value {
        json!({
            "area": self.area,
            "work": self.work,
            "peer": self.peer,
            "peer_version": self.peer_version,
            "rounds": self.rounds,
            "wall_s": self.ours_s,
            "peer_wall_s": self.peer_s,
            "times_faster": self.times_faster,
            "same": self.same,
            "drift": self.drift,
            "bytes": self.bytes,
            "share_of_light": self.share,
            "is_bound": self.is_bound,
            "answer": self.answer,
        })
    }
}

/// A median with its interval.
fn three(value: &Value) -> Option<[f64; 3]> {
    let list = value.as_array()?;
    Some([list.first()?.as_f64()?, list.get(1)?.as_f64()?, list.get(2)?.as_f64()?])
}

/// Of the ratio turned round, the low end is the high one.
fn inverse([middle, low, high]: [f64; 3]) -> [f64; 3] {
    [1.0 / middle, 1.0 / high, 1.0 / low]
}

/// The work, with the CPU tier and the way where there are several.
fn work(name: &str, tier: &str, way: &str) -> String {
    let mut name = name.to_owned();
    for (more, [before, after]) in [(way, [", ", ""]), (tier, [" [", "]"])] {
        if !more.is_empty() && !name.contains(more) {
            name += &format!("{before}{more}{after}");
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_every_benchmark_are_understood() {
        let kernel = r#"{"case":"write f32","tier":"avx2","peer":"a copy of the text","wall_s":2e-9,
            "peer_wall_s":5e-10,"ratio_wall":[4,3.9,4.1],"same_cpu":[1,0.9,1.1],"answer":"7 bytes"}"#;
        let row = BenchRow::of_line("mesh", kernel, Some(10_000.0)).unwrap();
        assert_eq!((row.work.as_str(), row.is_bound), ("write f32 [avx2]", true));
        assert_eq!(row.times_faster, [0.25, 1.0 / 4.1, 1.0 / 3.9]);
        assert_eq!((row.share, row.same), (Some(0.25), Some(1.0)));

        let image = r#"{"case":"EXR read ZIP","peer":"OpenEXR (C++)","peer_version":"3.5.3","rounds":5,
            "raw_bytes":10000000,"wall_s":0.01,"peer_wall_s":0.02,"ratio_wall":[0.5,0.4,0.6]}"#;
        let row = BenchRow::of_line("exr", image, Some(10_000.0)).unwrap();
        assert_eq!(row.times_faster, [2.0, 1.0 / 0.6, 2.5]);
        assert_eq!((row.share, row.is_bound), (Some(0.1), false));
        assert_eq!(row.peer_and_version(), "OpenEXR (C++) 3.5.3");

        let fold = r#"{"case":"fold ASCII","way":"vectors, in force","peer":"std","wall_s":1e-8,
            "ratio_wall":0.25,"ratio_cpu":0.5,"ratio_bytes":0.9}"#;
        let row = BenchRow::of_line("io", fold, None).unwrap();
        assert_eq!(
            (row.work.as_str(), row.times_faster),
            ("fold ASCII, vectors, in force", [4.0; 3])
        );
        assert!((row.peer_s - 4e-8).abs() < 1e-12);
        assert_eq!((row.times_less_cpu, row.size), (Some(2.0), Some(0.9)));
    }

    #[test]
    fn lines_without_a_comparison_are_no_rows() {
        assert!(
            BenchRow::of_line("catalog", r#"{"case":"insert","rows":5,"wall_s":1}"#, None)
                .is_none()
        );
        assert!(BenchRow::of_line("exr", r#"{"case":"size","ratio_bytes":0.9}"#, None).is_none());
        assert!(BenchRow::of_line("peers", "fd: skipped", None).is_none());
        let copied = r#"{"case":"fold","way":"copy","peer":"std","wall_s":1,"ratio_wall":9}"#;
        assert!(BenchRow::of_line("io", copied, None).is_none(), "a copy is not Solio");
    }
}
