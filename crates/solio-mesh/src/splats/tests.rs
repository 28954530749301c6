//! Splats through all formats and back.

use super::columns::{COEFFICIENTS, SplatColumns, alpha_of};
use super::*;
use crate::model::{Positions, Scene};
use crate::ply::{PlyReadOptions, PlyWriteOptions, decode_ply, encode_ply};
use solio_base::{ErrorKind, Limits, Losses, Result, Work};
use std::borrow::Cow;

/// Numbers that look drawn by lot.
struct Lots(u32);

impl Lots {
    /// From −1 to 1.
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(0x9e37_79b1).rotate_left(13) ^ 0x5bd1_e995;
        (self.0 >> 8) as f32 / (1 << 23) as f32 - 1.0
    }
}

/// A ball of splats of all sizes, with harmonics of a degree.
pub(crate) fn ball(count: usize, degree: usize) -> Scene<'static> {
    let mut lots = Lots(7);
    let mut columns = SplatColumns::of_degree(degree, count);
    for _ in 0..count {
        let position = [0; 3].map(|_| 5.0 * lots.next());
        let mut numbers = [0; 11].map(|_| lots.next());
        numbers[3] *= 6.0;
        numbers[4..7].iter_mut().for_each(|scale| *scale = *scale * 2.5 - 5.0);
        // A quaternion need not have a length of 1.
        numbers[7..].iter_mut().for_each(|part| *part *= 3.0);
        columns.push(position, numbers);
        columns.rest.iter_mut().for_each(|column| column.to_mut().push(0.8 * lots.next()));
    }
    columns.into_scene()
}

pub(crate) fn columns(scene: &Scene<'static>) -> SplatColumns<'static> {
    let columns = SplatColumns::of_scene(scene, "a test").unwrap();
    columns.in_order(&(0..columns.count() as u32).collect::<Vec<_>>())
}

/// The greatest difference of places, logarithms of sizes, quaternions' angles, alphas, constant parts and
/// view-dependent ones.
pub(crate) fn differences(a: &SplatColumns<'_>, b: &SplatColumns<'_>) -> [f32; 6] {
    assert_eq!(a.count(), b.count());
    let most =
        |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    let all = |a: &[Cow<'_, [f32]>], b: &[Cow<'_, [f32]>]| {
        a.iter().zip(b).map(|(a, b)| most(a, b)).fold(0.0, f32::max)
    };
    let angle = |i: usize| {
        let dot: f32 = a.turn(i).iter().zip(b.turn(i)).map(|(a, b)| a * b).sum();
        2.0 * dot.abs().min(1.0).acos()
    };
    let alphas = |c: &SplatColumns<'_>| c.opacity.iter().map(|o| alpha_of(*o)).collect::<Vec<_>>();
    [
        most(a.positions.as_flattened(), b.positions.as_flattened()),
        all(&a.scales, &b.scales),
        (0..a.count()).map(angle).fold(0.0, f32::max),
        most(&alphas(a), &alphas(b)),
        all(&a.colors, &b.colors),
        all(&a.rest, &b.rest),
    ]
}

#[track_caller]
fn within(found: [f32; 6], bounds: [f32; 6]) {
    let is_within = found.iter().zip(bounds).all(|(found, bound)| *found <= bound);
    assert!(is_within, "{found:?} is not within {bounds:?}");
}

fn read_ply(bytes: &[u8]) -> Result<Scene<'static>> {
    decode_ply(&bytes, &PlyReadOptions::default(), &Work::serial())
}

fn packed(scene: &Scene<'_>) -> Vec<u8> {
    let options = PlyWriteOptions { pack_splats: true, ..PlyWriteOptions::default() };
    let mut bytes = Vec::new();
    encode_ply(scene, &options, &Work::serial(), &mut bytes).unwrap();
    bytes
}

fn records(scene: &Scene<'_>) -> Vec<u8> {
    let mut bytes = Vec::new();
    encode_splat(scene, &Work::serial(), &mut bytes).unwrap();
    bytes
}

fn read_records(bytes: &[u8]) -> Result<Scene<'static>> {
    decode_splat(&bytes, &SplatReadOptions::default(), &Work::serial())
}

fn what(losses: &Losses) -> Vec<&'static str> {
    losses.iter().map(|loss| loss.what).collect()
}

