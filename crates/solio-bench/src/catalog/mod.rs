//! `solio-bench catalog`: rows into a fresh catalogue, without the files that they speak of; or the
//! kinds of the files of trees, without a catalogue.

mod kinds;

use crate::files::{temporary_folder, whole};
use crate::turns::timed;
use clap::Args;
use serde_json::json;
use solio::catalog::row::{Cells, Level, Row, column};
use solio::catalog::store::{Query, Store};
use solio::{Cancel, Error, Result, Usage};
use solio_cli::args::WorkArgs;
use solio_cli::table::{count, figures};
use solio_cli::{Outcome, schema, screen};
use solio_io::probe::write_plain;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Frames in a folder, and rows that are committed together, as a scan does it.
const FRAMES: u64 = 100;
const BATCH: usize = 8192;

#[derive(Debug, Args)]
pub(crate) struct CatalogBenchArgs {
    /// So many rows
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    pub(crate) rows: u64,
    /// Insert nothing; walk these folders and tell the kind of every file, as a scan does
    #[arg(long, value_name = "ROOT", num_args = 1.., conflicts_with = "rows")]
    pub(crate) kinds: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) work: WorkArgs,
    /// Print JSON instead of words
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(args: &CatalogBenchArgs) -> Result<Outcome> {
    if !args.kinds.is_empty() {
        return kinds::run(args);
    }
    let folder = temporary_folder()?;
    let path = folder.path().join("bench.sqlite");
    let took = insert(&path, args.rows)?;
    let (rows, bytes) = what_is_there(&path)?;
    let wanted = (0..args.rows).map(size_of).sum::<u64>();
    if (rows, bytes) != (args.rows, wanted) {
        return Err(Error::corrupt("the catalogue holds other rows than were put").at_path(path));
    }
    if args.json {
        let plain = plainly(folder.path(), &path)?;
        let ratio = took.wall_s / plain.wall_s;
        let line = json!({
            "case": format!("insert {} rows", count(rows)), "rows": rows,
            "peer": "plain write of as many bytes", "rounds": 1,
            "wall_s": took.wall_s, "cpu_s": took.cpu_s,
            "peer_wall_s": plain.wall_s, "peer_cpu_s": plain.cpu_s,
            "ratio_wall": [ratio, ratio, ratio],
            "answer": format!("{rows} rows, {bytes} bytes"),
        });
        screen::print(&schema::line("bench/1", &[], line));
    } else {
        screen::print(&format!(
            "{} rows in {} s ({} s of CPU), {} rows/s\n",
            count(rows),
            figures(took.wall_s),
            figures(took.cpu_s),
            count((rows as f64 / took.wall_s) as u64),
        ));
    }
    Ok(Outcome::Done)
}

/// What it takes to write the bytes of the catalogue without making it.
fn plainly(folder: &Path, catalogue: &Path) -> Result<Usage> {
    let bytes = whole(catalogue)?;
    Ok(timed(|| write_plain(&folder.join("plain"), &bytes))?.0)
}

/// Puts `rows` rows, from opening to closing; what is not counted is the making of the rows.
fn insert(path: &Path, rows: u64) -> Result<Usage> {
    let (mut took, mut store) = timed(|| Store::open(path))?;
    let mut add = |usage: Usage| {
        took.wall_s += usage.wall_s;
        took.cpu_s += usage.cpu_s;
    };
    let mut batch = Vec::new();
    let mut folder: Arc<[u8]> = Arc::from(*b"");
    for number in 0..rows {
        if number % FRAMES == 0 {
            folder =
                format!("/projects/show/shot{:06}/beauty", number / FRAMES).into_bytes().into();
        }
        batch.push(row(&folder, number));
        if batch.len() == BATCH || number + 1 == rows {
            add(timed(|| store.put(&batch).and_then(|_| store.commit()))?.0);
            batch.clear();
        }
    }
    add(timed(|| store.close())?.0);
    Ok(took)
}

fn size_of(number: u64) -> u64 {
    1_000_000 + number * 7919 % 1_000_000
}

/// A frame of a render, as a scan finds it.
fn row(folder: &Arc<[u8]>, number: u64) -> Row {
    let frame = 1001 + number % FRAMES;
    let mut cells = Cells::default();
    for (place, value) in [
        (column::SIZE, size_of(number)),
        (column::MODIFIED_NS, 1_700_000_000_000_000_000 + number * 1_234_567),
        (column::INODE, 10_000_000 + number),
        (column::WIDTH, 1920),
        (column::HEIGHT, 1080),
        (column::PARTS, 1),
        (column::FRAME, frame),
        (column::LEVEL, Level::HEAD.0.into()),
    ] {
        cells.set_integer(place, value);
    }
    for (place, text) in [
        (column::KIND, "exr"),
        (column::CHANNELS, "A,B,G,R,depth.Z"),
        (column::COMPRESSION, "ZIP"),
        (column::SEQUENCE, "beauty.#.exr"),
    ] {
        cells.set_text(place, text);
    }
    let name = format!("beauty.{frame}.exr").into_bytes().into();
    Row { folder: Arc::clone(folder), name, cells }
}

/// Rows of the catalogue, and the sum of their sizes.
fn what_is_there(path: &Path) -> Result<(u64, u64)> {
    use solio::catalog::store::Answer::Integer;
    let mut found = (0, 0);
    let query = Query::open(path, &Cancel::default())?;
    query.ask("SELECT count(*), sum(size) FROM entries", |_, values| {
        if let Some([Integer(rows), Integer(bytes)]) = values.as_deref() {
            found = (*rows as u64, *bytes as u64);
        }
        Ok(true)
    })?;
    Ok(found)
}
