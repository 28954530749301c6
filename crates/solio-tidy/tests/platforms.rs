//! Platforms: what was tried on each system is in `data/platforms`, and the document shows it.

use solio_tidy::{file, files, report};
use std::collections::BTreeMap;

const PAGE: &str = "docs/platforms.md";
const COUNTS: [&str; 6] = ["system", "crate", "passed", "failed", "not_run", "cause"];
const KERNELS: [&str; 5] = ["kernel", "elements", "plain", "neon", "ratio"];

/// The cells of each line of the tables in `data/platforms` that have these heads.
fn rows(heads: &[&str]) -> Vec<Vec<String>> {
    let mut tables: Vec<_> = files()
        .into_iter()
        .filter(|file| file.path.starts_with("data/platforms/") && file.path.ends_with(".tsv"))
        .collect();
    tables.sort_by(|a, b| a.path.cmp(&b.path));
    let cells = |line: &str| line.split('\t').map(str::to_owned).collect::<Vec<_>>();
    let mut rows = Vec::new();
    for table in tables {
        let mut lines = table.text.lines();
        if lines.next().map(cells).is_some_and(|found| found == heads) {
            rows.extend(lines.map(cells));
        }
    }
    rows
}

/// Crate by crate, a column a system.
fn shown_counts() -> String {
    let rows = rows(&COUNTS);
    let (mut systems, mut crates) = (Vec::new(), Vec::new());
    let (mut counts, mut sums) = (BTreeMap::new(), BTreeMap::new());
    for row in &rows {
        let [system, name, passed, failed, not_run, _] = &row[..] else {
            panic!("{row:?} has other cells than {COUNTS:?}");
        };
        let numbers = [passed, failed, not_run].map(|cell| cell.parse::<u32>().expect("a number"));
        if !systems.contains(&system) {
            systems.push(system);
        }
        if !crates.contains(&name) {
            crates.push(name);
        }
        let sum: &mut [u32; 3] = sums.entry(system).or_default();
        (0..3).for_each(|i| sum[i] += numbers[i]);
        counts.insert((name, system), numbers);
    }
    let shown = |numbers: Option<&[u32; 3]>| match numbers {
        None => "–".to_owned(),
        Some([passed, 0, 0]) => passed.to_string(),
        Some([passed, 0, not_run]) => format!("{passed}, {not_run} not run"),
        Some([passed, failed, 0]) => format!("{passed}, **{failed} failed**"),
        Some([passed, failed, not_run]) => {
            format!("{passed}, **{failed} failed**, {not_run} not run")
        }
    };
    let mut table = "| crate |".to_owned();
    systems.iter().for_each(|system| table += &format!(" {system} |"));
    table += &format!("\n|---|{}\n", "---|".repeat(systems.len()));
    for name in crates {
        table += &format!("| `{name}` |");
        for system in &systems {
            table += &format!(" {} |", shown(counts.get(&(name, system))));
        }
        table.push('\n');
    }
    table += "| all |";
    systems.iter().for_each(|system| table += &format!(" {} |", shown(sums.get(system))));
    table + "\n"
}

/// What was not run, and why.
fn shown_causes() -> String {
    let mut table = "| system | crate | not run | why |\n|---|---|---|---|\n".to_owned();
    for row in rows(&COUNTS).iter().filter(|row| !row[5].is_empty()) {
        let why = row[5].replace('|', "\\|");
        table += &format!("| {} | `{}` | {} | {why} |\n", row[0], row[1], row[4]);
    }
    table
}

/// Instructions of the kernels on AArch64.
fn shown_kernels() -> String {
    let mut table =
        "| kernel | elements | plain | NEON | ratio |\n|---|---:|---:|---:|---:|\n".to_owned();
    for row in rows(&KERNELS) {
        table += &format!("| {} |\n", row.join(" | "));
    }
    table
}

#[test]
fn the_document_shows_what_was_counted() {
    let text = file(PAGE).text;
    let tables =
        [("counts", shown_counts()), ("causes", shown_causes()), ("kernels", shown_kernels())];
    let mut breaches = Vec::new();
    for (name, table) in tables {
        let (start, end) = (format!("<!-- {name}: start -->\n"), format!("<!-- {name}: end -->"));
        let shown = text.split(&start).nth(1).and_then(|rest| rest.split(&end).next());
        if shown != Some(&*table) {
            breaches.push(format!("{PAGE}: put this between {} and {end}:\n{table}", start.trim()));
        }
    }
    report("the tables of what was tried on each system:", &breaches);
}

#[test]
fn what_failed_or_was_not_run_has_a_cause() {
    let mut breaches = Vec::new();
    for row in rows(&COUNTS) {
        let told = row.get(5).is_some_and(|cause| !cause.is_empty());
        if row.len() != COUNTS.len() || (row[3] != "0" || row[4] != "0") && !told {
            breaches.push(row.join(" "));
        }
    }
    report("rows of data/platforms without a cause:", &breaches);
}

#[test]
fn kernels_by_neon_take_fewer_instructions() {
    let mut breaches = Vec::new();
    let mut halved = 0;
    for row in rows(&KERNELS) {
        let [plain, neon] = [&row[2], &row[3]].map(|cell| cell.parse::<f64>().expect("a number"));
        halved += u32::from(plain / neon >= 2.0);
        if plain <= neon {
            breaches.push(format!("{}: {plain} plain, {neon} by NEON", row[0]));
        }
    }
    report("kernels that do not pay:", &breaches);
    assert!(halved >= 10, "ten kernels take half of the instructions or less, not {halved}");
}
