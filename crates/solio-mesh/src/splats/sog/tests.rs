use super::bundle::{SogBundle, zipped};
use super::picture::SogPicture;
use super::*;
use crate::gltf::{GltfFiles, NoGltfFiles};
use crate::model::Scene;
use crate::splats::columns::{SplatColumns, alpha_of};
use crate::splats::tests::{ball, columns, differences};
use crate::splats::{ANTIALIASED, HARMONIC_0, SplatReadOptions, splat_count};
use serde_json::{Value, json};
use solio_base::{Error, ErrorKind, Limits, Result, Source, Work};
use std::collections::HashMap;

fn write(scene: &Scene<'_>) -> Vec<u8> {
    let mut files = Vec::new();
    for threads in [1, 2] {
        let mut bytes = Vec::new();
        encode_sog(scene, &Work { threads, ..Work::default() }, &mut bytes).unwrap();
        files.push(bytes);
    }
    assert!(files[0] == files[1], "threads");
    files.remove(0)
}

fn read(bytes: &[u8]) -> Result<Scene<'static>> {
    decode_sog(&bytes, &NoGltfFiles, &SplatReadOptions::default(), &Work::serial())
}

/// All files of a bundle, by name.
fn unzipped(bytes: &[u8]) -> HashMap<String, Vec<u8>> {
    let limits = Limits::default();
    let bundle = SogBundle::open(&bytes, &NoGltfFiles, &limits).unwrap();
    let names = ["means_l", "means_u", "quats", "scales", "sh0", "shN_centroids", "shN_labels"];
    let names = names.iter().map(|name| format!("{name}.webp")).chain([META.to_owned()]);
    let file = |name: String| Some((name.clone(), bundle.file(&name, &limits).ok()?));
    names.filter_map(file).collect()
}

fn rezipped(files: &HashMap<String, Vec<u8>>) -> Vec<u8> {
    let files: Vec<(&str, Vec<u8>)> =
        files.iter().map(|(name, bytes)| (name.as_str(), bytes.clone())).collect();
    zipped(&files).unwrap()
}

/// A file with another document.
fn changed(bytes: &[u8], change: impl Fn(&mut Value)) -> Vec<u8> {
    let mut files = unzipped(bytes);
    let mut meta = serde_json::from_slice(&files[META]).unwrap();
    change(&mut meta);
    files.insert(META.to_owned(), meta.to_string().into_bytes());
    rezipped(&files)
}

