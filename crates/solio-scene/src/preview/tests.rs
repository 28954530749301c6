use super::*;
use crate::geometry::Triangles;
use crate::look::{LookPicture, TextureEncoding, TexturePicture, resolution};
use crate::scene::{NoFiles, Scene, SceneOptions, read_scene};
use solio_base::{Error, Result, Work};
use std::cell::Cell;
use std::path::Path;

thread_local! {
    /// Rays that this thread sent after what they meet first.
    pub(super) static RAYS: Cell<u64> = const { Cell::new(0) };
}

/// The meshes and pictures that these scenes have.
struct TestMeshes;

impl PreviewFiles for TestMeshes {
    fn mesh(&self, name: &[u8]) -> Result<Triangles<'static>> {
        match name {
            b"square.ply" => Ok(Triangles {
                positions: vec![[-1., -1., 0.], [1., -1., 0.], [1., 1., 0.], [-1., 1., 0.]].into(),
                indices: vec![[0, 1, 2], [0, 2, 3]].into(),
                uvs: vec![[0., 0.], [1., 0.], [1., 1.], [0., 1.]].into(),
                ..Triangles::default()
            }),
            _ => Err(Error::argument("cannot open: no such file")),
        }
    }

    /// Four pixels: red, green; blue, white.
    fn picture(&self, picture: &LookPicture) -> Result<TexturePicture> {
        assert_eq!(picture.encoding, TextureEncoding::Linear);
        match &picture.name[..] {
            b"four.png" => {
                TexturePicture::new(2, vec![[1., 0., 0.], [0., 1., 0.], [0., 0., 1.], [1.; 3]])
            }
            _ => Err(Error::argument("cannot open: no such picture")),
        }
    }
}

fn scene(head: &str, world: &str) -> Scene {
    sized_scene([61, 41], head, world)
}

fn sized_scene([columns, rows]: [u32; 2], head: &str, world: &str) -> Scene {
    let text = format!(
        "LookAt 0 0 5  0 0 0  0 1 0\n{head}\nFilm \"rgb\" \"integer xresolution\" {columns} \
         \"integer yresolution\" {rows}\nWorldBegin\n{world}\n"
    );
    let text = text.into_bytes();
    let scene =
        read_scene(&text, Path::new("s"), &NoFiles, &SceneOptions::default(), &Work::serial());
    let scene = scene.unwrap();
    assert!(scene.problems.is_empty(), "{:?}", scene.problems);
    scene
}

fn drawn(scene: &Scene, options: &RenderOptions, threads: usize) -> Picture {
    let work = Work { threads, ..Work::serial() };
    let world = World::new(scene, &TestMeshes, &work).unwrap();
    assert!(world.problems.is_empty(), "{:?}", world.problems);
    render(&world, options, &work, |_, _| Ok(true)).unwrap()
}

const ONE: RenderOptions = RenderOptions { most: None, samples: 1, occlusion: 0, coarse: false };
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
    assert!(picture.normal[2][middle] > 0.99);
    let [r, g, b] = picture.color.each_ref().map(|plane| plane[middle]);
    assert!(r > 0.5 && g == 0.0 && b == 0.0);
    assert_eq!((picture.alpha[middle], picture.instance[middle]), (1.0, 0));
    assert_eq!((picture.alpha[0], picture.depth[0]), (0.0, f32::INFINITY));
    // Of height 41 the sphere covers its angle's share: tan(asin(1/5)) / tan(30 degrees).
    let column = (0..41).filter(|y| picture.alpha[at(&picture, 30, *y)] > 0.0).count() as f64;
    let expected = 41.0 * (0.2f64).asin().tan() / 30f64.to_radians().tan();
    assert!((column - expected).abs() <= 1.0, "{column}, not {expected}");
}

