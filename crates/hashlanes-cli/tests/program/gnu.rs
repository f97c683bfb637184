//! The replacement compared with GNU coreutils: output, messages and exit status, byte for byte.
//!
//! The programs are the system's, or those in the folder HASHLANES_COREUTILS. Cases in which older
//! versions differ say since which version they apply (`gnu/cases.txt`).
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::common::*;

const CASES: &str = include_str!("gnu/cases.txt");

/// The program under the name of a tool.
fn ours(tool: &str) -> Command {
    let mut command = hashlanes();
    command.arg0(tool);
    command
}

/// GNU's tool.
fn theirs(tool: &str) -> Command {
    match std::env::var_os("HASHLANES_COREUTILS") {
        Some(folder) => {
            let mut command = peer(Path::new(&folder).join(tool).to_str().unwrap());
            command.arg0(tool);
            command
        }
        None => peer(tool),
    }
}

/// A version as numbers: 9.10 is after 9.9.
type Version = (u32, u32);

fn version(text: &str) -> Version {
    let mut numbers = text.trim().split('.').map(|number| {
        let digits = number.split(|c: char| !c.is_ascii_digit()).next().unwrap();
        digits.parse().unwrap_or_else(|_| panic!("{text:?} is no version"))
    });
    (numbers.next().unwrap(), numbers.next().unwrap())
}

/// The version of GNU's tools.
fn installed() -> Version {
    let text = lossy(&ok(theirs("md5sum").arg("--version")));
    let first = text.lines().next().unwrap();
    assert!(first.contains("GNU coreutils"), "{first}");
    version(first.rsplit(' ').next().unwrap())
}

/// The files that the cases name. Our own program writes the lists, and GNU's tools verify them.
fn files() -> Dir {
    let dir = Dir::new();
    let big: Vec<u8> = (0..300_000).map(|i: u32| (i * 7 / 3) as u8).collect();
    dir.file("a", b"abc").file("e", b"").file("big", &big);
    dir.file("newline\nname", b"x").file("back\\slash", b"y").file("carriage\rreturn", b"z");
    fs::create_dir(dir.at("folder")).unwrap();
    let list =
        |tool, arguments: &str| ok(ours(tool).args(arguments.split(' ')).current_dir(dir.path()));
    let lists = |arguments: &[&str]| -> Vec<u8> {
        arguments.iter().flat_map(|arguments| list("cksum", arguments)).collect()
    };
    let md5 = list("md5sum", "a e big");
    let lines = lossy(&md5);
    let digest = &lines[..32];
    let tagged = ["-a md5 a e", "-a sha1 a e", "-a sha256 a e", "-a sha512 a e", "-a blake2b a e"];
    let blake2b = ["-a blake2b -l 128 --untagged a", "-a blake2b --untagged a"];
    dir.file("MD5SUMS", &md5)
        .file("SHA256SUMS", &list("sha256sum", "a e"))
        .file("TAGGED", &lists(&tagged))
        .file("TAGGEDB2", &lists(&["-a blake2b -l 128 a e", "-a blake2b a"]))
        .file("B2SUMS", &lists(&blake2b))
        .file("BASE64", &lists(&["--base64 -a md5 a", "--base64 -a sha256 a"]))
        .file("BINARY", &list("md5sum", "-b a e"))
        .file("REVERSED", lines.replace("  ", " ").as_bytes())
        .file("ZERO", &list("md5sum", "-z a e"))
        .file("CRLF", lines.replace('\n', "\r\n").as_bytes())
        .file("NOEND", lines.trim_end().as_bytes())
        .file(
            "JUNK",
            format!("junk\n{lines}\n# comment\nSHA1 (a) = 12\n{}\n", "0".repeat(32)).as_bytes(),
        )
        .file("WRONG", lines.replace('9', "8").as_bytes())
        .file("GONE", format!("{lines}{digest}  gone\n").as_bytes())
        .file("ONLYGONE", format!("{digest}  gone\n{digest}  a/gone\n").as_bytes())
        .file("GONETAGGED", format!("MD5 (gone) = {digest}\nMD5 (a) = {digest}\n").as_bytes())
        .file("ONESELF", format!("{digest}  -\n").as_bytes());
    let escaped = ours("md5sum")
        .args(["newline\nname", "carriage\rreturn"])
        .current_dir(dir.path())
        .output()
        .unwrap();
    dir.file("ESCAPED", &escaped.stdout);
    let odd = ["it's", "a b", "é", "$x", "./a"].map(|name| format!("{digest}  {name}\n")).concat();
    dir.file("ODD", &[odd.as_bytes(), digest.as_bytes(), b"  \xff\n"].concat());
    let (upper, short) = (digest.to_uppercase(), &digest[..31]);
    dir.file(
        "ODDLINES",
        format!(
            " {digest}  a\n{upper}  a\n\\{digest}  a\\x\n{short}  a\n{digest}0  a\n{digest}\n\
             {digest}  a\0b\nMD5 (a) = {digest}\nMD5(a)= {digest}\nMD5 (a) = {short}\n"
        )
        .as_bytes(),
    );
    dir
}

