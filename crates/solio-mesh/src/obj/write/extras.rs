//! What stands behind the position in a `v` line: colour, alpha, and the fourth coordinate.

use super::PartText;
use super::vertices::check;
use crate::color::linear_to_srgb;
use crate::model::{ColorSpace, Colors};
use crate::obj::options::ObjWriteOptions;
use solio_base::Result;
use solio_codec::number::format::rows_f32;
use std::ops::Range;

/// The numbers behind a position.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ExtraNumbers {
    Weight,
    Color,
    ColorAlpha,
    /// Reads as such in a file of rational curves, and as [`ExtraNumbers::ColorAlpha`] in others.
    WeightColor,
}

/// Colours and fourth coordinates of the vertices of a mesh that has one of both.
#[derive(Clone, Copy)]
pub(super) struct ObjExtras<'a> {
    text: PartText<'a>,
    colors: Option<&'a Colors<'a>>,
    weights: Option<&'a [f32]>,
}

/// Whether the `v` lines of a mesh have the alpha of their colours: all of them or none, as readers of
/// columns expect.
pub(super) fn has_alpha(
    colors: Option<&Colors<'_>>,
    options: &ObjWriteOptions,
    is_rational: bool,
) -> bool {
    let colors = colors.filter(|_| options.export_colors && options.export_alpha && !is_rational);
    colors.is_some_and(|colors| colors.values.iter().any(|color| color[3] != 1.0))
}

/// Whether the file says the fourth coordinate of a vertex beside its colour.
pub(in crate::obj) fn says_weight(weight: f32, color: [f32; 4], is_rational: bool) -> bool {
    // In a file of other vertices with colours, a vertex without one is white.
    weight != 1.0 && (is_rational || color == [1.0; 4])
}

impl<'a> ObjExtras<'a> {
    pub(super) fn new(
        text: PartText<'a>,
        colors: Option<&'a Colors<'a>>,
        weights: Option<&'a [f32]>,
    ) -> Self {
        ObjExtras { text, colors, weights }
    }

    /// What vertex number `vertex` has.
    pub(super) fn of(&self, vertex: usize) -> ExtraNumbers {
        let Some(colors) = self.colors else { return ExtraNumbers::Weight };
        let is_rational = self.text.job.is_rational;
        let color = colors.values[vertex];
        match self.weights.map_or(1.0, |weights| weights[vertex]) {
            weight if !says_weight(weight, color, is_rational) => match self.text.mesh.has_alpha {
                true => ExtraNumbers::ColorAlpha,
                false => ExtraNumbers::Color,
            },
            _ if color == [1.0; 4] => ExtraNumbers::Weight,
            _ => ExtraNumbers::WeightColor,
        }
    }

    /// Appends the numbers of `vertices`, each with a blank before and a line end behind.
    pub(super) fn push(
        &self,
        kind: ExtraNumbers,
        vertices: Range<usize>,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        match kind {
            ExtraNumbers::Weight => self.push_weights(vertices, out),
            ExtraNumbers::Color => self.push_colors::<3>(vertices, out),
            ExtraNumbers::ColorAlpha => self.push_colors::<4>(vertices, out),
            ExtraNumbers::WeightColor => {
                let (mut weights, mut colors) = (Vec::new(), Vec::new());
                self.push_weights(vertices.clone(), &mut weights)?;
                self.push_colors::<3>(vertices, &mut colors)?;
                let colors = colors.split_inclusive(|&b| b == b'\n');
                for (weight, color) in weights.split(|&b| b == b'\n').zip(colors) {
                    out.extend_from_slice(weight);
                    out.extend_from_slice(color);
                }
                Ok(())
            }
        }
    }

    fn push_weights(&self, vertices: Range<usize>, out: &mut Vec<u8>) -> Result<()> {
        let PartText { job, part, .. } = self.text;
        let (first, weights) = (vertices.start, self.weights);
        let values: Vec<[f32; 1]> = vertices.map(|v| [weights.map_or(1.0, |w| w[v])]).collect();
        check(job, part, "the fourth coordinate of vertex", first, &values)?;
        rows_f32(out, b" ", job.options.position_digits, &values);
        Ok(())
    }

    fn push_colors<const N: usize>(&self, vertices: Range<usize>, out: &mut Vec<u8>) -> Result<()> {
        let PartText { job, part, .. } = self.text;
        let (first, colors) = (vertices.start, self.colors);
        let color = |v: usize| {
            let rgba = colors.map_or([1.0; 4], |colors| srgb(colors, v));
            std::array::from_fn(|channel| rgba[channel])
        };
        let values: Vec<[f32; N]> = vertices.map(color).collect();
        check(job, part, "the colour of vertex", first, &values)?;
        rows_f32(out, b" ", job.options.color_digits, &values);
        Ok(())
    }
}

/// Colour `vertex` in sRGB, and its alpha.
fn srgb(colors: &Colors<'_>, vertex: usize) -> [f32; 4] {
    let [r, g, b, alpha] = colors.values[vertex];
    let [r, g, b] = match colors.space {
        ColorSpace::Srgb => [r, g, b],
        ColorSpace::Linear => [r, g, b].map(linear_to_srgb),
    };
    [r, g, b, alpha]
}