#[test]
fn splats_of_a_ply_come_in_the_order_that_viewers_expect() {
    let scene = read_records(&records(&ball(5, 0))).unwrap();
    let mut bytes = Vec::new();
    encode_ply(&scene, &PlyWriteOptions::default(), &Work::serial(), &mut bytes).unwrap();
    let text = String::from_utf8_lossy(&bytes);
    let names: Vec<&str> = text.lines().filter_map(|l| l.strip_prefix("property float ")).collect();
    let wanted = "x y z nx ny nz f_dc_0 f_dc_1 f_dc_2 opacity scale_0 scale_1 scale_2 rot_0 rot_1 \
                  rot_2 rot_3";
    assert_eq!(names.join(" "), wanted);
    let mut bytes = Vec::new();
    encode_ply(&ball(2, 1), &PlyWriteOptions::default(), &Work::serial(), &mut bytes).unwrap();
    let text = String::from_utf8_lossy(&bytes);
    let at = |name: &str| text.find(&format!(" {name}\n")).unwrap();
    assert!(at("f_dc_2") < at("f_rest_0") && at("f_rest_8") < at("opacity"), "{text}");
    assert_eq!(columns(&read_ply(&bytes).unwrap()), columns(&ball(2, 1)));
}

#[test]
fn records_keep_what_32_bytes_hold() {
    let scene = ball(3000, 2);
    let back = read_records(&records(&scene)).unwrap();
    let (before, after) = (columns(&scene), columns(&back));
    assert_eq!(before.positions, after.positions);
    // Half a step of each: 1/255 of alpha and colour, 1/128 of a quaternion's part.
    let color = 0.5 / 255.0 / HARMONIC_0 + 1e-5;
    let found = differences(&before, &after);
    // What is brighter than white or darker than black is cut: by the ball's colours, of −1 to 1, none.
    within(found, [0.0, 1e-5, 0.017, 0.5 / 255.0 + 1e-6, color, 0.0]);
    let losses = splat_losses(&scene).unwrap();
    assert_eq!(what(&losses), ["rotations", "opacity", "colors", "harmonics"]);
    assert!(losses.to_string().contains("no colours that change with the view (3000 splats)"));
    // What was written once is kept; a quaternion of bytes has no length of 1, and moves a step.
    let again = columns(&read_records(&records(&back)).unwrap());
    let found = differences(&after, &again);
    within(found, [0.0, 1e-5, 0.017, 1e-6, 1e-5, 0.0]);
    let told = what(&splat_losses(&back).unwrap());
    assert!(told.iter().all(|what| *what == "rotations"), "{told:?}");
}

#[test]
fn packed_files_keep_what_bounds_tell() {
    for degree in 0..4 {
        let scene = ball(700, degree);
        let bytes = packed(&scene);
        let back = read_ply(&bytes).unwrap();
        let own = columns(&scene);
        let order = pack::order_of(&own.positions);
        let (before, after) = (own.in_order(&order), columns(&back));
        assert_eq!(after.degree(), degree);
        // Steps of 1/1023 of a chunk's size, at worst that of the ball.
        let found = differences(&before, &after);
        let color = 0.5 * 2.0 / 255.0 + 1e-5;
        within(found, [0.5 * 10.0 / 1023.0, 2.5 / 1023.0, 0.005, 0.002, color, 0.5 / 32.0]);
        let losses = packed_splat_losses(&scene).unwrap();
        let some = ["positions", "scales", "rotations", "opacity", "colors", "harmonics"];
        assert_eq!(what(&losses), some[..if degree > 0 { 6 } else { 5 }]);
    }
    let text = packed(&ball(257, 1));
    let head = String::from_utf8_lossy(&text[..900]).into_owned();
    let elements: Vec<&str> = head.lines().filter(|line| line.starts_with("element")).collect();
    assert_eq!(elements, ["element chunk 2", "element vertex 257", "element sh 257"]);
    assert_eq!(what(&packed_splat_losses(&ball(9, 4)).unwrap()).last(), Some(&"harmonics"));
}

#[test]
fn losses_tell_how_much() {
    let scene = ball(500, 1);
    let after = columns(&read_records(&records(&scene)).unwrap());
    let off = differences(&columns(&scene), &after)[4] * HARMONIC_0;
    let losses = splat_losses(&scene).unwrap();
    let told = losses.iter().find(|loss| loss.what == "colors").unwrap();
    assert_eq!(told.reason, format!("SPLAT rounds colours of 0 to 1, by {off:.4} at most"));
}

