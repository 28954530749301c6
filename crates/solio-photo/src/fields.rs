//! Which tags are wanted; what is not wanted is not read.

pub(crate) mod inputs;

pub(crate) use inputs::Composites;

use crate::groups::{family, in_group};
use crate::table::{self, Lazy};
use solio_container::ReadSteps;
use std::sync::OnceLock;

/// For a few fields: most dates stand within the first 2 KiB; what is read then is often no more
/// than the next segment's head. Of 1,000 mixed files 4.0 MB are read, with 4 KiB first 5.4, and both
/// take the same time.
const FEW: ReadSteps = ReadSteps { head: 2 << 10, next: 2 << 10 };
/// For everything.
const ALL: ReadSteps = ReadSteps { head: 64 << 10, next: 16 << 10 };
/// Which tags are wanted.
#[derive(Clone, Debug, Default)]
pub struct Fields {
    /// `None`: all of them.
    wanted: Option<Vec<WantedField>>,
    /// What follows from them for readers; found out once, and not for each file.
    plan: OnceLock<FieldPlan>,
}

#[derive(Clone, Debug)]
struct WantedField {
    group: Option<String>,
    name: String,
    /// What [`table::Names`] know of the name.
    hash: u32,
    /// Asked for, and not only needed for a composite.
    asked: bool,
}

impl WantedField {
    fn of(group: Option<String>, name: String, asked: bool) -> Self {
        WantedField { group, hash: table::hash(&name), name, asked }
    }
}

/// Numbers of entries, to be asked about often.
#[derive(Clone, Debug)]
pub(crate) struct Ids {
    all: Vec<u16>,
    /// A bit for the low part of each.
    low: [u64; 16],
}

impl From<Vec<u16>> for Ids {
    fn from(all: Vec<u16>) -> Self {
        let mut low = [0; 16];
        all.iter().for_each(|id| low[usize::from(id >> 6 & 15)] |= 1 << (id & 63));
        Ids { all, low }
    }
}

impl Ids {
    pub(crate) fn contain(&self, id: u16) -> bool {
        self.low[usize::from(id >> 6 & 15)] >> (id & 63) & 1 == 1 && self.all.contains(&id)
    }
}

/// What a list of fields means for a reader.
#[derive(Clone, Debug)]
struct FieldPlan {
    /// Numbers of entries in EXIF's directories that matter; `None`: all.
    exif: Option<Ids>,
    /// How properties of XMP end that are called otherwise there.
    xmp: Vec<&'static str>,
    /// The last letters of all names and of those ends, small, a bit each.
    last: u128,
    /// Whether a profile may have one of them.
    profile: bool,
    /// Which composites there are among them.
    composites: Composites,
    /// Which names can be among them.
    names: Shapes,
    /// Whether a trailer behind a JPEG may have one of them.
    trailers: OnceLock<bool>,
    /// Whether one names a picture in a TIFF structure, or where it is.
    pictures: OnceLock<bool>,
}

/// Where everything is wanted.
static EVERYTHING: FieldPlan = FieldPlan {
    exif: None,
    xmp: Vec::new(),
    last: 0,
    profile: true,
    composites: Composites::Any,
    names: Shapes([u64::MAX; 16]),
    trailers: OnceLock::new(),
    pictures: OnceLock::new(),
};

/// What tells most names from those that are wanted sooner than their letters do: a bit for each
/// number that a wanted name has; all of them where one name stands for all.
#[derive(Clone, Copy, Debug)]
struct Shapes([u64; 16]);

impl Shapes {
    fn of(wanted: &[WantedField], all: bool) -> Self {
        if all {
            return Shapes([u64::MAX; 16]);
        }
        let mut bits = [0; 16];
        for number in wanted.iter().map(|field| Self::number(field.name.as_bytes())) {
            bits[number >> 6] |= 1 << (number & 63);
        }
        Shapes(bits)
    }

    /// Of the length and three letters, large or small; below 1,024.
    fn number(name: &[u8]) -> usize {
        let letter = |at: usize| name.get(at).map_or(0, |letter| usize::from(letter & 31));
        let (first, middle, last) =
            (letter(0), letter(name.len() / 2), letter(name.len().max(1) - 1));
        (first * 37 + middle * 151 + last * 293 + name.len() * 619) & 1023
    }

