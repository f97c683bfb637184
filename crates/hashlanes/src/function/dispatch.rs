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

/// [`with_function!`] for an [`MdFunction`](crate::MdFunction): `Some` of the expression's value,
/// or `None` if the algorithm is of another family.
///
/// ```
/// use hashlanes::{Algorithm, Engine, with_md_function};
///
/// let initial = with_md_function!(Algorithm::Sha1, A => Engine::<A>::initial_state());
/// assert_eq!(initial.unwrap()[4], 0xc3d2_e1f0);
/// ```
#[macro_export]
macro_rules! with_md_function {
    ($algorithm:expr, $function:ident => $body:expr) => {
        $crate::__with_functions! { md ($crate::__match_md_function!) $algorithm, $function, $body }
    };
}

/// [`with_md_function!`] with the names of the functions.
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

/// Declares an enum with a variant for each function `A`, which holds `$typed<A>`.
macro_rules! each_function {
    ([$($function:ident)*] $(#[$doc:meta])* $vis:vis enum $name:ident of $typed:ident) => {
        $(#[$doc])*
        #[allow(
            clippy::large_enum_variant,
            reason = "nothing is allocated, and BLAKE3 keeps a value for each subtree"
        )]
        $vis enum $name {
            $($function($typed<$crate::$function>),)*
        }
    };
    ($(#[$doc:meta])* $vis:vis enum $name:ident of $typed:ident) => {
        $crate::function::with_functions!(each_function! {
            $(#[$doc])* $vis enum $name of $typed
        });
    };
}

/// The variant of an [`each_function!`] enum for the value `$algorithm`, with the value of an
/// expression.
macro_rules! variant_for {
    ([$($function:ident)*] $algorithm:expr, $name:ident($body:expr)) => {
        match $algorithm {
            $($crate::Algorithm::$function => $name::$function($body),)*
        }
    };
    ($algorithm:expr, $name:ident($body:expr)) => {
        $crate::function::with_functions!(variant_for! { $algorithm, $name($body) })
    };
}

/// Evaluates an expression with the content of an [`each_function!`] enum. With `=> to $to(..)` the
/// result is the same variant of another such enum.
macro_rules! with_variant {
    ([$($function:ident)*] $value:expr, $name:ident($typed:ident) => to $to:ident($body:expr)) => {
        match $value {
            $($name::$function($typed) => $to::$function($body),)*
        }
    };
    ([$($function:ident)*] $value:expr, $name:ident($typed:ident) => $body:expr) => {
        match $value {
            $($name::$function($typed) => $body,)*
        }
    };
    ($value:expr, $name:ident($typed:ident) => $($body:tt)*) => {
        $crate::function::with_functions!(with_variant! { $value, $name($typed) => $($body)* })
    };
}

pub(crate) use {each_function, variant_for, with_functions, with_variant};

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
