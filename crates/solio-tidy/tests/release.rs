//! Releases: one version, packages that stand alone, readmes and workflows that hold elsewhere.

use serde_json::Value;
use solio_tidy::{cargo_metadata, file, files, report, root};
use std::collections::BTreeSet;

/// Where the readmes of packages are looked at without the repository.
const READMES: [&str; 2] = ["README.md", "crates/README.md"];
/// Crates of our own that no index gets: the others do not depend on them.
const KEPT: [&str; 4] = ["crc-fast", "solio-bench", "solio-python", "solio-tidy"];

/// The value of a line `key = "value"`, the first one in `text`.
fn value<'t>(text: &'t str, key: &str) -> &'t str {
    let line = text.lines().find(|line| line.starts_with(&format!("{key} = ")));
    line.and_then(|line| line.split('"').nth(1)).unwrap_or_else(|| panic!("no {key}"))
}

fn packages() -> Vec<Value> {
    cargo_metadata(false)["packages"].as_array().expect("packages").clone()
}

fn name(package: &Value) -> &str {
    package["name"].as_str().expect("a name")
}

fn is_published(package: &Value) -> bool {
    package["publish"].as_array().is_none_or(|registries| !registries.is_empty())
}

#[test]
fn the_version_stands_in_one_place() {
    let workspace = file("Cargo.toml").text;
    let version = value(&workspace, "version").to_owned();
    let mut breaches = Vec::new();
    let mut same = |place: &str, found: &str| {
        if found != version {
            breaches.push(format!("{place}: {found}"));
        }
    };
    for package in packages().iter().filter(|package| name(package) != "crc-fast") {
        same(name(package), package["version"].as_str().expect("a version"));
    }
    // The parts are bound to each other: what they promise each other may change with each version.
    for line in workspace.lines().filter(|line| line.contains("{ path = \"crates/")) {
        let bound = line.split("version = \"=").nth(1).and_then(|rest| rest.split('"').next());
        same(line, bound.unwrap_or("no version"));
    }
    let extension = file("blender/solio_io/blender_manifest.toml").text;
    same("blender_manifest.toml", value(&extension, "version"));
    let add_on = file("blender/solio_io/__init__.py").text;
    let numbers = add_on.split("\"version\": (").nth(1).and_then(|rest| rest.split(')').next());
    same("bl_info", &numbers.expect("bl_info has a version").replace(", ", "."));
    let changes = file("CHANGELOG.md").text;
    let newest = changes.lines().find_map(|line| line.strip_prefix("## ")).expect("a section");
    same("CHANGELOG.md", newest.split(" – ").next().unwrap_or_default());
    for lock in files().iter().filter(|file| file.path.ends_with("Cargo.lock")) {
        let lines: Vec<_> = lock.text.lines().collect();
        for pair in lines.windows(2).filter(|pair| pair[0].starts_with("name = \"solio")) {
            // `solio-fuzz` is no crate of the workspace.
            if root().join("crates").join(value(pair[0], "name")).is_dir() {
                same(&format!("{}: {}", lock.path, pair[0]), value(pair[1], "version"));
            }
        }
    }
    report(&format!("not {version}, which `make set-version` writes:"), &breaches);
}

#[test]
fn recipes_have_neither_versions_nor_sums() {
    let version = value(&file("Cargo.toml").text, "version").to_owned();
    let mut breaches = Vec::new();
    let mut filled_in = 0;
    for recipe in files().iter().filter(|file| file.path.starts_with("packaging/")) {
        filled_in += recipe.text.matches("@VERSION@").count();
        for (n, line) in recipe.lines() {
            let sum = line.split(|c: char| !c.is_ascii_hexdigit()).any(|word| word.len() == 64);
            if line.contains(&version) || sum {
                breaches.push(format!("{}:{n}: {line}", recipe.path));
            }
        }
    }
    report("packaging/fill puts these in:", &breaches);
    assert!(filled_in > 10, "recipes have places for the version");
}

