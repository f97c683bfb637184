//! `hashlanes manifest`: merging, comparing, sorting and converting.

use std::fs;
use std::path::Path;

use crate::common::*;

const FORMATS: [(&str, &str); 7] = [
    ("text", "sha256"),
    ("tag", "sha256,blake3"),
    ("json", "md5,sha256"),
    ("csv", "md5,sha256"),
    ("hashdeep", "md5,sha256"),
    ("sfv", "crc32"),
    ("bagit", "sha512"),
];

fn tree(files: usize) -> Dir {
    let dir = Dir::new();
    for number in 0..files {
        dir.file(format!("data/{}/{number} x", number % 5), &noise(number * 9, number as u64));
    }
    dir
}

/// The exit status, the standard output and the standard error.
fn told(dir: &Dir, arguments: &[&str]) -> (i32, String, String) {
    let output = run(&mut dir.hashlanes(&[&["manifest"], arguments].concat()));
    (output.status.code().unwrap(), lossy(&output.stdout), lossy(&output.stderr))
}

#[test]
fn merged_shards_are_complete_in_every_format() {
    let dir = tree(40);
    for (format, functions) in FORMATS {
        let sum = ["sum", "-r", "data", "--format", format, "-a", functions];
        let whole = ok(&mut dir.hashlanes(&sum));
        let shards = ["1/3", "2/3", "3/3"].map(|shard| {
            let part = ok(dir.hashlanes(&sum).args(["--shard", shard]));
            assert!(part.len() < whole.len() && part.len() > whole.len() / 10);
            let name = format!("shard-{}", &shard[..1]);
            dir.file(&name, &part);
            name
        });
        let [a, b, c] = shards.each_ref().map(String::as_str);
        let merge = ["manifest", "merge", "--from", format, "--format", format, b, a, c];
        assert_same(&ok(&mut dir.hashlanes(&merge)), &whole, format);
        let sort = ["manifest", "sort", "--from", format, "--format", format, b, a, c];
        assert_same(&ok(&mut dir.hashlanes(&sort)), &whole, format);
        if !["csv", "json", "hashdeep"].contains(&format) {
            continue;
        }
        // A manifest with everything is converted to all other formats.
        dir.file("whole", &whole);
        for other in ["text", "tag", "json", "csv", "hashdeep"] {
            let print = ["sum", "-r", "data", "--format", other, "-a", functions];
            let mut printed = lossy(&ok(&mut dir.hashlanes(&print)));
            let convert = ["manifest", "convert", "--format", other, "whole"];
            let mut converted = lossy(&ok(&mut dir.hashlanes(&convert)));
            if format == "hashdeep" {
                // This format has no times.
                for text in [&mut printed, &mut converted] {
                    *text = text.split(['"', ',']).filter(|part| !part.ends_with('Z')).collect();
                    *text = text.replace("mtime:", "");
                }
            }
            assert_same(converted.as_bytes(), printed.as_bytes(), other);
        }
    }
    let text = ["manifest", "convert", "--format", "hashdeep", "text"];
    dir.file("text", &ok(&mut dir.hashlanes(&["sum", "data/1/1 x"])));
    let output = run(&mut dir.hashlanes(&text));
    assert_eq!(output.status.code(), Some(1));
    assert!(lossy(&output.stderr).contains("hashdeep needs sizes"));
}

