//! Reading: a header of keywords, three counts, then a vertex or a face a line.

use crate::model::{ColorSpace, Colors, Domain, Mesh, Normals, Scene, Uvs};
use crate::odd::tolerate;
use crate::spans::DECODE;
use crate::text::precision;
use solio_base::{Error, Limits, Result, Source, Work};
use solio_codec::number::parse::{f32_prefix, f64_prefix};

/// Bytes that are read at once.
const BLOCK_BYTES: usize = 1 << 20;
/// A line that is longer is not one of this format.
const LONGEST_LINE: usize = 16 << 20;

/// How an OFF file is read.
#[derive(Clone, Debug, Default)]
pub struct OffReadOptions {
    /// Refuse what a lenient reader passes over with a warning: face colours, more numbers
    /// for a vertex than the header says, and lines behind the last face.
    pub strict: bool,
    /// Bounds.
    pub limits: Limits,
}

/// What stands in a vertex line, by the letters before `OFF` in the header.
#[derive(Clone, Copy, Debug, Default)]
struct VertexLayout {
    uvs: bool,
    colors: bool,
    normals: bool,
}

/// Reads an OFF text: one mesh.
///
/// ```
/// use solio_base::Work;
/// use solio_mesh::off::decode_off;
/// let text = b"OFF # a square\n4 1 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n";
/// let scene = decode_off(&&text[..], &Default::default(), &Work::serial())?;
/// assert_eq!(&*scene.meshes[0].corner_vertices, &[0, 1, 2, 3]);
/// # Ok::<(), solio_base::Error>(())
/// ```
///
/// # Errors
/// `Syntax` with its line for what is not OFF, `Unsupported` for its binary and four-dimensional
/// variants, `Limit`, and those of `source`.
pub fn decode_off(
    source: &dyn Source,
    options: &OffReadOptions,
    work: &Work,
) -> Result<Scene<'static>> {
    let _span = DECODE.begin();
    let mut lines = LineFeed::new(source, work);
    let (layout, [vertices, faces]) = header(&mut lines)?;
    let mut mesh = Mesh::default();
    let mut warnings = Vec::new();
    read_vertices(&mut lines, layout, vertices, &mut mesh, options, &mut warnings)?;
    read_faces(&mut lines, faces, &mut mesh, options, &mut warnings)?;
    if lines.next()?.is_some() {
        let error = lines.error("text follows the last face");
        tolerate(error, options.strict, &mut warnings)?;
    }
    Ok(Scene { meshes: vec![mesh], warnings, ..Scene::default() })
}

/// The keywords and the counts of vertices and faces. The keyword may be missing, and counts may
/// stand right behind it, as in the files of ModelNet.
fn header(lines: &mut LineFeed<'_>) -> Result<(VertexLayout, [usize; 2])> {
    let missing = || Error::syntax("the file ends inside its header").at_line(1, 1).at_offset(0);
    let first = lines.next()?.ok_or_else(missing)?.to_vec();
    let first = first.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&first);
    let end = first.windows(3).position(|word| word == b"OFF");
    let (letters, rest) = match end {
        Some(at) => (&first[..at], first[at + 3..].to_vec()),
        None => (&b""[..], first.to_vec()),
    };
    let mut layout = VertexLayout::default();
    let mut letters = letters;
    while let Some((letter, behind)) = letters.split_first() {
        letters = behind;
        match letter {
            b'S' if behind.starts_with(b"T") => {
                layout.uvs = true;
                letters = &behind[1..];
            }
            b'C' => layout.colors = true,
            b'N' => layout.normals = true,
            b'4' | b'n' => {
                let message = "OFF files of other than three dimensions are not read";
                return Err(Error::unsupported(message).at_line(1, 1).at_offset(0));
            }
            _ => return Err(lines.error("expected OFF, or letters of ST, C and N before it")),
        }
    }
    if rest.trim_ascii().starts_with(b"BINARY") {
        return Err(Error::unsupported("binary OFF files are not read").at_line(1, 1).at_offset(0));
    }
    let rest = rest.trim_ascii().to_vec();
    let counts = if rest.is_empty() { lines.next()?.ok_or_else(missing)?.to_vec() } else { rest };
    let mut words = Words(&counts);
    let mut count = || words.next_count().ok_or_else(|| lines.error("expected three counts"));
    let counts = [count()?, count()?];
    Ok((layout, counts))
}

