//! Boxes under transforms, and names without case: the ways of textbooks beside ours, on one thread, with what is
//! worked on in the cache and in memory.

use crate::machine::ways::{Way, WayTime, in_turns};
use solio_base::{Cancel, Result};
use solio_codec::boxes::{Box3, CentredBox, Transform, boxes_of_instances};
use solio_codec::fold;
use solio_measure::Middle;
use std::hint::black_box;

/// Transforms that stay in the first-level cache, and those that do not fit into any: 12 numbers each.
const FEW: usize = 64;
const MANY: usize = 1 << 20;
/// Letters of a name.
const LETTERS: [usize; 5] = [8, 16, 64, 512, 4096];
/// Letters of all names of a run together.
const ALL_LETTERS: usize = 4096;

/// One piece of work and all ways to do it.
///
/// ```no_run
/// for group in solio::study_boxes(21, &Default::default(), |_| ())? {
///     println!("{}: {} ways", group.work, group.ways.len());
/// }
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct BoxGroup {
    /// What is done.
    pub work: String,
    /// What the times are of.
    pub unit: &'static str,
    /// All ways, ours last.
    pub ways: Vec<WayTime>,
    /// Ways whose answers differ from those of double precision, or of the rule.
    pub wrong: Vec<&'static str>,
    /// Ours over ours.
    pub same: Middle,
}

/// Measures all ways in so many turns; `each` hears of each piece of work before it begins.
///
/// ```no_run
/// let groups = solio::study_boxes(21, &Default::default(), |work| println!("{work}"))?;
/// assert!(groups.iter().all(|group| group.wrong.is_empty()));
/// # Ok::<(), solio::Error>(())
/// ```
///
/// # Errors
/// `Cancelled`.
pub fn study_boxes(
    rounds: usize,
    cancel: &Cancel,
    mut each: impl FnMut(&str),
) -> Result<Vec<BoxGroup>> {
    let mut groups = Vec::new();
    for (work, count) in
        [("one box again and again, in the cache", FEW), ("a million from memory", MANY)]
    {
        cancel.check()?;
        let work = format!("box under a transform, {work}");
        each(&work);
        groups.push(boxes(work, count, rounds));
    }
    for letters in LETTERS {
        cancel.check()?;
        let work = format!("name of {letters} letters without case, 16-bit codes by Unreal's rule");
        each(&work);
        groups.push(codes(work, letters, rounds));
        let work = format!("path of {letters} bytes without case, UTF-8");
        each(&work);
        groups.push(paths(work, letters, rounds));
    }
    Ok(groups)
}

