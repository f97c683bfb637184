//! Runs a Linux test executable on an emulated CPU, for example one with AVX-512.
//!
//! The AVX-512 kernels have to be tested on every machine, and many machines (and the user-mode
//! emulators that could stand in) lack AVX-512. Bochs has it, but it emulates a whole PC, so the
//! executable gets a kernel to run on: a Debian kernel, with an initramfs that holds the
//! executable, the libraries that it is linked with, busybox and an init script. Only the serial
//! port of that PC matters: it carries the executable's output, followed by its exit status.
//!
//! Nothing is booted from a disk. Before it starts, Bochs copies one file into the guest's memory,
//! with the kernel already uncompressed and in place. A ROM of a few instructions replaces the BIOS
//! and enters the kernel. That is smaller than a boot loader with a disk image, and saves most of
//! the boot time at some 50 million instructions a second.
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
use crate::packages;

/// The required Debian packages. `bochs-term` is the display library of Bochs that needs neither a
/// display nor the network.
const PACKAGES: [&str; 4] = ["bochs", "bochs-term", "busybox-static", "lz4"];

/// The package that depends on the newest kernel of its kind. The one for
/// virtual machines is the smallest, and so boots fastest.
const KERNEL_PACKAGE: &str = "linux-image-cloud-amd64";

/// The emulated CPU.
pub(crate) struct Cpu {
    /// Its name in Bochs. `bochs --help cpu` lists them.
    pub(crate) model: &'static str,
    /// Features that the kernel must find. If one were missing in the guest (the kernel turns
    /// AVX-512 off if it finds the CPU's description of its state inconsistent), tests that look
    /// for it would skip themselves and pass.
    pub(crate) flags: &'static [&'static str],
    /// Features that the kernel is told not to use. It does not enable their registers, although
    /// the CPU reports them.
    pub(crate) unused: &'static [&'static str],
}

/// The emulated CPU's instructions per second of emulated time. A lower number makes waits shorter
/// in real time, and timer interrupts costlier.
const INSTRUCTIONS_PER_SECOND: u32 = 40_000_000;

/// For one run, in real time.
const TIME_LIMIT: Duration = Duration::from_secs(20 * 60);

/// Where the guest's RAM image begins: past the hole below 1 MiB.
const BASE: u32 = 0x10_0000;
const RAM_MIB: u32 = 1024;

/// Lines that the init script prints before and after the executable's output.
const STARTED: &str = "emulate: started";
const STATUS: &str = "emulate: exit status ";

/// What all runs share: the emulator's programs are installed, and the kernel is here.
pub(crate) struct Computer {
    dir: PathBuf,
    kernel: Vec<u8>,
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
        let initramfs = initramfs(cpu, binary, args, variables)?;
        let (ram, entry) = ram_image(cpu, &self.kernel, &initramfs)?;
        let ram_end = BASE as usize + ram.len();
        ensure!(
            ram_end < (RAM_MIB as usize) << 20,
            "{} exceeds the guest's memory",
            binary.display()
        );

