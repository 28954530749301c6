//! Which tags are wanted; what is not wanted is not read.

use crate::metadata::{in_group, rank};
use crate::table::Lazy;
use crate::{Tag, composite};

/// Which tags are wanted.
#[derive(Clone, Debug, Default)]
pub struct Fields {
    /// `None`: all of them.
    wanted: Option<Vec<Field>>,
}

#[derive(Clone, Debug)]
struct Field {
    group: Option<String>,
    name: String,
    /// Asked for, and not only needed for a composite.
    asked: bool,
}

impl Fields {
    /// Every tag.
    pub fn all() -> Self {
        Fields::default()
    }

    /// Those named: `CreateDate` from any group, `ExifIFD:CreateDate`, `GPS:*`.
    pub fn of<T: AsRef<str>>(names: impl IntoIterator<Item = T>) -> Self {
        let mut wanted = Vec::new();
        for name in names {
            let (group, name) = match name.as_ref().split_once(':') {
                Some((group, name)) => (Some(group.to_owned()), name.to_owned()),
                None => (None, name.as_ref().to_owned()),
            };
            for input in composite::inputs(&name) {
                wanted.push(Field { group: None, name: (*input).to_owned(), asked: false });
            }
            wanted.push(Field { group, name, asked: true });
        }
        Fields { wanted: Some(wanted) }
    }

    /// Whether everything is wanted.
    pub fn is_all(&self) -> bool {
        self.wanted.is_none()
    }

    /// Whether a tag of this group and name is wanted, if only to compute another.
    pub(crate) fn wants(&self, group: &str, name: &str) -> bool {
        self.matching(group, name, false)
    }

    /// Whether a tag of this group and name was asked for.
    pub(crate) fn asks(&self, group: &str, name: &str) -> bool {
        self.matching(group, name, true)
    }

    fn matching(&self, group: &str, name: &str, asked: bool) -> bool {
        let Some(wanted) = &self.wanted else { return true };
        wanted.iter().any(|field| {
            (field.asked || !asked)
                && (field.name == "*" || field.name.eq_ignore_ascii_case(name))
                && field.group.as_deref().is_none_or(|wanted| in_group(group, wanted))
        })
    }

    /// Whether anything of `group` may be wanted.
    pub(crate) fn wants_group(&self, group: &str) -> bool {
        let Some(wanted) = &self.wanted else { return true };
        wanted.iter().any(|f| f.group.as_deref().is_none_or(|wanted| in_group(group, wanted)))
    }

    /// Whether all of `group` is wanted, or something of it by the group's own name.
    pub(crate) fn names_group(&self, group: &str) -> bool {
        let Some(wanted) = &self.wanted else { return true };
        wanted.iter().any(|f| f.group.as_deref().is_some_and(|wanted| in_group(group, wanted)))
    }

    /// Whether any tag of `table`, which appears as `group`, is wanted.
    pub(crate) fn wants_any(&self, group: &str, table: &'static Lazy) -> bool {
        let Some(wanted) = &self.wanted else { return true };
        if let Some(book) = table.book {
            // Tables lead to others of the same book.
            return wanted.iter().any(|field| {
                let group_of = |wanted: &str| in_group(group, wanted) || book.has_group(wanted);
                field.group.as_deref().is_none_or(group_of)
                    && (field.name == "*" || book.has_name(&field.name.to_ascii_lowercase()))
            });
        }
        wanted.iter().any(|field| {
            field.group.as_deref().is_none_or(|wanted| in_group(group, wanted))
                && (field.name == "*"
                    || table.get().rows().iter().any(|r| r.name.eq_ignore_ascii_case(&field.name)))
        })
    }

    /// Whether reading on cannot change what is shown: every field was found where it counts most.
    pub(crate) fn settled(&self, tags: &[Tag]) -> bool {
        let Some(wanted) = &self.wanted else { return false };
        wanted.iter().all(|field| {
            tags.iter().any(|tag| {
                rank(&tag.group) >= rank("IFD0")
                    && tag.name.eq_ignore_ascii_case(&field.name)
                    && field.group.as_deref().is_none_or(|wanted| in_group(&tag.group, wanted))
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_and_without_groups() {
        let fields = Fields::of(["CreateDate", "GPS:*", "XMP:Title"]);
        assert!(fields.wants("ExifIFD", "CreateDate") && fields.wants("XMP-xmp", "createdate"));
        assert!(fields.wants("GPS", "GPSLatitude") && !fields.wants("IFD0", "Make"));
        assert!(fields.wants("XMP-dc", "Title") && !fields.wants("IPTC", "Title"));
        assert!(Fields::all().wants("IFD0", "Make"));
        assert!(Fields::of(["GPSPosition"]).wants("GPS", "GPSLatitudeRef"));
        assert!(!Fields::of(["GPSPosition"]).asks("GPS", "GPSLatitudeRef"));
    }
}
