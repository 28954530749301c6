//! Files that belong together: RAW and JPEG, Live Photos, edited copies, sidecars.
//!
//! Names find them first (`IMG_1.CR2`, `IMG_1.JPG`, `IMG_1.xmp`, `IMG_1.CR2.xmp`), within a folder. Then what
//! photos say parts those that only have the same name, as numbers of cameras begin again: pictures whose
//! times differ, Live Photos whose identifiers do. Parts of a Live Photo find each other by their identifier,
//! whatever they are called.

use crate::photos::takeout::{TakeoutNames, TakeoutNote, original_of};
use crate::photos::times::PhotoFacts;
use regex::Regex;
use solio_kinds::{Family, FileKind, FileType};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Seconds between pictures that are one: RAW and JPEG have one time, a burst has others.
const MOST_BETWEEN_PICTURES_S: i64 = 2;
/// Seconds between a picture and a film of the same name: one of them may be in universal time.
const MOST_TO_A_FILM_S: i64 = 26 * 3600;

/// What a file is among those that belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PhotoRole {
    Raw,
    Still,
    Film,
    /// It says something of another file.
    Side,
}

/// Films that the table of kinds does not have: they are moved, but say no date.
const OTHER_FILMS: [&str; 10] =
    ["mts", "m2ts", "mpg", "mpeg", "mkv", "webm", "wmv", "360", "mp", "m2v"];
/// What stands beside photos and is of no kind that the table has: edits, small copies, subtitles.
const OTHER_SIDES: [&str; 8] = ["aae", "json", "pp3", "dop", "lrv", "srt", "lrf", "on1"];

/// What a file is by its name; `None` for what is no photo and belongs to none.
pub(crate) fn role_of(path: &Path) -> Option<PhotoRole> {
    let extension = path.extension()?.to_string_lossy().to_lowercase();
    if OTHER_SIDES.contains(&&*extension) {
        return Some(PhotoRole::Side);
    }
    if OTHER_FILMS.contains(&&*extension) {
        return Some(PhotoRole::Film);
    }
    let kind = FileType::of_path(path)?.kind;
    match kind {
        FileKind::Raw
        | FileKind::Cr3
        | FileKind::Crw
        | FileKind::Raf
        | FileKind::Mrw
        | FileKind::X3f => Some(PhotoRole::Raw),
        FileKind::Xmp | FileKind::Wav => Some(PhotoRole::Side),
        // The small picture of a film.
        FileKind::Jpeg if extension == "thm" => Some(PhotoRole::Side),
        FileKind::Movie if FileType::of_path(path)?.mime().starts_with("audio/") => None,
        FileKind::Movie | FileKind::Avi => Some(PhotoRole::Film),
        FileKind::Heif => Some(PhotoRole::Still),
        // Renders and textures are no photos.
        FileKind::Exr | FileKind::Hdr | FileKind::Qoi => None,
        _ if kind.family() == Family::Image => Some(PhotoRole::Still),
        _ => None,
    }
}

/// A file that was found.
#[derive(Debug)]
pub(crate) struct PhotoFile {
    pub(crate) path: PathBuf,
    pub(crate) role: PhotoRole,
    pub(crate) facts: PhotoFacts,
    /// What Takeout says of a photo, if that is what it is.
    pub(crate) note: Option<TakeoutNote>,
}

impl PhotoFile {
    pub(crate) fn name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }
}

/// How the new name of a file ends.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct NameTail {
    /// What tells it from others of its group: `_E`, `-edited`.
    pub(crate) variant: String,
    /// With its dot.
    pub(crate) extension: String,
    /// What follows as it is: `.xmp` of `IMG.CR2.xmp`.
    pub(crate) rest: String,
}

/// A file of a group.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct GroupMember {
    /// Its place in the list of files.
    pub(crate) file: usize,
    pub(crate) tail: NameTail,
}

/// Files that belong together; the first leads.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PhotoGroup {
    pub(crate) members: Vec<GroupMember>,
}