/// A job of Slurm whose last task joins the parts. A task that was killed is repeated.
#[test]
#[cfg(unix)]
fn the_array_of_slurm_hashes_what_one_run_does() {
    let dir = Dir::new();
    for i in 0..40 {
        dir.file(format!("tree/{}/{i}", i % 3), format!("{i}").as_bytes());
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/slurm.sh");
    let folder = Path::new(env!("CARGO_BIN_EXE_hashlanes")).parent().unwrap();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let task = |task: u32| {
        let mut sh = dir.peer("sh", &[script, "tree", "SUMS"]);
        sh.env("PATH", &path).env("SLURM_ARRAY_TASK_COUNT", "12");
        assert_eq!(lossy(&ok(sh.env("SLURM_ARRAY_TASK_ID", task.to_string()))), "");
    };
    (2..=12).for_each(task);
    dir.file("SUMS.parts/1.unfinished", b"damaged");
    assert!(!dir.at("SUMS").exists());
    task(1);
    let all = ok(&mut dir.hashlanes(&["sum", "-r", "tree"]));
    assert_same(&fs::read(dir.at("SUMS")).unwrap(), &all, "the joined parts");
}

#[test]
fn a_shard_depends_on_the_path_below_the_root() {
    let dir = tree(8);
    for root in ["data", "./data/", "data/../data"] {
        let printed =
            ok(&mut dir.hashlanes(&["sum", "-r", root, "--base", "data", "--shard", "2/4"]));
        let mut ours: Vec<_> = lossy(&printed).lines().map(|line| line[66..].to_owned()).collect();
        ours.sort();
        // Modulo 4, only the last of the first 16 digits matters.
        let script = "cd data && find . -type f | cut -c3- | while read -r name; do
            first=$(printf %s \"$name\" | sha256sum | cut -c16)
            [ $((0x$first % 4)) = 1 ] && echo \"$name\"; done | LC_ALL=C sort";
        let theirs = lossy(&run(&mut dir.peer("bash", &["-c", script])).stdout);
        assert_eq!(ours.join("\n"), theirs.trim_end(), "{root}");
    }
    let missing = run(&mut dir.hashlanes(&["sum", "-r", "none", "--shard", "1/1000"]));
    assert_eq!(missing.status.code(), Some(1));
    let wrong = run(&mut dir.hashlanes(&["sum", "-r", "data", "--shard", "4/3"]));
    assert!(lossy(&wrong.stderr).contains("a shard is written K/N"));
    assert_eq!(wrong.status.code(), Some(2));
}

#[test]
fn differing_digests_are_reported_and_never_lost_silently() {
    let dir = Dir::new();
    let line = |digit: &str, name: &str| format!("{}  {name}\n", digit.repeat(32));
    dir.file("a", (line("1", "x") + &line("2", "y")).as_bytes());
    dir.file("b", (line("1", "x") + &line("3", "y") + &line("4", "z")).as_bytes());
    let old = line("5", "old").into_bytes();
    dir.file("out", &old);
    let (status, printed, said) = told(&dir, &["merge", "a", "b"]);
    assert_eq!(status, 1);
    assert_eq!(printed, line("1", "x") + &line("2", "y") + &line("4", "z"));
    let (two, three) = ("2".repeat(32), "3".repeat(32));
    assert_eq!(said, format!("hashlanes: b: y: md5 is {two} in a and {three} in b\n"));
    for command in ["merge", "sort"] {
        let (status, _, said) = told(&dir, &[command, "-o", "out", "a", "b"]);
        assert_eq!(status, 1);
        assert!(said.ends_with("out: not written\n"), "{said}");
        assert_eq!(fs::read(dir.at("out")).unwrap(), old);
    }
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 3);
    let (status, printed, _) = told(&dir, &["diff", "a", "b"]);
    assert_eq!((status, printed.as_str()), (1, "y: differs\nz: only in b\n"));
    let (status, printed, _) = told(&dir, &["diff", "b", "a"]);
    assert_eq!((status, printed.as_str()), (1, "y: differs\nz: only in b\n"));
    assert_eq!(told(&dir, &["diff", "a", "a"]), (0, String::new(), String::new()));
    assert_eq!(told(&dir, &["diff", "a", "none"]).0, 2);
    assert_eq!(told(&dir, &["diff", "a"]).0, 2);
    // Digests of other functions for the same file are added, and cannot be compared.
    dir.file("c", format!("SHA1 (x) = {}\n", "5".repeat(40)).as_bytes());
    let (status, printed, _) = told(&dir, &["merge", "--format", "json", "a", "c"]);
    assert_eq!(status, 0);
    let both = format!("\"md5\":\"{}\",\"sha1\":\"{}\"", "1".repeat(32), "5".repeat(40));
    assert!(printed.lines().next().unwrap().contains(&both), "{printed}");
    let (status, _, said) = told(&dir, &["diff", "a", "c"]);
    assert_eq!(status, 2);
    assert!(said.contains("x: the manifests have no hash function in common"));
}

#[test]
fn unsorted_and_truncated_manifests_are_reported() {
    let dir = tree(30);
    let whole = ok(&mut dir.hashlanes(&["sum", "-r", "data"]));
    let mut lines: Vec<&[u8]> = whole.split_inclusive(|&byte| byte == b'\n').collect();
    lines.reverse();
    dir.file("reversed", &lines.concat()).file("whole", &whole);
    for command in [&["merge", "reversed"][..], &["diff", "whole", "reversed"]] {
        let (status, _, said) = told(&dir, command);
        assert_eq!(status, if command[0] == "diff" { 2 } else { 1 });
        assert!(said.contains("use `hashlanes manifest sort` first"), "{said}");
    }
    assert_same(told(&dir, &["sort", "reversed"]).1.as_bytes(), &whole, "sorted");
    assert_same(&ok(&mut dir.hashlanes(&["manifest", "convert", "whole"])), &whole, "converted");
    // The output may replace one of the inputs.
    assert_eq!(told(&dir, &["sort", "-o", "reversed", "reversed"]).0, 0);
    assert_same(&fs::read(dir.at("reversed")).unwrap(), &whole, "replaced");
    dir.file("cut", &whole[..whole.len() - 1]);
    assert!(told(&dir, &["merge", "cut"]).2.contains("the last line is not terminated"));
    dir.file("cut", &[&whole, &b"{\"path\""[..]].concat());
    assert_eq!(told(&dir, &["merge", "cut"]).0, 1);
    dir.file("other", &[&whole, &b"MD6 (a) = d41d8cd98f00b204e9800998ecf8427e\n"[..]].concat());
    assert!(told(&dir, &["sort", "other"]).2.contains("is ignored: MD6 is not supported"));
    assert_eq!(told(&dir, &["merge", "data"]).0, 1);
}

#[test]
fn a_killed_merge_leaves_the_old_manifest() {
    let dir = tree(200);
    let sum = ["sum", "-r", "data", "-a", "sha512"];
    let whole = ok(&mut dir.hashlanes(&sum));
    let shards = ["1/2", "2/2"];
    for shard in shards {
        dir.file(&shard[..1], &ok(dir.hashlanes(&sum).args(["--shard", shard])));
    }
    let old = fs::read(dir.at("1")).unwrap();
    dir.file("out", &old);
    kill_at_random(
        30,
        20_000,
        |_| dir.hashlanes(&["manifest", "merge", "-o", "out", "1", "2"]),
        |ended| {
            let now = fs::read(dir.at("out")).unwrap();
            assert!(now == whole || now == old && !ended);
            if ended {
                dir.file("out", &old);
            }
        },
    );
    assert_eq!(told(&dir, &["merge", "-o", "out", "1", "2"]).0, 0);
    assert_same(&fs::read(dir.at("out")).unwrap(), &whole, "the merged manifest");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 4);
}

