//! Lines that `hashlanes tree merkle --prove` prints.

use hashlanes::{Algorithm, AnyDigest, Engine};
use hashlanes_tree::InclusionProof;
use hashlanes_tree::merkle::{Domain, Tree};
use serde::Deserialize;

/// The content of a line. Its root is ignored.
#[derive(Deserialize)]
struct Line {
    algorithm: String,
    leaf_size: u64,
    rfc6962: bool,
    index: u64,
    leaves: u64,
    proof: Vec<String>,
}

/// Reads a line: the tree, and the proof that it has a leaf.
///
/// # Errors
/// A reason why the line is not a proof.
pub(crate) fn parse(line: &str) -> Result<(Tree, InclusionProof), String> {
    let line: Line = serde_json::from_str(line).map_err(|why| why.to_string())?;
    line.parse()
}

impl Line {
    fn parse(&self) -> Result<(Tree, InclusionProof), String> {
        let Self { leaf_size: leaf, index, leaves, .. } = *self;
        if leaf == 0 {
            return Err("a leaf must have at least one byte".into());
        }
        let algorithm = Algorithm::from_name(&self.algorithm).map_err(|why| why.to_string())?;
        let node = |text: &String| text.parse::<AnyDigest>().map_err(|why| why.to_string());
        let path = self.proof.iter().map(node).collect::<Result<_, _>>()?;
        let domain = if self.rfc6962 { Domain::Rfc6962 } else { Domain::Plain };
        let tree = Tree { engine: Engine::of(algorithm), leaf, domain };
        Ok((tree, InclusionProof { index, leaves, path }))
    }
}
