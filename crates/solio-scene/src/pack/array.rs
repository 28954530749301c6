//! The arrays that a packed scene consists of, before they are cut into sections.

use super::mesh::PackedMesh;
use super::record::*;
use super::streams;
use super::table::SectionKind;
use super::write::PackOptions;
use crate::pbrt::{Statements, Values};
use crate::scene::{Entity, Instances, NONE, Place, Scene};
use bytemuck::{Pod, cast_slice};
use solio_base::names::{OsStrBytes, OsStringBytes};
use std::borrow::Cow;
use std::ops::Range;
use std::path::PathBuf;

/// Bytes of a section before it is packed, about.
const SECTION_BYTES: usize = 1 << 20;
/// Values of a parameter that have sections of their own.
const LEAST_APART: usize = 4096;

/// The path of these bytes.
pub(super) fn path_of(bytes: &[u8]) -> PathBuf {
    PathBuf::from(std::ffi::OsString::from_vec(bytes.to_vec()))
}

/// What an array consists of.
pub(super) enum ArrayData<'a> {
    /// Bytes, or words in the order of the file.
    Bytes(Cow<'a, [u8]>),
    /// Records that are made when they are wanted: how many, and what makes some.
    Records(usize, Box<MakeRecords<'a>>),
}

/// Appends the words of some records.
type MakeRecords<'a> = dyn Fn(Range<usize>, &mut Vec<u32>) + Sync + 'a;

/// An array of a packed scene.
pub(super) struct PackArray<'a> {
    pub(super) kind: SectionKind,
    pub(super) number: u32,
    pub(super) data: ArrayData<'a>,
    /// Columns to try, for words.
    pub(super) columns: Vec<u32>,
    /// Where sections must end, in words: rising.
    cuts: Vec<usize>,
}

impl<'a> PackArray<'a> {
    fn new(kind: SectionKind, number: u32, data: ArrayData<'a>) -> PackArray<'a> {
        let columns = match kind.words() {
            0 => Vec::new(),
            words => vec![words as u32],
        };
        PackArray { kind, number, data, columns, cuts: Vec::new() }
    }

    pub(super) fn bytes(
        kind: SectionKind,
        number: u32,
        bytes: impl Into<Cow<'a, [u8]>>,
    ) -> PackArray<'a> {
        PackArray::new(kind, number, ArrayData::Bytes(bytes.into()))
    }

    /// Values of four bytes, or rows of them.
    fn words<T: Pod>(kind: SectionKind, number: u32, values: &'a [T]) -> PackArray<'a> {
        PackArray::bytes(kind, number, little_endian(values))
    }

    fn records<const WORDS: usize, T: Sync>(
        kind: SectionKind,
        number: u32,
        things: &'a [T],
        words: impl Fn(&T) -> [u32; WORDS] + Sync + 'a,
    ) -> PackArray<'a> {
        let make = move |range: Range<usize>, to: &mut Vec<u32>| {
            to.extend(things[range].iter().flat_map(&words));
        };
        PackArray::new(kind, number, ArrayData::Records(things.len(), Box::new(make)))
    }

    /// Bytes of a record.
    fn record_bytes(&self) -> usize {
        (4 * self.kind.words()).max(1)
    }

    fn count(&self) -> usize {
        match &self.data {
            ArrayData::Bytes(bytes) => bytes.len() / self.record_bytes(),
            ArrayData::Records(count, _) => *count,
        }
    }

    /// The records of each section. All but the last of a run without cuts have a multiple of 64,
    /// so that sections that are not packed lie behind one another without a gap.
    pub(super) fn sections(&self, is_packed: bool) -> Vec<Range<usize>> {
        let count = self.count();
        // Numbers have a multiple of 12, so that no row of them is cut.
        let unit = if self.record_bytes() == 4 { 12 * 64 } else { 64 };
        let most = (SECTION_BYTES / self.record_bytes() / unit).max(1) * unit;
        let cuts = if is_packed { &self.cuts[..] } else { &[] };
        let mut sections = Vec::new();
        let mut start = 0;
        for end in cuts.iter().copied().chain([count]) {
            while start < end {
                let next = (start + most).min(end);
                sections.push(start..next);
                start = next;
            }
        }
        sections
    }

    /// The bytes of some records; `memory` may be used for them.
    pub(super) fn plain<'b>(
        &'b self,
        range: Range<usize>,
        memory: &'b mut Vec<u32>,
    ) -> Cow<'b, [u8]> {
        match &self.data {
            ArrayData::Bytes(bytes) => {
                let unit = self.record_bytes();
                Cow::Borrowed(&bytes[range.start * unit..range.end * unit])
            }
            ArrayData::Records(_, make) => {
                memory.clear();
                make(range, memory);
                little_endian(memory)
            }
        }
    }
}

/// The bytes of words, lowest first.
fn little_endian<T: Pod>(values: &[T]) -> Cow<'_, [u8]> {
    if cfg!(target_endian = "little") {
        return Cow::Borrowed(cast_slice(values));
    }
    let words: &[u32] = cast_slice(values);
    Cow::Owned(words.iter().flat_map(|word| word.to_le_bytes()).collect())
}

