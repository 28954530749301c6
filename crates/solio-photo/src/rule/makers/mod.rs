//! Rules of single makers, by the names that tables have for them.

pub(crate) mod canon;
pub(crate) mod fujifilm;
pub(crate) mod minolta;
pub(crate) mod nikon;
pub(crate) mod olympus;
pub(crate) mod others;
pub(crate) mod panasonic;
pub(crate) mod pentax;
pub(crate) mod sony;

mod lenses;

use super::MakerRule;

/// The rule that tables call `maker.function`.
pub(crate) fn own(name: &str) -> Option<&'static MakerRule> {
    let rules = match name.split_once('.')?.0 {
        "canon" => canon::RULES,
        "nikon" => nikon::RULES,
        "sony" => sony::RULES,
        "pentax" => pentax::RULES,
        "olympus" => olympus::RULES,
        "minolta" => minolta::RULES,
        "fujifilm" => fujifilm::RULES,
        "panasonic" => panasonic::RULES,
        "others" => others::RULES,
        _ => return None,
    };
    rules.iter().find(|rule| rule.name == name)
}
