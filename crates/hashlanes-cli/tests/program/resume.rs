//! `hashlanes sum --resume`: runs that are killed and continued.

use std::fs::{self, File};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, SystemTime};

use crate::common::{Dir, assert_same, kill_at_random, leave_out, lossy, noise, ok, run, settle};

const RESUME: [&str; 5] = ["sum", "-r", "tree", "--resume", "manifest"];

/// Files of many lengths in `tree`. Their times are those of 2023, some with nanoseconds.
fn tree(files: usize) -> Dir {
    let dir = Dir::new();
    for number in 0..files {
        let length = if number % 100 == 99 { 3 << 20 } else { number % 7 * 1000 };
        let name = format!("tree/{}/{number}", number % 13);
        dir.file(&name, &noise(length, number as u64));
        touch(&dir.at(&name), number as u64);
    }
    dir
}

fn touch(path: &Path, number: u64) {
    let time = SystemTime::UNIX_EPOCH + Duration::new(1_700_000_000 + number, number as u32);
    File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
}

/// How many bytes the run reads, as its summary says it.
#[track_caller]
fn assert_reads(dir: &Dir, resume: &[&str], bytes: &str) {
    let output = run(dir.hashlanes(resume).arg("--summary"));
    let told = lossy(&output.stderr);
    assert!(output.status.success() && told.contains(&format!("), {bytes} in ")), "{told}");
}

fn manifest(dir: &Dir) -> Vec<u8> {
    fs::read(dir.at("manifest")).unwrap()
}

/// The names of all files and folders next to the tree.
fn beside_the_tree(dir: &Dir) -> Vec<String> {
    let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name();
    let mut names: Vec<_> = fs::read_dir(dir.path())
        .unwrap()
        .map(|entry| name(entry).into_string().unwrap())
        .filter(|name| name != "tree")
        .collect();
    names.sort();
    names
}

const AT_REST: [&str; 2] = ["manifest", "manifest.resume"];

#[test]
fn the_manifest_is_what_sum_prints_in_every_format() {
    let dir = tree(50);
    settle();
    dir.file("list", b"tree/9/9\ntree/1/1\ntree/5/5\n");
    for options in [
        &["-r", "tree"][..],
        &["-r", "tree", "--tag"],
        &["-r", "tree", "-b", "-a", "md5"],
        &["-r", "tree", "-a", "sha1", "-a", "sha512", "--base", "tree"],
        &["-r", "tree", "--json", "-a", "md5,blake3"],
        &["-r", "tree", "--format", "csv", "--base64"],
        &["-r", "tree", "--format", "hashdeep", "--exclude", "1/"],
        &["-r", "tree", "--format", "sfv", "-a", "crc32"],
        &["-r", "tree", "--format", "bagit", "--no-hidden"],
        &["-r", "tree", "-z", "--shard", "2/3"],
        &["--files-from", "list", "--json"],
        &["tree/9/9", "tree/1/1"],
    ] {
        let resume = [&["sum", "--resume", "manifest"], options].concat();
        assert!(ok(&mut dir.hashlanes(&resume)).is_empty());
        let written = manifest(&dir);
        let printed = ok(&mut dir.hashlanes(&[&["sum"], options].concat()));
        assert_same(&written, &printed, "the manifest");
        let state = fs::read(dir.at("manifest.resume")).unwrap();
        // A second run changes nothing.
        ok(&mut dir.hashlanes(&resume));
        assert_same(&manifest(&dir), &written, "the manifest of the second run");
        assert_same(&fs::read(dir.at("manifest.resume")).unwrap(), &state, "what is remembered");
        for file in AT_REST {
            fs::remove_file(dir.at(file)).unwrap();
        }
        assert_eq!(beside_the_tree(&dir), ["list"]);
    }
}

#[test]
fn only_what_changed_is_read_again() {
    let dir = tree(60);
    settle();
    ok(&mut dir.hashlanes(&RESUME));
    assert_reads(&dir, &RESUME, "0 B");
    // These changes are noticed: another time, another length, a new file, and a deleted one.
    touch(&dir.at("tree/2/2"), 1000);
    dir.file("tree/2/2", &noise(fs::metadata(dir.at("tree/2/2")).unwrap().len() as usize, 99));
    touch(&dir.at("tree/2/2"), 1000);
    dir.file("tree/3/3", b"longer, or shorter");
    touch(&dir.at("tree/3/3"), 3);
    dir.file("tree/4/new", b"new");
    fs::remove_file(dir.at("tree/5/5")).unwrap();
    ok(&mut dir.hashlanes(&RESUME));
    assert_same(&manifest(&dir), &ok(&mut dir.hashlanes(&["sum", "-r", "tree"])), "the lines");
}

