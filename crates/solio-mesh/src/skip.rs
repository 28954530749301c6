//! What a reader may leave out.

use crate::model::{Mesh, Scene};

/// What is not wanted of a file: the mesh has none of it, as if the file had none. PLY does not even
/// store it on the way, which saves as much time as it saves memory.
///
/// ```
/// use solio_base::Work;
/// use solio_mesh::{MeshSkip, ply::{PlyReadOptions, decode_ply}};
/// let file = b"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n\
///     property float z\nproperty float nx\nproperty float ny\nproperty float nz\n\
///     property float quality\nend_header\n1 2 3 0 0 1 0.5\n";
/// let skip = MeshSkip { normals: true, ..MeshSkip::default() };
/// let options = PlyReadOptions { skip, ..PlyReadOptions::default() };
/// let mesh = decode_ply(&file.as_slice(), &options, &Work::default())?.meshes.remove(0);
/// assert!(mesh.normals.is_none());
/// assert_eq!((mesh.positions.get(0), mesh.attributes.len()), ([1.0, 2.0, 3.0], 1));
/// # Ok::<(), solio_base::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MeshSkip {
    /// Normals.
    pub normals: bool,
    /// Texture coordinates.
    pub uvs: bool,
    /// Colours of vertices.
    pub colors: bool,
    /// Further attributes, such as properties of a PLY that the model has no place for.
    pub attributes: bool,
}

impl MeshSkip {
    /// Drops what is not wanted of all meshes.
    ///
    /// ```
    /// use solio_mesh::{Domain, Mesh, MeshSkip, Scene, Uvs};
    /// let uvs = Some(Uvs { values: vec![[0.0, 1.0]].into(), domain: Domain::Vertex });
    /// let mesh = Mesh { uvs, ..Mesh::default() };
    /// let mut scene = Scene { meshes: vec![mesh], ..Scene::default() };
    /// MeshSkip { uvs: true, ..MeshSkip::default() }.drop_from(&mut scene);
    /// assert!(scene.meshes[0].uvs.is_none());
    /// ```
    pub fn drop_from(self, scene: &mut Scene<'_>) {
        for mesh in &mut scene.meshes {
            self.drop_of(mesh);
        }
    }

    fn drop_of(self, mesh: &mut Mesh<'_>) {
        if self.normals {
            mesh.normals = None;
        }
        if self.uvs {
            (mesh.uvs, mesh.uv_lists) = (None, false);
        }
        if self.colors {
            mesh.colors = None;
        }
        if self.attributes {
            mesh.attributes.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ply::{PlyReadOptions, decode_ply};
    use solio_base::{Source, Work};

    const HEADER: &str = "element vertex 4\nproperty float x\nproperty float y\nproperty float z\n\
        property float nx\nproperty float ny\nproperty float nz\nproperty uchar red\n\
        property uchar green\nproperty uchar blue\nproperty float alpha\nproperty float s\n\
        property float t\nproperty short quality\nelement face 2\n\
        property list uchar int vertex_indices\nproperty list uchar float texcoord\n\
        property list uchar int marks\nproperty int texnumber\nend_header\n";

    /// A value, and how a record of it is written: 'f' float, 'c' uchar, 's' short, 'i' int.
    fn records(marks: [usize; 2]) -> Vec<Vec<(char, f32)>> {
        let mut out = Vec::new();
        for v in 0..4u8 {
            let v = f32::from(v);
            let floats = (0..6).map(|k| ('f', v * 0.5 + k as f32));
            let colors = (0..3).map(|k| ('c', v * 9.0 + k as f32));
            let rest = [('f', 0.25), ('f', v / 4.0), ('f', 0.5), ('s', -v)];
            out.push(floats.chain(colors).chain(rest).collect());
        }
        for marks in marks {
            let mut face = vec![('c', 3.0), ('i', 0.0), ('i', 1.0), ('i', 3.0), ('c', 6.0)];
            face.extend((0..6).map(|k| ('f', k as f32 / 8.0)));
            face.push(('c', marks as f32));
            face.extend((0..marks).map(|k| ('i', k as f32)));
            face.push(('i', 1.0));
            out.push(face);
        }
        out
    }

    fn text(header: &str, records: &[Vec<(char, f32)>], between: &str) -> Vec<u8> {
        let rows = records.iter().map(|record| {
            record.iter().map(|(_, v)| v.to_string()).collect::<Vec<_>>().join(between)
        });
        let rows = rows.collect::<Vec<_>>().join("\n");
        let comments = "comment TextureFile a.png\ncomment TextureFile b.png\n";
        format!("ply\nformat ascii 1.0\n{comments}{header}{rows}\n").into_bytes()
    }

    fn binary(header: &str, records: &[Vec<(char, f32)>], big: bool) -> Vec<u8> {
        let name = if big { "big" } else { "little" };
        let comments = "comment TextureFile a.png\ncomment TextureFile b.png\n";
        let head = format!("ply\nformat binary_{name}_endian 1.0\n{comments}{header}");
        let mut out = head.into_bytes();
        for (kind, value) in records.iter().flatten() {
            let mut bytes = match kind {
                'f' => value.to_le_bytes().to_vec(),
                'i' => (*value as i32).to_le_bytes().to_vec(),
                's' => (*value as i16).to_le_bytes().to_vec(),
                _ => vec![*value as u8],
            };
            if big {
                bytes.reverse();
            }
            out.append(&mut bytes);
        }
        out
    }

    #[test]
    fn what_is_skipped_is_what_is_dropped() {
        // UVs of corners, and UVs of vertices.
        let headers = [HEADER.replace("float s", "float p"), HEADER.replace("texcoord", "corner")];
        for (header, marks) in headers.iter().flat_map(|h| [(h, [2, 2]), (h, [1, 0])]) {
            let records = records(marks);
            let files = [
                text(header, &records, " "),
                text(header, &records, "\n"),
                binary(header, &records, false),
                binary(header, &records, true),
            ];
            for (file, bits) in files.iter().flat_map(|file| (0..16).map(move |bits| (file, bits)))
            {
                let has = |bit: u32| bits >> bit & 1 == 1;
                let skip =
                    MeshSkip { normals: has(0), uvs: has(1), colors: has(2), attributes: has(3) };
                let read = |skip| {
                    let options = PlyReadOptions { skip, ..PlyReadOptions::default() };
                    decode_ply(&&file[..] as &dyn Source, &options, &Work::default()).unwrap()
                };
                let mut want = read(MeshSkip::default());
                let mesh = &want.meshes[0];
                assert!(mesh.uvs.is_some());
                assert_eq!(mesh.face_materials[..], [1, 1]);
                assert_eq!(
                    mesh.colors.as_ref().unwrap().values[3],
                    [27. / 255., 28. / 255., 29. / 255., 0.25]
                );
                assert!(mesh.attributes.iter().any(|a| a.name == "marks"));
                skip.drop_from(&mut want);
                assert_eq!(read(skip), want, "{skip:?}");
            }
        }
    }
}