/// In the order of the file.
fn ordered(scene: &Scene<'static>) -> SplatColumns<'static> {
    let all = columns(scene);
    let order = crate::splats::pack::order_of(&all.positions);
    all.in_order(&order)
}

#[test]
fn splats_keep_what_their_bytes_hold() {
    for degree in 0..=3 {
        let scene = ball(1000, degree);
        let back = read(&write(&scene)).unwrap();
        assert_eq!(splat_count(&back.meshes[0]), 1000);
        let after = columns(&back);
        assert_eq!(after.degree(), degree);
        let found = differences(&ordered(&scene), &after);
        // Places: a step of 65535 of the logarithms of ±5. Rotations: half a step of √2/255 each of three.
        // A code of 256 for 3000 sizes and colours between bounds; all rows have an entry.
        let place = 0.5 * 2.0 * 6.0_f32.ln() / 65535.0 * 6.0;
        let size = 5.0 / 256.0;
        let color = 2.0 / 256.0;
        let bounds = [place * 1.01, size, 0.02, 0.5 / 255.0 + 1e-6, color, 0.02];
        let is_within = found.iter().zip(bounds).all(|(found, bound)| *found <= bound);
        assert!(is_within, "{degree}: {found:?} {bounds:?}");
        let losses = sog_losses(&scene, &Work::serial()).unwrap();
        let what: Vec<_> = losses.iter().map(|loss| loss.what).collect();
        let some = ["positions", "scales", "rotations", "opacity", "colors", "harmonics"];
        assert_eq!(what, some[..if degree > 0 { 6 } else { 5 }]);
        let told = losses.iter().find(|loss| loss.what == "colors").unwrap();
        let off = found[4] * HARMONIC_0;
        assert_eq!(told.reason, format!("SOG rounds colours of 0 to 1, by {off:.4} at most"));
    }
    assert_eq!(read(&write(&ball(1, 0))).unwrap().meshes[0].positions.len(), 1);
    let beyond = sog_losses(&ball(9, 4), &Work::serial()).unwrap();
    assert!(beyond.to_string().contains("no harmonics above degree 3"), "{beyond}");
}

#[test]
fn the_document_says_what_the_specification_asks_for() {
    let mut scene = ball(700, 2);
    scene.comments.push(ANTIALIASED.to_owned());
    let files = unzipped(&write(&scene));
    let meta: Value = serde_json::from_slice(&files[META]).unwrap();
    assert_eq!((&meta["version"], &meta["count"]), (&json!(2), &json!(700)));
    assert_eq!(meta["means"]["files"], json!(["means_l.webp", "means_u.webp"]));
    assert_eq!(meta["shN"]["files"], json!(["shN_centroids.webp", "shN_labels.webp"]));
    assert_eq!((&meta["shN"]["bands"], &meta["shN"]["count"]), (&json!(2), &json!(700)));
    for name in ["scales", "sh0", "shN"] {
        assert_eq!(meta[name]["codebook"].as_array().unwrap().len(), 256, "{name}");
    }
    // Pictures that belong together have one size, of whole fours.
    let size = |name: &str| {
        let picture = SogPicture::decode(&files[name], name, 1).unwrap();
        (picture.width, picture.height)
    };
    assert_eq!(size("means_l.webp"), (28, 28));
    assert!(
        ["means_u.webp", "quats.webp", "scales.webp", "sh0.webp", "shN_labels.webp"]
            .iter()
            .all(|name| size(name) == (28, 28))
    );
    assert_eq!(size("shN_centroids.webp"), (64 * 8, 11));
    assert_eq!(read(&write(&scene)).unwrap().comments, [ANTIALIASED]);
}

/// Files in memory.
struct Folder(HashMap<String, Vec<u8>>);

impl GltfFiles for Folder {
    fn open(&self, name: &str) -> Result<Box<dyn Source>> {
        match self.0.get(name) {
            Some(bytes) => Ok(Box::new(bytes.clone())),
            None => Err(Error::new(ErrorKind::Io, "it is missing")),
        }
    }
}

#[test]
fn loose_files_are_read_as_a_bundle_is() {
    let bytes = write(&ball(300, 1));
    let mut files = unzipped(&bytes);
    let meta = files.remove(META).unwrap();
    let folder = Folder(files);
    let read_loose =
        |meta: &[u8]| decode_sog(&meta, &folder, &SplatReadOptions::default(), &Work::serial());
    assert_eq!(read_loose(&meta).unwrap().meshes, read(&bytes).unwrap().meshes);
    let text = String::from_utf8(meta).unwrap();
    for name in ["../sh0.webp", "/sh0.webp", "a\\\\sh0.webp", "file:sh0.webp", ""] {
        let error = read_loose(text.replace("sh0.webp", name).as_bytes()).unwrap_err();
        assert!(error.message().contains("leads out of the folder"), "{name}: {error}");
    }
    assert!(read_loose(text.replace("sh0.webp", "sh1.webp").as_bytes()).is_err());
}

/// The same splats as the older version has them: bytes between bounds, and the opacity as it is in a PLY.
#[test]
fn the_first_version_has_bounds_in_place_of_codes() {
    let count = 70_usize;
    let gradient = |i: usize| [(3 * i) as u8, 255 - i as u8, 128, 255];
    let picture = |pixel: &dyn Fn(usize) -> [u8; 4]| SogPicture::of_splats(count, pixel);
    let webp = |picture: SogPicture| picture.encode().unwrap();
    let entries = SogPicture {
        width: 192,
        height: 2,
        pixels: (0..384).map(|i| [(i % 256) as u8, 7, 250, 255]).collect(),
    };
    let files: HashMap<String, Vec<u8>> = [
        ("l.webp", webp(picture(&|i| [i as u8, 0, 255, 255]))),
        ("u.webp", webp(picture(&|_| [0, 0, 255, 255]))),
        ("s.webp", webp(picture(&gradient))),
        ("q.webp", webp(picture(&|_| [255, 128, 128, 252]))),
        ("c.webp", webp(picture(&|i| [255, 0, 51, (2 * i) as u8]))),
        ("n.webp", webp(entries)),
        ("b.webp", webp(picture(&|i| [(i + 1) as u8, if i == 69 { 9 } else { 0 }, 0, 255]))),
        (
            META,
            json!({
                "means": { "shape": [count, 3], "dtype": "float32", "mins": [0.0, -1.0, 0.0],
                           "maxs": [65.535, 1.0, 2.0], "files": ["l.webp", "u.webp"] },
                "scales": { "shape": [count, 3], "mins": [-10.0, -5.0, 0.0], "maxs": [0.0, 5.0, 255.0],
                            "files": ["s.webp"] },
                "quats": { "shape": [count, 3], "encoding": "quaternion_packed", "files": ["q.webp"] },
                "sh0": { "mins": [-1.0, -2.0, 0.0, -6.0], "maxs": [1.0, 2.0, 5.0, 6.0],
                         "files": ["c.webp"] },
                "shN": { "mins": -1.0, "maxs": 1.55, "quantization": 8,
                         "files": ["n.webp", "b.webp"] },
            })
            .to_string()
            .into_bytes(),
        ),
    ]
    .map(|(name, bytes)| (name.to_owned(), bytes))
    .into();
    let scene = read(&rezipped(&files)).unwrap();
    let all = columns(&scene);
    assert_eq!((all.count(), all.degree()), (count, 1));
    let near = |a: f32, b: f64| (f64::from(a) - b).abs() < 1e-5 * b.abs().max(1.0);
    assert!(near(all.positions[9][0], (9.0 * 0.001_f64).exp_m1()));
    assert!(
        near(all.positions[9][1], -(1.0_f64.exp_m1()))
            && near(all.positions[9][2], 2.0_f64.exp_m1())
    );
    assert!(near(all.scales[0][10], -10.0 + 10.0 * 30.0 / 255.0) && near(all.scales[2][1], 128.0));
    assert!(
        near(all.colors[0][3], 1.0) && near(all.colors[1][3], -2.0) && near(all.colors[2][3], 1.0)
    );
    assert!(near(all.opacity[51], -6.0 + 12.0 * 102.0 / 255.0));
    let turn = all.turn(0);
    assert!(turn[1] > 0.7 && turn[0].abs() > 0.69, "{turn:?}");
    // Entry 1 has the pixels 3 to 5, and those of the second row are entries 64 on.
    assert!(
        near(all.rest[0][0], -1.0 + 2.55 * 3.0 / 255.0)
            && near(all.rest[1][0], -1.0 + 2.55 * 4.0 / 255.0)
    );
    assert!(near(all.rest[2][63], -1.0 + 2.55 * 194.0 / 255.0));
    assert!(near(all.rest[3][5], -1.0 + 2.55 * 7.0 / 255.0) && near(all.rest[6][5], 1.5));
    // The palette has no such entry.
    assert_eq!(all.rest[0][69], 0.0);
}

#[test]
fn zips_of_folders_and_deflated_ones_are_read() {
    let bytes = write(&ball(50, 0));
    let files = unzipped(&bytes);
    let named: Vec<(String, Vec<u8>)> =
        files.iter().map(|(name, bytes)| (format!("scene/{name}"), bytes.clone())).collect();
    let files: Vec<(&str, Vec<u8>)> =
        named.iter().map(|(name, bytes)| (name.as_str(), bytes.clone())).collect();
    assert_eq!(read(&zipped(&files).unwrap()).unwrap().meshes, read(&bytes).unwrap().meshes);
}

#[test]
fn what_contradicts_itself_is_refused_by_name() {
    let bytes = write(&ball(90, 1));
    let refused = |change: &dyn Fn(&mut Value)| read(&changed(&bytes, change)).unwrap_err();
    type Change<'c> = &'c dyn Fn(&mut Value);
    let cases: [(Change<'_>, &str); 9] = [
        (&|m| m["version"] = json!(3), "SOG of version 3"),
        (&|m| drop(m.as_object_mut().unwrap().remove("count")), "how many splats"),
        (&|m| m["count"] = json!(101), "means_l.webp has 12 × 8 pixels, for 101"),
        (&|m| m["count"] = json!(4_000_000_000_u64), "meta.json says 4000000000 splats"),
        (&|m| m["scales"]["codebook"] = json!([]), "the code of the sizes has 0 numbers"),
        (&|m| m["means"]["mins"] = json!([0]), "what the positions are between"),
        (&|m| m["quats"]["files"] = json!([]), "names no picture of the rotations"),
        (&|m| m["shN"]["bands"] = json!(2), "shN_centroids.webp has 192 × 2 pixels, for 1024"),
        (&|m| m["sh0"]["files"] = json!(["gone.webp"]), "the bundle has no gone.webp"),
    ];
    for (change, words) in cases {
        let error = refused(change);
        assert!(error.message().contains(words), "{words}: {error}");
    }
    let mut files = unzipped(&bytes);
    files.insert("sh0.webp".into(), b"\x89PNG\r\n\x1a\n".to_vec());
    let error = read(&rezipped(&files)).unwrap_err();
    assert!(error.message().contains("sh0.webp is not a WebP"), "{error}");
    assert!(read(b"{ \"means\": 3 }").unwrap_err().line() == Some(1));
    let strict = SplatReadOptions { strict: true, ..SplatReadOptions::default() };
    let surfels = changed(&bytes, |m| m["model"] = json!("2dgs"));
    assert!(decode_sog(&surfels, &NoGltfFiles, &strict, &Work::serial()).is_err());
    assert_eq!(read(&surfels).unwrap().warnings.len(), 1);
    let few = SplatReadOptions {
        limits: Limits { elements: 89, ..Limits::default() },
        ..SplatReadOptions::default()
    };
    let error = decode_sog(&bytes, &NoGltfFiles, &few, &Work::serial()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit);
}

#[test]
fn damage_is_an_error_and_no_panic() {
    let bytes = write(&ball(20, 1));
    for end in 0..bytes.len() {
        assert!(read(&bytes[..end]).is_err(), "{end}");
    }
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 << (at % 8);
        // Checksums find it where it counts; what they do not cover may be read.
        let _ = read(&damaged);
    }
}

#[test]
fn numbers_that_are_none_become_some() {
    let mut all = columns(&ball(12, 1));
    all.positions.to_mut()[0] = [f32::NAN, f32::INFINITY, 0.0];
    all.scales[1].to_mut()[1] = f32::NAN;
    all.opacity.to_mut()[2] = f32::NAN;
    all.rest[4].to_mut()[3] = f32::NEG_INFINITY;
    let scene = all.into_scene();
    let back = columns(&read(&write(&scene)).unwrap());
    assert_eq!(crate::splats::measure::not_finite(&back), 0);
    assert!(back.opacity.iter().all(|opacity| (0.0..=1.0).contains(&alpha_of(*opacity))));
    let told = sog_losses(&scene, &Work::serial()).unwrap();
    assert!(told.iter().any(|loss| loss.what == "non_finite" && loss.amount == Some((4, "splat"))));
}
