//! What tells other builds where the C libraries are: a file for pkg-config, and a package for
//! CMake.

use crate::c::library::{Built, Library};

/// Where the libraries are installed.
pub struct Places<'a> {
    pub prefix: &'a str,
    /// Relative to the prefix.
    pub libdir: &'a str,
}

/// The folder of headers, relative to the prefix.
fn include(library: &Library) -> String {
    match library.include {
        "" => "include".to_owned(),
        folder => format!("include/{folder}"),
    }
}

/// The file for pkg-config. With `--static` it includes what the static archive needs.
pub fn pkg_config(library: &Library, built: &Built, places: &Places) -> String {
    let (name, needs) = (library.name, built.needs.join(" "));
    let libs = format!("Libs: -L${{libdir}} -l{name}\nLibs.private: {needs}");
    described(library, built, places, ["", ""], &libs)
}

/// A second file for pkg-config, for the static archive only: for builds that cannot pass
/// `--static` and would use the shared library, such as Go's.
pub fn pkg_config_static(library: &Library, built: &Built, places: &Places) -> String {
    let libs = format!("Libs: ${{libdir}}/lib{}.a {}", library.name, built.needs.join(" "));
    described(library, built, places, ["-static", " (static archive)"], &libs)
}

/// A file for pkg-config, with what follows the name and the description.
fn described(
    library: &Library,
    built: &Built,
    places: &Places,
    [of_name, of_description]: [&str; 2],
    libs: &str,
) -> String {
    let Places { prefix, libdir } = places;
    let (name, description) = (library.name, library.description);
    let (version, include) = (&built.version.text, include(library));
    format!(
        "\
prefix={prefix}
exec_prefix=${{prefix}}
libdir=${{prefix}}/{libdir}
includedir=${{prefix}}/{include}

Name: {name}{of_name}
Description: {description}{of_description}
Version: {version}
{libs}
Cflags: -I${{includedir}}
"
    )
}

/// The package for CMake: `find_package(NAME)` provides the targets `NAME::NAME`, which is the
/// shared library, and `NAME::NAME_static`. It still works after the prefix has been moved.
pub fn cmake(library: &Library, built: &Built, places: &Places) -> String {
    let (name, soname) = (library.name, library.soname(&built.version));
    let version = &built.version.text;
    // From LIBDIR/cmake/NAME up to the prefix.
    let up = "/..".repeat(places.libdir.split('/').count() + 2);
    let libdir = places.libdir;
    let (needs, include) = (built.needs.join(";"), include(library));
    format!(
        "\
# /lib may be a link to usr/lib, and above the link there is no include.
get_filename_component(_{name}_prefix \"${{CMAKE_CURRENT_LIST_DIR}}\" REALPATH)
get_filename_component(_{name}_prefix \"${{_{name}_prefix}}{up}\" ABSOLUTE)

if(NOT TARGET {name}::{name})
  add_library({name}::{name} SHARED IMPORTED)
  set_target_properties({name}::{name} PROPERTIES
    IMPORTED_LOCATION \"${{_{name}_prefix}}/{libdir}/lib{name}.so.{version}\"
    IMPORTED_SONAME \"{soname}\"
    INTERFACE_INCLUDE_DIRECTORIES \"${{_{name}_prefix}}/{include}\")
endif()

if(NOT TARGET {name}::{name}_static)
  add_library({name}::{name}_static STATIC IMPORTED)
  set_target_properties({name}::{name}_static PROPERTIES
    IMPORTED_LOCATION \"${{_{name}_prefix}}/{libdir}/lib{name}.a\"
    INTERFACE_INCLUDE_DIRECTORIES \"${{_{name}_prefix}}/{include}\"
    INTERFACE_LINK_LIBRARIES \"{needs}\")
endif()

unset(_{name}_prefix)
"
    )
}

/// The version file of the package for CMake: a program that asks for version 0.1 accepts 0.1.2 but
/// not 0.2. One that asks for a range, such as 0.1...<0.3, accepts what is in it.
pub fn cmake_version(built: &Built) -> String {
    let (version, interface) = (&built.version.text, &built.version.interface);
    format!(
        "\
set(PACKAGE_VERSION \"{version}\")
set(PACKAGE_VERSION_COMPATIBLE FALSE)
if(PACKAGE_FIND_VERSION_RANGE)
  if(PACKAGE_VERSION VERSION_GREATER_EQUAL PACKAGE_FIND_VERSION_MIN
      AND (PACKAGE_VERSION VERSION_LESS PACKAGE_FIND_VERSION_MAX
        OR (PACKAGE_FIND_VERSION_RANGE_MAX STREQUAL \"INCLUDE\"
          AND PACKAGE_VERSION VERSION_EQUAL PACKAGE_FIND_VERSION_MAX)))
    set(PACKAGE_VERSION_COMPATIBLE TRUE)
  endif()
elseif(NOT PACKAGE_VERSION VERSION_LESS PACKAGE_FIND_VERSION)
  if(\"${{PACKAGE_FIND_VERSION}}.\" MATCHES \"^{}[.]\" OR PACKAGE_FIND_VERSION STREQUAL \"\")
    set(PACKAGE_VERSION_COMPATIBLE TRUE)
  endif()
endif()
if(PACKAGE_FIND_VERSION STREQUAL PACKAGE_VERSION)
  set(PACKAGE_VERSION_EXACT TRUE)
endif()
",
        interface.replace('.', "[.]")
    )
}