#[test]
fn unusable_lines_are_no_success_in_any_format() {
    let dir = Dir::new();
    dir.file("a", b"a").file("b", b"b");
    for format in ["text", "tag", "json", "csv", "hashdeep"] {
        let whole = ok(&mut dir.hashlanes(&["sum", "--format", format, "a", "b"]));
        let digest = "3e23e8160039594a";
        let damaged = lossy(&whole).replace(digest, &format!("g{}", &digest[1..]));
        dir.file("whole", &whole).file("damaged", damaged.as_bytes()).file("out", &whole);
        for command in ["merge", "sort", "convert"] {
            let (status, _, said) = told(&dir, &[command, "-o", "out", "damaged"]);
            assert_eq!(status, 1, "{format}: {said}");
            assert!(said.contains("is ignored") && said.ends_with("out: not written\n"), "{said}");
            assert_eq!(fs::read(dir.at("out")).unwrap(), whole);
        }
        let (status, printed, _) = told(&dir, &["diff", "whole", "damaged"]);
        assert_eq!((status, printed.as_str()), (2, ""), "{format}");
        assert_eq!(told(&dir, &["diff", "damaged", "damaged"]).0, 2);
        // A truncated line looks complete only if the name is at its end.
        dir.file("open", whole.strip_suffix(b"\n").unwrap());
        let (status, _, said) = told(&dir, &["convert", "-o", "out", "open"]);
        assert!(said.contains("the last line is not terminated"), "{said}");
        assert_eq!(status, i32::from(["text", "hashdeep"].contains(&format)), "{format}");
        assert_eq!(told(&dir, &["convert", "open"]).0, 0);
    }
}

#[test]
fn wrong_inputs_are_refused() {
    let dir = Dir::new();
    assert_eq!(told(&dir, &["diff", "-", "-"]).0, 2);
    assert!(told(&dir, &["diff", "-", "-"]).2.contains("cannot be both"));
    let md5 = "0".repeat(32);
    dir.file("list", format!("{md5}  a\n").as_bytes());
    assert_eq!(told(&dir, &["diff", "list", "none"]).1, "");
    dir.file(
        "nul",
        format!("{{\"path\":\"a\\u0000b\",\"digests\":{{\"md5\":\"{md5}\"}}}}\n").as_bytes(),
    );
    let (status, printed, said) = told(&dir, &["convert", "--format", "text", "nul"]);
    assert_eq!((status, printed.as_str()), (1, ""));
    assert!(said.contains("the name contains NUL"), "{said}");
    assert_eq!(told(&dir, &["convert", "-o", "folder/", "list"]).0, 1);
    let sum = run(&mut dir.hashlanes(&["sum", "list", "--resume", "folder/"]));
    assert_eq!(sum.status.code(), Some(1));
    assert!(!dir.at("folder").exists());
}
