//! The kinds of stores, with what their requests need.

use object_store::aws::AwsCredentialProvider;
use object_store::azure::AzureCredentialProvider;
use object_store::gcp::GcpCredentialProvider;

pub(super) enum Service {
    S3 { region: String, credentials: Option<AwsCredentialProvider> },
    Gcs { credentials: Option<GcpCredentialProvider> },
    Azure { account: String, credentials: Option<AzureCredentialProvider> },
    Web,
}
