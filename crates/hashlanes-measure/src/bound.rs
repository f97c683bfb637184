//! Upper bounds on the speed of a core, from instruction counts.
//!
//! Two things limit a kernel: the time that its operations take on the execution units that can run
//! them, and the longest chain of dependent operations. Both are counted here. The operations per
//! block come from the algorithm's definition, with the fewest instructions known to us for each
//! step and instruction set. The operations per cycle of a core are measured or taken from its
//! manual. Loads and stores, register moves, the final additions to the state, and everything
//! outside the compression are not counted. `docs/design/measuring.md` has the sources and an
//! example.
//!
//! A bound holds only for this method of computation: a method that needs fewer operations can beat
//! it. Where nothing was counted the bound is `None`, never a guess.

use hashlanes::Algorithm;
use hashlanes::kernels::KernelInfo;
use serde::Serialize;

use crate::cpu::Core;

/// An instruction set, as far as it affects the counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Set {
    /// 64-bit integer registers.
    Scalar,
    Sse41,
    Avx2,
    /// AVX2, where integer registers transpose.
    Avx2Copy,
    Avx512,
    /// AVX-512, where integer registers transpose.
    Avx512Copy,
    /// The instructions of AVX-512 on registers of 256 bits.
    Avx512On256,
}

impl Set {
    fn register_bits(self) -> u32 {
        match self {
            Self::Scalar => 0,
            Self::Sse41 => 128,
            Self::Avx2 | Self::Avx2Copy | Self::Avx512On256 => 256,
            Self::Avx512 | Self::Avx512Copy => 512,
        }
    }

    /// Whether one instruction computes any function of three words.
    fn has_ternary(self) -> bool {
        matches!(self, Self::Avx512 | Self::Avx512Copy | Self::Avx512On256)
    }

    fn has_rotate(self) -> bool {
        self.has_ternary() || self == Self::Scalar
    }
}

/// Operations for one block in each lane of a register.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Work {
    /// All operations.
    operations: u32,
    /// Shifts and rotates.
    shifts: u32,
    /// Operations that permute bytes within a register.
    shuffles: u32,
    /// Latency of the longest chain from one state to the next, in [`latency`] of an operation.
    chain: u32,
}

impl Work {
    /// Additions, exclusive ors and the like.
    fn plain(&mut self, count: u32) {
        self.operations += count;
    }

    fn shift(&mut self, count: u32) {
        self.operations += count;
        self.shifts += count;
    }

    fn shuffle(&mut self, count: u32) {
        self.operations += count;
        self.shuffles += count;
    }

    /// Rotates by amounts that are not multiples of 8.
    fn rotate(&mut self, set: Set, count: u32) {
        if set.has_rotate() {
            self.shift(count);
        } else {
            // Two shifts, left and right, and an or.
            self.shift(2 * count);
            self.plain(count);
        }
    }

    /// Rotates by a multiple of 8. Without a rotate this is a shuffle of bytes.
    fn rotate_bytes(&mut self, set: Set, count: u32) {
        if set.has_rotate() { self.shift(count) } else { self.shuffle(count) }
    }

    /// Functions of three words. Without a ternary instruction, each takes `apart` instructions on
    /// two words.
    fn ternary(&mut self, set: Set, count: u32, apart: u32) {
        self.plain(if set.has_ternary() { count } else { count * apart });
    }

    /// Transposes one block per lane into 16 registers, one for each word.
    fn transpose(&mut self, set: Set, word_bits: u32, big_endian: bool) {
        if matches!(set, Set::Avx2Copy | Set::Avx512Copy) {
            // Integer registers copy the words. MD5's come in pairs, which shuffles separate.
            return self.shuffle(if big_endian { 0 } else { 16 });
        }
        // Each of the 16 registers takes log2(lanes) steps. Steps within 128 bits are shuffles, the
        // others inserts from memory.
        let steps = (set.register_bits() / word_bits).max(1).ilog2();
        let within = steps.min((128 / word_bits).ilog2());
        self.shuffle(16 * within);
        self.plain(16 * (steps - within));
        if big_endian {
            self.shuffle(16);
        }
    }
}

/// Latency of an operation in cycles.
fn latency(core: Core, set: Set) -> u32 {
    // Zen 5 has doubled it for vectors of integers, of any width.
    if core == Core::Zen5 && set != Set::Scalar { 2 } else { 1 }
}

