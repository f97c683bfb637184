//! Helpers for all tests of the program: they run it and its peers, and make files.

#[cfg(feature = "objects")]
pub(crate) mod store;

#[cfg(unix)]
use std::ffi::OsStr;
use std::io::Write;
#[cfg(unix)]
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Algorithms, each with its program of the GNU coreutils.
pub(crate) const COREUTILS: [(&str, &str); 6] = [
    ("md5", "md5sum"),
    ("sha1", "sha1sum"),
    ("sha224", "sha224sum"),
    ("sha256", "sha256sum"),
    ("sha384", "sha384sum"),
    ("sha512", "sha512sum"),
];

/// The program under test, without a kernel that the environment of the tests may force.
pub(crate) fn hashlanes() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hashlanes"));
    command.env_remove("HASHLANES_KERNEL");
    command
}

/// The program that measures, without a kernel that the environment of the tests may force.
#[cfg(feature = "lab")]
pub(crate) fn lab() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hashlanes-lab"));
    command.env_remove("HASHLANES_KERNEL");
    command
}

/// Waits until the times of all files are so old that `--resume` takes their digests for final.
pub(crate) fn settle() {
    std::thread::sleep(std::time::Duration::from_millis(2100));
}

/// Another program, for comparison.
pub(crate) fn peer(program: &str) -> Command {
    let mut command = Command::new(program);
    // The quoting in messages depends on the locale.
    command.env("LC_ALL", "C.UTF-8");
    command
}

/// Runs a command to its end. A missing peer fails the test, with the package that has it.
pub(crate) fn run(command: &mut Command) -> Output {
    command.output().unwrap_or_else(|error| no_program(command, &error))
}

/// Like `run`, with `input` on the standard input.
pub(crate) fn run_with_input(command: &mut Command, input: &[u8]) -> Output {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => no_program(command, &error),
    };
    let mut stdin = child.stdin.take().unwrap();
    std::thread::scope(|scope| {
        scope.spawn(move || stdin.write_all(input));
        child.wait_with_output().unwrap()
    })
}

pub(crate) fn no_program(command: &Command, error: &std::io::Error) -> ! {
    let program = command.get_program().to_string_lossy().into_owned();
    let package = match program.as_str() {
        "shasum" | "perl" => "perl",
        "openssl" => "openssl",
        "find" | "xargs" => "findutils",
        "setpriv" => "util-linux",
        "bash" => "bash",
        "script" => "bsdutils",
        "rngtest" => "rng-tools5",
        "hashdeep" => "hashdeep",
        "rhash" => "rhash",
        "xxhsum" => "xxhash",
        _ => "coreutils",
    };
    panic!("cannot run {program} ({error}): install the package {package}");
}

/// Leaves out a test because this machine lacks something, such as the right to mount. That fails
/// the test unless the environment allows it: a test that ran nothing must not pass unnoticed.
#[track_caller]
pub(crate) fn leave_out(what: &str) {
    let allowed = std::env::var_os("HASHLANES_TESTS_MAY_LEAVE_OUT").is_some();
    assert!(allowed, "not tested: {what}; HASHLANES_TESTS_MAY_LEAVE_OUT=1 allows that");
}

/// The output of a run that must succeed.
#[track_caller]
pub(crate) fn ok(command: &mut Command) -> Vec<u8> {
    let output = run(command);
    assert!(output.status.success(), "{command:?}: {}", lossy(&output.stderr));
    output.stdout
}

pub(crate) fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Compares two outputs, and fails with the first lines that differ.
#[track_caller]
pub(crate) fn assert_same(ours: &[u8], theirs: &[u8], what: &str) {
    if ours == theirs {
        return;
    }
    let (mut a, mut b) = (ours.split(|&b| b == b'\n'), theirs.split(|&b| b == b'\n'));
    for line in 1.. {
        let (a, b) = (a.next(), b.next());
        assert!(
            a == b,
            "{what}, line {line}:\n  ours   {:?}\n  theirs {:?}",
            a.map(lossy),
            b.map(lossy)
        );
    }
}

/// Runs our program and a peer. Compares the standard output, the exit status, and the standard
/// error except for the program's name.
#[track_caller]
pub(crate) fn assert_runs_the_same(ours: &mut Command, theirs: &mut Command) {
    let what = format!("{ours:?} and {theirs:?}");
    let name = theirs.get_program().to_str().unwrap().to_owned();
    let (a, b) = (run(ours), run(theirs));
    assert_same(&a.stdout, &b.stdout, &what);
    assert_same(
        &a.stderr,
        lossy(&b.stderr).replace(&format!("{name}: "), "hashlanes: ").as_bytes(),
        &what,
    );
    assert_eq!(status(&a), b.status.code(), "{what}");
}

/// Our exit status as GNU's tools have it: `check` tells files that could not be read, 3, from
/// those that differ, 1.
pub(crate) fn status(output: &Output) -> Option<i32> {
    output.status.code().map(|code| if code == 3 { 1 } else { code })
}

