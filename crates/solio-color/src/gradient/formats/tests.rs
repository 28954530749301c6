use super::straight::largest_difference;
use super::*;
use crate::gradient::{AlphaStop, ColorStop, Keys, Mode, Outside, Ramp, parse_stops};
use crate::{Color, HueMethod, Interpolation, Missing, Space};
use proptest::prelude::*;

fn options() -> GradientWriteOptions {
    GradientWriteOptions::default()
}

fn one(text: &str, format: GradientFormat) -> Gradient {
    let mut found = read(text.as_bytes(), format).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(found.len(), 1, "{text}");
    found.remove(0)
}

/// Written and read again, with the notes.
fn again(gradient: &Gradient, format: GradientFormat) -> (Gradient, Vec<String>) {
    let written = write(std::slice::from_ref(gradient), format, options()).unwrap();
    assert_eq!(detect(&written.bytes), Some(format));
    let mut found = read(&written.bytes, format)
        .unwrap_or_else(|e| panic!("{e}\n{}", String::from_utf8_lossy(&written.bytes)));
    (found.remove(0), written.notes)
}

fn difference(a: &Gradient, b: &Gradient) -> f64 {
    largest_difference(&a.sampler(), &b.sampler(), 997, false)
}

fn mode(name: &str) -> Mode {
    Mode::of_name(name).unwrap()
}

fn near(found: [f64; 4], wanted: [f64; 4]) {
    let all = found.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-6);
    assert!(all, "{found:?}, not {wanted:?}");
}

mod css {
    use super::*;
    const CSS: GradientFormat = GradientFormat::Css;

    #[test]
    fn what_is_read() {
        let g =
            one("linear-gradient(in oklch longer hue to right, red, white 30%, 60%, blue)", CSS);
        assert_eq!(g.mode, mode("oklch longer"));
        assert_eq!(g.colors.len(), 3);
        assert_eq!(g.colors[1].position, 0.3);
        assert!((g.colors[1].to_next.midpoint - 3.0 / 7.0).abs() < 1e-12);
        assert_eq!(g.colors[1].to_next.easing, Easing::Power);
        for (text, wanted) in [
            ("linear-gradient(red, blue)", "srgb"),
            ("linear-gradient(45deg, red, hsl(120 50% 50%))", "srgb"),
            ("linear-gradient(to top left in hsl, red, blue)", "hsl"),
            ("linear-gradient(red, oklch(0.5 0.1 none))", "oklab"),
            ("linear-gradient(red, color(srgb 0 0 1))", "oklab"),
            ("-webkit-linear-gradient(left, red, blue)", "srgb"),
            ("repeating-radial-gradient(circle at 20% 30% in lab, red, blue 20%)", "lab"),
            ("background: radial-gradient(50px 10% at left in xyz, red, blue);", "xyz-d65"),
            ("red, blue 40%", "srgb"),
        ] {
            assert_eq!(one(text, CSS).mode, mode(wanted), "{text}");
        }
        let conic =
            one("conic-gradient(from 10deg, hsl(20deg 10% 10%) 90deg, blue 0.5turn 100%)", CSS);
        let places: Vec<f64> = conic.colors.iter().map(|stop| stop.position).collect();
        assert_eq!(places, [0.25, 0.5, 1.0]);
    }

    #[test]
    fn sizes_are_read_over() {
        let plain = one("radial-gradient(red, blue 20%)", CSS);
        for size in ["100px", "0", "2.5e1em", "50px circle", "50% 30%", "1rem 20%", "0 3vw ellipse"]
        {
            let text = format!("radial-gradient({size}, red, blue 20%)");
            assert_eq!(one(&text, CSS), plain, "{text}");
        }
        // Behind a percentage and a parenthesis no blank is needed; lengths may be computed.
        for size in
            ["50%30%", "50%30%at left", "calc(1em + 5px)", "MIN(9px,1vw)calc(2 * (1px + 3%))"]
        {
            let text = format!("radial-gradient({size}, red, blue 20%)");
            assert_eq!(one(&text, CSS), plain, "{text}");
        }
        let turned = "linear-gradient(calc(1turn / 8) in lab, red, blue)";
        assert_eq!(one(turned, CSS).mode, mode("lab"));
        for wrong in ["radial-gradient(50%, red, blue)", "linear-gradient(100px, red, blue)"] {
            assert!(read(wrong.as_bytes(), CSS).is_err(), "{wrong}");
        }
    }

    #[test]
    fn parentheses_need_no_blank_behind_them() {
        for (text, same) in [
            ("linear-gradient(red, rgb(0,0,255)50%, blue)", "red, rgb(0,0,255) 50%, blue"),
            ("conic-gradient(hsl(0 0% 9%)90deg, blue)", "hsl(0 0% 9%) 25%, blue"),
        ] {
            assert_eq!(one(text, CSS).colors, parse_stops(same).unwrap(), "{text}");
        }
    }

    #[test]
    fn several_have_names() {
        let text = ":root { --a: linear-gradient(red, blue); /* in red ( */ --b:\n\
                    linear-gradient(in oklab, lime, black); }\n p { background: \
                    linear-gradient(white, red), /* last */ conic-gradient(red, blue) }";
        let found = read(text.as_bytes(), CSS).unwrap();
        let names: Vec<&str> = found.iter().map(|g| g.name.as_str()).collect();
        assert_eq!(names, ["a", "b", "", "last"]);
        let written = write(&found, CSS, options()).unwrap();
        let back = read(&written.bytes, CSS).unwrap();
        assert_eq!(back.len(), 4);
        assert_eq!(back[0], found[0]);
        assert_eq!(back[2].name, "gradient");
    }