#[test]
fn a_change_that_keeps_length_and_time_is_noticed() {
    let dir = tree(20);
    settle();
    ok(&mut dir.hashlanes(&RESUME));
    // As `tar`, Nix and OSTree set times.
    change_unseen(&dir, "tree/1/1");
    // Another file with the same length and times takes the place.
    fs::copy(dir.at("tree/2/2"), dir.at("other")).unwrap();
    touch(&dir.at("other"), 2);
    fs::rename(dir.at("other"), dir.at("tree/2/2")).unwrap();
    let before = manifest(&dir);
    let damaged = |options: &[&str]| {
        let output = run(dir.hashlanes(&RESUME).args(options));
        let why = "damaged: the content differs, but the size and the time do not";
        let damaged = format!("hashlanes: tree/1/1: {why}\n");
        let said = lossy(&output.stderr);
        assert!(output.status.code() == Some(4) && said.starts_with(&damaged), "{said}");
        (said[damaged.len()..].to_owned(), lossy(&output.stdout))
    };
    let kept = "hashlanes: manifest: kept the old digests of 1 damaged file: restore the content, \
                or accept it with --accept-damaged\n";
    for options in [&["--changes"][..], &["--quiet", "--metrics", "metrics"]] {
        assert_eq!(damaged(options), (kept.into(), String::new()));
        assert_same(&manifest(&dir), &before, "the lines");
    }
    let metrics = lossy(&fs::read(dir.at("metrics")).unwrap());
    assert!(metrics.contains("status=\"damaged\"} 1\n"), "{metrics}");
    assert!(metrics.contains("status=\"ok\"} 1\n"), "{metrics}");
    let changed = "tree/1/1: changed\n";
    let accepted = damaged(&["--accept-damaged", "--changes"]);
    assert_eq!(accepted, (String::new(), changed.into()));
    assert_same(&manifest(&dir), &ok(&mut dir.hashlanes(&["sum", "-r", "tree"])), "the lines");
    settle();
    ok(&mut dir.hashlanes(&RESUME));
    assert_reads(&dir, &RESUME, "0 B");
}

/// Neither a run that is killed nor a time that was set back at once makes a new digest of damage.
#[test]
fn damage_stays_damage_until_it_is_accepted() {
    let dir = tree(3);
    dir.file("list", b"tree/2/2\ntree/1/1\n");
    for (resume, name) in [
        (RESUME, "tree/1/1"),
        (["sum", "--files-from", "list", "--resume", "manifest"], "tree/2/2"),
    ] {
        // The files were written just before, with old times.
        ok(&mut dir.hashlanes(&resume));
        let before = manifest(&dir);
        change_unseen(&dir, name);
        let known = fs::read(dir.at("manifest.resume")).unwrap();
        let assert_kept = || {
            let output = run(&mut dir.hashlanes(&resume));
            assert_eq!(output.status.code(), Some(4), "{}", lossy(&output.stderr));
            assert_same(&manifest(&dir), &before, "the manifest");
            let remembered = fs::read(dir.at("manifest.resume")).unwrap();
            assert_same(&remembered, &known, "what is remembered");
        };
        assert_kept();
        // A run that was killed leaves the digests that it found.
        AT_REST.iter().for_each(|file| fs::remove_file(dir.at(file)).unwrap());
        ok(&mut dir.hashlanes(&resume));
        let found = fs::read(dir.at("manifest.resume")).unwrap();
        let end = |state: &[u8]| state.iter().position(|byte| *byte == b'\n').unwrap() + 1;
        dir.file("manifest", &before).file("manifest.resume", &known);
        let folder = dir.at(".manifest.hashlanes");
        fs::DirBuilder::new().mode(0o700).create(&folder).unwrap();
        let journal = [&known[..end(&known)], &found[end(&found)..]].concat();
        dir.file(".manifest.hashlanes/journal", &journal);
        dir.file(".manifest.hashlanes/lock", b"hashlanes replaces a file beside this folder\n");
        assert_kept();
        assert!(!folder.exists());
        for file in AT_REST {
            fs::remove_file(dir.at(file)).unwrap();
        }
    }
}

