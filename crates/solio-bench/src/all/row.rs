//! One comparison, whichever benchmark it comes from.

use serde_json::{Value, json};

/// A work of Solio's beside a peer's.
pub(super) struct BenchRow {
    pub(super) area: String,
    pub(super) work: String,
    pub(super) peer: String,
    peer_version: String,
    rounds: Option<u64>,
    ours_s: f64,
    peer_s: f64,
    /// The peer's time over ours: the median, and its interval of 95 %.
    pub(super) times_faster: [f64; 3],
    /// Ours over ours.
    pub(super) same: Option<f64>,
    /// Bytes that the work reads or writes, where it says so.
    bytes: Option<f64>,
    /// The least time that the machine needs, over ours.
    pub(super) share: Option<f64>,
    /// The peer is no program but what must be done at least: copying, or reading the same bytes.
    is_bound: bool,
    answer: String,
}

/// Peers that are bounds.
const BOUNDS: [&str; 4] = ["plain", "a copy", "read()", "open and read"];

impl BenchRow {
    /// The row that a line of JSON holds; nothing of lines without a comparison.
    /// `copy_mb_s` is the rate at which memory copies.
    pub(super) fn of(area: &str, line: &str, copy_mb_s: Option<f64>) -> Option<BenchRow> {
        let value: Value = serde_json::from_str(line).ok()?;
        // Of several ways to do a work, Solio's is the one in force; the others are there to compare.
        if value["way"].as_str().is_some_and(|way| !way.ends_with("in force")) {
            return None;
        }
        let number = |names: &[&str]| names.iter().find_map(|name| value[*name].as_f64());
        let text = |names: &[&str]| {
            let found = names.iter().find_map(|name| value[*name].as_str());
            found.unwrap_or_default().to_owned()
        };
        let ns = |name| number(&[name]).map(|ns| ns * 1e-9);
        let ours_s = number(&["ours_wall_s", "wall_s"]).or_else(|| ns("ns"))?;
        let ratio = three(&value["ratio_wall"])
            .or_else(|| three(&value["times_faster"]).map(inverse))
            .or_else(|| three(&value["ratio"]))
            .or_else(|| number(&["ratio_wall"]).map(|ratio| [ratio; 3]))?;
        let peer_s =
            number(&["peer_wall_s"]).or_else(|| ns("copy_ns")).unwrap_or(ours_s / ratio[0]);
        let peer = match text(&["peer"]) {
            none if none.is_empty() => "a copy of the text".to_owned(),
            peer => peer,
        };
        let is_bound = BOUNDS.iter().any(|bound| peer.starts_with(bound));
        let bytes = number(&["bytes", "raw_bytes", "ours_read_bytes"]);
        let times_faster = inverse(ratio);
        let copied_s = bytes.zip(copy_mb_s).map(|(bytes, rate)| bytes / (rate * 1e6));
        let share = if is_bound { Some(times_faster[0]) } else { copied_s.map(|s| s / ours_s) };
        Some(BenchRow {
            area: area.to_owned(),
            work: work(&text(&["work", "case", "kernel"]), &text(&["tier"]), &text(&["way"])),
            peer,
            peer_version: text(&["peer_version"]),
            rounds: value["rounds"].as_u64(),
            ours_s,
            peer_s,
            times_faster,
            same: ["same_cpu", "same_wall", "same"]
                .iter()
                .find_map(|n| Some(three(&value[*n])?[0])),
            bytes,
            share,
            is_bound,
            answer: text(&["answer"]),
        })
    }

    /// `OpenEXR (C++) 3.5.3`
    pub(super) fn peer_and_version(&self) -> String {
        format!("{} {}", self.peer, self.peer_version).trim_end().to_owned()
    }

    pub(super) fn json(&self) -> Value {
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
        let kernel = r#"{"kernel":"write f32","tier":"avx2","ns":2.0,"copy_ns":0.5,"ratio":[4,3.9,4.1],
            "same":[1,0.9,1.1],"answer":"7 bytes as std"}"#;
        let row = BenchRow::of("mesh", kernel, Some(10_000.0)).unwrap();
        assert_eq!((row.work.as_str(), row.is_bound), ("write f32 [avx2]", true));
        assert_eq!(row.times_faster, [0.25, 1.0 / 4.1, 1.0 / 3.9]);
        assert_eq!((row.share, row.same), (Some(0.25), Some(1.0)));

        let image = r#"{"case":"EXR read ZIP","peer":"OpenEXR (C++)","peer_version":"3.5.3","rounds":5,
            "raw_bytes":10000000,"wall_s":0.01,"peer_wall_s":0.02,"ratio_wall":[0.5,0.4,0.6]}"#;
        let row = BenchRow::of("exr", image, Some(10_000.0)).unwrap();
        assert_eq!(row.times_faster, [2.0, 1.0 / 0.6, 2.5]);
        assert_eq!((row.share, row.is_bound), (Some(0.1), false));
        assert_eq!(row.peer_and_version(), "OpenEXR (C++) 3.5.3");

        let fold = r#"{"case":"fold ASCII","way":"vectors, in force","peer":"std","ns":10,"times_faster":[3,2,4]}"#;
        let row = BenchRow::of("io", fold, None).unwrap();
        assert_eq!(
            (row.work.as_str(), row.times_faster[0]),
            ("fold ASCII, vectors, in force", 3.0)
        );
        assert!((row.peer_s - 3e-8).abs() < 1e-12);
    }

    #[test]
    fn lines_without_a_comparison_are_no_rows() {
        assert!(
            BenchRow::of("catalog", r#"{"case":"insert","rows":5,"wall_s":1}"#, None).is_none()
        );
        assert!(BenchRow::of("exr", r#"{"case":"size","ratio_bytes":0.9}"#, None).is_none());
        assert!(BenchRow::of("peers", "fd: skipped", None).is_none());
        let copied = r#"{"case":"fold","way":"copy","peer":"std","ns":1,"times_faster":[9,9,9]}"#;
        assert!(BenchRow::of("io", copied, None).is_none(), "a copy is not Solio");
    }
}