/// A line of the cases.
struct Case<'c> {
    tool: &'c str,
    arguments: Vec<Vec<u8>>,
    input: Option<&'c str>,
    posix: bool,
}

impl<'c> Case<'c> {
    fn new(line: &'c str) -> Self {
        let (line, posix) = match line.strip_prefix("POSIXLY_CORRECT ") {
            Some(line) => (line, true),
            None => (line, false),
        };
        let (line, input) = match line.split_once(" < ") {
            Some((line, input)) => (line, Some(input)),
            None => (line, None),
        };
        let mut words = line.split(' ');
        let tool = words.next().unwrap();
        Self { tool, arguments: words.map(unescape).collect(), input, posix }
    }

    fn run(&self, mut command: Command, dir: &Dir, locale: &str) -> Output {
        let arguments = self.arguments.iter().map(|argument| OsStr::from_bytes(argument));
        command.args(arguments).current_dir(dir.path()).env("LC_ALL", locale);
        if self.posix {
            command.env("POSIXLY_CORRECT", "1");
        }
        let input = self.input.map_or_else(Vec::new, |name| fs::read(dir.at(name)).unwrap());
        run_with_input(&mut command, &input)
    }
}

fn unescape(word: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = word.as_bytes();
    while let [first, after @ ..] = rest {
        let (byte, after) = match (first, after) {
            (b'\\', [b'n', after @ ..]) => (b'\n', after),
            (b'\\', [b'r', after @ ..]) => (b'\r', after),
            (b'\\', [b'\\', after @ ..]) => (b'\\', after),
            (b'\\', [b'x', high, low, after @ ..]) => {
                let digits = String::from_utf8(vec![*high, *low]).unwrap();
                (u8::from_str_radix(&digits, 16).unwrap(), after)
            }
            _ => (*first, after),
        };
        bytes.push(byte);
        rest = after;
    }
    bytes
}

fn shown(output: &Output) -> String {
    format!("{:?}\n{}\n{}", output.status.code(), lossy(&output.stdout), lossy(&output.stderr))
}

#[test]
fn every_case_matches_coreutils() {
    let dir = files();
    let installed = installed();
    let mut is_same = false;
    let mut compared = 0;
    for line in CASES.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(heading) = line.strip_prefix('[') {
            let mut bounds = heading.trim_end_matches(']').split(" to ").map(version);
            is_same = bounds.next().unwrap() <= installed
                && bounds.next().is_none_or(|last| installed <= last);
            continue;
        }
        let case = Case::new(line);
        for locale in ["C", "C.UTF-8"] {
            // Where older versions differ, ours must at least not crash.
            let ours = case.run(ours(case.tool), &dir, locale);
            assert!(ours.status.code().is_some_and(|code| code <= 1), "{line}: {}", shown(&ours));
            if is_same {
                let theirs = case.run(theirs(case.tool), &dir, locale);
                assert_eq!(shown(&ours), shown(&theirs), "{line} in {locale}");
                assert_eq!(ours.stdout, theirs.stdout, "{line} in {locale}");
                compared += 1;
            }
        }
    }
    assert!(compared > 300, "only {compared} runs were compared");
}

