//! How strong red and blue are amplified, from whichever levels a camera gives; which places of the
//! sensor see which colours.

use super::{find, number, put};
use crate::gather::Gather;
use crate::rule::{Named, TagRule};
use crate::value::Value;

/// Names of levels, and where in them red, both greens and blue stand.
const LEVELS: [(&str, [usize; 4]); 8] = [
    ("WB_RGGBLevels", [0, 1, 2, 3]),
    ("WB_RGBGLevels", [0, 1, 3, 2]),
    ("WB_RBGGLevels", [0, 2, 3, 1]),
    ("WB_GRBGLevels", [1, 0, 3, 2]),
    ("WB_GRGBLevels", [1, 0, 2, 3]),
    ("WB_GBRGLevels", [2, 3, 0, 1]),
    ("WB_RGBLevels", [0, 1, 1, 2]),
    ("WB_GRBLevels", [1, 0, 0, 2]),
];

/// Adds both balances.
pub(super) fn compute(gather: &mut Gather<'_>) {
    for (blue, name, level) in
        [(false, "RedBalance", "WBRedLevel"), (true, "BlueBalance", "WBBlueLevel")]
    {
        let single = || {
            let green = number(gather, "WBGreenLevel").filter(|green| *green != 0.0)?;
            Some(number(gather, level)? / green)
        };
        if let Some(balance) = balance(gather, blue).or_else(single) {
            put(gather, name, balance, Named::SixDecimals);
        }
    }
}

fn balance(gather: &Gather<'_>, blue: bool) -> Option<f64> {
    for (name, [red_at, green1, green2, blue_at]) in LEVELS {
        let Some(levels) = find(gather, name).map(|tag| tag.number().numbers()) else { continue };
        let level = |at: usize| levels.get(at).copied();
        let (Some(one), Some(other)) = (level(green1), level(green2)) else { continue };
        let green = (one + other) / 2.0;
        let Some(color) = level(if blue { blue_at } else { red_at }) else { continue };
        if levels.len() >= 3 && green != 0.0 {
            return Some(color / green);
        }
    }
    let levels = find(gather, "WB_RBLevels")?.number().numbers();
    let (true, Some(level)) = (levels.len() >= 2, levels.get(usize::from(blue))) else {
        return None;
    };
    // Green is 256, but 1 for cameras that write factors.
    Some(if *level < 4.0 { *level } else { *level / 256.0 })
}

/// The colours of the sensor's places: sizes and colours stand in two tags.
pub(super) fn pattern(gather: &mut Gather<'_>) {
    let last = |name: &str| gather.tags.iter().rev().find(|tag| tag.name == name);
    let (Some(sizes), Some(colors)) = (last("CFARepeatPatternDim"), last("CFAPattern2")) else {
        return;
    };
    let numbers = format!("{} {}", sizes.number().plain(), colors.number().plain());
    let words = Named::CfaPattern.text_of_number(&Value::text(numbers.clone())).plain();
    gather.put(super::GROUP, "CFAPattern", super::both(numbers, &words), TagRule::Both);
}
