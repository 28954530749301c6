//! Does what was planned, takes it back, or goes on after a kill.
//!
//! The whole plan is in a journal, and on the disk, before the first file moves. What was done is read from the
//! files themselves: a step is done where the file is at its new path, by its inode, or by size and time where it
//! went to another file system. So a journal needs no word about progress, and a kill can come at any moment.

use crate::photos::places::PlaceKeys;
use crate::photos::plan::{PhotoAction, PhotoHow, PhotosPlan};
use crate::tree::journal::{self, Journal};
use serde_json::{Value, json};
use solio_base::{Error, ErrorKind, Result, Work};
use solio_io::walk::{Status, status_of, status_of_name};
use solio_measure::lock;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

/// Groups that are copied at once.
const AT_ONCE: usize = 8;

/// What came of a run.
#[derive(Debug, Default)]
pub struct PhotosDone {
    /// Files that have another place now, or copies that there are.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Files that were not begun with, as the disk is full.
    pub left: u64,
    /// Why others stayed what they were. Of those that belong together all stay.
    pub failed: Vec<Error>,
}

/// A file, on its way.
#[derive(Clone, Debug, PartialEq)]
struct PhotoStep {
    is_copy: bool,
    from: PathBuf,
    to: PathBuf,
    /// What it was when this was planned.
    then: Status,
    group: u64,
    /// Whether size and time tell the file where its inode does not: it goes to another file system, or no other
    /// file has the same ones.
    by_look: bool,
}

/// The journal for who names none: a new file in the folder that photos go to, or in the one that they are in.
pub fn usual_journal(plan: &PhotosPlan) -> Option<PathBuf> {
    let first = plan.rows.iter().find(|row| row.action == PhotoAction::Go);
    let own = first.and_then(|row| row.from.parent().map(Path::to_owned));
    let folder = plan.to.clone().or(own)?;
    let name = |n: u32| folder.join(format!("solio-photos-{n}.jsonl"));
    (1..u32::MAX).map(name).find(|path| std::fs::symlink_metadata(path).is_err())
}

/// Does what was planned. The new file `journal` has all that undoing it needs before anything is done. A file that
/// has changed since, or whose new name something has meanwhile, stays with those that belong to it; a full disk
/// ends the run, and nothing is lost.
///
/// ```
/// use solio::{PhotosOptions, Work, apply_photos, plan_photos, undo_photos};
/// # let folder = tempfile::tempdir().unwrap();
/// let photo = folder.path().join("IMG_20230102_030405.jpg");
/// # solio::write_bytes(&photo, b"\xff\xd8\xff\xd9")?;
/// let (to, work) = (Some(folder.path().join("sorted")), Work::default());
/// let options = PhotosOptions { to, from_name: true, ..PhotosOptions::default() };
/// let plan = plan_photos(&[folder.path().into()], &options, &work)?;
/// let journal = folder.path().join("undo.jsonl");
/// assert_eq!(apply_photos(&plan, &journal, &work)?.files, 1);
/// assert!(!photo.exists() && folder.path().join("sorted/2023/01/20230102_030405.jpg").exists());
/// assert_eq!(undo_photos(&journal, &work)?.files, 1);
/// assert!(photo.exists());
/// # Ok::<(), solio::Error>(())
/// ```
///
/// # Errors
/// Where the journal is there already or cannot be written: then nothing was done. `Cancelled`.
pub fn apply_photos(plan: &PhotosPlan, journal: &Path, work: &Work) -> Result<PhotosDone> {
    let mut keys = PlaceKeys::default();
    let steps = in_order(steps_of(plan), &mut keys);
    if steps.is_empty() {
        return Ok(PhotosDone::default());
    }
    let folders = new_folders(&steps);
    if let Some(folder) = journal.parent().filter(|it| !it.as_os_str().is_empty()) {
        solio_io::make_folder(folder)?;
    }
    let mut lines = vec![json!({ "journal": "photos", "version": 1, "how": plan.how.name() })];
    lines.extend(folders.iter().map(|folder| {
        let mut line = json!({});
        journal::put_path(&mut line, "folder", folder);
        line
    }));
    lines.extend(steps.iter().map(PhotoStep::line));
    lines.push(json!({ "end": steps.len() }));
    Journal::create(journal)?.append(&lines)?;
    run(&steps, false, work)
}

