//! The arguments of `solio scan`, `solio query` and `solio merge`.

use super::filter::{FilterArgs, parse_time};
use super::shared::{InputArgs, RunArgs, WorkArgs, parse_rate, recursive, trimmed};
use clap::Args;
use solio::catalog::store::RemovalLimit;
use std::path::PathBuf;

const SCAN_EXAMPLES: &str = "\
Examples:
  solio scan /mnt/show -o show.sqlite            again: only what changed is opened
  solio scan photos -o photos.sqlite --thumbnails --hash xxh128 --fields ISO
  solio scan shots -o shots.parquet --check      for DuckDB, Polars, pandas, Spark
  solio scan /mnt/show -o show.sqlite --diff     and print what changed
  solio scan /mnt/show -o show.sqlite --exclude cache/ --exclude '*.tmp'
  solio scan /mnt/show -o show.sqlite --watch    kept current until Ctrl-C
  solio scan /mnt/show -o show.sqlite --accept-removal    what is not there is gone
  solio scan -o show.sqlite --purge=30           forget what was gone a month ago
  solio scan /mnt/show -o part1.parquet --shard 1/8    one of eight machines
  solio scan /mnt/show -o show.parquet --openjd job.json --parts 64
  solio scan s3://show/shots -o shots.sqlite     a bucket; gs:// and az://, too
  solio query show.sqlite \"SELECT * FROM kinds\"

A scan that is stopped, in whatever way, keeps what it has; run again it goes on from there. Files \
whose size, times and inode (of objects, entity tag) are as before are not opened. The rows of a volume \
that is not mounted, of one with another in its place, and of one that is suddenly empty stay, and so do \
those of files of which too many are gone at once. Stores are found by \
their usual variables: AWS_ACCESS_KEY_ID, AWS_ENDPOINT_URL, GOOGLE_APPLICATION_CREDENTIALS, \
AZURE_STORAGE_ACCOUNT_NAME and others.
Exit code: 0 scanned, whatever --check found: SELECT * FROM problems tells; 1 something could not be \
read, or rows were kept of what is not there.";

const QUERY_EXAMPLES: &str = "\
Examples:
  solio query show.sqlite                        list the available views
  solio query show.sqlite \"SELECT * FROM problems\"
  solio query show.sqlite --since 1d             what changed since yesterday
  solio query show.sqlite \"SELECT path FROM images WHERE width > 8000\" --csv
  solio query show.sqlite -0 \\
    \"SELECT coalesce(path_bytes, path) FROM files WHERE kind = 'exr'\" |
    solio check -0 --files-from -

The view files has a row for each file, history one for each change that a scan found; scan_list, kinds, images, photos, meshes, scenes, sequences, problems, \
folder_sizes, duplicates (after --hash) and gallery (after --thumbnails) answer what is asked often.";

const MERGE_EXAMPLES: &str = "\
Examples:
  solio merge part*.parquet -o show.parquet      the bytes that one scan would write
  solio merge a.sqlite b.parquet -o all.sqlite";

#[derive(Debug, Args)]
#[command(after_help = SCAN_EXAMPLES, arg(recursive()))]
#[command(mut_arg("files", |files| files.help("Folders and files, or s3://, gs:// and az://")))]
#[command(mut_arg("json", |json| json.help("Print JSON, one object")))]
pub(crate) struct ScanArgs {
    #[command(flatten)]
    pub(crate) inputs: InputArgs,
    /// The catalogue: SQLite, or Parquet where the name ends in .parquet
    #[arg(short, long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub(crate) output: PathBuf,
    /// Further tags to keep, as solio meta names them; they are JSON in the column tags
    #[arg(short, long, value_name = "NAMES", value_delimiter = ',', value_parser = trimmed)]
    pub(crate) fields: Vec<String>,
    /// Read meshes and scenes to their end, for counts and bounds; with --check, unpack images
    #[arg(long)]
    pub(crate) deep: bool,
    /// Look for damage, as solio check does
    #[arg(long)]
    pub(crate) check: bool,
    /// Hash all content
    #[arg(long, value_name = "NAME", value_parser = ["xxh128"])]
    pub(crate) hash: Option<String>,
    /// Keep a small picture of each image, mesh and scene (JPEG, in the view gallery)
    #[arg(long, value_name = "PIXELS", num_args = 0..=1, require_equals = true,
        default_missing_value = "192", value_parser = clap::value_parser!(u32).range(16..=1024))]
    pub(crate) thumbnails: Option<u32>,
    /// Go on only with a scan that was stopped; without one nothing is done
    #[arg(long)]
    pub(crate) resume: bool,
    /// When all is scanned go on watching, and keep the catalogue current until Ctrl-C; with SECONDS
    /// scan all again after so long without a change, for NFS and SMB, which do not tell what other
    /// machines change
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, require_equals = true,
        conflicts_with_all = ["resume", "dry_run", "openjd"],
        value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub(crate) watch: Option<Option<u64>>,
    /// Look at every file again, and hash it; content that changed though size and time did not is a
    /// problem
    #[arg(long)]
    pub(crate) paranoid: bool,
    /// Throw away what the catalogue holds
    #[arg(long)]
    pub(crate) rebuild: bool,
    /// Follow links to folders
    #[arg(long)]
    pub(crate) follow: bool,
    /// Only part I of N of the files, from 1
    #[arg(long, value_name = "I/N", value_parser = shard)]
    pub(crate) shard: Option<(u64, u64)>,
    /// Scan nothing; write a job of N parts for render farms (Open Job Description)
    #[arg(long, value_name = "JOB", requires = "parts", conflicts_with_all = ["shard", "dry_run", "resume", "thumbnails"])]
    pub(crate) openjd: Option<PathBuf>,
    /// With --openjd: how many parts
    #[arg(long, value_name = "N", requires = "openjd")]
    pub(crate) parts: Option<u64>,
    /// Go by what is there now: whatever is not there is gone, also all of a volume that is not mounted, or
    /// has another one in its place
    #[arg(long)]
    pub(crate) accept_removal: bool,
    /// How many files of a root or mount point may be gone at once, as a number or as 50%; more of them are
    /// kept, and told [default: half of them, and a hundred always]
    #[arg(long, value_name = "N", value_parser = max_removed)]
    pub(crate) max_removed: Option<RemovalLimit>,
    /// Scan nothing; forget the files that were gone more than DAYS days ago, which are in the view gone
    #[arg(long, value_name = "DAYS", num_args = 0..=1, require_equals = true, default_missing_value = "0",
        conflicts_with_all = ["files", "files_from", "watch", "openjd", "dry_run", "resume", "rebuild"])]
    pub(crate) purge: Option<u64>,
    /// Stop after so many files and folders that cannot be read
    #[arg(long, value_name = "N")]
    pub(crate) max_errors: Option<u64>,
    /// Write the names of what cannot be read to this file, each before a zero byte; with --watch those
    /// of the first scan
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub(crate) quarantine: Option<PathBuf>,
    /// Read at most so many bytes a second, such as 100M
    #[arg(long, value_name = "RATE", value_parser = parse_rate)]
    pub(crate) bwlimit: Option<u64>,
    /// Print what changed since the last scan, a line a file: + added, - removed, M changed, R moved, x left out now
    #[arg(long, conflicts_with_all = ["dry_run", "watch", "openjd", "purge"])]
    pub(crate) diff: bool,
    /// Dry run: show how much would be scanned
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) filter: FilterArgs,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

