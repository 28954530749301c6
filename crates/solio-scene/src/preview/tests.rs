use super::*;
use crate::geometry::Triangles;
use crate::scene::{Files, Scene, SceneOptions, read_scene};
use solio_base::{Error, Result, Source, Work};
use std::path::{Path, PathBuf};

struct NoFiles;

impl Files for NoFiles {
    fn path(&self, _: &[u8]) -> PathBuf {
        PathBuf::new()
    }
    fn open(&self, _: &Path) -> Result<Box<dyn Source>> {
        Err(Error::argument("no files here"))
    }
}

impl PreviewMeshes for NoFiles {
    fn mesh(&self, name: &[u8]) -> Result<Triangles<'static>> {
        match name {
            b"square.ply" => Ok(Triangles {
                positions: vec![[-1., -1., 0.], [1., -1., 0.], [1., 1., 0.], [-1., 1., 0.]].into(),
                indices: vec![[0, 1, 2], [0, 2, 3]].into(),
                normals: Vec::new().into(),
            }),
            _ => Err(Error::argument("cannot open: no such file")),
        }
    }
}

fn scene(head: &str, world: &str) -> Scene {
    let text = format!(
        "LookAt 0 0 5  0 0 0  0 1 0\n{head}\nFilm \"rgb\" \"integer xresolution\" 61 \
         \"integer yresolution\" 41\nWorldBegin\n{world}\n"
    );
    let text = text.into_bytes();
    let scene =
        read_scene(&text, Path::new("s"), &NoFiles, &SceneOptions::default(), &Work::serial());
    let scene = scene.unwrap();
    assert!(scene.problems.is_empty(), "{:?}", scene.problems);
    scene
}

fn drawn(scene: &Scene, options: &PreviewOptions, threads: usize) -> Picture {
    let work = Work { threads, ..Work::serial() };
    let world = World::new(scene, &NoFiles, &work).unwrap();
    assert!(world.problems.is_empty(), "{:?}", world.problems);
    render(&world, options, &work, |_, _| Ok(true)).unwrap()
}

const ONE: PreviewOptions = PreviewOptions { most: None, samples: 1, occlusion: 0 };
const PERSPECTIVE: &str = "Camera \"perspective\" \"float fov\" 60";

fn at(picture: &Picture, x: u32, y: u32) -> usize {
    (y * picture.width + x) as usize
}

#[test]
fn a_sphere_is_where_it_should_be() {
    let red = "Material \"diffuse\" \"rgb reflectance\" [ 1 0 0 ]\nShape \"sphere\"";
    let picture = drawn(&scene(PERSPECTIVE, red), &ONE, 1);
    assert_eq!((picture.width, picture.height), (61, 41));
    let middle = at(&picture, 30, 20);
    assert!((picture.depth[middle] - 4.0).abs() < 0.01, "{}", picture.depth[middle]);
    assert!(picture.normal[middle][2] > 0.99);
    let [r, g, b] = picture.color[middle];
    assert!(r > 0.5 && g == 0.0 && b == 0.0);
    assert_eq!((picture.alpha[middle], picture.instance[middle]), (1.0, 0));
    assert_eq!((picture.alpha[0], picture.depth[0]), (0.0, f32::INFINITY));
    // Of height 41 the sphere covers its angle's share: tan(asin(1/5)) / tan(30 degrees).
    let column = (0..41).filter(|y| picture.alpha[at(&picture, 30, *y)] > 0.0).count() as f64;
    let expected = 41.0 * (0.2f64).asin().tan() / 30f64.to_radians().tan();
    assert!((column - expected).abs() <= 1.0, "{column}, not {expected}");
}

#[test]
fn right_is_right_and_up_is_up() {
    // pbrt's camera looks along +z with x to the right: seen from +z, the world's +x is left.
    let world = "Translate 1 0.5 0\nShape \"sphere\" \"float radius\" 0.2";
    for camera in [PERSPECTIVE, "Camera \"orthographic\" \"float screenwindow\" [-3 3 -2 2]"] {
        let picture = drawn(&scene(camera, world), &ONE, 1);
        let seen: Vec<usize> =
            (0..picture.alpha.len()).filter(|i| picture.alpha[*i] > 0.0).collect();
        assert!(!seen.is_empty());
        assert!(seen.iter().all(|i| i % 61 < 30 && i / 61 < 20), "{camera}");
    }
}

#[test]
fn instances_and_mesh_files_are_drawn() {
    let world = "ObjectBegin \"a\"\nShape \"plymesh\" \"string filename\" \"square.ply\"\nObjectEnd\n\
        AttributeBegin\nTranslate 0 0 1\nScale 0.1 0.1 0.1\nObjectInstance \"a\"\nAttributeEnd\n\
        ObjectInstance \"a\"\nObjectBegin \"unseen\"\nShape \"sphere\"\nObjectEnd";
    let scene = scene(PERSPECTIVE, world);
    let picture = drawn(&scene, &ONE, 1);
    let (middle, beside) = (at(&picture, 30, 20), at(&picture, 33, 20));
    assert_eq!((picture.instance[middle], picture.instance[beside]), (1, 2));
    assert!((picture.depth[middle] - 4.0).abs() < 1e-5);
    let work = Work::serial();
    let world = World::new(&scene, &NoFiles, &work).unwrap();
    assert_eq!(world.trees(), [2, 0]);
    let mut passes = Vec::new();
    render(&world, &ONE, &work, |pass, _| {
        passes.push((pass, world.trees()[1]));
        Ok(true)
    })
    .unwrap();
    // Boxes need no tree, and of what is not seen none is built.
    assert_eq!(passes, [(Pass::Boxes, 0), (Pass::Coarse, 1), (Pass::Whole, 1)]);
}

