//! Compares what two sides know about an object.

use std::fmt;

use super::fact::{By, Fact, Known, Of, Strength};

/// Whether two sides have the same content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The content is the same.
    Same(Proof),
    /// The content differs.
    Different(Proof),
    /// Unknown until the object is read.
    Unknown(Why),
}

/// What a verdict is based on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// The lengths differ. These are ours and theirs.
    Size(u64, u64),
    /// A digest.
    Digest {
        /// The bytes that it is a digest of.
        of: Of,
        /// The less trustworthy of the two sources of the digest.
        by: By,
    },
}

/// Why there is no proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// The store keeps no digest of the object.
    Nothing,
    /// The object is encrypted, so its ETag is not an MD5, and the store keeps no other digest.
    Encrypted,
    /// The store's digest is of another function, or of parts of an unknown size.
    Incomparable(Of),
    /// A digest differs, but does not prove that the content does.
    Doubtful(Of, By),
}

impl Proof {
    /// How hard it is to forge. Lengths can prove only a difference, which is then certain.
    pub fn strength(self) -> Strength {
        match self {
            Self::Size(..) => Strength::Cryptographic,
            Self::Digest { of, .. } => Strength::of(of.function()),
        }
    }

    fn rank(self) -> (Strength, By) {
        match self {
            Self::Size(..) => (Strength::Cryptographic, By::Us),
            Self::Digest { by, .. } => (self.strength(), by),
        }
    }
}

impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Size(ours, theirs) => write!(f, "{theirs} bytes instead of {ours}"),
            Self::Digest { of, by: By::Store | By::Us } => of.fmt(f),
            Self::Digest { of, by: By::Uploader } => write!(f, "{of}, stated by the uploader"),
            Self::Digest { of, by: By::Etag | By::EtagPerhaps } => write!(f, "{of}, the ETag"),
        }
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => f.write_str("the store keeps no digest of it"),
            Self::Encrypted => f.write_str("the ETag of an encrypted object is not an MD5"),
            Self::Incomparable(of) => write!(f, "the store keeps only {of}"),
            Self::Doubtful(of, By::Uploader) => {
                write!(f, "the uploader stated another {of}, which the store did not check")
            }
            Self::Doubtful(of @ Of::Parts { .. }, _) => {
                write!(f, "{of} differs, but the parts may have been cut elsewhere")
            }
            Self::Doubtful(of, _) => write!(f, "the ETag differs, but may not be an {of}"),
        }
    }
}

/// Compares local knowledge with that of a store, or two stores.
///
/// ```
/// use hashlanes::Algorithm;
/// use hashlanes_files::{Engine, Function};
/// use hashlanes_objects::Scheme;
/// use hashlanes_objects::stored::{Fact, Known, Verdict, judge};
///
/// let md5 = Function::Lanes(Algorithm::Md5);
/// let digest = Engine::new(md5).digest(b"abc");
/// let facts = Fact::from_manifest(md5, digest.as_bytes()).into_iter().collect();
/// let ours = Known { size: Some(3), facts, ..Known::default() };
/// let etag = "\"900150983cd24fb0d6963f7d28e17f72\"";
/// let theirs = Known::from_listing(Scheme::S3, Some(3), Some(etag));
/// assert!(matches!(judge(&ours, &theirs), Verdict::Same(_)));
/// ```
pub fn judge(ours: &Known, theirs: &Known) -> Verdict {
    if let (Some(ours), Some(theirs)) = (ours.size, theirs.size)
        && ours != theirs
    {
        return Verdict::Different(Proof::Size(ours, theirs));
    }
    let pairs = || ours.facts.iter().flat_map(|one| theirs.facts.iter().map(move |two| (one, two)));
    let best = |wanted: fn(&Fact, &Fact) -> bool| {
        let found = pairs().filter(|(one, two)| wanted(one, two));
        found.map(|(one, two)| proof(one, two)).max_by_key(|proof| proof.rank())
    };
    if let Some(proof) = best(is_different) {
        return Verdict::Different(proof);
    }
    let doubt = pairs().find(|(one, two)| one.agrees(two) == Some(false));
    match (best(|one, two| one.agrees(two) == Some(true)), doubt) {
        // A digest that nobody checked, or that may be none, does not outweigh one that differs.
        (Some(proof), Some(_)) if !proof.rank().1.is_decisive() => Verdict::Unknown(why(theirs)),
        (Some(proof), _) => Verdict::Same(proof),
        (None, Some((one, two))) => {
            let weaker = if two.is_decisive() { one } else { two };
            Verdict::Unknown(Why::Doubtful(weaker.of, weaker.by))
        }
        (None, None) => Verdict::Unknown(why(theirs)),
    }
}

