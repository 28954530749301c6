//! The style sheets of SVG, as far as gradients need them: rules whose selectors are made of a name, an id
//! and classes (CSS 2.2, sections 5 and 6.4). Other selectors are not followed, and whoever they may mean
//! is told.

use super::css::mask;
use std::collections::BTreeMap;

/// Rules that are kept.
const MOST_RULES: usize = 100_000;

/// One element without its surroundings: a name, ids and classes.
#[derive(Clone, Debug, Default)]
struct SimpleSelector {
    element: Option<String>,
    ids: Vec<String>,
    classes: Vec<String>,
    /// Whether more is asked for than this: what surrounds it, attributes, states.
    asks_more: bool,
}

#[derive(Debug)]
struct StyleRule {
    selector: SimpleSelector,
    /// Names and values, and whether they are important.
    declarations: Vec<(String, String, bool)>,
}

/// All rules of a document.
#[derive(Debug, Default)]
pub(super) struct StyleSheet {
    rules: Vec<StyleRule>,
    /// Whether there are others, which are not in the file.
    has_others: bool,
}

/// What an element has.
#[derive(Debug, Default)]
pub(super) struct Styled {
    found: BTreeMap<String, String>,
    /// Names that a rule may give another value, and the rule.
    unsure: Vec<(String, String)>,
    /// The class of an element that no rule of the file knows, where there are others.
    unknown: Option<String>,
}

impl StyleSheet {
    /// There are style sheets that are not in the file.
    pub(super) fn has_others(&mut self) {
        self.has_others = true;
    }

    /// Takes the rules of a text.
    pub(super) fn add(&mut self, text: &str) {
        let text = mask(text);
        let mut rest = text.as_str();
        while let Some(open) = rest.find(['{', ';']) {
            let head = rest[..open].trim();
            if rest[open..].starts_with(';') {
                // A rule without a block, such as @import.
                self.has_others |= head.to_ascii_lowercase().starts_with("@import");
                rest = &rest[open + 1..];
                continue;
            }
            let inside = &rest[open + 1..];
            let end = closing(inside);
            let (body, behind) = inside.split_at(end);
            rest = behind.strip_prefix('}').unwrap_or(behind);
            if head.starts_with('@') {
                self.conditional(head, body);
            } else {
                self.rule(head, body, false);
            }
        }
    }

    /// Rules that hold for some devices, of which nothing is known here.
    fn conditional(&mut self, head: &str, body: &str) {
        let lower = head.to_ascii_lowercase();
        if !(lower.starts_with("@media") || lower.starts_with("@supports")) {
            return;
        }
        let mut rest = body;
        while let Some(open) = rest.find('{') {
            let inside = &rest[open + 1..];
            let end = closing(inside);
            self.rule(rest[..open].trim(), &inside[..end], true);
            rest = inside[end..].strip_prefix('}').unwrap_or_default();
        }
    }

    fn rule(&mut self, head: &str, body: &str, asks_more: bool) {
        let declarations: Vec<_> = declarations(body).collect();
        for selector in head.split(',') {
            if self.rules.len() >= MOST_RULES {
                return;
            }
            let mut selector = SimpleSelector::of(selector.trim());
            selector.asks_more |= asks_more;
            self.rules.push(StyleRule { selector, declarations: declarations.clone() });
        }
    }

    /// What an element has by its attributes, the rules and its `style`.
    pub(super) fn styled(
        &self,
        element: &str,
        attributes: BTreeMap<String, String>,
        style: &str,
    ) -> Styled {
        let classes: Vec<&str> =
            attributes.get("class").map_or("", String::as_str).split_ascii_whitespace().collect();
        let id = attributes.get("id").map(String::as_str);
        let mut styled = Styled { found: attributes.clone(), ..Styled::default() };
        let matching = self.rules.iter().filter(|rule| rule.selector.is_met(element, id, &classes));
        // What counts more comes later: important ones, then style, then by the selector.
        let mut all: Vec<([usize; 4], &str, &str)> = Vec::new();
        for rule in matching {
            for (name, value, is_important) in &rule.declarations {
                if rule.selector.asks_more {
                    styled.unsure.push((name.clone(), value.clone()));
                    continue;
                }
                let [ids, classes, names] = rule.selector.weight();
                let weight = if *is_important { 2 } else { 0 };
                all.push(([weight, ids, classes, names], name, value));
            }
        }
        let own: Vec<_> = declarations(style).collect();
        for (name, value, is_important) in &own {
            all.push(([if *is_important { 3 } else { 1 }, 0, 0, 0], name, value));
        }
        all.sort_by_key(|(weight, ..)| *weight);
        for (_, name, value) in all {
            styled.found.insert(name.to_owned(), value.to_owned());
        }
        // What `style` says goes before rules that are not followed.
        styled.unsure.retain(|(name, _)| !own.iter().any(|(own, ..)| own == name));
        if self.has_others || self.rules.is_empty() {
            let is_known = |class: &&str| {
                self.rules.iter().any(|r| r.selector.classes.iter().any(|known| known == class))
            };
            styled.unknown =
                classes.iter().find(|class| !is_known(class)).map(|class| (*class).to_owned());
        }
        styled
    }
}

