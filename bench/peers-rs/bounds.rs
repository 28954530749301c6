//! Boxes of instances: by centre and extent, as Solio does, beside the other ways: eight corners
//! one by one, eight corners in a register, and by quaternion, where instances hold rotation,
//! scale and place. None of these is conservative; ours is.

use crate::compared::{Case, compare};
use glam::{Mat3A, Quat, Vec3A};
use solio_codec::lanes::{self, Eight, LaneJob, Lanes};
use solio_scene::bounds::{Box3, CentredBox, Transform, boxes_of_instances};
use std::hint::black_box;

/// Prints a row for each way: in the caches, and from memory.
pub fn print(quick: bool) {
    let rounds = if quick { 11 } else { 101 };
    for (place, count, repeat) in [("in cache", 2048, 64), ("from memory", 1_500_000, 1)] {
        let rounds = if repeat == 1 { rounds.min(21) } else { rounds };
        let instances = instances(count);
        let object = Box3 { min: [-1.0, -0.5, 0.0], max: [2.0, 1.5, 3.0] };
        let centred = CentredBox::of(&object);
        let transforms: Vec<Transform> = instances.iter().map(Instance::transform).collect();
        let mut boxes = vec![Box3::EMPTY; count];
        let mut others = vec![Box3::EMPTY; count];
        let mut peers: [(&str, &mut dyn FnMut(&mut [Box3])); 3] = [
            ("eight corners, scalar", &mut |to| scalar(&object, black_box(&transforms), to)),
            ("eight corners, SIMD", &mut |to| {
                lanes::run(Corners { object: &object, transforms: black_box(&transforms), to })
            }),
            ("quaternion", &mut |to| quaternion(&object, black_box(&instances), to)),
        ];
        for (peer, fill) in &mut peers {
            let case = Case {
                work: format!("boxes of {count} instances, {place}"),
                peer,
                version: "",
                rounds,
                repeat,
            };
            compare(
                &case,
                &mut || {
                    boxes_of_instances(&centred, black_box(&transforms), &mut boxes);
                    sum(&boxes)
                },
                &mut || {
                    fill(&mut others);
                    sum(&others)
                },
            );
            let near = |a: &Box3, b: &Box3| {
                (0..3).all(|i| {
                    (a.min[i] - b.min[i]).abs() < 1e-2 && (a.max[i] - b.max[i]).abs() < 1e-2
                })
            };
            assert!(boxes.iter().zip(&others).all(|(a, b)| near(a, b)), "{peer}: other boxes");
        }
    }
}

/// A few of the boxes, added up: the answer is looked at whole after the last turn.
fn sum(boxes: &[Box3]) -> String {
    let some = boxes.iter().step_by(boxes.len() / 64);
    format!("{:.3}", some.map(|b| f64::from(b.min[0]) + f64::from(b.max[2])).sum::<f64>())
}

struct Instance {
    rotation: [f32; 4],
    scale: [f32; 3],
    place: [f32; 3],
}

impl Instance {
    fn transform(&self) -> Transform {
        let turn = Mat3A::from_quat(Quat::from_array(self.rotation));
        let [x, y, z] = [0, 1, 2].map(|i| turn.col(i) * self.scale[i]);
        let [p, q, r] = self.place;
        [x.x, y.x, z.x, p, x.y, y.y, z.y, q, x.z, y.z, z.z, r]
    }
}

fn instances(count: usize) -> Vec<Instance> {
    let mut noise = crate::trees::noise(11);
    let mut one = || {
        let axis = Vec3A::from_array([0; 3].map(|_| noise() - 0.5)).normalize_or(Vec3A::X);
        Instance {
            rotation: Quat::from_axis_angle(axis.into(), noise() * 6.0).to_array(),
            scale: [0; 3].map(|_| 0.5 + noise()),
            place: [0; 3].map(|_| noise() * 1000.0),
        }
    };
    (0..count).map(|_| one()).collect()
}

/// As renderers write it: each corner is transformed and taken in.
fn scalar(object: &Box3, transforms: &[Transform], to: &mut [Box3]) {
    for (m, to) in transforms.iter().zip(to) {
        let mut all = Box3::EMPTY;
        for corner in 0..8 {
            let bound = |i: usize| {
                if corner >> i & 1 == 0 { object.min[i] } else { object.max[i] }
            };
            let (x, y, z) = (bound(0), bound(1), bound(2));
            for i in 0..3 {
                let at = m[4 * i] * x + m[4 * i + 1] * y + m[4 * i + 2] * z + m[4 * i + 3];
                all.min[i] = all.min[i].min(at);
                all.max[i] = all.max[i].max(at);
            }
        }
        *to = all;
    }
}

/// The eight corners of an instance in one register.
struct Corners<'a> {
    object: &'a Box3,
    transforms: &'a [Transform],
    to: &'a mut [Box3],
}

impl LaneJob for Corners<'_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let mut corners = [Eight([0.0; 8]); 3];
        for (axis, all) in corners.iter_mut().enumerate() {
            for (i, x) in all.0.iter_mut().enumerate() {
                *x = if i >> axis & 1 == 0 { self.object.min[axis] } else { self.object.max[axis] };
            }
        }
        let [x, y, z] = &corners;
        let (x, y, z) = (lanes.load(x), lanes.load(y), lanes.load(z));
        for (m, to) in self.transforms.iter().zip(self.to) {
            for i in 0..3 {
                let (a, b) = (lanes.splat(m[4 * i]), lanes.splat(m[4 * i + 1]));
                let (c, d) = (lanes.splat(m[4 * i + 2]), lanes.splat(m[4 * i + 3]));
                let at = lanes.add(lanes.mul(a, x), lanes.mul(b, y));
                let at = lanes.add(lanes.add(at, lanes.mul(c, z)), d);
                let halves = lanes.swap_halves(at);
                let min = lanes.store(lanes.min(at, halves)).0;
                let max = lanes.store(lanes.max(at, halves)).0;
                to.min[i] = min[0].min(min[1]).min(min[2].min(min[3]));
                to.max[i] = max[0].max(max[1]).max(max[2].max(max[3]));
            }
        }
    }
}

/// Centre and extent, the matrix made from the quaternion on the way: less is read.
fn quaternion(object: &Box3, instances: &[Instance], to: &mut [Box3]) {
    let (min, max) = (Vec3A::from_array(object.min), Vec3A::from_array(object.max));
    let (centre, extent) = ((min + max) * 0.5, (max - min) * 0.5);
    for (instance, to) in instances.iter().zip(to) {
        let turn = Mat3A::from_quat(Quat::from_array(instance.rotation));
        let scale = Vec3A::from_array(instance.scale);
        let (c, e) = (centre * scale, extent * scale);
        let at = turn.mul_vec3a(c) + Vec3A::from_array(instance.place);
        let reach = turn.x_axis.abs() * e.x + turn.y_axis.abs() * e.y + turn.z_axis.abs() * e.z;
        *to = Box3 { min: (at - reach).to_array(), max: (at + reach).to_array() };
    }
}
