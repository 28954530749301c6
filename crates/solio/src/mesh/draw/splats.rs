//! Gaussian splats: where the camera is, and the order from front to back.

use super::project::{Flat, Projection};
use super::{View, tiles};
use rayon::prelude::*;
use solio_base::{Error, Result, Work};
use solio_mesh::Scene;
use solio_mesh::axes::Axis;
use solio_mesh::splats::{Ellipsoids, are_antialiased};
use solio_scene::preview::Picture;

/// Splats that are looked at for the box around most of them.
const SAMPLES: usize = 100_000;
/// The shares of all alphas that lie below the box, and above it: usually, and where these are far away.
const USUAL: f64 = 0.02;
const CLOSE: f64 = 0.1;
/// What lies within the closer shares is this part of the box, or more, where nothing is far away.
const FAR: f64 = 3.0;
/// Splats that a thread takes at once.
const ROWS: usize = 16 << 10;

/// The splats of a scene that has nothing else.
pub(super) struct AllSplats<'s> {
    meshes: Vec<Ellipsoids<'s>>,
    antialiased: bool,
}

impl<'s> AllSplats<'s> {
    /// `None` where there are none, or something else.
    pub(super) fn of(scene: &'s Scene<'_>) -> Option<AllSplats<'s>> {
        let some = scene.meshes.iter().filter(|mesh| !mesh.positions.is_empty());
        let meshes: Vec<_> = some.map(Ellipsoids::of).collect::<Option<_>>()?;
        let has_faces = scene.meshes.iter().any(|mesh| mesh.face_offsets.len() > 1);
        let antialiased = are_antialiased(scene);
        (!meshes.is_empty() && !has_faces).then_some(AllSplats { meshes, antialiased })
    }

    /// The view of most splats: a few far away must not make the others small.
    pub(super) fn view(&self, up: Axis) -> Result<View> {
        let count: usize = self.meshes.iter().map(Ellipsoids::count).sum();
        let step = count.div_ceil(SAMPLES).max(1);
        let all = self.meshes.iter().flat_map(|mesh| (0..mesh.count()).map(move |i| (mesh, i)));
        let mut samples: Vec<([f32; 3], f64)> = all
            .step_by(step)
            .map(|(mesh, i)| (mesh.middle(i), f64::from(mesh.alpha(i))))
            .filter(|(p, alpha)| p.iter().all(|v| v.is_finite()) && *alpha > 0.0)
            .collect();
        if samples.is_empty() {
            return Err(Error::unsupported("no splat has a place and can be seen"));
        }
        let whole: f64 = samples.iter().map(|(_, alpha)| alpha).sum();
        let (mut low, mut high) = ([0.0; 3], [0.0; 3]);
        for axis in 0..3 {
            samples.sort_unstable_by(|a, b| a.0[axis].total_cmp(&b.0[axis]));
            let at = |share: f64| {
                let mut sum = 0.0;
                let found = samples.iter().find(|(_, alpha)| {
                    sum += alpha;
                    sum >= share * whole
                });
                found.or(samples.last()).map_or(0.0, |(p, _)| f64::from(p[axis]))
            };
            let within = |share: f64| [at(share), at(1.0 - share)];
            let ([usual_low, usual_high], [close_low, close_high]) = (within(USUAL), within(CLOSE));
            let close = close_high - close_low;
            let is_far = usual_high - usual_low > FAR * close && close > 0.0;
            let (from, to, margin) = match is_far {
                true => (close_low, close_high, 0.5 * close),
                false => (usual_low, usual_high, 0.05 * (usual_high - usual_low)),
            };
            (low[axis], high[axis]) = (from - margin, to + margin);
        }
        // The side that the cameras were at, whose z goes into the scene where y is down.
        let front = match up {
            Axis::Y => Axis::Z,
            Axis::NegativeY => Axis::NegativeZ,
            _ => Axis::NegativeY,
        };
        View::of_box([low, high], up, front)
    }

    /// Draws the splats.
    pub(super) fn draw(&self, view: &View, size: u32, work: &Work) -> Result<Picture> {
        let projection = Projection::new(view, size, self.antialiased);
        let threads = rayon::ThreadPoolBuilder::new().num_threads(work.threads.max(1)).build();
        let threads = threads.map_err(|e| Error::io("start threads", std::io::Error::other(e)))?;
        threads.install(|| {
            let mut flats: Vec<Flat> = Vec::new();
            for mesh in &self.meshes {
                work.cancel.check()?;
                let pieces: Vec<Vec<Flat>> = (0..mesh.count().div_ceil(ROWS))
                    .into_par_iter()
                    .map(|piece| {
                        let rows = piece * ROWS..mesh.count().min((piece + 1) * ROWS);
                        rows.filter_map(|i| projection.of(&mesh.get(i))).collect()
                    })
                    .collect();
                pieces.iter().for_each(|piece| flats.extend_from_slice(piece));
            }
            let order = order_of(&flats);
            tiles::draw(&flats, &order, size, work)
        })
    }
}

