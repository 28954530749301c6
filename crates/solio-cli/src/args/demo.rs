//! The arguments of `solio demo`.

use super::shared::{RecordArgs, WorkArgs};
use clap::{Args, ValueHint};
use std::path::PathBuf;

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
