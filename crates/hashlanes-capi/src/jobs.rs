//! Unfinished messages of a manager, which C identifies by numbers.
//!
//! A number can be used once. It consists of an index into a table and the entry's *generation*,
//! which is incremented when the number is used. So a number is rejected if it is used twice, is
//! made up, or belongs to a message that has ended.

use hashlanes::hazmat::wipe::WipedVec;

use crate::error::Error;

/// Unfinished messages, at most one for each entry.
pub(crate) struct Jobs<J> {
    entries: Vec<Entry>,
    /// The messages that the caller may continue now, with their entries. Where one is taken out,
    /// no copy is left. The capacity suffices for all entries, so [`Self::put`] cannot fail.
    ready: WipedVec<(J, Place)>,
    /// Unused entries. The capacity suffices for all entries, so [`Self::release`] cannot fail.
    free: Vec<u32>,
}

struct Entry {
    generation: u32,
    /// Where the message is in `ready`, if the caller may continue it now.
    at: Option<u32>,
}

/// The entry of a message, from its first piece to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place(u32);

impl<J> Jobs<J> {
    pub(crate) const fn new() -> Self {
        Self { entries: Vec::new(), ready: WipedVec::new(), free: Vec::new() }
    }

    /// An entry for a new message.
    pub(crate) fn reserve(&mut self) -> Result<Place, Error> {
        if let Some(entry) = self.free.pop() {
            return Ok(Place(entry));
        }
        // The index plus 1 must fit the lower half of a job's number.
        let entry = u32::try_from(self.entries.len()).ok().filter(|&entry| entry < u32::MAX);
        let entry = entry.ok_or(Error::Memory)?;
        self.entries.try_reserve(1).map_err(|_| Error::Memory)?;
        // `free` is empty, so this makes room for all entries including the new one.
        self.free.try_reserve(self.entries.len() + 1).map_err(|_| Error::Memory)?;
        let all = self.entries.capacity();
        self.ready.try_reserve_all(all).map_err(|_| Error::Memory)?;
        self.entries.push(Entry { generation: 0, at: None });
        Ok(Place(entry))
    }

    /// Puts a message into its entry. Returns the number with which it can be taken out once.
    pub(crate) fn put(&mut self, place: Place, job: J) -> u64 {
        let entry = &mut self.entries[place.0 as usize];
        // Fewer than there are entries.
        entry.at = Some(self.ready.len() as u32);
        self.ready.push((job, place));
        u64::from(entry.generation) << 32 | (u64::from(place.0) + 1)
    }

    /// Takes a message out by its number. The entry still belongs to it.
    pub(crate) fn take(&mut self, number: u64) -> Result<(Place, J), Error> {
        let index = (number as u32).checked_sub(1).ok_or(Error::Job)?;
        let entry = self.entries.get_mut(index as usize).ok_or(Error::Job)?;
        if entry.generation != (number >> 32) as u32 {
            return Err(Error::Job);
        }
        let at = entry.at.take().ok_or(Error::Job)?;
        entry.generation = entry.generation.wrapping_add(1);
        let (job, place) = self.ready.swap_remove(at as usize);
        if let Some((_, moved)) = self.ready.get(at as usize) {
            self.entries[moved.0 as usize].at = Some(at);
        }
        Ok((place, job))
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
    fn any_message_can_be_taken_out_first() {
        let mut jobs = Jobs::new();
        let places = [(); 9].map(|()| jobs.reserve().unwrap());
        for order in [[0, 4, 8, 1, 7, 2, 3, 6, 5], [8, 7, 6, 5, 4, 3, 2, 1, 0]] {
            let numbers = [0, 1, 2, 3, 4, 5, 6, 7, 8].map(|i| jobs.put(places[i], i));
            for i in order {
                assert_eq!(jobs.take(numbers[i]), Ok((places[i], i)));
                assert_eq!(jobs.take(numbers[i]), Err(Error::Job));
            }
        }
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
