//! The arguments of `solio-bench exr`.

use crate::peer_argument;
use clap::Args;
use solio_cli::args::WorkArgs;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct ExrBenchArgs {
    /// Images, or folders of images: each is a class of its own; without any, one is made up
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Print JSON instead of the table
    #[arg(long)]
    pub(crate) json: bool,
    /// Fewer samples
    #[arg(long)]
    pub(crate) quick: bool,
    /// Only these compressions: none, rle, zips, zip, piz, …
    #[arg(long, value_name = "METHOD", value_delimiter = ',')]
    pub(crate) methods: Vec<String>,
    /// A compiled peer, as NAME=COMMAND; `bench/run` makes some
    #[arg(long = "peer", value_name = "NAME=COMMAND", value_parser = peer_argument)]
    pub(crate) peers: Vec<(String, String)>,
    /// The Python whose OpenEXR and OpenImageIO are measured, where it has them
    #[arg(long, value_name = "PYTHON", default_value = "python3")]
    pub(crate) python: PathBuf,
    #[command(flatten)]
    pub(crate) work: WorkArgs,
}
