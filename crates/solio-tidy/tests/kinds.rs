//! One table of kinds: no other place lists extensions or spells magic bytes.

use solio_kinds::{Ability, FileKind, FormatOption};
use solio_tidy::{File, files, report};
use std::collections::BTreeSet;

/// Product code outside the table.
fn product() -> Vec<File> {
    let all = files().into_iter().filter(File::is_product_rust);
    all.filter(|file| file.crate_name() != Some("solio-kinds")).collect()
}

/// The contents of `"…"` on a line, those of `b"…"` apart; escapes stay as they are written.
fn literals(line: &str) -> (Vec<String>, Vec<String>) {
    let (mut texts, mut bytes) = (Vec::new(), Vec::new());
    let mut rest = line;
    while let Some(start) = rest.find('"') {
        let is_bytes = rest[..start].ends_with('b') && !rest[..start].ends_with("_b");
        let body = &rest[start + 1..];
        let mut end = 0;
        while end < body.len() && !body[end..].starts_with('"') {
            end += if body[end..].starts_with('\\') { 2 } else { 1 };
            while end < body.len() && !body.is_char_boundary(end) {
                end += 1;
            }
        }
        let end = end.min(body.len());
        if is_bytes { &mut bytes } else { &mut texts }.push(body[..end].to_owned());
        rest = body.get(end + 1..).unwrap_or_default();
    }
    (texts, bytes)
}

/// The bytes that a literal stands for.
fn unescaped(literal: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = literal.bytes();
    while let Some(byte) = rest.next() {
        let next = if byte == b'\\' { rest.next() } else { None };
        bytes.push(match next {
            None => byte,
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(b'0') => 0,
            Some(b'x') => {
                let digits: String = rest.by_ref().take(2).map(char::from).collect();
                u8::from_str_radix(&digits, 16).unwrap_or_default()
            }
            Some(other) => other,
        });
    }
    bytes
}

