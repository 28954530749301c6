//! Corners that become vertices, against one map filled from front to back.

use super::options::{PlyFormat, PlyWriteOptions};
use super::split::{CornerKeys, VertexSplit};
use super::write::encode_ply;
use crate::bits::BLOCK;
use crate::merge::MergeValues;
use crate::model::{Domain, Mesh, Normals, Positions, Scene, Uvs};
use solio_base::{ErrorKind, Result, Work};
use std::borrow::Cow;
use std::collections::HashMap;

/// Corners at random vertices with UVs and normals from few values, NaN and both zeros among them.
fn mesh(corners: usize, vertices: u32, kinds: u32) -> Mesh<'static> {
    let noise = |i: usize| (i as u64).wrapping_mul(0x2545_f491_4f6c_dd1d).rotate_left(23) as u32;
    let odd = [0.0, -0.0, f32::NAN, 1.0];
    let number = |i: usize| match noise(i) % 40 {
        0 => odd[(noise(i + 1) % 4) as usize],
        _ => (noise(i + 2) % kinds) as f32,
    };
    Mesh {
        positions: Positions::F32((0..vertices).map(|v| [v as f32, 0.0, 1.0]).collect()),
        face_offsets: (0..=corners as u32 / 4).map(|face| 4 * face).collect(),
        // The last vertices have no corner.
        corner_vertices: (0..corners).map(|c| noise(c + 77) % (vertices - 9)).collect(),
        uvs: Some(Uvs {
            values: (0..corners).map(|c| [number(c), 0.0]).collect(),
            domain: Domain::Corner,
        }),
        normals: Some(Normals {
            values: (0..corners).map(|c| [number(c + 5), 0.0, 1.0]).collect(),
            domain: Domain::Corner,
        }),
        line_offsets: vec![0, 2, 5].into(),
        line_vertices: vec![0, 1, vertices - 1, 2, 3].into(),
        ..Mesh::default()
    }
}

/// The first corner of each vertex, and the vertex of each corner.
fn plain(keys: &CornerKeys<'_>) -> (Vec<u32>, Vec<u32>) {
    let mut map = HashMap::new();
    let (mut firsts, mut numbers) = (Vec::new(), Vec::new());
    for corner in 0..keys.mesh.corner_vertices.len() {
        let next = firsts.len() as u32;
        let key: [f32; 6] = keys.value(corner);
        let number = if key.iter().any(|k| k.is_nan()) {
            next
        } else {
            *map.entry(key.map(|k| (k + 0.0).to_bits())).or_insert(next)
        };
        if number == next {
            firsts.push(corner as u32);
        }
        numbers.push(number);
    }
    (firsts, numbers)
}

#[test]
fn lists_and_rounds_find_what_one_map_finds() {
    for (corners, vertices, kinds) in [(4, 10, 1), (400, 40, 3), (9 * BLOCK, 60_000, 4)] {
        let mesh = mesh(corners, vertices, kinds);
        let keys =
            CornerKeys { mesh: &mesh, uvs: mesh.uvs.as_ref(), normals: mesh.normals.as_ref() };
        let (firsts, numbers) = plain(&keys);
        for threads in [1, 2, 5] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let (linked, of_all) = VertexSplit::linked(keys).unwrap();
                let in_rounds = VertexSplit::in_rounds(keys, 6 << 20, 0).unwrap();
                assert!(
                    linked
                        .firsts
                        .members(0)
                        .eq(firsts.iter().copied().filter(|&c| c < BLOCK as u32))
                );
                assert_eq!(linked.firsts.count() as usize, firsts.len());
                assert!(linked.firsts == in_rounds.firsts && linked.loose == in_rounds.loose);
                assert!((0..corners).all(|c| of_all.of(c) == numbers[c]));
                let all: Vec<u32> = (0..corners as u32).collect();
                assert!(in_rounds.numbers(&all) == numbers);
                let last = linked.last(u64::MAX).unwrap();
                assert_eq!(last, in_rounds.last(8 << 20).unwrap());
                let loose = firsts.len() as u32 + linked.loose.count() - 1;
                assert_eq!(last[vertices as usize - 1], loose);
            });
        }
    }
}

fn written(scene: &Scene<'_>, memory_bytes: u64, threads: usize) -> Result<Vec<u8>> {
    let options = PlyWriteOptions {
        export_normals: true,
        format: PlyFormat::BinaryLittleEndian,
        ..PlyWriteOptions::default()
    };
    let mut out = Vec::new();
    encode_ply(scene, &options, &Work { threads, memory_bytes, ..Work::default() }, &mut out)?;
    Ok(out)
}

#[test]
fn the_memory_does_not_show_in_the_file() {
    let meshes = vec![mesh(48 * BLOCK, 100_000, 2), mesh(40, 20, 2), mesh(4 * BLOCK, 30_000, 3)];
    let scene = Scene { meshes, ..Scene::default() };
    let wanted = written(&scene, 512 << 20, 1).unwrap();
    // All numbers kept; made again for some of the meshes; in rounds.
    for memory_kib in [512 << 10, 9 << 10, 7680] {
        for threads in [1, 3] {
            let got = written(&scene, memory_kib << 10, threads).unwrap();
            assert!(got == wanted, "{memory_kib} KiB");
        }
    }
}

#[test]
fn a_crowded_vertex_does_not_take_for_ever() {
    let corners = 400_000;
    let fan = Mesh {
        positions: Positions::F32(Cow::Owned(vec![[0.0; 3]; 2])),
        face_offsets: (0..=corners / 4).map(|face| 4 * face).collect(),
        corner_vertices: vec![0; corners as usize].into(),
        uvs: Some(Uvs {
            values: (0..corners).map(|c| [c as f32, 0.0]).collect(),
            domain: Domain::Corner,
        }),
        ..Mesh::default()
    };
    let keys = CornerKeys { mesh: &fan, uvs: fan.uvs.as_ref(), normals: None };
    assert!(VertexSplit::linked(keys).is_none());
    let scene = Scene { meshes: vec![fan], ..Scene::default() };
    let wanted = written(&scene, 512 << 20, 2).unwrap();
    assert!(wanted == written(&scene, 16 << 20, 1).unwrap());
    let error = written(&scene, 1 << 20, 1).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit);
    let hint = error.hint_text().unwrap();
    let mib: u64 = hint.split(' ').nth(2).unwrap().parse().unwrap();
    assert!(wanted == written(&scene, mib << 20, 1).unwrap(), "{hint}");
}
