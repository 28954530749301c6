//! What would become of photos: found, dated, paired, each with its new place, before anything is done.

use crate::photo::metadata::{MetadataOptions, read_metadata_files};
use crate::photos::names::date_of_name;
use crate::photos::pairs::{PhotoFile, PhotoGroup, PhotoRole, pair_up, role_of, split};
use crate::photos::places::Places;
use crate::photos::takeout;
use crate::photos::template::{PhotoTemplate, TemplateValues};
use crate::photos::times::{DateSource, FIELDS, PhotoDate, PhotoFacts, RawDate};
use crate::photos::zone::PhotoZone;
use crate::tree::read_files::files_below;
use solio_base::{Error, ErrorKind, Limits, Result, Work};
use solio_io::filter::Filter;
use solio_io::walk::{EntryKind, Status, status_of_name};
use solio_kinds::{Ability, FileType, named_enum};
use solio_photo::{Fields, Metadata};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

named_enum! {
    /// What becomes of photos.
    #[derive(Default, Hash)]
    pub enum PhotoHow {
        /// They go to folders below another one.
        #[default]
        Move = "move",
        /// Copies of them do.
        Copy = "copy",
        /// They get other names where they are.
        Rename = "rename",
    }

    /// As it is called.
    pub fn name;
}

/// How photos are sorted.
///
/// ```
/// use solio::{PhotoAction, PhotosOptions, Work, plan_photos};
/// # let folder = tempfile::tempdir().unwrap();
/// # let shots = folder.path().join("shots");
/// # solio::write_bytes(&folder.path().join("IMG_20230102_030405.jpg"), b"\xff\xd8\xff\xd9")?;
/// let options = PhotosOptions {
///     to: Some(folder.path().join("sorted")),
///     from_name: true,
///     ..PhotosOptions::default()
/// };
/// let plan = plan_photos(&[folder.path().into()], &options, &Work::default())?;
/// assert_eq!(plan.rows[0].action, PhotoAction::Go);
/// assert!(plan.rows[0].to.as_ref().unwrap().ends_with("2023/01/20230102_030405.jpg"));
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct PhotosOptions {
    /// Move, copy or rename.
    pub how: PhotoHow,
    /// The folder that they go to; not for renaming.
    pub to: Option<PathBuf>,
    /// How the new paths are made; `None`: by year and month, then date and time, or these alone where files
    /// are renamed.
    pub template: Option<PhotoTemplate>,
    /// The zone of those that tell universal time alone.
    pub zone: Option<PhotoZone>,
    /// Whether the name of a file may tell its date, where nothing else does.
    pub from_name: bool,
    /// Whether the time of its last change may, where nothing else does.
    pub from_modified: bool,
    /// What is left out of folders.
    pub filter: Filter,
}

/// What becomes of a file.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum PhotoAction {
    /// It is moved, copied or renamed.
    Go,
    /// It is where it belongs.
    Stay,
    /// The same bytes are at its new place, or come there: it stays where it is.
    Duplicate,
    /// It stays where it is, for this reason.
    Leave(String),
}

impl PhotoAction {
    /// A word for it.
    pub fn name(&self) -> &'static str {
        match self {
            PhotoAction::Go => "go",
            PhotoAction::Stay => "stay",
            PhotoAction::Duplicate => "duplicate",
            PhotoAction::Leave(_) => "leave",
        }
    }
}

/// A file, and what becomes of it.
#[derive(Clone, Debug)]
pub struct PhotoRow {
    /// Where it is.
    pub from: PathBuf,
    /// Where it goes; of a duplicate the file that has the same bytes.
    pub to: Option<PathBuf>,
    /// What becomes of it.
    pub action: PhotoAction,
    /// When it was taken.
    pub date: Option<PhotoDate>,
    /// The file that says so.
    pub date_from: Option<PathBuf>,
    /// Files that belong together have one number.
    pub group: usize,
    pub(crate) status: Status,
}

/// What becomes of all.
#[derive(Debug, Default)]
pub struct PhotosPlan {
    /// Move, copy or rename.
    pub how: PhotoHow,
    /// A row a file, by date, those that belong together side by side.
    pub rows: Vec<PhotoRow>,
    /// Files that are no photos, and belong to none.
    pub others: u64,
    /// What could not be looked at.
    pub failed: Vec<Error>,
    /// Where they go.
    pub(crate) to: Option<PathBuf>,
}

impl PhotosPlan {
    /// How many files have this fate, by [`PhotoAction::name`].
    pub fn count(&self, action: &str) -> u64 {
        self.rows.iter().filter(|row| row.action.name() == action).count() as u64
    }

    /// Bytes of the files that go.
    pub fn bytes(&self) -> u64 {
        let going = self.rows.iter().filter(|row| row.action == PhotoAction::Go);
        going.map(|row| row.status.size).sum()
    }
}

/// A group with all that is known of it.
pub(crate) struct DatedGroup {
    pub(crate) group: PhotoGroup,
    pub(crate) date: PhotoDate,
    pub(crate) date_from: usize,
    pub(crate) counter: u64,
}

