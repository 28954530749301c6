//! The records of one chunk: where in the mesh they come from.

use super::part::PlyPart;
use crate::model::NONE;
use crate::offsets::stretches;
use crate::triangulate;
use solio_base::Result;
use std::ops::Range;

/// Records in a chunk.
const CHUNK: usize = 16 << 10;
/// Corners in a chunk, unless one face alone has more.
const CORNERS: u32 = 64 << 10;

/// A stretch of a mesh that becomes a chunk of records.
pub(crate) enum RowSource {
    /// Records that are elements of the mesh.
    Records(Range<usize>),
    /// Vertices that the corners of a block bring.
    Firsts(usize),
    /// The vertices of a block that no corner uses.
    Loose(usize),
    Faces(Range<usize>),
    /// Lines, and the number of edges before them.
    Lines(Range<usize>, usize),
}

/// The stretches of an element of `count` records.
pub(crate) fn sources(part: &PlyPart<'_>, element: &str, count: usize) -> Vec<RowSource> {
    match (element, &part.split) {
        ("vertex", Some(split)) => {
            let loose =
                (0..split.loose.blocks()).filter(|&b| split.loose.members(b).next().is_some());
            (0..split.firsts.blocks())
                .map(RowSource::Firsts)
                .chain(loose.map(RowSource::Loose))
                .collect()
        }
        ("face", _) => faces(part, 0..part.mesh.face_offsets.len().saturating_sub(1)),
        ("edge", _) => {
            let offsets = &part.mesh.line_offsets;
            let mut edges = 0;
            let lines = stretches(offsets, 0..offsets.len().saturating_sub(1), CORNERS);
            let lines = lines.map(|lines| {
                let before = edges;
                let ends = offsets[lines.start..=lines.end].windows(2);
                edges += ends.map(|l| (l[1] - l[0]).saturating_sub(1) as usize).sum::<usize>();
                RowSource::Lines(lines, before)
            });
            lines.collect()
        }
        _ => (0..count)
            .step_by(CHUNK)
            .map(|start| RowSource::Records(start..count.min(start + CHUNK)))
            .collect(),
    }
}

/// Some faces.
pub(crate) fn faces(part: &PlyPart<'_>, faces: Range<usize>) -> Vec<RowSource> {
    stretches(&part.mesh.face_offsets, faces, CORNERS).map(RowSource::Faces).collect()
}

/// The records of a chunk.
pub(crate) struct OutputRows {
    pub(crate) count: usize,
    /// The element of the mesh behind each record.
    pub(crate) of: RowElements,
    /// For vertices of corners the corner, or [`NONE`]; for triangles their three corners.
    pub(crate) corners: Vec<u32>,
    /// For edges their two vertices.
    pub(crate) ends: Vec<[u32; 2]>,
}

pub(crate) enum RowElements {
    Range(Range<usize>),
    List(Vec<u32>),
}

impl OutputRows {
    pub(crate) fn new(part: &PlyPart<'_>, source: &RowSource) -> Result<OutputRows> {
        let range = |range: Range<usize>| OutputRows {
            count: range.len(),
            of: RowElements::Range(range),
            corners: Vec::new(),
            ends: Vec::new(),
        };
        let list = |list: Vec<u32>, corners: Vec<u32>| OutputRows {
            count: list.len(),
            of: RowElements::List(list),
            corners,
            ends: Vec::new(),
        };
        Ok(match (source, &part.split) {
            (RowSource::Firsts(block), Some(split)) => {
                let corners: Vec<u32> = split.firsts.members(*block).collect();
                let of = &part.mesh.corner_vertices;
                list(corners.iter().map(|&corner| of[corner as usize]).collect(), corners)
            }
            (RowSource::Loose(block), Some(split)) => {
                let vertices: Vec<u32> = split.loose.members(*block).collect();
                let corners = vec![NONE; vertices.len()];
                list(vertices, corners)
            }
            (RowSource::Faces(faces), _) if part.triangulates => {
                let cut = triangulate::cut_some(part.mesh, faces.clone())?;
                list(cut.faces, cut.corners.into_flattened())
            }
            (RowSource::Lines(lines, before), _) => {
                let offsets = part.mesh.line_offsets[lines.start..=lines.end].windows(2);
                let lines = offsets
                    .map(|line| &part.mesh.line_vertices[line[0] as usize..line[1] as usize]);
                let edges = lines.flat_map(|line| line.windows(2).map(|e| [e[0], e[1]]));
                let ends: Vec<[u32; 2]> = edges.collect();
                let edges = *before..*before + ends.len();
                OutputRows { ends, ..range(edges) }
            }
            (RowSource::Records(records) | RowSource::Faces(records), _) => range(records.clone()),
            (RowSource::Firsts(_) | RowSource::Loose(_), None) => range(0..0),
        })
    }

    /// The elements of the mesh.
    pub(crate) fn elements(&self) -> impl Iterator<Item = usize> + Clone {
        let (range, list) = match &self.of {
            RowElements::Range(range) => (range.clone(), &[][..]),
            RowElements::List(list) => (0..0, &list[..]),
        };
        range.chain(list.iter().map(|&element| element as usize))
    }
}
