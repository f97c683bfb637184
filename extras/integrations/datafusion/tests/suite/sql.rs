//! Our functions in statements, beside the engine's own.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, StringArray};
use datafusion::arrow::datatypes::DataType;

use crate::engine::Engine;

fn column() -> ArrayRef {
    Arc::new(StringArray::from(vec![Some("a"), None, Some("b"), Some("a")]))
}

fn ours() -> Engine {
    Engine::plain_spark().replaced().with_table(&column())
}

fn theirs() -> Engine {
    Engine::plain_spark().with_table(&column())
}

const STATEMENTS: [&str; 7] = [
    "SELECT md5('abc'), sha256('abc'), digest('abc', 'sha512'), digest('abc', 'blake3')",
    "SELECT sha1('abc'), sha2('abc', 256), sha2(x, 128), sha('abc') FROM t",
    "SELECT md5(x) || md5(x) AS twice, sha224(x), sha384(x) FROM t WHERE sha224(x) = sha224('a')",
    "SELECT count(DISTINCT md5(x)) AS n FROM t",
    "SELECT md5(x) AS d, count(*) AS n FROM t GROUP BY 1 ORDER BY 1",
    "SELECT count(*) AS n FROM t AS a JOIN t AS b ON sha256(a.x) = digest(b.x, 'sha256')",
    "SELECT x, sha2(x, n) AS d FROM t CROSS JOIN (VALUES (0), (224), (256), (384), (512), (5)) \
     AS bits(n) ORDER BY x, d",
];

#[test]
fn results_and_plans_are_the_engines() {
    let (ours, theirs) = (ours(), theirs());
    for statement in STATEMENTS {
        assert_eq!(ours.sql(statement).unwrap(), theirs.sql(statement).unwrap(), "{statement}");
        assert_eq!(ours.plans(statement), theirs.plans(statement));
    }
}

#[test]
fn constants_are_hashed_when_planning() {
    let statement = "SELECT md5('abc'), sha1('abc', hex => false), digest_rows('a', 1, 'md5')";
    let [logical, physical] = ours().plans(&format!("{statement} FROM t"));
    assert!(logical.contains("900150983cd24fb0d6963f7d28e17f72"), "{logical}");
    for function in ["md5(", "sha1(", "digest_rows("] {
        // The call remains as the column's name.
        let names = physical.matches(&format!(" as {function}")).count();
        assert_eq!(physical.matches(function).count(), names, "{physical}");
    }
}

#[test]
fn equal_calls_are_computed_once() {
    let [_, physical] = ours().plans("SELECT md5(x) || 'a', md5(x) || 'b' FROM t");
    assert_eq!(physical.matches("md5(x").count(), 1, "{physical}");
}

/// Each pair consists of calls with equal results.
#[test]
fn digests_are_text_or_bytes() {
    let ours = ours();
    for [one, other] in [
        ["md5(x, hex => true)", "md5(x)"],
        ["md5(x, hex => false)", "digest(x, 'md5')"],
        ["md5(x, false)", "digest(x, 'md5', hex => false)"],
        ["digest(x, 'md5', hex => true)", "md5(x)"],
        ["digest(hex => true, algorithm => 'md5', expression => x)", "md5(x)"],
        ["arrow_cast(sha256(x, hex => true), 'Utf8')", "sha2(x, 256)"],
        ["sha256(x)", "sha2(x, 256, hex => false)"],
        ["sha384(x, hex => false)", "sha2(x, 384, hex => false)"],
        ["sha1(x)", "encode(sha1(x, hex => false), 'hex')"],
        ["md5('abc', hex => false)", "digest('abc', 'md5')"],
        ["decode(digest(x, 'blake3', hex => true), 'hex')", "digest(x, 'blake3')"],
    ] {
        let result = ours.sql(&format!("SELECT {one}, {other} FROM t")).unwrap();
        assert_eq!(result.column(0), result.column(1), "{one}, {other}");
    }
    let result = ours.sql("SELECT sha256(x, hex => true), md5(NULL, hex => false) FROM t").unwrap();
    assert_eq!(result.column(0).data_type(), &DataType::Utf8View);
    assert_eq!(result.column(0).logical_null_count(), 1);
    assert_eq!(result.column(1).as_binary::<i32>().null_count(), 4);
}

#[test]
fn hex_is_a_constant_and_needs_an_algorithm() {
    let ours = ours();
    for (call, message) in [
        ("md5(x, hex => x = 'a')", "md5: hex has to be true or false"),
        ("md5(x, hex => NULL)", "md5: hex has to be true or false"),
        ("digest(x, x, hex => true)", "digest: hex needs one algorithm for all rows"),
        ("sha2(x, 128, hex => true)", "sha2: hex needs one algorithm for all rows"),
        ("sha2(x, length(x), hex => true)", "sha2: hex needs one algorithm for all rows"),
    ] {
        let error = ours.sql(&format!("SELECT {call} FROM t")).unwrap_err().to_string();
        assert!(error.contains(message), "{call}: {error}");
    }
}

#[test]
fn rows_of_a_table() {
    let result = ours()
        .sql("SELECT digest_rows(x, 5, 'md5'), digest_rows('a', 5, 'md5') FROM t WHERE x = 'a'")
        .unwrap();
    assert_eq!(result.num_rows(), 2);
    assert_eq!(result.column(0), result.column(1));
    let error = ours().sql("EXPLAIN SELECT digest_rows(x, 'md6') FROM t").unwrap_err();
    assert!(error.to_string().contains("unknown algorithm 'md6'"), "{error}");
}
