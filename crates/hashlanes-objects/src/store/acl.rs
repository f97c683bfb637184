//! Access control lists of S3.

use serde::Deserialize;

use super::page::{Unreadable, unreadable};

#[derive(Deserialize)]
enum Document {
    AccessControlPolicy(Policy),
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Policy {
    owner: Identity,
    access_control_list: Grants,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Grants {
    #[serde(default)]
    grant: Vec<Grant>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Grant {
    grantee: Identity,
    permission: String,
}

/// An account. Groups have no ID.
#[derive(Deserialize, PartialEq, Eq)]
struct Identity {
    #[serde(rename = "ID")]
    id: Option<String>,
}

/// Whether a list is the one that new objects get: its owner may do all, and nobody else anything.
pub(super) fn is_default(body: &[u8]) -> Result<bool, Unreadable> {
    let Document::AccessControlPolicy(policy) =
        quick_xml::de::from_reader(body).map_err(unreadable)?;
    Ok(match &policy.access_control_list.grant[..] {
        [only] => {
            only.permission == "FULL_CONTROL"
                && only.grantee.id.is_some()
                && only.grantee == policy.owner
        }
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(grants: &[(&str, &str)]) -> bool {
        let grant = |(grantee, permission): &(&str, &str)| {
            format!(
                "<Grant><Grantee xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" \
                 xsi:type=\"T\">{grantee}</Grantee><Permission>{permission}</Permission></Grant>"
            )
        };
        let grants: String = grants.iter().map(grant).collect();
        let body = format!(
            "<?xml version=\"1.0\"?><AccessControlPolicy><Owner><ID>me</ID><DisplayName/></Owner>\
             <AccessControlList>{grants}</AccessControlList></AccessControlPolicy>"
        );
        is_default(body.as_bytes()).unwrap_or_else(|why| panic!("{why}"))
    }

    #[test]
    fn only_the_list_of_a_new_object_is_the_default() {
        let (me, all) = ("<ID>me</ID><DisplayName>m</DisplayName>", "<URI>AllUsers</URI>");
        assert!(list(&[(me, "FULL_CONTROL")]));
        for other in [
            &[(me, "FULL_CONTROL"), (all, "READ")][..],
            &[(me, "READ")],
            &[("<ID>you</ID>", "FULL_CONTROL")],
            &[(all, "FULL_CONTROL")],
            &[],
        ] {
            assert!(!list(other), "{other:?}");
        }
        assert!(is_default(b"<Error><Code>AccessDenied</Code></Error>").is_err());
    }
}
