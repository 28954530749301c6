//! NURBS of version 3, cut into a grid.
//!
//! Source: Carl de Boor, *On Calculating with B-Splines* (1972), over homogeneous points; grid,
//! parameters and their defaults are those of pbrt version 3 (`nurbs.cpp`).

use super::{Triangles, grid};
use crate::scene::{Entity, Scene};
use glam::DVec4;
use solio_base::{Error, Result};

/// Vertices along each side of the grid.
const DICED: usize = 30;
/// Orders are 4 in practice; the work for a vertex grows with their third power.
const MOST_ORDER: usize = 32;

/// One of the two directions.
struct SurfaceAxis<'s> {
    /// Control points.
    count: usize,
    order: usize,
    knots: &'s [f32],
    /// Where the surface begins and ends.
    range: [f64; 2],
}

impl<'s> SurfaceAxis<'s> {
    /// `names`: of the count, the order, the knots, the beginning and the end.
    fn new(scene: &'s Scene, entity: &Entity, names: [&str; 5]) -> Result<SurfaceAxis<'s>> {
        let [count, order, knots, from, to] = names;
        let number = |name| {
            let found = scene.integer(entity, name).and_then(|n| usize::try_from(n).ok());
            found
                .filter(|n| *n > 0)
                .ok_or_else(|| Error::corrupt(format!("{name} is missing or 0")))
        };
        let (points, degree_and_one) = (number(count)?, number(order)?);
        let given = scene.floats(entity, knots).unwrap_or_default();
        if degree_and_one > points {
            let message = format!("{order} is {degree_and_one}, with {points} points only");
            return Err(Error::corrupt(message));
        }
        if degree_and_one > MOST_ORDER {
            let message = format!("{order} is {degree_and_one}; at most {MOST_ORDER} can be");
            return Err(Error::limit(message));
        }
        if given.len() != points + degree_and_one {
            let expected = points + degree_and_one;
            let message = format!("{knots} has {} numbers, {expected} are expected", given.len());
            return Err(Error::corrupt(message));
        }
        let is_rising = given.iter().all(|k| k.is_finite()) && given.is_sorted();
        let (first, last) = (given[degree_and_one - 1], given[points]);
        let from = scene.float(entity, from).unwrap_or(first);
        let to = scene.float(entity, to).unwrap_or(last);
        let is_within = |t: f32| (first..=last).contains(&t);
        if !is_rising || first >= last || !is_within(from) || !is_within(to) {
            let message = format!("{knots} do not rise, or do not reach from {from} to {to}");
            return Err(Error::corrupt(message));
        }
        let range = [f64::from(from), f64::from(to)];
        Ok(SurfaceAxis { count: points, order: degree_and_one, knots: given, range })
    }

    /// The parameter of a vertex.
    fn parameter(&self, i: usize) -> f64 {
        let [from, to] = self.range;
        let t = i as f64 / (DICED - 1) as f64;
        // Both ends are met exactly.
        (1.0 - t) * from + t * to
    }

    fn knot(&self, i: usize) -> f64 {
        f64::from(self.knots[i])
    }

    /// The knot that begins the span of `t`: the last span where it is their end.
    fn span(&self, t: f64) -> usize {
        let last = self.knot(self.count);
        let before = |k: &f32| f64::from(*k) <= t && f64::from(*k) < last;
        (self.knots.partition_point(before) - 1).clamp(self.order - 1, self.count - 1)
    }

    /// The point at `t` of the curve whose control points count in the span `k`: `points` are those
    /// from number `k + 1 - order` on.
    fn point(&self, t: f64, k: usize, points: &mut [DVec4]) -> DVec4 {
        let degree = self.order - 1;
        for level in 1..=degree {
            for j in (level..=degree).rev() {
                let (from, to) = (self.knot(k + j - degree), self.knot(k + j + 1 - level));
                let share = if to > from { (t - from) / (to - from) } else { 0.0 };
                points[j] = points[j - 1].lerp(points[j], share);
            }
        }
        points[degree]
    }
}

/// The surface of a `nurbs`.
///
/// # Errors
/// Where counts, orders, knots or points do not fit each other.
pub(super) fn nurbs(scene: &Scene, entity: &Entity) -> Result<Triangles<'static>> {
    let u = SurfaceAxis::new(scene, entity, ["nu", "uorder", "uknots", "u0", "u1"])?;
    let v = SurfaceAxis::new(scene, entity, ["nv", "vorder", "vknots", "v0", "v1"])?;
    let points: Vec<DVec4> = match (scene.points(entity, "P"), scene.floats(entity, "Pw")) {
        (Some(points), _) => points
            .iter()
            .map(|p| DVec4::from_array([p[0], p[1], p[2], 1.0].map(f64::from)))
            .collect(),
        (None, Some(numbers)) => {
            let (points, _) = numbers.as_chunks::<4>();
            points.iter().map(|p| DVec4::from_array(p.map(f64::from))).collect()
        }
        (None, None) => return Err(Error::corrupt("there are neither P nor Pw")),
    };
    if u.count.checked_mul(v.count) != Some(points.len()) {
        let message =
            format!("{} × {} points are expected, {} are there", u.count, v.count, points.len());
        return Err(Error::corrupt(message));
    }
    let mut column = vec![DVec4::ZERO; v.order];
    let mut row = vec![DVec4::ZERO; u.order];
    let mut made = Vec::with_capacity(DICED * DICED);
    for j in 0..DICED {
        let t = v.parameter(j);
        let k = v.span(t);
        for i in 0..DICED {
            let s = u.parameter(i);
            let l = u.span(s);
            for (x, to) in row.iter_mut().enumerate() {
                let of = |y: usize| points[(k + 1 - v.order + y) * u.count + l + 1 - u.order + x];
                column.iter_mut().enumerate().for_each(|(y, point)| *point = of(y));
                *to = v.point(t, k, &mut column);
            }
            let point = u.point(s, l, &mut row);
            made.push((point.truncate() / point.w).as_vec3());
        }
    }
    if !made.iter().all(|point| point.is_finite()) {
        return Err(Error::corrupt("its weights leave points without a place"));
    }
    let mesh = grid(DICED, DICED, |column, row| made[row * DICED + column].to_array());
    let place = |i: usize| [u.parameter(i % DICED) as f32, v.parameter(i / DICED) as f32];
    Ok(Triangles { uvs: (0..DICED * DICED).map(place).collect(), ..mesh })
}

