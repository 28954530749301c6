//! Tests about the repository itself; this library only finds and reads its files.
//!
//! The rules live in `tests/`: one file for one kind of promise. Each test names every breach at
//! once, as `path:line: what is wrong`, so that one run is enough to mend them all.
#![forbid(unsafe_code)]
#![allow(clippy::disallowed_methods)] // reads source files, not assets

use std::path::{Path, PathBuf};
use std::process::Command;

/// One text file of the repository.
///
/// ```
/// use solio_tidy::File;
/// // A rule of one's own: no line ends of DOS.
/// let breach = |file: &File| file.text.contains('\r').then(|| format!("{}: CR", file.path));
/// let file = File { path: "docs/a.md".into(), text: "# A\r\n".into() };
/// assert_eq!(breach(&file).as_deref(), Some("docs/a.md: CR"));
/// ```
pub struct File {
    /// Relative to the root, with `/`.
    pub path: String,
    /// Its content.
    pub text: String,
}

impl File {
    /// Lines with their 1-based numbers.
    ///
    /// ```
    /// let file = solio_tidy::File { path: "a.md".into(), text: "# Title\n\nTabs\there\n".into() };
    /// let tab = file.lines().find(|(_, line)| line.contains('\t'));
    /// assert_eq!(tab, Some((3, "Tabs\there")));
    /// ```
    pub fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.lines().enumerate().map(|(i, line)| (i + 1, line))
    }

    /// Rust code that is part of the product: under `src/`, without tests, benches and examples.
    ///
    /// ```
    /// let is_product = |path: &str| {
    ///     solio_tidy::File { path: path.into(), text: String::new() }.is_product_rust()
    /// };
    /// assert!(is_product("crates/solio-io/src/lib.rs"));
    /// assert!(!is_product("crates/solio-io/src/tests.rs"));
    /// assert!(!is_product("crates/solio/examples/a.rs"));
    /// ```
    pub fn is_product_rust(&self) -> bool {
        self.path.ends_with(".rs")
            && self.path.contains("/src/")
            && !self.path.starts_with("crates/solio-tidy/")
            && !self.path.ends_with("/tests.rs")
            && !self.path.contains("/tests/")
    }

    /// The crate that this file belongs to, for paths below `crates/`.
    ///
    /// ```
    /// let file = |path: &str| solio_tidy::File { path: path.into(), text: String::new() };
    /// assert_eq!(file("crates/solio-exr/src/lib.rs").crate_name(), Some("solio-exr"));
    /// assert_eq!(file("docs/index.md").crate_name(), None);
    /// ```
    pub fn crate_name(&self) -> Option<&str> {
        self.path.strip_prefix("crates/")?.split('/').next()
    }

    /// Product code line by line: comments cut off, string contents kept, `#[cfg(test)]` modules
    /// left out (they end the file by the custom of this repository).
    ///
    /// ```
    /// let text = "// first\nlet a = 1; // one\n#[cfg(test)]\nmod tests {}\n".to_owned();
    /// let file = solio_tidy::File { path: "a.rs".into(), text };
    /// assert_eq!(file.code_lines().collect::<Vec<_>>(), [(2, "let a = 1;")]);
    /// ```
    pub fn code_lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let end = self
            .lines()
            .find(|(_, line)| line.trim_start().starts_with("#[cfg(test)]"))
            .map_or(usize::MAX, |(n, _)| n);
        self.lines().take_while(move |(n, _)| *n < end).filter_map(|(n, line)| {
            let code = line.trim_start();
            (!code.starts_with("//")).then(|| (n, line.split(" // ").next().unwrap_or(line)))
        })
    }
}

/// The root of the repository.
///
/// ```
/// assert!(solio_tidy::root().join("ARCHITECTURE.md").is_file());
/// ```
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("crates/solio-tidy").to_owned()
}

/// All text files that git tracks or would track.
///
/// # Panics
/// When git does not answer.
///
/// ```
/// let files = solio_tidy::files();
/// assert!(files.iter().any(|file| file.path == "crates/solio-tidy/src/lib.rs"));
/// assert!(!files.iter().any(|file| file.path.starts_with("target/")));
/// ```
pub fn files() -> Vec<File> {
    let output = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root())
        .output()
        .expect("git lists the files of the repository");
    assert!(output.status.success(), "git ls-files: {}", String::from_utf8_lossy(&output.stderr));
    let names = String::from_utf8(output.stdout).expect("paths are UTF-8");
    names
        .split_terminator('\0')
        .filter_map(|path| {
            // A file that git lists may be gone from the work tree; a binary one is no text.
            let text = std::fs::read_to_string(root().join(path)).ok()?;
            Some(File { path: path.to_owned(), text })
        })
        .collect()
}

/// The file at `path`.
///
/// # Panics
/// When it is missing.
///
/// ```
/// let licence = solio_tidy::file("LICENSE-MIT");
/// assert!(licence.text.contains("Permission is hereby granted"));
/// ```
pub fn file(path: &str) -> File {
    let text = std::fs::read_to_string(root().join(path))
        .unwrap_or_else(|error| panic!("{path}: {error}"));
    File { path: path.to_owned(), text }
}

/// The JSON of `cargo metadata`; with `dependencies`, of all packages that any of our targets needs.
///
/// # Panics
/// When cargo does not answer.
///
/// ```
/// let metadata = solio_tidy::cargo_metadata(false); // of our crates only
/// let packages = metadata["packages"].as_array().unwrap();
/// assert!(packages.iter().any(|package| package["name"] == "solio-tidy"));
/// assert!(packages.iter().all(|package| package["source"].is_null()));
/// ```
pub fn cargo_metadata(dependencies: bool) -> serde_json::Value {
    let mut command = Command::new(std::env::var("CARGO").unwrap_or("cargo".into()));
    command.args(["metadata", "--format-version", "1", "--locked"]).current_dir(root());
    match dependencies {
        true => targets().iter().for_each(|target| {
            command.args(["--filter-platform", target]);
        }),
        false => {
            command.arg("--no-deps");
        }
    }
    let output = command.output().expect("cargo runs");
    assert!(output.status.success(), "cargo: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("cargo metadata is JSON")
}

/// What Solio is built for: the list in deny.toml.
fn targets() -> Vec<String> {
    let deny = file("deny.toml").text;
    let list = deny.split("targets = [").nth(1).and_then(|rest| rest.split(']').next());
    let list = list.expect("deny.toml has a list of targets");
    list.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Fails with all breaches, if there are any.
///
/// # Panics
/// When `breaches` is not empty.
///
/// ```should_panic
/// solio_tidy::report("lines without tabs", &[]); // nothing happens
/// solio_tidy::report("lines without tabs", &["docs/index.md:3: a tab".to_owned()]);
/// ```
pub fn report(rule: &str, breaches: &[String]) {
    assert!(breaches.is_empty(), "{rule}\n  {}\n", breaches.join("\n  "));
}
