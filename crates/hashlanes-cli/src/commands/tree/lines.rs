//! Writes the output lines.

use std::io;
use std::path::Path;

use hashlanes_files::manifest::write_json_name;
use hashlanes_files::name::{escape, needs_escape};
use hashlanes_files::system;
use hashlanes_tree::merkle::{Domain, Tree};
use hashlanes_tree::{Finished, Format, InclusionProof};

use super::one::Digests;
use crate::terminal::output::Output;
use crate::url::public_name;

/// The form of a line.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// `DIGEST  NAME`.
    Plain,
    /// `TAG (NAME) = DIGEST`.
    Tagged,
    Json,
    /// An object for each proof.
    Proofs,
}

/// Writes lines.
pub(super) struct Lines {
    pub(super) style: Style,
    pub(super) zero: bool,
    pub(super) output: Output,
}

impl Lines {
    /// Writes the lines for a file. Returns the indices of leaves to prove that it does not have.
    pub(super) fn file(
        &mut self,
        path: &Path,
        formats: &[Format],
        prove: &[u64],
        digests: &Digests,
    ) -> io::Result<Vec<u64>> {
        let name = system::name(path);
        let name = public_name(&name);
        let mut missing = Vec::new();
        for (format, finished) in formats.iter().zip(&digests.finished) {
            match (self.style, format) {
                (Style::Proofs, Format::Merkle(tree)) => {
                    let proofs = finished.root.iter().flat_map(|root| &root.proofs);
                    let mut proofs = proofs.cloned();
                    for &index in prove {
                        match proofs.next().flatten() {
                            Some(proof) => self.proof(&name, tree, &proof, finished)?,
                            None => missing.push(index),
                        }
                    }
                }
                (Style::Json, _) => self.object(&name, format, digests.length, finished)?,
                _ => self.text(&name, &format.tag(), &finished.text)?,
            }
        }
        Ok(missing)
    }

    /// A line of text.
    pub(super) fn text(&mut self, name: &[u8], tag: &str, digest: &str) -> io::Result<()> {
        let Self { style, zero, output } = self;
        output.line(|line| {
            let mut escaped = name.to_vec();
            if !*zero && needs_escape(name) {
                line.push(b'\\');
                escaped.clear();
                escape(name, &mut escaped);
            }
            match style {
                Style::Tagged => {
                    line.extend(tag.bytes());
                    line.extend(b" (");
                    line.extend(escaped);
                    line.extend(b") = ");
                    line.extend(digest.bytes());
                }
                _ => {
                    line.extend(digest.bytes());
                    line.extend(b"  ");
                    line.extend(escaped);
                }
            }
            line.push(if *zero { 0 } else { b'\n' });
        })
    }

    fn object(
        &mut self,
        name: &[u8],
        format: &Format,
        length: u64,
        finished: &Finished,
    ) -> io::Result<()> {
        self.output.line(|line| {
            line.push(b'{');
            write_json_name(line, "path", name);
            line.extend(format!(",\"size\":{length}").bytes());
            line.extend(parameters(format).bytes());
            line.extend(format!(",\"digest\":\"{}\"}}\n", finished.text).bytes());
        })
    }

    fn proof(
        &mut self,
        name: &[u8],
        tree: &Tree,
        proof: &InclusionProof,
        finished: &Finished,
    ) -> io::Result<()> {
        let nodes: Vec<String> = proof.path.iter().map(|node| format!("\"{node}\"")).collect();
        self.output.line(|line| {
            line.push(b'{');
            write_json_name(line, "path", name);
            line.extend(parameters(&Format::Merkle(*tree)).bytes());
            let InclusionProof { index, leaves, .. } = proof;
            line.extend(format!(",\"index\":{index},\"leaves\":{leaves}").bytes());
            line.extend(format!(",\"proof\":[{}]", nodes.join(",")).bytes());
            line.extend(format!(",\"digest\":\"{}\"}}\n", finished.text).bytes());
        })
    }
}

/// The format and its parameters, as members of an object.
fn parameters(format: &Format) -> String {
    let name = format.name();
    let hex = |bytes: &[u8]| base16ct::lower::encode_string(bytes);
    let more = match format {
        Format::S3 { part, .. } => format!(",\"part_size\":{part}"),
        Format::S3Crc { part: Some(part), .. } => format!(",\"part_size\":{part}"),
        Format::S3Crc { part: None, .. } | Format::Glacier(_) => String::new(),
        Format::Merkle(Tree { engine, leaf, domain }) => {
            let (algorithm, rfc6962) = (engine.algorithm(), *domain == Domain::Rfc6962);
            format!(",\"algorithm\":\"{algorithm}\",\"leaf_size\":{leaf},\"rfc6962\":{rfc6962}")
        }
        Format::FsVerity(verity) => format!(
            ",\"algorithm\":\"{}\",\"block_size\":{},\"salt\":\"{}\"",
            verity.algorithm(),
            verity.block(),
            hex(verity.salt())
        ),
        Format::DmVerity(parameters) => format!(
            ",\"algorithm\":\"{}\",\"hash_type\":{},\"data_block_size\":{},\
             \"hash_block_size\":{},\"salt\":\"{}\"",
            parameters.engine.algorithm(),
            parameters.hash_type.number(),
            parameters.data_block,
            parameters.hash_block,
            hex(&parameters.salt)
        ),
    };
    format!(",\"format\":\"{name}\"{more}")
}
