//! `cargo xtask jvm`: the packages for the JVM, built by Maven on the native library; see `jvm/`
//! and docs/guide/jvm.md.

use std::env::consts::{ARCH, OS};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::command::{cargo, output, root, run as announce, target};
use crate::{packages, tested};

/// The profile to compile the native library with.
pub const PROFILE: &str = "plugin";

/// The file that the JVM loads.
const LIBRARY: &str = "libhashlanes_jvm.so";

/// What Spark's own scripts pass to the JVM.
const OPENED: [&str; 5] =
    ["java.lang", "java.nio", "java.util", "sun.nio.ch", "sun.security.action"];

/// Test the packages for the JVM: digests and the JCA provider, with `--spark` also the extension
/// for Spark.
///
/// `.ci/tested` has git's name for the sources that have passed. A test writes it; commit it with
/// the sources.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Leave out what has passed before with the same sources
    #[arg(long)]
    if_changed: bool,
    /// Also test the extension for Spark, which takes minutes
    #[arg(long)]
    spark: bool,
    /// Test everything, with a million random messages, Spark 3.5 with Scala 2.12 and 2.13, and
    /// Spark 4
    #[arg(long)]
    thorough: bool,
    /// Measure beside the JDK's `MessageDigest`, and with `--spark` queries beside Spark's own
    #[arg(long)]
    measure: bool,
    /// Make the jars to publish, and print their folder
    #[arg(long)]
    build: bool,
    /// The profile to compile the native library with: `plugin`, or `dev` for overflow checks
    #[arg(long, default_value = PROFILE)]
    profile: String,
    /// Options of Maven, or arguments of the measurement
    #[arg(last = true)]
    options: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    packages::require_programs(&[("mvn", "maven"), ("javac", "default-jdk-headless")])?;
    if args.measure || args.build {
        native(&args.profile)?;
        if args.measure {
            return measure(args);
        }
        jars(&args.options)?;
        println!("{}", folder().display());
        return Ok(());
    }
    let test = || {
        native(&args.profile)?;
        maven(&["verify", "--projects", "core"], &args.options)
    };
    let sources = ["jvm/pom.xml", "jvm/native", "jvm/core", "vectors/digests.txt"];
    tested::test("jvm", &sources, args.if_changed && !args.thorough, test)?;
    if args.spark || args.thorough {
        maven(&["verify"], &args.options)?;
    }
    if args.thorough {
        maven(&["verify", "--projects", "core", "-Dhashlanes.messages=50000"], &args.options)?;
        for profile in ["-Pscala-2.12", "-Pspark-4"] {
            maven(&["verify", profile], &args.options)?;
        }
    }
    Ok(())
}

/// Builds the native library for this machine.
fn native(profile: &str) -> Result<()> {
    announce(cargo().args(["build", "--package", "hashlanes-jvm", "--profile", profile]))?;
    let built = target().join(if profile == "dev" { "debug" } else { profile });
    put(&built, &format!("{OS}-{ARCH}"))
}

/// Puts the native library in a folder where Maven packs it for a platform, with its digest.
pub fn put(built: &Path, platform: &str) -> Result<()> {
    let (built, folder) = (built.join(LIBRARY), folder().join("natives").join(platform));
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    fs::copy(&built, folder.join(LIBRARY)).with_context(|| format!("no {}", built.display()))?;
    let line = output(Command::new("sha256sum").arg("--binary").arg(folder.join(LIBRARY)))?;
    let (digest, _) = line.split_once(' ').context("no digest")?;
    fs::write(folder.join(format!("{LIBRARY}.sha256")), digest)?;
    Ok(())
}

/// The folder with a folder of results for each project.
pub fn folder() -> PathBuf {
    target().join("jvm")
}

fn maven(arguments: &[&str], options: &[String]) -> Result<()> {
    // Jars have the modes of files.
    let mut maven = Command::new("sh");
    maven.args([
        "-c",
        "umask 022 && chmod -R u=rwX,go=rX \"$1\" && shift && exec mvn \"$@\"",
        "sh",
    ]);
    maven.arg(folder().join("natives"));
    maven.args(["--quiet", "--batch-mode", "--file", "jvm/pom.xml"]).current_dir(root());
    // Cargo's, in which the JVM would find a library that is not the jar's.
    maven.env_remove("LD_LIBRARY_PATH");
    for (name, path) in [("root", root()), ("target", folder())] {
        maven.arg(format!("-Dhashlanes.{name}={}", path.display()));
    }
    if arguments.contains(&MEASURE) {
        let opens = OPENED.map(|package| format!("--add-opens=java.base/{package}=ALL-UNNAMED"));
        maven.env("MAVEN_OPTS", opens.join(" "));
    }
    announce(maven.args(arguments).args(options))
}

/// Runs a class in Maven's own process.
const MEASURE: &str = "org.codehaus.mojo:exec-maven-plugin:3.5.0:java";

fn measure(args: &Args) -> Result<()> {
    let (project, class) = if args.spark {
        ("spark", "hashlanes.spark.Measure")
    } else {
        ("core", "hashlanes.Measure")
    };
    if args.spark {
        maven(&["install", "-DskipTests"], &[])?;
    }
    let class = format!("-Dexec.mainClass={class}");
    let arguments = format!("-Dexec.args={}", args.options.join(" "));
    let class = [&*class, "-Dexec.classpathScope=test", &arguments];
    maven(&[&["test-compile", MEASURE, "--projects", project][..], &class].concat(), &[])
}

/// Makes the jars, and those of the sources and the documentation.
pub fn jars(options: &[String]) -> Result<()> {
    maven(&["package", "-DskipTests", "-Prelease"], options)
}
