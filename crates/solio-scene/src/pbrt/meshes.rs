//! Meshes of the text to files, and back: a `trianglemesh` becomes a `plymesh`, a `plymesh` becomes
//! what pbrt makes of its file. Values keep their bits.

use super::schema::Version;
use super::{Directive, Parameter, ParameterType, Span, Statement, Statements, Values};
use crate::pack::PackedMesh;
use solio_base::{Error, Result};
use std::borrow::Cow;

/// What a `plymesh` takes of its own beside the file, and other shapes do not.
const DISPLACED: [&str; 2] = ["displacement", "edgelength"];
/// Parameters of a `trianglemesh` that a PLY file has no place for.
const KEPT_INLINE: [&str; 1] = ["S"];

/// The mesh of a `trianglemesh`, and which of the statement's parameters it is made of.
///
/// ```
/// use solio_scene::pbrt::{meshes::inline_mesh, parse, schema::Version};
/// let text = br#"Shape "trianglemesh"
///     "integer indices" [ 0 1 2  0 2 3 ] "float alpha" 0.5
///     "point3 P" [ 0 0 0  1 0 0  1 1 0  0 1 0 ]
/// "#;
/// let statements = parse(text, 0);
/// let found = inline_mesh(&statements, 0, Version::V4).unwrap();
/// assert_eq!((found.mesh.positions.len(), found.mesh.faces()), (4, 2));
/// assert_eq!(found.into_taken(), [0, 2]); // what a file will hold; alpha stays
/// ```
#[derive(Debug)]
pub struct InlineMesh<'s> {
    /// Its arrays.
    pub mesh: PackedMesh<'s>,
    taken: Vec<usize>,
}

impl InlineMesh<'_> {
    /// Numbers of the parameters that [`set_plymesh`] takes away.
    ///
    /// ```
    /// use solio_scene::pbrt::{meshes::inline_mesh, parse, schema::Version};
    /// let text = br#"Shape "trianglemesh" "float alpha" 1 "point3 P" [ 0 0 0  1 0 0  0 1 0 ]"#;
    /// let statements = parse(text, 0);
    /// let taken = inline_mesh(&statements, 0, Version::V4).unwrap().into_taken();
    /// let names = taken.iter().map(|&i| statements.text(statements.parameters[i].name));
    /// assert_eq!(names.collect::<Vec<_>>(), [b"P"]);
    /// ```
    pub fn into_taken(self) -> Vec<usize> {
        self.taken
    }
}

/// The mesh that statement `i` has in the text. `None` where it is no `trianglemesh`, and where a
/// file would not mean the same: tangents (`S`), a parameter that stands there twice, counts that do
/// not fit, indices of no vertex.
///
/// ```
/// use solio_scene::pbrt::{meshes::inline_mesh, parse, schema::Version};
/// let text = br#"Shape "sphere"
/// Shape "trianglemesh" "point3 P" [ 0 0 0  1 0 0  0 1 0 ]
/// Shape "trianglemesh" "point3 P" [ 0 0 0  1 0 0  0 1 0 ] "integer indices" [ 0 1 7 ]
/// "#;
/// let statements = parse(text, 0);
/// let is_inline = |i| inline_mesh(&statements, i, Version::V4).is_some();
/// assert_eq!([0, 1, 2].map(is_inline), [false, true, false]); // there is no vertex 7
/// ```
pub fn inline_mesh(statements: &Statements, i: usize, version: Version) -> Option<InlineMesh<'_>> {
    let statement = statements.statements.get(i)?;
    if class(statements, statement) != Some(&b"trianglemesh"[..]) {
        return None;
    }
    let first = statement.parameters.start as usize;
    let (mut mesh, mut taken, mut has_indices) = (PackedMesh::default(), Vec::new(), false);
    let all = &statements.parameters[statement.parameters.range()];
    for (number, parameter) in all.iter().enumerate() {
        let name = statements.text(parameter.name);
        if KEPT_INLINE.iter().any(|kept| kept.as_bytes() == name) {
            return None;
        }
        let is_uv = match version {
            Version::V4 => name == b"uv" && parameter.kind == ParameterType::Point2,
            Version::V3 => matches!(name, b"uv" | b"st"),
        };
        match (name, parameter.values) {
            (b"P", Values::Floats(span)) if mesh.positions.is_empty() => {
                mesh.positions = rows(&statements.floats[span.range()])?;
            }
            (b"N", Values::Floats(span)) if mesh.normals.is_empty() => {
                mesh.normals = rows(&statements.floats[span.range()])?;
            }
            (_, Values::Floats(span)) if is_uv && mesh.uvs.is_empty() => {
                mesh.uvs = rows(&statements.floats[span.range()])?;
            }
            (b"indices", Values::Integers(span)) if !has_indices => {
                has_indices = true;
                let indices = statements.integers[span.range()].iter();
                let corners = indices.map(|i| u32::try_from(*i).ok()).collect::<Option<Vec<u32>>>();
                mesh.corners = Cow::Owned(corners?);
            }
            (b"faceIndices", Values::Integers(span)) if mesh.face_indices.is_empty() => {
                mesh.face_indices = Cow::Borrowed(&statements.integers[span.range()]);
            }
            (b"P" | b"N" | b"indices" | b"faceIndices" | b"uv" | b"st" | b"filename", _) => {
                return None;
            }
            _ => continue,
        }
        taken.push(first + number);
    }
    if !has_indices {
        // pbrt takes three points for a triangle.
        mesh.corners = Cow::Owned(vec![0, 1, 2]);
    }
    let has_three = has_indices || mesh.positions.len() == 3;
    let fine = !mesh.positions.is_empty() && !mesh.corners.is_empty() && has_three;
    (fine && mesh.check().is_ok()).then_some(InlineMesh { mesh, taken })
}

