//! `solio study modes`: ways to run ExifTool.

use super::bars::{BarGroup, BarPage, StudyBar, short, three};
use crate::args::ModesArgs;
use crate::table::{bytes, count, figures};
use crate::{Outcome, asked, chart_page, inputs, schema, screen};
use serde_json::{Value, json};
use solio::{Error, Filter, ModeOptions, ModeStudy, ModeTime, Result, Work};

pub(crate) fn run(args: &ModesArgs) -> Result<Outcome> {
    args.output.as_deref().map_or(Ok(()), chart_page::check)?;
    let work = Work { cancel: asked::cancel()?, ..Work::default() };
    let (files, failed) =
        solio::files_below(&inputs::files(&args.inputs, &work)?, &Filter::usual(), &work)?;
    failed.iter().for_each(screen::complain_of);
    if files.is_empty() {
        return Ok(inputs::none_found());
    }
    let own = std::env::current_exe().map_err(|e| Error::io("find this program", e))?;
    let mut options = ModeOptions::new(files, own);
    options.rounds = args.rounds.into();
    if let Some(program) = &args.exiftool {
        options.exiftool.clone_from(program);
    }
    let study = solio::study_modes(&options, &work, |mode| {
        if !args.json {
            screen::say(mode);
        }
    })?;
    let page = page(&study, args);
    if args.json {
        screen::print(&schema::line("study-modes/1", &[], to_json(&study)));
    } else {
        screen::print(&page.text());
    }
    if let Some(path) = &args.output {
        page.write(path)?;
    }
    let is_whole =
        study.modes.iter().all(|mode| mode.results.is_none_or(|results| results == study.files));
    Ok(if is_whole { Outcome::Done } else { Outcome::SomeFailed })
}

fn to_json(study: &ModeStudy) -> Value {
    let modes = study.modes.iter().map(|mode| {
        json!({
            "mode": mode.name,
            "tags": mode.tags,
            "processes": mode.processes,
            "wall_s": three(&mode.wall()),
            "cpu_s": solio::median(&mode.cpu_s),
            "wall_ms_per_file": 1e3 * mode.wall().median / study.files as f64,
            "results": mode.results,
            "unicode": mode.unicode,
        })
    });
    json!({
        "exiftool": study.version,
        "files": study.files,
        "unicode": study.unicode,
        "file_bytes": study.bytes,
        "modes": modes.collect::<Vec<_>>(),
    })
}

fn page(study: &ModeStudy, args: &ModesArgs) -> BarPage {
    let each = 1e3 / study.files as f64;
    let of = |tags: &'static str| study.modes.iter().filter(move |mode| mode.tags == tags);
    let tags = ["all tags", "three dates"];
    let rows = study.modes.iter().map(|mode| {
        let wall = mode.wall();
        // The plainest way, one process after the other.
        let plain = of(mode.tags).nth(1).map_or(f64::NAN, |mode| mode.wall().median);
        vec![
            mode.name.clone(),
            mode.tags.into(),
            count(mode.processes as u64),
            short(wall.median),
            format!("{}–{}", short(wall.low), short(wall.high)),
            figures(wall.median * each),
            figures(solio::median(&mode.cpu_s) * each),
            format!("× {}", figures(plain / wall.median)),
            mode.results.map_or("–".into(), |results| {
                format!("{} of {}", count(results as u64), count(study.files as u64))
            }),
            mode.results.map_or("–".into(), |_| format!("{} of {}", mode.unicode, study.unicode)),
        ]
    });
    let bar = |mode: &ModeTime| {
        let mut value = mode.wall();
        for part in [&mut value.median, &mut value.low, &mut value.high] {
            *part *= each;
        }
        StudyBar {
            name: mode.name.clone(),
            value,
            is_own: mode.name.to_lowercase().contains("solio"),
        }
    };
    let groups = tags.map(|tags| BarGroup {
        name: tags.into(),
        unit: "ms a file",
        bars: of(tags).map(bar).collect(),
    });
    BarPage {
        title: "Ways to run ExifTool",
        words: vec![format!(
            "ExifTool {} over {} files with {}, {} of them with names beyond ASCII.",
            study.version,
            count(study.files as u64),
            bytes(study.bytes),
            count(study.unicode as u64),
        )],
        groups: groups.into(),
        columns: vec![
            "way", "tags", ">programs", ">seconds", ">interval", ">ms a file", ">CPU ms a file", ">as fast", ">results",
            ">Unicode",
        ],
        rows: rows.collect(),
        remarks: vec![
            format!("{} rounds in turns, medians; the files are in the page cache.", args.rounds),
            "results: files of which a way told something, each once. Unicode: those of them with names beyond ASCII. \
             as fast: one process a file, over this."
                .into(),
        ],
    }
}
