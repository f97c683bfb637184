//! Links each kernel alone: its code and its constants in one piece that runs at any address.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use object::elf;
use object::read::archive::ArchiveFile;
use object::read::elf::{ElfFile64, FileHeader, SectionHeader};
use object::{Endianness, Object, ObjectSection, ObjectSymbol, RelocationFlags, SymbolKind};

use super::Machine;
use super::stack::{self, Function};
use crate::command::{output, target};

/// A row of the library's table.
pub(super) struct Row {
    pub(super) family: String,
    pub(super) name: String,
    pub(super) lanes: u16,
    /// Bits by their place in [`Machine::needs`].
    pub(super) needs: u16,
    pub(super) cycles: [u16; 6],
    pub(super) code: Code,
    /// What is faster for long runs of blocks.
    pub(super) long: Option<Code>,
    /// What hashes whole messages.
    pub(super) whole: Option<Code>,
}

/// A kernel.
#[derive(PartialEq, Eq)]
pub(super) struct Code {
    /// The code with its constants, in whole words of 8 bytes.
    pub(super) bytes: Vec<u8>,
    pub(super) align: u64,
    /// The most bytes of stack that it uses.
    pub(super) stack: u64,
}

/// Where code and constants go. What else there may be is refused.
const SCRIPT: &str = "SECTIONS {
  . = 0;
  .blob : {
    KEEP(*(\".text.ENTRY\")) *(.text .text.*) . = ALIGN(64);
    *(.rodata .rodata.*) . = ALIGN(8);
  }
  .refused : {
    *(.got .got.* .igot .igot.* .plt .plt.* .data .data.* .bss .bss.* COMMON .tdata .tbss
      .init_array)
  }
  /DISCARD/ : {
    *(.eh_frame .eh_frame.* .comment .note .note.* .gcc_except_table .gcc_except_table.* .debug_*)
  }
}
";

/// Relocations between parts of the same piece.
const RELATIVE: [elf::RelocationType; 3] =
    [elf::R_X86_64_PC32, elf::R_X86_64_PLT32, elf::R_X86_64_PC64];
const RELATIVE_ARM: [elf::RelocationType; 6] = [
    elf::R_AARCH64_PREL32,
    elf::R_AARCH64_PREL64,
    elf::R_AARCH64_ADR_PREL_LO21,
    elf::R_AARCH64_CALL26,
    elf::R_AARCH64_JUMP26,
    elf::R_AARCH64_LD_PREL_LO19,
];

/// The compiler calls `memcpy` through a table of addresses. This allows the linker to call it
/// directly instead.
fn relax(library: &Path) -> Result<()> {
    let mut bytes = fs::read(library)?;
    let mut types = Vec::new();
    for member in ArchiveFile::parse(&*bytes)?.members() {
        let range = member?.file_range();
        let member = bytes.get(range.0 as usize..).context("a short archive")?;
        let Ok(file) = ElfFile64::<Endianness>::parse(member) else { continue };
        let endian = file.endian();
        for (_, section) in file.elf_section_table().enumerate() {
            let Some((entries, _)) = section.rela(endian, member)? else { continue };
            let first = range.0 + section.sh_offset(endian);
            let calls = |entry: &elf::Rela64<Endianness>| {
                entry.r_type(endian, false) == elf::R_X86_64_GOTPCREL
            };
            let found = entries.iter().zip(0..).filter(|(entry, _)| calls(entry));
            types.extend(
                found.map(|(_, i)| first + i * size_of::<elf::Rela64<Endianness>>() as u64),
            );
        }
    }
    for entry in types {
        // The type is in the lower half of `r_info`, after `r_offset`.
        let at = entry as usize + 8;
        bytes[at..at + 4].copy_from_slice(&elf::R_X86_64_GOTPCRELX.0.to_le_bytes());
    }
    Ok(fs::write(library, bytes)?)
}

/// All rows of the library, the narrowest of a family first.
pub(super) fn rows(library: &Path, machine: &Machine) -> Result<Vec<Row>> {
    if machine.go == "amd64" {
        relax(library)?;
    }
    let folder = target().join("go-assembly").join("linked").join(machine.go);
    fs::create_dir_all(&folder)?;
    let nm = format!("{}nm", machine.prefix);
    let names =
        output(Command::new(nm).args(["--defined-only", "--format=just-symbols"]).arg(library))?;
    let mut rows = Vec::new();
    for name in names.lines().filter_map(|name| name.strip_prefix("hashlanes_")) {
        let has = |symbol: &str| names.lines().any(|name| name == symbol);
        rows.push(row(library, name, has, &folder, machine).with_context(|| name.to_owned())?);
    }
    ensure!(!rows.is_empty(), "{} has no kernels", library.display());
    rows.sort_by(|a, b| (&a.family, a.lanes, &a.name).cmp(&(&b.family, b.lanes, &b.name)));
    Ok(rows)
}

fn row(
    library: &Path,
    name: &str,
    has: impl Fn(&str) -> bool,
    folder: &Path,
    machine: &Machine,
) -> Result<Row> {
    let (family, row) = name.split_once('_').context("no family")?;
    let (about, _) = piece(&linked(library, &format!("about_{name}"), folder, machine)?)?;
    let (fields, _) = about.as_chunks();
    let fields: Vec<_> = fields.iter().map(|&field| u16::from_le_bytes(field)).collect();
    let [lanes, needs, ref cycles @ ..] = fields[..8] else { bail!("too short") };
    let code = |prefix: &str| {
        let entry = format!("{prefix}_{name}");
        if !has(&entry) {
            return Ok(None);
        }
        let program = linked(library, &entry, folder, machine)?;
        let (bytes, align) = piece(&program)?;
        let stack = stack::of(&program, &functions(&program, &entry)?, machine)?;
        anyhow::Ok(Some(Code { bytes, align, stack }))
    };
    Ok(Row {
        family: family.to_owned(),
        name: row.to_owned(),
        lanes,
        needs,
        cycles: cycles.try_into()?,
        code: code("hashlanes")?.context("no code")?,
        long: code("long")?,
        whole: code("whole")?,
    })
}

/// Links what a symbol needs.
fn linked(
    library: &Path,
    entry: &str,
    folder: &Path,
    machine: &Machine,
) -> Result<std::path::PathBuf> {
    let (script, program) =
        (folder.join(format!("{entry}.ld")), folder.join(format!("{entry}.elf")));
    fs::write(&script, SCRIPT.replace("ENTRY", entry))?;
    let mut ld = Command::new(format!("{}ld", machine.prefix));
    ld.args(["-static", "--emit-relocs", "--gc-sections", "--no-undefined", "-nostdlib"]);
    ld.args(["--no-warn-rwx-segments", "--entry", entry, "-u", entry, "-T"]);
    output(ld.arg(&script).arg("-o").arg(&program).arg(library))?;
    Ok(program)
}

/// The bytes of a program that is a single piece, and their alignment.
fn piece(program: &Path) -> Result<(Vec<u8>, u64)> {
    let file = fs::read(program)?;
    let file: ElfFile64<'_> = ElfFile64::parse(&*file)?;
    let refused = file.section_by_name(".refused").map_or(0, |section| section.size());
    ensure!(refused == 0, "{refused} bytes of addresses or of memory to write");
    let section = file.section_by_name(".blob").context("no code")?;
    let relative: &[elf::RelocationType] = match file.elf_header().e_machine(file.endian()) {
        elf::EM_AARCH64 => &RELATIVE_ARM,
        _ => &RELATIVE,
    };
    for (offset, relocation) in section.relocations() {
        let RelocationFlags::Elf { r_type } = relocation.flags() else { continue };
        ensure!(relative.contains(&r_type), "relocation {r_type} at {offset:#x} is an address");
    }
    let mut bytes = section.data()?.to_vec();
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    Ok((bytes, section.elf_section_header().sh_addralign(file.endian())))
}

/// The functions of a program, which must begin with one of this name.
fn functions(program: &Path, entry: &str) -> Result<Vec<Function>> {
    let file = fs::read(program)?;
    let file: ElfFile64<'_> = ElfFile64::parse(&*file)?;
    let mut functions = Vec::new();
    for symbol in file.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text) {
        functions.push((symbol.name()?.to_owned(), symbol.address(), symbol.size()));
    }
    functions.sort_by_key(|function| function.1);
    let begins = |(name, start, _): &Function| name == entry && *start == 0;
    ensure!(functions.iter().any(begins), "it does not begin with its code");
    Ok(functions)
}
