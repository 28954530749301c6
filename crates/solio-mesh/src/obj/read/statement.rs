//! One statement of any kind, with every liberty that real files take. The runs of
//! [`super::runs`] take what is common and plain; the rest comes here.

use super::chunk::{CornerLists, EventKind, ParseFault, ParsedText, push_run};
use super::input::line_end;
use super::token::{Float, Token, Tokens, expect_float, float, index, shown};
use crate::obj::options::ObjReadOptions;
use solio_base::{Error, ErrorKind};
use solio_codec::number::parse;

/// Statements of free-form geometry, kept as they are.
const FREEFORM: [&[u8]; 24] = [
    b"vp", b"cstype", b"deg", b"bmat", b"step", b"curv", b"curv2", b"surf", b"parm", b"trim",
    b"hole", b"scrv", b"sp", b"end", b"con", b"mg", b"ctech", b"stech", b"bsp", b"bzp", b"cdc",
    b"cdp", b"res", b"c_end",
];

/// Statements of the specification that say how to draw, not what: also a strict reader only warns.
const DISPLAY: [&[u8]; 8] =
    [b"bevel", b"c_interp", b"d_interp", b"lod", b"shadow_obj", b"trace_obj", b"usemap", b"maplib"];

/// Statements that bring in what other files or programs make: without it the model is not whole.
const OUTSIDE: [&[u8]; 2] = [b"call", b"csh"];

/// Reads the statement at `at`; returns where the next one starts.
pub(super) fn statement(
    text: &[u8],
    at: usize,
    options: &ObjReadOptions,
    scratch: &mut Vec<u8>,
    out: &mut ParsedText,
) -> Result<usize, ParseFault> {
    let (mut len, mut full) = line_end(&text[at..]);
    let comment = text[at..at + len].iter().find(|&&b| !super::token::is_blank(b)) == Some(&b'#');
    let mut lines = 1;
    let mut joined = false;
    // A continued line: the backslash and the line end become blanks, so that places stay.
    while !comment && is_continued(&text[at..at + len]) && full > len {
        if !joined {
            scratch.clear();
            scratch.extend_from_slice(&text[at..at + len]);
            joined = true;
        }
        let (more, more_full) = line_end(&text[at + full..]);
        scratch.pop();
        scratch.resize(full, b' ');
        scratch.extend_from_slice(&text[at + full..at + full + more]);
        (len, full) = (full + more, full + more_full);
        lines += 1;
    }
    if !comment && is_continued(&text[at..at + len]) {
        // The text ends where its last line should go on.
        let place = at + len - 1;
        let message = "a backslash at the end of the file joins nothing";
        if options.strict {
            return Err(ParseFault::syntax(place, message));
        }
        out.warn(place, message);
        if !joined {
            scratch.clear();
            scratch.extend_from_slice(&text[at..at + len]);
            joined = true;
        }
        scratch.pop();
    }
    let line: &[u8] = if joined { scratch } else { &text[at..at + len] };
    out.line_count += lines;
    let mut statement = ObjStatement { at, options, out };
    let result = statement.read(line);
    result.map_err(|fault| ParseFault { place: fault.place + at, ..fault })?;
    Ok(at + full)
}

/// Whether a line goes on with the next one. The second byte of a character may look like a backslash,
/// as in Shift-JIS.
fn is_continued(line: &[u8]) -> bool {
    match line {
        [.., 0x80..=0xff, b'\\'] => std::str::from_utf8(line).is_ok(),
        _ => line.ends_with(b"\\"),
    }
}

struct ObjStatement<'a> {
    at: usize,
    options: &'a ObjReadOptions,
    out: &'a mut ParsedText,
}

/// The three kinds of element that corners make.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ElementKind {
    Face,
    Line,
    Point,
}

