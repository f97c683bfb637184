//! `--verify` of dm-verity: compares data with a tree.

use std::path::Path;
use std::process::ExitCode;

use hashlanes::AnyDigest;
use hashlanes_files::source::Stores;
use hashlanes_files::{Control, system};
use hashlanes_tree::dedup::Opened;
use hashlanes_tree::dmverity::{Difference, SUPERBLOCK, Superblock, Verifier, Verity};
use hashlanes_tree::{Content, Job, Settings, Slice, hash_content};

use super::Args;
use super::one::Failure;
use super::opened::open;
use crate::terminal::message::{failed, output_failed, say, say_of, wrong_usage};
use crate::terminal::output::{Output, write_named};
use crate::url::public_name;

/// How many differing blocks are named.
const NAMED: usize = 10;

pub(super) fn run(args: Args, hash_file: &Path, root: AnyDigest) -> ExitCode {
    let [path] = args.inputs.files.as_slice() else {
        return wrong_usage("--verify takes a single file");
    };
    let watched = args.inputs.progress.watch(|| None);
    let files = watched.settings(&args.inputs.machine);
    let settings = args.settings(&files);
    let stores = args.inputs.stores.open();
    let offset = args.options.offset();
    let of_data = |tree: Opened, superblock: Superblock| {
        verify(&*open(path, &*stores)?, (&*tree, offset), &superblock, root, &settings)
    };
    let outcome = open_tree((hash_file, offset), &*stores)
        .map_err(|failure| (hash_file, failure))
        .and_then(|(tree, superblock)| {
            of_data(tree, superblock).map_err(|failure| (path.as_path(), failure))
        });
    files.control.map(Control::set_drained);
    watched.finish();
    let verdict = match outcome {
        Ok(verdict) => verdict,
        Err((path, failure)) => {
            return failed(path, failure.reason());
        }
    };
    let printed = Output::stdout().and_then(|mut output| {
        let told = if verdict.is_good() { "OK" } else { "FAILED" };
        output.line(|line| write_named(line, &public_name(&system::name(path)), told, b""))?;
        output.flush()
    });
    if let Err(error) = printed {
        return output_failed(&error);
    }
    verdict.say(path);
    if verdict.is_good() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The result of the comparison.
struct Verdict {
    is_root: bool,
    differences: Vec<Difference>,
    count: u64,
    data_block: u64,
}

fn open_tree(
    (path, offset): (&Path, u64),
    stores: &dyn Stores,
) -> Result<(Opened, Superblock), Failure> {
    let tree = open(path, stores)?;
    let mut first = [0; SUPERBLOCK];
    if tree.length().saturating_sub(offset) < SUPERBLOCK as u64 {
        return Err(Failure::Because("it is too short for a superblock of dm-verity".into()));
    }
    tree.read_exact_at(&mut first, offset).map_err(|error| error.error)?;
    let superblock = Superblock::read(&first).map_err(|why| Failure::Because(why.to_string()))?;
    Ok((tree, superblock))
}

fn verify(
    data: &dyn Content,
    (tree, offset): (&dyn Content, u64),
    superblock: &Superblock,
    root: AnyDigest,
    settings: &Settings<'_>,
) -> Result<Verdict, Failure> {
    let data_block = u64::from(superblock.parameters.data_block);
    let length = superblock.data_blocks.saturating_mul(data_block);
    let verity = Verity::new(superblock.parameters.clone(), length)
        .and_then(|verity| verity.with_hash_offset(offset))
        .map_err(|why| Failure::Because(format!("the superblock: {why}")))?;
    if data.length() < length {
        let block = superblock.parameters.data_block;
        return Err(Failure::too_short(superblock.data_blocks, block));
    }
    if tree.length() < verity.file_len() {
        return Err(Failure::Because("the tree is truncated".into()));
    }
    // Like veritysetup, ignore what follows the data.
    let data = Slice::new(data, 0..length);
    let mut sink = verity.tree(Verifier::new(&verity, tree));
    let plan = verity.plan();
    hash_content(&data, &mut [Job::new(&plan, &mut sink)], settings)?;
    let (digest, verifier) = sink.finish()?;
    let (differences, count) = verifier.differences();
    let differences = differences.to_vec();
    Ok(Verdict { is_root: digest == root, differences, count, data_block })
}

impl Verdict {
    fn is_good(&self) -> bool {
        self.is_root && self.count == 0
    }

    fn say(&self, path: &Path) {
        for difference in self.differences.iter().take(NAMED) {
            match *difference {
                Difference::Data(block) => {
                    let begin = block * self.data_block;
                    let end = begin + self.data_block;
                    say_of(path, format_args!("block {block} differs: bytes {begin} to {end}"));
                }
                Difference::Tree { level, block } => {
                    say_of(
                        path,
                        format_args!("block {block} of level {level} of the tree differs"),
                    );
                }
            }
        }
        if self.count > NAMED as u64 {
            say(format_args!("WARNING: {} blocks of data and of the tree differ", self.count));
        }
        if !self.is_root {
            say_of(path, "the root hash differs");
        }
    }
}
