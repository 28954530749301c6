//! `solio study numbers`: numbers as text, by all ways that are known.

use super::bars::{BarGroup, BarPage, StudyBar, three, verdict};
use crate::args::NumbersArgs;
use crate::limit::percent;
use crate::table::{count, figures, seconds};
use crate::{Outcome, asked, chart_page, schema, screen, synthetic_mesh};
use serde_json::{Value, json};
use solio::{MeshReadOptions, NumberStudy, Result, Work};

/// Of the mesh that is taken where none is named.
const DETAIL: usize = 64;

pub(crate) fn run(args: &NumbersArgs) -> Result<Outcome> {
    let out = &args.out;
    out.output.as_deref().map_or(Ok(()), chart_page::check)?;
    let work = Work { cancel: asked::cancel()?, ..Work::default() };
    let scene = match &args.input {
        Some(path) => solio::read_mesh(path, &MeshReadOptions::default(), &work)?,
        None => synthetic_mesh::scene(DETAIL),
    };
    let study = solio::study_numbers(&scene, out.rounds.into(), &work.cancel, |group| {
        if !out.json {
            screen::say(group);
        }
    })?;
    if out.json {
        screen::print(&schema::line("study-numbers/1", &[], to_json(&study)));
    }
    let page = page(&study, args);
    if !out.json {
        screen::print(&page.text());
    }
    if let Some(path) = &out.output {
        page.write(path)?;
    }
    // A wrong text is an error in its writer; nothing is timed.
    let wrong = study.groups.iter().flat_map(|group| &group.ways).any(|way| way.wrong > 0);
    Ok(if wrong { Outcome::SomeFailed } else { Outcome::Done })
}

fn to_json(study: &NumberStudy) -> Value {
    let groups = study.groups.iter().map(|group| {
        let ways = group.ways.iter().map(|way| {
            json!({
                "way": way.time.name,
                "ns": three(&way.time.ns),
                "ticks": way.time.ticks,
                "over_ours": three(&way.time.over_ours),
                "bytes": way.bytes,
                "wrong": way.wrong,
                "share_of_export": way.share_of_export,
            })
        });
        json!({
            "text": group.text,
            "number": group.number,
            "of": group.of,
            "same": three(&group.same),
            "ways": ways.collect::<Vec<_>>(),
        })
    });
    json!({
        "groups": groups.collect::<Vec<_>>(),
        "export_s": study.export_s,
        "export_numbers": study.export_numbers,
        "cpu_tier": solio::cpu::tier().name(),
    })
}

fn page(study: &NumberStudy, args: &NumbersArgs) -> BarPage {
    let mut rows = Vec::new();
    for group in &study.groups {
        for way in &group.ways {
            let wrong = if way.wrong > 0 {
                format!(", {} wrong", count(way.wrong as u64))
            } else {
                String::new()
            };
            rows.push(vec![
                format!("{}, {}, {}", group.text, group.number, group.of),
                format!("{}{wrong}", way.time.name),
                figures(way.time.ns.median),
                format!("{}–{}", figures(way.time.ns.low), figures(way.time.ns.high)),
                figures(way.time.ticks),
                figures(way.bytes),
                format!("× {}", figures(way.time.over_ours.median)),
                way.share_of_export.map_or("–".into(), percent),
            ]);
        }
    }
    let groups = study.groups.iter().map(|group| BarGroup {
        name: format!("{}, {}, {}", group.text, group.number, group.of),
        unit: "ns",
        bars: group
            .ways
            .iter()
            .map(|way| StudyBar {
                name: way.time.name.into(),
                value: way.time.ns,
                is_own: way.time.name.starts_with("Solio"),
            })
            .collect(),
    });
    let mesh = args
        .input
        .as_ref()
        .map_or("the mesh of solio demo".into(), |path| path.display().to_string());
    BarPage {
        title: "Numbers as text",
        words: vec![format!(
            "Coordinates are those of {mesh}. Written as OBJ into memory by one thread it takes {}, with {} numbers \
             beside the indices.",
            seconds(study.export_s),
            count(study.export_numbers as u64),
        )],
        groups: groups.collect(),
        columns: vec!["text", "way", ">ns", ">interval", ">ticks", ">bytes", ">of ours", ">of export"],
        rows,
        remarks: vec![
            format!(
                "One core ({}), a text behind the other in memory that is reused; {} rounds in turns, medians.",
                solio::cpu::tier().name(),
                args.out.rounds,
            ),
            "Each fixed text is that of std; each shortest one reads back to the same number. printf has no \
             shortest text: 9 and 17 digits."
                .into(),
            "of export: the part that the numbers would take of writing the mesh that way, all else being as it is."
                .into(),
            verdict(study.groups.iter().map(|group| group.same)),
        ],
    }
}
