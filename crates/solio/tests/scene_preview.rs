//! Previews of scenes whose meshes lie in files.

use solio::image::model::{Pixels, Samples};
use solio::scene::preview::RenderOptions;
use solio::{ErrorKind, PreviewStage, SceneReadOptions, Work, preview_scene};
use std::path::Path;

const HEAD: &str = "LookAt 0 0 6  0 0 0  0 1 0\nCamera \"perspective\" \"float fov\" 50\n\
     Film \"rgb\" \"integer xresolution\" 48 \"integer yresolution\" 32\nWorldBegin\n";
const CORNERS: [&str; 3] =
    ["-1 -1 0  1 -1 0  0 1 0", "-2 0 1  -1 0 1  -1 1 0", "0 0 1 1 0 2 2 2 0"];

fn ply(corners: &str) -> String {
    let numbers: Vec<&str> = corners.split_whitespace().collect();
    let rows: Vec<String> = numbers.chunks(3).map(|row| row.join(" ")).collect();
    format!(
        "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty \
         float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n{}\n3 0 1 2\n",
        rows.join("\n")
    )
}

fn file(name: &str) -> String {
    format!("Shape \"plymesh\" \"string filename\" \"{name}.ply\"\n")
}

fn text(i: usize) -> String {
    format!(
        "Shape \"trianglemesh\" \"point3 P\" [ {} ] \"integer indices\" [ 0 1 2 ]\n",
        CORNERS[i]
    )
}

/// A folder with the three meshes, a broken one, and `scene.pbrt` of this world.
fn folder(world: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        solio::write_bytes(&folder.path().join(name), text.as_bytes()).unwrap();
    };
    for (i, corners) in CORNERS.iter().enumerate() {
        write(&format!("{i}.ply"), &ply(corners));
    }
    write("broken.ply", &ply(CORNERS[0]).replace("3 0 1 2", "3 0 1 7"));
    write("more.pbrt", &format!("{}{}", file("2"), file("0")));
    write("scene.pbrt", &format!("{HEAD}{world}"));
    folder
}

/// The bits of all channels, and the problems.
fn drawn(folder: &Path, work: &Work) -> (Vec<u32>, Vec<String>) {
    let read = SceneReadOptions::default();
    let path = folder.join("scene.pbrt");
    let drawn = preview_scene(&path, &read, &RenderOptions::default(), work, |_| Ok(true)).unwrap();
    let Pixels::Flat(levels) = &drawn.image.parts[0].pixels else { panic!("a flat picture") };
    let bits = levels[0].planes.iter().flat_map(|plane| match &plane.samples {
        Samples::Float(values) => values.iter().map(|value| value.to_bits()).collect::<Vec<_>>(),
        Samples::Uint(values) => values.to_vec(),
        Samples::Half(_) => panic!("no halves"),
    });
    (bits.collect(), drawn.problems.iter().map(ToString::to_string).collect())
}

fn works() -> impl Iterator<Item = Work> {
    [(1, 1 << 30), (2, 1 << 30), (4, 1 << 30), (2, 0), (4, 600)]
        .into_iter()
        .map(|(threads, memory_bytes)| Work { threads, memory_bytes, ..Work::serial() })
}

#[test]
fn meshes_of_files_are_drawn_as_those_of_the_text() {
    let order = [0, 1, 2, 0, 0, 1];
    let inline: String = order.iter().map(|i| text(*i)).collect();
    let (expected, problems) = drawn(folder(&inline).path(), &Work::serial());
    assert!(problems.is_empty(), "{problems:?}");
    assert!(expected.iter().any(|bits| *bits == 1f32.to_bits()), "something is seen");
    let files =
        format!("{}{}Include \"more.pbrt\"\n{}{}", file("0"), file("1"), file("0"), file("1"));
    let folder = folder(&files);
    for work in works() {
        let (bits, problems) = drawn(folder.path(), &work);
        assert!(problems.is_empty(), "{problems:?}");
        assert!(bits == expected, "{} threads, {} bytes", work.threads, work.memory_bytes);
    }
}

#[test]
fn meshes_that_cannot_be_read_are_told_where_they_are_needed() {
    let bad = format!("{}{}{}", file("none"), file("broken"), file("none"));
    let folder_of_bad = folder(&format!("{bad}{}", file("1")));
    let (expected, _) = drawn(folder(&text(1)).path(), &Work::serial());
    let told: Vec<_> = works().map(|work| drawn(folder_of_bad.path(), &work)).collect();
    for (bits, problems) in &told {
        assert!(*bits == expected);
        assert_eq!(problems, &told[0].1);
        let places: Vec<bool> = (5..8)
            .zip(problems)
            .map(|(line, text)| text.contains(&format!("scene.pbrt:{line}:1")))
            .collect();
        assert_eq!(places, [true; 3], "{problems:?}");
        assert!(problems[0].contains("none.ply") && problems[1].contains("broken.ply"));
    }
}

#[test]
fn cancelling_ends_a_preview_while_meshes_are_read() {
    let folder = folder(&[0, 1, 2].map(|i| file(&i.to_string())).concat());
    for work in works() {
        let work = Work { cancel: solio::Cancel::default(), ..work };
        let path = folder.path().join("scene.pbrt");
        let each = |stage: PreviewStage| {
            if matches!(stage, PreviewStage::Parsed) {
                work.cancel.cancel();
            }
            Ok(true)
        };
        let read = SceneReadOptions::default();
        let result = preview_scene(&path, &read, &RenderOptions::default(), &work, each);
        assert_eq!(result.err().map(|e| e.kind()), Some(ErrorKind::Cancelled));
    }
}