fn read_vertices(
    lines: &mut LineFeed<'_>,
    layout: VertexLayout,
    count: usize,
    mesh: &mut Mesh<'static>,
    options: &OffReadOptions,
    warnings: &mut Vec<String>,
) -> Result<()> {
    // No count is believed beyond what the rest of the file can hold: `0 0 0` and a line end.
    let room = lines.room(count, 6);
    options.limits.check_bytes("the vertices", (room as u64).saturating_mul(12))?;
    let mut positions = Vec::with_capacity(room);
    let mut wide = Vec::with_capacity(room);
    let (mut normals, mut colors, mut uvs) = (Vec::new(), Vec::new(), Vec::new());
    let (mut are_bytes, mut longer) = (false, 0_u64);
    for number in 0..count {
        let Some(line) = lines.next()? else {
            return Err(lines.error(&format!("the file ends after {number} of {count} vertices")));
        };
        let mut words = Words(line);
        let parsed = (|| {
            let [x, y, z] = [words.next_both()?, words.next_both()?, words.next_both()?];
            positions.push([x.0, y.0, z.0]);
            wide.push([x.1, y.1, z.1]);
            if layout.normals {
                normals.push([words.next_float()?, words.next_float()?, words.next_float()?]);
            }
            if layout.colors {
                let mut rgb = [words.next_float()?, words.next_float()?, words.next_float()?, 1.0];
                // Alpha may be missing; texture coordinates are the last two.
                if words.count() > if layout.uvs { 2 } else { 0 } {
                    rgb[3] = words.next_float()?;
                }
                are_bytes |= rgb[..3].iter().any(|value| *value > 1.0);
                colors.push(rgb);
            }
            if layout.uvs {
                uvs.push([words.next_float()?, words.next_float()?]);
            }
            Some(())
        })();
        if parsed.is_none() {
            return Err(lines.error("expected the numbers of a vertex"));
        }
        longer += u64::from(words.count() > 0);
        if longer > 0 && options.strict {
            return Err(lines.error("more numbers for a vertex than the header says"));
        }
    }
    if longer > 0 {
        warnings.push(format!("vertices with more numbers than the header says: {longer}"));
    }
    if are_bytes {
        for color in &mut colors {
            let alpha = if color[3] > 1.0 { color[3] / 255.0 } else { color[3] };
            *color = [color[0] / 255.0, color[1] / 255.0, color[2] / 255.0, alpha];
        }
    }
    mesh.positions = precision::positions(positions, wide);
    if layout.normals {
        mesh.normals = Some(Normals { values: normals.into(), domain: Domain::Vertex });
    }
    if layout.colors {
        mesh.colors = Some(Colors { values: colors.into(), space: ColorSpace::Srgb });
    }
    if layout.uvs {
        mesh.uvs = Some(Uvs { values: uvs.into(), domain: Domain::Vertex });
    }
    Ok(())
}

fn read_faces(
    lines: &mut LineFeed<'_>,
    count: usize,
    mesh: &mut Mesh<'static>,
    options: &OffReadOptions,
    warnings: &mut Vec<String>,
) -> Result<()> {
    let vertices = mesh.positions.len();
    let room = lines.room(count, 4);
    options.limits.check_bytes("the faces", (room as u64).saturating_mul(16))?;
    let (mut offsets, mut corners) = (Vec::with_capacity(room + 1), Vec::with_capacity(3 * room));
    offsets.push(0);
    let mut colored = 0_u64;
    for number in 0..count {
        let Some(line) = lines.next()? else {
            return Err(lines.error(&format!("the file ends after {number} of {count} faces")));
        };
        let mut words = Words(line);
        let Some(corners_of_face) = words.next_count() else {
            return Err(lines.error("expected the number of corners"));
        };
        for _ in 0..corners_of_face {
            match words.next_count() {
                Some(vertex) if vertex < vertices => corners.push(vertex as u32),
                Some(vertex) => {
                    return Err(lines.error(&format!("vertex {vertex} of {vertices}")));
                }
                None => return Err(lines.error("the face has fewer corners than it says")),
            }
        }
        colored += u64::from(words.count() > 0);
        let Ok(end) = u32::try_from(corners.len()) else {
            let error = Error::limit("more than 4,294,967,295 corners");
            return Err(error.at_line(lines.line, 1).at_offset(lines.start));
        };
        offsets.push(end);
    }
    if colored > 0 {
        let message = format!("the colours of {colored} faces are not read");
        if options.strict {
            return Err(Error::unsupported(message).at_line(lines.line, 1).at_offset(lines.start));
        }
        warnings.push(message);
    }
    if count > 0 {
        (mesh.face_offsets, mesh.corner_vertices) = (offsets.into(), corners.into());
    }
    Ok(())
}

