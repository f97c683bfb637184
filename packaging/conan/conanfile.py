"""The libraries for C as the project publishes them: Conan has no Rust to build them with."""

import os

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.files import copy, get

required_conan_version = ">=2.0"


class HashlanesConan(ConanFile):
    name = "hashlanes"
    version = "@VERSION@"
    description = "Cryptographic hashes of many messages side by side, in SIMD lanes"
    homepage = "@REPOSITORY@"
    license = "MIT OR Apache-2.0"
    topics = ("hash", "simd", "sha256", "md5", "multi-buffer")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False]}
    default_options = {"shared": False}

    def package_id(self):
        # The same files, whatever compiles the program that uses them.
        del self.info.settings.compiler
        del self.info.settings.build_type

    def validate(self):
        if self.settings.os != "Linux" or self.settings.arch not in ("x86_64", "armv8"):
            raise ConanInvalidConfiguration("published for Linux on x86-64 and 64-bit Arm only")

    def build(self):
        source = self.conan_data["sources"][self.version][str(self.settings.arch)]
        get(self, **source, strip_root=True)

    def package(self):
        documents = os.path.join(self.build_folder, "share/doc/hashlanes")
        copy(self, "*", documents, os.path.join(self.package_folder, "licenses"))
        libraries = "*.so*" if self.options.shared else "*.a"
        for folder, pattern in (("include", "*"), ("lib", libraries)):
            source = os.path.join(self.build_folder, folder)
            copy(self, pattern, source, os.path.join(self.package_folder, folder))

    def package_info(self):
        for name in ("hashlanes", "hashlanes_isal"):
            component = self.cpp_info.components[name]
            component.libs = [name]
            component.includedirs = ["include"]
            component.set_property("cmake_target_name", f"{name}::{name}")
            component.set_property("pkg_config_name", name)
            if name == "hashlanes_isal":
                component.includedirs = ["include/hashlanes-isal"]
            if not self.options.shared:
                component.system_libs = ["dl", "m", "pthread", "rt", "util"]
