//! A scene that stays open: what was read of it, and the meshes that it names, one at a time.

use crate::scene::draw::{drawn, with_meshes_of};
use crate::scene::exporter::{area_of_light, export_open};
use crate::scene::file::{FolderFiles, counted, is_pack, packed_counts};
use crate::scene::packed::{mesh_of_packed, pack_open};
use crate::scene::shape_mesh::{JoinedShapes, text_mesh};
use crate::scene::texture::{read_sky, read_texture};
use crate::tree::each_file::in_turn;
use crate::{
    Input, MeshReadOptions, PreviewStage, SceneExportOptions, SceneExported, ScenePackOptions,
    ScenePicture, SceneReadOptions, SceneText, SceneTextOptions, read_mesh, read_scene,
    rewrite_scene, rewrite_whole_scene, unpack_scene,
};
use solio_base::{Error, ErrorKind, Result, Source, Work};
use solio_mesh::Mesh;
use solio_scene::export::is_border;
use solio_scene::look::{
    BakedPicture, LightPicture, LookPicture, LookTexture, Looks, TexturePicture,
};
use solio_scene::pack::{PackReadOptions, PackReader, PackSummary};
use solio_scene::preview::RenderOptions;
use solio_scene::scene::{Files, NONE, Scene, SceneCounts, Shape};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The least and the greatest corner of a box.
type SceneBox = [[f32; 3]; 2];

/// Columns and rows of a picture of which the mean is asked for.
const MEAN_SIDE: usize = 512;

/// A scene that was read, with the file that it came from: for programs that ask for its parts one after
/// the other. Meshes are read when they are asked for, and none is kept.
///
/// ```
/// use solio::OpenScene;
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("a.pbrt");
/// let text = b"WorldBegin\nObjectBegin \"pair\"\nShape \"disk\"\nTranslate 0 0 2\nShape \"disk\"\n\
///     ObjectEnd\nObjectInstance \"pair\"\n";
/// solio::write_bytes(&path, text)?;
/// let work = solio::Work::default();
/// let open = OpenScene::open(&path, &Default::default(), &work)?;
/// let disk = open.shape_mesh(0, &work)?;
/// // Both shapes of the object, where they are in it.
/// let shapes: Vec<u32> = open.scene().objects[0].shapes.clone().collect();
/// let pair = open.joined_mesh(&shapes, &work)?;
/// assert_eq!(pair.mesh.positions.len(), 2 * disk.positions.len());
/// assert!(pair.problems.is_empty());
/// # Ok::<(), solio::Error>(())
/// ```
pub struct OpenScene {
    input: Input,
    read: SceneReadOptions,
    scene: Scene,
    pack: Option<OpenPack>,
}

/// The file of a packed scene, and the meshes that it brings along by their names.
struct OpenPack {
    source: Box<dyn Source>,
    numbers: HashMap<Vec<u8>, u32>,
}

/// Shapes as one mesh.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("a.pbrt");
/// let text = b"WorldBegin\nShape \"disk\"\nShape \"plymesh\" \"string filename\" \"gone.ply\"\n";
/// solio::write_bytes(&path, text)?;
/// let work = solio::Work::default();
/// let open = solio::OpenScene::open(&path, &Default::default(), &work)?;
/// let joined = open.joined_mesh(&[0, 1], &work)?;
/// // What cannot be read is left out and told.
/// assert!(joined.mesh.positions.len() > 0);
/// assert!(joined.problems[0].path().unwrap().ends_with("gone.ply"));
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct JoinedMesh {
    /// The mesh: polygons, in the space of the object or of the world. Faces have the numbers of their
    /// materials, of [`Scene::materials`]; normals and texture coordinates belong to vertices, those of
    /// shapes without are 0. Faces of smooth shapes are in smoothing group 1, those of flat ones in none.
    pub mesh: Mesh<'static>,
    /// Shapes that are not in it, each with its place and the reason.
    pub problems: Vec<Error>,
}

