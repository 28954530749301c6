//! Rules for several numbers in a row of which each has words of its own.

use crate::value::Value;

/// Each number in the words of its place, `{0:Off|1:On}{}{*:Shot %d}`; a place without words shows
/// the number.
pub(super) fn listed(sets: &'static str, value: &Value) -> String {
    let numbers = value.plain();
    let mut sets = sets.split("}{");
    let one = |number: &str| match sets.next() {
        Some(words) if !words.is_empty() => super::worded(words, false, &Value::text(number)),
        _ => number.to_owned(),
    };
    numbers.split(' ').map(one).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use crate::rule::TagRule;
    use crate::value::Value;

    #[test]
    fn each_place_has_its_words() {
        let rule = TagRule::parse(";{0:Off|1:On}{}{*:Shot %d}").unwrap();
        let text = |numbers: &[i64]| rule.text(&Value::Ints(numbers.to_vec())).plain();
        assert_eq!(text(&[1, 7, 3, 9]), "On; 7; Shot 3; 9");
        assert_eq!(text(&[0]), "Off");
        assert_eq!(text(&[5, 0]), "Unknown (5); 0");
        assert_eq!(rule.number(&Value::Ints(vec![1, 7])).plain(), "1 7");
    }
}
