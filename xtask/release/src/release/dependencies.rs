//! Lists of dependencies of what is not an executable, as CycloneDX has them.
//!
//! The programs have lists in themselves, and maturin puts them into wheels.

use std::env;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, UNIX_EPOCH};

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::notices::{self, Linked};
use xtask::command::{root, target};

/// The list of what is linked into `NAME-vVERSION`.
pub(super) fn make(name: &str, version: &str, linked: Linked) -> Result<PathBuf> {
    let epoch = env::var("SOURCE_DATE_EPOCH").context("it is set at the start")?;
    let time = UNIX_EPOCH + Duration::from_secs(epoch.parse()?);
    let lock = fs::read_to_string(root().join("Cargo.lock"))?;
    let list = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "timestamp": humantime::format_rfc3339_seconds(time).to_string(),
            "component": {
                "type": "library",
                "name": name,
                "version": version,
                "licenses": [{ "expression": "MIT OR Apache-2.0" }],
            },
        },
        "components": components(&notices::list(linked)?, &lock)?,
    });
    let file = target().join(format!("{name}-v{version}.cdx.json"));
    fs::write(&file, format!("{list:#}\n"))?;
    Ok(file)
}

/// The packages in a list of cargo-about, with their digests in `Cargo.lock`.
fn components(list: &Value, lock: &str) -> Result<Vec<Value>> {
    let crates = list["crates"].as_array().context("no crates")?;
    let component = |one: &Value| {
        let package = &one["package"];
        let part = |of: &Value| of.as_str().map(str::to_owned).context("a package lacks a part");
        let (name, version) = (part(&package["name"])?, part(&package["version"])?);
        let address = format!("pkg:cargo/{name}@{version}");
        let mut component = json!({
            "type": "library",
            "bom-ref": address,
            "name": name,
            "version": version,
            "purl": address,
            "licenses": [{ "expression": part(&one["license"])? }],
        });
        if let Some(digest) = checksum(lock, &name, &version) {
            component["hashes"] = json!([{ "alg": "SHA-256", "content": digest }]);
        }
        Ok(component)
    };
    crates.iter().map(component).collect()
}

/// The digest of a package that comes from a registry.
fn checksum<'l>(lock: &'l str, name: &str, version: &str) -> Option<&'l str> {
    let head = format!("name = \"{name}\"\nversion = \"{version}\"\n");
    let package = lock.split("[[package]]\n").find(|package| package.starts_with(&head))?;
    package.lines().find_map(|line| line.strip_prefix("checksum = \"")?.strip_suffix('"'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_of_a_registry_have_digests() {
        let lock = fs::read_to_string(root().join("Cargo.lock")).unwrap();
        let version = |name: &str| {
            let line = format!("name = \"{name}\"\nversion = \"");
            lock.split_once(&line).unwrap().1.split_once('"').unwrap().0
        };
        let package = |name: &str| {
            let package = json!({ "name": name, "version": version(name) });
            json!({ "package": package, "license": "MIT" })
        };
        let list = json!({ "crates": [package("hashlanes"), package("zeroize")] });
        let components = components(&list, &lock).unwrap();
        assert!(components[0]["hashes"].is_null());
        let digest = components[1]["hashes"][0]["content"].as_str().unwrap();
        assert_eq!(digest.len(), 64, "{digest}");
        let address = components[1]["purl"].as_str().unwrap();
        assert_eq!(address, format!("pkg:cargo/zeroize@{}", version("zeroize")));
    }
}
