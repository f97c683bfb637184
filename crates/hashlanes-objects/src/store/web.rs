//! Files of plain HTTP servers.

use std::io;

use super::service::Service;
use crate::Location;

pub(super) fn open(location: &Location) -> (Service, String) {
    let url = location.with_key("").to_string();
    (Service::Web, url.trim_end_matches('/').to_owned())
}

pub(super) fn no_listing() -> io::Error {
    let why = "HTTP has no listings: name the files, or give them with --files-from";
    io::Error::new(io::ErrorKind::Unsupported, why)
}
