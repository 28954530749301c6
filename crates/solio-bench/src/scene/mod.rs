//! `solio-bench scene`: text, meshes and packed files of a pbrt scene, each beside what reading the
//! same bytes costs at least.
//!
//! A way, its peer, the way again, in turn; files rest in the page cache, and everybody writes into
//! memory that was there before, unless its name says otherwise. `--study` is another measurement:
//! [`study`].

mod encoding;
mod recorded;
mod stages;
mod study;

use crate::files::{all_below, temporary_folder, whole};
use crate::report::BenchReport;
use crate::turns::{BenchTurns, PEER, timed};
use crate::twin;
use clap::Args;
use serde_json::json;
use solio::mesh::Scene;
use solio::scene::pack::{PackReadOptions, PackReader};
use solio::scene::pbrt::{ReadOptions, Statements, read_statements};
use solio::{
    Compression, Error, FileKind, FileType, MeshReadOptions, Result, ScenePackOptions, Usage, Work,
};
use solio_cli::args::{WorkArgs, parse_rate};
use solio_cli::table::bytes;
use solio_cli::{Outcome, options};
use solio_codec::compress::StreamDecoder;
use std::hint::black_box;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SceneBenchArgs {
    /// The folder of a twin that is there, with island.pbrt; with --study also the file of any scene
    /// [default: makes a twin of 1/80, in a temporary folder]
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Time to parsed, to bounds and to the first picture instead: plain, packed with gzip and zstd,
    /// and as .solio, on one core and on two, at each bandwidth
    #[arg(long)]
    study: bool,
    /// With --study: bytes a second, 50M for 50 MB/s; there is always a run without a limit
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = parse_rate,
        requires = "study", default_value = "20M,50M,100M,200M,500M,1G,2G")]
    bandwidths: Vec<u64>,
    /// With --study: runs of each; the median counts [default: 3, with --quick 1]
    #[arg(long, value_name = "N", requires = "study", value_parser = clap::value_parser!(u16).range(1..))]
    rounds: Option<u16>,
    /// With --study: write the page here
    #[arg(short, long, value_name = "PAGE.html", requires = "study")]
    output: Option<PathBuf>,
    /// Only work whose name has this in it
    #[arg(long, value_name = "WORD")]
    only: Option<String>,
    /// The program of pbrt-v4, where there is one, to be timed beside to its first pixel
    #[arg(long, value_name = "PROGRAM", conflicts_with = "study")]
    pbrt: Option<PathBuf>,
    /// Print JSON instead of the table
    #[arg(long)]
    json: bool,
    /// A smaller scene and fewer samples
    #[arg(long)]
    quick: bool,
    #[command(flatten)]
    work: WorkArgs,
    /// One run of the study: reads the scene and prints when each stage was reached
    #[arg(long, hide = true)]
    stages: bool,
    /// In such a run gzip is unpacked by libdeflate, each file at once
    #[arg(long, hide = true)]
    libdeflate: bool,
}

const EXAMPLES: &str = "\
Examples:
  solio-bench scene --study -o study.html          disks, and what packing wins
  solio-bench scene --study my.pbrt -o study.html  of a scene of yours";

/// A row takes about this long on each side, or so many turns.
const ROW_S: f64 = 2.0;
const LEAST_ROUNDS: usize = 7;

/// Does it once; gives a word that depends on all of the result.
type SceneRun<'a> = dyn FnMut() -> Result<u64> + 'a;

/// Does it once; says what it took, and gives such a word.
type Turn<'a> = dyn FnMut() -> Result<(Usage, u64)> + 'a;

/// The files of a scene.
struct SceneFiles {
    text: Vec<PathBuf>,
    meshes: Vec<PathBuf>,
}

/// `solio-bench scene`
pub(crate) fn run(args: &SceneBenchArgs) -> Result<Outcome> {
    let work = options::work(&args.work)?;
    if args.stages {
        return stages::run(args, &work);
    }
    let made = temporary_folder()?;
    let folder = match &args.folder {
        Some(folder) => folder.clone(),
        None => {
            twin::make(made.path(), args.scale(), 1, Compression::None, &work)?;
            made.path().to_owned()
        }
    };
    if args.study {
        return study::run(args, &folder, made.path(), &work);
    }
    let files = SceneFiles::below(&folder, &work)?;
    let rounds = if args.quick { 9 } else { 41 };
    let (report, packed) = (BenchReport::new(args.json), made.path().join("packed"));
    solio_io::make_folder(&packed)?;
    let mut bench = SceneBench { args, rounds, work, packed, report };
    bench.text(&files)?;
    bench.meshes(&files)?;
    bench.packed()?;
    bench.one_file(&files)?;
    bench.recorded(&files)?;
    Ok(bench.report.end("Files in the page cache."))
}

