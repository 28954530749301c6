//! What a study of OpenEXR compression said in 2021 (Pranckevičius, *EXR: Lossless Compression* and the
//! posts behind it), held against what was measured.

use crate::array::{Array, Kind};
use crate::plan::USUAL;
use crate::results::{Config, Results, Total};
use serde_json::{Value, json};
use solio_base::named_enum;

named_enum! {
    /// Whether a statement is true of the files at hand.
    pub enum Verdict {
        /// Of every kind of data that it is about.
        Holds = "holds",
        /// Of none.
        Fails = "does not hold",
        /// Of some kinds.
        Mixed = "holds for some",
        /// It is about nothing that is here.
        NotMeasured = "not measured",
    }

    /// In words.
    pub fn name;
}

/// What one kind of data says to a statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The kind.
    pub kind: Kind,
    /// Whether the statement is true of it.
    pub holds: bool,
    /// The numbers.
    pub words: String,
    /// The points concerned, of [`Results::configs`].
    pub configs: Vec<usize>,
}

/// One of the seven.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// What it is about.
    pub title: &'static str,
    /// What was said.
    pub claim: &'static str,
    /// When it is taken to hold here.
    pub rule: &'static str,
    /// What came out, a kind each.
    pub findings: Vec<Finding>,
}

impl Statement {
    /// Over all kinds.
    pub fn verdict(&self) -> Verdict {
        let holding = self.findings.iter().filter(|finding| finding.holds).count();
        match holding {
            _ if self.findings.is_empty() => Verdict::NotMeasured,
            0 => Verdict::Fails,
            all if all == self.findings.len() => Verdict::Holds,
            _ => Verdict::Mixed,
        }
    }

    /// For programs and for the page.
    pub fn to_json(&self) -> Value {
        let finding = |finding: &Finding| {
            json!({
                "kind": finding.kind.name(), "holds": finding.holds, "words": finding.words,
                "configs": finding.configs,
            })
        };
        json!({
            "title": self.title, "claim": self.claim, "rule": self.rule,
            "verdict": self.verdict().name(),
            "findings": self.findings.iter().map(finding).collect::<Vec<_>>(),
        })
    }
}

/// Holds the seven statements against `results`.
pub fn statements(results: &Results) -> Vec<Statement> {
    SEVEN
        .iter()
        .map(|(title, claim, rule, judge)| {
            let findings = results.kinds().into_iter().filter_map(|kind| {
                let mut look = KindResults { results, kind, width: None, configs: Vec::new() };
                let (holds, words) = judge(&mut look)?;
                Some(Finding { kind, holds, words, configs: look.configs })
            });
            Statement { title, claim, rule, findings: findings.collect() }
        })
        .collect()
}

type Judge = fn(&mut KindResults<'_>) -> Option<(bool, String)>;

const SEVEN: [(&str, &str, &str, Judge); 7] = [
    (
        "Filtered against unfiltered",
        "Filters decide the ratio: zstd packs filtered bytes far better than plain ones.",
        "zstd 1 behind the filter of OpenEXR, or behind the same with the real width of the values, packs at least 1.1 times as small as alone",
        filtered,
    ),
    (
        "Levels of zstd",
        "Level 1 packs as small as level 3; negative levels lose a tenth; level 16 gains little and is slow.",
        "level 1 within 0.5 % of level 3, level −5 at least 3 % larger than 1, level 16 at most 12 % smaller and at most a fifth as fast",
        levels,
    ),
    (
        "ZIP at level 4 or 6",
        "zlib at level 4 is as good as at its default, 6, and much faster.",
        "at most 3 % larger, and written at least 1.2 times as fast",
        zip,
    ),
    (
        "libdeflate against zlib",
        "libdeflate writes and reads the same streams far faster than zlib.",
        "at level 4: at most 2 % larger, written at least 1.3 times and read at least 1.3 times as fast",
        libdeflate,
    ),
    (
        "Clamped gradient",
        "A better predictor than the difference to the left hardly helps.",
        "with zstd 1 behind it, clamped gradient packs at most 2 % smaller than differences, of bytes and of integers",
        gradient,
    ),
    (
        "16-bit split of 32-bit floats",
        "Splitting 32-bit floats as if they were 16-bit ones costs only a little.",
        "with zstd 1, differences of bytes pack at most 5 % smaller when split four ways",
        split,
    ),
    (
        "ZFP",
        "ZFP without loss packs worse than ZIP, also with zstd behind it.",
        "the best of ZFP's ways has a lower ratio than zlib 4 behind the filter of OpenEXR",
        zfp,
    ),
];

/// The results of one kind of data; notes which points were asked for.
struct KindResults<'a> {
    results: &'a Results,
    kind: Kind,
    /// Only arrays with values of so many bytes.
    width: Option<usize>,
    configs: Vec<usize>,
}

