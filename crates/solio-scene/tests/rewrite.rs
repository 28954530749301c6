//! Real scenes, laid out and upgraded.
#![allow(clippy::disallowed_methods, clippy::print_stdout)] // a test reads its own files

mod scenes;

use solio_base::Work;
use solio_scene::pbrt::schema::{Checker, Severity, Version, VersionMarks};
use solio_scene::pbrt::upgrade::Upgrader;
use solio_scene::pbrt::write::{WriteOptions, rewrite, to_text};
use solio_scene::pbrt::{ReadOptions, Statements, Values, parse};

/// All that statements say, floats by their bits.
fn said(all: &Statements) -> Vec<String> {
    let values = |values: Values| match values {
        Values::Floats(span) => {
            let bits: Vec<u32> = all.floats[span.range()].iter().map(|f| f.to_bits()).collect();
            format!("{bits:x?}")
        }
        Values::Integers(span) => format!("{:?}", &all.integers[span.range()]),
        Values::Bools(span) => format!("bools {:?}", &all.integers[span.range()]),
        Values::Strings(span) => {
            let strings: Vec<_> = all.strings[span.range()].iter().map(|s| all.text(*s)).collect();
            format!("{strings:?}")
        }
    };
    let mut lines = Vec::new();
    for statement in &all.statements {
        lines.push(format!("{:?} {}", statement.directive, values(statement.values)));
        for p in &all.parameters[statement.parameters.range()] {
            let name = String::from_utf8_lossy(all.text(p.name));
            lines.push(format!("{:?} {} {name} {}", p.kind, p.older_form, values(p.values)));
        }
    }
    lines
}

#[test]
fn real_scenes_come_back() {
    for path in scenes::all() {
        let text = std::fs::read(&path).expect("a scene that can be read");
        let statements = parse(&text, 0);
        let mut out = Vec::new();
        let read = ReadOptions { piece_bytes: 50_000, ..ReadOptions::default() };
        let work = Work { threads: 2, ..Work::serial() };
        let problems = rewrite(&text, &read, WriteOptions::default(), |_| {}, &mut out, &work);
        assert!(problems.expect("in memory").is_empty());
        let again = parse(&out, 0);
        assert!(again.problems.is_empty(), "{}: {:?}", path.display(), again.problems);
        assert!(said(&again) == said(&statements), "{}", path.display());
        let comments = |text: &[u8], all: &Statements| -> Vec<Vec<u8>> {
            let of = |c: &std::ops::Range<u64>| {
                text[c.start as usize..c.end as usize].trim_ascii_end().to_vec()
            };
            all.comments.iter().map(of).collect()
        };
        assert!(comments(&text, &statements) == comments(&out, &again), "{}", path.display());
        let mut twice = Vec::new();
        let problems = rewrite(&out, &read, WriteOptions::default(), |_| {}, &mut twice, &work);
        assert!(problems.expect("in memory").is_empty() && twice == out, "{}", path.display());
    }
}

/// What version 4 still does not take of upgraded scenes was said by the upgrade.
#[test]
fn upgraded_scenes_fit_version_4() {
    let (mut told, mut left) = (Vec::new(), Vec::new());
    for path in scenes::all() {
        let text = std::fs::read(&path).expect("a scene that can be read");
        let mut statements = parse(&text, 0);
        let mut marks = VersionMarks::default();
        marks.see(&statements);
        let name = path.to_string_lossy().into_owned();
        if marks.version() == Some(Version::V4) || !name.contains("v3-scenes") {
            continue;
        }
        let problems = Upgrader::new().upgrade(&mut statements);
        let by_hand: Vec<_> = problems
            .iter()
            .filter(|problem| problem.severity == Severity::Error)
            .map(|problem| problem.error.offset())
            .collect();
        told.extend(problems.iter().map(|p| format!("{:?} {}", p.severity, p.error.message())));
        let mut checker = Checker::new(Version::V4);
        for statement in &statements.statements {
            for problem in checker.check(&statements, statement) {
                let parameters = &statements.parameters[statement.parameters.range()];
                let is_told = by_hand.contains(&Some(statement.at))
                    || parameters.iter().any(|p| by_hand.contains(&Some(p.at)));
                if !is_told {
                    left.push(format!("{name}: {:?}", problem.error));
                }
            }
        }
        let again = parse(&to_text(&statements, WriteOptions::default()), 0);
        assert!(again.problems.is_empty() && said(&again) == said(&statements), "{name}");
        let mut marks = VersionMarks::default();
        marks.see(&again);
        assert!(marks.v3.is_none() || !by_hand.is_empty(), "{name}: {marks:?}");
    }
    told.sort();
    let mut kinds = told.clone();
    kinds.dedup();
    for kind in kinds {
        println!("{} {kind}", told.iter().filter(|one| **one == kind).count());
    }
    assert!(left.is_empty(), "{} problems:\n{}", left.len(), left.join("\n"));
}