    fn has(&self, name: &str) -> bool {
        let number = Self::number(name.as_bytes());
        self.0[number >> 6] >> (number & 63) & 1 == 1
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
            // Spaces around a name are those of the list that it stood in: `Make, Model`.
            let (group, name) = match name.as_ref().trim().split_once(':') {
                Some((group, name)) => (Some(group.to_owned()), name.to_owned()),
                None => (None, name.as_ref().trim().to_owned()),
            };
            for input in inputs::inputs(&name) {
                wanted.push(WantedField::of(None, input.to_owned(), false));
                // Some are made of others; dates are not, and should be quick.
                if input.contains("Date") {
                    continue;
                }
                for of_input in inputs::inputs(input).filter(|of| *of != input) {
                    wanted.push(WantedField::of(None, of_input.to_owned(), false));
                }
            }
            let all_of = |wanted: &str| {
                name == "*" && group.as_deref().is_some_and(|g| g.eq_ignore_ascii_case(wanted))
            };
            // All composites are made of anything.
            if all_of(inputs::GROUP) {
                wanted.push(WantedField::of(None, name.clone(), false));
            }
            // What the file is may depend on what is in it.
            if all_of("File") {
                for input in inputs::inputs("FileType") {
                    wanted.push(WantedField::of(None, input.to_owned(), false));
                }
            }
            wanted.push(WantedField::of(group, name, true));
        }
        let fields = Fields { wanted: Some(wanted), plan: OnceLock::new() };
        // Here, so that clones need not find it out again.
        fields.plan();
        fields
    }

    fn plan(&self) -> &FieldPlan {
        let Some(wanted) = self.wanted.as_deref() else { return &EVERYTHING };
        self.plan.get_or_init(|| {
            let all = wanted.iter().any(|field| field.name == "*");
            let shapes = Shapes::of(wanted, all);
            let named = |name: &str| {
                shapes.has(name) && wanted.iter().any(|f| f.name.eq_ignore_ascii_case(name))
            };
            let xmp = if all { Vec::new() } else { table::xmp_ends(named) };
            let names = wanted.iter().map(|field| field.name.as_str()).chain(xmp.iter().copied());
            FieldPlan {
                last: names.fold(0, |bits, name| bits | last_bit(name.as_bytes())),
                exif: (!all).then(|| table::exif_ids(named).into()),
                xmp,
                profile: wanted.iter().any(WantedField::may_be_of_a_profile),
                composites: inputs::of(|name| self.asks(inputs::GROUP, name)),
                names: shapes,
                trailers: OnceLock::new(),
                pictures: OnceLock::new(),
            }
        })
    }

    /// The numbers of entries in EXIF's directories that matter; `None`: all.
    pub(crate) fn exif_ids(&self) -> Option<&Ids> {
        self.plan().exif.as_ref()
    }

    /// Whether names of tags tell nothing of paths in XMP.
    pub(crate) fn takes_any_path(&self) -> bool {
        self.plan().exif.is_none()
    }

    /// Whether a property of XMP whose path has this last part may have a name that is wanted:
    /// names end as it does, or as a table says. `plain`: it has letters and digits alone; odd ones
    /// are left out of names.
    pub(crate) fn wants_path_to(&self, last: &[u8], plain: bool) -> bool {
        let plan = self.plan();
        if plan.exif.is_none() || !plain {
            return true;
        }
        if plan.last & last_bit(last) == 0 {
            return false;
        }
        let ends = |name: &[u8]| {
            let start = name.len().checked_sub(last.len());
            start.is_some_and(|start| name[start..].eq_ignore_ascii_case(last))
        };
        self.wanted.iter().flatten().any(|field| ends(field.name.as_bytes()))
            || plan.xmp.iter().any(|end| end.as_bytes() == last)
    }

    /// Whether a trailer may have one of them, as `may_hold` finds, which is asked once.
    pub(crate) fn wants_trailers(&self, may_hold: impl FnOnce(&Fields) -> bool) -> bool {
        *self.plan().trailers.get_or_init(|| may_hold(self))
    }

    /// Whether one of `names`, which are those of pictures, was asked for, of whatever group.
    pub(crate) fn asks_for_pictures(&self, mut names: impl Iterator<Item = &'static str>) -> bool {
        let Some(wanted) = &self.wanted else { return true };
        let is = |field: &WantedField, name: &str| {
            field.name == "*" || field.name.eq_ignore_ascii_case(name)
        };
        *self.plan().pictures.get_or_init(|| {
            names.any(|name| wanted.iter().any(|field| field.asked && is(field, name)))
        })
    }

    /// Which composites were asked for.
    pub(crate) fn composites(&self) -> Composites {
        self.plan().composites
    }

    /// How much is read at once.
    pub(crate) fn steps(&self) -> ReadSteps {
        if self.is_all() { ALL } else { FEW }
    }

    /// How many bytes of a file are worth reading first.
    pub fn head_bytes(&self) -> usize {
        self.steps().head
    }

    /// Whether everything is wanted.
    pub fn is_all(&self) -> bool {
        self.wanted.is_none()
    }

    /// The names asked for, as they were given; none where everything is wanted.
    pub fn names(&self) -> Vec<String> {
        let asked = self.wanted.iter().flatten().filter(|field| field.asked);
        let name = |field: &WantedField| match &field.group {
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

    #[inline]
    fn matching(&self, group: &str, name: &str, asked: bool) -> bool {
        let Some(wanted) = &self.wanted else { return true };
        self.plan.get().is_none_or(|plan| plan.names.has(name)) && any(wanted, group, name, asked)
    }

    /// Whether a name that is wanted has this letter.
    pub(crate) fn wants_any_with(&self, letter: char) -> bool {
        self.wanted.as_ref().is_none_or(|all| all.iter().any(|f| f.name.contains(letter)))
    }

    /// Whether anything of `group` may be wanted.
    pub(crate) fn wants_group(&self, group: &str) -> bool {
        let Some(wanted) = &self.wanted else { return true };
        wanted.iter().any(|f| f.group.as_deref().is_none_or(|wanted| in_group(group, wanted)))
    }

    /// Whether anything of a group may be wanted whose name starts like this: each namespace of XMP
    /// is one, and directories of one kind are counted.
    pub(crate) fn wants_groups_like(&self, start: &str) -> bool {
        let Some(wanted) = &self.wanted else { return true };
        let like = |group: &str| {
            group.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start))
        };
        wanted.iter().any(|field| field.group.as_deref().is_none_or(like))
    }

    /// Whether anything may be wanted of the directory that holds the maker's note: its own, or
    /// what lies within, in groups that are no other's.
    pub(crate) fn wants_exif(&self) -> bool {
        const OTHERS: [&str; 11] = [
            "IFD0",
            "IFD1",
            "GPS",
            "XMP",
            "IPTC",
            "ICC_Profile",
            "Photoshop",
            "File",
            "JFIF",
            "PNG",
            "QuickTime",
        ];
        let Some(wanted) = &self.wanted else { return true };
        let other = |group: &str| {
            let is = |known: &&str| {
                known.eq_ignore_ascii_case(group) || known.eq_ignore_ascii_case(family(group))
            };
            OTHERS.iter().any(is)
        };
        // The note's byte order is told as something of the file.
        let order = |field: &WantedField| field.name.eq_ignore_ascii_case("MakerNoteByteOrder");
        wanted
            .iter()
            .any(|field| field.group.as_deref().is_none_or(|group| !other(group)) || order(field))
    }

    /// Whether a tag is asked for by its own name; one that holds a whole block, of which others are
    /// the parts, is not wanted otherwise.
    pub(crate) fn names_tag(&self, group: &str, name: &str) -> bool {
        let named = |field: &WantedField| {
            let groups = field.group.as_deref().is_none_or(|wanted| in_group(group, wanted));
            groups && field.name.eq_ignore_ascii_case(name)
        };
        self.wanted.as_ref().is_some_and(|wanted| wanted.iter().any(named))
    }

    /// Whether any tag of `table`, which appears as `group`, is wanted.
    pub(crate) fn wants_any(&self, group: &str, table: &'static Lazy) -> bool {
        let Some(wanted) = &self.wanted else { return true };
        wanted.iter().any(|field| {
            let its_own = |wanted: &str| in_group(group, wanted);
            // Tables lead to others of the same book.
            let of_book = |wanted: &str| table.book.is_some_and(|book| book.has_group(wanted));
            field.group.as_deref().is_none_or(|wanted| its_own(wanted) || of_book(wanted))
                && (field.name == "*" || table.names.may_have(field.hash))
        })
    }

    /// Whether anything of an ICC profile may be wanted.
    pub(crate) fn wants_profile(&self) -> bool {
        self.plan().profile
    }
}