/// The arrays of a scene; `head` is what there is once.
pub(super) fn arrays<'a>(
    scene: &'a Scene,
    head: Vec<u8>,
    options: &PackOptions,
) -> Vec<PackArray<'a>> {
    let places = options.places;
    let mut all = vec![
        PackArray::bytes(SectionKind::Head, 0, head),
        PackArray::bytes(SectionKind::Names, 0, names(scene)),
        PackArray::records(SectionKind::Files, 0, &scene.files, |file| {
            let path = file.path.as_os_str().as_bytes().len() as u32;
            let [low, high] = halves(file.bytes);
            [path, u32::from(file.included.is_some()), file.depth, low, high]
        }),
        PackArray::words(SectionKind::Matrices, 0, &scene.matrices),
    ];
    things(scene, &mut all);
    instances(&scene.instances, places, &mut all);
    for (i, kept) in scene.kept.iter().enumerate() {
        values(kept, i as u32, options, &mut all);
    }
    let mut text = Vec::new();
    let problems = scene.problems.iter().map(|problem| (problem, false));
    let problems = problems.chain(scene.warnings.iter().map(|warning| (warning, true)));
    let words: Vec<[u32; 11]> =
        problems.map(|(problem, warns)| problem_words(problem, warns, &mut text)).collect();
    let words = little_endian(&words).into_owned();
    all.push(PackArray::bytes(SectionKind::Problems, 0, words));
    all.push(PackArray::bytes(SectionKind::ProblemText, 0, text));
    if places {
        all.push(PackArray::records(SectionKind::FilePlaces, 0, &scene.files, |file| {
            place_words(&file.included.unwrap_or_default())
        }));
        let places = places_of(scene);
        let words: Vec<[u32; 5]> = places.iter().map(place_words).collect();
        all.push(PackArray::bytes(SectionKind::Places, 0, little_endian(&words).into_owned()));
    }
    all
}

/// Names of all that has one, in the order in which they are read.
fn names(scene: &Scene) -> Vec<u8> {
    let paths = scene.files.iter().map(|file| file.path.as_os_str().as_bytes());
    let objects = scene.objects.iter().map(|object| &object.name[..]);
    let materials = scene.materials.iter().map(|material| &material.name[..]);
    let textures = scene.textures.iter().map(|texture| &texture.name[..]);
    let media = scene.media.iter().map(|medium| &medium.name[..]);
    let named = scene.named_files.iter().map(|(name, _)| &name[..]);
    let all = paths.chain(objects).chain(materials).chain(textures).chain(media).chain(named);
    all.flatten().copied().collect()
}

fn things<'a>(scene: &'a Scene, all: &mut Vec<PackArray<'a>>) {
    let extended = |entity: [u32; 7], more: [u32; 3]| {
        let [a, b, c, d, e, f, g] = entity;
        let [h, i, j] = more;
        [a, b, c, d, e, f, g, h, i, j]
    };
    all.push(PackArray::records(SectionKind::Options, 0, &scene.options, entity_words));
    all.push(PackArray::records(SectionKind::Attributes, 0, &scene.attributes, entity_words));
    all.push(PackArray::records(SectionKind::Shapes, 0, &scene.shapes, shape_words));
    all.push(PackArray::records(SectionKind::Objects, 0, &scene.objects, |object| {
        let flags =
            u32::from(object.defined.is_some()) | u32::from(object.first_use.is_some()) << 1;
        let size = object.name.len() as u32;
        [size, object.shapes.start, object.shapes.end, object.instances, flags]
    }));
    all.push(PackArray::records(SectionKind::Materials, 0, &scene.materials, |material| {
        let used = material.first_use.is_some();
        let flags = u32::from(material.entity.is_some()) | u32::from(used) << 1;
        let [a, b, c, d, e, f, g] = perhaps_words(material.entity.as_ref());
        [a, b, c, d, e, f, g, material.name.len() as u32, flags]
    }));
    all.push(PackArray::records(SectionKind::Textures, 0, &scene.textures, move |texture| {
        let more = [texture.name.len() as u32, u32::from(texture.is_spectrum), texture.matrix];
        extended(entity_words(&texture.entity), more)
    }));
    all.push(PackArray::records(SectionKind::Media, 0, &scene.media, move |medium| {
        let used = medium.first_use.is_some();
        let flags = u32::from(medium.entity.is_some()) | u32::from(used) << 1;
        let more = [medium.name.len() as u32, flags, medium.matrix];
        extended(perhaps_words(medium.entity.as_ref()), more)
    }));
    all.push(PackArray::records(SectionKind::Lights, 0, &scene.lights, light_words));
    all.push(PackArray::records(SectionKind::AreaLights, 0, &scene.area_lights, entity_words));
    all.push(PackArray::records(SectionKind::NamedFiles, 0, &scene.named_files, |(name, _)| {
        [name.len() as u32]
    }));
}

