//! The choice of kernels by name, by the environment and by the library; the names of algorithms.

use crate::common::available;
#[cfg(feature = "std")]
use crate::common::{noise, oracle, this_program};
use hashlanes::kernels::KernelErrorKind;
use hashlanes::{Algorithm, Engine, Sha256};

#[test]
fn an_unknown_kernel_is_an_error_that_lists_the_kernels() {
    for &algorithm in Algorithm::ALL {
        let error = Engine::of(algorithm).kernel("mmx").unwrap_err();
        assert_eq!(error.kind(), KernelErrorKind::Unknown);
        let message = error.to_string();
        assert!(message.contains("'mmx'") && message.contains(algorithm.name()), "{message}");
        for kernel in algorithm.kernels() {
            assert!(message.contains(kernel.name), "{message}");
        }
    }
}

/// The name of a kernel of one algorithm is unknown to another that has no such kernel.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[test]
fn md5_has_no_sha_instructions() {
    let name = if cfg!(target_arch = "x86_64") { "sha-ni" } else { "arm-sha" };
    assert!(Algorithm::Sha1.kernels().any(|kernel| kernel.name == name));
    let error = Engine::of(Algorithm::Md5).kernel(name).unwrap_err();
    assert_eq!(error.kind(), KernelErrorKind::Unknown);
}

/// On a CPU with all features, there is nothing to refuse.
#[test]
fn a_kernel_that_the_cpu_lacks_is_refused_with_the_reason() {
    for &algorithm in Algorithm::ALL {
        for kernel in algorithm.kernels() {
            match Engine::of(algorithm).kernel(kernel.name) {
                Ok(engine) => {
                    assert!(kernel.is_available());
                    assert_eq!(engine.kernel_for(1), kernel.name);
                    assert_eq!(engine.kernel_for(1000), kernel.name);
                }
                Err(error) => {
                    assert!(!kernel.is_available());
                    assert_eq!(error.kind(), KernelErrorKind::Unsupported);
                    let message = error.to_string();
                    assert!(
                        message.contains(kernel.name) && message.contains(algorithm.name()),
                        "{message}"
                    );
                    assert!(kernel.missing().all(|feature| message.contains(feature)), "{message}");
                }
            }
        }
    }
}

#[test]
fn kernels_have_unique_names_and_lanes() {
    for &algorithm in Algorithm::ALL {
        let kernels: Vec<_> = algorithm.kernels().collect();
        assert_eq!((kernels[0].name, kernels[0].lanes), ("portable", 1));
        for (i, kernel) in kernels.iter().enumerate() {
            assert!((1..=32).contains(&kernel.lanes));
            assert!(
                kernels[..i].iter().all(|other| other.name != kernel.name),
                "two kernels {}",
                kernel.name
            );
        }
    }
}

/// The automatic choice can run, for any number of messages.
#[test]
fn the_automatic_choice_is_available() {
    for &algorithm in Algorithm::ALL {
        let names: Vec<_> = available(algorithm).iter().map(|kernel| kernel.name).collect();
        for messages in (0..100).chain([1000, usize::MAX]) {
            let chosen = Engine::of(algorithm).kernel_for(messages);
            assert!(names.contains(&chosen), "{algorithm}: {chosen} for {messages} messages");
        }
    }
}

#[test]
fn an_engine_shows_its_kernel() {
    let engine = Engine::<Sha256>::with_kernel("portable").unwrap();
    assert_eq!(engine.forced_kernel(), Some("portable"));
    let engine = Engine::of(Algorithm::Md5).kernel("portable").unwrap();
    assert_eq!(engine.forced_kernel(), Some("portable"));
    assert!(format!("{engine:?}").contains("portable"));
}

