//! Writing OBJ: the same bytes as Blender's exporter for the same scene and options.
//!
//! Meshes are taken in batches that fit the memory budget. For each batch
//! 1. the meshes are prepared, all at once: faces cut into triangles and sorted by material, UVs
//!    and normals merged ([`crate::merge`]);
//! 2. the numbers of their vertices, UVs and normals in the file follow from the counts;
//! 3. the text is cut into pieces, which become chunks of the sink, and these are made in
//!    parallel.
//!
//! Per object: `o`, `v`, `vn`, `vt`, then the faces with `s`, `g` and `usemtl` where they change,
//! then `l` and `p`; free-form statements end a mesh.

mod extras;
mod faces;
mod lines;
mod plan;
mod shared;
#[cfg(test)]
mod tests;
mod values;
mod vertices;
mod weights;

pub(super) use extras::says_weight;
pub use faces::small_faces;

use super::rational::is_rational;
use super::{ObjWriteOptions, material_names};
use crate::bits::RankedBits;
use crate::material::TEXTURE_COMMENT;
use crate::merge;
use crate::model::{Mesh, Scene};
use crate::parallel::{self, ArrayPool};
use crate::rounds;
use crate::spans::PREPARE;
use crate::triangulate;
use plan::{AxesRotation, LeftOn, ObjPart};
use rayon::prelude::*;
use shared::SharedArrays;
use solio_base::{Result, Sink, Work};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;
use values::{NormalValues, NumberWindow, ValueIndex};
use weights::Weights;

/// Writes `scene` as OBJ text.
///
/// # Errors
/// `Argument` when arrays of a mesh do not fit each other, an index lies outside its array, or a
/// number is not finite and the options refuse that; and what the sink says.
pub fn encode_obj(
    scene: &Scene<'_>,
    options: &ObjWriteOptions,
    work: &Work,
    sink: &mut dyn Sink,
) -> Result<()> {
    let from = options.source_axes;
    let axes = crate::transform::axes(from, (options.forward_axis, options.up_axis))?;
    crate::transform::scale(options.global_scale)?;
    for (index, mesh) in scene.meshes.iter().enumerate() {
        plan::check(index, mesh)?;
    }
    let material_names = material_names(&scene.materials, options.spaces_to_underscores);
    let is_rational =
        is_rational(&options.epilogue) || scene.meshes.iter().any(|m| is_rational(&m.freeform));
    let job = ObjJob { options, work, material_names, is_rational };
    sink.write_bytes(work, &job.head(scene))?;
    let pool = parallel::pool(work)?;
    let mut at = ObjPosition::default();
    let mut start = 0;
    while start < scene.meshes.len() {
        let prepare = PREPARE.begin();
        let end = batch_end(&scene.meshes, start, options, work);
        let meshes = pool.install(|| {
            let batch = &scene.meshes[start..end];
            let meshes = parallel::collect(batch.len(), &|i| job.triangulated(&batch[i]));
            meshes.into_iter().collect::<Result<Vec<_>>>()
        })?;
        let (parts, prepared) = pool.install(|| job.prepare(start, &meshes, &axes, &mut at))?;
        drop(prepare);
        job.write(&parts, &prepared, start, &pool, sink)?;
        start = end;
    }
    if !options.epilogue.is_empty() {
        sink.write_bytes(work, &options.epilogue)?;
    }
    Ok(())
}

/// What all pieces of text need.
struct ObjJob<'a> {
    options: &'a ObjWriteOptions,
    work: &'a Work,
    material_names: Vec<String>,
    /// Whether the file has rational curves or surfaces.
    is_rational: bool,
}

/// A mesh that is ready to be written.
struct Prepared<'a> {
    /// Its index in the scene.
    number: usize,
    mesh: &'a Mesh<'a>,
    uvs: Option<ValueIndex<'a>>,
    normals: Option<ValueIndex<'a>>,
    normal_values: Option<NormalValues<'a>>,
    /// Whether faces have less than three corners.
    has_small_faces: bool,
    /// Elements in a round, where UVs and normals are merged in rounds.
    round: Option<usize>,
    /// What other meshes with the same arrays have too.
    shared: Arc<SharedArrays<'a>>,
    /// For [`ObjWriteOptions::export_vertex_groups`].
    weights: Option<Weights>,
    has_alpha: bool,
    /// What earlier meshes have written of each.
    vertex_base: u64,
    uv_base: u64,
    normal_base: u64,
}

