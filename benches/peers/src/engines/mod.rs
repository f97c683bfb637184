//! The engines, one file for each kind: Rust crates, C libraries (through a shim), and Go packages
//! (through a driver process).

mod crates;
mod go;
#[expect(unsafe_code, reason = "it calls C")]
mod shim;

use crate::engine::{Engine, Found};

/// All engines, hashlanes first.
pub(crate) fn all() -> Vec<Found> {
    let mut engines = vec![Found::Engine(Box::new(crates::Hashlanes) as Box<dyn Engine>)];
    engines.extend(shim::all());
    engines.extend(crates::all());
    engines.extend(crates::optional());
    engines.extend(go::all());
    engines
}

#[cfg(test)]
mod tests {
    use hashlanes_measure::messages::{Expected, Lengths, Messages, Random};

    use super::*;
    use crate::engine::ALGORITHMS;

    #[test]
    fn every_engine_that_is_here_hashes_right() {
        let mut random = Random::new(None);
        let mut tried = 0;
        for found in all() {
            let mut engine: Box<dyn Engine> = match found {
                Found::Engine(engine) => engine,
                Found::Missing(missing) => {
                    eprintln!("missing: {}: {}", missing.name, missing.reason);
                    continue;
                }
            };
            let name = engine.name().to_owned();
            for algorithm in ALGORITHMS {
                if !engine.supports(algorithm) {
                    continue;
                }
                for (count, lengths) in [1, 2, 65, 300].into_iter().flat_map(|count| {
                    [(count, Lengths::Uniform(64)), (count, Lengths::LogUniform(1, 2000))]
                }) {
                    let mut messages = Messages::new(lengths, count, &mut random);
                    let expected = Expected::of(algorithm, &messages);
                    messages.shuffle(&mut random);
                    let mut digests = vec![0; count * algorithm.digest_len()];
                    match engine.time(algorithm, &messages.slices(), &mut digests, 2) {
                        Err(error)
                            if lengths != Lengths::Uniform(64)
                                && ["hashtree", "rust-bitcoin"].contains(&&*name) =>
                        {
                            eprintln!("{name} refuses them: {error}");
                            continue;
                        }
                        result => drop(result.unwrap()),
                    }
                    expected
                        .check(&messages, &digests)
                        .unwrap_or_else(|error| panic!("{name}: {error}"));
                }
                // An engine that rejects messages must still work afterwards.
                let messages = Messages::new(Lengths::LogUniform(1, 1 << 20), 300, &mut random);
                let mut digests = vec![0; 300 * algorithm.digest_len()];
                if let Err(error) = engine.hash(algorithm, &messages.slices(), &mut digests) {
                    eprintln!("{name} refuses long messages: {error}");
                    let message = [[7; 64].as_slice()];
                    let mut digest = vec![0; algorithm.digest_len()];
                    engine.hash(algorithm, &message, &mut digest).unwrap();
                    assert_eq!(
                        digest,
                        hashlanes_measure::messages::reference(algorithm, message[0]),
                        "{name}"
                    );
                }
                tried += 1;
            }
        }
        assert!(tried >= 24, "hashlanes and RustCrypto are always here, with ten algorithms each");
    }
}
