//! How manifests are read.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use hashlanes_files::manifest::{Format, HashName, ReaderOptions};
use hashlanes_files::{Function, is_stdin, system};

use super::super::bag::{Bag, declaration, manifest_of};
use super::spelling::Spelling;
use crate::options::base::Base;
use crate::options::real::or_here;

/// How manifests are read.
#[derive(Clone)]
pub(in crate::commands) struct How {
    pub(in crate::commands) format: Option<Format>,
    pub(in crate::commands) function: Option<Function>,
    pub(in crate::commands) zero: bool,
    /// The folder in which relative names are resolved.
    pub(in crate::commands) base: Option<Base>,
    /// Whether symbolic links may lead out of a bag.
    pub(in crate::commands) follow_links: bool,
    /// Whether the manifest is in ISO-8859-1, as the declaration of its bag says.
    pub(in crate::commands) is_latin_1: bool,
    /// How names are changed before they are looked up.
    pub(in crate::commands) spelling: Spelling,
}

impl How {
    /// Whether the options allow the manifest to be one of a bag.
    pub(in crate::commands) fn may_be_of_bag(&self) -> bool {
        self.format.is_none_or(|format| format == Format::BagIt)
    }

    /// Whether this manifest is read as one of a bag.
    pub(in crate::commands) fn is_of_bag(&self, path: &Path) -> bool {
        self.may_be_of_bag() && InBag::of(path).is_some()
    }

    /// How to read this manifest: as one of a bag, if it lies in one and no option says otherwise.
    pub(in crate::commands) fn of_manifest(&self, path: &Path) -> Self {
        match InBag::of(path).filter(|_| self.may_be_of_bag()) {
            None => self.clone(),
            Some(bag) => {
                let declared = declaration(bag.folder).ok();
                let is_old = declared.as_ref().is_some_and(|it| it.version < (1, 0));
                Self {
                    format: Some(Format::BagIt),
                    function: self.function.or(bag.function),
                    base: self.base.clone().or(Some(Base::of_folder(bag.folder))),
                    is_latin_1: declared.is_some_and(|it| it.is_latin_1),
                    spelling: self.spelling.of_bag(is_old),
                    ..self.clone()
                }
            }
        }
    }

    /// The manifest's name, from which that of its file may be taken. With a base, the file is
    /// there.
    fn name_of(&self, path: &Path) -> Vec<u8> {
        let shown = match &self.base {
            _ if is_stdin(path) => None,
            Some(_) => path.file_name().map(Path::new),
            None => Some(path),
        };
        shown.map(|path| system::name(path).into_owned()).unwrap_or_default()
    }

    /// Whether the format says that names are relative to the folder of the manifest.
    fn is_beside(format: Option<Format>, path: &Path) -> bool {
        // What a shell puts in `/dev/fd` for a pipe has no folder.
        format.is_some_and(|format| format.about().is_beside) && !is_stdin(path) && path.is_file()
    }

    /// Where names lead.
    pub(in crate::commands) fn base_of(&self, format: Option<Format>, path: &Path) -> Option<Base> {
        if self.base.is_some() || !Self::is_beside(format, path) {
            return self.base.clone();
        }
        let mut folder = or_here(path.parent()?).to_owned();
        // Lists of ASC MHL and of RPM have a folder of their own, beside what they list.
        let is_own = |name: &OsStr| name == "ascmhl" || name == "repodata";
        if matches!(format, Some(Format::Mhl | Format::AscMhl | Format::Xml))
            && folder.file_name().is_some_and(is_own)
        {
            folder = folder.parent().map_or_else(PathBuf::new, Path::to_owned);
        }
        Some(Base::of_folder(or_here(&folder)))
    }

    /// The options for the reader of this manifest.
    pub(in crate::commands) fn options(&self, path: &Path) -> ReaderOptions {
        ReaderOptions {
            format: self.format,
            function: self.function.and_then(|function| HashName::named(&function.name())),
            zero: self.zero,
            manifest: self.name_of(path),
        }
    }

    /// The bag at this path, if it is one and no other format was requested.
    pub(in crate::commands) fn bag(&self, path: &Path) -> Option<Bag> {
        let bag = || Bag::open(path, self.function, self.follow_links);
        self.may_be_of_bag().then(bag).flatten()
    }
}

/// A manifest whose name and place are those of a bag's (RFC 8493).
pub(in crate::commands) struct InBag<'m> {
    pub(in crate::commands) folder: &'m Path,
    function: Option<Function>,
    /// Whether it lists tag files.
    pub(in crate::commands) is_tag: bool,
}

impl<'m> InBag<'m> {
    pub(in crate::commands) fn of(manifest: &'m Path) -> Option<Self> {
        let (is_tag, name) = manifest_of(manifest.file_name()?.to_str()?)?;
        let folder = manifest.parent()?;
        let is_bag = folder.join("bagit.txt").is_file();
        is_bag.then(|| Self { folder, function: Function::from_name(name).ok(), is_tag })
    }
}
