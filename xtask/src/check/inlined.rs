//! `cargo xtask inlined`: checks that no function for a single instruction is called.
//!
//! `core::core_arch` has a function for each instruction, and the library one for each operation of
//! a vector. The compiler inlines it only into code that requires the same instruction set.
//! Elsewhere, as in a closure or in a function that lost its `#[target_feature]` or
//! `#[inline(always)]`, it is called. The digests stay right but the speed collapses, so no other
//! test notices.
//!
//! A called function is in the executable, and its name in the symbol table. Only names are
//! examined, so this works for any executable format and any CPU. The linker drops functions that
//! nobody calls.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use object::{Object, ObjectSymbol, SymbolKind};

use crate::command::{built, cargo};

/// Check that the compiler has inlined all CPU instructions of the programs that have every kernel.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The packages of the programs [default: all]
    #[arg(value_parser = PROGRAMS.map(|(package, ..)| package))]
    packages: Vec<String>,
}

/// The modules of the functions for instructions.
const INSTRUCTIONS: [&str; 3] =
    ["core::core_arch::", "<hashlanes::vector::", "hashlanes::vector::"];

/// Functions that may be called: they query the CPU's features, which happens once.
const ASKED_ONCE: [&str; 4] = ["_xgetbv", "__cpuid", "__cpuid_count", "__get_cpuid_max"];

/// Part of the names of the library's kernels.
pub(crate) const LIBRARY: &str = "hashlanes::kernel::table::";

/// Programs: package, executable, and a part of the names of the functions into which all kernels
/// are inlined.
const PROGRAMS: [(&str, &str, &str); 2] = [
    ("hashlanes-cli", "hashlanes", LIBRARY),
    ("hashlanes-bench-records", "hashlanes-bench-records", "hashlanes_records::cbc::table::"),
];

pub(crate) fn run(args: &Args) -> Result<()> {
    let wanted = |package| args.packages.is_empty() || args.packages.iter().any(|p| p == package);
    PROGRAMS
        .iter()
        .filter(|(package, ..)| wanted(package))
        .try_for_each(|(package, executable, kernels)| check(package, executable, kernels))
}

fn check(package: &str, executable: &str, kernels: &str) -> Result<()> {
    let build = ["build", "--release", "-p", package, "--bin", executable];
    let program = built(|| {
        let mut command = cargo();
        command.args(build);
        command
    })?;
    check_executable(&program, kernels)
}

/// Checks an executable. `kernels` is a part of the names of the functions into which all kernels
/// are inlined.
pub(crate) fn check_executable(program: &Path, kernels: &str) -> Result<()> {
    let names = symbols(program)?;
    // An executable without symbols would have none of the names, allowed or not.
    let kernels = names.iter().filter(|name| name.contains(kernels)).count();
    ensure!(kernels > 0, "{}: no kernel among its symbols; stripped?", program.display());
    let mut called: Vec<&str> = names.iter().filter_map(|name| instruction(name)).collect();
    called.sort_unstable();
    called.dedup();
    ensure!(called.is_empty(), "called and not inlined:\n  {}", called.join("\n  "));
    eprintln!(
        "{}: {kernels} functions of kernels, and no instruction among {} functions",
        program.display(),
        names.len()
    );
    Ok(())
}

/// The names of all functions that an executable defines.
fn symbols(path: &Path) -> Result<Vec<String>> {
    let read = || format!("cannot read {}", path.display());
    let bytes = fs::read(path).with_context(read)?;
    let file = object::File::parse(bytes.as_slice()).with_context(read)?;
    let is_function = |symbol: &object::Symbol<'_, '_>| symbol.kind() == SymbolKind::Text;
    let defined = file.symbols().filter(|symbol| symbol.is_definition() && is_function(symbol));
    // `#` leaves out the hash that makes a name unique.
    let name = |symbol: object::Symbol<'_, '_>| {
        Some(format!("{:#}", rustc_demangle::demangle(symbol.name().ok()?)))
    };
    Ok(defined.filter_map(name).collect())
}

/// The function's name, if it is one for an instruction that must be inlined.
fn instruction(name: &str) -> Option<&str> {
    let function = INSTRUCTIONS.iter().find_map(|module| name.strip_prefix(module))?;
    let last = function.rsplit("::").next()?;
    (!ASKED_ONCE.contains(&last)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_told_by_their_module() {
        let of = |mangled| format!("{:#}", rustc_demangle::demangle(mangled));
        // Rust's two ways to mangle names.
        let legacy = "_ZN4core9core_arch3x867avx512f16_mm512_add_epi3217h0123456789abcdefE";
        let v0 = "_RNvNtNtNtCs4fqI2P2rA04_4core9core_arch3x867avx512f16__mm512_add_epi32";
        for name in [legacy, v0] {
            let name = of(name);
            assert_eq!(instruction(&name), Some("core::core_arch::x86::avx512f::_mm512_add_epi32"));
        }
        let xgetbv = of("_ZN4core9core_arch3x865xsave7_xgetbv17h0123456789abcdefE");
        assert_eq!(instruction(&xgetbv), None);
        assert_eq!(instruction("<core::core_arch::x86::__m512i as core::fmt::Debug>::fmt"), None);
        for name in [
            "<hashlanes::vector::avx2::U32x8 as hashlanes::vector::Vector>::add::compute",
            "hashlanes::vector::avx2::transpose_32",
        ] {
            assert_eq!(instruction(name), Some(name));
        }
        assert_eq!(instruction("main"), None);
    }

    #[test]
    fn names_of_an_executable_are_read() {
        let names = symbols(&std::env::current_exe().unwrap()).unwrap();
        assert!(names.iter().any(|name| name.contains("inlined::tests::names_of_an_executable")));
        assert!(symbols(Path::new(file!())).is_err());
    }
}
