//! `KHR_gaussian_splatting`: a primitive of points that are Gaussian splats, to a mesh as a 3DGS PLY has it.

use super::accessor::Accessed;
use super::buffers::{Buffers, in_place};
use super::document::{PrimitiveJson, SplattingJson};
use super::extra::ExtraAttributes;
use super::notes::Notes;
use crate::model::Mesh;
use crate::splats::khr::{
    KHR_COLOR_SPACES, KHR_GAUSSIAN_SPLATTING, KHR_KERNEL, KHR_MOST_DEGREE, KHR_OPACITY,
    KHR_ROTATION, KHR_SCALE, KhrSplats, khr_harmonics, khr_harmonics_of, of_inner_spz,
};
use crate::splats::{SplatColumns, SplatReadOptions, spz};
use solio_base::{Error, Result};

/// Reads the splats of a primitive; `None` where it has none.
pub(super) fn read_splats(
    buffers: &Buffers<'_>,
    json: &PrimitiveJson,
    splatting: &SplattingJson,
    notes: &mut Notes,
) -> Result<Option<Mesh<'static>>> {
    if json.mode != 0 {
        return Err(Error::corrupt(format!("splats are points, and its mode is {}", json.mode)));
    }
    tell(splatting, notes);
    notes.targets += json.targets.len();
    let columns = match &splatting.extensions.spz {
        Some(inner) => inner_spz(buffers, inner.buffer_view, notes)?,
        None if !json.attributes.contains_key("POSITION") => {
            notes.empty += 1;
            return Ok(None);
        }
        None => {
            let what = compression(splatting).filter(|_| !json.attributes.contains_key(KHR_SCALE));
            if let Some(name) = what {
                let message = format!("the splats are compressed with {name}, which is not read");
                return Err(Error::unsupported(message));
            }
            columns_of(buffers, json, notes)?
        }
    };
    let count = columns.count();
    let mut mesh = columns.into_mesh();
    if splatting.extensions.spz.is_none() {
        mesh.attributes.extend(more_attributes(buffers, json, count, notes)?);
    }
    let Some(number) = json.indices else { return Ok(Some(mesh)) };
    // Those that are drawn, in their order.
    let indices = Accessed::open(buffers, number)?.indices(buffers, count)?;
    let columns = SplatColumns::of_mesh(&mesh).unwrap_or_default();
    if mesh.attributes.iter().any(|a| !columns.is_own(&a.name)) {
        notes.leave("further attributes of splats with indices");
    }
    buffers.spend(indices.len() as u64 * 4 * (14 + columns.rest.len() as u64))?;
    Ok(Some(columns.in_order(&indices).into_mesh()))
}

/// What other shapes and colours there may be.
fn tell(splatting: &SplattingJson, notes: &mut Notes) {
    if let Some(kernel) = splatting.kernel.as_ref().filter(|kernel| *kernel != KHR_KERNEL) {
        notes.leave(format!("the shape \"{kernel}\" of splats: they are ellipsoids"));
    }
    let [displayed, linear] = KHR_COLOR_SPACES;
    match splatting.color_space.as_deref() {
        Some(space) if space == linear => notes.linear_splats += 1,
        space => {
            notes.displayed_splats += 1;
            if let Some(space) = space.filter(|space| *space != displayed) {
                notes.leave(format!("the colour space \"{space}\" of splats"));
            }
        }
    }
    let projection = splatting.projection.as_deref().unwrap_or("perspective");
    let sorting = splatting.sorting_method.as_deref().unwrap_or("cameraDistance");
    if projection != "perspective" {
        notes.leave(format!("the projection \"{projection}\" of splats"));
    }
    if sorting != "cameraDistance" {
        notes.leave(format!("the order \"{sorting}\" of splats"));
    }
    for name in splatting.extensions.others.keys() {
        notes.leave(format!("the extension {name} of splats"));
    }
}

/// What compresses the splats, as far as its name tells.
fn compression(splatting: &SplattingJson) -> Option<&str> {
    let mut names = splatting.extensions.others.keys();
    names.find(|name| name.contains("compression")).map(String::as_str)
}

