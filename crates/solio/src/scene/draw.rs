//! A first picture of a scene, as an image.

use crate::scene::file::{FolderFiles, is_pack, read_scene_and_name_meshes};
use crate::scene::meshes_ahead::{MeshesAhead, ReadMesh};
use crate::scene::packed::mesh_of_packed;
use crate::scene::texture::{PREVIEW_SIDE, read_texture};
use crate::{Input, MeshReadOptions, SceneReadOptions, ToInput, read_mesh_into};
use solio_base::{Error, Result, Source, Work};
use solio_exr::header::{Box2i, Part};
use solio_exr::model::{FlatLevel, Image, ImagePart, Pixels, Plane, Samples};
use solio_exr::{Channel, Compression, PixelType};
use solio_mesh::Mesh;
use solio_mesh::axes::Axis;
use solio_mesh::model::{Domain, Normals, Positions};
use solio_mesh::triangulate::triangles_of_vertices;
use solio_scene::geometry::Triangles;
use solio_scene::look::{LookPicture, TexturePicture};
use solio_scene::pack::{PackReadOptions, PackReader};
use solio_scene::preview::{Pass, Picture, PreviewFiles, RenderOptions, World, render};
use solio_scene::scene::{Files, Scene};
use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// A picture of a scene.
///
/// ```
/// use solio::image::model::Pixels;
/// use solio::scene::preview::RenderOptions;
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("a.pbrt");
/// let text = b"LookAt 0 0 6 0 0 0 0 1 0\nCamera \"perspective\" \"float fov\" 50\n\
///     Film \"rgb\" \"integer xresolution\" 16 \"integer yresolution\" 8\n\
///     WorldBegin\nShape \"sphere\"\n";
/// solio::write_bytes(&path, text)?;
/// let (options, work) = (RenderOptions::default(), solio::Work::default());
/// let drawn = solio::preview_scene(&path, &Default::default(), &options, &work, |_| Ok(true))?;
/// assert!(drawn.problems.is_empty());
/// let Pixels::Flat(levels) = &drawn.image.parts[0].pixels else { unreachable!("it is flat") };
/// let names: Vec<_> = levels[0].planes.iter().map(|plane| plane.channel.name.as_str()).collect();
/// assert_eq!(names, ["A", "B", "G", "N.X", "N.Y", "N.Z", "R", "Z", "id"]);
/// # Ok::<(), solio::Error>(())
/// ```
pub struct ScenePicture {
    /// Channels `R`, `G`, `B`, `A` (linear light, times coverage), `Z` (distance from the camera,
    /// infinite where there is nothing), `N.X`, `N.Y`, `N.Z` (normal in the world), `id` (one more
    /// than the number of the instance; 0 for what is none).
    pub image: Image<'static>,
    /// What of the scene is not shown, and why.
    pub problems: Vec<Error>,
    /// What of the scene is taken otherwise than its author may think:
    /// [`Scene::notes`].
    pub warnings: Vec<String>,
    /// How many definitions there are, and of how many a tree was built because rays came to them.
    pub trees: [usize; 2],
    /// The axis of a mesh that is up in the picture.
    pub up: Option<Axis>,
}

/// How far a preview has come.
///
/// ```
/// use solio::PreviewStage;
/// use solio::scene::preview::RenderOptions;
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("a.pbrt");
/// # let text = b"LookAt 0 0 6 0 0 0 0 1 0\nCamera \"perspective\" \"float fov\" 50\n\
/// #     Film \"rgb\" \"integer xresolution\" 16 \"integer yresolution\" 8\n\
/// #     WorldBegin\nShape \"sphere\"\n";
/// # solio::write_bytes(&path, text)?;
/// # let (options, work) = (RenderOptions::default(), solio::Work::default());
/// let mut heard = Vec::new();
/// solio::preview_scene(&path, &Default::default(), &options, &work, |stage| {
///     heard.push(match stage {
///         PreviewStage::Parsed => "the text is read".to_owned(),
///         PreviewStage::Bounds => "all shapes are there".to_owned(),
///         PreviewStage::Picture(pass, _) => format!("{pass:?}"),
///     });
///     Ok(true)
/// })?;
/// assert_eq!(heard, ["the text is read", "all shapes are there", "Boxes", "Coarse"]);
/// # Ok::<(), solio::Error>(())
/// ```
pub enum PreviewStage<'p> {
    /// The scene is read: all text, or all of a packed scene but its meshes.
    Parsed,
    /// All shapes are there, meshes among them, and boxes around all instances with a tree over
    /// them.
    Bounds,
    /// A pass is drawn. The whole picture is the result.
    Picture(Pass, PassPicture<'p>),
}

