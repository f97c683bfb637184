//! What the guest is: its CPU, its root file system, and its memory when it starts.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::command::output;

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

/// Where the guest's RAM image begins: past the hole below 1 MiB.
pub(super) const BASE: u32 = 0x10_0000;
pub(super) const RAM_MIB: u32 = 1024;

/// Lines that the init script prints before and after the executable's output.
pub(super) const STARTED: &str = "emulate: started";
pub(super) const STATUS: &str = "emulate: exit status ";

/// The guest's root file system: a cpio archive in the "newc" format.
pub(super) fn initramfs(
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
pub(super) fn ram_image(cpu: &Cpu, kernel: &[u8], initramfs: &[u8]) -> Result<(Vec<u8>, u32)> {
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
        // protection keys. The kernel would then turn off AVX and all that needs it.
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
pub(super) fn rom(entry: u32, end: u32) -> Vec<u8> {
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

/// Puts `bytes` at the guest's `address`.
fn put(ram: &mut Vec<u8>, address: u32, bytes: &[u8]) {
    let start = (address - BASE) as usize;
    let end = start + bytes.len();
    if ram.len() < end {
        ram.resize(end, 0);
    }
    ram[start..end].copy_from_slice(bytes);
}

pub(super) fn read_u32(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

fn read_u64(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
}