impl KindResults<'_> {
    fn at(&mut self, filter: &str, codec: &str, level: Option<i32>) -> Option<Total> {
        let (filter, codec) = (filter.to_owned(), codec.to_owned());
        let wanted = Config { filter, codec, level, chunk: USUAL };
        let config = self.results.configs.iter().position(|config| *config == wanted)?;
        let (kind, width) = (self.kind, self.width);
        let of = |array: &Array| {
            array.kind == kind && width.is_none_or(|width| array.value.bytes() == width)
        };
        let total = self.results.total(config, of)?;
        self.configs.push(config);
        Some(total)
    }

    fn zstd(&mut self, filter: &str, level: i32) -> Option<Total> {
        self.at(filter, "zstd", Some(level))
    }
}

/// `+3.1 %`, of a ratio over another.
fn percent(ratio: f64) -> String {
    format!("{:+.1} %", (ratio - 1.0) * 100.0).replace('-', "−")
}

fn filtered(look: &mut KindResults<'_>) -> Option<(bool, String)> {
    let (exr, without) = (look.zstd("EXR", 1)?.ratio, look.zstd("none", 1)?.ratio);
    let mut words = format!(
        "zstd 1: {without:.3} alone, {exr:.3} behind the filter of OpenEXR ({})",
        percent(exr / without)
    );
    let mut best = exr;
    if let Some(Total { ratio, .. }) = look.zstd("split + delta bytes", 1) {
        let more = percent(ratio / without);
        words += &format!(", {ratio:.3} with the real width of the values ({more})");
        best = best.max(ratio);
    }
    Some((best >= 1.1 * without, words))
}

fn levels(look: &mut KindResults<'_>) -> Option<(bool, String)> {
    let one = look.zstd("EXR", 1)?;
    let [three, minus, sixteen] =
        [look.zstd("EXR", 3)?, look.zstd("EXR", -5)?, look.zstd("EXR", 16)?];
    let slower = one.write_mb_s / sixteen.write_mb_s;
    let parts = [
        one.ratio >= 0.995 * three.ratio,
        minus.ratio <= 0.97 * one.ratio,
        sixteen.ratio <= 1.12 * one.ratio && slower >= 5.0,
    ];
    let words = format!(
        "level 1: {:.3}; against it level 3 {}, −5 {}, 16 {} and written {slower:.0} times as slowly",
        one.ratio,
        percent(three.ratio / one.ratio),
        percent(minus.ratio / one.ratio),
        percent(sixteen.ratio / one.ratio),
    );
    Some((parts == [true; 3], words))
}

fn zip(look: &mut KindResults<'_>) -> Option<(bool, String)> {
    let (four, six) = (look.at("EXR", "zlib", Some(4))?, look.at("EXR", "zlib", Some(6))?);
    let faster = four.write_mb_s / six.write_mb_s;
    let words = format!(
        "level 4: {:.3} at {:.0} MB/s; level 6: {:.3} at {:.0} MB/s ({}, {faster:.2} times as fast)",
        four.ratio,
        four.write_mb_s,
        six.ratio,
        six.write_mb_s,
        percent(four.ratio / six.ratio),
    );
    Some((four.ratio >= 0.97 * six.ratio && faster >= 1.2, words))
}

