//! Columns: which properties of an element end up in which array of the mesh.
//!
//! Every property belongs to one column. A column of width 3 takes `x`, `y` and `z`; a list is a
//! column of its own; whatever has no place in the mesh model is a column of its own type, which
//! becomes an attribute.

use super::data::Data;
use super::header::{Element, Property};
use crate::model::ScalarType;

/// What a column is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
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
}

/// How values change on their way into the column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
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
pub(crate) struct Column {
    pub(crate) role: Role,
    pub(crate) kind: Kind,
    /// Type of the stored values.
    pub(crate) stored: ScalarType,
    /// Values per record; for lists 1.
    pub(crate) width: usize,
    pub(crate) is_list: bool,
    /// The properties, in the order of the column's values.
    pub(crate) parts: Vec<usize>,
}

/// Where each property goes: column and place in it.
pub(crate) struct Plan {
    pub(crate) columns: Vec<Column>,
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

impl Plan {
    /// The plan of one element.
    pub(crate) fn new(element: &Element) -> Plan {
        let properties = &element.properties;
        let mut columns = Vec::new();
        let mut taken = vec![false; properties.len()];
        let mut take = |role, names: &[&str], kind: &dyn Fn(&[&Property]) -> Option<Kind>| {
            let find =
                |name: &&str| properties.iter().position(|p| p.name == *name && p.list.is_none());
            let parts: Option<Vec<usize>> = names.iter().map(find).collect();
            let Some(parts) = parts.filter(|p| p.iter().all(|&i| !taken[i])) else { return false };
            let found: Vec<&Property> = parts.iter().map(|&i| &properties[i]).collect();
            let Some(kind) = kind(&found) else { return false };
            for &i in &parts {
                taken[i] = true;
            }
            let width = if role == Role::Color { 4 } else { names.len() };
            let stored = kind.stored(found[0].scalar);
            columns.push(Column { role, kind, stored, width, is_list: false, parts });
            true
        };
        match element.name.as_str() {
            "vertex" => {
                take(Role::Position, &POSITION, &|p| Some(float_kind(p)));
                take(Role::Normal, &NORMAL, &|_| Some(Kind::F32(1.0)));
                let _ = COLORS.iter().any(|names| {
                    take(Role::Color, names, &color_kind)
                        || take(Role::Color, &names[..3], &color_kind)
                });
                let _ = UVS.iter().any(|names| {
                    take(Role::Uv, names, &|p| {
                        p.iter().all(|p| p.scalar.is_float()).then_some(Kind::F32(1.0))
                    })
                });
            }
            "edge" => {
                take(Role::EdgeEnds, &EDGE_ENDS, &|_| Some(Kind::Index));
            }
            _ => {}
        }
        lists(element, &mut columns, &mut taken);
        for (i, property) in properties.iter().enumerate().filter(|(i, _)| !taken[*i]) {
            columns.push(Column {
                role: Role::Attribute,
                kind: Kind::Same,
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
        Plan { columns, of_property }
    }
}

/// The lists that the model has a place for.
fn lists(element: &Element, columns: &mut Vec<Column>, taken: &mut [bool]) {
    let wanted: &[(&[&str], Role)] = match element.name.as_str() {
        "face" => &[(&CORNERS, Role::Corners), (&["texcoord"], Role::CornerUvs)],
        "tristrips" => &[(&CORNERS, Role::Strips)],
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
            Role::CornerUvs if !scalar.is_float() => continue,
            Role::CornerUvs => Kind::F32(1.0),
            _ => Kind::Index,
        };
        taken[i] = true;
        columns.push(Column {
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
fn float_kind(properties: &[&Property]) -> Kind {
    let wide = |s| matches!(s, ScalarType::F64 | ScalarType::I32 | ScalarType::U32);
    if properties.iter().any(|p| wide(p.scalar)) { Kind::F64 } else { Kind::F32(1.0) }
}

/// Colours are bytes, 16-bit values or floats from 0 to 1, all alike; an alpha of another type is
/// joined to them in the end.
fn color_kind(properties: &[&Property]) -> Option<Kind> {
    let scalar = properties[0].scalar;
    if properties.iter().any(|p| p.scalar != scalar) {
        return None;
    }
    match scalar {
        ScalarType::U8 => Some(Kind::F32(255.0)),
        ScalarType::U16 => Some(Kind::F32(65535.0)),
        ScalarType::F32 | ScalarType::F64 => Some(Kind::F32(1.0)),
        _ => None,
    }
}

impl Kind {
    /// Whether values of the type `scalar` stay as they are.
    pub(crate) fn keeps(self, scalar: ScalarType) -> bool {
        match self {
            Kind::Same => true,
            Kind::F32(divisor) => divisor == 1.0 && scalar == ScalarType::F32,
            Kind::F64 => scalar == ScalarType::F64,
            Kind::Index => false,
        }
    }

    fn stored(self, scalar: ScalarType) -> ScalarType {
        match self {
            Kind::Same => scalar,
            Kind::F32(_) => ScalarType::F32,
            Kind::F64 => ScalarType::F64,
            Kind::Index => ScalarType::U32,
        }
    }
}

/// The finished values of a column.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub(crate) data: Data,
    /// For lists: where each record's values start, and the end.
    pub(crate) offsets: Vec<u32>,
}

impl Table {
    /// Empty tables for the columns of an element of which `rest` bytes are left at most. Where
    /// that is known, memory is taken at once, on huge pages.
    pub(crate) fn all(element: &Element, columns: &[Column], rest: u64) -> Vec<Table> {
        use solio_base::memory::with_capacity;
        let rows = element.count.min(rest) as usize;
        let table = |column: &Column| {
            // Most lists are triangles.
            let width = if column.is_list { 3 } else { column.width };
            let mut offsets = Vec::new();
            if column.is_list {
                offsets = with_capacity(rows + 1);
                offsets.push(0);
            }
            Table { data: Data::with_capacity(column.stored, rows * width), offsets }
        };
        columns.iter().map(table).collect()
    }
}
