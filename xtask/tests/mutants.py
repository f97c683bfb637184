#!/usr/bin/env python3
"""Changes the library in thousands of ways and lists the changes that no test notices.

    pip install tree-sitter tree-sitter-rust
    python3 xtask/tests/mutants.py 'api/' 'server/' >list # regular expressions of paths below src/
    python3 xtask/tests/mutants.py 'api/' 'server/' --unit-tests --among list

The second line tries what the first one listed again, for instance after tests have been written.

cargo-mutants compiles the library for each change, which takes minutes here. This makes the same
kinds of changes, but compiles all of them at once, each behind `if mutant::is(N)`, in a copy below
`target/mutants`. A variable of the environment then says which change a run of the tests has. A
first run of each test finds which changes it reaches; a change is tried with the tests that reach
it, the fastest first.

The copy has fewer kernels (portable, AVX2 and SHA instructions) and is compiled with less
optimisation. Code in constants and in macros is not changed. Changes that do not compile are left
out. Tests of examples and of the documentation are not run.
"""

import argparse
import collections
import hashlib
import json
import os
import pathlib
import queue
import re
import signal
import subprocess
import threading
import time

import tree_sitter
import tree_sitter_rust

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORK = ROOT / "target/mutants"
COPY = WORK / "copy"
SOURCE = COPY / "crates/hashlanes/src"
PLAIN = ROOT / "crates/hashlanes/src"
MUTANT = "crates/hashlanes/src/mutant.rs"

# What else each operator becomes, as in cargo-mutants.
OPERATORS = {
    "+": "- *", "-": "+ /", "*": "+ /", "/": "% *", "%": "/ +", "==": "!=", "!=": "==",
    "<": "== > <=", ">": "== < >=", "<=": ">", ">=": "<", "&&": "||", "||": "&&",
    "&": "| ^", "|": "& ^", "^": "| &", "<<": ">>", ">>": "<<",
}
for operator in "+ - * / % & | ^ << >>".split():
    others = OPERATORS[operator].split()
    OPERATORS[operator + "="] = " ".join(other + "=" for other in others)

# What a function returns at once instead, by its type.
VALUES = [
    (r"\(\)", ["()"]), (r"bool", ["true", "false"]), (r"[ui](size|8|16|32|64|128)", ["0", "1"]),
    (r"Option<.*", ["None"]), (r"(io::)?Result<\(\).*", ["Ok(())"]),
    (r"(io::)?Result<usize.*", ["Ok(0)", "Ok(1)"]), (r"String", ["String::new()"]),
    (r"Vec<.*", ["Vec::new()"]), (r"&('static )?str", ['""']), (r"[&*!].*|impl .*", []),
    (r".*", ["Default::default()"]),
]

# Nothing inside of these is changed: it is not code, or it runs when the library is compiled.
KEPT = {
    "const_item", "static_item", "const_block", "token_tree", "macro_definition", "attribute_item",
    "inner_attribute_item", "type_arguments", "array_type", "enum_variant", "line_comment",
    "block_comment", "use_declaration",
}
SKIPPED_FILES = ("_tests.rs", "server/model.rs", "server/sync.rs", "by_name/serde.rs")

RUNTIME = """//! Which change this process has.
extern crate std;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

const COUNT: usize = %d;
const UNKNOWN: u32 = u32::MAX;
const RECORDING: u32 = u32::MAX - 1;
static ACTIVE: AtomicU32 = AtomicU32::new(UNKNOWN);
static REACHED: [AtomicBool; COUNT] = [const { AtomicBool::new(false) }; COUNT];

#[inline(always)]
pub(crate) fn is(number: u32) -> bool {
    let active = ACTIVE.load(Relaxed);
    active == number || active >= RECORDING && begin_or_record(number)
}

#[cold]
#[inline(never)]
fn begin_or_record(number: u32) -> bool {
    if ACTIVE.load(Relaxed) == UNKNOWN {
        if std::env::var_os("MUTANTS_REACHED").is_none() {
            let active = std::env::var("MUTANT").ok().and_then(|text| text.parse().ok());
            ACTIVE.store(active.unwrap_or(0), Relaxed);
            return ACTIVE.load(Relaxed) == number;
        }
        unsafe extern "C" {
            safe fn atexit(function: extern "C" fn()) -> i32;
        }
        atexit(write);
        ACTIVE.store(RECORDING, Relaxed);
    }
    REACHED[number as usize].store(true, Relaxed);
    false
}

extern "C" fn write() {
    use std::io::Write;
    let mut text = std::string::String::new();
    for (number, _) in REACHED.iter().enumerate().filter(|(_, reached)| reached.load(Relaxed)) {
        text += &std::format!("{number}\\n");
    }
    let path = std::env::var_os("MUTANTS_REACHED").unwrap();
    let file = std::fs::OpenOptions::new().append(true).create(true).open(path);
    let _ = file.and_then(|mut file| file.write_all(text.as_bytes()));
}
"""