fn libdeflate(look: &mut KindResults<'_>) -> Option<(bool, String)> {
    let (ours, zlib) = (look.at("EXR", "libdeflate", Some(4))?, look.at("EXR", "zlib", Some(4))?);
    let write = ours.write_mb_s / zlib.write_mb_s;
    let read = ours.read_mb_s / zlib.read_mb_s;
    let words = format!(
        "level 4: libdeflate {:.3}, zlib {:.3} ({}); {write:.2} times as fast written, {read:.2} times read",
        ours.ratio,
        zlib.ratio,
        percent(ours.ratio / zlib.ratio),
    );
    Some((ours.ratio >= 0.98 * zlib.ratio && write >= 1.3 && read >= 1.3, words))
}

fn gradient(look: &mut KindResults<'_>) -> Option<(bool, String)> {
    let pairs = [
        ["delta integers + zigzag + split", "MED integers + zigzag + split"],
        ["split + delta bytes", "split + MED bytes"],
        // Of values that are bytes.
        ["delta integers + zigzag", "MED integers + zigzag"],
    ];
    let mut gains = Vec::new();
    let mut words = Vec::new();
    for (pair, of) in pairs.iter().zip(["integers", "bytes", "values"]) {
        let [Some(left), Some(gradient)] = pair.map(|filter| look.zstd(filter, 1)) else {
            continue;
        };
        gains.push(gradient.ratio / left.ratio);
        words.push(format!(
            "{of}: {:.3}, differences {:.3} ({})",
            gradient.ratio,
            left.ratio,
            percent(gradient.ratio / left.ratio)
        ));
    }
    (!gains.is_empty()).then(|| (gains.iter().all(|gain| *gain <= 1.02), words.join("; ")))
}

fn split(look: &mut KindResults<'_>) -> Option<(bool, String)> {
    if !look.results.arrays.iter().any(|a| a.kind == look.kind && a.value.is_float()) {
        return None;
    }
    look.width = Some(4);
    let four = look.zstd("split + delta bytes", 1)?.ratio;
    let two = look.zstd("16-bit split + delta bytes", 1)?.ratio;
    let words =
        format!("split four ways {four:.3}, in two {two:.3} (a factor of {:.2})", four / two);
    Some((four <= 1.05 * two, words))
}

