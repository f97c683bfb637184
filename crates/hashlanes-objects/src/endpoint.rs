//! The addresses of services.

use std::env;
use std::io;

use reqwest::Url;

use crate::error::invalid;

/// The address of a service as a base for paths, without a slash at its end.
///
/// # Errors
/// If it has more than a scheme, a host, a port and a path, or if credentials would travel without
/// encryption to another machine, and the environment does not allow that.
pub(crate) fn checked(address: &str, has_credentials: bool) -> io::Result<String> {
    let address = address.trim();
    // They are skipped or replaced otherwise.
    if address.contains(|c: char| c.is_control() || c.is_whitespace() || c == '\\') {
        return Err(invalid("the endpoint contains a space, a backslash or a control character"));
    }
    let url = Url::parse(address).map_err(|why| invalid(format!("the endpoint: {why}")))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(invalid("the endpoint must begin with http:// or https://"));
    }
    // `Url::parse` skips further slashes, and would take the first folder for the host.
    if address.split_once("://").is_none_or(|(_, rest)| rest.starts_with('/')) {
        return Err(invalid("the endpoint has no host"));
    }
    // A URL of credentials is not shown.
    if address.contains(['?', '#', '@']) {
        return Err(invalid(
            "the endpoint contains a user name, a password, a query or a fragment",
        ));
    }
    if url.scheme() == "http" && has_credentials && !is_here(&url) && !allows_http() {
        return Err(invalid(
            "the endpoint is not encrypted; AWS_ALLOW_HTTP=true or --anonymous allows that",
        ));
    }
    Ok(url.as_str().trim_end_matches('/').to_owned())
}

fn is_here(url: &Url) -> bool {
    matches!(url.host_str(), Some("127.0.0.1" | "localhost" | "[::1]"))
}

fn allows_http() -> bool {
    let is_true = |value: String| value.eq_ignore_ascii_case("true") || value == "1";
    env::var("AWS_ALLOW_HTTP").is_ok_and(is_true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_gets_credentials_without_encryption() {
        for (address, base) in [
            ("https://h.example/", "https://h.example"),
            ("HTTPS://H:9000/a/b\n", "https://h:9000/a/b"),
            ("http://localhost:1", "http://localhost:1"),
            ("HTTP://127.0.0.1", "http://127.0.0.1"),
            ("http://[::1]:2/", "http://[::1]:2"),
        ] {
            assert_eq!(checked(address, true).unwrap(), base);
        }
        for address in
            ["HTTP://127.0.0.2", "http://localhost.evil", "http://127.0.0.1.evil:9", "http://[::2]"]
        {
            let why = checked(address, true).unwrap_err().to_string();
            assert!(why.contains("not encrypted"), "{address}: {why}");
            assert!(checked(address, false).is_ok());
        }
    }

    #[test]
    fn an_endpoint_has_nothing_but_host_and_path() {
        for address in [
            "http://127.0.0.1@127.0.0.2",
            "https://key:secret@h",
            "https://h/?x=secret",
            "https://h/#secret",
            "https://h\\secret",
            "https://h/sec\nret",
            "ftp://h/secret",
            "https://",
            "https:///secret",
            "https:secret",
            "secret",
        ] {
            let why = checked(address, false).unwrap_err().to_string();
            assert!(!why.contains("secret"), "{address}: {why}");
        }
    }
}
