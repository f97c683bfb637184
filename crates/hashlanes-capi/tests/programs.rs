//! C programs that use the library, correctly and incorrectly, under valgrind.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use hashlanes_capi_tests::{
    Link, compile, compile_in, installed, root, source, succeed, valgrind, wiped,
};

/// `functions.c` and `stack.c` call each function that the header declares, and `exhausted.c` each
/// of those that can fail, except those that end the process if there is no memory.
#[test]
fn every_function_is_used() {
    let header = fs::read_to_string(installed().join("include/hashlanes.h")).expect("it is there");
    let program = |name| fs::read_to_string(source(name)).expect("it is there");
    let (functions, exhausted) = (program("functions.c"), program("exhausted.c"));
    let stack = program("stack.c");
    let (mut found, mut comment) = (0, String::new());
    for line in header.lines().filter(|line| !line.starts_with(' ')) {
        if line.starts_with("//") {
            comment.push_str(line);
            continue;
        }
        let ends_process = std::mem::take(&mut comment).contains("this function ends the process");
        let Some((start, _)) = line.split_once('(') else { continue };
        let name = start.rsplit([' ', '*']).next().unwrap_or_default();
        if name.starts_with("hashlanes_") {
            found += 1;
            let call = format!("{name}(");
            assert!(functions.contains(&call), "{name} is not called");
            assert!(stack.contains(&call), "{name} is not called in stack.c");
            if start.starts_with("hashlanes_error ") && !ends_process {
                assert!(exhausted.contains(&call), "{name} is not called with failing allocations");
            }
        }
    }
    assert!(found >= 50, "only {found} functions were found");
}

#[test]
fn every_function_with_valid_and_invalid_arguments() {
    let program = compile(&source("functions.c"), Link::Shared, &[]);
    assert_eq!(succeed(&mut Command::new(&program)), "every function\n");
    assert_eq!(succeed(&mut valgrind(&program)), "every function\n");
}

/// The answers in `vectors/`, which the tests of all languages share.
#[test]
fn every_way_gives_the_answers_of_the_vector_file() {
    let program = compile(&source("vectors.c"), Link::Archive, &[]);
    let file = root().join("vectors/digests.txt");
    let text = fs::read_to_string(&file).expect("it is there");
    let lines: Vec<_> = text.lines().filter(|line| !line.starts_with('#')).collect();
    let algorithms: BTreeSet<_> = lines.iter().map(|line| line.split(' ').nth(1)).collect();
    let said = format!("{} lines of {} algorithms\n", lines.len(), algorithms.len());
    assert_eq!(succeed(Command::new(&program).arg(&file)), said);
    assert_eq!(succeed(valgrind(&program).arg(&file)), said);
}

/// Chains and derived keys, in a vector file that the tests of all languages share.
#[test]
fn chains_and_derived_keys_are_those_of_the_vector_file() {
    let program = compile(&source("derived.c"), Link::Shared, &[]);
    let file = root().join("crates/hashlanes/tests/suite/derived.txt");
    let text = fs::read_to_string(&file).expect("it is there");
    let said = format!("{} lines\n", text.lines().filter(|line| !line.starts_with('#')).count());
    assert_eq!(succeed(Command::new(&program).arg(&file)), said);
    assert_eq!(succeed(valgrind(&program).arg(&file)), said);
}

/// Outputs of any length, in a vector file that the tests of all languages share.
#[test]
fn outputs_of_any_length_are_those_of_the_vector_file() {
    let program = compile(&source("outputs.c"), Link::Shared, &[]);
    let file = root().join("crates/hashlanes/tests/suite/outputs.txt");
    let text = fs::read_to_string(&file).expect("it is there");
    let said = format!("{} lines\n", text.lines().filter(|line| !line.starts_with('#')).count());
    assert_eq!(succeed(Command::new(&program).arg(&file)), said);
    assert_eq!(succeed(valgrind(&program).arg(&file)), said);
}

/// NIST's vectors for SLH-DSA, which the tests in Rust and Python use too.
#[test]
fn signatures_are_those_of_nist() {
    let program = compile(&source("signatures.c"), Link::Shared, &[]);
    let file = root().join("extras/hashlanes-slh-dsa/tests/suite/acvp.txt");
    assert_eq!(succeed(Command::new(&program).arg(file)), "the vectors of NIST\n");
}

#[test]
fn many_threads_share_a_server() {
    let program = compile(&source("threads.c"), Link::Shared, &["-pthread"]);
    assert_eq!(succeed(&mut Command::new(&program)), "all digests are right\n");
    assert_eq!(succeed(&mut valgrind(&program)), "all digests are right\n");
}

/// Each allocation of each function fails once. The call returns an error or does without the
/// memory.
#[test]
fn any_allocation_may_fail() {
    let program = compile(&source("exhausted.c"), Link::Shared, &[]);
    assert_eq!(succeed(&mut Command::new(&program)), "every allocation\n");
    let mut with_kernel = Command::new(&program);
    with_kernel.env("HASHLANES_KERNEL", "portable");
    assert_eq!(succeed(&mut with_kernel), "every allocation\n");
}

#[test]
fn outputs_over_the_arrays_of_inputs_are_refused() {
    let program = compile(&source("overlaps.c"), Link::Shared, &[]);
    assert_eq!(succeed(&mut Command::new(program)), "every overlap\n");
}

/// Each function stays within the stack that the header promises: a call that does not ends the
/// program.
#[test]
fn every_function_stays_within_the_promised_stack() {
    // A shared library's functions would be looked up in their first calls.
    let program = compile(&source("stack.c"), Link::Archive, &["-pthread"]);
    assert_eq!(succeed(&mut Command::new(program)), "every call\n");
}

/// With the feature `zeroize`, no function leaves bytes of messages or keys on the stack or in
/// freed memory.
#[test]
#[ignore = "compiles the library once more: `.ci/nightly` runs it"]
fn no_function_leaves_secrets() {
    let options = ["-pthread", "-DWIPED"];
    let program = compile_in(wiped(), "hashlanes", &source("stack.c"), Link::Archive, &options);
    assert_eq!(succeed(&mut Command::new(program)), "every call\n");
}

/// After a fork, the child can use its copies. A process whose threads use a server may fork.
#[test]
fn parent_and_child_continue_after_a_fork() {
    let program = compile(&source("fork.c"), Link::Shared, &["-pthread"]);
    assert_eq!(succeed(&mut Command::new(&program)), "parent and children\n");
}

/// With too little memory, a call returns an error and the process survives.
#[test]
fn too_little_memory_is_an_error() {
    let program = compile(&source("memory.c"), Link::Shared, &[]);
    let said = succeed(&mut Command::new(&program));
    assert!(said.ends_with("objects, and then an error\n"), "{said}");
}
