//! Runs a Linux test executable on an emulated CPU, for example one with AVX-512.
//!
//! The AVX-512 kernels have to be tested on every machine, and many machines (and the user-mode
//! emulators that could stand in) lack AVX-512. Bochs has it, but it emulates a whole PC, so the
//! executable gets a kernel to run on: a Debian kernel, with an initramfs that holds the
//! executable, the libraries that it is linked with, busybox and an init script. Only the serial
//! port of that PC matters: it carries the executable's output, followed by its exit status.
//!
//! The PC boots from a disc, with isolinux, which is the smallest boot loader.
//!
//! The guest's clock is meaningless: the emulated time stamp counter advances by one per
//! instruction, while the kernel trusts the CPU model's 3.5 GHz. So durations that tests print are
//! far too short.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        atomic::{AtomicU32, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};

use crate::command::{self, output};
use crate::folder::{empty, remove};
use crate::packages;

use super::guest::{self, Cpu, STARTED, STATUS};

/// The required Debian packages: Bochs, with the display library that needs neither a display nor
/// the network and with the BIOS of its PC and of the display, and what makes a disc.
const PACKAGES: [&str; 9] = [
    "bochs",
    "bochs-term",
    "bochsbios",
    "busybox-static",
    "cpio",
    "isolinux",
    "syslinux-common",
    "vgabios",
    "xorriso",
];

/// The package that depends on the newest kernel of its kind. The one for
/// virtual machines is the smallest, and so boots fastest.
const KERNEL_PACKAGE: &str = "linux-image-cloud-amd64";

/// The emulated CPU's instructions per second of emulated time. A lower number makes waits shorter
/// in real time, and timer interrupts costlier.
const INSTRUCTIONS_PER_SECOND: u32 = 40_000_000;

/// For one run, in real time.
const TIME_LIMIT: Duration = Duration::from_secs(20 * 60);

/// What all runs share: the emulator's programs are installed, and the kernel is here.
pub(crate) struct Computer {
    dir: PathBuf,
    kernel: PathBuf,
}

impl Computer {
    pub(crate) fn new() -> Result<Self> {
        ensure_tools()?;
        let dir = work_dir()?;
        let kernel = kernel(&dir)?;
        Ok(Self { dir, kernel })
    }

    /// Runs `binary`, a test executable, with `args` on the emulated CPU. Its output goes to the
    /// standard output as it arrives. Fails unless it ran at least one test and none failed.
    ///
    /// The guest has no files except the executable, its libraries, an empty `/tmp` and `/proc`, no
    /// network, and no environment variables except `variables`, by name and value.
    pub(crate) fn run(
        &self,
        cpu: &Cpu,
        binary: &Path,
        args: &[String],
        variables: &[(&str, &str)],
    ) -> Result<()> {
        // Neither runs of this process nor those of another share these files.
        static RUNS: AtomicU32 = AtomicU32::new(0);
        let number = RUNS.fetch_add(1, Ordering::Relaxed);
        let run_dir = empty(self.dir.join(format!("run-{}-{number}", std::process::id())))?;
        guest::disc(&run_dir, cpu, &self.kernel, binary, args, variables)?;
        fs::write(run_dir.join("bochsrc"), configuration(cpu))?;
        let outcome = emulate(&run_dir);
        fs::remove_dir_all(&run_dir)?;
        outcome.with_context(|| format!("{} on the emulated CPU", binary.display()))
    }
}

/// Installs the Debian packages that [`Computer`] needs and that are missing.
fn ensure_tools() -> Result<()> {
    let installed = |package: &&str| {
        output(Command::new("dpkg-query").args(["-W", "-f", "${db:Status-Status}", package]))
            .is_ok_and(|status| status == "installed")
    };
    // All of them at once: since bochs-term is named, bochs does not pull in another display
    // library.
    if PACKAGES.iter().all(installed) { Ok(()) } else { packages::require(&PACKAGES) }
}

/// The folder for files that are kept between runs.
fn work_dir() -> Result<PathBuf> {
    let dir = command::target().join("emulate");
    fs::create_dir_all(&dir)?;
    Ok(dir.canonicalize()?)
}

/// The kernel. It is unpacked from its package instead of installed, since this machine is not to
/// boot it.
fn kernel(dir: &Path) -> Result<PathBuf> {
    let cached = dir.join("vmlinuz");
    if cached.is_file() {
        return Ok(cached);
    }
    let package = match kernel_package() {
        Ok(package) => package,
        Err(_) => {
            output(Command::new("apt-get").arg("update"))?;
            kernel_package()?
        }
    };
    let unpacked = empty(dir.join(format!("unpacked-{}", std::process::id())))?;
    let download = ["download", "-o", "APT::Sandbox::User=root", &package];
    output(Command::new("apt-get").args(download).current_dir(&unpacked))?;
    let deb = fs::read_dir(&unpacked)?.next().context("apt-get download left no file")??.path();
    output(Command::new("dpkg").arg("-x").arg(deb).arg(&unpacked))?;
    let version = package.trim_start_matches("linux-image-");
    fs::rename(unpacked.join(format!("boot/vmlinuz-{version}")), &cached)?; // whole or not at all
    remove(&unpacked)?;
    Ok(cached)
}