/// Takes back what a journal of [`apply_photos`] tells of, as far as it was done: files go back to where they were,
/// copies are removed if their bytes are still at the source, then folders that were made and are empty. A file
/// that has changed since stays where it is.
///
/// # Errors
/// Where the journal cannot be read, or is none; `Cancelled`.
pub fn undo_photos(journal: &Path, work: &Work) -> Result<PhotosDone> {
    let Journaled { folders, steps } = read_journal(journal, work)?;
    let mut done = PhotosDone::default();
    for step in steps.iter().rev() {
        work.cancel.check()?;
        match step.undo(&steps, work) {
            Ok(true) => {
                done.files += 1;
                done.bytes += step.then.size;
            }
            Ok(false) => {}
            Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
            Err(error) => done.failed.push(error),
        }
    }
    // Those within others come last.
    for folder in folders.iter().rev() {
        let _ = std::fs::remove_dir(folder);
    }
    Ok(done)
}

/// Does what is left of what a journal of [`apply_photos`] tells of.
///
/// # Errors
/// Where the journal cannot be read, or is none; `Cancelled`.
pub fn resume_photos(journal: &Path, work: &Work) -> Result<PhotosDone> {
    run(&read_journal(journal, work)?.steps, true, work)
}

fn steps_of(plan: &PhotosPlan) -> Vec<PhotoStep> {
    let going = plan.rows.iter().filter(|row| row.action == PhotoAction::Go);
    let step = |row: &crate::photos::plan::PhotoRow| {
        let absolute = |path: &Path| solio_base::names::absolute(path).unwrap_or(path.to_owned());
        Some(PhotoStep {
            is_copy: plan.how == PhotoHow::Copy,
            from: absolute(&row.from),
            to: absolute(row.to.as_deref()?),
            then: row.status,
            group: row.group as u64,
            by_look: false,
        })
    };
    let mut steps: Vec<PhotoStep> = going.filter_map(step).collect();
    let mut looks = HashMap::<(u64, i64), usize>::new();
    for step in &steps {
        *looks.entry((step.then.size, step.then.modified_ns)).or_default() += 1;
    }
    let mut devices = HashMap::new();
    for step in &mut steps {
        let folder = step.to.parent().unwrap_or(Path::new("/")).to_owned();
        let device = *devices.entry(folder).or_insert_with_key(|folder| device_of(folder));
        let is_across = device != Some(step.then.device);
        step.by_look = is_across || looks[&(step.then.size, step.then.modified_ns)] == 1;
    }
    steps
}

/// The device that a folder lies on, or will lie on.
fn device_of(folder: &Path) -> Option<u64> {
    folder.ancestors().find_map(|above| Some(status_of(above).ok()?.device))
}

/// Has every step come after that which frees its place. Of a ring one file waits under another name; so does
/// one whose new name differs in case alone, where that counts for nothing.
fn in_order(steps: Vec<PhotoStep>, keys: &mut PlaceKeys) -> Vec<PhotoStep> {
    if steps.first().is_none_or(|step| step.is_copy) {
        return steps;
    }
    let froms: Vec<Vec<u8>> = steps.iter().map(|step| keys.of(&step.from)).collect();
    let tos: Vec<Vec<u8>> = steps.iter().map(|step| keys.of(&step.to)).collect();
    let by_from: HashMap<&Vec<u8>, usize> = froms.iter().zip(0..).collect();
    let (mut ordered, mut waiting) = (Vec::with_capacity(steps.len()), Vec::new());
    let mut is_done = vec![false; steps.len()];
    for first in 0..steps.len() {
        // The way from a step to that whose file stands in its place, and on.
        let (mut way, mut at) = (Vec::new(), first);
        let mut on_way = HashSet::new();
        while !is_done[at] {
            way.push(at);
            on_way.insert(at);
            match by_from.get(&tos[at]) {
                Some(next) if *next != at && !on_way.contains(next) => at = *next,
                // A ring: the last one steps aside, and the others can go.
                Some(_) if needs_detour(&steps[at], froms[at] == tos[at]) => {
                    let aside = aside(&steps[at].from, at);
                    let step = &steps[at];
                    ordered.push(PhotoStep { to: aside.clone(), ..step.clone() });
                    waiting.push(PhotoStep { from: aside, ..step.clone() });
                    is_done[at] = true;
                    way.pop();
                    break;
                }
                _ => break,
            }
        }
        for step in way.into_iter().rev() {
            is_done[step] = true;
            ordered.push(steps[step].clone());
        }
        ordered.append(&mut waiting);
    }
    ordered
}