    #[test]
    fn what_is_wrong_has_its_place() {
        for (text, line, column) in [
            ("a {\n b: linear-gradient(red, bleu) }", 2, 26),
            ("linear-gradient(red, blue", 1, 26),
            ("linear-gradient(in mud, red, blue)", 1, 17),
            ("linear-gradient(red 10px, blue)", 1, 17),
            ("nothing", 1, 1),
        ] {
            let error = read(text.as_bytes(), CSS).unwrap_err();
            assert_eq!(error.line(), Some(line), "{text}: {error}");
            assert!(error.column() >= Some(column), "{text}: {error}");
        }
    }

    #[test]
    fn what_css_has_comes_back() {
        for (stops, name) in [
            ("red, white 30%, 60%, blue", "oklch longer"),
            ("red 12.5%, oklab(0.5 none 0.1 / 50%) 30%, blue 30%", "srgb"),
            ("red, rgb(0 0 255 / none), color(display-p3 1 0 0) 90%", "oklab"),
            ("red -20%, blue 140%", "linear"),
        ] {
            let g = Gradient {
                colors: parse_stops(stops).unwrap(),
                mode: mode(name),
                name: "n".into(),
                ..Gradient::default()
            };
            let (back, notes) = again(&g, CSS);
            assert!(notes.is_empty(), "{notes:?}");
            assert_eq!((&back.name, back.mode), (&g.name, g.mode));
            assert!(difference(&back, &g) < 1e-6, "{stops}");
            assert_eq!(back.colors.len(), g.colors.len());
        }
    }

    #[test]
    fn steps_and_midpoints_are_exact() {
        for (name, easing) in
            [("fixed", "linear"), ("hold", "linear"), ("oklab", "step"), ("oklab", "linear")]
        {
            let mut g = Gradient {
                colors: parse_stops("red, lime 40%, blue").unwrap(),
                mode: mode(name),
                ..Gradient::default()
            };
            g.colors[0].to_next =
                Ramp { midpoint: 0.3, easing: Easing::of_name(easing).unwrap(), mode: None };
            let (back, notes) = again(&g, CSS);
            assert!(notes.is_empty(), "{notes:?}");
            assert!(difference(&back, &g) < 1e-6, "{name} {easing}");
        }
    }
}

mod unity {
    use super::*;
    const UNITY: GradientFormat = GradientFormat::Unity;

    fn text(mode: u8, space: i8) -> String {
        let mut text =
            "MonoBehaviour:\n  m_Name: Sparks\n  heat:\n    serializedVersion: 2\n".to_owned();
        for i in 0..8 {
            text += &format!(
                "    key{i}: {{r: {}, g: 0.33333334, b: 0, a: {}}}\n",
                i as f32 / 8.0,
                1.0 - i as f32 / 9.0
            );
        }
        for (name, step) in [("ctime", 8192), ("atime", 9362)] {
            for i in 0..8 {
                text += &format!("    {name}{i}: {}\n", (i * step).min(65535));
            }
        }
        text + &format!(
            "    m_Mode: {mode}\n    m_ColorSpace: {space}\n    m_NumColorKeys: 8\n    m_NumAlphaKeys: 3\n  speed: 1\n"
        )
    }

    #[test]
    fn keys_come_back_bit_for_bit() {
        for (mode, space) in [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)] {
            let g = one(&text(mode, space), UNITY);
            assert_eq!((g.colors.len(), g.alphas.len(), g.name.as_str()), (8, 3, "heat"));
            assert_eq!(g.colors[1].color.components, [0.125, f64::from(0.333_333_34_f32), 0.0]);
            assert_eq!(g.keys == Keys::Linear, space == 1);
            let (back, notes) = again(&g, UNITY);
            assert!(notes.is_empty(), "{notes:?}");
            if space == 0 {
                assert_eq!(back, g);
            }
            assert!(difference(&back, &g) < 1e-9);
            let written = write(&[g], UNITY, options()).unwrap();
            let written = String::from_utf8(written.bytes).unwrap();
            for line in text(mode, space)
                .lines()
                .map(str::trim)
                .filter(|l| ["ctime", "atime1", "m_Num"].iter().any(|part| l.contains(part)))
            {
                assert!(written.contains(&format!("      {line}\n")), "{line}");
            }
            assert!(written.contains("key1: {r: 0.125, g: 0.33333334, b: 0, a: 0.8888889}"));
        }
    }

    #[test]
    fn blend_and_fixed_are_as_in_unity() {
        let two = |mode: u8| {
            let text = format!(
                "key0: {{r: 1, g: 0, b: 0, a: 1}}\nkey1: {{r: 0, g: 0, b: 1, a: 0}}\nctime0: 0\n\
                 ctime1: 65535\natime0: 0\natime1: 65535\nm_Mode: {mode}\nm_NumColorKeys: 2\n\
                 m_NumAlphaKeys: 2\n"
            );
            one(&text, UNITY)
        };
        near(two(0).sample(0.5), [0.5, 0.0, 0.5, 0.5]);
        near(two(1).sample(0.5), [0.0, 0.0, 1.0, 0.0]);
        let oklab = Gradient { mode: mode("oklab"), ..two(0) };
        near(two(2).sample(0.5), oklab.sample(0.5));
    }

    #[test]
    fn more_than_8_keys_need_a_fit() {
        let colors = parse_stops("red, lime, blue, white, black, red, lime, blue, white").unwrap();
        let g = Gradient { colors, mode: mode("srgb"), ..Gradient::default() };
        let error = write(std::slice::from_ref(&g), UNITY, options()).unwrap_err();
        assert!(error.to_string().contains("9 colours"), "{error}");
        let fit = GradientWriteOptions { fit: true, ..options() };
        let written = write(std::slice::from_ref(&g), UNITY, fit).unwrap();
        assert!(written.notes[0].contains("8 colour keys"), "{:?}", written.notes);
        // An even gradient fits well, and the note's figure holds.
        let smooth = Gradient {
            colors: parse_stops("black, red, yellow, white").unwrap(),
            mode: Mode::Smooth,
            ..g
        };
        let written = write(std::slice::from_ref(&smooth), UNITY, fit).unwrap();
        let back = read(&written.bytes, UNITY).unwrap().remove(0);
        let found = difference(&back, &smooth);
        assert!(found < 12.0, "{found}");
        let stated: f64 = written.notes[0]
            .split("at most ")
            .nth(1)
            .unwrap()
            .split(' ')
            .next()
            .unwrap()
            .parse()
            .unwrap();
        assert!(found <= stated + 0.1, "{found} {stated}");
    }

    #[test]
    fn what_is_wrong_has_its_line() {
        for (from, to, line) in [
            ("m_NumColorKeys: 8", "m_NumColorKeys: 9", 5),
            ("m_Mode: 0", "m_Mode: 7", 5),
            ("ctime3: 24576", "ctime3: 99999", 16),
            ("b: 0, a: 1}", "b: 0}", 5),
            ("    m_NumAlphaKeys: 3\n", "", 5),
        ] {
            let broken = text(0, 0).replacen(from, to, 1);
            assert_ne!(broken, text(0, 0));
            let error = read(broken.as_bytes(), UNITY).unwrap_err();
            assert_eq!(error.line(), Some(line), "{to}: {error}");
        }
    }
}

