//! Puts chunks together, in the order of the file, into the arrays of one mesh.

use super::chunk::{CornerLists, Event, EventKind, IndexColumn, ParseFault, ParsedText, push_run};
use super::freeform::Freeform;
use super::input::SourceText;
use super::locate::{self, Bases, PendingIndices};
use super::names::{NameList, PerFace};
use crate::TextEncoding;
use crate::material::Material;
use crate::model::{
    ColorSpace, Colors, Domain, Mesh, NONE, Normals, Object, Positions, Scene, Uvs,
};
use crate::obj::options::ObjReadOptions;
use crate::obj::rational::is_rational;
use crate::text::precision::widen;
use crate::text::{NameBytes, decode};
use solio_base::{Error, Result, Source, memory};
use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

/// Most warnings that are kept; the rest are counted.
const MOST_WARNINGS: u64 = 100;

/// Room for an array of which there are only a few values yet: enough for huge pages from the start.
const MOST_AHEAD: u64 = 8 << 20;

/// Index arrays of faces, lines or points.
#[derive(Default)]
struct ElementPool {
    vertices: Vec<u32>,
    uvs: Vec<u32>,
    normals: Vec<u32>,
    offsets: Vec<u32>,
}

/// Where a name belongs: its place in one of the lists.
#[derive(Clone, Copy)]
enum NamePlace {
    Comment(usize),
    Object(usize),
    Group(usize),
    Material(usize),
    Library(usize),
}

/// Everything read so far.
pub(super) struct ObjGather<'a> {
    options: &'a ObjReadOptions,
    memory: Option<&'a [u8]>,
    /// Bytes of the source, where known: chunks so far tell how large the arrays will be.
    source_bytes: Option<u64>,
    positions: Vec<[f32; 3]>,
    positions64: Vec<[f64; 3]>,
    weights: Vec<f32>,
    colors: Vec<[f32; 4]>,
    /// Vertices with four numbers behind the position.
    fours: Vec<Range<usize>>,
    uvs: Vec<[f32; 2]>,
    normals: Vec<[f32; 3]>,
    faces: ElementPool,
    lines: ElementPool,
    points: ElementPool,
    objects: Vec<Object>,
    materials: NameList,
    groups: NameList,
    face_materials: PerFace,
    face_groups: PerFace,
    face_smoothing: PerFace,
    libraries: Vec<String>,
    known_libraries: HashSet<Vec<u8>>,
    comments: Vec<String>,
    /// `#MRGB` colours for the last vertices before `polypaint_at`.
    polypaint: Vec<[f32; 4]>,
    polypaint_at: usize,
    freeform: Freeform,
    /// Names that are not UTF-8.
    names: NameBytes<NamePlace>,
    warnings: Vec<String>,
    warning_count: u64,
    started: bool,
    line: u64,
    ahead: PendingIndices,
}

impl<'a> ObjGather<'a> {
    pub(super) fn new(source: &'a dyn Source, options: &'a ObjReadOptions) -> Self {
        ObjGather {
            options,
            memory: source.as_bytes(),
            source_bytes: source.len_bytes(),
            positions: Vec::new(),
            positions64: Vec::new(),
            weights: Vec::new(),
            colors: Vec::new(),
            fours: Vec::new(),
            uvs: Vec::new(),
            normals: Vec::new(),
            faces: ElementPool::default(),
            lines: ElementPool::default(),
            points: ElementPool::default(),
            objects: Vec::new(),
            materials: NameList::default(),
            groups: NameList::default(),
            face_materials: PerFace::new(NONE),
            face_groups: PerFace::new(NONE),
            face_smoothing: PerFace::new(0),
            libraries: Vec::new(),
            known_libraries: HashSet::new(),
            comments: Vec::new(),
            polypaint: Vec::new(),
            polypaint_at: 0,
            freeform: Freeform::default(),
            names: NameBytes::default(),
            warnings: Vec::new(),
            warning_count: 0,
            started: false,
            line: 1,
            ahead: PendingIndices::new(source.is_sequential()),
        }
    }

