//! Whether a file keeps the rules of the specification that Khronos' validator calls errors, as far as
//! they concern what is drawn: every reference leads somewhere, every array lies in its view, bounds are
//! what they say, numbers are numbers, directions have the length 1.

use super::accessor::{Accessed, Component, shape};
use super::buffers::{Buffers, GltfFiles, in_place, missing};
use super::container;
use super::document::{Document, MaterialJson, PrimitiveJson, TextureRef};
use super::read::{GltfReadOptions, check_version, parse};
use solio_base::{Error, ErrorKind, Result, Source, Work};

/// How far the length of a direction may be from 1: as Khronos' validator allows, and for bytes what
/// rounding three of them leaves.
const UNIT_SLACK: f32 = 6.74e-3;
const BYTE_SLACK: f32 = 1.25e-2;
/// Complaints that are told; the rest is counted.
const MOST: usize = 100;

/// What a check found.
///
/// ```
/// use solio_base::Work;
/// use solio_mesh::gltf::{NoGltfFiles, check_gltf};
/// let text = br#"{ "asset": { "version": "2.0" }, "scene": 3 }"#;
/// let found = check_gltf(&&text[..], &NoGltfFiles, &Default::default(), &Work::serial())?;
/// assert!(found.problems[0].message().contains("scene 3 of 0"));
/// # Ok::<(), solio_base::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct GltfFindings {
    /// Counts, as words.
    pub found: Vec<(u64, &'static str)>,
    /// What is against the rules.
    pub problems: Vec<Error>,
    /// What is allowed, but odd, such as data that nothing uses.
    pub notes: Vec<String>,
}

/// Looks a file through.
///
/// ```
/// use solio_base::Work;
/// use solio_mesh::gltf::{NoGltfFiles, check_gltf};
/// let text = br#"{ "asset": { "version": "2.0" } }"#;
/// let found = check_gltf(&&text[..], &NoGltfFiles, &Default::default(), &Work::serial())?;
/// assert!(found.problems.is_empty());
/// # Ok::<(), solio_base::Error>(())
/// ```
///
/// # Errors
/// Where the document cannot be checked: not a container, not JSON, or another version.
pub fn check_gltf(
    source: &dyn Source,
    files: &dyn GltfFiles,
    options: &GltfReadOptions,
    work: &Work,
) -> Result<GltfFindings> {
    if source.is_sequential() || source.len_bytes().is_none() {
        let bytes = container::slurp(source, &options.limits)?;
        return check(&bytes, files, options, work);
    }
    check(source, files, options, work)
}

fn check(
    source: &dyn Source,
    files: &dyn GltfFiles,
    options: &GltfReadOptions,
    work: &Work,
) -> Result<GltfFindings> {
    let container = container::open(source, &options.limits)?;
    let start = container.json_at;
    let document = parse(&container.json, start)?;
    check_version(&document).map_err(|e| e.at_offset(start))?;
    let outside = options.outside_files;
    let buffers =
        Buffers::new(&document, source, container.binary, files, outside, &options.limits, work);
    let mut checker = Checker { buffers: &buffers, found: GltfFindings::default(), more: 0, start };
    checker.found.notes = container.odd;
    checker.all()?;
    let Checker { mut found, more, .. } = checker;
    if more > 0 {
        found.notes.push(format!("and {more} more problems"));
    }
    found.found = [
        (document.meshes.iter().map(|mesh| mesh.primitives.len()).sum(), "primitive"),
        (document.nodes.len(), "node"),
        (document.materials.len(), "material"),
    ]
    .map(|(count, what)| (count as u64, what))
    .to_vec();
    Ok(found)
}

pub(super) struct Checker<'c> {
    pub(super) buffers: &'c Buffers<'c>,
    pub(super) found: GltfFindings,
    more: u64,
    /// Where the document starts.
    start: u64,
}

impl<'c> Checker<'c> {
    fn add(&mut self, error: Error) {
        if self.found.problems.len() >= MOST {
            self.more += 1;
            return;
        }
        let is_placed = error.offset().is_some() || error.path().is_some();
        self.found.problems.push(if is_placed { error } else { error.at_offset(self.start) });
    }

    pub(super) fn wrong(&mut self, what: &str, message: impl Into<String>) {
        self.add(in_place(Error::corrupt(message), what));
    }

    /// Keeps a problem; what stops the check stays an error.
    pub(super) fn keep<T>(&mut self, result: Result<T>, what: &str) -> Result<Option<T>> {
        match result {
            Ok(value) => Ok(Some(value)),
            Err(error) if error.kind() == ErrorKind::Cancelled => Err(error),
            Err(error) => {
                self.add(if what.is_empty() { error } else { in_place(error, what) });
                Ok(None)
            }
        }
    }