#[test]
#[allow(clippy::disallowed_methods, clippy::print_stdout)]
fn recipes_are_filled_in_whole_or_not_at_all() {
    let folder = std::env::temp_dir().join(format!("solio-recipes-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let version = value(&file("Cargo.toml").text, "version").to_owned();
    let sum = "0123456789abcdef".repeat(4);
    let end = ["-x86_64-pc-windows-gnu.zip", "-source.tar.gz", ".tar.gz"];
    let lines = end.map(|end| format!("{sum}  solio-{version}{end}\n"));
    let fill = |sums: &str| {
        std::fs::write(folder.join("SHA256SUMS"), sums).expect("sums are written");
        let mut command = std::process::Command::new("python3");
        command.arg("packaging/fill").current_dir(root());
        command.arg("--sums").arg(folder.join("SHA256SUMS")).arg("--out").arg(folder.join("out"));
        command.output()
    };
    match fill(&lines.concat()) {
        Err(e) => return println!("skipped: no python3 ({e})"),
        Ok(done) => assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr)),
    }
    let mut sums = 0;
    for recipe in ["conda/recipe.yaml", "homebrew/solio.rb", "winget/Solio.Solio.installer.yaml"] {
        let text = std::fs::read_to_string(folder.join("out").join(recipe)).expect(recipe);
        assert!(text.contains(&version) && !text.contains("@VERSION@"), "{recipe}");
        sums += text.matches(&sum).count();
    }
    assert_eq!(sums, 3, "each recipe has the sum of what it installs");
    let refused = fill(&lines[1..].concat()).expect("python3 runs");
    assert!(!refused.status.success(), "a sum is missing");
    std::fs::remove_dir_all(&folder).expect("it is gone");
}

#[test]
fn packages_say_what_an_index_shows() {
    let workspace = file("Cargo.toml").text;
    let repository = value(&workspace, "repository");
    let mut breaches = Vec::new();
    let kept: Vec<_> = packages().into_iter().filter(|package| !is_published(package)).collect();
    let kept: BTreeSet<_> = kept.iter().map(name).collect();
    assert_eq!(kept, BTreeSet::from(KEPT), "`publish = false`");
    for package in packages().iter().filter(|package| is_published(package)) {
        let text = |key: &str| package[key].as_str().unwrap_or_default().to_owned();
        let words = |key: &str| package[key].as_array().cloned().unwrap_or_default();
        let folder = root().join("crates").join(name(package));
        let keywords = words("keywords");
        let short = |word: &Value| word.as_str().is_some_and(|word| word.len() <= 20);
        let told = [
            ("description", !text("description").is_empty() && text("description").len() < 140),
            ("repository", text("repository") == repository),
            ("homepage", !text("homepage").is_empty()),
            ("license", text("license") == "MIT OR Apache-2.0"),
            ("rust-version", !text("rust_version").is_empty()),
            ("keywords", (1..=5).contains(&keywords.len()) && keywords.iter().all(short)),
            ("categories", (1..=5).contains(&words("categories").len())),
            ("readme", folder.join(text("readme")).is_file()),
            ("LICENSE-MIT", folder.join("LICENSE-MIT").is_file()),
            ("LICENSE-APACHE", folder.join("LICENSE-APACHE").is_file()),
        ];
        let wrong = told.iter().filter(|(_, fine)| !fine).map(|(what, _)| *what);
        breaches.extend(wrong.map(|what| format!("{}: {what}", name(package))));
        for dependency in package["dependencies"].as_array().expect("dependencies") {
            let other = name(dependency);
            if dependency["kind"].as_str() != Some("dev") && KEPT.contains(&other) {
                breaches.push(format!("{} depends on {other}, which stays here", name(package)));
            }
        }
    }
    let python = file("pyproject.toml").text;
    if value(&python, "description") != value(&workspace, "description") {
        breaches.push("pyproject.toml: another description than Cargo.toml's".into());
    }
    let addresses = python.split("[project.urls]").nth(1).and_then(|rest| rest.split("\n[").next());
    for line in addresses.unwrap_or_default().lines().filter(|line| line.contains(" = ")) {
        if !line.contains(&format!("\"{repository}")) {
            breaches.push(format!("pyproject.toml: {line}"));
        }
    }
    report("packages lack, or have otherwise:", &breaches);
}

#[test]
fn what_a_crate_includes_lies_in_it() {
    let mut breaches = Vec::new();
    for file in files().iter().filter(|file| file.path.ends_with(".rs")) {
        let Some(crate_name) = file.crate_name().filter(|_| file.is_product_rust()) else {
            continue;
        };
        let mut previous = "";
        for (n, line) in file.lines() {
            let included = line.split("include_str!(\"").nth(1);
            let included = included.or_else(|| line.split("include_bytes!(\"").nth(1));
            let path = included.and_then(|rest| rest.split('"').next());
            // Levels below the folder of the crate: `crates/solio/src/a.rs` lies two down.
            let depth = file.path.split('/').count() - 3;
            let up = path.map_or(0, |path| path.matches("../").count());
            // Pages of the guide are run as tests in the repository, where they are.
            if up > depth && !previous.contains("cfg(doctest)") {
                breaches.push(format!("{}:{n}: out of {crate_name}: {line}", file.path));
            }
            previous = line;
        }
    }
    report("a package holds nothing from outside of its folder:", &breaches);
}

