//! The header is what cbindgen generates from the crate, and compiles as C99 and as C++11.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

use hashlanes_capi_tests::{C99, folder, root, source, succeed};

const UPDATE: &str = "HASHLANES_UPDATE_HEADER";

#[test]
fn the_committed_header_is_current() {
    let package = root().join("crates/hashlanes-capi");
    let header = package.join("include/hashlanes.h");
    let config = cbindgen::Config::from_file(package.join("cbindgen.toml")).expect("it is there");
    let bindings = cbindgen::generate_with_config(&package, config).expect("the crate is parsed");
    let mut made = Vec::new();
    bindings.write(&mut made);
    if env::var_os(UPDATE).is_some() {
        fs::write(&header, &made).expect("the header can be written");
    }
    let made = String::from_utf8(made).expect("text");
    let committed = fs::read_to_string(&header).expect("it is there");
    let difference = made.lines().zip(committed.lines()).find(|(made, there)| made != there);
    assert!(
        made == committed,
        "{} is not what the crate declares: {difference:?}. {UPDATE}=1 cargo test -p \
         hashlanes-capi-tests header regenerates it",
        header.display()
    );
}

/// Every function and constant has documentation, and functions state from how many threads they
/// may be called.
#[test]
fn everything_is_documented() {
    let header = fs::read_to_string(root().join("crates/hashlanes-capi/include/hashlanes.h"))
        .expect("it is there");
    let (mut functions, mut comment) = (0, String::new());
    for line in header.lines().skip_while(|line| !line.starts_with("#define HASHLANES_H")).skip(1) {
        if line.starts_with("//") {
            comment.push_str(line);
            continue;
        }
        if line.starts_with("#define") || line.starts_with("typedef struct") {
            assert!(!comment.is_empty(), "without a comment: {line}");
        } else if line.contains(" hashlanes_") && line.contains('(') {
            functions += 1;
            assert!(comment.contains("Threads: "), "{line}: the comment does not mention threads");
        }
        comment.clear();
    }
    assert!(functions >= 50, "only {functions} functions were found");
}

fn compiles(compiler: &str, options: &[&str], program: &str) {
    let include = root().join("crates/hashlanes-capi/include");
    let object = folder("header").join(Path::new(program).with_extension("o"));
    let mut compile = Command::new(compiler);
    compile.args(options).arg("-I").arg(include).arg("-c").arg(source(program));
    succeed(compile.arg("-o").arg(object));
}

#[test]
fn it_is_c99() {
    compiles("cc", &C99, "header.c");
}

#[test]
fn it_is_c11_and_c17() {
    for standard in ["-std=c11", "-std=c17"] {
        compiles("cc", &[&C99[1..], &[standard]].concat(), "header.c");
    }
}

#[test]
fn it_is_cpp11() {
    compiles("c++", &[&C99[1..], &["-std=c++11"]].concat(), "header.cpp");
}
