//! `hashlanes sum` for people with millions of files: what changes, is interrupted, or is not there.

#![cfg(unix)]

mod common;

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::process::Stdio;
use std::time::Duration;

use common::{Dir, lossy};

#[test]
fn a_file_that_is_written_meanwhile_gets_a_warning() {
    let dir = Dir::new();
    dir.file("calm", b"calm").file("written", b"");
    let file = File::options().write(true).open(dir.at("written")).unwrap();
    // Sparse: it takes time to hash, and no room.
    file.set_len(512 << 20).unwrap();
    let mut sum = dir.hashlanes(&["sum", "calm", "written"]);
    let mut child = sum.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut byte = 0;
    while child.try_wait().unwrap().is_none() {
        byte ^= 1;
        file.write_at(&[byte], 0).unwrap();
        std::thread::sleep(Duration::from_millis(1));
    }
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        lossy(&output.stderr),
        "hashlanes: written: WARNING: the file changed while it was read\n"
    );
    assert_eq!(output.stdout.iter().filter(|&&byte| byte == b'\n').count(), 2);
    assert!(output.status.success());
}