/// Makes statement `i` a `plymesh` of the file `name`, without the parameters that are `taken`.
///
/// # Errors
/// `Limit` where a piece becomes too large.
///
/// ```
/// use solio_scene::pbrt::meshes::{inline_mesh, set_plymesh};
/// use solio_scene::pbrt::{parse, schema::Version, write::to_text};
/// let text = br#"Shape "trianglemesh" "point3 P" [ 0 0 0  1 0 0  0 1 0 ] "float alpha" 0.5"#;
/// let mut statements = parse(text, 0);
/// let taken = inline_mesh(&statements, 0, Version::V4).unwrap().into_taken();
/// set_plymesh(&mut statements, 0, b"leaf.ply", &taken)?;
/// let made = to_text(&statements, Default::default());
/// assert!(made.starts_with(b"Shape \"plymesh\"\n    \"string filename\" \"leaf.ply\"\n"));
/// # Ok::<(), solio_base::Error>(())
/// ```
pub fn set_plymesh(
    statements: &mut Statements,
    i: usize,
    name: &[u8],
    taken: &[usize],
) -> Result<()> {
    let statement = statements.statements[i];
    let at = taken.first().map_or(statement.at, |taken| statements.parameters[*taken].at);
    let values = string(statements, name)?;
    let parameter = parameter(statements, at, ParameterType::String, "filename", values)?;
    let rest = statement.parameters.range().filter(|place| !taken.contains(place));
    let rest: Vec<Parameter> = rest.map(|place| statements.parameters[place]).collect();
    replace(statements, i, b"plymesh", &[&[parameter], &rest[..]].concat())
}

