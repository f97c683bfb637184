//! What is printed of a file.

use hashlanes_files::manifest::write_json_name;

use super::source::Listed;
use crate::terminal::summary::State;

/// Whether a name may have codes of the manifests of bags.
pub(super) fn has_codes(name: &[u8]) -> bool {
    let codes = [b"%0A", b"%0a", b"%0D", b"%0d", b"%25"];
    name.windows(3).any(|part| codes.iter().any(|code| *code == part))
}

/// The algorithms of a line.
pub(super) fn names(listed: &Listed) -> String {
    let names: Vec<String> =
        listed.digests.iter().map(|expected| expected.function.name().into_owned()).collect();
    names.join(",")
}

/// Appends an object with the result for a file.
pub(super) fn write_object(
    line: &mut Vec<u8>,
    name: &[u8],
    algorithm: &str,
    state: State,
    why: Option<String>,
) {
    line.push(b'{');
    write_json_name(line, "path", name);
    if !algorithm.is_empty() {
        line.extend(format!(",\"algorithm\":\"{algorithm}\"").bytes());
    }
    line.extend(format!(",\"status\":\"{}\"", state.word()).bytes());
    if let Some(why) = why {
        let why = serde_json::to_string(&why).expect("a string is JSON");
        line.extend(format!(",\"reason\":{why}").bytes());
    }
    line.extend(b"}\n");
}
