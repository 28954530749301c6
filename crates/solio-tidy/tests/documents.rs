//! Documents: what they point to exists.

use solio_tidy::{files, report, root};

/// Everything between backquotes on each line of a document, with its place.
fn quoted(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines()
        .enumerate()
        .flat_map(|(i, line)| line.split('`').skip(1).step_by(2).map(move |q| (i + 1, q)))
}

#[test]
fn every_arrow_points_to_a_function() {
    let mut breaches = Vec::new();
    let mut arrows = 0;
    for document in files().iter().filter(|f| f.path.ends_with(".md")) {
        for (n, quote) in quoted(&document.text) {
            // `crates/solio-mesh/src/obj/read.rs:decode_obj`
            let Some((path, name)) = quote.split_once(".rs:") else { continue };
            let path = format!("{path}.rs");
            arrows += 1;
            let place = format!("{}:{n}: {path}", document.path);
            let all = files();
            let Some(file) = all.iter().find(|f| f.path == path) else {
                breaches.push(format!("{place} is missing"));
                continue;
            };
            let name = name.rsplit("::").next().unwrap_or(name);
            let kinds = ["fn", "struct", "enum", "trait", "type", "mod", "const", "static"];
            if !kinds.iter().any(|kind| file.text.contains(&format!("{kind} {name}"))) {
                breaches.push(format!("{place} has no `{name}`"));
            }
        }
    }
    report("pointers that lead nowhere:", &breaches);
    assert!(arrows >= 8, "ARCHITECTURE.md names the file and the function of each arrow");
}

#[test]
fn every_path_in_a_document_exists() {
    let tops = [
        "crates/",
        "docs/",
        "bench/",
        "python/",
        "blender/",
        "fuzz/",
        "data/",
        "web/",
        "packaging/",
        "patched/",
        ".ci/",
        ".github/",
    ];
    let mut breaches = Vec::new();
    for document in files().iter().filter(|f| f.path.ends_with(".md")) {
        for (n, quote) in quoted(&document.text) {
            let path = quote.split(".rs:").next().unwrap_or(quote);
            let path = if quote.contains(".rs:") { format!("{path}.rs") } else { path.into() };
            let plain = !path.contains([' ', '*', '<', '{', '$', '…']);
            if plain && tops.iter().any(|t| path.starts_with(t)) && !root().join(&path).exists() {
                breaches.push(format!("{}:{n}: {path}", document.path));
            }
        }
    }
    report("paths that do not exist:", &breaches);
}

#[test]
fn every_make_target_in_a_document_exists() {
    let makefile = solio_tidy::file("Makefile").text;
    let targets: Vec<&str> =
        makefile.lines().filter_map(|l| l.split_once(':')).map(|l| l.0).collect();
    let mut breaches = Vec::new();
    for document in files().iter().filter(|f| f.path.ends_with(".md")) {
        for (n, line) in document.lines() {
            for (at, _) in line.match_indices("make ") {
                let command = line[..at].is_empty() || line[..at].ends_with(['`', '$', '(']);
                let word = line[at + 5..].split(|c: char| c.is_whitespace() || c == '`').next();
                let word = word.unwrap_or_default();
                if command && !targets.contains(&word) {
                    breaches.push(format!("{}:{n}: make {word}", document.path));
                }
            }
        }
    }
    report("targets that the Makefile lacks:", &breaches);
}

#[test]
fn links_between_documents_lead_somewhere() {
    let mut breaches = Vec::new();
    for document in files().iter().filter(|f| f.path.ends_with(".md")) {
        let folder = root().join(&document.path).parent().expect("a file has a folder").to_owned();
        for (n, line) in document.lines() {
            for link in line.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
                let target = link.split('#').next().unwrap_or_default();
                if target.is_empty() || target.contains("://") {
                    continue;
                }
                if !folder.join(target).exists() {
                    breaches.push(format!("{}:{n}: {link}", document.path));
                }
            }
        }
    }
    report("links that lead nowhere:", &breaches);
}

#[test]
#[allow(clippy::print_stdout)]
fn the_tables_of_what_was_measured_are_those_of_the_record() {
    let check = ["bench/table.py", "--check"];
    match std::process::Command::new("python3").args(check).current_dir(root()).output() {
        Ok(done) => assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr)),
        Err(e) => println!("skipped: no python3 ({e})"),
    }
}