impl SceneBenchArgs {
    /// Of the twin that is made.
    fn scale(&self) -> f64 {
        if self.quick { 1.0 / 800.0 } else { 1.0 / 80.0 }
    }
}

impl SceneFiles {
    fn below(folder: &Path, work: &Work) -> Result<SceneFiles> {
        let (mut text, mut meshes) = (Vec::new(), Vec::new());
        for path in all_below(&[folder.to_owned()], work)? {
            match FileType::of_path(&path).map(|named| named.kind) {
                Some(FileKind::Pbrt) => text.push(path),
                Some(FileKind::Ply) => meshes.push(path),
                _ => {}
            }
        }
        if text.is_empty() {
            return Err(Error::argument("no .pbrt below this folder").at_path(folder));
        }
        Ok(SceneFiles { text, meshes })
    }

    /// The file that includes all others.
    fn first(&self) -> Option<&PathBuf> {
        let named = |path: &&PathBuf| path.file_name().is_some_and(|name| name == "island.pbrt");
        self.text.iter().find(named)
    }

    fn text_bytes(&self) -> Result<u64> {
        bytes_of(&self.text)
    }
}

struct SceneBench<'a> {
    args: &'a SceneBenchArgs,
    rounds: usize,
    work: Work,
    /// A folder for packed files.
    packed: PathBuf,
    report: BenchReport,
}