/// The picture of a pass.
///
/// ```
/// use solio::PreviewStage;
/// use solio::scene::preview::{Pass, RenderOptions};
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("a.pbrt");
/// # let text = b"LookAt 0 0 6 0 0 0 0 1 0\nCamera \"perspective\" \"float fov\" 50\n\
/// #     Film \"rgb\" \"integer xresolution\" 16 \"integer yresolution\" 8\n\
/// #     WorldBegin\nShape \"sphere\"\n";
/// # solio::write_bytes(&path, text)?;
/// # let (options, work) = (RenderOptions::default(), solio::Work::default());
/// // The first picture is enough: the drawing ends there.
/// let mut small = None;
/// solio::preview_scene(&path, &Default::default(), &options, &work, |stage| {
///     let PreviewStage::Picture(Pass::Boxes, picture) = stage else { return Ok(true) };
///     small = Some(solio::preview(&picture.image(), &Default::default(), &work)?);
///     Ok(false)
/// })?;
/// assert_eq!(small.map(|small| (small.width, small.height)), Some((16, 8)));
/// # Ok::<(), solio::Error>(())
/// ```
pub struct PassPicture<'p>(&'p Picture);

impl PassPicture<'_> {
    /// As an image, with the channels of [`ScenePicture::image`].
    ///
    /// ```
    /// use solio::PreviewStage;
    /// use solio::scene::preview::RenderOptions;
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let at = |name: &str| folder.path().join(name);
    /// # let text = b"LookAt 0 0 6 0 0 0 0 1 0\nCamera \"perspective\" \"float fov\" 50\n\
    /// #     Film \"rgb\" \"integer xresolution\" 16 \"integer yresolution\" 8\n\
    /// #     WorldBegin\nShape \"sphere\"\n";
    /// # solio::write_bytes(&at("a.pbrt"), text)?;
    /// # let (options, work) = (RenderOptions::default(), solio::Work::default());
    /// // Each pass as a file, for whoever watches.
    /// solio::preview_scene(&at("a.pbrt"), &Default::default(), &options, &work, |stage| {
    ///     if let PreviewStage::Picture(pass, picture) = stage {
    ///         let file = at(&format!("{pass:?}.exr"));
    ///         solio::write_image(&picture.image(), &file, &Default::default(), &work)?;
    ///     }
    ///     Ok(true)
    /// })?;
    /// assert!(at("Coarse.exr").exists());
    /// # Ok::<(), solio::Error>(())
    /// ```
    pub fn image(&self) -> Image<'_> {
        let Picture { width, height, color: [r, g, b], alpha, depth, normal: [x, y, z], instance } =
            self.0;
        let floats = [alpha, b, g, x, y, z, r, depth].map(|samples| Cow::Borrowed(&samples[..]));
        image([*width, *height], floats, Cow::Borrowed(instance))
    }
}