impl OpenScene {
    /// Reads the scene at `path`, text or packed, as [`read_scene`] does.
    ///
    /// # Errors
    /// Those of [`read_scene`].
    pub fn open(path: &Path, read: &SceneReadOptions, work: &Work) -> Result<OpenScene> {
        let input = Input::open(path, &read.limits, work)?;
        let scene = read_scene(&input, read, work)?;
        let pack = match is_pack(&input) {
            false => None,
            true => {
                let source = input.source(work)?;
                let reader = PackReader::new(&*source, &pack_options(read));
                let infos = reader.and_then(|reader| reader.meshes(work));
                let infos = infos.map_err(|e| e.at_path(path))?.into_iter().zip(0..);
                let numbers = infos.map(|(info, number)| (info.name, number)).collect();
                Some(OpenPack { source, numbers })
            }
        };
        Ok(OpenScene { input, read: *read, scene, pack })
    }

    /// What was read. Its [`problems`](Scene::problems) are what is wrong with it.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The file that it came from.
    pub fn path(&self) -> &Path {
        self.input.path()
    }

    /// Whether it is a packed scene.
    pub fn is_packed(&self) -> bool {
        self.pack.is_some()
    }

    /// The file that the scene calls `name`: beside it, or where pbrt-v4 looks for it.
    pub fn file(&self, name: &[u8]) -> PathBuf {
        FolderFiles::beside(self.path(), &self.read.limits, &Work::serial()).path(name)
    }

