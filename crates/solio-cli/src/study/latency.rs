//! `solio study latency`: small reads beside bulk reads.

use super::bars::{BarGroup, BarPage, StudyBar};
use crate::args::LatencyArgs;
use crate::table::figures;
use crate::{Outcome, asked, chart_page, schema, screen};
use serde_json::{Value, json};
use solio::{Error, LatencyOptions, LatencyRow, Middle, Result};
use std::io::Write;
use std::time::Duration;

/// Of the file that is made where none is named.
const BULK_BYTES: usize = 256 << 20;

pub(crate) fn run(args: &LatencyArgs) -> Result<Outcome> {
    args.output.as_deref().map_or(Ok(()), chart_page::check)?;
    let cancel = asked::cancel()?;
    // Held until all was read.
    let made;
    let path = match &args.input {
        Some(path) if !path.is_dir() => path.clone(),
        folder => {
            made = bulk_file(folder.as_deref().unwrap_or(std::path::Path::new(".")))?;
            made.path().to_owned()
        }
    };
    let options = LatencyOptions {
        samples: args.samples.into(),
        small_bytes: args.size,
        every: Duration::from_micros(args.every_us),
        direct: !args.warm,
        bytes_per_second: args.bwlimit,
        file: path,
    };
    let rows = solio::study_latency(&options, &cancel, |way| {
        if !args.json {
            screen::say(way);
        }
    })?;
    let page = page(&rows, &options);
    if args.json {
        screen::print(&schema::line("study-latency/1", &[], to_json(&rows, &options)));
    } else {
        screen::print(&page.text());
    }
    if let Some(path) = &args.output {
        page.write(path)?;
    }
    Ok(Outcome::Done)
}

fn bulk_file(folder: &std::path::Path) -> Result<tempfile::NamedTempFile> {
    let failed = |e| Error::io("make a file to read", e).at_path(folder);
    let mut file =
        tempfile::Builder::new().prefix(".solio-study-").tempfile_in(folder).map_err(failed)?;
    // Bytes that no file system packs.
    let mut state = 1u64;
    let block: Vec<u8> = std::iter::repeat_with(|| {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        (state >> 56) as u8
    })
    .take(1 << 20)
    .collect();
    for _ in 0..BULK_BYTES / block.len() {
        file.write_all(&block).map_err(failed)?;
    }
    file.as_file().sync_all().map_err(failed)?;
    Ok(file)
}

const QUANTILES: [(&str, f64); 3] = [("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999)];

fn bulk_alone(rows: &[LatencyRow]) -> f64 {
    rows.first().and_then(|row| row.bulk_mb_s).unwrap_or(f64::NAN)
}

fn to_json(rows: &[LatencyRow], options: &LatencyOptions) -> Value {
    let alone = bulk_alone(rows);
    let ways = rows.iter().map(|row| {
        let [p50, p99, p999] = QUANTILES.map(|(_, share)| row.quantile(share));
        json!({
            "way": row.way,
            "samples": row.seconds.len(),
            "p50_s": p50,
            "p99_s": p99,
            "p999_s": p999,
            "most_s": row.seconds.last(),
            "bulk_mb_s": row.bulk_mb_s,
            "of_bulk_alone": row.bulk_mb_s.map(|rate| rate / alone),
        })
    });
    json!({
        "small_bytes": options.small_bytes,
        "every_s": options.every.as_secs_f64(),
        "direct": options.direct,
        "bwlimit": options.bytes_per_second,
        "ways": ways.collect::<Vec<_>>(),
    })
}

fn ms(seconds: Option<f64>) -> String {
    seconds.map_or("–".into(), |s| format!("{} ms", figures(1e3 * s)))
}

fn page(rows: &[LatencyRow], options: &LatencyOptions) -> BarPage {
    let alone = bulk_alone(rows);
    let cells = rows.iter().map(|row| {
        let [p50, p99, p999] = QUANTILES.map(|(_, share)| ms(row.quantile(share)));
        vec![
            row.way.into(),
            row.seconds.len().to_string(),
            p50,
            p99,
            p999,
            ms(row.seconds.last().copied()),
            row.bulk_mb_s.map_or("–".into(), |rate| format!("{} MB/s", figures(rate))),
            row.bulk_mb_s
                .map_or("–".into(), |rate| format!("{} %", figures(100.0 * rate / alone))),
        ]
    });
    let groups = QUANTILES.iter().map(|(name, share)| {
        let bars = rows.iter().filter_map(|row| {
            let value = 1e3 * row.quantile(*share)?;
            let value = Middle { median: value, low: value, high: value };
            Some(StudyBar { name: row.way.into(), value, is_own: false })
        });
        BarGroup { name: (*name).into(), unit: "ms", bars: bars.collect() }
    });
    let medium = match (options.direct, options.bytes_per_second) {
        (_, Some(rate)) => {
            format!("all reads together held to {} MB/s", figures(rate as f64 * 1e-6))
        }
        (true, None) => "past the page cache".into(),
        (false, None) => "from the page cache".into(),
    };
    BarPage {
        title: "Small reads beside bulk reads",
        words: Vec::new(),
        groups: groups.filter(|group| !group.bars.is_empty()).collect(),
        columns: vec![
            "way",
            ">reads",
            ">p50",
            ">p99",
            ">p99.9",
            ">most",
            ">bulk",
            ">of bulk alone",
        ],
        rows: cells.collect(),
        remarks: vec![
            format!(
                "Small reads of {} kB, one {} ms after the other; bulk reads of 1 MiB with low priority, more than 64 of \
                 them asked for ahead; {medium}.",
                figures(options.small_bytes as f64 * 1e-3),
                figures(1e3 * options.every.as_secs_f64()),
            ),
            "raised to high: asked for with the priority of the bulk, and raised while it waits."
                .into(),
            "A quantile that no read lies above is not known: –.".into(),
        ],
    }
}
