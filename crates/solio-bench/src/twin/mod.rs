//! `solio-bench twin`: a statistical twin of Disney's Moana Island as a pbrt-v4 scene.
//!
//! The island itself is 28 GB and cannot be handed around. What a reader of scenes feels of it is in
//! its numbers, which are public: how many instances, curves and faces, how much of it is text, how
//! well that packs. The twin has those at any scale, and is a scene that pbrt loads: an island in
//! the sea, seen from a boat. Everything follows from the seed; nothing depends on the machine.

mod files;
mod ground;
mod plan;
mod random;
mod shape;
mod text;

use clap::Args;
use files::{PackedBytes, TwinFolder};
use plan::{Amounts, ELEMENTS, LayerForm, TwinElement, TwinLayer, UniqueMesh};
use random::SeededRandom;
use serde_json::{Value, json};
use solio::{Compression, Result, Work};
use solio_cli::args::WorkArgs;
use solio_cli::table::{DIM, TextTable, bytes, count};
use solio_cli::{Outcome, options, schema, screen};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Items of a chunk of text: about half a megabyte.
const CHUNK: u64 = 2000;

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct TwinArgs {
    /// The folder to fill; the scene is island.pbrt in it
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// Part of all of Moana, as a fraction or a number
    #[arg(long, value_name = "PART", default_value = "1/80", value_parser = scale)]
    pub(crate) scale: f64,
    /// Another seed makes another island
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Pack every file with gzip, as one member at level 5
    #[arg(long, conflicts_with = "zst")]
    pub(crate) gz: bool,
    /// Pack every file with zstd
    #[arg(long)]
    pub(crate) zst: bool,
    /// Print JSON instead of the table
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) work: WorkArgs,
}

const HELP: &str = "\
What is public of Moana Island, and what the twin has of it at scale 1/80:
  elements                 20             20
  instances                28 to 39 M     350,001 (28 M), 270 bytes of text each
  curves                   5 M            62,500 (5 M)
  quads and triangles      over 90 M      1.43 M (114 M)
  instanced primitives     over 15 G      194 M (15.5 G)
  text                     24 to 25 GB    140 MB in 54 files
  PLY                      2.3 to 3.5 GB  38.9 MB (3.1 GB) in 35 files
  text with gzip -5        5.5 : 1        5.3 : 1

In brackets: times 80. In bytes it is the twin that pbrt-v4's times at 1/80 are known of.";

/// `1/80` or `0.0125`.
fn scale(text: &str) -> std::result::Result<f64, String> {
    let number = |text: &str| text.trim().parse::<f64>().map_err(|e| e.to_string());
    let value = match text.split_once('/') {
        Some((part, whole)) => number(part)? / number(whole)?,
        None => number(text)?,
    };
    if (1e-6..=4.0).contains(&value) { Ok(value) } else { Err("between 1e-6 and 4".into()) }
}

/// `solio-bench twin`
pub(crate) fn run(args: &TwinArgs) -> Result<Outcome> {
    let work = options::work(&args.work)?;
    let pack = match (args.gz, args.zst) {
        (true, _) => Compression::Gzip,
        (_, true) => Compression::Zstd,
        _ => Compression::None,
    };
    let made = make(&args.folder, args.scale, args.seed, pack, &work)?;
    if args.json {
        screen::print(&schema::line("bench-twin/1", &[], made.json()));
    } else {
        screen::print(&made.table(args.scale, pack));
    }
    Ok(Outcome::Done)
}

/// What was made.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct TwinSummary {
    /// The scene's path.
    pub(crate) scene: PathBuf,
    pub(crate) instances: u64,
    pub(crate) definitions: u64,
    pub(crate) curves: u64,
    /// Unique ones, in text and in PLY.
    pub(crate) faces: u64,
    /// Faces and curves, each as often as it is to be seen.
    pub(crate) primitives: u64,
    /// Text of the instances.
    pub(crate) instance_bytes: u64,
    pub(crate) text: PackedBytes,
    pub(crate) meshes: PackedBytes,
}

impl TwinSummary {
    fn json(&self) -> Value {
        let TwinSummary { text, meshes, .. } = self;
        json!({
            "scene": self.scene, "elements": ELEMENTS.len(), "instances": self.instances,
            "definitions": self.definitions, "curves": self.curves, "faces": self.faces,
            "primitives": self.primitives, "instance_bytes": self.instance_bytes,
            "text_files": text.files, "text_bytes": text.raw, "text_stored_bytes": text.stored,
            "ply_files": meshes.files, "ply_bytes": meshes.raw, "ply_stored_bytes": meshes.stored,
        })
    }

