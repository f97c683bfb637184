//! The servers that the tests know.

/// A server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Moto,
    Nginx,
    VersityGw,
    S3sFs,
    Azurite,
    FakeGcs,
}

impl Kind {
    /// Those that install in seconds.
    pub(super) const QUICK: [Self; 2] = [Self::Nginx, Self::Moto];
    /// All, with the server of S3 that knows most last.
    pub(super) const ALL: [Self; 6] =
        [Self::Nginx, Self::Moto, Self::Azurite, Self::FakeGcs, Self::S3sFs, Self::VersityGw];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Moto => "moto",
            Self::Nginx => "nginx",
            Self::VersityGw => "versitygw",
            Self::S3sFs => "s3s-fs",
            Self::Azurite => "azurite",
            Self::FakeGcs => "fake-gcs-server",
        }
    }
}
