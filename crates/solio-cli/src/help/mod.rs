//! `solio help`: tasks, each a short page of commands to copy, and the options of commands. The texts
//! lie beside this file.

use crate::args::Cli;
use crate::table::{BOLD, DIM, TextTable};
use crate::{Outcome, screen};
use clap::CommandFactory;
use solio::{Ability, Error, FileKind, Result};
use std::fmt::Write;

/// What `solio` without arguments says: enough to start.
const TEACHING: &str = include_str!("teaching.txt");

/// A task, other words for it, and its page, whose first line is its title.
const TASKS: [(&str, &[&str], &str); 17] = [
    ("look", &[], include_str!("look.txt")),
    ("export", &["blender", "mesh", "meshes"], include_str!("export.txt")),
    ("shrink", &["images", "compress"], include_str!("shrink.txt")),
    ("sequences", &["sequence", "frames"], include_str!("sequences.txt")),
    ("broken", &["damage"], include_str!("broken.txt")),
    ("metadata", &["photo", "exif"], include_str!("metadata.txt")),
    ("scene", &["pbrt", "scenes"], include_str!("scene.txt")),
    ("catalogue", &["catalog"], include_str!("catalogue.txt")),
    ("gradients", &["colors", "colours"], include_str!("gradients.txt")),
    ("codec", &["codecs", "compression"], include_str!("codec.txt")),
    ("speed", &["performance"], include_str!("speed.txt")),
    ("farm", &["s3"], include_str!("farm.txt")),
    ("pipes", &["scripts"], include_str!("pipes.txt")),
    ("json", &[], include_str!("json.txt")),
    ("formats", &[], include_str!("formats.txt")),
    ("exit-codes", &["exit", "errors"], include_str!("exit-codes.txt")),
    ("start", &[], TEACHING),
];

/// Least likeness of a word that may have been meant.
const LIKE: f64 = 0.75;

/// Prints the first words of all.
pub(crate) fn teach() -> Outcome {
    screen::print(TEACHING);
    Outcome::Done
}

/// Prints what there is to know, or of a command or task.
pub(crate) fn run(words: &[String]) -> Result<Outcome> {
    let mut root = Cli::command();
    root.build();
    let Some(first) = words.first() else {
        screen::print(&all(&root));
        return Ok(Outcome::Done);
    };
    if root.find_subcommand(first).is_some() {
        screen::print(&command(root, words)?);
        return Ok(Outcome::Done);
    }
    let is_meant = |task: &str, also: &[&str]| task == first || also.contains(&first.as_str());
    let Some((named, _, page)) = TASKS.iter().find(|(task, also, _)| is_meant(task, also)) else {
        return Err(unknown(&root, first));
    };
    let (title, rest) = page.split_once('\n').unwrap_or((page, ""));
    let table = if *named == "formats" { kinds() } else { String::new() };
    screen::print(&format!("{BOLD}{title}{BOLD:#}\n{rest}{table}"));
    Ok(Outcome::Done)
}

/// The table of kinds: what Solio does with files of each.
fn kinds() -> String {
    let mut table = TextTable::new(&["kind", "extensions", "commands"]);
    let known = FileKind::ALL.iter().filter(|kind| Ability::ALL.iter().any(|can| kind.can(*can)));
    for kind in known {
        let extensions: Vec<&str> = kind.all_extensions().collect();
        let more = if extensions.len() > 4 { " …" } else { "" };
        let extensions = extensions[..extensions.len().min(4)].join(" ");
        let abilities = Ability::ALL.iter().filter(|can| kind.can(**can));
        let abilities: Vec<&str> = abilities.map(|can| can.as_str()).collect();
        table.row(vec![kind.title().into(), extensions + more, abilities.join(" ")]);
    }
    format!("\n{}", table.render())
}

/// All that a command takes.
fn command(mut root: clap::Command, words: &[String]) -> Result<String> {
    let mut found = &mut root;
    for word in words {
        let name = found.get_name().to_owned();
        found = found.find_subcommand_mut(word).ok_or_else(|| {
            Error::argument(format!("{name} has no command {word}"))
                .hint(format!("solio help {name}"))
        })?;
    }
    Ok(found.render_long_help().ansi().to_string())
}