#[test]
fn a_spherical_camera_sees_equal_areas_unless_told_otherwise() {
    let pixels = |camera: &str| {
        let picture = drawn(&scene(&format!("Camera {camera}"), "Shape \"sphere\""), &ONE, 1);
        picture.alpha.iter().sum::<f32>()
    };
    // The solid angle of a sphere of radius 1 at distance 5, of all directions; on the horizon of
    // a map of longitude and latitude it covers more of the horizon's length than of the map.
    let solid = std::f32::consts::TAU * (1.0 - 0.2f32.asin().cos());
    let (whole, map) = (4.0 * std::f32::consts::PI, 2.0 * std::f32::consts::PI.powi(2));
    for (camera, area) in [
        ("\"spherical\"", whole),
        ("\"spherical\" \"string mapping\" \"equalarea\"", whole),
        ("\"spherical\" \"string mapping\" \"equirectangular\"", map),
        ("\"environment\"", map),
    ] {
        let (found, expected) = (pixels(camera), solid / area * (61.0 * 41.0));
        assert!((found - expected).abs() < 4.0, "{camera}: {found}, not {expected}");
    }
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
    let world = World::new(&scene, &TestMeshes, &work).unwrap();
    assert_eq!(world.trees(), [2, 0]);
    let mut passes = Vec::new();
    render(&world, &RenderOptions { coarse: true, ..ONE }, &work, |pass, _| {
        passes.push((pass, world.trees()[1]));
        Ok(true)
    })
    .unwrap();
    // Boxes need no tree, and of what is not seen none is built.
    assert_eq!(passes, [(Pass::Boxes, 0), (Pass::Coarse, 1), (Pass::Whole, 1)]);
}

#[test]
fn what_cannot_be_drawn_is_said() {
    let world = "Shape \"plymesh\" \"string filename\" \"gone.ply\"\n  Shape \"blob\"\n\
        Shape \"nurbs\" \"integer nu\" 4\n\
        Shape \"trianglemesh\" \"point3 P\" [0 0 0] \"integer indices\" [0 1 2]\nShape \"sphere\"";
    let scene = scene(PERSPECTIVE, world);
    let world = World::new(&scene, &TestMeshes, &Work::serial()).unwrap();
    let problems: Vec<String> = world.problems.iter().map(ToString::to_string).collect();
    assert_eq!(problems.len(), 4);
    assert!(problems.iter().any(|p| p == "s:5:1: cannot open: no such file"), "{problems:?}");
    assert!(problems.iter().any(|p| p == "s:6:3: a blob is not shown"), "{problems:?}");
    assert!(problems.iter().any(|p| p == "s:7:1: uorder is missing or 0"), "{problems:?}");
    assert!((world.bounds().max[0] - 1.0).abs() < 1e-3);
}

#[test]
fn threads_change_nothing() {
    let world = "ObjectBegin \"a\"\nShape \"sphere\"\nShape \"cylinder\" \"float radius\" 0.4\nObjectEnd\n\
        ObjectInstance \"a\"\nTranslate 0.7 0.5 0.2\nRotate 30 1 2 3\nObjectInstance \"a\"\n\
        Shape \"disk\" \"float radius\" 3";
    let scene = scene(PERSPECTIVE, world);
    let options = RenderOptions { most: Some([40, 40]), samples: 2, occlusion: 4, coarse: false };
    let one = drawn(&scene, &options, 1);
    assert_eq!((one.width, one.height), (40, 27));
    assert_eq!(one, drawn(&scene, &options, 3));
    // A place in a corner sees less of the sky than without neighbours.
    let open = drawn(&scene, &RenderOptions { occlusion: 0, ..options }, 1);
    let sum = |picture: &Picture| picture.color[0].iter().map(|c| f64::from(*c)).sum::<f64>();
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
    assert!((flat.color[0][low] - flat.color[0][high]).abs() < 0.02);
    // Upwards it looks at the sky more and more.
    assert!((smooth.color[0][low] - flat.color[0][low]).abs() < 0.15);
    assert!((smooth.color[0][high] - smooth.color[0][low]).abs() > 0.05);
    // Beside another shape that has none, and turned over: the same.
    let both = "AttributeBegin\nScale 1 -1 -1\nShape \"trianglemesh\" \"point3 P\" [-1 1 0  1 1 0  \
        1 -1 0  -1 -1 0] \"integer indices\" [0 1 2  0 2 3] \"normal N\" [0 0 -1  0 0 -1  0 -1 0  \
        0 -1 0]\nAttributeEnd\nShape \"trianglemesh\" \"point3 P\" [9 9 0  9 8 0  8 8 0]";
    assert_eq!(drawn(&scene(PERSPECTIVE, both), &ONE, 1).color, smooth.color);
}

/// Looks straight at the square from -1 to 1, which fills the picture of 61 × 41 pixels at a third
/// of its width; the world's +x is on the left.
const FRONT: &str = "Camera \"orthographic\" \"float screenwindow\" [-3 3 -2 2]";

