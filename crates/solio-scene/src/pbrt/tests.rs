use super::*;
use proptest::prelude::*;
use solio_base::Work;

fn text(statements: &Statements, span: Span) -> &str {
    std::str::from_utf8(statements.text(span)).unwrap()
}

fn floats(statements: &Statements, values: Values) -> &[f32] {
    match values {
        Values::Floats(span) => &statements.floats[span.range()],
        _ => panic!("{values:?}"),
    }
}

fn problem(scene: &str) -> String {
    let mut found = parse(scene.as_bytes(), 0).problems;
    assert_eq!(found.len(), 1, "{found:?}");
    let error = found.pop().unwrap();
    format!("{}: {}", error.offset().unwrap(), error.message())
}

const SCENE: &str = "# a scene\n\
    LookAt 0 0 5  0 0 0  0 1 0\n\
    Camera \"perspective\" \"float fov\" 39.5\n\
    Transform [1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1]\n\
    ActiveTransform StartTime\n\
    Option \"bool forcediffuse\" true\n\
    WorldBegin\n\
    MediumInterface \"fog\" \"\"\n\
    Texture \"checks\" \"spectrum\" \"checkerboard\"\n\
    \t\"float uscale\" [ 8 ] \"rgb tex1\" [ .1 -.2e1 1. ]# why\n\
    AttributeBegin\n\
    Material \"diffuse\" \"texture reflectance\" \"checks\" \"spectrum eta\" [ 300 1.5 700 1.4 ]\n\
    Shape \"trianglemesh\" \"point3 P\" [0 0 0 1 0 0 0 1 0]\n\
    \"integer indices\"[0 1 2]\"string alpha\"\"a \\\"b\\\"\"\n\
    AttributeEnd\n";

#[test]
fn a_scene_becomes_arrays() {
    let all = parse(SCENE.as_bytes(), 100);
    assert!(all.problems.is_empty(), "{:?}", all.problems);
    let comments: Vec<&str> =
        all.comments.iter().map(|c| &SCENE[c.start as usize - 100..c.end as usize - 100]).collect();
    assert_eq!(comments, ["# a scene", "# why"]);
    let names: Vec<&str> = all.statements.iter().map(|s| s.directive.name()).collect();
    let expected = "LookAt Camera Transform ActiveTransform Option WorldBegin MediumInterface Texture \
        AttributeBegin Material Shape AttributeEnd";
    assert_eq!(names.join(" "), expected);
    let [look, camera, transform, active, option, _, media, texture, _, material, shape, _] =
        &all.statements[..]
    else {
        panic!();
    };
    assert_eq!(look.at, 100 + 10);
    assert_eq!(floats(&all, look.values), [0., 0., 5., 0., 0., 0., 0., 1., 0.]);
    assert_eq!(all.string(camera.values, 0), Some(&b"perspective"[..]));
    let fov = all.parameters[camera.parameters.range()][0];
    assert_eq!((fov.kind, text(&all, fov.name)), (ParameterType::Float, "fov"));
    assert_eq!(&SCENE[fov.at as usize - 100..][..11], "\"float fov\"");
    assert_eq!(floats(&all, fov.values), [39.5]);
    assert_eq!(floats(&all, transform.values)[15], 1.0);
    assert_eq!(all.string(active.values, 0), Some(&b"StartTime"[..]));
    let Values::Bools(span) = all.parameters[option.parameters.range()][0].values else { panic!() };
    assert_eq!(all.integers[span.range()], [1]);
    assert_eq!(all.string(media.values, 1), Some(&b""[..]));
    assert_eq!(all.string(texture.values, 2), Some(&b"checkerboard"[..]));
    let [scale, rgb] = all.parameters[texture.parameters.range()] else { panic!() };
    assert_eq!((floats(&all, scale.values), rgb.kind), (&[8.0f32][..], ParameterType::Rgb));
    assert_eq!(floats(&all, rgb.values), [0.1, -2.0, 1.0]);
    let [reflectance, eta] = all.parameters[material.parameters.range()] else { panic!() };
    assert_eq!(all.string(reflectance.values, 0), Some(&b"checks"[..]));
    assert_eq!(floats(&all, eta.values), [300., 1.5, 700., 1.4]);
    let [points, indices, alpha] = all.parameters[shape.parameters.range()] else { panic!() };
    assert_eq!(floats(&all, points.values).len(), 9);
    let Values::Integers(span) = indices.values else { panic!() };
    assert_eq!(all.integers[span.range()], [0, 1, 2]);
    assert_eq!(all.string(alpha.values, 0), Some(&b"a \"b\""[..]));
}