fn inner_spz(buffers: &Buffers<'_>, view: u32, notes: &mut Notes) -> Result<SplatColumns<'static>> {
    let mut decode = || {
        let bytes = buffers.view_bytes(view)?;
        let options = SplatReadOptions { limits: buffers.limits(), ..SplatReadOptions::default() };
        let unpacked = spz::unpacked(bytes, &options.limits)?;
        let scene = spz::decode_spz(&unpacked, &options, buffers.work)?;
        notes.odd.extend(scene.warnings);
        notes.comments.extend(scene.comments);
        let columns = scene.meshes.first().and_then(of_inner_spz).unwrap_or_default();
        buffers.spend(columns.count() as u64 * 4 * (14 + columns.rest.len() as u64))?;
        Ok(columns)
    };
    decode().map_err(|e: Error| {
        // A place within the SPZ is none of the file.
        let plain = Error::new(e.kind(), e.message());
        in_place(plain, &format!("the SPZ in bufferViews[{view}]"))
    })
}

/// An attribute's accessor, of as many rows as there are splats.
fn open<'b>(
    buffers: &'b Buffers<'_>,
    json: &PrimitiveJson,
    name: &str,
    count: Option<usize>,
) -> Result<Accessed<'b>> {
    let Some(number) = json.attributes.get(name) else {
        return Err(Error::corrupt(format!("splats without {name}")));
    };
    let accessor = Accessed::open(buffers, *number).map_err(|e| in_place(e, name))?;
    match count {
        Some(count) if count != accessor.count => {
            Err(Error::corrupt(format!("{name} has {} values for {count} splats", accessor.count)))
        }
        _ => Ok(accessor),
    }
}

fn columns_of(
    buffers: &Buffers<'_>,
    json: &PrimitiveJson,
    notes: &mut Notes,
) -> Result<SplatColumns<'static>> {
    let none = |_: &mut [[f32; 3]]| ();
    let positions = open(buffers, json, "POSITION", None)?;
    let count = Some(positions.count);
    let degree = degree_of(json, notes);
    // Rows become columns, one attribute after another.
    let mut splats = KhrSplats::new(positions.rows(buffers, &none)?, degree);
    splats.rotations(&open(buffers, json, KHR_ROTATION, count)?.rows(buffers, &|_| ())?);
    splats.scales(&open(buffers, json, KHR_SCALE, count)?.rows(buffers, &none)?);
    splats.opacities(&open(buffers, json, KHR_OPACITY, count)?.rows(buffers, &|_| ())?);
    for (k, name) in khr_harmonics(degree).iter().enumerate() {
        splats.harmonic(k, &open(buffers, json, name, count)?.rows(buffers, &none)?);
    }
    Ok(splats.finish())
}

/// The highest degree of which, and below, all harmonics are there.
fn degree_of(json: &PrimitiveJson, notes: &mut Notes) -> usize {
    let has = |name: String| json.attributes.contains_key(&name);
    let is_whole = |degree: &usize| khr_harmonics_of(*degree).all(has);
    let degree = (1..=KHR_MOST_DEGREE).take_while(is_whole).count();
    let start = format!("{KHR_GAUSSIAN_SPLATTING}:SH_DEGREE_");
    let there = json.attributes.keys().filter(|name| name.starts_with(&start)).count();
    let read = khr_harmonics(degree).len();
    if there > read {
        notes.leave(format!("harmonics of splats beyond degree {degree}, or in part"));
    }
    degree
}

/// What applications add to the splats. Colours are those of programs that know points alone.
fn more_attributes(
    buffers: &Buffers<'_>,
    json: &PrimitiveJson,
    count: usize,
    notes: &mut Notes,
) -> Result<Vec<crate::model::Attribute<'static>>> {
    let mut extra = ExtraAttributes::default();
    for name in json.attributes.keys() {
        let is_known = ["POSITION", "COLOR_0"].contains(&&**name)
            || name.starts_with(&format!("{KHR_GAUSSIAN_SPLATTING}:"));
        if is_known {
            continue;
        }
        if !name.starts_with('_') {
            notes.leave(format!("{name} of splats"));
            continue;
        }
        let accessor = open(buffers, json, name, Some(count))?;
        extra.add(name, &accessor, 0, buffers, notes).map_err(|e| in_place(e, name))?;
    }
    Ok(extra.finish())
}
