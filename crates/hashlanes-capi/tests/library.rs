//! The installed libraries: their symbols and names, and how programs find them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use hashlanes_capi_tests::{
    C99, Link, PROFILE, cargo, compile, folder, installed, pkg_config, root, source, succeed,
    symbols,
};

/// The part of the version that changes when programs have to be recompiled. From version 1 on it
/// is the first number.
pub(crate) const INTERFACE: &str =
    concat!(env!("CARGO_PKG_VERSION_MAJOR"), ".", env!("CARGO_PKG_VERSION_MINOR"));

/// The functions that the header declares.
fn declared() -> BTreeSet<String> {
    let header = fs::read_to_string(installed().join("include/hashlanes.h")).expect("it is there");
    let code = header.lines().filter(|line| !line.starts_with("//") && !line.starts_with(' '));
    let names = code.filter_map(|line| {
        let name = line.split_once('(')?.0.rsplit([' ', '*']).next()?;
        name.starts_with("hashlanes_").then(|| name.to_owned())
    });
    names.collect()
}

#[test]
fn the_archive_exports_the_declared_functions_and_nothing_else() {
    assert_eq!(symbols(&installed().join("lib/libhashlanes.a"), &[]), declared());
}

#[test]
fn the_shared_library_exports_versioned_functions() {
    let exported = symbols(&installed().join("lib/libhashlanes.so"), &["--dynamic"]);
    let expected = declared().into_iter().map(|name| format!("{name}@@HASHLANES_{INTERFACE}"));
    let expected: BTreeSet<_> = expected.chain([format!("HASHLANES_{INTERFACE}")]).collect();
    assert_eq!(exported, expected);
}

#[test]
fn the_shared_library_has_a_soname_and_links() {
    let lib = installed().join("lib");
    let dynamic = succeed(Command::new("readelf").arg("-d").arg(lib.join("libhashlanes.so")));
    let soname = format!("libhashlanes.so.{INTERFACE}");
    assert!(dynamic.contains(&format!("soname: [{soname}]")), "{dynamic}");
    let link = |name| fs::read_link(lib.join(name)).expect("a link");
    assert_eq!(link("libhashlanes.so"), Path::new(&soname));
    let file = concat!("libhashlanes.so.", env!("CARGO_PKG_VERSION"));
    assert_eq!(link(&soname), Path::new(file));
    // The program requires the interface version, not the exact version.
    let program = compile(&source("header.c"), Link::Shared, &[]);
    let needed = succeed(Command::new("readelf").arg("-d").arg(program));
    assert!(needed.contains(&format!("[{soname}]")), "{needed}");
}

#[test]
fn a_program_can_be_linked_in_every_way() {
    for link in [Link::Shared, Link::Archive, Link::Static] {
        let program = compile(&source("functions.c"), link, &[]);
        assert_eq!(succeed(&mut Command::new(program)), "every function\n");
    }
}

/// Links the library's archive and one made by rustc, which exports all its symbols. Both contain
/// the Rust runtime.
#[test]
fn a_program_can_link_two_rust_archives() {
    let folder = folder("two");
    let other = folder.join("libother.a");
    let mut rustc = Command::new("rustc");
    rustc.args(["--edition=2024", "--crate-type=staticlib", "-Cpanic=unwind", "-O", "-o"]);
    succeed(rustc.arg(&other).arg(source("other.rs")));
    let ours = installed().join("lib/libhashlanes.a");
    // Both orders are tried, because the linker takes the first definition that it finds.
    for (i, archives) in [[&ours, &other], [&other, &ours]].into_iter().enumerate() {
        let program = folder.join(format!("two-{i}"));
        let mut cc = Command::new("cc");
        cc.args(C99).arg(source("two.c")).arg("-I").arg(installed().join("include"));
        cc.arg("-Wl,--whole-archive").args(archives).arg("-Wl,--no-whole-archive");
        cc.args(["-lutil", "-lrt", "-lpthread", "-lm", "-ldl", "-o"]).arg(&program);
        succeed(&mut cc);
        assert_eq!(succeed(&mut Command::new(program)), "two archives\n");
    }
}

