//! A sheet as one page of HTML: cells are written as they come.

use super::cells::Shown;
use super::{Sheet, SheetOptions};
use crate::tree::check::plural;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use solio_base::names::OsStrBytes;
use solio_base::{Error, Result, Sink, Work};
use solio_catalog::names;
use solio_io::{FileSink, SinkOptions};
use std::fmt::Write;
use std::path::{Path, PathBuf};

const PAGE: &str = include_str!("../../../web/sheet.html");
/// The style sheet of the pages that Solio makes, for pages that should look like them.
///
/// ```
/// let page = format!("<!doctype html><style>{}</style><h1>Shots</h1>", solio::PAGE_STYLE);
/// assert!(page.contains("prefers-color-scheme: dark")); // it follows the reader's choice
/// ```
pub const PAGE_STYLE: &str = include_str!("../../../web/chart.css");
const CELLS: &str = "<!--CELLS-->";
/// Of the JPEG files in the page.
const QUALITY: u8 = 86;

pub(super) struct Page<'o> {
    sink: FileSink,
    work: &'o Work,
    /// What follows the cells.
    rest: String,
    folder: Option<PathBuf>,
    text: String,
}

impl<'o> Page<'o> {
    pub(super) fn start(
        output: &Path,
        cells: usize,
        options: &SheetOptions,
        work: &'o Work,
    ) -> Result<Page<'o>> {
        let columns = options.columns.map_or("auto-fill".to_owned(), |count| count.to_string());
        let title = options.title.clone().unwrap_or_else(|| plural(cells as u64, "file"));
        let values = [
            ("/*STYLE*/", PAGE_STYLE.to_owned()),
            ("/*SIZE*/", options.thumbnail.size.to_string()),
            ("/*COLUMNS*/", columns),
            ("<!--TITLE-->", escaped(&title)),
        ];
        let page =
            values.iter().fold(PAGE.to_owned(), |page, (mark, value)| page.replace(mark, value));
        let (head, rest) = page.split_once(CELLS).unwrap_or((&page, ""));
        let mut sink = FileSink::create(output, &SinkOptions::default(), work)?;
        sink.write_bytes(work, head.as_bytes()).map_err(|e| e.at_path(output))?;
        Ok(Page { sink, work, rest: rest.to_owned(), folder: None, text: String::new() })
    }

    fn write(&mut self) -> Result<()> {
        let written = self.sink.write_bytes(self.work, self.text.as_bytes());
        self.text.clear();
        written
    }
}

impl Sheet for Page<'_> {
    fn add(&mut self, cell: &Shown) -> Result<()> {
        if self.folder.as_ref() != Some(&cell.folder) {
            let name = names::shown(cell.folder.as_os_str().as_bytes());
            let name = if name.is_empty() { ".".into() } else { name };
            put(&mut self.text, format_args!("<h2>{}</h2>\n", escaped(&name)));
            self.folder = Some(cell.folder.clone());
        }
        figure(&mut self.text, cell)?;
        self.write()
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        self.text = std::mem::take(&mut self.rest);
        self.write()?;
        self.sink.commit()?;
        Ok(())
    }
}

fn put(text: &mut String, more: std::fmt::Arguments<'_>) {
    text.write_fmt(more).expect("strings take all");
}

fn figure(text: &mut String, cell: &Shown) -> Result<()> {
    let name = escaped(&cell.name);
    let class = if cell.errors.is_empty() { "" } else { " class=\"bad\"" };
    put(text, format_args!("<figure{class} tabindex=\"-1\"><div>"));
    match &cell.picture {
        Some(picture) => {
            let (width, height) = (picture.width, picture.height);
            let data = STANDARD.encode(picture.to_jpeg(QUALITY)?);
            put(
                text,
                format_args!(
                    "<img width=\"{width}\" height=\"{height}\" alt=\"{name}\" src=\"data:image/jpeg;base64,{data}\">"
                ),
            );
        }
        None => text.push_str("<p>cannot be shown</p>"),
    }
    put(text, format_args!("</div><figcaption><b title=\"{name}\">{name}</b>"));
    for line in lines(cell) {
        put(text, format_args!("<span>{}</span>", escaped(&line)));
    }
    let wrong = cell.missing.iter().cloned().chain(cell.errors.iter().map(reason));
    for what in wrong {
        put(text, format_args!("<em>{}</em>", escaped(&what)));
    }
    text.push_str("</figcaption></figure>\n");
    Ok(())
}

/// What is wrong, without the path, which the caption has.
pub(super) fn reason(error: &Error) -> String {
    let place = match (error.line(), error.offset()) {
        (Some(line), _) => format!("line {line}: "),
        (None, Some(offset)) => format!("byte {offset}: "),
        (None, None) => String::new(),
    };
    format!("{place}{}", error.message())
}

/// The lines below the name.
pub(super) fn lines(cell: &Shown) -> Vec<String> {
    let mut lines = Vec::new();
    if !cell.note.is_empty() {
        lines.push(cell.note.clone());
    }
    let [mut what, mut more] = [Vec::new(), Vec::new()];
    if let Some(picture) = &cell.picture {
        what.extend([picture.kind.clone(), picture.dimensions.clone()]);
        more.push(picture.details.clone());
    }
    if cell.note.is_empty() && cell.bytes > 0 {
        more.push(size(cell.bytes));
    }
    for mut facts in [what, more] {
        facts.retain(|fact| !fact.is_empty());
        lines.push(facts.join(" · "));
    }
    lines.retain(|line| !line.is_empty());
    lines
}

/// `412 B`, `33.1 kB`, `338 MB`: powers of 1000.
fn size(bytes: u64) -> String {
    let mut value = bytes as f64;
    let mut unit = "B";
    for next in ["kB", "MB", "GB", "TB"] {
        if value < 999.5 {
            break;
        }
        (value, unit) = (value / 1000.0, next);
    }
    let digits = if unit == "B" || value >= 99.95 { 0 } else { 1 };
    format!("{value:.digits$} {unit}")
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}
