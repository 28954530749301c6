//! Files to arrays, kinds of data apart.

use super::LabOptions;
use crate::image::any::format_of;
use crate::{ImageFormat, Input, MeshReadOptions};
use image::DynamicImage;
use solio_base::{Error, Result, Work};
use solio_exr::model::{FlatLevel, Pixels, Plane};
use solio_exr::{PixelType, ReadOptions};
use solio_image::decode_pixels;
use solio_kinds::{Family, FileKind};
use solio_lab::npy::{decode_npy, decode_raw};
use solio_lab::{Array, Kind, Layout, ValueType};
use solio_mesh::model::{Mesh, Positions};
use std::path::Path;

/// The arrays of a file.
pub(super) fn read_arrays(
    path: &Path,
    options: &LabOptions,
    work: &Work,
    notes: &mut Vec<String>,
) -> Result<Vec<Array>> {
    let input = &Input::open(path, &options.limits, work)?;
    let mut arrays = match format_of(input) {
        Some(ImageFormat::Exr) => of_exr(input, options, work, notes)?,
        Some(format) => of_picture(input, format, options, work)?,
        None => of_other(input, options, work)?,
    };
    arrays.retain(|array| !array.bytes.is_empty());
    if arrays.is_empty() {
        return Err(Error::unsupported("there are no numbers in it to pack"));
    }
    let file = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    for array in &mut arrays {
        array.file = file.clone().into_owned();
        array.check()?;
    }
    Ok(arrays)
}

fn of_other(input: &Input, options: &LabOptions, work: &Work) -> Result<Vec<Array>> {
    let is_npy = input.kind_or_named() == FileKind::Npy;
    let is_mesh = input.kind_or_named().family() == Family::Mesh;
    if is_npy || options.raw.is_some() && !is_mesh {
        let bytes = input.bytes(work)?;
        return match &options.raw {
            Some(shape) if input.kind() != FileKind::Npy => Ok(vec![decode_raw(&bytes, shape)?]),
            _ => Ok(vec![decode_npy(&bytes)?]),
        };
    }
    let reading = MeshReadOptions {
        limits: options.limits,
        skip_materials: true,
        ..MeshReadOptions::default()
    };
    let scene = crate::read_mesh(input, &reading, work)?;
    Ok(scene.meshes.iter().flat_map(of_mesh).collect())
}

fn array(name: &str, kind: Kind, value: ValueType, channels: &[&str], layout: Layout) -> Array {
    Array {
        file: String::new(),
        name: name.to_owned(),
        kind,
        value,
        channels: channels.iter().map(|name| (*name).to_owned()).collect(),
        layout,
        bytes: Vec::new(),
        whole_bytes: 0,
    }
}

fn filled(mut array: Array, bytes: Vec<u8>) -> Array {
    array.whole_bytes = bytes.len() as u64;
    array.bytes = bytes;
    array
}

fn of_mesh(mesh: &Mesh<'_>) -> Vec<Array> {
    use ValueType::{F32, F64, U32};
    let list = |name: &str, kind, value, channels: &[&str], count, bytes: &[u8]| {
        filled(array(name, kind, value, channels, Layout::Elements { count }), bytes.to_vec())
    };
    let xyz = &["x", "y", "z"];
    let count = mesh.positions.len();
    let (value, bytes): (_, &[u8]) = match &mesh.positions {
        Positions::F32(values) => (F32, bytemuck::cast_slice(values)),
        Positions::F64(values) => (F64, bytemuck::cast_slice(values)),
    };
    let mut arrays = vec![list("positions", Kind::MeshPositions, value, xyz, count, bytes)];
    if let Some(normals) = &mesh.normals {
        let values = &normals.values;
        let bytes = bytemuck::cast_slice(values);
        arrays.push(list("normals", Kind::MeshNormals, F32, xyz, values.len(), bytes));
    }
    if let Some(uvs) = &mesh.uvs {
        let values = &uvs.values;
        let bytes = bytemuck::cast_slice(values);
        arrays.push(list("UVs", Kind::MeshUvs, F32, &["u", "v"], values.len(), bytes));
    }
    if let Some(colors) = &mesh.colors {
        let (values, rgba) = (&colors.values, &["R", "G", "B", "A"]);
        let bytes = bytemuck::cast_slice(values);
        arrays.push(list("colours", Kind::MeshColors, F32, rgba, values.len(), bytes));
    }
    let corners = &mesh.corner_vertices;
    let triangles = mesh.face_offsets.windows(2).all(|pair| pair[1] - pair[0] == 3);
    let names: &[&str] = if triangles { &["a", "b", "c"] } else { &["vertex"] };
    let (count, bytes) = (corners.len() / names.len(), bytemuck::cast_slice(corners));
    arrays.push(list("indices", Kind::MeshIndices, U32, names, count, bytes));
    arrays
}