fn image(parameters: &str) -> String {
    format!(
        "Texture \"t\" \"spectrum\" \"imagemap\" \"string filename\" \"four.png\" \"string encoding\" \
         \"linear\" {parameters}\nMaterial \"diffuse\" \"texture reflectance\" \"t\"\n"
    )
}

/// The hues at the middles of the quarters of the square: those of lower u first, then of lower v.
fn quarters(world: &str) -> [[f32; 3]; 4] {
    let picture = drawn(&scene(FRONT, world), &ONE, 1);
    // A pixel is 6 / 61 wide and 4 / 41 high.
    let pixel = |x: f32, y: f32| {
        let column = ((3.0 - x) / 6.0 * 61.0) as u32;
        let place = at(&picture, column, ((2.0 - y) / 4.0 * 41.0) as u32);
        let color = picture.color.each_ref().map(|plane| plane[place]);
        let most = color.iter().fold(1e-9f32, |a, b| a.max(*b));
        color.map(|c| c / most)
    };
    [pixel(-0.5, -0.5), pixel(0.5, -0.5), pixel(-0.5, 0.5), pixel(0.5, 0.5)]
}

#[track_caller]
fn near(found: [[f32; 3]; 4], expected: [[f32; 3]; 4]) {
    for (a, b) in found.iter().flatten().zip(expected.iter().flatten()) {
        assert!((a - b).abs() < 0.1, "{found:?}, not {expected:?}");
    }
}

#[test]
fn pictures_lie_on_surfaces_by_their_coordinates() {
    let (red, green, blue, white) = ([1., 0., 0.], [0., 1., 0.], [0., 0., 1.], [1.; 3]);
    let mesh = "Shape \"plymesh\" \"string filename\" \"square.ply\"";
    near(quarters(&format!("{}{mesh}", image(""))), [blue, white, red, green]);
    let points = "\"point3 P\" [-1 -1 0 1 -1 0 -1 1 0 1 1 0]";
    let patch = format!("Shape \"bilinearmesh\" {points}");
    near(quarters(&format!("{}{patch}", image(""))), [blue, white, red, green]);
    // Turned by half a picture.
    let moved = image("\"float udelta\" 0.5");
    near(quarters(&format!("{moved}{patch}")), [white, blue, green, red]);
    // Of the left half both columns; of a scale of 0 the lower left pixels.
    let wide = image("\"float uscale\" 0.001 \"float udelta\" 0.25");
    near(quarters(&format!("{wide}{patch}")), [blue, blue, red, red]);
    let inverse = image("\"bool invert\" true \"float scale\" 0.5");
    let (cyan, magenta, yellow) = ([0.5, 1., 1.], [1., 0.5, 1.], [1., 1., 0.5]);
    near(quarters(&format!("{inverse}{patch}")), [yellow, white, cyan, magenta]);
    // Two shapes of one object: each by its own coordinates.
    let uvs = "\"point2 uv\" [1 0 0 0 1 1 0 1]";
    let behind = format!("{}Translate 0 0 -1\n{patch}\nTranslate 0 0 1\n{patch} {uvs}", image(""));
    near(quarters(&behind), [white, blue, green, red]);
}

#[test]
fn checkers_and_products_are_seen() {
    let world = "Texture \"c\" \"spectrum\" \"checkerboard\" \"float uscale\" 2 \"float vscale\" 2 \
        \"rgb tex1\" [1 0 0] \"rgb tex2\" [0 1 0]\n\
        Texture \"s\" \"spectrum\" \"scale\" \"texture tex\" \"c\" \"float scale\" 0.5\n\
        Material \"diffuse\" \"texture reflectance\" \"s\"\n\
        Shape \"bilinearmesh\" \"point3 P\" [-1 -1 0 1 -1 0 -1 1 0 1 1 0]";
    let (red, green) = ([1., 0., 0.], [0., 1., 0.]);
    near(quarters(world), [red, green, green, red]);
    let scene = scene("", world);
    assert_eq!(material_colors(&scene), [[0.25, 0.25, 0.0]]);
}