/// The words of a line.
struct Words<'l>(&'l [u8]);

impl<'l> Words<'l> {
    fn next(&mut self) -> Option<&'l [u8]> {
        let rest = self.0.trim_ascii_start();
        let end = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        let (word, rest) = rest.split_at(end);
        self.0 = rest;
        (!word.is_empty()).then_some(word)
    }

    fn next_float(&mut self) -> Option<f32> {
        let word = self.next()?;
        f32_prefix(word).filter(|(_, length)| *length == word.len()).map(|(value, _)| value)
    }

    /// A number as a float and as a double.
    fn next_both(&mut self) -> Option<(f32, f64)> {
        let word = self.next()?;
        let (narrow, length) = f32_prefix(word)?;
        let (wide, _) = f64_prefix(word)?;
        (length == word.len()).then_some((narrow, wide))
    }

    fn next_count(&mut self) -> Option<usize> {
        std::str::from_utf8(self.next()?).ok()?.parse().ok()
    }

    fn count(&self) -> usize {
        self.0.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).count()
    }
}

/// Lines that hold something: comments, from `#` to the end of the line, and blank lines are left out.
struct LineFeed<'s> {
    source: &'s dyn Source,
    work: &'s Work,
    buffer: Vec<u8>,
    /// The next line within `buffer`, and the bytes that were read of the file so far.
    at: usize,
    read: u64,
    ended: bool,
    line: u64,
    /// Where the line begins in the file.
    start: u64,
}

impl<'s> LineFeed<'s> {
    fn new(source: &'s dyn Source, work: &'s Work) -> Self {
        LineFeed {
            source,
            work,
            buffer: Vec::new(),
            at: 0,
            read: 0,
            ended: false,
            line: 0,
            start: 0,
        }
    }

    fn next(&mut self) -> Result<Option<&[u8]>> {
        loop {
            let rest = self.buffer.get(self.at..).unwrap_or_default();
            let newline = memchr::memchr(b'\n', rest);
            let end = match newline {
                Some(end) => self.at + end,
                None if !self.ended => {
                    self.fill()?;
                    continue;
                }
                None if self.at >= self.buffer.len() => return Ok(None),
                None => self.buffer.len(),
            };
            let start = std::mem::replace(&mut self.at, end + 1);
            self.line += 1;
            self.start = self.read - (self.buffer.len() - start) as u64;
            let comment = memchr::memchr(b'#', &self.buffer[start..end]);
            let end = comment.map_or(end, |at| start + at);
            if !self.buffer[start..end].trim_ascii().is_empty() {
                return Ok(Some(self.buffer[start..end].trim_ascii()));
            }
        }
    }

    fn fill(&mut self) -> Result<()> {
        self.work.cancel.check()?;
        self.buffer.drain(..self.at.min(self.buffer.len()));
        self.at = 0;
        let before = self.buffer.len();
        if before > LONGEST_LINE {
            return Err(self.error("a line is longer than 16 MiB"));
        }
        self.buffer.resize(before + BLOCK_BYTES, 0);
        let got = self.source.read_at(self.read, &mut self.buffer[before..])?;
        self.buffer.truncate(before + got);
        self.read += got as u64;
        self.ended = got < BLOCK_BYTES;
        Ok(())
    }

    /// How many of `count` lines of at least `bytes` the rest of the file can hold, as far as that is
    /// known; of a stream no more than a block has.
    fn room(&self, count: usize, bytes: usize) -> usize {
        let rest = self.source.len_bytes().map_or(BLOCK_BYTES as u64, |all| {
            all.saturating_sub(self.read)
                + (self.buffer.len() - self.at.min(self.buffer.len())) as u64
        });
        count.min(usize::try_from(rest).unwrap_or(usize::MAX) / bytes + 1)
    }

