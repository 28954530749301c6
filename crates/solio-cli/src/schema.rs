//! JSON for programs: each object says by its first field which schema it keeps; the schemas are in
//! `docs/schemas`.

use crate::json_paths;
use serde_json::{Map, Value};
use std::path::Path;

/// A line of JSON: the schema, such as `check/1`, then paths by their names, then the rest. A path
/// that is not valid UTF-8 has a second field from which its bytes come back.
pub fn line(schema: &str, paths: &[(&str, &Path)], rest: Value) -> String {
    format!("{}\n", object(schema, paths, rest))
}

/// The same without the end of the line.
pub(crate) fn object(schema: &str, paths: &[(&str, &Path)], rest: Value) -> Value {
    let mut object = Map::new();
    object.insert("schema".into(), format!("solio/{schema}").into());
    for (name, path) in paths {
        json_paths::put(&mut object, name, path);
    }
    if let Value::Object(rest) = rest {
        object.extend(rest);
    }
    Value::Object(object)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_schema_comes_first_and_names_keep_their_bytes() {
        let text = line(
            "set/1",
            &[("input", Path::new("a")), ("output", Path::new("b"))],
            json!({"n": 1}),
        );
        assert_eq!(text, "{\"schema\":\"solio/set/1\",\"input\":\"a\",\"output\":\"b\",\"n\":1}\n");
    }
}
