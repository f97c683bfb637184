//! Programs in C that use the library, right and wrong, under valgrind.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use hashlanes_capi_tests::{Link, compile, installed, root, source, succeed, valgrind};

/// Each function that the header declares is called in `functions.c`, and each that can fail in
/// `exhausted.c`.
#[test]
fn every_function_is_used() {
    let header = fs::read_to_string(installed().join("include/hashlanes.h")).expect("it is there");
    let program = |name| fs::read_to_string(source(name)).expect("it is there");
    let (functions, exhausted) = (program("functions.c"), program("exhausted.c"));
    let mut found = 0;
    for line in header.lines().filter(|line| !line.starts_with("//") && !line.starts_with(' ')) {
        let Some((start, _)) = line.split_once('(') else { continue };
        let name = start.rsplit([' ', '*']).next().unwrap_or_default();
        if name.starts_with("hashlanes_") {
            found += 1;
            let call = format!("{name}(");
            assert!(functions.contains(&call), "{name} is not called");
            if start.starts_with("hashlanes_error ") {
                assert!(exhausted.contains(&call), "{name} is not called without memory");
            }
        }
    }
    assert!(found >= 50, "only {found} functions were found");
}

#[test]
fn every_function_right_and_wrong() {
    let program = compile(&source("functions.c"), Link::Shared, &[]);
    assert_eq!(succeed(&mut Command::new(&program)), "every function\n");
    assert_eq!(succeed(&mut valgrind(&program)), "every function\n");
}

/// The answers that all languages share.
#[test]
fn every_way_gives_the_answers_of_the_file() {
    let program = compile(&source("vectors.c"), Link::Archive, &[]);
    let file = root().join("vectors/digests.txt");
    let text = fs::read_to_string(&file).expect("it is there");
    let lines: Vec<_> = text.lines().filter(|line| !line.starts_with('#')).collect();
    let algorithms: BTreeSet<_> = lines.iter().map(|line| line.split(' ').nth(1)).collect();
    let said = format!("{} lines of {} algorithms\n", lines.len(), algorithms.len());
    assert_eq!(succeed(Command::new(&program).arg(&file)), said);
    assert_eq!(succeed(valgrind(&program).arg(&file)), said);
}

#[test]
fn many_threads_share_a_server() {
    let program = compile(&source("threads.c"), Link::Shared, &["-pthread"]);
    assert_eq!(succeed(&mut Command::new(&program)), "all digests are right\n");
    assert_eq!(succeed(&mut valgrind(&program)), "all digests are right\n");
}

/// Each allocation of each function fails once: an error comes back, or the call does without.
#[test]
fn any_allocation_may_fail() {
    let program = compile(&source("exhausted.c"), Link::Shared, &[]);
    assert_eq!(succeed(&mut Command::new(&program)), "every allocation\n");
    let mut with_kernel = Command::new(&program);
    with_kernel.env("HASHLANES_KERNEL", "portable");
    assert_eq!(succeed(&mut with_kernel), "every allocation\n");
}

/// A child of a fork goes on with its copies, and a process whose threads use a server may fork.
#[test]
fn parent_and_child_go_on() {
    let program = compile(&source("fork.c"), Link::Shared, &["-pthread"]);
    assert_eq!(succeed(&mut Command::new(&program)), "parent and children\n");
}

/// With so little memory that some call gets none: an error comes back, and the process lives on.
#[test]
fn without_memory_there_are_errors() {
    let program = compile(&source("memory.c"), Link::Shared, &[]);
    let said = succeed(&mut Command::new(&program));
    assert!(said.ends_with("objects, and then an error\n"), "{said}");
}
