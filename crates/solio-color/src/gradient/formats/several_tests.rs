//! Files with gradients that are not right among those that are, and colours by style sheets.

use super::*;
use crate::Space;
use crate::gradient::presets::STUDY;

fn found(bytes: &[u8], format: GradientFormat) -> FoundGradients {
    read_each(bytes, format).unwrap_or_else(|error| panic!("{error}"))
}

fn names(found: &FoundGradients) -> Vec<&str> {
    found.gradients.iter().map(|gradient| &*gradient.name).collect()
}

/// Codes at the start and at the end.
fn ends(gradient: &Gradient) -> [[u8; 4]; 2] {
    [0.0, 1.0].map(|at| gradient.sampler().codes_at(at))
}

const RED: [u8; 4] = [255, 0, 0, 255];
const LIME: [u8; 4] = [0, 255, 0, 255];
const BLUE: [u8; 4] = [0, 0, 255, 255];

#[test]
fn css_goes_past_what_is_wrong() {
    let text = ":root{--a: linear-gradient(red, blue);\n --b: linear-gradient(var(--x), blue);\n\
        --c: linear-gradient(lime, white); --d: linear-gradient(red 10px, blue);\n\
        --e: linear-gradient(red, lime";
    let found = found(text.as_bytes(), GradientFormat::Css);
    assert_eq!(names(&found), ["a", "c"]);
    let told: Vec<_> = found.problems.iter().map(|e| (e.line(), e.message())).collect();
    assert_eq!(told.len(), 3, "{told:?}");
    assert_eq!(told[0], (Some(2), "the gradient \"b\": var(--x) has no value here"));
    assert!(told[1].1.starts_with("the gradient \"d\": ") && told[1].0 == Some(3), "{told:?}");
    assert!(told[2].1.contains("\"e\"") && told[2].1.contains("not closed"), "{told:?}");
    // Whoever wants all of them gets none.
    assert!(read(text.as_bytes(), GradientFormat::Css).is_err());
}

#[test]
fn css_has_custom_properties_and_mixed_colours() {
    let text = ":root { --brand: red; --g: linear-gradient(in oklch longer hue,\
        color-mix(in oklab, red 30%, blue), hsl(120deg 100% 50%) 40% 60%, oklch(60% 0.3 20)) }\n\
        .a { background: linear-gradient(var(--brand), var(--none, lime)) }\n\
        .b { background: linear-gradient(light-dark(red, white), rgb(from red b g r)) }\n\
        .c { background: linear-gradient(color-mix(in srgb, red, red), blue) }";
    let found = found(text.as_bytes(), GradientFormat::Css);
    assert!(found.problems.is_empty(), "{:?}", found.problems);
    assert_eq!(found.gradients[0].colors.len(), 4);
    assert_eq!(ends(&found.gradients[1]), [RED, LIME]);
    assert_eq!(found.gradients[1].mode.name(), "srgb");
    assert_eq!(ends(&found.gradients[2]), [RED, BLUE]);
    // Colours of CSS Color 5 are blended in Oklab where nothing is said.
    let modes = [2, 3].map(|i| found.gradients[i].mode.name());
    assert_eq!(modes, ["oklab", "oklab"]);
}

#[test]
fn photoshop_files_go_past_noise() {
    let three = [0, 1, 2].map(|i| STUDY[i].gradient(crate::gradient::Mode::in_space(Space::Srgb)));
    let mut bytes = write(&three, GradientFormat::Grd, Default::default()).unwrap().bytes;
    // The second one becomes one of noise.
    let kinds: Vec<usize> = (0..bytes.len()).filter(|i| bytes[*i..].starts_with(b"CstS")).collect();
    assert_eq!(kinds.len(), 3);
    bytes[kinds[1]..kinds[1] + 4].copy_from_slice(b"ClNs");
    let found = found(&bytes, GradientFormat::Grd);
    assert_eq!(names(&found), [&*three[0].name, &*three[2].name]);
    let [problem] = &found.problems[..] else { panic!("one: {:?}", found.problems) };
    assert!(problem.message().contains(&*three[1].name), "{problem}");
    assert!(problem.message().contains("noise") && problem.offset().is_some(), "{problem}");
}