/// A way to fill boxes, and one to fold a name.
type NamedBoxes<'b> = (&'static str, Box<dyn Fn(&mut [Box3]) + 'b>);
type NamedFold<T> = (&'static str, fn(&mut Vec<T>, &[T]));

/// A transform as a turn, a scale and a way: what game engines keep.
#[derive(Clone, Copy)]
struct Placed {
    quaternion: [f32; 4],
    scale: f32,
    to: [f32; 3],
}

impl Placed {
    fn numbered(i: usize) -> Placed {
        let angle = i as f32 * 0.37;
        let (sin, cos) = (0.5 * angle).sin_cos();
        let axis = [0.36, 0.48, 0.8].map(|x: f32| x * sin);
        let to = [i as f32 * 0.25, -3.0, (i % 1000) as f32];
        Placed {
            quaternion: [axis[0], axis[1], axis[2], cos],
            scale: 1.0 + (i % 7) as f32 * 0.1,
            to,
        }
    }

    fn matrix(&self) -> Transform {
        let [x, y, z, w] = self.quaternion;
        let s = self.scale;
        let [a, b, c] = self.to;
        [
            s * (1.0 - 2.0 * (y * y + z * z)),
            s * 2.0 * (x * y - w * z),
            s * 2.0 * (x * z + w * y),
            a,
            s * 2.0 * (x * y + w * z),
            s * (1.0 - 2.0 * (x * x + z * z)),
            s * 2.0 * (y * z - w * x),
            b,
            s * 2.0 * (x * z - w * y),
            s * 2.0 * (y * z + w * x),
            s * (1.0 - 2.0 * (x * x + y * y)),
            c,
        ]
    }

    /// v + 2 q × (q × v + w v), scaled and moved.
    fn point(&self, v: [f32; 3]) -> [f32; 3] {
        let [x, y, z, w] = self.quaternion;
        let cross = |[a, b, c]: [f32; 3]| [y * c - z * b, z * a - x * c, x * b - y * a];
        let t = cross(v);
        let t = cross([t[0] + w * v[0], t[1] + w * v[1], t[2] + w * v[2]]);
        std::array::from_fn(|i| self.scale * (v[i] + 2.0 * t[i]) + self.to[i])
    }
}

fn corner(object: &Box3, at: usize) -> [f32; 3] {
    std::array::from_fn(|i| if at >> i & 1 == 0 { object.min[i] } else { object.max[i] })
}

/// Every corner by itself.
fn eight_corners(object: &Box3, point: impl Fn([f32; 3]) -> [f32; 3]) -> Box3 {
    (0..8).fold(Box3::EMPTY, |all, at| {
        let p = point(corner(object, at));
        Box3 {
            min: std::array::from_fn(|i| all.min[i].min(p[i])),
            max: std::array::from_fn(|i| all.max[i].max(p[i])),
        }
    })
}

fn by_matrix(m: &Transform, p: [f32; 3]) -> [f32; 3] {
    std::array::from_fn(|i| {
        m[4 * i] * p[0] + m[4 * i + 1] * p[1] + m[4 * i + 2] * p[2] + m[4 * i + 3]
    })
}

/// All corners at once, a lane each.
fn eight_lanes(corners: &[[f32; 8]; 3], m: &Transform) -> Box3 {
    let [x, y, z] = corners;
    let mut to = Box3::EMPTY;
    for i in 0..3 {
        let row = &m[4 * i..4 * i + 4];
        let lanes: [f32; 8] =
            std::array::from_fn(|k| row[0] * x[k] + row[1] * y[k] + row[2] * z[k] + row[3]);
        let half: [[f32; 4]; 2] = [
            std::array::from_fn(|k| if lanes[k] < lanes[k + 4] { lanes[k] } else { lanes[k + 4] }),
            std::array::from_fn(|k| if lanes[k] > lanes[k + 4] { lanes[k] } else { lanes[k + 4] }),
        ];
        to.min[i] = half[0].into_iter().fold(f32::INFINITY, f32::min);
        to.max[i] = half[1].into_iter().fold(f32::NEG_INFINITY, f32::max);
    }
    to
}

/// The smaller and the larger of each product (Arvo, *Graphics Gems*, 1990).
fn products(object: &Box3, m: &Transform) -> Box3 {
    let mut to = Box3::EMPTY;
    for i in 0..3 {
        let (mut min, mut max) = (m[4 * i + 3], m[4 * i + 3]);
        for j in 0..3 {
            let (a, b) = (m[4 * i + j] * object.min[j], m[4 * i + j] * object.max[j]);
            min += a.min(b);
            max += a.max(b);
        }
        (to.min[i], to.max[i]) = (min, max);
    }
    to
}

/// Centre and extent, without room for rounding.
fn centre_and_extent(centre: [f32; 3], extent: [f32; 3], m: &Transform) -> Box3 {
    let mut to = Box3::EMPTY;
    for i in 0..3 {
        let row = &m[4 * i..4 * i + 4];
        let c = row[0] * centre[0] + row[1] * centre[1] + row[2] * centre[2] + row[3];
        let e = row[0].abs() * extent[0] + row[1].abs() * extent[1] + row[2].abs() * extent[2];
        (to.min[i], to.max[i]) = (c - e, c + e);
    }
    to
}

fn boxes(work: String, count: usize, rounds: usize) -> BoxGroup {
    let object = Box3 { min: [-1.0, 0.0, -2.0], max: [1.5, 5.0, 2.0] };
    let placed: Vec<Placed> = (0..count).map(Placed::numbered).collect();
    let matrices: Vec<Transform> = placed.iter().map(Placed::matrix).collect();
    let centred = CentredBox::of(&object);
    let lanes: [[f32; 8]; 3] =
        std::array::from_fn(|i| std::array::from_fn(|at| corner(&object, at)[i]));
    let centre: [f32; 3] = std::array::from_fn(|i| 0.5 * (object.min[i] + object.max[i]));
    let extent: [f32; 3] = std::array::from_fn(|i| 0.5 * (object.max[i] - object.min[i]));
    let (m, p) = (&matrices[..], &placed[..]);
    let each = |make: fn(&Box3, &Transform) -> Box3| {
        move |to: &mut [Box3]| {
            let object = black_box(&object);
            to.iter_mut().zip(m).for_each(|(to, m)| *to = make(object, m));
        }
    };
    let ways: Vec<NamedBoxes<'_>> = vec![
        ("eight corners, one by one", Box::new(each(|o, m| eight_corners(o, |v| by_matrix(m, v))))),
        (
            "eight corners, a quaternion",
            Box::new(move |to: &mut [Box3]| {
                let object = black_box(&object);
                to.iter_mut()
                    .zip(p)
                    .for_each(|(to, p)| *to = eight_corners(object, |v| p.point(v)));
            }),
        ),
        (
            "eight corners, eight lanes",
            Box::new(move |to: &mut [Box3]| {
                let lanes = black_box(&lanes);
                to.iter_mut().zip(m).for_each(|(to, m)| *to = eight_lanes(lanes, m));
            }),
        ),
        ("smaller and larger products", Box::new(each(products))),
        (
            "centre and extent",
            Box::new(move |to: &mut [Box3]| {
                let (centre, extent) = (black_box(centre), black_box(extent));
                to.iter_mut().zip(m).for_each(|(to, m)| *to = centre_and_extent(centre, extent, m));
            }),
        ),
        (
            "Solio, one at a time",
            Box::new(move |to: &mut [Box3]| {
                let centred = black_box(&centred);
                to.iter_mut().zip(m).for_each(|(to, m)| *to = centred.transformed(m));
            }),
        ),
        (
            "Solio, many at once",
            Box::new(move |to: &mut [Box3]| {
                boxes_of_instances(black_box(&centred), m, to);
            }),
        ),
    ];
    let exact: Vec<[[f64; 3]; 2]> = matrices.iter().map(|m| exact(&object, m)).collect();
    let mut found = vec![Box3::EMPTY; count];
    let mut wrong = Vec::new();
    for (name, way) in &ways {
        way(&mut found);
        if !found.iter().zip(&exact).all(|(found, exact)| is_near(found, exact)) {
            wrong.push(*name);
        }
    }
    let timed = ways.iter().map(|(name, way)| {
        let mut to = vec![Box3::EMPTY; count];
        let run = move || {
            way(&mut to);
            black_box(&to);
        };
        Way { name, count, run: Box::new(run) as Box<dyn FnMut()> }
    });
    let times = in_turns(timed.collect(), ways.len() - 1, rounds);
    BoxGroup { work, unit: "box", ways: times.ways, wrong, same: times.same }
}