fn is_different(one: &Fact, two: &Fact) -> bool {
    one.agrees(two) == Some(false) && one.is_decisive() && two.is_decisive()
}

fn proof(one: &Fact, two: &Fact) -> Proof {
    // The one that says most.
    let of = match (one.of, two.of) {
        (Of::Whole(_), _) | (_, Of::Parts { size: None, .. }) => one.of,
        (_, of) => of,
    };
    Proof::Digest { of, by: one.by.min(two.by) }
}

/// Why nothing that the store knows is comparable.
fn why(theirs: &Known) -> Why {
    let best = theirs.facts.iter().max_by_key(|fact| (Strength::of(fact.of.function()), fact.by));
    match best {
        Some(fact) => Why::Incomparable(fact.of),
        None if theirs.encrypted => Why::Encrypted,
        None => Why::Nothing,
    }
}

/// When objects are read to compare them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Download {
    /// Where the store's knowledge proves nothing.
    #[default]
    Missing,
    /// Never.
    Never,
    /// Always.
    Always,
}

impl Download {
    /// Whether to read an object with this verdict.
    pub fn is_needed(self, verdict: Verdict) -> bool {
        match self {
            Self::Missing => matches!(verdict, Verdict::Unknown(_)),
            Self::Never => false,
            // A length that differs is seen without reading.
            Self::Always => !matches!(verdict, Verdict::Different(Proof::Size(..))),
        }
    }
}

#[cfg(test)]
mod tests {
    use hashlanes::Algorithm;
    use hashlanes_files::{Engine, Function, Single};

    use super::*;

    const MD5: Function = Function::Lanes(Algorithm::Md5);
    const SHA256: Function = Function::Lanes(Algorithm::Sha256);
    const CRC32: Function = Function::Single(Single::Crc32);

    fn whole(function: Function, content: &[u8], by: By) -> Fact {
        Fact { of: Of::Whole(function), digest: Engine::new(function).digest(content), by }
    }

    fn parts(function: Function, content: &[u8], by: By) -> Fact {
        let of = Of::Parts { function, count: 2, size: None };
        Fact { of, ..whole(function, content, by) }
    }

    fn known(facts: &[Fact]) -> Known {
        Known { size: Some(9), facts: facts.to_vec(), encrypted: false }
    }

