//! `solio light`: the machine's peaks, by which everything else is judged.

use crate::args::LightArgs;
use crate::table::{Align, Table, figures};
use crate::{Outcome, options, screen};
use serde_json::json;
use solio::{Peak, Result};

/// Measures, prints.
pub(crate) fn run(args: &LightArgs) -> Result<Outcome> {
    let work = options::work(&args.work)?;
    let peaks = solio::measure_machine(&args.dir, args.size, args.rounds.into(), &work)?;
    if args.json {
        let peaks: Vec<_> = peaks.iter().map(to_json).collect();
        let line = json!({
            "dir": args.dir.to_string_lossy(),
            "scratch_bytes": args.size,
            "cores": work.threads,
            "cpu_tier": solio::cpu::tier().name(),
            "peaks": peaks,
        });
        screen::print(&format!("{line}\n"));
    } else {
        screen::print(&table(&peaks));
    }
    Ok(Outcome::Done)
}

fn to_json(peak: &Peak) -> serde_json::Value {
    json!({
        "name": peak.name,
        "threads": peak.threads,
        "mb_s": peak.mb_s,
        "why_not": peak.why_not,
    })
}

fn table(peaks: &[Peak]) -> String {
    use Align::{Left, Right};
    let mut table = Table::new(&[("peak", Left), ("threads", Right), ("MB/s", Right)]);
    let mut notes = Vec::new();
    for peak in peaks {
        let rate = peak.mb_s.map_or("–".into(), figures);
        table.row(vec![peak.name.into(), peak.threads.to_string(), rate]);
        notes.extend(peak.why_not);
    }
    notes.dedup();
    let mut text = table.render();
    for note in notes {
        text += &format!("– {note}\n");
    }
    text
}
