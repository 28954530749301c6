//! The packed form to a scene, or to parts of it.

use super::array::path_of;
use super::check::check;
use super::fill::{FillRequests, native};
use super::mesh::{PackedMesh, PackedMeshInfo};
use super::record::{self, place, whole};
use super::table::{ALIGN, Section, SectionKind, SectionTable};
use super::values;
use crate::pbrt::Statements;
use crate::scene::*;
use bytemuck::Zeroable;
use solio_base::{Error, Limits, Result, Source, Work, memory};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// How a packed scene is read.
#[derive(Clone, Copy, Debug)]
pub struct PackReadOptions {
    /// Whether to take in where everything stands in the text. Without it all stands in line 0 of the
    /// first file; lines that are known count from 1.
    pub places: bool,
    /// Whether to check the sum of each section.
    pub verify: bool,
    /// Bounds.
    pub limits: Limits,
}

impl Default for PackReadOptions {
    fn default() -> Self {
        PackReadOptions { places: true, verify: true, limits: Limits::default() }
    }
}

/// A packed scene, of which the table was read.
pub struct PackReader<'s> {
    pub(super) source: &'s dyn Source,
    table: SectionTable,
    pub(super) options: PackReadOptions,
}

impl<'s> PackReader<'s> {
    /// Reads the table. `source` must have a known size and give any bytes at any time.
    pub fn new(source: &'s dyn Source, options: &PackReadOptions) -> Result<PackReader<'s>> {
        let table = SectionTable::read(source, options.verify)?;
        let plain = table.sections.iter().map(|section| section.plain_bytes);
        let plain = plain.fold(0, u64::saturating_add);
        options.limits.check_bytes("the packed scene", plain)?;
        Ok(PackReader { source, table, options: *options })
    }

    /// All sections, in the order of the file.
    pub fn sections(&self) -> &[Section] {
        &self.table.sections
    }

    /// The scene. The meshes of files are not part of it: [`Self::mesh`] gives them.
    pub fn scene(&self, work: &Work) -> Result<Scene> {
        self.scene_with(Some(InstanceArrays::room(self)?), work)
    }

    /// The scene without its instances, of which [`Self::instance_counts`] tells: what there is of
    /// them is not read.
    ///
    /// ```
    /// # use solio_base::{Sink, Work};
    /// # use solio_scene::pack::{PackOptions, PackReadOptions, PackReader, encode_pack};
    /// # use solio_scene::scene::{NoFiles, SceneOptions, read_scene};
    /// # use std::path::Path;
    /// # let (options, work) = (SceneOptions::default(), Work::serial());
    /// let text = b"WorldBegin ObjectBegin \"a\" ObjectEnd ObjectInstance \"a\" ObjectInstance \"a\"";
    /// # let scene = read_scene(&&text[..], Path::new("a.pbrt"), &NoFiles, &options, &work)?;
    /// # let mut file = Vec::new();
    /// # encode_pack(&scene, &|_| Ok(None), &PackOptions::default(), &mut file, &work)?;
    /// let reader = PackReader::new(&file, &PackReadOptions::default())?;
    /// let scene = reader.scene_without_instances(&work)?;
    /// assert_eq!((scene.instances.objects.len(), scene.objects[0].instances), (0, 2));
    /// assert_eq!(reader.instance_counts().all, 2);
    /// # Ok::<(), solio_base::Error>(())
    /// ```
    pub fn scene_without_instances(&self, work: &Work) -> Result<Scene> {
        self.scene_with(None, work)
    }

    fn scene_with(&self, instances: Option<InstanceArrays>, work: &Work) -> Result<Scene> {
        let scene = unpack(self, instances, work)?;
        check(&scene).map_err(|fault| self.fault(SectionKind::Head, fault))?;
        Ok(scene)
    }

    /// How many instances the scene has, as its table tells.
    pub fn instance_counts(&self) -> InstanceCounts {
        let count = |kind| self.table.count(kind, 0) as u64;
        InstanceCounts {
            all: count(SectionKind::InstanceMatrices),
            moving: count(SectionKind::InstanceMoving),
        }
    }

    /// The instances alone, with the numbers of their objects.
    pub fn instances(&self, work: &Work) -> Result<Instances> {
        let mut arrays = InstanceArrays::room(self)?;
        let mut wanted = FillRequests::default();
        arrays.want(self, &mut wanted);
        wanted.fill(self, work)?;
        arrays.instances(self)
    }

    /// The meshes of files, in the order of [`Self::mesh`].
    pub fn meshes(&self, work: &Work) -> Result<Vec<PackedMeshInfo>> {
        let mut infos: Vec<[u32; 10]> = self.room(SectionKind::Meshes, 0)?;
        let mut names: Vec<u8> = self.room(SectionKind::MeshNames, 0)?;
        let mut wanted = FillRequests::default();
        wanted.add(self, SectionKind::Meshes, 0, &mut infos);
        wanted.add(self, SectionKind::MeshNames, 0, &mut names);
        wanted.fill(self, work)?;
        native(&mut infos);
        let mut names = &names[..];
        let all = infos.iter().enumerate().map(|(i, info)| {
            let long = |at: usize| whole([info[at], info[at + 1]]);
            Ok(PackedMeshInfo {
                name: take(&mut names, info[0]).ok_or("a name of a mesh is missing")?.to_vec(),
                vertices: long(2),
                faces: long(4),
                corners: long(6),
                memory_bytes: long(8),
                file_bytes: self.mesh_file_bytes(i as u32),
            })
        });
        all.collect::<Result<_, _>>().map_err(|fault| self.fault(SectionKind::Meshes, fault))
    }

    fn mesh_file_bytes(&self, number: u32) -> u64 {
        let kinds = [
            SectionKind::MeshPositions,
            SectionKind::MeshNormals,
            SectionKind::MeshUvs,
            SectionKind::MeshCorners,
            SectionKind::MeshFaces,
            SectionKind::MeshFaceIndices,
        ];
        kinds.iter().flat_map(|kind| self.table.array(*kind, number)).map(Section::room).sum()
    }

    /// A mesh by its number among [`Self::meshes`].
    pub fn mesh(&self, number: u32, work: &Work) -> Result<PackedMesh<'static>> {
        if number as usize >= self.table.count(SectionKind::Meshes, 0) {
            return Err(Error::argument(format!("the packed scene has no mesh {number}")));
        }
        let mut positions = self.room(SectionKind::MeshPositions, number)?;
        let mut normals = self.room(SectionKind::MeshNormals, number)?;
        let mut uvs = self.room(SectionKind::MeshUvs, number)?;
        let mut corners = self.room(SectionKind::MeshCorners, number)?;
        let mut face_offsets = self.room(SectionKind::MeshFaces, number)?;
        let mut face_indices = self.room(SectionKind::MeshFaceIndices, number)?;
        let mut wanted = FillRequests::default();
        wanted.add(self, SectionKind::MeshPositions, number, &mut positions);
        wanted.add(self, SectionKind::MeshNormals, number, &mut normals);
        wanted.add(self, SectionKind::MeshUvs, number, &mut uvs);
        wanted.add(self, SectionKind::MeshCorners, number, &mut corners);
        wanted.add(self, SectionKind::MeshFaces, number, &mut face_offsets);
        wanted.add(self, SectionKind::MeshFaceIndices, number, &mut face_indices);
        wanted.fill(self, work)?;
        native(&mut positions);
        native(&mut normals);
        native(&mut uvs);
        native(&mut corners);
        native(&mut face_offsets);
        native(&mut face_indices);
        let mesh = PackedMesh {
            positions: Cow::Owned(positions),
            normals: Cow::Owned(normals),
            uvs: Cow::Owned(uvs),
            corners: Cow::Owned(corners),
            face_offsets: Cow::Owned(face_offsets),
            face_indices: Cow::Owned(face_indices),
        };
        mesh.check().map_err(|fault| self.fault(SectionKind::Meshes, fault))?;
        Ok(mesh)
    }

