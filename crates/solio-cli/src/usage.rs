//! What is wrong with a command line, in the words and the shape of all other messages.

use crate::{Outcome, screen};
use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use solio::Error;
use std::ffi::OsString;

/// Help and version are printed as they are; the rest is an error with a hint.
pub(crate) fn end(error: &clap::Error, root: Command, arguments: &[OsString]) -> Outcome {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            screen::print(&error.render().ansi().to_string());
            Outcome::Done
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            screen::say(error.render().ansi().to_string().trim_end());
            Outcome::Usage
        }
        _ => {
            screen::complain_of(&explained(error, root, arguments));
            Outcome::Usage
        }
    }
}

fn explained(error: &clap::Error, mut root: Command, arguments: &[OsString]) -> Error {
    let text = error.render().to_string();
    let lines = text.lines().map(str::trim);
    // Up to the empty line it says what is wrong, over one line or several.
    let what: Vec<&str> = lines.clone().take_while(|line| !line.is_empty()).collect();
    let what = what.join(" ");
    let what = what.strip_prefix("error: ").unwrap_or(&what).to_owned();
    let tips = lines.clone().filter_map(|line| line.strip_prefix("tip: "));
    let tips = tips.filter(|tip| !tip.starts_with("to pass "));
    let mut hints: Vec<String> = tips.map(str::to_owned).collect();
    root.build();
    let command = command(&root, arguments);
    if let (ErrorKind::UnknownArgument, Some(ContextValue::String(flag))) =
        (error.kind(), error.get(ContextKind::InvalidArg))
        && let Some(elsewhere) = elsewhere(&root, flag, &command)
    {
        hints = vec![elsewhere];
    }
    if error.kind() == ErrorKind::MissingRequiredArgument && what.contains("--output") {
        hints.push("name the output behind -o".to_owned());
    }
    let name = root.get_name();
    let help = match command.is_empty() {
        true => format!("{name} help lists all commands"),
        false => format!("{name} help {} lists all options", command.join(" ")),
    };
    hints.push(help);
    Error::argument(what).hint(hints.join("; "))
}

/// The command that was typed: of `solio info --json` the word behind `solio`.
fn command<'c>(root: &'c Command, arguments: &[OsString]) -> Vec<&'c str> {
    let (mut at, mut names) = (root, Vec::new());
    for word in arguments.iter().skip(1).filter_map(|word| word.to_str()) {
        let Some(found) = at.find_subcommand(word) else { break };
        names.push(found.get_name());
        at = found;
    }
    names
}

/// Which other commands have this option.
fn elsewhere(root: &Command, flag: &str, here: &[&str]) -> Option<String> {
    let flag = flag.split('=').next().unwrap_or(flag);
    let has = |command: &&Command| {
        command.get_arguments().filter(|arg| !arg.is_hide_set()).any(|arg| {
            let long = arg.get_long().is_some_and(|long| flag.strip_prefix("--") == Some(long));
            let short = |short: char| flag.strip_prefix('-') == Some(short.to_string().as_str());
            long || arg.get_short().is_some_and(short)
        })
    };
    let names: Vec<&str> = root.get_subcommands().filter(has).map(Command::get_name).collect();
    let others = names.iter().filter(|name| here.first() != Some(*name)).copied();
    let others: Vec<&str> = others.take(6).collect();
    (!others.is_empty()).then(|| format!("{flag} is an option of {}", others.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Cli;
    use clap::{CommandFactory, Parser};

    fn of(line: &str) -> String {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        explained(&Cli::try_parse_from(&words).unwrap_err(), Cli::command(), &words).to_string()
    }

    #[test]
    fn wrong_command_lines_say_what_to_do() {
        for (line, expected) in [
            (
                "solio conver a.obj",
                "unrecognized subcommand 'conver'\n  hint: a similar subcommand exists: 'convert'; \
                 solio help lists all commands",
            ),
            (
                "solio info --jason a.obj",
                "unexpected argument '--jason' found\n  hint: a similar argument exists: '--json'; \
                 solio help info lists all options",
            ),
            (
                "solio query --deep a.sqlite",
                "unexpected argument '--deep' found\n  hint: --deep is an option of scan, check; \
                 solio help query lists all options",
            ),
            (
                "solio convert a.obj",
                "the following required arguments were not provided: --output <PATH>\n  hint: name the \
                 output behind -o; solio help convert lists all options",
            ),
            (
                "solio info -j 0 a.obj",
                "invalid value '0' for '--jobs <N>': 0 is not in 1..=65535\n  hint: solio help info \
                 lists all options",
            ),
        ] {
            assert_eq!(of(line), expected, "{line}");
        }
    }
}
