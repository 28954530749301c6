//! Meshes to one mesh, whose objects they become.
//!
//! What only some of them have becomes, of texture coordinates and normals, an index with gaps; the others
//! get white as colour, 0 as value of an attribute, and no material. What is made up so is told.

use crate::instances::whole;
use crate::model::{
    Attribute, ColorSpace, Colors, Domain, Mesh, NONE, Normals, Object, Positions, Uvs, Values,
};
use crate::splats::{SplatColumns, splat_count, to_degree};
use solio_base::{Error, Loss, Losses, Result, memory};
use std::borrow::Cow;

/// The counts of a mesh, or of those before it.
#[derive(Clone, Copy, Default)]
struct Counts {
    vertices: usize,
    uvs: usize,
    normals: usize,
    corners: usize,
    faces: usize,
    lines: usize,
    line_vertices: usize,
    points: usize,
}

impl Counts {
    fn of(mesh: &Mesh<'_>) -> Counts {
        Counts {
            vertices: mesh.positions.len(),
            uvs: mesh.uvs.as_ref().map_or(0, |uvs| uvs.values.len()),
            normals: mesh.normals.as_ref().map_or(0, |normals| normals.values.len()),
            corners: mesh.corner_vertices.len(),
            faces: mesh.face_offsets.len().saturating_sub(1),
            lines: mesh.line_offsets.len().saturating_sub(1),
            line_vertices: mesh.line_vertices.len(),
            points: mesh.points.len(),
        }
    }

    fn and(self, more: Counts) -> Counts {
        Counts {
            vertices: self.vertices + more.vertices,
            uvs: self.uvs + more.uvs,
            normals: self.normals + more.normals,
            corners: self.corners + more.corners,
            faces: self.faces + more.faces,
            lines: self.lines + more.lines,
            line_vertices: self.line_vertices + more.line_vertices,
            points: self.points + more.points,
        }
    }

    fn most(self) -> usize {
        let all =
            [self.vertices, self.uvs, self.normals, self.corners, self.line_vertices, self.points];
        all.into_iter().max().unwrap_or(0)
    }
}

/// Joins splats, and what is none apart from them: a mesh each, if there is any. At least one. What the
/// meshes did not say, or no longer do, is added to `losses`.
pub(crate) fn join_apart<'m>(meshes: Vec<Mesh<'m>>, losses: &mut Losses) -> Result<Vec<Mesh<'m>>> {
    let is_splats = |mesh: &Mesh<'_>| splat_count(mesh) > 0;
    let degree = meshes.iter().filter_map(SplatColumns::of_mesh).map(|c| c.degree()).max();
    let (mut splats, others): (Vec<_>, Vec<_>) = meshes.into_iter().partition(is_splats);
    if splats.len() > 1 {
        splats.iter_mut().for_each(|mesh| to_degree(mesh, degree.unwrap_or(0)));
    }
    let mut joined = Vec::new();
    if splats.is_empty() || others.iter().any(|mesh| !mesh.positions.is_empty()) {
        joined.push(join(others, losses)?);
    }
    if !splats.is_empty() {
        joined.push(join(splats, losses)?);
    }
    Ok(joined)
}

/// Joins meshes of vertices with what belongs to vertices or, by an index, to corners: those of glTF.
fn join<'m>(mut meshes: Vec<Mesh<'m>>, losses: &mut Losses) -> Result<Mesh<'m>> {
    if meshes.len() < 2 {
        return Ok(meshes.pop().unwrap_or_default());
    }
    let total = meshes.iter().map(Counts::of).fold(Counts::default(), Counts::and);
    if total.most() >= NONE as usize {
        let message =
            format!("{} vertices or corners in all: more than can be numbered", total.most());
        return Err(Error::limit(message).hint("keep instances as they are (--instances keep)"));
    }
    let mut to = Joining::new(&meshes, total);
    for mesh in meshes.drain(..) {
        to.tell(&mesh, losses);
        to.add(mesh);
    }
    Ok(to.finish())
}

/// Which element values belong to, over all meshes.
enum JoinedDomain {
    /// None has any.
    None,
    Vertex,
    Indexed(Vec<u32>),
}

