//! Text triangles, in chunks that end with `endfacet`.

use super::collect::{Collector, SolidTriangles};
use super::options::StlReadOptions;
use super::weld::StlPoint;
use crate::head::SourceHead;
use crate::odd::tolerate;
use crate::spans::{DECODE, JOIN};
use crate::text::precision::{any_far, any_far_says_more};
use crate::text::{RecordCut, TextChunk, TextFeed, odd_float};
use solio_base::{Error, Result, Work, ordered};
use solio_codec::number::parse;

/// Bytes in a chunk.
const CHUNK: usize = 512 << 10;

#[derive(Default)]
struct FacetChunk {
    chunk: TextChunk,
    triangles: SolidTriangles,
    warnings: Vec<String>,
    /// What is not as the format wants it: the place in the chunk and the words for the first, and how
    /// many there are.
    odd: OddWords,
    /// The corners as doubles, where they are asked for.
    wide: Vec<[f64; 3]>,
    says_more: bool,
}

/// Reads all solids, and warnings; and whether the text says more of places than floats hold. Where
/// `wide` is given it gets the corners as doubles.
pub(crate) fn read<'o>(
    head: &SourceHead<'_>,
    options: &'o StlReadOptions,
    work: &Work,
    mut wide: Option<&mut Vec<[f64; 3]>>,
) -> Result<(Collector<'o>, Vec<String>, bool)> {
    let newline = match memchr::memchr2(b'\n', b'\r', head.bytes()) {
        Some(i) if head.bytes()[i] == b'\r' && head.bytes().get(i + 1) != Some(&b'\n') => b'\r',
        _ => b'\n',
    };
    let mut feed = TextFeed::new(
        head,
        0,
        newline,
        RecordCut {
            chunk_bytes: CHUNK,
            last_end: last_facet_end,
            limit_bytes: 16 << 20,
            too_long: "no `endfacet` within 16 MiB",
        },
    );
    let mut collector = Collector::new(options, 0);
    let mut warnings = Vec::new();
    let mut closed = true;
    let (mut odd_first, mut odd_count) = (None, 0);
    let (is_wide, mut says_more) = (wide.is_some(), false);
    ordered::run::<FacetChunk>(
        work,
        work.window(4 * CHUNK),
        |slot| feed.next(&mut slot.chunk),
        |slot| {
            let _span = DECODE.begin().bytes(slot.chunk.text.len());
            let FacetChunk { chunk, triangles, warnings, odd, wide, says_more } = slot;
            triangles.clear();
            warnings.clear();
            let text = &chunk.text;
            let mut parser = FacetParser {
                text,
                at: 0,
                strict: options.strict,
                warnings,
                odd: OddWords::default(),
                wide: is_wide.then(Vec::new),
            };
            parser.chunk(triangles).map_err(|e| place(e, chunk, newline))?;
            *wide = parser.wide.take().unwrap_or_default();
            *says_more = false;
            if !is_wide && any_far(triangles.points.as_flattened()) {
                let mut again = FacetParser {
                    text,
                    at: 0,
                    strict: options.strict,
                    warnings: &mut Vec::new(),
                    odd: OddWords::default(),
                    wide: Some(Vec::new()),
                };
                again.chunk(&mut SolidTriangles::default())?;
                let values = again.wide.unwrap_or_default();
                *says_more = any_far_says_more(values.as_flattened());
            }
            *odd = parser.odd;
            if let Some(first) = &odd.first {
                let error = Error::syntax(&*first.1).at_offset(first.0 as u64);
                odd.placed = Some(place(error, chunk, newline));
            }
            if options.merge {
                triangles.merge();
            }
            Ok(())
        },
        |slot| {
            let _span = JOIN.begin();
            odd_count += slot.odd.count;
            says_more |= slot.says_more;
            if let Some(all) = &mut wide {
                all.append(&mut slot.wide);
            }
            if odd_first.is_none() {
                odd_first = slot.odd.placed.take();
            }
            warnings.append(&mut slot.warnings);
            warnings.truncate(100);
            closed = slot.triangles.closed.unwrap_or(closed);
            collector.add(&slot.triangles)
        },
    )?;
    warnings.extend(collector.settle_names());
    if let Some(first) = odd_first {
        let more = if odd_count > 1 { format!("; {odd_count} such words") } else { String::new() };
        warnings.push(format!("not as STL has it: {first}{more}"));
    }
    if !closed {
        let error = Error::syntax("the text ends without `endsolid`")
            .at_offset(feed.at())
            .at_line(feed.line_ends() + 1, 1);
        tolerate(error, options.strict || collector.triangles() == 0, &mut warnings)?;
    }
    Ok((collector, warnings, says_more))
}

