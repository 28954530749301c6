//! Axis-aligned boxes of points, triangles and instances.
//!
//! Boxes of instances are conservative: the exact one is inside, whatever is rounded
//! ([`solio_codec::boxes`] says why). A reader that has one transform at a time makes a
//! [`CentredBox`] per object and asks it; arrays go through [`boxes_of_instances`].

use solio_base::{Error, Result};
pub use solio_codec::boxes::{Box3, CentredBox, Transform, boxes_of_instances};
use solio_codec::wide::{Wide, wide};

/// The box of `points`; empty without any. A coordinate that is NaN is passed over.
///
/// ```
/// use solio_scene::bounds::box_of_points;
/// let found = box_of_points(&[[0.0, 2.0, 1.0], [3.0, f32::NAN, -1.0]]);
/// assert_eq!((found.min, found.max), ([0.0, 2.0, -1.0], [3.0, 2.0, 1.0]));
/// assert!(box_of_points(&[]).is_empty());
/// ```
pub fn box_of_points(points: &[[f32; 3]]) -> Box3 {
    wide(PointBounds(points))
}

struct PointBounds<'a>(&'a [[f32; 3]]);

impl Wide for PointBounds<'_> {
    type Output = Box3;
    #[inline(always)]
    fn run(self) -> Box3 {
        let (groups, rest) = self.0.as_chunks::<8>();
        let (mut low, mut high) = ([[f32::INFINITY; 3]; 8], [[f32::NEG_INFINITY; 3]; 8]);
        for group in groups {
            for (i, x) in group.as_flattened().iter().enumerate() {
                let (low, high) = (&mut low.as_flattened_mut()[i], &mut high.as_flattened_mut()[i]);
                *low = if x < low { *x } else { *low };
                *high = if x > high { *x } else { *high };
            }
        }
        let mut all = Box3::EMPTY;
        for axis in 0..3 {
            for point in low.iter().chain(rest) {
                all.min[axis] = all.min[axis].min(point[axis]);
            }
            for point in high.iter().chain(rest) {
                all.max[axis] = all.max[axis].max(point[axis]);
            }
        }
        if all.is_empty() { Box3::EMPTY } else { all }
    }
}

/// A triangle refers to a vertex beyond the last.
pub(crate) fn missing_vertex(triangle: usize, vertex: u32, vertices: usize) -> Error {
    Error::corrupt(format!(
        "triangle {triangle} refers to vertex {vertex}, but there are {vertices} vertices"
    ))
}

/// Fills `boxes` with the box of each instance: that of object `object[i]`, of which `objects`
/// holds the boxes, under transform i. Neighbours of the same object are done together.
///
/// # Errors
/// When an instance refers to an object that is not there.
///
/// # Panics
/// When the lengths differ.
///
/// ```
/// use solio_scene::bounds::{Box3, instance_boxes};
/// let objects = [Box3 { min: [0.0; 3], max: [1.0; 3] }, Box3 { min: [-2.0; 3], max: [2.0; 3] }];
/// let at = |x| [1.0, 0.0, 0.0, x, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0];
/// let mut boxes = [Box3::EMPTY; 3];
/// instance_boxes(&objects, &[0, 0, 1], &[at(0.0), at(10.0), at(100.0)], &mut boxes)?;
/// assert!(boxes[1].contains(&Box3 { min: [10.0, 0.0, 0.0], max: [11.0, 1.0, 1.0] }));
/// assert_eq!(boxes[2].max[0].round(), 102.0);
/// # Ok::<(), solio_base::Error>(())
/// ```
pub fn instance_boxes(
    objects: &[Box3],
    object: &[u32],
    transforms: &[Transform],
    boxes: &mut [Box3],
) -> Result<()> {
    assert_eq!((object.len(), object.len()), (transforms.len(), boxes.len()));
    let objects: Vec<CentredBox> = objects.iter().map(CentredBox::of).collect();
    let mut at = 0;
    for run in object.chunk_by(|a, b| a == b) {
        let centred = objects.get(run[0] as usize).ok_or_else(|| {
            let count = objects.len();
            Error::corrupt(format!(
                "instance {at} refers to object {}, but there are {count} objects",
                run[0]
            ))
        })?;
        let range = at..at + run.len();
        match run.len() {
            0..8 => {
                for i in range {
                    boxes[i] = centred.transformed(&transforms[i]);
                }
            }
            _ => boxes_of_instances(centred, &transforms[range.clone()], &mut boxes[range]),
        }
        at += run.len();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn points_are_inside_and_touch(
            points in prop::collection::vec(prop::array::uniform3(prop::num::f32::ANY), 0..60),
        ) {
            let got = box_of_points(&points);
            for axis in 0..3 {
                let numbers = || points.iter().map(|p| p[axis]).filter(|x| !x.is_nan());
                let min = numbers().fold(f32::INFINITY, f32::min);
                let max = numbers().fold(f32::NEG_INFINITY, f32::max);
                if got.is_empty() {
                    prop_assert_eq!(got, Box3::EMPTY);
                } else {
                    prop_assert_eq!((got.min[axis], got.max[axis]), (min, max));
                }
            }
            let any_empty = (0..3).any(|axis| points.iter().all(|p| p[axis].is_nan()));
            prop_assert_eq!(got.is_empty(), any_empty);
        }

        #[test]
        fn instances_have_the_box_of_their_object(
            object in prop::collection::vec(prop_oneof![3 => Just(0u32), 1 => 0u32..3], 0..80),
        ) {
            let unit = Box3 { min: [0.0; 3], max: [1.0; 3] };
            let objects = [unit, Box3 { min: [-1.0; 3], max: [2.0, 3.0, 4.0] }, Box3::EMPTY];
            let transforms: Vec<Transform> =
                (0..object.len()).map(|i| std::array::from_fn(|j| (i * 7 + j) as f32 * 0.1)).collect();
            let mut boxes = vec![Box3::ALL; object.len()];
            instance_boxes(&objects, &object, &transforms, &mut boxes).unwrap();
            for (i, got) in boxes.iter().enumerate() {
                let one = CentredBox::of(&objects[object[i] as usize]).transformed(&transforms[i]);
                prop_assert_eq!(*got, one);
            }
            let all = boxes.iter().fold(Box3::EMPTY, |all, one| all.union(one));
            prop_assert!(boxes.iter().all(|one| all.contains(one)));
        }
    }

    #[test]
    fn what_is_missing_is_named() {
        let error = instance_boxes(&[], &[4], &[[0.0; 12]], &mut [Box3::EMPTY]).unwrap_err();
        assert_eq!(error.message(), "instance 0 refers to object 4, but there are 0 objects");
    }
}
