//! Pages with one chart, which need nothing but themselves.

use serde_json::Value;
use solio::Result;
use std::path::Path;

const STYLE: &str = include_str!("../../../web/chart.css");
const CHART: &str = include_str!("../../../web/chart.js");

/// Writes `page` with its style, its helpers and `data` where comments hold their places.
pub(crate) fn write(page: &str, data: &Value, path: &Path) -> Result<()> {
    // Inside of a page "</" would end the script, and "<!--<script>" keep it from ending.
    let data = data.to_string().replace('<', "\\u003c");
    let parts = [("/*STYLE*/", STYLE), ("/*CHART*/", CHART), ("/*DATA*/", &data)];
    let page = parts.iter().fold(page.to_owned(), |page, (mark, part)| page.replace(mark, part));
    solio::write_bytes(path, page.as_bytes())
}
