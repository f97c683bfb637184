//! `cargo xtask weight`: what an owner reads and a user compiles, beside what it may be at most.
//! None of these figures depends on the machine's speed.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use object::{Object, ObjectSymbol, SymbolKind};

use crate::command::{built, cargo, output, root, run as announce, target};

/// Print lines of source, packages, LLVM lines, functions and bytes of code, and their budgets.
///
/// A line of source is neither blank nor a comment, and no test. LLVM lines are those of the
/// library's intermediate code before it is optimised. Functions and bytes of code are those of
/// the program as the README builds it. The budgets are in `docs/record/weight.tsv`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Fail if a figure exceeds its budget
    #[arg(long)]
    check: bool,
}

const BUDGETS: &str = "docs/record/weight.tsv";

pub(crate) fn run(args: &Args) -> Result<()> {
    let mut figures = BTreeMap::new();
    lines(&mut figures)?;
    packages(&mut figures)?;
    intermediate(&mut figures)?;
    code(&mut figures)?;
    let budgets = budgets()?;
    let mut exceeded = Vec::new();
    println!("{:<36} {:>12} {:>12}", "", "now", "budget");
    for (name, figure) in &figures {
        let budget = budgets.get(name);
        let text = budget.map_or_else(String::new, u64::to_string);
        println!("{name:<36} {figure:>12} {text:>12}");
        if budget.is_some_and(|budget| figure > budget) {
            exceeded.push(format!("{name}: {figure}, budget {text}"));
        }
    }
    for name in budgets.keys().filter(|name| !figures.contains_key(*name)) {
        exceeded.push(format!("{name}: a budget in {BUDGETS} for a figure that does not exist"));
    }
    ensure!(
        !args.check || exceeded.is_empty(),
        "over budget; take something away, or raise {BUDGETS} in a commit that says why:\n  {}",
        exceeded.join("\n  ")
    );
    Ok(())
}

/// The budgets: a name and a number on each line, between them a tab.
fn budgets() -> Result<BTreeMap<String, u64>> {
    let text = fs::read_to_string(root().join(BUDGETS)).with_context(|| format!("no {BUDGETS}"))?;
    let budget = |line: &str| -> Result<(String, u64)> {
        let (name, number) = line.split_once('\t').context("no tab")?;
        Ok((name.to_owned(), number.parse()?))
    };
    text.lines().map(|line| budget(line).with_context(|| format!("{BUDGETS}: {line}"))).collect()
}

/// What is source of the product, by the ending of its name, with what begins a comment there.
const LANGUAGES: [(&str, &str); 11] = [
    (".rs", "//"),
    (".java", "//"),
    (".scala", "//"),
    (".go", "//"),
    (".c", "//"),
    (".h", "//"),
    (".cpp", "//"),
    (".js", "//"),
    (".py", "#"),
    (".pyi", "#"),
    (".sh", "#"),
];

/// Folders that serve tests, measurements and documents.
const NOT_PRODUCT: [&str; 8] =
    ["test", "tests", "benches", "bench", "fuzz", "examples", "models", "testdata"];

/// Lines of source, for each folder with a manifest of its own, and in all.
fn lines(figures: &mut BTreeMap<String, u64>) -> Result<()> {
    let listed = output(Command::new("git").args(["ls-files", "-z"]).current_dir(root()))?;
    let is_product = |file: &&str| {
        let mut folders = file.split('/').rev().skip(1);
        !folders.any(|folder| NOT_PRODUCT.contains(&folder)) && !file.contains("_test")
    };
    let mut sources = BTreeMap::new();
    for file in listed.split('\0').filter(is_product) {
        let comment = LANGUAGES.iter().find(|(ending, _)| file.ends_with(ending));
        let Some((_, comment)) = comment else { continue };
        // A file that is deleted and not committed yet has no lines.
        let text = fs::read_to_string(root().join(file)).unwrap_or_default();
        sources.insert(file, (text, comment));
    }
    let tests: Vec<_> =
        sources.iter().flat_map(|(file, (text, _))| files_of_tests(file, text)).collect();
    for (file, (text, comment)) in &sources {
        if tests.iter().any(|test| test == file) {
            continue;
        }
        let lines = lines_of(text, comment);
        let mut parts = file.splitn(3, '/');
        let part = match (parts.next().unwrap_or_default(), parts.next()) {
            (folder @ ("crates" | "extras"), Some(package)) => format!("{folder}/{package}"),
            (folder, _) => folder.to_owned(),
        };
        *figures.entry(format!("lines of {part}")).or_default() += lines;
        *figures.entry("lines in all".to_owned()).or_default() += lines;
    }
    Ok(())
}

