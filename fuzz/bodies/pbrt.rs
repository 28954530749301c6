//! What the fuzz target of pbrt's text does with its bytes. Also replayed as ordinary tests: see
//! `crates/solio-scene/tests/replay.rs`.
//!
//! Findings, beside panics: memory beyond a bound of the bytes, problems without a place, pieces
//! that say something else than the whole, statements that do not come back when they are written.

mod process;

pub(crate) use process::init;

use process::{assert_placed, within};
use solio_base::Work;
use solio_scene::pbrt::schema::{Checker, Version};
use solio_scene::pbrt::upgrade::Upgrader;
use solio_scene::pbrt::write::{WriteOptions, to_text};
use solio_scene::pbrt::{ReadOptions, Statements, Values, parse, read_statements};

/// Any bytes.
pub(crate) fn pbrt(bytes: &[u8]) {
    // A directive of five bytes makes a statement of 40, in an array that doubles.
    let whole = within((1 << 16) + 100 * bytes.len(), bytes, || parse(bytes, 0));
    whole.problems.iter().for_each(assert_placed);
    let mut expected = said(&whole);
    let mut places: Vec<_> = whole.problems.iter().map(|problem| problem.offset()).collect();
    let piece_bytes = bytes.first().map_or(1, |byte| usize::from(*byte) + 1);
    let options = ReadOptions { piece_bytes, ..ReadOptions::default() };
    let read = read_statements(
        &bytes,
        &options,
        &Work::serial(),
        |_| {},
        |piece| {
            let piece = &*piece.statements;
            let rest = expected.split_off(said(piece).len().min(expected.len()));
            assert_eq!(expected, said(piece));
            expected = rest;
            let rest = places.split_off(piece.problems.len().min(places.len()));
            assert_eq!(places, piece.problems.iter().map(|p| p.offset()).collect::<Vec<_>>());
            places = rest;
            Ok(())
        },
    );
    read.expect("bytes in memory are read");
    assert!(expected.is_empty() && places.is_empty());
    checked_and_written(whole);
}

/// Statements are checked, come back when they are written, and can be upgraded.
fn checked_and_written(mut all: Statements) {
    for version in [Version::V3, Version::V4] {
        let mut checker = Checker::new(version);
        for statement in &all.statements {
            let problems = checker.check(&all, statement);
            problems.iter().for_each(|problem| assert_placed(&problem.error));
        }
        let text = to_text(&all, WriteOptions { version });
        let again = parse(&text, 0);
        assert!(again.problems.is_empty());
        let bits = |all: &Statements| all.floats.iter().map(|f| f.to_bits()).collect::<Vec<_>>();
        assert_eq!((bits(&again), &again.integers), (bits(&all), &all.integers));
        assert!(to_text(&again, WriteOptions { version }) == text);
    }
    let problems = Upgrader::new().upgrade(&mut all);
    problems.iter().for_each(|problem| assert_placed(&problem.error));
    assert!(parse(&to_text(&all, WriteOptions::default()), 0).problems.is_empty());
}

/// All that statements say, without places in arrays.
fn said(statements: &Statements) -> Vec<String> {
    let values = |values: Values| match values {
        Values::Floats(span) => {
            let floats = statements.floats[span.range()].iter();
            format!("{:?}", floats.map(|float| float.to_bits()).collect::<Vec<_>>())
        }
        Values::Integers(span) => format!("{:?}", &statements.integers[span.range()]),
        Values::Bools(span) => format!("bools {:?}", &statements.integers[span.range()]),
        Values::Strings(span) => {
            let strings = statements.strings[span.range()].iter();
            format!("{:?}", strings.map(|s| statements.text(*s)).collect::<Vec<_>>())
        }
    };
    let each = statements.statements.iter().map(|statement| {
        let mut said =
            format!("{} {:?} {}", statement.at, statement.directive, values(statement.values));
        for parameter in &statements.parameters[statement.parameters.range()] {
            let name = statements.text(parameter.name);
            said += &format!(
                " {} {:?} {name:?} {}",
                parameter.at,
                parameter.kind,
                values(parameter.values)
            );
        }
        said
    });
    each.collect()
}
