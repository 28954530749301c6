//! Written and read again.

use super::{WriteOptions, Writer, rewrite, to_text};
use crate::pbrt::schema::Version;
use crate::pbrt::{
    Arguments, Directive, Parameter, ParameterType, ReadOptions, Span, Statement, Statements,
    Values, parse,
};
use proptest::prelude::*;
use solio_base::Work;

const SCENE: &str = r#"# a scene

  LookAt 0 0 5   0 0 0  0 1 0 # eye
Option "seed" 6
Option "displacementedgescale" 2.
ActiveTransform   EndTime
Transform [1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1]
WorldBegin
MediumInterface "fog"
# the floor
AttributeBegin # here
Shape "trianglemesh" # of two
  "point P" [ 0 0 0 1 0 0 # first
  1 1 0 # second
  0 1 0] "integer indices" [ 0 1 2 0 2 3 ]
  # its look
  "bool x" [true false]
"string names" ["a \"b\"" "c\\d"]
  # an end
AttributeEnd
# behind
AttributeBegin AttributeEnd
Shape "sphere" "float radius" [ 1e-3 ]
"#;

const WRITTEN: &str = r#"# a scene
LookAt 0 0 5 0 0 0 0 1 0 # eye
Option "seed" 6
Option "displacementedgescale" 2.0
ActiveTransform EndTime
Transform [ 1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 ]
WorldBegin

MediumInterface "fog"
# the floor
AttributeBegin # here
    Shape "trianglemesh" # of two
        "point P" [
            0 0 0 1 0 0
            1 1 0 0 1 0 ]
        # first
        # second
        "integer indices" [ 0 1 2 0 2 3 ]
        # its look
        "bool x" [ true false ]
        "string names" [ "a \"b\"" "c\\d" ]
    # an end
AttributeEnd

# behind
AttributeBegin
AttributeEnd

Shape "sphere"
    "float radius" 0.001
"#;

fn rewritten(text: &str, piece_bytes: usize, threads: usize) -> String {
    let mut out = Vec::new();
    let read = ReadOptions { piece_bytes, ..ReadOptions::default() };
    let work = Work { threads, ..Work::serial() };
    let options = WriteOptions::default();
    let problems =
        rewrite(&text.as_bytes(), &read, options, |_| {}, &mut out, &work).expect("in memory");
    assert!(problems.is_empty(), "{problems:?}");
    String::from_utf8(out).expect("text")
}

#[test]
fn a_scene_is_laid_out() {
    assert_eq!(rewritten(SCENE, 1 << 20, 1), WRITTEN);
    // What is laid out stays so.
    assert_eq!(rewritten(WRITTEN, 1 << 20, 1), WRITTEN);
}

#[test]
fn pieces_and_threads_change_nothing() {
    for piece_bytes in 1..SCENE.len() {
        assert_eq!(rewritten(SCENE, piece_bytes, 1 + piece_bytes % 3), WRITTEN, "{piece_bytes}");
    }
}

#[test]
fn truth_in_version_3_stands_in_quotes() {
    let statements = parse(b"Shape \"x\" \"bool a\" true \"bool b\" [\"false\" \"true\"]", 0);
    let v3 = to_text(&statements, WriteOptions { version: Version::V3 });
    let expected = "Shape \"x\"\n    \"bool a\" \"true\"\n    \"bool b\" [ \"false\" \"true\" ]\n";
    assert_eq!(String::from_utf8_lossy(&v3), expected);
    assert_eq!(said(&parse(&v3, 0)), said(&statements));
}

#[test]
fn a_deep_stack_does_not_grow_the_text_with_its_square() {
    let text = "AttributeBegin\n".repeat(100_000);
    let out = rewritten(&text, 1 << 16, 2);
    assert!(out.len() < 100 * 100_000);
    assert_eq!(parse(out.as_bytes(), 0).statements.len(), 100_000);
    let text = "AttributeEnd\n".repeat(1000);
    assert_eq!(parse(rewritten(&text, 100, 1).as_bytes(), 0).statements.len(), 1000);
}