/// Draws the scene at `path` as its camera sees it. `each` hears of each stage, and gets the picture
/// of each pass, coarse first; it ends the drawing where it gives `false` for a picture.
///
/// ```
/// use solio::scene::preview::RenderOptions;
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("a.pbrt");
/// # let text = b"LookAt 0 0 6 0 0 0 0 1 0\nCamera \"perspective\" \"float fov\" 50\n\
/// #     Film \"rgb\" \"integer xresolution\" 1600 \"integer yresolution\" 800\n\
/// #     WorldBegin\nShape \"sphere\"\n";
/// # solio::write_bytes(&path, text)?;
/// # let work = solio::Work::default();
/// // The film has 1600 × 800 pixels.
/// let options = RenderOptions { most: Some([32, 32]), ..RenderOptions::default() };
/// let drawn = solio::preview_scene(&path, &Default::default(), &options, &work, |_| Ok(true))?;
/// let window = drawn.image.parts[0].header.display_window().unwrap();
/// assert_eq!((window.width(), window.height()), (32, 16));
/// # Ok::<(), solio::Error>(())
/// ```
pub fn preview_scene(
    input: &(impl ToInput + ?Sized),
    read: &SceneReadOptions,
    options: &RenderOptions,
    work: &Work,
    mut each: impl FnMut(PreviewStage<'_>) -> Result<bool>,
) -> Result<ScenePicture> {
    let input = input.to_input(&read.limits, work)?;
    with_meshes(&input, read, work, |scene, problems, meshes| {
        each(PreviewStage::Parsed)?;
        drawn(scene, problems, meshes, options, work, each)
    })
}

/// The box around all that is seen of the scene at `path`, its least and its greatest corner, rounded
/// outwards. `None` for a scene of which a shape or a file cannot be read, and for an empty one.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("a.pbrt");
/// solio::write_bytes(&path, b"WorldBegin\nTranslate 10 0 0\nShape \"sphere\"\n")?;
/// let bounds = solio::scene_bounds(&path, &Default::default(), &Default::default())?;
/// let [least, greatest] = bounds.expect("all of it can be read");
/// assert!((least[0] - 9.0).abs() < 0.01 && (greatest[0] - 11.0).abs() < 0.01);
/// # Ok::<(), solio::Error>(())
/// ```
///
/// # Errors
/// Those of reading the scene.
pub fn scene_bounds(
    input: &(impl ToInput + ?Sized),
    read: &SceneReadOptions,
    work: &Work,
) -> Result<Option<[[f32; 3]; 2]>> {
    let input = input.to_input(&read.limits, work)?;
    with_meshes(&input, read, work, |scene, problems, meshes| {
        let (bounds, unread) = solio_scene::preview::scene_bounds(scene, meshes, work)?;
        let is_known = problems.is_empty() && unread.is_empty() && !bounds.is_empty();
        Ok(is_known.then_some([bounds.min, bounds.max]))
    })
}

/// Reads the scene at `path`, and its meshes ahead while `then` uses it and its problems.
fn with_meshes<T>(
    input: &Input,
    read: &SceneReadOptions,
    work: &Work,
    then: impl FnOnce(&Scene, Vec<Error>, &dyn PreviewFiles) -> Result<T>,
) -> Result<T> {
    let source = is_pack(input).then(|| input.whole(work)).transpose()?;
    let meshes = SceneMeshes::new(input.path(), source.as_deref(), read, work)?;
    let meshes = MeshesAhead::new(meshes, work);
    std::thread::scope(|scope| {
        let end = meshes.start(scope);
        let mut scene = read_scene_and_name_meshes(input, read, work, &|name| meshes.named(name))?;
        let files = scene.shapes.iter().filter_map(|shape| scene.mesh_file(&shape.entity));
        meshes.text_ended(files);
        drop(end);
        let problems = std::mem::take(&mut scene.problems);
        then(&scene, problems, &meshes)
    })
}

/// Lets `then` use the meshes of a scene that was read before, each as it is needed; those that the packed
/// scene `pack` brings along are taken from there.
pub(super) fn with_meshes_of<T>(
    scene: &Scene,
    path: &Path,
    pack: Option<&dyn Source>,
    read: &SceneReadOptions,
    work: &Work,
    then: impl FnOnce(&dyn PreviewFiles) -> Result<T>,
) -> Result<T> {
    let meshes = MeshesAhead::new(SceneMeshes::new(path, pack, read, work)?, work);
    meshes.text_ended(scene.shapes.iter().filter_map(|shape| scene.mesh_file(&shape.entity)));
    then(&meshes)
}

/// Draws a scene that was read, with `problems`.
pub(crate) fn drawn(
    scene: &Scene,
    mut problems: Vec<Error>,
    meshes: &dyn PreviewFiles,
    options: &RenderOptions,
    work: &Work,
    mut each: impl FnMut(PreviewStage<'_>) -> Result<bool>,
) -> Result<ScenePicture> {
    let mut world = World::new(scene, meshes, work)?;
    problems.append(&mut world.problems);
    each(PreviewStage::Bounds)?;
    let picture = render(&world, options, work, |pass, picture| match pass {
        Pass::Whole => Ok(true),
        _ => each(PreviewStage::Picture(pass, PassPicture(picture))),
    })?;
    let (image, warnings) = (image_of(picture), scene.notes());
    Ok(ScenePicture { image, problems, warnings, trees: world.trees(), up: None })
}

/// A picture as an image.
pub(crate) fn image_of(picture: Picture) -> Image<'static> {
    let Picture { width, height, color: [r, g, b], alpha, depth, normal: [x, y, z], instance } =
        picture;
    let floats = [alpha, b, g, x, y, z, r, depth].map(Cow::Owned);
    image([width, height], floats, Cow::Owned(instance))
}

/// The meshes of a scene: those that a packed one brings along, else those of files.
struct SceneMeshes<'w> {
    reader: Option<PackReader<'w>>,
    numbers: HashMap<Vec<u8>, u32>,
    files: FolderFiles<'w>,
    options: MeshReadOptions,
    work: Work,
    /// What of meshes is not shown: memory for the next ones, one for each thread at most.
    rest: Mutex<Vec<solio_mesh::Scene<'static>>>,
}