/// How far the file has come.
#[derive(Default)]
struct ObjPosition {
    vertices: u64,
    uvs: u64,
    normals: u64,
    left_on: LeftOn,
}

/// A stretch of text.
#[derive(Clone, Debug)]
struct TextPiece {
    /// Where the corners of its faces start in the [`NumberWindow`].
    at: usize,
    part: u32,
    kind: PieceKind,
    /// Elements of `kind`, in the order of writing; groups where values are merged.
    range: Range<usize>,
    /// About how long the text gets.
    bytes: usize,
}

#[derive(Clone, Copy, Debug)]
enum PieceKind {
    Name,
    Positions,
    OwnNormals,
    MergedNormals,
    OwnUvs,
    MergedUvs,
    Faces,
    Lines,
    Points,
    Freeform,
}

/// Text that a chunk of the sink gets; it should stay in the second-level cache.
const CHUNK_BYTES: usize = 512 << 10;

/// Corners whose merging may be under way at once, unless one mesh alone has more.
const BATCH_CORNERS: u64 = 2 << 20;

/// Bytes that merging takes at most for each of its values, of UVs and normals: what stays of both,
/// and what the second one takes while it goes on.
const MERGED_BYTES: u64 = 8 + merge::BYTES;

/// The memory for what is prepared: a quarter is for the chunks under way.
fn memory(work: &Work) -> u64 {
    work.memory_bytes / 4 * 3
}

/// How many elements a round of merging takes where the tables for the whole mesh would pass the
/// memory.
fn round(mesh: &Mesh<'_>, options: &ObjWriteOptions, work: &Work) -> Result<Option<usize>> {
    let merged = |merges: bool, count: usize| if merges { count as u64 } else { 0 };
    let uvs = mesh.uvs.as_ref().filter(|_| values::has_uvs(mesh, options));
    let uvs = uvs.map_or(0, |u| merged(values::merges(options, &u.domain), u.values.len()));
    let normals = mesh.normals.as_ref().filter(|_| values::has_normals(mesh, options));
    let normals = normals.map_or(0, |n| merged(values::merges(options, &n.domain), n.values.len()));
    // The order of faces and flags of vertices stay, too.
    let others = 6 * mesh.face_materials.len() as u64 + mesh.positions.len() as u64;
    let most = memory(work).saturating_sub(others);
    if uvs.max(normals) * MERGED_BYTES + uvs.min(normals) * 8 <= most {
        return Ok(None);
    }
    let others = others + RankedBits::bytes(uvs as usize) + RankedBits::bytes(normals as usize);
    // The numbers of the corners of both, and their list.
    rounds::size(memory(work), uvs.max(normals), others, 8).map(Some)
}

