//! What meshes with the same arrays have in common: it is made once a batch.
//!
//! A scene of many objects shows few meshes. Neither their merged UVs, nor the text of these, nor
//! the order of their faces depends on where an object stands.

use super::plan::ObjPart;
use super::values::{self, ValueIndex};
use super::{ObjJob, order, round, vertices};
use crate::model::{Domain, Mesh};
use crate::parallel;
use solio_base::Result;
use std::borrow::Cow;
use std::collections::HashMap;
use std::mem::{Discriminant, discriminant};
use std::sync::Arc;

/// Made once for all meshes of a batch with the same arrays.
#[derive(Default)]
pub(super) struct SharedArrays<'a> {
    /// How corners refer to the UVs.
    pub(super) uvs: Option<ValueIndex<'a>>,
    /// The lines of these, where many use them.
    pub(super) uv_text: Option<Vec<u8>>,
    /// The faces in the order of writing, where that is not their own.
    pub(super) order: Option<Vec<u32>>,
}

/// From this many users on text is kept: then it is less than what merging would take.
const USERS: usize = 4;

/// What decides: where the arrays lie, with their lengths, what UVs belong to, and how they are
/// merged.
#[derive(PartialEq, Eq, Hash)]
struct ArrayKey {
    arrays: [(usize, usize); 2],
    domain: Option<Discriminant<Domain<'static>>>,
    round: Option<usize>,
    /// A mesh with several objects or with an index of its own stands alone.
    alone: Option<usize>,
}

impl ArrayKey {
    fn new(number: usize, mesh: &Mesh<'_>, round: Option<usize>, alone: bool) -> ArrayKey {
        let uvs = mesh.uvs.as_ref().map_or(&[][..], |uvs| &uvs.values);
        let materials = &mesh.face_materials;
        ArrayKey {
            arrays: [
                (uvs.as_ptr() as usize, uvs.len()),
                (materials.as_ptr() as usize, materials.len()),
            ],
            domain: mesh.uvs.as_ref().map(|uvs| kind(&uvs.domain)),
            round,
            alone: alone.then_some(number),
        }
    }
}

fn kind(domain: &Domain<'_>) -> Discriminant<Domain<'static>> {
    discriminant(&match domain {
        Domain::Vertex => Domain::Vertex,
        Domain::Face => Domain::Face,
        Domain::Corner => Domain::Corner,
        Domain::Indexed(_) => Domain::Indexed(Cow::Borrowed(&[])),
    })
}

/// What the meshes of a batch share, in their order.
pub(super) fn shared<'m>(
    job: &ObjJob<'_>,
    meshes: &'m [Cow<'m, Mesh<'m>>],
    parts: &[Vec<ObjPart<'m>>],
) -> Result<Vec<Arc<SharedArrays<'m>>>> {
    let mut places = HashMap::new();
    // The first mesh of each kind, and how many there are.
    let mut kinds: Vec<(usize, usize)> = Vec::new();
    let mut kind_of = Vec::with_capacity(meshes.len());
    for (i, (mesh, parts)) in meshes.iter().zip(parts).enumerate() {
        let indexed = mesh.uvs.as_ref().is_some_and(|u| matches!(u.domain, Domain::Indexed(_)));
        let round = round(mesh, job.options, job.work)?;
        let key = ArrayKey::new(i, mesh, round, indexed || parts.len() != 1);
        let kind = *places.entry(key).or_insert(kinds.len());
        if kind == kinds.len() {
            kinds.push((i, 0));
        }
        kinds[kind].1 += 1;
        kind_of.push(kind);
    }
    let all = parallel::collect(kinds.len(), &|i| {
        let (first, users) = kinds[i];
        job.work.cancel.check()?;
        Ok(Arc::new(make(job, &meshes[first], &parts[first], users)?))
    });
    let all = all.into_iter().collect::<Result<Vec<_>>>()?;
    Ok(kind_of.into_iter().map(|kind| Arc::clone(&all[kind])).collect())
}

fn make<'m>(
    job: &ObjJob<'_>,
    mesh: &'m Mesh<'m>,
    parts: &[ObjPart<'_>],
    users: usize,
) -> Result<SharedArrays<'m>> {
    let round = round(mesh, job.options, job.work)?;
    let uvs = values::uv_index(mesh, job.options, round);
    let mut uv_text = None;
    if let (Some(own), Some(index), true) = (&mesh.uvs, &uvs, users >= USERS)
        && index.groups() == Some(1)
    {
        let mut text = Vec::new();
        vertices::uv_rows(job, &parts[0], (own, index), 0..1, &mut text)?;
        uv_text = Some(text);
    }
    Ok(SharedArrays { uvs, uv_text, order: order(mesh, parts, job.options) })
}
