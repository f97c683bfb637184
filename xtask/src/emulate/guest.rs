//! What the guest is: its CPU, and the disc that it boots from.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::command::output;
use crate::folder::empty;

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

/// Lines that the init script prints before and after the executable's output.
pub(super) const STARTED: &str = "emulate: started";
pub(super) const STATUS: &str = "emulate: exit status ";

/// The boot loader, and what it reads first.
const LOADER: [&str; 2] =
    ["/usr/lib/ISOLINUX/isolinux.bin", "/usr/lib/syslinux/modules/bios/ldlinux.c32"];

/// Makes `disc.iso` in a folder, with the kernel and the guest's root file system.
pub(super) fn disc(
    folder: &Path,
    cpu: &Cpu,
    kernel: &Path,
    binary: &Path,
    args: &[String],
    variables: &[(&str, &str)],
) -> Result<()> {
    let (root, disc) = (empty(folder.join("root"))?, empty(folder.join("disc"))?);
    for name in ["bin", "dev", "lib", "lib64", "proc", "tmp"] {
        fs::create_dir(root.join(name))?;
    }
    let init = root.join("init");
    fs::write(&init, script(cpu, args, variables))?;
    fs::set_permissions(&init, PermissionsExt::from_mode(0o755))?;
    let copy = |from: &Path, to: &Path| {
        fs::copy(from, to).with_context(|| format!("cannot copy {}", from.display())).map(drop)
    };
    copy("/bin/busybox".as_ref(), &root.join("bin/busybox"))?;
    copy(binary, &root.join("bin/test"))?;
    // The loader is where the executable expects it, the others in a folder that it searches.
    let libraries = output(Command::new("ldd").arg(binary))?;
    for library in libraries.split_whitespace().filter(|word| word.starts_with('/')) {
        let folder = if library.starts_with("/lib64/") { "lib64" } else { "lib" };
        let name = library.rsplit('/').next().unwrap_or_default();
        copy(library.as_ref(), &root.join(folder).join(name))?;
    }
    let pack = "find . | cpio --quiet --create --format=newc --owner=0:0 --file=../disc/initrd";
    output(Command::new("sh").args(["-c", pack]).current_dir(&root))?;
    copy(kernel, &disc.join("vmlinuz"))?;
    for file in LOADER.map(Path::new) {
        copy(file, &disc.join(file.file_name().unwrap_or_default()))?;
    }
    let line = kernel_command_line(cpu);
    let boot = format!("DEFAULT test\nLABEL test\nKERNEL vmlinuz\nINITRD initrd\nAPPEND {line}\n");
    fs::write(disc.join("isolinux.cfg"), boot)?;
    let mut make = Command::new("xorriso");
    make.args(["-as", "mkisofs", "-quiet", "-o", "disc.iso", "-b", "isolinux.bin"]);
    make.args(["-no-emul-boot", "-boot-load-size", "4", "-boot-info-table", "disc"]);
    output(make.current_dir(folder)).map(drop)
}

/// What the guest does once it has booted.
fn script(cpu: &Cpu, args: &[String], variables: &[(&str, &str)]) -> String {
    let quoted = |word: &str| format!("'{}'", word.replace('\'', r"'\''"));
    let args: String = args.iter().map(|arg| format!(" {}", quoted(arg))).collect();
    let variables: String =
        variables.iter().map(|(name, value)| format!("{name}={} ", quoted(value))).collect();
    let flags = cpu.flags.join(" ");
    // The script must not end, or the kernel panics: the emulator is ended instead, once the exit
    // status has arrived.
    format!(
        "#!/bin/busybox sh
/bin/busybox mount -t proc proc /proc
/bin/busybox mount -t devtmpfs dev /dev
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
    )
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
