//! The golden files, as our own code makes them. `SOLIO_BLESS=1 cargo test -p solio --test golden`
//! writes them into `data/golden`, and the broken ones with their errors into `data/broken`.

use solio::mesh::Scene;
use solio::mesh::ply::PlyFormat;
use solio::{Compression, Format, MeshReadOptions, MeshWriteOptions, Work};

/// A file of `data`.
pub(crate) struct File {
    pub(crate) name: &'static str,
    pub(crate) bytes: Vec<u8>,
}

/// Everything that real OBJ files contain.
const OBJ: &str = "# Solio's golden file
# second comment
mtllib golden.mtl
v 0 0 0 1
v 1 0 0 0.5
v 1 1 0
v 0 1 0 2
vt 0 0
vt 1 0.5 0
vt -0.25 1e-3
vn 0 0 1
vn 0.70710678 0 -0.70710678
g outer shell
usemtl red wood
s 1
f 1/1/1 2/2/1 3/3/2
f 1//1 3//1 4//2
s off
usemtl \u{fc}ber
f -4 -3 -2 -1
o colours
v 2 0 0 1 0 0
v 3.5 0 0 0.25 0.5 0.75
v +.5 -0. 1E2 0 0 1
v nan inf -inf
v 9007199254740993 1e-45 3.4028235e38
#MRGB ff80402000ff00ff
f 5/1 \\
  6/2 \\
  7/3
l 1 2 3 -1
l 5/1 6/2
p 1 -1
g
usemtl
s 4294967295
f 5 6 7 8 9
vp 0.5 0.25
cstype rat bspline
deg 2
curv 0 1 1 2 3
parm u 0 0 1 1
end
bevel on
f 7 6 5";

const MTL: &str = "# Solio's golden file
newmtl red wood
Ka 0.1 0.2 0.3
Kd 0.5
Ks 0 0 0
Ke 1 0.5 0.25
Tf 1 1 1
Ns 250.5
Ni 1.45
d 0.75
illum 2
sharpness 60
Pr 0.4
Pm 1
Ps 0.1
Pc 0.2
Pcr 0.03
aniso 0.5
anisor 0.25
map_Kd -o 0 0.5 0 -s 2 2 1 wood grain.png
map_Bump -bm 0.3 -clamp on bump.png
norm normal.png
refl -type sphere sky.hdr
map_Pr rough.png

newmtl \u{fc}ber
Kd spectral lamp.rfl
d -halo 0.5
Tr 0.25
";

const PLY: &str = "ply
format ascii 1.0
comment Solio's golden file
obj_info made by hand
element vertex 5
property float x
property float y
property float z
property float nx
property float ny
property float nz
property uchar red
property uchar green
property uchar blue
property float s
property float t
property double quality
property list uchar short links
element face 3
property list uchar uint vertex_indices
property int id
element edge 1
property int vertex1
property int vertex2
element camera 1
property double fov
property list int float frames
end_header
0 0 0 0 0 1 255 0 0 0 0 0.1 0
1 0 0 0 0 1 0 255 0 1 0 1e-300 2 -1 7
1 1 0 0 0 1 0 0 255 1 1 nan 1 32767
0 1 0 0 0 1 7 8 9 0 1 -2.5 0
0.5 0.5 1 0 1 0 10 20 30 0.5 0.5 1e300 3 1 2 3
3 0 1 4 7
4 0 1 2 3 -1
5 0 1 2 3 4 2147483647
4 0
35.5 2 1 250
";

fn encoded(scene: &Scene<'_>, format: Format, change: impl Fn(&mut MeshWriteOptions)) -> Vec<u8> {
    let mut options = MeshWriteOptions::default();
    change(&mut options);
    solio::encode_mesh(scene, format, &options, &Work::serial()).expect("a good scene")
}

fn compressed(bytes: &[u8], compression: Compression) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(format!("x{}", compression.extension()));
    let work = Work::serial();
    let options = solio_io::SinkOptions { compression, level: None, durable: false };
    let mut sink = solio_io::FileSink::create(&path, &options, &work).expect("a file");
    solio::Sink::write_bytes(&mut sink, &work, bytes).expect("written");
    sink.commit().expect("in place");
    std::fs::read(&path).expect("just written")
}