    /// The sections of an array.
    pub(super) fn sections_of(&self, kind: SectionKind, number: u32) -> &[Section] {
        self.table.array(kind, number)
    }

    /// Whether an array has a section, even an empty one.
    pub(super) fn has(&self, kind: SectionKind, number: u32) -> bool {
        self.table.has(kind, number)
    }

    /// Memory for an array. It is bounded by the file: see [`super::table::MOST_RATIO`].
    pub(super) fn room<T: Zeroable + Clone>(
        &self,
        kind: SectionKind,
        number: u32,
    ) -> Result<Vec<T>> {
        let count = self.table.plain_bytes(kind, number) / size_of::<T>();
        self.options.limits.check_elements("records of the packed scene", count as u64)?;
        // Pages of zeros come from the system: they are touched where they are filled.
        let mut values = vec![T::zeroed(); count];
        memory::advise_huge(&mut values);
        Ok(values)
    }

    pub(super) fn fault(&self, kind: SectionKind, fault: &str) -> Error {
        let at = self.table.array(kind, 0).first().map_or(ALIGN, |section| section.offset);
        Error::corrupt(format!("the packed scene contradicts itself: {fault}")).at_offset(at)
    }
}

/// The first bytes, which are taken away.
fn take<'b>(bytes: &mut &'b [u8], count: u32) -> Option<&'b [u8]> {
    let (part, rest) = bytes.split_at_checked(count as usize)?;
    *bytes = rest;
    Some(part)
}