impl ObjStatement<'_> {
    fn read(&mut self, line: &[u8]) -> Result<(), ParseFault> {
        let mut words = Tokens::new(line);
        let Some(key) = words.next() else {
            self.comment(line);
            return Ok(());
        };
        self.out.started = true;
        match key.text {
            b"v" if self.options.double => {
                let row = self.vertex::<f64>(key, words)?;
                self.out.positions64.push(row);
            }
            b"v" => {
                let row = self.vertex::<f32>(key, words)?;
                self.out.positions.push(row);
            }
            b"vt" => {
                let ([u, v, _], _) = self.row::<f32, 3>(key, words, 1, 3)?;
                self.out.uvs.push([u, v]);
            }
            b"vn" => {
                let (row, _) = self.row::<f32, 3>(key, words, 3, 3)?;
                self.out.normals.push(row);
            }
            b"f" | b"fo" => self.element(key, words, ElementKind::Face)?,
            b"l" => self.element(key, words, ElementKind::Line)?,
            b"p" => self.element(key, words, ElementKind::Point)?,
            b"o" => self.event(EventKind::Object, key, words.rest().text),
            b"usemtl" => self.event(EventKind::Material, key, words.rest().text),
            b"mtllib" => self.event(EventKind::Library, key, words.rest().text),
            b"g" => {
                let names: Vec<&[u8]> = line_words(&words).collect();
                self.event(EventKind::Group, key, &names.join(&b' '));
            }
            b"s" => self.smoothing(key, words)?,
            word if FREEFORM.contains(&word) => self.event(EventKind::Freeform, key, line),
            word if DISPLAY.contains(&word) => {
                let message = format!("`{}` is not kept", shown(word));
                self.out.warn(self.at + key.at, &message);
            }
            word if OUTSIDE.contains(&word) => {
                let message = format!("`{}` is not followed", shown(word));
                if self.options.strict {
                    return Err(ParseFault { place: key.at, error: Error::unsupported(message) });
                }
                self.out.warn(self.at + key.at, &message);
            }
            word => {
                let message = format!("unknown statement `{}`", shown(word));
                self.complain(key.at, message)?;
            }
        }
        Ok(())
    }

    fn event(&mut self, what: EventKind, key: Token<'_>, words: &[u8]) {
        self.out.event(what, self.at + key.at, words);
    }

    /// An error where the reader is strict, a warning otherwise.
    fn complain(&mut self, at: usize, message: String) -> Result<(), ParseFault> {
        if self.options.strict {
            return Err(ParseFault::syntax(at, message));
        }
        self.out.warn(self.at + at, &message);
        Ok(())
    }

    fn comment(&mut self, line: &[u8]) {
        let text = Tokens::new(line).rest();
        let Some(comment) = text.text.strip_prefix(b"#") else { return };
        if let Some(colors) = comment.strip_prefix(b"MRGB") {
            let colors = Tokens::new(colors).rest().text;
            self.out.event(EventKind::Polypaint, self.at + text.at, colors);
        } else if !self.out.started {
            let comment = comment.strip_prefix(b" ").unwrap_or(comment);
            self.out.event(EventKind::Comment, self.at + text.at, comment);
        }
    }

    /// `least` to `N` floats; returns how many there are. The others are 0. What follows the
    /// first `known` of them is passed over, or refused.
    fn row<F: Float, const N: usize>(
        &mut self,
        key: Token<'_>,
        words: Tokens<'_>,
        least: usize,
        known: usize,
    ) -> Result<([F; N], usize), ParseFault> {
        let mut row = [F::default(); N];
        let mut count = 0;
        for word in words {
            let value = expect_float(word)?;
            if count == known {
                self.complain(word.at, format!("`{}` has too many numbers", shown(key.text)))?;
                break;
            }
            row[count] = value;
            count += 1;
        }
        if count < least {
            let message = format!("`{}` has {count} numbers; it needs {least}", shown(key.text));
            if count == 0 {
                return Err(ParseFault::syntax(key.at, message));
            }
            self.complain(key.at, message)?;
        }
        Ok((row, count))
    }

    /// `v x y z [w]`, `v x y z r g b` or `v x y z r g b a`. Whether four numbers behind the position
    /// are `w r g b`, as in files of rational curves, only shows at the end of the file.
    fn vertex<F: Float>(
        &mut self,
        key: Token<'_>,
        words: Tokens<'_>,
    ) -> Result<[F; 3], ParseFault> {
        let (row, count) = self.row::<F, 7>(key, words, 3, 7)?;
        let [x, y, z, ref rest @ ..] = row;
        let rest = rest.map(F::to_f32);
        if count == 5 {
            self.complain(key.at, "`v` has 5 numbers; it takes 3, 4, 6 or 7".into())?;
        }
        let vertex = self.out.vertex_count();
        if matches!(count, 4 | 5) {
            self.out.weights.resize(vertex, 1.0);
            self.out.weights.push(rest[0]);
        }
        if count >= 6 {
            let alpha = if count == 7 { rest[3] } else { 1.0 };
            self.out.colors.resize(vertex, super::NO_COLOR);
            self.out.colors.push([rest[0], rest[1], rest[2], alpha]);
        }
        if count == 7 {
            push_run(&mut self.out.fours, vertex..vertex + 1);
        }
        Ok([x, y, z])
    }

    fn smoothing(&mut self, key: Token<'_>, mut words: Tokens<'_>) -> Result<(), ParseFault> {
        let group = match words.next() {
            None => Some(0),
            Some(word) => match word.text {
                b"off" | b"OFF" | b"Off" | b"null" => Some(0),
                b"on" | b"ON" | b"On" => Some(1),
                number => parse::i64_prefix(number)
                    .filter(|&(_, used)| used == number.len())
                    .and_then(|(value, _)| u32::try_from(value).ok()),
            },
        };
        match group {
            Some(group) => self.event(EventKind::Smoothing(group), key, b""),
            None => self.complain(key.at, "`s` needs a number, `on` or `off`".into())?,
        }
        Ok(())
    }

    fn element(
        &mut self,
        key: Token<'_>,
        words: Tokens<'_>,
        kind: ElementKind,
    ) -> Result<(), ParseFault> {
        let counts = [self.out.vertex_count(), self.out.uvs.len(), self.out.normals.len()];
        let places = self.out.keep_places;
        let corners = match kind {
            ElementKind::Face => &mut self.out.faces,
            ElementKind::Line => &mut self.out.lines,
            ElementKind::Point => &mut self.out.points,
        };
        let (name, least) = match kind {
            ElementKind::Face => ("face", 3),
            ElementKind::Line => ("line", 2),
            ElementKind::Point => ("point element", 1),
        };
        let start = corners.vertices.values.len();
        for word in words {
            if places {
                corners.places.push(self.at + word.at);
            }
            corner(word, self.options.index_base, counts, corners, name)?;
        }
        let count = corners.vertices.values.len() - start;
        if count >= least {
            corners.ends.push((start + count) as u32);
            return Ok(());
        }
        corners.drop_open();
        self.complain(key.at, format!("a {name} of {count} vertices; it needs {least}"))
    }
}

