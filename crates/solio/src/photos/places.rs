//! New places: nothing is replaced, files that belong together get one name, equal ones are told.
//!
//! Names that differ in case alone count as one everywhere: photos go to disks and services where they are.

use crate::photos::pairs::{GroupMember, PhotoFile};
use crate::photos::plan::{DatedGroup, PhotoAction, PhotoHow, PhotosOptions};
use crate::photos::template::{PhotoTemplate, is_short};
use solio_base::names::OsStrBytes;
use solio_base::{Result, Work};
use solio_codec::fold::fold_path;
use solio_io::walk::{Status, status_of_name};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// Photos of one name that are told apart.
const MOST_OF_A_NAME: u64 = 100_000;

/// A path where case does not count, its folder as the system knows it.
pub(crate) type PlaceKey = Vec<u8>;

/// What becomes of each file of a group, and where.
pub(crate) type Placed = Vec<(PhotoAction, Option<PathBuf>)>;

/// All that places follow from.
pub(crate) struct Places<'p> {
    pub(crate) files: &'p [PhotoFile],
    pub(crate) statuses: &'p [Status],
    pub(crate) template: &'p PhotoTemplate,
    pub(crate) options: &'p PhotosOptions,
}

enum Chosen {
    At(Vec<PathBuf>),
    Duplicate(Vec<PathBuf>),
    Not(String),
}

