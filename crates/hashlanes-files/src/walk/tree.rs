//! The files of one tree.
//!
//! Every directory is opened relative to its parent, so that paths may have any length, and a
//! directory that is meanwhile replaced by a link is not followed. At most [`HANDLES`] directories
//! are open at a time: in a deeper tree, the uppermost are closed, and reopened by their paths when
//! the walk returns to them.

use std::cmp::Ordering;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::vec;

use super::{Origin, Walk, WalkError};
use crate::system;
use crate::system::directory::{Directory, Identity, Links, Names, Place, Type};

/// The maximum number of open directories of a walk.
const HANDLES: usize = 32;

/// The maximum number of roots that stay open while their files are read.
const ROOTS: usize = 256;

pub(super) struct Tree {
    walk: Walk,
    root: PathBuf,
    /// The path of the last level, below the root.
    below: PathBuf,
    /// The maximum number of open directories.
    handles: usize,
    /// The maximum number of open roots, of all walks.
    roots: usize,
    /// The directories on the current path. Empty before the walk begins.
    levels: Vec<Level>,
    /// `None` before the walk begins, or if the root cannot be opened.
    origin: Option<Origin>,
    begun: bool,
}

/// A directory on the current path.
struct Level {
    /// `None` if no directory is left in it, or if too many are open.
    handle: Option<Directory>,
    identity: Option<Identity>,
    names: Names,
    /// The remaining entries, sorted.
    rest: vec::IntoIter<Item>,
    /// The errors of entries whose type is unknown.
    errors: Vec<io::Error>,
}

#[derive(Clone, Copy)]
struct Item {
    name: Place,
    what: What,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    File,
    Directory,
    /// An entry of unknown type, with the index of its error.
    Unknown(u32),
}

impl Tree {
    pub(super) fn new(walk: &Walk, root: PathBuf) -> Self {
        let (walk, below, levels) = (walk.clone(), PathBuf::new(), Vec::new());
        let free = system::free_descriptors();
        // At least one each: most walks have a single root.
        let (handles, roots) = (HANDLES.min(free.div_ceil(4)), (free / 16).clamp(1, ROOTS));
        Self { walk, root, below, handles, roots, levels, origin: None, begun: false }
    }

    fn links(&self) -> Links {
        if self.walk.options.follow_links { Links::Follow } else { Links::Stay }
    }

    /// Where the files are found.
    pub(super) fn origin(&self) -> Option<&Origin> {
        self.origin.as_ref()
    }

    fn begin(&mut self) -> io::Result<()> {
        let root = Directory::open(&self.root)?;
        self.origin = Some(Origin::new(&self.root, self.links(), &root, self.roots));
        self.enter(root)
    }

    /// The path of an entry of the last level, or of the level itself if the name is empty.
    fn path(&self, name: &OsStr) -> PathBuf {
        let (root, below) = (self.root.as_os_str(), self.below.as_os_str());
        let mut path = PathBuf::with_capacity(root.len() + below.len() + name.len() + 2);
        path.push(root);
        [below, name].iter().filter(|part| !part.is_empty()).for_each(|part| path.push(part));
        path
    }

    fn error(&self, name: &OsStr, error: io::Error) -> WalkError {
        WalkError { path: self.path(name), error }
    }

    /// Enters a directory. Even with an error, some of its entries may be there and are walked.
    fn enter(&mut self, directory: Directory) -> io::Result<()> {
        let identity = directory.identity();
        if self.walk.options.follow_links
            && identity.is_some()
            && self.levels.iter().any(|level| level.identity == identity)
        {
            self.below.pop();
            return Err(io::Error::other("the link leads back to a directory above it"));
        }
        let (mut level, outcome) = self.read(&directory);
        level.identity = identity;
        level.handle = level.has_directories().then_some(directory);
        self.levels.push(level);
        if let Some(above) = self.levels.len().checked_sub(self.handles + 1) {
            self.levels[above].handle = None;
        }
        outcome
    }