/// The places of all entities, in the order in which they are read.
fn places_of(scene: &Scene) -> Vec<Place> {
    let of = |entity: &Entity| entity.place;
    let perhaps = |place: Option<Place>| place.unwrap_or_default();
    let camera = scene.camera.as_ref().map(|camera| camera.entity.place);
    let mut places = vec![perhaps(camera)];
    let once = super::check::once(scene);
    places.extend(once.map(|entity| perhaps(entity.as_ref().map(of))));
    places.extend(scene.options.iter().chain(&scene.attributes).map(of));
    places.extend(scene.shapes.iter().map(|shape| shape.entity.place));
    for object in &scene.objects {
        places.extend([perhaps(object.defined), perhaps(object.first_use)]);
    }
    for material in &scene.materials {
        places.extend([perhaps(material.entity.as_ref().map(of)), perhaps(material.first_use)]);
    }
    places.extend(scene.textures.iter().map(|texture| texture.entity.place));
    for medium in &scene.media {
        places.extend([perhaps(medium.entity.as_ref().map(of)), perhaps(medium.first_use)]);
    }
    places.extend(scene.lights.iter().map(|light| light.entity.place));
    places.extend(scene.area_lights.iter().map(of));
    places.extend(scene.named_files.iter().map(|(_, place)| *place));
    places
}

fn instances<'a>(instances: &'a Instances, places: bool, all: &mut Vec<PackArray<'a>>) {
    let mut runs: Vec<[u32; 2]> = Vec::new();
    for object in &instances.objects {
        match runs.last_mut() {
            Some([last, count]) if last == object => *count += 1,
            _ => runs.push([*object, 1]),
        }
    }
    all.push(if 2 * runs.len() <= instances.objects.len() {
        let bytes = little_endian(&runs).into_owned();
        PackArray::bytes(SectionKind::InstanceRuns, 0, bytes)
    } else {
        PackArray::words(SectionKind::InstanceObjects, 0, &instances.objects)
    });
    all.push(PackArray::words(SectionKind::InstanceMatrices, 0, &instances.matrices));
    all.push(PackArray::records(
        SectionKind::InstanceMoving,
        0,
        &instances.moving,
        |(instance, matrix)| {
            let mut words = [*instance; 13];
            for (word, number) in words[1..].iter_mut().zip(matrix) {
                *word = number.to_bits();
            }
            words
        },
    ));
    if places {
        all.push(PackArray::records(SectionKind::InstancePlaces, 0, &instances.places, |at| {
            halves(*at)
        }));
        all.push(PackArray::records(SectionKind::InstanceFiles, 0, &instances.files, |run| {
            [run.0, run.1]
        }));
    }
}

fn values<'a>(
    kept: &'a Statements,
    number: u32,
    options: &PackOptions,
    all: &mut Vec<PackArray<'a>>,
) {
    let mut integers = PackArray::words(SectionKind::Integers, number, &kept.integers);
    integers.columns = vec![1, 2, 3, 4];
    for parameter in &kept.parameters {
        if let Values::Integers(span) = parameter.values
            && span.count() >= LEAST_APART
        {
            integers.cuts.extend([span.start as usize, span.end as usize]);
        }
    }
    integers.cuts.sort_unstable();
    integers.cuts.retain(|cut| *cut < kept.integers.len());
    all.push(PackArray::records(
        SectionKind::Parameters,
        number,
        &kept.parameters,
        parameter_words,
    ));
    if options.effort.is_none() {
        all.push(PackArray::words(SectionKind::Floats, number, &kept.floats));
    } else {
        let parts = streams::parts(&kept.parameters, kept.floats.len());
        for (parts, columns) in parts.iter().zip(streams::COLUMNS) {
            let sorted = streams::gather(&kept.floats, parts);
            let bytes = little_endian(&sorted).into_owned();
            let array = PackArray::bytes(SectionKind::SortedFloats, number, bytes);
            all.push(PackArray { columns: columns.to_vec(), ..array });
        }
    }
    all.push(integers);
    all.push(PackArray::records(SectionKind::Strings, number, &kept.strings, |span| {
        [span.start, span.end]
    }));
    all.push(PackArray::bytes(SectionKind::Text, number, &kept.text[..]));
    if options.places {
        all.push(PackArray::records(
            SectionKind::ParameterPlaces,
            number,
            &kept.parameters,
            |parameter| halves(parameter.at),
        ));
    }
}

/// The arrays of a mesh.
pub(super) fn mesh<'a>(mesh: &'a PackedMesh<'_>, number: u32) -> Vec<PackArray<'a>> {
    let mut corners = PackArray::words(SectionKind::MeshCorners, number, &mesh.corners);
    corners.columns = vec![1, 3, 4];
    vec![
        PackArray::words(SectionKind::MeshPositions, number, &mesh.positions),
        PackArray::words(SectionKind::MeshNormals, number, &mesh.normals),
        PackArray::words(SectionKind::MeshUvs, number, &mesh.uvs),
        corners,
        PackArray::words(SectionKind::MeshFaces, number, &mesh.face_offsets),
        PackArray::words(SectionKind::MeshFaceIndices, number, &mesh.face_indices),
    ]
}

/// What `NONE` or a number below `count` passes.
pub(super) fn is_index(number: u32, count: usize) -> bool {
    number == NONE || (number as usize) < count
}