#[derive(Debug, Args)]
#[command(after_help = QUERY_EXAMPLES)]
pub(crate) struct QueryArgs {
    /// The catalogue
    #[arg(value_name = "CATALOGUE", value_hint = clap::ValueHint::FilePath)]
    pub(crate) catalog: PathBuf,
    /// An SQL query; without one, the views are listed
    #[arg(value_name = "SQL")]
    pub(crate) sql: Option<String>,
    /// What changed in the scans since a time (2026-11-01, 3d), or since the scan of this number
    #[arg(long, value_name = "WHEN", value_parser = since, conflicts_with = "sql")]
    pub(crate) since: Option<Since>,
    /// Print JSON, one object per row
    #[arg(long, group = "form")]
    pub(crate) json: bool,
    /// Print comma-separated values, a line a row
    #[arg(long, group = "form")]
    pub(crate) csv: bool,
    /// As --csv, for spreadsheets: texts that begin with =, +, -, @, a tab or a carriage return, which they
    /// would take for formulas, get an apostrophe before them
    #[arg(long, group = "form")]
    pub(crate) csv_safe: bool,
    /// Print the first values alone, NUL-separated
    #[arg(long, alias = "null", visible_short_alias = '0', group = "form")]
    pub(crate) print0: bool,
}

#[derive(Debug, Args)]
#[command(after_help = MERGE_EXAMPLES)]
pub(crate) struct MergeArgs {
    /// Parts of a catalogue, SQLite or Parquet
    #[arg(value_name = "PART", required = true, value_hint = clap::ValueHint::FilePath)]
    pub(crate) parts: Vec<PathBuf>,
    /// The whole: SQLite, or Parquet where the name ends in .parquet
    #[arg(short, long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub(crate) output: PathBuf,
    /// Print JSON, one object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) work: WorkArgs,
}

/// From where on a history is asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Since {
    /// After the scan of this number.
    Scan(i64),
    /// From this time on, in nanoseconds since 1970.
    Time(i64),
}

fn since(text: &str) -> Result<Since, String> {
    match text.parse() {
        Ok(scan) => Ok(Since::Scan(scan)),
        Err(_) => parse_time(text).map(Since::Time),
    }
}

/// `100`, or `50%`.
fn max_removed(text: &str) -> Result<RemovalLimit, String> {
    let wanted = || "a number of files such as 100, or a share such as 50%, is wanted".to_owned();
    match text.strip_suffix('%') {
        None => text.parse().map(RemovalLimit::Files).map_err(|_| wanted()),
        Some(share) => {
            let share = share.trim().parse::<f64>().map_err(|_| wanted())?;
            let is_share = (0.0..=100.0).contains(&share);
            if is_share { Ok(RemovalLimit::Share(share / 100.0)) } else { Err(wanted()) }
        }
    }
}

/// `3/8`: the third of eight, as 2 of 8.
fn shard(text: &str) -> Result<(u64, u64), String> {
    let parts = text.split_once('/').and_then(|(part, parts)| {
        let (part, parts) = (part.parse::<u64>().ok()?, parts.parse::<u64>().ok()?);
        (1..=parts).contains(&part).then(|| (part - 1, parts))
    });
    parts.ok_or_else(|| "a part such as 1/8 is wanted, from 1/8 to 8/8".to_owned())
}