/// The corners in double precision.
fn exact(object: &Box3, m: &Transform) -> [[f64; 3]; 2] {
    let mut to = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
    for at in 0..8 {
        let p = corner(object, at).map(f64::from);
        for i in 0..3 {
            let row: [f64; 4] = std::array::from_fn(|j| m[4 * i + j].into());
            let x = row[0] * p[0] + row[1] * p[1] + row[2] * p[2] + row[3];
            to[0][i] = to[0][i].min(x);
            to[1][i] = to[1][i].max(x);
        }
    }
    to
}

/// Within a millionth of the farthest coordinate; a quaternion and its matrix round apart.
fn is_near(found: &Box3, exact: &[[f64; 3]; 2]) -> bool {
    (0..3).all(|i| {
        let far = 10.0 + exact[0][i].abs().max(exact[1][i].abs());
        let near = |a: f32, b: f64| (f64::from(a) - b).abs() <= far * 4e-6;
        near(found.min[i], exact[0][i]) && near(found.max[i], exact[1][i])
    })
}

/// A path of so many letters, as engines have them.
fn letters(count: usize, from: usize) -> impl Iterator<Item = u8> {
    const PATH: &[u8] = b"../../../MyGame/Content/Characters/Hero/T_Hero_BaseColor.uasset ";
    (0..count).map(move |i| PATH[(i + from) % PATH.len()])
}