impl Styled {
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.found.get(name).map(String::as_str)
    }

    /// That these are sure: no rule that is not followed may give another value, and no style sheet that
    /// is not in the file.
    pub(super) fn check(&self, names: &[&str]) -> Result<(), String> {
        let differs = |(name, value): &&(String, String)| {
            names.contains(&name.as_str()) && self.get(name) != Some(value)
        };
        if let Some((name, value)) = self.unsure.iter().find(differs) {
            let message = "may be set by a selector that is not followed";
            return Err(format!("{name}: {value} {message}; write it into the element's style"));
        }
        match &self.unknown {
            Some(class) if names.iter().all(|name| self.get(name).is_none()) => {
                Err(format!("the class \"{class}\" is of a style sheet that is not in the file"))
            }
            _ => Ok(()),
        }
    }
}

impl SimpleSelector {
    fn of(text: &str) -> SimpleSelector {
        let mut made = SimpleSelector::default();
        // The last of several is the element; what is before asks for what surrounds it.
        let last = text.rsplit(|c: char| c.is_whitespace() || matches!(c, '>' | '+' | '~'));
        let last = last.map(str::trim).find(|part| !part.is_empty()).unwrap_or_default();
        made.asks_more = last != text;
        let mut rest = last;
        while let Some(first) = rest.chars().next() {
            let body = &rest[first.len_utf8()..];
            let end = body.find(['.', '#', '[', ':']).unwrap_or(body.len());
            let (name, behind) = body.split_at(end);
            match first {
                '.' => made.classes.push(name.to_owned()),
                '#' => made.ids.push(name.to_owned()),
                '*' => {}
                '[' | ':' => {
                    // It asks for what is not looked at.
                    made.asks_more = true;
                    return made;
                }
                _ => {
                    // A prefix before the name says nothing here.
                    let name = &rest[..first.len_utf8() + end];
                    let name = name.rsplit('|').next().unwrap_or_default();
                    made.element = Some(name.to_owned());
                }
            }
            rest = behind;
        }
        made
    }

    fn is_met(&self, element: &str, id: Option<&str>, classes: &[&str]) -> bool {
        self.element.as_deref().is_none_or(|wanted| wanted == element)
            && self.ids.iter().all(|wanted| id == Some(wanted))
            && self.classes.iter().all(|wanted| classes.contains(&wanted.as_str()))
    }

    /// How much it counts: ids, classes, names.
    fn weight(&self) -> [usize; 3] {
        [self.ids.len(), self.classes.len(), usize::from(self.element.is_some())]
    }
}

/// Names in small letters, values, and whether they are important.
fn declarations(text: &str) -> impl Iterator<Item = (String, String, bool)> {
    text.split(';').filter_map(|declaration| {
        let (name, value) = declaration.split_once(':')?;
        let value = value.trim();
        let lower = value.to_ascii_lowercase();
        let important = lower.strip_suffix("important").map(str::trim_end);
        let important = important.and_then(|before| before.strip_suffix('!'));
        let value = important.map_or(value, |before| value[..before.len()].trim_end());
        Some((name.trim().to_ascii_lowercase(), value.to_owned(), important.is_some()))
    })
}

/// Where the block ends that is open at the beginning.
fn closing(text: &str) -> usize {
    let mut depth = 1_usize;
    for (i, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return i;
        }
    }
    text.len()
}
