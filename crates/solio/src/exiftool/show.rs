//! What is printed of one file.

use super::dates;
use super::listing::{Listing, groups, origin};
use super::options::{Form, Options};
use super::request::Request;
use super::select::{self, Shown};
use super::template::Part;
use super::words::{description, spelt_out};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use solio_photo::{Tag, Value, json_string, json_value};
use std::collections::HashSet;
use std::fmt::Write;

/// Why Solio does not answer: ExifTool may show something else.
pub(super) type NotSure = String;

/// What is printed of a file.
#[derive(Debug, Default)]
pub(super) struct Piece {
    pub(super) text: Vec<u8>,
    /// `-csv`: columns and cells.
    pub(super) cells: Vec<(String, String)>,
    /// Lines for standard error.
    pub(super) warnings: Vec<String>,
}

/// Gives the bytes of a tag that is not shown otherwise.
pub(super) type BytesOf<'b> = &'b dyn Fn(&Tag) -> Option<Vec<u8>>;

/// Shows what `options` ask of the file called `name`.
pub(super) fn show(
    listing: &Listing,
    options: &Options,
    name: &str,
    bytes_of: BytesOf<'_>,
) -> Result<Piece, NotSure> {
    let mut piece = Piece::default();
    let shower = Shower { listing, options, bytes_of };
    if let Some(template) = &options.template {
        shower.template(&template.parts, name, &mut piece)?;
        return Ok(piece);
    }
    let shown = select::select(listing, options);
    let has_missing = shown.iter().any(|one| matches!(one, Shown::Missing(_)));
    let twice = |request: &Request| {
        let like = |other: &&Request| other.lower() == request.lower();
        options.requests.iter().filter(like).count() > 1
            || options.excluded.iter().any(|r| r.is_name(&request.name))
    };
    if has_missing && options.requests.iter().any(twice) {
        return Err("-f of a name twice".into());
    }
    if has_missing && options.groups.contains(&4) {
        return Err("-f with -G4".into());
    }
    if options.form == Form::Table && !options.groups.is_empty() {
        return Err("-T with groups".into());
    }
    let mut out = String::new();
    match options.form {
        Form::Json => shower.json(&shown, name, &mut out)?,
        Form::Csv => shower.csv(&shown, name, &mut piece)?,
        Form::Xml => shower.xml(&shown, name, &mut out)?,
        Form::Bytes => {
            for one in &shown {
                piece.text.extend(shower.bytes(one)?);
            }
        }
        Form::Table => {
            let cells: Result<Vec<String>, NotSure> =
                shown.iter().map(|one| shower.text(one)).collect();
            out = cells?.join("\t");
            if !shown.is_empty() {
                out.push('\n');
            }
        }
        _ => shower.lines(&shown, &mut out)?,
    }
    piece.text.extend(out.into_bytes());
    Ok(piece)
}

/// Whether a condition holds.
pub(super) fn holds(listing: &Listing, options: &Options) -> Result<bool, NotSure> {
    let shower = Shower { listing, options, bytes_of: &|_| None };
    let mut unsure = None;
    let all = options.conditions.iter().all(|condition| {
        condition.holds(&mut |tag| match shower.value_of(tag) {
            Ok(Some(value)) => Some(value),
            Ok(None) => {
                unsure = Some(format!("-if of {tag}, which is not there"));
                None
            }
            Err(e) => {
                unsure = Some(e);
                None
            }
        })
    });
    unsure.map_or(Ok(all), Err)
}

struct Shower<'l> {
    listing: &'l Listing,
    options: &'l Options,
    bytes_of: BytesOf<'l>,
}

