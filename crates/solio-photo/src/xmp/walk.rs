//! The walk over a packet's elements.

use super::names::{known, plain_name, tidy};
use crate::gather::Gather;
use crate::rule::Rule;
use crate::value::Value;
use quick_xml::Reader;
use quick_xml::events::{BytesRef, BytesStart, Event};
use std::borrow::Cow;

/// Elements within elements.
const MOST_DEPTH: usize = 64;
/// Longest single value.
const MOST_VALUE: usize = 16 << 20;

/// One open element.
struct Open {
    kind: Kind,
    text: String,
    /// Something within it, or an attribute of it, was taken as its value.
    has_value: bool,
    /// An array within it has ended.
    is_array: bool,
    /// `xml:lang` of an item.
    language: Option<String>,
    /// How many namespaces were declared outside of it.
    declared: usize,
}

#[derive(PartialEq)]
enum Kind {
    /// `x:xmpmeta`, `rdf:RDF`, and what surrounds them.
    Frame,
    /// `rdf:Description`.
    Node,
    /// `rdf:Bag`, `rdf:Seq`, `rdf:Alt`.
    Array,
    /// `rdf:li`.
    Item,
    /// A property or a field of a structure: group and name.
    Property(String, String),
    /// `rdf:value`: the value of what surrounds it.
    Value,
}

struct Walk<'g, 'f> {
    open: Vec<Open>,
    /// Prefix and group, the last declaration of a prefix counts.
    prefixes: Vec<(String, String)>,
    gather: &'g mut Gather<'f>,
    /// Tags that were there before this packet.
    before: usize,
    /// Addresses that a known prefix stands for and should not.
    strangers: Vec<String>,
    /// Which tag says what the packet is about.
    about: Option<usize>,
}

/// Reads a packet; what follows a fault in the XML is left out.
pub(super) fn read(text: &str, gather: &mut Gather<'_>) {
    let before = gather.tags.len();
    let mut walk = Walk {
        open: Vec::new(),
        prefixes: Vec::new(),
        gather,
        before,
        strangers: Vec::new(),
        about: None,
    };
    let mut reader = Reader::from_str(text.trim_end_matches('\0'));
    let config = reader.config_mut();
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    config.expand_empty_elements = true;
    loop {
        let go_on = match reader.read_event() {
            Ok(Event::Start(start)) => walk.start(&start),
            Ok(Event::End(_)) => walk.end(),
            Ok(Event::Text(text)) => walk.text(&text.decode().unwrap_or_default()),
            Ok(Event::CData(text)) => walk.text(&text.decode().unwrap_or_default()),
            Ok(Event::GeneralRef(reference)) => walk.reference(&reference),
            Ok(Event::Eof) => break,
            Ok(_) => true,
            Err(e) => {
                walk.gather.warn(format!("XMP: {e}"));
                break;
            }
        };
        if !go_on || walk.gather.is_full() {
            break;
        }
    }
    super::names::keep_first(&mut gather.tags, before);
}

impl Walk<'_, '_> {
    fn start(&mut self, start: &BytesStart<'_>) -> bool {
        if self.open.len() >= MOST_DEPTH {
            self.gather.warn("XMP: elements lie too deep within each other");
            return false;
        }
        let declared = self.prefixes.len();
        let attributes = self.attributes(start);
        let name = start.name();
        let kind = self.kind(&String::from_utf8_lossy(name.as_ref()));
        let within = self.open.iter().any(|o| matches!(o.kind, Kind::Node | Kind::Property(..)));
        self.open.push(Open {
            kind,
            text: String::new(),
            has_value: false,
            is_array: false,
            language: None,
            declared,
        });
        for (name, value) in attributes {
            self.attribute(&name, value, within);
        }
        true
    }

    /// The attributes of an element; declarations of namespaces are taken in at once.
    fn attributes(&mut self, start: &BytesStart<'_>) -> Vec<(String, String)> {
        let mut attributes = Vec::new();
        for attribute in start.attributes().with_checks(false).flatten() {
            let name = String::from_utf8_lossy(attribute.key.into_inner()).into_owned();
            let value = match attribute.unescape_value() {
                Ok(value) => value.into_owned(),
                Err(_) => String::from_utf8_lossy(&attribute.value).into_owned(),
            };
            match name.strip_prefix("xmlns:") {
                Some(prefix) => {
                    let group = match super::names::group(&value) {
                        Some(group) => group.to_owned(),
                        None if super::names::group_is_known(prefix) => self.stranger(value),
                        None => prefix.to_owned(),
                    };
                    self.prefixes.push((prefix.to_owned(), group));
                }
                None => attributes.push((name, value)),
            }
        }
        attributes
    }

