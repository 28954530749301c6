//! `solio study boxes`: boxes under transforms, and names without case.

use super::bars::{BarGroup, BarPage, StudyBar, three, verdict};
use crate::args::StudyOutputArgs;
use crate::table::figures;
use crate::{Outcome, asked, chart_page, schema, screen};
use serde_json::{Value, json};
use solio::{BoxGroup, Result};

pub(crate) fn run(out: &StudyOutputArgs) -> Result<Outcome> {
    out.output.as_deref().map_or(Ok(()), chart_page::check)?;
    let cancel = asked::cancel()?;
    let groups = solio::study_boxes(out.rounds.into(), &cancel, |work| {
        if !out.json {
            screen::say(work);
        }
    })?;
    let page = page(&groups, out);
    if out.json {
        screen::print(&schema::line("study-boxes/1", &[], to_json(&groups)));
    } else {
        screen::print(&page.text());
    }
    if let Some(path) = &out.output {
        page.write(path)?;
    }
    let is_right = groups.iter().all(|group| group.wrong.is_empty());
    Ok(if is_right { Outcome::Done } else { Outcome::SomeFailed })
}

fn to_json(groups: &[BoxGroup]) -> Value {
    let groups = groups.iter().map(|group| {
        let ways = group.ways.iter().map(|way| {
            json!({
                "way": way.name,
                "ns": three(&way.ns),
                "ticks": way.ticks,
                "over_ours": three(&way.over_ours),
                "right": !group.wrong.contains(&way.name),
            })
        });
        json!({
            "work": group.work,
            "unit": group.unit,
            "same": three(&group.same),
            "ways": ways.collect::<Vec<_>>(),
        })
    });
    json!({ "groups": groups.collect::<Vec<_>>(), "cpu_tier": solio::cpu::tier().name() })
}

fn page(groups: &[BoxGroup], out: &StudyOutputArgs) -> BarPage {
    let mut rows = Vec::new();
    for group in groups {
        for way in &group.ways {
            let wrong = if group.wrong.contains(&way.name) { " (wrong)" } else { "" };
            rows.push(vec![
                group.work.clone(),
                format!("{}{wrong}", way.name),
                figures(way.ns.median),
                format!("{}–{}", figures(way.ns.low), figures(way.ns.high)),
                figures(way.ticks),
                format!("× {}", figures(way.over_ours.median)),
            ]);
        }
    }
    let bars = groups.iter().map(|group| BarGroup {
        name: group.work.clone(),
        unit: if group.unit == "box" { "ns a box" } else { "ns a name" },
        bars: group
            .ways
            .iter()
            .map(|way| StudyBar {
                name: way.name.into(),
                value: way.ns,
                is_own: way.name.starts_with("Solio"),
            })
            .collect(),
    });
    BarPage {
        title: "Boxes, and names without case",
        words: Vec::new(),
        groups: bars.collect(),
        columns: vec!["work", "way", ">ns", ">interval", ">ticks", ">of ours"],
        rows,
        remarks: vec![
            format!(
                "One core ({}); {} rounds in turns, medians.",
                solio::cpu::tier().name(),
                out.rounds
            ),
            "Every box is checked against the eight corners in double precision, every name against its rule. \
             Solio's boxes leave room for rounding, the others do not."
                .into(),
            verdict(groups.iter().map(|group| group.same)),
        ],
    }
}