#[test]
fn what_is_no_splat_is_told_or_refused() {
    let mut scene = ball(10, 0);
    let points = Mesh { positions: Positions::F32(vec![[0.0; 3]; 4].into()), ..Mesh::default() };
    let alone = Scene { meshes: vec![points.clone()], ..Scene::default() };
    let mut bytes = Vec::new();
    let error = encode_splat(&alone, &Work::serial(), &mut bytes).unwrap_err();
    assert_eq!((error.kind(), bytes.len()), (ErrorKind::Unsupported, 0));
    scene.meshes.push(points);
    scene.comments.push("by hand".into());
    let told = what(&splat_losses(&scene).unwrap());
    assert!(told.contains(&"points") && told.contains(&"comments"), "{told:?}");
    assert_eq!(records(&scene).len(), 10 * 32);
}

#[test]
fn a_ply_tells_that_rotations_do_not_turn_with_its_axes() {
    let scene = ball(3, 0);
    let losses = |options: &PlyWriteOptions| {
        what(&crate::ply::ply_losses(&scene, options, &Work::serial()).unwrap())
    };
    assert_eq!(losses(&PlyWriteOptions::default()), Vec::<&str>::new());
    let scaled = PlyWriteOptions { global_scale: 2.0, ..PlyWriteOptions::default() };
    assert_eq!(losses(&scaled), ["splats"]);
    let packed = PlyWriteOptions { pack_splats: true, ..scaled };
    assert!(encode_ply(&scene, &packed, &Work::serial(), &mut Vec::new()).is_err());
}

#[test]
fn splats_of_several_meshes_join_with_the_higher_degree() {
    let mut scene = ball(3, 1);
    scene.meshes.extend(ball(2, 2).meshes);
    let all = columns(&scene);
    assert_eq!((all.count(), all.degree()), (5, 2));
    let (first, second) = (columns(&ball(3, 1)), columns(&ball(2, 2)));
    for c in 0..3 {
        assert_eq!(all.rest[c * 8 + 2][..3], first.rest[c * 3 + 2][..]);
        assert_eq!(all.rest[c * 8 + 3][..3], [0.0; 3]);
        assert_eq!(all.rest[c * 8 + 7][3..], second.rest[c * 8 + 7][..]);
    }
    assert_eq!(COEFFICIENTS.map(|count| (count as f64 + 1.0).sqrt()), [1.0, 2.0, 3.0, 4.0, 5.0]);
}

#[test]
fn numbers_that_are_none_become_some_and_are_counted() {
    let mut all = columns(&ball(4, 1));
    all.positions.to_mut()[0][1] = f32::NAN;
    all.scales[2].to_mut()[1] = f32::INFINITY;
    all.rest[0].to_mut()[2] = f32::NAN;
    all.turns.iter_mut().for_each(|column| column.to_mut()[3] = 0.0);
    let scene = all.into_scene();
    let finite = |scene: &Scene<'static>| {
        let columns = columns(scene);
        assert_eq!(measure::not_finite(&columns), 0);
    };
    finite(&read_records(&records(&scene)).unwrap());
    finite(&read_ply(&packed(&scene)).unwrap());
    for losses in [splat_losses(&scene).unwrap(), packed_splat_losses(&scene).unwrap()] {
        let told = losses.iter().find(|loss| loss.what == "non_finite").unwrap();
        assert_eq!(told.amount, Some((3, "splat")));
    }
}

#[test]
fn records_end_at_whole_splats_and_keep_limits() {
    let bytes = records(&ball(3, 0));
    for end in 0..bytes.len() {
        let read = read_records(&bytes[..end]);
        match end % 32 {
            0 => assert_eq!(read.unwrap().meshes[0].positions.len(), end / 32),
            _ => assert_eq!(read.unwrap_err().offset(), Some((end / 32 * 32) as u64)),
        }
    }
    let limits = Limits { elements: 2, ..Limits::default() };
    let options = SplatReadOptions { limits, ..SplatReadOptions::default() };
    let error = decode_splat(&bytes, &options, &Work::serial()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit);
}

#[test]
fn threads_write_the_same() {
    let scene = ball(70_000, 1);
    let two = Work { threads: 2, ..Work::default() };
    let mut bytes = Vec::new();
    encode_splat(&scene, &two, &mut bytes).unwrap();
    assert!(bytes == records(&scene));
}