/// Latency of a rotate, in that of an operation.
fn rotate_latency(core: Core, set: Set) -> u32 {
    match (core, set) {
        // One operation with a latency of two cycles. Shifts take one.
        (Core::Zen4, Set::Avx512 | Set::Avx512Copy | Set::Avx512On256) => 2,
        _ if set.has_rotate() => 1,
        // A shift and an or.
        _ => 2,
    }
}

fn md5(core: Core, set: Set) -> Work {
    let mut work = Work::default();
    // A step: three additions to a, the rotate, the addition of b.
    work.plain(64 * 4);
    work.rotate(set, 60);
    // The third round has four rotates by 16.
    work.rotate_bytes(set, 4);
    // F = d ^ (b & (c ^ d))
    work.ternary(set, 16, 3);
    // G = (d & b) | (c & ~d). The two terms have no bit in common, so they are added one at a time.
    work.ternary(set, 16, 3);
    if set.has_ternary() {
        work.plain(16 + 16);
    } else {
        // H = b ^ c ^ d. In every other step, b ^ c is available from the step before.
        work.plain(16 * 3 / 2);
        // I = c ^ (b | ~d) = ~(c ^ (~b & d)). A subtraction and the constant absorb the outer not.
        work.plain(16 * 2);
    }
    work.transpose(set, 32, false);
    let rotate = rotate_latency(core, set);
    work.chain = if set.has_ternary() {
        // From b to the next b: the function, an addition, the rotate, an addition.
        64 * (3 + rotate)
    } else {
        // The function is two operations deep for F and I, one for G and H.
        32 * (4 + rotate) + 32 * (3 + rotate) - 4 * (rotate - 1)
    };
    work
}

fn sha1(core: Core, set: Set) -> Work {
    let mut work = Work::default();
    // A round: four additions, two rotates, the function.
    work.plain(80 * 4);
    work.rotate(set, 80 * 2);
    work.ternary(set, 20, 3); // Ch
    work.ternary(set, 40, 2); // Parity
    work.ternary(set, 20, 4); // Maj
    // The schedule: the exclusive or of four words, rotated by one.
    work.ternary(set, 64, 2);
    work.plain(64);
    if set.has_rotate() {
        work.shift(64);
    } else {
        // A shift left by one is an addition of the word to itself.
        work.plain(64 * 2);
        work.shift(64);
    }
    work.transpose(set, 32, true);
    work.chain = 80 * (rotate_latency(core, set) + 1);
    work
}

/// Rounds of SHA-256 or SHA-512.
fn rounds(word_bits: u32) -> u32 {
    if word_bits == 32 { 64 } else { 80 }
}

/// The rounds of SHA-256 or SHA-512. The schedule is computed elsewhere, with the constants added.
fn sha2_rounds(core: Core, set: Set, word_bits: u32) -> Work {
    let rounds = rounds(word_bits);
    let mut work = Work::default();
    // A round: six additions, Ch, Maj (with a ^ b from the round before), and two sums of three
    // rotates each.
    work.plain(rounds * 6);
    work.ternary(set, rounds, 3);
    work.ternary(set, rounds, 3);
    work.rotate(set, rounds * 6);
    work.ternary(set, rounds * 2, 2);
    // From e to the next e: a rotate, the sum of three, two additions.
    let sum = if set.has_ternary() { 1 } else { 2 };
    work.chain = rounds * (rotate_latency(core, set) + sum + 2);
    work
}

/// SHA-256 or SHA-512. They differ in the word size, the number of rounds, and one rotate in the
/// schedule.
fn sha2(core: Core, set: Set, word_bits: u32) -> Work {
    let mut work = sha2_rounds(core, set, word_bits);
    // The addition of the round constant.
    work.plain(rounds(word_bits));
    // A word of the schedule: three additions, and two sums of two rotates and a shift.
    let words = rounds(word_bits) - 16;
    work.plain(words * 3);
    if word_bits == 32 {
        work.rotate(set, words * 4);
    } else {
        work.rotate(set, words * 3);
        work.rotate_bytes(set, words); // by 8
    }
    work.shift(words * 2);
    work.ternary(set, words * 2, 2);
    work.transpose(set, word_bits, true);
    work
}

/// Operations per cycle of a core, on the registers of one set.
struct Units {
    any: f64,
    shift: f64,
    shuffle: f64,
    /// Shifts and shuffles together, where they share units.
    both: f64,
}