fn of_picture(
    input: &Input,
    format: ImageFormat,
    options: &LabOptions,
    work: &Work,
) -> Result<Vec<Array>> {
    let bytes = input.bytes(work)?;
    let stored = decode_pixels(&bytes, format, &options.limits)?;
    if stored.is_grey {
        let message = "grey of floats is read from OpenEXR only";
        return Err(Error::unsupported(message).hint("solio convert makes OpenEXR of it"));
    }
    let picture = stored.picture;
    let channels = usize::from(picture.color().channel_count());
    let names: &[&str] = match channels {
        1 => &["Y"],
        2 => &["Y", "A"],
        3 => &["R", "G", "B"],
        _ => &["R", "G", "B", "A"],
    };
    let (value, kind) = match &picture {
        DynamicImage::ImageRgb32F(_) | DynamicImage::ImageRgba32F(_) => {
            (ValueType::F32, Kind::FloatColor)
        }
        _ if usize::from(picture.color().bytes_per_pixel()) == 2 * channels => {
            (ValueType::U16, Kind::IntegerColor)
        }
        _ => (ValueType::U8, Kind::IntegerColor),
    };
    let (width, rows) = (picture.width() as usize, picture.height() as usize);
    let pixels = picture.into_bytes();
    let (size, pixel) = (value.bytes(), value.bytes() * channels);
    let mut lines = Vec::with_capacity(pixels.len());
    for row in pixels.chunks_exact((width * pixel).max(1)) {
        for channel in 0..channels {
            for one in row.chunks_exact(pixel) {
                lines.extend_from_slice(&one[channel * size..][..size]);
            }
        }
    }
    Ok(vec![filled(array("", kind, value, names, Layout::Rows { width, rows }), lines)])
}

fn of_exr(
    input: &Input,
    options: &LabOptions,
    work: &Work,
    notes: &mut Vec<String>,
) -> Result<Vec<Array>> {
    let reading = ReadOptions { limits: options.limits, ..ReadOptions::default() };
    let image = crate::read_image(input, &reading, work)?;
    let mut arrays = Vec::new();
    let several = image.parts.len() > 1;
    for (number, part) in image.parts.iter().enumerate() {
        let Pixels::Flat(levels) = &part.pixels else {
            notes.push(format!("{}: deep samples are left out", input.path().display()));
            continue;
        };
        let name = part.header.name().map(ToString::to_string);
        let name = name.unwrap_or_else(|| format!("part {number}"));
        let name = if several { name } else { String::new() };
        arrays.extend(levels.first().into_iter().flat_map(|level| of_level(&name, level)));
    }
    Ok(arrays)
}

/// Channels of one layer, kind, type and size belong together.
fn of_level(part: &str, level: &FlatLevel<'_>) -> Vec<Array> {
    let mut groups: Vec<(Key, Vec<&Plane<'_>>)> = Vec::new();
    for plane in &level.planes {
        let key = Key::of(plane);
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, planes)) => planes.push(plane),
            None => groups.push((key, vec![plane])),
        }
    }
    let alone = groups.len() == 1;
    let arrays = groups.iter().filter_map(|(key, planes)| {
        let rows = key.rows(level);
        let width = planes[0].samples.len().checked_div(rows)?;
        let names: Vec<&str> = planes.iter().map(|plane| plane.channel.name.as_str()).collect();
        let colors = matches!(key.kind, Kind::HalfColor | Kind::FloatColor);
        let kind = if colors || alone { "" } else { key.kind.name() };
        let words = [part, &key.layer, kind].into_iter().filter(|word| !word.is_empty());
        let name = words.collect::<Vec<_>>().join(" · ");
        let row = width * key.value.bytes();
        let mut bytes = Vec::with_capacity(planes.len() * rows * row);
        for y in 0..rows {
            for plane in planes {
                bytes.extend_from_slice(&plane.samples.as_bytes()[y * row..][..row]);
            }
        }
        let array = array(&name, key.kind, key.value, &names, Layout::Rows { width, rows });
        Some(filled(array, bytes))
    });
    arrays.collect()
}

#[derive(PartialEq)]
struct Key {
    layer: String,
    kind: Kind,
    value: ValueType,
    sampling: [i32; 2],
}

impl Key {
    fn of(plane: &Plane<'_>) -> Key {
        let channel = &plane.channel;
        let value = match channel.pixel_type {
            PixelType::Uint => ValueType::U32,
            PixelType::Half => ValueType::F16,
            PixelType::Float => ValueType::F32,
        };
        let layer = channel.name.rsplit_once('.').map_or("", |(layer, _)| layer);
        Key {
            layer: layer.to_owned(),
            kind: Kind::of_channel(&channel.name, value),
            value,
            sampling: [channel.x_sampling, channel.y_sampling],
        }
    }

    /// Rows of the level in which such a channel has samples.
    fn rows(&self, level: &FlatLevel<'_>) -> usize {
        let [_, step] = self.sampling.map(|step| i64::from(step.max(1)));
        let (first, last) = (i64::from(level.window.min[1]), i64::from(level.window.max[1]));
        (last.div_euclid(step) - (first - 1).div_euclid(step)).max(0) as usize
    }
}