/// Whether a file must step aside: others want its place, or the system takes its new name for its own one.
fn needs_detour(step: &PhotoStep, is_own_place: bool) -> bool {
    let is_it = |path: &Path| {
        let found = status_of_name(path).ok();
        found.is_some_and(|(now, _)| (now.device, now.inode) == (step.then.device, step.then.inode))
    };
    !is_own_place || is_it(&step.to)
}

/// A name in the same folder that nothing has.
fn aside(path: &Path, number: usize) -> PathBuf {
    let name = |n: usize| path.with_file_name(format!(".solio-photos-{number}-{n}.tmp"));
    let free = (0..usize::MAX).map(name).find(|path| std::fs::symlink_metadata(path).is_err());
    free.unwrap_or_else(|| name(0))
}

/// Folders that are not there yet, those above before those below.
fn new_folders(steps: &[PhotoStep]) -> BTreeSet<PathBuf> {
    let mut folders = BTreeSet::new();
    for step in steps {
        for above in step.to.ancestors().skip(1) {
            if folders.contains(above) || std::fs::symlink_metadata(above).is_ok() {
                break;
            }
            folders.insert(above.to_owned());
        }
    }
    folders
}

/// Does steps: moves one after the other, as one may make room for the next; copies of several groups at once,
/// as each waits for the disk.
fn run(steps: &[PhotoStep], is_again: bool, work: &Work) -> Result<PhotosDone> {
    if steps.first().is_none_or(|step| !step.is_copy) {
        return in_turn(steps, steps, is_again, work).map(|ran| ran.done);
    }
    let groups: Vec<&[PhotoStep]> = steps.chunk_by(|a, b| a.group == b.group).collect();
    let (next, is_stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
    let ran = Mutex::new(BTreeMap::new());
    let copy = || {
        while !is_stopped.load(Relaxed) {
            let i = next.fetch_add(1, Relaxed);
            let Some(group) = groups.get(i) else { return };
            let done = in_turn(group, steps, is_again, work);
            if done.as_ref().map_or(true, |done| done.is_full) {
                is_stopped.store(true, Relaxed);
            }
            lock(&ran).insert(i, done);
        }
    };
    std::thread::scope(|scope| {
        // Where no more threads are to be had, fewer do it.
        for _ in 1..AT_ONCE {
            let _ = std::thread::Builder::new().spawn_scoped(scope, copy);
        }
        copy();
    });
    let mut all = PhotosDone::default();
    let ran = std::mem::take(&mut *lock(&ran));
    let is_begun = |i: usize| ran.contains_key(&i);
    let left =
        groups.iter().enumerate().filter(|(i, _)| !is_begun(*i)).map(|(_, group)| group.len());
    all.left = left.sum::<usize>() as u64;
    for done in ran.into_values() {
        let PhotosDone { files, bytes, failed, .. } = done?.done;
        all.files += files;
        all.bytes += bytes;
        all.failed.extend(failed);
    }
    Ok(all)
}

/// What came of some steps.
struct RanSteps {
    done: PhotosDone,
    is_full: bool,
}

/// Does steps in their order, which are some of `all`. Of a group of which one fails all stay.
fn in_turn(
    steps: &[PhotoStep],
    all: &[PhotoStep],
    is_again: bool,
    work: &Work,
) -> Result<RanSteps> {
    let mut ran = RanSteps { done: PhotosDone::default(), is_full: false };
    let done = &mut ran.done;
    // Groups of which a file failed, and what was done of others.
    let mut failed = HashSet::new();
    let mut by_group = HashMap::<u64, Vec<usize>>::new();
    let mut folders = BTreeSet::new();
    for (i, step) in steps.iter().enumerate() {
        work.cancel.check()?;
        if failed.contains(&step.group) {
            continue;
        }
        match step.forward(all, is_again, work) {
            Ok(was_done) => {
                if was_done {
                    by_group.entry(step.group).or_default().push(i);
                    folders.extend(step.to.parent().map(Path::to_owned));
                }
            }
            Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
            Err(error) => {
                failed.insert(step.group);
                for before in by_group.remove(&step.group).unwrap_or_default().into_iter().rev() {
                    if let Err(error) = steps[before].undo(all, work) {
                        done.failed.push(error);
                    }
                }
                ran.is_full = is_full(&error);
                done.failed.push(error);
                if ran.is_full {
                    let is_left = |step: &&PhotoStep| !failed.contains(&step.group);
                    done.left = steps[i + 1..].iter().filter(is_left).count() as u64;
                    break;
                }
            }
        }
    }
    let mut counted = HashSet::new();
    for step in by_group.values().flatten().map(|i| &steps[*i]) {
        // A file that stepped aside counts once.
        if counted.insert((step.then.device, step.then.inode, step.is_copy.then_some(&step.to))) {
            done.files += 1;
            done.bytes += step.then.size;
        }
    }
    // Copies have synced theirs.
    for folder in folders.iter().filter(|_| steps.iter().any(|step| !step.is_copy)) {
        if let Err(error) = solio_io::sync_folder(folder) {
            done.failed.push(error);
        }
    }
    Ok(ran)
}

/// Whether nothing more can be written.
fn is_full(error: &Error) -> bool {
    use std::io::ErrorKind::{QuotaExceeded, ReadOnlyFilesystem, StorageFull};
    let kind = error.os_error().map(|code| std::io::Error::from_raw_os_error(code).kind());
    kind.is_some_and(|kind| [StorageFull, QuotaExceeded, ReadOnlyFilesystem].contains(&kind))
}

/// Whether a step's file is at a path.
#[derive(Clone, Copy, PartialEq)]
enum There {
    It,
    Other,
    Nothing,
}

impl PhotoStep {
    fn line(&self) -> Value {
        let step = if self.is_copy { "copy" } else { "move" };
        let mut line = json!({ "step": step });
        journal::put_path(&mut line, "from", &self.from);
        journal::put_path(&mut line, "to", &self.to);
        line["bytes"] = self.then.size.into();
        line["modified_ns"] = self.then.modified_ns.into();
        line["inode"] = self.then.inode.into();
        line["device"] = self.then.device.into();
        line["group"] = self.group.into();
        line["by_look"] = self.by_look.into();
        line
    }

    fn of(line: &Value) -> Option<PhotoStep> {
        let number = |name: &str| line[name].as_u64();
        let then = Status {
            size: number("bytes")?,
            modified_ns: line["modified_ns"].as_i64()?,
            inode: number("inode")?,
            device: number("device")?,
            ..Status::default()
        };
        let path = |name: &str| journal::path_of(line, name);
        let is_copy = match line["step"].as_str()? {
            "copy" => true,
            "move" => false,
            _ => return None,
        };
        Some(PhotoStep {
            is_copy,
            from: path("from")?,
            to: path("to")?,
            then,
            group: number("group")?,
            by_look: line["by_look"].as_bool()?,
        })
    }

    /// Whether the file is at a path: by its inode, and by size and time after it went to another file system.
    fn is_at(&self, path: &Path) -> Result<There> {
        let now = match status_of_name(path) {
            Ok((now, _)) => now,
            Err(error) if error.is_missing() => return Ok(There::Nothing),
            Err(error) => return Err(error),
        };
        let is_same = (now.device, now.inode) == (self.then.device, self.then.inode);
        let looks_same = (now.size, now.modified_ns) == (self.then.size, self.then.modified_ns);
        let is_it = match self.is_copy {
            true => looks_same,
            false => is_same || self.by_look && looks_same,
        };
        Ok(if is_it && now.is_file() { There::It } else { There::Other })
    }

    /// Whether the file, where it is at neither path, is where another step took it.
    fn is_elsewhere(&self, steps: &[PhotoStep]) -> Result<bool> {
        for other in steps.iter().filter(|other| other.then == self.then && *other != self) {
            if self.is_at(&other.from)? == There::It || self.is_at(&other.to)? == There::It {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Does it; whether that was needed.
    fn forward(&self, steps: &[PhotoStep], is_again: bool, work: &Work) -> Result<bool> {
        if !is_again {
            // What is at the new path is none of ours: the call tells.
            solio_io::check_unchanged(&self.from, &self.then)?;
        } else {
            match (self.is_at(&self.from)?, self.is_at(&self.to)?) {
                (There::It, There::It) if self.is_copy => return Ok(false),
                // Killed between the copy's name and the end of the old one.
                (There::It, There::It) => {
                    solio_io::remove_copy(&self.from, &self.to, work)?;
                    return Ok(true);
                }
                (There::It, There::Nothing) => {}
                (_, There::It) => return Ok(false),
                _ if self.is_elsewhere(steps)? => return Ok(false),
                (There::It, There::Other) => return Err(self.changed(&self.to)),
                _ => return Err(self.changed(&self.from)),
            }
        }
        solio_io::make_folder_of(&self.to)?;
        if self.is_copy {
            solio_io::copy_new(&self.from, &self.to, work)?;
        } else {
            solio_io::move_new(&self.from, &self.to, work)?;
        }
        Ok(true)
    }

    /// Takes it back; whether there was something to take back.
    fn undo(&self, steps: &[PhotoStep], work: &Work) -> Result<bool> {
        match (self.is_at(&self.from)?, self.is_at(&self.to)?) {
            (There::It, There::It) => {
                solio_io::remove_copy(&self.to, &self.from, work)?;
                Ok(true)
            }
            (There::It, _) | (_, There::Nothing) if self.is_copy => Ok(false),
            (There::It, _) => Ok(false),
            (There::Nothing, There::It) if self.is_copy => {
                let error = Error::new(
                    ErrorKind::Io,
                    "the file that this is a copy of is gone: the copy stays",
                );
                Err(error.at_path(&self.to))
            }
            (There::Nothing, There::It) => {
                solio_io::make_folder_of(&self.from)?;
                solio_io::move_new(&self.to, &self.from, work)?;
                Ok(true)
            }
            _ if self.is_elsewhere(steps)? => Ok(false),
            (There::Other, _) => Err(self.changed(&self.from)),
            _ => Err(self.changed(&self.to)),
        }
    }

    fn changed(&self, path: &Path) -> Error {
        let message = "this is not the file of the journal any more: it stays as it is";
        let hint = format!("look at it and at {}", self.to.display());
        let there = std::fs::symlink_metadata(path).is_ok();
        let message = if there { message } else { "the file of the journal is not here any more" };
        Error::new(ErrorKind::Io, message).at_path(path).hint(hint)
    }
}

#[derive(Default)]
struct Journaled {
    folders: Vec<PathBuf>,
    steps: Vec<PhotoStep>,
}

fn read_journal(path: &Path, work: &Work) -> Result<Journaled> {
    let mut lines = journal::read(path, work)?.into_iter();
    let first = match lines.next() {
        Some((_, first)) => first,
        // Killed within its first line: nothing was begun.
        None if is_begun(path, work)? => return Ok(Journaled::default()),
        None => Value::Null,
    };
    if first["journal"] != "photos" {
        let error = Error::corrupt("this is not a journal of solio photos").at_path(path);
        return Err(if first["kept"].is_string() {
            error.hint("it is one of links: solio dup --undo")
        } else {
            error
        });
    }
    if first["version"] != 1 {
        let error = Error::unsupported("a newer version wrote this journal").at_path(path);
        return Err(error.hint("take that version to undo it"));
    }
    let (mut folders, mut steps, mut is_whole) = (Vec::new(), Vec::new(), false);
    for (number, line) in lines {
        if line["end"].as_u64() == Some(steps.len() as u64) {
            is_whole = true;
        } else if let Some(folder) = journal::path_of(&line, "folder") {
            folders.push(folder);
        } else if let Some(step) = PhotoStep::of(&line) {
            steps.push(step);
        } else {
            let error = Error::corrupt("this line is no entry of a journal of photos");
            return Err(error.at_path(path).at_line(number, 1));
        }
    }
    // Nothing begins before the last line is on the disk.
    if !is_whole {
        steps.clear();
    }
    Ok(Journaled { folders, steps })
}

/// Whether a file is the beginning of a journal, or empty.
fn is_begun(path: &Path, work: &Work) -> Result<bool> {
    const START: &[u8] = b"{\"journal\":\"photos\"";
    let mut start = Vec::new();
    solio_io::read_ends(path, START.len(), work, |part| start.extend_from_slice(part))?;
    Ok(start.iter().zip(START).all(|(own, known)| own == known))
}

#[cfg(test)]
mod tests {
    use super::*;
    use solio_io::probe::write_plain;

    fn moved(folder: &Path, pairs: &[(&str, &str)]) -> Vec<PhotoStep> {
        let step = |(i, (from, to)): (usize, &(&str, &str))| {
            let (from, to) = (folder.join(from), folder.join(to));
            let then = status_of_name(&from).unwrap().0;
            PhotoStep { is_copy: false, from, to, then, group: i as u64, by_look: false }
        };
        pairs.iter().enumerate().map(step).collect()
    }

    /// The names in a folder with what they hold.
    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| {
                let path = entry.unwrap().path();
                let mut text = Vec::new();
                let part = |part: &[u8]| {
                    text.extend_from_slice(part);
                    Ok(())
                };
                solio_io::read_raw(&path, &Work::default(), part).unwrap();
                let name = path.file_name().unwrap().to_string_lossy().into_owned();
                name + " " + std::str::from_utf8(&text).unwrap()
            })
            .collect();
        names.sort();
        names
    }

    #[test]
    fn chains_and_rings_go_in_an_order_that_loses_nothing() {
        for pairs in [
            &[("a", "b"), ("b", "c"), ("c", "e")][..],
            &[("a", "b"), ("b", "a")],
            &[("a", "b"), ("b", "c"), ("c", "a"), ("d", "e")],
            &[("a", "A"), ("b", "B")],
            &[("d", "a"), ("a", "b"), ("b", "c"), ("c", "e")],
        ] {
            let dir = tempfile::tempdir().unwrap();
            let folder = dir.path();
            for name in ["a", "b", "c", "d"] {
                write_plain(&folder.join(name), name.as_bytes()).unwrap();
            }
            let before = names(folder);
            let mut wanted: Vec<String> = ["a", "b", "c", "d"]
                .map(|name| {
                    let to = pairs.iter().find(|pair| pair.0 == name).map_or(name, |pair| pair.1);
                    format!("{to} {name}")
                })
                .to_vec();
            wanted.sort();
            let steps = in_order(moved(folder, pairs), &mut PlaceKeys::default());
            // However far it came, it goes on to the end, and all the way back.
            for so_far in 0..=steps.len() {
                for step in &steps[..so_far] {
                    assert!(step.forward(&steps, false, &Work::default()).unwrap());
                }
                let done = run(&steps, true, &Work::default()).unwrap();
                assert!(done.failed.is_empty(), "{:?}", done.failed);
                assert_eq!(names(folder), wanted, "{pairs:?}");
                assert!(run(&steps, true, &Work::default()).unwrap().failed.is_empty());
                for undone in 0..=1 {
                    for step in steps.iter().rev().skip(undone * so_far / 2) {
                        step.undo(&steps, &Work::default()).unwrap();
                    }
                    for step in steps.iter().rev() {
                        step.undo(&steps, &Work::default()).unwrap();
                    }
                    assert_eq!(names(folder), before, "{pairs:?}");
                }
            }
        }
    }

    #[test]
    fn what_is_not_a_journal_of_photos_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("j");
        let head = r#"{"journal":"photos","version":1,"how":"move"}"#;
        for (text, is_fine) in [
            (String::new(), true),
            ("mine".into(), false),
            (r#"{"jour"#.into(), true),
            ("{}\n".into(), false),
            ("[]\n".into(), false),
            ("not json\n".into(), false),
            (r#"{"kept":"/a"}"#.to_owned() + "\n", false),
            (head.replace('1', "2") + "\n", false),
            (format!("{head}\n{{\"step\":\"move\"}}\n"), false),
            (format!("{head}\n{{\"step\":\"burn\",\"from\":1}}\n"), false),
            (format!("{head}\n{{\"end\":0}}\n"), true),
            // Cut: it was never begun.
            (format!("{head}\n{{\"fold"), true),
        ] {
            let _ = std::fs::remove_file(&path);
            write_plain(&path, text.as_bytes()).unwrap();
            let undone = undo_photos(&path, &Work::default());
            assert_eq!(undone.is_ok(), is_fine, "{text}: {undone:?}");
            assert_eq!(resume_photos(&path, &Work::default()).is_ok(), is_fine, "{text}");
        }
    }
}
