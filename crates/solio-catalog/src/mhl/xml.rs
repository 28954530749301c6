//! XML as far as ASC MHL needs it: elements one after the other, each read whole.

use quick_xml::Reader;
use quick_xml::events::{BytesRef, BytesStart, Event};
use solio_base::{Error, Result};

/// Manifests are five elements deep; what is deeper is of no use to anybody.
const DEEPEST: usize = 32;

/// A text of XML, read forward.
pub(super) struct Xml<'b> {
    reader: Reader<&'b [u8]>,
    depth: usize,
}

/// An element with all that is in it.
#[derive(Debug, Default)]
pub(super) struct XmlElement {
    /// Without its namespace.
    pub(super) name: String,
    pub(super) offset: u64,
    attributes: Vec<(String, String)>,
    /// Its own text, without that of its children.
    pub(super) text: String,
    pub(super) children: Vec<XmlElement>,
}

impl XmlElement {
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    pub(super) fn child(&self, name: &str) -> Option<&XmlElement> {
        self.children.iter().find(|child| child.name == name)
    }

    pub(super) fn text_of(&self, name: &str) -> Option<String> {
        self.child(name).map(|child| child.text.clone()).filter(|text| !text.is_empty())
    }

    /// What is wrong with this element.
    pub(super) fn error(&self, message: impl std::fmt::Display) -> Error {
        Error::corrupt(format!("<{}>: {message}", self.name)).at_offset(self.offset)
    }
}

impl<'b> Xml<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Xml<'b> {
        let mut reader = Reader::from_reader(bytes);
        reader.config_mut().expand_empty_elements = true;
        Xml { reader, depth: 0 }
    }

    /// Enters the outermost element, which has to be called `name`.
    pub(super) fn root(&mut self, name: &str) -> Result<()> {
        match self.open()? {
            Some(root) if root.name == name => Ok(()),
            Some(root) => Err(root.error(format!("the first element has to be <{name}>"))),
            None => Err(Error::corrupt(format!("there is no <{name}>")).at_offset(0)),
        }
    }

    /// The beginning of the next element within the one that is open; `None` at the end of that
    /// one, which is left with it.
    pub(super) fn open(&mut self) -> Result<Option<XmlElement>> {
        loop {
            let offset = self.reader.buffer_position();
            match self.event()? {
                Event::Start(start) => {
                    let element = element(&start, offset)?;
                    self.enter(offset)?;
                    return Ok(Some(element));
                }
                Event::End(_) => {
                    self.depth = self.depth.saturating_sub(1);
                    return Ok(None);
                }
                Event::Eof if self.depth > 0 => return Err(ends_early(offset)),
                Event::Eof => return Ok(None),
                _ => {}
            }
        }
    }

    /// The rest of an element that was opened.
    pub(super) fn rest(&mut self, element: XmlElement) -> Result<XmlElement> {
        let mut open = vec![element];
        loop {
            let offset = self.reader.buffer_position();
            let event = self.event()?;
            let Some(inner) = open.last_mut() else { return Err(ends_early(offset)) };
            match event {
                Event::Start(start) => {
                    open.push(self::element(&start, offset)?);
                    self.enter(offset)?;
                }
                Event::End(_) => {
                    self.depth = self.depth.saturating_sub(1);
                    let Some(done) = open.pop() else { return Err(ends_early(offset)) };
                    match open.last_mut() {
                        Some(outer) => outer.children.push(done),
                        None => return Ok(done),
                    }
                }
                Event::Text(text) => {
                    inner.text.push_str(&text.decode().map_err(|e| no_xml(&e, offset))?);
                }
                Event::CData(text) => {
                    inner.text.push_str(&text.decode().map_err(|e| no_xml(&e, offset))?);
                }
                Event::GeneralRef(reference) => inner.text.push_str(&meant(&reference, offset)?),
                Event::Eof => return Err(ends_early(offset)),
                _ => {}
            }
        }
    }

    fn event(&mut self) -> Result<Event<'b>> {
        self.reader.read_event().map_err(|e| no_xml(&e, self.reader.error_position()))
    }

    fn enter(&mut self, offset: u64) -> Result<()> {
        self.depth += 1;
        if self.depth > DEEPEST {
            let message = format!("more than {DEEPEST} elements within each other");
            return Err(Error::limit(message).at_offset(offset));
        }
        Ok(())
    }
}

fn element(start: &BytesStart<'_>, offset: u64) -> Result<XmlElement> {
    let text = |bytes: &[u8]| {
        let text = std::str::from_utf8(bytes).map_err(|e| no_xml(&e, offset))?;
        let text = quick_xml::escape::unescape(text).map_err(|e| no_xml(&e, offset))?;
        Ok::<_, Error>(text.into_owned())
    };
    let mut element = XmlElement { offset, ..XmlElement::default() };
    element.name = text(start.local_name().as_ref())?;
    for attribute in start.attributes() {
        let attribute = attribute.map_err(|e| no_xml(&e, offset))?;
        let name = text(attribute.key.local_name().as_ref())?;
        element.attributes.push((name, text(&attribute.value)?));
    }
    Ok(element)
}

/// The character that a reference such as `&amp;` or `&#38;` means.
fn meant(reference: &BytesRef<'_>, offset: u64) -> Result<String> {
    if let Some(letter) = reference.resolve_char_ref().map_err(|e| no_xml(&e, offset))? {
        return Ok(letter.to_string());
    }
    let name = reference.decode().map_err(|e| no_xml(&e, offset))?;
    let known = quick_xml::escape::resolve_predefined_entity(&name);
    known.map(str::to_owned).ok_or_else(|| no_xml(&format!("unknown entity &{name};"), offset))
}

fn no_xml(error: &dyn std::fmt::Display, offset: u64) -> Error {
    Error::corrupt(format!("not XML: {error}")).at_offset(offset)
}

fn ends_early(offset: u64) -> Error {
    Error::corrupt("the file ends within an element")
        .at_offset(offset)
        .hint("it was cut off; bring back the copy that ascmhl_chain.xml has the C4 of")
}
