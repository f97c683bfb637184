//! What tells other builds where the C libraries are: files for pkg-config, and a package for
//! CMake. They are made of the templates in `templates/`.

use crate::c::library::{Built, Library};

/// Where the libraries are installed.
pub struct Places<'a> {
    pub prefix: &'a str,
    /// Relative to the prefix.
    pub libdir: &'a str,
}

/// The file for pkg-config. With `--static` it includes what the static archive needs.
pub(super) const PKG_CONFIG: &str = include_str!("templates/pkg-config.pc");

/// A second file for pkg-config, for the static archive only: for builds that cannot pass
/// `--static` and would use the shared library, such as Go's.
pub(super) const PKG_CONFIG_STATIC: &str = include_str!("templates/static.pc");

/// The package for CMake: `find_package(NAME)` provides the targets `NAME::NAME`, which is the
/// shared library, and `NAME::NAME_static`. It still works after the prefix has been moved.
pub(super) const CMAKE: &str = include_str!("templates/config.cmake");

/// The version file of the package for CMake: a program that asks for version 0.1 accepts 0.1.2 but
/// not 0.2. One that asks for a range, such as 0.1...<0.3, accepts what is in it.
pub(super) const CMAKE_VERSION: &str = include_str!("templates/version.cmake");

/// A template, filled in for a library.
pub(super) fn filled(template: &str, library: &Library, built: &Built, places: &Places) -> String {
    let include = format!("include/{}", library.include);
    let values: [(&str, &str); 11] = [
        ("PREFIX", places.prefix),
        ("LIBDIR", places.libdir),
        ("INCLUDE", include.trim_end_matches('/')),
        ("NAME", library.name),
        ("DESCRIPTION", library.description),
        ("VERSION", &built.version.text),
        ("INTERFACE", &built.version.interface.replace('.', "[.]")),
        ("SONAME", &library.soname(&built.version)),
        ("NEEDS", &built.needs.join(" ")),
        ("NEEDS_LIST", &built.needs.join(";")),
        // From LIBDIR/cmake/NAME up to the prefix.
        ("UP", &"/..".repeat(places.libdir.split('/').count() + 2)),
    ];
    values
        .iter()
        .fold(template.to_owned(), |text, (name, value)| text.replace(&format!("@{name}@"), value))
}