#[test]
fn readmes_hold_on_an_index() {
    let repository = value(&file("Cargo.toml").text, "repository").to_owned();
    let [page, raw] = [
        format!("{repository}/blob/main/"),
        format!("{}/main/", repository.replace("github.com", "raw.githubusercontent.com")),
    ];
    let mut breaches = Vec::new();
    let mut own = 0;
    for readme in READMES.map(file) {
        let mut fenced = false;
        for (n, line) in readme.lines() {
            fenced ^= line.starts_with("```");
            let links = line.split("](").skip(1).filter_map(|rest| rest.split(')').next());
            let defined = line.strip_prefix('[').and_then(|rest| rest.split_once("]: "));
            let defined = defined.filter(|(name, link)| !name.contains(']') && !link.contains(' '));
            for link in links.chain(defined.map(|(_, link)| link)).filter(|_| !fenced) {
                let path = link.strip_prefix(&page).or_else(|| link.strip_prefix(&raw));
                let path = path.and_then(|path| path.split('#').next());
                own += u32::from(path.is_some());
                let leads = path.is_none_or(|path| root().join(path).exists());
                let whole = link.starts_with("https://") || link.starts_with('#');
                // A page about a picture is no picture.
                if !whole || !leads || line.starts_with("![") && link.starts_with(&page) {
                    breaches.push(format!("{}:{n}: {link}", readme.path));
                }
            }
            // A name that nothing defines is shown as it stands.
            let names = line.split("][").skip(1).filter_map(|rest| rest.split(']').next());
            for name in names.filter(|_| !fenced) {
                if !readme.text.contains(&format!("\n[{name}]: ")) {
                    breaches.push(format!("{}:{n}: [{name}] is not defined", readme.path));
                }
            }
        }
    }
    report("links that break where the repository is not:", &breaches);
    assert!(own > 5, "README.md leads into the documents");
}

/// The commands of a workflow, with the lines they stand in.
fn commands(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().enumerate();
    lines.filter_map(|(i, line)| {
        let line = line.trim_start().trim_start_matches("- ");
        line.strip_prefix("run: ").filter(|rest| !rest.starts_with('{')).map(|rest| (i + 1, rest))
    })
}

#[test]
fn workflows_call_make() {
    let makefile = file("Makefile").text;
    let targets: BTreeSet<&str> = makefile
        .lines()
        .filter_map(|line| line.split_once(':'))
        .map(|(target, _)| target)
        .collect();
    // What brings a system to where `make` works.
    let setting_up = ["rustup target add ", "sudo apt-get install "];
    let mut breaches = Vec::new();
    let mut called = 0;
    for flow in files().iter().filter(|file| file.path.starts_with(".github/workflows/")) {
        for (n, command) in commands(&flow.text) {
            let words = command.split(' ').filter(|word| !word.contains('='));
            let fine =
                command.starts_with("make ") && words.skip(1).all(|word| targets.contains(word));
            called += u32::from(fine);
            if !fine && !setting_up.iter().any(|start| command.starts_with(start)) {
                breaches.push(format!("{}:{n}: {command}", flow.path));
            }
        }
        for (n, line) in flow.lines().filter(|(_, line)| line.contains("uses: ")) {
            let at = line.split('@').nth(1).unwrap_or_default();
            let (sum, version) = at.split_once(" # v").unwrap_or_default();
            let pinned = sum.len() == 40 && sum.bytes().all(|byte| byte.is_ascii_hexdigit());
            if !pinned || version.is_empty() {
                breaches.push(format!("{}:{n}: by its sum, with the version behind", flow.path));
            }
        }
        for part in ["\npermissions:\n  contents: read\n", "\nconcurrency:\n", "timeout-minutes:"] {
            if !flow.text.contains(part) {
                breaches.push(format!("{}: lacks {part:?}", flow.path));
            }
        }
        if flow.text.lines().any(|line| line.trim_end().ends_with("run: |")) {
            breaches.push(format!("{}: several lines belong into the Makefile", flow.path));
        }
    }
    report("workflows say what any machine can run, by make:", &breaches);
    assert!(called > 20, "there are workflows, which call make");
}
