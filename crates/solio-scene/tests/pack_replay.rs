//! Replays the body of the fuzz target of packed scenes over changed files and over what fuzzing
//! has found.
#![allow(clippy::disallowed_methods)] // a test reads its own files

#[path = "../../../fuzz/bodies/pack.rs"]
mod bodies;
#[path = "../../../fuzz/bodies/kept.rs"]
mod kept;

use solio_base::Work;
use solio_codec::array::Effort;
use solio_scene::pack::{PackOptions, PackedMesh, encode_pack};
use solio_scene::scene::{NoFiles, SceneOptions, read_scene};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

const SCENE: &str = "LookAt 0 0 5  0 0 0  0 1 0\nCamera \"perspective\" \"float fov\" 40\n\
    Film \"rgb\" \"string filename\" \"a.exr\"\nOption \"bool forcediffuse\" true\nWorldBegin\n\
    MakeNamedMedium \"fog\" \"string type\" \"homogeneous\"\nMediumInterface \"fog\" \"\"\n\
    Attribute \"shape\" \"float radius\" 2\nAttribute \"shape\" \"float zmax\" 1\n\
    Texture \"checks\" \"spectrum\" \"checkerboard\" \"float uscale\" [ 8 ]\n\
    Material \"diffuse\" \"texture reflectance\" \"checks\"\nColorSpace \"rec2020\"\n\
    AreaLightSource \"diffuse\" \"rgb L\" [ 1 2 3 ]\nShape \"sphere\"\nLightSource \"infinite\"\n\
    Include \"missing\"\nObjectBegin \"tree\"\nTranslate 0 1 0\n\
    Shape \"plymesh\" \"string filename\" \"a.ply\"\nObjectEnd\nObjectInstance \"tree\"\n\
    ActiveTransform EndTime\nScale 2 2 2\nObjectInstance \"tree\"\nObjectInstance \"bush\"\n";

/// Packed in four ways: as it is, packed, with so many instances that they are taken apart, and with
/// curves, whose numbers are decimals but for a few.
fn seeds() -> Vec<Vec<u8>> {
    let many = format!("{SCENE}Rotate 20 1 2 3\n{}", "ObjectInstance \"tree\"\n".repeat(20));
    let packed = |text: &str, effort: Option<Effort>| {
        let (bytes, options) = (text.as_bytes().to_vec(), SceneOptions::default());
        let path = Path::new("scene.pbrt");
        let scene = read_scene(&bytes, path, &NoFiles, &options, &Work::serial()).expect("text");
        let mesh = |_: &[u8]| {
            Ok(Some(PackedMesh {
                positions: Cow::Owned(vec![[0., 0., 0.], [1., 0., 0.], [0., 1., 0.]]),
                uvs: Cow::Owned(vec![[0.; 2]; 3]),
                corners: Cow::Owned(vec![0, 1, 2]),
                face_offsets: Cow::Owned(vec![0, 3]),
                ..PackedMesh::default()
            }))
        };
        let options = PackOptions { effort, places: true };
        let mut packed = Vec::new();
        encode_pack(&scene, &mesh, &options, &mut packed, &Work::serial()).expect("memory");
        packed
    };
    let curve = |i: u32| {
        let (x, y) = (f64::from(i * 37 % 101) / 100.0, f64::from(i) / 4.0);
        let z = if i == 40 { "-0" } else { "0.3" };
        format!("Shape \"curve\" \"point3 P\" [ {x} {y} {z} {x} 1 2.25 {x} 1.5 2 {x} {y} 3 ]\n")
    };
    let curves: String = (0..80).map(curve).collect();
    let curves = format!("WorldBegin\n{curves}");
    vec![
        packed(SCENE, None),
        packed(SCENE, Some(Effort::Fast)),
        packed(&many, Some(Effort::Fast)),
        packed(&curves, Some(Effort::Max)),
    ]
}

/// With `SOLIO_SEEDS=FOLDER` the seeds of the fuzz target are written there.
#[test]
fn seeds_are_written() {
    let Some(folder) = std::env::var_os("SOLIO_SEEDS").map(PathBuf::from) else { return };
    std::fs::create_dir_all(&folder).unwrap();
    for (n, bytes) in seeds().iter().enumerate() {
        std::fs::write(folder.join(n.to_string()), bytes).unwrap();
    }
}

#[test]
fn the_body_holds() {
    bodies::init();
    for seed in seeds() {
        bodies::pack(&seed);
        for end in (0..seed.len()).step_by(48) {
            bodies::pack(&seed[..end]);
            bodies::pack(&seed[end..]);
        }
        for bit in (0..8 * seed.len()).step_by(11) {
            let mut bytes = seed.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            bodies::pack(&bytes);
        }
        let mut state = 7u64;
        for _ in 0..1000 {
            let mut bytes = seed.clone();
            for _ in 0..4 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let at = (state >> 33) as usize % bytes.len();
                bytes[at] = (state >> 54) as u8 >> (state >> 20 & 7);
            }
            bodies::pack(&bytes);
        }
    }
    kept::kept("pack").iter().for_each(|(_, bytes)| bodies::pack(bytes));
}
