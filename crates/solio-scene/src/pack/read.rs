//! The packed form to a scene, or to parts of it.

use super::array::path_of;
use super::check::check;
use super::chunk::Unpacker;
use super::mesh::{PackedMesh, PackedMeshInfo};
use super::record::{self, place, whole};
use super::streams;
use super::table::{ALIGN, Codec, Kind, Section, Table};
use crate::pbrt::{Span, Statements};
use crate::scene::*;
use bytemuck::{Pod, Zeroable, cast_slice_mut};
use solio_base::{Error, Limits, Result, Source, Work, memory, ordered};
use std::borrow::Cow;

/// How a packed scene is read.
#[derive(Clone, Copy, Debug)]
pub struct PackReadOptions {
    /// Whether to take in where everything stands in the text. Without it all stands at the
    /// beginning of the first file.
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
    source: &'s dyn Source,
    table: Table,
    options: PackReadOptions,
}

/// Some bytes of an array and the section that fills them.
type Job<'j> = (Section, &'j mut [u8]);

/// Arrays to be filled, all at once.
#[derive(Default)]
struct Wanted<'j>(Vec<Job<'j>>);

impl<'s> PackReader<'s> {
    /// Reads the table. `source` must have a known size and give any bytes at any time.
    pub fn new(source: &'s dyn Source, options: &PackReadOptions) -> Result<PackReader<'s>> {
        let table = Table::read(source, options.verify)?;
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
        let scene = Unpacking { reader: self, work }.scene()?;
        check(&scene).map_err(|fault| self.fault(Kind::Head, fault))?;
        Ok(scene)
    }

    /// The instances alone, with the numbers of their objects.
    pub fn instances(&self, work: &Work) -> Result<Instances> {
        Unpacking { reader: self, work }.instances()
    }

    /// The matrices of instances where they lie, if they are not packed, and the file is in memory:
    /// three rows of four numbers each.
    pub fn matrices_in_place(&self) -> Option<&[[f32; 12]]> {
        if cfg!(target_endian = "big") {
            return None;
        }
        let sections = self.table.array(Kind::InstanceMatrices, 0);
        let (first, last) = (sections.first()?, sections.last()?);
        let start = first.offset as usize;
        let end = (last.offset + last.stored_bytes) as usize;
        // Behind one another without a gap.
        let is_whole = sections.iter().map(|section| section.stored_bytes as usize).sum::<usize>();
        if sections.iter().any(|section| section.codec != Codec::None) || is_whole != end - start {
            return None;
        }
        bytemuck::try_cast_slice(self.source.as_bytes()?.get(start..end)?).ok()
    }

    /// The meshes of files, in the order of [`Self::mesh`].
    pub fn meshes(&self, work: &Work) -> Result<Vec<PackedMeshInfo>> {
        let unpacking = Unpacking { reader: self, work };
        let infos: Vec<[u32; 10]> = unpacking.array(Kind::Meshes, 0)?;
        let names: Vec<u8> = unpacking.array(Kind::MeshNames, 0)?;
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
        all.collect::<Result<_, _>>().map_err(|fault| self.fault(Kind::Meshes, fault))
    }

    fn mesh_file_bytes(&self, number: u32) -> u64 {
        let kinds = [
            Kind::MeshPositions,
            Kind::MeshNormals,
            Kind::MeshUvs,
            Kind::MeshCorners,
            Kind::MeshFaces,
            Kind::MeshFaceIndices,
        ];
        kinds.iter().flat_map(|kind| self.table.array(*kind, number)).map(Section::room).sum()
    }

    /// A mesh by its number among [`Self::meshes`].
    pub fn mesh(&self, number: u32, work: &Work) -> Result<PackedMesh<'static>> {
        let unpacking = Unpacking { reader: self, work };
        if number as usize >= self.table.count(Kind::Meshes, 0) {
            return Err(Error::argument(format!("the packed scene has no mesh {number}")));
        }
        let mut positions = self.room(Kind::MeshPositions, number)?;
        let mut normals = self.room(Kind::MeshNormals, number)?;
        let mut uvs = self.room(Kind::MeshUvs, number)?;
        let mut corners = self.room(Kind::MeshCorners, number)?;
        let mut face_offsets = self.room(Kind::MeshFaces, number)?;
        let mut face_indices = self.room(Kind::MeshFaceIndices, number)?;
        let mut wanted = Wanted::default();
        self.want(&mut wanted, Kind::MeshPositions, number, &mut positions);
        self.want(&mut wanted, Kind::MeshNormals, number, &mut normals);
        self.want(&mut wanted, Kind::MeshUvs, number, &mut uvs);
        self.want(&mut wanted, Kind::MeshCorners, number, &mut corners);
        self.want(&mut wanted, Kind::MeshFaces, number, &mut face_offsets);
        self.want(&mut wanted, Kind::MeshFaceIndices, number, &mut face_indices);
        unpacking.fill(wanted)?;
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
        mesh.check().map_err(|fault| self.fault(Kind::Meshes, fault))?;
        Ok(mesh)
    }

