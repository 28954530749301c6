//! Nodes: which meshes are drawn, and where.

use super::accessor::Accessed;
use super::buffers::{Buffers, in_place, missing};
use super::document::{Document, GltfNode, Instancing};
use super::notes::Notes;
use crate::instances::{IDENTITY, Matrix, product};
use solio_base::{Error, Result};

/// A mesh where it is drawn.
#[derive(Debug)]
pub(super) struct Placed {
    pub(super) mesh: u32,
    pub(super) name: String,
    pub(super) matrix: Matrix,
}

/// All meshes that the scene draws, in the order of its nodes.
pub(super) fn placed(buffers: &Buffers<'_>, notes: &mut Notes) -> Result<Vec<Placed>> {
    let document = buffers.document;
    let mut found = Vec::new();
    if document.nodes.is_empty() {
        // Meshes alone.
        let meshes = document.meshes.iter().zip(0..);
        found.extend(meshes.map(|(json, mesh)| Placed {
            mesh,
            name: json.name.clone().unwrap_or_default(),
            matrix: IDENTITY,
        }));
        return Ok(found);
    }
    let mut seen = vec![false; document.nodes.len()];
    // A stack of our own: nodes may be as deep as they like.
    let mut stack: Vec<(u32, Matrix)> =
        roots(document, notes)?.into_iter().rev().map(|node| (node, IDENTITY)).collect();
    while let Some((number, above)) = stack.pop() {
        let node = node_at(document, number)?;
        if std::mem::replace(&mut seen[number as usize], true) {
            let message = "it has two parents, or is below itself";
            return Err(Error::corrupt(format!("nodes[{number}]: {message}")));
        }
        let matrix = product(&above, &local(node));
        if let Some(mesh) = node.mesh {
            if document.meshes.len() <= mesh as usize {
                let error = missing("mesh", mesh, document.meshes.len());
                return Err(in_place(error, &format!("nodes[{number}]")));
            }
            notes.skinned += usize::from(node.skin.is_some());
            let named = node.name.as_ref().or(document.meshes[mesh as usize].name.as_ref());
            let name = named.cloned().unwrap_or_default();
            match &node.extensions.instancing {
                None => found.push(Placed { mesh, name, matrix }),
                Some(instancing) => {
                    let what = format!("nodes[{number}].EXT_mesh_gpu_instancing");
                    let each = instances(buffers, instancing).map_err(|e| in_place(e, &what))?;
                    for (i, own) in each.iter().enumerate() {
                        let name = format!("{name}.{i}");
                        found.push(Placed { mesh, name, matrix: product(&matrix, own) });
                    }
                }
            }
        }
        stack.extend(node.children.iter().rev().map(|child| (*child, matrix)));
    }
    let unseen = seen.iter().zip(&document.nodes).filter(|(seen, n)| !**seen && n.mesh.is_some());
    notes.undrawn = unseen.count();
    Ok(found)
}

fn node_at(document: &Document, number: u32) -> Result<&GltfNode> {
    let nodes = &document.nodes;
    nodes.get(number as usize).ok_or_else(|| missing("node", number, nodes.len()))
}

/// The nodes that the scene starts with.
fn roots(document: &Document, notes: &mut Notes) -> Result<Vec<u32>> {
    if document.scenes.is_empty() {
        let mut is_child = vec![false; document.nodes.len()];
        for child in document.nodes.iter().flat_map(|node| &node.children) {
            if let Some(is_child) = is_child.get_mut(*child as usize) {
                *is_child = true;
            }
        }
        let roots = (0..document.nodes.len() as u32).filter(|node| !is_child[*node as usize]);
        return Ok(roots.collect());
    }
    let number = document.scene.unwrap_or(0);
    notes.other_scenes = document.scenes.len() - 1;
    let scene = document.scenes.get(number as usize);
    Ok(scene.ok_or_else(|| missing("scene", number, document.scenes.len()))?.nodes.clone())
}

/// The node's own transform.
fn local(node: &GltfNode) -> Matrix {
    if let Some(m) = &node.matrix {
        // Column by column.
        return [0, 1, 2].map(|row| [m[row], m[4 + row], m[8 + row], m[12 + row]]);
    }
    let identity = [0.0, 0.0, 0.0, 1.0];
    parts(
        node.translation.unwrap_or_default(),
        node.rotation.unwrap_or(identity),
        node.scale.unwrap_or([1.0; 3]),
    )
}

/// Scale, then rotation (a quaternion, x y z w), then translation.
fn parts(t: [f64; 3], q: [f64; 4], s: [f64; 3]) -> Matrix {
    let square: f64 = q.iter().map(|x| x * x).sum();
    // Normalized integers are seldom of length 1.
    let k = if square > 0.0 { 2.0 / square } else { 0.0 };
    let [x, y, z, w] = q;
    let rotation = [
        [1.0 - k * (y * y + z * z), k * (x * y - z * w), k * (x * z + y * w)],
        [k * (x * y + z * w), 1.0 - k * (x * x + z * z), k * (y * z - x * w)],
        [k * (x * z - y * w), k * (y * z + x * w), 1.0 - k * (x * x + y * y)],
    ];
    [0, 1, 2].map(|r| {
        let [a, b, c] = rotation[r];
        [a * s[0], b * s[1], c * s[2], t[r]]
    })
}

/// The transforms of `EXT_mesh_gpu_instancing`.
fn instances(buffers: &Buffers<'_>, json: &Instancing) -> Result<Vec<Matrix>> {
    let open = |name: &str| {
        let number = json.attributes.get(name);
        number.map(|number| Accessed::open(buffers, *number)).transpose()
    };
    let [translations, rotations, scales] =
        [open("TRANSLATION")?, open("ROTATION")?, open("SCALE")?];
    let counts = [&translations, &rotations, &scales].map(|a| a.as_ref().map(|a| a.count));
    let Some(count) = counts.iter().flatten().copied().next() else {
        // Other attributes alone say only how many there are.
        let other = json.attributes.values().next();
        let count = other.map(|number| Accessed::open(buffers, *number)).transpose()?;
        let count = count.map_or(0, |a| a.count);
        buffers.spend(count as u64 * size_of::<Matrix>() as u64)?;
        return Ok(vec![IDENTITY; count]);
    };
    if counts.iter().flatten().any(|other| *other != count) {
        return Err(Error::corrupt("its attributes have different counts"));
    }
    buffers.spend(count as u64 * size_of::<Matrix>() as u64)?;
    let vectors = |a: Option<Accessed<'_>>| a.map(|a| a.rows::<3>(buffers, &|_| ())).transpose();
    let (translations, scales) = (vectors(translations)?, vectors(scales)?);
    let rotations = rotations.map(|a| a.rows::<4>(buffers, &|_| ())).transpose()?;
    let wide = |v: [f32; 3]| v.map(f64::from);
    Ok((0..count)
        .map(|i| {
            parts(
                translations.as_ref().map_or([0.0; 3], |v| wide(v[i])),
                rotations.as_ref().map_or([0.0, 0.0, 0.0, 1.0], |v| v[i].map(f64::from)),
                scales.as_ref().map_or([1.0; 3], |v| wide(v[i])),
            )
        })
        .collect())
}