    /// That a number is one of a list.
    fn leads(&mut self, what: &str, kind: &str, number: u32, count: usize) -> bool {
        let is_there = (number as usize) < count;
        if !is_there {
            self.add(in_place(missing(kind, number, count), what));
        }
        is_there
    }

    fn all(&mut self) -> Result<()> {
        let document = self.buffers.document;
        self.extensions(document);
        self.nodes(document);
        self.materials(document);
        self.views(document)?;
        let mut used = vec![false; document.accessors.len()];
        for (number, mesh) in document.meshes.iter().enumerate() {
            if mesh.primitives.is_empty() {
                self.wrong(&format!("meshes[{number}]"), "it has no primitive");
            }
            for (i, primitive) in mesh.primitives.iter().enumerate() {
                self.buffers.work.cancel.check()?;
                let what = format!("meshes[{number}].primitives[{i}]");
                self.primitive(&what, primitive, &mut used)?;
            }
        }
        for node in &document.nodes {
            if let Some(instancing) = &node.extensions.instancing {
                let numbers = instancing.attributes.values();
                numbers.for_each(|i| used.get_mut(*i as usize).into_iter().for_each(|u| *u = true));
            }
        }
        self.accessors(document, &used)?;
        let unused = used.iter().filter(|used| !**used).count();
        // Animations, skins and morph targets are not followed.
        let is_followed = document.animations.is_empty()
            && document.skins.is_empty()
            && document.meshes.iter().flat_map(|m| &m.primitives).all(|p| p.targets.is_empty());
        if unused > 0 && is_followed {
            self.found.notes.push(format!("accessors that no mesh uses: {unused}"));
        }
        Ok(())
    }

    fn extensions(&mut self, document: &Document) {
        for name in &document.extensions_required {
            if !document.extensions_used.contains(name) {
                self.wrong("extensionsRequired", format!("{name} is not in extensionsUsed"));
            }
        }
        let packed = document.buffer_views.iter().any(|v| v.extensions.meshopt().is_some());
        let names = ["EXT_meshopt_compression", "KHR_meshopt_compression"];
        if packed && !document.extensions_used.iter().any(|used| names.contains(&&**used)) {
            self.wrong("extensionsUsed", "meshopt compression is used and not named");
        }
    }

    fn nodes(&mut self, document: &Document) {
        let count = document.nodes.len();
        let mut parents = vec![None; count];
        for (number, node) in document.nodes.iter().enumerate() {
            let what = format!("nodes[{number}]");
            for child in &node.children {
                if !self.leads(&what, "node", *child, count) {
                    continue;
                }
                if parents[*child as usize].replace(number).is_some() {
                    self.wrong(&what, format!("its child {child} has two parents"));
                }
            }
            if let Some(mesh) = node.mesh {
                self.leads(&what, "mesh", mesh, document.meshes.len());
            }
            if let Some(skin) = node.skin {
                self.leads(&what, "skin", skin, document.skins.len());
            }
            let has_parts =
                node.translation.is_some() || node.rotation.is_some() || node.scale.is_some();
            if node.matrix.is_some() && has_parts {
                self.wrong(&what, "it has a matrix, and translation, rotation or scale");
            }
            if let Some(q) = node.rotation {
                let square: f64 = q.iter().map(|x| x * x).sum();
                if (square.sqrt() - 1.0).abs() > f64::from(UNIT_SLACK) {
                    self.wrong(&what, format!("its rotation has the length {}", square.sqrt()));
                }
            }
        }
        // From each node up: who meets itself is on a cycle. Steps are shared by marking.
        let mut state = vec![0u32; count];
        for start in 0..count {
            let (mut at, mark) = (Some(start), start as u32 + 1);
            while let Some(node) = at {
                if state[node] == mark {
                    self.wrong(&format!("nodes[{node}]"), "it is below itself");
                    break;
                }
                if state[node] != 0 {
                    break;
                }
                state[node] = mark;
                at = parents[node];
            }
        }
        if let Some(scene) = document.scene {
            self.leads("scene", "scene", scene, document.scenes.len());
        }
        for (number, scene) in document.scenes.iter().enumerate() {
            let what = format!("scenes[{number}]");
            for node in &scene.nodes {
                if self.leads(&what, "node", *node, count) && parents[*node as usize].is_some() {
                    self.wrong(&what, format!("node {node} is the child of another"));
                }
            }
        }
    }