/// Of these there is one array each, of words.
const OF_WORDS: [SectionKind; 12] = [
    SectionKind::Files,
    SectionKind::Options,
    SectionKind::Attributes,
    SectionKind::Shapes,
    SectionKind::Objects,
    SectionKind::Materials,
    SectionKind::Textures,
    SectionKind::Media,
    SectionKind::Lights,
    SectionKind::AreaLights,
    SectionKind::NamedFiles,
    SectionKind::Problems,
];
/// And these, if places are wanted.
const OF_PLACES: [SectionKind; 2] = [SectionKind::FilePlaces, SectionKind::Places];
/// And of these: bytes.
const OF_BYTES: [SectionKind; 3] =
    [SectionKind::Head, SectionKind::Names, SectionKind::ProblemText];

/// Unpacks all arrays of a scene but those of instances that have no room, then puts it together.
fn unpack(
    reader: &PackReader<'_>,
    mut instances: Option<InstanceArrays>,
    work: &Work,
) -> Result<Scene> {
    let mut values = values::room(reader, work)?;
    let mut matrices: Vec<[f32; 16]> = reader.room(SectionKind::Matrices, 0)?;
    let mut words: BTreeMap<SectionKind, Vec<u32>> = BTreeMap::new();
    let mut bytes: BTreeMap<SectionKind, Vec<u8>> = BTreeMap::new();
    let places = if reader.options.places { &OF_PLACES[..] } else { &[] };
    for kind in OF_WORDS.iter().chain(places) {
        words.insert(*kind, reader.room(*kind, 0)?);
    }
    for kind in OF_BYTES {
        bytes.insert(kind, reader.room(kind, 0)?);
    }
    let mut wanted = FillRequests::default();
    values::want(&mut values, reader, &mut wanted);
    if let Some(instances) = &mut instances {
        instances.want(reader, &mut wanted);
    }
    wanted.add(reader, SectionKind::Matrices, 0, &mut matrices);
    words.iter_mut().for_each(|(kind, words)| wanted.add(reader, *kind, 0, words));
    bytes.iter_mut().for_each(|(kind, bytes)| wanted.add(reader, *kind, 0, bytes));
    wanted.fill(reader, work)?;
    native(&mut matrices);
    words.values_mut().for_each(|words| native(words));
    let instances = match instances {
        Some(instances) => instances.instances(reader)?,
        None => Instances::default(),
    };
    let kept = values::statements(values, reader, work)?;
    SceneArrays { reader, words, bytes }.scene(kept, instances, matrices)
}

/// The arrays of which there is one each.
struct SceneArrays<'r, 's> {
    reader: &'r PackReader<'s>,
    words: BTreeMap<SectionKind, Vec<u32>>,
    bytes: BTreeMap<SectionKind, Vec<u8>>,
}

impl SceneArrays<'_, '_> {
    fn bytes(&self, kind: SectionKind) -> &[u8] {
        self.bytes.get(&kind).map_or(&[], |bytes| bytes)
    }

    fn words<const WORDS: usize>(&self, kind: SectionKind) -> &[[u32; WORDS]] {
        self.words.get(&kind).map_or(&[], |words| words.as_chunks().0)
    }

