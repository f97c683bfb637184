//! Files that people take for manifests, and that are none.

/// What is in such a file, and what the file is. Digests in them are not of files, or
/// only their own programs know of which.
const MARKS: [(&[u8], &str); 25] = [
    (b"[[package]]", "it is a Cargo.lock, whose digests are of packages: cargo verifies them"),
    (b"\"lockfileVersion\":", "it is npm's package-lock.json: `npm ci` verifies its packages"),
    (b"lockfileVersion:", "it is a lock file of pnpm, which verifies its packages"),
    (b"# yarn lockfile", "it is a lock file of Yarn, which verifies its packages"),
    (b"pkgbase = ", "it is a .SRCINFO of Arch Linux: `makepkg --verifysource` uses it"),
    (b"sums=(", "it is a PKGBUILD of Arch Linux: `makepkg --verifysource` uses it"),
    (
        b"\"predicateType\":",
        "it is an attestation of in-toto: try `jq -c '.subject[]' FILE | hashlanes check`",
    ),
    (
        b"\"paths_version\":",
        "it is conda's paths.json: try `jq -c '.paths[]|{path:._path,sha256}' FILE | \
         hashlanes check`",
    ),
    (b"\"bomFormat\":", "it is a bill of materials (CycloneDX), mostly with digests of packages"),
    (b"\"spdxVersion\":", BILL),
    (b"SPDXVersion: ", BILL),
    (b"\"schemaVersion\":", "it is a manifest of an image: check the folder of its OCI layout"),
    (b"Manifest-Version: ", "it is the manifest of a JAR: `jarsigner -verify` takes the JAR"),
    (
        b"--hash=sha256:",
        "it lists packages of Python: `pip install --require-hashes` verifies them",
    ),
    (b"provider \"registry", "it is a lock file of Terraform, which verifies its providers"),
    (b"\"narHash\":", "it is a flake.lock of Nix, whose digests are of trees"),
    (
        b"<verification-metadata",
        "it is Gradle's verification-metadata.xml: Gradle verifies packages",
    ),
    (b"magnet:?", "it is a magnet link, which has no list of files"),
    (b"ed2k://", "it is an ed2k link, whose digests no function here computes"),
    (b"$cksum = {", "it is a CHECKSUMS file of CPAN, which cpan verifies"),
    (b"PAR2\0PKT", "it is a PAR2 archive: par2 verifies it"),
    (b"-----BEGIN PGP SIGNATURE", "it is a signature: `gpg --verify` takes it and the signed file"),
    (b"untrusted comment: ", "it is a signature of signify or minisign, without a list"),
    (b"-----BEGIN CERTIFICATE", "it is a certificate"),
    (b"-----BEGIN SSH SIGNATURE", "it is a signature: `ssh-keygen -Y verify` takes it"),
];

const BILL: &str = "it is a bill of materials (SPDX), mostly with digests of packages";

/// What compressed files begin with.
const COMPRESSED: [(&[u8], &str); 5] = [
    (
        b"\x1f\x8b",
        "it is compressed: decompress it first, as with `gzip -dc FILE | hashlanes check`",
    ),
    (b"\xfd7zXZ", "it is compressed: decompress it first, as with `xz -dc FILE | hashlanes check`"),
    (b"BZh", "it is compressed: decompress it first, as with `bzip2 -dc FILE | hashlanes check`"),
    (b"\x28\xb5\x2f\xfd", "it is compressed: decompress it first, with `zstd -dc FILE`"),
    (b"PK\x03\x04", "it is an archive: unpack it first"),
];

/// What a file is that begins so, no line of which is about a file of its own. In JSON only a key
/// shows it: a quote in a name is escaped.
pub fn other(begin: &[u8], is_json: bool) -> Option<&'static str> {
    let compressed = COMPRESSED.iter().find(|(mark, _)| begin.starts_with(mark));
    let has = |mark: &[u8]| begin.windows(mark.len()).any(|part| part == mark);
    let mut marks = MARKS.iter().filter(|(mark, _)| !is_json || mark.starts_with(b"\""));
    let known = compressed.or_else(|| marks.find(|(mark, _)| has(mark)));
    let most = if is_json { 0 } else { super::MAX_SAMPLE };
    let mut lines = begin.split(|byte| *byte == b'\n').take(most);
    known.map(|(_, what)| *what).or_else(|| lines.find_map(|line| of_line(line.trim_ascii())))
}

/// What a file is with such a line.
fn of_line(line: &[u8]) -> Option<&'static str> {
    let words: Vec<&[u8]> = line.split(|byte| *byte == b' ').filter(|it| !it.is_empty()).collect();
    let is_number = |word: &&[u8]| word.len() <= 20 && word.iter().all(u8::is_ascii_digit);
    match words[..] {
        [.., sum] if sum.starts_with(b"h1:") => {
            Some("it is a go.sum, whose digests (h1) are of trees: `go mod verify` compares them")
        }
        [crc, size, _, ..] if is_number(&crc) && is_number(&size) => {
            Some("it is the output of cksum or sum, which are too weak to be verified")
        }
        [sum, digest] if sum == b"sha256" && digest.starts_with(b"\"") => {
            Some("it is a formula of Homebrew: `brew fetch` verifies what it downloads")
        }
        _ => None,
    }
}
