//! `solio study order`: the order in which files are read.

use super::bars::{BarGroup, BarPage, StudyBar, short, three};
use crate::args::OrderArgs;
use crate::table::{bytes, count, figures, seconds};
use crate::{Outcome, asked, chart_page, schema, screen};
use serde_json::{Value, json};
use solio::{Middle, OrderStudy, OrderTime, Result, Work};

pub(crate) fn run(args: &OrderArgs) -> Result<Outcome> {
    let out = &args.out;
    out.output.as_deref().map_or(Ok(()), chart_page::check)?;
    let work = Work { cancel: asked::cancel()?, ..Work::default() };
    let study = solio::study_order(&args.folder, out.rounds.into(), &work, |order| {
        if !out.json {
            screen::say(order);
        }
    })?;
    let page = page(&study, args);
    if out.json {
        let paths = [("folder", &*args.folder)];
        screen::print(&schema::line("study-order/1", &paths, to_json(&study)));
    } else {
        screen::print(&page.text());
    }
    if let Some(path) = &out.output {
        page.write(path)?;
    }
    Ok(Outcome::Done)
}

fn to_json(study: &OrderStudy) -> Value {
    let first = study.orders.first();
    let orders = study.orders.iter().map(|order| {
        json!({
            "order": order.name,
            "ask_s": order.ask_s,
            "sort_s": order.sort_s,
            "read_s": three(&order.read()),
            "walls": order.read_s,
            "over_directory": first.map(|first| three(&over(order, first))),
            "model_s": order.model.total_s(),
            "model_wait_s": order.model.wait_s,
            "seeks": order.model.seeks,
            "travel_bytes": order.model.travel_bytes,
        })
    });
    let fragments = study.fragments.iter();
    let fragments =
        fragments.map(|(from, to, files)| json!({ "from": from, "to": to, "files": files }));
    json!({
        "files": study.files,
        "bytes": study.bytes,
        "placed_bytes": study.placed_bytes,
        "cold": study.is_cold,
        "fragments": fragments.collect::<Vec<_>>(),
        "drive": study.drive,
        "orders": orders.collect::<Vec<_>>(),
    })
}

/// Reading with what it costs to know the order, over reading in the order of the directories.
fn over(order: &OrderTime, first: &OrderTime) -> Middle {
    let all: Vec<f64> = order.read_s.iter().map(|s| s + order.ask_s + order.sort_s).collect();
    Middle::of_ratios(&all, &first.read_s)
}

fn page(study: &OrderStudy, args: &OrderArgs) -> BarPage {
    let mut rows = Vec::new();
    let first = &study.orders[0];
    for order in &study.orders {
        let (read, over) = (order.read(), over(order, first));
        rows.push(vec![
            order.name.into(),
            seconds(order.ask_s),
            seconds(order.sort_s),
            seconds(read.median),
            format!("{}–{}", short(read.low), short(read.high)),
            format!("× {}", figures(over.median)),
            seconds(order.model.total_s()),
            format!("× {}", figures(order.model.total_s() / first.model.total_s().max(1e-12))),
            count(order.model.seeks),
            bytes(order.model.travel_bytes),
        ]);
    }
    let bars = |value: fn(&OrderTime) -> Middle| {
        let orders = study.orders.iter();
        orders
            .map(|order| StudyBar { name: order.name.into(), value: value(order), is_own: false })
            .collect()
    };
    let model = |order: &OrderTime| {
        let total_s = order.model.total_s();
        Middle { median: total_s, low: total_s, high: total_s }
    };
    let histogram: Vec<String> = study
        .fragments
        .iter()
        .filter(|(.., files)| *files > 0)
        .map(|(from, to, files)| {
            let range = match (from, to) {
                (0, 0) => "no place of their own".into(),
                (1, 1) => "one fragment".into(),
                (from, &u32::MAX) => format!("{from} fragments and more"),
                (from, to) if from == to => format!("{from} fragments"),
                (from, to) => format!("{from} to {to} fragments"),
            };
            format!("{} with {range}", count(*files as u64))
        })
        .collect();
    let cold = if study.is_cold {
        "Each file was taken out of the page cache before each run, and came from the medium."
    } else {
        "Files were told to leave the page cache before each run, but not all came from the medium: what is \
         measured there is not the medium alone."
    };
    BarPage {
        title: "The order of reads",
        words: vec![format!(
            "{} files with {} in {}: {}.",
            count(study.files as u64),
            bytes(study.bytes),
            args.folder.display(),
            histogram.join(", "),
        )],
        groups: vec![
            BarGroup {
                name: "Read on this medium, one thread".into(),
                unit: "s",
                bars: bars(OrderTime::read),
            },
            BarGroup {
                name: format!("Read on a disk that turns: {}", study.drive),
                unit: "s",
                bars: bars(model),
            },
        ],
        columns: vec![
            "order",
            ">ask",
            ">sort",
            ">read",
            ">interval",
            ">of directory",
            ">modelled",
            ">of directory",
            ">seeks",
            ">travel",
        ],
        rows,
        remarks: vec![
            cold.into(),
            format!(
                "{} rounds in turns, medians. ask: to find out where files lie. of directory: all three over reading in \
                 the order that the directories list. travel: the way of the head in the model, in bytes passed over.",
                args.out.rounds
            ),
            format!("The file system says where {} lie.", bytes(study.placed_bytes)),
        ],
    }
}