#[test]
fn what_was_just_written_is_read_again() {
    let dir = Dir::new();
    dir.file("tree/a", b"first");
    settle();
    ok(&mut dir.hashlanes(&RESUME));
    assert_reads(&dir, &RESUME, "0 B");
    dir.file("tree/b", b"second one");
    ok(&mut dir.hashlanes(&RESUME));
    assert_reads(&dir, &RESUME, "10 B");
    settle();
    assert_reads(&dir, &RESUME, "10 B");
    assert_reads(&dir, &RESUME, "0 B");
    // Results from before `ctime` was recorded are not used.
    let state = lossy(&fs::read(dir.at("manifest.resume")).unwrap());
    assert_eq!(state.matches("\"ctime\":").count(), 2, "{state}");
}

/// In a file system whose times are in whole seconds.
#[test]
fn a_file_that_is_rewritten_within_the_second_gets_its_new_digest() {
    let dir = Dir::new();
    let script = "\
        head -c 8M /dev/zero > image && mkdir disk && mkfs.ext4 -q -I 128 image > log 2>&1 &&
            mount -o loop image disk || exit 77
        for i in 1 2 3; do
            echo one > disk/file; $0 sum -r disk --resume manifest
            echo two > disk/file; $0 sum -r disk --resume manifest
            sha256sum disk/file | cmp - manifest
        done";
    let script = script.replace("$0", env!("CARGO_BIN_EXE_hashlanes"));
    let output = run(&mut dir.peer("unshare", &["-m", "bash", "-c", &script]));
    if output.status.code() == Some(77) || lossy(&output.stderr).contains("unshare") {
        return leave_out("coarse times, since no such file system can be mounted");
    }
    let told = lossy(&output.stdout) + &lossy(&output.stderr);
    assert!(output.status.success() && told.is_empty(), "{told}");
}

#[test]
fn the_manifest_may_be_in_the_tree() {
    let dir = tree(20);
    let resume = ["sum", "-r", ".", "--resume", "tree/manifest"];
    // Nobody needs to be told.
    let quiet = || assert_eq!(lossy(&run(&mut dir.hashlanes(&resume)).stderr), "");
    quiet();
    let first = fs::read(dir.at("tree/manifest")).unwrap();
    quiet();
    assert_same(&fs::read(dir.at("tree/manifest")).unwrap(), &first, "the manifest");
    assert!(!lossy(&first).contains("manifest") && lossy(&first).contains("./tree/0/13"));
}

#[test]
fn foreign_files_are_not_touched() {
    let dir = tree(5);
    let refused = |arguments: &[&str], why: &str| {
        let output = run(&mut dir.hashlanes(arguments));
        assert_eq!(output.status.code(), Some(1));
        assert!(lossy(&output.stderr).contains(why), "{}", lossy(&output.stderr));
    };
    let printed = ok(&mut dir.hashlanes(&["sum", "-r", "tree"]));
    dir.file("manifest", &printed);
    refused(&RESUME, "manifest: not written by --resume: there is no ");
    assert_same(&manifest(&dir), &printed, "the manifest");
    fs::remove_file(dir.at("manifest")).unwrap();
    dir.file("manifest.resume", b"precious");
    refused(&RESUME, "not written by --resume of this version");
    assert_eq!(fs::read(dir.at("manifest.resume")).unwrap(), b"precious");
    fs::remove_file(dir.at("manifest.resume")).unwrap();
    ok(&mut dir.hashlanes(&RESUME));
    let written = manifest(&dir);
    for (options, why) in [
        (&["--tag"][..], "written with other options: --format was \"text\" and is \"tag\". Give"),
        (&["--exclude", "x"], "--exclude was [] and is [\"x\"]"),
        (&["-a", "md5"], "--algorithm was [\"sha256\"] and is [\"md5\"]"),
        (&["tree/1"], "FILE was [\"tree\"] and is [\"tree\",\"tree/1\"]"),
    ] {
        refused(&[&RESUME[..], options].concat(), why);
    }
    let here = run(dir
        .hashlanes(&["sum", "-r", "tree", "--resume", "../manifest"])
        .current_dir(dir.at("tree")));
    assert!(lossy(&here.stderr).contains("current folder was \".\" and is \"tree\""));
    assert_same(&manifest(&dir), &written, "the manifest");
    let output = run(&mut dir.hashlanes(&["sum", "-r", "tree", "--resume", "-"]));
    assert_eq!(output.status.code(), Some(2));
    assert!(lossy(&output.stderr).contains("--resume needs a file that it can replace"));
    assert_eq!(beside_the_tree(&dir), AT_REST);
    refused(&["sum", "-r", "tree", "--resume", "/dev/null"], "not a regular file");
    refused(&["sum", "-r", "tree", "--resume", "none/manifest"], "none/manifest: No such file");
}

