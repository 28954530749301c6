//! The arguments of `solio convert`.

use super::changes::ChangeArgs;
use super::image::ImageArgs;
use super::mesh::{ReadArgs, WriteArgs};
use super::shared::{InputArgs, RecordArgs, ShownArgs, WorkArgs};
use super::typed_options::{SCENES, TypedOptions};
use crate::output_path::named_file;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum, ValueHint};
use solio::{Format, ImageFormat, SceneFormat};
use std::path::PathBuf;

const EXAMPLES: &str = "\
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
  solio convert shot.####.exr -o half.####.exr --resize 50%
  solio convert key.exr fill.exr -o light.exr --join layers --as key,fill
  solio convert all.####.exr -o 'out/*.####.exr' --split layers
  solio convert deep.exr -o flat.exr --flatten
  solio convert map.tif -o map.exr --mipmap -z zip
  solio convert old.pbrt -o new.pbrt --upgrade   formatted, version 3 to 4
  solio convert old.pbrt -o new/ --upgrade --whole-scene   and its includes
  solio convert scene.pbrt -o small/scene.pbrt --meshes ply
  solio convert scene.pbrt -o scene.obj          all shapes, instances written out
  solio convert scene.pbrt -o scene.glb          objects once; or .usda
  solio convert scene.pbrt -o scene.xml          for Mitsuba 3

OpenEXR keeps all attributes, parts, levels, tiles and deep samples; where nothing is to change its \
compressed pixels are copied as they are. Integers in other images are sRGB, floating point \
numbers are linear light. Alpha is straight in them, as the file says in TIFF, and premultiplied in \
OpenEXR. --raw leaves values as they are. Sequences: # is four digits, several # one each; or \
%04d, @@@@, $F4; with a range in the name, a.1-100x2#.exr. See solio help ls.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ConvertArgs {
    #[command(flatten)]
    pub(crate) inputs: InputArgs,
    /// Output file, folder (with several inputs), or - for standard output
    #[arg(short, long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) output: PathBuf,
    /// Output format; otherwise told by the output's name
    #[arg(long, value_parser = any_format_parser())]
    pub(crate) format: Option<AnyFormat>,
    /// Upgrade pbrt scenes from version 3 to version 4
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
    /// Dry run: show what would be done
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
    pub(crate) changes: ChangeArgs,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
    #[command(flatten)]
    pub(crate) write: WriteArgs,
    /// What of all this was typed.
    #[arg(skip)]
    pub(crate) given: TypedOptions,
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
            Some(AnyFormat::Mesh(format)) => SceneFormat::of_kind(format.kind()),
            Some(_) => None,
            None => named_file(&self.output).and_then(SceneFormat::of_name),
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
    // glTF holds both.
    let scenes = SceneFormat::ALL.into_iter().filter(|f| Format::of_kind(f.kind()).is_none());
    let names: Vec<&str> = names.chain(scenes.map(SceneFormat::as_str)).collect();
    PossibleValuesParser::new(names).try_map(|name| {
        let scene = || name.parse::<SceneFormat>().map(AnyFormat::Scene);
        let image = || name.parse::<ImageFormat>().map(AnyFormat::Image);
        name.parse::<Format>().map(AnyFormat::Mesh).or_else(|_| image()).or_else(|_| scene())
    })
}
