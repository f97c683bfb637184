//! The packages for the JVM, in folders as a Maven repository has them. The jar has a native
//! library for each kind of machine, and for glibc and musl.

use std::env;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

use super::trial::Trial;
use super::{MACHINES, dependencies};
use crate::archive::{empty_tree, finish, zip_folder};
use crate::notices::{self, Linked};
use xtask::command::{cargo, root, run as announce, target, version};
use xtask::jvm;
use xtask::setup;

pub(super) const TRIALS: [Trial; 1] = [Trial {
    script: "jvm.sh",
    packages: &["default-jdk-headless", "maven", "unzip", "ca-certificates"],
}];

/// The versions of Spark and Scala, as names of packages end, with Maven's profile for each.
const SPARK: [(&str, Option<&str>); 3] =
    [("3.5_2.13", None), ("3.5_2.12", Some("scala-2.12")), ("4.0_2.13", Some("spark-4"))];

pub(super) fn make() -> Result<Vec<PathBuf>> {
    let natives = empty_tree("jvm/natives")?;
    for machine in &MACHINES {
        let linux = format!("linux-{}", machine.arch);
        native(machine.gnu, ".2.17", &linux, "")?;
        native(machine.musl, "", &format!("{linux}-musl"), "-Ctarget-feature=-crt-static")?;
    }
    notices::add(Linked::Libraries, &natives)?;

    let version = version("hashlanes-jvm")?;
    let tree = empty_tree("archive/maven")?;
    let put = |name: &str, pom: &str, from: &str| {
        let folder = tree.join("hashlanes").join(name).join(&version);
        fs::create_dir_all(&folder)?;
        fs::write(folder.join(format!("{name}-{version}.pom")), pom)?;
        for part in ["", "-sources", "-javadoc"] {
            let end = format!("-{version}{part}.jar");
            let jar = jvm::folder().join(from).join(format!("{name}{end}"));
            if jar.is_file() {
                fs::copy(jar, folder.join(format!("{name}{end}")))?;
            }
        }
        anyhow::Ok(())
    };
    let pom = |path: &str| {
        let path = root().join("jvm").join(path);
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
    };
    for (ending, profile) in SPARK {
        let options: Vec<_> = profile.iter().map(|profile| format!("-P{profile}")).collect();
        jvm::jars(&options)?;
        let name = format!("hashlanes-spark-{ending}");
        let named = pom("spark/pom.xml")?.replace(
            "<artifactId>hashlanes-spark</artifactId>",
            &format!("<artifactId>{name}</artifactId>"),
        );
        // Who reads it does not choose a profile.
        let id = format!("<id>{}</id>", profile.unwrap_or_default());
        let active = "<activation><activeByDefault>true</activeByDefault></activation>";
        let named = named.replace(&id, &[&*id, active].concat());
        put(&name, &named, &name)?;
    }
    put("hashlanes", &pom("core/pom.xml")?, "hashlanes")?;
    put("hashlanes-parent", &pom("pom.xml")?, "")?;
    finish(&tree)?;
    const NAME: &str = "hashlanes-maven";
    let archive = zip_folder(&tree, ".", &format!("{NAME}-v{version}"))?;
    Ok(vec![archive, dependencies::make(NAME, &version, Linked::Libraries)?])
}

/// Compiles the native library for a target, with the oldest glibc that it needs, for a folder of
/// the jar.
fn native(triple: &str, glibc: &str, platform: &str, flags: &str) -> Result<()> {
    setup::rust_target(triple)?;
    let inherited = env::var("CARGO_ENCODED_RUSTFLAGS").context("it is set at the start")?;
    let flags = [&*inherited, flags].join("\u{1f}");
    let mut command = cargo();
    command.args(["zigbuild", "--locked", "--package", "hashlanes-jvm", "--profile", jvm::PROFILE]);
    command.args(["--target", &format!("{triple}{glibc}")]);
    announce(command.env("CARGO_ENCODED_RUSTFLAGS", flags.trim_end_matches('\u{1f}')))?;
    jvm::put(&target().join(triple).join(jvm::PROFILE), platform)
}