/// Finds photos at and below the inputs, reads when they were taken, and says where each goes. Changes nothing.
///
/// # Errors
/// `Argument` where options do not go together; `Cancelled`. What cannot be read is in the plan.
pub fn plan_photos(inputs: &[PathBuf], options: &PhotosOptions, work: &Work) -> Result<PhotosPlan> {
    let template = check(options)?;
    let mut plan = PhotosPlan { how: options.how, to: options.to.clone(), ..PhotosPlan::default() };
    let (found, failed) = files_below(inputs, &options.filter, work)?;
    plan.failed = failed;
    let (mut files, mut statuses) = (Vec::new(), Vec::new());
    let mut seen = HashSet::new();
    for path in found {
        let Some(role) = role_of(&path) else {
            plan.others += 1;
            continue;
        };
        match status_of_name(&path) {
            // Named twice, or below a folder that was named with it.
            Ok(_) if !seen.insert(solio_base::names::absolute(&path).unwrap_or(path.clone())) => {}
            Ok((status, EntryKind::File)) => {
                statuses.push(status);
                files.push(PhotoFile { path, role, facts: PhotoFacts::default(), note: None });
            }
            // A link stays what it is.
            Ok(_) => plan.others += 1,
            Err(error) => plan.failed.push(error),
        }
    }
    let unread = read_facts(&mut files, &statuses, work)?;
    let (groups, alone) = pair_up(&files);
    let mut dated = Vec::new();
    for group in groups {
        match date_of(&group, &files, &statuses, options) {
            Ok((date, date_from)) => dated.push(DatedGroup { group, date, date_from, counter: 0 }),
            Err(reason) => {
                let number = plan.rows.last().map_or(0, |row| row.group + 1);
                for member in &group.members {
                    let own = unread[member.file].as_ref().map_or(&reason, |own| own);
                    let action = PhotoAction::Leave(own.clone());
                    plan.rows.push(row(&files, &statuses, member.file, action, number));
                }
            }
        }
    }
    for file in alone {
        // Notes and sounds of something else are nobody's business here.
        if files[file].note.is_none() && is_of_many(&files[file].path) {
            plan.others += 1;
            continue;
        }
        let number = plan.rows.last().map_or(0, |row| row.group + 1);
        let action = PhotoAction::Leave("the photo that it belongs to is not beside it".into());
        plan.rows.push(row(&files, &statuses, file, action, number));
    }
    let left = std::mem::take(&mut plan.rows);
    dated.sort_by(|a, b| {
        let path = |group: &DatedGroup| &files[group.group.members[0].file].path;
        a.date.at.cmp(&b.date.at).then_with(|| path(a).cmp(path(b)))
    });
    for (group, counter) in dated.iter_mut().zip(1..) {
        group.counter = counter;
    }
    let places = Places { files: &files, statuses: &statuses, template: &template, options };
    for (number, (group, placed)) in dated.iter().zip(places.assign(&dated, work)?).enumerate() {
        for (member, (action, to)) in group.group.members.iter().zip(placed) {
            let mut row = row(&files, &statuses, member.file, action, number);
            row.to = to;
            row.date = Some(group.date);
            row.date_from = Some(files[group.date_from].path.clone());
            plan.rows.push(row);
        }
    }
    let first = dated.len();
    plan.rows.extend(left.into_iter().map(|row| PhotoRow { group: row.group + first, ..row }));
    Ok(plan)
}

/// The template, if the options go together.
fn check(options: &PhotosOptions) -> Result<PhotoTemplate> {
    if options.how == PhotoHow::Rename {
        if options.to.is_some() {
            let error = Error::argument("files that are renamed stay in their folders");
            return Err(error.hint("leave out --to, or use --move"));
        }
        let usual = "{date:%Y%m%d_%H%M%S}{-n}{ext}".parse().map_err(Error::argument);
        let template = options.template.clone().map_or(usual, Ok)?;
        if template.has_folders() {
            let error = Error::argument("the template makes folders, and files are renamed");
            return Err(error.hint("leave out the / in it, or use --move and --to"));
        }
        return Ok(template);
    }
    if options.to.is_none() {
        let error = Error::argument("nobody says where the photos go");
        return Err(error.hint("add --to FOLDER, or --rename"));
    }
    Ok(options.template.clone().unwrap_or_default())
}

fn row(
    files: &[PhotoFile],
    statuses: &[Status],
    file: usize,
    action: PhotoAction,
    group: usize,
) -> PhotoRow {
    let from = files[file].path.clone();
    PhotoRow { from, to: None, action, date: None, date_from: None, group, status: statuses[file] }
}

/// Whether files of such a name are as a rule no photo's.
fn is_of_many(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    ["json", "wav", "srt"].contains(&&*extension)
}

