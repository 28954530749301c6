//! A scene to its packed form.

use super::array::{self, PackArray};
use super::check::once;
use super::chunk::PackEncoder;
use super::mesh::PackedMesh;
use super::record::{entity_words, perhaps_words};
use super::table::{self, ALIGN, Section, SectionKind};
use crate::scene::Scene;
use solio_base::{Error, Result, Sink, Work, lock, unlock};
use solio_codec::array::Effort;
use std::sync::Mutex;

/// How a scene is packed.
#[derive(Clone, Copy, Debug)]
pub struct PackOptions {
    /// How much is tried; `None` packs nothing, so that all arrays can be used in place.
    pub effort: Option<Effort>,
    /// Whether to keep where everything stands in the text.
    pub places: bool,
}

impl Default for PackOptions {
    fn default() -> Self {
        PackOptions { effort: Some(Effort::Fast), places: true }
    }
}

/// What was packed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PackSummary {
    /// Bytes of the packed form.
    pub file_bytes: u64,
    /// Bytes of all arrays before they were packed.
    pub plain_bytes: u64,
    /// Sections.
    pub sections: u64,
    /// Meshes of files.
    pub meshes: u64,
    /// Bytes of meshes in the packed form.
    pub mesh_bytes: u64,
}

/// Gives the mesh of a file that the scene names; `None` leaves it in its file.
pub type MeshOfName<'m> = dyn Fn(&[u8]) -> Result<Option<PackedMesh<'static>>> + 'm;

/// Packs a scene, and the meshes of its `plymesh` shapes that `mesh` gives, each once. The order of
/// the file: what the scene needs, then the meshes in the order of their shapes, then the table.
///
/// Errors: those of `sink` and `mesh`; `Argument` for meshes whose arrays do not fit each other.
pub fn encode_pack(
    scene: &Scene,
    mesh: &MeshOfName<'_>,
    options: &PackOptions,
    sink: &mut dyn Sink,
    work: &Work,
) -> Result<PackSummary> {
    let mut writer =
        SceneWriter { options, sink, work, sections: Vec::new(), packers: Mutex::default() };
    writer.sink.write_bytes(work, &table::head())?;
    writer.arrays(&array::arrays(scene, head(scene), options))?;
    let scene_bytes = writer.end();
    let meshes = writer.meshes(scene, mesh)?;
    let mesh_bytes = writer.end() - scene_bytes;
    let end = table::end(&writer.sections);
    writer.sink.write_bytes(work, &end)?;
    Ok(PackSummary {
        file_bytes: writer.end() + end.len() as u64,
        plain_bytes: writer.sections.iter().map(|section| section.plain_bytes).sum(),
        sections: writer.sections.len() as u64,
        meshes,
        mesh_bytes,
    })
}

struct SceneWriter<'w> {
    options: &'w PackOptions,
    sink: &'w mut dyn Sink,
    work: &'w Work,
    sections: Vec<Section>,
    packers: Mutex<Vec<PackEncoder>>,
}

impl SceneWriter<'_> {
    /// Where the next section begins.
    fn end(&self) -> u64 {
        self.sections.last().map_or(ALIGN, |last| last.offset + last.room())
    }

    fn arrays(&mut self, arrays: &[PackArray<'_>]) -> Result<()> {
        let is_packed = self.options.effort.is_some();
        let mut jobs = Vec::new();
        for array in arrays {
            let sections = array.sections(is_packed);
            // Also values that are not there are counted.
            if sections.is_empty() && array.kind == SectionKind::Parameters {
                jobs.push((array, 0..0));
            }
            jobs.extend(sections.into_iter().map(|range| (array, range)));
        }
        let made = Mutex::new(vec![None; jobs.len()]);
        let (effort, packers) = (self.options.effort, &self.packers);
        self.sink.write_chunks(self.work, jobs.len(), &|i, out| {
            let (array, range) = jobs[i].clone();
            let kept = lock(packers).pop();
            let mut packer = match kept {
                Some(packer) => packer,
                None => PackEncoder::new(effort)?,
            };
            let mut memory = Vec::new();
            let plain = array.plain(range, &mut memory);
            let start = out.len();
            let (codec, columns) = packer.pack(&plain, &array.columns, out)?;
            let stored_bytes = (out.len() - start) as u64;
            let room = table::room(stored_bytes, plain.len() as u64);
            out.resize(start + room as usize, 0);
            let section = Section {
                kind: array.kind,
                number: array.number,
                offset: 0,
                stored_bytes,
                plain_bytes: plain.len() as u64,
                codec,
                columns,
                crc: crc32fast::hash(&out[start..]),
            };
            lock(&made)[i] = Some(section);
            lock(packers).push(packer);
            Ok(())
        })?;
        let made = unlock(made);
        for section in made.into_iter().flatten() {
            let offset = self.end();
            self.sections.push(Section { offset, ..section });
        }
        Ok(())
    }

    /// Meshes, one after the other; each is packed on all threads. How many there are.
    fn meshes(&mut self, scene: &Scene, mesh: &MeshOfName<'_>) -> Result<u64> {
        let mut names = Vec::new();
        let mut infos: Vec<[u32; 10]> = Vec::new();
        for name in scene.mesh_files() {
            self.work.cancel.check()?;
            let Some(found) = mesh(name)? else { continue };
            let shown = || String::from_utf8_lossy(name).into_owned();
            found.check().map_err(|e| Error::argument(format!("{}: {e}", shown())))?;
            self.arrays(&array::mesh(&found, infos.len() as u32))?;
            let count = |count: usize| super::record::halves(count as u64);
            let [vertices, vertices_high] = count(found.positions.len());
            let [faces, faces_high] = count(found.faces());
            let [corners, corners_high] = count(found.corners.len());
            let [memory, memory_high] = count(found.memory_bytes());
            infos.push([
                name.len() as u32,
                0,
                vertices,
                vertices_high,
                faces,
                faces_high,
                corners,
                corners_high,
                memory,
                memory_high,
            ]);
            names.extend_from_slice(name);
        }
        let count = infos.len() as u64;
        let words: Vec<u8> = infos.iter().flatten().flat_map(|word| word.to_le_bytes()).collect();
        self.arrays(&[
            PackArray::bytes(SectionKind::Meshes, 0, words),
            PackArray::bytes(SectionKind::MeshNames, 0, names),
        ])?;
        Ok(count)
    }
}

/// What there is once, in the order in which [`super::read`] takes it.
fn head(scene: &Scene) -> Vec<u8> {
    let mut out = Vec::new();
    let mut words = |words: &[u32]| {
        words.iter().for_each(|word| out.extend_from_slice(&word.to_le_bytes()));
    };
    words(&[scene.version, scene.world_shapes]);
    words(&super::record::halves(scene.directives));
    for entity in once(scene) {
        words(&[u32::from(entity.is_some())]);
        words(&perhaps_words(entity.as_ref()));
    }
    words(&[u32::from(scene.camera.is_some())]);
    if let Some(camera) = &scene.camera {
        words(&entity_words(&camera.entity));
        words(&[camera.medium]);
        words(&camera.from_world.times.map(f32::to_bits));
        for matrix in [camera.from_world.start, camera.from_world.end] {
            for number in matrix.to_cols_array() {
                words(&super::record::halves(number.to_bits()));
            }
        }
    }
    out
}