#[cfg(test)]
mod tests {
    use crate::geometry::{Triangles, triangles};
    use crate::scene::{NoFiles, Scene, SceneOptions, read_scene};
    use solio_base::{Result, Work};
    use std::path::Path;

    fn scene(parameters: &str) -> Scene {
        let text = format!("WorldBegin\nShape \"nurbs\" {parameters}\n").into_bytes();
        let options = SceneOptions { version: Some(3), ..SceneOptions::default() };
        read_scene(&text, Path::new("s"), &NoFiles, &options, &Work::serial()).unwrap()
    }

    fn of(parameters: &str) -> Result<Triangles<'static>> {
        let scene = scene(parameters);
        let found = triangles(&scene, &scene.shapes[0].entity)?.unwrap();
        Ok(Triangles {
            positions: found.positions.into_owned().into(),
            indices: found.indices.into_owned().into(),
            normals: found.normals.into_owned().into(),
            uvs: found.uvs.into_owned().into(),
        })
    }

    fn numbers<T: ToString>(values: &[T]) -> String {
        values.iter().map(T::to_string).collect::<Vec<_>>().join(" ")
    }

    /// The definition of a B-spline by its recursion (Cox and de Boor), at `t` within the knots.
    fn basis(i: usize, order: usize, knots: &[f32], t: f64) -> f64 {
        let knot = |i: usize| f64::from(knots[i]);
        if order == 1 {
            return f64::from(u8::from(knot(i) <= t && t < knot(i + 1)));
        }
        let share =
            |from: f64, to: f64, t: f64| if to > from { (t - from) / (to - from) } else { 0.0 };
        share(knot(i), knot(i + order - 1), t) * basis(i, order - 1, knots, t)
            + (1.0 - share(knot(i + 1), knot(i + order), t))
                * f64::from(u8::from(knot(i + order) > knot(i + 1)))
                * basis(i + 1, order - 1, knots, t)
    }

    #[test]
    fn points_are_those_of_the_definition() {
        let (uknots, vknots) = (
            [0f32, 0.0, 0.0, 0.5, 0.5, 2.0, 3.0, 3.5],
            [-1f32, -1.0, -1.0, -1.0, 0.25, 1.0, 1.0, 4.0, 5.0],
        );
        let (nu, nv) = (5, 5);
        let points: Vec<f32> =
            (0..4 * nu * nv).map(|i| ((i * 37 % 101) as f32) / 25.0 - 2.0).collect();
        let points: Vec<f32> = points
            .chunks_exact(4)
            .flat_map(|p| [p[0], p[1], p[2], 1.0 + 0.2 * p[3].abs()])
            .collect();
        let mesh = of(&format!(
            "\"integer nu\" 5 \"integer nv\" 5 \"integer uorder\" 3 \"integer vorder\" 4 \"float \
             uknots\" [{}] \"float vknots\" [{}] \"float Pw\" [{}] \"float u0\" 0.1 \"float v1\" 0.9",
            numbers(&uknots),
            numbers(&vknots),
            numbers(&points)
        ))
        .unwrap();
        assert_eq!((mesh.positions.len(), mesh.indices.len()), (900, 2 * 29 * 29));
        assert_eq!(mesh.normals.len(), 900);
        assert_eq!((mesh.uvs[0], mesh.uvs[899]), ([0.1, -1.0], [2.0, 0.9]));
        for (i, (position, [u, v])) in mesh.positions.iter().zip(mesh.uvs.iter()).enumerate() {
            // The definition is open at the end of the knots.
            let (u, v) = (f64::from(u.min(1.999_999)), f64::from(*v));
            let mut sum = [0f64; 4];
            for y in 0..nv {
                for x in 0..nu {
                    let weight = basis(x, 3, &uknots, u) * basis(y, 4, &vknots, v);
                    for c in 0..4 {
                        sum[c] += weight * f64::from(points[4 * (y * nu + x) + c]);
                    }
                }
            }
            for c in 0..3 {
                let expected = sum[c] / sum[3];
                assert!((f64::from(position[c]) - expected).abs() < 1e-4, "{i}: {position:?}");
            }
        }
    }

    const CYLINDER: &str = "\"integer nu\" 9 \"integer nv\" 2 \"integer uorder\" 3 \"integer vorder\" 2 \
        \"float uknots\" [0 0 0 1 1 2 2 3 3 4 4 4] \"float vknots\" [0 0 1 1]";

    fn circle() -> Vec<f32> {
        let w = std::f32::consts::FRAC_1_SQRT_2;
        let corners =
            [[1, 0], [1, 1], [0, 1], [-1, 1], [-1, 0], [-1, -1], [0, -1], [1, -1], [1, 0]];
        let at = |z: f32| {
            corners.into_iter().enumerate().flat_map(move |(i, [x, y])| {
                let w = if i % 2 == 1 { w } else { 1.0 };
                [x as f32 * w, y as f32 * w, z * w, w]
            })
        };
        at(0.0).chain(at(2.0)).collect()
    }

    #[test]
    fn a_rational_cylinder_is_round() {
        let mesh = of(&format!("{CYLINDER} \"float Pw\" [{}]", numbers(&circle()))).unwrap();
        for ([x, y, z], [u, v]) in mesh.positions.iter().zip(mesh.uvs.iter()) {
            assert!((x.hypot(*y) - 1.0).abs() < 1e-6, "{x} {y}");
            assert!((z - 2.0 * v).abs() < 1e-6);
            // At whole parameters a quarter is done.
            let turn = y.atan2(*x).rem_euclid(std::f32::consts::TAU) / std::f32::consts::FRAC_PI_2;
            assert!((turn - u).abs() < 0.03 || (turn - u).abs() > 3.9, "{turn} {u}");
        }
        // Around and up: normals point outwards.
        let [a, b, c] = mesh.indices[0].map(|i| glam::Vec3::from(mesh.positions[i as usize]));
        assert!((b - a).cross(c - a).dot(a.with_z(0.0)) > 0.0);
    }

    #[test]
    fn what_does_not_fit_is_an_error() {
        let points = numbers(&circle());
        let good = format!("{CYLINDER} \"float Pw\" [{points}]");
        assert!(of(&good).is_ok());
        for (from, to) in [
            ("\"integer nu\" 9", "\"integer nu\" 8"),
            ("\"integer nu\" 9", "\"integer nu\" -9"),
            ("\"integer nv\" 2", ""),
            ("\"integer uorder\" 3", "\"integer uorder\" 0"),
            ("\"integer uorder\" 3", "\"integer uorder\" 10"),
            ("\"integer nv\" 2", "\"integer nv\" 2000000000"),
            ("[0 0 1 1]", "[0 1 0 1]"),
            ("[0 0 1 1]", "[1 1 1 1]"),
            ("[0 0 1 1]", "[0 0 1]"),
            ("[0 0 1 1]", "[0 0 1 1] \"float v1\" 1.5"),
            ("\"float Pw\"", "\"float Pv\""),
            ("\"float Pw\" [1 ", "\"float Pw\" ["),
            ("\"float Pw\"", "\"point P\""),
        ] {
            assert!(good.contains(from), "{from}");
            assert!(of(&good.replace(from, to)).is_err(), "{to}");
        }
        let weightless = good.replace(&points, &numbers(&[0; 72]));
        assert!(of(&weightless).is_err());
    }
}
