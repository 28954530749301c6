//! `ascmhl_chain.xml`: the generations of a history, each with the C4 of its manifest.

use super::read::digest;
use super::write::XmlWriter;
use super::xml::Xml;
use solio_base::{Limits, Result};
use solio_codec::digest::{Algorithm, Digest};

/// The generations of a history, the first one first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chain {
    /// One for each.
    pub links: Vec<ChainLink>,
}

/// A generation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainLink {
    /// Its number, from 1 on.
    pub number: u64,
    /// The name of its manifest, which lies beside the chain.
    pub name: String,
    /// The C4 of the manifest.
    pub digest: Digest,
}

/// Decodes a chain.
///
/// # Errors
/// `Corrupt` with the byte where the XML, or what it says, is wrong; `Limit`.
pub fn decode_chain(bytes: &[u8], limits: &Limits) -> Result<Chain> {
    limits.check_bytes("the chain", bytes.len() as u64)?;
    let mut xml = Xml::new(bytes);
    xml.root("ascmhldirectory")?;
    let mut chain = Chain::default();
    while let Some(element) = xml.open()? {
        let link = xml.rest(element)?;
        if link.name != "hashlist" {
            continue;
        }
        let part = |name: &str| {
            link.child(name).ok_or_else(|| link.error(format!("there is no <{name}>")))
        };
        let number = link.attribute("sequencenr").and_then(|text| text.parse().ok());
        let name = &part("path")?.text;
        if name.is_empty() || name.contains('/') || name == ".." {
            return Err(link.error(format!("{name:?} is not the name of a manifest")));
        }
        chain.links.push(ChainLink {
            number: number.ok_or_else(|| link.error("sequencenr has to be a number"))?,
            name: name.clone(),
            digest: digest(part("c4")?, Algorithm::C4)?,
        });
    }
    Ok(chain)
}

/// The text of a chain.
pub fn encode_chain(chain: &Chain) -> String {
    let mut out = XmlWriter(String::new());
    out.line(0, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
    out.line(0, "<ascmhldirectory xmlns=\"urn:ASC:MHL:DIRECTORY:v2.0\">");
    for link in &chain.links {
        out.line(1, &format!("<hashlist sequencenr=\"{}\">", link.number));
        out.element(2, "path", &[], &link.name);
        out.digest(2, &link.digest, &[]);
        out.line(1, "</hashlist>");
    }
    out.line(0, "</ascmhldirectory>");
    out.0
}