/// Lines that are neither blank nor a comment, up to a module of tests.
fn lines_of(text: &str, comment: &str) -> u64 {
    let tests = modules_of_tests(text).find(|(_, module)| module.ends_with('{'));
    let text = &text[..tests.map_or(text.len(), |(start, _)| start)];
    let is_code = |line: &&str| !line.trim().is_empty() && !line.trim().starts_with(comment);
    text.lines().filter(is_code).count() as u64
}

/// The modules that are compiled for tests only: where each begins, and its line after `mod `.
fn modules_of_tests(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_test = |attribute: &str| {
        let condition = attribute.split_once(")]").map_or("", |(condition, _)| condition);
        match condition.strip_prefix("all(") {
            Some(all) => all.trim_end_matches(')').split(", ").any(|part| part == "test"),
            None => condition == "test",
        }
    };
    let starts = text.match_indices("\n#[cfg(");
    starts.filter_map(move |(start, cfg)| {
        let attribute = &text[start + cfg.len()..];
        let mut lines = attribute.lines().skip(1);
        let item = lines.find(|line| !line.starts_with("#[")).filter(|_| is_test(attribute))?;
        Some((start, item.strip_prefix("mod ")?))
    })
}

/// The files of a source's modules that are compiled for tests only.
fn files_of_tests(file: &str, text: &str) -> Vec<String> {
    let folder = ["mod.rs", "lib.rs", "main.rs"].iter().find_map(|name| file.strip_suffix(name));
    let folder = folder.map_or_else(|| file.replace(".rs", "/"), str::to_owned);
    let modules = modules_of_tests(text).filter_map(|(_, module)| module.strip_suffix(';'));
    modules.map(|module| format!("{folder}{module}.rs")).collect()
}

/// Packages that are compiled for the program and for the library, each with its default features.
fn packages(figures: &mut BTreeMap<String, u64>) -> Result<()> {
    let programs: [(&str, &[&str]); 3] = [
        ("hashlanes", &["-p", "hashlanes"]),
        ("hashlanes-cli", &["-p", "hashlanes-cli"]),
        ("hashlanes-cli, released", &["-p", "hashlanes-cli", "--features", "objects,slh-dsa,lab"]),
    ];
    for (name, options) in programs {
        let tree = ["tree", "--edges", "normal,build", "--prefix", "none", "--format", "{p}"];
        let packages = output(cargo().args(tree).args(options))?;
        // A package that stands in the tree more than once is marked.
        let mut packages: Vec<_> =
            packages.lines().map(|line| line.trim_end_matches(" (*)")).collect();
        packages.sort_unstable();
        packages.dedup();
        figures.insert(format!("packages of {name}"), packages.len() as u64);
    }
    Ok(())
}

/// Functions and lines of the library's intermediate code.
fn intermediate(figures: &mut BTreeMap<String, u64>) -> Result<()> {
    let folder = target().join("weight");
    let mut command = cargo();
    // No machine code is made of it, which would take more than twice as long.
    command.args(["check", "--release", "--package", "hashlanes", "--lib", "--target-dir"]);
    // One file, whatever the profile says.
    let flags = "--emit=llvm-ir -Cno-prepopulate-passes -Ccodegen-units=1 -Cdebuginfo=0";
    announce(command.arg(&folder).env("RUSTFLAGS", flags))?;
    let (mut functions, mut lines) = (0, 0);
    let path = newest(&folder.join("release/deps"), "hashlanes-", ".ll")?;
    let mut inside = false;
    for line in fs::read_to_string(path)?.lines() {
        inside |= line.starts_with("define ");
        functions += u64::from(line.starts_with("define "));
        // As `cargo llvm-lines` counts: instructions, each on a line that is indented by two.
        let is_instruction = line.starts_with("  ") && !line.starts_with("   ");
        lines += u64::from(inside && is_instruction);
        inside &= line != "}";
    }
    figures.insert("LLVM functions of hashlanes".to_owned(), functions);
    figures.insert("LLVM lines of hashlanes".to_owned(), lines);
    Ok(())
}

