//! A log of Certificate Transparency (RFC 6962): its root, the proof that an entry is in it, and
//! the proof that a later log continues an earlier one. Both proofs are checked.
//!
//! ```sh
//! cargo run --release --example transparency -- 10000000 7 9999999
//! ```
//!
//! builds a log of 10,000,000 entries (the numbers from 0 on as text), proves entry 7 and that the
//! first 9,999,999 entries begin the log. The leaves are hashed in lanes, and so are the nodes of
//! each level, behind the byte 0 or 1.

use std::env;
use std::process::ExitCode;
use std::time::Instant;

use hashlanes::{AnyDigest, Prefix, Sha256};

type Digest = [u8; 32];

/// All nodes of a tree: the leaves, and the levels above them. A node without a sibling moves up.
struct Tree {
    levels: Vec<Vec<Digest>>,
    node: Prefix<Sha256>,
}

impl Tree {
    fn new(entries: &[impl AsRef<[u8]>]) -> Self {
        let node = Prefix::new([1]);
        let mut levels = vec![Prefix::<Sha256>::new([0]).digest_many(entries)];
        while let Some(level) = levels.last().filter(|level| level.len() > 1) {
            let (pairs, odd) = level.as_chunks::<2>();
            let mut above = vec![[0; 32]; pairs.len()];
            node.digest_pairs(pairs, &mut above);
            above.extend(odd);
            levels.push(above);
        }
        Self { levels, node }
    }

    /// The root. That of no entry is the digest of the empty message.
    fn root(&self) -> Digest {
        let top = self.levels.last().and_then(|level| level.first());
        top.copied().unwrap_or_else(|| Sha256::digest(""))
    }

    /// The path from a leaf to the root (section 2.1.1): the sibling on each level that has one.
    fn inclusion(&self, leaf: usize) -> Vec<Digest> {
        let siblings = self.levels.iter().enumerate();
        siblings.filter_map(|(height, level)| level.get(leaf >> height ^ 1)).copied().collect()
    }

    /// The proof that the first `size` leaves, some but not all, begin this tree (section 2.1.2):
    /// the path of the last node that is complete in both, and that node, unless it is the root of
    /// the earlier tree.
    fn consistency(&self, size: usize) -> Vec<Digest> {
        let (last, height) =
            ((size - 1) >> (size.trailing_zeros()), size.trailing_zeros() as usize);
        let levels = self.levels[height..].iter().enumerate();
        let path = levels.filter_map(|(above, level)| level.get(last >> above ^ 1)).copied();
        let node = (!size.is_power_of_two()).then(|| self.levels[height][last]);
        node.into_iter().chain(path).collect()
    }

    fn join(&self, left: Digest, right: Digest) -> Digest {
        let mut above = [[0; 32]];
        self.node.digest_pairs(&[[left, right]], &mut above);
        above[0]
    }

    /// The root of `size` leaves to which a path leads from leaf `leaf`, as a client computes it
    /// (RFC 9162 section 2.1.3.2).
    fn root_of_path(&self, leaf: usize, size: usize, digest: Digest, path: &[Digest]) -> Digest {
        let (mut at, mut last, mut digest) = (leaf, size - 1, digest);
        for &sibling in path {
            while at == last && at.is_multiple_of(2) {
                (at, last) = (at >> 1, last >> 1);
            }
            digest = if at.is_multiple_of(2) {
                self.join(digest, sibling)
            } else {
                self.join(sibling, digest)
            };
            (at, last) = (at >> 1, last >> 1);
        }
        digest
    }

    /// The roots of the first `old` and of `new` leaves to which a proof of consistency leads
    /// (RFC 9162 section 2.1.4.2). `first` is the earlier root.
    fn roots_of_proof(
        &self,
        old: usize,
        new: usize,
        first: Digest,
        proof: &[Digest],
    ) -> [Digest; 2] {
        let (mut at, mut last) = (old - 1, new - 1);
        (at, last) = (at >> old.trailing_zeros(), last >> old.trailing_zeros());
        let (start, path) = match proof {
            [start, path @ ..] if !old.is_power_of_two() => (*start, path),
            path => (first, path),
        };
        let mut roots = [start; 2];
        for &sibling in path {
            while at == last && at.is_multiple_of(2) {
                (at, last) = (at >> 1, last >> 1);
            }
            if at.is_multiple_of(2) {
                roots[1] = self.join(roots[1], sibling);
            } else {
                roots = roots.map(|root| self.join(sibling, root));
            }
            (at, last) = (at >> 1, last >> 1);
        }
        roots
    }
}

fn main() -> ExitCode {
    let mut numbers = env::args().skip(1).map(|number| number.parse().unwrap_or(0));
    let mut number = |default| numbers.next().unwrap_or(default);
    let (size, leaf, old): (usize, usize, usize) = (number(1000), number(7), number(600));
    if leaf >= size || old == 0 || old >= size {
        eprintln!("transparency: expected SIZE, ENTRY < SIZE and 0 < EARLIER SIZE < SIZE");
        return ExitCode::FAILURE;
    }
    let entries: Vec<String> = (0..size).map(|entry| entry.to_string()).collect();
    let start = Instant::now();
    let tree = Tree::new(&entries);
    let root = tree.root();
    eprintln!("{size} entries in {:.3} s", start.elapsed().as_secs_f64());
    println!("{}  root", AnyDigest::from(root));
    let path = tree.inclusion(leaf);
    path.iter().for_each(|&digest| println!("{}  entry {leaf}", AnyDigest::from(digest)));
    let proof = tree.consistency(old);
    proof.iter().for_each(|&digest| println!("{}  first {old}", AnyDigest::from(digest)));
    let earlier = Tree::new(&entries[..old]).root();
    let right = tree.root_of_path(leaf, size, tree.levels[0][leaf], &path) == root
        && tree.roots_of_proof(old, size, earlier, &proof) == [earlier, root];
    println!("{}", if right { "both proofs are right" } else { "a proof is wrong" });
    if right { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
