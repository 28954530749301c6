//! Reads manifests. What the schema does not know is passed over; what it knows has to be right.

use super::xml::{Xml, XmlElement};
use super::{
    ALGORITHMS, Action, Author, Content, Creator, Entry, FileHash, FolderDigest, FolderHash,
    Manifest, Reference,
};
use solio_base::{Limits, Result};
use solio_codec::digest::{Algorithm, Digest};

/// Decodes a manifest (`*.mhl`).
///
/// # Errors
/// `Corrupt` with the byte where the XML, or what it says, is wrong; `Limit`.
pub fn decode_manifest(bytes: &[u8], limits: &Limits) -> Result<Manifest> {
    limits.check_bytes("the manifest", bytes.len() as u64)?;
    let mut xml = Xml::new(bytes);
    xml.root("hashlist")?;
    let mut manifest = Manifest::default();
    while let Some(element) = xml.open()? {
        match element.name.as_str() {
            "hashes" => {
                while let Some(entry) = xml.open()? {
                    let entry = xml.rest(entry)?;
                    match entry.name.as_str() {
                        "hash" => manifest.entries.push(file(&entry)?),
                        "directoryhash" => manifest.entries.push(folder(&entry)?),
                        _ => {}
                    }
                }
            }
            "creatorinfo" => manifest.creator = creator(&xml.rest(element)?),
            "processinfo" => process(&xml.rest(element)?, &mut manifest)?,
            "references" => {
                let element = xml.rest(element)?;
                let all = element.children.iter().filter(|c| c.name == "hashlistreference");
                manifest.references = all.map(reference).collect::<Result<_>>()?;
            }
            _ => _ = xml.rest(element)?,
        }
    }
    Ok(manifest)
}

fn creator(element: &XmlElement) -> Creator {
    let tool = element.child("tool");
    let authors = element.children.iter().filter(|child| child.name == "author");
    let author = |author: &XmlElement| {
        // Early manifests have elements where the specification has attributes.
        let said = |name: &str| author.attribute(name).map(str::to_owned).or(author.text_of(name));
        let name = Some(author.text.clone()).filter(|name| !name.is_empty());
        Author {
            name: name.or(author.text_of("name")),
            role: said("role"),
            email: said("email"),
            phone: said("phone"),
        }
    };
    Creator {
        date: element.text_of("creationdate").unwrap_or_default(),
        host: element.text_of("hostname").unwrap_or_default(),
        tool: tool.map(|tool| tool.text.clone()).unwrap_or_default(),
        tool_version: tool.and_then(|tool| tool.attribute("version")).map(str::to_owned),
        authors: authors.map(author).collect(),
        location: element.text_of("location"),
        comment: element.text_of("comment"),
    }
}

fn process(element: &XmlElement, manifest: &mut Manifest) -> Result<()> {
    manifest.process = element.text_of("process").unwrap_or_default();
    if let Some(root) = element.child("roothash") {
        manifest.root = folder_hashes(root)?;
    }
    if let Some(ignore) = element.child("ignore") {
        let patterns = ignore.children.iter().filter(|child| child.name == "pattern");
        manifest.ignore = patterns.map(|pattern| pattern.text.clone()).collect();
    }
    Ok(())
}

fn file(element: &XmlElement) -> Result<Entry> {
    let mut hashes = Vec::new();
    for child in &element.children {
        if let Some(algorithm) = algorithm(child) {
            hashes.push(FileHash {
                digest: digest(child, algorithm)?,
                action: child.attribute("action").and_then(Action::from_name),
                date: child.attribute("hashdate").map(str::to_owned),
            });
        }
    }
    let size = element.child("path").and_then(|path| path.attribute("size"));
    let size = size.map(|size| size.parse().map_err(|_| element.error("size is no number")));
    entry(element, Content::File { size: size.transpose()?, hashes })
}

fn folder(element: &XmlElement) -> Result<Entry> {
    entry(element, Content::Folder(folder_hashes(element)?))
}

fn entry(element: &XmlElement, content: Content) -> Result<Entry> {
    let path = element.child("path").ok_or_else(|| element.error("there is no <path>"))?;
    let modified = path.attribute("lastmodificationdate");
    Ok(Entry {
        path: relative(path)?,
        previous_path: element.child("previousPath").map(relative).transpose()?,
        modified: modified.map(str::to_owned),
        content,
    })
}

/// A path that stays below the folder of the history.
fn relative(element: &XmlElement) -> Result<String> {
    let path = &element.text;
    let leads_out = path.is_empty() || path.starts_with('/') || path.split('/').any(|p| p == "..");
    if leads_out {
        return Err(element.error(format!("{path:?} is not a path below the folder")));
    }
    Ok(path.clone())
}

/// The digests of content with those of structure by the same algorithm.
fn folder_hashes(element: &XmlElement) -> Result<Vec<FolderHash>> {
    let (Some(contents), Some(structures)) = (element.child("content"), element.child("structure"))
    else {
        return Ok(Vec::new());
    };
    let mut hashes = Vec::new();
    for content in &contents.children {
        let Some(algorithm) = algorithm(content) else { continue };
        let Some(structure) = structures.child(algorithm.name()) else {
            let message = format!("there is no <{}> of the structure", algorithm.name());
            return Err(element.error(message));
        };
        hashes.push(FolderHash {
            digest: FolderDigest {
                content: digest(content, algorithm)?,
                structure: digest(structure, algorithm)?,
            },
            date: content.attribute("hashdate").map(str::to_owned),
        });
    }
    Ok(hashes)
}

fn reference(element: &XmlElement) -> Result<Reference> {
    let part = |name: &str| {
        element.child(name).ok_or_else(|| element.error(format!("there is no <{name}>")))
    };
    Ok(Reference { path: relative(part("path")?)?, digest: digest(part("c4")?, Algorithm::C4)? })
}

fn algorithm(element: &XmlElement) -> Option<Algorithm> {
    ALGORITHMS.into_iter().find(|algorithm| algorithm.name() == element.name)
}

pub(super) fn digest(element: &XmlElement, algorithm: Algorithm) -> Result<Digest> {
    let text = element.text.trim();
    let error = || element.error(format!("{text:?} is no digest by {}", algorithm.name()));
    Digest::from_text(algorithm, text).ok_or_else(error)
}
