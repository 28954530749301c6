//! Pictures that a mesh file brings along go through the C interface.
#![allow(clippy::disallowed_methods)]

use solio::mesh::material::{Material, TextureMap};
use solio::mesh::{Mesh, Picture, Positions, Scene};
use solio::{Format, Work};
use solio_c::*;
use std::ptr::{null, null_mut};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n of oak";

fn glb() -> Vec<u8> {
    let map = TextureMap { key: "map_Kd".into(), path: "oak.png".into(), ..TextureMap::default() };
    let material = Material { name: "oak".into(), maps: vec![map], ..Material::default() };
    let mesh = Mesh {
        positions: Positions::F32(vec![[0., 0., 0.], [1., 0., 0.], [0., 1., 0.]].into()),
        face_offsets: vec![0, 3].into(),
        corner_vertices: vec![0, 1, 2].into(),
        face_materials: vec![0].into(),
        ..Mesh::default()
    };
    let picture = Picture { path: "oak.png".into(), bytes: PNG.to_vec().into() };
    let scene = Scene {
        meshes: vec![mesh],
        materials: vec![material],
        pictures: vec![picture],
        ..Scene::default()
    };
    solio::encode_mesh(&scene, Format::Glb, &Default::default(), &Work::serial()).unwrap()
}

#[test]
fn pictures_are_counted_named_and_handed_out() {
    let file = glb();
    let mut mesh: *mut solio_mesh = null_mut();
    let error = null_mut();
    // SAFETY: pointers to our own, of the sizes that are said.
    unsafe {
        let length = file.len() as u64;
        assert_eq!(solio_mesh_read_bytes(file.as_ptr(), length, null(), &raw mut mesh, error), 0);
        let mut counts: solio_mesh_counts = std::mem::zeroed();
        counts.size = size_of::<solio_mesh_counts>() as u64;
        assert_eq!(solio_mesh_count(mesh, &raw mut counts, error), 0);
        assert_eq!((counts.pictures, counts.warnings), (1, 0));
        let (mut text, mut length) = (null(), 0);
        let kind = SOLIO_NAME_PICTURE;
        assert_eq!(solio_mesh_name(mesh, kind, 0, &raw mut text, &raw mut length, error), 0);
        let name = std::slice::from_raw_parts(text.cast::<u8>(), length as usize);
        assert!(name.ends_with(b".png"), "{name:?}");
        let mut bytes = null();
        assert_eq!(solio_mesh_picture(mesh, 0, &raw mut bytes, &raw mut length, error), 0);
        assert_eq!(std::slice::from_raw_parts(bytes, length as usize), PNG);
        assert_ne!(solio_mesh_picture(mesh, 1, &raw mut bytes, &raw mut length, error), 0);
        assert_eq!(solio_mesh_free(mesh), 0);
    }
}
