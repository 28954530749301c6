//! `-if`: the part of Perl's expressions that conditions are made of.

use regex::bytes::{Regex, RegexBuilder};

/// A condition that Solio decides itself.
#[derive(Clone, Debug)]
pub(super) enum Condition {
    Or(Box<Condition>, Box<Condition>),
    And(Box<Condition>, Box<Condition>),
    Not(Box<Condition>),
    /// `defined $tag`
    Defined(String),
    /// A value that is neither empty nor 0.
    Holds(Term),
    Compare(Term, Comparison, Term),
    /// `=~`
    Matches(Term, Regex),
}

/// What is compared.
#[derive(Clone, Debug)]
pub(super) enum Term {
    /// The value of a tag: `$Model`, `$IFD0:Model`, `$ISO#`.
    Tag(String),
    Text(String),
    /// `lc`, `uc`, `length`
    Function(&'static str, Box<Term>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    Text(Order),
    Number(Order),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Equal,
    Unequal,
    Less,
    Greater,
    LessOrEqual,
    GreaterOrEqual,
}

impl Condition {
    /// Reads an expression; `None` where it has more than Solio knows.
    pub(super) fn parse(text: &str) -> Option<Condition> {
        let tokens = tokens(text)?;
        let mut parser = Parser { tokens: &tokens, at: 0, depth: 0 };
        let condition = parser.words_or()?;
        (parser.at == tokens.len()).then_some(condition)
    }

    /// Whether it holds; `value` gives the value of a tag.
    pub(super) fn holds(&self, value: &mut impl FnMut(&str) -> Option<String>) -> bool {
        match self {
            Condition::Or(a, b) => a.holds(value) || b.holds(value),
            Condition::And(a, b) => a.holds(value) && b.holds(value),
            Condition::Not(a) => !a.holds(value),
            Condition::Defined(tag) => value(tag).is_some(),
            Condition::Holds(term) => !matches!(term.text(value).as_str(), "" | "0"),
            Condition::Compare(a, how, b) => {
                let (a, b) = (a.text(value), b.text(value));
                match how {
                    Comparison::Text(order) => order.is(a.as_bytes().cmp(b.as_bytes())),
                    Comparison::Number(order) => {
                        let order_of = number(&a).partial_cmp(&number(&b));
                        order_of.map_or(*order == Order::Unequal, |found| order.is(found))
                    }
                }
            }
            Condition::Matches(term, pattern) => pattern.is_match(term.text(value).as_bytes()),
        }
    }

    /// The tags that it asks about.
    pub(super) fn tags(&self, into: &mut Vec<String>) {
        match self {
            Condition::Or(a, b) | Condition::And(a, b) => {
                a.tags(into);
                b.tags(into);
            }
            Condition::Not(a) => a.tags(into),
            Condition::Defined(tag) => into.push(tag.clone()),
            Condition::Holds(a) | Condition::Matches(a, _) => a.tags(into),
            Condition::Compare(a, _, b) => {
                a.tags(into);
                b.tags(into);
            }
        }
    }
}

impl Term {
    fn text(&self, value: &mut impl FnMut(&str) -> Option<String>) -> String {
        match self {
            Term::Tag(tag) => value(tag).unwrap_or_default(),
            Term::Text(text) => text.clone(),
            Term::Function(name, of) => {
                let text = of.text(value);
                match *name {
                    "lc" => text.to_ascii_lowercase(),
                    "uc" => text.to_ascii_uppercase(),
                    _ => text.len().to_string(),
                }
            }
        }
    }

    fn tags(&self, into: &mut Vec<String>) {
        match self {
            Term::Tag(tag) => into.push(tag.clone()),
            Term::Text(_) => {}
            Term::Function(_, of) => of.tags(into),
        }
    }
}

impl Order {
    fn is(self, found: std::cmp::Ordering) -> bool {
        match self {
            Order::Equal => found.is_eq(),
            Order::Unequal => found.is_ne(),
            Order::Less => found.is_lt(),
            Order::Greater => found.is_gt(),
            Order::LessOrEqual => found.is_le(),
            Order::GreaterOrEqual => found.is_ge(),
        }
    }
}

/// The number that text starts with, as Perl takes it; 0 without one.
fn number(text: &str) -> f64 {
    let text = text.trim_start();
    let bytes = text.as_bytes();
    let sign = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let whole = digits(sign);
    let mut end = sign + whole;
    if bytes.get(end) == Some(&b'.') {
        let part = digits(end + 1);
        if whole + part > 0 {
            end += 1 + part;
        }
    }
    if end > sign && matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let power = bytes.get(end + 1 + sign..).map_or(0, |_| digits(end + 1 + sign));
        if power > 0 {
            end += 1 + sign + power;
        }
    }
    text[..end].parse().unwrap_or(0.0)
}