mod ggr {
    use super::*;
    const GGR: GradientFormat = GradientFormat::Ggr;

    fn segments(lines: &[&str]) -> Gradient {
        let text = format!("GIMP Gradient\nName: Test it\n{}\n{}\n", lines.len(), lines.join("\n"));
        one(&text, GGR)
    }

    /// By hand from the formulas of `gimpgradient.c`.
    #[test]
    fn segments_are_blended_as_in_gimp() {
        for (blending, at_1_8, at_5_8) in [
            (0, 0.25, 0.75),
            (1, 0.353_553_391, 0.790_569_415),
            (2, 0.146_446_609, 0.853_553_391),
            (3, 0.661_437_828, 0.968_245_837),
            (4, 0.031_754_163, 0.338_562_172),
            (5, 0.0, 1.0),
        ] {
            let line = format!("0 0.25 1 0 0 0 0 1 1 1 1 {blending} 0");
            let g = segments(&[&line]);
            near(g.sample(0.125), [at_1_8; 4]);
            near(g.sample(0.625), [at_5_8; 4]);
        }
    }

    #[test]
    fn hues_go_round_as_in_gimp() {
        let ccw = segments(&["0 .5 1 1 0 0 1 0 1 0 1 0 1"]);
        near(ccw.sample(0.5), [1.0, 1.0, 0.0, 1.0]);
        let cw = segments(&["0 .5 1 1 0 0 1 0 1 0 1 0 2"]);
        near(cw.sample(0.5), [0.0, 0.0, 1.0, 1.0]);
        for coloring in [1, 2] {
            // The same hue: the whole circle. Grey counts as red.
            let whole = segments(&[&format!("0 .5 1 1 0 0 1 1 0 0 1 0 {coloring}")]);
            near(whole.sample(0.5), [0.0, 1.0, 1.0, 1.0]);
            let grey = segments(&[&format!("0 .5 1 1 1 1 1 0 1 0 1 0 {coloring}")]);
            assert!(grey.sample(0.75)[usize::from(coloring == 2) * 2] > 0.5);
        }
    }

    #[test]
    fn segments_come_back() {
        let g = segments(&[
            "0 0.1 0.25 0.1 0.2 0.3 1 0.5 0.6 0.7 0.5 0 0 0 0",
            "0.25 0.3 0.5 0.5 0.6 0.7 0.5 0 0.6 0.7 0.25 1 0",
            "0.5 0.75 1 1 0.6 0.2 1 0 0.5 0.1 0.5 2 1 0 0",
        ]);
        assert_eq!((g.name.as_str(), g.colors.len(), g.alphas.len()), ("Test it", 5, 5));
        let (back, notes) = again(&g, GGR);
        assert!(notes.is_empty(), "{notes:?}");
        assert!(difference(&back, &g) < 1e-9);
        assert_eq!(back.colors[..3], g.colors[..3]);
        assert_eq!(back.alphas, g.alphas);
    }

    #[test]
    fn what_is_wrong_has_its_line() {
        for (text, line) in [
            ("GIMP", 1),
            ("GIMP Gradient\nName: x\nmany\n", 3),
            ("GIMP Gradient\nName: x\n2\n0 .5 1 0 0 0 1 0 0 0 1 0 0\n", 5),
            ("GIMP Gradient\n1\n0 .5 1 0 0 0 1 0 0 0 1 9 0\n", 3),
            ("GIMP Gradient\n1\n0 .5 1 0 0 0 1 0 nan 0 1 0 0\n", 3),
            ("GIMP Gradient\n1\n0 2 1 0 0 0 1 0 0 0 1 0 0\n", 3),
            ("GIMP Gradient\n99999999999\n", 2),
        ] {
            let error = read(text.as_bytes(), GGR).unwrap_err();
            assert_eq!(error.line(), Some(line), "{text}: {error}");
        }
    }
}

mod json {
    use super::*;
    const JSON: GradientFormat = GradientFormat::Json;

