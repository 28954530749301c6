//! Rules that are sums: a few steps from the stored number to the one that is meant, and how that
//! is printed.

use super::{Named, TagRule};
use crate::number::plain;
use crate::value::Value;

/// `~/32 exp2 *100 : %.0f`: steps, then a rule for what they give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RuleSteps {
    steps: &'static str,
    then: &'static TagRule,
}

impl RuleSteps {
    /// Of the text behind the `~`. Tables live as long as the process, and so do their rules.
    pub(super) fn parse(text: &'static str) -> Option<RuleSteps> {
        let (steps, then) = text.split_once(" : ").unwrap_or((text, "-"));
        steps.split(' ').all(|step| apply(step, 1.0).is_some()).then_some(())?;
        Some(RuleSteps { steps, then: Box::leak(Box::new(TagRule::parse(then)?)) })
    }

    /// What the steps make of each number, before the other rule.
    pub(super) fn computed(self, value: &Value) -> impl Iterator<Item = f64> {
        let one = move |n| self.steps.split(' ').fold(n, |n, step| apply(step, n).unwrap_or(n));
        value.numbers().into_iter().map(one)
    }

    /// What the steps make of each number.
    pub(super) fn number(self, value: &Value) -> Value {
        let numbers: Vec<f64> = self.computed(value).collect();
        // Numbers go on as they are printed.
        let value = match &numbers[..] {
            [] => return value.clone(),
            all if all.iter().all(|n| n.fract() == 0.0 && n.abs() < 1e15) => {
                Value::Ints(all.iter().map(|n| *n as i64).collect())
            }
            _ => Value::Floats(numbers),
        };
        self.then.number(&value)
    }

    /// The words for it.
    pub(super) fn text(self, value: &Value) -> Value {
        let number = self.number(value);
        match self.then {
            // What a named rule does to numbers has been done.
            TagRule::Named(named) => named.text_of_number(&number),
            other => other.text(&number),
        }
    }
}

/// One step.
fn apply(step: &str, n: f64) -> Option<f64> {
    Some(match step {
        "exp2" => n.exp2(),
        // The same to the last digit but one; which of the two counts for `-n`.
        "raise2" => (n * std::f64::consts::LN_2).exp(),
        "raise10" => 10f64.powf(n),
        "log2" => n.log2(),
        "inverse" => 1.0 / n,
        "root" => n.sqrt(),
        "abs" => n.abs(),
        "whole" => n.trunc(),
        "round" => n.round(),
        "thirds32" => thirds32(n as i64),
        "int4s" => f64::from((n as i64 as i8) << 4 >> 4),
        "int8s" => f64::from(n as i64 as i8),
        "int16s" => f64::from(n as i64 as i16),
        "bits16" => f64::from(n as i64 as u16),
        _ => {
            let by = step.get(1..).filter(|by| !by.is_empty())?;
            let whole = by.strip_prefix("0x").and_then(|hex| i64::from_str_radix(hex, 16).ok());
            let by = whole.map_or_else(|| by.parse().ok(), |whole| Some(whole as f64))?;
            match step.as_bytes()[0] {
                b'+' => n + by,
                b'-' => n - by,
                // What the number is taken from.
                b'_' => by - n,
                b'*' => n * by,
                b'/' => n / by,
                // By what divides.
                b'\\' if n == 0.0 => 0.0,
                b'\\' => by / n,
                b'&' => (n as i64 & by as i64) as f64,
                b'%' => n % by,
                b'>' => (n as i64 >> (by as u32).min(63)) as f64,
                _ => return None,
            }
        }
    })
}

/// Steps of exposure in 32nds; 12 and 20 of them stand for thirds.
fn thirds32(n: i64) -> f64 {
    let (sign, n) = (if n < 0 { -1.0 } else { 1.0 }, n.abs());
    let part = match n & 31 {
        12 => 32.0 / 3.0,
        20 => 64.0 / 3.0,
        other => other as f64,
    };
    sign * ((n & !31) as f64 + part) / 32.0
}

/// `value` in a template: `%.1f mm`, `%+d`, `{}`; `@name` is a named rule.
pub(super) fn filled(template: &'static str, value: &Value) -> String {
    if let Some(name) = template.strip_prefix('@') {
        return match Named::parse(name) {
            Some(named) => named.text_of_number(value).plain(),
            None => value.plain(),
        };
    }
    let mut text = String::new();
    let mut rest = template;
    let mut next = 0;
    while let Some(at) = rest.find(['%', '{']) {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(behind) = rest.strip_prefix("{}") {
            text.push_str(&value.plain());
            rest = behind;
            continue;
        }
        let Some(end) = rest[1..].find(|c: char| c.is_ascii_alphabetic() || c == '%') else {
            break;
        };
        let (directive, behind) = rest.split_at(end + 2);
        rest = behind;
        if directive == "%%" {
            text.push('%');
            continue;
        }
        text.push_str(&printed(&directive[1..], value, next));
        next += 1;
    }
    text.push_str(rest);
    text
}

/// One number as C prints it: `.1f`, `d`, `+d`, `.2d`, `04x`, `s`.
fn printed(directive: &str, value: &Value, index: usize) -> String {
    // Nothing over nothing is shown as none of it.
    let Some(number) = value.number(index) else { return String::new() };
    let number = if number.is_nan() { 0.0 } else { number };
    let (flags, kind) = directive.split_at(directive.len() - 1);
    let plus = flags.starts_with('+') && number >= 0.0;
    let flags = flags.trim_start_matches('+');
    let (width, digits) = flags.split_once('.').unwrap_or((flags, ""));
    let zeros = width.starts_with('0') || (!digits.is_empty() && matches!(kind, "d" | "x"));
    let width: usize = if zeros && matches!(kind, "d" | "x") && !digits.is_empty() {
        digits.parse().unwrap_or(0)
    } else {
        width.parse().unwrap_or(0)
    };
    let digits: usize = digits.parse().unwrap_or(6);
    let body = match kind {
        "f" if number.is_finite() => format!("{number:.digits$}"),
        "g" => crate::number::significant(number, digits),
        "d" => format!("{}", number.trunc() as i64),
        "x" => format!("{:x}", number as i64),
        "X" => format!("{:X}", number as i64),
        _ => plain(number),
    };
    let body = if zeros { format!("{body:0>width$}") } else { format!("{body:>width$}") };
    if plus { format!("+{body}") } else { body }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_and_templates() {
        let text = |rule: &'static str, n: i64| {
            let rule = TagRule::parse(rule).unwrap();
            (rule.number(&Value::int(n)).plain(), rule.text(&Value::int(n)).plain())
        };
        assert_eq!(text("~/10 : %.1f mm", 185), ("18.5".into(), "18.5 mm".into()));
        assert_eq!(text("~/32 exp2 *100 : %.0f", 64), ("400".into(), "400".into()));
        assert_eq!(text("~&0x0f", 0x1f), ("15".into(), "15".into()));
        assert_eq!(text("~-128 : ={0:Normal|*:%+d}", 130), ("2".into(), "+2".into()));
        assert_eq!(text("={0:Auto|*:{} K}", 5200), ("5200".into(), "5200 K".into()));
        assert_eq!(text("~/3 : ={0:0|*:@fraction}", 1).1, "+1/3");
        assert_eq!(text("%.3d", 7).1, "007");
        assert_eq!(text("~int4s /6", 15).0, "-0.166666666666667");
        assert_eq!(text("%x %%", 255).1, "ff %");
        assert_eq!(TagRule::parse("~what"), None);
    }
}
