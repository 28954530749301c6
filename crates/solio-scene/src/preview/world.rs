//! What rays meet: definitions under instances.

use super::color::{SurfaceColors, SurfaceLook};
use crate::bounds::{Box3, box_of_points, instance_boxes};
use crate::bvh::{BoxBvh, BvhMesh, Hit, Quality, Ray, TriangleBvh};
use crate::geometry::{self, Triangles};
use crate::look::{LookPicture, TexturePicture};
use crate::scene::{Place, Scene, Shape};
use glam::{Mat3, Vec3};
use solio_base::{Error, Result, Work, ordered};
use std::borrow::Cow;
use std::sync::OnceLock;

/// Shapes of the world that make one definition together.
const MOST_SHAPES: usize = 4096;
/// Numbers that they have together, about.
const MOST_NUMBERS: usize = 1 << 20;

/// The identity, three rows of four.
const IDENTITY: [f32; 12] = [1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0.];

/// Where meshes and pictures of files come from.
pub trait PreviewFiles: Sync {
    /// The triangles of the file that a `plymesh` calls `name`.
    fn mesh(&self, name: &[u8]) -> Result<Triangles<'static>>;

    /// The picture that an `imagemap` names. It may be smaller than that of the file: it is to be seen
    /// from some distance.
    fn picture(&self, picture: &LookPicture) -> Result<TexturePicture>;
}

/// Where (u, v) of a shape come from.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Coordinates {
    /// Each vertex has them.
    Given,
    /// Those that pbrt gives a triangle without.
    Triangle,
    /// Those of a bilinear patch, which is two triangles.
    Patch,
    /// Nowhere: a curve has its mean colour.
    None,
}

/// Triangles that instances share, in the space of the object's world.
struct Definition<'s> {
    /// Which shapes, of [`Scene::shapes`].
    shapes: Vec<u32>,
    /// Where the triangles of each shape begin.
    starts: Vec<u32>,
    /// For each shape with a pattern where its coordinates come from.
    coordinates: Vec<Coordinates>,
    mesh: Triangles<'s>,
    bounds: Box3,
    tree: OnceLock<Result<TriangleBvh>>,
}

/// A scene that rays can be sent through.
pub struct World<'s> {
    pub(super) scene: &'s Scene,
    looks: SurfaceColors<'s>,
    definitions: Vec<Definition<'s>>,
    /// Those of the scene's instances, then those of the definitions that are in the world once.
    boxes: Vec<Box3>,
    top: BoxBvh,
    /// Shapes that are not shown, and why.
    pub problems: Vec<Error>,
}

/// The box around all that is seen of `scene`, and the shapes that cannot be read. Triangles are let go
/// as soon as they are bounded.
///
/// # Errors
/// `Cancelled`; `Corrupt` for instances of what is not there.
pub fn scene_bounds(
    scene: &Scene,
    files: &dyn PreviewFiles,
    work: &Work,
) -> Result<(Box3, Vec<Error>)> {
    let mut bounds = Vec::new();
    let problems = each_definition(scene, &SurfaceColors::new(scene), files, work, |definition| {
        bounds.push(definition.bounds);
    })?;
    let all = boxes(scene, &bounds)?.iter().fold(Box3::EMPTY, |all, one| all.union(one));
    Ok((all, problems))
}

