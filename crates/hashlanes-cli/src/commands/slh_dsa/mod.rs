//! `hashlanes slh-dsa`: keys, signatures of files, and their verification.
//!
//! | file | what |
//! |---|---|
//! | `keys.rs` | keys as files |
//! | `files.rs` | files and their signatures, a few at a time |

mod files;
mod keys;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Subcommand, ValueEnum, ValueHint};
use hashlanes::Algorithm;
use hashlanes_entropy::{Grade, Provider};
use hashlanes_files::replace::true_path;
use hashlanes_files::system;
use hashlanes_slh_dsa::{Check, Domain, ParameterSet, SigningKey, VerifyingKey};
use zeroize::Zeroizing;

use crate::options::path;
use crate::terminal::message::{
    exit_status, failed, output_failed, reason, say, say_of, warn, wrong_usage,
};
use crate::terminal::output::{Output, write_named};
use files::{Pair, groups, is_standard};

/// Sign files and verify signatures with SLH-DSA (FIPS 205).
///
/// The signature of NAME is in NAME.sig, which holds its bytes and nothing else. Signatures of
/// several files are made and verified side by side. `-` is the standard input, whose signature is
/// written to the standard output.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  hashlanes slh-dsa keygen release.pem                 the private key, and release.pem.pub
  hashlanes slh-dsa sign --key release.pem dist/*.tar
  hashlanes slh-dsa verify --key release.pem.pub dist/*.tar
  make-report | hashlanes slh-dsa sign --key release.pem - > report.sig
  make-report | hashlanes slh-dsa verify --key release.pem.pub --signature report.sig -

Exit status: 0 if everything was done and all signatures are valid; 1 if not; 2 on wrong usage.")]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Make a private key, and the public key in a file whose name ends in .pub
    Keygen {
        /// The parameter set, such as SLH-DSA-SHA2-128f or SLH-DSA-SHAKE-256s
        #[arg(long, value_name = "NAME", default_value = "SLH-DSA-SHA2-128s", value_parser = set)]
        set: ParameterSet,
        /// The file for the private key. It must not exist yet
        #[arg(value_name = "FILE", value_hint = ValueHint::FilePath, value_parser = path())]
        key: PathBuf,
    },
    /// Sign files
    Sign {
        #[command(flatten)]
        shared: Shared,
        /// Use no random bytes: the same file always gets the same signature
        #[arg(long)]
        deterministic: bool,
        /// How to detect faults in the computation before a signature is written
        #[arg(long, value_name = "HOW", default_value = "root")]
        check: How,
        /// Also replace files that are not signatures by a key of this kind
        #[arg(short, long)]
        force: bool,
    },
    /// Verify the signatures of files
    Verify {
        #[command(flatten)]
        shared: Shared,
    },
}

#[derive(Clone, Copy, ValueEnum)]
enum How {
    /// Compare the root of the highest tree with that of the key, which costs nothing
    Root,
    /// Also verify each signature, which does not detect faults in lower trees
    Verify,
    /// Compute each signature twice, which takes twice as long
    Twice,
}

impl From<How> for Check {
    fn from(how: How) -> Self {
        match how {
            How::Root => Self::Root,
            How::Verify => Self::Verify,
            How::Twice => Self::Twice,
        }
    }
}

#[derive(clap::Args)]
struct Shared {
    /// The file of the key, in PEM or DER: PKCS#8 to sign, SubjectPublicKeyInfo to verify
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, value_parser = path())]
    key: PathBuf,
    /// Text of at most 255 bytes to which the signature is bound
    #[arg(long, value_name = "TEXT", default_value = "")]
    context: String,
    /// Sign the digest by this function instead of the content
    #[arg(long, value_name = "FUNCTION", value_parser = function)]
    pre_hash: Option<Algorithm>,
    /// The file of the signature, instead of NAME.sig. Allowed with a single NAME only
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, value_parser = path())]
    signature: Option<PathBuf>,
    #[arg(value_name = "NAME", required = true, value_parser = path())]
    names: Vec<PathBuf>,
}

fn set(name: &str) -> Result<ParameterSet, String> {
    ParameterSet::from_name(name).ok_or_else(|| {
        let names: Vec<_> = ParameterSet::ALL.iter().map(|set| set.name()).collect();
        format!("unknown parameter set; FIPS 205 defines {}", names.join(", "))
    })
}

fn function(name: &str) -> Result<Algorithm, String> {
    name.parse::<Algorithm>().map_err(|error| error.to_string())
}

impl Shared {
    fn domain(&self) -> Result<Domain<'_>, hashlanes_slh_dsa::Error> {
        let context = self.context.as_bytes();
        match self.pre_hash {
            None => Domain::pure(context),
            Some(function) => Domain::pre_hash(context, function),
        }
    }

    /// The files with their signatures, or why the names cannot be meant so.
    fn pairs(&self) -> Result<Vec<Pair>, &'static str> {
        let inputs = [&self.key].into_iter().chain(&self.names);
        if inputs.filter(|name| is_standard(name)).count() > 1 {
            return Err("-: the standard input can be read only once");
        }
        if self.signature.is_some() && self.names.len() > 1 {
            return Err("--signature: expected a single NAME");
        }
        let pair = |name: &PathBuf| Pair {
            name: name.clone(),
            signature: match &self.signature {
                Some(signature) => signature.clone(),
                None if is_standard(name) => name.clone(),
                None => files::signature_of(name),
            },
        };
        Ok(self.names.iter().map(pair).collect())
    }
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, ExitCode> {
    match &args.command {
        Command::Keygen { set, key } => Ok(keygen(*set, key)),
        Command::Sign { shared, deterministic, check, force } => {
            sign(shared, *deterministic, *check, *force)
        }
        Command::Verify { shared } => verify(shared),
    }
}

fn keygen(set: ParameterSet, path: &Path) -> ExitCode {
    let mut seeds = Zeroizing::new(vec![0; set.private_key_len() / 4 * 3]);
    if let Err(error) = Provider::of_grade(Grade::Key).fill(&mut seeds) {
        say(error);
        return ExitCode::FAILURE;
    }
    let key = SigningKey::from_seeds(set, &seeds).expect("the seeds have their length");
    match keys::write(&key, path) {
        Ok(()) => ExitCode::SUCCESS,
        Err((path, error)) => failed(&path, error),
    }
}

fn sign(
    shared: &Shared,
    deterministic: bool,
    check: How,
    force: bool,
) -> Result<ExitCode, ExitCode> {
    let domain = shared.domain().map_err(wrong_usage)?;
    let pairs = shared.pairs().map_err(wrong_usage)?;
    let key = keys::private(&shared.key)
        .map_err(|error| failed(&shared.key, &error))?
        .with_check(check.into());
    let mut status = ExitCode::SUCCESS;
    let place = |path: &PathBuf| true_path(path).unwrap_or_else(|_| path.clone());
    let written: HashSet<_> = pairs.iter().map(|pair| place(&pair.signature)).collect();
    if !is_standard(&shared.key) && written.contains(&place(&shared.key)) {
        return Err(failed(&shared.key, "this file would be overwritten by a signature"));
    }
    let is_overwritten =
        |pair: &Pair| !is_standard(&pair.name) && written.contains(&place(&pair.name));
    let (overwritten, pairs): (Vec<_>, Vec<_>) = pairs.into_iter().partition(is_overwritten);
    for Pair { name, .. } in overwritten {
        status = failed(&name, "not signed: the signature of another file would overwrite it");
    }
    for group in groups(&pairs, None) {
        let (found, unread) = files::split(group);
        if unread {
            status = ExitCode::FAILURE;
        }
        let messages: Vec<_> = found.iter().map(|item| &item.content[..]).collect();
        let signed = if deterministic {
            key.sign_many(&messages, domain, None)
        } else {
            let mut random = Zeroizing::new(vec![0; key.as_bytes().len() / 4 * found.len()]);
            if let Err(error) = Provider::of_grade(Grade::Nonce).fill(&mut random) {
                say(error);
                return Err(ExitCode::FAILURE);
            }
            key.sign_with(&messages, domain, &random)
        };
        let signatures = signed.map_err(|error| failed(&shared.key, error.to_string()))?;
        for (item, signature) in found.iter().zip(signatures) {
            let path = &item.pair.signature;
            if let Err(error) = files::write(path, signature.as_ref(), force) {
                status = match is_standard(path) {
                    true => output_failed(&error),
                    false => failed(path, reason(&error)),
                };
            }
        }
    }
    Ok(status)
}

fn verify(shared: &Shared) -> Result<ExitCode, ExitCode> {
    let domain = shared.domain().map_err(wrong_usage)?;
    let pairs = match shared.pairs() {
        Ok(pairs) if pairs.iter().any(|pair| is_standard(&pair.signature)) => {
            return Err(wrong_usage("-: --signature names the signature of the standard input"));
        }
        Ok(pairs) => pairs,
        Err(error) => return Err(wrong_usage(error)),
    };
    let key = keys::public(&shared.key).map_err(|error| failed(&shared.key, &error))?;
    let printed = print_valid(&pairs, domain, &key);
    Ok(exit_status(printed.map(|(wrong, unread)| {
        warn(wrong, "signature is NOT valid", "signatures are NOT valid");
        wrong == 0 && !unread
    })))
}

/// Prints which signatures are valid. Returns how many are not, and whether a file is unreadable.
fn print_valid(
    pairs: &[Pair],
    domain: Domain<'_>,
    key: &VerifyingKey,
) -> std::io::Result<(u64, bool)> {
    let mut output = Output::stdout()?;
    let (mut wrong, mut any_unread) = (0, false);
    let (set, length) = (key.parameter_set().name(), key.parameter_set().signature_len());
    for group in groups(pairs, Some(length)) {
        let (found, unread) = files::split(group);
        any_unread |= unread;
        let messages: Vec<_> = found.iter().map(|item| &item.content[..]).collect();
        let signatures: Vec<_> = found.iter().map(|item| &item.signature[..]).collect();
        let valid = key.verify_many(&messages, &signatures, domain);
        for (item, valid) in found.iter().zip(valid) {
            wrong += u64::from(!valid);
            let reason = match item.signature.len() {
                less if less < length => {
                    Some(format!("the signature has {less} bytes; {set} needs {length}"))
                }
                more if more > length => {
                    Some(format!("the signature has more than the {length} bytes of {set}"))
                }
                _ => None,
            };
            if let Some(reason) = reason {
                say_of(&item.pair.signature, reason);
            }
            let told = if valid { "OK" } else { "FAILED" };
            output.line(|line| write_named(line, &system::name(&item.pair.name), told, b""))?;
        }
    }
    output.flush()?;
    Ok((wrong, any_unread))
}
