//! Point clouds: each a small square in its colour, as bright as its intensity, in light, or the nearer the
//! brighter.

use super::View;
use solio_color::srgb::to_linear;
use solio_mesh::splats::intensities;
use solio_mesh::{Domain, Mesh, splat_colors};
use solio_scene::preview::Picture;

/// The shares of intensities that are black, and white: few are far brighter than the others.
const DARKEST: f64 = 0.02;

/// The sRGB colours of all points, where all meshes have some: of splats those that are the same from
/// every side. Without colours an intensity is grey, and a normal lies in light.
pub(super) fn point_colors(meshes: &[Mesh<'_>]) -> Option<Vec<[f32; 4]>> {
    let mut all = Vec::new();
    for mesh in meshes.iter().filter(|mesh| !mesh.positions.is_empty()) {
        match (&mesh.colors, splat_colors(mesh)) {
            (_, Some(mut colors)) => all.append(&mut colors),
            (Some(colors), None) if colors.values.len() == mesh.positions.len() => {
                all.extend_from_slice(&colors.values);
            }
            _ => all.append(&mut greys(&intensities(mesh)?)),
        }
    }
    Some(all).filter(|all| !all.is_empty())
}

/// The colours of points in the light of the camera, where all meshes have normals: where these are aside
/// it is dark.
pub(super) fn lit_colors(meshes: &[Mesh<'_>], toward: [f64; 3]) -> Option<Vec<[f32; 4]>> {
    let toward = toward.map(|x| x as f32);
    let mut all = Vec::new();
    for mesh in meshes.iter().filter(|mesh| !mesh.positions.is_empty()) {
        let normals = mesh.normals.as_ref().filter(|normals| {
            normals.domain == Domain::Vertex && normals.values.len() == mesh.positions.len()
        })?;
        let is_some = |n: &[f32; 3]| n.iter().map(|v| v * v).sum::<f32>() > 0.25;
        normals.values.iter().any(is_some).then_some(())?;
        // Of scans nobody knows which side is outside.
        let light = |n: &[f32; 3]| {
            let length = n.iter().map(|v| v * v).sum::<f32>().sqrt();
            let along = (0..3).map(|k| n[k] * toward[k]).sum::<f32>().abs() / length.max(1e-20);
            let grey = if along.is_finite() { 0.25 + 0.65 * along.min(1.0) } else { 0.25 };
            [grey, grey, grey, 1.0]
        };
        all.extend(normals.values.iter().map(light));
    }
    Some(all).filter(|all| !all.is_empty())
}

/// Greys of intensities, of whatever range.
fn greys(intensities: &[f32]) -> Vec<[f32; 4]> {
    let mut sorted: Vec<f32> = intensities.iter().copied().filter(|v| v.is_finite()).collect();
    sorted.sort_unstable_by(f32::total_cmp);
    let at = |share: f64| {
        let last = sorted.len().saturating_sub(1) as f64;
        sorted.get((share * last).round() as usize).copied().unwrap_or(0.0)
    };
    let (low, high) = (at(DARKEST), at(1.0 - DARKEST));
    let grey = |v: &f32| {
        let grey = if high > low { ((v - low) / (high - low)).clamp(0.0, 1.0) } else { 0.6 };
        // Black would be taken for nothing.
        let grey = if grey.is_finite() { 0.12 + 0.83 * grey } else { 0.12 };
        [grey, grey, grey, 1.0]
    };
    intensities.iter().map(grey).collect()
}

/// From the farthest point to the nearest one, in sRGB.
const GREYS: [f64; 2] = [0.43, 0.9];
/// How often points cover each pixel of the box around them, on average: through gaps the far side would
/// be seen.
const COVERAGE: f64 = 6.0;
/// The side of a point is at most this part of the picture's, or three pixels.
const MOST_SIDE: usize = 128;

/// The side of the square that a point is, so that all of them cover what they lie on.
fn edge_of(places: impl Iterator<Item = [f64; 3]>, size: u32) -> usize {
    let (mut low, mut high, mut count) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2], 0_u64);
    for [x, y, depth] in places {
        if depth > 0.0 && x.is_finite() && y.is_finite() {
            (low, high) = ([low[0].min(x), low[1].min(y)], [high[0].max(x), high[1].max(y)]);
            count += 1;
        }
    }
    if count == 0 {
        return 1;
    }
    let area = (high[0] - low[0]).max(1.0) * (high[1] - low[1]).max(1.0);
    let most = (size as usize / MOST_SIDE).max(3);
    ((COVERAGE * area / count as f64).sqrt() as usize).clamp(1, most)
}

/// Draws points, in these sRGB colours where there are any.
pub(super) fn draw_points(
    positions: &[[f32; 3]],
    colors: Option<&[[f32; 4]]>,
    view: &View,
    size: u32,
) -> Picture {
    let colors = colors.filter(|colors| colors.len() == positions.len());
    let side = size as usize;
    let [right, above, toward] = view.axes();
    let place = |p: &[f32; 3]| {
        let from = [0, 1, 2].map(|i| f64::from(p[i]) - view.eye[i]);
        let along = |axis: [f64; 3]| (0..3).map(|i| from[i] * axis[i]).sum::<f64>();
        let depth = -along(toward);
        let scale = side as f64 / 2.0 / (depth * view.half_tangent);
        let middle = side as f64 / 2.0;
        [middle + along(right) * scale, middle - along(above) * scale, depth]
    };
    let mut depths = vec![f64::INFINITY; side * side];
    let mut points = vec![0; if colors.is_some() { side * side } else { 0 }];
    let edge = edge_of(positions.iter().map(place), size);
    let (before, behind) = ((edge - 1) / 2, edge / 2);
    for (point, [x, y, depth]) in positions.iter().map(place).enumerate() {
        // What is no number is no place.
        if !(depth > 0.0 && x >= 0.0 && y >= 0.0) {
            continue;
        }
        let (x, y) = (x as usize, y as usize);
        for row in y.saturating_sub(before)..(y + behind + 1).min(side) {
            for column in x.saturating_sub(before)..(x + behind + 1).min(side) {
                let pixel = row * side + column;
                if depth < depths[pixel] {
                    depths[pixel] = depth;
                    points.get_mut(pixel).into_iter().for_each(|nearest| *nearest = point);
                }
            }
        }
    }
    let seen = || depths.iter().filter(|depth| depth.is_finite());
    let near = seen().fold(f64::INFINITY, |a, b| a.min(*b));
    let far = seen().fold(near, |a, b| a.max(*b));
    let grey = |depth: &f64| {
        if !depth.is_finite() {
            return 0.0;
        }
        let share = if far > near { (far - depth) / (far - near) } else { 1.0 };
        to_linear((GREYS[0] + share * (GREYS[1] - GREYS[0])) as f32)
    };
    let color = match colors {
        None => {
            let greys: Vec<f32> = depths.iter().map(grey).collect();
            [greys.clone(), greys.clone(), greys]
        }
        Some(colors) => [0, 1, 2].map(|channel| {
            let pixels = depths.iter().zip(&points);
            let value = |(depth, &point): (&f64, &usize)| match depth.is_finite() {
                true => to_linear(colors[point][channel]),
                false => 0.0,
            };
            pixels.map(value).collect()
        }),
    };
    let none = vec![0.0; depths.len()];
    Picture {
        width: size,
        height: size,
        color,
        alpha: depths.iter().map(|depth| f32::from(depth.is_finite())).collect(),
        depth: depths.iter().map(|depth| *depth as f32).collect(),
        normal: [none.clone(), none.clone(), none],
        instance: vec![0; depths.len()],
    }
}
