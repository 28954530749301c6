//! Splats as columns of numbers, as the 3DGS PLY names them: what every format of splats is read into
//! and written from.

use super::{HARMONIC_0, NAMES, floats, splat_count};
use crate::model::{Attribute, Domain, Mesh, Normals, Positions, Scene, Values};
use solio_base::{Error, Result};
use std::borrow::Cow;

/// The view-dependent coefficients of one channel, for each degree of harmonics.
pub(crate) const COEFFICIENTS: [usize; 5] = [0, 3, 8, 15, 24];

/// Alphas of 0 and 1 are at no finite place of an opacity: these stand for them.
const ALPHA_ENDS: [f32; 2] = [1e-6, 1.0 - 1e-6];

/// The logarithm of a size of zero, which has none.
const LEAST_SCALE: f32 = -87.0;

/// The logarithm of a size; what is below zero or no number becomes none.
pub(crate) fn log_size(size: f32) -> f32 {
    if size == 0.0 { LEAST_SCALE } else { f64::from(size).ln() as f32 }
}

/// The splats of a scene. Opacities are logits, scales logarithms, quaternions have w first and any
/// length; `y` is down and the view goes along `z`, by custom.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct SplatColumns<'a> {
    pub(crate) positions: Cow<'a, [[f32; 3]]>,
    /// The constant parts of the colours.
    pub(crate) colors: [Cow<'a, [f32]>; 3],
    pub(crate) opacity: Cow<'a, [f32]>,
    pub(crate) scales: [Cow<'a, [f32]>; 3],
    pub(crate) turns: [Cow<'a, [f32]>; 4],
    /// The view-dependent parts: those of red, then of green, then of blue.
    pub(crate) rest: Vec<Cow<'a, [f32]>>,
}

/// The opacity of an alpha from 0 to 1.
pub(crate) fn logit(alpha: f32) -> f32 {
    let alpha = alpha.clamp(ALPHA_ENDS[0], ALPHA_ENDS[1]);
    (alpha / (1.0 - alpha)).ln()
}

/// The alpha of an opacity.
pub(crate) fn alpha_of(opacity: f32) -> f32 {
    1.0 / (1.0 + (-opacity).exp())
}

/// The channel from 0 to 1 of the constant part of a colour; others than what is seen are outside.
pub(crate) fn channel_of(constant: f32) -> f32 {
    0.5 + HARMONIC_0 * constant
}

/// The constant part of a colour whose channel this is.
pub(crate) fn of_channel(channel: f32) -> f32 {
    (channel - 0.5) / HARMONIC_0
}

/// The quaternion of length 1; no turn for what has no direction.
pub(crate) fn unit(turn: [f32; 4]) -> [f32; 4] {
    let length = turn.iter().map(|v| f64::from(*v).powi(2)).sum::<f64>().sqrt();
    match length.is_finite() && length > 0.0 {
        true => turn.map(|v| (f64::from(v) / length) as f32),
        false => [1.0, 0.0, 0.0, 0.0],
    }
}

impl<'a> SplatColumns<'a> {
    /// Columns of no splats yet, with harmonics of a degree.
    pub(crate) fn of_degree(degree: usize, capacity: usize) -> SplatColumns<'static> {
        let column = || Cow::Owned(Vec::with_capacity(capacity));
        SplatColumns {
            positions: Cow::Owned(Vec::with_capacity(capacity)),
            colors: [(); 3].map(|()| column()),
            opacity: column(),
            scales: [(); 3].map(|()| column()),
            turns: [(); 4].map(|()| column()),
            rest: (0..3 * COEFFICIENTS[degree]).map(|_| column()).collect(),
        }
    }

    /// The splats of a mesh; `None` where it is none.
    pub(crate) fn of_mesh<'m>(mesh: &'m Mesh<'_>) -> Option<SplatColumns<'m>> {
        let count = splat_count(mesh);
        if count == 0 {
            return None;
        }
        let column = |name: &str| floats(mesh, "vertex", name).map(Cow::Borrowed);
        let columns = |names: &[&str]| names.iter().map(|name| column(name)).collect();
        let [colors, opacity, scales, turns]: [Option<Vec<_>>; 4] = [
            columns(&NAMES[..3]),
            columns(&NAMES[3..4]),
            columns(&NAMES[4..7]),
            columns(&NAMES[7..]),
        ];
        let rest = (0..).map_while(|k| column(&format!("f_rest_{k}")).filter(|v| v.len() == count));
        let mut rest: Vec<Cow<'m, [f32]>> = rest.take(3 * COEFFICIENTS[4]).collect();
        // Of a degree that is there in part nothing is known.
        let of_channel = rest.len() / 3;
        if !rest.len().is_multiple_of(3) || !COEFFICIENTS.contains(&of_channel) {
            rest.clear();
        }
        Some(SplatColumns {
            positions: match &mesh.positions {
                Positions::F32(positions) => Cow::Borrowed(positions),
                Positions::F64(wide) => wide.iter().map(|p| p.map(|v| v as f32)).collect(),
            },
            colors: colors?.try_into().ok()?,
            opacity: opacity?.pop()?,
            scales: scales?.try_into().ok()?,
            turns: turns?.try_into().ok()?,
            rest,
        })
    }

    /// The splats of all meshes, one after the other; `name` is the format that has nothing else.
    ///
    /// # Errors
    /// `Unsupported` where there are none.
    pub(crate) fn of_scene<'m>(scene: &'m Scene<'_>, name: &str) -> Result<SplatColumns<'m>> {
        let mut all = scene.meshes.iter().filter_map(SplatColumns::of_mesh);
        let Some(mut first) = all.next() else {
            let message = format!("{name} holds Gaussian splats, and the input has none");
            return Err(Error::unsupported(message)
                .hint("splats are points with f_dc_0, opacity, scale_0, rot_0 and more of them"));
        };
        all.for_each(|more| first.append(more));
        Ok(first)
    }

    /// The view-dependent parts of a degree that is not lower.
    pub(crate) fn rest_of_degree(&self, degree: usize) -> Vec<Vec<f32>> {
        let [own, all] = [self.degree(), degree].map(|degree| COEFFICIENTS[degree]);
        let column = |c: usize, k: usize| match k < own {
            true => self.rest[c * own + k].to_vec(),
            false => vec![0.0; self.count()],
        };
        (0..3).flat_map(|c| (0..all).map(move |k| (c, k))).map(|(c, k)| column(c, k)).collect()
    }

    fn append(&mut self, more: SplatColumns<'_>) {
        let degree = self.degree().max(more.degree());
        let mut rest = self.rest_of_degree(degree);
        let others = more.rest_of_degree(degree);
        rest.iter_mut().zip(others).for_each(|(all, more)| all.extend(more));
        self.rest = rest.into_iter().map(Cow::Owned).collect();
        self.positions.to_mut().extend_from_slice(&more.positions);
        let others = self.singles().into_iter().zip(more.into_singles());
        others.for_each(|(all, more)| all.to_mut().extend_from_slice(&more));
    }

    /// All columns of which each splat has one number, but the view-dependent ones, in the order of their
    /// names.
    fn singles(&mut self) -> [&mut Cow<'a, [f32]>; 11] {
        let ([r, g, b], [x, y, z]) = (&mut self.colors, &mut self.scales);
        let [turn_w, turn_x, turn_y, turn_z] = &mut self.turns;
        [r, g, b, &mut self.opacity, x, y, z, turn_w, turn_x, turn_y, turn_z]
    }

    fn into_singles(self) -> [Cow<'a, [f32]>; 11] {
        let ([r, g, b], [x, y, z], [turn_w, turn_x, turn_y, turn_z]) =
            (self.colors, self.scales, self.turns);
        [r, g, b, self.opacity, x, y, z, turn_w, turn_x, turn_y, turn_z]
    }

    pub(crate) fn count(&self) -> usize {
        self.positions.len()
    }

    /// The degree of the harmonics.
    pub(crate) fn degree(&self) -> usize {
        let of_channel = self.rest.len() / 3;
        COEFFICIENTS.iter().position(|&count| count == of_channel).unwrap_or(0)
    }

    /// Whether an attribute of vertices is one of those that these splats are made of.
    pub(crate) fn is_own(&self, name: &str) -> bool {
        let number = name.strip_prefix("f_rest_").and_then(|number| number.parse::<usize>().ok());
        NAMES.contains(&name) || number.is_some_and(|number| number < self.rest.len())
    }

    /// The quaternion of a splat, with a length of 1.
    pub(crate) fn turn(&self, i: usize) -> [f32; 4] {
        unit([0, 1, 2, 3].map(|k| self.turns[k][i]))
    }

    /// A number of each of three columns.
    pub(crate) fn three(columns: &[Cow<'_, [f32]>; 3], i: usize) -> [f32; 3] {
        [0, 1, 2].map(|k| columns[k][i])
    }

    /// Adds a splat without view-dependent parts.
    pub(crate) fn push(&mut self, position: [f32; 3], numbers: [f32; 11]) {
        self.positions.to_mut().push(position);
        let columns = self.singles().into_iter().zip(numbers);
        columns.for_each(|(column, number)| column.to_mut().push(number));
    }

    /// The same splats in this order.
    pub(crate) fn in_order(&self, order: &[u32]) -> SplatColumns<'static> {
        let pick = |values: &Cow<'_, [f32]>| -> Cow<'static, [f32]> {
            order.iter().map(|&i| values[i as usize]).collect()
        };
        SplatColumns {
            positions: order.iter().map(|&i| self.positions[i as usize]).collect(),
            colors: self.colors.each_ref().map(pick),
            opacity: pick(&self.opacity),
            scales: self.scales.each_ref().map(pick),
            turns: self.turns.each_ref().map(pick),
            rest: self.rest.iter().map(pick).collect(),
        }
    }

    /// The mesh, with the properties in the order in which 3DGS writes them, and programs that go by
    /// the order expect them: normals of zero are among these.
    pub(crate) fn into_mesh(self) -> Mesh<'a> {
        let zeros = vec![[0.0; 3]; self.count()];
        let mut mesh = Mesh {
            normals: Some(Normals { values: zeros.into(), domain: Domain::Vertex }),
            ..Mesh::default()
        };
        let mut add = |name: String, values: Cow<'a, [f32]>| {
            let values = Values::F32(values);
            mesh.attributes.push(Attribute { element: "vertex".into(), name, values, list: None });
        };
        let mut names = NAMES.iter().map(ToString::to_string);
        let named = |values: Cow<'a, [f32]>| (names.next().unwrap_or_default(), values);
        self.colors.into_iter().map(named).for_each(|(name, values)| add(name, values));
        let rest = self.rest.into_iter().enumerate();
        rest.for_each(|(k, values)| add(format!("f_rest_{k}"), values));
        let others = [self.opacity].into_iter().chain(self.scales).chain(self.turns);
        NAMES[3..].iter().zip(others).for_each(|(name, values)| add(name.to_string(), values));
        mesh.positions = Positions::F32(self.positions);
        mesh
    }

    /// The scene of these splats alone.
    pub(crate) fn into_scene(self) -> Scene<'a> {
        Scene { meshes: vec![self.into_mesh()], ..Scene::default() }
    }
}
