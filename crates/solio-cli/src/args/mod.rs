//! The one definition of the command line: parser, help, completions and man pages come from it.

mod cat;
mod changes;
mod check;
mod convert;
mod demo;
mod diff;
mod dup;
mod exiftool;
mod filter;
mod gradient;
mod hash;
mod image;
mod info;
#[cfg(feature = "lab")]
mod lab;
mod light;
mod ls;
mod mesh;
mod meta;
mod pack;
mod photos;
mod preview;
mod scan;
mod set;
mod shared;
mod sheet;
mod study;
mod typed_options;

pub(crate) use cat::CatArgs;
pub(crate) use changes::ChangeArgs;
pub(crate) use check::CheckArgs;
pub(crate) use convert::{AnyFormat, ConvertArgs, MeshesChoice};
pub(crate) use demo::DemoArgs;
pub(crate) use diff::DiffArgs;
pub(crate) use dup::DupArgs;
pub(crate) use exiftool::ExiftoolArgs;
pub(crate) use gradient::GradientArgs;
pub(crate) use hash::HashArgs;
pub(crate) use image::ImageArgs;
pub(crate) use info::InfoArgs;
#[cfg(feature = "lab")]
pub(crate) use lab::{LabArgs, LabSample};
pub(crate) use light::LightArgs;
pub(crate) use ls::LsArgs;
pub(crate) use mesh::{ColorsChoice, Endian, InstancesChoice, ReadArgs, WriteArgs};
pub(crate) use meta::{EngineChoice, MetaArgs};
pub(crate) use pack::{PackArgs, UnpackArgs};
pub(crate) use photos::PhotosArgs;
pub(crate) use preview::PreviewArgs;
pub(crate) use scan::{MergeArgs, QueryArgs, ScanArgs, Since};
pub(crate) use set::SetArgs;
pub(crate) use shared::{InputArgs, ProgressChoice, ShownArgs};
pub use shared::{RecordArgs, WorkArgs, parse_rate};
pub(crate) use sheet::SheetArgs;
#[cfg(feature = "lab")]
pub(crate) use study::NumbersArgs;
pub(crate) use study::{
    CompareArgs, LatencyArgs, ModesArgs, OrderArgs, OtherStudy, SlowDownChoice, StudyArgs,
    StudyCacheChoice, StudyOutputArgs,
};
pub use typed_options::TypedOptions;
pub(crate) use typed_options::{DRAWING, IMAGES, READING, SCENES, SEEING, WRITING};

use crate::version;
use clap::{Parser, Subcommand, ValueHint};
use clap_complete::Shell;
use std::path::PathBuf;

/// Moves meshes, images, scenes and what is said about them between disk and memory as fast as the
/// machine allows.
#[derive(Debug, Parser)]
#[command(name = "solio", bin_name = "solio", version = version::text(), max_term_width = 100)]
#[command(disable_help_subcommand = true)] // `help` here also knows tasks
#[command(after_help = "Exit codes: 0 all done; 1 some inputs failed (each is listed); 2 usage; \
    3 nothing matched; 130 interrupted. Those of diff are idiff's.")]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

#[derive(Debug, Subcommand)]
#[command(defer = true)] // all options of all commands take a quarter of a short run to describe
pub(crate) enum Command {
    /// Convert meshes, images and scenes to another format, or write them in another way
    Convert(Box<ConvertArgs>),
    /// Say what is in meshes, OpenEXR images, scenes and archives: counts, bounds, materials, headers
    Info(InfoArgs),
    /// Show photo metadata: EXIF, XMP, IPTC and others, as ExifTool names them; also the headers of
    /// OpenEXR, PLY, OBJ and pbrt files
    Meta(MetaArgs),
    /// Sort photos and films into folders by date, keeping together what belongs together; with undo
    Photos(Box<PhotosArgs>),
    /// Answer as ExifTool does, many times as fast; what only ExifTool can do is handed to it
    Exiftool(ExiftoolArgs),
    /// List folders, with the frames of a sequence on one line: how many, and which are missing
    Ls(LsArgs),
    /// Walk trees once and keep what is there in a table: kinds, sizes, dates, problems
    Scan(Box<ScanArgs>),
    /// Ask a catalogue in SQL
    Query(QueryArgs),
    /// Make one catalogue of its parts
    Merge(MergeArgs),
    /// Find out whether files are whole, and whether their names are sound
    Check(CheckArgs),
    /// Change attributes of OpenEXR images, or dates, places and orientation of photos; pixels stay as they are
    Set(SetArgs),
    /// Draw images, meshes and scenes to look at: as PNG, as OpenEXR, or right in the terminal
    Preview(Box<PreviewArgs>),
    /// Make gradients, and show how ways of blending differ
    Gradient(GradientArgs),
    /// Compare filters and codecs on your own images, meshes and arrays: ratio, speed, a page
    #[cfg(feature = "lab")]
    Lab(LabArgs),
    /// Keep a pbrt scene and its meshes in one file that needs no parsing; or many OpenEXR images in
    /// one smaller archive
    Pack(PackArgs),
    /// Write the images of an archive as the files that they were
    Unpack(UnpackArgs),
    /// Export a mesh of 2 million vertices, read it back, convert it; show how fast each step was
    Demo(DemoArgs),
    /// Read everything as fast as possible, to standard output or to nowhere
    #[command(visible_alias = "read")]
    Cat(CatArgs),
    /// Say how far images are from each other: channel by channel, with a picture of the differences
    Diff(DiffArgs),
    /// Find files with the same content
    Dup(DupArgs),
    /// Show many files as small pictures, on a page or in a picture
    Sheet(Box<SheetArgs>),
    /// Hash files (XXH128, SHA-256…), verify lists of checksums, keep histories of folders (ASC MHL)
    Hash(Box<HashArgs>),
    /// Benchmark disk, memory and codecs to find this machine's limits (speed of light)
    Light(LightArgs),
    /// Run a command at a series of bandwidths: what would a slower disk cost?
    Study(StudyArgs),
    /// Show help for a task or a command
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

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;
    use solio::Digits;
    use solio::mesh::axes::Axis;

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
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

    fn typed(line: &str) -> TypedOptions {
        let mut root = Cli::command();
        let matches = root.try_get_matches_from_mut(line.split(' ')).unwrap();
        TypedOptions::of(&root, &matches)
    }

    #[test]
    fn what_was_typed_is_known_by_its_heading() {
        let given =
            typed("solio convert a.obj -o b.ply -z zip --exposure 0 --upgrade --digits 3 --json");
        assert_eq!(
            [IMAGES, SCENES, READING, WRITING].map(|h| given.has(h)),
            [true, true, false, true]
        );
        let error = given.refuse(&[WRITING], &["durable"], "images").unwrap_err();
        assert!(error.to_string().contains("--digits does nothing for images"), "{error}");
        assert!(given.refuse(&[WRITING], &["digits"], "images").is_ok());
        assert!(given.refuse(&[READING], &[], "images").is_ok());
        let defaults = typed("solio convert a.obj -o b.ply");
        assert!(!defaults.has(IMAGES));
        assert!(!typed("solio ls").has(IMAGES));
    }
}
