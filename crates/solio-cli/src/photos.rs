//! `solio photos`: photos and films, sorted by date.

use crate::args::PhotosArgs;
use crate::progress::ShownProgress;
use crate::stats::ReadMeter;
use crate::table::{TextTable, bytes, some, visible};
use crate::{Outcome, inputs, json_paths, options, schema, screen, terminal};
use serde_json::{Value, json};
use solio::{
    Error, PhotoAction, PhotoHow, PhotoRow, PhotosDone, PhotosOptions, PhotosPlan, Result, Work,
};
use std::path::Path;

/// Shows the plan, and carries it out where that was asked for.
pub(crate) fn run(args: &PhotosArgs) -> Result<Outcome> {
    let work = options::work(&args.run.work)?;
    if let Some(journal) = &args.undo {
        let done = solio::undo_photos(journal, &work)?;
        return Ok(told(&done, "put back", journal, args));
    }
    if let Some(journal) = &args.resume {
        let done = solio::resume_photos(journal, &work)?;
        return Ok(told(&done, "done", journal, args));
    }
    let filter = args.filter.filter()?;
    let inputs = inputs::files(&args.inputs, &work)?;
    if inputs.is_empty() {
        return Ok(inputs::none_named());
    }
    let wanted = PhotosOptions {
        how: args.how(),
        to: args.to.clone(),
        template: args.template.clone().or(args.rename.clone().flatten()),
        zone: args.zone.clone(),
        from_name: args.from_name,
        from_modified: args.from_mtime,
        filter: filter.clone(),
    };
    let reading = ReadMeter::start(&inputs, args.run.shown.stats, &work);
    let shown = ShownProgress::start(args.run.shown.progress, "photos", &work.progress);
    let plan = solio::plan_photos(&inputs, &wanted, &work);
    drop(shown);
    let plan = plan?;
    plan.failed.iter().for_each(|error| screen::fail_at_its_path(error, args.run.json));
    show(&plan, args);
    if args.run.shown.stats {
        reading.say(plan.rows.len() as u64, work.progress.now().read_bytes);
        inputs::say_left_out(&filter);
    }
    if plan.rows.is_empty() {
        if plan.failed.is_empty() {
            screen::complain("there are no photos or films");
            return Ok(Outcome::NothingMatched);
        }
        return Ok(Outcome::SomeFailed);
    }
    let is_all = plan.failed.is_empty() && plan.count("leave") == 0;
    let outcome = if is_all { Outcome::Done } else { Outcome::SomeFailed };
    if !args.apply || plan.count("go") == 0 {
        screen::say(&summary(&plan, args.apply));
        return Ok(outcome);
    }
    match apply(&plan, args, &work)? {
        Outcome::Done => Ok(outcome),
        other => Ok(other),
    }
}

fn apply(plan: &PhotosPlan, args: &PhotosArgs, work: &Work) -> Result<Outcome> {
    let usual = || solio::usual_journal(plan);
    let journal = args.journal.clone().or_else(usual);
    let journal = journal.ok_or_else(|| Error::argument("name a journal: --journal FILE"))?;
    let ended = |error: Error| match journal.exists() {
        true => {
            let path = journal.display();
            error.hint(format!("solio photos --resume {path} goes on, --undo {path} takes it back"))
        }
        false => error,
    };
    let done = solio::apply_photos(plan, &journal, work).map_err(ended)?;
    screen::say(&summary(plan, true));
    Ok(told(&done, past(plan.how), &journal, args))
}

/// `moved`, `copied`, `renamed`.
fn past(how: PhotoHow) -> &'static str {
    match how {
        PhotoHow::Move => "moved",
        PhotoHow::Copy => "copied",
        PhotoHow::Rename => "renamed",
    }
}

/// The plan as a table, or as lines of JSON.
fn show(plan: &PhotosPlan, args: &PhotosArgs) {
    if args.run.json {
        for row in &plan.rows {
            if screen::is_closed() {
                return;
            }
            screen::print(&line_of(row));
        }
        return;
    }
    let mut table = TextTable::new(&["file", "becomes", "date", "told by"]);
    let mut rows = 0;
    for row in &plan.rows {
        // What was done needs no list; what was not does.
        let is_shown = match row.action {
            PhotoAction::Go => !args.apply,
            PhotoAction::Stay => false,
            _ => true,
        };
        if is_shown {
            rows += 1;
            table.row(cells(row));
        }
    }
    if rows > 0 {
        screen::print(&table.render());
    }
}