fn units(core: Core, set: Set) -> Units {
    match (core, set) {
        // Ports 0 and 5. Rotates and shifts use port 0, shuffles port 5.
        (Core::GoldenCove, Set::Avx512 | Set::Avx512Copy) => {
            Units { any: 2.0, shift: 1.0, shuffle: 1.0, both: 2.0 }
        }
        // Ports 0, 1 and 5. Shifts use 0 and 1, shuffles 1 and 5.
        (Core::GoldenCove, Set::Avx2 | Set::Avx2Copy | Set::Avx512On256 | Set::Sse41) => {
            Units { any: 3.0, shift: 2.0, shuffle: 2.0, both: 3.0 }
        }
        // Ports 0, 1, 5, 6 and 10. Shifts use 0 and 6, byte swaps 1 (and 5).
        (Core::GoldenCove, Set::Scalar) => Units { any: 5.0, shift: 2.0, shuffle: 1.0, both: 3.0 },
        // Four vector pipes. Two of them shift and shuffle. Zen 3 has no AVX-512.
        (Core::Zen3, _) if set != Set::Scalar => {
            Units { any: 4.0, shift: 2.0, shuffle: 2.0, both: 2.0 }
        }
        // Four vector pipes of 256 bits. Two of them shift and rotate. Three shuffle, but only two
        // shuffle single bytes. Shifts and shuffles share three.
        (Core::Zen4, Set::Avx2 | Set::Avx2Copy | Set::Avx512On256 | Set::Sse41) => {
            Units { any: 4.0, shift: 2.0, shuffle: 3.0, both: 3.0 }
        }
        // The same pipes. An operation on 512 bits occupies one of them for two cycles.
        (Core::Zen4, Set::Avx512 | Set::Avx512Copy) => {
            Units { any: 2.0, shift: 1.0, shuffle: 1.5, both: 1.5 }
        }
        // Four vector pipes of 512 bits. All shuffle words. Two shift and rotate, and two shuffle
        // bytes, of which one is the same.
        (Core::Zen5, _) if set != Set::Scalar => {
            Units { any: 4.0, shift: 2.0, shuffle: 4.0, both: 4.0 }
        }
        // Six integer units. Three of them shift.
        (Core::Zen5, _) => Units { any: 6.0, shift: 3.0, shuffle: 6.0, both: 6.0 },
        // Four integer units. Two of them shift.
        (Core::Zen3, _) | (Core::Zen4, Set::Scalar) => {
            Units { any: 4.0, shift: 2.0, shuffle: 4.0, both: 4.0 }
        }
    }
}

/// For one block with the SHA extensions: the latency of the chain of round instructions, and the
/// cycles of the unit that executes them.
fn sha_ni(core: Core, algorithm: Algorithm) -> Option<(u32, u32)> {
    let unit = match (algorithm, core) {
        // 20 sha1rnds4. One starts every 3 cycles.
        (Algorithm::Sha1, Core::GoldenCove) => 20 * 3,
        // 20 sha1rnds4. One starts every 2 cycles.
        (Algorithm::Sha1, Core::Zen3 | Core::Zen4 | Core::Zen5) => 20 * 2,
        // 32 sha256rnds2. One starts every 3 cycles.
        (Algorithm::Sha224 | Algorithm::Sha256, Core::GoldenCove) => 32 * 3,
        // One starts every cycle, but 12 sha256msg1 and 12 sha256msg2 use the unit too.
        (Algorithm::Sha224 | Algorithm::Sha256, Core::Zen3) => 41,
        (Algorithm::Sha224 | Algorithm::Sha256, Core::Zen4) => 55,
        // One starts every 2 cycles, but the other two have units of their own.
        (Algorithm::Sha224 | Algorithm::Sha256, Core::Zen5) => 32 * 2,
        _ => return None,
    };
    // sha1rnds4 has a latency of 6 cycles, sha256rnds2 of 4.
    Some((if algorithm == Algorithm::Sha1 { 20 * 6 } else { 32 * 4 }, unit))
}

/// Four messages of SHA-256, with the rounds in the SHA extensions and the schedules in 256-bit
/// vectors. The pipes that shift execute the round instructions too.
fn sha_ni_avx512(core: Core) -> Option<f64> {
    // Each message has 32 sha256rnds2. All four share 24 pairs of schedule words, with six rotates
    // and shifts each, and 28 pairs that start in the middle of another pair.
    let shifts = 4 * 32 + 24 * 6 + 28;
    match core {
        Core::Zen4 => Some(f64::from(shifts) / units(core, Set::Avx512On256).shift),
        // The rounds of all four take longer than these, in a unit of their own.
        Core::Zen5 => Some(4.0 * 32.0 * 2.0),
        Core::GoldenCove | Core::Zen3 => None,
    }
}

