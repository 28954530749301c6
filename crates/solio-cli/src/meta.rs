//! `solio meta`: photo metadata.

use crate::args::{EngineChoice, MetaArgs};
use crate::json_paths::percent;
use crate::stats::RunMeter;
use crate::table::{BOLD, DIM, csv_cell, padded, safe_cell, visible};
use crate::{Outcome, inputs, options, screen};
use solio::photo::{Fields, JsonOptions, Metadata, Tag, Value, json, json_string};
use solio::{Ability, Error, ErrorKind, ExifTool, ExifToolOptions, FileType, Filter, Limits};
use solio::{MetadataEngine, MetadataOptions, Result, Work};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// What a table shows when no fields are named.
const USUAL: [&str; 5] = ["DateTimeOriginal", "Make", "Model", "ImageSize", "GPSPosition"];

/// The name byte by byte, where it is no text.
const ENCODED: &str = "SourceFileEncoded";

/// Most bytes of memory that are kept for the next file.
const MOST_KEPT: usize = 64 << 10;

/// How results are shown.
#[derive(Clone, Copy, PartialEq)]
enum MetaForm {
    Text,
    Json,
    JsonLines,
    ExifTool,
    /// Lines of cells, which are known only when all files are.
    Cells,
}

/// What became of one file: its text and cells, or what was wrong.
#[derive(Default)]
struct ShownFile {
    text: String,
    cells: BTreeMap<String, String>,
    error: Option<Error>,
    /// It is a folder, whatever its name says.
    folder: Option<PathBuf>,
}

/// Reads all files, goes on past bad ones.
pub(crate) fn run(args: &MetaArgs) -> Result<Outcome> {
    let work = options::work(&args.work)?;
    let filter = args.filter.filter()?;
    let named = inputs::wanted(inputs::files(&args.inputs, &work)?, &filter);
    let (files, failed) = files(&named, args.recursive, &filter, &work)?;
    failed.iter().for_each(screen::complain_of);
    if files.is_empty() && failed.is_empty() {
        screen::complain("there are no files");
        return Ok(Outcome::NothingMatched);
    }
    if args.binary {
        failed.into_iter().next().map_or(Ok(()), Err)?;
        return binary(args, &files, &work);
    }
    let form = match args {
        MetaArgs { json: true, .. } => MetaForm::Json,
        MetaArgs { jsonl: true, .. } => MetaForm::JsonLines,
        MetaArgs { exiftool_json: true, .. } => MetaForm::ExifTool,
        MetaArgs { csv: true, .. } | MetaArgs { table: true, .. } => MetaForm::Cells,
        _ => MetaForm::Text,
    };
    let columns = columns(args);
    let fields = match &columns {
        Some(columns) if form == MetaForm::Cells => Fields::of(columns),
        _ if args.fields.is_empty() => Fields::all(),
        _ => Fields::of(&args.fields),
    };
    let options =
        MetadataOptions { fields, engine: engine(args)?, order: args.order, ..Default::default() };
    let mut output = MetaOutput {
        args,
        form,
        options: &options,
        filter: &filter,
        work: &work,
        all: failed.is_empty(),
        first: true,
        rows: Vec::new(),
        printed: String::new(),
    };
    let seen = RunMeter::start(&args.shown, "meta", &files, &work);
    match output.read(&files) {
        Err(e) if e.kind() == ErrorKind::Cancelled && screen::is_closed() => {
            return Ok(Outcome::Done);
        }
        read => read?,
    }
    let MetaOutput { first, rows, all, .. } = output;
    match form {
        MetaForm::Json | MetaForm::ExifTool if first => screen::print("[]\n"),
        MetaForm::Json | MetaForm::ExifTool => screen::print("]\n"),
        MetaForm::Cells => screen::print(&lines(rows, columns, CellForm::of(args))),
        _ => {}
    }
    seen.end(work.progress.now().files);
    Ok(if all { Outcome::Done } else { Outcome::SomeFailed })
}