#[test]
fn what_cannot_be_drawn_is_said() {
    let world = "Shape \"plymesh\" \"string filename\" \"gone.ply\"\n  Shape \"nurbs\"\n\
        Shape \"trianglemesh\" \"point3 P\" [0 0 0] \"integer indices\" [0 1 2]\nShape \"sphere\"";
    let scene = scene(PERSPECTIVE, world);
    let world = World::new(&scene, &NoFiles, &Work::serial()).unwrap();
    let problems: Vec<String> = world.problems.iter().map(ToString::to_string).collect();
    assert_eq!(problems.len(), 3);
    assert!(problems.iter().any(|p| p == "s:5:1: cannot open: no such file"), "{problems:?}");
    assert!(problems.iter().any(|p| p == "s:6:3: a nurbs is not shown"), "{problems:?}");
    assert!((world.bounds().max[0] - 1.0).abs() < 1e-3);
}

#[test]
fn threads_change_nothing() {
    let world = "ObjectBegin \"a\"\nShape \"sphere\"\nShape \"cylinder\" \"float radius\" 0.4\nObjectEnd\n\
        ObjectInstance \"a\"\nTranslate 0.7 0.5 0.2\nRotate 30 1 2 3\nObjectInstance \"a\"\n\
        Shape \"disk\" \"float radius\" 3";
    let scene = scene(PERSPECTIVE, world);
    let options = PreviewOptions { most: Some([40, 40]), samples: 2, occlusion: 4 };
    let one = drawn(&scene, &options, 1);
    assert_eq!((one.width, one.height), (40, 27));
    assert_eq!(one, drawn(&scene, &options, 3));
    // A place in a corner sees less of the sky than without neighbours.
    let open = drawn(&scene, &PreviewOptions { occlusion: 0, ..options }, 1);
    let sum = |picture: &Picture| picture.color.iter().map(|c| f64::from(c[0])).sum::<f64>();
    assert!(sum(&one) < 0.99 * sum(&open));
}

#[test]
fn a_scene_without_a_camera_is_seen_whole() {
    let picture = drawn(&scene("", "Translate 100 50 7\nShape \"sphere\""), &ONE, 1);
    let covered = picture.alpha.iter().sum::<f32>() / picture.alpha.len() as f32;
    assert!(covered > 0.1, "{covered}");
    let edge = (0..61).map(|x| picture.alpha[x]).sum::<f32>();
    assert_eq!(edge, 0.0);
    let nothing = drawn(&scene(PERSPECTIVE, ""), &ONE, 1);
    assert!(nothing.alpha.iter().all(|alpha| *alpha == 0.0));
}

#[test]
fn normals_that_are_given_shade_a_surface_and_leave_its_own_as_they_are() {
    let square = "\"point3 P\" [-1 -1 0  1 -1 0  1 1 0  -1 1 0] \"integer indices\" [0 1 2  0 2 3]";
    let tilted = "\"normal N\" [0 0 1  0 0 1  0 1 0  0 1 0]";
    let flat = drawn(&scene(PERSPECTIVE, &format!("Shape \"trianglemesh\" {square}")), &ONE, 1);
    let world = format!("Shape \"trianglemesh\" {square} {tilted}");
    let smooth = drawn(&scene(PERSPECTIVE, &world), &ONE, 1);
    assert_eq!((&flat.normal, &flat.depth), (&smooth.normal, &smooth.depth));
    let (low, high) = (at(&flat, 30, 26), at(&flat, 30, 14));
    assert!((flat.color[low][0] - flat.color[high][0]).abs() < 0.02);
    // Upwards it looks at the sky more and more.
    assert!((smooth.color[low][0] - flat.color[low][0]).abs() < 0.15);
    assert!((smooth.color[high][0] - smooth.color[low][0]).abs() > 0.05);
    // Beside another shape that has none, and turned over: the same.
    let both = "AttributeBegin\nScale 1 -1 -1\nShape \"trianglemesh\" \"point3 P\" [-1 1 0  1 1 0  \
        1 -1 0  -1 -1 0] \"integer indices\" [0 1 2  0 2 3] \"normal N\" [0 0 -1  0 0 -1  0 -1 0  \
        0 -1 0]\nAttributeEnd\nShape \"trianglemesh\" \"point3 P\" [9 9 0  9 8 0  8 8 0]";
    assert_eq!(drawn(&scene(PERSPECTIVE, both), &ONE, 1).color, smooth.color);
}
