//! Columns: which properties of an element end up in which array of the mesh.
//!
//! Every property belongs to one column. A column of width 3 takes `x`, `y` and `z`; a list is a
//! column of its own; whatever has no place in the mesh model is a column of its own type, which
//! becomes an attribute.

use super::header::{Element, Property};
use super::memory::Memory;
use crate::model::{ScalarType, Values};
use std::borrow::Cow;

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

/// A scalar type of PLY.
pub(crate) trait Scalar: bytemuck::Pod + Default + Send + Sync {
    const SIZE: usize = size_of::<Self>();
    const TYPE: ScalarType;
    fn read_le(bytes: &[u8]) -> Self;
    fn read_be(bytes: &[u8]) -> Self;
    /// Puts the bytes down in `to`, which is as long as the type.
    fn write<const BIG: bool>(self, to: &mut [u8]);
    fn to_f64(self) -> f64;
    fn to_f32(self) -> f32;
    /// As an index; `u32::MAX` for what is none.
    fn to_index(self) -> u32;
    fn vec(data: &mut Data) -> Option<&mut Vec<Self>>;
    fn slice(data: &Data) -> Option<&[Self]>;
}

/// Owned values of one type.
#[derive(Clone, Debug)]
pub(crate) enum Data {
    I8(Vec<i8>),
    U8(Vec<u8>),
    I16(Vec<i16>),
    U16(Vec<u16>),
    I32(Vec<i32>),
    U32(Vec<u32>),
    F32(Vec<f32>),
    F64(Vec<f64>),
}

/// Runs `$body` with `$v` bound to the vector of whatever type `$data` has.
macro_rules! with_data {
    ($data:expr, $v:ident => $body:expr) => {
        match $data {
            Data::I8($v) => $body,
            Data::U8($v) => $body,
            Data::I16($v) => $body,
            Data::U16($v) => $body,
            Data::I32($v) => $body,
            Data::U32($v) => $body,
            Data::F32($v) => $body,
            Data::F64($v) => $body,
        }
    };
}
pub(crate) use with_data;

/// Runs `$body` with the type `$T` bound to the type that `$scalar` names.
macro_rules! with_scalar {
    ($scalar:expr, $T:ident => $body:expr) => {
        match $scalar {
            $crate::model::ScalarType::I8 => {
                type $T = i8;
                $body
            }
            $crate::model::ScalarType::U8 => {
                type $T = u8;
                $body
            }
            $crate::model::ScalarType::I16 => {
                type $T = i16;
                $body
            }
            $crate::model::ScalarType::U16 => {
                type $T = u16;
                $body
            }
            $crate::model::ScalarType::I32 => {
                type $T = i32;
                $body
            }
            $crate::model::ScalarType::U32 => {
                type $T = u32;
                $body
            }
            $crate::model::ScalarType::F32 => {
                type $T = f32;
                $body
            }
            $crate::model::ScalarType::F64 => {
                type $T = f64;
                $body
            }
        }
    };
}
pub(crate) use with_scalar;

macro_rules! scalar {
    ($t:ty, $variant:ident, $index:expr) => {
        impl Scalar for $t {
            const TYPE: ScalarType = ScalarType::$variant;
            fn read_le(bytes: &[u8]) -> Self {
                <$t>::from_le_bytes(bytes.try_into().expect("as many bytes as the type has"))
            }
            fn read_be(bytes: &[u8]) -> Self {
                <$t>::from_be_bytes(bytes.try_into().expect("as many bytes as the type has"))
            }
            fn write<const BIG: bool>(self, to: &mut [u8]) {
                let bytes = if BIG { self.to_be_bytes() } else { self.to_le_bytes() };
                to.copy_from_slice(&bytes);
            }
            fn to_f64(self) -> f64 {
                self as f64
            }
            fn to_f32(self) -> f32 {
                self as f32
            }
            fn to_index(self) -> u32 {
                let index: fn($t) -> u32 = $index;
                index(self)
            }
            fn vec(data: &mut Data) -> Option<&mut Vec<Self>> {
                match data {
                    Data::$variant(v) => Some(v),
                    _ => None,
                }
            }
            fn slice(data: &Data) -> Option<&[Self]> {
                match data {
                    Data::$variant(v) => Some(v),
                    _ => None,
                }
            }
        }
    };
}
scalar!(i8, I8, |v| v as u32); // a negative one becomes larger than any index
scalar!(u8, U8, |v| v as u32);
scalar!(i16, I16, |v| v as u32);
scalar!(u16, U16, |v| v as u32);
scalar!(i32, I32, |v| v as u32);
scalar!(u32, U32, |v| v);
scalar!(f32, F32, |v| float_index(v as f64));
scalar!(f64, F64, float_index);

