//! From an algorithm chosen at run time to the type of its function.

use hashlanes::{AnyEngine, Engine, HashFunction};

/// Evaluates an expression with the type of an algorithm's function: `with_function!(algorithm, A
/// => ..)`.
macro_rules! with_function {
    ($algorithm:expr, $A:ident => $body:expr) => {
        with_function!($algorithm, $A => $body,
            Md5 Sha1 Sha224 Sha256 Sha384 Sha512 Sha512_256 Sm3)
    };
    ($algorithm:expr, $A:ident => $body:expr, $($name:ident)*) => {
        match $algorithm {
            $(hashlanes::Algorithm::$name => {
                type $A = hashlanes::$name;
                $body
            })*
            _ => unreachable!("a test sees that this crate knows all algorithms"),
        }
    };
}

pub(crate) use with_function;

/// The engine with its function as a type.
pub(crate) fn typed<A: HashFunction>(engine: AnyEngine) -> Engine<A> {
    match engine.forced_kernel() {
        // The name was accepted when the other engine was made.
        Some(name) => Engine::with_kernel(name).unwrap_or_default(),
        None => Engine::new(),
    }
}

/// How many messages side by side the engine can use: as many as its widest kernel has lanes.
pub(crate) fn width(engine: AnyEngine) -> usize {
    let widest = engine.kernel_for(usize::MAX);
    let kernel = engine.algorithm().kernels().find(|kernel| kernel.name == widest);
    kernel.map_or(1, |kernel| kernel.lanes)
}

#[cfg(test)]
mod tests {
    use hashlanes::Algorithm;

    use super::*;

    #[test]
    fn all_algorithms_are_known() {
        for &algorithm in Algorithm::ALL {
            let same = with_function!(algorithm, A => A::ALGORITHM);
            assert_eq!(same, algorithm);
            assert!(width(AnyEngine::new(algorithm)) >= 1);
        }
    }
}
