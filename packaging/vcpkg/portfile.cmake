# The libraries as the project publishes them: vcpkg has no Rust to build them with.
set(VCPKG_BUILD_TYPE release)
# The package for CMake finds the prefix from where it is.
set(VCPKG_POLICY_SKIP_LIB_CMAKE_MERGE_CHECK enabled)

if(VCPKG_TARGET_ARCHITECTURE STREQUAL "arm64")
    set(target "aarch64-unknown-linux-gnu")
    set(digest "@sha512:libhashlanes-v@VERSION@-aarch64-unknown-linux-gnu.tgz@")
else()
    set(target "x86_64-unknown-linux-gnu")
    set(digest "@sha512:libhashlanes-v@VERSION@-x86_64-unknown-linux-gnu.tgz@")
endif()
set(name "libhashlanes-v@VERSION@-${target}.tgz")

vcpkg_download_distfile(archive
    URLS "@DOWNLOADS@/${name}"
    FILENAME "${name}"
    SHA512 "${digest}"
)
vcpkg_extract_source_archive(source ARCHIVE "${archive}")

file(INSTALL "${source}/include" DESTINATION "${CURRENT_PACKAGES_DIR}")
file(GLOB static "${source}/lib/*.a")
file(GLOB shared "${source}/lib/*.so*")
file(INSTALL ${static} ${shared} DESTINATION "${CURRENT_PACKAGES_DIR}/lib")
file(INSTALL "${source}/lib/pkgconfig" DESTINATION "${CURRENT_PACKAGES_DIR}/lib")
file(INSTALL "${source}/lib/cmake" DESTINATION "${CURRENT_PACKAGES_DIR}/lib")
vcpkg_fixup_pkgconfig()
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
set(documents "${source}/share/doc/hashlanes")
vcpkg_install_copyright(FILE_LIST
    "${documents}/LICENSE-MIT"
    "${documents}/LICENSE-APACHE"
    "${documents}/THIRD-PARTY.txt"
)