/// Hands over all definitions, those of objects first, so that their numbers are those of the scene;
/// the shapes that cannot be read.
fn each_definition<'s>(
    scene: &'s Scene,
    looks: &SurfaceColors<'s>,
    files: &dyn PreviewFiles,
    work: &Work,
    mut each: impl FnMut(Definition<'s>) + Send,
) -> Result<Vec<Error>> {
    let groups = groups(scene);
    let (mut problems, mut next) = (Vec::new(), 0);
    ordered::run::<(usize, Option<(Definition<'s>, Vec<Error>)>)>(
        work,
        2 * work.threads + 2,
        |slot| {
            slot.0 = next;
            next += 1;
            Ok(slot.0 < groups.len())
        },
        |slot| {
            slot.1 = Some(definition(scene, looks, &groups[slot.0], files)?);
            Ok(())
        },
        |slot| {
            if let Some((definition, mut wrong)) = slot.1.take() {
                each(definition);
                problems.append(&mut wrong);
            }
            Ok(())
        },
    )?;
    Ok(problems)
}

/// The boxes of the scene's instances, then those of the definitions that are in the world once.
fn boxes(scene: &Scene, bounds: &[Box3]) -> Result<Vec<Box3>> {
    let (objects, once) = bounds.split_at(scene.objects.len());
    let instances = &scene.instances;
    let mut boxes = vec![Box3::EMPTY; instances.objects.len() + once.len()];
    let (of_instances, of_world) = boxes.split_at_mut(instances.objects.len());
    instance_boxes(objects, &instances.objects, &instances.matrices, of_instances)?;
    of_world.copy_from_slice(once);
    Ok(boxes)
}

/// What a ray meets first.
pub(super) struct RayHit {
    pub(super) distance: f32,
    /// One more than the number of the instance among the scene's; 0 for what is none.
    pub(super) instance: u32,
    /// Of length 1, on the side that the ray comes from.
    pub(super) normal: Vec3,
    /// What it is shaded by: as the one before, where the surface is not made smooth.
    pub(super) shading: Vec3,
    pub(super) look: SurfaceLook,
}

impl<'s> World<'s> {
    /// Gets the triangles of all shapes, and the boxes around them. Trees of definitions are built
    /// when the first ray gets there.
    pub fn new(scene: &'s Scene, files: &dyn PreviewFiles, work: &Work) -> Result<World<'s>> {
        let mut looks = SurfaceColors::new(scene);
        let mut problems = looks.read_pictures(files, work)?;
        let mut definitions = Vec::new();
        problems.append(&mut each_definition(scene, &looks, files, work, |definition| {
            definitions.push(definition);
        })?);
        let bounds: Vec<Box3> = definitions.iter().map(|definition| definition.bounds).collect();
        let boxes = boxes(scene, &bounds)?;
        let top = BoxBvh::build(&boxes)?;
        Ok(World { scene, looks, definitions, boxes, top, problems })
    }

    /// The box around everything.
    pub fn bounds(&self) -> Box3 {
        self.top.bounds()
    }

    /// How many definitions there are, and how many of them have a tree by now.
    pub fn trees(&self) -> [usize; 2] {
        let built = self.definitions.iter().filter(|definition| definition.tree.get().is_some());
        [self.definitions.len(), built.count()]
    }

    /// What `ray` meets first.
    pub(super) fn closest(&self, ray: &Ray) -> Option<RayHit> {
        #[cfg(test)]
        super::tests::RAYS.with(|rays| rays.set(rays.get() + 1));
        let mut found = None;
        self.top.visit(ray, |item, to| {
            let (definition, matrix) = self.placed(item);
            let Some(inner) = inner(matrix, ray, to) else { return to };
            let tree = definition.tree();
            let hit = tree.and_then(|tree| tree.closest(definition.mesh(), &inner));
            match hit.filter(|hit| hit.distance < to) {
                Some(hit) => {
                    found = Some((item, hit));
                    hit.distance
                }
                None => to,
            }
        });
        let (item, hit) = found?;
        Some(self.met(ray, item, &hit))
    }

    /// The mesh of a world that has no other, and has it where it is.
    pub(super) fn only_mesh(&self) -> Option<BvhMesh<'_>> {
        let [_] = &self.boxes[..] else { return None };
        let (definition, matrix) = self.placed(0);
        (*matrix == IDENTITY).then(|| definition.mesh())
    }

    /// What is known of a place on the only mesh; `None` where a pattern has many colours near it.
    pub(super) fn plain(&self, ray: &Ray, hit: &Hit) -> Option<RayHit> {
        let (definition, _) = self.placed(0);
        let part = definition.starts.partition_point(|start| *start <= hit.triangle) - 1;
        let look = self.look(definition.shapes[part]);
        (!matches!(look, SurfaceLook::Pattern(_))).then(|| self.met(ray, 0, hit))
    }

    /// Whether anything is met.
    pub(super) fn any(&self, ray: &Ray) -> bool {
        let mut met = false;
        self.top.visit(ray, |item, to| {
            let (definition, matrix) = self.placed(item);
            let Some(inner) = inner(matrix, ray, to) else { return to };
            let tree = definition.tree();
            met = tree.is_some_and(|tree| tree.any(definition.mesh(), &inner));
            if met { -1.0 } else { to }
        });
        met
    }

    /// The box that `ray` meets first, as if it were what is in it.
    pub(super) fn closest_box(&self, ray: &Ray) -> Option<RayHit> {
        let mut found = None;
        self.top.visit(ray, |item, to| {
            match enter(&self.boxes[item as usize], ray).filter(|(distance, _)| *distance < to) {
                Some((distance, normal)) => {
                    found = Some((item, distance, normal));
                    distance
                }
                None => to,
            }
        });
        let (item, distance, normal) = found?;
        let (definition, _) = self.placed(item);
        let look =
            definition.shapes.first().map_or(SurfaceLook::Nothing, |shape| self.look(*shape));
        let look = self.looks.mean(look);
        Some(RayHit { distance, instance: self.instance(item), normal, shading: normal, look })
    }

    fn instance(&self, item: u32) -> u32 {
        let instances = self.scene.instances.objects.len() as u32;
        if item < instances { item + 1 } else { 0 }
    }

    fn look(&self, shape: u32) -> SurfaceLook {
        self.looks.of(&self.scene.shapes[shape as usize])
    }

    /// What an item of the tree over all is, and how it is placed.
    fn placed(&self, item: u32) -> (&Definition<'s>, &[f32; 12]) {
        let (instances, item) = (&self.scene.instances, item as usize);
        match instances.objects.get(item) {
            Some(object) => (&self.definitions[*object as usize], &instances.matrices[item]),
            None => {
                let number = self.scene.objects.len() + item - instances.objects.len();
                (&self.definitions[number], &IDENTITY)
            }
        }
    }

    fn met(&self, ray: &Ray, item: u32, hit: &Hit) -> RayHit {
        let (definition, matrix) = self.placed(item);
        let mesh = &definition.mesh;
        let corners = mesh.indices[hit.triangle as usize];
        let [a, b, c] = corners.map(|i| Vec3::from(mesh.positions[i as usize]));
        let (linear, _) = parts(matrix);
        let normal = (linear * (b - a)).cross(linear * (c - a)).normalize_or_zero();
        let normal = if normal.dot(ray.direction.into()) > 0.0 { -normal } else { normal };
        let mut shading = normal;
        if !mesh.normals.is_empty() {
            let [a, b, c] = corners.map(|i| Vec3::from(mesh.normals[i as usize]));
            let mean = a * (1.0 - hit.u - hit.v) + b * hit.u + c * hit.v;
            let smooth = (upright(linear) * mean).normalize_or_zero();
            if smooth != Vec3::ZERO && smooth.is_finite() {
                shading = if smooth.dot(normal) < 0.0 { -smooth } else { smooth };
            }
        }
        let part = definition.starts.partition_point(|start| *start <= hit.triangle) - 1;
        RayHit {
            distance: hit.distance,
            instance: self.instance(item),
            normal,
            shading,
            look: match self.look(definition.shapes[part]) {
                SurfaceLook::Pattern(_) => self.pattern(definition, part, hit),
                look => look,
            },
        }
    }

    /// What a shape with a pattern looks like where it was hit.
    fn pattern(&self, definition: &Definition<'_>, part: usize, hit: &Hit) -> SurfaceLook {
        let mesh = &definition.mesh;
        let look = self.look(definition.shapes[part]);
        let odd = (hit.triangle - definition.starts[part]) % 2 == 1;
        let [a, b, c] = match definition.coordinates[part] {
            Coordinates::Given => mesh.indices[hit.triangle as usize].map(|i| mesh.uvs[i as usize]),
            Coordinates::Triangle => [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]],
            Coordinates::Patch if odd => [[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]],
            Coordinates::Patch => [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]],
            Coordinates::None => return self.looks.mean(look),
        };
        let uv = [0, 1].map(|i| a[i] * (1.0 - hit.u - hit.v) + b[i] * hit.u + c[i] * hit.v);
        self.looks.at(look, uv)
    }
}

