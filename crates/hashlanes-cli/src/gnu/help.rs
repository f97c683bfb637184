//! The texts of `--help` and `--version`: in the layout of GNU's, in our words.

use super::tool::Tool;

/// The text of `--help`.
pub(super) fn help(tool: Tool, program: &[u8]) -> Vec<u8> {
    let text = match tool {
        Tool::Cksum => include_str!("help/cksum.txt"),
        Tool::B2sum => include_str!("help/b2sum.txt"),
        _ => include_str!("help/sum.txt"),
    };
    let text = text.replace("{digest}", tool.digest());
    let (before, after) = text.split_once("{program}").expect("the usage names the program");
    [before.as_bytes(), program, after.as_bytes()].concat()
}

/// The text of `--version`. It begins with the name of the GNU program and the version whose
/// behaviour this program follows, as scripts expect.
pub(super) fn version(tool: Tool) -> Vec<u8> {
    format!(
        "{} (hashlanes {}) compatible with GNU coreutils {}\n\
         This is not GNU's program: it is hashlanes, called by its name.\n\
         Licence: MIT or Apache-2.0, as you like.\n\
         There is no warranty, to the extent permitted by law.\n",
        tool.name(),
        env!("CARGO_PKG_VERSION"),
        COREUTILS,
    )
    .into_bytes()
}

/// The version of coreutils whose behaviour this is.
const COREUTILS: &str = "9.10";
