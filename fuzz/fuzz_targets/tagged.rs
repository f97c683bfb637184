//! Any bytes as tagged lines of trees: nothing panics, and a line that was read can be written and
//! read back.

#![no_main]

use hashlanes_files::name::{escape, needs_escape};
use libfuzzer_sys::fuzz_target;
use tagged::{Line, Read, read};

#[allow(dead_code, unreachable_pub)]
#[path = "../../crates/hashlanes-cli/src/commands/tree/tagged.rs"]
mod tagged;

fuzz_target!(|input: &[u8]| {
    let [choice, line @ ..] = input else { return };
    judge(line, choice & 1 != 0);
    if choice & 2 != 0 {
        // Put after a tag, with a digest, so that more of them are valid lines.
        let tags = ["GLACIER", "S3-ETAG-5", "MERKLE-SHA256-1", "DM-VERITY-1-SHA256-512-512-00"];
        let tag = tags[usize::from(choice >> 2) % tags.len()];
        let digest = if tag.starts_with("S3") { 32 } else { 64 };
        let begin = format!("{tag} (");
        let end = format!(") = {}", "0".repeat(digest));
        judge(&[begin.as_bytes(), line, end.as_bytes()].concat(), choice & 1 != 0);
    }
});

fn judge(line: &[u8], literal: bool) {
    let Read::Line(Line { name, format, digest }) = read(line, literal) else { return };
    let tag = format.tag();
    let mut written = Vec::new();
    if !literal && needs_escape(&name) {
        written.extend(format!("\\{tag} (").bytes());
        escape(&name, &mut written);
    } else {
        written.extend(format!("{tag} (").bytes());
        written.extend(&name);
    }
    written.extend(format!(") = {digest}").bytes());
    match read(&written, literal) {
        Read::Line(again) => {
            assert_eq!((again.name, again.format.tag(), again.digest), (name, tag, digest));
        }
        _ => panic!("what was read is not read again"),
    }
}
