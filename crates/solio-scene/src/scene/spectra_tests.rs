use super::Scene;
use super::tests::read_with;

/// A scene of a text and a file of a spectrum.
fn scene(world: &str) -> Scene {
    let text = format!("WorldBegin\n{world}\n");
    let spectrum = "# of a lamp\n300 5\n900 5\n";
    read_with(&[("s.pbrt", &text), ("lamp.spd", spectrum), ("bad.spd", "400 1 red")], 1 << 20, 1)
}

fn near(found: [f32; 3], expected: [f32; 3]) {
    let is_near = found.iter().zip(expected).all(|(a, b)| (a - b).abs() <= 0.003);
    assert!(is_near, "{found:?}, not {expected:?}");
}

#[test]
fn lights_have_the_colours_of_their_spectra() {
    let flat = [1.2049, 0.9482, 0.9092];
    for (light, expected) in [
        ("\"infinite\" \"blackbody L\" 2700", [1.9348, 0.8036, 0.1918]),
        ("\"distant\" \"blackbody L\" 6500 \"float scale\" 3", [3.131, 2.951, 3.103]),
        // Of a spectrum the strength does not count.
        ("\"infinite\" \"spectrum L\" [300 5 900 5]", flat),
        ("\"infinite\" \"spectrum L\" [300 5 900 5] \"float scale\" 2", flat.map(|x| 2.0 * x)),
        ("\"point\" \"spectrum I\" \"lamp.spd\"", flat),
        ("\"spot\" \"spectrum I\" \"stdillum-A\"", [1.845, 0.8261, 0.2334]),
        ("\"infinite\" \"spectrum L\" \"stdillum-F11\"", [1.4121, 0.9247, 0.5316]),
        ("\"infinite\" \"rgb L\" [.2 .5 3]", [0.2, 0.5, 3.0]),
        ("\"point\"", [1.0; 3]),
        ("\"point\" \"float scale\" -2", [0.0; 3]),
    ] {
        let scene = scene(&format!("LightSource {light}"));
        assert!(scene.problems.is_empty(), "{:?}", scene.problems);
        near(scene.shine(&scene.lights[0].entity), expected);
    }
}

#[test]
fn the_white_of_a_space_is_that_of_its_lights() {
    let d60 = [1.0469, 0.9946, 0.9155];
    for light in ["", "\"rgb L\" [1 1 1]"] {
        let scene =
            scene(&format!("ColorSpace \"aces2065-1\"\nAreaLightSource \"diffuse\" {light}"));
        near(scene.shine(&scene.area_lights[0]), d60);
    }
    // White surfaces stay white.
    let scene =
        scene("ColorSpace \"aces2065-1\"\nMaterial \"diffuse\" \"rgb reflectance\" [1 1 1]");
    let material = scene.materials[0].entity.unwrap();
    near(scene.reflected(&material, "reflectance").unwrap(), [1.0; 3]);
}

#[test]
fn version_three_keeps_the_strength_of_spectra() {
    for (light, expected) in [
        ("\"infinite\" \"spectrum L\" [300 5 900 5]", [6.0245, 4.741, 4.546]),
        ("\"infinite\" \"rgb L\" [1 2 3] \"rgb scale\" [2 1 .5]", [2.0, 2.0, 1.5]),
        ("\"point\"", [1.0; 3]),
    ] {
        let scene = scene(&format!("LightSource {light}\nWorldEnd"));
        near(scene.shine(&scene.lights[0].entity), expected);
    }
    let of = |factor: &str| {
        let scene =
            scene(&format!("LightSource \"point\" \"blackbody I\" [5000 {factor}]\nWorldEnd"));
        scene.shine(&scene.lights[0].entity)
    };
    let (one, two) = (of("1"), of("2"));
    // At its largest wavelength it is 1; red, green and blue are near.
    assert!(one.iter().all(|part| (0.7..1.2).contains(part)), "{one:?}");
    near(two, one.map(|part| 2.0 * part));
}

#[test]
fn surfaces_reflect_their_spectra() {
    let of = |value: &str| {
        let scene = scene(&format!("Material \"diffuse\" {value}"));
        let material = scene.materials[0].entity.unwrap();
        scene.reflected(&material, "reflectance")
    };
    let pairs = "\"spectrum reflectance\" [400 .1 500 .1 550 .3 600 .8 700 .9]";
    near(of(pairs).unwrap(), [0.9834, 0.2927, 0.0604]);
    let [r, g, b] =
        of("\"spectrum reflectance\" [400 0.05 500 0.05 501 0.05 600 .9 700 .9]").unwrap();
    assert!(r > 0.9 && g < 0.5 && b < 0.1, "{r} {g} {b}");
    assert_eq!(of("\"spectrum reflectance\" \"gone.spd\""), None);
}

#[test]
fn files_of_spectra_that_cannot_be_read_are_problems() {
    for (name, what) in
        [("gone.spd", "gone.spd"), ("bad.spd", "bad.spd:1: \"red\" is not a number")]
    {
        let twice = format!("LightSource \"point\" \"spectrum I\" \"{name}\"\n").repeat(2);
        let found = scene(&twice);
        assert_eq!(found.problems.len(), 1, "{:?}", found.problems);
        assert_eq!(found.problems[0].line(), Some(2));
        let message = found.problems[0].message();
        assert!(message.contains(what), "{message}");
        // A light of unknown colour is white.
        near(found.shine(&found.lights[0].entity), [1.0; 3]);
    }
}