fn zfp(look: &mut KindResults<'_>) -> Option<(bool, String)> {
    let names = ["ZFP", "ZFP + zstd 1", "ZFP integers", "ZFP integers + zstd 1"];
    let mut words = Vec::new();
    let mut best: f64 = 0.0;
    for name in names {
        if let Some(total) = look.at("none", name, None) {
            words.push(format!("{name} {:.3}", total.ratio));
            best = best.max(total.ratio);
        }
    }
    if words.is_empty() {
        return None;
    }
    let zip = look.at("EXR", "zlib", Some(4))?.ratio;
    Some((
        best < zip,
        format!("{}; zlib 4 behind the filter of OpenEXR {zip:.3}", words.join(", ")),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::{Layout, ValueType};
    use crate::results::{Cell, Interval};

    /// Results with these ratios and speeds of writing, of one array.
    fn results(kind: Kind, rows: &[(&str, &str, Option<i32>, f64, f64)]) -> Results {
        let array = Array {
            file: "a".into(),
            name: String::new(),
            kind,
            value: ValueType::F32,
            channels: vec!["Z".into()],
            layout: Layout::Rows { width: 1, rows: 1 },
            bytes: Vec::new(),
            whole_bytes: 4,
        };
        let mut results = Results { arrays: vec![array], ..Results::default() };
        for (filter, codec, level, ratio, mb_s) in rows {
            let (filter, codec) = ((*filter).to_owned(), (*codec).to_owned());
            let config = results.config(&Config { filter, codec, level: *level, chunk: USUAL });
            let ns = Interval::of(&[1e9 / mb_s]);
            results.cells.push(Cell {
                array: 0,
                config,
                raw_bytes: 1_000_000,
                packed_bytes: (1e6 / ratio) as u64,
                write_ns: ns,
                read_ns: ns,
                write_memory_bytes: None,
                read_memory_bytes: None,
            });
        }
        results
    }

    fn verdicts(results: &Results) -> Vec<Verdict> {
        statements(results).iter().map(Statement::verdict).collect()
    }

    #[test]
    fn the_study_as_it_was_holds() {
        let all = results(
            Kind::FloatColor,
            &[
                ("none", "zstd", Some(1), 1.52, 300.0),
                ("EXR", "zstd", Some(1), 2.06, 300.0),
                ("EXR", "zstd", Some(3), 2.05, 200.0),
                ("EXR", "zstd", Some(-5), 1.85, 600.0),
                ("EXR", "zstd", Some(16), 2.20, 10.0),
                ("EXR", "zlib", Some(4), 2.10, 100.0),
                ("EXR", "zlib", Some(6), 2.12, 50.0),
                ("EXR", "libdeflate", Some(4), 2.11, 200.0),
                ("split + delta bytes", "zstd", Some(1), 2.10, 300.0),
                ("split + MED bytes", "zstd", Some(1), 2.11, 300.0),
                ("16-bit split + delta bytes", "zstd", Some(1), 2.06, 300.0),
                ("none", "ZFP", None, 1.63, 100.0),
            ],
        );
        assert_eq!(verdicts(&all), [Verdict::Holds; 7]);
        let found = statements(&all);
        assert!(found[0].findings[0].words.contains("2.060"));
        assert_eq!(found[0].findings[0].configs.len(), 3);
        assert_eq!(found[6].to_json()["verdict"], "holds");
    }

    #[test]
    fn what_came_out_otherwise_does_not() {
        let all = results(
            Kind::Depth,
            &[
                ("none", "zstd", Some(1), 3.3, 300.0),
                ("EXR", "zstd", Some(1), 2.06, 300.0),
                ("EXR", "zlib", Some(4), 2.0, 100.0),
                ("EXR", "zlib", Some(6), 2.12, 90.0),
                ("EXR", "libdeflate", Some(4), 2.11, 90.0),
                ("delta integers + zigzag + split", "zstd", Some(1), 3.5, 300.0),
                ("MED integers + zigzag + split", "zstd", Some(1), 4.0, 300.0),
                ("split + delta bytes", "zstd", Some(1), 3.4, 300.0),
                ("16-bit split + delta bytes", "zstd", Some(1), 2.0, 300.0),
                ("none", "ZFP + zstd 1", None, 2.5, 100.0),
            ],
        );
        use Verdict::{Fails, NotMeasured};
        assert_eq!(verdicts(&all), [Fails, NotMeasured, Fails, Fails, Fails, Fails, Fails]);
    }

    #[test]
    fn kinds_may_differ() {
        let mut all = results(
            Kind::Depth,
            &[("none", "zstd", Some(1), 1.5, 300.0), ("EXR", "zstd", Some(1), 3.0, 300.0)],
        );
        let mut other = all.arrays[0].clone();
        other.kind = Kind::Ids;
        all.arrays.push(other);
        for (cell, packed_bytes) in [(0, 100_000), (1, 110_000)] {
            all.cells.push(Cell { array: 1, packed_bytes, ..all.cells[cell].clone() });
        }
        assert_eq!(verdicts(&all)[0], Verdict::Mixed);
        assert_eq!(verdicts(&all)[6], Verdict::NotMeasured);
    }
}
