//! Spectra and media that pbrt knows by name; another name of a spectrum is that of a file.

/// Whether a `spectrum` parameter may have this string without a file.
pub(crate) fn is_spectrum(name: &[u8]) -> bool {
    let Ok(name) = std::str::from_utf8(name) else { return false };
    match name.split_once('-') {
        Some(("glass", glass)) => GLASSES.contains(&glass),
        Some(("metal", metal)) => match metal.rsplit_once('-') {
            Some((metal, "eta" | "k")) => METALS.contains(&metal),
            _ => false,
        },
        Some(("stdillum", light)) => match light.strip_prefix('F') {
            Some(number) => (1..=12).any(|i: u32| i.to_string() == number),
            None => matches!(light, "A" | "D50" | "D65"),
        },
        Some(_) => name == "illum-acesD60",
        None => match name.rsplit_once('_') {
            Some((sensor, "r" | "g" | "b")) => is_sensor(sensor),
            _ => false,
        },
    }
}

/// Whether pbrt knows how this scatters light: a `preset` of a medium, a `name` of a material.
pub(super) fn is_medium(name: &[u8]) -> bool {
    MEDIA.iter().any(|known| known.as_bytes() == name)
}

/// All that it knows.
pub(super) fn media() -> impl Iterator<Item = &'static str> {
    MEDIA.iter().copied()
}

/// Of Jensen and others (2001) and Narasimhan and others (2006).
const MEDIA: &[&str] = &[
    "Apple",
    "Chicken1",
    "Chicken2",
    "Cream",
    "Ketchup",
    "Marble",
    "Potato",
    "Skimmilk",
    "Skin1",
    "Skin2",
    "Spectralon",
    "Wholemilk",
    "Lowfat Milk",
    "Reduced Milk",
    "Regular Milk",
    "Espresso",
    "Mint Mocha Coffee",
    "Lowfat Soy Milk",
    "Regular Soy Milk",
    "Lowfat Chocolate Milk",
    "Regular Chocolate Milk",
    "Coke",
    "Pepsi",
    "Sprite",
    "Gatorade",
    "Chardonnay",
    "White Zinfandel",
    "Merlot",
    "Budweiser Beer",
    "Coors Light Beer",
    "Clorox",
    "Apple Juice",
    "Cranberry Juice",
    "Grape Juice",
    "Ruby Grapefruit Juice",
    "White Grapefruit Juice",
    "Shampoo",
    "Strawberry Shampoo",
    "Head & Shoulders Shampoo",
    "Lemon Tea Powder",
    "Orange Powder",
    "Pink Lemonade Powder",
    "Cappuccino Powder",
    "Salt Powder",
    "Sugar Powder",
    "Suisse Mocha Powder",
    "Pacific Ocean Surface Water",
];

const GLASSES: [&str; 7] = ["BK7", "BAF10", "FK51A", "LASF9", "F5", "F10", "F11"];
const METALS: [&str; 7] = ["Ag", "Al", "Au", "Cu", "CuZn", "MgO", "TiO2"];

/// Whether a film has such a sensor, measured wavelength by wavelength.
fn is_sensor(name: &str) -> bool {
    use super::table::{KnownValues, table};
    let film = table().class(crate::pbrt::Directive::Film, "rgb");
    let row = film.and_then(|film| film.row(b"sensor", super::Version::V4));
    match row.map(|row| &row.known) {
        Some(KnownValues::Strings { strings, .. }) => strings.contains(&name) && name != "cie1931",
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_spectra() {
        let known = ["glass-BK7", "metal-Ag-eta", "metal-CuZn-k", "stdillum-F12", "stdillum-D65"];
        for name in known.iter().chain(&["illum-acesD60", "canon_eos_5d_r", "sony_ilce_9_b"]) {
            assert!(is_spectrum(name.as_bytes()), "{name}");
        }
        let files = ["metal-Ag.spd", "Cu.eta.spd", "stdillum-F13", "stdillum-F01", "glass", ""];
        for name in files.iter().chain(&["cie1931_r", "metal-Ag-n", "glass-SF5", "illum-D60"]) {
            assert!(!is_spectrum(name.as_bytes()), "{name}");
        }
        assert!(!is_spectrum(b"glass-\xff"));
    }
}
