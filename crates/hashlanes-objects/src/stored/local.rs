//! How local data must be hashed to be compared with an object.

use hashlanes_files::{Digest, Engine, Function};
use hashlanes_tree::{Content, Error, Job, Plan, Settings, hash_content, s3};

use super::fact::{By, Fact, Known, Of, Strength};

/// The most part sizes to try if the store does not tell which it was.
const MOST_SIZES: usize = 16;

/// A way to hash content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The function.
    pub function: Function,
    /// Bytes of a part, if the content is hashed in parts. `None` for the content as a whole.
    pub part: Option<u64>,
}

impl Wanted {
    /// A fact from the digests of the leaves of [`plan`](Self::plan), one after the other.
    pub fn fact_of(&self, leaves: &[u8]) -> Option<Fact> {
        let engine = Engine::new(self.function);
        // Empty content has no leaves, but one part.
        let empty = engine.digest(b"");
        let leaves = if leaves.is_empty() { empty.as_bytes() } else { leaves };
        let (function, size) = (self.function, self.part);
        let count = (leaves.len() / function.digest_len()) as u64;
        let (of, digest) = match size {
            None => (Of::Whole(function), Digest::from_slice(leaves)?),
            Some(_) => (Of::Parts { function, count, size }, engine.digest(leaves)),
        };
        Some(Fact { of, digest, by: By::Us })
    }

    /// Cuts content of this length into its parts.
    pub fn plan(&self, length: u64) -> Plan {
        let leaf = self.part.unwrap_or(length).max(1);
        match self.function {
            Function::Lanes(algorithm) => Plan::with_engine(hashlanes::Engine::of(algorithm), leaf),
            Function::Single(single) => Plan::single(single, leaf),
        }
    }
}

impl Known {
    /// How to hash content to compare it with the object. Empty if the store knows nothing, or the
    /// part size cannot be one of the usual ones.
    ///
    /// The first entry is for the strongest digest that the store vouches for. A digest of parts
    /// may differ for equal content, so the strongest digest of the whole content follows it. If
    /// the part size is unknown, there are several candidates, which are wanted only if there is
    /// nothing else.
    pub fn wanted(&self) -> Vec<Wanted> {
        let rank = |fact: &&Fact| {
            let certain = !matches!(fact.of, Of::Parts { count: 2.., size: None, .. });
            (fact.by >= By::EtagPerhaps, certain, Strength::of(fact.of.function()), fact.by)
        };
        let mut facts: Vec<&Fact> = self.facts.iter().collect();
        facts.sort_by_key(|fact| std::cmp::Reverse(rank(fact)));
        let Some(first) = facts.iter().position(|fact| !self.ways(fact.of).is_empty()) else {
            return Vec::new();
        };
        let mut ways = self.ways(facts[first].of);
        if !facts[first].is_decisive() {
            let whole = facts.iter().find(|fact| fact.is_decisive());
            ways.extend(whole.into_iter().flat_map(|fact| self.ways(fact.of)));
        }
        ways
    }

    fn ways(&self, of: Of) -> Vec<Wanted> {
        let way = |part| Wanted { function: of.function(), part };
        match of {
            // The digest of one part is hashed again.
            Of::Whole(_) | Of::Parts { count: 1, .. } => vec![way(None)],
            Of::Parts { size: Some(size), .. } => vec![way(Some(size))],
            Of::Parts { count, size: None, .. } => {
                let sizes = self.size.map(|length| s3::candidates(length, count, MOST_SIZES));
                sizes.unwrap_or_default().into_iter().map(|size| way(Some(size))).collect()
            }
        }
    }
}

/// The facts of content that is hashed in several ways with a single read.
///
/// ```
/// use hashlanes_objects::Scheme;
/// use hashlanes_objects::stored::{Known, Verdict, facts_of, judge};
///
/// let etag = "\"900150983cd24fb0d6963f7d28e17f72\"";
/// let theirs = Known::from_listing(Scheme::S3, Some(3), Some(etag));
/// let facts = facts_of(b"abc".as_slice(), &theirs.wanted(), &Default::default())?;
/// let ours = Known { size: Some(3), facts, ..Known::default() };
/// assert!(matches!(judge(&ours, &theirs), Verdict::Same(_)));
/// # Ok::<(), hashlanes_tree::Error>(())
/// ```
///
/// # Errors
/// If the content cannot be read.
pub fn facts_of(
    content: &(impl Content + ?Sized),
    wanted: &[Wanted],
    settings: &Settings<'_>,
) -> Result<Vec<Fact>, Error> {
    let plans: Vec<Plan> = wanted.iter().map(|way| way.plan(content.length())).collect();
    let mut leaves = vec![Vec::new(); plans.len()];
    let pairs = plans.iter().zip(&mut leaves);
    let mut jobs: Vec<_> = pairs.map(|(plan, leaves)| Job::new(plan, leaves)).collect();
    hash_content(content, &mut jobs, settings)?;
    drop(jobs);
    Ok(wanted.iter().zip(&leaves).filter_map(|(way, leaves)| way.fact_of(leaves)).collect())
}

