//! Templates of paths: `{date:%Y/%m}/{date:%Y%m%d_%H%M%S}{-n}{ext}`.

use chrono::NaiveDateTime;
use chrono::format::{Item, StrftimeItems};
use std::fmt::Write;

/// Where photos go without a word about it.
pub(crate) const USUAL: &str = "{date:%Y/%m}/{date:%Y%m%d_%H%M%S}{-n}{ext}";
/// What stands for a camera that does not say what it is.
const UNKNOWN: &str = "unknown";
/// Bytes of a name that file systems take.
const MOST_NAME_BYTES: usize = 255;

/// How a path is made of what is known of a photo.
///
/// ```
/// use solio::PhotoTemplate;
/// assert!("{date:%Y}/{model} {name}{-n}{ext}".parse::<PhotoTemplate>().is_ok());
/// let error = "{data:%Y}{ext}".parse::<PhotoTemplate>().unwrap_err();
/// assert!(error.contains("{data}") && error.contains("{date:"), "{error}");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PhotoTemplate {
    parts: Vec<TemplatePart>,
    extension: ExtensionCase,
}

/// How the extension is written.
#[derive(Clone, Copy, Debug, PartialEq)]
enum ExtensionCase {
    Kept,
    Lower,
    Upper,
}

#[derive(Clone, Debug, PartialEq)]
enum TemplatePart {
    Text(String),
    /// A pattern of strftime.
    Date(String),
    Word(TemplateWord, String),
    /// What tells photos of the same name apart: what stands before the number, and its digits.
    Number(String, usize),
    /// The place among all, with so many digits.
    Counter(usize),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum TemplateWord {
    Name,
    Folder,
    Make,
    Model,
    Lens,
}

/// What a template is filled with.
pub(crate) struct TemplateValues<'v> {
    pub(crate) at: NaiveDateTime,
    /// The name without extension.
    pub(crate) name: &'v str,
    pub(crate) folder: &'v str,
    pub(crate) make: Option<&'v str>,
    pub(crate) model: Option<&'v str>,
    pub(crate) lens: Option<&'v str>,
    pub(crate) counter: u64,
}

impl Default for PhotoTemplate {
    fn default() -> Self {
        USUAL.parse().expect("a fixed template")
    }
}

impl std::str::FromStr for PhotoTemplate {
    type Err = String;

    fn from_str(text: &str) -> Result<PhotoTemplate, String> {
        let (mut parts, mut extension) = (Vec::new(), None);
        let mut plain = String::new();
        let mut letters = text.chars().peekable();
        while let Some(letter) = letters.next() {
            match letter {
                '{' if letters.peek() == Some(&'{') => plain.push(letters.next().unwrap_or('{')),
                '}' if letters.peek() == Some(&'}') => plain.push(letters.next().unwrap_or('}')),
                '}' => return Err("there is a } without its {; }} is the letter itself".into()),
                '{' => {
                    let mut word = String::new();
                    let closed = letters.by_ref().any(|letter| {
                        if letter != '}' {
                            word.push(letter);
                        }
                        letter == '}'
                    });
                    if !closed {
                        return Err(format!("{{{word} has no }}"));
                    }
                    if !plain.is_empty() {
                        parts.push(TemplatePart::Text(std::mem::take(&mut plain)));
                    }
                    match field(&word)? {
                        Field::Part(_) if extension.is_some() => {
                            return Err("{ext} must come last".into());
                        }
                        Field::Part(part) => parts.push(part),
                        Field::Extension(_) if extension.is_some() => {
                            return Err("{ext} stands twice".into());
                        }
                        Field::Extension(case) => extension = Some(case),
                    }
                }
                _ => plain.push(letter),
            }
            if extension.is_some() && !plain.is_empty() {
                return Err("{ext} must come last".into());
            }
        }
        if !plain.is_empty() {
            parts.push(TemplatePart::Text(plain));
        }
        check_paths(&parts)?;
        // Without it every file would lose what it is.
        Ok(PhotoTemplate { parts, extension: extension.unwrap_or(ExtensionCase::Kept) })
    }
}

enum Field {
    Part(TemplatePart),
    Extension(ExtensionCase),
}

