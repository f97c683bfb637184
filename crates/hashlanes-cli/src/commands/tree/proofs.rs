//! `--verify` of Merkle trees: compares leaves with proofs.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::process::ExitCode;

use hashlanes::AnyDigest;
use hashlanes_files::name::quote;
use hashlanes_files::{RegularFile, system};
use hashlanes_tree::merkle::Tree;
use hashlanes_tree::{InclusionProof, Job, Settings, Slice, hash_content};

use super::Args;
use super::one::Failure;
use super::proof_line::parse;
use crate::terminal::message::{failed, output_failed, reason, say, wrong_usage};
use crate::terminal::output::{Output, write_named};
use crate::url::public_name;

/// The maximum length of a line: a path has at most 64 nodes.
const LONGEST: u64 = 64 << 10;

pub(super) fn run(args: Args, file: &Path, root: AnyDigest) -> ExitCode {
    let [path] = args.inputs.files.as_slice() else {
        return wrong_usage("--verify takes a single file");
    };
    let proofs = match read(file) {
        Ok(proofs) if !proofs.is_empty() => proofs,
        Ok(_) => return failed(file, "there is no proof"),
        Err(why) => return failed(file, why),
    };
    let settings = Settings { memory: args.options.memory(), ..Settings::default() };
    let outcome = verify(path, &proofs, root, &settings);
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            say(format_args!("WARNING: not all leaves of {} were proved", quote(path)));
            ExitCode::FAILURE
        }
        Err(VerifyError::Output(error)) => output_failed(&error),
        Err(VerifyError::File(failure)) => failed(path, failure.reason()),
    }
}

/// Reads the proofs in a file.
fn read(path: &Path) -> Result<Vec<(Tree, InclusionProof)>, String> {
    let file = File::open(path).map_err(|error| reason(&error))?;
    let mut lines = BufReader::new(file);
    let mut proofs = Vec::new();
    for number in 1.. {
        let mut line = String::new();
        let length = io::Read::take(&mut lines, LONGEST).read_line(&mut line);
        if length.map_err(|error| reason(&error))? == 0 {
            break;
        }
        if line.trim().is_empty() {
            continue;
        }
        let wrong = |why: String| format!("line {number}: not a proof: {why}");
        proofs.push(parse(&line).map_err(wrong)?);
    }
    Ok(proofs)
}

enum VerifyError {
    Output(io::Error),
    File(Failure),
}

fn verify(
    path: &Path,
    proofs: &[(Tree, InclusionProof)],
    root: AnyDigest,
    settings: &Settings<'_>,
) -> Result<bool, VerifyError> {
    let of_file = |error: io::Error| VerifyError::File(error.into());
    let file = RegularFile::open(path).map_err(of_file)?;
    let mut output = Output::stdout().map_err(VerifyError::Output)?;
    let mut all = true;
    for (tree, proof) in proofs {
        let begin = proof.index.saturating_mul(tree.leaf);
        let leaf = Slice::new(&file, begin..begin.saturating_add(tree.leaf));
        let (plan, mut digest) = (tree.plan(), Vec::new());
        hash_content(&leaf, &mut [Job::new(&plan, &mut digest)], settings)
            .map_err(|error| VerifyError::File(error.into()))?;
        // A leaf past the end of the file has no digest.
        let digest = AnyDigest::try_from(digest.as_slice()).ok();
        let proved = digest.is_some_and(|leaf| tree.verify_digest(proof, leaf, root));
        all &= proved;
        let verdict = if proved { "OK" } else { "FAILED" };
        let name = system::name(path);
        let name = public_name(&name);
        let told = format!("leaf {}: {verdict}", proof.index);
        let written = output.line(|line| write_named(line, &name, &told, b""));
        written.map_err(VerifyError::Output)?;
    }
    output.flush().map_err(VerifyError::Output)?;
    Ok(all)
}
