use super::options::ObjReadOptions;
use super::*;
use crate::material::Material;
use crate::model::Scene;

const LIBRARY: &str = "# c\r\nnewmtl wood and steel\r\n\tKa 0.5\r\n Kd 1 0 0.25\nKs spectral a.rfl\n\
Ns 96.5\nNi 1.45\nTr 0.25\nillum 2\nPr 0.5\nPm 1\nPs 0.1\nPc 0.2\nPcr 0.3\naniso 0.4\nanisor 0.6\n\
map_Kd -o 0 0.5 -s 2 2 1 -clamp on C:\\my textures\\wood 1.png\nmap_Bump -bm 0.3 -imfchan l 7.png\n\
norm -mm 0 1 n.png\nmap_aat on\nfoo bar baz\nd -halo 0.6\nnewmtl b\nTr 1\nd 1\n";

#[test]
fn reads_properties_and_maps() {
    let (materials, warnings) = decode_mtl(LIBRARY.as_bytes(), &ObjReadOptions::default()).unwrap();
    assert_eq!(warnings, Vec::<String>::new());
    let m = &materials[0];
    assert_eq!(m.name, "wood and steel");
    assert_eq!(m.ambient, Some([0.5; 3]));
    assert_eq!(m.diffuse, Some([1.0, 0.0, 0.25]));
    assert_eq!((m.specular, m.opacity, m.illum), (None, Some(0.75), Some(2)));
    assert_eq!((m.shininess, m.ior), (Some(96.5), Some(1.45)));
    let pbr = [m.roughness, m.metallic, m.sheen, m.clearcoat, m.clearcoat_roughness];
    assert_eq!(pbr, [0.5, 1.0, 0.1, 0.2, 0.3].map(Some));
    assert_eq!((m.anisotropy, m.anisotropy_rotation), (Some(0.4), Some(0.6)));
    assert_eq!(m.other, ["Ks spectral a.rfl", "map_aat on", "foo bar baz", "d -halo 0.6"]);
    let maps: Vec<_> = m.maps.iter().map(|m| (m.key.as_str(), m.path.as_str())).collect();
    let kd = ("map_Kd", "C:\\my textures\\wood 1.png");
    assert_eq!(maps, [kd, ("map_Bump", "7.png"), ("norm", "n.png")]);
    let options = [("-o", "0 0.5"), ("-s", "2 2 1"), ("-clamp", "on")];
    assert_eq!(m.maps[0].options, options.map(|(a, b)| (a.to_owned(), b.to_owned())));
    assert_eq!(materials[1].opacity, Some(1.0));
}

#[test]
fn a_number_may_be_a_file_name() {
    let text = b"newmtl a\nmap_Kd -s 1 2 3\n";
    let (materials, _) = decode_mtl(text, &ObjReadOptions::default()).unwrap();
    assert_eq!(materials[0].maps[0].path, "3");
}

#[test]
fn strict_refuses_with_the_place() {
    let options = ObjReadOptions { strict: true, ..ObjReadOptions::default() };
    let e = decode_mtl(b"newmtl a\nKd 1 x 0\n", &options).unwrap_err();
    assert_eq!(e.to_string(), "2:6: `x` is not a number (byte 14)");
    let (materials, warnings) =
        decode_mtl(b"newmtl a\nKd 1 x 0\n", &ObjReadOptions::default()).unwrap();
    assert_eq!(warnings, ["2:6: `x` is not a number"]);
    assert_eq!(materials[0].other, ["Kd 1 x 0"]);
    let e = decode_mtl(b"<html>\n", &ObjReadOptions::default()).unwrap_err();
    assert_eq!(e.to_string(), "1:1: no `newmtl`: this is no material library (byte 0)");
    assert!(decode_mtl(b"# nothing\n", &options).unwrap().0.is_empty());
}

#[test]
fn libraries_fill_the_materials_of_a_scene() {
    let named = |name: &str| Material { name: name.into(), ..Material::default() };
    let with = |name: &str, ns| Material { shininess: Some(ns), ..named(name) };
    let mut scene = Scene { materials: vec![named("x"), named("a")], ..Scene::default() };
    attach_materials(&mut scene, vec![with("a", 1.0), with("a", 2.0), with("c", 3.0)]);
    attach_materials(&mut scene, vec![with("x", 4.0), with("c", 5.0)]);
    assert_eq!(scene.materials, [with("x", 4.0), with("a", 1.0), with("c", 3.0)]);
}
