//! `hashlanes sum --resume`: runs that are killed, and go on.

use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, SystemTime};

use crate::common::{Dir, assert_same, lossy, noise, ok, peer, run};

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

fn manifest(dir: &Dir) -> Vec<u8> {
    fs::read(dir.at("manifest")).unwrap()
}

/// The lines without comments.
fn lines(manifest: &[u8]) -> Vec<u8> {
    let lines = manifest.split_inclusive(|&byte| byte == b'\n');
    lines.filter(|line| !line.starts_with(b"#")).flatten().copied().collect()
}

#[test]
fn the_manifest_is_what_sum_prints_with_comments_that_gnu_passes_over() {
    let dir = tree(50);
    for options in [&[][..], &["--tag"], &["-b", "-a", "md5"], &["-a", "sha1", "-a", "sha512"]] {
        let resume = [&RESUME[..], options].concat();
        assert!(ok(&mut dir.hashlanes(&resume)).is_empty());
        let written = manifest(&dir);
        let printed = ok(&mut dir.hashlanes(&[&["sum", "-r", "tree"], options].concat()));
        assert_same(&lines(&written), &printed, "the lines");
        if options.len() != 4 {
            let program = if options.contains(&"md5") { "md5sum" } else { "sha256sum" };
            let check = run(&mut dir.peer(program, &["-c", "--strict", "--warn", "manifest"]));
            assert!(check.status.success());
            assert_eq!(lossy(&check.stderr), "");
        }
        ok(&mut dir.hashlanes(&["check", "--strict", "manifest"]));
        // Again, and nothing changes.
        ok(&mut dir.hashlanes(&resume));
        assert_same(&manifest(&dir), &written, "the manifest of the second run");
        fs::remove_file(dir.at("manifest")).unwrap();
    }
    assert!(!dir.at("manifest.partial").exists());
}

#[test]
fn only_what_changed_is_read_again() {
    let dir = tree(60);
    ok(&mut dir.hashlanes(&RESUME));
    // Same length and time: it is not read, so nobody sees that the content is another.
    let before = fs::read(dir.at("tree/1/1")).unwrap();
    dir.file("tree/1/1", &vec![0; before.len()]);
    touch(&dir.at("tree/1/1"), 1);
    // These are seen: another time, another length, a new file, and one that is gone.
    touch(&dir.at("tree/2/2"), 1000);
    dir.file("tree/2/2", &noise(fs::metadata(dir.at("tree/2/2")).unwrap().len() as usize, 99));
    touch(&dir.at("tree/2/2"), 1000);
    dir.file("tree/3/3", b"longer, or shorter");
    touch(&dir.at("tree/3/3"), 3);
    dir.file("tree/4/new", b"new");
    fs::remove_file(dir.at("tree/5/5")).unwrap();
    ok(&mut dir.hashlanes(&RESUME));
    let resumed = lines(&manifest(&dir));
    dir.file("tree/1/1", &before);
    assert_same(&resumed, &ok(&mut dir.hashlanes(&["sum", "-r", "tree"])), "the lines");
}

#[test]
fn the_manifest_may_be_in_the_tree() {
    let dir = tree(20);
    let resume = ["sum", "-r", ".", "--resume", "tree/manifest"];
    ok(&mut dir.hashlanes(&resume));
    let first = fs::read(dir.at("tree/manifest")).unwrap();
    ok(&mut dir.hashlanes(&resume));
    assert_same(&fs::read(dir.at("tree/manifest")).unwrap(), &first, "the manifest");
    assert!(!lossy(&first).contains("manifest") && lossy(&first).contains("./tree/0/13"));
}

#[test]
fn what_was_not_written_so_is_not_touched() {
    let dir = tree(5);
    let refused = |arguments: &[&str], why: &str| {
        let output = run(&mut dir.hashlanes(arguments));
        assert_eq!(output.status.code(), Some(1));
        assert!(lossy(&output.stderr).contains(why), "{}", lossy(&output.stderr));
    };
    let printed = ok(&mut dir.hashlanes(&["sum", "-r", "tree"]));
    dir.file("manifest", &printed);
    refused(&RESUME, "not written by --resume with these options");
    assert_same(&manifest(&dir), &printed, "the manifest");
    fs::remove_file(dir.at("manifest")).unwrap();
    ok(&mut dir.hashlanes(&RESUME));
    let written = manifest(&dir);
    refused(&[&RESUME[..], &["--tag"]].concat(), "not written by --resume with these options");
    assert_same(&manifest(&dir), &written, "the manifest");
    refused(&["sum", "-r", "tree", "--resume", "/dev/null"], "not a regular file");
    refused(&["sum", "-r", "tree", "--resume", "none/manifest"], "none/manifest: No such file");
}

