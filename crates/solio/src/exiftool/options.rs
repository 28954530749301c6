//! One command's arguments: what is asked for, if all of it is something that Solio answers itself.

use super::condition::Condition;
use super::request::{Request, is_tag_name};
use super::template::Template;
use solio_codec::digest::{Algorithm, Digest};

/// The forms of output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Form {
    /// Lines of names and values.
    #[default]
    Text,
    /// `-t`: names and values, parted by tabs.
    Tabs,
    /// `-T`: values, a line a file.
    Table,
    /// `-j`
    Json,
    /// `-csv`
    Csv,
    /// `-X`
    Xml,
    /// `-b` without another form: values without anything between.
    Bytes,
    /// `-p`: a line of text with values in it.
    Template,
}

/// What a command asks for.
#[derive(Clone, Debug, Default)]
pub(super) struct Options {
    pub(super) form: Form,
    /// `-s`, `-s2` or `-S`, `-s3`; 0: descriptions.
    pub(super) short: u8,
    pub(super) numbers: bool,
    pub(super) bytes: bool,
    /// `-G`: the families that are shown; empty: none.
    pub(super) groups: Vec<u8>,
    /// `-a`
    pub(super) duplicates: bool,
    /// `-f`: a dash for what is missing.
    pub(super) force: bool,
    /// `-m`
    pub(super) minor: bool,
    pub(super) quiet: u8,
    /// `-e`: no composites.
    pub(super) no_composites: bool,
    /// `-struct`, in JSON and XML.
    pub(super) structures: bool,
    /// `-d`
    pub(super) date_format: Option<String>,
    /// `-c`
    pub(super) place_format: Option<String>,
    /// `-sep`
    pub(super) separator: Option<String>,
    pub(super) conditions: Vec<Condition>,
    pub(super) template: Option<Template>,
    pub(super) recurse: bool,
    /// `-ext`, in small letters, and whether each is wanted.
    pub(super) extensions: Vec<(String, bool)>,
    /// `-i`
    pub(super) ignored: Vec<Vec<u8>>,
    pub(super) requests: Vec<Request>,
    pub(super) excluded: Vec<Request>,
    /// `-use MWG`
    pub(super) mwg: bool,
    /// `-api keepUTCTime`
    pub(super) universal_time: bool,
    /// The filter of exiftool-vendored: text that is no UTF-8 is shown another way.
    pub(super) only_utf8: bool,
    /// `-E`
    pub(super) escape_html: bool,
    pub(super) files: Vec<Vec<u8>>,
    /// `-ver`
    pub(super) version: bool,
    /// `-echo3`, `-echo4`: which, and the text.
    pub(super) echo_after: Vec<(u8, Vec<u8>)>,
}

impl Options {
    /// Whether what is printed of a file does not depend on others.
    pub(super) fn can_be_handed_by_file(&self) -> bool {
        matches!(self.form, Form::Json | Form::Text | Form::Tabs | Form::Table) && self.quiet < 2
    }
}

/// What becomes of a command.
pub(super) enum Parsed {
    /// Solio may answer, if it can read the files.
    Own(Box<Options>),
    /// Only ExifTool can: why.
    Handed(String),
}

/// The MD5 of the filter that exiftool-vendored 37 and later gives with each read.
const VENDORED_FILTER: &str = "ba95377cce4a13083f10bdef60c3a3ff";