class Changes:
    """The changes, numbered from 1, and those that do not compile."""

    def __init__(self, refused):
        self.all, self.refused = [], refused

    def new(self, path, node, what):
        """The condition for a new change, or None if it does not compile."""
        if (path, node.start_byte, what) in self.refused:
            return None
        line, column = node.start_point[0] + 1, node.start_point[1] + 1
        self.all.append((path, node.start_byte, what, f"{path}:{line}:{column}: {what}"))
        return f"crate::mutant::is({len(self.all)})"


class File:
    """A file of the library, and its text with all changes."""

    def __init__(self, path, changes):
        self.path, self.changes = path, changes
        self.bytes = (PLAIN / path).read_bytes()

    def changed(self):
        language = tree_sitter.Language(tree_sitter_rust.language())
        tree = tree_sitter.Parser(language).parse(self.bytes)
        return self.walk(tree.root_node)

    def text(self, node):
        return self.bytes[node.start_byte : node.end_byte].decode()

    def new(self, node, what):
        return self.changes.new(self.path, node, what)

    def children(self, node, replaced=lambda child: None):
        """The text of a node with changed children. Tests are left as they are."""
        out, at, is_test = [], node.start_byte, False
        for child in node.children:
            out.append(self.bytes[at : child.start_byte].decode())
            at = child.end_byte
            if child.type == "attribute_item":
                is_test |= re.search(r"\btest\b", self.text(child)) is not None
                out.append(self.text(child))
            elif child.type in KEPT or is_test:
                out.append(self.text(child))
                is_test &= child.type in ("line_comment", "block_comment")
            else:
                new = replaced(child)
                out.append(self.walk(child) if new is None else new)
        return "".join(out) + self.bytes[at : node.end_byte].decode()

    def walk(self, node):
        if node.type in KEPT:
            return self.text(node)
        change = getattr(self, node.type, None)
        if change is not None:
            return change(node)
        return self.children(node) if node.children else self.text(node)

    def operation(self, node, form):
        left, right = (self.text(node.child_by_field_name(side)) for side in ("left", "right"))
        operator = node.child_by_field_name("operator")
        out = ""
        for other in OPERATORS.get(self.text(operator), "").split():
            condition = self.new(operator, f"{self.text(operator)} becomes {other}")
            if condition:
                out += f"if {condition} {{ {form % (left, other, right)} }} else "
        inner = self.children(node)
        return out and f"{out}{{ {inner} }}", inner

    def binary_expression(self, node):
        changed, inner = self.operation(node, "(%s) %s (%s)")
        return f"({changed})" if changed else inner

    def compound_assignment_expr(self, node):
        changed, inner = self.operation(node, "%s %s %s")
        return f"{{ {changed} }}" if changed else inner

    def unary_expression(self, node):
        inner = self.children(node)
        condition = self.text(node)[0] == "!" and self.new(node, "without !")
        if not condition:
            return inner
        return f"(if {condition} {{ {self.text(node.named_children[-1])} }} else {{ {inner} }})"

    def function_item(self, node):
        modifiers = [child for child in node.children if child.type == "function_modifiers"]
        if any("const" in self.text(child).split() for child in modifiers):
            return self.text(node)
        body, kind = node.child_by_field_name("body"), node.child_by_field_name("return_type")
        name, kind = node.child_by_field_name("name"), self.text(kind) if kind else "()"
        values = next(values for form, values in VALUES if re.fullmatch(form, kind, re.DOTALL))
        if values == ["Default::default()"] and self.text(name) in ("new", "default"):
            values = []
        begin = ""
        for value in values if body.named_children else []:
            condition = self.new(name, f"{self.text(name)} returns {value}")
            if condition:
                begin += f" if {condition} {{ return {value}; }}"

        def changed(child):
            return "{" + begin + self.walk(child)[1:] if child.id == body.id else None

        return self.children(node, changed)

    def match_block(self, node):
        patterns = [
            arm.child_by_field_name("pattern") for arm in node.children if arm.type == "match_arm"
        ]
        wildcard = any(self.text(pattern) == "_" for pattern in patterns)

        def changed(pattern):
            guard = pattern.child_by_field_name("condition")
            if guard is None:
                if not wildcard or self.text(pattern) == "_":
                    return None
                condition = self.new(pattern, f"without the arm {self.text(pattern)}")
                return condition and f"{self.text(pattern)} if !{condition}"
            if guard.type in ("let_condition", "let_chain"):
                return None
            true = self.new(guard, f"{self.text(guard)} becomes true")
            false = self.new(guard, f"{self.text(guard)} becomes false")
            head = self.bytes[pattern.start_byte : guard.start_byte].decode()
            inner = self.walk(guard)
            return f"{head}({true or 'false'} || !{false or 'false'} && ({inner}))"

        def pattern(part):
            return changed(part) if part.type == "match_pattern" else None

        def arm(child):
            return self.children(child, pattern) if child.type == "match_arm" else None

        return self.children(node, arm)


