//! Peers that there are for Python only: a program gets the arrays and says what came out.

use serde_json::{Value, json};
use solio_base::{Error, Result, Work};
use solio_io::child::start_tied;
use solio_lab::{Array, Cell, ChunkSize, Config, Interval, Layout, Refused, Results};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

/// What Python runs; it names the packages that it knows.
const PROGRAM: &str = include_str!("peers.py");

/// What the peers said.
#[derive(Debug, Default)]
pub(super) struct Peers {
    rows: Vec<Value>,
}

impl Peers {
    /// Runs the peers that `python` has on all arrays; none without it.
    ///
    /// # Errors
    /// When the program cannot be started, or fails.
    pub(super) fn run(python: Option<&Path>, arrays: &[Array], work: &Work) -> Result<Peers> {
        let Some(python) = python else { return Ok(Peers::default()) };
        let failed = |e| Error::io("run the peers", e).at_path(python);
        let mut command = Command::new(python);
        command.args(["-c", PROGRAM]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = start_tied(command).map_err(failed)?;
        let (Some(mut to), Some(from)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Error::argument("the peers have no pipes"));
        };
        // It may say much before it has read all.
        let (given, rows) = std::thread::scope(|scope| {
            let giving = scope.spawn(move || -> std::io::Result<()> {
                for array in arrays {
                    writeln!(to, "{}", head(array))?;
                    to.write_all(&array.bytes)?;
                }
                Ok(())
            });
            let mut rows = Vec::new();
            for line in BufReader::new(from).lines().map_while(|line| line.ok()) {
                if work.cancel.is_cancelled() {
                    let _ = child.kill(); // it has ended by itself, or does now
                    break;
                }
                rows.extend(serde_json::from_str::<Value>(&line));
            }
            (giving.join(), rows)
        });
        let status = child.wait().map_err(failed)?;
        work.cancel.check()?;
        if !status.success() || !matches!(given, Ok(Ok(()))) {
            let message = format!("the peers failed ({status})");
            return Err(Error::argument(message).at_path(python));
        }
        Ok(Peers { rows })
    }

    /// Adds what they said to `results`.
    pub(super) fn add_to(self, results: &mut Results, notes: &mut Vec<String>) {
        for row in self.rows {
            if let Some(note) = row["note"].as_str() {
                notes.push(note.to_owned());
                continue;
            }
            let array = row["array"].as_u64().and_then(|n| usize::try_from(n).ok());
            let (Some(array), Some(codec)) = (array, row["codec"].as_str()) else { continue };
            if array >= results.arrays.len() {
                continue;
            }
            let level = row["level"].as_i64().and_then(|level| i32::try_from(level).ok());
            let (filter, codec) = ("own".to_owned(), codec.to_owned());
            let config = Config { filter, codec, level, chunk: ChunkSize::Own };
            if let Some(reason) = row["refused"].as_str() {
                results.refused.push(Refused { array, config, reason: reason.to_owned() });
                continue;
            }
            let samples = |name: &str| {
                let list = row[name].as_array().into_iter().flatten();
                Interval::of(&list.filter_map(Value::as_f64).collect::<Vec<_>>())
            };
            let config = results.config(&config);
            results.cells.push(Cell {
                array,
                config,
                raw_bytes: row["raw_bytes"].as_u64().unwrap_or(0),
                packed_bytes: row["packed_bytes"].as_u64().unwrap_or(0),
                write_ns: samples("write_ns"),
                read_ns: samples("read_ns"),
                write_memory_bytes: None,
                read_memory_bytes: None,
            });
        }
    }
}

/// The line before the bytes of an array.
fn head(array: &Array) -> Value {
    let (width, rows) = match array.layout {
        Layout::Rows { width, rows } => (width, Some(rows)),
        Layout::Elements { count } => (count, None),
    };
    json!({
        "type": array.value.name(), "channels": array.channels.len(), "width": width,
        "rows": rows, "bytes": array.bytes.len(),
    })
}