#[test]
fn a_killed_run_loses_nothing_and_is_continued() {
    let dir = tree(3000);
    settle();
    ok(&mut dir.hashlanes(&RESUME));
    let whole = manifest(&dir);
    let anew = || AT_REST.iter().for_each(|file| fs::remove_file(dir.at(file)).unwrap());
    anew();
    let known = || {
        let done = fs::read(dir.at(".manifest.hashlanes/done")).unwrap_or_default();
        done.iter().filter(|&&byte| byte == b'\n').count()
    };
    let (mut interrupted, mut most) = (0, 0);
    kill_at_random(
        40,
        60_000,
        |number| {
            let mut sum = dir.hashlanes(&RESUME);
            sum.args(["--threads", if number % 2 == 0 { "1" } else { "2" }]);
            sum
        },
        |ended| {
            if dir.at("manifest").exists() {
                assert_same(&manifest(&dir), &whole, "the manifest");
            }
            if !ended {
                assert!(known() >= most, "something was lost");
                most = known();
                interrupted += usize::from(most > 0);
            } else {
                assert_eq!(beside_the_tree(&dir), AT_REST);
                anew();
                most = 0;
            }
        },
    );
    assert!(interrupted > 0, "no run was killed in the middle");
    ok(&mut dir.hashlanes(&RESUME));
    assert_same(&manifest(&dir), &whole, "the manifest in the end");
    assert_eq!(beside_the_tree(&dir), AT_REST);
}

#[test]
fn no_error_costs_lines() {
    let dir = tree(26);
    fs::create_dir(dir.at("tree/mounted")).unwrap();
    dir.file("tree/mounted/file", b"on another disk");
    ok(&mut dir.hashlanes(&RESUME));
    let whole = manifest(&dir);
    let kept = |arguments: &[&str], message: &str| {
        let output = run(&mut dir.hashlanes(arguments));
        assert_eq!(output.status.code(), Some(1));
        assert!(lossy(&output.stderr).contains(message), "{}", lossy(&output.stderr));
        assert_same(&manifest(&dir), &whole, message);
    };
    kept(&["sum", "-r", "tre", "--resume", "manifest"], "FILE was");
    kept(&["sum", "-r", "tree/1", "--resume", "manifest"], "FILE was");
    fs::rename(dir.at("tree"), dir.at("away")).unwrap();
    kept(&RESUME, "manifest: kept 27 lines of files that were not found");
    fs::create_dir(dir.at("tree")).unwrap();
    kept(&RESUME, "kept 27 lines");
    fs::remove_dir(dir.at("tree")).unwrap();
    fs::rename(dir.at("away"), dir.at("tree")).unwrap();
    fs::rename(dir.at("tree/mounted"), dir.at("away")).unwrap();
    fs::create_dir(dir.at("tree/mounted")).unwrap();
    kept(&RESUME, "manifest: kept 1 line of files that were not found");
    let prune = [&RESUME[..], &["--prune"]].concat();
    assert_eq!(lossy(&ok(&mut dir.hashlanes(&prune))), "");
    assert_same(&manifest(&dir), &ok(&mut dir.hashlanes(&["sum", "-r", "tree"])), "pruned");
}