/// The end of the batch that starts with mesh `start`.
fn batch_end(meshes: &[Mesh<'_>], start: usize, options: &ObjWriteOptions, work: &Work) -> usize {
    // A triangulated copy takes about 40 bytes a corner.
    let each = MERGED_BYTES + 8 + if options.export_triangulated_mesh { 40 } else { 0 };
    let most = (memory(work) / each).min(BATCH_CORNERS);
    let mut corners = 0;
    let mut end = start;
    while end < meshes.len() {
        corners += meshes[end].corner_vertices.len().max(meshes[end].positions.len()) as u64;
        if end > start && corners > most {
            break;
        }
        end += 1;
    }
    end
}

impl ObjJob<'_> {
    fn triangulated<'m>(&self, mesh: &'m Mesh<'m>) -> Result<Cow<'m, Mesh<'m>>> {
        if !self.options.export_triangulated_mesh {
            return Ok(Cow::Borrowed(mesh));
        }
        Ok(Cow::Owned(triangulate::triangulated(mesh, self.work)?))
    }

    /// A name as it is written, up to the end of its line ([`faces::end_line`]).
    fn name(&self, name: &str) -> String {
        let name = name.replace(['\n', '\r'], "_");
        if self.options.spaces_to_underscores { name.replace(' ', "_") } else { name }
    }

    /// The lines before the first object.
    fn head(&self, scene: &Scene<'_>) -> Vec<u8> {
        let mut head = String::new();
        let own = &self.options.comments;
        let read = scene.comments.iter().filter(|comment| !own.contains(comment));
        // The textures of a PLY: the MTL says them.
        let read = read.filter(|comment| !comment.starts_with(TEXTURE_COMMENT));
        for comment in own.iter().chain(read) {
            head += &format!("# {}\n", faces::line_text(comment));
        }
        if let Some(library) = &self.options.material_library {
            head += &format!("mtllib {}\n", faces::line_text(library));
        }
        head.into_bytes()
    }

    /// Prepares a batch; `start` is the number of its first mesh.
    fn prepare<'m>(
        &self,
        start: usize,
        meshes: &'m [Cow<'m, Mesh<'m>>],
        axes: &AxesRotation,
        at: &mut ObjPosition,
    ) -> Result<(Vec<ObjPart<'m>>, Vec<Prepared<'m>>)> {
        let parts: Vec<Vec<ObjPart<'m>>> = meshes
            .iter()
            .enumerate()
            .map(|(i, mesh)| plan::parts(start + i, mesh, axes, self.options, &mut at.left_on))
            .collect();
        let shared = shared::shared(self, meshes, &parts)?;
        let prepared = parallel::collect(meshes.len(), &|i| {
            self.prepare_mesh(start + i, &meshes[i], &parts[i], Arc::clone(&shared[i]))
        });
        let mut prepared = prepared.into_iter().collect::<Result<Vec<_>>>()?;
        for mesh in &mut prepared {
            (mesh.vertex_base, mesh.uv_base, mesh.normal_base) = (at.vertices, at.uvs, at.normals);
            at.vertices += mesh.mesh.positions.len() as u64;
            at.uvs += mesh.uv_count() as u64;
            at.normals += mesh.normal_count() as u64;
        }
        Ok((parts.into_iter().flatten().collect(), prepared))
    }

    fn prepare_mesh<'m>(
        &self,
        number: usize,
        mesh: &'m Mesh<'m>,
        parts: &[ObjPart<'_>],
        shared: Arc<SharedArrays<'m>>,
    ) -> Result<Prepared<'m>> {
        self.work.cancel.check()?;
        let round = round(mesh, self.options, self.work)?;
        let mut prepared = Prepared {
            number,
            mesh,
            uvs: shared.uvs.clone(),
            normals: None,
            normal_values: None,
            has_small_faces: small_faces(mesh) > 0,
            round,
            shared,
            weights: None,
            has_alpha: extras::has_alpha(mesh.colors.as_ref(), self.options, self.is_rational),
            vertex_base: 0,
            uv_base: 0,
            normal_base: 0,
        };
        // What follows is looked up before the faces are checked.
        if round.is_some() {
            values::check_offsets(mesh, number)?;
        }
        if prepared.uvs.as_ref().is_some_and(ValueIndex::is_merged_by_vertex) {
            values::check_vertices(mesh)?;
        }
        if let Some(normals) =
            mesh.normals.as_ref().filter(|_| values::has_normals(mesh, self.options))
        {
            let values = NormalValues::new(mesh, parts, self.options)?;
            let merges = values::merges(self.options, &normals.domain);
            prepared.normals = Some(values::index(&normals.domain, &values, merges, round));
            prepared.normal_values = Some(values);
        }
        if self.options.export_vertex_groups {
            prepared.weights = Some(Weights::new(mesh)?);
        }
        Ok(prepared)
    }

    /// Writes a prepared batch.
    fn write(
        &self,
        parts: &[ObjPart<'_>],
        meshes: &[Prepared<'_>],
        start: usize,
        pool: &ArrayPool,
        sink: &mut dyn Sink,
    ) -> Result<()> {
        let mut pieces = Vec::new();
        for (number, part) in parts.iter().enumerate() {
            self.cut(number as u32, part, &meshes[part.mesh - start], &mut pieces);
        }
        let mut pieces = &mut pieces[..];
        while !pieces.is_empty() {
            let (window, count) = pool.install(|| window(parts, meshes, start, pieces));
            let (now, later) = pieces.split_at_mut(count);
            pieces = later;
            self.write_pieces(parts, meshes, start, (now, &window), sink)?;
        }
        Ok(())
    }

    /// Writes pieces of text for whose faces `window` has the numbers.
    fn write_pieces(
        &self,
        parts: &[ObjPart<'_>],
        meshes: &[Prepared<'_>],
        start: usize,
        (pieces, window): (&[TextPiece], &NumberWindow),
        sink: &mut dyn Sink,
    ) -> Result<()> {
        // Chunks of several small pieces, by the sum of their sizes.
        let mut ends = Vec::new();
        let mut bytes = 0;
        for (i, piece) in pieces.iter().enumerate() {
            bytes += piece.bytes;
            if bytes >= CHUNK_BYTES || i + 1 == pieces.len() {
                ends.push(i + 1);
                bytes = 0;
            }
        }
        sink.write_chunks(self.work, ends.len(), &|chunk, out| {
            let first = if chunk == 0 { 0 } else { ends[chunk - 1] };
            for piece in &pieces[first..ends[chunk]] {
                let part = &parts[piece.part as usize];
                PartText { job: self, mesh: &meshes[part.mesh - start], part }
                    .piece(piece, window, out)?;
            }
            Ok(())
        })
    }

    /// Cuts the text of a part into pieces.
    fn cut(
        &self,
        number: u32,
        part: &ObjPart<'_>,
        mesh: &Prepared<'_>,
        pieces: &mut Vec<TextPiece>,
    ) {
        let mut cut = |kind: PieceKind, range: Range<usize>, element_bytes: usize| {
            let step = (CHUNK_BYTES / element_bytes.max(1)).max(1);
            for start in range.clone().step_by(step) {
                let range = start..range.end.min(start + step);
                pieces.push(TextPiece {
                    part: number,
                    at: 0,
                    kind,
                    bytes: range.len() * element_bytes,
                    range,
                });
            }
        };
        cut(PieceKind::Name, 0..1, 16);
        let colored = self.options.export_colors && mesh.mesh.colors.is_some();
        cut(PieceKind::Positions, part.vertices.clone(), if colored { 50 } else { 30 });
        // Merged values are numbered over the whole mesh; its first part writes them all.
        match &mesh.normals {
            Some(ValueIndex::Own(_)) => {
                cut(PieceKind::OwnNormals, mesh.own_range(&mesh.normals, part, &part.normals), 24)
            }
            Some(index) if part.first => {
                let groups = index.groups().unwrap_or(0);
                cut(PieceKind::MergedNormals, 0..groups, 24 * index.count(0) / groups.max(1));
            }
            _ => {}
        }
        match &mesh.uvs {
            Some(ValueIndex::Own(_)) => {
                cut(PieceKind::OwnUvs, mesh.own_range(&mesh.uvs, part, &part.uvs), 21)
            }
            Some(index) if part.first => {
                let groups = index.groups().unwrap_or(0);
                cut(PieceKind::MergedUvs, 0..groups, 21 * index.count(0) / groups.max(1));
            }
            _ => {}
        }
        let faces = plan::faces(mesh.mesh);
        let corner_bytes =
            8 * (1 + usize::from(mesh.uvs.is_some()) + usize::from(mesh.normals.is_some()));
        let face_bytes = 2 + corner_bytes * mesh.mesh.corner_vertices.len() / faces.max(1);
        cut(PieceKind::Faces, part.faces.clone(), face_bytes);
        cut(PieceKind::Lines, part.lines.clone(), 18);
        cut(PieceKind::Points, part.points.clone(), 9);
        if part.last && !mesh.mesh.freeform.is_empty() {
            cut(PieceKind::Freeform, 0..1, mesh.mesh.freeform.len());
        }
    }
}

/// What the text of a piece is made of.
#[derive(Clone, Copy)]
struct PartText<'a> {
    job: &'a ObjJob<'a>,
    mesh: &'a Prepared<'a>,
    part: &'a ObjPart<'a>,
}

impl PartText<'_> {
    /// Appends the text of one piece.
    fn piece(self, piece: &TextPiece, window: &NumberWindow, out: &mut Vec<u8>) -> Result<()> {
        let range = piece.range.clone();
        match piece.kind {
            PieceKind::Name => lines::name(self.job, self.part, out),
            PieceKind::Positions => self.positions(range, out)?,
            PieceKind::OwnNormals => self.own_normals(range, out)?,
            PieceKind::MergedNormals => self.merged_normals(range, out)?,
            PieceKind::OwnUvs => self.own_uvs(range, out)?,
            PieceKind::MergedUvs => self.merged_uvs(range, out)?,
            PieceKind::Faces => self.faces(range, (window, piece.at), out)?,
            PieceKind::Lines => lines::lines(self.mesh, range, out)?,
            PieceKind::Points => lines::points(self.mesh, range, out)?,
            PieceKind::Freeform => lines::freeform(self.mesh, out),
        }
        Ok(())
    }
}

impl Prepared<'_> {
    fn uv_count(&self) -> usize {
        let all = self.mesh.uvs.as_ref().map_or(0, |uvs| uvs.values.len());
        self.uvs.as_ref().map_or(0, |index| index.count(all))
    }

    fn normal_count(&self) -> usize {
        let all = self.mesh.normals.as_ref().map_or(0, |normals| normals.values.len());
        self.normals.as_ref().map_or(0, |index| index.count(all))
    }

    fn own_range(
        &self,
        index: &Option<ValueIndex<'_>>,
        part: &ObjPart<'_>,
        values: &Range<usize>,
    ) -> Range<usize> {
        use crate::model::Domain;
        let corner = |face: usize| self.mesh.face_offsets.get(face).map_or(0, |&c| c as usize);
        match index {
            Some(ValueIndex::Own(Domain::Vertex)) => part.vertices.clone(),
            Some(ValueIndex::Own(Domain::Face)) => part.faces.clone(),
            Some(ValueIndex::Own(Domain::Corner)) => {
                corner(part.faces.start)..corner(part.faces.end)
            }
            Some(ValueIndex::Own(Domain::Indexed(_))) => values.clone(),
            _ => 0..0,
        }
    }
}

