//! CBC and records beside RustCrypto, NIST's vectors and OpenSSL.

mod cbc;
mod common;
mod openssl;
mod plain;
mod sealer;
mod vectors;