    /// In which order the numbers of parameters are.
    fn floats(&self, number: u32) -> Kind {
        match self.table.has(Kind::SortedFloats, number) {
            true => Kind::SortedFloats,
            false => Kind::Floats,
        }
    }

    /// Memory for an array. It is bounded by the file: see [`super::table::MOST_RATIO`].
    fn room<T: Zeroable + Clone>(&self, kind: Kind, number: u32) -> Result<Vec<T>> {
        let count = self.table.plain_bytes(kind, number) / size_of::<T>();
        self.options.limits.check_elements("records of the packed scene", count as u64)?;
        // Pages of zeros come from the system: they are touched where they are filled.
        let mut values = vec![T::zeroed(); count];
        memory::advise_huge(&mut values);
        Ok(values)
    }

    fn want<'j, T: Pod>(&self, wanted: &mut Wanted<'j>, kind: Kind, number: u32, to: &'j mut [T]) {
        let mut rest: &mut [u8] = cast_slice_mut(to);
        for section in self.table.array(kind, number) {
            let (part, behind) = rest.split_at_mut(section.plain_bytes as usize);
            wanted.0.push((*section, part));
            rest = behind;
        }
    }

    fn fault(&self, kind: Kind, fault: &str) -> Error {
        let at = self.table.array(kind, 0).first().map_or(ALIGN, |section| section.offset);
        Error::corrupt(format!("the packed scene contradicts itself: {fault}")).at_offset(at)
    }

    fn damaged(section: &Section, why: &str) -> Error {
        let message = format!("a section of the packed scene is damaged: {why}");
        Error::corrupt(message).at_offset(section.offset)
    }
}

/// Words of the file as words of this machine.
fn native<T: Pod>(values: &mut [T]) {
    if cfg!(target_endian = "big") {
        let words: &mut [u32] = cast_slice_mut(values);
        words.iter_mut().for_each(|word| *word = u32::from_le(*word));
    }
}

/// The first bytes, which are taken away.
fn take<'b>(bytes: &mut &'b [u8], count: u32) -> Option<&'b [u8]> {
    let (part, rest) = bytes.split_at_checked(count as usize)?;
    *bytes = rest;
    Some(part)
}

/// A thread's turn: a section, what it fills, and what unpacks.
#[derive(Default)]
struct Slot<'j> {
    job: Option<Job<'j>>,
    stored: Vec<u8>,
    unpacker: Unpacker,
}

struct Unpacking<'r, 's> {
    reader: &'r PackReader<'s>,
    work: &'r Work,
}