    /// The group of an unknown address with a known prefix: another thing than its name says.
    fn stranger(&mut self, address: String) -> String {
        let known = self.strangers.iter().position(|other| *other == address);
        let number = known.unwrap_or(self.strangers.len());
        if known.is_none() && number < MOST_DEPTH {
            self.strangers.push(address);
        }
        format!("tmp{number}")
    }

    /// Group and local name of a qualified one.
    fn split(&self, name: &str) -> (String, String) {
        let Some((prefix, local)) = name.split_once(':') else {
            return (String::new(), name.to_owned());
        };
        let group = self.prefixes.iter().rev().find(|(p, _)| p == prefix);
        let group = group.map_or(prefix, |(_, group)| group.as_str());
        // What ends a name in no way that XML allows.
        let local = local.split('/').next().unwrap_or(local);
        (group.to_owned(), local.to_owned())
    }

    fn kind(&self, name: &str) -> Kind {
        let (group, local) = self.split(name);
        match (group.as_str(), local.as_str()) {
            ("x", "xmpmeta" | "xapmeta") | ("rdf", "RDF") => Kind::Frame,
            ("rdf", "Description") => Kind::Node,
            ("rdf", "Bag" | "Seq" | "Alt") => Kind::Array,
            ("rdf", "li") => Kind::Item,
            ("rdf", "value") => Kind::Value,
            // Where the frame is of another kind, its elements are parts of names.
            _ if group.starts_with("tmp") => Kind::Property(group, local),
            _ if self.open.iter().any(|o| matches!(o.kind, Kind::Node | Kind::Property(..))) => {
                Kind::Property(group, local)
            }
            _ => Kind::Frame,
        }
    }

    fn attribute(&mut self, name: &str, value: String, within: bool) {
        if self.is_unwanted_field(name) {
            return self.mark();
        }
        let (group, local) = self.split(name);
        match (group.as_str(), local.as_str()) {
            ("rdf" | "", "about" | "ID") if !within => {
                if !value.is_empty() {
                    self.about(value);
                }
            }
            ("x", "xmptk" | "xaptk") => self.gather.text("XMP-x", "XMPToolkit", value),
            ("rdf", "resource" | "value") => {
                self.mark();
                self.put(None, value);
            }
            ("xml", "lang") => {
                if let Some(open) = self.open.last_mut() {
                    open.language = Some(value);
                }
            }
            ("rdf" | "xml" | "", _) => {}
            _ if self.open.last().is_some_and(|o| o.kind == Kind::Frame) => {}
            _ => {
                self.mark();
                self.put(Some((group, local)), value);
            }
        }
    }

    /// What the packet is about, as its last description says.
    fn about(&mut self, value: String) {
        match self.about.and_then(|at| self.gather.tags.get_mut(at)) {
            Some(tag) => tag.value = Value::Text(value),
            None => {
                self.gather.text("XMP-rdf", "About", value);
                let at = self.gather.tags.len().checked_sub(1);
                let is_it = |at: &usize| self.gather.tags[*at].name == "About";
                self.about = at.filter(is_it);
            }
        }
    }

    fn text(&mut self, text: &str) -> bool {
        let Some(open) = self.open.last_mut() else { return true };
        // Between other elements there are only line ends.
        let holds = matches!(open.kind, Kind::Property(..) | Kind::Item | Kind::Value);
        if holds && !open.is_array {
            open.text.push_str(text);
        }
        open.text.len() < MOST_VALUE
    }

    fn reference(&mut self, reference: &BytesRef<'_>) -> bool {
        if let Ok(Some(letter)) = reference.resolve_char_ref() {
            return self.text(letter.encode_utf8(&mut [0; 4]));
        }
        let letter = match &reference[..] {
            b"amp" => "&",
            b"lt" => "<",
            b"gt" => ">",
            b"quot" => "\"",
            b"apos" => "'",
            _ => "",
        };
        self.text(letter)
    }

