//! Rules of the tables of fujifilm.

use crate::rule::MakerRule;
use crate::value::Value;

/// The rules that FujiFilm's table names.
pub(super) const RULES: &[MakerRule] =
    &[MakerRule { name: "fujifilm.serial", number: Value::clone, text: serial }];

/// The model's letters as hexadecimal digits, the day and twelve digits more end the number:
/// `FFDT22794526     593332303134151113535030217060`.
fn serial(value: &Value) -> Value {
    let text = value.plain();
    split(text.trim_end()).map_or_else(|| value.clone(), Value::text)
}

fn split(text: &str) -> Option<String> {
    let rest = text.is_ascii().then(|| text.len().checked_sub(12)).flatten()?;
    let (front, last) = text.split_at(rest);
    let (front, day) = front.split_at(front.len().checked_sub(6)?);
    let digits = front.bytes().rev().take_while(u8::is_ascii_hexdigit).count() & !1;
    let (front, letters) = front.split_at(front.len() - digits);
    if !day.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let byte = |at: usize| u8::from_str_radix(letters.get(at..at + 2)?, 16).ok().map(char::from);
    let letters: String = (0..digits).step_by(2).map_while(byte).collect();
    // Names of models start with a letter; digits before it belong to what is in front.
    let start = letters.find(|c: char| c.is_ascii_alphabetic() || !c.is_ascii_graphic())?;
    let (year, month, day) = (&day[..2], &day[2..4], &day[4..]);
    let century = if year < "70" { "20" } else { "19" };
    (start == 0).then(|| format!("{front}{letters} {century}{year}:{month}:{day} {last}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn serial_numbers() {
        let text = |text| serial(&Value::text(text)).plain();
        assert_eq!(
            text("FFDT22794526     593332303134151113535030217060"),
            "FFDT22794526     Y32014 2015:11:13 535030217060"
        );
        assert_eq!(
            text("FPX20582698 592D313134360702198C0020100A84 "),
            "FPX20582698 Y-1146 2007:02:19 8C0020100A84"
        );
        assert_eq!(text("12"), "12");
        assert_eq!(text("something that is rather long"), "something that is rather long");
    }
}
