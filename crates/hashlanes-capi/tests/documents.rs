//! The programs of the documents and examples.
