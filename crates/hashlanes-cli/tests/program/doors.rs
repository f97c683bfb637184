//! Every function at every door of the library and of the program, with the answers that the
//! interfaces of all languages share; and the page of the guide that says what has fewer functions.

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;

use hashlanes::hazmat::with_md_function;
use hashlanes::server::HashServer;
use hashlanes::xof::XofAlgorithm;
use hashlanes::{
    Algorithm, AnyDigest, Done, Engine, HashFunction, Hasher, HmacKey, Lanes, Prefix,
    digest_chunks, digest_many, with_function,
};

use crate::common::*;

/// Functions for whose HMAC the file has no answers, as nobody else computes it.
const NO_MACS: [&str; 4] = ["keccak256", "keccak512", "shake128", "shake256"];

/// The answers for a function.
struct Function {
    algorithm: Algorithm,
    /// Messages and their digests.
    digests: Vec<(Vec<u8>, AnyDigest)>,
    /// Keys, messages and their MACs.
    macs: Vec<(Vec<u8>, Vec<u8>, AnyDigest)>,
}

fn in_repository(path: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "../..", path].iter().collect()
}

/// All functions of the file, which an unpacked package lacks.
fn functions() -> Option<Vec<Function>> {
    let text = fs::read_to_string(in_repository("vectors/digests.txt")).ok()?;
    let mut functions: Vec<Function> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<_> = line.split(' ').collect();
        let algorithm = Algorithm::from_name(words[1]).unwrap();
        if functions.last().is_none_or(|last| last.algorithm != algorithm) {
            functions.push(Function { algorithm, digests: Vec::new(), macs: Vec::new() });
        }
        let function = functions.last_mut().unwrap();
        let number = |i: usize| words[i].parse::<usize>().unwrap();
        let message = |length| (0..length).map(|i| (i % 251) as u8).collect();
        match words[..] {
            ["digest", _, _, digest] => {
                function.digests.push((message(number(2)), digest.parse().unwrap()));
            }
            ["hmac", _, _, _, mac] => {
                let key = (0..number(2)).map(|i| ((i + 128) % 253) as u8).collect();
                function.macs.push((key, message(number(3)), mac.parse().unwrap()));
            }
            _ => panic!("{line}"),
        }
    }
    let mut there: Vec<_> = functions.iter().map(|function| function.algorithm).collect();
    there.sort();
    assert_eq!(there, Algorithm::ALL, "each function has answers, in one place of the file");
    Some(functions)
}

fn typed<A: HashFunction>(function: &Function) {
    let (messages, right): (Vec<_>, Vec<_>) =
        function.digests.iter().map(|(message, digest)| (&message[..], digest.as_bytes())).unzip();
    let check = |door: &str, i: usize, digest: A::Digest| {
        assert_eq!(digest.as_ref(), right[i], "{door}: {} {i}", A::ALGORITHM);
    };
    let many = digest_many::<A>(&messages);
    let mut lanes = Lanes::<A, &[u8], usize>::new();
    let mut from_lanes = Vec::new();
    let server = HashServer::<A>::new();
    for (i, message) in messages.iter().enumerate() {
        let (first, last) = message.split_at(message.len() / 3);
        check("digest", i, A::digest(message));
        check("digest_many", i, many[i]);
        if !message.is_empty() {
            check("digest_chunks", i, digest_chunks::<A>(message, message.len())[0]);
        }
        check("hasher", i, Hasher::<A>::new().update(first).update(last).finalize_reset());
        check("Prefix", i, Prefix::<A>::new(first).digest_many(&[last])[0]);
        check("HashServer", i, server.hasher().update(first).update(last).finalize_reset());
        from_lanes.extend(lanes.entire(message, i));
    }
    from_lanes.extend(std::iter::from_fn(|| lanes.flush()));
    assert_eq!(from_lanes.len(), messages.len());
    for done in from_lanes {
        let Done::Message { tag, digest, .. } = done else { panic!("there are no pieces") };
        check("Lanes", tag, digest);
    }

    let [one, two, ..] = many[..] else { panic!("there are some") };
    let node = A::digest([one.as_ref(), two.as_ref()].concat());
    let (mut nodes, mut ends) = ([one; 1], [one; 1]);
    Engine::<A>::new().digest_pairs(&[[one, two]], &mut nodes);
    assert_eq!(nodes[0].as_ref(), node.as_ref(), "digest_pairs: {}", A::ALGORITHM);
    Prefix::<A>::new([]).digest_chains(&mut ends, &[2]);
    let end = A::digest(A::digest(one));
    assert_eq!(ends[0].as_ref(), end.as_ref(), "digest_chains: {}", A::ALGORITHM);

    let pairs = function.macs.iter().map(|(key, message, _)| (HmacKey::<A>::new(key), message));
    let macs = Engine::new().hmac_many(&pairs.collect::<Vec<_>>());
    for (mac, (.., right)) in macs.iter().zip(&function.macs) {
        assert_eq!(mac.as_ref(), right.as_bytes(), "hmac_many: {}", A::ALGORITHM);
    }
    assert_eq!(macs.is_empty(), NO_MACS.contains(&A::ALGORITHM.name()));
}

