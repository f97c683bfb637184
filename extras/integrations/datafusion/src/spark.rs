//! The functions of Spark that crate `datafusion-spark` has.

use std::sync::Arc;

use datafusion_common::Result;
use datafusion_expr::ScalarUDF;
use datafusion_expr::registry::FunctionRegistry;
use datafusion_spark::function::hash;
use hashlanes_arrow::Algorithm;

use crate::replaced::{Choice, replaced};

/// All functions of this module, and [`md5`](crate::md5), which is the same in Spark.
pub fn functions() -> Vec<Arc<ScalarUDF>> {
    vec![crate::md5(), sha1(), sha2()]
}

/// Registers [`functions`]. They replace DataFusion's and those of `datafusion-spark`.
///
/// # Errors
/// If `registry` refuses a function. A `SessionContext` refuses none.
pub fn register_all(registry: &mut dyn FunctionRegistry) -> Result<()> {
    crate::register(registry, functions())
}

/// `sha1(value)`, also called `sha`: the SHA-1 digest of each value, as hexadecimal text.
pub fn sha1() -> Arc<ScalarUDF> {
    replaced(hash::sha1(), Choice::Fixed(Algorithm::Sha1))
}

/// `sha2(value, bit_length)`: the SHA-2 digest of this length of each value, as hexadecimal text.
/// A length of 0 stands for 256, and results are null if there is no SHA-2 of this length.
pub fn sha2() -> Arc<ScalarUDF> {
    replaced(hash::sha2(), Choice::Bits)
}