impl Places<'_> {
    /// The places of all groups, in their order.
    pub(crate) fn assign(&self, groups: &[DatedGroup], work: &Work) -> Result<Vec<Placed>> {
        let mut keys = PlaceKeys::default();
        let own: Vec<Vec<PlaceKey>> = groups
            .iter()
            .map(|group| {
                let members = group.group.members.iter();
                members.map(|member| keys.of(&self.files[member.file].path)).collect()
            })
            .collect();
        // What stays where it is takes its place for good; who does is known only at the end.
        let mut staying = HashSet::new();
        loop {
            let chosen = self.round(groups, &own, &staying, &mut keys, work)?;
            let mut taken = HashMap::new();
            for (i, chosen) in chosen.iter().enumerate() {
                if let Chosen::At(paths) = chosen {
                    taken.extend(paths.iter().map(|path| (keys.of(path), i)));
                }
            }
            let before = staying.len();
            for (i, chosen) in chosen.iter().enumerate() {
                let stays = !matches!(chosen, Chosen::At(_));
                if stays && own[i].iter().any(|key| taken.contains_key(key)) {
                    staying.insert(i);
                }
            }
            if staying.len() == before {
                return Ok(groups.iter().zip(chosen).map(|it| self.placed(it.0, it.1)).collect());
            }
        }
    }

    fn placed(&self, group: &DatedGroup, chosen: Chosen) -> Placed {
        let members = group.group.members.iter();
        match chosen {
            Chosen::Not(reason) => {
                members.map(|_| (PhotoAction::Leave(reason.clone()), None)).collect()
            }
            Chosen::Duplicate(of) => {
                of.into_iter().map(|path| (PhotoAction::Duplicate, Some(path))).collect()
            }
            Chosen::At(paths) => {
                let went = members.zip(paths).map(|(member, to)| {
                    let from = &self.files[member.file].path;
                    match is_same_path(from, &to) {
                        true => (PhotoAction::Stay, Some(from.clone())),
                        false => (PhotoAction::Go, Some(to)),
                    }
                });
                went.collect()
            }
        }
    }

    fn round(
        &self,
        groups: &[DatedGroup],
        own: &[Vec<PlaceKey>],
        staying: &HashSet<usize>,
        keys: &mut PlaceKeys,
        work: &Work,
    ) -> Result<Vec<Chosen>> {
        let mut chosen: Vec<Option<Chosen>> = (0..groups.len()).map(|_| None).collect();
        let mut taken = HashMap::<PlaceKey, usize>::new();
        // What has a fitting name keeps it, whatever its number.
        for (i, group) in groups.iter().enumerate() {
            if let Some(paths) = self.where_it_is(group) {
                taken.extend(own[i].iter().map(|key| (key.clone(), i)));
                chosen[i] = Some(Chosen::At(paths));
            }
        }
        // Places that are given up.
        let mut leaving = HashMap::<&PlaceKey, usize>::new();
        if self.options.how != PhotoHow::Copy {
            for (i, keys) in own.iter().enumerate().filter(|(i, _)| !staying.contains(i)) {
                leaving.extend(keys.iter().map(|key| (key, i)));
            }
        }
        // Files of one stem that were looked for begin where the last one ended.
        let mut next = HashMap::<String, u64>::new();
        for (i, group) in groups.iter().enumerate() {
            if chosen[i].is_some() {
                continue;
            }
            work.cancel.check()?;
            let first = group.stem(self.files, self.template, 0);
            let from =
                if self.template.has_number() { next.get(&first).copied().unwrap_or(0) } else { 0 };
            let most = if self.template.has_number() { MOST_OF_A_NAME } else { 1 };
            let mut found = None;
            // Equal ones may stand before the first free number.
            for n in 0..most {
                let paths = self.paths(group, n);
                if paths.iter().any(|path| {
                    !path.file_name().is_some_and(|name| is_short(&name.to_string_lossy()))
                }) {
                    found = Some(Chosen::Not("its new name would be too long".into()));
                    break;
                }
                let wanted: Vec<PlaceKey> = paths.iter().map(|path| keys.of(path)).collect();
                let is_free = n >= from
                    && wanted.iter().zip(&paths).all(|(key, path)| {
                        let is_left = leaving.contains_key(key);
                        !taken.contains_key(key) && (is_left || !keys.is_there(path))
                    });
                if is_free {
                    taken.extend(wanted.into_iter().map(|key| (key, i)));
                    if n > 0 {
                        next.insert(first.clone(), n + 1);
                    }
                    found = Some(Chosen::At(paths));
                    break;
                }
                let holders = wanted.iter().zip(&paths);
                let holders: Option<Vec<PathBuf>> = holders
                    .map(|(key, path)| match taken.get(key) {
                        Some(other) => self.holder(&groups[*other], &chosen[*other], key, keys),
                        None => keys.there(path).filter(|_| !leaving.contains_key(key)),
                    })
                    .collect();
                if let Some(holders) = holders
                    && self.are_equal(group, &holders, work)?
                {
                    // What comes there tells where it will be.
                    found = Some(Chosen::Duplicate(paths));
                    break;
                }
            }
            chosen[i] = Some(found.unwrap_or_else(|| {
                let reason =
                    "its new name is taken, and the template has no {-n} to tell them apart";
                Chosen::Not(reason.into())
            }));
        }
        Ok(chosen.into_iter().flatten().collect())
    }

    /// The file of another group that gets this place: where it is now.
    fn holder(
        &self,
        other: &DatedGroup,
        chosen: &Option<Chosen>,
        key: &PlaceKey,
        keys: &mut PlaceKeys,
    ) -> Option<PathBuf> {
        let Some(Chosen::At(paths)) = chosen else { return None };
        let at = paths.iter().position(|path| keys.of(path) == *key)?;
        Some(self.files[other.group.members[at].file].path.clone())
    }

    /// Whether each file of a group has the bytes of another.
    fn are_equal(&self, group: &DatedGroup, others: &[PathBuf], work: &Work) -> Result<bool> {
        for (member, other) in group.group.members.iter().zip(others) {
            let (path, own) = (&self.files[member.file].path, &self.statuses[member.file]);
            let Ok((theirs, _)) = status_of_name(other) else { return Ok(false) };
            if theirs.size != own.size || !theirs.is_file() {
                return Ok(false);
            }
            match solio_io::same_bytes(path, other, work) {
                Ok(true) => {}
                Ok(false) => return Ok(false),
                Err(error) if error.kind() == solio_base::ErrorKind::Cancelled => {
                    return Err(error);
                }
                // Who cannot tell keeps both.
                Err(_) => return Ok(false),
            }
        }
        Ok(true)
    }

    /// The new paths of a group.
    fn paths(&self, group: &DatedGroup, n: u64) -> Vec<PathBuf> {
        let stem = group.stem(self.files, self.template, n);
        let members = group.group.members.iter();
        let path = |member: &GroupMember| {
            let tail = &member.tail;
            let extension = self.template.extension(&tail.extension);
            let name = format!("{stem}{}{extension}{}", tail.variant, tail.rest);
            let own = self.files[member.file].path.parent().unwrap_or(Path::new(""));
            self.options.to.as_deref().unwrap_or(own).join(name)
        };
        members.map(path).collect()
    }

    /// Its paths, if it has such as it would get.
    fn where_it_is(&self, group: &DatedGroup) -> Option<Vec<PathBuf>> {
        let lead = &self.files[group.group.members[0].file].path;
        let fits = |n: u64| {
            let paths = self.paths(group, n);
            let mut both = group.group.members.iter().zip(&paths);
            let is_it = |(member, path): (&GroupMember, &PathBuf)| {
                is_same_path(&self.files[member.file].path, path)
            };
            both.all(is_it).then_some(paths)
        };
        if let Some(paths) = fits(0) {
            return Some(paths);
        }
        // The number that its name has, if it has one.
        if !self.template.has_number() {
            return None;
        }
        let name = lead.file_name()?.to_string_lossy().into_owned();
        let digits = name.split(|letter: char| !letter.is_ascii_digit());
        let numbers = digits.filter_map(|text| text.parse().ok());
        let mut numbers: Vec<u64> = numbers.filter(|n| (1..MOST_OF_A_NAME).contains(n)).collect();
        numbers.dedup();
        numbers.into_iter().rev().find_map(fits)
    }
}