    fn materials(&mut self, document: &Document) {
        for (number, material) in document.materials.iter().enumerate() {
            let what = format!("materials[{number}]");
            for used in textures(material) {
                self.leads(&what, "texture", used.index, document.textures.len());
            }
            let mode = material.alpha_mode.as_deref().unwrap_or("OPAQUE");
            if !["OPAQUE", "MASK", "BLEND"].contains(&mode) {
                self.wrong(&what, format!("the alpha mode \"{mode}\""));
            }
            let pbr = &material.pbr_metallic_roughness;
            let factors = [pbr.metallic_factor, pbr.roughness_factor].into_iter().flatten();
            let color = pbr.base_color_factor.iter().flatten().copied();
            let all = factors.chain(color).chain(material.emissive_factor);
            if { all }.any(|factor| !(0.0..=1.0).contains(&factor)) {
                self.wrong(&what, "a factor is not between 0 and 1");
            }
        }
        for (number, texture) in document.textures.iter().enumerate() {
            let what = format!("textures[{number}]");
            if let Some(image) = texture.image() {
                self.leads(&what, "image", image, document.images.len());
            }
            if let Some(sampler) = texture.sampler {
                self.leads(&what, "sampler", sampler, document.samplers.len());
            }
        }
        for (number, image) in document.images.iter().enumerate() {
            let what = format!("images[{number}]");
            match (&image.uri, image.buffer_view) {
                (None, None) => self.wrong(&what, "it has neither a uri nor a buffer view"),
                (Some(_), Some(_)) => self.wrong(&what, "it has a uri, and a buffer view"),
                (None, Some(view)) => {
                    self.leads(&what, "buffer view", view, document.buffer_views.len());
                    if image.mime_type.is_none() {
                        self.wrong(&what, "it has a buffer view, and no MIME type");
                    }
                }
                (Some(_), None) => {}
            }
        }
    }

    fn views(&mut self, document: &Document) -> Result<()> {
        for (number, view) in document.buffer_views.iter().enumerate() {
            let opened = self.buffers.view(number as u32).map(drop);
            self.keep(opened, "")?;
            let what = format!("bufferViews[{number}]");
            let is_fine = |stride: u64| (4..=252).contains(&stride) && stride.is_multiple_of(4);
            if view.byte_stride.is_some_and(|stride| !is_fine(stride)) {
                self.wrong(&what, "its stride is not a multiple of 4 between 4 and 252");
            }
        }
        Ok(())
    }

    /// Accessors that no primitive uses have been looked at nowhere.
    fn accessors(&mut self, document: &Document, used: &[bool]) -> Result<()> {
        for (number, accessor) in document.accessors.iter().enumerate() {
            let what = format!("accessors[{number}]");
            if !used[number] {
                let opened = Accessed::open(self.buffers, number as u32).map(drop);
                self.keep(opened, "")?;
            }
            if accessor.count == 0 {
                self.wrong(&what, "it has no element");
            }
            let (Ok(component), Ok((columns, rows))) =
                (Component::of(accessor.component_type), shape(&accessor.shape))
            else {
                continue;
            };
            if !accessor.byte_offset.is_multiple_of(component.size() as u64) {
                let message = format!("its offset is not a multiple of {}", component.size());
                self.wrong(&what, message);
            }
            for (name, bound) in [("min", &accessor.min), ("max", &accessor.max)] {
                if bound.as_ref().is_some_and(|bound| bound.len() != columns * rows) {
                    self.wrong(&what, format!("{name} does not have {} numbers", columns * rows));
                }
            }
        }
        Ok(())
    }

