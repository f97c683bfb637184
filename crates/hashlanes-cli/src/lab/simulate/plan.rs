//! What a run does: the chunks of each producer, and the CPUs of the threads.

use hashlanes::Algorithm;

/// What to run.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Plan {
    pub(super) algorithm: Algorithm,
    pub(super) producers: usize,
    /// Bytes per second of each producer. `None` is unlimited.
    pub(super) speed: Option<u64>,
    pub(super) chunk: usize,
    pub(super) total: u64,
    /// Chunks per producer.
    pub(super) buffers: usize,
    pub(super) consumers: usize,
    /// Whether all chunks of a producer are one message, hashed through a `HashServer`. Otherwise
    /// each chunk is a message.
    pub(super) stream: bool,
    pub(super) verify: bool,
    /// CPUs to run on. If empty, the operating system chooses.
    pub(super) pin: Vec<usize>,
}

impl Plan {
    /// The number of chunks to hash.
    pub(super) fn chunks(&self) -> u64 {
        self.total.div_ceil(self.chunk as u64)
    }

    /// Bytes of chunk `number`. The last one may be short.
    pub(super) fn length(&self, number: u64) -> usize {
        (self.total - number * self.chunk as u64).min(self.chunk as u64) as usize
    }

    /// The chunks of producer `p`. Producers get them in turn.
    pub(super) fn chunks_of(&self, p: usize) -> impl Iterator<Item = u64> {
        (p as u64..self.chunks()).step_by(self.producers)
    }

    /// The length of the longest chunk.
    pub(super) fn longest(&self) -> usize {
        self.length(0)
    }

    /// Each consumer gets one of the first CPUs.
    pub(super) fn cpu_of_consumer(&self, c: usize) -> Option<usize> {
        self.pin.get(c).copied()
    }

    /// The producers share the other CPUs, or all if there are no others.
    pub(super) fn cpu_of_producer(&self, p: usize) -> Option<usize> {
        let rest =
            self.pin.get(self.consumers..).filter(|rest| !rest.is_empty()).unwrap_or(&self.pin);
        (!rest.is_empty()).then(|| rest[p % rest.len()])
    }
}

/// Why a run has no results.
#[derive(Debug)]
pub(super) enum Failure {
    /// A digest differs from the reference.
    Wrong(String),
    /// The system has no memory for a chunk of this length.
    Memory(usize),
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Three producers of chunks of 1,000 bytes.
    pub(in crate::lab::simulate) fn plan() -> Plan {
        Plan {
            algorithm: Algorithm::Sha1,
            producers: 3,
            speed: None,
            chunk: 1000,
            total: 7500,
            buffers: 1,
            consumers: 1,
            stream: false,
            verify: true,
            pin: Vec::new(),
        }
    }

    #[test]
    fn consumers_have_the_first_cpus_and_producers_the_rest() {
        let plan = |pin: &[usize], consumers| Plan { pin: pin.to_vec(), consumers, ..plan() };
        let two = plan(&[4, 5, 6, 7], 2);
        assert_eq!(
            (two.cpu_of_consumer(1), two.cpu_of_producer(0), two.cpu_of_producer(3)),
            (Some(5), Some(6), Some(7))
        );
        let one = plan(&[4], 1);
        assert_eq!((one.cpu_of_consumer(0), one.cpu_of_producer(2)), (Some(4), Some(4)));
        assert_eq!(plan(&[], 1).cpu_of_producer(0), None);
    }
}
