//! Completions and man pages, from the one definition in `args`.

use crate::Outcome;
use crate::args::Cli;
use crate::screen;
use clap::CommandFactory;
use clap_complete::Shell;
use solio::{Error, Result, Sink, Work};
use solio_io::FileSink;
use std::path::Path;

/// Prints the completions of `shell`.
pub(crate) fn completions(shell: Shell) -> Result<Outcome> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "solio", &mut text);
    screen::print(&String::from_utf8_lossy(&text));
    Ok(Outcome::Done)
}

/// Writes `solio.1`, `solio-convert.1`… into `dir`.
pub(crate) fn write_pages(dir: &Path) -> Result<Outcome> {
    let made = std::fs::create_dir_all(dir);
    made.map_err(|e| Error::io("make the folder", e).at_path(dir))?;
    // What runs where the pages are made is of no interest where they are read.
    let mut command = Cli::command().version(env!("CARGO_PKG_VERSION"));
    command.build();
    write_page(dir, "solio", command)?;
    Ok(Outcome::Done)
}

fn write_page(dir: &Path, name: &str, command: clap::Command) -> Result<()> {
    let children: Vec<clap::Command> =
        command.get_subcommands().filter(|c| c.get_name() != "help").cloned().collect();
    for child in children {
        write_page(dir, &format!("{name}-{}", child.get_name()), child)?;
    }
    let mut text = Vec::new();
    let page = clap_mangen::Man::new(command.name(name.to_owned()));
    page.render(&mut text).map_err(|e| Error::io("make the page", e))?;
    let work = Work::default();
    let mut file = FileSink::create(&dir.join(format!("{name}.1")), &Default::default(), &work)?;
    file.write_bytes(&work, &text)?;
    file.commit()?;
    Ok(())
}
