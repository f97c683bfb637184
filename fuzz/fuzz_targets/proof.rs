//! Any bytes as lines of inclusion proofs: nothing panics, and no proof holds for a leaf that the
//! tree does not have.

#![no_main]

use hashlanes::AnyDigest;
use libfuzzer_sys::fuzz_target;

#[allow(dead_code, unreachable_pub)]
#[path = "../../crates/hashlanes-cli/src/commands/tree/proof_line.rs"]
mod proof_line;

fuzz_target!(|input: &[u8]| {
    let Ok(line) = str::from_utf8(input) else { return };
    let Ok((tree, proof)) = proof_line::parse(line) else { return };
    assert!(tree.leaf > 0);
    let leaf: AnyDigest = tree.engine.digest(input);
    let root = tree.engine.digest([1]);
    let _ = tree.verify_digest(&proof, leaf, root);
    if proof.leaves == 1 && proof.index == 0 && proof.path.is_empty() {
        assert!(tree.verify_digest(&proof, leaf, leaf));
    }
    if proof.index >= proof.leaves || proof.path.len() > 64 {
        assert!(!tree.verify_digest(&proof, leaf, leaf));
    }
});