fn by_name(function: &Function) {
    let (algorithm, server) = (function.algorithm, HashServer::of(function.algorithm));
    let messages: Vec<_> = function.digests.iter().map(|(message, _)| message).collect();
    let many = algorithm.digest_many(&messages);
    for ((message, right), from_many) in function.digests.iter().zip(&many) {
        let (first, last) = message.split_at(message.len() / 2);
        assert_eq!(from_many, right);
        assert_eq!(algorithm.digest(message), *right);
        assert_eq!(Prefix::of(algorithm, first).digest(last), *right);
        assert_eq!(server.hasher().update(first).update(last).finalize_reset(), *right);
        if !message.is_empty() {
            assert_eq!(algorithm.digest_chunks(message, message.len()), [*right]);
        }
    }
    for (key, message, right) in &function.macs {
        assert_eq!(HmacKey::of(algorithm, key).mac(message), *right);
    }
}

/// `sum`, `check`, `tree merkle` and, in the laboratory, `bench`.
fn program(function: &Function) {
    let (dir, name) = (Dir::new(), function.algorithm.name());
    for (i, (message, _)) in function.digests.iter().enumerate() {
        dir.file(i.to_string(), message);
    }
    let names: Vec<_> = (0..function.digests.len()).map(|i| i.to_string()).collect();
    let mut manifest = ok(dir.hashlanes(&["sum", "-a", name]).args(&names));
    let right: Vec<_> = function
        .digests
        .iter()
        .zip(&names)
        .map(|((_, right), i)| format!("{right}  {i}"))
        .collect();
    assert_eq!(lossy(&manifest).lines().collect::<Vec<_>>(), right);
    manifest.extend(ok(&mut dir.hashlanes(&["sum", "--tag", "-a", name, "0"])));
    dir.file("manifest", &manifest);
    ok(&mut dir.hashlanes(&["check", "-a", name, "manifest"]));

    let (message, _) = function.digests.iter().rfind(|(message, _)| message.len() > 1).unwrap();
    let leaf = message.len().div_ceil(2);
    dir.file("leaves", message);
    let tree = ["tree", "merkle", "-a", name, "--leaf-size", &leaf.to_string(), "leaves"];
    let leaves = function.algorithm.digest_chunks(message, leaf);
    let root = function.algorithm.digest([leaves[0].as_bytes(), leaves[1].as_bytes()].concat());
    assert_eq!(lossy(&ok(&mut dir.hashlanes(&tree))), format!("{root}  leaves\n"));

    #[cfg(feature = "lab")]
    {
        let bench = ["bench", "-a", name, "--size", "8", "--messages", "2", "--samples", "1"];
        let measured = ok(lab().args(bench).args(["--sample-time", "1"]));
        assert!(lossy(&measured).contains(name), "{}", lossy(&measured));
    }
}

#[test]
fn every_function_is_at_every_door() {
    for function in functions().unwrap_or_default() {
        with_function!(function.algorithm, A => typed::<A>(&function));
        by_name(&function);
        program(&function);
    }
}

/// The options with which `cksum` computes a function, or nothing. The message has its digest.
fn cksum(dir: &Dir, function: &Function) -> &'static str {
    let name = function.algorithm.name();
    let [family, length] = match name {
        "sha3-224" | "sha3-256" | "sha3-384" | "sha3-512" => ["sha3", &name[5..]],
        _ => [name, ""],
    };
    let mut command = dir.hashlanes(&["--untagged", "-a", family]);
    command.arg0("cksum");
    if !length.is_empty() {
        command.args(["-l", length]);
    }
    let output = run(command.arg("message"));
    let digest = function.algorithm.digest("abc");
    if lossy(&output.stdout) == format!("{digest}  message\n") { "yes" } else { "" }
}

#[test]
fn the_guide_says_what_has_fewer_functions() {
    let Some(functions) = functions() else { return };
    let page = fs::read_to_string(in_repository("docs/guide/functions.md")).unwrap();
    let dir = Dir::new();
    dir.file("message", b"abc");
    for function in functions {
        let algorithm = function.algorithm;
        let name = algorithm.name();
        let row = page
            .lines()
            .find(|line| line.starts_with(&format!("| `{name}` |")))
            .unwrap_or_else(|| panic!("docs/guide/functions.md has no row of {name}"));
        let cells: Vec<_> = row.split('|').map(str::trim).collect();
        let yes = |is_there: bool| if is_there { "yes" } else { "" };
        let has_states = with_md_function!(algorithm, A => A::ALGORITHM).is_some();
        let right = [
            yes(XofAlgorithm::from_name(name).is_some()),
            yes(has_states),
            yes(!NO_MACS.contains(&name)),
            cksum(&dir, &function),
        ];
        // The tests of Python read the other cell.
        assert_eq!(cells[2..6], right, "{name}");
    }
}