impl SceneBench<'_> {
    fn on(&self, threads: usize) -> Work {
        Work { threads, ..self.work.clone() }
    }

    /// Whether the work was asked for.
    fn wants(&self, work: &str) -> bool {
        self.args.only.as_ref().is_none_or(|word| work.contains(word.as_str()))
    }

    /// Measures `ours` beside `peer`.
    fn beside(
        &mut self,
        work: &str,
        bytes: u64,
        ours: &mut SceneRun<'_>,
        (peer, theirs): (&'static str, &mut SceneRun<'_>),
    ) -> Result<()> {
        self.turns(work, bytes, &mut || timed(&mut *ours), (peer, &mut || timed(&mut *theirs)))
    }

    /// Ours, the peer, ours again, in turn.
    fn turns(
        &mut self,
        work: &str,
        bytes: u64,
        ours: &mut Turn<'_>,
        (peer, theirs): (&'static str, &mut Turn<'_>),
    ) -> Result<()> {
        let mut answers = [None; 2];
        let rounds = LEAST_ROUNDS..=self.rounds;
        let turns = BenchTurns::run(rounds, 3.0 * ROW_S, 1, |_, side| {
            let (took, got) = if side == PEER { theirs()? } else { ours()? };
            match answers[side & 1].replace(got) {
                Some(known) if known != got => {
                    Err(Error::corrupt(format!("{work}: the answer changes")))
                }
                _ => Ok(took),
            }
        })?;
        let answer = format!("{:016x}", answers[0].unwrap_or(0));
        self.report.add(turns.row(work, peer, json!({ "bytes": bytes, "answer": answer })));
        Ok(())
    }

    /// Text to statements, on one thread and on two.
    fn text(&mut self, files: &SceneFiles) -> Result<()> {
        let of = |word: &str| -> Vec<PathBuf> {
            let named = |path: &&PathBuf| path.to_string_lossy().contains(word);
            files.text.iter().filter(named).cloned().collect()
        };
        let kinds = [
            ("instances", of("isCoral_xg")),
            ("curves", of("xgGrass")),
            ("everything", files.text.clone()),
        ];
        for (kind, paths) in kinds {
            let work = format!("scene text to statements, {kind}, one thread");
            if paths.is_empty() || !self.wants(&work) {
                continue;
            }
            let serial = self.on(1);
            let mut buffer = Vec::new();
            let (whole, mut copy) = (read_all(&paths)?, Vec::new());
            let total: u64 = whole.iter().map(|text| text.len() as u64).sum();
            let mut ours = || statements(&paths, &serial);
            let mut read = || read_plain(&paths, &mut buffer);
            self.beside(&work, total, &mut ours, ("read()", &mut read))?;
            let mut copies = || -> Result<u64> {
                for text in &whole {
                    copy.clear();
                    copy.extend_from_slice(black_box(text));
                    black_box(&mut copy);
                }
                Ok(copy.len() as u64)
            };
            self.beside(&work, total, &mut ours, ("a copy", &mut copies))?;
        }
        self.two_threads(files)?;
        self.scene(files)
    }

    /// The whole scene, on one thread and on two.
    fn scene(&mut self, files: &SceneFiles) -> Result<()> {
        let (Some(first), total) = (files.first(), files.text_bytes()?) else { return Ok(()) };
        let (serial, two) = (self.on(1), self.on(2));
        let work = "scene text to the scene, everything, one thread";
        if self.wants(work) {
            let mut buffer = Vec::new();
            let mut ours = || whole_scene(first, &serial);
            let mut read = || read_plain(&files.text, &mut buffer);
            self.beside(work, total, &mut ours, ("read()", &mut read))?;
            let mut parsed = || statements(&files.text, &serial);
            self.beside(work, total, &mut ours, ("statements", &mut parsed))?;
        }
        let work = "scene text to the scene, everything, two threads";
        if self.wants(work) {
            let mut ours = || whole_scene(first, &two);
            let mut one = || whole_scene(first, &serial);
            self.beside(work, total, &mut ours, ("one thread", &mut one))?;
        }
        Ok(())
    }

    /// The largest file on two threads and on one.
    fn two_threads(&mut self, files: &SceneFiles) -> Result<()> {
        let work = "scene text to statements, one file, two threads";
        let largest = files.text.iter().max_by_key(|path| solio_io::file_bytes(path).unwrap_or(0));
        let Some(largest) = largest.filter(|_| self.wants(work)) else { return Ok(()) };
        let paths = [largest.clone()];
        let (serial, two) = (self.on(1), self.on(2));
        let mut ours = || statements(&paths, &two);
        let mut one = || statements(&paths, &serial);
        let total = solio_io::file_bytes(largest)?;
        self.beside(work, total, &mut ours, ("one thread", &mut one))
    }

    /// Meshes to arrays.
    fn meshes(&mut self, files: &SceneFiles) -> Result<()> {
        let triangles = [self.triangles()?];
        let (one, two) = (self.on(1), self.on(2));
        self.ply("PLY to arrays, one thread, triangles", &triangles, &one)?;
        self.ply("PLY to arrays, one thread, the twin's", &files.meshes, &one)?;
        self.ply("PLY to arrays, two threads, triangles", &triangles, &two)
    }

    /// A mesh of positions and triangles, of 40 MB.
    fn triangles(&self) -> Result<PathBuf> {
        let path = self.packed.join("triangles.ply");
        let faces = if self.args.quick { 200_000 } else { 2_100_000 };
        twin::triangles(&path, faces, &self.work)?;
        Ok(path)
    }

    /// Files one after the other, each with the threads of `threads`, against `read()` on one thread.
    fn ply(&mut self, name: &str, paths: &[PathBuf], threads: &Work) -> Result<()> {
        let total = bytes_of(paths)?;
        let mut buffer = Vec::new();
        let mut read = || read_plain(paths, &mut buffer);
        let work = &format!("{name}, fresh memory");
        if self.wants(work) {
            let mut ours = || -> Result<u64> {
                let mut all = 0;
                for path in paths {
                    let options = MeshReadOptions::default();
                    all += corners(&solio::read_mesh(path, &options, threads)?);
                }
                Ok(all)
            };
            self.beside(work, total, &mut ours, ("read()", &mut read))?;
        }
        let work = name;
        if self.wants(work) {
            let mut scene = Scene::default();
            let mut ours = || -> Result<u64> {
                let mut all = 0;
                for path in paths {
                    let options = MeshReadOptions::default();
                    solio::read_mesh_into(&mut scene, path, &options, threads)?;
                    all += corners(&scene);
                }
                Ok(all)
            };
            self.beside(work, total, &mut ours, ("read()", &mut read))?;
        }
        Ok(())
    }

    /// Files packed with gzip and zstd, against unpacking them.
    fn packed(&mut self) -> Result<()> {
        for pack in [Compression::Gzip, Compression::Zstd] {
            let work = format!("scene text to statements, {}, two threads", pack.as_str());
            if !self.wants(&work) {
                continue;
            }
            let folder = self.packed.join(pack.as_str());
            twin::make(&folder, self.args.scale(), 1, pack, &self.work)?;
            let end = pack.extension();
            let is_text = |path: &PathBuf| path.to_string_lossy().ends_with(&format!(".pbrt{end}"));
            let found = solio::files_below(&[folder], &solio::Filter::default(), &self.work)?.0;
            let paths: Vec<PathBuf> = found.into_iter().filter(is_text).collect();
            let whole = read_all(&paths)?;
            let two = self.on(2);
            let limits = solio::Limits::default();
            let mut block = vec![0; 256 << 10];
            let mut unpack = || -> Result<u64> {
                let mut all = 0;
                for file in &whole {
                    all += unpack(pack, file, &limits, &mut block)?;
                }
                Ok(all)
            };
            let total = unpack()?;
            let mut ours = || statements(&paths, &two);
            self.beside(&work, total, &mut ours, ("unpacking alone", &mut unpack))?;
        }
        Ok(())
    }

    /// The scene in one file, against its text.
    fn one_file(&mut self, files: &SceneFiles) -> Result<()> {
        let Some(first) = files.first().filter(|_| self.wants("packed scene")) else {
            return Ok(());
        };
        let text_bytes = files.text_bytes()?;
        let path = self.packed.join("island.solio");
        // The text alone: meshes are no smaller beside it.
        let options = ScenePackOptions { meshes: false, ..ScenePackOptions::default() };
        solio::pack_scene(first, &path, &options, &self.work)?;
        let (two, read) = (self.on(2), PackReadOptions::default());
        let mut text = || whole_scene(first, &two);
        let mut instances = || -> Result<u64> {
            let opened = solio_io::open(&path, &solio::Limits::default(), &two)?;
            let found = PackReader::new(&*opened.source, &read)?.instances(&two)?;
            Ok(matrices_sum(&found.matrices))
        };
        let work = "packed scene, instances ready, two threads";
        self.beside(work, text_bytes, &mut instances, ("all of the text to the scene", &mut text))?;
        let mut whole = || {
            let scene = solio::read_packed_scene(&path, &read, &two)?;
            Ok(matrices_sum(&scene.instances.matrices))
        };
        let work = "packed scene, all but meshes, two threads";
        self.beside(work, text_bytes, &mut whole, ("all of the text to the scene", &mut text))?;
        let stored = solio_io::file_bytes(&path)?;
        let ratio = stored as f64 / text_bytes as f64;
        self.report.add(json!({
            "case": "packed scene, bytes",
            "peer": "the text",
            "bytes": text_bytes,
            "rounds": 1,
            "ours_bytes": stored,
            "peer_bytes": text_bytes,
            "ratio_bytes": ratio,
            "answer": format!("{}, {ratio:.3} of the text", bytes(stored)),
        }));
        Ok(())
    }
}

