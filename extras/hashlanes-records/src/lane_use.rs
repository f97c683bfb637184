//! How lanes were used: which kernels ran, and how full they were.

use std::fmt;

/// What one kernel did in one call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct KernelUse {
    /// The kernel's name.
    pub kernel: &'static str,
    /// Buffers that it encrypts side by side.
    pub lanes: usize,
    /// Blocks of buffers that it encrypted.
    pub blocks: u64,
    /// Blocks that all its lanes encrypted, including idle ones.
    pub lane_blocks: u64,
}

/// Which kernels ran, and how full their lanes were. It shows without a profiler whether buffers
/// were encrypted side by side.
///
/// Its text is the kernel that did most of the work, and the share of lanes that were filled:
/// `vaes256-x8, 100 % of lanes`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LaneUse {
    kernels: Vec<KernelUse>,
}

impl LaneUse {
    /// The kernels that ran, in the order in which they first did.
    pub fn kernels(&self) -> &[KernelUse] {
        &self.kernels
    }

    /// The kernel that encrypted the most blocks. `None` if there was nothing to encrypt.
    pub fn main_kernel(&self) -> Option<&'static str> {
        Some(self.kernels.iter().max_by_key(|used| used.blocks)?.kernel)
    }

    /// Blocks of buffers that were encrypted.
    pub fn blocks(&self) -> u64 {
        self.kernels.iter().map(|used| used.blocks).sum()
    }

    /// Blocks that all lanes together encrypted, including idle ones.
    pub fn lane_blocks(&self) -> u64 {
        self.kernels.iter().map(|used| used.lane_blocks).sum()
    }

    /// The share of lanes that had a buffer, from 0 to 1. It is 1 if there was nothing to encrypt.
    pub fn filled(&self) -> f64 {
        match self.lane_blocks() {
            0 => 1.0,
            all => self.blocks() as f64 / all as f64,
        }
    }

    /// Adds the use in another call.
    pub fn add(&mut self, other: &Self) {
        for used in &other.kernels {
            self.count(used.kernel, used.lanes, used.blocks, used.lane_blocks);
        }
    }

    pub(crate) fn count(
        &mut self,
        kernel: &'static str,
        lanes: usize,
        blocks: u64,
        lane_blocks: u64,
    ) {
        let known = self.kernels.iter().position(|used| used.kernel == kernel);
        let place = known.unwrap_or_else(|| {
            self.kernels.push(KernelUse { kernel, lanes, blocks: 0, lane_blocks: 0 });
            self.kernels.len() - 1
        });
        self.kernels[place].blocks += blocks;
        self.kernels[place].lane_blocks += lane_blocks;
    }
}

impl fmt::Display for LaneUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.main_kernel() {
            Some(kernel) => write!(f, "{kernel}, {:.0} % of lanes", 100.0 * self.filled()),
            None => f.write_str("nothing"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uses_of_one_kernel_add_up() {
        let mut first = LaneUse::default();
        assert_eq!((first.filled(), first.main_kernel()), (1.0, None));
        first.count("wide", 8, 12, 16);
        let mut second = LaneUse::default();
        second.count("narrow", 1, 4, 4);
        second.count("wide", 8, 8, 12);
        first.add(&second);
        assert_eq!((first.kernels().len(), first.blocks(), first.lane_blocks()), (2, 24, 32));
        assert_eq!(first.to_string(), "wide, 75 % of lanes");
    }
}