    /// The mesh of a shape, by its number in [`Scene::shapes`], in the shape's own space: that of its file
    /// as it is, or what the text says, quadrics and curves cut into triangles. Faces and normals of a
    /// shape whose orientation is reversed are turned.
    ///
    /// # Errors
    /// `Argument` for a number that no shape has; those of reading the file; `Unsupported` for a shape that
    /// has no surface. With the place of the shape in the text, where the file has none.
    pub fn shape_mesh(&self, shape: u32, work: &Work) -> Result<Mesh<'static>> {
        let found = self.shape(shape)?;
        self.mesh_of(found, work).map_err(|e| self.located(found, e))
    }

    fn shape(&self, number: u32) -> Result<&Shape> {
        self.scene.shapes.get(number as usize).ok_or_else(|| {
            let count = self.scene.shapes.len();
            Error::argument(format!("there is no shape {number}, but {count} shapes"))
        })
    }

    fn mesh_of(&self, shape: &Shape, work: &Work) -> Result<Mesh<'static>> {
        let Some(name) = self.scene.mesh_file(&shape.entity) else {
            return text_mesh(&self.scene, shape);
        };
        let packed = self.pack.as_ref();
        let packed = packed.and_then(|pack| Some((pack, *pack.numbers.get(name)?)));
        let mut mesh = match packed {
            Some((pack, number)) => {
                let reader = PackReader::new(&*pack.source, &pack_options(&self.read))?;
                mesh_of_packed(reader.mesh(number, work)?)
            }
            None => {
                let path = self.file(name);
                let options =
                    MeshReadOptions { limits: self.read.limits, ..MeshReadOptions::default() };
                let read = read_mesh(&path, &options, work)?;
                let first = read.meshes.into_iter().next();
                first.ok_or_else(|| Error::corrupt("the file has no mesh").at_path(path))?
            }
        };
        if shape.reverse_orientation {
            crate::scene::named_meshes::turn(&mut mesh);
        }
        Ok(mesh)
    }

    /// With the place of a shape, unless the error is that of another file.
    fn located(&self, shape: &Shape, error: Error) -> Error {
        if error.path().is_some() {
            return error;
        }
        let place = shape.entity.place;
        let error = error.at_line(place.line.into(), place.column.into());
        match self.scene.files.get(place.file as usize) {
            Some(file) => error.at_path(&file.path),
            None => error.at_path(self.path()),
        }
    }

    /// The meshes of these shapes as one, each under its own matrix: for the shapes of an object in the
    /// space of its instances, for those of the world in that of the world. Shapes that only bound media
    /// are left out. Motion counts with its first end.
    ///
    /// # Errors
    /// `Argument` for a number that no shape has; `Limit` where the shapes are too many for a mesh;
    /// `Cancelled`.
    pub fn joined_mesh(&self, shapes: &[u32], work: &Work) -> Result<JoinedMesh> {
        let shapes = shapes.iter().map(|number| {
            let shape = self.scene.shapes.get(*number as usize);
            (*number, shape.map_or(NONE, |shape| shape.material))
        });
        self.joined(shapes, work)
    }

    /// [`joined_mesh`](OpenScene::joined_mesh) of shapes, and what the faces of each have for a material.
    fn joined(&self, shapes: impl Iterator<Item = (u32, u32)>, work: &Work) -> Result<JoinedMesh> {
        let (mut joined, mut problems) = (JoinedShapes::default(), Vec::new());
        for (number, slot) in shapes {
            work.cancel.check()?;
            let shape = self.shape(number)?;
            if is_border(&self.scene, shape) {
                continue;
            }
            let added = self.mesh_of(shape, work).and_then(|mesh| {
                let matrix = self.scene.matrices[shape.matrix as usize];
                let is_affine = matrix[12..] == [0.0, 0.0, 0.0, 1.0];
                let rows = matrix.first_chunk().filter(|_| is_affine);
                let rows = rows.ok_or_else(|| Error::unsupported("its matrix is a projection"))?;
                joined.add(mesh, rows, slot)
            });
            match added {
                Ok(()) => {}
                Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
                Err(error) => problems.push(self.located(shape, error)),
            }
        }
        Ok(JoinedMesh { mesh: joined.mesh(), problems })
    }

    /// [`joined_mesh`](OpenScene::joined_mesh) of each group, several at once with a thread each; `each`
    /// gets them in their order. With `slots`, a number for each shape of each group, the faces of a shape
    /// have that in the place of its material's.
    ///
    /// # Errors
    /// Those of [`joined_mesh`](OpenScene::joined_mesh), and of `each`; `Argument` for slots that are more
    /// or fewer than the shapes.
    pub fn joined_meshes(
        &self,
        groups: &[Vec<u32>],
        slots: Option<&[Vec<u32>]>,
        work: &Work,
        mut each: impl FnMut(JoinedMesh) -> Result<()> + Send,
    ) -> Result<()> {
        if let Some(slots) = slots
            && !groups.iter().map(Vec::len).eq(slots.iter().map(Vec::len))
        {
            return Err(Error::argument("there are not as many slots as shapes"));
        }
        let threads = work.threads.min(groups.len()).max(1);
        let memory_bytes = work.memory_bytes / threads as u64;
        let single = Work { threads: 1, memory_bytes, ..work.clone() };
        let one = |number: usize| match slots {
            None => self.joined_mesh(&groups[number], &single),
            Some(slots) => {
                let pairs = groups[number].iter().zip(&slots[number]);
                self.joined(pairs.map(|(shape, slot)| (*shape, *slot)), &single)
            }
        };
        in_turn(groups.len(), 2 * threads, work, one, |_, made| {
            each(made?)?;
            Ok(true)
        })
    }

    /// What everything looks like, in the neutral form.
    pub fn looks(&self) -> Looks<'_> {
        Looks::new(&self.scene)
    }

    /// A texture of [`looks`](OpenScene::looks) as a picture of at most `most_side` columns and rows.
    ///
    /// # Errors
    /// Those of reading the pictures that it is made of.
    pub fn bake(
        &self,
        looks: &Looks<'_>,
        texture: &LookTexture,
        most_side: usize,
        work: &Work,
    ) -> Result<BakedPicture> {
        let mut read = |picture: &LookPicture| {
            let path = self.file(&picture.name);
            read_texture(&path, picture, most_side, &self.read.limits, work)
        };
        looks.bake(texture, most_side, &mut read)
    }

    /// How strongly a shape shines, in nits, by its number in [`Scene::shapes`]: where the scene gives its
    /// light a power, that depends on the area of its parts. `None` for one that does not shine.
    ///
    /// # Errors
    /// `Argument` for a number that no shape has; those of reading its mesh, where the area counts.
    pub fn emitted_strength(
        &self,
        looks: &Looks<'_>,
        shape: u32,
        work: &Work,
    ) -> Result<Option<f32>> {
        let Some(light) = looks.emission_of(self.shape(shape)?) else { return Ok(None) };
        let area = match light.power {
            None => None,
            Some(_) => {
                let options = SceneExportOptions { read: self.read, ..Default::default() };
                Some(area_of_light(&self.scene, &self.input, shape, &options, work)?)
            }
        };
        let mean = match (&light.texture, light.power) {
            (Some(texture), Some(_)) => {
                let [r, g, b] = self.bake(looks, texture, MEAN_SIDE, work)?.picture.mean();
                f64::from(0.2126 * r + 0.7152 * g + 0.0722 * b)
            }
            _ => 1.0,
        };
        Ok(Some(light.strength_of(area, mean)))
    }

    /// The picture of a sky by longitude and latitude, in the light's own space: from the left
    /// `atan2(y, x) / 2π`, from the top the angle from +z.
    ///
    /// # Errors
    /// Those of reading the picture.
    pub fn sky(&self, picture: &LightPicture, work: &Work) -> Result<TexturePicture> {
        read_sky(&self.file(&picture.name), picture.mapping, &self.read.limits, work)
    }

    /// Draws it as its camera sees it, as [`preview_scene`](crate::preview_scene) does. What is wrong with
    /// the scene itself is not among the problems of the picture.
    ///
    /// # Errors
    /// `Limit` for a picture that is too large, `Cancelled`, those of `each`.
    pub fn preview(
        &self,
        options: &RenderOptions,
        work: &Work,
        each: impl FnMut(PreviewStage<'_>) -> Result<bool>,
    ) -> Result<ScenePicture> {
        let pack = self.pack.as_ref().map(|pack| &*pack.source);
        with_meshes_of(&self.scene, self.path(), pack, &self.read, work, |meshes| {
            drawn(&self.scene, Vec::new(), meshes, options, work, each)
        })
    }

    /// The box around all that is seen, its least and its greatest corner, rounded outwards; and shapes
    /// that cannot be read. `None` where nothing is there.
    ///
    /// # Errors
    /// `Cancelled`.
    pub fn bounds(&self, work: &Work) -> Result<(Option<SceneBox>, Vec<Error>)> {
        let pack = self.pack.as_ref().map(|pack| &*pack.source);
        with_meshes_of(&self.scene, self.path(), pack, &self.read, work, |meshes| {
            let (found, problems) = solio_scene::preview::scene_bounds(&self.scene, meshes, work)?;
            Ok(((!found.is_empty()).then_some([found.min, found.max]), problems))
        })
    }

    /// How much it holds, by the headers of its meshes; and files of meshes that are not there or cannot
    /// be read.
    ///
    /// # Errors
    /// `Cancelled`; those of a packed scene.
    pub fn counts(&self, work: &Work) -> Result<(SceneCounts, Vec<Error>)> {
        let files = FolderFiles::beside(self.path(), &self.read.limits, work);
        let packed = match &self.pack {
            None => HashMap::new(),
            Some(pack) => {
                let reader = PackReader::new(&*pack.source, &pack_options(&self.read));
                let counts = reader.and_then(|reader| packed_counts(&reader, work));
                counts.map_err(|e| e.at_path(self.path()))?
            }
        };
        let (counts, _, missing) = counted(&self.scene, &files, packed, 0, work)?;
        Ok((counts, missing))
    }

    /// Writes it for another program, as [`export_scene`](crate::export_scene) does. What is wrong with the
    /// scene itself is not among the problems.
    ///
    /// # Errors
    /// Those of [`export_scene`](crate::export_scene).
    pub fn export(
        &self,
        output: &Path,
        options: &SceneExportOptions,
        work: &Work,
    ) -> Result<SceneExported> {
        export_open(&self.scene, &self.input, output, options, work)
    }

    /// Packs it, as [`pack_scene`](crate::pack_scene) does; and meshes that stay in their files, each with
    /// the reason.
    ///
    /// # Errors
    /// Those of [`pack_scene`](crate::pack_scene); `Argument` where the output is the file that it came
    /// from.
    pub fn pack(
        &self,
        output: &Path,
        options: &ScenePackOptions,
        work: &Work,
    ) -> Result<(PackSummary, Vec<Error>)> {
        if self.is_packed() && self.input.is_at(output) {
            return Err(Error::argument("this is the packed scene itself").at_path(output));
        }
        pack_open(&self.scene, &self.input, output, options, work)
    }

    /// Writes it as text of pbrt: text as [`rewrite_scene`] does, a packed scene as [`unpack_scene`] does.
    /// With `whole` `output` is a folder, and all texts go there, as [`rewrite_whole_scene`] writes them.
    ///
    /// # Errors
    /// Those of these functions; `Argument` for options that a packed scene does not have.
    pub fn write_text(
        &self,
        output: &Path,
        options: &SceneTextOptions,
        whole: bool,
        work: &Work,
    ) -> Result<SceneText> {
        if !self.is_packed() {
            return match whole {
                true => rewrite_whole_scene(self.path(), output, options, work),
                false => rewrite_scene(self.path(), output, options, work),
            };
        }
        if whole || options.upgrade || options.meshes != crate::MeshPlace::AsTheyAre {
            let message = "a packed scene is written as it was packed";
            let error = Error::argument(message).at_path(self.path());
            return Err(error.hint("write it without these options, and read that again"));
        }
        let made = unpack_scene(&self.input, output, &self.read.limits, work)?;
        let (written, problems) = (made.written, made.left_meshes);
        Ok(SceneText { written, problems, ..SceneText::default() })
    }
}

