//! Macros that turn the value of an algorithm into its type.

/// Calls a macro with the names of all functions in brackets, followed by the other arguments.
macro_rules! with_functions {
    ($macro:ident! { $($arguments:tt)* }) => {
        $crate::__with_functions! { all ($macro!) $($arguments)* }
    };
}

/// Evaluates an expression with the type of an [`Algorithm`](crate::Algorithm): from the value to
/// code that is generic over the [`HashFunction`](crate::HashFunction).
///
/// ```
/// use hashlanes::{Algorithm, HashFunction, Hasher, with_function};
///
/// fn twice<A: HashFunction>(message: &str) -> Vec<u8> {
///     let mut hasher = Hasher::<A>::new();
///     hasher.update(message).update(message);
///     hasher.finalize().as_ref().to_vec()
/// }
///
/// let algorithm = Algorithm::from_name("sha256")?;
/// let digest = with_function!(algorithm, A => twice::<A>("abc"));
/// assert_eq!(digest, algorithm.digest("abcabc").as_bytes());
/// # Ok::<(), hashlanes::UnknownAlgorithm>(())
/// ```
#[macro_export]
macro_rules! with_function {
    ($algorithm:expr, $function:ident => $body:expr) => {
        $crate::__with_functions! { all ($crate::__match_function!) $algorithm, $function, $body }
    };
}

/// [`with_function!`] with the names of the functions.
#[doc(hidden)]
#[macro_export]
macro_rules! __match_function {
    ([$($name:ident)*] $algorithm:expr, $function:ident, $body:expr) => {
        match $algorithm {
            $($crate::Algorithm::$name => {
                type $function = $crate::$name;
                $body
            })*
            // Needed in other crates, as `Algorithm` is non-exhaustive.
            #[allow(unreachable_patterns)]
            other => ::core::unreachable!("no function for {other}"),
        }
    };
}

/// [`with_function!`] for an [`MdFunction`](crate::hazmat::MdFunction): `Some` of the expression's
/// value, or `None` if the algorithm is of another family.
///
/// ```
/// use hashlanes::hazmat::with_md_function;
/// use hashlanes::{Algorithm, Engine};
///
/// let initial = with_md_function!(Algorithm::Sha1, A => Engine::<A>::initial_state());
/// assert_eq!(initial.unwrap()[4], 0xc3d2_e1f0);
/// ```
#[doc(hidden)]
#[macro_export]
macro_rules! __with_md_function {
    ($algorithm:expr, $function:ident => $body:expr) => {
        $crate::__with_functions! { md ($crate::__match_md_function!) $algorithm, $function, $body }
    };
}

/// [`with_md_function!`](crate::hazmat::with_md_function) with the names of the functions.
#[doc(hidden)]
#[macro_export]
macro_rules! __match_md_function {
    ([$($name:ident)*] $algorithm:expr, $function:ident, $body:expr) => {
        match $algorithm {
            $($crate::Algorithm::$name => {
                type $function = $crate::$name;
                ::core::option::Option::Some($body)
            })*
            #[allow(unreachable_patterns)]
            _ => ::core::option::Option::None,
        }
    };
}

pub(crate) use with_functions;

#[cfg(all(test, feature = "all"))]
mod tests {
    use crate::function::{Algorithm, HashFunction};

    #[test]
    fn every_algorithm_has_a_function() {
        for &algorithm in Algorithm::ALL {
            assert_eq!(with_function!(algorithm, A => A::ALGORITHM), algorithm);
        }
    }
}