fn field(word: &str) -> Result<Field, String> {
    let (name, form) = match word.split_once(':') {
        Some((name, form)) => (name, Some(form)),
        None => (word, None),
    };
    let digits = |form: Option<&str>| match form {
        None => Ok(0),
        Some(form) => {
            form.parse().ok().filter(|digits| (1..=12).contains(digits)).ok_or_else(|| {
                format!("{{{word}}}: behind the colon stands how many digits, 1 to 12")
            })
        }
    };
    if name == "date" {
        let form = form.filter(|form| !form.is_empty());
        let form = form.ok_or("{date} wants a form: {date:%Y-%m-%d}")?;
        let is_wrong = StrftimeItems::new(form).any(|item| matches!(item, Item::Error));
        // A photo may not say its zone: %z would be empty in one name and not in the next.
        let shown = NaiveDateTime::default();
        let mut tried = String::new();
        if is_wrong || write!(tried, "{}", shown.format(form)).is_err() {
            return Err(format!("{{{word}}}: {form} is not a form of dates; see strftime"));
        }
        return Ok(Field::Part(TemplatePart::Date(form.to_owned())));
    }
    if name == "ext" {
        return Ok(Field::Extension(match form {
            None => ExtensionCase::Kept,
            Some("lower") => ExtensionCase::Lower,
            Some("upper") => ExtensionCase::Upper,
            Some(_) => return Err("{ext} takes lower or upper: {ext:lower}".into()),
        }));
    }
    if name == "counter" {
        return Ok(Field::Part(TemplatePart::Counter(digits(form)?)));
    }
    // {-n}, {_n}, { (n}: what stands before the n stands before the number.
    if let Some(before) =
        name.strip_suffix('n').filter(|it| !it.is_empty() && !it.contains(char::is_alphanumeric))
    {
        return Ok(Field::Part(TemplatePart::Number(cleaned(before), digits(form)?)));
    }
    let (name, otherwise) = name.split_once('|').unwrap_or((name, UNKNOWN));
    let known = match name {
        "name" => TemplateWord::Name,
        "folder" => TemplateWord::Folder,
        "make" => TemplateWord::Make,
        "model" => TemplateWord::Model,
        "lens" => TemplateWord::Lens,
        _ => {
            let all = "{date:%Y-%m-%d}, {-n}, {ext}, {name}, {folder}, {make}, {model}, {lens}, {counter}";
            return Err(format!("there is no {{{name}}}; there are {all}"));
        }
    };
    if form.is_some() {
        return Err(format!(
            "{{{name}}} takes nothing behind a colon; {{{name}|none}} names what \
                            stands where there is none"
        ));
    }
    Ok(Field::Part(TemplatePart::Word(known, cleaned(otherwise))))
}

/// That the fixed parts make a path below the folder.
fn check_paths(parts: &[TemplatePart]) -> Result<(), String> {
    let mut shape = String::new();
    for part in parts {
        match part {
            TemplatePart::Text(text) | TemplatePart::Date(text) => {
                if let Some(letter) =
                    text.chars().find(|c| c.is_control() || "\\:*?\"<>|".contains(*c))
                {
                    let is_date = matches!(part, TemplatePart::Date(_));
                    // %H:%M is a natural thing to write.
                    let why = if is_date { "; use %H%M or %H.%M" } else { "" };
                    return Err(format!("{letter:?} is in no name that all systems take{why}"));
                }
                shape.push_str(text);
            }
            _ => shape.push('x'),
        }
    }
    if shape.starts_with('/') {
        return Err("the template is a path below the folder: it cannot begin with /".into());
    }
    let is_odd = |name: &str| name.is_empty() || name == "." || name == "..";
    if shape.split('/').any(is_odd) {
        return Err("a name of the template is empty, or . or ..".into());
    }
    Ok(())
}

impl PhotoTemplate {
    /// Whether photos of the same name can be told apart.
    pub(crate) fn has_number(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, TemplatePart::Number(..)))
    }

    /// Whether it makes folders.
    pub(crate) fn has_folders(&self) -> bool {
        self.parts.iter().any(|part| match part {
            TemplatePart::Text(text) | TemplatePart::Date(text) => text.contains('/'),
            _ => false,
        })
    }

    /// Folders and the name without extension; `n` is 0 for the first of a name.
    pub(crate) fn stem(&self, values: &TemplateValues<'_>, n: u64) -> String {
        let mut path = String::new();
        for part in &self.parts {
            match part {
                TemplatePart::Text(text) => path.push_str(text),
                TemplatePart::Date(form) => {
                    let _ = write!(path, "{}", values.at.format(form));
                }
                TemplatePart::Word(word, otherwise) => {
                    let value = match word {
                        TemplateWord::Name => Some(values.name),
                        TemplateWord::Folder => Some(values.folder),
                        TemplateWord::Make => values.make,
                        TemplateWord::Model => values.model,
                        TemplateWord::Lens => values.lens,
                    };
                    let value = value.map(cleaned).filter(|value| !value.is_empty());
                    path.push_str(value.as_deref().unwrap_or(otherwise));
                }
                TemplatePart::Number(..) if n == 0 => {}
                TemplatePart::Number(before, digits) => {
                    let _ = write!(path, "{before}{n:0digits$}");
                }
                TemplatePart::Counter(digits) => {
                    let _ = write!(path, "{:0digits$}", values.counter);
                }
            }
        }
        let names: Vec<String> = path.split('/').map(sound).collect();
        names.join("/")
    }

    /// The extension, which begins with its dot or is empty.
    pub(crate) fn extension(&self, own: &str) -> String {
        match self.extension {
            ExtensionCase::Kept => own.to_owned(),
            ExtensionCase::Lower => own.to_lowercase(),
            ExtensionCase::Upper => own.to_uppercase(),
        }
    }
}

