//! Statistics of a server, for its operator.

use std::vec::Vec;

use super::function::Served;
use super::sync::{AtomicU64, Ordering};
use crate::kernel::MAX_ROWS;

/// What a [`HashServer`](super::HashServer) has done so far.
///
/// A hasher reports what it hashes without peers from time to time, and at the end of a message. So
/// the figures lag slightly.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ServerStats {
    /// Digests returned.
    pub messages: u64,
    /// Bytes hashed, side by side or singly.
    pub bytes: u64,
    /// The part of these bytes that was hashed side by side with other messages.
    pub bytes_shared: u64,
    /// Rounds in which two or more messages were hashed side by side.
    pub rounds: u64,
    /// The average number of lanes in use: the bytes hashed in rounds, divided by the bytes of the
    /// longest message of each round. If a round had more messages than lanes, the busiest lane
    /// counts instead of the longest message. 0 if there was no round.
    pub mean_lanes: f64,
    /// How many messages fill the lanes of the best kernel. 1 if sharing lanes gains nothing on
    /// this CPU.
    pub full_lanes: usize,
    /// Hashers that exist.
    pub hashers: usize,
    /// Messages that wait for a round with bytes to hash.
    pub waiting: usize,
    /// The kernels that ran.
    pub kernels: Vec<KernelUse>,
}

/// A kernel's part in the work of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KernelUse {
    /// Its name.
    pub kernel: &'static str,
    /// Bytes of the rounds that began in it. A round may continue in narrower kernels after some of
    /// its messages have ended.
    pub bytes: u64,
    /// Rounds that began in it.
    pub rounds: u64,
}

/// The counters behind [`ServerStats`].
#[derive(Default)]
pub(super) struct Counters {
    messages: AtomicU64,
    bytes_single: AtomicU64,
    bytes_shared: AtomicU64,
    /// The bytes of the longest message, or of the busiest lane, summed over all rounds.
    bytes_longest: AtomicU64,
    kernel_bytes: [AtomicU64; MAX_ROWS],
    kernel_rounds: [AtomicU64; MAX_ROWS],
}

impl Counters {
    /// A digest was returned.
    pub(super) fn message(&self) {
        self.messages.fetch_add(1, Ordering::Relaxed);
    }

    /// Bytes hashed so far.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes_single.load(Ordering::Relaxed) + self.bytes_shared.load(Ordering::Relaxed)
    }

    /// Bytes were hashed without peers.
    pub(super) fn single(&self, bytes: u64) {
        self.bytes_single.fetch_add(bytes, Ordering::Relaxed);
    }

    /// A round ended that began in row `row`.
    pub(super) fn round(&self, row: usize, bytes: u64, longest: u64) {
        self.bytes_shared.fetch_add(bytes, Ordering::Relaxed);
        self.bytes_longest.fetch_add(longest, Ordering::Relaxed);
        self.kernel_bytes[row].fetch_add(bytes, Ordering::Relaxed);
        self.kernel_rounds[row].fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn stats(
        &self,
        function: &dyn Served,
        single_row: usize,
        full_lanes: usize,
    ) -> ServerStats {
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let (single, shared, longest) =
            (get(&self.bytes_single), get(&self.bytes_shared), get(&self.bytes_longest));
        let rows = (0..MAX_ROWS).map_while(|row| Some((row, function.kernel(row)?.0)));
        let uses = rows.clone().map(|(row, kernel)| KernelUse {
            kernel,
            bytes: get(&self.kernel_bytes[row]) + if row == single_row { single } else { 0 },
            rounds: get(&self.kernel_rounds[row]),
        });
        // One allocation, whose size callers can rely on.
        let mut kernels = Vec::with_capacity(rows.count());
        kernels.extend(uses.filter(|kernel| kernel.bytes > 0));
        ServerStats {
            messages: get(&self.messages),
            bytes: single + shared,
            bytes_shared: shared,
            rounds: self.kernel_rounds.iter().map(get).sum(),
            mean_lanes: if longest == 0 { 0.0 } else { shared as f64 / longest as f64 },
            full_lanes,
            hashers: 0,
            waiting: 0,
            kernels,
        }
    }
}

#[cfg(all(test, feature = "all", not(loom)))]
mod tests {
    use super::*;
    use crate::Md5;
    use crate::family::md5::Md5Family;
    use crate::kernel::Kernels;
    use crate::server::function::served;

    #[test]
    fn bytes_without_peers_belong_to_the_kernel_for_one_message() {
        let counters = Counters::default();
        counters.single(10);
        counters.round(0, 30, 20);
        counters.round(1, 8, 4);
        let stats = counters.stats(&*served(Md5), 0, 8);
        let used =
            |row: usize, bytes| KernelUse { kernel: Md5Family::TABLE[row].name, bytes, rounds: 1 };
        assert_eq!(stats.kernels, [used(0, 40), used(1, 8)]);
        assert_eq!((stats.bytes, stats.bytes_shared, stats.rounds), (48, 38, 2));
        assert_eq!((stats.mean_lanes, stats.full_lanes), (38.0 / 24.0, 8));
    }
}
