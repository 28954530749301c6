//! `solio light`: the machine's peaks, by which everything else is judged.

use crate::args::LightArgs;
use crate::table::{TextTable, bytes, figures};
use crate::{Outcome, options, schema, screen};
use serde_json::{Value, json};
use solio::{Error, Kept, Peak, Result};
use std::path::Path;

/// Measures, keeps and prints; or prints what was kept.
pub(crate) fn run(args: &LightArgs) -> Result<Outcome> {
    let work = options::work(&args.work)?;
    if args.last {
        return Ok(last(args));
    }
    if !args.dir.is_dir() {
        return Err(Error::argument("there is no such folder").at_path(&args.dir));
    }
    let peaks = solio::measure_machine(&args.dir, args.size, args.rounds.into(), &work)?;
    let kept = match solio::keep_peaks(&args.dir, args.size, &peaks) {
        Ok(path) => Some(path),
        Err(error) => {
            screen::complain(&format!("the peaks could not be kept: {error}"));
            None
        }
    };
    if args.json {
        let mut line = to_json(args.size, &peaks);
        line["cores"] = work.threads.into();
        line["cpu_tier"] = solio::cpu::tier().name().into();
        let mut paths = vec![("dir", &*args.dir)];
        match &kept {
            Some(kept) => paths.push(("kept", kept)),
            None => line["kept"] = Value::Null,
        }
        screen::print(&schema::line("light/1", &paths, line));
    } else {
        screen::print(&table(&peaks));
    }
    Ok(Outcome::Done)
}

/// What was measured before.
fn last(args: &LightArgs) -> Outcome {
    let Kept { peaks, note } = solio::kept_peaks(&args.dir);
    note.iter().for_each(|note| screen::complain(note));
    let Some(kept) = peaks else {
        screen::complain(&format!("no peaks are kept for this file system; {}", advice(&args.dir)));
        return Outcome::NothingMatched;
    };
    if args.json {
        let mut line = to_json(kept.scratch_bytes, &kept.peaks);
        line["dir"] = kept.folder.into();
        line["unix_s"] = kept.unix_s.into();
        line["medium"] = kept.medium.into();
        screen::print(&schema::line("light-last/1", &[], line));
    } else {
        let age = age(solio::unix_s().saturating_sub(kept.unix_s));
        let size = bytes(kept.scratch_bytes);
        let from = format!("{}, measured {age} in {} with {size}", kept.medium, kept.folder);
        screen::print(&format!("{from}\n\n{}", table(&kept.peaks)));
    }
    Outcome::Done
}

/// What to do where no peaks are kept.
pub(crate) fn advice(folder: &Path) -> String {
    format!("run `solio light {}` once", folder.display())
}

/// `3 hours ago`.
fn age(seconds: u64) -> String {
    let units = [(86_400, "day"), (3600, "hour"), (60, "minute")];
    match units.into_iter().find(|(length, _)| seconds >= *length) {
        None => "just now".into(),
        Some((length, unit)) => {
            let n = seconds / length;
            format!("{n} {unit}{} ago", if n == 1 { "" } else { "s" })
        }
    }
}

fn to_json(scratch_bytes: u64, peaks: &[Peak]) -> Value {
    let peaks: Vec<_> = peaks.iter().map(peak_json).collect();
    json!({ "scratch_bytes": scratch_bytes, "peaks": peaks })
}

fn peak_json(peak: &Peak) -> Value {
    json!({
        "name": peak.name,
        "threads": peak.threads,
        "mb_s": peak.mb_s,
        "why_not": peak.why_not,
    })
}

fn table(peaks: &[Peak]) -> String {
    let mut table = TextTable::new(&["peak", ">threads", ">MB/s"]);
    let mut notes = Vec::new();
    for peak in peaks {
        let rate = peak.mb_s.map_or("–".into(), figures);
        table.row(vec![peak.name.to_string(), peak.threads.to_string(), rate]);
        notes.extend(peak.why_not.as_deref());
    }
    notes.dedup();
    let mut text = table.render();
    for note in notes {
        text += &format!("– {note}\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_in_the_largest_unit() {
        assert_eq!(age(59), "just now");
        assert_eq!(age(60), "1 minute ago");
        assert_eq!(age(7300), "2 hours ago");
        assert_eq!(age(3 * 86_400), "3 days ago");
    }
}
