//! Gaussian splats as points with `KHR_gaussian_splatting`. Programs that do not know it show points in the
//! colours that are the same from every side.

use super::plan::{Block, CHUNK_ROWS, Plan, VERTICES};
use super::values::{self, AttributeColumn, linear_of_srgb};
use crate::model::Mesh;
use crate::splats::khr::{
    KHR_COLOR_SPACES, KHR_GAUSSIAN_SPLATTING, KHR_KERNEL, KHR_OPACITY, KHR_ROTATION, KHR_SCALE,
    KhrRows, khr_harmonics,
};
use serde_json::{Map, Value, json};
use solio_base::Result;
use std::ops::Range;
use std::sync::Arc;

/// The splats of a mesh that has nothing else.
pub(super) fn splats_of<'m>(mesh: &'m Mesh<'_>) -> Option<KhrRows<'m>> {
    let is_bare =
        mesh.face_offsets.len() < 2 && mesh.line_offsets.len() < 2 && mesh.points.is_empty();
    KhrRows::of(mesh).filter(|_| is_bare)
}

impl<'s> Plan<'s> {
    /// A primitive of some splats of a mesh, whose colours may be linear light.
    pub(super) fn splats(
        &mut self,
        mesh: &'s Mesh<'s>,
        rows: KhrRows<'s>,
        some: Range<usize>,
        are_linear: bool,
    ) -> Value {
        let (rows, start, count) = (Arc::new(rows), some.start, some.len());
        let mut attributes = Map::new();
        let (mut min, mut max) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        for position in some.map(|i| rows.position(i)) {
            for k in 0..3 {
                (min[k], max[k]) = (min[k].min(position[k]), max[k].max(position[k]));
            }
        }
        let own = rows.clone();
        let at = self.rows(count, "VEC3", Some(VERTICES), move |i| own.position(start + i));
        self.accessors[at]["min"] = json!(min);
        self.accessors[at]["max"] = json!(max);
        attributes.insert("POSITION".into(), json!(at));
        let own = rows.clone();
        let fill = move |i: usize| {
            let shown = own.color(start + i);
            let [r, g, b] = if are_linear { shown } else { shown.map(linear_of_srgb) };
            [r, g, b, own.opacity(start + i)].map(|part| (part * 255.0).round() as u8)
        };
        attributes.insert("COLOR_0".into(), json!(self.color_bytes(count, fill)));
        let own = rows.clone();
        let at = self.rows(count, "VEC4", Some(VERTICES), move |i| own.rotation(start + i));
        attributes.insert(KHR_ROTATION.into(), json!(at));
        let own = rows.clone();
        let at = self.rows(count, "VEC3", Some(VERTICES), move |i| own.scale(start + i));
        attributes.insert(KHR_SCALE.into(), json!(at));
        let own = rows.clone();
        let at = self.rows(count, "SCALAR", Some(VERTICES), move |i| [own.opacity(start + i)]);
        attributes.insert(KHR_OPACITY.into(), json!(at));
        for (k, name) in khr_harmonics(rows.degree()).into_iter().enumerate() {
            let own = rows.clone();
            let at = self.rows(count, "VEC3", Some(VERTICES), move |i| own.harmonic(k, start + i));
            attributes.insert(name, json!(at));
        }
        for AttributeColumn { name, column, parts, .. } in values::columns(mesh) {
            if !rows.is_own(name.strip_prefix('_').unwrap_or(&name)) {
                let place = move |i: usize| (start + i) * parts;
                let at = self.column(column, parts, count, false, place);
                attributes.insert(name, json!(at));
            }
        }
        if !self.extensions.contains(&KHR_GAUSSIAN_SPLATTING) {
            self.extensions.push(KHR_GAUSSIAN_SPLATTING);
        }
        let space = KHR_COLOR_SPACES[usize::from(are_linear)];
        json!({
            "attributes": attributes,
            "mode": 0,
            "extensions": {
                KHR_GAUSSIAN_SPLATTING: { "kernel": KHR_KERNEL, "colorSpace": space },
            },
        })
    }

    /// Colours of four bytes; their accessor.
    fn color_bytes(
        &mut self,
        count: usize,
        row: impl Fn(usize) -> [u8; 4] + Send + Sync + 's,
    ) -> usize {
        let fill = move |chunk: usize, buffer: &mut Vec<u8>| -> Result<()> {
            let start = chunk * CHUNK_ROWS;
            (start..count.min(start + CHUNK_ROWS)).for_each(|i| buffer.extend_from_slice(&row(i)));
            Ok(())
        };
        let (bytes, chunks) = ((4 * count) as u64, count.div_ceil(CHUNK_ROWS));
        let block = Block::Rows { bytes, chunks, fill: Box::new(fill) };
        let view = self.block(block, Some(VERTICES));
        let at = self.accessor(view, count, "VEC4", 5121);
        self.accessors[at]["normalized"] = json!(true);
        at
    }
}
