//! PLY: the whole header. OBJ has none: what stands before its first vertex.

use super::names::tag_name;
use crate::mesh::mtl_libraries::library_names;
use solio_base::{Limits, Result, Source};
use solio_mesh::ply::{PlyElement, PlyProperty, decode_ply_header};
use solio_photo::{Stated, Value};

/// Statements that begin the geometry of an OBJ file.
const GEOMETRY: [&str; 10] = ["v", "vt", "vn", "vp", "f", "fo", "l", "p", "cstype", "curv"];

pub(super) fn read_ply(
    source: &dyn Source,
    limits: &Limits,
    stated: &mut Stated<'_>,
) -> Result<()> {
    stated.kind("PLY", "PLY", "model/ply");
    let header = decode_ply_header(source, limits)?;
    stated.put("PLY", "Format", Value::Text(header.format.name().to_owned()));
    let mut comments = Vec::new();
    let mut infos = Vec::new();
    for comment in header.comments {
        match comment.strip_prefix("obj_info ") {
            Some(info) => infos.push(Value::Text(info.to_owned())),
            None => comments.push(Value::Text(comment)),
        }
    }
    put_list("PLY", "Comments", comments, stated);
    put_list("PLY", "ObjInfo", infos, stated);
    for element in &header.elements {
        let PlyElement { name, count, properties } = element;
        let tag = match name.as_str() {
            "vertex" => "Vertices".to_owned(),
            "face" => "Faces".to_owned(),
            other => tag_name(other) + "Count",
        };
        stated.put("PLY", tag, Value::Text(count.to_string()));
        let properties = properties.iter().map(property).collect();
        put_list("PLY", &(tag_name(name) + "Properties"), properties, stated);
    }
    header.warnings.into_iter().for_each(|warning| stated.warn(warning));
    Ok(())
}

/// `float x`, `list uchar int vertex_indices`.
fn property(property: &PlyProperty) -> Value {
    let PlyProperty { name, scalar, list, .. } = property;
    Value::Text(match list {
        Some(count) => format!("list {} {} {name}", count.name(), scalar.name()),
        None => format!("{} {name}", scalar.name()),
    })
}

pub(super) fn read_obj(head: &[u8], stated: &mut Stated<'_>) {
    stated.kind("OBJ", "OBJ", "model/obj");
    let (mut comments, mut libraries, mut objects) = (Vec::new(), Vec::new(), Vec::new());
    let whole = head.iter().rposition(|byte| *byte == b'\n').map_or(head, |end| &head[..end]);
    for line in whole.split(|byte| matches!(byte, b'\n' | b'\r')) {
        let line = String::from_utf8_lossy(line);
        let line = line.trim_start_matches('\u{feff}').trim();
        if let Some(comment) = line.strip_prefix('#') {
            comments.extend(Some(comment.trim()).filter(|text| !text.is_empty()).map(text));
            continue;
        }
        let (word, rest) = line.split_once([' ', '\t']).unwrap_or((line, ""));
        match word {
            "mtllib" => libraries.extend(library_names(rest).map(text)),
            "o" => objects.push(text(rest.trim())),
            _ if GEOMETRY.contains(&word) => break,
            _ => {}
        }
    }
    put_list("OBJ", "Comments", comments, stated);
    put_list("OBJ", "MaterialLibraries", libraries, stated);
    put_list("OBJ", "FirstObject", objects, stated);
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

/// One value as itself, several as a list.
fn put_list(group: &str, name: &str, mut values: Vec<Value>, stated: &mut Stated<'_>) {
    match values.len() {
        0 => {}
        1 => stated.put(group, name, values.remove(0)),
        _ => stated.put(group, name, Value::List(values)),
    }
}