    fn bases(&self) -> Bases {
        Bases {
            vertices: self.positions.len() + self.positions64.len(),
            uvs: self.uvs.len(),
            normals: self.normals.len(),
            faces: self.faces.offsets.len().saturating_sub(1),
            lines: self.lines.offsets.len().saturating_sub(1),
            points: self.points.vertices.len(),
        }
    }

    /// Appends one chunk.
    pub(super) fn add(&mut self, text: &SourceText, chunk: &mut ParsedText) -> Result<()> {
        let bases = self.bases();
        let mut fault = chunk.fault.take();
        self.check_limits(&bases, chunk).map_err(|e| e.at_offset(text.offset))?;
        self.reserve(text, chunk);
        self.add_values(chunk);

        let mut reach = [0u32; 3];
        let mut fell = false;
        for (pool, corners) in [
            (&mut self.faces, &chunk.faces),
            (&mut self.lines, &chunk.lines),
            (&mut self.points, &chunk.points),
        ] {
            fell |= pool.add(corners, &bases, &mut reach).is_none();
        }
        if fell {
            fault = locate::relative(text, self.memory, self.options, &bases).or(fault);
        }
        let counts = self.counts();
        if reach.iter().zip(counts).any(|(&reach, count)| reach as usize > count) {
            self.ahead.note(text, self.memory, reach, self.line, &bases);
        }
        for event in &chunk.events {
            if fault.as_ref().is_some_and(|f| f.place < event.place) {
                break;
            }
            let words = &chunk.words[event.words.clone()];
            if let Err(found) = self.event(event, words, &bases, text) {
                fault = Some(found);
                break;
            }
        }
        self.started |= chunk.started;
        if let Some(ParseFault { place, error }) = fault {
            return Err(self.placed(error, text, place));
        }
        self.line += chunk.line_count;
        Ok(())
    }

    /// Vertices, UVs and normals so far.
    fn counts(&self) -> [usize; 3] {
        [self.positions.len() + self.positions64.len(), self.uvs.len(), self.normals.len()]
    }

    fn placed(&self, error: Error, text: &SourceText, place: usize) -> Error {
        let (line, column) = locate::line_and_column(text.padded(self.memory), place);
        error.at_offset(text.source_offset(self.memory, place)).at_line(self.line + line, column)
    }

    fn check_limits(&self, bases: &Bases, chunk: &ParsedText) -> Result<()> {
        let limits = &self.options.limits;
        let corners = self.faces.vertices.len() + chunk.faces.vertices.values.len();
        let line_corners = self.lines.vertices.len() + chunk.lines.vertices.values.len();
        for (what, count) in [
            ("vertices", bases.vertices + chunk.vertex_count()),
            ("texture coordinates", bases.uvs + chunk.uvs.len()),
            ("normals", bases.normals + chunk.normals.len()),
            ("face corners", corners),
            ("line vertices", line_corners),
            ("faces", bases.faces + chunk.faces.ends.len()),
            ("lines", bases.lines + chunk.lines.ends.len()),
            ("points", bases.points + chunk.points.vertices.values.len()),
        ] {
            // `NONE` and the end of the last range must fit beside the indices.
            let most = limits.elements.min(u64::from(u32::MAX) - 1);
            if count as u64 > most {
                return Err(Error::limit(format!("more than {most} {what}")));
            }
        }
        let [vertices, uvs, normals] = self.counts();
        let bytes = 12 * (vertices + normals + corners) + 8 * uvs;
        limits.check_bytes("the mesh", bytes as u64)
    }