#[test]
fn version_3_has_other_names() {
    let scene = "Shape \"sphere\" \"point a\" [1 2 3] \"color c\" [1 1 1] \"vector v\" [0 0 1]\n\
        \"bool b\" \"true\" \"integer i\" [2.0] \"blackbody L\" [6500 1]\nWorldEnd\n";
    let all = parse(scene.as_bytes(), 0);
    assert!(all.problems.is_empty(), "{:?}", all.problems);
    let kinds: Vec<&str> = all.parameters.iter().map(|p| p.kind.name()).collect();
    assert_eq!(kinds.join(" "), "point3 rgb vector3 bool integer blackbody");
    assert_eq!(all.integers, [1, 2]);
}

#[test]
fn problems_have_places() {
    let said = [
        ("Shape \"sphere\" \"float radius\" [1 2\n", "15: the values of the parameter do not end"),
        (
            "Shape \"a\" \"bool b\" [true\nShape \"b\"\n",
            "10: the values of the parameter do not end",
        ),
        ("Shape \"a\" \"float b\"\nShape \"b\"\n", "10: the parameter has no value"),
        ("Shape \"sphere\" \"float radius\" [1 x]\n", "33: this is no value of type float"),
        ("Shape \"sphere\" \"float radius\" x\n", "30: a value of type float is expected"),
        ("Shape \"sphere\" \"float\" 1\n", "15: a parameter is declared by its type and its name"),
        ("Shape \"sphere\" \"flat r\" 1\n", "15: \"flat\" is no type of parameters"),
        ("Shape \"sphere\n", "6: the string does not end on its line"),
        ("Shape sphere\n", "6: Shape takes a string"),
        ("Texture \"a\" \"b\"\nWorldBegin\n", "16: Texture takes three strings"),
        ("Translate 1 2\n", "14: Translate takes 3 numbers"),
        ("Translate 1 2 3a\n", "14: \"3a\" is no number"),
        ("Transform 1 0\n", "10: Transform takes 16 numbers in brackets"),
        ("ActiveTransform Never\n", "16: ActiveTransform takes All, StartTime or EndTime"),
        ("Sphere 1\n", "0: \"Sphere\" is no directive of pbrt"),
        ("\"Shape\"\n", "0: a string where a directive is expected"),
        ("Shape \"a\" \"integer n\" 3000000000\n", "22: an integer has 32 bits"),
        ("Shape \"a\" \"integer n\" 1.5\n", "22: this is no integer"),
        ("Shape \"a\" \"bool n\" maybe\n", "19: a value of type bool is true or false"),
        ("Shape \"a\\q\"\n", "8: an escape that pbrt does not know"),
        ("Option\n", "7: Option takes a parameter"),
        ("Shape \"a\" \"string s\"\n", "10: the parameter has no value"),
    ];
    for (scene, expected) in said {
        assert_eq!(problem(scene), expected, "{scene:?}");
    }
}

#[test]
fn all_problems_are_told() {
    let scene = "Scale 1 1\nShape \"sphere\"\nRotate x\n  junk\nShape \"disk\"\n";
    let all = parse(scene.as_bytes(), 0);
    let places: Vec<u64> = all.problems.iter().map(|e| e.offset().unwrap()).collect();
    assert_eq!(places, [10, 32]);
    assert_eq!(all.statements.len(), 2);
}

#[test]
fn problems_without_end_are_cut_with_a_word() {
    let all = parse("X\n".repeat(2000).as_bytes(), 0);
    assert_eq!((all.problems.len(), all.problems[1000].offset()), (1001, Some(2000)));
    assert!(all.problems[1000].message().contains("not looked at"));
}

#[test]
fn prefixes_and_flips_are_read() {
    let whole = SCENE.as_bytes();
    for end in 0..whole.len() {
        parse(&whole[..end], 0);
    }
    for bit in 0..8 * whole.len() {
        let mut bytes = whole.to_vec();
        bytes[bit / 8] ^= 1 << (bit % 8);
        parse(&bytes, 0);
    }
}