/// How many of `pieces` have faces of one round, and the numbers of their corners: of all pieces,
/// without numbers, where nothing is merged in rounds.
fn window(
    parts: &[ObjPart<'_>],
    meshes: &[Prepared<'_>],
    start: usize,
    pieces: &mut [TextPiece],
) -> (NumberWindow, usize) {
    let in_rounds = |piece: &TextPiece| {
        let part = &parts[piece.part as usize];
        let mesh = &meshes[part.mesh - start];
        mesh.round.filter(|_| matches!(piece.kind, PieceKind::Faces)).map(|round| (mesh, round))
    };
    let Some(first) = pieces.iter().position(|piece| in_rounds(piece).is_some()) else {
        return (NumberWindow::default(), pieces.len());
    };
    let Some((mesh, round)) = in_rounds(&pieces[first]) else { unreachable!() };
    let (mut uvs, mut normals) = (Vec::new(), Vec::new());
    let (mut corners, mut count) = (0, 0);
    for piece in pieces.iter_mut() {
        if let Some((own, _)) = in_rounds(piece) {
            let face = |p: usize| own.shared.order.as_ref().map_or(p, |order| order[p] as usize);
            let of = |p| own.mesh.face_offsets[face(p) + 1] - own.mesh.face_offsets[face(p)];
            let more = piece.range.clone().map(of).map(|corners| corners as usize).sum::<usize>();
            if own.number != mesh.number || corners > 0 && corners + more > round {
                break;
            }
            for place in piece.range.clone() {
                own.uvs.iter().for_each(|i| i.elements(own.mesh, face(place), &mut uvs));
                own.normals.iter().for_each(|i| i.elements(own.mesh, face(place), &mut normals));
            }
            piece.at = corners;
            corners += more;
        }
        count += 1;
    }
    let window = NumberWindow {
        uvs: match (&mesh.uvs, &mesh.mesh.uvs) {
            (Some(ValueIndex::InRounds(_, firsts)), Some(own)) => {
                rounds::numbers(&values::UvValues::new(mesh.mesh, own), firsts, &uvs)
            }
            _ => Vec::new(),
        },
        normals: match (&mesh.normals, &mesh.normal_values) {
            (Some(ValueIndex::InRounds(_, firsts)), Some(own)) => {
                rounds::numbers(own, firsts, &normals)
            }
            _ => Vec::new(),
        },
    };
    (window, count)
}

/// The faces of each part sorted by material, in their own order within each; `None` when they
/// are sorted already.
fn order(mesh: &Mesh<'_>, parts: &[ObjPart<'_>], options: &ObjWriteOptions) -> Option<Vec<u32>> {
    let materials = &mesh.face_materials[..];
    if !(options.sort_by_material && options.export_materials) || materials.is_empty() {
        return None;
    }
    // Slots are signed in Blender.
    let key = |&face: &u32| materials[face as usize] as i32;
    let sorted = |part: &ObjPart<'_>| materials[part.faces.clone()].is_sorted_by_key(|&m| m as i32);
    if parts.iter().all(sorted) {
        return None;
    }
    let mut order: Vec<u32> = (0..materials.len() as u32).collect();
    for part in parts {
        order[part.faces.clone()].par_sort_by_key(key);
    }
    Some(order)
}
