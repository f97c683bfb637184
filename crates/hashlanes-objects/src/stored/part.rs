//! The size of an object's parts.

use http::HeaderMap;

use super::fact::Known;

/// The query of a `HEAD` request for the first part of an object of S3.
pub const FIRST_PART: &str = "partNumber=1";

impl Known {
    /// Takes the size of the parts from the response to [`FIRST_PART`]. If the store does not
    /// report it, nothing changes, and the usual sizes are tried.
    pub fn set_first_part(&mut self, headers: &HeaderMap) {
        let number = |name: &str| headers.get(name)?.to_str().ok()?.parse::<u64>().ok();
        let told = number("content-length").zip(number("x-amz-mp-parts-count"));
        let fits = |&(bytes, parts): &(u64, u64)| {
            bytes > 0 && self.size.is_none_or(|size| size.div_ceil(bytes) == parts)
        };
        if let Some((bytes, parts)) = told.filter(fits) {
            self.set_part(bytes, parts);
        }
    }
}

#[cfg(test)]
mod tests {
    use hashlanes::Algorithm;
    use hashlanes_files::Digest;

    use super::super::{By, Fact, Of};
    use super::*;

    /// What is known of an object of 20 bytes in 3 parts after such a response.
    fn size(length: &str, parts: &str) -> Option<u64> {
        let of = Of::Parts { function: Algorithm::Md5.into(), count: 3, size: None };
        let digest = Digest::from_slice(&[7; 16]).unwrap();
        let facts = vec![Fact { of, digest, by: By::Etag }];
        let mut known = Known { size: Some(20), facts, encrypted: false };
        let mut headers = HeaderMap::new();
        headers.insert("content-length", length.parse().unwrap());
        headers.insert("x-amz-mp-parts-count", parts.parse().unwrap());
        known.set_first_part(&headers);
        match known.facts[0].of {
            Of::Parts { size, .. } => size,
            Of::Whole(_) => None,
        }
    }

    #[test]
    fn the_first_part_gives_the_size_if_it_fits() {
        assert_eq!(size("8", "3"), Some(8));
        // The number of parts is another, or the length is that of the object.
        for (length, parts) in [("8", "2"), ("20", "3"), ("0", "3"), ("x", "3"), ("8", "")] {
            assert_eq!(size(length, parts), None, "{length} {parts}");
        }
    }
}