#[test]
fn version_3_of_photoshop_files_goes_past_what_is_wrong() {
    let one = |name: &[u8], model: u16| {
        let mut bytes = vec![name.len() as u8];
        bytes.extend(name);
        bytes.extend(2u16.to_be_bytes());
        for place in [0u32, 4096] {
            bytes.extend(place.to_be_bytes());
            bytes.extend(50u32.to_be_bytes());
            bytes.extend(model.to_be_bytes());
            bytes.extend([0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0]);
        }
        bytes.extend(0u16.to_be_bytes());
        bytes.extend([0; 6]);
        bytes
    };
    let mut all = [solio_kinds::FileKind::Grd.mark(), b"\0\x03\0\x03"].concat();
    all.extend([one(b"first", 0), one(b"odd", 5), one(b"last", 0)].concat());
    let whole = found(&all, GradientFormat::Grd);
    assert_eq!(names(&whole), ["first", "last"]);
    assert!(whole.problems[0].message().contains("\"odd\": colour model 5"));
    assert_eq!(ends(&whole.gradients[1]), [RED; 2]);
    // Where the file ends there are no others.
    let cut = found(&all[..all.len() - 8], GradientFormat::Grd);
    assert_eq!((names(&cut), cut.problems.len()), (vec!["first"], 2));
}

#[test]
fn other_files_go_past_what_is_wrong() {
    let unity = write(
        &[0, 1, 2].map(|i| STUDY[i].gradient(crate::gradient::Mode::default())),
        GradientFormat::Unity,
        GradientWriteOptions { fit: true, ..Default::default() },
    );
    let unity = String::from_utf8(unity.unwrap().bytes).unwrap();
    let parts: Vec<&str> = unity.splitn(3, "ctime1: ").collect();
    let broken = format!("{}ctime1: {}ctime1: x{}", parts[0], parts[1], parts[2]);
    let unity = found(broken.as_bytes(), GradientFormat::Unity);
    assert_eq!((unity.gradients.len(), unity.problems.len()), (2, 1));
    assert!(unity.problems[0].message().contains("ctime1"), "{:?}", unity.problems);

    let godot = "[gd_scene format=3]\n[sub_resource type=\"Gradient\" id=\"one\"]\n\
        colors = PackedColorArray(1, 0, 0, 1, 0, 0, 1)\n\
        [sub_resource type=\"Gradient\" id=\"two\"]\n\
        colors = PackedColorArray(1, 0, 0, 1, 0, 0, 1, 1)\n\
        [sub_resource type=\"Gradient\" id=\"three\"]\noffsets = PackedFloat32Array(0)\n";
    let godot = found(godot.as_bytes(), GradientFormat::Godot);
    assert_eq!((names(&godot), godot.problems.len()), (vec!["two"], 2));
    assert_eq!(ends(&godot.gradients[0]), [RED, BLUE]);
    assert!(godot.problems[0].message().starts_with("the gradient \"one\": "));

    let two = [0, 1].map(|i| STUDY[i].gradient(crate::gradient::Mode::default()));
    let json = write(&two, GradientFormat::Json, Default::default()).unwrap();
    let json = String::from_utf8(json.bytes).unwrap().replacen("rgb(", "rbg(", 1);
    let json = found(json.as_bytes(), GradientFormat::Json);
    assert_eq!((names(&json), json.problems.len()), (vec![&*two[1].name], 1));
    let problem = &json.problems[0];
    assert!(problem.message().contains(&*two[0].name) && problem.line().is_some(), "{problem}");

    let svg = "<svg><linearGradient id='a'><stop stop-color='bleu'/></linearGradient>\n\
        <linearGradient id='b'><stop stop-color='red'/></linearGradient>\n\
        <linearGradient id='c' href='#a'/></svg>";
    let svg = found(svg.as_bytes(), GradientFormat::Svg);
    assert_eq!((names(&svg), svg.problems.len()), (vec!["b"], 2));
    assert!(svg.problems[0].message().contains("\"a\": stop-color"), "{:?}", svg.problems);
}

