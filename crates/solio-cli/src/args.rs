//! The one definition of the command line: parser, help, completions and man pages come from it.

use crate::check_args;
use crate::given::{Given, READING, SCENES, WRITING};
use crate::gradient_args;
use crate::image_args::{ImageArgs, PreviewArgs, SetArgs};
use crate::inputs;
use crate::ls_args;
use crate::meta_args;
use crate::version;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;
use solio::array::Effort;
use solio::io::order::Order;
use solio::io::{Backend, Direct, Priority};
use solio::mesh::axes::Axis;
use solio::{Compression, Digits, Format, ImageFormat, PathMode, SceneFormat};
use std::ffi::OsString;
use std::path::PathBuf;

/// Moves meshes, images, scenes and what is said about them between disk and memory as fast as the
/// machine allows.
#[derive(Debug, Parser)]
#[command(name = "solio", version = version::text(), max_term_width = 100)]
#[command(disable_help_subcommand = true)] // `help` here also knows tasks
#[command(after_help = "Exit codes: 0 all done; 1 some inputs failed (each is listed); 2 usage; \
    3 nothing matched; 130 interrupted.")]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

#[derive(Debug, Subcommand)]
#[command(defer = true)] // all options of all commands take a quarter of a short run to describe
pub(crate) enum Command {
    /// Convert meshes, images and scenes to another format, or write them in another way
    #[command(after_help = CONVERT_EXAMPLES)]
    Convert(Box<ConvertArgs>),
    /// Say what is in meshes, OpenEXR images, scenes and archives: counts, bounds, materials, headers
    Info(InfoArgs),
    /// Say what photos say about themselves: EXIF, XMP, IPTC and others, as ExifTool names them;
    /// of OpenEXR, PLY, OBJ and pbrt what their heads say
    #[command(after_help = meta_args::EXAMPLES)]
    Meta(meta_args::MetaArgs),
    /// List folders, with the frames of a sequence on one line: how many, and which are missing
    #[command(after_help = ls_args::EXAMPLES)]
    Ls(ls_args::LsArgs),
    /// Walk trees once and keep what is there in a table: kinds, sizes, dates, problems
    #[command(after_help = crate::scan_args::SCAN_EXAMPLES, arg(recursive()))]
    Scan(Box<crate::scan_args::ScanArgs>),
    /// Ask a catalogue in SQL
    #[command(after_help = crate::scan_args::QUERY_EXAMPLES)]
    Query(crate::scan_args::QueryArgs),
    /// Make one catalogue of its parts
    #[command(after_help = crate::scan_args::MERGE_EXAMPLES)]
    Merge(crate::scan_args::MergeArgs),
    /// Find out whether files are whole, and whether their names are sound
    #[command(after_help = check_args::EXAMPLES, arg(recursive()))]
    Check(check_args::CheckArgs),
    /// Change attributes of OpenEXR images; their pixels are copied as they are
    #[command(after_help = SET_EXAMPLES, override_usage = "solio set [OPTIONS] <NAME=VALUE>... <FILE>...")]
    Set(SetArgs),
    /// Draw images, meshes and scenes to look at: as PNG, as OpenEXR, or right in the terminal
    #[command(after_help = PREVIEW_EXAMPLES)]
    Preview(Box<PreviewArgs>),
    /// Make gradients, and show how ways of blending differ
    #[command(after_help = gradient_args::EXAMPLES)]
    Gradient(gradient_args::GradientArgs),
    /// Compare filters and codecs on your own images, meshes and arrays: ratio, speed, a page
    #[cfg(feature = "lab")]
    #[command(after_help = crate::lab_args::EXAMPLES)]
    Lab(crate::lab_args::LabArgs),
    /// Keep a pbrt scene and its meshes in one file that needs no parsing; or many OpenEXR images in
    /// one smaller archive
    #[command(after_help = PACK_EXAMPLES)]
    Pack(PackArgs),
    /// Write the images of an archive as the files that they were
    #[command(after_help = UNPACK_EXAMPLES)]
    Unpack(UnpackArgs),
    /// Export a mesh of 2 million vertices, read it back, convert it; show how fast each step was
    Demo(DemoArgs),
    /// Read everything as fast as possible, to standard output or to nowhere
    #[command(visible_alias = "read", after_help = CAT_EXAMPLES, arg(recursive()))]
    Cat(CatArgs),
    /// Find files with the same content
    #[command(after_help = crate::dup_args::EXAMPLES, arg(recursive()))]
    Dup(crate::dup_args::DupArgs),
    /// Show many files as small pictures, on a page or in a picture
    #[command(after_help = crate::sheet_args::EXAMPLES, arg(recursive()))]
    Sheet(Box<crate::sheet_args::SheetArgs>),
    /// Hash files (XXH128, SHA-256…), verify lists of checksums, keep histories of folders (ASC MHL)
    #[command(after_help = crate::hash_args::EXAMPLES, arg(recursive()))]
    Hash(Box<crate::hash_args::HashArgs>),
    /// Measure what this machine can do at best: disk, memory, codecs
    #[command(after_help = LIGHT_NOTE)]
    Light(LightArgs),
    /// Run a command at a series of bandwidths: what would a slower disk cost?
    #[command(after_help = STUDY_EXAMPLES)]
    Study(StudyArgs),
    /// Measure how fast Solio is on this machine
    #[command(subcommand)]
    Bench(BenchCommand),
    /// Tell how a task is done, or what a command takes
    Help {
        /// A task, such as export, or a command; without one both are listed
        words: Vec<String>,
    },
    /// Print the completions of a shell
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Write the man pages into a folder
    Man {
        /// The folder; made if missing
        #[arg(value_hint = ValueHint::DirPath)]
        dir: PathBuf,
    },
}

