//! The text of the files.

use super::ground;
use super::plan::{LayerForm, TwinElement, TwinLayer};
use super::random::SeededRandom;
use super::shape::{TwinMesh, rounded};
use solio::Digits;
use solio_codec::number::format::{push_f32, push_u32};

/// The scene itself, around what it imports.
pub(super) fn scene(camera: &str, lights: &str, imports: &[String]) -> String {
    let mut text = format!(
        "# A twin of Moana Island: made up, of the same kinds and numbers\n\
         Option \"seed\" 1\n\
         Film \"rgb\" \"integer xresolution\" [ 1024 ] \"integer yresolution\" [ 429 ] \
         \"string filename\" [ \"island.exr\" ]\n\
         Sampler \"zsobol\" \"integer pixelsamples\" [ 16 ]\n\
         Integrator \"path\" \"integer maxdepth\" [ 4 ]\n\
         Include \"{camera}\"\n\
         WorldBegin\n\
         Include \"{lights}\"\n"
    );
    imports.iter().for_each(|name| text += &format!("Import \"{name}\"\n"));
    text
}

/// The camera looks at the island from the sea.
pub(super) const CAMERA: &str = "Scale -1 1 1\n\
    LookAt 900 420 -3300\n    0 170 0\n    0 1 0\n\
    Camera \"perspective\" \"float fov\" [ 24 ]\n";

pub(super) const LIGHTS: &str = "AttributeBegin\n\
    \x20   LightSource \"infinite\" \"rgb L\" [ 0.45 0.6 0.8 ]\n\
    \x20   LightSource \"distant\" \"point3 from\" [ -3 5 -4 ] \"point3 to\" [ 0 0 0 ]\n\
    \x20       \"rgb L\" [ 3.2 2.9 2.4 ]\nAttributeEnd\n";

/// The material of an element.
pub(super) fn material(element: &TwinElement) -> String {
    let [red, green, blue] = element.color;
    let name = element.name;
    format!(
        "Texture \"{name}_color\" \"spectrum\" \"constant\" \"rgb value\" [ {red} {green} {blue} ]\n\
         MakeNamedMaterial \"{name}_material\" \"string type\" [ \"coateddiffuse\" ]\n\
         \x20   \"texture reflectance\" [ \"{name}_color\" ] \"float roughness\" [ 0.4 ]\n"
    )
}

/// A mesh of a file, with the material of its element.
pub(super) fn large(element: &str, file: &str) -> String {
    format!(
        "    NamedMaterial \"{element}_material\"\n\
         \x20   Shape \"plymesh\" \"string filename\" [ \"{file}\" ]\n"
    )
}

/// A definition of one triangle mesh.
pub(super) fn definition(out: &mut Vec<u8>, name: &str, material: &str, shape: &TwinMesh) {
    let head = format!(
        "ObjectBegin \"{name}\"\n    NamedMaterial \"{material}\"\n    Shape \"trianglemesh\"\n"
    );
    out.extend_from_slice(head.as_bytes());
    floats(out, "point3 P", shape.positions.as_flattened(), 12);
    floats(out, "normal N", shape.normals.as_flattened(), 12);
    floats(out, "point2 uv", shape.uvs.as_flattened(), 12);
    out.extend_from_slice(b"        \"integer indices\" [");
    for (i, corner) in shape.corners.iter().enumerate() {
        blank(out, i, 18);
        push_u32(out, *corner);
    }
    out.extend_from_slice(b" ]\nObjectEnd\n");
}

/// A parameter with `in_a_line` values on each line.
fn floats(out: &mut Vec<u8>, declaration: &str, values: &[f32], in_a_line: usize) {
    out.extend_from_slice(format!("        \"{declaration}\" [").as_bytes());
    for (i, value) in values.iter().enumerate() {
        blank(out, i, in_a_line);
        push_f32(out, Digits::Shortest, *value);
    }
    out.extend_from_slice(b" ]\n");
}

fn blank(out: &mut Vec<u8>, i: usize, in_a_line: usize) {
    match i > 0 && i.is_multiple_of(in_a_line) {
        true => out.extend_from_slice(b"\n            "),
        false => out.push(b' '),
    }
}

/// An instance of a definition.
pub(super) fn instance(out: &mut Vec<u8>, name: &str, matrix: &[f32; 16]) {
    out.extend_from_slice(b"AttributeBegin\n    Transform [ ");
    for value in matrix {
        push_f32(out, Digits::Shortest, *value);
        out.push(b' ');
    }
    out.extend_from_slice(b"]\n    ObjectInstance \"");
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"\"\nAttributeEnd\n");
}

/// Where something stands: column after column, as `Transform` takes it. Most things stand upright.
pub(super) fn standing(random: &mut SeededRandom, zone: [f64; 2], form: LayerForm) -> [f32; 16] {
    let tilt = match form {
        _ if random.unit() < 0.8 => 0.0,
        LayerForm::Lump => 1.0,
        _ => 0.25,
    };
    let [x, y, z, w] = random.rotation(tilt);
    let at = ground::place(random, zone);
    let size = random.between(0.6, 1.6);
    let columns = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y), 0.0],
        [2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x), 0.0],
        [2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y), 0.0],
    ]
    .map(|column| column.map(|value| (size * value) as f32 + 0.0));
    let mut matrix = [0.0; 16];
    for (to, from) in matrix.chunks_exact_mut(4).zip(&columns) {
        to.copy_from_slice(from);
    }
    for (to, from) in matrix[12..].iter_mut().zip([at[0], at[1], at[2], 1.0]) {
        *to = rounded(from, 1e3);
    }
    matrix
}

/// A blade of grass: one cubic curve.
pub(super) fn curve(out: &mut Vec<u8>, layer: &TwinLayer, random: &mut SeededRandom) {
    let [x, y, z] = ground::place(random, layer.zone);
    let ([u, v], tall) = (random.circle(), random.between(0.8, 3.0));
    let (bend, width) = (tall * random.between(0.1, 0.6), random.between(0.03, 0.08));
    out.extend_from_slice(b"Shape \"curve\" \"string type\" [ \"flat\" ] \"point3 P\" [ ");
    for (along, up) in [(0.0, 0.0), (0.1, 0.4), (0.4, 0.8), (1.0, 1.0)] {
        let point = [x + u * bend * along, y + tall * up, z + v * bend * along];
        for value in point {
            push_f32(out, Digits::Shortest, rounded(value, 1e2));
            out.push(b' ');
        }
    }
    out.extend_from_slice(b"] \"float width0\" [ ");
    push_f32(out, Digits::Shortest, rounded(width, 1e4));
    out.extend_from_slice(b" ] \"float width1\" [ ");
    push_f32(out, Digits::Shortest, rounded(0.2 * width, 1e4));
    out.extend_from_slice(b" ]\n");
}
