//! Reports as JUnit writes them: a case a file, a failure for what is wrong with it.

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};
use std::io::Result;

/// A file.
pub(crate) struct JunitCase {
    /// What it is: `exr`.
    pub(crate) class: String,
    /// Its path.
    pub(crate) name: String,
    /// What is wrong with it, a line each; empty for a whole file.
    pub(crate) failure: String,
    /// It could not be looked at.
    pub(crate) error: bool,
}

/// The report.
pub(crate) fn report(cases: &[JunitCase]) -> Result<Vec<u8>> {
    let mut xml = Writer::new_with_indent(Vec::new(), b' ', 1);
    xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let errors = cases.iter().filter(|case| case.error).count();
    let failures = cases.iter().filter(|case| !case.failure.is_empty()).count() - errors;
    let mut suite = xml.create_element("testsuite").with_attribute(("name", "solio check"));
    for (name, count) in [("tests", cases.len()), ("failures", failures), ("errors", errors)] {
        suite = suite.with_attribute((name, count.to_string().as_str()));
    }
    suite.write_inner_content(|xml| cases.iter().try_for_each(|case| write(xml, case)))?;
    Ok(xml.into_inner())
}

fn write(xml: &mut Writer<Vec<u8>>, case: &JunitCase) -> Result<()> {
    let [class, name, text] = [&case.class, &case.name, &case.failure].map(|text| printable(text));
    let element = xml.create_element("testcase");
    let element = element.with_attribute(("classname", class.as_str()));
    let element = element.with_attribute(("name", name.as_str()));
    if text.is_empty() {
        return element.write_empty().map(drop);
    }
    let failed = element.write_inner_content(|xml| {
        let failure = xml.create_element(if case.error { "error" } else { "failure" });
        let failure = failure.with_attribute(("message", text.lines().next().unwrap_or_default()));
        failure.write_text_content(BytesText::new(&text)).map(drop)
    });
    failed.map(drop)
}

/// Without the characters that XML 1.0 has no way to write.
fn printable(text: &str) -> String {
    let fits = |c: char| matches!(c, '\t' | '\n' | ' '..='\u{fffd}' | '\u{10000}'..);
    text.chars().map(|c| if fits(c) { c } else { '\u{fffd}' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_escaped() {
        let case = |name: &str, failure: &str, error| JunitCase {
            class: "exr".into(),
            name: name.into(),
            failure: failure.into(),
            error,
        };
        let cases = [
            case("a<&>\"\u{1}.exr", "", false),
            case("b", "x < y\nz", false),
            case("c", "gone", true),
        ];
        let text = String::from_utf8(report(&cases).unwrap()).unwrap();
        assert!(text.contains("tests=\"3\" failures=\"1\" errors=\"1\""), "{text}");
        assert!(text.contains("name=\"a&lt;&amp;&gt;&quot;\u{fffd}.exr\"/>"), "{text}");
        assert!(text.contains("<failure message=\"x &lt; y\">x &lt; y\nz</failure>"), "{text}");
        assert!(text.contains("<error message=\"gone\">gone</error>"), "{text}");
    }
}