#[test]
fn a_name_may_stand_for_a_texture_of_each_type() {
    let of_spectra = "Texture \"bark\" \"spectrum\" \"constant\" \"rgb value\" [0.9 0.1 0.1]\n";
    let of_floats = "Texture \"bark\" \"float\" \"constant\" \"float value\" 0.25\n";
    let uses = "Texture \"mix\" \"spectrum\" \"mix\" \"rgb tex1\" [0 0 0] \"texture tex2\" \"bark\" \
        \"texture amount\" \"bark\"\n\
        Texture \"twice\" \"spectrum\" \"scale\" \"texture tex\" \"bark\" \"texture scale\" \"bark\"\n\
        Texture \"number\" \"float\" \"scale\" \"texture tex\" \"bark\" \"float scale\" 0.5\n\
        Material \"diffuse\" \"texture reflectance\" \"bark\"\n\
        Material \"diffuse\" \"texture reflectance\" \"mix\"\n\
        Material \"diffuse\" \"texture reflectance\" \"twice\"\n\
        Material \"diffuse\" \"texture reflectance\" \"number\"\n";
    let (full, quarter) = ([0.9, 0.1, 0.1], [0.225, 0.025, 0.025]);
    for textures in [[of_spectra, of_floats], [of_floats, of_spectra]] {
        let scene = scene("", &(textures.concat() + uses));
        assert_eq!(material_colors(&scene), [full, quarter, quarter, [0.125; 3]]);
    }
}

#[test]
fn materials_are_mixed_by_their_amount() {
    let of = |class: &str, color: &str| {
        format!(
            "MakeNamedMaterial \"r\" \"string type\" \"{class}\" \"rgb {color}\" [1 0 0]\n\
             MakeNamedMaterial \"b\" \"string type\" \"{class}\" \"rgb {color}\" [0 0 1]\n\
             MakeNamedMaterial \"no\" \"string type\" \"none\"\n"
        )
    };
    // The amount is that of the second material, a half where there is none.
    let quarter = "Texture \"q\" \"float\" \"constant\" \"float value\" 0.25\n";
    let mix = |what: &str| format!("Material \"mix\" \"string materials\" {what}\n");
    let fourth = [
        mix("[\"r\" \"b\"]"),
        mix("[\"r\" \"b\"] \"float amount\" 1"),
        mix("[\"r\" \"b\"] \"texture amount\" \"q\""),
        mix("[\"no\" \"b\"] \"float amount\" 0.25"),
        "MakeNamedMaterial \"m\" \"string type\" \"mix\" \"string materials\" [\"b\" \"m\"]\n"
            .into(),
        mix("[\"m\" \"r\"] \"float amount\" 0.75"),
    ];
    let world = of("diffuse", "reflectance") + quarter + &fourth.concat();
    let [half, blue, most] = [[0.5, 0., 0.5], [0., 0., 1.], [0.75, 0., 0.25]];
    let found = material_colors(&scene("", &world));
    assert_eq!(found[3..7], [half, blue, most, blue]);
    // Of one that is itself in the mix, some of the grey of what is not known stays.
    assert!(found[7][2] > 0.99 && found[8][0] > 0.74, "{found:?}");
    // In version 3 it is that of the first, and may be a colour.
    let mix = |what: &str| {
        format!(
            "Material \"mix\" \"string namedmaterial1\" \"r\" \"string namedmaterial2\" \"b\" {what}\n"
        )
    };
    let third =
        [mix(""), mix("\"rgb amount\" [1 0.5 0.75]"), mix("\"rgb amount\" [0.25 0.25 0.25]")];
    let found = material_colors(&scene("", &(of("matte", "Kd") + &third.concat())));
    assert_eq!(found[3..], [half, [1., 0., 0.25], [0.25, 0., 0.75]]);
}

#[test]
fn mixtures_take_black_and_white_where_nothing_is_said() {
    let of = |texture: &str| {
        format!(
            "Texture \"c\" \"spectrum\" {texture}\nMaterial \"diffuse\" \"texture reflectance\" \"c\""
        )
    };
    for (texture, expected) in [
        ("\"mix\" \"rgb tex1\" [1 0 0]", [1.0, 0.5, 0.5]),
        ("\"mix\" \"rgb tex2\" [1 0 0]", [0.5, 0.0, 0.0]),
        ("\"directionmix\" \"rgb tex1\" [1 0 0]", [1.0, 0.5, 0.5]),
        ("\"checkerboard\" \"rgb tex1\" [1 0 0]", [0.5, 0.0, 0.0]),
        ("\"dots\" \"rgb inside\" [1 0 0]", [0.5, 0.0, 0.0]),
    ] {
        assert_eq!(material_colors(&scene("", &of(texture))), [expected], "{texture}");
    }
}

