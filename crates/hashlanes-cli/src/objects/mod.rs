//! Objects in stores, which are named by URLs as files are by paths.

mod below;
mod contents;
mod found;
mod write_back;

use std::io;
use std::num::{NonZeroU16, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use hashlanes_files::Source;
use hashlanes_objects::{Ahead, Location};

pub(crate) use below::{Below, takes};
pub(crate) use contents::{content, contents};
pub(crate) use found::{Contents, Found};
pub(crate) use hashlanes_objects::Remote;
pub(crate) use write_back::{Options as WriteBackOptions, WriteBack};

use crate::options::path;
use crate::terminal::message::say;

/// The stores of a run.
pub(crate) type Stores = Arc<hashlanes_objects::Stores>;

/// How stores are reached. The rest is in the environment, as for the tools of each cloud.
#[derive(clap::Args)]
#[command(next_help_heading = "Objects")]
#[group(id = "stores")]
pub(crate) struct Options {
    /// The address of the store, if it is not that of the cloud provider, as in https://host:9000
    #[arg(long, value_name = "URL")]
    endpoint: Option<String>,

    /// The region of the bucket, for S3
    #[arg(long, value_name = "REGION")]
    region: Option<String>,

    /// Send no credentials, for objects that everybody may read
    #[arg(long)]
    anonymous: bool,

    /// Also trust the certificates in this file (PEM)
    #[arg(long, value_name = "FILE", value_parser = path())]
    ca_certificates: Option<PathBuf>,

    /// Requests in progress at the same time
    #[arg(long, value_name = "N", default_value = "64")]
    requests: NonZeroUsize,

    /// A request fails if no answer arrives within this many seconds, or less than 32 KiB of a
    /// longer one. It is tried three times
    #[arg(long, value_name = "SECONDS", default_value = "30")]
    timeout: NonZeroU16,
}

impl Options {
    pub(crate) fn open(&self) -> Stores {
        let stores = || {
            Arc::new(hashlanes_objects::Stores::new(hashlanes_objects::Options {
                endpoint: self.endpoint.clone(),
                region: self.region.clone(),
                anonymous: self.anonymous,
                certificates: self.ca_certificates.clone(),
                requests: self.requests.get(),
                timeout: Duration::from_secs(self.timeout.get().into()),
                notice: Arc::new(|notice| say(notice)),
            }))
        };
        Arc::clone(STORES.get_or_init(stores))
    }
}

/// The stores of this run.
static STORES: OnceLock<Stores> = OnceLock::new();

/// The object at a URL, to be read at any offset.
pub(crate) fn remote(path: &Path) -> io::Result<Remote> {
    STORES.get_or_init(Stores::default).remote(&Location::of(path)?)
}

/// The same entries. Objects among them are fetched ahead.
pub(crate) fn ahead<S: Source>(source: S, stores: &Stores) -> Ahead<S> {
    Ahead::new(source, Arc::clone(stores))
}