    /// Makes room for what the rest of the source holds if it goes on like this chunk. Only
    /// address space: nothing is touched before there are values for it.
    fn reserve(&mut self, text: &SourceText, chunk: &ParsedText) {
        let rest = self.source_bytes.map_or(0, |all| all.saturating_sub(text.offset));
        let scale = if text.len == 0 { 0.0 } else { 1.02 * rest as f64 / text.len as f64 };
        let scale = scale.max(1.0);
        let least = (rest / 16).min(MOST_AHEAD) as usize;
        room(&mut self.positions, chunk.positions.len(), scale, least);
        room(&mut self.positions64, chunk.positions64.len(), scale, least);
        room(&mut self.uvs, chunk.uvs.len(), scale, least);
        room(&mut self.normals, chunk.normals.len(), scale, least);
        room(&mut self.faces.vertices, chunk.faces.vertices.values.len(), scale, least);
        room(&mut self.faces.uvs, chunk.faces.uvs.values.len(), scale, least);
        room(&mut self.faces.normals, chunk.faces.normals.values.len(), scale, least);
        room(&mut self.faces.offsets, chunk.faces.ends.len() + 1, scale, least);
    }

    fn add_values(&mut self, chunk: &ParsedText) {
        let vertices = self.positions.len() + self.positions64.len();
        if !chunk.weights.is_empty() {
            self.weights.resize(vertices, 1.0);
            self.weights.extend_from_slice(&chunk.weights);
        }
        if !chunk.colors.is_empty() {
            self.colors.resize(vertices, super::NO_COLOR);
            self.colors.extend_from_slice(&chunk.colors);
        }
        for run in &chunk.fours {
            push_run(&mut self.fours, vertices + run.start..vertices + run.end);
        }
        if self.positions64.is_empty() && chunk.positions64.is_empty() {
            self.positions.extend_from_slice(&chunk.positions);
        } else {
            // Some chunk has coordinates that need doubles: all have them from there on.
            self.positions64.extend(widen(&std::mem::take(&mut self.positions)));
            self.positions64.extend(widen(&chunk.positions));
            self.positions64.extend_from_slice(&chunk.positions64);
        }
        self.uvs.extend_from_slice(&chunk.uvs);
        self.normals.extend_from_slice(&chunk.normals);
    }

    fn event(
        &mut self,
        event: &Event,
        words: &[u8],
        bases: &Bases,
        text: &SourceText,
    ) -> Result<(), ParseFault> {
        let face = bases.faces + event.marks.faces;
        match event.what {
            EventKind::Comment => {
                if !self.started {
                    let comment = self.name(words, NamePlace::Comment(self.comments.len()), text);
                    self.comments.push(comment.trim_end().to_owned());
                }
            }
            EventKind::Object => {
                self.end_object(bases, event.marks);
                let name = self.name(words, NamePlace::Object(self.objects.len()), text);
                self.objects.push(Object { name, ..Object::default() });
            }
            EventKind::Group => {
                let group = self.number(|all| &mut all.groups, NamePlace::Group, words, text);
                self.face_groups.change(face, group);
            }
            EventKind::Material => {
                let material =
                    self.number(|all| &mut all.materials, NamePlace::Material, words, text);
                self.face_materials.change(face, material);
            }
            EventKind::Library => {
                if !words.is_empty() && self.known_libraries.insert(words.to_vec()) {
                    let name = self.name(words, NamePlace::Library(self.libraries.len()), text);
                    self.libraries.push(name);
                }
            }
            EventKind::Smoothing(group) => self.face_smoothing.change(face, group),
            EventKind::Polypaint => {
                self.polypaint(words, bases.vertices + event.marks.vertices, event)?;
            }
            EventKind::Freeform => {
                let counts = [
                    bases.vertices + event.marks.vertices,
                    bases.uvs + event.marks.uvs,
                    bases.normals + event.marks.normals,
                ];
                self.freeform.add(words, event.place, self.options.index_base, counts)?;
            }
            EventKind::Warning => {
                let message = String::from_utf8_lossy(words).into_owned();
                self.warn(&message, event, text);
            }
        }
        Ok(())
    }

