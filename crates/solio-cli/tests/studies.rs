//! The studies of `solio study` beside that of a command: table, page and JSON.
#![allow(clippy::disallowed_methods)] // tests read and write their own files

mod ran;

use ran::Ran;
use serde_json::Value;
use std::path::Path;

fn solio(dir: &Path, line: &str) -> Ran {
    ran::run(dir, &line.split_whitespace().collect::<Vec<_>>(), b"")
}

/// What a page holds.
fn page(dir: &Path, name: &str) -> Value {
    let page = std::fs::read_to_string(dir.join(name)).unwrap();
    assert!(page.len() < 400_000 && !page.contains("/*DATA*/") && !page.contains("http"));
    let (_, data) = page.split_once("type=\"application/json\" id=\"data\">").unwrap();
    serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap()
}

/// The medians of JSON and the bars of the page: the same values.
fn bars(page: &Value) -> Vec<f64> {
    let rows =
        page["groups"].as_array().unwrap().iter().flat_map(|g| g["rows"].as_array().unwrap());
    rows.map(|row| row["value"].as_f64().unwrap()).collect()
}

#[test]
#[cfg(feature = "lab")]
fn numbers_are_written_by_all_ways() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    std::fs::write(dir.join("a.obj"), "v 0.125 -3.75 1e-3\nv 1 0 0\nv 0 1 0.333\nf 1 2 3\n")
        .unwrap();
    let ran = solio(dir, "study numbers a.obj --rounds 1 --json -o page.html").fine();
    let found = &ran.json()[0];
    let groups = found["groups"].as_array().unwrap();
    assert_eq!((groups.len(), &found["export_numbers"]), (8, &9.into()));
    let ways: Vec<&Value> = groups.iter().flat_map(|g| g["ways"].as_array().unwrap()).collect();
    assert!(ways.iter().all(|way| way["wrong"] == 0), "{found}");
    let names: Vec<_> = groups[2]["ways"]
        .as_array()
        .unwrap()
        .iter()
        .map(|way| way["way"].as_str().unwrap())
        .collect();
    for name in ["Ryū", "Dragonbox", "Żmij", "std", "Solio"] {
        assert!(names.iter().any(|n| n.starts_with(name)), "{names:?}");
    }
    let medians: Vec<f64> = ways.iter().map(|way| way["ns"][0].as_f64().unwrap()).collect();
    assert_eq!(bars(&page(dir, "page.html")), medians);
    let text = solio(dir, "study numbers a.obj --rounds 1").fine();
    assert!(text.text().contains("of export") && text.text().contains("A/A"), "{}", text.text());
    let wrong = solio(dir, "study numbers none.obj");
    assert!(wrong.code == 1 && wrong.err.contains("none.obj"), "{}", wrong.err);
}

#[test]
fn files_are_read_in_all_orders() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    for name in ["b", "a", "sub/c"] {
        std::fs::create_dir_all(dir.join("shots/sub")).unwrap();
        std::fs::write(dir.join("shots").join(name), vec![7; 20_000]).unwrap();
    }
    let ran = solio(dir, "study order shots --rounds 2 --json -o page.html").fine();
    let found = &ran.json()[0];
    assert_eq!((&found["files"], &found["bytes"]), (&3.into(), &60_000.into()));
    let orders = found["orders"].as_array().unwrap();
    assert_eq!((orders.len(), &orders[0]["over_directory"][0]), (5, &1.0.into()));
    assert!(orders.iter().all(|order| order["walls"].as_array().unwrap().len() == 2));
    let measured =
        |name: &str| orders.iter().map(|order| order[name].as_f64().unwrap()).collect::<Vec<_>>();
    let reads = orders.iter().map(|order| order["read_s"][0].as_f64().unwrap()).collect::<Vec<_>>();
    assert_eq!(bars(&page(dir, "page.html")), [reads, measured("model_s")].concat());
    let text = solio(dir, "study order shots --rounds 1").fine();
    assert!(text.text().contains("3 files with 60.0 kB in shots"), "{}", text.text());
    assert_eq!(solio(dir, "study order none").code, 1);
}

#[test]
fn small_reads_wait_less_with_a_higher_priority() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    std::fs::write(dir.join("bulk"), vec![7; 8 << 20]).unwrap();
    let line = "study latency bulk --samples 3 --warm --bwlimit 100M --json -o page.html";
    let found = &solio(dir, line).fine().json()[0];
    let ways = found["ways"].as_array().unwrap();
    let middle = |n: usize| ways[n]["p50_s"].as_f64().unwrap();
    assert!(middle(2) > 3.0 * middle(4), "{found}");
    // So few reads tell no p99.9.
    assert!(ways[4]["p999_s"].is_null() && ways[0]["of_bulk_alone"] == 1.0, "{found}");
    assert_eq!(page(dir, "page.html")["rows"].as_array().unwrap().len(), ways.len());
    let small = solio(dir, "study latency bulk --size 16M");
    assert!(small.code == 2 && small.err.contains("too small"), "{}", small.err);
}

#[test]
fn boxes_and_names_are_checked() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let found = &solio(dir, "study boxes --rounds 1 --json -o page.html").fine().json()[0];
    let groups = found["groups"].as_array().unwrap();
    assert_eq!(groups.len(), 2 + 2 * 5);
    let ways: Vec<&Value> = groups.iter().flat_map(|g| g["ways"].as_array().unwrap()).collect();
    assert!(ways.iter().all(|way| way["right"] == true), "{found}");
    let medians: Vec<f64> = ways.iter().map(|way| way["ns"][0].as_f64().unwrap()).collect();
    assert_eq!(bars(&page(dir, "page.html")), medians);
}

#[test]
fn two_runs_are_compared_from_traces_and_pages() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    std::fs::write(dir.join("a.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n".repeat(500)).unwrap();
    for name in ["before", "after"] {
        solio(dir, &format!("convert a.obj -o a.ply --trace {name}.json --report {name}.html"))
            .fine();
    }
    let found =
        &solio(dir, "study compare before.json after.json --json -o page.html").fine().json()[0];
    assert_eq!(found["kind"], "run");
    let rows = found["rows"].as_array().unwrap();
    let row = rows.iter().find(|row| row["name"] == "span read mesh").unwrap();
    let number = |side: &str| row[side][0].as_f64().unwrap();
    assert!((number("change") - (number("after") - number("before"))).abs() < 1e-12, "{row}");
    assert!(page(dir, "page.html")["groups"][1]["name"].as_str().unwrap().contains("after.json"));
    // A trace against a page: spans of the same sum.
    let found = &solio(dir, "study compare before.json before.html --json").fine().json()[0];
    assert!(found["rows"].as_array().unwrap().iter().all(|row| row["change"][0] == 0.0), "{found}");
    let wrong = solio(dir, "study compare a.obj after.json");
    assert!(
        wrong.code == 1 && wrong.err.contains("a.obj: not a result of a study"),
        "{}",
        wrong.err
    );
}