/// `-r` of commands that go into folders anyway: typed by habit, it is no mistake.
fn recursive() -> clap::Arg {
    let arg = clap::Arg::new("recursive").short('r').long("recursive").hide(true);
    arg.action(clap::ArgAction::SetTrue)
}

const CONVERT_EXAMPLES: &str = "\
Examples:
  solio convert scan.ply -o scan.obj.zst
  solio convert *.obj -o out/ --format stl --stats
  solio convert big.obj -o big.ply --report run.html
  find . -name '*.obj' -print0 |
    solio convert -0 --files-from - -o out/ --format ply
  cat a.obj | solio convert - -o - --format stl > a.stl
  solio convert a.exr -o b.exr -z zstd:3
  solio convert shot.####.exr -o small.####.exr --half --frames 1-100x2
  solio convert beauty.exr -o beauty.png --bits 16 --exposure -1
  solio convert plate.tif -o plate.exr -z piz
  solio convert old.pbrt -o new.pbrt --upgrade   formatted, version 3 to 4
  solio convert old.pbrt -o new/ --upgrade --whole-scene   and its includes
  solio convert scene.pbrt -o small/scene.pbrt --meshes ply
  solio convert scene.pbrt -o scene.obj          all shapes, instances written out
  solio convert scene.pbrt -o scene.glb          objects once; or .usda

OpenEXR keeps all attributes, parts, levels, tiles and deep samples; where nothing is to change its \
compressed pixels are copied as they are. Integers in PNG, JPEG and TIFF are sRGB, floating point \
numbers are linear light. Alpha is straight in PNG, as the file says in TIFF, and premultiplied in \
OpenEXR. --raw leaves values as they are. Sequences: # is four digits, several # one each; or \
%04d, @@@@, $F4; with a range in the name, a.1-100x2#.exr. See solio help ls.";

#[derive(Debug, Args)]
pub(crate) struct ConvertArgs {
    #[command(flatten)]
    pub(crate) inputs: InputArgs,
    /// Output file, folder (with several inputs), or - for standard output
    #[arg(short, long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) output: PathBuf,
    /// Output format; otherwise told by the output's name
    #[arg(long, value_parser = any_format_parser())]
    pub(crate) format: Option<AnyFormat>,
    /// Bring scenes of pbrt from version 3 to version 4
    #[arg(long, help_heading = SCENES)]
    pub(crate) upgrade: bool,
    /// With a scene also the texts that it includes, and copies of the files that it refers to; the
    /// output is another folder
    #[arg(long, help_heading = SCENES)]
    pub(crate) whole_scene: bool,
    /// Where meshes of a scene's text go: to PLY files in the folder meshes, or from their files into
    /// the text
    #[arg(long, value_enum, value_name = "WHERE", help_heading = SCENES)]
    pub(crate) meshes: Option<MeshesChoice>,
    /// Fail, without writing the file, where the output cannot hold something of the input
    #[arg(long)]
    pub(crate) strict_loss: bool,
    /// Say what would be done, and do nothing
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
    /// Print JSON, one object per file
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) shown: ShownArgs,
    #[command(flatten)]
    pub(crate) record: RecordArgs,
    #[command(flatten)]
    pub(crate) work: WorkArgs,
    #[command(flatten)]
    pub(crate) image: ImageArgs,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
    #[command(flatten)]
    pub(crate) write: WriteArgs,
    /// What of all this was typed.
    #[arg(skip)]
    pub(crate) given: Given,
}