/// The upper bound for one kernel.
#[derive(Clone, Debug, PartialEq)]
struct KernelBound {
    /// Cycles for one block in each lane.
    cycles: f64,
    lanes: usize,
    origin: String,
}

fn kernel_bound(core: Core, algorithm: Algorithm, name: &str, lanes: usize) -> Option<KernelBound> {
    // `NAME-xN` works on N registers or N streams at once.
    let (base, groups) = match name.rsplit_once("-x") {
        Some((base, groups)) => (base, groups.parse().ok()?),
        None => (name, 1),
    };
    let blocks = if lanes == 1 { "block" } else { "blocks" };
    let set = match base {
        "portable" | "bmi2" | "avx2-one" if cfg!(target_arch = "x86_64") => Set::Scalar,
        "sse41" => Set::Sse41,
        "avx2" => Set::Avx2,
        "avx2-copy" if core != Core::Zen4 => Set::Avx2Copy,
        "avx512" if core != Core::Zen3 => Set::Avx512,
        "avx512-copy" | "avx512-copy-lines" if core != Core::Zen3 => Set::Avx512Copy,
        "avx512-256" if core != Core::Zen3 => Set::Avx512On256,
        "sha-ni-avx512" => {
            let cycles = sha_ni_avx512(core)?;
            let origin = format!(
                "{core}, {name}: shifts, rotates and rounds, {cycles} cycles for {lanes} blocks"
            );
            return Some(KernelBound { cycles, lanes, origin });
        }
        "sha-ni" => {
            let (chain, unit) = sha_ni(core, algorithm)?;
            let busy = groups * unit;
            let why = if busy > chain { "throughput" } else { "latency" };
            let cycles = f64::from(busy.max(chain));
            let origin = format!(
                "{core}, {name}: {why} of the round instructions, {cycles} cycles for {lanes} \
                 {blocks}"
            );
            return Some(KernelBound { cycles, lanes, origin });
        }
        _ => return None,
    };
    let work = match algorithm {
        Algorithm::Md5 => md5(core, set),
        Algorithm::Sha1 => sha1(core, set),
        Algorithm::Sha224 | Algorithm::Sha256 => sha2(core, set, 32),
        Algorithm::Sha384 | Algorithm::Sha512 | Algorithm::Sha512_256 if base == "avx2-one" => {
            sha2_rounds(core, set, 64)
        }
        Algorithm::Sha384 | Algorithm::Sha512 | Algorithm::Sha512_256 => sha2(core, set, 64),
        _ => return None,
    };
    let units = units(core, set);
    let per_group = |count: u32, per_cycle: f64| f64::from(groups * count) / per_cycle;
    let limits = [
        (per_group(work.operations, units.any), "operations"),
        (per_group(work.shifts, units.shift), "shifts and rotates"),
        (per_group(work.shuffles, units.shuffle), "shuffles"),
        (per_group(work.shifts + work.shuffles, units.both), "shifts and shuffles"),
        (f64::from(work.chain * latency(core, set)), "latency"),
    ];
    let (cycles, why) = limits.into_iter().max_by(|a, b| a.0.total_cmp(&b.0))?;
    let origin = format!("{core}, {name}: {why}, {cycles:.0} cycles for {lanes} {blocks}");
    Some(KernelBound { cycles, lanes, origin })
}

/// The upper bound for a core and a set of kernels.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Bound {
    /// Bytes of padded messages per cycle.
    pub bytes_per_cycle: f64,
    /// The limiting factor: the core, the kernel, and the resource that is exhausted.
    pub origin: String,
}

