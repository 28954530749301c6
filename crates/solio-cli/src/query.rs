//! `solio query`: questions to a catalogue.

use crate::args::{QueryArgs, Since};
use crate::table::{BOLD, csv_cell, padded, safe_cell, visible};
use crate::{Outcome, asked, screen};
use serde_json::{Map, Value};
use solio::catalog::store::{Answer, Query};
use solio::{Error, Result};

/// Rows that are laid out together: more would have to wait for the last one.
const LAID_OUT: usize = 1000;

/// Asks, and prints the rows as they come.
pub(crate) fn run(args: &QueryArgs) -> Result<Outcome> {
    let cancel = asked::cancel()?;
    let query =
        Query::open(&args.catalog, &cancel).map_err(|error| match args.catalog.exists() {
            true => error,
            false => error.hint("solio scan FOLDER -o CATALOGUE makes one"),
        })?;
    let of_history = args.since.map(|since| {
        let from = match since {
            Since::Scan(scan) => format!("scan > {scan}"),
            Since::Time(ns) => format!("begun_ns >= {ns}"),
        };
        format!(
            "SELECT scan, scanned, what, path, old_path, old_size, size FROM history WHERE {from}"
        )
    });
    let Some(sql) = args.sql.as_ref().or(of_history.as_ref()) else {
        query.views()?.iter().for_each(|view| screen::print(&format!("{view}\n")));
        return Ok(Outcome::Done);
    };
    let mut shown = QueryRows { args, widths: Vec::new(), rows: Vec::new(), any: false };
    query
        .ask(sql, |names, row| {
            match row {
                None => shown.head(names)?,
                Some(row) => shown.row(names, row),
            }
            Ok(!screen::is_closed())
        })
        .map_err(|error| match error.message().contains("no such table") {
            true => error.hint("without a question solio query lists the views"),
            false => error,
        })?;
    shown.flush();
    // Whoever reads no further may not have waited for the first row.
    Ok(if shown.any || screen::is_closed() { Outcome::Done } else { Outcome::NothingMatched })
}

/// Rows on their way to the screen.
struct QueryRows<'a> {
    args: &'a QueryArgs,
    widths: Vec<usize>,
    rows: Vec<Vec<String>>,
    any: bool,
}

impl QueryRows<'_> {
    fn head(&mut self, names: &[&str]) -> Result<()> {
        let again = names.iter().enumerate().find(|(i, name)| names[..*i].contains(name));
        if let (Some((_, name)), true) = (again, self.args.json) {
            return Err(Error::argument(format!("two columns of the answer are called {name:?}"))
                .hint("an object has a name once: SELECT a.path AS first, b.path AS second"));
        }
        match self.args {
            QueryArgs { csv: true, .. } | QueryArgs { csv_safe: true, .. } => {
                screen::print(&csv(names.iter().copied()))
            }
            QueryArgs { json: true, .. } | QueryArgs { print0: true, .. } => {}
            _ => self.lay_out(names.iter().map(|name| (*name).to_owned()).collect()),
        }
        Ok(())
    }

    fn row(&mut self, names: &[&str], row: Vec<Answer>) {
        self.any = true;
        if self.args.print0 {
            if let Some(first) = row.into_iter().next() {
                screen::print_bytes(&[bytes(first), vec![0]].concat());
            }
        } else if self.args.json {
            let values = names.iter().map(|name| (*name).to_owned()).zip(row.into_iter().map(json));
            screen::print(&format!("{}\n", Value::Object(Map::from_iter(values))));
        } else if self.args.csv || self.args.csv_safe {
            let is_safe = self.args.csv_safe;
            // A number is not a formula, whatever its sign.
            let cell = |value: Answer| match value {
                Answer::Text(text) if is_safe => safe_cell(&text).into_owned(),
                value => text(value),
            };
            let cells: Vec<String> = row.into_iter().map(cell).collect();
            screen::print(&csv(cells.iter().map(String::as_str)));
        } else {
            self.lay_out(row.into_iter().map(|value| visible(&text(value)).into_owned()).collect());
        }
    }

    /// Rows wait until their widths are known; a long answer keeps those of its beginning.
    fn lay_out(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
        if self.rows.len() == LAID_OUT {
            self.flush();
        }
    }

    fn flush(&mut self) {
        let is_head = self.widths.is_empty();
        for row in &self.rows {
            self.widths.resize(row.len(), 0);
            for (width, cell) in self.widths.iter_mut().zip(row) {
                *width = (*width).max(cell.chars().count());
            }
        }
        let mut lines = String::new();
        for (i, row) in self.rows.drain(..).enumerate() {
            let padded = row.iter().zip(&self.widths).map(|(cell, width)| padded(cell, *width));
            let line = padded.collect::<Vec<_>>().join("  ");
            match line.trim_end() {
                line if is_head && i == 0 => lines += &format!("{BOLD}{line}{BOLD:#}\n"),
                line => lines += &format!("{line}\n"),
            }
        }
        screen::print(&lines);
    }
}

/// As people read it; bytes are only counted.
fn text(value: Answer) -> String {
    match value {
        Answer::Null => String::new(),
        Answer::Integer(value) => value.to_string(),
        Answer::Real(value) => value.to_string(),
        Answer::Text(text) => text,
        Answer::Bytes(bytes) => format!("({} bytes)", bytes.len()),
    }
}

/// As it is.
fn bytes(value: Answer) -> Vec<u8> {
    match value {
        Answer::Bytes(bytes) => bytes,
        other => text(other).into_bytes(),
    }
}

fn json(value: Answer) -> Value {
    match value {
        Answer::Null => Value::Null,
        Answer::Integer(value) => value.into(),
        Answer::Real(value) => value.into(),
        Answer::Text(text) => text.into(),
        Answer::Bytes(bytes) => bytes.into(),
    }
}

/// A line of comma-separated values (RFC 4180).
fn csv<'c>(cells: impl Iterator<Item = &'c str>) -> String {
    let cells: Vec<String> = cells.map(csv_cell).collect();
    cells.join(",") + "\n"
}