/// Whether two paths are one, letter by letter.
fn is_same_path(a: &Path, b: &Path) -> bool {
    let whole = |path: &Path| {
        let path = solio_base::names::absolute(path).unwrap_or(path.to_owned());
        let folder = path.parent().and_then(|it| solio_base::names::canonical(it).ok());
        folder.map(|folder| folder.join(path.file_name().unwrap_or_default())).unwrap_or(path)
    };
    a == b || a.file_name() == b.file_name() && whole(a) == whole(b)
}

/// What folders have, and which paths are one; asked once.
#[derive(Default)]
pub(crate) struct PlaceKeys {
    folders: HashMap<PathBuf, PathBuf>,
    /// By the folder, folded names with the real ones.
    names: HashMap<PathBuf, HashMap<Vec<u8>, PathBuf>>,
}

impl PlaceKeys {
    /// The same for paths that are, or may be, one file.
    pub(crate) fn of(&mut self, path: &Path) -> PlaceKey {
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        let known = self.folders.entry(folder).or_insert_with_key(|folder| real(folder));
        let mut key = Vec::new();
        let whole = known.join(path.file_name().unwrap_or_default());
        fold_path(&mut key, whole.as_os_str().as_bytes());
        key
    }

    /// The file or folder that has this name now, or one that differs in case alone.
    pub(crate) fn there(&mut self, path: &Path) -> Option<PathBuf> {
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        let names = self.names.entry(folder).or_insert_with_key(|folder| names_in(folder));
        names.get(&folded(path.file_name()?.as_bytes())).cloned()
    }

    fn is_there(&mut self, path: &Path) -> bool {
        // A file may also stand where a folder is to be made.
        let above = path.ancestors().skip(1).find(|above| std::fs::symlink_metadata(above).is_ok());
        self.there(path).is_some() || above.is_some_and(|above| !above.is_dir())
    }
}

fn folded(name: &[u8]) -> Vec<u8> {
    let mut folded = Vec::new();
    fold_path(&mut folded, name);
    folded
}

fn names_in(folder: &Path) -> HashMap<Vec<u8>, PathBuf> {
    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    // A folder that is not there has none.
    let Ok(entries) = std::fs::read_dir(here) else { return HashMap::new() };
    let names = entries.flatten().map(|entry| entry.file_name());
    names.map(|name| (folded(name.as_bytes()), folder.join(name))).collect()
}

/// A folder as the system knows it; of one that is not there yet, what is.
fn real(folder: &Path) -> PathBuf {
    let whole = solio_base::names::absolute(folder).unwrap_or(folder.to_owned());
    for above in whole.ancestors() {
        if let Ok(known) = solio_base::names::canonical(above) {
            let rest = whole.strip_prefix(above).unwrap_or(Path::new(""));
            return known.join(rest);
        }
    }
    whole
}