impl Bound {
    /// The bound for `messages` messages of equal length, divided optimally among the kernels.
    /// `None` means enough messages to keep all lanes full, which also stands for mixed lengths.
    ///
    /// Returns `None` if nothing was counted for the core, or for any of the kernels.
    pub fn of(
        core: Option<Core>,
        algorithm: Algorithm,
        kernels: &[KernelInfo],
        messages: Option<usize>,
    ) -> Option<Self> {
        let bounds: Vec<KernelBound> = kernels
            .iter()
            .filter_map(|kernel| kernel_bound(core?, algorithm, kernel.name, kernel.lanes))
            .collect();
        let densest = bounds
            .iter()
            .min_by(|a, b| (a.cycles / a.lanes as f64).total_cmp(&(b.cycles / b.lanes as f64)))?;
        let block = algorithm.block_len() as f64;
        let Some(messages) = messages else {
            let bytes_per_cycle = densest.lanes as f64 * block / densest.cycles;
            return Some(Self { bytes_per_cycle, origin: densest.origin.clone() });
        };
        // For each number of messages from 0: the fewest cycles for one block of each message, and
        // the kernel that runs first.
        let mut fewest: Vec<(f64, Option<&KernelBound>)> = vec![(0.0, None)];
        for count in 1..=messages {
            let cost =
                |bound: &KernelBound| bound.cycles + fewest[count.saturating_sub(bound.lanes)].0;
            let best = bounds.iter().min_by(|a, b| cost(a).total_cmp(&cost(b)))?;
            fewest.push((cost(best), Some(best)));
        }
        let (cycles, first) = fewest[messages];
        Some(Self {
            bytes_per_cycle: messages as f64 * block / cycles,
            origin: first?.origin.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Operation counts do not depend on the core.
    const ANY: Core = Core::Zen3;

    fn of(core: Core, algorithm: Algorithm, name: &str, lanes: usize) -> f64 {
        let bound = kernel_bound(core, algorithm, name, lanes).unwrap();
        (lanes * algorithm.block_len()) as f64 / bound.cycles
    }

    #[test]
    fn operations_are_counted_as_documented() {
        assert_eq!(md5(ANY, Set::Avx512).operations, 64 * 6 + 64);
        assert_eq!(sha1(ANY, Set::Avx512).operations, 80 * 7 + 64 * 3 + 80);
        assert_eq!(sha2(ANY, Set::Avx512, 32).operations, 64 * 17 + 48 * 11 + 80);
        assert_eq!(sha2(ANY, Set::Avx512, 64).operations, 80 * 17 + 64 * 11 + 64);
        assert_eq!(md5(ANY, Set::Avx2).operations, 256 + 152 + 60 * 3 + 4 + 48);
        assert_eq!(sha2(ANY, Set::Avx2, 32).operations, 64 * 35 + 48 * 21 + 64);
        assert_eq!(sha2(ANY, Set::Avx2, 64).operations, 80 * 35 + 64 * 19 + 48);
        assert_eq!(sha2(ANY, Set::Scalar, 32).operations, 64 * 23 + 48 * 13 + 16);
        assert_eq!(md5(ANY, Set::Scalar).chain, 288);
        assert_eq!(md5(ANY, Set::Avx2).chain, 348);
        assert_eq!(md5(Core::GoldenCove, Set::Avx512).chain, 64 * 4);
        assert_eq!(md5(Core::Zen4, Set::Avx512).chain, 64 * 5);
    }

    #[test]
    fn bounds_are_the_documented_ones() {
        let near = |a: f64, b: f64| assert!((a - b).abs() < 0.006, "{a} {b}");
        near(of(Core::GoldenCove, Algorithm::Md5, "avx512-x2", 32), 4.57);
        near(of(Core::GoldenCove, Algorithm::Md5, "avx512", 16), 4.0);
        near(of(Core::GoldenCove, Algorithm::Sha1, "avx512", 16), 2.46);
        near(of(Core::GoldenCove, Algorithm::Sha256, "avx512", 16), 1.21);
        near(of(Core::GoldenCove, Algorithm::Sha512, "avx512", 8), 0.96);
        near(of(Core::Zen3, Algorithm::Sha256, "sha-ni", 1), 0.5);
        near(of(Core::Zen3, Algorithm::Sha256, "sha-ni-x2", 2), 1.0);
        near(of(Core::Zen3, Algorithm::Sha256, "sha-ni-x4", 4), 64.0 / 41.0);
        near(of(Core::Zen3, Algorithm::Sha256, "avx2", 8), 0.618);
        near(of(Core::Zen3, Algorithm::Md5, "avx2-x2", 16), 2.94);
        near(of(Core::Zen3, Algorithm::Md5, "avx2-copy-x2", 16), 2.94);
        // Two 512-bit operations per cycle, as on Golden Cove, but a rotate has a latency of two
        // cycles.
        near(of(Core::Zen4, Algorithm::Md5, "avx512-x2", 32), 4.57);
        near(of(Core::Zen4, Algorithm::Md5, "avx512", 16), 3.2);
        near(of(Core::Zen4, Algorithm::Md5, "avx512-copy-x2", 32), 5.12);
        near(of(Core::Zen4, Algorithm::Sha1, "avx512-copy", 16), 2.72);
        near(of(Core::Zen4, Algorithm::Sha512, "avx512-copy", 8), 0.99);
        near(of(Core::Zen4, Algorithm::Sha1, "avx512", 16), 2.46);
        near(of(Core::Zen4, Algorithm::Sha256, "avx512", 16), 1.21);
        near(of(Core::Zen4, Algorithm::Sha512, "avx512", 8), 0.96);
        near(of(Core::Zen4, Algorithm::Sha256, "avx2", 8), 0.618);
        // Half the lanes of `avx512` in half the time. The limit is then MD5's dependency chain.
        near(of(Core::Zen4, Algorithm::Sha256, "avx512-256", 8), 1.22);
        near(of(Core::Zen4, Algorithm::Md5, "avx512-256-x2", 16), 3.2);
        near(of(Core::GoldenCove, Algorithm::Md5, "avx512-copy-lines-x2", 32), 5.12);
        near(of(Core::GoldenCove, Algorithm::Sha256, "avx512-copy", 16), 1.27);
        near(of(Core::GoldenCove, Algorithm::Sha256, "sha-ni", 1), 0.5);
        near(of(Core::GoldenCove, Algorithm::Sha256, "sha-ni-x4", 4), 64.0 / 96.0);
        near(of(Core::GoldenCove, Algorithm::Sha1, "avx512-256", 8), 1.88);
        near(of(Core::Zen4, Algorithm::Sha256, "sha-ni-x2", 2), 1.0);
        near(of(Core::Zen4, Algorithm::Sha256, "sha-ni-x4", 4), 64.0 / 55.0);
        near(of(Core::Zen4, Algorithm::Sha256, "sha-ni-avx512-x4", 4), 1.71);
        near(of(Core::Zen4, Algorithm::Sha1, "sha-ni-x2", 2), 1.067);
        // A step of MD5 is a chain of four operations, which bounds two groups.
        near(of(Core::Zen5, Algorithm::Md5, "avx512-copy-x2", 32), 4.0);
        near(of(Core::Zen5, Algorithm::Sha1, "avx512-copy", 16), 3.2);
        near(of(Core::Zen5, Algorithm::Sha256, "avx512-copy", 16), 2.0);
        near(of(Core::Zen5, Algorithm::Sha256, "sha-ni-x4", 4), 1.0);
        near(of(Core::Zen5, Algorithm::Sha256, "sha-ni-avx512-x4", 4), 1.0);
    }

    #[test]
    fn what_was_not_counted_has_no_bound() {
        assert_eq!(kernel_bound(Core::Zen3, Algorithm::Md5, "avx512", 16), None);
        assert_eq!(kernel_bound(Core::Zen3, Algorithm::Md5, "avx512-256", 8), None);
        assert_eq!(kernel_bound(Core::Zen3, Algorithm::Md5, "sha-ni", 1), None);
        assert_eq!(kernel_bound(Core::GoldenCove, Algorithm::Md5, "neon", 4), None);
        let hybrid = "sha-ni-avx512-x4";
        assert_eq!(kernel_bound(Core::GoldenCove, Algorithm::Sha256, hybrid, 4), None);
        let kernels: Vec<KernelInfo> = Algorithm::Md5.kernels().collect();
        assert_eq!(Bound::of(None, Algorithm::Md5, &kernels, Some(64)), None);
        assert_eq!(Bound::of(Some(Core::Zen3), Algorithm::Md5, &[], Some(64)), None);
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn messages_are_divided_among_kernels() {
        let kernels: Vec<KernelInfo> = Algorithm::Sha256
            .kernels()
            .filter(|kernel| matches!(kernel.name, "sha-ni" | "sha-ni-x2"))
            .collect();
        let of = |messages| {
            Bound::of(Some(Core::Zen3), Algorithm::Sha256, &kernels, messages)
                .map(|bound| bound.bytes_per_cycle)
                .unwrap()
        };
        assert_eq!(of(Some(1)), 0.5);
        assert_eq!(of(Some(2)), 1.0);
        assert_eq!(of(Some(3)), 0.75);
        assert_eq!(of(None), 1.0);
    }
}
