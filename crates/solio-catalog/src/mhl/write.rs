//! Writes manifests as the schema has them, indented by two as the reference tool does.

use super::{ALGORITHMS, Content, Creator, Entry, FileHash, FolderHash, Manifest};
use quick_xml::escape::escape;
use solio_codec::digest::Digest;
use std::fmt::Write as _;

/// The text of a manifest. Digests by algorithms that ASC MHL does not know are left out.
pub fn encode_manifest(manifest: &Manifest) -> String {
    let mut out = XmlWriter(String::with_capacity(400 * (manifest.entries.len() + 4)));
    out.line(0, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
    out.line(0, "<hashlist version=\"2.0\" xmlns=\"urn:ASC:MHL:v2.0\">");
    creator(&mut out, &manifest.creator);
    process(&mut out, manifest);
    // An empty list is against the schema.
    if !manifest.entries.is_empty() {
        out.line(1, "<hashes>");
        manifest.entries.iter().for_each(|entry| self::entry(&mut out, entry));
        out.line(1, "</hashes>");
    }
    if !manifest.references.is_empty() {
        out.line(1, "<references>");
        for reference in &manifest.references {
            out.line(2, "<hashlistreference>");
            out.element(3, "path", &[], &reference.path);
            out.digest(3, &reference.digest, &[]);
            out.line(2, "</hashlistreference>");
        }
        out.line(1, "</references>");
    }
    out.line(0, "</hashlist>");
    out.0
}

/// Whether XML can hold this name: not all characters can be written in it.
pub fn can_be_named(name: &str) -> bool {
    name.chars().all(|c| c >= ' ' && !matches!(c, '\u{fffe}' | '\u{ffff}'))
}

/// Lines of XML.
pub(super) struct XmlWriter(pub(super) String);

impl XmlWriter {
    pub(super) fn line(&mut self, depth: usize, text: &str) {
        self.start(depth);
        self.0.push_str(text);
        self.0.push('\n');
    }

    fn start(&mut self, depth: usize) {
        (0..depth).for_each(|_| self.0.push_str("  "));
    }

    fn attributes(&mut self, attributes: &[(&str, Option<&str>)]) {
        for (name, value) in attributes {
            if let Some(value) = value {
                let _ = write!(self.0, " {name}=\"{}\"", escape(*value));
            }
        }
    }

    /// `<name attribute="…">text</name>`
    pub(super) fn element(
        &mut self,
        depth: usize,
        name: &str,
        attributes: &[(&str, Option<&str>)],
        text: &str,
    ) {
        self.start(depth);
        let _ = write!(self.0, "<{name}");
        self.attributes(attributes);
        let _ = writeln!(self.0, ">{}</{name}>", escape(text));
    }

    pub(super) fn digest(
        &mut self,
        depth: usize,
        digest: &Digest,
        attributes: &[(&str, Option<&str>)],
    ) {
        let name = digest.algorithm().name();
        self.start(depth);
        let _ = write!(self.0, "<{name}");
        self.attributes(attributes);
        let _ = writeln!(self.0, ">{digest}</{name}>");
    }
}

fn creator(out: &mut XmlWriter, creator: &Creator) {
    out.line(1, "<creatorinfo>");
    out.element(2, "creationdate", &[], &creator.date);
    out.element(2, "hostname", &[], &creator.host);
    out.element(2, "tool", &[("version", creator.tool_version.as_deref())], &creator.tool);
    for author in &creator.authors {
        let said = [
            ("role", author.role.as_deref()),
            ("email", author.email.as_deref()),
            ("phone", author.phone.as_deref()),
        ];
        out.element(2, "author", &said, author.name.as_deref().unwrap_or_default());
    }
    for (name, text) in [("location", &creator.location), ("comment", &creator.comment)] {
        if let Some(text) = text {
            out.element(2, name, &[], text);
        }
    }
    out.line(1, "</creatorinfo>");
}

fn process(out: &mut XmlWriter, manifest: &Manifest) {
    out.line(1, "<processinfo>");
    out.element(2, "process", &[], &manifest.process);
    if !manifest.root.is_empty() {
        out.line(2, "<roothash>");
        folder_hashes(out, 3, &manifest.root);
        out.line(2, "</roothash>");
    }
    if !manifest.ignore.is_empty() {
        out.line(2, "<ignore>");
        manifest.ignore.iter().for_each(|pattern| out.element(3, "pattern", &[], pattern));
        out.line(2, "</ignore>");
    }
    out.line(1, "</processinfo>");
}

fn entry(out: &mut XmlWriter, entry: &Entry) {
    let modified = ("lastmodificationdate", entry.modified.as_deref());
    let name = match &entry.content {
        Content::File { .. } => "hash",
        Content::Folder(_) => "directoryhash",
    };
    out.line(2, &format!("<{name}>"));
    match &entry.content {
        Content::File { size, hashes } => {
            let size = size.map(|size| size.to_string());
            out.element(3, "path", &[("size", size.as_deref()), modified], &entry.path);
            in_order(hashes, |hash| &hash.digest, |hash| file_hash(out, hash));
        }
        Content::Folder(hashes) => {
            out.element(3, "path", &[modified], &entry.path);
            folder_hashes(out, 3, hashes);
        }
    }
    if let Some(path) = &entry.previous_path {
        out.element(3, "previousPath", &[], path);
    }
    out.line(2, &format!("</{name}>"));
}

fn file_hash(out: &mut XmlWriter, hash: &FileHash) {
    let action = hash.action.map(super::Action::name);
    out.digest(3, &hash.digest, &[("action", action), ("hashdate", hash.date.as_deref())]);
}

fn folder_hashes(out: &mut XmlWriter, depth: usize, hashes: &[FolderHash]) {
    folder_part(out, depth, "content", hashes, |hash| &hash.digest.content);
    folder_part(out, depth, "structure", hashes, |hash| &hash.digest.structure);
}

fn folder_part(
    out: &mut XmlWriter,
    depth: usize,
    name: &str,
    hashes: &[FolderHash],
    digest: impl Fn(&FolderHash) -> &Digest,
) {
    out.line(depth, &format!("<{name}>"));
    in_order(hashes, &digest, |hash| {
        out.digest(depth + 1, digest(hash), &[("hashdate", hash.date.as_deref())]);
    });
    out.line(depth, &format!("</{name}>"));
}

/// The order of the schema.
fn in_order<T>(all: &[T], digest: impl Fn(&T) -> &Digest, mut each: impl FnMut(&T)) {
    for algorithm in ALGORITHMS {
        all.iter().filter(|one| digest(one).algorithm() == algorithm).for_each(&mut each);
    }
}
