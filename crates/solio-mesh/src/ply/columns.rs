//! Columns: which properties of an element end up in which array of the mesh.
//!
//! Every property belongs to one column. A column of width 3 takes `x`, `y` and `z`; a list is a
//! column of its own; whatever has no place in the mesh model is a column of its own type, which
//! becomes an attribute.

use super::data::ScalarArray;
use super::header::{PlyElement, PlyProperty};
use super::textures::TEXNUMBER;
use crate::MeshSkip;
use crate::model::ScalarType;

/// What a column is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ColumnRole {
    Position,
    Normal,
    Color,
    Uv,
    /// `vertex_indices` of faces.
    Corners,
    /// `texcoord` of faces.
    CornerUvs,
    /// `vertex_indices` of triangle strips; -1 starts a new strip.
    Strips,
    /// `vertex1` and `vertex2` of edges.
    EdgeEnds,
    Attribute,
    /// Not wanted: looked at as far as reading on needs it, and not kept.
    Skipped,
}

/// How values change on their way into the column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ColumnKind {
    /// They keep their type.
    Same,
    /// To f32, then divided.
    F32(f32),
    F64,
    /// To u32; what is no index becomes `u32::MAX`.
    Index,
}

/// A column of an element.
#[derive(Clone, Debug)]
pub(crate) struct PlyColumn {
    pub(crate) role: ColumnRole,
    pub(crate) kind: ColumnKind,
    /// Type of the stored values.
    pub(crate) stored: ScalarType,
    /// Values per record; for lists 1.
    pub(crate) width: usize,
    pub(crate) is_list: bool,
    /// The properties, in the order of the column's values.
    pub(crate) parts: Vec<usize>,
}

/// Where each property goes: column and place in it.
pub(crate) struct ColumnPlan {
    pub(crate) columns: Vec<PlyColumn>,
    pub(crate) of_property: Vec<(usize, usize)>,
}

/// Names that the three coordinates, colours… have in the wild.
const POSITION: [&str; 3] = ["x", "y", "z"];
const NORMAL: [&str; 3] = ["nx", "ny", "nz"];
const COLORS: [[&str; 4]; 3] = [
    ["red", "green", "blue", "alpha"],
    ["diffuse_red", "diffuse_green", "diffuse_blue", "diffuse_alpha"],
    ["r", "g", "b", "a"],
];
const UVS: [[&str; 2]; 4] =
    [["s", "t"], ["u", "v"], ["texture_u", "texture_v"], ["texture_s", "texture_t"]];
const EDGE_ENDS: [&str; 2] = ["vertex1", "vertex2"];
pub(crate) const CORNERS: [&str; 2] = ["vertex_indices", "vertex_index"];

/// The alpha that belongs to colours whose first property has this name.
pub(crate) fn alpha_of(first: &str) -> Option<&'static str> {
    COLORS.iter().find(|names| names[0] == first).map(|names| names[3])
}

impl ColumnPlan {
    /// The plan of one element.
    pub(crate) fn new(element: &PlyElement) -> ColumnPlan {
        let properties = &element.properties;
        let mut columns = Vec::new();
        let mut taken = vec![false; properties.len()];
        let mut take =
            |role, names: &[&str], kind: &dyn Fn(&[&PlyProperty]) -> Option<ColumnKind>| {
                let find = |name: &&str| {
                    properties.iter().position(|p| p.name == *name && p.list.is_none())
                };
                let parts: Option<Vec<usize>> = names.iter().map(find).collect();
                let Some(parts) = parts.filter(|p| p.iter().all(|&i| !taken[i])) else {
                    return false;
                };
                let found: Vec<&PlyProperty> = parts.iter().map(|&i| &properties[i]).collect();
                let Some(kind) = kind(&found) else { return false };
                for &i in &parts {
                    taken[i] = true;
                }
                let width = if role == ColumnRole::Color { 4 } else { names.len() };
                let stored = kind.stored(found[0].scalar);
                columns.push(PlyColumn { role, kind, stored, width, is_list: false, parts });
                true
            };
        match element.name.as_str() {
            "vertex" => {
                take(ColumnRole::Position, &POSITION, &|p| Some(float_kind(p)));
                take(ColumnRole::Normal, &NORMAL, &|_| Some(ColumnKind::F32(1.0)));
                let _ = COLORS.iter().any(|names| {
                    take(ColumnRole::Color, names, &color_kind)
                        || take(ColumnRole::Color, &names[..3], &color_kind)
                });
                let _ = UVS.iter().any(|names| {
                    take(ColumnRole::Uv, names, &|p| {
                        p.iter().all(|p| p.scalar.is_float()).then_some(ColumnKind::F32(1.0))
                    })
                });
            }
            "edge" => {
                take(ColumnRole::EdgeEnds, &EDGE_ENDS, &|_| Some(ColumnKind::Index));
            }
            _ => {}
        }
        lists(element, &mut columns, &mut taken);
        for (i, property) in properties.iter().enumerate().filter(|(i, _)| !taken[*i]) {
            columns.push(PlyColumn {
                role: ColumnRole::Attribute,
                kind: ColumnKind::Same,
                stored: property.scalar,
                width: 1,
                is_list: property.list.is_some(),
                parts: vec![i],
            });
        }
        let mut of_property = vec![(0, 0); properties.len()];
        for (c, column) in columns.iter().enumerate() {
            for (k, &i) in column.parts.iter().enumerate() {
                of_property[i] = (c, k);
            }
        }
        ColumnPlan { columns, of_property }
    }
}