    fn table(&self, scale: f64, pack: Compression) -> String {
        let mut table = TextTable::new(&["the twin", ">made", ">at scale 1"]);
        for (name, value) in [
            ("instances", self.instances),
            ("curves", self.curves),
            ("quads and triangles", self.faces),
            ("instanced primitives", self.primitives),
        ] {
            let whole = count((value as f64 / scale) as u64);
            table.row(vec![name.into(), count(value), whole]);
        }
        for (name, made) in [("text", self.text), ("PLY", self.meshes)] {
            let name = format!("{name}, {} files", made.files);
            table.row(vec![name, bytes(made.raw), bytes((made.raw as f64 / scale) as u64)]);
            if pack != Compression::None {
                let ratio = format!("{:.2} : 1", made.raw as f64 / made.stored as f64);
                table.row(vec![format!("  as {}", pack.as_str()), bytes(made.stored), ratio]);
            }
        }
        let each = self.instance_bytes as f64 / self.instances.max(1) as f64;
        let note = format!("{}: {each:.0} bytes of text an instance", self.scene.display());
        format!("{}{DIM}{note}{DIM:#}\n", table.render())
    }
}

/// Makes a twin in `folder`.
pub(super) fn make(
    folder: &Path,
    scale: f64,
    seed: u64,
    pack: Compression,
    work: &Work,
) -> Result<TwinSummary> {
    let folder = TwinFolder::new(folder, pack, work);
    let mut twin =
        Twin { folder, amounts: Amounts::new(scale), seed, made: TwinSummary::default() };
    let name = twin.scene()?;
    let Twin { folder, made, .. } = twin;
    let (text, meshes) = (folder.text, folder.meshes);
    Ok(TwinSummary { scene: folder.root.join(name), text, meshes, ..made })
}

/// Writes a binary PLY of about so many triangles, with positions alone.
pub(super) fn triangles(path: &Path, faces: u64, work: &Work) -> Result<()> {
    let shape = shape::large(UniqueMesh::Trunk(1), faces, &mut SeededRandom::new(1, [0; 3]));
    let mut scene = shape.scene();
    for mesh in &mut scene.meshes {
        (mesh.normals, mesh.uvs) = (None, None);
    }
    let (folder, name) = (path.parent().unwrap_or(Path::new("")), path.file_name());
    let name = name.unwrap_or_default().to_string_lossy();
    TwinFolder::new(folder, Compression::None, work).ply(&name, &scene)
}

/// A scene under way.
struct Twin<'a> {
    folder: TwinFolder<'a>,
    amounts: Amounts,
    seed: u64,
    made: TwinSummary,
}

/// Names the stream of random numbers: of an element, of a layer or mesh of it, of a part of that.
type StreamId = [u64; 3];