    #[test]
    fn what_is_read_and_what_is_wrong() {
        let g = one(
            r#"{"colors": [{"position": 0, "color": "red"}, {"position": 1, "color": {"space": "hsv", "components": [null, 0.5, 1]}, "easing": "ease"}]}"#,
            JSON,
        );
        assert_eq!(g.mode, Mode::default());
        assert_eq!(g.colors[1].color.missing, Missing::NONE.with(0));
        assert_eq!(g.colors[1].to_next.easing, Easing::EASE);
        for (text, line, column) in [
            ("{\n \"colors\": [}", 2, 13),
            ("{\n \"colors\": 5}", 2, 12),
            ("[{\"colors\": [{\"position\": 0, \"color\": \"bleu\"}]}]", 1, 39),
            ("{\"colour\": []}", 1, 12),
            ("{\"colors\": []}", 1, 12),
            ("{\"version\": 2, \"gradients\": []}", 1, 13),
            ("", 1, 0),
        ] {
            let error = read(text.as_bytes(), JSON).unwrap_err();
            assert_eq!(
                (error.line(), error.column()),
                (Some(line), Some(column)),
                "{text}: {error}"
            );
        }
    }
}

mod godot {
    use super::*;
    const GODOT: GradientFormat = GradientFormat::Godot;

    #[test]
    fn resources_and_defaults() {
        let text = "[gd_scene load_steps=3 format=3]\n\n[sub_resource type=\"Gradient\" id=\"Gradient_1\"]\n\
                    interpolation_mode = 1\noffsets = PackedFloat32Array(0, 0.25, 1)\ncolors = PackedColorArray(1, 0, 0, 1,\n\
                    0, 1, 0, 0.5, 0, 0, 1, 1)\n\n[sub_resource type=\"Curve\" id=\"c\"]\noffsets = 3\n\n\
                    [sub_resource type=\"Gradient\" id=\"Gradient_2\"]\ninterpolation_color_space = 2\n";
        let found = read(text.as_bytes(), GODOT).unwrap();
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].name.as_str(), found[0].mode), ("Gradient_1", Mode::Hold));
        near(found[0].sample(0.5), [0.0, 1.0, 0.0, 0.5]);
        near(found[0].sample(0.2), [1.0, 0.0, 0.0, 1.0]);
        // Without a word, from black to white.
        near(found[1].sample(0.0), [0.0, 0.0, 0.0, 1.0]);
        assert_eq!(found[1].mode, mode("oklab"));
    }

    /// Catmull and Rom's spline by hand: at half of the way from 0 to 1 between 0, 0, 1 and 0.
    #[test]
    fn cubic_is_the_spline_of_godot() {
        let text = "[gd_resource type=\"Gradient\" format=3]\n[resource]\ninterpolation_mode = 2\n\
                    offsets = PackedFloat32Array(0, 0.5, 1)\n\
                    colors = PackedColorArray(0, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0, 1)\n";
        let g = one(text, GODOT);
        let half = 0.5 * (1.0 + 0.5 * 0.0 + 0.25 * 4.0 + 0.125 * -3.0 + 0.0 - 0.5);
        let wanted = 0.5 * (0.0 + 0.5 + 0.25 * 4.0 - 0.125 * 3.0);
        assert_eq!(half, wanted);
        assert!((g.sample(0.25)[0] - wanted).abs() < 1e-3, "{:?}", g.sample(0.25));
    }

    #[test]
    fn what_is_wrong_has_its_line() {
        let head = "[gd_resource type=\"Gradient\"]\n[resource]\n";
        for (text, line) in [
            ("offsets = PackedFloat32Array(0, x)", 3),
            ("offsets = PackedFloat32Array(0, 1", 3),
            ("offsets = 5", 3),
            ("interpolation_mode = 9", 3),
            ("colors = PackedColorArray(0, 0, 0)", 3),
            ("offsets = PackedFloat32Array(0)", 2),
        ] {
            let error = read(format!("{head}{text}").as_bytes(), GODOT).unwrap_err();
            assert_eq!(error.line(), Some(line), "{text}: {error}");
        }
    }
}

mod svg {
    use super::*;
    const SVG: GradientFormat = GradientFormat::Svg;

    fn ends(gradient: &Gradient) -> [Color; 2] {
        [0, gradient.colors.len() - 1].map(|i| gradient.colors[i].color)
    }

    #[test]
    fn each_gradient_has_an_id_of_its_own() {
        let gradients = ["x-2", "x", "3", "x", "gradient-3", "x"]
            .map(|name| Gradient { name: name.into(), ..one("red, blue", GradientFormat::Css) });
        let written = write(&gradients, SVG, options()).unwrap();
        let found = read(&written.bytes, SVG).unwrap();
        let ids: Vec<&str> = found.iter().map(|g| g.name.as_str()).collect();
        assert_eq!(ids, ["x-2", "x-3", "gradient-3", "x-4", "gradient-3-5", "x-6"]);
    }

    #[test]
    fn colours_are_written_as_old_programs_read_them() {
        let colors = parse_stops("red, rgb(12.5% 50% 75%)").unwrap();
        let plain = Gradient { colors, mode: mode("srgb"), ..Gradient::default() };
        let written = write(std::slice::from_ref(&plain), SVG, options()).unwrap();
        let text = String::from_utf8(written.bytes).unwrap();
        assert!(text.contains("<stop offset=\"0\" stop-color=\"rgb(255, 0, 0)\"/>"), "{text}");
        assert!(text.contains("stop-color=\"rgb(12.5%, 50%, 75%)\"/>"), "{text}");
        assert!(written.notes.is_empty(), "{:?}", written.notes);
        assert_eq!(ends(&one(&text, SVG)), ends(&plain));
        // Blends that leave sRGB are held within.
        let colors = parse_stops("red, blue").unwrap();
        let blend = Gradient { colors, mode: mode("oklch longer"), ..Gradient::default() };
        assert!(blend.sample(0.5).iter().any(|code| *code < -0.01));
        let written = write(&[blend], SVG, options()).unwrap();
        assert!(!String::from_utf8(written.bytes).unwrap().contains("color("));
        assert!(written.notes.iter().any(|note| note.contains("held within")));
    }