#[derive(Clone, Debug)]
enum Token {
    Word(String),
    Sign(&'static str),
    Tag(String),
    Text(String),
    Pattern(Regex),
}

/// Signs, the longer ones first.
const SIGNS: [&str; 13] = ["&&", "||", "==", "!=", "<=", ">=", "=~", "!~", "<", ">", "!", "(", ")"];

fn tokens(text: &str) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let before = tokens.last();
        if let Some(tag) = rest.strip_prefix('$') {
            let (tag, behind) = tag_at(tag)?;
            tokens.push(Token::Tag(tag));
            rest = behind;
        } else if matches!(first, '"' | '\'') {
            let end = rest[1..].find(first)? + 1;
            let inner = &rest[1..end];
            let odd = if first == '"' { &['\\', '$', '@'][..] } else { &['\\'][..] };
            if inner.contains(odd) {
                return None;
            }
            tokens.push(Token::Text(inner.to_owned()));
            rest = &rest[end + 1..];
        } else if matches!(before, Some(Token::Sign("=~" | "!~"))) {
            let (pattern, behind) = pattern_at(rest)?;
            tokens.push(Token::Pattern(pattern));
            rest = behind;
        } else if first.is_ascii_digit() || first == '-' || first == '.' {
            let end = rest[1..]
                .find(|c: char| !c.is_ascii_digit() && c != '.')
                .map_or(rest.len(), |n| n + 1);
            let number: f64 = rest[..end].parse().ok()?;
            // Perl writes numbers anew.
            if number.fract() == 0.0 && !rest[..end].bytes().all(|b| b.is_ascii_digit()) {
                return None;
            }
            let digits = rest[..end].trim_start_matches('0');
            if digits.len() != end && end > 1 && !rest.starts_with("0.") {
                return None;
            }
            tokens.push(Token::Text(rest[..end].to_owned()));
            rest = &rest[end..];
        } else if let Some(sign) = SIGNS.into_iter().find(|sign| rest.starts_with(sign)) {
            tokens.push(Token::Sign(sign));
            rest = &rest[sign.len()..];
        } else if first.is_ascii_alphabetic() {
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
            tokens.push(Token::Word(rest[..end].to_owned()));
            rest = &rest[end..];
        } else {
            return None;
        }
        rest = rest.trim_start();
    }
    (tokens.len() <= 256).then_some(tokens)
}

/// The name of a tag behind `$`, and what stands behind it: `Model`, `{IFD0:Model}`, `ISO#`.
pub(super) fn tag_at(text: &str) -> Option<(String, &str)> {
    if let Some(inner) = text.strip_prefix('{') {
        let end = inner.find('}')?;
        let (tag, behind) = (&inner[..end], &inner[end + 1..]);
        return super::request::is_tag_name(tag).then(|| (tag.to_owned(), behind));
    }
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | ':' | '#');
    let mut end = text.find(|c: char| !is_part(c)).unwrap_or(text.len());
    if let Some(number) = text[..end].find('#') {
        end = number + 1;
    }
    while text[..end].ends_with([':', '-']) {
        end -= 1;
    }
    let first = text.chars().next()?;
    (first.is_ascii_alphabetic() || first == '_').then(|| (text[..end].to_owned(), &text[end..]))
}