/// Reads the arguments of one command. Echoes at once go to `echo`: which stream, and the text.
pub(super) fn parse(arguments: &[Vec<u8>], mut echo: impl FnMut(u8, &[u8])) -> Parsed {
    let mut options = Options::default();
    let mut echoes = Vec::new();
    let mut arguments = arguments.iter();
    let mut only_files = false;
    let mut json = false;
    while let Some(argument) = arguments.next() {
        let Some(option) = argument.strip_prefix(b"-").filter(|o| !o.is_empty() && !only_files)
        else {
            options.files.push(argument.clone());
            continue;
        };
        let Ok(option) = std::str::from_utf8(option) else {
            return Parsed::Handed("an option that is not text".into());
        };
        let lower = option.to_ascii_lowercase();
        let handed = || Parsed::Handed(format!("-{option}"));
        let mut text = || {
            let value = arguments.next()?;
            std::str::from_utf8(value).ok().map(str::to_owned)
        };
        match (option, lower.as_str()) {
            ("-", _) => only_files = true,
            ("n", _) | (_, "-printconv") => options.numbers = true,
            ("a", _) | (_, "duplicates") => options.duplicates = true,
            ("b", _) | (_, "binary") => options.bytes = true,
            ("e", _) => options.no_composites = true,
            ("f", _) | (_, "forceprint") => options.force = true,
            ("m", _) | (_, "ignoreminorerrors") => options.minor = true,
            ("q", _) | (_, "quiet") => options.quiet += 1,
            ("r", _) | (_, "recurse") => options.recurse = true,
            ("s", _) | (_, "short") => options.short = (options.short + 1).min(3),
            ("s1", _) => options.short = 1,
            ("s2" | "S", _) | (_, "veryshort") => options.short = 2,
            ("s3", _) => options.short = 3,
            ("t", _) | (_, "tab") => options.form = Form::Tabs,
            ("T", _) | (_, "table") => {
                options.form = Form::Table;
                options.force = true;
            }
            ("j", _) | (_, "json") => json = true,
            (_, "csv") => options.form = Form::Csv,
            ("X", _) | (_, "xmlformat") => options.form = Form::Xml,
            ("E", _) | (_, "escapehtml") => options.escape_html = true,
            ("P", _) | (_, "preserve") => {}
            (_, "struct") => options.structures = true,
            (_, "fast" | "fast1") => {}
            (_, "ee" | "extractembedded") => return handed(),
            (_, "ver") => options.version = true,
            ("d", _) | (_, "dateformat") => match text() {
                Some(format) if super::dates::is_known(&format) => {
                    options.date_format = Some(format);
                }
                _ => return handed(),
            },
            ("c", _) | (_, "coordformat") => match text() {
                Some(format) => options.place_format = Some(format),
                None => return handed(),
            },
            (_, "sep" | "separator") => match text() {
                Some(separator) => options.separator = Some(separator),
                None => return handed(),
            },
            (_, "if") => match text().and_then(|text| Condition::parse(&text)) {
                Some(condition) => options.conditions.push(condition),
                None => return handed(),
            },
            ("p", _) | (_, "printformat") => match text().and_then(|text| Template::parse(&text)) {
                Some(template) if options.template.is_none() => options.template = Some(template),
                _ => return handed(),
            },
            (_, "ext" | "extension" | "-ext" | "-extension") => match text() {
                Some(extension) if !extension.contains('*') && !extension.ends_with('+') => {
                    let extension = extension.trim_start_matches('.').to_ascii_lowercase();
                    options.extensions.push((extension, !lower.starts_with('-')));
                }
                _ => return handed(),
            },
            ("i", _) | (_, "ignore") => match arguments.next() {
                Some(folder) if folder.eq_ignore_ascii_case(b"SYMLINKS") || folder == b"HIDDEN" => {
                    return handed();
                }
                Some(folder) => options.ignored.push(folder.clone()),
                None => return handed(),
            },
            ("x", _) | (_, "exclude") => match text().and_then(|tag| Request::parse(&tag)) {
                Some(tag) if !tag.number => options.excluded.push(tag),
                _ => return handed(),
            },
            (_, "charset") => match text().map(|text| text.to_ascii_lowercase()).as_deref() {
                Some("utf8" | "filename=utf8" | "exiftool=utf8") => {}
                _ => return handed(),
            },
            (_, "use") => match text() {
                Some(module) if module.eq_ignore_ascii_case("MWG") => options.mwg = true,
                _ => return handed(),
            },
            (_, "api") => {
                let Some(value) = text() else { return handed() };
                if !api(&value, &mut options) {
                    return Parsed::Handed(format!(
                        "-api {}",
                        value.chars().take(40).collect::<String>()
                    ));
                }
            }
            (_, "echo" | "echo1" | "echo2" | "echo3" | "echo4") => {
                let Some(value) = arguments.next() else { return handed() };
                match option.as_bytes()[option.len() - 1] {
                    n @ (b'3' | b'4') => options.echo_after.push((n - b'0', value.clone())),
                    n => echoes.push((if n == b'2' { 2 } else { 1 }, value.clone())),
                }
            }
            _ if option.starts_with('G') && families(&option[1..]).is_some() => {
                options.groups = families(&option[1..]).unwrap_or_default();
            }
            (_, "groupnames") => options.groups = vec![0],
            _ if !is_option(option, &lower) => match Request::parse(option.trim_start_matches('-'))
            {
                Some(tag) if option.starts_with('-') && !tag.number => options.excluded.push(tag),
                Some(tag) if is_tag_name(option) => options.requests.push(tag),
                _ => return handed(),
            },
            _ => return handed(),
        }
    }
    if json {
        options.form = Form::Json;
    } else if options.template.is_some() {
        options.form = Form::Template;
    } else if options.bytes && options.form == Form::Text {
        options.form = Form::Bytes;
    }
    if options.template.is_some() {
        // A template has what it names, whatever else is left out.
        options.excluded.clear();
    }
    if options.mwg && options.no_composites {
        return Parsed::Handed("-use MWG with -e".into());
    }
    if options.force && !options.conditions.is_empty() {
        return Parsed::Handed("-if with -f".into());
    }
    match options.form {
        // Tags of several groups have keys of their own.
        Form::Xml => options.duplicates = true,
        Form::Json if !options.groups.is_empty() => options.duplicates = true,
        Form::Csv if !options.groups.is_empty() || options.force || options.duplicates => {
            return Parsed::Handed("-csv with -G, -a or -f".into());
        }
        _ => {}
    }
    echoes.iter().for_each(|(stream, text)| echo(*stream, text));
    Parsed::Own(Box::new(options))
}

