//! Rays to a picture, coarse first.

use super::World;
use super::camera::RayCamera;
use super::color::SurfaceLook;
use super::few::{FewTriangles, Shown};
use super::world::RayHit;
use crate::bvh::Ray;
use crate::look::resolution;
use glam::Vec3;
use solio_base::{Error, Result, Work, ordered};

/// What a picture shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RenderOptions {
    /// Most columns and rows; the film's resolution is made smaller to fit.
    pub most: Option<[u32; 2]>,
    /// Rays a pixel are this number's square; 1 to 16.
    pub samples: u32,
    /// Rays a sample that look how much of the sky a place sees; 0 for none, at most 1024.
    pub occlusion: u32,
    /// Coarse pictures come first, for who shows them.
    pub coarse: bool,
}

/// Rows that are drawn together where it is known what is to be seen.
const BAND: u32 = 16;
/// Columns and rows of a region below which rays are sent.
const SMALLEST: u32 = 2;

impl Default for RenderOptions {
    fn default() -> Self {
        RenderOptions { most: None, samples: 2, occlusion: 0, coarse: true }
    }
}

/// How far a picture is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// The boxes of instances, in blocks of 8 × 8 pixels: no definition has a tree yet.
    Boxes,
    /// The geometry, in blocks of 4 × 4 pixels.
    Coarse,
    /// All.
    Whole,
}

/// A picture of a scene; planes row by row from the top.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Red, green and blue in linear light, times how much of the pixel is covered.
    pub color: [Vec<f32>; 3],
    /// How much of the pixel is covered, 0 to 1.
    pub alpha: Vec<f32>,
    /// Distance from the camera, infinite where there is nothing.
    pub depth: Vec<f32>,
    /// x, y and z, of length 1 in the world, towards the camera; 0 where there is nothing.
    pub normal: [Vec<f32>; 3],
    /// One more than the number of the instance; 0 for what is none.
    pub instance: Vec<u32>,
}

/// A pixel.
#[derive(Clone, Copy)]
struct Pixel {
    color: Vec3,
    alpha: f32,
    depth: f32,
    normal: Vec3,
    instance: u32,
}

impl Pixel {
    const NOTHING: Pixel = Pixel {
        color: Vec3::ZERO,
        alpha: 0.0,
        depth: f32::INFINITY,
        normal: Vec3::ZERO,
        instance: 0,
    };
}

/// Most pixels of a picture.
pub const MOST_PIXELS: u64 = 1 << 28;

/// Sends rays through `world`, and shows each pass to `each`; it ends where that gives `false`.
/// The result does not depend on the number of threads.
pub fn render(
    world: &World<'_>,
    options: &RenderOptions,
    work: &Work,
    mut each: impl FnMut(Pass, &Picture) -> Result<bool>,
) -> Result<Picture> {
    let [width, height] = size(resolution(world.scene), options.most);
    let count = u64::from(width) * u64::from(height);
    if count > MOST_PIXELS {
        let message = format!("a picture of {width} × {height} pixels is too large");
        return Err(Error::limit(message).hint("ask for a smaller one"));
    }
    let camera = RayCamera::new(world.scene, &world.bounds(), [width, height]);
    let mut picture = Picture {
        width,
        height,
        color: [0; 3].map(|_| vec![0.0; count as usize]),
        alpha: vec![0.0; count as usize],
        depth: vec![f32::INFINITY; count as usize],
        normal: [0; 3].map(|_| vec![0.0; count as usize]),
        instance: vec![0; count as usize],
    };
    let few = FewTriangles::of(world, &camera);
    let rays = Rays { world, camera, options, reach: reach(world), few };
    let passes = [(Pass::Boxes, 8), (Pass::Coarse, 4), (Pass::Whole, 1)];
    for (pass, step) in &passes[if options.coarse { 0 } else { 2 }..] {
        rays.pass(*pass, *step, &mut picture, work)?;
        if !each(*pass, &picture)? {
            break;
        }
    }
    Ok(picture)
}

/// As large as fits, and not larger than it is.
fn size([width, height]: [u32; 2], most: Option<[u32; 2]>) -> [u32; 2] {
    let Some([columns, rows]) = most else { return [width, height] };
    let scale = |most: u32, side: u32| f64::from(most.max(1)) / f64::from(side);
    let factor = scale(columns, width).min(scale(rows, height)).min(1.0);
    [width, height].map(|side| ((f64::from(side) * factor).round() as u32).max(1))
}

/// How far the rays of occlusion go: a twentieth of the scene's diagonal.
fn reach(world: &World<'_>) -> f32 {
    let bounds = world.bounds();
    let diagonal = (Vec3::from(bounds.max) - Vec3::from(bounds.min)).length();
    if diagonal.is_finite() { 0.05 * diagonal } else { 1.0 }
}