/// `/…/i`, `m/…/`: patterns that mean the same here.
fn pattern_at(text: &str) -> Option<(Regex, &str)> {
    let inner = text.strip_prefix('m').unwrap_or(text).strip_prefix('/')?;
    let mut escaped = false;
    let end = inner.char_indices().find(|(_, c)| {
        let ends = *c == '/' && !escaped;
        escaped = *c == '\\' && !escaped;
        ends
    })?;
    let (pattern, mut behind) = (&inner[..end.0], &inner[end.0 + 1..]);
    let ignore_case = behind.starts_with('i');
    behind = behind.strip_prefix('i').unwrap_or(behind);
    if behind.starts_with(|c: char| c.is_ascii_alphanumeric()) || !is_plain(pattern) {
        return None;
    }
    let pattern = pattern.replace("\\/", "/");
    let pattern = match pattern.strip_suffix('$').filter(|rest| !rest.ends_with('\\')) {
        Some(rest) => format!("(?:{rest})\\n?\\z"),
        None => pattern,
    };
    let pattern = RegexBuilder::new(&pattern)
        .unicode(false)
        .case_insensitive(ignore_case)
        .size_limit(1 << 20)
        .build()
        .ok()?;
    Some((pattern, behind))
}

/// Whether a pattern has only what Perl and Rust read alike.
fn is_plain(pattern: &str) -> bool {
    let bytes = pattern.as_bytes();
    let inner_end = pattern.strip_suffix('$').unwrap_or(pattern);
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => {
                let known = |b: &u8| b"dDwWsS./()[]{}+*?|^$-:, #".contains(b);
                if !bytes.get(at + 1).is_some_and(known) {
                    return false;
                }
                at += 1;
            }
            b'(' if bytes.get(at + 1) == Some(&b'?') => return false,
            b'$' if at < inner_end.len() => return false,
            b'@' | b'#' | b'&' | b'~' | 128.. => return false,
            b'[' if matches!(bytes.get(at + 1), Some(b':' | b'[' | b']')) => return false,
            b'+' if at > 0 && matches!(bytes[at - 1], b'+' | b'*' | b'?' | b'}') => return false,
            b'-' if bytes.get(at + 1) == Some(&b'-') => return false,
            _ => {}
        }
        at += 1;
    }
    // An alternative at the top would take the end with it.
    !pattern.ends_with('$') || !pattern.contains('|')
}

/// Most conditions within each other.
const MOST_DEPTH: u8 = 32;

struct Parser<'t> {
    tokens: &'t [Token],
    at: usize,
    depth: u8,
}