/// Tasks and commands, a line each.
fn all(root: &clap::Command) -> String {
    let mut text = format!("{BOLD}Tasks{BOLD:#}, with commands to copy: solio help <TASK>\n");
    for (task, _, page) in TASKS.iter().filter(|(task, ..)| *task != "start") {
        let title = page.lines().next().unwrap_or_default();
        let _ = writeln!(text, "  {task:<12} {DIM}{title}{DIM:#}");
    }
    let _ = writeln!(text, "\n{BOLD}Commands{BOLD:#}, with all options: solio help <COMMAND>");
    let names: Vec<&str> = root.get_subcommands().map(clap::Command::get_name).collect();
    let mut line = String::new();
    for name in names {
        if line.len() + name.len() > 76 {
            let _ = writeln!(text, " {line}");
            line.clear();
        }
        let _ = write!(line, " {name}");
    }
    let _ = writeln!(text, " {line}");
    text
}

/// Neither command nor task, and what may have been meant.
fn unknown(root: &clap::Command, word: &str) -> Error {
    let names = root.get_subcommands().map(|command| command.get_name().to_owned());
    let tasks = TASKS.iter().flat_map(|(task, also, _)| also.iter().chain([task]));
    let like = |name: &String| strsim::jaro_winkler(name, word);
    let near = names
        .chain(tasks.map(|word| (*word).to_owned()))
        .max_by(|a, b| like(a).total_cmp(&like(b)));
    let error = Error::argument(format!("there is no command or task {word}"));
    match near.filter(|name| like(name) > LIKE) {
        Some(name) => error.hint(format!("solio help {name}; solio help lists all")),
        None => error.hint("solio help lists commands and tasks"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    /// The commands of Solio in a line of a page, each as its words: before `|`, `>` and two spaces.
    fn commands(line: &str) -> Vec<Vec<String>> {
        let text = line.trim_start();
        let text = text.split_once("  ").map_or(text, |(command, _)| command);
        let known = ["solio ", "cat ", "find "].iter().any(|first| text.starts_with(first));
        if !known || !line.starts_with("  ") {
            return Vec::new();
        }
        let words = shlex::split(text).expect("quotes match");
        let ends = |word: &String| ["|", "||", "&&", ">", "2>"].contains(&word.as_str());
        let parts = words.split(ends).filter(|part| part.first().is_some_and(|w| w == "solio"));
        parts.map(<[String]>::to_vec).collect()
    }

    #[test]
    fn every_command_of_a_page_is_one() {
        let mut seen = 0;
        for (task, _, page) in TASKS {
            assert!(page.lines().count() <= 26, "{task} is long");
            assert!(page.lines().all(|line| line.chars().count() <= 80), "{task} is wide");
            // The first page has its groups before the commands.
            let groups = ["See     ", "Convert ", "Find    ", "Make    ", "Measure "];
            let bare = |line: &str| groups.iter().fold(line.to_owned(), |l, g| l.replace(g, "  "));
            for line in page.lines().map(bare) {
                for words in commands(&line) {
                    seen += 1;
                    // A build may do without it.
                    if words.get(1).is_some_and(|word| word == "lab") && !cfg!(feature = "lab") {
                        continue;
                    }
                    if let Err(error) = Cli::try_parse_from(&words) {
                        panic!("{task}: {words:?}: {error}");
                    }
                }
            }
        }
        assert!(seen > 120, "{seen}");
    }

    #[test]
    fn commands_say_what_they_are_for() {
        let mut root = Cli::command();
        root.build();
        for command in root.get_subcommands() {
            let about = command.get_about().expect("a line about it").to_string();
            let verbs = ["Options", "What", "The "];
            assert!(!verbs.iter().any(|start| about.starts_with(start)), "{about}");
            for arg in command.get_arguments().filter(|arg| arg.get_long() == Some("json")) {
                let help = arg.get_help().expect("help").to_string();
                assert!(help.contains("rint JSON"), "{}: {help}", command.get_name());
            }
        }
    }

    #[test]
    fn words_lead_to_one_task_and_to_no_command() {
        let root = Cli::command();
        let mut known = std::collections::BTreeSet::new();
        for word in TASKS.iter().flat_map(|(task, also, _)| also.iter().chain([task])) {
            assert!(known.insert(word), "{word} means two tasks");
            assert!(root.find_subcommand(word).is_none(), "{word} is a command");
        }
        assert!(unknown(&root, "gradents").to_string().contains("solio help gradient"));
        assert!(unknown(&root, "qqq").to_string().contains("solio help lists"));
    }
}
