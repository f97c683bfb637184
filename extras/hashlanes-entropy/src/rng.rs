//! Implements the traits of `rand_core` for [`Provider`].

use rand_core::{TryCryptoRng, TryRng};

use crate::error::Error;
use crate::provider::Provider;

impl TryRng for Provider {
    type Error = Error;

    fn try_next_u32(&mut self) -> Result<u32, Error> {
        self.bytes().map(u32::from_ne_bytes)
    }

    fn try_next_u64(&mut self) -> Result<u64, Error> {
        self.bytes().map(u64::from_ne_bytes)
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Error> {
        self.fill(bytes).map(drop)
    }
}

impl TryCryptoRng for Provider {}