/// Where meshes of a scene go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MeshesChoice {
    /// Every trianglemesh to a file of its own
    Ply,
    /// Every plymesh into the text
    Inline,
}

/// A format of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AnyFormat {
    Mesh(Format),
    Image(ImageFormat),
    Scene(SceneFormat),
}

impl ConvertArgs {
    /// The format of the output, where it is one of scenes for other programs: by `--format`, else by
    /// the name.
    pub(crate) fn scene_format(&self) -> Option<SceneFormat> {
        match self.format {
            Some(AnyFormat::Scene(format)) => Some(format),
            Some(_) => None,
            None => inputs::named_file(&self.output).and_then(SceneFormat::of_name),
        }
    }

    /// The format of the output, where it is one of meshes.
    pub(crate) fn mesh_format(&self) -> Option<Format> {
        match self.format {
            Some(AnyFormat::Mesh(format)) => Some(format),
            _ => None,
        }
    }
}

fn any_format_parser() -> impl TypedValueParser<Value = AnyFormat> {
    let names = Format::ALL.map(Format::as_str).into_iter();
    let names = names.chain(ImageFormat::ALL.map(ImageFormat::as_str));
    let names: Vec<&str> = names.chain(SceneFormat::ALL.map(SceneFormat::as_str)).collect();
    PossibleValuesParser::new(names).try_map(|name| {
        let scene = || name.parse::<SceneFormat>().map(AnyFormat::Scene);
        let image = || name.parse::<ImageFormat>().map(AnyFormat::Image);
        name.parse::<Format>().map(AnyFormat::Mesh).or_else(|_| image()).or_else(|_| scene())
    })
}

#[derive(Debug, Args)]
#[command(mut_arg("files", |files| files.help("Files; - is a mesh on standard input")))]
pub(crate) struct InfoArgs {
    #[command(flatten)]
    pub(crate) inputs: InputArgs,
    /// Print JSON, one object per file
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) shown: ShownArgs,
    #[command(flatten)]
    pub(crate) record: RecordArgs,
    #[command(flatten)]
    pub(crate) work: WorkArgs,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
    /// What of all this was typed.
    #[arg(skip)]
    pub(crate) given: Given,
}

