//! Few descriptors: files wait for each other, and none is lost.

use crate::common::*;

/// Many files too large to be read at once, and small ones.
fn directory() -> Dir {
    let dir = Dir::new();
    for i in 0..300 {
        let length = if i % 3 == 0 { 100 } else { 70_000 };
        dir.file(format!("tree/{}/{i}", i % 7), &noise(length, i));
    }
    dir
}

#[test]
fn a_low_limit_of_descriptors_loses_no_file() {
    let dir = directory();
    for command in ["sum -r", "sum -r -a md5,sha256", "tree s3-etag -r", "tree s3-etag -r --tag"] {
        let expected = ok(dir.hashlanes(&[]).args(command.split(' ')).arg("tree"));
        for (limit, threads) in [(20, 2), (64, 16), (128, 2), (128, 64)] {
            let script = format!("ulimit -n {limit}; \"$0\" {command} --threads {threads} tree");
            let output =
                run(dir.peer("bash", &["-c", &script]).arg(env!("CARGO_BIN_EXE_hashlanes")));
            assert_eq!(lossy(&output.stderr), "", "{script}");
            assert_same(&output.stdout, &expected, &script);
            assert!(output.status.success());
        }
    }
}

#[test]
fn waiting_for_descriptors_is_bounded() {
    let dir = Dir::new();
    for i in 0..20 {
        dir.file(format!("tree/{i}/a/b/c"), b"");
    }
    let begin = std::time::Instant::now();
    let script = "ulimit -n 10; exec \"$0\" sum -r tree";
    let output = run(dir.peer("bash", &["-c", script]).arg(env!("CARGO_BIN_EXE_hashlanes")));
    assert!(begin.elapsed().as_secs() < 8, "{:?} {output:?}", begin.elapsed());
}
