//! The walk over a packet's elements.

use super::names::{group_of, keep_first, known, plain_name, shown_group, tidy};
use crate::gather::Gather;
use crate::rule::{Named, TagRule};
use crate::value::Value;
use foldhash::{HashMap, HashMapExt};
use memchr::memmem;
use quick_xml::Reader;
use quick_xml::events::attributes::Attribute;
use quick_xml::events::{BytesRef, BytesStart, Event};
use std::borrow::Cow;
use std::hash::BuildHasher;

/// Elements within elements.
const MOST_DEPTH: usize = 64;
/// Namespaces that are declared at once.
const MOST_PREFIXES: usize = 256;
/// More of them are not looked through one by one.
const FEW_PREFIXES: usize = 16;
/// Longest single value.
const MOST_VALUE: usize = 16 << 20;

/// One open element.
struct OpenElement<'t> {
    /// As it is written.
    head: BytesStart<'t>,
    kind: ElementKind,
    /// Which declaration its prefix means.
    declaration: Option<usize>,
    text: Cow<'t, str>,
    /// Something within it, or an attribute of it, was taken as its value.
    has_value: bool,
    /// An array within it has ended.
    is_array: bool,
    /// `xml:lang` of an item.
    language: Option<String>,
    /// How many namespaces were declared outside of it.
    outside: usize,
}

impl OpenElement<'_> {
    fn name(&self) -> &[u8] {
        self.head.name().into_inner()
    }

    /// Whether text here may be a value: between other elements there are only line ends.
    fn holds_text(&self) -> bool {
        let kind =
            matches!(self.kind, ElementKind::Property | ElementKind::Item | ElementKind::Value);
        kind && !self.is_array && !self.has_value
    }
}

#[derive(Clone, Copy, PartialEq)]
enum ElementKind {
    /// `x:xmpmeta`, `rdf:RDF`, and what surrounds them.
    Frame,
    /// `rdf:Description`.
    Node,
    /// `rdf:Bag`, `rdf:Seq`, `rdf:Alt`.
    Array,
    /// `rdf:li`.
    Item,
    /// A property or a field of a structure.
    Property,
    /// `rdf:value`: the value of what surrounds it.
    Value,
}

/// What an attribute says.
enum Says {
    Nothing,
    About,
    Toolkit,
    Language,
    /// The value of its element.
    Value,
    /// That of a property or a field.
    Field,
}

/// A namespace that an open element declares.
struct Declaration {
    prefix: Vec<u8>,
    group: Cow<'static, str>,
    /// What the prefix meant outside.
    outside: Option<usize>,
}

struct XmpWalk<'t, 'g, 'f> {
    open: Vec<OpenElement<'t>>,
    /// The last one of a prefix counts.
    declarations: Vec<Declaration>,
    /// Which one that is: each name of a packet asks.
    meant: HashMap<Vec<u8>, usize>,
    gather: &'g mut Gather<'f>,
    /// Addresses that a known prefix stands for and should not.
    strangers: Vec<String>,
    /// Which tag says what the packet is about.
    about: Option<usize>,
    /// Room for the path of a property.
    path: String,
    /// Where the last tag of a group and name is, and of which array, by their hash.
    last: HashMap<u64, (usize, usize)>,
    /// How many arrays have begun.
    arrays: usize,
}

/// Part of a text, cut beside letters of ASCII.
fn str_of(part: &[u8]) -> &str {
    std::str::from_utf8(part).unwrap_or_default()
}

/// The prefix of a name, which may be missing, and the rest of it.
fn parts_of(name: &[u8]) -> (Option<&[u8]>, &[u8]) {
    let Some(at) = name.iter().position(|b| *b == b':') else { return (None, name) };
    // A slash ends a name in no way that XML allows.
    let local = name[at + 1..].split(|b| *b == b'/').next().unwrap_or_default();
    (Some(&name[..at]), local)
}

/// A name without its prefix.
fn local(name: &[u8]) -> &[u8] {
    parts_of(name).1
}

/// Whether two short names are the same, sooner than a call could tell.
fn is_same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a == b)
}