/// Makes statement `i`, a `plymesh`, what pbrt makes of the mesh in its file: a `trianglemesh`, or a
/// `bilinearmesh` where all faces are quads. Says whether that went: not where both are in one file,
/// or other faces, or the shape is displaced, which only a `plymesh` can be.
///
/// # Errors
/// `Limit` where a piece becomes too large; `Unsupported` for numbers that have no text (NaN).
///
/// ```
/// use solio_scene::pack::PackedMesh;
/// use solio_scene::pbrt::{meshes::set_inline, parse, schema::Version, write::to_text};
/// let mut statements = parse(b"Shape \"plymesh\" \"string filename\" \"leaf.ply\"", 0);
/// let leaf = PackedMesh {
///     positions: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.5, 0.0]].into(),
///     corners: vec![0, 1, 2].into(),
///     ..PackedMesh::default()
/// };
/// assert!(set_inline(&mut statements, 0, &leaf, Version::V4)?);
/// let made = to_text(&statements, Default::default());
/// assert!(made.starts_with(b"Shape \"trianglemesh\"\n    \"integer indices\" [ 0 1 2 ]\n"));
/// # Ok::<(), solio_base::Error>(())
/// ```
pub fn set_inline(
    statements: &mut Statements,
    i: usize,
    mesh: &PackedMesh<'_>,
    version: Version,
) -> Result<bool> {
    let statement = statements.statements[i];
    let all = &statements.parameters[statement.parameters.range()];
    let name = |parameter: &Parameter| statements.text(parameter.name);
    let displaced = |p: &Parameter| DISPLACED.iter().any(|d| d.as_bytes() == name(p));
    let sides = match mesh.face_offsets.windows(2).all(|pair| pair[1] - pair[0] == 4) {
        _ if mesh.face_offsets.is_empty() => 3,
        true => 4,
        false => return Ok(false),
    };
    if mesh.corners.is_empty()
        || all.iter().any(displaced)
        || (sides == 4 && version == Version::V3)
    {
        return Ok(false);
    }
    let floats =
        [mesh.positions.as_flattened(), mesh.normals.as_flattened(), mesh.uvs.as_flattened()];
    if floats.iter().any(|values| values.iter().any(|value| value.is_nan())) {
        return Err(Error::unsupported("a number that is none (NaN) has no text"));
    }
    let is_file = |parameter: &&Parameter| name(parameter) == b"filename";
    let at = all.iter().find(is_file).map_or(statement.at, |parameter| parameter.at);
    let rest: Vec<Parameter> = all.iter().filter(|p| !is_file(p)).copied().collect();
    let corner = |corner: u32| {
        i32::try_from(corner).map_err(|_| Error::limit("a mesh has 2 G vertices and more"))
    };
    let corners = match sides {
        3 => mesh.corners.iter().map(|c| corner(*c)).collect::<Result<Vec<i32>>>()?,
        // A patch has its corners row by row, a face around.
        _ => {
            let quads = mesh.corners.as_chunks::<4>().0.iter();
            quads.flat_map(|[a, b, c, d]| [*a, *b, *d, *c]).map(corner).collect::<Result<_>>()?
        }
    };
    let mut made = Vec::with_capacity(5 + rest.len());
    let kinds = [ParameterType::Point3, ParameterType::Normal, ParameterType::Point2];
    let start = |length: usize| u32::try_from(length).map_err(|_| too_large());
    let add_integers = |statements: &mut Statements, name: &str, values: &[i32]| {
        if values.is_empty() {
            return Ok(None);
        }
        let first = start(statements.integers.len())?;
        statements.integers.extend_from_slice(values);
        let values =
            Values::Integers(Span { start: first, end: start(statements.integers.len())? });
        parameter(statements, at, ParameterType::Integer, name, values).map(Some)
    };
    made.extend(add_integers(statements, "indices", &corners)?);
    for ((name, kind), values) in ["P", "N", "uv"].into_iter().zip(kinds).zip(floats) {
        if !values.is_empty() {
            let span_start = start(statements.floats.len())?;
            statements.floats.extend_from_slice(values);
            let span = Span { start: span_start, end: start(statements.floats.len())? };
            made.push(parameter(statements, at, kind, name, Values::Floats(span))?);
        }
    }
    made.extend(add_integers(statements, "faceIndices", &mesh.face_indices)?);
    made.extend(rest);
    let class: &[u8] = if sides == 3 { b"trianglemesh" } else { b"bilinearmesh" };
    replace(statements, i, class, &made)?;
    Ok(true)
}

/// The file of statement `i`, if it is a `plymesh`; the last one it names.
///
/// ```
/// use solio_scene::pbrt::{meshes::plymesh_file, parse};
/// let text = b"Shape \"sphere\"\nShape \"plymesh\" \"string filename\" \"geo/leaf.ply\"\n";
/// let statements = parse(text, 0);
/// let files = (0..2).filter_map(|i| plymesh_file(&statements, i));
/// assert_eq!(files.collect::<Vec<_>>(), [b"geo/leaf.ply"]);
/// ```
pub fn plymesh_file(statements: &Statements, i: usize) -> Option<&[u8]> {
    let statement = statements.statements.get(i)?;
    if class(statements, statement) != Some(&b"plymesh"[..]) {
        return None;
    }
    let all = &statements.parameters[statement.parameters.range()];
    let file = all.iter().rev().find(|parameter| statements.text(parameter.name) == b"filename")?;
    statements.string(file.values, 0)
}

fn class<'s>(statements: &'s Statements, statement: &Statement) -> Option<&'s [u8]> {
    (statement.directive == Directive::Shape)
        .then(|| statements.string(statement.values, 0))
        .flatten()
}

fn rows<const N: usize>(values: &[f32]) -> Option<Cow<'_, [[f32; N]]>> {
    let (rows, rest) = values.as_chunks::<N>();
    rest.is_empty().then_some(Cow::Borrowed(rows))
}

fn too_large() -> Error {
    Error::limit("the parameters of a piece of the scene have 4 G values and more")
}

fn text(statements: &mut Statements, words: &[u8]) -> Result<Span> {
    let start = u32::try_from(statements.text.len()).map_err(|_| too_large())?;
    statements.text.extend_from_slice(words);
    let end = u32::try_from(statements.text.len()).map_err(|_| too_large())?;
    Ok(Span { start, end })
}