/// How to read and show, and what has been shown so far.
struct MetaOutput<'a> {
    args: &'a MetaArgs,
    form: MetaForm,
    options: &'a MetadataOptions,
    filter: &'a Filter,
    work: &'a Work,
    /// Whether all could be read.
    all: bool,
    /// Whether nothing has been printed.
    first: bool,
    rows: Vec<BTreeMap<String, String>>,
    printed: String,
}

impl MetaOutput<'_> {
    fn read(&mut self, files: &[PathBuf]) -> Result<()> {
        let (args, form, options, work) = (self.args, self.form, self.options, self.work);
        let show = |path: &Path, read: Result<Metadata>, shown: &mut ShownFile| {
            shown.take(path, read, form, args);
        };
        solio::read_metadata_files(files, options, work, show, |some| self.print(some))
    }

    fn print(&mut self, some: &mut [ShownFile]) -> Result<()> {
        let array = matches!(self.form, MetaForm::Json | MetaForm::ExifTool);
        self.printed.clear();
        for shown in some {
            if let Some(folder) = shown.folder.take() {
                screen::print(&std::mem::take(&mut self.printed));
                let (files, unread) = solio::files_in(&folder, self.filter, self.work)?;
                for error in unread {
                    self.all = false;
                    screen::complain_of(&error);
                }
                self.read(&files)?;
                self.printed.clear();
                continue;
            }
            if let Some(error) = &shown.error {
                self.all = false;
                screen::complain_of(error);
            }
            if self.form == MetaForm::Cells {
                self.rows.push(std::mem::take(&mut shown.cells));
                continue;
            }
            if array {
                self.printed.push_str(if self.first { "[" } else { ",\n" });
            }
            self.first = false;
            self.printed.push_str(&shown.text);
        }
        screen::print(&self.printed);
        // Who reads no more wants no more work done.
        if screen::is_closed() { Err(Error::cancelled()) } else { Ok(()) }
    }
}

/// The bytes of one value.
fn binary(args: &MetaArgs, files: &[PathBuf], work: &Work) -> Result<Outcome> {
    let ([path], [field]) = (files, &args.fields[..]) else {
        let hint = "several could not be told apart; run the command once for each";
        return Err(Error::argument("--binary prints one field of one file").hint(hint));
    };
    if args.engine != EngineChoice::Native {
        return Err(Error::argument("--binary is for the native engine only"));
    }
    let found = solio::metadata_bytes(path, field, &Limits::default(), work)?;
    let missing = || Error::unsupported(format!("there is no {field}")).at_path(path);
    screen::print_bytes(&found.ok_or_else(missing)?);
    Ok(Outcome::Done)
}

/// Who reads.
fn engine(args: &MetaArgs) -> Result<MetadataEngine> {
    let tool = || {
        let mut options = ExifToolOptions { numbers: args.numbers, ..ExifToolOptions::default() };
        if let Some(program) = &args.exiftool {
            options.program.clone_from(program);
        }
        options.timeout_s = args.exiftool_timeout;
        ExifTool::new(options)
    };
    Ok(match args.engine {
        EngineChoice::Native => MetadataEngine::Native,
        EngineChoice::Exiftool => MetadataEngine::ExifTool(tool()?),
        EngineChoice::Both => MetadataEngine::Both(tool()?),
    })
}

/// The files named, and those in the folders named.
fn files(
    inputs: &[PathBuf],
    recursive: bool,
    filter: &Filter,
    work: &Work,
) -> Result<(Vec<PathBuf>, Vec<Error>)> {
    if recursive {
        return solio::files_below(inputs, filter, work);
    }
    let (mut files, mut failed) = (Vec::new(), Vec::new());
    for path in inputs {
        if is_named_as_photo(path) || !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let (inside, unread) = solio::files_in(path, filter, work)?;
        files.extend(inside);
        failed.extend(unread);
    }
    Ok((files, failed))
}

