//! Computes the ETags of files as S3 stores do for multipart uploads, so that a file can be
//! compared with its upload without downloading it.
//!
//! ```sh
//! cargo run --release --example etag -- MIB FILE...    # part size in MiB; 8 with many tools
//! ```
//!
//! A file that is shorter than a part is uploaded whole, and its ETag is its MD5. The ETag of a
//! longer file is the MD5 of the MD5s of its parts, followed by the number of parts.

use std::env;
use std::fs::File;
use std::io::{self, Read};
use std::process::ExitCode;

use hashlanes::{AnyDigest, Md5, digest_chunks};

const MIB: usize = 1 << 20;

/// Parts in memory at a time. More parts fill more lanes.
const PARTS: usize = 8;

fn etag(mut file: impl Read, part: usize) -> io::Result<String> {
    let (mut buffer, mut digests) = (Vec::new(), Vec::new());
    loop {
        buffer.clear();
        file.by_ref().take((PARTS * part) as u64).read_to_end(&mut buffer)?;
        if digests.is_empty() && buffer.len() < part {
            return Ok(AnyDigest::from(Md5::digest(buffer)).to_string());
        }
        digests.extend(digest_chunks::<Md5>(&buffer, part));
        if buffer.len() < PARTS * part {
            let of_all = AnyDigest::from(Md5::digest(digests.as_flattened()));
            return Ok(format!("{of_all}-{}", digests.len()));
        }
    }
}

fn main() -> ExitCode {
    let mut arguments = env::args_os().skip(1);
    let Some(size) = arguments.next() else {
        let zeros = io::repeat(0).take(20 << 20);
        let etag = etag(zeros, 8 * MIB).expect("zeros can be read");
        println!("{etag}  20 MiB of zeros in parts of 8 MiB");
        return ExitCode::SUCCESS;
    };
    let Some(part @ 1..=5120) = size.to_str().and_then(|size| size.parse().ok()) else {
        eprintln!("etag: {}: the size of a part is 1 to 5120 MiB", size.display());
        return ExitCode::from(2);
    };
    let mut status = ExitCode::SUCCESS;
    for file in arguments {
        match File::open(&file).and_then(|opened| etag(opened, part * MIB)) {
            Ok(etag) => println!("{etag}  {}", file.display()),
            Err(error) => {
                eprintln!("etag: {}: {error}", file.display());
                status = ExitCode::FAILURE;
            }
        }
    }
    status
}