/// All groups, and files that belong to nothing.
pub(crate) fn pair_up(files: &[PhotoFile]) -> (Vec<PhotoGroup>, Vec<usize>) {
    let mut folders = BTreeMap::<&Path, Vec<usize>>::new();
    for (i, file) in files.iter().enumerate() {
        folders.entry(file.path.parent().unwrap_or(Path::new(""))).or_default().push(i);
    }
    let (mut groups, mut alone) = (Vec::new(), Vec::new());
    for inside in folders.into_values() {
        let mut folder = Folder::new(files, inside);
        folder.put_photos();
        folder.join_live_photos();
        folder.put_sides();
        alone.append(&mut folder.alone);
        groups.extend(folder.finish());
    }
    alone.sort_unstable();
    (groups, alone)
}

/// The files of one folder.
struct Folder<'f> {
    files: &'f [PhotoFile],
    /// Places in that list, photos and what stands beside them.
    photos: Vec<usize>,
    sides: Vec<usize>,
    names: HashMap<usize, String>,
    /// Stems of photos, in small letters.
    stems: HashMap<String, Vec<usize>>,
    clusters: Vec<Cluster>,
    alone: Vec<usize>,
}

struct Cluster {
    key: String,
    members: Vec<GroupMember>,
}

impl<'f> Folder<'f> {
    fn new(files: &'f [PhotoFile], inside: Vec<usize>) -> Self {
        let names: HashMap<usize, String> = inside.iter().map(|&i| (i, files[i].name())).collect();
        let (sides, photos): (Vec<usize>, Vec<usize>) =
            inside.into_iter().partition(|&i| files[i].role == PhotoRole::Side);
        let mut stems = HashMap::<String, Vec<usize>>::new();
        for &i in &photos {
            stems.entry(split(&names[&i]).0.to_lowercase()).or_default().push(i);
        }
        Folder { files, photos, sides, names, stems, clusters: Vec::new(), alone: Vec::new() }
    }

    /// The stem that a group has in common, in small letters, and what this one has beside it.
    fn key_of(&self, stem: &str) -> (String, String) {
        static PIXEL: OnceLock<Regex> = OnceLock::new();
        let pixel = PIXEL.get_or_init(|| {
            let form = r"(?i)(\.RAW-[0-9]{2}(\.MP)?\.(COVER|ORIGINAL)|\.MP)$";
            Regex::new(form).expect("a fixed pattern")
        });
        let has = |stem: &str| self.stems.contains_key(&stem.to_lowercase());
        let lower = stem.to_lowercase();
        // An iPhone's edited copies and the originals of what was edited on it.
        for (mark, variant) in [("img_e", "_E"), ("img_o", "_O")] {
            if let Some(number) = lower.strip_prefix(mark) {
                let base = format!("img_{number}");
                if number.starts_with(|digit: char| digit.is_ascii_digit()) && has(&base) {
                    return (base, variant.into());
                }
            }
        }
        // What phones call films that they have written anew, and what the two above are called when sorted.
        for mark in ["_hevc", "_e", "_o"] {
            if let Some(base) = lower.strip_suffix(mark).filter(|base| has(base))
                && let Some(variant) = stem.get(stem.len().saturating_sub(mark.len())..)
            {
                return (base.into(), variant.into());
            }
        }
        if let Some((base, suffix)) = original_of(stem).filter(|(base, _)| has(base)) {
            return (base.to_lowercase(), suffix.into());
        }
        match pixel.find(&lower) {
            Some(found) => (lower[..found.start()].into(), String::new()),
            None => (lower, String::new()),
        }
    }