#[test]
fn a_run_that_is_killed_leaves_no_half_line_and_goes_on() {
    let dir = tree(3000);
    ok(&mut dir.hashlanes(&RESUME));
    let whole = manifest(&dir);
    fs::remove_file(dir.at("manifest")).unwrap();

    let mut random = 1_u64;
    let (mut kills, mut partial) = (0, 0);
    while kills < 100 {
        let signal = if kills % 10 == 9 { "INT" } else { "KILL" };
        let mut sum = dir.hashlanes(&RESUME);
        sum.args(["--threads", if kills % 2 == 0 { "1" } else { "2" }]).stdout(Stdio::null());
        let mut child = sum.spawn().unwrap();
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        std::thread::sleep(Duration::from_micros((random >> 33) % 30_000));
        let id = child.id().to_string();
        assert!(peer("kill").args(["-s", signal, &id]).status().unwrap().success());
        let status = child.wait().unwrap();
        let ended = status.success();
        assert!(ended || status.signal() == Some(if signal == "INT" { 2 } else { 9 }));
        if let Ok(left) = fs::read(dir.at("manifest")) {
            // It has groups of the whole one, each of them whole.
            let mut rest = lines(&whole);
            for line in lossy(&lines(&left)).lines() {
                let line = format!("{line}\n").into_bytes();
                let at = rest.windows(line.len()).position(|found| found == line);
                rest.drain(..at.expect("a line that is not whole, or not in its place"));
            }
            partial += usize::from(left.len() < whole.len());
            if ended {
                assert_same(&left, &whole, "a run that came to its end");
            }
            if left == whole {
                fs::remove_file(dir.at("manifest")).unwrap();
            }
        }
        kills += 1;
    }
    assert!(partial > 0, "no run was killed in the middle");
    ok(&mut dir.hashlanes(&RESUME));
    assert_same(&manifest(&dir), &whole, "the manifest in the end");
    assert!(!dir.at("manifest.partial").exists());
}

#[test]
fn two_runs_do_not_write_the_same_manifest() {
    let dir = Dir::new();
    dir.file("tree/a", b"a");
    File::create(dir.at("tree/large")).unwrap().set_len(1 << 42).unwrap();
    let mut child = dir.hashlanes(&RESUME).spawn().unwrap();
    while !dir.at("manifest.partial").exists() {
        std::thread::sleep(Duration::from_millis(1));
    }
    // The first may not have the lock yet. Then the second has it, for it ends the same way.
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

/// A disk of 256 KiB, in memory. Where it cannot be mounted, nothing is tested.
fn on_small_disk(dir: &Dir, script: &str) -> Option<String> {
    let script = script.replace("$0", env!("CARGO_BIN_EXE_hashlanes"));
    let script =
        format!("mkdir disk && mount -t tmpfs -o size=256k none disk || exit 77\n{script}");
    let output = run(&mut dir.peer("unshare", &["-m", "bash", "-c", &script]));
    if output.status.code() == Some(77) || lossy(&output.stderr).contains("unshare") {
        eprintln!("NOT TESTED HERE: a full disk, since none can be mounted");
        return None;
    }
    assert!(output.status.success(), "{}", lossy(&output.stderr));
    Some(lossy(&output.stdout))
}

#[test]
fn a_full_disk_is_told_and_the_run_goes_on_when_there_is_room() {
    let dir = tree(3000);
    let script = "\
        head -c 200000 /dev/zero > disk/fill
        $0 sum -r tree --resume disk/manifest 2>&1; echo $?
        rm disk/fill; mount -o remount,size=2m disk
        $0 sum -r tree --resume disk/manifest; echo $?
        $0 sum -r tree > disk/printed
        grep -v '^#' disk/manifest | cmp - disk/printed && ls disk";
    if let Some(told) = on_small_disk(&dir, script) {
        let full = "hashlanes: write error: No space left on device\n1\n0\nmanifest\nprinted\n";
        assert_eq!(told, full);
    }
}

#[test]
fn what_cannot_be_read_or_vanishes_is_told_and_the_rest_is_done() {
    let dir = tree(30);
    ok(&mut dir.hashlanes(&RESUME));
    fs::remove_file(dir.at("tree/3/3")).unwrap();
    // A link that leads nowhere is what a file is that vanishes after the walk has seen it.
    std::os::unix::fs::symlink("nowhere", dir.at("tree/3/3")).unwrap();
    let output = run(dir.hashlanes(&RESUME).arg("-L"));
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(lossy(&output.stderr), "hashlanes: tree/3/3: No such file or directory\n");
    assert_eq!(lossy(&lines(&manifest(&dir))).lines().count(), 29);
}