/// Reads a packet; what follows a fault in the XML is left out. Whether there were strangers, whose
/// groups have numbers by their order.
pub(super) fn read(text: &str, gather: &mut Gather<'_>) -> bool {
    let before = gather.tags.len();
    let mut walk = XmpWalk {
        open: Vec::new(),
        declarations: Vec::new(),
        meant: HashMap::new(),
        gather,
        strangers: Vec::new(),
        about: None,
        path: String::new(),
        last: HashMap::new(),
        arrays: 0,
    };
    let mut reader = Reader::from_str(text.trim_end_matches('\0'));
    let config = reader.config_mut();
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    config.expand_empty_elements = true;
    loop {
        let go_on = match reader.read_event() {
            Ok(Event::Start(start)) => walk.start(start),
            Ok(Event::End(_)) => walk.end(),
            Ok(Event::Text(text)) => walk.text(text.decode().unwrap_or_default()),
            Ok(Event::CData(text)) => walk.text(text.decode().unwrap_or_default()),
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
    let strange = !walk.strangers.is_empty();
    keep_first(&mut gather.tags, before);
    strange
}

impl<'t> XmpWalk<'t, '_, '_> {
    fn start(&mut self, head: BytesStart<'t>) -> bool {
        if self.open.len() >= MOST_DEPTH {
            self.gather.warn("XMP: elements lie too deep within each other");
            return false;
        }
        let outside = self.declarations.len();
        // Declarations hold for the element's own name, too.
        if memmem::find(&head, b"xmlns:").is_some() {
            self.declare(&head);
        }
        let name = head.name().into_inner();
        let declaration = self.declaration(name);
        let kind = self.kind(self.group(declaration, name), local(name));
        let within = self.is_within();
        self.arrays += usize::from(kind == ElementKind::Array);
        let attributes = head.clone();
        self.open.push(OpenElement {
            head,
            kind,
            declaration,
            text: Cow::Borrowed(""),
            has_value: false,
            is_array: false,
            language: None,
            outside,
        });
        for attribute in attributes.attributes().with_checks(false).flatten() {
            self.attribute(&attribute, within);
            if self.gather.is_full() {
                return false;
            }
        }
        true
    }

    /// Takes in the namespaces that an element declares.
    fn declare(&mut self, head: &BytesStart<'_>) {
        for attribute in head.attributes().with_checks(false).flatten() {
            if self.declarations.len() >= MOST_PREFIXES {
                return;
            }
            if let Some(prefix) = attribute.key.into_inner().strip_prefix(b"xmlns:") {
                let address = value_of(&attribute);
                let group = match group_of(&address) {
                    Some(group) => Cow::Borrowed(group),
                    None if shown_group(str_of(prefix)).is_some() => {
                        Cow::Owned(self.stranger(&address))
                    }
                    None => Cow::Owned(str_of(prefix).to_owned()),
                };
                let outside = self.meant.insert(prefix.to_vec(), self.declarations.len());
                self.declarations.push(Declaration { prefix: prefix.to_vec(), group, outside });
            }
        }
    }

    /// The group of an unknown address with a known prefix: another thing than its name says.
    fn stranger(&mut self, address: &str) -> String {
        let known = self.strangers.iter().position(|other| *other == address);
        let number = known.unwrap_or(self.strangers.len());
        if known.is_none() && number < MOST_DEPTH {
            self.strangers.push(address.to_owned());
        }
        format!("tmp{number}")
    }

    /// Forgets all declarations but the first so many.
    fn forget(&mut self, outside: usize) {
        while self.declarations.len() > outside {
            let Some(Declaration { prefix, outside, .. }) = self.declarations.pop() else { return };
            match outside {
                Some(outside) => self.meant.insert(prefix, outside),
                None => self.meant.remove(&prefix),
            };
        }
    }

    /// Which declaration the prefix of a name means.
    fn declaration(&self, name: &[u8]) -> Option<usize> {
        let prefix = parts_of(name).0?;
        if self.declarations.len() > FEW_PREFIXES {
            return self.meant.get(prefix).copied();
        }
        // A few are found sooner by looking at each.
        self.declarations.iter().rposition(|other| is_same(&other.prefix, prefix))
    }

    /// The group of a name whose prefix means this declaration.
    fn group<'a>(&'a self, declaration: Option<usize>, name: &'a [u8]) -> &'a [u8] {
        match declaration {
            Some(at) => self.declarations[at].group.as_bytes(),
            None => parts_of(name).0.unwrap_or_default(),
        }
    }

    /// Group and local name of a qualified one.
    fn split<'a>(&'a self, name: &'a [u8]) -> (&'a [u8], &'a [u8]) {
        (self.group(self.declaration(name), name), local(name))
    }

    fn kind(&self, group: &[u8], local: &[u8]) -> ElementKind {
        match (group, local) {
            (b"x", b"xmpmeta" | b"xapmeta") | (b"rdf", b"RDF") => ElementKind::Frame,
            (b"rdf", b"Description") => ElementKind::Node,
            (b"rdf", b"Bag" | b"Seq" | b"Alt") => ElementKind::Array,
            (b"rdf", b"li") => ElementKind::Item,
            (b"rdf", b"value") => ElementKind::Value,
            // Where the frame is of another kind, its elements are parts of names.
            _ if group.starts_with(b"tmp") => ElementKind::Property,
            _ if self.is_within() => ElementKind::Property,
            _ => ElementKind::Frame,
        }
    }

    /// Whether a description or a property is open.
    fn is_within(&self) -> bool {
        self.open.iter().any(|open| matches!(open.kind, ElementKind::Node | ElementKind::Property))
    }

    fn attribute(&mut self, attribute: &Attribute<'_>, within: bool) {
        let name = attribute.key.into_inner();
        let says = match self.split(name) {
            (b"rdf" | b"", b"about" | b"ID") if !within => Says::About,
            (b"x", b"xmptk" | b"xaptk") => Says::Toolkit,
            (b"rdf", b"resource" | b"value") => Says::Value,
            (b"xml", b"lang") => Says::Language,
            (b"rdf" | b"xml" | b"xmlns" | b"", _) => Says::Nothing,
            _ if self.open.last().is_some_and(|o| o.kind == ElementKind::Frame) => Says::Nothing,
            _ => Says::Field,
        };
        match says {
            Says::Nothing => {}
            Says::About => {
                let value = value_of(attribute);
                if !value.is_empty() {
                    self.about(value.into_owned());
                }
            }
            Says::Toolkit => self.gather.text("XMP-x", "XMPToolkit", value_of(attribute)),
            Says::Language => {
                if let Some(open) = self.open.last_mut() {
                    open.language = Some(value_of(attribute).into_owned());
                }
            }
            Says::Value => {
                self.mark();
                self.put(None, &value_of(attribute));
            }
            Says::Field => {
                self.mark();
                // Most fields of most packets are not wanted.
                if self.may_be_wanted(Some(local(name))) {
                    self.put(Some(name), &value_of(attribute));
                }
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

    fn text(&mut self, text: Cow<'t, str>) -> bool {
        let Some(open) = self.open.last_mut() else { return true };
        if !open.holds_text() {
            return true;
        }
        // One piece is the common case.
        if open.text.is_empty() {
            open.text = text;
        } else {
            open.text.to_mut().push_str(&text);
        }
        open.text.len() < MOST_VALUE
    }

    fn reference(&mut self, reference: &BytesRef<'_>) -> bool {
        if let Ok(Some(letter)) = reference.resolve_char_ref() {
            return self.text(Cow::Owned(letter.into()));
        }
        self.text(Cow::Borrowed(match &reference[..] {
            b"amp" => "&",
            b"lt" => "<",
            b"gt" => ">",
            b"quot" => "\"",
            b"apos" => "'",
            _ => "",
        }))
    }

    /// Everything that is open has a value. Around what has one everything has.
    fn mark(&mut self) {
        let unmarked = self.open.iter_mut().rev().take_while(|open| !open.has_value);
        unmarked.for_each(|open| open.has_value = true);
    }

    fn end(&mut self) -> bool {
        let Some(open) = self.open.last_mut() else { return true };
        let leaf =
            matches!(open.kind, ElementKind::Property | ElementKind::Item | ElementKind::Value);
        if leaf && !open.has_value {
            let text = std::mem::take(&mut open.text);
            // An item before others is worth its place even when it is empty.
            self.mark();
            self.put(None, &text);
        }
        if let Some(closed) = self.open.pop() {
            self.forget(closed.outside);
            // White space around an array is no value.
            if let (ElementKind::Array, Some(outer)) = (closed.kind, self.open.last_mut()) {
                outer.text = Cow::Borrowed("");
                outer.is_array = true;
            }
        }
        true
    }

    /// Whether a value here can have a name that is wanted: names end as their last part does,
    /// unless a table or a language says otherwise. Most values of most packets are not wanted.
    fn may_be_wanted(&self, field: Option<&[u8]>) -> bool {
        let property = |open: &&OpenElement<'_>| open.kind == ElementKind::Property;
        let inmost = || self.open.iter().rev().find(property).map(|open| local(open.name()));
        let Some(last) = field.or_else(inmost) else { return false };
        self.gather.fields.wants_path_to(last, last.iter().all(u8::is_ascii_alphanumeric))
            || self.open.iter().any(|open| open.language.is_some())
    }

    /// Keeps `value` as what the open elements, and the one called `field` within them, say.
    fn put(&mut self, field: Option<&[u8]>, value: &str) {
        if !self.may_be_wanted(field.map(local)) {
            return;
        }
        let mut path = std::mem::take(&mut self.path);
        let mut parts: Vec<&str> = Vec::new();
        let (mut group, mut items, mut direct, mut language) = (None, 0, false, None);
        for open in &self.open {
            match open.kind {
                ElementKind::Property => {
                    group = group.or_else(|| Some(self.group(open.declaration, open.name())));
                    parts.push(str_of(local(open.name())));
                    direct = false;
                }
                ElementKind::Item => {
                    items += 1;
                    direct = true;
                }
                _ => {}
            }
            language = open.language.as_deref().or(language);
        }
        if let Some(field) = field {
            let (of_field, local) = self.split(field);
            group = group.or(Some(of_field));
            parts.push(str_of(local));
            direct = false;
        }
        let Some(group) = group.map(str_of) else { return };
        path.clear();
        path.push_str(group);
        for (n, part) in parts.iter().enumerate() {
            path.push(if n == 0 { ':' } else { '/' });
            path.push_str(part);
        }
        let known = known(&path);
        let rule = known.map_or(TagRule::Plain, |known| known.rule);
        let name: Cow<'static, str> = match known {
            Some(known) => Cow::Borrowed(known.name),
            None => Cow::Owned(plain_name(&parts)),
        };
        let name = match language.filter(|_| !group.starts_with("tmp")) {
            Some(l) if !l.eq_ignore_ascii_case("x-default") => Cow::Owned(format!("{name}-{l}")),
            _ => name,
        };
        let value = match rule {
            TagRule::Binary => bytes_of(value),
            _ => Value::Text(tidy(value, rule, group)),
        };
        let is_known = shown_group(group);
        let shown = is_known.map_or_else(|| Cow::Owned(format!("XMP-{group}")), Cow::Borrowed);
        let shown = if group.is_empty() { Cow::Borrowed("XMP") } else { shown };
        self.path = path;
        let hash = self.last.hasher().hash_one((&*shown, &*name));
        let tags = &mut self.gather.tags;
        let at = self.last.get(&hash).filter(|_| items > 0 && (direct || is_known.is_some()));
        // Numbers that say one thing together are of one array.
        let at = at.filter(|(_, array)| !is_one(rule) || *array == self.arrays);
        let tag = at.and_then(|(at, _)| tags.get_mut(*at));
        if let Some(tag) = tag.filter(|tag| tag.name == name && tag.group == shown) {
            match &mut tag.value {
                Value::Text(first) if is_one(rule) => *first += &format!(" {}", value.plain()),
                Value::List(list) => list.push(value),
                first => {
                    let first = std::mem::replace(first, Value::int(0));
                    tag.value = Value::List(vec![first, value]);
                }
            }
            return;
        }
        let place = tags.len();
        self.gather.put(shown, name, value, rule);
        if self.gather.tags.len() > place {
            self.last.insert(hash, (place, self.arrays));
        }
    }
}

/// What a text in base64 stands for; itself where it is none.
fn bytes_of(text: &str) -> Value {
    use base64::engine::{DecodePaddingMode, Engine, GeneralPurpose, GeneralPurposeConfig};
    // Some leave out the padding.
    const RULES: GeneralPurposeConfig = GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true);
    static LETTERS: GeneralPurpose = GeneralPurpose::new(&base64::alphabet::STANDARD, RULES);
    let letters: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    LETTERS.decode(letters).map_or_else(|_| Value::text(text), Value::Bytes)
}

/// Whether a rule takes all numbers of a list at once.
fn is_one(rule: TagRule) -> bool {
    matches!(rule, TagRule::Named(Named::LensInfo | Named::SubSampling))
}

/// The text of an attribute, with the line ends that it has.
fn value_of<'a>(attribute: &Attribute<'a>) -> Cow<'a, str> {
    match &attribute.value {
        Cow::Borrowed(written) => without_references(str_of(written)),
        Cow::Owned(written) => Cow::Owned(without_references(str_of(written)).into_owned()),
    }
}

/// A text with the letters that references such as `&amp;` mean; as it is where one means none.
fn without_references(written: &str) -> Cow<'_, str> {
    quick_xml::escape::unescape(written).unwrap_or(Cow::Borrowed(written))
}
