use super::*;
use crate::scene::{NoFiles, Scene, SceneOptions, read_scene};
use glam::{DMat3, DMat4, DQuat, DVec3};
use proptest::prelude::*;
use solio_base::Work;
use solio_mesh::decompose::{decompose, nested};
use std::path::Path;

/// A scene of one text, of what stands before its world and in it; nothing is wrong with it.
pub(crate) fn scene_of(head: &str, world: &str, work: &Work) -> Scene {
    let text = format!("{head}\nWorldBegin\n{world}\n").into_bytes();
    let options = SceneOptions::default();
    let scene = read_scene(&text, Path::new("s.pbrt"), &NoFiles, &options, work).unwrap();
    assert!(scene.problems.is_empty(), "{:?}", scene.problems);
    scene
}

fn matrix_of(parts: &TransformParts) -> DMat4 {
    DMat4::from_scale_rotation_translation(
        DVec3::from_array(parts.scale.map(f64::from)),
        DQuat::from_array(parts.rotation.map(f64::from)),
        DVec3::from_array(parts.translation.map(f64::from)),
    )
}

fn rows(matrix: &DMat4) -> [f32; 12] {
    let m = matrix.to_cols_array();
    std::array::from_fn(|i| m[4 * (i % 4) + i / 4] as f32)
}

fn full(m: &[f32; 12]) -> DMat4 {
    let mut all = [0.0; 16];
    all[..12].copy_from_slice(&m.map(f64::from));
    all[15] = 1.0;
    DMat4::from_cols_array(&all).transpose()
}

fn far(a: &DMat4, b: &DMat4) -> f64 {
    let size = DMat3::from_mat4(*a).to_cols_array().iter().fold(1e-30, |m: f64, x| m.max(x.abs()));
    let both = a.to_cols_array().into_iter().zip(b.to_cols_array());
    both.take(12).fold(0.0, |far: f64, (a, b)| far.max((a - b).abs())) / size
}

proptest! {
    #[test]
    fn what_is_turned_and_scaled_has_parts(
        axis in prop::array::uniform3(-1f64..1.0),
        angle in -4f64..4.0,
        scale in prop::array::uniform3(-2f64..3.0),
        move_by in prop::array::uniform3(-1e4f32..1e4),
    ) {
        let axis = DVec3::from_array(axis).try_normalize().unwrap_or(DVec3::X);
        let scale = DVec3::from_array(scale.map(|x| if x.abs() < 1e-3 { 0.0 } else { x }));
        let translation = DVec3::from_array(move_by.map(f64::from));
        let turn = DQuat::from_axis_angle(axis, angle);
        let matrix = rows(&DMat4::from_scale_rotation_translation(scale, turn, translation));
        let parts = decompose(&matrix);
        prop_assert!(parts.is_some(), "{matrix:?}");
        prop_assert!(far(&full(&matrix), &matrix_of(&parts.unwrap())) < 1e-5);
    }

    #[test]
    fn any_matrix_is_two_after_each_other(numbers in prop::array::uniform12(-3f32..3.0), flat in 0..4) {
        let mut matrix = numbers;
        if flat == 1 {
            // Rank two, and one.
            for row in 0..3 { matrix[4 * row + 2] = matrix[4 * row] + matrix[4 * row + 1]; }
        } else if flat == 2 {
            for row in 0..3 { for i in 1..3 { matrix[4 * row + i] = i as f32 * matrix[4 * row]; } }
        }
        let [outer, inner] = nested(&matrix).unwrap();
        let both = matrix_of(&outer) * matrix_of(&inner);
        prop_assert!(far(&full(&matrix), &both) < 2e-6, "{matrix:?} {both:?}");
        let length: f32 = inner.rotation.iter().map(|x| x * x).sum();
        prop_assert!((length - 1.0).abs() < 1e-5);
    }
}

#[test]
fn what_shears_has_no_parts() {
    assert_eq!(decompose(&[1., 0.5, 0., 0., 0., 1., 0., 0., 0., 0., 1., 0.]), None);
    let nan = [f32::NAN, 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0.];
    assert_eq!((decompose(&nan), nested(&nan)), (None, None));
    let nothing = decompose(&[0.0; 12]).unwrap();
    assert_eq!((nothing.scale, nothing.rotation), ([0.0; 3], [0., 0., 0., 1.]));
    assert_eq!(decompose(&IDENTITY).unwrap().rotation, [0., 0., 0., 1.]);
}
