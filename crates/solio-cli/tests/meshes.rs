//! Meshes through the command: which way is up, colours and textures from format to format, text that
//! was written by other programs.

#![allow(clippy::disallowed_methods)] // tests read and write their own files

mod ran;

use ran::run;
use std::fs;

const TRIANGLE: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

#[test]
fn previews_say_which_axis_is_up() {
    let dir = tempfile::tempdir().unwrap();
    let solio = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        run(dir.path(), &words, b"").fine()
    };
    fs::write(dir.path().join("a.obj"), TRIANGLE).unwrap();
    solio("convert a.obj -o a.ply");
    for (name, up, other) in [("a.obj", "Y", "Z"), ("a.ply", "Z", "Y")] {
        let ran = solio(&format!("preview {name} -o {name}.png --size 40"));
        let said = format!("{name}: {up} is up");
        assert!(
            ran.err.contains(&said) && ran.err.contains(&format!("--up-axis {other}")),
            "{}",
            ran.err
        );
        let ran = solio(&format!("preview {name} -o {name}.y.png --size 40 --up-axis Y --json"));
        assert!(ran.err.is_empty(), "{}", ran.err);
        assert_eq!(ran.json()[0]["up"], "Y");
    }
    // The same way up, the same picture.
    let picture = |name: &str| fs::read(dir.path().join(name)).unwrap();
    assert_eq!(picture("a.obj.y.png"), picture("a.ply.y.png"));
    assert_ne!(picture("a.obj.png"), picture("a.ply.png"));
    let page = |options: &str| {
        solio(&format!("sheet a.obj a.ply -o sheet.html{options}"));
        fs::read_to_string(dir.path().join("sheet.html")).unwrap()
    };
    let both = page("");
    assert!(both.contains("Y up") && both.contains("Z up"));
    assert!(!page(" --up-axis Y").contains("Z up"));
}

#[test]
fn colors_of_facets_become_materials() {
    let dir = tempfile::tempdir().unwrap();
    // VisCAM: bit 15 says that there is a colour, blue is lowest. Magics: the other way, red is lowest.
    for (name, header, words) in [
        ("viscam", &b"viscam"[..], [0xfc00_u16, 0x801f]),
        ("magics", b"COLOR=\xff\xff\xff\xff", [0x001f, 0x7c00]),
    ] {
        let mut file = header.to_vec();
        file.resize(80, b' ');
        file.extend(2_u32.to_le_bytes());
        for (i, word) in words.into_iter().enumerate() {
            let corners = [[0.0; 3], [0.0, 0.0, i as f32], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
            file.extend(corners.as_flattened().iter().flat_map(|value: &f32| value.to_le_bytes()));
            file.extend(word.to_le_bytes());
        }
        fs::write(dir.path().join("a.stl"), file).unwrap();
        let ran = run(dir.path(), &["convert", "a.stl", "-o", "a.obj", "--json"], b"").fine();
        let losses = ran.json()[0]["losses"].to_string();
        assert!(!losses.contains("attributes"), "{name}: {losses}");
        let mtl = fs::read_to_string(dir.path().join("a.mtl")).unwrap();
        let kd: Vec<_> = mtl.lines().filter(|line| line.starts_with("Kd ")).collect();
        assert_eq!(
            kd,
            ["Kd 1.000000 0.000000 0.000000", "Kd 0.000000 0.000000 1.000000"],
            "{name}"
        );
        let obj = fs::read_to_string(dir.path().join("a.obj")).unwrap();
        assert!(
            obj.contains("usemtl rgb_ff0000\n") && obj.contains("usemtl rgb_0000ff\n"),
            "{obj}"
        );
    }
}

#[test]
fn the_texture_of_an_obj_goes_to_ply_and_back() {
    let dir = tempfile::tempdir().unwrap();
    let text = "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nusemtl oak\n\
                f 1/1 2/2 3/3\n";
    fs::write(dir.path().join("a.obj"), text).unwrap();
    fs::write(dir.path().join("a.mtl"), "newmtl oak\nmap_Kd oak.png\n").unwrap();
    let ran = run(dir.path(), &["convert", "a.obj", "-o", "a.ply", "--ascii"], b"").fine();
    assert!(!ran.err.contains("materials ("), "{}", ran.err);
    let ply = fs::read_to_string(dir.path().join("a.ply")).unwrap();
    assert!(ply.contains("comment TextureFile oak.png\n"), "{ply}");
    run(dir.path(), &["convert", "a.ply", "-o", "b.obj"], b"").fine();
    let mtl = fs::read_to_string(dir.path().join("b.mtl")).unwrap();
    assert!(mtl.contains("newmtl oak\nmap_Kd oak.png\n"), "{mtl}");
    // Faces of two textures have none in common.
    let two = format!("{text}usemtl fir\nf 1/1 3/3 2/2\n");
    fs::write(dir.path().join("a.obj"), two).unwrap();
    fs::write(dir.path().join("a.mtl"), "newmtl oak\nmap_Kd oak.png\nnewmtl fir\nmap_Kd fir.png\n")
        .unwrap();
    let ran = run(dir.path(), &["convert", "a.obj", "-o", "a.ply", "--ascii"], b"").fine();
    assert!(ran.err.contains("PLY has no materials (2 materials"), "{}", ran.err);
    assert!(!fs::read_to_string(dir.path().join("a.ply")).unwrap().contains("TextureFile"));
}

#[test]
fn text_without_a_last_line_end_is_sound() {
    let dir = tempfile::tempdir().unwrap();
    let ply = "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n\
               property float z\nend_header\n0 0 0";
    let stl = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n\
               endloop\nendfacet\nendsolid a";
    for (name, text) in [
        ("a.obj", TRIANGLE.trim_end()),
        ("a.ply", ply),
        ("a.stl", stl),
        ("a.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2"),
        ("a.pbrt", "WorldBegin\nShape \"sphere\""),
    ] {
        fs::write(dir.path().join(name), text).unwrap();
        let ran = run(dir.path(), &["check", name], b"");
        assert_eq!(ran.code, 0, "{name}: {}", ran.err);
    }
    // An MTL is passed by, beside its OBJ.
    fs::write(dir.path().join("a.mtl"), "newmtl oak\nKd 1 0 0").unwrap();
    let ran = run(dir.path(), &["check", "."], b"");
    assert_eq!(ran.code, 0, "{}{}", ran.text(), ran.err);
}

#[test]
fn rounding_in_a_pipe_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let ply = "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n\
               property float z\nend_header\n5432109.876543 0 0\n";
    let obj = "v 13.40495401 52.52000815 0\nv 13.40495512 52.52000921 0\n";
    let far = "v 5432109.876543 0 0\n";
    for (format, text, is_told) in [("ply", ply, true), ("obj", obj, true), ("obj", far, false)] {
        let line = ["convert", "-", "--input-format", format, "-o", "out.off"];
        let ran = run(dir.path(), &line, text.as_bytes()).fine();
        assert_eq!(ran.err.contains("may be rounded to 32 bits"), is_told, "{}", ran.err);
        let ran = run(dir.path(), &[&line[..], &["--double"]].concat(), text.as_bytes()).fine();
        assert!(!ran.err.contains("rounded"), "{}", ran.err);
        let off = fs::read_to_string(dir.path().join("out.off")).unwrap();
        assert!(off.contains("5432109.876543") || off.contains("52.52000921"), "{off}");
    }
}