struct Rays<'w, 's> {
    world: &'w World<'s>,
    camera: RayCamera,
    options: &'w RenderOptions,
    reach: f32,
    few: Option<FewTriangles>,
}

/// Some columns and rows of the picture; those of `right` and `bottom` are the first ones beyond it.
struct Region {
    left: u32,
    right: u32,
    top: u32,
    bottom: u32,
}

impl Rays<'_, '_> {
    /// One row of blocks after the other, several at once.
    fn pass(&self, pass: Pass, step: u32, picture: &mut Picture, work: &Work) -> Result<()> {
        let [width, height] = [picture.width, picture.height];
        let few = self.few.as_ref().filter(|_| pass == Pass::Whole);
        let rows = if few.is_some() { BAND } else { step };
        let mut next = 0;
        ordered::run::<(u32, Vec<Pixel>)>(
            work,
            4 * work.threads,
            |(y, _)| {
                *y = next;
                next = next.saturating_add(rows);
                Ok(*y < height)
            },
            |(y, pixels)| {
                pixels.clear();
                if let Some(few) = few {
                    let (top, bottom) = (*y, (*y + rows).min(height));
                    pixels.resize((width * (bottom - top)) as usize, Pixel::NOTHING);
                    let region = Region { left: 0, right: width, top, bottom };
                    self.region(few, &region, &few.all(), pixels, top, [width, height]);
                    return Ok(());
                }
                pixels.extend(
                    (0..width)
                        .step_by(step as usize)
                        .map(|x| self.pixel(pass, [x, *y], step, [width, height])),
                );
                Ok(())
            },
            |(top, pixels)| {
                let across = width.div_ceil(step);
                for y in *top..(*top + rows).min(height) {
                    let row = &pixels[((y - *top) / step * across) as usize..][..across as usize];
                    for x in 0..width {
                        let pixel = &row[(x / step) as usize];
                        // There is nothing in a new picture.
                        if self.options.coarse || pixel.alpha > 0.0 {
                            picture.put(y as usize * width as usize + x as usize, pixel);
                        }
                    }
                }
                Ok(())
            },
        )
    }

    /// Draws what may be seen of the triangles `among` in a region; `top` is the first row of `pixels`.
    fn region(
        &self,
        few: &FewTriangles,
        region: &Region,
        among: &[u32],
        pixels: &mut [Pixel],
        top: u32,
        size: [u32; 2],
    ) {
        let Region { left, right, top: first, bottom } = *region;
        let mut seen = among.to_vec();
        // A pixel more on each side is more than rounding can be off.
        let x = [f64::from(left) - 1.0, f64::from(right) + 1.0].map(|x| x / f64::from(size[0]));
        let y = [f64::from(first) - 1.0, f64::from(bottom) + 1.0].map(|y| y / f64::from(size[1]));
        let corners = [[x[0], y[0]], [x[1], y[0]], [x[0], y[1]], [x[1], y[1]]];
        let shown = few.keep_seen(&corners.map(|[x, y]| self.camera.direction(x, y)), &mut seen);
        let (columns, rows) = (right - left, bottom - first);
        let plain = match shown {
            Shown::Nothing => return,
            // Each of its rays looks for other surfaces.
            Shown::One(place) if self.options.occlusion == 0 => Some(place),
            _ => None,
        };
        if plain.is_some() || columns.max(rows) <= SMALLEST {
            for y in first..bottom {
                for x in left..right {
                    let pixel = plain.and_then(|place| self.plain(few, place, [x, y], size));
                    let pixel = pixel.unwrap_or_else(|| self.pixel(Pass::Whole, [x, y], 1, size));
                    pixels[((y - top) * size[0] + x) as usize] = pixel;
                }
            }
            return;
        }
        let halves = match columns >= rows {
            true => {
                let middle = left + columns / 2;
                [Region { right: middle, ..*region }, Region { left: middle, ..*region }]
            }
            false => {
                let middle = first + rows / 2;
                [Region { bottom: middle, ..*region }, Region { top: middle, ..*region }]
            }
        };
        for half in &halves {
            self.region(few, half, &seen, pixels, top, size);
        }
    }

    /// A pixel that shows one triangle and nothing else: a single ray tells all. `None` where its
    /// colour has a pattern.
    fn plain(
        &self,
        few: &FewTriangles,
        place: u32,
        [x, y]: [u32; 2],
        size: [u32; 2],
    ) -> Option<Pixel> {
        let middle = |at: u32, of: u32| (f64::from(at) + 0.5) / f64::from(of);
        let ray = self.camera.ray(middle(x, size[0]), middle(y, size[1]));
        let met = self.world.plain(&ray, &few.hit(place, &ray)?)?;
        let color = self.light(Pass::Whole, &ray, &met, 0);
        let RayHit { distance: depth, normal, instance, .. } = met;
        Some(Pixel { color, alpha: 1.0, depth, normal, instance })
    }

