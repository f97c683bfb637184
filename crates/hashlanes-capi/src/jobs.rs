//! Messages of a manager that continue later, each known to C by a number.
//!
//! A number is valid for one use. It consists of the index of a table entry and the entry's
//! *generation*, which increases when the number is used. So numbers that were used before, were
//! made up, or belong to completed messages are recognised.

use crate::error::Error;

/// Messages in progress, at most one for each entry.
pub(crate) struct Jobs<J> {
    entries: Vec<Entry<J>>,
    /// Entries without a message. There is memory for the indices of all entries.
    free: Vec<u32>,
}

struct Entry<J> {
    generation: u32,
    /// The message, if it is in the caller's hands.
    job: Option<J>,
}

/// An entry that belongs to a message, from its first piece to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place(u32);

impl<J> Jobs<J> {
    pub(crate) const fn new() -> Self {
        Self { entries: Vec::new(), free: Vec::new() }
    }

    /// An entry for a new message.
    pub(crate) fn reserve(&mut self) -> Result<Place, Error> {
        if let Some(entry) = self.free.pop() {
            return Ok(Place(entry));
        }
        // The number of an entry plus 1 fits half of a job's number.
        let entry = u32::try_from(self.entries.len()).ok().filter(|&entry| entry < u32::MAX);
        let entry = entry.ok_or(Error::Memory)?;
        self.entries.try_reserve(1).map_err(|_| Error::Memory)?;
        // None is free, so this is memory for one entry more than there are now.
        self.free.try_reserve(self.entries.len() + 1).map_err(|_| Error::Memory)?;
        self.entries.push(Entry { generation: 0, job: None });
        Ok(Place(entry))
    }

    /// Stores a message in its entry. Returns the number by which it can be taken out once.
    pub(crate) fn put(&mut self, place: Place, job: J) -> u64 {
        let entry = &mut self.entries[place.0 as usize];
        entry.job = Some(job);
        u64::from(entry.generation) << 32 | (u64::from(place.0) + 1)
    }

    /// Takes a message out by its number. The entry still belongs to it.
    pub(crate) fn take(&mut self, number: u64) -> Result<(Place, J), Error> {
        let place = (number as u32).checked_sub(1).ok_or(Error::Job)?;
        let entry = self.entries.get_mut(place as usize).ok_or(Error::Job)?;
        if entry.generation != (number >> 32) as u32 {
            return Err(Error::Job);
        }
        let job = entry.job.take().ok_or(Error::Job)?;
        entry.generation = entry.generation.wrapping_add(1);
        Ok((Place(place), job))
    }

    /// Frees the entry of a message that has ended.
    pub(crate) fn release(&mut self, place: Place) {
        self.free.push(place.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_good_for_one_use() {
        let mut jobs = Jobs::new();
        let place = jobs.reserve().unwrap();
        let first = jobs.put(place, 'a');
        assert_eq!(jobs.take(first), Ok((place, 'a')));
        assert_eq!(jobs.take(first), Err(Error::Job));
        let second = jobs.put(place, 'a');
        assert_eq!(jobs.take(first), Err(Error::Job));
        assert_eq!(jobs.take(second), Ok((place, 'a')));
        jobs.release(place);
        assert_eq!(jobs.reserve(), Ok(place), "entries are used again");
        let third = jobs.put(place, 'b');
        assert_eq!(jobs.take(second), Err(Error::Job));
        assert_eq!(jobs.take(third), Ok((place, 'b')));
    }

    #[test]
    fn numbers_that_were_never_given_name_nothing() {
        let mut jobs = Jobs::new();
        let place = jobs.reserve().unwrap();
        let number = jobs.put(place, ());
        for wrong in [0, number + 1, number | 1 << 32, u64::MAX] {
            assert_eq!(jobs.take(wrong), Err(Error::Job), "{wrong:x}");
        }
        assert_eq!(jobs.take(number), Ok((place, ())));
    }
}
