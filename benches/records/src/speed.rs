//! `openssl speed`, which inherits the core that this program is pinned to.

use std::process::Command;

use anyhow::{Context, Result, ensure};

/// Bytes per second of CPU time.
pub(crate) fn run(arguments: &[&str], seconds: u32) -> Result<f64> {
    let output = Command::new("openssl")
        .args(["speed", "-mr", "-seconds", &seconds.to_string()])
        .args(arguments)
        .output()
        .context("cannot start openssl")?;
    ensure!(output.status.success(), "openssl speed {arguments:?}: {}", output.status);
    let text = String::from_utf8_lossy(&output.stdout);
    result(&text).with_context(|| format!("openssl speed {arguments:?} said {text:?}"))
}

/// The last figure of the line `+F:NUMBER:NAME:BYTES PER SECOND`.
fn result(text: &str) -> Option<f64> {
    let line = text.lines().find(|line| line.starts_with("+F:"))?;
    line.rsplit(':').next()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::result;

    #[test]
    fn the_last_figure_is_read() {
        let text = "+H:8192:16384\n+F:25:AES-128-CBC-HMAC-SHA1:1362563657.14:1938692151.35\n";
        assert_eq!(result(text), Some(1938692151.35));
        assert_eq!(result("+H:16384\n"), None);
        assert_eq!(result("+F:25:AES\n"), None);
    }
}