    fn pixel(&self, pass: Pass, [x, y]: [u32; 2], step: u32, size: [u32; 2]) -> Pixel {
        let side = if pass == Pass::Whole { self.options.samples.clamp(1, 16) } else { 1 };
        let mut pixel = Pixel::NOTHING;
        for sample in 0..side * side {
            let within = |i: u32| (f64::from(i) + 0.5) / f64::from(side) * f64::from(step);
            let px = (f64::from(x) + within(sample % side)) / f64::from(size[0]);
            let py = (f64::from(y) + within(sample / side)) / f64::from(size[1]);
            let ray = self.camera.ray(px, py);
            let met = match pass {
                Pass::Boxes => self.world.closest_box(&ray),
                _ => self.world.closest(&ray),
            };
            let Some(met) = met else { continue };
            let seed = (y * size[0] + x).wrapping_mul(256).wrapping_add(sample);
            pixel.color += self.light(pass, &ray, &met, seed);
            pixel.alpha += 1.0;
            if met.distance < pixel.depth {
                (pixel.depth, pixel.normal) = (met.distance, met.normal);
                pixel.instance = met.instance;
            }
        }
        let share = 1.0 / (side * side) as f32;
        pixel.color *= share;
        pixel.alpha *= share;
        pixel
    }

    /// Light from above, and some from the camera.
    fn light(&self, pass: Pass, ray: &Ray, met: &RayHit, seed: u32) -> Vec3 {
        let color = match met.look {
            SurfaceLook::Surface(color) => Vec3::from(color),
            SurfaceLook::Light(color) => return color.into(),
            SurfaceLook::Nothing | SurfaceLook::Pattern(_) => Vec3::splat(0.5),
        };
        let toward = -Vec3::from(ray.direction).normalize_or_zero();
        let up = self.camera.up.as_vec3();
        let sky = 0.5 + 0.5 * met.shading.dot(up);
        let head = met.shading.dot(toward).max(0.0);
        let mut open = 1.0;
        if pass == Pass::Whole && self.options.occlusion > 0 {
            open = self.open(ray, met, seed);
        }
        color * (0.15 + 0.55 * sky * open + 0.45 * head * (0.4 + 0.6 * open))
    }

    /// How much of the half space above a place is free, 0 to 1.
    fn open(&self, ray: &Ray, met: &RayHit, seed: u32) -> f32 {
        let place = Vec3::from(ray.origin) + Vec3::from(ray.direction) * met.distance;
        // Off the surface by what positions of this size are inexact.
        let off = 1e-4 * (met.distance.abs() + place.abs().max_element());
        let origin = (place + met.normal * off).to_array();
        let (x, y) = met.normal.try_normalize().unwrap_or(Vec3::Z).any_orthonormal_pair();
        let count = self.options.occlusion.min(1024);
        let mut free = 0;
        for i in 0..count {
            let [a, b] = random(seed, i);
            // Cosine-weighted; strata along the radius.
            let r = ((i as f32 + a) / count as f32).sqrt();
            let (sin, cos) = (std::f32::consts::TAU * b).sin_cos();
            let z = (1.0 - r * r).max(0.0).sqrt();
            let direction = (x * (r * cos) + y * (r * sin) + met.normal * z).to_array();
            let probe = Ray { origin, direction, from: 0.0, to: self.reach };
            free += u32::from(!self.world.any(&probe));
        }
        free as f32 / count as f32
    }
}

/// Two numbers, 0 to 1, that belong to a pixel and a ray. Source: Jarzynski and Olano, *Hash
/// Functions for GPU Rendering* (2020), pcg.
fn random(seed: u32, i: u32) -> [f32; 2] {
    let pcg = |v: u32| {
        let state = v.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
        let word = ((state >> ((state >> 28) + 4)) ^ state).wrapping_mul(277_803_737);
        (word >> 22) ^ word
    };
    let a = pcg(seed ^ pcg(i));
    let b = pcg(a ^ 0x9e37_79b9);
    [a, b].map(|v| (v >> 8) as f32 / (1 << 24) as f32)
}

impl Picture {
    fn put(&mut self, at: usize, pixel: &Pixel) {
        for axis in 0..3 {
            self.color[axis][at] = pixel.color[axis];
            self.normal[axis][at] = pixel.normal[axis];
        }
        self.alpha[at] = pixel.alpha;
        self.depth[at] = pixel.depth;
        self.instance[at] = pixel.instance;
    }
}