/// Whether the name alone says that it is no folder: a look at each of many files takes a fifth of
/// the time of reading their dates. A folder of such a name shows when it is read.
fn is_named_as_photo(path: &Path) -> bool {
    FileType::of_path(path).is_some_and(|named| named.kind.can(Ability::Meta))
}

/// The columns asked for; `None`: all that turn up.
fn columns(args: &MetaArgs) -> Option<Vec<String>> {
    match args {
        _ if args.fields.iter().any(|field| field.contains('*')) => None,
        MetaArgs { fields, .. } if !fields.is_empty() => Some(fields.clone()),
        MetaArgs { table: true, .. } => Some(USUAL.map(str::to_owned).to_vec()),
        _ => None,
    }
}

impl ShownFile {
    /// Takes in what was read of a file, and forgets the last one.
    fn take(&mut self, path: &Path, read: Result<Metadata>, form: MetaForm, args: &MetaArgs) {
        let metadata = match read {
            Ok(metadata) => {
                self.error = None;
                self.folder = None;
                metadata
            }
            Err(error) => {
                self.folder = path.is_dir().then(|| path.to_owned());
                self.error = Some(error);
                Metadata::default()
            }
        };
        self.text.clear();
        self.text.shrink_to(MOST_KEPT);
        match form {
            MetaForm::Text if self.error.is_some() => {}
            MetaForm::Text => self.text += &text(path, &metadata, args),
            MetaForm::Cells => self.cells = cells(path, &metadata, args),
            _ => object(path, &metadata, &self.error, form, args, &mut self.text),
        }
    }
}

fn value(tag: &Tag, args: &MetaArgs) -> Value {
    if args.numbers { tag.number() } else { tag.text() }
}

/// A heading, a line a tag, and what was wrong with the file.
fn text(path: &Path, metadata: &Metadata, args: &MetaArgs) -> String {
    let name = crate::terminal::name(path);
    let mut text = format!("{BOLD}{name}{BOLD:#}\n");
    for tag in &metadata.tags {
        let value = value(tag, args).plain();
        let value = visible(&value);
        text += &format!("  {DIM}{:<12}{DIM:#} {:<28} {value}\n", tag.group, tag.name);
    }
    for warning in &metadata.warnings {
        text += &format!("  {DIM}warning: {warning}{DIM:#}\n");
    }
    text
}

/// A JSON object: one line of its own, or ExifTool's layout.
fn object(
    path: &Path,
    metadata: &Metadata,
    error: &Option<Error>,
    form: MetaForm,
    args: &MetaArgs,
    out: &mut String,
) {
    let exiftool = form == MetaForm::ExifTool;
    let lead = if exiftool { "\n  " } else { "" };
    out.push('{');
    let mut member = |name: &str, text: &str| {
        let comma = if name == "SourceFile" { "" } else { "," };
        for part in [comma, lead, "\"", name, "\": "] {
            out.push_str(part);
        }
        json_string(text, out);
    };
    member("SourceFile", &path.to_string_lossy());
    if path.to_str().is_none() {
        // The name as it is, byte by byte, for whoever must find the file again.
        member(ENCODED, &percent(path));
    }
    if let Some(error) = error {
        let name = if exiftool && args.groups { "ExifTool:Error" } else { "Error" };
        member(name, error.message());
    }
    let bare_names = exiftool && !args.groups;
    let options = JsonOptions { numbers: args.numbers, bare_names };
    let tags: Vec<&Tag> =
        if bare_names { metadata.main_tags() } else { metadata.tags.iter().collect() };
    if !tags.is_empty() {
        out.push(',');
        json(tags.iter().copied(), options, lead, out);
    }
    if args.engine == EngineChoice::Both && !exiftool && error.is_none() {
        origins(&tags, out);
    }
    *out += if exiftool { "\n}" } else { "}" };
    if form == MetaForm::JsonLines {
        out.push('\n');
    }
}

