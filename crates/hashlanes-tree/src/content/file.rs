//! One regular file.

use super::{Content, Medium, ReadError, RegularFile};

impl Content for RegularFile {
    fn length(&self) -> u64 {
        self.stamp().size
    }

    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> Result<(), ReadError> {
        Ok(RegularFile::read_exact_at(self, buffer, offset)?)
    }

    fn medium(&self) -> Medium {
        match self.is_in_memory() {
            true => Medium::Memory,
            false if self.is_rotational() => Medium::RotationalDisk,
            false => Medium::Other,
        }
    }
}
