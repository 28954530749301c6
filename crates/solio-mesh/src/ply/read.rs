//! Reading: header, plan, columns, mesh.

use super::assemble::{Loaded, assemble};
use super::binary::ReadPosition;
use super::columns::ColumnPlan;
use super::context::ElementContext;
use super::header::{PlyElement, PlyHeader, read_header};
use super::memory::SpareArrays;
use super::options::{PlyFormat, PlyReadOptions};
use super::wide::plain_records;
use super::{ascii, binary};
use crate::MeshSkip;
use crate::head::SourceHead;
use crate::model::{Positions, Scene};
use crate::odd::tolerate;
use crate::spans::ASSEMBLE;
use crate::splats;
use crate::text::precision::{IN_A_STREAM, any_far, any_far_says_more, any_says_more, is_offset};
use solio_base::{Error, Result, Source, Work};

/// Reads a PLY file. The scene has one mesh.
///
/// Lists `vertex_indices` of `face` become faces, strips become triangles, `edge` becomes lines;
/// every other property is kept as an attribute in its own type.
///
/// # Errors
/// `Syntax` and `Corrupt` with the place, `Limit` for files that ask for more than
/// [`PlyReadOptions::limits`], and what `source` fails with.
pub fn decode_ply(
    source: &dyn Source,
    options: &PlyReadOptions,
    work: &Work,
) -> Result<Scene<'static>> {
    decode(source, options, work, &mut SpareArrays::default())
}

/// [`decode_ply`] into the memory that `scene` owns, where its arrays are large enough: who reads one
/// mesh after the other saves the time in which the system makes fresh memory ready. After an error
/// the scene is empty.
///
/// # Errors
/// As [`decode_ply`].
pub fn decode_ply_into(
    scene: &mut Scene<'static>,
    source: &dyn Source,
    options: &PlyReadOptions,
    work: &Work,
) -> Result<()> {
    let mut memory = SpareArrays::of(scene);
    *scene = decode(source, options, work, &mut memory)?;
    Ok(())
}

fn decode(
    source: &dyn Source,
    options: &PlyReadOptions,
    work: &Work,
    memory: &mut SpareArrays,
) -> Result<Scene<'static>> {
    let mut head = SourceHead::new(source);
    let mut header = read_header(&mut head, options.strict, options.encoding, &options.limits)?;
    if let Some(records) = plain_records(&head, &header, &options.limits)? {
        header.data_at = 0;
        return decode_records(&SourceHead::new(&records), &header, options, work, memory);
    }
    decode_records(&head, &header, options, work, memory)
}

fn decode_records(
    head: &SourceHead<'_>,
    header: &PlyHeader,
    options: &PlyReadOptions,
    work: &Work,
    memory: &mut SpareArrays,
) -> Result<Scene<'static>> {
    check_sizes(header, head)?;
    let is_text = header.format == PlyFormat::Ascii;
    if options.double && is_text {
        let plans = plans_of(header, options, ColumnPlan::wide);
        return decode_columns(head, header, &plans, options, work, memory);
    }
    let plans = plans_of(header, options, ColumnPlan::new);
    let mut scene = decode_columns(head, header, &plans, options, work, memory)?;
    let Positions::F32(positions) = &scene.meshes[0].positions else { return Ok(scene) };
    if !is_text || !any_far(positions.as_flattened()) && !is_offset(positions) {
        return Ok(scene);
    }
    if head.is_sequential() {
        scene.warnings.push(IN_A_STREAM.into());
        return Ok(scene);
    }
    // A second look: the text may say more than the header's type.
    let plans = plans_of(header, options, ColumnPlan::wide);
    let wide = decode_columns(head, header, &plans, options, work, memory)?;
    let Positions::F64(values) = &wide.meshes[0].positions else { return Ok(scene) };
    let far = any_far(positions.as_flattened()) && any_far_says_more(values.as_flattened());
    let is_wide = far || is_offset(positions) && any_says_more(values.as_flattened());
    Ok(if is_wide { wide } else { scene })
}