/// The file in a folder, of several builds the newest.
fn newest(folder: &Path, begin: &str, end: &str) -> Result<std::path::PathBuf> {
    let entries = fs::read_dir(folder).with_context(|| format!("no {}", folder.display()))?;
    let fits = |name: &str| name.starts_with(begin) && name.ends_with(end);
    let files = entries.filter_map(Result::ok);
    let files = files.filter(|file| fits(&file.file_name().to_string_lossy()));
    let newest = files.max_by_key(|file| file.metadata().and_then(|data| data.modified()).ok());
    let newest = newest.with_context(|| format!("{}: no {begin}..{end}", folder.display()))?;
    Ok(newest.path())
}

/// Functions and bytes of code of each of our crates in the program, and of all of it.
fn code(figures: &mut BTreeMap<String, u64>) -> Result<()> {
    let program = built(|| {
        let mut command = cargo();
        command.args(["build", "--release", "--package", "hashlanes-cli", "--bin", "hashlanes"]);
        command
    })?;
    let bytes = fs::read(&program)?;
    let file = object::File::parse(bytes.as_slice())?;
    for symbol in file.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text) {
        let name = format!("{:#}", rustc_demangle::demangle(symbol.name().unwrap_or_default()));
        let crates = [crate_of(&name), Some("hashlanes, the program")];
        for name in crates.into_iter().flatten() {
            *figures.entry(format!("functions of {name}")).or_default() += 1;
            *figures.entry(format!("bytes of {name}")).or_default() += symbol.size();
        }
    }
    Ok(())
}

/// The one of our crates that a symbol's name begins with.
fn crate_of(name: &str) -> Option<&str> {
    let name = name.trim_start_matches(['<', '&']);
    let end = name.find("::")?;
    name[..end].starts_with("hashlanes").then_some(&name[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_lines_comments_and_tests_are_not_counted() {
        let text =
            "//! What.\n\nfn f() {\n    // Why.\n    g()\n}\n\n#[cfg(test)]\nmod tests {\n}\n";
        assert_eq!(lines_of(text, "//"), 3);
        for test in ["cfg(all(test, unix))", "cfg(all(loom, test, feature = \"all\"))"] {
            assert_eq!(lines_of(&text.replace("cfg(test)", test), "//"), 3, "{test}");
        }
        for other in ["cfg(not(test))", "cfg(all(doctest, unix))", "cfg(any(unix, test))"] {
            assert_eq!(lines_of(&text.replace("cfg(test)", other), "//"), 6, "{other}");
        }
        assert_eq!(lines_of("# what\n\nx = 1\n", "#"), 1);
    }

    #[test]
    fn files_of_tests_are_found() {
        let text = "use a;\n#[cfg(test)]\n#[allow(dead_code)]\nmod b;\n#[cfg(unix)]\nmod c;\n";
        assert_eq!(files_of_tests("src/lib.rs", text), ["src/b.rs"]);
        assert_eq!(files_of_tests("src/a.rs", text), ["src/a/b.rs"]);
        assert_eq!(lines_of(text, "//"), 6);
    }

    #[test]
    fn symbols_belong_to_the_crate_that_they_begin_with() {
        assert_eq!(crate_of("hashlanes_files::walk::next"), Some("hashlanes_files"));
        assert_eq!(crate_of("<hashlanes::Md5 as core::fmt::Debug>::fmt"), Some("hashlanes"));
        assert_eq!(crate_of("core::slice::sort"), None);
        assert_eq!(crate_of("main"), None);
    }
}