/// The name of the package that contains the kernel itself.
fn kernel_package() -> Result<String> {
    output(Command::new("apt-cache").args(["depends", "--important", KERNEL_PACKAGE]))?
        .lines()
        .find_map(|line| line.trim().strip_prefix("Depends: ").map(str::to_owned))
        .with_context(|| format!("the package lists have no {KERNEL_PACKAGE}"))
}

/// Bochs's configuration: the CPU, memory, a serial port, and as little else as possible. Paths are
/// relative to the folder of the run.
fn configuration(cpu: &Cpu) -> String {
    let model = cpu.model;
    format!(
        "display_library: term
cpu: model={model}, ips={INSTRUCTIONS_PER_SECOND}, reset_on_triple_fault=0, ignore_bad_msrs=1
memory: guest=1024, host=1024
romimage: file=/usr/share/bochs/BIOS-bochs-latest
vgaromimage: file=/usr/share/bochs/VGABIOS-lgpl-latest
ata0-master: type=cdrom, path=disc.iso, status=inserted
boot: cdrom
com1: enabled=1, mode=file, dev=/dev/stderr
plugin_ctrl: gameport=0, iodebug=0, parallel=0, speaker=0
sound: waveoutdrv=dummy, waveindrv=dummy, midioutdrv=dummy
pci: enabled=0
vga: extension=none, update_freq=1
log: bochs.log
panic: action=fatal
error: action=ignore
info: action=ignore
"
    )
}

/// Runs Bochs in `run_dir` until the exit status arrives, and judges the run.
fn emulate(run_dir: &Path) -> Result<()> {
    let mut bochs = Command::new("bochs")
        .args(["-q", "-f", "bochsrc"])
        .current_dir(run_dir)
        // The terminal library requires some kind of terminal.
        .env("TERM", "linux")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map(KillOnDrop)
        .context("starting bochs")?;
    // Debian's Bochs includes its debugger, which waits for this command.
    bochs.0.stdin.take().unwrap().write_all(b"c\n")?;

    // A separate thread reads the lines, so that waiting for them can time out.
    let mut serial = BufReader::new(bochs.0.stderr.take().unwrap());
    let (sender, lines) = mpsc::channel();
    thread::spawn(move || {
        let mut line = Vec::new();
        while matches!(serial.read_until(b'\n', &mut line), Ok(1..)) {
            let text = String::from_utf8_lossy(&line);
            if sender.send(text.trim_end_matches(['\r', '\n']).to_owned()).is_err() {
                break;
            }
            line.clear();
        }
    });

    let deadline = Instant::now() + TIME_LIMIT;
    let mut boot = Some(Vec::new()); // output before the init script
    let mut result = None;
    let end = loop {
        let line = match lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(line) => line,
            Err(RecvTimeoutError::Timeout) => break format!("after {TIME_LIMIT:?}"),
            Err(RecvTimeoutError::Disconnected) => break "when the emulator ended".to_owned(),
        };
        if line.contains("Kernel panic") {
            break format!("by this: {line}");
        }
        if let Some(status) = line.strip_prefix(STATUS) {
            ensure!(status == "0", "ended with exit status {status}");
            let result: String = result.context("printed no `test result:` line")?;
            ensure!(result.starts_with("test result: ok."), "{result}");
            ensure!(!result.contains(" 0 passed"), "ran no test");
            return Ok(());
        }
        if line == STARTED {
            boot = None;
        } else if let Some(boot) = &mut boot {
            boot.push(line);
        } else {
            println!("{line}");
            if line.starts_with("test result:") {
                result = Some(line);
            }
        }
    };

    drop(bochs); // which ends the lines, the last of them perhaps unfinished
    let log = fs::read_to_string(run_dir.join("bochs.log")).unwrap_or_default();
    match boot {
        Some(mut boot) => {
            boot.extend(lines);
            bail!("was cut off at boot, {end}\n{}\n{log}", boot.join("\n"));
        }
        None => {
            lines.iter().for_each(|line| println!("{line}"));
            bail!("was cut off {end}\n{log}");
        }
    }
}

struct KillOnDrop(Child);

impl Drop for KillOnDrop {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