impl WantedField {
    /// Profiles share no name with EXIF and IPTC, where most names are from that people ask for.
    fn may_be_of_a_profile(&self) -> bool {
        if let Some(group) = &self.group {
            return in_group("ICC_Profile", group) || group.starts_with("ICC");
        }
        let elsewhere = [&table::EXIF, &table::IPTC]
            .into_iter()
            .any(|table| table.names.may_have(self.hash) && table.get().has_name(&self.name));
        table::ICC.names.may_have(self.hash) || !elsewhere
    }
}

/// Whether a tag of this group and name is one of `wanted`.
fn any(wanted: &[WantedField], group: &str, name: &str, asked: bool) -> bool {
    wanted.iter().any(|field| {
        (field.asked || !asked)
            && (field.name == "*" || field.name.eq_ignore_ascii_case(name))
            && field.group.as_deref().is_none_or(|wanted| in_group(group, wanted))
    })
}

/// A bit for the last letter of a name; all for one without.
fn last_bit(name: &[u8]) -> u128 {
    name.last().map_or(u128::MAX, |letter| 1 << (letter.to_ascii_lowercase() & 127))
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
        assert!(Fields::of(["XMP-dc:Title"]).wants_groups_like("XMP"));
        assert!(!Fields::of(["IFD0:Make"]).wants_groups_like("XMP"));
        assert!(Fields::of(["Canon:LensType"]).wants_exif() && Fields::of(["ISO"]).wants_exif());
        assert!(!Fields::of(["GPS:GPSSpeed", "XMP-dc:Title", "ICC-header:*"]).wants_exif());
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