    fn warn(&mut self, message: &str, event: &Event, text: &SourceText) {
        self.warning_count += 1;
        if self.warning_count <= MOST_WARNINGS {
            let (line, column) = locate::line_and_column(text.padded(self.memory), event.place);
            self.warnings.push(format!("{}:{column}: {message}", self.line + line));
        }
    }

    /// The number of a name in one of the lists; [`NONE`] where there is no name.
    fn number(
        &mut self,
        list: fn(&mut Self) -> &mut NameList,
        place: fn(usize) -> NamePlace,
        words: &[u8],
        text: &SourceText,
    ) -> u32 {
        if words.is_empty() {
            return NONE;
        }
        if let Some(known) = list(self).known(words) {
            return known;
        }
        let place = place(list(self).len());
        let name = self.name(words, place, text);
        list(self).add(words, name)
    }

    /// A name as far as it is known yet: the encoding shows at the end of the file.
    fn name(&mut self, words: &[u8], place: NamePlace, text: &SourceText) -> String {
        if !text.wide {
            self.names.note(place, words, self.options.encoding);
        }
        decode(words).0
    }

    /// Decodes the names that are not UTF-8, and returns how.
    fn settle_names(&mut self) -> Option<TextEncoding> {
        let names = std::mem::take(&mut self.names);
        let (encoding, told) = names.settle(self.options.encoding, |place, name| {
            match place {
                NamePlace::Comment(i) => self.comments[i] = name.trim_end().to_owned(),
                NamePlace::Object(i) => self.objects[i].name = name,
                NamePlace::Group(i) => self.groups.set(i, name),
                NamePlace::Material(i) => self.materials.set(i, name),
                NamePlace::Library(i) => self.libraries[i] = name,
            };
        })?;
        if !told.is_empty() {
            self.warning_count += 1;
            self.warnings.push(told);
        }
        Some(encoding)
    }

    /// Ends the object that is open before `marks`, or the unnamed one at the start of the file
    /// if it has any elements. Vertices alone go to the object that follows.
    fn end_object(&mut self, bases: &Bases, marks: Bases) {
        let end = Object {
            vertices_end: (bases.vertices + marks.vertices) as u32,
            uvs_end: (bases.uvs + marks.uvs) as u32,
            normals_end: (bases.normals + marks.normals) as u32,
            faces_end: (bases.faces + marks.faces) as u32,
            lines_end: (bases.lines + marks.lines) as u32,
            points_end: (bases.points + marks.points) as u32,
            ..Object::default()
        };
        match self.objects.last_mut() {
            Some(open) => *open = Object { name: std::mem::take(&mut open.name), ..end },
            None if end.faces_end + end.lines_end + end.points_end > 0 => self.objects.push(end),
            None => {}
        }
    }

    fn polypaint(
        &mut self,
        words: &[u8],
        vertices: usize,
        event: &Event,
    ) -> Result<(), ParseFault> {
        if vertices != self.polypaint_at {
            self.end_polypaint();
            self.polypaint_at = vertices;
        }
        for (i, word) in words.chunks(8).enumerate() {
            let value = std::str::from_utf8(word)
                .ok()
                .filter(|text| text.len() == 8)
                .and_then(|text| u32::from_str_radix(text, 16).ok());
            let Some(value) = value else {
                // A comment that only looks like polypaint.
                if i == 0 || !self.options.strict {
                    break;
                }
                return Err(ParseFault::syntax(
                    event.place,
                    "`#MRGB` needs 8 hexadecimal digits a vertex",
                ));
            };
            let [_mask, r, g, b] = value.to_be_bytes().map(|byte| f32::from(byte) / 255.0);
            self.polypaint.push([r, g, b, 1.0]);
        }
        Ok(())
    }