impl Definition<'_> {
    fn tree(&self) -> Option<&TriangleBvh> {
        self.tree.get_or_init(|| TriangleBvh::build(self.mesh(), Quality::Fast)).as_ref().ok()
    }

    fn mesh(&self) -> BvhMesh<'_> {
        BvhMesh { positions: &self.mesh.positions, triangles: &self.mesh.indices }
    }
}

/// The ray in the space of an instance; distances stay what they are.
fn inner(matrix: &[f32; 12], ray: &Ray, to: f32) -> Option<Ray> {
    if *matrix == IDENTITY {
        return Some(Ray { to, ..*ray });
    }
    let (linear, offset) = parts(matrix);
    let determinant = linear.determinant();
    if determinant == 0.0 || !determinant.is_finite() {
        return None;
    }
    let inverse = linear.inverse();
    let origin = inverse * (Vec3::from(ray.origin) - offset);
    let direction = inverse * Vec3::from(ray.direction);
    let (origin, direction) = (origin.to_array(), direction.to_array());
    Some(Ray { origin, direction, from: ray.from, to })
}

/// What normals are moved by, but for their length: they stay upright on the surface.
fn upright(linear: Mat3) -> Mat3 {
    let [x, y, z] = [linear.x_axis, linear.y_axis, linear.z_axis];
    // The cofactors; where the matrix turns inside out, so does the surface.
    Mat3::from_cols(y.cross(z), z.cross(x), x.cross(y))
}