impl Twin<'_> {
    /// Writes all files; gives the name of the scene's.
    fn scene(&mut self) -> Result<String> {
        let mut imports = Vec::new();
        for (number, element) in ELEMENTS.iter().enumerate() {
            let mut body = text::material(element);
            for (i, &large) in element.large.iter().enumerate() {
                body += &self.large(element, large, [number as u64, i as u64, u64::MAX])?;
            }
            for (i, layer) in element.layers.iter().enumerate() {
                let name = format!("{0}/{0}_{1}.pbrt", element.name, layer.name);
                let place = [number as u64, 16 + i as u64];
                match layer.form {
                    LayerForm::Curves => self.curves(element, layer, &name, place)?,
                    _ => self.instances(element, layer, &name, place)?,
                }
                body += &format!("Include \"{}\"\n", self.folder.name(&name));
            }
            let name = format!("{0}/{0}.pbrt", element.name);
            self.write(&name, &body)?;
            imports.push(self.folder.name(&name));
        }
        self.write("cameras/shot.pbrt", text::CAMERA)?;
        self.write("lights/lights.pbrt", text::LIGHTS)?;
        let [camera, lights] =
            ["cameras/shot.pbrt", "lights/lights.pbrt"].map(|name| self.folder.name(name));
        self.write("island.pbrt", &text::scene(&camera, &lights, &imports))?;
        Ok(self.folder.name("island.pbrt"))
    }

    fn write(&mut self, name: &str, body: &str) -> Result<()> {
        self.folder.text(name, 1, &|_, out| {
            out.extend_from_slice(body.as_bytes());
            Ok(())
        })
    }

    /// A mesh in a file of its own; gives the text that places it.
    fn large(
        &mut self,
        element: &TwinElement,
        large: UniqueMesh,
        place: StreamId,
    ) -> Result<String> {
        let mut random = SeededRandom::new(self.seed, place);
        let shape = shape::large(large, self.amounts.faces(large), &mut random);
        let kind = format!("{}{:02}", large.name(), place[1] + 1);
        let name = format!("{}/geometry/{kind}.ply", element.name);
        self.folder.ply(&name, &shape.scene())?;
        let (faces, copies) = (shape.faces() as u64, large.copies());
        self.made.faces += faces;
        self.made.primitives += faces * copies.max(1);
        let shown = text::large(element.name, &self.folder.name(&name));
        if copies == 0 {
            return Ok(format!("AttributeBegin\n{shown}AttributeEnd\n"));
        }
        let object = format!("{}_{kind}", element.name);
        let mut text = format!("ObjectBegin \"{object}\"\n{shown}ObjectEnd\n").into_bytes();
        // Trunk and crown of a tree stand in one place.
        let mut random = SeededRandom::new(self.seed, [place[0], 0, 0]);
        for _ in 0..copies {
            let matrix = text::standing(&mut random, element.zone, LayerForm::Leaves);
            text::instance(&mut text, &object, &matrix);
        }
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// A file of curves.
    fn curves(
        &mut self,
        element: &TwinElement,
        layer: &TwinLayer,
        name: &str,
        place: [u64; 2],
    ) -> Result<()> {
        let (seed, items) = (self.seed, self.amounts.items(layer));
        let chunks = items.div_ceil(CHUNK) as usize;
        self.made.curves += items;
        self.made.primitives += items;
        let head = format!("AttributeBegin\nNamedMaterial \"{}_material\"\n", element.name);
        self.folder.text(name, chunks + 1, &|i, out| {
            if i == 0 {
                out.extend_from_slice(head.as_bytes());
            }
            let mut random = SeededRandom::new(seed, [place[0], place[1], i as u64]);
            let count = CHUNK.min(items.saturating_sub(i as u64 * CHUNK));
            (0..count).for_each(|_| text::curve(out, layer, &mut random));
            if i == chunks {
                out.extend_from_slice(b"AttributeEnd\n");
            }
            Ok(())
        })
    }

    /// A file of definitions and their instances.
    fn instances(
        &mut self,
        element: &TwinElement,
        layer: &TwinLayer,
        name: &str,
        place: [u64; 2],
    ) -> Result<()> {
        let (seed, items) = (self.seed, self.amounts.items(layer));
        let (definitions, triangles) = self.amounts.definitions(layer);
        let stream = |part: u64| SeededRandom::new(seed, [place[0], place[1], part]);
        let shape = |i: u64| {
            shape::small(layer.form == LayerForm::Lump, triangles, &mut stream(u64::MAX - i))
        };
        let faces = shape(0).faces() as u64;
        let made = &mut self.made;
        made.definitions += definitions;
        made.faces += definitions * faces;
        made.instances += items;
        made.primitives += items * faces;
        let material = format!("{}_material", element.name);
        let object = |i: u64| {
            let (element, layer) = (element.name, layer.name);
            let file = format!("{layer}_archiveBaked{layer}{i:05}_canopyOnly_mod_lo.obj");
            format!("island/obj/{element}/archives/{layer}/{file}")
        };
        let instance_bytes = AtomicU64::new(0);
        let chunks = definitions + items.div_ceil(CHUNK);
        self.folder.text(name, chunks as usize, &|i, out| {
            let Some(chunk) = (i as u64).checked_sub(definitions) else {
                text::definition(out, &object(i as u64), &material, &shape(i as u64));
                return Ok(());
            };
            let mut random = stream(chunk);
            for _ in 0..CHUNK.min(items - chunk * CHUNK) {
                let name = object(random.below(definitions));
                let matrix = text::standing(&mut random, layer.zone, layer.form);
                text::instance(out, &name, &matrix);
            }
            instance_bytes.fetch_add(out.len() as u64, Relaxed);
            Ok(())
        })?;
        self.made.instance_bytes += instance_bytes.into_inner();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    const SCALE: f64 = 1.0 / 5000.0;

    fn made(threads: usize, seed: u64, pack: Compression) -> (tempfile::TempDir, TwinSummary) {
        let folder = tempfile::tempdir().unwrap();
        let work = Work { threads, ..Work::default() };
        let made = make(folder.path(), SCALE, seed, pack, &work).unwrap();
        (folder, made)
    }

    /// The contents, unpacked, of all files by their names without the ending of their packing.
    fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
        let mut files = BTreeMap::new();
        let mut folders = vec![folder.to_owned()];
        while let Some(inner) = folders.pop() {
            for entry in std::fs::read_dir(inner).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let bytes = solio_io::read_whole(&path, &Default::default(), &Work::default());
                let name = path.strip_prefix(folder).unwrap().to_string_lossy().into_owned();
                let name = name.trim_end_matches(".gz").trim_end_matches(".zst").to_owned();
                files.insert(name, bytes.unwrap());
            }
        }
        files
    }

    #[test]
    fn a_seed_makes_the_same_scene_whatever_the_threads() {
        let (one, first) = made(1, 1, Compression::None);
        let (two, second) = made(2, 1, Compression::None);
        assert_eq!(contents(one.path()), contents(two.path()));
        assert_eq!(first.instance_bytes, second.instance_bytes);
        let (three, _) = made(2, 2, Compression::None);
        assert_ne!(contents(one.path()), contents(three.path()));
    }

    #[test]
    fn packing_changes_names_alone() {
        let (plain, made_plain) = made(2, 1, Compression::None);
        let plain = contents(plain.path());
        for pack in [Compression::Gzip, Compression::Zstd] {
            let (folder, packed) = made(2, 1, pack);
            let files = contents(folder.path());
            assert!(files.keys().eq(plain.keys()));
            assert_eq!(packed.meshes.raw, made_plain.meshes.raw);
            assert!(packed.text.stored * 3 < packed.text.raw);
            let pbrt = |name: &&String| name.ends_with(".pbrt");
            for name in files.keys().filter(pbrt) {
                let text = String::from_utf8(files[name].clone()).unwrap();
                let ending = format!(".pbrt{0}\"|.ply{0}\"", pack.extension());
                let text = ending
                    .split('|')
                    .fold(text, |text, old| text.replace(old, &old.replace(pack.extension(), "")));
                assert_eq!(text.as_bytes(), plain[name], "{name}");
            }
        }
    }

    #[test]
    fn files_say_what_was_counted_and_refer_to_files_that_are_there() {
        let (folder, made) = made(2, 3, Compression::None);
        let files = contents(folder.path());
        assert_eq!((made.text.files, made.meshes.files), (54, 35));
        let pbrt = files.iter().filter(|(name, _)| name.ends_with(".pbrt"));
        let text: String = pbrt.map(|(_, text)| String::from_utf8_lossy(text)).collect();
        let lines =
            |start: &str| text.lines().filter(|line| line.starts_with(start)).count() as u64;
        let copies = ELEMENTS.iter().flat_map(|element| element.large).map(|large| large.copies());
        let large: u64 = copies.sum();
        assert_eq!(lines("    ObjectInstance "), made.instances + large);
        assert_eq!(lines("Shape \"curve\""), made.curves);
        assert_eq!(lines("    Shape \"trianglemesh\""), made.definitions);
        assert_eq!(lines("AttributeBegin"), lines("AttributeEnd"));
        assert_eq!(lines("ObjectBegin"), lines("ObjectEnd"));
        let mut referred = 1;
        for word in text.split('"').filter(|word| word.ends_with(".ply") || word.ends_with(".pbrt"))
        {
            assert!(files.contains_key(word), "{word}");
            referred += 1;
        }
        assert_eq!(referred, files.len());
        let options = solio::SceneReadOptions { check: true, ..Default::default() };
        let scene =
            solio::read_scene(&folder.path().join("island.pbrt"), &options, &Work::default());
        let scene = scene.unwrap();
        let wrong: Vec<_> = scene.problems.iter().chain(&scene.warnings).collect();
        assert!(wrong.is_empty() && scene.version == 4, "{wrong:?}");
    }

    #[test]
    fn scales_are_fractions_or_numbers() {
        assert_eq!(scale("1/80"), Ok(0.0125));
        assert_eq!(scale("0.5"), Ok(0.5));
        assert!(scale("0").is_err() && scale("1/0").is_err() && scale("a").is_err());
    }
}
