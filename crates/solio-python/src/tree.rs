//! `solio.check`, `duplicates`, `hash`, `sequences`, `diff`: what the commands of these names find, for Python.

use crate::errors::{exception, raise};
use crate::options::{CallArguments, filter, plain, work};
use crate::run::run;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use solio::digest::Algorithm;
use solio::image::CheckOptions;
use solio::names::OsStrBytes;
use solio::{
    DuplicateOptions, Error, Family, FileCheck, HashJob, Input, KeepRule, Limits, ListKind,
    ListOptions, Progress, Work,
};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

type Name<'py> = Bound<'py, PyBytes>;
type Raised = Py<PyAny>;
/// Kind, message, offset, part.
type Problem = (String, String, Option<u64>, Option<usize>);
/// Path, format, what was found, problems, notes, error.
type Checked<'py> = (Name<'py>, &'static str, String, Vec<Problem>, Vec<String>, Option<Raised>);
/// Bytes of each file, and the names of each.
type Group<'py> = (u64, Vec<Vec<Name<'py>>>);
/// Path, bytes, digests by name, error.
type Summed<'py> = (Name<'py>, u64, Vec<(&'static str, String)>, Option<Raised>);
/// Kind, path, range, frames, missing, expected, bytes.
type Listed<'py> = (&'static str, Name<'py>, Option<String>, Vec<i64>, String, u64, Option<u64>);
/// Change, path, old path, bytes, old bytes.
type Difference<'py> = (&'static str, Name<'py>, Option<Name<'py>>, Option<u64>, Option<u64>);

fn paths(names: &[Name<'_>]) -> Vec<PathBuf> {
    names.iter().map(|name| OsStr::from_bytes(name.as_bytes()).into()).collect()
}

fn name<'py>(py: Python<'py>, path: &Path) -> Name<'py> {
    PyBytes::new(py, path.as_os_str().as_bytes())
}

fn raised(py: Python<'_>, error: &Error) -> PyResult<Raised> {
    Ok(exception(py, error)?.unbind())
}

fn all_raised(py: Python<'_>, errors: &[Error]) -> PyResult<Vec<Raised>> {
    errors.iter().map(|error| raised(py, error)).collect()
}

/// Whether the files at and below `paths` are whole, and their names sound.
#[pyfunction]
pub(crate) fn tree_check<'py>(
    py: Python<'py>,
    names: Vec<Name<'py>>,
    options: &Bound<'py, PyDict>,
) -> PyResult<Vec<Checked<'py>>> {
    let given = CallArguments::new(options);
    let mut wanted = CheckOptions::default();
    given.with("deep", &mut wanted.decode, plain)?;
    let filter = filter(&given, py)?;
    let work = work(&given)?;
    given.finish()?;
    let inputs = paths(&names);
    let found = run(py, &work.cancel, || {
        let (folders, mut files): (Vec<_>, Vec<_>) =
            inputs.into_iter().partition(|path| path.is_dir());
        files.retain(|file| filter.wants_named(file));
        let mut all: Vec<(PathBuf, solio::Result<FileCheck>)> = Vec::new();
        let together = !wanted.decode;
        let named = |path: &PathBuf, work: &Work| solio::check_file(path, &wanted, work);
        solio::each_file(&files, &work, together, named, |path, result| {
            all.push((path.clone(), result));
            Ok(true)
        })?;
        if !folders.is_empty() {
            let solio::Found { files, folders, failed } =
                solio::find_files(&folders, &filter, &work)?;
            let at = |error: &Error| error.path().unwrap_or(Path::new("")).to_owned();
            all.extend(failed.into_iter().map(|error| (at(&error), Err(error))));
            all.extend(folders.into_iter().map(|(path, check)| (path, Ok(check))));
            let below = |path: &PathBuf, work: &Work| solio::check_found(path, &wanted, work);
            solio::each_file(&files, &work, together, below, |path, result| {
                all.push((path.clone(), result));
                Ok(true)
            })?;
        }
        work.cancel.check()?;
        Ok(all)
    })?;
    let shown = |(path, result): (PathBuf, solio::Result<FileCheck>)| -> PyResult<Checked<'py>> {
        let name = name(py, &path);
        let check = match result {
            Ok(check) => check,
            Err(error) => {
                return Ok((
                    name,
                    "unreadable",
                    String::new(),
                    Vec::new(),
                    Vec::new(),
                    Some(raised(py, &error)?),
                ));
            }
        };
        let problems = check.problems.iter().map(|problem| {
            (problem.kind.name().to_owned(), problem.message.clone(), problem.offset, problem.part)
        });
        let text = check
            .text_problems
            .iter()
            .map(|error| ("text".to_owned(), error.to_string(), None, None));
        let odd = check
            .odd
            .iter()
            .map(|odd| (odd.rule.name().to_owned(), odd.message.clone(), None, None));
        let problems = problems.chain(text).chain(odd).collect();
        Ok((name, check.format, check.found.clone(), problems, check.notes.clone(), None))
    };
    found.into_iter().map(shown).collect()
}

