//! `cargo xtask windows`: runs the tests of library and program for 64-bit Windows under wine, on a
//! Debian machine.
//!
//! The linker is MinGW's. wine runs the executables in its own Windows under `target/windows/`, and
//! needs no display.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::command::{built, cargo, output, run as announce, target};
use crate::folder::empty;
use crate::packages;
use crate::setup;

const TARGET: &str = "x86_64-pc-windows-gnu";
const LINKER: &str = "x86_64-w64-mingw32-gcc";

/// The required Debian packages.
const PACKAGES: [&str; 2] = ["gcc-mingw-w64-x86-64-win32", "wine64"];

/// Run the tests of library and program for 64-bit Windows, under wine.
///
/// The linker and wine are Debian packages, which are installed if root runs this. rustup installs
/// the target.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Run only tests with one of these in their names
    filter: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let folder = target().join("windows");
    let wine = tools(&folder)?;
    let programs = &["hashlanes-cli", "hashlanes-entropy", "hashlanes-files"][..];
    for (packages, tests) in [(programs, &["--tests"][..]), (&["hashlanes"], &["--lib", "--tests"])]
    {
        let mut command = cargo();
        command.args(["test", "--target", TARGET]);
        command.args(packages.iter().flat_map(|package| ["-p", package]));
        command.args(tests).arg("--").args(&args.filter);
        announce(wine.around(&mut command).env("HASHLANES_QUICK", "1"))?;
    }
    if args.filter.is_empty() { exchange(&wine, &folder) } else { Ok(()) }
}

/// Installs the target, the linker and wine if missing, and sets up wine's Windows.
fn tools(folder: &Path) -> Result<Wine> {
    if !packages::found(LINKER) || Wine::program().is_none() {
        packages::require(&PACKAGES)?;
    }
    setup::rust_target(TARGET)?;
    let program = Wine::program().context("the package wine64 has none of the known programs")?;
    let wine = Wine { program, prefix: folder.join("wine") };
    wine.set_up(folder)?;
    wine.keep_server();
    Ok(wine)
}

/// wine, and the folder with its Windows.
struct Wine {
    program: PathBuf,
    prefix: PathBuf,
}

impl Wine {
    /// Debian's package installs it outside the `PATH`. The script `wine`, if installed, works too.
    fn program() -> Option<PathBuf> {
        let debian = Path::new("/usr/lib/wine/wine64");
        if debian.is_file() {
            return Some(debian.to_owned());
        }
        ["wine64", "wine"].into_iter().find(|name| packages::found(name)).map(PathBuf::from)
    }

    /// Adds the environment that a command and its children need to run Windows programs silently.
    fn around<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        command
            .env("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER", &self.program)
            .env("WINEPREFIX", &self.prefix)
            .env("WINEDEBUG", "-all")
            // Neither .NET nor a browser, which it would ask for.
            .env("WINEDLLOVERRIDES", "mscoree,mshtml=")
            .env_remove("DISPLAY")
    }

    fn command(&self, program: impl AsRef<Path>) -> Command {
        let mut command = Command::new(&self.program);
        self.around(&mut command).arg(program.as_ref());
        command
    }

    /// Starts wine's server and keeps it until a minute after the last process. By default it exits
    /// after three seconds, and a process that starts just then fails.
    fn keep_server(&self) {
        // It fails if a server is running. Without one, each process starts its own.
        self.server("-p60");
    }

    fn server(&self, option: &str) {
        let beside = self.program.with_file_name("wineserver");
        let mut command =
            Command::new(if beside.is_file() { &*beside } else { Path::new("wineserver") });
        let command = self.around(&mut command).arg(option);
        let _ = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    }

    /// Creates the Windows if it does not exist, which takes some seconds and 0.7 GB.
    fn set_up(&self, folder: &Path) -> Result<()> {
        fs::create_dir_all(folder)?;
        let system = self.prefix.join("drive_c/windows/system32");
        if !system.is_dir() {
            let mut command = Command::new(&self.program);
            announce(self.around(&mut command).args(["wineboot", "--init"]))?;
            // Wait until the server that this started has written its data and exited.
            self.server("-w");
        }
        let library = system.join("bcryptprimitives.dll");
        if !library.exists() {
            let source = folder.join("bcryptprimitives.c");
            fs::write(&source, RANDOM)?;
            // Under another name first, so that an interrupted linker does not leave a partial
            // file.
            let partial = folder.join("bcryptprimitives.dll");
            let mut linker = Command::new(LINKER);
            linker.args(["-O2", "-shared", "-nostdlib", "-o"]).arg(&partial);
            linker.arg(&source).arg("-ladvapi32");
            announce(&mut linker)?;
            fs::rename(&partial, &library)?;
        }
        Ok(())
    }
}

/// The function from which Rust's standard library gets random numbers, and which wine 8 (Debian
/// 12) lacks. Needs no C library.
const RANDOM: &str = "\
#include <windows.h>
BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);
BOOL WINAPI DllMainCRTStartup(HINSTANCE library, DWORD reason, LPVOID reserved) {
    return TRUE;
}
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T length) {
    while (length > 0) {
        ULONG part = length < 65536 ? (ULONG)length : 65536;
        if (!SystemFunction036(data, part)) return FALSE;
        data += part;
        length -= part;
    }
    return TRUE;
}
";

/// Names that both systems allow, whose order depends on how `/` and `-` compare.
const NAMES: [&str; 9] =
    ["a!/1", "a-b", "a/x", "a/y.d/e f", "a0", "b/(c) = d", "b/é", "b/𝄞", "Z/#"];

/// Windows must list what Linux lists, byte for byte, and each must verify the other's manifest.
fn exchange(wine: &Wine, folder: &Path) -> Result<()> {
    let folder = empty(folder.join("exchange"))?;
    for name in NAMES {
        let path = folder.join("tree").join(name);
        fs::create_dir_all(path.parent().unwrap_or(&folder))?;
        fs::write(path, format!("content of {name}\r\n").repeat(3000))?;
    }
    let build = || {
        let mut command = cargo();
        command.args(["build", "-p", "hashlanes-cli", "--target", TARGET]);
        command
    };
    let program = built(build)?;
    let windows = |arguments: &[&str]| {
        let mut command = wine.command(&program);
        command.args(arguments).current_dir(&folder);
        command
    };
    let linux = |program: &str, arguments: &[&str]| {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(&folder).env("LC_ALL", "C");
        command
    };
    let find = "find tree -type f -print0 | sort -z | xargs -0 sha256sum";
    let theirs = output(&mut linux("sh", &["-c", find]))?;
    ensure!(theirs.lines().count() == NAMES.len(), "sha256sum found other files:\n{theirs}");
    for root in ["tree", r".\tree"] {
        let ours = output(&mut windows(&["sum", "-r", root]))?.replace("  ./", "  ");
        ensure!(ours == theirs, "on Windows:\n{ours}on Linux:\n{theirs}");
    }
    let list = ["sum", "--tag", r"tree\a\x", r"tree\b\é"];
    fs::write(folder.join("from-windows"), output(&mut windows(&list))?)?;
    announce(&mut linux("sha256sum", &["--check", "--strict", "from-windows"]))?;
    fs::write(folder.join("from-linux"), theirs)?;
    announce(&mut windows(&["check", "--strict", "from-linux"]))
}
