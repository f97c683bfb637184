//! `cargo xtask install-c`: installs the libraries for C, with headers and files for other builds.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::c::describe::{CMAKE, CMAKE_VERSION, PKG_CONFIG, PKG_CONFIG_STATIC, Places, filled};
use crate::c::library::{Built, LIBRARIES, Library, Toolchain};

/// The profile for installed libraries.
pub const PROFILE: &str = "release-c";

/// Build the libraries for C and install them: headers, static and shared libraries, pkg-config
/// files, CMake packages.
#[derive(clap::Args)]
pub struct Args {
    /// Where programs will find them
    #[arg(long, default_value = "/usr/local")]
    prefix: String,
    /// Prepend this to all paths, without writing it to any file: for packages
    #[arg(long)]
    destdir: Option<PathBuf>,
    /// The folder for libraries, relative to the prefix
    #[arg(long, default_value = "lib")]
    libdir: String,
    /// The profile to compile with: `release-c`, or `dev` for overflow checks
    #[arg(long, default_value = PROFILE)]
    profile: String,
    /// Features of the packages: `zeroize` wipes states and keys
    #[arg(long, default_value = "")]
    features: String,
}

pub fn run(args: &Args) -> Result<()> {
    ensure!(args.prefix.starts_with('/'), "the prefix must be absolute, not '{}'", args.prefix);
    let places = Places { prefix: args.prefix.trim_end_matches('/'), libdir: &args.libdir };
    install_each(&places, &args.profile, &args.features, args.destdir.as_deref())
}

/// Installs the libraries below a prefix.
pub fn install_all(prefix: &str, profile: &str) -> Result<()> {
    install_each(&Places { prefix, libdir: "lib" }, profile, "", None)
}

fn install_each(
    places: &Places,
    profile: &str,
    features: &str,
    destdir: Option<&Path>,
) -> Result<()> {
    for library in LIBRARIES {
        install(library, &library.build(profile, features, &Toolchain::host())?, places, destdir)?;
    }
    Ok(())
}

/// Installs a built library. Prints what it writes.
pub fn install(
    library: &Library,
    built: &Built,
    places: &Places,
    destdir: Option<&Path>,
) -> Result<()> {
    let prefix = match destdir {
        Some(folder) => folder.join(places.prefix.trim_start_matches('/')),
        None => PathBuf::from(places.prefix),
    };
    let libdir = prefix.join(places.libdir);
    copy_folder(&library.headers(), &prefix.join("include"))?;
    copy(&built.archive, &libdir)?;
    copy(&built.shared, &libdir)?;
    let (soname, shared) = (library.soname(&built.version), file_name(&built.shared));
    link(&shared, &libdir.join(&soname))?;
    link(&soname, &libdir.join(format!("lib{}.so", library.name)))?;
    let name = library.name;
    let (pkgconfig, cmake) = (libdir.join("pkgconfig"), libdir.join("cmake").join(name));
    for (place, template) in [
        (pkgconfig.join(format!("{name}.pc")), PKG_CONFIG),
        (pkgconfig.join(format!("{name}-static.pc")), PKG_CONFIG_STATIC),
        (cmake.join(format!("{name}-config.cmake")), CMAKE),
        (cmake.join(format!("{name}-config-version.cmake")), CMAKE_VERSION),
    ] {
        write(&place, &filled(template, library, built, places))?;
    }
    Ok(())
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn make(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))
}

/// Announces a file and removes an existing one: a program that has the old library open keeps it,
/// and a link is not followed.
fn announce(place: &Path) -> Result<()> {
    eprintln!("install {}", place.display());
    make(place.parent().unwrap_or(Path::new("")))?;
    match fs::remove_file(place) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot replace {}", place.display()))
        }
        _ => Ok(()),
    }
}

fn copy(file: &Path, folder: &Path) -> Result<()> {
    let place = folder.join(file_name(file));
    announce(&place)?;
    fs::copy(file, &place).with_context(|| format!("cannot write {}", place.display()))?;
    Ok(())
}

fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    let entries = fs::read_dir(from).with_context(|| format!("cannot list {}", from.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            copy_folder(&path, &to.join(file_name(&path)))?;
        } else {
            copy(&path, to)?;
        }
    }
    Ok(())
}

fn write(place: &Path, text: &str) -> Result<()> {
    announce(place)?;
    fs::write(place, text).with_context(|| format!("cannot write {}", place.display()))
}

#[cfg(unix)]
fn link(target: &str, place: &Path) -> Result<()> {
    announce(place)?;
    std::os::unix::fs::symlink(target, place)
        .with_context(|| format!("cannot make the link {}", place.display()))
}

#[cfg(not(unix))]
fn link(_: &str, place: &Path) -> Result<()> {
    anyhow::bail!("no links on this system: {}", place.display())
}