    /// Photos by their stems, parted by what they say.
    fn put_photos(&mut self) {
        let mut by_key = BTreeMap::<String, Vec<(usize, String)>>::new();
        for &i in &self.photos {
            let (key, variant) = self.key_of(split(&self.names[&i]).0);
            by_key.entry(key).or_default().push((i, variant));
        }
        for (key, mut same) in by_key {
            // What leads comes first: the original before its edits, RAW before JPEG before films.
            same.sort_by_key(|(i, variant)| {
                (!variant.is_empty(), self.files[*i].role, self.names[i].clone())
            });
            let mut clusters: Vec<Cluster> = Vec::new();
            for (i, variant) in same {
                let extension = split(&self.names[&i]).1.to_owned();
                let is_edit = !variant.is_empty();
                let tail = NameTail { variant, extension, rest: String::new() };
                let fits = |cluster: &&mut Cluster| {
                    let leads = &self.files[cluster.members[0].file];
                    let is_free =
                        !cluster.members.iter().any(|member| is_same(&member.tail, &tail));
                    is_free && (is_edit || are_one(leads, &self.files[i]))
                };
                let member = GroupMember { file: i, tail: tail.clone() };
                match clusters.iter_mut().find(fits) {
                    Some(cluster) => cluster.members.push(member),
                    None => clusters.push(Cluster { key: key.clone(), members: vec![member] }),
                }
            }
            self.clusters.append(&mut clusters);
        }
    }

    /// A picture and a film of one identifier, where there are no more of it.
    fn join_live_photos(&mut self) {
        let mut by_content = BTreeMap::<&str, [Vec<usize>; 2]>::new();
        for (at, cluster) in self.clusters.iter().enumerate() {
            for member in &cluster.members {
                let file = &self.files[member.file];
                if let Some(content) = &file.facts.content {
                    let places = &mut by_content.entry(content).or_default()
                        [usize::from(file.role == PhotoRole::Film)];
                    if !places.contains(&at) {
                        places.push(at);
                    }
                }
            }
        }
        let pairs = by_content.into_values().filter_map(|[pictures, films]| {
            match (&pictures[..], &films[..]) {
                ([picture], [film]) if picture != film => Some((*picture, *film)),
                _ => None,
            }
        });
        let pairs: Vec<(usize, usize)> = pairs.collect();
        for (picture, film) in pairs {
            let is_film_alone = |cluster: &Cluster| {
                cluster.members.iter().all(|member| self.files[member.file].role == PhotoRole::Film)
            };
            let taken = |tail: &NameTail| {
                self.clusters[picture].members.iter().any(|member| is_same(&member.tail, tail))
            };
            if !is_film_alone(&self.clusters[film])
                || self.clusters[film].members.iter().any(|member| taken(&member.tail))
            {
                continue;
            }
            let films = std::mem::take(&mut self.clusters[film].members);
            self.clusters[picture].members.extend(films);
        }
    }

    /// What stands beside photos.
    fn put_sides(&mut self) {
        let photos: HashMap<String, usize> =
            self.photos.iter().map(|i| (self.names[i].to_lowercase(), *i)).collect();
        let names = self.photos.iter().map(|i| (self.names[i].as_str(), *i));
        let takeout = TakeoutNames::new(names);
        let mut found = Vec::new();
        for &side in &self.sides {
            let name = &self.names[&side];
            let (base, extension) = split(name);
            let place = match &self.files[side].note {
                Some(note) => takeout.photo_of(base, &note.title).map(|photo| {
                    // What was cut is whole again.
                    let is_old = photos.contains_key(&base.to_lowercase())
                        || !base.to_lowercase().contains(".s");
                    let rest = if is_old { "" } else { ".supplemental-metadata" };
                    (photo, NameTail { rest: format!("{rest}{extension}"), ..NameTail::default() })
                }),
                None => of_whole_name(base, extension, &photos),
            };
            if let Some((photo, tail)) = place {
                found.push((side, Some(photo), tail));
                continue;
            }
            let (key, variant) = match base.get(..2) {
                // GoPro's small copies.
                Some(mark)
                    if extension.eq_ignore_ascii_case(".lrv")
                        && mark.eq_ignore_ascii_case("GL") =>
                {
                    let of =
                        ["gx", "gh", "gp"].map(|mark| mark.to_owned() + &base[2..].to_lowercase());
                    let of = of.into_iter().find(|stem| self.stems.contains_key(stem));
                    (of.unwrap_or_else(|| base.to_lowercase()), String::new())
                }
                _ => self.key_of(base),
            };
            let tail = NameTail { variant, extension: extension.into(), rest: String::new() };
            found.push((side, self.photo_of_key(&key, extension), tail));
        }
        for (side, photo, mut tail) in found {
            let holds = |cluster: &&mut Cluster| {
                cluster.members.iter().any(|member| Some(member.file) == photo)
            };
            let Some(cluster) = self.clusters.iter_mut().find(holds) else {
                self.alone.push(side);
                continue;
            };
            // Of a whole name: what the photo's own name ends with comes before it.
            if tail.extension.is_empty() {
                let own = cluster.members.iter().find(|member| Some(member.file) == photo);
                let own = own.map(|member| member.tail.clone()).unwrap_or_default();
                tail.variant = own.variant + &tail.variant;
                tail.extension = own.extension;
            }
            if cluster.members.iter().any(|member| is_same(&member.tail, &tail)) {
                self.alone.push(side);
                continue;
            }
            cluster.members.push(GroupMember { file: side, tail });
        }
    }

