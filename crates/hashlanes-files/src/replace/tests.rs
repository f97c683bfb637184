//! On a system with modes and links.

use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;

fn names(folder: &Path) -> Vec<String> {
    let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string();
    let mut names: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| name(entry).unwrap()).collect();
    names.sort();
    names
}

#[test]
fn what_a_killed_run_left_is_taken_over_and_removed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m");
    let killed = Replacement::begin(&path, Replaces::Any).unwrap();
    killed.create("new").unwrap().write_all(b"half").unwrap();
    killed.create("journal").unwrap().write_all(b"kept").unwrap();
    // A run that is killed drops its lock and nothing else.
    let inner = std::mem::ManuallyDrop::new(killed);
    assert!(
        Replacement::begin(&path, Replaces::Any)
            .is_err_and(|e| e.to_string().contains("another run"))
    );
    inner.lock.as_ref().unwrap().unlock().unwrap();
    let next = Replacement::begin(&path, Replaces::Any).unwrap();
    assert_eq!(names(&folder.path().join(".m.hashlanes")), ["journal", "lock"]);
    let mut journal = String::new();
    next.open("journal").unwrap().unwrap().read_to_string(&mut journal).unwrap();
    assert_eq!(journal, "kept");
    let own = Own::new(&path, &[".resume"]).unwrap();
    assert!(own.has(&folder.path().join(".m.hashlanes/journal")));
    assert!(!own.has(&folder.path().join("journal")));
    next.remove("journal").unwrap();
    drop(next);
    assert!(names(folder.path()).is_empty());
}

#[test]
fn the_new_file_has_the_mode_of_the_old_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m");
    fs::write(&path, "old").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    let replacement = Replacement::begin(&path, Replaces::Any).unwrap();
    let new = replacement.create("new").unwrap();
    assert_eq!(new.metadata().unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn what_is_in_the_way_is_not_touched() {
    let folder = tempfile::tempdir().unwrap();
    let (path, way) = (folder.path().join("m"), folder.path().join(".m.hashlanes"));
    let refused = || {
        let error = Replacement::begin(&path, Replaces::Any).unwrap_err().to_string();
        assert!(error.contains("was not made by hashlanes"), "{error}");
    };
    let other = folder.path().join("other");
    fs::create_dir(&other).unwrap();
    symlink(&other, &way).unwrap();
    refused();
    fs::remove_file(&way).unwrap();
    fs::write(&way, "precious").unwrap();
    refused();
    assert_eq!(fs::read_to_string(&way).unwrap(), "precious");
    fs::remove_file(&way).unwrap();
    fs::create_dir(&way).unwrap();
    fs::set_permissions(&way, fs::Permissions::from_mode(0o700)).unwrap();
    fs::write(way.join("new"), "precious").unwrap();
    refused();
    assert_eq!(names(&way), ["new"]);
    fs::write(way.join("lock"), "precious").unwrap();
    refused();
    assert_eq!(fs::read_to_string(way.join("lock")).unwrap(), "precious");
    fs::remove_file(way.join("lock")).unwrap();
    symlink("../victim", way.join("lock")).unwrap();
    assert!(Replacement::begin(&path, Replaces::Any).is_err());
    assert!(!folder.path().join("victim").exists());
}

#[test]
fn only_what_the_program_made_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m");
    let is_made = |head: &[u8], length: u64| head.starts_with(b"ours") && length < 10;
    let made = Replaces::Made("one of ours", &is_made);
    let why = |replaces| Replacement::begin(&path, replaces).err().map(|error| error.to_string());
    for replaces in [Replaces::Nothing, made, Replaces::Any] {
        assert_eq!(why(replaces), None);
    }
    fs::write(&path, "precious").unwrap();
    assert_eq!(why(Replaces::Nothing).unwrap(), "the file exists");
    assert_eq!(why(made).unwrap(), "not replaced: it is not one of ours");
    assert_eq!(why(Replaces::Any), None);
    for (content, is_replaced) in [("ours", true), ("ours, but long", false), ("", true)] {
        fs::write(&path, content).unwrap();
        assert_eq!(why(made).is_none(), is_replaced, "{content}");
    }
    symlink("nowhere", folder.path().join("link")).unwrap();
    let broken = Replacement::begin(&folder.path().join("link"), Replaces::Any);
    assert!(broken.is_err_and(|error| error.to_string().contains("broken link")));
    assert_eq!(names(folder.path()), ["link", "m"]);
}

#[test]
fn what_appears_or_changes_meanwhile_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m");
    let put = |meanwhile: &dyn Fn()| {
        let replacement = Replacement::begin(&path, Replaces::Any).unwrap();
        let new = replacement.create("new").unwrap();
        meanwhile();
        replacement.put("new", &new, replacement.target())
    };
    assert!(put(&|| fs::write(&path, "precious").unwrap()).is_err());
    assert!(put(&|| fs::write(&path, "more precious").unwrap()).is_err());
    assert_eq!(fs::read_to_string(&path).unwrap(), "more precious");
    put(&|| fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap()).unwrap();
    put(&|| fs::remove_file(&path).unwrap()).unwrap();
    assert_eq!(names(folder.path()), ["m"]);
}
