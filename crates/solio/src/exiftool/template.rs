//! `-p`: a line of text with values of tags in it.

use super::condition::tag_at;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Text(String),
    /// The value of a tag.
    Tag(String),
}

/// A line of `-p`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Template {
    pub(super) parts: Vec<Part>,
}

impl Template {
    /// `None` where it has more than names of tags, or may be the name of a file.
    pub(super) fn parse(text: &str) -> Option<Template> {
        if !text.contains('$') || text.contains(['@', '\\', '\n']) || text.starts_with('#') {
            return None;
        }
        let mut parts = Vec::new();
        let mut plain = String::new();
        let mut rest = text;
        while let Some((before, behind)) = rest.split_once('$') {
            plain.push_str(before);
            if let Some(behind) = behind.strip_prefix('$') {
                plain.push('$');
                rest = behind;
                continue;
            }
            if let Some(behind) = behind.strip_prefix('/') {
                plain.push('\n');
                rest = behind;
                continue;
            }
            let (tag, behind) = tag_at(behind)?;
            if tag.ends_with(":all") || tag.contains(['*', '?']) {
                return None;
            }
            parts.push(Part::Text(std::mem::take(&mut plain)));
            parts.push(Part::Tag(tag));
            rest = behind;
        }
        plain.push_str(rest);
        parts.push(Part::Text(plain));
        parts.retain(|part| *part != Part::Text(String::new()));
        Some(Template { parts })
    }

    /// The tags in it.
    pub(super) fn tags(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Tag(tag) => Some(tag.as_str()),
            Part::Text(_) => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_with_tags() {
        let template = Template::parse("$FileName: ${IFD0:Model}, $$5").unwrap();
        assert_eq!(template.tags().collect::<Vec<_>>(), ["FileName", "IFD0:Model"]);
        assert_eq!(template.parts[1], Part::Text(": ".into()));
        for no in ["file.fmt", "${Model;s/a/b/}", "$Model @x", "$", "${all", "$GPS:all"] {
            assert_eq!(Template::parse(no), None, "{no}");
        }
    }
}