    /// Everything that is open has a value.
    fn mark(&mut self) {
        self.open.iter_mut().for_each(|open| open.has_value = true);
    }

    fn end(&mut self) -> bool {
        let Some(open) = self.open.last_mut() else { return true };
        let leaf = matches!(open.kind, Kind::Property(..) | Kind::Item | Kind::Value);
        if leaf && !open.has_value {
            let text = std::mem::take(&mut open.text);
            // An item before others is worth its place even when it is empty.
            self.mark();
            self.put(None, text);
        }
        if let Some(closed) = self.open.pop() {
            self.prefixes.truncate(closed.declared);
            // White space around an array is no value.
            if let (Kind::Array, Some(outer)) = (closed.kind, self.open.last_mut()) {
                outer.text.clear();
                outer.is_array = true;
            }
        }
        true
    }

    /// Whether an attribute is a field of a structure that nobody asked for, as most are.
    fn is_unwanted_field(&self, name: &str) -> bool {
        let Some((prefix, local)) = name.split_once(':') else { return false };
        let declared = self.prefixes.iter().rev().find(|(known, _)| known == prefix);
        let group = declared.map_or(prefix, |(_, group)| group.as_str());
        !matches!(group, "rdf" | "xml" | "x" | "")
            && self.open.last().is_some_and(|open| open.kind != Kind::Frame)
            && !self.may_be_wanted(Some(local))
    }

    /// Whether a value here can have a name that is wanted: names end as their last part does,
    /// unless a table or a language says otherwise. Most values of most packets are not wanted.
    fn may_be_wanted(&self, field: Option<&str>) -> bool {
        let property = |open: &'_ Open| matches!(open.kind, Kind::Property(..));
        let last = field.or_else(|| match &self.open.iter().rev().find(|o| property(o))?.kind {
            Kind::Property(_, name) => Some(name),
            _ => None,
        });
        let Some(last) = last else { return false };
        last.bytes().any(|b| !b.is_ascii_alphanumeric())
            || self.gather.fields.wants_ending(last)
            || self.open.iter().any(|open| open.language.is_some())
            || self.gather.fields.xmp_ends().is_none_or(|ends| ends.contains(&last))
    }

    /// Keeps `value` as what the open elements, and `field` within them, say.
    fn put(&mut self, field: Option<(String, String)>, value: String) {
        if !self.may_be_wanted(field.as_ref().map(|(_, name)| name.as_str())) {
            return;
        }
        let mut path: Vec<(&str, &str)> = Vec::new();
        let (mut items, mut direct, mut language) = (0, false, None);
        for open in &self.open {
            match &open.kind {
                Kind::Property(group, name) => {
                    path.push((group, name));
                    direct = false;
                }
                Kind::Item => {
                    items += 1;
                    direct = true;
                }
                _ => {}
            }
            language = open.language.as_deref().or(language);
        }
        if let Some((group, name)) = &field {
            path.push((group, name));
            direct = false;
        }
        let Some((group, _)) = path.first().copied() else { return };
        let key = path.iter().map(|(_, name)| *name).collect::<Vec<_>>().join("/");
        let known = known(&format!("{group}:{key}"));
        let rule = known.map_or(Rule::Plain, |known| known.rule);
        let name: Cow<'static, str> = match known {
            Some(known) => Cow::Borrowed(known.name),
            None => Cow::Owned(plain_name(&path.iter().map(|(_, n)| *n).collect::<Vec<_>>())),
        };
        let name = match language.filter(|_| !group.starts_with("tmp")) {
            Some(l) if !l.eq_ignore_ascii_case("x-default") => Cow::Owned(format!("{name}-{l}")),
            _ => name,
        };
        let value = Value::Text(tidy(&value, rule, group));
        let is_group = super::names::group_is_known(group);
        let shown = if group.is_empty() { "XMP".to_owned() } else { format!("XMP-{group}") };
        if items > 0 && (direct || is_group) {
            let tags = &mut self.gather.tags[self.before..];
            if let Some(tag) = tags.iter_mut().rev().find(|t| t.name == name && t.group == shown) {
                match &mut tag.value {
                    Value::List(list) => list.push(value),
                    first => {
                        let first = std::mem::replace(first, Value::int(0));
                        tag.value = Value::List(vec![first, value]);
                    }
                }
                return;
            }
        }
        self.gather.put(shown, name, value, rule);
    }
}
