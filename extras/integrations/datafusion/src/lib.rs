#![doc = include_str!("../README.md")]
#![deny(missing_docs)]

mod columns;
mod constants;
mod replaced;
mod rows;
#[cfg(feature = "spark")]
pub mod spark;

use std::sync::Arc;

use datafusion_common::Result;
use datafusion_expr::ScalarUDF;
use datafusion_expr::registry::FunctionRegistry;
use datafusion_functions::crypto;
use hashlanes_arrow::Algorithm;

use self::replaced::{Choice, replaced};

/// All functions of this module.
pub fn functions() -> Vec<Arc<ScalarUDF>> {
    vec![digest(), digest_rows(), md5(), sha224(), sha256(), sha384(), sha512()]
}

/// Registers [`functions`]. They replace DataFusion's of the same names.
///
/// # Errors
/// If `registry` refuses a function. A `SessionContext` refuses none.
pub fn register_all(registry: &mut dyn FunctionRegistry) -> Result<()> {
    register(registry, functions())
}

fn register(registry: &mut dyn FunctionRegistry, functions: Vec<Arc<ScalarUDF>>) -> Result<()> {
    functions.into_iter().try_for_each(|function| registry.register_udf(function).map(drop))
}

/// `digest(value, algorithm)`: the digest of each value, as bytes.
pub fn digest() -> Arc<ScalarUDF> {
    replaced(crypto::digest(), Choice::Name)
}

/// `digest_rows(value, .., algorithm)`: the digest of each row of these columns, as bytes.
pub fn digest_rows() -> Arc<ScalarUDF> {
    Arc::new(ScalarUDF::new_from_impl(rows::DigestRows::new()))
}

/// `md5(value)`: the MD5 digest of each value, as hexadecimal text.
pub fn md5() -> Arc<ScalarUDF> {
    replaced(crypto::md5(), Choice::Fixed(Algorithm::Md5))
}

/// `sha224(value)`: the SHA-224 digest of each value, as bytes.
pub fn sha224() -> Arc<ScalarUDF> {
    replaced(crypto::sha224(), Choice::Fixed(Algorithm::Sha224))
}

/// `sha256(value)`: the SHA-256 digest of each value, as bytes.
pub fn sha256() -> Arc<ScalarUDF> {
    replaced(crypto::sha256(), Choice::Fixed(Algorithm::Sha256))
}

/// `sha384(value)`: the SHA-384 digest of each value, as bytes.
pub fn sha384() -> Arc<ScalarUDF> {
    replaced(crypto::sha384(), Choice::Fixed(Algorithm::Sha384))
}

/// `sha512(value)`: the SHA-512 digest of each value, as bytes.
pub fn sha512() -> Arc<ScalarUDF> {
    replaced(crypto::sha512(), Choice::Fixed(Algorithm::Sha512))
}