/// Reads what photos, XMP and Takeout say; gives why others could not be read.
fn read_facts(
    files: &mut [PhotoFile],
    statuses: &[Status],
    work: &Work,
) -> Result<Vec<Option<String>>> {
    let mut unread: Vec<Option<String>> = vec![None; files.len()];
    let may_say =
        |path: &Path| FileType::of_path(path).is_some_and(|named| named.kind.can(Ability::Meta));
    let asked: Vec<usize> = (0..files.len())
        .filter(|&i| files[i].role != PhotoRole::Side || may_say(&files[i].path))
        .collect();
    let paths: Vec<PathBuf> = asked.iter().map(|&i| files[i].path.clone()).collect();
    let options = MetadataOptions { fields: Fields::of(FIELDS), ..MetadataOptions::default() };
    let show = |_: &Path, read: Result<Metadata>, shown: &mut Shown| {
        *shown = Some(read.map(|read| PhotoFacts::of(&read)));
    };
    let mut next = asked.iter();
    read_metadata_files(&paths, &options, work, show, |some: &mut [Shown]| {
        for (shown, &i) in some.iter_mut().zip(next.by_ref()) {
            match shown.take() {
                Some(Ok(facts)) => files[i].facts = facts,
                Some(Err(error)) if error.kind() == ErrorKind::Cancelled => return Err(error),
                Some(Err(error)) => unread[i] = Some(format!("no date: {}", error.message())),
                None => {}
            }
        }
        Ok(())
    })?;
    for (i, file) in files.iter_mut().enumerate() {
        let is_json = file.path.extension().is_some_and(|it| it.eq_ignore_ascii_case("json"));
        if !is_json || statuses[i].size > takeout::MOST_BYTES {
            continue;
        }
        work.cancel.check()?;
        let limits = Limits { bytes: takeout::MOST_BYTES, ..Limits::default() };
        if let Ok(text) = solio_io::read_whole(&file.path, &limits, work) {
            file.note = takeout::read_note(&text);
        }
    }
    Ok(unread)
}

type Shown = Option<Result<PhotoFacts>>;

/// When a group was taken, and which of its files says so; else why nobody knows.
fn date_of(
    group: &PhotoGroup,
    files: &[PhotoFile],
    statuses: &[Status],
    options: &PhotosOptions,
) -> std::result::Result<(PhotoDate, usize), String> {
    let mut dates: Vec<(RawDate, usize)> = Vec::new();
    for member in &group.members {
        let file = &files[member.file];
        let extension = file.path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        let is_xmp = file.role == PhotoRole::Side && extension == "xmp";
        for date in &file.facts.dates {
            let source = if is_xmp { DateSource::Sidecar } else { date.source };
            dates.push((RawDate { source, ..*date }, member.file));
        }
        if let Some(at) = file.note.as_ref().and_then(|note| note.at) {
            let source = DateSource::Takeout;
            dates.push((RawDate { at, offset_s: None, is_utc: true, source }, member.file));
        }
    }
    if dates.is_empty() {
        let photos =
            group.members.iter().filter(|member| files[member.file].role != PhotoRole::Side);
        for member in photos {
            let path = &files[member.file].path;
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if let Some(found) = date_of_name(split(&name).0).filter(|_| options.from_name) {
                let (at, is_utc) = (found.at, found.is_utc);
                let source = DateSource::Name;
                dates.push((RawDate { at, offset_s: None, is_utc, source }, member.file));
            }
            let modified =
                chrono::DateTime::from_timestamp_nanos(statuses[member.file].modified_ns);
            if options.from_modified {
                let (at, source) = (modified.naive_utc(), DateSource::Modified);
                dates.push((RawDate { at, offset_s: None, is_utc: true, source }, member.file));
            }
        }
    }
    // Of files that say the same thing, that which leads.
    dates.sort_by_key(|(date, _)| date.source as u8);
    let known =
        dates.iter().find_map(|(date, file)| Some((date.in_zone(options.zone.as_ref())?, *file)));
    known.ok_or_else(|| match dates.first() {
        Some((date, _)) => {
            let source = date.source.name();
            format!(
                "{source} alone tells its time, which is UTC: name its zone (--zone Europe/Berlin)"
            )
        }
        None => "no date".to_owned(),
    })
}

impl DatedGroup {
    /// What a template is filled with.
    pub(crate) fn stem(&self, files: &[PhotoFile], template: &PhotoTemplate, n: u64) -> String {
        let lead = &files[self.group.members[0].file];
        let name = lead.name();
        let folder = lead.path.parent().and_then(Path::file_name);
        let folder = folder.unwrap_or_default().to_string_lossy();
        let all = || self.group.members.iter().map(|member| &files[member.file].facts);
        let values = TemplateValues {
            at: self.date.at,
            name: split(&name).0,
            folder: &folder,
            make: all().find_map(|facts| facts.make.as_deref()),
            model: all().find_map(|facts| facts.model.as_deref()),
            lens: all().find_map(|facts| facts.lens.as_deref()),
            counter: self.counter,
        };
        template.stem(&values, n)
    }
}
