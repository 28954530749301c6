//! What a store complains about, in words that say what to do.

use crate::ObjectService;
use solio_base::{Error, ErrorKind};
use std::error::Error as _;

/// An error of `object_store` while doing `action`.
pub(crate) fn failed(action: &str, error: &object_store::Error, store: ObjectService) -> Error {
    let text = told(error);
    let code = between(&text, "<Code>", "</Code>").or_else(|| between(&text, "<code>", "</code>"));
    if matches!(error, object_store::Error::NotFound { .. }) && !names_a_bucket(&text, code) {
        return Error::missing(action);
    }
    if matches!(error, object_store::Error::Precondition { .. }) {
        return Error::new(ErrorKind::Io, "the object was overwritten while it was read")
            .hint("scan again");
    }
    let words = format!("cannot {action}: {}{}", reason(&text, code), retries(&text));
    let made = Error::new(ErrorKind::Io, words);
    match hint(&text, code, store) {
        Some(hint) => made.hint(hint),
        None => made,
    }
}

/// All that an error says, and those beneath it.
fn told(error: &object_store::Error) -> String {
    let (mut text, mut next) = (error.to_string(), error.source());
    while let Some(cause) = next {
        text += "\n";
        text += &cause.to_string();
        next = cause.source();
    }
    text
}

/// Whether there was no answer, or only that the store cannot answer now.
pub(crate) fn is_no_answer(error: &object_store::Error) -> bool {
    let text = told(error);
    match between(&text, "status code: ", ":") {
        Some(status) => status.starts_with('5') || status.starts_with("429"),
        None => text.contains("HTTP error"),
    }
}

/// Whether a store says that there is no such bucket, not that there is no such object.
fn names_a_bucket(text: &str, code: Option<&str>) -> bool {
    matches!(code, Some("NoSuchBucket" | "ContainerNotFound"))
        || text.contains("The specified bucket does not exist")
}

fn reason(text: &str, code: Option<&str>) -> String {
    if let Some(code) = code {
        let message = between(text, "<Message>", "</Message>").unwrap_or_default();
        let message = message.lines().next().unwrap_or_default().trim_end_matches('.');
        return match message.is_empty() {
            true => format!("the store answers {code}"),
            false => format!("the store answers {code}: {message}"),
        };
    }
    if let Some(status) = between(text, "status code: ", ":") {
        return format!("the store answers {status}");
    }
    let deepest = text.lines().last().unwrap_or_default();
    match text.contains("HTTP error") {
        true => format!("no answer from the store: {deepest}"),
        false => deepest.to_string(),
    }
}

/// How often it was tried.
fn retries(text: &str) -> String {
    match between(text, "after ", " retries") {
        Some(times) => format!(" (after {times} retries)"),
        None => String::new(),
    }
}

fn between<'t>(text: &'t str, before: &str, after: &str) -> Option<&'t str> {
    let rest = &text[text.find(before)? + before.len()..];
    Some(&rest[..rest.find(after)?])
}

/// `text` without the words that are addresses.
fn without_addresses(text: &str) -> String {
    text.split_whitespace().filter(|word| !word.contains("://")).collect::<Vec<_>>().join(" ")
}

fn hint(text: &str, code: Option<&str>, store: ObjectService) -> Option<String> {
    let (endpoint, http, access) = match store {
        ObjectService::S3 => (
            "AWS_ENDPOINT_URL",
            "AWS_ALLOW_HTTP",
            "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (and AWS_SESSION_TOKEN) of one who may \
             list and read it, or AWS_SKIP_SIGNATURE=true for a public bucket",
        ),
        ObjectService::Google => (
            "GOOGLE_BASE_URL",
            "GOOGLE_ALLOW_HTTP",
            "set GOOGLE_APPLICATION_CREDENTIALS to the key file of one who may list and read it, or \
             GOOGLE_SKIP_SIGNATURE=true for a public bucket",
        ),
        ObjectService::Azure => (
            "AZURE_STORAGE_ENDPOINT",
            "AZURE_ALLOW_HTTP",
            "set AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY (or AZURE_STORAGE_SAS_KEY) \
             of one who may list and read it, or AZURE_SKIP_SIGNATURE=true for a public container",
        ),
    };
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    if names_a_bucket(text, code) {
        return Some(format!("look at the bucket's name; another store is set with {endpoint}"));
    }
    if has(&["PermanentRedirect", "AuthorizationHeaderMalformed", "redirect without LOCATION"]) {
        return Some("set AWS_REGION to the bucket's region".to_owned());
    }
    if has(&["scheme is not allowed"]) {
        return Some(format!("{http}=true lets it go without encryption"));
    }
    // A key may be `metadata/account.csv`: words that it could hold count outside of addresses alone.
    let said = without_addresses(text);
    let is_refused =
        has(&["status code: 401", "status code: 403", "169.254.", "metadata.google.internal"]);
    if is_refused || ["redential", "ccessKey", "ccount"].iter().any(|word| said.contains(word)) {
        return Some(access.to_owned());
    }
    if has(&["HTTP error"]) {
        return Some(format!("look at the network, and at {endpoint} where it is set"));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_key_are_not_taken_for_what_a_store_says() {
        let failed = |url: &str| {
            format!(
                "Generic S3 error: Error performing GET {url} in 1.2s, after 10 retries, max_retries: \
                 10 - HTTP error: error sending request\nerror sending request for url ({url})"
            )
        };
        let hint = |url: &str| hint(&failed(url), None, ObjectService::S3).unwrap();
        assert!(hint("http://s:9000/show/metadata/accounting.csv").contains("look at the network"));
        let asked_for_a_key = hint("http://169.254.169.254/latest/api/token");
        assert!(asked_for_a_key.contains("AWS_ACCESS_KEY_ID"), "{asked_for_a_key}");
    }
}
