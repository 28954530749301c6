//! Pages with one chart, which need nothing but themselves.

use crate::output_path::{check_folder, has_end};
use serde_json::Value;
use solio::{Error, PAGE_STYLE, Result};
use std::path::Path;

const CHART: &str = include_str!("../web/chart.js");

/// That a page can be written to `path`: asked before what takes long.
pub fn check(path: &Path) -> Result<()> {
    if !has_end(path, "html") {
        let error = Error::argument("what is written here is a page").at_path(path);
        return Err(error.hint("end its name in .html"));
    }
    check_folder(path, "the page")
}

/// Writes `page` with its style, its helpers and `data` where comments hold their places.
pub fn write(page: &str, data: &Value, path: &Path) -> Result<()> {
    // Inside of a page "</" would end the script, and "<!--<script>" keep it from ending.
    let data = data.to_string().replace('<', "\\u003c");
    let parts = [("/*STYLE*/", PAGE_STYLE), ("/*CHART*/", CHART), ("/*DATA*/", &data)];
    let page = parts.iter().fold(page.to_owned(), |page, (mark, part)| page.replace(mark, part));
    solio::write_bytes(path, page.as_bytes())
}
