//! How much memory is available.

/// Bytes of memory that can be used without swapping, where the system reports it: on Linux.
pub(crate) fn memory_available() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn memory_is_told() {
        assert!(memory_available().is_some_and(|bytes| bytes > 1 << 20));
    }
}