def put(path, data):
    """Writes a file unless it has these bytes: what is newer is compiled again."""
    if not path.exists() or path.read_bytes() != data:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def changed_files(chosen):
    """The files that are changed: those whose path matches one of the regular expressions."""
    paths = ["kernel/choice.rs", "family/padding.rs"]
    for folder in ("schedule", "api", "server"):
        paths += sorted(str(p.relative_to(PLAIN)) for p in (PLAIN / folder).rglob("*.rs"))
    paths = [path for path in paths if not path.endswith(SKIPPED_FILES)]
    return [path for path in paths if any(re.search(part, path) for part in chosen)]


def write(paths, refused):
    """Writes the copy's files with all changes."""
    changes = Changes(refused)
    for path in paths:
        put(SOURCE / path, File(path, changes).changed().encode())
    put(COPY / MUTANT, (RUNTIME % (len(changes.all) + 1)).encode())
    return changes


def without_most_kernels(table):
    """The table without the kernels that take the longest to compile."""
    out, at = "", 0
    for found in re.finditer(r'Kernel::new\("([^"]+)"', table):
        if found.start() < at or not re.search("avx512|sse41|bmi2|copy|ni-x4", found[1]):
            continue
        end, depth = found.start(), 0
        while depth > 0 or table[end] not in ",]":
            depth += (table[end] in "([{") - (table[end] in ")]}")
            end += 1
        out += table[at : found.start()]
        at = end + (table[end] == ",")
    return out + table[at:]


def cargo(*arguments, **options):
    environment = os.environ | {"CARGO_INCREMENTAL": "0", "CARGO_TARGET_DIR": str(WORK / "target")}
    command = ["cargo", *arguments, "-p", "hashlanes", "--all-features", "--message-format=json"]
    result = subprocess.run(command, cwd=COPY, env=environment, stdout=subprocess.PIPE, text=True,
                            **options)
    return result.returncode, [json.loads(line) for line in result.stdout.splitlines()]


def copy(paths):
    """Makes the copy, or renews it, without the files that are changed."""
    listed = subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT).split(b"\0")
    names = {name for name in map(os.fsdecode, listed) if (ROOT / name).is_file()}
    for path in COPY.rglob("*"):
        if path.is_file() and str(path.relative_to(COPY)) not in names | {MUTANT}:
            path.unlink()
    source = PLAIN.relative_to(ROOT)
    for name in names - {str(source / path) for path in paths}:
        text = (ROOT / name).read_bytes()
        if name == "Cargo.toml":
            text = text.replace(b"\nhashlanes.opt-level = 2", b"\nhashlanes.opt-level = 1")
            text = text.replace(b'\ndebug = "line-tables-only"', b"\ndebug = false", 1)
        elif (source / "kernel/table") in pathlib.Path(name).parents:
            text = without_most_kernels(text.decode()).encode()
        elif name == str(source / "lib.rs"):
            # A change may divide by zero or overflow, which is an error once code is generated.
            text = b"#![allow(arithmetic_overflow, unconditional_panic)]\n" + text
            text = text.replace(b"\nmod schedule;", b"\nmod mutant;\nmod schedule;")
        put(COPY / name, text)


def prepare(chosen):
    """Makes the copy with all changes, and leaves out changes until it compiles."""
    paths = changed_files(chosen)
    copy(paths)
    # What did not compile before does not now, as long as the file is the same.
    known = WORK / "refused.json"
    bytes_of = {path: hashlib.sha256((PLAIN / path).read_bytes()).hexdigest() for path in paths}
    refused = set()
    if known.exists():
        changes = json.loads(known.read_text())
        refused = {tuple(change[:3]) for change in changes if bytes_of.get(change[0]) == change[3]}
    while True:
        changes, before = write(paths, refused), len(refused)
        known.write_text(json.dumps([[*change, bytes_of[change[0]]] for change in refused]))
        code, messages = cargo("check", "--lib", stderr=subprocess.DEVNULL)
        if code == 0:
            return changes
        for message in messages:
            diagnostic = message.get("message")
            if not isinstance(diagnostic, dict) or diagnostic["level"] != "error":
                continue
            for span in diagnostic["spans"]:
                # The change that the error is about is the last one before it.
                end = max(span["byte_start"] + 1, min(span["byte_end"], span["byte_start"] + 60))
                text = (COPY / span["file_name"]).read_bytes()[:end]
                numbers = re.findall(rb"crate::mutant::is\((\d+)\)", text)
                if span["is_primary"] and numbers:
                    refused.add(changes.all[int(numbers[-1]) - 1][:3])
        if len(refused) == before:
            raise SystemExit("the copy does not compile; see `cargo check` there")


