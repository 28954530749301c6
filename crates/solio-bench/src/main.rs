//! The program `solio-bench`: how fast Solio is, against its peers and the least that the machine must do.
//!
//! It is built from the source and not shipped; what it prints and how is shared with the command.
#![forbid(unsafe_code)]

mod all;
mod catalog;
mod color;
mod exr;
mod files;
mod fold;
mod jobs;
mod kernels;
mod mesh;
mod photo;
mod program;
mod report;
mod row;
mod scene;
mod stats;
mod turns;
mod twin;

use clap::{Args, Parser, Subcommand};
use solio::Result;
use solio_cli::Outcome;
use std::process::ExitCode;

/// Measures how fast Solio is on this machine.
#[derive(Debug, Parser)]
#[command(name = "solio-bench", version, max_term_width = 100)]
#[command(arg_required_else_help = true)]
#[command(
    after_help = "Exit codes: 0 all done; 1 something failed; 2 usage; 3 nothing to measure."
)]
struct BenchCli {
    #[command(subcommand)]
    area: BenchCommand,
}

#[derive(Debug, Subcommand)]
enum BenchCommand {
    /// Every area in one run: one table, one page
    All(all::AllBenchArgs),
    /// Number text, OBJ, PLY and STL, each against the least that the machine must do
    Mesh(mesh::MeshBenchArgs),
    /// Case folding of file names, each way beside the others
    Io(KernelBenchArgs),
    /// Rows into a fresh catalogue
    Catalog(catalog::CatalogBenchArgs),
    /// Arrays of colours and gradients, beside a copy of the same bytes
    Color(KernelBenchArgs),
    /// OpenEXR images by every compression, against what else reads and writes them
    Exr(exr::ExrBenchArgs),
    /// Photo metadata, beside ExifTool and others; or the ways to run ExifTool
    Photo(photo::PhotoBenchArgs),
    /// Text, meshes and packed files of pbrt scenes, beside reading the same bytes
    Scene(scene::SceneBenchArgs),
    /// Makes a pbrt scene as large as you like: a statistical twin of Moana Island
    Twin(twin::TwinArgs),
}

#[derive(Debug, Args)]
struct KernelBenchArgs {
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
    /// Fewer samples
    #[arg(long)]
    quick: bool,
}

fn main() -> ExitCode {
    let run = |cli: BenchCli, _| measure(cli.area);
    ExitCode::from(solio_cli::run_parsed(std::env::args_os(), run))
}

fn measure(area: BenchCommand) -> Result<Outcome> {
    match area {
        BenchCommand::All(args) => all::run(&args),
        BenchCommand::Mesh(args) => mesh::run(&args),
        BenchCommand::Io(args) => Ok(fold::run(&args)),
        BenchCommand::Catalog(args) => catalog::run(&args),
        BenchCommand::Color(args) => color::run(&args),
        BenchCommand::Exr(args) => exr::run(&args),
        BenchCommand::Photo(args) => photo::run(&args),
        BenchCommand::Scene(args) => scene::run(&args),
        BenchCommand::Twin(args) => twin::run(&args),
    }
}

/// A peer, `NAME=COMMAND`.
fn peer_argument(text: &str) -> std::result::Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=COMMAND")?;
    Ok((name.to_owned(), value.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_consistent() {
        BenchCli::command().debug_assert();
    }
}
