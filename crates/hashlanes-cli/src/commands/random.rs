//! `hashlanes random`: random bytes of a grade or of a source.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use hashlanes_entropy::{Error, Grade, Provider, Source};
use zeroize::{Zeroize, Zeroizing};

use crate::options::size::Size;
use crate::terminal::message::{output_failed, say, wrong_usage};
use hashlanes_files::system::stdout;

/// Write random bytes to the standard output.
///
/// The bytes come from the first source of the grade that works: an instruction of the CPU or the
/// operating system. If none works, the command fails and reports why. It never uses a lower grade.
#[derive(clap::Args)]
#[command(after_help = "\
Grades, and the sources that serve them in this order:
  nonce  initialisation vectors, nonces, salts       rdrand, os, rdseed
  key    keys of up to 256 bits                      rdseed, os, rdrand-512
  seed   seeds of other generators                   rdseed, rdrand-512
Sources:
  rdseed      the entropy source in the CPU
  rdrand-512  512 bytes of rdrand, reduced to one
  rdrand      the generator in the CPU
  os          the operating system
`hashlanes info` shows which of them work on this machine.

Examples:
  hashlanes random --bytes 32 --hex                    a key, in hexadecimal
  hashlanes random --bytes 48 --grade seed --hex -v    a seed, and where it came from
  hashlanes random --bytes 1GiB --source os > noise    much data, in little memory

Exit status: 0 if all bytes were written; 1 if no source could provide them, or the output could not
be written; 2 on wrong usage.")]
pub(crate) struct Args {
    /// How many bytes, such as 32, 4KiB or 1GB
    #[arg(long, value_name = "SIZE")]
    bytes: Size,

    /// What the bytes will be used for: nonce, key or seed [default: key]
    #[arg(long, value_name = "GRADE")]
    grade: Option<Grade>,

    /// Use only this source: rdseed, rdrand-512, rdrand or os
    #[arg(long, value_name = "SOURCE")]
    source: Option<Source>,

    /// Write hexadecimal digits, and a newline at the end
    #[arg(long)]
    hex: bool,

    /// Report on the standard error which source was used
    #[arg(short, long)]
    verbose: bool,
}

/// Bytes drawn at a time, which bounds the memory.
const PIECE: usize = 64 << 10;

pub(crate) fn run(args: &Args) -> ExitCode {
    let provider = match provider(args) {
        Ok(provider) => provider,
        Err(why) => return wrong_usage(why),
    };
    if !args.hex && io::stdout().is_terminal() {
        return wrong_usage(
            "raw bytes could garble the terminal: use --hex, or redirect the output",
        );
    }
    let mut served = Vec::new();
    let outcome = write(args, &provider, &mut served);
    if args.verbose {
        for (source, bytes) in served {
            say(format_args!("{bytes} bytes from {source}"));
        }
    }
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(Stopped::Source(error)) => {
            say(error);
            ExitCode::FAILURE
        }
        Err(Stopped::Output(error)) => output_failed(&error),
    }
}

/// The requested provider, or what is wrong with the request.
fn provider(args: &Args) -> Result<Provider, String> {
    match (args.source, args.grade) {
        (None, grade) => Ok(Provider::of_grade(grade.unwrap_or(Grade::Key))),
        (Some(source), Some(grade)) if source.grade() < grade => Err(format!(
            "the source {source} has the grade {}, which is below {grade}",
            source.grade()
        )),
        (Some(source), _) => Ok(Provider::of_source(source)),
    }
}

/// Why writing stopped early.
enum Stopped {
    Source(Error),
    Output(io::Error),
}

impl From<Error> for Stopped {
    fn from(error: Error) -> Self {
        Self::Source(error)
    }
}

impl From<io::Error> for Stopped {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

/// Writes the bytes, and counts those of each source in `served`.
fn write(args: &Args, provider: &Provider, served: &mut Vec<(Source, u64)>) -> Result<(), Stopped> {
    // Without a buffer, which would keep bytes in memory.
    let mut output = stdout()?;
    let mut piece = Zeroizing::new(vec![0; PIECE.min(args.bytes.in_memory())]);
    let mut left = args.bytes.bytes();
    while left > 0 {
        let length = left.min(PIECE as u64);
        let piece = &mut piece[..length as usize];
        let source = provider.fill(piece)?;
        write_piece(&mut output, piece, args.hex)?;
        left -= length;
        match served.iter_mut().find(|(known, _)| *known == source) {
            Some((_, bytes)) => *bytes += length,
            None => served.push((source, length)),
        }
    }
    if args.hex {
        output.write_all(b"\n")?;
    }
    Ok(())
}

fn write_piece(output: &mut impl Write, piece: &[u8], hex: bool) -> io::Result<()> {
    if !hex {
        return output.write_all(piece);
    }
    let mut digits = base16ct::lower::encode_string(piece);
    let written = output.write_all(digits.as_bytes());
    digits.zeroize();
    written
}