/// The words of a line, `#` not being a comment.
fn line_words<'a>(words: &Tokens<'a>) -> impl Iterator<Item = &'a [u8]> {
    words.rest().text.split(|&b| super::token::is_blank(b)).filter(|w| !w.is_empty())
}

/// `v`, `v/t`, `v//n` or `v/t/n`.
fn corner(
    word: Token<'_>,
    base: u8,
    counts: [usize; 3],
    corners: &mut CornerLists,
    element: &str,
) -> Result<(), ParseFault> {
    const NAMES: [&str; 3] = ["vertex", "texture coordinate", "normal"];
    let place = corners.vertices.values.len();
    let columns = [&mut corners.vertices, &mut corners.uvs, &mut corners.normals];
    let mut at = 0;
    for (which, column) in columns.into_iter().enumerate() {
        if let Some((value, used)) = parse::i64_prefix(&word.text[at..]) {
            let Some(index) = index(value, base, counts[which]) else {
                return Err(bad_index(word.at + at, element, NAMES[which], value, base));
            };
            column.push(place, index);
            at += used;
        } else if which == 0 || !matches!(word.text.get(at), None | Some(b'/')) {
            break;
        }
        match word.text.get(at) {
            None => return Ok(()),
            Some(b'/') if which < 2 => at += 1,
            Some(_) => break,
        }
    }
    let message = match float::<f32>(word.text) {
        Some(_) => format!("`{}` is not a whole number", shown(word.text)),
        None => {
            format!("`{}` is not a corner; corners are v, v/vt, v//vn or v/vt/vn", shown(word.text))
        }
    };
    Err(ParseFault::syntax(word.at, message))
}

#[cold]
fn bad_index(place: usize, element: &str, what: &str, value: i64, base: u8) -> ParseFault {
    if value == 0 && base == 1 {
        let error = Error::syntax(format!("{element} refers to {what} 0; indices start at 1"))
            .hint("some exporters write 0-based indices; try --index-base 0");
        return ParseFault { place, error };
    }
    let error = Error::new(ErrorKind::Limit, format!("index {value} is too large"));
    ParseFault { place, error }
}