    /// The decision for each pair of facts: ours is of the content `a`.
    #[test]
    fn decisions() {
        use Verdict::{Different, Same, Unknown};
        let ours = [whole(MD5, b"a", By::Us), whole(SHA256, b"a", By::Us)];
        let with = |theirs: &[Fact]| judge(&known(&ours), &known(theirs));
        let of = |function, by| Proof::Digest { of: Of::Whole(function), by };

        assert_eq!(with(&[whole(MD5, b"a", By::Etag)]), Same(of(MD5, By::Etag)));
        assert_eq!(with(&[whole(MD5, b"b", By::Etag)]), Different(of(MD5, By::Etag)));
        assert_eq!(with(&[whole(MD5, b"a", By::EtagPerhaps)]), Same(of(MD5, By::EtagPerhaps)));
        let doubt = Why::Doubtful(Of::Whole(MD5), By::EtagPerhaps);
        assert_eq!(with(&[whole(MD5, b"b", By::EtagPerhaps)]), Unknown(doubt));
        let doubt = Why::Doubtful(Of::Whole(MD5), By::Uploader);
        assert_eq!(with(&[whole(MD5, b"b", By::Uploader)]), Unknown(doubt));
        assert_eq!(with(&[whole(MD5, b"a", By::Uploader)]), Same(of(MD5, By::Uploader)));
        assert_eq!(with(&[whole(SHA256, b"b", By::Store)]), Different(of(SHA256, By::Store)));

        // The strongest proof is named.
        let both = [whole(MD5, b"a", By::Etag), whole(SHA256, b"a", By::Store)];
        assert_eq!(with(&both), Same(of(SHA256, By::Store)));
        // One decisive difference outweighs everything that is equal.
        let mixed = [whole(MD5, b"b", By::Etag), whole(SHA256, b"a", By::Store)];
        assert_eq!(with(&mixed), Different(of(MD5, By::Etag)));

        assert_eq!(with(&[]), Unknown(Why::Nothing));
        let other = Why::Incomparable(Of::Whole(CRC32));
        assert_eq!(with(&[whole(CRC32, b"a", By::Store)]), Unknown(other));
        let encrypted = Known { encrypted: true, ..known(&[]) };
        assert_eq!(judge(&known(&ours), &encrypted), Unknown(Why::Encrypted));
    }

    #[test]
    fn a_digest_of_parts_is_never_that_of_the_whole() {
        let ours = known(&[whole(MD5, b"a", By::Us)]);
        // The bytes are equal, the meaning is not.
        let verdict = judge(&ours, &known(&[parts(MD5, b"a", By::Etag)]));
        assert!(matches!(verdict, Verdict::Unknown(Why::Incomparable(_))));
    }

    #[test]
    fn parts_prove_equality_and_never_a_difference() {
        let ours = known(&[parts(MD5, b"a", By::Us)]);
        let equal = judge(&ours, &known(&[parts(MD5, b"a", By::Etag)]));
        assert!(matches!(equal, Verdict::Same(_)));
        let other = judge(&ours, &known(&[parts(MD5, b"b", By::Store)]));
        assert!(matches!(other, Verdict::Unknown(Why::Doubtful(..))));
    }

    #[test]
    fn a_statement_of_the_uploader_does_not_outweigh_parts_that_differ() {
        let ours = known(&[whole(MD5, b"a", By::Us), parts(SHA256, b"a", By::Us)]);
        let theirs = known(&[whole(MD5, b"a", By::Uploader), parts(SHA256, b"b", By::Store)]);
        assert!(matches!(judge(&ours, &theirs), Verdict::Unknown(_)));
    }

    #[test]
    fn digests_that_contradict_each_other_are_not_proved_by_an_etag() {
        let ours = known(&[whole(MD5, b"a", By::Us), whole(MD5, b"b", By::Us)]);
        let with = |by| judge(&ours, &known(&[whole(MD5, b"a", by)]));
        assert!(matches!(with(By::EtagPerhaps), Verdict::Unknown(_)));
        assert!(matches!(with(By::Etag), Verdict::Different(_)));
    }

    #[test]
    fn lengths_come_first() {
        let mut theirs = known(&[whole(MD5, b"a", By::Etag)]);
        theirs.size = Some(10);
        let verdict = judge(&known(&[whole(MD5, b"a", By::Us)]), &theirs);
        assert_eq!(verdict, Verdict::Different(Proof::Size(9, 10)));
        assert!(!Download::Always.is_needed(verdict));
    }

    #[test]
    fn when_objects_are_read() {
        let ours = known(&[whole(MD5, b"a", By::Us)]);
        let same = judge(&ours, &known(&[whole(MD5, b"a", By::Etag)]));
        let different = judge(&ours, &known(&[whole(MD5, b"b", By::Etag)]));
        let unknown = judge(&ours, &known(&[]));
        let needed = |download: Download| {
            [same, different, unknown].map(|verdict| download.is_needed(verdict))
        };
        assert_eq!(needed(Download::Missing), [false, false, true]);
        assert_eq!(needed(Download::Never), [false; 3]);
        assert_eq!(needed(Download::Always), [true; 3]);
    }
}
