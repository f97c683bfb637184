//! ISA-L's interface: its headers, its library, and programs written for ISA-L.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use hashlanes_capi_tests::{
    ISAL, Link, compile_with, folder, installed, pkg_config_of, root, source, succeed, symbols,
    valgrind,
};

use crate::library::INTERFACE;

/// C11 for `aligned_alloc`, and OpenSSL to compare with. The old names are marked as deprecated.
const OPTIONS: [&str; 3] = ["-std=c11", "-Wno-deprecated-declarations", "-lcrypto"];

#[test]
fn every_function_flag_and_error() {
    let program = compile_with(ISAL, &source("isal.c"), Link::Shared, &OPTIONS);
    assert_eq!(succeed(&mut Command::new(&program)), "every function of five\n");
    assert_eq!(succeed(&mut valgrind(&program)), "every function of five\n");
}

/// With each kernel that this CPU can run. Names of other kernels have no effect.
#[test]
fn in_every_kernel() {
    let program = compile_with(ISAL, &source("isal.c"), Link::Archive, &OPTIONS);
    for kernel in [
        "portable",
        "bmi2",
        "sse41",
        "avx2",
        "avx512-256",
        "avx512",
        "portable-x2",
        "bmi2-x2",
        "sse41-x2",
        "avx2-x2",
        "avx2-copy-x2",
        "avx512-256-x2",
        "avx512-x2",
        "avx512-copy",
        "avx512-copy-x2",
        "avx512-copy-lines-x2",
        "sha-ni",
        "sha-ni-x2",
        "sha-ni-x4",
        "sha-ni-avx512-x4",
    ] {
        let said = succeed(Command::new(&program).env("HASHLANES_KERNEL", kernel));
        assert_eq!(said, "every function of five\n", "{kernel}");
    }
}

/// The answers in `vectors/`, which the tests of all languages share.
#[test]
fn the_vector_file() {
    let program = compile_with(ISAL, &source("isal_vectors.c"), Link::Shared, &[]);
    let file = root().join("vectors/digests.txt");
    let text = fs::read_to_string(&file).expect("it is there");
    let has = |line: &&str| {
        ["md5", "sha1", "sha256", "sha512", "sm3"]
            .iter()
            .any(|name| line.starts_with(&format!("digest {name} ")))
    };
    let lines = text.lines().filter(has).count();
    assert!(lines > 100);
    assert_eq!(succeed(Command::new(&program).arg(&file)), format!("{lines} lines\n"));
    assert_eq!(succeed(valgrind(&program).arg(&file)), format!("{lines} lines\n"));
}

/// A command that compiles a program with one header. Any warning is an error.
fn compile_header(compiler: &str, name: &str, text: &str, options: &[&str]) -> Command {
    let file = folder("isal-headers").join(name);
    fs::write(&file, text).expect("it can be written");
    let mut command = Command::new(compiler);
    command.args(["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only"]).args(options);
    command.args(pkg_config_of(ISAL, Link::Shared)).arg(file);
    command
}

#[test]
fn each_header_compiles_by_itself_in_c_and_cpp() {
    let headers = installed().join("include/hashlanes-isal/isa-l_crypto");
    let mut count = 0;
    for entry in fs::read_dir(headers).expect("it is there") {
        let name = entry.expect("an entry").file_name().to_string_lossy().into_owned();
        if !name.ends_with(".h") {
            continue;
        }
        let text = format!("#include <isa-l_crypto/{name}>\nint used;\n");
        succeed(&mut compile_header("cc", &format!("{name}.c"), &text, &["-std=c99"]));
        succeed(&mut compile_header("c++", &format!("{name}.cpp"), &text, &["-std=c++11"]));
        count += 1;
    }
    assert_eq!(count, 8);
}

#[test]
fn old_names_are_deprecated_or_absent() {
    let text = "#include <isa-l_crypto.h>\n\
        void f(MD5_HASH_CTX_MGR *m) { md5_ctx_mgr_init(m); }\n";
    let output = compile_header("cc", "old.c", text, &["-std=c99"]).output().expect("a compiler");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("use isal_md5_ctx_mgr_init"), "{said}");
    let (without, quiet) = ("-DNO_COMPAT_ISAL_CRYPTO_API_2_24", "-Wno-deprecated-declarations");
    succeed(&mut compile_header("cc", "old.c", text, &["-std=c99", quiet]));
    let mut none = compile_header("cc", "old.c", text, &["-std=c99", quiet, without]);
    assert!(!none.output().expect("a compiler").status.success());
}

/// The functions that the headers declare, once their macros are replaced.
fn declared() -> BTreeSet<String> {
    let file = folder("isal-headers").join("declared.c");
    fs::write(&file, "#include <isa-l_crypto.h>\n").expect("it can be written");
    let mut cc = Command::new("cc");
    cc.args(["-E", "-P", "-DISAL_UNIT_TEST"]).args(pkg_config_of(ISAL, Link::Shared)).arg(file);
    let is_ours = |name: &&str| name.starts_with("isal_") || name.contains("_ctx_mgr_");
    succeed(&mut cc)
        .split(';')
        .filter_map(|declaration| declaration.split_once('('))
        .filter_map(|(start, _)| start.rsplit([' ', '*', '\n']).next())
        .filter(is_ours)
        .map(str::to_owned)
        .collect()
}

#[test]
fn the_libraries_export_the_declared_functions_and_nothing_else() {
    let declared = declared();
    assert_eq!(declared.len(), 5 * 6 + 3);
    let lib = installed().join("lib");
    assert_eq!(symbols(&lib.join("libhashlanes_isal.a"), &[]), declared);
    let exported = symbols(&lib.join("libhashlanes_isal.so"), &["--dynamic"]);
    let expected = declared.iter().map(|name| format!("{name}@@HASHLANES_ISAL_{INTERFACE}"));
    let expected: BTreeSet<_> = expected.chain([format!("HASHLANES_ISAL_{INTERFACE}")]).collect();
    assert_eq!(exported, expected);
}

/// A program may use both interfaces.
#[test]
fn a_program_can_link_both_libraries() {
    let both = folder("isal-both");
    let file = both.join("both.c");
    let text = "\
#include <hashlanes.h>
#include <isa-l_crypto.h>
int main(void)
{
    ISAL_SHA256_HASH_CTX_MGR mgr;
    return isal_sha256_ctx_mgr_init(&mgr) + !hashlanes_version();
}
";
    fs::write(&file, text).expect("it can be written");
    let program = both.join("both");
    let mut cc = Command::new("cc");
    cc.arg(&file).arg("-o").arg(&program);
    for library in [ISAL, "hashlanes"] {
        let words = pkg_config_of(library, Link::Archive).into_iter();
        cc.args(words.map(|word| match word.strip_prefix("-lhashlanes") {
            Some(rest) => format!("-l:libhashlanes{rest}.a"),
            None => word,
        }));
    }
    succeed(&mut cc);
    succeed(&mut Command::new(program));
}
