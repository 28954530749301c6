//! What the fuzz target of colours does with its bytes: text of CSS, read as a colour and as the
//! stops of a gradient. What was read is in order, is written as text that says the same, and can be
//! converted, mapped and mixed.

use solio_base::Error;
use solio_color::gradient::parse_stops;
use solio_color::{Color, HueMethod, Interpolation, Space, mix};

pub(crate) fn color(bytes: &[u8]) {
    // Files are read as text before a colour is looked for; here all of it counts.
    let text = String::from_utf8_lossy(bytes);
    match Color::parse(&text) {
        Ok(color) => use_it(&color),
        Err(error) => assert_placed(&text, &error),
    }
    match parse_stops(&text) {
        Ok(stops) => {
            assert!(!stops.is_empty(), "no stops");
            for pair in stops.windows(2) {
                assert!(pair[0].position <= pair[1].position, "{stops:?}");
            }
            stops.iter().for_each(|stop| assert_in_order(&stop.color));
        }
        Err(error) => assert!(error.column().is_some(), "{error}: without a place"),
    }
}

fn assert_placed(text: &str, error: &Error) {
    let place = error.offset().unwrap_or_else(|| panic!("{error}: without a place"));
    assert!(text.is_char_boundary(place as usize), "{error}: not in {text:?}");
}

fn assert_in_order(color: &Color) {
    assert!(color.components.iter().all(|c| c.is_finite()), "{color:?}");
    assert!((0.0..=1.0).contains(&color.alpha), "{color:?}");
}

fn use_it(color: &Color) {
    assert_in_order(color);
    let written = color.to_css();
    match Color::parse(&written) {
        Ok(back) => assert_eq!(back, *color, "{written}"),
        Err(error) => panic!("{written}: {error}"),
    }
    for space in Space::ALL {
        let there = color.to(space);
        assert_eq!(there.space, space);
        let mapped = color.map_css(space);
        let finite = mapped.components.iter().all(|c| c.is_finite());
        assert!(!finite || mapped.in_gamut(space), "{color:?}: {mapped:?}");
        for hue in HueMethod::ALL {
            let half = mix(color, &there, 0.5, Interpolation { space, hue });
            assert_eq!(half.space, space);
        }
    }
}
