//! The settings for access to stores.

use std::env;
use std::fmt;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};

/// The user's settings for stores. The environment supplies the rest.
#[derive(Clone)]
pub struct Options {
    /// The address of the store, if it is not that of the cloud provider.
    pub endpoint: Option<String>,
    /// The region of the bucket.
    pub region: Option<String>,
    /// Send requests without a signature, as for public buckets.
    pub anonymous: bool,
    /// A file of certificates in PEM that are trusted besides those of the system.
    pub certificates: Option<PathBuf>,
    /// The maximum number of requests in progress.
    pub requests: usize,
    /// A request fails if no answer arrives within this time, or less than 32 KiB of a longer one.
    /// It is tried three times.
    pub timeout: Duration,
    /// Called when the store asks for fewer requests, does not answer, or sends something whose end
    /// cannot be verified.
    pub notice: Arc<dyn Fn(&str) + Send + Sync>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            endpoint: None,
            region: None,
            anonymous: false,
            certificates: None,
            requests: 64,
            timeout: Duration::from_secs(30),
            notice: Arc::new(|_| {}),
        }
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}

impl Options {
    /// The settings for S3, from these options, the environment and the profile.
    pub(crate) fn s3(&self) -> AmazonS3Builder {
        let mut builder = AmazonS3Builder::from_env();
        for (key, name) in PROFILE {
            // Values that come from files end with a newline easily.
            if let Some(value) = builder.get_config_value(&key).or_else(|| profile(name)) {
                builder = builder.with_config(key, value.trim());
            }
        }
        if let Some(endpoint) = &self.endpoint {
            builder = builder.with_config(AmazonS3ConfigKey::S3Endpoint, endpoint);
        }
        if let Some(region) = &self.region {
            builder = builder.with_region(region.trim());
        }
        if self.anonymous {
            builder = builder.with_skip_signature(true);
        }
        builder
    }

    /// The file of certificates, as named by the options or the environment.
    pub(crate) fn certificates(&self) -> Option<PathBuf> {
        let bundle = || env::var_os("AWS_CA_BUNDLE").filter(|bundle| !bundle.is_empty());
        self.certificates.clone().or_else(|| bundle().map(Into::into))
    }
}

/// What is taken from the files of profiles, if the environment has no value.
const PROFILE: [(AmazonS3ConfigKey, &str); 5] = [
    (AmazonS3ConfigKey::AccessKeyId, "aws_access_key_id"),
    (AmazonS3ConfigKey::SecretAccessKey, "aws_secret_access_key"),
    (AmazonS3ConfigKey::Token, "aws_session_token"),
    (AmazonS3ConfigKey::Region, "region"),
    (AmazonS3ConfigKey::Endpoint, "endpoint_url"),
];

/// A value of the profile: that of `AWS_PROFILE`, or the default one.
fn profile(name: &str) -> Option<String> {
    let profile = env::var("AWS_PROFILE").unwrap_or_else(|_| "default".into());
    let home = env::home_dir()?.join(".aws");
    let file = |variable: &str, file: &str| {
        let path = env::var_os(variable).map_or_else(|| home.join(file), PathBuf::from);
        fs::read_to_string(path).unwrap_or_default()
    };
    let credentials = file("AWS_SHARED_CREDENTIALS_FILE", "credentials");
    let config = file("AWS_CONFIG_FILE", "config");
    value(&credentials, &profile, name)
        .or_else(|| value(&config, &format!("profile {profile}"), name))
        .or_else(|| value(&config, &profile, name))
        .map(str::to_owned)
}

/// The value of a name in a section of an INI file.
fn value<'f>(file: &'f str, section: &str, name: &str) -> Option<&'f str> {
    let header = |line: &'f str| line.trim().strip_prefix('[')?.strip_suffix(']').map(str::trim);
    let mut lines = file.lines().skip_while(|line| header(line) != Some(section)).skip(1);
    lines.by_ref().take_while(|line| header(line).is_none()).find_map(|line| {
        let (key, value) = line.split_once('=')?;
        (key.trim() == name).then(|| value.trim())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_has_its_own_section() {
        let file = "[default]\nregion = here\n\n[profile other]\n# region = x\nregion=there\n";
        assert_eq!(value(file, "default", "region"), Some("here"));
        assert_eq!(value(file, "profile other", "region"), Some("there"));
        assert_eq!(value(file, "default", "endpoint_url"), None);
        assert_eq!(value(file, "missing", "region"), None);
    }
}