impl ColumnPlan {
    /// The same with positions as doubles.
    pub(crate) fn wide(element: &PlyElement) -> ColumnPlan {
        let mut plan = ColumnPlan::new(element);
        for column in plan.columns.iter_mut().filter(|c| c.role == ColumnRole::Position) {
            (column.kind, column.stored) = (ColumnKind::F64, ScalarType::F64);
        }
        plan
    }
}

impl ColumnPlan {
    /// The same without what is not wanted.
    pub(crate) fn without(mut self, element: &PlyElement, skip: MeshSkip) -> ColumnPlan {
        let has_colors = self.columns.iter().any(|c| c.role == ColumnRole::Color);
        for column in &mut self.columns {
            let name = &*element.properties[column.parts[0]].name;
            let is_alpha = COLORS.iter().any(|names| names[3] == name);
            let is_wanted = match column.role {
                ColumnRole::Normal => !skip.normals,
                ColumnRole::Uv | ColumnRole::CornerUvs => !skip.uvs,
                ColumnRole::Color => !skip.colors,
                // What other arrays are made of: an alpha of its own type, the texture of each face.
                ColumnRole::Attribute if element.name == "vertex" && has_colors && is_alpha => {
                    !skip.colors
                }
                ColumnRole::Attribute if element.name == "face" && name == TEXNUMBER => true,
                ColumnRole::Attribute => !skip.attributes,
                _ => true,
            };
            if !is_wanted {
                column.role = ColumnRole::Skipped;
            }
        }
        self
    }
}

/// The lists that the model has a place for.
fn lists(element: &PlyElement, columns: &mut Vec<PlyColumn>, taken: &mut [bool]) {
    let wanted: &[(&[&str], ColumnRole)] = match element.name.as_str() {
        "face" => &[(&CORNERS, ColumnRole::Corners), (&["texcoord"], ColumnRole::CornerUvs)],
        "tristrips" => &[(&CORNERS, ColumnRole::Strips)],
        _ => return,
    };
    for (names, role) in wanted {
        let found = element
            .properties
            .iter()
            .position(|p| p.list.is_some() && names.contains(&p.name.as_str()));
        let Some(i) = found else { continue };
        let scalar = element.properties[i].scalar;
        let kind = match role {
            ColumnRole::CornerUvs if !scalar.is_float() => continue,
            ColumnRole::CornerUvs => ColumnKind::F32(1.0),
            _ => ColumnKind::Index,
        };
        taken[i] = true;
        columns.push(PlyColumn {
            role: *role,
            kind,
            stored: kind.stored(scalar),
            width: 1,
            is_list: true,
            parts: vec![i],
        });
    }
}

/// f32 where that holds every value of the types, f64 otherwise.
fn float_kind(properties: &[&PlyProperty]) -> ColumnKind {
    let wide = |s| matches!(s, ScalarType::F64 | ScalarType::I32 | ScalarType::U32);
    if properties.iter().any(|p| wide(p.scalar)) { ColumnKind::F64 } else { ColumnKind::F32(1.0) }
}

/// Colours are bytes, 16-bit values or floats from 0 to 1, all alike; an alpha of another type is
/// joined to them in the end.
fn color_kind(properties: &[&PlyProperty]) -> Option<ColumnKind> {
    let scalar = properties[0].scalar;
    if properties.iter().any(|p| p.scalar != scalar) {
        return None;
    }
    match scalar {
        ScalarType::U8 => Some(ColumnKind::F32(255.0)),
        ScalarType::U16 => Some(ColumnKind::F32(65535.0)),
        ScalarType::F32 | ScalarType::F64 => Some(ColumnKind::F32(1.0)),
        _ => None,
    }
}

impl ColumnKind {
    /// Whether values of the type `scalar` stay as they are.
    pub(crate) fn keeps(self, scalar: ScalarType) -> bool {
        match self {
            ColumnKind::Same => true,
            ColumnKind::F32(divisor) => divisor == 1.0 && scalar == ScalarType::F32,
            ColumnKind::F64 => scalar == ScalarType::F64,
            ColumnKind::Index => false,
        }
    }

    fn stored(self, scalar: ScalarType) -> ScalarType {
        match self {
            ColumnKind::Same => scalar,
            ColumnKind::F32(_) => ScalarType::F32,
            ColumnKind::F64 => ScalarType::F64,
            ColumnKind::Index => ScalarType::U32,
        }
    }
}

/// The finished values of a column.
#[derive(Clone, Debug)]
pub(crate) struct ColumnTable {
    pub(crate) data: ScalarArray,
    /// For lists: where each record's values start, and the end.
    pub(crate) offsets: Vec<u32>,
}

impl ColumnTable {
    pub(crate) fn clear(&mut self) {
        self.data.clear();
        self.offsets.truncate(1);
    }

    /// Empty tables for the columns of an element of which `rest` bytes are left at most. Where
    /// that is known, memory is taken at once, on huge pages.
    pub(crate) fn all(element: &PlyElement, columns: &[PlyColumn], rest: u64) -> Vec<ColumnTable> {
        use solio_base::memory::with_capacity;
        let rows = element.count.min(rest) as usize;
        let table = |column: &PlyColumn| {
            let rows = if column.role == ColumnRole::Skipped { 0 } else { rows };
            // Most lists are triangles.
            let width = if column.is_list { 3 } else { column.width };
            let mut offsets = Vec::new();
            if column.is_list {
                offsets = with_capacity(rows + 1);
                offsets.push(0);
            }
            ColumnTable { data: ScalarArray::with_capacity(column.stored, rows * width), offsets }
        };
        columns.iter().map(table).collect()
    }
}
