//! Text triangles, in chunks that end with `endfacet`.

use super::collect::{Collector, SolidTriangles};
use super::options::StlReadOptions;
use super::weld::StlPoint;
use crate::head::SourceHead;
use crate::odd::tolerate;
use crate::spans::{DECODE, JOIN};
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
}

/// Reads all solids, and warnings.
pub(crate) fn read<'o>(
    head: &SourceHead<'_>,
    options: &'o StlReadOptions,
    work: &Work,
) -> Result<(Collector<'o>, Vec<String>)> {
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
    ordered::run::<FacetChunk>(
        work,
        work.window(4 * CHUNK),
        |slot| feed.next(&mut slot.chunk),
        |slot| {
            let _span = DECODE.begin().bytes(slot.chunk.text.len());
            let FacetChunk { chunk, triangles, warnings } = slot;
            triangles.clear();
            warnings.clear();
            let mut parser =
                FacetParser { text: &chunk.text, at: 0, strict: options.strict, warnings };
            parser.chunk(triangles).map_err(|e| place(e, chunk, newline))?;
            if options.merge {
                triangles.merge();
            }
            Ok(())
        },
        |slot| {
            let _span = JOIN.begin();
            warnings.append(&mut slot.warnings);
            warnings.truncate(100);
            closed = slot.triangles.closed.unwrap_or(closed);
            collector.add(&slot.triangles)
        },
    )?;
    if !closed {
        let error = Error::syntax("the text ends without `endsolid`")
            .at_offset(feed.at())
            .at_line(feed.line_ends() + 1, 1);
        tolerate(error, options.strict || collector.triangles() == 0, &mut warnings)?;
    }
    Ok((collector, warnings))
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

/// Where the last word `endfacet` ends, in any case.
fn last_facet_end(text: &[u8], _newline: u8) -> Option<usize> {
    let mut end = text.len();
    while let Some(i) = memchr::memrchr2(b'f', b'F', &text[..end]) {
        // `…endfacet` and white space: a name could end in it, but not be followed by a facet.
        let word = i.checked_sub(3).and_then(|start| text.get(start..i + 5));
        let follows = text.get(i + 5).is_some_and(u8::is_ascii_whitespace);
        if follows && word.is_some_and(|w| w.eq_ignore_ascii_case(b"endfacet")) {
            let line = memchr::memrchr2(b'\n', b'\r', &text[..i]).map_or(0, |n| n + 1);
            let first = text[line..i + 5].trim_ascii_start();
            if !first.get(..5).is_some_and(|w| w.eq_ignore_ascii_case(b"solid")) {
                return Some(i + 5);
            }
        }
        end = i;
    }
    None
}

struct FacetParser<'a> {
    text: &'a [u8],
    at: usize,
    strict: bool,
    warnings: &'a mut Vec<String>,
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
                self.facet(out)?;
            } else if is(word, b"endsolid") {
                self.rest_of_line();
                out.closed = Some(true);
            } else if is(word, b"solid") {
                let name = String::from_utf8_lossy(self.rest_of_line()).into_owned();
                out.closed = Some(false);
                out.solids.push((out.points.len() / 3, name));
            } else {
                return Err(self.expected("`facet`, `endsolid` or `solid`", word, start));
            }
        }
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
                let point = self.point()?;
                if corners < 3 {
                    out.points.push(point);
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