#[test]
fn materials_of_version_three_have_their_colors() {
    for (material, expected) in [
        ("\"matte\" \"xyz Kd\" [0.2062 0.1063 0.00965]", [0.5, 0.0, 0.0]),
        ("\"plastic\" \"rgb Ks\" [1 1 1]", [0.25; 3]),
        ("\"uber\"", [0.25; 3]),
        ("\"uber\" \"rgb Kd\" [1 0 0]", [1.0, 0.0, 0.0]),
        ("\"translucent\"", [0.125; 3]),
        ("\"translucent\" \"rgb Kd\" [1 0.5 0] \"rgb reflect\" [0.5 0.5 1]", [0.5, 0.25, 0.0]),
        ("\"hair\" \"rgb color\" [0.1 0.2 0.3]", [0.1, 0.2, 0.3]),
        ("\"mirror\"", [0.9; 3]),
        ("\"mirror\" \"rgb Kr\" [0.5 0 0]", [0.5, 0.0, 0.0]),
    ] {
        let [found] = material_colors(&scene("", &format!("Material {material}\nWorldEnd")))[..]
        else {
            panic!("one material")
        };
        let near = found.iter().zip(expected).all(|(a, b): (&f32, f32)| (a - b).abs() < 1e-3);
        assert!(near, "{material}: {found:?}, not {expected:?}");
    }
}

#[test]
fn a_film_without_a_size_is_that_of_pbrt() {
    for text in ["Film \"rgb\"\nWorldBegin\n", "Film \"image\"\nWorldBegin\nWorldEnd\n"] {
        let (text, options) = (text.as_bytes().to_vec(), SceneOptions::default());
        let scene = read_scene(&text, Path::new("s"), &NoFiles, &options, &Work::serial());
        assert_eq!(resolution(&scene.unwrap()), [1280, 720]);
    }
}

#[test]
fn colors_of_other_spaces_become_those_of_srgb() {
    let world = "Attribute \"material\" \"rgb reflectance\" [0.25 0.5 0.25]\n\
        ColorSpace \"dci-p3\"\nMaterial \"diffuse\"\n\
        Material \"diffuse\" \"rgb reflectance\" [0.25 0.5 0.25]\n\
        ColorSpace \"rec2020\"\nMaterial \"diffuse\" \"rgb reflectance\" [0.1 0.5 0.1]\n\
        Texture \"c\" \"spectrum\" \"constant\" \"rgb value\" [0.25 0.5 0.25]\n\
        ColorSpace \"aces2065-1\"\nMaterial \"diffuse\" \"rgb reflectance\" [0.5 0.5 0.5]\n\
        Material \"diffuse\" \"texture reflectance\" \"c\"\n";
    let expected = [
        // Given to all before the space changed, and taken in that of the material.
        [0.193765, 0.510514, 0.230341],
        [0.193765, 0.510514, 0.230341],
        // More saturated than sRGB can be.
        [0.0, 0.55316, 0.059768],
        [0.5; 3],
        [0.10309, 0.533225, 0.224855],
    ];
    let found = material_colors(&scene("", world));
    assert_eq!(found.len(), 5);
    for (a, b) in found.iter().flatten().zip(expected.iter().flatten()) {
        assert!((a - b).abs() < 1e-5, "{found:?}, not {expected:?}");
    }
}

#[test]
fn lights_of_other_spaces_shine_in_srgb() {
    let own = "ColorSpace \"rec2020\"\nAreaLightSource \"diffuse\" \"rgb L\" [1 2 4]\n";
    // Lights take a color in the space in which it was given.
    let given = "ColorSpace \"rec2020\"\nAttribute \"light\" \"rgb L\" [1 2 4]\n\
        ColorSpace \"srgb\"\nAreaLightSource \"diffuse\"\n";
    for world in [own, given] {
        let picture = drawn(&scene(PERSPECTIVE, &format!("{world}Shape \"sphere\"")), &ONE, 1);
        let middle = picture.color.each_ref().map(|plane| plane[at(&picture, 30, 20)]);
        let expected = [0.193809 / 4.255611, 2.10785 / 4.255611, 1.0];
        assert!(middle.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-5), "{middle:?}");
    }
}