#[test]
fn literals_are_found() {
    let (texts, bytes) = literals(r#"match x { "exr" => b"\x76\x2f\x31\x01", "a\"b" => b"" }"#);
    assert_eq!(texts, ["exr", "a\\\"b"]);
    assert_eq!(unescaped(&bytes[0]), [0x76, 0x2f, 0x31, 1]);
}

#[test]
fn extensions_are_listed_once() {
    // Words that are also something else: names of options, of numbers, of codecs.
    let others = ["raw", "json", "text", "db", "pic", "unity", "gradients", "asset"];
    // What a kind of raw photo means is known by its name; keywords of PNG and prefixes of XMP are
    // their own.
    let readers = [
        "solio-photo/src/container/mod.rs",
        "solio-photo/src/container/png_text.rs",
        "solio-photo/src/xmp/names.rs",
        "solio/src/exiftool/sure.rs",
    ];
    let known: BTreeSet<&str> =
        FileKind::ALL.iter().flat_map(|kind| kind.all_extensions()).collect();
    let is_extension = |word: &String| known.contains(&**word) && !others.contains(&&**word);
    let mut breaches = Vec::new();
    for file in product().iter().filter(|f| !readers.iter().any(|end| f.path.ends_with(end))) {
        // Two lines that each have one are a list, too.
        let mut before: BTreeSet<String> = BTreeSet::new();
        for (n, line) in file.code_lines() {
            let found: BTreeSet<String> =
                literals(line).0.into_iter().filter(is_extension).collect();
            let all: BTreeSet<&String> = found.union(&before).collect();
            if all.len() > 1 {
                breaches.push(format!("{}:{n}: {all:?}", file.path));
            }
            before = found;
        }
    }
    report("extensions are listed in solio-kinds alone:", &breaches);
}

#[test]
fn magic_bytes_are_spelled_once() {
    let marks: Vec<&[u8]> = FileKind::ALL
        .iter()
        .flat_map(|kind| {
            let aliases = kind.aliases().iter().flat_map(|alias| alias.magic);
            kind.magic().iter().chain(aliases).flat_map(|magic| magic.iter())
        })
        // Names of boxes and chunks further on are words of a container's own language.
        .filter(|(offset, bytes)| *offset == 0 && bytes.len() >= 4)
        .map(|(_, bytes)| *bytes)
        .collect();
    let mut breaches = Vec::new();
    for file in product() {
        for (n, line) in file.code_lines() {
            for literal in literals(line).1 {
                let bytes = unescaped(&literal);
                if let Some(mark) = marks.iter().find(|mark| bytes.starts_with(mark)) {
                    breaches.push(format!("{}:{n}: {mark:02x?}", file.path));
                }
            }
        }
    }
    report("magic bytes are spelled in solio-kinds alone:", &breaches);
}

/// The table of kinds as the documents show it.
fn shown_table() -> String {
    let mut table = "| kind | extensions | read | write | info | meta | check | preview |\n\
        |---|---|---|---|---|---|---|---|\n"
        .to_owned();
    for kind in FileKind::ALL {
        if !Ability::ALL.iter().any(|can| kind.can(*can)) {
            continue;
        }
        let extensions: Vec<String> =
            kind.all_extensions().map(|end| format!("`.{end}`")).collect();
        let cells = Ability::ALL.map(|can| if kind.can(can) { "yes" } else { "" }).join(" | ");
        table += &format!("| {} | {} | {cells} |\n", kind.title(), extensions.join(" "));
    }
    table
}

#[test]
fn the_documents_show_the_table() {
    let text = solio_tidy::file("docs/formats/index.md").text;
    let (start, end) = ("<!-- kinds: start -->\n", "<!-- kinds: end -->");
    let shown = text.split(start).nth(1).and_then(|rest| rest.split(end).next());
    let table = shown_table();
    let differs = shown.is_none_or(|shown| shown != table).then(|| {
        format!("docs/formats/index.md: put this between {} and {end}:\n{table}", start.trim())
    });
    report("the table of kinds in the documents:", &Vec::from_iter(differs));
}

/// The table of options of some formats as the documents show it.
fn shown_options(kinds: &[FileKind]) -> String {
    let mut table = "| option | takes | default | what it does | in Python |\n\
        |---|---|---|---|---|\n"
        .to_owned();
    let has = |option: &&FormatOption| option.kinds.iter().any(|kind| kinds.contains(kind));
    for option in FormatOption::ALL.iter().filter(has) {
        let formats =
            if kinds.len() > 1 { format!("{}: ", option.formats_text()) } else { String::new() };
        let python = match option.python {
            "" => String::new(),
            name => format!("`{name}`"),
        };
        let (values, default, help) = (option.values_text(), option.default, option.help);
        let flag = option.flag;
        table += &format!("| `--{flag}` | {values} | {default} | {formats}{help} | {python} |\n");
    }
    table
}

#[test]
fn the_documents_show_the_options() {
    let pages: [(&str, &[FileKind]); 7] = [
        ("obj", &[FileKind::Obj]),
        ("ply", &[FileKind::Ply]),
        ("stl", &[FileKind::Stl]),
        ("gltf", &[FileKind::Glb]),
        ("splats", &[FileKind::Splat, FileKind::Spz]),
        ("exr", &[FileKind::Exr]),
        ("pictures", &[FileKind::Jpeg, FileKind::Png, FileKind::Tiff]),
    ];
    let mut breaches = Vec::new();
    for (page, kinds) in pages {
        let path = format!("docs/formats/{page}.md");
        let (start, end) = ("<!-- options: start -->\n", "<!-- options: end -->");
        let text = solio_tidy::file(&path).text;
        let shown = text.split(start).nth(1).and_then(|rest| rest.split(end).next());
        let table = shown_options(kinds);
        if shown != Some(&*table) {
            breaches.push(format!("{path}: put this between {} and {end}:\n{table}", start.trim()));
        }
    }
    report("the tables of options in the documents:", &breaches);
}
