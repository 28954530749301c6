//! The arguments of `solio-bench photo`.

use crate::peer_argument;
use clap::Args;
use solio_cli::args::WorkArgs;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct PhotoBenchArgs {
    /// Photos, or folders with photos below them [default: the folder photo of $SOLIO_DATA]
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Copies of them are mixed to so many files [default: 1000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) count: Option<u32>,
    /// Print JSON instead of the table
    #[arg(long)]
    pub(crate) json: bool,
    /// Fewer rounds
    #[arg(long)]
    pub(crate) quick: bool,
    /// A peer, as NAME=COMMAND: it is given the path of a list, and prints three dates of each file
    /// in it; `bench/run` makes one
    #[arg(long = "peer", value_name = "NAME=COMMAND", value_parser = peer_argument)]
    pub(crate) peers: Vec<(String, String)>,
    /// The program of ExifTool [default: $SOLIO_EXIFTOOL, or exiftool]
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) exiftool: Option<PathBuf>,
    /// Open the files of this list and read the first 64 KiB of each: what a bench asks itself for
    #[arg(long, hide = true, value_name = "LIST")]
    pub(crate) floor: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) work: WorkArgs,
}

impl PhotoBenchArgs {
    /// The program of ExifTool.
    pub(crate) fn program(&self) -> PathBuf {
        self.exiftool.clone().unwrap_or_else(|| solio::ExifToolOptions::default().program)
    }
}