fn parts(m: &[f32; 12]) -> (Mat3, Vec3) {
    let column = |i: usize| Vec3::new(m[i], m[4 + i], m[8 + i]);
    (Mat3::from_cols(column(0), column(1), column(2)), column(3))
}

/// Where a ray from outside enters a box, and the normal there.
fn enter(of: &Box3, ray: &Ray) -> Option<(f32, Vec3)> {
    let (mut near, mut far, mut axis) = (f32::NEG_INFINITY, f32::INFINITY, 0);
    for i in 0..3 {
        let inverse = 1.0 / ray.direction[i];
        let (a, b) = ((of.min[i] - ray.origin[i]) * inverse, (of.max[i] - ray.origin[i]) * inverse);
        let (a, b) = (a.min(b), a.max(b));
        if a > near {
            (near, axis) = (a, i);
        }
        far = far.min(b);
    }
    let mut normal = Vec3::ZERO;
    normal[axis] = -ray.direction[axis].signum();
    (near <= far && near > 0.0).then_some((near, normal))
}

/// Shapes of each definition: those of each object, then those of the world, some at a time.
fn groups(scene: &Scene) -> Vec<Vec<u32>> {
    let mut groups: Vec<Vec<u32>> =
        scene.objects.iter().map(|object| object.shapes.clone().collect()).collect();
    let (mut group, mut numbers) = (Vec::new(), 0);
    for number in 0..scene.world_shapes {
        let entity = &scene.shapes[number as usize].entity;
        if scene.class(entity) == b"plymesh" {
            groups.push(vec![number]);
            continue;
        }
        numbers += scene.floats(entity, "P").map_or(8, <[f32]>::len);
        group.push(number);
        if group.len() >= MOST_SHAPES || numbers >= MOST_NUMBERS {
            groups.push(std::mem::take(&mut group));
            numbers = 0;
        }
    }
    if !group.is_empty() {
        groups.push(group);
    }
    groups
}

/// The triangles of some shapes together; shapes that have none to show are left out.
fn definition<'s>(
    scene: &'s Scene,
    looks: &SurfaceColors<'_>,
    numbers: &[u32],
    files: &dyn PreviewFiles,
) -> Result<(Definition<'s>, Vec<Error>)> {
    let (mut shapes, mut starts, mut problems) = (Vec::new(), Vec::new(), Vec::new());
    let mut coordinates = Vec::new();
    let mut mesh = Triangles::default();
    for (number, left) in numbers.iter().zip((0..numbers.len()).rev()) {
        let shape = &scene.shapes[*number as usize];
        let look = looks.of(shape);
        if look == SurfaceLook::Nothing {
            continue;
        }
        let mut found = match of_shape(scene, shape, files) {
            Ok(Some(found)) => found,
            Ok(None) => {
                let class = String::from_utf8_lossy(scene.class(&shape.entity)).into_owned();
                let error = Error::unsupported(format!("a {class} is not shown"));
                problems.push(located(scene, shape, error));
                continue;
            }
            Err(error) if error.kind() == solio_base::ErrorKind::Cancelled => return Err(error),
            Err(error) => {
                problems.push(located(scene, shape, error));
                continue;
            }
        };
        shapes.push(*number);
        starts.push(limit(mesh.indices.len())?);
        if !matches!(look, SurfaceLook::Pattern(_)) {
            found.uvs = Cow::default();
        }
        coordinates.push(match found.uvs.is_empty() {
            false => Coordinates::Given,
            true => match scene.class(&shape.entity) {
                b"bilinearmesh" => Coordinates::Patch,
                b"curve" => Coordinates::None,
                _ => Coordinates::Triangle,
            },
        });
        let found = moved(found, scene.matrices[shape.matrix as usize].first_chunk());
        match shapes.len() {
            // Of the only shape the arrays stay where they are.
            1 => mesh = found,
            _ => append(&mut mesh, &found, left)?,
        }
    }
    limit(mesh.positions.len())?;
    let bounds = box_of_points(&mesh.positions);
    Ok((Definition { shapes, starts, coordinates, mesh, bounds, tree: OnceLock::new() }, problems))
}