/// Whether a file system takes a name this long.
pub(crate) fn is_short(name: &str) -> bool {
    name.len() <= MOST_NAME_BYTES
}

/// A value as a part of a name on any system.
fn cleaned(value: &str) -> String {
    let odd = |letter: char| letter.is_control() || "/\\:*?\"<>|".contains(letter);
    value.trim().chars().map(|letter| if odd(letter) { '_' } else { letter }).collect()
}

/// A name that every system takes: none that Windows keeps for devices, no dot or blank at the end, and none that
/// leads elsewhere.
fn sound(name: &str) -> String {
    let name = name.trim_end_matches(['.', ' ']).trim_start();
    let first = name.split('.').next().unwrap_or_default().trim_end().to_ascii_uppercase();
    let is_port = |port: &str| {
        let number = first.strip_prefix(port).unwrap_or_default();
        number.len() == 1 && number.bytes().all(|byte| byte.is_ascii_digit())
    };
    let is_kept =
        ["CON", "PRN", "AUX", "NUL"].contains(&&*first) || is_port("COM") || is_port("LPT");
    match name {
        "" => "_".to_owned(),
        _ if is_kept => format!("_{name}"),
        _ => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::NaiveDate;

    fn values(model: Option<&'static str>) -> TemplateValues<'static> {
        let at =
            NaiveDate::from_ymd_opt(2023, 1, 2).unwrap().and_hms_milli_opt(3, 4, 5, 678).unwrap();
        let (name, folder) = ("IMG_1", "DCIM");
        TemplateValues { at, name, folder, make: Some("Canon"), model, lens: None, counter: 7 }
    }

    fn stem(template: &str, n: u64) -> String {
        template.parse::<PhotoTemplate>().unwrap().stem(&values(Some("EOS R/5 ")), n)
    }

    #[test]
    fn paths_are_made_of_what_is_known() {
        assert_eq!(stem(USUAL, 0), "2023/01/20230102_030405");
        assert_eq!(stem(USUAL, 2), "2023/01/20230102_030405-2");
        assert_eq!(stem("{date:%Y%m%d-%H%M%S%3f}{_n:3}{ext:lower}", 2), "20230102-030405678_002");
        assert_eq!(
            stem("{model}/{lens|no lens}/{counter:4}_{name}", 0),
            "EOS R_5/no lens/0007_IMG_1"
        );
        assert_eq!(stem("{{{folder}}}", 0), "{DCIM}");
        let none: PhotoTemplate = "{model}/{name}".parse().unwrap();
        assert_eq!(none.stem(&values(None), 0), "unknown/IMG_1");
        assert_eq!(none.extension(".JPG"), ".JPG");
        let lower: PhotoTemplate = "{name}{ext:lower}".parse().unwrap();
        assert_eq!(lower.extension(".JPG"), ".jpg");
    }

    #[test]
    fn names_are_such_as_every_system_takes() {
        for (model, wanted) in [
            ("..", "_"),
            ("NUL", "_NUL"),
            ("com1.x", "_com1.x"),
            ("COM10", "COM10"),
            ("a.", "a"),
            (" x ", "x"),
            ("a\nb", "a_b"),
            ("../../etc", ".._.._etc"),
            ("C:\\x", "C__x"),
        ] {
            let template: PhotoTemplate = "{model}".parse().unwrap();
            assert_eq!(template.stem(&values(Some(model)), 0), wanted, "{model}");
        }
    }

    #[test]
    fn what_is_not_a_template_is_refused() {
        for bad in [
            "",
            "/x{ext}",
            "../{name}{ext}",
            "a//b",
            "a/",
            "{date}",
            "{date:%Q}",
            "{date:%H:%M}",
            "{name",
            "name}",
            "{ext}{name}",
            "{ext}x",
            "{name}{ext}{ext}",
            "{nam}",
            "{counter:x}",
            "{name:3}",
            "{ext:title}",
            "a\0b",
            "{date:%Y/../..}",
            "{-n:99}",
            "{date:%z}",
        ] {
            let parsed = bad.parse::<PhotoTemplate>();
            assert!(parsed.is_err(), "{bad}: {parsed:?}");
        }
    }
}
