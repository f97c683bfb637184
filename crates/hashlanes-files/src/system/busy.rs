//! Measures how long a thread has been busy.

use std::time::Duration;

/// How long a thread has run, or would have run if a core had been free. Linux only.
pub(crate) struct BusyTime {
    #[cfg(target_os = "linux")]
    file: Option<std::fs::File>,
}

impl BusyTime {
    /// The busy time of the thread that calls this, even if another thread reads it later.
    #[cfg(target_os = "linux")]
    pub(crate) fn of_this_thread() -> Self {
        Self { file: std::fs::File::open("/proc/thread-self/schedstat").ok() }
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn of_this_thread() -> Self {
        Self {}
    }

    /// The first two numbers of the file are the nanoseconds that the thread has run, and waited
    /// for a core.
    #[cfg(target_os = "linux")]
    pub(crate) fn get(&self) -> Option<Duration> {
        let mut text = [0; 64];
        let length = super::read_at(self.file.as_ref()?, &mut text, 0).ok()?;
        let text = str::from_utf8(&text[..length]).ok()?;
        let mut numbers = text.split_whitespace().map_while(|number| number.parse::<u64>().ok());
        Some(Duration::from_nanos(numbers.next()? + numbers.next()?))
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn get(&self) -> Option<Duration> {
        None
    }
}
