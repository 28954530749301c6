//! `solio-bench io`: case folding of file names.

use crate::{KernelBenchArgs, fold};
use serde_json::{Value, json};
use solio::Result;
use solio_cli::table::{DIM, TextTable};
use solio_cli::{Outcome, schema, screen};

/// `solio-bench io`
pub(crate) fn run(args: &KernelBenchArgs) -> Result<Outcome> {
    let lines = fold::measure(if args.quick { 21 } else { 101 });
    if args.json {
        lines.iter().for_each(|line| screen::print(&schema::line("bench/1", &[], fold_json(line))));
    } else {
        screen::print(&fold_table(&lines));
    }
    Ok(Outcome::Done)
}

fn fold_json(line: &fold::FoldLine) -> Value {
    json!({
        "case": format!("fold {}", line.work),
        "way": line.way,
        "peer": line.peer,
        "gb_s": line.gb_s,
        "ns": line.ns,
        "times_faster": line.ratio.json(),
        "same": line.same.json(),
        "quiet": line.same.is_quiet(),
        "answer": format!("{} bytes as expected", line.answer_bytes),
    })
}

fn fold_table(lines: &[fold::FoldLine]) -> String {
    let mut table = TextTable::new(&[
        "case folding, one core",
        "way",
        ">GB/s",
        ">ns a call",
        ">× first",
        ">interval",
        ">A/A",
    ]);
    for line in lines {
        table.row(vec![
            line.work.into(),
            line.way.clone(),
            format!("{:.2}", line.gb_s),
            format!("{:.1}", line.ns),
            format!("{:.2}", line.ratio.median),
            format!("{:.2}–{:.2}", line.ratio.low, line.ratio.high),
            format!("{:.2}", line.same.median),
        ]);
    }
    let note = "× first: how many times as fast as the first way of the same work.";
    format!("{}{DIM}{note}{DIM:#}\n", table.render())
}