def run(executable, tests, environment, limit):
    """Runs tests by name; the exit status, or None after `limit` seconds."""
    process = subprocess.Popen([executable, "--exact", "--test-threads=1", "-q", *tests],
                               cwd=COPY / "crates/hashlanes", env=os.environ | environment,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               start_new_session=True)
    try:
        return process.wait(limit)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return None


def side_by_side(items, work):
    """Calls `work` for each item, in as many threads as there are CPUs."""
    waiting = queue.SimpleQueue()
    for item in items:
        waiting.put(item)

    def thread():
        while True:
            try:
                item = waiting.get_nowait()
            except queue.Empty:
                return
            work(item)

    threads = [threading.Thread(target=thread) for _ in range(os.cpu_count())]
    for one in threads:
        one.start()
    for one in threads:
        one.join()


def reached(executables, slow):
    """For each change, the tests that reach it, with the time that each takes."""
    tests = []
    for executable in executables:
        listed = subprocess.check_output([executable, "--list"], text=True,
                                         cwd=COPY / "crates/hashlanes").splitlines()
        names = (line[: -len(": test")] for line in listed if line.endswith(": test"))
        tests += [(executable, name) for name in names if not name.startswith("examples::")]
    by_change = collections.defaultdict(list)

    def record(test):
        file = WORK / f"reached-{threading.get_ident()}"
        file.unlink(missing_ok=True)
        began = time.monotonic()
        status = run(*(test[0], [test[1]]), {"MUTANTS_REACHED": str(file)}, slow)
        took = time.monotonic() - began
        if status != 0:
            print(f"not used: {test[1]}: " + ("too slow" if status is None else "it fails"))
        elif file.exists():
            for number in set(map(int, file.read_text().split())):
                by_change[number].append((took, test))

    side_by_side(tests, record)
    return by_change


def outcome(number, tests, limit):
    """Whether tests notice a change: those that take `limit` seconds in all, fast ones first."""
    if not tests:
        return "not reached"
    tests, at = sorted(tests), 0
    for most in sorted({min(0.5, limit), limit}):
        batch, takes = collections.defaultdict(list), 0
        while at < len(tests) and takes + tests[at][0] <= most:
            takes += tests[at][0]
            batch[tests[at][1][0]].append(tests[at][1][1])
            at += 1
        for executable, names in batch.items():
            # A change may lead to a loop without an end.
            status = run(executable, names, {"MUTANT": str(number)}, 10 + 6 * takes)
            if status != 0:
                return "timed out" if status is None else "noticed"
    return f"NOT NOTICED, {len(tests) - at} slow tests were not run"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="*", default=[""], help="regular expressions of paths")
    parser.add_argument("--limit", type=float, default=10, help="seconds of tests for a change")
    parser.add_argument("--slow", type=float, default=60, help="seconds of a test that is too slow")
    parser.add_argument("--unit-tests", action="store_true", help="without tests/suite")
    parser.add_argument("--among", type=pathlib.Path, help="changes that an earlier run listed")
    args = parser.parse_args()
    changes = prepare(args.paths)
    suite = [] if args.unit_tests else ["--test=suite"]
    code, messages = cargo("test", "--lib", *suite, "--no-run")
    executables = [message["executable"] for message in messages if message.get("executable")]
    if code != 0:
        raise SystemExit("the copy's tests do not compile")
    by_change = reached(executables, args.slow)
    listed = args.among.read_text() if args.among else None
    chosen = [
        (number, change[3])
        for number, change in enumerate(changes.all, 1)
        if listed is None or f"{change[3]}: " in listed
    ]
    counts = collections.Counter()

    def attempt(change):
        result = outcome(change[0], by_change[change[0]], args.limit)
        counts[result.split(",")[0]] += 1
        if result.startswith("N") or result == "not reached":
            print(f"{change[1]}: {result}", flush=True)

    side_by_side(chosen, attempt)
    print(", ".join(f"{count} {result}" for result, count in counts.most_common()))


if __name__ == "__main__":
    main()