    /// Records, each made by `make`.
    fn records<const WORDS: usize, T>(
        &self,
        kind: SectionKind,
        mut make: impl FnMut(&[u32; WORDS]) -> Result<T, record::RecordFault>,
    ) -> Result<Vec<T>> {
        let words = self.words(kind);
        let mut all = Vec::with_capacity(words.len());
        for record in words {
            all.push(make(record).map_err(|fault| self.reader.fault(kind, fault))?);
        }
        Ok(all)
    }

    fn scene(
        &self,
        kept: Vec<Statements>,
        instances: Instances,
        matrices: Vec<[f32; 16]>,
    ) -> Result<Scene> {
        let mut names = self.bytes(SectionKind::Names);
        let mut name = |size: u32| take(&mut names, size).ok_or("a name is missing");
        let files = self.records(SectionKind::Files, |words: &[u32; 5]| {
            let [path, included, depth, low, high] = *words;
            Ok(SceneFile {
                path: path_of(name(path)?),
                included: record::truth(included)?.then(Place::default),
                depth,
                bytes: whole([low, high]),
            })
        })?;
        let objects = self.records(SectionKind::Objects, |words: &[u32; 5]| {
            let [size, start, end, instances, flags] = *words;
            Ok(Object {
                name: name(size)?.to_vec(),
                defined: (flags & 1 != 0).then(Place::default),
                first_use: (flags & 2 != 0).then(Place::default),
                shapes: start..end,
                instances,
            })
        })?;
        let materials = self.records(SectionKind::Materials, |words: &[u32; 9]| {
            let [.., size, flags] = *words;
            Ok(Material {
                name: name(size)?.to_vec(),
                entity: perhaps(words, flags & 1 != 0)?,
                first_use: (flags & 2 != 0).then(Place::default),
            })
        })?;
        let textures = self.records(SectionKind::Textures, |words: &[u32; 10]| {
            let [.., size, is_spectrum, matrix] = *words;
            let name = name(size)?.to_vec();
            let is_spectrum = record::truth(is_spectrum)?;
            Ok(Texture { name, is_spectrum, entity: of_front(words)?, matrix })
        })?;
        let media = self.records(SectionKind::Media, |words: &[u32; 10]| {
            let [.., size, flags, matrix] = *words;
            Ok(Medium {
                name: name(size)?.to_vec(),
                entity: perhaps(words, flags & 1 != 0)?,
                matrix,
                first_use: (flags & 2 != 0).then(Place::default),
            })
        })?;
        let named_files = self.records(SectionKind::NamedFiles, |words: &[u32; 1]| {
            Ok((name(words[0])?.to_vec(), Place::default()))
        })?;
        let mut scene = self.once(kept, instances)?;
        scene.named_files = named_files;
        // Also what has no place of its own stands in the first file.
        if files.is_empty() {
            return Err(self.reader.fault(SectionKind::Files, "a scene in no file"));
        }
        (scene.files, scene.matrices, scene.objects) = (files, matrices, objects);
        (scene.materials, scene.textures, scene.media) = (materials, textures, media);
        scene.options = self.records(SectionKind::Options, record::entity)?;
        scene.attributes = self.records(SectionKind::Attributes, record::entity)?;
        scene.shapes = self.records(SectionKind::Shapes, record::shape)?;
        scene.lights = self.records(SectionKind::Lights, record::light)?;
        scene.area_lights = self.records(SectionKind::AreaLights, record::entity)?;
        self.problems(&mut scene)?;
        if self.reader.options.places && self.reader.has(SectionKind::Places, 0) {
            self.places(&mut scene)?;
        }
        Ok(scene)
    }