/// The improper lines that messages name, and the other messages.
#[cfg(unix)]
pub(crate) fn told(messages: &[u8], program: &str) -> (Vec<u64>, Vec<String>) {
    let (mut numbers, mut others) = (Vec::new(), Vec::new());
    for message in lossy(messages).lines() {
        let message = message.trim_start_matches(program).trim_start_matches(": ");
        let said = message.split_once(": ").map_or("", |(_, said)| said);
        // Peers do not say which files may be meant.
        if said.contains(": try --") {
            continue;
        }
        let number = said.strip_prefix("line ").unwrap_or(said).split_once(": ");
        if let Some(number) = number.and_then(|(number, _)| number.parse().ok()) {
            numbers.push(number);
            continue;
        }
        let nothing = [
            "no properly formatted checksum lines found",
            "no usable line",
            "the manifest is empty",
            "the manifest has only comments",
        ];
        if nothing.contains(&said) {
            others.push("no usable line".to_owned());
        } else if others.last().is_none_or(|last| last != "no usable line")
            || !message.contains("improperly formatted")
        {
            others.push(message.to_owned());
        }
    }
    (numbers, others)
}

/// Bytes that look random. The same seed gives the same bytes.
pub(crate) fn noise(length: usize, seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut bytes = Vec::with_capacity(length + 8);
    while bytes.len() < length {
        // xorshift64*
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        bytes.extend(state.wrapping_mul(0x2545_f491_4f6c_dd1d).to_le_bytes());
    }
    bytes.truncate(length);
    bytes
}

/// Kills runs after a random time, up to `longest` microseconds, and looks at what is left; true
/// says that the run had come to its end. `HASHLANES_KILLS` is how many runs, if it is set.
#[cfg(unix)]
pub(crate) fn kill_at_random(
    runs: u64,
    longest: u64,
    command: impl Fn(u64) -> Command,
    mut look: impl FnMut(bool),
) {
    use std::os::unix::process::ExitStatusExt;
    let runs = std::env::var("HASHLANES_KILLS").map_or(runs, |runs| runs.parse().unwrap());
    let mut random = 1_u64;
    for number in 0..runs {
        let signal = if number % 10 == 9 { "INT" } else { "KILL" };
        let mut command = command(number);
        let mut child = command.stdout(Stdio::null()).spawn().unwrap();
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        std::thread::sleep(std::time::Duration::from_micros((random >> 33) % longest));
        let id = child.id().to_string();
        assert!(peer("kill").args(["-s", signal, &id]).status().unwrap().success());
        let status = child.wait().unwrap();
        assert!(status.code().is_some() || matches!(status.signal(), Some(2 | 9)));
        look(status.code().is_some());
    }
}

/// A directory in which commands run. It is removed when dropped.
pub(crate) struct Dir(tempfile::TempDir);

impl Dir {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn at(&self, name: impl AsRef<Path>) -> PathBuf {
        self.path().join(name)
    }

    /// Writes a file, and makes the directories above it.
    pub(crate) fn file(&self, name: impl AsRef<Path>, content: &[u8]) -> &Self {
        let path = self.at(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
        self
    }

    pub(crate) fn hashlanes(&self, arguments: &[&str]) -> Command {
        self.here(hashlanes(), arguments)
    }

    pub(crate) fn peer(&self, program: &str, arguments: &[&str]) -> Command {
        self.here(peer(program), arguments)
    }

    fn here(&self, mut command: Command, arguments: &[&str]) -> Command {
        command.current_dir(self.path()).args(arguments);
        command
    }
}

/// Lengths around the ends of blocks, of the padding, and of the program's buffers.
pub(crate) const SIZES: [usize; 34] = [
    0,
    1,
    2,
    55,
    56,
    57,
    63,
    64,
    65,
    111,
    112,
    113,
    119,
    120,
    127,
    128,
    129,
    255,
    256,
    1000,
    4095,
    4096,
    16383,
    16384,
    (64 << 10) - 1,
    64 << 10,
    (64 << 10) + 1,
    (128 << 10) - 1,
    128 << 10,
    (128 << 10) + 1,
    (192 << 10) + 63,
    256 << 10,
    (1 << 20) + 1,
    (5 << 20) + 77,
];

/// Files of all these lengths, and their names.
pub(crate) fn sized_files() -> (Dir, Vec<String>) {
    let dir = Dir::new();
    let mut names = Vec::new();
    // In this order small and large files alternate.
    for (i, &size) in SIZES.iter().enumerate() {
        let name = format!("{:02}-{size}", i * 13 % SIZES.len());
        dir.file(&name, &noise(size, size as u64 + 1));
        names.push(name);
    }
    names.sort();
    (dir, names)
}

/// What coreutils print for these files with --tag, one algorithm after the other.
pub(crate) const COREUTILS_LINES: &[u8] = include_bytes!("../coreutils.txt");

/// The system's words for a file that does not exist.
pub(crate) fn missing() -> String {
    let error = std::fs::metadata("no such file").unwrap_err().to_string();
    error[..error.find(" (os error").unwrap()].to_owned()
}

/// Names that need escaping, quoting, or other care.
#[cfg(unix)]
pub(crate) fn odd_names() -> Vec<&'static OsStr> {
    [
        &b"plain"[..],
        b"with space",
        b" leading and trailing ",
        b"new\nline",
        b"\n",
        b"carriage\rreturn",
        b"ends in\r",
        b"back\\slash",
        b"\\n",
        b"\\",
        b"-leading-dash",
        b"--tag",
        b"*star",
        b"a) = b",
        b"it's",
        b"\"quoted\"",
        b"not utf-8 \xff\xfe",
        "é".as_bytes(),
        b"#comment",
    ]
    .map(OsStr::from_bytes)
    .into()
}