#[test]
fn an_unreadable_folder_loses_no_lines() {
    let dir = tree(26);
    ok(&mut dir.hashlanes(&RESUME));
    let whole = manifest(&dir);
    // Root may read everything, so another user runs it.
    let script = "rm tree/4/4; chmod 000 tree/3; chmod 755 .; chown -R 65534 . &&
        setpriv --reuid 65534 --clear-groups \"$0\" sum -r tree --resume manifest $1 2>&1; echo $?";
    let run_as_other = |option: &str| {
        let bash = ["-c", script, env!("CARGO_BIN_EXE_hashlanes"), option];
        let output = run(&mut dir.peer("bash", &bash));
        lossy(&output.stdout) + &lossy(&output.stderr)
    };
    let told = run_as_other("");
    if told.contains("setpriv") || told.contains("chown") {
        return leave_out("a folder that cannot be read, since this is not root");
    }
    assert!(told.contains("tree/3: Permission denied\n") && told.ends_with("\n1\n"), "{told}");
    assert_same(&manifest(&dir), &whole, "the manifest");
    // Only files known to be gone are dropped.
    run_as_other("--prune");
    assert_eq!(lossy(&manifest(&dir)).lines().count(), 25);
}

#[test]
fn an_empty_list_loses_no_lines() {
    let dir = tree(5);
    dir.file("list", b"tree/0/0\ntree/1/1\n");
    let resume = ["sum", "--files-from", "list", "--resume", "manifest"];
    ok(&mut dir.hashlanes(&resume));
    let whole = manifest(&dir);
    dir.file("list", b"");
    assert_eq!(run(&mut dir.hashlanes(&resume)).status.code(), Some(1));
    assert_same(&manifest(&dir), &whole, "the manifest");
    dir.file("list", b"tree/1/1\n");
    ok(&mut dir.hashlanes(&resume));
    assert_eq!(lossy(&manifest(&dir)).lines().count(), 1);
}

#[test]
fn files_of_others_are_not_written() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let dir = tree(5);
    for name in ["manifest.partial", "manifest.merged", "victim"] {
        dir.file(name, b"precious");
    }
    ok(&mut dir.hashlanes(&RESUME));
    fs::set_permissions(dir.at("manifest"), fs::Permissions::from_mode(0o600)).unwrap();
    touch(&dir.at("tree/1/1"), 77);
    ok(&mut dir.hashlanes(&RESUME));
    for name in AT_REST {
        let mode = fs::metadata(dir.at(name)).unwrap().permissions().mode();
        assert!(mode & 0o777 == 0o600 || name == "manifest.resume" && mode & 0o077 == 0, "{name}");
    }
    fs::remove_file(dir.at("manifest.resume")).unwrap();
    symlink("victim", dir.at("manifest.resume")).unwrap();
    assert_eq!(run(&mut dir.hashlanes(&RESUME)).status.code(), Some(1));
    fs::remove_file(dir.at("manifest.resume")).unwrap();
    symlink(".", dir.at(".manifest.hashlanes")).unwrap();
    let output = run(&mut dir.hashlanes(&RESUME));
    assert!(lossy(&output.stderr).contains("was not made by hashlanes"));
    for name in ["manifest.partial", "manifest.merged", "victim"] {
        assert_eq!(fs::read(dir.at(name)).unwrap(), b"precious");
    }
}

#[test]
fn results_of_another_user_are_not_used() {
    let dir = tree(20);
    settle();
    ok(&mut dir.hashlanes(&RESUME));
    let whole = manifest(&dir);
    if std::os::unix::fs::chown(dir.at("manifest.resume"), Some(65534), None).is_err() {
        return leave_out("results of another user, since this is not root");
    }
    let output = run(dir.hashlanes(&RESUME).arg("--changes"));
    let told = "hashlanes: manifest: MANIFEST.resume belongs to another user; all files are read \
                again\n";
    assert_eq!(lossy(&output.stderr), told);
    assert_eq!(lossy(&output.stdout).lines().count(), 20);
    assert_same(&manifest(&dir), &whole, "the manifest");
    // Now they are this user's.
    assert_reads(&dir, &RESUME, "0 B");
    // So they are beside a manifest of another user.
    std::os::unix::fs::chown(dir.at("manifest"), Some(65534), None).unwrap();
    dir.file("tree/new", b"new");
    for _ in 0..2 {
        assert!(!lossy(&run(&mut dir.hashlanes(&RESUME)).stderr).contains("another user"));
    }
    assert_eq!(std::os::unix::fs::MetadataExt::uid(&dir.at("manifest").metadata().unwrap()), 65534);
}