impl Parser<'_> {
    fn takes(&mut self, sign: &str) -> bool {
        let is_it = matches!(self.tokens.get(self.at), Some(Token::Sign(found)) if *found == sign);
        self.at += usize::from(is_it);
        is_it
    }

    fn takes_word(&mut self, word: &str) -> bool {
        let is_it = matches!(self.tokens.get(self.at), Some(Token::Word(found)) if found == word);
        self.at += usize::from(is_it);
        is_it
    }

    fn words_or(&mut self) -> Option<Condition> {
        let mut left = self.words_and()?;
        while self.takes_word("or") {
            left = Condition::Or(Box::new(left), Box::new(self.words_and()?));
        }
        Some(left)
    }

    fn words_and(&mut self) -> Option<Condition> {
        let mut left = self.words_not()?;
        while self.takes_word("and") {
            left = Condition::And(Box::new(left), Box::new(self.words_not()?));
        }
        Some(left)
    }

    fn words_not(&mut self) -> Option<Condition> {
        if !self.takes_word("not") {
            return self.or();
        }
        self.depth += 1;
        let inner = if self.depth > MOST_DEPTH { None } else { self.words_not() };
        self.depth -= 1;
        Some(Condition::Not(Box::new(inner?)))
    }

    fn or(&mut self) -> Option<Condition> {
        let mut left = self.and()?;
        while self.takes("||") {
            left = Condition::Or(Box::new(left), Box::new(self.and()?));
        }
        Some(left)
    }

    fn and(&mut self) -> Option<Condition> {
        let mut left = self.one()?;
        while self.takes("&&") {
            left = Condition::And(Box::new(left), Box::new(self.one()?));
        }
        Some(left)
    }

    fn one(&mut self) -> Option<Condition> {
        self.depth += 1;
        if self.depth > MOST_DEPTH {
            return None;
        }
        let found = self.deeper();
        self.depth -= 1;
        found
    }

    fn deeper(&mut self) -> Option<Condition> {
        if self.takes("!") {
            return Some(Condition::Not(Box::new(self.one()?)));
        }
        if self.takes("(") {
            let inner = self.words_or()?;
            return self.takes(")").then_some(inner);
        }
        if self.takes_word("defined") {
            let parens = self.takes("(");
            let Some(Token::Tag(tag)) = self.tokens.get(self.at) else { return None };
            self.at += 1;
            let closed = !parens || self.takes(")");
            return closed.then(|| Condition::Defined(tag.clone()));
        }
        let left = self.term()?;
        for (sign, is_not) in [("=~", false), ("!~", true)] {
            if self.takes(sign) {
                let Some(Token::Pattern(pattern)) = self.tokens.get(self.at) else { return None };
                self.at += 1;
                let matches = Condition::Matches(left, pattern.clone());
                return Some(if is_not { Condition::Not(Box::new(matches)) } else { matches });
            }
        }
        let how = match self.tokens.get(self.at) {
            Some(Token::Sign(sign)) => match *sign {
                "==" => Some(Comparison::Number(Order::Equal)),
                "!=" => Some(Comparison::Number(Order::Unequal)),
                "<" => Some(Comparison::Number(Order::Less)),
                ">" => Some(Comparison::Number(Order::Greater)),
                "<=" => Some(Comparison::Number(Order::LessOrEqual)),
                ">=" => Some(Comparison::Number(Order::GreaterOrEqual)),
                _ => None,
            },
            Some(Token::Word(word)) => match word.as_str() {
                "eq" => Some(Comparison::Text(Order::Equal)),
                "ne" => Some(Comparison::Text(Order::Unequal)),
                "lt" => Some(Comparison::Text(Order::Less)),
                "gt" => Some(Comparison::Text(Order::Greater)),
                "le" => Some(Comparison::Text(Order::LessOrEqual)),
                "ge" => Some(Comparison::Text(Order::GreaterOrEqual)),
                _ => None,
            },
            _ => None,
        };
        let Some(how) = how else { return Some(Condition::Holds(left)) };
        self.at += 1;
        Some(Condition::Compare(left, how, self.term()?))
    }

    fn term(&mut self) -> Option<Term> {
        let token = self.tokens.get(self.at)?;
        self.at += 1;
        match token {
            Token::Tag(tag) => Some(Term::Tag(tag.clone())),
            Token::Text(text) => Some(Term::Text(text.clone())),
            Token::Word(word) => {
                let name = ["lc", "uc", "length"].into_iter().find(|name| name == word)?;
                if !self.takes("(") {
                    return None;
                }
                let inner = self.term()?;
                self.takes(")").then(|| Term::Function(name, Box::new(inner)))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(text: &str) -> Option<bool> {
        let condition = Condition::parse(text)?;
        Some(condition.holds(&mut |tag| match tag {
            "Model" => Some("Camera 5".into()),
            "ISO" | "ISO#" => Some("200".into()),
            "IFD0:Make" => Some("Maker".into()),
            _ => None,
        }))
    }

    #[test]
    fn conditions_as_perl_decides_them() {
        for yes in [
            "$ISO >= 100",
            "$Model eq 'Camera 5' and $ISO == 200",
            "$Model =~ /^camera/i",
            "$Model =~ /5$/ && !defined $LensModel",
            "not $LensModel",
            "($ISO > 400 or $ISO# < 250) and ${IFD0:Make} eq \"Maker\"",
            "$IFD0:Make ne 'x'",
            "lc($Model) eq 'camera 5'",
            "$Model !~ /7/",
            "!($ISO == 100) || $ISO == 100",
        ] {
            assert_eq!(holds(yes), Some(true), "{yes}");
        }
        for no in ["$ISO < 100", "$Missing eq 'x'", "defined $Missing", "not $Model and $ISO"] {
            assert_eq!(holds(no), Some(false), "{no}");
        }
        for unknown in [
            "",
            "system('x')",
            "$ISO + 1",
            "$Model =~ /(?=x)/",
            "$Model =~ s/a/b/",
            "$a = 1",
            "$ISO eq \"$Model\"",
            "`x`",
            "($ISO",
            "$self->{x}",
            "$Model =~ /a|b$/",
            "1; $ISO",
        ] {
            assert_eq!(holds(unknown), None, "{unknown}");
        }
        assert_eq!(holds(&"(".repeat(1000)), None);
        assert_eq!(holds(&"!".repeat(200)), None);
        assert_eq!(
            (number("12 mm"), number("-1.5e1x"), number("1/60"), number("x")),
            (12.0, -15.0, 1.0, 0.0)
        );
    }
}