fn pack_options(read: &SceneReadOptions) -> PackReadOptions {
    PackReadOptions { limits: read.limits, ..PackReadOptions::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{pack_scene, write_bytes};
    use solio_mesh::model::Domain;

    const PLY: &[u8] = b"ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\n\
        property float y\nproperty float z\nelement face 1\n\
        property list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";

    fn opened(text: &str, packed: bool) -> (tempfile::TempDir, OpenScene) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.pbrt");
        write_bytes(&path, text.as_bytes()).unwrap();
        write_bytes(&folder.path().join("a.ply"), PLY).unwrap();
        let (read, work) = (SceneReadOptions::default(), Work::serial());
        let to = folder.path().join("a.solio");
        if packed {
            pack_scene(&path, &to, &Default::default(), &work).unwrap();
            std::fs::remove_file(folder.path().join("a.ply")).unwrap();
        }
        let open = OpenScene::open(if packed { &to } else { &path }, &read, &work).unwrap();
        (folder, open)
    }

    const WORLD: &str = "LookAt 0 0 5 0 0 0 0 1 0\nCamera \"perspective\"\n\
        Film \"rgb\" \"integer xresolution\" 32 \"integer yresolution\" 16\nWorldBegin\n\
        Material \"diffuse\"\nShape \"sphere\"\n\
        ObjectBegin \"o\"\nTranslate 2 0 0\nShape \"plymesh\" \"string filename\" \"a.ply\"\n\
        Material \"interface\"\nShape \"disk\"\nObjectEnd\nObjectInstance \"o\"\n";

    #[test]
    fn text_and_packed_scenes_give_the_same_parts() {
        for packed in [false, true] {
            let (folder, open) = opened(WORLD, packed);
            let work = Work::serial();
            let shapes: Vec<u32> = open.scene().objects[0].shapes.clone().collect();
            assert_eq!((open.is_packed(), shapes.len()), (packed, 2));
            let mut all = Vec::new();
            let groups = [vec![0], shapes];
            open.joined_meshes(&groups, None, &work, |made| {
                assert!(made.problems.is_empty(), "{:?}", made.problems);
                all.push(made.mesh);
                Ok(())
            })
            .unwrap();
            let (ball, object) = (&all[0].clone(), &all[1].clone());
            let normals = ball.normals.as_ref().unwrap();
            // Where a ball is is where it looks to.
            for (normal, place) in normals.values.iter().zip(0..) {
                let place = ball.positions.get(place);
                let along: f64 = (0..3).map(|i| f64::from(normal[i]) * place[i]).sum();
                assert!(along > 0.99, "{normal:?} {place:?}");
            }
            assert_eq!(normals.domain, Domain::Vertex);
            // The border of a medium is not seen.
            assert_eq!((object.face_offsets.len(), object.positions.get(0)), (2, [2., 0., 0.]));
            assert_eq!(object.face_materials.len(), 1);
            open.joined_meshes(&groups, Some(&[vec![9], vec![7, 8]]), &work, |made| {
                all.push(made.mesh);
                Ok(())
            })
            .unwrap();
            assert!(all[2].face_materials.iter().all(|slot| *slot == 9));
            assert_eq!(*all[3].face_materials, [7]);
            let few = open.joined_meshes(&groups, Some(&[vec![9]]), &work, |_| Ok(()));
            assert_eq!(few.unwrap_err().kind(), ErrorKind::Argument);
            let (counts, missing) = open.counts(&work).unwrap();
            assert_eq!((counts.all.shapes, missing.len()), (3, 0));
            let (bounds, problems) = open.bounds(&work).unwrap();
            let [least, most] = bounds.unwrap();
            assert!((least[0] + 1.).abs() < 0.01 && (most[0] - 3.).abs() < 0.01);
            assert!(problems.is_empty());
            let options = RenderOptions::default();
            let picture = open.preview(&options, &work, |_| Ok(true)).unwrap();
            assert!(picture.problems.is_empty());
            let at = |name: &str| folder.path().join(name);
            let made = open.export(&at("a.glb"), &Default::default(), &work).unwrap();
            assert_eq!((made.meshes, made.problems.len()), (2, 0));
            let (summary, left) = open.pack(&at("b.solio"), &Default::default(), &work).unwrap();
            assert_eq!((summary.meshes, left.len()), (1, 0));
            std::fs::create_dir(at("out")).unwrap();
            let text = SceneTextOptions::default();
            let made = open.write_text(&at("out/a.pbrt"), &text, false, &work).unwrap();
            assert!(made.problems.is_empty());
            let again = read_scene(&at("out/a.pbrt"), &Default::default(), &work).unwrap();
            assert_eq!(again.shapes.len(), 3);
            let upgrade = SceneTextOptions { upgrade: true, ..text };
            let upgraded = open.write_text(&at("out/b.pbrt"), &upgrade, false, &work);
            assert_eq!(upgraded.is_err(), packed);
            if packed {
                assert!(open.pack(&at("a.solio"), &Default::default(), &work).is_err());
            }
        }
    }

    #[test]
    fn what_cannot_be_read_is_told_with_its_place() {
        let text = "WorldBegin\nShape \"plymesh\" \"string filename\" \"gone.ply\"\n\
            Shape \"trianglemesh\" \"integer indices\" [0 1 9] \"point3 P\" [0 0 0]\n";
        let (_folder, open) = opened(text, false);
        let work = Work::serial();
        let joined = open.joined_mesh(&[0, 1], &work).unwrap();
        let [gone, wrong] = &joined.problems[..] else { panic!("{:?}", joined.problems) };
        assert!(gone.path().unwrap().ends_with("gone.ply"));
        assert!(wrong.path().unwrap().ends_with("a.pbrt") && wrong.line() == Some(3), "{wrong}");
        assert_eq!(open.shape_mesh(7, &work).unwrap_err().kind(), ErrorKind::Argument);
        assert_eq!(open.counts(&work).unwrap().1.len(), 1);
    }
}
