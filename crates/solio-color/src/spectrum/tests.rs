use super::*;
use proptest::prelude::*;

/// Light of luminance 1 as colour-science has it (its matching functions, sums over 1 nm).
const LIGHTS: [(&str, [f32; 3]); 12] = [
    ("1500", [3.264, 0.4341, -0.0642]),
    ("2700", [1.9348, 0.8036, 0.1918]),
    ("4000", [1.4138, 0.924, 0.5335]),
    ("5000", [1.2133, 0.9605, 0.7625]),
    ("6500", [1.0432, 0.9836, 1.0352]),
    ("flat", [1.2049, 0.9482, 0.9092]),
    ("rising", [1.7632, 0.8525, 0.2131]),
    ("stdillum-A", [1.845, 0.8261, 0.2334]),
    ("stdillum-D50", [1.0866, 0.9995, 0.7497]),
    ("stdillum-F2", [1.3401, 0.943, 0.5629]),
    ("stdillum-F11", [1.4121, 0.9247, 0.5316]),
    ("illum-acesD60", [1.0469, 0.9946, 0.9155]),
];

/// What metals reflect at normal incidence.
const METALS: [(&str, [f32; 3]); 7] = [
    ("Ag", [0.9715, 0.9599, 0.9153]),
    ("Al", [0.9132, 0.9215, 0.9245]),
    ("Au", [1.0219, 0.7825, 0.3434]),
    ("Cu", [0.9553, 0.6376, 0.5382]),
    ("CuZn", [0.9096, 0.7783, 0.4228]),
    ("MgO", [0.072, 0.0731, 0.0749]),
    ("TiO2", [0.2322, 0.2446, 0.2727]),
];

fn near(found: [f32; 3], expected: [f32; 3]) {
    let is_near = found.iter().zip(expected).all(|(a, b)| (a - b).abs() <= 0.003);
    assert!(is_near, "{found:?}, not {expected:?}");
}

#[test]
fn lights_are_the_colours_that_peers_have() {
    for (name, expected) in LIGHTS {
        let spectrum = match name {
            "flat" => Spectrum::Constant(7.0),
            "rising" => Spectrum::pairs(&[400.0, 0.0, 700.0, 10.0]).unwrap(),
            name => match name.parse() {
                Ok(kelvins) => Spectrum::Blackbody(kelvins),
                Err(_) => Spectrum::named(name).expect(name),
            },
        };
        near(spectrum.light(), expected);
    }
}

#[test]
fn surfaces_are_seen_under_daylight() {
    let pairs = [400.0, 0.1, 500.0, 0.1, 550.0, 0.3, 600.0, 0.8, 700.0, 0.9];
    near(Spectrum::pairs(&pairs).unwrap().reflected(), [0.9834, 0.2927, 0.0604]);
    for (metal, expected) in METALS {
        let [eta, k] =
            ["eta", "k"].map(|part| Spectrum::named(&format!("metal-{metal}-{part}")).unwrap());
        let reflected = reflected(|at| {
            let (eta, k2) = (eta.at(at), k.at(at).powi(2));
            ((eta - 1.0).powi(2) + k2) / ((eta + 1.0).powi(2) + k2)
        });
        near(reflected, expected);
    }
    near(Spectrum::Constant(1.0).reflected(), [1.0; 3]);
    near(Spectrum::named("stdillum-D65").unwrap().light(), [1.0; 3]);
}

#[test]
fn tables_are_complete() {
    let sums = observer().iter().fold([0.0; 3], |sum, row| [0, 1, 2].map(|i| sum[i] + row[i]));
    assert!((sums[1] - 106.857).abs() < 1e-3, "{sums:?}");
    assert_eq!(OBSERVER.lines().filter(|line| !line.starts_with('#')).count(), COUNT);
    assert_eq!(named::names().count(), 3 + 1 + 12 + 14 + 7);
    for name in named::names() {
        let Some(Spectrum::Lines { wavelengths, values, holds_ends: true }) = Spectrum::named(name)
        else {
            panic!("{name}")
        };
        assert!(wavelengths.len() == values.len() && wavelengths.len() > 20, "{name}");
        assert!(wavelengths.is_sorted_by(|a, b| a < b), "{name}");
    }
    // Refractive indices of the glasses at the yellow line of helium.
    let known = [("BK7", 1.5168), ("BAF10", 1.67), ("FK51A", 1.4866), ("LASF9", 1.8503)];
    for (glass, index) in
        known.into_iter().chain([("F5", 1.6727), ("F10", 1.7283), ("F11", 1.7847)])
    {
        let spectrum = Spectrum::named(&format!("glass-{glass}")).unwrap();
        assert!((spectrum.at(587.6) - index).abs() < 3e-4, "{glass}");
    }
}

#[test]
fn ends_hold_only_where_a_name_gives_them() {
    let pairs = Spectrum::pairs(&[500.0, 1.0, 600.0, 3.0]).unwrap();
    let values = [499.0, 500.0, 525.0, 600.0, 600.5].map(|at| pairs.at(at));
    assert_eq!(values, [0.0, 1.0, 1.5, 3.0, 0.0]);
    assert_eq!(Spectrum::pairs(&[500.0, 1.0]).unwrap().at(500.0), 1.0);
    let copper = Spectrum::named("metal-Cu-k").unwrap();
    assert_eq!([copper.at(100.0), copper.at(2000.0)], [copper.at(298.0), copper.at(900.0)]);
    let dark = Spectrum::pairs(&[200.0, 1.0, 300.0, 1.0]).unwrap();
    assert_eq!(dark.light(), [0.0; 3]);
}

#[test]
fn texts_are_numbers_and_comments() {
    let text = b"# nm value\r\n 400, no";
    assert_eq!(Spectrum::parse(text).unwrap_err().line(), Some(2));
    let good = Spectrum::parse(b"400\t.5 # here\n\n5e2 1").unwrap();
    assert_eq!(good.at(450.0), 0.75);
    for bad in [&b""[..], b"400", b"400 1 500", b"500 1 400 1", b"400 1 400 2"] {
        assert!(Spectrum::parse(bad).is_err());
    }
}

proptest! {
    #[test]
    fn any_numbers_end_in_finite_colours(numbers: Vec<f32>, kelvins: f32, text: Vec<u8>) {
        let _ = Spectrum::parse(&text);
        for spectrum in [Spectrum::pairs(&numbers).unwrap_or(Spectrum::Constant(kelvins)), Spectrum::Blackbody(kelvins)] {
            prop_assert!(spectrum.reflected().iter().all(|part| part.is_finite()));
            let _ = (spectrum.light(), spectrum.mean());
        }
    }
}