impl Unpacking<'_, '_> {
    /// Fills all arrays, on all threads. The largest sections need not come first: all are small.
    fn fill(&self, wanted: Wanted<'_>) -> Result<()> {
        let PackReader { source, options, .. } = self.reader;
        let in_memory = source.as_bytes();
        let mut jobs = wanted.0.into_iter();
        let window = self.work.window(2 << 20).min(jobs.len().max(1));
        ordered::run::<Slot<'_>>(
            self.work,
            window,
            |slot| {
                slot.job = jobs.next();
                Ok(slot.job.is_some())
            },
            |slot| {
                let Slot { job, stored, unpacker } = slot;
                let Some((section, plain)) = job.take() else { return Ok(()) };
                let (offset, room) = (section.offset, section.room() as usize);
                let bytes = match in_memory {
                    Some(all) => &all[offset as usize..][..room],
                    None => {
                        stored.resize(room, 0);
                        source.read_exact_at(offset, stored, "a section of the packed scene")?;
                        stored
                    }
                };
                if options.verify && crc32fast::hash(bytes) != section.crc {
                    return Err(PackReader::damaged(&section, "its sum is another"));
                }
                unpacker
                    .unpack(&section, &bytes[..section.stored_bytes as usize], plain)
                    .map_err(|why| PackReader::damaged(&section, why))
            },
            |_| Ok(()),
        )
    }

    /// An array by itself.
    fn array<T: Pod>(&self, kind: Kind, number: u32) -> Result<Vec<T>> {
        let mut values = self.reader.room(kind, number)?;
        let mut wanted = Wanted::default();
        self.reader.want(&mut wanted, kind, number, &mut values);
        self.fill(wanted)?;
        if size_of::<T>() > 1 {
            native(&mut values);
        }
        Ok(values)
    }

    /// Records, each made by `make`.
    fn records<const WORDS: usize, T>(
        &self,
        kind: Kind,
        make: impl FnMut(&[u32; WORDS]) -> Result<T, record::Fault>,
    ) -> Result<Vec<T>>
    where
        [u32; WORDS]: Pod,
    {
        let words: Vec<[u32; WORDS]> = self.array(kind, 0)?;
        let all: Result<Vec<T>, record::Fault> = words.iter().map(make).collect();
        all.map_err(|fault| self.reader.fault(kind, fault))
    }

    fn scene(&self) -> Result<Scene> {
        let kept = self.kept()?;
        let instances = self.instances()?;
        let matrices = self.array(Kind::Matrices, 0)?;
        let names: Vec<u8> = self.array(Kind::Names, 0)?;
        let mut names = &names[..];
        let mut name = |size: u32| take(&mut names, size).ok_or("a name is missing");
        let files = self.records(Kind::Files, |words: &[u32; 5]| {
            let [path, included, depth, low, high] = *words;
            Ok(SceneFile {
                path: path_of(name(path)?),
                included: record::truth(included)?.then(Place::default),
                depth,
                bytes: whole([low, high]),
            })
        })?;
        let objects = self.records(Kind::Objects, |words: &[u32; 5]| {
            let [size, start, end, instances, flags] = *words;
            Ok(Object {
                name: name(size)?.to_vec(),
                defined: (flags & 1 != 0).then(Place::default),
                first_use: (flags & 2 != 0).then(Place::default),
                shapes: start..end,
                instances,
            })
        })?;
        let materials = self.records(Kind::Materials, |words: &[u32; 9]| {
            let [.., size, flags] = *words;
            Ok(Material {
                name: name(size)?.to_vec(),
                entity: perhaps(words, flags & 1 != 0)?,
                first_use: (flags & 2 != 0).then(Place::default),
            })
        })?;
        let textures = self.records(Kind::Textures, |words: &[u32; 10]| {
            let [.., size, is_spectrum, matrix] = *words;
            let name = name(size)?.to_vec();
            let is_spectrum = record::truth(is_spectrum)?;
            Ok(Texture { name, is_spectrum, entity: of_front(words)?, matrix })
        })?;
        let media = self.records(Kind::Media, |words: &[u32; 10]| {
            let [.., size, flags, matrix] = *words;
            Ok(Medium {
                name: name(size)?.to_vec(),
                entity: perhaps(words, flags & 1 != 0)?,
                matrix,
                first_use: (flags & 2 != 0).then(Place::default),
            })
        })?;
        let named_files = self.records(Kind::NamedFiles, |words: &[u32; 1]| {
            Ok((name(words[0])?.to_vec(), Place::default()))
        })?;
        let mut scene = self.once(kept, instances)?;
        scene.named_files = named_files;
        (scene.files, scene.matrices, scene.objects) = (files, matrices, objects);
        (scene.materials, scene.textures, scene.media) = (materials, textures, media);
        scene.options = self.records(Kind::Options, record::entity)?;
        scene.attributes = self.records(Kind::Attributes, record::entity)?;
        scene.shapes = self.records(Kind::Shapes, record::shape)?;
        scene.lights = self.records(Kind::Lights, record::light)?;
        scene.area_lights = self.records(Kind::AreaLights, record::entity)?;
        self.problems(&mut scene)?;
        if self.reader.options.places && self.reader.table.has(Kind::Places, 0) {
            self.places(&mut scene)?;
        }
        Ok(scene)
    }

    /// A scene of what there is once.
    fn once(&self, kept: Vec<Statements>, instances: Instances) -> Result<Scene> {
        let bytes: Vec<u8> = self.array(Kind::Head, 0)?;
        let mut words = bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word));
        let end = || self.reader.fault(Kind::Head, "its first section ends early");
        let mut some = |to: &mut [u32]| {
            to.iter_mut().try_for_each(|word| words.next().map(|next| *word = next)).ok_or_else(end)
        };
        let mut first = [0; 4];
        some(&mut first)?;
        let mut once: [Option<Entity>; 5] = [None; 5];
        for entity in &mut once {
            let mut words = [0; 8];
            some(&mut words)?;
            let fault = |fault| self.reader.fault(Kind::Head, fault);
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
            let entity = of_front(&words).map_err(|fault| self.reader.fault(Kind::Head, fault))?;
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
            files: Vec::new(),
            version,
            kept,
            matrices: Vec::new(),
            camera,
            film,
            sampler,
            filter,
            integrator,
            accelerator,
            options: Vec::new(),
            attributes: Vec::new(),
            shapes: Vec::new(),
            world_shapes,
            objects: Vec::new(),
            instances,
            materials: Vec::new(),
            textures: Vec::new(),
            media: Vec::new(),
            lights: Vec::new(),
            area_lights: Vec::new(),
            named_files: Vec::new(),
            directives: whole([low, high]),
            problems: Vec::new(),
            warnings: Vec::new(),
        })
    }

    /// The values of all entities.
    fn kept(&self) -> Result<Vec<Statements>> {
        let reader = self.reader;
        let mut all = Vec::new();
        while reader.table.has(Kind::Parameters, all.len() as u32) {
            let number = all.len() as u32;
            all.push(Values {
                parameters: reader.room(Kind::Parameters, number)?,
                places: match reader.options.places {
                    true => reader.room(Kind::ParameterPlaces, number)?,
                    false => Vec::new(),
                },
                floats: reader.room(reader.floats(number), number)?,
                integers: reader.room(Kind::Integers, number)?,
                strings: reader.room(Kind::Strings, number)?,
                text: reader.room(Kind::Text, number)?,
            });
        }
        let mut wanted = Wanted::default();
        for (number, values) in all.iter_mut().enumerate() {
            let number = number as u32;
            reader.want(&mut wanted, Kind::Parameters, number, &mut values.parameters);
            if reader.options.places {
                reader.want(&mut wanted, Kind::ParameterPlaces, number, &mut values.places);
            }
            reader.want(&mut wanted, reader.floats(number), number, &mut values.floats);
            reader.want(&mut wanted, Kind::Integers, number, &mut values.integers);
            reader.want(&mut wanted, Kind::Strings, number, &mut values.strings);
            reader.want(&mut wanted, Kind::Text, number, &mut values.text);
        }
        self.fill(wanted)?;
        let all = all.into_iter().enumerate().map(|(number, values)| {
            values.statements(reader.floats(number as u32) == Kind::SortedFloats)
        });
        let all: Result<_, _> = all.collect();
        all.map_err(|fault| reader.fault(Kind::Parameters, fault))
    }

    fn instances(&self) -> Result<Instances> {
        let reader = self.reader;
        let with_places = reader.options.places && reader.table.has(Kind::InstancePlaces, 0);
        let mut matrices: Vec<[f32; 12]> = reader.room(Kind::InstanceMatrices, 0)?;
        let mut objects: Vec<u32> = reader.room(Kind::InstanceObjects, 0)?;
        let mut places: Vec<[u32; 2]> = match with_places {
            true => reader.room(Kind::InstancePlaces, 0)?,
            false => Vec::new(),
        };
        let mut wanted = Wanted::default();
        reader.want(&mut wanted, Kind::InstanceMatrices, 0, &mut matrices);
        reader.want(&mut wanted, Kind::InstanceObjects, 0, &mut objects);
        if with_places {
            reader.want(&mut wanted, Kind::InstancePlaces, 0, &mut places);
        }
        self.fill(wanted)?;
        native(&mut matrices);
        native(&mut objects);
        let count = matrices.len();
        let fault = |fault| reader.fault(Kind::InstanceMatrices, fault);
        if reader.table.has(Kind::InstanceRuns, 0) {
            let runs: Vec<[u32; 2]> = self.array(Kind::InstanceRuns, 0)?;
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
        let moving: Vec<[u32; 13]> = self.array(Kind::InstanceMoving, 0)?;
        let moving =
            moving.iter().map(|[instance, numbers @ ..]| (*instance, numbers.map(f32::from_bits)));
        let moving = moving.collect();
        let places: Vec<u64> = match with_places {
            true => places.into_iter().map(|halves| whole(halves.map(u32::from_le))).collect(),
            false => vec![0; count],
        };
        if places.len() != count {
            return Err(fault("places of instances that are not as many as matrices"));
        }
        let files = match with_places {
            true => {
                self.records(Kind::InstanceFiles, |words: &[u32; 2]| Ok((words[0], words[1])))?
            }
            false if count > 0 => vec![(0, 0)],
            false => Vec::new(),
        };
        Ok(Instances { objects, matrices, moving, places, files })
    }

    fn problems(&self, scene: &mut Scene) -> Result<()> {
        let text: Vec<u8> = self.array(Kind::ProblemText, 0)?;
        let mut text = &text[..];
        let all =
            self.records(Kind::Problems, |words: &[u32; 11]| record::problem(words, &mut text))?;
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
        let places = self.records(Kind::FilePlaces, known)?;
        if places.len() != file_count {
            return Err(missing(Kind::FilePlaces));
        }
        for (file, place) in scene.files.iter_mut().zip(places) {
            file.included = file.included.map(|_| place);
        }
        let words: Vec<[u32; 5]> = self.array(Kind::Places, 0)?;
        let mut words = words.iter();
        let all = put_places(scene, || known(words.next().ok_or("a place is missing")?));
        all.map_err(|fault| self.reader.fault(Kind::Places, fault))?;
        if words.next().is_some() {
            return Err(missing(Kind::Places));
        }
        Ok(())
    }
}