impl JoinedDomain {
    fn new<'m>(
        domains: impl Iterator<Item = Option<&'m Domain<'m>>>,
        corners: usize,
    ) -> JoinedDomain {
        let (mut some, mut all) = (false, true);
        for domain in domains {
            some |= domain.is_some();
            all &= matches!(domain, Some(Domain::Vertex));
        }
        match (some, all) {
            (false, _) => JoinedDomain::None,
            (_, true) => JoinedDomain::Vertex,
            _ => JoinedDomain::Indexed(memory::with_capacity(corners)),
        }
    }

    /// Adds the corners of a mesh, whose values start at `start`.
    fn add(&mut self, domain: Option<&Domain<'_>>, mesh: &Mesh<'_>, start: usize) {
        let JoinedDomain::Indexed(index) = self else { return };
        let Some(domain) = domain else {
            index.resize(index.len() + mesh.corner_vertices.len(), NONE);
            return;
        };
        index.extend((0..mesh.corner_vertices.len()).map(|corner| {
            domain.index_of(mesh, corner).map_or(NONE, |value| (start + value) as u32)
        }));
    }

    fn finish(self) -> Option<Domain<'static>> {
        match self {
            JoinedDomain::None => None,
            JoinedDomain::Vertex => Some(Domain::Vertex),
            JoinedDomain::Indexed(index) => Some(Domain::Indexed(index.into())),
        }
    }
}