    fn primitive(&mut self, what: &str, json: &PrimitiveJson, used: &mut [bool]) -> Result<()> {
        let document = self.buffers.document;
        let buffers = self.buffers;
        let numbers = json.attributes.values().chain(&json.indices);
        numbers.for_each(|i| used.get_mut(*i as usize).into_iter().for_each(|used| *used = true));
        if let Some(material) = json.material {
            self.leads(what, "material", material, document.materials.len());
        }
        if json.mode > 6 {
            self.wrong(what, format!("the mode {}", json.mode));
        }
        if let Some(splatting) = &json.extensions.splatting {
            self.splats(what, json, splatting)?;
        }
        let is_inner = |s: &super::document::SplattingJson| s.extensions.spz.is_some();
        if json.extensions.splatting.as_ref().is_some_and(is_inner) {
            return Ok(());
        }
        if json.extensions.draco.is_some() {
            self.found.notes.push(format!("{what}: Draco's code is not looked into"));
            return Ok(());
        }
        let Some(positions) = json.attributes.get("POSITION") else {
            self.found.notes.push(format!("{what}: it has no positions"));
            return Ok(());
        };
        let opened = Accessed::open(buffers, *positions);
        let Some(accessor) = self.keep(opened, what)? else { return Ok(()) };
        let count = accessor.count;
        for (name, number) in &json.attributes {
            let what = format!("{what}.{name}");
            let opened = Accessed::open(buffers, *number);
            let Some(accessor) = self.keep(opened, &what)? else { continue };
            if accessor.count != count {
                self.wrong(&what, format!("{} values for {count} vertices", accessor.count));
            }
            self.attribute(&what, name, *number, &accessor)?;
        }
        let mut corners = count;
        if let Some(number) = json.indices {
            let what = format!("{what}.indices");
            let opened = Accessed::open(buffers, number);
            let Some(accessor) = self.keep(opened, &what)? else { return Ok(()) };
            corners = accessor.count;
            let read = accessor.indices(buffers, count);
            self.keep(read, &what)?;
            if document.accessors[number as usize].normalized {
                self.wrong(&what, "indices are not normalised");
            }
        }
        let (least, each) = match json.mode {
            1 => (2, 2),
            2 | 3 => (2, 1),
            4 => (3, 3),
            5 | 6 => (3, 1),
            _ => (1, 1),
        };
        if corners < least || corners % each > 0 {
            self.found.notes.push(format!(
                "{what}: {corners} corners do not make whole primitives of its mode"
            ));
        }
        Ok(())
    }

    /// What the specification says of the numbers of an attribute.
    fn attribute(
        &mut self,
        what: &str,
        name: &str,
        number: u32,
        accessor: &Accessed<'_>,
    ) -> Result<()> {
        let buffers = self.buffers;
        let json = &buffers.document.accessors[number as usize];
        match (name, accessor.parts) {
            ("POSITION", 3) => {
                let read = accessor.rows::<3>(buffers, &|_| ());
                let Some(rows) = self.keep(read, what)? else { return Ok(()) };
                self.positions(what, &rows, json);
            }
            ("NORMAL", 3) => {
                let read = accessor.rows::<3>(buffers, &|_| ());
                let Some(rows) = self.keep(read, what)? else { return Ok(()) };
                let slack = slack(accessor);
                let is_unit = |row: &&[f32; 3]| is_unit(&row[..], slack);
                let bad = rows.len() - rows.iter().filter(is_unit).count();
                if bad > 0 {
                    let of = rows.len();
                    self.wrong(what, format!("{bad} of {of} normals do not have the length 1"));
                }
            }
            ("TANGENT", 4) => {
                let read = accessor.rows::<4>(buffers, &|_| ());
                let Some(rows) = self.keep(read, what)? else { return Ok(()) };
                let slack = slack(accessor);
                let fine = |t: &&[f32; 4]| is_unit(&t[..3], slack) && t[3].abs() == 1.0;
                let bad = rows.len() - rows.iter().filter(fine).count();
                if bad > 0 {
                    let of = rows.len();
                    self.wrong(
                        what,
                        format!(
                            "{bad} of {of} tangents are not unit vectors with a sign of 1 or -1"
                        ),
                    );
                }
            }
            ("POSITION" | "NORMAL" | "TANGENT", _) => {
                self.wrong(what, format!("the type {} is not what it has", json.shape));
            }
            _ => {
                let read = accessor.values(buffers);
                let Some(values) = self.keep(read, what)? else { return Ok(()) };
                if let crate::model::Values::F32(values) = values {
                    let bad = values.iter().filter(|x| !x.is_finite()).count();
                    if bad > 0 {
                        self.wrong(what, format!("{bad} values are not finite"));
                    }
                }
            }
        }
        Ok(())
    }

    fn positions(&mut self, what: &str, rows: &[[f32; 3]], json: &super::document::AccessorJson) {
        let bad = rows.iter().filter(|row| row.iter().any(|x| !x.is_finite())).count();
        if bad > 0 {
            self.wrong(what, format!("{bad} positions are not finite"));
            return;
        }
        let (Some(min), Some(max)) = (&json.min, &json.max) else {
            self.wrong(what, "positions have min and max, and these do not");
            return;
        };
        // Bounds are of the numbers as they are stored.
        let is_float = json.component_type == 5126;
        if !is_float || min.len() != 3 || max.len() != 3 || rows.is_empty() {
            return;
        }
        for i in 0..3 {
            let least = rows.iter().fold(f32::INFINITY, |least, row| least.min(row[i]));
            let most = rows.iter().fold(f32::NEG_INFINITY, |most, row| most.max(row[i]));
            if (min[i] as f32, max[i] as f32) != (least, most) {
                let message = format!(
                    "min and max say {} to {} for number {i} of each; it is {least} to {most}",
                    min[i], max[i]
                );
                self.wrong(what, message);
            }
        }
    }
}