fn string(statements: &mut Statements, words: &[u8]) -> Result<Values> {
    let words = text(statements, words)?;
    let start = u32::try_from(statements.strings.len()).map_err(|_| too_large())?;
    statements.strings.push(words);
    Ok(Values::Strings(Span { start, end: start + 1 }))
}

fn parameter(
    statements: &mut Statements,
    at: u64,
    kind: ParameterType,
    name: &str,
    values: Values,
) -> Result<Parameter> {
    let name = text(statements, name.as_bytes())?;
    Ok(Parameter { at, kind, name, values, older_form: false })
}

/// Gives statement `i` another class, and these parameters.
fn replace(
    statements: &mut Statements,
    i: usize,
    class: &[u8],
    parameters: &[Parameter],
) -> Result<()> {
    let values = string(statements, class)?;
    let start = u32::try_from(statements.parameters.len()).map_err(|_| too_large())?;
    statements.parameters.extend_from_slice(parameters);
    let end = u32::try_from(statements.parameters.len()).map_err(|_| too_large())?;
    let statement = &mut statements.statements[i];
    (statement.values, statement.parameters) = (values, Span { start, end });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pbrt::parse;

    const P: &str = "\"point3 P\" [ 0 0 0 1 0 0 0 1 0 1 1 0 ]";

    fn found(parameters: &str, version: Version) -> bool {
        let text = format!("Shape \"trianglemesh\" {parameters}\n");
        let statements = parse(text.as_bytes(), 0);
        assert!(statements.problems.is_empty(), "{:?}", statements.problems);
        inline_mesh(&statements, 0, version).is_some()
    }

    #[test]
    fn only_what_a_file_can_hold_leaves_the_text() {
        let i = "\"integer indices\" [ 0 1 2 ]";
        assert!(found(&format!("{P} {i}"), Version::V4));
        assert!(found("\"point3 P\" [ 0 0 0 1 0 0 0 1 0 ]", Version::V4));
        for wrong in [
            P.to_owned(),
            i.to_owned(),
            format!("{P} {i} {P}"),
            format!("{P} \"integer indices\" [ 0 1 4 ]"),
            format!("{P} \"integer indices\" [ 0 1 -1 ]"),
            format!("{P} \"integer indices\" [ 0 1 ]"),
            format!("{P} \"integer indices\" [ ]"),
            format!("{P} {i} \"normal N\" [ 0 0 1 ]"),
            format!("{P} {i} \"point2 uv\" [ 0 0 1 ]"),
            format!("{P} {i} \"integer faceIndices\" [ 1 2 ]"),
            format!("{P} {i} \"vector3 S\" [ 1 0 0 1 0 0 1 0 0 1 0 0 ]"),
            format!("{P} {i} \"string filename\" \"a.ply\""),
        ] {
            assert!(!found(&wrong, Version::V4), "{wrong}");
        }
        // Version 4 does not look at these, and would if they were in a file.
        let older = format!("{P} {i} \"float st\" [ 0 0 1 0 0 1 1 1 ]");
        assert!(found(&older, Version::V3));
        let both = format!("{older} \"float uv\" [ 0 0 1 0 0 1 1 1 ]");
        assert!(!found(&both, Version::V3));
        let older = older.replace("st", "uv");
        assert!(!found(&older, Version::V4) && found(&older, Version::V3));
    }

    #[test]
    fn what_only_a_file_can_be_stays_one() {
        let made = |parameters: &str, offsets: &[u32], version| {
            let text = format!("Shape \"plymesh\" \"string filename\" \"a\" {parameters}\n");
            let mut statements = parse(text.as_bytes(), 0);
            let mesh = PackedMesh {
                positions: vec![[0.0; 3]; 4].into(),
                corners: vec![0, 1, 2, 3, 0, 1, 2, 3].into(),
                face_offsets: offsets.to_vec().into(),
                ..PackedMesh::default()
            };
            let inline = set_inline(&mut statements, 0, &mesh, version).unwrap();
            let class = class(&statements, &statements.statements[0]).unwrap().to_vec();
            assert_eq!(class != b"plymesh", inline);
            inline
        };
        assert!(made("\"float alpha\" 0.5", &[0, 4, 8], Version::V4));
        assert!(!made("", &[0, 4, 8], Version::V3));
        assert!(!made("", &[0, 3, 8], Version::V4));
        assert!(!made("\"texture displacement\" \"d\"", &[0, 4, 8], Version::V4));
    }
}