    /// Of photos of a stem the one that a file with this extension says something of.
    fn photo_of_key(&self, key: &str, extension: &str) -> Option<usize> {
        use PhotoRole::{Film, Raw, Side, Still};
        let order = match &*extension.to_lowercase() {
            ".xmp" | ".pp3" | ".dop" | ".on1" => [Raw, Still, Film],
            ".thm" | ".lrv" | ".srt" | ".lrf" => [Film, Raw, Still],
            _ => [Still, Raw, Film],
        };
        let clusters = self.clusters.iter().filter(|cluster| cluster.key == key);
        let members = clusters.flat_map(|cluster| &cluster.members).map(|member| member.file);
        let rank = |i: &usize| {
            let role = self.files[*i].role;
            order.iter().position(|it| *it == role).filter(|_| role != Side)
        };
        members.filter(|i| rank(i).is_some()).min_by_key(rank)
    }

    fn finish(self) -> impl Iterator<Item = PhotoGroup> {
        let filled = self.clusters.into_iter().filter(|cluster| !cluster.members.is_empty());
        filled.map(|cluster| PhotoGroup { members: cluster.members })
    }
}

/// `IMG.CR2.xmp` of `IMG.CR2`, and darktable's `IMG_01.CR2.xmp` of its second version.
fn of_whole_name(
    base: &str,
    extension: &str,
    photos: &HashMap<String, usize>,
) -> Option<(usize, NameTail)> {
    let tail = |variant: &str| NameTail {
        variant: variant.into(),
        extension: String::new(),
        rest: extension.into(),
    };
    if let Some(photo) = photos.get(&base.to_lowercase()) {
        return Some((*photo, tail("")));
    }
    let (stem, of) = split(base);
    let at = stem.len().checked_sub(3).filter(|at| stem.is_char_boundary(*at))?;
    let (original, version) = stem.split_at(at);
    let is_version = version.starts_with('_') && version[1..].bytes().all(|b| b.is_ascii_digit());
    let photo = photos.get(&format!("{original}{of}").to_lowercase()).filter(|_| is_version)?;
    Some((*photo, tail(version)))
}

/// Whether two files of one stem are of one moment.
fn are_one(a: &PhotoFile, b: &PhotoFile) -> bool {
    if let (Some(a), Some(b)) = (&a.facts.content, &b.facts.content) {
        return a == b;
    }
    let (Some(one), Some(other)) = (a.facts.dates.first(), b.facts.dates.first()) else {
        return true;
    };
    let apart_s = match (one.instant(), other.instant()) {
        (Some(one), Some(other)) => one - other,
        _ => (one.at - other.at).num_seconds(),
    };
    let has_film = [a.role, b.role].contains(&PhotoRole::Film);
    let most = if has_film { MOST_TO_A_FILM_S } else { MOST_BETWEEN_PICTURES_S };
    // A camera may say its zone in one file alone.
    let clocks_s = (one.at - other.at).num_seconds();
    apart_s.abs() <= most || clocks_s.abs() <= most
}