/// Unpacks a file in memory; gives the bytes.
fn unpack(pack: Compression, file: &[u8], limits: &solio::Limits, block: &mut [u8]) -> Result<u64> {
    let mut decoder = StreamDecoder::new(pack, file, limits)?;
    let mut all = 0;
    loop {
        let got = decoder.read(block)?;
        black_box(&mut *block);
        all += got as u64;
        if got < block.len() {
            return Ok(all);
        }
    }
}

/// Parses files one after the other.
fn statements(paths: &[PathBuf], work: &Work) -> Result<u64> {
    let mut answer = 0u64;
    for path in paths {
        let file = solio_io::OpenFile::open(path, work)?;
        let opened = file.source_in_turn(&solio::Limits::default(), work)?;
        let look = |_: &Statements| {};
        read_statements(&*opened.source, &ReadOptions::default(), work, look, |piece| {
            let found = piece.statements;
            if let Some(problem) = found.problems.pop() {
                return Err(problem.at_path(path));
            }
            let last = found.floats.last().map_or(0, |value| value.to_bits());
            let values = found.floats.len() + found.integers.len() + found.statements.len();
            answer = answer.wrapping_mul(31).wrapping_add(u64::from(last) + values as u64);
            Ok(())
        })?;
    }
    Ok(answer)
}

/// Reads a whole scene, without its meshes; gives a word that depends on its matrices.
fn whole_scene(path: &Path, work: &Work) -> Result<u64> {
    let scene = solio::read_scene(path, &solio::SceneReadOptions::default(), work)?;
    if let Some(problem) = scene.problems.into_iter().next() {
        return Err(problem);
    }
    let sum = matrices_sum(&scene.instances.matrices);
    Ok(sum.wrapping_add((scene.shapes.len() + scene.objects.len()) as u64))
}

fn matrices_sum(matrices: &[[f32; 12]]) -> u64 {
    let bits = matrices.iter().flatten().map(|value| u64::from(value.to_bits()));
    bits.fold(0, u64::wrapping_add)
}

/// Reads files one after the other into one buffer.
fn read_plain(paths: &[PathBuf], buffer: &mut Vec<u8>) -> Result<u64> {
    let mut all = 0;
    for path in paths {
        all += solio_io::probe::read_placed(path, buffer)?.len() as u64;
    }
    Ok(all)
}

fn bytes_of(paths: &[PathBuf]) -> Result<u64> {
    paths.iter().map(|path| solio_io::file_bytes(path)).sum()
}

fn read_all(paths: &[PathBuf]) -> Result<Vec<Vec<u8>>> {
    paths.iter().map(|path| whole(path)).collect()
}

fn corners(scene: &Scene<'_>) -> u64 {
    let of = |mesh: &solio::mesh::Mesh<'_>| {
        mesh.positions.len() + mesh.corner_vertices.len() + mesh.face_offsets.len()
    };
    scene.meshes.iter().map(|mesh| of(mesh) as u64).sum()
}