#[cfg(test)]
mod tests {
    use hashlanes::Algorithm;
    use hashlanes_files::Single;

    use super::super::{Verdict, judge};
    use super::*;

    const MD5: Function = Function::Lanes(Algorithm::Md5);
    const SHA256: Function = Function::Lanes(Algorithm::Sha256);

    fn fact(of: Of, by: By) -> Fact {
        let digest = Digest::from_slice(&vec![7; of.function().digest_len()]).unwrap();
        Fact { of, digest, by }
    }

    fn wanted(size: u64, facts: &[Fact]) -> Vec<Wanted> {
        Known { size: Some(size), facts: facts.to_vec(), encrypted: false }.wanted()
    }

    #[test]
    fn the_strongest_digest_that_the_store_vouches_for_is_wanted() {
        let crc = fact(Of::Whole(Function::Single(Single::Crc32)), By::Store);
        let etag = fact(Of::Whole(MD5), By::EtagPerhaps);
        let sha = fact(Of::Whole(SHA256), By::Store);
        let stated = fact(Of::Whole(SHA256), By::Uploader);
        let first = |facts: &[Fact]| wanted(9, facts).first().map(|way| way.function);
        assert_eq!(first(&[crc, etag, sha]), Some(SHA256));
        assert_eq!(first(&[crc, etag, stated]), Some(MD5));
        assert_eq!(first(&[stated]), Some(SHA256));
        assert_eq!(first(&[]), None);
    }

    #[test]
    fn unknown_part_sizes_are_guessed_last() {
        let parts = |size| fact(Of::Parts { function: SHA256, count: 3, size }, By::Store);
        let crc = Function::Single(Single::Crc64Nvme);
        let both = [parts(None), fact(Of::Whole(crc), By::Store)];
        assert_eq!(wanted(20 << 20, &both), [Wanted { function: crc, part: None }]);
        let known = wanted(20 << 20, &[parts(Some(9 << 20)), both[1]]);
        let parts_first = Wanted { function: SHA256, part: Some(9 << 20) };
        assert_eq!(known, [parts_first, Wanted { function: crc, part: None }]);
        let guessed: Vec<_> = wanted(20 << 20, &both[..1]).iter().map(|way| way.part).collect();
        assert_eq!(guessed, [Some(8 << 20), Some(7 << 20), Some(9 << 20)]);
        // 3 parts of 2 bytes have no usual size.
        assert!(wanted(2, &both[..1]).is_empty());
    }

    /// Every function, as a whole and in parts, against digests that are composed here.
    #[test]
    fn facts_are_those_of_the_parts() {
        let content: Vec<u8> = (0..250_000u32).map(|i| (i.wrapping_mul(i) >> 9) as u8).collect();
        for function in Function::all() {
            let engine = Engine::new(function);
            let ways = [None, Some(100_000), Some(300_000)].map(|part| Wanted { function, part });
            let facts = facts_of(content.as_slice(), &ways, &Settings::default()).unwrap();
            assert_eq!(facts[0].digest, engine.digest(&content), "{function}");
            let parts: Vec<u8> = content
                .chunks(100_000)
                .flat_map(|part| engine.digest(part).as_bytes().to_vec())
                .collect();
            assert_eq!(facts[1].digest, engine.digest(&parts), "{function}");
            assert!(matches!(facts[1].of, Of::Parts { count: 3, .. }), "{function}");
            let known = |fact: &Fact| Known { facts: vec![*fact], ..Known::default() };
            let verdict = judge(&known(&facts[0]), &known(&facts[2]));
            assert!(matches!(verdict, Verdict::Same(_)), "{function}: one part");
        }
    }

    #[test]
    fn empty_content_is_one_part() {
        let ways = [None, Some(5)].map(|part| Wanted { function: MD5, part });
        let facts = facts_of([].as_slice(), &ways, &Settings::default()).unwrap();
        assert_eq!(facts[0].digest.to_string(), "d41d8cd98f00b204e9800998ecf8427e");
        assert_eq!(facts[1].digest.to_string(), "59adb24ef3cdbe0297f05b395827453f");
    }
}