/// Whether two would have the same name, also where case does not count.
fn is_same(a: &NameTail, b: &NameTail) -> bool {
    let whole =
        |tail: &NameTail| [&*tail.variant, &*tail.extension, &*tail.rest].concat().to_lowercase();
    whole(a) == whole(b)
}

/// Stem and extension with its dot.
pub(crate) fn split(name: &str) -> (&str, &str) {
    match name.rfind('.').filter(|at| *at > 0) {
        Some(at) => name.split_at(at),
        None => (name, ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::photos::times::{DateSource, RawDate, parse_date};

    fn file(name: &str) -> PhotoFile {
        let path: PathBuf = Path::new("in").join(name);
        let role = role_of(&path).unwrap();
        let is_note = name.ends_with(".json");
        let note = is_note.then(|| TakeoutNote { title: String::new(), at: None });
        PhotoFile { path, role, facts: PhotoFacts::default(), note }
    }

    fn dated(name: &str, date: &str, content: &str) -> PhotoFile {
        let (at, offset_s) = parse_date(date).unwrap();
        let date = RawDate { at, offset_s, is_utc: false, source: DateSource::Exif };
        let content = (!content.is_empty()).then(|| content.to_owned());
        let facts = PhotoFacts { dates: vec![date], content, ..PhotoFacts::default() };
        PhotoFile { facts, ..file(name) }
    }

    /// The new names of each group, with X for the stem, and files that belong to nothing.
    fn told(files: &[PhotoFile]) -> (Vec<Vec<String>>, Vec<String>) {
        let (groups, alone) = pair_up(files);
        let name = |member: &GroupMember| {
            let NameTail { variant, extension, rest } = &member.tail;
            format!("{} X{variant}{extension}{rest}", files[member.file].name())
        };
        let groups = groups.iter().map(|group| group.members.iter().map(name).collect());
        (groups.collect(), alone.iter().map(|i| files[*i].name()).collect())
    }

    fn of_names(names: &[&str]) -> (Vec<Vec<String>>, Vec<String>) {
        told(&names.iter().map(|name| file(name)).collect::<Vec<_>>())
    }

    #[test]
    fn what_belongs_together_gets_one_stem() {
        let (groups, alone) = of_names(&[
            "a.CR2",
            "a.JPG",
            "a.xmp",
            "a.CR2.xmp",
            "a_01.CR2.xmp",
            "a.JPG.xmp",
            "a.wav",
            "b.xmp",
            "a.pp3",
        ]);
        assert_eq!(
            groups,
            [[
                "a.CR2 X.CR2",
                "a.JPG X.JPG",
                "a.xmp X.xmp",
                "a.CR2.xmp X.CR2.xmp",
                "a_01.CR2.xmp X_01.CR2.xmp",
                "a.JPG.xmp X.JPG.xmp",
                "a.wav X.wav",
                "a.pp3 X.pp3",
            ]]
        );
        assert_eq!(alone, ["b.xmp"]);
        let (groups, alone) = of_names(&[
            "IMG_1234.HEIC",
            "IMG_1234.MOV",
            "IMG_E1234.HEIC",
            "IMG_1234.AAE",
            "IMG_O1234.AAE",
            "IMG_E1235.HEIC",
            "IMG_1234_HEVC.MOV",
        ]);
        assert_eq!(groups.len(), 2);
        assert_eq!(
            groups[0],
            [
                "IMG_1234.HEIC X.HEIC",
                "IMG_1234.MOV X.MOV",
                "IMG_E1234.HEIC X_E.HEIC",
                "IMG_1234_HEVC.MOV X_HEVC.MOV",
                "IMG_1234.AAE X.AAE",
                "IMG_O1234.AAE X_O.AAE",
            ]
        );
        assert!(alone.is_empty());
        let (groups, _) = of_names(&[
            "PXL_1.RAW-01.MP.COVER.jpg",
            "PXL_1.RAW-02.ORIGINAL.dng",
            "PXL_2.MP.jpg",
            "PXL_2.MP",
            "GX010001.MP4",
            "GL010001.LRV",
            "GX010001.THM",
        ]);
        assert_eq!(
            groups,
            [
                &["GX010001.MP4 X.MP4", "GL010001.LRV X.LRV", "GX010001.THM X.THM"][..],
                &["PXL_1.RAW-02.ORIGINAL.dng X.dng", "PXL_1.RAW-01.MP.COVER.jpg X.jpg"],
                &["PXL_2.MP.jpg X.jpg", "PXL_2.MP X.MP"],
            ]
        );
    }

    #[test]
    fn takeout_is_put_beside_its_photos() {
        let (groups, alone) = of_names(&[
            "a.jpg",
            "a.jpg.json",
            "a(1).jpg",
            "a.jpg.supplemental-metadata(1).json",
            "a-edited.jpg",
            "b.HEIC",
            "b.MP4",
            "b.HEIC.supplemental-met.json",
            "metadata.json",
        ]);
        assert_eq!(
            groups,
            [
                &["a.jpg X.jpg", "a-edited.jpg X-edited.jpg", "a.jpg.json X.jpg.json"][..],
                &[
                    "a(1).jpg X.jpg",
                    "a.jpg.supplemental-metadata(1).json X.jpg.supplemental-metadata.json"
                ],
                &[
                    "b.HEIC X.HEIC",
                    "b.MP4 X.MP4",
                    "b.HEIC.supplemental-met.json X.HEIC.supplemental-metadata.json"
                ],
            ]
        );
        assert_eq!(alone, ["metadata.json"]);
    }

    #[test]
    fn the_same_name_of_another_day_is_another_photo() {
        let (groups, _) = told(&[
            dated("a.CR2", "2020:01:01 10:00:00", ""),
            dated("a.JPG", "2023:01:01 10:00:00", ""),
            file("a.xmp"),
            dated("b.CR2", "2020:01:01 10:00:00+01:00", ""),
            dated("b.JPG", "2020:01:01 10:00:01", ""),
        ]);
        assert_eq!(
            groups,
            [
                &["a.CR2 X.CR2", "a.xmp X.xmp"][..],
                &["a.JPG X.JPG"],
                &["b.CR2 X.CR2", "b.JPG X.JPG"],
            ]
        );
        // The number began again: a film of another year, and one of another Live Photo.
        let (groups, _) = told(&[
            dated("a.HEIC", "2020:01:01 10:00:00", "id 1"),
            dated("a.MOV", "2020:01:01 10:00:00", "id 2"),
            dated("a_3.MOV", "2020:01:01 10:00:00", "id 1"),
            dated("b.JPG", "2020:01:01 10:00:00", ""),
            dated("b.MOV", "2022:01:01 10:00:00", ""),
        ]);
        assert_eq!(
            groups,
            [
                &["a.HEIC X.HEIC", "a_3.MOV X.MOV"][..],
                &["a.MOV X.MOV"],
                &["b.JPG X.JPG"],
                &["b.MOV X.MOV"],
            ]
        );
        // Two copies of a Live Photo: by their names.
        let copies = ["a.HEIC", "a.MOV", "a (1).HEIC", "a (1).MOV"];
        let (groups, _) = told(&copies.map(|name| dated(name, "2020:01:01 10:00:00", "id")));
        assert_eq!(
            groups,
            [["a.HEIC X.HEIC", "a.MOV X.MOV"], ["a (1).HEIC X.HEIC", "a (1).MOV X.MOV"]]
        );
    }

    #[test]
    fn names_that_would_be_one_are_two_photos() {
        let (groups, _) = of_names(
            &["a.JPG", "a.jpg", "é.jpg", "É.JPG", "a."]
                .into_iter()
                .filter(|name| role_of(Path::new(name)).is_some())
                .collect::<Vec<_>>(),
        );
        assert_eq!(groups.len(), 4);
        for none in ["a", "a.txt", "a.exr", "a.m4a", ".jpg", "a.obj", "a.icc"] {
            assert_eq!(role_of(Path::new(none)), None, "{none}");
        }
    }
}
