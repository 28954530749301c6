//! Completions and man pages, from the one definition in `args`.

use crate::Outcome;
use crate::args::Cli;
use crate::screen;
use clap::CommandFactory;
use clap::builder::Resettable;
use clap_complete::Shell;
use roff::{Roff, roman};
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
    solio_io::make_folder(dir)?;
    // What runs where the pages are made is of no interest where they are read.
    let mut command = Cli::command().version(env!("CARGO_PKG_VERSION"));
    command.build();
    write_page(dir, "solio", command)?;
    Ok(Outcome::Done)
}

/// What stands behind the options: examples line by line, and paragraphs.
fn after_page(text: &str) -> Roff {
    let mut page = Roff::new();
    let mut is_example = false;
    for line in text.lines().filter(|line| !line.is_empty()) {
        if line == "Examples:" {
            page.control("SH", ["EXAMPLES"]);
            continue;
        }
        let starts = line.starts_with(' ');
        match (is_example, starts) {
            (false, true) => page.control("nf", []),
            (true, false) => page.control("fi", []).control("SH", ["NOTES"]),
            (false, false) => page.control("PP", []),
            (true, true) => &mut page,
        };
        is_example = starts;
        page.text([roman(line)]);
    }
    if is_example {
        page.control("fi", []);
    }
    page
}

fn write_page(dir: &Path, name: &str, command: clap::Command) -> Result<()> {
    let children: Vec<clap::Command> = command.get_subcommands().cloned().collect();
    for child in children {
        write_page(dir, &format!("{name}-{}", child.get_name()), child)?;
    }
    let after = command.get_after_help().map(ToString::to_string);
    let command = command.name(name.to_owned()).after_help(Resettable::Reset);
    let text = || -> std::io::Result<Vec<u8>> {
        let mut text = Vec::new();
        clap_mangen::Man::new(command).render(&mut text)?;
        after_page(&after.unwrap_or_default()).to_writer(&mut text)?;
        Ok(text)
    };
    let text = text().map_err(|e| Error::io("make the page", e))?;
    let work = Work::default();
    let path = solio_io::place_below(dir, format!("{name}.1").as_ref())?;
    let mut file = FileSink::create(&path, &Default::default(), &work)?;
    file.write_bytes(&work, &text)?;
    file.commit()?;
    Ok(())
}
