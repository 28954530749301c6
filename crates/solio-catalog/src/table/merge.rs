//! Parts of a catalogue become one.

use crate::look;
use crate::row::{Level, Row, column, key};
use solio_base::{Error, Result};
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::sync::Arc;

/// The rows of several parts in the catalogue's order. A file that is in several parts, because they
/// overlap, comes once: as the part knows it that looked further, or else as the first one does, with
/// what another knows of the same state of it.
pub struct Merge<P> {
    parts: Vec<P>,
    /// The next row of each part, least first.
    heads: BinaryHeap<NextRow>,
    last: Vec<Option<RowName>>,
}

/// Folder and name of a row.
type RowName = (Arc<[u8]>, Box<[u8]>);

struct NextRow {
    row: Row,
    part: usize,
}

impl PartialEq for NextRow {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for NextRow {}

impl PartialOrd for NextRow {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for NextRow {
    /// Backwards: a heap gives its greatest first.
    fn cmp(&self, other: &Self) -> Ordering {
        (other.row.key(), other.part).cmp(&(self.row.key(), self.part))
    }
}

impl<P: Iterator<Item = Result<Row>>> Merge<P> {
    /// Begins; each part gives its rows in the catalogue's order.
    pub fn new(parts: Vec<P>) -> Result<Self> {
        let last = parts.iter().map(|_| None).collect();
        let mut merge = Merge { parts, heads: BinaryHeap::new(), last };
        for part in 0..merge.parts.len() {
            merge.refill(part)?;
        }
        Ok(merge)
    }

    fn refill(&mut self, part: usize) -> Result<()> {
        let Some(row) = self.parts[part].next().transpose()? else { return Ok(()) };
        let before = |(folder, name): &RowName| (key(folder), key(name)) < row.key();
        if !self.last[part].as_ref().is_none_or(before) {
            let path = String::from_utf8_lossy(&row.path()).into_owned();
            return Err(Error::corrupt(format!("{path} is out of order in part {}", part + 1)));
        }
        self.last[part] = Some((Arc::clone(&row.folder), row.name.clone()));
        self.heads.push(NextRow { row, part });
        Ok(())
    }

    fn row(&mut self) -> Result<Option<(Row, usize)>> {
        let Some(NextRow { mut row, mut part }) = self.heads.pop() else { return Ok(None) };
        self.refill(part)?;
        while let Some(other) = self.heads.peek()
            && other.row.key() == row.key()
        {
            let Some(other) = self.heads.pop() else { break };
            self.refill(other.part)?;
            let mut other = other;
            if known(&other.row) > known(&row) {
                std::mem::swap(&mut other.row, &mut row);
                part = other.part;
            }
            if state(&other.row) == state(&row) {
                let (now, earlier) = (level(&row), level(&other.row));
                let level = look::join(&mut row.cells, &other.row.cells, now, earlier, |_| true);
                row.cells.set_integer(column::LEVEL, level.0);
            }
        }
        Ok(Some((row, part)))
    }
}

/// How much is known of a file: the newest state of it counts first, then how far it was looked into.
/// Thumbnails are not taken along.
fn known(row: &Row) -> (i64, u32, [bool; 2]) {
    let level = level(row);
    let is_in = |step: Level| level.without(step) != level;
    let looks = (level.0 & Level::LOOKS.0).count_ones();
    let more = [is_in(Level::HASHED), is_in(Level::FIELDS)];
    (row.cells.integer(column::MODIFIED_NS).unwrap_or(i64::MIN), looks, more)
}

fn level(row: &Row) -> Level {
    Level(row.cells.integer(column::LEVEL).unwrap_or(0) as u32)
}

/// What tells whether two rows are about the same state of a file.
fn state(row: &Row) -> [Option<i64>; 4] {
    [column::MODIFIED_NS, column::SIZE, column::INODE, column::BORN_NS]
        .map(|place| row.cells.integer(place))
}

impl<P: Iterator<Item = Result<Row>>> Iterator for Merge<P> {
    /// A row, and the part that it is from.
    type Item = Result<(Row, usize)>;

    fn next(&mut self) -> Option<Self::Item> {
        self.row().transpose()
    }
}
