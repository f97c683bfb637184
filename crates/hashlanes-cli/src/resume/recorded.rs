//! The options of a run: the first line of `MANIFEST.resume`.

use std::env;
use std::io;
use std::path::{Component, Path, PathBuf};

use hashlanes_files::name::quote;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::seal::{add_check, checked};
use crate::options::walk::Selection;

/// The options that determine a manifest. The names in the line are those of the options.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Recorded {
    /// The version of the format. Its name identifies the file.
    #[serde(rename = "hashlanes sum --resume")]
    pub(crate) version: u32,
    #[serde(rename = "--algorithm")]
    pub(crate) algorithms: Vec<String>,
    #[serde(rename = "--format")]
    pub(crate) format: String,
    #[serde(rename = "--base64", default)]
    pub(crate) base64: bool,
    #[serde(rename = "--zero", default)]
    pub(crate) zero: bool,
    #[serde(rename = "--binary", default)]
    pub(crate) binary: bool,
    #[serde(rename = "--recursive", default)]
    pub(crate) recursive: bool,
    #[serde(flatten)]
    pub(crate) selection: Selection,
    #[serde(rename = "--base")]
    pub(crate) base: Option<String>,
    #[serde(rename = "--files-from")]
    pub(crate) files_from: Option<String>,
    #[serde(rename = "FILE", default)]
    pub(crate) roots: Vec<String>,
    /// The path from the manifest's folder to the current one, if names are relative to it.
    #[serde(rename = "current folder")]
    pub(crate) here: Option<String>,
    /// The SHA-256 of the manifest that this belongs to. Empty if there was none.
    #[serde(rename = "manifest sha256")]
    pub(crate) manifest: String,
}

/// The version that this program writes.
pub(crate) const VERSION: u32 = 2;

impl Recorded {
    /// The line, with its terminator.
    pub(super) fn line(&self) -> Vec<u8> {
        let mut line = serde_json::to_vec(self).expect("all members can be written");
        add_check(&mut line, 0);
        line
    }

    /// Reads the line. `None` if it is something else.
    pub(super) fn read(line: &[u8]) -> Option<Self> {
        let line = checked(line.strip_suffix(b"\n").unwrap_or(line))?;
        let recorded: Self = serde_json::from_slice(line).ok()?;
        (recorded.version == VERSION).then_some(recorded)
    }

    /// How the options of two runs differ. Empty if they do not.
    pub(super) fn differences(&self, now: &Self) -> String {
        let (then, now) = (self.members(), now.members());
        let names = then.keys().chain(now.keys().filter(|name| !then.contains_key(*name)));
        let differs = |name: &&String| then.get(*name) != now.get(*name);
        let of = |members: &Map<String, Value>, name| match members.get(name) {
            None | Some(Value::Null) => "none".to_owned(),
            Some(value) => value.to_string(),
        };
        let told = names
            .filter(differs)
            .map(|name| format!("{name} was {} and is {}", of(&then, name), of(&now, name)));
        told.collect::<Vec<_>>().join(", ")
    }

    fn members(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(mut members)) => {
                // This is not an option.
                members.remove("manifest sha256");
                members
            }
            _ => Map::new(),
        }
    }
}

/// A path as it is recorded.
pub(crate) fn shown(path: &Path) -> String {
    quote(path)
}

/// The path from a file's folder to the current one, without symbolic links.
pub(super) fn way_from(file: &Path) -> io::Result<String> {
    let here = env::current_dir()?.canonicalize()?;
    let folder = file.parent().unwrap_or(file);
    Ok(shown(&way(folder, &here)))
}

/// The path from one absolute folder to another.
fn way(from: &Path, to: &Path) -> PathBuf {
    let common = from.components().zip(to.components()).take_while(|(a, b)| a == b).count();
    let up = from.components().skip(common).map(|_| Component::ParentDir);
    let down = to.components().skip(common);
    let way: PathBuf = up.chain(down).collect();
    if way.as_os_str().is_empty() { ".".into() } else { way }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_from_one_folder_to_another() {
        for (from, to, expected) in [
            ("/a/b", "/a/b", "."),
            ("/a", "/a/b/c", "b/c"),
            ("/a/b/c", "/a", "../.."),
            ("/a/b", "/c", "../../c"),
        ] {
            assert_eq!(way(Path::new(from), Path::new(to)), Path::new(expected));
        }
    }

    #[test]
    fn what_differs_is_named() {
        let then = Recorded {
            version: VERSION,
            algorithms: vec!["md5".into()],
            format: "text".into(),
            base64: false,
            zero: false,
            binary: false,
            recursive: true,
            selection: Selection::default(),
            base: None,
            files_from: None,
            roots: vec!["tree".into()],
            here: Some(".".into()),
            manifest: "ab".into(),
        };
        assert_eq!(Recorded::read(&then.line()).as_ref(), Some(&then));
        assert_eq!(then.differences(&then), "");
        let other = Recorded { manifest: "cd".into(), ..then.clone() };
        assert_eq!(then.differences(&other), "");
        let now = Recorded { base: Some("x".into()), roots: vec!["tre".into()], ..then.clone() };
        let told = then.differences(&now);
        assert_eq!(told, "--base was none and is \"x\", FILE was [\"tree\"] and is [\"tre\"]");
        assert_eq!(Recorded::read(b"{\"path\":\"a\",\"digests\":{}}"), None);
    }
}