const PACK_EXAMPLES: &str = "\
Examples:
  solio pack island.pbrt -o island.solio
  solio pack island.pbrt.gz -o island.solio --no-meshes --json
  solio pack shots/*.exr -o shots.solio          headers and pixels, bit for bit
  solio pack shots/*.exr -o shots.solio --exact  and the bytes of the files

What is wrong with a scene is told, and kept in the file; meshes that cannot be read stay where \
they are. Of images, pixels of lossy methods and deep ones are kept as they lie; with --exact also \
those whose bytes would not come back, as another program compressed them. A file that cannot be \
read is passed by, and named.";

const UNPACK_EXAMPLES: &str = "\
Examples:
  solio unpack shots.solio -o shots/
  solio unpack shots.solio -o shots/ --only beauty.0007.exr

A packed scene is written as text by solio convert.";

#[derive(Debug, Args)]
pub(crate) struct UnpackArgs {
    /// The archive
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) archive: PathBuf,
    /// The folder; made if missing
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) output: PathBuf,
    /// Only the file of this name; may be given several times
    #[arg(long, value_name = "NAME")]
    pub(crate) only: Vec<String>,
    /// Return only when the output rests safely on the disk
    #[arg(long)]
    pub(crate) durable: bool,
    /// Print JSON, one object per file
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) shown: ShownArgs,
    #[command(flatten)]
    pub(crate) work: WorkArgs,
}

#[derive(Debug, Args)]
pub(crate) struct PackArgs {
    #[command(flatten)]
    pub(crate) inputs: InputArgs,
    /// The packed scene, - is standard output; or the archive
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: PathBuf,
    /// How much is tried for a small file
    #[arg(long, alias = "level", short_alias = 'l', value_enum, value_name = "HOW", default_value_t = PackLevel::Fast)]
    pub(crate) effort: PackLevel,
    /// Images come back byte for byte
    #[arg(long)]
    pub(crate) exact: bool,
    /// Leave meshes in their PLY files
    #[arg(long)]
    pub(crate) no_meshes: bool,
    /// Forget where in the text everything stands
    #[arg(long)]
    pub(crate) no_places: bool,
    /// Return only when the output rests safely on the disk
    #[arg(long)]
    pub(crate) durable: bool,
    /// Print JSON, one object; of images one per file, and one at the end
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) shown: ShownArgs,
    #[command(flatten)]
    pub(crate) work: WorkArgs,
}

/// How the arrays of a packed scene or the samples of images are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PackLevel {
    /// A scene's arrays as they are, so that they can be mapped; not for images
    None,
    /// Samples of each array say what suits it
    Fast,
    /// Everything that is read fast is tried
    Thorough,
    /// Codes by what is around each sample: smallest for photographs, slow both ways
    Max,
}

impl PackLevel {
    pub(crate) fn effort(self) -> Option<Effort> {
        match self {
            PackLevel::None => None,
            PackLevel::Fast => Some(Effort::Fast),
            PackLevel::Thorough => Some(Effort::Thorough),
            PackLevel::Max => Some(Effort::Max),
        }
    }
}

const SET_EXAMPLES: &str = "\
Examples:
  solio set owner='Studio A' framesPerSecond=24000/1001 shots/*.exr
  solio set shotCount:int=3 comments= a.exr -o b.exr
  solio set --part left view=left stereo.exr

A value has the type that is named (name:type=value), else that of the attribute in the file, of the \
standard attribute of this name, or what it looks like: int, float, string. Without a value (name=) \
the attribute is removed. What says how the pixels lie cannot be set. A file whose name has an \
equals sign is written ./a=b.exr.";

const PREVIEW_EXAMPLES: &str = "\
Examples:
  solio preview beauty.exr                         in a terminal
  solio preview beauty.exr -o beauty.png --exposure 1.5
  solio preview beauty.exr -o z.png --channels Z   from lowest to highest
  solio preview beauty.exr -o z.png --channels Z --colormap turbo
  solio preview shots/*.exr -o thumbs/ --size 320
  solio preview scene.pbrt -o first.png --occlusion 16  as its camera sees it
  solio preview model.obj -o model.png --up-axis Z      a mesh, grey

Colours are brought to the primaries of sRGB, tone-mapped, and stored with the curve of sRGB.";

const STUDY_EXAMPLES: &str = "\
Examples:
  solio study -o study.html -- solio info big.obj
  sudo solio study --how cgroup -o study.html -- pbrt scene.pbrt";

#[derive(Debug, Args)]
pub(crate) struct StudyArgs {
    /// Bytes a second, such as 50M,100M; there is always a run without a limit
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = parse_rate,
        default_value = "25M,50M,100M,200M,400M,800M,1600M")]
    pub(crate) bandwidths: Vec<u64>,
    /// Runs at each bandwidth; the median counts, of an even number the lower one
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) rounds: u16,
    /// What holds the bandwidth down
    #[arg(long, value_enum, value_name = "HOW", default_value_t = SlowDownChoice::Bucket)]
    pub(crate) how: SlowDownChoice,
    /// With --how cgroup: a path on the disk that is slowed down [default: .]
    #[arg(long, value_name = "PATH")]
    pub(crate) medium: Option<PathBuf>,
    /// Write a page here (.html)
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
    /// Print JSON instead of a table
    #[arg(long)]
    pub(crate) json: bool,
    /// The command and its arguments, after --
    #[arg(last = true, required = true, value_name = "COMMAND", value_hint = ValueHint::CommandWithArguments)]
    pub(crate) command: Vec<OsString>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SlowDownChoice {
    /// Solio's own: for commands of Solio, anywhere
    Bucket,
    /// The system's throttle: for any command, as root on Linux; empties the page cache
    Cgroup,
}

const CAT_EXAMPLES: &str = "\
Examples:
  solio cat --null --stats shots/           how fast this disk gives files
  solio cat --null --direct never shots/    fill the page cache
  solio cat *.ply | sha256sum               as cat, with many reads under way
  find . -name '*.exr' -print0 |
    solio cat --null --stats -0 --files-from -";

#[derive(Debug, Args)]
pub(crate) struct CatArgs {
    #[command(flatten)]
    pub(crate) inputs: InputArgs,
    /// Throw the bytes away, and read in whatever order is fastest
    #[arg(long)]
    pub(crate) null: bool,
    /// What moves the bytes; the environment variable SOLIO_IO overrides it
    #[arg(long, value_name = "HOW", default_value = "auto", value_parser = named(Backend::ALL, Backend::name))]
    pub(crate) backend: Backend,
    /// In which order files are read: auto is by position on a hard disk, else by inode where
    /// that is free [default: auto with --null, else none]
    #[arg(long, value_name = "ORDER", value_parser = named(Order::ALL, Order::name))]
    pub(crate) order: Option<Order>,
    /// Go past the page cache: auto does for what is not in it
    #[arg(long, value_name = "WHEN", default_value = "auto", value_parser = named(Direct::ALL, Direct::name))]
    pub(crate) direct: Direct,
    /// Who goes first, beside other reads of this process
    #[arg(long, value_name = "LEVEL", default_value = "normal", value_parser = named(Priority::ALL, Priority::name))]
    pub(crate) priority: Priority,
    /// Read at most so many bytes a second, such as 100M
    #[arg(long, value_name = "RATE", value_parser = parse_rate)]
    pub(crate) bwlimit: Option<u64>,
    /// Read at most so many times a second
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) iops: Option<u64>,
    /// With --null: print JSON, one object
    #[arg(long, requires = "null")]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) shown: ShownArgs,
    #[command(flatten)]
    pub(crate) record: RecordArgs,
    #[command(flatten)]
    pub(crate) work: WorkArgs,
}

/// A name of a list that may have spaces behind its commas.
pub(crate) fn trimmed(text: &str) -> Result<String, std::convert::Infallible> {
    Ok(text.trim().to_owned())
}

/// One of `all`, by its name.
pub(crate) fn named<T: Copy + Send + Sync + 'static, const N: usize>(
    all: [T; N],
    name_of: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(all.map(name_of)).map(move |name| {
        all.into_iter().find(|&v| name_of(v) == name).expect("one of the possible values")
    })
}

const LIGHT_NOTE: &str = "\
The peaks are kept for each file system, in ~/.cache/solio/light.json: --stats and --report of other \
commands judge a run by them.";

#[derive(Debug, Args)]
pub(crate) struct LightArgs {
    /// Folder on the file system to measure
    #[arg(default_value = ".", value_hint = ValueHint::DirPath)]
    pub(crate) dir: PathBuf,
    /// Size of the scratch file; it leaves nothing behind
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = parse_size)]
    pub(crate) size: u64,
    /// Times that each peak is measured; the best counts
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) rounds: u16,
    /// Measure nothing: print what was measured last on this file system
    #[arg(long, conflicts_with_all = ["size", "rounds"])]
    pub(crate) last: bool,
    /// Print JSON instead of a table
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) work: WorkArgs,
}

#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// Use this mesh instead of the demo's own
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) input: Option<PathBuf>,
    /// Keep the files in this folder
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) keep: Option<PathBuf>,
    /// Fineness of the demo's own mesh: N gives 31 N² vertices
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u32).range(4..=2048))]
    pub(crate) detail: u32,
    /// Print JSON instead of a table
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) record: RecordArgs,
    #[command(flatten)]
    pub(crate) work: WorkArgs,
}

#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum BenchCommand {
    /// Every area in one run: one table, one page
    All(crate::bench::all::AllBenchArgs),
    /// Number text, OBJ, PLY and STL, each against the least that the machine must do
    Mesh(BenchArgs),
    /// Case folding of file names, each way beside the others
    Io(KernelBenchArgs),
    /// Rows into a fresh catalogue
    Catalog(crate::bench::catalog::CatalogBenchArgs),
    /// Arrays of colours and gradients, beside a copy of the same bytes
    Color(KernelBenchArgs),
    /// OpenEXR images by every compression, against what else reads and writes them
    Exr(crate::bench::exr::ExrBenchArgs),
    /// Metadata of photos, beside ExifTool and others; or the ways to run ExifTool
    Photo(crate::bench::photo::PhotoBenchArgs),
    /// Text, meshes and packed files of pbrt scenes, beside reading the same bytes
    Scene(crate::bench::scene::SceneBenchArgs),
    /// Makes a pbrt scene as large as you like: a statistical twin of Moana Island
    Twin(crate::bench::twin::TwinArgs),
}

#[derive(Debug, Args)]
pub(crate) struct KernelBenchArgs {
    /// Print JSON instead of a table
    #[arg(long)]
    pub(crate) json: bool,
    /// Fewer samples
    #[arg(long)]
    pub(crate) quick: bool,
}

#[derive(Debug, Args)]
pub(crate) struct BenchArgs {
    /// Print JSON instead of a table
    #[arg(long)]
    pub(crate) json: bool,
    /// A smaller mesh and fewer samples: seconds instead of a minute
    #[arg(long)]
    pub(crate) quick: bool,
    /// Only number text, on the CPU tier in force (the whole bench asks itself for each tier)
    #[arg(long, hide = true)]
    pub(crate) kernels_only: bool,
    #[command(flatten)]
    pub(crate) record: RecordArgs,
    #[command(flatten)]
    pub(crate) work: WorkArgs,
}

#[derive(Debug, Args)]
pub(crate) struct InputArgs {
    /// Files, frames as a.####.exr, folders where it goes into them; - is standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub(crate) files: Vec<PathBuf>,
    /// Read the names of further inputs from a file, one a line; - is standard input
    #[arg(long, value_name = "LIST", value_hint = ValueHint::FilePath)]
    pub(crate) files_from: Option<PathBuf>,
    /// The names in LIST end with a zero byte instead of a newline
    #[arg(id = "zero", short = '0', requires = "files_from")]
    pub(crate) null: bool,
}

/// The help of [`InputArgs::files`] for commands that look at files where they lie.
pub(crate) fn no_stream(files: clap::Arg) -> clap::Arg {
    files.help("Files, frames as a.####.exr, folders where it goes into them")
}

impl InputArgs {
    /// The same with these files.
    pub(crate) fn with_files(&self, files: Vec<PathBuf>) -> InputArgs {
        InputArgs { files, files_from: self.files_from.clone(), null: self.null }
    }
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Machine")]
pub(crate) struct WorkArgs {
    /// Threads [default: all]
    #[arg(short = 'j', long = "jobs", value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) jobs: Option<u16>,
    /// Memory that the work may use beside its result, such as 512M or 2G [default: an eighth of
    /// the machine's]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub(crate) mem: Option<u64>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Seeing the run")]
pub(crate) struct RecordArgs {
    /// Write a trace of all threads, for Perfetto or chrome://tracing
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) trace: Option<PathBuf>,
    /// Write a page about the run: threads, CPU, disk, memory, and the machine's limit
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) report: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = READING)]
pub(crate) struct ReadArgs {
    /// Input format; otherwise told by name and content
    #[arg(long, value_name = "FORMAT", value_parser = format_parser())]
    pub(crate) input_format: Option<Format>,
    /// Refuse whatever the format does not allow
    #[arg(long, overrides_with = "lenient")]
    pub(crate) strict: bool,
    /// Pass over what the format does not allow, with a warning (the default)
    #[arg(long, overrides_with = "strict")]
    pub(crate) lenient: bool,
    /// What an OBJ file calls its first vertex
    #[arg(long, value_name = "0|1", value_parser = clap::value_parser!(u8).range(0..=1))]
    pub(crate) index_base: Option<u8>,
    /// Read OBJ positions in double precision (PLY keeps its own)
    #[arg(long)]
    pub(crate) double: bool,
    /// Keep the three separate vertices of each STL triangle
    #[arg(long)]
    pub(crate) no_merge_vertices: bool,
}

// Options of Blender's exporters, with Blender's names.
#[derive(Debug, Args)]
#[command(next_help_heading = WRITING)]
pub(crate) struct WriteArgs {
    /// Digits after the point of all numbers, MTL included: 0 to 17, or shortest [default: as
    /// Blender]
    #[arg(long, value_name = "N|shortest", value_parser = parse_digits)]
    pub(crate) digits: Option<Digits>,
    /// Axis that is forward in the output [default: as in the input]
    #[arg(long, value_name = "AXIS", value_parser = parse_axis, allow_hyphen_values = true)]
    pub(crate) forward_axis: Option<Axis>,
    /// Axis that is up in the output [default: as in the input]
    #[arg(long, value_name = "AXIS", value_parser = parse_axis, allow_hyphen_values = true)]
    pub(crate) up_axis: Option<Axis>,
    /// Axis that is forward in the input [default: -Z in OBJ, Y in PLY and STL]
    #[arg(long, value_name = "AXIS", value_parser = parse_axis, allow_hyphen_values = true)]
    pub(crate) source_forward_axis: Option<Axis>,
    /// Axis that is up in the input [default: Y in OBJ, Z in PLY and STL]
    #[arg(long, value_name = "AXIS", value_parser = parse_axis, allow_hyphen_values = true)]
    pub(crate) source_up_axis: Option<Axis>,
    /// Factor on positions, above 0
    #[arg(long, value_name = "FACTOR", allow_hyphen_values = true, value_parser = parse_scale)]
    pub(crate) global_scale: Option<f64>,
    /// Write texture coordinates
    #[arg(long, value_name = YES_NO, num_args = 0..=1, require_equals = true, default_missing_value = "yes", value_parser = parse_bool)]
    pub(crate) export_uv: Option<bool>,
    /// Write normals
    #[arg(long, value_name = YES_NO, num_args = 0..=1, require_equals = true, default_missing_value = "yes", value_parser = parse_bool)]
    pub(crate) export_normals: Option<bool>,
    /// Write vertex colours (OBJ: srgb or none)
    #[arg(long, value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "srgb")]
    pub(crate) export_colors: Option<ColorsChoice>,
    /// PLY: vertex colours as floats, which keep what bytes cut
    #[arg(long)]
    pub(crate) float_colors: bool,
    /// Write materials and the MTL file
    #[arg(long, value_name = YES_NO, num_args = 0..=1, require_equals = true, default_missing_value = "yes", value_parser = parse_bool)]
    pub(crate) export_materials: Option<bool>,
    /// PLY: write all further attributes
    #[arg(long, value_name = YES_NO, num_args = 0..=1, require_equals = true, default_missing_value = "yes", value_parser = parse_bool)]
    pub(crate) export_attributes: Option<bool>,
    /// Split faces into triangles
    #[arg(long, value_name = YES_NO, num_args = 0..=1, require_equals = true, default_missing_value = "yes", value_parser = parse_bool)]
    pub(crate) export_triangulated_mesh: Option<bool>,
    /// OBJ: objects as groups
    #[arg(long, value_name = YES_NO, num_args = 0..=1, require_equals = true, default_missing_value = "yes", value_parser = parse_bool)]
    pub(crate) export_object_groups: Option<bool>,
    /// OBJ: a group for each material
    #[arg(long, value_name = YES_NO, num_args = 0..=1, require_equals = true, default_missing_value = "yes", value_parser = parse_bool)]
    pub(crate) export_material_groups: Option<bool>,
    /// OBJ: a group for each vertex group
    #[arg(long, value_name = YES_NO, num_args = 0..=1, require_equals = true, default_missing_value = "yes", value_parser = parse_bool)]
    pub(crate) export_vertex_groups: Option<bool>,
    /// OBJ: smoothing groups as they are, instead of on and off
    #[arg(long, value_name = YES_NO, num_args = 0..=1, require_equals = true, default_missing_value = "yes", value_parser = parse_bool)]
    pub(crate) export_smooth_groups: Option<bool>,
    /// OBJ: the faces' own groups
    #[arg(long, value_name = YES_NO, num_args = 0..=1, require_equals = true, default_missing_value = "yes", value_parser = parse_bool)]
    pub(crate) export_groups: Option<bool>,
    /// OBJ: each object's faces sorted by material, and the MTL by name, as Blender does
    #[arg(long, value_name = YES_NO, num_args = 0..=1, require_equals = true, default_missing_value = "yes", value_parser = parse_bool)]
    pub(crate) sort_by_material: Option<bool>,
    /// OBJ and MTL: underscores for spaces in names, as Blender does
    #[arg(long, value_name = YES_NO, num_args = 0..=1, require_equals = true, default_missing_value = "yes", value_parser = parse_bool)]
    pub(crate) underscores: Option<bool>,
    /// OBJ: name of the MTL file [default: the output's name]
    #[arg(long, value_name = "NAME")]
    pub(crate) mtl: Option<String>,
    /// OBJ, MTL and PLY: a comment line at the head; may be given several times
    #[arg(long, value_name = "TEXT")]
    pub(crate) comment: Vec<String>,
    /// OBJ: merge equal UVs and normals (the default)
    #[arg(long, overrides_with = "no_merge")]
    pub(crate) merge: bool,
    /// OBJ: write every corner's UV and normal
    #[arg(long, overrides_with = "merge")]
    pub(crate) no_merge: bool,
    /// PLY and STL as text
    #[arg(long)]
    pub(crate) ascii: bool,
    /// STL: a file for each object
    #[arg(long)]
    pub(crate) use_batch: bool,
    /// PLY: byte order
    #[arg(long, value_enum, conflicts_with = "ascii")]
    pub(crate) endian: Option<Endian>,
    /// Compress meshes, also when the output's name does not say so
    #[arg(long, value_enum, value_name = "HOW")]
    pub(crate) compress: Option<Compress>,
    /// Level of compression of meshes: gz 0 to 12, zst -7 to 22
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(i32).range(-7..=22))]
    pub(crate) level: Option<i32>,
    /// How an MTL or a PLY refers to textures: auto, absolute, relative, match, strip or copy
    #[arg(long, value_name = "MODE", value_parser = |text: &str| text.parse::<PathMode>())]
    pub(crate) path_mode: Option<PathMode>,
    /// OBJ: write NaN and infinity instead of refusing them (PLY and STL always do)
    #[arg(long)]
    pub(crate) allow_non_finite: bool,
    /// Return only when the output rests safely on the disk
    #[arg(long)]
    pub(crate) durable: bool,
}

const YES_NO: &str = "yes|no";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Compress {
    None,
    Gz,
    Zst,
}

impl From<Compress> for Compression {
    fn from(choice: Compress) -> Compression {
        match choice {
            Compress::None => Compression::None,
            Compress::Gz => Compression::Gzip,
            Compress::Zst => Compression::Zstd,
        }
    }
}

fn format_parser() -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(Format::ALL.map(Format::as_str))
        .try_map(|name| name.parse::<Format>())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Endian {
    Little,
    Big,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorsChoice {
    None,
    Srgb,
    Linear,
}

#[derive(Debug, Args)]
pub(crate) struct ShownArgs {
    /// Say how much was moved, how fast, and how close that is to the machine's limit
    #[arg(long)]
    pub(crate) stats: bool,
    /// How progress is shown, on standard error
    #[arg(long, value_enum, default_value_t = Progress::Auto, value_name = "HOW")]
    pub(crate) progress: Progress,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Progress {
    /// A bar on a terminal, nothing in a pipe
    Auto,
    /// A bar
    Bar,
    /// One JSON object per step
    Json,
    /// Nothing
    None,
}

/// `512M`, `2G`, `65536`, `1.5GiB`: powers of 1024.
pub(crate) fn parse_size(text: &str) -> Result<u64, String> {
    parse_amount(text, 1024.0)
}

/// `100M`, `1.6G`: powers of 1000, as rates of disks are given.
pub(crate) fn parse_rate(text: &str) -> Result<u64, String> {
    parse_amount(text, 1000.0)
}

fn parse_amount(text: &str, kilo: f64) -> Result<u64, String> {
    let split = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let power = match unit.to_ascii_lowercase().trim_end_matches("ib").trim_end_matches('b') {
        "" => 0,
        "k" => 1,
        "m" => 2,
        "g" => 3,
        "t" => 4,
        _ => return Err(format!("unknown unit {unit}; use K, M, G or T")),
    };
    let value: f64 = number.trim().parse().map_err(|_| format!("{number} is not a number"))?;
    let bytes = value * kilo.powi(power);
    if bytes.is_finite() && (1.0..1e18).contains(&bytes) {
        return Ok(bytes as u64);
    }
    Err("must be at least 1 byte".into())
}

fn parse_digits(text: &str) -> Result<Digits, String> {
    if text.eq_ignore_ascii_case("shortest") {
        return Ok(Digits::Shortest);
    }
    match text.parse::<u8>() {
        Ok(n) if n <= Digits::MAX_FIXED => Ok(Digits::Fixed(n)),
        _ => Err(format!("use 0 to {} or shortest", Digits::MAX_FIXED)),
    }
}

pub(crate) fn parse_axis(text: &str) -> Result<Axis, String> {
    Axis::from_name(text).ok_or_else(|| "use X, Y, Z, -X, -Y or -Z".into())
}

fn parse_scale(text: &str) -> Result<f64, String> {
    let is_float = |scale: &f64| (*scale as f32).is_finite() && *scale as f32 > 0.0;
    let scale = text.parse().ok().filter(is_float);
    scale.ok_or_else(|| "use a number above 0, in the range of floats".into())
}

fn parse_bool(text: &str) -> Result<bool, String> {
    match text.to_ascii_lowercase().as_str() {
        "yes" | "true" | "on" | "1" => Ok(true),
        "no" | "false" | "off" | "0" => Ok(false),
        _ => Err("use yes or no".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn sizes_take_units() {
        assert_eq!(parse_size("512M"), Ok(512 << 20));
        assert_eq!(parse_size("1.5GiB"), Ok(3 << 29));
        assert_eq!(parse_size("65536"), Ok(65536));
        assert_eq!(parse_size("2kB"), Ok(2048));
        assert_eq!(parse_rate("1.6G"), Ok(1_600_000_000));
        for bad in ["", "M", "1X", "-1", "1e99", "nan"] {
            assert!(parse_size(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn axes_and_switches_are_typed_as_blender_names_them() {
        let line = "solio convert a -o b --forward-axis -Z --up-axis Y --export-uv=no \
                    --export-triangulated-mesh --digits shortest";
        let cli = Cli::try_parse_from(line.split_whitespace()).unwrap();
        let Some(Command::Convert(c)) = cli.command else { panic!("convert") };
        assert_eq!(c.write.forward_axis, Some(Axis::NegativeZ));
        assert_eq!(c.write.export_uv, Some(false));
        assert_eq!(c.write.export_triangulated_mesh, Some(true));
        assert_eq!(c.write.digits, Some(Digits::Shortest));
        assert_eq!(c.inputs.files, [PathBuf::from("a")]);
    }
}