/// Gives all entities their places, in the order of the file: see `places_of` of [`super::array`].
fn put_places(
    scene: &mut Scene,
    mut next: impl FnMut() -> Result<Place, record::Fault>,
) -> Result<(), record::Fault> {
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

/// The arrays of [`Statements`] as they are in the file.
struct Values {
    parameters: Vec<[u32; 5]>,
    places: Vec<[u32; 2]>,
    floats: Vec<f32>,
    integers: Vec<i32>,
    strings: Vec<[u32; 2]>,
    text: Vec<u8>,
}

impl Values {
    fn statements(mut self, are_sorted: bool) -> Result<Statements, record::Fault> {
        native(&mut self.parameters);
        native(&mut self.places);
        native(&mut self.floats);
        native(&mut self.integers);
        native(&mut self.strings);
        let parameters: Result<Vec<_>, _> = self.parameters.iter().map(record::parameter).collect();
        let mut parameters = parameters?;
        if !self.places.is_empty() {
            if self.places.len() != parameters.len() {
                return Err("places of parameters that are not as many as those");
            }
            for (parameter, place) in parameters.iter_mut().zip(&self.places) {
                parameter.at = whole(*place);
            }
        }
        if are_sorted {
            let parts = streams::parts(&parameters, self.floats.len());
            self.floats = streams::scatter(&self.floats, &parts);
        }
        let strings = self.strings.iter().map(|[start, end]| Span { start: *start, end: *end });
        Ok(Statements {
            parameters,
            floats: self.floats,
            integers: self.integers,
            strings: strings.collect(),
            text: self.text,
            ..Statements::default()
        })
    }
}

/// An entity of the first words of a record.
fn of_front(words: &[u32]) -> Result<Entity, record::Fault> {
    record::entity(words.first_chunk().ok_or("a record is too short")?)
}

fn perhaps(words: &[u32], is_there: bool) -> Result<Option<Entity>, record::Fault> {
    is_there.then(|| of_front(words)).transpose()
}
