//! Real scenes of both versions: everything in them is understood, in one piece and in many.
#![allow(clippy::disallowed_methods, clippy::print_stdout)] // a test reads its own files

mod scenes;

use solio_base::Work;
use solio_scene::pbrt::{ReadOptions, Statements, parse, read_statements};

#[test]
fn real_scenes_have_no_problems() {
    for path in scenes::all() {
        let text = std::fs::read(&path).expect("a scene that can be read");
        let whole = parse(&text, 0);
        assert!(whole.problems.is_empty(), "{}: {:?}", path.display(), whole.problems);
        let options = ReadOptions { piece_bytes: 1000, ..ReadOptions::default() };
        let directives =
            |piece: &Statements| piece.statements.iter().map(|s| (s.at, s.directive)).collect();
        let (mut floats, mut found) = (Vec::new(), Vec::<(u64, _)>::new());
        read_statements(
            &text,
            &options,
            &Work::default(),
            |_| {},
            |piece| {
                floats.extend(piece.statements.floats.iter().map(|float| float.to_bits()));
                found.extend::<Vec<_>>(directives(piece.statements));
                Ok(())
            },
        )
        .expect("text in memory");
        let expected: Vec<u32> = whole.floats.iter().map(|float| float.to_bits()).collect();
        assert!(floats == expected, "{}", path.display());
        assert_eq!(found, directives(&whole), "{}", path.display());
    }
}
