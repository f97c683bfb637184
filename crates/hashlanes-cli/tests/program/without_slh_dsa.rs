//! Signatures, in a program that was built without them.

use crate::common::*;

#[test]
fn the_missing_command_names_its_feature_and_how_to_build_it() {
    for arguments in [
        &["slh-dsa"][..],
        &["slh-dsa", "--help"],
        &["slh-dsa", "verify", "--key", "key.pub", "a"],
        &["help", "slh-dsa"],
    ] {
        let output = run(hashlanes().args(arguments));
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let said = lossy(&output.stderr);
        let words = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("without the feature `slh-dsa`, which signs files"), "{said}");
        let install = "cargo install --path crates/hashlanes-cli --features slh-dsa";
        assert!(words.contains(install), "{said}");
    }
    let help = run(hashlanes().arg("--help"));
    assert!(help.status.success() && !lossy(&help.stdout).contains("slh-dsa"));
}
