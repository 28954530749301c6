//! Tables and figures for people: 80 columns, aligned, colours only where they are wanted.

use anstyle::{AnsiColor, Style};
pub use solio::grouped as count;
use std::borrow::Cow;

pub const BOLD: Style = Style::new().bold();
pub const DIM: Style = Style::new().dimmed();
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
pub(crate) const HINT: Style = AnsiColor::Cyan.on_default();

/// `1 file`, `1,234 files`, `2 meshes`.
pub(crate) fn some(n: u64, name: &str) -> String {
    match n {
        1 => format!("1 {name}"),
        n if name.ends_with("sh") => format!("{} {name}es", count(n)),
        n => format!("{} {name}s", count(n)),
    }
}

/// Rows that a recording keeps; its page shows fewer.
const MOST_RECORDED: usize = 1000;

/// Rows of cells under a heading; `more` counts the rows that the recording has no room for.
pub struct TextTable(solio::Table);

impl TextTable {
    /// Columns by their names; figures, behind `>`, stand on the right.
    pub fn new(columns: &[&str]) -> Self {
        let columns = columns.iter().map(|name| (*name).to_owned()).collect();
        TextTable(solio::Table { columns, ..solio::Table::default() })
    }

    pub fn row(&mut self, cells: Vec<String>) {
        debug_assert_eq!(cells.len(), self.0.columns.len());
        self.0.rows.push(cells);
    }

    /// A row for a recording alone, which keeps the first thousand.
    pub(crate) fn row_to_record(&mut self, cells: impl FnOnce() -> Vec<String>) {
        if self.0.rows.len() < MOST_RECORDED {
            self.row(cells());
        } else {
            self.0.more += 1;
        }
    }

    /// The same for the page of a recording.
    pub(crate) fn for_page(&self) -> solio::Table {
        self.0.clone()
    }

    /// The text of the table, with the escape codes of its heading.
    pub fn render(&self) -> String {
        let solio::Table { columns, rows, .. } = &self.0;
        let names: Vec<&str> = columns.iter().map(|name| name.trim_start_matches('>')).collect();
        let width = |(i, name): (usize, &&str)| {
            let cells = rows.iter().map(|row| row[i].chars().count());
            cells.chain([name.chars().count()]).max().unwrap_or(0)
        };
        let widths: Vec<usize> = names.iter().enumerate().map(width).collect();
        let line = |cells: Vec<&str>| {
            let mut text = String::new();
            for (i, cell) in cells.into_iter().enumerate() {
                let pad = " ".repeat(widths[i] - cell.chars().count());
                if i > 0 {
                    text.push_str("  ");
                }
                match columns[i].starts_with('>') {
                    true => text.extend([&pad, cell]),
                    false => text.extend([cell, &pad]),
                }
            }
            text.truncate(text.trim_end().len());
            text
        };
        let mut text = format!("{BOLD}{}{BOLD:#}\n", line(names.clone()));
        for row in rows {
            text.push_str(&line(row.iter().map(String::as_str).collect()));
            text.push('\n');
        }
        text
    }
}

/// `412 B`, `33.1 kB`, `338 MB`: powers of 1000, three significant figures.
pub fn bytes(value: u64) -> String {
    let mut number = value as f64;
    let mut units = ["B", "kB", "MB", "GB", "TB"].into_iter();
    let mut unit = units.next().unwrap_or_default();
    for next in units {
        if number < 999.5 {
            break;
        }
        number /= 1000.0;
        unit = next;
    }
    if unit == "B" { format!("{value} B") } else { format!("{} {unit}", figures(number)) }
}

/// Three significant figures: `1.23`, `45.6`, `789`, `12345`.
pub fn figures(value: f64) -> String {
    let digits = match value.abs() {
        v if v < 9.995 => 2,
        v if v < 99.95 => 1,
        _ => 0,
    };
    format!("{value:.digits$}")
}

/// `0.123 s`, `45.6 s`, `12 min 03 s`.
pub(crate) fn seconds(value: f64) -> String {
    match value {
        v if v < 9.9995 => format!("{v:.3} s"),
        v if v < 120.0 => format!("{v:.1} s"),
        v => format!("{} min {:02} s", (v / 60.0) as u64, (v % 60.0) as u64),
    }
}

/// A text within a line: controls must not reach a terminal, and end no line in a pipe.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    if crate::terminal::is_out() {
        return crate::terminal::escaped(text);
    }
    if !text.contains(char::is_control) {
        return text.into();
    }
    text.chars().map(|letter| if letter.is_control() { '.' } else { letter }).collect()
}

/// `cell`, with blanks up to this width: as many as it takes.
pub(crate) fn padded(cell: &str, width: usize) -> String {
    let blanks = width.saturating_sub(cell.chars().count());
    [cell, &" ".repeat(blanks)].concat()
}

/// A cell that a spreadsheet would take for a formula, as text: with an apostrophe before it.
pub(crate) fn safe_cell(cell: &str) -> Cow<'_, str> {
    match cell.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        true => format!("'{cell}").into(),
        false => cell.into(),
    }
}

/// A cell of comma-separated values (RFC 4180).
pub(crate) fn csv_cell(cell: &str) -> String {
    if cell.contains([',', '"', '\n', '\r']) {
        return format!("\"{}\"", cell.replace('"', "\"\""));
    }
    cell.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_for_people() {
        assert_eq!(count(0), "0");
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(bytes(999), "999 B");
        assert_eq!(bytes(999_600), "1.00 MB");
        assert_eq!(bytes(338_235_457), "338 MB");
        assert_eq!(seconds(0.0123), "0.012 s");
        assert_eq!(seconds(723.4), "12 min 03 s");
    }

    #[test]
    fn wide_cells_are_padded_and_formulas_become_text() {
        let wide = "x".repeat(70_000);
        assert_eq!(padded(&wide, 70_000), wide);
        assert_eq!(padded("é", 70_000).chars().count(), 70_000);
        for formula in ["=1+1", "+1", "-1", "@x", "\t=1", "\r=1"] {
            assert_eq!(safe_cell(formula), format!("'{formula}"));
        }
        assert_eq!(safe_cell("a=1"), "a=1");
    }

    #[test]
    fn cells_are_quoted() {
        assert_eq!(csv_cell("a,\"b\""), "\"a,\"\"b\"\"\"");
        assert_eq!(csv_cell("a b"), "a b");
    }

    #[test]
    fn columns_line_up() {
        let mut table = TextTable::new(&["step", ">n"]);
        table.row(vec!["write".into(), "1".into()]);
        table.row(vec!["é".into(), "100".into()]);
        let text = anstream::adapter::strip_str(&table.render()).to_string();
        assert_eq!(text, "step     n\nwrite    1\né      100\n");
    }

    #[test]
    fn a_recording_counts_what_it_has_no_room_for() {
        let mut table = TextTable::new(&["input", ">read"]);
        let row = |n: usize| vec![format!("{n}.obj"), "1 B".to_owned()];
        (0..MOST_RECORDED).for_each(|n| table.row_to_record(|| row(n)));
        assert_eq!(table.for_page().rows.last(), Some(&row(999)));
        (0..1234).for_each(|_| table.row_to_record(|| unreachable!("nobody sees it")));
        let page = table.for_page();
        assert_eq!(page.columns, ["input", ">read"]);
        assert_eq!((page.rows.len(), page.more), (MOST_RECORDED, 1234));
    }
}