fn float_index(v: f64) -> u32 {
    if v >= 0.0 && v < u32::MAX as f64 && v.fract() == 0.0 { v as u32 } else { u32::MAX }
}

impl Data {
    pub(crate) fn new(scalar: ScalarType) -> Data {
        Data::with_capacity(scalar, 0)
    }

    pub(crate) fn with_capacity(scalar: ScalarType, n: usize) -> Data {
        use solio_base::memory::with_capacity;
        match scalar {
            ScalarType::I8 => Data::I8(with_capacity(n)),
            ScalarType::U8 => Data::U8(with_capacity(n)),
            ScalarType::I16 => Data::I16(with_capacity(n)),
            ScalarType::U16 => Data::U16(with_capacity(n)),
            ScalarType::I32 => Data::I32(with_capacity(n)),
            ScalarType::U32 => Data::U32(with_capacity(n)),
            ScalarType::F32 => Data::F32(with_capacity(n)),
            ScalarType::F64 => Data::F64(with_capacity(n)),
        }
    }

    /// `n` values to be written: what was there before, or zeros that take no memory until they are
    /// touched.
    pub(crate) fn for_writing(scalar: ScalarType, n: usize, memory: &mut Memory) -> Data {
        let Some(mut data) = memory.take(scalar, n) else { return Data::zeroed(scalar, n) };
        data.resize(n);
        data
    }

    /// Zeros that take no memory until they are touched.
    fn zeroed(scalar: ScalarType, n: usize) -> Data {
        fn zeros<T: Scalar>(n: usize) -> Vec<T> {
            let mut values = vec![T::zeroed(); n];
            solio_base::memory::advise_huge(&mut values);
            values
        }
        match scalar {
            ScalarType::I8 => Data::I8(zeros(n)),
            ScalarType::U8 => Data::U8(zeros(n)),
            ScalarType::I16 => Data::I16(zeros(n)),
            ScalarType::U16 => Data::U16(zeros(n)),
            ScalarType::I32 => Data::I32(zeros(n)),
            ScalarType::U32 => Data::U32(zeros(n)),
            ScalarType::F32 => Data::F32(zeros(n)),
            ScalarType::F64 => Data::F64(zeros(n)),
        }
    }

    pub(crate) fn scalar(&self) -> ScalarType {
        fn of<T: Scalar>(_: &[T]) -> ScalarType {
            T::TYPE
        }
        with_data!(self, v => of(v))
    }

    pub(crate) fn len(&self) -> usize {
        with_data!(self, v => v.len())
    }

    pub(crate) fn capacity(&self) -> usize {
        with_data!(self, v => v.capacity())
    }

    pub(crate) fn clear(&mut self) {
        with_data!(self, v => v.clear());
    }

    pub(crate) fn resize(&mut self, n: usize) {
        with_data!(self, v => v.resize(n, Default::default()));
    }

    /// Appends values of the same type.
    ///
    /// # Panics
    /// When the types differ.
    pub(crate) fn append(&mut self, other: &Data) {
        with_data!(self, v => v.extend_from_slice(Scalar::slice(other).expect("the same type")));
    }

    pub(crate) fn into_values(self) -> Values<'static> {
        match self {
            Data::I8(v) => Values::I8(Cow::Owned(v)),
            Data::U8(v) => Values::U8(Cow::Owned(v)),
            Data::I16(v) => Values::I16(Cow::Owned(v)),
            Data::U16(v) => Values::U16(Cow::Owned(v)),
            Data::I32(v) => Values::I32(Cow::Owned(v)),
            Data::U32(v) => Values::U32(Cow::Owned(v)),
            Data::F32(v) => Values::F32(Cow::Owned(v)),
            Data::F64(v) => Values::F64(Cow::Owned(v)),
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