/// In the space of the object.
fn moved<'s>(mut mesh: Triangles<'s>, matrix: Option<&[f32; 12]>) -> Triangles<'s> {
    let matrix = matrix.expect("16 numbers");
    if *matrix == IDENTITY {
        return mesh;
    }
    let (linear, offset) = parts(matrix);
    for position in mesh.positions.to_mut() {
        *position = (linear * Vec3::from(*position) + offset).to_array();
    }
    let upright = upright(linear);
    for normal in mesh.normals.to_mut() {
        *normal = (upright * Vec3::from(*normal)).to_array();
    }
    mesh
}

/// Adds `more` to `mesh`, after which about as much may follow `left` times.
fn append(mesh: &mut Triangles<'_>, more: &Triangles<'_>, left: usize) -> Result<()> {
    let first = limit(mesh.positions.len())?;
    limit(mesh.positions.len() + more.positions.len())?;
    if !mesh.normals.is_empty() || !more.normals.is_empty() {
        // What has no normals has zeros: it is flat.
        let normals = mesh.normals.to_mut();
        normals.resize(mesh.positions.len(), [0.0; 3]);
        normals.extend_from_slice(&more.normals);
        normals.resize(mesh.positions.len() + more.positions.len(), [0.0; 3]);
    }
    if !mesh.uvs.is_empty() || !more.uvs.is_empty() {
        let uvs = mesh.uvs.to_mut();
        uvs.resize(mesh.positions.len(), [0.0; 2]);
        uvs.extend_from_slice(&more.uvs);
        uvs.resize(mesh.positions.len() + more.positions.len(), [0.0; 2]);
    }
    let (positions, indices) = (mesh.positions.to_mut(), mesh.indices.to_mut());
    make_room(positions, more.positions.len(), left);
    positions.extend_from_slice(&more.positions);
    make_room(indices, more.indices.len(), left);
    indices.extend(more.indices.iter().map(|triangle| triangle.map(|i| first + i)));
    Ok(())
}

/// Room for `count` more, and where there is none for as many as may follow: shapes of an object are
/// often alike, and arrays that grow are copied.
fn make_room<T>(array: &mut Vec<T>, count: usize, left: usize) {
    if array.capacity() - array.len() < count {
        array.reserve(count.saturating_mul(left + 1).min(MOST_NUMBERS).max(count));
    }
}

fn of_shape<'s>(
    scene: &'s Scene,
    shape: &Shape,
    files: &dyn PreviewFiles,
) -> Result<Option<Triangles<'s>>> {
    if scene.class(&shape.entity) != b"plymesh" {
        return geometry::triangles(scene, &shape.entity);
    }
    let name = scene.string(&shape.entity, "filename").unwrap_or_default();
    files.mesh(name).map(Some)
}

fn limit(count: usize) -> Result<u32> {
    u32::try_from(count).map_err(|_| Error::limit("an object has 4 G vertices and more"))
}

/// An error with the place of the shape that it is about.
pub(crate) fn located(scene: &Scene, shape: &Shape, error: Error) -> Error {
    located_at(scene, shape.entity.place, error)
}

/// An error with a place in the text.
pub(super) fn located_at(scene: &Scene, place: Place, error: Error) -> Error {
    let message = match error.path() {
        Some(path) => format!("{}: {}", path.display(), error.message()),
        None => error.message().to_owned(),
    };
    Error::new(error.kind(), message)
        .at_path(&scene.files[place.file as usize].path)
        .at_line(place.line.into(), place.column.into())
}