struct Joining {
    before: Counts,
    narrow: Vec<[f32; 3]>,
    wide: Option<Vec<[f64; 3]>>,
    uvs: Vec<[f32; 2]>,
    uv_domain: JoinedDomain,
    normals: Vec<[f32; 3]>,
    normal_domain: JoinedDomain,
    colors: Option<Vec<[f32; 4]>>,
    attributes: Vec<(Attribute<'static>, usize)>,
    face_offsets: Vec<u32>,
    corner_vertices: Vec<u32>,
    face_materials: Option<Vec<u32>>,
    line_offsets: Vec<u32>,
    line_vertices: Vec<u32>,
    points: Vec<u32>,
    objects: Vec<Object>,
}

/// Numbers of an element: those of the first list.
fn width(attribute: &Attribute<'_>) -> usize {
    match &attribute.list {
        Some((offsets, _)) if offsets.len() > 1 => (offsets[1] - offsets[0]) as usize,
        _ => 1,
    }
}

impl Joining {
    fn new(meshes: &[Mesh<'_>], total: Counts) -> Joining {
        let wide = meshes.iter().any(|mesh| matches!(mesh.positions, Positions::F64(_)));
        let mut attributes: Vec<(Attribute<'static>, usize)> = Vec::new();
        for attribute in meshes.iter().flat_map(|mesh| &mesh.attributes) {
            if attributes.iter().all(|(known, _)| known.name != attribute.name) {
                let made = Attribute {
                    element: attribute.element.clone(),
                    name: attribute.name.clone(),
                    values: emptied(&attribute.values),
                    list: attribute.list.as_ref().map(|(_, kind)| (Cow::default(), *kind)),
                };
                attributes.push((made, width(attribute)));
            }
        }
        let uvs = meshes.iter().map(|mesh| mesh.uvs.as_ref().map(|uvs| &uvs.domain));
        let normals = meshes.iter().map(|mesh| mesh.normals.as_ref().map(|n| &n.domain));
        Joining {
            before: Counts::default(),
            narrow: memory::with_capacity(if wide { 0 } else { total.vertices }),
            wide: wide.then(|| memory::with_capacity(total.vertices)),
            uvs: memory::with_capacity(total.uvs),
            uv_domain: JoinedDomain::new(uvs, total.corners),
            normals: memory::with_capacity(total.normals),
            normal_domain: JoinedDomain::new(normals, total.corners),
            colors: meshes.iter().any(|mesh| mesh.colors.is_some()).then(Vec::new),
            attributes,
            face_offsets: memory::with_capacity(total.faces + 1),
            corner_vertices: memory::with_capacity(total.corners),
            face_materials: meshes.iter().any(|m| !m.face_materials.is_empty()).then(Vec::new),
            line_offsets: Vec::with_capacity(total.lines + 1),
            line_vertices: Vec::with_capacity(total.line_vertices),
            points: Vec::with_capacity(total.points),
            objects: Vec::with_capacity(meshes.len()),
        }
    }

    /// Adds what a mesh lacks that others have.
    fn tell(&self, mesh: &Mesh<'_>, losses: &mut Losses) {
        let vertices = mesh.positions.len();
        if self.colors.is_some() && mesh.colors.is_none() {
            let reason = "vertices without a colour become white, where others have one";
            losses.add_some("vertex_colors", reason, vertices, "vertex");
        }
        for (attribute, parts) in &self.attributes {
            if own_values(mesh, &attribute.name, *parts).is_none() && vertices > 0 {
                let is_there = mesh.attributes.iter().any(|own| own.name == attribute.name);
                let reason = match is_there {
                    true => "attributes of one name have another width: these values become 0",
                    false => "vertices without an attribute get 0, where others have it",
                };
                let loss = Loss::new("attributes", reason).count(vertices as u64, "value");
                losses.add(loss.example(&*attribute.name));
            }
        }
        // An index is one of corners.
        let is_bare = mesh.corner_vertices.is_empty();
        let uvs = mesh.uvs.as_ref().map_or(0, |uvs| uvs.values.len());
        if is_bare && matches!(self.uv_domain, JoinedDomain::Indexed(_)) {
            let reason = "texture coordinates of points beside faces are left out";
            losses.add_some("uvs", reason, uvs, "value");
        }
        let normals = mesh.normals.as_ref().map_or(0, |normals| normals.values.len());
        if is_bare && matches!(self.normal_domain, JoinedDomain::Indexed(_)) {
            let reason = "normals of points beside faces are left out";
            losses.add_some("normals", reason, normals, "value");
        }
    }

    fn add(&mut self, mesh: Mesh<'_>) {
        let (before, own) = (self.before, Counts::of(&mesh));
        let after = before.and(own);
        let uv_domain = mesh.uvs.as_ref().map(|uvs| &uvs.domain);
        self.uv_domain.add(uv_domain, &mesh, before.uvs);
        let normal_domain = mesh.normals.as_ref().map(|normals| &normals.domain);
        self.normal_domain.add(normal_domain, &mesh, before.normals);
        match (&mut self.wide, &mesh.positions) {
            (Some(wide), Positions::F64(p)) => wide.extend_from_slice(p),
            (Some(wide), Positions::F32(p)) => wide.extend(p.iter().map(|p| p.map(f64::from))),
            (None, Positions::F32(p)) => self.narrow.extend_from_slice(p),
            (None, Positions::F64(p)) => self.narrow.extend(p.iter().map(|p| p.map(|x| x as f32))),
        }
        if let Some(uvs) = &mesh.uvs {
            self.uvs.extend_from_slice(&uvs.values);
        }
        if let Some(normals) = &mesh.normals {
            self.normals.extend_from_slice(&normals.values);
        }
        if let Some(all) = &mut self.colors {
            if let Some(colors) = &mesh.colors {
                all.extend_from_slice(&colors.values);
            }
            all.resize(after.vertices, [1.0; 4]);
        }
        for (attribute, parts) in &mut self.attributes {
            let own = own_values(&mesh, &attribute.name, *parts);
            extend(&mut attribute.values, own, after.vertices * *parts);
        }
        let (vertices, corners) = (before.vertices as u32, before.corners as u32);
        if own.faces > 0 {
            let ends = &mesh.face_offsets[1..];
            let first = if self.face_offsets.is_empty() { Some(0) } else { None };
            self.face_offsets.extend(first.into_iter().chain(ends.iter().map(|end| end + corners)));
        }
        self.corner_vertices.extend(mesh.corner_vertices.iter().map(|vertex| vertex + vertices));
        if let Some(all) = &mut self.face_materials {
            all.extend_from_slice(&mesh.face_materials);
            all.resize(after.faces, NONE);
        }
        if own.lines > 0 {
            let (ends, start) = (&mesh.line_offsets[1..], before.line_vertices as u32);
            let first = if self.line_offsets.is_empty() { Some(0) } else { None };
            self.line_offsets.extend(first.into_iter().chain(ends.iter().map(|end| end + start)));
        }
        self.line_vertices.extend(mesh.line_vertices.iter().map(|vertex| vertex + vertices));
        self.points.extend(mesh.points.iter().map(|vertex| vertex + vertices));
        let named = |object: &Object| (object.name.clone(), object.mesh_name.clone());
        let (name, mesh_name) = mesh.objects.first().map(named).unwrap_or_default();
        let object = whole(&mesh, name, mesh_name);
        self.objects.push(Object {
            vertices_end: after.vertices as u32,
            uvs_end: after.uvs as u32,
            normals_end: after.normals as u32,
            faces_end: after.faces as u32,
            lines_end: after.lines as u32,
            points_end: after.points as u32,
            ..object
        });
        self.before = after;
    }

    fn finish(self) -> Mesh<'static> {
        let Joining { uvs, normals, .. } = self;
        let count = self.before.vertices;
        let attribute = |(mut attribute, width): (Attribute<'static>, usize)| {
            if let Some((offsets, _)) = &mut attribute.list {
                *offsets = (0..=count).map(|i| (i * width) as u32).collect::<Vec<_>>().into();
            }
            attribute
        };
        Mesh {
            positions: match self.wide {
                Some(wide) => Positions::F64(wide.into()),
                None => Positions::F32(self.narrow.into()),
            },
            uvs: self.uv_domain.finish().map(|domain| Uvs { values: uvs.into(), domain }),
            normals: self
                .normal_domain
                .finish()
                .map(|domain| Normals { values: normals.into(), domain }),
            colors: self
                .colors
                .map(|values| Colors { values: values.into(), space: ColorSpace::Linear }),
            attributes: self.attributes.into_iter().map(attribute).collect(),
            face_offsets: self.face_offsets.into(),
            corner_vertices: self.corner_vertices.into(),
            face_materials: self.face_materials.unwrap_or_default().into(),
            line_offsets: self.line_offsets.into(),
            line_vertices: self.line_vertices.into(),
            points: self.points.into(),
            objects: self.objects,
            ..Mesh::default()
        }
    }
}

/// Runs an expression on the arrays of two values of one type.
macro_rules! for_both {
    ($values:expr, $other:expr, |$all:ident, $more:ident| $same:expr) => {
        match ($values, $other) {
            (Values::I8($all), Some(Values::I8($more))) => $same,
            (Values::U8($all), Some(Values::U8($more))) => $same,
            (Values::I16($all), Some(Values::I16($more))) => $same,
            (Values::U16($all), Some(Values::U16($more))) => $same,
            (Values::I32($all), Some(Values::I32($more))) => $same,
            (Values::U32($all), Some(Values::U32($more))) => $same,
            (Values::F32($all), Some(Values::F32($more))) => $same,
            (Values::F64($all), Some(Values::F64($more))) => $same,
            _ => {}
        }
    };
}

/// Runs an expression on the array of values of any type.
macro_rules! for_each_type {
    ($values:expr, |$all:ident| $same:expr) => {
        match $values {
            Values::I8($all) => $same,
            Values::U8($all) => $same,
            Values::I16($all) => $same,
            Values::U16($all) => $same,
            Values::I32($all) => $same,
            Values::U32($all) => $same,
            Values::F32($all) => $same,
            Values::F64($all) => $same,
        }
    };
}

/// The values that a mesh has of an attribute, if they are as many.
fn own_values<'m>(mesh: &'m Mesh<'_>, name: &str, parts: usize) -> Option<&'m Values<'m>> {
    let own = mesh.attributes.iter().find(|own| own.name == name)?;
    (own.values.len() == parts * mesh.positions.len()).then_some(&own.values)
}

fn emptied(like: &Values<'_>) -> Values<'static> {
    match like {
        Values::I8(_) => Values::I8(Cow::default()),
        Values::U8(_) => Values::U8(Cow::default()),
        Values::I16(_) => Values::I16(Cow::default()),
        Values::U16(_) => Values::U16(Cow::default()),
        Values::I32(_) => Values::I32(Cow::default()),
        Values::U32(_) => Values::U32(Cow::default()),
        Values::F32(_) => Values::F32(Cow::default()),
        Values::F64(_) => Values::F64(Cow::default()),
    }
}

/// Adds the values of a mesh, if it has some, and zeros up to `count`. Values of different types become
/// doubles, which hold all of them.
fn extend(all: &mut Values<'static>, more: Option<&Values<'_>>, count: usize) {
    if more.is_some_and(|more| more.scalar() != all.scalar()) {
        *all = doubles(all);
        let more = more.map(doubles);
        for_both!(&mut *all, more.as_ref(), |all, more| all.to_mut().extend_from_slice(more));
    } else {
        for_both!(&mut *all, more, |all, more| all.to_mut().extend_from_slice(more));
    }
    for_each_type!(all, |all| all.to_mut().resize(count, Default::default()));
}

#[allow(clippy::useless_conversion)] // one of the types is f64 itself
fn doubles(values: &Values<'_>) -> Values<'static> {
    Values::F64(for_each_type!(values, |all| all.iter().map(|value| f64::from(*value)).collect()))
}
