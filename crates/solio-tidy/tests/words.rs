//! Words: what a native technical director would say instead.

use solio_tidy::{files, report};

/// What reads as if translated, and what is said instead.
const WORDS: [(&str, &str); 60] = [
    ("manners", "behaviour, conventions"),
    ("where to read on", "documentation"),
    ("what it cannot do", "limitations"),
    ("a line for everything", "cheat sheet"),
    ("scenes of pbrt", "pbrt scenes"),
    ("scene of pbrt", "pbrt scene"),
    ("metadata of photos", "photo metadata"),
    ("dates of photos", "photo dates"),
    ("table of chunks", "chunk table"),
    ("tables of chunks", "chunk tables"),
    ("interpreter's lock", "GIL"),
    ("do what they say", "(say what they do)"),
    ("how even each", "perceptual uniformity"),
    ("unevenness", "non-uniformity"),
    ("page of a run", "run report"),
    ("what photos say", "photo metadata"),
    ("say about themselves", "metadata"),
    ("say of themselves", "metadata"),
    ("tell the truth", "match the content"),
    ("all that is below", "recurse into subfolders"),
    ("that is below it", "in its subfolders"),
    ("no utf-8", "not valid UTF-8"),
    ("no plain file", "not a regular file"),
    ("is no history", "no history found"),
    ("unsound", "has problems"),
    ("lies at byte", "starts at byte"),
    ("as it lies", "unchanged, verbatim"),
    ("as they lie", "unchanged, verbatim"),
    ("written to its end", "written completely"),
    ("how a task is done", "task guides"),
    ("what a command takes", "help for a command"),
    ("views there are", "available views"),
    ("question in sql", "SQL query"),
    ("what their heads", "headers"),
    ("zero byte behind", "NUL-separated"),
    ("zero bytes behind", "NUL-separated"),
    ("command of files", "commands that take files"),
    ("the last word", "is detected from content"),
    ("is no render", "is not a render"),
    ("is there twice", "duplicate"),
    ("pass over", "skip"),
    ("passes over", "skips"),
    ("say what would be done", "dry run"),
    ("rests safely", "fsync"),
    ("rays a pixel", "samples per pixel"),
    ("that are well", "only report failures"),
    ("who writes this", "author"),
    ("what else there is to say", "comment"),
    ("can do at best", "limits"),
    ("throw the bytes", "discard the data"),
    ("a question cannot", "queries are read-only"),
    ("becomes no such", "cannot be written as"),
    ("give back every bit", "lossless"),
    ("put down there", "selected"),
    ("readers are total", "parsers never panic or hang"),
    ("files of strangers", "untrusted files"),
    ("thousand million", "billion"),
    ("but for the", "except the"),
    ("needs nothing else", "self-contained"),
    ("no file of", "no … file"),
];

/// What people read: documents, help, and the texts of the packages.
fn is_read(path: &str) -> bool {
    let of_help = path.starts_with("crates/solio-cli/src/help/")
        || path.starts_with("crates/solio-cli/src/args/");
    let of_python = path.ends_with(".py")
        && (path.starts_with("python/solio/") || path.starts_with("blender/solio_io/"));
    of_help
        || of_python
        || path.ends_with(".md") && !path.starts_with("bench/") && path != "CHANGELOG.md"
}

#[test]
fn texts_are_native_english() {
    let mut breaches = Vec::new();
    let mut read = 0;
    for file in files().iter().filter(|file| is_read(&file.path)) {
        read += 1;
        for (n, line) in file.lines() {
            let lower = line.to_lowercase();
            for (word, instead) in WORDS.iter().filter(|(word, _)| lower.contains(word)) {
                breaches.push(format!("{}:{n}: {word:?}: say {instead:?}", file.path));
            }
        }
    }
    report("words that read as if translated:", &breaches);
    assert!(read > 60, "the documents and the help are read");
}