#[test]
fn long_arrays_are_the_same_in_groups() {
    let values = "0.5 -1 2e-7 1e39 ".repeat(10_000);
    let text = format!(
        "Shape \"a\" \"float b\" [{values}]\nShape \"c\" \"integer d\" [{}]\n",
        "1 -2 3 ".repeat(30_000)
    );
    let text = text.repeat(3);
    let statements = parse(text.as_bytes(), 0);
    assert!(statements.problems.is_empty());
    let whole = to_text(&statements, WriteOptions::default());
    assert_eq!(said(&parse(&whole, 0)), said(&statements));
    let mut out = Vec::new();
    let mut writer = Writer::new(WriteOptions::default());
    writer.write(&statements, None, &mut out, &Work { threads: 3, ..Work::serial() }).unwrap();
    assert!(out == whole);
}

/// All of the statements but places and comments, floats by their bits.
pub(in crate::pbrt) fn said(all: &Statements) -> Vec<String> {
    let values = |values: Values| match values {
        Values::Floats(span) => {
            let bits: Vec<u32> = all.floats[span.range()].iter().map(|f| f.to_bits()).collect();
            format!("floats {bits:x?}")
        }
        Values::Integers(span) => format!("integers {:?}", &all.integers[span.range()]),
        Values::Bools(span) => format!("bools {:?}", &all.integers[span.range()]),
        Values::Strings(span) => {
            let strings: Vec<_> = all.strings[span.range()].iter().map(|s| all.text(*s)).collect();
            format!("strings {strings:?}")
        }
    };
    let parameter = |p: &Parameter| {
        let form = if p.older_form { p.kind.older_name() } else { p.kind.name() };
        format!("{form} {:?} {}", all.text(p.name), values(p.values))
    };
    let statement = |s: &Statement| {
        let parameters: Vec<_> =
            all.parameters[s.parameters.range()].iter().map(parameter).collect();
        format!("{:?} {} {parameters:?}", s.directive, values(s.values))
    };
    all.statements.iter().map(statement).collect()
}

const DIRECTIVES: [Directive; 12] = [
    Directive::AttributeBegin,
    Directive::AttributeEnd,
    Directive::WorldBegin,
    Directive::Translate,
    Directive::LookAt,
    Directive::ConcatTransform,
    Directive::CoordinateSystem,
    Directive::MediumInterface,
    Directive::Shape,
    Directive::Texture,
    Directive::Option,
    Directive::ActiveTransform,
];

const KINDS: [ParameterType; 14] = {
    use ParameterType::*;
    [
        Bool, Integer, Float, Point2, Vector2, Point3, Vector3, Normal, String, Spectrum, Rgb, Xyz,
        Blackbody, Texture,
    ]
};

type Drawn = (usize, bool, Vec<u8>, Vec<u32>);

fn span(start: usize, end: usize) -> Span {
    Span { start: start as u32, end: end as u32 }
}

fn keep_strings(to: &mut Statements, bytes: &[u8], count: usize) -> Values {
    let start = to.strings.len();
    for i in 0..count {
        let from = to.text.len();
        to.text.extend_from_slice(&bytes[(i * 3).min(bytes.len())..]);
        let end = to.text.len();
        to.strings.push(span(from, end));
    }
    Values::Strings(span(start, to.strings.len()))
}

fn keep_floats(to: &mut Statements, bits: &[u32]) -> Values {
    let start = to.floats.len();
    let floats = bits.iter().map(|bits| f32::from_bits(*bits));
    to.floats.extend(floats.map(|value| if value.is_nan() { -0.0 } else { value }));
    Values::Floats(span(start, to.floats.len()))
}

fn keep_parameter(to: &mut Statements, (kind, older_form, name, bits): &Drawn, is_option: bool) {
    let mut kind = KINDS[kind % KINDS.len()];
    let from = to.text.len();
    to.text.extend(name.iter().filter(|byte| !matches!(byte, b' ' | b'\t')));
    if to.text.len() == from {
        to.text.push(b'x');
    }
    let name_span = span(from, to.text.len());
    let mut bits = bits.clone();
    if is_option {
        bits.resize(1, 0);
        // These are the types that values have by themselves.
        if !older_form && !matches!(kind, ParameterType::Bool | ParameterType::Integer) {
            kind = if kind == ParameterType::Texture {
                ParameterType::String
            } else {
                ParameterType::Float
            };
        }
    }
    let is_strings = match kind {
        ParameterType::String | ParameterType::Texture => true,
        ParameterType::Spectrum => bits.len() % 2 == 1,
        _ => false,
    };
    let values = match kind {
        ParameterType::Bool | ParameterType::Integer => {
            let start = to.integers.len();
            let is_bool = kind == ParameterType::Bool;
            to.integers
                .extend(bits.iter().map(|v| if is_bool { *v as i32 & 1 } else { *v as i32 }));
            let all = span(start, to.integers.len());
            if is_bool { Values::Bools(all) } else { Values::Integers(all) }
        }
        _ if is_strings => keep_strings(to, name, bits.len()),
        _ => keep_floats(to, &bits),
    };
    let older_form = *older_form && (is_option || kind.name() != kind.older_name());
    to.parameters.push(Parameter { at: 0, kind, name: name_span, values, older_form });
}