pub(super) fn slack(accessor: &Accessed<'_>) -> f32 {
    if accessor.component == Component::I8 { BYTE_SLACK } else { UNIT_SLACK }
}

pub(super) fn is_unit(direction: &[f32], slack: f32) -> bool {
    let square: f32 = direction.iter().map(|x| x * x).sum();
    (square.sqrt() - 1.0).abs() <= slack
}

/// All textures that a material uses.
fn textures(material: &MaterialJson) -> impl Iterator<Item = &TextureRef> {
    let pbr = &material.pbr_metallic_roughness;
    let all = [
        &pbr.base_color_texture,
        &pbr.metallic_roughness_texture,
        &material.normal_texture,
        &material.occlusion_texture,
        &material.emissive_texture,
    ];
    all.into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gltf::{NoGltfFiles, encode_glb};
    use serde_json::{Value, json};

    fn problems(bytes: &[u8]) -> Vec<String> {
        let found = check_gltf(&bytes, &NoGltfFiles, &Default::default(), &Work::serial()).unwrap();
        assert!(found.problems.iter().all(|e| e.offset().is_some()));
        found.problems.iter().map(|e| e.message().to_owned()).collect()
    }

    /// A triangle of our writer, as text, after a change.
    fn changed(change: impl Fn(&mut Value)) -> Vec<String> {
        let text = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nvn 0 0 1\nf 1//1 2//1 3//1\n";
        let scene =
            crate::obj::decode_obj(&&text[..], &Default::default(), &Work::serial()).unwrap();
        let mut file = Vec::new();
        let work = Work::serial();
        encode_glb(&scene, &Default::default(), &work, &mut file).unwrap();
        assert!(problems(&file).is_empty(), "{:?}", problems(&file));
        let mut whole = Vec::new();
        crate::gltf::encode_gltf_whole(&scene, &Default::default(), &work, &mut whole).unwrap();
        let mut root: Value = serde_json::from_slice(&whole).unwrap();
        change(&mut root);
        problems(root.to_string().as_bytes())
    }

    #[test]
    fn rules_that_are_broken_are_named() {
        assert!(changed(|_| ()).is_empty());
        type Change = fn(&mut Value);
        let cases: [(Change, &str); 15] = [
            (|r| r["accessors"][0]["max"] = json!([1, 2, 0]), "min and max say 0 to 2"),
            (
                |r| drop(r["accessors"][0].as_object_mut().unwrap().remove("min")),
                "have min and max",
            ),
            (|r| r["accessors"][0]["min"] = json!([0]), "min does not have 3 numbers"),
            (|r| r["accessors"][0]["count"] = json!(4), "in a view of 36 bytes"),
            (|r| r["accessors"][1]["byteOffset"] = json!(2), "in a view of 36 bytes"),
            (|r| r["nodes"][0]["mesh"] = json!(7), "mesh 7 of 1"),
            (|r| r["nodes"][0]["children"] = json!([0]), "below itself"),
            (|r| r["nodes"][0]["rotation"] = json!([0, 0, 0, 2]), "has the length 2"),
            (|r| r["meshes"][0]["primitives"][0]["material"] = json!(0), "material 0 of 0"),
            (|r| r["meshes"][0]["primitives"][0]["mode"] = json!(9), "the mode 9"),
            (|r| r["meshes"][0]["primitives"] = json!([]), "no primitive"),
            (|r| r["bufferViews"][0]["byteStride"] = json!(2), "multiple of 4"),
            (|r| r["scenes"][0]["nodes"] = json!([4]), "node 4 of 1"),
            (|r| r["textures"] = json!([{ "source": 2 }]), "image 2 of 0"),
            (|r| r["materials"] = json!([{ "alphaMode": "GLASS" }]), "alpha mode \"GLASS\""),
        ];
        for (change, words) in cases {
            let all = changed(change);
            assert!(all.iter().any(|message| message.contains(words)), "{words}: {all:?}");
        }
        let all = changed(|r| r["accessors"][1] = r["accessors"][0].clone());
        assert!(
            all.iter().any(|m| m.contains("1 of 3 normals do not have the length 1")),
            "{all:?}"
        );
        let required = changed(|r| r["extensionsRequired"] = json!(["KHR_mesh_quantization"]));
        assert!(required[0].contains("not in extensionsUsed"));
    }
}