#[test]
fn style_sheets_colour_stops() {
    let of = |style: &str, stops: &str| {
        let text = format!(
            "<svg><style>{style}</style><defs>\
             <linearGradient id='g'>{stops}</linearGradient></defs></svg>"
        );
        found(text.as_bytes(), GradientFormat::Svg)
    };
    let two =
        "<stop class='s1' offset='0'/><stop id='e' class='a s2' offset='1' stop-color='white'/>";
    for style in [
        ".s1{stop-color:red}.s2{stop-color:blue}",
        "/* .s1{stop-color:lime} */ .s1 , .x { stop-color : red } .s2 { stop-color: blue; }",
        "<![CDATA[ .s1{stop-color:red} #e.a{stop-color:blue} .s2{stop-color:lime} ]]>",
        "stop{stop-color:blue} .s1{stop-color:red} *{stop-color:white}",
        "stop.s1{stop-color:red!important} stop.s1.s1{stop-color:lime} .s2{STOP-COLOR:#00f}",
        "@import 'x.css'; .s1{stop-color:red} .s2{stop-color:blue}",
        "@font-face{font-family:x} svg|stop.s1{stop-color:red} stop.s2.a{stop-color:blue}",
        ":root{fill:red} .s1{stop-color:red} .s2{stop-color:var(--x, blue)}",
    ] {
        let found = of(style, two);
        assert!(found.problems.is_empty(), "{style}: {:?}", found.problems);
        assert_eq!(ends(&found.gradients[0]), [RED, BLUE], "{style}");
    }
    let own = "<stop class='s1' offset='0' style='stop-color: lime; stop-opacity: 1'/>\
        <stop offset='1' class='s1' stop-color='red' stop-opacity='0'/>";
    let found = of(".s1{stop-color:blue;stop-opacity:.5}", own);
    let [a, b] = ends(&found.gradients[0]);
    assert_eq!((a, b), (LIME, [0, 0, 255, 128]));
    // Text of the colour of what is around.
    let around = "<svg color='lime'><style>.t{color:red}</style><linearGradient id='a' class='t'>\
        <stop stop-color='currentColor'/><stop offset='1' color='blue' stop-color='currentcolor'/>\
        </linearGradient><linearGradient id='b'><stop stop-color='currentColor'/></linearGradient>\
        <linearGradient id='c' stop-color='red'><stop stop-color='inherit'/></linearGradient></svg>";
    let around = self::found(around.as_bytes(), GradientFormat::Svg);
    let [a, b, c] = [0, 1, 2].map(|i| ends(&around.gradients[i]));
    assert_eq!((a, b, c), ([RED, BLUE], [LIME; 2], [RED; 2]));
}

#[test]
fn style_sheets_that_are_not_followed_are_told() {
    let of = |style: &str, class: &str| {
        let text = format!(
            "<svg>{style}<linearGradient id='g'><stop class='{class}'/>\
             </linearGradient></svg>"
        );
        found(text.as_bytes(), GradientFormat::Svg)
    };
    for style in [
        "<style>g .s{stop-color:red}</style>",
        "<style>stop:hover{stop-color:red}</style>",
        "<style>stop[class]{stop-color:red}</style>",
        "<style>@media print{.s{stop-color:red}}</style>",
        "<style>@import url(a.css);</style>",
        "",
    ] {
        let found = of(style, "s");
        assert_eq!((found.gradients.len(), found.problems.len()), (0, 1), "{style}");
    }
    // A rule for others, and a class for a script.
    for style in ["<style>g .t{stop-color:red}</style>", "<style>.t{stop-color:red}</style>"] {
        assert!(of(style, "s").problems.is_empty(), "{style}");
    }
}

