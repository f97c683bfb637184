//! The packages for the JVM, in folders as a Maven repository has them. The jar has a native
//! library for each kind of machine, and for glibc and musl.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

use super::dependencies;
use super::trial::Trial;
use crate::archive::{empty_tree, finish, zip_folder};
use crate::machine::{GLIBC, MACHINES, library};
use crate::notices::{self, Linked};
use xtask::command::{root, version};
use xtask::jvm;

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
        let native = |triple, glibc, flags, platform: &str| {
            let built = library("hashlanes-jvm", jvm::PROFILE, triple, glibc, flags)?;
            jvm::put(&built, platform)
        };
        native(machine.gnu, GLIBC, "", &linux)?;
        native(machine.musl, "", "-Ctarget-feature=-crt-static", &format!("{linux}-musl"))?;
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