fn cells(row: &PhotoRow) -> Vec<String> {
    let name = |path: &Path| terminal::name(path);
    let to = row.to.as_deref().map(name).unwrap_or_default();
    let becomes = match &row.action {
        PhotoAction::Leave(reason) => format!("– {reason}"),
        PhotoAction::Duplicate => format!("= {to}"),
        _ => to.to_string(),
    };
    let date = row.date.map(|date| date.at.format("%Y-%m-%d %H:%M:%S").to_string() + &offset(row));
    let source = row.date.map(|date| date.source.name().to_owned()).unwrap_or_default();
    let other = row.date_from.as_deref().filter(|path| *path != row.from);
    let source = match other.and_then(Path::file_name) {
        Some(other) => format!("{source} of {}", visible(&other.to_string_lossy())),
        None => source,
    };
    vec![name(&row.from).to_string(), becomes, date.unwrap_or_default(), source]
}

/// `+02:00`, or nothing where nobody says it.
fn offset(row: &PhotoRow) -> String {
    let Some(seconds) = row.date.and_then(|date| date.offset_s) else { return String::new() };
    let (sign, seconds) = (if seconds < 0 { '-' } else { '+' }, seconds.abs());
    format!("{sign}{:02}:{:02}", seconds / 3600, seconds / 60 % 60)
}

fn line_of(row: &PhotoRow) -> String {
    let reason = match &row.action {
        PhotoAction::Leave(reason) => Value::from(reason.as_str()),
        _ => Value::Null,
    };
    let date =
        row.date.map(|date| date.at.format("%Y-%m-%dT%H:%M:%S%.f").to_string() + &offset(row));
    let mut rest = json!({
        "action": row.action.name(),
        "reason": reason,
        "date": date,
        "source": row.date.map(|date| date.source.name()),
        "group": row.group,
    });
    if let (Some(object), Some(from)) = (rest.as_object_mut(), &row.date_from) {
        json_paths::put(object, "date_from", from);
    }
    let mut paths: Vec<(&str, &Path)> = vec![("from", &row.from)];
    paths.extend(row.to.as_deref().map(|to| ("to", to)));
    schema::line("photos/1", &paths, rest)
}

/// What becomes of how many.
fn summary(plan: &PhotosPlan, is_applied: bool) -> String {
    let mut parts = Vec::new();
    let mut part = |count: u64, what: &str| {
        if count > 0 {
            parts.push(format!("{} {what}", some(count, "file")));
        }
    };
    if !is_applied {
        part(plan.count("go"), &format!("to {} ({})", plan.how.name(), bytes(plan.bytes())));
    }
    part(plan.count("duplicate"), "there already with the same bytes");
    part(plan.count("stay"), "in place");
    part(plan.count("leave"), "left");
    part(plan.others, "of other kinds");
    if plan.count("go") == 0 && is_applied {
        parts.insert(0, "nothing to do".to_owned());
    }
    let parts = parts.join(", ");
    match is_applied || plan.count("go") == 0 {
        true => parts,
        false => format!("dry run: {parts}; nothing was changed, --apply does it"),
    }
}

/// Says what was done, and how to take it back.
fn told(done: &PhotosDone, what: &str, journal: &Path, args: &PhotosArgs) -> Outcome {
    done.failed.iter().for_each(|error| screen::fail_at_its_path(error, args.run.json));
    let is_undo = args.undo.is_some();
    if args.run.json {
        let line = json!({
            "done": what, "files": done.files, "bytes": done.bytes, "left": done.left, "failed": done.failed.len(),
        });
        screen::print(&schema::line("photos-done/1", &[("journal", journal)], line));
    } else {
        let files = some(done.files, "file");
        let undo = if is_undo || done.files == 0 {
            String::new()
        } else {
            format!("; to undo: solio photos --undo {}", terminal::name(journal))
        };
        screen::say(&format!("{files} {what}, {}{undo}", bytes(done.bytes)));
    }
    if done.left > 0 {
        let (left, path) = (some(done.left, "file"), journal.display());
        screen::complain(&format!(
            "the disk is full: {left} not begun\n  hint: free some space, then solio photos --resume {path}; or --undo {path}"
        ));
    }
    if done.failed.is_empty() { Outcome::Done } else { Outcome::SomeFailed }
}