#[test]
fn splats_go_from_format_to_format() {
    let dir = tempfile::tempdir().unwrap();
    let solio = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        run(dir.path(), &words, b"").fine()
    };
    let record = |place: [f32; 3]| {
        let floats = place.into_iter().chain([0.1; 3]);
        let mut bytes: Vec<u8> = floats.flat_map(f32::to_le_bytes).collect();
        bytes.extend_from_slice(&[200, 100, 50, 255, 255, 128, 128, 128]);
        bytes
    };
    let records: Vec<u8> = (0..7).flat_map(|i| record([i as f32 / 4.0, 1.5, -2.25])).collect();
    fs::write(dir.path().join("a.splat"), &records).unwrap();
    for (from, to) in [
        ("a.splat", "b.spz"),
        ("b.spz", "c.compressed.ply"),
        ("c.compressed.ply", "d.ply"),
        ("d.ply", "e.spz --spz-version 2"),
        ("e.spz", "f.splat"),
    ] {
        solio(&format!("convert {from} -o {to}"));
    }
    let read = |name: &str| fs::read(dir.path().join(name)).unwrap();
    assert!(read("c.compressed.ply").windows(13).any(|w| w == b"element chunk"));
    assert!(read("e.spz").starts_with(&[0x1f, 0x8b]) && read("b.spz").starts_with(b"NGSP"));
    // Places are kept by all of them; quaternions of bytes move a step.
    let back = read("f.splat");
    for (before, after) in records.chunks(32).zip(back.chunks(32)) {
        let float =
            |bytes: &[u8], k: usize| f32::from_le_bytes(bytes[4 * k..][..4].try_into().unwrap());
        assert!((0..3).all(|k| (float(before, k) - float(after, k)).abs() < 2e-3));
        assert!(
            before[24..].iter().zip(&after[24..]).all(|(a, b)| a.abs_diff(*b) < 3),
            "{after:?}"
        );
    }
    for (name, version) in [("b.spz", Some(4)), ("e.spz", Some(2)), ("f.splat", None)] {
        let info = &solio(&format!("info {name} --json")).json()[0];
        let splats = &info["splats"];
        assert_eq!((&splats["count"], &splats["degree"]), (&7.into(), &0.into()), "{info}");
        assert_eq!(splats["spz_version"].as_u64(), version, "{info}");
        assert!(solio(&format!("info {name}")).text().contains("7 Gaussian splats, degree 0"));
    }
    let told = run(dir.path(), &["convert", "a.splat", "-o", "g.spz", "--json"], b"").fine();
    let losses = told.json()[0]["losses"].to_string();
    assert!(losses.contains("SPZ rounds sizes, by"), "{losses}");
    // A zero quaternion has no rotation.
    let mut odd = records.clone();
    odd[28] = 128;
    fs::write(dir.path().join("odd.splat"), odd).unwrap();
    let ran = run(dir.path(), &["check", "odd.splat"], b"");
    let said = format!("{}{}", ran.text(), ran.err);
    assert!(said.contains("1 splat whose quaternion is zero"), "{said}");
    // What has none cannot be written so.
    fs::write(dir.path().join("a.obj"), TRIANGLE).unwrap();
    let ran = run(dir.path(), &["convert", "a.obj", "-o", "h.spz"], b"");
    assert!(ran.code != 0 && ran.err.contains("the input has none"), "{}", ran.err);
    let ran = solio("preview a.splat -o a.png --size 32");
    assert!(ran.err.contains("a.splat: -Y is up"), "{}", ran.err);
}