#[test]
fn two_runs_do_not_write_the_same_manifest() {
    let dir = Dir::new();
    dir.file("tree/a", b"a");
    File::create(dir.at("tree/large")).unwrap().set_len(1 << 42).unwrap();
    let mut child = dir.hashlanes(&RESUME).spawn().unwrap();
    while !dir.at(".manifest.hashlanes/journal").exists() {
        std::thread::sleep(Duration::from_millis(1));
    }
    // The first may not have the lock yet. Then the second gets it, and ends in the same way.
    let mut second = dir.hashlanes(&RESUME);
    let mut second = second.stderr(Stdio::piped()).spawn().unwrap();
    let ended = loop {
        match (child.try_wait().unwrap(), second.try_wait().unwrap()) {
            (Some(status), _) | (_, Some(status)) => break status,
            _ => std::thread::sleep(Duration::from_millis(1)),
        }
    };
    assert_eq!(ended.code(), Some(1));
    for child in [&mut child, &mut second] {
        let _ = child.kill();
        child.wait().unwrap();
    }
}

/// Runs the script with a disk of 256 KiB in memory. `None` if it cannot be mounted.
fn on_small_disk(dir: &Dir, script: &str) -> Option<String> {
    let script = script.replace("$0", env!("CARGO_BIN_EXE_hashlanes"));
    let script =
        format!("mkdir disk && mount -t tmpfs -o size=256k none disk || exit 77\n{script}");
    let output = run(&mut dir.peer("unshare", &["-m", "bash", "-c", &script]));
    if output.status.code() == Some(77) || lossy(&output.stderr).contains("unshare") {
        leave_out("a full disk, since none can be mounted");
        return None;
    }
    assert!(output.status.success(), "{}", lossy(&output.stderr));
    Some(lossy(&output.stdout))
}

#[test]
fn a_full_disk_is_reported_and_the_run_is_continued_later() {
    let dir = tree(3000);
    let script = "\
        head -c 200000 /dev/zero > disk/fill
        $0 sum -r tree --resume disk/manifest 2>&1; echo $?
        rm disk/fill; mount -o remount,size=4m disk
        $0 sum -r tree --resume disk/manifest; echo $?
        $0 sum -r tree > disk/printed
        cmp disk/manifest disk/printed && ls -A disk";
    if let Some(told) = on_small_disk(&dir, script) {
        let full = "hashlanes: write error: No space left on device\n1\n0\n\
                    manifest\nmanifest.resume\nprinted\n";
        assert_eq!(told, full);
    }
}

#[test]
fn unreadable_and_vanished_files_are_reported_and_the_rest_hashed() {
    let dir = tree(30);
    ok(dir.hashlanes(&RESUME).arg("-L"));
    fs::remove_file(dir.at("tree/3/3")).unwrap();
    // A broken link behaves like a file that vanishes after the walk has seen it.
    std::os::unix::fs::symlink("nowhere", dir.at("tree/3/3")).unwrap();
    let output = run(dir.hashlanes(&RESUME).arg("-L"));
    assert_eq!(output.status.code(), Some(1));
    let told = lossy(&output.stderr);
    assert!(told.starts_with("hashlanes: tree/3/3: No such file or directory\n"), "{told}");
    assert!(told.contains("kept 1 line of files that were not found"), "{told}");
    assert_eq!(lossy(&manifest(&dir)).lines().count(), 30);
}

/// Writes other bytes of the same length, and keeps the time.
fn change_unseen(dir: &Dir, name: &str) {
    let (before, time) = (fs::read(dir.at(name)).unwrap(), dir.at(name).metadata().unwrap());
    dir.file(name, &vec![b'#'; before.len()]);
    let file = File::options().write(true).open(dir.at(name)).unwrap();
    file.set_modified(time.modified().unwrap()).unwrap();
}