    /// A block of polypaint colours the last vertices before it.
    fn end_polypaint(&mut self) {
        let block = std::mem::take(&mut self.polypaint);
        let end = self.polypaint_at;
        let Some(start) = end.checked_sub(block.len()).filter(|_| !block.is_empty()) else {
            return;
        };
        if self.colors.len() < end {
            self.colors.resize(end, super::NO_COLOR);
        }
        self.colors[start..end].copy_from_slice(&block);
    }

    /// In a file of rational curves, four numbers behind the position are `w r g b`.
    fn take_weights(&mut self) {
        for vertex in std::mem::take(&mut self.fours).into_iter().flatten() {
            let [w, r, g, b] = self.colors[vertex];
            self.colors[vertex] = [r, g, b, 1.0];
            if self.weights.len() <= vertex {
                self.weights.resize(vertex + 1, 1.0);
            }
            self.weights[vertex] = w;
        }
    }

    /// Checks what can only be checked at the end, and makes the scene.
    pub(super) fn finish(mut self, source: &dyn Source) -> Result<Scene<'static>> {
        let counts = self.counts();
        let checked = self.pass_over_missing(counts);
        self.ahead.check(source, self.options, checked)?;
        if counts[0] == 0 && self.freeform.is_empty() {
            let mut error = Error::syntax("no vertices: this is no OBJ model, or an empty one");
            if let Some(warning) = self.warnings.first() {
                error = error.hint(format!("the first line not understood is {warning}"));
            }
            return Err(error.at_offset(0).at_line(1, 1));
        }
        if is_rational(self.freeform.text()) {
            self.take_weights();
        }
        self.end_polypaint();
        let names_encoding = self.settle_names();
        let bases = self.bases();
        if !self.objects.is_empty() {
            self.end_object(&bases, Bases::default());
        }
        if self.warning_count > self.warnings.len() as u64 {
            let more = self.warning_count - self.warnings.len() as u64;
            self.warnings.push(format!("and {more} more"));
        }
        let materials = std::mem::take(&mut self.materials).into_list();
        let comments = std::mem::take(&mut self.comments);
        let libraries = std::mem::take(&mut self.libraries);
        let warnings = std::mem::take(&mut self.warnings);
        Ok(Scene {
            meshes: vec![self.into_mesh(&bases)],
            materials: materials
                .into_iter()
                .map(|name| Material { name, ..Material::default() })
                .collect(),
            libraries_unread: !libraries.is_empty(),
            material_libraries: libraries,
            comments,
            names_encoding,
            warnings,
            ..Scene::default()
        })
    }

    /// Some exporters number normals or texture coordinates that they do not write at all: a
    /// lenient reader takes those as not given. Returns the counts to check the others against.
    fn pass_over_missing(&mut self, mut counts: [usize; 3]) -> [usize; 3] {
        if self.options.strict {
            return counts;
        }
        let columns = [
            (1, "texture coordinates", [&mut self.faces.uvs, &mut self.lines.uvs]),
            (2, "normals", [&mut self.faces.normals, &mut self.lines.normals]),
        ];
        for (which, what, columns) in columns {
            let used = columns.iter().any(|column| !column.is_empty());
            if counts[which] == 0 && used {
                counts[which] = usize::MAX;
                columns.into_iter().for_each(Vec::clear);
                self.warning_count += 1;
                self.warnings.push(format!("faces refer to {what}; the file has none"));
            }
        }
        counts
    }

    fn into_mesh(mut self, bases: &Bases) -> Mesh<'static> {
        let corners = self.faces.vertices.len();
        let line_vertices = self.lines.vertices.len();
        if self.lines.uvs.iter().all(|&uv| uv == NONE) {
            // Those of a line that was left out.
            self.lines.uvs.clear();
        } else {
            self.lines.uvs.resize(line_vertices, NONE);
        }
        let face_count = bases.faces;
        let uvs = (!self.uvs.is_empty() || !self.faces.uvs.is_empty()).then(|| {
            self.faces.uvs.resize(corners, NONE);
            Uvs { values: owned(self.uvs), domain: Domain::Indexed(owned(self.faces.uvs)) }
        });
        let normals = (!self.normals.is_empty() || !self.faces.normals.is_empty()).then(|| {
            self.faces.normals.resize(corners, NONE);
            let domain = Domain::Indexed(owned(self.faces.normals));
            Normals { values: owned(self.normals), domain }
        });
        let weights = (!self.weights.is_empty()).then(|| {
            self.weights.resize(bases.vertices, 1.0);
            owned(self.weights)
        });
        let colors = (!self.colors.is_empty()).then(|| {
            self.colors.resize(bases.vertices, super::NO_COLOR);
            Colors { values: owned(self.colors), space: ColorSpace::Srgb }
        });
        Mesh {
            positions: if self.options.double || !self.positions64.is_empty() {
                Positions::F64(owned(self.positions64))
            } else {
                Positions::F32(owned(self.positions))
            },
            weights,
            colors,
            uvs,
            uv_lists: false,
            normals,
            face_offsets: owned(self.faces.offsets),
            corner_vertices: owned(self.faces.vertices),
            face_materials: owned(self.face_materials.finish(face_count)),
            face_smoothing: owned(self.face_smoothing.finish(face_count)),
            face_groups: owned(self.face_groups.finish(face_count)),
            groups: self.groups.into_list(),
            line_offsets: owned(self.lines.offsets),
            line_vertices: owned(self.lines.vertices),
            line_uvs: owned(self.lines.uvs),
            points: owned(self.points.vertices),
            objects: self.objects,
            vertex_groups: Vec::new(),
            attributes: Vec::new(),
            freeform: self.freeform.into_text(),
        }
    }
}