/// Runs a script of bash in which the tools are ours, and one in which they are GNU's.
#[track_caller]
fn assert_scripts_agree(dir: &Dir, links: &Path, script: &str) {
    let run_with = |folder: Option<PathBuf>| {
        let mut path = std::env::var_os("PATH").unwrap();
        if let Some(folder) = folder {
            path =
                std::env::join_paths(std::iter::once(folder).chain(std::env::split_paths(&path)))
                    .unwrap();
        }
        run(peer("bash").args(["-c", script]).current_dir(dir.path()).env("PATH", path))
    };
    let ours = run_with(Some(links.to_owned()));
    let theirs = run_with(std::env::var_os("HASHLANES_COREUTILS").map(PathBuf::from));
    assert_eq!(shown(&ours), shown(&theirs), "{script}");
}

fn links(dir: &Dir) -> PathBuf {
    let folder = dir.at("links");
    ok(hashlanes().arg("install-links").arg(&folder));
    folder
}

#[test]
fn closed_and_full_streams_match_coreutils() {
    let dir = files();
    let links = links(&dir);
    for script in [
        "md5sum <&-",
        "md5sum - a <&-",
        "b2sum a - e <&-",
        "md5sum -c <&-",
        "md5sum a <&-",
        "md5sum a >&-",
        // Older versions lose the reason.
        "{ md5sum a >/dev/full; } 2>&1 | sed 's/: No .*//'; echo ${PIPESTATUS[0]}",
        "{ md5sum -c MD5SUMS >/dev/full; } 2>&1 | sed 's/: No .*//'; echo ${PIPESTATUS[0]}",
        "md5sum --help >/dev/full",
        "md5sum --help >&-",
        "md5sum --version >&-",
        "md5sum -c MD5SUMS >&-",
        "md5sum -c --status MD5SUMS >&-",
        "md5sum missing >&-",
        "md5sum missing a 2>&-",
        "md5sum --foo 2>/dev/full",
        "md5sum a missing e 2>&1",
        "md5sum -c GONE JUNK 2>&1",
        "md5sum $(printf 'a %.0s' {1..20000}) | head -1; echo ${PIPESTATUS[0]}",
        "md5sum < folder",
        "md5sum /proc/version /dev/null",
        "sha256sum /dev/stdin - < a",
    ] {
        assert_scripts_agree(&dir, &links, script);
    }
}

/// Examples from the manuals of coreutils and uutils.
#[test]
fn examples_of_the_manuals_work() {
    let dir = files();
    let links = links(&dir);
    for script in [
        // `cksum -a md5 --untagged "$@"` emulates md5sum.
        "set -- a e big; cksum -a md5 --untagged \"$@\" | cmp - <(md5sum \"$@\") && echo same",
        "sha256sum a e > S && sha256sum --check S && sha256sum --check --status S; echo $?",
        "md5sum * 2>/dev/null | md5sum -c --quiet; echo $?",
        "md5sum < a | md5sum -c - < a; echo $?",
        "cksum -a sha1 a big | cksum --check",
        "cksum -a blake2b -l 256 a | tee T | cksum --check --strict && cat T",
        "find . -type f -name '[abe]*' -print0 | sort -z | xargs -0 sha512sum | b2sum",
        "echo 'd41d8cd98f00b204e9800998ecf8427e *e' | md5sum -c",
        "printf 'hello' | sha1sum | cut -d' ' -f1",
        "md5sum -z a e | xargs -0 -n1 echo",
        "cksum a | awk '{print $1, $2}'",
        "md5sum --check <(md5sum a) --quiet && echo ok",
    ] {
        assert_scripts_agree(&dir, &links, script);
    }
}

#[test]
fn links_lead_to_the_program() {
    let dir = files();
    let folder = links(&dir);
    for tool in ["md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum", "b2sum"] {
        let output = ok(Command::new(folder.join(tool)).arg("a").current_dir(dir.path()));
        assert_same(&output, &ok(theirs(tool).arg("a").current_dir(dir.path())), tool);
    }
    // Messages begin with the name as it was given.
    let output = run(Command::new(folder.join("cksum")).arg("-x"));
    let name = folder.join("cksum").display().to_string();
    let expected =
        format!("{name}: invalid option -- 'x'\nTry '{name} --help' for more information.\n");
    assert_eq!(lossy(&output.stderr), expected);

    let again = run(hashlanes().arg("install-links").arg(&folder));
    assert_eq!(again.status.code(), Some(1));
    assert_eq!(lossy(&again.stderr).matches("File exists").count(), 8);
    ok(hashlanes().args(["install-links", "--force"]).arg(&folder));
    let output = run(hashlanes().args(["install-links", "/dev/null/x"]));
    assert_eq!(lossy(&output.stderr), "hashlanes: /dev/null/x: Not a directory\n");
}

