//! How much stack a kernel uses, from its instructions.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use super::Machine;
use crate::command::output;

/// A function of a program: its name, where it begins and how long it is.
pub(super) type Function = (String, u64, u64);

/// The most bytes of stack of a program: as if each of its functions called the next one. None
/// calls itself.
pub(super) fn of(program: &Path, functions: &[Function], machine: &Machine) -> Result<u64> {
    let mut bytes = 0;
    for (name, start, size) in functions {
        let mut objdump = Command::new(format!("{}objdump", machine.prefix));
        objdump.args(["-d", "--no-show-raw-insn"]);
        objdump.arg(format!("--start-address={start}"));
        objdump.arg(format!("--stop-address={}", start + size));
        let text = output(objdump.arg(program))?;
        // The return address.
        bytes += 8;
        for (_, line) in text.lines().filter_map(|line| line.split_once(":\t")) {
            let used = if machine.go == "amd64" { amd64(line) } else { arm64(line) };
            bytes += used.with_context(|| format!("{name}: {line}"))?;
            ensure!(!calls(line, &format!("<{name}>")), "{name} calls itself");
        }
    }
    Ok(bytes)
}

/// Whether an instruction calls this function.
fn calls(line: &str, name: &str) -> bool {
    (line.starts_with("call") || line.starts_with("bl")) && line.trim_end().ends_with(name)
}

/// A number such as 0x40 or -0x40.
fn number(text: &str) -> Result<i64> {
    let text = text.trim_start_matches(['$', '#']);
    let digits = text.trim_start_matches('-');
    let number = match digits.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => digits.parse(),
    };
    let number = number.with_context(|| format!("no number: {text}"))? as i64;
    Ok(if digits.len() < text.len() { -number } else { number })
}

/// The bytes by which an instruction grows the stack, with those that align it.
fn amd64(line: &str) -> Result<u64> {
    let line = line.split('#').next().unwrap_or_default();
    let (name, operands) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let operands = operands.trim();
    let outside = ["%fs", "%gs"].iter().any(|segment| operands.contains(segment));
    ensure!(!outside, "memory of the thread");
    let refused = ["cpuid", "syscall", "std", "ldmxcsr", "vldmxcsr", "fldcw", "emms", "(bad)"];
    ensure!(!refused.contains(&name), "not for a kernel");
    ensure!(!(name.starts_with("call") && operands.starts_with('*')), "a computed call");
    if name.starts_with("push") {
        return Ok(8);
    }
    let Some(source) = operands.strip_suffix(",%rsp") else { return Ok(0) };
    match name {
        "sub" => Ok(u64::try_from(number(source)?)?),
        "add" if number(source)? < 0 => Ok(number(source)?.unsigned_abs()),
        // To the end of the frame, in an epilogue.
        "add" | "lea" => Ok(0),
        "mov" if source == "%rbp" => Ok(0),
        "and" => Ok(number(source)?.unsigned_abs()),
        _ => bail!("it moves the stack in an unknown way"),
    }
}

/// As [`amd64`].
fn arm64(line: &str) -> Result<u64> {
    let line = line.split("//").next().unwrap_or_default();
    let (name, operands) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let operands: Vec<_> = operands.split(',').map(str::trim).collect();
    ensure!(!matches!(name, "svc" | "msr" | "mrs" | "blr"), "not for a kernel");
    // X18 belongs to some systems, and X28 to Go.
    let kept = |operand: &&str| ["x18", "x28", "w18", "w28"].contains(operand);
    ensure!(!operands.iter().any(kept), "a register of the system or of Go");
    match (name, &operands[..]) {
        ("sub", ["sp", _, size, rest @ ..]) => {
            let size = u64::try_from(number(size)?)?;
            Ok(if rest.is_empty() { size } else { size << 12 })
        }
        // The mask is a register, or a number of up to 64.
        ("and", ["sp", ..]) => Ok(64),
        (_, [.., "[sp", size]) => {
            let size = size.strip_suffix("]!").map_or(Ok(0), number)?;
            Ok(u64::try_from(size.min(0).abs())?)
        }
        _ => Ok(0),
    }
}