    fn read(&self, directory: &Directory) -> (Level, io::Result<()>) {
        let Walk { options, skipped } = &self.walk;
        let (mut names, mut items) = (Names::default(), Vec::new());
        let mut errors = Vec::new();
        let outcome = directory.read(self.links(), |name, kind| {
            let is_hidden = options.skip_hidden && name.as_encoded_bytes().starts_with(b".");
            let is_directory = matches!(kind, Ok(Type::Directory));
            if is_hidden || !options.filter.takes(&self.below, name, is_directory) {
                return;
            }
            let what = match kind {
                Ok(Type::File) if options.is_in_shard(&self.below.join(name)) => What::File,
                Ok(Type::File) => return,
                Ok(Type::Directory) => What::Directory,
                Ok(other) => return skipped.count(other),
                Err(error) => {
                    errors.push(error);
                    What::Unknown(errors.len() as u32 - 1)
                }
            };
            items.push(Item { name: names.push(name), what });
        });
        items.sort_unstable_by(|a, b| {
            compare((names.get(a.name), a.what), (names.get(b.name), b.what))
        });
        let rest = items.into_iter();
        (Level { handle: None, identity: None, names, rest, errors }, outcome)
    }

    /// Leaves the last level.
    fn leave(&mut self) {
        self.levels.pop();
        if !self.levels.is_empty() {
            self.below.pop();
        }
    }

    /// Enters a directory of the last level, if it is on an accepted file system.
    fn descend(&mut self, name: &OsStr) -> io::Result<()> {
        self.reopen()?;
        let level = self.levels.last().expect("the name is of the last level");
        let handle = level.handle.as_ref().expect("it was opened again");
        let directory = handle.open_in(name, self.links())?;
        if self.walk.options.one_file_system {
            let device = |identity: Option<Identity>| identity.map(|identity| identity.device);
            if device(self.levels[0].identity) != device(directory.identity()) {
                self.walk.skipped.count_mount();
                return Ok(());
            }
        }
        self.below.push(name);
        self.enter(directory)
    }

    /// Reopens the last level if it was closed.
    fn reopen(&mut self) -> io::Result<()> {
        let path = self.path("".as_ref());
        let level = self.levels.last_mut().expect("the walk is somewhere");
        if level.handle.is_none() {
            level.handle = Some(Directory::open_again(&path, level.identity)?);
        }
        Ok(())
    }
}

impl Iterator for Tree {
    type Item = Result<PathBuf, WalkError>;

    fn next(&mut self) -> Option<Self::Item> {
        if !self.begun {
            self.begun = true;
            if let Err(error) = self.begin() {
                return Some(Err(self.error("".as_ref(), error)));
            }
        }
        loop {
            let level = self.levels.last_mut()?;
            let Some(Item { name, what }) = level.rest.next() else {
                self.leave();
                continue;
            };
            match what {
                What::File => return Some(Ok(self.path_of(name))),
                What::Unknown(error) => {
                    let error = std::mem::replace(
                        &mut level.errors[error as usize],
                        io::ErrorKind::Other.into(),
                    );
                    return Some(Err(WalkError { path: self.path_of(name), error }));
                }
                What::Directory => {
                    let name = level.names.get(name).to_owned();
                    let depth = self.levels.len();
                    if let Err(error) = self.descend(&name) {
                        // If it was entered despite the error, the path already includes it.
                        let entered = self.levels.len() > depth;
                        let name = if entered { "".as_ref() } else { name.as_os_str() };
                        return Some(Err(self.error(name, error)));
                    }
                }
            }
        }
    }
}

impl Tree {
    fn path_of(&self, name: Place) -> PathBuf {
        self.path(
            self.levels.last().map_or(Path::new("").as_os_str(), |level| level.names.get(name)),
        )
    }
}

impl Level {
    fn has_directories(&self) -> bool {
        self.rest.as_slice().iter().any(|item| item.what == What::Directory)
    }
}

