//! One regular file.

use super::{Content, ReadError, RegularFile};

impl Content for RegularFile {
    fn length(&self) -> u64 {
        self.stamp().size
    }

    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> Result<(), ReadError> {
        Ok(RegularFile::read_exact_at(self, buffer, offset)?)
    }
}