/// Turns the offset within a chunk into the place in the file.
fn place(error: Error, chunk: &TextChunk, newline: u8) -> Error {
    let offset = error.offset().unwrap_or(0) as usize;
    let before = &chunk.text[..offset.min(chunk.text.len())];
    let start = memchr::memrchr(newline, before).map_or(0, |i| i + 1);
    let lines = memchr::memchr_iter(newline, before).count() as u64;
    let mut placed = Error::new(error.kind(), error.message())
        .at_offset(chunk.at + offset as u64)
        .at_line(chunk.lines_before + 1 + lines, (offset - start) as u64 + 1);
    if let Some(hint) = error.hint_text() {
        placed = placed.hint(hint);
    }
    placed
}

/// Where the last facet ends: behind `endfacet` or `end facet`, or before the line that starts the next
/// one, in any case.
fn last_facet_end(text: &[u8], _newline: u8) -> Option<usize> {
    let mut end = text.len();
    while let Some(i) = memchr::memrchr2(b'f', b'F', &text[..end]) {
        end = i;
        let is_word = text.get(i..i + 5).is_some_and(|word| is(word, b"facet"))
            && text.get(i + 5).is_some_and(u8::is_ascii_whitespace);
        if !is_word {
            continue;
        }
        let line = memchr::memrchr2(b'\n', b'\r', &text[..i]).map_or(0, |n| n + 1);
        let before = text[line..i].trim_ascii_start();
        // A name could end in it, but not be followed by a facet.
        if before.get(..5).is_some_and(|word| is(word, b"solid")) {
            continue;
        }
        let last = before.trim_ascii_end();
        if last.len() >= 3 && is(&last[last.len() - 3..], b"end") {
            return Some(i + 5);
        }
        if before.is_empty() && line > 0 {
            return Some(line);
        }
    }
    None
}

/// What is not as the format wants it.
#[derive(Default)]
struct OddWords {
    first: Option<(usize, String)>,
    placed: Option<Error>,
    count: u64,
}

struct FacetParser<'a> {
    text: &'a [u8],
    at: usize,
    strict: bool,
    warnings: &'a mut Vec<String>,
    odd: OddWords,
    /// The corners as doubles, where they are asked for.
    wide: Option<Vec<[f64; 3]>>,
}

impl<'a> FacetParser<'a> {
    fn chunk(&mut self, out: &mut SolidTriangles) -> Result<()> {
        if self.text.starts_with(b"\xef\xbb\xbf") {
            self.at = 3;
        }
        loop {
            let word = self.word();
            let start = self.at - word.len();
            if word.is_empty() {
                return Ok(());
            }
            if is(word, b"facet") {
                self.facet_or_odd(out)?;
            } else if is(word, b"endsolid") {
                self.rest_of_line();
                out.closed = Some(true);
            } else if is(word, b"solid") {
                let name = self.rest_of_line().to_vec();
                out.closed = Some(false);
                out.solids.push((out.points.len() / 3, name));
            } else {
                let error = self.expected("`facet`, `endsolid` or `solid`", word, start);
                if self.strict {
                    return Err(error);
                }
                self.note(start, error);
                self.odd_word(word, start, out)?;
            }
        }
    }