/// Who read which tags.
fn origins(tags: &[&Tag], out: &mut String) {
    let of = |foreign: bool| {
        let keys: BTreeSet<String> = tags
            .iter()
            .filter(|tag| tag.is_foreign() == foreign)
            .map(|tag| format!("{}:{}", tag.group, tag.name))
            .collect();
        serde_json::Value::from_iter(keys)
    };
    let origins = serde_json::json!({ "native": of(false), "exiftool": of(true) });
    *out += &format!(",\"Origin\": {origins}");
}

/// The values by column.
fn cells(path: &Path, metadata: &Metadata, args: &MetaArgs) -> BTreeMap<String, String> {
    let mut cells = BTreeMap::new();
    match columns(args) {
        Some(columns) => {
            for column in columns {
                if let Some(tag) = metadata.get(&column) {
                    cells.insert(column, value(tag, args).plain());
                }
            }
        }
        None => {
            for tag in metadata.distinct_tags() {
                cells.insert(format!("{}:{}", tag.group, tag.name), value(tag, args).plain());
            }
        }
    }
    cells.insert("SourceFile".into(), path.to_string_lossy().into());
    if path.to_str().is_none() {
        cells.insert(ENCODED.into(), percent(path));
    }
    cells
}

/// How rows of cells are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CellForm {
    Table,
    Csv,
    /// What a spreadsheet would take for a formula is text.
    SafeCsv,
}

impl CellForm {
    fn of(args: &MetaArgs) -> CellForm {
        match (args.csv, args.csv_safe) {
            (_, true) => CellForm::SafeCsv,
            (true, _) => CellForm::Csv,
            _ => CellForm::Table,
        }
    }
}

/// All lines of a table or of comma-separated values, with their head.
fn lines(
    rows: Vec<BTreeMap<String, String>>,
    columns: Option<Vec<String>>,
    form: CellForm,
) -> String {
    let (csv, is_safe) = (form != CellForm::Table, form == CellForm::SafeCsv);
    let mut columns = columns.unwrap_or_else(|| {
        let all: BTreeSet<&String> = rows.iter().flat_map(|row| row.keys()).collect();
        let is_name = |name: &String| name == "SourceFile" || name == ENCODED;
        all.into_iter().filter(|name| !is_name(name)).cloned().collect()
    });
    columns.insert(0, "SourceFile".into());
    if csv && rows.iter().any(|row| row.contains_key(ENCODED)) {
        columns.insert(1, ENCODED.into());
    }
    let cell = |row: &BTreeMap<String, String>, column: &String| {
        row.get(column).cloned().unwrap_or_default()
    };
    let mut grid = vec![columns.clone()];
    grid.extend(rows.iter().map(|row| columns.iter().map(|column| cell(row, column)).collect()));
    let mut out = String::new();
    if csv {
        for row in grid {
            let safe = |cell: &String| match is_safe {
                true => csv_cell(&safe_cell(cell)),
                false => csv_cell(cell),
            };
            let row: Vec<String> = row.iter().map(safe).collect();
            out += &format!("{}\n", row.join(","));
        }
        return out;
    }
    let width = |n: usize| grid.iter().map(|row| row[n].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns.len()).map(width).collect();
    for row in &grid {
        let padded = row.iter().zip(&widths).map(|(cell, width)| padded(&visible(cell), *width));
        out += &format!("{}\n", padded.collect::<Vec<_>>().join("  ").trim_end());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_cells_are_quoted() {
        let row = BTreeMap::from([("SourceFile".into(), "a".into()), ("X".into(), "1".into())]);
        assert_eq!(lines(vec![row.clone()], None, CellForm::Csv), "SourceFile,X\na,1\n");
        assert_eq!(lines(vec![row], None, CellForm::Table), "SourceFile  X\na           1\n");
    }
}