/// Files with the same content, at and below `paths`, or by the hashes of a catalogue; how many files were met,
/// and errors.
#[pyfunction]
pub(crate) fn tree_duplicates<'py>(
    py: Python<'py>,
    names: Vec<Name<'py>>,
    options: &Bound<'py, PyDict>,
) -> PyResult<(Vec<Group<'py>>, u64, Vec<Raised>)> {
    let given = CallArguments::new(options);
    let (mut wanted, mut keep) = (DuplicateOptions::default(), Vec::<String>::new());
    given.with("empty", &mut wanted.empty, plain)?;
    given.with("paranoid", &mut wanted.paranoid, plain)?;
    given.with("keep", &mut keep, plain)?;
    wanted.filter = filter(&given, py)?;
    let work = work(&given)?;
    given.finish()?;
    let keep = keep.iter().map(|rule| rule.parse::<KeepRule>().map_err(Error::argument));
    let keep = keep.collect::<solio::Result<Vec<_>>>().map_err(|e| raise(py, &e))?;
    let inputs = paths(&names);
    let found = run(py, &work.cancel, || {
        let mut found = match &inputs[..] {
            [one] if is_catalog(one, &work) => solio::catalog_duplicates(one, &work)?,
            _ => solio::find_duplicates(&inputs, &wanted, &work)?,
        };
        solio::keep_first(&mut found.groups, &keep)?;
        Ok(found)
    })?;
    let file = |file: &Vec<PathBuf>| file.iter().map(|path| name(py, path)).collect();
    let groups =
        found.groups.iter().map(|group| (group.bytes, group.files.iter().map(file).collect()));
    Ok((groups.collect(), found.files, all_raised(py, &found.failed)?))
}

fn is_catalog(path: &Path, work: &Work) -> bool {
    let uncounted = Work { progress: Progress::default(), ..work.clone() };
    path.is_file()
        && Input::open(path, &Limits::default(), &uncounted)
            .is_ok_and(|input| input.kind().family() == Family::Catalogue)
}

