//! How much stack a kernel uses, from its instructions.

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use super::Machine;
use super::link::Function;
use crate::command::output;

/// What a function does with the stack, and what it calls.
#[derive(Default)]
struct Use {
    /// Bytes, with those that align it.
    bytes: u64,
    calls: Vec<u64>,
}

/// The most bytes of stack of the first function and of what it calls.
pub(super) fn of(program: &Path, functions: &[Function], machine: &Machine) -> Result<u64> {
    let mut uses = HashMap::new();
    for (name, start, size) in functions {
        let mut objdump = Command::new(format!("{}objdump", machine.prefix));
        objdump.args(["-d", "--no-show-raw-insn"]);
        objdump.arg(format!("--start-address={start}"));
        objdump.arg(format!("--stop-address={}", start + size));
        let text = output(objdump.arg(program))?;
        let mut used = Use::default();
        for (_, line) in text.lines().filter_map(|line| line.split_once(":\t")) {
            let read = if machine.go == "amd64" { used.amd64(line) } else { used.arm64(line) };
            read.with_context(|| format!("{name}: {line}"))?;
        }
        uses.insert(*start, used);
    }
    deepest(&uses, 0, 0)
}

/// The most bytes from a function on.
fn deepest(uses: &HashMap<u64, Use>, start: u64, depth: usize) -> Result<u64> {
    ensure!(depth < 10, "it calls itself");
    let used = uses.get(&start).with_context(|| format!("a call of {start:#x}, no function"))?;
    let mut below = 0;
    for &call in &used.calls {
        below = below.max(8 + deepest(uses, call, depth + 1)?);
    }
    Ok(used.bytes + below)
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

/// The address in the operand of a call, as `40 <name+0x8>`.
fn address(operand: &str) -> Result<u64> {
    let digits = operand.split_whitespace().next().unwrap_or_default();
    u64::from_str_radix(digits.trim_start_matches("0x"), 16).with_context(|| "a computed call")
}

impl Use {
    /// Adds what an instruction does.
    fn amd64(&mut self, line: &str) -> Result<()> {
        let line = line.split('#').next().unwrap_or_default();
        let (name, operands) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let operands = operands.trim();
        let outside = ["%fs", "%gs"].iter().any(|segment| operands.contains(segment));
        ensure!(!outside, "memory of the thread");
        let refused = ["cpuid", "syscall", "std", "ldmxcsr", "vldmxcsr", "fldcw", "emms"];
        ensure!(!refused.contains(&name) && name != "(bad)", "not for a kernel");
        if name.starts_with("push") {
            self.bytes += 8;
        } else if name.starts_with("call") {
            self.calls.push(address(operands)?);
        } else if name.starts_with("jmp") && operands.starts_with('*') {
            // Within the function, by a table of distances.
        } else if let Some(source) = operands.strip_suffix(",%rsp") {
            match name {
                "sub" => self.bytes += u64::try_from(number(source)?)?,
                "add" if source.starts_with("$-") || number(source)? < 0 => {
                    self.bytes += number(source)?.unsigned_abs();
                }
                // To the end of the frame, in an epilogue.
                "add" | "lea" | "pop" => {}
                "mov" if source == "%rbp" => {}
                "and" => self.bytes += number(source)?.unsigned_abs() - 8,
                _ => bail!("it moves the stack in an unknown way"),
            }
        }
        Ok(())
    }

    /// Adds what an instruction does.
    fn arm64(&mut self, line: &str) -> Result<()> {
        let line = line.split("//").next().unwrap_or_default();
        let (name, operands) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let operands: Vec<_> = operands.split(',').map(str::trim).collect();
        ensure!(!matches!(name, "svc" | "msr" | "mrs"), "not for a kernel");
        ensure!(!operands.contains(&"x18") && !operands.contains(&"x28"), "a register of Go");
        match (name, &operands[..]) {
            ("bl", [callee]) => self.calls.push(address(callee)?),
            ("blr", _) => bail!("a computed call"),
            ("sub", ["sp", _, size, rest @ ..]) => {
                let size = u64::try_from(number(size)?)?;
                self.bytes += if rest.is_empty() { size } else { size << 12 };
            }
            ("and", ["sp", _, mask]) => self.bytes += number(mask)?.unsigned_abs(),
            (_, [.., size]) if size.ends_with(']' ) || size.ends_with('!') => {
                if let Some(size) = size.strip_suffix("]!") {
                    if operands.iter().any(|operand| *operand == "[sp") {
                        self.bytes += number(size)?.unsigned_abs();
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }
}