    /// A scene of what there is once.
    fn once(&self, kept: Vec<Statements>, instances: Instances) -> Result<Scene> {
        let bytes = self.bytes(SectionKind::Head);
        let mut words = bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word));
        let end = || self.reader.fault(SectionKind::Head, "its first section ends early");
        let mut some = |to: &mut [u32]| {
            to.iter_mut().try_for_each(|word| words.next().map(|next| *word = next)).ok_or_else(end)
        };
        let mut first = [0; 4];
        some(&mut first)?;
        let mut once: [Option<Entity>; 5] = [None; 5];
        for entity in &mut once {
            let mut words = [0; 8];
            some(&mut words)?;
            let fault = |fault| self.reader.fault(SectionKind::Head, fault);
            if record::truth(words[0]).map_err(fault)? {
                *entity = Some(of_front(&words[1..]).map_err(fault)?);
            }
        }
        let mut has_camera = [0];
        some(&mut has_camera)?;
        let mut camera = None;
        if has_camera[0] == 1 {
            let mut words = [0; 7 + 1 + 2 + 64];
            some(&mut words)?;
            let entity =
                of_front(&words).map_err(|fault| self.reader.fault(SectionKind::Head, fault))?;
            let number = |i: usize| f64::from_bits(whole([words[10 + 2 * i], words[11 + 2 * i]]));
            let matrix = |first: usize| {
                glam::DMat4::from_cols_array(&std::array::from_fn(|i| number(first + i)))
            };
            let times = [words[8], words[9]].map(f32::from_bits);
            let from_world = Motion { start: matrix(0), end: matrix(16), times };
            camera = Some(Camera { entity, from_world, medium: words[7] });
        }
        let [version, world_shapes, low, high] = first;
        let [film, sampler, filter, integrator, accelerator] = once;
        Ok(Scene {
            version,
            kept,
            camera,
            film,
            sampler,
            filter,
            integrator,
            accelerator,
            world_shapes,
            instances,
            directives: whole([low, high]),
            ..Scene::default()
        })
    }

    fn problems(&self, scene: &mut Scene) -> Result<()> {
        let mut text = self.bytes(SectionKind::ProblemText);
        let all = self.records(SectionKind::Problems, |words: &[u32; 11]| {
            record::problem(words, &mut text)
        })?;
        for (problem, is_warning) in all {
            let to = if is_warning { &mut scene.warnings } else { &mut scene.problems };
            to.push(problem);
        }
        Ok(())
    }

    /// Gives everything its place in the text.
    fn places(&self, scene: &mut Scene) -> Result<()> {
        let file_count = scene.files.len();
        let missing = |kind| self.reader.fault(kind, "places are missing, or in no file");
        let known = |words: &[u32; 5]| {
            let place = place(words);
            if (place.file as usize) < file_count { Ok(place) } else { Err("a place in no file") }
        };
        let places = self.records(SectionKind::FilePlaces, known)?;
        if places.len() != file_count {
            return Err(missing(SectionKind::FilePlaces));
        }
        for (file, place) in scene.files.iter_mut().zip(places) {
            file.included = file.included.map(|_| place);
        }
        let mut words = self.words(SectionKind::Places).iter();
        let all = put_places(scene, || known(words.next().ok_or("a place is missing")?));
        all.map_err(|fault| self.reader.fault(SectionKind::Places, fault))?;
        if words.next().is_some() {
            return Err(missing(SectionKind::Places));
        }
        Ok(())
    }
}

/// Gives all entities their places, in the order of the file: see `places_of` of [`super::array`].
fn put_places(
    scene: &mut Scene,
    mut next: impl FnMut() -> Result<Place, record::RecordFault>,
) -> Result<(), record::RecordFault> {
    let camera = next()?;
    if let Some(known) = &mut scene.camera {
        known.entity.place = camera;
    }
    let Scene { film, sampler, filter, integrator, accelerator, .. } = scene;
    for entity in [film, sampler, filter, integrator, accelerator] {
        let place = next()?;
        if let Some(entity) = entity {
            entity.place = place;
        }
    }
    for entity in scene.options.iter_mut().chain(&mut scene.attributes) {
        entity.place = next()?;
    }
    for shape in &mut scene.shapes {
        shape.entity.place = next()?;
    }
    let put = |to: &mut Option<Place>, place: Place| {
        if let Some(to) = to {
            *to = place;
        }
    };
    for object in &mut scene.objects {
        put(&mut object.defined, next()?);
        put(&mut object.first_use, next()?);
    }
    for material in &mut scene.materials {
        let place = next()?;
        if let Some(entity) = &mut material.entity {
            entity.place = place;
        }
        put(&mut material.first_use, next()?);
    }
    for texture in &mut scene.textures {
        texture.entity.place = next()?;
    }
    for medium in &mut scene.media {
        let place = next()?;
        if let Some(entity) = &mut medium.entity {
            entity.place = place;
        }
        put(&mut medium.first_use, next()?);
    }
    for light in &mut scene.lights {
        light.entity.place = next()?;
    }
    for entity in &mut scene.area_lights {
        entity.place = next()?;
    }
    for (_, place) in &mut scene.named_files {
        *place = next()?;
    }
    Ok(())
}

