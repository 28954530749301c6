//! The arguments of `solio info`.

use super::mesh::ReadArgs;
use super::shared::{InputArgs, RecordArgs, ShownArgs, WorkArgs};
use super::typed_options::TypedOptions;
use clap::Args;

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
    pub(crate) given: TypedOptions,
}
