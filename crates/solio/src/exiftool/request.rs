//! Names of tags as they are asked for: with groups, with wildcards, as numbers.

/// One tag, or several of a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Request {
    /// The groups that stand before it, in small letters.
    pub(super) groups: Vec<String>,
    /// As it was written, for a tag that is missing.
    pub(super) name: String,
    /// In small letters.
    lower: String,
    /// `#`: the number, not the words.
    pub(super) number: bool,
    pub(super) kind: RequestKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RequestKind {
    One,
    /// `all`, `*`
    All,
    /// With `*` or `?`.
    Wild,
}

/// Whether an option can be a name of a tag.
pub(super) fn is_tag_name(text: &str) -> bool {
    let text = text.strip_suffix('#').unwrap_or(text);
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_:*?".contains(&b))
}

impl Request {
    pub(super) fn parse(text: &str) -> Option<Request> {
        if !is_tag_name(text) {
            return None;
        }
        let (text, number) = match text.strip_suffix('#') {
            Some(text) => (text, true),
            None => (text, false),
        };
        let mut groups: Vec<String> = text.split(':').map(str::to_ascii_lowercase).collect();
        let lower = groups.pop()?;
        let name = text.rsplit(':').next()?.to_owned();
        // Numbers before a group's name tell its family.
        let plain = |group: &String| {
            !group.is_empty()
                && !group.contains(['*', '?'])
                && !group.starts_with(|c: char| c.is_ascii_digit())
                && !group.starts_with("copy")
                && !group.starts_with("id-")
        };
        if name.is_empty() || !groups.iter().all(plain) {
            return None;
        }
        groups.retain(|group| group != "all");
        let kind = match lower.as_str() {
            "all" | "*" => RequestKind::All,
            _ if lower.contains(['*', '?']) => RequestKind::Wild,
            _ => RequestKind::One,
        };
        Some(Request { groups, name, lower, number, kind })
    }

    /// Whether `name` is meant.
    pub(super) fn is_name(&self, name: &str) -> bool {
        match self.kind {
            RequestKind::All => true,
            RequestKind::One => name.eq_ignore_ascii_case(&self.lower),
            RequestKind::Wild => {
                matches(self.lower.as_bytes(), name.to_ascii_lowercase().as_bytes())
            }
        }
    }

    /// The name, in small letters.
    pub(super) fn lower(&self) -> &str {
        &self.lower
    }
}

/// Whether `name` is one that `pattern` (with `*` and `?`) stands for.
fn matches(pattern: &[u8], name: &[u8]) -> bool {
    let (mut p, mut n, mut star) = (0, 0, None);
    while n < name.len() {
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(b) if *b == b'?' || *b == name[n] => {
                p += 1;
                n += 1;
            }
            _ => match star {
                Some((at, from)) => {
                    star = Some((at, from + 1));
                    (p, n) = (at + 1, from + 1);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|b| *b == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_groups_and_wildcards() {
        let request = Request::parse("EXIF:IFD0:Make#").unwrap();
        assert_eq!((request.groups.len(), &*request.name, request.number), (2, "Make", true));
        assert!(request.is_name("make") && !request.is_name("Model"));
        let wild = Request::parse("*date*").unwrap();
        assert!(wild.is_name("CreateDate") && wild.is_name("DateTimeOriginal"));
        assert!(!wild.is_name("Make") && Request::parse("S?ring").unwrap().is_name("String"));
        for no in ["", "a b", "x=1", "1IFD0:Make", "Copy1:Make", "XMP-*:all", "a:"] {
            assert_eq!(Request::parse(no), None, "{no}");
        }
    }
}