impl<'w> SceneMeshes<'w> {
    /// Those of the scene at `path`, and of `pack` where it is packed.
    fn new(
        path: &Path,
        pack: Option<&'w dyn Source>,
        read: &SceneReadOptions,
        work: &'w Work,
    ) -> Result<SceneMeshes<'w>> {
        let packed = PackReadOptions { limits: read.limits, ..PackReadOptions::default() };
        let reader = pack.map(|source| PackReader::new(source, &packed));
        let reader = reader.transpose().map_err(|e| e.at_path(path))?;
        let infos = reader.as_ref().map_or(Ok(Vec::new()), |reader| reader.meshes(work))?;
        // A mesh is read by one thread, several are at once.
        Ok(SceneMeshes {
            reader,
            numbers: infos.into_iter().zip(0..).map(|(info, number)| (info.name, number)).collect(),
            files: FolderFiles::beside(path, &read.limits, work),
            options: MeshReadOptions { limits: read.limits, ..MeshReadOptions::default() },
            work: Work { threads: 1, ..work.clone() },
            rest: Mutex::default(),
        })
    }
}

impl PreviewFiles for MeshesAhead<'_, SceneMeshes<'_>> {
    fn mesh(&self, name: &[u8]) -> Result<Triangles<'static>> {
        self.take(name)
    }

    fn picture(&self, picture: &LookPicture) -> Result<TexturePicture> {
        let SceneMeshes { files, options, work, .. } = self.reader();
        let path = files.path(&picture.name);
        read_texture(&path, picture, PREVIEW_SIDE, &options.limits, work)
    }
}