    #[test]
    fn colours_beyond_srgb_are_for_browsers() {
        let colors = parse_stops("color(srgb 1.25 0 -0.5), red").unwrap();
        let wide = Gradient { colors, mode: mode("srgb"), ..Gradient::default() };
        let written = write(std::slice::from_ref(&wide), SVG, options()).unwrap();
        let text = String::from_utf8(written.bytes).unwrap();
        let stop = "stop-color=\"rgb(255, 0, 0)\" style=\"stop-color: color(srgb 1.25 0 -0.5)\"/>";
        assert!(text.contains(stop), "{text}");
        assert!(text.contains("stop-color=\"rgb(255, 0, 0)\"/>"), "{text}");
        assert!(written.notes.iter().any(|note| note.contains("color()")), "{:?}", written.notes);
        assert_eq!(ends(&one(&text, SVG)), ends(&wide));
    }

    #[test]
    fn stops_styles_and_links() {
        let text = "<?xml version='1.0'?><svg xmlns='x' xmlns:xlink='y'><defs>\
                    <linearGradient id='a' color-interpolation='linearRGB'>\
                    <stop offset='10%' stop-color='red'/><stop offset='.5' style='stop-color: #00f; \
                    stop-opacity: 50%'/><stop offset='0.2' stop-color='rgb(0,255,0)' stop-opacity='0.25'/>\
                    </linearGradient><svg:radialGradient id='b' xlink:href='#a'/>\
                    <linearGradient id='c' href='#d'/><linearGradient id='d' href='#c'/></defs></svg>";
        let found = read(text.as_bytes(), SVG).unwrap();
        assert_eq!(found.iter().map(|g| g.name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        for g in found {
            assert_eq!(g.mode, mode("linear"));
            let places: Vec<f64> = g.colors.iter().map(|stop| stop.position).collect();
            assert_eq!(places, [0.1, 0.5, 0.5]);
            near(g.sample(0.3), [0.735_357, 0.0, 0.735_357, 0.75].map(|x: f64| x));
            near(g.sample(0.9), [0.0, 1.0, 0.0, 0.25]);
        }
    }

    #[test]
    fn what_is_wrong_has_its_place() {
        for text in [
            "<svg>\n<linearGradient><stop offset='x'/></linearGradient></svg>",
            "<svg>\n<linearGradient><stop stop-color='bleu'/></linearGradient></svg>",
            "<svg>\n<linearGradient><stop offset='&x;'/></linearGradient></svg>",
            "<svg>\n<linearGradient><stop offset=0/></linearGradient></svg>",
            "<svg>\n</linearGradient>",
        ] {
            let error = read(text.as_bytes(), SVG).unwrap_err();
            assert_eq!(error.line(), Some(2), "{text}: {error}");
        }
        assert!(read(b"<svg/>", SVG).is_err());
    }
}

mod cube {
    use super::*;
    const CUBE: GradientFormat = GradientFormat::Cube;

    #[test]
    fn tables() {
        let g = one(
            "# by hand\nTITLE \"Two\"\nLUT_1D_SIZE 3\nDOMAIN_MAX 2 2 2\n\n0 0 0\n.5 0 1e-1\n1 1 1\n",
            CUBE,
        );
        assert_eq!((g.name.as_str(), g.domain, g.colors.len()), ("Two", Some([0.0, 2.0]), 3));
        near(g.sample(0.25), [0.25, 0.0, 0.05, 1.0]);
        let (back, notes) = again(&g, CUBE);
        assert_eq!((back.name.as_str(), back.domain, back.colors.len()), ("Two", g.domain, 1024));
        assert!(notes[0].contains("between 1024"), "{notes:?}");
        let exact = GradientWriteOptions { samples: 3, ..options() };
        let written = write(std::slice::from_ref(&g), CUBE, exact).unwrap();
        assert!(written.notes.is_empty());
        let back = read(&written.bytes, CUBE).unwrap().remove(0);
        assert!(difference(&back, &g) < 1e-4);
        for samples in [0, 1, 65_537] {
            let wrong = GradientWriteOptions { samples, ..options() };
            let error = write(std::slice::from_ref(&g), CUBE, wrong).unwrap_err();
            assert!(error.message().contains("2 to 65536"), "{error}");
        }
    }

    #[test]
    fn what_is_wrong_has_its_line() {
        for (text, line) in [
            ("LUT_1D_SIZE 1\n", 1),
            ("LUT_1D_SIZE 2\n0 0 0\n", 3),
            ("LUT_1D_SIZE 2\n0 0 0\n1 1 1\n1 1 1\n", 4),
            ("LUT_1D_SIZE 2\n0 0\n", 2),
            ("0 0 0\n", 1),
            ("TITLE x\nLUT_3D_SIZE 2\n", 2),
            ("HELLO 2\n", 1),
        ] {
            let error = read(text.as_bytes(), CUBE).unwrap_err();
            assert_eq!(error.line(), Some(line), "{text}: {error}");
        }
    }
}

mod cpt {
    use super::*;
    const CPT: GradientFormat = GradientFormat::Cpt;

    #[test]
    fn slices_and_what_lies_outside() {
        let g = one(
            "# COLOR_MODEL = RGB\n-10 0/0/255 0 white L\n0 0 128 0 30 255 0 0 ; label\n30 red 40 red\nB black\nF 255\nN 128/128/128@50\n",
            CPT,
        );
        assert_eq!(g.domain, Some([-10.0, 40.0]));
        near(g.sample(0.1), [0.5, 0.5, 1.0, 1.0]);
        near(g.sample(0.2), [0.0, 128.0 / 255.0, 0.0, 1.0]);
        near(g.sample(0.9), [1.0, 0.0, 0.0, 1.0]);
        assert_eq!(g.colors[g.colors.len() - 2].to_next.mode, Some(Mode::Hold));
        assert_eq!(g.outside.above, Some(Color::from_rgb8([255; 3])));
        assert_eq!(g.outside.nan.unwrap().alpha, 0.5);
        let (back, notes) = again(&g, CPT);
        assert_eq!((back.domain, back.outside.below), (g.domain, g.outside.below));
        assert!(difference(&back, &g) < 1e-4);
        assert_eq!(notes.len(), 1, "{notes:?}");
    }

    #[test]
    fn names_have_the_colors_of_gmt() {
        for (name, rgb) in [
            ("green", [0, 255, 0]),
            ("gray", [190; 3]),
            ("Grey", [190; 3]),
            ("maroon", [176, 48, 96]),
            ("purple", [160, 32, 240]),
            ("gray50", [127; 3]),
            ("darkgreen", [0, 100, 0]),
            ("red", [255, 0, 0]),
        ] {
            let [r, g, b, _] = one(&format!("0 {name} 1 {name}\n"), CPT).sample(0.5);
            assert_eq!([r, g, b].map(|x| (x * 255.0).round() as u8), rgb, "{name}");
        }
    }

    #[test]
    fn models() {
        // In HSV only where a plus says so.
        let plain = one("# COLOR_MODEL = HSV\n0 0 1 1 1 120 1 1\n", CPT);
        near(plain.sample(0.5), [0.5, 0.5, 0.0, 1.0]);
        let hsv = one("#COLOR_MODEL = +HSV\n0 0 1 1 1 240 1 1\n1 0-1-1 2 360-1-1\n", CPT);
        near(hsv.sample(0.25), [0.0, 1.0, 0.0, 1.0]);
        near(hsv.sample(0.75), [0.0, 1.0, 1.0, 1.0]);
        let cmyk = one("# COLOR_MODEL = CMYK\n0 0 0 0 0 1 0 100 100 50\n", CPT);
        near(cmyk.sample(0.5), [0.75, 0.5, 0.5, 1.0]);
        // From −1 to 1 with a hinge.
        let topo = one("# RANGE = -8000/4000\n# HINGE = 0\n-1 black 0 blue\n0 lime 1 white\n", CPT);
        assert_eq!(topo.domain, Some([-8000.0, 4000.0]));
        near(topo.sample(1.0 / 3.0), [0.0, 0.0, 0.5, 1.0]);
        near(topo.sample(2.0 / 3.0), [0.0, 1.0, 0.0, 1.0]);
        let keys = one("1 red\n2 lime\n5 blue\n", CPT);
        assert_eq!(keys.domain, Some([1.0, 8.0]));
        near(keys.sample(0.5), [0.0, 1.0, 0.0, 1.0]);
    }

    #[test]
    fn what_is_wrong_has_its_line() {
        for (text, line) in [
            ("0 0 0 0 1 1 1\n", 1),
            ("0 red 1 bleu\n", 1),
            ("0 300/0/0 1 red\n", 1),
            ("0 red 1 red\n0.5 red 2 red\n", 2),
            ("1 red 0 red\n", 1),
            ("# COLOR_MODEL = XYZ\n", 1),
            ("# only a comment\n", 2),
            ("town red\n", 1),
        ] {
            let error = read(text.as_bytes(), CPT).unwrap_err();
            assert_eq!(error.line(), Some(line), "{text}: {error}");
        }
    }
}

mod grd {
    use super::*;
    const GRD: GradientFormat = GradientFormat::Grd;

    fn version_3() -> Vec<u8> {
        let mut bytes = b"8BGR\0\x03\0\x01\x03Two\0\x04".to_vec();
        let stops: [(u32, u32, u16, [u16; 4]); 4] = [
            (0, 25, 0, [65535, 0, 0, 0]),
            (1024, 50, 1, [21845, 65535, 65535, 0]),
            (2048, 50, 2, [65535, 0, 0, 65535]),
            (4096, 50, 8, [10000, 0, 0, 0]),
        ];
        for (place, midpoint, model, values) in stops {
            bytes.extend(place.to_be_bytes());
            bytes.extend(midpoint.to_be_bytes());
            bytes.extend(model.to_be_bytes());
            bytes.extend(values.into_iter().flat_map(u16::to_be_bytes));
            bytes.extend([0, 0]);
        }
        bytes.extend([0, 2]);
        for (place, alpha) in [(0_u32, 255_u16), (4096, 51)] {
            bytes.extend(place.to_be_bytes());
            bytes.extend(50_u32.to_be_bytes());
            bytes.extend(alpha.to_be_bytes());
        }
        bytes.extend([0; 6]);
        bytes
    }

    #[test]
    fn version_3_is_read() {
        let g = read(&version_3(), GRD).unwrap().remove(0);
        assert_eq!((g.name.as_str(), g.colors.len(), g.alphas.len()), ("Two", 4, 2));
        // Half way at a quarter of the way to the next.
        near(g.sample(0.0625), [0.5, 0.5, 0.0, 0.95]);
        near(g.sample(0.5), [1.0, 0.0, 0.0, 0.6]);
        near(g.sample(1.0), [1.0, 1.0, 1.0, 0.2]);
        let (back, notes) = again(&g, GRD);
        assert!(notes.is_empty(), "{notes:?}");
        assert_eq!((back.name.as_str(), back.colors.len()), ("Two", 4));
        assert!(difference(&back, &g) < 1e-6);
    }

    #[test]
    fn several_and_what_is_wrong() {
        let g = read(&version_3(), GRD).unwrap().remove(0);
        let other = Gradient { name: "Größe".into(), alphas: Vec::new(), ..g.clone() };
        let written = write(&[g, other], GRD, options()).unwrap();
        let back = read(&written.bytes, GRD).unwrap();
        assert_eq!((back.len(), back[1].name.as_str()), (2, "Größe"));
        for (from, to) in [
            (&b"CstS"[..], &b"ClNs"[..]),
            (b"RGBC", b"XYZC"),
            (b"VlLs", b"abcd"),
            (b"Grad", b"grad"),
        ] {
            let at = written.bytes.windows(4).position(|four| four == from).unwrap();
            let mut broken = written.bytes.clone();
            broken[at..at + 4].copy_from_slice(to);
            let error = read(&broken, GRD).unwrap_err();
            assert!(error.offset().is_some(), "{error}");
        }
        for end in 0..written.bytes.len() {
            assert!(read(&written.bytes[..end], GRD).is_err());
        }
    }

    #[test]
    fn lists_in_lists_have_an_end() {
        let mut bytes = b"8BGR\0\x05\0\0\0\x10\0\0\0\0\0\0\0\0null\0\0\0\x01\0\0\0\0GrdL".to_vec();
        for _ in 0..10_000 {
            bytes.extend(b"VlLs\0\0\0\x01");
        }
        assert_eq!(read(&bytes, GRD).unwrap_err().kind(), solio_base::ErrorKind::Limit);
    }
}

/// How near a text is to the gradient, as its notes say.
fn stated(notes: &[String]) -> Option<f64> {
    notes.iter().find_map(|note| note.split("come within ").nth(1)?.split(' ').next()?.parse().ok())
}

/// This curve goes far beyond the colours of its ends and back; where a channel passes 0 its code
/// turns so steeply that the difference is seen in a hundredth of the way only.
#[test]
fn nearness_is_told_of_curves_that_go_beyond_and_back() {
    let stops = [
        ([77, 185, 213], 0.0),
        ([188, 56, 86], 0.0625),
        ([90, 171, 48], 0.6875),
        ([0, 0, 0], 0.6875),
    ];
    let mut colors = stops.map(|([r, g, b], position)| ColorStop {
        position,
        color: Color::from_rgb8([r, g, b]),
        to_next: Ramp::default(),
    });
    colors[0].to_next = Ramp {
        midpoint: 0.629_103_796_301_728_7,
        easing: Easing::of_name("cubic-bezier(0.1, -2, 0.3, 4)").unwrap(),
        mode: None,
    };
    let alpha = AlphaStop { position: 0.0, alpha: 0.165, to_next: Ramp::default() };
    let gradient = Gradient {
        colors: colors.to_vec(),
        alphas: vec![alpha],
        mode: Mode::Smooth,
        ..Gradient::default()
    };
    for format in [GradientFormat::Css, GradientFormat::Svg, GradientFormat::Godot] {
        let (back, notes) = again(&gradient, format);
        let bounded = format == GradientFormat::Svg;
        let found = largest_difference(&back.sampler(), &gradient.sampler(), 100_003, bounded);
        let allowed = stated(&notes).unwrap() + 0.1;
        assert!(found <= allowed, "{format:?}: {found}, allowed {allowed}, {notes:?}");
    }
}

/// A place by itself at the end, where segments and slices have none.
#[test]
fn a_colour_of_the_last_place_alone_is_told_of() {
    for (stops, name, is_lost) in [
        ("red, yellow 50%, blue", "hold", true),
        ("red, yellow 50%, blue 100%, lime 100%", "srgb", true),
        ("red, yellow 50%, blue 100%, lime 100%", "oklab", true),
        ("red, yellow 50%, blue", "fixed", false),
        ("red, yellow 50%, yellow", "hold", false),
        ("red, color(display-p3 0 1 0)", "oklab", false),
        ("red", "hold", false),
    ] {
        let colors = parse_stops(stops).unwrap();
        let gradient = Gradient { colors, mode: mode(name), ..Gradient::default() };
        for format in [GradientFormat::Ggr, GradientFormat::Cpt] {
            let (back, notes) = again(&gradient, format);
            let told = notes.iter().any(|note| note.contains("the last place alone"));
            assert_eq!(told, is_lost, "{stops} {name}: {notes:?}");
            let held = |g: &Gradient| g.sample(1.0).map(|x| x.clamp(0.0, 1.0));
            assert_eq!(straight::distance(held(&back), held(&gradient)) > 1.0, is_lost);
        }
    }
}

fn any_number() -> impl Strategy<Value = f64> {
    prop_oneof![4 => 0.0..=1.0, 1 => Just(0.0), 1 => Just(1.0), 1 => -3.0..3.0, 1 => any::<f64>().prop_filter("finite", |x| x.is_finite())]
}

fn any_color() -> impl Strategy<Value = Color> {
    let space = (0..Space::ALL.len()).prop_map(|i| Space::ALL[i]);
    (space, [any_number(), any_number(), any_number(), any_number()], any::<u8>()).prop_map(
        |(space, [a, b, c, alpha], missing)| {
            let kept = (0..4).filter(|i| missing & 16 == 0 && missing >> i & 1 == 1);
            let missing = kept.fold(Missing::NONE, Missing::with);
            Color { space, components: [a, b, c], alpha, missing: Missing::NONE }
                .with_missing(missing)
        },
    )
}

fn any_mode() -> impl Strategy<Value = Mode> {
    let blend = (0..Space::ALL.len(), 0..4_usize).prop_map(|(space, hue)| {
        let space = Space::ALL[space];
        let hue = if space.is_polar() { HueMethod::ALL[hue] } else { HueMethod::Shorter };
        Mode::Blend(Interpolation { space, hue })
    });
    prop_oneof![Just(Mode::Fixed), Just(Mode::Hold), Just(Mode::Smooth), blend]
}

fn any_ramp() -> impl Strategy<Value = Ramp> {
    let names = [
        "linear",
        "power",
        "sine",
        "sphere-increasing",
        "sphere-decreasing",
        "step",
        "ease",
        "cubic-bezier(0.1, -2, 0.3, 4)",
    ];
    let easing = (0..names.len()).prop_map(move |i| Easing::of_name(names[i]).unwrap());
    let ramp = (0.0..=1.0, easing, prop::option::of(any_mode()));
    prop_oneof![2 => Just(Ramp::default()), 1 => ramp.prop_map(|(midpoint, easing, mode)| Ramp { midpoint, easing, mode })]
}

prop_compose! {
    fn any_gradient()(
        name in "[a-zA-Zé\"\\\\ \n]{0,8}",
        mut colors in prop::collection::vec((any_number(), any_color(), any_ramp()), 1..6),
        mut alphas in prop::collection::vec((any_number(), any_number(), any_ramp()), 0..4),
        mode in any_mode(),
        linear in any::<bool>(),
        outside in [prop::option::of(any_color()), prop::option::of(any_color()), prop::option::of(any_color())],
        domain in prop::option::of([any_number(), any_number()]),
    ) -> Gradient {
        colors.sort_by(|a, b| a.0.total_cmp(&b.0));
        alphas.sort_by(|a, b| a.0.total_cmp(&b.0));
        let [below, above, nan] = outside;
        Gradient {
            name,
            colors: colors.into_iter().map(|(position, color, to_next)| ColorStop { position, color, to_next }).collect(),
            alphas: alphas.into_iter().map(|(position, alpha, to_next)| AlphaStop { position, alpha, to_next }).collect(),
            mode,
            keys: if linear { Keys::Linear } else { Keys::Srgb },
            outside: Outside { below, above, nan },
            domain,
        }
    }
}

prop_compose! {
    /// What pictures have: codes of sRGB, places from 0 to 1 that are not too near to each other.
    fn usual_gradient()(
        codes in prop::collection::vec(any::<[u8; 4]>(), 2..6),
        steps in prop::collection::vec(0..=32_u8, 6),
        ramps in prop::collection::vec(any_ramp(), 6),
        alphas in prop::collection::vec(0.0..=1.0, 0..4),
        mode in any_mode(),
    ) -> Gradient {
        let mut places: Vec<f64> = steps.iter().map(|step| f64::from(*step) / 32.0).take(codes.len()).collect();
        places.sort_by(f64::total_cmp);
        let stop = |(i, [r, g, b, a]): (usize, [u8; 4])| ColorStop {
            position: places[i],
            color: Color::from_rgb8([r, g, b]).with_alpha(f64::from(a) / 255.0),
            to_next: ramps[i],
        };
        let last = alphas.len().max(2) - 1;
        let alpha = |(i, alpha): (usize, f64)| AlphaStop { position: i as f64 / last as f64, alpha, to_next: ramps[i] };
        Gradient {
            colors: codes.into_iter().enumerate().map(stop).collect(),
            alphas: alphas.into_iter().enumerate().map(alpha).collect(),
            mode,
            ..Gradient::default()
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn json_holds_everything(gradient in any_gradient()) {
        let (back, notes) = again(&gradient, GradientFormat::Json);
        prop_assert_eq!(back, gradient);
        prop_assert!(notes.is_empty());
    }

    /// What is written is as near as the notes say; without notes, the same.
    #[test]
    fn formats_come_near(gradient in usual_gradient()) {
        let formats = [
            GradientFormat::Css,
            GradientFormat::Ggr,
            GradientFormat::Grd,
            GradientFormat::Cpt,
            GradientFormat::Godot,
            GradientFormat::Svg,
        ];
        for format in formats {
            let (back, notes) = again(&gradient, format);
            // A jump that is moved is as far off as it is high.
            if notes.iter().any(|note| note.starts_with("Photoshop holds")) {
                continue;
            }
            let bounded = [GradientFormat::Grd, GradientFormat::Cpt, GradientFormat::Svg];
            let bounded = bounded.contains(&format);
            let found = largest_difference(&back.sampler(), &gradient.sampler(), 997, bounded);
            let allowed = stated(&notes).map_or(0.02, |stated| stated * 1.5 + 0.05);
            prop_assert!(found <= allowed, "{:?}: {found}, allowed {allowed}, {notes:?}", format);
        }
    }

    #[test]
    fn any_bytes_are_gradients_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        for format in GradientFormat::ALL {
            let _ = read(&bytes, format);
        }
        let _ = detect(&bytes);
    }

    #[test]
    fn damaged_files_are_gradients_or_an_error(gradient in usual_gradient(), cut in any::<prop::sample::Index>(), flip in any::<prop::sample::Index>(), byte in any::<u8>()) {
        for format in GradientFormat::ALL {
            let fit = GradientWriteOptions { fit: true, tolerance: 8.0, samples: 16 };
            let mut bytes = write(std::slice::from_ref(&gradient), format, fit).unwrap().bytes;
            let at = flip.index(bytes.len());
            bytes[at] = byte;
            let _ = read(&bytes, format);
            bytes.truncate(cut.index(bytes.len()));
            let _ = read(&bytes, format);
        }
    }
}
