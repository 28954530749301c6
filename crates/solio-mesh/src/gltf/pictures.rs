//! Images: by the path of their file, or with their bytes.

use super::buffers::Buffers;
use super::document::ImageJson;
use super::notes::Notes;
use super::uri::{Reference, resolve};
use crate::model::Picture;
use solio_base::Result;
use solio_kinds::{FileKind, FileType};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The images that materials use.
#[derive(Default)]
pub(super) struct Pictures {
    /// Those whose bytes the document has.
    pub(super) embedded: Vec<Picture>,
    known: HashMap<u32, Option<String>>,
    names: HashSet<String>,
}

impl Pictures {
    /// The path of an image: that of its file, or the name that an embedded one has among
    /// [`Pictures::embedded`]. `None` where it is left out.
    pub(super) fn path(
        &mut self,
        number: u32,
        json: &ImageJson,
        buffers: &Buffers<'_>,
        outside: bool,
        notes: &mut Notes,
    ) -> Result<Option<String>> {
        if let Some(known) = self.known.get(&number) {
            return Ok(known.clone());
        }
        let found = match (&json.uri, json.buffer_view) {
            (Some(uri), _) => match resolve(uri, outside) {
                Ok(Reference::File(path)) => Some(path),
                Ok(Reference::Data { bytes, mime }) => {
                    let mime = json.mime_type.clone().unwrap_or(mime);
                    Some(self.embed(number, json, &mime, bytes))
                }
                Err(error) => {
                    notes.odd.push(format!("images[{number}] is left out: {}", error.message()));
                    None
                }
            },
            (None, Some(view)) => {
                let bytes = buffers.view_bytes(view)?;
                let mime = json.mime_type.clone().unwrap_or_default();
                Some(self.embed(number, json, &mime, bytes))
            }
            (None, None) => {
                notes.odd.push(format!("images[{number}] has neither a uri nor a buffer view"));
                None
            }
        };
        self.known.insert(number, found.clone());
        Ok(found)
    }

    fn embed(&mut self, number: u32, json: &ImageJson, mime: &str, bytes: Vec<u8>) -> String {
        let extension = extension_of(mime, &bytes);
        let is_fine = |c: char| c.is_alphanumeric() || "-_. ()".contains(c);
        let named = json.name.as_deref().unwrap_or_default();
        let named: String = named.chars().filter(|c| is_fine(*c)).take(100).collect();
        let named = named.trim_matches(['.', ' ']);
        let stem = match named {
            "" => format!("image{number}"),
            named => named.strip_suffix(&format!(".{extension}")).unwrap_or(named).to_owned(),
        };
        let mut path = format!("{stem}.{extension}");
        let mut more = 0;
        while !self.names.insert(path.to_lowercase()) {
            more += 1;
            path = format!("{stem}.{more:03}.{extension}");
        }
        self.embedded.push(Picture { path: path.clone(), bytes: Arc::new(bytes) });
        path
    }
}

/// The extension of a picture: by its first bytes, else by what the document says.
fn extension_of(mime: &str, bytes: &[u8]) -> String {
    let by_mime = || FileKind::ALL.iter().copied().find(|kind| kind.mime() == mime);
    let kind = FileType::of_magic(bytes).map(|found| found.kind).or_else(by_mime);
    let known = kind.and_then(|kind| kind.extensions().first());
    // The table has no textures of graphics cards.
    let subtype = || {
        mime.strip_prefix("image/").filter(|name| {
            (1..=16).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_alphanumeric())
        })
    };
    known.copied().or_else(subtype).unwrap_or("data").to_owned()
}