/// The families of `-G0:1`, each of which Solio knows.
fn families(text: &str) -> Option<Vec<u8>> {
    let text = text.trim_start_matches(':');
    if text.is_empty() {
        return Some(vec![0]);
    }
    let family = |part: &str| match part {
        "0" => Some(0),
        "1" => Some(1),
        "4" => Some(4),
        _ => None,
    };
    text.split(':').map(family).collect()
}

/// Sets an option of ExifTool's library; false where Solio does not know what it does.
fn api(value: &str, options: &mut Options) -> bool {
    let (name, setting) = value.split_once('=').unwrap_or((value, "1"));
    let is_on = !matches!(setting, "" | "0");
    match name.to_ascii_lowercase().as_str() {
        "struct" if matches!(setting, "0" | "1") => options.structures = is_on,
        "keeputctime" => options.universal_time = is_on,
        "largefilesupport" | "imagehashprogress" => {}
        "filter" => {
            options.only_utf8 = true;
            return is_vendored(setting);
        }
        _ => return false,
    }
    true
}

/// Whether this is the filter of exiftool-vendored: it replaces text that is no UTF-8, and what Solio
/// answers itself has none.
fn is_vendored(filter: &str) -> bool {
    Digest::of(Algorithm::Md5, filter.as_bytes()).to_string().ends_with(VENDORED_FILTER)
}

/// Options of ExifTool that are no names of tags, beside those that Solio knows: they are handed on.
fn is_option(option: &str, lower: &str) -> bool {
    const NAMES: [&str; 78] = [
        "addtagsfromfile",
        "args",
        "argformat",
        "common_args",
        "composite",
        "config",
        "csvdelim",
        "decimal",
        "delete_original",
        "delete_original!",
        "diff",
        "echo",
        "efile",
        "escapec",
        "ex",
        "execute",
        "file",
        "fileorder",
        "fixbase",
        "forcewrite",
        "geosync",
        "geotag",
        "geotime",
        "globaltimeshift",
        "groupheadings",
        "h",
        "hex",
        "htmldump",
        "htmlformat",
        "lang",
        "latin",
        "limit",
        "list",
        "listd",
        "listf",
        "listg",
        "listgeo",
        "listr",
        "listw",
        "listwf",
        "listx",
        "list_dir",
        "long",
        "o",
        "out",
        "overwrite_original",
        "overwrite_original_in_place",
        "password",
        "pause",
        "php",
        "plot",
        "p-",
        "progress",
        "recurse.",
        "r.",
        "require",
        "restore_original",
        "scanforxmp",
        "sort",
        "srcfile",
        "stay_open",
        "tagout",
        "tagoutext",
        "tagsfromfile",
        "textout",
        "textout!",
        "unknown",
        "unknown2",
        "unsorted",
        "userparam",
        "validate",
        "verbose",
        "w",
        "wext",
        "wm",
        "writemode",
        "zip",
        "z",
    ];
    let bare = lower.trim_start_matches('-');
    let stem =
        bare.trim_end_matches(|c: char| c.is_ascii_digit() || c == ':' || c == '!' || c == '+');
    // No tag has a name of one or two letters that could stand here.
    option.trim_start_matches('-').len() < 3
        || NAMES.contains(&bare)
        || NAMES.contains(&stem)
        || matches!(
            stem,
            "fast" | "if" | "ee" | "efile" | "g" | "v" | "s" | "u" | "wm" | "ec" | "w"
        )
        || bare.starts_with("ext") && bare.len() < 11
        || option.contains(['=', '<', '>', '^', '+', '@', '!', '/', '.', ' '])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(arguments: &[&str]) -> Option<Options> {
        let arguments: Vec<Vec<u8>> = arguments.iter().map(|a| a.as_bytes().to_vec()).collect();
        match parse(&arguments, |_, _| {}) {
            Parsed::Own(options) => Some(*options),
            Parsed::Handed(_) => None,
        }
    }

    #[test]
    fn reading_is_understood_and_the_rest_handed_on() {
        let options = own(&["-j", "-G1", "-Make", "--GPS:all", "-Orientation#", "a.jpg"]).unwrap();
        assert_eq!((options.form, &*options.groups), (Form::Json, &[1][..]));
        assert_eq!((options.requests.len(), options.excluded.len()), (2, 1));
        assert!(options.requests[1].number);
        for handed in [
            &["-Artist=me", "a.jpg"][..],
            &["-tagsFromFile", "a", "b"],
            &["-w", "txt", "a"],
            &["-listx"],
            &["-if", "system('x')", "a"],
            &["-api", "Filter=$_=1", "a"],
            &["-G5", "a"],
            &["-v3", "a"],
            &["-DateTimeOriginal<FileModifyDate", "a"],
        ] {
            assert!(own(handed).is_none(), "{handed:?}");
        }
    }
}
