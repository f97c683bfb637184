//! `cargo xtask web`: builds the npm package, and the page in `examples/web/` that hashes files.
//!
//! The module in `extras/js/` is built twice: with 128-bit vectors, and without for engines that
//! lack them. The package and the page contain both, so nothing else is needed to serve them.

mod package;

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

pub(crate) use package::make as package;
use xtask::command::{cargo, root, run as announce, target};
use xtask::folder::copy_files;
use xtask::packages;
use xtask::setup;

const TARGET: &str = "wasm32-unknown-unknown";

/// The requirement for npm: it drives a browser, but does not include one.
const PLAYWRIGHT: &str = "playwright-core@1.64.1";

/// Build the npm package into `target/web/npm`, and the page that hashes files into
/// `target/web/page`.
///
/// With `--test`, test the package in Node.js, and both in headless Chromium: Debian's packages
/// `chromium` and `nodejs` are installed if they are missing and root runs this, and npm installs
/// playwright-core and TypeScript into folders under `target/`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Install the package and compare with Node's own digests, check its types; drop files on the
    /// page in headless Chromium, and compare the digests with coreutils
    #[arg(long)]
    test: bool,
    /// With `--test`: only the package
    #[arg(long, requires = "test")]
    package: bool,
    /// Measure SHA-256 and MD5 beside `crypto.subtle` in headless Chromium
    #[arg(long)]
    measure: bool,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let folder = target().join("web");
    let page = folder.join("page");
    let browser = args.test || args.measure;
    setup::rust_target(TARGET)?;
    if browser {
        browser_tools(&folder)?;
    }
    let archive = package::make()?;
    if args.test {
        package::test(&archive, &folder)?;
    }
    if args.package {
        return Ok(());
    }
    fs::create_dir_all(&page)?;
    modules(&page)?;
    copy_files(&root().join("examples/web/page"), &page)?;
    for (wanted, script) in [(args.test, "test.mjs"), (args.measure, "measure.mjs")] {
        if wanted {
            let script = root().join("examples/web/test").join(script);
            announce(Command::new("node").arg(script).arg(&page).arg(&folder))?;
        }
    }
    println!("The package is {}.", archive.display());
    println!("The page is in {}. To serve it:", page.display());
    println!("python3 -m http.server --bind 127.0.0.1 --directory '{}' 8080", page.display());
    println!("Then open http://localhost:8080/.");
    Ok(())
}

/// Builds both modules into a folder.
fn modules(to: &Path) -> Result<()> {
    module(to, "hashlanes-simd128.wasm", &["-Ctarget-feature=+simd128"])?;
    module(to, "hashlanes.wasm", &[])
}

/// Builds the module with these compiler flags, and copies it to a folder.
fn module(to: &Path, name: &str, flags: &[&str]) -> Result<()> {
    let build = target().join("web").join(name.trim_end_matches(".wasm"));
    // A release has flags for everything that it compiles.
    let inherited = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    let flags = [&[inherited.as_str()], flags].concat();
    let flags: Vec<_> = flags.into_iter().filter(|flag| !flag.is_empty()).collect();
    let mut command = cargo();
    command.args(["build", "--release", "-p", "hashlanes-js", "--lib", "--target", TARGET]);
    command
        .arg("--target-dir")
        .arg(&build)
        .env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"))
        // Names and line numbers would be half of the file.
        .env("CARGO_PROFILE_RELEASE_STRIP", "true");
    announce(&mut command)?;
    let built = build.join(TARGET).join("release/hashlanes_js.wasm");
    let bytes = fs::read(&built).with_context(|| format!("cannot read {}", built.display()))?;
    // Not a copy, which would be executable.
    Ok(fs::write(to.join(name), bytes)?)
}

/// Installs the browser and its driver if missing.
fn browser_tools(folder: &Path) -> Result<()> {
    let programs = [("chromium", "chromium"), ("node", "nodejs"), ("npm", "npm")];
    packages::require_programs(&programs)?;
    let wanted = PLAYWRIGHT.rsplit('@').next().unwrap_or_default();
    let package = folder.join("node_modules/playwright-core/package.json");
    let there = fs::read_to_string(package).is_ok_and(|text| {
        serde_json::from_str::<serde_json::Value>(&text)
            .is_ok_and(|package| package["version"] == wanted)
    });
    if there { Ok(()) } else { npm_install(folder, &[PLAYWRIGHT]) }
}

/// Installs packages into a folder.
fn npm_install(folder: &Path, packages: &[&str]) -> Result<()> {
    fs::create_dir_all(folder)?;
    let options = ["install", "--no-save", "--no-audit", "--no-fund", "--silent", "--prefix"];
    announce(Command::new("npm").args(options).arg(folder).args(packages))
}