        // Neither runs of this process nor those of another share these files.
        static RUNS: AtomicU32 = AtomicU32::new(0);
        let number = RUNS.fetch_add(1, Ordering::Relaxed);
        let run_dir = self.dir.join(format!("run-{}-{number}", std::process::id()));
        fs::create_dir_all(&run_dir)?;
        fs::write(run_dir.join("ram"), ram)?;
        fs::write(run_dir.join("rom"), rom(entry, ram_end as u32))?;
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

/// The kernel, as an uncompressed ELF file. It is unpacked from its package instead of installed,
/// since this machine is not to boot it.
fn kernel(dir: &Path) -> Result<Vec<u8>> {
    let cached = dir.join("vmlinux");
    if let Ok(kernel) = fs::read(&cached) {
        return Ok(kernel);
    }
    let package = match kernel_package() {
        Ok(package) => package,
        Err(_) => {
            output(Command::new("apt-get").arg("update"))?;
            kernel_package()?
        }
    };
    let unpacked = dir.join(format!("unpacked-{}", std::process::id()));
    fs::create_dir_all(&unpacked)?;
    output(
        Command::new("apt-get")
            .args(["download", "-o", "APT::Sandbox::User=root", &package])
            .current_dir(&unpacked),
    )?;
    let deb = fs::read_dir(&unpacked)?.next().context("apt-get download left no file")??.path();
    output(Command::new("dpkg").arg("-x").arg(deb).arg(&unpacked))?;
    let version = package.trim_start_matches("linux-image-");
    let image = fs::read(unpacked.join(format!("boot/vmlinuz-{version}")))?;

    // The image's header says where the compressed kernel is (see the boot protocol in the kernel's
    // documentation); its uncompressed size follows it.
    let setup_len = (usize::from(image[0x1f1]) + 1) * 512;
    let start = setup_len + read_u32(&image, 0x248) as usize;
    let end = start + read_u32(&image, 0x24c) as usize - 4;
    let compressed = unpacked.join("vmlinux.lz4");
    let uncompressed = unpacked.join("vmlinux");
    fs::write(&compressed, &image[start..end])?;
    output(Command::new("lz4").args(["-d", "-q"]).args([&compressed, &uncompressed]))
        .context("is this kernel not compressed with LZ4?")?;
    let kernel = fs::read(&uncompressed)?;
    ensure!(kernel.len() == read_u32(&image, end) as usize, "the kernel was cut short");
    fs::rename(uncompressed, cached)?; // whole or not at all
    fs::remove_dir_all(unpacked)?;
    Ok(kernel)
}

/// The name of the package that contains the kernel itself.
fn kernel_package() -> Result<String> {
    output(Command::new("apt-cache").args(["depends", "--important", KERNEL_PACKAGE]))?
        .lines()
        .find_map(|line| line.trim().strip_prefix("Depends: ").map(str::to_owned))
        .with_context(|| format!("the package lists have no {KERNEL_PACKAGE}"))
}

/// The guest's root file system: a cpio archive in the "newc" format.
fn initramfs(
    cpu: &Cpu,
    binary: &Path,
    args: &[String],
    variables: &[(&str, &str)],
) -> Result<Vec<u8>> {
    let quoted = |word: &str| format!("'{}'", word.replace('\'', r"'\''"));
    let args: String = args.iter().map(|arg| format!(" {}", quoted(arg))).collect();
    let variables: String =
        variables.iter().map(|(name, value)| format!("{name}={} ", quoted(value))).collect();
    let flags = cpu.flags.join(" ");
    // The script must not end, or the kernel panics: the emulator is ended instead, once the exit
    // status has arrived.
    let init = format!(
        "#!/bin/busybox sh
/bin/busybox mount -t proc proc /proc
echo '{STARTED}'
for flag in {flags}; do
    /bin/busybox grep -qw $flag /proc/cpuinfo || echo \"the guest has no $flag\"
done > /tmp/missing
if [ -s /tmp/missing ]; then
    /bin/busybox cat /tmp/missing
    false
else
    cd /tmp
    {variables}/bin/test{args}
fi
status=$?
echo
echo \"{STATUS}$status\"
exec /bin/busybox sleep 999999999
"
    );
    const DIRECTORY: u32 = 0o040_755;
    const EXECUTABLE: u32 = 0o100_755;
    const DEVICE: u32 = 0o020_666;
    let busybox = fs::read("/bin/busybox")?;
    let libraries = libraries(binary)?;
    let binary = fs::read(binary).with_context(|| format!("reading {}", binary.display()))?;
    let mut archive = Vec::with_capacity(busybox.len() + binary.len() + 4096);
    let mut add =
        |name: &str, mode: u32, (major, minor): (u32, u32), contents: &[u8]| -> Result<()> {
            archive.extend(b"070701");
            let (name_len, len) = (name.len() as u32 + 1, u32::try_from(contents.len())?);
            // Inode 0 serves for all files: only hard links would need different numbers.
            for field in [0, mode, 0, 0, 1, 0, len, 0, 0, major, minor, name_len, 0] {
                write!(archive, "{field:08x}")?;
            }
            archive.extend(name.as_bytes());
            archive.push(0);
            archive.resize(archive.len().next_multiple_of(4), 0);
            archive.extend(contents);
            archive.resize(archive.len().next_multiple_of(4), 0);
            Ok(())
        };
    for name in ["bin", "dev", "lib", "lib64", "proc", "tmp"] {
        add(name, DIRECTORY, (0, 0), b"")?;
    }
    for (name, library) in libraries {
        add(&name, EXECUTABLE, (0, 0), &library)?;
    }
    add("dev/console", DEVICE, (5, 1), b"")?;
    add("dev/null", DEVICE, (1, 3), b"")?;
    add("bin/busybox", EXECUTABLE, (0, 0), &busybox)?;
    add("bin/test", EXECUTABLE, (0, 0), &binary)?;
    add("init", EXECUTABLE, (0, 0), init.as_bytes())?;
    add("TRAILER!!!", 0, (0, 0), b"")?;
    Ok(archive)
}

/// The dynamic libraries of an executable, by their names in the guest: the loader where the
/// executable expects it, the others in a folder that the loader searches.
fn libraries(binary: &Path) -> Result<Vec<(String, Vec<u8>)>> {
    let lines = output(Command::new("ldd").arg(binary))?;
    let paths = lines.split_whitespace().filter(|word| word.starts_with('/'));
    paths
        .map(|path| {
            let library = fs::read(path).with_context(|| format!("reading {path}"))?;
            let name = match path.strip_prefix("/lib64/") {
                Some(loader) => format!("lib64/{loader}"),
                None => format!("lib/{}", path.rsplit('/').next().unwrap_or(path)),
            };
            Ok((name, library))
        })
        .collect()
}

/// The contents of the guest's memory from [`BASE`] on, and the address at
/// which to enter the kernel. That is its entry for virtual machines ("PVH",
/// as with QEMU's `-kernel vmlinux`), since it asks least of its caller.
fn ram_image(cpu: &Cpu, kernel: &[u8], initramfs: &[u8]) -> Result<(Vec<u8>, u32)> {
    ensure!(kernel.starts_with(b"\x7fELF\x02\x01"), "the kernel is no 64-bit ELF file");
    const LOAD: u32 = 1;
    const NOTE: u32 = 4;
    let headers = read_u64(kernel, 32) as usize;
    let count = usize::from(kernel[56]);
    let mut ram = Vec::new();
    let mut kernel_end = 0;
    let mut entry = None;
    for header in (0..count).map(|i| &kernel[headers + i * 56..][..56]) {
        let [offset, _, address, file_len, memory_len] =
            [8, 16, 24, 32, 40].map(|at| read_u64(header, at) as usize);
        let contents = &kernel[offset..][..file_len];
        match read_u32(header, 0) {
            LOAD => {
                put(&mut ram, u32::try_from(address)?, contents);
                kernel_end = kernel_end.max(address + memory_len);
            }
            NOTE => entry = entry.or(pvh_entry(contents)),
            _ => {}
        }
    }
    let entry = entry.context("the kernel has no PVH entry")?;

    // The structures of xen/interface/hvm/start_info.h, each at its own place below the kernel.
    let [start_info, modules, memory_map, command_line] =
        [0, 0x100, 0x200, 0x300].map(|at| BASE + at);
    let initramfs_at = u32::try_from(kernel_end.next_multiple_of(1 << 21))?;
    let words =
        |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>();
    #[rustfmt::skip]
    put(&mut ram, start_info, &words(&[
        0x336e_c578, 1, 0, 1, // magic, version, flags, number of modules
        modules, 0, command_line, 0, 0, 0, // the last two: no ACPI tables
        memory_map, 0, 2, 0, // its number of entries, and none reserved
    ]));
    put(&mut ram, modules, &words(&[initramfs_at, 0, initramfs.len() as u32, 0, 0, 0, 0, 0]));
    let usable = 1;
    put(
        &mut ram,
        memory_map,
        &words(&[0, 0, 0x9_f000, 0, usable, 0, BASE, 0, (RAM_MIB << 20) - BASE, 0, usable, 0]),
    );
    put(&mut ram, command_line, format!("{}\0", kernel_command_line(cpu)).as_bytes());
    put(&mut ram, initramfs_at, initramfs);
    Ok((ram, entry))
}

/// Finds the entry's address in an ELF file's notes.
fn pvh_entry(mut notes: &[u8]) -> Option<u32> {
    const XEN_ELFNOTE_PHYS32_ENTRY: u32 = 18;
    while notes.len() >= 12 {
        let [name_len, len, kind] = [0, 4, 8].map(|at| read_u32(notes, at) as usize);
        let name = notes.get(12..12 + name_len)?;
        let contents = notes.get(12 + name_len.next_multiple_of(4)..)?;
        if name == b"Xen\0" && kind as u32 == XEN_ELFNOTE_PHYS32_ENTRY {
            return Some(read_u32(contents, 0));
        }
        notes = contents.get(len.next_multiple_of(4)..)?;
    }
    None
}

fn kernel_command_line(cpu: &Cpu) -> String {
    // These take half of the boot time: symbol tables for tracing and BPF, and checks of
    // certificates' signatures. A name that a kernel lacks does no harm.
    let skipped = [
        "bpf_key_sig_kfuncs_init",
        "bpf_prog_test_run_init",
        "bpf_rstat_kfunc_init",
        "bpf_tcp_ca_kfunc_init",
        "cubictcp_register",
        "ftrace_check_for_weak_functions",
        "kfunc_init",
        "load_system_certificate_list",
        "trace_eval_init",
        "tracer_init_tracefs",
    ];
    [
        "console=ttyS0,115200",
        "loglevel=1",
        // The guest has neither.
        "acpi=off pci=off",
        // Bochs 2.7 reports wrong sizes for the compact format of XSAVE's area and for the state of
        // protection keys, at which the kernel would turn off AVX and everything that builds on it.
        // On models with fast short `rep movsb`, the kernel's copies fault endlessly.
        &format!(
            "clearcpuid={}",
            [&["xsavec", "xsaves", "pku", "fsrm"], cpu.unused].concat().join(",")
        ),
        // They take as long as everything else.
        "cryptomgr.notests",
        &format!("initcall_blacklist={}", skipped.join(",")),
    ]
    .join(" ")
}

/// The ROM, as the last 64 KiB below 4 GiB, where the CPU starts in 16-bit
/// mode. It enters the kernel in 32-bit mode, with flat segments and the
/// address of the start information in EBX.
///
/// Before that it reads a byte from each part of the filled memory, in order. Bochs allocates host
/// memory for each 128 KiB of the guest's memory on first use, one part after another, but copies a
/// file into it in one piece. Both agree if the first uses are in order.
fn rom(entry: u32, end: u32) -> Vec<u8> {
    const ROM: u32 = 0xffff_0000;
    const CODE: u32 = 0xff00;
    const GDT: u32 = 0xff80;
    const GDT_POINTER: u32 = 0xffa0;
    const RESET: u32 = 0xfff0;
    let le = u32::to_le_bytes;
    #[rustfmt::skip]
    let code = [
        &[0x66, 0x2e, 0x0f, 0x01, 0x16, 0xa0, 0xff][..], // lgdt %cs:GDT_POINTER
        &[0x0f, 0x20, 0xc0],                             // mov %cr0, %eax
        &[0x0c, 0x01],                                   // or $1, %al
        &[0x0f, 0x22, 0xc0],                             // mov %eax, %cr0
        &[0x66, 0xea], &le(ROM + CODE + 23), &[8, 0],    // ljmp $8, the next line
        &[0xb8], &le(16),                                // mov $16, %eax
        &[0x8e, 0xd8],                                   // mov %eax, %ds
        &[0x8e, 0xc0],                                   // mov %eax, %es
        &[0x8e, 0xd0],                                   // mov %eax, %ss
        &[0xbb], &le(BASE),                              // mov $BASE, %ebx
        &[0x8a, 0x03],                                   // 1: mov (%ebx), %al
        &[0x81, 0xc3], &le(128 << 10),                   // add $0x20000, %ebx
        &[0x81, 0xfb], &le(end),                         // cmp $end, %ebx
        &[0x72, 0xf0],                                   // jb 1b
        &[0xbb], &le(BASE),                              // mov $BASE, %ebx
        &[0xb8], &le(entry),                             // mov $entry, %eax
        &[0xff, 0xe0],                                   // jmp *%eax
    ]
    .concat();
    // None, code, data. Both are marked as accessed, since the ROM cannot be written.
    let gdt = [0, 0x00cf_9b00_0000_ffff_u64, 0x00cf_9300_0000_ffff].map(u64::to_le_bytes).concat();
    let gdt_pointer = [&[23, 0][..], &le(ROM + GDT)].concat();
    let jump = [&[0xe9][..], &(CODE as u16).wrapping_sub(RESET as u16 + 3).to_le_bytes()].concat();
    let mut rom = vec![0; 1 << 16];
    for (at, bytes) in [(CODE, code), (GDT, gdt), (GDT_POINTER, gdt_pointer), (RESET, jump)] {
        rom[at as usize..][..bytes.len()].copy_from_slice(&bytes);
    }
    rom
}

/// Bochs's configuration: the CPU, memory, a serial port, and as little else as possible. Paths are
/// relative to the folder of the run.
fn configuration(cpu: &Cpu) -> String {
    let model = cpu.model;
    format!(
        "display_library: term
cpu: model={model}, ips={INSTRUCTIONS_PER_SECOND}, reset_on_triple_fault=0, ignore_bad_msrs=1
memory: guest={RAM_MIB}, host={RAM_MIB}
romimage: file=rom
optramimage1: file=ram, address={BASE:#x}
com1: enabled=1, mode=file, dev=/dev/stderr
plugin_ctrl: biosdev=0, extfpuirq=0, gameport=0, iodebug=0, parallel=0, speaker=0
sound: waveoutdrv=dummy, waveindrv=dummy, midioutdrv=dummy
pci: enabled=0
ata0: enabled=0
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

/// Puts `bytes` at the guest's `address`.
fn put(ram: &mut Vec<u8>, address: u32, bytes: &[u8]) {
    let start = (address - BASE) as usize;
    let end = start + bytes.len();
    if ram.len() < end {
        ram.resize(end, 0);
    }
    ram[start..end].copy_from_slice(bytes);
}

fn read_u32(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

fn read_u64(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
}