/// Digests of the files at and below `paths`, in the order of names.
#[pyfunction]
pub(crate) fn tree_hash<'py>(
    py: Python<'py>,
    names: Vec<Name<'py>>,
    options: &Bound<'py, PyDict>,
) -> PyResult<Vec<Summed<'py>>> {
    let given = CallArguments::new(options);
    let mut wanted = Vec::<String>::new();
    given.with("algorithms", &mut wanted, plain)?;
    let filter = filter(&given, py)?;
    let work = work(&given)?;
    given.finish()?;
    let algorithm = |name: &String| {
        let known = Algorithm::ALL.into_iter().find(|it| it.name() == name);
        known.ok_or_else(|| {
            let all = Algorithm::ALL.map(Algorithm::name).join(", ");
            Error::argument(format!("{name} is not a hash")).hint(format!("use one of {all}"))
        })
    };
    let algorithms = wanted.iter().map(algorithm).collect::<solio::Result<Vec<_>>>();
    let algorithms: Arc<[Algorithm]> = algorithms.map_err(|e| raise(py, &e))?.into();
    let inputs = paths(&names);
    let (found, failed) = run(py, &work.cancel, || {
        let (files, failed) = solio::files_below(&inputs, &filter, &work)?;
        let jobs: Vec<HashJob> = files
            .into_iter()
            .map(|path| HashJob { path, algorithms: algorithms.clone() })
            .collect();
        let mut found = Vec::new();
        solio::hash_files(&jobs, Default::default(), &work, |index, result| {
            found.push((jobs[index].path.clone(), result));
            Ok(true)
        })?;
        work.cancel.check()?;
        Ok((found, failed))
    })?;
    let missed = failed
        .into_iter()
        .map(|error| (error.path().unwrap_or(Path::new("")).to_owned(), Err(error)));
    let shown = |(path, result): (PathBuf, solio::Result<solio::Hashed>)| -> PyResult<Summed<'py>> {
        let name = name(py, &path);
        match result {
            Ok(hashed) => {
                let digests =
                    hashed.digests.iter().map(|it| (it.algorithm().name(), it.to_string()));
                Ok((name, hashed.bytes, digests.collect(), None))
            }
            Err(error) => Ok((name, 0, Vec::new(), Some(raised(py, &error)?))),
        }
    };
    found.into_iter().chain(missed).map(shown).collect()
}

/// What is in folders, sequences as one entry each, and errors.
#[pyfunction]
pub(crate) fn tree_list<'py>(
    py: Python<'py>,
    names: Vec<Name<'py>>,
    options: &Bound<'py, PyDict>,
) -> PyResult<(Vec<Listed<'py>>, Vec<Raised>)> {
    let given = CallArguments::new(options);
    let mut wanted = ListOptions::default();
    given.with("recursive", &mut wanted.recursive, plain)?;
    given.with("sizes", &mut wanted.sizes, plain)?;
    given.with("hidden", &mut wanted.hidden, plain)?;
    wanted.filter = filter(&given, py)?;
    let work = work(&given)?;
    given.finish()?;
    let inputs = paths(&names);
    let list = run(py, &work.cancel, || solio::list(&inputs, wanted, &work))?;
    let shown = |entry: &solio::ListEntry| -> Listed<'py> {
        let path = name(py, &entry.path());
        match &entry.kind {
            ListKind::Folder(_) => {
                ("folder", path, None, Vec::new(), String::new(), 0, entry.bytes)
            }
            ListKind::File(_) => ("file", path, None, Vec::new(), String::new(), 0, entry.bytes),
            ListKind::Sequence(it) => {
                let (range, frames) = (Some(it.range.clone()), it.files.frames.clone());
                ("sequence", path, range, frames, it.missing.clone(), it.expected, entry.bytes)
            }
        }
    };
    Ok((list.entries.iter().map(shown).collect(), all_raised(py, &list.failed)?))
}

/// What is different between two catalogues.
#[pyfunction]
pub(crate) fn catalog_diff<'py>(
    py: Python<'py>,
    before: &Name<'py>,
    after: &Name<'py>,
) -> PyResult<Vec<Difference<'py>>> {
    let work = Work::default();
    let [before, after] =
        [before, after].map(|path| PathBuf::from(OsStr::from_bytes(path.as_bytes())));
    let all = run(py, &work.cancel, || solio::diff_catalogs(&before, &after, &work))?;
    let shown = |it: &solio::catalog::difference::CatalogDifference| -> Difference<'py> {
        let old = it.old_path.as_deref().map(|old| PyBytes::new(py, old));
        (it.change.name(), PyBytes::new(py, &it.path), old, it.size, it.old_size)
    };
    Ok(all.iter().map(shown).collect())
}