#[test]
fn slices_of_gmt_that_are_not_painted_are_clear() {
    let text = "0 red 1 blue\n1 - 2 -\n2 lime 3 yellow\nB -\nF -\nN -\n";
    let [gradient] = &read(text.as_bytes(), GradientFormat::Cpt).unwrap()[..] else { panic!() };
    let sampler = gradient.sampler();
    let at = |value: f64| sampler.codes_at(value / 3.0);
    assert_eq!(
        [at(0.0), at(0.99)[..3].try_into().map(|c: [u8; 3]| [c[0], 0, c[2], 255]).unwrap()],
        [RED, [3, 0, 252, 255]]
    );
    assert_eq!([at(1.01)[3], at(1.5)[3], at(1.99)[3]], [0; 3]);
    assert_eq!((at(2.0), at(3.0)), (LIME, [255, 255, 0, 255]));
    assert_eq!([-1.0, 4.0, f64::NAN].map(|value| at(value)[3]), [0; 3]);
    // Of categories too.
    let [steps] =
        &read(b"# COLOR_MODEL = RGB\n0 red\n1 -\n2 blue\n", GradientFormat::Cpt).unwrap()[..]
    else {
        panic!()
    };
    assert_eq!([0.1, 0.5, 0.9].map(|at| steps.sampler().codes_at(at)[3]), [255, 0, 255]);
}

#[test]
fn slices_of_gmt_that_are_not_painted_stay_short_in_css() {
    let table = "0 red 1 blue\n1 - 2 -\n2 lime 3 yellow\n";
    let gradients = read(table.as_bytes(), GradientFormat::Cpt).unwrap();
    let Written { bytes: css, notes } =
        write(&gradients, GradientFormat::Css, GradientWriteOptions::default()).unwrap();
    assert_eq!(notes.len(), 1, "only the domain is lost: {notes:?}");
    let css = String::from_utf8(css).unwrap();
    assert_eq!(
        css,
        "linear-gradient(to right in srgb, rgb(255 0 0) 0%, rgb(0 0 255) 33.33333333333333%, \
         rgb(0 0 0 / 0) 33.33333333333333%, rgb(0 0 0 / 0) 66.66666666666666%, \
         rgb(0 255 0) 66.66666666666666%, rgb(255 255 0) 100%)\n"
    );
    let back = read(css.as_bytes(), GradientFormat::Css).unwrap();
    for at in [0.1, 0.3, 0.5, 0.7, 0.99] {
        let [a, b] = [&gradients[0], &back[0]].map(|one| one.sampler().codes_at(at));
        assert_eq!(a, b, "{at}");
    }
}

#[test]
fn percentages_of_css_have_the_digits_of_their_places() {
    for place in [0.010417, 0.022888, 0.07, 0.29, 0.57, 1.1, -0.35, 1e-7, 12.0, 1.0 / 3.0] {
        let mut gradient = Gradient {
            colors: crate::gradient::parse_stops("red, blue").unwrap(),
            ..Gradient::default()
        };
        gradient.colors[0].position = -1.0;
        gradient.colors[1].position = place;
        let written =
            write(&[gradient], GradientFormat::Css, GradientWriteOptions::default()).unwrap();
        let css = written.bytes;
        let text = String::from_utf8(css.clone()).unwrap();
        let percent = text.rsplit_once(' ').unwrap().1.trim_end_matches("%)\n");
        let digits = |text: &str| text.trim_start_matches(['-', '0', '.']).len();
        assert!(digits(percent) <= digits(&place.to_string()) + 2, "{place}: {percent}");
        let back = read(&css, GradientFormat::Css).unwrap();
        assert_eq!(back[0].colors[1].position, place, "{percent}");
    }
}