#[test]
fn pkg_config_has_all_flags_that_a_program_needs() {
    let words = pkg_config(Link::Shared);
    assert!(words.contains(&"-lhashlanes".to_owned()), "{words:?}");
    assert!(!words.contains(&"-lpthread".to_owned()), "{words:?}");
    assert!(pkg_config(Link::Archive).contains(&"-lpthread".to_owned()));
    // The compiler adds libgcc_s by itself, and a static program has none.
    assert!(!pkg_config(Link::Archive).iter().any(|word| word.contains("gcc")));
}

#[test]
fn cmake_finds_the_package() {
    let folder = folder("cmake");
    let lists = format!(
        "\
cmake_minimum_required(VERSION 3.16)
project(tries C)
find_package(hashlanes {INTERFACE} REQUIRED)
foreach(kind hashlanes hashlanes_static)
  add_executable(with_${{kind}} {})
  target_link_libraries(with_${{kind}} PRIVATE hashlanes::${{kind}})
endforeach()
find_package(hashlanes 0.99 QUIET)
if(hashlanes_FOUND)
  message(FATAL_ERROR \"{INTERFACE} was taken for 0.99\")
endif()
",
        source("functions.c").display()
    );
    fs::write(folder.join("CMakeLists.txt"), lists).expect("it can be written");
    // A moved prefix works as well, because the package contains no absolute path.
    let prefix = folder.join("moved");
    let _ = fs::remove_dir_all(&prefix);
    succeed(Command::new("cp").arg("-a").arg(installed()).arg(&prefix));
    let build = folder.join("build");
    let _ = fs::remove_dir_all(&build);
    let mut configure = Command::new("cmake");
    configure.arg("-S").arg(&folder).arg("-B").arg(&build);
    succeed(configure.arg(format!("-DCMAKE_PREFIX_PATH={}", prefix.display())));
    succeed(Command::new("cmake").arg("--build").arg(&build));
    for program in ["with_hashlanes", "with_hashlanes_static"] {
        assert_eq!(succeed(&mut Command::new(build.join(program))), "every function\n");
    }
}

/// The packages are only unpacked. `cargo xtask deb --try-it` installs them.
#[test]
fn debian_packages_have_what_a_program_needs() {
    let packages = succeed(cargo().args(["xtask", "deb", "--only", "libraries"]).args(PROFILE));
    let scratch = folder("deb");
    let _ = fs::remove_dir_all(&scratch);
    let (runtime, development) = packages.trim().split_once('\n').unwrap();
    let mut fields = String::new();
    for package in [runtime, development] {
        succeed(Command::new("dpkg-deb").arg("-x").arg(package).arg(&scratch));
        fields += &succeed(Command::new("dpkg-deb").arg("-f").arg(package));
    }
    assert!(fields.contains("Depends: libc6 (>= 2."), "{fields}");
    assert!(fields.contains("Depends: libhashlanes"), "{fields}");
    let multiarch = succeed(Command::new("cc").arg("-print-multiarch"));
    let libdir = scratch.join("usr/lib").join(multiarch.trim());
    let mut words = Command::new("pkg-config");
    words.env("PKG_CONFIG_LIBDIR", libdir.join("pkgconfig"));
    words.env("PKG_CONFIG_SYSROOT_DIR", &scratch);
    let words = succeed(words.args(["--cflags", "--libs", "hashlanes"]));
    let program = scratch.join("vectors");
    let mut cc = Command::new("cc");
    cc.args(C99).arg(source("vectors.c")).arg("-o").arg(&program).args(words.split_whitespace());
    succeed(&mut cc);
    let mut run = Command::new(program);
    run.env("LD_LIBRARY_PATH", libdir).arg(root().join("vectors/digests.txt"));
    assert!(succeed(&mut run).ends_with("algorithms\n"));
}