impl Shower<'_> {
    /// The value of a tag as it is shown; with `-E` only what HTML leaves as it is.
    fn value(&self, tag: &Tag, number: bool) -> Result<Value, NotSure> {
        let value = self.dated(tag, number)?;
        let special = |c: char| !c.is_ascii() || matches!(c, '&' | '<' | '>' | '"' | '\'');
        if self.options.escape_html && joined(&value, None).contains(special) {
            return Err("-E of other letters".into());
        }
        Ok(value)
    }

    /// The value of a tag, with what `-d` changes.
    fn dated(&self, tag: &Tag, number: bool) -> Result<Value, NotSure> {
        if number || self.options.numbers {
            return Ok(tag.number());
        }
        let value = tag.text();
        if self.options.place_format.is_some()
            && tag.name.starts_with("GPS")
            && ["Latitude", "Longitude", "Position"].iter().any(|part| tag.name.ends_with(part))
        {
            return Err("-c".into());
        }
        let Some(format) = &self.options.date_format else { return Ok(value) };
        if !is_date(&tag.name) {
            let text = value.plain();
            let like = text.len() > 9 && text.as_bytes()[4] == b':' && text.as_bytes()[7] == b':';
            return if like { Err(format!("-d of {}", tag.name)) } else { Ok(value) };
        }
        match dates::formatted(&value.plain(), format) {
            Some(date) => Ok(Value::Text(date)),
            None => Err(format!("a date that -d cannot write: {}", tag.name)),
        }
    }

    /// The value of the tag that a condition or template names; `None` where it is not there.
    fn value_of(&self, tag: &str) -> Result<Option<String>, NotSure> {
        let request = Request::parse(tag).ok_or_else(|| format!("${tag}"))?;
        let Some(n) = select::one(self.listing, &request, self.options) else { return Ok(None) };
        let value = self.value(&self.listing.tags[n], request.number)?;
        Ok(Some(sound(joined(&value, self.options.separator.as_deref()))?))
    }

    fn template(&self, parts: &[Part], name: &str, piece: &mut Piece) -> Result<(), NotSure> {
        let mut line = String::new();
        for part in parts {
            let tag = match part {
                Part::Text(text) => {
                    line.push_str(text);
                    continue;
                }
                Part::Tag(tag) => tag,
            };
            match self.value_of(tag)? {
                Some(value) => line.push_str(&value),
                None if self.options.force => line.push('-'),
                None if self.options.minor => {}
                None => {
                    let warning = format!("Warning: [Minor] Tag '{tag}' not defined - {name}\n");
                    piece.warnings.push(warning);
                    return Ok(());
                }
            }
        }
        line.push('\n');
        piece.text = line.into_bytes();
        Ok(())
    }

    fn key(&self, n: usize) -> String {
        let tag = &self.listing.tags[n];
        match self.options.groups.is_empty() {
            true => tag.name.to_string(),
            false => {
                let group = groups(tag, self.listing.copies[n], &self.options.groups);
                format!("{group}:{}", tag.name)
            }
        }
    }

    /// The key of what is not there.
    fn missing_key(&self, name: &str) -> String {
        if self.options.groups.is_empty() { name.to_owned() } else { format!("Unknown:{name}") }
    }

    fn json(&self, shown: &[Shown<'_>], name: &str, out: &mut String) -> Result<(), NotSure> {
        out.push_str("{\n  \"SourceFile\": ");
        json_string(name, out);
        let mut seen = HashSet::with_capacity(shown.len());
        for one in shown {
            let (key, value) = match *one {
                Shown::Missing(name) => (self.missing_key(name), None),
                Shown::Tag(n, number) => (self.key(n), Some((n, number))),
            };
            if !seen.insert(key.clone()) {
                if self.options.duplicates {
                    return Err("-j with a key twice".into());
                }
                continue;
            }
            out.push_str(",\n  ");
            json_string(&key, out);
            out.push_str(": ");
            match value {
                None => out.push_str("\"-\""),
                Some((n, number)) => self.json_one(n, number, out)?,
            }
        }
        out.push_str("\n}");
        Ok(())
    }

    fn json_one(&self, n: usize, number: bool, out: &mut String) -> Result<(), NotSure> {
        let tag = &self.listing.tags[n];
        if self.options.bytes {
            if is_hidden(tag) {
                let bytes =
                    (self.bytes_of)(tag).ok_or_else(|| format!("the bytes of {}", tag.name))?;
                out.push_str("\"base64:");
                STANDARD.encode_string(bytes, out);
                out.push('"');
                return Ok(());
            }
            if tag.text() != tag.number() {
                return Err(format!("-b of {}", tag.name));
            }
        }
        let value = self.value(tag, number)?;
        if self.options.only_utf8 {
            sound(joined(&value, None))?;
        }
        match (&value, &self.options.separator) {
            (Value::List(_), Some(separator)) => {
                json_value(&Value::Text(joined(&value, Some(separator))), out);
            }
            _ => json_value(&value, out),
        }
        Ok(())
    }

    fn csv(&self, shown: &[Shown<'_>], name: &str, piece: &mut Piece) -> Result<(), NotSure> {
        piece.cells.push(("SourceFile".into(), name.to_owned()));
        for one in shown {
            let (key, value) = match *one {
                Shown::Missing(name) => (self.missing_key(name), "-".to_owned()),
                Shown::Tag(_, true) => return Err("-csv of a number".into()),
                Shown::Tag(n, number) => {
                    let value = self.value(&self.listing.tags[n], number)?;
                    (self.key(n), sound(joined(&value, self.options.separator.as_deref()))?)
                }
            };
            if value.contains(|c: char| c.is_ascii_control()) {
                return Err("-csv of a control character".into());
            }
            if !piece.cells.iter().any(|(known, _)| *known == key) {
                piece.cells.push((key, value));
            }
        }
        Ok(())
    }

    /// The value in one line, without what a line cannot hold.
    fn text(&self, one: &Shown<'_>) -> Result<String, NotSure> {
        let (n, number) = match *one {
            Shown::Missing(_) => return Ok("-".into()),
            Shown::Tag(n, number) => (n, number),
        };
        let value = self.value(&self.listing.tags[n], number)?;
        sound(cleaned(&joined(&value, self.options.separator.as_deref())))
    }

    fn lines(&self, shown: &[Shown<'_>], out: &mut String) -> Result<(), NotSure> {
        for one in shown {
            let value = self.text(one)?;
            let (group, name) = match *one {
                Shown::Missing(name) if self.options.short > 0 => ("".into(), name.into()),
                Shown::Missing(name) => {
                    let mut letters = name.chars();
                    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
                    let name: String = first.into_iter().chain(letters).collect();
                    ("".into(), spelt_out(&name).into())
                }
                Shown::Tag(n, _) => {
                    let tag = &self.listing.tags[n];
                    let group = groups(tag, self.listing.copies[n], &self.options.groups);
                    let name = match self.options.short {
                        0 => description(&tag.name, &tag.group),
                        _ => (&*tag.name).into(),
                    };
                    (group, name)
                }
            };
            let grouped = !self.options.groups.is_empty();
            match (self.options.form, self.options.short) {
                (Form::Tabs, _) if grouped => {
                    let _ = writeln!(out, "{group}\t{name}\t{value}");
                }
                (Form::Tabs, _) => {
                    let _ = writeln!(out, "{name}\t{value}");
                }
                (_, 3) if grouped => {
                    let _ = writeln!(out, "{group} {value}");
                }
                (_, 3) => {
                    let _ = writeln!(out, "{value}");
                }
                (_, 2) if grouped => {
                    let _ = writeln!(out, "[{group}] {name}: {value}");
                }
                (_, 2) => {
                    let _ = writeln!(out, "{name}: {value}");
                }
                _ => {
                    // A long group takes its place from the name.
                    let group = if grouped {
                        format!("{:<15} ", format!("[{group}]"))
                    } else {
                        String::new()
                    };
                    let width = (if grouped { 48usize } else { 32 }).saturating_sub(group.len());
                    let _ = writeln!(out, "{group}{name:<width$}: {value}");
                }
            }
        }
        Ok(())
    }

    fn bytes(&self, one: &Shown<'_>) -> Result<Vec<u8>, NotSure> {
        let (n, number) = match *one {
            Shown::Missing(_) => return Err("-f with -b".into()),
            Shown::Tag(n, number) => (n, number),
        };
        let tag = &self.listing.tags[n];
        if is_hidden(tag) {
            return (self.bytes_of)(tag).ok_or_else(|| format!("the bytes of {}", tag.name));
        }
        if tag.text() != tag.number() || matches!(tag.text(), Value::List(_)) {
            return Err(format!("-b of {}", tag.name));
        }
        Ok(sound(joined(&self.value(tag, number)?, None))?.into_bytes())
    }

    fn xml(&self, shown: &[Shown<'_>], name: &str, out: &mut String) -> Result<(), NotSure> {
        let mut seen = HashSet::with_capacity(shown.len());
        let mut groups: Vec<&str> = Vec::new();
        let mut body = String::new();
        for one in shown {
            let Shown::Tag(n, number) = *one else { return Err("-f with -X".into()) };
            let tag = &self.listing.tags[n];
            if !seen.insert((&tag.group, &tag.name)) {
                if self.options.duplicates {
                    return Err("-X with a tag twice".into());
                }
                continue;
            }
            if !groups.contains(&&*tag.group) {
                groups.push(&tag.group);
            }
            let (group, name) = (&tag.group, &tag.name);
            if self.options.bytes && is_hidden(tag) {
                return Err("-b with -X".into());
            }
            match self.value(tag, number)? {
                Value::List(list) if self.options.separator.is_none() => {
                    let _ = write!(body, " <{group}:{name}>\n  <rdf:Bag>\n");
                    for item in &list {
                        if matches!(item, Value::List(_)) {
                            return Err("a list within a list".into());
                        }
                        let _ = writeln!(body, "   <rdf:li>{}</rdf:li>", xml_text(&item.plain())?);
                    }
                    let _ = write!(body, "  </rdf:Bag>\n </{group}:{name}>\n");
                }
                value => {
                    let text = xml_text(&joined(&value, self.options.separator.as_deref()))?;
                    let _ = writeln!(body, " <{group}:{name}>{text}</{group}:{name}>");
                }
            }
        }
        let name = xml_text(name)?;
        let _ = write!(
            out,
            "\n<rdf:Description rdf:about='{name}'\n  xmlns:et='http://ns.exiftool.org/1.0/' \
             et:toolkit='Image::ExifTool {}'",
            super::listing::VERSION
        );
        for group in groups {
            let Some(origin) = origin(group) else { return Err(format!("the group {group}")) };
            if origin == group && !["File", "Composite", "ExifTool"].contains(&group) {
                return Err(format!("-X of {group}"));
            }
            let path = if origin == group { group.to_owned() } else { format!("{origin}/{group}") };
            let _ = write!(out, "\n  xmlns:{group}='http://ns.exiftool.org/{path}/1.0/'");
        }
        let _ = write!(out, ">\n{body}</rdf:Description>\n");
        Ok(())
    }
}

/// Dates that `-d` writes.
fn is_date(name: &str) -> bool {
    const NAMES: [&str; 10] = [
        "DateTimeOriginal",
        "CreateDate",
        "ModifyDate",
        "FileModifyDate",
        "FileAccessDate",
        "FileInodeChangeDate",
        "SubSecDateTimeOriginal",
        "SubSecCreateDate",
        "SubSecModifyDate",
        "GPSDateTime",
    ];
    NAMES.contains(&name)
}

/// Whether a tag stands for data that are only shown with `-b`.
fn is_hidden(tag: &Tag) -> bool {
    matches!(tag.number(), Value::Text(text) if text.starts_with("(Binary data "))
        && !matches!(&tag.value, Value::Text(_))
}

/// A value in one piece.
fn joined(value: &Value, separator: Option<&str>) -> String {
    match value {
        Value::List(list) => {
            let parts: Vec<String> = list.iter().map(Value::plain).collect();
            parts.join(separator.unwrap_or(", "))
        }
        other => other.plain(),
    }
}

/// Text of a line: control characters are dots, and there are no spaces at the end.
fn cleaned(text: &str) -> String {
    let shown = text.chars().filter(|c| *c != '\0');
    let shown: String = shown.map(|c| if c.is_ascii_control() { '.' } else { c }).collect();
    shown.trim_end_matches(|c: char| c.is_ascii_whitespace()).to_owned()
}

/// Text that was whole: what was no UTF-8 in the file has question marks here, and is printed as it is by
/// ExifTool.
fn sound(text: String) -> Result<String, NotSure> {
    if text.contains(['?', '\u{fffd}']) {
        Err("text that may be no UTF-8".into())
    } else {
        Ok(text)
    }
}

/// Text within XML.
fn xml_text(text: &str) -> Result<String, NotSure> {
    if text.contains(|c: char| c.is_ascii_control() || c == '\u{fffd}' || c == '?') {
        return Err("text that XML cannot hold".into());
    }
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
    Ok(out)
}

/// Whether all rows have the columns of the first.
pub(super) fn have_same_columns(rows: &[Vec<(String, String)>]) -> bool {
    let columns =
        |row: &[(String, String)]| row.iter().map(|(key, _)| key.clone()).collect::<Vec<_>>();
    rows.windows(2).all(|pair| columns(&pair[0]) == columns(&pair[1]))
}

/// The lines of `-csv`.
pub(super) fn csv_lines(rows: &[Vec<(String, String)>]) -> String {
    let mut columns: Vec<&str> = Vec::new();
    let mut known = HashSet::new();
    for (column, _) in rows.iter().flatten() {
        if known.insert(column.as_str()) {
            columns.push(column);
        }
    }
    let mut out = String::new();
    let mut line = |cells: Vec<String>| {
        out.push_str(&cells.join(","));
        out.push('\n');
    };
    if rows.is_empty() {
        return out;
    }
    line(columns.iter().map(|column| csv_cell(column)).collect());
    for row in rows {
        let cell = |column: &&str| {
            row.iter()
                .find(|(key, _)| key == column)
                .map_or_else(String::new, |(_, cell)| csv_cell(cell))
        };
        line(columns.iter().map(cell).collect());
    }
    out
}

fn csv_cell(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) || text.starts_with(' ') || text.ends_with(' ') {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