impl ReadMesh for SceneMeshes<'_> {
    type Mesh = Triangles<'static>;

    fn read(&self, name: &[u8]) -> Result<Triangles<'static>> {
        let mut all = Triangles::default();
        if let (Some(reader), Some(number)) = (&self.reader, self.numbers.get(name)) {
            add_triangles(
                &mut mesh_of_packed(reader.mesh(*number, &self.work)?),
                &mut all,
                &self.work,
            )?;
            return Ok(all);
        }
        let mut read = self.rest.lock().ok().and_then(|mut rest| rest.pop()).unwrap_or_default();
        read_mesh_into(&mut read, &self.files.path(name), &self.options, &self.work)?;
        for mesh in &mut read.meshes {
            add_triangles(mesh, &mut all, &self.work)?;
        }
        if let Ok(mut rest) = self.rest.lock() {
            rest.push(read);
        }
        Ok(all)
    }

    fn bytes(mesh: &Triangles<'static>) -> u64 {
        let Triangles { positions, indices, normals, uvs } = mesh;
        let vertices = size_of_val(&**positions) + size_of_val(&**normals) + size_of_val(&**uvs);
        (vertices + size_of_val(&**indices)) as u64
    }

    fn path(&self, name: &[u8]) -> Option<PathBuf> {
        (!self.numbers.contains_key(name)).then(|| self.files.path(name))
    }
}

/// Adds the triangles of a mesh, and leaves in it what is not shown.
pub(crate) fn add_triangles(
    mesh: &mut Mesh<'static>,
    all: &mut Triangles<'static>,
    work: &Work,
) -> Result<()> {
    let first = all.positions.len() as u32;
    let mut triangles = triangles_of_vertices(mesh, work)?;
    if first > 0 {
        triangles.as_flattened_mut().iter_mut().for_each(|vertex| *vertex += first);
    }
    match all.indices.is_empty() {
        true => all.indices = Cow::Owned(triangles),
        false => all.indices.to_mut().extend(triangles),
    }
    let positions = match std::mem::take(&mut mesh.positions) {
        Positions::F32(positions) => positions,
        Positions::F64(positions) => {
            positions.iter().map(|p| p.map(|x| x as f32)).collect::<Vec<_>>().into()
        }
    };
    let of_vertices = |normals: &Normals<'_>| normals.domain == Domain::Vertex;
    let normals = mesh.normals.take_if(|normals| of_vertices(normals));
    let normals = normals.map_or_else(Cow::default, |n| n.values);
    let uvs = mesh.uvs.take_if(|uvs| uvs.domain == Domain::Vertex);
    let uvs = uvs.map_or_else(Cow::default, |uvs| uvs.values);
    if first == 0 {
        (all.positions, all.normals, all.uvs) = (positions, normals, uvs);
        return Ok(());
    }
    if !all.uvs.is_empty() || !uvs.is_empty() {
        let together = all.uvs.to_mut();
        together.resize(first as usize, [0.0; 2]);
        together.extend_from_slice(&uvs);
        together.resize(first as usize + positions.len(), [0.0; 2]);
    }
    if !all.normals.is_empty() || !normals.is_empty() {
        let together = all.normals.to_mut();
        together.resize(first as usize, [0.0; 3]);
        together.extend_from_slice(&normals);
        together.resize(first as usize + positions.len(), [0.0; 3]);
    }
    all.positions.to_mut().extend_from_slice(&positions);
    Ok(())
}

/// The channels of a picture as an image, in the order of their names.
fn image<'p>(
    [width, height]: [u32; 2],
    floats: [Cow<'p, [f32]>; 8],
    instance: Cow<'p, [u32]>,
) -> Image<'p> {
    let names = ["A", "B", "G", "N.X", "N.Y", "N.Z", "R", "Z"];
    let mut planes: Vec<Plane<'p>> = std::iter::zip(names, floats)
        .map(|(name, samples)| Plane {
            channel: Channel::new(name, PixelType::Float),
            samples: Samples::Float(samples),
        })
        .collect();
    planes.push(Plane {
        channel: Channel::new("id", PixelType::Uint),
        samples: Samples::Uint(instance),
    });
    let window = Box2i::of_size(width, height);
    let channels = planes.iter().map(|plane| plane.channel.clone()).collect();
    let header = Part::new(window, Compression::Zip, channels);
    let pixels = Pixels::Flat(vec![FlatLevel { x: 0, y: 0, window, planes }]);
    Image { parts: vec![ImagePart { header, pixels }], missing: Vec::new() }
}