/// Whether the element is the vertices of packed splats, which have no coordinates of their own.
fn is_packed(element: &PlyElement) -> bool {
    splats::is_packed(element.properties.iter().map(|property| &*property.name))
}

/// Where the values of all elements go.
fn plans_of(
    header: &PlyHeader,
    options: &PlyReadOptions,
    plan: fn(&PlyElement) -> ColumnPlan,
) -> Vec<ColumnPlan> {
    // All of packed splats is unpacked together, and dropped then.
    let packed = header.elements.iter().any(is_packed);
    let skip = if packed { MeshSkip::default() } else { options.skip };
    header.elements.iter().map(|element| plan(element).without(element, skip)).collect()
}

fn decode_columns(
    head: &SourceHead<'_>,
    header: &PlyHeader,
    plans: &[ColumnPlan],
    options: &PlyReadOptions,
    work: &Work,
    memory: &mut SpareArrays,
) -> Result<Scene<'static>> {
    let vertices = PlyElement::find(&header.elements, "vertex");
    if let Some(vertex) = vertices.filter(|vertex| !is_packed(vertex)) {
        for name in ["x", "y", "z"] {
            if !vertex.properties.iter().any(|p| p.name == name && p.list.is_none()) {
                return Err(Error::unsupported(format!(
                    "element `vertex` has no property `{name}`"
                ))
                .at_offset(header.data_at));
            }
        }
    }
    let contexts: Vec<ElementContext<'_>> = header
        .elements
        .iter()
        .zip(plans)
        .map(|(element, plan)| ElementContext {
            element,
            plan,
            big_endian: header.format == PlyFormat::BinaryBigEndian,
            vertices: vertices.map_or(0, |v| v.count),
            limits: &options.limits,
        })
        .collect();
    let (tables, warnings) = if header.format == PlyFormat::Ascii {
        ascii::read_elements(head, header, &contexts, options.strict, work)?
    } else {
        read_binary(head, header, &contexts, options.strict, work, memory)?
    };
    let _span = ASSEMBLE.begin();
    let loaded = contexts
        .iter()
        .zip(tables)
        .map(|(cx, tables)| Loaded { element: cx.element, plan: cx.plan, tables })
        .collect();
    let mut scene = assemble(header, loaded, warnings, options.strict, &options.limits)?;
    options.skip.drop_from(&mut scene);
    Ok(scene)
}

type ElementTables = Vec<Vec<super::columns::ColumnTable>>;

fn read_binary(
    head: &SourceHead<'_>,
    header: &PlyHeader,
    contexts: &[ElementContext<'_>],
    strict: bool,
    work: &Work,
    memory: &mut SpareArrays,
) -> Result<(ElementTables, Vec<String>)> {
    let mut position = ReadPosition::new(header.data_at);
    let mut tables = Vec::new();
    for cx in contexts {
        tables.push(binary::read_element(head, &mut position, cx, work, memory)?);
    }
    let mut warnings = Vec::new();
    if !position.at_end(head)? {
        let error = Error::corrupt("data behind the last record").at_offset(position.offset());
        tolerate(error, strict, &mut warnings)?;
    }
    Ok((tables, warnings))
}

/// Refuses counts that the rest of the file cannot hold.
fn check_sizes(header: &PlyHeader, head: &SourceHead<'_>) -> Result<()> {
    let Some(total) = head.len_bytes() else { return Ok(()) };
    // The last value of a text file needs nothing behind it.
    let spare = u64::from(header.format == PlyFormat::Ascii);
    let rest = total.saturating_sub(header.data_at) + spare;
    let mut need = 0u64;
    for element in &header.elements {
        let bytes = element.count.saturating_mul(element.least_bytes(header.format));
        need = need.saturating_add(bytes);
        if need > rest {
            return Err(Error::corrupt(format!(
                "{} records of element `{}` need at least {bytes} bytes; the file has {} behind \
                 its header",
                element.count,
                element.name,
                rest - spare
            ))
            .at_offset(header.data_at));
        }
    }
    Ok(())
}