/// An entity of the first words of a record.
fn of_front(words: &[u32]) -> Result<Entity, record::RecordFault> {
    record::entity(words.first_chunk().ok_or("a record is too short")?)
}

fn perhaps(words: &[u32], is_there: bool) -> Result<Option<Entity>, record::RecordFault> {
    is_there.then(|| of_front(words)).transpose()
}

/// The arrays of instances as they are in the file.
#[derive(Default)]
struct InstanceArrays {
    matrices: Vec<[f32; 12]>,
    objects: Vec<u32>,
    runs: Vec<[u32; 2]>,
    moving: Vec<[u32; 13]>,
    places: Vec<u64>,
    files: Vec<[u32; 2]>,
    has_places: bool,
}

impl InstanceArrays {
    fn room(reader: &PackReader<'_>) -> Result<InstanceArrays> {
        let has_places = reader.options.places && reader.has(SectionKind::InstancePlaces, 0);
        let mut arrays = InstanceArrays {
            matrices: reader.room(SectionKind::InstanceMatrices, 0)?,
            objects: reader.room(SectionKind::InstanceObjects, 0)?,
            runs: reader.room(SectionKind::InstanceRuns, 0)?,
            moving: reader.room(SectionKind::InstanceMoving, 0)?,
            has_places,
            ..InstanceArrays::default()
        };
        if has_places {
            arrays.places = reader.room(SectionKind::InstancePlaces, 0)?;
            arrays.files = reader.room(SectionKind::InstanceFiles, 0)?;
        }
        Ok(arrays)
    }

    fn want<'j>(&'j mut self, reader: &PackReader<'_>, wanted: &mut FillRequests<'j>) {
        wanted.add(reader, SectionKind::InstanceMatrices, 0, &mut self.matrices);
        wanted.add(reader, SectionKind::InstanceObjects, 0, &mut self.objects);
        wanted.add(reader, SectionKind::InstanceRuns, 0, &mut self.runs);
        wanted.add(reader, SectionKind::InstanceMoving, 0, &mut self.moving);
        if self.has_places {
            wanted.add(reader, SectionKind::InstancePlaces, 0, &mut self.places);
            wanted.add(reader, SectionKind::InstanceFiles, 0, &mut self.files);
        }
    }

    /// What they say, when they are filled.
    fn instances(mut self, reader: &PackReader<'_>) -> Result<Instances> {
        native(&mut self.matrices);
        native(&mut self.objects);
        native(&mut self.runs);
        native(&mut self.moving);
        native(&mut self.files);
        if cfg!(target_endian = "big") {
            self.places.iter_mut().for_each(|place| *place = u64::from_le(*place));
        }
        let InstanceArrays { matrices, mut objects, runs, moving, mut places, files, .. } = self;
        let count = matrices.len();
        let fault = |fault| reader.fault(SectionKind::InstanceMatrices, fault);
        if reader.has(SectionKind::InstanceRuns, 0) {
            let all: u64 = runs.iter().map(|run| u64::from(run[1])).sum();
            if all != count as u64 {
                return Err(fault("runs of instances that are not as many as matrices"));
            }
            objects = Vec::with_capacity(count);
            for [object, count] in runs {
                objects.resize(objects.len() + count as usize, object);
            }
        }
        if objects.len() != count {
            return Err(fault("instances that are not as many as matrices"));
        }
        let moving =
            moving.iter().map(|[instance, numbers @ ..]| (*instance, numbers.map(f32::from_bits)));
        let moving = moving.collect();
        if !self.has_places {
            places = vec![0; count];
        }
        if places.len() != count {
            return Err(fault("places of instances that are not as many as matrices"));
        }
        let files = match self.has_places {
            true => files.iter().map(|[first, file]| (*first, *file)).collect(),
            false if count > 0 => vec![(0, 0)],
            false => Vec::new(),
        };
        Ok(Instances { objects, matrices, moving, places, files })
    }
}