    fn error(&self, message: &str) -> Error {
        Error::syntax(message.to_owned()).at_line(self.line.max(1), 1).at_offset(self.start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Positions;
    use crate::off::encode_off;
    use solio_base::ErrorKind;

    fn read(text: &[u8]) -> Result<Scene<'static>> {
        decode_off(&text, &OffReadOptions::default(), &Work::serial())
    }

    #[test]
    fn numbers_that_the_header_does_not_tell_of_are_told() {
        let text = b"OFF\n3 1 0\n0 0 0 255 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
        assert_eq!(
            read(text).unwrap().warnings,
            ["vertices with more numbers than the header says: 1"]
        );
        let strict = OffReadOptions { strict: true, ..OffReadOptions::default() };
        let error = decode_off(&&text[..], &strict, &Work::serial()).unwrap_err();
        assert_eq!((error.kind(), error.offset()), (ErrorKind::Syntax, Some(10)));
    }

    fn strict(text: &[u8]) -> Result<Scene<'static>> {
        let options = OffReadOptions { strict: true, ..OffReadOptions::default() };
        decode_off(&text, &options, &Work::serial())
    }

    #[test]
    fn headers_of_several_programs_are_read() {
        for head in [
            "OFF\n3 1 0\n",
            "OFF 3 1 0\n",
            "OFF3 1 0\n",
            "3 1 0\n",
            "# a\nOFF # b\n\n3 1 0\r\n",
            "\u{feff}OFF\n3 1 0\n",
        ] {
            let text = format!("{head}0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n");
            let scene = read(text.as_bytes()).unwrap_or_else(|e| panic!("{head:?}: {e}"));
            assert_eq!(
                (&*scene.meshes[0].corner_vertices, scene.warnings.len()),
                (&[0, 1, 2][..], 0)
            );
        }
    }

    #[test]
    fn colours_normals_and_texture_coordinates_follow_the_letters() {
        let text = b"STCNOFF\n1 0 0\n1 2 3 0 0 1 255 128 0 255 0.5 0.25\n";
        let mesh = &read(text).unwrap().meshes[0];
        let Positions::F32(positions) = &mesh.positions else { panic!() };
        assert_eq!(positions[0], [1.0, 2.0, 3.0]);
        assert_eq!(mesh.normals.as_ref().unwrap().values[0], [0.0, 0.0, 1.0]);
        assert_eq!(mesh.colors.as_ref().unwrap().values[0], [1.0, 128.0 / 255.0, 0.0, 1.0]);
        assert_eq!(mesh.uvs.as_ref().unwrap().values[0], [0.5, 0.25]);
        let floats = &read(b"COFF\n1 0 0\n0 0 0 1 0.5 0\n").unwrap().meshes[0];
        assert_eq!(floats.colors.as_ref().unwrap().values[0], [1.0, 0.5, 0.0, 1.0]);
    }

    #[test]
    fn faults_are_told_with_their_line() {
        for (text, line, kind) in [
            (&b"OFF\n2 0 0\n0 0 0\n"[..], 3, ErrorKind::Syntax),
            (b"OFF\n1 0 0\n0 x 0\n", 3, ErrorKind::Syntax),
            (b"OFF\n1 1 0\n0 0 0\n3 0 0 1\n", 4, ErrorKind::Syntax),
            (b"OFF\n1 1 0\n0 0 0\n3 0 0\n", 4, ErrorKind::Syntax),
            (b"OFF BINARY\n", 1, ErrorKind::Unsupported),
            (b"4OFF\n0 0 0\n", 1, ErrorKind::Unsupported),
            (b"", 1, ErrorKind::Syntax),
        ] {
            let error = read(text).unwrap_err();
            assert_eq!((error.line(), error.kind()), (Some(line), kind), "{error}");
        }
        // Counts that nothing follows take no memory.
        assert!(read(b"OFF\n99999999999 99999999999 0\n").is_err());
        let face_colour = b"OFF\n1 1 0\n0 0 0\n1 0 255 0 0\nmore\n";
        assert_eq!(read(face_colour).unwrap().warnings.len(), 2);
        assert!(strict(face_colour).is_err());
    }

    #[test]
    fn what_is_written_is_read_again() {
        let text = b"COFF\n3 2 0\n0 0 0 1 0 0 1\n1 0 0.1 0.5 0.25 0 1\n0 1 -2e-7 0 0 1 0.5\n3 0 1 2\n1 2\n";
        let scene = read(text).unwrap();
        let mut written = Vec::new();
        encode_off(&scene, &Work::serial(), &mut written).unwrap();
        assert_eq!(read(&written).unwrap().meshes, scene.meshes);
        // Every cut and every changed byte ends.
        for end in 0..written.len() {
            let _ = read(&written[..end]);
            let mut damaged = written.clone();
            damaged[end] = damaged[end].wrapping_add(1 + end as u8);
            let _ = read(&damaged);
        }
    }
}