    /// A word that is none of those between facets.
    #[cold]
    fn odd_word(&mut self, word: &[u8], start: usize, out: &mut SolidTriangles) -> Result<()> {
        if is(word, b"end") {
            let before = self.at;
            let next = self.word();
            if is(next, b"solid") {
                self.rest_of_line();
                out.closed = Some(true);
            } else if !is(next, b"facet") && !is(next, b"loop") {
                self.at = before;
            }
        } else if is(word, b"normal") || is(word, b"outer") || is(word, b"vertex") {
            // The line before it is missing.
            self.at = start;
            self.odd_facet(start, out)?;
        } else if !is(word, b"endfacet") && !is(word, b"endloop") {
            self.rest_of_line();
        }
        Ok(())
    }

    /// A facet, in the words of the format or in others that mean the same.
    #[inline]
    fn facet_or_odd(&mut self, out: &mut SolidTriangles) -> Result<()> {
        let (start, points) = (self.at, out.points.len());
        let Err(error) = self.facet(out) else { return Ok(()) };
        if self.strict {
            return Err(error);
        }
        out.points.truncate(points);
        if let Some(wide) = &mut self.wide {
            wide.truncate(points);
        }
        self.note(start - 5, error);
        self.at = start;
        self.odd_facet(start - 5, out)
    }

    /// A facet with words left out, added or written apart: three vertices are a triangle.
    #[cold]
    fn odd_facet(&mut self, start: usize, out: &mut SolidTriangles) -> Result<()> {
        let mut normal = [0.0; 3];
        let mut corners = 0;
        loop {
            let before = self.at;
            let word = self.word();
            let at = self.at - word.len();
            let is_next = [&b"facet"[..], b"solid", b"endsolid"].iter().any(|next| is(word, next));
            if is(word, b"vertex") {
                let from = self.at;
                let point = self.point()?;
                if corners < 3 {
                    out.points.push(point);
                    self.push_wide(from, point);
                }
                corners += 1;
            } else if is(word, b"endfacet") {
                break;
            } else if word.is_empty() || is_next {
                self.at = before;
                break;
            } else if is(word, b"end") {
                let next = self.word();
                if is(next, b"facet") {
                    break;
                } else if is(next, b"solid") {
                    self.at = at;
                    break;
                }
            } else if corners == 0 && (is(word, b"normal") || parse::f32_prefix(word).is_some()) {
                if !is(word, b"normal") {
                    self.at = at;
                }
                normal = self.odd_normal()?;
            } else if ![&b"outer"[..], b"loop", b"endloop"].iter().any(|known| is(word, known)) {
                let error = self.expected("`vertex` or `endfacet`", word, at);
                self.note(at, error);
                if parse::f32_prefix(word).is_none() {
                    self.rest_of_line();
                }
            }
        }
        if corners != 3 {
            let message = format!("a facet of {corners} vertices; STL has triangles only");
            return Err(Error::syntax(message).at_offset(start as u64));
        }
        out.normals.push(normal);
        Ok(())
    }

    /// The numbers of a normal, as far as they are there.
    fn odd_normal(&mut self) -> Result<StlPoint> {
        let mut normal = [0.0; 3];
        for value in &mut normal {
            let before = self.at;
            let word = self.word();
            let is_number = parse::f32_prefix(word).is_some() || odd_float(word).is_some();
            self.at = before;
            if !is_number {
                return Ok([0.0; 3]);
            }
            *value = self.float()?;
        }
        Ok(normal)
    }

    /// Keeps what is odd for a warning.
    #[cold]
    fn note(&mut self, at: usize, error: Error) {
        self.odd.count += 1;
        let at = error.offset().map_or(at, |offset| offset as usize);
        self.odd.first.get_or_insert_with(|| (at, error.message().to_owned()));
    }

