//! Conditions of tables' lines: which cameras and values a line holds for.

use crate::camera::CameraModel;
use crate::value::Value;
use solio_container::ByteView;
use std::borrow::Cow;

/// All of some tests, parted by `, `; each is a subject, a comparison and values parted by `|`.
///
/// Subjects: `model`, `make`, `count`, `bytes`, `type`, `value` (the number after the row's bits
/// were cut out), `start` (the entry's first bytes as text), `at72` (the byte of the record at this
/// place). Comparisons: `=` is one of, `!=` is
/// none of, `~` contains one of, `!~` contains none of, `^` starts with one of, `$` ends with one
/// of, `!$` ends with none of, `<`, `>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct When(&'static [Test]);

/// A subject, a comparison and values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Test {
    subject: &'static str,
    /// Of the subject `at`: where.
    place: u64,
    comparison: &'static str,
    values: &'static str,
}

/// What a condition can ask about.
pub(crate) struct WhenFacts<'a> {
    /// The camera.
    pub(crate) camera: &'a CameraModel,
    /// How many numbers there are.
    pub(crate) count: u64,
    /// How many bytes.
    pub(crate) bytes: u64,
    /// Their type's name.
    pub(crate) kind: &'static str,
    /// The value, or the first bytes of it.
    pub(crate) value: Option<&'a Value>,
    /// The record that the row is of, if it is one.
    pub(crate) record: ByteView<'a>,
}

const SUBJECTS: [&str; 8] = ["model", "make", "count", "bytes", "type", "value", "start", "at"];
const COMPARISONS: [&str; 9] = ["!=", "!~", "!$", "=", "~", "^", "$", "<", ">"];

impl Test {
    fn parse(text: &'static str) -> Option<Test> {
        let subject = SUBJECTS.iter().find(|subject| text.starts_with(**subject))?;
        let rest = &text[subject.len()..];
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (place, rest) = match *subject {
            "at" => (rest[..digits].parse().ok()?, &rest[digits..]),
            _ => (0, rest),
        };
        let comparison = COMPARISONS.iter().find(|comparison| rest.starts_with(**comparison))?;
        Some(Test { subject, place, comparison, values: &rest[comparison.len()..] })
    }
}

impl When {
    /// Nothing where a test is not understood. Tables live as long as the process, and so do their
    /// conditions.
    pub(crate) fn parse(text: &'static str) -> Option<When> {
        let tests: Option<Vec<Test>> = text.split(", ").map(Test::parse).collect();
        Some(When(Box::leak(tests?.into_boxed_slice())))
    }

    /// Whether the value itself is asked about.
    pub(crate) fn asks_value(self) -> bool {
        self.0.iter().any(|test| matches!(test.subject, "value" | "start"))
    }

    /// Whether all tests hold.
    pub(crate) fn holds(self, seen: &WhenFacts<'_>) -> bool {
        self.0.iter().all(|Test { subject, place, comparison, values }| {
            let text = match *subject {
                "model" => Cow::Borrowed(seen.camera.model.as_str()),
                "make" => Cow::Borrowed(seen.camera.make.as_str()),
                "count" => Cow::Owned(seen.count.to_string()),
                "bytes" => Cow::Owned(seen.bytes.to_string()),
                "type" => Cow::Borrowed(seen.kind),
                "at" => {
                    Cow::Owned(seen.record.u8(*place).map(|n| n.to_string()).unwrap_or_default())
                }
                _ => Cow::Owned(seen.value.map(Value::plain).unwrap_or_default()),
            };
            let any = |test: &dyn Fn(&str) -> bool| values.split('|').any(test);
            let order = |test: &dyn Fn(f64, f64) -> bool| {
                let limit = crate::number::leading(values);
                crate::number::first(&text).is_some_and(|number| test(number, limit))
            };
            match *comparison {
                "=" => any(&|value| text == value),
                "!=" => !any(&|value| text == value),
                "~" => any(&|value| text.contains(value)),
                "!~" => !any(&|value| text.contains(value)),
                "^" => any(&|value| text.starts_with(value)),
                "$" => any(&|value| text.ends_with(value)),
                "!$" => !any(&|value| text.ends_with(value)),
                "<" => order(&|number, limit| number < limit),
                _ => order(&|number, limit| number > limit),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_of_models_and_values() {
        let camera = CameraModel { make: "Canon".into(), model: "Canon EOS 5D Mark II".into() };
        let value = Value::int(7);
        let record = ByteView::memory(&[9, 1]);
        let (value, kind) = (Some(&value), "int16u");
        let seen = WhenFacts { camera: &camera, count: 1, bytes: 2, kind, value, record };
        let holds = |text| When::parse(text).unwrap().holds(&seen);
        assert!(holds("model~EOS 7D|EOS 5D") && holds("model$Mark II, value>6"));
        assert!(holds("model!$5D|Mark III") && !holds("model!$Mark II"));
        assert!(!holds("model$5D") && !holds("count!=1") && !holds("model!~EOS"));
        assert!(holds("type=int16u, bytes=1|2, value!=0") && holds("value<8, make^Can"));
        assert!(holds("at1=1|2") && holds("at0>8") && !holds("at7=1"));
        assert_eq!((When::parse("color=3"), When::parse("at=3")), (None, None));
    }
}