#[test]
fn a_manifest_that_was_changed_gets_no_old_digests() {
    let dir = tree(20);
    ok(&mut dir.hashlanes(&RESUME));
    change_unseen(&dir, "tree/1/1");
    let update = ["check", "--report", "--update", "--accept-damaged", "manifest", "tree"];
    run(&mut dir.hashlanes(&update));
    let updated = manifest(&dir);
    let told = |arguments: &[&str], status| {
        let output = run(&mut dir.hashlanes(arguments));
        assert_eq!(output.status.code(), Some(status), "{}", lossy(&output.stderr));
        lossy(&output.stderr)
    };
    let changed =
        "hashlanes: manifest: changed since --resume wrote it; all files are read again\n";
    // What is remembered is kept, but for that file.
    assert_eq!(told(&RESUME, 0), "");
    assert_same(&manifest(&dir), &updated, "the updated manifest");
    dir.file("manifest", &[&updated[..], b"# edited\n"].concat());
    assert_eq!(told(&RESUME, 0), changed);
    assert_same(&manifest(&dir), &updated, "the edited manifest");
    assert_eq!(told(&RESUME, 0), "");
    // Lines that others have added are kept while their files exist.
    dir.file("other/file", b"other");
    dir.file("more", &ok(&mut dir.hashlanes(&["sum", "-r", "other"])));
    ok(&mut dir.hashlanes(&["manifest", "merge", "-o", "manifest", "manifest", "more"]));
    let merged = manifest(&dir);
    for _ in 0..2 {
        let told = told(&RESUME, 1);
        assert!(told.starts_with(changed) && told.contains("not replaced: 1 line of"), "{told}");
        assert_same(&manifest(&dir), &merged, "the merged manifest");
    }
    // What is below a missing root was not examined.
    fs::remove_dir_all(dir.at("other")).unwrap();
    fs::rename(dir.at("tree"), dir.at("away")).unwrap();
    assert!(told(&RESUME, 1).contains("not replaced: 1 line of"));
    assert_same(&manifest(&dir), &merged, "the merged manifest");
    fs::rename(dir.at("away"), dir.at("tree")).unwrap();
    fs::write(dir.at("manifest"), &merged[..merged.len() / 2]).unwrap();
    assert_eq!(told(&RESUME, 0), changed);
    assert_same(&manifest(&dir), &updated, "the manifest");
    assert_eq!(told(&RESUME, 0), "");
}

#[test]
fn an_edited_manifest_still_shows_damage() {
    for options in [&[][..], &["-a", "md5,sha256"], &["--format", "csv", "--base", "tree"], &["-z"]]
    {
        let dir = tree(20);
        let resume = [&RESUME[..], options].concat();
        ok(&mut dir.hashlanes(&resume));
        let whole = manifest(&dir);
        let end = if options == ["-z"] { b'\0' } else { b'\n' };
        let edited = [&whole[..], b"# edited", &[end]].concat();
        dir.file("manifest", &edited);
        change_unseen(&dir, "tree/1/1");
        let output = run(&mut dir.hashlanes(&resume));
        let said = lossy(&output.stderr);
        assert!(output.status.code() == Some(4) && said.contains("1/1: damaged: "), "{said}");
        assert_same(&manifest(&dir), &whole, "the manifest");
        // Somebody has removed what it was.
        let kept = |line: &&[u8]| !lossy(line).contains("1/1");
        let lines = whole.split_inclusive(|byte| *byte == end).filter(kept);
        dir.file("manifest", &lines.collect::<Vec<_>>().concat());
        let output = run(&mut dir.hashlanes(&resume));
        assert!(output.status.success(), "{}", lossy(&output.stderr));
        let printed = ok(&mut dir.hashlanes(&[&["sum", "-r", "tree"], options].concat()));
        assert_same(&manifest(&dir), &printed, "the manifest");
    }
}

#[test]
fn a_damaged_line_is_ignored() {
    let dir = tree(20);
    settle();
    ok(&mut dir.hashlanes(&RESUME));
    let (whole, state) = (manifest(&dir), fs::read(dir.at("manifest.resume")).unwrap());
    let damage = |place: &str| {
        let mut bytes = fs::read(dir.at(place)).unwrap();
        let digest = b"\"sha256\":\"";
        let at = bytes.windows(digest.len()).position(|part| part == digest).unwrap();
        let digit = &mut bytes[at + digest.len()];
        *digit = if *digit == b'0' { b'1' } else { b'0' };
        fs::write(dir.at(place), &bytes).unwrap();
    };
    let first_line = state.iter().position(|&byte| byte == b'\n').unwrap();
    let told = "hashlanes: manifest: 1 line of MANIFEST.resume ignored: damaged\n";
    let resumed = || {
        let output = run(&mut dir.hashlanes(&RESUME));
        assert!(output.status.success());
        assert_same(&manifest(&dir), &whole, "the manifest");
        assert_same(&fs::read(dir.at("manifest.resume")).unwrap(), &state, "what is remembered");
        assert_eq!(lossy(&output.stderr), told);
    };
    damage("manifest.resume");
    resumed();
    // A run that was killed leaves a journal for this manifest.
    let folder = dir.at(".manifest.hashlanes");
    fs::DirBuilder::new().mode(0o700).create(&folder).unwrap();
    fs::write(folder.join("journal"), &state).unwrap();
    dir.file(".manifest.hashlanes/lock", b"hashlanes replaces a file beside this folder\n");
    damage(".manifest.hashlanes/journal");
    fs::write(dir.at("manifest.resume"), [&state[..first_line], b"\n"].concat()).unwrap();
    resumed();
    let first = String::from_utf8(state.clone()).unwrap().replacen("tree", "tre", 1);
    fs::write(dir.at("manifest.resume"), first).unwrap();
    let output = run(&mut dir.hashlanes(&RESUME));
    assert!(lossy(&output.stderr).contains("its first line is damaged"));
    assert_same(&manifest(&dir), &whole, "the manifest");
}