#[test]
fn pictures_that_cannot_be_read_are_told_and_grey() {
    let world = format!("{}Shape \"sphere\"", image("").replace("four", "five"));
    let scene = scene(FRONT, &world);
    let world = World::new(&scene, &TestMeshes, &Work::serial()).unwrap();
    assert_eq!(world.problems.len(), 1);
    assert_eq!(world.problems[0].line(), Some(5));
    let grey = render(&world, &ONE, &Work::serial(), |_, _| Ok(true)).unwrap();
    let plain = "Material \"diffuse\" \"rgb reflectance\" [0.5 0.5 0.5]\nShape \"sphere\"";
    assert_eq!(grey, drawn(&self::scene(FRONT, plain), &ONE, 2));
    // One that there is no memory for has its mean.
    let scene = self::scene(FRONT, &format!("{}Shape \"sphere\"", image("")));
    let little = Work { memory_bytes: 40, ..Work::serial() };
    let world = World::new(&scene, &TestMeshes, &little).unwrap();
    assert_eq!(world.problems[0].kind(), solio_base::ErrorKind::Limit);
    assert_eq!(grey, render(&world, &ONE, &little, |_, _| Ok(true)).unwrap());
    // Nobody asks for what no shape has.
    let unused = image("").replace("four", "five") + "Material \"diffuse\"\nShape \"sphere\"";
    drawn(&self::scene(FRONT, &unused), &ONE, 1);
}

/// Numbers from 0 to 1 that look random.
fn unit(state: &mut u32) -> f32 {
    *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    (*state >> 8) as f32 / (1 << 24) as f32
}

#[test]
fn few_triangles_are_drawn_as_rays_see_them() {
    let mut state = 7;
    for count in [1, 4, 30, 300] {
        let mut number = |from: f32, to: f32| from + unit(&mut state) * (to - from);
        let mut corners = String::new();
        for i in 0..count {
            // Large ones that cross each other, small ones, some behind the camera, some seen along their
            // plane.
            let (reach, middle) =
                (if i % 3 == 0 { 3.0 } else { 0.2 }, [0; 3].map(|_| number(-2.0, 2.0)));
            for _ in 0..3 {
                let behind = if i % 7 == 6 { 8.0 } else { 0.0 };
                let x = if i % 11 == 10 { 0.0 } else { middle[0] + number(-reach, reach) };
                let y = middle[1] + number(-reach, reach);
                let z = middle[2] + behind + number(-reach, reach) * 0.5;
                corners += &format!("{x} {y} {z} ");
            }
        }
        // The same twice, so that each hides the other.
        let shape = format!("Shape \"trianglemesh\" \"point3 P\" [ {corners} ]\n");
        let object = format!("ObjectBegin \"a\"\n{shape}ObjectEnd\nObjectInstance \"a\"\n");
        // A second mesh, far behind: then rays alone know.
        let other = "AttributeBegin\nTranslate 0 0 900\nObjectInstance \"a\"\nAttributeEnd\n";
        for samples in [1, 2, 3] {
            let options = RenderOptions { samples, ..ONE };
            let picture = |world: &str, threads| {
                drawn(&sized_scene([150, 90], PERSPECTIVE, world), &options, threads)
            };
            let (few, rays) = (picture(&object, 2), picture(&format!("{object}{other}"), 1));
            assert!(few.alpha.contains(&1.0) && few.alpha.contains(&0.0), "{count}");
            assert_eq!(few.alpha, rays.alpha, "{count}");
            assert_eq!(few.instance, rays.instance, "{count}");
            for axis in 0..3 {
                assert_eq!(few.normal[axis], rays.normal[axis], "{count}");
                let off = std::iter::zip(&few.color[axis], &rays.color[axis]);
                let off = off.map(|(a, b)| (a - b).abs()).fold(0f32, f32::max);
                assert!(off < 2e-3, "{count}: {off}");
            }
        }
    }
}

#[test]
fn few_triangles_need_rays_at_their_edges_alone() {
    let faces = "Shape \"trianglemesh\" \"integer indices\" [0 2 1 0 1 3 1 2 3 0 3 2] \
        \"point3 P\" [0 0 0 1 0 0 0 1 0 0 0 1]";
    let scene = sized_scene([512, 512], PERSPECTIVE, faces);
    let before = RAYS.get();
    let picture = drawn(&scene, &RenderOptions { samples: 2, ..ONE }, 1);
    let rays = RAYS.get() - before;
    let pixels = picture.alpha.len() as u64;
    // Two of the faces are seen along their planes. Four rays a pixel would be 4 times the pixels.
    assert!(rays > 0 && rays < pixels / 8, "{rays} rays for {pixels} pixels");
}