/// Folds all names of `inputs`, each into its own.
fn folded<T: Copy + PartialEq + 'static>(
    work: String,
    inputs: &[Vec<T>],
    expected: &[Vec<T>],
    rounds: usize,
    ways: Vec<NamedFold<T>>,
) -> BoxGroup {
    let mut wrong = Vec::new();
    for (name, fold) in &ways {
        let is_right = |(input, expected): (&Vec<T>, &Vec<T>)| {
            let mut out = Vec::new();
            fold(&mut out, input);
            out == *expected
        };
        if !inputs.iter().zip(expected).all(is_right) {
            wrong.push(*name);
        }
    }
    let ours = ways.len() - 1;
    let timed = ways.into_iter().map(|(name, fold)| {
        let mut out = Vec::new();
        let run = move || {
            for input in inputs {
                out.clear();
                fold(&mut out, black_box(input));
                black_box(&out);
            }
        };
        Way { name, count: inputs.len(), run: Box::new(run) as Box<dyn FnMut()> }
    });
    let times = in_turns(timed.collect(), ours, rounds);
    BoxGroup { work, unit: "name", ways: times.ways, wrong, same: times.same }
}

fn codes(work: String, count: usize, rounds: usize) -> BoxGroup {
    let inputs: Vec<Vec<u16>> =
        (0..ALL_LETTERS / count).map(|n| letters(count, 7 * n).map(u16::from).collect()).collect();
    let lower = |codes: &Vec<u16>| codes.iter().map(|&code| fold::lower_ue4(code)).collect();
    let expected: Vec<Vec<u16>> = inputs.iter().map(lower).collect();
    let ways: Vec<NamedFold<u16>> = vec![
        ("a rule with branches", fold::fold_ue4_branchy),
        ("a table of 256 entries", fold::fold_ue4_table),
        ("Solio", fold::fold_ue4),
    ];
    folded(work, &inputs, &expected, rounds, ways)
}

fn paths(work: String, count: usize, rounds: usize) -> BoxGroup {
    let inputs: Vec<Vec<u8>> =
        (0..ALL_LETTERS / count).map(|n| letters(count, 7 * n).collect()).collect();
    let expected: Vec<Vec<u8>> = inputs.iter().map(|path| path.to_ascii_lowercase()).collect();
    let ways: Vec<NamedFold<u8>> = vec![
        ("std, to_lowercase", |out, path| {
            out.extend_from_slice(String::from_utf8_lossy(path).to_lowercase().as_bytes());
        }),
        ("std, ASCII alone", |out, path| {
            out.extend_from_slice(path);
            out.make_ascii_lowercase();
        }),
        ("Solio, all of Unicode", fold::fold_path),
    ];
    folded(work, &inputs, &expected, rounds, ways)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_gives_the_right_answer() {
        let few = boxes("few".into(), FEW, 1);
        assert!(few.wrong.is_empty() && few.ways.len() == 7, "{few:?}");
        assert!(few.ways.last().unwrap().name.starts_with("Solio"));
        for count in LETTERS {
            let (codes, paths) = (codes("a".into(), count, 1), paths("b".into(), count, 1));
            assert!(codes.wrong.is_empty() && paths.wrong.is_empty(), "{codes:?} {paths:?}");
        }
    }

    #[test]
    fn a_wrong_box_is_found() {
        let object = Box3 { min: [0.0; 3], max: [1.0; 3] };
        let exact = exact(&object, &Placed::numbered(3).matrix());
        let found = eight_corners(&object, |v| Placed::numbered(3).point(v));
        assert!(is_near(&found, &exact));
        let moved = Box3 { min: found.min.map(|x| x + 0.01), ..found };
        assert!(!is_near(&moved, &exact));
    }
}