/// Compares entries of one directory, as if the names of directories ended in `/`.
fn compare((a, a_what): (&OsStr, What), (b, b_what): (&OsStr, What)) -> Ordering {
    let (a, b) = (a.as_encoded_bytes(), b.as_encoded_bytes());
    let common = a.len().min(b.len());
    let after =
        |name: &[u8], what| name.get(common).copied().or((what == What::Directory).then_some(b'/'));
    // If one name is a prefix of the other, the next byte of the longer one decides. No two names
    // are equal.
    a[..common].cmp(&b[..common]).then_with(|| after(a, a_what).cmp(&after(b, b_what)))
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;

    use super::super::{Options, SortedFiles};
    use super::*;

    /// A folder with `depth` nested folders with long names, made without long paths. The last of
    /// them has a file, and each has a file that is sorted after its folder.
    fn deep(depth: usize) -> (tempfile::TempDir, String) {
        use rustix::fs::{Mode, OFlags, mkdirat, openat};
        let folder = tempfile::tempdir().unwrap();
        let name = "d".repeat(200);
        let mut at = std::os::fd::OwnedFd::from(fs::File::open(folder.path()).unwrap());
        for _ in 0..depth {
            let file = openat(&at, "z", OFlags::CREATE | OFlags::WRONLY, Mode::RWXU).unwrap();
            drop(file);
            mkdirat(&at, &*name, Mode::RWXU).unwrap();
            at = openat(&at, &*name, OFlags::DIRECTORY | OFlags::RDONLY, Mode::empty()).unwrap();
        }
        (folder, name)
    }

    #[test]
    fn a_tree_may_be_deeper_than_a_path_and_than_the_open_handles() {
        let depth = 3 * HANDLES;
        let (folder, name) = deep(depth);
        let paths: Vec<_> =
            SortedFiles::new(vec![folder.path().into()]).map(|found| found.unwrap().0).collect();
        assert_eq!(paths.len(), depth);
        let deepest = folder.path().join(vec![name.as_str(); depth - 1].join("/")).join("z");
        assert!(deepest.as_os_str().len() > 4 * 4096);
        assert_eq!(paths[0], deepest);
        assert!(paths.is_sorted());
        let open = crate::system::open(&deepest).unwrap();
        assert!(open.metadata().unwrap().is_file());
        assert!(crate::system::open_regular(&deepest).is_ok());
        assert!(crate::system::metadata(&deepest).unwrap().is_file());
        let missing = deepest.with_file_name("missing");
        assert!(crate::system::is_missing(&crate::system::open(&missing).unwrap_err()));
    }

    #[test]
    fn links_are_followed_if_asked_for_and_loops_end() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("a/b")).unwrap();
        fs::write(at("a/b/file"), "").unwrap();
        let link = |to: &str, name: &str| std::os::unix::fs::symlink(to, at(name)).unwrap();
        link("..", "a/b/up");
        link("b/file", "a/link");
        link("nowhere", "a/missing");
        link("b", "a/twin");

        let walk = Walk::default();
        let found = walk.files(vec![folder.path().into()]).map(|found| found.unwrap().0);
        assert_eq!(found.collect::<Vec<_>>(), [at("a/b/file")]);
        assert_eq!(walk.skipped().to_string(), "4 symbolic links");

        let walk = Walk::new(Options { follow_links: true, ..Options::default() });
        let found: Vec<_> = walk
            .files(vec![folder.path().into()])
            .map(|found| match found {
                Ok((path, _)) => path,
                Err(WalkError { path, error }) => {
                    PathBuf::from(format!("{} {:?}", path.display(), error.kind()))
                }
            })
            .collect();
        assert_eq!(
            found,
            [
                at("a/b/file"),
                at("a/b/up Other"),
                at("a/link"),
                at("a/missing NotFound"),
                at("a/twin/file"),
                at("a/twin/up Other"),
            ]
        );
        assert!(walk.skipped().is_empty());
    }

    #[test]
    fn what_is_no_file_is_counted_and_hidden_names_can_be_skipped() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at(".git")).unwrap();
        for name in [".git/x", ".hidden", "plain"] {
            fs::write(at(name), "").unwrap();
        }
        let fifo = std::process::Command::new("mkfifo").arg(at("fifo")).status();
        assert!(fifo.unwrap().success());
        let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
        std::os::unix::fs::symlink("x", at("link")).unwrap();
        let names = |walk: &Walk| {
            let found = walk.files(vec![folder.path().into()]);
            found.map(|found| found.unwrap().0).collect::<Vec<_>>()
        };
        let walk = Walk::default();
        assert_eq!(names(&walk), [at(".git/x"), at(".hidden"), at("plain")]);
        assert_eq!(walk.skipped().to_string(), "1 symbolic link, 1 FIFO, 1 socket");
        let walk = Walk::new(Options { skip_hidden: true, ..Options::default() });
        assert_eq!(names(&walk), [at("plain")]);
        assert!(!walk.skipped().is_empty());
    }
}