#[test]
fn help_and_version_have_the_shape_of_the_originals() {
    for tool in ["md5sum", "b2sum", "cksum"] {
        let help = lossy(&ok(ours(tool).arg("--help")));
        assert!(help.starts_with(&format!("Usage: {tool} [OPTION]... [FILE]...\n")), "{help}");
        assert!(help.lines().all(|line| line.len() <= 80), "{help}");
        let version = lossy(&ok(ours(tool).args(["a", "--vers"])));
        let first = version.lines().next().unwrap();
        assert!(first.starts_with(&format!("{tool} (hashlanes ")), "{first}");
        assert!(first.contains("GNU coreutils") && first.ends_with(" 9.10"), "{first}");
        // Every option in the original's help is in ours.
        let original = lossy(&ok(theirs(tool).arg("--help").env("TERM", "dumb")));
        for option in original.split(|c: char| c != '-' && !c.is_ascii_alphanumeric()) {
            if option.starts_with("--") && option.len() > 2 {
                assert!(help.contains(option), "{tool} {option}: {help}");
            }
        }
    }
}

#[test]
fn sum_checks_too() {
    let dir = files();
    for arguments in [&["MD5SUMS"][..], &["--quiet", "WRONG"], &["-w", "JUNK"], &["--", "missing"]]
    {
        let check = run(dir.hashlanes(&["check"]).args(arguments));
        for option in ["-c", "--check"] {
            let sum = run(dir.hashlanes(&["sum", option]).args(arguments));
            assert_eq!(shown(&sum), shown(&check), "{arguments:?}");
        }
    }
    let theirs = run(theirs("md5sum").args(["-c", "GONE"]).current_dir(dir.path()));
    let ours = run(&mut dir.hashlanes(&["sum", "-a", "md5", "-c", "GONE"]));
    assert_same(&ours.stdout, &theirs.stdout, "GONE");
    let message = lossy(&theirs.stderr).replace("md5sum:", "hashlanes:");
    assert_eq!(lossy(&ours.stderr), message);
}

/// GNU's `cksum` compares only as much of a digest as a tag such as `SHA256-8` says.
#[test]
fn a_truncated_digest_never_matches() {
    let dir = files();
    let digest = &lossy(&fs::read(dir.at("SHA256SUMS")).unwrap())[..64].to_owned();
    for length in (8..256).step_by(8) {
        let line = format!("SHA256-{length} (a) = {}\n", &digest[..length / 4]);
        let output =
            run_with_input(ours("cksum").arg("-c").current_dir(dir.path()), line.as_bytes());
        assert_eq!(output.status.code(), Some(1), "{line}");
    }
    let line = format!("SHA256-256 (a) = {digest}\n");
    let output = run_with_input(ours("cksum").arg("-c").current_dir(dir.path()), line.as_bytes());
    assert_eq!(lossy(&output.stdout), "a: OK\n");
}

#[test]
fn a_line_of_any_length_is_what_its_beginning_says() {
    let dir = files();
    let long = "x".repeat(2_000_000);
    let digest = "900150983cd24fb0d6963f7d28e17f72";
    for (line, option, status) in
        [(format!("{digest}  {long}"), "--status", 1), (format!("#{long}"), "--strict", 0)]
    {
        dir.file("list", format!("{line}\n{digest}  a\n").as_bytes());
        for mut tool in [ours("md5sum"), theirs("md5sum")] {
            let output = run(tool.args(["-c", option, "list"]).current_dir(dir.path()));
            assert_eq!(output.status.code(), Some(status), "{option}");
        }
    }
}

/// An unterminated line is not kept in memory.
#[test]
fn memory_is_bounded_for_any_list() {
    let dir = files();
    let script = "ulimit -v 400000; exec -a md5sum \"$0\" -c <(head -c 1G /dev/zero; md5sum a)";
    let output = run(dir.peer("bash", &["-c", script]).arg(env!("CARGO_BIN_EXE_hashlanes")));
    assert_eq!(output.status.code(), Some(1), "{}", shown(&output));
    assert!(lossy(&output.stderr).ends_with("no properly formatted checksum lines found\n"));
}
