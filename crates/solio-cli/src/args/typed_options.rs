//! Which options a command line gave: what does nothing for the files at hand is refused, not passed
//! over.

use clap::parser::ValueSource;
use clap::{ArgMatches, Command};
use solio::{Error, Result};

/// The headings under which `solio convert --help` lists what only some kinds of files have, and
/// others that have such.
pub(crate) const IMAGES: &str = "Images";
pub(crate) const SCENES: &str = "Scenes";
pub(crate) const READING: &str = "Reading";
pub(crate) const WRITING: &str = "Writing (names as in Blender's exporters)";
pub(crate) const SEEING: &str = "Seeing";
pub(crate) const DRAWING: &str = "Scenes and meshes";

/// The command, and the options that were typed, with their headings.
#[derive(Clone, Debug, Default)]
pub struct TypedOptions {
    command: String,
    options: Vec<(String, String)>,
}

impl TypedOptions {
    /// Of the command's first word: `convert` of `solio convert a.obj`.
    pub(crate) fn of(root: &Command, matches: &ArgMatches) -> TypedOptions {
        let Some((name, matches)) = matches.subcommand() else { return TypedOptions::default() };
        let arguments = root.find_subcommand(name).into_iter().flat_map(Command::get_arguments);
        let typed = arguments.filter(|arg| {
            matches.try_contains_id(arg.get_id().as_str()).is_ok()
                && matches.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine)
        });
        let named = typed.filter_map(|arg| Some((arg.get_long()?, arg.get_help_heading()?)));
        let options = named.map(|(name, heading)| (name.to_owned(), heading.to_owned())).collect();
        TypedOptions { command: name.to_owned(), options }
    }

    /// An error if something was given under one of the `headings` that is not among the names of
    /// `but`; `what` is what it would do nothing for.
    pub(crate) fn refuse(&self, headings: &[&str], but: &[&str], what: &str) -> Result<()> {
        let useless = |(name, heading): &&(String, String)| {
            headings.contains(&heading.as_str()) && !but.contains(&name.as_str())
        };
        let Some((name, heading)) = self.options.iter().find(useless) else { return Ok(()) };
        let command = &self.command;
        Err(Error::argument(format!("--{name} does nothing for {what}"))
            .hint(format!("leave it out; solio help {command} lists it under {heading:?}")))
    }

    /// Whether this option was given: `digits`.
    pub(crate) fn has_name(&self, name: &str) -> bool {
        self.options.iter().any(|(given, _)| given == name)
    }

    /// Whether something was given under this heading.
    pub(crate) fn has(&self, heading: &str) -> bool {
        self.options.iter().any(|(_, other)| other == heading)
    }
}
