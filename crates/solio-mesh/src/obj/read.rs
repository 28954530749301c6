//! Reads OBJ in parallel: text is cut into chunks of whole lines, chunks are read at once, and
//! put together in order.
//!
//! ```text
//! Source ─► input (cut, decode) ─► runs, statement (text to arrays) ─► gather (one mesh)
//! ```
//!
//! The grammar is that of the Wavefront *Object Files* specification 3.0, with what real files
//! have beside it: vertex colours, polypaint, every line end, UTF-16, indices that point ahead.
//!
//! Why it is fast: a chunk stays in the second-level cache from the read to its arrays; runs of
//! lines of one kind go through one tight loop each; faces cost one offset beside their corners;
//! places are found only when something is wrong.

mod chunk;
mod freeform;
mod gather;
mod input;
mod locate;
mod names;
mod runs;
mod statement;
mod token;

#[cfg(test)]
mod tests;

pub(super) use input::line_end;
pub(super) use token::{Token, Tokens, shown};

use super::options::ObjReadOptions;
use crate::material::Material;
use crate::model::{Mesh, Positions, Scene};
use crate::spans::{ASSEMBLE, DECODE, JOIN};
use crate::text::precision::{IN_A_STREAM, any_far, any_far_says_more, any_says_more, is_offset};
use chunk::ParsedText;
use gather::ObjGather;
use input::{SourceText, TextInput};
use solio_base::{Result, Source, Work, ordered};
use solio_codec::lines::LineReader;
use std::collections::HashMap;

/// Text in one chunk. With its arrays it should fit the second-level cache.
const CHUNK_BYTES: usize = 256 << 10;

/// The colour of a vertex without one, in a file where others have it.
const NO_COLOR: [f32; 4] = [1.0; 4];

#[derive(Default)]
struct TextSlot {
    text: SourceText,
    parsed: ParsedText,
    reader: LineReader,
}

/// Reads an OBJ file as one mesh with many objects.
///
/// [`Scene::materials`] has the names that `usemtl` gives; their properties come from the files
/// in [`Scene::material_libraries`], by [`decode_mtl`](super::decode_mtl) and
/// [`attach_materials`].
pub fn decode_obj(
    source: &dyn Source,
    options: &ObjReadOptions,
    work: &Work,
) -> Result<Scene<'static>> {
    decode_precise(source, options, work, CHUNK_BYTES)
}

/// Reads with doubles where the text needs them. A source that can be read again is, so that the result
/// is that of [`ObjReadOptions::double`].
fn decode_precise(
    source: &dyn Source,
    options: &ObjReadOptions,
    work: &Work,
    chunk_bytes: usize,
) -> Result<Scene<'static>> {
    let mut scene = decode_chunks(source, options, work, chunk_bytes)?;
    if options.double {
        return Ok(scene);
    }
    if source.is_sequential() {
        if matches!(&scene.meshes[0].positions, Positions::F32(narrow) if is_offset(narrow)) {
            scene.warnings.push(IN_A_STREAM.into());
        }
        return Ok(scene);
    }
    let is_unsure = match &scene.meshes[0].positions {
        Positions::F64(_) => false,
        Positions::F32(positions) if is_offset(positions) => true,
        Positions::F32(_) => return Ok(scene),
    };
    let double = ObjReadOptions { double: true, ..options.clone() };
    let precise = decode_chunks(source, &double, work, chunk_bytes)?;
    let says_more = |mesh: &Mesh<'_>| match &mesh.positions {
        Positions::F64(positions) => any_says_more(positions.as_flattened()),
        Positions::F32(_) => false,
    };
    Ok(if is_unsure && !precise.meshes.iter().any(says_more) { scene } else { precise })
}

fn decode_chunks(
    source: &dyn Source,
    options: &ObjReadOptions,
    work: &Work,
    chunk_bytes: usize,
) -> Result<Scene<'static>> {
    let mut input = TextInput::new(source, chunk_bytes, options.limits)?;
    // Text of another encoding is made into UTF-8 first, so it is not what lies in memory.
    let memory = if input.encoding().is_none() { source.as_bytes() } else { None };
    let mut gather = ObjGather::new(source, options);
    // A chunk's arrays take up to about three times its text.
    let window = work.window(4 * chunk_bytes);
    ordered::run::<TextSlot>(
        work,
        window,
        |slot| input.next(&mut slot.text),
        |slot| {
            let _span = DECODE.begin().bytes(slot.text.len);
            slot.parsed.clear();
            let TextSlot { text, parsed, reader } = slot;
            runs::chunk(text.padded(memory), text.len, options, reader, parsed);
            if any_far(parsed.positions.as_flattened()) {
                let double = ObjReadOptions { double: true, ..options.clone() };
                let mut precise = ParsedText::default();
                runs::chunk(text.padded(memory), text.len, &double, reader, &mut precise);
                if any_far_says_more(precise.positions64.as_flattened()) {
                    std::mem::swap(&mut parsed.positions64, &mut precise.positions64);
                    parsed.positions.clear();
                }
            }
            Ok(())
        },
        |slot| {
            let _span = JOIN.begin();
            gather.add(&slot.text, &mut slot.parsed)
        },
    )?;
    let _span = ASSEMBLE.begin();
    gather.finish(source)
}

/// Gives the materials of a scene the properties that its libraries have for their names.
/// Materials that no face uses are added at the end; of several with one name the first counts.
pub fn attach_materials(scene: &mut Scene<'_>, materials: Vec<Material>) {
    let mut known: HashMap<String, (usize, bool)> = HashMap::new();
    for (i, material) in scene.materials.iter().enumerate() {
        let blank = *material == Material { name: material.name.clone(), ..Material::default() };
        known.entry(material.name.clone()).or_insert((i, blank));
    }
    for material in materials {
        match known.get_mut(&material.name) {
            Some((i, blank @ true)) => {
                *blank = false;
                scene.materials[*i] = material;
            }
            Some(_) => {}
            None => {
                known.insert(material.name.clone(), (scene.materials.len(), false));
                scene.materials.push(material);
            }
        }
    }
}
