//! Crates: what depends on what, and under which licences.

use solio_tidy::{cargo_metadata, file, report};
use std::collections::{BTreeMap, BTreeSet};

/// The table "Crates, by level" of ARCHITECTURE.md: crate → (level, crates it depends on).
fn documented() -> BTreeMap<String, (u32, BTreeSet<String>)> {
    let text = file("ARCHITECTURE.md").text;
    let section = text.split("## Crates, by level").nth(1).expect("ARCHITECTURE.md has the table");
    let mut table = BTreeMap::new();
    for line in section.lines().filter(|line| line.starts_with('|')) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [level, name, _job, depends] = cells[..] else { continue };
        let Ok(level) = level.parse::<u32>() else { continue };
        let depends = depends.split('`').skip(1).step_by(2).map(|d| format!("solio-{d}"));
        let depends = depends.map(|d| if d == "solio-solio" { "solio".into() } else { d });
        table.insert(name.trim_matches('`').to_owned(), (level, depends.collect()));
    }
    table
}

/// The same from cargo; tests of a crate may use what they like, so dev-dependencies are left out.
fn actual() -> BTreeMap<String, BTreeSet<String>> {
    let metadata = cargo_metadata(false);
    let packages = metadata["packages"].as_array().expect("packages");
    let text = |v: &serde_json::Value| v.as_str().unwrap_or_default().to_owned();
    let ours: BTreeSet<String> = packages.iter().map(|p| text(&p["name"])).collect();
    packages
        .iter()
        .map(|p| {
            let depends = p["dependencies"].as_array().expect("dependencies").iter();
            let depends = depends.filter(|d| d["kind"].as_str() != Some("dev"));
            let depends = depends.map(|d| text(&d["name"])).filter(|d| ours.contains(d));
            (text(&p["name"]), depends.collect())
        })
        // `crc-fast` stands in for a crate of others: decision 0015.
        .filter(|(name, _)| name != "solio-tidy" && name != "crc-fast")
        .collect()
}

#[test]
fn the_table_in_architecture_equals_cargo_metadata() {
    let documented = documented();
    let actual = actual();
    let mut breaches = Vec::new();
    for name in documented.keys().chain(actual.keys()).collect::<BTreeSet<_>>() {
        match (documented.get(name), actual.get(name)) {
            (Some((_, d)), Some(a)) if d == a => {}
            (Some((_, d)), Some(a)) => {
                breaches.push(format!("{name}: the table says {d:?}, cargo says {a:?}"));
            }
            (d, _) => {
                let place = if d.is_some() { "table" } else { "workspace" };
                breaches.push(format!("{name}: only in the {place}"));
            }
        }
    }
    report("ARCHITECTURE.md, \"Crates, by level\", and Cargo.toml differ:", &breaches);
}

#[test]
fn a_crate_depends_on_lower_levels_only() {
    let documented = documented();
    let mut breaches = Vec::new();
    for (name, (level, depends)) in &documented {
        for dependency in depends {
            let other = documented.get(dependency).map_or(u32::MAX, |(level, _)| *level);
            if other >= *level {
                breaches.push(format!("{name} (level {level}) uses {dependency} (level {other})"));
            }
        }
    }
    report("a crate depends on lower levels only:", &breaches);
}

#[test]
fn every_dependency_has_an_allowed_licence() {
    let deny = file("deny.toml").text;
    let list = deny.split("allow = [").nth(1).and_then(|t| t.split(']').next()).expect("a list");
    let allowed: Vec<&str> = list.split('"').skip(1).step_by(2).collect();
    let ok = |name: &str| allowed.contains(&name.trim().trim_matches(['(', ')']));
    // Those with a word of their own there.
    let exceptions: Vec<&str> = deny
        .split("[[licenses.exceptions]]")
        .skip(1)
        .filter_map(|part| part.split('"').nth(1))
        .collect();
    let metadata = cargo_metadata(true);
    let mut breaches = Vec::new();
    for package in metadata["packages"].as_array().expect("packages") {
        let licence = package["license"].as_str().unwrap_or("none stated").replace('/', " OR ");
        // `A OR (B AND C)`: one alternative must be allowed in all its parts.
        let fine = licence.split(" OR ").any(|one| one.split(" AND ").all(ok))
            || licence.split(" AND ").all(|part| part.split(" OR ").any(ok));
        if !fine && !exceptions.iter().any(|name| package["name"] == *name) {
            breaches.push(format!("{}: {licence}", package["name"].as_str().unwrap_or_default()));
        }
    }
    report("dependencies with a licence that deny.toml does not allow:", &breaches);
}
