//! Which tags are wanted; what is not wanted is not read.

use crate::metadata::{in_group, rank};
use crate::table::{self, Lazy};
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
    /// The name in small letters.
    small: String,
    /// Asked for, and not only needed for a composite.
    asked: bool,
}

impl Field {
    fn of(group: Option<String>, name: String, asked: bool) -> Self {
        Field { group, small: name.to_ascii_lowercase(), name, asked }
    }
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
                wanted.push(Field::of(None, (*input).to_owned(), false));
            }
            wanted.push(Field::of(group, name, true));
        }
        Fields { wanted: Some(wanted) }
    }

    /// How many bytes of a file are worth reading first.
    pub fn head_bytes(&self) -> usize {
        crate::read::steps(self).head
    }

    /// Whether everything is wanted.
    pub fn is_all(&self) -> bool {
        self.wanted.is_none()
    }

    /// The names asked for, as they were given; none where everything is wanted.
    pub fn names(&self) -> Vec<String> {
        let asked = self.wanted.iter().flatten().filter(|field| field.asked);
        let name = |field: &Field| match &field.group {
            Some(group) => format!("{group}:{}", field.name),
            None => field.name.clone(),
        };
        asked.map(name).collect()
    }

    /// Whether a tag of this group and name is wanted, if only to compute another.
    pub(crate) fn wants(&self, group: &str, name: &str) -> bool {
        self.matching(group, name, false)
    }

    /// Whether a tag of this group and name was asked for.
    pub fn asks(&self, group: &str, name: &str) -> bool {
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

    /// Whether a tag whose name ends with `tail` may be wanted.
    pub(crate) fn wants_ending(&self, tail: &str) -> bool {
        let Some(wanted) = &self.wanted else { return true };
        let tail = tail.as_bytes();
        let ends = |name: &[u8]| {
            let start = name.len().checked_sub(tail.len());
            start.is_some_and(|start| name[start..].eq_ignore_ascii_case(tail))
        };
        wanted.iter().any(|field| field.name == "*" || ends(field.name.as_bytes()))
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
                    && (field.name == "*" || book.has_name(&field.small))
            });
        }
        wanted.iter().any(|field| {
            field.group.as_deref().is_none_or(|wanted| in_group(group, wanted))
                && (field.name == "*" || table.get().has_name(&field.small))
        })
    }

    /// Whether anything of an ICC profile may be wanted. Profiles share no name with EXIF and IPTC,
    /// where most names are from that people ask for.
    pub(crate) fn wants_profile(&self) -> bool {
        let Some(wanted) = &self.wanted else { return true };
        let elsewhere =
            |name: &str| table::EXIF.get().has_name(name) || table::IPTC.get().has_name(name);
        wanted.iter().any(|field| match &field.group {
            Some(group) => in_group("ICC_Profile", group) || group.starts_with("ICC"),
            None => table::ICC.get().has_name(&field.small) || !elsewhere(&field.small),
        })
    }

    /// Whether reading on cannot change what is shown: every field was found where it counts most.
    pub(crate) fn settled(&self, tags: &[Tag]) -> bool {
        let Some(wanted) = &self.wanted else { return false };
        wanted.iter().filter(|field| field.asked).all(|field| {
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

    #[test]
    fn profiles_are_left_out_where_no_name_can_be_theirs() {
        assert!(!Fields::of(["DateTimeOriginal", "CreateDate", "ExifIFD:*"]).wants_profile());
        for name in ["ProfileDateTime", "RenderingIntent", "ICC-header:*", "*", "RedTRC"] {
            assert!(Fields::of([name]).wants_profile(), "{name}");
        }
        for name in ["ColorSpaceData", "DeviceModel", "CMMFlags", "MeasurementFlare"] {
            assert!(Fields::of([name]).wants_profile(), "{name}");
        }
    }
}