fn owned<T: Clone>(mut values: Vec<T>) -> Cow<'static, [T]> {
    values.shrink_to_fit();
    Cow::Owned(values)
}

/// Room for `count` more values now and `scale` times as many until the end of the source; for `least`
/// bytes at least, as the chunk may have only the first few.
fn room<T>(values: &mut Vec<T>, count: usize, scale: f64, least: usize) {
    if values.capacity() - values.len() < count {
        // Not having the address space is no failure yet: growing as needed may still work.
        let expected = ((count as f64 * scale) as usize).max(least / size_of::<T>());
        let _ = memory::try_reserve(values, expected.max(values.len()));
    }
}

impl ElementPool {
    /// Appends a chunk's elements, and raises `reach` to one past the highest index of each kind.
    /// `None` where a relative index falls before the first element of the file.
    fn add(&mut self, corners: &CornerLists, bases: &Bases, reach: &mut [u32; 3]) -> Option<()> {
        if corners.ends.is_empty() {
            return Some(());
        }
        if self.offsets.is_empty() {
            self.offsets.push(0);
        }
        let before = self.vertices.len();
        let base = before as u32;
        self.offsets.extend(corners.ends.iter().map(|&end| base + end));
        append(&mut self.vertices, before, &corners.vertices, bases.vertices, &mut reach[0])?;
        append(&mut self.uvs, before, &corners.uvs, bases.uvs, &mut reach[1])?;
        append(&mut self.normals, before, &corners.normals, bases.normals, &mut reach[2])
    }
}

fn append(
    to: &mut Vec<u32>,
    corner_base: usize,
    column: &IndexColumn,
    base: usize,
    reach: &mut u32,
) -> Option<()> {
    if column.values.is_empty() {
        return Some(());
    }
    to.resize(corner_base, NONE);
    to.extend_from_slice(&column.values);
    let new = &mut to[corner_base..];
    for range in &column.relative {
        for value in &mut new[range.clone()] {
            *value = u32::try_from(base as i64 + i64::from(*value as i32)).ok()?;
        }
    }
    // `NONE` wraps to 0.
    *reach = new.iter().fold(*reach, |most, &value| most.max(value.wrapping_add(1)));
    Some(())
}
