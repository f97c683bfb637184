//! The texts of `--help` and `--version`: in the layout of GNU's, in our words.

use super::family::Family;
use super::tool::Tool;

/// The text of `--help`.
pub(super) fn help(tool: Tool, program: &[u8]) -> Vec<u8> {
    let cksum = tool == Tool::Cksum;
    let mut text = [b"Usage: ", program, b" [OPTION]... [FILE]...\n"].concat();
    let mut line = |line: &str| {
        text.extend(line.bytes());
        text.push(b'\n');
    };
    match tool {
        Tool::Cksum => {
            line("Print or verify checksums of files.");
            line("Without --algorithm this is the 32-bit CRC of POSIX.");
        }
        _ => line(&format!("Print or verify {} checksums of files.", digest_name(tool))),
    }
    line("");
    line("If there is no FILE, or FILE is -, the standard input is read.");
    if cksum || tool == Tool::B2sum {
        line("");
        line("A short option needs an argument if its long form does.");
    }
    line("");
    for option in options(tool) {
        line(option);
    }
    line("");
    line("These five options only take effect with --check:");
    for option in CHECKING {
        line(option);
    }
    line("");
    if cksum {
        line("      --debug           name the implementation that computes the CRC");
    }
    line("      --help            print this help and exit");
    line("      --version         print the version and exit");
    line("");
    if cksum {
        line("TYPE is one of");
        for family in TYPES {
            line(format!("  {:<9} {}", family.name(), meaning(family)).trim_end());
        }
        line("");
    }
    line("With --check, each FILE is what this program printed earlier.");
    line("");
    line("This is hashlanes, in place of the program of GNU coreutils.");
    text
}

/// The text of `--version`. It begins with the name of the GNU program and the version whose
/// behaviour this program follows, as scripts expect.
pub(super) fn version(tool: Tool) -> Vec<u8> {
    format!(
        "{} (hashlanes {}) compatible with GNU coreutils {}\n\
         This is not GNU's program: it is hashlanes, called by its name.\n\
         Licence: MIT or Apache-2.0, as you like.\n\
         There is no warranty, to the extent permitted by law.\n",
        tool.name(),
        env!("CARGO_PKG_VERSION"),
        COREUTILS,
    )
    .into_bytes()
}

/// The version of coreutils whose behaviour this is.
const COREUTILS: &str = "9.10";

fn digest_name(tool: Tool) -> &'static str {
    match tool {
        Tool::Md5sum => "MD5 (128-bit)",
        Tool::Sha1sum => "SHA1 (160-bit)",
        Tool::Sha224sum => "SHA224 (224-bit)",
        Tool::Sha256sum => "SHA256 (256-bit)",
        Tool::Sha384sum => "SHA384 (384-bit)",
        Tool::Sha512sum => "SHA512 (512-bit)",
        Tool::B2sum => "BLAKE2b (512-bit)",
        Tool::Cksum => "CRC (32-bit)",
    }
}

const LENGTH: &str = "  -l, --length=BITS     bits of the digest: for blake2b a multiple of 8;
                        for sha2 and sha3 224, 256, 384 or 512";
const ZERO: &str = "  -z, --zero            end lines with NUL instead of newline,
                        and do not escape file names";

fn options(tool: Tool) -> Vec<&'static str> {
    match tool {
        Tool::Cksum => vec![
            "  -a, --algorithm=TYPE  choose the checksum; see below for TYPE",
            "      --base64          print digests in base64 instead of hexadecimal",
            "  -c, --check           read checksums from FILEs and verify them",
            LENGTH,
            "      --raw             print the bytes of the digest and nothing else",
            "      --tag             print lines that name the function (the default)",
            "      --untagged        print lines without the name of the function",
            ZERO,
        ],
        _ => {
            let mut options = vec![
                "  -b, --binary          mark files as binary; digests are the same",
                "  -c, --check           read checksums from FILEs and verify them",
            ];
            if tool == Tool::B2sum {
                options.push(LENGTH);
            }
            options.extend([
                "      --tag             print lines that name the function",
                "  -t, --text            mark files as text (the default)",
                ZERO,
            ]);
            options
        }
    }
}

const CHECKING: [&str; 5] = [
    "      --ignore-missing  neither report missing files nor fail",
    "      --quiet           do not print OK for files that match",
    "      --status          print nothing; the exit status tells the result",
    "      --strict          fail if any line is improperly formatted",
    "  -w, --warn            warn about improperly formatted lines",
];

/// The families, without those that `sha2` covers, in the order of the original.
const TYPES: [Family; 10] = [
    Family::Sysv,
    Family::Bsd,
    Family::Crc,
    Family::Crc32b,
    Family::Md5,
    Family::Sha1,
    Family::Sha2,
    Family::Sha3,
    Family::Blake2b,
    Family::Sm3,
];

fn meaning(family: Family) -> &'static str {
    match family {
        Family::Bsd => "as sum -r",
        Family::Sysv => "as sum -s",
        Family::Crc => "the default",
        Family::Crc32b => "the CRC of zip and gzip",
        Family::Md5 => "as md5sum",
        Family::Sha1 => "as sha1sum",
        Family::Sha2 => "with --length; as sha224sum, sha256sum, sha384sum, sha512sum",
        Family::Sha3 => "with --length",
        Family::Blake2b => "as b2sum",
        _ => "",
    }
}