    fn facet(&mut self, out: &mut SolidTriangles) -> Result<()> {
        let start = self.at - 5;
        self.expect(b"normal")?;
        let normal = self.point()?;
        self.expect(b"outer")?;
        self.expect(b"loop")?;
        let mut corners = 0;
        loop {
            let word = self.word();
            if is(word, b"vertex") {
                let from = self.at;
                let point = self.point()?;
                if corners < 3 {
                    out.points.push(point);
                    self.push_wide(from, point);
                }
                corners += 1;
            } else if is(word, b"endloop") {
                break;
            } else {
                return Err(self.expected("`vertex` or `endloop`", word, self.at - word.len()));
            }
        }
        if corners != 3 {
            let message = format!("a facet of {corners} vertices; STL has triangles only");
            return Err(Error::syntax(message).at_offset(start as u64));
        }
        self.expect(b"endfacet")?;
        out.normals.push(normal);
        Ok(())
    }

    #[inline(always)]
    fn skip_space(&mut self) {
        while self.text.get(self.at).is_some_and(|b| *b <= b' ') {
            self.at += 1;
        }
    }

    /// The next word; empty at the end of the text.
    #[inline(always)]
    fn word(&mut self) -> &'a [u8] {
        self.skip_space();
        let start = self.at;
        while self.text.get(self.at).is_some_and(|b| *b > b' ') {
            self.at += 1;
        }
        &self.text[start..self.at]
    }

    fn rest_of_line(&mut self) -> &'a [u8] {
        let rest = &self.text[self.at..];
        let n = memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
        self.at += n;
        rest[..n].trim_ascii()
    }

    #[inline(always)]
    fn expect(&mut self, wanted: &'static [u8]) -> Result<()> {
        let word = self.word();
        if is(word, wanted) {
            return Ok(());
        }
        let shown = format!("`{}`", String::from_utf8_lossy(wanted));
        Err(self.expected(&shown, word, self.at - word.len()))
    }

    /// Keeps the corner whose numbers start at `from` as doubles, where these are asked for.
    fn push_wide(&mut self, from: usize, point: StlPoint) {
        let Some(wide) = &mut self.wide else { return };
        let words = self.text[from..self.at].split(|b| *b <= b' ').filter(|word| !word.is_empty());
        let mut row = point.map(f64::from);
        for (value, word) in row.iter_mut().zip(words) {
            if let Some((read, _)) = parse::f64_prefix(word).filter(|(_, n)| *n == word.len()) {
                *value = read;
            }
        }
        wide.push(row);
    }

    fn point(&mut self) -> Result<StlPoint> {
        Ok([self.float()?, self.float()?, self.float()?])
    }

    #[inline(always)]
    fn float(&mut self) -> Result<f32> {
        self.skip_space();
        let rest = &self.text[self.at..];
        match parse::f32_prefix(rest) {
            Some((value, n)) if rest.get(n).is_none_or(|b| *b <= b' ') => {
                self.at += n;
                Ok(value)
            }
            _ => self.odd_float(),
        }
    }

    /// What the C library of Windows wrote for NaN and infinity.
    #[cold]
    fn odd_float(&mut self) -> Result<f32> {
        let word = self.word();
        let start = self.at - word.len();
        if let Some(value) = odd_float(word).filter(|_| !self.strict) {
            if self.warnings.len() < 100 {
                self.warnings.push(format!("`{}` read as {value}", String::from_utf8_lossy(word)));
            }
            return Ok(value);
        }
        Err(self.expected("a number", word, start))
    }

    #[cold]
    fn expected(&self, wanted: &str, found: &[u8], at: usize) -> Error {
        let message = if found.is_empty() {
            format!("the text ends where {wanted} was expected")
        } else {
            let shown: String = String::from_utf8_lossy(found).chars().take(40).collect();
            format!("`{shown}` where {wanted} was expected")
        };
        Error::syntax(message).at_offset(at as u64)
    }
}

#[inline(always)]
fn is(word: &[u8], wanted: &[u8]) -> bool {
    word == wanted || word.eq_ignore_ascii_case(wanted)
}