/// From front to back; what is equally far stays in the order of the file. By 11 bits at a time.
fn order_of(flats: &[Flat]) -> Vec<u32> {
    const BITS: u32 = 11;
    // Depths are above zero: their bits rise as they do.
    let mut keys: Vec<(u32, u32)> =
        flats.iter().enumerate().map(|(i, flat)| (flat.depth.to_bits(), i as u32)).collect();
    let mut sorted = vec![(0, 0); keys.len()];
    for pass in 0..3 {
        let digit = |key: u32| (key >> (pass * BITS)) as usize & ((1 << BITS) - 1);
        let mut starts = [0_usize; 1 << BITS];
        keys.iter().for_each(|(key, _)| starts[digit(*key)] += 1);
        let mut sum = 0;
        for start in &mut starts {
            sum += std::mem::replace(start, sum);
        }
        for &(key, i) in &keys {
            let start = &mut starts[digit(key)];
            sorted[*start] = (key, i);
            *start += 1;
        }
        std::mem::swap(&mut keys, &mut sorted);
    }
    keys.into_iter().map(|(_, i)| i).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Splats of a wall, red above and blue below, where y is down, and some far away.
    fn wall() -> Scene<'static> {
        let mut bytes = Vec::new();
        let mut add = |place: [f32; 3], size: f32, color: [u8; 4]| {
            let floats = place.into_iter().chain([size; 3]);
            floats.for_each(|v| bytes.extend_from_slice(&v.to_le_bytes()));
            bytes.extend_from_slice(&color);
            bytes.extend_from_slice(&[255, 128, 128, 128]);
        };
        for i in 0..1600 {
            let (x, y) = ((i % 40) as f32 / 20.0 - 1.0, (i / 40) as f32 / 20.0 - 1.0);
            add([x, y, 0.0], 0.04, if y < 0.0 { [255, 0, 0, 255] } else { [0, 0, 255, 255] });
        }
        for i in 0..16 {
            add([900.0, -500.0, 40.0 * i as f32], 1.0, [0, 255, 0, 90]);
        }
        let work = Work::serial();
        crate::read_mesh_bytes(&bytes, &Default::default(), &work).unwrap()
    }

    fn drawn(scene: &Scene<'_>, up: Axis, threads: usize) -> Picture {
        let splats = AllSplats::of(scene).unwrap();
        let work = Work { threads, ..Work::serial() };
        splats.draw(&splats.view(up).unwrap(), 96, &work).unwrap()
    }

    #[test]
    fn what_is_far_away_does_not_make_the_picture_small() {
        let picture = drawn(&wall(), Axis::NegativeY, 1);
        let covered = picture.alpha.iter().filter(|alpha| **alpha > 0.9).count();
        assert!(covered > 96 * 96 / 3, "{covered}");
        // Red is above, and no pixel of it is nearer than the camera allows.
        let share = |rows: std::ops::Range<usize>, channel: usize| {
            rows.map(|row| picture.color[channel][row * 96..][..96].iter().sum::<f32>())
                .sum::<f32>()
        };
        assert!(share(0..40, 0) > 5.0 * share(0..40, 2));
        assert!(share(56..96, 2) > 5.0 * share(56..96, 0));
        let depths = picture.depth.iter().zip(&picture.alpha);
        assert!(depths.clone().all(|(depth, alpha)| depth.is_finite() || *alpha <= 0.51));
        assert!(drawn(&wall(), Axis::NegativeY, 3) == picture, "threads change the picture");
        let turned = drawn(&wall(), Axis::Y, 1);
        let red = |rows: std::ops::Range<usize>| {
            rows.map(|row| turned.color[0][row * 96..][..96].iter().sum::<f32>()).sum::<f32>()
        };
        assert!(red(56..96) > 5.0 * red(0..40));
    }

    #[test]
    fn the_order_is_that_of_depths_and_stable() {
        let mut random = 1_u32;
        let flats: Vec<Flat> = (0..5000)
            .map(|_| {
                random = random.wrapping_mul(0x9e37_79b1).rotate_left(13) ^ 0x5bd1;
                Flat { depth: (random % 700) as f32 * 0.37 + 1e-3, ..Flat::default() }
            })
            .collect();
        let mut wanted: Vec<u32> = (0..5000).collect();
        wanted.sort_by(|a, b| {
            flats[*a as usize].depth.total_cmp(&flats[*b as usize].depth).then(a.cmp(b))
        });
        assert!(order_of(&flats) == wanted);
    }
}