#[test]
fn algorithms_have_the_usual_spellings() {
    let spellings = [
        (Algorithm::Md5, "md5 MD5 MD-5"),
        (Algorithm::Sha1, "sha1 SHA1 SHA-1 sha_1 sha SHA sha-160"),
        (Algorithm::Sha224, "sha224 SHA-224 sha2-224"),
        (Algorithm::Sha256, "sha256 SHA256 SHA-256 SHA_256 sha2-256 SHA2/256"),
        (Algorithm::Sha384, "sha384 SHA-384 sha2-384"),
        (Algorithm::Sha512, "sha512 SHA-512 sha2-512"),
        (Algorithm::Sha512_256, "sha512-256 SHA512/256 SHA-512/256 sha512_256 sha512t256"),
        (Algorithm::Sm3, "sm3 SM3 SM-3"),
        (Algorithm::Sha3_224, "sha3-224 SHA3-224 sha3_224"),
        (Algorithm::Sha3_256, "sha3-256 SHA3-256 SHA-3/256 sha3_256 sha3256"),
        (Algorithm::Sha3_384, "sha3-384 SHA3-384 sha3_384"),
        (Algorithm::Sha3_512, "sha3-512 SHA3-512 sha3_512"),
        (Algorithm::Keccak256, "keccak256 KECCAK256 Keccak-256 keccak_256"),
        (Algorithm::Keccak512, "keccak512 KECCAK512 Keccak-512"),
        (Algorithm::Shake128, "shake128 SHAKE128 shake_128 SHAKE-128"),
        (Algorithm::Shake256, "shake256 SHAKE256 shake_256 SHAKE-256"),
        (Algorithm::Blake2b512, "blake2b BLAKE2b BLAKE2b-512 blake2b512 blake-2b"),
        (Algorithm::Blake2s256, "blake2s BLAKE2s BLAKE2s-256"),
        (Algorithm::Blake3, "blake3 BLAKE3 blake-3"),
        (Algorithm::Sha256d, "sha256d SHA256d SHA-256d SHA256D sha2-256d"),
    ];
    for (algorithm, names) in spellings {
        for name in names.split(' ') {
            assert_eq!(Algorithm::from_name(name), Ok(algorithm), "{name}");
        }
    }
    for &algorithm in Algorithm::ALL {
        assert_eq!(algorithm.name().parse(), Ok(algorithm));
        assert_eq!(Algorithm::from_name(algorithm.tag()), Ok(algorithm));
        assert_eq!(algorithm.to_string(), algorithm.name());
        assert_eq!(algorithm.digest(b"").as_bytes().len(), algorithm.digest_len());
    }
    let others = ["", "sha3", "sha-0", "md4", "sha25", "sha2567", "256", "sha256 sum", "ſha256"];
    let misplaced = ["s h a256", "SHA 256", " md5", "md5 ", "s-ha256", "sha--256", "-md5", "md5-"];
    for name in others.into_iter().chain(misplaced) {
        let error = Algorithm::from_name(name).unwrap_err().to_string();
        assert!(error.contains(&format!("'{name}'")) && error.contains("sha512-256"), "{error}");
    }
}

/// An error keeps a bounded part of a name and escapes control characters.
#[test]
fn errors_show_long_and_strange_names_safely() {
    let errors = |name: &str| {
        let kernel = Engine::of(Algorithm::Md5).kernel(name).unwrap_err();
        [Algorithm::from_name(name).unwrap_err().to_string(), kernel.to_string()]
    };
    let shown = |name: &str, as_what: &str| {
        for error in errors(name) {
            assert!(error.contains(&format!(" {as_what};")), "{error}");
        }
    };
    shown(&"x".repeat(60), &format!("'{}'", "x".repeat(60)));
    shown(&"x".repeat(61), &format!("'{}…'", "x".repeat(60)));
    shown(&"x".repeat(1_000_000), &format!("'{}…'", "x".repeat(60)));
    // A character that would be split is left out.
    shown(&format!("x{}", "é".repeat(40)), &format!("'x{}…'", "é".repeat(29)));
    shown(&"🦀".repeat(16), &format!("'{}…'", "🦀".repeat(15)));
    shown("a\nb\u{1b}[31m\0", r"'a\nb\u{1b}[31m\u{0}'");
    assert_eq!(Algorithm::from_name("sha3"), Algorithm::from_name("sha3"));
    assert_ne!(Algorithm::from_name("sha3"), Algorithm::from_name("sha4"));
    assert!(format!("{:?}", Algorithm::from_name("sha3")).contains("\"sha3\""));
}