/// All golden files.
pub(crate) fn golden() -> Vec<File> {
    let work = Work::serial();
    let ply = solio::read_mesh_bytes(PLY.as_bytes(), &MeshReadOptions::default(), &work);
    let ply = ply.expect("a good file");
    let in_format = |format| {
        let set = |options: &mut MeshWriteOptions| {
            options.ply.format = format;
            options.ply.export_normals = true;
        };
        encoded(&ply, Format::Ply, set)
    };
    let triangles = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1.5\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
    let solid = solio::read_mesh_bytes(triangles.as_bytes(), &MeshReadOptions::default(), &work);
    let solid = solid.expect("a good file");
    let wide = |text: &str| -> Vec<u8> {
        [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
    };
    let file = |name, bytes| File { name, bytes };
    vec![
        file("golden.obj", OBJ.into()),
        file("golden-crlf.obj", OBJ.replace('\n', "\r\n").into()),
        file("golden-cr.obj", OBJ.replace('\n', "\r").into()),
        file("golden-utf16.obj", wide(OBJ)),
        file("golden.mtl", MTL.into()),
        file("golden.ply", PLY.into()),
        file("golden-written.ply", in_format(PlyFormat::Ascii)),
        file("golden-little.ply", in_format(PlyFormat::BinaryLittleEndian)),
        file("golden-big.ply", in_format(PlyFormat::BinaryBigEndian)),
        file("golden-text.stl", encoded(&solid, Format::Stl, |o| o.stl.ascii_format = true)),
        file("golden-binary.stl", encoded(&solid, Format::Stl, |_| {})),
        file("golden.obj.gz", compressed(OBJ.as_bytes(), Compression::Gzip)),
        file("golden.ply.zst", compressed(PLY.as_bytes(), Compression::Zstd)),
    ]
}

/// Files that are refused; their errors stand beside them.
pub(crate) fn broken() -> Vec<File> {
    let text = |name, text: &str| File { name, bytes: text.into() };
    let ply =
        |elements: &str, body: &str| format!("ply\nformat ascii 1.0\n{elements}end_header\n{body}");
    let vertex = |n: u64| {
        format!("element vertex {n}\nproperty float x\nproperty float y\nproperty float z\n")
    };
    let face = |n: u64| format!("element face {n}\nproperty list uchar int vertex_indices\n");
    let mut files = vec![
        text("empty.obj", ""),
        text("comments-only.obj", "# nothing\n# here\n"),
        text("index-zero.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 0 1 2\n"),
        text("index-beyond.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n"),
        text("index-before.obj", "v 0 0 0\nf -1 -1 -2\n"),
        text("index-huge.obj", "v 0 0 0\nf 1 1 99999999999\n"),
        text("not-a-number.obj", "v 0 0 0\nv 1 zero 0\n"),
        text("two-points.obj", "v 0 0 0\nv 1.5.5 0\n"),
        text("not-a-corner.obj", "v 0 0 0\nf 1 1 1/2/3/4\n"),
        text("float-index.obj", "v 0 0 0\nf 1 1 1.5\n"),
        text("freeform-index.obj", "v 0 0 0\ncurv 0 1 -2\n"),
        text("strays.mtl", "Kd 1 1 1\n"),
        text("empty.ply", ""),
        text("wrong-magic.ply", "plx\n"),
        text("no-format.ply", "ply\nelement vertex 0\nend_header\n"),
        text("no-end.ply", "ply\nformat ascii 1.0\nelement vertex 0\n"),
        text("unknown-type.ply", &ply("element vertex 0\nproperty quad x\n", "")),
        text("huge-count.ply", &ply(&vertex(4_000_000_000), "0 0 0\n")),
        text("no-z.ply", &ply("element vertex 1\nproperty float x\nproperty float y\n", "0 0\n")),
        text("second-vertex.ply", &ply(&(vertex(1) + &vertex(1)), "0 0 0\n0 0 0\n")),
        text("index-beyond.ply", &ply(&(vertex(1) + &face(1)), "0 0 0\n3 0 1 0\n")),
        text("word.ply", &ply(&vertex(2), "0 0 0\n0 x 0\n")),
        text("short.ply", &ply(&vertex(2), "0 0 0\n0 0\n")),
        text("empty.stl", ""),
        text("neither.stl", "hello"),
        text(
            "quad.stl",
            "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 1 1 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a\n",
        ),
        text("cut.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0"),
        text("word.stl", "solid a\nfacet normal 0 0 up\n"),
    ];
    for whole in golden() {
        if let Some(name) = match whole.name {
            "golden.obj.gz" => Some("cut.obj.gz"),
            "golden.ply.zst" => Some("cut.ply.zst"),
            "golden-little.ply" => Some("cut-little.ply"),
            _ => None,
        } {
            let half = whole.bytes.len() * 3 / 4;
            files.push(File { name, bytes: whole.bytes[..half].to_vec() });
        }
    }
    files
}