#[test]
fn prune_drops_lines_below_roots_that_are_gone() {
    let dir = tree(26);
    dir.file("single", b"one");
    let resume = ["sum", "-r", "tree", "single", "--resume", "manifest"];
    ok(&mut dir.hashlanes(&resume));
    fs::remove_file(dir.at("single")).unwrap();
    let told = lossy(&run(&mut dir.hashlanes(&resume)).stderr);
    assert!(told.contains("kept 1 line of") && told.contains("--prune"), "{told}");
    let prune = [&resume[..], &["--prune"]].concat();
    let told = lossy(&run(&mut dir.hashlanes(&prune)).stderr);
    assert!(told.contains("single: No such file") && !told.contains("kept"), "{told}");
    assert_same(&manifest(&dir), &ok(&mut dir.hashlanes(&["sum", "-r", "tree"])), "pruned");
    dir.file("list", b"tree/1/1\ntree/2/2\n");
    let listed = ["sum", "--files-from", "list", "--resume", "some"];
    ok(&mut dir.hashlanes(&listed));
    dir.file("list", b"");
    let told = lossy(&run(dir.hashlanes(&listed).arg("--prune")).stderr);
    assert!(told.contains("kept 2 lines") && !told.contains("--prune"), "{told}");
}

#[test]
fn a_fifo_in_the_place_of_the_results_is_not_waited_for() {
    let dir = tree(2);
    ok(&mut dir.hashlanes(&RESUME));
    fs::remove_file(dir.at("manifest.resume")).unwrap();
    ok(&mut dir.peer("mkfifo", &["manifest.resume"]));
    let of = |arguments: &[&str]| {
        // A run that waits is killed, with the status 137.
        let timeout = ["-s", "KILL", "60", env!("CARGO_BIN_EXE_hashlanes")];
        let output = run(dir.peer("timeout", &timeout).args(arguments));
        (output.status.code(), lossy(&output.stderr))
    };
    let is_refused = |(status, told): (Option<i32>, String)| {
        assert!(status == Some(1) && told.contains("manifest.resume"), "{status:?}: {told}");
        assert!(told.contains("not a regular file"), "{told}");
    };
    is_refused(of(&RESUME));
    is_refused(of(&["check", "--report", "manifest", "tree"]));
    is_refused(of(&["check", "--report", "--update", "manifest", "tree"]));
    fs::write(dir.at("tree/0/0"), "other").unwrap();
    let damaged = of(&["check", "manifest"]);
    assert_eq!(damaged.0, Some(1), "{}", damaged.1);
    let update = of(&["check", "--report", "--update", "--exclude", "x", "manifest", "tree"]);
    assert_eq!(update, (Some(1), String::new()));
}

#[test]
fn a_file_that_appears_in_the_place_of_the_results_is_not_replaced() {
    let dir = tree(1);
    dir.file("tree/0/0", &noise(1 << 20, 1));
    let mut child = dir.hashlanes(&RESUME).args(["--rate", "1MiB"]).spawn().unwrap();
    while !dir.at(".manifest.hashlanes/journal").exists() {
        assert!(child.try_wait().unwrap().is_none(), "it ended too soon");
        std::thread::sleep(Duration::from_millis(1));
    }
    dir.file("manifest.resume", b"mine");
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert_eq!(fs::read(dir.at("manifest.resume")).unwrap(), b"mine");
    assert!(!dir.at("manifest").exists());
    fs::remove_file(dir.at("manifest.resume")).unwrap();
    ok(&mut dir.hashlanes(&RESUME));
    assert_eq!(beside_the_tree(&dir), AT_REST);
}