/// The tests below run this in a child process with an environment variable, because the library
/// reads it only once per process.
#[cfg(feature = "std")]
#[test]
#[ignore = "runs as part of other tests"]
fn child_process() {
    // On a single thread, libtest has already written the test's name to this line.
    println!();
    println!("variable {:?}", hashlanes::kernels::kernel_from_environment());
    for &algorithm in Algorithm::ALL {
        let engine = Engine::of(algorithm);
        println!("kernel {algorithm} {} {}", engine.kernel_for(1), engine.kernel_for(1000));
        // The digests are correct with any kernel.
        let messages: Vec<_> = (0..100).map(|i| noise(i, 7 * i as usize)).collect();
        let right: Vec<_> = messages.iter().map(|message| oracle(algorithm, message)).collect();
        let digests = algorithm.digest_many(&messages);
        assert!(digests.iter().map(|digest| digest.as_bytes()).eq(&right));
        assert_eq!(algorithm.digest(&messages[50]).as_bytes(), right[50]);
        assert!(
            Engine::of(algorithm).kernel("portable").unwrap().digest_many(&messages) == digests
        );
    }
}

/// Runs `child_process` with this `HASHLANES_KERNEL`. Returns the lines that begin with `what`,
/// without that word.
#[cfg(feature = "std")]
fn with_environment(kernel: &std::ffi::OsStr, what: &str) -> Vec<String> {
    let output = this_program()
        .args(["selection::child_process", "--exact", "--ignored", "--nocapture"])
        .env("HASHLANES_KERNEL", kernel)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let lines: Vec<_> =
        text.lines().filter_map(|line| line.strip_prefix(what)?.strip_prefix(' ')).collect();
    assert!(!lines.is_empty(), "{text}");
    lines.into_iter().map(Into::into).collect()
}

#[cfg(feature = "std")]
#[test]
#[cfg_attr(target_family = "wasm", ignore = "WebAssembly starts no processes")]
fn the_environment_forces_a_kernel_where_it_exists() {
    let automatic = with_environment("".as_ref(), "kernel");
    let mut names: Vec<_> = Algorithm::ALL
        .iter()
        .copied()
        .flat_map(Algorithm::kernels)
        .map(|kernel| kernel.name)
        .collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        let lines = with_environment(name.as_ref(), "kernel");
        assert_eq!(lines.len(), Algorithm::ALL.len());
        for ((line, automatic), &algorithm) in lines.iter().zip(&automatic).zip(Algorithm::ALL) {
            if available(algorithm).iter().any(|kernel| kernel.name == name) {
                assert_eq!(line, &format!("{algorithm} {name} {name}"));
            } else {
                assert_eq!(line, automatic, "with HASHLANES_KERNEL={name}");
            }
        }
    }
}

#[cfg(feature = "std")]
#[test]
#[cfg_attr(target_family = "wasm", ignore = "WebAssembly starts no processes")]
fn an_unknown_name_in_the_environment_changes_nothing() {
    let automatic = with_environment("".as_ref(), "kernel");
    for name in ["mmx", "AVX2", " ", "portable,avx2"] {
        assert_eq!(with_environment(name.as_ref(), "kernel"), automatic);
        // But a program can read the variable's value.
        assert_eq!(with_environment(name.as_ref(), "variable"), [format!("Some({name:?})")]);
    }
    assert_eq!(with_environment("".as_ref(), "variable"), ["None"]);
}

#[cfg(all(feature = "std", unix))]
#[test]
fn the_environment_may_hold_any_bytes() {
    use std::os::unix::ffi::OsStrExt;
    let strange = std::ffi::OsStr::from_bytes(b"avx\xff");
    assert_eq!(with_environment(strange, "kernel"), with_environment("".as_ref(), "kernel"));
    assert_eq!(with_environment(strange, "variable"), ["Some(\"avx\u{fffd}\")"]);
}