/// Statements of what was drawn.
fn made(drawn: &[(usize, Vec<u8>, Vec<Drawn>)]) -> Statements {
    let mut to = Statements::default();
    for (directive, string, parameters) in drawn {
        let directive = DIRECTIVES[directive % DIRECTIVES.len()];
        let first = to.parameters.len();
        let bits = [0x3f80_0000, 0x8000_0000, 1, 0x7f80_0000];
        let bits: Vec<u32> = (0..16).map(|i| bits[(i + string.len()) % 4]).collect();
        let none = to.floats.len();
        let values = match directive.arguments() {
            Arguments::None => Values::Floats(span(none, none)),
            Arguments::Numbers(count) => keep_floats(&mut to, &bits[..count]),
            Arguments::Matrix => keep_floats(&mut to, &bits),
            Arguments::Strings(count) | Arguments::Parameters(count) => {
                keep_strings(&mut to, string, count)
            }
            Arguments::Media => keep_strings(&mut to, string, 1 + string.len() % 2),
            Arguments::Time => keep_strings(&mut to, b"StartTime", 1),
            Arguments::Option => {
                let drawn = parameters.first().cloned().unwrap_or((0, false, vec![], vec![1]));
                keep_parameter(&mut to, &drawn, true);
                let none = to.floats.len();
                Values::Floats(span(none, none))
            }
        };
        if let Arguments::Parameters(_) = directive.arguments() {
            parameters.iter().for_each(|drawn| keep_parameter(&mut to, drawn, false));
        }
        let parameters = span(first, to.parameters.len());
        to.statements.push(Statement { at: 0, directive, values, parameters });
    }
    to
}

fn drawn() -> impl Strategy<Value = Vec<(usize, Vec<u8>, Vec<Drawn>)>> {
    let bytes = || prop::collection::vec(any::<u8>(), 0..12);
    let values = prop::collection::vec(any::<u32>(), 0..40);
    let parameter = (any::<usize>(), any::<bool>(), bytes(), values);
    let statement = (any::<usize>(), bytes(), prop::collection::vec(parameter, 0..4));
    prop::collection::vec(statement, 0..20)
}

proptest! {
    /// Any statements come back bit for bit, of any names, strings and numbers.
    #[test]
    fn statements_come_back(drawn in drawn()) {
        let statements = made(&drawn);
        for version in [Version::V3, Version::V4] {
            let text = to_text(&statements, WriteOptions { version });
            let again = parse(&text, 0);
            prop_assert!(again.problems.is_empty(), "{:?}\n{}", again.problems, String::from_utf8_lossy(&text));
            prop_assert_eq!(said(&again), said(&statements));
            let twice = to_text(&again, WriteOptions { version });
            prop_assert!(twice == text);
        }
    }

    /// Any text: what is read of it is read again, and comments do no harm.
    #[test]
    fn any_text_is_written(
        lines in prop::collection::vec(prop::sample::select(SCENE.lines().collect::<Vec<_>>()), 0..40),
        piece_bytes in 1_usize..200,
    ) {
        let text = lines.join("\n");
        let whole = parse(text.as_bytes(), 0);
        let mut out = Vec::new();
        let read = ReadOptions { piece_bytes, ..ReadOptions::default() };
        let work = Work { threads: 1 + piece_bytes % 3, ..Work::serial() };
        let options = WriteOptions::default();
        rewrite(&text.as_bytes(), &read, options, |_| {}, &mut out, &work).expect("in memory");
        prop_assert_eq!(said(&parse(&out, 0)), said(&whole));
        let mut one = Vec::new();
        Writer::new(options).write(&whole, Some((text.as_bytes(), 0)), &mut one, &Work::serial()).unwrap();
        prop_assert_eq!(String::from_utf8_lossy(&one), String::from_utf8_lossy(&out));
    }
}
