//! Plain binary Merkle trees over the leaves of a file, with proofs.
//!
//! Without prefixes, a node is the digest of two digests, and a leaf the digest of data, so a file
//! of 64 bytes can pass for a node. [`Domain::Rfc6962`] separates them: each leaf is prefixed with
//! the byte 0, and each node with the byte 1 (RFC 6962 section 2.1).
//!
//! ```
//! use hashlanes::{Algorithm, Engine};
//! use hashlanes_tree::merkle::{Domain, Tree};
//! use hashlanes_tree::{Job, Settings, hash_content};
//!
//! let tree = Tree { engine: Engine::of(Algorithm::Sha256), leaf: 4, domain: Domain::Rfc6962 };
//! let mut fold = tree.fold();
//! fold.prove(2);
//! let plan = tree.plan();
//! let file = b"some bytes";
//! hash_content(file.as_slice(), &mut [Job::new(&plan, &mut fold)], &Settings::default())?;
//! let root = fold.finish().unwrap();
//! let proof = root.proofs[0].as_ref().unwrap();
//! assert!(tree.verify(proof, b"es", root.digest));
//! assert!(!tree.verify(proof, b"ES", root.digest));
//! # Ok::<(), hashlanes_tree::Error>(())
//! ```

use hashlanes::{AnyDigest, Engine};

use crate::{InclusionProof, MerkleFold, Plan};

/// The prefixes of leaves and nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Domain {
    /// No prefixes.
    #[default]
    Plain,
    /// The byte 0 before a leaf, 1 before a node.
    Rfc6962,
}

impl Domain {
    fn leaf_prefix(self) -> &'static [u8] {
        match self {
            Self::Plain => &[],
            Self::Rfc6962 => &[0],
        }
    }

    fn node_prefix(self) -> &'static [u8] {
        match self {
            Self::Plain => &[],
            Self::Rfc6962 => &[1],
        }
    }
}

/// A kind of tree.
#[derive(Clone, Copy, Debug)]
pub struct Tree {
    /// Hashes leaves and nodes.
    pub engine: Engine,
    /// Bytes of a leaf, at least 1. The last may be shorter.
    pub leaf: u64,
    /// The prefixes of leaves and nodes.
    pub domain: Domain,
}

impl Tree {
    /// The plan of the leaves.
    ///
    /// # Panics
    /// If a leaf has no bytes.
    pub fn plan(&self) -> Plan {
        Plan::with_engine(self.engine, self.leaf).with_prefix(self.domain.leaf_prefix())
    }

    /// The sink of the leaves.
    pub fn fold(&self) -> MerkleFold {
        MerkleFold::with_node_prefix(self.engine, self.domain.node_prefix())
    }

    /// The root of a tree without leaves: the digest of the empty message (RFC 6962).
    pub fn empty(&self) -> AnyDigest {
        self.engine.digest(b"".as_slice())
    }

    /// The digest of a leaf.
    pub fn leaf_digest(&self, leaf: &[u8]) -> AnyDigest {
        self.engine.digest([self.domain.leaf_prefix(), leaf].concat().as_slice())
    }

    /// Whether the proof shows that these bytes are a leaf of the tree with this root.
    pub fn verify(&self, proof: &InclusionProof, leaf: &[u8], root: AnyDigest) -> bool {
        self.verify_digest(proof, self.leaf_digest(leaf), root)
    }

    /// Like [`verify`](Self::verify), for the digest of a leaf as [`plan`](Self::plan) gives it.
    pub fn verify_digest(&self, proof: &InclusionProof, leaf: AnyDigest, root: AnyDigest) -> bool {
        proof.verify(self.engine, self.domain.node_prefix(), leaf, root)
    }
}

#[cfg(test)]
mod tests {
    use hashlanes::Algorithm;

    use super::*;
    use crate::Sink;

    /// Leaves and roots from the tests of Google's implementation of RFC 6962.
    #[test]
    fn the_roots_of_certificate_transparency() {
        let leaves = [
            "",
            "00",
            "10",
            "2021",
            "3031",
            "40414243",
            "5051525354555657",
            "606162636465666768696a6b6c6d6e6f",
        ];
        let roots = [
            "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
            "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
            "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
            "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
            "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
            "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
            "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
            "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
        ];
        let engine = Engine::of(Algorithm::Sha256);
        let tree = Tree { engine, leaf: 1, domain: Domain::Rfc6962 };
        let bytes = |hex: &str| -> Vec<u8> {
            let digit = |i: usize| u8::from_str_radix(&hex[i..i + 2], 16).unwrap();
            (0..hex.len()).step_by(2).map(digit).collect()
        };
        for count in 1..=leaves.len() {
            let mut fold = tree.fold();
            for leaf in &leaves[..count] {
                fold.leaves(tree.leaf_digest(&bytes(leaf)).as_bytes()).unwrap();
            }
            assert_eq!(fold.finish().unwrap().digest.to_string(), roots[count - 1]);
        }
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(tree.empty().to_string(), empty);
    }
}