/// All that statements say, without places in arrays.
fn said(text: &[u8], size: usize) -> Vec<String> {
    let (mut all, mut problems) = (Vec::new(), Vec::new());
    let options = ReadOptions { piece_bytes: size, ..ReadOptions::default() };
    let work = Work { threads: 3, ..Work::default() };
    let take = |piece: Piece<'_>| {
        let statements = &*piece.statements;
        let values = |values: Values| match values {
            Values::Floats(span) => format!("{:?}", &statements.floats[span.range()]),
            Values::Integers(span) => format!("{:?}", &statements.integers[span.range()]),
            Values::Bools(span) => format!("bools {:?}", &statements.integers[span.range()]),
            Values::Strings(span) => {
                let strings = statements.strings[span.range()].iter();
                format!("{:?}", strings.map(|s| statements.text(*s)).collect::<Vec<_>>())
            }
        };
        for statement in &statements.statements {
            all.push(format!(
                "{} {:?} {}",
                statement.at,
                statement.directive,
                values(statement.values)
            ));
            for parameter in &statements.parameters[statement.parameters.range()] {
                let name = statements.text(parameter.name);
                let kind = parameter.kind;
                all.push(format!(
                    "{} {kind:?} {name:?} {}",
                    parameter.at,
                    values(parameter.values)
                ));
            }
        }
        let said = |e: &solio_base::Error| format!("{:?} {}", e.offset(), e.message());
        problems.extend(statements.problems.iter().map(said));
        Ok(())
    };
    read_statements(&text, &options, &work, |_| {}, take).unwrap();
    all.extend(problems);
    all
}

proptest! {
    #[test]
    fn pieces_say_what_the_whole_says(
        lines in prop::collection::vec(
            prop::sample::select(SCENE.lines().collect::<Vec<_>>()), 0..60),
        size in 1usize..400,
    ) {
        // Parameters of one statement may come after another one; what is wrong stays wrong.
        let text = lines.iter().map(|line| format!("{line}\n")).collect::<String>();
        prop_assert_eq!(said(text.as_bytes(), 1 << 20), said(text.as_bytes(), size));
    }

    #[test]
    fn numbers_are_rounded_correctly(values in prop::collection::vec(any::<f32>(), 1..20)) {
        let values: Vec<f32> = values.into_iter().filter(|v| v.is_finite()).collect();
        let text = values.iter().map(|v| format!("{v:?} ")).collect::<String>();
        let all = parse(format!("Shape \"a\" \"float x\" [{text}]").as_bytes(), 0);
        prop_assert!(all.problems.is_empty());
        let bits = |v: &[f32]| v.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        prop_assert_eq!(bits(&all.floats), bits(&values));
    }

    #[test]
    fn anything_is_read(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        parse(&bytes, 0);
    }
}

#[test]
fn a_time_may_stand_on_a_line_of_its_own() {
    let text =
        "ActiveTransform\n  EndTime\nActiveTransform # both\nAll\nActiveTransform\n\tStartTime";
    let all = parse(text.as_bytes(), 0);
    assert!(all.problems.is_empty(), "{:?}", all.problems);
    let words: Vec<_> = all.statements.iter().map(|s| all.string(s.values, 0).unwrap()).collect();
    assert_eq!(words, [&b"EndTime"[..], b"All", b"StartTime"]);
    let wrong = parse(b"ActiveTransform\nEndTimes\nScale 1 1\n  All\nScale 1 1 1\n", 0);
    let places: Vec<_> = wrong.problems.iter().map(|e| e.offset().unwrap()).collect();
    assert_eq!((places, wrong.statements.len()), (vec![16, 16, 35], 1));
}

/// A piece may end before the line; what the line begins with is not seen then.
#[test]
fn what_is_missing_before_a_directive_is_told_where_its_line_begins() {
    for (text, place) in [
        ("Scale 1 1\n\t Rotate 1 2 3 4\n", 10),
        ("Scale 1 1 # so\n  Film \"rgb\"\n", 15),
        ("Scale 1 1\n", 10),
        ("Scale 1 1", 9),
        ("Transform\n  Film \"rgb\"\n", 10),
        ("Shape\n  Film \"rgb\"\n", 6),
        ("Option\n  Film \"rgb\"\n", 7),
        ("ActiveTransform\n  Film \"rgb\"\n", 16),
        ("Scale 1 1 Film \"rgb\"\n", 10),
        ("Scale 1 1\n  x\n", 12),
    ] {
        let problems = parse(text.as_bytes(), 0).problems;
        assert_eq!(problems[0].offset(), Some(place), "{text:?}: {problems:?}");
    }
}
