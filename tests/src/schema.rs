//! A validator for the part of JSON Schema (draft 2020-12) that our schemas use.
//!
//! A keyword that it does not know is a complaint, so that no schema can ask for what is not checked. In a value, a key
//! that its schema does not describe is a complaint, too: readers must accept such keys, but our reports have none.

use serde_json::{Map, Value};

/// Keywords without effect on what is valid.
const ANNOTATIONS: [&str; 5] = ["$schema", "$id", "$defs", "title", "description"];

/// The schema of reports, `docs/report.schema.json`.
pub fn of_reports() -> Value {
    read("report")
}

/// The schema of profiles, `docs/profile.schema.json`.
pub fn of_profiles() -> Value {
    read("profile")
}

fn read(name: &str) -> Value {
    let path = crate::toolchain::root().join(format!("docs/{name}.schema.json"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// What is wrong with a value by a schema; each complaint names the place in the value.
pub fn complaints(schema: &Value, value: &Value) -> Vec<String> {
    let mut validator = Validator { root: schema, complaints: Vec::new() };
    validator.check(schema, value, "report");
    validator.complaints
}

struct Validator<'a> {
    root: &'a Value,
    complaints: Vec<String>,
}

impl<'a> Validator<'a> {
    fn complain(&mut self, place: &str, what: String) {
        self.complaints.push(format!("{place} {what}"));
    }

    fn check(&mut self, schema: &'a Value, value: &Value, place: &str) {
        let Some(keywords) = schema.as_object() else {
            return self.complain(place, format!("has the schema {schema}, which is no object"));
        };
        for (keyword, argument) in keywords {
            match keyword.as_str() {
                "type" => self.check_type(argument, value, place),
                "const" if value != argument => self.complain(place, format!("is {value}, not {argument}")),
                "enum" if !elements(argument).contains(value) => {
                    self.complain(place, format!("is {value}, not one of {argument}"))
                }
                "minimum" if value.as_f64() < argument.as_f64() && value.is_number() => {
                    self.complain(place, format!("is {value}, less than {argument}"))
                }
                "const" | "enum" | "minimum" => {}
                "required" => {
                    for key in elements(argument).iter().filter_map(Value::as_str) {
                        if value.is_object() && value.get(key).is_none() {
                            self.complain(place, format!("has no `{key}`"));
                        }
                    }
                }
                "properties" => self.check_properties(keywords, value, place),
                "items" => {
                    for (index, item) in elements(value).iter().enumerate() {
                        self.check(argument, item, &format!("{place}[{index}]"));
                    }
                }
                "$ref" => match self.definition(argument) {
                    Some(found) => self.check(found, value, place),
                    None => self.complain(place, format!("needs {argument}, which is not in the schema")),
                },
                known if ANNOTATIONS.contains(&known) => {}
                unknown => self.complain(place, format!("has a schema with `{unknown}`, which is not known here")),
            }
        }
    }

    fn check_properties(&mut self, keywords: &'a Map<String, Value>, value: &Value, place: &str) {
        for (key, member) in value.as_object().into_iter().flatten() {
            match keywords["properties"].get(key) {
                Some(schema) => self.check(schema, member, &format!("{place}.{key}")),
                None => self.complain(place, format!("has `{key}`, which the schema does not describe")),
            }
        }
    }

    fn check_type(&mut self, allowed: &Value, value: &Value, place: &str) {
        let is = |name: &Value| match name.as_str() {
            Some("null") => value.is_null(),
            Some("boolean") => value.is_boolean(),
            Some("integer") => value.is_i64() || value.is_u64(),
            Some("number") => value.is_number(),
            Some("string") => value.is_string(),
            Some("array") => value.is_array(),
            Some("object") => value.is_object(),
            _ => false,
        };
        if !is(allowed) && !elements(allowed).iter().any(is) {
            self.complain(place, format!("is {value}, not of the type {allowed}"));
        }
    }

    /// What `#/$defs/NAME` stands for.
    fn definition(&self, reference: &Value) -> Option<&'a Value> {
        self.root.get("$defs")?.get(reference.as_str()?.strip_prefix("#/$defs/")?)
    }
}

/// The elements of an array; none of anything else.
fn elements(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_keyword_can_complain() {
        let schema = json!({
            "$defs": {"rank": {"type": "integer", "minimum": 0}},
            "type": "object", "required": ["a"],
            "properties": {
                "a": {"const": 1}, "b": {"enum": ["x", null]},
                "c": {"type": "array", "items": {"$ref": "#/$defs/rank"}}
            }
        });
        let wrong = |value: Value| complaints(&schema, &value).join("; ");
        assert_eq!(wrong(json!({"a": 1, "b": null, "c": [0, 7]})), "");
        assert_eq!(wrong(json!({})), "report has no `a`");
        assert_eq!(wrong(json!({"a": 2})), "report.a is 2, not 1");
        assert_eq!(wrong(json!({"a": 1, "b": "y"})), r#"report.b is "y", not one of ["x",null]"#);
        assert_eq!(wrong(json!({"a": 1, "c": [-1]})), "report.c[0] is -1, less than 0");
        assert_eq!(wrong(json!({"a": 1, "c": ["0"]})), r#"report.c[0] is "0", not of the type "integer""#);
        assert_eq!(wrong(json!({"a": 1, "d": 1})), "report has `d`, which the schema does not describe");
        assert_eq!(wrong(json!([])), r#"report is [], not of the type "object""#);
    }

    #[test]
    fn a_schema_may_only_ask_for_what_is_checked() {
        let said = |schema: Value| complaints(&schema, &json!(1)).join("; ");
        assert!(said(json!({"maximum": 3})).contains("`maximum`"));
        assert!(said(json!({"$ref": "#/$defs/none"})).contains("not in the schema"));
        assert!(said(json!(true)).contains("no object"));
    }
}
