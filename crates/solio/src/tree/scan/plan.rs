//! A scan as a job of a render farm: Open Job Description, version 2023-09
//! (<https://github.com/OpenJobDescription/openjd-specifications/wiki/2023-09-Template-Schemas>).

use serde_json::{Value, json};
use solio_base::{Error, Result};
use std::path::{Path, PathBuf};

/// Most parts of a job: the arguments of its last step name all of them.
const MOST_PARTS: u64 = 1024;

/// A job template, JSON, whose tasks scan `parts` parts of `roots`, each with the options `more`, and
/// whose last step merges them into `to`. The parts lie beside it.
///
/// ```
/// let (roots, more) = (["/show/assets".into()], ["--hash".to_owned()]);
/// let job = solio::farm_plan(&roots, "/show/assets.parquet".as_ref(), 8, &more)?;
/// // A task for each part, and a step that puts them together.
/// assert!(job.contains("\"range\": \"1-8\""));
/// assert!(job.contains("/show/assets.part8.parquet"));
/// # Ok::<(), solio::Error>(())
/// ```
///
/// # Errors
/// `Argument` for paths that such a template cannot hold: no UTF-8, or with `{{` or `}}`.
pub fn farm_plan(roots: &[PathBuf], to: &Path, parts: u64, more: &[String]) -> Result<String> {
    if !(1..=MOST_PARTS).contains(&parts) {
        return Err(Error::argument(format!("a job has 1 to {MOST_PARTS} parts")));
    }
    let roots = super::run::absolute(roots)?;
    let [to] = &super::run::absolute(&[to.to_owned()])?[..] else {
        unreachable!("one in, one out")
    };
    let roots = roots.iter().map(|root| text(root)).collect::<Result<Vec<_>>>()?;
    let stem = text(&to.with_extension(""))?;
    let part = |number: &str| format!("{stem}.part{number}.parquet");
    let task = "{{Task.Param.Part}}";
    let mut scan = vec!["scan".to_owned()];
    scan.extend(roots);
    scan.extend(["-o".to_owned(), part(task), "--shard".to_owned(), format!("{task}/{parts}")]);
    scan.extend_from_slice(more);
    let mut merge = vec!["merge".to_owned()];
    merge.extend((1..=parts).map(|number| part(&number.to_string())));
    merge.extend(["-o".to_owned(), text(to)?]);
    let run = |arguments: Vec<String>| json!({ "actions": { "onRun": { "command": "solio", "args": arguments } } });
    let space: Value = json!({
        "taskParameterDefinitions": [
            { "name": "Part", "type": "INT", "range": format!("1-{parts}") },
        ],
    });
    let job = json!({
        "specificationVersion": "jobtemplate-2023-09",
        "name": "solio scan",
        "steps": [
            { "name": "Scan", "parameterSpace": space, "script": run(scan) },
            { "name": "Merge", "dependencies": [{ "dependsOn": "Scan" }], "script": run(merge) },
        ],
    });
    Ok(format!("{job:#}\n"))
}

/// A path as an argument in the template.
fn text(path: &Path) -> Result<String> {
    let text = path.to_str().filter(|text| !text.contains("{{") && !text.contains("}}"));
    text.map(str::to_owned).ok_or_else(|| {
        Error::argument("a job cannot hold this path: it is not valid UTF-8, or has {{ or }} in it")
            .at_path(path)
    })
}
