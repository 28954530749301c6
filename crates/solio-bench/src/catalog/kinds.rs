//! A walk that tells the kind of every file, and does nothing else.

use super::CatalogBenchArgs;
use serde_json::json;
use solio::{Error, FileType, HEAD_BYTES, Result, Stopwatch};
use solio_cli::table::{count, figures};
use solio_cli::{Outcome, options, schema, screen};
use solio_io::HeadReader;
use solio_io::walk::{EntryKind, Listing, Visit, WalkOptions, walk};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Files of each kind.
type KindCounts = BTreeMap<String, u64>;

struct Kinds(Mutex<(KindCounts, u64)>);

pub(super) fn run(args: &CatalogBenchArgs) -> Result<Outcome> {
    let work = options::work(&args.work)?;
    let options = WalkOptions::of(&work);
    let kinds = Kinds(Mutex::default());
    let watch = Stopwatch::start();
    walk(&args.kinds, &options, &kinds)?;
    let took = watch.usage();
    let (counts, failed) = kinds.0.into_inner().unwrap_or_else(PoisonError::into_inner);
    let files = counts.values().sum::<u64>();
    if args.json {
        let line = json!({
            "case": "kinds", "files": files, "failed": failed, "kinds": counts,
            "wall_s": took.wall_s, "cpu_s": took.cpu_s,
        });
        screen::print(&schema::line("bench-kinds/1", &[], line));
    } else {
        for (kind, files) in &counts {
            screen::print(&format!("{:>12}  {kind}\n", count(*files)));
        }
        let (wall, cpu) = (figures(took.wall_s), figures(took.cpu_s));
        screen::print(&format!("{} files in {wall} s ({cpu} s of CPU)\n", count(files)));
    }
    Ok(if failed > 0 { Outcome::SomeFailed } else { Outcome::Done })
}

impl Visit for Kinds {
    type Folder = ();
    type Local = HeadReader;

    fn folder(&self, _: &mut HeadReader, _: &Listing) -> Result<()> {
        Ok(())
    }

    fn entries(
        &self,
        heads: &mut HeadReader,
        listing: &Listing,
        (): &(),
        entries: &[u32],
    ) -> Result<()> {
        let (mut found, mut failed) = (KindCounts::new(), 0);
        for &place in entries {
            let entry = &listing.entries()[place as usize];
            let mut kind = || -> Result<_> {
                let size = listing.status(entry)?.size;
                if entry.kind != EntryKind::File {
                    return Ok("special");
                }
                let source = listing.open_head(entry, heads, size, HEAD_BYTES)?;
                let head = solio::Source::head(&source);
                Ok(FileType::detect(head, Some(size), listing.name(entry).as_ref()).name())
            };
            match kind() {
                Ok(kind) => match found.get_mut(kind) {
                    Some(files) => *files += 1,
                    None => drop(found.insert(kind.to_owned(), 1)),
                },
                Err(_) => failed += 1,
            }
        }
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.1 += failed;
        for (kind, files) in found {
            *all.0.entry(kind).or_default() += files;
        }
        Ok(())
    }

    fn failed(&self, _: &Path, _: Error) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).1 += 1;
    }
}
