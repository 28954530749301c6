//! The arguments of `solio pack` and `solio unpack`.

use super::shared::{InputArgs, RunArgs};
use clap::{Args, ValueEnum, ValueHint};
use solio::array::Effort;
use std::path::PathBuf;

const PACK_EXAMPLES: &str = "\
Examples:
  solio pack island.pbrt -o island.solio
  solio pack island.pbrt.gz -o island.solio --no-meshes --json
  solio pack shots/*.exr -o shots.solio          headers and pixels, bit for bit
  solio pack shots/*.exr -o shots.solio --exact  and the bytes of the files

What is wrong with a scene is told, and kept in the file; meshes that cannot be read stay where \
they are. Of images, pixels of lossy methods and deep ones are stored unmodified; with --exact also \
those whose bytes would not come back, as another program compressed them. A file that cannot be \
read is passed by, and named.";

const UNPACK_EXAMPLES: &str = "\
Examples:
  solio unpack shots.solio -o shots/
  solio unpack shots.solio -o shots/ --only beauty.0007.exr

A packed scene is written as text by solio convert.";

#[derive(Debug, Args)]
#[command(after_help = UNPACK_EXAMPLES)]
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
    /// fsync outputs before returning
    #[arg(long)]
    pub(crate) durable: bool,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

#[derive(Debug, Args)]
#[command(after_help = PACK_EXAMPLES)]
#[command(mut_arg("json", |json| json.help("Print JSON, one object; of images one per file, and one at the end")))]
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
    /// fsync outputs before returning
    #[arg(long)]
    pub(crate) durable: bool,
    #[command(flatten)]
    pub(crate) run: RunArgs,
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
